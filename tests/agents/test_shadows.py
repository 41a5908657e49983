"""Shadows of real betting against a twin that keeps whole lines of play, under every kind of betting."""

import random
from dataclasses import replace

import pytest

import pokerlab
from pokerlab.abstraction.translation import carried_out, taken_for
from pokerlab.agents import shadows
from pokerlab.agents.blueprint import graph_of
from pokerlab.agents.shadows import Followed, Follower, Shadow
from pokerlab.errors import AbstractionError
from pokerlab.game.betting import CALL, FOLD, start_betting
from randomly import any_action

NOLIMIT = pokerlab.rules_of("holdem-nolimit:stack=2000")
SIZES = "50 100 allin / 50 100 allin | allin / 100 allin / 100"
THREE_STACKS = replace(NOLIMIT, blinds=(50, 100, 0), first=(2, 0, 0, 0), stacks=(2000, 700, 5000), name="three")
GAMES = {
    "limit, capped": (pokerlab.rules_of("holdem-limit"), "cap 1 0 1 2", "hand"),
    "three, forgetful": (pokerlab.rules_of("holdem-limit-3p"), "cap 1 1 2 1", "round"),
    "no-limit": (NOLIMIT, SIZES, "hand"),
    "no-limit, forgetful": (NOLIMIT, SIZES, "round"),
    "short": (pokerlab.rules_of("holdem-nolimit:stack=350"), SIZES, "hand"),
    "three stacks": (THREE_STACKS, "100 allin | allin / 100 allin | allin / allin / allin", "hand"),
    "three stacks, forgetful": (THREE_STACKS, "100c 200c | 300c 400c | allin / 100 allin / allin / allin", "round"),
}
COUNTS = (2, 3, 4, 5)


def believed(graph, seat, actions, translation, vary):
    """{(line of play, the player's own choices on it): chance}, where each choice is (line before, number)."""
    real, lines = start_betting(graph.rules), {((), ()): 1.0}
    for action in actions:
        after = real.act(action)
        new = _own(graph, lines, real, action, vary) if real.actor == seat else {}
        if not new:
            new = _others(graph, lines, real, action, translation)
        lines = {}
        for (line, choices), chance in new.items():
            state = graph.states[graph.follow(line)[0]]
            while state.actor is not None and (state.round < after.round or not _in_play(after, state.actor)):
                known = graph.actions[graph.follow(line)[0]]
                line = (*line, FOLD if after.folded[state.actor] and FOLD in known else CALL)
                state = graph.states[graph.follow(line)[0]]
            lines[line, choices] = lines.get((line, choices), 0.0) + chance
        whole = sum(lines.values())
        lines = {key: chance / whole for key, chance in lines.items()}
        real = after
    return real, lines


def _in_play(real, seat):
    return not real.folded[seat] and real.spent[seat] < real.rules.stacks[seat]


def _waits(graph, line, real):
    """The player does not believe that whoever acts now is to act."""
    state = graph.states[graph.follow(line)[0]]
    return state.actor is None or state.actor != real.actor or state.round != real.round


def _own(graph, lines, real, action, vary):
    new = {}
    for (line, choices), chance in lines.items():
        if _waits(graph, line, real):
            if action == CALL:
                new[line, choices] = chance
            continue
        node = graph.follow(line)[0]
        for number, choice in enumerate(graph.actions[node]):
            odds = carried_out(graph.states[node], choice, real, vary).get(action, 0.0)
            if odds:
                new[(*line, choice), (*choices, (line, number))] = chance * odds
    return new


def _others(graph, lines, real, action, translation):
    new = {}
    for (line, choices), chance in lines.items():
        if _waits(graph, line, real):
            new[line, choices] = new.get((line, choices), 0.0) + chance
            continue
        node = graph.follow(line)[0]
        raises = [choice for choice in graph.actions[node] if choice > CALL]
        for choice, odds in taken_for(real, action, graph.states[node], raises, translation).items():
            key = (*line, choice), choices
            new[key] = new.get(key, 0.0) + chance * odds
    return new


def placed(graph, lines):
    """Lines of play as places of the graph: those that lead to one place, by the same choices, are one."""
    places = {}
    for (line, choices), chance in lines.items():
        key = graph.follow(line), tuple((*graph.follow(before), number) for before, number in choices)
        places[key] = places.get(key, 0.0) + chance
    return places


def random_line(rules, rng):
    state, actions = start_betting(rules), []
    while not state.finished:
        actions.append(any_action(state.legal(), rng, fold=0.05, raising=0.5))
        state = state.act(actions[-1])
    return tuple(actions)


