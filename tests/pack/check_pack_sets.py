"""check_pack_sets.py PROGRAM WHAT [SHARED_DIR]: one of the sets that docs/pack.md has figures of, packed with the work that the
program does unless told otherwise, and verified. WHAT is a set of SHARED_DIR/traces/tbpp, services, or mig80
(which is in the tree). Exits with 77 where the data is not there.

The sums are promises: what an independent ruin-and-recreate reached in a second per instance. Seconds are not checked: they are
the machine's.
"""
import json
import lzma
import os
import subprocess
import sys

import verify_mig80
import verify_services
import verify_tbpp

SKIPPED = 77
MOST_BINS = {"a1": 2640, "a2": 1547, "b1_subset": 7809, "d1": 5082}
PLANETLAB_BINS, GENAI_BINS = 232, 53
SAMPLES = 1300  # of both resources: 94 of the pods
MIG80_MINUTES = {"A": (169.55, 169.65), "B": (125.65, 125.75), "C": (91.15, 91.25), "D": (0, 64.0)}
MIG80_GAP_PERCENT = 6

program, what = sys.argv[1:3]
shared = sys.argv[3] if len(sys.argv) > 3 else ""  # ctest drops an empty argument


def trace(*parts):
    path = os.path.join(shared, "traces", *parts)
    if not shared or not os.path.exists(path):
        print(f"skipped: no {'/'.join(parts)} here (cmake -DLSCHED_SHARED_DIR=DIR names where it is)")
        sys.exit(SKIPPED)
    return path


def lsched(*words):
    done = subprocess.run([program, "pack", "--json", "--items", *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def expect(holds, text):
    print(text)
    if not holds:
        sys.exit(f"not as promised: {text}")


def plain(path):
    """A copy of a compressed list beside the build, for programs without liblzma."""
    copy = os.path.join(os.environ.get("LSCHED_BUILD_DIR", "."), os.path.basename(path)[:-len(".xz")])
    with lzma.open(path) as packed, open(copy, "wb") as out:
        out.write(packed.read())
    return copy


def check_set():
    sums = verify_tbpp.pack_all(program, [trace("tbpp", f"tbpp_{what}.tar.xz")])
    most = MOST_BINS.get(what)
    expect(most is None or sums.bins <= most, f"{what}: {sums}" + (f"; at most {most}" if most else ""))


def check_planetlab():
    path = plain(trace("planetlab", "planetlab_20110303.csv.xz"))
    profiles = {name: [row] for name, row in verify_services.read_wide(path).items()}
    got = lsched(path)
    bins = verify_services.verify(profiles, [100], got)
    expect(bins <= PLANETLAB_BINS, f"planetlab 20110303: {bins} bins, bound {got['lower_bound']}, by peaks "
                                   f"{got['by_peaks']['bins']}, {got['seconds']} s; at most {PLANETLAB_BINS}")


def check_genai():
    duty = plain(trace("genai-gpu-series", "pod_gpu_duty_cycle_anon.csv.xz"))
    memory = plain(trace("genai-gpu-series", "pod_gpu_memory_used_bytes_anon.csv.xz"))
    series = [verify_services.read_long(path, "timestamp_anon", "container_ip", "value") for path in (duty, memory)]
    times = sorted({at for one in series for own in one.values() for at in own})
    names = [name for name in series[0] if all(len(one.get(name, {})) >= SAMPLES for one in series)]
    profiles = {name: [verify_services.hold(one[name], times) for one in series] for name in names}
    got = lsched("--resource", f"duty={duty}:100", "--resource", f"memory={memory}:80GiB",
                 "--min-samples", str(SAMPLES))
    bins = verify_services.verify(profiles, [100, 80 << 30], got)
    expect(bins <= GENAI_BINS, f"genai: {len(names)} pods on {bins} GPUs, bound {got['lower_bound']}, by peaks "
                               f"{got['by_peaks']['bins']}, {got['seconds']} s; at most {GENAI_BINS}")


def check_mig80():
    seeds = verify_mig80.read("examples/mig80/mig80.csv")
    got = lsched("examples/mig80/mig80.csv")
    gaps = []
    for run in got["runs"]:
        jobs = seeds[run["seed"]]
        end = verify_mig80.verify(jobs, [place for place in got["items"] if place["seed"] == run["seed"]])
        if abs(end / 60 - run["d_min"]) > 1e-3 or end > verify_mig80.carved(jobs, 1):
            sys.exit(f"seed {run['seed']}: D ends at {end / 60}, C at {run['c_min']}")
        gaps.append(100 * (end / verify_mig80.area_bound(jobs) - 1))
    for arm, (least, most) in MIG80_MINUTES.items():
        minutes = got["arms"][arm]["makespan_min"]
        expect(least <= minutes <= most, f"mig80, arm {arm}: {minutes} minutes")
    gap = sum(gaps) / len(gaps)
    expect(gap <= MIG80_GAP_PERCENT, f"mig80: {gap:.2f} % above the bound by areas in the mean, "
                                     f"{got['gap_percent']} % above the best known, {got['seconds']} s")


if what == "services":
    check_planetlab()
    check_genai()
elif what == "mig80":
    check_mig80()
else:
    check_set()
