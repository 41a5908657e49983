"""Hands: deals, actions, views that hide, payoffs with side pots, and the competition's texts."""

import dataclasses
import itertools
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from pokerlab.cards.ranking import strength
from pokerlab.errors import CardError, IllegalAction, PokerlabError
from pokerlab.game.betting import CALL, FOLD, start_betting
from pokerlab.game.catalog import CATALOG, rules_of
from pokerlab.game.hand import Hand, View, action_text, deal_random, new_hand, parse_hand
from pokerlab.game.rules import Rules
from randomly import any_rules, hand_states
from shared_data import shared_data

HOLDEM = rules_of("holdem-nolimit")
LIMIT = rules_of("holdem-limit")


def three_handed(*stacks):
    return dataclasses.replace(HOLDEM, blinds=(50, 100, 0), first=(2, 0, 0, 0), stacks=stacks)


# Deals and turns


def test_a_hand_from_deal_to_showdown():
    deck = LIMIT.deck
    hand = new_hand(LIMIT)
    assert (hand.pending, hand.actor, hand.finished, hand.holes) == (4, None, False, ())
    hand = hand.deal(deck.cards("8s2hKd5c"))
    assert hand.holes == (deck.cards("8s2h"), deck.cards("Kd5c"))
    assert (hand.pending, hand.actor) == (0, 1)
    hand = hand.act(CALL).act(CALL)
    assert (hand.pending, hand.actor, hand.finished) == (3, None, False)
    hand = hand.deal(deck.cards("7hAdTd")).act(CALL).act(20).act(CALL)
    assert hand.pending == 1
    hand = hand.deal(deck.cards("4s")).act(CALL).act(CALL).deal(deck.cards("Kc"))
    assert (hand.actor, hand.legal().fold) == (0, False)
    hand = hand.act(40).act(CALL)
    assert (hand.pending, hand.actor, hand.finished) == (0, None, True)
    assert hand.actions == (CALL, CALL, CALL, 20, CALL, CALL, CALL, 40, CALL)
    assert hand.ends == (2, 5, 7)
    assert hand.betting_text() == "cc/crc/cc/rc"
    assert hand.cards_text() == "8s2h|Kd5c/7hAdTd/4s/Kc"
    assert hand.payoffs() == (-40.0, 40.0)


def test_all_in_leaves_the_whole_board_pending():
    hand = parse_hand(HOLDEM, "r20000", "8s2h|Kd5c").act(CALL)
    assert (hand.pending, hand.finished, hand.actor) == (5, False, None)
    hand = hand.deal(HOLDEM.deck.cards("7hAdTd4sKc"))
    assert (hand.finished, hand.betting_text()) == (True, "r20000c///")
    assert hand.payoffs() == (-20000.0, 20000.0)


def test_a_fold_leaves_nothing_pending():
    hand = parse_hand(HOLDEM, "cc/r300", "8s2h|Kd5c/7hAdTd").act(FOLD)
    assert (hand.pending, hand.finished) == (0, True)
    assert hand.payoffs() == (100.0, -100.0)


def test_dealing_refuses_wrong_cards():
    hand = new_hand(HOLDEM)
    with pytest.raises(CardError, match="4 cards are to be dealt now, not 2"):
        hand.deal((0, 1))
    with pytest.raises(CardError, match="card 52 is not one of the deck's 0 to 51"):
        hand.deal((0, 1, 2, 52))
    with pytest.raises(CardError, match="card -1"):
        hand.deal((0, 1, 2, -1))
    with pytest.raises(CardError, match="a card is dealt twice: '2c2d2h2c'"):
        hand.deal((0, 1, 2, 0))
    hand = hand.deal((0, 1, 2, 3))
    with pytest.raises(CardError, match="0 cards are to be dealt now, not 1"):
        hand.deal((5,))
    hand = hand.act(CALL).act(CALL)
    with pytest.raises(CardError, match=r"dealt twice: '2s3c3d' after '2c2d\|2h2s'"):
        hand.deal((3, 4, 5))