@pytest.mark.parametrize(("translation", "vary"), [("pseudo-harmonic", 0.0), ("soft", 0.3), ("hard", 0.0)])
@pytest.mark.parametrize("game", GAMES)
def test_shadows_are_all_that_the_player_may_believe(game, translation, vary):
    rules, bets, memory = GAMES[game]
    graph, rng, several = graph_of(rules, bets, memory, COUNTS), random.Random(5), 0
    follower = Follower(graph, translation, vary)
    for turn in range(40):
        line, seat = random_line(rules, rng), turn % rules.players
        for end in range(len(line) + 1) if turn % 2 else [len(line)]:  # all at once, or action by action
            real, lines = believed(graph, seat, line[:end], translation, vary)
            places = placed(graph, lines)
            if len(places) > shadows.MOST:
                break  # the rest of the line has forgotten some
            now = follower.follow(seat, line[:end])
            assert now.real == real
            chances = [shadow.chance for shadow in now.shadows]
            assert chances == sorted(chances, reverse=True)
            ours = {((s.node, s.base), s.choices): s.chance for s in now.shadows}
            assert len(ours) == len(now.shadows)
            assert ours == pytest.approx(places)
            several = max(several, len(places))
            for shadow in now.shadows:
                state = graph.states[shadow.node]
                same = state.actor == real.actor and state.round == real.round
                assert follower.decides(shadow, real) == (state.actor is not None and same)
    assert several > 1 or rules.limit or translation == "hard"


@pytest.mark.parametrize(
    ("game", "translation", "seat", "line", "apart", "met"),
    [
        ("no-limit, forgetful", "soft", 0, (200, 409, CALL, 1199, CALL), 4, 3),
        ("three stacks, forgetful", "soft", 1, (CALL, CALL, 298, CALL, CALL, CALL, 425, CALL, CALL), 2, 1),
        ("three stacks, forgetful", "pseudo-harmonic", 2, (278, 0, 456, 0, 1585, 0, 0, 1857, 2129, 0), 13, 11),
    ],
)
def test_shadows_that_meet_are_one(game, translation, seat, line, apart, met):
    rules, bets, memory = GAMES[game]
    graph = graph_of(rules, bets, memory, COUNTS)
    _, lines = believed(graph, seat, line, translation, 0.0)
    places, now = placed(graph, lines), Follower(graph, translation, 0.0).follow(seat, line).shadows
    assert (len(lines), len(places)) == (apart, met)
    assert {((s.node, s.base), s.choices): s.chance for s in now} == pytest.approx(places)


def test_so_many_are_kept():
    rules, bets, memory = GAMES["no-limit"]
    follower = Follower(graph_of(rules, bets, memory, COUNTS), "soft", 0.0)
    many = [Shadow(0, base, chance) for base, chance in enumerate(range(1, 101))]
    kept = follower._after(0, Followed(start_betting(rules), tuple(many)), CALL).shadows
    whole = sum(range(37, 101))
    assert [shadow.chance for shadow in kept] == pytest.approx([chance / whole for chance in range(100, 36, -1)])


def test_the_likeliest_are_kept(monkeypatch):
    rules, bets, memory = GAMES["no-limit"]
    graph = graph_of(rules, bets, memory, COUNTS)
    line = (270, CALL, CALL, 330, CALL)
    _, lines = believed(graph, 0, line[:1], "pseudo-harmonic", 0.0)
    first = sorted(placed(graph, lines).values(), reverse=True)
    assert len(first) == 2
    monkeypatch.setattr(shadows, "MOST", 1)
    follower = Follower(graph, "pseudo-harmonic", 0.0)
    (kept,) = follower.follow(0, line[:1]).shadows
    likeliest = max(placed(graph, lines), key=placed(graph, lines).get)
    assert ((kept.node, kept.base), kept.choices) == likeliest
    assert kept.chance == 1.0


def test_what_is_remembered_is_bounded_and_changes_nothing(monkeypatch):
    rules, bets, memory = GAMES["no-limit"]
    graph, rng = graph_of(rules, bets, memory, COUNTS), random.Random(2)
    lines = [random_line(rules, rng) for _ in range(30)]
    plain = Follower(graph, "soft", 0.0)
    expected = [plain.follow(1, line) for line in lines]
    steps = []
    after = Follower._after
    monkeypatch.setattr(Follower, "_after", lambda *args: steps.append(args) or after(*args))
    assert [plain.follow(1, line) for line in lines] == expected
    assert not steps  # all of it was known
    fresh, longest = Follower(graph, "soft", 0.0), max(lines, key=len)
    fresh.follow(1, longest[:-1])
    steps.clear()
    fresh.follow(1, longest)
    assert len(steps) == 1  # what was known is gone on from
    fresh.follow(1, longest[: len(longest) // 2])
    assert len(steps) == 1  # and what lies on the way is known
    monkeypatch.setattr(shadows, "_MOST_KNOWN", 6)
    forgetful = Follower(graph, "soft", 0.0)
    for line, followed in zip(lines, expected, strict=True):
        assert forgetful.follow(1, line) == followed
        assert len(forgetful._known) <= 6 + len(line)
    just = Follower(graph, "soft", 0.0)
    for actions, known in (((CALL,) * 3, 3), ((CALL, 300, CALL), 5), ((200,), 6), ((300,), 7), ((400,), 1)):
        just.follow(1, actions)
        assert len(just._known) == known  # the seventh is the first too many, and noticed by the next history


def test_rules_of_translation_are_known_at_once():
    with pytest.raises(AbstractionError, match="no translation 'guess'"):
        Follower(graph_of(*GAMES["limit, capped"], COUNTS), "guess", 0.0)
