/* cure.c -- see cure.h. */
#include "engine/waits/cure.h"

#include "model/jobs/bundle.h"
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

/* True if only room in the queue, under its limit or its quota, can end the job's wait. A limit on
 * a resource part does not bind a job that can also use another resource part, because free room
 * of the other resource part would help the job, too. Such a job is parked in a list that any free
 * room wakes. wake_bundles wakes that list also when the use of a queue falls. */
static int only_limit_cures(const struct columns *k, uint32_t job, const struct diagnosis *w) {
    uint32_t jobshape = k->c[C_JOB_SHAPE].u32[job];
    /* on other devices, the job can be charged fewer milli-GPUs */
    if (w->kind == LSCHED_GPU && shape_charge_varies(k, group_shape(k, jobshape, w->group)))
        return 0;
    return !kind_is_part(k, w->kind) ||
           (has_one_shape(k, jobshape) &&
            resource_part_is_certain(k, w->kind, group_shape(k, jobshape, w->group)));
}

static int is_near(const struct columns *k, uint32_t shape) {
    return shape != NO_ROW && (k->c[C_SHAPE_RULES].u8[shape] & RULES_NEAR);
}

/* True if the affinity rules of the job name other jobs. A start of such another job can help on a
 * node with room that the wait reason does not name, or it can help a leaf, or an alternative, that
 * differs from the leaf or alternative of the wait reason. The list PARKED_RULES wakes for such
 * starts, and also for any free room. */
static int wants_neighbours(const struct columns *k, uint32_t jobshape) {
    for (uint32_t g = 0; g < k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape]; g++)
        if (is_near(k, group_shape(k, jobshape, g))) return 1;
    return 0;
}

/* True if the job waits for a limit of a queue, for a quota, or for the bound on the number of
 * jobs of a queue, and no other change can end the wait. */
static int waits_for_queue(const struct columns *k, uint32_t job, const struct diagnosis *w) {
    uint32_t jobshape = k->c[C_JOB_SHAPE].u32[job];
    if (w->code == LSCHED_WAIT_JOBS) return 1;
    if (w->code == LSCHED_WAIT_ALLOWANCE)
        return k->c[C_JOBSHAPE_N_LEAVES].u32[jobshape] == 1 && !jobshape_chooses(k, jobshape) &&
               !shape_charge_varies(k, group_shape(k, jobshape, w->group));
    return (w->code == LSCHED_WAIT_QUOTA || w->code == LSCHED_WAIT_LIMIT) &&
           k->c[C_JOBSHAPE_N_LEAVES].u32[jobshape] == 1 && !jobshape_chooses(k, jobshape) &&
           only_limit_cures(k, job, w);
}

/* True if only room for the shape that the reason names can end the wait of a job of one shape. */
static int waits_for_shape(const struct diagnosis *w) {
    return w->code != LSCHED_WAIT_LIMIT && w->code != LSCHED_WAIT_SUPPLY &&
           w->code != LSCHED_WAIT_ALLOWANCE && !w->model_short && w->shape != NO_ROW;
}

uint32_t cure_list(const struct columns *k, uint32_t job, const struct diagnosis *w, int saw_room,
                   uint32_t *of) {
    uint32_t jobshape = k->c[C_JOB_SHAPE].u32[job];
    int by_queue = waits_for_queue(k, job, w), one_shape = has_one_shape(k, jobshape);
    *of = by_queue ? w->limiting : 0;
    if (by_queue) return PARKED_QUEUE;
    if (w->code == LSCHED_WAIT_BUDGET) return PARKED_REFRESH;
    /* more than one shape: another one can need none of what the cluster lacks */
    if (w->code == LSCHED_WAIT_SUPPLY && w->shape == NO_ROW && one_shape) return PARKED_SUPPLY;
    if (w->code == LSCHED_WAIT_RULES) return PARKED_RULES;
    int elsewhere = !one_shape || (saw_room && w->code != LSCHED_WAIT_NEVER_FITS);
    if (elsewhere && wants_neighbours(k, jobshape)) return PARKED_RULES;
    /* Each leaf of the job can wait for another event, and any leaf can be the next one that
     * grows. */
    if (k->c[C_JOBSHAPE_N_LEAVES].u32[jobshape] != 1) return PARKED_ANY;
    if (w->code == LSCHED_WAIT_NEVER_FITS) return PARKED_NEVER;
    int by_shape = one_shape && waits_for_shape(w);
    *of = by_shape ? w->shape : 0;
    return by_shape ? PARKED_SHAPE : PARKED_ANY;
}

void cure_note(struct columns *k, uint32_t b, const struct diagnosis *w, int64_t allowed_at) {
    int64_t next = (int64_t)meta(k, M_ALLOWANCE_NEXT);
    if (allowed_at == 0) return;
    if (w->code == LSCHED_WAIT_ALLOWANCE) set_i64(k, C_BUNDLE_PLAN_AT, b, w->at);
    if (allowed_at != LSCHED_NEVER_US && (next == 0 || allowed_at < next))
        set_meta(k, M_ALLOWANCE_NEXT, (uint64_t)allowed_at);
}
