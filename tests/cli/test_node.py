"""lsched node: what nvidia-smi and lstopo print of a machine becomes a node, or is refused with its
place. The files in examples/machines are the formats of drivers from 2018 to 2025."""
import glob
import os
import re
import resource
import subprocess
import unittest

from lsched_program import PROGRAM, ProgramTest, main

MACHINES = "examples/machines"


def read(name):
    with open(f"{MACHINES}/{name}", encoding="utf-8") as file:
        return file.read()


class Text(ProgramTest):
    def node(self, text, *words):
        return self.lsched_json("node", "--from", self.write("t.txt", text), *words)

    def refused(self, text, line, column, message):
        path = self.write("t.txt", text)
        self.assertEqual(self.complaint(3, "node", "--from", path),
                         f"{path}:{line}:{column}: {message}\n")

    def links(self, machine, of="gpus"):
        return [" ".join(device["links"]) for device in machine[of]]

    def test_a_cube_of_nvlinks_in_the_format_of_2018(self):
        got = self.node(read("dgx1-v100.txt"))
        self.assertEqual(self.links(got)[5], "SYS NV2 SYS SYS NV1 X NV2 NV1")
        self.assertEqual(self.links(got, "nics")[2], "SYS SYS SYS SYS PIX PIX PHB PHB")
        self.assertEqual([gpu["numa"] for gpu in got["gpus"]], [0] * 4 + [1] * 4)
        self.assertEqual([(nic["name"], nic["numa"]) for nic in got["nics"]],
                         [("mlx5_0", 0), ("mlx5_1", 0), ("mlx5_2", 1), ("mlx5_3", 1)])
        self.assertEqual((got["threads"], [n["threads"] for n in got["numa"]]), (80, [40, 40]))

    def test_four_numa_nodes_of_eight_are_known_where_the_others_hold_no_gpu(self):
        got = self.node(read("dgx-a100.txt"))
        self.assertEqual([n["id"] for n in got["numa"]], [1, 3, 5, 7])
        self.assertEqual([gpu["numa"] for gpu in got["gpus"]], [1, 1, 0, 0, 3, 3, 2, 2])
        out, _ = self.lsched("node", "--from", f"{MACHINES}/dgx-a100.txt", "--memory", "1Ti",
                             "--cpu", "256")
        self.assertIn("# Only the NUMA nodes that hold GPUs are known", out)
        self.assertIn("    cpu: 256\n    memory: 1Ti\n", out)
        self.assertEqual(out.count("- {cpu: 32, memory: 128Gi}\n"), 4)

    def test_network_cards_get_the_names_of_the_legend(self):
        got = self.node(read("dgx-h100.txt"))
        self.assertEqual([nic["name"] for nic in got["nics"]],
                         ["mlx5_0", "mlx5_3", "mlx5_4", "mlx5_2", "mlx5_5", "mlx5_6", "mlx5_9",
                          "mlx5_10", "mlx5_8", "mlx5_11"])
        self.assertEqual(self.links(got, "nics")[4], "NODE NODE NODE PXB SYS SYS SYS SYS")
        self.assertEqual(self.links(got)[0], "X" + " NV18" * 7)
        without = read("dgx-h100.txt").split("\nNIC Legend")[0]
        self.assertEqual(self.node(without)["nics"][9]["name"], "NIC9")

    def test_spaces_escape_codes_and_line_ends_say_nothing(self):
        tabs = read("dgx-h100.txt")
        plain = self.node(tabs)
        for changed in (tabs.expandtabs(8), tabs.replace("\n", "\r\n"),
                        re.sub("\033\\[\\d+m", "", tabs),
                        tabs.replace("\033[4m", "\033[1;4m").replace("GPU3", "\033[7mGPU3\033[0m"),
                        "$ nvidia-smi topo -m\n" + tabs, "\n\n" + tabs):
            self.assertEqual(self.node(changed), plain)

    def test_one_gpu_of_a_virtual_machine(self):
        got = self.node("\tGPU0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\nGPU0\t X \t\t\t\tN/A\n")
        self.assertEqual((self.links(got), got["numa"], got["threads"]), (["X"], [], None))
        got = self.node("\tGPU0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
                        "GPU0\t X \t0-7\t\tN/A\t\tN/A\n")
        self.assertEqual((got["numa"], got["threads"], got["gpus"][0]["numa"]), ([], 8, None))
        got = self.node("\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\n"
                        "GPU0\t X \tPHB\t\t\t0\nGPU1\tPHB\t X \t\t\t0\n")
        self.assertEqual([gpu["numa"] for gpu in got["gpus"]], [0, 0])
        got = self.node("\tGPU0\tCPU Affinity\tNUMA Affinity\nGPU0\t X \t0-7\t0-1\n")
        self.assertEqual((got["numa"], got["gpus"][0]["numa"]), ([], None))

    def test_the_word_of_old_drivers_for_the_way_between_sockets(self):
        text = "\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tSOC\t0-9\nGPU1\tSOC\t X \t10-19\n"
        self.assertEqual(self.links(self.node(text)), ["X SYS", "SYS X"])

    def test_gpus_that_share_all_processors_are_on_no_node_for_certain(self):
        text = ("\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\n"
                "GPU0\t X \tSYS\t0-15\t0\nGPU1\tSYS\t X \t0-15\t1\n")
        got = self.node(text)
        self.assertEqual((got["numa"], got["threads"]), ([], 16))

    def says(self, text, message):
        path = self.write("t.txt", text)
        self.assertIn(message, self.complaint(3, "node", "--from", path))

    def test_a_row_that_is_missing_or_there_twice(self):
        lines = read("a10-two-sockets.txt").split("\n")
        join = "\n".join
        self.refused(join(lines[:2] + lines[3:]), 3, 1,
                     "expected the row of GPU1, got that of GPU2")
        self.refused(join(lines[:3] + lines[2:]), 4, 1,
                     "expected the row of GPU2, got that of GPU1 again")
        self.refused(join(lines[:5] + lines[4:]), 6, 1,
                     "expected the legend after the last row, got a row again")
        self.refused(join(lines[:4] + lines[5:]), 5, 1,
                     "expected the row of GPU3, got an empty line: 3 of 4 rows are there")
        self.refused(join(lines[:4]) + "\n", 5, 1,
                     "the text is cut off: expected the row of GPU3, got the end")
        self.refused(join(lines[:3] + ["GPUX  a b"] + lines[4:]), 4, 1,
                     "expected the row of GPU2, got 'GPUX'")

    def test_a_matrix_that_is_not_symmetric(self):
        text = read("dgx1-v100.txt").replace("GPU3\tNV2\tNV1\tNV2", "GPU3\tNV2\tNV2\tNV2")
        self.refused(text, 5, 10, "GPU3 to GPU1: expected NV1 as from GPU1 to GPU3 in line 3, "
                     "got NV2: the matrix is not symmetric")

    def test_numbers_of_gpus_that_are_not_in_order(self):
        text = read("dgx-h100.txt").replace("GPU3", "GPU33")
        _, err = self.lsched("node", "--from", self.write("t.txt", text), expect=3)
        self.assertIn("expected GPUs in the order of their numbers, here GPU3, got GPU33", err)

    def test_words_that_are_no_links(self):
        good = read("dgx1-v100.txt")
        for word, meant in (("PBX", "PXB"), ("nv1", "NV1"), ("NOED", "NODE")):
            self.refused(good.replace("\tNV1\t", f"\t{word}\t", 1), 2, 10,
                         "GPU0 to GPU1: expected a link (NV1, PIX, PXB, PHB, NODE, SYS), got "
                         f"'{word}'; did you mean '{meant}'?")
        for word in ("NV0", "NV99", "NV", "OK", "12345678901234567890"):
            path = self.write("t.txt", good.replace("\tNV1\t", f"\t{word}\t", 1))
            self.assertRegex(self.complaint(3, "node", "--from", path),
                             rf":2:10: GPU0 to GPU1: expected a link .*, got '{word}'")
        self.refused(good.replace("\tNV1\t", "\tX\t", 1), 2, 10,
                     "GPU0 to GPU1: expected a link between two devices, got X")
        self.refused(good.replace("\t X \t", "\tNV1\t", 1), 2, 6,
                     "GPU0 to GPU0: expected X, got NV1")

    def test_a_row_of_another_length(self):
        text = read("a10-two-sockets.txt")
        self.refused(text.replace("SYS      X      NODE    32-63,96-127    1", "SYS"), 4, 20,
                     "row GPU2: expected 4 links as in the header, got 2")
        self.says(text.replace("32-63,96-127    1", "32-63,96-127    1   2", 1),
                  "at most 2 columns after them, got more")

    def test_columns_and_lists_that_are_unknown(self):
        text = read("a10-two-sockets.txt")
        path = self.write("t.txt", text.replace("32-63,96-127", "32-63,x", 1))
        self.assertRegex(self.complaint(3, "node", "--from", path),
                         r":4:41: expected processors such as 0-19,40-59, got '32-63,x'")
        self.says(text.replace("NUMA Affinity", "Colour"), "or the end of the header, got Colour")
        self.says(text.replace("GPU1    ", "GPU0    ", 1), "got a second column GPU0")

    def test_more_than_a_node_holds(self):
        names = [f"GPU{i}" for i in range(17)]
        text = "\t" + "\t".join(names) + "\tCPU Affinity\n"
        self.refused(text, 1, len("\t" + "\t".join(names[:16])) + 2,
                     "expected at most 16 GPUs, got more: a node holds no more of them")

    def test_legends_that_do_not_fit(self):
        text = read("dgx-h100.txt")
        self.says(text.replace("  NIC9: mlx5_11\n", ""),
                  "expected the name of NIC9 in the NIC Legend, got the end")
        self.says(text.replace("NIC9: ", "NIC19: "),
                  "NIC Legend: expected the name of a network card of the matrix")
        self.says(text.replace("mlx5_11", "mlx5_10"), "got mlx5_10 twice")

    def test_something_else(self):
        for text in ("", "hello\n", read("dgx-h100.txt").split("\n", 1)[1]):
            self.says(text, ":1:1: expected the header of `nvidia-smi topo -m`")
        self.says("\tGPU0\tCPU Affinity\nGPU0\tX\0\t0-7\n", ":2:7: expected text, got a NUL byte")

    def test_no_cut_of_the_matrix_becomes_another_machine(self):
        for name in ("dgx1-v100.txt", "a10-two-sockets.txt", "l40s-switches.txt"):
            text = read(name)
            end = text.index("\n\nLegend")
            for at in list(range(0, end, 37)) + [end - 1, end]:
                path = self.write("t.txt", text[:at])
                self.assertRegex(self.complaint(3, "node", "--from", path), r"^\S+:\d+:\d+: ")


