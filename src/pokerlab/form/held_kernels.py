"""Compiled sweeps over a treeplex whose player is held to a behaviour in part; see `held.py`.

At infoset i a sequence s is played with probability least[s] + free[i] * (the player's own choice). Arrays are laid out
as in `kernels.py`.
"""

# mypy: allow-untyped-defs

from __future__ import annotations

from pokerlab.compiled import njit


@njit(cache=True)
def respond_held(blocks, least, free, gradient, behaviour):
    """The best that a held player can do against `gradient` (overwritten with values of sequences); its value."""
    for b in range(blocks.n.shape[0] - 1, -1, -1):
        n, k, start, first = blocks.n[b], blocks.k[b], blocks.start[b], blocks.first[b]
        for i in range(n):
            best, ties, bound = gradient[start + i], 1, 0.0
            for a in range(k):
                value = gradient[start + a * n + i]
                bound += least[start + a * n + i] * value
                if a > 0 and value > best:
                    best, ties = value, 1
                elif a > 0 and value == best:
                    ties += 1
            for a in range(k):
                s = start + a * n + i
                behaviour[s] = least[s] + (free[first + i] / ties if gradient[s] == best else 0.0)
            gradient[blocks.parent[first + i]] += bound + free[first + i] * best
    return gradient[0]


@njit(cache=True, nogil=True)
def improve_held(blocks, least, free, gradient, regret, behaviour, keep, forgive, predictive):
    """One backward sweep as `kernels.improve`, where regret is that of the player's own choices.

    Local regrets over the free part alone bound the regret of the whole (Farina, Kroer and Sandholm 2017, behaviourally
    constrained games); its share in the value is a factor that regret matching does not see.
    """
    for b in range(blocks.n.shape[0] - 1, -1, -1):
        n, k, start, first = blocks.n[b], blocks.k[b], blocks.start[b], blocks.first[b]
        for i in range(n):
            value, bound, total = 0.0, 0.0, 0.0
            for a in range(k):
                s = start + a * n + i
                value += behaviour[s] * gradient[s]
                bound += least[s] * gradient[s]
            gradient[blocks.parent[first + i]] += value
            if free[first + i] <= 0.0:
                continue
            own = (value - bound) / free[first + i]
            for a in range(k):
                s = start + a * n + i
                instant = gradient[s] - own
                now = regret[s] + instant
                now *= keep if now > 0.0 else forgive
                regret[s] = now
                behaviour[s] = max(now + instant if predictive else now, 0.0)
                total += behaviour[s]
            for a in range(k):
                s = start + a * n + i
                choice = behaviour[s] / total if total > 0.0 else 1.0 / k
                behaviour[s] = least[s] + free[first + i] * choice
