"""A copy of the tree that holds many faults at once, of which a variable chooses one.

For each fault, the function that it stands in is copied in front of itself as NAME__fault_N, with
the changed line in the copy. The function begins with "if the chosen fault is N, let the copy do
it". LSCHED_FAULT=N in the environment chooses when a process starts; without it the tree behaves
as it always does. LSCHED_FAULT=-1 chooses none and notes, as a file N in the directory
LSCHED_FAULT_REACHED, each fault whose line is about to run.

So one build serves all faults, and a test that never comes to the line need not run for it.
"""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import fault_sites

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "checks"))
import check_columns  # pylint: disable=wrong-import-position

HEADER = """#ifndef LSCHED_BASE_PLANTED_FAULTS_H
#define LSCHED_BASE_PLANTED_FAULTS_H
extern __attribute__((visibility("hidden"))) int lsched_fault_now;
extern __attribute__((visibility("hidden"))) unsigned char lsched_fault_noted[65536];
__attribute__((visibility("hidden"))) void lsched_fault_reached(int fault);
#define LSCHED_FAULT_IS(n) __builtin_expect(lsched_fault_now == (n), 0)
#define LSCHED_FAULT_NEAR(n)                                                                       \\
    do {                                                                                           \\
        if (__builtin_expect(lsched_fault_now < 0 && !lsched_fault_noted[n], 0))                   \\
            lsched_fault_reached(n);                                                               \\
    } while (0)
#endif
"""
SOURCE = """#define _GNU_SOURCE
#include "base/planted_faults.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int lsched_fault_now;
unsigned char lsched_fault_noted[65536];

__attribute__((constructor)) static void choose(void) {
    const char *text = getenv("LSCHED_FAULT");
    if (text) lsched_fault_now = atoi(text);
}

void lsched_fault_reached(int fault) {
    char path[4096];
    if (fault < 0 || fault > 65535) return;
    lsched_fault_noted[fault] = 1;
    const char *directory = getenv("LSCHED_FAULT_REACHED");
    if (!directory) return;
    snprintf(path, sizeof path, "%s/%d", directory, fault);
    int file = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0666);
    if (file >= 0) close(file);
}
"""


def write_if_other(path, text):
    """A file that is as it should be keeps its time, so that only changes are built."""
    data = text if isinstance(text, bytes) else text.encode()
    if path.exists() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def known_files(root):
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=root,
                           stdout=subprocess.PIPE, check=True).stdout.split(b"\0")
    return [os.fsdecode(n) for n in names if n and (root / os.fsdecode(n)).is_file()]


def copy_tree(root, tree, leave):
    """Copies what git knows, except `leave`, and removes what it no longer knows."""
    names = set(known_files(root))
    for name in names - leave:
        source, to = root / name, tree / name
        write_if_other(to, source.read_bytes())
        shutil.copymode(source, to)
    old = tree / ".planted_files"
    if old.exists():
        for name in set(old.read_text().split("\n")) - names:
            if name and (tree / name).is_file():
                (tree / name).unlink()
    old.write_text("\n".join(sorted(names)))


def locate(lines, fault):
    """The line of the fault, also where lines around it have moved; None if it is gone."""
    same = [n for n, line in enumerate(lines) if line == fault["was"]]
    return min(same, key=lambda n: abs(n - fault["line"] + 1), default=None)


def instrumented(text, faults):
    """The file with copies of functions in it, and the numbers of faults that found no place."""
    lines = text.split("\n")
    code = fault_sites.without_comments(lines)
    functions = fault_sites.functions_of(lines)
    before, copies, dispatch, lost = {}, {}, {}, []
    for fault in faults:
        n = locate(lines, fault)
        f = next((f for f in functions if n is not None and f.body <= n < f.last), None)
        if f is None:
            lost.append(fault["id"])
            continue
        name = f"{f.name}__fault_{fault['id']}"
        head = " ".join(line.strip() for line in lines[f.first:f.body])
        head = re.sub(r"\b(static|inline) ", "", head)
        head = "static " + re.sub(rf"\b{f.name}\(", name + "(", head, count=1)
        body = [fault["now"] if i == n else lines[i] for i in range(f.body, f.last)]
        copies.setdefault(f.first, []).extend([head, *body, "}", ""])
        call = f"{name}({', '.join(f.parameters)})"
        void = f.returns.strip() == "void"
        dispatch.setdefault(f.body, []).append(
            f"    if (LSCHED_FAULT_IS({fault['id']})) " + (f"{{ {call}; return; }}" if void
                                                          else f"return {call};"))
        before.setdefault(fault_sites.entry_of(f, code, n), []).append(
            f"    LSCHED_FAULT_NEAR({fault['id']});")
    out = ['#include "base/planted_faults.h"']
    for n, line in enumerate(lines):
        out += copies.get(n, []) + dispatch.get(n, []) + before.get(n, []) + [line]
    return "\n".join(out), lost


def compiler_words(command):
    """A command of compile_commands.json without its output, to add another way to compile."""
    words = [w for w in shlex.split(command) if w not in ("-c", "-Werror", "-g", "-g1")]
    if "ccache" in os.path.basename(words[0]):
        words = words[1:]
    if "-o" in words:
        del words[words.index("-o"):words.index("-o") + 2]
    return words


