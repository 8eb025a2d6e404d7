"""Evictions in lsched simulate philly, computed by hand: two nodes of 8 GPUs, two VCs with 8 GPUs
each, the policy guaranteed-quota. Victims are protected for 30 minutes, checkpoints are hourly."""
from lsched_program import ProgramTest, main

HEAD = "timestamp,duration,num_gpus,gpu_time,cluster\n"
VCS = "vc,node num\na,1\nb,1\n"
MINUTE = 60
HOUR = 3600


def row(at, duration, gpus, vc):
    return (f"2026-01-05 {at // HOUR:02}:{at // 60 % 60:02}:{at % 60:02},{duration},{gpus},"
            f"{duration * gpus},{vc}\n")


class Evictions(ProgramTest):
    def replay(self, jobs, *more, policy="guaranteed-quota", gpus="16"):
        self.write("philly_vc.csv", VCS)
        path = self.write("jobs.csv", HEAD + "".join(row(*job) for job in jobs))
        return self.lsched_json("simulate", "philly", path, "--policy", policy, "--gpus", gpus,
                                "--gpus-per-node", "8", "--verify", *more)

    # a borrows b's node with its second job; b wants it back
    BORROWED = ((0, 5 * HOUR, 8, "a"), (1, 5 * HOUR, 8, "a"), (9000, HOUR, 8, "b"))

    def test_the_borrower_goes_on_from_its_last_checkpoint(self):
        got = self.replay(self.BORROWED)
        # At 9000 s the second of a has run 8999 s, the first 9000 s: the second loses less, 1799 s
        # of 8 GPUs. 10,800 s are left of it; it comes back when b is done, at 12,600 s.
        self.assertEqual((got["evictions"], got["moves"]), (1, 0))
        self.assertEqual(got["evictions_per_job"], round(1 / 3, 6))
        self.assertEqual(got["lost_gpu_hours"], round(1799 * 8 / HOUR, 3))
        self.assertEqual(got["lost_percent"], round(100 * 1799 / (11 * HOUR), 4))
        self.assertEqual(got["wait_s"]["max"], 0)  # b starts at once
        self.assertEqual(got["jct_s"]["max"], 12600 + 10800 - 1)
        self.assertEqual(got["end"], "2026-01-05T06:30:00Z")
        self.assertEqual([vc["evictions"] for vc in got["vcs"]], [1, 0])

    def test_a_static_partition_evicts_nobody(self):
        got = self.replay(self.BORROWED, "--static-partition")
        self.assertEqual((got["evictions"], got["lost_gpu_hours"]), (0, 0))
        self.assertEqual(got["wait_s"]["max"], 5 * HOUR - 1)

    def test_nobody_is_evicted_in_the_first_half_hour(self):
        jobs = (*self.BORROWED[:2], (10 * MINUTE, HOUR, 8, "b"))
        got = self.replay(jobs)
        # the first of a may be stopped from 30:00 on, the second a second later
        self.assertEqual(got["evictions"], 1)
        self.assertEqual(got["wait_s"]["max"], 20 * MINUTE)
        self.assertEqual(got["guaranteed_head_wait_max_s"], 20 * MINUTE)
        self.assertEqual(got["lost_gpu_hours"], round(1800 * 8 / HOUR, 3))
        self.assertEqual(self.replay(jobs, "--protect-minutes", "12")["wait_s"]["max"], 2 * MINUTE)

    def test_without_checkpoints_all_is_lost(self):
        got = self.replay(self.BORROWED, "--checkpoint-minutes", "0")
        self.assertEqual(got["lost_gpu_hours"], round(8999 * 8 / HOUR, 3))
        self.assertEqual(got["jct_s"]["max"], 12600 + 5 * HOUR - 1)

    def test_a_task_may_take_time_to_stop(self):
        got = self.replay(self.BORROWED, "--release-seconds", "30")
        self.assertEqual(got["wait_s"]["max"], 30)
        self.assertEqual(got["jct_s"]["max"], 12630 + 10800 - 1)
        self.assertEqual(got["lost_gpu_hours"], round(1799 * 8 / HOUR, 3))  # up to the order

    def test_work_within_the_guarantee_is_safe(self):
        got = self.replay(((0, 5 * HOUR, 8, "a"), (1, 5 * HOUR, 8, "b"), (9000, HOUR, 8, "b")))
        self.assertEqual(got["evictions"], 0)

    def test_a_gang_is_stopped_whole(self):
        # three VCs with two nodes each: the second gang of a runs on borrowed room
        self.write("v.csv", "vc,node num\na,2\nb,2\nc,2\n")
        jobs = ((0, 5 * HOUR, 16, "a"), (1, 5 * HOUR, 16, "a"), (2, 5 * HOUR, 16, "b"),
                (9000, HOUR, 8, "c"))
        got = self.replay(jobs, "--vc", self.directory + "/v.csv", gpus="48")
        self.assertEqual(got["evictions"], 1)
        self.assertEqual(got["lost_gpu_hours"], round(1799 * 16 / HOUR, 3))
        self.assertEqual(got["wait_s"]["max"], 0)

    def test_an_evicted_job_is_before_later_ones_of_its_queue(self):
        # the third of a waits behind; the second comes back first, when b is done
        jobs = (*self.BORROWED[:2], (2, 100, 8, "a"), self.BORROWED[2])
        got = self.replay(jobs)
        self.assertEqual(got["evictions"], 1)
        # 18,000 s: the first of a is done and the third starts; the second is back at 12,600 s
        self.assertEqual(got["wait_s"]["max"], 5 * HOUR - 2)

    def test_a_move_is_no_eviction(self):
        # Half of each node is free when a job of 6 GPUs comes: one of those that run moves to the
        # other node, at once, and loses the 10 minutes since its last checkpoint.
        jobs = ((0, 5 * HOUR, 4, "a"), (0, 2 * HOUR, 4, "b"), (0, 2 * HOUR, 4, "a"),
                (0, 5 * HOUR, 4, "b"), (3 * HOUR + 10 * MINUTE, HOUR, 6, "b"))
        got = self.replay(jobs)
        self.assertEqual((got["evictions"], got["moves"]), (0, 1))
        self.assertEqual(got["wait_s"]["max"], 0)
        self.assertEqual(got["lost_gpu_hours"], round(600 * 4 / HOUR, 3))
        self.assertEqual(got["jct_s"]["max"], 5 * HOUR + 10 * MINUTE)


main()
