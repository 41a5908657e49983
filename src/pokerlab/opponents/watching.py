"""Hands of records, looked at in a compiled game for two: how they ended, and which cards were shown.

for record in hands: endings.add(record) -- then `endings.of_player(0)` has those in which the player was player 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from pokerlab.cases.sources import check_expert, survey, wanted_hands
from pokerlab.errors import LogError
from pokerlab.form.game import Game
from pokerlab.game.deals import private_state
from pokerlab.game.hand import Hand
from pokerlab.solvers.observed import UNKNOWN, Endings, merged, origin_of

NOBODY = "nobody's cards are known"
OTHER_GAME = "the hand is of another game"
BAD = "the hand cannot be read"


def read_endings(
    game: Game, paths: Sequence[str | Path], player: str, *, skip_bad: bool = False
) -> tuple[tuple[Endings, Endings], Counter[str]]:
    """The player's hands in logs, PHH files and hand stores by seat, and how many were left out for which reason."""
    rules = origin_of(game).rules
    sources = [survey(path, player, rules, 0.0) for path in paths]
    check_expert(sources, player)
    rows: tuple[Counter[tuple[int, int, int]], ...] = (Counter(), Counter())
    left_out: Counter[str] = Counter()
    watcher = _Watcher(game)
    for piece in (piece for source in sources for piece in source.pieces):
        for _, record in wanted_hands(piece, rules, skip_bad):
            if isinstance(record, LogError):
                left_out[BAD] += 1
            elif record.hand.rules != rules:
                left_out[OTHER_GAME] += 1
            elif not any(record.hand.holes):
                left_out[NOBODY] += 1
            else:
                rows[record.names.index(player)][watcher.ending(record.hand)] += 1
    first, second = (_endings(each) for each in rows)
    return (first, second), left_out


def _endings(rows: Counter[tuple[int, int, int]]) -> Endings:
    table = np.array([(*row, times) for row, times in rows.items()], dtype=np.int64).reshape(-1, 4)
    return merged(table.T)


class _Watcher:
    """Follows hands through a betting tree."""

    def __init__(self, game: Game) -> None:
        self._origin = origin_of(game)

    def ending(self, hand: Hand) -> tuple[int, int, int]:
        """The terminal, and each player's private state there."""
        round, deals = hand.betting.round, self._origin.deals
        states = []
        for sight, hole in zip(self._origin.sights, hand.holes, strict=True):
            known = UNKNOWN
            if hole:
                state = private_state(hand.rules, round, hole, hand.board)
                known = int(sight.seen[round][deals.number(round, state)])
            states.append(known)
        return self._origin.public.after(hand.actions), states[0], states[1]
