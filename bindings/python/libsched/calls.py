"""How the methods of Cluster call the library: error records, structures to fill, lists, batches."""
from __future__ import annotations

import array
import ctypes as c
from typing import TYPE_CHECKING, Any, TypeVar, Union

from . import _abi
from .errors import check
from .owned import Owned
from .structs import Items, Struct, as_batch, as_numbers

S = TypeVar("S", bound=Struct)
if TYPE_CHECKING:
    Ids = array.array[int]
    IdList = Union[array.array[int], memoryview, list[int], tuple[int, ...], Any]


class Calls(Owned):
    """A handle of the library that one thread at a time may use."""

    _lock: Any  # a threading.RLock, which is no type before Python 3.13

    def _call(self, function: Any, *arguments: Any, status: Any = None) -> int:
        """A call that ends in an error record."""
        record = _abi.Error()
        with self._lock:
            return check(function(self.handle, *arguments, c.byref(record)), record, status)

    def _get(self, function: Any, kind: type[S], *arguments: Any) -> S:
        """A call that fills a structure."""
        out = kind()
        self._call(function, *arguments, c.byref(out))
        return out

    def _all(self, function: Any, kind: type[S], *arguments: Any) -> list[S]:
        """The records of a call *_next, from its first cursor to the end."""
        found: list[S] = []
        cursor = c.c_uint64()
        with self._lock:
            while True:
                out = kind()
                if self._call(function, *arguments, c.byref(cursor), c.byref(out)) == 0:
                    return found
                found.append(out)

    def _batch(self, function: Any, kind: type[Struct], items: Items, flags: int) -> list[int] | None:
        """A batch that returns no ids; with flags, the codes of its elements."""
        address, n, stride, keep = as_batch(kind, items)
        return self._codes(function, address, n, stride, n=n, flags=flags)

    def _codes(self, function: Any, *elements: Any, n: int, flags: int) -> list[int] | None:
        status = (c.c_int32 * n)()
        self._call(function, *elements, batch_opts(flags), status, status=status)
        return list(status) if flags else None

    def _add(self, function: Any, kind: type[Struct], items: Items, flags: int) -> Any:
        """A batch that returns ids; with flags, the codes of its elements, too."""
        address, n, stride, keep = as_batch(kind, items)
        ids, status = array.array("Q", bytes(8 * n)), (c.c_int32 * n)()
        self._call(function, address, n, stride, batch_opts(flags), address_of(ids), status, status=status)
        return (ids, list(status)) if flags else ids

    def _ids(self, function: Any, ids: IdList, flags: int) -> list[int] | None:
        address, n, keep = as_numbers(c.c_uint64, ids)
        return self._codes(function, address, n, n=n, flags=flags)


def batch_opts(flags: int) -> Any:
    return c.byref(_abi.BatchOpts(flags=flags)) if flags else None


def address_of(numbers: Ids) -> int | None:
    """The address of the items of an array.array, None when there are none."""
    return numbers.buffer_info()[0] if len(numbers) else None

