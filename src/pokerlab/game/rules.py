"""The rules of a poker game, read from and written to the competition's game-definition text.

Besides the competition's own keys there are five of ours, written only when a game needs them:

    ranks = JQK               names of the ranks, where they are not the top ones of 2..A
    betSizes = 50 100 allin   no-limit bets only of these sizes (bet_sizes.py)
    handRanking = three-card  the ranking of Rhode Island hold'em
    ante = 5                  what of every blind is an ante, beside blinds that are no antes
    minBet = 100              the least bet of no-limit, where a straddle makes the largest blind another
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

from pokerlab.bounds import CHIPS
from pokerlab.cards.deck import STANDARD_SUITS, Deck, rank_names, suit_names
from pokerlab.errors import BetSizeError, CardError, GameDefinitionError, PokerlabWarning, shown
from pokerlab.game.bet_sizes import Size, parse_sizes

_MOST = 10  # players, and rounds that can be read
UNLIMITED_RAISES = 255
UNLIMITED_STACK = 2**31 - 1
RANKINGS = ("poker", "three-card")


@dataclass(frozen=True)
class Rules:
    """A limit or no-limit poker game. Seats and rounds count from 0; amounts are whole chips."""

    limit: bool
    blinds: tuple[int, ...]
    first: tuple[int, ...]
    raise_sizes: tuple[int, ...]
    max_raises: tuple[int, ...]
    stacks: tuple[int, ...]
    hole_cards: int
    board_cards: tuple[int, ...]
    deck: Deck
    bet_sizes: tuple[Size, ...] = ()
    ranking: str = "poker"
    ante: int = 0  # part of every blind
    min_bet: int = 0  # 0: the largest blind without the ante
    name: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        problem = _problem(self)
        if problem:
            raise GameDefinitionError(f"game definition{f' {self.name}' if self.name else ''}: {problem}")

    @property
    def players(self) -> int:
        return len(self.blinds)

    @property
    def rounds(self) -> int:
        return len(self.board_cards)

    @cached_property
    def boards(self) -> tuple[int, ...]:
        """How many cards lie on the board in each round."""
        return tuple(accumulate(self.board_cards))

    @property
    def small_bet(self) -> int:
        """The unit of `mb/h`: the first round's bet in limit, the big blind in no-limit."""
        return self.raise_sizes[0] if self.limit else self.least_bet

    @property
    def least_bet(self) -> int:
        """The least bet of no-limit, which is also the least raise over blinds: the largest of them unless told."""
        return self.min_bet or max(1, max(self.blinds) - self.ante)

    @property
    def holdem(self) -> bool:
        """Whether it is hold'em, limit or not, for any number of players."""
        dealt = self.hole_cards, self.board_cards
        return dealt == (2, (0, 3, 1, 1)) and self.deck == Deck()

    @property
    def holdem_family(self) -> bool:
        """Whether it is played as hold'em is, with whatever deck of up to 13 ranks and 4 suits, and rounds.

        Two cards in the hand, none, three, four or five on the board, ranked as ever; the Royal deck, for example.
        """
        boards = set(accumulate(self.board_cards))  # whose cards make five-card hands, so that four suits are the most
        return self.hole_cards == 2 and boards <= {0, 3, 4, 5} and boards != {0} and len(self.deck.ranks) <= 13

    @property
    def suits_matter(self) -> bool:
        """Whether a flush can occur: without one, suits can be forgotten without loss."""
        five = self.hole_cards + sum(self.board_cards) >= 5
        return len(self.deck.suits) > 1 and (five or self.ranking == "three-card")

    def text(self) -> str:
        """The game definition, in the competition's format."""

        def row(values: tuple[int, ...]) -> str:
            return " ".join(map(str, values))

        lines = ["GAMEDEF", "limit" if self.limit else "nolimit"]
        lines += [f"numPlayers = {self.players}", f"numRounds = {self.rounds}"]
        if any(stack != UNLIMITED_STACK for stack in self.stacks):
            lines.append(f"stack = {row(self.stacks)}")
        lines.append(f"blind = {row(self.blinds)}")
        if self.limit:
            lines.append(f"raiseSize = {row(self.raise_sizes)}")
        lines.append(f"firstPlayer = {row(tuple(seat + 1 for seat in self.first))}")
        if any(most != UNLIMITED_RAISES for most in self.max_raises):
            lines.append(f"maxRaises = {row(self.max_raises)}")
        lines += [f"numSuits = {len(self.deck.suits)}", f"numRanks = {len(self.deck.ranks)}"]
        lines += [f"numHoleCards = {self.hole_cards}", f"numBoardCards = {row(self.board_cards)}"]
        if self.deck.ranks != rank_names(len(self.deck.ranks)):
            lines.append(f"ranks = {self.deck.ranks}")
        if self.bet_sizes:
            # As the game's files of old have them, per cent without its sign.
            lines.append("betSizes = " + " ".join(map(str, self.bet_sizes)).replace("%", "").replace("all-in", "allin"))
        if self.ranking != "poker":
            lines.append(f"handRanking = {self.ranking}")
        if self.ante:
            lines.append(f"ante = {self.ante}")
        if self.min_bet:
            lines.append(f"minBet = {self.min_bet}")
        return "\n".join([*lines, "END GAMEDEF", ""])


