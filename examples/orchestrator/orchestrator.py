#!/usr/bin/env python3
"""A small orchestrator in Python, with books of its own: gangs, failures, lost nodes, evictions.

The books learn what calls changed from the change feed alone. They check that no device is given twice and that no task
is told twice to stop, and now and then they must equal what the library lists.

usage: orchestrator.py [EVENTS [SEED]]
"""
import heapq
import random
import sys

import libsched
from libsched import _abi as A

SECOND, START_US, NODES, DEVICES = 1_000_000, 1_700_000_000_000_000, 40, 8
ANSWERS = A.BATCH_PARTIAL | A.BATCH_IDEMPOTENT


class Orchestrator:
    def __init__(self, seed):
        self.random, self.now, self.heap, self.order = random.Random(seed), START_US, [], 0
        self.cluster, self.cursor, self.jobs, self.number = libsched.Cluster(), 0, {}, 0
        self.wrong, self.events, self.finished, self.stopped, self.closing = [], 0, 0, 0, False
        self.used = [[None] * DEVICES for _ in range(NODES)]  # by node and device: (job, task)
        self.nodes = list(self.cluster.nodes_add([self.node(i) for i in range(NODES)]))
        quota = {"gpu": 120_000, "cpu": 1 << 40, "memory": 1 << 50}
        self.cluster.queues_add([dict(name=name, quota=quota) for name in "ab"])
        self.cluster.policy_load("guaranteed-quota", params={"moves_max": 0})
        self.later(0, self.arrive)
        self.later(100, self.lose)

    @staticmethod
    def node(i):
        devices = [dict(count=DEVICES, model="H100-80GB", memory_bytes=80 << 30)]
        return dict(name=f"n{i}", tag=i, capacity={"cpu": 64000, "memory": 1 << 39}, devices=devices)

    def later(self, seconds, what, *about):
        self.order += 1
        heapq.heappush(self.heap, (self.now + seconds * SECOND, self.order, what, about))

    # ---- books: jobs[tag]["tasks"][index] = [state, decision, node, mask] ----

    def leave(self, tag, index):
        task = self.jobs[tag]["tasks"].pop(index, None)
        for d in range(DEVICES):
            if task and task[3] >> d & 1:
                self.used[task[2]][d] = None

    def place(self, d, tasks):
        if d.task_index in tasks:
            self.wrong.append(("placed twice", d))
        for k in range(DEVICES):
            if d.device_mask >> k & 1:
                if self.used[d.node_tag][k]:
                    self.wrong.append(("device twice", d, self.used[d.node_tag][k]))
                self.used[d.node_tag][k] = (d.job_tag, d.task_index)
        tasks[d.task_index] = ["starts", d.id, d.node_tag, d.device_mask]
        self.later(1, self.started, d.job_tag, d.task_index, d.id)

    def stop(self, d, tasks):
        task = tasks.get(d.task_index, ["none"])
        if task[0] != "runs":
            return self.wrong.append(("told to stop", task, d))
        self.stopped += 1
        task[:2] = "stops", d.id
        self.later(self.random.randrange(1, 60), self.gone, d.job_tag, d.task_index, d.id)

    def read_changes(self):
        changes, self.cursor = self.cluster.changes(self.cursor)
        for c in changes:
            task = self.jobs.get(c.job_tag, {"tasks": {}})["tasks"].get(c.task_index)
            if c.kind in (A.CHANGE_LOST, A.CHANGE_GONE) or (
                    c.kind == A.CHANGE_WITHDRAWN and task and task[:2] == ["starts", c.decision]):
                self.leave(c.job_tag, c.task_index)
            elif c.kind == A.CHANGE_WITHDRAWN and task and task[1] == c.decision:
                task[:2] = "runs", 0
            elif c.kind == A.CHANGE_HELD:
                self.later(0, self.cancel, c.job_tag)
            elif c.kind == A.CHANGE_ENDED:
                self.finished += 1
                del self.jobs[c.job_tag]

    def compare(self):
        missing, extra = self.cluster.sync(A.KIND_JOB, [f"j{tag}" for tag in self.jobs])
        if missing or extra:
            self.wrong.append(("jobs", missing, extra))
        for tag, job in self.jobs.items():
            listed = {t.task_index: t.device_mask for t in self.cluster.tasks(job=job["id"])
                      if t.state not in (A.TASK_DONE, A.TASK_NOMINATED)}
            if listed != {index: task[3] for index, task in job["tasks"].items()}:
                self.wrong.append(("tasks", tag, listed, job["tasks"]))

    # ---- events ----

    def report(self, tag, index, event):
        job = self.jobs[tag]["id"]
        self.cluster.tasks_report([dict(job=job, task_index=index, event=event, at_us=self.now)])

    def is_now(self, tag, index, state, decision=None):
        task = self.jobs.get(tag, {"tasks": {}})["tasks"].get(index, ["none", 0])
        return task[0] == state and decision in (None, task[1])

    def arrive(self):
        if self.closing:
            return
        self.number += 1
        tasks, devices = self.random.choice([1, 1, 2, 4]), self.random.choice([1, 2, 8])
        group = dict(max_count=tasks, request={"gpu": devices * 1000, "cpu": 1000})
        ident, = self.cluster.jobs_submit([dict(
            name=f"j{self.number}", tag=self.number, queue_name=self.random.choice("ab"), submit_us=self.now,
            priority=self.random.randrange(3), retries_max=5, groups=[group])])
        self.jobs[self.number] = dict(id=ident, tasks={}, seconds=self.random.randrange(60, 900))
        self.later(self.random.randrange(1, 25), self.arrive)

    def started(self, tag, index, decision):
        if self.is_now(tag, index, "starts", decision):
            self.report(tag, index, A.EVENT_STARTED)
            self.jobs[tag]["tasks"][index][:2] = "runs", 0
            self.jobs[tag]["tasks"][index].append(decision)
            self.later(self.jobs[tag]["seconds"], self.ended, tag, index, decision)

    def ended(self, tag, index, decision):
        if self.is_now(tag, index, "runs", 0) and self.jobs[tag]["tasks"][index][4] == decision:
            fails = self.random.random() < .05 and not self.closing
            self.report(tag, index, A.EVENT_FAILED if fails else A.EVENT_ENDED)
            self.leave(tag, index)

    def gone(self, tag, index, decision):
        if self.is_now(tag, index, "stops", decision):
            self.report(tag, index, A.EVENT_FAILED)
            self.leave(tag, index)

    def lose(self):
        if not self.closing:
            i = self.random.randrange(NODES)
            if self.nodes[i]:
                self.cluster.nodes_remove([self.nodes[i]])
                self.nodes[i] = 0
                self.later(200, self.back, i)
            self.later(300, self.lose)

    def back(self, i):
        self.nodes[i], = self.cluster.nodes_add([self.node(i)])

    def cancel(self, tag):
        if tag in self.jobs:
            self.cluster.jobs_remove([self.jobs[tag]["id"]])
            for index in list(self.jobs[tag]["tasks"]):
                self.leave(tag, index)
            del self.jobs[tag]

    def cycle(self):
        with self.cluster.schedule(self.now) as plan:
            self.read_changes()
            for d in plan:
                tasks = self.jobs[d.job_tag]["tasks"]
                if d.kind == A.DECIDE_PLACE:
                    self.place(d, tasks)
                elif d.kind in (A.DECIDE_EVICT, A.DECIDE_MIGRATE):
                    self.stop(d, tasks)
            ids = [d.id for d in plan if d.kind != A.DECIDE_NOMINATE]
            if ids:
                self.cluster.settle(ids, A.OUTCOME_CONFIRMED, flags=ANSWERS)

    def run(self, events):
        cycles = 0
        while not self.closing or self.jobs:
            self.now = max(self.now, min(self.cluster.next_wake(), self.heap[0][0] if self.heap else A.NEVER_US))
            while self.heap and self.heap[0][0] <= self.now:
                _, _, what, about = heapq.heappop(self.heap)
                what(*about)
                self.read_changes()
                self.events += 1
            self.closing = self.events >= events
            self.cycle()
            cycles += 1
            if cycles % 200 == 0 or self.wrong:
                self.compare()
            if self.wrong:
                break
        self.cluster.verify()
        print(f"{self.events} events, {self.number} jobs, {self.finished} finished, {self.stopped} told to stop, "
              f"left {len(self.jobs)} (library {self.cluster.stats.jobs}), wrong {self.wrong[:3]}")
        return 1 if self.wrong or self.jobs or self.cluster.stats.jobs else 0


if __name__ == "__main__":
    world = Orchestrator(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    sys.exit(world.run(int(sys.argv[1]) if len(sys.argv) > 1 else 2000))
