"""Players at an ACPC dealer, ours or the official one: an Agent behind a socket."""

from __future__ import annotations

import contextlib
import random
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pokerlab.agents.agent import Agent
from pokerlab.agents.asked import action_of, asked
from pokerlab.bounds import PORT, SECONDS
from pokerlab.errors import AgentFailed, PokerlabError, ProtocolError, shown
from pokerlab.game.rules import Rules
from pokerlab.match.dealer import Dealer, DealerResult
from pokerlab.match.following import Follower, same_hand
from pokerlab.match.loop import rehearse
from pokerlab.match.protocol import VERSION, MatchState, Wire

_LONGEST_STATE = 1 << 20  # bytes; a dealer is trusted more than a player, but not with all memory
_RETRY_SECONDS = 0.05
_GRACE_SECONDS = 5.0  # for local players to notice that the match is over


@dataclass(frozen=True)
class Played:
    """What a player saw of its match: finished hands, the chips that it won in them, and whether another had begun."""

    hands: int
    chips: float
    broken_off: bool  # the dealer closed in the middle of a hand


def join(
    host: str,
    port: int,
    agent: Agent,
    rules: Rules,
    rng: np.random.Generator | random.Random,
    *,
    names: Sequence[str] = (),
    fixed_seats: bool = False,
    connect_seconds: float = 10.0,
) -> Played:
    """Play at the dealer until it closes. `rng` picks among the agent's actions.

    The protocol does not say who the others are; `names`, in the order of the dealer's ports, tells the agent. They
    rotate from hand to hand unless the dealer has `fixed_seats`.

    Connecting is tried again for so many seconds: a dealer that is just starting may not listen yet.
    """
    if len(names) not in (0, rules.players):
        raise PokerlabError(f"{rules.players} names are needed, or none, not {len(names)}")
    rehearse(rules, agent)
    wire = Wire(_connect(host, port, connect_seconds), _LONGEST_STATE)
    follower = Follower(rules)
    hands, chips, over, open_hand = 0, 0.0, -1, False
    state: MatchState | None = None
    seated = [tuple(names[(seat + turn) % len(names)] for seat in range(len(names))) for turn in range(len(names) or 1)]
    try:
        asked(agent, agent.reset)
        for line in _lines(wire):
            if (later := wire.coming()) is not None and same_hand(line, later):
                continue
            if not line.startswith("MATCHSTATE:"):
                raise ProtocolError(f"{host}:{port} does not speak the protocol: it sent {shown(line)}")
            state = follower.read(line)
            actor = state.hand.betting.actor
            open_hand = actor is not None
            if actor is None:
                if state.number != over:
                    hands, chips, over = hands + 1, chips + state.hand.payoffs()[state.seat], state.number
                    asked(agent, agent.observe, state.view_with(seated[0 if fixed_seats else over % len(seated)]))
            elif actor == state.seat:
                view = state.view_with(seated[0 if fixed_seats else state.number % len(seated)])
                answer = f"{line}:{view.betting.text_of(action_of(agent, view, rng.random()))}"
                # If the dealer has gone, the next read says so, after what it may have sent before.
                with contextlib.suppress(OSError):
                    wire.send(answer)
    except AgentFailed as error:
        raise error.during(f"hand {state.number}" if state else "the start") from error
    finally:
        wire.close()
    return Played(hands, chips, open_hand)


def _lines(wire: Wire) -> Iterator[str]:
    """What the dealer sends, comments left out, until it closes, however it does that."""
    try:
        wire.send(VERSION)
        while True:
            line = wire.line()
            if line and line[0] not in "#;":
                yield line
    except OSError:
        return


def _connect(host: str, port: int, seconds: float) -> socket.socket:
    PORT.check(port, error=ProtocolError)
    SECONDS.check(seconds, error=ProtocolError)
    deadline = time.monotonic() + seconds
    while True:
        try:
            sock = socket.create_connection((host, port), timeout=max(0.1, deadline - time.monotonic()))
            # A dealer may think for hours between two lines; one whose machine is gone never sends another.
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            return sock
        except (OSError, TypeError, UnicodeError) as error:
            if (
                time.monotonic() + _RETRY_SECONDS >= deadline
                or not isinstance(error, OSError)
                or isinstance(error, socket.gaierror)
            ):
                raise ProtocolError(f"cannot reach a dealer at {host}:{port}: {error}") from None
            time.sleep(_RETRY_SECONDS)


def player_seed(seed: int, player: int) -> int:
    """The seed of a local player's choices in a match of seed `seed`: other than the deck's and the others'."""
    return int(np.random.SeedSequence([seed, player, 1]).generate_state(1, np.uint64)[0])


def deal_to_agents(rules: Rules, agents: Sequence[Agent], hands: int, seed: int = 0, **options: Any) -> DealerResult:
    """A match over loopback between agents, each in a thread of this process; `options` are those of Dealer.

    A thread cannot be stopped: give agents that may never answer a process of their own (`pokerlab dealer`).
    """
    if len(agents) != rules.players:
        raise PokerlabError(f"{rules.name or 'the game'} is for {rules.players} players, got {len(agents)} agents")
    dealer = Dealer(rules, hands, seed, **options)
    failures: dict[int, str] = {}

    def play(player: int) -> None:
        try:
            rng = np.random.default_rng(player_seed(seed, player))
            join(
                "127.0.0.1",
                dealer.ports[player],
                agents[player],
                rules,
                rng,
                names=dealer.names,
                fixed_seats=dealer.fixed_seats,
            )
        except Exception as error:  # an agent may fail in any way, and the match ends in one
            failures[player] = f"{dealer.names[player]}: {type(error).__name__}: {error}"

    threads = [threading.Thread(target=play, args=(player,), daemon=True) for player in range(rules.players)]
    for thread in threads:
        thread.start()
    result = dealer.run(lambda: "; ".join(failures.values()))
    for thread in threads:
        thread.join(_GRACE_SECONDS)
    if failures and not result.finished:
        return replace(result, reason="; ".join([result.reason, *failures.values()]))
    return result
