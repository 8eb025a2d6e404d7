"""Policies: text and parameters, ready to be loaded into any number of clusters."""
from __future__ import annotations

from typing import Any

import ctypes as c
import os

from . import _abi
from .errors import check
from .library import lib
from .structs import as_bytes, as_text


class Policy:
    """Lua text with its parameters, or, without text, a ready-made policy by name.

        with Policy.from_file("research-first.lua", params={"age_boost": 0.5}) as policy:
            cluster.policy_load(policy)

    The name stands in error messages. Closing drops the text; clusters that loaded the policy keep their own copy.
    """

    def __init__(self, name: str, text: str | bytes | None = None, *, params: dict[str, Any] | None = None,
                 instructions_per_call: int = 0, instructions_per_cycle: int = 0, memory_limit_bytes: int = 0,
                 failures_max: int = 0) -> None:
        self.name = name
        self.text = None if text is None else as_bytes(text)
        self.opts: _abi.PolicyOpts | None = _abi.PolicyOpts(
            params=params or {}, instructions_per_call=instructions_per_call,
            instructions_per_cycle=instructions_per_cycle, memory_limit_bytes=memory_limit_bytes,
            failures_max=failures_max)

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], **opts: Any) -> Policy:
        with open(path, "rb") as file:
            return cls(os.path.basename(path), file.read(), **opts)

    def __enter__(self) -> Policy:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.text = self.opts = None

    def load_into(self, cluster: int, record: Any) -> int:
        """The code of lsched_policy_load; Cluster.policy_load() calls this."""
        if self.opts is None:
            raise ValueError("the policy is closed")
        name, text = as_text(_abi.Text, self.name), as_text(_abi.Text, self.text)
        return int(lib.lsched_policy_load(cluster, name, text, c.byref(self.opts), record))


def ready_made() -> dict[str, str]:
    """name -> text of the policies that the library ships."""
    found = {}
    for i in range(lib.lsched_ready_policies_size()):
        ready, record = _abi.ReadyPolicy(), _abi.Error()
        check(lib.lsched_ready_policies_at(i, c.byref(ready), c.byref(record)), record)
        found[c.string_at(ready.name.ptr, ready.name.len).decode()] = c.string_at(ready.text.ptr, ready.text.len).decode()
    return found
