"""Reports of the folder, shown as the pages that they are: tournaments, papers, buckets, case bases.

Tournaments and `--html` have left pages; a paper has left its figures as JSON, of which the page is made here. A file
may be a stranger's: what is served runs no script but ours, fetches nothing and has no part in the tables' origin.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from pokerlab.errors import NoSuchTable, PokerlabError, shown
from pokerlab.match.tournament.folder import Folder
from pokerlab.page import MARK, SCRIPT, source_of
from pokerlab.papers import PAPERS
from pokerlab.papers.html import page as paper_page
from pokerlab.reading import opened, read_bytes, read_json, reading

POLICY = (
    f"sandbox allow-scripts; default-src 'none'; script-src {source_of(SCRIPT)}; style-src 'unsafe-inline'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
TOURNAMENT, PAPER, PAGE = "tournament", "paper", "page"
_MOST_FILES, _MOST_LOOKED_AT = 200, 2000
_LONGEST = 32 << 20  # bytes of a report
_MOST_PICTURES = 4
_HEAD = 2048  # bytes in which a file says what it is
_TITLE = re.compile("<title>([^<]{1,300})</title>")
# What sends a browser elsewhere has this attribute, and no policy forbids it; our own pages have one with theirs.
_LEADS_ON = re.compile('http-equiv(?!="Content-Security-Policy")', re.IGNORECASE)
_OF_PAPER = re.compile(r'^\s*\{\s*"paper":\s*"([^"\\]{1,100})"')


class Kept(NamedTuple):
    """A report: its path in the folder of the server, what it is, its title, and when it was written."""

    file: str
    kind: str
    title: str
    changed: float


def reports() -> list[dict[str, Any]]:
    """Those of the current folder and of folders in it (results/NAME is a tournament's), the newest first."""
    known = sorted(_reports(), key=lambda one: (-one.changed, one.file))
    return [one._asdict() for one in known[:_MOST_FILES]]


def report_page(file: str) -> str:
    """A report as a whole page, which leads nowhere by itself."""
    return _LEADS_ON.sub("data-http-equiv", _page(file))


def _page(file: str) -> str:
    kept = next((one for one in _reports() if one.file == file), None)
    if kept is None:
        raise NoSuchTable(f"there is no report {shown(file)} in the folder of the server")
    content, path = read_bytes(file, most=_LONGEST, error=PokerlabError), Path(file)
    if kept.kind != PAPER:
        return content.decode(errors="replace")
    pictures = sorted(one for one in path.parent.glob(f"{path.stem}*.svg") if _inside(one))[:_MOST_PICTURES]
    drawn = [read_bytes(one, most=_LONGEST, error=PokerlabError) for one in pictures]
    with reading(path, PokerlabError):
        return paper_page(read_json(content), drawn)


def _reports() -> Iterator[Kept]:
    patterns = (f"{folders}*{suffix}" for folders in ("", "*/", "*/*/") for suffix in (".html", ".json"))
    for path in islice((path for pattern in patterns for path in Path().glob(pattern)), _MOST_LOOKED_AT):
        if _inside(path) and (about := _about(path)) is not None:
            yield Kept(str(path), *about, path.stat().st_mtime)


def _inside(path: Path) -> bool:
    """Whether this is a file of the folder that is not hidden, also where links lead."""
    hidden = any(part.startswith(".") for part in path.parts)
    return not hidden and path.is_file() and path.resolve().is_relative_to(Path().resolve())


def _about(path: Path) -> tuple[str, str] | None:
    """The kind and the title of a report; None for other files."""
    try:
        with opened(path, PokerlabError) as file:
            head = file.read(_HEAD).decode(errors="replace")
    except PokerlabError:
        return None
    if path.suffix == ".json":
        told = _OF_PAPER.match(head)
        return None if told is None else (PAPER, PAPERS[told[1]].title if told[1] in PAPERS else told[1])
    tournament, title = path.name == "index.html" and Folder.at(path.parent), _TITLE.search(head)
    if title is None or not (tournament or MARK in head):
        return None
    return TOURNAMENT if tournament else PAGE, unescape(title[1])
