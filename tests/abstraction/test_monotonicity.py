"""Which side a refinement refines, and which pairs violate monotonicity."""

import pokerlab
from pokerlab.abstraction.monotonicity import refined_side, violations

LEDUC = pokerlab.rules_of("leduc")


def test_refined_side():
    assert refined_side("J.Q.K-JQ.K", "JQ.K-JQ.K", LEDUC) == "player"
    assert refined_side("JQ.K-J.Q.K", "JQ.K-JQ.K", LEDUC) == "opponent"
    assert refined_side("J.Q.K", "JQ.K", LEDUC) == "both"
    assert refined_side("JQ.K", "JQ.K", LEDUC) is None
    assert refined_side("J.QK-FULL", "JQ.K-FULL", LEDUC) is None


def test_violations_are_found_and_sorted():
    figures = {"JQ.K-JQ.K": 272.2, "JQ.K-J.Q.K": 274.1, "J.Q.K-J.Q.K": 359.9, "JQK-JQK": 755.8}
    found = violations(figures, LEDUC, margin=0.5)
    assert [(v.side, v.coarser, v.finer) for v in found] == [
        ("both", "JQ.K-JQ.K", "J.Q.K-J.Q.K"),
        ("player", "JQ.K-J.Q.K", "J.Q.K-J.Q.K"),
        ("opponent", "JQ.K-JQ.K", "JQ.K-J.Q.K"),
    ]
    assert violations({"JQK-FULL": 219.3, "JQ.K-FULL": 69.0, "FULL-FULL": 0.0}, LEDUC) == []
