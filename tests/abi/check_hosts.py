#!/usr/bin/env python3
"""check_hosts.py HOST...: the hosts of the ABI test succeed and print the same lines (abi_host.c)."""
import subprocess
import sys


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    faults, expected = 0, None
    for host in sys.argv[1:]:
        done = subprocess.run([host], capture_output=True, text=True, timeout=60)
        lines = done.stdout.splitlines()
        if done.returncode:
            faults += 1
            print(f"{host}: exit status {done.returncode}\n{done.stderr}")
        expected = expected or lines
        for old, new in zip(expected, lines):
            if old != new:
                faults += 1
                print(f"{host}: expected '{old}'\n  got '{new}'")
        if len(lines) != len(expected) or len(lines) < 20:
            faults += 1
            print(f"{host}: {len(lines)} lines, expected {len(expected)}, and 20 at least")
    print(f"{len(sys.argv) - 1} hosts, {len(expected)} lines, {faults} faults")
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
