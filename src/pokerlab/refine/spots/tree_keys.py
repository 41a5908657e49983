"""The keys of a spot file that make its tree: `[bets]` with sizes and thresholds, and `[[line]]` with changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pokerlab.errors import SpotError
from pokerlab.refine.spots.keys import about, number, only, table_at
from pokerlab.refine.spots.tree import PLAYERS, POSTFLOP, Edit, Sizes, Thresholds, line_words, parse_part


def sizes_of(table: Mapping[str, Any], first: int, name: str) -> dict[tuple[int, int], Sizes]:
    """Sizes of `[bets]` by street and player: those of a player on a street go before those of the street and those of
    all.
    """
    kinds = {"bet", "raise", "donk"}
    only(table, {*kinds, *Thresholds._fields, *POSTFLOP}, f"{name}, [bets]")
    sizes = {}
    for street in range(first, len(POSTFLOP)):
        by_street = table_at(table, POSTFLOP[street], f"{name}, [bets]")
        only(by_street, {*kinds, *PLAYERS}, f"{name}, [bets.{POSTFLOP[street]}]")
        for player, who in enumerate(PLAYERS):
            own = table_at(by_street, who, f"{name}, [bets.{POSTFLOP[street]}]")
            only(own, kinds if player == 0 else kinds - {"donk"}, f"{name}, [bets.{POSTFLOP[street]}.{who}]")
            texts = {key: own.get(key, by_street.get(key, table.get(key))) for key in ("bet", "raise", "donk")}
            if player or texts["donk"] is None:
                del texts["donk"]
            for key, text in texts.items():
                if not isinstance(text, str):
                    raise SpotError(
                        f'{name}: [bets] needs {key} sizes for the {POSTFLOP[street]}, such as "50%, all-in"'
                    )
            where = f"{name}, {POSTFLOP[street]}"
            with about(f"bets.{POSTFLOP[street]}"):
                sizes[street, player] = Sizes.parse(texts["bet"], texts["raise"], where, texts.get("donk"))
    return sizes


def thresholds_of(table: Mapping[str, Any], name: str) -> Thresholds:
    """Those of `[bets]`."""
    return Thresholds(*(float(number(table.get(key, 0.0), f"{name}, [bets]: {key}")) for key in Thresholds._fields))


def edit_of(entry: Any, name: str) -> Edit:
    """A change of the tree, `[[line]]`."""
    where = f"{name}, [[line]]"
    if not isinstance(entry, Mapping) or sum(key in entry for key in ("add", "remove", "at")) != 1:
        raise SpotError(
            f'{where}: write add = "check, bet 150", remove = "check, all-in", or at = "check" and sizes = "33%"'
        )
    only(entry, {"add", "remove", "at", "sizes"}, where)
    how = next(key for key in ("add", "remove", "at") if key in entry)
    if ("sizes" in entry) != (how == "at") or not all(isinstance(value, str) for value in entry.values()):
        raise SpotError(f'{where}: at = "check" comes with sizes = "33%", add and remove without; all are texts')
    words = line_words(entry[how])
    if how == "at":
        return Edit("sizes", words, parse_part(entry["sizes"], f"{where} sizes"))
    if not words:
        raise SpotError(f'{where}: {how} needs a line that ends with a bet or raise, such as "check, bet 150"')
    return Edit(how, words)
