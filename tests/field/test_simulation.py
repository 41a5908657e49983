"""Players by simulation: betting in compiled loops beside the table's, weight tables by twins, rivers exactly."""

import dataclasses

import numpy as np
import pytest

from pokerlab.agents.asking import spot_view
from pokerlab.agents.spec import agent_of
from pokerlab.cards.deck import Deck
from pokerlab.cards.evaluator import board_values, tables
from pokerlab.cards.holes import HOLES, hole_number, possible
from pokerlab.cards.strength import expected_strength, hand_strength
from pokerlab.errors import AgentError
from pokerlab.field import habits
from pokerlab.field.betting_kernels import SPENT, left_alone, net, raise_to, state_of, step, terms_of
from pokerlab.field.habits import EDGE, NOISE, PRIOR, Habits, fill_ranks, ordering, predicted, reweigh, weight_table
from pokerlab.field.mcts_kernels import preferred
from pokerlab.field.player import CALLS, FOLDS, RAISES, deeds
from pokerlab.field.rollout_kernels import roll_out
from pokerlab.field.simulation import WINDOW, Values
from pokerlab.game.bet_sizes import Size
from pokerlab.game.betting import CALL, FOLD, start_betting
from pokerlab.game.catalog import rules_of
from pokerlab.game.hand import parse_hand, split_pot
from pokerlab.match.play import play_match

DECK = Deck()
LIMIT, NO_LIMIT = rules_of("holdem-limit"), rules_of("holdem-nolimit")
UNEVEN = dataclasses.replace(rules_of("holdem-limit-3p"), stacks=(55, 130, 400), name="uneven")
UNEVEN_NL = dataclasses.replace(
    NO_LIMIT, blinds=(50, 100, 0), stacks=(700, 2500, 1200), first=(2, 0, 0, 0), name="uneven no-limit"
)

NOISES = np.full(2, NOISE)


def model(fold, call, bet):
    """Someone who does the same wherever it is; without a bet to fold to it checks."""
    rows = np.empty((4, 2, 3))
    rows[:, 1] = fold, call, bet
    rows[:, 0] = 0, call + fold, bet
    return rows


class TestBetting:
    @pytest.mark.parametrize("rules", [LIMIT, rules_of("holdem-limit-3p"), UNEVEN, NO_LIMIT, UNEVEN_NL], ids=str)
    @pytest.mark.parametrize("size", [50.0, 133.0])
    def test_as_at_the_table(self, rules, size):
        """Random play: every state, every raise, and in the end what each seat wins."""
        rng, terms = np.random.default_rng(4), terms_of(rules, size)
        ends = set()
        for _ in range(150):
            betting, state = start_betting(rules), state_of(start_betting(rules))
            while betting.actor is not None:
                legal = betting.legal()
                bets = legal.raises if rules.limit else betting.raises_to([Size(size)], lifted=True)
                assert raise_to(terms, state) == (bets[0] if bets else 0)
                kind = int(rng.choice(3, p=(0.1, 0.5, 0.4)))
                action = (FOLD, CALL, bets[0] if bets else CALL)[kind]
                betting = betting.act(action if action in legal else CALL)
                step(terms, state, kind)
                assert state.tolist() == state_of(betting).tolist()
            values = rng.integers(1, 4, rules.players)
            survivors = betting.survivors
            paid = split_pot(betting.spent, {seat: int(values[seat]) for seat in survivors})
            assert [net(state, rules.players, values, seat) for seat in range(rules.players)] == pytest.approx(paid)
            assert left_alone(state, rules.players) == (survivors[0] if len(survivors) == 1 else -1)
            ends.add(len(survivors))
        assert ends == set(range(1, rules.players + 1))

    def test_the_roll_out_of_figure_2_2(self):
        """Trial 2: a check is folded later and loses nothing more, a bet loses 10 and 20. Trial 3: aces win."""
        rules = dataclasses.replace(LIMIT, raise_sizes=(10, 10, 20, 20))
        start = state_of(parse_hand(rules, "cc/", "AdKs|/2dTh5c").betting)
        terms = terms_of(rules, 100.0)

        def worth(kinds, values):
            state = start.copy()
            for kind in kinds:
                step(terms, state, kind)
            assert state[1] == -1
            return net(state, 2, np.array(values), 0) + start[SPENT]

        assert worth([CALLS, RAISES, FOLDS], (1, 2)) == 0
        assert worth([RAISES, CALLS, RAISES, RAISES, FOLDS], (1, 2)) == -30
        board = DECK.cards("2dTh5cAs4d")
        values = [int(board_values(board)[hole_number(DECK.cards(hand))]) for hand in ("AdKs", "8c8h")]
        assert worth([CALLS] * 6, values) > 0
        assert worth([RAISES, CALLS, RAISES, CALLS, RAISES, CALLS], values) > worth([CALLS] * 6, values)