def test_nobody_acts_while_cards_are_pending():
    for hand in (new_hand(HOLDEM), parse_hand(HOLDEM, "cc/", "8s2h|Kd5c")):
        with pytest.raises(IllegalAction, match="cards must be dealt before anybody acts"):
            hand.act(CALL)
        with pytest.raises(IllegalAction, match="cards must be dealt before anybody acts"):
            hand.legal()


def test_illegal_actions_and_a_finished_hand_are_refused():
    hand = parse_hand(HOLDEM, "r300", "8s2h|Kd5c")
    with pytest.raises(IllegalAction, match="it must be 500 to 20000"):
        hand.act(400)
    with pytest.raises(IllegalAction, match="only when the hand is over"):
        hand.payoffs()
    with pytest.raises(IllegalAction, match="betting is over"):
        hand.act(FOLD).act(CALL)


def test_hands_are_values():
    hand = parse_hand(HOLDEM, "r300c/", "8s2h|Kd5c")
    dealt = hand.deal(HOLDEM.deck.cards("7hAdTd"))
    assert hand.board == ()
    assert dealt == parse_hand(HOLDEM, "r300c/", "8s2h|Kd5c/7hAdTd")
    assert len({hand, dealt, parse_hand(HOLDEM, "r300c/", "8s2h|Kd5c")}) == 2
    with pytest.raises(AttributeError):
        hand.board = (1, 2, 3)
    with pytest.raises(AttributeError):
        dealt.view(0).holes = ()


def test_random_deals_are_seeded_and_never_repeat_a_card():
    states = [hand_states(HOLDEM, seed)[-1] for seed in (1, 1, 2)]
    assert states[0] == states[1] != states[2]
    for seed in range(200):
        hand = hand_states(LIMIT, seed, fold=0.0)[-1]
        cards = [*itertools.chain(*hand.holes), *hand.board]
        assert len(set(cards)) == len(cards) == 9


def test_random_deals_are_uniform():
    rng, rules = np.random.default_rng(7), rules_of("kuhn")
    deals = [deal_random(new_hand(rules), rng).holes for _ in range(6000)]
    counts = [deals.count(((a,), (b,))) for a, b in itertools.permutations(range(3), 2)]
    assert sum(counts) == 6000
    # Five standard deviations of a fair count.
    assert all(abs(count - 1000) < 5 * (6000 * 5 / 36) ** 0.5 for count in counts)


def test_random_deals_avoid_known_cards_only():
    rng, rules = np.random.default_rng(3), rules_of("leduc")
    for holes, left in (("Kh|Ks", "JhJsQhQs"), ("Kh|", "JhJsQhQsKs")):
        hand = parse_hand(rules, "cc/", holes)
        boards = {deal_random(hand, rng).board for _ in range(100)}
        assert rules.deck.text(sorted(card for (card,) in boards)) == left


# Views


def swap_hidden(hand: Hand, seat: int) -> Hand:
    """The hand with every card that `seat` cannot see replaced by another unseen one."""
    known = {*hand.holes[seat], *hand.board}
    unseen = [card for card in range(len(hand.rules.deck)) if card not in known]
    hidden = [card for other, hole in enumerate(hand.holes) if other != seat for card in hole]
    renamed = dict(zip(unseen, unseen[1:] + unseen[:1], strict=True))
    assert all(renamed[card] != card for card in hidden)
    holes = [hole if s == seat else tuple(map(renamed.get, hole)) for s, hole in enumerate(hand.holes)]
    return hand._replace(holes=tuple(holes))


