"""A host: starts and stops tasks as cycles decide, and knows which task runs where.

A host inherits from Host and says how it starts and stops a task. Host does what is the same for all hosts: it runs
cycles, settles their plans, reads the change feed, and leaves out reports of runs that are over.
"""
from __future__ import annotations

from collections import deque
from typing import Any

from . import _abi
from .cluster import Cluster
from .devices import device_list
from .errors import Error
from .loop import Steps

# What a host decides that does not override other().
STARTS_AND_STOPS = (1 << _abi.DECIDE_PLACE | 1 << _abi.DECIDE_EVICT | 1 << _abi.DECIDE_NOMINATE |
                    1 << _abi.DECIDE_MIGRATE)


class Task:
    """One run of a task: from the decision that places it until the task is gone."""

    __slots__ = ("job", "job_tag", "index", "node", "node_tag", "devices", "run", "stop", "runs")

    def __init__(self, decision: _abi.Decision) -> None:
        self.job, self.job_tag, self.index = decision.job, decision.job_tag, decision.task_index
        self.node, self.node_tag = decision.node, decision.node_tag
        self.devices = device_list(decision.device_words)
        self.run = decision.id  # the decision that places it
        self.stop = 0           # the decision that tells it to stop; 0: none
        self.runs = False       # it was reported as started


