"""Plans: what a cycle decided, and why the rest waits."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar, cast

import ctypes as c

from . import _abi
from .errors import check
from .library import lib
from .owned import Owned
from .structs import Struct

S = TypeVar("S", bound=Struct)


def _copy(kind: type[S], n: int, stride: int, address: int) -> c.Array[S]:
    """An array of `kind` from n records of another stride: a newer library writes longer records, an older shorter ones."""
    array = (kind * n)()
    if stride == c.sizeof(kind):
        c.memmove(array, address, n * stride)
    else:
        for i in range(n):
            c.memmove(c.byref(array, i * c.sizeof(kind)), address + i * stride, min(stride, c.sizeof(kind)))
    return array


def record_at(kind: type[S], address: int) -> S:
    """A copy of one record that begins with its size."""
    out: Any = kind()
    known = min(c.c_uint32.from_address(address).value, c.sizeof(kind))
    c.memmove(c.byref(out), address, known)
    out.size = known
    return cast(S, out)


class Plan(Owned):
    """The result of one cycle. It stays valid when the cluster changes or is closed.

    `decisions` is an array of Decision and `waiting` one of Waiting, both copied out of the library the first time they
    are asked for: they live on after the plan, and give out the buffer protocol (numpy.asarray(plan.decisions)
    makes a structured array without copying).
    """

    _destroy, _what = "lsched_plan_destroy", "plan"

    def __init__(self, handle: int | None) -> None:
        self._handle = handle
        self._decisions: c.Array[_abi.Decision] | None = None
        self._waiting: c.Array[_abi.Waiting] | None = None

    def __len__(self) -> int:
        return int(lib.lsched_plan_size(self.handle))

    def __iter__(self) -> Iterator[_abi.Decision]:
        return iter(self.decisions)

    def __getitem__(self, index: int) -> _abi.Decision:
        return self.decisions[index]

    @property
    def decisions(self) -> c.Array[_abi.Decision]:
        if self._decisions is None:
            n, stride = c.c_size_t(), c.c_size_t()
            first = lib.lsched_plan_decisions(self.handle, c.byref(n), c.byref(stride))
            self._decisions = _copy(_abi.Decision, n.value, stride.value, first)
        return self._decisions

    @property
    def waiting(self) -> c.Array[_abi.Waiting]:
        if self._waiting is None:
            n = lib.lsched_plan_waiting_size(self.handle)
            array = (_abi.Waiting * n)()
            for i in range(n):
                record = _abi.Waiting.from_address(lib.lsched_plan_waiting_at(self.handle, i))
                known = min(record.size, c.sizeof(_abi.Waiting))
                c.memmove(c.byref(array, i * c.sizeof(_abi.Waiting)), c.byref(record), known)
            self._waiting = array
        return self._waiting

    @property
    def withdrawn(self) -> list[int]:
        """Ids of decisions of earlier cycles that this one withdrew: an eviction among them is called off, its work runs on."""
        return [lib.lsched_plan_withdrawn_at(self.handle, i) for i in range(lib.lsched_plan_withdrawn_size(self.handle))]

    @property
    def adopted(self) -> list[_abi.AdoptedGroup]:
        """Of a plan that Cluster.adopt returned: one AdoptedGroup for each group of decisions of the clone's plan."""
        out = []
        for i in range(lib.lsched_adopted_group_size(self.handle)):
            record = _abi.AdoptedGroup.from_address(lib.lsched_adopted_group_at(self.handle, i))
            copy = _abi.AdoptedGroup()
            c.memmove(c.byref(copy), c.byref(record), min(record.size, c.sizeof(copy)))
            out.append(copy)
        return out

    def adopted_id(self, index: int) -> int:
        """The id of the open decision that decision `index` of the clone's plan became; 0 if there is none."""
        return int(lib.lsched_adopted_id(self.handle, index))

    @property
    def log(self) -> list[str]:
        """The lines that the policy wrote with log() in this cycle."""
        n = lib.lsched_plan_log_size(self.handle)
        return [lib.lsched_plan_log_at(self.handle, i).decode(errors="replace") for i in range(n)]

    @property
    def advice(self) -> list[_abi.PlanAdviceRecord]:
        """What the plan advises people to do: a list of PlanAdviceRecord."""
        n = lib.lsched_plan_advice_size(self.handle)
        return [record_at(_abi.PlanAdviceRecord, lib.lsched_plan_advice_at(self.handle, i)) for i in range(n)]

    @property
    def info(self) -> _abi.PlanInfo:
        out, record = _abi.PlanInfo(), _abi.Error()
        check(lib.lsched_plan_get(self.handle, c.byref(out), c.byref(record)), record)
        return out

    @property
    def hash(self) -> int:
        """Over names, not ids: equal plans have equal hashes in every build and binding."""
        return self.info.plan_hash

    @property
    def policy_error(self) -> str:
        """The message of the policy failure in this cycle, "" if there was none."""
        return str(lib.lsched_plan_policy_error(self.handle).decode(errors="replace"))
