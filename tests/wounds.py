"""Damaged copies of files: by bytes, and by meaning, with checksums that are right again."""

from __future__ import annotations

import io
import json
import random
import re
import struct
import tracemalloc
import zipfile
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from mutations import damaged
from pokerlab.errors import PokerlabError

NASTY = "\x1b[2J[/red]<b>\u202e"
_ODD: list[Any] = [
    None, True, -1, 0, 1, 2, 7, 255, 10**6, 2**31, 2**63, 10**30, -(10**18), 0.5, 1e308, float("nan"), float("inf"), "",
    "x", NASTY, "A" * 5000, "../../etc/passwd", "openspiel:kuhn_poker", "none.efg", [], {}, [[]], [0] * 50, {"a": {}},
    ["", None], "1e9", "nan",
]  # fmt: skip
_KINDS = ("|b1", "|i1", "|u1", "<u2", "<i4", "<i8", "<u8", "<f4", "<f8", ">f8", "<c16", "|O", "|V8", "<U3", "<M8[s]")


def wounded(rng: random.Random, good: Sequence[bytes]) -> bytes:
    """A copy of one of the good files with some damage."""
    data = rng.choice(good)
    is_archive = data[:2] == b"PK"
    if is_archive and rng.random() < 0.6:
        return _archive(rng, data)
    if not is_archive and not data.startswith((b"PK", b"\x00")) and rng.random() < 0.7:
        return _json(rng, data) if data[:1] == b"{" and rng.random() < 0.5 else _text(rng, data, good)
    return _bytes(rng, data, good)


def _bytes(rng: random.Random, data: bytes, good: Sequence[bytes]) -> bytes:
    """Flips, cuts, splices, repeated and zeroed blocks."""
    wound = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 5))):
        # The ends have the telling parts: headers, and the directory of a zip.
        size = len(wound)
        at = rng.choice((rng.randrange(size + 1), rng.randrange(min(size, 200) + 1), max(0, size - rng.randrange(400))))
        span = rng.choice((1, 4, 16, 100, 4096))
        match rng.randrange(6):
            case 0:
                for _ in range(rng.choice((1, 3, 20))):
                    if size:
                        wound[min(at + rng.randrange(span), size - 1)] ^= 1 << rng.randrange(8)
            case 1:
                del wound[at:]
            case 2:
                other = rng.choice(good)
                start = rng.randrange(len(other) + 1)
                wound[at : at + span] = other[start : start + span]
            case 3:
                wound[at:at] = wound[at : at + span]
            case 4:
                wound[at : at + span] = bytes(len(wound[at : at + span]))
            case 5:
                del wound[at : at + span]
    return bytes(wound)


def _text(rng: random.Random, data: bytes, good: Sequence[bytes]) -> bytes:
    """Lines lost, repeated and exchanged; numbers that are too large, or none."""
    if rng.random() < 0.3:
        return damaged(rng, good)
    lines = data.splitlines(keepends=True) or [b""]
    at = rng.randrange(len(lines))
    match rng.randrange(8):
        case 0:
            del lines[at]
        case 1:
            lines.insert(at, lines[rng.randrange(len(lines))])
        case 2:
            other = rng.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
        case 3:
            lines[at : at + 1] = rng.choice(good).splitlines(keepends=True)[:5]
        case 4:
            lines[at] = lines[at][:-1] + NASTY.encode() + b"\n"
        case 5:
            lines[at] = lines[at].rstrip() * rng.choice((2, 300)) + b"\n"
        case _:
            numbers = list(re.finditer(rb"-?[0-9]+(?:\.[0-9]+)?", data))
            if numbers:
                odd = rng.choice(
                    [b"-1", b"0", b"1e400", b"nan", b"inf", b"9" * 400, b"99999999", b"2147483648", b"0.3", b"7"]
                )
                spot = rng.choice(numbers)
                return data[: spot.start()] + odd + data[spot.end() :]
    return b"".join(lines)


def _json(rng: random.Random, data: bytes) -> bytes:
    try:
        told = json.loads(data)
    except ValueError:
        return data[:-1]
    return json.dumps(_other(rng, told)).encode()


def _other(rng: random.Random, told: Any) -> Any:
    """The same with one value changed, somewhere inside."""
    if isinstance(told, dict) and told and rng.random() < 0.9:
        key = rng.choice(sorted(told))
        if rng.random() < 0.15:
            return {name: value for name, value in told.items() if name != key}
        return told | {key: _other(rng, told[key])}
    if isinstance(told, list) and told and rng.random() < 0.7:
        at = rng.randrange(len(told))
        changed = [*told]
        if rng.random() < 0.3:
            changed[at : at + rng.choice((0, 1))] = rng.choice(([], [told[at]], [rng.choice(_ODD)]))
        else:
            changed[at] = _other(rng, told[at])
        return changed
    if isinstance(told, str) and rng.random() < 0.6:
        return _text(rng, told.encode(), [told.encode()]).decode("utf-8", "replace")
    if isinstance(told, int | float) and not isinstance(told, bool) and rng.random() < 0.5:
        return rng.choice([told + 1, told - 1, -told, told * 1000, float(told), str(told)])
    odd = rng.choice(_ODD)
    for _ in range(rng.choice((0, 0, 0, 0, 900))):  # as deep as JSON is written
        odd = [odd]
    return odd


