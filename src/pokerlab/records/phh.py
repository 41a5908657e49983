"""Poker hand histories (PHH), in and out: Kim, "Recording and Describing Poker Hands", 2024.

One hand is a TOML table. Limit (FT) and no-limit (NT) hold'em with the rules that `Rules` can say; everything else is
refused with the reason. Three things differ from ours and are translated here:

- amounts of `cbr` count from the beginning of the round, ours from the beginning of the hand;
- heads-up, the first blind listed is the small one, which the second player posts;
- whole chips are split with the odd one going to the first winner, ours into fractions.

A limit on raises, or anything else of our rules that the format has no field for, goes into the user-defined field
`_pokerlab_game`; other readers pass over it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pokerlab.cards.deck import STANDARD_RANKS, STANDARD_SUITS, Deck
from pokerlab.errors import LogError, PokerlabError, shown
from pokerlab.game.betting import CALL, FOLD
from pokerlab.game.hand import Hand, new_hand
from pokerlab.game.rules import UNLIMITED_RAISES, UNLIMITED_STACK, Rules, parse_rules
from pokerlab.reading import read_text, read_toml
from pokerlab.records.record import LoggedHand, check_payoffs
from pokerlab.writing import replacing

_DECK = Deck(STANDARD_RANKS, STANDARD_SUITS)
_BOARD = (0, 3, 1, 1)
_FIXED_RAISES = 4  # a round, as pokerkit has it in fixed limit
_BETS = ("small_bet", "small_bet", "big_bet", "big_bet")  # of the four rounds
_GAME = "_pokerlab_game"
_LONGEST = 256 << 20  # bytes of a file, which is read as a whole


def read_phh(
    path: str | Path, skip_bad: bool = False, on_error: Callable[[LogError], None] | None = None
) -> Iterator[LoggedHand]:
    """The hands of a file: one, or those of its numbered tables (.phhs). A LogError names the file and the hand.

    With `skip_bad` a hand that cannot be read is told to `on_error` and left out; a file that is no TOML never is.
    """
    text = read_text(path, most=_LONGEST, error=LogError)
    tables = read_toml(text, f"{path}: not TOML", LogError)
    many = bool(tables) and all(isinstance(table, dict) for table in tables.values())
    for key, table in tables.items() if many else [("", tables)]:
        try:
            logged = _read(table, f"{path}, hand {shown(key)}" if many else str(path))
        except LogError as error:
            if not skip_bad:
                raise
            if on_error is not None:
                on_error(error)
        else:
            yield logged


def parse_phh(text: str, where: str = "hand history") -> LoggedHand:
    """The hand of a PHH text. A LogError begins with `where` and says what is wrong."""
    return _read(read_toml(text, f"{where}: not TOML", LogError), where)


def _read(table: dict[str, Any], where: str) -> LoggedHand:
    try:
        fields = _Fields(table)
        rules, ante = _rules(fields)
        hand = _replay(rules, ante, fields.texts("actions"))
        paid, adjusted = _payoffs(hand, fields)
        names = fields.texts("players") if "players" in table else [f"p{seat + 1}" for seat in range(rules.players)]
        if len(names) != rules.players or not all(name and name.isprintable() and "|" not in name for name in names):
            raise LogError(f"players: {rules.players} names expected, got {shown(names)}")
        number = table.get("hand", 0)
        if not _is_number(number) or number < 0 or number != int(number):
            raise LogError(f"hand: a number expected, got {shown(number)}")
        return LoggedHand(int(number), hand._replace(names=tuple(names)), paid, adjusted)
    except PokerlabError as error:
        raise LogError(f"{where}: {error}") from None


class _Fields:
    """The fields of a hand, with their names in every complaint."""

    def __init__(self, table: dict[str, Any]) -> None:
        self.table = table

    def get(self, key: str) -> Any:
        if key not in self.table:
            raise LogError(f"{key} is missing")
        return self.table[key]

    def whole(self, key: str) -> int:
        return self._whole(key, self.get(key))

    def wholes(self, key: str, count: int) -> tuple[int, ...]:
        values = self.get(key)
        if not isinstance(values, list) or len(values) != count:
            raise LogError(f"{key}: {count} numbers expected, got {shown(values)}")
        return tuple(self._whole(key, value) for value in values)

    def texts(self, key: str) -> list[str]:
        values = self.get(key)
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise LogError(f"{key}: a list of texts expected, got {shown(values)}")
        return values

    @staticmethod
    def _whole(key: str, value: Any) -> int:
        if value == math.inf:
            return UNLIMITED_STACK
        if not _is_number(value) or not 0 <= value <= UNLIMITED_STACK or value != int(value):
            raise LogError(f"{key}: whole chips, 0 to {UNLIMITED_STACK}, expected, got {shown(value)}")
        return int(value)


def _rules(fields: _Fields) -> tuple[Rules, int]:
    """The rules of a hand's table, and the ante, which is part of every blind in them."""
    variant = fields.get("variant")
    if variant not in ("FT", "NT"):
        raise LogError(f"variant {shown(variant)} is not known: only FT and NT, hold'em, are")
    stacks = fields.get("starting_stacks")
    players = len(stacks) if isinstance(stacks, list) else 0
    antes, blinds = fields.wholes("antes", players), fields.wholes("blinds_or_straddles", players)
    if len(set(antes)) > 1:
        raise LogError(f"antes {list(antes)}: only equal ones are known")
    ante = antes[0] if antes else 0
    # Heads-up the format lists the small blind first, and the second player posts it.
    posted = tuple(ante + blind for blind in (reversed(blinds) if players == 2 else blinds))
    last = max(range(players), key=lambda seat: (posted[seat], seat), default=0)
    limit = variant == "FT"
    rules = Rules(
        limit=limit,
        blinds=posted,
        first=((last + 1) % max(1, players), 0, 0, 0),
        raise_sizes=tuple(fields.whole(bet) for bet in ("small_bet", "small_bet", "big_bet", "big_bet"))
        if limit
        else (),
        max_raises=(_FIXED_RAISES if limit else UNLIMITED_RAISES,) * 4,
        stacks=fields.wholes("starting_stacks", players),
        hole_cards=2,
        board_cards=_BOARD,
        deck=_DECK,
        name=f"{variant}-{players}p-{'/'.join(str(blind) for blind in blinds if blind)}",
    )
    if not limit and fields.whole("min_bet") != rules.small_bet:
        raise LogError(f"min_bet {fields.whole('min_bet')} is known only as the largest blind, {rules.small_bet}")
    if _GAME in fields.table:
        told = parse_rules(str(fields.get(_GAME)), _GAME)
        if _plain(told) != rules:
            raise LogError(f"{_GAME} and the other fields tell of different games")
        return told, ante
    return rules, ante


