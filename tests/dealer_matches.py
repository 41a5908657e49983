"""Matches of a plain player at our dealer, for tests of the dealer."""

import random
import threading

from acpc_players import PlainPlayer
from pokerlab.agents.simple import Call
from pokerlab.match.client import join
from pokerlab.match.dealer import Dealer


def states(path):
    return [line for line in path.read_text().splitlines() if line.startswith("STATE:")]


def play_against_call(rules, answer, log=None, hands=1, limits=None, **options):
    """A match of a plain player, seat 0, against one who calls; the result, the warnings and the plain player."""
    warnings = []
    table = Dealer(rules, hands, 7, names=["plain", "call"], limits=limits, log=log, report=warnings.append)
    plain = PlainPlayer(table.ports[0], rules.rounds, answer, **options)
    other = threading.Thread(target=join, args=("127.0.0.1", table.ports[1], Call(), rules, random.Random(1)))
    plain.start()
    other.start()
    result = table.run()
    plain.join(10)
    other.join(10)
    assert not plain.is_alive()
    assert not other.is_alive()
    return result, warnings, plain


def says(*texts):
    """Answers with the texts in turn, then calls."""
    return lambda line, turn: f"{line}{texts[turn] if turn < len(texts) else ':c'}\r\n".encode()
