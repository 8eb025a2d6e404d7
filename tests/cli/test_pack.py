"""lsched pack on inputs whose best plan is known: what it finds, what it says, and that an independent verifier agrees."""
import io
import json
import lzma
import os
import random
import sys
import tarfile
import xml.etree.ElementTree

from lsched_program import PROGRAM, ProgramTest, main

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "pack"))
import verify_mig80  # noqa: E402
import verify_services  # noqa: E402
import verify_tbpp  # noqa: E402

MIG = "examples/mig80/mig80.csv"
FEW = ("--work", "200000")


def instance(items, capacity=100):
    rows = "".join(f"{i} {start} {end} {size}\n" for i, (start, end, size) in enumerate(items))
    return f"{len(items)} {capacity} 0 0\n{rows}"


class Instances(ProgramTest):
    def pack(self, items, *more, capacity=100):
        text = instance(items, capacity)
        got = self.lsched_json("pack", self.write("i.txt", text), "--items", *(more or FEW))
        verify_tbpp.verify(text, got)
        return got

    def test_what_follows_shares_a_bin(self):
        got = self.pack([(0, 5, 100), (5, 9, 100), (9, 10, 1)])
        self.assertEqual((got["bins"], got["lower_bound"], got["gap_percent"]), (1, 1, 0))
        self.assertTrue(got["proved"])

    def test_what_overlaps_does_not(self):
        got = self.pack([(0, 6, 51), (5, 9, 50), (8, 10, 51)])
        self.assertEqual((got["bins"], got["lower_bound"]), (2, 2))

    def test_pairs_that_must_be_found(self):
        got = self.pack([(0, 9, size) for size in (51, 27, 62, 49, 73, 38)])
        self.assertEqual((got["bins"], got["lower_bound"]), (3, 3))

    def test_capacities_may_be_fractions_and_huge(self):
        self.assertEqual(self.pack([(0, 2, 3), (0, 2, 4)], capacity=7)["bins"], 1)
        text = "2 0.3 0 0\n0 0 1 0.1\n1 0 1 0.2\n"
        self.assertEqual(self.lsched_json("pack", self.write("f.txt", text), *FEW)["bins"], 1)
        quarter = 10**12 // 4
        got = self.pack([(0, 1, quarter), (0, 1, quarter), (0, 1, 2 * quarter)], capacity=10**12)
        self.assertEqual(got["bins"], 1)

    def test_random_ones_are_verified(self):
        for seed in range(40):
            draw = random.Random(seed)
            items = []
            for _ in range(draw.randint(1, 40)):
                start = draw.randint(0, 30)
                items.append((start, start + draw.randint(1, 20), draw.randint(0, 100)))
            with self.subTest(seed=seed):
                method = draw.choice(("auto", "seed", "dp", "ruin", "bound"))
                self.pack(items, "--method", method, "--work", str(draw.choice((1, 1000, 100000))))

    def test_exact_equals_the_best_of_all(self):
        for seed in range(15):
            draw = random.Random(1000 + seed)
            items = []
            for _ in range(draw.randint(1, 7)):
                start = draw.randint(0, 6)
                items.append((start, start + draw.randint(1, 6), draw.randint(1, 100)))
            with self.subTest(seed=seed):
                got = self.pack(items, "--method", "exact", "--work", "20000000")
                self.assertTrue(got["proved"])
                self.assertEqual(got["bins"], best_of_all(items))

    def test_exact_says_where_it_ends(self):
        draw = random.Random(5)
        items = [(0, draw.randint(5, 9), draw.randint(15, 60)) for _ in range(12)]
        path = self.write("i.txt", instance(items + [(7, 9, 1)]))
        self.assertIn("--method exact: expected at most 12 items, got 13", self.complaint(2, "pack", path, "--method", "exact"))
        jobs = "seed,job,true_profile,requested_profile,duration_s\n" + "".join(
            f"0,{i},{draw.choice(('1g', '2g', '3g'))},7g,{draw.randint(60, 900)}\n" for i in range(12))
        out, _ = self.lsched("pack", self.write("m.csv", jobs), "--gpus", "1", "--method", "exact", "--work", "1000")
        self.assertIn("The search was not exhaustive on 1 of 1 seed", out)
        out, _ = self.lsched("pack", self.write("m.csv", "".join(jobs.splitlines(True)[:4])), "--method", "exact")
        self.assertNotIn("Not everything", out)

    def test_a_number_beyond_its_bounds_names_them(self):
        path = self.write("i.txt", instance([(0, 1, 1)]))
        for value in ("-1", "9223372036854775808", "x"):
            self.assertIn(f"--seed: expected a whole number from 0 to 9223372036854775807, got '{value}'",
                          self.complaint(2, "pack", path, "--seed", value))

    def test_equal_words_equal_plans_and_more_work_is_not_worse(self):
        draw = random.Random(7)
        items = [(start, start + draw.randint(2, 40), draw.randint(5, 70))
                 for start in (draw.randint(0, 60) for _ in range(120))]
        first = self.pack(items, "--work", "100000")
        again = self.pack(items, "--work", "100000")
        self.assertEqual(first["items"], again["items"])
        bins = [self.pack(items, "--work", str(10**n))["bins"] for n in range(1, 7)]
        self.assertEqual(bins, sorted(bins, reverse=True))

    def test_few_bins_leave_something_out(self):
        text = instance([(0, 5, 60), (0, 5, 60), (6, 9, 60)])
        got = self.lsched_json("pack", self.write("i.txt", text), "--bins", "1", "--items", *FEW)
        self.assertEqual((got["bins"], got["left_out"]), (1, 1))
        self.assertEqual(sorted(place["bin"] is None for place in got["items"]), [False, False, True])
        out, _ = self.lsched("pack", self.write("i.txt", text), "--bins", "1", *FEW)
        self.assertIn("1 item left out", out)
        two = self.lsched_json("pack", self.write("i.txt", instance([(0, 5, 50), (0, 5, 90)])), "--bins", "1", *FEW)
        self.assertEqual((two["lower_bound"], two["gap_percent"]), (2, None))  # of plans for all
        out, _ = self.lsched("pack", *[self.write(f"{i}.txt", text) for i in range(2)], "--bins", "1", *FEW)
        self.assertRegex(out, r"sum of 2 +6 +2 +4 +- ")

    def test_seconds_end_it(self):
        draw = random.Random(3)
        items = [(start, start + draw.randint(5, 50), draw.randint(5, 70))
                 for start in (draw.randint(0, 90) for _ in range(400))]
        got = self.pack(items, "--seconds", "0.2")
        self.assertLess(got["seconds"], 5)

    def test_many_and_archives(self):
        texts = [instance([(0, 5, 60), (0, 5, 60)]), instance([(0, 5, 60)])]
        paths = [self.write(f"{i}.txt", text) for i, text in enumerate(texts)]
        got = self.lsched_json("pack", *paths, *FEW)
        self.assertEqual([one["bins"] for one in got], [2, 1])
        out, _ = self.lsched("pack", *paths, *FEW)
        self.assertRegex(out, r"sum of 2 +3 +3 +3 +0.00 .* 2 proved")
        tar = io.BytesIO()
        with tarfile.open(fileobj=tar, mode="w") as archive:
            for i, text in enumerate(texts):
                info = tarfile.TarInfo(f"set/{i}.txt")
                info.size = len(text)
                archive.addfile(info, io.BytesIO(text.encode()))
        got = self.lsched_json("pack", self.write("set.tar", tar.getvalue()), *FEW)
        self.assertEqual([(one["file"], one["bins"]) for one in got], [("set/0.txt", 2), ("set/1.txt", 1)])

    def test_what_people_see(self):
        path = self.write("i.txt", instance([(0, 5, 100), (5, 10, 50), (5, 10, 50)]))
        out, err = self.lsched("pack", path, *FEW)
        self.assertEqual(err, "")
        self.assertIn("3 items, bins of 100", out)
        self.assertIn("1 bin; no plan has fewer", out)
        self.assertNotIn("\x1b", out)  # no colour in a pipe
        self.assertLessEqual(max(map(len, out.splitlines())), 80)
        self.assertTrue(self.lsched("pack", path, "--ascii", *FEW)[0].isascii())
        out, _ = self.lsched("pack", path, "--items", *FEW)
        self.assertRegex(out, r"1 +0 +5 +10\n")


