"""The Leduc half of Moravcik et al. (2016): every round-two subgame refined by all three techniques, exactly.

The paper prints no figures for such games, so the tables are ours alone. A subgame is a public state at the start of
round two. Each is refined for both players on its own: by CFR+ on the gadget, as in the paper, and by LP1 to LP3.
`worst change` is the most that one refined subgame adds to its player's exploitability; `before` and `after` are the
exploitability of the blueprint, and with all its subgames refined at once. `negative` counts margins below zero by
more than the solver's precision: of CFR+ how far it is from LP3 on the same blueprint, of programs their tolerance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from pokerlab import plots
from pokerlab.form.compile import compile
from pokerlab.form.evaluate import evaluate
from pokerlab.form.game import Game
from pokerlab.form.lift import lift
from pokerlab.form.strategy import Profile, random_profile
from pokerlab.papers.pieces import Pieces
from pokerlab.papers.report import Report, Row, Table
from pokerlab.progress import Bar
from pokerlab.refine.border import Border
from pokerlab.refine.gadgets import TECHNIQUES, gadget
from pokerlab.refine.refining import Refinement, combine, refine_at
from pokerlab.refine.subgame import subgames
from pokerlab.solvers.lp import TOLERANCE
from pokerlab.solvers.run import solve, stepper_of

LIMITS = {"iterations": 10_000}  # the paper's
QUICK_LIMITS = {"iterations": 10_000, "exploitability": 1e-4}
QUICK = {"leduc": (0, 3, 5, 7), "leduc:ranks=13,suits=4": (0,)}  # which blueprints
MARKS = (10, 30, 100, 300, 1_000, 3_000, 10_000)
QUICK_MARKS = MARKS[:5]
SEED = 2016
COLUMNS = ("mean margin", "least margin", "negative", "worst change", "before", "after")

Way = tuple[str, str, str]  # technique, method, gifts
WAYS: dict[str, Way] = {
    "endgame": ("endgame", "cfr+", "none"),
    "endgame, LP1": ("endgame", "lp", "none"),
    "re-solving": ("re-solving", "cfr+", "none"),
    "re-solving, LP2": ("re-solving", "lp", "none"),
    "max-margin": ("max-margin", "cfr+", "none"),
    "max-margin, LP3": ("max-margin", "lp", "none"),
    "reach-re-solving": ("re-solving", "cfr+", "split"),
    "reach-max-margin": ("max-margin", "cfr+", "split"),
}


@dataclass(frozen=True)
class Field:
    """A blueprint of a game, and what refining every round-two subgame brings, in every way and for both players.

    All in chips: `unit` is one mb, `exact` what programs forgive, `before` the blueprint's exploitability and `after`
    that with all subgames refined at once. `places` are the subgames: player, betting, board, and whether play comes
    there.
    """

    game: str
    blueprint: str
    unit: float
    exact: float
    before: float
    after: Mapping[str, float]
    places: Sequence[tuple[int, str, str, bool]]
    margin: Mapping[str, np.ndarray]
    gain: Mapping[str, np.ndarray]
    bound: Mapping[str, np.ndarray]

    def precision(self, way: str) -> float:
        """How far from its optimum the solver of a way may be: measured where the optimum is unique."""
        return self.exact if WAYS[way][1] == "lp" else self.apart + self.exact

    @property
    def apart(self) -> float:
        """How far CFR+ is from LP3's margin at most."""
        return float(abs(self.margin["max-margin"] - self.margin["max-margin, LP3"]).max())

    def row(self, way: str) -> Row:
        margins = self.margin[way]
        figures = (
            float(margins.mean()) / self.unit, float(margins.min()) / self.unit,
            int((margins < -self.precision(way)).sum()), max(0.0, float(-self.gain[way].min())) / self.unit,
            self.before / self.unit, self.after[way] / self.unit,
        )  # fmt: skip
        return Row.computed(f"{self.blueprint}: {way}", dict(zip(COLUMNS, figures, strict=True)))

    def notes(self) -> Iterator[dict[str, Any]]:
        """One record a subgame and player: margin and gain for each way."""
        for number, (player, betting, board, reached) in enumerate(self.places):
            yield {
                "game": self.game, "blueprint": self.blueprint, "player": player, "betting": betting, "board": board,
                "reached": reached, "unit": "chips",
                **{name: {way: float(figures[number]) for way, figures in by_way.items()}
                   for name, by_way in (("margin", self.margin), ("gain", self.gain), ("bound", self.bound))},
            }  # fmt: skip