class Xml(ProgramTest):
    def test_switches_sockets_and_sizes(self):
        got = self.lsched_json("node", "--from", f"{MACHINES}/l40s-switches.xml")
        self.assertEqual(" ".join(got["gpus"][2]["links"]), "PXB PXB X PIX SYS SYS SYS SYS")
        self.assertEqual([(g["model"], g["memory_bytes"]) for g in got["gpus"]],
                         [("NVIDIA L40S", 46581760 << 10)] * 8)
        self.assertEqual(got["gpus"][0]["address"], "0000:15:00.0")
        self.assertEqual([(n["name"], n["numa"]) for n in got["nics"]],
                         [("mlx5_0", 0), ("mlx5_1", 1)])  # and no Ethernet for management
        self.assertEqual(got["numa"], [
            {"id": 0, "threads": 32, "cores": 16, "memory_bytes": 540900446208},
            {"id": 1, "threads": 32, "cores": 16, "memory_bytes": 541108862976}])
        self.assertEqual((got["threads"], got["cores"]), (64, 32))

    def test_without_fabrics_all_network_cards_count_and_screens_never_do(self):
        text = read("l40s-switches.xml").replace('name="mlx5_', 'name="opa').replace(
            'osdev_type="3"', 'osdev_type="0"')
        path = self.write("t.xml", text)
        got = self.lsched_json("node", "--from", path)
        self.assertEqual([n["name"] for n in got["nics"]], ["eno1np0", "eno2np1", "ib0", "ib1"])
        self.assertEqual(got["nics"][0]["links"], ["NODE"] * 4 + ["SYS"] * 4)
        self.assertEqual(len(got["gpus"]), 8)

    def test_gpus_without_drivers_get_the_name_of_the_pci_list(self):
        text = re.sub(r' *<info name="(GPUModel|CUDAGlobalMemorySize)".*\n', "",
                      read("l40s-switches.xml"))
        got = self.lsched_json("node", "--from", self.write("t.xml", text))
        self.assertEqual([(g["model"], g["memory_bytes"]) for g in got["gpus"]],
                         [("L40S", None)] * 8)

    def test_a_machine_without_gpus(self):
        got = self.lsched_json("node", "--from", f"{MACHINES}/virtual-machine.xml")
        self.assertEqual((got["gpus"], got["threads"], len(got["numa"])), ([], 2, 1))
        out, _ = self.lsched("node", "--from", f"{MACHINES}/virtual-machine.xml")
        self.assertIn("    cpu: 2\n    memory: 12675276Ki\n", out)

    def test_broken_files(self):
        good = read("l40s-switches.xml")
        cases = [
            (good[:9000], r":\d+:\d+: the file is cut off: expected "),
            (good.replace("</topology>", ""), r":\d+:1: the file is cut off: expected </topology>, "
             "which ends the element of line 3"),
            (good.replace("</object>", "", 1), r"expected </object>, which ends the element of "
             "line 4, got </topology"),
            (good.replace("topology", "machine"), r":3:1: expected <topology> as the outermost"),
            (good.replace('os_index="0"', "os_index=0", 1), r":4:35: expected the value of the "
             "attribute 'os_index' in quotes"),
            (good + "x", "expected nothing after </topology>"),
            ("<topology>" * 300, "expected elements at most 128 deep"),
            ("<topology/>", "expected a topology as `lstopo --of xml` writes it"),
        ]
        for text, message in cases:
            path = self.write("t.xml", text)
            self.assertRegex(self.complaint(3, "node", "--from", path), message)


