"""Compiled loops on flat arrays: treeplex sweeps, payoff products, and regret iterations.

A treeplex is a list of blocks, parents before children. Block b holds n[b] infosets of k[b] actions; the
sequence of action a at its i-th infoset is start[b] + a * n[b] + i (action-major, so that loops over i
vectorise), and parent[first[b] + i] is the sequence that leads to that infoset. Sequence 0 is empty.
"""

# mypy: allow-untyped-defs

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pokerlab.compiled import njit


class Blocks(NamedTuple):
    """A treeplex as arrays; see the module's text."""

    start: np.ndarray
    first: np.ndarray
    n: np.ndarray
    k: np.ndarray
    parent: np.ndarray


class Terms(NamedTuple):
    """A payoff operator as arrays: the sum over groups g and terms t of g of scale[t] * W_g, placed with its
    corner at (row[t], column[t]). W_g is in CSR form; group g has terms term[g]:term[g+1], matrix rows
    line[g]:line[g+1] of `indptr`, and width[g] columns.
    """

    term: np.ndarray
    line: np.ndarray
    width: np.ndarray
    row: np.ndarray
    column: np.ndarray
    scale: np.ndarray
    indptr: np.ndarray
    indices: np.ndarray
    data: np.ndarray
    gathered: np.ndarray  # of these two only the lengths count: the largest width * terms,
    sums: np.ndarray  # and the most terms, of any group


class Ties(NamedTuple):
    """Infosets that share a row: slot[s] is the table entry of sequence s. Empty `slot` means none are tied."""

    slot: np.ndarray
    start: np.ndarray
    n: np.ndarray


@njit(cache=True)
def multiply(terms, y, out):
    """out = A @ y. All terms of a group are multiplied at once, so that the inner loops vectorise."""
    out[:] = 0.0
    gathered, sums = np.empty(terms.gathered.shape[0]), np.empty(terms.sums.shape[0])
    for g in range(terms.width.shape[0]):
        t0, count, width = terms.term[g], terms.term[g + 1] - terms.term[g], terms.width[g]
        if count == 1:
            c, r, scale = terms.column[t0], terms.row[t0] - terms.line[g], terms.scale[t0]
            for line in range(terms.line[g], terms.line[g + 1]):
                total = 0.0
                for p in range(terms.indptr[line], terms.indptr[line + 1]):
                    total += terms.data[p] * y[c + terms.indices[p]]
                out[r + line] += scale * total
            continue
        columns, rows, scales = terms.column[t0 : t0 + count], terms.row[t0 : t0 + count], terms.scale[t0 : t0 + count]
        for j in range(width):
            into = gathered[j * count : (j + 1) * count]
            for t in range(count):
                into[t] = scales[t] * y[columns[t] + j]
        total_of = sums[:count]
        for line in range(terms.line[g], terms.line[g + 1]):
            total_of[:] = 0.0
            for p in range(terms.indptr[line], terms.indptr[line + 1]):
                weight, j = terms.data[p], terms.indices[p]
                source = gathered[j * count : (j + 1) * count]
                for t in range(count):
                    total_of[t] += weight * source[t]
            i = line - terms.line[g]
            for t in range(count):
                out[rows[t] + i] += total_of[t]


@njit(cache=True)
def realize(blocks, behaviour, x):
    """x[s] = probability that the player's own choices allow sequence s."""
    x[0] = 1.0
    for b in range(blocks.n.shape[0]):
        n, first = blocks.n[b], blocks.first[b]
        for a in range(blocks.k[b]):
            s = blocks.start[b] + a * n
            for i in range(n):
                x[s + i] = x[blocks.parent[first + i]] * behaviour[s + i]


