"""lsched simulate openb on clusters small enough to know the answer, and what it prints."""
import copy

from lsched_program import NODES, TASKS, ProgramTest, main

NODES_HEAD = "sn,cpu_milli,memory_mib,gpu,model\n"
TASKS_HEAD = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\n"
POLICIES = ("best-fit", "fgd", "least-fragmentation")


class SmallClusters(ProgramTest):
    def simulate(self, nodes, tasks, policy="best-fit", *more):
        return self.lsched_json("simulate", "openb",
                                "--nodes", self.write("n.csv", NODES_HEAD + nodes),
                                "--tasks", self.write("t.csv", TASKS_HEAD + tasks),
                                "--policy", policy, "--seeds", "3", *more)

    def test_tasks_of_one_gpu_fill_every_cluster(self):
        # 4 GPUs: 100 % after 4 arrivals, 130 % (5.2) with the 6th; two find no room.
        nodes = "a,8000,1024,2,T4\nb,8000,1024,2,P100\n"
        for policy in POLICIES:
            got = self.simulate(nodes, "t,1000,100,1,1000,\n", policy)
            self.assertEqual(got["unallocated_gpu_percent"]["100"]["mean"], 0)
            self.assertEqual(got["unallocated_gpu_percent"]["130"]["mean"], 0)
            self.assertEqual((got["arrivals"], got["placed"], got["dropped"]), (18, 12, 6))

    def test_what_only_half_of_the_nodes_can_hold_leaves_the_other_half(self):
        nodes = "a,8000,1024,2,T4\nb,8000,1024,2,P100\n"
        for spec in ("T4", "T4|V100"):
            got = self.simulate(nodes, f"t,1000,100,1,1000,{spec}\n")
            self.assertEqual(got["unallocated_gpu_percent"]["100"],
                             {"mean": 50, "sd": 0, "published": None})

    def test_cpu_and_memory_bound_too(self):
        self.assertEqual(self.simulate("a,1500,1024,4,T4\n", "t,1000,100,1,1000,\n")
                         ["unallocated_gpu_percent"]["130"]["mean"], 75)
        self.assertEqual(self.simulate("a,9000,250,4,T4\n", "t,1000,100,1,1000,\n")
                         ["unallocated_gpu_percent"]["130"]["mean"], 50)

    def test_shares_of_one_gpu_do_not_span_two(self):
        # 600 of 1000 on each of two devices: 40 % stay free whatever arrives.
        got = self.simulate("a,64000,1024,2,T4\n", "t,1000,100,1,600,\n")
        self.assertEqual(got["unallocated_gpu_percent"]["130"]["mean"], 40)

    def test_several_gpus_are_taken_on_one_node(self):
        got = self.simulate("a,64000,1024,3,T4\nb,64000,1024,3,T4\n", "t,1000,100,2,1000,\n")
        self.assertAlmostEqual(got["unallocated_gpu_percent"]["130"]["mean"], 100 / 3, places=3)

    def test_lower_bound(self):
        two_models = "a,8000,1024,2,T4\nb,8000,1024,2,P100\n"
        for nodes, task, totals, pieces in (
                (two_models, "t,1000,100,1,1000,\n", 0, 0),
                (two_models, "t,1000,100,1,1000,T4\n", 50, 50),  # four want two
                (two_models, "t,6000,100,1,1000,\n", 33.3, 33.3),  # cpu for 2.67 of four
                (two_models, "t,1000,100,2,1000,P100|K80\n", 50, 50),
                # At 100 % four tasks of 600 have arrived, and only two find a device.
                ("a,64000,1024,2,T4\n", "t,1000,100,1,600,\n", 0, 40),
                ("a,64000,1024,2,T4\n", "t,1000,100,1,500,\n", 0, 0)):
            got = self.simulate(nodes, task)
            bound = got["lower_bound_percent"]
            self.assertAlmostEqual(bound["totals"], totals, places=1)
            self.assertAlmostEqual(bound["pieces"], pieces, places=1)
            self.assertLessEqual(bound["pieces"],
                                 got["unallocated_gpu_percent"]["100"]["mean"] + 0.01)

    def test_columns_are_found_by_name_and_line_ends_may_be_dos(self):
        nodes = self.write("n.csv", "\ufeffmodel,gpu,extra,sn,memory_mib,cpu_milli\r\n"
                                    "T4,2,?,a,99,9\r\n")
        tasks = self.write("t.csv", "gpu_milli,num_gpu,gpu_spec,name,cpu_milli,memory_mib\r\n"
                                    "1000,1,,t,1,1\r\n")
        got = self.lsched_json("simulate", "openb", "--nodes", nodes, "--tasks", tasks,
                               "--policy", "best-fit", "--seeds", "1")
        self.assertEqual((got["nodes"], got["gpus"], got["placed"]), (1, 2, 2))


