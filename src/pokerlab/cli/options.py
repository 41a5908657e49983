"""Options that several commands take, each with one meaning, one unit and one way to be written.

    @option("--seed", "Of the samples.", default=1)

is the option of the table below with a sentence of the command's own behind its help. Names of games, methods, agents
and the like are completed by the shell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from pokerlab.bounds import EXPLOITABILITY, HANDS, ITERATIONS, PROCESSES, SECONDS, SEED, THREADS
from pokerlab.cli.number import Within
from pokerlab.cli.output import Output

if TYPE_CHECKING:  # which takes long to import
    from pokerlab.processes import Executor

# As in the registries, whose rooms take a second to import; a test holds them equal.
METHODS = (
    "lp", "cfr", "cfr+", "linear", "dcfr", "pcfr+", "fp", "egt", "omd", "double-oracle", "range-of-skill",
    "external-sampling", "outcome-sampling", "public-chance-sampling",
)  # fmt: skip
SPOT_METHODS = ("dcfr-spot", "dcfr", "cfr+")
DEVICES = ("cpu", "cuda", "auto")
SIMPLE_AGENTS = ("fold", "call", "raise", "probe", "random", "uniform", "human")
FIELD_AGENTS = ("rules", "formula", "rollout", "loki", "poki", "aki", "mcts", "vexbot", "brplayer", "brennus", "bpp")
SCORES = ("money", "all-in", "mivat", "check-call", "aivat")


class Named(click.types.StringParamType):
    """A name, which the shell completes; `files` do as well where they are asked for."""

    def __init__(self, kind: str, names: Callable[[], Iterable[str]], files: bool = False) -> None:
        self.name, self._names, self._files = kind, names, files

    def shell_complete(
        self, context: click.Context, parameter: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        known = [CompletionItem(name) for name in self._names() if name.startswith(incomplete)]
        return [*known, *[CompletionItem(incomplete, type="file")] * self._files]


def _of_packages(kind: str) -> list[str]:
    """The names that installed packages add to a registry."""
    from importlib.metadata import entry_points

    return [entry.name for entry in entry_points(group=f"pokerlab.{kind}s")]


def _games() -> list[str]:
    from pokerlab.game.catalog import CATALOG

    return list(CATALOG)


def _recipes() -> list[str]:
    from pokerlab.agents.recipes import RECIPES

    return list(RECIPES)


def _papers() -> list[str]:
    from pokerlab.papers import PAPERS

    return list(PAPERS)


GAME = Named("game", _games, files=True)
METHOD = Named("method", lambda: [*METHODS, *_of_packages("method")])
SPOT_METHOD = Named("method", lambda: SPOT_METHODS)
DEVICE = Named("device", lambda: [*DEVICES, *_of_packages("engine")])
AGENT = Named("agent", lambda: [*SIMPLE_AGENTS, *FIELD_AGENTS, *_recipes(), *_of_packages("agent")], files=True)
RECIPE = Named("name", _recipes)
PAPER = Named("name", _papers)
SCORE = Named("score", lambda: [*SCORES, *_of_packages("score")])

# Units of exploitability.
CHIPS, OF_THE_POT, OF_THE_BLINDS = "chips a hand", "per cent of the pot", "per cent of small and big blind together"
_SHARED: dict[str, dict[str, Any]] = {
    "--abstraction": {"help": "What the players are told of cards and bets, player 1 first, such as JQ.K-FULL."},
    "--board": {"default": "", "help": 'The board, such as "Qs Jh 2h".'},
    "--cluster": {"metavar": "ADDRESS", "help": "Work on a Ray cluster: ray, or ray://host:10001 (docs/scale.md)."},
    "--device": {"type": DEVICE, "default": "cpu", "show_default": True,
                 "help": "cpu, cuda, or auto: a GPU if that gains."},
    "--duplicate/--no-duplicate": {"show_default": True, "help": "Play every deal in every seating."},
    "--expert": {"help": "Whose decisions, by the name in the records."},
    "--exploitability": {"type": Within(EXPLOITABILITY), "help": "Stop at this exploitability, mean of the players."},
    "--fixed-seats": {"is_flag": True, "help": "Players keep their seats; by default these rotate from hand to hand."},
    "--flops": {"metavar": "FLOPS", "help": "Which flops: all, or how many."},
    "--fresh": {"is_flag": True, "help": "Begin anew, whatever an earlier run has kept."},
    "--game": {"type": GAME, "help": "The game: a name from `pokerlab games`, a file, or your own (my_lab:WAR)."},
    "--hand": {"help": "Hole cards, such as AsKd."},
    "--hands": {"type": Within(HANDS), "default": 3000, "show_default": True, "help": "How many deals to play."},
    "--host": {"default": "127.0.0.1", "show_default": True, "help": "Address to listen on; 0.0.0.0 is all of them."},
    "--html": {"type": Output(), "metavar": "FILE", "help": "Write a page here."},
    "--iterations": {"type": Within(ITERATIONS), "help": "Stop after so many iterations."},
    "--line": {"help": "Show the decision after these actions."},
    "--log": {"type": Output(grows=True), "metavar": "FILE",
              "help": "Write every hand here, in the competition's format."},
    "--method": {"show_default": True, "help": "How to solve it."},
    "--names": {"default": "", "help": "Of all players in the order of their ports, such as Alice,Bob."},
    "--out": {"metavar": "PATH", "help": "Where to write what is made."},
    "--precision": {"type": click.Choice(["single", "half"]), "help": "Half takes half the memory; by default single."},
    "--processes": {"type": Within(PROCESSES), "help": "How many processes to use; by default one a core."},
    "--resume": {"is_flag": True, "help": "Go on from where the same command left off."},
    "--score": {"type": SCORE, "show_default": True,
                "help": "What a hand counts: money, or with luck taken out by all-in, mivat, check-call or aivat."},
    "--seconds": {"type": Within(SECONDS), "help": "Stop after so many seconds."},
    "--seed": {"type": Within(SEED), "show_default": True, "help": "Of all that is left to chance."},
    "--skip-bad": {"is_flag": True, "help": "Leave out hands that cannot be read, and count them."},
    "--threads": {"type": Within(THREADS), "help": "How many threads to use."},
}  # fmt: skip


def option(name: str, also: str = "", *more: str, **given: Any) -> Callable[[Callable], Callable]:
    """A shared option with a command's own sentence, default or type; `more` names its parameter."""
    shared = _SHARED[name]
    return click.option(name, *more, **shared | given | {"help": f"{shared['help']} {also}".rstrip()})


def exploitability_option(unit: str, default: float) -> Callable[[Callable], Callable]:
    """The goal of a run, in its unit; where no other limit is given there is a default."""
    return option("--exploitability", f"In {unit}; by default {default:g}.")


def executor_for(processes: int | None, cluster: str | None) -> Executor:
    """Who does the work that splits, on so many processes of this computer or of a cluster."""
    from pokerlab.clusters import executor_of

    return executor_of(cluster, processes)


def either(names: Sequence[str]) -> str:
    """`a, b or c`."""
    return f"{', '.join(names[:-1])} or {names[-1]}"
