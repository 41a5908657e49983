"""Search over a model of the opponent that is learnt as a tree of contexts (Rubin 2013, sections 2.4.1 and 2.4.2).

    vexbot                  miximax with three levels of similarity (Billings et al. 2004)
    brplayer                with five (Schauenberg 2006)
    vexbot?mix=0.5          miximix: one's own actions are mixed, the better the more often

For two players. The whole rest of the betting is searched. At an opponent's node its actions count as often as it took
them in like places before; a showdown is won as often as the opponent's hand there was the weaker; at one's own nodes
the best action counts, or a mix, whose rule the thesis does not give: a softmax with `mix` of the pot as its unit. How
many observations are enough and how fast coarser ones fade is not given either: `needed` and `fade`.
"""

from __future__ import annotations

import numpy as np

from pokerlab.agents.agent import Distribution
from pokerlab.bounds import SHARE, WEIGHT, Bound
from pokerlab.cards.evaluator import tables
from pokerlab.cards.holes import HOLES, hole_number
from pokerlab.cards.strength import hand_strength
from pokerlab.errors import AgentError
from pokerlab.field import context_kernels as kernels
from pokerlab.field.betting_kernels import state_of, terms_of
from pokerlab.field.habits import PRIOR
from pokerlab.field.player import SECONDS, HoldemPlayer, Triple, deeds
from pokerlab.game.hand import View

BINS = 20  # of strength at showdowns
RUNOUTS = 60  # boards to come for one's own strength
MOST_NODES = 60_000
ROOM = 1 << 8  # places of a table to begin with
LEVELS = {3: (0, 1, 3), 5: (0, 1, 2, 3, 4)}
NEEDED = Bound("needed", 0, 10**6, whole=False)  # observations
GUESSES = 4.0  # observations that the prior of a showdown is worth


class Contexts:
    """What one opponent did, and showed down, in places of all levels."""

    def __init__(self, levels: tuple[int, ...], bins: int = BINS) -> None:
        self.levels = np.array(levels, np.int64)
        self.keys, self.rows = np.zeros(ROOM, np.int64), np.zeros((ROOM, 3))
        self.shown_keys, self.shown = np.zeros(ROOM, np.int64), np.zeros((ROOM, bins))
        self.places = [0, 0]

    def act(self, line: np.ndarray, round: int, faced: bool, kind: int) -> None:
        """The opponent did this after a line."""
        self.places[0] += kernels.remember(self.keys, self.rows, line, round, faced, False, self.levels, kind)
        self.keys, self.rows = _roomy(self.keys, self.rows, self.places[0])

    def show(self, line: np.ndarray, bin: int) -> None:
        """The opponent showed a hand of this bin down after a line."""
        self.places[1] += kernels.remember(self.shown_keys, self.shown, line, 3, False, True, self.levels, bin)
        self.shown_keys, self.shown = _roomy(self.shown_keys, self.shown, self.places[1])


def _roomy(keys: np.ndarray, rows: np.ndarray, places: int) -> tuple[np.ndarray, np.ndarray]:
    """The table, or one of twice the size if it is half full."""
    if 2 * places <= len(keys):
        return keys, rows
    larger, moved = np.zeros(2 * len(keys), np.int64), np.zeros((2 * len(keys), rows.shape[1]))
    for key, row in zip(keys, rows, strict=True):
        if key:
            at = kernels.place_of(larger, key)
            larger[at], moved[at] = key, row
    return larger, moved


