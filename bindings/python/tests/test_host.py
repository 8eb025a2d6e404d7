"""Hosts whose callbacks raise, that read too late, and whose tasks end by calls that are not theirs."""
import unittest
from collections import Counter

import libsched

NOW = 1_700_000_000_000_000
SECOND = 1_000_000
DEVICES = [dict(count=8, model="H100-80GB")]
DRAIN = "return { api = 1, pipeline = { 'drain', 'allocate' } }"


def job(tag, gpu=4000, count=1, **fields):
    return dict(name=f"j{tag}", queue_name="q", tag=tag,
                groups=[dict(min_count=count, max_count=count, request={"gpu": gpu, "cpu": 1000})], **fields)


class Recorder(libsched.Host):
    """Notes what it is told, and raises what `fails` has for (method, tag of the job), once."""

    def __init__(self, cluster, now_us):
        super().__init__(cluster, now_us)
        self.seen, self.fails = [], {}

    def note(self, what, tag):
        self.seen.append((what, tag))
        if (what, tag) in self.fails:
            raise self.fails.pop((what, tag))

    def start(self, task):
        self.note("start", task.job_tag)

    def stop(self, task):
        self.note("stop", task.job_tag)

    def keep(self, task):
        self.note("keep", task.job_tag)

    def gone(self, task):
        self.note("gone", task.job_tag)

    def held(self, job_tag):
        self.note("held", job_tag)

    def ended(self, job_tag):
        self.note("ended", job_tag)

    def missed(self):
        self.note("missed", 0)


class WithHost(unittest.TestCase):
    def setUp(self):
        self.cluster = libsched.Cluster(verify_every_plan=True)
        self.addCleanup(self.cluster.close)
        self.nodes = [self.add_node(i) for i in range(4)]
        self.cluster.queues_add([dict(name="q")])
        self.host = Recorder(self.cluster, NOW)

    def add_node(self, i):
        return self.cluster.nodes_add([dict(name=f"n{i}", tag=i, capacity={"cpu": 64000}, devices=DEVICES)])[0]

    def submit(self, *jobs):
        return self.cluster.jobs_submit(list(jobs))

    def states(self):
        """The states of the open decisions but nominations, by the tag of the job."""
        return {d.job_tag: d.state for d in self.cluster.decisions_open() if d.kind != libsched.DECIDE_NOMINATE}

    def run_task(self, tag):
        """Starts the one task of a job."""
        self.submit(job(tag))
        self.host.cycle(self.host.now + 1)
        task = self.host.tasks[tag, 0]
        self.assertTrue(self.host.report(task, libsched.EVENT_STARTED))
        return task

    def drain(self, task, state=libsched.NODE_DRAINING):
        self.cluster.nodes_update([dict(node=task.node, set=libsched.NODE_SET_STATE, state=state)])


