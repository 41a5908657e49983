"""Poker hand histories (PHH), in and out: Kim, "Recording and Describing Poker Hands", 2024.

One hand is a TOML table. Limit (FT) and no-limit (NT) hold'em with the rules that `Rules` can say (phh_rules.py);
everything else is refused with the reason. Three things differ from ours and are translated here:

- amounts of `cbr` count from the beginning of the round, ours from the beginning of the hand;
- heads-up, the first blind listed is the small one, which the second player posts;
- whole chips are split with the odd one going to the first winner, ours into fractions.

A limit on raises, or anything else of our rules that the format has no field for, goes into the user-defined field
`_pokerlab_game`; other readers pass over it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import time
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from pokerlab.errors import LogError, PokerlabError, shown
from pokerlab.game.betting import CALL, FOLD
from pokerlab.game.hand import Hand, new_hand
from pokerlab.game.rules import Rules
from pokerlab.reading import opened, read_toml
from pokerlab.records.money import Money
from pokerlab.records.phh_rules import DECK, GAME, Fields, is_number, plain, rules_told, signed_blinds
from pokerlab.records.record import HandReader, LoggedHand
from pokerlab.records.settlement import settle
from pokerlab.writing import replacing

_LONGEST = 1 << 20  # bytes of a hand
_HEADER = re.compile(rb"\[\s*([^\[\],=]+?)\s*\]\s*(?:#.*)?")
_AMOUNT = re.compile(r"[0-9]{1,10}(?:\.[0-9]{1,8})?")
_HIDDEN = "????"
# Lines as PHH files have them; whatever else TOML allows is left to its parser, which takes five times as long.
_NUMBER = r"(?:-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?|inf)"
_KEY = re.compile(r"[A-Za-z0-9_-]+")
_ONE_NUMBER = re.compile(_NUMBER)
_NUMBERS = re.compile(rf"\[{_NUMBER}(?:, {_NUMBER})*\]")
_TEXT = re.compile(r"'[^']*'")
_TEXTS = re.compile(r"\['[^']*'(?:, '[^']*')*\]")
_TIME = re.compile(r"[0-9]{2}:[0-9]{2}:[0-9]{2}")


class PhhReader(HandReader):
    """The hands of a file, or of its numbered tables, none of which may be there twice."""

    def __iter__(self) -> Iterator[LoggedHand]:
        self.bad, self.bytes_read = 0, 0
        names = set[str]()
        for name, raw in self._tables():
            record = self._tried(self._parse, name, raw, names)
            if record is not None:
                yield record

    def _parse(self, name: str | None, raw: bytes, names: set[str]) -> LoggedHand:
        where = str(self.path) if name is None else f"{self.path}, hand {shown(name)}"
        if name is not None and name in names:
            raise LogError(f"{where}: it is there twice")
        names.add(name or "")
        if len(raw) > _LONGEST:
            raise LogError(f"{where}: longer than a hand can be")
        try:
            text = raw.decode()
        except UnicodeDecodeError:
            raise LogError(f"{where}: it is not text (UTF-8)") from None
        return parse_phh(text, where)

    def _tables(self) -> Iterator[tuple[str | None, bytes]]:
        """The name and the text of each numbered table; a file without one is a hand without a name."""
        name: str | None = None
        lines: list[bytes] = []
        length = 0
        with opened(self.path, LogError) as file:
            while line := file.readline(_LONGEST):
                self.bytes_read += len(line)
                header = _HEADER.fullmatch(line.strip()) if line[:1] == b"[" else None
                if header is None:
                    length += len(line)
                    if length <= _LONGEST + len(line):  # of what is too long anyway, no more is kept
                        lines.append(line)
                    continue
                if name is not None or _says_something(lines):
                    yield name, b"".join(lines)
                name, lines, length = header[1].strip(b"\"'").decode("utf-8", "replace"), [], 0
            yield name, b"".join(lines)


def _says_something(lines: list[bytes]) -> bool:
    return any(line.strip() and not line.lstrip().startswith(b"#") for line in lines)


def read_phh(path: str | Path, skip_bad: bool = False, on_error: Callable[[LogError], None] | None = None) -> PhhReader:
    """The hands of a file: one, or those of its numbered tables (.phhs). A LogError names the file and the hand.

    With `skip_bad` a hand that cannot be read is counted in `bad`, told to `on_error`, and left out.
    """
    return PhhReader(path, skip_bad, on_error)


def parse_phh(text: str, where: str = "hand history") -> LoggedHand:
    """The hand of a PHH text. A LogError begins with `where` and says what is wrong."""
    table = plain_table(text)
    if table is None:
        table = read_toml(text, f"{where}: not TOML", LogError, _decimal)
    try:
        return _read(table)
    except PokerlabError as error:
        raise LogError(f"{where}: {error}") from None


def plain_table(text: str) -> dict[str, Any] | None:
    """The table of a text with a key, a value and no more in each line, as TOML's parser has it; else None."""
    table: dict[str, Any] = {}
    for line in text.split("\n"):
        if not line:
            continue
        key, _, value = line.partition(" = ")
        if key in table or not _KEY.fullmatch(key) or not line.isprintable():
            return None
        if _TEXTS.fullmatch(value):
            table[key] = value[2:-2].split("', '")
        elif _NUMBERS.fullmatch(value):
            table[key] = [_number(word) for word in value[1:-1].split(", ")]
        elif _ONE_NUMBER.fullmatch(value):
            table[key] = _number(value)
        elif _TEXT.fullmatch(value):
            table[key] = value[1:-1]
        elif value in ("true", "false"):
            table[key] = value == "true"
        elif _TIME.fullmatch(value) and value < "24" and value[3:] < "60" and value[6:] < "60":
            table[key] = time(int(value[:2]), int(value[3:5]), int(value[6:]))
        else:
            return None
    return table


