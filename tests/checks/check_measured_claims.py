"""Checks docs/measured-claims.md: each row of its first table names scenarios or tests that exist.

Usage: check_measured_claims.py BUILD. A name is a file of tests/scenarios, or a test that CTest of
the build folder has. A row without a name must say that the capability is not built.
"""
import pathlib
import re
import subprocess
import sys

import tree

PAGE = "docs/measured-claims.md"


def registered(build):
    listing = subprocess.run(["ctest", "--test-dir", build, "-N"], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"Test +#\d+: (\S+)", listing))


def rows(text):
    """(line, cells) of the first table."""
    table = text[text.index("## Capabilities"):text.index("## Figures")]
    first = text[:text.index(table)].count("\n") + 1
    for i, line in enumerate(table.splitlines()):
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("| ") and cells[0] != "promise":
            yield first + i, cells


def main():
    root = pathlib.Path(tree.ROOT)
    scenarios = {path.stem for path in (root / "tests/scenarios").glob("*.yaml")}
    tests, complaints, n = registered(sys.argv[1]), [], 0
    for line, cells in rows((root / PAGE).read_text(encoding="utf-8")):
        n += 1
        if len(cells) != 3:
            complaints.append(f"{PAGE}:{line}: expected 3 cells, got {len(cells)}")
            continue
        names = re.findall(r"`([^`]+)`", cells[2])
        if not names:
            complaints.append(f"{PAGE}:{line}: expected the name of a scenario or of a test in the last cell")
        complaints += [f"{PAGE}:{line}: {name} is neither a scenario nor a test of this build; "
                       "name one that shows what the row says"
                       for name in names if name not in scenarios and name not in tests]
    if n < 40:
        complaints.append(f"{PAGE}: expected at least 40 capabilities, got {n}")
    print("\n".join(complaints))
    print(f"measured claims: {n} rows, {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
