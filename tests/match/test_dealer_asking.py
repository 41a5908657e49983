"""One decision at the dealer's table, with connections that remember what was done with them."""

import contextlib

import pytest

from pokerlab.game.betting import CALL, start_betting
from pokerlab.game.catalog import rules_of
from pokerlab.match import dealer
from pokerlab.match.dealer import Dealer

LEDUC = rules_of("leduc")


class Told:
    """A connection that remembers what was done with it, and answers with a call."""

    def __init__(self, who, done, quick=True, error=None):
        self.who, self.done, self.quick, self.error, self.longest = who, done, quick, error, None

    def later(self, line):
        self.done.append((self.who, "later"))
        self.expected = line

    def flush(self, seconds):
        self.done.append((self.who, "flush"))
        if self.error is not None:
            raise self.error

    def soon(self, seconds):
        self.done.append((self.who, "soon"))
        return self.line(None) if self.quick else None

    def line(self, deadline):
        return f"{self.expected}:c"

    def close(self):
        pass


@pytest.mark.parametrize("quick", [True, False])
def test_the_actor_is_told_at_once_and_the_others_when_it_thinks(quick, monkeypatch):
    with contextlib.closing(Dealer(LEDUC, 1)) as table:
        done = []
        table._players = {player: dealer._Player(Told(player, done, quick), 1.0) for player in range(2)}
        telling, start = dealer.Telling(LEDUC, 0, tuple(range(3)), False), start_betting(LEDUC)
        expected = telling.line(0, start, "")
        for longest in (len(expected) + 63, len(expected) + 64, len(expected) + 65):
            monkeypatch.setattr(dealer, "LONGEST_LINE", longest)
            done.clear()
            place, seconds = table._ask([0, 1], telling, dealer.Place(start))
            assert (place.text, place.betting, 0 <= seconds < 60) == ("c", start.act(CALL), True)
            told = [(0, "later"), (0, "flush"), (1, "later"), (0, "soon")]
            assert done == told + ([] if quick else [(0, "flush"), (1, "flush")])
            assert table._players[0].wire.longest == max(longest, len(expected) + 64)


@pytest.mark.parametrize(
    ("error", "reason"), [(TimeoutError(), "p2 does not read what it is sent"), (OSError(), "p2 disconnected")]
)
def test_who_cannot_be_told(error, reason):
    with contextlib.closing(Dealer(LEDUC, 1)) as table:
        table._players[1] = dealer._Player(Told(1, [], error=error), 1.0)
        with pytest.raises(dealer._Ended) as caught:
            table._send(1)
        assert (str(caught.value), caught.value.player) == (reason, 1)


def test_words_are_remembered_by_where_they_lead_and_bad_ones_never(monkeypatch):
    """The second time a word is not read again; of so many places only so many are kept."""
    with contextlib.closing(Dealer(LEDUC, 1)) as table:
        table._players = {player: dealer._Player(Told(player, []), 1.0) for player in range(2)}
        start = table._start
        raised = start.betting.legal().raises[0]
        assert table._read(0, start, "r") is start.after["r"]
        assert (start.after["r"].text, start.after["r"].betting) == ("r", start.betting.act(raised))
        assert table._read(0, start, "x").text == table._read(0, start, "f").text == "c"
        assert list(start.after) == ["r"]
        assert table._players[0].invalid == 2
        monkeypatch.setattr(dealer, "_MOST_PLACES", table._places)
        assert table._read(0, start, "c").text == "c"
        assert list(start.after) == ["r"]
        telling = dealer.Telling(LEDUC, 0, tuple(range(3)))
        table._players[0].wire.line = lambda deadline: f"{table._players[0].wire.expected}:r"
        assert table._ask([0, 1], telling, start)[0] is start.after["r"]
        assert table._players[0].invalid == 0
