"""Clusters, plans, errors and batches through the real library."""
import array
import ctypes
import inspect
import threading
import unittest

import libsched
from libsched.cycle import schedule_opts

NOW = 1_700_000_000_000_000
DEVICES = [dict(count=8, model="H100-80GB", memory_bytes=80 << 30)]


def job(name, gpu=1000, **fields):
    return dict(name=name, queue_name="research", groups=[dict(request={"gpu": gpu})], **fields)


class WithCluster(unittest.TestCase):
    def setUp(self):
        self.cluster = libsched.Cluster(verify_every_plan=True)
        self.addCleanup(self.cluster.close)
        self.nodes = self.cluster.nodes_add([
            dict(name="gpu-1", capacity={"cpu": 128_000, "memory": 1 << 40}, devices=DEVICES, labels={"zone": "a"}, tag=7),
            dict(name="gpu-2", devices=DEVICES, labels={"zone": "b"}),
        ])
        self.queue, = self.cluster.queues_add([dict(name="research", quota={"gpu": 8000}, limit={"gpu": libsched.UNLIMITED})])


class Objects(WithCluster):
    def test_nodes_and_queues_read_back(self):
        node = self.cluster.node_get(self.nodes[0])
        self.assertEqual((node.tag, node.n_devices, node.cpu_milli, node.gpu_milli), (7, 8, 128_000, 8000))
        self.assertEqual(self.cluster.node_amount(self.nodes[0], libsched.MEMORY), (1 << 40, 1 << 40))
        self.assertEqual(self.cluster.node_device(self.nodes[1], 7), (1000, 80 << 30, "H100-80GB"))
        self.assertEqual(self.cluster.queue_amount(self.queue, libsched.GPU), (0, 8000, libsched.UNLIMITED))
        self.assertEqual(self.cluster.find(libsched.KIND_NODE, "gpu-2"), self.nodes[1])
        self.assertEqual(self.cluster.name(self.nodes[1]), "gpu-2")
        self.assertEqual(sorted(self.cluster.ids(libsched.KIND_NODE)), sorted(self.nodes))

    def test_a_resource_kind_is_added_by_name(self):
        kind = self.cluster.resource_add("licence")
        self.assertEqual(self.cluster.resource_add("licence"), kind)
        self.assertEqual(self.cluster.resource_find("licence"), kind)
        self.assertEqual(self.cluster.resource_name(kind), "licence")
        node, = self.cluster.nodes_add([dict(name="cpu-1", capacity={"cpu": 1000, kind: 3})])
        self.assertEqual(self.cluster.node_amount(node, kind), (3, 3))

    def test_a_kind_counts_the_devices_of_a_model(self):
        kind = self.cluster.resource_add_part(name="gpu:H100", model="H100-80GB")
        self.assertEqual(self.cluster.resource_find("gpu:H100"), kind)
        queue, = self.cluster.queues_add([dict(name="few", limit={kind: 2000})])
        self.assertEqual(self.cluster.queue_amount(queue, kind), (0, 0, 2000))

    def test_a_kind_counts_what_is_in_a_pool(self):
        self.cluster.pools_add([dict(name="spot", labels={"tier": "spot"})])
        kind = self.cluster.resource_add_part(name="gpu:spot", pool="spot")
        self.assertEqual(self.cluster.resource_name(kind), "gpu:spot")
        with self.assertRaisesRegex(libsched.Error, "no pool is called 'sport'"):
            self.cluster.resource_add_part(name="gpu:sport", pool="sport")

    def test_a_closed_cluster_says_so(self):
        self.cluster.close()
        with self.assertRaises(ValueError):
            self.cluster.schedule(NOW)

    def test_a_misspelt_field_is_an_error(self):
        with self.assertRaisesRegex(TypeError, "NodeDesc has no field 'lables'"):
            self.cluster.nodes_add([dict(name="x", lables={})])


    def test_an_integer_that_a_field_cannot_hold_is_an_error(self):
        wide = [(dict(priority=1 << 31), "JobDesc.priority must be from -2147483648 to 2147483647, and is 2147483648"),
                (dict(retries_max=1 << 32), "JobDesc.retries_max"), (dict(flags=-1), "JobDesc.flags"),
                (dict(duration_us=1 << 63), "JobDesc.duration_us"),
                (dict(groups=[dict(request={"gpu": 1 << 64})]), "Amount.amount"),
                (dict(groups=[dict(max_count=(1 << 32) + 2)]), "GroupDesc.max_count")]
        for fields, said in wide:
            with self.assertRaisesRegex(OverflowError, said):
                self.cluster.jobs_submit([{**job("wide"), **fields}])
        update = libsched.JobUpdate()
        with self.assertRaisesRegex(OverflowError, "JobUpdate.priority"):
            update.priority = 1 << 31
        self.assertEqual(update.priority, 0)
        with self.assertRaisesRegex(OverflowError, "ScheduleOpts.now_us"):
            self.cluster.schedule(now_us=1 << 63)
        with self.assertRaises(OverflowError):
            self.cluster.jobs_remove([self.nodes[0] + (1 << 64)])
        with self.assertRaises((OverflowError, ctypes.ArgumentError)):
            self.cluster.name(self.nodes[0] + (1 << 64))

    def test_a_misspelt_word_names_the_nearest_one(self):
        with self.assertRaisesRegex(TypeError, "JobDesc has no field 'queue_nme'; did you mean 'queue_name'?"):
            self.cluster.jobs_submit([dict(name="a", queue_nme="research")])
        with self.assertRaisesRegex(ValueError, "unknown kind 'gpus'; give one of any, cpu, memory, gpu, or a number"):
            self.cluster.jobs_submit([dict(name="a", groups=[dict(request={"gpus": 1})])])

    def test_a_text_prints_as_its_text(self):
        desc = libsched.JobDesc(name="train")
        self.assertEqual((str(desc.name), repr(desc.name)), ("train", "Text('train')"))