class Raises(WithHost):
    def test_a_start_that_raises_is_rejected_and_the_rest_is_settled(self):
        self.submit(*(job(tag, 8000) for tag in range(1, 5)))
        self.host.fails = {("start", 2): OSError("no container runtime"), ("start", 3): ValueError("second")}
        with self.assertRaises(OSError) as caught:
            self.host.cycle(NOW)
        self.assertIsInstance(caught.exception.__context__, ValueError)
        self.assertEqual([what for what, _ in self.host.seen], ["start"] * 4)
        self.assertEqual(sorted(self.host.tasks), [(1, 0), (4, 0)])
        self.assertEqual(self.states(), {1: libsched.DECISION_CONFIRMED, 4: libsched.DECISION_CONFIRMED})
        self.assertEqual(self.cluster.counters.rejected, 2)
        for i in range(1, 40):
            self.host.cycle(NOW + i * 60 * SECOND)
        self.assertEqual(sorted(self.host.tasks), [(1, 0), (2, 0), (3, 0), (4, 0)])

    def test_the_reason_of_a_rejection_is_the_type_of_the_exception(self):
        submitted, = self.submit(job(1, 8000))
        self.cluster.nodes_remove(self.nodes[1:])
        self.host.fails = {("start", 1): OSError("no container runtime")}
        with self.assertRaises(OSError):
            self.host.cycle(NOW)
        self.host.cycle(NOW + 1)
        self.assertIn("OSError", self.cluster.explain(submitted))

    def test_a_gang_loses_its_places_if_one_start_raises(self):
        self.submit(job(1, 8000, count=3))
        self.host.fails = {("start", 1): OSError("no")}
        with self.assertRaises(OSError):
            self.host.cycle(NOW)
        self.assertEqual((self.host.tasks, self.states()), ({}, {}))
        self.assertEqual(Counter(self.host.seen), {("start", 1): 3, ("gone", 1): 2})

    def test_a_stop_that_raises_is_rejected(self):
        self.cluster.policy_load("p", DRAIN)
        task = self.run_task(1)
        self.drain(task)
        self.host.fails = {("stop", 1): OSError("no")}
        with self.assertRaises(OSError):
            self.host.cycle(NOW + SECOND)
        self.assertEqual((task.stop, self.host.tasks), (0, {(1, 0): task}))
        self.assertEqual(self.states(), {})
        self.assertTrue(self.host.report(task, libsched.EVENT_ENDED))

    def test_a_callback_that_raises_loses_no_change(self):
        tasks = [self.run_task(tag) for tag in (1, 2, 3)]
        self.submit(job(4))
        self.host.fails = {("gone", 1): OSError("first"), ("gone", 2): OSError("second")}
        self.cluster.nodes_remove(sorted({task.node for task in tasks}))
        with self.assertRaises(OSError) as caught:
            self.host.cycle(NOW + SECOND)
        self.assertEqual({str(caught.exception), str(caught.exception.__context__)}, {"first", "second"})
        self.assertEqual(sorted(self.host.seen)[:3], [("gone", 1), ("gone", 2), ("gone", 3)])
        self.assertTrue(all(self.host.tasks[tag, 0] not in tasks for tag in (1, 2, 3, 4)))
        self.assertEqual(set(self.states().values()), {libsched.DECISION_CONFIRMED})

    def test_an_interrupt_ends_the_work_and_leaves_nothing_open(self):
        self.submit(*(job(tag, 8000) for tag in range(1, 5)))
        self.host.fails = {("start", 2): KeyboardInterrupt()}
        with self.assertRaises(KeyboardInterrupt):
            self.host.cycle(NOW)
        self.assertEqual(self.host.seen, [("start", 1), ("start", 2)])
        self.assertEqual((sorted(self.host.tasks), list(self.states())), ([(1, 0)], [1]))

    def test_a_carry_out_that_raises_or_answers_nonsense_is_rejected(self):
        self.submit(*(job(tag, 8000) for tag in range(1, 4)))

        def carry_out(decision):
            if decision.job_tag == 1:
                raise OSError("no")
            return 77 if decision.job_tag == 2 else None

        with self.assertRaises(OSError) as caught:
            self.cluster.run_cycle(NOW, carry_out)
        self.assertIn("carry_out returned 77", str(caught.exception.__context__))
        self.assertEqual(self.states(), {3: libsched.DECISION_CONFIRMED})

    def test_exceptions_in_a_circle_are_raised(self):
        first, second = OSError("first"), OSError("second")
        first.__context__ = second
        steps = libsched.loop.Steps()

        def fail(error):
            raise error

        for error in (first, second, first):
            steps.attempt(fail, error)
        with self.assertRaises(OSError) as caught:
            steps.finish()
        self.assertIs(caught.exception, first)
        self.assertEqual((first.__context__, second.__context__), (second, None))


class Kinds(WithHost):
    def kinds(self, host):
        asked = []
        self.cluster.run_cycle = lambda now_us, *_, decision_kinds=0, **options: (
            asked.append(decision_kinds), self.cluster.schedule(now_us))[1]
        host.cycle(NOW)
        return asked[0]

    def test_a_host_without_other_asks_for_what_it_can_do(self):
        wanted = [libsched.DECIDE_PLACE, libsched.DECIDE_EVICT, libsched.DECIDE_NOMINATE, libsched.DECIDE_MIGRATE]
        self.assertEqual(self.kinds(self.host), sum(1 << kind for kind in wanted))

    def test_a_host_with_other_asks_for_the_default(self):
        class Pauses(Recorder):
            def other(self, decision):
                return None

        self.assertEqual(self.kinds(Pauses(self.cluster, NOW)), 0)

    def test_a_kind_that_the_host_does_not_know_is_rejected(self):
        task = self.run_task(1)
        self.cluster.tasks_resize([dict(job=task.job, task_index=0, request={"cpu": 2000})])
        kinds = 1 << libsched.DECIDE_PLACE | 1 << libsched.DECIDE_RESIZE
        with self.assertRaises(NotImplementedError):
            self.host.cycle(NOW + SECOND, decision_kinds=kinds)
        self.assertEqual((self.states(), list(self.host.tasks)), ({}, [(1, 0)]))


