"""Hold'em for two before the flop, as one readable file: stack, blinds, raises, bets after the flop, and what is drawn.

    stack = 2000
    [raises]
    limp = true
    open = "2x, 3x, all-in"
    3-bet = "3x, all-in"
    4-bet = "all-in"
    [bets]
    bet = "66%"
    raise = "3x"
    [boards]
    flops = "subset:12"
    turns = 4
    rivers = 4

Seats are those of spots: the big blind, out of position after the flop, is player 0, the small blind player 1.
docs/preflop.md has every key.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from pokerlab.bounds import SEED
from pokerlab.cards.deck import Deck
from pokerlab.cards.holes import classes, compatible
from pokerlab.cards.ranges import Range
from pokerlab.errors import BetSizeError, SpotError, shown
from pokerlab.game.bet_sizes import Size, parse_sizes
from pokerlab.reading import read_text, read_toml
from pokerlab.refine.preflop.tree import PreflopTree, preflop_tree
from pokerlab.refine.spots.keys import number, only, pair, range_at, table_at
from pokerlab.refine.spots.spot import KEYS as SPOT_KEYS
from pokerlab.refine.spots.spot import Spot, spot_of
from pokerlab.refine.spots.tree import PLAYERS

SEATS = ("big blind", "small blind")
_TABLES = ("big_blind", "small_blind")
_LONGEST = 1 << 20  # bytes of a file
# Of a spot's keys, those that the betting before the flop decides, and rake, with which nothing would add up to 0.
_DECIDED = {"board", "pot", "stacks", "blind", "state", "oop", "ip", "line", "lock", "rake", "rake_cap"}
_KEYS = {"stack", "blinds", "raises", "boards", *_TABLES, *(SPOT_KEYS - _DECIDED)}
_RE_RAISE = re.compile(r"([3-9])-bet")
RAISES = {"open": "2.5x, all-in", "3-bet": "3x, all-in", "4-bet": "all-in"}
AFTER = {"max_raises": 1, "bets": {"bet": "66%", "raise": "3x"}}
FLOPS, TURNS, RIVERS = "subset:12", 4, 4
_ANY_FLOP = "2c 7d Kh"  # a betting tree depends on none
_DECK = Deck()


@dataclass(frozen=True)
class Preflop:
    """`stack` is what both players have before the blinds (small, big) are posted, in whole chips.

    `raises` are sizes by raises so far: an open, a 3-bet, a 4-bet; the last also stands for all that follow. `limped`
    are those of the big blind over a limp. `after` has the keys of a spot file that say how to bet after the flop.
    `flops` are named as in `abstraction.flop_subsets`; `turns` and `rivers` are how many cards are drawn after each
    flop, and each turn, by `seed`. `ranges` (big blind, small blind) are what hands may be dealt at all.
    """

    stack: int
    blinds: tuple[int, int] = (50, 100)
    limp: bool = True
    raises: tuple[tuple[Size, ...], ...] = tuple(parse_sizes(text) for text in RAISES.values())
    limped: tuple[Size, ...] | None = None
    after: Mapping[str, Any] = field(default_factory=lambda: dict(AFTER))
    flops: str = FLOPS
    turns: int = TURNS
    rivers: int = RIVERS
    seed: int = 0
    ranges: tuple[Range, Range] = field(default_factory=lambda: (Range.random(), Range.random()))
    name: str = field(default="preflop", compare=False)

    def __post_init__(self) -> None:
        small, big = self.blinds
        if not 0 < small < big:
            raise SpotError(
                f"{self.name}: blinds are two amounts above 0, the smaller one first, not {small} and {big}"
            )
        if not big < self.stack:
            raise SpotError(f"{self.name}: the stack must be more than the big blind, {big}, not {self.stack}")
        for what, count, most in (("turns", self.turns, 49), ("rivers", self.rivers, 48)):
            if not 1 <= count <= most:
                raise SpotError(f"{self.name}: {what} are 1 to {most} cards, not {count}")
        for seat, hands in zip(SEATS, self.ranges, strict=True):
            if not np.array_equal(hands.grid().ravel()[classes()], hands.weights):
                raise SpotError(f"{self.name}: the range of the {seat} must not tell suits apart: AKs, not AhKh")
        if not self.matchups > 0:
            raise SpotError(f"{self.name}: no hand of one range can be dealt together with a hand of the other")
        for leaf in self.tree.flops[:1]:
            self.spot(leaf, _ANY_FLOP)  # or else an error of the bets after the flop, which are the same for all

    @property
    def matchups(self) -> float:
        """The weight of all pairs of hands that can be dealt together."""
        return float(self.ranges[0].weights @ compatible(self.ranges[1].weights))

    @cached_property
    def tree(self) -> PreflopTree:
        """Every line of betting before the flop, grown once."""
        over_limp = self.raises[0] if self.limped is None else self.limped
        return preflop_tree(self.stack, self.blinds, self.limp, self.raises, over_limp)

    def spot(self, node: int, board: str, ranges: tuple[Range, Range] | None = None) -> Spot:
        """The spot at a node where the flop is dealt; by default with the ranges that hands were dealt from."""
        behind, aggressor = self.stack - self.tree[node].put[0], self.tree.aggressor(node)
        hands = {who: {"range": given.text()} for who, given in zip(PLAYERS, ranges or self.ranges, strict=True)}
        decided = {"board": board, "pot": sum(self.tree[node].put), "stacks": behind, "blind": self.blinds[1]}
        state = {} if aggressor is None else {"state": {"aggressor": PLAYERS[aggressor]}}
        spot = spot_of({**self.after, **decided, **hands, **state}, self.name)
        if spot.street:
            raise SpotError(
                f"what follows the betting before it is a flop: three cards, not {len(spot.board)}", "board"
            )
        return spot

    def text(self) -> str:
        """The game as a file; read again, it is the same game."""
        lines = [f"stack = {self.stack}", f"blinds = [{self.blinds[0]}, {self.blinds[1]}]"]
        lines += _toml({key: value for key, value in self.after.items() if not isinstance(value, Mapping)})
        lines += ["[raises]", f"limp = {str(self.limp).lower()}"]
        for key, sizes in zip(("open", *(f"{n}-bet" for n in range(3, 10))), self.raises, strict=False):
            lines.append(f'{key} = "{", ".join(map(str, sizes))}"')
        if self.limped is not None:
            lines.append(f'limped = "{", ".join(map(str, self.limped))}"')
        lines += ["[boards]", f'flops = "{self.flops}"', f"turns = {self.turns}", f"rivers = {self.rivers}"]
        lines.append(f"seed = {self.seed}")
        for key, hands in zip(_TABLES, self.ranges, strict=True):
            lines += [f"[{key}]", f'range = "{hands.text()}"']
        lines += _toml({key: value for key, value in self.after.items() if isinstance(value, Mapping)})
        return "\n".join(lines) + "\n"


def read_preflop(path: str | Path) -> Preflop:
    """The game in a file."""
    return parse_preflop(read_text(path, most=_LONGEST, error=SpotError), Path(path).stem, Path(path).parent)


def parse_preflop(text: str, name: str = "preflop", folder: Path | None = None) -> Preflop:
    """The game that a file's text stands for; ranges in files of their own lie in a folder."""
    data = read_toml(text, f"{name}: not a preflop file", SpotError)
    only(data, _KEYS, name)
    if "stack" not in data:
        raise SpotError(f"{name}: a stack is needed, what both players have before the blinds, such as stack = 2000")
    raises, boards = table_at(data, "raises", name), table_at(data, "boards", name)
    only(boards, {"flops", "turns", "rivers", "seed"}, f"{name}, [boards]")
    flops, seed = boards.get("flops", FLOPS), boards.get("seed", 0)
    if not isinstance(flops, str) or '"' in flops:
        raise SpotError(f'{name}, [boards]: flops are named by a text such as "subset:25", not {shown(flops)}')
    SEED.check(seed, f"{name}, [boards]: seed", SpotError)
    limp = raises.get("limp", True)
    if not isinstance(limp, bool):
        raise SpotError(f"{name}, [raises]: limp is true or false, not {shown(limp)}")
    after = {key: data[key] for key in data if key in SPOT_KEYS}
    return Preflop(
        number(data["stack"], f"{name}: stack", whole=True),
        pair(data.get("blinds", [50, 100]), f"{name}: blinds"),
        limp,
        _steps(raises, f"{name}, [raises]"),
        _read_sizes(raises, "limped", f"{name}, [raises]") if "limped" in raises else None,
        AFTER | after,
        flops,
        number(boards.get("turns", TURNS), f"{name}, [boards]: turns", whole=True),
        number(boards.get("rivers", RIVERS), f"{name}, [boards]: rivers", whole=True),
        seed,
        tuple(range_at(data, key, name, folder) if key in data else Range.random() for key in _TABLES),  # type: ignore[arg-type]
        name,
    )


