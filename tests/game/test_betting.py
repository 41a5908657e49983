"""Betting: examples of each rule, invariants under random play, and the sizes of known trees."""

import dataclasses
import inspect
import pickle
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pokerlab.cards.deck import Deck
from pokerlab.errors import GameTooLarge, IllegalAction
from pokerlab.game import betting
from pokerlab.game.bet_sizes import ALL_IN, Size, parse_size, parse_sizes
from pokerlab.game.betting import CALL, FOLD, Betting, start_betting
from pokerlab.game.catalog import rules_of
from pokerlab.game.rules import UNLIMITED_RAISES, Rules
from randomly import any_action, any_rules


def nolimit(stacks, blinds=(100, 50), **changes):
    """Hold'em betting, heads-up with reverse blinds."""
    players = len(stacks)
    return Rules(
        limit=False, blinds=blinds, first=(1 if players == 2 else 2, 0, 0, 0), raise_sizes=(),
        max_raises=(UNLIMITED_RAISES,) * 4, stacks=stacks, hole_cards=2, board_cards=(0, 3, 1, 1),
        deck=Deck(), **changes,
    )  # fmt: skip


def play(rules, *actions):
    state = start_betting(rules)
    for action in actions:
        state = state.act(action)
    return state


def options(state):
    """Fold allowed, smallest and largest raise."""
    legal = state.legal()
    return (legal.fold, legal.raises[0], legal.raises[-1]) if legal.raises else (legal.fold, None, None)


def refusal(state, action):
    with pytest.raises(IllegalAction) as caught:
        state.act(action)
    return str(caught.value)


def test_blinds_are_bets_and_the_small_blind_may_fold():
    state = play(rules_of("holdem-nolimit"))
    assert (state.actor, state.spent, state.pot, state.highest) == (1, (100, 50), 150, 100)
    assert options(state) == (True, 200, 20000)


def test_fold_only_when_facing_a_bet():
    state = play(rules_of("holdem-nolimit"), CALL)
    assert (state.actor, state.round) == (0, 0)  # the big blind may still raise
    assert options(state) == (False, 200, 20000)
    assert refusal(state, FOLD) == "fold is illegal: there is no bet to fold to"
    assert play(rules_of("kuhn")).legal().fold is False


def test_minimum_raise_is_the_last_raise():
    rules = rules_of("holdem-nolimit")
    assert options(play(rules, 300)) == (True, 500, 20000)
    assert options(play(rules, 300, 1000)) == (True, 1700, 20000)
    # A smaller raise than an earlier one of the round is impossible, so that the minimum only grows.
    assert options(play(rules, 300, 1000, 1700)) == (True, 2400, 20000)


def test_minimum_raise_starts_again_with_each_round():
    state = play(rules_of("holdem-nolimit"), 300, 1000, CALL)
    assert (state.round, state.actor, state.raises) == (1, 0, 0)
    assert options(state) == (False, 1100, 20000)
    assert options(state.act(CALL)) == (False, 1100, 20000)


def test_raise_amounts_outside_the_range_are_named():
    state = play(rules_of("holdem-nolimit"), 300)
    assert refusal(state, 499) == "raise to 499 is illegal: it must be 500 to 20000"
    assert refusal(state, 20001) == "raise to 20001 is illegal: it must be 500 to 20000"
    assert "is not an action" in refusal(state, -2)
    assert state.act(500).spent == (500, 300)


def test_all_in_below_the_minimum_raise_is_always_allowed():
    state = play(nolimit((400, 20000)), 300)
    assert options(state) == (True, 400, 400)
    assert refusal(state, 399).endswith("it must be 400 to 400")
    after = state.act(400)
    assert (after.actor, options(after)) == (1, (True, None, None))
    assert "nobody is left who could answer" in refusal(after, 20000)


def test_incomplete_all_in_reopens_the_betting():
    """As the competition's dealer has it; in casino rules the first raiser could only call."""
    state = play(nolimit((20000, 20000, 350), blinds=(50, 100, 0)), CALL, 300, CALL, 350)
    assert (state.actor, state.spent) == (0, (300, 300, 350))
    # The minimum stays that of the full raise, 300 + 200.
    assert options(state) == (True, 500, 20000)


def test_call_for_less_puts_all_in_and_ends_the_betting():
    state = play(nolimit((400, 20000)), 1000, CALL)
    assert state.spent == (400, 1000)
    assert (state.actor, state.finished, state.showdown, state.round) == (None, True, True, 3)


