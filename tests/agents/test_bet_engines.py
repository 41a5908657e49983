"""One bet language at work: in any betting state every engine offers the same chips for the same size.

The engines are the rules' own bet sizes, abstractions of small and of large games, betting graphs, spot trees, and the
rest of a hand as a spot. The twin counts in fractions, from the hand's actions alone.
"""

import random
from dataclasses import replace
from fractions import Fraction
from math import inf

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pokerlab.abstraction.bets import parse_bets
from pokerlab.abstraction.small import Abstraction, PlayerAbstraction
from pokerlab.agents.rest import Rest, parse_street
from pokerlab.cards.holes import COUNT
from pokerlab.cards.ranges import Range
from pokerlab.game.bet_sizes import parse_sizes
from pokerlab.game.betting import CALL, FOLD, Betting
from pokerlab.game.catalog import rules_of
from pokerlab.game.hand import new_hand
from pokerlab.refine.spots.spot import parse_spot
from pokerlab.refine.spots.tree import Sizes
from pokerlab.solvers.sampling.betting_graph import BettingGraph
from randomly import hand_states

EVERYTHING = Range(np.ones(COUNT))
WORDS = ["33", "75%", "50", "h", "p", "d", "66.7", "12.5", "150", "37c", "260c", "2.2x", "3x", "allin"]
words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4, unique=True)
percents = st.lists(st.sampled_from([w for w in WORDS if w[-1] not in "xc"]), min_size=1, max_size=3, unique=True)


@st.composite
def tables(draw):
    """No-limit hold'em for two, with equal stacks or not."""
    small = draw(st.integers(1, 60))
    big = draw(st.integers(small, 2 * small + 1))
    first, second = draw(st.tuples(st.integers(big + 1, 40 * big), st.integers(big + 1, 40 * big)))
    stacks = (first, first) if draw(st.booleans()) else (first, second)
    return replace(rules_of("holdem-nolimit"), blinds=(big, small), stacks=stacks, name="")


def twin(hand, size):
    """The raise that a size makes, whatever is legal: counted in fractions, from the hand's actions."""
    rules, spent, before, round = hand.rules, list(hand.rules.blinds), 0, 0
    state = new_hand(rules).betting
    before = rules.blinds[0] if len(set(rules.blinds)) == 1 else 0
    for action in hand.actions:
        if action == CALL:
            spent[state.actor] = min(max(spent), rules.stacks[state.actor])
        elif action > CALL:
            spent[state.actor] = action
        state = state.act(action)
        if state.round > round:
            before, round = max(spent), state.round
    stack, highest = rules.stacks[hand.actor], max(spent)
    if size.amount == inf:
        return stack
    amount, pot = Fraction(str(size.amount)), sum(spent) + highest - spent[hand.actor]
    over = {"%": amount * pot / 100, "c": amount, "x": (amount - 1) * (highest - before)}[size.unit]
    return min(stack, highest + max(1, int(over)))


def with_sizes(state, sizes):
    """The same state under rules that allow no other sizes."""
    return Betting(
        replace(state.rules, bet_sizes=sizes), state.round, state.spent, state.folded, state.actor, state.waiting,
        state.raises, state.min_raise_to, state.dead, state.acted, state.before,
    )  # fmt: skip


def raises_of(actions):
    return tuple(action for action in actions if action > CALL)


@settings(max_examples=120)
@given(tables(), words, st.integers(0, 10**6))
def test_every_engine_offers_the_same_chips(rules, chosen, seed):
    sizes = parse_sizes(" ".join(chosen))
    bets = parse_bets(" / ".join([" ".join(chosen)] * 4), rules)
    small = Abstraction((PlayerAbstraction(bets=sizes),) * 2)
    for hand in hand_states(rules, seed, fold=0.02, raising=0.5):
        if hand.actor is None or hand.pending:
            continue
        state = hand.betting
        amounts = {twin(hand, size) for size in sizes}
        assert {state.raise_to(size) for size in sizes} == amounts
        legal = state.legal().raises
        expected = tuple(sorted(amount for amount in amounts if amount in legal))
        assert with_sizes(state, sizes).legal().raises == expected
        assert raises_of(small(state)) == expected
        assert raises_of(bets(state)) == expected
        if state.round:
            in_a_spot(hand, chosen, expected)


def in_a_spot(hand, chosen, expected):
    """A spot has the same, and the least raise for sizes below it."""
    state, rest = hand.betting, Rest(hand.view(hand.actor))
    sizes = parse_street(" ".join(word for word in chosen if not word.endswith("x")) + " 50 | " + " ".join(chosen))
    spot = rest.spot(EVERYTHING, EVERYTHING, {**dict.fromkeys(range(4), Sizes()), state.round: sizes})
    offered = raises_of(spot.tree()[0].actions)
    legal = state.legal().raises
    wanted = sizes.raises if state.legal().fold else sizes.bets
    lifted = {min(max(twin(hand, size), legal[0]), legal[-1]) for size in wanted if legal}
    # With unequal stacks what is over the smaller is all-in.
    assert offered == tuple(sorted({min(amount, rest.most) for amount in lifted}))
    if state.legal().fold:
        assert {min(amount, rest.most) for amount in expected} <= set(offered)
    assert parse_spot(spot.text()).tree()[0].actions == spot.tree()[0].actions


@settings(max_examples=40)
@given(tables(), percents, percents, st.integers(0, 10**6))
def test_a_blueprint_finds_all_its_bets_in_the_spot(rules, first, later, seed):
    rng = random.Random(seed)
    text = f"{' '.join(first)} | {' '.join(later)}"
    graph = BettingGraph(rules, [[1] * 4] * 2, parse_bets(" / ".join([text] * 4), rules))
    hand, node = new_hand(rules).dealt((0, 5, 10, 15)), 0
    cards = iter([(20, 25, 30), (35,), (40,)])
    while not hand.betting.finished and not (hand.betting.round and rng.random() < 0.5):
        action = rng.choice([CALL, *(action for action in graph.actions[node] if action != FOLD)][:3])
        hand = hand.act(action)
        node = int(graph.arrays.child[graph.arrays.first[node] + graph.actions[node].index(action)])
        hand = hand.dealt(next(cards)) if hand.pending and not hand.betting.finished else hand
    assume(not hand.betting.finished)
    rest, sizes = Rest(hand.view(hand.actor)), parse_street(text)
    tree = rest.spot(EVERYTHING, EVERYTHING, dict.fromkeys(range(4), sizes)).tree()
    stack = [(node, tree[0])]
    while stack:
        node, place = stack.pop()
        assert place.kind == ("decision" if graph.actions[node] else "showdown")
        for number, action in enumerate(graph.actions[node]):
            there = rest.child(tree, place, action)
            assert there is not None, (graph.states[node], action, place.labels)
            if action != FOLD:
                stack.append((int(graph.arrays.child[graph.arrays.first[node] + number]), there))
