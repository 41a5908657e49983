"""Slow, obvious twins of compiled games: every deal of real cards, every history, dictionaries and recursion.

Infosets are named (betting text, state label) as in `Profile.rows`, so that the twins share nothing with the
compiler but the betting state machine and the plain hand ranking.
"""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import combinations

from pokerlab.cards.ranking import strength
from pokerlab.game.betting import Betting, start_betting
from pokerlab.game.deals import canonical
from pokerlab.game.rules import Rules

Policy = list[dict[tuple[str, str], dict[str, float]]]


def policy_of(profile) -> Policy:
    """A profile as dictionaries; abstract states (`J,Q`) are spread over their members."""
    policy: Policy = []
    for player in range(2):
        table = {}
        for betting, states, odds in profile.rows(player):
            for state in states.split(","):
                table[betting, state] = odds
        policy.append(table)
    return policy


class ExplicitGame:
    """All deals (probability, holes, boards by round) of a small two-player game."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.deals = list(self._deal(frozenset(range(len(rules.deck))), []))
        self.labels: dict[tuple, str] = {}
        self.signs = {deal: self._sign(deal) for deal in self.deals}
        self.known: dict[str, list[tuple[str, Betting, str]]] = {}
        self.chance = 1 / len(self.deals)

    def _deal(self, deck: frozenset[int], dealt: list[tuple[int, ...]]):
        sizes = [self.rules.hole_cards, self.rules.hole_cards, *self.rules.board_cards]
        if len(dealt) == len(sizes):
            yield tuple(dealt)
            return
        for cards in combinations(sorted(deck), sizes[len(dealt)]):
            yield from self._deal(deck - set(cards), [*dealt, cards])

    def label(self, deal, player: int, round: int) -> str:
        key = deal, player, round
        if key not in self.labels:
            self.labels[key] = self._label(*key)
        return self.labels[key]

    def _label(self, deal, player: int, round: int) -> str:
        deck = self.rules.deck
        state = (deal[player], *(cards for cards in deal[2 : 3 + round] if cards))
        state = canonical(self.rules, state)
        if self.rules.suits_matter:
            return "/".join(deck.text(cards) for cards in state)
        return "/".join("".join(deck.ranks[rank] for rank in cards) for cards in state)

    def payoff(self, deal, state: Betting) -> float:
        """To player 0."""
        if not state.showdown:
            return state.spent[1] if state.folded[1] else -state.spent[0]
        return min(state.spent) * self.signs[deal]

    def _sign(self, deal) -> int:
        """The showdown for player 0."""
        deck, board = self.rules.deck, [card for cards in deal[2:] for card in cards]
        mine, theirs = (
            strength([(deck.rank(c), deck.suit(c)) for c in (*deal[p], *board)], self.rules.ranking, len(deck.ranks))
            for p in range(2)
        )
        return (mine > theirs) - (mine < theirs)

    def children(self, state: Betting, text: str) -> list[tuple[str, Betting, str]]:
        if text in self.known:
            return self.known[text]
        found = self.known[text] = []
        for action in state.legal().actions():
            after = state.act(action)
            gap = "/" * (after.round - state.round) if not after.finished else ""
            found.append((state.text_of(action), after, text + state.text_of(action) + gap))
        return found

    def value(self, policy: Policy) -> float:
        """Expected payoff to player 0."""

        def walk(deal, state: Betting, text: str) -> float:
            if state.finished:
                return self.payoff(deal, state)
            odds = policy[state.actor][text, self.label(deal, state.actor, state.round)]
            return sum(
                odds[name] * walk(deal, after, longer)
                for name, after, longer in self.children(state, text)
                if odds.get(name, 0) > 0
            )

        return self.chance * sum(walk(deal, start_betting(self.rules), "") for deal in self.deals)

    def best_response_value(self, policy: Policy, player: int) -> float:
        """What `player`, who tells all cards apart by suit too, earns at most against the other's policy."""
        sign = 1 if player == 0 else -1

        def walk(state: Betting, text: str, reach: dict) -> float:
            """Value to `player` of a public node; reach[deal] = chance times the opponent's reach."""
            if state.finished:
                return sign * sum(weight * self.payoff(deal, state) for deal, weight in reach.items())
            total = 0.0
            if state.actor == player:
                infosets = defaultdict(dict)
                for deal, weight in reach.items():
                    infosets[deal[player], deal[2 : 3 + state.round]][deal] = weight
                for members in infosets.values():
                    total += max(walk(after, longer, members) for _, after, longer in self.children(state, text))
                return total
            for name, after, longer in self.children(state, text):
                kept = {}
                for deal, weight in reach.items():
                    odds = policy[state.actor][text, self.label(deal, state.actor, state.round)]
                    if weight * odds.get(name, 0.0) > 0:
                        kept[deal] = weight * odds[name]
                if kept:
                    total += walk(after, longer, kept)
            return total

        return walk(start_betting(self.rules), "", dict.fromkeys(self.deals, self.chance))

    def cfr(self, iterations: int, alpha: float, beta: float, gamma: float, predictive: bool, alternating: bool):
        """Average policy after discounted CFR by plain recursion over histories; mirrors no code of ours."""
        regret = [defaultdict(lambda: defaultdict(float)) for _ in range(2)]
        matched = [defaultdict(lambda: defaultdict(float)) for _ in range(2)]
        total = [defaultdict(lambda: defaultdict(float)) for _ in range(2)]

        def current(player, key, names):
            positive = {name: max(matched[player][key][name], 0.0) for name in names}
            mass = sum(positive.values())
            return {n: positive[n] / mass if mass > 0 else 1 / len(names) for n in names}

        def walk(deal, state, text, reach, learner, instant, weight):
            """Value to player 0; learns or, with weight, adds the learner's strategy to its average."""
            if state.finished:
                return self.payoff(deal, state)
            player = state.actor
            key = (text, self.label(deal, player, state.round))
            kids = self.children(state, text)
            odds = frozen[player, key] if (player, key) in frozen else current(player, key, [k[0] for k in kids])
            frozen[player, key] = odds
            values = {}
            for name, after, longer in kids:
                further = list(reach)
                further[player] *= odds[name]
                if weight is not None and player == learner:
                    total[player][key][name] += weight * self.chance * further[player]
                values[name] = walk(deal, after, longer, further, learner, instant, weight)
            value = sum(odds[name] * values[name] for name in odds)
            if weight is None and player == learner:
                sign = 1 if player == 0 else -1
                for name in odds:
                    instant[key][name] += sign * self.chance * reach[1 - player] * (values[name] - value)
            return value

        for t in range(1, iterations + 1):
            keep, forgive = _factor(t, alpha), _factor(t, beta)
            instants = [defaultdict(lambda: defaultdict(float)) for _ in range(2)]
            frozen: dict = {}
            if not alternating:
                for learner in range(2):
                    for deal in self.deals:
                        walk(deal, start_betting(self.rules), "", [1.0, 1.0], learner, instants[learner], None)
            for learner in range(2):
                instant = instants[learner]
                if alternating:
                    frozen = {}
                    for deal in self.deals:
                        walk(deal, start_betting(self.rules), "", [1.0, 1.0], learner, instant, None)
                for key, changes in instant.items():
                    for name, change in changes.items():
                        r = regret[learner][key][name] + change
                        regret[learner][key][name] = r * (keep if r > 0 else forgive)
                        matched[learner][key][name] = regret[learner][key][name] + (change if predictive else 0.0)
            for learner in range(2):
                frozen = {}
                for deal in self.deals:
                    walk(deal, start_betting(self.rules), "", [1.0, 1.0], learner, None, t**gamma)
        policy: Policy = [{}, {}]
        for player in range(2):
            for key, sums in total[player].items():
                mass = sum(sums.values())
                policy[player][key] = {n: s / mass if mass > 0 else 1 / len(sums) for n, s in sums.items()}
        return policy


def _factor(t: int, exponent: float) -> float:
    if math.isinf(exponent):
        return 1.0 if exponent > 0 else 0.0
    return t**exponent / (t**exponent + 1)
