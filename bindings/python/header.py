"""Reads libsched.h: its constants, structures, defaults and functions, as plain data.

The header is written to be read by programs (no bit fields, no enums as members, no macros in declarations but
LSCHED_API), so a tokenizer and some hundred lines do what a C parser would; whatever they do not understand is an error
and never skipped. The layout of structures is computed here by the rules of LP64, apart from any compiler, so that
a compiler that disagrees is found by the layout test.
"""
import ast
import operator
import os
import re

# name: (size, alignment, ctypes name)
SCALARS = {
    "char": (1, 1, "c_char"),
    "uint8_t": (1, 1, "c_uint8"),
    "uint16_t": (2, 2, "c_uint16"),
    "int32_t": (4, 4, "c_int32"),
    "uint32_t": (4, 4, "c_uint32"),
    "int64_t": (8, 8, "c_int64"),
    "uint64_t": (8, 8, "c_uint64"),
    "size_t": (8, 8, "c_size_t"),
    "double": (8, 8, "c_double"),
}
LIMITS = {"INT64_MAX": 2**63 - 1, "UINT32_MAX": 2**32 - 1, "UINT64_MAX": 2**64 - 1, "INT32_MIN": -(2**31), "INT64_MIN": -(2**63)}  # of defaults
TOKEN = re.compile(r"[A-Za-z_]\w*|0[xX][0-9a-fA-F]+|\d+|\"[^\"]*\"|[^\s\w]")


class HeaderError(Exception):
    """The header holds something that this reader does not know."""


class Type:
    """base is a scalar, a structure, a typedef or "void"; pointer counts stars; length is that of an array."""

    def __init__(self, base, pointer=0, const=False, length=None, callback=None):
        self.base, self.pointer, self.const, self.length, self.callback = base, pointer, const, length, callback


class Field:
    def __init__(self, name, kind):
        self.name, self.kind = name, kind


class Function:
    def __init__(self, name, result, parameters):
        self.name, self.result, self.parameters = name, result, parameters


