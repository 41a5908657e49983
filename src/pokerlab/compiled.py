"""`njit`, numba's, with a cache of compiled kernels of our own.

Kernels lie beside their module or, where that cannot be written, in the cache folder; where neither can, they are
compiled in every run. Numba's own cache fails there, and at a damaged file; two processes that begin at once can mix up
its index; and it does not notice when a kernel that another one calls has changed. Here each kernel is a file, named
after its signature, with a checksum and a stamp of all that it was made from.

Before it loads a kernel, numba's cache loads all that compiling could need, a quarter of a second. Here a kernel says
which symbols it calls from outside, and if those are there nothing else is loaded.
"""

from __future__ import annotations

import hashlib
import inspect
import os
import pickle
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import llvmlite.binding as llvm  # type: ignore[import-untyped]
import numba
import numpy as np
from numba.core import config
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.dispatcher import Dispatcher
from numba.core.runtime import rtsys
from numba.core.serialize import dumps
from numba.core.sigutils import normalize_signature

from pokerlab.cache import ADVICE, cache_folder, say_once
from pokerlab.errors import PokerlabError
from pokerlab.interrupts import uninterrupted
from pokerlab.progress import Slow
from pokerlab.writing import replacing, why

_KIND = b"pokerlab kernel "
_MAGIC = _KIND + b"2\n"  # 1: without symbols
_DIGEST = hashlib.sha256().digest_size
_compiling = Slow("compiling kernels (once, some seconds)")


def njit(*, cache: bool = False, **options: Any) -> Callable[[Callable], Any]:
    """As numba's, with its options."""

    def compiled(function: Callable) -> Any:
        made: Any = numba.njit(**options)(function)
        if cache and hasattr(made, "py_func"):  # not with NUMBA_DISABLE_JIT
            made._cache = KernelCache(function)
        return made

    return compiled


