"""A hand history, and hands as records, for tests."""

from pokerlab.records.logs import LoggedHand

NT = """variant = "NT"
antes = [0, 0]
blinds_or_straddles = [50, 100]
min_bet = 100
starting_stacks = [1000, 1000]
actions = ["d dh p1 AhAd", "d dh p2 KhKd", "p2 f"]
"""


def record_of(hand, number=0):
    names = tuple(f"p{seat + 1}" for seat in range(hand.rules.players))
    return LoggedHand(number, hand._replace(names=names), hand.payoffs())
