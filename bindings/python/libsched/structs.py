"""How the structures of the header are filled from Python, and arrays of them built once.

A structure takes its fields as keywords: texts as str or bytes, lists as any sequence (of structures, of dicts with
their keywords, or of texts), amounts as {kind: amount} with "cpu", "memory", "gpu" or a number as kind, labels as
{key: value}. Counts and sizes are filled in. The structure keeps alive what its pointers point to.
"""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Generic, TypeVar, Union

import array
import ctypes as c
import difflib

NUL_TERMINATED = 2**64 - 1
KINDS = {"any": 0, "cpu": 1, "memory": 2, "gpu": 3}

S = TypeVar("S", bound="Struct")
# What a batch is made of: a Batch, a buffer of structures, or structures and dicts of their fields.
Items = Union["Batch[Any]", Iterable[Any], memoryview, bytes, bytearray]


def as_bytes(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else bytes(text)


def suggestion(word: object, known: Iterable[str]) -> str:
    """The end of a message about an unknown word: the nearest known word, or nothing."""
    near = difflib.get_close_matches(str(word), list(known), 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _range(kind: Any) -> tuple[int, int]:
    bits, signed = 8 * c.sizeof(kind), kind(-1).value < 0
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)


# ctypes cuts an integer that is too wide for its type, without a word
RANGES = {kind: _range(kind) for kind in (c.c_uint8, c.c_uint16, c.c_uint32, c.c_uint64, c.c_int32, c.c_int64)}
_CODES = {c.c_uint32: "I", c.c_int32: "i", c.c_uint64: "Q", c.c_int64: "q"}


def check_range(kind: Any, value: int, where: str) -> None:
    """Refuses an integer that the type cannot hold. where: the name of the field or argument."""
    low, high = RANGES.get(kind, (value, value))
    if not low <= value <= high:
        raise OverflowError(f"{where} must be from {low} to {high}, and is {value}")


class Struct(c.Structure):
    """The base of all structures. _defaults_: what is not 0 at the start. _lists_: a pointer's count field.

    A field refuses an integer that it cannot hold with OverflowError.
    """

    _defaults_: ClassVar[dict[str, Any]] = {}
    _lists_: ClassVar[dict[str, str]] = {}
    _kept: list[Any]

    def __init__(self, **values: Any) -> None:
        super().__init__()
        self._kept = []
        kind = type(self)
        types, fresh = _PLANS.get(kind) or _plan(kind)
        c.memmove(c.byref(self), fresh, len(fresh))
        for name, value in values.items():
            if name not in types:
                raise TypeError(f"{kind.__name__} has no field {name!r}{suggestion(name, types)}")
            if isinstance(value, int):
                check_range(types[name], value, f"{kind.__name__}.{name}")
                super().__setattr__(name, value)
            else:
                self._put(name, types[name], value)

    def _put(self, name: str, kind: Any, value: Any) -> None:
        if name in self._lists_:
            array = value if isinstance(value, c.Array) else _array(kind._type_, value, self._kept)
            self._kept.append(array)
            setattr(self, name, c.cast(array, kind))
            setattr(self, self._lists_[name], len(array))
        elif name == "ptr":
            setattr(self, name, value)
        elif _is_text(kind):
            setattr(self, name, _text(kind, value, self._kept))
        elif isinstance(value, (Struct, dict)):
            pointed = getattr(kind, "_type_", None)
            value = _element(pointed or kind, value)
            self._kept.append(value)
            setattr(self, name, c.pointer(value) if pointed else value)
        else:
            setattr(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, int):
            kind = type(self)
            types, _ = _PLANS.get(kind) or _plan(kind)
            check_range(types.get(name), value, f"{kind.__name__}.{name}")
        super().__setattr__(name, value)

    def __str__(self) -> str:
        return read_text(self) if _is_text(type(self)) else repr(self)

    def __repr__(self) -> str:
        if _is_text(type(self)):
            return f"Text({read_text(self)!r})"
        values = ((name, getattr(self, name)) for name, *_ in self._fields_ if name not in ("size", "reserved_zero"))
        shown = (f"{n}={read_text(v) if _is_text(type(v)) else v!r}" for n, v in values if not hasattr(v, "contents"))
        return f"{type(self).__name__}({', '.join(shown)})"


def _is_text(kind: Any) -> bool:
    return bool(kind.__name__ == "Text")


def _text(kind: Any, value: Any, kept: list[Any]) -> Any:
    """ptr + len of str or bytes; the empty text has no ptr."""
    if isinstance(value, kind):
        return value
    data = as_bytes(value)
    text = kind()
    if data:
        buffer = c.create_string_buffer(data, len(data))
        kept.append(buffer)
        text.ptr, text.len = c.addressof(buffer), len(data)
    return text


def read_text(text: Any) -> str:
    """The text that a lsched_text points to."""
    if not text.ptr or not text.len:
        return ""
    ends = text.len == NUL_TERMINATED
    return (c.string_at(text.ptr) if ends else c.string_at(text.ptr, text.len)).decode(errors="replace")


def as_text(kind: Any, value: str | bytes | None) -> Any:
    """A Text of str or bytes, which keeps its bytes alive; None is the empty text."""
    text = kind()
    if value is None:
        return text
    filled = _text(kind, value, text._kept)
    filled._kept.extend(text._kept)
    return filled


# class: (types of its fields, its bytes as an INIT macro sets them)
_PLANS: dict[type[Struct], tuple[dict[str, Any], bytes]] = {}


def _plan(kind: type[Struct]) -> tuple[dict[str, Any], bytes]:
    value: Any = kind.__new__(kind)
    c.Structure.__init__(value)
    put = c.Structure.__setattr__
    for name, field, *_ in kind._fields_:
        if name == "size":
            put(value, name, c.sizeof(kind))
        elif isinstance(field, type) and issubclass(field, Struct):
            put(value, name, field())
    for name, default in kind._defaults_.items():
        put(value, name, default)
    return _PLANS.setdefault(kind, ({name: field for name, field, *_ in kind._fields_}, bytes(value)))


def _element(kind: Any, item: Any) -> Any:
    if isinstance(item, kind):
        return item
    if isinstance(item, dict):
        return kind(**item)
    raise TypeError(f"expected {kind.__name__} or a dict of its fields, got {type(item).__name__}")


def _kind_number(key: Any) -> Any:
    if isinstance(key, str) and key not in KINDS:
        raise ValueError(f"unknown kind {key!r}; give one of {', '.join(KINDS)}, or a number{suggestion(key, KINDS)}")
    return KINDS.get(key, key)


def _items(kind: Any, value: Any, kept: list[Any]) -> list[Any]:
    """The elements of a list field, from the short forms that fit it."""
    name = kind.__name__
    if name == "Text":
        return [_text(kind, item, kept) for item in value]
    if name == "Amount" and isinstance(value, dict):
        return [kind(kind=_kind_number(key), amount=amount) for key, amount in value.items()]
    if name == "Label" and isinstance(value, dict):
        return [kind(key=key, value=text) for key, text in value.items()]
    if name == "Param" and isinstance(value, dict):
        return [kind(key=key, **({"text": v} if isinstance(v, str) else {"number": v})) for key, v in value.items()]
    if not issubclass(kind, Struct):  # numbers, such as ids
        for item in value:
            check_range(kind, item, name)
        return list(value)
    return [_element(kind, item) for item in value]


def _array(kind: Any, value: Any, kept: list[Any]) -> Any:
    items = _items(kind, value, kept)
    kept.extend(items)
    return (kind * len(items))(*items)


class Batch(Generic[S]):
    """An array of structures that is built once and can be handed in again and again.

        nodes = Batch(NodeDesc, ({"name": f"gpu-{i}", "capacity": {"cpu": 128_000}} for i in range(5000)))

    `array` is the ctypes array: elements can be changed in place, and it gives out the buffer protocol.
    """

    def __init__(self, kind: type[S], items: Iterable[Any]) -> None:
        self._kept: list[Any] = []
        self.kind = kind
        self.array: c.Array[S] = _array(kind, list(items), self._kept)

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, index: int) -> S:
        return self.array[index]


