"""Scores on hands that were not learnt from, what is found by fitting, and what is shown; by hand on small bases."""

import json
import math

import numpy as np
import pytest
from click.testing import CliRunner

from pokerlab.agents.agent import Agent
from pokerlab.agents.simple import Call
from pokerlab.cases.base import load_cases
from pokerlab.cases.features import Features
from pokerlab.cases.fit import fit_round, train_and_fit
from pokerlab.cases.html import cases_page
from pokerlab.cases.retrieve import Index
from pokerlab.cases.score import brier, log_loss, predicted, prior_of, score_cases, top1
from pokerlab.cases.sequences import decisions, faces_bet
from pokerlab.cases.show import aggression, coverage, shown
from pokerlab.cases.similarity import Similarity
from pokerlab.cases.train import train_cases
from pokerlab.cli import main
from pokerlab.errors import CaseBaseError, LogError
from pokerlab.game.betting import CALL, FOLD, start_betting
from pokerlab.game.catalog import rules_of
from pokerlab.records.logs import write_log
from pokerlab.records.record import LoggedHand
from random_cases import GAMES, base_of, played, random_hands
from shared_data import shared_data


class ByRank(Agent):
    """Does something else with each rank; folds, calls or raises with its low cards at random."""

    name = "rank"

    def act(self, view):
        rank = max(view.hole) // 4 if view.rules.holdem else max(view.hole) // 2 * 6
        if rank > 9 and view.legal.raises:
            return {view.legal.raises[0]: 1.0}
        return {FOLD: 0.7, CALL: 0.3} if view.legal.fold and rank < 6 else {CALL: 1.0}


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    path = tmp_path_factory.mktemp("score") / "a.log"
    rules = rules_of("leduc")
    hands = random_hands(rules, 600, agents=[ByRank(), Call()])
    told = [
        LoggedHand(number, hand._replace(names=("Ann", f"opponent{number % 7}")), hand.payoffs())
        for number, hand in enumerate(hands)
    ]
    write_log(path, rules, told, score=False)
    return path


def test_figures_by_hand():
    odds, counts = np.array([[0.5, 0.5, 0.0], [0.1, 0.7, 0.2]]), np.array([[3, 1, 0], [0, 1, 1]])
    assert log_loss(odds, counts) == pytest.approx(-(4 * math.log(0.5) + math.log(0.7) + math.log(0.2)) / 6)
    second = (0.1**2 + 0.3**2 + 0.2**2) + (0.1**2 + 0.7**2 + 0.8**2)
    assert brier(odds, counts) == pytest.approx((4 * 0.5 + second) / 6)
    assert top1(odds, counts) == pytest.approx((3 + 1) / 6)


@pytest.mark.parametrize("game", GAMES)
def test_who_faces_a_bet_may_fold(game):
    rules = rules_of(game)
    for hand in played(game):
        state = start_betting(rules)
        for made, action in zip(decisions(rules, hand.actions), hand.actions, strict=True):
            assert faces_bet(rules, made.sequence) == state.legal().fold, made.sequence
            state = state.act(action)


def test_predictions_are_counts_and_a_little_of_the_prior():
    rules = rules_of("holdem-limit")
    base = base_of(rules, played("holdem-limit"), Features(buckets=10), similarities=(Similarity(prior=2.0),) * 4)
    cases = base.rounds[1]
    odds = predicted(Index(base.cells[1], cases, base.similarities[1]), cases, prior_of(cases))
    for row in range(0, len(odds), 7):
        prior = prior_of(cases)
        if not faces_bet(rules, cases.sequences[cases.rows[row, 0]].decode()):
            prior = np.array([0, *prior[1:]]) / prior[1:].sum()
        expected = (cases.counts[row] + 2 * prior) / (cases.counts[row].sum() + 2)
        assert odds[row] == pytest.approx(expected)


def test_only_hands_that_were_not_learnt_from_are_scored(log, tmp_path):
    trained = train_cases([log], "Ann", tmp_path / "a.cases")
    score = score_cases(trained.base, [log], "Ann")
    assert score.hands == trained.held_out == 600 - trained.hands > 0
    whole = train_cases([log], "Ann", tmp_path / "b.cases", hold_out=0).base
    with pytest.raises(CaseBaseError, match="was learnt from"):
        score_cases(whole, [log], "Ann")
    with pytest.raises(CaseBaseError, match="'Eve' has no hands"):
        score_cases(whole, [log], "Eve")
    for row in score.rounds:
        assert row.log_loss < row.prior_log_loss
        assert row.top1 >= max(row.prior_top1, row.always_call_top1)
        assert row.brier < row.prior_brier


@pytest.mark.parametrize("text", ["", "no log\n", "# a comment only\n"])
def test_a_file_without_hands(log, tmp_path, text):
    base = train_cases([log], "Ann", tmp_path / "a.cases").base
    (tmp_path / "other.log").write_text(text)
    with pytest.raises(LogError, match=r"other\.log has no hands"):
        score_cases(base, [tmp_path / "other.log"], "Ann")


