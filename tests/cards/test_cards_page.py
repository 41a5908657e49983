"""The examples of docs/cards.md give what their comments say, numbers rounded to four digits."""

import re
from pathlib import Path

import numpy as np
import pytest

PAGE = Path(__file__).parents[2] / "docs" / "cards.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.S)


def rounded(value):
    if isinstance(value, tuple | list):
        return type(value)(map(rounded, value))
    return round(float(value), 4) if isinstance(value, float | np.floating | np.ndarray) else value


def test_examples():
    names, checked = {}, 0
    for block in BLOCKS:
        kept = []
        for line in block.splitlines():
            expression, comment, expected = line.partition("  # ")
            if comment:
                exec("\n".join(kept), names)
                assert repr(rounded(eval(expression, names))) == expected, line
                kept, checked = [], checked + 1
            else:
                kept.append(line)
        exec("\n".join(kept), names)
    assert checked >= 30


@pytest.mark.parametrize("name", ["Ranges", "Equity", "Strength", "Texture"])
def test_sections(name):
    assert f"\n## {name}\n" in PAGE.read_text()
