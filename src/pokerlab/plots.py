"""Pictures by matplotlib, each with a title, in one style and the colours of our pages; without matplotlib, none."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from pokerlab.page import COLOURS
from pokerlab.writing import replacing

_STYLE = {
    "axes.axisbelow": True, "axes.grid": True, "axes.spines.right": False, "axes.spines.top": False,
    "figure.constrained_layout.use": True, "grid.alpha": 0.3, "legend.fontsize": 8, "lines.linewidth": 1.4,
    "svg.hashsalt": "pokerlab",
}  # fmt: skip

MISSING = "no pictures were drawn, for matplotlib is missing: pip install 'pokerlab[plots]'"


def can_draw() -> bool:
    """Whether matplotlib is there."""
    return find_spec("matplotlib") is not None


def draw(
    path: Path,
    title: str,
    paint: Callable[[np.ndarray], None],
    size: tuple[float, float],
    rows: int = 1,
    columns: int = 1,
) -> None:
    """Let `paint` fill the axes [rows, columns] of a picture of this size in inches under a title, and write it."""
    if not can_draw():
        return
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    style: Any = _STYLE | {"axes.prop_cycle": plt.cycler(color=COLOURS)}
    with matplotlib.rc_context(style):
        figure, axes = plt.subplots(rows, columns, figsize=size, squeeze=False)
        paint(axes)
        figure.suptitle(title)
        with replacing(path) as file:
            figure.savefig(file, format=path.suffix.removeprefix("."))
        plt.close(figure)
