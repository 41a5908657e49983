"""Files of strangers, read so that damage and malice are one clear line, whatever is in them.

Only plain files are opened: a pipe or a device may never end. Of a file of arrays the sizes that it claims are compared
with what its format allows before memory is taken, and text is read up to a limit. What is wrong inside is `Damage`,
which `reading` turns into the error of the file's kind; a file that may not be read is not a damaged one.
"""

from __future__ import annotations

import io
import json
import math
import os
import re
import stat
import threading
import tomllib
import weakref
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import IO, Any, BinaryIO, NamedTuple, NoReturn

import numpy as np

from pokerlab.errors import PokerlabError, shown
from pokerlab.files import CHECKS
from pokerlab.processes import free_memory
from pokerlab.progress import announced

_MOST_MEMBERS = 10_000
_MOST_HEADER = 64 << 20  # bytes of JSON
_PIECE = 1 << 20
_KINDS = ["|b1", "|u1", "|i1", "<u2", "<u4", "<u8", "<i2", "<i4", "<i8", "<f2", "<f4", "<f8"]
# What NumPy writes before an array, and nothing else: no structures, no objects, nothing to evaluate.
_SHAPE = re.compile(
    rb"\{'descr': '([<|][a-z][0-9])', 'fortran_order': (True|False), 'shape': \(((?:[0-9]{1,18},? ?){0,8})\), \} *\n"
)
_LONG_KEY = re.compile(r"""(?:(?:(?<![\w-])[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){40}""")
_SPECIAL = (
    (stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"), (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)  # fmt: skip


class Damage(Exception):
    """What is wrong with the content of a file."""


def refuse(what: str, given: Any) -> NoReturn:
    """Say what was expected in a file, and what is there."""
    raise Damage(f"{what} expected, not {shown(given)}")


class Header(dict[str, Any]):
    """What a file says of itself. A field that is missing or of another kind than asked for is damage."""

    def __missing__(self, key: str) -> NoReturn:
        raise Damage(f"it has no {shown(key)}")

    def text(self, key: str) -> str:
        value = self[key]
        return value if isinstance(value, str) else refuse(f"{key}: text", value)

    def flag(self, key: str) -> bool:
        value = self[key]
        return value if isinstance(value, bool) else refuse(f"{key}: true or false", value)

    def whole(self, key: str, least: int = 0, most: int = 2**53) -> int:
        value = self[key]
        fine = isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
        bounds = f"from {least} on" if most >= 2**53 else f"from {least} to {most}"
        return value if fine else refuse(f"{key}: a whole number {bounds}", value)

    def number(self, key: str) -> float:
        """A number; a figure that is not known is nan."""
        return number(self[key], key)

    def table(self, key: str) -> dict[str, Any]:
        value = self[key]
        return value if isinstance(value, dict) else refuse(f"{key}: a table", value)

    def entries(self, key: str) -> list[Any]:
        value = self[key]
        return value if isinstance(value, list) else refuse(f"{key}: a list", value)

    def texts(self, key: str) -> list[str]:
        values = self.entries(key)
        return values if all(isinstance(value, str) for value in values) else refuse(f"{key}: a list of texts", values)


def number(value: Any, what: str) -> float:
    """`value` of a file as a number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or (isinstance(value, int) and abs(value) > 2**53):
        refuse(f"{what}: a number", value)
    return float(value)


@contextmanager
def reading(path: str | Path, error: type[PokerlabError]) -> Iterator[None]:
    """Whatever goes wrong inside is damage of the file at `path`, and told as an `error`."""
    try:
        yield
    except (Damage, PokerlabError) as problem:
        raise error(f"{path} is damaged: {problem}") from Damage(str(problem))
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as problem:
        raise error(f"{path} is damaged: {type(problem).__name__}, {problem}") from Damage(str(problem))
    except MemoryError:
        raise error(f"{path} takes more memory than there is") from None


def is_damage(problem: PokerlabError) -> bool:
    """Whether a file was read and found damaged; not where it is missing, of a newer version, or may not be read."""
    return isinstance(problem.__cause__, Damage)


def of_kind(arrays: Mapping[str, np.ndarray], name: str, kind: Any, *shape: int | None) -> np.ndarray:
    """The array of a name, which must have numbers of this kind, and this shape; None is any length."""
    if name not in arrays:
        raise Damage(f"it has no {name!r}")
    array = arrays[name]
    fits = array.ndim == len(shape) and all(size in (None, own) for size, own in zip(shape, array.shape, strict=True))
    if array.dtype != kind or not fits:
        expected = f"{np.dtype(kind)} ({', '.join('any' if size is None else f'{size:,}' for size in shape)})"
        raise Damage(f"its {name} has numbers of {array.dtype} in shape {array.shape}, where {expected} is expected")
    return array


def _here(path: str | Path) -> str | Path:
    return path


_place_of: Callable[[str | Path], str | Path] = _here


def read_through(place_of: Callable[[str | Path], str | Path]) -> None:
    """Let this process read files from where `place_of` says that they are: it works for another computer."""
    global _place_of
    _place_of = place_of


def is_file(path: str | Path) -> bool:
    """Whether there is such a file to read."""
    return os.path.isfile(_place_of(path))


class Stamp(NamedTuple):
    """Where a file lies, and what tells it from one that was there before; of a missing one only the place."""

    path: str
    number: int = 0
    changed: int = 0
    size: int = 0


def stamp_of(path: str | Path) -> Stamp:
    """The stamp of the file that is there now."""
    place = os.path.abspath(_place_of(path))
    try:
        return _stamp(place, os.stat(place))
    except (OSError, ValueError):
        return Stamp(place)


def _stamp(place: str, told: os.stat_result) -> Stamp:
    return Stamp(place, told.st_ino, told.st_mtime_ns, told.st_size)


_noted: ContextVar[list[Stamp] | None] = ContextVar("files that are read", default=None)


@contextmanager
def noting() -> Iterator[list[Stamp]]:
    """The files that are opened within it, as they were then: what is made of them is old once their stamps are."""
    stamps: list[Stamp] = []
    before = _noted.set(stamps)
    try:
        yield stamps
    finally:
        _noted.reset(before)


@contextmanager
def opened(path: str | Path, error: type[PokerlabError]) -> Iterator[BinaryIO]:
    """A plain file, to read; missing files, folders, pipes and devices, and what may not be read, are errors."""
    try:
        place = _place_of(path)
        mode = os.stat(place).st_mode
        if not stat.S_ISREG(mode):
            what = next((name for is_one, name in _SPECIAL if is_one(mode)), "something else")
            raise error(f"cannot read {path}: it is {what}, not a file")
        with open(place, "rb") as file:
            if (noted := _noted.get()) is not None:
                noted.append(_stamp(os.path.abspath(place), os.fstat(file.fileno())))
            yield file
    except PokerlabError:
        raise
    except FileNotFoundError:
        raise error(f"no such file: {path}") from None
    except (OSError, ValueError) as problem:  # a name may have characters that no file's has
        raise error(f"cannot read {path}: {getattr(problem, 'strerror', None) or problem}") from None


def read_bytes(path: str | Path, *, most: int, error: type[PokerlabError]) -> bytes:
    """All of a file that has at most so many bytes."""
    with opened(path, error) as file:
        data = file.read(min(most, os.fstat(file.fileno()).st_size) + 1)
    if len(data) > most:
        raise error(f"{path} is too long: such a file has at most {most / 2**20:,.0f} MiB")
    return data


def read_text(path: str | Path, *, most: int, error: type[PokerlabError]) -> str:
    """All of a text file that has at most so many bytes, without the mark that Windows puts before texts."""
    try:
        return read_bytes(path, most=most, error=error).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise error(f"cannot read {path}: it is not text (UTF-8)") from None


def read_toml(
    text: str, what: str, error: type[PokerlabError], parse_float: Callable[[str], Any] = float
) -> dict[str, Any]:
    """The table of a TOML text; an error begins with `what`."""
    if _LONG_KEY.search(text):  # which takes time by the square of its length
        raise error(f"{what}: a key has too many parts")
    try:
        return tomllib.loads(text, parse_float=parse_float)
    except (ValueError, RecursionError) as problem:
        raise error(f"{what}: {problem}") from None


def read_json(text: str | bytes) -> Header:
    """The JSON object of a text; anything else is damage."""
    try:
        data = json.loads(text if isinstance(text, str) else text.decode())
    except (ValueError, RecursionError):
        raise Damage("it is not JSON") from None
    return Header(data) if isinstance(data, dict) else refuse("a JSON object", data)


def read_arrays(
    source: str | Path | bytes,
    format: str,
    version: int,
    *,
    error: type[PokerlabError],
    oldest: int | None = None,
    most: int | None = None,
    names: Collection[str] | None = None,
    where: str | Path | None = None,
) -> tuple[Header, dict[str, np.ndarray]]:
    """The header and the arrays of a file, or of its bytes, of this format and version, or of one from `oldest` on.

    `most` is how many bytes the arrays may take; by default what the file has, for it is not compressed. Only the
    arrays in `names` are read, if they are given. `where` is what to call the file in messages.
    """
    path = str(where or ("" if isinstance(source, bytes) else source))
    with announced(f"reading {path}"), _told(path, format, error), _archive(source, error) as (archive, size):
        header = _checked_header(archive, format, version, version if oldest is None else oldest, path, error)
        return header, _arrays(archive, size if most is None else most, names)


class ArrayFile:
    """A file of arrays that is kept open, whatever takes its place: its header, and rows that were written one by one
    (`files.Rows`) when they are asked for. Several threads may ask.
    """

    def __init__(
        self, path: str | Path, format: str, version: int, *, error: type[PokerlabError], oldest: int | None = None
    ) -> None:
        self.path, self._error, self._lock = path, error, threading.Lock()
        self._places: dict[str, _Place] = {}
        with opened(path, error) as file:
            self._file = os.fdopen(os.dup(file.fileno()), "rb")
        weakref.finalize(self, self._file.close)
        with _told(str(path), format, error), _unzipped(self._file) as archive:
            least = version if oldest is None else oldest
            self.header = _checked_header(archive, format, version, least, str(path), error)

    def expect(self, name: str, kind: Any, shape: tuple[int, ...]) -> None:
        """Damage unless there is an array of this name, kind and shape, with a checksum for each row."""
        with self._lock, _unzipped(self._file) as archive:
            if f"{name}.npy" not in archive.namelist():
                raise Damage(f"it has no {name!r}")
            member = archive.getinfo(f"{name}.npy")
            if member.compress_type != zipfile.ZIP_STORED:
                raise Damage(f"its {name} cannot be read by rows")
            with archive.open(member) as file:
                told, size, by_column, head = _array_head(file, member)
            if told != kind or size != shape or by_column:
                raise Damage(
                    f"its {name} has numbers of {told} in shape {size}, where {np.dtype(kind)} {shape} is expected"
                )
            checks = _array(archive, archive.getinfo(f"{name}{CHECKS}.npy"))
            if checks.dtype != np.uint32 or checks.shape != shape[:1]:
                raise Damage(f"its {name} has no checksums")
            self._file.seek(member.header_offset)
            local = self._file.read(30)  # of a zip: the lengths of a name and of more are at its end
            begin = member.header_offset + 30 + sum(int.from_bytes(local[i : i + 2], "little") for i in (26, 28))
            self._places[name] = _Place(begin + head, told, shape[1:], checks)

    def row(self, name: str, number: int) -> np.ndarray:
        """A row of an array that was expected; of a damaged one an error."""
        place = self._places[name]
        size = math.prod(place.shape) * place.kind.itemsize
        with self._lock:
            self._file.seek(place.begin + number * size)
            data = self._file.read(size)
        if len(data) < size or zlib.crc32(data) != place.checks[number]:
            what = f"row {number} of its {name} is not what was written"
            raise self._error(f"{self.path} is damaged: {what}") from Damage(what)
        return np.frombuffer(data, place.kind).reshape(place.shape)


class _Place(NamedTuple):
    """Where the rows of an array begin in a file, what they are, and their checksums."""

    begin: int
    kind: np.dtype
    shape: tuple[int, ...]
    checks: np.ndarray


@contextmanager
def _told(path: str, format: str, error: type[PokerlabError]) -> Iterator[None]:
    """What is wrong with a file of this format, told as an `error`."""
    try:
        yield
    except Damage as problem:
        kind = format.removeprefix("pokerlab ")
        article = "an" if kind[0] in "aeiou" else "a"
        raise error(f"{path} is not {article} {kind} file, or it is damaged or cut short") from problem
    except MemoryError as problem:
        raise error(f"{path} takes more memory than there is{f': {problem}' if str(problem) else ''}") from None


def _checked_header(
    archive: zipfile.ZipFile, format: str, newest: int, oldest: int, path: str, error: type[PokerlabError]
) -> Header:
    """The header of a file, if that is of this format and of a version that can be read."""
    header = _header(archive)
    if header.get("format") != format:
        raise error(f"{path} is not a pokerlab {format.removeprefix('pokerlab ')} file")
    _check_version(header, newest, oldest, path, error)
    return header


def read_bare(path: str | Path, *, most: int, error: type[PokerlabError]) -> dict[str, np.ndarray]:
    """The arrays of a file that has no header; Damage if they take more than so many bytes, or cannot be read."""
    with _archive(path, error) as (archive, _):
        return _arrays(archive, most, None)


def header_of(path: str | Path, error: type[PokerlabError]) -> Header:
    """What a file of arrays says of itself; nothing else is read. Empty where it says nothing."""
    try:
        with _archive(path, error) as (archive, _):
            return _header(archive)
    except Damage:
        return Header()


def format_of(path: str | Path, error: type[PokerlabError]) -> str:
    """What a file says that it is, such as `pokerlab strategy`; "" where it says nothing."""
    told = header_of(path, error).get("format")
    return told if isinstance(told, str) else ""


def is_archive(path: str | Path, error: type[PokerlabError]) -> bool:
    """Whether a file is one of arrays, whole or damaged, and not text."""
    with opened(path, error) as file:
        return file.read(2) == b"PK"


def _check_version(header: Header, newest: int, oldest: int, path: str, error: type[PokerlabError]) -> None:
    version = header.whole("version")
    if version > newest:
        raise error(
            f"{path} was written by a newer pokerlab: it has format version {version}, and this one reads version "
            f"{newest}; update pokerlab"
        )
    if version < oldest:
        raise error(f"{path} has format version {version}; this pokerlab reads version {oldest}")


@contextmanager
def _archive(source: str | Path | bytes, error: type[PokerlabError]) -> Iterator[tuple[zipfile.ZipFile, int]]:
    """A file of arrays, and its size in bytes; what cannot be read of it is Damage."""
    if isinstance(source, bytes):
        with _unzipped(io.BytesIO(source)) as archive:
            yield archive, len(source)
    else:
        with opened(source, error) as file, _unzipped(file) as archive:
            yield archive, os.fstat(file.fileno()).st_size


@contextmanager
def _unzipped(file: BinaryIO) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(file) as archive:
            members = archive.infolist()
            names = {member.filename for member in members}
            if len(members) > _MOST_MEMBERS or len(names) < len(members):
                raise Damage("its arrays are too many, or two have one name")
            if any(member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for member in members):
                raise Damage("its arrays are not compressed as ours are")
            yield archive
    except (Damage, PokerlabError, MemoryError):
        raise
    except Exception as problem:  # zipfile and zlib make no promise of what they raise over bytes that are no zip
        raise Damage(str(problem)) from None


def _header(archive: zipfile.ZipFile) -> Header:
    """Of the bytes of an array, JSON."""
    member = archive.getinfo("header.npy")
    if member.file_size > _MOST_HEADER:
        raise Damage("its header is too long")
    header = _array(archive, member)
    if header.dtype != np.uint8 or header.ndim != 1:
        raise Damage("its header is not text")
    return read_json(header.tobytes())


def _arrays(archive: zipfile.ZipFile, most: int, names: Collection[str] | None) -> dict[str, np.ndarray]:
    """Arrays by name, if together they take no more than so many bytes, and no more than are free."""
    wanted = None if names is None else {f"{name}.npy" for name in names}
    members = [
        member
        for member in archive.infolist()
        if member.filename != "header.npy" and (wanted is None or member.filename in wanted)
    ]
    size = sum(member.file_size for member in members)
    heads = sum(min(member.file_size, 1 << 16) for member in members)
    if size - heads > most:
        raise Damage(f"its arrays take {size:,} bytes, where {most:,} are the most")
    free = free_memory()
    if free is not None and size > free:
        raise MemoryError(f"{size / 2**30:.2f} GiB, and {free / 2**30:.2f} GiB are free")
    return {member.filename.removesuffix(".npy"): _array(archive, member) for member in members}


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> np.ndarray:
    """One array, of numbers. Its length is compared with its shape before there is room for it."""
    with archive.open(member) as file:
        kind, shape, by_column, _ = _array_head(file, member)
        array = np.empty(math.prod(shape), kind)
        room, done = array.view(np.uint8), 0
        while piece := file.read(_PIECE):
            room[done : done + len(piece)] = np.frombuffer(piece, np.uint8)
            done += len(piece)
        if done != len(room):
            raise Damage(f"{member.filename} is cut short")
    return array.reshape(shape, order="F" if by_column else "C")


def _array_head(file: IO[bytes], member: zipfile.ZipInfo) -> tuple[np.dtype, tuple[int, ...], bool, int]:
    """What an array says of itself: its kind, its shape, whether it goes by columns; and how many bytes that took."""
    start = file.read(10)
    head = file.read(int.from_bytes(start[8:], "little"))
    told = _SHAPE.fullmatch(head)
    if start[:8] != b"\x93NUMPY\x01\x00" or told is None or told[1].decode() not in _KINDS:
        raise Damage(f"{member.filename} does not begin as an array does")
    shape, kind = tuple(map(int, re.findall(rb"[0-9]+", told[3]))), np.dtype(told[1].decode())
    if len(start) + len(head) + math.prod(shape) * kind.itemsize != member.file_size:
        raise Damage(f"{member.filename} is not as long as it says")
    return kind, shape, told[2] == b"True", len(start) + len(head)
