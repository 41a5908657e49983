"""Game trees to try things on: Kuhn poker and random ones, written to Gambit's format, and evaluated by recursion."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import permutations

from pokerlab.form.extensive import Chance, Decision, Node, Terminal
from pokerlab.form.strategy import Profile


def kuhn_tree() -> Node:
    """Kuhn poker, deal by deal; infosets are named by card and betting, `K` or `Jcr`."""

    def play(cards: tuple[int, int], betting: str) -> Node:
        stake = 2 if "rc" in betting else 1
        if betting.endswith("f"):
            return Terminal(-1 if len(betting) % 2 else 1)  # an odd number of moves ends with the first player's
        if betting in ("cc", "rc", "crc"):
            return Terminal(stake if cards[0] > cards[1] else -stake)
        player, actions = len(betting) % 2, "fc" if betting.endswith("r") else "cr"
        children = [play(cards, betting + action) for action in actions]
        return Decision(player, "JQK"[cards[player]] + betting, tuple(actions), children)

    return Chance([1 / 6] * 6, [play(cards, "") for cards in permutations(range(3), 2)])


def random_tree(seed: int, depth: int = 6, total: float = 0.0) -> Node:
    """A random tree with perfect recall whose payoffs add up to `total`.

    A player's infoset is all that it did and saw; of a move of chance or the other it sees which of a few classes it
    falls in, which depends on what it knew, as do its own actions.
    """
    rng = random.Random(seed)

    def fixed(*about: object) -> random.Random:
        return random.Random(f"{seed}/{about}")

    def sees(player: int, infos: tuple[str, str], move: int) -> str:
        return f"{infos[player]}:{fixed('sight', player, infos[player], move).randrange(2)}"

    def grow(infos: tuple[str, str], left: int) -> Node:
        kind = rng.random()
        if not left or kind < 0.08:
            payoff = rng.randint(-8, 8) / 4
            return Terminal(payoff, total - payoff)
        if kind < 0.3:
            weights = [rng.randint(0, 4) for _ in range(rng.randint(1, 3))]
            weights[0] += 1
            children = [grow((sees(0, infos, move), sees(1, infos, move)), left - 1) for move, _ in enumerate(weights)]
            return Chance([w / sum(weights) for w in weights], children)
        player = rng.randrange(2)
        actions = tuple("abc"[: fixed("actions", player, infos[player]).randint(1, 3)])
        children = []
        for move, action in enumerate(actions):
            after = list(infos)
            after[player] += action
            after[1 - player] = sees(1 - player, infos, move)
            children.append(grow((after[0], after[1]), left - 1))
        return Decision(player, infos[player], actions, children)

    return grow(("x", "y"), depth)


def value_of(root: Node, profile: Profile) -> float:
    """What player 0 earns, by recursion over the tree."""
    odds = [{infoset: table for _, infoset, table in profile.rows(player)} for player in range(2)]

    def walk(node: Node) -> float:
        if isinstance(node, Terminal):
            return node.payoff
        if isinstance(node, Chance):
            return sum(p * walk(child) for p, child in zip(node.probabilities, node.children, strict=True))
        table = odds[node.player][node.infoset]
        return sum(table[a] * walk(child) for a, child in zip(node.actions, node.children, strict=True))

    return walk(root)


def to_efg(root: Node, seed: int = 0, total: float = 0.0, on_the_way: bool = True) -> str:
    """The tree as a Gambit file. Descriptions are at times repeated and at times not; with `on_the_way`, a part of
    the payoffs is paid at nodes inside the tree.
    """
    rng = random.Random(seed)
    lines = ['EFG 2 R "A \\"random\\" tree" { "Player 1" "Player 2" }', '"written by a test"', ""]
    infosets: dict[tuple[int, str], int] = {}
    outcomes: dict[tuple[Fraction, Fraction], int] = {}
    events = 0

    def outcome(payoffs: tuple[Fraction, Fraction]) -> str:
        if payoffs == (0, 0):
            return "0"
        known = payoffs in outcomes
        number = outcomes.setdefault(payoffs, len(outcomes) + 1)
        if known and rng.random() < 0.5:
            return str(number)
        return f'{number} "" {{ {payoffs[0]}{rng.choice([",", ""])} {payoffs[1]} }}'

    def write(node: Node, owed: tuple[Fraction, Fraction]) -> None:
        nonlocal events
        if isinstance(node, Terminal):
            mine = Fraction(node.payoff)
            lines.append(f't "" {outcome((mine + owed[0], Fraction(total) - mine + owed[1]))}')
            return
        paid = (Fraction(rng.randint(-4, 4), 4), Fraction(rng.randint(-4, 4), 4)) if on_the_way else (Fraction(0),) * 2
        if isinstance(node, Chance):
            events += 1
            odds = [Fraction(p).limit_denominator(1000) for p in node.probabilities]
            actions = " ".join(f'"{move}" {p}' for move, p in enumerate(odds))
            lines.append(f'c "" {events} "" {{ {actions} }} {outcome(paid)}')
        else:
            key = (node.player, node.infoset)
            known = key in infosets
            number = infosets.setdefault(key, len(infosets) + 1)
            actions = " ".join(f'"{action}"' for action in node.actions)
            described = "" if known and rng.random() < 0.5 else f' "{node.infoset}" {{ {actions} }}'
            lines.append(f'p "" {node.player + 1} {number}{described} {outcome(paid)}')
        for child in node.children:
            write(child, (owed[0] - paid[0], owed[1] - paid[1]))

    write(root, (Fraction(0), Fraction(0)))
    return "\n".join(lines) + "\n"