def _steps(raises: Mapping[str, Any], where: str) -> tuple[tuple[Size, ...], ...]:
    """Sizes of an open, a 3-bet and so on; those that are not given are the usual ones, and all-in after them."""
    most = max((int(match[1]) for key in raises if (match := _RE_RAISE.fullmatch(key))), default=4)
    again = [f"{n}-bet" for n in range(3, max(4, most) + 1)]
    only(raises, {"limp", "limped", "open", *again}, where)
    given = {**dict.fromkeys(again, "all-in"), **RAISES, **raises}
    return tuple(_read_sizes(given, key, where) for key in ("open", *again))


def _read_sizes(raises: Mapping[str, Any], key: str, where: str) -> tuple[Size, ...]:
    text = raises.get(key)
    if not isinstance(text, str):
        raise SpotError(f'{where}: {key} has sizes such as "2.5x, all-in", not {shown(text)}')
    try:
        return parse_sizes(text)
    except BetSizeError as error:
        raise SpotError(f"{where}, {key}: {error}") from None


def _toml(tables: Mapping[str, Any], under: str = "") -> list[str]:
    """Keys and tables of texts, numbers and truths as lines of a file."""
    lines, inner = [], []
    for key, value in tables.items():
        if isinstance(value, Mapping):
            inner += [f"[{under}{key}]", *_toml(value, f"{under}{key}.")]
        else:
            told = f'"{value}"' if isinstance(value, str) else str(value).lower()
            lines.append(f"{key} = {told}")
    return lines + inner
