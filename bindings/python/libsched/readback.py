"""Reading back what a cluster holds: open decisions, waiting jobs, descriptions, and its differences from a list."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Union

import ctypes as c

from . import _abi
from .calls import Calls
from .library import lib
from .owned import Owned
from .structs import Batch, as_batch


class Description(Owned):
    """A node, queue or job as it can be submitted again: `desc` is a NodeDesc, QueueDesc or JobDesc.

    Its texts and lists belong to this object, which outlives the cluster: keep it until `desc` is submitted.
    """

    _destroy, _what = "lsched_description_destroy", "description"

    def __init__(self, handle: int | None) -> None:
        self._handle = handle

    @property
    def desc(self) -> _abi.NodeDesc | _abi.QueueDesc | _abi.JobDesc:
        for function, kind in ((lib.lsched_description_node, _abi.NodeDesc),
                               (lib.lsched_description_queue, _abi.QueueDesc),
                               (lib.lsched_description_job, _abi.JobDesc)):
            address = function(self.handle)
            if address:
                found = kind()
                c.memmove(c.byref(found), address, min(c.sizeof(kind), kind.from_address(address).size))
                found._kept.append(self)
                return found
        raise ValueError("the description is of a kind that this package does not know")


class Readback(Calls):
    """The methods of Cluster that read back; Cluster inherits them."""

    def decision_get(self, decision: int) -> _abi.Decision:
        """The content of an open decision, as the plan had it."""
        return self._get(lib.lsched_decision_get, _abi.Decision, decision)

    def decisions_open(self) -> list[_abi.Decision]:
        """All open decisions, the oldest first."""
        return self._all(lib.lsched_decisions_next, _abi.Decision)

    def waiting_get(self, job: int) -> _abi.Waiting | None:
        """Why a job waits, None if it waits for nothing or the next cycle tries it."""
        out = _abi.Waiting()
        return out if self._call(lib.lsched_waiting_get, job, c.byref(out)) else None

    def waiting_jobs(self) -> list[_abi.Waiting]:
        """Why each job waits, job by job; the order carries no meaning."""
        return self._all(lib.lsched_waiting_next, _abi.Waiting)

    def job_end(self, job: int) -> _abi.JobEnd:
        """How the running tasks of a job will end: by its estimate, its time limit or a spent allowance, and which of its
        nodes leaves. A time without an end is NEVER_US."""
        out = _abi.JobEnd()
        self._call(lib.lsched_job_end_get, job, c.byref(out))
        return out

    def describe(self, item: int) -> Description:
        """The Description of the node, queue or job with that id."""
        handle = c.c_void_p()
        self._call(lib.lsched_describe, item, c.byref(handle))
        return Description(handle.value)

    def sync_tasks(self, tasks: Iterable[Any]) -> tuple[list[int], list[tuple[int, int]]]:
        """Compares the complete list of running tasks, dicts of TaskRef, with the cluster: the indices of the elements
        that do not run in the cluster, and the (job, task_index) that the list lacks."""
        batch = Batch(_abi.TaskRef, tasks)
        address, n, stride, keep = as_batch(_abi.TaskRef, batch)
        status, report = (c.c_int32 * n)(), _abi.SyncReport()
        report.status = c.addressof(status)
        with self._lock:
            self._call(lib.lsched_sync_tasks, address, n, stride, c.byref(report))
            room = report.n_extra
            jobs, indices = (c.c_uint64 * room)(), (c.c_uint32 * room)()
            report.extra, report.extra_tasks = c.addressof(jobs), c.addressof(indices)
            report.extra_capacity = room
            self._call(lib.lsched_sync_tasks, address, n, stride, c.byref(report))
        missing = [i for i, code in enumerate(status) if code in (_abi.E_NOENT, _abi.E_STATE)]
        return missing, list(zip(jobs, indices))
