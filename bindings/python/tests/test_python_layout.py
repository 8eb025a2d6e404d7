"""The generated structures against the golden table that C compilers are held to."""
import ctypes
import os
import re
import unittest

from libsched import _abi

INCLUDE = os.path.join(os.path.dirname(__file__), "..", "..", "..", "libsched", "include", "libsched")
TABLE = os.path.join(os.path.dirname(__file__), "..", "..", "..", "tests", "abi", "layout.txt")


def class_of(struct):
    return getattr(_abi, "".join(part.capitalize() for part in struct.removeprefix("lsched_").split("_")))


def elsewhere():
    """The structures of headers that libsched.h does not include: the binding has none of them."""
    found = set()
    for name in os.listdir(INCLUDE):
        if name.startswith(("algorithm", "scenario", "jemalloc")):
            with open(os.path.join(INCLUDE, name), encoding="utf-8") as file:
                found.update(re.findall(r"^typedef struct (lsched_\w+) \{", file.read(), re.M))
    return found


class Layout(unittest.TestCase):
    def test_every_structure_lies_as_in_c(self):
        with open(TABLE, encoding="utf-8") as file:
            rows = re.findall(r"^(STRUCT|FIELD)\((.*)\)$", file.read(), re.M)
        self.assertGreater(len(rows), 200)
        others = elsewhere()
        for what, text in rows:
            name, *rest = text.split(", ")
            if name in others:
                continue
            kind = class_of(name)
            if what == "STRUCT":
                self.assertEqual((ctypes.sizeof(kind), ctypes.alignment(kind)), tuple(map(int, rest)), name)
            else:
                field = getattr(kind, rest[0])
                self.assertEqual((field.offset, field.size), tuple(map(int, rest[1:])), f"{name}.{rest[0]}")

    def test_a_structure_starts_as_its_init_macro(self):
        self.assertEqual(_abi.Error().index, 0)  # a call sets it to -1 unless an element is bad
        self.assertEqual(_abi.NodeDesc().size, ctypes.sizeof(_abi.NodeDesc))
        self.assertEqual(_abi.NodeDesc().device_elem_size, ctypes.sizeof(_abi.DeviceDesc))
        self.assertEqual(_abi.JobDesc().group_elem_size, ctypes.sizeof(_abi.GroupDesc))


if __name__ == "__main__":
    unittest.main()
