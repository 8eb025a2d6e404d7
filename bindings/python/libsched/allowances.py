"""Allowances: how much GPU time or money the tasks of a queue may use in a period."""
from __future__ import annotations

import ctypes as c

from . import _abi
from .calls import Calls
from .library import lib
from .structs import Items


class Allowances(Calls):
    """The methods of Cluster about allowances; Cluster inherits them."""

    def allowances_set(self, allowances: Items, flags: int = 0) -> list[int] | None:
        """Gives allowances to queues: [{"queue_name": "team", "price": {GPU: 1_000_000}, "amount_micro": 500_000_000,
        "period_us": 86_400_000_000}] are 500 GPU hours a day."""
        return self._batch(lib.lsched_allowances_set, _abi.AllowanceDesc, allowances, flags)

    def allowances_remove(self, queues: list[int], flags: int = 0) -> list[int] | None:
        """Takes the allowances from the queues with these ids."""
        return self._ids(lib.lsched_allowances_remove, queues, flags)

    def allowances(self) -> list[_abi.AllowanceInfo]:
        """All allowances, in no particular order."""
        return self._all(lib.lsched_allowances_next, _abi.AllowanceInfo)

    def allowance_price(self, queue: int, kind: int) -> int:
        """What an hour of one unit of the resource kind costs the allowance of the queue, in micro-units."""
        price = c.c_int64()
        self._call(lib.lsched_allowance_price, queue, kind, c.byref(price))
        return price.value
