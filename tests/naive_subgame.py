"""Slow, obvious twins of subgames: every deal and history of the explicit tree, dictionaries and recursion."""

from __future__ import annotations

from collections import defaultdict

from explicit_tree import ExplicitGame, Policy
from pokerlab.game.betting import Betting, start_betting


def counterfactual_values(
    explicit: ExplicitGame, policy: Policy, opponent: int, betting: str, play_to_reach: bool = False
) -> dict[str, tuple[float, float]]:
    """For each root infoset of the opponent: pi_{-opponent}, and its counterfactual best-response value.

    With `play_to_reach` the player's own trunk is left out, as if it always came here.
    """
    player = 1 - opponent
    reach = dict.fromkeys(explicit.deals, explicit.chance)
    at: Betting = start_betting(explicit.rules)
    for state, text, name in _path(explicit, betting):
        if state.actor == player and not play_to_reach:
            for deal in explicit.deals:
                reach[deal] *= policy[player][text, explicit.label(deal, player, state.round)].get(name, 0.0)
        at = next(after for action, after, _ in explicit.children(state, text) if action == name)
    infosets: dict[str, dict] = defaultdict(dict)
    for deal, weight in reach.items():
        infosets[explicit.label(deal, opponent, at.round)][deal] = weight
    found = {}
    for label, members in infosets.items():
        weight = sum(members.values())
        worth = _best(explicit, policy, opponent, at, betting, {d: w for d, w in members.items() if w > 0})
        found[label] = (weight, worth / weight if weight > 0 else 0.0)
    return found


def _path(explicit: ExplicitGame, betting: str) -> list[tuple[Betting, str, str]]:
    def search(state: Betting, text: str) -> list[tuple[Betting, str, str]] | None:
        if text == betting:
            return []
        if state.finished or not betting.startswith(text):
            return None
        for name, after, longer in explicit.children(state, text):
            rest = search(after, longer)
            if rest is not None:
                return [(state, text, name), *rest]
        return None

    found = search(start_betting(explicit.rules), "")
    assert found is not None
    return found


def _best(explicit: ExplicitGame, policy: Policy, who: int, state: Betting, text: str, reach: dict) -> float:
    """What `who` gets at most from here, summed over deals with their weights."""
    if not reach:
        return 0.0
    if state.finished:
        sign = 1 if who == 0 else -1
        return sign * sum(weight * explicit.payoff(deal, state) for deal, weight in reach.items())
    children = explicit.children(state, text)
    if state.actor == who:
        infosets: dict[tuple, dict] = defaultdict(dict)
        for deal, weight in reach.items():
            infosets[deal[who], deal[2 : 3 + state.round]][deal] = weight
        return sum(
            max(_best(explicit, policy, who, after, longer, members) for _, after, longer in children)
            for members in infosets.values()
        )
    total = 0.0
    for name, after, longer in children:
        kept = {}
        for deal, weight in reach.items():
            odds = policy[state.actor][text, explicit.label(deal, state.actor, state.round)].get(name, 0.0)
            if odds > 0:
                kept[deal] = weight * odds
        total += _best(explicit, policy, who, after, longer, kept)
    return total
