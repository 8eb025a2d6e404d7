/* transaction.c -- see transaction.h. */
#include "engine/state/transaction.h"

#include "base/vec.h"
#include "model/devices/resource_part.h"
#include "model/devices/device_select.h"

int32_t act_spend(lsched_cycle *y, uint64_t units) {
    if (y->c->interrupted) {
        y->flags |= LSCHED_PLAN_INTERRUPTED | LSCHED_PLAN_PARTIAL;
        y->stop = 1;
    } else if (y->budget - y->spent < units) {
        y->flags |= LSCHED_PLAN_PARTIAL;
        y->stop = 1;
    } else {
        y->spent += units;
    }
    return LSCHED_OK;
}

void act_take_up(lsched_cycle *y, uint32_t job) {
    y->job = job;
    y->mark = undo_mark(y->k);
    y->fresh_mark = y->n_fresh;
    y->group_serial = meta(y->k, M_GROUP_SERIAL) + 1;
    y->jobs_tried++;
    if (y->look >= 2) /* drops scores of other jobs and of earlier attempts of this job */
        search_drop_jobs(&y->c->search, y->k);
    y->why = (struct diagnosis){.code = LSCHED_WAIT_ROOM, .shape = NO_ROW, .limiting = NO_ROW};
    y->has_first = 0;
    y->charge_asked = 0;
}

int32_t act_job_valid(const lsched_cycle *y, uint32_t job) {
    return job == y->job && job != NO_ROW;
}

int act_is_leaf(const lsched_cycle *y, uint32_t job, uint32_t group) {
    uint32_t shape = y->k->c[C_JOB_SHAPE].u32[job];
    return group < y->k->c[C_JOBSHAPE_N_GROUPS].u32[shape] &&
           group_shape(y->k, shape, group) != NO_ROW;
}

/* Sets the kind to gpu if the shape asks for it, else to the first kind that it asks for. */
void act_name_scarcest(lsched_cycle *y, uint32_t shape) {
    const struct columns *k = y->k;
    y->why.kind = LSCHED_CPU;
    while (y->why.kind + 1 < meta(k, M_N_KINDS) && k->c[C_SHAPE_REQ + y->why.kind].i64[shape] == 0)
        y->why.kind++;
    if (k->c[C_SHAPE_REQ + LSCHED_GPU].i64[shape]) y->why.kind = LSCHED_GPU;
    y->why.need = k->c[C_SHAPE_REQ + y->why.kind].i64[shape];
}

int32_t cycle_fresh_add(lsched_cycle *y, uint32_t decision) {
    if (!VEC_ROOM(y->k->alloc, y->fresh, y->cap_fresh, y->n_fresh + 1)) return LSCHED_E_NOMEM;
    y->fresh[y->n_fresh++] = decision;
    return LSCHED_OK;
}

int act_fits_within(const lsched_cycle *y, uint32_t node, uint32_t shape) {
    const struct columns *k = y->k;
    struct resource_part_limit limit;
    struct hold hold;
    if (!device_select(k, node, shape, DEVICE_NOW, NULL, &hold)) return 0;
    return resource_part_has_room(k, k->c[C_JOB_QUEUE].u32[y->job], shape, node, &hold, &limit) ||
           device_select(k, node, shape, DEVICE_NOW, &y->model_short, &hold);
}

/* If several alternatives wait, the reason of the first one counts, unless that one can never
 * fit. */
struct diagnosis act_reason(const lsched_cycle *y) {
    int hopeless = y->has_first && y->first.code == LSCHED_WAIT_NEVER_FITS;
    return !y->has_first || (hopeless && y->why.code != LSCHED_WAIT_NEVER_FITS) ? y->why : y->first;
}
