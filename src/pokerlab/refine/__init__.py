"""Strategies made better after they were solved: grafting, and subgames refined."""