def test_another_log_is_scored_whole(log, tmp_path):
    base = train_cases([log], "Ann", tmp_path / "a.cases").base
    other = tmp_path / "other.log"
    hands = random_hands(rules_of("leduc"), 30, seed=9)
    told = [LoggedHand(n, hand._replace(names=("Ann", "Bob")), hand.payoffs()) for n, hand in enumerate(hands)]
    write_log(other, "leduc", told)
    assert score_cases(base, [other], "Ann").hands == 30


def test_fitting_lowers_the_loss_in_other_matches(log, tmp_path):
    trained, fits = train_and_fit([log], "Ann", tmp_path / "a.cases")
    assert len(trained.folds) == 5
    back = load_cases(tmp_path / "a.cases")
    assert back.similarities == tuple(fit.similarity for fit in fits)
    assert [row["after"] for row in back.about["fit"]] == [fit.after for fit in fits]
    for fit in fits:
        assert fit.after <= fit.before
    assert any(fit.after < fit.before for fit in fits)


def test_fitting_pools_where_cases_are_few():
    """One who does the same with every hand is told best by pooling them."""
    rules = rules_of("holdem-limit")
    folds = [base_of(rules, random_hands(rules, 40, seed=seed), Features(buckets=10)).rounds[2] for seed in range(3)]
    from pokerlab.cases.base import merged

    base = base_of(rules, played("holdem-limit")[:1], Features(buckets=10))
    _, fit = fit_round((2, base.cells[2], merged(folds), folds, Similarity()))
    assert fit.similarity.neighbours > 1
    assert fit.after < fit.before


def test_coverage_by_hand():
    rules = rules_of("holdem-limit")
    hands = played("holdem-limit")
    base = base_of(rules, hands[:60])
    for number in range(4):
        assert coverage(rules, base.rounds[number], base.rounds[number])[0] == 1.0
    other = base_of(rules, hands[60:])
    for number in range(4):
        parts = coverage(rules, base.rounds[number], other.rounds[number])
        assert sum(parts) == pytest.approx(1.0)
        assert parts[0] < 1
        known = {*base.rounds[number].sequences.tolist()}
        cases = other.rounds[number]
        same = sum(
            int(count) for (name, _), count in zip(cases.rows, cases.counts.sum(axis=1), strict=True)
            if cases.sequences[name] in known
        )  # fmt: skip
        assert parts[0] + parts[1] == pytest.approx(same / cases.decisions)


@pytest.mark.parametrize("game", GAMES)
def test_what_is_shown_and_the_page(game):
    base = base_of(rules_of(game), played(game))
    told = shown(base)
    json.dumps(told)
    assert [row["cases"] for row in told["rounds"]] == [len(each.rows) for each in base.rounds]
    for row, cases in zip(aggression(base), base.rounds, strict=True):
        assert row["share"] == pytest.approx(cases.counts[:, 2:].sum() / cases.decisions)
    page = cases_page(base, told)
    assert page.startswith("<!DOCTYPE html>")
    assert ("AKs" in page) == rules_of(game).holdem
    assert page.count("<h3>") == rules_of(game).rounds + 2 * rules_of(game).holdem


def test_commands(log, tmp_path):
    def run(*words, code=0):
        result = CliRunner().invoke(main, [str(word) for word in words])
        assert result.exit_code == code, result.output
        return result.output

    out, page = tmp_path / "a.cases", tmp_path / "a.html"
    told = json.loads(run("cases", "train", log, "--expert", "Ann", "--out", out, "--processes", 1, "--json"))
    assert told["hands"] + told["held_out"] == 600
    scored = json.loads(run("cases", "score", out, log, "--expert", "Ann", "--processes", 1, "--json"))
    assert {"round", "decisions", "top1", "log_loss", "brier", "prior_log_loss"} <= {*scored["rounds"][0]}
    assert "held out" in run("cases", "train", log, "--expert", "Ann", "--out", out, "--processes", 1, "--fit")
    assert "log-loss" in run("cases", "score", out, log, "--expert", "Ann", "--processes", 1)
    covered = json.loads(run("cases", "show", out, log, "--html", page, "--json"))["coverage"]
    assert all(sum(row.values()) == pytest.approx(1.0) for row in covered)
    assert "commonest" in run("cases", "show", out)
    assert "Cases of Ann" in page.read_text()
    why = json.loads(run("ask", f"cases:{out}", "--hand", "Ks", "--betting", "", "--json"))["why"]
    assert why["experts"] == ["Ann"]
    assert "of what Ann did" in run("ask", out, "--hand", "Ks", "--betting", "c")
    assert "do not merge" not in run("cases", "merge", out, "--out", tmp_path / "b.cases")
    assert "plays leduc, not kuhn" in run("match", f"cases:{out}", "call", "--game", "kuhn", code=2)


@pytest.mark.slow
def test_deepstack_is_told_better_than_by_its_frequencies(tmp_path):
    log = shared_data("acpc", "deepstack_vs_pros", "hands.log")
    base = train_cases([log], "DeepStack", tmp_path / "a.cases", game="holdem-nolimit").base
    score = score_cases(base, [log], "DeepStack")
    assert score.hands == 7169
    assert [row.decisions for row in score.rounds] == [7474, 4906, 3050, 2053]
    for row in score.rounds:
        assert row.log_loss < min(row.prior_log_loss, row.always_call_log_loss)
        assert row.top1 > max(row.prior_top1, row.always_call_top1)
        assert row.brier < row.prior_brier
