"""Every check of the verifier has found something: a check that no damaged state reaches could be
removed, or turned around, and no test would fail.

usage: check_damage.py PROGRAM...

Each program runs once with LSCHED_HEARD (tests/support/heard.c), which collects what the verifier
says in it. The texts that it could say stand in the sources, libsched/model/check/check*.c and
libsched/engine/verify*/verify*.c: each literal of check_fail(), with NAME() of a table as that table's rows
are called, and each literal that is given to a function that hands it on to check_fail(). Each must
be heard. Two checks of one text would hide each other, so texts must differ. What no state can
reach stands in UNREACHED with its reason, and an entry that is heard, or is no text of the sources
any more, is a fault, too.
"""
import os
import re
import subprocess
import sys
import tempfile

import tree

# Text as it stands in the source -> why no state reaches it.
UNREACHED = {
    # check.c defines check_fail, and the linker wraps calls of other files alone.
    "row %u of %s was changed without an entry in the undo log":
        "unit/test_undo.c and property/test_caches_random.c ask for it",
    "out of memory for the verifier's counts": "unit/test_verify.c asks for it",
    # Guards of code that could not go on; columns_check() has shown what they ask again.
    "the machine of %s cannot be decoded": "check_machine() decodes the bytes of every row before",
    "device %u of %s is in share mode %u, but it is stored %s a MIG table":
        "check_devclasses() compares mode and table in the bytes, class_is_right() the device's mode "
        "with them, and verify_shared_node() wants rows of SHARED for the mode",
    "the bytes are not canonical":
        "machine_decode() refuses what machine_encode() would write otherwise, today",
}

WORDS = {"KIND": "resource kind", "TOPOLOGY": "topology", "DOMAIN": "domain", "NODE": "node",
         "QUEUE": "queue", "JOB": "job", "STRING": "string", "DERIVED": "quota kind",
         "POOL": "pool", "SUPPLY": "supply", "RESERVATION": "reservation"}
CONVERSION = re.compile(r"%(?:(#l*x)|(zu|l*[ud]|0\dd)|(\.\*)?s|%)")
LITERAL = re.compile(r'\s*"((?:\\.|[^"\\])*)"')


def without_comments(text):
    """Comments become blanks; lines keep their numbers."""
    token = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|//[^\n]*|/\*.*?\*/', re.S)
    return token.sub(lambda m: m.group() if m.group()[0] in "\"'"
                     else re.sub(r"[^\n]", " ", m.group()), text)


def arguments(text, at):
    """The arguments of a call whose bracket opens at `at`, and where it ends."""
    depth, begin, found, i = 0, at + 1, [], at
    while True:
        char = text[i]
        if char == '"':
            i = re.compile(r'"(?:\\.|[^"\\])*"').match(text, i).end()
            continue
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
            if depth == 0:
                return found + [text[begin:i].strip()], i
        elif char == "," and depth == 1:
            found.append(text[begin:i].strip())
            begin = i + 1
        i += 1


def literals(argument):
    """Texts that an argument may be: one, or those of both sides of a condition."""
    found, i, joined = [], 0, None
    for part in re.split(r"\s*[?:](?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)\s*", argument):
        i, joined = 0, None
        while (m := LITERAL.match(part, i)):
            joined = (joined or "") + m.group(1)
            i = m.end()
        if joined is not None and not part[i:].strip():
            found.append(joined)
    return found


def name_of(argument, tables):
    """A regular expression for what %s shows."""
    m = re.match(r"(?:NAME|row_name)\s*\(\s*(?:c->k, )?(?:\w+->)?(\w+)", argument)
    table = tables.get(m.group(1), m.group(1)) if m else ""
    if table in ("T_TASK", "T_DECISION"):
        return r'(?:task \d+ of job ".*?"|row \d+ of (?:TASK|DECISION))'
    if table.startswith("T_"):
        word = WORDS.get(table[2:])
        row = rf"row \d+ of {table[2:]}"
        return f'(?:{word} ".*?"|{row})' if word else row
    texts = literals(argument)
    if texts:
        return "(?:" + "|".join(map(re.escape, texts)) + ")"
    return ".*?"


