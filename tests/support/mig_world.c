/* mig_world.c -- see mig_world.h. */
#include "support/mig_world.h"

#include <string.h>

#include "model/mig/mig.h"
#include "model/nodes/node.h"

#define TRY(call)                         \
    do {                                  \
        int32_t rc_ = (call);             \
        if (rc_ != LSCHED_OK) return rc_; \
    } while (0)

/* Both devices have an instance at slice 0 that is in use below: whatever changes there is seen. */
static int32_t add_node(struct model_world *w, uint32_t *row) {
    static struct node_spec spec; /* large; tests have one thread */
    const struct mig_table *t = mig_table_named((lsched_text){"h100-80gb", 9});
    uint32_t three = mig_profile_named(t, (lsched_text){"3g.40gb", 7});
    memset(&spec, 0, sizeof spec);
    spec.name = (lsched_text){"cut", 3};
    spec.n_devices = 2;
    for (uint32_t i = 0; i < 2; i++)
        spec.devices[i] = (struct device_spec){.model = {"H100", 4},
                                               .memory_bytes = INT64_C(80) << 30,
                                               .share = LSCHED_SHARING_MIG,
                                               .mig_table = (uint8_t)(mig_table_number(t) + 1),
                                               .geometry = mig_add(0, three, 0)};
    spec.capacity[LSCHED_CPU] = 50000;
    spec.capacity[LSCHED_MEMORY] = INT64_C(1) << 38;
    spec.capacity[LSCHED_GPU] = 2000;
    int32_t rc = undo_begin(&w->k);
    if (rc != LSCHED_OK) return rc;
    rc = node_add(&w->k, &spec, row);
    if (rc != LSCHED_OK) undo_rollback(&w->k, 0);
    undo_end(&w->k);
    return rc;
}

static int32_t add_job(struct model_world *w, const char *name, const char *profile,
                       uint32_t slices, uint32_t max, uint32_t *job) {
    struct job_form f = {.name = name, .n_groups = 1, .submit = 18};
    f.queue = world_queue_named(w, "research");
    f.groups[0] = (struct group_form){.max = max,
                                      .cpu = 100,
                                      .devices = 1,
                                      .milli = slices * 125,
                                      .profile = profile,
                                      .mig_slices = slices};
    TRY(world_job(w, &f, job));
    return world_admit(w, *job);
}

int32_t mig_fill(struct model_world *w) {
    uint32_t node, slices, slots, waits;
    TRY(add_node(w, &node));
    TRY(add_job(w, "slices", "3g.40gb", 4, 3, &slices));
    TRY(add_job(w, "slots", "1g.10gb", 1, 2, &slots));
    TRY(add_job(w, "slivers", "1g.20gb", 2, 1, &waits));
    TRY(world_propose(w, slices, 0, node, 3));
    for (uint32_t i = 0; i < 3; i++) TRY(world_start(w, slices, i));
    TRY(world_propose(w, slots, 0, node, 2));
    for (uint32_t i = 0; i < 2; i++) TRY(world_start(w, slots, i));
    uint64_t serial = meta(&w->k, M_GROUP_SERIAL) + 1;
    TRY(world_evict(w, slices, 1, serial, LSCHED_FOR_CONSOLIDATE, NO_ROW));
    return world_nominate(w, slices, 0, node, 1, serial);
}
