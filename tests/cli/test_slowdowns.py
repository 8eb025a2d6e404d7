"""lsched slowdowns: the example, numbers by hand, the text for a policy, and rows that are wrong."""
import random

from lsched_program import ProgramTest, main

HEAD = "job,kind,beside,rate,seconds\n"


class Slowdowns(ProgramTest):
    def find(self, text, *words):
        got = self.lsched_json("slowdowns", self.write("p.csv", text), *words)
        self.got = got
        return {(row["kind"], row["beside"]): row for row in got["pairs"]}

    def test_example(self):
        got = self.lsched_json("slowdowns", "examples/slowdowns/progress.csv")
        truth = {("train", "train"): 1.6, ("train", "serve"): 1.1, ("train", "notebook"): 1.05, ("serve", "train"): 1.3,
                 ("serve", "serve"): 1.04, ("serve", "notebook"): 1, ("notebook", "train"): 1.4,
                 ("notebook", "serve"): 1.12, ("notebook", "notebook"): None}
        for row in got["pairs"]:
            want = truth[row["kind"], row["beside"]]
            if want is None:
                self.assertEqual((row["slowdown"], row["low"], row["jobs"]), (None, None, 0))
            else:
                self.assertLess(abs(row["slowdown"] / want - 1), 0.05)
        self.assertEqual((got["rows"], got["jobs"], got["crowded"], got["stalled"], got["brief"]), (76, 24, 3, 1, 0))

    def test_numbers_by_hand(self):
        rows = HEAD + "a,x,,10,100\na,x,y,8,100\nb,x,,3,60\nb,x,y,2,60\nc,x,,1,60\nc,x,y,0.5,30\nc,x,y,0.5,30\n"
        pairs = self.find(rows + "d,y,x,1,60\ne,x,y,1,59\n")
        self.assertEqual((pairs["x", "y"]["slowdown"], pairs["x", "y"]["low"], pairs["x", "y"]["high"]), (1.5, 1.25, 2))
        self.assertEqual((pairs["x", "y"]["jobs"], pairs["x", "y"]["few"], pairs["x", "y"]["indirect"]), (3, False, False))
        self.assertIsNone(pairs["y", "x"]["slowdown"])
        self.assertEqual(self.got["brief"], 1)
        self.assertEqual(self.find(rows, "--quantile", "0.9")["x", "y"]["slowdown"], 2)
        self.assertTrue(self.find(rows, "--least-jobs", "4")["x", "y"]["few"])
        self.assertEqual(self.find(rows, "--least-time", "2m")["x", "y"]["jobs"], 0)

    def test_order_and_files_do_not_matter(self):
        with open("examples/slowdowns/progress.csv", encoding="ascii") as file:
            rows = file.readlines()[1:]
        want = self.lsched("slowdowns", "examples/slowdowns/progress.csv")
        random.Random(7).shuffle(rows)
        halves = [self.write(f"{i}.csv", HEAD + "".join(rows[i::2])) for i in range(2)]
        self.assertEqual(self.lsched("slowdowns", *halves), want)

    def test_a_policy_takes_the_text(self):
        name = 'my "kind"\\x'
        rows = HEAD + "".join(f"j{i},end,,2,60\nj{i},end,{name},1,60\nk{i},{name},,3,60\nk{i},{name},end,2,60\n"
                              for i in range(3))
        said, _ = self.lsched("slowdowns", self.write("p.csv", rows))
        lua = said[said.index("slowdown = {"):]
        self.assertIn("-- 2 pairs have no number; a policy reads them as 1.0", lua)
        self.assertIn('["end"] = { ["my \\"kind\\"\\\\x"] = 2 },', lua)
        policy = self.write("p.lua", "return { api = 1, name = 'p', contention = { max = 1.7, " + lua + "} }\n")
        self.lsched("check", policy)

    def test_text_says_what_a_number_rests_on(self):
        rows = HEAD + "a,x,,10,60\na,x,y,5,60\nb,x,y,4,60\nb,x,z,1,60\nc,x,,1000,60\nc,x,w,1,60\n"
        said, _ = self.lsched("slowdowns", self.write("p.csv", rows))
        self.assertRegex(said, r"x +y +2 +1 +2\.000 +2\.000 +few jobs\n")
        self.assertRegex(said, r"x +z +8 +1 +8\.000 +8\.000 +few jobs; no job ran alone\n")
        self.assertRegex(said, r"x +w +60 +1 +1000\.000 +1000\.000 +few jobs; above 60, the most that a table can say\n")
        self.assertRegex(said, r"y +x +- +0 +- +- +no job to compare\n")

    def test_a_kind_without_a_number_is_no_kind_of_the_policy(self):
        rows = HEAD + "".join(f"j{i},train,,10,60\nj{i},train,train,5,60\n" for i in range(3))
        rows += "k,train,,10,60\nk,train,train+etl,4,60\nl,lone,,1,60\n"
        said, _ = self.lsched("slowdowns", self.write("p.csv", rows))
        self.assertEqual(said[said.index("slowdown = {"):], "slowdown = {\n    train = { train = 2 },\n}\n")
        self.assertNotIn("etl", said)

    def test_wrong_rows(self):
        for rows, message in (
                ("a,x,,1,60\na,y,,1,60\n", ":3:3: kind: expected 'x', the kind that the job has in an earlier row"),
                ("a,x,,-1,60\n", ":2:6: rate: expected"), ("a,x,,nan,60\n", ":2:6: rate: expected"),
                ("a,x,,1e99,60\n", ":2:6: rate: expected"), ("a,x,,1,0\n", ":2:8: seconds: expected a number above 0"),
                ("a,,,1,60\n", ":2:3: kind: expected names of kinds"), ("a,x,y+,1,60\n", ":2:5: beside: expected names"),
                ("a,k+l,,1,60\n", ":2:3: kind: expected names of kinds of 1 to 31 bytes without '+'"),
                ("a,x,,0.0009,60\n", ":2:6: rate: expected 0, or at least 0.001"),
                ("a," + "k" * 32 + ",,1,60\n", ":2:3: kind: expected names of kinds of 1 to 31 bytes"),
                (",x,,1,60\n", ":2:1: job: expected"), ("a,x,,1,60", "the file is cut off"),
                ("".join(f"j{i},k{i},,1,60\n" for i in range(33)), ":34:5: kind: expected at most 32 kinds"),
                ("", "expected at least one row")):
            with self.subTest(rows=rows[:40]):
                said = self.complaint(3, "slowdowns", self.write("p.csv", HEAD + rows))
                self.assertIn(message, said)
        self.assertIn("column 'beside'", self.complaint(3, "slowdowns", self.write("p.csv", "job,kind,rate,seconds\n")))

    def test_wrong_options(self):
        good = self.write("p.csv", HEAD + "a,x,,1,60\n")
        for words in (("--quantile", "0"), ("--quantile", "1.5"), ("--least-jobs", "0"), ("--least-time", "0s"),
                      ("--least-time", "x")):
            self.assertIn(words[0], self.complaint(2, "slowdowns", good, *words))
        self.complaint(2, "slowdowns")


main()
