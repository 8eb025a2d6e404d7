"""The options of a cycle, which schedule(), adopt() and would_start() share."""
from __future__ import annotations

import ctypes as c
from collections.abc import Callable

from . import _abi
from .plan import record_at


def schedule_opts(now_us: int, *, work_budget: int = 0, decisions_max: int = 0, moves_max: int = 0,
                  release_us: int = 0, hooks_off: int = 0, decision_kinds: int = 0, proposal_life_us: int = 0,
                  warn_before_us: int = 0, verify: bool = False, all_waiting: bool = False,
                  trace: Callable[[_abi.TraceRecord], object] | None = None) -> _abi.ScheduleOpts:
    """A ScheduleOpts; Cluster.schedule() says what the arguments mean."""
    flags = (_abi.SCHEDULE_VERIFY if verify else 0) | (_abi.SCHEDULE_ALL_WAITING if all_waiting else 0)
    opts = _abi.ScheduleOpts(now_us=now_us, work_budget=work_budget, decisions_max=decisions_max, moves_max=moves_max,
                             release_us=release_us, hooks_off=hooks_off, decision_kinds=decision_kinds,
                             proposal_life_us=proposal_life_us, warn_before_us=warn_before_us, flags=flags)
    if trace is not None:
        see = trace

        def call(_: int | None, address: int) -> None:
            see(record_at(_abi.TraceRecord, address))

        function = _abi.TraceFn(call)
        opts.trace = c.cast(function, c.c_void_p)
        opts._kept.append(function)  # the structure has only its address
    return opts