def test_all_in_and_call_ends_the_betting():
    state = play(rules_of("holdem-nolimit"), CALL, CALL, 20000, CALL)
    assert (state.finished, state.showdown, state.round, state.spent) == (True, True, 3, (20000, 20000))
    with pytest.raises(IllegalAction, match="betting is over"):
        state.legal()
    with pytest.raises(IllegalAction, match="betting is over"):
        state.act(CALL)


def test_the_others_play_on_beside_an_all_in():
    rules = nolimit((1000, 1000, 300), blinds=(50, 100, 0))
    state = play(rules, 300, CALL, CALL)
    assert (state.round, state.actor, state.waiting) == (1, 0, 2)
    state = state.act(CALL).act(400).act(CALL)
    assert (state.round, state.actor, state.spent, state.before) == (2, 0, (400, 400, 300), 400)
    state = state.act(1000).act(FOLD)
    assert (state.finished, state.survivors, state.showdown) == (True, (0, 2), True)


def test_no_raise_against_players_who_are_all_in():
    state = play(nolimit((5000, 5000, 300), blinds=(50, 100, 0)), 300, FOLD)
    assert (state.actor, options(state)) == (1, (True, None, None))


def test_fold_ends_the_hand_where_it_stands():
    state = play(rules_of("holdem-nolimit"), CALL, CALL, 300, FOLD)
    assert (state.finished, state.showdown, state.round, state.survivors) == (True, False, 1, (0,))


def test_folded_seats_are_passed_over():
    state = play(rules_of("holdem-limit-3p"), 20, FOLD, CALL)
    assert (state.round, state.actor) == (1, 1)
    assert state.act(CALL).actor == 2


def test_limit_raises_have_one_size_a_round():
    state = play(rules_of("holdem-limit"))
    assert options(state) == (True, 20, 20)
    assert refusal(state, 30) == "raise to 30 is illegal: it must be 20"
    turn = play(rules_of("holdem-limit"), CALL, CALL, CALL, CALL)
    assert (turn.round, options(turn)) == (2, (False, 30, 30))


def test_raise_cap_counts_the_blind_as_the_first_bet():
    state = play(rules_of("holdem-limit"), 20, 30, 40)
    assert options(state) == (True, None, None)
    assert refusal(state, 50) == "raise is illegal: round 1 already has its 3 raises"
    flop = play(rules_of("holdem-limit"), CALL, CALL, 20, 30, 40, 50)
    assert (flop.round, flop.raises, options(flop)) == (1, 4, (True, None, None))


def test_limit_with_a_short_stack():
    state = play(rules_of("holdem-limit:stack=15"))
    assert options(state) == (True, 15, 15)
    assert options(state.act(15)) == (True, None, None)
    assert play(rules_of("kuhn-3p"), 2).legal().raises == ()


def test_without_blinds_the_first_bet_is_one_chip():
    assert options(play(nolimit((10, 10), blinds=(0, 0)))) == (False, 1, 10)


def test_bet_sizes_are_percentages_of_the_pot_after_calling():
    rules = nolimit((20000, 20000), bet_sizes=(Size(50), Size(100), Size(1000), ALL_IN))
    assert play(rules).legal().raises == (200, 300, 2100, 20000)  # 50 % is exactly the minimum
    after = play(rules, 300)
    assert after.legal().raises == (600, 900, 6300, 20000)
    assert refusal(after, 700) == "raise to 700 is illegal: it must be 600 or 900 or 6300 or 20000"


def test_bet_sizes_below_the_minimum_are_left_out_and_equal_ones_merge():
    rules = rules_of("leduc-nl")
    assert play(rules).legal().raises == (2, 3, 4, 5, 7, 9, 11, 12)
    assert play(rules, 4).legal().raises == (8, 10, 12)
    assert play(rules, 11).legal().raises == (12,)


def test_the_stake_is_what_the_first_wins_or_what_is_shown_down():
    state = play(rules_of("holdem-nolimit"), 300, 1000)
    assert state.act(FOLD).stake == 300  # the second, with 300 in the pot, folds
    assert state.act(1700).act(FOLD).stake == -1000
    assert play(nolimit((400, 20000)), 1000, CALL).stake == 400  # what nobody called is not for the showdown
    assert play(nolimit((20000, 400)), CALL, 1000, CALL).stake == 400


def test_equal_states_are_equal_whichever_way_they_came_about():
    rules = rules_of("holdem-nolimit")
    state = play(rules, 300, CALL)
    again = pickle.loads(pickle.dumps(state))
    assert again is not state
    assert again == state
    assert hash(again) == hash(state)
    assert (again.before, again._key()) == (state.before, state._key())
    assert again.act(CALL) == state.act(CALL)
    assert state != play(rules, 300)
    assert state != play(rules, 400, CALL)
    assert state != "state"
    # What had been put in before the round makes no difference to what the rules allow.
    opened = play(rules, CALL, CALL)
    assert opened == Betting(*opened._key(), 7)


