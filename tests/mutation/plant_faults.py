#!/usr/bin/env python3
"""Plants faults by a seed and counts how many the tests find.

  tests/mutation/plant_faults.py --seed 1 --faults 200 [--copy DIR] [--results FILE]

It copies the tree, builds it once, and then applies one fault at a time: an operator, a constant, a
condition, a call that is dropped, arguments that change places, or a raw write past the undo log, in
engine/, model/, algorithms/ or pack/. It builds what changed, runs tests in an order of fast killers
first, stops at the first failure, and takes the fault back. Results are appended to a file, one JSON
object a line, and a run that is started again goes on after the last one. A fault that does not
compile is replaced by the next that the seed draws. With --list it prints the faults and ends.

It is for nights and for hands: a fault costs a build and up to --seconds of tests. Exit status 0 says
that at least --least percent were found.
"""
import argparse
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PARTS = ["engine", "model", "algorithms", "pack"]
# Stages of tests: what is built for them, nothing for all of it, and a pattern of names. A fault that
# passes all of them has survived. The first ones are few programs that find most.
STAGES = [
    (["scenario_runner", "test_evict_random", "test_engine_random"],
     r"^(scenario\.plans|property\.(evict_random|engine_random))$"),
    (["test_caches_random", "test_pack_random", "test_topology_random", "test_moves_random",
      "test_mig_random", "test_rules_random", "test_share_quota_random", "test_plan_random",
      "test_water_fill", "test_image_columns", "test_oom", "test_bound_random", "test_pack_judged"],
     r"^(property\.(caches|pack|topology|moves|mig|rules|share_quota|plan|bound)_random"
     r"|property\.pack_judged|unit\.(water_fill|image_columns|oom))$"),
    ([], r"^(property\..*|scenario\..*|unit\..*)$"),
    ([], r"^(policies|example|fuzz|pack|cli|conformance|topology|daily)\b"),
]

# What is never changed: assertions, preprocessor lines, error texts, and code that only describes.
SKIP_LINE = re.compile(r"^\s*(#|//|\*|/\*)|assert\(|check_fail|fail\(|snprintf|text_put|put_|_Static_assert"
                       r"|alloc_free|LSCHED_E_NOMEM")
SKIP_FILE = re.compile(r"(^|/)(explain|verify|check|cache_check|policy_log)")
OPERATORS = [
    ("relation", re.compile(r"(?<=[\w\])]) (<=|>=|<|>|==|!=) (?=[\w(\-])"),
     {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}),
    ("arithmetic", re.compile(r"(?<=[\w\])]) (\+|-) (?=[\w(])"), {"+": "-", "-": "+"}),
    ("logic", re.compile(r"(?<=[\w\])]) (&&|\|\|) (?=[\w(!])"), {"&&": "||", "||": "&&"}),
]
CALL = re.compile(r"^(\s*)([a-z]\w*\([^;]*\));\s*(/\*.*\*/)?\s*$")
MARKED = re.compile(r"^(touch_|node_grew|queue_gave|evict_news|act_spend|bundle|bundles|charge|set_|add_|"
                    r"structure_|node_set_|share_|timer_|undo_)")
CONDITION = re.compile(r"\bif \(([^()]*(?:\([^()]*\)[^()]*)*)\)")
CONSTANT = re.compile(r"(?<![\w.\"'])([1-9]\d{0,3})(?![\w.\"'])")
ARGUMENTS = re.compile(r"\b([a-z]\w+)\((\w+), (\w+), (\w+)\)")
SETTER = re.compile(r"^(\s*)set_(u8|u16|u32|u64|i32|i64)\(k, (C_\w+), ([\w.\->]+), ([^;]+)\);\s*$")


def code_lines(text):
    """Numbers of lines inside of functions, comments and texts left out."""
    inside, comment, found = False, False, []
    for number, line in enumerate(text.split("\n")):
        if re.match(r"^(static |const |struct |int|uint|void|size_t|double)[^;=]*\{$", line):
            inside = True
        elif line == "}" or line.startswith("};"):
            inside = False
        starts = "/*" in line
        if inside and not comment and not SKIP_LINE.search(line):
            found.append(number)
        if starts and "*/" not in line[line.index("/*"):]:
            comment = True
        elif comment and "*/" in line:
            comment = False
    return found


