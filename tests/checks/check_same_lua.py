"""check_same_lua.py LSCHED_A LSCHED_B [POLICIES]: two builds with different Lua say the same about random policies.

Each policy has loops, tables, sorting, strings, closures and recursion, and possibly a mistake that fails at run time or an endless
loop. Both programs check it and play a scenario with it. Warnings, errors with line and column, counts of instructions,
plans and their hashes must be equal. docs/policy-sandbox.md says what differs, such as the
depth at which recursion ends; that is left out.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

SEED = int(os.environ.get("LSCHED_TEST_SEED", "7"))
FIELDS = {"job": ["priority", "waiting", "gpu", "tasks", "duration"], "queue": ["gpu_used", "priority", "jobs"],
          "node": ["gpu_free", "cpu_free", "gpu", "tasks"]}
HOOKS = [("priority", ("job", "queue")), ("score", ("job", "node")), ("weight", ("queue",)), ("queue_order", ("queue",))]
SCENARIO = """
nodes:
  - {name: n, count: 6, cpu: 64, memory: 512Gi, gpus: {count: 8, model: H100-80GB}}
queues:
  - {name: a, quota: {gpu: 16}}
  - {name: b, quota: {gpu: 24}}
jobs:
  - {name: one, queue: a, priority: 3, tasks: {count: 3, gpu: 2, cpu: 4, memory: 1Gi}}
  - {name: two, queue: b, tasks: {count: 2, gpu: 4, cpu: 8, memory: 1Gi}}
  - {name: three, queue: a, priority: -2, tasks: {count: 9, min: 2, gpu: 3, cpu: 1, memory: 1Gi}}
  - {name: four, queue: b, priority: 7, tasks: {count: 1, gpu: 8, cpu: 1, memory: 1Gi}}