class Checkpoints(WithHost):
    """A checkpoint is confirmed when it is written, and not because the host heard of it."""
    KINDS = libsched.DECISION_KINDS_DEFAULT | 1 << libsched.DECIDE_CHECKPOINT

    def setUp(self):
        super().setUp()
        self.cluster.policy_load("p", "return { api = 1, pipeline = { 'allocate', 'preempt' } }")
        self.cluster.nodes_remove(self.nodes[1:])
        self.first = self.run_task(1)
        self.cluster.jobs_update([dict(job=self.first.job, set=libsched.JOB_SET_CHECKPOINT, checkpoint_us=60 * SECOND)])
        self.submit(job(2, 8000, priority=5))
        self.now = NOW + SECOND

    def asked(self):
        """The state of the one open CHECKPOINT, 0 if there is none."""
        states = [d.state for d in self.cluster.decisions_open() if d.kind == libsched.DECIDE_CHECKPOINT]
        return states[0] if states else 0

    def test_confirm_leaves_a_checkpoint_open(self):
        with self.cluster.schedule(self.now, decision_kinds=self.KINDS) as plan:
            self.assertIn(libsched.DECIDE_CHECKPOINT, [d.kind for d in plan])
            confirmed = self.cluster.confirm(plan)
            open_ones = [d.id for d in plan if d.kind == libsched.DECIDE_CHECKPOINT]
        self.assertFalse(set(confirmed) & set(open_ones))
        self.assertEqual(self.asked(), libsched.DECISION_PROPOSED)

    def test_run_cycle_leaves_a_checkpoint_open_until_it_is_written(self):
        kinds = []
        self.cluster.run_cycle(self.now, lambda d: kinds.append(d.kind), decision_kinds=self.KINDS).close()
        self.assertIn(libsched.DECIDE_CHECKPOINT, kinds)
        self.assertEqual(self.asked(), libsched.DECISION_PROPOSED)
        written = [d.id for d in self.cluster.decisions_open() if d.kind == libsched.DECIDE_CHECKPOINT]
        self.cluster.settle(written, libsched.OUTCOME_CONFIRMED)
        with self.cluster.schedule(self.now + SECOND, decision_kinds=self.KINDS) as plan:
            evicted, = [d for d in plan if d.kind == libsched.DECIDE_EVICT]
            self.assertEqual(evicted.checkpoint, libsched.CHECKPOINT_WRITTEN)

    def test_an_outcome_that_carry_out_returns_counts(self):
        def written(decision):
            return libsched.OUTCOME_CONFIRMED if decision.kind == libsched.DECIDE_CHECKPOINT else 0

        self.cluster.run_cycle(self.now, written, decision_kinds=self.KINDS).close()
        self.assertNotEqual(self.asked(), libsched.DECISION_PROPOSED)

    def test_a_host_settles_a_checkpoint_itself(self):
        class Writes(Recorder):
            def other(self, decision):
                self.note("other", decision.job_tag)

        host = Writes(self.cluster, self.now)
        host.tasks = self.host.tasks
        host.cycle(self.now, decision_kinds=self.KINDS)
        self.assertEqual((host.seen, self.asked()), ([("other", 1)], libsched.DECISION_PROPOSED))


