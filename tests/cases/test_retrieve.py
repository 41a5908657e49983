"""Retrieval by groups is the scan over all cases, ties included; and what it is made ready from is exact."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_cases
from pokerlab.cases.base import CaseBase, empty_round
from pokerlab.cases.features import Features
from pokerlab.cases.retrieve import Index, indices_of
from pokerlab.cases.sequences import decisions, level_keys
from pokerlab.cases.similarity import Similarity
from pokerlab.errors import CaseBaseError
from pokerlab.game.catalog import rules_of
from random_cases import GAMES, base_of, played, random_hands

tenths = st.integers(0, 20).map(lambda number: number / 10)
SIMILARITIES = st.builds(
    Similarity,
    k=st.sampled_from([0.5, 1.0, 3.0, 10.0]),
    holes=st.sampled_from(["strength", "identity"]),
    levels=st.lists(tenths, min_size=4, max_size=4).map(lambda values: tuple(sorted(values, reverse=True))),
    alpha=st.sampled_from([0.0, 0.05, 0.3]),
    clamp=st.booleans(),
    same_round=st.sampled_from([0.0, 0.4, 1.0]),
    weights=st.tuples(st.sampled_from([0.5, 1.0]), tenths, tenths, tenths),
    ties=st.sampled_from(["pool", "weaker"]),
    neighbours=st.sampled_from([1, 1, 5, 40, 100_000]),
    fading=st.sampled_from([0.0, 2.0]),
)


@pytest.mark.parametrize("game", GAMES)
@settings(max_examples=10, deadline=None)
@given(how=SIMILARITIES, seed=st.integers(0, 1000))
def test_groups_find_what_the_scan_finds(game, how, seed):
    rules = rules_of(game)
    base = base_of(rules, played(game)[:40], Features(buckets=10), similarities=(how,) * rules.rounds)
    rng = np.random.default_rng(seed)
    asked = [made for hand in played(game)[:80] for made in decisions(rules, hand.actions)]
    for number, index in enumerate(indices_of(base)):
        there = sorted({made.sequence for made in asked if made.round == number})
        if index.empty or not there:
            continue
        targets = rng.integers(len(there), size=3)
        cells = rng.integers(base.cells[number].count, size=3)
        counts, outcomes, similar = index.retrieve_many(there, targets, cells)
        for i in range(3):
            expected = naive_cases.scan(base, number, there[targets[i]], int(cells[i]))
            assert counts[i] == pytest.approx(expected[0])
            assert outcomes[i] == pytest.approx(expected[1])
            assert similar[i] == pytest.approx(expected[2:])
            one = index.retrieve(there[targets[i]], int(cells[i]))
            assert one.counts.tolist() == counts[i].tolist()


def test_every_case_finds_itself():
    for game in GAMES:
        base = base_of(rules_of(game), played(game))
        for index in indices_of(base):
            cases = index.cases
            names = [name.decode() for name in cases.sequences.tolist()]
            counts, outcomes, similar = index.retrieve_many(names, cases.rows[:, 0], cases.rows[:, 1])
            assert (counts == cases.counts).all()
            assert (outcomes == cases.outcomes).all()
            assert similar == pytest.approx(1.0)


def test_levels_are_nested():
    """Equal sequences are equal on level 1, and these on level 2: what makes groups exact."""
    for game in ("holdem-limit", "holdem-limit-3p"):
        rules = rules_of(game)
        names = {made.sequence for hand in played(game) for made in decisions(rules, hand.actions)}
        inside = {}
        for name in names:
            _, one, two = level_keys(rules, name)
            assert inside.setdefault(one, two) == two


@pytest.mark.parametrize(
    ("round", "sequences", "level1", "level2"), [(0, 8, 8, 8), (1, 70, 60, 60), (2, 630, 420, 180)]
)
def test_numbers_of_sequences_and_levels(round, sequences, level1, level2):
    rules = rules_of("holdem-limit")
    from pokerlab.game.betting import start_betting

    names, stack = set(), [("", start_betting(rules))]
    while stack:
        text, state = stack.pop()
        if state.actor is None or state.round > round:
            continue
        if state.round == round:
            names.add(text)
        for action in state.legal().actions():
            after = state.act(action)
            stack.append((text + "fcr"[min(action, 1) + 1] + "-" * (after.round - state.round), after))
    keys = [level_keys(rules, name) for name in names]
    assert [len({key[level] for key in keys}) for level in range(3)] == [sequences, level1, level2]


def test_an_empty_round_is_refused():
    rules = rules_of("holdem-limit")
    base = CaseBase(rules, (empty_round(3),) * 4)
    index = Index(base.cells[0], base.rounds[0], base.similarities[0])
    assert index.empty
    with pytest.raises(CaseBaseError, match="no case of round 1"):
        index.retrieve("", 0)


def test_a_large_base_agrees_with_the_scan():
    rules = rules_of("holdem-limit")
    base = base_of(rules, random_hands(rules, 1500, seed=5))
    index = indices_of(base)[3]
    rng = np.random.default_rng(1)
    names = [name.decode() for name in index.cases.sequences.tolist()]
    for name, cell in zip(rng.choice(names, 5), rng.integers(450, size=5), strict=True):
        expected = naive_cases.scan(base, 3, str(name), int(cell))
        one = index.retrieve(str(name), int(cell))
        assert (one.counts.tolist(), one.similarity) == (expected[0], pytest.approx(expected[2]))
