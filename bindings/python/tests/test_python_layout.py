"""The generated structures against the golden table that C compilers are held to."""
import ctypes
import os
import re
import unittest

from libsched import _abi

TABLE = os.path.join(os.path.dirname(__file__), "..", "..", "..", "tests", "abi", "layout.txt")


def class_of(struct):
    return getattr(_abi, "".join(part.capitalize() for part in struct.removeprefix("lsched_").split("_")))


class Layout(unittest.TestCase):
    def test_every_structure_lies_as_in_c(self):
        with open(TABLE, encoding="utf-8") as file:
            rows = re.findall(r"^(STRUCT|FIELD)\((.*)\)$", file.read(), re.M)
        self.assertGreater(len(rows), 200)
        for what, text in rows:
            name, *rest = text.split(", ")
            kind = class_of(name)
            if what == "STRUCT":
                self.assertEqual((ctypes.sizeof(kind), ctypes.alignment(kind)), tuple(map(int, rest)), name)
            else:
                field = getattr(kind, rest[0])
                self.assertEqual((field.offset, field.size), tuple(map(int, rest[1:])), f"{name}.{rest[0]}")

    def test_a_structure_starts_as_its_init_macro(self):
        self.assertEqual(_abi.Error().index, -1)
        self.assertEqual(_abi.NodeDesc().size, ctypes.sizeof(_abi.NodeDesc))
        self.assertEqual(_abi.NodeDesc().device_elem_size, ctypes.sizeof(_abi.DeviceDesc))
        self.assertEqual(_abi.JobDesc().group_elem_size, ctypes.sizeof(_abi.GroupDesc))


if __name__ == "__main__":
    unittest.main()
