"""check_texts.py [LSCHED]: texts for people are in the words of their reader, and numbers agree with their nouns.

Words of C: each constant, call and field of the C interface in a message or an explanation has a row in scenario_words.def,
which turns it into the words of a scenario; ONLY_C lists those that no scenario can cause, with the reason. Rows that no text
contains are reported, too. Numbers: a number before a noun in the plural is written with counted(), unless it is a bound ("at most
%u tasks") or the whole of a part ("2 of the %u tasks"), which follow the nouns of a general statement. With the program, the check
also plays each scenario of the tests and the examples, explains its waiting jobs, and finds "1 tasks", "1 node ... they" and words
of C in what was printed.
"""
import concurrent.futures
import json
import re
import subprocess
import sys

import tree

ROWS = "libsched/config/read/scenario_words.def"
NOUNS = "members groups tasks jobs nodes devices queues failures GPUs levels slices cycles decisions times places".split()
# Words of C that a scenario cannot cause, and why.
ONLY_C = {
    r"LSCHED_(ADOPT|BATCH_PARTIAL|METRICS|OFFER|WOULD_START|KIND|RESIZE)\w*": "options of calls that no step makes",
    r"LSCHED_BATCH_IDEMPOTENT": "unknown flags of a batch; the rows above leave its other clauses out",
    r"LSCHED_(AVOID|DEVICE_SET|DOMAINS|EVENT|GROUP|HEALTH|JOB|JOB_SET|LABEL|LINK|NODE_SET|QUEUE_PER|QUEUE_SET|SCHEDULE|SHARING|TAINT|DECIDE)_(NONE|NVLINK)?":
        "a bad number, where a scenario has a word that its reader checks",
    r"LSCHED_EVENT_STARTED|LSCHED_OUTCOME_\w+|LSCHED_JOB_SET_GROUPS": "bad numbers of events and outcomes; the rows have the other clauses",
    r"LSCHED_NO_VERIFY|LSCHED_E_KEY": "names a build option; code, no text",
    r"lsched_(cluster_clone|cluster_opts|schedule|would_start|find|device_list|mig_tables_at)": "ids, plans, cursors and sets of a caller in C",
    r"lsched_(algorithm|cluster|error|jobs_hold|jobs_update)": "types of C; the rows have the clauses",
    r"(changes_bytes|id_salt|decision_kinds|device_mask|device_words|device_starts|local_keys|uses_want|mig_static|topology_mode)":
        "numbers and pairs that the reader of scenarios sets itself",
    r"reserved_zero": "a field that the reader of scenarios sets to 0",
    r"(device_models|device_requests|job_affinities|node_affinities)": "NULL lists",
}
PLACE = re.compile(r"%(?:u|d|lld|llu|zu|lu) (" + "|".join(NOUNS) + r")\b")
BOUND = re.compile(r"(at most|at least|more than|less than|expected|only the first|of the|of its|of|to|blocks of|than|share mode) $")
SEEN = [re.compile(r"(?<![\w.,/:'-])1 (" + "|".join(NOUNS) + r")\b"), re.compile(r"\b1 node refused[^;]*;[^;]*\bthey\b"),
        re.compile(r"\b(LSCHED_[A-Z_]{3,}|lsched_[a-z_]+\()")]


def code_of(path):
    text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group().count("\n"), tree.read(path), flags=re.S)
    return re.sub(r"(?m)^\s*#.*$", "", text)


