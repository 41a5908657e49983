"""The reader of files: sizes that are claimed, headers, text with limits, tables that are kept."""

import os
import warnings
import zipfile
import zlib

import numpy as np
import pytest

import pokerlab
from pokerlab.cache import recalled_table
from pokerlab.errors import PokerlabError
from pokerlab.files import Rows, pack_arrays
from pokerlab.reading import ArrayFile, Damage, Header, Stamp, noting, read_arrays, read_bytes, stamp_of
from pokerlab.records.logs import read_log
from pokerlab.refine.spots.spot import read_spot
from test_strange_files import LEDUC, LOADERS
from wounds import archived, claiming, deep, members, message, npy, peak

HUGE = {
    "a shape of 10^12": archived(members(LEDUC.read_bytes()) | {"state_more": claiming("(1000000000000,)")}),
    "a product that overflows": archived(members(LEDUC.read_bytes()) | {"x": claiming("(4294967296, 4294967296)")}),
    "a bomb": archived(members(LEDUC.read_bytes()) | {"x": npy(np.zeros(1 << 26, np.uint8))}, zipfile.ZIP_DEFLATED),
    "a bomb for a header": archived({"header": npy(np.full(1 << 27, 32, np.uint8))}, zipfile.ZIP_DEFLATED),
    "objects": archived(members(LEDUC.read_bytes()) | {"x": claiming("(1,)", "|O") + b"cos\nsystem\n"}),
    "another compression": archived(members(LEDUC.read_bytes()), zipfile.ZIP_LZMA),
}  # fmt: skip


@pytest.mark.parametrize("kind", HUGE)
def test_claimed_sizes_take_no_memory(kind, tmp_path):
    path = tmp_path / "x.strategy"
    path.write_bytes(HUGE[kind])
    assert peak(lambda: message(LOADERS["strategy"], path)) < 3 << 20
    peaks = [
        peak(lambda load=load: message(load, path)) for name, load in LOADERS.items() if name not in ("store", "log")
    ]
    assert max(peaks) < 64 << 20


def test_sizes_in_the_directory_of_a_zip_are_compared_with_what_there_is(tmp_path):
    good, path = LEDUC.read_bytes(), tmp_path / "x.strategy"
    at = good.index(b"PK\x01\x02")
    for field, value in ((24, 10**9), (24, 2), (42, 10**6), (42, 2**32 - 1)):
        path.write_bytes(good[: at + field] + value.to_bytes(4, "little") + good[at + field + 4 :])
        assert peak(lambda: message(pokerlab.load, path)) < 8 << 20


def test_two_arrays_of_one_name(tmp_path):
    path = tmp_path / "x.strategy"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of zipfile, which sees it
        with zipfile.ZipFile(path, "w") as archive:
            for name, array in [*members(LEDUC.read_bytes()).items()] * 2:
                archive.writestr(f"{name}.npy", array)
    assert "damaged or cut short" in message(LOADERS["strategy"], path)


@pytest.mark.parametrize("header", ["", "[]", "7", deep(100_000), '{"a": ' + deep(5000) + "}", "9" * 10_000, "\x00"])
def test_headers_that_are_none(header, tmp_path):
    path = tmp_path / "x.strategy"
    path.write_bytes(archived({"header": npy(np.frombuffer(header.encode(), np.uint8))}))
    assert "damaged or cut short" in message(pokerlab.load, path)
    assert "damaged or cut short" in message(LOADERS["strategy"], path)


def test_text_has_limits(tmp_path):
    path = tmp_path / "x"
    with open(path, "wb") as file:
        file.truncate(300 << 20)  # no room on the disk is taken
    for kind in ("spot", "endgame", "game"):
        assert peak(lambda kind=kind: message(LOADERS[kind], path)) < 64 << 20
    assert "too long" in message(read_spot, path)
    assert "line is too long" in message(lambda path: list(read_log(path, "leduc")), path)
    reader = read_log(path, "leduc", skip_bad=True)
    assert peak(lambda: list(reader)) < 4 << 20
    assert (reader.bad, reader.hands) == (1, 0)
    path.write_bytes((b"#" * 10_000 + b"\n") * 200)
    assert "more comments than a log has" in message(lambda path: list(read_log(path, "leduc")), path)


@pytest.mark.parametrize(
    "text", ["a = " + deep(2000), "a." * 20_000 + "a = 1", "[" + "a." * 5000 + "a]\nb = 1", "x = 1\n" * 2]
)
def test_deep_toml(text, tmp_path):
    path = tmp_path / "x.toml"
    path.write_text(text)
    assert message(read_spot, path).startswith("x: ")
    assert "x.toml" in message(LOADERS["phh"], path)