def _plain(rules: Rules) -> Rules | None:
    """What the format's own fields can say of these rules; None if it is not enough to play them."""
    last = max(range(rules.players), key=lambda seat: (rules.blinds[seat], seat))
    if not rules.holdem or rules.first != ((last + 1) % rules.players, 0, 0, 0):
        return None
    if rules.limit and (rules.raise_sizes[0], rules.raise_sizes[2]) != (rules.raise_sizes[1], rules.raise_sizes[3]):
        return None
    most = _FIXED_RAISES if rules.limit else UNLIMITED_RAISES
    if any(raises > most for raises in rules.max_raises):
        return None
    return replace(rules, max_raises=(most,) * 4, bet_sizes=())


def _replay(rules: Rules, ante: int, actions: Sequence[str]) -> Hand:
    """The hand that the actions lead to. Cards of a seat stay unknown (`()`) if they are never told."""
    holes: list[str] = ["????"] * rules.players
    dealt: set[int] = set()
    board: tuple[int, ...] = ()
    hand = new_hand(rules)._replace(holes=((),) * rules.players)
    before = (ante,) * rules.players
    for action in actions:
        words = action.partition("#")[0].split()
        match words:
            case []:
                continue
            case ["d", "dh", player, cards]:
                seat = _seat(player, rules, action)
                if seat in dealt:
                    raise LogError(f"{shown(action)}: dealt twice")
                dealt.add(seat)
                holes[seat] = cards
            case ["d", "db", cards]:
                board += _DECK.cards(cards)
                if len(board) >= hand.pending:
                    hand, board = hand.deal(board), ()
            case [player, "sm", *cards]:
                _show(holes, _seat(player, rules, action), cards, hand, action)
            case [player, kind, *amount] if (kind, len(amount)) in (("f", 0), ("cc", 0), ("cbr", 1)):
                seat, stage = _seat(player, rules, action), hand.betting.round
                if hand.actor != seat:
                    raise LogError(f"{shown(action)}: it is not p{seat + 1}'s turn after {hand.betting_text()!r}")
                hand = hand.act(_action(kind, amount, before[seat], hand, action))
                before = hand.betting.spent if hand.betting.round > stage else before
            case _:
                raise LogError(f"cannot read action {shown(action)}")
    _DECK.cards("".join(hole for hole in holes if hole != "????") + _DECK.text(hand.board))  # none may be there twice
    known = tuple(_DECK.cards(hole) if hole != "????" else () for hole in holes)
    if board or not hand.finished or any(len(hole) not in (0, 2) for hole in known):
        raise LogError("the hand is not over, or cards are missing, after the last action")
    return hand._replace(holes=known)


