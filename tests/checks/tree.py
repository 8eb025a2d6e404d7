"""What the mechanical checks share: the list of the project's files, and one way to report.

A check collects complaints of the form file:line: text and exits 1 when there are any, so that an
editor can jump to them. Files come from git where there is git (tracked ones and those about to be
added), else from the disk.
"""
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def files(*suffixes):
    """Paths relative to the root, sorted; all files when no suffix is given."""
    try:
        listing = subprocess.run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard"],
                                 capture_output=True, text=True, check=True).stdout.splitlines()
    except (OSError, subprocess.CalledProcessError):
        listing = []
        for base, directories, names in os.walk(ROOT):
            directories[:] = [d for d in directories if not d.startswith(("build", "."))]
            listing += [os.path.relpath(os.path.join(base, name), ROOT) for name in names]
    present = (path for path in listing if os.path.isfile(os.path.join(ROOT, path)))
    return sorted(path for path in present if not suffixes or path.endswith(suffixes))


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def finish(complaints, subject):
    for complaint in complaints:
        print(complaint)
    print(f"{subject}: {len(complaints)} complaints")
    sys.exit(1 if complaints else 0)
