"""The web's API: what a bot can do with it, and what a hostile client cannot."""

import asyncio
import json
import random
import socket
import stat
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner
from websockets.asyncio.client import connect as connect_later
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from pokerlab.cli import main
from pokerlab.errors import LedgerError
from pokerlab.web import serve, sockets
from pokerlab.web.guard import LONGEST
from web_client import There, at_home, play, serving

CSP = b"default-src 'none'; script-src 'self'"


@pytest.fixture
def client(tmp_path):
    with at_home(tmp_path) as here:
        yield here


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server as a user starts it."""
    with serving("--ledger", str(tmp_path_factory.mktemp("web") / "web.sqlite")) as told:
        yield There(int(told["url"].rstrip("/").rpartition(":")[2]))


def test_a_bot_plays_over_the_api(client):
    state = client.post("/api/tables", {"game": "leduc", "agents": ["call"], "player": "bot"})
    state = play(client, state, 20, random.Random(1))
    assert state["bankroll"]["hands"] == 20
    (told,) = client.get("/api/tables")
    assert told["bankroll"] == state["bankroll"]
    assert (told["player"], told["agents"], told["game"]) == ("bot", ["call"], "leduc")
    assert client.get(f"/api/tables/{state['table']}") == state
    assert len(client.get(f"/api/tables/{state['table']}/hands?most=7")) == 7
    assert client.get(f"/api/tables/{state['table']}/log").startswith(b"# name/game/hands/seed table-")


def test_the_api_is_described(client):
    told = client.get("/api/openapi.json")
    assert {"/api/tables", "/api/tables/{table_id}", "/api/tables/{table_id}/actions"} <= set(told["paths"])
    assert set(told["components"]["schemas"]) >= {"State", "Action", "NewTable", "Problem"}
    state = client.post("/api/tables", {"game": "kuhn", "agents": ["call"]})
    assert set(state) == set(told["components"]["schemas"]["State"]["properties"])


def test_games_come_with_agents_that_play_them(client):
    for game in client.get("/api/games"):
        for spec in ("random", "call", "raise", "probe", "uniform"):
            assert spec in game["agents"]
            client.post("/api/tables", {"game": game["game"], "agents": [spec] * (game["players"] - 1)})


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/api/tables/nowhere", None, 404),
        ("GET", "/api/tables/NOWHERE", None, 422),
        ("GET", "/api/tables/" + "a" * 5000, None, 422),
        ("GET", "/api/nothing", None, 404),
        ("GET", "/../../etc/passwd", None, 404),
        ("GET", "/%2e%2e", None, 404),
        ("DELETE", "/api/tables", None, 405),
        ("POST", "/api/tables/nowhere/actions", {"hand": 0, "at": 0, "action": "c"}, 404),
        ("POST", "/api/tables/TABLE/actions", {"hand": 0, "at": 0}, 422),
        ("POST", "/api/tables/TABLE/actions", {"hand": 0, "at": 0, "action": "q"}, 422),
        ("POST", "/api/tables/TABLE/actions", {"hand": 0, "at": 0, "action": "f"}, 422),
        ("POST", "/api/tables/TABLE/actions", {"hand": 0, "at": 0, "action": 1}, 422),
        ("POST", "/api/tables/TABLE/actions", {"hand": 10**30, "at": 0, "action": "c"}, 422),
        ("POST", "/api/tables/TABLE/actions", {"hand": 0, "at": -1, "action": "c"}, 422),
        ("POST", "/api/tables/TABLE/actions", {"hand": 0, "at": True, "action": "c"}, 422),
        ("POST", "/api/tables/TABLE/actions", {"hand": 0, "at": 3, "action": "c"}, 409),
        ("POST", "/api/tables/TABLE/actions", {"hand": 5, "at": 0, "action": "c"}, 409),
        ("POST", "/api/tables/TABLE/hands", {"hand": 0}, 409),
        ("POST", "/api/tables/TABLE/hands", {"hand": 0, "cards": "AsAs"}, 422),
        ("GET", "/api/tables/TABLE/hands/0", None, 404),
        ("GET", "/api/tables/TABLE/hands/99999999999999999999999", None, 422),
        ("GET", "/api/tables/TABLE/hands?most=0", None, 422),
        ("GET", "/api/tables/TABLE/hands?most=1e9", None, 422),
        ("POST", "/api/tables", {"game": "leduc", "agents": []}, 422),
        ("POST", "/api/tables", {"game": "leduc", "agents": ["table:/etc/passwd"]}, 422),
        ("POST", "/api/tables", {"game": "leduc", "agents": ["table:/dev/zero"]}, 422),
        ("POST", "/api/tables", {"game": "leduc", "agents": ["raise?size=nan"]}, 422),
        ("POST", "/api/tables", {"game": "leduc", "agents": ["call"] * 100000}, 413),
        ("POST", "/api/tables", b"{" * 60000, 422),
        ("POST", "/api/tables", b"[" * 60000, 400),
        ("POST", "/api/tables", b"\xff\xfe", 422),
        ("POST", "/api/tables", b'{"game": "\\ud800", "agents": ["\\udfff"]}', 422),
        ("POST", "/api/tables", b'{"game": NaN}', 422),
        ("POST", "/api/tables", b"9" * 5000, 400),
        ("POST", "/api/tables", b"x" * (LONGEST + 1), 413),
    ],
)
def test_clean_refusals(client, method, path, body, status):
    state = client.post("/api/tables", {"game": "leduc", "agents": ["call"]})
    while state["at"] or state["over"]:
        state = client.post("/api/tables", {"game": "leduc", "agents": ["call"]})
    told, answer = client.ask(method, path.replace("TABLE", state["table"]), body)
    assert told == status, answer
    assert list(answer) == ["error"]
    assert "\n" not in answer["error"]
    assert len(answer["error"]) < 2100
    assert client.headers[b"content-security-policy"].startswith(CSP)
    assert client.get(f"/api/tables/{state['table']}") == state


def test_an_agent_that_fails_tells_its_cards_to_nobody_else(client, monkeypatch, capsys):
    from pokerlab.agents.simple import Call

    state = client.post("/api/tables", {"game": "leduc", "agents": ["call"]})
    monkeypatch.setattr(Call, "act", lambda self, view: 1 / 0)
    body = {"hand": state["hand"], "at": state["at"], "action": "c"}
    status, answer = client.ask("POST", f"/api/tables/{state['table']}/actions", body)
    if not state["view"]["seat"]:  # the agent is asked after the person
        assert status == 409
        assert answer["error"].startswith("the agent failed")
        assert "ZeroDivisionError" in capsys.readouterr().err
        assert client.get(f"/api/tables/{state['table']}") == state


# ---- who may ask


def test_other_hosts_and_other_sites_are_refused(client):
    assert client.ask("GET", "/api/tables", headers={"host": "evil.example"})[0] == 403
    assert client.ask("GET", "/api/tables", headers={"host": "127.0.0.1.evil.example:80"})[0] == 403
    assert client.ask("GET", "/api/tables", headers={"host": "[::1"})[0] == 403
    assert client.ask("GET", "/api/tables", headers={"host": "localhost:8642"})[0] == 200
    table = {"game": "leduc", "agents": ["call"]}
    assert client.ask("POST", "/api/tables", table, {"origin": "http://evil.example"})[0] == 403
    assert client.ask("POST", "/api/tables", table, {"origin": "null"})[0] == 403
    assert client.ask("POST", "/api/tables", table, {"origin": "http://["})[0] == 403
    assert client.ask("POST", "/api/tables", table, {"origin": "http://127.0.0.1"})[0] == 201
    plain = {"content-type": "text/plain"}
    assert client.ask("POST", "/api/tables", table, plain)[0] == 422  # what a form of another site could send


def test_a_token_is_asked_for_on_other_addresses(tmp_path):
    with at_home(tmp_path, "0.0.0.0", "secret") as client:
        for headers in ({}, {"authorization": "Bearer other"}, {"cookie": "pokerlab=other"}, {"cookie": "x" * 9999},
                        {"authorization": "Bearer "}, {"authorization": "secre\u00e9"}):  # fmt: skip
            assert client.ask("GET", "/api/tables", headers=headers)[0] == 401
            assert client.ask("GET", "/", headers=headers)[0] == 401
        assert client.ask("GET", "/?token=other")[0] == 401
        assert client.ask("GET", "/api/tables?token=secret")[0] == 401
        assert client.ask("GET", "/api/tables", headers={"authorization": "Bearer secret"})[0] == 200
        assert client.ask("GET", "/?token=secret")[0] == 303
        cookie = client.headers[b"set-cookie"].decode()
        assert {"HttpOnly", "SameSite=Strict"} <= set(cookie.split("; "))
        assert client.ask("GET", "/", headers={"cookie": cookie.partition(";")[0], "host": "poker.lan"})[0] == 200


def test_cookies_of_other_servers_on_the_host_change_nothing(tmp_path):
    """Browsers send those of all ports, whatever is in them."""
    with at_home(tmp_path, "0.0.0.0", "secret") as client:

        def status(cookie, host="poker.lan:8642"):
            return client.ask("GET", "/api/tables", headers={"cookie": cookie, "host": host})[0]

        client.ask("GET", "/?token=secret", headers={"host": "poker.lan:8642"})
        ours = client.headers[b"set-cookie"].decode().partition(";")[0]
        for others in ("a@b=1", 'j={"a":1}', '"', "=", ";;", "x" * 9000, "pokerlab-8643=other", "pokerlab-8642=older"):
            assert status(f"{others}; {ours}") == status(f"{ours};{others}") == 200, others
            assert status(others) == 401, others
        assert status(ours, "poker.lan:8643") == 401  # another server's, with a cookie of its own
        assert status(ours, "[") == 401


def test_a_token_is_kept_for_its_owner_alone(tmp_path):
    path = tmp_path / "web.sqlite.token"
    token = serve.kept_token(str(path))
    assert len(token) == 32
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert serve.kept_token(str(path)) == token
    path.unlink()
    assert serve.kept_token(str(path)) != token
    path.write_text("\n")
    with pytest.raises(LedgerError, match="holds no token"):
        serve.kept_token(str(path))
    with pytest.raises(LedgerError, match="cannot write"):
        serve.kept_token(str(tmp_path / "missing" / "token"))


# ---- sockets


def live(server, table, **more):
    return connect(f"ws://127.0.0.1:{server.port}/api/tables/{table}/live", close_timeout=1, **more)


def test_every_tab_sees_what_one_does(server):
    state = server.post("/api/tables", {"game": "leduc", "agents": ["call"]})
    with live(server, state["table"]) as first, live(server, state["table"]) as second:
        assert json.loads(first.recv(10)) == json.loads(second.recv(10)) == {"state": state}
        while not state["over"]:
            first.send(json.dumps({"act": {"hand": state["hand"], "at": state["at"], "action": "c"}}))
            state = json.loads(first.recv(10))["state"]
            assert json.loads(second.recv(10)) == {"state": state}
        second.send(json.dumps({"deal": {"hand": state["hand"]}}))
        assert json.loads(first.recv(10)) == json.loads(second.recv(10))
        assert server.get(f"/api/tables/{state['table']}")["hand"] == state["hand"] + 1


def test_bad_messages_are_answered_and_the_socket_stays(server):
    state = server.post("/api/tables", {"game": "leduc", "agents": ["call"]})
    with live(server, state["table"]) as socket_:
        socket_.recv(10)
        for message in ("", "x", "[]", "{}", '{"act": 1}', '{"act": {"hand": 0}}', "[" * 30000, '{"deal": {"hand": 0}}',
                        '{"act": {"hand": 7, "at": 0, "action": "c"}}', '{"x": "\\ud800"}', '"' + "x" * 60000 + '"',
                        '{"deal": {"hand": 1}, "act": {"hand": 0, "at": 0, "action": "c"}}'):  # fmt: skip
            socket_.send(message)
            answer = json.loads(socket_.recv(10))
            assert set(answer) == {"error", "status"}
            assert answer["status"] in (409, 422)
        assert server.get(f"/api/tables/{state['table']}") == state
        socket_.send(b"\x00\xff")
        with pytest.raises(ConnectionClosed):
            socket_.recv(10)
    with live(server, state["table"]) as socket_:
        socket_.recv(10)
        socket_.send("x" * (LONGEST + 1))
        with pytest.raises(ConnectionClosed):
            socket_.recv(10)
    with live(server, "nowhere") as socket_:
        assert json.loads(socket_.recv(10))["status"] == 404
        with pytest.raises(ConnectionClosed):
            socket_.recv(10)
    for no_table in ("%C3%A9" * 60, "a" * 5000, "NOWHERE"):
        with live(server, no_table) as socket_:
            assert json.loads(socket_.recv(10))["status"] == 422
            with pytest.raises(ConnectionClosed) as closed:
                socket_.recv(10)
            assert closed.value.rcvd.code == 1008
    for origin in ("http://evil.example", "http://["):
        with pytest.raises(InvalidStatus) as refused:
            live(server, state["table"], origin=origin)
        assert refused.value.response.status_code == 403
    assert server.get(f"/api/tables/{state['table']}") == state


def test_what_is_said_at_the_end_of_a_socket_fits():
    """The protocol has 123 bytes for it, and characters may have several."""

    class Socket:
        async def send_json(self, problem):
            self.problem = problem

        async def close(self, code, reason):
            self.reason = reason

    one = Socket()
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, sockets.refuse(one, {"error": "é" * 100})).result()
    assert (one.problem, one.reason) == ({"error": "é" * 100}, "é" * 61)


def test_five_hundred_connections(server):
    """Those beyond the limit are told so; afterwards the server serves as before."""
    state = server.post("/api/tables", {"game": "leduc", "agents": ["call"]})
    address = f"ws://127.0.0.1:{server.port}/api/tables/{state['table']}/live"

    async def first_words(stack):
        socket_ = await stack.enter_async_context(connect_later(address, close_timeout=1, open_timeout=60))
        try:
            return json.loads(await socket_.recv())
        except ConnectionClosed as closed:
            return closed.rcvd.code

    async def crowd():
        async with AsyncExitStack() as stack:
            return [await first_words(stack) for _ in range(500)], await asyncio.to_thread(
                server.get, f"/api/tables/{state['table']}"
            )

    with ThreadPoolExecutor(1) as pool:  # a browser of other tests may have a loop in this thread
        answers, meanwhile = pool.submit(asyncio.run, crowd()).result()
    assert answers == [{"state": state}] * sockets.MOST_WATCHERS + [1013] * (500 - sockets.MOST_WATCHERS)
    assert meanwhile == state
    with live(server, state["table"]) as socket_:
        assert json.loads(socket_.recv(10)) == {"state": state}


def test_half_a_request_does_not_hold_up_the_others(server):
    with socket.create_connection(("127.0.0.1", server.port)) as slow:
        slow.sendall(b"POST /api/tables HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 1000\r\n\r\n{")
        assert server.get("/api/tables") is not None
    with socket.create_connection(("127.0.0.1", server.port)) as noise:
        noise.sendall(b"\x00" * 1000 + b"\r\n\r\n")
        assert noise.recv(100).startswith(b"HTTP/1.1 400")


# ---- the command


def test_a_killed_server_loses_nothing(tmp_path):
    path = str(tmp_path / "web.sqlite")
    with serving("--ledger", path, code=None) as told:
        client = There(int(told["url"].rstrip("/").rpartition(":")[2]))
        state = play(client, client.post("/api/tables", {"game": "kuhn", "agents": ["random"]}), 5, random.Random(1))
        state = client.post(f"/api/tables/{state['table']}/hands", {"hand": state["hand"]})
    tokens = set()
    for _ in range(2):
        with serving("--ledger", path, "--host", "0.0.0.0") as told:
            tokens.add(told["token"])
            hosts = [urlsplit(url).hostname for url in told["urls"]]
            assert socket.gethostname().lower() in hosts
            assert "0.0.0.0" not in hosts
            assert all(url.endswith(f"/?token={told['token']}") for url in told["urls"])
            port = urlsplit(told["url"]).port
            client = There(port, told["token"])
            assert client.get(f"/api/tables/{state['table']}") == state
            assert There(port).ask("GET", "/api/tables")[0] == 401
    assert len(tokens) == 1  # tabs and bots that have it go on, too


def test_the_command_says_what_is_wrong(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = CliRunner().invoke
    with socket.create_server(("127.0.0.1", 0)) as taken:
        told = run(main, ["web", "--port", str(taken.getsockname()[1])])
        assert (told.exit_code, told.stderr.count("\n")) == (2, 1)
        assert "cannot listen on '127.0.0.1'" in told.stderr
    for words, error in (
        (["nobody"], "no agent 'nobody'"),
        (["human"], "asks at a terminal"),
        (["--host", "256.1.1.1"], "cannot listen"),
        (["--host", "a" * 300], "cannot listen"),
        (["--host", ""], "an address such as"),
        (["--host", "\udcff"], "an address such as"),
        (["--ledger", "missing/x"], "cannot write"),
    ):
        told = run(main, ["web", *words])
        assert (told.exit_code, told.stderr.count("\n")) == (2, 1)
        assert error in told.stderr
    monkeypatch.setattr(serve, "find_spec", lambda name: None)
    told = run(main, ["web"])
    assert told.exit_code == 2
    assert "pip install 'pokerlab[web]'" in told.stderr