def _seat(player: str, rules: Rules, action: str) -> int:
    labels = [f"p{seat + 1}" for seat in range(rules.players)]
    if player not in labels:
        raise LogError(f"{shown(action)}: players are p1 to {labels[-1]}")
    return labels.index(player)


def _action(kind: str, amount: Sequence[str], before: int, hand: Hand, action: str) -> int:
    if kind != "cbr":
        return FOLD if kind == "f" else CALL
    text = amount[0]
    if not (text.isascii() and text.isdigit() and len(text) <= 10 and int(text) > 0):
        raise LogError(f"{shown(action)}: whole chips expected")
    return before + int(text)


def _show(holes: list[str], seat: int, cards: Sequence[str], hand: Hand, action: str) -> None:
    """Cards shown must be those dealt; who mucks, or shows without saying what, tells nothing."""
    if hand.betting.actor is not None or hand.betting.folded[seat] or len(cards) > 1:
        raise LogError(f"{shown(action)}: nothing to show")
    if not cards or cards[0] in ("-", "????"):
        return
    told = _DECK.cards(cards[0])
    if holes[seat] == "????":
        holes[seat] = cards[0]
    elif sorted(_DECK.cards(holes[seat])) != sorted(told):
        raise LogError(f"{shown(action)}: the cards dealt were {holes[seat]}")


def _payoffs(hand: Hand, fields: _Fields) -> tuple[tuple[float, ...], bool]:
    """Payoffs by the finishing stacks, if they are told, and whether they are not those of the cards."""
    if "finishing_stacks" not in fields.table:
        return hand.payoffs(), False
    stacks = fields.get("finishing_stacks")
    players = hand.rules.players
    if not isinstance(stacks, list) or len(stacks) != players or not all(map(_is_number, stacks)):
        raise LogError(f"finishing_stacks: {players} numbers expected, got {shown(stacks)}")
    paid = tuple(float(after - before) for after, before in zip(stacks, hand.rules.stacks, strict=True))
    spent, survivors = hand.betting.spent, hand.betting.survivors
    known = len(survivors) == 1 or all(hand.holes[seat] for seat in survivors)
    # An odd chip went to one of the winners, or cards that nobody showed decide: then the file must be believed.
    if known and not _odd_chips(hand.payoffs(), paid, len(survivors)):
        return check_payoffs(hand, paid)
    possible = (-mine <= chips <= sum(spent) - mine for chips, mine in zip(paid, spent, strict=True))
    if abs(sum(paid)) > 1e-6 or not all(possible):
        raise LogError(f"finishing_stacks {shown(stacks)} cannot be")
    return paid, True


