"""You, at the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable

from pokerlab.agents.agent import Agent, Distribution
from pokerlab.game.betting import CALL, FOLD
from pokerlab.game.hand import View


class Human(Agent):
    """Asks at the terminal what to do: f, c (also x, k or enter), r, or r followed by the chips to raise to."""

    name = "human"
    stateless = False
    talks = True

    def __init__(self, ask: Callable[[str], str] = input) -> None:
        self._ask = ask

    def act(self, view: View) -> Distribution:
        legal, betting = view.legal, view.betting
        assert legal is not None
        owed = betting.highest - betting.spent[view.seat]
        choices = ["f(old)"] if legal.fold else []
        choices.append(f"c(all {owed})" if owed else "c(heck)")
        if legal.raises:
            low, high = legal.raises[0], legal.raises[-1]
            choices.append(f"r(aise to {low})" if low == high else f"rN (raise to {low}..{high})")
        shown = f"{view.cards_text()}  pot {betting.pot}  betting {view.betting_text() or '-'}"
        while True:
            try:
                answer = self._ask(f"{shown}\n  {', '.join(choices)}? ").strip().lower()
            except EOFError:
                raise KeyboardInterrupt from None
            action = _read(answer, legal.raises)
            if action is not None and action in legal:
                return {action: 1.0}
            print("  that is not possible here", file=sys.stderr)

    def observe(self, view: View) -> None:
        print(f"{view.cards_text()}  {view.betting_text()}  the hand is over", file=sys.stderr)


def _read(answer: str, raises: range | tuple[int, ...]) -> int | None:
    if answer in ("c", "x", "k", "", "call", "check"):
        return CALL
    if answer in ("f", "fold"):
        return FOLD
    if answer in ("r", "raise"):
        return raises[0] if raises else None
    number = answer.removeprefix("r").strip()
    return int(number) if number.isascii() and number.isdigit() else None