class Pictures(ProgramTest):
    def draw(self, *words, boxes):
        path = os.path.join(self.directory, "out.svg")
        self.lsched("pack", *words, "--svg", path, *FEW)
        root = xml.etree.ElementTree.parse(path).getroot()
        self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
        self.assertGreaterEqual(len(list(root)), boxes)

    def test_each_kind_is_drawn(self):
        self.draw(self.write("i.txt", instance([(0, 5, 60), (3, 9, 60)])), boxes=8)
        self.draw(self.write("day.csv", "a,1,2\nb,99,1\n"), boxes=8)
        self.draw(MIG, "--seeds", "1", boxes=4 * 80 * 2)

    def test_what_cannot_be_drawn(self):
        path = self.write("i.txt", instance([(0, 5, 60)]))
        self.assertIn("cannot write", self.complaint(4, "pack", path, "--svg", self.directory + "/no/out.svg", *FEW))
        self.assertIn("expected one instance", self.complaint(2, "pack", path, path, "--svg", "out.svg", *FEW))


def best_of_all(items):
    """Fewest bins by trying every partition of at most a few items."""
    best, bins = [len(items)], []

    def fits(inside):
        return all(sum(size for start, end, size in inside if start <= at < end) <= 100
                   for at, _, _ in inside)

    def place(i):
        if len(bins) >= best[0]:
            return
        if i == len(items):
            best[0] = len(bins)
            return
        for inside in bins:
            inside.append(items[i])
            if fits(inside):
                place(i + 1)
            inside.pop()
        bins.append([items[i]])
        place(i + 1)
        bins.pop()

    place(0)
    return best[0]


