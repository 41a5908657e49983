"""A street as the kernels of passes.cu read it: rows by place, groups of roots, terminals by four, hands by board.

The records are the structures of that file, field by field. Rows of a board lie as what is kept of it does: plain rows
for the roots, then blocks in tiles of LANES hands, all actions of a tile together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from pokerlab.refine.spots.kernels import Hands, Rates, Side
from pokerlab.refine.spots.lanes import LANES

NOWHERE, NO_CARDS = -1, 0xFFFF
LISTS = 56  # where the lists of 52 cards begin, where the last one ends, how many hands there are, and a spare pair

ROW = np.dtype([("base", "i4"), ("step", "i4")])
BLOCK = np.dtype([("base", "i4"), ("actions", "i4"), ("parent", ROW)])
_FOUR, _PAYS = (ROW, (4,)), ("f4", (4,))
FACING = np.dtype([(n, *_FOUR) for n in ("from", "call", "fold")] + [(n, *_PAYS) for n in ("win", "lose", "give")])
FACED = np.dtype(
    [(n, *_FOUR) for n in ("call", "fold", "to", "folded")] + [(n, *_PAYS) for n in ("win", "lose", "take", "give")]
)
FOLD = np.dtype([(n, *_FOUR) for n in ("from", "to")] + [("pay", *_PAYS)])
LINE = np.dtype([("row", ROW), ("leaf", "i4"), ("spare", "i4")])
HAND = np.dtype(
    [(n, "u2") for n in ("first_less", "first_equal", "second_less", "second_equal", "less", "equal", "own", "cards")]
)
GROUP = np.dtype(
    [
        (name, "i4")
        for name in (
            "root", "roots", "their_kept", "their_rows", "their_block", "their_blocks", "my_kept", "my_rows",
            "my_block", "my_blocks", "facing", "facings", "faced", "faceds", "fold", "folds", "bare", "bares",
        )
    ]
)  # fmt: skip
_POINTERS = (
    "above", "reach", "value", "out", "below", "their_regret", "their_strategy", "regret", "strategy", "locked",
    "scratch", "parent", "leaf", "group", "their_block", "my_block", "facing", "faced", "fold", "bare", "line", "hand",
    "order", "start", "deal_start", "deal_board", "deal_swap", "swaps",
)  # fmt: skip
_NUMBERS = (
    "groups", "roots", "my_width", "their_width", "my_rows", "their_rows", "my_kept", "their_kept", "above_size",
    "below_roots", "their_most", "my_most", "listed", "spare",
)  # fmt: skip
Span = tuple[int, int]  # some roots: the first, and the one after the last
STREET = np.dtype([(name, "u8") for name in _POINTERS] + [(name, "i4") for name in _NUMBERS])


RATES = np.dtype(
    [*((name, "f4") for name in ("above", "below", "average", "regret_weight", "average_weight")), ("time", "u4")]
)
ITEMS = np.dtype([(name, "i4") for name in ("board", "boards", "group", "groups", "each")])


def items_of(board: int = 0, boards: int = 0, group: int = 0, groups: int = 0, each: int = 1) -> np.ndarray:
    """Some groups of the last street on some boards, `each` of them at a time."""
    return np.array([(board, boards, group, groups, each)], dtype=ITEMS)


def rates_of(rates: Rates) -> np.ndarray:
    """Rates as the kernels read them."""
    return np.array([tuple(rates)], dtype=RATES)


class Rows:
    """Where the rows of a side lie, and which root each belongs to; the row after the last is nowhere."""

    def __init__(self, side: Side, width: int) -> None:
        self.side, self.width = side, width
        self.base = np.append(np.arange(side.rows) * width, NOWHERE)
        self.step = np.full(side.rows + 1, LANES)
        self.root = np.append(np.arange(side.rows), NOWHERE)
        for first, parent, actions in side.blocks:
            rows = slice(first, first + actions)
            self.base[rows] = first * width + np.arange(actions) * LANES
            self.step[rows] = actions * LANES
            self.root[rows] = self.root[parent]
        self.block_root = self.root[side.blocks[:, 0]]
        inner = self.root[side.roots : -1]
        if (np.diff(inner) < 0).any() or len({*side.leaves}) < len(side.leaves):
            raise AssertionError("rows of a root are neighbours, and a row leads to one leaf")

    def between(self, first: int, last: int) -> slice:
        """The rows below roots `first` to `last`."""
        inner = self.root[self.side.roots : -1]
        return slice(*(int(np.searchsorted(inner, root)) + self.side.roots for root in (first, last)))

    def floats(self, first: int, last: int) -> int:
        """How many numbers the rows of these roots have."""
        rows = self.between(first, last)
        return (last - first + rows.stop - rows.start) * self.width

    def places(self, rows: np.ndarray, first: int, last: int) -> np.ndarray:
        """Rows of these roots, counted from where theirs begin: the roots, then their blocks."""
        placed = np.zeros(np.shape(rows), dtype=ROW)
        inner = (self.between(first, last).start - (last - first)) * self.width
        base = self.base[rows]
        placed["base"] = np.where(base < 0, NOWHERE, base - np.where(rows < self.side.roots, first * self.width, inner))
        placed["step"] = self.step[rows]
        return placed

    def blocks(self, group: Span, whole: Span) -> np.ndarray:
        """The blocks of a group's roots, with places counted from where `whole` begins."""
        chosen = self.side.blocks[(self.block_root >= group[0]) & (self.block_root < group[1])]
        blocks = np.zeros(len(chosen), dtype=BLOCK)
        blocks["base"] = self.places(chosen[:, 0], *whole)["base"]
        blocks["actions"] = chosen[:, 2]
        blocks["parent"] = self.places(chosen[:, 1], *whole)
        return blocks


