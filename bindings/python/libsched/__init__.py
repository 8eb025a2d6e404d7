"""libsched: decide who runs where, when and at whose cost, on clusters of GPUs and CPUs.

    import libsched

    with libsched.Cluster() as cluster:
        cluster.nodes_add([dict(name="gpu-1", capacity={"cpu": 128_000}, devices=[dict(count=8, model="H100-80GB")])])
        cluster.queues_add([dict(name="research")])
        cluster.jobs_submit([dict(name="train", queue_name="research", groups=[dict(request={"gpu": 8000})])])
        for decision in cluster.schedule(now_us):
            print(cluster.name(decision.job), "->", cluster.name(decision.node))

Names are those of libsched.h without their prefix; that header is the manual. Units: cpu milli-cores, memory bytes, gpu
milli-GPUs, time microseconds since 1970 UTC.
"""
from __future__ import annotations

from . import _abi
from ._abi import *  # noqa: F401,F403 -- every constant and structure of the header
from .cluster import Cluster
from .devices import device_list, device_mask, device_words, mig_plan, mig_profiles, mig_table_find, mig_tables
from .errors import Error
from .host import Host, Task
from .library import lib as _lib
from .loop import LATE, Feed
from .plan import Plan
from .policy import Policy, ready_made
from .readback import Description
from .structs import Batch, read_text

__version__ = f"{_abi.VERSION_MAJOR}.{_abi.VERSION_MINOR}.{_abi.VERSION_PATCH}"


def version() -> str:
    """The version of the library that was found."""
    return str(_lib.lsched_version().decode())


def decision_kind_name(kind: int) -> str:
    """The word of a decision's kind: "place"."""
    return str(_lib.lsched_decision_kind_name(kind).decode())


def reason_name(reason: int) -> str:
    """The word of a decision's reason: "reclaim"."""
    return str(_lib.lsched_reason_name(reason).decode())


def task_state_name(state: int) -> str:
    """The word of a task's state: "running"."""
    return str(_lib.lsched_task_state_name(state).decode())


def wait_name(code: int) -> str:
    """The word of the reason why a job waits: "never-fits"."""
    return str(_lib.lsched_wait_name(code).decode())


def no_victim_name(code: int) -> str:
    """The word of the reason why no eviction helped a job: "min-runtime"."""
    return str(_lib.lsched_no_victim_name(code).decode())


def because_name(because: int) -> str:
    """The word of the rule that made a change of the feed: "gang"."""
    return str(_lib.lsched_because_name(because).decode())


def call_name(call: int) -> str:
    """The word of the call that made a change of the feed: "settle"."""
    return str(_lib.lsched_call_name(call).decode())


def change_name(kind: int) -> str:
    """The word of a change of the feed: "withdrawn"."""
    return str(_lib.lsched_change_name(kind).decode())


def offer_name(change: int) -> str:
    """The word of the change that an offer of would_start makes: "add-node"."""
    return str(_lib.lsched_offer_name(change).decode())


def adopt_result_name(result: int) -> str:
    """The word of what happened to a group of decisions of an adopted plan."""
    return str(_lib.lsched_adopt_result_name(result).decode())


def error_name(code: int) -> str:
    """The name of an error code: "E_NOENT"."""
    return str(_lib.lsched_error_name(code).decode())


def error_text(code: int) -> str:
    """What an error code means, as text for people."""
    return str(_lib.lsched_error_text(code).decode())


def trace_stage_name(stage: int) -> str:
    """The word of a stage of a cycle: "serve"."""
    return str(_lib.lsched_trace_stage_name(stage).decode())


def wait_bound_us(bucket: int) -> int:
    """The longest wait that a bucket of counters.wait counts; NEVER_US for the last one."""
    return int(_lib.lsched_wait_bound_us(bucket))


def semantics() -> int:
    """A number that the library raises whenever any decision may change for equal input."""
    return int(_lib.lsched_semantics())
