"""Command lines that `fuzz_options.py` tries: every option of every command, with good values and bad ones.

The commands, their parameters and the types of these come from click itself, so that what is added is covered.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field

import click

from option_values import (
    BESIDES,
    FEW,
    FILES,
    GAME,
    GOOD,
    INSTEAD,
    LIMIT,
    NUMBERS,
    ODD,
    ONLY_WHEN_TESTED,
    PATHS,
    PROCESSES,
    SPOT,
)
from pokerlab.cli import main
from pokerlab.cli.number import Within

FIRST = 3  # bad values of each option that always run


@dataclass(frozen=True)
class Case:
    """Words after `pokerlab`, files to write before, the option under test, and whether its value makes sense."""

    words: tuple[str, ...]
    option: str
    good: bool
    files: dict[str, str] = field(default_factory=dict, hash=False)


def commands(group: click.Group = main, before: tuple[str, ...] = ()) -> dict[tuple[str, ...], click.Command]:
    """Every command that can be run, by its words."""
    context, known = click.Context(group), {}
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        words = (*before, name)
        known.update(commands(command, words) if isinstance(command, click.Group) else {words: command})
    return known


def option_of(words: tuple[str, ...], parameter: click.Parameter) -> str:
    return f"{' '.join(words)} {parameter.opts[-1] if isinstance(parameter, click.Option) else parameter.name.upper()}"


def _rows(table: dict[str, list[str]], words: tuple[str, ...], parameter: click.Parameter) -> list[str] | None:
    return table.get(f"{words[-1]} {parameter.name}", table.get(parameter.name))


def values(words: tuple[str, ...], parameter: click.Parameter) -> tuple[list[str], list[str]]:
    """Values of a parameter that make sense, and others (of which some may)."""
    kind = parameter.type
    if isinstance(kind, Within):
        bound = kind.bound
        least = bound.least + (0.01 if bound.above else 0)
        beyond = [str(bound.most * 10 + 1), str(bound.least - 1), str(bound.most), f"-{bound.most}"]
        return [FEW.get(bound, "1"), str(bound.least + 1), str(least)], [*beyond, *NUMBERS]
    if isinstance(kind, click.Choice):
        return list(kind.choices), ["", "x", kind.choices[0].upper(), "\x1b[1m", "\udcff", "a" * 5000]
    if isinstance(kind, click.Path):
        rows = _rows(FILES, words, parameter)
        return (["new.out"] if rows is None else rows), PATHS
    rows = _rows(GOOD, words, parameter)
    return ([] if rows is None else rows), PROCESSES if option_of(words, parameter) == "dealer --agents" else ODD


def given(parameter: click.Parameter, value: str) -> list[str]:
    if isinstance(parameter, click.Option):
        return [f"{parameter.opts[-1]}={value}"]
    return [value]


def _asked_for(words: tuple[str, ...], parameter: click.Parameter) -> bool:
    """Whether a command is not run without it: what is required, and names without which a command only lists."""
    return parameter.required or parameter.name == "name"


def _times(parameter: click.Parameter) -> int:
    return 2 if parameter.name in ("agents", "ranges") else 1


def line(words: tuple[str, ...], command: click.Command, tested: click.Parameter, said: list[str]) -> tuple[str, ...]:
    """A command with `said` of the parameter under test, and what is needed besides, small and sensible."""
    besides, label = BESIDES.get(" ".join(words), []), option_of(words, tested)
    options = [*(besides if besides and besides[0] not in tested.opts else []), *BESIDES.get(label, [])]
    arguments: list[str] = []
    for parameter in command.params:
        few = isinstance(parameter.type, Within) and parameter.type.bound in FEW
        if parameter is tested:
            (arguments if isinstance(parameter, click.Argument) else options).extend(said * _times(parameter))
        elif isinstance(parameter, click.Argument) and _asked_for(words, parameter):
            arguments += values(words, parameter)[0][:1] * _times(parameter)
        elif option_of(words, parameter) in ONLY_WHEN_TESTED or parameter.opts[-1] in options:
            continue
        elif isinstance(parameter, click.Option) and (parameter.required or few):
            options += given(parameter, (*values(words, parameter)[0], "x")[0])
    if "--method=lp" in options:
        options = ["--method=lp"]  # which takes no limits
    return (*words, *options, "--", *INSTEAD.get(label, arguments))


def cases_of(words: tuple[str, ...], command: click.Command) -> list[Case]:
    """Each parameter of a command with each of its values, everything else small and sensible; every other as JSON."""
    cases = []
    for parameter in command.params:
        good, bad = values(words, parameter)
        rows = [(given(parameter, value), True) for value in good] + [(given(parameter, value), False) for value in bad]
        if isinstance(parameter, click.Option) and parameter.is_flag:
            spelled = [*parameter.opts, *parameter.secondary_opts]
            rows = [([one], True) for one in spelled] + [
                ([f"{one}={odd}"], False) for one in spelled for odd in ("x", "")
            ]
        for number, (said, sensible) in enumerate(rows):
            told = line(words, command, parameter, said)
            as_json = ("--json",) if number % 2 and "--json" not in told else ()
            cases.append(Case((*words, *as_json, *told[len(words) :]), option_of(words, parameter), sensible))
    return cases


def written(template: str) -> list[str]:
    """A file with each of its numbers, one after another, replaced by ones that make no sense."""
    files = []
    for spot in re.finditer(r"(?<![\w.])\d+(\.\d+)?", template):
        for number in (
            str(10**23),
            "nan",
            "inf",
            "-1",
            "0",
            str(10**9 + 1),
            "1e400",
            "1.5",
            '"x"',
            "9" * 5000,
            "[[1]]",
        ):
            files.append(template[: spot.start()] + number + template[spot.end() :])
    return files


def file_cases() -> list[Case]:
    """Numbers inside of files and of agents' specs."""
    cases = []
    for text in written(SPOT):
        words = ("spot", "--iterations=3", "--threads=1", "odd.toml")
        cases.append(Case(words, "spot FILE", False, {"odd.toml": text}))
    for number, text in enumerate([*written(GAME), *written(LIMIT)]):
        solve, match = (
            ("solve", "--iterations=2", "odd.game"),
            ("match", "--game=odd.game", "--hands=2", "random", "call"),
        )
        words, option = (match, "match --game") if number % 2 else (solve, "solve GAME")
        cases.append(Case(words, option, False, {"odd.game": text}))
    for option, agent, words in (
        ("size name", "raise", ("match", "--game=small.game", "--hands=2", "call")),
        ("size", "bots:Calls", ("match", "--game=small.game", "--hands=2", "call")),
        ("vary threshold translation name", "limit.blueprint", ("ask", "--hand=AsKd")),
        ("tight aggressive size", "formula", ("ask", "--game=holdem-limit", "--hand=AsKd")),
        ("trials seconds seed lenience", "aki", ("ask", "--game=holdem-limit", "--hand=AsKd")),
        ("mix needed fade levels", "vexbot", ("ask", "--game=holdem-limit", "--hand=AsKd")),
        (
            "seconds iterations threads memory belief bets ahead from technique device", "resolving:nolimit.blueprint",
            ("match", "--game=holdem-nolimit:stack=2000", "--hands=1", "call"),
        ),
    ):  # fmt: skip
        for key in option.split():
            for number in NUMBERS:
                place = "ask AGENT" if words[0] == "ask" else "match AGENTS"
                cases.append(Case((*words, f"{agent}?{key}={number}"), place, False))
    return cases