@njit(cache=True)
def respond(blocks, gradient, behaviour):
    """Best response to `gradient` (overwritten with values of sequences); equal actions share. Returns its value."""
    for b in range(blocks.n.shape[0] - 1, -1, -1):
        n, k, start, first = blocks.n[b], blocks.k[b], blocks.start[b], blocks.first[b]
        for i in range(n):
            best = gradient[start + i]
            ties = 1
            for a in range(1, k):
                value = gradient[start + a * n + i]
                if value > best:
                    best, ties = value, 1
                elif value == best:
                    ties += 1
            for a in range(k):
                behaviour[start + a * n + i] = 1.0 / ties if gradient[start + a * n + i] == best else 0.0
            gradient[blocks.parent[first + i]] += best
    return gradient[0]


@njit(cache=True)
def discount(t, exponent):
    """t^e / (t^e + 1), with its limits at infinite exponents."""
    if exponent == np.inf:
        return 1.0
    if exponent == -np.inf:
        return 0.0
    power = t**exponent
    return power / (power + 1.0)


@njit(cache=True, nogil=True)
def improve(blocks, ranges, ties, gradient, regret, behaviour, keep, forgive, predictive, values, totals, table):
    """One backward sweep over ranges (first, end) of blocks: instant regrets, regrets, and behaviour that matches them.

    `gradient` becomes the values of sequences under the behaviour so far, `regret` (regret + instant) times `keep` or
    `forgive` by its sign. A predictive player matches regret + instant. The last three arguments are room to work in,
    for the widest block's states and, where infosets are tied, for its sequences.
    """
    tied = ties.slot.shape[0] > 0
    for r in range(ranges.shape[0] - 1, -1, -1):
        for b in range(ranges[r, 1] - 1, ranges[r, 0] - 1, -1):
            n, k, start, first = blocks.n[b], blocks.k[b], blocks.start[b], blocks.first[b]
            value, parent = values[:n], blocks.parent[first : first + n]
            value[:] = 0.0
            for a in range(k):
                s = start + a * n
                worth, play = gradient[s : s + n], behaviour[s : s + n]
                for i in range(n):
                    value[i] += play[i] * worth[i]
            for i in range(n):
                gradient[parent[i]] += value[i]
            if tied:
                _match_tied(ties, b, n, k, start, gradient, regret, behaviour, keep, forgive, predictive,
                            value, totals, table)  # fmt: skip
            else:
                _match(n, k, start, gradient, regret, behaviour, keep, forgive, predictive, value, totals[:n])


@njit(cache=True, nogil=True)
def _match(n, k, start, gradient, regret, behaviour, keep, forgive, predictive, value, total):
    """Regrets of a block against its `value`, and regret matching."""
    total[:] = 0.0
    for a in range(k):
        s = start + a * n
        # Slices, so that the compiler need not think of negative indices and the loops vectorise.
        worth, old, play = gradient[s : s + n], regret[s : s + n], behaviour[s : s + n]
        for i in range(n):
            instant = worth[i] - value[i]
            now = old[i] + instant
            now *= keep if now > 0.0 else forgive
            old[i] = now
            matched = max(now + instant if predictive else now, 0.0)
            play[i] = matched
            total[i] += matched
    for a in range(k):
        s = start + a * n
        play = behaviour[s : s + n]
        for i in range(n):
            play[i] = play[i] / total[i] if total[i] > 0.0 else 1.0 / k


@njit(cache=True, nogil=True)
def _match_tied(ties, b, n, k, start, gradient, regret, behaviour, keep, forgive, predictive, value, total, table):
    """The same for a block whose infosets share rows: their instant regrets add up."""
    rows, corner = ties.n[b], ties.start[b]
    table[: k * rows] = 0.0
    for a in range(k):
        s = start + a * n
        for i in range(n):
            table[ties.slot[s + i] - corner] += gradient[s + i] - value[i]
    total[:rows] = 0.0
    for a in range(k):
        for row in range(rows):
            at = a * rows + row
            now = regret[corner + at] + table[at]
            now *= keep if now > 0.0 else forgive
            regret[corner + at] = now
            table[at] = max(now + table[at] if predictive else now, 0.0)
            total[row] += table[at]
    for a in range(k):
        s = start + a * n
        for i in range(n):
            at = ties.slot[s + i] - corner
            row = at - a * rows
            behaviour[s + i] = table[at] / total[row] if total[row] > 0.0 else 1.0 / k


