"""The report on a card abstraction as one page.

Large heat maps are images of one colour, more or less see-through, so that they fit light and dark.
"""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Callable
from html import escape
from pathlib import Path

import numpy as np

from pokerlab.abstraction.buckets.report import Report, StreetReport, chosen, quantiles, spread_out
from pokerlab.errors import PokerlabError
from pokerlab.page import BLUE, cells, line, said, scale_colour, scrolled, svg, table, text, upright
from pokerlab.page import page as whole_page
from pokerlab.writing import replacing, why

_STYLE = """
svg text.deep { fill: #fff; }
.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(164px, 1fr)); gap: .9rem 1rem; }
.grid figure { margin: 0; } .grid figcaption { font-size: .8rem; color: var(--quiet); line-height: 1.3; }
.grid b { color: var(--ink); } .grid svg { width: 100%; }
.bar { fill: var(--mark); } .soft { fill: var(--soft); }
.trace { fill: none; stroke: var(--mark); stroke-width: 1.6; } .pixels { image-rendering: pixelated; }
"""

_FEW = 24  # small multiples a street
_ENOUGH = 5  # buckets that need no plot of them all
_CELLS = 320  # rows or columns of a heat map; more are added up in stretches
_BOX = 640  # the size of a heat map, and
_SQUARE = 30  # the largest of its cells, which has room for a number
_MOST_SQUARES = 5000  # cells that are drawn one by one, not as an image


def write_page(report: Report, path: str | Path) -> None:
    """The whole page, to a file."""
    try:
        with replacing(path) as file:
            file.write(page(report).encode())
    except OSError as problem:
        raise PokerlabError(f"cannot write {path}: {why(problem)}") from None


def page(report: Report) -> str:
    """The whole page."""
    cards = report.cards
    stages = ", ".join(f"{name} {seconds:,.0f} s" for name, seconds in cards.stages.items())
    about = (
        f"{cards.spec.recall.capitalize()} recall, seed {cards.spec.seed}; built in {cards.seconds:,.0f} s ({stages})."
    )
    parts = [said(f"{about} All figures are counted over all deals."), _overview(report)]
    if cards.perfect_recall:
        parts.append(_tree(report))
    parts += [_street(report, street) for street in range(4)]
    return whole_page(f"Buckets: {cards.spec.text}", parts, _STYLE)


def _overview(report: Report) -> str:
    whole = "parent" if report.cards.perfect_recall else "all"
    head = ["street", "bucketing", "buckets", "empty", f"least share of {whole}", "median", "most", "explained"]
    rows = []
    for street in report.streets:
        least, _, middle, _, most = quantiles(street.shares_of_parent)
        explained = "–" if street.explained is None else f"{street.explained:.2%}"
        shares = [f"{x:.3%}" for x in (least, middle, most)]
        figures = [f"{len(street.deals):,}", f"{street.empty:,}", *shares, explained]
        rows.append(cells([street.name, street.bucketing, *figures]))
    return table(head, rows) + said(
        "Explained: the part of the variance of strength (E[HS], on the river the strength itself) that lies between "
        "buckets and not in them."
    )


def _street(report: Report, number: int) -> str:
    street = report.streets[number]
    parts = [f"<h2>{street.name.capitalize()}: {escape(street.bucketing)}</h2>"]
    if street.strengths is None:
        return parts[0] + said(f"{len(street.deals):,} buckets are too many to look into.")
    if len(street.deals) > _ENOUGH:
        parts.append("<h3>Sizes and strengths</h3>" + _all_buckets(street))
    if street.bucketing != "lossless":
        rows = chosen(street, _FEW)
        some = f"{len(rows)} of {len(street.deals):,} buckets, evenly from weak to strong"
        which = some if len(rows) < len(street.deals) else "All buckets"
        parts.append(
            f"<h3>Strengths in buckets</h3>{said(f'{which}: deals by E[HS] from 0 to 1.')}"
            f"<div class=grid>{''.join(_small(report, number, int(bucket)) for bucket in rows)}</div>"
        )
    if street.moves is not None:
        parts.append(_move_map(street, report.streets[number + 1]))
    return "\n".join(parts)


def _small(report: Report, number: int, bucket: int) -> str:
    """The histogram of one bucket."""
    street = report.streets[number]
    means, spreads = street.means, street.spreads
    assert street.strengths is not None
    assert means is not None
    assert spreads is not None
    columns = street.strengths[bucket].reshape(50, -1).sum(axis=1)
    heights = 46 * columns / columns.max()
    bars = "".join(
        f'<rect class=bar x="{3.2 * i:.1f}" y="{50 - height:.1f}" width="2.7" height="{height:.1f}"/>'
        for i, height in enumerate(heights)
        if height
    )
    path = (
        " · " + ".".join(map(str, report.cards.path(number, bucket))) if report.cards.perfect_recall and number else ""
    )
    picture = f'<svg viewBox="0 0 160 52">{bars}{line(0, 50.5, 160, 50.5, "axis")}</svg>'
    caption = (
        f"<b>{bucket}</b>{path} · {street.shares[bucket]:.3%}<br>E[HS] {means[bucket]:.3f} ± {spreads[bucket]:.3f}"
    )
    return f"<figure>{picture}<figcaption>{caption}</figcaption></figure>"


