"""Players that learn: networks by evolution and from records, their file, and exact inference for a Bayesian one."""

import itertools

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.neural_network import MLPClassifier

import pokerlab
from pokerlab.agents.asking import spot_view
from pokerlab.agents.spec import agent_of
from pokerlab.cards.deck import Deck
from pokerlab.cards.evaluator import category, evaluate
from pokerlab.cli import main
from pokerlab.errors import AgentError, PokerlabError, StrategyFileError
from pokerlab.field.bayes_network import BayesNetwork, Variable
from pokerlab.field.betting_kernels import state_of, terms_of
from pokerlab.field.bpp import CUTS, TYPES, card_tables, type_of
from pokerlab.field.evolution import Deals, child_of, dominated, draw_deals, evolve, play_deals
from pokerlab.field.imitation import _flat, decisions, imitate
from pokerlab.field.networks import INPUTS, Network, NetworkPlayer, answered, inputs_of, load_network, size_of
from pokerlab.field.player import CALLS, FOLDS, RAISES
from pokerlab.files import write_arrays
from pokerlab.game.betting import CALL, FOLD, start_betting
from pokerlab.game.catalog import rules_of
from pokerlab.game.hand import deal_random, new_hand, parse_hand
from pokerlab.match.play import play_match
from pokerlab.records.logs import LogWriter

DECK = Deck()
LIMIT, THREE, NO_LIMIT = (rules_of(game) for game in ("holdem-limit", "holdem-limit-3p", "holdem-nolimit"))


def constant(rules, fold, call, bet, hidden=2):
    """A network that gives the same triple always."""
    weights = np.zeros((2, size_of(hidden)))
    at = len(INPUTS) * hidden
    weights[:, at : at + 3] = np.log(np.maximum([fold, call, bet], 1e-12))
    return Network(rules, hidden, weights, "always the same")


def random_network(rules, seed=0, hidden=5):
    rng = np.random.default_rng(seed)
    return Network(rules, hidden, rng.standard_normal((2, size_of(hidden))), "random")


class TestNetworks:
    def test_an_answer_by_a_twin(self):
        rng = np.random.default_rng(1)
        for _ in range(20):
            hidden = int(rng.integers(1, 8))
            inputs, weights = rng.random(len(INPUTS)), rng.standard_normal(size_of(hidden))
            first = weights[: len(INPUTS) * hidden].reshape(len(INPUTS), hidden)
            last = weights[len(INPUTS) * hidden :].reshape(hidden + 1, 3)
            outputs = np.concatenate([[1.0], np.tanh(inputs @ first)]) @ last
            odds = np.exp(outputs) / np.exp(outputs).sum()
            assert answered(weights, hidden, inputs) == pytest.approx(odds.tolist())

    def test_inputs(self):
        view = spot_view(THREE, "AsAd", "Kc7h2d", "ccc/r")
        inputs = dict(zip(INPUTS, inputs_of(view).tolist(), strict=True))
        assert inputs["pot odds"] == pytest.approx(10 / 50)
        assert inputs["raises of the round, in fours"] == 0.25
        assert inputs["a bet is faced"] == 1
        assert inputs["position"] == 0.5
        assert inputs["pot in small bets, log2 in eights"] == pytest.approx(2 / 8)
        from pokerlab.cards.strength import hand_strength

        ahead = hand_strength(DECK.cards("AdAs"), DECK.cards("Kc7h2d")) ** 2
        assert inputs["chance to be ahead of all now"] == pytest.approx(ahead)

    @pytest.mark.parametrize("rules", [LIMIT, THREE, NO_LIMIT], ids=["limit", "three", "no-limit"])
    def test_a_file(self, rules, tmp_path):
        network = random_network(rules)
        network.save(tmp_path / "one.network")
        again = pokerlab.load(tmp_path / "one.network")
        assert (again.weights == network.weights).all()
        assert (again.rules, again.hidden, again.about) == (rules, 5, "random")
        agent = agent_of(str(tmp_path / "one.network"), rules)
        assert agent.files == (str((tmp_path / "one.network").resolve()),)
        view = deal_random(new_hand(rules), np.random.default_rng(1)).view(rules.first[0])
        assert agent.act(view) == NetworkPlayer(network).act(view)
        others = {LIMIT, THREE, NO_LIMIT} - {rules}
        for other in others:
            with pytest.raises(AgentError, match="plays holdem"):
                agent_of(f"network:{tmp_path / 'one.network'}", other)

    @pytest.mark.parametrize(
        "change",
        [{"hidden": 6}, {"hidden": 0}, {"hidden": 10**6}, {"rules": "GAMEDEF"}, {"rules": rules_of("leduc").text()}],
    )
    def test_a_file_that_does_not_fit(self, change, tmp_path):
        header = {
            "format": "pokerlab network", "version": 1, "game": "holdem-limit", "rules": LIMIT.text(), "hidden": 5,
            "about": "x",
        }  # fmt: skip
        write_arrays(tmp_path / "bad", header | change, {"weights": random_network(LIMIT).weights}, error=PokerlabError)
        with pytest.raises(StrategyFileError):
            load_network(tmp_path / "bad")

    def test_weights_that_are_no_numbers(self, tmp_path):
        network = random_network(LIMIT)
        network.weights[0, 3] = np.nan
        network.save(tmp_path / "bad")
        with pytest.raises(StrategyFileError, match="damaged"):
            load_network(tmp_path / "bad")