def texts(prefixes, leave_out=()):
    """(path, line, text) of each literal, with adjacent pieces joined."""
    for path in tree.files(".c"):
        if not path.startswith(prefixes) or any(part in path for part in leave_out):
            continue
        code = code_of(path)
        for found in re.finditer(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*', code):
            yield path, code.count("\n", 0, found.start()) + 1, re.sub(r'"\s*"', "", found.group())[1:-1]


def fields_of_structs():
    words = set()
    for path in tree.files(".h"):
        if path.startswith("libsched/include/"):
            words |= set(re.findall(r"\b([a-z]+_[a-z_0-9]+)(?:\[\w+\])?[;,]", code_of(path)))
    return words


def keys_of_scenarios():
    return {key for path in tree.files(".c", ".h") if path.startswith("libsched/config/")
            for key in re.findall(r'(?:FIELD\w*|JOB_UPDATE|[A-Z_]{3,})\(\s*(?:struct )?\w*,?\s*"(\w+)"', tree.read(path))}


def words_of_c(complaints):
    fields = fields_of_structs() - keys_of_scenarios()
    rows = [first for first in re.findall(r'LSCHED_X_SCENARIO_WORDS\(\s*"([^"]*)"', tree.read(ROWS))]
    used = set()
    for path, line, text in texts(("libsched/api/", "libsched/engine/", "libsched/base/", "libsched/model/"),
                                  ("engine/verify", "model/check", "image_load", "skip_check", "cache_check", "api/metrics")):
        left = text
        for row in sorted(rows, key=len, reverse=True):
            if row in left:
                used.add(row)
                left = left.replace(row, " ")
        for word in re.findall(r"\b(?:LSCHED_\w+|lsched_\w+|[a-z]+_[a-z_0-9]+)\b", left):
            known = word.startswith(("LSCHED_", "lsched_")) or (word in fields and not word.endswith("_us"))
            if known and not any(re.fullmatch(one, word) for one in ONLY_C):
                complaints.append(f"{path}:{line}: a text has the word {word} of C, which has no row in {ROWS}")
    for row in rows:
        if row not in used and not any(row in other and other in used for other in rows):
            complaints.append(f"{ROWS}: no text contains {row!r}")


def numbers(complaints):
    for path, line, text in texts(("libsched/api/", "libsched/engine/", "libsched/config/"),
                                  ("engine/verify", "model/check", "skip_check", "cache_check")):
        for found in PLACE.finditer(text):
            if not BOUND.search(text[:found.start()]):
                complaints.append(f"{path}:{line}: {found.group()!r} can become '1 {found.group(1)}'; write counted(n, "
                                  f"\"{found.group(1)[:-1]}\") (base/text_out.h)")


def printed(program, path):
    """What the program prints of one scenario: the whole run, and explanations of jobs where they first wait."""
    def lsched(*arguments):
        done = subprocess.run([program, *arguments], capture_output=True, text=True, cwd=tree.ROOT, timeout=120, check=False)
        return done.stdout, done.stdout + done.stderr
    out = lsched("run", "--all", path)[1]
    first = {}
    try:
        for cycle in json.loads(lsched("run", "--all", "--json", path)[0])["cycles"]:
            for one in cycle["waiting"]:
                first.setdefault(one["job"], cycle["cycle"])
    except ValueError:
        pass  # the run ended with an error, which `out` has
    return out + "".join(lsched("explain", path, job, "--cycle", str(at))[1] for job, at in list(first.items())[:6])


def played(program, complaints):
    paths = [path for path in tree.files(".yaml") if path.startswith(("tests/scenarios/", "examples/scenarios/"))]
    explained = 0
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for path, out in zip(paths, pool.map(lambda path: printed(program, path), paths)):
            explained += out.count("\n  waits ") + out.count(" waits (")
            for rule in SEEN:
                for found in rule.finditer(out):
                    line = out[out.rfind("\n", 0, found.start()) + 1:out.find("\n", found.start())]
                    complaints.append(f"{path}: {found.group()!r} in {line.strip()[:160]!r}")
    if explained < 100:
        complaints.append(f"check_texts.py: only {explained} explanations of waiting jobs were read; expected 100 or more")


def main():
    complaints = []
    words_of_c(complaints)
    numbers(complaints)
    if len(sys.argv) > 1 and sys.argv[1]:
        played(sys.argv[1], complaints)
    tree.finish(complaints, "texts for people")


if __name__ == "__main__":
    main()