def damaged(text):
    """Attributes to damage, one after another: of each name a few, or all of them with a scale above 100 %."""
    some, seen = (10 ** 6 if float(os.environ.get("LSCHED_TEST_SCALE") or 100) > 100 else 2), {}
    for match in re.finditer(r'\b([a-z_]+)="[^"]*"', text):
        seen[match[1]] = seen.get(match[1], 0) + 1
        if seen[match[1]] <= some:
            yield match


def is_sanitized():
    with open(PROGRAM, "rb") as file:
        return b"__asan_init" in file.read()


@unittest.skipIf(is_sanitized(), "a sanitizer reports libhwloc's own crashes, and slowly")
class Hostile(ProgramTest):
    """libhwloc trusts what it reads: whatever it makes of a file, the program says so and goes on."""

    def end_of(self, text):
        done = subprocess.run([PROGRAM, "node", "--from", "-"], input=text, capture_output=True, text=True, check=False)
        self.assertIn(done.returncode, (0, 3), done.stderr)
        self.assertEqual(done.returncode == 3, done.stderr.startswith("standard input:"), done.stderr)
        return done.returncode, done.stderr

    def test_an_attribute_that_crashes_it(self):
        text = read("l40s-switches.xml").replace('complete_cpuset="0x40000000,0x00000000"', 'x=""')
        code, err = self.end_of(text)
        self.assertEqual(code, 3, err)
        self.assertIn("1:1: expected a topology as `lstopo --of xml` writes it, got XML that libhwloc", err)

    def test_damaged_attributes(self):
        refused = 0
        for name in ("l40s-switches.xml", "virtual-machine.xml"):
            text = read(name)
            for match in damaged(text):
                start, end = match.span()
                for attribute in ('x=""', match[1] + '="-1"', match[1] + '="0xffffffff"'):
                    refused += self.end_of(text[:start] + attribute + text[end:])[0] == 3
        self.assertGreater(refused, 0)
        most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        self.assertLess(most, 400 << 10, "KiB that a run takes at most")