def _odd_chips(ours: tuple[float, ...], paid: tuple[float, ...], winners: int) -> bool:
    """Whether whole payoffs are those of a pot that we cut into fractions."""
    cut, fractional = (any(chips != int(chips) for chips in payoffs) for payoffs in (ours, paid))
    return cut and not fractional and all(abs(a - b) < winners for a, b in zip(ours, paid, strict=True))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 2**53


def phh_text(record: LoggedHand) -> str:
    """A hand as PHH. A LogError says why a game cannot be told in it."""
    hand, rules = record.hand, record.hand.rules
    plain = _plain(rules)
    if plain is None:
        raise LogError(
            f"PHH has no variant for {rules.name or 'this game'}: only limit and no-limit hold'em are written"
        )
    blinds = reversed(rules.blinds) if rules.players == 2 else rules.blinds
    lines = [f'variant = "{"FT" if rules.limit else "NT"}"', f"antes = {[0] * rules.players}"]
    lines.append(f"blinds_or_straddles = {list(blinds)}")
    if rules.limit:
        lines += [f"small_bet = {rules.raise_sizes[0]}", f"big_bet = {rules.raise_sizes[2]}"]
    else:
        lines.append(f"min_bet = {rules.small_bet}")
    finishing = (stack + chips for stack, chips in zip(rules.stacks, record.payoffs, strict=True))
    lines += [
        f"starting_stacks = {list(rules.stacks)}",
        f"actions = {_array(_actions(hand))}",
        f"hand = {record.number}",
        f"players = {_array(record.names)}",
        f"finishing_stacks = {[int(stack) if stack == int(stack) else stack for stack in finishing]}",
    ]
    if plain != rules:
        lines.append(f"{_GAME} = {json.dumps(rules.text())}")
    return "\n".join(lines) + "\n"


def _array(texts: Iterable[str]) -> str:
    # JSON's texts are TOML's too, as long as characters above U+FFFF are not escaped.
    return json.dumps(list(texts), ensure_ascii=False)


def _actions(hand: Hand) -> Iterator[str]:
    rules, deck = hand.rules, hand.rules.deck
    for seat, hole in enumerate(hand.holes):
        yield f"d dh p{seat + 1} {deck.text(hole) or '????'}"
    state, before, taken = new_hand(rules).betting, (0,) * rules.players, 0
    boards = [deck.text(hand.board[a:b]) for a, b in ((0, 3), (3, 4), (4, 5)) if b <= len(hand.board)]
    for action in hand.actions:
        actor, stage = state.actor, state.round
        assert actor is not None
        word = "f" if action == FOLD else "cc" if action == CALL else f"cbr {action - before[actor]}"
        yield f"p{actor + 1} {word}"
        state = state.act(action)
        if state.actor is not None and state.round > stage:
            before = state.spent
            yield f"d db {boards[taken]}"
            taken += 1
    if state.showdown:
        # Who is all-in shows before the rest of the board is dealt.
        shows = [f"p{seat + 1} sm {deck.text(hand.holes[seat])}".strip() for seat in state.survivors]
        yield from shows
        yield from (f"d db {cards}" for cards in boards[taken:])


def write_phh(path: str | Path, records: Iterable[LoggedHand]) -> int:
    """Write hands, under a temporary name first: numbered tables in a .phhs file, else exactly one hand."""
    path, texts = Path(path), [phh_text(record) for record in records]
    if path.suffix == ".phhs":
        texts = [f"[{number}]\n{text}" for number, text in enumerate(texts, 1)]
    elif len(texts) != 1:
        raise LogError(f"{path}: one hand goes into a .phh file, {len(texts)} need a .phhs file")
    try:
        with replacing(path) as file:
            file.write("\n".join(texts).encode())
    except OSError as error:
        raise LogError(f"cannot write {path}: {error.strerror or error}") from None
    return len(texts)
