/* cure.c -- see cure.h. */
#include "engine/waits/cure.h"

#include "model/devices/device.h"
#include "model/shapes/node_rules.h"

static int has_one_shape(const struct columns *k, uint32_t jobshape) {
    uint32_t first = group_row(k, jobshape, 0), n = k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape],
             shape = NO_ROW;
    for (uint32_t g = 0; g < n; g++) {
        uint32_t s = k->c[C_GROUP_SHAPE].u32[first + g];
        if (s == NO_ROW) continue;
        if (k->c[C_GROUP_N_ALTERNATIVES].u32[first + g] > 1 || (shape != NO_ROW && s != shape))
            return 0;
        shape = s;
    }
    return 1;
}

/* True if only the limit of a queue can end the job's wait. A limit on a resource part does not
 * bind a job that can also use another part: free room there would help as well. Such a job is
 * parked in a list that any free room wakes, and wake_bundles wakes that list also when a queue
 * gives back. */
static int only_limit_cures(const struct columns *k, uint32_t job, const struct diagnosis *w) {
    uint32_t jobshape = k->c[C_JOB_SHAPE].u32[job];
    /* the job can be charged less on other devices */
    if (w->kind == LSCHED_GPU && shape_charge_varies(k, group_shape(k, jobshape, w->group)))
        return 0;
    return !kind_is_part(k, w->kind) ||
           (has_one_shape(k, jobshape) &&
            resource_part_is_certain(k, w->kind, group_shape(k, jobshape, w->group)));
}

static int is_near(const struct columns *k, uint32_t shape) {
    return shape != NO_ROW && (k->c[C_SHAPE_RULES].u8[shape] & RULES_NEAR);
}

static int wants_neighbours(const struct columns *k, uint32_t jobshape) {
    for (uint32_t g = 0; g < k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape]; g++)
        if (is_near(k, group_shape(k, jobshape, g))) return 1;
    return 0;
}

uint32_t cure_list(const struct columns *k, uint32_t job, const struct diagnosis *w, uint32_t *of) {
    uint32_t jobshape = k->c[C_JOB_SHAPE].u32[job];
    int one_leaf = k->c[C_JOBSHAPE_N_LEAVES].u32[jobshape] == 1,
        chooses = jobshape_chooses(k, jobshape);
    int by_queue =
        w->code == LSCHED_WAIT_JOBS ||
        (w->code == LSCHED_WAIT_QUOTA && one_leaf && !chooses && only_limit_cures(k, job, w)) ||
        (w->code == LSCHED_WAIT_LIMIT && one_leaf && !chooses && only_limit_cures(k, job, w));
    *of = by_queue ? w->limiting : 0;
    if (by_queue) return PARKED_QUEUE;
    if (w->code == LSCHED_WAIT_BUDGET) return PARKED_REFRESH;
    if (w->code == LSCHED_WAIT_RULES) return PARKED_RULES;
    /* The jobs that its affinity rules name can help another leaf, or another alternative, than the
     * one with the wait reason. The list of affinity rules also wakes for any free room. */
    if (!has_one_shape(k, jobshape) && wants_neighbours(k, jobshape)) return PARKED_RULES;
    /* Each leaf can wait for something else, and any of them can be the next one to grow. */
    if (!one_leaf) return PARKED_ANY;
    if (w->code == LSCHED_WAIT_NEVER_FITS) return PARKED_NEVER;
    int by_shape = w->code != LSCHED_WAIT_LIMIT && !w->model_short && w->shape != NO_ROW &&
                   has_one_shape(k, jobshape);
    *of = by_shape ? w->shape : 0;
    return by_shape ? PARKED_SHAPE : PARKED_ANY;
}
