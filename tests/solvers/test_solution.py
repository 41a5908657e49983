"""The strategy file: what comes back is what was written, and damage is told."""

import json

import numpy as np
import pytest

import pokerlab
from pokerlab.errors import StrategyFileError


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "leduc.strategy"
    pokerlab.solve(pokerlab.compile("leduc", "JQ.K-FULL"), "dcfr", iterations=50).save(path)
    return path


def test_round_trip(file):
    written = pokerlab.solve(pokerlab.compile("leduc", "JQ.K-FULL"), "dcfr", iterations=50)
    read = pokerlab.load(file)
    assert all(np.array_equal(read.strategy[p], written.strategy[p]) for p in range(2))
    ours, theirs = read.summary(), written.summary()
    assert ours.pop("seconds") > 0
    theirs.pop("seconds")
    assert ours == theirs
    assert [p.exploitability for p in read.trace] == [p.exploitability for p in written.trace]
    json.dumps(read.summary(), allow_nan=False)


@pytest.mark.parametrize("cut", [0, 1, 10, 100, 0.25, 0.5, 0.9, 0.999])
def test_a_truncated_file(file, cut):
    data = file.read_bytes()
    file.write_bytes(data[: cut if isinstance(cut, int) else int(cut * len(data))])
    with pytest.raises(StrategyFileError, match="damaged or cut short"):
        pokerlab.load(file)


def test_any_flipped_byte_is_noticed_or_harmless(file):
    """Most bytes are guarded by checksums; the few of zip's own padding may change nothing, never crash."""
    data, rng = file.read_bytes(), np.random.default_rng(0)
    good = pokerlab.load(file)
    noticed = 0
    for at in rng.integers(0, len(data), size=300):
        broken = bytearray(data)
        broken[at] ^= 0xFF
        file.write_bytes(broken)
        try:
            found = pokerlab.load(file)
        except StrategyFileError:
            noticed += 1
        else:
            assert all(np.array_equal(found.strategy[p], good.strategy[p]) for p in range(2))
    assert noticed > 200


def rewrite(file, change):
    with np.load(file) as archive:
        arrays = dict(archive)
    header = json.loads(arrays["header"].tobytes())
    change(header, arrays)
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    with open(file, "wb") as out:
        np.savez(out, **arrays)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda h, a: h.update(version=99), "format version 99"),
        (lambda h, a: h.update(format="other"), "not a pokerlab strategy"),
        (lambda h, a: h.update(rules="GAMEDEF\nlimit\nnonsense"), "damaged"),
        (lambda h, a: h.update(abstraction="J.Q.K-FULL"), "does not fit its own game"),
        (lambda h, a: a.pop("strategy1"), "damaged"),
        (lambda h, a: a.update(strategy0=a["strategy0"] * 2), "not a probability distribution"),
        (lambda h, a: h.pop("trace"), "damaged"),
    ],
)
def test_wrong_content(file, change, message):
    rewrite(file, change)
    with pytest.raises(StrategyFileError, match=message):
        pokerlab.load(file)


def test_missing_file_and_unwritable_place(tmp_path):
    with pytest.raises(StrategyFileError, match="no such file"):
        pokerlab.load(tmp_path / "none.strategy")
    with pytest.raises(StrategyFileError, match="cannot write"):
        pokerlab.solve("kuhn", "lp").save(tmp_path / "no folder" / "x.strategy")


def test_games_without_rules_come_back_with_their_game(tmp_path):
    game, path = pokerlab.matrix_game([[1, -1], [-1, 1]]), tmp_path / "pennies.strategy"
    pokerlab.solve(game, "cfr+", iterations=20).save(path)
    assert pokerlab.load(path, game).iterations == 20
    with pytest.raises(StrategyFileError, match="pass the game"):
        pokerlab.load(path)
    with pytest.raises(StrategyFileError, match="another game"):
        pokerlab.load(path, pokerlab.compile("kuhn"))
