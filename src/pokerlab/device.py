"""A device as engines see it: arrays, kernels compiled from CUDA C, and how much there is of everything.

CuPy compiles CUDA C at run time and needs no compiler of the user's. It is imported when a device is first asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple, Protocol

import numpy as np

from pokerlab.errors import DeviceError, shown

AUTO = "auto"
DEVICES = ("cpu", "cuda", AUTO)
ARCHITECTURE = 8  # the first that kernels are written for: they copy into shared memory behind the threads' backs
# A kernel's name, blocks of threads (in two directions), threads, bytes of shared memory, and what it is called with.
Launch = Callable[[str, tuple[int, int], int, int, tuple[Any, ...]], None]


class Source(NamedTuple):
    """A file of CUDA C in a package, and the kernels in it."""

    package: str
    file: str
    kernels: tuple[str, ...]

    def text(self) -> str:
        return (files(self.package) / self.file).read_text()


class Device(Protocol):
    """Where arrays of `xp`, a module such as numpy, live and kernels run."""

    xp: Any
    warp: int  # threads that go together
    threads: int  # the most that a block of threads is given
    shared: int  # bytes of shared memory that a block of threads may have
    together: int  # bytes of it that the blocks of a processor have together
    rows: int | None  # numbers of rows that roots are grouped up to; None: what there is room for
    blocks: int  # that run at a time, about

    def free(self) -> int:
        """Bytes that can still be taken."""
        ...

    def host(self, array: Any) -> np.ndarray:
        """An array's numbers, where numpy can read them."""
        ...

    def pointer(self, array: Any) -> int:
        """Where an array begins on the device."""
        ...

    def compile(self, source: Source, defined: Mapping[str, int]) -> Launch:
        """Kernels of a file with these macros."""
        ...

    def watched(self) -> AbstractContextManager[None]:
        """What goes wrong inside is one clear line."""
        ...


# Of a structure that kernels are called with: its pointers, then its numbers and their types.
Fields = tuple[Sequence[str], Sequence[tuple[str, str]]]


def record_of(device: Device, fields: Fields, arrays: Mapping[str, Any], **numbers: float) -> np.ndarray:
    """A structure, its pointers to arrays on the device."""
    pointers, others = fields
    record = np.zeros(1, np.dtype([*((name, "u8") for name in pointers), *others]))
    for name in pointers:
        record[name] = device.pointer(arrays[name])
    for name, number in numbers.items():
        record[name] = number
    return record


class CupyDevice:
    """The GPU that CUDA calls the current one."""

    warp, threads = 32, 640
    rows: int | None = None

    def __init__(self) -> None:
        try:
            import cupy
        except ImportError:
            raise DeviceError(
                "device cuda needs CuPy, which is not installed: pip install 'pokerlab[gpu]', or take device cpu"
            ) from None
        self.xp = cupy
        try:
            properties = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.runtime.getDevice())
        except cupy.cuda.runtime.CUDARuntimeError as error:
            raise DeviceError(f"device cuda: there is no GPU that CUDA can use ({error}); take device cpu") from None
        self.name = properties["name"].decode()
        if properties["major"] < ARCHITECTURE:
            raise DeviceError(
                f"device cuda: {self.name} has compute capability {properties['major']}.{properties['minor']}, and "
                f"{ARCHITECTURE}.0 is the least that kernels are written for; take device cpu"
            )
        try:
            cupy.cuda.nvrtc.getVersion()
        except (ImportError, RuntimeError):
            raise DeviceError(
                "device cuda: CuPy finds no NVRTC, which compiles kernels: pip install 'pokerlab[gpu]' brings it, or "
                "take device cpu"
            ) from None
        self.shared = int(properties["sharedMemPerBlockOptin"])
        self.together = int(properties["sharedMemPerMultiprocessor"])
        self.blocks = 2 * int(properties["multiProcessorCount"])

    def free(self) -> int:
        with self.watched():
            return int(self.xp.cuda.runtime.memGetInfo()[0]) + self.xp.get_default_memory_pool().free_bytes()

    def host(self, array: Any) -> np.ndarray:
        return np.asarray(self.xp.asnumpy(array))

    def pointer(self, array: Any) -> int:
        return int(array.data.ptr)

    def compile(self, source: Source, defined: Mapping[str, int]) -> Launch:
        return self._compiled(source, tuple(f"-D{name}={value}" for name, value in defined.items()))

    @cache  # noqa: B019 - there is one device
    def _compiled(self, source: Source, macros: tuple[str, ...]) -> Launch:
        options = "--std=c++17", *macros
        module = self.xp.RawModule(code=source.text(), options=options)
        with self.watched():
            kernels = {name: module.get_function(name) for name in source.kernels}

        def launch(name: str, grid: tuple[int, int], threads: int, shared: int, given: tuple[Any, ...]) -> None:
            kernel = kernels[name]
            if shared > kernel.max_dynamic_shared_size_bytes:
                kernel.max_dynamic_shared_size_bytes = shared
            kernel(grid, (threads,), given, shared_mem=shared)

        return launch

    @contextmanager
    def watched(self) -> Iterator[None]:
        cuda = self.xp.cuda
        try:
            yield
        except cuda.memory.OutOfMemoryError as error:
            raise DeviceError(
                f"the device has no memory left ({error}): take device cpu, or something smaller"
            ) from None
        except (RuntimeError, ImportError, cuda.compiler.CompileException) as error:  # of CUDA, and libraries not there
            said = str(error).strip().splitlines()[0]
            raise DeviceError(f"the device failed ({said}); what a file or a folder kept before is there") from None


@cache
def this_device() -> Device:
    """The GPU of this machine, asked for once."""
    return CupyDevice()


def is_wanted(name: str, gains: bool) -> bool:
    """Whether a GPU is meant by `cpu`, `cuda` or `auto`, which takes one where it is there and `gains`."""
    if name not in DEVICES:
        raise DeviceError(f"no device {shown(name)}; there are {', '.join(DEVICES)}")
    if name == AUTO and gains:
        with suppress(DeviceError):
            this_device()
            return True
    return name == "cuda"