class Services(ProgramTest):
    def pack(self, text, *more, name="day.csv"):
        return self.lsched_json("pack", self.write(name, text), "--items", *FEW, *more)

    def test_day_and_night_share(self):
        got = self.pack("day,90,90,5,5\nnight,10,10,95,95\nboth,60,60,60,60\n")
        self.assertEqual((got["bins"], got["lower_bound"], got["n_slots"]), (2, 2, 4))
        self.assertEqual(got["by_peaks"], {"bins": 3, "lower_bound": 3})
        self.assertEqual(got["overload"]["bin_seconds"], 0)

    def test_a_slot_counts_the_most_inside(self):
        text = "a,90,5,5,5\nb,5,90,5,5\n"
        self.assertEqual(self.pack(text)["bins"], 1)
        coarse = self.pack(text, "--slot", "12h")
        self.assertEqual((coarse["bins"], coarse["n_slots"]), (2, 2))
        mixed = self.pack(text, "--slot", "2x6h,12h")
        self.assertEqual((mixed["bins"], mixed["n_slots"]), (1, 3))
        self.assertEqual(self.pack(text, "--slot", "5m")["bins"], 1)  # finer than the samples

    def test_a_quantile_risks_overload_and_says_so(self):
        text = "a," + ",".join(["10"] * 23 + ["80"]) + "\nb," + ",".join(["10"] * 23 + ["80"]) + "\n"
        self.assertEqual(self.pack(text, "--slot", "1d")["bins"], 2)
        got = self.pack(text, "--slot", "1d", "--quantile", "0.9")
        self.assertEqual(got["bins"], 1)
        self.assertEqual(got["overload"], {"bin_seconds": 3600.0, "of_bin_seconds": 86400.0, "worst_percent": 60.0})
        out, _ = self.lsched("pack", self.write("q.csv", text), "--slot", "1d", "--quantile", "0.9", *FEW)
        self.assertIn("bins over their capacity: 4.167 % of the time, by 60.0 % at worst", out)

    def test_independent_peaks_rarely_meet(self):
        text = "a," + ",".join(["10"] * 23 + ["80"]) + "\nb," + ",".join(["80"] + ["10"] * 23) + "\n"
        self.assertEqual(self.pack(text, "--slot", "1d")["bins"], 2)
        got = self.pack(text, "--slot", "1d", "--n-sigma", "3")  # 2 x 12.9 + 3 x 1.4 x 14 = 85
        self.assertEqual((got["bins"], got["overload"]["bin_seconds"]), (1, 0))
        # 5 sigma of each would pass its most, 80: 2 x 12.9 + 1.4 x 67 = 120
        self.assertEqual(self.pack(text, "--slot", "1d", "--n-sigma", "5")["bins"], 2)

    def test_one_that_fills_a_bin_at_its_highest_fits(self):
        for values, z, capacity in (((0, 100), "3", "100"), ((0, 0, 80), "10", "80"), ((1, 7), "0.3", "7"),
                                    ((3e9, 1e10), "2.5", "1e10"), ((0.1, 0.3), "1", "0.3")):
            text = "s," + ",".join(map(str, values)) + "\n"
            with self.subTest(values=values):
                got = self.pack(text, "--slot", "1d", "--n-sigma", z, "--capacity", str(capacity).replace("1e10", "10G"))
                self.assertEqual((got["bins"], got["left_out"], got["proved"]), (1, 0, True))
        for half in ("50", "33.35"):
            got = self.pack("".join(f"{name},{half},{half}\n" for name in "ab"), "--n-sigma", "3",
                            "--capacity", str(2 * float(half)))
            self.assertEqual(got["bins"], 1, half)

    def test_soft_ones_are_proved(self):
        text = "s0,99,40,32,16,2,79\ns1,38,15,4,16,68,50\n"
        got = self.pack(text, "--sample", "5m", "--slot", "15m", "--n-sigma", "2", "--method", "exact")
        self.assertEqual((got["bins"], got["lower_bound"], got["proved"]), (2, 2, True))

    def test_a_header_says_when(self):
        got = self.pack("name,0,3600,7200\na,50,60,10\nb,50,50,10\n")
        self.assertEqual((got["bins"], got["n_slots"]), (2, 3))
        self.assertEqual([place["end"] for place in got["items"]], [10800.0, 10800.0])

    def test_a_sample_per_row(self):
        text = "value,timestamp,pod\n60,1000,a\n10,1060,a\n10,1000,b\n60,1060,b\n5.5,1120,b\n"
        got = self.pack(text)
        self.assertEqual((got["bins"], got["n_slots"], got["n_items"]), (1, 3, 2))
        dates = "time,name,value\n2026-01-05 08:30:00,a,60\n2026-01-05T08:31:00Z,a,70\n"
        self.assertEqual(self.pack(dates)["n_slots"], 2)

    def test_a_gap_holds_and_the_ends_do_not(self):
        text = "time,name,value\n" + "".join(f"{at},b,10\n" for at in range(0, 360, 60))
        gap = text + "60,a,95\n180,a,1\n"  # 95 also at 120, nothing at 0 and after 180
        self.assertEqual(self.pack(gap)["bins"], 2)
        self.assertEqual(self.pack(gap.replace("60,a,95", "60,a,90"))["bins"], 1)

    def test_two_resources(self):
        duty = self.write("duty.csv", "time,name,value\n0,a,60\n0,b,30\n60,a,10\n60,b,70\n0,c,1\n")
        memory = self.write("memory.csv", "time,name,value\n0,a,3e9\n60,a,3e9\n0,b,6e9\n60,b,6e9\n")
        words = ("pack", "--resource", f"duty={duty}:100", "--resource", f"memory={memory}:8GiB", "--items", *FEW)
        got = self.lsched_json(*words)
        self.assertEqual((got["bins"], got["n_items"]), (2, 3))
        got = self.lsched_json(*words, "--min-samples", "2")
        self.assertEqual(got["n_items"], 2)
        words = [word.replace("8GiB", "9G") for word in words]
        self.assertEqual(self.lsched_json(*words)["bins"], 1)
        out, _ = self.lsched(*words, "--min-samples", "2")
        self.assertIn("; 1 with too few samples left out", " ".join(out.split()))
        self.assertIn("bins of 100 duty, 9G memory", out)

    def test_random_days_are_verified(self):
        for seed in range(10):
            draw = random.Random(seed)
            n = draw.choice((12, 24, 96))
            profiles = {f"s{i}": [[draw.randint(0, 60) for _ in range(n)]] for i in range(draw.randint(1, 60))}
            text = "".join(f"{name},{','.join(map(str, row[0]))}\n" for name, row in profiles.items())
            path = self.write("day.csv.xz", lzma.compress(text.encode()))
            if self.without_xz(path):
                path = self.write("day.csv", text)
            with self.subTest(seed=seed):
                got = self.lsched_json("pack", path, "--items", *FEW, "--slot", draw.choice(("15m", "1h", "3h")))
                verify_services.verify(profiles, [100], got)

    def without_xz(self, path):
        import subprocess
        done = subprocess.run([PROGRAM, "pack", path, *FEW], capture_output=True, text=True, check=False)
        return "built without liblzma" in done.stderr

    def test_what_people_see(self):
        path = self.write("day.csv", "day,90,90,5,5\nnight,10,10,95,95\n")
        out, _ = self.lsched("pack", path, *FEW)
        self.assertIn("2 services over 24h in 4 slots, sampled every 6h", out)
        self.assertIn("by peaks alone: 2 bins, no plan has fewer than 2: 2.00 times as many", out)
        self.assertIn("a slot's demand is the most inside it", out)
        one = self.write("one.csv", "a,0,0\n")
        out, _ = self.lsched("pack", one, "--quantile", "0.9", *FEW)
        self.assertIn("by peaks alone: 1 bin, no plan", out)
        self.assertIn("a slot's demand is the quantile 0.9 of those inside it", out)
        self.assertIn("is mean + 2.5 sigma inside it", self.lsched("pack", one, "--n-sigma", "2.5", *FEW)[0])
        self.assertLessEqual(max(len(line) for line in out.splitlines() if path not in line), 80)