class Host:
    """The main loop of an orchestrator. `tasks` has the tasks that hold a place, by (tag of the job, index), so that
    each job needs a tag of its own. A new host begins with a cluster without tasks.

    A task that was told to stop can be placed elsewhere before it is gone. Then `tasks` has the new run, and `leaving`
    the old one.

    What a subclass does may raise. If start(), stop() or other() raises, its decision is rejected, and a task that did
    not start holds no place. All else is done, and the first exception is raised at the end of the call.
    """

    def __init__(self, cluster: Cluster, now_us: int = 0) -> None:
        self.cluster, self.now, self.feed = cluster, now_us, cluster.feed()
        self.tasks: dict[tuple[int, int], Task] = {}
        self.leaving: dict[tuple[int, int], Task] = {}
        self._unread: deque[_abi.Change] = deque()  # a callback that reads changes, too, goes on where its caller is

    # ---- what a subclass does ----

    def start(self, task: Task) -> None:
        """Begins to start a task. The host reports EVENT_STARTED when the task runs."""

    def stop(self, task: Task) -> None:
        """Begins to stop a task. The host reports EVENT_FAILED when the task is gone."""

    def keep(self, task: Task) -> None:
        """Lets a task run on: the decision that told it to stop was withdrawn."""

    def gone(self, task: Task) -> None:
        """The task holds its place no more: it was reported so, its node or job was removed, or its decision withdrawn."""

    def held(self, job_tag: int) -> None:
        """A job is held: a rule, such as its time limit or its retries, keeps it from starting again."""

    def ended(self, job_tag: int) -> None:
        """A job has ended, and the cluster has forgotten it."""

    def missed(self) -> None:
        """Changes were overwritten before the host read them. `tasks` is right again, and gone() and keep() were called.
        held() and ended() were perhaps not: the host compares its jobs, with Cluster.sync and Cluster.job_get."""

    def other(self, decision: _abi.Decision) -> int | None:
        """Carries out a decision of another kind; returns its outcome, 0 for no answer now, None for OUTCOME_CONFIRMED. A
        DECIDE_CHECKPOINT is the exception: None is no answer now, and the host settles it when the checkpoint is written.
        A host that overrides this method gets DECIDE_PAUSE, DECIDE_RESUME and DECIDE_SUSPEND, and what it asks for in
        decision_kinds."""
        raise NotImplementedError(f"a decision of kind {decision.kind}")

    # ---- what a host calls ----

    def cycle(self, now_us: int, **options: Any) -> None:
        """Runs a cycle, and starts and stops what it decides. options: those of Cluster.schedule. Without
        decision_kinds, a host that does not override other() only starts, stops and moves tasks."""
        self.now = now_us
        if type(self).other is Host.other:
            options = {"decision_kinds": STARTS_AND_STOPS, **options}
        steps = Steps()
        steps.attempt(self._run_cycle, options)
        steps.attempt(self.read_changes)  # a decision that is rejected can withdraw others
        steps.finish()

    def report(self, task: Task, event: int, answers: int = 0) -> bool:
        """Reports an event of a task as of now, and returns True. Does nothing if the run of the task is over, or if
        `answers`, the decision that told the task to stop, was withdrawn meanwhile. Reads the changes first; if one of
        them makes a callback raise, nothing is reported."""
        self.read_changes()
        if not self._has(task) or (answers and task.stop != answers):
            return False
        try:
            self.cluster.report(task.job, task.index, event, at_us=self.now, run=task.run)
        except Error as error:
            if error.code != _abi.E_STALE:
                raise
            self._leave(task)  # a call that was not the host's ended the run, such as Cluster.jobs_remove
            return False
        if event == _abi.EVENT_STARTED:
            task.runs = True
        else:
            self._leave(task)
        return True

    def remove_job(self, job: int, job_tag: int) -> None:
        """Removes a job with its tasks."""
        self.cluster.jobs_remove([job])
        self._leave_all(job_tag)

    def complete_job(self, job: int, job_tag: int) -> None:
        """Ends a job that has done its work, whatever number of tasks it wanted. Its tasks hold their places no more."""
        self.cluster.jobs_complete([job])
        self._leave_all(job_tag)

    def read_changes(self) -> None:
        """Learns what calls did beyond what they were asked. Each cycle and each report does this, too."""
        steps, behind = Steps(), False
        try:
            self._unread.extend(self.feed)
        except Error as error:
            if error.code != _abi.E_GONE:
                raise
            behind = True
            self.resync()
        while self._unread and not steps.stopped:
            steps.attempt(self._apply, self._unread.popleft())
        if behind:
            steps.attempt(self.missed)
        steps.finish()

    def resync(self) -> None:
        """Compares `tasks` with the cluster. The next read_changes() learns the differences as changes. read_changes()
        does this itself if changes were overwritten."""
        stated = {decision.id for decision in self.cluster.decisions_open()}
        mine = [*self.leaving.values(), *self.tasks.values()]
        runs = {info.run for job in {task.job for task in mine} for info in self._tasks_of(job)}
        for task in mine:
            about: dict[str, Any] = dict(job=task.job, job_tag=task.job_tag, task_index=task.index)
            if task.run not in stated and task.run not in runs:
                self._unread.append(_abi.Change(kind=_abi.CHANGE_LOST, run=task.run, **about))
            elif task.stop and task.stop not in stated:
                self._unread.append(_abi.Change(kind=_abi.CHANGE_WITHDRAWN, decision=task.stop, **about))

    # ---- inside ----

    def _run_cycle(self, options: dict[str, Any]) -> None:
        self.cluster.run_cycle(self.now, self._carry_out, before=self.read_changes, **options).close()

    def _tasks_of(self, job: int) -> list[_abi.TaskInfo]:
        try:
            return self.cluster.tasks(job=job)
        except Error as error:
            if error.code != _abi.E_STALE:
                raise
            return []

    def _apply(self, change: _abi.Change) -> None:
        if change.kind == _abi.CHANGE_HELD:
            self.held(change.job_tag)
        elif change.kind == _abi.CHANGE_ENDED:
            self.ended(change.job_tag)
        key = change.job_tag, change.task_index
        for task in filter(None, (self.leaving.get(key), self.tasks.get(key))):
            if change.kind in (_abi.CHANGE_LOST, _abi.CHANGE_GONE) and change.run == task.run or (
                    change.kind == _abi.CHANGE_WITHDRAWN and change.decision == task.run):
                self._leave(task)
            elif change.kind == _abi.CHANGE_WITHDRAWN and task.stop and change.decision == task.stop:
                task.stop = 0
                self.keep(task)

    def _has(self, task: Task) -> bool:
        key = task.job_tag, task.index
        return self.tasks.get(key) is task or self.leaving.get(key) is task

    def _forget(self, task: Task) -> None:
        """A task of which the new run is over has its old run only."""
        key = task.job_tag, task.index
        if self.leaving.get(key) is task:
            del self.leaving[key]
        elif key in self.leaving:
            self.tasks[key] = self.leaving.pop(key)
        else:
            del self.tasks[key]

    def _leave(self, task: Task) -> None:
        self._forget(task)
        self.gone(task)

    def _leave_all(self, job_tag: int) -> None:
        steps = Steps()
        for task in [*self.leaving.values(), *self.tasks.values()]:
            if task.job_tag == job_tag:
                steps.attempt(self._leave, task)
        steps.finish()

    def _carry_out(self, d: _abi.Decision) -> int | None:
        key = d.job_tag, d.task_index
        if d.kind == _abi.DECIDE_PLACE:
            self._start(key, Task(d))
        elif d.kind in (_abi.DECIDE_EVICT, _abi.DECIDE_MIGRATE):
            self._stop(self.tasks[key], d.id)
        else:
            return self.other(d)
        return None

    def _start(self, key: tuple[int, int], task: Task) -> None:
        if key in self.tasks:
            self.leaving[key] = self.tasks[key]
        self.tasks[key] = task
        try:
            self.start(task)
        except BaseException:
            if self._has(task) and not task.runs:
                self._forget(task)
            raise

    def _stop(self, task: Task, decision: int) -> None:
        task.stop = decision
        try:
            self.stop(task)
        except BaseException:
            task.stop = 0
            raise