class Both(ProgramTest):
    both = ("--from", f"{MACHINES}/l40s-switches.txt", "--from", f"{MACHINES}/l40s-switches.xml")

    def test_links_of_the_text_and_sizes_of_the_xml(self):
        text = read("l40s-switches.txt").replace("PIX", "NV4")
        path = self.write("t.txt", text)
        for order in ((path, self.both[3]), (self.both[3], path)):
            got = self.lsched_json("node", "--from", order[0], "--from", order[1])
            self.assertEqual(" ".join(got["gpus"][0]["links"]), "X NV4 PXB PXB SYS SYS SYS SYS")
            self.assertEqual(got["gpus"][0]["model"], "NVIDIA L40S")
            self.assertEqual(got["numa"][1]["cores"], 16)
            self.assertEqual([n["address"] for n in got["nics"]], ["0000:1f:00.0", "0000:9f:00.0"])

    def test_both_tell_the_same_of_one_machine(self):
        alone = self.lsched_json("node", *self.both[2:])
        together = self.lsched_json("node", *self.both)
        for got in alone, together:
            del got["sources"]
        self.assertEqual(alone, together)

    def test_descriptions_of_two_machines(self):
        err = self.complaint(3, "node", "--from", f"{MACHINES}/a10-two-sockets.txt", *self.both[2:])
        self.assertIn("the XML has 8 GPUs, the text of nvidia-smi has 4", err)
        text = read("l40s-switches.txt").replace("0-15,32-47\t0", "16-31,48-63\t1", 1)
        err = self.complaint(3, "node", "--from", self.write("t.txt", text), *self.both[2:])
        self.assertIn("GPU0 and GPU1 are on one NUMA node in the XML, but on two", err)

    def test_two_of_one_kind(self):
        err = self.complaint(2, "node", *self.both[:2], "--from", f"{MACHINES}/dgx-h100.txt")
        self.assertIn("expected at most one text of nvidia-smi", err)