@pytest.mark.parametrize("game", CATALOG)
@given(seed=st.integers(0, 2**32))
def test_views_tell_nothing_of_hidden_cards(game, seed):
    rules = rules_of(game)
    for hand in hand_states(rules, seed)[1:]:
        for seat in range(rules.players):
            if hand.finished and hand.betting.showdown:
                continue
            view = hand.view(seat)
            assert view == swap_hidden(hand, seat).view(seat)
            assert view.holes[seat] == view.hole == hand.holes[seat]
            assert all(view.holes[other] == () for other in range(rules.players) if other != seat)


@pytest.mark.parametrize("game", CATALOG)
@given(seed=st.integers(0, 2**32))
def test_views_tell_everything_public(game, seed):
    rules = rules_of(game)
    for hand in hand_states(rules, seed):
        for seat in range(rules.players):
            view = hand.view(seat)
            assert isinstance(view, View)
            assert (view.rules, view.seat) == (rules, seat)
            assert (view.board, view.actions, view.betting) == (hand.board, hand.actions, hand.betting)
            assert view.betting_text() == hand.betting_text()
            assert view.legal == (hand.legal() if seat == hand.actor else None)


def test_a_view_before_the_deal():
    view = new_hand(HOLDEM).view(1)
    assert (view.hole, view.holes, view.legal, view.cards_text()) == ((), (), None, "")


def test_a_showdown_shows_the_survivors_cards_to_all():
    rules = three_handed(1000, 1000, 1000)
    hand = parse_hand(rules, "cfr1000c///", "8s2h|Kd5c|AhAd")
    assert [hand.view(seat).cards_text() for seat in range(3)] == ["8s2h||", "|Kd5c|", "||AhAd"]
    shown = hand.deal(rules.deck.cards("7h9dTd4sKc"))
    assert [shown.view(seat).cards_text() for seat in range(3)] == [
        "8s2h|Kd5c|AhAd/7h9dTd/4s/Kc",  # the folded seat sees its own cards, but shows them to nobody
        "|Kd5c|AhAd/7h9dTd/4s/Kc",
        "|Kd5c|AhAd/7h9dTd/4s/Kc",
    ]


def test_a_fold_shows_nothing():
    hand = parse_hand(HOLDEM, "r300f", "8s2h|Kd5c")
    assert [hand.view(seat).cards_text() for seat in range(2)] == ["8s2h|", "|Kd5c"]


def test_only_seats_have_views():
    for seat in (-1, 2):
        with pytest.raises(PokerlabError, match="seats are 0 to 1"):
            new_hand(HOLDEM).view(seat)


# Payoffs


def naive_payoffs(hand: Hand):
    deck, folded = hand.rules.deck, hand.betting.folded
    strengths = {}
    for seat, hole in enumerate(hand.holes):
        if not folded[seat]:
            cards = [(deck.rank(card), deck.suit(card)) for card in hole + hand.board]
            strengths[seat] = strength(cards, hand.rules.ranking, len(deck.ranks))
    return naive.payoffs_chip_by_chip(hand.betting.spent, strengths)


@given(any_rules(), st.integers(0, 2**32))
def test_payoffs_agree_with_the_naive_twin(rules: Rules, seed):
    hand = hand_states(rules, seed, fold=0.05)[-1]
    paid = hand.payoffs()
    assert paid == pytest.approx([float(chips) for chips in naive_payoffs(hand)], abs=1e-9)
    assert sum(paid) == pytest.approx(0, abs=1e-9)
    assert all(chips >= -spent for chips, spent in zip(paid, hand.betting.spent, strict=True))