class MigLists(ProgramTest):
    def test_four_arms(self):
        got = self.lsched_json("pack", MIG, "--seeds", "6", "--items", *FEW)
        seeds = verify_mig80.read(MIG)
        self.assertEqual((got["seeds"], got["n_items"]), (6, 480))
        for run in got["runs"]:
            jobs = seeds[run["seed"]]
            arms = [verify_mig80.whole(jobs), verify_mig80.carved(jobs, 2), verify_mig80.carved(jobs, 1),
                    verify_mig80.verify(jobs, [place for place in got["items"] if place["seed"] == run["seed"]])]
            for arm, seconds in zip(("a_min", "b_min", "c_min", "d_min"), arms):
                self.assertAlmostEqual(run[arm], seconds / 60, delta=1e-3)
            self.assertLessEqual(run["d_min"], run["c_min"])
            self.assertLessEqual(run["bound_min"], run["d_min"] + 1e-3)
            self.assertGreaterEqual(run["bound_min"], verify_mig80.area_bound(jobs) / 60 - 1e-3)
        minutes = [run["d_min"] for run in got["runs"]]
        self.assertAlmostEqual(got["arms"]["D"]["makespan_min"], sum(minutes) / 6, delta=1e-3)

    def test_the_arms_of_the_whole_list(self):
        got = self.lsched_json("pack", MIG, "--method", "seed", "--work", "1")
        for arm, minutes in (("A", 169.6), ("B", 125.7), ("C", 91.2)):
            self.assertAlmostEqual(got["arms"][arm]["makespan_min"], minutes, delta=0.05)
        self.assertEqual(got["d_later_than_c"], 0)

    def test_other_servers(self):
        text = ("seed,job,true_profile,requested_profile,duration_s\n"
                "4,x,7g,7g,60\n4,y,4g.40gb,7g,60\n4,z,3g,4g,60\n")
        path = self.write("m.csv", text)
        got = self.lsched_json("pack", path, "--gpus", "1", *FEW)
        self.assertEqual([got["arms"][arm]["makespan_min"] for arm in "ABCD"], [3, 3, 2, 2])
        got = self.lsched_json("pack", path, "--gpus", "2", *FEW)
        self.assertEqual(got["arms"]["D"]["makespan_min"], 1)
        self.assertEqual((got["gap_percent"], got["proved"]), (0, 1))
        out, _ = self.lsched("pack", self.write("m.csv", "".join(text.splitlines(True)[:2])), "--gpus", "1", *FEW)
        self.assertIn(": 1 job in 1 seed, 1 GPU (h100-80gb)", out)
        self.assertIn("Seed 4, 1 job. The", out)

    def test_what_people_see(self):
        out, err = self.lsched("pack", MIG, "--seeds", "2", *FEW)
        self.assertEqual(err, "")
        self.assertEqual(out.count("GPU 7  |"), 4)
        self.assertIn("114 to 59 minutes", out)
        self.assertLessEqual(max(map(len, out.splitlines())), 80)
        self.assertFalse([line for line in out.splitlines() if line.endswith(" ")])
        out, _ = self.lsched("pack", MIG, "--seeds", "2", "--timeline", "none", *FEW)
        self.assertNotIn("GPU 7", out)
        self.assertTrue(self.lsched("pack", MIG, "--seeds", "1", "--ascii", *FEW)[0].isascii())

    def test_progress_goes_to_stderr(self):
        out, err = self.lsched("pack", MIG, "--seeds", "10", "--json", "--progress", *FEW)
        self.assertEqual(json.loads(out)["seeds"], 10)
        self.assertIn("100 %  seed 9", err)


main()
