"""The edges of what can be played: what is just allowed, and what is said of what just is not."""

from dataclasses import fields, replace

import pytest

from pokerlab.cards.deck import Deck, rank_names, suit_names
from pokerlab.errors import GameDefinitionError, UnknownGame
from pokerlab.game.bet_sizes import Size
from pokerlab.game.catalog import CATALOG, rules_of
from pokerlab.game.rules import UNLIMITED_RAISES, UNLIMITED_STACK, Rules, parse_rules, unit_of

LEDUC, NOLIMIT, LIMIT = rules_of("leduc"), rules_of("holdem-nolimit"), rules_of("holdem-limit")


def seats(players):
    return {"blinds": (1,) * players, "stacks": (100,) * players}


ALLOWED = [
    (LIMIT, seats(10)),
    (LEDUC, seats(5)),  # six cards: five holes and the board
    (LEDUC, {"deck": Deck("ABCDEFG", "abcde"), "hole_cards": 3}),  # four-card hands, five suits
    (LIMIT, {"deck": Deck(rank_names(13), suit_names(4))}),
    (LEDUC, {"max_raises": (0, UNLIMITED_RAISES)}),
    (LEDUC, {"raise_sizes": (1, 10**9)}),
    (NOLIMIT, {"stacks": (2**31 - 1, 101)}),
    (LEDUC, {"stacks": (2, 2)}),
    (LEDUC, {"blinds": (0, 0), "stacks": (1, 1)}),
    (LEDUC, {"first": (1, 1)}),
    (LEDUC, {"board_cards": (0, 0)}),
    (NOLIMIT, {"bet_sizes": (Size(0.1),)}),
    (LEDUC, {"board_cards": (1, 1), "ranking": "three-card"}),
    (LEDUC, {"board_cards": (1,), "first": (0,), "max_raises": (1,), "raise_sizes": (1,)}),
    (NOLIMIT, {"ante": 50}),
    (NOLIMIT, {"min_bet": 1}),
    (NOLIMIT, {"min_bet": 10**9}),
]


@pytest.mark.parametrize(("rules", "changes"), ALLOWED)
def test_just_allowed(rules, changes):
    changed = replace(rules, **changes)
    assert parse_rules(changed.text()) == changed


REFUSED = [
    (LIMIT, seats(1), "2 to 10 players are needed, not 1"),
    (LIMIT, seats(11), "2 to 10 players are needed, not 11"),
    (LEDUC, {"board_cards": (), "first": (), "max_raises": (), "raise_sizes": ()}, "at least one round is needed"),
    (LEDUC, {"hole_cards": 0}, "each player needs at least one hole card"),
    (LEDUC, {"board_cards": (0, -1)}, "board cards cannot be negative"),
    (LEDUC, seats(6), "7 cards are dealt from a deck of 6"),
    (
        LEDUC,
        {"hole_cards": 3, "board_cards": (0, 2), "deck": Deck("ABCDEFG", "abcde")},
        "five-card hands need at most 4 suits",
    ),
    (LEDUC, {"deck": Deck("J\nK", "hs")}, "rank names are not printable: 'J\\nK'"),
    (LEDUC, {"stacks": (9, 9, 9)}, "2 stacks are needed, not 3"),
    (LEDUC, {"first": (0,)}, "2 first players are needed, not 1"),
    (LEDUC, {"first": (0, 2)}, "first players must be 1 to 2"),
    (LEDUC, {"first": (-1, 0)}, "first players must be 1 to 2"),
    (LEDUC, {"max_raises": (1,)}, "2 maxRaises are needed, not 1"),
    (LEDUC, {"max_raises": (1, -1)}, "maxRaises must be 0 to 255"),
    (LEDUC, {"max_raises": (256, 1)}, "maxRaises must be 0 to 255"),
    (LEDUC, {"raise_sizes": (2,)}, "limit needs 2 raise sizes"),
    (LEDUC, {"raise_sizes": (2, 0)}, "raise sizes must be positive, up to 1,000,000,000"),
    (LEDUC, {"raise_sizes": (10**9 + 1, 1)}, "raise sizes must be positive, up to 1,000,000,000"),
    (LEDUC, {"stacks": (2**31, 5)}, "stacks are 2,147,483,647 chips at most"),
    (LEDUC, {"stacks": (1, 5)}, "blinds must be at least 0 and below the stacks"),
    (LEDUC, {"blinds": (-1, 1)}, "blinds must be at least 0 and below the stacks"),
    (NOLIMIT, {"bet_sizes": (Size(50), Size(0.0))}, "bet sizes must be positive"),
    (LEDUC, {"bet_sizes": (Size(50),)}, "betSizes are for no-limit"),
    (NOLIMIT, {"ante": 51}, "the ante is part of every blind, and at least 0"),
    (NOLIMIT, {"ante": -1}, "the ante is part of every blind, and at least 0"),
    (NOLIMIT, {"min_bet": -1}, "minBet is for no-limit, up to 1,000,000,000"),
    (NOLIMIT, {"min_bet": 10**9 + 1}, "minBet is for no-limit, up to 1,000,000,000"),
    (LEDUC, {"min_bet": 1}, "minBet is for no-limit, up to 1,000,000,000"),
    (LEDUC, {"ranking": "low"}, "handRanking must be one of poker, three-card, not 'low'"),
    (LEDUC, {"ranking": "three-card"}, "three-card hands need three cards a player"),
]  # fmt: skip