def _problem(rules: Rules) -> str | None:
    """The first thing that makes `rules` unplayable, or None."""
    players, rounds = rules.players, rules.rounds
    cards_needed = players * rules.hole_cards + sum(rules.board_cards)
    hand = rules.hole_cards + sum(rules.board_cards)
    checks = [
        (2 <= players <= _MOST, f"2 to {_MOST} players are needed, not {players}"),
        (rounds >= 1, "at least one round is needed"),
        (rules.hole_cards >= 1, "each player needs at least one hole card"),
        (all(count >= 0 for count in rules.board_cards), "board cards cannot be negative"),
        (cards_needed <= len(rules.deck), f"{cards_needed} cards are dealt from a deck of {len(rules.deck)}"),
        (hand < 5 or len(rules.deck.suits) <= len(STANDARD_SUITS), "five-card hands need at most 4 suits"),
        (rules.deck.ranks.isprintable(), f"rank names are not printable: {rules.deck.ranks!r}"),
        (len(set(rules.deck.ranks)) == len(rules.deck.ranks), f"rank names repeat: {rules.deck.ranks}"),
        (len(rules.stacks) == players, f"{players} stacks are needed, not {len(rules.stacks)}"),
        (len(rules.first) == rounds, f"{rounds} first players are needed, not {len(rules.first)}"),
        (all(0 <= seat < players for seat in rules.first), f"first players must be 1 to {players}"),
        (len(rules.max_raises) == rounds, f"{rounds} maxRaises are needed, not {len(rules.max_raises)}"),
        (all(0 <= most <= UNLIMITED_RAISES for most in rules.max_raises), f"maxRaises must be 0 to {UNLIMITED_RAISES}"),
        (not rules.limit or len(rules.raise_sizes) == rounds, f"limit needs {rounds} raise sizes"),
        (
            all(0 < size <= CHIPS.most for size in rules.raise_sizes),
            f"raise sizes must be positive, up to {CHIPS.most:,}",
        ),
        (all(stack <= UNLIMITED_STACK for stack in rules.stacks), f"stacks are {UNLIMITED_STACK:,} chips at most"),
        (
            all(0 <= b < s for b, s in zip(rules.blinds, rules.stacks, strict=False)),
            "blinds must be at least 0 and below the stacks",
        ),
        (all(size.amount > 0 or size.unit == "e" for size in rules.bet_sizes), "bet sizes must be positive"),
        (not (rules.limit and rules.bet_sizes), "betSizes are for no-limit"),
        (all(0 <= rules.ante <= blind for blind in rules.blinds), "the ante is part of every blind, and at least 0"),
        (0 <= rules.min_bet <= (0 if rules.limit else CHIPS.most), f"minBet is for no-limit, up to {CHIPS.most:,}"),
        (rules.ranking in RANKINGS, f"handRanking must be one of {', '.join(RANKINGS)}, not {rules.ranking!r}"),
        (rules.ranking != "three-card" or hand == 3, "three-card hands need three cards a player"),
    ]
    return next((message for fine, message in checks if not fine), None)


# Key in lower case -> how many values it takes: one, one a player or one a round.
_KEYS = {
    "numplayers": "one", "numrounds": "one", "numsuits": "one", "numranks": "one", "numholecards": "one",
    "ante": "one", "minbet": "one",
    "stack": "player", "blind": "player",
    "raisesize": "round", "firstplayer": "round", "maxraises": "round", "numboardcards": "round",
    "ranks": "text", "betsizes": "text", "handranking": "text",
}  # fmt: skip
_REQUIRED = ("numPlayers", "numRounds", "numSuits", "numRanks", "numHoleCards")


