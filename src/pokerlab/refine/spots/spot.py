"""A hold'em spot: board, pot, stacks, ranges and bet sizes, as one readable file.

    board = "Qs Jh 2h 4c"
    pot = 200
    stacks = 900
    [oop]
    range = "random"
    [ip]
    range = "AA-22, AK, AQs"
    [bets]
    bet = "50%, 100%, all-in"
    raise = "60%, all-in"

The player out of position (`oop`, player 0) acts first on every street. docs/spots.md has every key.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from pokerlab.bounds import CHIPS
from pokerlab.cards.deck import Deck
from pokerlab.cards.holes import compatible, possible
from pokerlab.cards.ranges import Range
from pokerlab.errors import CardError, SpotError, shown
from pokerlab.game.bet_sizes import ALL_IN, Size
from pokerlab.reading import read_text, read_toml
from pokerlab.refine.spots.keys import about, entries, number, only, pair, range_at, range_of, table_at
from pokerlab.refine.spots.tree import (
    NO_THRESHOLDS,
    PLAYERS,
    POSTFLOP,
    BettingTree,
    Edit,
    Sizes,
    Start,
    Thresholds,
    betting_tree,
    line_words,
)
from pokerlab.refine.spots.tree_keys import edit_of, sizes_of, thresholds_of

NAMES = ("the player out of position", "the player in position")
_DECK = Deck()
LONGEST = 4 << 20  # bytes of a file: some hundred ranges
KEYS = {
    "board", "pot", "stacks", "rake", "rake_cap", "max_raises", "blind", "state", "oop", "ip", "bets", "line", "lock",
}  # fmt: skip


class NoHand(SpotError):
    """A board that leaves a player no hand, or both none that can be dealt together."""


@dataclass(frozen=True)
class Lock:
    """Fixed play at one node. `line` are the actions that lead there, with cards (`7d`, or `deal` for any card);
    `play` gives actions a probability for all hands, or a range whose weights are probabilities. Hands that no action
    names stay free; the others' probabilities are scaled to 1.
    """

    line: tuple[str, ...]
    play: Mapping[str, Range | float]


@dataclass(frozen=True)
class Spot:
    """`stacks` are chips behind. `bets` lie in front already; with none, `to_act` 1 means that player 0 has checked.
    `blind` is the least bet, 0 for a chip; `aggressor` who bet or raised last on the street before, if anybody.
    """

    board: tuple[int, ...]
    pot: int
    stacks: tuple[int, int]
    ranges: tuple[Range, Range]
    sizes: Mapping[tuple[int, int], Sizes]  # by street (0 is the flop) and player
    bets: tuple[int, int] = (0, 0)
    to_act: int = 0
    rake: float = 0.0
    rake_cap: float = math.inf
    max_raises: int | None = None
    blind: int = 0
    locks: tuple[Lock, ...] = ()
    name: str = field(default="spot", compare=False)
    aggressor: int | None = None
    thresholds: Thresholds = NO_THRESHOLDS
    edits: tuple[Edit, ...] = ()

    def __post_init__(self) -> None:
        _check_board(self.board)
        _check_chips(self)
        for player, name in enumerate(NAMES):
            weights = self.ranges[player].weights
            if not weights.any():
                raise SpotError(f"the range of {name} is empty", f"{PLAYERS[player]}.range")
            if not self.weights(player).any():
                raise NoHand(
                    f"the range of {name} has no hand that the board {_DECK.text(self.board)} leaves possible",
                    f"{PLAYERS[player]}.range",
                )
        if self.matchups <= 0:
            raise NoHand("no hand of one range can be dealt together with a hand of the other")
        for street in range(self.street, len(POSTFLOP)):
            for player in range(2):
                if (street, player) not in self.sizes:
                    raise SpotError(f"no bet sizes for {NAMES[player]} on the {POSTFLOP[street]}")
        for what, threshold in self.thresholds._asdict().items():
            if not 0 <= threshold < math.inf:
                raise SpotError(f"{what} is a number from 0 (never) on, not {threshold}")
        to_come = {key: sizes for key, sizes in sorted(self.sizes.items()) if key[0] >= self.street}
        object.__setattr__(self, "sizes", to_come)

    @property
    def street(self) -> int:
        """0 for the flop, 1 for the turn, 2 for the river."""
        return len(self.board) - 3

    @property
    def total(self) -> int:
        """The pot with the bets in front."""
        return self.pot + sum(self.bets)

    @property
    def start(self) -> Start:
        """Where the betting begins."""
        stack = min(stack + bet for stack, bet in zip(self.stacks, self.bets, strict=True))
        return Start(self.street, self.pot, stack, self.bets, self.to_act, self.blind, self.max_raises, self.aggressor)

    def weights(self, player: int) -> np.ndarray:
        """The weights of a player's 1,326 hands, 0 where the board has one of the cards."""
        return np.where(possible(self.board), self.ranges[player].weights, 0.0)

    @property
    def matchups(self) -> float:
        """The weight of all pairs of hands that can be dealt together."""
        first, second = self.weights(0), self.weights(1)
        return float(first @ compatible(second))

    def tree(self) -> BettingTree:
        """Every line of betting, grown once."""
        return self._tree

    @cached_property
    def _tree(self) -> BettingTree:
        return betting_tree(self.start, self.sizes, self.thresholds, self.edits)

    def text(self) -> str:
        """The spot as a file; read again, it is the same spot."""
        return "\n".join(_lines(self)) + "\n"


