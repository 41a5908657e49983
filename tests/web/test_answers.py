"""The description of the API tells of every answer, and every answer is as it tells: nothing less, and nothing more."""

import random
import re
import shutil
import time
from pathlib import Path

import pytest

from naive_buckets import made_up
from pokerlab.page import page
from pokerlab.refine.spots.run import solve_spot
from pokerlab.refine.spots.spot import parse_spot
from web_client import TURN, at_home, play

jsonschema = pytest.importorskip("jsonschema_rs")
CASES = Path(__file__).parent.parent / "files" / "leduc.cases"


class Description:
    """What the document says of answers; there are `validators` of the operations that some were looked at of."""

    def __init__(self, document):
        self.parts, self.operations, self.validators = {"components": closed(document["components"])}, {}, {}
        for path, methods in document["paths"].items():
            for method, told in methods.items():
                (well,) = (told["responses"][code] for code in ("200", "201") if code in told["responses"])
                ((kind, content),) = well["content"].items()
                self.operations[method.upper(), path] = kind, content["schema"]

    def validator(self, operation):
        if operation not in self.validators:
            _, schema = self.operations[operation]
            self.validators[operation] = jsonschema.validator_for(closed(schema) | self.parts)
        return self.validators[operation]

    def check(self, method, path, answer):
        """An answer that went well."""
        where = path.partition("?")[0]
        fitting = [one for one in self.operations if one[0] == method and re.fullmatch(_pattern(one[1]), where)]
        operation = min(fitting, key=lambda one: one[1].count("{"))
        told = answer if self.operations[operation][0] == "application/json" else answer.decode()
        assert not [(operation, str(error)[:500]) for error in self.validator(operation).iter_errors(told)]


def _pattern(path):
    return re.sub(r"\{[a-z_]+\}", "[a-z0-9]+", path)


def closed(schema):
    """With no more keys than are told; a client should take more of them, for they may come."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    more = {"additionalProperties": False} if "properties" in schema and schema.get("type") == "object" else {}
    return {key: closed(value) for key, value in schema.items()} | more


@pytest.fixture
def home(tmp_path, monkeypatch):
    """The application, whose answers are all looked at."""
    monkeypatch.chdir(tmp_path)
    with at_home(tmp_path) as here:
        here.described = Description(here.get("/api/openapi.json"))
        ask = here.ask

        def looked_at(method, path, *about, **more):
            status, answer = ask(method, path, *about, **more)
            if status < 300:
                here.described.check(method, path, answer)
            return status, answer

        here.ask = looked_at
        yield here


def test_every_answer_has_a_description(home):
    for operation, (_, schema) in home.described.operations.items():
        assert {"$ref", "oneOf", "items", "type"} & set(schema), operation
        assert schema.get("type") != "object", operation  # which says nothing of what is in it
    for name, part in home.described.parts["components"]["schemas"].items():
        assert part.get("description"), name


def test_answers_are_as_they_are_described(home):
    _at_tables(home)
    _at_spots(home)
    _of_agents(home)
    _in_the_queue(home)
    Path("report.html").write_text(page("Buckets: all", []))
    assert home.get("/api/reports")
    home.get("/api/reports/page?file=report.html")
    assert set(home.described.validators) == set(home.described.operations)


def _at_tables(home):
    shutil.copy(CASES, "leduc.cases")
    home.get("/api/games")
    for game, agents in (
        ("leduc", ["cases:leduc.cases"]), ("kuhn", ["random"]), ("holdem-limit", ["call"]),
        ("holdem-nolimit", ["call"]), ("holdem-limit-3p", ["dynamic:call|raise", "call"]),
    ):  # fmt: skip
        state = home.post("/api/tables", {"game": game, "agents": agents})
        path = f"/api/tables/{state['table']}"
        play(home, state, 4, random.Random(1))
        home.get(path)
        for one in home.get(f"{path}/hands"):
            home.get(f"{path}/hands/{one['hand']}")
            for point in home.get(f"{path}/hands/{one['hand']}/review")["points"]:
                if point["explains"]:
                    home.get(f"{path}/hands/{one['hand']}/why?at={point['at']}")
        home.get(f"{path}/mistakes")
        home.get(f"{path}/curve")
        home.get(f"{path}/log")
    home.get(f"{path}/phhs")
    home.get("/api/tables")


def _at_spots(home):
    solve_spot(parse_spot(TURN), iterations=5, threads=1, progress=False).save("turn.solution")
    Path("broken.solution").write_text("")
    home.get("/api/spots")
    home.get("/api/spots/runouts?file=turn.solution&line=check,check")
    for line in ("", "check", "check,check", "all-in,fold"):
        home.get(f"/api/spots/look?file=turn.solution&line={line}")
        home.get(f"/api/spots/compare?before=turn.solution&after=turn.solution&line={line}")
    home.get("/api/spots/file?file=turn.solution")
    home.post("/api/spots/read", {"spot": TURN})
    home.post("/api/ranges", {"range": "AA, AKs:0.5, AhQh"})


def _of_agents(home):
    for line in ("", "c", "c,c", "c,c,Kh", "r,f"):
        home.get(f"/api/agents/look?game=leduc&agent=random&line={line}")
    home.get("/api/agents/look?game=holdem-nolimit&agent=random")
    home.get("/api/agents/tree?game=leduc&agent=call")
    home.get("/api/jamfold?stack=3")
    for recall in (False, True):
        made_up(recall).save(f"{recall}.buckets")
        home.get(f"/api/buckets/look?cards={recall}.buckets&board=QsJh2h4c7d")
    home.get("/api/buckets")


def _in_the_queue(home):
    """A spot is solved, and meanwhile an agent waits."""
    home.post("/api/spots/weigh", {"spot": TURN})
    solve = home.post("/api/solves", {"name": "queued", "spot": TURN, "exploitability": 0.0})["number"]
    train = home.post("/api/trainings", {"agent": "smallbot-3"})["number"]
    home.post(f"/api/trainings/{train}/stop", None)
    home.post(f"/api/trainings/{train}/go-on", None)
    home.post(f"/api/trainings/{train}/stop", None)
    home.get("/api/trainings")
    while not home.get(f"/api/solves/{solve}")["trace"]:
        time.sleep(0.02)
    home.get(f"/api/solves/{solve}/spot")
    home.post(f"/api/solves/{solve}/stop", None)
    while home.get(f"/api/solves/{solve}")["state"] == "solving":
        time.sleep(0.02)
    home.post(f"/api/solves/{solve}/go-on", None)
    home.post(f"/api/solves/{solve}/stop", None)
    home.get("/api/solves")