def _number(text: str) -> int | Decimal:
    return Decimal(text) if "." in text or text == "inf" else int(text)


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        raise ValueError(f"{shown(text)} is no number") from None


def _read(table: dict[str, Any]) -> LoggedHand:
    fields = Fields(table)
    rules = rules_told(fields)
    hand, shown_by = _replay(rules, fields.texts("actions"), fields.money)
    known_stacks = not any(value == math.inf for value in fields.get("starting_stacks"))
    finishing = fields.paid("finishing_stacks", rules.players) if known_stacks else None
    paid, adjusted = settle(hand, finishing, fields.paid("winnings", rules.players), shown_by, fields.money)
    names = fields.texts("players") if "players" in table else [f"p{seat + 1}" for seat in range(rules.players)]
    if len(names) != rules.players or not all(name and name.isprintable() and "|" not in name for name in names):
        raise LogError(f"players: {rules.players} names expected, got {shown(names)}")
    number = table.get("hand", 0)
    if not is_number(number) or number < 0 or number != int(number):
        raise LogError(f"hand: a number expected, got {shown(number)}")
    return LoggedHand(int(number), hand._replace(names=tuple(names)), paid, adjusted, money=fields.money)


def _replay(rules: Rules, actions: Sequence[str], money: Money) -> tuple[Hand, set[int]]:
    """The hand that the actions lead to, and who showed cards. Cards never told stay unknown (`()`)."""
    seats = {f"p{seat + 1}": seat for seat in range(rules.players)}
    holes: list[str] = [_HIDDEN] * rules.players
    dealt, shown_by = set[int](), set[int]()
    board: tuple[int, ...] = ()
    hand = new_hand(rules)._replace(holes=((),) * rules.players)
    before = (rules.ante,) * rules.players
    for action in actions:
        words = action.partition("#")[0].split()
        match words:
            case []:
                continue
            case ["d", "dh", player, cards]:
                seat = _seat(player, seats, action)
                if seat in dealt:
                    raise LogError(f"{shown(action)}: dealt twice")
                dealt.add(seat)
                holes[seat] = _HIDDEN if "?" in cards else cards
            case ["d", "db", cards]:
                board += DECK.cards(cards)
                if len(board) >= hand.pending:
                    hand, board = hand.deal(board), ()
            case [player, "sm", *told]:
                seat = _seat(player, seats, action)
                if _show(holes, seat, told, hand, action):
                    shown_by.add(seat)
            case [player, kind, *amount] if (kind, len(amount)) in (("f", 0), ("cc", 0), ("cbr", 1)):
                seat, stage = _seat(player, seats, action), hand.betting.round
                if hand.actor != seat:
                    raise LogError(f"{shown(action)}: it is not p{seat + 1}'s turn after {hand.betting_text()!r}")
                if kind == "cbr":
                    hand = hand.act(before[seat] + _chips(amount[0], money, action))
                else:
                    hand = hand.act(FOLD if kind == "f" else CALL)
                before = hand.betting.spent if hand.betting.round > stage else before
            case _:
                raise LogError(f"cannot read action {shown(action)}")
    DECK.cards("".join(hole for hole in holes if hole != _HIDDEN) + DECK.text(hand.board))  # none may be there twice
    known = tuple([DECK.cards(hole) if hole != _HIDDEN else () for hole in holes])
    if board or not hand.finished or any(len(hole) not in (0, 2) for hole in known):
        owes = f": it is p{hand.actor + 1}'s turn" if hand.actor is not None else ""
        raise LogError(f"the hand is not over, or cards are missing, after the last action{owes}")
    return hand._replace(holes=known), shown_by


def _seat(player: str, seats: dict[str, int], action: str) -> int:
    if player not in seats:
        raise LogError(f"{shown(action)}: players are p1 to p{len(seats)}")
    return seats[player]


def _chips(text: str, money: Money, action: str) -> int:
    if not _AMOUNT.fullmatch(text):
        raise LogError(f"{shown(action)}: an amount expected")
    chips = int(text) * money.scale if text.isdigit() else int(Decimal(text) * money.scale)
    if chips == 0:
        raise LogError(f"{shown(action)}: an amount expected")
    return chips


