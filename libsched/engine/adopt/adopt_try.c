/* adopt_try.c -- see adopt_try.h. */
#include "engine/adopt/adopt_try.h"

#include "engine/actions/act_index.h"
#include "engine/actions/act_state.h"
#include "engine/actions/place_calls.h"
#include "engine/indexes/node_choice.h"
#include "engine/policy_hooks/hook_call.h"
#include "engine/state/transaction.h"
#include "model/devices/device_select.h"
#include "model/jobs/refusal.h"
#include "model/nodes/node.h"

int32_t adopt_try_drop(struct adopt_try *t, size_t i, uint32_t result, lsched_id object) {
    lsched_adopted_group *g = t->group;
    g->result = result;
    g->failed_at = i;
    g->object = object;
    return 0;
}

/* Tells why the task of decision i found no place on the node. */
static int32_t drop_place(struct adopt_try *t, size_t i, const struct ask *a, uint32_t node) {
    const lsched_cycle *cy = t->cy;
    const struct columns *k = cy->k;
    enum device_when when = cy->turn.later ? DEVICE_LATER : DEVICE_NOW;
    lsched_id id = id_make(k, LSCHED_KIND_NODE, node);
    struct hold hold;
    if (cy->spend.stop) return adopt_try_drop(t, i, LSCHED_ADOPTION_BUDGET, 0);
    if (k->c[C_NODE_STATE].u8[node] != LSCHED_NODE_READY)
        return adopt_try_drop(t, i, LSCHED_ADOPTION_NODE_CLOSED, id);
    if (!node_able(k, node, a->shape)) return adopt_try_drop(t, i, LSCHED_ADOPTION_RULES, id);
    if (!(cy->turn.later ? node_fits_later(k, node, a->shape) : node_fits(k, node, a->shape)) ||
        !device_select(k, node, a->shape, when, NULL, &hold))
        return adopt_try_drop(t, i, LSCHED_ADOPTION_ROOM, id);
    if (!node_choice_supplied(k, a->shape, node, (int)cy->turn.later))
        return adopt_try_drop(t, i, LSCHED_ADOPTION_ROOM, id);
    if (refusal_blocks(k, a->queue, a->shape, node, (int)cy->turn.later))
        return adopt_try_drop(t, i, LSCHED_ADOPTION_JOB_WAITS, id_make(k, LSCHED_KIND_JOB, a->job));
    if (cy->turn.why.code != LSCHED_WAIT_LIMIT && cy->turn.why.code != LSCHED_WAIT_ALLOWANCE)
        return adopt_try_drop(t, i, LSCHED_ADOPTION_RULES, id);
    uint32_t q = cy->turn.why.limiting;
    return adopt_try_drop(t, i, LSCHED_ADOPTION_LIMIT,
                          q == NO_ROW ? 0 : id_make(k, LSCHED_KIND_QUEUE, q));
}

/* True if the policy lets the task go to the node. Only a search asks the policy, therefore its
 * index is asked here. */
static int32_t policy_allows(lsched_cycle *cy, const struct ask *a, uint32_t node) {
    struct search_index *x;
    if (!hook_on(cy, LSCHED_HOOK_FILTER)) return 1;
    if (cy->policy.look == 3) search_drop_jobs(&cy->c->search, cy->k);
    int32_t rc = act_index(cy, a, &x);
    return rc == LSCHED_OK ? x->score[node] != SEARCH_LEAST : rc;
}

/* What the decision gives the task on its node. */
static struct hold hold_in(const lsched_decision *d) {
    return (struct hold){.mask = device_set_of_array(d->device_words),
                         .starts = d->device_starts,
                         .nics = (uint16_t)d->nic_mask,
                         .numa = (uint8_t)d->numa_mask};
}

/* Places the task with the index that decision i has, and with its devices if they are there.
 * Without the index, a cycle would take the next task of the job, and an action can have had a plan
 * of its own for task blocks. Without the devices, two tasks could get each other's: the evictions
 * of the group need not come in the order in which the clone made them, and then the first task
 * finds more devices than it found there. */
static int32_t place_index(struct adopt_try *t, size_t i, const struct ask *a, uint32_t node) {
    lsched_cycle *cy = t->cy;
    const lsched_decision *d = &t->from->decisions[i];
    const struct hold wish = hold_in(d);
    uint32_t job = a->job;
    int32_t rc = gang_domains_give(&cy->act->pins, cy->k, a, d->task_index);
    if (rc == 0)
        return adopt_try_drop(t, i, LSCHED_ADOPTION_JOB_CHANGED,
                              id_make(cy->k, LSCHED_KIND_JOB, job));
    if (rc == 1) rc = policy_allows(cy, a, node);
    if (rc == 1) {
        rc = call_place_as(cy, job, d->group_index, node, &wish);
        if (rc == 0) rc = call_place(cy, job, d->group_index, node);
    }
    cy->act->pins.given = NO_ROW;
    return rc == 0 ? drop_place(t, i, act_leaf(cy, job, d->group_index), node) : rc;
}

static int32_t choose_alternative(struct adopt_try *t, uint32_t job, const lsched_decision *d) {
    const struct ask *a = act_leaf(t->cy, job, d->group_index);
    if (!a) return 0;
    return a->alternative == d->alternative
               ? 1
               : call_alternative(t->cy, job, d->group_index, d->alternative);
}

int32_t adopt_try_choose(struct adopt_try *t) {
    for (size_t i = t->group->first; i < t->end; i++) {
        const lsched_decision *d = &t->from->decisions[i];
        int places = d->kind == LSCHED_DECIDE_PLACE || d->kind == LSCHED_DECIDE_NOMINATE;
        if (!places || adopt_try_row(t, d->job) != t->job) continue;
        int32_t rc = choose_alternative(t, t->job, d);
        if (rc < 0) return rc;
        if (rc == 0)
            return adopt_try_drop(t, i, LSCHED_ADOPTION_JOB_CHANGED,
                                  id_make(t->cy->k, LSCHED_KIND_JOB, t->job));
    }
    return 1;
}

int32_t adopt_try_place(struct adopt_try *t, size_t i, uint32_t job) {
    lsched_cycle *cy = t->cy;
    struct columns *k = cy->k;
    const lsched_decision *d = &t->from->decisions[i];
    uint32_t node = adopt_try_row(t, d->node), later = cy->turn.later, task = NO_ROW;
    int32_t rc = choose_alternative(t, job, d);
    lsched_id id = id_make(k, LSCHED_KIND_JOB, job);
    if (rc != 1) return rc < 0 ? rc : adopt_try_drop(t, i, LSCHED_ADOPTION_JOB_CHANGED, id);
    const struct ask *a = act_leaf(cy, job, d->group_index);
    if (a->held >= a->max) return adopt_try_drop(t, i, LSCHED_ADOPTION_JOB_CHANGED, id);
    cy->turn.later = d->kind == LSCHED_DECIDE_NOMINATE;
    cy->turn.why.code = LSCHED_WAIT_ROOM;
    rc = place_index(t, i, a, node);
    cy->turn.later = later;
    if (rc != 1) return rc;
    task = k->c[C_DECISION_TASK].u32[cy->decisions.fresh[cy->decisions.n_fresh - 1]];
    if (k->c[C_TASK_INDEX].u32[task] != d->task_index)
        return adopt_try_drop(t, i, LSCHED_ADOPTION_JOB_CHANGED, id);
    adopt_try_note(t, i, cy->decisions.fresh[cy->decisions.n_fresh - 1]);
    return 1;
}