"""


class Writer:
    def __init__(self, seed, objects):
        self.r = random.Random(seed)
        self.objects = objects
        self.names = []
        self.n = 0

    def fresh(self):
        self.n += 1
        return f"v{self.n}"

    def number(self, depth=3):
        r = self.r
        if depth == 0 or r.random() < 0.2:
            kind = r.randrange(4)
            if kind == 0 and self.names:
                return r.choice(self.names)
            if kind == 1:
                return r.choice(["0", "-0", "1", "2.5", "0x10", "1e3", "7", ".5", "0.0", "1e-3"])
            of = r.choice(self.objects)
            return f"{of}.{r.choice(FIELDS[of])}"
        a, b = (self.number(depth - 1) for _ in range(2))
        return r.choice([
            f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"({a} % (math.abs({b}) + 1))", f"({a} / (math.abs({b}) + 1))", f"-{a}",
            f"math.min({a}, {b})", f"math.max({a}, {b})", f"math.floor({a})", f"math.abs({a})", f"#(\"x\" .. string.format('%d', 3) .. {a})",
            f"(tonumber(tostring({a})) or 1)", f"hash({a}, \"k\")", f"string.len(string.format('%.3f', {a}))",
            f"(({a} < {b}) and {a} or {b})", f"(({a} == {b} or not ({a} <= {b})) and 1 or 2)", f"select('#', {a}, {b}, nil)",
            f"math.sqrt(math.abs({a}))", f"math.fmod({a}, 7)", "string.len((\"abc\"):sub(2, 3))"])

    def body(self, depth):
        r, lines = self.r, []
        pad = "  "
        for _ in range(r.randrange(1, 4)):
            kind = r.randrange(12)
            v = self.fresh()
            if kind < 3:
                lines.append(f"local {v} = {self.number()}")
                self.names.append(v)
            elif kind == 3 and self.names:
                lines.append(f"{r.choice(self.names)} = {self.number()}")
            elif kind == 4 and depth:
                lines += [f"if {self.number()} > {self.number()} then", *self.nested(depth),
                          f"elseif {self.number()} == 1 then", *self.nested(depth), "else", *self.nested(depth), "end"]
            elif kind == 5 and depth:
                lines += [f"for {v} = {r.choice(['1', '0', '3'])}, {r.randrange(1, 30)} do", *self.nested(depth, [v]), "end"]
            elif kind == 6 and depth:
                lines += [f"local {v} = 0", f"while {v} < {r.randrange(1, 20)} do", f"{v} = {v} + 1", *self.nested(depth, [v]),
                          r.choice(["", f"if {v} > 5 then break end"]), "end"]
            elif kind == 7 and depth:
                lines += [f"local {v} = 3", "repeat", *self.nested(depth, [v]), f"{v} = {v} - 1", f"until {v} <= 0"]
            elif kind == 8 and depth:
                lines += [f"local t{v} = {{ b = {self.number(1)}, a = 2, [3] = {self.number(1)}, 5, {self.number(1)} }}",
                          f"local {v} = 0", f"for k, x in pairs(t{v}) do {v} = {v} + x + hash(k) end",
                          f"table.append(t{v}, {v}) table.sort(t{v}, function(p, q) return p > q end)", f"{v} = {v} + #t{v}"]
                self.names.append(v)
            elif kind == 9:
                lines += [f"local function f{v}(n, ...) if n <= 0 then return select('#', ...) end return {r.choice(['', '1 + '])}"
                          f"f{v}(n - 1, n, ...) end", f"local {v} = f{v}({r.randrange(1, 12)})"]
                self.names.append(v)
            elif kind == 10:
                lines += [f"local s{v} = tostring({self.number(1)}) .. \"-\" .. {self.number(1)}",
                          f"local {v} = (s{v} < \"5\" and 1 or 2) + s{v}:len() + (string.contains(s{v}, \"1\") and 1 or 0)"]
                self.names.append(v)
            elif kind == 11 and r.random() < 0.12:
                lines.append(r.choice([
                    f"while {self.number()} < math.huge do local x = 1 end", f"local {v} = nil + {self.number(1)}",
                    "error(\"stopped\")", "assert(false, \"no\")", f"local {v} = {{}} < 1", f"local {v} = string.sub()",
                    f"local {v} = {self.objects[0]}.x.y", f"local {v} = math.floor(\"q\")", f"local {v} = (1)()",
                    f"local {v} = #5", f"local {v} = \"a\" .. {{}}", f"local {v} = stats.mean({{}})", "local s = \"x\" while true do s = s .. s end",
                    f"for i = 1, \"z\" do local {v} = i end", f"local {v} = {{}} {v}.a.b = 1"]))
        return [pad + line for line in lines if line]

    def nested(self, depth, more=()):
        kept = list(self.names)
        self.names += more
        lines = self.body(depth - 1)
        self.names = kept
        return lines


def policy(seed):
    hook, objects = HOOKS[seed % len(HOOKS)]
    w = Writer(seed, objects)
    lines = w.body(3) + w.body(2)
    result = " + ".join(w.names[-3:]) or "1"
    bound = {"weight": f"math.abs(({result}) % 100)", "queue_order": f"({result}) % 1000"}.get(hook, result)
    return "\n".join(["return {", "  api = 1,", f"  {hook} = function({', '.join(objects)})", *lines, f"    return {bound}", "  end,", "}", ""])


def said(program, arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False, timeout=120)
    return f"{done.returncode}\n{done.stdout}\n{done.stderr}"


def main():
    programs, count = sys.argv[1:3], int(sys.argv[3]) if len(sys.argv) > 3 else 200
    failed = differ = 0
    with tempfile.TemporaryDirectory() as scratch:
        scenario, path = os.path.join(scratch, "s.yaml"), os.path.join(scratch, "p.lua")
        with open(scenario, "w", encoding="utf-8") as f:
            f.write(SCENARIO)
        for seed in range(SEED, SEED + count):
            text = policy(seed)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
            asked = [["check", "--json", path], ["run", scenario, "--policy", path, "--json"]]
            answers = [[said(p, a) for a in asked] for p in programs]
            failed += not answers[0][0].startswith("0")
            if answers[0] != answers[1]:
                differ += 1
                if differ <= int(os.environ.get("LSCHED_SHOW", "1")):
                    print(f"policy {seed}:\n{text}")
                    for a, b in zip(*answers):
                        if a != b:
                            print(f"---- {programs[0]}\n{a}\n---- {programs[1]}\n{b}")
    print(f"{count} policies, {failed} of them refused, {differ} with other answers")
    if failed > count * 9 // 10:
        print("hardly any policy works: the comparison shows nothing")
        return 1
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
