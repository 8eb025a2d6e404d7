"""Single devices of nodes: health, taints, MIG instances, foreign use, memory pressure; and the MIG tables."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import ctypes as c

from . import _abi
from .calls import Calls
from .errors import check
from .library import lib
from .structs import Batch, Items, as_batch, as_text, read_text


class Devices(Calls):
    """The methods of Cluster about devices; Cluster inherits them."""

    def devices_update(self, updates: Items, flags: int = 0) -> list[int] | None:
        """Changes health, MIG layout or taints of devices: [{"node": id, "device": 3, "set": DEVICE_SET_HEALTH, "health":
        HEALTH_FAILED}]."""
        return self._batch(lib.lsched_devices_update, _abi.DeviceUpdate, updates, flags)

    def device_failures(self, item: int) -> int:
        """The number of device failures of a node, or of those in which a job lost tasks."""
        return self._call(lib.lsched_device_failures, item)

    def device_get(self, node: int, index: int) -> _abi.DeviceInfo:
        """The state of one device: DeviceInfo; its model is valid until the next call that changes the cluster."""
        return self._get(lib.lsched_device_get, _abi.DeviceInfo, node, index)

    def device_taints(self, node: int, device: int) -> list[_abi.DeviceTaintInfo]:
        """The taints of a device, ordered by key, value and effect; their texts are valid until the next call that
        changes the cluster."""
        return self._all(lib.lsched_device_taints_next, _abi.DeviceTaintInfo, node, device)

    def mig_instances(self, node: int, device: int) -> list[_abi.MigInstanceInfo]:
        """The MIG instances of a device, from the lowest slice on."""
        return self._all(lib.lsched_mig_instances_next, _abi.MigInstanceInfo, node, device)

    def foreign_set(self, uses: Items, flags: int = 0) -> list[int] | None:
        """Says what others use on nodes: [{"node": id, "amounts": {"cpu": 500}, "device_mask": 1}]."""
        return self._batch(lib.lsched_foreign_set, _abi.ForeignUse, uses, flags)

    def foreign_amount(self, node: int, kind: int) -> int:
        """The amount of a kind that others use on a node."""
        return self._call(lib.lsched_foreign_amount, node, kind)

    def collisions_report(self, collisions: Items, flags: int = 0) -> list[int] | None:
        """Reports tasks that asked for more memory of a device than was free."""
        return self._batch(lib.lsched_collisions_report, _abi.Collision, collisions, flags)


def device_list(device_words: Sequence[int]) -> list[int]:
    """The devices of a set, such as decision.device_words or task.device_words, the lowest first."""
    words, record = (c.c_uint64 * _abi.DEVICE_WORDS)(*device_words), _abi.Error()
    indexes = (c.c_uint32 * _abi.DEVICES_PER_NODE_MAX)()
    n = check(lib.lsched_device_list(c.byref(words), c.byref(indexes), len(indexes), c.byref(record)), record)
    return list(indexes[:n])


def device_mask(device_words: Sequence[int]) -> int:
    """The short form of a set of devices, a mask of 32 bits; raises Error (E_RANGE) if a device does not fit."""
    words, mask, record = (c.c_uint64 * _abi.DEVICE_WORDS)(*device_words), c.c_uint32(), _abi.Error()
    check(lib.lsched_device_mask(c.byref(words), c.byref(mask), c.byref(record)), record)
    return mask.value


def device_words(indexes: Iterable[int]) -> tuple[int, ...]:
    """The set of devices with these indexes, for the field device_words of what goes into the library."""
    words = [0] * _abi.DEVICE_WORDS
    for index in indexes:
        words[index // 64] |= 1 << index % 64
    return tuple(words)


def mig_tables() -> list[str]:
    """The names of all MIG tables."""
    return [lib.lsched_mig_tables_at(i).decode() for i in range(lib.lsched_mig_tables_size())]


def mig_table_find(model: str | bytes, memory_bytes: int = 0) -> str:
    """The name of the MIG table of a device, by its model and memory."""
    found, record = _abi.Text(), _abi.Error()
    check(lib.lsched_mig_table_find(as_text(_abi.Text, model), memory_bytes, c.byref(found), c.byref(record)), record)
    return read_text(found)


def mig_profiles(table: str | bytes) -> list[_abi.MigProfile]:
    """The profiles of a MIG table, by ascending size; empty if there is no such table."""
    name, profiles = as_text(_abi.Text, table), []
    for i in range(lib.lsched_mig_profiles_size(name)):
        profile, record = _abi.MigProfile(), _abi.Error()
        check(lib.lsched_mig_profiles_at(name, i, c.byref(profile), c.byref(record)), record)
        profiles.append(profile)
    return profiles


def mig_plan(table: str | bytes, devices: Iterable[Any], requests: Iterable[Any],
             costs: dict[str, Any] | None = None) -> tuple[list[_abi.MigStep], _abi.MigInfo]:
    """The cheapest steps after which all wanted instances exist besides the busy ones: (list of MigStep, MigInfo).

    devices: dicts of MigDevice; requests: dicts of MigRequest; costs: a dict of MigCosts.
    """
    name = as_text(_abi.Text, table)
    devices, n, _, keep_devices = as_batch(_abi.MigDevice, Batch(_abi.MigDevice, devices))
    requests, n_requests, _, keep_requests = as_batch(_abi.MigRequest, Batch(_abi.MigRequest, requests))
    price = None if costs is None else c.byref(_abi.MigCosts(**costs))
    info, record, steps = _abi.MigInfo(), _abi.Error(), (_abi.MigStep * 0)()
    while True:
        found = check(lib.lsched_mig_plan(name, devices, n, requests, n_requests, price, None, steps, len(steps),
                                          c.byref(info), c.byref(record)), record)
        if found <= len(steps):
            return list(steps[:found]), info
        steps = (_abi.MigStep * found)()
