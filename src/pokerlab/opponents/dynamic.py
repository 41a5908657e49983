"""One of several agents for each whole hand, by what they have won from this opponent: Rubin (2013), section 4.3.

    dynamic:cases:pulpo.cases|cases:rockhopper.cases|(cases:sartre.cases?reuse=max-frequency)
    dynamic:holdem-limit|smallbot-5?chooser=thompson&credit=luck

Opponents are told apart by their names, where the game tells them. The arm of a hand depends on the hands before it
alone, so that it can be asked (`playing`), and AIVAT measures what was played.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np

from pokerlab.agents.agent import Agent, Distribution
from pokerlab.bounds import HANDS, SEED
from pokerlab.errors import AgentError
from pokerlab.game.hand import View
from pokerlab.opponents.choosers import CHOOSERS, Arm, deviation
from pokerlab.opponents.credit import CREDITS, Credit
from pokerlab.opponents.several import Several, agents_of, opponents

SCALE = 0.3  # docs/rubin2013-experts.md has the others that were tried


@dataclass
class Record:
    """What the arms have brought against an opponent, and which is played now."""

    arms: list[Arm]
    credit: Credit
    hands: int = 0
    chosen: int | None = None


class Dynamic(Several):
    """Plays one of its agents for a hand, that of its `chooser` (ucb1, thompson).

    `credit` is what a hand is worth to its arm (money, showdown-divat, luck), in small bets or big blinds. `scale` is
    how far apart rewards are taken to be, in standard deviations of those so far: so one scale fits games of small and
    of large pots. With `memory` older hands fade, such that it is of about so many hands; None is of all.
    """

    def __init__(
        self,
        agents: Sequence[Agent],
        chooser: str = "ucb1",
        credit: str = "showdown-divat",
        scale: float = SCALE,
        memory: int | None = None,
        seed: int = 0,
        name: str = "",
    ) -> None:
        super().__init__(agents, name)
        if not scale > 0:
            raise AgentError(f"the scale of rewards is above 0, not {scale}")
        HANDS.check(memory, "memory", error=AgentError)
        SEED.check(seed, error=AgentError)
        self.stateless, self.kept = False, 1 - 1 / memory if memory else 1.0
        self.choose, self.credit, self.scale, self.seed = CHOOSERS[chooser], CREDITS[credit], float(scale), seed
        self.records: dict[tuple[str, ...], Record] = {}

    def record(self, view: View) -> Record:
        """What is known of the opponents in a view, with the arm that is played against them."""
        who = opponents(view)
        record = self.records.get(who)
        if record is None:
            record = self.records[who] = Record([Arm() for _ in self.agents], self.credit())
        if record.chosen is None:
            rng = np.random.default_rng([self.seed, record.hands, *(crc32(name.encode()) for name in who)])
            record.chosen = self.choose(record.arms, self.scale * (deviation(record.arms) or 1.0), rng)
        return record

    def playing(self, view: View) -> Agent:
        chosen = self.record(view).chosen
        assert chosen is not None
        return self.agents[chosen].playing(view)

    def act(self, view: View) -> Distribution:
        chosen = self.record(view).chosen
        assert chosen is not None
        return self.agents[chosen].act(view)

    def observe(self, view: View) -> None:
        super().observe(view)
        record = self.record(view)
        assert record.chosen is not None
        for arm in record.arms:
            arm.fade(self.kept)
        record.arms[record.chosen].add(record.credit(view) / view.rules.small_bet)
        record.hands, record.chosen = record.hands + 1, None

    def reset(self) -> None:
        super().reset()
        self.records.clear()


def dynamic(text: str, **options: object) -> Dynamic:
    """For `dynamic:A|B|C?chooser=..&credit=..`."""
    return Dynamic(agents_of(text), **options)  # type: ignore[arg-type]
