"""Wrong node and task lists: each is an error with a line and a column, and nothing is printed."""
from lsched_program import ProgramTest, main

NODES_HEAD = "sn,cpu_milli,memory_mib,gpu,model\n"
TASKS_HEAD = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\n"
NODE = "n1,64000,262144,2,P100\n"
TASK = "t1,6000,12288,1,460,\n"


class WrongFiles(ProgramTest):
    def complain(self, nodes=NODES_HEAD + NODE, tasks=TASKS_HEAD + TASK):
        nodes, tasks = self.write("nodes.csv", nodes), self.write("tasks.csv", tasks)
        err = self.complaint(3, "simulate", "openb", "--nodes", nodes, "--tasks", tasks,
                             "--policy", "best-fit", "--seeds", "1")
        self.assertEqual(err.count("\n"), 1, err)
        self.assertTrue(err.startswith(self.directory), err)
        return err[len(self.directory) + 1:-1]

    def test_nodes(self):
        for text, says in (
                ("", "1:1: expected a header line, got an empty file"),
                ("sn,cpu_milli,memory_mib,gpu\n" + NODE,
                 "1:1: header: expected a column 'model', got 'sn,cpu_milli,memory_mib,gpu'"),
                (NODES_HEAD[:-1] + ",sn\n", "1:35: header: expected one column 'sn', got two"),
                (NODES_HEAD, "1:1: expected at least one node with a GPU, got none"),
                (NODES_HEAD + "n1,1,1,0,\n",
                 "2:1: expected at least one node with a GPU, got none"),
                (NODES_HEAD + "n1,x,1,2,T4\n", "2:4: cpu_milli: expected a whole number, got 'x'"),
                (NODES_HEAD + "n1,1.5,1,2,T4\n",
                 "2:4: cpu_milli: expected a whole number, got '1.5'"),
                (NODES_HEAD + "n1,,1,2,T4\n",
                 "2:4: cpu_milli: expected a whole number, got nothing"),
                (NODES_HEAD + "n1,-5,1,2,T4\n",
                 "2:4: cpu_milli: expected a number from 0 to 1073741824, got '-5'"),
                (NODES_HEAD + "n1,99999999999999999999,1,2,T4\n",
                 "2:4: cpu_milli: expected a number from 0 to 1073741824, got "
                 "'99999999999999999999'"),
                (NODES_HEAD + NODE + "n2,1,1,129,T4\n",
                 "3:8: gpu: expected a number from 0 to 128, got '129'"),
                (NODES_HEAD + "n1,1,1,2,\n",
                 "2:10: model: expected a GPU model (the node has GPUs), got nothing"),
                (NODES_HEAD + ",1,1,2,T4\n",
                 "2:1: sn: expected a name of 1 to 255 bytes, got nothing"),
                (NODES_HEAD + "n1,1,1,2\n",
                 "2:9: expected 5 fields as in the header, got 4"),
                (NODES_HEAD + "n1,1,1,2,T4,\n",
                 "2:13: expected 5 fields as in the header, got 6"),
                (NODES_HEAD + '"n1",1,1,2,T4\n', "2:1: expected a plain field, got a quoted one"),
                (NODES_HEAD + "n\0,1,1,2,T4\n", "2:2: expected text, got a NUL byte"),
                (NODES_HEAD + NODE + "n2,64000,2621",
                 "3:14: the file is cut off: expected the rest of a line, got the end of the file; "
                 "if the file is whole, end its last line with a newline"),
                (NODES_HEAD + NODE[:-1],
                 "2:23: the file is cut off: expected the rest of a line, got the end of the file; "
                 "if the file is whole, end its last line with a newline"),
                (b"\x1f\x8b\x08\x00",
                 "1:1: expected plain CSV, got gzip; unpack it with gunzip first"),
                ("," * 70 + "\n", "1:65: expected at most 64 fields, got more")):
            self.assertEqual(self.complain(nodes=text), "nodes.csv:" + says)

    def test_a_name_that_comes_twice_is_shown_where_it_comes_again(self):
        err = self.complain(nodes=NODES_HEAD + NODE + "n2,1,1,1,T4\n" + NODE)
        self.assertTrue(err.startswith("nodes.csv:4:1: "), err)
        self.assertIn("n1", err)

    def test_tasks(self):
        for row, says in (
                ("t1,1,1,1,0,", "2:10: gpu_milli: expected 1 to 1000 (num_gpu is 1), got '0'"),
                ("t1,1,1,0,500,", "2:10: gpu_milli: expected 0 (num_gpu is 0), got '500'"),
                ("t1,1,1,2,500,",
                 "2:10: gpu_milli: expected 1000 (only a single GPU may be shared), got '500'"),
                ("t1,1,1,1,1001,",
                 "2:10: gpu_milli: expected a number from 0 to 1000, got '1001'"),
                ("t1,1,1,1,1000,T4||P100",
                 "2:15: gpu_spec: expected up to 16 models between '|', got 'T4||P100'"),
                ("t1,1,1,1,1000,T4|",
                 "2:15: gpu_spec: expected up to 16 models between '|', got 'T4|'"),
                ("t1,1,1,0,0,", "2:1: expected at least one task that asks for a GPU, got none")):
            self.assertEqual(self.complain(tasks=TASKS_HEAD + row + "\n"), "tasks.csv:" + says)

    def test_a_long_field_is_cut_in_the_message(self):
        err = self.complain(nodes=NODES_HEAD + "n1," + "9" * 5000 + "x,1,2,T4\n")
        self.assertEqual(err, "nodes.csv:2:4: cpu_milli: expected a whole number, got '"
                         + "9" * 40 + "...'")


main()
