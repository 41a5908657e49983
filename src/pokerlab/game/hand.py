"""A hand of poker as an immutable record of deals and actions, and what one seat may know of it.

    hand = new_hand(rules)
    while not hand.finished:
        hand = deal_random(hand, rng) if hand.pending else hand.act(CALL)
    hand.payoffs()

Texts and payoffs are those of the competition's dealer: rounds separated by `/`, empty ones after an
all-in (`r20000c///`), pots split into fractions of chips.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from operator import index
from typing import Any, NamedTuple

import numpy as np

from pokerlab.cards.evaluator import evaluator
from pokerlab.errors import CardError, IllegalAction, PokerlabError, shown
from pokerlab.game.betting import CALL, FOLD, Betting, Legal, start_betting
from pokerlab.game.rules import Rules, parse_rules

Cards = tuple[int, ...]


class View(NamedTuple):
    """What one seat may know: as in a `Hand`, but the cards it cannot see are `()`.

    `legal` is None unless it is the seat's turn. Other seats' cards are there only after a showdown,
    and only of those who had not folded. `names` says who sits where, where that is known.
    """

    rules: Rules
    seat: int
    holes: tuple[Cards, ...]
    board: Cards
    actions: tuple[int, ...]
    ends: tuple[int, ...]
    betting: Betting
    legal: Legal | None
    names: tuple[str, ...] = ()

    @property
    def hole(self) -> Cards:
        """The seat's own cards."""
        return self.holes[self.seat] if self.holes else ()

    def betting_text(self) -> str:
        return _betting_text(self.betting, self.actions, self.ends)

    def cards_text(self) -> str:
        return _cards_text(self.rules, self.holes, self.board, self.betting.round)

    def as_json(self) -> dict[str, Any]:
        """As plain JSON, for a page or another process; what the seat does not know is not there.

        `to_act`, `pot`, `spent` and `legal` are for readers who do not know the rules; `from_json` needs none of them.
        """
        legal = None
        if self.legal is not None:
            raises = self.legal.raises
            least_and_most = isinstance(raises, range) and raises
            legal = {
                "fold": self.legal.fold,
                "call": min(self.betting.highest, self.rules.stacks[self.seat]) - self.betting.spent[self.seat],
                "raises": {"least": raises[0], "most": raises[-1]} if least_and_most else list(raises),
            }
        now = {"to_act": self.betting.actor, "pot": self.betting.pot, "spent": list(self.betting.spent)}
        return {"seat": self.seat, **_as_json(self), **now, "legal": legal}

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> View:
        """The view that `as_json` told of."""
        hand, seat = Hand.from_json(told), told.get("seat")
        if type(seat) is not int:
            raise PokerlabError(f"a view as JSON has a seat, not {seat!r}")
        return hand.view(seat)


