"""Case bases merge in any order to the same bytes, come back from their files, and refuse what is not theirs."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from pokerlab.cases.base import CaseBase, less, load_cases, merge_bases, merged
from pokerlab.cases.features import Features
from pokerlab.cases.similarity import Similarity
from pokerlab.errors import CaseBaseError
from pokerlab.every_file import load
from pokerlab.game.catalog import rules_of
from random_cases import GAMES, base_of, played


def thirds(game, solutions="vector"):
    rules, hands = rules_of(game), played(game)
    return [
        replace(base_of(rules, hands[i::3], solutions=solutions), experts=(name,), sources=({"digest": name * 64},))
        for i, name in enumerate("abc")
    ]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("solutions", ["vector", "single"])
def test_the_order_of_merging_changes_no_byte(game, solutions, tmp_path):
    parts, files = thirds(game, solutions), []
    for number, order in enumerate(permutations(parts)):
        path = tmp_path / f"{number}.cases"
        merge_bases(order).save(path)
        files.append(path.read_bytes())
    nested = tmp_path / "nested.cases"
    merge_bases([parts[2], merge_bases(parts[:2])]).save(nested)
    assert {*files} == {nested.read_bytes()}
    whole = base_of(rules_of(game), played(game), solutions=solutions)
    for one, other in zip(load_cases(nested).rounds, whole.rounds, strict=True):
        assert all((a == b).all() for a, b in zip(one, other, strict=True))


def test_single_cases_are_decisions_and_say_the_same():
    game = rules_of("holdem-limit")
    vector, single = (base_of(game, played("holdem-limit"), solutions=kind) for kind in ("vector", "single"))
    assert single.cases == single.decisions == vector.decisions > vector.cases
    for one, many in zip(vector.rounds, single.rounds, strict=True):
        assert all((a == b).all() for a, b in zip(one, merged([many]), strict=True))


def test_a_part_taken_away_leaves_the_rest():
    a, b, _ = thirds("holdem-nolimit")
    for one, other in zip(a.rounds, b.rounds, strict=True):
        rest = less(merged((one, other)), other)
        names, expected = rest.sequences[rest.rows[:, 0]], one.sequences[one.rows[:, 0]]
        assert names.tolist() == expected.tolist()
        assert (rest.counts == one.counts).all()
        assert (rest.outcomes == one.outcomes).all()


def test_outcomes_are_exact_sums():
    """Pots shared by two or three are whole numbers of parts."""
    for game in GAMES:
        base = base_of(rules_of(game), played(game))
        won = sum(
            sum(chips for seat, chips in enumerate(hand.payoffs()) for _ in range(_choices(hand, seat)))
            for hand in played(game)
        )
        assert sum(int(each.outcomes.sum()) for each in base.rounds) == pytest.approx(base.parts * won)


def _choices(hand, seat):
    from pokerlab.cases.sequences import decisions

    return sum(made.seat == seat for made in decisions(hand.rules, hand.actions))


def test_a_file_comes_back(tmp_path):
    base = thirds("holdem-nolimit")[0]
    base = replace(base, similarities=(Similarity(k=3.0, neighbours=4),) * 4, about={"fit": {"loss": 1.5}})
    base.save(tmp_path / "a.cases")
    back = load(tmp_path / "a.cases")
    assert isinstance(back, CaseBase)
    for name in ("rules", "features", "similarities", "solutions", "experts", "about"):
        assert getattr(back, name) == getattr(base, name)
    assert back.path == str(tmp_path / "a.cases")
    for one, other in zip(back.rounds, base.rounds, strict=True):
        assert all((a == b).all() for a, b in zip(one, other, strict=True))


def test_what_is_no_case_base_is_refused(tmp_path):
    base = thirds("leduc")[0]
    path = tmp_path / "a.cases"
    base.save(path)
    whole = path.read_bytes()
    for size in (0, 1, 100, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        with pytest.raises(CaseBaseError, match="damaged or cut short"):
            load_cases(path)
    path.write_text("STATE:0:f:Ks|Qs:1|-1:a|b\n")
    with pytest.raises(CaseBaseError, match="is not a cases file"):
        load_cases(path)
    np.savez(path, header=np.frombuffer(b'{"format": "pokerlab buckets", "version": 1}', np.uint8))
    path.with_suffix(".cases.npz").rename(path)
    with pytest.raises(CaseBaseError, match="not a pokerlab cases file"):
        load_cases(path)
    with pytest.raises(CaseBaseError, match="no such file"):
        load_cases(tmp_path / "none.cases")


@pytest.mark.parametrize(
    ("what", "wrong"),
    [
        ("rows", lambda rows: rows + np.int32(10_000)),
        ("counts", lambda counts: -counts),
        ("outcomes", lambda outcomes: outcomes[:, :2]),
        ("sequences", lambda sequences: sequences[:1]),
    ],
)
def test_tables_that_a_look_up_would_miss_are_refused(tmp_path, what, wrong):
    base = thirds("holdem-limit")[0]
    first = base.rounds[0]
    broken = replace(base, rounds=(first._replace(**{what: wrong(getattr(first, what))}), *base.rounds[1:]))
    broken.save(tmp_path / "a.cases")
    with pytest.raises(CaseBaseError, match=r"is damaged: .*(round 1|outcomes0)"):
        load_cases(tmp_path / "a.cases")


def test_what_does_not_belong_together_does_not_merge():
    a, b, _ = thirds("holdem-limit")
    with pytest.raises(CaseBaseError, match="different game do not merge: holdem-limit and leduc"):
        merge_bases([a, thirds("leduc")[1]])
    with pytest.raises(CaseBaseError, match="different features"):
        merge_bases([a, replace(b, features=Features("mean"))])
    with pytest.raises(CaseBaseError, match="different similarities"):
        merge_bases([a, replace(b, similarities=(Similarity(k=2.0),) * 4)])
    with pytest.raises(CaseBaseError, match="the same records"):
        merge_bases([a, a])
