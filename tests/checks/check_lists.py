"""check_lists.py LSCHED: what is added in one place is named in all others that list it.

Algorithms: each that a file of libsched/algorithms/ defines is registered in builtin.h; the names that the program knows by role
are those of scripts/editor-files and of docs/policy-language.md. Codes of codes.def: each reason to wait, and each reason why
evictions did not help, has a text in the engine, a row in the property that judges reasons, and its word in docs/cli.md.
Columns: each column of schema.def is read by a check of the state (check*.c, verify*.c), or every value of it is sound.
Actions: each is in ACTIONS below, and the three files that ask what an action does list the same names. Messages: each message of the parser of policies that a fuzz target lists as a rule of our own is one that the parser has.
Keys: each key that the reader of scenarios knows is in the dictionary of its fuzz target and in docs/scenario-format.md, and
each code of a waiting job is in the row `waiting` there.
Without an lsched that was built, the names of algorithms are left out. CONTRIBUTING.md has the lists of files.
"""
import os
import re
import runpy
import subprocess
import sys

import tree

ROLES = {"FairShare": "fair_share = 'x'", "Order": "order = 'x'", "Placement": "placement = 'x'",
         "Action": "pipeline = { 'x' }"}
KEYS = {"FairShare": "fair_share", "Order": "order", "Placement": "placement", "Action": "pipeline"}
FORMAT = "docs/scenario-format.md"
# Maps of scenarios whose keys stand in one row of the page, by the words with which their reader names them in errors.
ROWS = {"an update of a job": "`update_jobs`", "a device's update": "`update_devices`", "a hold": "`hold`, `release`",
        "the numbers of tasks of a group": "`update_jobs`", "foreign use": "`foreign_use`", "a resize": "`resize`"}
PAGE, WORDS = "docs/policy-language.md", "docs/cli.md"
# What each registered action does with tasks: "starts" them, "stops" them (or moves them), or both.
ACTIONS = {"act_allocate": ("allocate", "starts"), "act_tsdpbp": ("ts-dpbp", "starts"), "act_backfill": ("backfill", "starts"), "act_reclaim": ("reclaim", "both"),
           "act_preempt": ("preempt", "both"), "act_consolidate": ("consolidate", "both"),
           "act_evict_stale": ("evict-stale-gangs", "stops"), "act_evict_overdue": ("evict-overdue", "stops"),
           "act_evict_idle": ("evict-idle", "stops"), "act_drain": ("drain", "stops"), "act_speed_up": ("speed-up", "stops")}
# Where code lists the actions that only stop work, or that only start it.
ACTION_LISTS = (("libsched/engine/plan/plan_waiting.c", r"gives_places\(.*?others\[\] = \{(.*?)\}", "stops"),
                ("lua/host/lua_unused.c", r"stops_nobody\[\] = \{(.*?)\}", "starts"),
                ("cli/policy/check_report.c", r"void warn_pipeline\(.*?has_word\((.*?)return", "starts"))
EXPLAINED_ELSEWHERE = {"WAIT_NONE", "NO_VICTIM_NOT_TRIED"}  # nothing waits, or nothing was searched

# Checked for all tables alike (check_tables.c, check_indexes.c), or numbers that may be anything.
COLUMNS_OF_ALL = re.compile(r"LINK|REFS|SERIAL|GEN|TAG|IX_\w+|META_WORD")
ANY_VALUE = set("""
    GROUP_SLICE_LEVEL1 GROUP_SLICE_LEVEL2 GROUP_SLICE_TASKS1 GROUP_SLICE_TASKS2
    QUEUE_PRIORITY QUEUE_PRIORITY_NOW QUEUE_JOBS_MAX QUEUE_SUBMITTED_MAX QUEUE_USER_JOBS_MAX
    QUEUE_USER_SUBMITTED_MAX QUEUE_GROUP_JOBS_MAX QUEUE_GROUP_SUBMITTED_MAX
    COST_DISRUPTIONS_MAX COST_RETRIES_MAX COST_DISRUPTIONS COST_RETRIES COST_AVOID COST_REJECTS COST_REJECT_WAVE COST_DEVICE_LOSSES
    COST_REJECT_NODE BUNDLE_NEED BUNDLE_HAVE BUNDLE_ABLE BUNDLE_EVICT_KIND BUNDLE_EVICT_QUEUE BUNDLE_EVICT_NEED
    BUNDLE_EVICT_HAVE BUNDLE_PLAN_FITS BUNDLE_LOOKED BUNDLE_BEHIND BUNDLE_RIGHT COLLISION_JOB COLLISION_INDEX
    REFUSAL_WAVE REFUSAL_SINCE REFUSAL_LAST""".split())


