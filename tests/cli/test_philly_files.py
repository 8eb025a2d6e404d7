"""Wrong lists of the Philly trace and wrong words: each is one line that says where and what."""
import lzma
import subprocess

from lsched_program import PROGRAM, ProgramTest, main

HEAD = "timestamp,duration,num_gpus,gpu_time,cluster\n"
JOB = "2017-10-09 07:01:55,66.0,1,66.0,a\n"
VCS = "vc,node num\na,1\n"


class PhillyTest(ProgramTest):
    def replay(self, jobs=HEAD + JOB, vcs=VCS, name="jobs.csv"):
        self.write("philly_vc.csv", vcs)
        return ("simulate", "philly", self.write(name, jobs), "--policy", "drf", "--gpus", "8")

    def complain(self, **files):
        err = self.complaint(3, *self.replay(**files))
        self.assertEqual(err.count("\n"), 1, err)
        self.assertTrue(err.startswith(self.directory), err)
        return err[len(self.directory) + 1:-1]


class WrongFiles(PhillyTest):
    def test_jobs(self):
        for text, says in (
                ("", "1:1: expected a header line, got an empty file"),
                ("timestamp,duration,num_gpus\n",
                 "1:1: header: expected a column 'cluster', got 'timestamp,duration,num_gpus'"),
                (HEAD, "1:1: expected at least one job, got none"),
                (HEAD + JOB + "2017-10-09 07:01:5",
                 "3:19: the file is cut off: expected the rest of a line, got the end of the file; "
                 "if the file is whole, end its last line with a newline"),
                (HEAD + "\n" + JOB, "2:1: expected 5 fields as in the header, got 1")):
            self.assertEqual(self.complain(jobs=text), "jobs.csv:" + says)

    def test_a_file_that_is_no_such_list_is_named_and_not_the_one_beside_it(self):
        other = self.write("other.csv", "job,minutes\na,1\n")
        for words in (("simulate", "philly", other, "--policy", "drf", "--gpus", "8"),
                      ("compare", "--trace-kind", "philly", "fifo", "drf", other)):
            err = self.complaint(3, *words)
            self.assertIn("other.csv:1:1: header: expected a column 'timestamp', got 'job,minutes'", err)

    def test_fields_of_jobs(self):
        time = "timestamp: expected a time such as 2017-10-09 07:01:55, got "
        seconds = "duration: expected a number of seconds, got "
        far = "duration: expected more than 0 and at most 4294967296 seconds, got "
        for row, says in (
                ("2017-10-09T07:01:55,1,1,1,a", "1: " + time + "'2017-10-09T07:01:55'"),
                ("2017-10-32 07:01:55,1,1,1,a", "1: " + time + "'2017-10-32 07:01:55'"),
                ("2017-02-29 07:01:55,1,1,1,a", "1: " + time + "'2017-02-29 07:01:55'"),
                ("2017-10-09 24:01:55,1,1,1,a", "1: " + time + "'2017-10-09 24:01:55'"),
                ("2017-10-09,1,1,1,a", "1: " + time + "'2017-10-09'"),
                (",1,1,1,a", "1: " + time + "nothing"),
                ("2017-10-09 07:01:55,,1,1,a", "21: " + seconds + "nothing"),
                ("2017-10-09 07:01:55,-1,1,1,a", "21: " + seconds + "'-1'"),
                ("2017-10-09 07:01:55,1e3,1,1,a", "21: " + seconds + "'1e3'"),
                ("2017-10-09 07:01:55,1.,1,1,a", "21: " + seconds + "'1.'"),
                ("2017-10-09 07:01:55,.5,1,1,a", "21: " + seconds + "'.5'"),
                ("2017-10-09 07:01:55,nan,1,1,a", "21: " + seconds + "'nan'"),
                ("2017-10-09 07:01:55,0.0,1,1,a", "21: " + far + "'0.0'"),
                ("2017-10-09 07:01:55,9999999999999999999999,1,1,a",
                 "21: " + far + "'9999999999999999999999'"),
                ("2017-10-09 07:01:55,1,0,1,a",
                 "23: num_gpus: expected a number from 1 to 65536, got '0'"),
                ("2017-10-09 07:01:55,1,1.5,1,a",
                 "23: num_gpus: expected a whole number, got '1.5'"),
                ("2017-10-09 07:01:55,1,1,1,",
                 "27: cluster: expected a name of 1 to 255 bytes, got nothing")):
            self.assertEqual(self.complain(jobs=HEAD + row + "\n"), "jobs.csv:2:" + says)

    def test_vcs(self):
        for text, says in (
                ("vc,nodes\na,1\n", "1:1: header: expected a column 'node num', got 'vc,nodes'"),
                ("vc,node num\n", "1:1: expected at least one VC with a node, got none"),
                ("vc,node num\na,0\n", "2:1: expected at least one VC with a node, got none"),
                ("vc,node num\na,-1\n",
                 "2:3: node num: expected a number from 0 to 1048576, got '-1'"),
                ("vc,node num\na,1\nb,1\na,2\n", "4:1: vc: expected each name once, got 'a'")):
            self.assertEqual(self.complain(vcs=text), "philly_vc.csv:" + says)

    def test_the_list_of_vcs_is_looked_for_beside_the_jobs(self):
        path = self.write("jobs.csv", HEAD + JOB)
        err = self.complaint(3, "simulate", "philly", path, "--policy", "drf", "--gpus", "8")
        self.assertIn(self.directory + "/philly_vc.csv: cannot open", err)

    def test_a_list_may_end_with_an_empty_line(self):
        self.assertEqual(self.lsched_json(*self.replay(jobs=HEAD + JOB + "\n"))["jobs"], 1)

    def test_columns_are_found_by_name(self):
        got = self.lsched_json(*self.replay(
            jobs="cluster,num_gpus,duration,timestamp\na,2,2.5,2017-10-09 07:01:55\n"))
        self.assertEqual((got["jobs"], got["jct_s"]["max"]), (1, 2.5))

    def test_without_two_submissions_there_is_no_time_to_measure(self):
        got = self.lsched_json(*self.replay())
        self.assertIsNone(got["utilization_percent"])
        self.assertIsNone(got["idle_percent"])