class TestHabits:
    def test_strengths(self):
        """Exact on the turn and the river; over sampled run-outs, near, on the flop."""
        for text, near in (("Qs7h2d", 0.12), ("Qs7h2d3c", 1e-9), ("Qs7h2d3c3d", 1e-9)):
            board = DECK.cards(text)
            order, values = ordering(board)
            assert len(order) == possible(board).sum()
            assert (np.diff(values[order]) >= 0).all()
            for hand in ("AsAh", "QdTc", "6s5s", "4c2c"):
                exact = expected_strength(DECK.cards(hand), board)
                assert values[hole_number(DECK.cards(hand))] == pytest.approx(exact, abs=near)
        river = DECK.cards("Qs7h2d3c3d")
        assert ordering(river)[1][hole_number(DECK.cards("QdTc"))] == hand_strength(DECK.cards("QdTc"), river)

    def test_ranks_by_a_twin(self):
        rng = np.random.default_rng(1)
        for _ in range(20):
            values, weights = rng.integers(0, 6, 12).astype(float), rng.random(12) * (rng.random(12) > 0.3)
            order = np.argsort(values)[2:]
            ranks, weights[order[0]] = np.full(12, -1.0), 1.0
            fill_ranks(order, values, weights, ranks)
            for hand in order:
                under = sum(weights[o] for o in order if values[o] < values[hand])
                tied = sum(weights[o] for o in order if values[o] == values[hand])
                assert ranks[hand] == pytest.approx((under + tied / 2) / weights[order].sum())
            assert (ranks[np.setdiff1d(np.arange(12), order)] == -1).all()

    def test_predictions(self):
        """Worst hands fold, best ones raise; over all hands about as often as it was seen to."""
        ranks = np.linspace(0, 1, 2001)
        for row in ((0.3, 0.4, 0.3), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.6, 0.0, 0.4)):
            triples = np.array([predicted(rank, np.array(row), True, NOISE) for rank in ranks])
            assert np.allclose(triples.sum(axis=1), 1)
            assert triples.min() >= -1e-12
            assert triples.mean(axis=0) == pytest.approx(row, abs=EDGE / 2)
            assert (np.diff(triples[:, FOLDS]) <= 1e-12).all()
            assert (np.diff(triples[:, RAISES]) >= -1e-12).all()
        assert predicted(0.0, np.array([0.3, 0.4, 0.3]), False, NOISE)[FOLDS] == 0
        assert predicted(1.0, np.array([0.3, 0.4, 0.3]), True, NOISE)[FOLDS] == pytest.approx(NOISE * 0.3)

    def test_reweighing_by_a_twin(self):
        board, row = DECK.cards("Qs7h2d3c3d"), np.array([0.3, 0.5, 0.2])
        order, values = ordering(board)
        for kind in (FOLDS, CALLS, RAISES):
            weights = np.random.default_rng(3).random(1326) * possible(board)
            before, total = weights.copy(), weights.sum()
            reweigh(order, values, weights, row, kind, True)
            likely = np.zeros(1326)
            for hand in np.flatnonzero(before)[::37]:
                rank = (before[values < values[hand]].sum() + before[values == values[hand]].sum() / 2) / total
                likely[hand] = before[hand] * predicted(rank, row, True, NOISE)[kind]
            some = np.flatnonzero(likely)
            assert (weights[some] / weights[some[0]]) == pytest.approx(likely[some] / likely[some[0]])
            assert weights.max() == 1

    def test_a_table_after_raises(self):
        """Who raises before the flop and on it has kings sooner than nothing; no card is in two places."""
        view = spot_view(LIMIT, "AsQd", "Kc7h2d", "rc/r")
        weights = weight_table(view, 1, PRIOR)
        assert not weights[~possible((*view.hole, *view.board))].any()
        kings, nothing = (weights[hole_number(DECK.cards(hand))] for hand in ("KhKd", "5c4h"))
        assert kings > 5 * nothing > 0
        assert weight_table(view, 1, model(0, 0, 1)) == pytest.approx(possible((*view.hole, *view.board)).astype(float))

    def test_what_is_counted(self):
        view = parse_hand(LIMIT, "rc/crf", "AsAh|KsKh/Qd7c2s").view(0)
        told = [(deed.seat, deed.kind, deed.before.round, deed.faced) for deed in deeds(view)]
        assert told == [
            (1, RAISES, 0, True), (0, CALLS, 0, True), (0, CALLS, 1, False), (1, RAISES, 1, False), (0, FOLDS, 1, True),
        ]  # fmt: skip
        other = Habits()
        for deed in deeds(view):
            other.add(deed)
        assert (other.counts - habits.SEEN * PRIOR).sum() == 5
        assert np.allclose(other.frequencies.sum(axis=2), 1)


