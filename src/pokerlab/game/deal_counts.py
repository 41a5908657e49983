"""How many private states and deals a game has, counted without enumerating any."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import permutations, product
from math import comb, factorial
from operator import add, le

from pokerlab.bounds import raising, room
from pokerlab.errors import GameTooLarge
from pokerlab.game.rules import Rules

MAX_DEALS = 3_000_000


def refuse_too_many(rules: Rules) -> None:
    """GameTooLarge where the deals are too many to enumerate; none is."""
    copies = 1 if rules.suits_matter else len(rules.deck.suits)
    classes = len(rules.deck) // copies
    # In how many ways the holes can be drawn, cards of a class being equal; a little more in fact.
    hole = comb(classes + rules.hole_cards - 1 if copies > 1 else classes, rules.hole_cards)
    size = count_states(rules, rules.board_cards) * hole**rules.players
    if size > room(MAX_DEALS):
        family = ", sample it in buckets of cards (`pokerlab train --game GAME --cards SPEC`)" * rules.holdem_family
        most = room(MAX_DEALS)
        raise GameTooLarge(
            f"{rules.name or 'this game'} has about {size:.1e} deals; compile enumerates at most {most:.0e}: take "
            f"fewer ranks or suits{family}{raising(size / most)}"
        )


def count_states(rules: Rules, sizes: Sequence[int]) -> int:
    """How many states there are with groups of cards of these sizes, one after the other.

    Where suits matter by Burnside's lemma: the mean, over the renamings of suits, of the number of draws that a
    renaming leaves alone. The groups of such a draw are made of whole cycles of cards.
    """
    deck, none = rules.deck, tuple(0 for _ in sizes)
    if not rules.suits_matter:
        taken = product(*(range(size + 1) for size in sizes))
        return _draws_of([[counts for counts in taken if sum(counts) <= len(deck.suits)]] * len(deck.ranks), sizes)
    total = 0
    kinds = Counter(tuple(sorted(_cycles(renaming))) for renaming in permutations(range(len(deck.suits))))
    for lengths, renamings in kinds.items():
        cycles = [
            [none, *(tuple(length * (group == at) for at in range(len(sizes))) for group in range(len(sizes)))]
            for length in lengths
        ]
        total += renamings * _draws_of(cycles * len(deck.ranks), sizes)
    return total // factorial(len(deck.suits))


def _cycles(renaming: Sequence[int]) -> Iterator[int]:
    """The lengths of the cycles of a permutation."""
    left = {*range(len(renaming))}
    while left:
        at, length = next(iter(left)), 0
        while at in left:
            left.remove(at)
            at, length = renaming[at], length + 1
        yield length


def _draws_of(choices: Sequence[Sequence[tuple[int, ...]]], sizes: Sequence[int]) -> int:
    """In how many ways one of each choices, which say how many cards go to each group, add up to the sizes."""
    ways = Counter({tuple(0 for _ in sizes): 1})
    for choice in choices:
        more: Counter[tuple[int, ...]] = Counter()
        for drawn, count in ways.items():
            for counts in choice:
                sums = tuple(map(add, drawn, counts))
                if all(map(le, sums, sizes)):
                    more[sums] += count
        ways = more
    return ways[tuple(sizes)]
