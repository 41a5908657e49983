"""The endgames that Libratus solved, as spots: board, pot and both players' reach for 1,326 hands.

Their order of hands is 2s2h, 2s2d, 2s2c, 2s3s, 2s3h, ..., AdAc: ranks from the two up, suits spades, hearts, diamonds,
clubs. The game is the competition's no-limit hold'em, 20,000 chips a player; the files say nothing of bet sizes.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from pokerlab.cards.deck import Deck
from pokerlab.cards.holes import COUNT
from pokerlab.cards.ranges import Range
from pokerlab.errors import PokerlabError, SpotError
from pokerlab.reading import read_text
from pokerlab.refine.spots.spot import Spot
from pokerlab.refine.spots.tree import POSTFLOP, Sizes

STACK = 20_000
_LONGEST = 1 << 20  # bytes of a file, which has some ten thousand
_SUITS = (3, 2, 1, 0)  # spades, hearts, diamonds, clubs in the deck's numbers


def _order() -> np.ndarray:
    """Our number of each hand of theirs."""
    deck = [4 * rank + suit for rank in range(13) for suit in _SUITS]
    pairs = [sorted((deck[i], deck[j])) for i in range(52) for j in range(i + 1, 52)]
    return np.array([high * (high - 1) // 2 + low for low, high in pairs])


def read_libratus(
    path: str | Path, sizes: Mapping[tuple[int, int], Sizes] | None = None, *, bet: str = "100%", raise_: str = "100%",
    max_raises: int | None = None,
) -> Spot:  # fmt: skip
    """An endgame file as a spot, with sizes by street and player or the same (`bet`, `raise_`) everywhere."""
    path = Path(path)
    text = read_text(path, most=_LONGEST, error=SpotError)
    try:
        fields = dict(line.removeprefix("-").split(" ", 1) for line in text.splitlines() if line.strip())
        board, pot, stage = Deck().cards(fields["board"]), int(fields["pot"]), int(fields.get("round", 0))
        reach = np.array(fields["reach"].split(), dtype=np.float64)
    except (KeyError, ValueError) as error:
        detail = error if isinstance(error, PokerlabError) else f"cannot read it as an endgame ({error})"
        raise SpotError(f"{path}: {detail}") from None
    if reach.shape != (2 * COUNT,) or stage != len(board) - 1:
        raise SpotError(f"{path}: an endgame has {2 * COUNT} probabilities and a board that fits its round")
    everywhere = {(street, player): Sizes.parse(bet, raise_) for street in range(len(POSTFLOP)) for player in range(2)}
    ranges = []
    for player in range(2):
        weights = np.zeros(COUNT)
        weights[_order()] = reach[player * COUNT : (player + 1) * COUNT]
        ranges.append(Range(weights))
    behind = STACK - pot // 2
    return Spot(board, pot, (behind, behind), (ranges[0], ranges[1]), sizes or everywhere, max_raises=max_raises,
                name=path.stem)  # fmt: skip
