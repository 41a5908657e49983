"""Sockets that watch a table, solves or trainings: they are told of everything that happens there, and may ask."""

from __future__ import annotations

import asyncio
import sys
from collections import defaultdict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from fastapi import WebSocket, WebSocketDisconnect
from fastapi.concurrency import run_in_threadpool

from pokerlab.errors import AgentFailed, Crowded, HandMovedOn, NoSuchTable, PokerlabError, printable
from pokerlab.web.solves import AGENT, SPOT, Solves

MOST_WATCHERS = 400  # sockets open at once
_BEHIND = 32  # messages that a socket may be behind
_LONGEST_REASON = 123  # bytes that the end of a socket can carry
_WORDS = {SPOT: ("solves", "solve"), AGENT: ("trainings", "training")}
_STATUS: dict[type[PokerlabError], int] = {NoSuchTable: 404, HandMovedOn: 409, AgentFailed: 409, Crowded: 429}


class Watchers:
    """Open sockets by what they watch, a table or the solves; each is told of everything that happens there."""

    def __init__(self) -> None:
        self._queues: dict[str, set[asyncio.Queue[Any]]] = defaultdict(set)
        self.count = 0

    def join(self, place: str) -> asyncio.Queue[Any]:
        queue: asyncio.Queue[Any] = asyncio.Queue(_BEHIND)
        self._queues[place].add(queue)
        self.count += 1
        return queue

    def leave(self, place: str, queue: asyncio.Queue[Any]) -> None:
        self._queues[place].discard(queue)
        if not self._queues[place]:
            del self._queues[place]
        self.count -= 1

    def tell(self, place: str, message: dict[str, Any]) -> None:
        for queue in self._queues.get(place, ()):
            with suppress(asyncio.QueueFull):  # who is so far behind asks again
                queue.put_nowait(message)


def problem_of(error: PokerlabError) -> tuple[int, str]:
    """The status and the words of an error. What an agent failed at may be its cards: that stays here."""
    status = next((code for kind, code in _STATUS.items() if isinstance(error, kind)), 422)
    if isinstance(error, AgentFailed):
        print(f"pokerlab: {error}", file=sys.stderr, flush=True)
        return status, "the agent failed: where the server was started it says why; the hand stays as it was"
    return status, str(error)


def malformed(errors: Any) -> str:
    """Where a message is wrong, without repeating it."""
    parts = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in list(errors)[:5]]
    return printable("; ".join(parts))[:1000]


async def attend(
    socket: WebSocket,
    watchers: Watchers,
    place: str,
    first: Callable[[], dict[str, Any]],
    asked: Callable[[str], Awaitable[dict[str, Any] | None]],
) -> None:
    """Send what there is first, and then whatever happens; `asked` answers a message, or has told everybody (None)."""
    await socket.accept()
    if watchers.count >= MOST_WATCHERS:
        await socket.close(1013, "too many connections")
        return
    queue = watchers.join(place)
    sending = None
    try:
        begun = await answered(first)
        if "error" in begun:
            await refuse(socket, begun)
            return
        await socket.send_json(begun)
        sending = asyncio.create_task(_send(socket, queue))
        while True:
            answer = await asked(await socket.receive_text())
            if answer is not None:
                await queue.put(answer)
    except (WebSocketDisconnect, KeyError, RuntimeError):  # gone, or bytes where text is expected
        with suppress(RuntimeError):
            await socket.close(1003)
    finally:
        if sending is not None:
            sending.cancel()
        watchers.leave(place, queue)


async def refuse(socket: WebSocket, problem: dict[str, Any]) -> None:
    """Say what is wrong, and end a socket that was accepted."""
    with suppress(WebSocketDisconnect, RuntimeError):  # gone
        await socket.send_json(problem)
        await socket.close(1008, problem["error"].encode()[:_LONGEST_REASON].decode(errors="ignore"))


async def follow(socket: WebSocket, watchers: Watchers, solves: Solves, kind: str) -> None:
    """Tell a socket of all solves, or all trainings, and then of whatever becomes of one."""
    loop, place = asyncio.get_running_loop(), f"{kind} {id(socket)}"  # no table's name: those are letters alone
    many, one = _WORDS[kind]

    async def heard(_: str) -> dict[str, Any]:
        return {"error": "nothing can be asked here", "status": 422}

    def tell(told: dict[str, Any]) -> None:
        if told["kind"] == kind:
            with suppress(RuntimeError):  # the server is ending
                loop.call_soon_threadsafe(watchers.tell, place, {one: told})

    leave = solves.watch(tell)
    try:
        await attend(socket, watchers, place, lambda: {many: solves.all(kind)}, heard)
    finally:
        leave()


async def _send(socket: WebSocket, queue: asyncio.Queue[Any]) -> None:
    with suppress(WebSocketDisconnect, RuntimeError):
        while True:
            await socket.send_json(await queue.get())


async def answered(question: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What comes of a question that takes a moment, or what is wrong with it."""
    try:
        return await run_in_threadpool(question)
    except PokerlabError as error:
        status, text = problem_of(error)
        return {"error": text, "status": status}
