"""AIVAT of known hold'em agents: against literal sums, unbiased by enumeration from the river on, and in matches."""

import zlib
from functools import lru_cache

import numpy as np
import pytest
from click.testing import CliRunner

import naive_aivat as naive
import pokerlab
from pokerlab.agents.agent import Agent
from pokerlab.agents.reading import read_hands
from pokerlab.agents.resolving import ResolvingAgent
from pokerlab.agents.simple import Call, Probe
from pokerlab.cards.holes import hole_number
from pokerlab.cli import main
from pokerlab.errors import PokerlabError
from pokerlab.game.betting import CALL, FOLD
from pokerlab.game.hand import new_hand, parse_hand
from pokerlab.match import aivat_holdem
from pokerlab.match.aivat_holdem import HoldemAivat, expected_signs
from pokerlab.match.gain import river_of, river_value
from pokerlab.match.play import play_match
from pokerlab.match.variance import money
from small_blueprint import small_agent

LIMIT, NOLIMIT = pokerlab.rules_of("holdem-limit"), pokerlab.rules_of("holdem-nolimit")


def some_raises(legal):
    """The least, one in the middle and the largest."""
    return sorted({legal[0], legal[len(legal) // 2], legal[-1]}) if legal else []


def random_odds(*key):
    return np.random.default_rng(zlib.crc32(repr(key).encode())).random(1326)


class Noise(Agent):
    """Does what a hash of the public line and of a few kinds of hands says; with hands not in `range`, only folds."""

    def __init__(self, seed, range=None):
        self.seed, self.name = seed, f"noise {seed}"
        self.range = np.isin(np.arange(1326), np.arange(1326) if range is None else range)

    def answers(self, view):
        key = zlib.crc32(repr((self.seed, view.seat, view.board, view.actions)).encode())
        actions = [FOLD] * view.legal.fold + [CALL] + some_raises(view.legal.raises)
        odds = np.random.default_rng(key).dirichlet(np.ones(len(actions)), 11)[np.arange(1326) % 11].T
        if not view.board:
            out = FOLD if view.legal.fold else CALL
            odds = np.where(self.range, odds, [[float(action == out)] for action in actions])
        return dict(zip(actions, odds, strict=True))

    def act(self, view):
        number = hole_number(view.hole)
        return {action: float(odds[number]) for action, odds in self.answers(view).items()}


class PassiveRivers(Agent):
    """Plays as another agent, but only checks and calls on the river."""

    def __init__(self, agent):
        self.agent = agent

    def answers(self, view):
        return {CALL: np.ones(1326)} if len(view.board) == 5 else self.agent.answers(view)


def narrow(seed):
    """A few hands, some pairs of which share a card."""
    return np.random.default_rng(seed).choice(1326, 9, replace=False)


def ranges_on(board, count, seed):
    free = naive.board_free(board)
    return np.random.default_rng(seed).random((count, 1326)) * free


@pytest.mark.parametrize("size", [3, 4, 5])
def test_signs_against_ranges(size):
    board = tuple(np.random.default_rng(size).permutation(52)[:size].tolist())
    ranges = ranges_on(board, 3, size)
    some, other = np.split(np.random.default_rng(1).choice(np.flatnonzero(ranges[0]), 70, replace=False), [10])
    ranges[:, ~np.isin(np.arange(1326), other)] = 0
    found = expected_signs(board, ranges)
    expected = ranges[:, other] @ naive.sign_matrix(board, some, other).T
    np.testing.assert_allclose(found[:, some], expected, atol=1e-9)


def test_signs_on_boards_with_symmetric_suits():
    """Ranges that do not tell suits apart need fewer boards, with the same result."""
    board = (0, 4, 8)  # three clubs: six ways to name the other suits
    plain = np.where(naive.board_free(board), 1.0, 0.0)
    uneven = plain.copy()
    uneven[np.flatnonzero(plain)[3]] += 1e-13
    np.testing.assert_allclose(expected_signs(board, plain[None])[0], expected_signs(board, uneven[None])[0], atol=1e-8)


@pytest.mark.parametrize("size", [3, 4])
def test_value_before_a_card_is_its_mean_after_it(size):
    board = tuple(np.random.default_rng(size).permutation(52)[:size].tolist())
    first, second = ranges_on(board, 2, 5) ** 3
    total = mass = 0.0
    for card in set(range(52)) - set(board):
        free = naive.board_free((card,))
        total += first * free @ expected_signs((*board, card), second[None] * free)[0]
        mass += meeting(first * free, second * free)
    before = first @ expected_signs(board, second[None])[0] / meeting(first, second)
    assert total / mass == pytest.approx(before, abs=1e-9)


def meeting(first, second):
    """The weight of pairs of hands without a card in common."""
    return first @ all_apart() @ second


@lru_cache(maxsize=1)
def all_apart():
    return naive.apart(np.arange(1326), np.arange(1326)).astype(float)


def test_players_who_only_call_win_nothing():
    agents = [Call(), Call()]
    hand = parse_hand(LIMIT, "cc/cc/cc/cc", "AsKd|7c2h/2c3c4d/5h/9s")
    assert HoldemAivat(LIMIT, agents)(hand, agents) == (0, 0)


def played(rules, line, board=(0, 5, 10, 31, 49)):
    """The hand with these actions; 0 and 1 are the first of `some_raises`, a is the last."""
    hand = new_hand(rules)._replace(holes=((), ()))
    for word in line.replace("/", ""):
        hand = hand._replace(board=board[: len(hand.board) + hand.pending])
        raises = some_raises(hand.legal().raises)
        hand = hand.act(FOLD if word == "f" else CALL if word == "c" else raises[-1 if word == "a" else int(word)])
    return hand._replace(board=board[: len(hand.board) + hand.pending])


class TestWholeHands:
    pytestmark = pytest.mark.slow  # the table of all pairs of hands takes a while

    @pytest.mark.parametrize(
        ("rules", "line"),
        [
            (LIMIT, "0c/c0c/00c/c00c"), (LIMIT, "00c/cc/c0f"), (LIMIT, "000c/0f"), (LIMIT, "0f"), (LIMIT, "f"),
            (NOLIMIT, "0c/c0c/cc/c0f"), (NOLIMIT, "0c/c0c/00c/1af"), (NOLIMIT, "0c/c1ac"), (NOLIMIT, "1ac"),
        ],
    )  # fmt: skip
    def test_against_the_literal_sum(self, rules, line):
        seated = [Noise(1, narrow(1)), Noise(2, narrow(2))]
        hand = played(rules, line)
        found = HoldemAivat(rules, seated)(hand, seated)
        assert found[0] == -found[1]
        assert found[0] == pytest.approx(naive.estimate(hand, seated), rel=1e-9, abs=1e-9)

    @pytest.mark.parametrize("guess", ["right", "wrong"])
    @pytest.mark.parametrize("game", ["limit", "no-limit"])
    def test_unbiased_from_the_river_on(self, game, guess, monkeypatch):
        """All lines on a river, weighted by their exact chances: what is expected there, computed another way.

        It does not matter how likely one thinks that raises are answered by folds.
        """
        if guess == "wrong":
            monkeypatch.setattr(aivat_holdem, "_folds", lambda agent, hand: random_odds(hand.actions))
        seated = [Noise(3), Noise(4)] if game == "limit" else [small_agent(0), small_agent(1)]
        rules = LIMIT if game == "limit" else seated[0].blueprint.rules
        prefix = played(rules, "0c/c0c/cc" if game == "limit" else "cc/cc/cc")
        estimator, total, chances = HoldemAivat(rules, seated), 0.0, 0.0
        start = [read_hands(agent, prefix.view(seat), seat) for seat, agent in enumerate(seated)]
        stack = [(prefix, *start)]
        while stack:
            now, first, second = stack.pop()
            seat = now.betting.actor
            if seat is None:
                chance = meeting(first, second) / meeting(*start)
                total += chance * estimator(now, seated)[0]
                chances += chance
                continue
            for action, odds in seated[seat].answers(now.view(seat)).items():
                ranges = (first * odds, second) if seat == 0 else (first, second * odds)
                stack.append((now.act(action), *ranges))
        assert chances == pytest.approx(1)
        quiet = [PassiveRivers(agent) for agent in seated]
        checked = prefix.act(CALL).act(CALL)
        so_far = HoldemAivat(rules, quiet)(checked, quiet)[0]
        view = river_of(checked)
        expected = river_value(view, tuple(seated), tuple(start)) - river_value(view, tuple(quiet), tuple(start))
        assert total == pytest.approx(so_far + expected, abs=1e-9)

    def test_in_matches_it_has_the_mean_of_money_and_less_luck(self):
        for rules, agents, deals in (
            (LIMIT, [Noise(5), Noise(6)], 100),
            (small_agent(0).blueprint.rules, [small_agent(0), small_agent(1)], 100),
            (LIMIT, [Noise(7), Probe()], 40),
        ):
            estimator, rows = HoldemAivat(rules, agents), []

            def score(hand, seated, agents=agents, estimator=estimator, rows=rows):
                found = estimator(hand, seated)
                first = seated.index(agents[0])
                rows.append((money(hand)[first], found[first]))
                return found

            result = play_match(rules, agents, deals, duplicate=True, seed=3, score=score)
            plain, better = np.array(rows).T
            assert result.winnings[:, 0].mean() == pytest.approx(better.mean())
            assert better.std() < 0.6 * plain.std()
            apart = plain - better
            assert abs(apart.mean()) < 3.5 * apart.std() / len(rows) ** 0.5

    def test_an_agent_that_refines_subgames(self):
        """Its raises are valued by what its blueprint would answer, which it need not play."""
        agents = [ResolvingAgent(small_agent(0), iterations=3), small_agent(1)]
        estimator = HoldemAivat(agents[0].rules, agents)
        result = play_match(agents[0].rules, agents, 8, duplicate=True, seed=5, score=estimator)
        assert np.isfinite(result.winnings).all()
        assert np.abs(result.winnings[:, 0]).max() < 2000

    def test_cards_are_not_needed(self):
        seated = [Noise(1), Noise(2)]
        hand = played(LIMIT, "0c/cc/cc/0c")
        estimator = HoldemAivat(LIMIT, seated)
        assert estimator(hand, seated) == estimator(hand._replace(holes=((1, 2), (3, 4))), seated)

    def test_command(self):
        told = ["match", "probe", "call", "--game", "holdem-limit", "--hands", "4", "--score", "aivat", "--json"]
        ran = CliRunner().invoke(main, told)
        assert ran.exit_code == 0, ran.output
        assert '"score": "aivat"' in ran.output


def test_who_can_be_scored():
    class Diary(Call):
        stateless, name = False, "diary"

    with pytest.raises(PokerlabError, match="not for leduc"):
        HoldemAivat(pokerlab.rules_of("leduc"), [Call(), Call()])
    with pytest.raises(PokerlabError, match="not for holdem-limit-3p"):
        HoldemAivat(pokerlab.rules_of("holdem-limit-3p"), [Call()] * 3)
    with pytest.raises(PokerlabError, match="diary remembers past hands"):
        HoldemAivat(LIMIT, [Call(), Diary()])
    agents = [Call(), Call()]
    estimator = HoldemAivat(LIMIT, agents)
    with pytest.raises(PokerlabError, match="finished hand"):
        estimator(played(LIMIT, "cc"), agents)
    with pytest.raises(PokerlabError, match="other agents"):
        estimator(played(LIMIT, "cc/cc/cc/cc"), [Call(), Call()])
    with pytest.raises(PokerlabError, match="player 2 has played 'r', as its strategy never does"):
        estimator(played(LIMIT, "0f"), agents)


def test_probabilities_must_add_up():
    class Wrong(Call):
        name = "wrong"

        def act(self, view):
            return {CALL: 0.9}

    agents = [Wrong(), Call()]
    with pytest.raises(PokerlabError, match=r"wrong with some hand add up to 0\.9"):
        HoldemAivat(LIMIT, agents)(played(LIMIT, "cc/cc/cc/cc"), agents)


def test_command_refuses_other_games():
    ran = CliRunner().invoke(main, ["match", "call", "call", "call", "--game", "kuhn-3p", "--score", "aivat"])
    assert ran.exit_code == 2
    assert ran.stderr.count("\n") == 1
    assert "a game that compiles, not for kuhn-3p" in ran.stderr
