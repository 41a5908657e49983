"""Round robins of matches, their standings and their report."""