class Late(WithHost):
    def test_a_feed_that_was_overwritten_goes_on_at_its_end(self):
        feed = self.cluster.feed()
        self.lose_much()
        with self.assertRaises(libsched.Error) as caught:
            list(feed)
        self.assertEqual(caught.exception.code, libsched.E_GONE)
        self.assertEqual((list(feed), feed.cursor), ([], self.cluster.changes_end()))

    def test_a_loop_that_is_left_early_goes_on_where_it_ended(self):
        feed = self.lost_tasks(4)
        seen = []
        while len(seen) < 4:
            for change in feed:
                seen.append(str(change.job_name))
                break
            else:
                self.fail(f"the feed lost changes after {seen}")
        self.assertEqual((sorted(seen), list(feed)), (["j1", "j2", "j3", "j4"], []))

    def test_an_iterator_that_another_one_overtakes_reads_nothing_twice(self):
        feed = self.lost_tasks(4)
        first, second = iter(feed), iter(feed)
        seen = [str(next(turn).job_name) for turn in (first, second, first, second)]
        self.assertEqual((sorted(seen), list(first)), (["j1", "j2", "j3", "j4"], []))

    def test_a_body_that_raises_loses_its_own_change_only(self):
        feed = self.lost_tasks(3)
        with self.assertRaises(ZeroDivisionError):
            for change in feed:
                self.assertTrue(1 // 0)
        self.assertEqual(len(list(feed)), 2)

    def test_a_body_that_calls_the_cluster_sees_the_names_of_each_change(self):
        feed = self.lost_tasks(16)
        seen = []
        for change in feed:
            seen.append(str(change.job_name))
            for i in range(10):
                extra = self.add_node(1000 + len(seen) * 10 + i)
                self.cluster.nodes_remove([extra])
        self.assertEqual(sorted(seen), sorted(f"j{tag}" for tag in range(1, 17)))

    def test_the_loop_reads_what_its_body_does(self):
        feed = self.lost_tasks(1)
        node = self.add_node(50)
        self.submit(job(50))
        with self.cluster.schedule(NOW + SECOND) as plan:
            self.cluster.settle_plan(plan)
        seen = []
        for change in feed:
            seen.append(str(change.job_name))
            if len(seen) == 1:
                self.cluster.nodes_remove([node])
        self.assertIn("j50", seen)

    def test_changes_that_are_overwritten_within_a_loop_are_told(self):
        feed = self.lost_tasks(4)
        seen = []
        with self.assertRaises(libsched.Error) as caught:
            for change in feed:
                seen.append(str(change.job_name))
                self.lose_much()
        self.assertEqual((caught.exception.code, len(seen)), (libsched.E_GONE, 1))
        self.assertIn(seen[0], ["j1", "j2", "j3", "j4"])
        self.assertEqual((list(feed), feed.cursor), ([], self.cluster.changes_end()))

    def lost_tasks(self, n):
        """A feed with the losses of n running jobs."""
        self.submit(*(job(tag, 1000) for tag in range(1, n + 1)))
        self.host.cycle(NOW)
        for task in list(self.host.tasks.values()):
            self.host.report(task, libsched.EVENT_STARTED)
        feed = self.cluster.feed()
        list(feed)
        self.cluster.nodes_remove(self.nodes)
        return feed

    def lose_much(self):
        """Overwrites the feed: a large gang loses its nodes again and again."""
        gang, = self.submit(dict(name="large", queue_name="q", tag=99, groups=[
            dict(min_count=1, max_count=64, request={"gpu": 1000})]))
        extra = [self.add_node(100 + i) for i in range(8)]
        for _ in range(30):
            with self.cluster.schedule(self.host.now) as plan:
                ids = [d.id for d in plan if d.job == gang]
                self.cluster.settle(ids, libsched.OUTCOME_CONFIRMED)
            self.cluster.nodes_remove(extra)
            extra = [self.add_node(100 + i) for i in range(8)]
        self.cluster.jobs_remove([gang])
        self.cluster.nodes_remove(extra)

    def test_a_host_that_reads_too_late_is_right_again(self):
        self.cluster.policy_load("p", DRAIN)
        kept, lost, removed, stopping = (self.run_task(tag) for tag in (1, 2, 3, 4))
        self.assertEqual(len(self.host.tasks), 4)
        self.drain(stopping)
        self.host.cycle(self.host.now + 1)
        told = [task for task in self.host.tasks.values() if task.stop]
        self.assertIn(stopping, told)
        self.cluster.settle([stopping.stop], libsched.OUTCOME_REJECTED)  # by another program
        self.drain(stopping, libsched.NODE_READY)
        self.cluster.report(lost.job, 0, libsched.EVENT_FAILED, at_us=self.host.now)
        self.cluster.jobs_remove([removed.job])
        self.lose_much()
        self.submit(job(5))
        del self.host.seen[:]
        self.host.cycle(self.host.now + 1)
        self.assertLessEqual({("keep", 4), ("gone", 2), ("gone", 3), ("missed", 0), ("start", 5)}, set(self.host.seen))
        self.assertNotIn(("gone", 1), self.host.seen)
        self.assertEqual((self.host.tasks[1, 0], self.host.tasks[4, 0], stopping.stop), (kept, stopping, 0))
        self.assertEqual((sorted(self.host.tasks), self.states()[5]), ([(1, 0), (4, 0), (5, 0)], libsched.DECISION_CONFIRMED))
        self.assertTrue(self.host.report(kept, libsched.EVENT_ENDED))


class Reports(WithHost):
    def test_a_report_after_the_node_was_removed_is_left_out(self):
        task = self.run_task(1)
        self.cluster.nodes_remove([task.node])
        self.assertFalse(self.host.report(task, libsched.EVENT_ENDED))
        self.assertEqual(self.host.seen[-1], ("gone", 1))

    def test_a_report_after_another_program_ended_the_run_is_left_out(self):
        for end in (self.cluster.jobs_remove, self.cluster.jobs_complete):
            task = self.run_task(1)
            end([task.job])
            self.assertFalse(self.host.report(task, libsched.EVENT_ENDED))
            self.assertEqual(self.host.tasks, {})

    def test_a_completed_job_leaves_no_task(self):
        first, second = self.run_task(1), self.run_task(2)
        self.host.complete_job(first.job, 1)
        self.assertEqual((self.host.tasks, self.host.seen[-1]), ({(2, 0): second}, ("gone", 1)))
        self.assertEqual(self.cluster.stats.jobs, 1)

    def test_a_loss_is_of_its_run_only(self):
        task = self.run_task(1)
        for kind in (libsched.CHANGE_LOST, libsched.CHANGE_GONE):
            self.host.feed = [libsched.Change(kind=kind, run=task.run + 1, job_tag=1, task_index=0)]
            self.host.read_changes()
            self.assertEqual(self.host.tasks, {(1, 0): task})
        self.host.feed = [libsched.Change(kind=libsched.CHANGE_LOST, run=task.run, job_tag=1, task_index=0)]
        self.host.read_changes()
        self.assertEqual(self.host.tasks, {})

    def test_a_callback_that_runs_a_cycle_keeps_the_new_run(self):
        class Eager(Recorder):
            def gone(self, task):
                super().gone(task)
                self.cycle(self.now + 1)

        self.host = Eager(self.cluster, NOW)
        tasks = [self.run_task(tag) for tag in (1, 2, 3)]
        self.cluster.nodes_remove(sorted({task.node for task in tasks}))
        self.host.cycle(NOW + SECOND)
        self.assertEqual(sorted(self.host.tasks), [(1, 0), (2, 0), (3, 0)])
        for task in list(self.host.tasks.values()):
            self.assertNotIn(task, tasks)
            self.assertTrue(self.host.report(task, libsched.EVENT_STARTED))

    def test_a_run_that_stops_is_kept_beside_the_next_one(self):
        old = self.run_task(1)
        decision = libsched.Decision(kind=libsched.DECIDE_PLACE, id=old.run + 1, job=old.job, job_tag=1)
        old.stop = 7
        self.host._carry_out(decision)
        new = self.host.tasks[1, 0]
        self.assertEqual((self.host.leaving, new is old), ({(1, 0): old}, False))
        self.host.feed = [libsched.Change(kind=libsched.CHANGE_WITHDRAWN, decision=new.run, job_tag=1, task_index=0)]
        self.host.read_changes()
        self.assertEqual((self.host.tasks, self.host.leaving), ({(1, 0): old}, {}))
        self.host.feed = []
        self.host._carry_out(decision)
        self.assertTrue(self.host.report(old, libsched.EVENT_FAILED, answers=7))
        self.assertEqual((self.host.tasks[1, 0].run, self.host.leaving), (decision.id, {}))


if __name__ == "__main__":
    unittest.main()
