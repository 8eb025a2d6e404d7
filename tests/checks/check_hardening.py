"""Release builds carry the guards that compilers and linkers offer, and no path of the machine that
built them: stack protector, checked libc calls (FORTIFY), full RELRO, position independent code,
no executable stack.

usage: check_hardening.py SOURCE_DIR FILE...
"""
import os
import re
import subprocess
import sys


def readelf(*args):
    if not readelf.found:
        return ""
    return subprocess.run(["readelf", "-W", *args], capture_output=True, text=True,
                          check=True).stdout


def complaints_of(path, source):
    header, segments = readelf("-h", path), readelf("-l", path)
    dynamic, symbols = readelf("-d", path), readelf("--dyn-syms", path)
    if not re.search(r"Type:\s+DYN", header):
        yield "expected position independent code"
    if "GNU_RELRO" not in segments or not re.search(r"BIND_NOW|Flags:.*NOW", dynamic):
        yield "expected full RELRO (-z relro -z now)"
    if re.search(r"GNU_STACK.*RWE", segments):
        yield "expected a stack that is not executable"
    if "__stack_chk_fail" not in symbols:
        yield "expected a stack protector (-fstack-protector-strong)"
    if not re.search(r"__(mem|str|vsn?|sn?|f)\w*_chk", symbols):
        yield "expected checked libc calls (_FORTIFY_SOURCE)"
    with open(path, "rb") as file:
        if source.encode() + b"/" in file.read():
            yield f"expected no path of the build machine, got {source}/"


def main():
    source = os.path.realpath(sys.argv[1])
    files = [path for path in sys.argv[2:] if path]
    try:
        subprocess.run(["readelf", "--version"], capture_output=True, check=True)
    except OSError:
        print("readelf is not installed: skipped")
        return 77
    readelf.found = True
    wrong = [f"{path}: {text}" for path in files for text in complaints_of(path, source)]
    for line in wrong:
        print(line)
    print(f"hardening: {len(files)} files, {len(wrong)} complaints")
    return 1 if wrong else 0


readelf.found = False
if __name__ == "__main__":
    sys.exit(main())
