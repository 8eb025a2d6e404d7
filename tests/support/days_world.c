/* days_world.c -- see days_world.h. */
#include "support/days_world.h"

#define TRY(call)                         \
    do {                                  \
        int32_t rc_ = (call);             \
        if (rc_ != LSCHED_OK) return rc_; \
    } while (0)

int32_t days_fill(struct model_world *w) {
    uint32_t queue = world_queue_named(w, "research"), node, curves, flat;
    struct job_form c = {.name = "curves", .queue = queue, .n_groups = 1, .submit = 18};
    c.groups[0] = (struct group_form){
        .max = 4, .cpu = 3000, .memory = 9, .daily = 2003, .node_max = 4, .absent = 1};
    struct job_form f = {.name = "flat", .queue = queue, .n_groups = 1, .submit = 19};
    f.groups[0] = (struct group_form){.max = 1, .cpu = 1700};
    TRY(world_node(w, "sunny", 10000, 0, 0, NULL, &node));
    TRY(world_job(w, &c, &curves));
    TRY(world_job(w, &f, &flat));
    TRY(world_admit(w, curves));
    TRY(world_admit(w, flat));
    TRY(world_propose(w, curves, 0, node, 4));
    for (uint32_t i = 0; i < 3; i++) TRY(world_start(w, curves, i));
    TRY(world_propose(w, flat, 0, node, 1));
    uint64_t serial = meta(&w->k, M_GROUP_SERIAL) + 1;
    TRY(world_evict(w, curves, 1, serial, LSCHED_FOR_CONSOLIDATE, NO_ROW));
    TRY(world_nominate(w, curves, 0, node, 1, serial));
    return world_evict(w, curves, 2, serial + 1, LSCHED_FOR_PREEMPT, flat);
}
