"""Poker sites' own hand histories, by pokerkit's parsers: what those give is written as PHH and read as such.

pokerkit is asked for when such a file is read. It knows no-limit hold'em of six sites; what its parsers make nothing of
is told hand by hand, as everywhere.
"""

from __future__ import annotations

import contextlib
import io
import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pokerlab.errors import LogError, shown
from pokerlab.reading import opened, read_text
from pokerlab.records.phh import parse_phh
from pokerlab.records.record import HandReader, LoggedHand

_LONGEST = 256 << 20  # bytes of a file, which is read as a whole


class Site(NamedTuple):
    """A site by its name, how a hand of it begins, and pokerkit's parser."""

    name: str
    begins: re.Pattern[str]
    parser: str


SITES = (
    Site("PokerStars", re.compile(r"^PokerStars (?:Zoom )?(?:Hand|Game) #", re.M), "PokerStarsParser"),
    Site("Full Tilt Poker", re.compile(r"^Full Tilt Poker Game #", re.M), "FullTiltPokerParser"),
    Site("Absolute Poker", re.compile(r"^Stage #", re.M), "AbsolutePokerParser"),
    Site("Ongame Network", re.compile(r"^\*{5} History for hand ", re.M), "OngameNetworkParser"),
    Site("PartyPoker", re.compile(r"^\*{5} Hand History for Game ", re.M), "PartyPokerParser"),
)


def site_of(path: Path) -> Site | None:
    """The site whose history a file is, by how its first hand begins; None of any other file."""
    with opened(path, LogError) as file:
        opening = file.read(2000).decode("utf-8-sig", "replace").lstrip()
    return next((site for site in SITES if site.begins.match(opening)), None)


class HistoryReader(HandReader):
    """The hands of a site's history, read one by one while iterating."""

    def __init__(self, path: Path, site: Site, skip_bad: bool, on_error: Callable[[LogError], None] | None) -> None:
        super().__init__(path, skip_bad, on_error)
        self.site, self._parser = site, _parser(site)

    def __iter__(self) -> Iterator[LoggedHand]:
        self.bad, self.bytes_read = 0, 0
        text = read_text(self.path, most=_LONGEST, error=LogError).removeprefix("\ufeff").replace("\r\n", "\n")
        starts = [match.start() for match in self.site.begins.finditer(text)]
        for number, (start, end) in enumerate(zip(starts, [*starts[1:], len(text)], strict=True), 1):
            self.bytes_read += len(text[start:end].encode())
            record = self._tried(self._read, text[start:end], f"{self.path}, hand {number}")
            if record is not None:
                yield record

    def _read(self, text: str, where: str) -> LoggedHand:
        # The parsers print what they cannot read, and warn; here it is an error with the file and the hand.
        with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            try:
                told = list(self._parser(text.strip() + "\n", error_status=True))
            except Exception as error:
                cause = error.__context__ if error.__context__ is not None else error
                reason = str(cause).splitlines()[0] if str(cause) else type(cause).__name__
                raise LogError(f"{where}: pokerkit cannot read this hand of {self.site.name}: {reason}") from None
            if len(told) != 1:
                raise LogError(f"{where}: pokerkit finds no hand in {shown(text[:60])}")
            history = told[0].dumps()
        return parse_phh(history, where)


def _parser(site: Site) -> Any:
    try:
        import pokerkit.notation
    except ImportError:
        raise LogError(f"histories of {site.name} are read by pokerkit: pip install 'pokerlab[histories]'") from None
    return getattr(pokerkit.notation, site.parser)()


def read_history(
    path: str | Path, site: Site, skip_bad: bool = False, on_error: Callable[[LogError], None] | None = None
) -> HistoryReader:
    """The hands of a site's history. A LogError names the file and the hand, as in `read_phh`."""
    return HistoryReader(Path(path), site, skip_bad, on_error)
