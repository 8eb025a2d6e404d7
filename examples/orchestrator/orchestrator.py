#!/usr/bin/env python3
"""A small orchestrator in Python, with books of its own: gangs, failures, lost nodes, evictions.

The books learn what calls changed from the change feed alone. They check that no device is given twice and that no task
is told twice to stop, and now and then they must equal what the library lists. A real orchestrator is the class
Orchestrator without its checks, and has the real world in place of World.

usage: orchestrator.py [EVENTS [SEED]]
"""
import heapq
import random
import sys
from types import SimpleNamespace as Record

import libsched as L

SECOND, START_US, NODES = 1_000_000, 1_700_000_000_000_000, 40


class Orchestrator:
    """What runs where. A task is in the state of its mark: (word, id of the decision that brought it there)."""

    def __init__(self):
        self.jobs, self.tasks, self.used = {}, {}, {}  # by tag; by (tag, index); by (node, device)
        self.now, self.wrong, self.finished, self.stopped = START_US, [], 0, 0
        self.cluster = L.Cluster()
        self.feed = self.cluster.feed()
        self.nodes = [self.add_node(i) for i in range(NODES)]
        quota = {"gpu": 120_000, "cpu": 1 << 40, "memory": 1 << 50}
        self.cluster.queues_add([dict(name=name, quota=quota) for name in "ab"])
        self.cluster.policy_load("guaranteed-quota", params={"moves_max": 0})

    def add_node(self, i):
        devices = [dict(count=8, model="H100-80GB", memory_bytes=80 << 30)]
        return self.cluster.nodes_add([dict(
            name=f"n{i}", tag=i, capacity={"cpu": 64000, "memory": 1 << 39}, devices=devices)])[0]

    def submit(self, tag, seconds, tasks, devices, queue, priority):
        group = dict(max_count=tasks, request={"gpu": devices * 1000, "cpu": 1000})
        ident, = self.cluster.jobs_submit([dict(
            name=f"j{tag}", tag=tag, queue_name=queue, submit_us=self.now, priority=priority, retries_max=5,
            groups=[group])])
        self.jobs[tag] = Record(id=ident, seconds=seconds)

    def cancel(self, tag):
        if tag in self.jobs:
            self.cluster.jobs_remove([self.jobs.pop(tag).id])
            for key in [key for key in self.tasks if key[0] == tag]:
                self.leave(key)

    def leave(self, key):
        self.give_back(self.tasks.pop(key, None))

    def report(self, key, mark, event):
        """Reports an event of a task, unless the task is no longer as it was when the event was planned."""
        task = self.tasks.get(key)
        if task and task.mark == mark:
            self.cluster.report(self.jobs[key[0]].id, key[1], event, at_us=self.now, run=task.run)
            if event == L.EVENT_STARTED:
                task.mark = "runs", mark[1]
            else:
                self.leave(key)
            return task
        return None

    def carry_out(self, d):
        key = d.job_tag, d.task_index
        self.check(d, key)
        if d.kind == L.DECIDE_PLACE:
            task = self.tasks[key] = Record(
                mark=("starts", d.id), run=d.id, node=d.node_tag, devices=L.device_list(d.device_words))
            self.take(key, task)
            self.starts(key, task)
        elif key in self.tasks:
            task, self.stopped = self.tasks[key], self.stopped + 1
            task.ran, task.mark = task.mark, ("stops", d.id)
            self.stops(key, task)

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
                self.held(c.job_tag)
            elif c.kind == L.CHANGE_ENDED:
                self.finished += 1
                del self.jobs[c.job_tag]

    def cycle(self):
        self.cluster.run_cycle(self.now, self.carry_out, before=self.read_changes).close()

    # ---- books ----

    def give_back(self, task):
        for device in task.devices if task else ():
            del self.used[task.node, device]

    def take(self, key, task):
        twice = [device for device in task.devices if (task.node, device) in self.used]
        self.wrong += [("device twice", key, device) for device in twice]
        self.used.update({(task.node, device): key for device in task.devices})

    def check(self, d, key):
        if d.kind == L.DECIDE_PLACE and key in self.tasks:
            self.wrong.append(("placed twice", d))
        if d.kind != L.DECIDE_PLACE and (key not in self.tasks or self.tasks[key].mark[0] != "runs"):
            self.wrong.append(("told to stop", d))

    def compare(self):
        lists = self.cluster.sync(L.KIND_JOB, [f"j{tag}" for tag in self.jobs])
        listed = {(tag, t.task_index): L.device_list(t.device_words) for tag, job in self.jobs.items()
                  for t in self.cluster.tasks(job=job.id) if t.state not in (L.TASK_DONE, L.TASK_NOMINATED)}
        if any(lists) or listed != {key: task.devices for key, task in self.tasks.items()}:
            self.wrong.append(("books", lists, listed))


# ---- world: what happens, and when ----


class World(Orchestrator):
    def __init__(self, seed):
        super().__init__()
        self.random, self.heap, self.order = random.Random(seed), [], 0
        self.events, self.number, self.closing = 0, 0, False
        self.later(0, self.arrive)
        self.later(100, self.lose)

    def later(self, seconds, what, *about):
        self.order += 1
        heapq.heappush(self.heap, (self.now + seconds * SECOND, self.order, what, about))

    def starts(self, key, task):
        self.later(1, self.started, key, task.mark)

    def stops(self, key, task):
        self.later(self.random.randrange(1, 60), self.report, key, task.mark, L.EVENT_FAILED)

    def held(self, tag):
        self.later(0, self.cancel, tag)

    def started(self, key, mark):
        if task := self.report(key, mark, L.EVENT_STARTED):
            fails = self.random.random() < .05 and not self.closing
            self.later(self.jobs[key[0]].seconds, self.report, key, task.mark,
                       L.EVENT_FAILED if fails else L.EVENT_ENDED)

    def arrive(self):
        if not self.closing:
            self.number += 1
            choice = self.random.choice
            self.submit(self.number, self.random.randrange(60, 900), choice([1, 1, 2, 4]), choice([1, 2, 8]),
                        choice("ab"), self.random.randrange(3))
            self.later(self.random.randrange(1, 25), self.arrive)

    def lose(self):
        i = self.random.randrange(NODES)
        if self.nodes[i] and not self.closing:
            self.cluster.nodes_remove([self.nodes[i]])
            self.nodes[i] = 0
            self.later(200, self.back, i)
        if not self.closing:
            self.later(300, self.lose)

    def back(self, i):
        self.nodes[i] = self.add_node(i)

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
    world = World(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    sys.exit(world.run(int(sys.argv[1]) if len(sys.argv) > 1 else 2000))