def blueprints(game: Game, abstractions: Sequence[str]) -> dict[str, Callable[[], Profile]]:
    """Abstract equilibria, early iterates of CFR, an exact equilibrium and noisy copies of it."""
    assert game.origin is not None
    rules = game.origin.rules

    def abstract(text: str) -> Profile:
        return lift(solve(compile(rules, text), "cfr+", iterations=2_000, progress=False).strategy, game)

    def early(iterations: int) -> Profile:
        return solve(game, "cfr", iterations=iterations, progress=False).strategy

    def noisy(share: float) -> Profile:
        exact, noise = solve(game, "lp").strategy, random_profile(game, np.random.default_rng(SEED))
        pairs = zip(exact.behaviours, noise.behaviours, strict=True)
        return Profile(game, tuple((1 - share) * calm + share * wild for calm, wild in pairs))

    makers: dict[str, Callable[[], Profile]] = {f"abstract {text}": partial(abstract, text) for text in abstractions}
    makers |= {f"CFR, {iterations} iterations": partial(early, iterations) for iterations in (10, 100)}
    makers |= {f"equilibrium, {share:.0%} noise": partial(noisy, share) for share in (0.1, 0.3)}
    return makers | {"equilibrium": partial(noisy, 0.0)}


GAMES = {
    "leduc": ("JQ.K", "J.QK", "J.Q.K"),
    "leduc:ranks=13,suits=4": ("23.45.67.89.TJ.QKA", "23456.789T.JQKA"),
}


def refined(make: Callable[[], Profile], title: str, limits: Mapping[str, Any]) -> dict[str, Any]:
    """Refine every round-two subgame of one blueprint in every way: a `Field` but for its names. `limits` are those of
    CFR+.
    """
    profile = make()
    refinements: dict[str, list[Refinement]] = {way: [] for way in WAYS}
    every = subgames(profile.game, 1)
    with Bar(title) as bar:
        for player in range(2):
            for at, subgame in enumerate(every):
                border = Border(profile, subgame, player)
                for way, (technique, method, gifts) in WAYS.items():
                    options = {} if method == "lp" else limits
                    refinements[way].append(refine_at(border, technique, method=method, gifts=gifts, **options))
                figure = f"{subgame.name}  margin {refinements['max-margin'][-1].margin:.4f} chips"
                bar.show((player + (at + 1) / len(every)) / 2, figure)
    origin, first = profile.game.origin, refinements["max-margin"]
    assert origin is not None
    return {
        "unit": origin.rules.small_bet / 1000,
        "exact": TOLERANCE * float(max(node.state.pot for node in origin.nodes)),
        "before": float(evaluate(profile).exploitability),
        "after": {way: float(evaluate(combine(profile, all_of)).exploitability) for way, all_of in refinements.items()},
        "places": tuple((one.player + 1, one.subgame.betting, ",".join(one.subgame.boards), bool(one.border.reached))
                        for one in first),
        **{name: {way: np.array([getattr(one, name) for one in all_of]) for way, all_of in refinements.items()}
           for name in ("margin", "gain", "bound")},
    }  # fmt: skip


def reproduce(quick: bool, pieces: Pieces) -> Report:
    """Both games; `quick` takes fewer blueprints, stops CFR+ at 1e-4 chips, and draws shorter curves."""
    limits, marks = (QUICK_LIMITS, QUICK_MARKS) if quick else (LIMITS, MARKS)
    fields, traces = list[Field](), {}
    for name, abstractions in GAMES.items():
        made = blueprints(compile(name), abstractions)
        for i, (label, make) in enumerate(made.items()):
            if quick and i not in QUICK[name]:
                continue
            title = f"{name}, {label}"
            fields.append(Field(name, label, **pieces.of(title, refined, make, title, limits)))
            if name == "leduc" and label.startswith("abstract"):
                traces[label] = pieces.of(f"{title}, over iterations", trace, make, marks)
    rows = {name: [f.row(way) for f in fields if f.game == name for way in WAYS] for name in GAMES}
    tables = [Table(f"Round two of {name}", "mb, mb/h", COLUMNS, lines) for name, lines in rows.items()]
    figure = {"moravcik2016-max-margin-leduc.svg": partial(draw, traces=traces, marks=marks, unit=fields[0].unit)}
    notes = {"leduc_subgames": [note for f in fields for note in f.notes()], "leduc_checks": list(checks(fields))}
    return Report("moravcik2016-max-margin", tables, notes, list(_sentences(fields)), figure)


