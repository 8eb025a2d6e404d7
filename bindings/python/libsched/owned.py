"""An object of the library that this object owns: it is destroyed by close(), at the end of a `with` block, or with
the last reference."""
from __future__ import annotations

from types import TracebackType
from typing import TypeVar

from .library import lib

Self = TypeVar("Self", bound="Owned")


class Owned:
    _destroy = ""  # the function of the library that destroys the object
    _what = ""     # what the object is, in messages

    _handle: int | None

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        handle, self._handle = getattr(self, "_handle", None), None
        if handle:
            getattr(lib, self._destroy)(handle)

    @property
    def handle(self) -> int:
        if not self._handle:
            raise ValueError(f"the {self._what} is closed")
        return self._handle