_WIDTH, _LEFT, _BOTTOM = 1040, 64, 40


def _all_buckets(street: StreetReport) -> str:
    """Shares and strengths of all buckets, ordered from weak to strong along the same axis."""
    order = chosen(street, len(street.deals))
    strengths = street.strengths
    assert strengths is not None
    inside = _WIDTH - _LEFT - 8
    shares = street.shares[order]
    top = float(shares.max())
    height, gap, tall = 120, 26, 220

    def x(place: float) -> float:
        return _LEFT + inside * place / len(order)

    steps = [(x(i), height - height * 0.94 * share / top) for i, share in enumerate(shares)]
    trace = " ".join(f"{at:.1f},{y:.1f} {x(i + 1):.1f},{y:.1f}" for i, (at, y) in enumerate(steps))
    equal = height - height * 0.94 / len(street.deals) / top
    odds = _summed(strengths[order].reshape(len(order), 100, -1).sum(axis=2), rows=_CELLS, columns=100)
    odds = odds / np.maximum(odds.max(axis=1, keepdims=True), 1)
    begin = height + gap
    parts = [
        f'<polygon class=soft points="{_LEFT},{height} {trace} {x(len(order)):.1f},{height}"/>',
        f'<polyline class=trace points="{trace}"/>',
        line(_LEFT, equal, _WIDTH - 8, equal),
        line(_LEFT, height, _WIDTH - 8, height, "axis"),
        text(_LEFT - 6, height * 0.06 + 4, f"{top:.2%}", "end"),
        text(_LEFT - 6, height, "0", "end"),
        text(_LEFT - 6, equal + 4, "equal", "end") if 14 < equal < height - 14 and equal > height * 0.06 + 16 else "",
        upright(13, height / 2, "share"),
        _image(odds.T[::-1], _LEFT, begin, inside, tall),
        f'<rect class=rule fill="none" x="{_LEFT}" y="{begin}" width="{inside}" height="{tall}"/>',
        *(text(_LEFT - 6, begin + tall - tall * tick + 4, f"{tick:g}", "end") for tick in (0, 0.25, 0.5, 0.75, 1)),
        upright(13, begin + tall / 2, "E[HS]"),
        text(_LEFT + inside / 2, begin + tall + 22, f"{len(order):,} buckets from weak to strong", "middle"),
    ]
    label = f"Shares and strengths of the buckets of the {street.name}"
    return scrolled(svg(_WIDTH, begin + tall + 30, label, parts))


def _move_map(street: StreetReport, after: StreetReport) -> str:
    """The transition matrix, buckets from weak to strong, each row as a part of its whole."""
    moves = street.moves
    assert moves is not None
    rows, columns = chosen(street, len(street.deals)), chosen(after, len(after.deals))
    ordered = _summed(moves[rows][:, columns], _CELLS, _CELLS)
    odds = ordered / np.maximum(ordered.sum(axis=1, keepdims=True), 1)
    across, down = (min(_SQUARE, _BOX / size) for size in odds.shape[::-1])
    wide, tall = odds.shape[1] * across, odds.shape[0] * down
    if odds.size <= _MOST_SQUARES:
        parts = _squares(odds, rows, columns, across, down)
    else:
        most = np.quantile(odds[odds > 0], 0.995)
        parts = [_image(np.sqrt(np.minimum(odds / most, 1)), _LEFT, 0, wide, tall)]
    parts += [
        f'<rect class=rule fill="none" x="{_LEFT}" y="0" width="{wide:.1f}" height="{tall:.1f}"/>',
        *_numbers(rows, down, lambda at, name: text(_LEFT - 6, at + 4, name, "end")),
        *_numbers(columns, across, lambda at, name: text(_LEFT + at, tall + 16, name, "middle")),
        upright(13, tall / 2, street.name),
        text(_LEFT + wide / 2, tall + 34, after.name, "middle"),
    ]
    title = f"From {street.name} to {after.name}"
    about = (
        f"Rows are buckets of the {street.name}, columns buckets of the {after.name}, both from weak to strong; colour "
        f"goes with the root of the probability. A bucket leads to {spread_out(moves):.1f} of {moves.shape[1]:,} "
        "buckets on average (2 to the entropy)."
    )
    return f"<h3>{title}</h3>{said(about)}{scrolled(svg(_LEFT + wide + 8, tall + _BOTTOM, title, parts))}"


def _numbers(buckets: np.ndarray, cell: float, place: Callable[[float, str], str]) -> list[str]:
    """Numbers beside cells that are large enough for them."""
    return [place((i + 0.5) * cell, str(bucket)) for i, bucket in enumerate(buckets)] if cell == _SQUARE else []


