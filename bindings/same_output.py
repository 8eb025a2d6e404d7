#!/usr/bin/env python3
"""same_output.py PROGRAM PROGRAM...: runs them all and compares what they print, to the byte.

The examples of the bindings play the scenario of examples/embed/hello.c and print decisions, reasons and the hash of the
plan, so equal output means an equal plan.
"""
import subprocess
import sys


def main(programs):
    outputs = [subprocess.run([path], stdout=subprocess.PIPE, check=True, text=True).stdout for path in programs]
    if "\nplan " not in outputs[0]:
        print(f"{programs[0]} printed no plan hash:\n{outputs[0]}")
        return 1
    for path, output in zip(programs[1:], outputs[1:]):
        if output != outputs[0]:
            print(f"{programs[0]} printed:\n{outputs[0]}\n{path} printed:\n{output}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
