"""Walking the betting: every line of play from a state on, under what is considered in each state."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol, Self, TypeVar

from pokerlab.bounds import raising, room
from pokerlab.errors import GameTooLarge
from pokerlab.game.betting import CALL, Betting, start_betting
from pokerlab.game.rules import Rules

MAX_NODES = 300_000  # some hundred megabytes

Considered = Callable[[Betting], Sequence[int]]  # the actions taken into account in a state; none when it is over


class Walked(Protocol):
    """A betting state, or one with what else is known of how it came about."""

    @property
    def rules(self) -> Rules: ...

    def act(self, action: int, /) -> Self: ...


S = TypeVar("S", bound=Walked)


def walk(
    start: S, considered: Callable[[S], Sequence[int]], most: int | None = None
) -> Iterator[tuple[int, int, S, Sequence[int]]]:
    """All states in depth-first order: the number of the one before, the action from there, the state, its actions.

    States are numbered from 0 as they come; one that two lines lead to comes twice. More than `most` are too many, by
    default as many as a compiled game may have.
    """
    most = room(MAX_NODES) if most is None else most
    stack, number = [(-1, CALL, start)], 0
    while stack:
        parent, action, state = stack.pop()
        actions = considered(state)
        yield parent, action, state, actions
        if number + len(stack) + len(actions) >= most:
            raise GameTooLarge(
                f"the betting of {state.rules.name or 'this game'} has more than {most:,} nodes; give fewer bet "
                "sizes (as in `--abstraction pa`), smaller stacks or fewer raises, sample it (`pokerlab train --bets`, "
                f"for games like hold'em){raising()}"
            )
        for after in reversed(actions):
            stack.append((number, after, state.act(after)))
        number += 1


class Node(NamedTuple):
    """A public node: its betting state, the actions considered there and the nodes they lead to."""

    state: Betting
    text: str
    parent: int
    actions: tuple[int, ...]
    children: tuple[int, ...]

    @property
    def names(self) -> list[str]:
        return [self.state.text_of(action) for action in self.actions]


def betting_tree(rules: Rules, considered: Considered, most: int | None = None) -> list[Node]:
    """All public nodes in depth-first order, parents before children; node 0 is the root. At most so many."""
    nodes: list[Node] = []
    children: list[list[int]] = []
    for here, (parent, action, state, actions) in enumerate(walk(start_betting(rules), considered, most)):
        text = ""
        if parent >= 0:
            before = nodes[parent]
            gap = "" if state.finished else "/" * (state.round - before.state.round)
            text = before.text + before.state.text_of(action) + gap
            children[parent].append(here)
        nodes.append(Node(state, text, parent, tuple(actions), ()))
        children.append([])
    return [node._replace(children=tuple(row)) for node, row in zip(nodes, children, strict=True)]
