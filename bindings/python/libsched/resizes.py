"""Other amounts for tasks that run: requests, and reading back what tasks have and are to have."""
from __future__ import annotations

from . import _abi
from .calls import Calls
from .library import lib
from .structs import Items


class Resizes(Calls):
    """The methods of Cluster about resizes; Cluster inherits them."""

    def tasks_resize(self, resizes: Items, flags: int = 0) -> list[int] | None:
        """Asks for other amounts for running tasks: [{"job": id, "task_index": 0, "request": {"cpu": 8000}}]. Cycles
        with 1 << DECIDE_RESIZE in decision_kinds decide it."""
        return self._batch(lib.lsched_tasks_resize, _abi.TaskResize, resizes, flags)

    def resizes(self) -> list[_abi.ResizeInfo]:
        """The tasks that have, or are to have, other amounts than their jobs request, in no particular order."""
        return self._all(lib.lsched_resizes_next, _abi.ResizeInfo)

    def resize_get(self, job: int, task_index: int) -> _abi.ResizeInfo:
        """What one running task waits for, or which decision is open."""
        return self._get(lib.lsched_resize_get, _abi.ResizeInfo, job, task_index)

    def resize_amount(self, job: int, task_index: int, kind: int, which: int = _abi.RESIZE_AMOUNT_HAS) -> int:
        """The amount of a kind that a running task has, is to have (RESIZE_AMOUNT_WANTS) or is charged
        (RESIZE_AMOUNT_CHARGED)."""
        return self._call(lib.lsched_resize_amount, job, task_index, kind, which)
