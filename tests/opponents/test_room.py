"""What holds of all agents made of agents: hidden cards, seeds, forgetting, and tournaments that are killed."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from functools import cache

import numpy as np
import pytest

from every_hand import enumerate_hands
from pokerlab.agents.agent import Agent
from pokerlab.agents.simple import Call, Fold, Probe, Raise, Random
from pokerlab.agents.spec import agent_of
from pokerlab.errors import AgentError
from pokerlab.game.betting import CALL, FOLD
from pokerlab.game.catalog import rules_of
from pokerlab.game.hand import new_hand
from pokerlab.match.divat import BetForValue
from pokerlab.match.loop import Table
from pokerlab.match.play import play_match
from pokerlab.match.tournament.play import plan_tournament, run_tournament
from pokerlab.match.tournament.report import summary
from pokerlab.opponents.adapting import Adapting
from pokerlab.opponents.changing import Changing
from pokerlab.opponents.choosers import CHOOSERS
from pokerlab.opponents.credit import CREDITS
from pokerlab.opponents.dynamic import Dynamic
from pokerlab.opponents.ensemble import Ensemble
from pokerlab.opponents.switching import Switching
from pokerlab.opponents.trends import FACTORS, Trends

LEDUC, THREE = rules_of("leduc"), rules_of("holdem-limit-3p")


class Cards(Agent):
    """A distribution for each card, at random."""

    def __init__(self, seed):
        self.seed = seed

    def act(self, view):
        rng = np.random.default_rng([self.seed, *view.hole, *view.board, len(view.actions)])
        actions = [*([FOLD] if view.legal.fold else []), CALL, *view.legal.raises[:2]]
        return dict(zip(actions, rng.dirichlet(np.ones(len(actions))).tolist(), strict=True))


def model():
    """Trends of three opponents, each of which the most and the least aggression suit more or less."""
    means = np.zeros((3, len(FACTORS)))
    means[:, [0, 1, -1]] = [[50, 10, 40], [20, 30, 50], [40, 5, 50]]
    counts = np.random.default_rng(5).integers(0, 50, (3, LEDUC.rounds, 4))
    return Trends(LEDUC, "any", ("a", "b", "c"), 100, 0, "money", means, np.zeros_like(means), counts)


AGENTS = {
    "ensemble": lambda: Ensemble([Cards(1), Cards(2), Cards(3)]),
    "adapting": lambda: Adapting(Cards(1), model(), top=3, window=10),
    "switching": lambda: Switching(Cards(1), Cards(2)),
    "changing": lambda: Changing([Cards(1), Cards(2), Fold()], at=12),
    "nested": lambda: Dynamic([Ensemble([Cards(1), Cards(2)]), Changing([Raise(), Cards(3)], 7)], memory=20),
} | {
    f"{chooser}, {credit}": lambda chooser=chooser, credit=credit: Dynamic(
        [Cards(1), Cards(2), Call(), Raise()], chooser, credit
    )
    for chooser in CHOOSERS
    for credit in CREDITS
}


def rules_for(name):
    return THREE if name == "switching" else LEDUC


def others_dealt(rules, hand, seat, cards, rng):
    """The same deal to the eyes of a seat: whatever it was not shown is drawn anew from the rest of the deck."""
    each, first = rules.hole_cards, rules.players * rules.hole_cards
    seen = {*range(seat * each, (seat + 1) * each), *range(first, first + len(hand.board))}
    if hand.betting.showdown:
        seen |= {at for who in hand.betting.survivors for at in range(who * each, (who + 1) * each)}
    known = {at: cards[at] for at in seen}
    rest = iter(rng.permutation([card for card in range(len(rules.deck)) if card not in known.values()]).tolist())
    return [known[at] if at in known else next(rest) for at in range(len(cards))]


@pytest.mark.parametrize("name", AGENTS)
def test_hidden_cards_change_nothing(name):
    """Two tables with the same cards as far as the agent is shown them, hand after hand: it plays the same at both."""
    rules, rng = rules_for(name), np.random.default_rng(7)
    twins, hidden = [AGENTS[name](), AGENTS[name]()], 0
    for number in range(60):
        seat = number % rules.players
        needed = rules.players * rules.hole_cards + sum(rules.board_cards)
        cards = rng.permutation(len(rules.deck))[:needed].tolist()
        names = tuple("me" if who == seat else f"other {who}" for who in range(rules.players))
        tables = []
        for agent in twins:
            seated = [agent if who == seat else Random() for who in range(rules.players)]
            tables.append(Table(rules, cards, seated, random.Random(number), names))
            tables[-1].advance()
            cards = others_dealt(rules, tables[0].hand, seat, cards, rng)
        one, other = (table.hand for table in tables)
        assert one.actions == other.actions
        assert one.view(seat) == other.view(seat)
        hidden += one.holes != other.holes
        for table in tables:
            table.tell()
    assert hidden > 15


def told(agents, rules, **options):
    actions, hands = [], 30 if rules is THREE else 250
    play_match(rules, agents, hands, watch=lambda number, seating, hand, seats: actions.append(hand.actions), **options)
    return actions


@pytest.mark.parametrize("name", AGENTS)
def test_the_same_for_a_seed_and_after_reset(name, monkeypatch):
    """A match begins with `reset`: the second is the first again. Without it whoever remembers plays on otherwise."""
    rules, agent = rules_for(name), AGENTS[name]()
    agents = [agent, *(Probe() for _ in range(rules.players - 1))]
    first = told(agents, rules, seed=3)
    assert told(agents, rules, seed=3) == first
    assert told([AGENTS[name](), *agents[1:]], rules, seed=3) == first
    if not agent.stateless:
        monkeypatch.setattr(agent, "reset", lambda: None)
        assert told(agents, rules, seed=3) != first


class TestChanging:
    def test_one_after_the_other(self):
        agent = agent_of("changing:call|raise|fold?at=4")
        assert isinstance(agent, Changing)
        played = []

        def score(hand, seated):
            played.append(type(agent.playing(new_hand(LEDUC).view(0))))
            return hand.payoffs()

        hands = []
        play_match(LEDUC, [agent, Call()], 15, score=score, watch=lambda n, s, hand, seats: hands.append(hand))
        assert played == [Call] * 4 + [Raise] * 4 + [Fold] * 7
        assert [any(action > 0 for action in hand.actions) for hand in hands] == [False] * 4 + [True] * 4 + [False] * 7

    @pytest.mark.parametrize(
        ("spec", "error"), [("changing:call|raise", "changing:A"), ("changing:call?at=0", "from 1")]
    )
    def test_refused(self, spec, error):
        with pytest.raises(AgentError, match=error):
            agent_of(spec)


def test_a_memory_fades():
    """As a weighted mean whose weights shrink from hand to hand."""
    agent, seen = Dynamic([Call(), Raise()], credit="money", memory=10), [[], []]
    hands = []
    play_match(LEDUC, [agent, Random()], 40, watch=lambda n, s, hand, seats: hands.append((hand, seats.index(0))))
    agent.reset()
    for number, (hand, seat) in enumerate(hands):
        view = hand.view(seat)
        seen[agent.record(view).chosen].append((number, hand.payoffs()[seat] / LEDUC.small_bet))
        agent.observe(view)
    record = agent.record(hands[0][0].view(0))
    assert record.hands == 40
    for arm, rewards in zip(record.arms, seen, strict=True):
        weights = np.array([0.9 ** (39 - number) for number, _ in rewards])
        assert arm.pulls == pytest.approx(weights.sum())
        assert arm.mean == pytest.approx(np.average([reward for _, reward in rewards], weights=weights))
    with pytest.raises(AgentError, match="memory"):
        Dynamic([Call()], memory=0)


@cache
def leduc_hands():
    """Every finished hand of Leduc."""

    def all_actions(hand):
        return dict.fromkeys(map(hand.betting.text_of, hand.legal().actions()), 0.5)

    return [hand for _, hand in enumerate_hands(LEDUC, all_actions)]


def beats(mine, other, board):
    """1, 1/2 or 0: a pair with the board wins, otherwise the higher rank. Cards are ranks."""
    one, two = (mine == board, mine), (other == board, other)
    return (one > two) + (one == two) / 2


def equity(ranks, board, left):
    """The first one's share of a pot, over boards to come where there is none."""
    boards = [board] if board is not None else left
    return sum(beats(*ranks, each) for each in boards) / len(boards)


