/*
 * plan_calls.c -- see plan_calls.h.
 *
 * Invariant: a job that is set aside is alone in a bundle that is parked in the list of planned
 * bundles. Its queue is charged the job's minimum, so that shares continue as if the job were
 * placed. The charge ends when the action takes the job up again. No job stays set aside, and no
 * charge remains, after the action (cycle.c).
 *
 * Budget: reading nodes costs no work units, because an update of the view costs none either. Each
 * job that is set aside costs one, and each cycle of a pass sets all planned jobs aside again
 * before it comes to new ones. These are looks that the next cycle repeats, so a cycle that the
 * budget stops among them leaves its work units to the next one (pass.h). The planned starts that
 * it has found are kept: no job behind the last one that was looked at can change them.
 */
#include "engine/actions/act_state.h"
#include "engine/actions/plan_calls.h"

#include <assert.h>

#include "base/limits.h"
#include "base/vec.h"
#include "engine/state/length_lines.h"
#include "engine/state/transaction.h"
#include "engine/waits/away_holders.h"
#include "engine/waits/pass.h"
#include "engine/waits/task_ends.h"
#include "engine/waits/task_holder.h"
#include "engine/indexes/affinity_rules.h"
#include "engine/indexes/search.h"
#include "model/shapes/daily_demand.h"
#include "model/devices/device_mig.h"
#include "model/nodes/node.h"
#include "model/shapes/node_rules.h"
#include "model/queues/queue.h"
#include "model/absences/job_absence.h"
#include "model/reservations/reservation.h"
#include "model/jobs/job_limits.h"
#include "model/jobs/refusal.h"
#include "engine/policy_hooks/hook_nodes.h"
#include "model/jobs/job_phase.h"
#include "model/jobs/bundle.h"
#include "engine/actions/act_index.h"
#include "model/store/steps.h"
#include "model/told/firm_start.h"

#define DEFERRED_MAX 65536u

void plan_calls_close(lsched_cycle *cy) {
    struct alloc *a = cy->k->alloc;
    alloc_free(a, cy->act->deferred, cy->act->cap_deferred * sizeof *cy->act->deferred);
    alloc_free(a, cy->act->firm, cy->act->cap_firm * sizeof *cy->act->firm);
    cy->act->firm = NULL;
    alloc_free(a, cy->act->holders, cy->act->cap_holders * sizeof *cy->act->holders);
    cy->act->deferred = NULL;
    task_ends_close(&cy->act->ends, a);
    held_places_close(&cy->act->held, a);
    alloc_free(a, cy->act->placed, cy->act->cap_placed * sizeof *cy->act->placed);
    cy->act->placed = NULL;
    cy->act->cap_placed = 0;
    alloc_free(a, cy->act->movers, cy->act->cap_movers * sizeof *cy->act->movers);
    cy->act->holders = NULL;
    cy->act->movers = NULL;
    cy->act->cap_deferred = cy->act->cap_holders = cy->act->cap_movers = cy->act->cap_firm = 0;
}

/* True if no start of the bundle was found in an earlier cycle of this pass. Such bundles hold no
 * room that the plan has to keep. If each cycle of a pass tried them again, cycles with a small
 * budget would never come to the jobs behind them. */
static int is_tried_in_vain(const struct columns *k, uint32_t b) {
    return k->c[C_BUNDLE_CODE].u8[b] != LSCHED_WAIT_PLANNED && pass_has_tried(k, b);
}

int32_t call_plan_begin(lsched_cycle *cy) {
    struct columns *k = cy->k;
    if (cy->victims || cy->act->n_deferred) return LSCHED_E_INVAL;
    cy->act->plans_time = 1;
    cy->act->keeps_firm = 0;
    if (meta(k, M_ACTIVE) == 0) return 0;
    for (uint32_t b = (uint32_t)meta(k, M_PLAN_HEAD), next; b != NO_ROW; b = next) {
        next = k->c[C_BUNDLE_NEXT].u32[b];
        if (is_tried_in_vain(k, b)) continue;
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        bundle_wake(k, b);
        rc = share_update(&cy->c->share, k, k->c[C_BUNDLE_QUEUE].u32[b]);
        if (rc != LSCHED_OK) return rc;
    }
    return 1;
}