class Errors(WithCluster):
    def test_an_error_carries_the_record(self):
        self.cluster.jobs_submit([job("a")])
        before = self.cluster.hash()
        with self.assertRaises(libsched.Error) as caught:
            self.cluster.jobs_submit([job("b"), job("a")])
        error = caught.exception
        self.assertEqual((error.code, error.name, error.index), (libsched.E_EXISTS, "E_EXISTS", 1))
        self.assertIn("a", error.message)
        self.assertEqual(error.status[1], libsched.E_EXISTS)
        self.assertEqual(self.cluster.hash(), before)

    def test_an_error_without_a_record_has_the_text_of_its_code(self):
        with self.assertRaises(libsched.Error) as caught:
            self.cluster.decision_state(0)
        self.assertEqual(caught.exception.index, -1)
        self.assertTrue(caught.exception.message)

    def test_a_policy_error_has_line_and_column(self):
        with self.assertRaises(libsched.Error) as caught:
            self.cluster.policy_load("mine.lua", "return {\n  api = 1,\n  prioritty = 3,\n}\n")
        self.assertGreater(caught.exception.line, 0)
        self.assertIn("mine.lua", caught.exception.message)

    def test_partial_batches_apply_the_good_ones(self):
        self.cluster.jobs_submit([job("a")])
        ids, codes = self.cluster.jobs_submit([job("b"), job("a"), job("c")], libsched.BATCH_PARTIAL)
        self.assertEqual([code < 0 for code in codes], [False, True, False])
        self.assertEqual(ids[0], self.cluster.find(libsched.KIND_JOB, "b"))
        self.assertEqual(ids[2], self.cluster.find(libsched.KIND_JOB, "c"))