def unit_of(rules: Rules) -> tuple[str, float]:
    """mb/h (thousandths of a small bet) in limit, mbb/h (of a big blind) in no-limit, and its size in chips."""
    return ("mb/h" if rules.limit else "mbb/h"), rules.small_bet / 1000


def parse_rules(text: str, name: str = "") -> Rules:
    """Read a game definition. Errors name the line; a key that is not known is left out with a warning.

    As at the official dealer, equals signs and the last line may be missing, and stacks have no bound unless given.
    """
    where = name or "game definition"
    values: dict[str, tuple[int, list[str]]] = {}
    limit: bool | None = None
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        if not line or line.startswith("#") or line.upper() == "GAMEDEF":
            continue
        if line.upper() == "END GAMEDEF":
            break
        if line.lower() in ("limit", "nolimit"):
            limit = line.lower() == "limit"
            continue
        match = re.fullmatch(r"([A-Za-z]+)\s*(?:=|\s)\s*(.*)", line)
        if match is None:
            raise GameDefinitionError(f"{where}, line {number}: cannot read {line!r}")
        if match[1].lower() in _KEYS:
            values[match[1].lower()] = (number, match[2].split())
        else:
            warnings.warn(f"{where}, line {number}: {shown(match[1])} is not known and is left out", PokerlabWarning, 2)
    if limit is None:
        raise GameDefinitionError(f"{where}, line 1: a line 'limit' or 'nolimit' is missing")
    for key in _REQUIRED:
        if key.lower() not in values:
            raise GameDefinitionError(f"{where}, line 1: {key} is missing")
    numbers = _Numbers(where, values)
    return _assemble(numbers, limit, values, name)


class _Numbers:
    """Reads lists of numbers out of the parsed lines, with the line in every complaint."""

    def __init__(self, where: str, values: dict[str, tuple[int, list[str]]]) -> None:
        self.where, self.values = where, values

    def one(self, key: str, default: int | None = None) -> int:
        (number,) = self.many(key, 1, default)
        return number

    def many(self, key: str, count: int, default: int | None) -> tuple[int, ...]:
        if key not in self.values:
            if default is None:
                raise GameDefinitionError(f"{self.where}, line 1: {key} is missing")
            return (default,) * count
        line, words = self.values[key]
        try:
            given = tuple(int(word) for word in words)
        except ValueError:
            raise GameDefinitionError(
                f"{self.where}, line {line}: whole numbers expected, got {' '.join(words)!r}"
            ) from None
        if len(given) < count:
            raise GameDefinitionError(f"{self.where}, line {line}: {count} numbers expected, got {len(given)}")
        return given[:count]


def _assemble(numbers: _Numbers, limit: bool, values: dict[str, tuple[int, list[str]]], name: str) -> Rules:
    players, rounds = numbers.one("numplayers"), numbers.one("numrounds")
    ranks, suits = numbers.one("numranks"), numbers.one("numsuits")
    if min(players, rounds, ranks, suits) < 1 or max(players, rounds) > _MOST:
        raise GameDefinitionError(
            f"{numbers.where}, line 1: players and rounds must be 1 to {_MOST}, ranks and suits positive"
        )

    def word(key: str, default: str) -> str:
        return " ".join(values[key][1]) if key in values else default

    try:
        deck = Deck(word("ranks", "") or rank_names(ranks), suit_names(suits))
    except CardError as error:
        raise GameDefinitionError(f"{numbers.where}: {error}") from None
    if len(deck.ranks) != ranks:
        line = values["ranks"][0]
        raise GameDefinitionError(f"{numbers.where}, line {line}: {ranks} rank names expected, got {deck.ranks!r}")
    try:
        bets = parse_sizes(word("betsizes", ""))
    except BetSizeError as error:
        raise GameDefinitionError(f"{numbers.where}, line {values['betsizes'][0]}: {error}") from None
    return Rules(
        limit=limit,
        blinds=numbers.many("blind", players, 0),
        first=tuple(seat - 1 for seat in numbers.many("firstplayer", rounds, 1)),
        raise_sizes=numbers.many("raisesize", rounds, None) if limit else (),
        max_raises=numbers.many("maxraises", rounds, UNLIMITED_RAISES),
        stacks=numbers.many("stack", players, UNLIMITED_STACK),
        hole_cards=numbers.one("numholecards"),
        board_cards=numbers.many("numboardcards", rounds, 0),
        deck=deck,
        bet_sizes=bets,
        ranking=word("handranking", "poker"),
        ante=numbers.one("ante", 0),
        min_bet=numbers.one("minbet", 0),
        name=name,
    )