@pytest.mark.parametrize(("rules", "changes", "message"), REFUSED)
def test_just_refused(rules, changes, message):
    for name, where in (("mine", "game definition mine"), ("", "game definition")):
        with pytest.raises(GameDefinitionError) as caught:
            replace(rules, name=name, **changes)
        assert str(caught.value) == f"{where}: {message}"


def test_names_of_ranks_repeat():
    with pytest.raises(GameDefinitionError, match="rank names repeat: JJK"):
        replace(LEDUC, deck=Deck("JJK", "hs"))


def test_flushes():
    assert replace(LIMIT, hole_cards=1, board_cards=(0, 2, 1, 1)).suits_matter  # five cards
    assert not replace(LIMIT, hole_cards=1, board_cards=(0, 1, 1, 1)).suits_matter
    assert not replace(LIMIT, deck=Deck(rank_names(20), "s")).suits_matter
    assert not replace(rules_of("rhode-island"), ranking="poker").suits_matter
    assert replace(rules_of("rhode-island"), deck=Deck(rank_names(5), "hs")).suits_matter


def test_what_is_holdem():
    assert [name for name in CATALOG if rules_of(name).holdem] == ["holdem-limit", "holdem-limit-3p", "holdem-nolimit"]
    for changes in ({"deck": Deck(rank_names(12), suit_names(4))}, {"hole_cards": 3}, {"board_cards": (0, 3, 2, 1)}):
        assert not replace(LIMIT, **changes).holdem


@pytest.mark.parametrize(
    ("board", "changes", "family"),
    [
        ((0, 3, 1, 1), {}, True),
        ((0, 3, 1, 1), {"hole_cards": 3}, False),
        ((0, 3, 1, 1), {"hole_cards": 1}, False),
        ((0, 3, 1, 1), {"deck": Deck(rank_names(5), suit_names(4))}, True),
        ((0, 3, 1, 1), {"deck": Deck(rank_names(14), suit_names(4))}, False),
        ((3,), {}, True),
        ((0, 0, 4), {}, True),
        ((0, 5), {}, True),
        ((0, 0), {}, False),
        ((0, 1, 2), {}, False),
        ((0, 2, 1), {}, False),
        ((0, 3, 3), {}, False),
    ],
)
def test_what_is_played_as_holdem_is(board, changes, family):
    rounds = len(board)
    each = {"board_cards": board, "first": (0,) * rounds, "raise_sizes": (1,) * rounds, "max_raises": (1,) * rounds}
    assert replace(LIMIT, **each, **changes).holdem_family == family