def code_of(line):
    """The line without its texts and its comment, of the same length."""
    line = re.sub(r'"(\\.|[^"\\])*"', lambda m: "_" * len(m.group()), line)
    return re.sub(r"/\*.*?(\*/|$)", lambda m: " " * len(m.group()), line)


def sites_of(line):
    """All faults of one line: (kind, line as it would be)."""
    code = code_of(line)
    for kind, pattern, other in OPERATORS:
        for m in pattern.finditer(code):
            yield kind, line[:m.start(1)] + other[m.group(1)] + line[m.end(1):]
    m = SETTER.match(code)
    if m:
        member = m.group(2)
        yield "raw write", f"{m.group(1)}k->c[{m.group(3)}].{member}[{m.group(4)}] = {m.group(5)};"
    m = CALL.match(code)
    if m and not m.group(2).startswith(("return", "memset", "memcpy")):
        weight = 3 if MARKED.match(m.group(2)) else 1
        for _ in range(weight):
            yield "call dropped", f"{m.group(1)}(void)0;"
    m = CONDITION.search(code)
    if m:
        yield "condition negated", f"{line[:m.start(1)]}!({line[m.start(1):m.end(1)]}){line[m.end(1):]}"
    for m in CONSTANT.finditer(code):
        yield "constant", f"{line[:m.start()]}{int(m.group()) + 1}{line[m.end():]}"
    m = ARGUMENTS.search(code)
    if m and m.group(3) != m.group(4):
        yield ("arguments swapped",
               f"{line[:m.start(3)]}{m.group(4)}, {m.group(3)}{line[m.end(4):]}")


def all_sites(tree):
    sites = []
    for part in PARTS:
        for path in sorted((tree / "libsched" / part).rglob("*.c")):
            name = str(path.relative_to(tree))
            if SKIP_FILE.search(path.name):
                continue
            text = path.read_text(encoding="utf-8")
            lines = text.split("\n")
            for number in code_lines(text):
                for kind, changed in sites_of(lines[number]):
                    if changed != lines[number]:
                        sites.append((name, number, kind, changed))
    return sites


def drawn(sites, seed):
    """Sites in the order of the seed: first a kind, then one of it, so rare kinds come, too."""
    chance, by_kind = random.Random(seed), {}
    for site in sites:
        by_kind.setdefault(site[2], []).append(site)
    kinds, seen = sorted(by_kind), set()
    while len(seen) < len(sites) // 2:
        site = chance.choice(by_kind[chance.choice(kinds)])
        if site not in seen:
            seen.add(site)
            yield site


def run(command, cwd, seconds):
    start = time.monotonic()
    try:
        done = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=seconds, check=False, text=True, errors="replace")
        return done.returncode, done.stdout, time.monotonic() - start
    except subprocess.TimeoutExpired as late:
        out = late.stdout or b""
        return 124, out.decode(errors="replace") if isinstance(out, bytes) else out, \
            time.monotonic() - start


def build(tree, jobs, targets, seconds=1800):
    chosen = ["--target", *targets] if targets else []
    return run(["cmake", "--build", "build", f"-j{jobs}", *chosen], tree, seconds)


def first_failure(text):
    for line in text.split("\n"):
        m = re.search(r"Test\s+#\d+: (\S+) .*\*\*\*", line)
        if m:
            return m.group(1) + (" (by its time)" if "Timeout" in line else "")
    return None


def judge(tree, args):
    """(state, who found it, seconds) of the fault that stands in the tree."""
    left, spent = args.seconds, 0.0
    for targets, pattern in STAGES[:args.stages]:
        code, text, built = build(tree, args.jobs, targets)
        spent += built
        if code != 0:
            return "does not compile", "", spent
        code, text, took = run(
            ["ctest", "--test-dir", "build", "-R", pattern, "-LE", "long", f"-j{args.jobs}",
             "--stop-on-failure", "--timeout", str(args.seconds)], tree, max(left, 1))
        spent += took
        left -= took
        if code == 124 and left > 0:
            return "killed", "a test that does not end", spent
        if code != 0 and code != 124:
            return "killed", first_failure(text) or "ctest", spent
        if left <= 0:
            return "survived in the time", "", spent
    return "survived", "", spent


