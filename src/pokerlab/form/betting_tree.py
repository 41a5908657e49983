"""The public betting tree of some rules under each player's bet abstraction."""

from __future__ import annotations

from typing import NamedTuple

from pokerlab.abstraction.small import Abstraction
from pokerlab.game.betting import CALL, FOLD, Betting, start_betting
from pokerlab.game.rules import Rules


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


def betting_tree(rules: Rules, abstraction: Abstraction) -> list[Node]:
    """All public nodes in depth-first order, parents before children; node 0 is the root."""
    nodes: list[Node] = []
    links: list[list[int]] = []
    stack: list[tuple[Betting, str, int]] = [(start_betting(rules), "", -1)]
    while stack:
        state, text, parent = stack.pop()
        here = len(nodes)
        actions = considered(state, abstraction)
        nodes.append(Node(state, text, parent, actions, ()))
        links.append([])
        if parent >= 0:
            links[parent].append(here)
        for action in reversed(actions):
            after = state.act(action)
            gap = "/" * (after.round - state.round) if not after.finished else ""
            stack.append((after, text + state.text_of(action) + gap, here))
    return [node._replace(children=tuple(found)) for node, found in zip(nodes, links, strict=True)]


def considered(state: Betting, abstraction: Abstraction) -> tuple[int, ...]:
    """The legal actions that the actor's abstraction keeps; none when the betting is over."""
    if state.actor is None:
        return ()
    legal = state.legal()
    raises = abstraction.of(state.actor).raises(state, legal)
    return (FOLD, CALL, *raises) if legal.fold else (CALL, *raises)
