"""What computes best responses below a board, as the public tree sees it: reach goes in, worth of hands comes out.

Rows are (roots, holes): the roots are those of a seat's street, the holes in the order of `cards.holes.holes_of`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np

from pokerlab.device import is_wanted
from pokerlab.match.exact.boards import Dealt

if TYPE_CHECKING:
    from pokerlab.match.exact.tree import PublicTree

ENGINES = {"cpu": "pokerlab.match.exact.cpu:CpuEngine", "cuda": "pokerlab.match.exact.cuda.engine:CudaEngine"}
_WORTH_A_DEVICE = 1000  # hole cards from which a GPU gains


class Engine(ABC):
    """Of a tree; it may remember boards, for the other seat."""

    def __init__(self, tree: PublicTree) -> None:
        self.tree = tree

    @abstractmethod
    def worth(self, responder: int, reach: np.ndarray, dealt: Dealt) -> np.ndarray:
        """What hands are worth at the roots of a board's round, from the agent's reach there.

        They are summed over the agent's hands, and over the cards to come their mean.
        """

    @abstractmethod
    def forget(self) -> None:
        """Another board comes next."""


def device_for(name: str, holes: int, fixed: bool = True) -> str:
    """The name of an engine. `auto` is `cuda` where there is a GPU, if the game is large enough to gain by it and the
    agent's play `fixed` for all boards.
    """
    return "cuda" if is_wanted(name, fixed and holes >= _WORTH_A_DEVICE) else "cpu"


def engine_of(name: str) -> type[Engine]:
    """The engine of this name; it is imported when it is first asked for."""
    module, _, kind = ENGINES[name].partition(":")
    engine: type[Engine] = getattr(import_module(module), kind)
    return engine
