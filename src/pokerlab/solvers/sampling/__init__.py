"""Monte Carlo CFR on rules and tied tables: external, outcome and public-chance sampling."""
