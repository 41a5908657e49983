"""`pokerlab buckets`: card abstractions of hold'em, built and looked into."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pokerlab.cli.output import json_option, show

if TYPE_CHECKING:
    from pokerlab.abstraction.buckets.lookup import CardAbstraction
    from pokerlab.abstraction.buckets.report import Report

SPECS = """A SPEC has a bucketing for each street, as in 169/potential:200/potential:200/kmeans:200 or
percentile:5/percentile:5/percentile:5/percentile:5: lossless, fixed:K, percentile:K, nested:KxJ, kmeans:K,
distribution:K or potential:K; or it is range-of-skill, range-of-skill-10 or potential-1000 (docs/cards.md)."""

_recall_option = click.option(
    "--recall",
    type=click.Choice(["perfect", "imperfect"]),
    help="Whether buckets know their past; perfect, unless the name of the SPEC says otherwise.",
)
_seed_option = click.option("--seed", type=int, default=1, show_default=True, help="Of the samples.")
_html_option = click.option("--html", type=click.Path(dir_okay=False), help="Write the report here, as one page.")


@click.group()
def buckets() -> None:
    """Build card abstractions of hold'em, and look into them."""


@buckets.command(epilog=SPECS)
@click.argument("spec")
@_recall_option
@_seed_option
@click.option("--out", type=click.Path(dir_okay=False), help="Write the abstraction here too, as one file.")
@_html_option
@click.option("--fresh", is_flag=True, help="Build it again, even if it is in the cache.")
@json_option
def build(
    spec: str, recall: str | None, seed: int, out: str | None, html: str | None, fresh: bool, as_json: bool
) -> None:
    """Build the card abstraction SPEC, or find it in the cache.

    Ctrl-C loses nothing but the street under way: the same command goes on.
    """
    from pokerlab.abstraction.buckets.build import build_buckets, cached_buckets, cached_path
    from pokerlab.abstraction.buckets.report import describe, heading, report, size_lines
    from pokerlab.abstraction.buckets.spec import parse_spec

    wanted = parse_spec(spec, perfect_recall=None if recall is None else recall == "perfect", seed=seed)
    kept = None if fresh else cached_buckets(wanted)
    try:
        cards = kept or build_buckets(wanted, fresh=fresh)
    except KeyboardInterrupt:
        click.echo("finished streets are kept: run the same command (without --fresh) to go on", err=True)
        raise
    path = cached_path(wanted)
    where = f"already in the cache: {path}" if kept else f"kept in the cache: {path}"
    lines = [*heading(cards), *size_lines(cards), f"{where} ({path.stat().st_size / 1e6:.1f} MB)"]
    found: dict[str, Any] = describe(cards) | {"cached": kept is not None, "file": str(path)}
    if out:
        cards.save(out)
        found["file"] = out
        lines.append(f"written to {out}")
    if html:
        _write_page(report(cards), html)
        lines.append(f"report written to {html}")
    show(found, as_json, lines)


@buckets.command(name="show", epilog=SPECS)
@click.argument("file_or_spec", metavar="FILE|SPEC")
@_recall_option
@_seed_option
@click.option("--hand", help="Show the buckets of this hand, such as AsKd.")
@click.option("--board", default="", help='With --hand: the board, such as "Qs Jh 2h".')
@_html_option
@json_option
def show_buckets(
    file_or_spec: str, recall: str | None, seed: int, hand: str | None, board: str, html: str | None, as_json: bool
) -> None:
    """Report on an abstraction: sizes, strengths, moves between streets. Or the buckets of one hand.

    It is a FILE written by `pokerlab buckets build --out`, or a SPEC that was built.
    """
    from pokerlab.abstraction.buckets.report import describe, heading, lines, report
    from pokerlab.errors import PokerlabError

    if board and not hand:
        raise PokerlabError("--board needs --hand: whose buckets are asked for?")
    asked = _cards(hand, board) if hand else None
    cards = _found(file_or_spec, recall, seed)
    found: dict[str, Any]
    if asked:
        found, text = _hand(cards, *asked)
        found, text = describe(cards) | found, [heading(cards)[0], *text]
    if html or not asked:
        whole = report(cards)
        if not asked:
            found, text = whole.summary(), lines(whole)
        if html:
            _write_page(whole, html)
            text.append(f"report written to {html}")
    show(found, as_json, text)


