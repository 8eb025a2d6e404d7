/*
 * real_place.h -- books a task at the place where the orchestrator says that it runs: an import,
 * or a start that carries its place.
 *
 * Nothing that really runs is refused because it exceeds the room of the node or the limits of a
 * queue: the task is marked as excess. Proposals on the node that keep the room from the task are
 * withdrawn. Errors are only places that cannot exist: unknown devices, slices, NUMA nodes or
 * network cards. Cost: that of a placement, and O(tasks on the node) for each withdrawn proposal.
 */
#ifndef LIBSCHED_REAL_PLACE_H
#define LIBSCHED_REAL_PLACE_H

#include "api/door/args.h"
#include "model/shapes/placement.h"

struct real_place {
    uint32_t job, index, node;
    uint32_t alternative; /* 0 also means any alternative that the devices have */
    /* what the orchestrator names; an empty set leaves the choice of devices to the library */
    device_set devices;
    uint32_t nic_mask, numa_mask;
    uint64_t device_starts;
    int64_t start_us;
    int64_t since_us; /* first start of a task that was moved; 0: start_us */
};

/* Takes the resources of the place and makes the waiting task a running one. Sets *task to the
 * task's row. Does not requeue the job: the caller calls real_place_settle(). */
int32_t real_place_book(struct columns *k, const struct real_place *p, uint32_t *task,
                        lsched_error *err);
/* Applies the consequences of a booked place: to the job, and to nominations that lose their
 * room. leaves: 1 if the task was told to stop already. Can return LSCHED_E_NOMEM. */
int32_t real_place_settle(struct columns *k, const struct real_place *p, uint32_t task, int leaves);

#endif
