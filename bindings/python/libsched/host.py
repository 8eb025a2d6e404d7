"""A host: starts and stops tasks as cycles decide, and knows which task runs where.

A host inherits from Host and says how it starts and stops a task. Host does what is the same for all hosts: it runs
cycles, settles their plans, reads the change feed, and leaves out reports of runs that are over.
"""
from __future__ import annotations

from typing import Any

from . import _abi
from .cluster import Cluster
from .devices import device_list


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
    each job needs a tag of its own. A new host begins with a cluster without tasks."""

    def __init__(self, cluster: Cluster, now_us: int = 0) -> None:
        self.cluster, self.now, self.feed = cluster, now_us, cluster.feed()
        self.tasks: dict[tuple[int, int], Task] = {}

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

    def other(self, decision: _abi.Decision) -> int | None:
        """Carries out a decision of a kind that the host has asked for, such as DECIDE_RESIZE; returns its outcome."""
        raise NotImplementedError(f"a decision of kind {decision.kind}")

    # ---- what a host calls ----

    def cycle(self, now_us: int, **options: Any) -> None:
        """Runs a cycle, and starts and stops what it decides. options: those of Cluster.schedule."""
        self.now = now_us
        self.cluster.run_cycle(now_us, self._carry_out, before=self.read_changes, **options).close()

    def report(self, task: Task, event: int, answers: int = 0) -> bool:
        """Reports an event of a task as of now, and returns True. Does nothing if the run of the task is over, or if
        `answers`, the decision that told the task to stop, was withdrawn meanwhile."""
        if self.tasks.get((task.job_tag, task.index)) is not task or (answers and task.stop != answers):
            return False
        self.cluster.report(task.job, task.index, event, at_us=self.now, run=task.run)
        if event == _abi.EVENT_STARTED:
            task.runs = True
        else:
            self._leave(task.job_tag, task.index)
        return True

    def remove_job(self, job: int, job_tag: int) -> None:
        """Removes a job with its tasks."""
        self.cluster.jobs_remove([job])
        for key in [key for key in self.tasks if key[0] == job_tag]:
            self._leave(*key)

    def read_changes(self) -> None:
        """Learns what calls did beyond what they were asked. Each cycle does this, too."""
        for change in self.feed:
            task = self.tasks.get((change.job_tag, change.task_index))
            if change.kind == _abi.CHANGE_HELD:
                self.held(change.job_tag)
            elif change.kind == _abi.CHANGE_ENDED:
                self.ended(change.job_tag)
            elif task and (change.kind in (_abi.CHANGE_LOST, _abi.CHANGE_GONE) or (
                    change.kind == _abi.CHANGE_WITHDRAWN and change.decision == task.run)):
                self._leave(change.job_tag, change.task_index)
            elif task and change.kind == _abi.CHANGE_WITHDRAWN and change.decision == task.stop:
                task.stop = 0
                self.keep(task)

    def _leave(self, job_tag: int, index: int) -> None:
        self.gone(self.tasks.pop((job_tag, index)))

    def _carry_out(self, d: _abi.Decision) -> int | None:
        if d.kind == _abi.DECIDE_PLACE:
            task = self.tasks[d.job_tag, d.task_index] = Task(d)
            self.start(task)
        elif d.kind in (_abi.DECIDE_EVICT, _abi.DECIDE_MIGRATE):
            task = self.tasks[d.job_tag, d.task_index]
            task.stop = d.id
            self.stop(task)
        else:
            return self.other(d)
        return None