def _show(holes: list[str], seat: int, cards: Sequence[str], hand: Hand, action: str) -> bool:
    """Whether cards are shown, which must be those dealt; who mucks, or shows without saying what, tells nothing."""
    if hand.betting.actor is not None or hand.betting.folded[seat] or len(cards) > 1:
        raise LogError(f"{shown(action)}: nothing to show")
    told = "".join(cards)
    if told in ("", "-") or "?" in told:
        return False
    known = DECK.cards(told)
    if holes[seat] == _HIDDEN:
        holes[seat] = told
    elif sorted(DECK.cards(holes[seat])) != sorted(known):
        raise LogError(f"{shown(action)}: the cards dealt were {holes[seat]}")
    return True


def phh_text(record: LoggedHand) -> str:
    """A hand as PHH, in its currency. A LogError says why a game cannot be told in it."""
    rules, money = record.hand.rules, record.money
    told = plain(rules)
    if told is None:
        raise LogError(
            f"PHH has no variant for {rules.name or 'this game'}: only limit and no-limit hold'em are written"
        )
    blinds = signed_blinds(rules)
    lines = [
        f'variant = "{"FT" if rules.limit else "NT"}"',
        f"antes = {_amounts([rules.ante] * len(blinds), money)}",
    ]
    posted = _amounts(blinds[::-1] if len(blinds) == 2 else blinds, money, decimal=_is_divided(record))
    lines.append(f"blinds_or_straddles = {posted}")
    if rules.limit:
        lines += [
            f"{bet}_bet = {money.number(rules.raise_sizes[round_])}" for bet, round_ in (("small", 0), ("big", 2))
        ]
    else:
        lines.append(f"min_bet = {money.number(rules.least_bet)}")
    lines += [
        f"starting_stacks = {_amounts(rules.stacks, money)}",
        f"actions = {_array(_actions(record))}",
        f"hand = {record.number}",
        f"players = {_array(record.names)}",
    ]
    if not any(map(math.isnan, record.payoffs)):
        finishing = [stack + chips for stack, chips in zip(rules.stacks, record.payoffs, strict=True)]
        lines.append(f"finishing_stacks = {_amounts(finishing, money)}")
    if money.currency:
        lines.append(f"{'currency' if money.is_code else 'currency_symbol'} = {json.dumps(money.currency)}")
    if told != rules:
        lines.append(f"{GAME} = {json.dumps(rules.text())}")
    return "\n".join(lines) + "\n"


def _is_divided(record: LoggedHand) -> bool:
    """Whether chips of a pot were divided: pokerkit does so if blinds are decimals, and else gives odd chips away."""
    return any(chips % 1 for chips in record.payoffs if not math.isnan(chips))


def _amounts(chips: Iterable[float], money: Money, decimal: bool = False) -> str:
    numbers = [money.number(each) for each in chips]
    return f"[{', '.join(f'{each}.0' if decimal and '.' not in each else each for each in numbers)}]"


def _array(texts: Iterable[str]) -> str:
    # JSON's texts are TOML's too, as long as characters above U+FFFF are not escaped.
    return json.dumps(list(texts), ensure_ascii=False)


def _actions(record: LoggedHand) -> Iterator[str]:
    hand, rules, deck = record.hand, record.hand.rules, record.hand.rules.deck
    for seat, hole in enumerate(hand.holes):
        yield f"d dh p{seat + 1} {deck.text(hole) or _HIDDEN}"
    state, before, taken = new_hand(rules).betting, (rules.ante,) * rules.players, 0
    boards = [deck.text(hand.board[a:b]) for a, b in ((0, 3), (3, 4), (4, 5)) if b <= len(hand.board)]
    for action in hand.actions:
        actor, stage = state.actor, state.round
        assert actor is not None
        to = f"cbr {record.money.number(action - before[actor])}"
        yield f"p{actor + 1} {'f' if action == FOLD else 'cc' if action == CALL else to}"
        state = state.act(action)
        if state.actor is not None and state.round > stage:
            before = state.spent
            yield f"d db {boards[taken]}"
            taken += 1
    if state.showdown:
        # Who is all-in shows before the rest of the board is dealt. Where nobody knows who won, nobody has shown.
        for seat in state.survivors:
            hidden = math.isnan(record.payoffs[seat])
            yield f"p{seat + 1} sm {_HIDDEN if hidden else deck.text(hand.holes[seat])}".strip()
        yield from (f"d db {cards}" for cards in boards[taken:])


def write_phh(path: str | Path, records: Iterable[LoggedHand]) -> int:
    """Write hands, under a temporary name first: numbered tables in a .phhs file, else exactly one hand."""
    path, records = Path(path), list(records)
    if path.suffix == ".phhs":
        text = phhs_text(records)
    elif len(records) == 1:
        text = phh_text(records[0])
    else:
        raise LogError(f"{path}: one hand goes into a .phh file, {len(records)} need a .phhs file")
    try:
        with replacing(path) as file:
            file.write(text.encode())
    except OSError as error:
        raise LogError(f"cannot write {path}: {error.strerror or error}") from None
    return len(records)


def phhs_text(records: Iterable[LoggedHand]) -> str:
    """Several hands as one text: numbered tables."""
    return "\n".join(f"[{number}]\n{phh_text(record)}" for number, record in enumerate(records, 1))
