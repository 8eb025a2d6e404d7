"""Reading back, devices, foreign use, MIG tables, hooks of the policy and words, through the real library."""
import unittest

import libsched
from test_cluster import NOW, WithCluster, job

POLICY = """return {
  api = 1,
  score = function(job, node) log("scored") return node.gpu_free + 2 * job.priority end,
}"""


class ReadingBack(WithCluster):
    def test_open_decisions_read_back_as_the_plan_had_them(self):
        self.cluster.jobs_submit([job("a"), job("b")])
        plan = list(self.cluster.schedule(NOW))
        found = self.cluster.decisions_open()
        self.assertEqual([d.id for d in found], [d.id for d in plan])
        read = self.cluster.decision_get(plan[1].id)
        self.assertEqual((read.job, read.node, read.device_mask), (plan[1].job, plan[1].node, plan[1].device_mask))
        self.cluster.settle([plan[0].id], libsched.OUTCOME_REJECTED)
        self.assertEqual([d.id for d in self.cluster.decisions_open()], [plan[1].id])
        with self.assertRaisesRegex(libsched.Error, "E_STALE"):
            self.cluster.decision_get(plan[0].id)

    def test_waiting_jobs_read_back_one_by_one(self):
        fits, first, second = self.cluster.jobs_submit([job("a"), job("big", gpu=9000), job("bigger", gpu=9000)])
        self.cluster.schedule(NOW)
        self.assertEqual({w.job for w in self.cluster.waiting_jobs()}, {first, second})
        self.assertEqual(self.cluster.waiting_get(second).job, second)
        self.assertIsNone(self.cluster.waiting_get(fits))

    def test_a_description_makes_an_equal_object(self):
        submitted, = self.cluster.jobs_submit([job("a", priority=5)])
        with self.cluster.describe(self.nodes[0]) as node, self.cluster.describe(self.queue) as queue, \
                self.cluster.describe(submitted) as described, libsched.Cluster() as other:
            other.nodes_add([node.desc])
            other.queues_add([queue.desc])
            other.jobs_submit([described.desc])
            again = other.describe(other.find(libsched.KIND_JOB, "a"))
            self.assertEqual((again.desc.priority, libsched.read_text(again.desc.queue_name)), (5, "research"))
            self.assertEqual(other.node_get(other.find(libsched.KIND_NODE, "gpu-1")).tag, 7)
            again.close()
            with self.assertRaises(ValueError):
                again.desc
        with self.assertRaisesRegex(libsched.Error, "E_KIND"):
            self.cluster.describe(12345)

    def test_a_list_of_tasks_is_compared_with_the_cluster(self):
        first, second = self.cluster.jobs_submit([job("a"), job("b")])
        for decision in self.cluster.schedule(NOW):
            self.cluster.settle([decision.id], libsched.OUTCOME_CONFIRMED)
            self.cluster.tasks_report([dict(event=libsched.EVENT_STARTED, job=decision.job, at_us=NOW)])
        self.assertEqual(self.cluster.sync_tasks([dict(job_name="b"), dict(job=first, task_index=4)]), ([1], [(first, 0)]))
        self.assertEqual(self.cluster.sync_tasks([dict(job=first), dict(job=second)]), ([], []))

    def test_the_share_of_a_queue(self):
        self.cluster.jobs_submit([job("a", gpu=3000)])
        self.cluster.schedule(NOW)
        share = self.cluster.queue_share(self.queue, libsched.GPU)
        self.assertEqual((share.used, share.quota), (3000, 8000))
        with self.assertRaises(libsched.Error):
            self.cluster.queue_share(self.nodes[0], libsched.GPU)