@njit(cache=True, nogil=True)
def advance(blocks, ranges, ties, behaviour, x, average, weight):
    """One forward sweep over ranges (first, end) of blocks: the plan of `behaviour`, and its share in the average."""
    tied = ties.slot.shape[0] > 0
    for r in range(ranges.shape[0]):
        for b in range(ranges[r, 0], ranges[r, 1]):
            n, first = blocks.n[b], blocks.first[b]
            parent = blocks.parent[first : first + n]
            for a in range(blocks.k[b]):
                s = blocks.start[b] + a * n
                play, plan = behaviour[s : s + n], x[s : s + n]
                for i in range(n):
                    plan[i] = x[parent[i]] * play[i]
                if tied:
                    for i in range(n):
                        average[ties.slot[s + i]] += weight * plan[i]
                else:
                    mean = average[s : s + n]
                    for i in range(n):
                        mean[i] += weight * plan[i]


@njit(cache=True)
def iterate(count, clock, blocks, terms, ties, regret, behaviour, x, average,
            alpha, beta, gamma, predictive, alternating):  # fmt: skip
    """`count` iterations of discounted counterfactual regret minimisation for two players, in place.

    The pairs `blocks`, `terms`, ... are indexed by player; terms[p] maps the opponent's plan to p's gradient.
    Regrets become (regret + instant) * t^alpha / (t^alpha + 1) where positive, with beta where negative;
    iteration t counts t^gamma in the average. A predictive player matches regret + last instant regret.
    """
    gradients = (np.empty(x[0].shape[0]), np.empty(x[1].shape[0]))
    widest, largest = 0, 0
    for p in range(2):
        for b in range(blocks[p].n.shape[0]):
            widest = max(widest, blocks[p].n[b])
            largest = max(largest, blocks[p].n[b] * blocks[p].k[b])
    value, total, table = np.empty(widest), np.empty(widest), np.empty(largest)
    whole = (np.array([[0, blocks[0].n.shape[0]]]), np.array([[0, blocks[1].n.shape[0]]]))
    for _ in range(count):
        t = float(clock[0] + 1)
        keep, forgive, weight = discount(t, alpha), discount(t, beta), t**gamma
        if not alternating:
            multiply(terms[0], x[1], gradients[0])
            multiply(terms[1], x[0], gradients[1])
        for p in range(2):
            if alternating:
                multiply(terms[p], x[1 - p], gradients[p])
            improve(blocks[p], whole[p], ties[p], gradients[p], regret[p], behaviour[p],
                    keep, forgive, predictive, value, total, table)  # fmt: skip
            average[p][0] += weight
            advance(blocks[p], whole[p], ties[p], behaviour[p], x[p], average[p], weight)
        clock[0] += 1


@njit(cache=True)
def smooth_respond(blocks, weights, mu, gradient, behaviour):
    """Maximise gradient·x - mu·d(x), d the dilated entropy with a weight an infoset; returns the maximum.

    `gradient` is overwritten with smoothed values of sequences. d is 0 where every infoset plays uniformly.
    """
    for b in range(blocks.n.shape[0] - 1, -1, -1):
        n, k, start, first = blocks.n[b], blocks.k[b], blocks.start[b], blocks.first[b]
        for i in range(n):
            heat = mu * weights[first + i]
            best = gradient[start + i]
            for a in range(1, k):
                best = max(best, gradient[start + a * n + i])
            total = 0.0
            for a in range(k):
                s = start + a * n + i
                behaviour[s] = np.exp((gradient[s] - best) / heat)
                total += behaviour[s]
            for a in range(k):
                behaviour[start + a * n + i] /= total
            gradient[blocks.parent[first + i]] += best + heat * np.log(total / k)
    return gradient[0]
