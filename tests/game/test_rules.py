"""Game definitions: round trips, the competition's own files, changes, and errors for a person."""

import dataclasses
import sys

import pytest
from hypothesis import given

from pokerlab.errors import GameDefinitionError, PokerlabError, PokerlabWarning, UnknownGame
from pokerlab.game.bet_sizes import ALL_IN, Size
from pokerlab.game.betting import start_betting
from pokerlab.game.catalog import CATALOG, rules_of
from pokerlab.game.rules import UNLIMITED_RAISES, UNLIMITED_STACK, parse_rules
from randomly import any_rules
from shared_data import shared_data

LEDUC = CATALOG["leduc"][1]
NOLIMIT = CATALOG["holdem-nolimit"][1]


@pytest.mark.parametrize("name", CATALOG)
def test_catalogue_round_trip(name):
    rules = rules_of(name)
    assert rules.name == name
    assert parse_rules(rules.text()) == rules
    assert parse_rules(rules.text()).text() == rules.text()


@given(any_rules())
def test_random_round_trip(rules):
    assert parse_rules(rules.text()) == rules


COMPETITION = {
    "holdem.limit.2p.reverse_blinds": "holdem-limit",
    "holdem.limit.3p": "holdem-limit-3p",
    "holdem.nolimit.2p.reverse_blinds": "holdem-nolimit",
    "holdem.nolimit.3p": None,
    "kuhn.limit.3p": "kuhn-3p",
    "leduc.limit.2p": "leduc",
}


@pytest.mark.parametrize("file", COMPETITION)
def test_the_competitions_files_are_the_catalogues_games(file):
    path = shared_data("acpc", "games", f"{file}.game")
    rules = rules_of(str(path))
    assert parse_rules(rules.text()) == rules
    assert sorted(rules.text().split("\n")) == sorted([*path.read_text().rstrip("\n").split("\n"), ""])
    if COMPETITION[file] is not None:
        ours = rules_of(COMPETITION[file])
        # The papers' Leduc has the names J, Q, K where the competition's deck has Q, K, A.
        assert dataclasses.replace(ours, deck=rules.deck) == rules
        assert (ours.deck == rules.deck) == (file != "leduc.limit.2p")


def test_what_a_definition_says():
    rules = parse_rules(NOLIMIT, "doyle")
    assert (rules.limit, rules.players, rules.rounds, rules.small_bet) == (False, 2, 4, 100)
    assert rules.blinds == (100, 50)
    assert rules.first == (1, 0, 0, 0)
    assert rules.stacks == (20000, 20000)
    assert rules.max_raises == (UNLIMITED_RAISES,) * 4
    assert rules.raise_sizes == ()
    assert (rules.hole_cards, rules.board_cards, len(rules.deck)) == (2, (0, 3, 1, 1), 52)
    assert rules.suits_matter
    assert rules.name == "doyle"


def test_defaults_comments_case_and_extra_numbers():
    rules = parse_rules(
        "# a comment\ngamedef\nLimit\nnumplayers = 2\nNUMROUNDS = 1\n\nraiseSize = 1 9 9\nnumSuits=1\n"
        "numRanks = 4\nnumHoleCards = 1\nend gamedef\nrubbish after the end\n"
    )
    assert (rules.blinds, rules.first, rules.raise_sizes) == ((0, 0), (0,), (1,))
    assert (rules.stacks, rules.board_cards) == ((UNLIMITED_STACK,) * 2, (0,))
    assert rules.deck.ranks == "JQKA"


def test_our_own_keys():
    assert rules_of("leduc-nl").bet_sizes[-2:] == (Size(500), ALL_IN)
    assert "betSizes = 25 50 75 100 125 150 175 200 300 400 500 allin\n" in rules_of("leduc-nl").text()
    assert rules_of("rhode-island").ranking == "three-card"
    assert "ranks = JQK\n" in rules_of("kuhn").text()
    for name in ("holdem-limit", "kuhn-3p"):
        assert not any(key in rules_of(name).text() for key in ("ranks", "betSizes", "handRanking"))


@pytest.mark.parametrize(
    ("name", "matter"), [("kuhn", False), ("leduc", False), ("rhode-island", True), ("holdem-limit", True)]
)
def test_suits_matter_where_a_flush_can_occur(name, matter):
    assert rules_of(name).suits_matter == matter


