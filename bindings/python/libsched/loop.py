"""The main loop of an orchestrator: a feed of changes that remembers where it is."""
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from . import _abi

if TYPE_CHECKING:
    from .cluster import Cluster

# Answers that come late: a decision that was withdrawn since, and an event that was reported already, are no error.
LATE = _abi.BATCH_PARTIAL | _abi.BATCH_IDEMPOTENT


class Feed:
    """The changes of a cluster, each of them once: `for change in feed:` reads what calls did since the last time.

    A change is read when the loop gets to it. The texts of a change are valid until the next call that changes the
    cluster, so that a loop that calls the cluster keeps no text. After a load, make a new feed.
    """

    def __init__(self, cluster: Cluster, cursor: int = 0) -> None:
        self.cluster, self.cursor = cluster, cursor

    def __iter__(self) -> Iterator[_abi.Change]:
        changes, self.cursor = self.cluster.changes(self.cursor)
        return iter(changes)

    def skip(self) -> None:
        """Goes to the end, for a host that has listed all objects instead (after E_GONE)."""
        self.cursor = self.cluster.changes_end()
