"""A GPU, and what can be wrong with one, as CuPy would tell it."""

import sys
import types

import pytest

from pokerlab.device import CupyDevice
from pokerlab.errors import DeviceError


class CUDARuntimeError(RuntimeError):
    pass


def cupy_of(**changes):
    """As much of CuPy as a device asks: a GPU, unless something of it is changed."""
    out, bad = type("OutOfMemoryError", (MemoryError,), {}), type("CompileException", (Exception,), {})
    properties = {"name": b"a GPU", "sharedMemPerBlockOptin": 1, "sharedMemPerMultiprocessor": 1,
                  "multiProcessorCount": 1, "major": 8, "minor": 6}  # fmt: skip
    told = {"getDevice": lambda: 0, "getDeviceProperties": lambda _: properties, "getVersion": lambda: (13, 0),
            "memGetInfo": lambda: (5, 9)} | changes  # fmt: skip
    runtime = types.SimpleNamespace(CUDARuntimeError=CUDARuntimeError, **told)
    cuda = types.SimpleNamespace(
        runtime=runtime, nvrtc=runtime, memory=types.SimpleNamespace(OutOfMemoryError=out),
        compiler=types.SimpleNamespace(CompileException=bad),
    )  # fmt: skip
    pool = types.SimpleNamespace(free_bytes=lambda: 2)
    return types.SimpleNamespace(cuda=cuda, get_default_memory_pool=lambda: pool)


def failing(error):
    def fail(*_):
        raise error

    return fail


def test_what_goes_wrong_on_a_device_is_one_line(monkeypatch):
    cupy = cupy_of()
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    device = CupyDevice()
    assert device.free() == 7
    for kind, said in (
        (cupy.cuda.memory.OutOfMemoryError, "no memory left .*take device cpu"),
        (cupy.cuda.compiler.CompileException, "failed .first."),
        (CUDARuntimeError, "failed .first."),
        (ImportError, "failed .first."),  # cuBLAS is looked for when it is first needed
    ):
        with pytest.raises(DeviceError, match=said) as raised, device.watched():
            raise kind("first\nsecond")
        assert "\n" not in str(raised.value)
    with pytest.raises(KeyError), device.watched():
        raise KeyError("a mistake of ours is not the device's")
    cupy.cuda.runtime.memGetInfo = failing(CUDARuntimeError("cudaErrorMemoryAllocation: out of memory"))
    with pytest.raises(DeviceError, match=r"failed .cudaErrorMemoryAllocation"):
        device.free()


def test_without_cupy_or_without_a_gpu(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(DeviceError, match=r"needs CuPy.*pip install 'pokerlab\[gpu\]'"):
        CupyDevice()

    none = failing(CUDARuntimeError("cudaErrorNoDevice: no CUDA-capable device is detected"))
    old = {"name": b"an old one", "major": 7, "minor": 5}
    for changes, said in (
        ({"getDevice": none}, "there is no GPU that CUDA can use .*no CUDA-capable device.*take device cpu"),
        ({"getDeviceProperties": lambda _: old}, "an old one has compute capability 7.5, and 8.0 .*take device cpu"),
        ({"getVersion": failing(ImportError("x"))}, "finds no NVRTC.*pip install 'pokerlab.gpu.'.*take device cpu"),
        ({"getVersion": failing(RuntimeError("x"))}, "finds no NVRTC"),
    ):
        monkeypatch.setitem(sys.modules, "cupy", cupy_of(**changes))
        with pytest.raises(DeviceError, match=said):
            CupyDevice()
