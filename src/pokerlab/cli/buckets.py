"""`pokerlab buckets`: card abstractions of hold'em, built and looked into."""

from __future__ import annotations

import click

from pokerlab.cli.options import executor_for, option
from pokerlab.cli.output import Output, json_option, keeping, show

SPECS = """A SPEC has a bucketing for each street, as in 169/potential:200/potential:200/kmeans:200 or
percentile:5/percentile:5/percentile:5/percentile:5: lossless, fixed:K, percentile:K, nested:KxJ, kmeans:K,
distribution:K or potential:K; or it is range-of-skill, range-of-skill-10 or potential-1000 (docs/cards.md)."""

_recall_option = click.option(
    "--recall",
    type=click.Choice(["perfect", "imperfect"]),
    help="Whether buckets know their past; perfect, unless the name of the SPEC says otherwise.",
)
_seed_option = option("--seed", "Of the samples.", default=1)
_html_option = option("--html", "With the report.")


@click.group()
def buckets() -> None:
    """Build card abstractions of hold'em, and look into them."""


@buckets.command(epilog=SPECS)
@click.argument("spec")
@_recall_option
@_seed_option
@option("--out", "The abstraction's file, beside the one in the cache.", type=Output())
@_html_option
@option("--fresh", "Also if it is in the cache.")
@option("--cluster", "It makes the strengths of all hands, where they are not kept yet.")
@json_option
def build(
    spec: str, recall: str | None, seed: int, out: str | None, html: str | None, fresh: bool, cluster: str | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Build the card abstraction SPEC, or find it in the cache.

    Ctrl-C loses nothing but the street under way: the same command goes on.
    """
    from pokerlab.abstraction.buckets.build import build_buckets, cached_buckets, cached_path
    from pokerlab.abstraction.buckets.html import write_page
    from pokerlab.abstraction.buckets.report import describe, heading, report, size_lines
    from pokerlab.abstraction.buckets.spec import parse_spec
    from pokerlab.writing import check_folder

    wanted = parse_spec(spec, perfect_recall=None if recall is None else recall == "perfect", seed=seed)
    kept = None if fresh else cached_buckets(wanted)
    if kept is None and out is None:
        check_folder(cached_path(wanted).parent)  # where else would it go, after minutes of work?
    with keeping("finished streets are kept, and the same command (without --fresh) goes on"):
        executor = executor_for(None, cluster) if cluster else None  # else threads of this process
        cards = kept or build_buckets(wanted, fresh=fresh, executor=executor)
    path = cached_path(wanted)
    lines = [*heading(cards), *size_lines(cards)]
    if path.exists():
        where = f"already in the cache: {path}" if kept else f"kept in the cache: {path}"
        lines.append(f"{where} ({path.stat().st_size / 1e6:.1f} MB)")
    told = describe(cards) | {"cached": kept is not None, "file": out or (str(path) if path.exists() else None)}
    if out:
        cards.save(out)
        lines.append(f"written to {out}")
    if html:
        write_page(report(cards), html)
        lines.append(f"page written to {html}")
    show(told, as_json, lines)


@buckets.command(name="show", epilog=SPECS)
@click.argument("file_or_spec", metavar="FILE|SPEC")
@_recall_option
@_seed_option
@option("--hand", "Show the buckets of these.")
@option("--board", "With --hand.")
@_html_option
@json_option
def show_buckets(
    file_or_spec: str, recall: str | None, seed: int, hand: str | None, board: str, html: str | None, as_json: bool
) -> None:
    """Report on an abstraction: sizes, strengths, moves between streets. Or the buckets of one hand.

    It is a FILE written by `pokerlab buckets build --out`, or a SPEC that was built.
    """
    from pokerlab.abstraction.buckets.build import find_buckets
    from pokerlab.abstraction.buckets.html import write_page
    from pokerlab.abstraction.buckets.one_hand import hand_lines, hand_on_board, hand_rows
    from pokerlab.abstraction.buckets.report import describe, heading, lines, report
    from pokerlab.cards.deck import Deck
    from pokerlab.errors import PokerlabError

    if board and not hand:
        raise PokerlabError("--board needs --hand: whose buckets are asked for?")
    asked = hand_on_board(hand, board) if hand else None
    cards = find_buckets(file_or_spec, None if recall is None else recall == "perfect", seed)
    if asked:
        rows = hand_rows(cards, *asked)
        told = describe(cards) | {"hand": Deck().text(asked[0]), "rows": rows}
        text = [heading(cards)[0], *hand_lines(cards, rows)]
    if html or not asked:
        whole = report(cards)
        if not asked:
            told, text = whole.summary(), lines(whole)
        if html:
            write_page(whole, html)
            text.append(f"page written to {html}")
    show(told, as_json, text)
