"""Wrong inputs of lsched pack: each is one line that says where and what, and nothing is printed."""
import io
import lzma
import tarfile

from lsched_program import ProgramTest, main

MIG = "seed,job,true_profile,requested_profile,duration_s\n"
LONG = "time,name,value\n"


class WrongFiles(ProgramTest):
    def complain(self, name, text, *more):
        path = self.write(name, text)
        err = self.complaint(3, "pack", path, *more)
        self.assertEqual(err.count("\n"), 1, err)
        self.assertTrue(err.startswith(path), err)
        return err[len(path) + 1:-1]

    def check(self, name, cases, *more):
        for text, says in cases:
            with self.subTest(text=text):
                self.assertEqual(self.complain(name, text, *more), says)

    def test_instances(self):
        self.check("i.txt", (
            ("", "1:1: expected the number of items and the capacity, got an empty file"),
            ("\n\n", "1:1: expected the number of items and the capacity, got an empty file"),
            ("5\n", "1:2: expected the capacity after the number of items, got the end of the line"),
            ("0 100 0 0\n",
             "1:1: number of items: expected a whole number from 1 to 1048576, got '0'"),
            ("x 100\n", "1:1: number of items: expected a number, got 'x'"),
            ("1.5 100\n",
             "1:1: number of items: expected a whole number from 1 to 1048576, got '1.5'"),
            ("1 0\n0 1 2 3\n", "1:3: capacity: expected more than 0, got '0'"),
            ("1 -5\n0 1 2 3\n", "1:3: capacity: expected a number of at least 0, got '-5'"),
            ("1 1e99\n0 1 2 3\n", "1:3: capacity: expected a number below 4.6e12, got '1e99'"),
            ("2 100 0 0\n0 1 2 3\n", "2:8: the file is cut off: expected 2 items, got 1"),
            ("2 10\n0 0 5 6\n1 2 6 1", "3:8: the file is cut off: expected the rest of a line, got the end of the file; "
                 "if the file is whole, end its last line with a newline"),
            ("1 100 0 0\n0 1 2 3\n1 1 2 3\n", "3:1: expected the end of the file after 1 items"),
            ("1 100 0 0\n0 1 2\n", "2:6: expected 4 fields (index, start, end, size), got 3"),
            ("1 100 0 0\n0 1 2 3 4\n", "2:9: expected the end of the line after the size, got '4'")))

    def test_items(self):
        for row, says in (
                ("0 5 5 3", "2:5: end: expected more than the start 5, got '5'"),
                ("0\t5\t4\t3", "2:5: end: expected more than the start 5, got '4'"),
                ("0 -1 4 3", "2:3: start: expected a number of at least 0, got '-1'"),
                ("0 0 nan 3", "2:5: end: expected a number, got 'nan'"),
                ("0 0 4 NaN", "2:7: size: expected a number, got 'NaN'"),
                ("0 0 4 inf", "2:7: size: expected a number, got 'inf'"),
                ("0 0 4 -1", "2:7: size: expected a number of at least 0, got '-1'"),
                ("0 0 4 101", "2:7: size: expected at most the capacity of a bin, 100, got '101'"),
                ("0 0 1e18 1", "2:5: end: expected a number below 4.6e12, got '1e18'"),
                ("0 2e12 3e12 1", "2:3: start: expected a time below 2^60 millionths, got '2e12'")):
            with self.subTest(row=row):
                self.assertEqual(self.complain("i.txt", f"1 100 0 0\n{row}\n"), says)

    def test_rows_of_samples(self):
        self.check("day.csv", (
            ("a\n", "1:2: expected samples after the name, got none: the horizon is empty"),
            ("a,1,2\nb,3\n", "2:4: expected 2 samples as in line 1, got 1"),
            ("a,1,2\nb,3,4,5\n",
             "2:7: expected 2 samples as in line 1 and the end of the line, got '5'"),
            ("a,1,2\nb,3,NaN\n", "2:5: sample: expected a number, got 'NaN'"),
            ("a,1,2\nb,3,\n", "2:5: sample: expected a number, got nothing"),
            ("a,1,-2\n", "1:5: sample: expected a number of at least 0, got '-2'"),
            ("a,1,101\n", "1:5: 'a': expected at most the capacity of a bin, 100, got 101"),
            ("a,1,2\na,1,2\n", "2:1: name: expected each service once, got 'a'"),
            (",1,2\n", "1:1: name: expected 1 to 255 bytes, got nothing"),
            ("name,0,300\n", "1:1: expected at least one service, got none"),
            ("name,0,300,300\na,1,2,3\n", "1:12: header: expected a time after 300 s, because times must ascend, got '300'"),
            ("name,600,300\na,1,2\n", "1:10: header: expected a time after 600 s, because times must ascend, got '300'"),
            ("name,0,x\na,1,2\n",
             "1:8: time: expected seconds from 0 on, or 2026-01-05T08:30:00Z, got 'x'"),
            ("name,0,60\na,1\n", "2:4: expected 2 samples as in line 1, got 1"),
            ("name\na\n", "2:2: expected samples after the name, got none: the horizon is empty")),
            "--kind", "services")

    def test_lists_of_samples(self):
        self.check("long.csv", (
            ("time,value\n1,2\n", "1:1: header: expected a column 'name' (or 'service')"),
            ("time,name\n1,a\n", "1:1: header: expected a column 'value' (or 'demand')"),
            ("time,service,valeu\n1,a,2\n",
             "1:14: header: expected a column 'value', got 'valeu'; did you mean 'value'?"),
            ("tiem,name,value\n1,a,2\n",
             "1:1: header: expected a column 'time', got 'tiem'; did you mean 'time'?"),
            ("time,srevice,value\n1,a,2\n",
             "1:6: header: expected a column 'name', got 'srevice'; did you mean 'service'?"),
            ("name,value\na,2\n", "1:1: header: expected a column 'time' (or 'timestamp')"),
            (LONG, "1:1: expected at least one sample, got none: the horizon is empty"),
            (LONG + "0,a\n", "2:4: expected 3 fields as in the header, got 2"),
            (LONG + "0,a,1", "2:6: the file is cut off: expected the rest of a line, got the end of the file; "
                 "if the file is whole, end its last line with a newline"),
            (LONG + "-1,a,1\n",
             "2:1: time: expected seconds from 0 on, or 2026-01-05T08:30:00Z, got '-1'"),
            (LONG + "2026-01-32,a,1\n",
             "2:1: time: expected seconds from 0 on, or 2026-01-05T08:30:00Z, got '2026-01-32'"),
            (LONG + "0,,1\n", "2:3: name: expected 1 to 255 bytes, got nothing"),
            (LONG + "0,a,nan\n", "2:5: value: expected a number, got 'nan'"),
            (LONG + "0,a,-0.5\n", "2:5: value: expected a number of at least 0, got '-0.5'"),
            (LONG + "0,a,7\n60,a,100.5\n60,b,1\n",
             "3:6: 'a': expected at most the capacity of a bin, 100, got 100.5")))

    def test_too_fine_a_grid(self):
        says = self.complain("long.csv", LONG + "0,a,1\n0.001,a,1\n86400,a,1\n")
        self.assertIn(" steps of 0.001s from 0 s to 86400 s: expected at most 65536; --sample chooses longer ones", says)
        says = self.complain("long.csv", LONG + "2026-01-05,a,1\n2026-01-05T00:00:01Z,a,1\n2206-01-05,a,1\n")
        self.assertIn(" from 2026-01-05T00:00:00Z to 2206-01-05T00:00:00Z: ", says)

    def test_dates_beside_seconds(self):
        self.check("long.csv", (
            (LONG + "2026-01-05,a,1\n2026-01-05T00:05Z,b,2\n300,a,5\n", "4:1: time: expected a date as before, got '300'"),
            (LONG + "0,a,1\n2026-01-05,a,1\n", "3:1: time: expected seconds as before, got '2026-01-05'"),
            ("name,0,2026-01-05\na,1,2\n", "1:8: time: expected seconds as before, got '2026-01-05'")))
        dates = self.write("d.csv", LONG + "2026-01-05,a,1\n2026-01-05T00:05Z,a,2\n")
        seconds = self.write("s.csv", LONG + "0,a,1\n300,a,2\n")
        says = self.complaint(3, "pack", "--resource", f"x={dates}:9", "--resource", f"y={seconds}:9")
        self.assertEqual(says, f"{seconds}:2:1: time: expected a date as before, got '0'\n")

    def test_lists_of_mig_jobs(self):
        self.check("mig.csv", (
            (MIG, "1:1: expected at least one job, got none"),
            ("seed,job,true_profile\n0,0,1g\n",
             "1:1: header: expected a column 'requested_profile', got 'seed,job,true_profile'"),
            (MIG + "0,0,5g,7g,60\n",
             "2:5: true_profile: expected a profile of h100-80gb such as 1g.10gb, got '5g'"),
            (MIG + "0,0,1g,1g.11gb,60\n",
             "2:8: requested_profile: expected a profile of h100-80gb such as 1g.10gb, got '1g.11gb'"),
            (MIG + "0,0,3g,1g,60\n",
             "2:8: requested_profile: expected one that holds what is needed, 3g.40gb, got '1g'"),
            (MIG + "0,0,4g,3g,60\n",
             "2:8: requested_profile: expected one that holds what is needed, 4g.40gb, got '3g'"),
            (MIG.replace("true_profile", "true_profle"),
             "1:1: header: expected a column 'true_profile', "
             "got 'seed,job,true_profle,requested_profile,d...'"),
            (MIG + "0,0,1g,2g,0\n",
             "2:11: duration_s: expected more than 0 and at most 2^52 millionths of a second, got '0'"),
            (MIG + "0,0,1g,2g,nan\n", "2:11: duration_s: expected a number, got 'nan'"),
            (MIG + "-1,0,1g,2g,60\n",
             "2:1: seed: expected a number from 0 to 9223372036854775807, got '-1'"),
            (MIG + "0,0,1g,2g,60\n1,0,1g,2g,60\n0,1,1g,2g,60\n",
             "4:1: seed: expected all rows of a seed one after another, got '0'"),
            (MIG + "0,0,1g,2g,60", "2:13: the file is cut off: expected the rest of a line, got the end of the file; "
                 "if the file is whole, end its last line with a newline")))

    def test_archives(self):
        path = self.write("set.tar", b"")
        with tarfile.open(path, "w") as archive:
            for name, text in (("good.txt", b"1 9 0 0\n0 1 2 3\n"), ("bad.txt", b"1 9 0 0\n0 1 2 10\n")):
                info = tarfile.TarInfo("set/" + name)
                info.size = len(text)
                archive.addfile(info, io.BytesIO(text))
        self.assertEqual(self.complaint(3, "pack", path),
                         "set/bad.txt:2:7: size: expected at most the capacity of a bin, 9, got '10'\n")
        with open(path, "rb") as file:
            whole = file.read()
        bad = bytearray(whole)
        bad[3] ^= 1
        self.assertIn("the archive is damaged",
                      self.complaint(3, "pack", self.write("bad.tar", bytes(bad))))
        self.assertIn("the archive is damaged",
                      self.complaint(3, "pack", self.write("cut.tar", whole[:520])))

    def test_compressed(self):
        self.assertIn("cannot unpack (gzip): the file is cut off", self.complaint(3, "pack", self.write("g.csv", b"\x1f\x8b\x08")))
        whole = lzma.compress(b"1 9 0 0\n0 1 2 3\n" * 100)
        self.assertIn("cannot unpack", self.complaint(3, "pack", self.write("c.xz", whole[:-9])))
        self.assertIn("cannot open", self.complaint(3, "pack", self.directory + "/none"))


