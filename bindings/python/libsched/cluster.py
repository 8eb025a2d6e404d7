"""Clusters: the handle that owns everything."""
from __future__ import annotations

import array
import ctypes as c
import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal, Sequence, overload

from . import _abi
from .allowances import Allowances
from .calls import address_of, batch_opts
from .cycle import schedule_opts
from .devices import Devices
from .errors import check
from .library import lib
from .loop import LATE, NOT_ANSWERED_AT_ONCE, Feed, Steps, outcome_of
from .plan import Plan
from .policy import Policy
from .readback import Readback
from .reservations import Reservations
from .resizes import Resizes
from .supplies import Supplies
from .structs import Batch, Items, as_batch, as_numbers, as_text

if TYPE_CHECKING:
    from .calls import IdList, Ids


class WouldStart:
    """The answer of Cluster.would_start: fields of WouldStartAnswer, such as start, code, at_us and tasks, and
    `waiting` (why the job waits), `plan` and `offer`, which are None if they were not asked for or not found."""

    start: int
    code: int
    plan_flags: int
    at_us: int
    ends_job: int
    tasks: int
    victims: int
    cost: int

    def __init__(self, answer: _abi.WouldStartAnswer, waiting: _abi.Waiting, plan: Plan | None,
                 offer: _abi.Offer | None) -> None:
        for name in ("start", "code", "plan_flags", "at_us", "ends_job", "tasks", "victims", "cost"):
            setattr(self, name, getattr(answer, name))
        self.waiting, self.plan, self.offer = waiting, plan, offer


