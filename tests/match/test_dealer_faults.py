"""200 matches over loopback with players that die, stall, leave or talk nonsense: the dealer outlives them all."""

import contextlib
import gc
import itertools
import os
import random
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from acpc_players import PlainPlayer
from pokerlab.agents.simple import Call
from pokerlab.game.catalog import rules_of
from pokerlab.match.client import join
from pokerlab.match.dealer import Dealer, Limits
from pokerlab.match.play import play_match
from pokerlab.records.logs import read_log

MATCHES, HANDS, AT_ONCE = 200, 20, 4
LIMITS = Limits(response=0.2, hand=1.0, match_a_hand=1.0, start=2.0)
LEDUC = rules_of("leduc")

# Plays by calling in a process that can be killed, and says so when it has given some answers. Needs only sockets, to
# start fast.
_CALLER = """
import re, socket, sys, time
sock, left = socket.create_connection(("127.0.0.1", int(sys.argv[1]))), int(sys.argv[2])
sock.sendall(b"VERSION:2.0.0\\r\\n")
for raw in sock.makefile("rb"):
    line = raw.decode().strip()
    _, position, _, betting, cards = line.split(":")
    turn = len(re.findall("[cr]", betting.split("/")[-1])) % 2 == int(position)
    if turn and "f" not in betting and not all(cards.split("/")[0].split("|")):
        left -= 1
        if left < 0:
            print(flush=True)
            time.sleep(0.01)
        sock.sendall(line.encode() + b":c\\r\\n")
"""