def checked(complaints):
    sources = tree.files(".c", ".def")
    schema = next(p for p in sources if p.endswith("/schema.def"))
    checks = "".join(tree.read(p) for p in sources
                     if p.startswith("libsched/") and re.match(r"(check|verify)", os.path.basename(p)))
    names = [f"{table}_{name}" for table, name in re.findall(r"^K?COL\((\w+), (\w+)", tree.read(schema), re.M)]
    for name in names:
        column = name.split("_", 1)[1]
        if COLUMNS_OF_ALL.fullmatch(column) or COLUMNS_OF_ALL.fullmatch(name) or name in ANY_VALUE:
            continue
        if not re.search(rf"\bC_{name}\b", checks):
            complaints.append(f"{schema}:1: no check of the state reads C_{name}; ANY_VALUE lists columns that need none")
    for name in sorted(ANY_VALUE - set(names)):
        complaints.append(f"tests/checks/check_lists.py:1: ANY_VALUE names {name}, which is no column")


def registered(complaints):
    tables = [p for p in tree.files(".c") if p.startswith("libsched/algorithms/")]
    builtin = "libsched/algorithms/builtin.h"
    known = set(re.findall(r"\bX\((\w+)\)", tree.read(builtin)))
    for path in tables:
        for name in re.findall(r"^const lsched_algorithm (\w+) = \{", tree.read(path), re.M):
            if name not in known:
                complaints.append(f"{path}:1: {builtin} does not register {name}")


def named(program, complaints):
    aliases = runpy.run_path(os.path.join(tree.ROOT, "scripts", "editor-files"), run_name="lists")["ALIASES"]
    page = tree.read(PAGE)
    for role, text in ROLES.items():
        done = subprocess.run([program, "check", "-"], input=f"return {{ api = 1, {text} }}", text=True,
                              capture_output=True, check=False)
        there = re.search(r"there are: (.*)", done.stderr)
        if not there:
            complaints.append(f"lsched check says of an unknown {role}: {done.stderr.strip()}; "
                              "expected 'there are: ...'")
            continue
        known = there[1].split(", ")
        if set(known) != set(aliases[role]):
            complaints.append(f"scripts/editor-files:1: {role} names {sorted(aliases[role])}; "
                              f"the library knows {sorted(known)}")
        row = re.search(rf"^\| `{KEYS[role]}` \|.*$", page, re.M)
        for name in known:
            if not row or f'`"{name}"`' not in row[0]:
                complaints.append(f"{PAGE}:1: the row of `{KEYS[role]}` does not name \"{name}\"")


def explained(complaints):
    sources = [p for p in tree.files(".c") if p.startswith("libsched/")]
    texts = "".join(tree.read(p) for p in sources if re.search(r"/explain_|/refused", p))
    rows = next(p for p in tree.files(".c") if p.endswith("/reasons_advice.c"))
    judged, page = tree.read(rows), tree.read(WORDS)
    for kind, name, word in re.findall(r'^LSCHED_X_(WAIT|NO_VICTIM)\((\w+), +\d+, +"([\w-]+)"\)',
                                       tree.read("libsched/include/libsched/codes.def"), re.M):
        if f"{kind}_{name}" in EXPLAINED_ELSEWHERE:
            continue
        if f"case LSCHED_{kind}_{name}:" not in texts:
            complaints.append(f"LSCHED_{kind}_{name} has no text: no explain_*.c has its case")
        if f'"{"evict: " * (kind == "NO_VICTIM")}{word}"' not in judged:
            complaints.append(f"{rows}:1: no row for \"{word}\" of codes.def")
        if f"`{word}`" not in page:
            complaints.append(f"{WORDS}:1: `{word}` of codes.def is not listed")