class Hand(NamedTuple):
    """The record of one hand.

    `holes` is empty before the deal, then has a tuple per seat, `()` where the cards are unknown.
    `board` and `actions` are flat; `ends` is the number of actions at the end of each round left behind.
    `names` are those of the players, seat by seat, where they are known.
    """

    rules: Rules
    holes: tuple[Cards, ...]
    board: Cards
    actions: tuple[int, ...]
    ends: tuple[int, ...]
    betting: Betting
    names: tuple[str, ...] = ()

    @property
    def pending(self) -> int:
        """Cards to be dealt before play goes on; after an all-in, the whole rest of the board."""
        rules = self.rules
        if not self.holes:
            return rules.players * rules.hole_cards
        return rules.boards[self.betting.round] - len(self.board)

    @property
    def actor(self) -> int | None:
        """The seat to act; None while cards are pending and when the betting is over."""
        return None if self.pending else self.betting.actor

    @property
    def finished(self) -> bool:
        return self.betting.actor is None and not self.pending

    def legal(self) -> Legal:
        """What the actor may do."""
        self._refuse_pending()
        return self.betting.legal()

    def act(self, action: int) -> Hand:
        """The hand after the actor's action; raises IllegalAction with the rule that was broken."""
        self._refuse_pending()
        before, after = self.betting, self.betting.act(action)
        actions = (*self.actions, action)
        ends = self.ends + (len(actions),) * (after.round - before.round)
        return Hand(self.rules, self.holes, self.board, actions, ends, after, self.names)

    def deal(self, cards: Iterable[int]) -> Hand:
        """The hand after dealing exactly the pending cards; hole cards go seat by seat."""
        dealt, pending, deck = tuple(map(index, cards)), self.pending, self.rules.deck
        if len(dealt) != pending:
            raise CardError(f"{pending} cards are to be dealt now, not {len(dealt)}")
        strange = [card for card in dealt if not 0 <= card < len(deck)]
        if strange:
            raise CardError(f"card {strange[0]} is not one of the deck's 0 to {len(deck) - 1}")
        seen = self._seen()
        if len(seen.union(dealt)) < len(seen) + pending:
            raise CardError(f"a card is dealt twice: {deck.text(dealt)!r} after {self.cards_text()!r}")
        return self.dealt(dealt)

    def dealt(self, cards: Cards) -> Hand:
        """The hand after dealing cards that are known to be right: as many as pending, and unseen."""
        if self.holes:
            return self._replace(board=self.board + cards)
        each = self.rules.hole_cards
        return self._replace(holes=tuple(cards[i : i + each] for i in range(0, len(cards), each)))

    def _seen(self) -> set[int]:
        return set(self.board).union(*self.holes)

    def _refuse_pending(self) -> None:
        if pending := self.pending:
            raise IllegalAction(f"{pending} cards must be dealt before anybody acts")

    def payoffs(self) -> tuple[float, ...]:
        """Net chips per seat at the end; ties share evenly, what nobody called goes back."""
        if not self.finished:
            raise IllegalAction("payoffs are known only when the hand is over")
        return payoffs_of(self.betting, self.strength)

    def strength(self, seat: int) -> Any:
        """How strong a seat's cards are on the board; only comparable within the hand."""
        if not self.holes[seat]:
            raise CardError(f"the cards of player {seat + 1} are unknown: no showdown without them")
        return strength_of(self.rules, self.holes[seat] + self.board)

    def view(self, seat: int) -> View:
        """What `seat` may know."""
        if not 0 <= seat < self.rules.players:
            raise PokerlabError(f"no seat {seat}: seats are 0 to {self.rules.players - 1}")
        betting, pending = self.betting, self.pending
        shown = betting.survivors if betting.showdown and not pending else ()
        holes = tuple(hole if s == seat or s in shown else () for s, hole in enumerate(self.holes))
        legal = betting.legal() if betting.actor == seat and not pending else None
        return View(self.rules, seat, holes, self.board, self.actions, self.ends, betting, legal, self.names)

    def betting_text(self) -> str:
        """The competition's text of the actions: `cr300c/cc/r900f`."""
        return _betting_text(self.betting, self.actions, self.ends)

    def cards_text(self) -> str:
        """The competition's text of the cards: `8s2h|Kd5c/7hAdTd/4s/Kc`."""
        return _cards_text(self.rules, self.holes, self.board, self.betting.round)

    def as_json(self) -> dict[str, Any]:
        """As plain JSON: everybody's cards too, so that it is not for players."""
        return _as_json(self)

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Hand:
        """The hand that `as_json` told of, replayed by the rules."""
        try:
            rules = parse_rules(told["rules"], told["game"])
            deck, names, holes = rules.deck, tuple(map(str, told["names"])), tuple(map(str, told["holes"]))
            board, betting = str(told["board"]), str(told["betting"])
        except (KeyError, TypeError, AttributeError) as error:
            raise PokerlabError(f"this is no hand as JSON: {error!r}") from None
        if not all(len(seats) in (0, rules.players) for seats in (names, holes)):
            raise PokerlabError(f"{rules.players} names and hole cards, or none, are expected in a hand as JSON")
        deck.cards("".join(holes) + board)  # no card twice
        dealt = new_hand(rules, names)._replace(holes=_checked_holes(rules, map(deck.cards, holes), "".join(holes)))
        hand = _replayed(dealt, deck.cards(board), betting)
        if len(hand.board) != len(deck.cards(board)):
            raise CardError(f"the board {board!r} does not fit betting {betting!r}")
        return hand