def test_states_are_remembered_up_to_a_number(monkeypatch):
    rules = nolimit((777, 888))
    assert play(rules, 300) is play(rules, 300)
    opened = play(rules, CALL, CALL)
    assert opened is play(rules, CALL, CALL)
    assert play(rules, CALL, CALL, 200, CALL, CALL) is play(rules, CALL, CALL, CALL, 200, CALL, CALL)
    monkeypatch.setattr(betting, "_MOST_KNOWN", 3)
    start = start_betting(nolimit((778, 888)))
    kept = [start.act(amount) is start.act(amount) for amount in (CALL, 200, 201, 202, 203)]
    assert kept == [True, True, True, False, False]
    first, second = (start.act(202).act(CALL) for _ in range(2))
    assert first is not second
    assert first == second


def test_sizes_in_limit_become_the_one_raise():
    start = play(rules_of("holdem-limit"))
    assert start.raises_to(parse_sizes("1 p 500"), lifted=True) == (20,)
    assert start.raises_to(parse_sizes("1 p 500")) == ()
    assert start.raises_to(parse_sizes("1 50 500")) == (20,)
    assert start.raises_to(parse_sizes("500"), lifted=True) == (20,)


def test_all_raises_where_they_are_few(monkeypatch):
    state = play(rules_of("holdem-nolimit:stack=202"))
    monkeypatch.setattr(betting, "_MOST_RAISES", 3)
    assert state.every_raise() == (200, 201, 202)
    monkeypatch.setattr(betting, "_MOST_RAISES", 2)
    with pytest.raises(GameTooLarge, match=r"holdem-nolimit:stack=202 has 3 raises in one place, and 2 can"):
        state.every_raise()


def test_who_can_act():
    state = play(nolimit((1000, 1000, 300), blinds=(50, 100, 0)), 300, FOLD, CALL)
    assert (state.folded, state.spent) == ((True, False, False), (50, 300, 300))
    assert [state.can_act(seat) for seat in range(3)] == [False, True, False]


@pytest.mark.parametrize(
    ("rules", "counts"),
    [
        (nolimit((3100, 200)), True),  # 31 raises of the big blind, a call for each, and one more action a player
        (nolimit((200, 3100)), True),
        (nolimit((3099, 200)), False),
        (nolimit((9999, 9999), min_bet=323), False),
        (nolimit((9999, 9999), min_bet=322), True),
        (dataclasses.replace(rules_of("holdem-limit"), max_raises=(1, 31, 1, 1)), True),
        (dataclasses.replace(rules_of("holdem-limit"), max_raises=(1, 30, 1, 1)), False),
        (dataclasses.replace(rules_of("holdem-limit-3p"), max_raises=(1, 20, 1, 1)), True),
        (dataclasses.replace(rules_of("holdem-limit-3p"), max_raises=(1, 19, 1, 1)), False),
    ],
)
def test_actions_are_counted_where_they_may_become_too_many(rules, counts):
    assert [play(rules, CALL).acted, play(rules, max(rules.blinds) + rules.small_bet).acted] == [int(counts)] * 2


def test_actions_of_some_raises():
    state = play(rules_of("holdem-nolimit"))
    assert state.actions((300, 500)) == (FOLD, CALL, 300, 500)
    assert state.act(CALL).actions((300,)) == (CALL, 300)


def test_what_is_dead_is_in_the_pot():
    state = play(rules_of("holdem-nolimit"))
    start = [getattr(state, name) for name in inspect.signature(Betting).parameters if name != "memory"]
    start[list(inspect.signature(Betting).parameters).index("dead")] = 30
    dead = Betting(*start)
    assert (state.pot, dead.pot) == (150, 180)
    assert dead.act(CALL).act(CALL).pot == 230
    assert dead.raise_to(parse_size("p")) == 100 + 200 + 30
    assert dead != state


def test_complaints_are_whole_sentences():
    state = play(rules_of("holdem-nolimit"), 300)
    assert refusal(state, -2) == "-2 is not an action: fold is -1, call 0, a raise the chips it goes to"
    all_in = play(nolimit((400, 20000)), 400)
    assert refusal(all_in, 500) == "raise is illegal: nobody is left who could answer it, or the stack is too short"
    turn = play(rules_of("holdem-limit"), CALL, CALL, 20, 30, 40, 50)
    assert refusal(turn, 60) == "raise is illegal: round 2 already has its 4 raises"


