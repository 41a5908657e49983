"""Three players, until one of them has folded: then a strategy for two. Rubin (2013), chapter 6.

    switching:holdem-limit-3p|holdem-limit

Who acts first after the flop becomes the big blind of the game for two, who acts last its dealer (Figure 6.2). A round
that three players began becomes the round for two in which each of those who are left raised as often; of two such
rounds that in which the same one raised last. Rounds that two began are taken over. Where there is no such round, and
in the round of the fold itself, the strategy for three decides.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from pokerlab.agents.agent import Agent, Answers, Distribution
from pokerlab.errors import AgentError
from pokerlab.game.betting import CALL, FOLD, Betting, start_betting
from pokerlab.game.catalog import rules_of
from pokerlab.game.hand import View
from pokerlab.game.rules import Rules
from pokerlab.match.loop import rehearse
from pokerlab.opponents.several import Several, agents_of

Rounds = tuple[tuple[int, ...], ...]


class Played(NamedTuple):
    """Betting so far, as in a `Hand`."""

    actions: tuple[int, ...]
    ends: tuple[int, ...]
    betting: Betting


class Switching(Several):
    """Plays `three` while all are in, and `two` where a hand for two is like the rest of this one."""

    def __init__(self, three: Agent, two: Agent, name: str = "") -> None:
        self.three, self.two = three, two
        self.smaller = two.rules or rules_of("holdem-limit")
        if not two.stateless:
            raise AgentError(f"{two.title} remembers past hands, and it would not see all of these: take another")
        super().__init__([three], name)
        self.files = tuple(dict.fromkeys((*three.files, *two.files)))
        self.rules = three.rules or rules_of("holdem-limit-3p")
        check_rules(self.rules, self.smaller)

    def rehearse(self, view: View) -> None:
        super().rehearse(view)
        if not view.actions:
            rehearse(self.smaller, self.two)

    def act(self, view: View) -> Distribution:
        smaller = for_two(view, self.smaller)
        return self.three.act(view) if smaller is None else carried_over(self.two.act(smaller), view)

    def answers(self, view: View) -> Answers:
        smaller = for_two(view, self.smaller)
        return self.three.answers(view) if smaller is None else carried_over(self.two.answers(smaller), view)

    def playing(self, view: View) -> Agent:
        three = self.three.playing(view)
        return self if three is self.three else Switching(three, self.two, self.name)


def check_rules(three: Rules, two: Rules) -> None:
    """Refuse games of which one is not the other with a player less."""

    def alike(rules: Rules) -> tuple:
        return rules.limit, rules.deck, rules.ranking, rules.hole_cards, rules.board_cards, rules.raise_sizes

    if (three.players, two.players) != (3, 2) or not three.limit or alike(three) != alike(two):
        raise AgentError(
            f"switching is from limit with three players to the same with two, not from {three.name or 'a game'} "
            f"of {three.players} to {two.name or 'one'} of {two.players}"
        )


def for_two(view: View, two: Rules) -> View | None:
    """The view of a game for two that is like this one of a game for three; None: there is none."""
    state = view.betting
    left = state.survivors
    if len(left) != 2 or view.seat not in left or not state.round:
        return None
    ends = (0, *view.ends, len(view.actions))
    rounds = tuple(view.actions[first:last] for first, last in pairwise(ends))
    played = _for_two(view.rules, two, rounds)
    if played is None:
        return None
    seat, holes = left.index(view.seat), tuple(view.holes[seat] for seat in left)
    names = tuple(view.names[seat] for seat in left) if view.names else ()
    legal = None if view.legal is None else played.betting.legal()
    return View(two, seat, holes, view.board, played.actions, played.ends, played.betting, legal, names)


def carried_over(odds: Answers | Distribution, view: View) -> dict:
    """What was decided in the game for two as actions of this one: a raise is a raise, and who may not raise calls."""
    raises = view.betting.legal().raises
    actions: dict = {}
    for action, chance in odds.items():
        made = action if action in (FOLD, CALL) else raises[0] if raises else CALL
        actions[made] = actions[made] + chance if made in actions else chance
    return actions


@lru_cache(maxsize=100_000)
def _for_two(three: Rules, two: Rules, rounds: Rounds) -> Played | None:
    """The betting of two, from that of three, round by round; the last round is the present one."""
    state, began, raised_by = start_betting(three), list[int](), [list[int]() for _ in rounds]
    for number, actions in enumerate(rounds):
        began.append(sum(not out for out in state.folded))
        for action in actions:
            actor = state.actor
            assert actor is not None
            if action not in (FOLD, CALL):
                raised_by[number].append(actor)
            state = state.act(action)
    left = state.survivors
    if began[-1] != 2:
        return None
    played, made, ends = start_betting(two), list[int](), list[int]()
    for number, actions in enumerate(rounds):
        if began[number] == 2:
            kinds = [0 if action == CALL else 1 for action in actions]
        else:
            raisers = [left.index(seat) for seat in raised_by[number] if seat in left]
            known = same_raises(raisers, two.first[number])
            if known is None:
                return None
            kinds = known
        for raised in kinds:
            raises = played.legal().raises
            if raised and not raises:
                return None
            made.append(raises[0] if raised else CALL)
            played = played.act(made[-1])
        ends.append(len(made))
    return Played(tuple(made), tuple(ends[:-1]), played)


def same_raises(raisers: list[int], first: int) -> list[int] | None:
    """A whole round of two in which each raises as often as here and the same one last: 1 a raise, 0 a call.

    `first` acts first. With two players raises alternate, so that they differ by one at most.
    """
    counts = [raisers.count(0), raisers.count(1)]
    if abs(counts[0] - counts[1]) > 1:
        return None
    if not raisers:
        return [0, 0]
    # The one who raised more often, or last, made the last raise; the first raise then follows from their number.
    last = raisers[-1] if counts[0] == counts[1] else counts.index(max(counts))
    opener = last if len(raisers) % 2 else 1 - last
    return [*[0] * (opener != first), *[1] * len(raisers), 0]


def switching(text: str, name: str = "") -> Switching:
    """For `switching:THREE|TWO`."""
    agents = agents_of(text)
    if len(agents) != 2:
        raise AgentError(f"switching:{text}: two agents are expected, switching:THREE|TWO, not {len(agents)}")
    return Switching(agents[0], agents[1], name)
