"""Projects of PSPLIB for lsched pack: real forms of the files, wrong files, and what is printed."""
import json
import os

from lsched_program import ProgramTest, main

STARS = "*" * 72
HEAD = ["projects                      :  1", "jobs (incl. supersource/sink ):  4",
        "horizon                       :  9", "RESOURCES", "  - renewable                 :  2   R",
        "  - nonrenewable              :  0   N", "  - doubly constrained        :  0   D", STARS,
        "PROJECT INFORMATION:", "pronr.  #jobs rel.date duedate tardcost  MPM-Time",
        "    1      2      0        7        0        7", STARS]
LINKS = ["PRECEDENCE RELATIONS:", "jobnr.    #modes  #successors   successors",
         "   1        1          2           2   3 ", "   2        1          1           4",
         "   3        1          1           4", "   4        1          0        ", STARS]
NEEDS = ["REQUESTS/DURATIONS:", "jobnr. mode duration  R 1  R 2", "-" * 72,
         "  1      1     0       0    0", "  2      1     4       2    0",
         "  3      1     5       2    1", "  4      1     0       0    0", STARS]
HAVE = ["RESOURCEAVAILABILITIES:", "  R 1  R 2", "    3    1", STARS]
LINES = [STARS, "file with basedata            : a.bas", "initial value random generator: 7",
         STARS] + HEAD + LINKS + NEEDS + HAVE
FILE = "\n".join(LINES) + "\n"


def line_of(part):
    return next(i + 1 for i, line in enumerate(LINES) if part in line)


