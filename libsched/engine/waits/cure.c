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

/* A limit on a part does not bind who may take another one: room there would do as well, and who
 * wakes for any room wakes when a queue gives back, too (cycle_wake). */
static int only_limit_cures(const struct columns *k, uint32_t job, const struct diagnosis *w) {
    uint32_t jobshape = k->c[C_JOB_SHAPE].u32[job];
    if (w->kind == LSCHED_GPU && shape_charge_varies(k, group_shape(k, jobshape, w->group)))
        return 0; /* it may count less elsewhere */
    return !kind_is_derived(k, w->kind) ||
           (has_one_shape(k, jobshape) &&
            derived_is_certain(k, w->kind, group_shape(k, jobshape, w->group)));
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
    /* What its terms speak of may cure another leaf, or another alternative, than the one whose
     * reason it has; who waits for terms wakes for any room, too. */
    if (!has_one_shape(k, jobshape) && wants_neighbours(k, jobshape)) return PARKED_RULES;
    /* Each leaf may wait for something else, and any of them may be the next to grow. */
    if (!one_leaf) return PARKED_ANY;
    if (w->code == LSCHED_WAIT_NEVER_FITS) return PARKED_NEVER;
    int by_shape = w->code != LSCHED_WAIT_LIMIT && !w->model_short && w->shape != NO_ROW &&
                   has_one_shape(k, jobshape);
    *of = by_shape ? w->shape : 0;
    return by_shape ? PARKED_SHAPE : PARKED_ANY;
}
