"""Grafting partitions: Definition 7 of Waugh, Bard and Bowling (2009), Strategy Grafting in Extensive Games."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pokerlab.abstraction.small import parse_player
from pokerlab.errors import GraftingError
from pokerlab.form.game import Game
from pokerlab.form.treeplex import Treeplex


@dataclass(frozen=True, eq=False)
class GraftingPartition:
    """Definition 7: `labels[i]` is the graft of the player's i-th infoset, 1 to p; 0 is G_0, played by the base.

    `names` are the grafts' names for people. Labels on infosets make a partition of H_i (condition 1) into unions of
    infosets (condition 2, unless the game ties infosets); condition 3 says that below an infoset of a graft are only
    infosets of the same graft or of G_0, so that every hand passes through one graft at most.
    """

    game: Game
    player: int
    labels: np.ndarray
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(self.game.trees) != 2:
            raise GraftingError(f"grafting is for two players; {self.game.name} has {len(self.game.trees)}")
        if self.player not in (0, 1):
            raise GraftingError(f"player must be 0 or 1, not {self.player}")
        labels, wanted = np.asarray(self.labels), self.tree.infosets
        if labels.shape != (wanted,) or not np.issubdtype(labels.dtype, np.integer):
            given = f"{labels.dtype} of shape {labels.shape}"
            raise GraftingError(f"a grafting partition needs an integer an infoset ({wanted}), not {given}")
        if len(below := np.flatnonzero(labels < 0)):
            raise GraftingError(
                f"{self._infoset(int(below[0]))} has a negative label; grafts are 1, 2, ..., the base 0"
            )
        if missing := sorted(set(range(1, int(labels.max(initial=0)))) - set(labels.tolist())):
            raise GraftingError(f"grafts are numbered 1 to {labels.max()}, but no infoset is of graft {missing[0]}")
        object.__setattr__(self, "labels", labels.astype(np.int64))
        object.__setattr__(self, "names", self.names or tuple(str(j) for j in range(1, self.grafts + 1)))
        if len(self.names) != self.grafts:
            raise GraftingError(f"{len(self.names)} names for {self.grafts} grafts")
        self._check_ties()
        self._check_order()

    @property
    def tree(self) -> Treeplex:
        return self.game.trees[self.player]

    @property
    def grafts(self) -> int:
        """How many there are: p."""
        return int(self.labels.max(initial=0))

    def of_sequences(self) -> np.ndarray:
        """The label of each sequence's infoset; 0 for the empty sequence."""
        return np.concatenate(([0], self.labels[self.tree.infoset_of[1:]]))

    def _check_ties(self) -> None:
        """Condition 2 where the game forgets: infosets that the player cannot tell apart are of one graft."""
        tie = self.game.ties[self.player]
        if tie is None:
            return
        for b in range(len(self.tree)):
            first_of: dict[int, int] = {}
            for i in range(*self.tree.span(b).indices(self.tree.infosets)):
                other = first_of.setdefault(int(tie.row[i]), i)
                if self.labels[i] != self.labels[other]:
                    raise GraftingError(f"condition 2 of a grafting partition: {self._infoset(other)} and "
                                        f"{self._infoset(i)} are one infoset to the player")  # fmt: skip

    def _check_order(self) -> None:
        """Condition 3. `nearest` is the closest infoset above that is of a graft, -1 if there is none."""
        tree, nearest = self.tree, np.full(self.tree.infosets, -1, dtype=np.int64)
        for b in range(len(tree)):
            above = tree.infoset_of[tree.above(b)]
            nearest[tree.span(b)] = np.where(above < 0, -1, np.where(self.labels[above] > 0, above, nearest[above]))
        wrong = np.flatnonzero((self.labels > 0) & (nearest >= 0) & (self.labels[nearest] != self.labels))
        if len(wrong):
            some = "; ".join(
                f"{self._infoset(i)} of graft {self._name(i)} is below {self._infoset(nearest[i])} of graft "
                f"{self._name(nearest[i])}" for i in wrong[:3].tolist()
            )  # fmt: skip
            more = f"; and {len(wrong) - 3} more" if len(wrong) > 3 else ""
            raise GraftingError(f"condition 3 of a grafting partition: {some}{more}")

    def _name(self, infoset: int) -> str:
        return self.names[self.labels[infoset] - 1]

    def _infoset(self, i: int) -> str:
        return self.tree.name_of(i)


def by_private_cards(game: Game, player: int, first_round: int = 0, groups: str = "FULL") -> GraftingPartition:
    """A graft for each holding before the flop, that plays every decision from `first_round` on.

    `groups` is an abstraction's text, such as `JQ.K`: then a graft for each of its first-round buckets.
    """
    origin = game.origin
    if origin is None:
        raise GraftingError(f"{game.name} was not compiled from rules: give labels instead of private cards")
    if not 0 <= first_round < origin.rules.rounds:
        raise GraftingError(f"{game.name} has rounds 0 to {origin.rules.rounds - 1}, not {first_round}")
    sight, deals = origin.sights[player], origin.deals
    bucket = parse_player(groups, origin.rules).buckets(deals)[0]
    holdings: list[list[str]] = [[] for _ in range(bucket.max() + 1)]
    graft_of = np.zeros(sight.sizes[0], dtype=np.int64)
    for state, seen, j in zip(deals.states[0], sight.seen[0], bucket, strict=True):
        holdings[j].append(deals.label(state))
        if graft_of[seen] not in (0, 1 + j):
            raise GraftingError(
                f"{origin.abstraction.text} does not tell {sight.labels[0][seen]!r} apart as the grafts do"
            )
        graft_of[seen] = 1 + j
    rounds = [origin.nodes[here].state.round for here in origin.public.mine[player]]
    labels = [graft_of[sight.ancestors(r, 0)] * (r >= first_round) for r in rounds]
    return GraftingPartition(game, player, np.concatenate(labels), tuple(",".join(group) for group in holdings))


def preflop_grafts(game: Game, player: int) -> GraftingPartition:
    """The paper's preflop grafts: one a private card, for the whole hand; G_0 is empty."""
    return by_private_cards(game, player)


def flop_grafts(game: Game, player: int) -> GraftingPartition:
    """The paper's flop grafts: one a private card, from the second round on; before, the base plays."""
    return by_private_cards(game, player, first_round=1)