def refused(tree, name, faults, commands):
    """Faults of a file whose copies the compiler refuses."""
    command = commands.get(str(tree / name))
    if command is None:
        return [f["id"] for f in faults]
    words = compiler_words(command["command"])
    bad = []
    while True:
        left = [f for f in faults if f["id"] not in bad]
        text, _ = instrumented((tree / name).with_suffix(".c.good").read_text(encoding="utf-8"), left)
        (tree / name).write_text(text, encoding="utf-8")
        done = subprocess.run([*words, "-fsyntax-only", "-w"], cwd=command["directory"], check=False,
                              stderr=subprocess.PIPE, text=True, errors="replace")
        if done.returncode == 0:
            return bad
        lines, new = text.split("\n"), set()
        for m in re.finditer(r"^[^\s:]*" + re.escape(os.path.basename(name)) + r":(\d+):\d+: (?:fatal )?error",
                             done.stderr, re.M):
            for line in reversed(lines[:int(m.group(1))]):
                found = re.match(r"static .*__fault_(\d+)\(", line) or \
                    re.search(r"LSCHED_FAULT_(?:NEAR|IS)\((\d+)\)", line)
                if found:
                    new.add(int(found.group(1)))
                    break
        new -= set(bad)
        if not new:  # an error that no fault explains: none of this file
            return [f["id"] for f in faults]
        bad += sorted(new)


def configure(tree, flags):
    if not (tree / "build" / "CMakeCache.txt").exists():
        subprocess.run(["cmake", "-S", ".", "-B", "build", "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
                        # optimised and with assertions: what a test may see, it should see
                        "-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O2 -g1",
                        "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O2 -g1", "-DLSCHED_WERROR=OFF",
                        "-DLSCHED_BUILD_TESTS=ON", "-DLSCHED_BUILD_BENCH=OFF", *flags],
                       cwd=tree, check=True, stdout=subprocess.DEVNULL)
    else:
        subprocess.run(["cmake", "build"], cwd=tree, check=True, stdout=subprocess.DEVNULL)


def compile_commands(tree):
    with (tree / "build" / "compile_commands.json").open(encoding="utf-8") as file:
        return {c["file"]: c for c in json.load(file)}


def plant(root, tree, faults, flags):
    """Copies the tree with the faults in it. Sets fault["dropped"] where that cannot be."""
    by_file = {}
    for fault in faults:
        if not fault.get("dropped"):
            by_file.setdefault(fault["file"], []).append(fault)
    copy_tree(root, tree, set(by_file))
    write_if_other(tree / "libsched/base/planted_faults.h", HEADER)
    write_if_other(tree / "libsched/base/planted_faults.c", SOURCE)
    for name in by_file:
        if not (tree / name).exists():
            write_if_other(tree / name, (root / name).read_bytes())
    configure(tree, flags)
    commands = compile_commands(tree)
    for name, some in sorted(by_file.items()):
        good = (root / name).read_text(encoding="utf-8")
        text, lost = instrumented(good, some)
        for fault in some:
            if fault["id"] in lost:
                fault["dropped"] = "gone"
        some = [f for f in some if f["id"] not in lost]
        text, _ = instrumented(good, some)
        kept = tree / name
        if not kept.exists() or kept.read_text(encoding="utf-8") != text:
            copy = kept.with_suffix(".c.good")
            copy.write_text(good, encoding="utf-8")
            bad = refused(tree, name, some, commands)
            copy.unlink()
            for fault in some:
                if fault["id"] in bad:
                    fault["dropped"] = "does not compile"
            text, _ = instrumented(good, [f for f in some if not fault_dropped(f)])
            kept.write_text(text, encoding="utf-8")


def fault_dropped(fault):
    return bool(fault.get("dropped"))


def build(tree, jobs):
    done = subprocess.run(["cmake", "--build", "build", f"-j{jobs}"], cwd=tree, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    if done.returncode != 0:
        errors = [line for line in done.stdout.split("\n") if "error" in line or "rror:" in line]
        raise SystemExit("\n".join(errors[-20:]) or done.stdout[-3000:])


def refused_by_check(root, fault):
    """The check of the sources that refuses the fault, or None: it reads the file with the line in it."""
    good = (root / fault["file"]).read_text(encoding="utf-8").split("\n")
    n = locate(good, fault)
    if n is None:
        return None
    text = "\n".join(good[:n] + [fault["now"]] + good[n + 1:])
    return "check.columns" if check_columns.complaints_of(fault["file"], text) else None


def same_program(root, tree, fault):
    """True if the compiler makes the same code with the fault and without it."""
    command = compile_commands(tree).get(str(tree / fault["file"]))
    good = (root / fault["file"]).read_text(encoding="utf-8").split("\n")
    n = locate(good, fault)
    if command is None or n is None:
        return False
    words = compiler_words(command["command"])
    words.remove(command["file"])
    made = []
    for lines in (good, good[:n] + [fault["now"]] + good[n + 1:]):
        # numbers of lines must not differ; the file's own directory comes first for includes
        done = subprocess.run([*words, "-w", "-S", "-o", "-", "-x", "c", "-",
                               "-I" + os.path.dirname(str(tree / fault["file"]))],
                              cwd=command["directory"], check=False, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, input="\n".join(lines).encode())
        made.append(done.stdout if done.returncode == 0 else None)
    return made[0] is not None and made[0] == made[1]
