#!/usr/bin/env python3
"""A small orchestrator in Python, with books of its own: gangs, failures, lost nodes, evictions.

The books learn what calls changed from the change feed alone. They check that no device is given twice and that no task
is told twice to stop, and now and then they must equal what the library lists.

usage: orchestrator.py [EVENTS [SEED]]
"""
import heapq
import random
import sys
from types import SimpleNamespace as Record

import libsched as L

SECOND, START_US, NODES, DEVICES = 1_000_000, 1_700_000_000_000_000, 40, 8


class Orchestrator:
    def __init__(self, seed):
        self.random, self.now, self.heap, self.order = random.Random(seed), START_US, [], 0
        self.jobs, self.tasks, self.used = {}, {}, {}  # by tag; by (tag, index); by (node, device)
        self.wrong, self.events, self.number, self.finished, self.stopped, self.closing = [], 0, 0, 0, 0, False
        self.cluster = L.Cluster()
        self.feed = self.cluster.feed()
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

    # ---- books: a task is in the state of its mark, (word, id of the decision that brought it there) ----

    def leave(self, key):
        task = self.tasks.pop(key, None)
        for device in task.devices if task else ():
            del self.used[task.node, device]

    def place(self, d, key):
        if key in self.tasks:
            self.wrong.append(("placed twice", d))
        task = self.tasks[key] = Record(mark=("starts", d.id), node=d.node_tag, devices=L.device_list(d.device_words))
        self.wrong += [("device twice", d) for device in task.devices if (d.node_tag, device) in self.used]
        self.used.update({(d.node_tag, device): key for device in task.devices})
        self.later(1, self.started, key, task.mark)

    def stop(self, d, key):
        task = self.tasks.get(key)
        if not task or task.mark[0] != "runs":
            return self.wrong.append(("told to stop", task, d))
        self.stopped += 1
        task.ran, task.mark = task.mark, ("stops", d.id)
        self.later(self.random.randrange(1, 60), self.gone, key, task.mark)

    def read_changes(self):
        for c in self.feed:
            key = c.job_tag, c.task_index
            mark = self.tasks[key].mark if key in self.tasks else None
            if c.kind in (L.CHANGE_LOST, L.CHANGE_GONE) or (
                    c.kind == L.CHANGE_WITHDRAWN and mark == ("starts", c.decision)):
                self.leave(key)
            elif c.kind == L.CHANGE_WITHDRAWN and mark == ("stops", c.decision):
                self.tasks[key].mark = self.tasks[key].ran
            elif c.kind == L.CHANGE_HELD:
                self.later(0, self.cancel, c.job_tag)
            elif c.kind == L.CHANGE_ENDED:
                self.finished += 1
                del self.jobs[c.job_tag]

    def compare(self):
        lists = self.cluster.sync(L.KIND_JOB, [f"j{tag}" for tag in self.jobs])
        listed = {(tag, t.task_index): L.device_list(t.device_words) for tag, job in self.jobs.items()
                  for t in self.cluster.tasks(job=job.id) if t.state not in (L.TASK_DONE, L.TASK_NOMINATED)}
        if any(lists) or listed != {key: task.devices for key, task in self.tasks.items()}:
            self.wrong.append(("books", lists, listed))

    # ---- events ----

    def report(self, key, mark, event):
        """Reports an event of a task, unless the task is no longer as it was when the event was planned."""
        task = self.tasks.get(key)
        if task and task.mark == mark:
            self.cluster.report(self.jobs[key[0]].id, key[1], event, at_us=self.now)
            return task
        return None

    def started(self, key, mark):
        if task := self.report(key, mark, L.EVENT_STARTED):
            task.mark = "runs", mark[1]
            self.later(self.jobs[key[0]].seconds, self.ended, key, task.mark)

    def ended(self, key, mark):
        fails = self.random.random() < .05 and not self.closing
        if self.report(key, mark, L.EVENT_FAILED if fails else L.EVENT_ENDED):
            self.leave(key)

    def gone(self, key, mark):
        if self.report(key, mark, L.EVENT_FAILED):
            self.leave(key)

    def arrive(self):
        if self.closing:
            return
        self.number += 1
        tasks, devices = self.random.choice([1, 1, 2, 4]), self.random.choice([1, 2, 8])
        group = dict(max_count=tasks, request={"gpu": devices * 1000, "cpu": 1000})
        ident, = self.cluster.jobs_submit([dict(
            name=f"j{self.number}", tag=self.number, queue_name=self.random.choice("ab"), submit_us=self.now,
            priority=self.random.randrange(3), retries_max=5, groups=[group])])
        self.jobs[self.number] = Record(id=ident, seconds=self.random.randrange(60, 900))
        self.later(self.random.randrange(1, 25), self.arrive)

    def cancel(self, tag):
        if tag in self.jobs:
            self.cluster.jobs_remove([self.jobs.pop(tag).id])
            for key in [key for key in self.tasks if key[0] == tag]:
                self.leave(key)

    def lose(self):
        i = self.random.randrange(NODES)
        if self.nodes[i] and not self.closing:
            self.cluster.nodes_remove([self.nodes[i]])
            self.nodes[i] = 0
            self.later(200, self.back, i)
        if not self.closing:
            self.later(300, self.lose)

    def back(self, i):
        self.nodes[i], = self.cluster.nodes_add([self.node(i)])

    # ---- the loop ----

    def cycle(self):
        with self.cluster.schedule(self.now) as plan:
            self.read_changes()
            for d in plan:
                if d.kind == L.DECIDE_PLACE:
                    self.place(d, (d.job_tag, d.task_index))
                elif d.kind in (L.DECIDE_EVICT, L.DECIDE_MIGRATE):
                    self.stop(d, (d.job_tag, d.task_index))
            self.cluster.confirm(plan)

    def run(self, events):
        cycles = 0
        while not self.wrong and (not self.closing or self.jobs):
            self.now = max(self.now, min(self.cluster.next_wake(), self.heap[0][0] if self.heap else L.NEVER_US))
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
        self.cluster.verify()
        print(f"{self.events} events, {self.number} jobs, {self.finished} finished, {self.stopped} told to stop, "
              f"left {len(self.jobs)} (library {self.cluster.stats.jobs}), wrong {self.wrong[:3]}")
        return 1 if self.wrong or self.jobs or self.cluster.stats.jobs else 0


if __name__ == "__main__":
    world = Orchestrator(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    sys.exit(world.run(int(sys.argv[1]) if len(sys.argv) > 1 else 2000))
