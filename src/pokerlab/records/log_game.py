"""Which game a log is of, and the header that tells it.

The official dealer's header names its game file. Ours names the game as the catalogue does; where that would not lead
back to the same rules everywhere, the game definition follows in comments. Some logs have no header: then their hands
must tell.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from pokerlab.errors import LogError, PokerlabError
from pokerlab.game.catalog import CATALOG, rules_of
from pokerlab.game.rules import Rules, parse_rules

HEADER = "# name/game/hands/seed "


def find_rules(path: Path, header: Sequence[str], sample: Sequence[str], fits: Callable[[Rules, str], bool]) -> Rules:
    """The game of a log: by the definition in its header, the game named there, or the most of its first hands."""
    comments = [line.removeprefix("#").strip() for line in header]
    words = next((line.split() for line in header if line.startswith(HEADER)), [])
    name = words[-3] if len(words) >= 5 else ""
    if "GAMEDEF" in comments:
        try:
            return parse_rules("\n".join(comments[comments.index("GAMEDEF") :]), file_name(name))
        except PokerlabError as error:
            raise LogError(f"{path}, header: {error}") from None
    if name and (rules := _named_game(name)):
        return rules
    fitting = {name: sum(fits(rules, line) for line in sample) for name, rules in _games().items()}
    best = max(fitting, key=lambda name: fitting[name])
    if not fitting[best]:
        raise LogError(f"cannot tell the game of {path}: no header names one and no hand fits a known one; name it")
    return _games()[best]


@lru_cache(maxsize=1)
def _games() -> dict[str, Rules]:
    """The competition's game files, by their names."""
    heads_up = rules_of("holdem-nolimit")
    three = replace(
        heads_up, blinds=(50, 100, 0), first=(2, 0, 0, 0), stacks=(20000,) * 3,
        name="holdem.nolimit.3p.game",
    )  # fmt: skip
    return {
        "holdem.nolimit.2p.reverse_blinds.game": heads_up,
        "holdem.limit.2p.reverse_blinds.game": rules_of("holdem-limit"),
        "holdem.limit.3p.game": rules_of("holdem-limit-3p"),
        "holdem.nolimit.3p.game": three,
        "kuhn.limit.3p.game": rules_of("kuhn-3p"),
        "leduc.limit.2p.game": rules_of("leduc"),
    }


def file_name(game: str) -> str:
    """The last part of a path, also of one written on another system; a catalogue's name as it is."""
    return re.split(r"[/\\]", game)[-1]


def _named_game(word: str) -> Rules | None:
    """The game of a header's word: the name of one of the competition's files, or anything the catalogue knows."""
    known = _games().get(file_name(word))
    if known is not None:
        return known
    try:
        return rules_of(word, own=False)
    except PokerlabError:
        return None


def log_header(rules: Rules, name: str = "match", hands: int = 0, seed: int = 0) -> tuple[str, ...]:
    """Comment lines as the official dealer writes them, and the game definition where its name would not tell it."""
    game = re.sub(r"\s", "_", file_name(rules.name)) or "game"
    lines = [f"{HEADER}{'_'.join(name.split()) or 'match'} {game} {hands} {seed}"]
    lines += ["#--t_response 600000", "#--t_hand 600000", "#--t_per_hand 7000"]
    # A game file that is here now need not be where the log is read.
    if _named_game(game) != rules or (game.partition(":")[0] not in CATALOG and game not in _games()):
        lines += [f"# {line}" for line in rules.text().splitlines()]
    return tuple(lines)
