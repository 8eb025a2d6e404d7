"""Finds libsched.so and declares its functions.

Looked for, in this order: the path in LSCHED_LIBRARY, the directory of this package, what the system's loader finds.
The first that exists is taken; if it cannot be used, that is an error and not a reason to go on, because a program that
runs with another library than the one it was pointed to is worse than one that does not run.
"""
from __future__ import annotations

import ctypes
import os

from . import _abi
from .structs import RANGES, check_range

NAMES = ("libsched.so.0.2", "libsched.so", "libsched.dylib")


def _candidates() -> list[str]:
    named = os.environ.get("LSCHED_LIBRARY")
    if named:
        return [named]
    here = os.path.dirname(os.path.abspath(__file__))
    beside = [path for path in (os.path.join(here, name) for name in NAMES) if os.path.exists(path)]
    return beside[:1] or list(NAMES)


def _open() -> tuple[str, ctypes.CDLL]:
    tried = []
    for path in _candidates():
        try:
            return path, ctypes.CDLL(path)
        except OSError as reason:
            tried.append(f"  {path}: {reason}")
    raise ImportError("libsched.so cannot be loaded; set LSCHED_LIBRARY to its path\n" + "\n".join(tried))


def _checked(kind: type) -> type:
    """The type of an argument that refuses what it cannot hold; its from_param is what ctypes calls."""

    def from_param(value: object) -> object:
        if isinstance(value, int):
            check_range(kind, value, "the argument")
        return kind.from_param(value)  # type: ignore[attr-defined]

    return type(kind.__name__, (), {"from_param": staticmethod(from_param)})


_CHECKED = {kind: _checked(kind) for kind in RANGES}


def load() -> ctypes.CDLL:
    path, library = _open()
    try:
        for name, result, parameters in _abi.FUNCTIONS:
            function = getattr(library, name)
            function.restype = result
            function.argtypes = [_CHECKED.get(kind, kind) for kind in parameters]
    except AttributeError as missing:
        raise ImportError(f"{path} is no libsched of this version: {missing}") from None
    version = library.lsched_version().decode()
    wanted = f"{_abi.VERSION_MAJOR}.{_abi.VERSION_MINOR}."
    if not version.startswith(wanted):
        raise ImportError(f"{path} is libsched {version}; this package needs {wanted}x")
    return library


lib = load()
