"""Betting as cases have it: a letter an action, rounds parted by hyphens, as in `crrc-crrc-cc-` (Rubin 2013).

In limit the letters are f, c, r. In no-limit a bet is the nearest of 1/4, 1/2, 3/4, 1, 2, 5 and 10 pots, q h i p d v t,
or a, all-in (Table 3.10); fractions are of the pot after calling. What is learnt is taken by equation (3.3), so that
the same hands always make the same cases; what others bet while one plays is taken by (3.4) and (3.5), both ways with
their probabilities. A bet below a quarter of the pot is q; one between the largest size and all-in is either.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from pokerlab.abstraction.translation import bet_fraction, translate_bet
from pokerlab.errors import AgentError
from pokerlab.game.bet_sizes import ALL_IN, Size
from pokerlab.game.betting import CALL, FOLD, Betting, start_betting
from pokerlab.game.rules import Rules

LIMIT, NO_LIMIT = "fcr", "fcqhipdvta"
SIZES = dict(zip("qhipdvta", (*map(Size, (25.0, 50.0, 75.0, 100.0, 200.0, 500.0, 1000.0)), ALL_IN), strict=True))
BETS = "qhipdvt"  # in the order of Table 3.12: neighbours differ by one
MOST = 64  # sequences that one history is taken for: the likeliest


def letters(rules: Rules) -> str:
    """The actions of a solution, in its order."""
    return LIMIT if rules.limit else NO_LIMIT


class Decision(NamedTuple):
    """A decision of a hand: who took it after which betting, with how many chips in, and the letter of the action."""

    round: int
    seat: int
    sequence: str
    spent: int
    letter: str


def letter_odds(state: Betting, action: int, rule: str) -> dict[str, float]:
    """The letters that an action is taken for by a rule of translation, and how likely each is."""
    if action in (FOLD, CALL):
        return {"f" if action == FOLD else "c": 1.0}
    assert state.actor is not None
    stack = state.rules.stacks[state.actor]
    if state.rules.limit or action >= stack:
        return {"r" if state.rules.limit else "a": 1.0}
    everything = bet_fraction(state, stack)
    below = [letter for letter in BETS if SIZES[letter].amount / 100 < everything]
    fractions = [SIZES[letter].amount / 100 for letter in below]
    taken = translate_bet(bet_fraction(state, action), [*fractions, everything], rule)
    return {(*below, "a")[number]: odds for number, odds in taken.items()}


def hard_letter(state: Betting, action: int) -> str:
    """The one letter of an action, by equation (3.3)."""
    return max((taken := letter_odds(state, action, "hard")), key=lambda letter: taken[letter])


@lru_cache(maxsize=100_000)
def decisions(rules: Rules, actions: tuple[int, ...]) -> tuple[Decision, ...]:
    """Every decision of a hand, all seats', as it is learnt from."""
    state, text, made = start_betting(rules), "", []
    for action in actions:
        letter = hard_letter(state, action)
        assert state.actor is not None
        made.append(Decision(state.round, state.actor, text, state.spent[state.actor], letter))
        after = state.act(action)
        text += letter + "-" * (after.round - state.round)
        state = after
    return tuple(made)


@lru_cache(maxsize=20_000)
def readings(rules: Rules, actions: tuple[int, ...], seat: int) -> dict[str, float]:
    """The sequences that a history may be taken for by the player in a seat, with their probabilities.

    The player's own bets are taken as they are learnt, those of others softly.
    """
    read = {"": 1.0}
    state = start_betting(rules)
    for action in actions:
        after = state.act(action)
        odds = letter_odds(state, action, "hard" if state.actor == seat else "soft")
        parts = "-" * (after.round - state.round)
        read = {text + letter + parts: p * q for text, p in read.items() for letter, q in odds.items() if p * q > 0}
        if len(read) > MOST:
            likeliest = sorted(read.items(), key=lambda item: (-item[1], item[0]))[:MOST]
            total = sum(p for _, p in likeliest)
            read = {text: p / total for text, p in likeliest}
        state = after
    return read


def check_sequence(rules: Rules, sequence: str, round: int) -> None:
    """Refuse a sequence that no decision of a round follows; in no-limit only its letters and rounds are looked at."""
    rounds = parse_sequence(rules, sequence)
    if len(rounds) != round + 1:
        raise AgentError(f"betting {sequence!r} is of {len(rounds)} rounds, not of {round + 1}")
    if not rules.limit:
        return
    state = start_betting(rules)
    for letter in sequence.replace("-", ""):
        wanted = {"f": FOLD, "c": CALL}.get(letter, state.legal().raises[-1] if state.legal().raises else FOLD - 1)
        state = state.act(wanted)
    if state.actor is None or state.round != round:
        raise AgentError(f"nobody is to act in round {round + 1} after betting {sequence!r}")


def parse_sequence(rules: Rules, sequence: str) -> tuple[str, ...]:
    """The rounds of a sequence, the current one last; refuses letters that the game does not have."""
    strange = set(sequence) - {*letters(rules), "-"}
    if strange:
        raise AgentError(
            f"betting {sequence!r}: the letters are {letters(rules)}, with - between rounds, not {min(strange)!r}"
        )
    return tuple(sequence.split("-"))


def faces_bet(rules: Rules, sequence: str) -> bool:
    """Whether who is to act after a sequence has something to call, and may fold."""
    *_, current = sequence.split("-")
    if set(current) - {"c", "f"}:
        return True
    blinds = "-" not in sequence and len(set(rules.blinds)) > 1
    return blinds and len(current) < rules.players - 1


@lru_cache(maxsize=500_000)
def level_keys(rules: Rules, sequence: str) -> tuple[str, str, str]:
    """What two sequences of a limit game share at levels 0, 1 and 2, each part of the one before.

    Level 1 has the current round and, of all who are in, the bets and raises in each earlier round; level 2 their sums.
    Players are told apart by seat: who acts first changes from round to round.
    """
    *_, current = parse_sequence(rules, sequence)
    state, raises = start_betting(rules), [[0] * rules.players for _ in range(rules.rounds)]
    for letter in sequence.replace("-", ""):
        assert state.actor is not None
        if letter == "r":
            raises[state.round][state.actor] += 1
        state = state.act({"f": FOLD, "c": CALL}.get(letter, state.legal().raises[0] if letter == "r" else CALL))
    seats, earlier = state.survivors, raises[: state.round]
    by_round = "/".join(",".join(str(counts[seat]) for seat in seats) for counts in earlier)
    in_all = ",".join(str(sum(counts[seat] for counts in earlier)) for seat in seats)
    who = "".join(map(str, seats))
    return sequence, f"{current}|{who}|{by_round}", f"{current}|{who}|{in_all}"


@lru_cache(maxsize=500_000)
def shape(sequence: str) -> str:
    """What two no-limit sequences must share to be alike at all: lengths, folds, calls and all-ins, equation (3.7)."""
    return sequence.translate(_SHAPES)


_SHAPES = str.maketrans(BETS, "x" * len(BETS))


def bet_distance(a: str, b: str) -> int:
    """The sum of steps between the bets of two sequences of one shape."""
    return sum(abs(BETS.index(x) - BETS.index(y)) for x, y in zip(a, b, strict=True) if x != y)
