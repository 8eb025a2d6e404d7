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


class Orchestrator(L.Host):
    """What runs where. Host runs the cycles; `jobs` has the id of each job, and how long it runs, by tag."""

    def __init__(self):
        super().__init__(L.Cluster(), START_US)
        self.jobs, self.placed, self.used = {}, {}, {}  # placed: tasks by (tag, index); used: by (node, device)
        self.wrong, self.finished, self.stopped = [], 0, 0
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
            self.remove_job(self.jobs.pop(tag).id, tag)

    def ended(self, tag):
        self.finished += 1
        del self.jobs[tag]

    # ---- books ----

    def start(self, task):
        key = task.job_tag, task.index
        if key in self.placed:
            self.wrong.append(("placed twice", key))
        twice = [device for device in task.devices if (task.node_tag, device) in self.used]
        self.wrong += [("device twice", key, device) for device in twice]
        self.used.update({(task.node_tag, device): key for device in task.devices})
        self.placed[key] = Record(devices=task.devices, stops=False)

    def stop(self, task):
        book = self.placed.get((task.job_tag, task.index))
        if not book or book.stops or not task.runs:
            self.wrong.append(("told to stop", task.job_tag, task.index))
        book.stops, self.stopped = True, self.stopped + 1

    def keep(self, task):
        self.placed[task.job_tag, task.index].stops = False

    def gone(self, task):
        for device in self.placed.pop((task.job_tag, task.index)).devices:
            del self.used[task.node_tag, device]

    def compare(self):
        lists = self.cluster.sync(L.KIND_JOB, [f"j{tag}" for tag in self.jobs])
        listed = {(tag, t.task_index): L.device_list(t.device_words) for tag, job in self.jobs.items()
                  for t in self.cluster.tasks(job=job.id) if t.state not in (L.TASK_DONE, L.TASK_NOMINATED)}
        if any(lists) or listed != {key: book.devices for key, book in self.placed.items()}:
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

    def start(self, task):
        super().start(task)
        self.later(1, self.started, task)

    def stop(self, task):
        super().stop(task)
        self.later(self.random.randrange(1, 60), self.report, task, L.EVENT_FAILED, task.stop)

    def held(self, tag):
        self.later(0, self.cancel, tag)

    def started(self, task):
        if self.report(task, L.EVENT_STARTED):
            fails = self.random.random() < .05 and not self.closing
            self.later(self.jobs[task.job_tag].seconds, self.report, task,
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
            self.cycle(self.now)
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