UNREADABLE = (
    "a bet size is 50 or 50% (of the pot), 120c (chips), 2.5x (of the bet faced), 3e (the stack in three bets) "
    "or all-in, not 'x'"
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (LEDUC.replace("limit\n", "", 1), "bad, line 1: a line 'limit' or 'nolimit' is missing"),
        (LEDUC.replace("numRounds = 2\n", ""), "bad, line 1: numRounds is missing"),
        (LEDUC.replace("raiseSize = 2 4\n", ""), "bad, line 1: raisesize is missing"),
        (LEDUC.replace("blind = 1 1", "= 1 1"), "bad, line 5: cannot read '= 1 1'"),
        (LEDUC.replace("blind = 1 1", "blind"), "bad, line 5: cannot read 'blind'"),
        (LEDUC.replace("blind = 1 1", "blind = 1 one"), "bad, line 5: whole numbers expected, got '1 one'"),
        (LEDUC.replace("blind = 1 1", "blind = 1 0.5"), "bad, line 5: whole numbers expected, got '1 0.5'"),
        (LEDUC.replace("blind = 1 1", "blind = 1"), "bad, line 5: 2 numbers expected, got 1"),
        (LEDUC.replace("numRanks = 3", "numRanks ="), "bad, line 10: 1 numbers expected, got 0"),
        (LEDUC.replace("ranks = JQK", "ranks = JQKA"), "bad, line 13: 3 rank names expected, got 'JQKA'"),
        (LEDUC.replace("END", "betSizes = x\nEND"), "bad, line 14: " + UNREADABLE),
        ("", "bad, line 1: a line 'limit' or 'nolimit' is missing"),
    ],
)
def test_malformed_definitions_name_the_line(text, message):
    with pytest.raises(GameDefinitionError) as caught:
        parse_rules(text, "bad")
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("numPlayers = 2", "numPlayers = 1", "2 to 10 players"),
        ("numPlayers = 2", "numPlayers = 11", "players and rounds must be 1 to 10"),
        ("numPlayers = 2", "numPlayers = 2000000000", "players and rounds must be 1 to 10"),
        ("numRounds = 2", "numRounds = 2000000000", "rounds must be 1 to 10"),
        ("numRounds = 2", "numRounds = 0", "rounds must be 1 to 10"),
        ("numHoleCards = 1", "numHoleCards = 0", "at least one hole card"),
        ("numHoleCards = 1", "numHoleCards = 3", "7 cards are dealt from a deck of 6"),
        ("numBoardCards = 0 1", "numBoardCards = 0 -1", "cannot be negative"),
        ("blind = 1 1", "blind = 1 -1", "blinds must be at least 0"),
        ("blind = 1 1", "blind = 1 1\nstack = 5 1", "below the stacks"),
        ("firstPlayer = 1 1", "firstPlayer = 1 3", "first players must be 1 to 2"),
        ("raiseSize = 2 4", "raiseSize = 2 0", "raise sizes must be positive"),
        ("maxRaises = 2 2", "maxRaises = 2 256", "maxRaises must be 0 to 255"),
        ("maxRaises = 2 2", "betSizes = 100", "betSizes are for no-limit"),
        ("ranks = JQK", "ranks = JJK", "rank names repeat"),
        ("ranks = JQK", "handRanking = low", "must be one of poker, three-card, not 'low'"),
        ("ranks = JQK", "handRanking = three-card", "need three cards"),
        ("numSuits = 2", "numSuits = 27", "at most 26 suits"),
        ("numSuits = 2", "numSuits = -2", "suits positive"),
    ],
)
def test_unplayable_rules_are_refused_with_the_reason(old, new, message):
    assert old in LEDUC
    with pytest.raises(GameDefinitionError, match=message):
        parse_rules(LEDUC.replace(old, new, 1))


def test_bet_sizes_must_be_positive():
    for bad in ("0", "-50", "nan"):
        with pytest.raises(GameDefinitionError, match="bet sizes must be positive"):
            parse_rules(NOLIMIT.replace("END", f"betSizes = {bad}\nEND"))


def test_changes_of_a_catalogue_game():
    big = rules_of("leduc:ranks=13,suits=4")
    assert (len(big.deck), big.deck.ranks, big.name) == (52, "23456789TJQKA", "leduc:ranks=13,suits=4")
    assert dataclasses.replace(big, deck=rules_of("leduc").deck) == rules_of("leduc")
    assert rules_of("leduc:ranks=4").deck.ranks == "TJQK"
    assert rules_of("kuhn:ranks=13").deck.ranks == "23456789TJQKA"
    assert len(set(rules_of("kuhn:ranks=40").deck.ranks)) == 40
    assert rules_of("leduc:suits=5").deck.suits == "abcde"
    assert rules_of("holdem-limit:raises=2").max_raises == (2, 2, 2, 2)
    assert rules_of("holdem-nolimit:stack=500").stacks == (500, 500)
    assert parse_rules(big.text()) == big


