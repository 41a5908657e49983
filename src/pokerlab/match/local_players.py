"""Agents at our own dealer, each in a process of its own that joins over TCP as a stranger would."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence

from pokerlab.errors import PokerlabError

_GRACE_SECONDS = 5.0  # for players to notice that the match is over, before they are stopped


def local_names(specs: Sequence[str], players: int) -> list[str]:
    """Local agents are named after their specs, in characters that a log can hold; all names are different."""
    names: list[str] = []
    for seat in range(players):
        name = re.sub(r"[\s:|,]", "_", specs[seat]) if seat < len(specs) else f"p{seat + 1}"
        names.append(name if name not in names else f"{name}.{seat + 1}")
    return names


def seat_ports(text: str, local: int, players: int) -> list[int]:
    """A port a seat: any for the local agents, the given ones for the others."""
    waiting = players - local
    if waiting < 0:
        raise PokerlabError(f"the game is for {players} players, got {local} agents")
    words = text.split(",") if text else ["0"] * waiting
    if len(words) != waiting or not all(re.fullmatch("[0-9]{1,5}", word) for word in words):
        raise PokerlabError(f"--ports must have a number for each of the {waiting} seats without agents, not {text!r}")
    return [0] * local + [int(word) for word in words]


class LocalPlayers:
    """A context: at its end players have some seconds to notice that the match is over, and then are stopped."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._players: list[subprocess.Popen] = []

    def start(self, spec: str, game: str, host: str, port: int, seed: int) -> None:
        """Let an agent join the dealer at this port."""
        near = "127.0.0.1" if host in ("", "0.0.0.0") else host
        command = [sys.executable, "-m", "pokerlab", "join", near, str(port), f"--agent={spec}", f"--game={game}"]
        self._players.append(
            subprocess.Popen(
                [*command, f"--seed={seed}", f"--names={','.join(self._names)}"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )
        )

    def missing(self) -> str:
        """Which players have ended although the match has not begun; they have said why on standard error."""
        ended = [name for name, player in zip(self._names, self._players, strict=False) if player.poll() is not None]
        return f"{', '.join(ended)} did not start" if ended else ""

    def __enter__(self) -> LocalPlayers:
        return self

    def __exit__(self, *_: object) -> None:
        for player in self._players:
            try:
                player.wait(_GRACE_SECONDS)
            except subprocess.TimeoutExpired:
                player.kill()
                player.wait()
