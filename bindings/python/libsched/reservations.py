"""Reservations: nodes that only the jobs of one queue may use in a window of time."""
from __future__ import annotations

import ctypes as c

from . import _abi
from .calls import Calls
from .library import lib
from .structs import Items, as_text


class Reservations(Calls):
    """The methods of Cluster about reservations; Cluster inherits them."""

    def reservations_set(self, reservations: Items, flags: int = 0) -> list[int] | None:
        """Makes reservations, or sets all terms of those that exist: [{"name": "night", "queue_name": "research",
        "node_names": ["n1"], "start_us": begin, "end_us": end, "every_us": 86_400_000_000}]."""
        return self._batch(lib.lsched_reservations_set, _abi.ReservationDesc, reservations, flags)

    def reservations_remove(self, names: list[str], flags: int = 0) -> list[int] | None:
        """Ends the reservations with these names."""
        texts = (_abi.Text * len(names))()
        kept = [as_text(_abi.Text, name) for name in names]
        for i, text in enumerate(kept):
            texts[i] = text
        return self._codes(lib.lsched_reservations_remove, texts, len(names), n=len(names), flags=flags)

    def reservations(self) -> list[_abi.ReservationInfo]:
        """All reservations, in no particular order."""
        return self._all(lib.lsched_reservations_next, _abi.ReservationInfo)

    def reservation_nodes(self, name: str) -> list[int]:
        """The ids of the nodes of a reservation, in no particular order."""
        nodes, cursor, node, text = [], c.c_uint64(), c.c_uint64(), as_text(_abi.Text, name)
        with self._lock:
            while self._call(lib.lsched_reservation_nodes_next, text, c.byref(cursor), c.byref(node)):
                nodes.append(node.value)
        return nodes