def naive_credit(hand):
    """EV(actual) - EV(baseline) of seat 0, round by round: within a round the decisions' differences telescope."""
    deck = [card // 2 for card in range(6)]
    holes, board = [hole[0] for hole in hand.holes], hand.board[0]
    ranks = [deck[card] for card in holes]
    total, state = 0.0, new_hand(LEDUC).betting
    for round in (0, 1):
        shown = [board] if round else []
        left = [deck[card] for card in range(6) if card not in (*holes, *shown)]
        public = deck[board] if round else None

        def value(state, public=public, left=left):
            spent = state.spent
            if len(state.survivors) == 1:
                return spent[1] if state.survivors == (0,) else -spent[0]
            return (sum(spent) * equity(ranks, public, left)) - spent[0]

        def baseline(state, shown=shown, round=round):
            """Bet for value: thresholds of strength against one random card of those that it does not see."""
            own = holes[state.actor]
            others = [card for card in range(6) if card not in (own, *shown)]
            if round:
                strength = np.mean([beats(deck[own], deck[card], deck[board]) for card in others])
            else:
                strength = np.mean([(deck[own] > deck[card]) + (deck[own] == deck[card]) / 2 for card in others])
            makes, legal = BetForValue().makes, state.legal()
            if legal.raises and strength >= makes[state.raises]:
                return legal.raises[0]
            owed = state.highest - state.spent[state.actor]
            return FOLD if legal.fold and strength < owed / sum(state.spent) else CALL

        followed = state
        while followed.actor is not None and followed.round == round:
            followed = followed.act(baseline(followed))
        for action in hand.actions[: hand.ends[0]] if round == 0 else hand.actions[hand.ends[0] :]:
            state = state.act(action)
        total += value(state) - value(followed)
    return total


def test_credit_is_exact_on_all_hands_of_leduc():
    """Against a computation by hand, for both seats; money where somebody folded."""
    credit, money = CREDITS["showdown-divat"](), CREDITS["money"]()
    shown = 0
    for hand in leduc_hands():
        views = [hand.view(seat) for seat in (0, 1)]
        if hand.betting.showdown:
            shown += 1
            expected = naive_credit(hand)
            assert [credit(view) for view in views] == pytest.approx([expected, -expected], abs=1e-9)
        else:
            assert [credit(view) for view in views] == list(hand.payoffs()) == [money(view) for view in views]
    assert len(leduc_hands()) == 5520
    assert shown == 120 * 25


COMMAND = [sys.executable, "-c", "from pokerlab.cli.tournament import tournament; tournament()"]


@pytest.mark.slow
def test_a_killed_tournament_of_those_who_remember_goes_on(tmp_path):
    """kill -9 in the middle, and the same command again: the standings are those of one that was left alone."""
    model().save(tmp_path / "any.trends")
    agents = [
        "dynamic:call|raise|random?chooser=thompson&credit=luck",
        "dynamic:call|raise|fold",
        f"adapting:random?model={tmp_path / 'any.trends'}&top=3&window=15",
        "changing:call|raise?at=20",
    ]
    plan = plan_tournament(agents, "leduc", 60)
    undisturbed = summary(plan, run_tournament(plan))
    folder = tmp_path / "folder"

    def begin():
        arguments = [*agents, "--game", "leduc", "--hands", "60", "--out", str(folder), "--json"]
        return subprocess.Popen([*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def kept():
        return {path.name: path.read_bytes() for path in (folder / "chunks").glob("*.npz")}

    killed = begin()
    until = time.monotonic() + 60
    while not kept() and time.monotonic() < until:
        time.sleep(0.01)
    os.kill(killed.pid, signal.SIGKILL)
    killed.communicate(timeout=30)
    before = kept()
    assert before
    again = begin()
    out, errors = again.communicate(timeout=120)
    assert again.returncode == 0, errors
    assert len(before) < len(kept())
    assert before.items() <= kept().items()
    standings = json.loads(out)
    assert standings.pop("folder") == str(folder)
    assert standings == undisturbed
