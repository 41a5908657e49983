"""The three gadgets of Moravcik et al. (2016) as games for any solver: Figures 2, 3 and 4.

All are the forest of the subgame below another first block for the opponent, with its root infosets weighted, and
one border vector w in the payoff (a row for the opponent, a column if it is player 0):

    endgame      Gadget 1   chance deals by both trunks' belief                           w = 0
    re-solving   Gadget 2   chance deals by pi_{-2}; the opponent follows or terminates   w = what terminating pays
    max-margin   Gadget 3   the opponent picks its infoset I, chance deals within I       w = the baseline CBV(I)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from pokerlab.errors import SubgameError
from pokerlab.form.game import BilinearGame, Game, Tie
from pokerlab.form.payoff import Group, payoff_of
from pokerlab.form.treeplex import Block, Treeplex
from pokerlab.refine.border import Border
from pokerlab.refine.forest import Forest, Half

TECHNIQUES = ("endgame", "re-solving", "max-margin")


@dataclass(frozen=True, eq=False)
class Scene:
    """What gadgets and linear programs share: the forest of what can occur, and weights of the root infosets.

    Chance deals infosets s of the player and t of the opponent with its own probability times mine[s] * theirs[t].
    `limit` is what the opponent may have at each of its root infosets: its CBV, plus gifts.
    """

    technique: str
    border: Border
    forest: Forest
    mine: np.ndarray
    theirs: np.ndarray
    limit: np.ndarray
    weight: np.ndarray

    @property
    def sides(self) -> tuple[Half, Half]:
        """The player's and the opponent's."""
        return self.forest.sides[self.border.player], self.forest.sides[self.border.opponent]

    def seated(self, theirs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The player's weights and some of the opponent's, player 0's first."""
        return (self.mine, theirs) if self.border.player == 0 else (theirs, self.mine)

    def combined(self, behaviour: np.ndarray) -> np.ndarray:
        """The player's behaviour in the whole game: `behaviour` in the subgame, the blueprint elsewhere."""
        return self.sides[0].glue(behaviour, self.border.blueprint[self.border.player])


@dataclass(frozen=True, eq=False)
class Gadget:
    """A gadget game. The player's treeplex is that of the forest, so `scene.combined` takes its behaviour back."""

    scene: Scene
    game: Game

    def combined(self, behaviour: np.ndarray) -> np.ndarray:
        """The player's behaviour in the whole game, given that in the gadget."""
        return self.scene.combined(behaviour)


def scene(border: Border, technique: str = "max-margin", gifts: str = "none") -> Scene:
    """Set a technique up; `gifts` other than `none` make re-solving and max-margin their *reach* variants."""
    if technique not in TECHNIQUES:
        raise SubgameError(f"no technique {technique!r}; there are {', '.join(TECHNIQUES)}")
    if technique == "endgame" and gifts != "none":
        raise SubgameError("endgame solving keeps no account of what the opponent gave away; gifts must be none")
    mine, theirs = border.live(technique == "endgame")
    weight = border.weight[theirs]
    if technique == "endgame":
        scale = border.theirs[theirs] / (border.mine @ border.chance @ border.theirs)
    elif technique == "re-solving":
        scale = np.full(len(weight), 1.0 / weight.sum())
    else:
        scale = 1.0 / weight
    limit = (border.cbv + border.gifts(gifts))[theirs]
    return Scene(technique, border, border.cut(mine, theirs), border.mine[mine], scale, limit, weight)


def gadget(border: Border, technique: str = "max-margin", gifts: str = "none") -> Gadget:
    """The gadget game of a technique; its value is the player's, as the game's seats are kept."""
    set_up = scene(border, technique, gifts)
    return Gadget(set_up, _game(set_up))


def _game(scene: Scene) -> Game:
    border, (_, other) = scene.border, scene.sides
    n = other.roots
    labels = other.tree.describe(0).states
    if scene.technique == "endgame":
        tree, shift, tie, owed = other.tree, 0, other.tie, np.zeros(0)
    elif scene.technique == "re-solving":
        tree, shift = _rooted(other.tree, n, n, 2, Block("", labels, ["follow", "terminate"])), n
        tie = other.tie
        owed = np.concatenate((np.zeros(n), scene.limit * scene.weight / scene.weight.sum()))
    else:
        tree, shift = _rooted(other.tree, n, 1, n, Block("", ["-"], labels)), 0
        tie = None if other.tie is None else Tie(np.concatenate(([0], other.tie.row[n:])))
        owed = -scene.limit
    weighted = scene.forest.groups(*scene.seated(scene.theirs))
    groups = [_shifted(group, border.opponent, n, shift) for group in weighted]
    trees, ties = [side.tree for side in scene.forest.sides], [side.tie for side in scene.forest.sides]
    trees[border.opponent], ties[border.opponent] = tree, tie
    groups += _border(owed, border.opponent)
    payoff = payoff_of((trees[0].sequences, trees[1].sequences), groups)
    return BilinearGame(trees[0], payoff, trees[1], f"{scene.forest.name}, {scene.technique}", tuple(ties))


def _rooted(tree: Treeplex, roots: int, infosets: int, actions: int, names: Block) -> Treeplex:
    """The same treeplex with another first block, whose first `roots` sequences still enter the subgame."""
    parents = [np.zeros(infosets, dtype=np.int64)]
    for above in map(tree.above, range(1, len(tree))):
        parents.append(np.where(above > roots, above + infosets * actions - roots, above))
    return Treeplex(parents, [actions, *tree.blocks.k[1:].tolist()], lambda b: tree.describe(b) if b else names)


def _shifted(group: Group, opponent: int, roots: int, shift: int) -> Group:
    """A group whose corners have moved with the opponent's sequences."""
    if opponent == 1:
        return group._replace(columns=np.where(group.columns > roots, group.columns + shift, group.columns))
    return group._replace(rows=np.where(group.rows > roots, group.rows + shift, group.rows))


def _border(owed: np.ndarray, opponent: int) -> list[Group]:
    """What the opponent receives for its first sequences, whatever the player does."""
    if not len(owed):
        return []
    matrix = sparse.csr_array(owed[:, None] if opponent == 0 else -owed[None, :])
    corner = (np.ones(1, np.int64), np.zeros(1, np.int64))
    return [Group(matrix, *(corner if opponent == 0 else corner[::-1]), np.ones(1))]