class ResizesOfTasks(WithCluster):
    def test_a_running_task_gets_more(self):
        web, = self.cluster.jobs_submit([job("web", gpu=1000)])
        with self.assertRaisesRegex(libsched.Error, "does not run"):
            self.cluster.tasks_resize([dict(job=web, request={"cpu": 3000})])
        self.cluster.schedule(NOW)
        self.cluster.tasks_report([dict(event=libsched.EVENT_STARTED, job=web)])
        self.cluster.tasks_resize([dict(job=web, request={"cpu": 3000})])
        self.assertEqual([z.state for z in self.cluster.resizes()], [libsched.RESIZE_STATE_WAITING])
        kinds = 1 << libsched.DECIDE_PLACE | 1 << libsched.DECIDE_RESIZE
        decision, = self.cluster.schedule(NOW, decision_kinds=kinds)
        self.assertEqual(decision.kind, libsched.DECIDE_RESIZE)
        was = self.cluster.resize_amount(web, 0, libsched.CPU)
        self.assertLess(was, 3000)
        self.assertEqual(self.cluster.resize_amount(web, 0, libsched.CPU, libsched.RESIZE_AMOUNT_WANTS), 3000)
        self.cluster.settle([decision.id], libsched.OUTCOME_CONFIRMED)
        self.assertEqual(self.cluster.resize_get(web, 0).state, libsched.RESIZE_STATE_DONE)
        self.assertEqual(self.cluster.resize_amount(web, 0, libsched.CPU), 3000)


class WarningsBeforeAnEnd(WithCluster):
    def test_a_task_is_told_that_its_node_leaves(self):
        SECOND = 1_000_000
        stays, = self.cluster.jobs_submit([job("stays", gpu=1000)])
        place, = self.cluster.schedule(NOW)
        self.cluster.tasks_report([dict(event=libsched.EVENT_STARTED, job=stays, at_us=NOW)])
        leaves = NOW + 600 * SECOND
        self.cluster.nodes_update([dict(node=place.node, set=libsched.NODE_SET_ABSENCE, leaves_us=leaves)])
        kinds = libsched.DECISION_KINDS_DEFAULT | 1 << libsched.DECIDE_WARN
        ask = dict(decision_kinds=kinds, warn_before_us=60 * SECOND)
        self.assertEqual(len(self.cluster.schedule(NOW, **ask)), 0)
        self.assertEqual(self.cluster.next_wake(), leaves - 60 * SECOND)
        told, = self.cluster.schedule(leaves - 60 * SECOND, **ask)
        self.assertEqual((told.kind, told.job, told.reason, told.at_us),
                         (libsched.DECIDE_WARN, stays, libsched.FOR_ABSENCE, leaves))
        self.cluster.settle([told.id], libsched.OUTCOME_CONFIRMED)
        self.assertEqual(list(self.cluster.decisions_open()), [])
        self.assertEqual(len(self.cluster.schedule(leaves - 30 * SECOND, **ask)), 0)


class SuppliesOfTheCluster(WithCluster):
    def test_licences_run_out(self):
        self.cluster.supplies_add([dict(name="ansys", amount=10)])
        self.cluster.supplies_update([dict(supply="ansys", set=libsched.SUPPLY_SET_FOREIGN, foreign=3)])
        many = job("many", gpu=1000)
        many["groups"][0]["supplies"] = [dict(supply="ansys", amount=4)]
        again = job("again", gpu=1000)
        again["groups"][0]["supplies"] = [dict(supply="ansys", amount=4)]
        self.cluster.jobs_submit([many, again])
        plan = self.cluster.schedule(NOW)
        self.assertEqual(len(plan), 1)
        self.assertEqual([w.code for w in plan.waiting], [libsched.WAIT_SUPPLY])
        place, = self.cluster.supplies()
        self.assertEqual((place.amount, place.used, place.left), (10, 4, 3))


