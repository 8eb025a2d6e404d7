"""lsched slurm check and shadow: the site of examples/slurm as an admin sees it, and files that are wrong."""
import collections
import json
import re


from lsched_program import ProgramTest, main

SITE = "examples/slurm/"
CONF = """SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
NodeName=n[0-3] CPUs=16 RealMemory=64000 Gres=gpu:4 Feature=fast
PartitionName=main Nodes=ALL Default=YES
"""


def job(number, state="PENDING", reason="Priority", **fields):
    """A block of scontrol show job with what lsched reads of it."""
    values = {"Account": "a", "Partition": "main", "TimeLimit": "01:00:00", "SubmitTime": "2026-03-02T08:00:00",
              "StartTime": "Unknown", "NodeList": "(null)", "NumNodes": "1-1", "NumCPUs": "1", "NumTasks": "1",
              "CPUs/Task": "1", "TRES": "cpu=1,mem=100M,node=1", "MinCPUsNode": "1", "MinMemoryNode": "100M"}
    values.update((key.replace("_", "/"), value) for key, value in fields.items())
    rest = "".join(f"   {key}={value}\n" for key, value in values.items())
    return f"JobId={number} JobName=job{number}\n   JobState={state} Reason={reason} Dependency=(null)\n{rest}\n"


class Site(ProgramTest):
    def check(self, jobs, *more, conf=CONF, expect=0):
        return self.lsched_json("slurm", "check", "--conf", self.write("slurm.conf", conf), "--dump",
                                self.write("jobs.txt", "".join(jobs)), *more, expect=expect)

    def fates(self, jobs, *more, **rest):
        got = self.check(jobs, *more, **rest)
        return {row["job"]: row for row in got["jobs"]}


