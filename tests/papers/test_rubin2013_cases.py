"""Chapter 3 of the thesis, run quickly as a user would: tables beside its own, findings, and how they are made."""

import numpy as np
import pytest

from figures import ROOT
from paper_runs import reproduced
from pokerlab.agents.blueprint import BlueprintAgent
from pokerlab.cases.agent import CasesAgent
from pokerlab.cases.compiled import CompiledCases
from pokerlab.cases.features import Features
from pokerlab.game.hand import new_hand
from pokerlab.papers.rubin2013_cases import TABLE_3_2, TABLE_3_3, learnt, part_of, sizes_of, table_3_2
from pokerlab.papers.rubin2013_company import EXPERT, QUICK, company, loosened, tiny_expert, watched, write_logs
from pokerlab.papers.rubin2013_imitation import distances
from pokerlab.papers.verdicts import FAILS, HOLDS, OPEN, order
from pokerlab.records.logs import read_log


@pytest.fixture(scope="module")
def expert():
    return tiny_expert("holdem-limit:raises=1", 2000)


@pytest.mark.slow
def test_quick_report(tmp_path):
    report = reproduced("rubin2013-cases", tmp_path, "--quick")
    for name in ("figure-3-2", "imitation"):
        assert "<svg" in (tmp_path / f"rubin2013-cases-{name}.svg").read_text()
    figure, sizes, policies, limit, leduc = report["tables"]
    assert figure["columns"] == [f"{part:.0%}" for part in QUICK.parts]
    assert [row["paper"]["vector"] for row in sizes["rows"]] == [vector for _, vector in TABLE_3_2.values()]
    assert [row["paper"]["won"] for row in policies["rows"]] == [won for won, _ in TABLE_3_3.values()]
    verdicts = {told["finding"]: told["verdict"] for told in report["findings"]}
    assert set(verdicts.values()) <= {HOLDS, FAILS, OPEN}
    for step in ("from 100 to 1,000 hands", "from 1,000 to 6,000 hands"):
        assert verdicts[f"the distance falls {step}"] == HOLDS
        assert verdicts[f"in Leduc exploitability comes nearer to the expert's {step}"] == HOLDS
    losses = [row["ours"]["lost, probabilistic"] for row in limit["rows"]]
    assert losses == sorted(losses, reverse=True)
    assert {row["verdict"] for row in sizes["rows"]} == {"not reached"}
    exploited = [row["ours"]["probabilistic"] for row in leduc["rows"]]
    assert exploited == sorted(exploited, reverse=True)  # the expert's own is last


def test_order():
    assert [order(0.2, 0.1), order(-0.2, 0.1), order(0.1, 0.1), order(1e-9)] == [HOLDS, FAILS, OPEN, HOLDS]


def test_the_company(expert):
    opponents = company(expert)
    assert list(opponents) == ["itself", "loose", "call", "raise", "random"]
    view = new_hand(expert.rules).dealt((0, 5, 10, 15)).view(1)
    raised = view.legal.raises[0]
    answers = {name: BlueprintAgent(each).act(view) for name, each in opponents.items()}
    assert answers["call"] == {0: 1.0}
    assert answers["raise"] == {raised: 1.0}
    assert answers["random"] == pytest.approx({-1: 1 / 3, 0: 1 / 3, raised: 1 / 3})
    plain = answers["itself"]
    expected = {action: 0.8 * plain.get(action, 0.0) + 0.2 / 3 for action in (-1, 0, raised)}
    assert answers["loose"] == pytest.approx(expected, abs=0.01)
    capped = new_hand(expert.rules).dealt((0, 5, 10, 15)).act(raised).view(0)
    assert BlueprintAgent(opponents["raise"]).act(capped) == {0: 1.0}


def test_logs_are_the_hands_and_those_of_fewer_their_beginning(expert, tmp_path):
    opponents = {name: each for name, each in company(expert).items() if name in ("call", "loose")}
    many, few = (write_logs(tmp_path, expert, opponents, hands, seed=3) for hands in (40, 10))
    told = [record.hand for path in many for record in read_log(path)]
    assert told == list(watched(expert, opponents, 40, 3))
    for long, short in zip(many, few, strict=True):
        assert [record.line() for record in read_log(short)] == [record.line() for record in read_log(long)][:5]


def test_distances_are_those_of_the_agents(expert):
    """Decision by decision, by asking both agents."""
    hands = list(watched(expert, company(expert), 60, 4))
    (base,) = learnt(iter(hands[:30]), expert, Features(buckets=5))
    table = CompiledCases(CasesAgent(base))
    other = loosened(expert, 0.5)
    for blueprint, agent in ((table.blueprint, table), (other, BlueprintAgent(other))):
        expected, own = [], BlueprintAgent(expert)
        for hand in hands[30:]:
            now, board = new_hand(hand.rules, hand.names).dealt(sum(hand.holes, ())), iter(hand.board)
            for action in hand.actions:
                if hand.names[now.actor] == EXPERT:
                    view = now.view(now.actor)
                    mine, theirs = own.act(view), agent.act(view)
                    expected.append(sum(abs(mine.get(a, 0) - theirs.get(a, 0)) for a in {*mine, *theirs}) / 2)
                now = now.act(action)
                now = now.dealt(tuple(next(board) for _ in range(now.pending)))
        assert distances(expert, blueprint, hands[30:]) == pytest.approx(expected)


def test_parts_and_sizes_of_bases(expert):
    hands = list(watched(expert, company(expert), 300, 5))
    one, other = learnt(iter(hands), expert, Features(), Features("mean", 20))
    assert one.decisions == other.decisions
    assert one.cases > other.cases
    half = part_of(one, 0.5)
    for whole, part in zip(one.rounds, half.rounds, strict=True):
        assert len(part.rows) == round(0.5 * len(whole.rows))
        there = {tuple(row) for row in np.column_stack((whole.rows, whole.counts)).tolist()}
        assert {tuple(row) for row in np.column_stack((part.rows, part.counts)).tolist()} <= there
    table, findings = table_3_2({"it": sizes_of(one)})
    assert table.rows[-1].ours == {
        "single": one.decisions, "vector": one.cases, "decisions a case": one.decisions / one.cases
    }  # fmt: skip
    assert len(findings) == 4


def test_the_page_has_the_published_tables():
    page = (ROOT / "docs" / "rubin2013-cases.md").read_text()
    for label, (single, vector) in TABLE_3_2.items():
        assert f"| {label} | {single:,} | {vector:,} | {single / vector:.1f} |" in page
    for (first, second), (won, _) in TABLE_3_3.items():
        assert f"| {first} from {second} | {won:.3f} |" in page
