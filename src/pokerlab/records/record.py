"""A finished hand as it is recorded, and its line in the competition's logs.

    STATE:number:betting:cards:payoffs:names

Payoffs and names are in position order. Every hand read is replayed and must pay as it says. The one exception is
documented in docs/hands.md: payoffs of a hand that was all-in before the last cards may be the fractional, expected
ones; such a hand is marked `adjusted`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pokerlab.errors import LogError, PokerlabError, shown
from pokerlab.game.hand import Hand, parse_hand
from pokerlab.game.rules import Rules
from pokerlab.game.wire import own_names, wire_cards
from pokerlab.records.money import CHIPS, Money

LONGEST_LINE = 20_000  # in bytes; the longest real ones have a few hundred
NEARLY = 1e-6  # payoffs are printed with six decimals
_NEARLY_ZERO_SUM = 0.01  # of expected payoffs, which are rounded seat by seat
_NUMBER = re.compile("0|[1-9][0-9]{0,17}")
_COMMENT = re.compile(r"\s+#.*")
_PAYOFF = re.compile(r"-?[0-9]{1,12}(?:\.[0-9]{1,20})?")

T = TypeVar("T")


class LoggedHand(NamedTuple):
    """A finished hand as recorded, with names; seats are positions, so that they rotate from hand to hand."""

    number: int
    hand: Hand
    payoffs: tuple[float, ...]  # NaN where nobody can tell, because cards stayed hidden
    adjusted: bool = False  # payoffs are expected ones, or cannot be checked, and not those of the cards
    payoffs_text: str = ""  # only where it is not as the dealer would write it
    money: Money = CHIPS  # what the chips are worth
    comment: str = ""  # behind the names of its line

    @property
    def names(self) -> tuple[str, ...]:
        """Who sat where."""
        return self.hand.names

    def line(self) -> str:
        """The STATE line, without its end."""
        payoffs = self.payoffs_text or chips_text(self.payoffs)
        return (
            state_line(self.number, self.hand.betting_text(), wire_cards(self.hand), payoffs, self.names) + self.comment
        )


class HandReader:
    """The hands of a file, read one by one while iterating; `bad` counts those left out in a pass.

    One that cannot be read is an error or, with `skip_bad`, told to `on_error` and left out.
    """

    def __init__(self, path: str | Path, skip_bad: bool, on_error: Callable[[LogError], None] | None) -> None:
        self.path, self.skip_bad, self._on_error = Path(path), skip_bad, on_error
        self.bad, self.bytes_read = 0, 0

    def _tried(self, read: Callable[..., T | None], *told: Any) -> T | None:
        """What `read` makes of a piece of the file; None of what is left out."""
        try:
            return read(*told)
        except LogError as error:
            if not self.skip_bad:
                raise
            self.bad += 1
            if self._on_error is not None:
                self._on_error(error)
            return None


def state_line(number: int, betting: str, cards: str, payoffs: str, names: Sequence[str]) -> str:
    """A STATE line of these texts."""
    return f"STATE:{number}:{betting}:{cards}:{payoffs}:{'|'.join(names)}"


def score_line(totals: Iterable[float], names: Sequence[str]) -> str:
    """The SCORE line of what players have won."""
    return f"SCORE:{chips_text(totals)}:{'|'.join(names)}"


def chips_text(payoffs: Iterable[float]) -> str:
    """What each seat or player has won, as in logs."""
    return "|".join(map(payoff_text, payoffs))


def payoff_text(chips: float) -> str:
    """Chips as the official dealer prints them: up to six decimals, none of them a trailing zero."""
    return f"{chips:.6f}".rstrip("0").rstrip(".")


def parse_state_line(rules: Rules, line: str, where: str = "log line") -> LoggedHand:
    """Read a STATE line, without its end. A LogError begins with `where` and says what is wrong."""
    try:
        return _parse(rules, line)
    except PokerlabError as error:
        raise LogError(f"{where}: {error}") from None


def _parse(rules: Rules, line: str) -> LoggedHand:
    parts = line.split(":", 5) if len(line) <= LONGEST_LINE else []
    if len(parts) != 6 or parts[0] != "STATE":
        raise LogError(f"STATE:number:betting:cards:payoffs:names expected, got {shown(line)}")
    _, number, betting, cards, payoffs, names = parts
    names, comment = cut_comment(names)
    if not _NUMBER.fullmatch(number):
        raise LogError(f"{shown(number)} is not a hand's number")
    hand = parse_hand(rules, betting, own_names(rules, cards))
    if not hand.finished:
        raise LogError(f"the hand is not over after betting {betting!r}")
    paid, adjusted = check_payoffs(hand, parse_payoffs(payoffs, rules.players))
    text = chips_text(paid)
    named = hand._replace(names=parse_names(names, rules.players))
    return LoggedHand(int(number), named, paid, adjusted, "" if text == payoffs else payoffs, comment=comment)


def cut_comment(names: str) -> tuple[str, str]:
    """The names at the end of a line, and the comment behind them: some dealers write the time there."""
    comment = _COMMENT.search(names)
    return (names, "") if comment is None else (names[: comment.start()], comment[0])


def parse_payoffs(text: str, players: int) -> tuple[float, ...]:
    """Chips separated by |."""
    words = text.split("|")
    if len(words) != players:
        raise LogError(f"{players} payoffs expected, got {len(words)}: {shown(text)}")
    if not all(map(_PAYOFF.fullmatch, words)):
        raise LogError(f"cannot read payoffs {shown(text)}")
    return tuple(map(float, words))


def parse_names(text: str, players: int) -> tuple[str, ...]:
    """Names separated by |."""
    names = tuple(text.split("|"))
    if len(names) != players or not all(names):
        raise LogError(f"{players} names expected, got {shown(text)}")
    if not text.isprintable():
        raise LogError(f"names are not printable: {shown(text)}")
    return names


def check_payoffs(hand: Hand, paid: tuple[float, ...]) -> tuple[tuple[float, ...], bool]:
    """The recorded payoffs of a finished hand, and whether they are adjusted ones; a LogError if they are wrong."""
    expected = hand.payoffs()
    if all(abs(a - b) <= NEARLY for a, b in zip(expected, paid, strict=True)):
        return paid, False
    if _could_be_expected_value(hand, paid):
        return paid, True
    told, true = chips_text(paid), chips_text(expected)
    raise LogError(f"payoffs {told} are wrong: the hand pays {true}")


def _could_be_expected_value(hand: Hand, paid: tuple[float, ...]) -> bool:
    """Whether payoffs may be the mean over cards to come, after an all-in before the last of them.

    Only fractions are taken for means: a whole number that is wrong is far likelier to be a mistake.
    """
    spent, all_in_early = hand.betting.spent, hand.betting.showdown and hand.ends[-1:] == (len(hand.actions),)
    return (
        all_in_early
        and any(chips != int(chips) for chips in paid)
        and abs(sum(paid)) <= _NEARLY_ZERO_SUM
        and all(-mine <= chips <= sum(spent) - mine for chips, mine in zip(paid, spent, strict=True))
    )