class Examples(ProgramTest):
    ALL = ("--conf", SITE + "slurm.conf", "--gres", SITE + "gres.conf", "--topology", SITE + "topology.conf",
           "--dump", SITE + "nodes.txt", "--dump", SITE + "jobs.txt", "--queues", SITE + "libsched.yaml")

    def test_what_cannot_be_understood_has_file_and_line(self):
        out, _ = self.lsched("slurm", "check", *self.ALL)
        self.assertIn("nodes.conf:4: Wieght is no field of NodeName that lsched knows; it is ignored", out)
        self.assertIn("slurm.conf:10: partition desk names 1 node that no NodeName line has, first d9", out)

    def test_every_job_is_told_of(self):
        got = self.lsched_json("slurm", "check", *self.ALL)
        fates = {row["job"]: row["fate"] for row in got["jobs"]}
        self.assertEqual(fates, {
            "101": "runs", "102": "runs", "103": "runs", "110": "waits", "112": "waits", "117": "waits",
            **{f"111_{i}": "waits" if i <= 4 else "slurm" for i in range(1, 7)},
            "113": "no-image", "114": "no-image", "115": "slurm", "116": "slurm", "118": "no-image"})
        texts = {row["job"]: row.get("text") for row in got["jobs"]}
        self.assertEqual(texts["114"], "the option --contiguous has no image in libsched")
        self.assertEqual(texts["118"], "the account physics is no queue of libsched")
        self.assertEqual(texts["111_5"], "JobArrayTaskLimit")
        self.assertIn("8 GPUs on one node", texts["110"])

    def test_the_quota_lets_the_gang_start_when_its_own_queue_gives_room(self):
        got = self.lsched_json("slurm", "check", *self.ALL)
        gang = next(row for row in got["jobs"] if row["job"] == "110")
        self.assertFalse(gang["starts_now"])
        self.assertGreater(gang["starts_us"], got["now_s"] * 1000000)
        self.assertRegex(gang["nodes"], r"g\d\d")

    def test_both_forms_of_outputs_say_the_same(self):
        text = self.lsched_json("slurm", "check", "--dump", SITE + "nodes.txt", "--dump", SITE + "jobs.txt")
        shadow = self.lsched_json("slurm", "shadow", "--squeue", SITE + "squeue.json", "--sinfo", SITE + "sinfo.json")
        self.assertEqual(text["jobs"], shadow["jobs"])
        self.assertEqual([kind["nodes"] for kind in text["node_kinds"]],
                         [kind["nodes"] for kind in shadow["node_kinds"]])

    def test_shadow_says_how_much_earlier(self):
        got = self.lsched_json("slurm", "shadow", "--squeue", SITE + "squeue.json", "--sinfo", SITE + "sinfo.json")
        difference = 0
        for row in got["jobs"]:
            if row["fate"] == "waits" and row["slurm_starts_us"] and row["starts_us"]:
                difference += row["slurm_starts_us"] - row["starts_us"]
        self.assertEqual(got["difference"]["gained_s"] - got["difference"]["lost_s"], difference // 1000000)
        out, _ = self.lsched("slurm", "shadow", "--squeue", SITE + "squeue.json", "--sinfo", SITE + "sinfo.json")
        self.assertRegex(out, r"111_1 +sweep +speech +batch +in 6.5 h +now +6.5 h earlier +g0[56]")

    def test_shadow_tells_of_a_queue_without_jobs(self):
        for queue in (SITE + "sinfo.json", self.write("q", '{"jobs": []}'), self.write("e", "")):
            out, _ = self.lsched("slurm", "shadow", "--squeue", queue, "--sinfo", SITE + "sinfo.json")
            self.assertIn(f"{queue}:1: there is no job in this file; expected the output of squeue --json", out)
        out, _ = self.lsched("slurm", "shadow", "--squeue", SITE + "squeue.json", "--sinfo", SITE + "sinfo.json")
        self.assertNotIn("there is no job", out)

    def test_dumps_that_are_cut_off(self):
        """Cut behind each line, a dump gives an error, a remark, or the jobs that its whole records have."""
        with open(SITE + "jobs.txt", encoding="utf-8") as file:
            text = file.read()
        words = ("slurm", "check", "--conf", SITE + "slurm.conf", "--gres", SITE + "gres.conf", "--dump", SITE + "nodes.txt")
        whole = {row["job"]: row for row in self.lsched_json(*words, "--dump", SITE + "jobs.txt")["jobs"]}
        lines = text.splitlines(keepends=True)
        for n in range(1, len(lines), 3):
            got = self.lsched_json(*words, "--dump", self.write("jobs.txt", "".join(lines[:n])))
            for row in got["jobs"]:
                if row["partition"] is None:  # Slurm has started it or holds it, or it is left out
                    self.assertIn(row["fate"], ("ended", "runs", "slurm"), n)
                else:
                    self.assertEqual(row["partition"], whole[row["job"]]["partition"], n)
        self.assertIn(": the file is cut off: expected the rest of a line, got the end of the file",
                      self.complaint(3, *words, "--dump", self.write("jobs.txt", text[:4000])))

    def test_what_outputs_lack_is_told(self):
        words = ("slurm", "check", "--conf", SITE + "slurm.conf", "--gres", SITE + "gres.conf", "--dump")

        def told(text, *more):
            return self.lsched(*words, self.write("dump", text), *more)[0]

        with open(SITE + "nodes.txt", encoding="utf-8") as file:
            nodes = file.read()
        self.assertNotIn("of slurm.conf are not in the output", told(nodes))
        self.assertIn("7 nodes of slurm.conf are not in the output of scontrol show node, first g02", told(nodes.split("\n\n")[0] + "\n"))
        for text in ("", '{"jobz": []}', '{"jobs": {}}'):
            self.assertIn("dump:1: there is no node, job, partition, reservation or licence in this file", told(text))
        job = {"job_id": 9, "name": "x", "user_name": "u", "partition": "batch", "job_state": ["PENDING"], "cpus": {"number": 1}}
        self.assertNotIn("job 9", told(json.dumps({"jobs": [job]}), "--dump", SITE + "nodes.txt").split("nodes by kind")[0])
        for key, value, says in (("partition", None, "job 9: expected a Partition"), ("job_state", None, "job 9: JobState: expected a state of Slurm, got nothing"),
                                 ("job_state", ["WAITING"], "job 9: JobState: expected a state of Slurm, got 'WAITING'")):
            wrong = {**job, key: value}
            self.assertIn(says, told(json.dumps({"jobs": [wrong]})))

    def test_shadow_reads_standard_input(self):
        with open(SITE + "squeue.json", encoding="utf-8") as file:
            out, _ = self.lsched("slurm", "shadow", "--squeue", "-", "--sinfo", SITE + "sinfo.json", stdin=file.read())
        self.assertIn("8 nodes", out)

    def test_the_scenario_is_what_run_takes(self):
        path = self.write("site.yaml", "")
        self.lsched("slurm", "check", *self.ALL, "--scenario", path)
        got = self.lsched_json("run", path)
        starts = {d["job"] for d in got["cycles"][0]["decisions"] if d["kind"] == "place"}
        planned = {row["job"] for row in self.lsched_json("slurm", "check", *self.ALL)["jobs"] if row.get("starts_now")}
        self.assertEqual(starts, planned)
        out, _ = self.lsched("slurm", "check", *self.ALL, "--scenario", "-")
        with open(path, encoding="utf-8") as file:
            self.assertEqual(out, file.read())


class Options(Site):
    def test_requests(self):
        path = self.write("site.yaml", "")
        self.check([job(1, NumNodes="2-2", NumCPUs="8", NumTasks="2", TRES="cpu=8,node=2", TresPerNode="gres:gpu:2",
                        MinMemoryNode="0", MinMemoryCPU="500M", MinCPUsNode="4"),
                    job(2, NumNodes="1-3", TRES="cpu=1,node=1"), job(3, NumNodes="1", NumTasks="6", NumCPUs="6",
                                                                    TRES="cpu=6,node=1"),
                    job(4, NumNodes="1", TresPerJob="gres:gpu:3"), job(5, TresPerTask="gres/gpu:2", NumTasks="2"),
                    job(6, OverSubscribe="NO"), job(7, Features="fast|slow&big"), job(8, ReqNodeList="n[1-2]"),
                    job(9, ExcNodeList="n3", BatchFlag="0")], "--scenario", path)
        with open(path, encoding="utf-8") as file:
            text = {re.match(r'  - \{name: "(\d+)"', line).group(1): line for line in file if '{name: "' in line
                    and re.match(r'  - \{name: "(\d+)"', line)}
        self.assertIn("count: 2, max_tasks_per_node: 1, cpu: 4, memory: 2000Mi, gpu: 2", text["1"])
        self.assertIn("count: 3, min: 1, fixed_at_start: true, max_tasks_per_node: 1", text["2"])
        self.assertIn("{count: 6, cpu: 1, memory: 17Mi,", text["3"])
        self.assertIn("{count: 3, cpu: 1, memory: 34Mi, gpu: 1,", text["4"])
        self.assertIn("gpu: 4", text["5"])
        self.assertIn("slurm_node: 65536", text["6"])
        self.assertIn('[{"partition/main": "yes", "feature/fast": "yes", reservation: {absent: true}}, {"partition/main": '
                      '"yes", "feature/slow": "yes", "feature/big": "yes", reservation: {absent: true}}]', text["7"])
        self.assertIn('node: ["-", "n1", "n2"]', text["8"])
        self.assertIn('node: {not-in: ["-", "n3"]}', text["9"])
        self.assertIn("preemptible: false", text["9"])

    def test_what_has_no_image_names_its_option(self):
        cases = {"--contiguous": {"Contiguous": "1"}, "--exclusive=user": {"OverSubscribe": "USER"},
                 "--constraint with brackets": {"Features": "[a*1&b*2]"}, "--gpus-per-socket": {"TresPerSocket": "gres:gpu:1"},
                 "--gres=shard without": {"TresPerNode": "gres:shard:1"}, "--gres=mps without": {"TresPerNode": "gres:mps:50"},
                 "--bb": {"BurstBuffer": "x"}, "heterogeneous": {"HetJobId": "7"},
                 "--nodelist with fewer": {"ReqNodeList": "n1", "NumNodes": "2-2", "TRES": "node=2"},
                 "--gpus that cannot be divided": {"NumNodes": "2-2", "TRES": "node=2", "TresPerJob": "gres:gpu:3"}}
        jobs = [job(i + 1, **fields) for i, fields in enumerate(cases.values())]
        rows = self.fates(jobs)
        for i, option in enumerate(cases):
            self.assertEqual(rows[str(i + 1)]["fate"], "no-image", option)
            self.assertIn(option, rows[str(i + 1)]["text"])
            self.assertIn("has no image in libsched", rows[str(i + 1)]["text"])

    PARTS = CONF.replace("Gres=gpu:4 ", "Gres=gpu:4,mps:400,shard:16 ")

    def test_mps_and_shards_are_shares_of_one_gpu(self):
        running = job(1, "RUNNING", "None", NodeList="n0", TresPerNode="gres:mps:50", StartTime="2026-03-02T07:00:00")
        jobs = [running] + [job(i, TresPerNode="gres:mps:50", ReqNodeList="n0") for i in (2, 3)]
        jobs += [job(4, TresPerNode="gres:mps:150"), job(5, TresPerNode="gres:shard:5"),
                 job(6, TresPerNode="gres:shard:4"), job(7, TresPerNode="gres:gpu:1,gres:mps:10")]
        got = self.check(jobs, conf=self.PARTS)
        rows = {row["job"]: row for row in got["jobs"]}
        # one GPU of a node serves MPS, so the third half waits for the first
        self.assertEqual([number for number in "2367" if rows[number].get("starts_now")], ["2", "6"])
        for number, option in (("4", "--gres=mps above that of one GPU"), ("5", "--gres=shard above that of one GPU"),
                               ("7", "beside other parts or whole GPUs")):
            self.assertIn(option, rows[number]["text"])
        self.assertEqual([(row["option"], row["jobs"]) for row in got["about"]], [("--gres=mps:N, shard:N", 3)])
        image = self.write("image.yaml", "")
        self.check(jobs, "--scenario", image, conf=self.PARTS)
        starts = {d["job"] for d in self.lsched_json("run", image)["cycles"][0]["decisions"]}
        self.assertEqual(starts, {"2", "6"})

    def test_nodes_with_different_parts_of_a_gpu(self):
        conf = self.PARTS + "NodeName=m0 CPUs=16 RealMemory=64000 Gres=gpu:2,mps:100\n"
        rows = self.fates([job(1, TresPerNode="gres:mps:50"), job(2, TresPerNode="gres:shard:2")], conf=conf)
        self.assertIn("--gres=mps without an equal amount on each GPU", rows["1"]["text"])
        self.assertTrue(rows["2"]["starts_now"])

    LICENCES = CONF + "Licenses=tool:4,rare,bad:x,far@srv:2\n"

    def test_licences_are_counted_by_job(self):
        jobs = [job(1, "RUNNING", "None", NodeList="n0", Licenses="tool:3", StartTime="2026-03-02T07:00:00"),
                job(2, Licenses="tool:2"), job(3, Licenses="tool:1,rare"), job(4, Licenses="rare:1"),
                job(5, NumNodes="3-3", NumTasks="3", TRES="cpu=3,node=3", Licenses="far@srv:2"), job(6, Licenses="far@srv:1,far@srv")]
        got = self.check(jobs, conf=self.LICENCES)
        rows = {row["job"]: row for row in got["jobs"]}
        self.assertEqual([number for number in "23456" if rows[number]["starts_now"]], ["3", "5"])
        self.assertIn("needs 2 of the licence tool; 0 are left", rows["2"]["text"])
        self.assertIn("needs 1 of the licence rare; 0 are left", rows["4"]["text"])
        self.assertIn("needs 2 of the licence far@srv; 0 are left", rows["6"]["text"])
        self.assertEqual(got["about"], [])
        self.assertTrue(any("Licenses: expected name:count, got 'bad:x'" in text for text in got["remarks"]))

    def test_the_output_of_show_licenses_counts_more_than_slurm_conf(self):
        shown = ("LicenseName=tool\n    Total=4 Used=3 Free=0 Reserved=1 Remote=no\n"
                 "LicenseName=extern@srv\n    Total=9 Used=2 Free=7 Remote=yes\n")
        as_json = json.dumps({"licenses": [
            {"LicenseName": "tool", "Total": 4, "Used": 3, "Free": 0, "Reserved": 1, "Remote": False},
            {"LicenseName": "extern@srv", "Total": 9, "Used": 2, "Free": 7, "Reserved": 0, "Remote": True}]})
        jobs = [job(1, "RUNNING", "None", NodeList="n0", Licenses="tool:2", StartTime="2026-03-02T07:00:00"),
                job(2, Licenses="tool:1"), job(3, Licenses="extern@srv:7"), job(4, Licenses="extern@srv:1"),
                job(5, Licenses="tool:3")]
        for text in (shown, as_json):
            rows = self.fates(jobs, "--dump", self.write("licenses", text), conf=self.LICENCES)
            self.assertEqual([number for number in "2345" if rows[number]["starts_now"]], ["3"])
            self.assertIsNotNone(rows["2"]["starts_us"])  # when job 1 gives its licences back
            self.assertIsNone(rows["5"]["starts_us"])     # job 1 has 2, and others keep the rest

    def test_licences_that_libsched_leaves_to_slurm(self):
        jobs = [job(1, Licenses="ghost:7"), job(2, Licenses="tool:1|rare"), job(3, Licenses="tool:x"),
                job(4, Licenses=",".join(f"l{i}" for i in range(9))), job(5, Licenses="l1:99999999")]
        conf = CONF + "Licenses=tool:4,rare:1," + ",".join(f"l{i}:1" for i in range(9)) + "\n"
        got = self.check(jobs, conf=conf)
        rows = {row["job"]: row for row in got["jobs"]}
        self.assertTrue(rows["1"]["starts_now"])
        self.assertEqual([(row["option"], row["jobs"]) for row in got["about"]], [("--licenses", 1)])
        for number, option in (("2", "--licenses with '|'"), ("3", "--licenses with such a number"),
                               ("4", "--licenses with more than 8 names"), ("5", "--licenses with such a number")):
            self.assertIn(option, rows[number]["text"])

    def test_a_reservation_keeps_its_nodes(self):
        reservation = "ReservationName=maint StartTime=x\n   Nodes=n[0-2] State=ACTIVE\n\n"
        rows = self.fates([reservation, job(1, NumNodes="2-2", TRES="cpu=2,node=2"), job(2, Reservation="maint")])
        self.assertFalse(rows["1"]["starts_now"])
        self.assertTrue(rows["2"]["starts_now"])
        self.assertIn(rows["2"]["nodes"], ("n0", "n1", "n2"))

    def test_a_running_job_holds_its_room_until_its_limit(self):
        rows = self.fates([job(1, "RUNNING", "None", NodeList="n[0-3]", NumNodes="4", NumCPUs="64", TRES="cpu=64,node=4",
                               StartTime="2026-03-02T07:30:00"), job(2, NumCPUs="16", TRES="cpu=16,node=1")])
        self.assertEqual(rows["2"]["starts_us"], 1772440200 * 1000000)  # 08:30:00
        self.assertEqual(rows["2"]["wait"], "room")

    def test_a_long_list_of_hosts_becomes_a_label(self):
        conf = CONF.replace("n[0-3]", "n[0-399]")
        rows = self.fates([job(1, ExcNodeList="n[0-398]"), job(2, ReqNodeList="n[0-249]", NumNodes="250-250",
                                                               NumTasks="250", NumCPUs="250", TRES="cpu=250,node=250")],
                          conf=conf)
        self.assertEqual(rows["1"]["nodes"], "n399")
        self.assertEqual(rows["2"]["nodes"], "n[0-249]")

    def test_names_that_a_scenario_would_read_otherwise(self):
        rows = self.fates([job(1, Account='a[1-3]"\\'), job(2, Features="x:y{}")])
        self.assertTrue(rows["1"]["starts_now"])
        self.assertFalse(rows["2"]["starts_now"])

    @staticmethod
    def fate_counts(got):
        return collections.Counter(row["fate"] for row in got["jobs"])

    def test_a_job_twice_counts_once(self):
        got = self.check([job(1), job(1)])
        self.assertEqual(sorted(row["fate"] for row in got["jobs"]), ["ended", "waits"])
        self.assertIn("job 1 stands here again", got["remarks"][0])
        # the elements of an array are left out before their limit is applied
        array = job(7, ArrayJobId="7", ArrayTaskId="1-6%2")
        once, twice = self.check([array]), self.check([array, array])
        self.assertEqual(self.fate_counts(twice) - self.fate_counts(once), {"ended": 6})

    def test_free_text_is_no_field(self):
        rows = self.fates([job(1, Comment="it's NumNodes=99-99 JobState=RUNNING", Command="x Contiguous=1")])
        self.assertTrue(rows["1"]["starts_now"])

    def test_an_array_beyond_the_window(self):
        rows = self.fates([job(7, ArrayJobId="7", ArrayTaskId="1-5000:2,9000")])
        self.assertEqual(len(rows), 100)
        self.assertIn("7_199", rows)

    def test_drained_nodes_take_no_work(self):
        node = "NodeName=n0 CPUTot=16\n   State=IDLE+DRAIN Partitions=main\n   Reason=State=fine [root@x]\n"
        got = self.check([node, job(1, NumNodes="4-4", NumTasks="4", NumCPUs="4", TRES="cpu=4,node=4")])
        self.assertEqual(sum(kind["down"] for kind in got["node_kinds"]), 1)
        self.assertEqual(got["jobs"][0]["starts_us"], None)


class Conf(Site):
    def nodes(self, text):
        got = self.lsched_json("slurm", "check", "--conf", self.write("slurm.conf", text))
        return got["node_kinds"], got["remarks"]

    def test_lines_keys_and_quotes(self):
        kinds, remarks = self.nodes('nodename=n[08-10],x[1-2]y[a] CPUS=4 RealMemory = 2000 \\\n  feature="a,b" # no\n'
                                    "NodeName=n[08-10],m3 Procs=4 realmemory=2000 Features=a,b\n")
        self.assertEqual([kind["names"] for kind in kinds], ["m3, n[08-10]"])
        self.assertIn("slurm.conf:1: expected a range of numbers", remarks[0])

    def test_defaults_are_overridden(self):
        kinds, _ = self.nodes("NodeName=DEFAULT CPUs=4 RealMemory=1\nNodeName=a\nNodeName=b CPUs=8\n"
                              "NodeName=DEFAULT CPUs=2\nNodeName=c\n")
        self.assertEqual([kind["cpus"] for kind in kinds], [4, 8, 2])

    def test_an_included_file_beside(self):
        self.write("more.conf", "NodeName=z CPUs=3\nIncldue x\n")
        kinds, remarks = self.nodes("INCLUDE more.conf\n")
        self.assertEqual(kinds[0]["cpus"], 3)
        self.assertIn("more.conf:2: expected Key=Value, got 'Incldue'", remarks[0])

    def test_numbers_that_are_none(self):
        _, remarks = self.nodes("NodeName=n CPUs=4x\nPartitionName=p Nodes=n,q MaxTime=1:2:3:4\nNodeNmae=m CPUs=2\n")
        self.assertIn("slurm.conf:1: CPUEfctv: expected a number, got '4x'", remarks[0])
        self.assertTrue(any("slurm.conf:2: MaxTime: expected" in text for text in remarks))
        self.assertTrue(any("slurm.conf:3: expected NodeName or PartitionName" in text for text in remarks))
        self.assertTrue(any("partition p names 1 node that no NodeName line has, first q" in text for text in remarks))


class Wrong(ProgramTest):
    def test_no_such_file(self):
        self.assertIn("cannot open", self.complaint(3, "slurm", "check", "--conf", "/nowhere/slurm.conf"))
        conf = self.write("slurm.conf", "NodeName=n\ninclude missing.conf\n")
        self.assertIn("missing.conf: cannot open", self.complaint(3, "slurm", "check", "--conf", conf))

    def test_not_an_output_of_scontrol(self):
        err = self.complaint(3, "slurm", "check", "--dump", self.write("x", "USER PID\nroot 1\n"))
        self.assertIn("x:1:1: expected a line that begins with NodeName=, JobId=", err)
        self.assertIn("scontrol show node, job", err)

    def test_json_that_is_cut_off(self):
        with open(SITE + "squeue.json", encoding="utf-8") as file:
            text = file.read()
        err = self.complaint(3, "slurm", "shadow", "--squeue", self.write("q", text[:4000]), "--sinfo", SITE + "sinfo.json")
        self.assertRegex(err, r"q:\d+:\d+: expected JSON: .*; is the file whole\?")

    def test_the_sums_of_newer_releases(self):
        sums = self.write("i", json.dumps({"sinfo": [{"nodes": {"total": 3}}]}))
        err = self.complaint(3, "slurm", "shadow", "--squeue", SITE + "squeue.json", "--sinfo", sums)
        self.assertIn("use the output of scontrol show nodes --json", err)

    def test_no_nodes(self):
        err = self.complaint(3, "slurm", "check", "--conf", self.write("slurm.conf", "ClusterName=x\n"))
        self.assertIn("expected nodes", err)

    def test_the_command_line(self):
        self.assertIn("expected check, shadow", self.complaint(2, "slurm", "chekc"))
        self.assertIn("shadow needs --squeue", self.complaint(2, "slurm", "shadow"))
        self.assertIn("check needs --conf", self.complaint(2, "slurm", "check"))
        self.assertIn("--sacct is not for check", self.complaint(2, "slurm", "check", "--sacct", "x"))

    def test_a_queue_file_with_an_error_keeps_its_line(self):
        queues = self.write("q.yaml", "policy: guaranteed-quota\nqueues:\n  - {nmae: a}\n")
        err = self.complaint(3, "slurm", "check", "--conf", self.write("slurm.conf", CONF), "--queues", queues)
        self.assertIn("q.yaml:3:6: ", err)


class Newer(ProgramTest):
    """The JSON of newer releases: states in lists, numbers as objects. Written from their documentation."""

    def test_numbers_as_objects(self):
        def number(value):
            return {"set": True, "infinite": False, "number": value}
        nodes = {"nodes": [{"name": "n0", "cpus": 8, "real_memory": 1000, "state": ["IDLE", "DRAIN"], "partitions": ["p"]},
                           {"name": "n1", "cpus": 8, "real_memory": 1000, "state": ["IDLE"], "partitions": ["p"], "gres": "gpu:2",
                            "features": ["a", "b"]}]}
        jobs = {"jobs": [{"job_id": 5, "job_state": ["PENDING"], "state_reason": "Priority", "partition": "p",
                          "time_limit": number(30), "node_count": number(1), "max_nodes": number(1), "cpus": number(4),
                          "tasks": number(1), "submit_time": number(1795900629), "tres_req_str": "cpu=4,mem=100M,node=1",
                          "memory_per_node": {"set": False, "infinite": True, "number": 0}, "tres_per_node": "gres/gpu:1",
                          "features": "a&b", "start_time": {"set": True, "infinite": False, "number": 0}}]}
        got = self.lsched_json("slurm", "shadow", "--squeue", self.write("q", json.dumps(jobs)),
                               "--sinfo", self.write("i", json.dumps(nodes)))
        self.assertEqual([kind["down"] for kind in got["node_kinds"]], [1, 0])
        self.assertEqual((got["jobs"][0]["starts_now"], got["jobs"][0]["nodes"]), (True, "n1"))

    def test_escapes_of_two_parts(self):
        jobs = json.dumps({"jobs": [{"job_id": 5, "name": "\U0001F600\\\\ud83d", "job_state": "RUNNING", "nodes": "n"}]})
        self.assertIn("\\ud83d\\ude00", jobs)
        got = self.lsched_json("slurm", "shadow", "--squeue", self.write("q", jobs),
                               "--sinfo", self.write("i", json.dumps({"nodes": [{"name": "n", "cpus": 2}]})))
        self.assertEqual(got["jobs"][0]["name"], "\U0001F600\\\\ud83d")


if __name__ == "__main__":

    main()