@pytest.mark.parametrize(
    ("stacks", "betting", "cards", "expected"),
    [
        # The short stack wins the main pot, the second best hand the side pot, the rest goes back.
        ((300, 600, 900), "r900cc///", "AhAd|KhKd|QhQd/2c3d7s/8h/9c", (600, 0, -600)),
        ((300, 600, 900), "r900cc///", "QhQd|KhKd|AhAd/2c3d7s/8h/9c", (-300, -600, 900)),
        ((300, 600, 900), "r900cc///", "QhQd|AhAd|KhKd/2c3d7s/8h/9c", (-300, 900, -600)),
        # The short stack ties with one of the others: half the main pot, all of the side pot.
        ((300, 600, 600), "r600cc///", "AhKd|AdKh|QhQd/2c3dAs/8h/9c", (150, 450, -600)),
        # Three tie; what was uncalled goes back.
        ((300, 600, 900), "r900cc///", "2h3h|2d3d|2s3s/AcKcQc/Jc/Tc", (0, 0, 0)),
        # A folded player's chips are won pot by pot.
        ((300, 1000, 1000), "r300cc/r500f//", "AhAd|KhKd|QhQd/2c3d7s/8h/9c", (600, -300, -300)),
        ((300, 1000, 1000), "r300cc/r500r1000f//", "KhKd|AhAd|QhQd/2c3d7s/8h/9c", (600, -500, -100)),
        # A tie shares a dead blind.
        ((1000, 1000, 1000), "cfc/cc/cc/cc", "AhKd|AdKh|AcKs/2c3d7s/8h/9c", (-50, 25, 25)),
    ],
)
def test_side_pots(stacks, betting, cards, expected):
    hand = parse_hand(three_handed(*stacks), betting, cards)
    assert hand.payoffs() == expected
    assert naive_payoffs(hand) == list(expected)


def test_an_odd_chip_is_cut_in_halves():
    rules = dataclasses.replace(three_handed(1000, 1000, 1000), blinds=(51, 100, 0))
    assert parse_hand(rules, "cfc/cc/cc/cc", "2h2d|AdKh|AcKs/3c4d7s/8h/9c").payoffs() == (-51, 25.5, 25.5)


@pytest.mark.parametrize("betting", ["cc/cc/cr300c/r900f", "r20000c///", "cc/r20000c//", "f", "cc/cc/cc/cc"])
def test_what_an_action_adds_to_the_text(betting):
    state, text = start_betting(rules_of("holdem-nolimit")), ""
    for word in re.findall("[fc]|r[0-9]+", betting):
        action = {"f": FOLD, "c": CALL}.get(word) if word in "fc" else int(word[1:])
        after = state.act(action)
        text += action_text(state, action, after)
        state = after
    assert text == betting


def test_rounds_without_cards_have_their_place_in_the_text_when_they_come():
    early = dataclasses.replace(rules_of("leduc"), board_cards=(1, 0))
    assert parse_hand(early, "c", "Jh|Qh" + "Ks").cards_text() == "Jh|QhKs"
    assert parse_hand(early, "cc/", "Jh|QhKs/").cards_text() == "Jh|QhKs/"
    three = dataclasses.replace(
        rules_of("leduc-nl"), board_cards=(0, 2, 0), first=(0,) * 3, max_raises=(2,) * 3, stacks=(9, 9), bet_sizes=()
    )
    all_in = new_hand(three).deal([0, 1]).act(9).act(CALL)
    assert all_in.cards_text() == "Jh|Js"
    assert all_in.deal([2, 3]).cards_text() == "Jh|Js/QhQs/"


def test_small_games_pay_as_in_the_papers():
    kuhn, leduc = rules_of("kuhn"), rules_of("leduc")
    assert parse_hand(rules_of("holdem-nolimit"), "r300f", "|").payoffs() == (-100, 100)  # nobody's cards are needed
    assert parse_hand(kuhn, "cc", "Js|Ks").payoffs() == (-1, 1)
    assert parse_hand(kuhn, "crf", "Js|Ks").payoffs() == (-1, 1)
    assert parse_hand(kuhn, "rc", "Ks|Js").payoffs() == (2, -2)
    assert parse_hand(leduc, "rrc/rrc", "Jh|Kh/Js").payoffs() == (13, -13)  # a pair beats a king
    assert parse_hand(leduc, "rrc/rrc", "Qh|Qs/Js").payoffs() == (0, 0)
    rhode = rules_of("rhode-island")
    assert parse_hand(rhode, "cc/cc/cc", "4h|Ad/2c/3s").payoffs() == (5, -5)  # 2-3-4 over A-2-3
    assert parse_hand(rhode, "cc/cc/cc", "4h|Ah/Kh/Qh").payoffs() == (-5, 5)  # straight flush over flush