/* ---- tasks on a node, and how long they stay ---- */

int32_t call_holders(lsched_cycle *cy, uint32_t node, const lsched_holder **list, uint32_t *n,
                     int64_t *places) {
    struct columns *k = cy->k;
    if (!row_is_live(k, T_NODE, node)) return LSCHED_E_INVAL;
    uint32_t tasks = 0;
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t])
        tasks++;
    steps_add(k, 1ull + tasks);
    if (!VEC_ROOM(k->alloc, cy->act->holders, cy->act->cap_holders,
                  tasks + 1ull + LIMIT_PLAN_ABSENCES))
        return LSCHED_E_NOMEM;
    tasks = 0;
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t])
        task_holder_get(cy, t, &cy->act->holders[tasks++]);
    int32_t held = held_places_put(&cy->act->held, cy, node, &cy->act->holders[tasks]);
    if (held < 0) return held;
    tasks += (uint32_t)held;
    *list = cy->act->holders;
    *n = tasks + away_holders_put(k, node, cy->now, cy->act->holders + tasks);
    *places = node_places(k, node, DEVICE_NOW);
    return 1;
}

int32_t call_nodes_changed(lsched_cycle *cy, uint64_t seen[LSCHED_SEEN_WORDS],
                           const uint32_t **nodes, uint32_t *n) {
    int32_t known = node_news_get(&cy->c->news, cy->k, seen, nodes, n);
    if (known <= 0) return known;
    int32_t rc = held_places_spread(&cy->act->held, cy, nodes, n);
    return rc == LSCHED_OK ? known : rc;
}

/* ---- what a plan may know of a job ---- */

static int is_plain_group(const struct columns *k, uint32_t row) {
    return k->c[C_GROUP_TOPOLOGY].u32[row] == NO_ROW && !group_is_spread(k, row) &&
           k->c[C_GROUP_N_SLICES].u8[row] == 0 && k->c[C_GROUP_N_ALTERNATIVES].u32[row] <= 1 &&
           k->c[C_GROUP_MIN].u32[row] > 0;
}

/* True if amounts and the node describe the task shape fully: whole devices or one MIG instance,
 * no shares of a GPU, and no choice among devices except by their model. */
static int is_plain_shape(const struct columns *k, uint32_t shape) {
    uint32_t devices = k->c[C_SHAPE_DEVICES].u32[shape];
    if (k->c[C_SHAPE_PICKY].u8[shape] || k->c[C_SHAPE_DAY].u32[shape] ||
        k->c[C_SHAPE_NUMA].u8[shape] || k->c[C_SHAPE_NICS].u8[shape] ||
        k->c[C_SHAPE_SELECTOR].u32[shape] != NO_ROW ||
        (HELD_PLACES_ARE_TOLD ? (k->c[C_SHAPE_RULES].u8[shape] & RULES_OF_JOBS) != 0
                              : affinity_rules_asked(k, shape)))
        return 0;
    if (k->c[C_SHAPE_MIG_SLICES].u8[shape]) return devices == 1;
    return devices == 0 ||
           (k->c[C_SHAPE_DEVICE_MILLI].u32[shape] == 1000 && !shape_charge_varies(k, shape) &&
            k->c[C_SHAPE_SM_COUNT].u32[shape] == 0 && k->c[C_SHAPE_DEVICE_LIMIT].i64[shape] == 0);
}

int plan_says_all(const struct columns *k, uint32_t jobshape) {
    return k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape] == 1 &&
           is_plain_group(k, group_row(k, jobshape, 0)) &&
           is_plain_shape(k, group_shape(k, jobshape, 0));
}

