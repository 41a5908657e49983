"""Nothing hidden leaves the server: every byte that is sent in a thousand hands is searched for cards."""

import random
import re

import pytest

from pokerlab.game.catalog import rules_of
from pokerlab.web.games import GAMES
from pokerlab.web.hands import hand_of, seat_of
from web_client import at_home, options

NO_CARDS = re.compile(rb'"[2-9TJQKA]{2}[so]?":|"#[0-9a-f]{6}"|r[0-9]+')  # kinds of hands, colours, r743 before c
HANDS = {"holdem-limit": 250, "holdem-nolimit": 250, "holdem-limit-3p": 200, "leduc": 200, "kuhn": 100}


def test_a_thousand_hands_are_searched():
    assert sum(HANDS.values()) == 1000
    assert set(HANDS) == set(GAMES)


def hidden(table, row):
    """The cards of a hand that its player must not know now: others' that were not shown, and those to come."""
    hand = hand_of(table, row)
    deck, seat = hand.rules.deck, seat_of(table, row.number)
    shown = hand.betting.survivors if row.over and hand.betting.showdown else ()
    known = {card for s, hole in enumerate(hand.holes) if s == seat or s in shown for card in hole} | set(hand.board)
    return {deck.text((card,)).encode() for card in set(row.cards) - known}


@pytest.fixture
def client(tmp_path):
    with at_home(tmp_path) as here:
        yield here


@pytest.mark.parametrize("game", GAMES)
def test_every_byte(game, client):
    ledger, rng = client.ledger, random.Random(5)
    secret = {}  # of hands that are over: cards that stay hidden
    state = client.post("/api/tables", {"game": game, "agents": ["random"] * (rules_of(game).players - 1)})
    path, looked = f"/api/tables/{state['table']}", 0
    table = ledger.table(state["table"])

    def search(row):
        nonlocal looked
        text = NO_CARDS.sub(b"", b"\n".join(client.sent))
        found = [card for card in hidden(table, row) if card in text]
        assert not found, [text[max(0, at - 60) : at + 60] for at in map(text.index, found)]
        assert table.seed.encode() not in text
        looked += len(client.sent)
        client.sent.clear()

    search(ledger.last_hand(table.id))
    for number in range(HANDS[game]):
        while not state["over"]:
            action = {"hand": state["hand"], "at": state["at"], "action": rng.choice(options(state))}
            state = client.post(f"{path}/actions", action)
            search(ledger.last_hand(table.id))
            client.ask("POST", f"{path}/actions", {**action, "action": "x"})
            search(ledger.last_hand(table.id))
        row = ledger.last_hand(table.id)
        secret[number] = hidden(table, row)
        questions = [f"/hands/{number}", "/hands?most=1", "/curve", ""]
        for question in (*questions, *[f"/hands/{number}/review"] * (number % 20 == 0)):
            client.get(path + question)
        search(row)
        if number + 1 < HANDS[game]:
            state = client.post(f"{path}/hands", {"hand": number})
            search(ledger.last_hand(table.id))
    assert looked > 6 * HANDS[game]
    lines = [line for line in client.get(f"{path}/log").splitlines() if line.startswith(b"STATE")]
    assert len(lines) == HANDS[game]
    for number, line in enumerate(lines):
        if game.startswith("holdem"):  # logs of smaller games name their cards as the competition does
            assert not any(card in NO_CARDS.sub(b"", line) for card in secret[number])


def test_the_search_would_see_a_card(client):
    """The hidden cards of a hand are not empty, and are those of the record."""
    ledger = client.ledger
    state = client.post("/api/tables", {"game": "holdem-limit", "agents": ["call"]})
    table, row = ledger.table(state["table"]), ledger.last_hand(state["table"])
    cards = hidden(table, row)
    assert len(cards) == 7
    mine = state["view"]["holes"][state["view"]["seat"]].encode()
    assert not any(card in mine for card in cards)
    others = hand_of(table, row).holes[1 - state["view"]["seat"]]
    assert {hand_of(table, row).rules.deck.text((card,)).encode() for card in others} <= cards
