"""Both ends of the protocol in plain sockets, in the manner of the official example player and dealer.

Nothing of pokerlab is used here, so that a mistake cannot be made twice and cancel.
"""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Callable, Iterable

FIRST = {2: (0, 0), 4: (1, 0, 0, 0)}  # who acts first in each round, heads-up, by number of rounds


def to_act(line: str, rounds: int) -> bool:
    """Whether a MATCHSTATE line asks a heads-up player for an action."""
    _, position, _, betting, cards = line.split(":")[:5]
    holes = cards.split("/")[0].split("|")
    if "f" in betting or all(holes):
        return False
    streets = betting.split("/")
    done = len(re.findall("[cr]", streets[-1]))
    return (FIRST[rounds][len(streets) - 1] + done) % 2 == int(position)


class PlainPlayer(threading.Thread):
    """Connects, sends its version, and answers with `answer(line, how many it has answered)`.

    An answer is bytes to send, or several to be sent piece by piece, or None to stop answering for good;
    ConnectionAbortedError in it closes the connection. `lines` is what the dealer sent.
    """

    def __init__(
        self,
        port: int,
        rounds: int,
        answer: Callable[[str, int], bytes | Iterable[bytes] | None],
        version: bytes = b"VERSION:2.0.0\r\n",
    ) -> None:
        super().__init__(daemon=True)
        self.port, self.rounds, self.answer, self.version = port, rounds, answer, version
        self.lines: list[str] = []

    def run(self) -> None:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=30) as sock, sock.makefile("rb") as lines:
                self.sock = sock
                sock.sendall(self.version)
                answered, silent = 0, False
                for raw in lines:
                    assert raw.endswith(b"\r\n")
                    line = raw.decode().rstrip("\r\n")
                    self.lines.append(line)
                    if silent or not to_act(line, self.rounds):
                        continue
                    reply = self.answer(line, answered)
                    answered, silent = answered + 1, reply is None
                    for piece in [reply] if isinstance(reply, bytes) else reply or []:
                        sock.sendall(piece)
        except OSError:
            pass  # the dealer has gone, or the player was told to go

    def finished_hands(self) -> int:
        """How many hands it was told the end of."""
        numbers = set()
        for line in self.lines:
            _, _, number, betting, cards = line.split(":")
            if "f" in betting or all(cards.split("/")[0].split("|")):
                numbers.add(number)
        return len(numbers)


class PlainDealer(threading.Thread):
    """Deals the hands of an official heads-up log to one player, expecting what the log says that it did.

    The player is the log's second: in position 1 of hand 0, 0 of hand 1, and so on.
    """

    def __init__(self, states: list[str], rounds: int, newline: str = "\r\n") -> None:
        super().__init__(daemon=True)
        self.states, self.rounds, self.newline = states, rounds, newline
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        self.wrong: list[str] = []

    def run(self) -> None:
        try:
            with self.server, self.server.accept()[0] as sock, sock.makefile("rwb") as player:
                sock.settimeout(30)
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                if player.readline() != b"VERSION:2.0.0\r\n":
                    self.wrong.append("version")
                player.write(f"# a comment{self.newline}; another{self.newline}{self.newline}".encode())
                for state in self.states:
                    self._deal(player, state)
        except OSError:
            self.wrong.append("the player has gone")

    def _deal(self, player, state: str) -> None:
        _, number, betting, cards = state.split(":")[:4]
        position = (1 + int(number)) % 2
        words = re.findall(r"[fc]|r[0-9]*", betting)
        done = ""
        for word in words:
            line = self._line(position, number, done, cards)
            player.write(f"{line}{self.newline}".encode())
            player.flush()
            if to_act(line, self.rounds):
                answer = player.readline().decode()
                if answer != f"{line}:{word}\r\n":
                    self.wrong.append(f"{answer!r} instead of {line}:{word}")
            done += word
            done += re.match("/*", betting[len(done) :])[0]
        player.write(f"{self._line(position, number, done, cards, 'f' not in done)}{self.newline}".encode())
        player.flush()

    def _line(self, position: int, number: str, done: str, cards: str, showdown: bool = False) -> str:
        holes, *boards = cards.split("/")
        if not showdown:
            holes = "|".join(hole if seat == position else "" for seat, hole in enumerate(holes.split("|")))
        return f"MATCHSTATE:{position}:{number}:{done}:{'/'.join([holes, *boards[: done.count('/')]])}"