class Projects(ProgramTest):
    def pack(self, text, *more):
        return self.lsched_json("pack", self.write("p.sm", text), *more)

    def check(self, *cases):
        """(line to replace, by what, line and column of the complaint, the complaint)."""
        for old, new, where, says in cases:
            with self.subTest(new=new):
                self.assertIn(old, FILE)
                path = self.write("p.sm", FILE.replace(old, new, 1))
                err = self.complaint(3, "pack", path)
                self.assertEqual(err, f"{path}:{where}: {says}\n")

    def test_result(self):
        out = self.pack(FILE, "--items")
        self.assertEqual({key: out[key] for key in (
            "kind", "n_items", "makespan", "lower_bound", "gap_percent", "proved", "path_bound",
            "energy_bound", "starts")},
            {"kind": "rcpsp", "n_items": 4, "makespan": 9, "lower_bound": 9, "gap_percent": 0.0,
             "proved": True, "path_bound": 5, "energy_bound": 6, "starts": out["starts"]})
        self.assertEqual(sorted(out["starts"][1:3]), [0, out["starts"][1] + out["starts"][2]])
        self.assertGreaterEqual(out["seconds"], 0)

    def test_forms_of_the_file(self):
        tabs = FILE.replace("          ", "\t").replace("   ", "\t ")
        for text in (FILE.replace("\n", "\r\n"), FILE.rstrip("\n"), FILE.rstrip("*\n"), tabs,
                     FILE.replace("\n", "\n\n"), FILE.replace("R 1  R 2", "R1  R2"),
                     "\n".join(LINES[4:]), FILE.replace(STARS, ""), FILE + "\n\n"):
            with self.subTest(text=text):
                self.assertEqual(self.pack(text)["makespan"], 9)

    def test_activities_without_duration_can_ask_for_anything(self):
        out = self.pack(FILE.replace("4      1     0       0    0", "4      1     0       9    9"))
        self.assertEqual(out["makespan"], 9)

    def test_all_durations_zero(self):
        out = self.pack(FILE.replace("1     4 ", "1     0 ").replace("1     5 ", "1     0 "))
        self.assertEqual((out["makespan"], out["lower_bound"], out["gap_percent"]), (0, 0, 0.0))

    def test_no_resources(self):
        text = FILE.replace(":  2   R", ":  0   R").replace("       0    0", "").replace(
            "       2    0", "").replace("       2    1", "").replace("    3    1\n", "")
        self.assertEqual(self.pack(text)["makespan"], 5)

    def test_wrong_rows(self):
        first = line_of("1          2           2   3")
        need = line_of("  2      1     4")
        self.check(
            ("2           2   3 ", "3           2   3", f"{first}:41",
             "expected the successor, got the end of the line"),
            ("2           2   3 ", "1           2   3", f"{first}:40",
             "expected the end of the line after the last successor, got '3'"),
            ("2           2   3 ", "2           2   9", f"{first}:40",
             "successor: expected a whole number from 1 to 4, got '9'"),
            ("2           2   3 ", "2           2  -3", f"{first}:39",
             "successor: expected a whole number from 1 to 4, got '-3'"),
            ("   3        1          1", "   2        1          1", f"{first + 2}:1",
             f"expected one row for each job, got a second row for job 2; the first is in line "
             f"{first + 1}"),
            ("   3        1          1", "   3        3          1", f"{first + 2}:1",
             "expected 1 mode for job 3, got 3; files with several modes (.mm) are not read"),
            ("1     4       2    0", "1    -4       2    0", f"{need}:15",
             "duration: expected a whole number from 0 to 1000000000, got '-4'"),
            ("1     4       2    0", "1     4.5     2    0", f"{need}:16",
             "duration: expected a whole number from 0 to 1000000000, got '4.5'"),
            ("1     4       2    0", "1     1e18    2    0", f"{need}:16",
             "duration: expected a whole number from 0 to 1000000000, got '1e18'"),
            ("1     4       2    0", "1     999999999 2 0", f"{need + 1}:1",
             "expected durations with a sum of at most 1000000000, got 1000000004; use a coarser "
             "unit of time"),
            ("1     4       2    0", "1     4       2", f"{need}:25",
             "expected the demand, got the end of the line"),
            ("1     4       2    0", "1     4       5    0", f"{need}:1",
             "job 2 needs 5 of resource R 1: expected at most the capacity 3; lower the demand or "
             "raise the capacity"),
            ("  2      1     4", "  2      2     4", f"{need}:10",
             "mode: expected a whole number from 1 to 1, got '2'"),
            ("    3    1\n", "    3\n", f"{line_of('    3    1')}:6",
             "expected the capacity, got the end of the line"),
            ("    3    1\n", "    3    1   4\n", f"{line_of('    3    1')}:14",
             "expected the end of the line after the last capacity, got '4'"),
            ("    3    1\n", "    3    1\n    3    1\n", f"{line_of('    3    1') + 1}:1",
             "expected one row of capacities and then the end of the file, got another row"))

    def test_wrong_heads(self):
        jobs = line_of("jobs (incl.")
        links = line_of("PRECEDENCE")
        self.check(
            (":  4", ":  0", f"{jobs}:34", "number of jobs: expected a whole number from 1 to "
             "2000, got '0'"),
            (":  4", ":  x", f"{jobs}:34", "number of jobs: expected a whole number from 1 to "
             "2000, got 'x'"),
            (":  4", "", f"{jobs}:31", "expected ':' and the number of jobs, got the end of the "
             "line"),
            ("jobs (incl.", "(incl.", f"{links}:1", "expected a line 'jobs ... : NUMBER' above "
             "the sections, got none"),
            ("  - renewable", "  - unknown", f"{links}:1", "expected a line '- renewable ... : "
             "NUMBER' above the sections, got none"),
            ("nonrenewable              :  0", "nonrenewable              :  2",
             f"{line_of('nonrenewable')}:1", "expected 0 nonrenewable and doubly constrained "
             "resources, got 2; only single-mode files (.sm) are read"),
            (":  1", ":  2", f"{line_of('projects')}:1",
             "expected 1 project, got 2; give each project a file of its own"),
            ("REQUESTS/DURATIONS", "PRECEDENCE RELATIONS", f"{line_of('REQUESTS')}:1",
             "expected the section PRECEDENCE RELATIONS once, got it again"))

    def test_cycles(self):
        row = line_of("2        1          1           4")
        for old, new in (("1          1           4", "1          1           2"),
                         ("4        1          0        ", "4        1          1           2")):
            with self.subTest(new=new):
                path = self.write("p.sm", FILE.replace(old, new, 1))
                err = self.complaint(3, "pack", path)
                self.assertRegex(err, r":(%d|%d):1: job [24] is its own successor through other "
                                 r"jobs: expected precedence without a cycle; remove a successor "
                                 r"of the cycle\n$" % (row, row + 2))

    def test_cut_off_anywhere(self):
        """Each beginning of the file is refused with a place, or it has all numbers."""
        whole = FILE.index("    3    1\n") + len("    3    1")
        for end in range(FILE.index("PROJECT INF"), whole, 7):
            with self.subTest(end=end):
                path = self.write("p.sm", FILE[:end])
                err = self.complaint(3, "pack", path, "--kind", "rcpsp")
                self.assertRegex(err, r"^%s:\d+:\d+: .*expected" % path)
        path = self.write("p.sm", "\n".join(LINES[:line_of("  3      1     5")]))
        self.assertIn(": expected 4 rows in the section REQUESTS/DURATIONS, got 3: the file is cut "
                      "off, or its head has a wrong count\n", self.complaint(3, "pack", path).replace(
                          "expected the section RESOURCEAVAILABILITIES, got the end of the file: "
                          "the file is cut off, or it is not a PSPLIB file (.sm)", "?"))

    def test_wrong_kind_and_options(self):
        path = self.write("p.txt", "3 100 0 0\n0 1 2 3\n1 1 2 3\n2 1 2 3\n")
        self.assertIn("expected the section PRECEDENCE RELATIONS, got the end of the file",
                      self.complaint(3, "pack", path, "--kind", "rcpsp"))
        path = self.write("p.sm", FILE)
        for words in (("--gpus", "4"), ("--bins", "3"), ("--method", "dp"), ("--capacity", "9"),
                      ("--svg", "x.svg"), ("--beam", "3"), ("--ascii",)):
            err = self.complaint(2, "pack", path, *words)
            self.assertIn(f"{words[0]} is not for rcpsp", err)
        self.complaint(2, "pack", path, "--seconds", "0")

    def test_several_files(self):
        one, two = self.write("one.sm", FILE), self.write("two.sm", FILE)
        out, _ = self.lsched("pack", one, two)
        self.assertIn("mean of 2", out)
        self.assertIn("2 proved", out)
        self.assertEqual([entry["makespan"] for entry in self.lsched_json("pack", one, two)], [9, 9])
        bad = self.write("bad.sm", FILE[:900])
        self.assertTrue(self.complaint(3, "pack", one, bad).startswith(bad))

    def test_equal_work_gives_equal_results(self):
        path = os.path.join("examples", "projects", "hull.sm")
        for work in ("1", "1000", "100000"):
            runs = [self.lsched_json("pack", path, "--work", work, "--items") for _ in range(2)]
            for run in runs:
                del run["seconds"]
            self.assertEqual(json.dumps(runs[0]), json.dumps(runs[1]))


if __name__ == "__main__":
    main()
