"""What a failing call raises: the record of the library, as an exception."""
from __future__ import annotations

from typing import Any

from . import _abi


class Error(Exception):
    """code and name ("E_NOENT") say what kind of error it is, message what was expected and what was found.

    line and column count from 1 and are 0 where there is no text; index is the element of the batch, -1 where there
    is none; status holds a code for each element of a batch, and is None for other calls.
    """

    def __init__(self, code: int, record: _abi.Error | None = None, status: Any = None) -> None:
        self.code = code
        self.name, text = _abi.ERRORS.get(code, ("E_UNKNOWN", f"unknown error code {code}"))
        known = record if record is not None and record.code == code else None
        self.message: str = known.message.decode(errors="replace") if known and known.message else text
        self.sub = known.sub if known else 0
        self.line = known.line if known else 0
        self.column = known.column if known else 0
        self.index = known.index if known else -1
        self.status = status
        super().__init__(f"{self.name}: {self.message}")


def check(code: int, record: _abi.Error | None = None, status: Any = None) -> int:
    """The result of a call, unless it is an error."""
    if code < 0:
        raise Error(code, record, status)
    return code
