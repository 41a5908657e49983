"""Slow, obvious twins of what the library does cleverly; tests compare the two."""

from __future__ import annotations

from fractions import Fraction


def payoffs_chip_by_chip(spent: tuple[int, ...], strengths: dict[int, tuple[int, ...]]) -> list[Fraction]:
    """Net chips per seat: each seat's k-th chip goes to the best survivors who also put in a k-th chip.

    `strengths` has the seats that did not fold.
    """
    net = [Fraction(-chips) for chips in spent]
    for k in range(1, max(spent) + 1):
        contributors = [seat for seat, chips in enumerate(spent) if chips >= k]
        best = max(strengths[seat] for seat in contributors if seat in strengths)
        winners = [seat for seat in contributors if strengths.get(seat) == best]
        for seat in winners:
            net[seat] += Fraction(len(contributors), len(winners))
    return net


# Treeplexes and payoffs: plain loops over sequences, dense matrices.


def blocks_of(tree):
    """(first sequence, parents of the block's infosets, number of actions) for each block."""
    return [
        (int(start), tree.blocks.parent[first : first + n].tolist(), int(k))
        for start, first, n, k in zip(*tree.blocks[:4], strict=True)
    ]


def realize(tree, behaviour):
    x = [1.0] + [0.0] * (tree.sequences - 1)
    for start, parents, k in blocks_of(tree):
        for i, parent in enumerate(parents):
            for a in range(k):
                x[start + a * len(parents) + i] = x[parent] * behaviour[start + a * len(parents) + i]
    return x


def best_response_value(tree, gradient):
    """max over the treeplex of gradient @ x, by recursion from the empty sequence."""
    infosets = {}
    for start, parents, k in blocks_of(tree):
        for i, parent in enumerate(parents):
            infosets.setdefault(parent, []).append([start + a * len(parents) + i for a in range(k)])

    def value(sequence):
        below = (max(value(child) for child in children) for children in infosets.get(sequence, []))
        return gradient[sequence] + sum(below)

    return value(0)


def dense(payoff):
    """The payoff operator written out entry by entry."""
    matrix = [[0.0] * payoff.shape[1] for _ in range(payoff.shape[0])]
    for group in payoff.groups:
        small = group.matrix.toarray()
        for row, column, scale in zip(group.rows, group.columns, group.scales, strict=True):
            for i in range(small.shape[0]):
                for j in range(small.shape[1]):
                    matrix[row + i][column + j] += scale * small[i, j]
    return matrix


def match_regrets(tree, regret):
    behaviour = [1.0] * tree.sequences
    for start, parents, k in blocks_of(tree):
        for i in range(len(parents)):
            at = [start + a * len(parents) + i for a in range(k)]
            mass = sum(max(regret[s], 0.0) for s in at)
            for s in at:
                behaviour[s] = max(regret[s], 0.0) / mass if mass > 0 else 1 / k
    return behaviour


def instant_regrets(tree, behaviour, gradient):
    """Value of each action below its infoset minus the infoset's, by recursion."""
    infosets = {}
    for start, parents, k in blocks_of(tree):
        for i, parent in enumerate(parents):
            infosets.setdefault(parent, []).append([start + a * len(parents) + i for a in range(k)])

    def worth(sequence):
        return gradient[sequence] + sum(here(children) for children in infosets.get(sequence, []))

    def here(children):
        return sum(behaviour[s] * worth(s) for s in children)

    regret = [0.0] * tree.sequences
    for groups in infosets.values():
        for children in groups:
            for s in children:
                regret[s] = worth(s) - here(children)
    return regret