class Tree:
    """All betting from a state on, and what it is worth to a seat."""

    def __init__(self, terms: object, start: np.ndarray, line: np.ndarray, seat: int) -> None:
        self.seat = seat
        room = MOST_NODES
        self.states, self.lines = np.empty((room, len(start)), np.int64), np.empty((room, kernels.LINE), np.int64)
        self.children = np.empty((room, 3), np.int64)
        self.count = kernels.expand(terms, start, line, seat, self.states, self.lines, self.children)
        self.values = np.empty(self.count)

    def search(
        self,
        own: np.ndarray,
        known: Contexts,
        needed: float,
        fade: float,
        priors: np.ndarray,
        guesses: float,
        mix: float,
    ) -> np.ndarray:
        """What fold, call and raise are worth at the root; nan where they are not possible."""
        kernels.search(
            self.count, self.seat, own, known.keys, known.rows, known.shown_keys, known.shown, known.levels, needed,
            fade, priors, guesses, mix, self.states, self.lines, self.children, self.values,
        )  # fmt: skip
        branches = self.children[0]
        return np.where(branches >= 0, self.values[branches], np.nan)


class Miximax(HoldemPlayer):
    """Searches to the end of the hand by what it has seen of its opponent."""

    stateless, two_only = False, True

    def __init__(
        self,
        levels: int = 3,
        mix: float = 0.0,
        needed: float = 20.0,
        fade: float = 0.5,
        size: float = 100.0,
        seed: int = 0,
        name: str = "",
    ) -> None:
        super().__init__(size, seed, SECONDS, name)
        if levels not in LEVELS:
            raise AgentError(f"levels of similarity are 3 or 5, not {levels}")
        for value, what, bound in ((mix, "mix", WEIGHT), (needed, "needed", NEEDED), (fade, "fade", SHARE)):
            bound.check(value, what, AgentError)
        self.levels, self.mix, self.needed, self.fade = LEVELS[levels], float(mix), float(needed), float(fade)
        self.known: dict[str, Contexts] = {}

    def contexts(self, view: View) -> Contexts:
        """What is known of the opponent."""
        name = view.names[1 - view.seat] if view.names else ""
        return self.known.setdefault(name, Contexts(self.levels))

    def values(self, view: View) -> np.ndarray:
        """What fold, call and raise are worth, in chips of the whole hand; nan where they are not possible."""
        own = kernels.own_bins(
            tables(), HOLES, hole_number(view.hole), np.array(view.board, np.uint8), RUNOUTS, BINS, self.stream(view)
        )
        terms, start = terms_of(view.rules, self.size), state_of(view.betting)
        tree = Tree(terms, start, line_of(view), view.seat)
        mix = self.mix * view.betting.pot
        return tree.search(own, self.contexts(view), self.needed, self.fade, PRIOR[0], GUESSES, mix)

    def act(self, view: View) -> Distribution:
        values = self.values(view)
        if self.mix == 0:
            odds = (values == np.nanmax(values)).astype(float)
        else:
            odds = np.nan_to_num(np.exp((values - np.nanmax(values)) / (self.mix * view.betting.pot)))
        return self.acted(view, Triple(*(odds / odds.sum()).tolist()))

    def observe(self, view: View) -> None:
        known, line, other = self.contexts(view), np.zeros(kernels.LINE, np.int64), 1 - view.seat
        for deed in deeds(view):
            if deed.seat == other:
                known.act(line, deed.before.round, deed.faced, deed.kind)
            kernels.advance(line, deed.before.round, deed.seat == view.seat, deed.kind)
        if view.betting.showdown and view.holes[other]:
            hole = view.holes[other]
            strength = hand_strength((min(hole), max(hole)), view.board)
            known.show(line, min(int(strength * BINS), BINS - 1))

    def reset(self) -> None:
        self.known.clear()


def line_of(view: View) -> np.ndarray:
    """The betting so far, as its seat sees it."""
    line = np.zeros(kernels.LINE, np.int64)
    for deed in deeds(view):
        kernels.advance(line, deed.before.round, deed.seat == view.seat, deed.kind)
    return line


class Vexbot(Miximax):
    """Miximax with three levels of similarity."""

    name = "vexbot"


class BRPlayer(Miximax):
    """Miximax with five levels of similarity."""

    name = "brplayer"

    def __init__(self, levels: int = 5, **options: object) -> None:
        super().__init__(levels, **options)  # type: ignore[arg-type]
