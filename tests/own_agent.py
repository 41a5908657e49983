"""A module with an agent of a user's own, as text to be written beside them."""

MY_BOTS = """
import pokerlab

class Maniac(pokerlab.Agent):
    def __init__(self, level=1):
        self.level = level

    def act(self, view):
        return {view.legal.raises[-1] if view.legal.raises else 0: 1.0}

class NoAgent:
    pass
"""
