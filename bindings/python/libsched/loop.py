"""The main loop of an orchestrator: a feed of changes that remembers where it is, and steps that all are tried."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from . import _abi
from .errors import Error

if TYPE_CHECKING:
    from .cluster import Cluster

# Answers that come late: a decision that was withdrawn since, and an event that was reported already, are no error.
LATE = _abi.BATCH_PARTIAL | _abi.BATCH_IDEMPOTENT

# A nomination needs no answer; the confirmation of a checkpoint says that it is written, which takes time.
NOT_ANSWERED_AT_ONCE = _abi.DECIDE_NOMINATE, _abi.DECIDE_CHECKPOINT


class Feed:
    """The changes of a cluster, each of them once: `for change in feed:` reads what calls did since the last time.

    The loop reads a change when it gets to it, so that a loop that is left early loses nothing: the next loop goes on
    where this one ended. What the body of the loop does to the cluster is read by the same loop. The texts of a change
    are valid until the next call that changes the cluster: the body reads them before it makes such a call. After a
    load, make a new feed.

    E_GONE: changes were overwritten before the feed read them. The feed is at the end then, so that the host lists all
    objects and reads on.
    """

    def __init__(self, cluster: Cluster, cursor: int = 0) -> None:
        self.cluster, self.cursor = cluster, cursor

    def __iter__(self) -> Iterator[_abi.Change]:
        while True:
            try:
                change, self.cursor = self.cluster.changes_next(self.cursor)
            except Error as error:
                if error.code == _abi.E_GONE:
                    self.skip()
                raise
            if change is None:
                return
            yield change

    def skip(self) -> None:
        """Goes to the end, for a host that has listed all objects instead."""
        self.cursor = self.cluster.changes_end()


class Steps:
    """Steps of which each one is done although another one raises. The first exception is raised after all of them, and
    a traceback shows the others as its context. What is no Exception, such as KeyboardInterrupt, ends the work."""

    def __init__(self) -> None:
        self.errors: list[BaseException] = []

    @property
    def stopped(self) -> bool:
        return bool(self.errors) and not isinstance(self.errors[-1], Exception)

    def attempt(self, step: Callable[..., Any], *arguments: Any) -> Any:
        """What the step returns; None if it raises, or if the work has ended."""
        if self.stopped:
            return None
        try:
            return step(*arguments)
        except BaseException as error:
            self.errors.append(error)
            return None

    def finish(self) -> None:
        """Raises the first exception, if there is one."""
        chain: list[BaseException] = []
        for error in self.errors:
            at: BaseException | None = error
            while at is not None and not any(at is known for known in chain):
                chain.append(at)
                at = at.__context__
        for error, context in zip(chain, [*chain[1:], None]):
            error.__context__ = context
        if chain:
            raise chain[0]


def outcome_of(carry_out: Callable[[_abi.Decision], int | None], decision: _abi.Decision) -> int:
    """Carries a decision out, and returns its outcome; 0: no answer now."""
    outcome = carry_out(decision)
    if outcome not in (None, 0, _abi.OUTCOME_CONFIRMED, _abi.OUTCOME_REJECTED):
        raise ValueError(f"carry_out returned {outcome!r}; expected None, 0 or an outcome")
    if outcome is None:
        return 0 if decision.kind in NOT_ANSWERED_AT_ONCE else _abi.OUTCOME_CONFIRMED
    return int(outcome)
