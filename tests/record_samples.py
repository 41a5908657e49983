"""A hand history, lines of a log, and hands as records, for tests."""

from pokerlab.records.logs import LoggedHand

NT = """variant = "NT"
antes = [0, 0]
blinds_or_straddles = [50, 100]
min_bet = 100
starting_stacks = [1000, 1000]
actions = ["d dh p1 AhAd", "d dh p2 KhKd", "p2 f"]
"""
LINES = [
    "STATE:0:r300r900c/r2250f:AcJs|3d2d/Kc5sQc:900|-900:Alice|Bob",
    "STATE:1:f:As8d|8c3h:50|-50:Bob|Alice",
    "STATE:2:r20000c///:5d5c|9hQd/8dAs8s/4h/6d:20000|-20000:Alice|Bob",
    "STATE:3:cc/cc/cr300c/cc:6s8h|Tc5c/Ac5h8d/2d/2c:300|-300:Bob|Alice",
]


def record_of(hand, number=0):
    names = tuple(f"p{seat + 1}" for seat in range(hand.rules.players))
    return LoggedHand(number, hand._replace(names=names), hand.payoffs())