def acting(complaints):
    registered_actions = set(re.findall(r"\bX\((act_\w+)\)", tree.read("libsched/algorithms/builtin.h")))
    for name in sorted(registered_actions ^ set(ACTIONS)):
        complaints.append(f"tests/checks/check_lists.py:1: ACTIONS and builtin.h differ in {name}; say there whether the action "
                          "starts tasks, stops tasks, or does both")
    for path, where, does in ACTION_LISTS:
        listed = set(re.findall(r'"([a-z-]+)"', re.search(where, tree.read(path), re.S)[1]))
        wanted = {word for word, what in ACTIONS.values() if what == does}
        if listed != wanted:
            complaints.append(f"{path}:1: lists {sorted(listed)} as the actions of the kind \"{does}\"; expected {sorted(wanted)}")


def own_refusals(complaints):
    """fuzz/policy_parse.c lists parts of messages; a message that is worded anew must be in that list, too."""
    harness = "fuzz/policy_parse.c"
    parser = "".join(tree.read(p) for p in tree.files(".c") if p.startswith("lua/front/"))
    parser = re.sub(r'"\s*\n\s*"', "", parser)
    for part in re.findall(r'"([^"]+)"', re.search(r"ours\[\] = \{(.*?)\}", tree.read(harness), re.S)[1]):
        # the message can have %u for a number, and %.*s for a quoted word
        form = "".join("(?:%u|" + piece + ")" if piece.isdigit() else re.escape(piece)
                       for piece in re.split(r"(\d+)", part))
        form = re.sub(r"'(.*)'", r"'(?:%\\.\\*s|\1)'", form)
        if not re.search(form, parser):
            complaints.append(f"{harness}:1: no message of lua/front has \"{part}\"")


def keys_in(text):
    """The keys of scenarios that rows of tables in a piece of the reader name."""
    return set(re.findall(r'(?:\b(?:[A-Z_]*FIELD(?:_[A-Z]+)*|ROW|NUMBER|FLAG|NO_MEMBER|JOB_UPDATE)\([^;"]*?|\{\.name = )"([a-z_]+)"', text))


def dictionary(complaints):
    """Without its word in the dictionary, libFuzzer hardly ever writes a key of scenarios; without a word in the page, no reader does.

    A map whose keys one row of the page lists (ROWS) has all of its keys in that row."""
    path = "fuzz/corpus/scenario_yaml.dict"
    words = set(re.findall(r'^"([a-z_]+)(?:: )?"$', tree.read(path), re.M))
    page = tree.read(FORMAT)
    named = set(re.findall(r"[a-z_]+", " ".join(re.findall(r"`[^`]+`|```.*?```", page, re.S))))
    keys = set()
    for source in tree.files(".c"):
        if not source.startswith("libsched/config/"):
            continue
        text = tree.read(source)
        keys |= keys_in(text)
        for table, what in re.findall(r'static const struct field \w+\[\] = \{(.*?)\};.*?READ_MAP\([^;]*?"([^"]+)"', text, re.S):
            row = next((line for line in page.splitlines() if line.startswith(f"| {ROWS.get(what, '?')}")), None)
            for key in sorted(keys_in(table)) if row else ():
                if not re.search(rf"\b{key}\b", row):
                    complaints.append(f"{FORMAT}:1: the row of {ROWS[what]} lacks the key {key} of {what} ({source})")
    if len(keys) < 150:
        complaints.append(f"tests/checks/check_lists.py:1: only {len(keys)} keys of scenarios were found; the pattern does not fit the reader")
    for key in sorted(keys - words):
        complaints.append(f"{path}:1: the key \"{key}: \" of scenarios is missing")
    for key in sorted(keys - named):
        complaints.append(f"{FORMAT}:1: the key {key} of scenarios is missing")
    row = next(line for line in page.splitlines() if line.startswith("| `waiting` |"))
    for word in re.findall(r'LSCHED_X_(?:WAIT|NO_VICTIM)\(\w+,\s*\d+,\s*"([a-z-]+)"', tree.read("libsched/include/libsched/codes.def")):
        if word != "none" and f"`{word}`" not in row:
            complaints.append(f"{FORMAT}:1: the row of `waiting` lacks the code {word}")


complaints = []
checked(complaints)
registered(complaints)
if len(sys.argv) > 1 and sys.argv[1] and os.path.exists(sys.argv[1]):
    named(sys.argv[1], complaints)
explained(complaints)
acting(complaints)
own_refusals(complaints)
dictionary(complaints)
tree.finish(complaints, "lists that name the same things")
