"""Play in a browser or over JSON: tables against any agents, their hands kept, and only what a seat may see sent."""