def stage_targets(n):
    """What the first n stages need; nothing: all."""
    if any(not targets for targets, _ in STAGES[:n]):
        return []
    return sorted({t for targets, _ in STAGES[:n] for t in targets})


def prepare(args):
    """The tree to change: a copy of what git knows, built once."""
    tree = pathlib.Path(args.copy).resolve()
    if not (tree / "build" / "CMakeCache.txt").exists():
        tree.mkdir(parents=True, exist_ok=True)
        names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT,
                               stdout=subprocess.PIPE, check=True).stdout.split(b"\0")
        for name in filter(None, names):
            source, to = ROOT / os.fsdecode(name), tree / os.fsdecode(name)
            if source.is_file():
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, to)
        code, text, _ = run(["cmake", "-S", ".", "-B", "build", "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
                             "-DLSCHED_BUILD_TESTS=ON", "-DLSCHED_BUILD_BINDINGS=OFF",
                             "-DLSCHED_BUILD_BENCH=OFF"], tree, 600)
        if code != 0:
            sys.exit(text[-3000:])
    code, text, _ = build(tree, args.jobs, stage_targets(args.stages), 7200)
    if code != 0:
        sys.exit(text[-3000:])
    return tree


def table(results):
    count = {}
    for r in results:
        for key in (r["kind"], "all"):
            states = count.setdefault(key, {})
            states[r["state"]] = states.get(r["state"], 0) + 1
    print(f"{'kind':<20} {'killed':>7} {'survived':>9} {'of':>5}")
    for kind in sorted(count):
        killed, total = count[kind].get("killed", 0), sum(count[kind].values())
        print(f"{kind:<20} {killed:>7} {total - killed:>9} {total:>5}")
    for r in results:
        if r["state"] != "killed":
            print(f"{r['file']}:{r['line']}: {r['kind']}: {r['state']}\n  - {r['was'].strip()}"
                  f"\n  + {r['now'].strip()}")
    return count.get("all", {}).get("killed", 0), len(results)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--faults", type=int, default=200)
    parser.add_argument("--copy", default=str(ROOT / "build-mutation"))
    parser.add_argument("--results", default=None)
    parser.add_argument("--seconds", type=float, default=900, help="of tests for one fault")
    parser.add_argument("--stages", type=int, default=len(STAGES), help="stop after so many")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--least", type=float, default=95, help="percent that must be found")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    if args.list:
        for i, (name, number, kind, changed) in enumerate(drawn(all_sites(ROOT), args.seed)):
            if i == args.faults:
                break
            print(f"{name}:{number + 1}: {kind}: {changed.strip()}")
        return 0
    tree = prepare(args)
    state, by, _ = judge(tree, args)
    if state == "killed":
        sys.exit(f"without a fault {by} fails already")
    path = pathlib.Path(args.results or tree / f"faults-{args.seed}.jsonl")
    done = [json.loads(line) for line in path.read_text().split("\n") if line] if path.exists() else []
    seen = {(r["file"], r["line"], r["now"]) for r in done}
    results = [r for r in done if r["state"] != "does not compile"]
    for name, number, kind, changed in drawn(all_sites(ROOT), args.seed):
        if len(results) >= args.faults:
            break
        if (name, number + 1, changed) in seen:
            continue
        file = tree / name
        good = file.read_text(encoding="utf-8")
        lines = good.split("\n")
        was, lines[number] = lines[number], changed
        try:
            file.write_text("\n".join(lines), encoding="utf-8")
            state, by, seconds = judge(tree, args)
        finally:
            file.write_text(good, encoding="utf-8")
        r = {"file": name, "line": number + 1, "kind": kind, "was": was, "now": changed,
             "state": state, "by": by, "seconds": round(seconds, 1)}
        with path.open("a", encoding="utf-8") as out:
            out.write(json.dumps(r) + "\n")
        print(f"{state:<20} {name}:{number + 1} {kind} {by} {seconds:.0f} s", flush=True)
        if state != "does not compile":
            results.append(r)
    killed, total = table(results)
    return 0 if total and 100 * killed >= args.least * total else 1


if __name__ == "__main__":
    sys.exit(main())
