"""Compiled fictitious play of three who jam or fold, on drawn deals, and how likely their hands end in each way.

Decisions are six, [decision, kind of hand]: the button's; the small blind's after a fold and after a jam; the big
blind's after (fold, jam), (jam, fold) and (jam, jam). Ends are 25: nobody jams; the small blind steals; the button
steals; two are all-in, three ways each (the first of them wins, loses, ties), the blinds, the button and the big blind,
the button and the small blind; and all three, by the orders in which their hands may rank.
"""

# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np

from pokerlab.compiled import njit

DECISIONS = 6
WALK, SMALL_STEALS, BUTTON_STEALS, BLINDS, BUTTON_AND_BIG, BUTTON_AND_SMALL, THREE = 0, 1, 2, 3, 6, 9, 12
ENDS = THREE + 13


@njit(cache=True, nogil=True)
def _of_two(wins, first, second, ends, at, player):
    """What a player has when two kinds of hands are all-in, whose ends are `at` three places."""
    win, lose = wins[first, second], wins[second, first]
    return win * ends[at, player] + lose * ends[at + 1, player] + (1 - win - lose) * ends[at + 2, player]


@njit(cache=True, nogil=True)
def add_values(kinds, orders, weights, wins, ends, jam, values):
    """Add what to fold and to jam is worth at every decision [decision, kind, action], times how often it is met."""
    for deal in range(len(kinds)):
        a, b, c = kinds[deal, 0], kinds[deal, 1], kinds[deal, 2]
        three, weight = THREE + orders[deal], weights[deal]
        opens, steals, calls = jam[0, a], jam[1, b], jam[2, b]
        against_small, against_button, against_both = jam[3, c], jam[4, c], jam[5, c]
        folded = (1 - steals) * ends[WALK, 0] + steals * (
            (1 - against_small) * ends[SMALL_STEALS, 0] + against_small * _of_two(wins, b, c, ends, BLINDS, 0)
        )
        alone = (1 - against_button) * ends[BUTTON_STEALS, 0] + against_button * _of_two(
            wins, a, c, ends, BUTTON_AND_BIG, 0
        )
        called = (1 - against_both) * _of_two(wins, a, b, ends, BUTTON_AND_SMALL, 0) + against_both * ends[three, 0]
        values[0, a, 0] += weight * folded
        values[0, a, 1] += weight * ((1 - calls) * alone + calls * called)

        here = weight * (1 - opens)
        values[1, b, 0] += here * ends[WALK, 1]
        values[1, b, 1] += here * (
            (1 - against_small) * ends[SMALL_STEALS, 1] + against_small * _of_two(wins, b, c, ends, BLINDS, 1)
        )
        here = weight * opens
        values[2, b, 0] += here * (
            (1 - against_button) * ends[BUTTON_STEALS, 1]
            + against_button * _of_two(wins, a, c, ends, BUTTON_AND_BIG, 1)
        )
        values[2, b, 1] += here * (
            (1 - against_both) * _of_two(wins, a, b, ends, BUTTON_AND_SMALL, 1) + against_both * ends[three, 1]
        )

        here = weight * (1 - opens) * steals
        values[3, c, 0] += here * ends[SMALL_STEALS, 2]
        values[3, c, 1] += here * _of_two(wins, b, c, ends, BLINDS, 2)
        here = weight * opens * (1 - calls)
        values[4, c, 0] += here * ends[BUTTON_STEALS, 2]
        values[4, c, 1] += here * _of_two(wins, a, c, ends, BUTTON_AND_BIG, 2)
        here = weight * opens * calls
        values[5, c, 0] += here * _of_two(wins, a, b, ends, BUTTON_AND_SMALL, 2)
        values[5, c, 1] += here * ends[three, 2]


@njit(cache=True, nogil=True)
def fictitious_play(kinds, orders, weights, wins, ends, forced, jam, begun, iterations):
    """Move `jam` by best responses to averages of so many iterations, after `begun` ones; `forced` decisions jam.

    Each player decides once in a hand, so that averages of plans are averages of behaviour.
    """
    values = np.empty((DECISIONS, jam.shape[1], 2))
    for iteration in range(begun, begun + iterations):
        values[:] = 0.0
        add_values(kinds, orders, weights, wins, ends, jam, values)
        for decision in range(DECISIONS):
            for kind in range(jam.shape[1]):
                jams = forced[decision] or values[decision, kind, 1] > values[decision, kind, 0]
                jam[decision, kind] += ((1.0 if jams else 0.0) - jam[decision, kind]) / (iteration + 2)


@njit(cache=True, nogil=True)
def end_odds(kinds, orders, weights, wins, jam):
    """[25] how likely a hand ends in each way."""
    odds = np.zeros(ENDS)
    for deal in range(len(kinds)):
        a, b, c = kinds[deal, 0], kinds[deal, 1], kinds[deal, 2]
        opens, steals, calls, weight = jam[0, a], jam[1, b], jam[2, b], weights[deal]
        odds[WALK] += weight * (1 - opens) * (1 - steals)
        odds[SMALL_STEALS] += weight * (1 - opens) * steals * (1 - jam[3, c])
        odds[BUTTON_STEALS] += weight * opens * (1 - calls) * (1 - jam[4, c])
        odds[THREE + orders[deal]] += weight * opens * calls * jam[5, c]
        for at, first, second, here in (
            (BLINDS, b, c, (1 - opens) * steals * jam[3, c]),
            (BUTTON_AND_BIG, a, c, opens * (1 - calls) * jam[4, c]),
            (BUTTON_AND_SMALL, a, b, opens * calls * (1 - jam[5, c])),
        ):
            win, lose = wins[first, second], wins[second, first]
            odds[at] += weight * here * win
            odds[at + 1] += weight * here * lose
            odds[at + 2] += weight * here * (1 - win - lose)
    return odds
