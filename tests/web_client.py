"""Speaking to the web's application: in this process, and to a server in a process of its own."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import signal
import subprocess
import sys
from contextlib import closing, contextmanager
from threading import Thread

from pokerlab.web.ledger import Ledger
from pokerlab.web.serve import guarded

TURN = """board = "Qs Jh 2h 4c"
pot = 200
stacks = 300
[oop]
range = "AA, KQs, T9s, 54s"
[ip]
range = "QQ-TT, AKs, 76s"
[bets]
bet = "75%, all-in"
raise = "all-in"
"""


class Here:
    """The application, asked without sockets; `sent` is every byte of what was answered."""

    def __init__(self, app):
        self.app, self.loop, self.sent = app, asyncio.new_event_loop(), []
        self.thread = Thread(target=self.loop.run_forever, daemon=True)  # a browser's tools may have a loop in ours
        self.thread.start()

    def run(self, work):
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()

    def close(self):
        self.run(self.loop.shutdown_default_executor())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()

    def ask(self, method, path, body=None, headers=()):
        """The status, and what was answered."""
        path, _, query = path.partition("?")
        content = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        told = {"host": "127.0.0.1", "content-type": "application/json", **dict(headers)}
        scope = {
            "type": "http", "http_version": "1.1", "method": method, "path": path, "raw_path": path.encode(),
            "query_string": query.encode(), "root_path": "", "scheme": "http", "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 80), "headers": [(k.encode(), v.encode()) for k, v in told.items()],
        }  # fmt: skip
        messages = []

        async def receive():
            return {"type": "http.request", "body": content, "more_body": False}

        async def send(message):
            messages.append(message)

        self.run(self.app(scope, receive, send))
        self.headers = dict(messages[0]["headers"])
        answer = b"".join(message.get("body", b"") for message in messages)
        self.sent.append(b"\n".join([*(b": ".join(pair) for pair in messages[0]["headers"]), answer]))
        kind = self.headers.get(b"content-type", b"")
        return messages[0]["status"], json.loads(answer) if kind == b"application/json" else answer

    def get(self, path):
        status, answer = self.ask("GET", path)
        assert status == 200, answer
        return answer

    def post(self, path, body):
        status, answer = self.ask("POST", path, body)
        assert status in (200, 201), answer
        return answer


@contextmanager
def at_home(folder, host="127.0.0.1", token=""):
    """The application of a ledger in a folder, asked without sockets; `ledger` is its ledger."""
    with (
        closing(Ledger(folder / "web.sqlite")) as ledger,
        guarded(ledger, [], host, token) as app,
        closing(Here(app)) as here,
    ):
        here.ledger = ledger
        yield here


def options(state):
    """What the person may do, as words of the API; of no-limit the least and the largest raise, and one between."""
    legal = state["view"]["legal"]
    raises, limit = legal["raises"], state["stacks"] is None
    if isinstance(raises, dict):
        least, most = raises["least"], raises["most"]
        raises = [least, min(most, 2 * least), most]
    return ["c", *["f"] * legal["fold"], *(["r"] * bool(raises) if limit else [f"r{each}" for each in raises])]


def play(client, state, hands, rng):
    """Play on at random until so many hands more are over; the state then, with the last hand over."""
    path = f"/api/tables/{state['table']}"
    while True:
        while not state["over"]:
            action = rng.choice(options(state))
            state = client.post(f"{path}/actions", {"hand": state["hand"], "at": state["at"], "action": action})
        hands -= 1
        if not hands:
            return state
        state = client.post(f"{path}/hands", {"hand": state["hand"]})


class There:
    """A server at an address, asked over a socket."""

    def __init__(self, port, token=""):
        self.port, self.token = port, token

    def ask(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        try:
            headers = {"content-type": "application/json"}
            if self.token:
                headers["authorization"] = f"Bearer {self.token}"
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            text = answer.read()
            return answer.status, json.loads(text) if answer.headers["content-type"] == "application/json" else text
        finally:
            connection.close()

    get, post = Here.get, Here.post


@contextmanager
def serving(*words, code=130):
    """A server as a user starts it: what it announced. It ends by Ctrl-C, with this exit code; None: it is killed."""
    process = subprocess.Popen(
        [sys.executable, "-m", "pokerlab", "web", "--json", *words], text=True, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, env={**os.environ},
    )  # fmt: skip
    try:
        line = process.stdout.readline()
        assert line, process.stderr.read()
        yield json.loads(line)
        process.send_signal(signal.SIGINT if code is not None else signal.SIGKILL)
        process.wait(timeout=60)
        assert code is None or process.returncode == code, process.stderr.read()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()