def new_hand(rules: Rules, names: tuple[str, ...] = ()) -> Hand:
    """A hand with the blinds posted and no cards dealt."""
    return Hand(rules, (), (), (), (), start_betting(rules), names)


def deal_random(hand: Hand, rng: np.random.Generator) -> Hand:
    """The hand after dealing what is pending from the cards not seen in it."""
    seen, pending = hand._seen(), hand.pending
    deck = [card for card in range(len(hand.rules.deck)) if card not in seen]
    # A partial shuffle by hand: with `rng.choice` a deal would take twice as long.
    for i, uniform in enumerate(rng.random(pending).tolist()):
        j = i + int(uniform * (len(deck) - i))
        deck[i], deck[j] = deck[j], deck[i]
    return hand.dealt(tuple(deck[:pending]))


def payoffs_of(betting: Betting, strength: Callable[[int], Any]) -> tuple[float, ...]:
    """Net chips per seat after betting that is over; `strength` is asked of the seats that show their cards down."""
    survivors = betting.survivors
    if len(survivors) == 1:
        # Only the order matters, so that any strength will do and no card needs to be known.
        return split_pot(betting.spent, dict.fromkeys(survivors, ()))
    return split_pot(betting.spent, {seat: strength(seat) for seat in survivors})


def strength_of(rules: Rules, cards: Cards) -> Any:
    """How strong hole cards and the whole board are together; comparable with others on the same board."""
    return evaluator(len(rules.deck.ranks), len(rules.deck.suits), rules.ranking, len(cards))(cards)


def split_pot(spent: tuple[int, ...], strengths: dict[int, Any]) -> tuple[float, ...]:
    """Net chips per seat, pot by pot. Seats that are not in `strengths` have folded.

    Each pot has a survivor: one folds only to a bet, so that the highest bettor never has.
    """
    net, paid = [0.0] * len(spent), 0
    for level in sorted(set(spent)):
        inside = [seat for seat, chips in enumerate(spent) if chips >= level]
        best = max(strengths[seat] for seat in inside if seat in strengths)
        winners = [seat for seat in inside if strengths.get(seat) == best]
        size, losers = level - paid, len(inside) - len(winners)
        for seat in inside:
            net[seat] += size * losers / len(winners) if seat in winners else -size
        paid = level
    return tuple(net)


def action_text(before: Betting, action: int, after: Betting) -> str:
    """What an action adds to the text of the betting: itself, and a `/` for each round that it ended."""
    return before.text_of(action) + "/" * (after.round - before.round)


def _betting_text(betting: Betting, actions: tuple[int, ...], ends: tuple[int, ...]) -> str:
    words = [betting.text_of(action) for action in actions]
    return "/".join("".join(words[a:b]) for a, b in zip((0, *ends), (*ends, None), strict=True))


def _cards_text(rules: Rules, holes: tuple[Cards, ...], board: Cards, last_round: int) -> str:
    parts, dealt = ["|".join(map(rules.deck.text, holes))], 0
    for number, count in enumerate(rules.board_cards[: last_round + 1]):
        if not holes or dealt + count > len(board):
            break
        text = rules.deck.text(board[dealt : dealt + count])
        # As in the competition, a board dealt with the hole cards follows them without a separator.
        parts = [*parts, text] if number else [parts[0] + text]
        dealt += count
    return "/".join(parts)


def _as_json(hand: Hand | View) -> dict[str, Any]:
    deck = hand.rules.deck
    return {
        "rules": hand.rules.text(),
        "game": hand.rules.name,
        "names": list(hand.names),
        "holes": list(map(deck.text, hand.holes)),
        "board": deck.text(hand.board),
        "betting": hand.betting_text(),
    }


