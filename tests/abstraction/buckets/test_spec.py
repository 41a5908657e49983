"""What a card abstraction is to be, as text."""

import pytest

from pokerlab.abstraction.buckets.spec import NAMED, parse_spec
from pokerlab.errors import AbstractionError


@pytest.mark.parametrize(
    ("text", "recall"),
    [
        ("percentile:5/percentile:5/percentile:5/percentile:5", True),
        ("lossless/potential:1000/potential:1000/kmeans:1000", False),
        ("lossless/lossless/distribution:9/nested:3x2", False),
        ("fixed:4/percentile:1+2+3+4/kmeans:total=40/kmeans:total=90", True),
        ("potential:8/nested:2x3/potential:total=100/fixed:7", True),
    ],
)
def test_text_there_and_back(text, recall):
    spec = parse_spec(text, perfect_recall=recall, seed=7)
    assert spec.text == text
    assert (spec.perfect_recall, spec.recall, spec.seed) == (recall, "perfect" if recall else "imperfect", 7)
    assert parse_spec(spec.text, perfect_recall=spec.perfect_recall, seed=7) == spec


def test_names_and_defaults():
    for name, (text, recall) in NAMED.items():
        assert parse_spec(name).perfect_recall is recall
        assert parse_spec(name) == parse_spec(text, perfect_recall=recall)
    assert not parse_spec("range-of-skill", perfect_recall=False).perfect_recall
    assert parse_spec("169 / fixed:2/ fixed:2/fixed:2").text == "lossless/fixed:2/fixed:2/fixed:2"
    assert parse_spec("169/fixed:2/fixed:2/fixed:2").perfect_recall


@pytest.mark.parametrize(
    ("text", "recall", "told"),
    [
        ("percentile:5", True, "four streets.*range-of-skill.*got 'percentile:5'"),
        ("a/b/c/d", True, "preflop: 'a' is no bucketing"),
        ("169/ehs:5/fixed:1/fixed:1", True, "flop: 'ehs:5' is no bucketing.*potential"),
        ("169/percentile/fixed:1/fixed:1", True, "flop: 'percentile' is no bucketing"),
        ("169/169/fixed:1/fixed:1", False, "flop: every hand by itself is too many"),
        ("169/fixed:3/lossless/fixed:1", False, "turn: every hand by itself is too many"),
        ("169/fixed:0/fixed:1/fixed:1", True, "flop: 'fixed:0': a number of buckets is from 1 to"),
        ("169/fixed:-1/fixed:1/fixed:1", True, "not '-1'"),
        ("169/fixed:x/fixed:1/fixed:1", True, "numbers are 5 or 3\\+4\\+5"),
        ("169/fixed:3x2/fixed:1/fixed:1", True, "KxJ for nested"),
        ("169/nested:3/fixed:1/fixed:1", True, "KxJ for nested"),
        ("169/nested:3x/fixed:1/fixed:1", True, "not ''"),
        ("169/fixed:total=9/fixed:1/fixed:1", True, "fixed has no error to share"),
        ("kmeans:total=9/fixed:1/fixed:1/fixed:1", True, "preflop: kmeans:total=9 shares children out"),
        ("169/kmeans:total=200/fixed:1/fixed:1", False, "it needs perfect recall"),
        ("fixed:2/fixed:1+2/fixed:1/fixed:1", False, "it needs perfect recall"),
        ("fixed:2/fixed:1+2+3/fixed:1/fixed:1", True, "flop: 3 numbers of children for 2 parents"),
        ("fixed:2/fixed:1+2/fixed:1+1/fixed:1", True, "turn: 2 numbers of children for 3 parents"),
        ("169/kmeans:total=100/fixed:1/fixed:1", True, "flop: kmeans:total=100 is less than one child for each of 169"),
        ("169/lossless/fixed:1/fixed:1", True, "flop: every hand by itself needs imperfect recall"),
        ("distribution:4/fixed:1/fixed:1/fixed:1", False, "preflop: distribution is for flop and turn"),
        ("169/fixed:1/fixed:1/potential:3", False, "river: nothing is to come"),
        ("169/fixed:1/fixed:1/distribution:3", True, "river: nothing is to come"),
        ("percentile:170/fixed:1/fixed:1/fixed:1", True, "preflop: percentile:170 makes 170 buckets; 169 are the most"),
        ("169/fixed:400/fixed:1/fixed:1", True, "flop: fixed:400 makes 67,600 buckets; 50,000"),
        ("169/fixed:100/fixed:1/fixed:100", True, "river: fixed:100 makes 1,690,000 buckets"),
        ("potential:3/lossless/fixed:1/fixed:1", False, "preflop: 1,286,792 buckets of the flop are too many to look"),
        ("169/potential:3/fixed:9000/fixed:1", False, "flop: 9,000 buckets of the turn are too many to look ahead to"),
    ],
)
def test_errors(text, recall, told):
    with pytest.raises(AbstractionError, match=told):
        parse_spec(text, perfect_recall=recall)


def test_numbers_after_a_total_cannot_be_known_before():
    for text in (
        "fixed:2/kmeans:total=5/fixed:1+2+3+1+1/fixed:2",
        "fixed:2/kmeans:total=5/fixed:2/fixed:" + "+".join("3" * 9),  # ten, or fewer
    ):
        assert parse_spec(text).text == text


def test_seeds():
    with pytest.raises(AbstractionError, match="seed"):
        parse_spec("range-of-skill", seed=-1)
