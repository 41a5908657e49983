"""A player by a Bayesian network (Korb and Nicholson's BPP; Rubin 2013, section 2.5, Figure 2.11).

    bpp

For two players. Both final hands decide who wins; a final hand says what the current one may be; the opponent's
current hand says what the opponent does. What is seen, one's own current hand and what the opponent did last, gives
the chance to win, and that the action of the highest expected utility. Tables of cards are counted over random deals;
what an opponent does with a hand is learnt where its cards were shown. Hands are of a few types, whatever the board:
much is lost by that, as the original found.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from pokerlab.agents.agent import Distribution
from pokerlab.cards.evaluator import LOWEST, evaluate
from pokerlab.field.bayes_network import BayesNetwork, Variable
from pokerlab.field.player import CALLS, FOLDS, RAISES, SECONDS, HoldemPlayer, boards_of, deeds, owed
from pokerlab.field.preflop_groups import GROUPS, group_of
from pokerlab.field.simulation import PURE
from pokerlab.game.hand import View

_PAIR, _TWO_PAIR, _TRIPS, _STRAIGHT, _FLUSH, _FULL = LOWEST[1:7]
# Types by value: no pair by its highest card (up to a jack, queen, king, ace), pairs (to fives, nines, queens, above),
# two pair (lower, higher), three of a kind, straight, flush, full house and better.
CUTS = np.array([
    247, 456, 785, _PAIR, _PAIR + 4 * 220, _PAIR + 8 * 220, _PAIR + 11 * 220, _TWO_PAIR, _TWO_PAIR + 429, _TRIPS,
    _STRAIGHT, _FLUSH, _FULL,
])  # fmt: skip
TYPES = len(CUTS) + 1
DEALS = 20_000
SEEN = 30.0  # observations that the first guess of an opponent's actions is worth, for each type of hand


def type_of(hole: tuple[int, ...], board: tuple[int, ...]) -> int:
    """The type of a hand on a board; before the flop its group."""
    if not board:
        return group_of(hole, 1) - 1
    return int(np.searchsorted(CUTS, evaluate([[*hole, *board]])[0], side="right"))


@lru_cache(maxsize=1)
def card_tables() -> tuple[np.ndarray, list[np.ndarray], np.ndarray]:
    """P(final), for each round P(current | final), and P(lose, tie, win | final, theirs), over random deals."""
    rng = np.random.default_rng(2013)
    cards = rng.random((DEALS, 52)).argsort(axis=1)[:, :9]
    mine, other, board = cards[:, :2], cards[:, 2:4], cards[:, 4:]
    values = [evaluate(np.concatenate([hole, board], axis=1)).astype(int) for hole in (mine, other)]
    final, theirs = (np.searchsorted(CUTS, value, side="right") for value in values)
    outcome = np.sign(values[0] - values[1]) + 1
    current = []
    for round, shown in enumerate((0, 3, 4, 5)):
        if shown:
            now = evaluate(np.concatenate([mine, board[:, :shown]], axis=1)).astype(int)
            types = np.searchsorted(CUTS, now, side="right")
        else:
            types = np.array([group_of(tuple(hole), 1) - 1 for hole in mine.tolist()])
        current.append(_counted((final, types), (TYPES, TYPES if round else GROUPS)))
    prior = np.bincount(final, minlength=TYPES) + 0.5
    return prior / prior.sum(), current, _counted((final, theirs, outcome), (TYPES, TYPES, 3))


def _counted(columns: tuple[np.ndarray, ...], shape: tuple[int, ...]) -> np.ndarray:
    """Frequencies over the last axis, with a little of everything."""
    counts = np.full(shape, 0.01)
    np.add.at(counts, columns, 1)
    return counts / counts.sum(axis=-1, keepdims=True)


def first_guess(types: int) -> np.ndarray:
    """[faced, types, kinds] what is expected of an opponent with each type of hand, the best last: better ones bet."""
    best = np.linspace(0, 1, types)
    raises, folds = 0.1 + 0.6 * best, 0.5 * (1 - best)
    faced = np.stack([folds, 1 - folds - 0.6 * raises, 0.6 * raises], axis=1)
    free = np.stack([np.zeros(types), 1 - raises, raises], axis=1)
    return np.stack([free, faced])


class Doings:
    """What an opponent did with the hands that it showed: [faced, types, kinds] for each round."""

    def __init__(self) -> None:
        self.counts = [SEEN * first_guess(TYPES if round else GROUPS) for round in range(4)]
        self.counts[0] = self.counts[0][:, ::-1].copy()  # groups have the best first

    def frequencies(self, round: int, faced: bool) -> np.ndarray:
        counts = self.counts[round][int(faced)]
        return counts / counts.sum(axis=1, keepdims=True)


class BayesPlayer(HoldemPlayer):
    """Plays what its network says is worth most."""

    name = "bpp"
    stateless, two_only = False, True

    def __init__(self, size: float = 100.0, name: str = "") -> None:
        super().__init__(size, 0, SECONDS, name)
        self.known: dict[str, Doings] = {}

    def doings(self, view: View) -> Doings:
        return self.known.setdefault(view.names[1 - view.seat] if view.names else "", Doings())

    def winning(self, view: View) -> float:
        """The chance to win, a tie half: the network's answer to the current hand and the opponent's last action."""
        last = next((deed for deed in reversed([*deeds(view)]) if deed.seat != view.seat), None)
        final, current, outcome = card_tables()
        theirs = view.betting.round if last is None else last.before.round
        faced = last is not None and last.faced
        network = BayesNetwork({
            "my final hand": Variable((), final),
            "their final hand": Variable((), final),
            "result": Variable(("my final hand", "their final hand"), outcome),
            "my hand": Variable(("my final hand",), current[view.betting.round]),
            "their hand": Variable(("their final hand",), current[theirs]),
            "their action": Variable(("their hand",), self.doings(view).frequencies(theirs, faced)),
        })  # fmt: skip
        seen = {"my hand": type_of(view.hole, view.board)}
        if last is not None:
            seen["their action"] = last.kind
        _, tied, won = network.posterior("result", seen)
        return float(won + tied / 2)

    def act(self, view: View) -> Distribution:
        chance, chips, pot = self.winning(view), owed(view.betting, view.seat), view.betting.pot
        utilities = np.array([0.0, chance * (pot + chips) - chips, -np.inf])
        assert view.legal is not None
        if view.legal.raises:
            more = max(self.acted(view, PURE[RAISES])) - view.betting.highest
            utilities[RAISES] = chance * (pot + chips + 2 * more) - chips - more
        if not view.legal.fold:
            utilities[FOLDS] = -np.inf
        best = int(np.argmax(utilities))
        return self.acted(view, PURE[best if best != FOLDS or chips else CALLS])

    def observe(self, view: View) -> None:
        hole = view.holes[1 - view.seat]
        if not hole:
            return
        doings, boards = self.doings(view), boards_of(view)
        for deed in deeds(view):
            if deed.seat != view.seat:
                round = deed.before.round
                doings.counts[round][int(deed.faced), type_of(hole, boards[round]), deed.kind] += 1

    def reset(self) -> None:
        self.known.clear()