def parse_hand(rules: Rules, betting_text: str, cards_text: str) -> Hand:
    """The hand that these texts tell of, finished or not. A seat's cards may be left out: `|Kd5c`.

    Text that cannot be read, breaks a rule or does not fit together is an IllegalAction or a CardError.
    """
    hand = _replayed(*_parse_cards(rules, cards_text), betting_text)
    if hand.cards_text() != cards_text:
        raise CardError(f"cards {cards_text!r} do not fit betting {betting_text!r}: "
                        f"{hand.cards_text()!r} would")  # fmt: skip
    return hand


def _replayed(hand: Hand, board: Cards, betting_text: str) -> Hand:
    """A hand with its hole cards dealt, after this betting and as much of the board as it has come to."""
    rules = hand.rules
    action = _words(rules)
    if not re.fullmatch(f"(?:{action}|/)*", betting_text):
        expected = "f, c, r" if rules.limit else "f, c, r with an amount,"
        raise IllegalAction(f"cannot read betting {betting_text!r}: only {expected} and / are known")
    hand = _deal_due(hand, board)
    for word in re.findall(action, betting_text):
        try:
            hand = _deal_due(hand.act(_action(hand, word)), board)
        except IllegalAction as error:
            done = hand.betting_text()
            raise IllegalAction(f"betting {betting_text!r}, {word!r} after {done!r}: {error}") from None
    if hand.betting_text() != betting_text:
        raise IllegalAction(f"betting {betting_text!r} should have its rounds as in {hand.betting_text()!r}")
    return hand


def _parse_cards(rules: Rules, text: str) -> tuple[Hand, Cards]:
    """A hand with the hole cards dealt, and the board that is still to be dealt to it."""
    if not text:
        return new_hand(rules), ()
    hole_text, *later = text.split("/")
    *seats, last = hole_text.split("|")
    cut = 2 * rules.hole_cards
    seats, later = [*seats, last[:cut]], [last[cut:], *later]
    if len(seats) != rules.players:
        raise CardError(f"cards {text!r}: {rules.players} seats separated by | expected, got {len(seats)}")
    try:
        holes = tuple(map(rules.deck.cards, seats))
        board = rules.deck.cards("".join(later))
        rules.deck.cards(hole_text.replace("|", "") + "".join(later[1:]))
    except CardError as error:
        raise CardError(f"cards {text!r}: {error}") from None
    return new_hand(rules)._replace(holes=_checked_holes(rules, holes, text)), board


def _checked_holes(rules: Rules, holes: Iterable[Cards], text: str) -> tuple[Cards, ...]:
    """The hole cards, as many a seat as the rules say or none."""
    holes = tuple(holes)
    for seat, hole in enumerate(holes):
        if len(hole) not in (0, rules.hole_cards):
            raise CardError(f"cards {text!r}: {rules.hole_cards} hole cards or none expected for player {seat + 1}")
    return holes


def _deal_due(hand: Hand, board: Cards) -> Hand:
    """The hand with its pending cards dealt, if the board has them."""
    dealt, pending = len(hand.board), hand.pending
    if not hand.holes or not pending or dealt + pending > len(board):
        return hand
    return hand.deal(board[dealt : dealt + pending])


def parse_action(hand: Hand, text: str) -> int:
    """An action as texts of betting have it, f, c or r, of no-limit with an amount; whether it is legal, `act` says."""
    if not re.fullmatch(_words(hand.rules), text):
        expected = "f, c or r" if hand.rules.limit else "f, c or r with an amount such as r300"
        raise IllegalAction(f"cannot read the action {shown(text)}: {expected} is expected")
    return _action(hand, text)


def _words(rules: Rules) -> str:
    """A pattern of the actions of a game."""
    return "[fcr]" if rules.limit else "f|c|r[1-9][0-9]{0,9}"


def _action(hand: Hand, word: str) -> int:
    if word == "f":
        return FOLD
    if word == "c":
        return CALL
    if not hand.rules.limit:
        return int(word[1:])
    # Where no raise is legal any amount will do: `act` refuses it and says why.
    return next(iter(hand.legal().raises), 1)
