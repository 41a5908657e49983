"""Where pokerlab writes: whole files that take the place of older ones, and whether they can, before the work begins.

A link stays and what it leads to is replaced; what is no file but a device or a pipe is written through. What a killed
run has left under a temporary name is cleared by the next that writes into the same folder.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from io import BytesIO
from itertools import count
from pathlib import Path
from typing import IO, BinaryIO

from pokerlab.errors import PokerlabError

try:
    import fcntl
except ImportError:  # a system without such locks: nobody is kept out, and left-overs stay
    fcntl = None  # type: ignore[assignment]

_DRAFT = re.compile(r"\..+\.([0-9]+)-[0-9]+\.pokerlab")
_STREAMS = ("/dev/std", "/dev/fd/", "/proc/")  # names of what a process has open, also where that is a plain file
_numbers = count()


def why(problem: Exception) -> str:
    """What went wrong with a file, in the system's words."""
    return getattr(problem, "strerror", None) or str(problem)


def written_through(path: str | Path) -> bool:
    """Whether `path` is no file that could be replaced but a device, a pipe or one of this process's streams."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISCHR(mode) or stat.S_ISFIFO(mode) or os.path.abspath(path).startswith(_STREAMS)


def check_output(path: str | Path, error: type[PokerlabError] = PokerlabError, *, whole: bool = True) -> None:
    """Refuse at once what could not be written after hours of work; nothing is changed.

    A file that is written as a `whole` needs a place beside it; one that grows, such as a log, does not if it is there.
    """
    if not os.fspath(path):
        raise error("cannot write a file without a name")
    try:
        there = _mode(path) is not None
        if not written_through(path) and (whole or not there):
            with _new(_draft(Path(os.path.realpath(path)))) as file:
                os.unlink(file.name)
    except (OSError, ValueError) as problem:
        raise error(f"cannot write {path}: {why(problem)}") from None


def check_folder(path: str | Path, error: type[PokerlabError] = PokerlabError) -> None:
    """Make a folder for outputs if it is not there; refuse at once one that cannot be written to."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
        with _new(_draft(Path(path) / "folder")) as file:
            os.unlink(file.name)
    except FileExistsError:
        raise error(f"cannot write to the folder {path}: it is a file") from None
    except (OSError, ValueError) as problem:
        raise error(f"cannot write to the folder {path}: {why(problem)}") from None


def _mode(path: str | Path) -> int | None:
    """The mode of the file that is there, None if there is none; what cannot be written is an OSError."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return None
    except ValueError as problem:  # a name that no file can have
        raise OSError(errno.EINVAL, str(problem)) from None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder")
    if stat.S_ISBLK(mode) or stat.S_ISSOCK(mode):
        raise OSError(errno.ENXIO, "it is a disk or a socket, not a file")
    if not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return mode


def _new(draft: Path) -> BinaryIO:
    try:
        return open(draft, "xb")
    except FileNotFoundError:
        raise FileNotFoundError(errno.ENOENT, f"there is no folder {draft.parent}") from None


@contextmanager
def replacing(path: str | Path, *, keep: Path | None = None, sync: bool = True) -> Iterator[BinaryIO]:
    """A file to write to that takes the place of `path` once it is complete, so that no half of it is ever seen.

    `keep` is a name for the file that was there. Without `sync` a crash of the machine may still lose the new one.
    """
    mode = _mode(path)
    if written_through(path):
        whole = BytesIO()  # a device forgets, and a pipe cannot say, how far it is written
        yield whole
        with open(path, "wb") as device:
            device.write(whole.getvalue())
        return
    path = Path(os.path.realpath(path))
    _clear_drafts(str(path.parent))
    draft = _draft(path)
    try:
        with _new(draft) as file:
            lock(file)
            if mode is not None:
                with suppress(OSError):  # a file system without modes
                    os.chmod(draft, stat.S_IMODE(mode))
            yield file
            file.flush()
            if sync:
                os.fsync(file.fileno())
        if keep is not None and path.exists():
            _also(path, keep)
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def _draft(path: Path) -> Path:
    """A name beside `path` that tells whose it is, short enough also where the file's own name is not."""
    return path.with_name(f".{path.name[:50]}.{os.getpid()}-{next(_numbers)}.pokerlab")


def _also(path: Path, keep: Path) -> None:
    """Let the file have the name `keep` as well, without a moment in which it has neither."""
    spare = _draft(path)
    try:
        os.link(path, spare)
    except OSError:  # a file system without links
        os.replace(path, keep)
    else:
        os.replace(spare, keep)


@cache
def _clear_drafts(folder: str) -> None:
    """Remove what killed runs have left in a folder: once a process, and never what somebody may still write."""
    if fcntl is None:
        return
    with suppress(OSError):
        for name in os.listdir(folder):
            ours = _DRAFT.fullmatch(name)
            if ours and not _alive(int(ours[1])):
                path = os.path.join(folder, name)
                # On another machine or in a container the number says nothing, but the writer holds a lock.
                with suppress(OSError), open(path, "rb") as file:
                    if lock(file):
                        os.unlink(path)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # another user's
        return True
    return True


class Growing:
    """A file that grows by whole lines, such as a log: nobody else can write to it while it is open."""

    def __init__(self, path: str | Path, error: type[PokerlabError] = PokerlabError) -> None:
        self.path, self._error = Path(path), error
        check_output(path, error, whole=False)
        self._made, self._plain = not self.path.exists(), not written_through(path)
        try:
            self._file = self.path.open("ab", buffering=0)
        except OSError as problem:
            raise error(f"cannot write {path}: {why(problem)}") from None
        if self._plain and not lock(self._file):
            self._file.close()
            raise error(_taken(path))
        self.size = os.path.getsize(self.path) if self._plain else 0  # bytes

    def cut(self, size: int) -> None:
        """Leave out what lies behind so many bytes; what a pipe or a device was given is gone."""
        if self._plain:
            self._file.truncate(size)
        self.size = size

    def put(self, lines: Iterable[str]) -> None:
        """Add whole lines: what does not fit on the disk is taken back to the end of the last."""
        try:
            data = "".join([f"{line}\n" for line in lines]).encode()
            left = memoryview(data)
            while left:
                left = left[self._file.write(left) :]
        except (OSError, UnicodeEncodeError) as problem:
            with suppress(OSError):
                self.cut(self.size)
            raise self._error(f"cannot write {self.path}: {why(problem)}") from None
        self.size += len(data)

    def close(self, *, nothing_came: bool = False) -> None:
        """Let others write. A new file of which nothing came is not left."""
        with self._file:
            if nothing_came and self._made:
                Path(os.path.realpath(self.path)).unlink(missing_ok=True)


@contextmanager
def undisturbed(path: str | Path, error: type[PokerlabError] = PokerlabError) -> Iterator[None]:
    """Refuse a file that is growing, and let none grow meanwhile: it is about to be replaced."""
    if written_through(path) or not os.path.isfile(path):
        yield
        return
    with open(path, "rb") as file:
        if not lock(file):
            raise error(_taken(path))
        yield


def _taken(path: str | Path) -> str:
    return f"cannot write {path}: another match is being written to it"


def lock(file: IO[bytes]) -> bool:
    """Whether nobody else holds the lock of a file; until it is closed, nobody else gets it either."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as problem:
        return problem.errno not in (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES)
    return True
