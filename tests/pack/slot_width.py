"""slot_width.py PROGRAM [SHARED_DIR] [--update]: what the width of slots costs services, measured, against the tables and the
picture of docs/pack.md; with --update those are written anew. Exits with 77 where the traces are not there.

A slot's demand is the most inside it, so a plan of wide slots is safe and wasteful; quantiles and N-sigma waste less and
overload.
"""
import json
import lzma
import math
import os
import subprocess
import sys

SKIPPED = 77
PAGE = os.path.join("docs", "pack.md")
PICTURE = os.path.join("docs", "slot-width.svg")
MARKS = ("<!-- measured by tests/pack/slot_width.py -->\n", "<!-- measured -->\n")
WORK = "20000000"
WIDTHS = (("", None), ("15m", 15), ("30m", 30), ("1h", 60), ("2h", 120), ("4h", 240), ("8h", 480))
COUNTS = (("the most", ()), ("3 sigma", ("--n-sigma", "3")), ("2 sigma", ("--n-sigma", "2")),
          ("1 sigma", ("--n-sigma", "1")), ("quantile 0.9", ("--quantile", "0.9")),
          ("quantile 0.75", ("--quantile", "0.75")), ("quantile 0.5", ("--quantile", "0.5")))
SAMPLES = 1300


def plain(shared, *parts):
    """A copy for programs without liblzma."""
    path = os.path.join(shared, "traces", *parts)
    if not shared or not os.path.exists(path):
        print("skipped: no traces here (cmake -DLSCHED_SHARED_DIR=DIR names where they are)")
        sys.exit(SKIPPED)
    copy = os.path.join(os.environ.get("LSCHED_BUILD_DIR", "."), "width-" + parts[-1][:-len(".xz")])
    with lzma.open(path) as packed, open(copy, "wb") as out:
        out.write(packed.read())
    return copy


