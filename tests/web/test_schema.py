"""Whatever fits the description of the API, or does not, is answered as that says, and never by a failure of ours."""

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from naive_buckets import made_up
from pokerlab.refine.spots.run import solve_spot
from pokerlab.refine.spots.spot import parse_spot
from web_client import TURN, at_home

schemathesis = pytest.importorskip("schemathesis")
EXAMPLES = 25  # of each question


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("web")
        patch.chdir(folder)
        solve_spot(parse_spot(TURN), iterations=5, threads=1, progress=False).save("turn.solution")
        made_up(False).save("some.buckets")
        with at_home(folder, "0.0.0.0") as here:  # any host: that of the questions is made up
            yield here


def test_no_question_makes_the_server_fail(client):
    table = client.post("/api/tables", {"game": "leduc", "agents": ["call"]})["table"]
    there = {
        "table_id": table,
        "number": 0,
        "file": "turn.solution",
        "before": "turn.solution",
        "after": "turn.solution",
        "game": "leduc",
        "agent": "call",
        "line": "",
        "cards": "some.buckets",
        "board": "",
        "stack": 10.0,
    }
    schema = schemathesis.openapi.from_asgi("/api/openapi.json", client.app)
    statuses = {}

    def must_answer(operation):
        seen = statuses.setdefault(f"{operation.method} {operation.path}".upper(), [])

        @given(case=operation.as_strategy())
        @settings(
            max_examples=EXAMPLES, deadline=None, derandomize=True, database=None,
            phases=[Phase.explicit, Phase.generate], suppress_health_check=list(HealthCheck),
        )  # fmt: skip
        def answered(case):
            if len(seen) % 2:  # every second question is about something that is there
                for given_as in (case.path_parameters, case.query):
                    given_as.update({name: there[name] for name in given_as if name in there})
            answer = case.call()
            seen.append(answer.status_code)
            assert answer.status_code < 500, (case.as_curl_command(), answer.text)
            kind = answer.headers["content-type"][0]
            assert kind.startswith(("application/json", "text/plain", "text/html")), kind
            if answer.status_code >= 400:
                assert 0 < len(answer.json()["error"]) <= 2100
                assert str(answer.status_code) in operation.definition.raw["responses"]

        answered()

    for operation in schema.get_all_operations():
        must_answer(operation.ok())
    assert len(statuses) >= 25
    answered_well = {name for name, seen in statuses.items() if any(status < 300 for status in seen)}
    assert {name for name in statuses if name.startswith("GET ")} - answered_well <= UNANSWERABLE


# About hands that are over, and solves, of which there are none.
UNANSWERABLE = {
    "GET /API/TABLES/{TABLE_ID}/HANDS/{NUMBER}", "GET /API/TABLES/{TABLE_ID}/HANDS/{NUMBER}/REVIEW",
    "GET /API/SOLVES/{NUMBER}", "GET /API/SOLVES/{NUMBER}/SPOT", "GET /API/REPORTS/PAGE",
    "GET /API/TABLES/{TABLE_ID}/PHHS", "GET /API/TABLES/{TABLE_ID}/HANDS/{NUMBER}/WHY",
}  # fmt: skip
