#!/usr/bin/env python3
"""The smallest host in Python: one node with 8 GPUs, two jobs that want all of them, one plan.

The same scenario as examples/embed/hello.c, down to the plan's hash.
"""
import libsched

JOBS = [
    dict(name="train", priority=10, queue_name="research", groups=[dict(max_count=2, request={"gpu": 4000})]),
    dict(name="evaluate", priority=0, queue_name="research", groups=[dict(max_count=2, request={"gpu": 4000})]),
]


def main():
    with libsched.Cluster() as cluster:
        cluster.nodes_add([dict(name="gpu-1", devices=[dict(count=8, model="H100-80GB")])])
        cluster.queues_add([dict(name="research")])
        train, evaluate = cluster.jobs_submit(JOBS)
        with cluster.schedule(now_us=1_700_000_000_000_000) as plan:
            for decision in plan:
                print(f"start task {decision.task_index} on GPUs 0x{decision.device_mask:02x}")
            print(cluster.explain(evaluate), end="")
            print(f"plan {plan.hash:016x}")


if __name__ == "__main__":
    main()