def as_once_solved(spot: Spot) -> Spot:
    """The spot as solutions of version 1 were made of it: where that makes another tree, to the nearest chip."""

    def once(part: tuple[Size, ...]) -> tuple[Size, ...]:
        return tuple(size if size == ALL_IN else size._replace(nearest=True) for size in part)

    sizes = {key: both._replace(bets=once(both.bets), raises=once(both.raises)) for key, both in spot.sizes.items()}
    nearest = replace(spot, sizes=sizes)
    return spot if spot.tree() == nearest.tree() else nearest


def read_spot(path: str | Path) -> Spot:
    """The spot in a file."""
    return parse_spot(read_text(path, most=LONGEST, error=SpotError), Path(path).stem, Path(path).parent)


def parse_spot(text: str, name: str = "spot", folder: Path | None = None) -> Spot:
    """The spot that a file's text stands for; ranges in files of their own lie in a folder."""
    return spot_of(read_toml(text, f"{name}: not a spot file", SpotError), name, folder)


def spot_of(data: Mapping[str, Any], name: str = "spot", folder: Path | None = None) -> Spot:
    """The spot of a file's keys and tables."""
    only(data, KEYS, name)
    with about("board"):
        cards = _board(data, name)
    with about("state"):
        bets, to_act, aggressor = _state(table_at(data, "state", name), name)
    with about("pot"):
        pot = number(data.get("pot"), f"{name}: pot", whole=True)
    with about("stacks"):
        stacks = pair(data.get("stacks"), f"{name}: stacks")
    with about("rake"):
        rake = number(data.get("rake", 0.0), f"{name}: rake")
        cap = number(data.get("rake_cap", math.inf), f"{name}: rake_cap")
    with about("max_raises"):
        raises = None if "max_raises" not in data else number(data["max_raises"], f"{name}: max_raises", whole=True)
    with about("blind"):
        blind = number(data.get("blind", 0), f"{name}: blind", whole=True)
    with about("lock"):
        locks = tuple(_lock(entry, name, folder) for entry in entries(data, "lock", name))
    with about("bets"):
        table = table_at(data, "bets", name)
        sizes, thresholds = sizes_of(table, len(cards) - 3, name), thresholds_of(table, name)
    with about("line"):
        edits = tuple(edit_of(entry, name) for entry in entries(data, "line", name))
    ranges = range_at(data, "oop", name, folder), range_at(data, "ip", name, folder)
    return Spot(
        cards, pot, stacks, ranges, sizes, bets, to_act, rake, cap, raises, blind, locks, name, aggressor, thresholds,
        edits,
    )  # fmt: skip


def _board(data: Mapping[str, Any], name: str) -> tuple[int, ...]:
    board = data.get("board")
    if not isinstance(board, str):
        raise SpotError(f'{name}: a spot needs a board, such as board = "Qs Jh 2h 4c"')
    try:
        cards = _DECK.cards(board)
    except CardError as error:
        raise SpotError(f"{name}: board: {error}") from None
    _check_board(cards)
    return cards


def _state(state: Mapping[str, Any], name: str) -> tuple[tuple[int, int], int, int | None]:
    """The bets in front, who acts, and who bet last on the street before."""
    only(state, {"bets", "to_act", "aggressor"}, f"{name}, [state]")
    bets = pair(state.get("bets", 0), f"{name}: bets in [state]")
    behind = int(bets[0] > bets[1])  # who has less in front acts
    to_act = state.get("to_act", PLAYERS[behind])
    if to_act not in PLAYERS:
        raise SpotError(f"{name}: to_act is oop or ip, not {to_act!r}")
    aggressor = state.get("aggressor")
    if aggressor not in (None, *PLAYERS):
        raise SpotError(f"{name}: aggressor is oop or ip, who bet last on the street before, not {shown(aggressor)}")
    return bets, PLAYERS.index(to_act), None if aggressor is None else PLAYERS.index(aggressor)


def _check_board(board: tuple[int, ...]) -> None:
    if not 3 <= len(board) <= 5 or len(set(board)) < len(board) or not all(0 <= card < 52 for card in board):
        raise SpotError(f"a board has three to five different cards, not {len(board)}")


