"""The example gives the same output as examples/embed/hello.c: decisions, reason and hash of the plan."""
import os
import subprocess
import sys
import unittest

EXAMPLE = os.path.join(os.path.dirname(__file__), "..", "examples", "hello.py")


class Hello(unittest.TestCase):
    def test_the_same_plan_as_in_c(self):
        program = os.environ.get("LSCHED_HELLO")
        if not program:
            self.skipTest("LSCHED_HELLO does not name the C example")
        in_c = subprocess.run([program], stdout=subprocess.PIPE, check=True, text=True).stdout
        in_python = subprocess.run([sys.executable, EXAMPLE], stdout=subprocess.PIPE, check=True, text=True).stdout
        self.assertIn("\nplan ", in_c)
        self.assertEqual(in_python, in_c)


if __name__ == "__main__":
    unittest.main()