def test_units():
    assert unit_of(LEDUC) == ("mb/h", 0.002)
    assert unit_of(LIMIT) == ("mb/h", 0.01)
    assert unit_of(NOLIMIT) == ("mbb/h", 0.1)
    assert unit_of(replace(NOLIMIT, blinds=(0, 0))) == ("mbb/h", 0.001)
    assert replace(NOLIMIT, blinds=(50, 100)).small_bet == 100


def test_the_least_bet():
    plain = {field.name: getattr(NOLIMIT, field.name) for field in fields(NOLIMIT)}
    for name in ("bet_sizes", "ranking", "ante", "min_bet", "name"):
        del plain[name]
    assert Rules(**plain) == NOLIMIT
    assert Rules(**plain).least_bet == 100
    assert replace(NOLIMIT, blinds=(110, 60), ante=10).least_bet == 100
    assert replace(NOLIMIT, min_bet=7).least_bet == 7
    assert replace(NOLIMIT, blinds=(10, 10), ante=10).least_bet == 1


def test_what_text_leaves_out():
    """Stacks without bound, raises without number, and names that go without saying."""
    text = LIMIT.text()
    assert "stack" not in text
    assert "maxRaises = 3 4 4 4\n" in text
    assert "stack = 500 2147483647\n" in replace(LIMIT, stacks=(500, UNLIMITED_STACK)).text()
    assert "maxRaises" not in replace(LIMIT, max_raises=(UNLIMITED_RAISES,) * 4).text()
    assert "maxRaises = 255 1 255 255\n" in replace(LIMIT, max_raises=(255, 1, 255, 255)).text()
    assert "firstPlayer = 2 1 1 1\n" in text
    assert "raiseSize" not in NOLIMIT.text()
    assert text.startswith("GAMEDEF\nlimit\nnumPlayers = 2\nnumRounds = 4\n")
    assert text.endswith("numSuits = 4\nnumRanks = 13\nnumHoleCards = 2\nnumBoardCards = 0 3 1 1\nEND GAMEDEF\n")


def test_edges_of_reading():
    text = CATALOG["leduc"][1]
    assert (
        parse_rules(text.replace("numPlayers = 2", "numPlayers = 3").replace("blind = 1 1", "blind = 1 1 1")).players
        == 3
    )
    for old, new in (
        ("numRanks = 3", "numRanks = 0"),
        ("numSuits = 2", "numSuits = 0"),
        ("numPlayers = 2", "numPlayers = 0"),
    ):
        with pytest.raises(GameDefinitionError) as caught:
            parse_rules(text.replace(old, new))
        assert str(caught.value) == (
            "game definition, line 1: players and rounds must be 1 to 10, ranks and suits positive"
        )
    ten = text.replace("numRounds = 2", "numRounds = 10").replace("numBoardCards = 0 1\n", "")
    ten = ten.replace("firstPlayer = 1 1\n", "").replace("maxRaises = 2 2\n", "").replace("2 4", "2 4 " + "4 " * 8)
    assert parse_rules(ten).rounds == 10
    with pytest.raises(GameDefinitionError, match=r"^bad: "):
        parse_rules(text.replace("numSuits = 2", "numSuits = 27"), "bad")


def test_edges_of_changes():
    with pytest.raises(GameDefinitionError, match="chips at most"):
        rules_of("leduc:stack=9999999999")
    with pytest.raises(UnknownGame, match="'stack=99999999999' should be one of ranks, suits, raises, stack, '=', and"):
        rules_of("leduc:stack=99999999999")
    assert rules_of("leduc:raises=1").max_raises == (1, 1)
    assert rules_of("leduc:,raises=1,").max_raises == (1, 1)
    assert rules_of("leduc:suits=2").deck == LEDUC.deck
    assert rules_of("kuhn:suits=3,ranks=4").deck == Deck("TJQK", "dhs")
    with pytest.raises(UnknownGame, match=r"leduc:suits=27: a deck can have at most 26 suits, not 27"):
        rules_of("leduc:suits=27")