def test_games_of_ones_own(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    rows = {"WAR": ("a war", LEDUC), "WRONG": ("a war", 3), "LIST": ["a war", LEDUC], "ONE": ("a war",)}
    (tmp_path / "games_of_mine.py").write_text("".join(f"{name} = {row!r}\n" for name, row in rows.items()))
    assert rules_of("games_of_mine:WAR") == parse_rules(LEDUC)
    assert rules_of("games_of_mine:WAR").name == "games_of_mine:WAR"
    assert rules_of("games_of_mine:WAR:ranks=4,raises=1").deck.ranks == "TJQK"
    for name in ("WRONG", "LIST", "ONE"):
        with pytest.raises(UnknownGame, match="is no pair of texts: what the game is, and its definition"):
            rules_of(f"games_of_mine:{name}")
    monkeypatch.delitem(sys.modules, "games_of_mine")
    with pytest.raises(UnknownGame, match="no game or game-definition file 'games_of_mine:WAR'; see"):
        rules_of("games_of_mine:WAR", own=False)
    assert "games_of_mine" not in sys.modules


def test_rules_are_taken_as_they_are():
    rules = rules_of("kuhn")
    assert rules_of(rules) is rules


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("leduk", "no game or game-definition file 'leduk'; did you mean 'leduc'?"),
        ("holdem-limi", "no game or game-definition file 'holdem-limi'; did you mean 'holdem-limit'?"),
        ("chess", "no game or game-definition file 'chess'; see `pokerlab games`"),
        ("", "no game or game-definition file ''; see `pokerlab games`"),
        ("leduc:rank=3", "leduc:rank=3: cannot change 'rank'; only ranks, suits, raises, stack"),
        ("leduc:ranks", "leduc:ranks: 'ranks' should be one of ranks, suits, raises, stack, '=', and"),
        ("leduc:ranks=0", "'ranks=0' should be"),
        ("leduc:ranks=-3", "'ranks=-3' should be"),
        ("leduc:ranks=³", "'ranks=³' should be"),
        ("leduc:ranks=63", "a deck can have at most 62 ranks, not 63"),
        ("leduc:suits=27", "a deck can have at most 26 suits, not 27"),
    ],
)
def test_unknown_games(name, message):
    with pytest.raises(UnknownGame) as caught:
        rules_of(name)
    assert message in str(caught.value)
    assert str(caught.value).count("did you mean") <= 1


@pytest.mark.parametrize(
    "name",
    ["leduc:ranks=1,suits=1", "leduc:raises=256", "leduc-nl:stack=1", "holdem-limit:suits=5", "leduc\0",
     "x" * 5000, "leduc:stack=" + "9" * 5000],
)  # fmt: skip
def test_impossible_changes_and_names_are_errors_for_a_person(name):
    with pytest.raises(PokerlabError):
        rules_of(name)


def test_definition_files(tmp_path):
    path = tmp_path / "mine.game"
    path.write_text(LEDUC)
    assert rules_of(str(path)) == rules_of("leduc")
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(GameDefinitionError, match="cannot read"):
        rules_of(str(path))
    with pytest.raises(GameDefinitionError, match="it is a folder"):
        rules_of(str(tmp_path))


def test_definitions_as_loose_as_the_official_dealer_reads_them():
    loose = LEDUC.replace(" = ", " ").replace("numSuits 2", "NUMSUITS=2").replace("END GAMEDEF\n", "")
    assert parse_rules(loose) == parse_rules(LEDUC)


def test_a_key_that_is_not_known_is_left_out_and_said():
    with pytest.warns(PokerlabWarning, match="odd, line 6: 'blnd' is not known and is left out") as warned:
        assert parse_rules(LEDUC.replace("blind = 1 1", "blind = 1 1\nblnd = 7 7"), "odd") == parse_rules(LEDUC)
    assert len(warned) == 1
    assert warned[0].filename == __file__  # the line that asked for it


def test_no_limit_without_stacks_has_no_bound_but_the_official_one():
    rules = parse_rules(rules_of("holdem-nolimit").text().replace("stack = 20000 20000\n", ""))
    assert start_betting(rules).legal().raises == range(200, 2**31)