class WrongWords(ProgramTest):
    def test_each_says_what_was_expected(self):
        tbpp = self.write("i.txt", "1 9 0 0\n0 1 2 3\n")
        day = self.write("day.csv", "a,1,2\n")
        mig = self.write("mig.csv", MIG + "0,0,1g,2g,60\n")
        for words, says in (
                ([], "pack needs FILE"),
                ([tbpp, "--method", "ruins"], "did you mean 'ruin'"),
                ([tbpp, "--method", "x"], "--method: expected auto, seed"),
                ([tbpp, "--kind", "service"], "did you mean 'services'"),
                ([tbpp, "--work", "0"], "--work: expected 1 to"),
                ([tbpp, "--bins", "0"], "--bins: expected 1 to"),
                ([tbpp, "--seconds", "0"], "--seconds: expected a number above 0"),
                ([tbpp, "--seconds", "nan"], "--seconds: expected a number above 0"),
                ([tbpp, "--slot", "5m"], "--slot is not for tbpp"),
                ([tbpp, "--gpus", "4"], "--gpus is not for tbpp"),
                ([day, "--timeline", "4"], "--timeline is not for services"),
                ([mig, "--capacity", "4"], "--capacity is not for mig"),
                ([mig, "--bins", "4"], "--bins does not apply to mig; use --gpus"),
                ([mig, mig], "expected one FILE of mig, got 2"),
                ([mig, "--gpus", "0"], "--gpus: expected 1 to 1024"),
                ([mig, "--timeline", "7"], "--timeline: expected a seed of the list, or none, got '7'"),
                ([mig, "--mig-table", "a100"], "--mig-table: expected one of a30, a100-40gb, "),
                ([mig, "--mig-table", "h900"], "h100-80gb, h200-141gb, b200-180gb, got 'h900'"),
                ([day, day], "expected one FILE of services, got 2"),
                ([day, "--capacity", "0"], "--capacity: expected an amount such as 100 or 80GiB"),
                ([day, "--capacity", "5X"], "--capacity: expected an amount"),
                ([day, "--slot", "5"], "--slot: expected widths such as 15m"),
                ([day, "--slot", "5m,,1h"], "--slot: expected widths"),
                ([day, "--slot", "0x5m"], "--slot: expected widths"),
                ([day, "--slot", "12h,x"], "--slot: expected widths"),
                ([day, "--slot", "12x5m,"], "--slot: expected widths"),
                ([day, "--slot", "1d,"], "--slot: expected widths"),
                ([day, "--slot", "1s"], "--slot: expected at most 65536 slots, got more: '1s'"),
                ([day, "--sample", "0"], "--sample: expected a span such as 5m"),
                ([day, "--quantile", "1.5"], "--quantile: expected a number above 0 and at most 1"),
                ([day, "--quantile", "0"], "--quantile: expected a number above 0 and at most 1"),
                ([day, "--n-sigma", "0"], "--n-sigma: expected a number above 0 and at most 10, got '0'"),
                ([day, "--n-sigma", "nan"], "--n-sigma: expected a number above 0"),
                ([day, "--n-sigma", "2", "--quantile", "0.5"], "exclude each other"),
                (["--resource", "cpu"], "--resource: expected NAME=FILE:CAPACITY, got 'cpu'"),
                (["--resource", "a=-:1", "--resource", "b=-:1"], "expected standard input once"),
                (["--resource", "=f:1"], "--resource: expected NAME=FILE:CAPACITY"),
                (["--resource", "cpu=:1"], "--resource: expected NAME=FILE:CAPACITY"),
                (["--resource", f"cpu={day}"], "--resource: expected NAME=FILE:CAPACITY"),
                (["--resource", f"cpu={day}:9", "--resource", f"cpu={tbpp}:9"], "--resource: expected each name once"),
                (["--resource", f"cpu={day}:0"], "--resource: expected an amount"),
                ([day, "--resource", f"cpu={day}:100"], "--resource names the files"),
                (["--resource", f"cpu={day}:100", "--capacity", "4"], "--capacity belongs to FILE; --resource contains its own capacity"),
                ([tbpp, "--work", "5", "--seconds", "1"], "--work and --seconds exclude each other"),
                ([tbpp, "--progress", "--no-progress"], "exclude each other")):
            with self.subTest(words=words):
                self.assertIn(says, self.complaint(2, "pack", *words))


main()