class Header:
    def __init__(self):
        self.constants = {}   # name -> int
        self.errors = []      # (name, value, text)
        self.aliases = {}     # typedef -> scalar
        self.callbacks = {}   # typedef -> Type with callback = (result, parameters)
        self.opaque = []      # names
        self.enums = []       # names
        self.structs = {}     # name -> [Field], in the order of the header
        self.defaults = {}    # structure -> {field: text of a non-zero initializer}
        self.functions = []

    def resolve(self, base):
        while base in self.aliases:
            base = self.aliases[base]
        return base

    def lists(self, struct):
        """field -> (field with the count, field with the size of an element or None), by the naming convention."""
        names = [field.name for field in self.structs[struct]]
        found = {}
        for field in self.structs[struct]:
            count = next((n for n in (f"n_{field.name}", f"n_{field.name.removesuffix('_milli')}")
                          if field.kind.pointer and field.kind.const and n in names), None)
            if count:
                elem = f"{field.name.removesuffix('s')}_elem_size"
                found[field.name] = (count, elem if elem in names else None)
        return found

    def layout(self, struct):
        """(size, alignment, [(field, offset, size)]) under LP64."""
        offset, widest, rows = 0, 1, []
        for field in self.structs[struct]:
            size, align = self._extent(field.kind)
            offset = -(-offset // align) * align
            rows.append((field.name, offset, size))
            offset, widest = offset + size, max(widest, align)
        return -(-offset // widest) * widest, widest, rows

    def _extent(self, kind):
        if kind.pointer or kind.callback or kind.base in self.callbacks:
            size = align = 8
        elif self.resolve(kind.base) in SCALARS:
            size, align, _ = SCALARS[self.resolve(kind.base)]
        elif kind.base in self.structs:
            size, align, _ = self.layout(kind.base)
        else:
            raise HeaderError(f"no layout for {kind.base}")
        return size * (kind.length or 1), align


_OPERATORS = {ast.LShift: operator.lshift, ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
              ast.BitOr: operator.or_}


def _number(text, constants):
    """The value of a constant expression, or None if it is no number."""
    text = re.sub(r"\((?:u?int\d+_t)\)", "", text)
    text = re.sub(r"\b(0[xX][0-9a-fA-F]+|\d+)[uUlL]+\b", r"\1", text)

    def walk(node):
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return node.value
        if isinstance(node, ast.Name):
            return constants[node.id]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -walk(node.operand)
        if isinstance(node, ast.BinOp):
            return _OPERATORS[type(node.op)](walk(node.left), walk(node.right))
        raise KeyError(text)

    try:
        return walk(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, KeyError):
        return None


class _Tokens:
    def __init__(self, text):
        self.items, self.at = TOKEN.findall(text), 0

    def peek(self, ahead=0):
        return self.items[self.at + ahead] if self.at + ahead < len(self.items) else ""

    def take(self, expected=None):
        token = self.peek()
        if not token or (expected and token != expected):
            near = " ".join(self.items[max(0, self.at - 8):self.at + 4])
            raise HeaderError(f"expected {expected or 'a token'}, found {token or 'the end'} near: {near}")
        self.at += 1
        return token

    def accept(self, token):
        if self.peek() == token:
            self.at += 1
            return True
        return False


def _base(tokens):
    const = tokens.accept("const")
    tokens.accept("struct")
    return tokens.take(), const


def _declarator(tokens, base, const, constants):
    """The name and type after a base type: stars, function pointers, arrays."""
    stars = 0
    while tokens.accept("*"):
        stars += 1
    if tokens.accept("("):
        tokens.take("*")
        name = tokens.take()
        tokens.take(")")
        callback = (Type(base, stars, const), _parameters(tokens, constants))
        return name, Type(base, callback=callback)
    name = tokens.take() if re.match(r"[A-Za-z_]", tokens.peek()) else ""
    length = None
    if tokens.accept("["):
        text = tokens.take()
        length = constants[text] if text in constants else int(text)
        tokens.take("]")
    return name, Type(base, stars, const, length)


def _parameters(tokens, constants):
    tokens.take("(")
    if tokens.peek() == "void" and tokens.peek(1) == ")":
        tokens.take()
    found = []
    while not tokens.accept(")"):
        found.append(Field(*_declarator(tokens, *_base(tokens), constants)))
        tokens.accept(",")
    return found


def _fields(tokens, constants):
    tokens.take("{")
    found = []
    while not tokens.accept("}"):
        base, const = _base(tokens)
        while True:
            found.append(Field(*_declarator(tokens, base, const, constants)))
            if not tokens.accept(","):
                break
        tokens.take(";")
    return found


def _enum(tokens, header):
    if tokens.peek() != "{":
        tokens.take()
    tokens.take("{")
    value = -1
    while not tokens.accept("}"):
        name = tokens.take()
        text = ""
        if tokens.accept("="):
            while tokens.peek() not in (",", "}"):
                text += tokens.take()
        value = _number(text, header.constants) if text else value + 1
        if value is None:
            raise HeaderError(f"{name} is not a number: {text}")
        if not name.endswith("_"):
            header.constants[name] = value
        tokens.accept(",")
    tokens.take(";")


def _typedef(tokens, header):
    if tokens.peek() == "struct" and tokens.peek(2) == "{":
        tokens.take()
        tag = tokens.take()
        header.structs[tag] = _fields(tokens, header.constants)
        tokens.take(tag)
    elif tokens.peek() == "struct":
        tokens.take()
        header.opaque.append(tokens.take())
        tokens.take()
    else:
        name, kind = _declarator(tokens, *_base(tokens), header.constants)
        if kind.callback:
            header.callbacks[name] = kind
        else:
            header.aliases[name] = kind.base
    tokens.take(";")


def _declarations(text, header):
    tokens = _Tokens(text)
    while tokens.peek():
        word = tokens.take()
        if word == "typedef":
            _typedef(tokens, header)
        elif word == "enum":
            header.enums.append(tokens.take())
            _enum(tokens, header)
        elif word == "LSCHED_API":
            base, const = _base(tokens)
            name, result = _declarator(tokens, base, const, header.constants)
            header.functions.append(Function(name, result, _parameters(tokens, header.constants)))
            tokens.take(";")
        else:
            raise HeaderError(f"a declaration begins with {word}")


def _initializers(text):
    """The top-level items of {a, {b, c}, d}."""
    depth, item, found = 0, "", []
    for letter in text.strip()[1:-1]:
        depth += {"{": 1, "(": 1, "}": -1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            found.append(item.strip())
            item = ""
        else:
            item += letter
    return found + [item.strip()]


def _defaults(macros, header):
    for name, text in macros.items():
        struct = name.removesuffix("_INIT").lower()
        if not name.endswith("_INIT") or struct not in header.structs:
            continue
        if text.startswith("(") or re.fullmatch(rf"LSCHED_INIT\(lsched_{struct.removeprefix('lsched_')}\)", text):
            continue  # (a function of C++, or) all fields are 0
        items = [re.fullmatch(r"\.(\w+) = (.+)", item) for item in _initializers(text)]
        if not all(items) or items[0][1] != "size":
            raise HeaderError(f"{name} is neither LSCHED_INIT nor a list of .field = value that begins with size")
        header.defaults[struct] = {item[1]: item[2] for item in items[1:]}


def _lists(text, folder):
    """Writes out the enums that are made from a list: each #define of a row with the #include after it."""

    def rows(found):
        macro, names, pattern, name = found.groups()
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            listed = re.findall(rf"^{macro}\((.*?)\)(?: |$)", file.read(), re.M)
        if not listed:
            raise HeaderError(f"{name} has no row {macro}")
        lines = []
        for row in listed:
            values = dict(zip(names.split(", "), re.split(r",\s*", row), strict=True))
            lines.append(re.sub(r"(?:##)?\b(\w+)\b", lambda word: values.get(word[1], word[0]), pattern))
        return "\n".join(lines) + "\n"

    return re.sub(r"#define (LSCHED_X_\w+)\(([\w, ]+)\) +(.*)\n#include <libsched/(\w+\.def)>\n", rows, text)


def _included(text, folder):
    """The text with each public header that it includes, and that these include, once. defaults.h has only macros."""
    seen = {"defaults.h"}

    def part(found):
        if found[1] in seen:
            return ""
        seen.add(found[1])
        with open(os.path.join(folder, found[1]), encoding="utf-8") as file:
            return re.sub(include, part, file.read())

    include = r"#include <libsched/(\w+\.h)>"
    return re.sub(include, part, text)


def read(header_path, errors_path, more=()):
    """Parses the two files into a Header, and the headers `more` of the same folder with them."""
    header = Header()
    header.constants.update(LIMITS)
    with open(errors_path, encoding="utf-8") as file:
        for name, value, text in re.findall(r'^X\((\w+),\s*(-?\d+),\s*"([^"]*)"\)', file.read(), re.M):
            header.errors.append((name, int(value), text))
            header.constants["LSCHED_" + name] = int(value)
    with open(header_path, encoding="utf-8") as file:
        text = file.read()
    text = _included(text, os.path.dirname(header_path))
    for part in more:
        with open(os.path.join(os.path.dirname(header_path), part), encoding="utf-8") as file:
            text += file.read()
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S).replace("\\\n", " ")
    text = re.sub(r"^static inline .*?^}", "", text, flags=re.S | re.M)
    text = _lists(text, os.path.dirname(header_path))
    text = re.sub(r"#ifdef __cplusplus\n.*?#endif", "", text, flags=re.S)
    macros = {}
    for name, body in re.findall(r"^#define (LSCHED_\w+)[ \t]+(\S.*)$", text, re.M):
        value = _number(body, header.constants)
        if value is not None and re.search(r"_(MAX|MIN|C)\b|\((u?int\d+_t)\)", body):
            raise HeaderError(f"{name} is {body}; write the number, which bindgen and cgo can read")
        if value is None:
            macros[name] = re.sub(r"\s+", " ", body)
        else:
            header.constants[name] = value
    text = re.sub(r"enum lsched_error_code \{\s*#define X.*?\};", "", text, count=1, flags=re.S)
    text = re.sub(r"^[ \t]*#.*$", "", text, flags=re.M)
    _declarations(text, header)
    _defaults(macros, header)
    for name in LIMITS:
        del header.constants[name]
    return header
