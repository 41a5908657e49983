"""Abstractions of small games, one a player: Definition 4 of Waugh et al. (2009).

Text, as in the paper's tables, the player's abstraction before the opponent's:

    FULL             the null abstraction
    JQ.K             first round {J,Q} and {K}; each later round adds pair / no pair
    JQ.K/J.QK        second round: the board card in {J} or {Q,K} instead
    JQ.K/~pair.nopair  second round: pair / no pair only, the first round forgotten (imperfect recall)
    hpa              no-limit: bets of these sizes only, by the letters of game/bet_sizes.py
    JQ.K+pa          both
    JQ.K-FULL        the player's and the opponent's; one alone is meant for both
    NAME             what the function NAME of a user's package makes of cards (`ABSTRACTIONS`); its past is remembered
    my_lab:court     what the function `court` of the module my_lab makes of them
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass

import numpy as np

from pokerlab.errors import AbstractionError
from pokerlab.game.bet_sizes import NAMED, Size
from pokerlab.game.betting import Betting
from pokerlab.game.deals import Deals, State, deals_of
from pokerlab.game.rules import Rules
from pokerlab.registry import Registry, is_function_of, is_place, others_code

PAIR = "pair.nopair"
Sees = Callable[[tuple[str, ...]], Hashable]  # of hole and board cards as text, ("K", "Q"): what is told apart
ABSTRACTIONS: Registry[Sees] = Registry(
    "abstraction", {}, error=AbstractionError, wrong=is_function_of("the cards that a player sees")
)


@dataclass(frozen=True)
class Partition:
    """How one round's new card is seen: its group of ranks, or (`groups` None) whether it pairs."""

    groups: tuple[int, ...] | None
    forgets: bool = False


@dataclass(frozen=True)
class PlayerAbstraction:
    """alpha_i = <what is told apart, what may be bet>; None is the null abstraction of that half."""

    text: str = "FULL"
    partitions: tuple[Partition, ...] | None = None
    bets: tuple[Size, ...] | None = None
    sees: Sees | None = None  # in the place of partitions

    @property
    def groups_cards(self) -> bool:
        return self.partitions is not None or self.sees is not None

    def raises(self, state: Betting) -> tuple[int, ...]:
        """The raises that this player considers, a subset of the legal ones."""
        return state.every_raise() if self.bets is None else state.raises_to(self.bets)

    def buckets(self, deals: Deals) -> list[np.ndarray]:
        """For each round, the bucket of every private state. A bucket tells its past apart unless it forgets."""
        buckets: list[np.ndarray] = []
        known = 0  # groups of cards dealt before this round
        for r, states in enumerate(deals.states):
            past = buckets[-1][deals.parents[r]].tolist() if buckets else [0] * len(states)
            with others_code(f"abstraction {self.text!r} failed", AbstractionError, self.sees or self):
                keys = [self._key(deals, state, known, before) for state, before in zip(states, past, strict=True)]
                number = {key: i for i, key in enumerate(dict.fromkeys(keys))}
            known = len(states[0])
            buckets.append(np.array([number[key] for key in keys], dtype=np.int64))
        return buckets

    def _key(self, deals: Deals, state: State, known: int, past: int) -> Hashable:
        """What the player makes of a state: its bucket before, and how it sees each group dealt since."""
        if self.sees is not None:
            return past, self.sees(tuple(deals.label(state).split("/")))
        if self.partitions is None:
            return state
        key: tuple[Hashable, ...] = (past,)
        for group in range(known, len(state)):
            part = self.partitions[group]
            seen = _seen(deals, part, state[: group + 1])
            key = (seen,) if part.forgets else (*key, seen)
        return key


def _seen(deals: Deals, part: Partition, state: State) -> Hashable:
    newest = [deals.rank(card) for card in state[-1]]
    if part.groups is not None:
        return tuple(part.groups[rank] for rank in newest)
    earlier = {deals.rank(card) for group in state[:-1] for card in group}
    return not any(rank in earlier for rank in newest)


@dataclass(frozen=True)
class Abstraction:
    """One abstraction a player."""

    players: tuple[PlayerAbstraction, PlayerAbstraction] = (PlayerAbstraction(), PlayerAbstraction())

    def __call__(self, state: Betting) -> tuple[int, ...]:
        """The legal actions that the actor's abstraction keeps; none when the betting is over."""
        return () if state.actor is None else state.actions(self.of(state.actor).raises(state))

    @property
    def text(self) -> str:
        return "-".join(player.text for player in self.players)

    def of(self, player: int) -> PlayerAbstraction:
        """A player's abstraction; the null one for players beyond the second."""
        return self.players[player] if player < len(self.players) else PlayerAbstraction()

    @property
    def is_full(self) -> bool:
        return all(not p.groups_cards and p.bets is None for p in self.players)