int plan_calls_any(const lsched_cycle *cy) {
    return cy->act->plans_time || cycle_has_action(cy, "backfill") ||
           cycle_has_action(cy, "ts-dpbp");
}

/* True if nodes differ for the job for reasons that a plan does not know. A plan knows when nodes
 * are away, but not that a job can run for longer than its estimate, and not that a reservation
 * admits a job where others are barred. */
static int is_choosy(const lsched_cycle *cy, uint32_t job) {
    const struct columns *k = cy->k;
    return hook_on(cy, LSCHED_HOOK_FILTER) ||
           (meta(k, M_ABSENCES) &&
            (job_absence_length(k, job) != job_length(k, job) ||
             reservation_held(k, k->c[C_JOB_QUEUE].u32[job])) &&
            absence_line_nodes(&cy->c->absences, cy->k, cy->now, job_absence_length(k, job)));
}

int plan_calls_could(const lsched_cycle *cy, uint32_t job) {
    const struct columns *k = cy->k;
    return k->c[C_JOB_LEAVES].u32[job] == NO_ROW && !is_choosy(cy, job) && plan_calls_any(cy) &&
           plan_says_all(k, k->c[C_JOB_SHAPE].u32[job]);
}

int32_t call_plan_ask(lsched_cycle *cy, uint32_t job, lsched_plan_ask *ask) {
    const struct columns *k = cy->k;
    const struct ask *a = act_group(cy, job, 0);
    if (!a) return LSCHED_E_INVAL;
    memset(ask, 0, sizeof *ask);
    ask->size = sizeof *ask;
    ask->duration_us = job_length(k, job);
    if (cy->spend.stop || cy->victims || k->c[C_JOBSHAPE_N_GROUPS].u32[a->jobshape] != 1 ||
        k->c[C_JOB_LEAVES].u32[job] != NO_ROW || is_choosy(cy, job) || !is_plain_group(k, a->row))
        return 0;
    uint32_t b = k->c[C_JOB_BUNDLE].u32[job];
    if (!is_plain_shape(k, a->shape) || refusal_known(k, a->queue, a->shape, 0)) return 0;
    uint64_t naming = 0;
    int32_t rc = LSCHED_OK;
    if (HELD_PLACES_ARE_TOLD) rc = affinity_rules_naming(&cy->c->affinity, cy->k, job, &naming);
    if (rc != LSCHED_OK || naming) return rc;
    ask->tasks = a->min;
    view_task_shape(k, a->shape, &cy->act->shapes[0]);
    ask->task = &cy->act->shapes[0];
    if (k->c[C_SHAPE_MIG_SLICES].u8[a->shape])
        ask->mig_profile =
            text_of(k, intern_text(k, T_STRING, k->c[C_SHAPE_PROFILE].u32[a->shape]));
    ask->is_alone = (uint64_t)length_lines_alone(k, job);
    ask->end = task_holder_end_of(k, job);
    ask->planned_node = NO_ROW;
    uint64_t id = k->c[C_BUNDLE_JOB].u32[b] == job ? k->c[C_BUNDLE_PLAN_NODE].u64[b] : 0;
    if (id && row_is_live(k, T_NODE, (uint32_t)id) &&
        id_make(k, LSCHED_KIND_NODE, (uint32_t)id) == id) {
        ask->planned_node = (uint32_t)id;
        ask->planned_us = k->c[C_BUNDLE_PLAN_AT].i64[b];
    }
    return 1;
}

int32_t call_plan_able(lsched_cycle *cy, uint32_t job, const uint8_t **able) {
    const struct ask *a = act_group(cy, job, 0);
    if (!a) return LSCHED_E_INVAL;
    struct search_index *x;
    int32_t rc = act_index(cy, a, &x);
    if (rc != LSCHED_OK) return rc;
    /* an index whose filling was cut off has no nodes, and an action must not keep that */
    if ((cy->flags & LSCHED_PLAN_INTERRUPTED) || act_is_cut(cy)) cy->c->news.undone++;
    *able = x->is_able;
    return 1;
}