def test_text_of_actions():
    limit, free = play(rules_of("leduc")), play(rules_of("leduc-nl"))
    assert [limit.text_of(action) for action in (FOLD, CALL, 3)] == ["f", "c", "r"]
    assert [free.text_of(action) for action in (FOLD, CALL, 3)] == ["f", "c", "r3"]


def test_legal_lists_fold_call_and_raises():
    legal = play(rules_of("holdem-nolimit:stack=202")).legal()
    assert list(legal.actions()) == [FOLD, CALL, 200, 201, 202]
    assert all(action in legal for action in legal.actions())
    assert not any(action in legal for action in (-2, 1, 199, 203))


@given(any_rules(), st.integers(0, 2**32))
def test_random_play_keeps_the_books(rules, seed):
    rng = random.Random(seed)
    state, steps = start_betting(rules), 0
    while not state.finished:
        actor, legal = state.actor, state.legal()
        assert state.can_act(actor)
        assert not state.folded[actor]
        assert list(legal.raises) == sorted(set(legal.raises))
        assert all(state.highest < amount <= rules.stacks[actor] for amount in legal.raises)
        assert len(legal.raises) == 0 or state.raises < rules.max_raises[state.round]
        action = any_action(legal, rng)
        after = state.act(action)
        others = [seat for seat in range(rules.players) if seat != actor]
        assert all(after.spent[seat] == state.spent[seat] for seat in others)
        assert all(after.folded[seat] == state.folded[seat] for seat in others)
        assert after.folded[actor] == (action == FOLD)
        assert state.spent[actor] <= after.spent[actor] <= rules.stacks[actor]
        assert action <= CALL or after.spent[actor] == action
        assert after.pot == sum(after.spent)
        assert after.round >= state.round
        state, steps = after, steps + 1
        assert steps < 1000
    assert state.survivors
    # Whoever is left has matched the highest bet or is all-in, and the highest bettor never folded.
    highest = max(state.spent)
    assert any(state.spent[seat] == highest for seat in state.survivors)
    if state.showdown:
        assert all(state.spent[s] in (highest, rules.stacks[s]) for s in state.survivors)
        assert state.round == rules.rounds - 1


@given(any_rules(), st.integers(0, 2**32))
def test_exactly_the_legal_actions_are_accepted(rules, seed):
    rng = random.Random(seed)
    state = start_betting(rules)
    while not state.finished:
        legal = state.legal()
        allowed = set(legal.actions())
        for action in {-2, FOLD, CALL, 1, state.highest, state.highest + 1, state.min_raise_to,
                       rules.stacks[state.actor], rules.stacks[state.actor] + 1}:  # fmt: skip
            if action in allowed:
                assert sum(state.act(action).spent) >= sum(state.spent)
            else:
                refusal(state, action)
        state = state.act(any_action(legal, rng))


def count_terminals(rules):
    """Terminals with a showdown and with a fold."""
    showdowns = folds = 0
    stack = [start_betting(rules)]
    while stack:
        state = stack.pop()
        if state.finished:
            showdowns, folds = showdowns + state.showdown, folds + (not state.showdown)
        else:
            stack += [state.act(action) for action in state.legal().actions()]
    return showdowns, folds


@pytest.mark.parametrize(
    ("game", "showdowns", "folds"),
    [
        ("kuhn", 3, 2),
        ("kuhn-3p", 10, 3),
        ("leduc", 25, 24),
        ("holdem-limit", 5103, 5103),
    ],
)
def test_sizes_of_known_trees(game, showdowns, folds):
    assert count_terminals(rules_of(game)) == (showdowns, folds)


def test_three_bets_a_round():
    three = dataclasses.replace(rules_of("holdem-limit"), max_raises=(2, 3, 3, 3))
    assert count_terminals(three) == (1715, 1715)


@pytest.mark.parametrize("players", [2, 3])
def test_a_round_has_the_official_dealers_64_actions(players):
    """No raise once the round's actions and the players exceed 64; calls and the next round are as ever."""
    heads_up = rules_of("holdem-nolimit")
    seats = {"blinds": (50, 100, 0), "first": (2, 0, 0, 0), "stacks": (20000,) * 3}
    state = start_betting(heads_up if players == 2 else dataclasses.replace(heads_up, **seats))
    state = state.act(CALL)
    while state.legal().raises:
        assert state.acted + players <= 64
        state = state.act(state.legal().raises[0])
    assert (state.acted, state.raises) == (65 - players, 64 - players)
    with pytest.raises(IllegalAction, match=f"round 1 already has its {64 - players} raises"):
        state.act(state.min_raise_to)
    while state.round == 0:
        state = state.act(CALL)
    assert state.acted == 0
    assert state.legal().raises