class TestRollOuts:
    def test_a_river_is_exact(self, monkeypatch):
        """Against someone who calls everything, and against someone who folds everything."""
        view = spot_view(LIMIT, "QsTd", "Qc7h2d3s4s", "cc/cc/cc/")
        mine, values = hole_number(view.hole), board_values(view.board)
        weights = np.stack([np.ones(1326), possible((*view.hole, *view.board)) * np.arange(1.0, 1327.0)])
        won = np.where(values < values[mine], 1.0, np.where(values == values[mine], 0.5, 0.0))
        equity = (weights[1] * won).sum() / weights[1].sum()
        ranks = np.full((2, 1326), 0.5)
        for theirs, call, bet in (
            (model(0, 1, 0), 20 * equity, 20 * equity + 40 * (equity - 0.5)),
            (model(1, 0, 0), 20 * equity, 20.0),
        ):
            sums, squares = np.zeros(3), np.zeros(3)
            rng = np.random.SeedSequence(5).generate_state(4, np.uint64)
            models = np.stack([model(0, 1, 0), theirs])
            ready = terms_of(LIMIT, 100.0), state_of(view.betting)
            done = roll_out(
                tables(), HOLES, *ready, mine, np.array(view.board, np.uint8), models, NOISES, weights, ranks, 200, 20,
                rng, sums, squares,
            )  # fmt: skip
            assert done == 4000
            spread = np.sqrt(np.maximum(squares / done - (sums / done) ** 2, 0) / done)
            for kind, exact in ((CALLS, call), (RAISES, bet)):
                assert abs(sums[kind] / done - exact) <= 4 * spread[kind] + 1e-9

    def test_a_turn_that_is_checked_down(self):
        """The river comes at random, and blockers count: the equity against a range."""
        view = spot_view(LIMIT, "QsTd", "Jc9h2d3s", "cc/cc/")
        mine = hole_number(view.hole)
        weights = np.stack([np.ones(1326), possible((*view.hole, *view.board)).astype(float)])
        sums, squares = np.zeros(3), np.zeros(3)
        rng = np.random.SeedSequence(6).generate_state(4, np.uint64)
        done = roll_out(
            tables(), HOLES, terms_of(LIMIT, 100.0), state_of(view.betting), mine, np.array(view.board, np.uint8),
            np.stack([model(0, 1, 0)] * 2), NOISES, weights, np.full((2, 1326), 0.5), 1000, 4, rng, sums, squares,
        )  # fmt: skip
        assert sums[CALLS] / done == pytest.approx(20 * expected_strength("QsTd", "Jc9h2d3s"), abs=1.0)

    def test_values_say_how_sure_they_are(self):
        view = spot_view(LIMIT, "AsKd", "", "")
        few, many = (agent_of(f"loki?trials={count}", LIMIT).values(view) for count in (200, 5000))
        assert many.errors[CALLS] < few.errors[CALLS] / 3
        assert many.means[CALLS] > 3 * many.errors[CALLS]
        assert few.means[FOLDS] == 0
        capped = agent_of("loki", LIMIT).values(spot_view(LIMIT, "AsKd", "", "crrr"))
        assert capped.means[RAISES] == -np.inf