def all_cases() -> list[Case]:
    """Every option with every value."""
    return [case for words, command in commands().items() for case in cases_of(words, command)] + file_cases()


def some_cases(most: int, seed: int = 0) -> list[Case]:
    """For the suite: every good value of every option, the first bad ones of each, and others drawn from the rest."""
    rng, kept, rest, first = random.Random(seed), [], [], dict[str, int]()
    for case in all_cases():
        first[case.option] = first.get(case.option, 0) + (not case.good)
        (kept if case.good or first[case.option] <= FIRST else rest).append(case)
    return kept + rng.sample(rest, min(len(rest), max(0, most - len(kept))))


def random_case(rng: random.Random) -> Case:
    """A command with several options at once, each good or bad, and texts with some characters changed."""
    words, command = rng.choice(list(commands().items()))
    line, arguments, sensible = [], [], True
    for parameter in command.params:
        optional = isinstance(parameter, click.Option) and not parameter.required
        few = isinstance(parameter.type, Within) and parameter.type.bound in FEW
        if optional and not few and rng.random() < 0.7:
            continue
        if isinstance(parameter, click.Option) and parameter.is_flag:
            line.append(rng.choice([*parameter.opts, *parameter.secondary_opts]))
            continue
        good, bad = values(words, parameter)
        wrong = rng.random() < 0.3 or not good
        sensible &= not wrong
        for _ in range(2 if parameter.name == "agents" else 1):
            value = rng.choice(good) if not wrong else _changed(rng, rng.choice(good + bad), rng.random() < 0.5)
            (line if isinstance(parameter, click.Option) else arguments).extend(given(parameter, value))
    return Case((*words, *line, "--", *arguments), f"{' '.join(words)} at random", sensible)


def _changed(rng: random.Random, text: str, so: bool) -> str:
    if not so or not text:
        return text
    numbers = list(re.finditer(r"\d+", text))
    if numbers and rng.random() < 0.5:
        where = rng.choice(numbers)
        return text[: where.start()] + rng.choice(NUMBERS) + text[where.end() :]
    at = rng.randrange(len(text))
    return (
        text[:at] + rng.choice(["", "\x1b", "é", ":", "?", "-", "9" * 20, text[at] * 3]) + text[at + rng.randrange(2) :]
    )