class ReservationsOfNodes(WithCluster):
    def test_a_reservation_is_read_back(self):
        hour = 3_600_000_000
        night = dict(name="night", queue_name="research", nodes=self.nodes[:1], start_us=hour, end_us=3 * hour,
                     every_us=24 * hour)
        self.cluster.reservations_set([night])
        has, = self.cluster.reservations()
        self.assertEqual((str(has.name), has.n_nodes, has.start_us, has.end_us), ("night", 1, hour, 3 * hour))
        self.assertEqual(self.cluster.reservation_nodes("night"), list(self.nodes[:1]))
        with self.assertRaises(libsched.Error):
            self.cluster.reservations_set([dict(night, end_us=hour)])
        self.cluster.reservations_remove(["night"])
        self.assertEqual(self.cluster.reservations(), [])
        with self.assertRaises(libsched.Error):
            self.cluster.reservations_remove(["night"])


class AllowancesOfQueues(WithCluster):
    def test_gpu_hours_run_out(self):
        hours = dict(queue_name="research", price={libsched.GPU: 1_000_000}, amount_micro=10_000_000, unknown_us=3_600_000_000)
        self.cluster.allowances_set([hours])
        self.assertEqual(self.cluster.allowance_price(self.queue, libsched.GPU), 1_000_000)
        self.cluster.jobs_submit([job("fits", gpu=8000), job("waits", gpu=4000)])
        plan = self.cluster.schedule(NOW)
        self.assertEqual(len(plan), 1)
        self.assertEqual([(w.code, w.need, w.have) for w in plan.waiting], [(libsched.WAIT_ALLOWANCE, 4_000_000, 2_000_000)])
        has, = self.cluster.allowances()
        self.assertEqual((has.queue, has.used_micro, has.projected_micro, has.left_micro), (self.queue, 0, 8_000_000, 2_000_000))
        self.cluster.allowances_remove([self.queue])
        self.assertEqual(self.cluster.allowances(), [])
        with self.assertRaisesRegex(libsched.Error, "E_NOENT"):
            self.cluster.allowances_remove([self.queue])
        with self.assertRaisesRegex(libsched.Error, "period_us is -1"):
            self.cluster.allowances_set([dict(hours, period_us=-1)])

    def test_what_is_not_paid_for_ends(self):
        self.cluster.schedule(NOW)
        self.cluster.allowances_set([dict(queue_name="research", price={libsched.GPU: 1_000_000}, amount_micro=0,
                                          spent=libsched.SPENT_END, grace_us=60_000_000)])
        self.cluster.schedule(NOW)
        has, = self.cluster.allowances()
        self.assertEqual((has.spent, has.grace_us, has.spent_since_us), (libsched.SPENT_END, 60_000_000, NOW))

    def test_a_user_has_an_allowance(self):
        self.cluster.queues_add([dict(name="shared", flags=libsched.QUEUE_PER_USER)])
        hers = dict(queue_name="shared", user="ann", price={libsched.GPU: 1_000_000}, amount_micro=2_000_000)
        self.cluster.allowances_set([hers])
        has, = self.cluster.allowances()
        self.assertEqual(has.queue, self.cluster.find(libsched.KIND_QUEUE, "shared/ann"))
        with self.assertRaisesRegex(libsched.Error, "has no sub-queues of users"):
            self.cluster.allowances_set([dict(hers, queue_name="research")])

    def test_how_running_work_ends(self):
        hour = 3_600_000_000
        fits, = self.cluster.jobs_submit([job("fits", gpu=8000, duration_us=4 * hour)])
        for decision in self.cluster.schedule(NOW):
            self.cluster.tasks_report([dict(event=libsched.EVENT_STARTED, job=decision.job, at_us=NOW)])
        self.cluster.allowances_set([dict(queue_name="research", price={libsched.GPU: 1_000_000}, amount_micro=16_000_000,
                                          spent=libsched.SPENT_END, grace_us=60_000_000)])
        end = self.cluster.job_end(fits)
        self.assertEqual((end.tasks_running, end.expected_us, end.limit_us), (1, NOW + 4 * hour, libsched.NEVER_US))
        self.assertEqual((end.allowance_queue, end.spent, end.spent_us, end.spent_stop_us),
                         (self.queue, libsched.SPENT_END, NOW + 2 * hour, NOW + 2 * hour + 60_000_000))
        self.assertEqual((end.leaving_node, end.leaves_us), (0, libsched.NEVER_US))
        self.assertIn("allowance   of queue research will be spent", self.cluster.explain(fits))
        waits, = self.cluster.jobs_submit([job("waits", gpu=8000)])
        self.assertEqual(self.cluster.job_end(waits).tasks_running, 0)