def test_the_reader_agrees_with_numpy(tmp_path):
    rng = np.random.default_rng(1)
    arrays = {
        "none": np.zeros((2, 0)), "one": np.array(3.5), "flags": rng.random(9) < 0.5,
        "columns": np.asfortranarray(rng.random((3, 4))), "deep": rng.integers(0, 9, (2, 3, 4), np.int16),
        "long": rng.integers(0, 255, 3 << 20, np.uint8),
    }  # fmt: skip
    for compressed in (False, True):
        pokerlab.files.write_arrays(
            tmp_path / "x", {"format": "f", "version": 1}, arrays, error=PokerlabError, compressed=compressed
        )
        for source in (tmp_path / "x", (tmp_path / "x").read_bytes()):
            header, read = read_arrays(source, "f", 1, error=PokerlabError, most=1 << 30)
            assert header == {"format": "f", "version": 1}
            assert read.keys() == arrays.keys()
            for name, array in arrays.items():
                assert (read[name].dtype, read[name].shape) == (array.dtype, array.shape)
                np.testing.assert_array_equal(read[name], array)
                assert read[name].flags.writeable
        _, some = read_arrays(tmp_path / "x", "f", 1, error=PokerlabError, most=1 << 30, names=["deep"])
        assert some.keys() == {"deep"}


def test_kept_tables_are_deleted_only_when_they_are_damaged(tmp_path, monkeypatch):
    monkeypatch.setenv("POKERLAB_CACHE", str(tmp_path))
    path = tmp_path / "kept"
    pokerlab.files.write_arrays(path, {"format": "f", "version": 1}, {"x": np.arange(3)}, error=PokerlabError)

    def kept(fits=lambda header, arrays: arrays["x"].sum(), version=1):
        return recalled_table("kept", "f", version, 1 << 10, fits)

    def wrong(header, arrays):
        raise Damage("wrong")

    assert kept() == 3
    assert kept(version=0) is None  # of a newer version, and none of ours
    assert path.exists()
    assert kept(wrong) is None
    assert not path.exists()
    assert kept() is None
    path.mkdir()
    assert kept() is None  # not ours to delete
    assert path.is_dir()


def test_fields_of_a_header():
    header = Header(
        {"text": "x", "flag": True, "whole": 3, "number": 0.5, "none": None, "big": 10**400, "list": ["a", 1]}
    )
    assert (header.text("text"), header.flag("flag"), header.whole("whole"), header.number("number")) == (
        "x",
        True,
        3,
        0.5,
    )
    assert header.number("whole") == 3
    for ask, *arguments in (
        ("text", "whole"), ("flag", "whole"), ("whole", "flag"), ("whole", "number"), ("whole", "whole", 4),
        ("whole", "whole", 0, 2), ("number", "flag"), ("number", "big"), ("number", "none"), ("table", "list"),
        ("entries", "text"), ("texts", "list"), ("text", "nothing"),
    ):  # fmt: skip
        with pytest.raises(Damage):
            getattr(header, ask)(*arguments)


def test_files_that_are_read_are_noted(tmp_path):
    """With stamps that change when another file takes their place, also one as long and as old."""
    file, other = tmp_path / "a", tmp_path / "b"
    for path in (file, other):
        path.write_bytes(b"same")
        os.utime(path, ns=(5, 5))
    with noting() as outer:
        read_bytes(file, most=10, error=PokerlabError)
        with noting() as inner:
            read_bytes(other, most=10, error=PokerlabError)
    read_bytes(other, most=10, error=PokerlabError)
    assert (outer, inner) == ([stamp_of(file)], [stamp_of(other)])
    other.replace(file)
    assert stamp_of(file) != outer[0]
    assert stamp_of(other) == Stamp(str(other))


def test_rows_are_read_alone_and_checked(tmp_path):
    path, rows = tmp_path / "x", np.arange(120_000, dtype=np.uint32).reshape(3, 40_000)
    with open(path, "wb") as file:
        pack_arrays(file, {"format": "pokerlab x", "version": 1}, {}, rows={"a": Rows(np.uint32, rows.shape, rows)})
    array_file = ArrayFile(path, "pokerlab x", 1, error=PokerlabError)
    for kind, shape in ((np.uint32, (4, 30_000)), (np.uint32, (120_000,)), (np.int32, rows.shape)):
        with pytest.raises(Damage, match="its a has numbers of"):
            array_file.expect("a", kind, shape)
    with pytest.raises(Damage, match="it has no 'b'"):
        array_file.expect("b", np.uint32, rows.shape)
    array_file.expect("a", np.uint32, rows.shape)
    assert all(np.array_equal(array_file.row("a", number), rows[number]) for number in (2, 0, 1))
    data = path.read_bytes()
    path.write_bytes(data.replace(rows[1].tobytes(), rows[2].tobytes()))
    array_file = ArrayFile(path, "pokerlab x", 1, error=PokerlabError)
    array_file.expect("a", np.uint32, rows.shape)
    assert np.array_equal(array_file.row("a", 2), rows[2])
    with pytest.raises(PokerlabError, match="row 1 of its a is not what was written"):
        array_file.row("a", 1)
    for wrong, says in (("pokerlab y", "is not a pokerlab y file"), ("pokerlab x", "written by a newer pokerlab")):
        with pytest.raises(PokerlabError, match=says):
            ArrayFile(path, wrong, 0, error=PokerlabError)
    _, arrays = read_arrays(path, "pokerlab x", 1, error=PokerlabError, names=["a_checks"])
    assert arrays["a_checks"].tolist() == [zlib.crc32(row.tobytes()) for row in rows]