def signalled(port, rng, *signals):
    command = [sys.executable, "-I", "-S", "-c", _CALLER, str(port), str(rng.randrange(30))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        process.stdout.read(1)
        time.sleep(rng.random() * 0.02)
        for each in signals:
            process.send_signal(each)
            time.sleep(0.3 if each == signal.SIGSTOP else 0)


def killed(port, rng):
    signalled(port, rng, signal.SIGKILL)


def killed_at_once(port, rng):
    """Mostly before it has connected, so that the dealer waits for it in vain."""
    command = [sys.executable, "-I", "-S", "-c", _CALLER, str(port), "99"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        time.sleep(rng.random() * 0.05)
        process.kill()


def stopped(port, rng):
    """As one whose machine hangs: the connection stays, nothing more comes."""
    signalled(port, rng, signal.SIGSTOP, signal.SIGKILL)


def plays_until(port, rng, then):
    """Plays at random until it does something else: `then(player, line)` instead of some answer."""
    after = rng.randrange(25)

    def answer(line, turn):
        return f"{line}:{rng.choice('fcr')}\r\n".encode() if turn < after else then(player, line)

    player = PlainPlayer(port, 2, answer)
    player.run()
    return player


def stalling(port, rng):
    return plays_until(port, rng, lambda player, line: None)


def leaving(port, rng):
    def leave(player, line):
        raise ConnectionAbortedError

    return plays_until(port, rng, leave)


def resetting(port, rng):
    """Hangs up with a reset instead of an orderly end."""

    def reset(player, line):
        player.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raise ConnectionAbortedError

    return plays_until(port, rng, reset)


def half_open(port, rng):
    """Closes its side only, and goes on listening."""
    return plays_until(port, rng, lambda player, line: player.sock.shutdown(socket.SHUT_WR))


def babbling(port, rng):
    """Answers with random bytes, some of them in lines, some with the right answer behind them."""

    def babble(player, line):
        noise = rng.randbytes(rng.randrange(1, 300))
        damaged = line.encode()[: rng.randrange(len(line))] + noise + b"\n"
        answer = noise + f"\n{line}:{rng.choice('fcr')}\r\n".encode()
        return rng.choice([noise, noise + b"\r\n", damaged, answer, answer, answer, answer])

    return plays_until(port, rng, babble)


def flooding(port, rng):
    """Sends without end and does not read any more."""
    piece = rng.choice([b"x" * 65536, b"\n" * 65536, b"MATCHSTATE:0:0::Qh|:c\r\n" * 3000, rng.randbytes(65536)])
    return plays_until(port, rng, lambda player, line: itertools.repeat(piece))


def breaking_off(port, rng):
    """Stops in the middle of an answer, and stays or leaves."""

    def break_off(player, line):
        player.sock.sendall(f"{line}:c\r\n".encode()[: rng.randrange(len(line) + 3)])
        if rng.random() < 0.5:
            raise ConnectionAbortedError

    return plays_until(port, rng, break_off)


def piecemeal(port, rng):
    """Sends its answers byte by byte: slow, but right."""
    return plays_until(port, rng, lambda player, line: [bytes([byte]) for byte in f"{line}:c\r\n".encode()])


def hasty(port, rng):
    """Is gone before it has said a word, or in the middle of it, or after it."""
    with socket.create_connection(("127.0.0.1", port)) as sock:
        sock.sendall(rng.choice([b"", b"VERS", b"VERSION:2.0.0\r\n", rng.randbytes(50)]))


def silent(port, rng):
    """Connects, and says nothing or no more than hello."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as sock, contextlib.suppress(OSError):
        sock.sendall(rng.choice([b"", b"VERS", b"VERSION:2.0.0\r\n"]))
        while sock.recv(65536):
            pass


FAULTS = [
    killed, killed_at_once, stopped, stalling, leaving, resetting, half_open, babbling, flooding, breaking_off,
    piecemeal, hasty, silent,
]  # fmt: skip


class Watcher(Call):
    """Calls, and counts the hands that it saw the end of."""

    def __init__(self):
        self.hands = 0

    def observe(self, view):
        self.hands += 1


def play(index, folder):
    """One match, with its log checked; the name of the fault and the result."""
    rng, fault, path = random.Random(index), FAULTS[index % len(FAULTS)], folder / f"{index}.log"
    bad = rng.randrange(2)
    names = ["bad", "good"] if bad == 0 else ["good", "bad"]
    dealer = Dealer(LEDUC, HANDS, index, names=names, limits=LIMITS, log=path)
    watcher, told = Watcher(), []
    threads = [
        threading.Thread(target=lambda: told.append(fault(dealer.ports[bad], rng))),
        threading.Thread(target=join, args=("127.0.0.1", dealer.ports[1 - bad], watcher, LEDUC, random.Random(index))),
    ]
    started = time.monotonic()
    for thread in threads:
        thread.start()
    result = dealer.run()
    took = time.monotonic() - started
    for thread in threads:
        thread.join(20)
        assert not thread.is_alive(), fault.__name__
    if not path.exists():  # a match that never began leaves no log
        assert (result.hands, result.finished) == (0, False)
        return fault.__name__, result
    text = path.read_text()
    numbers = [record.number for record in read_log(path, LEDUC)]
    assert numbers == list(range(result.hands))
    assert text.endswith("\n")
    assert ("SCORE:" in text) == result.finished == (result.reason == "") == (result.hands == HANDS)
    # Nobody was told of the end of a hand that is not in the log.
    assert watcher.hands <= result.hands
    assert not isinstance(told[0], PlainPlayer) or told[0].finished_hands() <= result.hands
    assert took < 20
    return fault.__name__, result


def open_files():
    gc.collect()
    return len(os.listdir("/proc/self/fd"))


def children():
    found = set()
    for task in os.listdir("/proc/self/task"):
        with contextlib.suppress(OSError), open(f"/proc/self/task/{task}/children") as file:
            found |= set(file.read().split())
    return found


@pytest.mark.slow
def test_200_matches_with_faulty_players(tmp_path):
    play_match(LEDUC, [Call(), Call()], 1)  # compiles, and opens what stays open
    before = open_files(), threading.active_count(), children()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        results = list(pool.map(play, range(MATCHES), [tmp_path] * MATCHES))
    assert len(results) == MATCHES
    assert (open_files(), threading.active_count(), children()) == before
    ended = [result for _, result in results if not result.finished]
    # On a busy machine a good player can miss a limit of 0.2 s too, but not often.
    assert sum(result.at_fault != "good" for result in ended) > 0.9 * len(ended)
    assert len(ended) > MATCHES / 2
    midway = {name for name, result in results if 0 < result.hands < HANDS}
    assert midway >= {"killed", "stopped", "stalling", "leaving", "resetting", "half_open", "flooding", "breaking_off"}
