"""Card abstractions over the API: the bucket of every hand is the one that `pokerlab buckets show` tells."""

import json
import random
from urllib.parse import urlencode

import numpy as np
import pytest
from click.testing import CliRunner

import naive_buckets as naive
from pokerlab.abstraction.buckets.build import cached_path, find_buckets
from pokerlab.abstraction.buckets.one_hand import hand_on_board, hand_rows
from pokerlab.cards.deck import Deck
from pokerlab.cli import main
from web_client import at_home

BOARDS = ("", "QsJh2h", "QsJh2h4c", "QsJh2h4c4d")


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    """One abstraction as a file of the folder, one with recall in the cache."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("web")
        patch.chdir(folder)
        patch.setenv("POKERLAB_CACHE", str(folder / "cache"))
        forgets, recalls = naive.made_up(False), naive.made_up(True)
        forgets.save("forgets.buckets")
        (folder / "damaged.buckets").write_bytes(b"PK\x03\x04")
        (folder / "cache").mkdir()
        recalls.save(cached_path(recalls.spec))
        (folder / "cache" / "buckets-0123456789abcdef.npz").symlink_to(folder / "forgets.buckets")  # of an older time
        with at_home(folder) as here:
            yield here


def asked(client, **about):
    return client.get(f"/api/buckets/look?{urlencode(about)}")


def test_those_that_there_are(client):
    known = client.get("/api/buckets")
    assert [(each["cards"], each["recall"], each["seed"]) for each in known] == [
        ("forgets.buckets", "imperfect", 1),
        ("percentile:4/percentile:1+2+2+1/percentile:2/percentile:3", "perfect", 1),
    ]


def test_buckets_are_those_of_the_command(client):
    """Of each abstraction and street: one hand by the command itself, others by what it prints."""
    rng, deck = random.Random(3), Deck()
    for known in client.get("/api/buckets"):
        cards = find_buckets(known["cards"])
        for size in (0, 3, 4, 5):
            board = deck.text(rng.sample(range(52), size))
            told = asked(client, cards=known["cards"], recall=known["recall"], seed=known["seed"], board=board)
            combos, here = told["combos"], {row["bucket"]: row for row in told["here"]}
            assert len(combos["hand"]) == (52 - size) * (51 - size) // 2
            some = rng.sample(range(len(combos["hand"])), 12)
            words = ["buckets", "show", known["cards"], "--json", "--hand", combos["hand"][some[0]]]
            ran = CliRunner().invoke(main, [*words, *(["--board", board] if board else [])])
            rows = {some[0]: json.loads(ran.stdout)["rows"][-1]}
            rows |= {i: hand_rows(cards, *hand_on_board(combos["hand"][i], board))[-1] for i in some[1:]}
            for i, row in rows.items():
                assert (row["street"], row["board"]) == (told["street"], told["board"])
                assert (row["bucket"], row["strength"]) == (combos["bucket"][i], pytest.approx(combos["strength"][i]))
                mine, same = here[row["bucket"]], {"bucket", "share", "share_of_parent", "path"} & set(row)
                assert {key: mine[key] for key in same} == {key: row[key] for key in same}
                assert ("path" in row) == ("path" in mine) == (known["recall"] == "perfect")


def test_buckets_here_have_the_hands_of_the_chart(client):
    """Their numbers of hands and mean strengths are those of the hands, from the weakest to the strongest."""
    told = asked(client, cards="forgets.buckets", board=BOARDS[1])
    buckets, strengths = (np.array(told["combos"][key]) for key in ("bucket", "strength"))
    assert {row["bucket"] for row in told["here"]} == set(buckets.tolist())
    for row in told["here"]:
        mine = strengths[buckets == row["bucket"]]
        assert (row["hands"], row["strength"]) == (len(mine), pytest.approx(mine.mean(), abs=1e-6))
    means = [row["strength"] for row in told["here"]]
    assert means == sorted(means)
    assert len({row["colour"] for row in told["here"]}) == len(means)


@pytest.mark.parametrize(
    ("about", "said"),
    [
        ({"cards": "forgets.buckets", "board": "QsJh"}, "none, three, four or five cards, not 2"),
        ({"cards": "forgets.buckets", "board": "QsJhQs"}, "twice"),
        ({"cards": "forgets.buckets", "board": "QsJhXx"}, "no card"),
        ({"cards": "forgets.buckets", "seed": -1}, "seed"),
        ({"cards": "forgets.buckets", "recall": "some"}, "recall"),
        ({"cards": "damaged.buckets"}, "damaged"),
        ({"cards": "range-of-skill"}, "not built yet: run `pokerlab buckets build range-of-skill --recall perfect`"),
        ({"cards": "cache/buckets-0123456789abcdef.npz"}, "four streets"),
        ({"cards": "/etc/passwd"}, "four streets"),
        ({"cards": "169/my_lab:cut:3/percentile:2/percentile:2"}, "my_lab"),
        ({"cards": ""}, "cards"),
    ],
)
def test_what_cannot_be_shown(client, about, said):
    status, answer = client.ask("GET", f"/api/buckets/look?{urlencode(about)}")
    assert (status, list(answer)) == (422, ["error"])
    assert said in answer["error"]
