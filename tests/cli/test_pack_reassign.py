"""Machine reassignment for lsched pack: results, files that are cut off or wrong, and options."""
from lsched_program import ProgramTest, main

# the example of the ROADEF/EURO challenge 2012
MODEL = """2
1 100
0 10
4
0 0 30 400 16 80 0 1 4 5
0 0 10 240 8 160 1 0 3 4
1 1 15 100 12 80 4 3 0 2
1 2 10 100 8 80 5 4 2 0
2
2 0
1 1 0
3
0 12 10 1000
0 10 20 100
1 6 200 1
1
0 1 20
10
1 10 100
"""
CUT = "the file is cut off, or a count in it is wrong"


class Reassign(ProgramTest):
    def files(self, model=MODEL, assignment="0 3 0\n"):
        return "--kind", "reassign", self.write("model.txt", model), self.write("now.txt",
                                                                               assignment)

    def test_result(self):
        words = self.files()
        out = self.lsched_json("pack", *words, "--work", "100000", "--items")
        self.assertEqual((out["kind"], out["start_cost"], out["cost"], out["lower_bound"]),
                         ("reassign", 4200, 2411, 1300))
        parts = ("load_cost", "balance_cost", "process_move_cost", "service_move_cost",
                 "machine_move_cost")
        self.assertEqual(sum(out[key] for key in parts), out["cost"])
        self.assertEqual(out["moves"], sum(a != b for a, b in zip(out["assignment"], [0, 3, 0])))

    def test_equal_work_gives_equal_results(self):
        words = self.files()
        first, second = (self.lsched_json("pack", *words, "--work", "200000", "--items")
                         for _ in range(2))
        self.assertGreaterEqual(first.pop("seconds"), 0)
        self.assertGreaterEqual(second.pop("seconds"), 0)
        self.assertEqual(first, second)

    def test_the_result_is_a_file_of_the_challenge(self):
        words = self.files()
        path = self.write("new.txt", "")
        out = self.lsched_json("pack", *words, "--items", "--work", "100000", "--out", path)
        with open(path, encoding="ascii") as file:
            self.assertEqual(file.read(), " ".join(map(str, out["assignment"])) + "\n")
        # the result is a feasible first assignment, from which nothing needs to move
        again = self.lsched_json("pack", *words[:3], path, "--work", "100000")
        self.assertEqual(again["start_cost"], out["load_cost"] + out["balance_cost"])

    def test_lines_have_no_meaning(self):
        for text in (MODEL.replace("\n", "\r\n"), MODEL.replace("\n", " "), MODEL.strip(),
                     MODEL.replace(" ", "\n"), "\n\n" + MODEL.replace(" ", "\t")):
            with self.subTest(text=text):
                out = self.lsched_json("pack", *self.files(text), "--work", "100000")
                self.assertEqual((out["start_cost"], out["cost"]), (4200, 2411))

    def test_wide_costs_of_moves(self):
        """The cells of the matrix become wider as costs need it."""
        for cost in (255, 256, 65535, 65536, 4294967295):
            text = MODEL.replace("1 0 3 4", f"1 0 {cost} 4").replace("3 0 2", f"{cost} 0 {cost}")
            with self.subTest(cost=cost):
                out = self.lsched_json("pack", *self.files(text), "--work", "100000")
                self.assertEqual((out["start_cost"], out["cost"]), (4200, 2411))

    def test_files_that_are_cut_off(self):
        words = MODEL.split()
        for n in range(len(words)):
            with self.subTest(n=n):
                err = self.complaint(3, "pack", *self.files(" ".join(words[:n])))
                self.assertRegex(err, r"model.txt:1:\d+: expected .*" + CUT)
        err = self.complaint(3, "pack", *self.files(assignment="0 3\n"))
        self.assertTrue(err.endswith(
            f"now.txt:2:1: expected the machine of a process, got the end of the file: {CUT}\n"))

    def test_wrong_numbers(self):
        for old, new, says in (
                ("2\n1 100", "0\n1 100", "1:1: number of resources: expected a whole number from 1 "
                 "to 64, got '0'"),
                ("1 100", "2 100", "2:1: flag of a transient resource: expected a whole number "
                 "from 0 to 1, got '2'"),
                ("0 0 30", "0 0 -30", "5:5: capacity of a machine: expected a whole number from 0 "
                 "to 4294967295, got '-30'"),
                ("1 1 0\n", "1 1 2\n", "11:5: service that a service depends on: expected a whole "
                 "number from 0 to 1, got '2'"),
                ("1 6 200 1", "2 6 200 1", "15:1: service of a process: expected a whole number "
                 "from 0 to 1, got '2'"),
                ("0 1 20", "0 2 20", "17:3: second resource of a balance cost: expected a whole "
                 "number from 0 to 1, got '2'"),
                ("1 10 100\n", "1 10 1e2\n", "19:6: weight of machine moves: expected a whole "
                 "number from 0 to 4294967295, got '1e2'"),
                ("1 10 100\n", "1 10 100 5\n", "19:10: expected the end of the file after the "
                 "weight of machine moves, got '5'"),
                ("0 0 10 240", "0 0 99999999999999999999 240", "6:5: capacity of a machine: "
                 "expected a whole number from 0 to 4294967295, got '99999999999999999999'")):
            with self.subTest(new=new):
                self.assertIn(old, MODEL)
                words = self.files(MODEL.replace(old, new, 1))
                self.assertEqual(self.complaint(3, "pack", *words), f"{words[2]}:{says}\n")

    def test_costs_that_are_too_large(self):
        text = MODEL.replace("0 1 20\n10", "0 1 4294967295\n4294967295")
        self.assertIn("expected weights, targets and capacities with which no assignment costs "
                      "more than", self.complaint(3, "pack", *self.files(text)))

    def test_large_weights(self):
        """What counts is what an assignment can cost, not the greatest cost that a file can have."""
        text = MODEL.replace("1 10 100\n", "1 10 4294967295\n")
        out = self.lsched_json("pack", *self.files(text), "--work", "100000")
        self.assertEqual(out["cost"], 4200)  # no move is worth its price
        words = self.files(text.replace("4 3 0 2", "4 3 0 4294967295"))
        self.assertIn("no assignment costs more than", self.complaint(3, "pack", *words))

    def test_great_numbers_of_places(self):
        """The numbers of places say only which of them are equal."""
        text = MODEL
        for old, new in (("0 0 30", "4294967295 4294967294 30"),
                         ("0 0 10 240", "4294967295 4294967294 10 240"),
                         ("1 1 15", "77 4000000000 15"), ("1 2 10", "77 5 10")):
            self.assertIn(old, text)
            text = text.replace(old, new, 1)
        a, b = (self.lsched_json("pack", *self.files(model), "--work", "100000", "--items")
                for model in (MODEL, text))
        self.assertEqual((a["cost"], a["assignment"]), (b["cost"], b["assignment"]))
        err = self.complaint(3, "pack", *self.files(text, "0 1 0"))
        self.assertIn("service 0 must run in 2 locations, and runs in 1", err)

    def test_out_is_opened_before_the_search(self):
        words = self.files()
        err = self.complaint(4, "pack", *words, "--work", str(1 << 50), "--out", "/nowhere/x")
        self.assertTrue(err.startswith("lsched: /nowhere/x: cannot write: "), err)
        old = self.write("old.txt", "what was there before\n")
        self.complaint(3, "pack", *self.files(assignment="0 0 0"), "--out", old)
        with open(old, encoding="ascii") as file:
            self.assertEqual(file.read(), "what was there before\n")
        self.lsched("pack", *self.files(), "--work", "100000", "--out", old)
        with open(old, encoding="ascii") as file:
            self.assertRegex(file.read(), r"^\d \d \d\n$")

    def test_moves(self):
        """Two processes that change places on full machines, and a third machine with room for one."""
        model = ("1\n0 0\n3\n0 0 10 10 0 1 2\n0 0 10 4 1 0 3\n0 0 {} 0 2 3 0\n2\n0 0\n0 0\n2\n"
                 "0 6 1\n1 5 1\n0\n0 0 0\n").replace("0 0\n3\n", "0 9\n3\n", 1)
        path = self.write("steps.txt", "")
        for third, steps, dropped in ((6, 3, 0), (4, 0, 2)):
            with self.subTest(third=third):
                words = self.files(model.format(third), "1 0\n")
                out = self.lsched_json("pack", *words, "--work", "10000", "--moves", path)
                with open(path, encoding="ascii") as file:
                    lines = file.read().splitlines()
                self.assertEqual((out["moves"], out["steps"], out["dropped"], len(lines)),
                                 (2, steps, dropped, steps))
                self.assertEqual(out["reached_cost"],
                                 out["cost"] if dropped == 0 else out["start_cost"])
                text, _ = self.lsched("pack", *words, "--work", "10000")
                self.assertIn("3 steps, one at a time, at a price of 0" if dropped == 0 else
                              "0 steps, one at a time, at a price of 0; 2 moves cannot be done, and "
                              "the cost reached is", text)
        words = self.files()
        self.assertIn("--moves: expected another file than that of --out", self.complaint(
            2, "pack", *words, "--out", path, "--moves", path))

    def test_wrong_assignments(self):
        for text, says in (
                ("0 4 0", ":1:3: machine of a process: expected a whole number from 0 to 3, got "
                 "'4'"),
                ("0 3 0 1", ":1:7: expected the end of the file after the machine of the last "
                 "process, got '1'"),
                ("0 0 0", ": the first assignment is not feasible: service 0 has two processes on "
                 "machine 0")):
            with self.subTest(text=text):
                words = self.files(assignment=text)
                self.assertEqual(self.complaint(3, "pack", *words), f"{words[3]}{says}\n")

    def test_options(self):
        words = self.files()
        self.assertIn("reassign needs two files, MODEL and ASSIGNMENT, got 1",
                      self.complaint(2, "pack", *words[:3]))
        self.assertIn("--bins is not for reassign",
                      self.complaint(2, "pack", *words, "--bins", "3"))
        self.assertIn("--out is not for", self.complaint(
            2, "pack", "--kind", "tbpp", words[2], "--out", "x"))
        self.assertIn("cannot write", self.complaint(
            4, "pack", *words, "--work", "1000", "--out", "/nowhere/x"))

    def test_text(self):
        out, _ = self.lsched("pack", *self.files(), "--work", "100000", "--items")
        self.assertIn("3 processes on 4 machines", out)
        self.assertIn("cost 2411 instead of 4200; no assignment costs less than 1300\n", out)
        self.assertIn("process 1: machine 3 to", out)


if __name__ == "__main__":
    main()