class Cluster(Allowances, Devices, Readback, Reservations, Resizes, Supplies):
    """What exists, what runs, what waits. Methods are the functions of libsched.h without their prefix.

    Batches are taken as a list of structures or of dicts, as a Batch built once, or as any contiguous buffer of structures
    (a ctypes array, a numpy array); ids and numbers as a buffer (array.array, numpy) or a list. Calls that add
    things return their ids as array.array("Q"). A call that fails raises Error and has changed nothing. Batches take
    `flags`, BATCH_PARTIAL and BATCH_IDEMPOTENT; with flags they return the code of each element, after the ids if any.

    A handle is for one thread at a time, so calls from several threads wait for each other here; interrupt() does not.
    """

    _destroy, _what = "lsched_cluster_destroy", "cluster"

    def __init__(self, *, memory_limit_bytes: int = 0, open_decisions_max: int = 0,
                 verify_every_plan: bool = False, incarnation: int = 0, id_salt: int = 0,
                 changes_bytes: int = 0) -> None:
        self._open(_abi.ClusterOpts(memory_limit_bytes=memory_limit_bytes, open_decisions_max=open_decisions_max,
                                    verify_every_plan=int(verify_every_plan), incarnation=incarnation, id_salt=id_salt,
                                    changes_bytes=changes_bytes))

    def _open(self, opts: _abi.ClusterOpts, saved: bytes | None = None) -> None:
        self._lock = threading.RLock()
        handle, record = c.c_void_p(), _abi.Error()
        if saved is None:
            code = lib.lsched_cluster_create(c.byref(opts), c.byref(handle), c.byref(record))
        else:
            code = lib.lsched_cluster_load(c.byref(opts), saved, len(saved), c.byref(handle), c.byref(record))
        check(code, record)
        self._handle = handle.value

    @classmethod
    def load(cls, saved: bytes, *, memory_limit_bytes: int = 0, open_decisions_max: int = 0,
             verify_every_plan: bool = False, incarnation: int = 0, id_salt: int = 0, changes_bytes: int = 0) -> Cluster:
        """A cluster from the bytes that save() returned. After a crash, `incarnation` is greater than any before."""
        cluster = cls.__new__(cls)
        cluster._open(_abi.ClusterOpts(memory_limit_bytes=memory_limit_bytes, open_decisions_max=open_decisions_max,
                                       verify_every_plan=int(verify_every_plan), incarnation=incarnation,
                                       id_salt=id_salt, changes_bytes=changes_bytes),
                      bytes(saved))
        return cluster

    # ---- the whole -------------------------------------------------------------------------------

    def clone(self, into: Cluster | None = None) -> Cluster:
        """A copy of the whole state. `into`: a cluster whose memory is reused; its old state is gone."""
        copy = Cluster.__new__(Cluster) if into is None else into
        if into is None:
            copy._lock, copy._handle = threading.RLock(), None
        with copy._lock:
            handle = c.c_void_p(copy._handle)
            self._call(lib.lsched_cluster_clone, c.byref(handle))
            copy._handle = handle.value
        return copy

    def save(self) -> bytes:
        return self._written(lib.lsched_cluster_save)

    def _written(self, function: Any, *arguments: Any) -> bytes:
        """The bytes that a function gives to its write callback."""
        parts = []

        def write(_: Any, address: int, n: int) -> int:
            parts.append(c.string_at(address, n))
            return 0

        self._call(function, *arguments, _abi.WriteFn(write), None)
        return b"".join(parts)

    def hash(self, which: int = _abi.HASH_IMAGE) -> int:
        out = c.c_uint64()
        self._call(lib.lsched_cluster_hash, which, c.byref(out))
        return out.value

    @property
    def stats(self) -> _abi.ClusterStats:
        return self._get(lib.lsched_cluster_stats_get, _abi.ClusterStats)

    # ---- counters --------------------------------------------------------------------------------

    @property
    def counters(self) -> _abi.Counters:
        """What the cluster did; the arrays are by code, such as counters.decisions[DECIDE_PLACE]."""
        return self._get(lib.lsched_counters_get, _abi.Counters)

    def queue_counters(self, queue: int) -> _abi.QueueCounters:
        """What happened to the jobs of one queue."""
        return self._get(lib.lsched_queue_counters_get, _abi.QueueCounters, queue)

    def action_counters(self) -> dict[str, _abi.ActionCounters]:
        """What the cycles did in each action: {name: ActionCounters}."""
        found: dict[str, _abi.ActionCounters] = {}
        cursor = c.c_uint64()
        with self._lock:
            while True:
                out = _abi.ActionCounters()
                if self._call(lib.lsched_action_counters_next, c.byref(cursor), c.byref(out)) == 0:
                    return found
                found[out.action.decode()] = out

    def metrics(self, *, queues: bool = False) -> str:
        """The counters as OpenMetrics text, for a monitoring system."""
        return self._written(lib.lsched_metrics_write, _abi.METRICS_QUEUES if queues else 0).decode()

    def interrupt(self) -> None:
        """Ends the call in progress soon. May be called from any thread."""
        lib.lsched_interrupt(self.handle)

    def verify(self, plan: Plan | None = None) -> None:
        self._call(lib.lsched_verify, None if plan is None else plan.handle)

    # ---- names -----------------------------------------------------------------------------------

    def find(self, kind: int, name: str | bytes) -> int:
        """The id of the object of that kind and name, 0 if there is none."""
        with self._lock:
            return int(lib.lsched_find(self.handle, kind, as_text(_abi.Text, name)))

    def name(self, ident: int) -> str | None:
        """The name of a live object, None for a stale id."""
        length = c.c_size_t()
        with self._lock:
            address = lib.lsched_name(self.handle, ident, c.byref(length))
            return c.string_at(address, length.value).decode(errors="replace") if address else None

    def ids(self, kind: int) -> Ids:
        """The ids of all objects of a kind; the order carries no meaning."""
        found, cursor = array.array("Q"), c.c_uint64()
        with self._lock:
            ident = lib.lsched_next(self.handle, kind, c.byref(cursor))
            while ident:
                found.append(ident)
                ident = lib.lsched_next(self.handle, kind, c.byref(cursor))
        return found

    def resource_add(self, name: str | bytes) -> int:
        return self._call(lib.lsched_resource_add, as_text(_abi.Text, name))

    def resource_add_part(self, **part: Any) -> int:
        """A kind that counts a part of another: resource_add_part(name="gpu:spot", pool="spot")."""
        address, _, _, keep = as_batch(_abi.ResourcePart, [part])
        return self._call(lib.lsched_resource_add_part, address)

    def pools_add(self, pools: Items, flags: int = 0) -> list[int] | None:
        """Named sets of nodes: those that have all labels of the pool."""
        return self._batch(lib.lsched_pools_add, _abi.PoolDesc, pools, flags)

    def resource_find(self, name: str | bytes) -> int:
        return self._call(lib.lsched_resource_find, as_text(_abi.Text, name))

    def resource_name(self, kind: int) -> str | None:
        with self._lock:
            name = lib.lsched_resource_name(self.handle, kind)
        return None if name is None else name.decode(errors="replace")

    # ---- nodes, queues, jobs ---------------------------------------------------------------------

    @overload
    def topologies_add(self, topologies: Items, flags: Literal[0] = 0) -> Ids: ...  # type: ignore[overload-overlap]

    @overload
    def topologies_add(self, topologies: Items, flags: int) -> tuple[Ids, list[int]]: ...

    def topologies_add(self, topologies: Items, flags: int = 0) -> Any:
        return self._add(lib.lsched_topologies_add, _abi.TopologyDesc, topologies, flags)

    @overload
    def nodes_add(self, nodes: Items, flags: Literal[0] = 0) -> Ids: ...  # type: ignore[overload-overlap]

    @overload
    def nodes_add(self, nodes: Items, flags: int) -> tuple[Ids, list[int]]: ...

    def nodes_add(self, nodes: Items, flags: int = 0) -> Any:
        return self._add(lib.lsched_nodes_add, _abi.NodeDesc, nodes, flags)


    def nodes_update(self, updates: Items, flags: int = 0) -> list[int] | None:
        return self._batch(lib.lsched_nodes_update, _abi.NodeUpdate, updates, flags)

    def nodes_remove(self, nodes: IdList, flags: int = 0) -> list[int] | None:
        return self._ids(lib.lsched_nodes_remove, nodes, flags)

    def node_get(self, node: int) -> _abi.NodeInfo:
        return self._get(lib.lsched_node_get, _abi.NodeInfo, node)

    def node_amount(self, node: int, kind: int) -> tuple[int, int]:
        """(capacity, free) of any resource kind."""
        capacity, free = c.c_int64(), c.c_int64()
        self._call(lib.lsched_node_amount, node, kind, c.byref(capacity), c.byref(free))
        return capacity.value, free.value

    def node_device(self, node: int, index: int) -> tuple[int, int, str]:
        """(free share in milli-GPUs, free memory in bytes, model)."""
        out = _abi.DeviceInfo()
        with self._lock:
            self._call(lib.lsched_device_get, node, index, c.byref(out))
            model = c.string_at(out.model.ptr, out.model.len).decode() if out.model.ptr else ""
        return out.free_milli, out.memory_free_bytes, model

    @overload
    def queues_add(self, queues: Items, flags: Literal[0] = 0) -> Ids: ...  # type: ignore[overload-overlap]

    @overload
    def queues_add(self, queues: Items, flags: int) -> tuple[Ids, list[int]]: ...

    def queues_add(self, queues: Items, flags: int = 0) -> Any:
        return self._add(lib.lsched_queues_add, _abi.QueueDesc, queues, flags)

    def queues_update(self, updates: Items, flags: int = 0) -> list[int] | None:
        """Changes the fields of queues that `set` names, QUEUE_SET_QUOTA | ...; all others stay."""
        return self._batch(lib.lsched_queues_update, _abi.QueueUpdate, updates, flags)

    def queues_remove(self, queues: IdList, flags: int = 0) -> list[int] | None:
        return self._ids(lib.lsched_queues_remove, queues, flags)

    def queue_get(self, queue: int) -> _abi.QueueInfo:
        return self._get(lib.lsched_queue_get, _abi.QueueInfo, queue)

    def queue_amount(self, queue: int, kind: int) -> tuple[int, int, int]:
        """(used, quota, limit) of a resource kind."""
        used, quota, limit = c.c_int64(), c.c_int64(), c.c_int64()
        self._call(lib.lsched_queue_amount, queue, kind, c.byref(used), c.byref(quota), c.byref(limit))
        return used.value, quota.value, limit.value

    def queue_share(self, queue: int, kind: int) -> _abi.QueueShare:
        """What a queue uses, wants and may have of a resource kind: QueueShare."""
        return self._get(lib.lsched_queue_share_get, _abi.QueueShare, queue, kind)

    @overload
    def jobs_submit(self, jobs: Items, flags: Literal[0] = 0) -> Ids: ...  # type: ignore[overload-overlap]

    @overload
    def jobs_submit(self, jobs: Items, flags: int) -> tuple[Ids, list[int]]: ...

    def jobs_submit(self, jobs: Items, flags: int = 0) -> Any:
        return self._add(lib.lsched_jobs_submit, _abi.JobDesc, jobs, flags)


    def jobs_remove(self, jobs: IdList, flags: int = 0) -> list[int] | None:
        return self._ids(lib.lsched_jobs_remove, jobs, flags)

    def jobs_complete(self, jobs: IdList, flags: int = 0) -> list[int] | None:
        """Ends jobs that have done their work, whatever number of tasks they wanted."""
        return self._ids(lib.lsched_jobs_complete, jobs, flags)

    def jobs_update(self, updates: Items, flags: int = 0) -> list[int] | None:
        """Changes fields of jobs: [{"job": id, "set": JOB_SET_PRIORITY, "priority": 5}]."""
        address, n, stride, keep = as_batch(_abi.JobUpdate, updates)
        return self._codes(lib.lsched_jobs_update, address, n, stride, n=n, flags=flags)

    def jobs_hold(self, holds: Items, flags: int = 0) -> list[int] | None:
        """Holds jobs: [{"job": id, "until_us": 0, "reason": "data is not there"}]. 0: until jobs_release."""
        address, n, stride, keep = as_batch(_abi.JobHold, holds)
        return self._codes(lib.lsched_jobs_hold, address, n, stride, n=n, flags=flags)

    def jobs_release(self, jobs: IdList, flags: int = 0) -> list[int] | None:
        """Ends the holds of jobs before their time."""
        return self._ids(lib.lsched_jobs_release, jobs, flags)

    def job_get(self, job: int) -> _abi.JobInfo:
        return self._get(lib.lsched_job_get, _abi.JobInfo, job)

    def array_get(self, job: int) -> _abi.ArrayInfo:
        """What an array counts; `job` is the array or one of its elements."""
        return self._get(lib.lsched_array_get, _abi.ArrayInfo, job)

    # ---- tasks -----------------------------------------------------------------------------------

    def tasks(self, *, job: int = 0, node: int = 0) -> list[_abi.TaskInfo]:
        """The placed tasks of a job, or on a node."""
        return self._all(lib.lsched_tasks_next, _abi.TaskInfo, job, node)

    def tasks_report(self, events: Items, flags: int = 0) -> list[int] | None:
        return self._batch(lib.lsched_tasks_report, _abi.TaskEvent, events, flags)

    def report(self, job: int, task_index: int, event: int, *, at_us: int = 0, flags: int = 0, **place: Any) -> None:
        """Reports one event of a task (EVENT_STARTED, EVENT_ENDED, EVENT_FAILED). place: node, device_mask and the
        other fields of TaskEvent, if it started elsewhere than planned; run: id of the PLACE decision that began the
        run, so that a late report touches no other run."""
        self.tasks_report([dict(job=job, task_index=task_index, event=event, at_us=at_us, **place)], flags)

    def tasks_import(self, tasks: Items, flags: int = 0) -> list[int] | None:
        return self._batch(lib.lsched_tasks_import, _abi.TaskImport, tasks, flags)

    def usage_report(self, samples: Items, flags: int = 0) -> list[int] | None:
        return self._batch(lib.lsched_usage_report, _abi.UsageSample, samples, flags)

    def task_mix_set(self, mix: Items) -> None:
        address, n, stride, keep = as_batch(_abi.MixEntry, mix)
        self._call(lib.lsched_task_mix_set, address, n, stride)

    # ---- policy, cycle, decisions ----------------------------------------------------------------

    def policy_load(self, policy: Policy | str, text: str | bytes | None = None, **opts: Any) -> None:
        """A Policy, or what makes one: a name and perhaps Lua text and parameters."""
        if not isinstance(policy, Policy):
            policy = Policy(policy, text, **opts)
        elif text is not None or opts:
            raise TypeError("a Policy has its text and its options already; give them to Policy()")
        record = _abi.Error()
        with self._lock:
            check(policy.load_into(self.handle, c.byref(record)), record)

    def policy_get(self) -> _abi.PolicyInfo:
        return self._get(lib.lsched_policy_get, _abi.PolicyInfo)

    def policy_hooks(self) -> list[_abi.PolicyHookInfo]:
        """The hooks of the policy, in the order of their bits: a list of PolicyHookInfo."""
        found = []
        with self._lock:
            for i in range(lib.lsched_policy_hooks_size(self.handle)):
                out = _abi.PolicyHookInfo()
                self._call(lib.lsched_policy_hooks_at, i, c.byref(out))
                found.append(out)
        return found

    def policy_warnings(self) -> list[str]:
        """Hooks that failed in a trial run with an unusual object, a line for each."""
        with self._lock:
            n = lib.lsched_policy_warnings_size(self.handle)
            return [lib.lsched_policy_warnings_at(self.handle, i).decode(errors="replace") for i in range(n)]

    def policy_misfits(self) -> list[str]:
        """What the policy's tables of kinds of work name and nothing in the cluster has, a line for each."""
        with self._lock:
            size = self._call(lib.lsched_policy_misfits, None, 0)
            buffer = c.create_string_buffer(size + 1)
            self._call(lib.lsched_policy_misfits, buffer, len(buffer))
        return buffer.value.decode(errors="replace").splitlines()

    def policy_terms(self, hook: int, job: int, *, node: int = 0, now_us: int = 0) -> tuple[float, list[_abi.PolicyTerm]]:
        """The answer of a hook for a job, and its summands: (value, list of PolicyTerm); no summands if the hook is
        not compiled. node: for HOOK_SCORE only."""
        value, terms = c.c_double(), (_abi.PolicyTerm * 0)()
        with self._lock:
            while True:
                n = self._call(lib.lsched_policy_terms, hook, job, node, now_us, terms, len(terms), c.byref(value))
                if n <= len(terms):
                    return value.value, list(terms[:n])
                terms = (_abi.PolicyTerm * n)()

    def schedule(self, now_us: int, *, work_budget: int = 0, decisions_max: int = 0, verify: bool = False,
                 proposal_life_us: int = 0, decision_kinds: int = 0, moves_max: int = 0, release_us: int = 0,
                 hooks_off: int = 0, all_waiting: bool = False, warn_before_us: int = 0,
                 trace: Callable[[_abi.TraceRecord], object] | None = None) -> Plan:
        """Runs one cycle and returns its plan. proposal_life_us: how long its decisions stay open if nobody settles
        them; 0: for ever. decision_kinds: the kinds that it can have, as bits 1 << DECIDE_*; 0:
        DECISION_KINDS_DEFAULT. moves_max: tasks that `consolidate` may move. release_us: time that an evicted task takes
        to stop if its job says none. hooks_off: bits HOOK_* that use their fallback. all_waiting: the plan has the
        reasons of all waiting jobs. warn_before_us: how long before its end a task gets a DECIDE_WARN, which
        decision_kinds must name; 0: it gets none. trace: is called at each stage with a TraceRecord, which is valid during the call;
        what it raises goes to sys.unraisablehook."""
        opts = schedule_opts(now_us, work_budget=work_budget, decisions_max=decisions_max, verify=verify,
                             proposal_life_us=proposal_life_us, decision_kinds=decision_kinds, moves_max=moves_max,
                             release_us=release_us, hooks_off=hooks_off, all_waiting=all_waiting,
                             warn_before_us=warn_before_us, trace=trace)
        plan = c.c_void_p()
        self._call(lib.lsched_schedule, c.byref(opts), c.byref(plan))
        return Plan(plan.value)

    def _cycle(self, now_us: int | None, options: dict[str, Any], earliest_us: int = 0) -> Any:
        """A pointer to the options of a cycle; now_us: None for the latest time of the cluster or earliest_us, if that is
        later."""
        if now_us is None:
            now_us = max(self.stats.now_us, earliest_us)
        return c.pointer(schedule_opts(now_us, **options))

    def adopt(self, plan: Plan, *, now_us: int | None = None, unfair_ok: bool = False, **options: Any) -> Plan:
        """Applies the plan of a clone of this cluster, as far as this cluster still allows it, and returns the plan of
        what was adopted: its `adopted` tells what became of each group of decisions. now_us: None for the latest time
        of the cluster, or the time of the plan, if that is later. unfair_ok: also what jobs that have arrived since have a higher claim to. Other options are those of
        schedule()."""
        opts = _abi.AdoptOpts(flags=_abi.ADOPT_UNFAIR_OK if unfair_ok else 0)
        opts.schedule = self._cycle(now_us, options, plan.info.now_us)
        adopted = c.c_void_p()
        self._call(lib.lsched_adopt, plan.handle, c.byref(opts), c.byref(adopted))
        return Plan(adopted.value)

    def clock_set(self, now_us: int) -> None:
        """Sets the latest time, also backwards: after a wrong clock was believed, or when the host slept for weeks."""
        self._call(lib.lsched_clock_set, now_us)

    def next_wake(self) -> int:
        with self._lock:
            return int(lib.lsched_next_wake(self.handle))

    @overload
    def settle(self, decisions: Iterable[int], outcomes: int | Iterable[int],  # type: ignore[overload-overlap]
               reasons: str | bytes | Iterable[str | bytes] | None = None, flags: Literal[0] = 0, *,
               refusal: Any = None) -> Ids: ...

    @overload
    def settle(self, decisions: Iterable[int], outcomes: int | Iterable[int],
               reasons: str | bytes | Iterable[str | bytes] | None = None, *, flags: int,
               refusal: Any = None) -> tuple[Ids, list[int]]: ...

    def settle(self, decisions: Iterable[int], outcomes: int | Iterable[int],
               reasons: str | bytes | Iterable[str | bytes] | None = None,
               flags: int = 0, *, refusal: Any = None) -> Any:
        """Settles decisions by id; outcomes is one for all, or one for each. reasons: why those that are rejected are,
        one for all, or one for each; equal words are one reason. refusal: what the next tries of those that are rejected
        avoid, and until when: a Refusal or a dict of its fields, or one or None for each. Returns the ids that it withdrew; with flags, the
        codes of the elements, too."""
        decisions = [int(decision) for decision in decisions]
        n = len(decisions)
        outcomes = [outcomes] * n if isinstance(outcomes, int) else [int(outcome) for outcome in outcomes]
        if n != len(outcomes):
            raise ValueError(f"{len(outcomes)} outcomes for {n} decisions")
        words = [reasons] * n if reasons is None or isinstance(reasons, (str, bytes)) else list(reasons)
        if len(words) != n:
            raise ValueError(f"{len(words)} reasons for {n} decisions")
        if refusal is None or isinstance(refusal, (dict, _abi.Refusal)):
            refusal = [refusal if outcome == _abi.OUTCOME_REJECTED else None for outcome in outcomes]
        refusals = list(refusal)
        if len(refusals) != n:
            raise ValueError(f"{len(refusals)} refusals for {n} decisions")
        answers = Batch(_abi.Settlement, (dict(decision=d, outcome=o, reason=w or "", **({"refusal": r} if r else {}))
                                          for d, o, w, r in zip(decisions, outcomes, words, refusals)))
        with self._lock:
            room = self.stats.decisions_open
            withdrawn = array.array("Q", bytes(8 * room))
            report = _abi.SettleReport(withdrawn_capacity=room)
            report.withdrawn = address_of(withdrawn)
            status = (c.c_int32 * n)()
            address, n, stride, keep = as_batch(_abi.Settlement, answers)
            self._call(lib.lsched_settle, address, n, stride, batch_opts(flags), c.byref(report), status,
                       status=status)
        told = withdrawn[:report.n_withdrawn]
        return (told, list(status)) if flags else told

    def confirm(self, decisions: Iterable[_abi.Decision]) -> list[int]:
        """Confirms the decisions of a plan, or some of them: the host will carry them out. Nominations are left out,
        because they need no answer, and checkpoints, whose confirmation says that they are written; decisions that
        were withdrawn since are left alone. Returns the ids of the decisions that are confirmed."""
        ids = [d.id for d in decisions if d.kind not in NOT_ANSWERED_AT_ONCE]
        if not ids:
            return []
        _, codes = self.settle(ids, _abi.OUTCOME_CONFIRMED, flags=LATE)
        return [ident for ident, code in zip(ids, codes) if code >= 0]

    def settle_plan(self, plan: Plan, outcomes: Iterable[int] | None = None) -> list[int]:
        """Settles the decisions of a plan, one outcome for each of them and 0 for no answer now; None confirms all but
        nominations and checkpoints. Late answers are no error. Returns a code for each decision: OK if its outcome is
        applied, UNCHANGED if there is none or it was so before, E_STALE if the decision was withdrawn since. A plan that
        another cluster made, also a clone, is E_INVAL."""
        n = len(plan)
        answers, given, keep = (None, n, None) if outcomes is None else as_numbers(c.c_int32, outcomes)
        if given != n:
            raise ValueError(f"{given} outcomes for {n} decisions")
        status = (c.c_int32 * n)()
        self._call(lib.lsched_settle_plan, plan.handle, answers, status)
        return list(status)

    def run_cycle(self, now_us: int, carry_out: Callable[[_abi.Decision], int | None], *,
                  before: Callable[[], object] | None = None, **options: Any) -> Plan:
        """Runs a cycle and carries its plan out: calls carry_out(decision) for each decision and settles the plan. A
        decision is confirmed unless carry_out returns an outcome for it (0: no answer now); nominations need no answer
        and are left out. None for a DECIDE_CHECKPOINT is no answer now: settle() confirms it when the checkpoint is
        written. before: called before, such as to read the feed, which tells what the cycle withdrew.
        options: those of schedule. Returns the plan.

        If carry_out raises, that decision is rejected, all others are carried out and settled, and the first
        exception is raised at the end. The class of the reason is the name of its type, because the words of an
        exception differ from node to node. If before() raises, the plan is carried out all the same. What is no
        Exception, such as KeyboardInterrupt, ends the work, and the decisions that are left are rejected."""
        plan = self.schedule(now_us, **options)
        steps = Steps()
        outcomes: list[int] = []
        reasons: dict[int, str] = {}
        if before is not None:
            steps.attempt(before)
        for decision in plan:
            outcome = 0 if decision.kind == _abi.DECIDE_NOMINATE else steps.attempt(outcome_of, carry_out, decision)
            if outcome is None:
                reasons[decision.id] = type(steps.errors[-1]).__name__.encode()[:64].decode(errors="ignore")
            outcomes.append(outcome or 0)
        if reasons:  # first, so that it withdraws the rest of a gang, which is not confirmed yet
            self.settle(reasons, _abi.OUTCOME_REJECTED, list(reasons.values()), flags=LATE)
        self.settle_plan(plan, outcomes)
        if steps.errors:
            plan.close()
        steps.finish()
        return plan

    def feed(self) -> Feed:
        """The changes from the first one that the cluster still has, each of them once."""
        return Feed(self)

    def changes_next(self, cursor: int) -> tuple[_abi.Change | None, int]:
        """The next change after the cursor (0 at first), None after the last, and the next cursor. The texts of a change
        are valid until the next call that changes the cluster. E_GONE: list all objects, and read on from changes_end(),
        as a Feed does."""
        out, at = _abi.Change(), c.c_uint64(cursor)
        found = self._call(lib.lsched_changes_next, c.byref(at), c.byref(out))
        return out if found else None, at.value

    def changes(self, cursor: int) -> tuple[list[_abi.Change], int]:
        """What calls did beyond what they were asked, since the cursor: all changes at once, and the next cursor. As
        changes_next() else."""
        found: list[_abi.Change] = []
        with self._lock:
            while True:
                change, cursor = self.changes_next(cursor)
                if change is None:
                    return found, cursor
                found.append(change)

    def changes_end(self) -> int:
        with self._lock:
            return int(lib.lsched_changes_end(self.handle))

    def sync(self, kind: int, names: Iterable[str | bytes]) -> tuple[list[str | bytes], list[int]]:
        """Compares the complete list of the names of one kind with the cluster: the names that it lacks, and the ids
        that the list lacks."""
        names = list(names)
        n, room = len(names), len(self.ids(kind))
        keep = [as_text(_abi.Text, name) for name in names]
        texts = (_abi.Text * n)(*keep)
        status, extra = (c.c_int32 * n)(), (c.c_uint64 * room)()
        report = _abi.SyncReport(extra_capacity=room)
        report.status, report.extra = c.addressof(status), c.addressof(extra)
        self._call(lib.lsched_sync, kind, texts, n, c.byref(report))
        return [name for name, code in zip(names, status) if code == _abi.E_NOENT], list(extra[:report.n_extra])

    def decision_state(self, decision: int) -> int:
        return self._call(lib.lsched_decision_state, decision)

    def explain(self, job: int) -> str:
        """Why a job waits or where it runs, as text for people."""
        with self._lock:
            size = self._call(lib.lsched_explain, job, None, 0, None)
            buffer = c.create_string_buffer(size + 1)
            self._call(lib.lsched_explain, job, buffer, len(buffer), None)
        return buffer.value.decode(errors="replace")

    def would_start(self, job: int | dict[str, Any] | _abi.JobDesc, *, now_us: int | None = None, plan: bool = False,
                    offer: bool = False, tries_max: int = 0, **options: Any) -> WouldStart:
        """What the next cycle would do for a job: an id, or the description of a job as a dict or JobDesc.

        Returns a WouldStart. plan: also the decisions that give the job its places. offer: also the cheapest single
        change that would start the job, if it does not start now. Other options are those of schedule(). Nothing is
        changed.
        """
        described = not isinstance(job, int)
        kept = None
        if described:
            address, n, _, kept = as_batch(_abi.JobDesc, [job])
        opts = _abi.WouldStartOpts(flags=_abi.WOULD_START_PLAN if plan else 0, tries_max=tries_max)
        opts.schedule = self._cycle(now_us, options)
        answer, waiting, change = _abi.WouldStartAnswer(), _abi.Waiting(), _abi.Offer()
        answer.waiting = c.pointer(waiting)
        if offer:
            answer.offer = c.pointer(change)
        self._call(lib.lsched_would_start, 0 if described else job, address if described else None, c.byref(opts),
                   c.byref(answer))
        return WouldStart(answer, waiting, Plan(answer.plan) if plan else None,
                          change if offer and change.change else None)

    def offer_apply(self, offer: _abi.Offer) -> None:
        """Makes the change of an offer of would_start; the next cycle then starts the job."""
        self._call(lib.lsched_offer_apply, c.byref(offer))

    def queue_warnings(self) -> list[str]:
        """Guarantees that jobs can never use, and quotas that guarantee nothing, a line for each."""
        with self._lock:
            size = self._call(lib.lsched_queue_warnings, None, 0)
            buffer = c.create_string_buffer(size + 1)
            self._call(lib.lsched_queue_warnings, buffer, len(buffer))
        return buffer.value.decode(errors="replace").splitlines()

    def waiting_text(self, record: _abi.Waiting) -> str:
        """One line of text for a record of plan.waiting."""
        with self._lock:
            size = self._call(lib.lsched_waiting_text, c.byref(record), None, 0)
            buffer = c.create_string_buffer(size + 1)
            self._call(lib.lsched_waiting_text, c.byref(record), buffer, len(buffer))
        return buffer.value.decode(errors="replace")
