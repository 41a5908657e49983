"""The worked examples of the thesis, with its misprints corrected, and the local similarities."""

import numpy as np
import pytest

import naive_cases
from pokerlab.cases.features import Cells, Features
from pokerlab.cases.sequences import bet_distance, letter_odds, parse_sequence, shape
from pokerlab.cases.similarity import Similarity, commitment_table, texture_table
from pokerlab.errors import AgentError
from pokerlab.game.betting import start_betting
from pokerlab.game.catalog import rules_of

LIMIT, THREE, NO_LIMIT = map(rules_of, ("holdem-limit", "holdem-limit-3p", "holdem-nolimit"))


@pytest.mark.parametrize(
    ("a", "b", "value"),
    [
        ("crrc-crrc-cc-", "crrc-crrc-cc-", 1.0),
        ("crrc-crrrrc-cr", "rrc-rrrrc-cr", 0.9),
        ("rrc-cc-cc-rrr", "cc-rc-crc-rrr", 0.8),
        ("crrc-crrrc-cr", "rrc-rrrc-cr", 0.0),  # as the text prints it: two raises of one player against one
        ("crrc-crrrrc-cr", "rrc-rrrrc-r", 0.0),
        ("rrc-cc-cc-rrr", "crc-rc-crc-rrr", 0.0),
    ],
)
def test_betting_in_limit_steps_down_by_seat(a, b, value):
    assert Similarity().betting(LIMIT, a, b) == Similarity().betting(LIMIT, b, a) == value
    assert Similarity().levels[naive_cases.level(a, b, 2)] == value


@pytest.mark.parametrize(
    ("a", "b", "value"),
    [
        ("rcc-ccc-ccrf", "rcc-ccc-ccrf", 1.0),
        ("frrc-cc-", "fcrrc-cc-", 0.9),
        ("frc-rc-c", "frc-crc-c", 0.0),  # who raised on the flop is another
        ("crcc-rcc-c", "crcc-crcc-c", 0.0),
        ("ccrcrcc-ccc-", "ccrrcc-ccc-", 0.0),
        ("frrc-cc-", "frc-rc-", 0.0),
        ("frrc-cc-cc-", "frc-rc-cc-", 0.0),
        ("frrc-rc-cc-", "frc-rrc-cc-", 0.8),
        ("rfc-rc-c", "rcc-rfc-c", 0.0),  # others are in
    ],
)
def test_betting_for_three_counts_those_who_are_in(a, b, value):
    assert Similarity().betting(THREE, a, b) == value
    assert Similarity().levels[naive_cases.level(a, b, 3)] == value


def test_bets_of_one_shape_are_alike_by_their_sizes():
    how = Similarity()
    assert how.betting(NO_LIMIT, "ihpc", "dqpc") == pytest.approx(0.85)
    assert [bet_distance(*pair) for pair in (("h", "i"), ("q", "t"), ("i", "d"))] == [1, 6, 2]
    assert how.betting(NO_LIMIT, "ihpc", "dqpa") == 0.0
    assert how.betting(NO_LIMIT, "ihpc", "ihcc") == how.betting(NO_LIMIT, "ihcc", "ihpc") == 0.0
    assert shape("pdc-cqc-c") == "xxc-cxc-c"
    seven = "q" * 7, "t" * 7
    assert how.betting(NO_LIMIT, *seven) == 0.0
    assert how.changed(clamp=False).betting(NO_LIMIT, *seven) == pytest.approx(-1.1)
    assert how.changed(same_round=0.4).betting(NO_LIMIT, "pc-ph", "hpc-ip") == pytest.approx(0.4 * 0.85)


def test_strength_texture_and_commitment():
    table = Similarity(k=2.0).strength_table(50)
    assert table[0, 0] == 1.0
    assert table[10, 15] == pytest.approx(1 - 2 * 5 / 50)
    assert table[0, 49] == 0.0
    assert Similarity().strength_table(50)[0, 49] == pytest.approx(1 - 49 / 50)
    assert commitment_table(4)[0].round(4).tolist() == [1.0, 0.3679, 0.1353, 0.0498]
    assert texture_table(9).tolist() == naive_cases.TEXTURES
    assert texture_table(1).tolist() == [[1.0]]
    classes = Cells(LIMIT, Features(), 0).similarities(Similarity())[0]
    assert (np.diag(classes) == 1).all()
    assert (classes == classes.T).all()
    assert (Similarity(holes="identity").class_table(169) == np.eye(169)).all()


def bet(fraction):
    """Letters of a bet by the first player on a flop with 600 chips in the pot."""
    state = start_betting(NO_LIMIT).act(300).act(0)
    return [letter_odds(state, 300 + round(600 * fraction), rule) for rule in ("hard", "soft")]


def test_translation_by_ratio_hard_and_soft():
    hard, soft = bet(0.7)
    assert hard == {"i": 1.0}
    below, above = (0.5 / 0.7 - 0.5 / 0.75) / (1 - 0.5 / 0.75), (0.7 / 0.75 - 0.5 / 0.75) / (1 - 0.5 / 0.75)
    assert soft == pytest.approx({"h": below / (below + above), "i": above / (below + above)})
    assert bet(1.4)[0] == {"p": 1.0}  # the threshold is the geometric mean, 1.414 pots
    assert bet(1.45)[0] == {"d": 1.0}
    assert bet(0.2) == [{"q": 1.0}, {"q": 1.0}]
    assert bet(1.0) == [{"p": 1.0}, {"p": 1.0}]
    assert bet(19700 / 600) == [{"a": 1.0}, {"a": 1.0}]
    assert bet(30)[0] == {"a": 1.0}  # between ten pots and all-in, by ratio
    assert bet(12)[0] == {"t": 1.0}


def test_all_in_below_a_size_is_all_in():
    state = start_betting(NO_LIMIT).act(12000).act(0)
    assert letter_odds(state, 20000, "soft") == {"a": 1.0}
    assert set(letter_odds(state, 19000, "soft")) == {"q", "a"}


def test_parameters_are_checked_and_come_back():
    how = Similarity(k=1.5, weights=(1, 2, 0.5, 0), ties="weaker")
    assert Similarity.from_json(how.as_json()) == how
    assert how.changed(k=2.0).k == 2.0
    for wrong in ({"ties": "first"}, {"levels": (1, 0.8, 0.9, 0)}, {"neighbours": 0}, {"weights": (0, 0, 1, 1)}):
        with pytest.raises(AgentError, match="similarity"):
            Similarity(**wrong)
    with pytest.raises(AgentError, match="no parameter 'beta'"):
        how.changed(beta=1)
    with pytest.raises(AgentError, match="letters are fcr"):
        parse_sequence(LIMIT, "cqc-")
