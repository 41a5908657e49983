"""The official dealer's command line, in the words of ours.

    dealer m leduc.game 100 1 Alice Bob -f --t_response 500
    dealer --name m --game leduc.game --hands 100 --seed 1 --names Alice,Bob --log m.log --fixed-seats ...

Its options may stand anywhere, as there, and ours beside them. It writes a log unless told not to (-l), and
transactions if told to (-T), named after the match.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from getopt import GetoptError, gnu_getopt

import click

from pokerlab.errors import PokerlabError, shown
from pokerlab.match.local_players import PROGRAM

_MILLISECONDS = {
    "--t_response": "--response-seconds",
    "--t_hand": "--hand-seconds",
    "--t_per_hand": "--match-seconds-a-hand",
    "--start_timeout": "--start-seconds",
}
_WITHOUT_END = 1e8  # seconds: the longest that can be asked for
_FLAGS = {"-f": "--fixed-seats", "-a": "--append", "-S": "--show-folded"}


def is_official(args: Sequence[str]) -> bool:
    """Whether a command line is the official one: it begins with a word, or with an option that ours does not have."""
    return bool(args) and args[0] not in ("-h", "--help") and (
        not args[0].startswith("--") or args[0].partition("=")[0] in _MILLISECONDS
    )  # fmt: skip


def in_our_words(args: Sequence[str], ours: Iterable[click.Parameter], *, with_programs: bool = False) -> list[str]:
    """Our command line for an official one; `with_programs`: that of play_match, a program behind each player."""
    long = [name.removeprefix("--") + "=" for name in _MILLISECONDS]
    for known in ours:
        if isinstance(known, click.Option):
            long += [name.removeprefix("--") + ("" if known.is_flag else "=") for name in known.opts]
    try:
        options, words = gnu_getopt(list(args), "p:faSlLtTq", [*long, "help"])
    except GetoptError as error:
        official = f"-p -f -a -S -l -L -t -T -q and {', '.join(_MILLISECONDS)}"
        raise PokerlabError(f"{error}: the official dealer's options are {official}") from None
    if ("--help", "") in options:
        return ["--help"]
    players = words[4:]
    if len(words) < 5 or (with_programs and len(players) % 2):
        each = "PLAYER PROGRAM..." if with_programs else "PLAYER..."
        raise PokerlabError(
            f"NAME GAME HANDS SEED {each} are expected, not {shown(' '.join(words))}; agents go behind --agents"
        )
    name, game, hands, seed = words[:4]
    said = [f"--name={name}", f"--game={game}", f"--hands={hands}", f"--seed={seed}"]
    if with_programs:
        said += [f"--agents={PROGRAM}{program}" for program in players[1::2]]
        players = players[::2]
    said.append(f"--names={','.join(players)}")
    files = {"log": True, "tlog": False}
    for option, value in options:
        match option:
            case "-p":
                said.append(f"--ports={value}")
            case "-l" | "-L":
                files["log"] = option == "-L"
            case "-t" | "-T":
                files["tlog"] = option == "-T"
            case "-q":  # we never say more
                pass
            case "-f" | "-a" | "-S":
                said.append(_FLAGS[option])
            case milliseconds if milliseconds in _MILLISECONDS:
                said.append(f"{_MILLISECONDS[option]}={_seconds(option, value)}")
            case _:
                said.append(f"{option}={value}" if value else option)
    if files["log"] and not any(word.startswith("--log=") for word in said):
        said.append(f"--log={name}.log")
    return [*said, f"--transactions={name}.tlog"] if files["tlog"] else said


def _seconds(option: str, milliseconds: str) -> str:
    """Seconds; a negative number is no limit."""
    try:
        seconds = float(milliseconds) / 1000
    except ValueError:
        raise PokerlabError(f"{option}: milliseconds are expected, not {shown(milliseconds)}") from None
    return f"{_WITHOUT_END if seconds < 0 else seconds:.12g}"
