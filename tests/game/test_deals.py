"""The enumeration of deals against every deal of real cards, one by one."""

from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import combinations, pairwise

import numpy as np
import pytest

from pokerlab.abstraction.small import FULL
from pokerlab.cards.deck import Deck
from pokerlab.cards.ranking import strength
from pokerlab.errors import GameTooLarge
from pokerlab.game import deal_counts
from pokerlab.game import deals as deals_module
from pokerlab.game.betting import CALL, start_betting
from pokerlab.game.betting_tree import betting_tree, walk
from pokerlab.game.catalog import rules_of
from pokerlab.game.deal_counts import count_states, refuse_too_many
from pokerlab.game.deals import canonical, deals_of, private_state
from pokerlab.game.size import tree_nodes

TWO_CARDS = replace(
    rules_of("rhode-island:ranks=4,suits=2"), hole_cards=2, board_cards=(0, 0, 2), ranking="poker", name="two cards"
)
FLUSHES = replace(  # five-card hands: suits matter
    rules_of("leduc:ranks=5,suits=2"), hole_cards=2, board_cards=(0, 3), name="two cards and a flop"
)
GAMES = ["kuhn", "kuhn-3p", "leduc:ranks=4,suits=3", "rhode-island:ranks=3,suits=3", TWO_CARDS, FLUSHES]


def every_deal(rules):
    """Holes of all players, then the board of every round."""
    sizes = [*[rules.hole_cards] * rules.players, *rules.board_cards]

    def deal(left, dealt):
        if len(dealt) == len(sizes):
            yield dealt
            return
        for cards in combinations(sorted(left), sizes[len(dealt)]):
            yield from deal(left - set(cards), [*dealt, cards])

    yield from deal(set(range(len(rules.deck))), [])


def naive_deals(rules):
    """How often each combination of the players' last states is dealt, and the standing of their hands."""
    found = Counter()
    deck = rules.deck
    for dealt in every_deal(rules):
        holes, board = dealt[: rules.players], [cards for cards in dealt[rules.players :] if cards]
        states = tuple(canonical(rules, (hole, *board)) for hole in holes)
        strengths = [
            strength(
                [(deck.rank(c), deck.suit(c)) for cards in (hole, *board) for c in cards],
                rules.ranking,
                len(deck.ranks),
            )
            for hole in holes
        ]
        standing = tuple(sorted(set(strengths)).index(s) for s in strengths)
        found[states, standing] += 1
    return found


@pytest.mark.parametrize("game", GAMES, ids=lambda game: getattr(game, "name", game))
def test_every_deal_of_real_cards(game):
    rules = rules_of(game)
    deals, naive = deals_of(rules), naive_deals(rules)
    listed = {
        (tuple(deals.states[-1][s] for s in row), tuple(order)): chance
        for row, order, chance in zip(deals.dealt.tolist(), deals.order.tolist(), deals.chance, strict=True)
    }
    assert len(listed) == len(deals.chance)
    total = sum(naive.values())
    assert listed == pytest.approx({key: count / total for key, count in naive.items()}, abs=1e-15)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: getattr(game, "name", game))
def test_states_extend_their_parents_and_boards_stay_together(game):
    rules = rules_of(game)
    deals = deals_of(rules)
    for r in range(1, rules.rounds):
        for state, parent in zip(deals.states[r], deals.parents[r], strict=True):
            before = deals.states[r - 1][parent]
            assert before == canonical_again(rules, state[: len(before)])
    if rules.suits_matter:
        boards = [canonical_again(rules, state[1:]) for state in deals.states[-1]]
        assert len(set(boards)) == 1 + sum(a != b for a, b in pairwise(boards))


def test_what_a_seat_sees_is_one_of_the_states():
    rules = rules_of("rhode-island:ranks=4,suits=3")
    deals, seen = deals_of(rules), (9, 11, 6)
    assert private_state(rules, 1, seen[:1], seen[1:]) == (seen[:1], seen[1:2])
    for round in range(3):
        state = private_state(rules, round, seen[:1], seen[1:])
        assert deals.states[round][deals.number(round, state)] == canonical(rules, state)