@dataclass(frozen=True)
class Terminals:
    """Of one kind: (terminals, names) rows of `who`, 0 the player or 1 the opponent, and what is paid."""

    rows: np.ndarray
    pays: np.ndarray
    dtype: np.dtype
    who: tuple[int, ...]

    @classmethod
    def of(
        cls, side: Side, rows: np.ndarray, pays: np.ndarray, paid: int, dtype: np.dtype, who: tuple[int, ...]
    ) -> Terminals:
        """Those of a side's panels, `paid` numbers each, without the lanes that have none: these earn for the row after
        the last.
        """
        given = rows.reshape(len(who), -1).T
        payments = pays.reshape(-1, paid, LANES).transpose(0, 2, 1).reshape(-1, paid)
        real = given[:, who.index(0)] != side.rows
        return cls(given[real], payments[real], dtype, who)

    def below(self, sides: tuple[Rows, Rows], group: Span) -> np.ndarray:
        """Which terminals are below a group's roots."""
        root = sides[1].root[self.rows[:, self.who.index(1)]]
        return np.flatnonzero((root >= group[0]) & (root < group[1]))

    def by_four(self, sides: tuple[Rows, Rows], chosen: np.ndarray, whole: Span) -> np.ndarray:
        """Records of some terminals, filled up with some that nothing comes of; places are counted from where `whole`
        begins.
        """
        records = np.zeros(-(-len(chosen) // 4), dtype=self.dtype)
        names = self.dtype.names or ()
        for k, (name, who) in enumerate(zip(names, self.who, strict=False)):
            lane = np.zeros(4 * len(records), dtype=ROW)
            lane["base"], lane["step"] = 0 if who else NOWHERE, LANES  # it is read somewhere, but written nowhere
            lane[: len(chosen)] = sides[who].places(self.rows[chosen, k], *whole)
            records[name] = lane.reshape(-1, 4)
        for k, name in enumerate(names[len(self.who) :]):
            paid = np.zeros(4 * len(records), dtype=np.float32)
            paid[: len(chosen)] = self.pays[chosen, k]
            records[name] = paid.reshape(-1, 4)
        return records


def beside(faced: Terminals, facing: Terminals, nowhere: int) -> Terminals:
    """Bets that the opponent faces, and after them those that the player faces, told alike: the opponent calls with the
    row that it bet with, and nothing that it folds earns.
    """
    none = np.zeros(len(faced.pays)), np.zeros(len(facing.pays))
    win, lose, give = facing.pays.T
    rows = np.column_stack([faced.rows, np.full(len(faced.rows), nowhere)]), facing.rows[:, [0, 0, 1, 2]]
    pays = np.column_stack([faced.pays, none[0]]), np.column_stack([win, lose, none[1], give])
    return Terminals(np.concatenate(rows), np.concatenate(pays), FACED, (1, 1, 0, 0))


def packed(facing: np.ndarray, faced: np.ndarray, after: int) -> tuple[np.ndarray, np.ndarray]:
    """A group's terminals of the two kinds; of the first, what does not fill a four is moved to the second, which has
    them from `after` on, if there is room in its last four.
    """
    left = len(facing) % 4
    if left + len(faced) % 4 > 4 or len(faced) % 4 == 0:
        return facing, faced
    return facing[: len(facing) - left], np.append(faced, after + facing[len(facing) - left :])


@dataclass(frozen=True)
class Plan:
    """A street of one player without its hands: all that does not grow with the boards."""

    arrays: dict[str, np.ndarray]
    most: tuple[int, int]  # numbers of the rows of a group: the player's and the opponent's
    sizes: np.ndarray  # (groups, 2) the same by group; the largest come first on the last street
    told: np.ndarray  # by group: as many numbers as records of terminals take


def groups_of(roots: int, taken: Callable[[Span], int], most: int) -> list[Span]:
    """Neighbouring roots together, as long as they take no more than `most` numbers."""
    groups, first = list[Span](), 0
    for root in range(1, roots + 1):
        if root == roots or taken((first, root + 1)) > most:
            groups.append((first, root))
            first = root
    return groups


def plan_of(my_side: Side, their_side: Side, widths: Sequence[int], *, last: bool, most: int) -> Plan:
    """`widths` are the player's and the opponent's; before the last street each root is a group, with places of the
    whole board.
    """
    mine, theirs = Rows(my_side, widths[0]), Rows(their_side, widths[1])
    sides, roots = (mine, theirs), my_side.roots
    facing = Terminals.of(my_side, my_side.facing, my_side.facing_pays, 3, FACING, (1, 0, 0))
    faced = Terminals.of(my_side, my_side.faced, my_side.faced_pays, 3, FACED, (1, 1, 0))
    kinds = {
        "facing": facing,
        "faced": beside(faced, facing, my_side.rows),
        "fold": Terminals.of(my_side, my_side.fold, my_side.fold_pays, 1, FOLD, (1, 0)),
    }

    def chosen_of(group: Span) -> tuple[np.ndarray, np.ndarray]:
        return packed(facing.below(sides, group), faced.below(sides, group), len(faced.rows))

    def told(group: Span) -> int:
        each = zip(chosen_of(group), (FACING, FACED), strict=True)
        return sum(-(-len(chosen) // 4) * dtype.itemsize // 4 for chosen, dtype in each)

    def taken(group: Span) -> int:
        return told(group) + sum(rows.floats(*group) for rows in sides)

    groups = groups_of(roots, taken, most) if last else [(root, root + 1) for root in range(roots)]
    if last:
        groups.sort(key=lambda group: -taken(group))
    records = np.zeros(len(groups), dtype=GROUP)
    parts: dict[str, list[np.ndarray]] = {name: [] for name in (*kinds, "their_block", "my_block", "bare")}
    counted = dict.fromkeys(parts, 0)

    def add(record: np.void, name: str, several: str, part: np.ndarray) -> None:
        record[name], record[several] = counted[name], len(part)
        parts[name].append(part)
        counted[name] += len(part)

    for record, group in zip(records, groups, strict=True):
        whole = group if last else (0, roots)
        record["root"], record["roots"] = group[0], group[1] - group[0]
        for who, name in enumerate(("my", "their")):
            below = sides[who].between(*group)
            record[f"{name}_kept"] = (below.start - roots) * widths[who]
            record[f"{name}_rows"] = below.stop - below.start
            add(record, f"{name}_block", f"{name}_blocks", sides[who].blocks(group, whole))
        answers, bets = chosen_of(group)
        chosen = {"facing": answers, "faced": bets, "fold": kinds["fold"].below(sides, group)}
        for name, kind in kinds.items():
            add(record, name, f"{name}s", kind.by_four(sides, chosen[name], whole))
        bare = my_side.bare[(mine.root[my_side.bare] >= group[0]) & (mine.root[my_side.bare] < group[1])]
        add(record, "bare", "bares", mine.places(bare, *whole))
    lines = np.zeros(my_side.rows, dtype=LINE)
    lines["row"], lines["leaf"] = mine.places(np.arange(my_side.rows), 0, roots), -1
    lines["leaf"][my_side.leaves] = np.arange(len(my_side.leaves))
    arrays = {name: np.concatenate(part) for name, part in parts.items()} | {"group": records, "line": lines}
    sizes = np.array([[rows.floats(*group) for rows in sides] for group in groups])
    return Plan(arrays, (int(sizes[:, 0].max()), int(sizes[:, 1].max())), sizes, np.array([*map(told, groups)]))


def listed(width: int) -> int:
    """Entries of the lists of a board, at most: all hands, those of each card, and up to three more for each list."""
    return (3 * width + 3 * 53 + LANES - 1) // LANES * LANES


def lists_of(theirs: Hands) -> tuple[np.ndarray, np.ndarray]:
    """(boards, listed) columns of the opponent's hands as they are visited, all and then by card, each list filled up
    to fours with the last column; and (boards, LISTS) where the cards' lists begin, and how many hands there are.
    """
    boards, width = len(theirs.alive), theirs.width
    order = np.full((boards, listed(width)), width - 1, dtype=np.uint16)
    start = np.zeros((boards, LISTS), dtype=np.uint16)
    for b, n in enumerate(theirs.alive):
        visits = theirs.visits[b, :n] // LANES
        cards = visits[:, 1:3].T.ravel()
        by_card = np.lexsort((np.tile(np.arange(n), 2), cards))  # and then by strength
        sizes = np.bincount(cards, minlength=52)
        begins = np.cumsum([-(-n // 4) * 4, *(-(-sizes // 4) * 4)])
        places = np.repeat(begins[:-1] - np.cumsum([0, *sizes[:-1]]), sizes) + np.arange(2 * n)
        order[b, :n], order[b, places] = visits[:, 0], np.tile(visits[:, 0], 2)[by_card]
        start[b, :53], start[b, 53] = begins, n
    return order, start


def hands_of(mine: Hands, theirs: Hands, start: np.ndarray) -> np.ndarray:
    """(boards, width) where each column's hand finds its sums in the opponent's lists."""
    hands = np.zeros((len(mine.alive), mine.width), dtype=HAND)
    hands["own"], hands["cards"] = theirs.width - 1, NO_CARDS
    ranked = len(mine.groups) > 0
    for b, n in enumerate(mine.alive):
        visits, there = mine.visits[b, :n] // LANES, hands[b]
        column, first, second, own = visits.T.astype(np.int64)
        there["own"][column] = own
        there["cards"][column] = first | second << 8
        if not ranked:
            continue
        groups = mine.groups[mine.group_start[b] : mine.group_start[b + 1]].astype(np.int64)
        sizes = np.diff(groups[:, 0], prepend=0)
        other = theirs.visits[b, : theirs.alive[b]] // LANES
        m = len(other)
        keys = np.sort((other[:, 1:3].astype(np.int64) * (m + 1) + np.arange(m)[:, None]).ravel())
        for name, bound in (("less", groups[:, 1]), ("equal", groups[:, 2])):
            reached = np.repeat(bound, sizes)
            there[name][column] = reached
            for which, card in (("first", first), ("second", second)):
                worse = np.searchsorted(keys, card * (m + 1) + reached) - np.searchsorted(keys, card * (m + 1))
                there[f"{which}_{name}"][column] = np.where(worse > 0, start[b][card] + worse, 0)
    return hands
