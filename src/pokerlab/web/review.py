"""After a hand: what an agent may have held at each of its decisions, and what it would have done with other cards.

Both follow from the agent's strategy and what everybody saw. The cards that it held are not looked at, so that nothing
is told of them that the betting did not tell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from pokerlab.agents.agent import Agent, Answers
from pokerlab.agents.asked import answers_of, asked
from pokerlab.cards.holes import class_name, classes, holes_of
from pokerlab.errors import NoSuchTable
from pokerlab.game.betting import CALL
from pokerlab.game.hand import Cards, Hand, new_hand
from pokerlab.game.rules import Rules
from pokerlab.page import action_colours
from pokerlab.web.hands import table_words

_FEW_HOLES = 100  # hole cards that any agent can be asked about one by one
_MOST_ACTIONS = 8  # that are told apart; what else there is, thousands of raises perhaps, is told as one


def why_not(agent: Agent, rules: Rules) -> str:
    """Why an agent's decisions cannot be shown, if they cannot."""
    if not agent.stateless:
        return f"{agent.title} remembers past hands: what it would have done then cannot be asked now"
    few = len(holes_of(len(rules.deck), rules.hole_cards)) <= _FEW_HOLES
    if type(agent).answers is Agent.answers and not few:
        return f"{agent.title} decides hand by hand: it does not answer for all hands at once"
    return ""


def points_of(hand: Hand, seat: int, agents: Mapping[int, Agent]) -> list[dict[str, Any]]:
    """The decisions of agents, by their seats, in a hand that is over, as the person in `seat` may look at them.

    `kinds` has how likely the agent held such a hand, and what it does with it, in the order of `actions`; `often` is
    that over all of them, and `yours` with the person's own cards; of one that `explains`, `why` tells more.
    """
    rules, mine = hand.rules, hand.holes[seat]
    holes = holes_of(len(rules.deck), rules.hole_cards)
    ranges = {who: free(holes, mine) for who in agents}
    now, points = new_hand(rules, hand.names)._replace(holes=((),) * rules.players), []
    for number, action in enumerate(hand.actions):
        if pending := now.pending:
            now = now.dealt(hand.board[len(now.board) : len(now.board) + pending])
            ranges = {who: held * free(holes, now.board) for who, held in ranges.items()}
        who = now.betting.actor
        assert who is not None
        if who in agents and ranges[who].any():
            answers = answers_of(agents[who], now.view(who))
            place = holes.index(tuple(sorted(mine)))
            points.append(_point(agents[who], now, number, who, action, answers, ranges[who], place))
            ranges[who] = ranges[who] * answers.get(action, 0.0)
        now = now.act(action)
    return points


def why(hand: Hand, seat: int, at: int, agents: Mapping[int, Agent]) -> dict[str, Any]:
    """Why an agent did what it did after `at` actions, as it tells: of case-based ones, the cases behind it.

    With the cards that it has shown; where it has not, with those of the person in `seat`, as it would then decide.
    """
    now = new_hand(hand.rules, hand.names)._replace(holes=hand.holes)
    for action in hand.actions[:at]:
        now = now.dealt(hand.board[len(now.board) : len(now.board) + now.pending]) if now.pending else now
        now = now.act(action)
    now = now.dealt(hand.board[len(now.board) : len(now.board) + now.pending]) if now.pending else now
    who = now.betting.actor
    if at >= len(hand.actions) or who is None or who not in agents:
        raise NoSuchTable(f"no agent that can be asked has decided after {at} actions of this hand")
    shown = hand.view(seat).holes[who]
    cards = shown or hand.holes[seat]
    told = asked(agents[who], agents[who].explain, now._replace(holes=_with(now.holes, who, cards)).view(who))
    if told is None:
        raise NoSuchTable(f"{agents[who].title} does not tell why it decides as it does")
    return {"shown": bool(shown), "cards": hand.rules.deck.text(cards), "lines": told.lines(), "why": told.as_json()}


def _with(holes: Sequence[Cards], who: int, cards: Cards) -> tuple[Cards, ...]:
    return tuple(cards if seat == who else hole for seat, hole in enumerate(holes))


def free(holes: Sequence[Cards], cards: Cards) -> np.ndarray:
    """1 for hole cards that have none of these."""
    return np.array([set(cards).isdisjoint(hole) for hole in holes], dtype=float)


def _point(
    agent: Agent, now: Hand, number: int, who: int, action: int, answers: Answers, held: np.ndarray, mine: int
) -> dict[str, Any]:
    told, table, _ = mixes(now, answers, held, action)
    return told | {
        "at": number, "seat": who, "round": now.betting.round, "board": now.rules.deck.text(now.board),
        "did": table_words(now.betting, action), "yours": table[:, mine].tolist(),
        "explains": type(agent).explain is not Agent.explain,
    }  # fmt: skip


def mixes(
    now: Hand, answers: Answers, held: np.ndarray, did: int | None = None
) -> tuple[dict[str, Any], np.ndarray, list[int]]:
    """What is done with each kind of hand, as plain JSON; with each of the hole cards (actions, holes); the actions.

    `held` is how likely each of the hole cards is. Of many actions the commonest are told apart, and what was done.
    """
    betting, share = now.betting, held / held.sum()
    often = {each: float(share @ odds) for each, odds in answers.items()}
    commonest = sorted(often, key=lambda each: -often[each])
    named = sorted({*commonest[:_MOST_ACTIONS], *(each for each in commonest if each == did)})
    table = np.array([answers[each] for each in named])
    words = [table_words(betting, each) for each in named]
    colours = [word.split()[0] if each <= CALL else word for word, each in zip(words, named, strict=True)]
    if len(named) < len(answers):
        rest = sum(answers.values(), np.zeros(len(held))) - table.sum(axis=0)
        table, words, colours = np.vstack([table, rest]), [*words, "other raises"], [*colours, "other raises"]
    told = {
        "actions": words, "colours": action_colours(colours), "often": (table @ share).tolist(),
        "kinds": _by_kind(now.rules, table, share),
    }  # fmt: skip
    return told, table, named


def _by_kind(rules: Rules, table: np.ndarray, share: np.ndarray) -> dict[str, dict[str, Any]]:
    names, kinds = kinds_of(rules)
    shares = np.bincount(kinds, share, len(names))
    sums = np.array([np.bincount(kinds, share * odds, len(names)) for odds in table])
    return {
        names[kind]: {"share": float(shares[kind]), "strategy": (sums[:, kind] / shares[kind]).tolist()}
        for kind in np.flatnonzero(shares).tolist()
    }


@lru_cache(maxsize=16)
def kinds_of(rules: Rules) -> tuple[list[str], np.ndarray]:
    """Names of kinds of hands, and the kind of each: the 169 of the chart in hold'em, ranks alone in small games."""
    if rules.holdem:
        return [class_name(kind) for kind in range(169)], classes().astype(np.int64)
    texts = ["".join(rules.deck.ranks[rules.deck.rank(card)] for card in hole)
             for hole in holes_of(len(rules.deck), rules.hole_cards)]  # fmt: skip
    names = list(dict.fromkeys(texts))
    return names, np.array([names.index(text) for text in texts])