class TestEvolution:
    def test_hands_as_at_the_table(self):
        """Networks that do the same always: the chips of a fold, of a check-down and of a capped hand."""
        deals = draw_deals(LIMIT, 40, np.random.default_rng(0))
        terms, start = terms_of(LIMIT, 100.0), state_of(start_betting(LIMIT))
        rng = np.random.SeedSequence(1).generate_state(4, np.uint64)
        folds, calls, raises = (constant(LIMIT, *odds).weights for odds in ((1, 0, 0), (0, 1, 0), (0, 0, 1)))

        def won(first, second):
            return play_deals(np.stack([first, second]), 2, terms, start, deals, 10, rng)

        assert won(calls, folds).tolist() == [40 * 5, -40 * 5]
        signs = np.sign(deals.values[:, 0] - deals.values[:, 1]).sum()
        assert won(calls, calls).tolist() == [10 * signs, -10 * signs]
        most = 10 * 4 + 10 * 4 + 20 * 4 + 20 * 4
        assert won(raises, raises).tolist() == [most * signs, -most * signs]

    def test_the_kernel_plays_as_the_agent_does(self):
        """The same deal, the network's likeliest action made certain: the same chips, with three at the table too."""
        for rules in (LIMIT, THREE):
            rng = np.random.default_rng(3)
            networks = [random_network(rules, seed) for seed in range(rules.players)]
            sharp = []
            for network in networks:
                weights = network.weights.copy()
                weights[:, len(INPUTS) * network.hidden :] *= 1e4
                sharp.append(Network(rules, network.hidden, weights, "sharp"))
            for _ in range(30):
                cards = rng.permutation(52)[: 2 * rules.players + 5].tolist()
                hand = new_hand(rules)
                at = 0
                while not hand.finished:
                    if hand.pending:
                        hand, at = hand.deal(cards[at : at + hand.pending]), at + hand.pending
                        continue
                    odds = NetworkPlayer(sharp[hand.actor]).act(hand.view(hand.actor))
                    hand = hand.act(max(odds, key=odds.get))
                deals = draw_deals(rules, 1, _Fixed(cards))
                stream = np.random.SeedSequence(1).generate_state(4, np.uint64)
                won = play_deals(
                    np.stack([network.weights for network in sharp]), 5, terms_of(rules, 100.0),
                    state_of(start_betting(rules)), deals, rules.small_bet, stream,
                )  # fmt: skip
                while hand.pending:
                    hand = hand.deal(cards[at : at + hand.pending])
                assert won.tolist() == pytest.approx(list(hand.payoffs()))

    def test_dominance(self):
        """Rock, paper and scissors dominate nobody; who is worse everywhere is dominated by all."""
        wheel = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
        assert dominated(wheel).tolist() == [0, 0, 0]
        assert dominated(np.array([[1, 1], [0, 1], [0, 0], [0, 0]])).tolist() == [0, 1, 2, 2]
        results = np.random.default_rng(0).integers(0, 3, (8, 3))
        naive = [
            sum(all(a >= b for a, b in zip(x, y, strict=True)) and any(x > y) for x in results) for y in results
        ]  # fmt: skip
        assert dominated(results).tolist() == naive

    def test_children_are_between_their_parents(self):
        rng = np.random.default_rng(0)
        mother, father = np.zeros(50), np.ones(50)
        child = child_of(mother, father, 0.0, rng)
        assert len({*child.tolist()}) == 1
        assert 0 < child[0] < 1
        assert child_of(mother, father, 0.1, rng).std() == pytest.approx(0.1, rel=0.5)

    @pytest.mark.parametrize("method", ["pareto", "hall-of-fame"])
    def test_it_gets_better_and_is_the_same_for_a_seed(self, method):
        network = evolve("holdem-limit", method, generations=4, deals=30, seed=1, progress=False)
        again = evolve("holdem-limit", method, generations=4, deals=30, seed=1, progress=False)
        assert (network.weights == again.weights).all()
        assert method in network.about
        agents = [NetworkPlayer(network), agent_of("random", LIMIT)]
        assert play_match(LIMIT, agents, 200, duplicate=True, seed=5, progress=False).mean[0] > 0

    def test_what_cannot_evolve(self):
        with pytest.raises(AgentError, match="hold'em, not leduc"):
            evolve("leduc")
        with pytest.raises(AgentError, match="pareto or hall-of-fame, not 'luck'"):
            evolve("holdem-limit", "luck")