def as_batch(kind: type[Struct], items: Items) -> tuple[Any, int, int, Any]:
    """(address, count, size of an element, what must stay alive) of a Batch, a buffer, or a sequence."""
    if isinstance(items, Batch):
        if items.kind is not kind:
            raise TypeError(f"expected a batch of {kind.__name__}, got one of {items.kind.__name__}")
        return items.array, len(items), c.sizeof(kind), items
    if isinstance(items, (list, tuple)):
        return as_batch(kind, Batch(kind, items))
    try:
        view = memoryview(items)  # type: ignore[arg-type]
    except TypeError:
        return as_batch(kind, Batch(kind, items))
    address, keep = buffer_address(view)
    stride = view.itemsize if view.itemsize > 1 else c.sizeof(kind)
    if view.nbytes % stride:
        raise ValueError(f"a buffer of {view.nbytes} bytes holds no whole number of {kind.__name__} of {stride} bytes")
    return address, view.nbytes // stride, stride, keep


def buffer_address(view: memoryview) -> tuple[Any, Any]:
    """(address, what must stay alive) of a contiguous buffer; ctypes takes none of a read-only one, so that is copied."""
    if not view.c_contiguous:
        raise ValueError("a batch must be a contiguous buffer")
    if view.nbytes == 0:
        return None, view
    if view.readonly:
        data = view.tobytes()
        return data, data
    buffer = (c.c_char * view.nbytes).from_buffer(view)
    return c.addressof(buffer), buffer


def as_numbers(kind: Any, values: Any) -> tuple[Any, int, Any]:
    """(address, count, what must stay alive) of plain numbers: a buffer of that width, or a sequence of ints."""
    try:
        view = memoryview(values)
    except TypeError:
        numbers = array.array(_CODES[kind], values)
        return numbers.buffer_info()[0] if numbers else None, len(numbers), numbers
    if view.itemsize != c.sizeof(kind):
        raise ValueError(f"expected items of {c.sizeof(kind)} bytes, got a buffer of {view.itemsize}-byte items")
    address, keep = buffer_address(view)
    return address, view.nbytes // view.itemsize, keep