def test_showdowns_know_the_size_of_the_deck():
    """With fourteen ranks the thirteenth is no ace, and makes no wheel."""
    rules = rules_of("holdem-limit:ranks=14")
    assert parse_hand(rules, "cc/cc/cc/cc", "ccch|ddbh/0c1d2h/3s/8s").payoffs() == (10, -10)


def test_a_showdown_needs_known_cards_and_a_fold_does_not():
    with pytest.raises(CardError, match="cards of player 2 are unknown"):
        parse_hand(rules_of("kuhn"), "cc", "Js|").payoffs()
    assert parse_hand(rules_of("kuhn"), "rf", "Js|").payoffs() == (1, -1)


# Texts


@pytest.mark.parametrize("game", [*CATALOG, "leduc:ranks=13,suits=4", "kuhn:ranks=40"])
@given(seed=st.integers(0, 2**32))
def test_every_state_comes_back_from_its_texts(game, seed):
    rules = rules_of(game)
    for hand in hand_states(rules, seed):
        assert parse_hand(rules, hand.betting_text(), hand.cards_text()) == hand
        for seat in range(rules.players):
            view = hand.view(seat)
            assert parse_hand(rules, view.betting_text(), view.cards_text()).view(seat) == view


@given(any_rules(), st.integers(0, 2**32))
def test_states_of_random_games_come_back_from_their_texts(rules, seed):
    for hand in hand_states(rules, seed):
        assert parse_hand(rules, hand.betting_text(), hand.cards_text()) == hand


@pytest.mark.parametrize(
    ("betting", "cards", "error", "message"),
    [
        ("cx", "8s2h|Kd5c", IllegalAction, "cannot read betting 'cx': only f, c, r with an amount, and /"),
        ("r", "8s2h|Kd5c", IllegalAction, "cannot read betting 'r'"),
        ("r0", "8s2h|Kd5c", IllegalAction, "cannot read betting 'r0'"),
        ("r-5", "8s2h|Kd5c", IllegalAction, "cannot read betting 'r-5'"),
        ("r" + "9" * 5000, "8s2h|Kd5c", IllegalAction, "cannot read betting"),
        ("r٣٠٠", "8s2h|Kd5c", IllegalAction, "cannot read betting"),
        ("cc ", "8s2h|Kd5c", IllegalAction, "cannot read betting 'cc '"),
        ("cc\n", "8s2h|Kd5c", IllegalAction, "cannot read betting"),
        ("cr150", "8s2h|Kd5c", IllegalAction, "'r150' after 'c': raise to 150 is illegal: it must be 200"),
        ("cf", "8s2h|Kd5c", IllegalAction, "'f' after 'c': fold is illegal"),
        ("fc", "8s2h|Kd5c", IllegalAction, "'c' after 'f': the betting is over"),
        ("cc/c", "8s2h|Kd5c", IllegalAction, "'c' after 'cc/': 3 cards must be dealt"),
        ("c", "", IllegalAction, "'c' after '': 4 cards must be dealt"),
        ("ccc", "8s2h|Kd5c/7hAdTd", IllegalAction, "should have its rounds as in 'cc/c'"),
        ("c/c", "8s2h|Kd5c/7hAdTd", IllegalAction, "should have its rounds as in 'cc/'"),
        ("cc", "8s2h|Kd5c/7hAdTd", IllegalAction, "should have its rounds as in 'cc/'"),
        ("r20000c", "8s2h|Kd5c/7hAdTd/4s/Kc", IllegalAction, "as in 'r20000c///'"),
        ("cc/", "8s2h|Kd5c/7hAd", CardError, "cards '8s2h|Kd5c/7hAd' do not fit betting 'cc/'"),
        ("cc/", "8s2h|Kd5c/7hAdTd/4s", CardError, "'8s2h|Kd5c/7hAdTd' would"),
        ("c", "8s2h|Kd5c/7hAdTd", CardError, "'8s2h|Kd5c' would"),
        ("cc/", "8s2h|Kd5c/7hAd/Td", CardError, "'8s2h|Kd5c/7hAdTd' would"),
        ("r20000c///", "8s2h|Kd5c/7hAdTd", CardError, "'8s2h|Kd5c' would"),
        ("c", "8s2h", CardError, "2 seats separated by | expected, got 1"),
        ("c", "8s2h|Kd5c|3c3d", CardError, "2 seats separated by | expected, got 3"),
        ("c", "8s|Kd5c", CardError, "2 hole cards or none expected for player 1"),
        ("c", "8s2h3c|Kd5c", CardError, "2 hole cards or none expected for player 1"),
        ("c", "8s2h|Kd5c3c", CardError, "do not fit"),
        ("c", "8s2h|Kd8s", CardError, "a card is named twice"),
        ("cc/", "8s2h|Kd5c/7hKdTd", CardError, "a card is named twice"),
        ("c", "8s2h|Kd5x", CardError, "no card '5x' in a deck"),
        ("c", "8s2h|Kd5", CardError, "two characters each"),
        ("c", "8s 2h|Kd5c", CardError, "do not fit"),
    ],
)
def test_malformed_texts(betting, cards, error, message):
    with pytest.raises(error) as caught:
        parse_hand(HOLDEM, betting, cards)
    assert message in str(caught.value)