def members(data: bytes) -> dict[str, bytes]:
    """The arrays of a file as they lie there, by name."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name.removesuffix(".npy"): archive.read(name) for name in archive.namelist()}


def archived(arrays: dict[str, bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
    """A file of arrays as they lie there, with right checksums."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name, array in arrays.items():
            archive.writestr(f"{name}.npy", array)
    return out.getvalue()


def npy(array: np.ndarray) -> bytes:
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def edited(data: bytes, change: Callable[[dict[str, Any], dict[str, np.ndarray]], Any]) -> bytes:
    """A file of arrays whose header and arrays were changed; all checksums are right."""
    arrays = {name: np.load(io.BytesIO(part)) for name, part in members(data).items()}
    header = json.loads(arrays.pop("header").tobytes()) if "header" in arrays else {}
    change(header, arrays)
    if header:
        arrays = {"header": np.frombuffer(json.dumps(header).encode(), np.uint8)} | arrays
    return archived({name: npy(array) for name, array in arrays.items()}, zipfile.ZIP_DEFLATED)


def _archive(rng: random.Random, data: bytes) -> bytes:
    """A file of arrays that says something else, under checksums that are right."""
    parts = members(data)
    name = rng.choice(sorted(parts))
    if "header" in parts and rng.random() < 0.5:
        text = np.load(io.BytesIO(parts["header"])).tobytes()
        parts["header"] = npy(np.frombuffer(_json(rng, text), np.uint8))
    else:
        match rng.randrange(6):
            case 0:
                del parts[name]
            case 1:
                parts[name] = parts[rng.choice(sorted(parts))]
            case 2 | 3:
                parts[name] = _told(rng, parts[name])
            case _:
                parts[name] = npy(_values(rng, np.load(io.BytesIO(parts[name]))))
    stored = zipfile.ZipFile(io.BytesIO(data)).infolist()[0].compress_type
    if rng.random() < 0.1:
        stored = rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA))
    made = archived(parts, stored)
    return _sizes(rng, made) if rng.random() < 0.1 else made


def _told(rng: random.Random, array: bytes) -> bytes:
    """What NumPy writes before an array, changed."""
    head = int.from_bytes(array[8:10], "little")
    text = array[10 : 10 + head]
    match rng.randrange(5):
        case 0:
            text = re.sub(rb"'descr': '[^']*'", f"'descr': '{rng.choice(_KINDS)}'".encode(), text)
        case 1:
            shape = rng.choice(
                ["(1000000000000,)", "()", "(0,)", "(-1,)", "(3, 3)", f"({'9' * 30},)", "(1,) * 99", "(2"]
            )
            text = re.sub(rb"'shape': \([^)]*\)", f"'shape': {shape}".encode(), text)
        case 2:
            text = text.replace(b"False", b"True")
        case 3:
            text = damaged(rng, [text])
        case 4:
            return _bytes(rng, array, [array])
    return array[:8] + struct.pack("<H", len(text)) + text + array[10 + head :]


def _values(rng: random.Random, array: np.ndarray) -> np.ndarray:
    """Other numbers, or numbers of another kind or shape."""
    array, kind = array.copy(), array.dtype
    match rng.randrange(6):
        case 0:
            return array.astype(rng.choice(["u1", "i1", "u2", "i4", "i8", "f4", "f8", "bool"]))
        case 1:
            return array[: len(array) // 2] if array.ndim else array
        case 2:
            return np.concatenate([array, array]) if array.ndim and array.size < 10**6 else array
        case 3:
            return array.reshape(-1, 1) if array.ndim else array
        case _:
            whole, fractions = [0, 1, -1, 2**15, 2**31 - 1, -(2**31)], [0.0, -0.5, 2.0, np.nan, np.inf, 1e300]
            flat = array.reshape(-1)
            with np.errstate(all="ignore"):
                for _ in range(rng.choice((1, 5))):
                    if flat.size and kind.kind in "iuf":
                        odd = np.array(rng.choice(fractions if kind.kind == "f" else whole))
                        flat[rng.randrange(flat.size)] = odd.astype(kind)
            return array


def _sizes(rng: random.Random, data: bytes) -> bytes:
    """A zip whose directory says other sizes than there are."""
    wound = bytearray(data)
    at = wound.find(b"PK\x01\x02")
    field = rng.choice((20, 24, 16, 42))  # compressed, plain, checksum, place
    wound[at + field : at + field + 4] = struct.pack("<I", rng.choice((0, 1, 10**6, 4_000_000_000, 0xFFFFFFFF)))
    return bytes(wound)


def clean(line: str) -> bool:
    """Whether a message is one printable line, and not too long."""
    return bool(line) and line.isprintable() and len(line) < 2100


def claiming(shape, kind="<f8"):
    """An array's beginning that claims a shape, and no more of it."""
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode()


def deep(levels):
    return "[" * levels + "]" * levels


def message(load, path):
    """What a loader says of a file that it must refuse."""
    with pytest.raises(PokerlabError) as caught:
        load(path)
    assert clean(str(caught.value)), str(caught.value)
    return str(caught.value)


def peak(act):
    """The most bytes that were taken meanwhile."""
    tracemalloc.start()
    try:
        act()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
