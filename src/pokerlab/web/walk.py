"""An agent's strategy walked in the page: what it does with every hand after any betting, both seats its own.

Blueprints, strategies, case bases and whatever else answers for all hands at once. A line is of actions as the
competition writes them (`c`, `r`, `r300`) and of cards (`Qs7h2c`). The figures are those of `pokerlab ask`. Of games as
small as Leduc the whole tree is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from pokerlab.agents.agent import Agent
from pokerlab.agents.asked import answers_of
from pokerlab.cards.holes import holes_of
from pokerlab.errors import AgentError, PokerlabError, shown
from pokerlab.game.betting import Legal
from pokerlab.game.catalog import rules_of
from pokerlab.game.hand import Cards, Hand, new_hand, parse_action
from pokerlab.solvers.jamfold import of_heads_up
from pokerlab.web.games import GAMES
from pokerlab.web.hands import table_words
from pokerlab.web.ledger import TableRow
from pokerlab.web.players import Players
from pokerlab.web.review import free, kinds_of, mixes, why_not

MOST_WORDS = 60  # of a line
_MOST_NODES = 500  # of a tree


class _Walked(NamedTuple):
    """A hand without hole cards, and how likely each seat holds which of them; an agent plays all seats."""

    agent: Agent
    hand: Hand
    holes: Sequence[Cards]
    held: tuple[np.ndarray, ...]

    def answers(self) -> dict[int, np.ndarray]:
        """What the one to act does with each of the hole cards: all legal actions, but of the many raises of no-limit
        those that it may make.
        """
        assert self.hand.actor is not None
        view = self.hand.view(self.hand.actor)
        assert view.legal is not None
        raises = () if isinstance(view.legal.raises, range) else view.legal.raises
        never = dict.fromkeys(Legal(view.legal.fold, raises).actions(), np.zeros(len(self.holes)))
        return never | dict(answers_of(self.agent, view))

    def went(self, word: str) -> _Walked:
        """After an action or cards."""
        if self.hand.pending:
            hand = self.hand.deal(self.hand.rules.deck.cards(word))
            gone = free(self.holes, hand.board)
            return self._replace(hand=hand, held=tuple(held * gone for held in self.held))
        if self.hand.actor is None:
            raise PokerlabError(f"the hand is over before {shown(word)}")
        action, who = parse_action(self.hand, word), self.hand.actor
        odds = self.answers().get(action, np.zeros(len(self.holes)))
        held = tuple(row * odds if seat == who else row for seat, row in enumerate(self.held))
        return self._replace(hand=self.hand.act(action), held=held)

    def said(self, word: str) -> str:
        """An action as people say it at a table; cards as they are."""
        if self.hand.pending or self.hand.actor is None:
            return word
        return table_words(self.hand.betting, parse_action(self.hand, word))

    def told(self, whole: bool) -> dict[str, Any]:
        """Where this is; with a `whole` decision every hand is told of, too."""
        hand, deck = self.hand, self.hand.rules.deck
        where: dict[str, Any] = {"board": deck.text(hand.board), "pot": hand.betting.pot}
        if hand.pending and hand.betting.actor is not None:
            left = [deck.text((card,)) for card in range(len(deck)) if card not in hand.board]
            return where | {"kind": "deal", "count": hand.pending, "cards": left}
        if hand.actor is None:
            return where | {"kind": "end", "how": "showdown" if hand.betting.showdown else "fold"}
        held = self.held[hand.actor]
        reached = bool(held.any())
        held = held if reached else free(self.holes, hand.board)
        mix, table, named = mixes(hand, self.answers(), held)
        where |= {"kind": "decision", "seat": hand.actor, "round": hand.betting.round, "reached": reached, **mix}
        where["codes"] = [hand.betting.text_of(action) for action in named]
        if not whole:
            return where
        names, kinds = kinds_of(hand.rules)
        some = np.flatnonzero(held).tolist()
        return where | {"combos": {
            "hand": [deck.text(self.holes[i][::-1]) for i in some], "kind": [names[kinds[i]] for i in some],
            "share": (held[some] / held.sum()).tolist(), "odds": table[:, some].T.tolist(),
        }}  # fmt: skip


def _walked(players: Players, game: str, spec: str) -> tuple[_Walked, list[Agent]]:
    if game not in GAMES:
        raise PokerlabError(f"no game {shown(game)} here; there are {', '.join(GAMES)}")
    if not spec.strip() or not spec.isprintable():
        raise AgentError(f"an agent has a name of printable characters, not {shown(spec)}")
    rules = rules_of(game)
    agents = players.seated(TableRow("", game, rules.text(), (spec.strip(),), "", "", 0.0), None)
    if reason := why_not(agents[0], rules):
        raise AgentError(reason)
    holes = holes_of(len(rules.deck), rules.hole_cards)
    hand = new_hand(rules)._replace(holes=((),) * rules.players)
    return _Walked(agents[0], hand, holes, (np.ones(len(holes)),) * rules.players), agents


def look_at_agent(players: Players, game: str, spec: str, line: Sequence[str]) -> dict[str, Any]:
    """Where a line leads, and what the agent does there with each kind of hand and with each hand."""
    if len(line) > MOST_WORDS:
        raise PokerlabError(f"a line has at most {MOST_WORDS} words")
    at, agents = _walked(players, game, spec)
    with players.busy(agents):
        said = []
        for word in line:
            said.append(at.said(word))
            at = at.went(word)
        return {"game": game, "agent": spec, "line": list(line), "said": said} | at.told(whole=True)


def tree_of_agent(players: Players, game: str, spec: str) -> dict[str, Any]:
    """All of a small game: every decision, with `then` by the word that leads on. A card stands for all of its rank."""
    at, agents = _walked(players, game, spec)
    if at.hand.rules.holdem:
        raise PokerlabError(f"{game} is too large to be told as a whole: walk it")
    count = 0

    def grown(at: _Walked) -> dict[str, Any]:
        nonlocal count
        count += 1
        if count > _MOST_NODES:
            raise PokerlabError(f"{game} has more than {_MOST_NODES} nodes: walk it")
        told = at.told(whole=False)
        words = told.get("codes", [])
        if told["kind"] == "deal":
            cards = told.pop("cards")
            words = list({card[0]: card for card in cards}.values())
        return told | {"then": {word: grown(at.went(word)) for word in words}}

    with players.busy(agents):
        return {"game": game, "agent": spec} | grown(at)


@lru_cache(maxsize=64)
def jam_or_fold(stack: float) -> dict[str, Any]:
    """Charts of all-in or fold before the flop for two players with so many big blinds, as `pokerlab jamfold`."""
    return of_heads_up(stack)[0]