def expression(text, values, tables):
    """The regular expression of a text with the arguments that follow it."""
    values, out, i = iter(values), "", 0
    text = text.replace('\\"', '"')
    for m in CONVERSION.finditer(text):
        out += re.escape(text[i:m.start()])
        i = m.end()
        if m.group() == "%%":
            out += "%"
            continue
        value = next(values, "")
        if m.group(1):
            out += "(?:0x)?[0-9a-f]+"
        elif m.group(2):
            out += r"-?\d+"
        else:
            if m.group(3):
                value = next(values, "")
            out += name_of(value, tables)
    return out + re.escape(text[i:])


class Helper:
    """A function that hands a text on to check_fail()."""

    def __init__(self, parameters, text, values):
        self.parameters, self.text, self.values = parameters, text, values


FUNCTION = re.compile(r"^(?:static )?(?:int32_t|int) (\w+)\(([^;{]*)\) \{$", re.M)


def helpers(text):
    found = {}
    for m in FUNCTION.finditer(text):
        parameters = re.findall(r"(\w+)(?:\[\w*\])?(?:,|$)", m.group(2))
        body = text[m.end():text.index("\n}", m.end())]
        call = re.search(r"\bcheck_fail\(", body)
        if not call or "const char *what" not in m.group(2):
            continue
        values, _ = arguments(body, call.end() - 1)
        if "what" in values:
            found[m.group(1)] = Helper(parameters, literals(values[1])[0], values[2:])
    return found


def sites(path):
    """(line, text, regular expression) of each text that the file may say."""
    text = without_comments(tree.read(path))
    known = helpers(text)
    for m in re.finditer(r"\b(check_fail|" + "|".join(known or ["check_fail"]) + r")\(", text):
        line = text.count("\n", 0, m.start()) + 1
        values, _ = arguments(text, m.end() - 1)
        helper = known.get(m.group(1))
        if not helper:
            if "what" in values:
                continue  # the helper itself
            for literal in literals(values[1]) if len(values) > 1 else []:
                yield line, literal, expression(literal, values[2:], {})
            continue
        given = dict(zip(helper.parameters, values))
        for literal in literals(given["what"]):
            inner = [f'"{literal}"' if v == "what" else v for v in helper.values]
            yield line, literal, expression(helper.text, inner, given)


def heard_of(programs):
    """What the programs heard; with more chances than the test itself takes, so that a change of the
    columns, which changes what chance draws, does not miss a check."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "heard")
        env = {**os.environ, "LSCHED_HEARD": path, "LSCHED_TEST_SCALE": "300"}
        env.pop("LSCHED_TEST_SEED", None)
        env.pop("LSCHED_TEST_ROUNDS", None)
        for program in programs:
            run = subprocess.run([program], env=env, check=False, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True)
            if run.returncode == 77:
                print(f"{program} was skipped")
                sys.exit(77)
            if run.returncode != 0:
                print(run.stdout[-2000:])
                sys.exit(f"{program} failed")
        with open(path, encoding="utf-8", errors="replace") as file:
            return set(file.read().split("\n"))


def main():
    complaints, count, seen = [], 0, {}
    heard = heard_of(sys.argv[1:])
    texts = set()
    for path in tree.files(".c"):
        if not re.match(r"libsched/(model/check/check|engine/verify(?:_plan)?/verify)\w*\.c$", path):
            continue
        for line, literal, pattern in sites(path):
            count += 1
            texts.add(literal)
            if pattern in seen:
                complaints.append(f"{path}:{line}: \"{literal}\" is said at {seen[pattern]}, too")
                continue
            seen[pattern] = f"{path}:{line}"
            whole = re.compile(pattern, re.S)
            reached = any(whole.fullmatch(text) for text in heard)
            if reached and literal in UNREACHED:
                complaints.append(f"{path}:{line}: \"{literal}\" was heard; it is in the list of "
                                  "what cannot be reached")
            if not reached and literal not in UNREACHED:
                complaints.append(f"{path}:{line}: no damaged state is refused with \"{literal}\"")
    for literal in UNREACHED:
        if literal not in texts:
            complaints.append(f"tests/checks/check_damage.py:1: \"{literal}\" is no text of a check")
    tree.finish(complaints, f"{count} checks of the verifier, {len(heard)} kinds of messages heard")


main()