/* ---- deferring a job, trying a deferred job, parking a job with a planned start ---- */

static int32_t alone(lsched_cycle *cy, uint32_t job) {
    struct columns *k = cy->k;
    uint32_t b = k->c[C_JOB_BUNDLE].u32[job];
    return k->c[C_BUNDLE_JOB].u32[b] == NO_ROW ? job_isolate(k, job) : LSCHED_OK;
}

/* Charges the queues of the job for the deferred tasks (sign 1) or ends the charge (sign -1). The
 * end of a charge frees no room that was used, therefore it must wake no bundle: each of these
 * queues that had no mark of queue_gave() before has none afterwards. */
static void charge(struct columns *k, const struct deferred *d, int64_t sign) {
    uint32_t queue = k->c[C_JOB_QUEUE].u32[d->job];
    /* every depth is smaller than this bound (check_lists.c) */
    uint8_t gave[LSCHED_QUEUE_DEPTH_MAX];
    if (d->tasks == 0) return;
    assert(k->c[C_QUEUE_DEPTH].u32[queue] < LSCHED_QUEUE_DEPTH_MAX);
    for (uint32_t q = queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q])
        gave[k->c[C_QUEUE_DEPTH].u32[q]] = k->c[C_QUEUE_GAVE].u8[q];
    queue_charge(k, queue, d->shape, d->gpu, sign * (int64_t)d->tasks);
    for (uint32_t q = queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q])
        if (!gave[k->c[C_QUEUE_DEPTH].u32[q]]) queue_gave_end(k, q);
}

int32_t call_plan_defer(lsched_cycle *cy, uint32_t job, uint32_t charged) {
    struct columns *k = cy->k;
    if (!act_job_valid(cy, job) || cy->victims) return LSCHED_E_INVAL;
    if (cy->act->n_deferred == DEFERRED_MAX) return LSCHED_E_LIMIT;
    undo_rollback(k, cy->turn.mark);
    cy->decisions.n_fresh = cy->turn.fresh_mark;
    uint64_t end = (uint64_t)cy->act->first_deferred + cy->act->n_deferred;
    if (!VEC_ROOM(k->alloc, cy->act->deferred, cy->act->cap_deferred, end + 1))
        return LSCHED_E_NOMEM;
    int32_t rc = alone(cy, job);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    uint32_t shape = group_shape(k, k->c[C_JOB_SHAPE].u32[job], 0), b = k->c[C_JOB_BUNDLE].u32[job];
    struct deferred d = {
        job, shape, 0, 0, k->c[C_BUNDLE_PLAN_AT].i64[b], k->c[C_BUNDLE_FIRM].u8[b]};
    if (d.firm) set_u8(k, C_BUNDLE_FIRM, b, FIRM_START_NONE);
    if (charged && shape != NO_ROW) {
        d.tasks = k->c[C_GROUP_MIN].u32[group_row(k, k->c[C_JOB_SHAPE].u32[job], 0)];
        d.gpu = shape_least_milli(k, shape);
    }
    struct park_reason why = {.code = LSCHED_WAIT_PLANNED, .limiting_queue = NO_ROW};
    bundle_park_plan(k, b, LSCHED_NEVER_US, k->c[C_BUNDLE_PLAN_NODE].u64[b], 0, &why);
    charge(k, &d, 1);
    cy->act->deferred[end] = d;
    cy->act->n_deferred++;
    cy->turn.job = NO_ROW;
    cy->counts.looked_at++;
    cy->pass->repeats++;
    return share_update(&cy->c->share, k, k->c[C_JOB_QUEUE].u32[job]);
}

