/* transaction.c -- see transaction.h. */
#include "engine/state/transaction.h"

#include "base/vec.h"
#include "model/arrays/array.h"
#include "model/devices/resource_part.h"
#include "model/devices/device_select.h"
#include "model/queues/lend_limits.h"

int32_t act_spend_none(lsched_cycle *cy) {
    if (cy->c->interrupted) cy->flags |= LSCHED_PLAN_INTERRUPTED;
    cy->flags |= LSCHED_PLAN_PARTIAL;
    cy->spend.stop = 1;
    return LSCHED_OK;
}

void act_take_up(lsched_cycle *cy, uint32_t job) {
    assert(!array_is(cy->k, job));
    cy->turn.job = job;
    cy->turn.ask.job = NO_ROW;
    cy->turn.mark = undo_mark(cy->k);
    cy->turn.fresh_mark = cy->decisions.n_fresh;
    cy->turn.group_serial = meta(cy->k, M_GROUP_SERIAL) + 1;
    for (uint32_t r = 1; lend_limits_any(cy->k) && r < meta(cy->k, M_N_KINDS); r++)
        cy->turn.used_before[r] = (int64_t)meta(cy->k, M_ROOTS_USED + r);
    cy->counts.jobs_tried++;
    /* these scores depend on the job: drops the scores of other jobs and of earlier attempts */
    if (cy->policy.look >= 2) search_drop_jobs(&cy->c->search, cy->k);
    cy->turn.why =
        (struct diagnosis){.code = LSCHED_WAIT_ROOM, .shape = NO_ROW, .limiting = NO_ROW};
    cy->turn.has_first = 0;
    cy->turn.saw_room = 0;
    cy->turn.charge_asked = 0;
    cy->turn.allowed_at = 0;
    cy->turn.shares = 0;
}

int32_t act_job_valid(const lsched_cycle *cy, uint32_t job) {
    return job == cy->turn.job && job != NO_ROW;
}

const struct ask *act_group(lsched_cycle *cy, uint32_t job, uint32_t group) {
    struct ask *a = &cy->turn.ask;
    if (!act_job_valid(cy, job)) return NULL;
    if (a->job == job && a->group == group) {
        ask_renew(a, cy->k);
        return a;
    }
    if (group >= cy->k->c[C_JOBSHAPE_N_GROUPS].u32[cy->k->c[C_JOB_SHAPE].u32[job]]) return NULL;
    ask_open(a, cy->k, job, group);
    return a;
}

const struct ask *act_leaf(lsched_cycle *cy, uint32_t job, uint32_t group) {
    const struct ask *a = act_group(cy, job, group);
    return a && a->shape != NO_ROW ? a : NULL;
}

/* Chooses gpu if the shape requests GPUs, else the first resource kind that the shape requests. */
void act_name_scarcest(lsched_cycle *cy, uint32_t shape) {
    const struct columns *k = cy->k;
    cy->turn.why.kind = LSCHED_CPU;
    while (cy->turn.why.kind + 1 < meta(k, M_N_KINDS) &&
           k->c[C_SHAPE_REQ + cy->turn.why.kind].i64[shape] == 0)
        cy->turn.why.kind++;
    if (k->c[C_SHAPE_REQ + LSCHED_GPU].i64[shape]) cy->turn.why.kind = LSCHED_GPU;
    cy->turn.why.need = k->c[C_SHAPE_REQ + cy->turn.why.kind].i64[shape];
}

int32_t cycle_fresh_add(lsched_cycle *cy, uint32_t decision) {
    if (!VEC_ROOM(cy->k->alloc, cy->decisions.fresh, cy->decisions.cap_fresh,
                  cy->decisions.n_fresh + 1))
        return LSCHED_E_NOMEM;
    cy->decisions.fresh[cy->decisions.n_fresh++] = decision;
    return LSCHED_OK;
}

int act_fits_within(const lsched_cycle *cy, uint32_t node, uint32_t shape) {
    const struct columns *k = cy->k;
    struct resource_part_limit limit;
    struct hold hold;
    enum device_when when = cy->turn.later ? DEVICE_LATER : DEVICE_NOW;
    if (!device_select(k, node, shape, when, NULL, &hold)) return 0;
    return resource_part_has_room(k, k->c[C_JOB_QUEUE].u32[cy->turn.job], shape, node, &hold,
                                  &limit) ||
           device_select(k, node, shape, when, &cy->turn.model_short, &hold);
}

/* If several alternatives of the job were tried, the diagnosis of the alternative that was tried
 * first is the wait reason. If the first alternative can never fit and the last one can, the
 * diagnosis of the last one is the wait reason. */
struct diagnosis act_reason(const lsched_cycle *cy) {
    int hopeless = cy->turn.has_first && cy->turn.first.code == LSCHED_WAIT_NEVER_FITS;
    return !cy->turn.has_first || (hopeless && cy->turn.why.code != LSCHED_WAIT_NEVER_FITS)
               ? cy->turn.why
               : cy->turn.first;
}