def checks(fields: Sequence[Field]) -> Iterator[dict[str, Any]]:
    """What must hold, measured, for each field; in chips."""
    for each in fields:
        exact, rivals = each.margin["max-margin, LP3"], np.array([each.margin[way] for way in WAYS])
        slack = np.array([each.gain[way] - each.bound[way] for way in WAYS])
        yield {
            "game": each.game, "blueprint": each.blueprint, "subgames": len(exact), "unit": "chips",
            "lp_and_cfr_apart": each.apart,
            "max_margin_behind": float((rivals.max(axis=0) - exact).max()),
            "least": {way: float(each.margin[way].min()) for way in WAYS},
            "theorem_1": slack.size, "theorem_1_slack": float(slack.min()),
        }  # fmt: skip


def _sentences(fields: Sequence[Field]) -> Iterator[str]:
    checked = list(checks(fields))
    count = sum(check["subgames"] for check in checked)

    def least(way: str) -> float:
        return min(float(check["least"][way]) for check in checked)

    apart = max(check["lp_and_cfr_apart"] for check in checked)
    behind = max(0.0, *(check["max_margin_behind"] for check in checked))
    slack = max(0.0, *(-check["theorem_1_slack"] for check in checked))
    yield "mb are thousandths of a small bet; margins a time that the opponent is in its worst root infoset."
    yield (
        f"{count} refinements a technique. CFR+ on Gadget 3 comes within {apart:.1e} chips of LP3; no technique has a "
        f"margin above LP3's by more than {behind:.1e}."
    )
    yield (
        f"Least margins in chips: LP3 {least('max-margin, LP3'):.1e}, LP2 {least('re-solving, LP2'):.1e}, re-solving "
        f"by CFR+ {least('re-solving'):.1e}, endgame solving {least('endgame'):.2f}."
    )
    yield (
        f"Theorem 1's inequality on {sum(check['theorem_1'] for check in checked)} combined strategies: the gain is "
        f"never below the bound by more than {slack:.1e} chips."
    )


def trace(make: Callable[[], Profile], marks: Sequence[int]) -> dict[str, np.ndarray]:
    """The mean margin over all round-two subgames and both players after so many iterations of CFR+, in chips."""
    profile = make()
    totals = {technique: np.zeros(len(marks)) for technique in TECHNIQUES}
    every = subgames(profile.game, 1)
    for player in range(2):
        for subgame in every:
            border = Border(profile, subgame, player)
            for technique in TECHNIQUES:
                made = gadget(border, technique)
                stepper = stepper_of(made.game, "cfr+")
                for i, mark in enumerate(marks):
                    stepper.step(mark - stepper.iteration)
                    totals[technique][i] += border.margin(made.combined(stepper.profile()[player]))
    return {technique: total / (2 * len(every)) for technique, total in totals.items()}


def draw(path: Path, traces: dict[str, dict[str, np.ndarray]], marks: Sequence[int], unit: float) -> None:
    """The mean margins over iterations, in the manner of the paper's Figure 5."""

    def paint(grid: np.ndarray) -> None:
        for axes, (label, techniques) in zip(grid[0], traces.items(), strict=True):
            for technique, margins in techniques.items():
                axes.plot(marks, margins / unit, marker=".", label=technique)
            axes.axhline(0.0, color="grey", linewidth=0.8)
            axes.set(xscale="log", xlabel="iterations of CFR+", title=f"Leduc, {label}")
        grid[0, 0].set_ylabel("mean margin, mb")
        grid[0, 0].legend()

    plots.draw(path, "Mean margins of the subgames of Leduc", paint, (3.6 * len(traces), 3.6), 1, len(traces))
