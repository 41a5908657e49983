"""A module with an agent of a user's own, as text to be written beside them."""

MY_BOTS = """
import pokerlab

class Maniac(pokerlab.Agent):
    def __init__(self, level=1):
        self.level = level

    def act(self, view):
        return {view.legal.raises[-1] if view.legal.raises else 0: 1.0}

class Cautious(pokerlab.Agent):  # asked hand by hand
    def act(self, view):
        strength = sum(view.hole) / sum(range(len(view.rules.deck))[-len(view.hole):])
        if strength > 0.65 and view.legal.raises:
            return {view.legal.raises[0]: 0.75, 0: 0.25}
        return {-1: 0.9, 0: 0.1} if strength < 0.4 and view.legal.fold else {0: 1.0}

class NoAgent:
    pass
"""
