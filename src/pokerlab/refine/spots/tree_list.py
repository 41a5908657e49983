"""The tree of a spot as a list: every decision with who acts, the pot, and what may be done, sizes in chips and of the
pot.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from pokerlab.game.betting import CALL
from pokerlab.notebook import Table
from pokerlab.refine.spots.frames import Frame, frame_table
from pokerlab.refine.spots.locks import find_node
from pokerlab.refine.spots.spot import PLAYERS, Spot
from pokerlab.refine.spots.tree import POSTFLOP, Node


def sizes_at(spot: Spot, node: Node) -> list[float | None]:
    """What each action of a decision bets over the bet faced, as a part of the pot after calling; None of others."""
    most, pot = max(node.put), spot.pot + 2 * max(node.put)
    return [(to - spot.pot // 2 - most) / pot if to > CALL else None for to in node.actions]


def _told(spot: Spot, node: Node) -> str:
    sizes = zip(node.labels, sizes_at(spot, node), strict=True)
    return ", ".join(label if size is None else f"{label} ({100 * size:.0f} %)" for label, size in sizes)


def _decisions(spot: Spot, line: str) -> Iterator[Node]:
    """The decisions from where a line leads on, parents first."""
    tree = spot.tree()
    stack = [find_node(tree, line)[0].index]
    while stack:
        node = tree[stack.pop()]
        if node.kind == "decision":
            yield node
        stack += reversed(node.children)


def tree_frame(spot: Spot, line: str = "") -> Frame:
    """All decisions of a spot from a line on, as columns; sizes are parts of the pot after calling."""
    tree, stack = spot.tree(), spot.start.stack
    nodes = list(_decisions(spot, line))
    texts = {
        "line": [", ".join(tree.line(node.index)) for node in nodes],
        "street": [POSTFLOP[node.street] for node in nodes],
        "player": [PLAYERS[node.player] for node in nodes],
        "actions": [", ".join(node.labels) for node in nodes],
        "sizes": [", ".join("" if s is None else f"{s:.4f}" for s in sizes_at(spot, node)) for node in nodes],
    }
    numbers = {
        "pot": [spot.pot + sum(node.put) for node in nodes],
        "to call": [max(node.put) - node.put[node.player] for node in nodes],
        "behind": [stack - node.put[node.player] for node in nodes],
    }
    frame = {name: np.array(column, dtype=object) for name, column in texts.items()}
    return frame | {name: np.array(column, dtype=np.int64) for name, column in numbers.items()}


def tree_lines(spot: Spot, line: str = "") -> list[str]:
    """The decisions of one street from a line on, each under the one before it, and how many there are in all."""
    tree, nodes = spot.tree(), list(_decisions(spot, line))
    if not nodes:
        return [f"nobody acts after {line or 'the start'}"]
    first, shown = nodes[0], []
    depth = {first.index: 0}
    for node in nodes:
        if node.street == first.street:
            if node is not first:
                depth[node.index] = depth[node.parent] + 1
            before = tree[node.parent].labels[tree[node.parent].children.index(node.index)] if node.index else "start"
            pot = spot.pot + sum(node.put)
            shown.append(f"{'  ' * depth[node.index]}{before}: {PLAYERS[node.player]}, pot {pot}: {_told(spot, node)}")
    more = [f"{sum(node.street == s for node in nodes):,} on the {POSTFLOP[s]}" for s in range(first.street, 3)]
    behind = spot.start.stack - first.put[first.player]
    head = f"{POSTFLOP[first.street]} after {', '.join(tree.line(first.index)) or 'the start'}, {behind} behind"
    return [head, *shown, f"{len(nodes):,} decisions: {', '.join(more)}; sizes are parts of the pot after calling"]


def tree_table(spot: Spot, line: str = "") -> Table:
    """`tree_frame` as rows."""
    return frame_table(f"{spot.name}: decisions", tree_frame(spot, line))


def tree_json(spot: Spot, line: str = "") -> dict[str, Any]:
    """All decisions from a line on, and how many there are, as plain JSON."""
    tree = spot.tree()
    decisions = [
        {
            "line": list(tree.line(node.index)), "street": POSTFLOP[node.street], "player": PLAYERS[node.player],
            "pot": spot.pot + sum(node.put), "to_call": max(node.put) - node.put[node.player],
            "actions": list(node.labels), "sizes": sizes_at(spot, node),
        }
        for node in _decisions(spot, line)
    ]  # fmt: skip
    return {
        "spot": spot.name,
        "decisions": decisions,
        "decision_nodes": tree.decisions,
        "terminal_nodes": tree.terminals,
    }