class DevicesOfNodes(WithCluster):
    def test_a_failed_device_is_counted_and_taken_away(self):
        fails = dict(node=self.nodes[0], device=3, set=libsched.DEVICE_SET_HEALTH, health=libsched.HEALTH_FAILED)
        self.cluster.devices_update([fails])
        self.assertEqual(self.cluster.device_failures(self.nodes[0]), 1)
        device = self.cluster.device_get(self.nodes[0], 3)
        self.assertEqual((device.health, device.failures, device.free_milli), (libsched.HEALTH_FAILED, 1, 0))
        self.assertEqual(self.cluster.devices_update([fails], flags=libsched.BATCH_IDEMPOTENT), [libsched.UNCHANGED])
        with self.assertRaisesRegex(libsched.Error, "E_RANGE"):
            self.cluster.devices_update([dict(fails, device=8)])

    def test_a_taint_keeps_tasks_off_a_device(self):
        taint = dict(key="ecc-errors", effect=libsched.TAINT_NO_START)
        self.cluster.devices_update([dict(node=self.nodes[0], device=3, set=libsched.DEVICE_SET_TAINTS, taints=[taint])])
        carried = self.cluster.device_taints(self.nodes[0], 3)
        self.assertEqual([(libsched.read_text(t.key), t.effect) for t in carried], [("ecc-errors", libsched.TAINT_NO_START)])
        self.assertEqual(self.cluster.device_get(self.nodes[0], 3).n_taints, 1)
        self.assertEqual(list(self.cluster.device_taints(self.nodes[0], 0)), [])

    def test_foreign_use_takes_room(self):
        self.cluster.foreign_set([dict(node=self.nodes[0], amounts={"cpu": 500}, device_mask=3)])
        self.assertEqual(self.cluster.foreign_amount(self.nodes[0], libsched.CPU), 500)
        self.assertEqual(self.cluster.foreign_amount(self.nodes[0], libsched.GPU), 2000)
        self.assertEqual(self.cluster.node_amount(self.nodes[0], libsched.CPU)[1], 127_500)

    def test_mig_instances_of_a_device(self):
        node, = self.cluster.nodes_add([dict(name="mig", devices=[dict(
            model="NVIDIA H100 80GB HBM3", memory_bytes=80 << 30, share_mode=libsched.SHARING_MIG,
            instances=[dict(profile="3g.40gb", start=0)])])])
        found, = self.cluster.mig_instances(node, 0)
        self.assertEqual((libsched.read_text(found.profile), found.start, found.busy), ("3g.40gb", 0, 0))
        with self.assertRaisesRegex(libsched.Error, "E_RANGE"):
            self.cluster.mig_instances(node, 1)

    def test_memory_pressure_is_reported(self):
        submitted, = self.cluster.jobs_submit([job("a")])
        self.assertIsNone(self.cluster.collisions_report([dict(node=self.nodes[0], device=0, need_bytes=1 << 30)]))
        with self.assertRaises(libsched.Error):
            self.cluster.collisions_report([dict(node=self.nodes[0], device=99, job=submitted)])


