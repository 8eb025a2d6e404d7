"""What a fault is and where one can stand: functions of C files, lines of them, changed lines.

Nothing here parses C. The code has one layout (scripts/format): a function begins in column 0, its
head ends with " {", and its last line is "}" in column 0. What has another form is left out.
"""
import random
import re

PARTS = ["engine", "model", "algorithms", "pack"]

# What is never changed: assertions, preprocessor lines, error texts, and code that only describes.
SKIP_LINE = re.compile(r"^\s*(#|//|\*|/\*)|assert\(|check_fail|fail\(|snprintf|text_put|put_"
                       r"|_Static_assert|alloc_free|LSCHED_E_NOMEM")
SKIP_FILE = re.compile(r"(^|/)(explain|verify|check|cache_check|policy_log)")
OPERATORS = [
    ("relation", re.compile(r"(?<=[\w\])]) (<=|>=|<|>|==|!=) (?=[\w(\-])"),
     {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}),
    ("arithmetic", re.compile(r"(?<=[\w\])]) (\+|-) (?=[\w(])"), {"+": "-", "-": "+"}),
    ("logic", re.compile(r"(?<=[\w\])]) (&&|\|\|) (?=[\w(!])"), {"&&": "||", "||": "&&"}),
]
CALL = re.compile(r"^(\s*)([a-z]\w*\([^;]*\));\s*(/\*.*\*/)?\s*$")
MARKED = re.compile(r"^(touch_|node_grew|queue_gave|evict_news|act_spend|bundle|bundles|charge|set_|"
                    r"add_|structure_|node_set_|share_|timer_|undo_)")
CONDITION = re.compile(r"\bif \(([^()]*(?:\([^()]*\)[^()]*)*)\)")
CONSTANT = re.compile(r"(?<![\w.\"'])([1-9]\d{0,3})(?![\w.\"'])")
ARGUMENTS = re.compile(r"\b([a-z]\w+)\((\w+), (\w+), (\w+)\)")
SETTER = re.compile(r"^(\s*)set_(u8|u16|u32|u64|i32|i64)\(k, (C_\w+), ([\w.\->]+), ([^;]+)\);\s*$")

HEAD = re.compile(r"^((?:static |inline |const |struct |enum |unsigned |union )*\w+ \**)(\w+)\((.*)\) \{$")
PARAMETER = re.compile(r"(?:\(\*(\w+)\)\(.*\)|(\w+)(?:\[[^\]]*\])*)$")


class Function:
    """One function of a file: lines [first, body) are its head, [body, last) its body, last is "}"."""

    def __init__(self, first, body, last, returns, name, parameters):
        self.first, self.body, self.last = first, body, last
        self.returns, self.name, self.parameters = returns, name, parameters


def code_of(line):
    """The line without its texts and its comment, of the same length."""
    line = re.sub(r'"(\\.|[^"\\])*"', lambda m: "_" * len(m.group()), line)
    line = re.sub(r"'(\\.|[^'\\])'", lambda m: "_" * len(m.group()), line)
    return re.sub(r"/\*.*?(\*/|$)|//.*", lambda m: " " * len(m.group()), line)


def without_comments(lines):
    """code_of of each line, and nothing of lines inside of longer comments."""
    comment, out = False, []
    for line in lines:
        if comment:
            comment = "*/" not in line
            out.append("")
            continue
        out.append(code_of(line))
        comment = "/*" in line and "*/" not in line[line.rindex("/*"):]
    return out


def split_parameters(text):
    """Names of parameters, or None if one has no plain form."""
    names, depth, start = [], 0, 0
    if text.strip() == "void":
        return names
    for i, c in enumerate(text + ","):
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            m = PARAMETER.search(text[start:i].strip())
            if not m or "..." in text[start:i]:
                return None
            names.append(m.group(1) or m.group(2))
            start = i + 1
    return names


def functions_of(lines):
    """All functions of a file that have the usual form."""
    i, found = 0, []
    while i < len(lines):
        first, head = i, lines[i]
        if not re.match(r"[A-Za-z_]", head) or "=" in head or "(" not in head:
            i += 1
            continue
        while not re.search(r"[;{}]\s*$", lines[i]) and i + 1 < len(lines):
            i += 1
            head += " " + lines[i].strip()
        i += 1
        m = HEAD.match(head)
        if not m or "=" in head:
            continue
        last = next((n for n in range(i, len(lines)) if lines[n] == "}"), None)
        names = split_parameters(m.group(3))
        if last is None or names is None:
            continue
        found.append(Function(first, i, last, re.sub(r"\b(static|inline) ", "", m.group(1)),
                              m.group(2), names))
        i = last + 1
    return found


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
    """Every fault of the tree: (file, line number from 0, kind, the line, the line as it would be)."""
    sites = []
    for part in PARTS:
        for path in sorted((tree / "libsched" / part).rglob("*.c")):
            if SKIP_FILE.search(path.name):
                continue
            lines = path.read_text(encoding="utf-8").split("\n")
            code = without_comments(lines)
            for function in functions_of(lines):
                for number in range(function.body, function.last):
                    if not code[number].strip() or SKIP_LINE.search(lines[number]):
                        continue
                    for kind, changed in sites_of(lines[number]):
                        if changed != lines[number]:
                            sites.append((str(path.relative_to(tree)), number, kind,
                                          lines[number], changed))
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


LABEL = re.compile(r"^(case\b.*|default\s*|[a-z_]\w*\s*):")
OPENS_DATA = re.compile(r"=\s*\{|^\s*(?:static |const )*(struct|union|enum)\b[^()]*\{\s*$")


def entry_of(function, code, target):
    """The line before which a statement may stand that runs whenever line `target` runs; the first
    line of the body if no nearer one is found. It goes backwards and outwards: never into a block
    that has ended, never between a condition and what hangs on it, never before a label."""
    depth, parens, data = 1, 0, 0
    at = []  # for each line: braces open before it, and whether it may follow a new statement
    before = "{"
    for n in range(function.body, target + 1):
        text = code[n].strip()
        plain = parens == 0 and data == 0 and before[-1:] in "{};:" and bool(text)
        plain = plain and not re.match(r"else\b|[{}#.]", text) and not LABEL.match(text)
        at.append((depth - (1 if text.startswith("}") else 0), plain))
        if data == 0 and OPENS_DATA.search(code[n]):
            data = depth + 1
        depth += code[n].count("{") - code[n].count("}")
        parens += code[n].count("(") - code[n].count(")")
        if data and depth < data:
            data = 0
        if text and not text.startswith("#"):
            before = text
    now = at[-1][0]
    for n in range(target, function.body - 1, -1):
        outer, plain = at[n - function.body]
        if outer > now:
            continue
        now = outer
        if plain:
            return n
        if LABEL.match(code[n].strip()):
            now = outer - 1
    return function.body