class Batches(WithCluster):
    def test_a_batch_is_built_once_and_used_again(self):
        batch = libsched.Batch(libsched.JobDesc, [job(f"j{i}") for i in range(5)])
        ids = self.cluster.jobs_submit(batch)
        self.cluster.jobs_remove(ids)
        again = self.cluster.jobs_submit(batch)
        self.assertEqual([self.cluster.name(i) for i in again], [f"j{i}" for i in range(5)])
        with self.assertRaisesRegex(TypeError, "batch of NodeDesc"):
            self.cluster.nodes_add(batch)

    def test_buffers_of_structures_are_taken_as_they_are(self):
        batch = libsched.Batch(libsched.JobDesc, [job("a"), job("b")])
        for buffer in (batch.array, memoryview(batch.array), bytearray(batch.array), bytes(batch.array)):
            ids = self.cluster.jobs_submit(buffer)
            self.assertEqual(len(ids), 2)
            self.cluster.jobs_remove(ids)
        with self.assertRaises(ValueError):
            self.cluster.jobs_submit(bytearray(ctypes.sizeof(libsched.JobDesc) + 1))

    def test_ids_are_a_buffer_or_a_list(self):
        for form in (list, tuple, lambda ids: array.array("Q", ids), lambda ids: memoryview(array.array("Q", ids))):
            ids = self.cluster.jobs_submit([job("a"), job("b")])
            self.cluster.jobs_update([{"job": i, "set": libsched.JOB_SET_PRIORITY, "priority": p} for i, p in zip(ids, (3, 4))])
            self.assertEqual(self.cluster.job_get(ids[1]).priority, 4)
            self.cluster.jobs_remove(form(ids))
        with self.assertRaises(ValueError):
            self.cluster.jobs_remove(array.array("I", [1, 2]))

    def test_a_node_leaves_and_comes_back(self):
        hour = 3_600_000_000
        self.cluster.nodes_update([dict(node=n, set=libsched.NODE_SET_ABSENCE, leaves_us=NOW + hour, back_us=NOW + 2 * hour,
                                        leaves_every_us=24 * hour) for n in self.nodes])
        self.assertEqual(self.cluster.node_get(self.nodes[0]).leaves_us, NOW + hour)
        self.cluster.jobs_submit([job("long", gpu=8000, duration_us=2 * hour)])
        plan = self.cluster.schedule(NOW)
        self.assertEqual([(w.code, len(plan.decisions)) for w in plan.waiting], [(libsched.WAIT_ABSENCE, 0)])
        self.assertEqual(len(self.cluster.schedule(NOW + 2 * hour).decisions), 1)
        with self.assertRaisesRegex(libsched.Error, "leaves before it is back"):
            self.cluster.nodes_update([dict(node=self.nodes[0], set=libsched.NODE_SET_ABSENCE, leaves_us=9, back_us=9)])

    def test_an_absence_can_be_over_when_it_is_set_and_cannot_be_senseless(self):
        hour = 3_600_000_000
        set_absence = lambda **times: self.cluster.nodes_update(
            [dict(node=n, set=libsched.NODE_SET_ABSENCE, **times) for n in self.nodes])
        self.cluster.schedule(NOW)
        set_absence(leaves_us=NOW - 2 * hour, back_us=NOW)
        self.cluster.jobs_submit([job("any", gpu=1000)])  # without an estimate
        self.assertEqual(len(self.cluster.schedule(NOW).decisions), 1)
        self.assertEqual(self.cluster.node_get(self.nodes[0]).back_us, 0)
        set_absence(leaves_us=NOW - 30 * hour, back_us=NOW - 29 * hour, leaves_every_us=10 * hour)  # away
        self.cluster.jobs_submit([job("short", gpu=1000, duration_us=1)])
        self.assertEqual([w.code for w in self.cluster.schedule(NOW).waiting], [libsched.WAIT_ABSENCE])
        for times, cure in ((dict(leaves_us=9, back_us=8), "leaves before it is back, or back_us 0"),
                            (dict(leaves_us=-9), "expected 0 to"),
                            (dict(leaves_us=9, leaves_every_us=8), "set back_us, too"),
                            (dict(leaves_us=1, back_us=9, leaves_every_us=8), "away for less time")):
            with self.assertRaisesRegex(libsched.Error, cure):
                set_absence(**times)
        self.assertEqual(self.cluster.node_get(self.nodes[0]).leaves_every_us, 10 * hour)  # as before

    def test_an_empty_batch_is_no_error(self):
        self.assertEqual(len(self.cluster.jobs_submit([])), 0)
        self.cluster.jobs_remove([])

    def test_a_structure_keeps_alive_what_it_points_to(self):
        descs = [libsched.JobDesc(**job(f"job-{i:04}", gpu=1000)) for i in range(200)]
        junk = [bytes(64) for _ in range(10_000)]
        del junk
        ids = self.cluster.jobs_submit(descs)
        self.assertEqual([self.cluster.name(i) for i in ids], [f"job-{i:04}" for i in range(200)])

    def test_numpy_views_decisions_without_a_copy(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("numpy is not installed")
        self.cluster.jobs_submit([job("a"), job("b")])
        decisions = self.cluster.schedule(NOW).decisions
        table = numpy.asarray(decisions)
        self.assertEqual(table["id"].tolist(), [d.id for d in decisions])
        self.assertEqual(len(self.cluster.settle(numpy.ascontiguousarray(table["id"]), libsched.OUTCOME_CONFIRMED)), 0)
        self.cluster.jobs_remove(numpy.array([decisions[0].job], dtype=numpy.uint64))


class Cycles(WithCluster):
    def test_a_plan_outlives_its_cluster(self):
        self.cluster.jobs_submit([job("a", gpu=8000), job("b", gpu=16_000)])
        plan = self.cluster.schedule(NOW)
        text = self.cluster.waiting_text(plan.waiting[0])
        self.cluster.close()
        self.assertEqual(len(plan), 1)
        self.assertEqual(plan.decisions[0].device_mask, 0xFF)
        self.assertEqual(plan.waiting[0].jobs, 1)
        self.assertTrue(text)
        self.assertNotEqual(plan.hash, 0)
        kept = plan.decisions
        plan.close()
        self.assertEqual(kept[0].device_mask, 0xFF)
        with self.assertRaises(ValueError):
            len(plan)

    def test_a_proposal_that_nobody_settles_expires(self):
        self.cluster.jobs_submit([job("a", release_us=5_000_000)])
        first = self.cluster.schedule(NOW, proposal_life_us=1_000_000).decisions[0]
        self.assertEqual(first.until_us, NOW + 1_000_000)
        self.assertEqual(self.cluster.next_wake(), NOW + 1_000_000)
        plan = self.cluster.schedule(NOW + 1_000_000)
        self.assertEqual(list(plan.withdrawn), [first.id])
        self.assertEqual(plan.decisions[0].until_us, libsched.NEVER_US)

    def test_each_option_of_a_structure_has_an_argument(self):
        calls = {libsched.ScheduleOpts: [libsched.Cluster.schedule, schedule_opts],
                 libsched.ClusterOpts: [libsched.Cluster, libsched.Cluster.load]}
        other = {"size", "flags", "trace_user", "allocator", "reserved_zero"}
        for kind, functions in calls.items():
            for function in functions:
                has = set(inspect.signature(function).parameters)
                self.assertEqual({name for name, _ in kind._fields_} - has - other, set(), function)

    def test_options_of_a_cycle(self):
        self.cluster.jobs_submit([job("a"), job("b", gpu=64_000)])
        seen = []
        plan = self.cluster.schedule(NOW, all_waiting=True, moves_max=3, release_us=1_000_000, hooks_off=0,
                                     trace=lambda r: seen.append((r.stage, r.ends, str(r.action))))
        self.assertEqual(seen[0][:2], (libsched.TRACE_SERVE, 0))
        self.assertIn((libsched.TRACE_ACTION, 1, "allocate"), seen)
        self.assertEqual(len(plan.waiting), 1)
        self.assertEqual(len(self.cluster.schedule(NOW + 1).waiting), 0)  # it was not tried again
        self.assertEqual(len(self.cluster.schedule(NOW + 2, all_waiting=True).waiting), 1)
        copy = self.cluster.clone()
        self.cluster.jobs_submit([job("c")])
        with self.assertRaisesRegex(TypeError, "verfy"):
            self.cluster.adopt(copy.schedule(NOW + 3), verfy=True)
        self.assertTrue(self.cluster.would_start(job("d"), decision_kinds=1 << libsched.DECIDE_PLACE).start)

    def test_a_checkpoint_comes_before_an_eviction(self):
        self.cluster.nodes_remove([self.nodes[1]])
        self.cluster.policy_load("p", "return { api = 1, name = 'p', pipeline = { 'allocate', 'preempt' } }")
        kinds = sum(1 << kind for kind in (libsched.DECIDE_PLACE, libsched.DECIDE_NOMINATE, libsched.DECIDE_EVICT,
                                           libsched.DECIDE_CHECKPOINT))
        self.cluster.jobs_submit([job("a", gpu=8000, checkpoint_us=60_000_000)])
        first = self.cluster.schedule(NOW, decision_kinds=kinds).decisions[0]
        self.cluster.tasks_report([dict(event=libsched.EVENT_STARTED, job=first.job, at_us=NOW)])
        self.cluster.jobs_submit([job("b", gpu=8000, priority=5)])
        plan = self.cluster.schedule(NOW + 1_000_000, decision_kinds=kinds, verify=True)
        asked, = [d for d in plan if d.kind == libsched.DECIDE_CHECKPOINT]
        self.assertEqual((asked.job, asked.until_us), (first.job, NOW + 61_000_000))
        self.cluster.settle([asked.id], libsched.OUTCOME_CONFIRMED)
        evicts, = self.cluster.schedule(NOW + 2_000_000, decision_kinds=kinds)
        self.assertEqual((evicts.kind, evicts.checkpoint), (libsched.DECIDE_EVICT, libsched.CHECKPOINT_WRITTEN))

    def test_the_life_of_a_decision(self):
        first, second = self.cluster.jobs_submit([job("a"), job("b")])
        plan = self.cluster.schedule(NOW, verify=True)
        self.cluster.verify(plan)
        by_job = {d.job: d for d in plan}
        self.cluster.settle([by_job[first].id, by_job[second].id], [libsched.OUTCOME_CONFIRMED, libsched.OUTCOME_REJECTED])
        self.assertEqual(self.cluster.decision_state(by_job[first].id), libsched.DECISION_CONFIRMED)
        with self.assertRaises(libsched.Error):
            self.cluster.decision_state(by_job[second].id)
        self.cluster.tasks_report([dict(event=libsched.EVENT_STARTED, job=first, at_us=NOW + 1)])
        task, = self.cluster.tasks(job=first)
        self.assertEqual((task.state, task.node), (libsched.TASK_RUNNING, by_job[first].node))
        self.cluster.tasks_report([dict(event=libsched.EVENT_ENDED, job=first, at_us=NOW + 2)])
        self.assertEqual(self.cluster.find(libsched.KIND_JOB, "a"), 0)

    def test_a_held_job_waits_until_its_time_or_its_release(self):
        first, second = self.cluster.jobs_submit([job("a"), job("b")])
        until = NOW + 1_000_000
        self.cluster.jobs_hold([{"job": first, "until_us": until, "reason": "data is not there"}, {"name": "b"}])
        self.assertEqual((self.cluster.job_get(first).held, self.cluster.job_get(first).hold_until_us),
                         (libsched.HELD_HOST, until))
        self.assertEqual(self.cluster.job_get(second).hold_until_us, libsched.NEVER_US)
        self.assertEqual(len(self.cluster.schedule(NOW)), 0)
        why, text = self.cluster.waiting_get(first), self.cluster.explain(first)
        self.assertEqual((why.code, why.until_us), (libsched.WAIT_HOST_HOLD, until))
        self.assertIn("data is not there", text)
        self.assertEqual([d.job for d in self.cluster.schedule(until)], [first])
        self.cluster.jobs_release([second])
        self.assertEqual([d.job for d in self.cluster.schedule(until)], [second])

    def test_a_job_waits_for_another_and_for_its_begin(self):
        begin = NOW + 5_000_000
        first, second = self.cluster.jobs_submit([job("a"), job("b", begin_us=begin, dependencies=[
            dict(name="a", after=libsched.AFTER_START, delay_us=1_000_000)])])
        self.assertEqual([d.job for d in self.cluster.schedule(NOW)], [first])
        why = self.cluster.waiting_get(second)
        self.assertEqual((why.code, why.need), (libsched.WAIT_DEPENDENCY, 1))
        self.assertEqual(self.cluster.job_get(second).dependencies, 1)
        self.cluster.tasks_report([dict(event=libsched.EVENT_STARTED, job=first, at_us=NOW)])
        self.assertEqual(len(self.cluster.schedule(NOW)), 0)
        why = self.cluster.waiting_get(second)
        self.assertEqual((why.code, why.until_us), (libsched.WAIT_BEGIN, begin))
        with self.assertRaisesRegex(libsched.Error, "the job would wait for itself"):
            self.cluster.jobs_update([dict(job=second, set=libsched.JOB_SET_DEPENDENCIES,
                                           dependencies=[dict(job=second)])])
        self.cluster.jobs_update([dict(job=second, set=libsched.JOB_SET_BEGIN)])
        self.assertEqual([d.job for d in self.cluster.schedule(NOW + 1_000_000)], [second])

    def test_a_hold_that_cannot_be_says_why(self):
        first, = self.cluster.jobs_submit([job("a")])
        self.cluster.schedule(NOW)
        with self.assertRaisesRegex(libsched.Error, "is not held by"):
            self.cluster.jobs_release([first])
        self.assertEqual(list(self.cluster.jobs_release([first], libsched.BATCH_IDEMPOTENT)), [libsched.UNCHANGED])
        with self.assertRaises(libsched.Error) as caught:
            self.cluster.jobs_hold([{"job": first, "until_us": NOW}])
        self.assertEqual((caught.exception.name, caught.exception.index), ("E_TIME", 0))
        ids, codes = [first, 0], self.cluster.jobs_hold([{"job": first}, {"name": "nobody"}], libsched.BATCH_PARTIAL)
        self.assertEqual([code < 0 for code in codes], [False, True])
        self.assertEqual(self.cluster.job_get(ids[0]).held, libsched.HELD_HOST)

    def test_rejecting_a_member_withdraws_the_gang(self):
        self.cluster.jobs_submit([dict(name="gang", queue_name="research",
                                       groups=[dict(max_count=4, request={"gpu": 4000})])])
        ids = [d.id for d in self.cluster.schedule(NOW)]
        self.assertEqual(len(ids), 4)
        withdrawn = self.cluster.settle(ids[:1], libsched.OUTCOME_REJECTED)
        self.assertEqual(sorted(withdrawn), sorted(ids[1:]))

    def test_changes_tell_what_a_call_did_besides(self):
        submitted, = self.cluster.jobs_submit([job("a", 8000)])
        with self.cluster.schedule(NOW) as plan:
            placed = plan[0]
        changes, cursor = self.cluster.changes(0)
        self.assertEqual(changes, [])
        self.cluster.nodes_remove([placed.node])
        (change,), after = self.cluster.changes(cursor)
        self.assertEqual((change.kind, change.decision, change.job),
                         (libsched.CHANGE_WITHDRAWN, placed.id, submitted))
        self.assertEqual(after, self.cluster.changes_end())

    def test_a_feed_gives_each_change_once(self):
        self.cluster.jobs_submit([job("a", 8000)])
        feed = self.cluster.feed()
        with self.cluster.schedule(NOW) as plan:
            placed = plan[0]
        self.assertEqual(list(feed), [])
        self.cluster.nodes_remove([placed.node])
        self.assertEqual([change.decision for change in feed], [placed.id])
        self.assertEqual(list(feed), [])
        late = self.cluster.feed()
        late.skip()
        self.assertEqual(list(late), [])

    def test_a_plan_is_settled_as_a_whole(self):
        a, b = self.cluster.jobs_submit([job("a", 4000), job("b", 4000)])
        plan = self.cluster.schedule(NOW)
        self.cluster.jobs_remove([b])
        codes = {d.job: code for d, code in zip(plan, self.cluster.settle_plan(plan))}
        self.assertEqual(codes, {a: 0, b: libsched.E_STALE})
        self.assertEqual(self.cluster.settle_plan(plan, [0, 0]), [libsched.UNCHANGED] * 2)
        for outcomes in ([0, 0, 0], [1], []):
            with self.assertRaisesRegex(ValueError, f"{len(outcomes)} outcomes for 2 decisions"):
                self.cluster.settle_plan(plan, outcomes)
        with self.assertRaises(OverflowError):
            self.cluster.settle_plan(plan, [1 << 32 | libsched.OUTCOME_CONFIRMED, 0])

    def test_a_cycle_is_run_and_carried_out(self):
        a, b = self.cluster.jobs_submit([job("a", 4000), job("b", 4000)])
        seen = []

        def carry_out(decision):
            seen.append(decision.job)
            return libsched.OUTCOME_REJECTED if decision.job == b else None

        plan = self.cluster.run_cycle(NOW, carry_out, before=lambda: seen.append("before"))
        self.assertEqual((seen[0], sorted(seen[1:])), ("before", sorted([a, b])))
        states = {d.job: d.id for d in plan}
        self.assertEqual(self.cluster.decision_state(states[a]), libsched.DECISION_CONFIRMED)
        with self.assertRaises(libsched.Error):
            self.cluster.decision_state(states[b])

    def test_a_host_learns_where_its_tasks_are(self):
        seen = []

        class Recorder(libsched.Host):
            def start(self, task):
                seen.append(("start", task.job_tag, task.index))

            def stop(self, task):
                seen.append(("stop", task.job_tag))

            def gone(self, task):
                seen.append(("gone", task.job_tag))

            def ended(self, job_tag):
                seen.append(("ended", job_tag))

        host = Recorder(self.cluster, NOW)
        a, b = self.cluster.jobs_submit([dict(job("a", 4000), tag=1), dict(job("b", 4000), tag=2)])
        host.cycle(NOW)
        self.assertEqual(sorted(seen), [("start", 1, 0), ("start", 2, 0)])
        one, two = host.tasks[1, 0], host.tasks[2, 0]
        self.assertEqual((len(one.devices), one.runs), (4, False))
        self.assertTrue(host.report(one, libsched.EVENT_STARTED))
        self.assertTrue(one.runs)
        self.assertFalse(host.report(one, libsched.EVENT_FAILED, answers=7))
        self.assertTrue(host.report(one, libsched.EVENT_ENDED))
        self.assertFalse(host.report(one, libsched.EVENT_ENDED))
        self.cluster.nodes_remove([two.node])
        host.read_changes()
        self.assertEqual(seen[2:], [("gone", 1), ("ended", 1), ("gone", 2)])
        self.assertEqual(host.tasks, {})
        host.remove_job(b, 2)
        self.assertEqual(self.cluster.stats.jobs, 0)

    def test_a_host_keeps_a_task_whose_stop_is_withdrawn(self):
        kept = []

        class Keeper(libsched.Host):
            def keep(self, task):
                kept.append(task.index)

        self.cluster.policy_load("p", "return { api = 1, pipeline = { 'drain', 'allocate' } }")
        host = Keeper(self.cluster, NOW)
        self.cluster.jobs_submit([dict(job("a", 4000), tag=1)])
        host.cycle(NOW)
        task = host.tasks[1, 0]
        host.report(task, libsched.EVENT_STARTED)
        state = dict(node=task.node, set=libsched.NODE_SET_STATE)
        self.cluster.nodes_update([dict(state, state=libsched.NODE_DRAINING)])
        host.cycle(NOW + 1)
        asked = task.stop
        self.assertNotEqual(asked, 0)
        host.feed = [libsched.Change(kind=libsched.CHANGE_WITHDRAWN, decision=asked, job_tag=1, task_index=0)]
        host.read_changes()
        self.assertEqual((kept, task.stop), ([0], 0))
        self.assertFalse(host.report(task, libsched.EVENT_FAILED, answers=asked))

    def test_a_plan_is_confirmed_as_a_whole(self):
        a, b = self.cluster.jobs_submit([job("a", 4000), job("b", 4000)])
        plan = self.cluster.schedule(NOW)
        self.cluster.jobs_remove([b])
        kept = [d.id for d in plan if d.job == a]
        self.assertEqual(self.cluster.confirm(plan), kept)
        self.assertEqual(self.cluster.confirm(plan), kept)
        self.assertEqual(self.cluster.confirm([]), [])
        self.cluster.report(a, 0, libsched.EVENT_STARTED, at_us=NOW)
        self.assertEqual(self.cluster.job_get(a).tasks_running, 1)
        with self.assertRaises(libsched.Error):
            self.cluster.report(a, 7, libsched.EVENT_ENDED)
        self.cluster.report(a, 0, libsched.EVENT_STARTED, flags=libsched.LATE)

    def test_the_plan_of_a_clone_is_adopted(self):
        self.cluster.jobs_submit([job("a", 4000), job("b", 4000)])
        with self.cluster.clone() as copy:
            plan = copy.schedule(NOW)
        self.cluster.jobs_remove([plan[0].job])
        adopted = self.cluster.adopt(plan, now_us=NOW, verify=True)
        self.assertEqual([group.result for group in adopted.adopted],
                         [libsched.ADOPTION_JOB_GONE, libsched.ADOPTION_APPLIED])
        self.assertEqual([adopted.adopted_id(i) for i in range(2)], [0, adopted[0].id])
        self.assertEqual(adopted[0].node, plan[1].node)
        with self.assertRaises(libsched.Error):
            self.cluster.adopt(plan)

    def test_the_options_of_an_adoption_count_without_a_time(self):
        self.cluster.jobs_submit([job(f"j{i}") for i in range(4)])
        with self.cluster.clone() as copy:
            plan = copy.schedule(NOW)
        self.assertLess(self.cluster.stats.now_us, NOW)  # so that the time of the plan is the later one
        adopted = self.cluster.adopt(plan, decisions_max=1, verify=True)
        self.assertEqual((len(adopted), adopted.info.flags & libsched.PLAN_VERIFIED != 0, adopted.info.now_us),
                         (1, True, NOW))
        with self.cluster.clone() as copy:
            plan = copy.schedule(NOW + 1)
        self.cluster.clock_set(NOW + 5)
        self.assertEqual(self.cluster.adopt(plan, decisions_max=1).info.now_us, NOW + 5)

    def test_getters_tell_what_they_expected(self):
        record = libsched.Waiting()
        record.size = 0
        calls = {"node_get": [0], "node_amount": [0, libsched.CPU], "node_device": [0, 0], "queue_get": [0],
                 "queue_amount": [0, libsched.CPU], "queue_share": [0, libsched.CPU], "queue_counters": [0],
                 "job_get": [0], "device_get": [0, 0], "decision_get": [0], "decision_state": [0], "describe": [0],
                 "resize_get": [0, 0], "array_get": [0], "resource_find": ["none"], "explain": [0], "waiting_text": [record],
                 "hash": [77], "would_start": [0], "waiting_get": [0], "foreign_amount": [0, libsched.CPU]}
        for name, arguments in calls.items():
            with self.subTest(name), self.assertRaises(libsched.Error) as caught:
                getattr(self.cluster, name)(*arguments)
            error = caught.exception
            self.assertNotEqual(error.message, libsched.ERRORS[error.code][1], name)
        with self.assertRaisesRegex(libsched.Error, "expected the id of a job, got 0, which is no id"):
            self.cluster.job_get(0)

    def test_a_list_of_names_is_compared_with_the_cluster(self):
        self.assertEqual(self.cluster.sync(libsched.KIND_NODE, ["gpu-2", "gpu-3"]), (["gpu-3"], [self.nodes[0]]))

    def test_the_reason_of_a_rejection_is_told(self):
        first, second = self.cluster.jobs_submit([job("a"), job("b")])
        ids = [d.id for d in self.cluster.schedule(NOW)]
        self.cluster.settle(ids, libsched.OUTCOME_REJECTED, ["image", None])
        while ids := [d.id for d in self.cluster.schedule(NOW + 1)]:
            self.cluster.settle(ids, libsched.OUTCOME_REJECTED, "image")
        self.assertIn("class 'image'", self.cluster.explain(first))
        self.assertEqual(self.cluster.queue_warnings(), [])
        with self.assertRaises(ValueError):
            self.cluster.settle([1, 2], libsched.OUTCOME_REJECTED, ["one"])

    def test_a_refusal_says_what_to_avoid_and_until_when(self):
        self.cluster.jobs_submit([job("a"), job("b", 2000)])
        plan = self.cluster.schedule(NOW)
        ids = [d.id for d in plan]
        later = NOW + 60_000_000
        anywhere = dict(avoid=libsched.AVOID_ANYWHERE, until_us=later, words="the registry is away")
        self.cluster.settle(ids, [libsched.OUTCOME_REJECTED, libsched.OUTCOME_CONFIRMED], refusal=anywhere)
        self.assertEqual(len(self.cluster.schedule(later - 1)), 0)
        self.assertIn("the registry is away", self.cluster.explain(plan[0].job))
        again = [d.id for d in self.cluster.schedule(later)]
        self.assertEqual(len(again), 1)
        until = libsched.Refusal(avoid=libsched.AVOID_ANYWHERE, until_us=later + 5)
        self.cluster.settle(again, libsched.OUTCOME_REJECTED, refusal=[until])
        self.assertEqual(len(self.cluster.schedule(later + 4)), 0)
        again = [d.id for d in self.cluster.schedule(later + 5)]
        with self.assertRaisesRegex(ValueError, "1 refusals for 2 decisions"):
            self.cluster.settle(ids, libsched.OUTCOME_REJECTED, refusal=[None])
        with self.assertRaisesRegex(libsched.Error, "until_us"):
            self.cluster.settle(again, libsched.OUTCOME_REJECTED, refusal=dict(until_us=1))

    def test_a_question_is_answered_and_its_offer_works(self):
        waits, = self.cluster.jobs_submit([dict(name="wide", queue_name="research",
                                                groups=[dict(max_count=3, request={"gpu": 8000})])])
        image = self.cluster.hash()
        answer = self.cluster.would_start(waits, now_us=NOW, offer=True, plan=True)
        self.assertNotEqual(answer.start, libsched.START_NOW)
        self.assertNotEqual(answer.code, libsched.WAIT_NONE)
        self.assertEqual((answer.waiting.job, len(answer.plan)), (waits, 0))
        self.assertEqual(answer.offer.change, libsched.OFFER_ADD_NODE)
        now = self.cluster.would_start(job("new", gpu=2000), plan=True)
        self.assertEqual((now.start, now.tasks, now.offer), (libsched.START_NOW, 1, None))
        self.assertEqual(len(libsched.device_list(now.plan[0].device_words)), 2)
        self.assertEqual(self.cluster.hash(), image)
        self.cluster.offer_apply(answer.offer)
        self.assertEqual(self.cluster.would_start(waits, now_us=NOW).start, libsched.START_NOW)
        self.assertEqual(len(self.cluster.schedule(NOW)), 3)
        with self.assertRaises(libsched.Error):
            self.cluster.would_start(self.queue)

    def test_ids_with_a_salt_belong_to_one_cluster(self):
        with libsched.Cluster(id_salt=5) as salted:
            salted.nodes_add([dict(name="gpu-1", devices=DEVICES)])
            queue, = salted.queues_add([dict(name="research")])
            waits, = salted.jobs_submit([job("a", gpu=9000)])
            self.assertEqual(salted.would_start(waits, offer=True).waiting.queue, queue)
            self.assertEqual(salted.would_start(dict(name="b", queue=queue, groups=[dict(request={"gpu": 1000})])).start,
                             libsched.START_NOW)
            with self.assertRaisesRegex(libsched.Error, "E_STALE"):
                salted.queue_counters(self.queue)

    def test_counters_count(self):
        self.cluster.jobs_submit([job("a"), job("b", gpu=9000)])
        self.cluster.schedule(NOW)
        self.assertEqual(self.cluster.counters.decisions[libsched.DECIDE_PLACE], 1)
        self.assertEqual((self.cluster.counters.submitted, self.cluster.counters.cycles), (2, 1))
        self.assertEqual(self.cluster.queue_counters(self.queue).submitted, 2)
        self.assertEqual(self.cluster.action_counters()["allocate"].runs, 1)
        text = self.cluster.metrics(queues=True)
        self.assertTrue(text.endswith("# EOF\n"))
        self.assertIn('lsched_queue_jobs_total{queue="research",call="submitted"} 2\n', text)
        self.assertNotIn("lsched_queue_", self.cluster.metrics())

    def test_a_policy_takes_its_options_once(self):
        with libsched.Policy("guaranteed-quota") as policy:
            for options in (dict(text="return { api = 1 }"), dict(failures_max=1), dict(params={"a": 1})):
                with self.assertRaisesRegex(TypeError, "give them to Policy"):
                    self.cluster.policy_load(policy, **options)

    def test_a_ready_made_policy_is_loaded_by_name(self):
        for name, text in libsched.ready_made().items():
            with libsched.Policy(name) as policy:
                self.cluster.policy_load(policy)
            self.assertEqual(self.cluster.policy_get().name.decode(), name)
            self.assertIn("return", text)

    def test_saved_state_comes_back(self):
        self.cluster.jobs_submit([job("a")])
        self.cluster.schedule(NOW)
        saved = self.cluster.save()
        with libsched.Cluster.load(saved) as loaded, self.cluster.clone() as copy:
            self.assertEqual(loaded.hash(), self.cluster.hash())
            copy.jobs_submit([job("b")])
            self.assertNotEqual(copy.hash(), self.cluster.hash())
            self.cluster.clone(into=copy)
            self.assertEqual(copy.hash(), self.cluster.hash())
        broken = bytearray(saved)
        broken[len(broken) // 2] ^= 1
        with self.assertRaises(libsched.Error):
            libsched.Cluster.load(broken)

    def test_interrupt_ends_the_next_cycle(self):
        self.cluster.jobs_submit([job(f"j{i}") for i in range(16)])
        thread = threading.Thread(target=self.cluster.interrupt)
        thread.start()
        thread.join()
        first = self.cluster.schedule(NOW)
        self.assertTrue(first.info.flags & libsched.PLAN_INTERRUPTED)
        rest = self.cluster.schedule(NOW)
        self.assertFalse(rest.info.flags & libsched.PLAN_INTERRUPTED)
        self.assertEqual(len(first) + len(rest), 16)

    def test_the_host_is_told_when_to_call_again(self):
        self.assertIsInstance(self.cluster.next_wake(), int)
        self.cluster.schedule(NOW)
        self.assertEqual(self.cluster.stats.now_us, NOW)

    def test_an_operator_sets_the_clock_back(self):
        self.cluster.schedule(1000 * NOW)
        self.cluster.clock_set(NOW)
        self.assertEqual(self.cluster.stats.now_us, NOW)
        self.cluster.schedule(NOW + 1)

    def test_a_plan_tells_what_it_withdrew(self):
        """The claim of an owner ends with the owner: the eviction for it is called off."""
        with libsched.Policy("guaranteed-quota") as policy:
            self.cluster.policy_load(policy)
        self.cluster.queues_add([dict(name="owner", quota={"gpu": 16000}), dict(name="guest", quota={"gpu": 0})])
        groups = [dict(max_count=1, request={"gpu": 8000})]
        self.cluster.jobs_submit([dict(name=f"guest-{i}", queue_name="guest", groups=groups) for i in range(2)])
        for decision in self.cluster.schedule(NOW):
            self.cluster.settle([decision.id], libsched.OUTCOME_CONFIRMED)
            self.cluster.tasks_report([dict(event=libsched.EVENT_STARTED, job=decision.job, at_us=NOW)])
        owner, = self.cluster.jobs_submit([dict(name="owner", queue_name="owner", groups=groups)])
        plan = self.cluster.schedule(NOW + 1000000)
        evicts = [d.id for d in plan if d.kind == libsched.DECIDE_EVICT]
        self.assertEqual((len(evicts), plan.withdrawn), (1, []))
        self.cluster.jobs_remove([owner])
        self.assertEqual(self.cluster.schedule(NOW + 2000000).withdrawn, evicts)


if __name__ == "__main__":
    unittest.main()
