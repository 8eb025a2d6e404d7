"""Tests as ctest knows them, run directly: which reach a fault, and which find it.

A test is judged by its exit status. What fails without a fault is left out, and a test that finds a
fault must pass at once after it without one, or it does not count: time and luck find no faults.
"""
import json
import os
import resource
import signal
import subprocess
import tempfile
import threading
import time

# How likely a test finds a fault that it reaches, before anything is known; the order is by this
# over the test's seconds, and what is seen corrects it.
PRIOR = [("scenario.plans", 0.5), ("driver.", 0.4), ("property.", 0.3), ("conformance.", 0.3),
         ("unit.", 0.1), ("topology.", 0.2), ("pack.", 0.2), ("policies.", 0.05),
         ("scenario.", 0.02), ("cli.", 0.05), ("fuzz.", 0.1), ("oom.", 0.004)]
# These use files of fixed names: never two of one at the same time.
ALONE = ("cli.", "check.", "example.", "binding.", "policies.", "pack.", "topology.", "daily.",
         "host.", "conformance.")


class Test:
    def __init__(self, name, command, cwd, environment, limit):
        self.name, self.command, self.cwd = name, command, cwd
        self.environment, self.limit = environment, limit
        self.lock = threading.Lock() if name.startswith(ALONE) else None
        self.seconds, self.kills, self.trials = 1.0, 0, 0
        self.prior = next((p for start, p in PRIOR if name.startswith(start)), 0.05)

    def stamp(self):
        """Changes when the program or a file of the command changes."""
        times = [0.0]
        for word in self.command:
            path = os.path.join(self.cwd, word)
            if os.path.isfile(path):
                times.append(os.stat(path).st_mtime)
        return max(times)

    def weight(self, fault):
        stem = os.path.basename(fault["file"])[:-2]
        prior = max(self.prior, 0.6) if self.name.endswith("." + stem) else self.prior
        return (4 * prior + self.kills) / (4 + self.trials) / (self.seconds + 0.02)


def list_tests(tree):
    """Tests that ctest would run without those called long, and the random driver."""
    done = subprocess.run(["ctest", "--test-dir", str(tree / "build"), "--show-only=json-v1", "-LE",
                           "long"], check=True, stdout=subprocess.PIPE)
    tests = []
    for t in json.loads(done.stdout)["tests"]:
        if "command" not in t:
            continue
        p = {x["name"]: x["value"] for x in t.get("properties", [])}
        environment = dict(e.split("=", 1) for e in p.get("ENVIRONMENT", []) if "=" in e)
        tests.append(Test(t["name"], t["command"], p.get("WORKING_DIRECTORY", str(tree)), environment,
                          p.get("TIMEOUT", 120)))
    driver = next((tree / "build").rglob("random_books"), None)
    if driver:
        for seed, runs, calls, fail in ((70, 40, 500, 0), (71, 10, 2000, 20)):
            tests.append(Test(f"driver.random_books_{seed}",
                              [str(driver), "--seed", str(seed), "--runs", str(runs), "--calls",
                               str(calls), "--fail", str(fail)], str(tree), {}, 120))
    return tests


def bounded():
    """A fault may take all memory or fill the disk; its process may not."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
    if not os.environ.get("LSCHED_FAULT_NO_LIMIT"):
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))


def run_test(test, variables, limit):
    """(state, seconds); state is "passed", "failed", "skipped" or "late"."""
    with tempfile.TemporaryDirectory(prefix="fault-") as scratch:
        environment = {**os.environ, **test.environment, **variables, "TMPDIR": scratch}
        if test.lock:
            test.lock.acquire()
        start = time.monotonic()
        try:
            child = subprocess.Popen(test.command, cwd=test.cwd, env=environment, preexec_fn=bounded,
                                     stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL, start_new_session=True)
            try:
                code = child.wait(limit)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
                return "late", time.monotonic() - start
        finally:
            if test.lock:
                test.lock.release()
        state = "passed" if code == 0 else "skipped" if code == 77 else "failed"
        return state, time.monotonic() - start


def in_parallel(jobs, work, items):
    """work(item) for each; exceptions end it."""
    items, lock, failed = iter(items), threading.Lock(), []

    def loop():
        while not failed:
            with lock:
                item = next(items, None)
            if item is None:
                return
            try:
                work(item)
            except BaseException as error:  # pylint: disable=broad-except
                failed.append(error)
    threads = [threading.Thread(target=loop, daemon=True) for _ in range(jobs)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if failed:
        raise failed[0]


def reach_table(tests, path, jobs):
    """What each test reaches and how long it takes without a fault, from the file where it is still
    true. Returns {name: {"state", "seconds", "faults"}}."""
    table = json.loads(path.read_text()) if path.exists() else {}
    due = [t for t in tests if table.get(t.name, {}).get("stamp") != t.stamp()]
    lock, done = threading.Lock(), [0]

    def one(test):
        with tempfile.TemporaryDirectory(prefix="reach-") as where:
            state, seconds = run_test(test, {"LSCHED_FAULT": "-1", "LSCHED_FAULT_REACHED": where},
                                      test.limit * 3)
            faults = sorted(int(name) for name in os.listdir(where))
        with lock:
            table[test.name] = {"stamp": test.stamp(), "state": state, "seconds": round(seconds, 3),
                                "faults": faults}
            done[0] += 1
            if done[0] % 50 == 0 or done[0] == len(due):
                path.write_text(json.dumps(table))
                print(f"reached: {done[0]} of {len(due)} tests", flush=True)

    # long ones first, so that the last one does not run alone
    in_parallel(jobs, one, sorted(due, key=lambda t: -t.prior))
    return table


def finds(test, fault):
    """How the test finds the fault, or None. A time is ten times the usual one and some seconds."""
    limit = 10 * test.seconds + 10
    state, _ = run_test(test, {"LSCHED_FAULT": str(fault["id"])}, limit)
    if state not in ("failed", "late"):
        return None
    again, _ = run_test(test, {}, limit)
    if again not in ("passed", "skipped"):
        print(f"{test.name} fails without a fault, too", flush=True)
        return None
    return test.name + (" (by its time)" if state == "late" else "")


def judge(fault, tests, passed, seconds):
    """(state, who found it, tests passed, seconds). `passed` are those that ran before."""
    start, left = time.monotonic(), [t for t in tests if t.name not in passed]
    passed = list(passed)
    while left:
        if time.monotonic() - start > seconds:
            return "survived in the time", "", passed, time.monotonic() - start
        test = max(left, key=lambda t: t.weight(fault))
        left.remove(test)
        by = finds(test, fault)
        test.trials += 1
        if by:
            test.kills += 1
            return "killed", by, passed, time.monotonic() - start
        passed.append(test.name)
    return "survived", "", passed, time.monotonic() - start
