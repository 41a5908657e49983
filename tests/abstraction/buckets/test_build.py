"""How a build is kept: found the second time, gone on with after an interruption. The dividing itself is made up."""

import numpy as np
import pytest

import naive_buckets as naive
from pokerlab.abstraction.buckets import build
from pokerlab.abstraction.buckets.build import build_buckets, cached_buckets, cached_path
from pokerlab.abstraction.buckets.divide import Divided
from pokerlab.abstraction.buckets.rivers import River
from pokerlab.abstraction.buckets.spec import parse_spec


class Workshop:
    """Stands for what takes long, and notes what is asked of it."""

    def __init__(self, recall):
        self.cards, self.done, self.stop = naive.made_up(recall), [], None

    def divide(self, builder, street):
        if street == self.stop:
            raise KeyboardInterrupt
        self.done.append(street)
        parents = self.cards.parents[street - 1] if street and self.cards.perfect_recall else None
        count = self.cards.counts[street]
        first = np.array([0, count]) if parents is None else np.searchsorted(parents, np.arange(parents[-1] + 2))
        return Divided(self.cards.lookup[1 + street], first, self.cards.deals[street])

    def river(self, how, ranks, turns=None):
        if self.stop == 3:
            raise KeyboardInterrupt
        self.done.append(3)
        first = np.append(self.cards.lookup.first, self.cards.counts[3])
        return River(self.cards.lookup.cuts, first, self.cards.deals[3], np.zeros(1981))


@pytest.fixture(params=[False])
def workshop(request, monkeypatch, tmp_path):
    made = Workshop(request.param)
    monkeypatch.setenv("POKERLAB_CACHE", str(tmp_path))
    monkeypatch.setattr(build._Builder, "_divide", lambda builder, street: made.divide(builder, street))
    monkeypatch.setattr(build, "river_cuts", made.river)
    monkeypatch.setattr(build, "hole_ranks", lambda: made.cards.lookup.ranks)
    return made


def same(mine, theirs):
    assert mine.counts == theirs.counts
    arrays = [(*each.lookup, *each.parents, *each.deals) for each in (mine, theirs)]
    assert all(np.array_equal(a, b) for a, b in zip(*arrays, strict=True))


def test_the_second_time_it_is_found(workshop, tmp_path):
    spec = workshop.cards.spec
    assert cached_buckets(spec) is None
    first = build_buckets(spec)
    order = [2, 1, 0, 3]
    assert workshop.done == order
    same(first, workshop.cards)
    assert [path.name for path in tmp_path.iterdir()] == [cached_path(spec).name]
    second = build_buckets(spec)
    same(second, first)
    assert second.stages == first.stages
    assert workshop.done == order  # nothing was built
    again = build_buckets(spec, fresh=True)
    same(again, first)
    assert workshop.done == order * 2
    assert {"preflop", "flop", "turn", "river"} == {*again.stages}


def test_other_seeds_and_recalls_are_other_abstractions(tmp_path, monkeypatch):
    monkeypatch.setenv("POKERLAB_CACHE", str(tmp_path))
    text = "169/fixed:3/fixed:3/fixed:3"
    specs = [
        parse_spec(text),
        parse_spec(text, seed=2),
        parse_spec(text, perfect_recall=False),
        parse_spec("range-of-skill"),
    ]
    assert len({cached_path(spec) for spec in specs}) == 4


@pytest.mark.parametrize("workshop", [True, False], indirect=True)
def test_an_interrupted_build_goes_on(workshop, tmp_path):
    spec = workshop.cards.spec
    order = [0, 1, 2, 3] if spec.perfect_recall else [2, 1, 0, 3]
    for at in range(1, 4):
        workshop.stop = order[at]
        with pytest.raises(KeyboardInterrupt):
            build_buckets(spec)
        assert workshop.done == order[:at]  # each street once, whatever happens
    workshop.stop = None
    same(build_buckets(spec), workshop.cards)
    assert workshop.done == order
    assert len([*tmp_path.iterdir()]) == 1  # nothing is left of the pieces


def test_fresh_forgets_an_interrupted_build(workshop):
    spec = workshop.cards.spec
    workshop.stop = 0
    with pytest.raises(KeyboardInterrupt):
        build_buckets(spec)
    workshop.stop, workshop.done = None, []
    build_buckets(spec, fresh=True)
    assert len(workshop.done) == 4


def test_damaged_files_are_made_again(workshop, tmp_path):
    spec = workshop.cards.spec
    workshop.stop = 3
    with pytest.raises(KeyboardInterrupt):
        build_buckets(spec)
    workshop.stop, workshop.done = None, []
    (turn,) = tmp_path.glob("*-turn.partial.npz")
    turn.write_bytes(turn.read_bytes()[:-50])
    same(build_buckets(spec), workshop.cards)
    assert workshop.done == [2, 3]
    cached_path(spec).write_bytes(b"nothing")
    workshop.done = []
    same(build_buckets(spec), workshop.cards)
    assert len(workshop.done) == 4


def test_groups_of_hands_that_share_an_index():
    random = np.random.default_rng(1)
    hands = build.Hands(
        random.integers(1, 25, 300).astype(np.uint8), np.zeros(50), np.zeros(50),
        random.integers(0, 50, 300).astype(np.int32), random.integers(0, 3, 300).astype(np.uint16), 4,
    )  # fmt: skip
    for parent, (rows, indices, inverse, weights) in enumerate(build._groups(hands)):
        mine = np.flatnonzero(hands.parents == parent)
        assert rows.tolist() == mine.tolist()
        assert indices[inverse].tolist() == hands.indices[mine].tolist()
        assert weights.tolist() == [hands.weights[mine][hands.indices[mine] == i].sum() for i in indices]


def test_stages_do_not_count_twice(monkeypatch):
    ticks = iter([0.0, 1.0, 4.0, 6.0])
    monkeypatch.setattr(build.time, "perf_counter", lambda: next(ticks))
    builder = object.__new__(build._Builder)
    builder.stages = {}
    builder._timed("outer", lambda: builder._timed("inner", lambda: None))
    assert builder.stages == {"inner": 3.0, "outer": 3.0}
