"""lsched advise --state: advice on nodes that does not flap between runs, and never takes away what is needed."""
import json
import os
import random
import subprocess
import time
import unittest

import lsched_program

START = 1767600000  # 2026-01-05T08:00Z
DAY = 24  # in hours, as all times of these tests
SCENARIO = """start: %s
policy:
  name: p
  text: |
    return { api = 1, name = "p", order = "fifo", pipeline = { "backfill" } }
nodes:
  - {name: base, cpu: 1}
%squeues:
  - {name: q}
%s"""
CATALOGUE = """nodes:
  - {name: "extra-[0-7]", cpu: 8, price: 1}
"""
DEAR = """  - {name: "dear-[0-3]", cpu: 8, price: 1.5}
"""


class Orchestrator:
    """A cluster that gets the advice of a run each hour, and carries out what `applies` says."""

    def __init__(self, test, kept, catalogue=CATALOGUE):
        self.test, self.kept, self.catalogue = test, kept, catalogue
        self.state = os.path.join(test.directory, "advice.state")
        if os.path.exists(self.state):
            os.remove(self.state)
        self.own = ["n"]
        self.targets = []  # by run: the nodes, once the advice is carried out
        self.owned = []  # by run: the nodes before that

    def scenario(self, hour, jobs):
        prices = {"n": 2, "extra": 1, "dear": 1.5}
        nodes = "".join("  - {name: %s, cpu: 8, price: %s}\n" % (name, prices[name.split("-")[0]]) for name in self.own)
        waiting = "".join("  - {name: j%d, queue: q, duration: 1h, tasks: {cpu: 8}}\n" % i for i in range(jobs))
        return SCENARIO % (time.strftime("%Y-%m-%dT%H:%MZ", time.gmtime(START + 3600 * hour)), nodes, "jobs:\n" + waiting if jobs else "")

    def run(self, hour, jobs, applies=None, words=()):
        words = ("--state", self.state, *words) if self.kept else words
        got = self.test.lsched_json("advise", self.test.write("cluster.yaml", self.scenario(hour, jobs)), "--catalogue",
                                    self.test.write("nodes.yaml", self.catalogue), "--value", "10", *words)["nodes"]
        add = [name for row in got["add"] for name in row["names"]]
        drain = [row["name"] for row in got["drain"]]
        self.test.assertLessEqual(got["with_all"]["price"], got["with_added"]["price"])  # a drain saves
        self.test.assertEqual(got["with_all"]["never"], got["with_added"]["never"])
        self.owned.append(frozenset(self.own))
        self.targets.append(frozenset(set(self.own) | set(add)) - frozenset(drain))
        if applies is not None:
            add, drain = add[:applies], drain[:applies]
            self.own = sorted((set(self.own) | set(add)) - set(drain))
        return got

    def of(self, run, group="extra"):
        return frozenset(name for name in self.targets[run] if name.split("-")[0] == group)

    def changes(self, group="extra"):
        return [run for run in range(1, len(self.targets)) if self.of(run, group) != self.of(run - 1, group)]

    def withdrawn(self, group="extra"):
        """The changes that only withdraw drains that nobody carried out."""
        return [run for run in self.changes(group) if self.of(run - 1, group) < self.of(run, group)
                and self.of(run, group) - self.of(run - 1, group) <= self.owned[run]]

    def falls(self, group="extra"):
        return [run for run in self.changes(group) if self.of(run - 1, group) - self.of(run, group)]