def test_malformed_limit_texts():
    with pytest.raises(IllegalAction, match="only f, c, r and / are known"):
        parse_hand(LIMIT, "r20", "8s2h|Kd5c")
    with pytest.raises(IllegalAction, match="'r' after 'rrr': raise is illegal: round 1 already has its 3"):
        parse_hand(LIMIT, "rrrr", "8s2h|Kd5c")


@given(
    game=st.sampled_from(["kuhn", "leduc-nl", "holdem-limit-3p"]),
    betting=st.text(alphabet="fcr0123/x", max_size=12),
    cards=st.text(alphabet="JQKhs|/ 2", max_size=12),
)
def test_any_text_is_a_hand_or_an_error_for_a_person(game, betting, cards):
    rules = rules_of(game)
    try:
        hand = parse_hand(rules, betting, cards)
    except PokerlabError:
        return
    assert (hand.betting_text(), hand.cards_text()) == (betting, cards)


@pytest.mark.parametrize(
    ("log", "game", "hands"),
    [
        ("dealer_test_logs/2p.limit.h1000.r0.log", "holdem-limit", 1000),
        ("dealer_test_logs/2p.nolimit.h1000.r0.log", "holdem-nolimit", 1000),
        ("dealer_test_logs/3p.limit.h1000.r0.log", "holdem-limit-3p", 1000),
        ("2014_3p_kuhn/3pk.HITSZ_CS.hyperborean3pk.RMPUE.Bluffer.5.0.log", "kuhn-3p", 3000),
        ("2016_2p_nolimit/act1.hitcz.0.1.log", "holdem-nolimit", 3000),
    ],
)
def test_the_competitions_logs_are_read_and_paid_alike(log, game, hands):
    rules, count = rules_of(game), 0
    for line in shared_data("acpc", log).read_text().splitlines():
        if line.startswith("STATE:"):
            _, _, betting, cards, values, _ = line.split(":")
            hand = parse_hand(rules, betting, cards)
            assert hand.finished
            assert hand.payoffs() == tuple(map(float, values.split("|"))), line
            count += 1
    assert count == hands