class Scenario(ProgramTest):
    def test_what_is_printed_runs(self):
        for path in sorted(glob.glob(f"{MACHINES}/*.*")):
            words = ["node", "--from", path, "--name", "m-[0-3]", "--gpu-memory", "40Gi"]
            if path.endswith(".txt"):
                words += ["--memory", "1Ti", "--model", "Some GPU [\"x\\y\"]"]
            out, _ = self.lsched(*words)
            scenario = self.write("s.yaml", out)
            ran, _ = self.lsched("run", scenario)
            self.assertIn("4 nodes", ran)

    def test_processors_are_divided_so_that_what_is_printed_runs(self):
        for name, cpus, each in (("dgx-h100.txt", 128, 64), ("dgx-h100.txt", 7, 3),
                                 ("dgx-h100.txt", 1, 0), ("dgx-a100.txt", 64, 8),
                                 ("dgx-h100.txt", 512, 112), ("l40s-switches.xml", 48, 24)):
            words = ["node", "--from", f"{MACHINES}/{name}", "--memory", "2Ti", "--cpu", str(cpus)]
            for more in ([], ["--cores"]):
                out, _ = self.lsched(*words, *more)
                self.assertIn(f"    cpu: {cpus}\n", out)
                parts = [int(part) for part in re.findall(r"- {cpu: (\d+), memory", out)]
                self.assertLessEqual(sum(parts), cpus)
                if not more:
                    self.assertEqual(set(parts), {each})
                ran, _ = self.lsched("run", self.write("s.yaml", out))
                self.assertIn("1 node", ran)
        got = self.lsched_json(*words)
        self.assertEqual([(n["threads"], n["cores"]) for n in got["numa"]], [(24, 16)] * 2)

    def test_from_a_pipe_and_with_cores(self):
        with open(f"{MACHINES}/l40s-switches.xml", encoding="utf-8") as file:
            out, _ = self.lsched("node", "--from", "-", "--cores", stdin=file.read())
        self.assertIn("    cpu: 32\n", out)
        self.assertIn("        - {cpu: 16, memory: 528223092Ki}\n", out)
        self.assertIn("# No NVLink is known", out)

    def test_wrong_words(self):
        path = f"{MACHINES}/dgx-h100.txt"
        self.assertIn("expected one or two files", self.complaint(2, "node"))
        for size in ("80GB", "Gi", "99999999999Ti", "-1Gi", "80 Gi"):
            self.assertIn("--gpu-memory: expected a memory size",
                          self.complaint(2, "node", "--from", path, "--gpu-memory", size))
        self.assertIn("the number of cores is not known",
                      self.complaint(2, "node", "--from", path, "--cores"))
        self.assertIn("cannot open", self.complaint(3, "node", "--from", "nowhere.txt"))


main()
