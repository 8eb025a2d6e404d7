"""Supplies: amounts of licences, watts and the like that the cluster or its domains have."""
from __future__ import annotations

from . import _abi
from .calls import Calls
from .library import lib
from .structs import Items


class Supplies(Calls):
    """The methods of Cluster about supplies; Cluster inherits them."""

    def supplies_add(self, supplies: Items, flags: int = 0) -> list[int] | None:
        """Adds supplies: [{"name": "ansys", "amount": 10}]. The amount is that of the whole cluster."""
        return self._batch(lib.lsched_supplies_add, _abi.SupplyDesc, supplies, flags)

    def supplies_update(self, updates: Items, flags: int = 0) -> list[int] | None:
        """Sets amounts: [{"supply": "watts", "labels": {"rack": "r1"}, "set": SUPPLY_SET_AMOUNT, "amount": 5000}].
        Without labels, of the whole cluster."""
        return self._batch(lib.lsched_supplies_update, _abi.SupplyUpdate, updates, flags)

    def supplies(self) -> list[_abi.SupplyInfo]:
        """All places of all supplies, in no particular order."""
        return self._all(lib.lsched_supplies_next, _abi.SupplyInfo)
