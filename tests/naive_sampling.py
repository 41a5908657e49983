"""Slow, obvious twins of Monte Carlo CFR: recursion over betting states, tables in dictionaries, one deal at a time.

A table is keyed by the actions so far, the actor and its bucket. Random numbers are drawn in the order of the compiled
walks, so that the two can be compared exactly.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from pokerlab.game.betting import start_betting
from pokerlab.game.hand import split_pot

WORD = (1 << 64) - 1


class Xoshiro:
    """xoshiro256++ as its authors print it, on Python's integers."""

    def __init__(self, state):
        self.s = [int(word) for word in state]

    def word(self):
        s = self.s
        result = (_rotate((s[0] + s[3]) & WORD, 23) + s[0]) & WORD
        t = (s[1] << 17) & WORD
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = _rotate(s[3], 45)
        return result

    def uniform(self):
        return (self.word() >> 11) / 2**53


def _rotate(x, k):
    return ((x << k) | (x >> (64 - k))) & WORD


class NaiveSampler:
    """Rules, what players consider, and a table. `rule` is that of the kernels."""

    def __init__(self, rules, choose, rule):
        self.rules, self.choose, self.rule = rules, choose, rule
        self.regret = defaultdict(lambda: np.zeros(0))
        self.average = defaultdict(lambda: np.zeros(0))
        self.baseline = defaultdict(float)
        self.winnings = np.zeros(rules.players)
        self.touched = 0

    def key(self, state, history, buckets):
        """The row of the actor, made when it is first met."""
        key = history, state.actor, int(buckets[state.actor][state.round])
        if len(self.regret[key]) == 0:
            self.regret[key] = np.zeros(len(self.choose(state)))
            self.average[key] = np.zeros(len(self.choose(state)))
        return key

    def strategy(self, key):
        positive = np.maximum(self.regret[key], 0)
        total = sum(positive)
        return positive * (1 / total) if total > 0 else np.full(len(positive), 1 / len(positive))

    def payoff(self, state, code, player):
        players = self.rules.players
        beats = [code // players**seat % players for seat in range(players)]
        return split_pot(state.spent, {seat: beats[seat] for seat in state.survivors})[player]

    def add_regret(self, key, amounts):
        self.regret[key] = np.maximum(self.regret[key] + amounts, self.rule.floor)


def draw(odds, rng):
    left, chosen = rng.uniform(), 0
    for a, p in enumerate(odds):
        if p > 0 and left >= 0:
            chosen = a
        left -= p
    return chosen


def others(lead, walker, actor):
    """The product over all but these two."""
    return np.prod([lead[q] for q in range(len(lead)) if q not in (walker, actor)])


# External sampling.


def external(table, deals, rng):
    """One iteration: `deals` has (buckets, code) for each player's walk."""
    for walker, (buckets, code) in enumerate(deals):
        prunes = table.rule.prune_below > -np.inf
        full = prunes and rng.uniform() < table.rule.try_chance
        low_gain = (1 / table.rule.try_chance if full else 0.0) if prunes else 1.0
        table.winnings[walker] += _external(
            table,
            start_betting(table.rules),
            (),
            buckets,
            code,
            walker,
            rng,
            1.0,
            low_gain,
            np.ones(table.rules.players),
        )


def _external(table, state, history, buckets, code, walker, rng, weight, low_gain, lead):
    if state.finished:
        return table.payoff(state, code, walker)
    key, actions = table.key(state, history, buckets), table.choose(state)
    table.touched += 1
    odds = table.strategy(key)
    if state.actor != walker:
        scale = weight * (others(lead, walker, state.actor) if table.rule.weighted else 1.0)
        table.average[key] = table.average[key] + scale * odds
        a = draw(odds, rng)
        lead = lead.copy()
        lead[state.actor] /= odds[a]
        after = state.act(actions[a])
        return _external(table, after, (*history, actions[a]), buckets, code, walker, rng, weight, low_gain, lead)
    values, gains = np.zeros(len(actions)), np.full(len(actions), weight)
    regrets = table.regret[key]
    for a, action in enumerate(actions):
        after = state.act(action)
        low = max(regrets) > 0 and regrets[a] < table.rule.prune_below and not after.finished
        if low:
            gains[a] = low_gain
        if gains[a] > 0:
            values[a] = _external(
                table, after, (*history, action), buckets, code, walker, rng, gains[a], low_gain, lead
            )
    value = sum(odds * values)
    table.add_regret(key, gains * (values - value))
    return value


# Outcome sampling.


def outcome(table, deals, rng):
    for walker, (buckets, code) in enumerate(deals):
        table.winnings[walker] += _outcome(
            table, start_betting(table.rules), (), buckets, code, walker, rng, 1.0, np.ones(table.rules.players)
        )


def _outcome(table, state, history, buckets, code, walker, rng, reach, lead):
    """The walker's sampled value; `reach` is the probability of its own sampled actions."""
    if state.finished:
        return table.payoff(state, code, walker)
    key, actions, rule = table.key(state, history, buckets), table.choose(state), table.rule
    table.touched += 1
    odds = table.strategy(key)
    if state.actor == walker:
        policy = rule.explore / len(odds) + (1 - rule.explore) * odds
        a = draw(policy, rng)
        further, ahead = reach * policy[a], lead
    else:
        policy = odds
        scale = others(lead, walker, state.actor) if rule.weighted else 1.0
        table.average[key] = table.average[key] + scale / reach * odds
        a = draw(policy, rng)
        further, ahead = reach, lead.copy()
        ahead[state.actor] /= odds[a]
    after, path = state.act(actions[a]), (*history, actions[a])
    sampled = _outcome(table, after, path, buckets, code, walker, rng, further, ahead)
    learns = rule.learn > 0
    values = np.array([table.baseline[walker, key, b] if learns else 0.0 for b in range(len(odds))])
    before = values[a]
    values[a] += (sampled - before) / policy[a]
    if learns:
        table.baseline[walker, key, a] += rule.learn * (sampled - before)
    value = sum(odds * values)
    if state.actor == walker:
        table.add_regret(key, (values - value) / reach)
    return value


# Public-chance sampling: every deal of the public outcome by itself, then all updates at once.


def public(table, outcome_of_walker):
    """One iteration: for each walker the deals of its outcome, as (buckets, code, probability given the outcome)."""
    for walker, deals in enumerate(outcome_of_walker):
        regrets, averages = defaultdict(float), defaultdict(float)
        for buckets, code, chance in deals:
            table.winnings[walker] += chance * _public(
                table, start_betting(table.rules), (), buckets, code, chance, walker, np.ones(table.rules.players),
                regrets, averages,
            )  # fmt: skip
        for key, amounts in averages.items():
            table.average[key] = table.average[key] + amounts
        for key, amounts in regrets.items():
            table.add_regret(key, amounts)


def _public(table, state, history, buckets, code, chance, walker, reach, regrets, averages):
    """The walker's value with these cards when the others play their strategies."""
    if state.finished:
        return table.payoff(state, code, walker)
    key, actions = table.key(state, history, buckets), table.choose(state)
    odds, actor = table.strategy(key), state.actor
    values = np.zeros(len(odds))
    for a, action in enumerate(actions):
        ahead = reach.copy()
        ahead[actor] *= odds[a]
        values[a] = _public(
            table, state.act(action), (*history, action), buckets, code, chance, walker, ahead, regrets, averages
        )
    if actor == walker:
        opponents = np.prod([reach[q] for q in range(len(reach)) if q != walker])
        regrets[key] += chance * opponents * (values - sum(odds * values))
    else:
        averages[key] += chance * reach[actor] * odds
    return sum(odds * values)