class AdviseStateNodes(lsched_program.ProgramTest):
    def flapping(self, kept, applies):
        cluster = Orchestrator(self, kept)
        for hour in range(2 * DAY):
            cluster.run(hour, 6 if hour % 2 else 0, applies)
        return cluster

    def most_within_a_day(self, cluster):
        times = cluster.changes()
        return max([sum(1 for other in times if 0 <= at - other < DAY) for at in times], default=0)

    def test_flapping_demand(self):
        self.assertGreater(self.most_within_a_day(self.flapping(False, 8)), 20)  # what the state is there for
        for applies in (None, 1, 8):
            with self.subTest(applies=applies):
                cluster = self.flapping(True, applies)
                self.assertLessEqual(self.most_within_a_day(cluster), 2)
                # each hour with jobs has the nodes for them, but for the orchestrator's part
                self.assertTrue(all(len(cluster.targets[hour]) >= 6 for hour in range(1, 2 * DAY, 2)), cluster.targets)

    def test_growth_follows_growth_and_a_fall(self):
        cluster = Orchestrator(self, True)
        sizes = []
        # nothing holds back a first rise after a fall
        for hour, jobs in ((0, 3), (1, 6), (2, 8), (25, 8), (26, 0), (49, 0), (50, 0), (51, 4), (52, 8), (74, 8), (75, 8)):
            cluster.run(hour, jobs, 8)
            sizes.append(len(cluster.of(-1)))
        #    the third rise waits for the end of the day after the first two, and a fall for a quiet day
        self.assertEqual(sizes, [2, 5, 5, 7, 7, 0, 0, 4, 4, 8, 8])

    def test_a_pending_drain_is_withdrawn_whole(self):
        cluster = Orchestrator(self, True)
        cluster.own += ["extra-%d" % i for i in range(6)]
        self.assertEqual(len(cluster.run(0, 0)["drain"]), 7)  # nobody carries it out
        self.assertEqual(len(cluster.run(1, 0)["drain"]), 7)
        got = cluster.run(2, 3)  # three of the six are needed again
        self.assertEqual([row["name"] for row in got["drain"]], ["n"])
        got = cluster.run(3, 0)
        self.assertEqual([row["name"] for row in got["drain"]], ["n"])
        self.assertEqual({row["group"]: row["rule"] for row in got["bound"]}, {"extra": "does not fall", "n": "does not fall"})
        self.assertEqual(len(cluster.run(26, 0)["drain"]), 7)

    def test_what_is_carried_out_is_no_change(self):
        cluster = Orchestrator(self, True)
        cluster.run(0, 6, 2)
        for hour in (1, 2, 3):  # two nodes come in each hour
            cluster.run(hour, 0, 2)
        self.assertEqual(cluster.changes(), [])
        self.assertEqual([name for name in cluster.own if name != "n"], ["extra-%d" % i for i in range(5)])

    def test_without_a_catalogue_what_is_pending_stays(self):
        cluster = Orchestrator(self, True)
        cluster.run(0, 6)
        self.lsched("advise", self.write("cluster.yaml", cluster.scenario(1, 6)), "--state", cluster.state)
        with open(cluster.state, encoding="utf-8") as file:
            self.assertEqual([line for line in file.read().split("\n") if line.startswith("add,")],
                             ["add,extra-%d,1000000" % i for i in range(5)])
        self.assertEqual(len(cluster.run(2, 0)["add"]), 1)

    def test_a_withdrawn_drain_bars_no_rise(self):
        for carried_out in (None, 1):
            with self.subTest(carried_out=carried_out):
                cluster = Orchestrator(self, True)
                cluster.own += ["extra-%d" % i for i in range(3)]
                self.assertEqual(len(cluster.run(0, 0, carried_out)["drain"]), 4)
                own = sum(name != "n" for name in cluster.own)
                cluster.run(1, own)  # as many jobs as there are nodes of the group: the drain is withdrawn
                self.assertEqual(len(cluster.of(1)), own)
                cluster.run(2, 7)
                self.assertGreaterEqual(len(cluster.of(2)), 6)
                bound = {row["group"]: row["rule"] for row in cluster.run(3, 7)["bound"]}
                self.assertEqual(bound["extra"], "stays")  # the drain and its withdrawal are one change, the rise another
                cluster.run(24, 0)
                cluster.run(26, 0)
                self.assertEqual(cluster.falls(), [5])  # the quiet day counts from the rise

    def test_the_quiet_day_counts_from_the_withdrawal(self):
        cluster = Orchestrator(self, True)
        cluster.own += ["extra-%d" % i for i in range(3)]
        for hour, jobs, drained in ((0, 0, 3), (20, 4, 0), (24, 0, 0), (43, 0, 0), (44, 0, 3)):
            got = cluster.run(hour, jobs)["drain"]
            self.assertEqual(sum(row["name"] != "n" for row in got), drained, hour)

    def added(self, cluster, hour, jobs, offered, price=1):
        cluster.catalogue = "nodes:\n" + "".join("  - {name: %s, cpu: 8, price: %s}\n" % (name, price) for name in offered)
        return [name for row in cluster.run(hour, jobs)["add"] for name in row["names"]]

    def test_what_is_not_offered_for_a_while_stays_pending(self):
        extra = ["extra-%d" % i for i in range(8)]
        other = ["other-%d" % i for i in range(8)]
        cluster = Orchestrator(self, True)
        for hour in range(8):  # one group of the two is there in each run
            self.assertEqual(len(self.added(cluster, hour, 6, other if hour % 2 else extra)), 5, hour)
        cluster = Orchestrator(self, True)
        for hour, offered in enumerate((extra, extra[5:], extra, extra[:2], extra)):  # a part of one group
            self.assertEqual(len(self.added(cluster, hour, 6, offered)), min(5, len(offered)), hour)
        self.assertEqual(len(self.added(cluster, 5, 9, extra)), 8)  # all that was one change: a rise is the second
        self.assertEqual(len(self.added(cluster, 6, 0, extra[3:])), 5)  # they stay, and the three are pending still
        self.assertEqual(len(self.added(cluster, 7, 0, extra)), 8)
        self.assertEqual(len(self.added(cluster, 8, 0, other[:1])), 0)
        self.assertEqual(len(self.added(cluster, 28, 0, extra)), 8)
        self.assertEqual(len(self.added(cluster, 30, 0, other[:1])), 0)  # a day after the rise: forgotten
        self.assertEqual(len(self.added(cluster, 31, 0, extra)), 0)

    def test_a_price_that_rises_is_another_offer(self):
        extra = ["extra-%d" % i for i in range(8)]
        cluster = Orchestrator(self, True)
        self.assertEqual(len(self.added(cluster, 0, 6, extra, 2)), 5)
        self.assertEqual(len(self.added(cluster, 1, 0, extra, 2)), 5)
        self.assertEqual(len(self.added(cluster, 2, 0, extra, 1)), 5)
        self.assertEqual(len(self.added(cluster, 3, 0, extra, 2)), 5)  # no more than it was at first
        self.assertEqual(len(self.added(cluster, 4, 0, extra, 2.000001)), 0)
        self.assertEqual(len(self.added(cluster, 5, 0, extra, 1000)), 0)
        self.assertEqual(len(self.added(cluster, 6, 0, extra, 2)), 5)  # it is pending still
        self.assertEqual(len(self.added(cluster, 7, 9, extra, 2)), 8)  # none of that was a change
        self.assertEqual(len(self.added(cluster, 8, 9, extra, 3)), 8)  # it is worth more, and stays after two changes
        self.assertEqual(len(self.added(cluster, 9, 0, extra, 3)), 8)  # now at this price
        self.assertEqual(len(self.added(cluster, 10, 0, extra, 4)), 0)
        self.assertEqual(len(self.added(cluster, 32, 0, extra, 2)), 0)  # a day after the last change: forgotten

    def test_random_offers(self):
        """Against a model of what is pending: offers that come and go are no changes, and hide none."""
        seed = random.randrange(1 << 32)
        draw = random.Random(seed)
        names = ["extra-%d" % i for i in range(8)]
        for case in range(int(os.environ.get("LSCHED_TEST_SCALE", "100")) // 20):
            cluster, pending, changes, told = Orchestrator(self, True), [], [], []
            hour = 0
            for _ in range(30):
                hour += draw.choice((1, 1, 3, 9))
                offered = [name for name in names if draw.random() < draw.choice((0.3, 1, 1))] or names[:1]
                jobs = draw.choice((0, 2, 5, 9))
                late = bool(changes) and hour - changes[-1] < DAY
                missing = [name for name in sorted(pending) if name not in offered] if late else []
                kept = len([name for name in pending if name in offered])
                add = self.added(cluster, hour, jobs, offered)
                told.append((hour, jobs, offered, add))
                said = "seed %d, case %d: %s" % (seed, case, told)
                self.assertFalse(late and len(add) < kept, said)
                if not kept <= len(add) <= kept + len(missing):
                    changes.append(hour)
                    self.assertLessEqual(sum(1 for other in changes if hour - other < DAY), 2, said)
                elif len(add) < min(len(offered), jobs - 1):  # more would be good: two changes bar it
                    self.assertGreaterEqual(sum(1 for other in changes if hour - other < DAY), 2, said)
                pending = add + missing[:max(0, len(missing) - max(0, len(add) - kept))]

    def given(self, cluster, start, jobs, samples=None):
        """The names to add in a run with this line for `start`, the drained nodes, and what is said on stderr."""
        cluster.own = ["n"]
        text = cluster.scenario(0, jobs)
        words = ("--state", cluster.state) if cluster.kept else ()
        if samples is not None:
            words += ("--samples", self.write("usage.csv", "time,job,fb_used,sm_active\n" + "".join(
                "%d,gone,1000,0.1\n" % (START + 3600 * samples - 600 * i) for i in range(5, -1, -1))))
        path = self.write("cluster.yaml", start + text[text.index("\n") + 1:])
        words = ("advise", path, "--catalogue", self.write("nodes.yaml", CATALOGUE), "--value", "10", "--json", *words)
        out, said = self.lsched(*words)
        got = json.loads(out)["nodes"]
        return [name for row in got["add"] for name in row["names"]], [row["name"] for row in got["drain"]], said

    def test_without_a_time_nothing_is_bound(self):
        cluster, free = Orchestrator(self, True), Orchestrator(self, False)
        for before in (False, True):  # the state has earlier advice of a run with a time
            if before:
                self.given(cluster, "start: 2026-01-05T08:00Z\n", 6)
            text = None
            for jobs in (3, 6, 9, 0, 9):
                add, drain, said = self.given(cluster, "", jobs)
                self.assertEqual((add, drain), self.given(free, "", jobs)[:2])
                self.assertIn("note: %s: the scenario has no `start`" % os.path.join(self.directory, "cluster.yaml"), said)
                self.assertIn("Write the time of each run as `start`, or give --samples\n", said)
                with open(cluster.state, encoding="utf-8") as file:
                    now = file.read()
                self.assertIn(text, (None, now))
                self.assertEqual("\nadd," in now, before)
                text = now
        self.assertEqual(self.given(cluster, "start: 2026-01-05T09:00Z\n", 0)[0], ["extra-%d" % i for i in range(5)])

    def test_a_time_that_stands_still_is_noted(self):
        cluster = Orchestrator(self, True)
        for hour, stands in ((8, False), (8, True), (8, True), (9, False), (9, True)):
            said = self.given(cluster, "start: 2026-01-05T%02d:00Z\n" % hour, 6)[2]
            self.assertEqual(said, "note: %s: the time of the run is 2026-01-05T%02d:00:00Z, as in the run before: the 24 hours "
                             "for which advice on nodes stays pass only if `start` or the latest sample moves on from run to "
                             "run\n" % (os.path.join(self.directory, "cluster.yaml"), hour) if stands else "")

    def test_samples_move_the_time(self):
        for start in ("", "start: 2026-01-05T08:00Z\n"):
            with self.subTest(start=start):
                cluster = Orchestrator(self, True)
                sizes = []
                for hour, jobs in ((1, 6), (2, 0), (25, 0), (26, 9), (27, 9)):
                    add, _, said = self.given(cluster, start, jobs, hour)
                    self.assertNotIn("note: %s" % os.path.join(self.directory, "cluster.yaml"), said)
                    sizes.append(len(add))
                self.assertEqual(sizes, [5, 5, 0, 8, 8])
        # a run without samples is no earlier than the samples of the run before, and a start can be later than they are
        _, _, said = self.given(cluster, "start: 2026-01-05T08:00Z\n", 0)
        self.assertIn("the time of the run is 2026-01-06T11:00:00Z, as in the run before", said)
        self.assertEqual(self.given(cluster, "start: 2026-01-07T11:00Z\n", 0, 28)[0], [])

    def test_random_demand(self):
        seed = random.randrange(1 << 32)
        draw = random.Random(seed)
        for case in range(int(os.environ.get("LSCHED_TEST_SCALE", "100")) // 20):
            cluster = Orchestrator(self, True, CATALOGUE + DEAR)
            cluster.own += ["extra-%d" % i for i in range(draw.randrange(4))]
            hours, hour = [], 0
            for _ in range(40):
                hour += draw.choice((1, 1, 2, 5))
                hours.append(hour)
                cluster.run(hour, draw.choice((0, 0, 2, 5, 9)), draw.choice((None, 1, 8)))
            for group in ("n", "extra", "dear"):
                times = [hours[at] for at in cluster.changes(group)]
                within = max([sum(1 for other in times if 0 <= at - other < DAY) for at in times], default=0)
                counted = [hours[at] for at in cluster.changes(group) if at not in cluster.withdrawn(group)]
                most = max([sum(1 for other in counted if 0 <= at - other < DAY) for at in counted], default=0)
                said = "seed %d, case %d, %s: %s" % (seed, case, group, [(hours[i], sorted(cluster.of(i, group)))
                                                                       for i in range(len(hours))])
                self.assertLessEqual(within, 3, said)
                self.assertLessEqual(most, 2, said)
                for at in cluster.falls(group):  # it comes after a quiet day
                    self.assertFalse([t for t in times if 0 < hours[at] - t < DAY], said)

    def test_numbers_of_one_digit(self):
        cluster = Orchestrator(self, True)
        cluster.run(0, 6)
        with open(cluster.state, encoding="utf-8") as file:
            good = file.read()
        for times in ("5,6", "0,1", "8,9"):  # the later one comes first
            self.bad(cluster, good.replace("extra,%d,-" % (START * 1000000), "extra," + times), ":5:15: expected a number in its range")
        self.bad(cluster, good.replace("extra,%d,-" % (START * 1000000), "extra,6,6"), "expected the checksum of the lines before")

    def bad(self, cluster, text, message, hour=1):
        with open(cluster.state, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        said = self.complaint(3, "advise", self.write("cluster.yaml", cluster.scenario(hour, 6)), "--state", cluster.state)
        self.assertIn(message, said)
        with open(cluster.state, encoding="utf-8", newline="") as file:
            self.assertEqual(file.read(), text)

    def test_files(self):
        cluster = Orchestrator(self, True)
        cluster.run(5, 6)
        with open(cluster.state, encoding="utf-8") as file:
            good = file.read()
        self.assertTrue(good.startswith("lsched-advice,2\nscenario,cluster.yaml\nat,-\nnodes-at,"), good)
        self.assertIn("\ngroup,extra,%d,-\nadd,extra-0,1000000\n" % ((START + 5 * 3600) * 1000000), good)
        self.bad(cluster, good, "the advice on nodes is of 2026-01-05T13:00:00Z, and the time of this run is "
                 "2026-01-05T09:00:00Z: expected a `start` or samples no earlier than those of the run before; "
                 "to begin anew, remove the file")
        self.bad(cluster, good.replace("lsched-advice,2", "lsched-advice,3"),
                 ":1:1: expected 'lsched-advice,2' or 'lsched-advice,1', because this program reads no other version")
        self.bad(cluster, good.replace("add,extra-0", "add,extra-1"), "the lines of one kind in the order of their names")
        self.bad(cluster, good.replace("add,extra-0,", "add,extra-0,x"), ":6:13: expected a number in its range")
        self.bad(cluster, good.replace("add,extra-0,1000000", "add,extra-0,1000000,"), ":6:20: expected the end of the line")
        self.bad(cluster, good.replace("add,extra-0,1000000", "add,extra-0"), "expected the checksum of the lines before", 6)
        self.bad(cluster, good.replace("add,extra-0,1000000\n", ""), "expected the checksum of the lines before", 6)
        self.bad(cluster, good.replace(",-\nadd", ",7\nadd").replace("group,extra,%d" % ((START + 5 * 3600) * 1000000),
                                                                     "group,extra,-"), "expected the time of a change")
        self.bad(cluster, good.replace("nodes-at", "node-at"), ":4:1: expected 'nodes-at'")

    def test_same_run_again_changes_nothing(self):
        cluster = Orchestrator(self, True)
        first = cluster.run(0, 6)
        with open(cluster.state, encoding="utf-8") as file:
            text = file.read()
        again = cluster.run(0, 6)
        self.assertEqual((again["add"], again["drain"], again["with_all"]), (first["add"], first["drain"], first["with_all"]))
        with open(cluster.state, encoding="utf-8") as file:
            self.assertEqual(file.read(), text)

    def test_budget(self):
        cluster = Orchestrator(self, True)
        cluster.run(0, 6)
        words = ("advise", self.write("cluster.yaml", cluster.scenario(1, 6)), "--state", cluster.state,
                 "--catalogue", self.write("nodes.yaml", CATALOGUE), "--budget")
        base = self.lsched_json(*words[:2])["work"]  # one play, and trials of drains
        said = next(said for budget in range(1, base + 100)
                    for said in [subprocess.run([lsched_program.PROGRAM, *words, str(budget)], capture_output=True,
                                                check=False).stderr.decode()]
                    if "the play of the cluster as it is" not in said)
        self.assertIn("--budget: the play with the nodes that earlier runs advised to add needs more work", said)

    def test_text(self):
        cluster = Orchestrator(self, True)
        cluster.run(0, 6)
        said = self.lsched("advise", self.write("cluster.yaml", cluster.scenario(1, 0)), "--state", cluster.state,
                           "--catalogue", self.write("nodes.yaml", CATALOGUE))[0]
        self.assertIn("Add 5 of 8 'extra', at 1.00 per hour each.\n", said)
        self.assertIn("'extra': the advice changed in the last 24 hours, the last time at 2026-01-05T08:00:00Z: the number "
                      "of nodes does not fall.\n", said)


if __name__ == "__main__":
    unittest.main()
