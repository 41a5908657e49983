"""The commands that README and docs show, and how wide what they print may be."""

import re

from pokerlab.terminal import WIDTH

READMES_PAPER = "pokerlab paper waugh2009-pathologies"  # run by the tests of that paper, which read its tables


def commands(page: str) -> list[str]:
    """The `pokerlab ...` lines of a page's code blocks, in order."""
    blocks = re.findall(r"^```\w*\n(.*?)^```$", page, flags=re.S | re.M)
    return [line for block in blocks for line in block.splitlines() if line.startswith("pokerlab ")]


def too_wide(text: str) -> list[str]:
    """Lines beyond the width of a terminal; a single word, such as a file's path, may be as long as it is."""
    return [line for line in text.splitlines() if len(line) > WIDTH and len(line.split()) > 1]