def test_poki_folds_itself_into_a_corner():
    """It expects of itself the folds that it has made: with one who always raises it folds nearly all, Loki less."""
    folded = {}
    for name in ("loki", "poki"):
        folds = []
        agents = [agent_of(name, LIMIT), agent_of("raise", LIMIT)]
        play_match(
            LIMIT, agents, 200, seed=1, progress=False,
            watch=lambda number, seating, hand, seats, folds=folds: folds.append(hand.betting.folded[seats.index(0)]),
        )  # fmt: skip
        folded[name] = sum(folds[100:])
    assert folded["poki"] >= 90
    assert folded["loki"] <= 80


class TestAki:
    view = staticmethod(lambda: spot_view(LIMIT, "9s2d", "", ""))

    def agent(self, monkeypatch, means, lenience=0.5):
        aki = agent_of(f"aki?lenience={lenience}", LIMIT)
        monkeypatch.setattr(aki, "values", lambda view: Values(np.array(means), np.zeros(3)))
        return aki

    def observed(self, aki, won):
        """A hand in which the other folds to its raise, or it folds to the other's."""
        aki.observe(parse_hand(LIMIT, "rrf" if won else "rf", "AsAh|").view(0))

    def test_it_stays_with_the_weak(self, monkeypatch):
        aki = self.agent(monkeypatch, (0.0, -4.0, -20.0))
        assert aki.act(self.view()) == {FOLD: 1.0}
        self.observed(aki, won=True)
        assert aki.act(self.view()) == {CALL: 1.0}
        for _ in range(3):
            self.observed(aki, won=False)
        assert aki.act(self.view()) == {FOLD: 1.0}
        assert list(aki.taken[""]) == [20.0, -10.0, -10.0, -10.0]

    def test_not_at_any_price_and_not_later(self, monkeypatch):
        aki = self.agent(monkeypatch, (0.0, -6.0, -20.0))
        self.observed(aki, won=True)
        assert aki.act(self.view()) == {FOLD: 1.0}
        aki = self.agent(monkeypatch, (0.0, -4.0, -20.0))
        self.observed(aki, won=True)
        assert aki.act(spot_view(LIMIT, "9s2d", "AcKcQc", "cc/cr")) == {FOLD: 1.0}

    def test_it_forgets_what_is_long_ago(self, monkeypatch):
        aki = self.agent(monkeypatch, (0.0, -4.0, -20.0))
        self.observed(aki, won=True)
        for _ in range(WINDOW):
            aki.observe(parse_hand(LIMIT, "cc/cc/cc/cc", "AsAh|AdAc/KsQd7c/2h/3d").view(0))
        assert aki.act(self.view()) == {FOLD: 1.0}

    def test_what_is_no_lenience(self):
        with pytest.raises(AgentError, match="lenience"):
            agent_of("aki?lenience=-1")


class TestTreeSearch:
    def test_weighed_by_the_chance_to_be_best(self):
        rng = np.random.default_rng(0)
        for m1, s1, m2, s2 in ((1.0, 2.0, 0.0, 1.0), (3.0, 0.5, 0.0, 0.5), (0.0, 0.0, 1.0, 3.0)):
            first = np.mean(rng.normal(m1, s1, 200_000) > rng.normal(m2, s2, 200_000))
            mean, error = preferred(m1, s1, m2, s2)
            assert mean == pytest.approx(m1 * first + m2 * (1 - first), abs=0.02)
            assert error == pytest.approx(np.hypot(s1 * first, s2 * (1 - first)), abs=0.02)
        assert preferred(2.0, 0.0, 1.0, 0.0) == (2.0, 0.0)

    def test_it_finds_what_roll_outs_find(self):
        """On the river, where nothing is to come: calling is worth the same to both, and folding nothing."""
        view = spot_view(LIMIT, "QsTd", "Qc7h2d3s4s", "cc/cc/cc/r")
        tree, plain = (agent_of(spec, LIMIT).values(view) for spec in ("mcts?trials=6000", "loki?trials=6000"))
        assert tree.means[FOLDS] == 0 == tree.errors[FOLDS]
        assert abs(tree.means[CALLS] - plain.means[CALLS]) <= 4 * (tree.errors[CALLS] + plain.errors[CALLS])
        assert tree.best == RAISES == plain.best

    def test_it_folds_what_cannot_win(self):
        assert agent_of("mcts", LIMIT).act(spot_view(LIMIT, "3c2d", "Ac9h7sJdKh", "cc/cc/cc/rrrr")) == {FOLD: 1.0}
