"""Golden traces: hands of every game, event by event, as text under tests/traces.

The test replays the cards and actions that it finds in a trace and compares the whole text, so that any
change of rules shows as a change of these files. `python tests/game/test_traces.py` writes them anew.
"""

from __future__ import annotations

import dataclasses
import re
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from pokerlab.game.betting import CALL, FOLD, Legal
from pokerlab.game.catalog import CATALOG, rules_of
from pokerlab.game.hand import Hand, new_hand
from pokerlab.game.rules import Rules

TRACES = Path(__file__).resolve().parents[1] / "traces"
LINES = 145  # a trace should be short enough to be read

GAMES: dict[str, Rules] = {name: rules_of(name) for name in CATALOG}
GAMES["leduc-13x4"] = rules_of("leduc:ranks=13,suits=4")
GAMES["holdem-nolimit-3p"] = dataclasses.replace(
    rules_of("holdem-nolimit"), blinds=(50, 100, 0), first=(2, 0, 0, 0), stacks=(600, 1500, 1000)
)


def action_text(action: int) -> str:
    return "fold" if action == FOLD else "call" if action == CALL else f"raise to {action}"


def legal_text(legal: Legal) -> str:
    words = ["fold", "call"] if legal.fold else ["call"]
    if legal.raises:
        first, last = legal.raises[0], legal.raises[-1]
        listed = f"{first}..{last}" if isinstance(legal.raises, range) else " ".join(map(str, legal.raises))
        words.append(f"raise to {listed}")
    return ", ".join(words)


def event_lines(states: list[Hand]) -> list[str]:
    """One line an event: what happened, what else was legal, and the pot after it."""
    lines = []
    for before, after in pairwise(states):
        if before.pending:
            cards = after.cards_text()[len(before.cards_text()) :].strip("/")
            lines.append(f"  deal {cards}")
        else:
            event = f"  seat {before.actor}: {action_text(after.actions[-1])}"
            lines.append(f"{event:24} pot {after.betting.pot:<6} legal: {legal_text(before.legal())}")
    paid = " ".join(f"{chips:+g}" for chips in states[-1].payoffs())
    return [*lines, f"  payoffs {paid}"]


def trace(rules: Rules, hands: list[list[Hand]]) -> str:
    lines = rules.text().splitlines()
    for number, states in enumerate(hands, 1):
        lines += [f"hand {number}: {states[-1].betting_text()}", *event_lines(states)]
    return "\n".join(lines) + "\n"


def replay(rules: Rules, text: str) -> list[list[Hand]]:
    """The hands of a trace, from its deals and actions alone."""
    hands: list[list[Hand]] = []
    for line in text.splitlines():
        if line.startswith("hand "):
            hands.append([new_hand(rules)])
        elif dealt := re.match(r"  deal (\S+)", line):
            hands[-1].append(hands[-1][-1].deal(rules.deck.cards(re.sub(r"[|/]", "", dealt[1]))))
        elif acted := re.match(r"  seat \d: (?:(fold)|(call)|raise to (\d+)) ", line):
            action = FOLD if acted[1] else CALL if acted[2] else int(acted[3])
            hands[-1].append(hands[-1][-1].act(action))
    return hands


@pytest.mark.parametrize("name", GAMES)
def test_trace(name):
    text = (TRACES / f"{name}.txt").read_text()
    hands = replay(GAMES[name], text)
    assert len(hands) >= 8
    assert trace(GAMES[name], hands) == text


def test_every_trace_belongs_to_a_game():
    assert sorted(path.stem for path in TRACES.iterdir()) == sorted(GAMES)


# Writing them


def features(states: list[Hand]) -> set[tuple]:
    """What a hand shows of the rules: kinds of decisions in each round, kinds of ends, and itself."""
    shown: set[tuple] = set()
    for before, after in pairwise(states):
        if not before.pending:
            legal, action = before.legal(), after.actions[-1]
            kind = min(action, 1) + (action > CALL and action == legal.raises[-1])
            shown.add((before.betting.round, before.actor, legal.fold, len(legal.raises) > 0, kind))
    last = states[-1]
    betting, winners = last.betting_text(), tuple(chips > 0 for chips in last.payoffs())
    pots = len({last.betting.spent[seat] for seat in last.betting.survivors})
    end = (last.betting.round, last.betting.showdown, betting.endswith("/"), winners, pots)
    return shown | {end, (betting,), (betting, last.holes)}


def choose(rules: Rules) -> list[list[Hand]]:
    """Random hands, each the one of many that shows most for its length that those before it do not."""
    from randomly import hand_states

    hands = [hand_states(rules, seed, fold=0.15, raising=0.5) for seed in range(400)]
    pool = [(states, features(states)) for states in hands]
    chosen: list[list[Hand]] = []
    shown: set[tuple] = set()
    room = LINES - len(rules.text().splitlines())
    while len(chosen) < 20:
        pool = [(states, shows) for states, shows in pool if len(states) + 1 <= room and shows - shown]
        if not pool:
            break
        states, shows = max(pool, key=lambda item: len(item[1] - shown) / (len(item[0]) + 1))
        chosen.append(states)
        shown |= shows
        room -= len(states) + 1
    return chosen


if __name__ == "__main__":
    sys.path.append(str(TRACES.parent))  # as pytest does, for `randomly`
    for game, its_rules in GAMES.items():
        (TRACES / f"{game}.txt").write_text(trace(its_rules, choose(its_rules)))
