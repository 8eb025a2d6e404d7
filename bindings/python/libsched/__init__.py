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
from . import _abi
from ._abi import *  # noqa: F401,F403 -- every constant and structure of the header
from .cluster import Cluster
from .devices import device_list, device_mask, device_words, mig_plan, mig_profiles, mig_table_find, mig_tables
from .errors import Error
from .library import lib as _lib
from .plan import Plan
from .policy import Policy, ready_made
from .readback import Description
from .structs import Batch, read_text

__version__ = f"{_abi.VERSION_MAJOR}.{_abi.VERSION_MINOR}.{_abi.VERSION_PATCH}"


def version():
    """The version of the library that was found."""
    return _lib.lsched_version().decode()


def decision_kind_name(kind):
    """The word of a decision's kind: "place"."""
    return _lib.lsched_decision_kind_name(kind).decode()


def reason_name(reason):
    """The word of a decision's reason: "reclaim"."""
    return _lib.lsched_reason_name(reason).decode()


def task_state_name(state):
    """The word of a task's state: "running"."""
    return _lib.lsched_task_state_name(state).decode()


def wait_name(code):
    """The word of the reason why a job waits: "never-fits"."""
    return _lib.lsched_wait_name(code).decode()


def no_victim_name(code):
    """The word of the reason why no eviction helped a job: "min-runtime"."""
    return _lib.lsched_no_victim_name(code).decode()


def because_name(because):
    """The word of the rule that made a change of the feed: "gang"."""
    return _lib.lsched_because_name(because).decode()


def call_name(call):
    """The word of the call that made a change of the feed: "settle"."""
    return _lib.lsched_call_name(call).decode()


def change_name(kind):
    """The word of a change of the feed: "withdrawn"."""
    return _lib.lsched_change_name(kind).decode()


def offer_name(change):
    """The word of the change that an offer of would_start makes: "add-node"."""
    return _lib.lsched_offer_name(change).decode()


def adopt_result_name(result):
    """The word of what happened to a group of decisions of an adopted plan."""
    return _lib.lsched_adopt_result_name(result).decode()


def error_name(code):
    """The name of an error code: "E_NOENT"."""
    return _lib.lsched_error_name(code).decode()


def error_text(code):
    """What an error code means, as text for people."""
    return _lib.lsched_error_text(code).decode()


def trace_stage_name(stage):
    """The word of a stage of a cycle: "serve"."""
    return _lib.lsched_trace_stage_name(stage).decode()


def wait_bound_us(bucket):
    """The longest wait that a bucket of counters.wait counts; NEVER_US for the last one."""
    return _lib.lsched_wait_bound_us(bucket)


def semantics():
    """A number that the library raises whenever any decision may change for equal input."""
    return _lib.lsched_semantics()