/* Takes the job from the list of those that are set aside. Returns 0 if it is not there. An action
 * mostly takes the first job or the last one, which costs O(1). */
static int deferred_pop(struct act_state *a, uint32_t job, struct deferred *out) {
    if (a->n_deferred == 0) return 0;
    struct deferred *list = a->deferred + a->first_deferred;
    uint32_t i = 0, last = a->n_deferred - 1;
    if (list[last].job == job) i = last;
    while (i < last && list[i].job != job) i++;
    if (list[i].job != job) return 0;
    *out = list[i];
    if (i == 0)
        a->first_deferred++;
    else
        memmove(list + i, list + i + 1, (last - i) * sizeof *list);
    a->n_deferred--;
    if (a->n_deferred == 0) a->first_deferred = 0;
    return 1;
}

int32_t call_plan_take(lsched_cycle *cy, uint32_t job) {
    struct columns *k = cy->k;
    struct deferred d;
    if (cy->turn.job != NO_ROW || cy->victims) return LSCHED_E_INVAL;
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    if (!deferred_pop(cy->act, job, &d)) return LSCHED_E_NOENT;
    charge(k, &d, -1);
    bundle_wake(k, k->c[C_JOB_BUNDLE].u32[job]);
    if (d.firm) {
        set_u8(k, C_BUNDLE_FIRM, k->c[C_JOB_BUNDLE].u32[job], d.firm);
        set_i64(k, C_BUNDLE_PLAN_AT, k->c[C_JOB_BUNDLE].u32[job], d.firm_at);
    }
    rc = share_update(&cy->c->share, k, k->c[C_JOB_QUEUE].u32[job]);
    cy->act->deal.n_full = 0;
    gang_domains_forget(&cy->act->pins);
    act_take_up(cy, job);
    return rc == LSCHED_OK ? 1 : rc;
}

/* Notes the earlier start of a job that stays in line, if its start is firm: jobs that have started
 * in this cycle possibly have the room that it had before. */
static int32_t move_in_line(lsched_cycle *cy, uint32_t job, int64_t at_us, uint32_t node) {
    struct columns *k = cy->k;
    uint32_t b = k->c[C_JOB_BUNDLE].u32[job];
    if (node == NO_ROW || !firm_start_is(k, b) || at_us > k->c[C_BUNDLE_PLAN_AT].i64[b])
        return LSCHED_OK;
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    set_i64(k, C_BUNDLE_PLAN_AT, b, at_us);
    set_u64(k, C_BUNDLE_PLAN_NODE, b, id_make(k, LSCHED_KIND_NODE, node));
    return LSCHED_OK;
}

/* Sets a job apart that has a start on the node, and *after to the job that ends there then, or
 * that has the node for itself until then. */
static int32_t plan_on(lsched_cycle *cy, uint32_t job, uint32_t node, int64_t at, uint32_t *after) {
    lsched_holder held;
    int32_t rc = alone(cy, job);
    if (rc == LSCHED_OK) rc = task_ends_first(&cy->act->ends, cy, node, at, after);
    if (rc != LSCHED_OK || *after != NO_ROW) return rc;
    rc = held_places_put(&cy->act->held, cy, node, &held);
    if (rc == 1 && held.until_us == at) *after = held.job;
    return rc < 0 ? rc : LSCHED_OK;
}