class MigTables(unittest.TestCase):
    def test_a_table_is_found_and_listed(self):
        table = libsched.mig_table_find("NVIDIA H100 80GB HBM3", 80 << 30)
        self.assertIn(table, libsched.mig_tables())
        self.assertEqual(libsched.device_list(libsched.device_words([3, 70, 127])), [3, 70, 127])
        self.assertEqual(libsched.device_mask(libsched.device_words([0, 31])), 1 << 31 | 1)
        with self.assertRaises(libsched.Error):
            libsched.device_mask(libsched.device_words([0, 32]))
        names = [libsched.read_text(profile.name) for profile in libsched.mig_profiles(table)]
        self.assertIn("3g.40gb", names)
        self.assertEqual(libsched.mig_profiles("no such table"), [])
        with self.assertRaisesRegex(libsched.Error, "E_NOENT"):
            libsched.mig_table_find("toaster")

    def test_a_plan_changes_the_layout(self):
        table = libsched.mig_table_find("NVIDIA H100 80GB HBM3", 80 << 30)
        idle = dict(instances=[dict(profile="7g.80gb", start=0)])
        steps, info = libsched.mig_plan(table, [idle], [dict(profile="3g.40gb", count=2)])
        self.assertEqual([step.kind for step in steps],
                         [libsched.MIG_DESTROY, libsched.MIG_CREATE, libsched.MIG_CREATE])
        self.assertEqual((info.exact, info.cost), (1, 3))
        self.assertEqual(libsched.mig_plan(table, [idle], [dict(profile="3g.40gb", count=2)],
                                           costs=dict(create=5, destroy=1))[1].cost, 11)
        with self.assertRaisesRegex(libsched.Error, "E_STATE"):
            libsched.mig_plan(table, [dict(idle, busy=1)], [dict(profile="3g.40gb", count=1)])


class PolicyAndPlan(WithCluster):
    def test_hooks_terms_and_the_log(self):
        self.cluster.policy_load("scores", POLICY)
        submitted, = self.cluster.jobs_submit([job("a", priority=3)])
        hook, = self.cluster.policy_hooks()
        self.assertEqual((hook.hook, hook.name), (libsched.HOOK_SCORE, b"score"))
        self.assertIsInstance(self.cluster.policy_warnings(), list)
        self.assertEqual(self.cluster.policy_misfits(), [])
        value, _ = self.cluster.policy_terms(libsched.HOOK_SCORE, submitted, node=self.nodes[0])
        self.assertEqual(value, 8 + 2 * 3)  # the language counts GPUs, not milli-GPUs
        plan = self.cluster.schedule(NOW)
        self.assertTrue(any("scored" in line for line in plan.log), plan.log)
        self.assertEqual(plan.advice, [])

    def test_a_compiled_hook_has_terms(self):
        self.cluster.policy_load("sum", "return {api = 1, priority = function(job) return 2 * job.priority + 1 end}")
        submitted, = self.cluster.jobs_submit([job("a", priority=3)])
        value, terms = self.cluster.policy_terms(libsched.HOOK_PRIORITY, submitted)
        self.assertEqual((value, [term.value for term in terms]), (7, [6, 1]))

    def test_words_of_codes(self):
        self.assertEqual(libsched.change_name(libsched.CHANGE_WITHDRAWN), "withdrawn")
        self.assertEqual(libsched.because_name(libsched.BECAUSE_GANG), "gang")
        self.assertEqual(libsched.call_name(libsched.CALL_SETTLE), "settle")
        self.assertEqual(libsched.trace_stage_name(libsched.TRACE_SERVE), "serve")
        self.assertEqual(libsched.offer_name(libsched.OFFER_ADD_NODE), "add-node")
        self.assertIn("E_NOENT", libsched.error_name(libsched.E_NOENT))
        self.assertTrue(libsched.error_text(libsched.E_NOENT))
        self.assertEqual(libsched.adopt_result_name(12345), "unknown")
        self.assertEqual((libsched.wait_bound_us(0), libsched.wait_bound_us(15)), (1_000_000, libsched.NEVER_US))


if __name__ == "__main__":
    unittest.main()