class Compressed(PhillyTest):
    def unpacks(self):
        words = self.replay(jobs=lzma.compress((HEAD + JOB).encode()))
        done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False)
        return "built without liblzma" not in done.stderr

    def garbled(self, jobs):
        return self.complaint(3, *self.replay(jobs=jobs))

    def test_xz_is_unpacked_or_refused_with_advice(self):
        words = self.replay(jobs=lzma.compress((HEAD + JOB).encode()), name="jobs.csv.xz")
        if not self.unpacks():
            self.assertIn("xz -dk", self.garbled(lzma.compress(b"x")))
            return
        self.assertEqual(self.lsched_json(*words)["jobs"], 1)

    def test_damaged_xz(self):
        if not self.unpacks():
            return
        whole = lzma.compress((HEAD + 1000 * JOB).encode())
        self.assertIn("jobs.csv: cannot unpack (xz): the file is cut off", self.garbled(whole[:-9]))
        bad = bytearray(whole)
        bad[40] ^= 0x55
        self.assertIn("jobs.csv: cannot unpack (xz): ", self.garbled(bytes(bad)))

    def test_gzip_that_is_cut_off(self):
        self.assertIn("cannot unpack (gzip): the file is cut off", self.garbled(b"\x1f\x8b\x08\x00"))


class WrongWords(ProgramTest):
    def test_each_says_what_was_expected(self):
        jobs = self.write("jobs.csv", HEAD + JOB)
        self.write("philly_vc.csv", VCS)
        good = ["simulate", "philly", jobs, "--policy", "drf"]
        for words, says in (
                (["simulate", "philly"], "simulate philly needs FILE"),
                (["simulate", "phily", jobs], "did you mean 'philly'"),
                (["simulate", "openb", jobs], "unexpected argument"),
                (["simulate", "philly", jobs], "--policy is missing"),
                ([*good[:-1], "no-such"], "no ready-made policy 'no-such'"),
                ([*good, "--gpus", "12", "--gpus-per-node", "8"],
                 "--gpus: expected a multiple of 8"),
                ([*good, "--gpus", "12", "--gpus-per-node", "5"],
                 "--gpus: expected a multiple of 5"),
                ([*good, "--gpus-per-node", "0"], "--gpus-per-node: expected 1 to 128"),
                ([*good, "--gpus-per-node", "129"], "--gpus-per-node: expected 1 to 128"),
                ([*good, "--gpus", "0"], "--gpus: expected a multiple of 1"),
                ([*good, "--gpus", "8388608"], "--gpus: expected at most 1048576"),
                ([*good, "--queues", "vc"], "--queues: expected by-vc or one, got 'vc'"),
                ([*good, "--queues", "one", "--static-partition"], "needs --queues by-vc"),
                ([*good, "--queues", "one", "--vc", "v.csv"], "'one' has none"),
                ([*good, "--static-partition", "--compare-static"], "exclude each other"),
                ([*good, "--window-days", "14"], "expected two days such as 14:70, got '14'"),
                ([*good, "--window-days", "70:14"], "expected two days"),
                ([*good, "--window-days", "1:2x"], "expected two days"),
                ([*good, "--window-days", "1:99999999999999999999"], "expected two days"),
                ([*good, "--release-seconds", "86401"], "expected at most 86400"),
                ([*good, "--seeds", "3"], "--seeds is not for philly"),
                ([*good, "--shuffle-nodes"], "--shuffle-nodes is not for philly"),
                (["simulate", "openb", "--gpus", "8"], "--gpus is not for openb"),
                ([*good, "--progress", "--no-progress"], "exclude each other")):
            self.assertIn(says, self.complaint(2, *words))

    def test_too_many_policies(self):
        jobs = self.write("jobs.csv", HEAD + JOB)
        words = ["simulate", "philly", jobs] + 9 * ["--policy", "drf"]
        self.assertIn("--policy is given more than 8 times", self.complaint(2, *words))


main()