def _squares(odds: np.ndarray, rows: np.ndarray, columns: np.ndarray, across: float, down: float) -> list[str]:
    """Cells that tell their probability when pointed at, and where there is room print it."""
    colour = "rgb({},{},{})".format(*BLUE)
    parts = []
    for i, j in zip(*np.nonzero(odds), strict=True):
        x, y = _LEFT + j * across, i * down
        parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{across - min(1, across / 8):.1f}" '
            f'height="{down - min(1, down / 8):.1f}" fill="{colour}" fill-opacity="{float(np.sqrt(odds[i, j])):.3f}">'
            f"<title>{rows[i]} to {columns[j]}: {odds[i, j]:.2%}</title></rect>"
        )
        if across == down == _SQUARE and odds[i, j] >= 0.005:
            ink = "deep" if odds[i, j] > 0.3 else ""
            parts.append(text(x + across / 2 - 0.5, y + down / 2 + 4, f"{100 * odds[i, j]:.0f}", "middle", ink))
    return parts


def _tree(report: Report) -> str:
    """Buckets under their parents, as wide as their share, coloured by their strength."""
    tall, inside = 46, _WIDTH - _LEFT - 8
    parts = []
    for number, street in enumerate(report.streets):
        means, y = street.means, number * (tall + 4)
        parts.append(text(_LEFT - 8, y + tall / 2 + 4, street.name, "end"))
        if means is None:
            continue
        ends = np.cumsum(street.shares) * inside
        if len(street.deals) > 1500:  # narrower than a pixel: the bucket at each pixel
            at = np.searchsorted(ends, np.arange(inside) + 0.5).clip(0, len(ends) - 1)
            parts.append(_colours(np.nan_to_num(means[at]), _LEFT, y, inside, tall))
            continue
        for bucket in np.flatnonzero(street.deals):
            width = ends[bucket] - (ends[bucket - 1] if bucket else 0)
            path = ".".join(map(str, report.cards.path(number, int(bucket))))
            told = f"{path}: {street.shares_of_parent[bucket]:.2%} of its parent, E[HS] {means[bucket]:.3f}"
            edge = min(1.0, width * 0.15)
            parts.append(
                f'<rect x="{_LEFT + ends[bucket] - width:.2f}" y="{y}" width="{max(width - edge, 0.3):.2f}" '
                f'height="{tall}" fill="rgb{scale_colour(means[bucket])}"><title>{told}</title></rect>'
            )
    below = 4 * (tall + 4)
    ramp = np.linspace(0, 1, 200)
    parts += [
        _colours(ramp, _LEFT, below + 10, 200, 10),
        text(_LEFT + 206, below + 19, "E[HS] from 0 to 1", "start"),
    ]
    about = "Each bucket under its parent, as wide as its share of all deals, coloured by its mean strength."
    picture = scrolled(svg(_WIDTH, below + 28, "Buckets by parent", parts))
    return f"<h2>Buckets by parent</h2>{said(about)}{picture}"


def _summed(table: np.ndarray, rows: int, columns: int) -> np.ndarray:
    """A table with at most so many rows and columns: stretches of them are added up."""
    for axis, most in ((0, rows), (1, columns)):
        size = table.shape[axis]
        if size > most:
            table = np.add.reduceat(table, np.arange(most) * size // most, axis=axis)
    return table


def _colours(strengths: np.ndarray, x: float, y: float, width: float, height: float) -> str:
    """A row of strengths as a strip of colours."""
    pixels = np.array([(*scale_colour(float(strength)), 255) for strength in strengths], np.uint8)
    return _placed(pixels[None], x, y, width, height)


def _image(depths: np.ndarray, x: float, y: float, width: float, height: float) -> str:
    """A heat map of depths from 0 to 1."""
    pixels = np.empty((*depths.shape, 4), np.uint8)
    pixels[..., :3] = BLUE
    pixels[..., 3] = np.round(255 * depths)
    return _placed(pixels, x, y, width, height)


def _placed(pixels: np.ndarray, x: float, y: float, width: float, height: float) -> str:
    data = base64.b64encode(_png(pixels)).decode()
    return (
        f'<image class=pixels x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
        f'preserveAspectRatio="none" href="data:image/png;base64,{data}"/>'
    )


def _png(pixels: np.ndarray) -> bytes:
    """An image of red, green, blue and opacity: uint8 [rows, columns, 4]."""
    rows, columns, _ = pixels.shape

    def piece(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    lines = np.concatenate([np.zeros((rows, 1), np.uint8), pixels.reshape(rows, -1)], axis=1)  # no filter
    head = struct.pack(">IIBBBBB", columns, rows, 8, 6, 0, 0, 0)
    body = piece(b"IHDR", head) + piece(b"IDAT", zlib.compress(lines.tobytes(), 9)) + piece(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body