def _check_chips(spot: Spot) -> None:
    # A player may be all-in with a bet that is not answered yet.
    stacks = zip((f"the stack of {name}" for name in NAMES), spot.stacks, spot.bets, ("stacks",) * 2, strict=True)
    for what, chips, bet, key in (("the pot", spot.pot, 0, "pot"), *stacks):
        if chips < 0 or not chips + bet > 0:
            raise SpotError(f"{what} must be positive, not {chips}", key)
    if not 0 <= spot.rake < 1 or not spot.rake_cap >= 0:
        raise SpotError(
            f"rake is a part of the pot from 0 to 1, and its cap not negative: {spot.rake}, {spot.rake_cap}", "rake"
        )
    with about("state"):
        _check_bets(spot)
    for what, amounts in (("pot", (spot.pot,)), ("stacks", spot.stacks), ("bets", spot.bets), ("blind", (spot.blind,))):
        for amount in amounts:
            with about("state" if what == "bets" else what):
                CHIPS.check(amount, what, SpotError)
    start = spot.start
    if not 0 <= spot.blind < max(1, start.pot // 2 + start.stack):
        raise SpotError(f"the blind must be 0 or more, and less than a player's chips, not {spot.blind}", "blind")
    if spot.max_raises is not None and spot.max_raises < 0:
        raise SpotError(f"max_raises must not be negative, not {spot.max_raises}", "max_raises")


def _check_bets(spot: Spot) -> None:
    low, high = sorted(spot.bets)
    if low < 0 or (low == high > 0):
        raise SpotError(f"bets in front must not be negative, and not equal unless there are none: {spot.bets}")
    if low < high and spot.bets[spot.to_act] != low:
        raise SpotError(f"{NAMES[1 - spot.to_act]} has less in front and acts, not {NAMES[spot.to_act]}")
    if low < high > min(stack + bet for stack, bet in zip(spot.stacks, spot.bets, strict=True)):
        raise SpotError(f"a bet of {high} is more than the other player can call; leave out what is over")


def _lock(entry: Any, name: str, folder: Path | None) -> Lock:
    where = f"{name}, [[lock]]"
    if not isinstance(entry, Mapping) or not isinstance(entry.get("line", ""), str):
        raise SpotError(f'{where}: write line = "check, bet 100" and play = {{ fold = "22-55", call = 0.5 }}')
    only(entry, {"line", "play"}, where)
    play: dict[str, Range | float] = {}
    for action, how in table_at(entry, "play", where).items():
        try:
            play[action] = range_of(how, folder) if isinstance(how, str) else float(number(how, f"{where}: {action}"))
        except CardError as error:
            raise SpotError(f"{where}, {action}: {error}") from None
        if not isinstance(how, str) and not 0 <= how <= 1:
            raise SpotError(f"{where}: {action} is a probability or a range, not {how}")
    return Lock(line_words(entry.get("line", "")), play)


def _lines(spot: Spot) -> list[str]:
    lines = [f'board = "{_DECK.text(spot.board)}"', f"pot = {spot.pot}", f"stacks = {list(spot.stacks)}"]
    if spot.rake:
        lines.append(f"rake = {spot.rake}")
    if spot.rake_cap < math.inf:
        lines.append(f"rake_cap = {spot.rake_cap}")
    if spot.max_raises is not None:
        lines.append(f"max_raises = {spot.max_raises}")
    if spot.blind:
        lines.append(f"blind = {spot.blind}")
    lines += ["[state]", f"bets = {list(spot.bets)}", f'to_act = "{PLAYERS[spot.to_act]}"']
    if spot.aggressor is not None:
        lines.append(f'aggressor = "{PLAYERS[spot.aggressor]}"')
    for player, who in enumerate(PLAYERS):
        lines += [f"[{who}]", f'range = "{spot.ranges[player].text()}"']
    if spot.thresholds != NO_THRESHOLDS:
        lines += ["[bets]", *(f"{key} = {float(value)!r}" for key, value in spot.thresholds._asdict().items())]
    for (street, player), sizes in sorted(spot.sizes.items()):
        lines += [f"[bets.{POSTFLOP[street]}.{PLAYERS[player]}]", f'bet = "{", ".join(map(str, sizes.bets))}"',
                  f'raise = "{", ".join(map(str, sizes.raises))}"']  # fmt: skip
        if sizes.donks is not None:
            lines.append(f'donk = "{", ".join(map(str, sizes.donks))}"')
    for edit in spot.edits:
        lines += ["[[line]]", f'{"at" if edit.how == "sizes" else edit.how} = "{", ".join(edit.line)}"']
        if edit.how == "sizes":
            lines.append(f'sizes = "{", ".join(map(str, edit.sizes))}"')
    for lock in spot.locks:
        lines += ["[[lock]]", f'line = "{", ".join(lock.line)}"', "[lock.play]"]
        lines += [f'"{action}" = ' + (f'"{how.text()}"' if isinstance(how, Range) else repr(how))
                  for action, how in lock.play.items()]  # fmt: skip
    return lines