int32_t call_plan_wait(lsched_cycle *cy, uint32_t job, int64_t at_us, uint32_t node,
                       uint32_t after) {
    struct columns *k = cy->k;
    if (!act_job_valid(cy, job) || cy->victims ||
        (node != NO_ROW && !row_is_live(k, T_NODE, node)) ||
        (after != NO_ROW && !row_is_live(k, T_JOB, after)))
        return LSCHED_E_INVAL;
    undo_rollback(k, cy->turn.mark);
    cy->decisions.n_fresh = cy->turn.fresh_mark;
    cy->turn.job = NO_ROW;
    /* The job stays in line for the next cycle, unless the budget has ended after its start was
     * found. */
    if (cy->spend.stop && (node == NO_ROW || (cy->flags & LSCHED_PLAN_INTERRUPTED)))
        return move_in_line(cy, job, at_us, node);
    cy->counts.looked_at++;
    if (node == NO_ROW && cy->spend.spent > 0)
        /* Gives back the work unit that next_job cost. Otherwise, with many waiting jobs, every
         * cycle would wake them and end at the same job. */
        cy->spend.spent--;
    int32_t rc = node == NO_ROW ? LSCHED_OK : plan_on(cy, job, node, at_us, &after);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    uint32_t b = k->c[C_JOB_BUNDLE].u32[job];
    struct park_reason why = {.code = LSCHED_WAIT_PLANNED, .limiting_queue = NO_ROW};
    if (firm_start_is(k, b) && !cy->act->keeps_firm) firm_start_lose(k, b, LSCHED_BECAUSE_RULE);
    bundle_park_plan(k, b, at_us > cy->now ? at_us : cy->now + 1,
                     node == NO_ROW ? 0 : id_make(k, LSCHED_KIND_NODE, node),
                     after == NO_ROW ? 0 : id_make(k, LSCHED_KIND_JOB, after), &why);
    set_u64(k, C_BUNDLE_TRIED, b, meta(k, M_CYCLE));
    return share_update(&cy->c->share, k, k->c[C_JOB_QUEUE].u32[job]);
}

int32_t call_placed(lsched_cycle *cy, const uint32_t **nodes, uint32_t *n) {
    const struct columns *k = cy->k;
    uint32_t from = cy->turn.fresh_mark, placed = cy->decisions.n_fresh - from;
    if (!VEC_ROOM(k->alloc, cy->act->placed, cy->act->cap_placed, placed + 1ull))
        return LSCHED_E_NOMEM;
    for (uint32_t i = 0; i < placed; i++)
        cy->act->placed[i] =
            k->c[C_TASK_NODE].u32[k->c[C_DECISION_TASK].u32[cy->decisions.fresh[from + i]]];
    *nodes = cy->act->placed;
    *n = placed;
    int32_t rc = held_places_spread(&cy->act->held, cy, nodes, n);
    return rc == LSCHED_OK ? (int32_t)placed : rc;
}

int32_t call_spend(lsched_cycle *cy, uint64_t units) {
    if (cy->spend.stop || cy->spend.budget - cy->spend.spent < units) return 0;
    act_spend(cy, units);
    return !cy->spend.stop;
}

int32_t call_mig_device(lsched_cycle *cy, uint32_t job, uint32_t node, uint32_t device,
                        uint32_t *slices, uint32_t *starts, uint32_t *used) {
    const struct columns *k = cy->k;
    const struct ask *a = job == NO_ROW ? NULL : act_leaf(cy, job, 0);
    if ((job != NO_ROW && !a) || !row_is_live(k, T_NODE, node) ||
        device >= k->c[C_NODE_N_DEVICES].u8[node])
        return LSCHED_E_INVAL;
    uint32_t row = k->c[C_NODE_DEVICE_FIRST].u32[node] + device;
    const struct mig_table *t = device_mig_table(k, row);
    *slices = *starts = *used = 0;
    if (!device_is_mig(k, row) || !t) return 0;
    *used = device_mig_used(k, row, DEVICE_NOW);
    if (!a) return 1;
    uint32_t p = device_mig_profile(k, t, a->shape);
    if (p == MIG_NONE || t->profiles[p].media)
        /* only one instance of a device can have the media engines, and slice masks cannot express
         * that */
        return 0;
    *slices = t->profiles[p].slices;
    *starts = t->profiles[p].starts;
    return device_allowed(k, row, a->shape) && device_mig_could(k, row, a->shape, 0);
}