class KernelCache(NullCache):
    """The compiled forms of one function, one for each signature that it was called with."""

    def __init__(self, function: Callable) -> None:
        self._function = function
        self._kept_out: set[Path] = set()  # what may not be read is not replaced either

    @property
    def cache_path(self) -> str:
        return str(_folders(inspect.getfile(self._function))[0])

    def load_overload(self, sig: Any, target_context: Any) -> CompileResult | None:
        """A kernel that was kept; None where there is none that is whole and made from the present sources."""
        rtsys.initialize(target_context)  # of arrays
        for path in self._paths(sig, target_context.codegen()):
            body = self._read(path)
            if body is None:
                continue
            try:
                with uninterrupted():  # Ctrl-C in the midst of LLVM can crash the process
                    symbols, parts = pickle.loads(body)
                    if not all(map(llvm.address_of_symbol, symbols)):
                        target_context.refresh()
                    kernel = CompileResult._rebuild(target_context, *pickle.loads(parts))
                if kernel.signature.args == normalize_signature(sig)[0]:
                    return kernel
            except Exception:  # whole, but of classes or a numba that are no more: it may fail in any way
                continue
        _compiling.begin()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a kernel, in the first folder that takes it."""
        _compiling.end()
        if data.library.has_dynamic_globals or any(not lifted.can_cache for lifted in data.lifted):
            return
        body = _stamp(self._function) + pickle.dumps((_symbols(data.library), dumps(data._reduce())))
        problems = []
        for path in self._paths(sig, data.codegen):
            try:
                if path in self._kept_out:
                    raise PermissionError(f"{path} cannot be read")
                path.parent.mkdir(parents=True, exist_ok=True)
                with replacing(path, sync=False) as file:  # half a file is told by its checksum
                    file.write(_MAGIC + hashlib.sha256(body).digest() + body)
                return
            except OSError as problem:
                problems.append(f"{path.parent}: {why(problem)}")
        told = "; ".join(problems) or "there is no folder for it"
        say_once("kernels", f"compiled kernels are not kept for the next time ({told}); {ADVICE}")

    def _read(self, path: Path) -> bytes | None:
        """What a file holds, if it is whole and its stamp the present one."""
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError:
            self._kept_out.add(path)
            return None
        if data.startswith(_KIND) and not data.startswith(_MAGIC):
            return None  # of another version
        start = len(_MAGIC) + _DIGEST
        if data[:start] != _MAGIC + hashlib.sha256(data[start:]).digest():
            say_once("kernel", f"the compiled kernel {path} is damaged: it is compiled again")
            with suppress(OSError):
                path.unlink()
            return None
        return data[start + _DIGEST :] if data[start : start + _DIGEST] == _stamp(self._function) else None

    def _paths(self, sig: Any, codegen: Any) -> Iterator[Path]:
        """Where the kernel of a signature may lie, in the order of preference."""
        function = self._function
        told = f"{normalize_signature(sig)[0]} {codegen.magic_tuple()} {numba.__version__}"
        digest = hashlib.sha256(told.encode()).hexdigest()[:16]
        file = Path(inspect.getfile(function))
        version = "".join(map(str, sys.version_info[:2]))
        name = f"{file.stem}.{function.__qualname__}-{function.__code__.co_firstlineno}.py{version}-{digest}.kernel"
        return (folder / name.replace("<", "").replace(">", "") for folder in _folders(str(file)))


def _symbols(library: Any) -> list[str]:
    """What a compiled kernel calls, or reads, from outside; an unknown symbol would end the process."""
    module = library._final_module
    named = [value for values in (module.functions, module.global_variables) for value in values]
    return [value.name for value in named if value.is_declaration and not value.name.startswith("llvm.")]


@cache
def _folders(file: str) -> list[Path]:
    """Where kernels of a module are kept: beside it, or where NUMBA_CACHE_DIR says; else in the cache folder."""
    folder = os.path.dirname(os.path.abspath(file))
    apart = f"{os.path.basename(folder)}-{hashlib.sha256(folder.encode()).hexdigest()[:16]}"
    named = getattr(config, "CACHE_DIR", "")
    folders = [Path(named) / apart if named else Path(folder) / "__pycache__"]
    with suppress(PokerlabError):
        folders.append(cache_folder() / "kernels" / apart)
    return folders


@cache
def _stamp(function: FunctionType) -> bytes:
    """A digest of the sources of a kernel and of all that it calls, and of the constants that they name."""
    parts: set[bytes] = set()
    seen: set[FunctionType] = set()
    waiting = [function]
    while waiting:
        of = waiting.pop()
        if of in seen:
            continue
        seen.add(of)
        parts |= {_source(inspect.getfile(of)), *_code(of.__code__)}
        names = {*_names(of.__code__)}
        values = [of.__globals__.get(name) for name in sorted(names)]
        values += [cell.cell_contents for cell in of.__closure__ or ()]
        values += [getattr(value, name, None) for value in values if isinstance(value, ModuleType) for name in names]
        for value in values:
            if isinstance(value, Dispatcher):
                waiting.append(value.py_func)
            elif isinstance(value, np.ndarray):
                parts.add(hashlib.sha256(repr((value.dtype, value.shape)).encode() + value.tobytes()).digest())
            elif isinstance(value, bool | int | float | complex | str | bytes | tuple):
                parts.add(repr(value).encode())
            else:  # a class of what it takes, or what else tells numba how to compile
                parts.add(_source(getattr(sys.modules.get(getattr(value, "__module__", "")), "__file__", None) or ""))
    return hashlib.sha256(b"".join(sorted(parts))).digest()


def _names(code: CodeType) -> Iterator[str]:
    """Names in a function and in those within it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _code(code: CodeType) -> Iterator[bytes]:
    """What a function does, also where it is not, or no longer, what its file says."""
    yield code.co_code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _code(constant)
        elif not isinstance(constant, frozenset):  # whose order differs from process to process
            yield repr(constant).encode()


@cache
def _source(path: str) -> bytes:
    try:
        return hashlib.sha256(Path(path).read_bytes()).digest()
    except OSError:  # within a zip, or no file at all
        return path.encode()
