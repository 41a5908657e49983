"""Hands on record: ACPC logs, PHH files, and a store that answers questions about them."""