def canonical_again(rules, state):
    """The representative of a prefix of a representative: where suits are forgotten it is one already."""
    return canonical(rules, state) if rules.suits_matter else state


def test_rhode_island():
    """13 cards up to suits; then 12 of the flop's suit or 13 of another with each of 13 flops; then 24 classes of hole
    cards with each of 156 suited boards, 37 with each of 169 others.
    """
    deals = deals_of(rules_of("rhode-island"))
    assert [len(states) for states in deals.states] == [13, 13 * 25, 156 * 24 + 169 * 37]
    assert deals.chance.sum() == pytest.approx(1.0, abs=1e-12)
    assert abs(deals.joint[0] - deals.joint[0].T).max() < 1e-15
    same = 52 / 52 * 3 / 51 / 13
    assert deals.joint[0].diagonal() == pytest.approx(np.full(13, same), abs=1e-15)
    assert abs(deals.showdown + deals.showdown.T).max() < 1e-15


def test_size_of_the_published_program():
    """Gilpin and Sandholm's linear program for Rhode Island hold'em has 91,224,226 rows: one for each sequence of a
    player and each infoset of the other, suits told apart, and for the other's empty sequence. That is the game with
    three bets a round.
    """

    def rows(game):
        seen = (52, 52 * 51, 52 * 51 * 50)  # what a player can have seen by each round
        found = 2
        for node in betting_tree(rules_of(game), FULL):
            if node.state.actor is not None:
                found += seen[node.state.round] * (len(node.actions) if node.state.actor == 0 else 1)
        return found

    assert rows("rhode-island:raises=3") == 91_224_226
    assert rows("rhode-island") > 2 * 91_224_226


def test_every_line_of_play_in_order():
    """Against plain recursion, up to the last node that is allowed."""
    rows = []

    def visit(parent, action, state):
        here, actions = len(rows), list(FULL(state))
        rows.append((parent, action, state, actions))
        for each in actions:
            visit(here, each, state.act(each))

    start = start_betting(rules_of("leduc"))
    visit(-1, CALL, start)
    assert [(*row[:3], list(row[3])) for row in walk(start, FULL, len(rows))] == rows
    with pytest.raises(GameTooLarge, match=f"the betting of leduc has more than {len(rows) - 1} nodes"):
        list(walk(start, FULL, len(rows) - 1))
    nodes = betting_tree(rules_of("leduc"), FULL)
    assert [(node.parent, node.state, list(node.actions)) for node in nodes] == [(row[0], *row[2:]) for row in rows]
    assert all(nodes[child].parent == i for i, node in enumerate(nodes) for child in node.children)
    assert sum(len(node.children) for node in nodes) == len(nodes) - 1


def test_texts_of_betting():
    """A round that is over is parted from the next, where there is anything left to decide."""
    for game in ("leduc-nl:stack=3", "leduc"):
        for node in betting_tree(rules_of(game), FULL):
            actions, state = [], start_betting(rules_of(game))
            at = node
            while at.parent >= 0:
                before = nodes_of(game)[at.parent]
                actions.insert(0, before.actions[before.children.index(nodes_of(game).index(at))])
                at = before
            text = ""
            for action in actions:
                after = state.act(action)
                text += state.text_of(action) + "/" * (after.round - state.round) * (not after.finished)
                state = after
            assert (node.text, node.state) == (text, state)
    assert "r3c" in [node.text for node in nodes_of("leduc-nl:stack=3")]


@cache
def nodes_of(game):
    return betting_tree(rules_of(game), FULL)


