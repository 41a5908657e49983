"""Players at our own dealer, each in a process of its own that joins over TCP as a stranger would.

A player is an agent, or a program that is given host and port: `program:./startme.sh`, as the competition's are.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import IO

from pokerlab.errors import COMPLAINT, PokerlabError
from pokerlab.writing import why

PROGRAM = "program:"
_GRACE_SECONDS = 5.0  # for players to notice that the match is over, before they are stopped


def local_names(specs: Sequence[str], players: int) -> list[str]:
    """Local agents are named after their specs, in characters that a log can hold; all names are different."""
    names: list[str] = []
    for seat in range(players):
        name = re.sub(r"[\s:|,]", "_", specs[seat]) if seat < len(specs) else f"p{seat + 1}"
        names.append(name if name not in names else f"{name}.{seat + 1}")
    return names


def seat_ports(text: str, local: int, players: int) -> list[int]:
    """A port a seat: any for the local agents, unless all are given, and the given ones for the others."""
    waiting = players - local
    if waiting < 0:
        raise PokerlabError(f"the game is for {players} players, got {local} agents")
    words = text.split(",") if text else ["0"] * waiting
    if len(words) not in (waiting, players) or not all(re.fullmatch("[0-9]{1,5}", word) for word in words):
        raise PokerlabError(f"--ports must have a number for each of the {waiting} seats without agents, not {text!r}")
    return [0] * (players - len(words)) + [int(word) for word in words]


class LocalPlayers:
    """A context: at its end players have some seconds to notice that the match is over, and then are stopped."""

    def __init__(self, names: Sequence[str], game: str, fixed_seats: bool = False) -> None:
        self._names = names
        self._table = [f"--game={game}", f"--names={','.join(names)}", *(["--fixed-seats"] if fixed_seats else [])]
        self._players: list[subprocess.Popen] = []
        self._listeners: list[threading.Thread] = []
        self._complaints: dict[int, str] = {}

    def start(self, spec: str, host: str, port: int, seed: int) -> None:
        """Let an agent or a program join the dealer at this port."""
        where = ["127.0.0.1" if host in ("", "0.0.0.0") else host, str(port)]
        if spec.startswith(PROGRAM):
            command = [os.path.abspath(spec.removeprefix(PROGRAM)), *where]
        else:
            # -P: what lies in the current folder is not imported by accident; an agent's module is, by its name.
            command = [sys.executable, "-P", "-m", "pokerlab", "join", *where, f"--agent={spec}", f"--seed={seed}"]
            command += self._table
        try:
            player = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                start_new_session=spec.startswith(PROGRAM),  # what a script starts is stopped with it
            )
        except OSError as error:
            raise PokerlabError(f"cannot start {spec}: {why(error)}") from None
        assert player.stderr is not None
        listener = threading.Thread(target=self._listen, args=(len(self._players), player.stderr), daemon=True)
        self._players.append(player)
        self._listeners.append(listener)
        listener.start()

    def _listen(self, seat: int, said: IO[bytes]) -> None:
        """Pass on what a player says on standard error, but keep why it ended."""
        for line in said:
            text = line.decode(errors="replace")
            if text.startswith(COMPLAINT):
                self._complaints[seat] = text.removeprefix(COMPLAINT).rstrip()
            else:
                sys.stderr.write(text)

    def missing(self) -> str:
        """Which players have ended although the match has not begun, and why."""
        ended = [name for name, player in zip(self._names, self._players, strict=False) if player.poll() is not None]
        return "; ".join(f"{name} did not start: {self.why(name)}" for name in ended)

    def why(self, name: str | None) -> str:
        """Why a player ended before the match did; nothing, if it is none of ours or was stopped by us."""
        seat = self._names.index(name) if name in self._names else len(self._players)
        if seat >= len(self._players):
            return ""
        self._listeners[seat].join(_GRACE_SECONDS)
        code = self._players[seat].poll()
        told = "" if not code or code == -signal.SIGKILL else f"its process ended with exit code {code}"
        return self._complaints.get(seat, told)

    def __enter__(self) -> LocalPlayers:
        return self

    def __exit__(self, *_: object) -> None:
        for player in self._players:
            try:
                player.wait(_GRACE_SECONDS)
            except subprocess.TimeoutExpired:
                if os.getpgid(player.pid) == player.pid:
                    os.killpg(player.pid, signal.SIGKILL)
                player.kill()
                player.wait()