FULL = Abstraction()


def parse_abstraction(text: str | Abstraction, rules: Rules) -> Abstraction:
    """Read `JQ.K-FULL` and the like, and check that it fits the rules."""
    if isinstance(text, Abstraction):
        return text
    parts = text.split("-")
    if len(parts) > 2:
        raise AbstractionError(f"abstraction {text!r} names {len(parts)} players; give one, or two as in JQ.K-FULL")
    first, second = parts[0], parts[-1]
    return Abstraction((parse_player(first, rules), parse_player(second, rules)))


def names_code(text: str) -> bool:
    """Whether the text of an abstraction names functions of a user's own modules."""
    return any(is_place(part) for player in text.split("-") for part in player.split("+"))


def parse_player(text: str, rules: Rules) -> PlayerAbstraction:
    """Read one player's abstraction: cards, bets, or both joined by `+`."""
    cards: tuple[Partition, ...] | None = None
    bets: tuple[Size, ...] | None = None
    sees: Sees | None = None
    for part in text.split("+"):
        if not part:
            raise AbstractionError(f"abstraction {text!r} has an empty part; write FULL for none")
        if part == "FULL":
            continue
        if not rules.limit and set(part) <= set(NAMED):
            bets = tuple(size for letter, size in NAMED.items() if letter in part)
        elif rules.limit and set(part) <= set(NAMED) and not set(part) & set(rules.deck.ranks):
            raise AbstractionError(f"abstraction {part!r} limits bet sizes, but {rules.name or 'this game'} is limit")
        elif part in ABSTRACTIONS or is_place(part):
            sees = ABSTRACTIONS[part]
        else:
            cards = _parse_cards(part, rules)
    return PlayerAbstraction(text, cards, bets, sees)


def _parse_cards(text: str, rules: Rules) -> tuple[Partition, ...]:
    dealing = 1 + sum(n > 0 for n in rules.board_cards)
    if rules.hole_cards != 1 or max(rules.board_cards) > 1:
        raise AbstractionError(
            f"abstraction {text!r} groups the ranks of one card at a time; "
            f"{rules.name or 'this game'} deals {max(rules.hole_cards, *rules.board_cards)} at once"
        )
    parts = text.split("/")
    if len(parts) > dealing:
        raise AbstractionError(
            f"abstraction {text!r} has {len(parts)} parts; {rules.name or 'this game'} deals {dealing} times"
        )
    parts += [PAIR] * (dealing - len(parts))
    partitions = []
    for position, part in enumerate(parts):
        forgets = part.startswith("~")
        part = part.removeprefix("~")
        if position and part == PAIR:
            partitions.append(Partition(None, forgets))
        else:
            partitions.append(Partition(_parse_groups(part, rules), forgets))
    return tuple(partitions)


def _parse_groups(text: str, rules: Rules) -> tuple[int, ...]:
    """Group of each rank; every rank of the deck must be named once."""
    ranks = rules.deck.ranks
    groups = text.split(".")
    named = "".join(groups)
    problem = ""
    if unknown := [r for r in named if r not in ranks]:
        problem = f"no rank {unknown[0]!r}"
    elif missing := [r for r in ranks if r not in named]:
        problem = f"rank {missing[0]!r} is in no group"
    elif len(named) > len(ranks):
        problem = "a rank is in two groups"
    elif not all(groups):
        problem = "a group is empty"
    if problem:
        raise AbstractionError(f"abstraction {text!r} does not fit the deck of ranks {ranks}: {problem}")
    return tuple(next(i for i, group in enumerate(groups) if rank in group) for rank in ranks)


def refines(alpha: str | Abstraction, beta: str | Abstraction, rules: Rules) -> bool:
    """Definition 5: whether alpha refines beta (told apart at least as much, bet at least as much)."""
    a, b = parse_abstraction(alpha, rules), parse_abstraction(beta, rules)
    return all(player_refines(mine, theirs, rules) for mine, theirs in zip(a.players, b.players, strict=True))


def player_refines(alpha: PlayerAbstraction, beta: PlayerAbstraction, rules: Rules) -> bool:
    """Definition 5 for one player."""
    if alpha.bets is not None and (beta.bets is None or not set(beta.bets) <= set(alpha.bets)):
        return False
    deals = deals_of(rules)
    pairs = zip(alpha.buckets(deals), beta.buckets(deals), strict=True)
    # beta's partition is coarser when each bucket of alpha lies in one bucket of beta.
    return all(len(set(zip(fine, coarse, strict=True))) == len(set(fine)) for fine, coarse in pairs)
