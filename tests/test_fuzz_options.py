"""Every option of every command is tried with good and bad values; whatever happens is an answer for a person."""

import json

import click
import pytest

from fuzz_options import fuzz, judged, show
from option_cases import Case, all_cases, cases_of, commands, option_of, some_cases

CASES = 1430


@pytest.fixture(scope="module")
def outcomes():
    return fuzz(some_cases(CASES))


def test_nothing_escapes(outcomes):
    """Only exit codes 0, 1, 2 and 130, one line of complaint, no memory beyond bounds, and an end in time."""
    assert len(outcomes) == CASES
    failures = [show(outcome) for outcome in outcomes if outcome.failure]
    assert not failures, "\n".join(failures)


def test_every_option_of_every_command_is_tried_with_good_and_with_bad_values(outcomes):
    options = {option_of(words, parameter) for words, command in commands().items() for parameter in command.params}
    assert len(options) > 100
    accepted = {outcome.case.option for outcome in outcomes if outcome.case.good and outcome.code in (0, 1, 130)}
    refused = {outcome.case.option for outcome in outcomes if not outcome.case.good and outcome.code == 2}
    assert options - accepted == {"dealer MORE", "play_match WORDS"}, (
        "no good value, see GOOD, FILES and BESIDES in option_values.py"
    )
    assert options - refused <= {"hands stats --player", "hands types --player"}, "no value is bad enough"


def test_what_is_added_is_covered():
    """A new option needs nothing but its type."""

    @click.command()
    @click.option("--colour", type=click.Choice(["red", "green"]))
    @click.option("--loud", is_flag=True)
    def sing(colour, loud):
        pass

    cases = cases_of(("sing",), sing)
    assert {(case.option, case.good) for case in cases} == {
        ("sing --colour", True), ("sing --colour", False), ("sing --loud", True), ("sing --loud", False),
    }  # fmt: skip
    assert len(all_cases()) > 4000


@pytest.mark.parametrize(
    ("told", "failure"),
    [
        ({"code": 3}, "exit code 3"),
        ({"code": 1, "escaped": "Traceback: KeyError"}, "escaped"),
        ({"code": 2, "err": ""}, "not one line"),
        ({"code": 2, "err": "pokerlab: a\npokerlab: b\n"}, "not one line"),
        ({"code": 1, "err": "pokerlab: out of memory\n"}, "out of memory"),
        ({"err": "pokerlab: warning: overflow encountered in exp\n"}, "overflow"),
        ({"out": "\x1b[31mred"}, "control characters"),
        ({"out": '{"mean": NaN}'}, "NaN is no number"),
        ({"out": "text"}, "Expecting value"),
        ({"code": 2, "err": "pokerlab: no\n"}, ""),
        ({"code": 130, "err": "interrupted\n"}, "what was kept"),
        ({"code": 130, "err": "interrupted: nothing was kept\n"}, ""),
        ({"out": json.dumps({"a": 1})}, ""),
    ],
)
def test_the_judge(told, failure):
    outcome = judged(
        Case(("solve", "--json"), "solve", True), {"code": 0, "out": "{}", "err": "", "escaped": ""} | told
    )
    assert bool(outcome.failure) == bool(failure)
    assert failure in outcome.failure
    assert judged(Case((), "", True), None).failure