def lsched(program, *words):
    done = subprocess.run([program, "pack", "--json", "--work", WORK, *words], capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def measure(program, sources):
    """{name: [(minutes, bins, bound)]} with the width of a day last, and the rows of what may count in an hour of the first."""
    series = {}
    for name, (words, minutes) in sources.items():
        points = []
        for width, at in WIDTHS:
            got = lsched(program, *words, *(["--slot", width] if width else []))
            points.append((at or minutes, got["bins"], got["lower_bound"]))
        points.append((1440, got["by_peaks"]["bins"], got["by_peaks"]["lower_bound"]))
        series[name] = points
    words = next(iter(sources.values()))[0]
    hours = []
    for word, option in COUNTS:
        got = lsched(program, *words, "--slot", "1h", *option)
        over = got["overload"]
        hours.append((word, got["bins"], 100 * over["bin_seconds"] / over["of_bin_seconds"], over["worst_percent"]))
    return series, hours


def width_word(minutes):
    if minutes < 5:
        return f"{round(minutes * 60)} s"
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h" if minutes < 1440 else "a day"


def tables(series, hours):
    names = list(series)
    lines = ["| slot |" + "".join(f" {name}: bins | bound | of peaks |" for name in names),
             "|---|" + "---:|---:|---:|" * len(names)]
    for row in zip(*series.values()):
        finest = row[0] == next(iter(series.values()))[0]
        word = "as sampled" if finest else width_word(row[0][0])
        lines.append(f"| {word} |" + "".join(
            f" {bins} | {bound} | {100 * bins / series[name][-1][1]:.0f} % |"
            for name, (_, bins, bound) in zip(names, row)))
    lines += ["", f"| {names[0]}, slots of an hour: what counts | bins | of the time over capacity | worst |",
              "|---|---:|---:|---:|"]
    lines += [f"| {word} | {bins} | {over:.2f} % | {worst:.0f} % |" for word, bins, over, worst in hours]
    return "\n".join(lines) + "\n"


STYLE = """<style>
  .card { fill: #ffffff }
  .grid { stroke: #d5dae2; stroke-width: 1 }
  .a { stroke: #2f6fb5; fill: none; stroke-width: 2.5 }
  .a-dot { fill: #2f6fb5 }
  .b { stroke: #b3701d; fill: none; stroke-width: 2.5 }
  .b-dot { fill: #b3701d }
  text { fill: #1d2430 }
  .small { font-size: 12.5px; fill: #454f5e }
  .number { font-size: 12.5px; font-weight: 600 }
  @media (prefers-color-scheme: dark) {
    .card { fill: #12161d }
    .grid { stroke: #333c49 }
    .a { stroke: #7db2ee }
    .a-dot { fill: #7db2ee }
    .b { stroke: #e3a863 }
    .b-dot { fill: #e3a863 }
    text { fill: #eef1f5 }
    .small { fill: #bac3cf }
  }
</style>
"""
LEFT, RIGHT, TOP, BOTTOM, WIDTH, HEIGHT = 80, 700, 84, 360, 760, 430


def picture(series):
    least = min(points[0][0] for points in series.values())

    def x(minutes):
        return LEFT + (RIGHT - LEFT) * math.log(minutes / least) / math.log(1440 / least)

    def y(percent):
        return BOTTOM - (BOTTOM - TOP) * percent / 100

    said = "; ".join(f"{name}: {points[0][1]} bins as sampled, {points[-1][1]} by peaks"
                     for name, points in series.items())
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
           'aria-labelledby="t d" font-family="system-ui, sans-serif" font-size="15">',
           '<title id="t">What the width of slots costs</title>', f'<desc id="d">{said}.</desc>',
           STYLE + f'<rect class="card" x="0" y="0" width="{WIDTH}" height="{HEIGHT}" rx="10"/>',
           f'<text x="{LEFT}" y="32" font-weight="600">Bins needed, in % of what packing by peaks needs</text>']
    for percent in range(0, 101, 25):
        out.append(f'<line class="grid" x1="{LEFT}" y1="{y(percent):.1f}" x2="{RIGHT}" y2="{y(percent):.1f}"/>'
                   f'<text class="small" x="{LEFT - 10}" y="{y(percent) + 4:.1f}" text-anchor="end">{percent} %</text>')
    for minutes in (1, 5, 15, 30, 60, 120, 240, 480, 1440):
        out.append(f'<text class="small" x="{x(max(minutes, least)):.1f}" y="{BOTTOM + 22}" '
                   f'text-anchor="middle">{width_word(minutes if minutes > 1 else least)}</text>')
    out.append(f'<text class="small" x="{(LEFT + RIGHT) / 2}" y="{BOTTOM + 50}" text-anchor="middle">width of a slot; '
               "its demand is the most inside it</text>")
    for kind, side, (name, points) in zip("ab", (20, -12), series.items()):
        share = [(x(at), y(100 * bins / points[-1][1]), bins) for at, bins, _ in points]
        out.append(f'<polyline class="{kind}" points="' + " ".join(f"{a:.1f},{b:.1f}" for a, b, _ in share) + '"/>')
        for a, b, bins in share:
            out.append(f'<circle class="{kind}-dot" cx="{a:.1f}" cy="{b:.1f}" r="4"/>')
            if a < RIGHT - 1:
                out.append(f'<text class="number" x="{a:.1f}" y="{b + side:.1f}" text-anchor="middle">{bins}</text>')
        at = TOP - 28 if kind == "a" else TOP - 10
        out.append(f'<rect class="{kind}-dot" x="{LEFT}" y="{at - 10}" width="18" height="8"/>'
                   f'<text class="small" x="{LEFT + 26}" y="{at - 2}">{name}: {points[0][1]} as sampled, '
                   f"{points[-1][1]} by peaks</text>")
    return "\n".join(out) + "\n</svg>\n"


def main():
    words = [word for word in sys.argv[1:] if word != "--update"]
    shared = words[1] if len(words) > 1 else ""  # ctest drops an empty argument
    planetlab = plain(shared, "planetlab", "planetlab_20110303.csv.xz")
    duty = plain(shared, "genai-gpu-series", "pod_gpu_duty_cycle_anon.csv.xz")
    memory = plain(shared, "genai-gpu-series", "pod_gpu_memory_used_bytes_anon.csv.xz")
    series, hours = measure(words[0], {
        "planetlab": ([planetlab], 5),
        "genai": (["--resource", f"duty={duty}:100", "--resource", f"memory={memory}:80GiB",
                   "--min-samples", str(SAMPLES)], 57 / 60)})
    table, drawn = tables(series, hours), picture(series)
    print(table)
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    begin = text.index(MARKS[0]) + len(MARKS[0])
    end = text.index(MARKS[1], begin)
    if "--update" in sys.argv:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(text[:begin] + table + text[end:])
        with open(PICTURE, "w", encoding="utf-8") as file:
            file.write(drawn)
        return
    with open(PICTURE, encoding="utf-8") as file:
        if text[begin:end] != table or file.read() != drawn:
            sys.exit(f"{PAGE} or {PICTURE} is not what is measured; see --update")


main()
