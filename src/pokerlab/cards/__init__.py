"""Decks, card text and hand ranking."""
