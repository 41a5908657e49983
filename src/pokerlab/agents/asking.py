"""This spot, what do you do? A spot as text, and an agent's answer in words."""

from __future__ import annotations

from typing import NamedTuple

from pokerlab.agents.agent import Agent
from pokerlab.agents.asked import distribution_of
from pokerlab.agents.spec import agent_of
from pokerlab.errors import AgentError, IllegalAction
from pokerlab.game.betting import CALL, FOLD, Betting, Legal
from pokerlab.game.catalog import rules_of
from pokerlab.game.hand import View, parse_hand
from pokerlab.game.rules import Rules


class Choice(NamedTuple):
    """An action as the competition writes it and in words; `to` is what a raise goes to."""

    action: str
    words: str
    to: int | None
    probability: float


def asked_agent(spec: str, game: str | None = None) -> tuple[Agent, Rules]:
    """The agent of a spec, and the game that it is asked about: the one that it is made for, or `game`."""
    rules = None if game is None else rules_of(game)
    agent = agent_of(spec, rules)
    known = rules or agent.rules
    if known is None:
        raise AgentError(f"{spec} plays any game: say which one by --game")
    return agent, known


def spot_view(rules: Rules, hole: str, board: str, betting: str) -> View:
    """What the player to act sees, from its cards, the board and the competition's text of the betting.

    spot_view(rules_of("holdem-nolimit"), "AsKd", "Qs Jh 2h", "cr300c/")
    """
    shown, parts, at = "".join(board.split()), [], 0
    for count in rules.board_cards:
        if count and at < len(shown):
            parts.append(shown[at : at + 2 * count])
            at += 2 * count
    if at < len(shown):
        parts.append(shown[at:])  # too many cards: `parse_hand` says so

    def told(seat: int) -> str:
        holes = ["".join(hole.split()) if s == seat else "" for s in range(rules.players)]
        return "/".join(["|".join(holes), *parts])

    hand = parse_hand(rules, betting, told(0))
    if hand.actor is None:
        raise IllegalAction(f"nobody is to act after betting {betting!r} with the board {board!r}")
    return parse_hand(rules, betting, told(hand.actor)).view(hand.actor)


def choices(agent: Agent, view: View) -> list[Choice]:
    """What an agent does: all legal actions, but of the many raises of no-limit those that it may make."""
    odds, betting, legal = distribution_of(agent, view), view.betting, view.legal
    assert legal is not None
    listed = []
    always = Legal(legal.fold, () if isinstance(legal.raises, range) else legal.raises).actions()
    for action in sorted({*odds, *always}):
        to = action if action > CALL else None
        listed.append(Choice(betting.text_of(action), words_of(betting, action), to, float(odds.get(action, 0.0))))
    return listed


def words_of(betting: Betting, action: int) -> str:
    """An action of whoever is to act, in words."""
    assert betting.actor is not None
    owed = betting.highest - betting.spent[betting.actor]
    return {FOLD: "fold", CALL: f"call {owed}" if owed else "check"}.get(action, f"raise to {action}")