@pytest.mark.parametrize(
    ("rules", "holes"),
    [
        (rules_of("leduc:ranks=4,suits=3"), 4),
        (TWO_CARDS, 4 * 3 // 2 + 4),  # two of four ranks, or a pair
        (replace(TWO_CARDS, deck=Deck("QKA234", "s")), 6 * 5 // 2),
        (FLUSHES, 10 * 9 // 2),
        (rules_of("kuhn-3p"), 4),
    ],
)
def test_how_many_deals_are_too_many(rules, holes, monkeypatch):
    size = count_states(rules, [count for count in rules.board_cards if count]) * holes**rules.players
    monkeypatch.setattr(deal_counts, "MAX_DEALS", size)
    refuse_too_many(rules)
    monkeypatch.setattr(deal_counts, "MAX_DEALS", size - 1)
    with pytest.raises(GameTooLarge, match=f"{rules.name} has about"):
        refuse_too_many(rules)


def test_every_draw_with_its_multiplicity():
    deck = Counter({0: 2, 1: 3, 2: 1})
    drawn = dict(deals_module._draws(deck, [2, 1]))
    assert drawn == {
        ((0, 0), (1,)): 3, ((0, 0), (2,)): 1, ((0, 1), (0,)): 6, ((0, 1), (1,)): 12, ((0, 1), (2,)): 6,
        ((0, 2), (0,)): 2, ((0, 2), (1,)): 6, ((1, 1), (0,)): 6, ((1, 1), (1,)): 3, ((1, 1), (2,)): 3,
        ((1, 2), (0,)): 6, ((1, 2), (1,)): 6,
    }  # fmt: skip
    assert sum(drawn.values()) == 15 * 4
    assert list(drawn) == sorted(drawn)


def test_the_representative_is_the_least():
    suited = rules_of("rhode-island:ranks=4,suits=3")
    assert canonical(suited, ((9,), (11,), (6,))) == ((9,), (10,), (6,))
    assert canonical(suited, ((5,), (4,), (3,))) == ((3,), (4,), (5,))
    assert canonical(TWO_CARDS, ((7, 0), (5, 2))) == ((0, 3), (1, 2))


def test_deals_are_in_order():
    deals = deals_of(replace(TWO_CARDS, board_cards=(0, 0, 0)))
    assert deals.dealt.tolist() == sorted(deals.dealt.tolist())
    assert [len(parents) for parents in deals_of(TWO_CARDS).parents] == [len(row) for row in deals_of(TWO_CARDS).states]
    assert not deals_of(TWO_CARDS).parents[0].any()


def test_nodes_of_the_game_tree():
    assert tree_nodes(rules_of("kuhn")) == 6 * (4 + 5)
    assert tree_nodes(rules_of("rhode-island:raises=3")) == 6_698_856_528
    assert tree_nodes(rules_of("holdem-nolimit")) is None


@pytest.mark.parametrize(
    ("game", "least"),
    [
        ("leduc:ranks=4,suits=3", 4 * 4 * 4),  # classes of equal cards: two holes and the board
        ("kuhn-3p", 4**3),
        # 15 boards up to suits (6 suited, 9 not) with each of 9 by 9 holes, though cards can be dealt but once
        ("rhode-island:ranks=3,suits=3", 15 * 9 * 9),
        (TWO_CARDS, 10 * 10 * 10),  # pairs of equal cards count: 10 of 4 ranks
    ],
)
def test_how_many_deals_are_enumerated(game, least, monkeypatch):
    rules = rules_of(game)
    monkeypatch.setattr(deal_counts, "MAX_DEALS", least)
    assert len(deals_of.__wrapped__(rules).chance) <= least
    monkeypatch.setattr(deal_counts, "MAX_DEALS", least - 1)
    with pytest.raises(GameTooLarge, match="has about"):
        deals_of.__wrapped__(rules)


def test_boards_are_not_drawn_where_they_must_be_too_many(monkeypatch):
    """9 by 9 holes on each of 15 boards that differ by more than suits, which are counted and not enumerated."""
    rules = rules_of("rhode-island:ranks=3,suits=3")
    assert 9 * 9 * 15 == 1215

    def refuse(*_):
        raise AssertionError("a board was drawn")

    monkeypatch.setattr(deals_module, "_draws", refuse)
    monkeypatch.setattr(deal_counts, "MAX_DEALS", 1214)
    with pytest.raises(GameTooLarge) as caught:
        deals_of.__wrapped__(rules)
    assert str(caught.value) == (
        "rhode-island:ranks=3,suits=3 has about 1.2e+03 deals; compile enumerates at most 1e+03: "
        "take fewer ranks or suits, or allow games 2 times as large as usual (--larger 2)"
    )
    with pytest.raises(GameTooLarge, match="this game has about"):
        deals_of.__wrapped__(replace(rules, name=""))
    monkeypatch.setattr(deal_counts, "MAX_DEALS", 1215)
    with pytest.raises(AssertionError, match="was drawn"):
        deals_of.__wrapped__(rules)


@pytest.mark.parametrize("game", ["kuhn", "leduc", "rhode-island:ranks=3,suits=2", FLUSHES],
                         ids=lambda game: getattr(game, "name", game))  # fmt: skip
def test_pairs_of_states(game):
    """Matrices of all rounds against adding up the deals."""
    rules = rules_of(game)
    deals = deals_of(rules)
    last = rules.rounds - 1
    expected = [np.zeros((len(states),) * 2) for states in deals.states]
    signs = np.zeros_like(expected[-1])
    for (a, b), chance, (mine, theirs) in zip(deals.dealt.tolist(), deals.chance, deals.order.tolist(), strict=True):
        signs[a, b] += chance * ((mine > theirs) - (mine < theirs))
        for r in range(last, -1, -1):
            expected[r][a, b] += chance
            a, b = int(deals.parents[r][a]), int(deals.parents[r][b])
    assert len(deals.joint) == rules.rounds
    for ours, naive in zip(deals.joint, expected, strict=True):
        assert ours.toarray() == pytest.approx(naive, abs=1e-15)
    assert deals.showdown.toarray() == pytest.approx(signs, abs=1e-15)
    assert np.all(deals.showdown.data != 0)  # ties are left out
    assert not deals.parents[0].any()


def test_labels_and_ranks():
    leduc, flushes = deals_of(rules_of("leduc")), deals_of(FLUSHES)
    assert [leduc.label(state) for state in leduc.states[0]] == ["J", "Q", "K"]
    assert [leduc.label(state) for state in leduc.states[1]][:4] == ["J/J", "J/Q", "J/K", "Q/J"]
    assert leduc.rank(2) == 2
    state = flushes.states[1][0]
    assert flushes.label(state) == "/".join(FLUSHES.deck.text(cards) for cards in state)
    assert flushes.rank(5) == FLUSHES.deck.rank(5) == 2


def test_too_many_deals():
    with pytest.raises(GameTooLarge, match="holdem-limit has about"):
        deals_of(rules_of("holdem-limit"))


@pytest.mark.parametrize("game", [*GAMES, "leduc", "rhode-island:ranks=4,suits=4", "leduc:ranks=3,suits=1"])
def test_states_are_counted_without_enumerating_them(game):
    rules = rules_of(game)
    deals = deals_of(rules)
    for r, states in enumerate(deals.states):
        assert count_states(rules, [rules.hole_cards, *(n for n in rules.board_cards[: r + 1] if n)]) == len(states)
    boards = {canonical(rules, state[1:]) if rules.suits_matter else state[1:] for state in deals.states[-1]}
    assert count_states(rules, [n for n in rules.board_cards if n]) == len(boards)


def test_known_counts_of_states():
    """Hands of hold'em up to suits, with the streets remembered, as the literature has them."""
    holdem = rules_of("holdem-limit")
    for sizes, count in (((2,), 169), ((2, 3), 1_286_792), ((2, 3, 1), 55_190_538), ((2, 3, 1, 1), 2_428_287_420)):
        assert count_states(holdem, sizes) == count