class _Fixed:
    """A generator whose permutation begins with these cards."""

    def __init__(self, cards):
        self.cards = cards

    def permutation(self, n):
        return np.array([*self.cards, *(card for card in range(n) if card not in self.cards)])


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """Hands of a formula player, whose cards are all known."""
    path = tmp_path_factory.mktemp("imitation") / "match.log"
    agents = [agent_of("formula", LIMIT), agent_of("call", LIMIT)]
    with LogWriter(path, LIMIT, ["expert", "call"], 400, 1) as writer:
        play_match(LIMIT, agents, 400, seed=1, names=["expert", "call"], watch=writer.watch, progress=False)
    return path


class TestImitation:
    def test_decisions(self):
        """What a seat saw when it decided, in order."""
        hand = parse_hand(LIMIT, "rc/cr", "AsAh|KsKh/Qd7c2s")._replace(names=("a", "b"))
        told = [(round, kind) for round, _, kind in decisions(hand, 0)]
        assert told == [(0, CALLS), (1, CALLS)]
        inputs = [inputs for _, inputs, _ in decisions(hand, 0)]
        assert inputs[1] == pytest.approx(inputs_of(spot_view(LIMIT, "AsAh", "Qd7c2s", "rc/")))
        assert list(decisions(parse_hand(LIMIT, "rc/cr", "|KsKh/Qd7c2s"), 0)) == []

    @pytest.mark.filterwarnings("ignore:Stochastic Optimizer")  # how far it comes is not asked
    @pytest.mark.parametrize("kinds", [(FOLDS, CALLS, RAISES), (CALLS, RAISES), (FOLDS, RAISES)])
    def test_weights_are_the_classifiers(self, kinds):
        rng = np.random.default_rng(0)
        seen = rng.random((200, len(INPUTS) - 1))
        made = MLPClassifier((4,), "tanh", max_iter=30, random_state=0)
        made.fit(seen, np.array(kinds)[rng.integers(0, len(kinds), 200)])
        weights = _flat(made, 4)
        for row, odds in zip(seen[:20], made.predict_proba(seen[:20]), strict=True):
            told = answered(weights, 4, np.concatenate([[1.0], row]))
            assert [told[kind] for kind in kinds] == pytest.approx(odds.tolist(), abs=1e-6)

    def test_it_learns_its_expert(self, log, tmp_path):
        network, held = imitate([log], "expert", seed=2)
        assert held.decisions > 100
        assert held.right > 0.7
        assert held.log_loss < 0.8
        again, _ = imitate([log], "expert", seed=2)
        assert (network.weights == again.weights).all()

    def test_commands(self, log, tmp_path):
        out = tmp_path / "mine.network"
        told = CliRunner().invoke(main, ["imitate", str(log), "--expert", "expert", "--out", str(out)])
        assert told.exit_code == 0, told.output
        assert "log-loss" in told.output
        assert agent_of(f"network:{out}", LIMIT)
        told = CliRunner().invoke(
            main, ["evolve", "holdem-limit-3p", "--generations", "1", "--hands", "2", "--out", str(out), "--json"]
        )
        assert told.exit_code == 0, told.output
        assert agent_of(str(out), THREE)
        told = CliRunner().invoke(main, ["imitate", str(log), "--expert", "nobody", "--out", str(out)])
        assert told.exit_code == 2