def _found(file_or_spec: str, recall: str | None, seed: int) -> CardAbstraction:
    from pokerlab.abstraction.buckets.build import cached_buckets
    from pokerlab.abstraction.buckets.lookup import load_buckets
    from pokerlab.abstraction.buckets.spec import parse_spec
    from pokerlab.errors import AbstractionError

    if Path(file_or_spec).is_file():
        return load_buckets(file_or_spec)
    try:
        spec = parse_spec(file_or_spec, perfect_recall=None if recall is None else recall == "perfect", seed=seed)
    except AbstractionError as problem:
        raise AbstractionError(f"no file {file_or_spec}, and as a spec: {problem}") from None
    cards = cached_buckets(spec)
    if cards is None:
        given = f"{file_or_spec} --recall {spec.recall}" + (f" --seed {seed}" if seed != 1 else "")
        raise AbstractionError(f"not built yet: run `pokerlab buckets build {given}`")
    return cards


def _cards(hand: str, board: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    from pokerlab.cards.deck import Deck
    from pokerlab.errors import CardError

    deck = Deck()
    hole, shown = deck.cards(hand), deck.cards(board)
    deck.cards(f"{hand} {board}")  # no card twice
    if len(hole) != 2 or len(shown) not in (0, 3, 4, 5):
        raise CardError(f"a hand has two cards and a board none, three, four or five, not {len(hole)} and {len(shown)}")
    return hole, shown


def _hand(cards: CardAbstraction, hole: tuple[int, ...], shown: tuple[int, ...]) -> tuple[dict[str, Any], list[str]]:
    """The buckets of a hand on each street of a board."""
    from pokerlab.abstraction.buckets.lookup import SIZES
    from pokerlab.cards.deck import STREETS, Deck
    from pokerlab.cards.strength import expected_strength

    deck = Deck()
    lines = [f"{'street':<8} {'board':<14} {'E[HS]':>6} {'bucket':>8} {'of':>9} {'share':>9}"
             + (f" {'of parent':>9}  path" if cards.perfect_recall else "")]  # fmt: skip
    rows = []
    for street in range(SIZES.index(len(shown)) + 1):
        seen = shown[: SIZES[street]]
        bucket, strength = cards.bucket(hole, seen), expected_strength(hole, seen)
        share, of_parent = float(cards.shares(street)[bucket]), float(cards.shares_of_parent(street)[bucket])
        row: dict[str, Any] = {
            "street": STREETS[street], "board": deck.text(seen), "strength": round(strength, 6), "bucket": bucket,
            "share": share, "share_of_parent": of_parent,
        }  # fmt: skip
        line = (
            f"{STREETS[street]:<8} {deck.text(seen):<14} {strength:>6.4f} {bucket:>8} {cards.counts[street]:>9,} "
            f"{share:>9.3%}"
        )
        if cards.perfect_recall:
            path = cards.path(street, bucket)
            row["path"] = list(path)
            line += f" {of_parent:>9.2%}  {'.'.join(map(str, path))}"
        rows.append(row)
        lines.append(line)
    return {"hand": deck.text(hole), "rows": rows}, lines


def _write_page(found: Report, path: str) -> None:
    from pokerlab.abstraction.buckets.html import page
    from pokerlab.errors import PokerlabError

    try:
        Path(path).write_text(page(found), encoding="utf-8")
    except OSError as problem:
        raise PokerlabError(f"cannot write {path}: {problem.strerror}") from None