class Output(ProgramTest):
    def simulate(self, *words, expect=0):
        return self.lsched("simulate", "openb", "--nodes", NODES, "--tasks", TASKS, *words,
                           expect=expect)

    def test_json_has_the_documented_keys_in_order(self):
        got = self.lsched_json("simulate", "openb", "--nodes", NODES, "--tasks", TASKS,
                               "--policy", "best-fit", "--seeds", "2", "--seed-first", "7")
        self.assertEqual(list(got), ["policy", "unallocated_gpu_percent", "lower_bound_percent", "decisions_per_s",
                                     "seeds", "seed_first", "nodes_shuffled", "nodes", "gpus",
                                     "tasks", "arrivals", "placed", "dropped", "runs"])
        self.assertEqual((got["policy"], got["seeds"], got["seed_first"], got["nodes"],
                          got["gpus"], got["tasks"]), ("best-fit", 2, 7, 1213, 6212, 8152))
        self.assertEqual([run["seed"] for run in got["runs"]], [7, 8])
        self.assertGreater(got["decisions_per_s"], 0)
        marks = got["unallocated_gpu_percent"]
        self.assertEqual(list(marks), ["100", "130"])
        for mark, numbers in marks.items():
            runs = [run["unallocated_gpu_percent"][mark] for run in got["runs"]]
            self.assertAlmostEqual(numbers["mean"], sum(runs) / 2, places=3)
            self.assertAlmostEqual(numbers["sd"], abs(runs[0] - runs[1]) / 2 ** 0.5, places=3)
        self.assertEqual(marks["100"]["published"], 7.14)

    def test_two_runs_decide_the_same_and_the_order_of_nodes_means_nothing(self):
        words = ["simulate", "openb", "--nodes", NODES, "--tasks", TASKS, "--seeds", "2"]
        for policy in POLICIES:
            words += ["--policy", policy]
        one, two = self.lsched_json(*words), self.lsched_json(*words)
        shuffled = self.lsched_json(*words, "--shuffle-nodes")
        self.assertEqual([each["policy"] for each in one], list(POLICIES))
        for a, b, c in zip(one, two, shuffled):
            self.assertEqual(a["runs"], b["runs"])
            self.assertEqual(a["runs"], c["runs"])
            self.assertTrue(c["nodes_shuffled"])
            timeless = copy.deepcopy(b)
            timeless["decisions_per_s"] = a["decisions_per_s"]
            self.assertEqual(a, timeless)

    def test_the_table_compares_with_the_paper_and_with_the_first_policy(self):
        out, err = self.simulate("--policy", "best-fit", "--policy", "fgd", "--seeds", "1")
        self.assertEqual(err, "")  # no progress bar without a terminal
        self.assertIn("1,213 nodes with 6,212 GPUs", out)
        self.assertRegex(out, r"\nbest-fit +7\.14 +\d\.\d\d +0\.00 +[+-]\d\.\d\d +- ")
        self.assertRegex(out, r"\nfgd +4\.77 +\d\.\d\d +0\.00 +[+-]\d\.\d\d +-\d\.\d\d ")
        self.assertLessEqual(max(map(len, out.splitlines())), 80)

    def test_the_paper_is_not_quoted_beside_other_lists(self):
        with open(TASKS, encoding="ascii") as tasks:
            shorter = self.write("t.csv", "".join(tasks.readlines()[:-1]))
        out, _ = self.lsched("simulate", "openb", "--nodes", NODES, "--tasks", shorter,
                             "--policy", "best-fit", "--seeds", "1")
        self.assertNotIn("7.14", out)
        self.assertNotIn("paper", out)

    def test_progress_goes_to_stderr_when_asked_for(self):
        out, err = self.simulate("--policy", "best-fit", "--seeds", "1", "--progress")
        self.assertIn("100 %  best-fit, order 1 of 1\n", err)
        self.assertNotIn("order 1 of 1", out)

    def test_a_policy_may_be_a_file(self):
        path = self.write("mine.lua", 'return { api = 1, name = "mine", placement = "best-fit" }\n')
        mine = self.lsched_json("simulate", "openb", "--nodes", NODES, "--tasks", TASKS,
                                "--policy", path, "--policy", "best-fit", "--seeds", "1")
        self.assertEqual(mine[0]["policy"], path)
        self.assertEqual(mine[0]["runs"], mine[1]["runs"])

    def test_a_wrong_policy_file_is_an_input_error(self):
        path = self.write("mine.lua", "return {\n  plaicement = 3 }\n")
        _, err = self.simulate("--policy", path, expect=3)
        self.assertTrue(err.startswith(path + ":2:"), err)


main()