class TestBayes:
    """Figure 2.10: A and B are the parents of C."""

    net = BayesNetwork({
        "C": Variable(("A", "B"), [[[0.9, 0.1], [0.6, 0.4]], [[0.5, 0.5], [0.2, 0.8]]]),
        "A": Variable((), [0.7, 0.3]),
        "B": Variable((), [0.4, 0.6]),
    })  # fmt: skip

    def naive(self, query, evidence):
        odds = np.zeros(2)
        for a, b, c in itertools.product(range(2), repeat=3):
            state = {"A": a, "B": b, "C": c}
            if all(state[name] == value for name, value in evidence.items()):
                joint = self.net.tables["A"][a] * self.net.tables["B"][b] * self.net.tables["C"][a, b, c]
                odds[state[query]] += joint
        return odds / odds.sum()

    @pytest.mark.parametrize("evidence", [{}, {"C": 1}, {"A": 0}, {"C": 0, "B": 1}, {"A": 1, "B": 0}])
    @pytest.mark.parametrize("query", "ABC")
    def test_figure_2_10(self, query, evidence):
        if query not in evidence:
            assert self.net.posterior(query, evidence) == pytest.approx(self.naive(query, evidence))

    def test_by_hand(self):
        """P(C) = 0.7 (0.4 * 0.1 + 0.6 * 0.4) + 0.3 (0.4 * 0.5 + 0.6 * 0.8) = 0.4; knowing it makes A likelier 0.51."""
        assert self.net.posterior("C", {})[1] == pytest.approx(0.4)
        assert self.net.posterior("A", {"C": 1})[1] == pytest.approx(0.3 * 0.68 / 0.4)
        # B explains C away: once it is known, A is less likely again
        assert self.net.posterior("A", {"C": 1, "B": 1})[1] < self.net.posterior("A", {"C": 1})[1]

    def test_what_is_no_network(self):
        with pytest.raises(PokerlabError, match="circle"):
            BayesNetwork({"A": Variable(("B",), np.eye(2)), "B": Variable(("A",), np.eye(2))})
        with pytest.raises(PokerlabError, match="not there"):
            BayesNetwork({"A": Variable(("B",), np.eye(2))})
        with pytest.raises(PokerlabError, match="adding up to 1"):
            BayesNetwork({"A": Variable((), [0.5, 0.6])})
        sure = BayesNetwork({"A": Variable((), [1.0, 0.0]), "B": Variable(("A",), np.eye(2))})
        with pytest.raises(PokerlabError, match="cannot happen"):
            sure.posterior("A", {"B": 1})

    def test_types(self):
        """Of each value the type; borders are where they are said to be."""
        told = {
            "Jc9d7h5s3c": 0, "Qc9d7h5s3c": 1, "Kc9d7h5s3c": 2, "Ac9d7h5s3c": 3, "5c5d7h9s3c": 4, "6c6d7h9s3c": 5,
            "9c9d7h6s3c": 5, "TcTd7h9s3c": 6, "KcKd7h9s3c": 7, "5c5d3h3sAc": 8, "AcAdKhKs2c": 9, "5c5d5h3sAc": 10,
            "5c6d7h8s9c": 11, "2c4c6c8cTc": 12, "5c5d5h3s3c": 13, "5c5d5h5s3c": 13,
        }  # fmt: skip
        for text, number in told.items():
            cards = DECK.cards(text)
            assert type_of(cards[:2], cards[2:]) == number, (text, category(int(evaluate([cards])[0])))
        assert len(CUTS) + 1 == TYPES == 14
        assert type_of(DECK.cards("AsAh"), ()) == 0

    def test_tables_of_cards(self):
        """Finals decide: a flush beats no pair nearly always, and a type against itself is even."""
        final, current, outcome = card_tables()
        assert final.sum() == pytest.approx(1)
        assert final[4:8].sum() == pytest.approx(0.438, abs=0.02)  # a pair of seven cards
        assert outcome[12, 3, 2] > 0.95
        assert outcome[5, 5, 0] == pytest.approx(outcome[5, 5, 2], abs=0.05)
        assert [table.shape for table in current] == [(14, 10), (14, 14), (14, 14), (14, 14)]
        assert np.allclose(current[3], np.eye(14), atol=0.02)

    def test_the_chance_to_win(self):
        """Better hands win more; an opponent's raise makes it less; it folds nothing and bets the best."""
        agent = agent_of("bpp", LIMIT)
        nothing, pair, flush = (
            agent.winning(spot_view(LIMIT, hole, "Ah8h2h3s4c", "cc/cc/cc/")) for hole in ("Tc9d", "8c7d", "KhQh")
        )
        assert nothing < pair < flush
        assert agent.winning(spot_view(LIMIT, "8c7d", "Ah8h2h3s4c", "cc/cc/cc/cr")) < pair
        assert agent.act(spot_view(LIMIT, "KhQh", "Ah8h2h3s4c", "cc/cc/cc/"))[20 + 10] == 1
        assert agent.act(spot_view(LIMIT, "Tc9d", "Ah8h2h3s4c", "cc/cc/cc/crrr")) == {FOLD: 1.0}
        assert agent.act(spot_view(LIMIT, "Tc9d", "Ah8h2h3s4c", "cc/cc/cc/")) == {CALL: 1.0}

    def test_it_learns_from_what_is_shown(self):
        """After many raises with nothing a raise frightens it less."""
        agent, view = agent_of("bpp", LIMIT), spot_view(LIMIT, "8c7d", "Ah8h2h3s4c", "cc/cc/cc/cr")
        before = agent.winning(view)
        for _ in range(60):
            agent.observe(parse_hand(LIMIT, "cc/cc/cc/crc", "8c7d|Tc9d/Ah8h2h/3s/4c").view(0))
        assert agent.winning(view) > before + 0.05
        agent.reset()
        assert agent.winning(view) == before


def test_deals_are_drawn_whole():
    deals = draw_deals(THREE, 3, np.random.default_rng(1))
    assert isinstance(deals, Deals)
    assert deals.preflop.shape == (3, 3, 2)
    assert (deals.preflop[..., 0] > deals.preflop[..., 1]).all()
    assert (deals.now[..., 1:] > 0).any()
    assert deals.later[..., 3] == pytest.approx(deals.now[..., 3])


def test_deals_of_a_generation_are_all_in_memory():
    with pytest.raises(AgentError, match=r"deals of a generation: a whole number from 1 to 10\^6 is needed"):
        evolve("holdem-limit", deals=10**7)
