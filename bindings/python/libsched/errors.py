"""What a failing call raises: the record of the library, as an exception."""
from . import _abi


class Error(Exception):
    """code and name ("E_NOENT") say what kind of error it is, message what was expected and what was found.

    line and column count from 1 and are 0 where there is no text; index is the element of the batch, -1 where there
    is none; status holds a code for each element of a batch, and is None for other calls.
    """

    def __init__(self, code, record=None, status=None):
        self.code = code
        self.name, text = _abi.ERRORS.get(code, ("E_UNKNOWN", f"unknown error code {code}"))
        known = record is not None and record.code == code
        self.message = record.message.decode(errors="replace") if known and record.message else text
        self.sub = record.sub if known else 0
        self.line = record.line if known else 0
        self.column = record.column if known else 0
        self.index = record.index if known else -1
        self.status = status
        super().__init__(f"{self.name}: {self.message}")


def check(code, record=None, status=None):
    """The result of a call, unless it is an error."""
    if code < 0:
        raise Error(code, record, status)
    return code
