/*
 * plan_calls.c -- see plan_calls.h.
 *
 * The ends of tasks are estimates: a task is expected to run, from its start, for the job's
 * estimated duration or its time limit, whichever is shorter. A task that still runs after its
 * expected end is assumed to stay for another tenth of its run time, at least a minute, so that a
 * plan never counts on the room of overdue tasks. A task without an estimate or a limit is assumed
 * never to end.
 *
 * Invariant: a job that is set aside is alone in a bundle that is parked in the list of planned
 * bundles. Its queue is charged the job's minimum, so that shares continue as if the job were
 * placed. The charge ends when the action takes the job up again. No job stays set aside, and no
 * charge remains, after the action (cycle.c).
 *
 * Budget: reading nodes costs no work units, like an update of the view. If the budget ends while
 * the action only looks at waiting jobs, the work units spent on that are given back when the
 * first job of the cycle is taken up. Otherwise a budget below that cost would end each cycle
 * before anything was placed.
 */
#include "engine/actions/plan_calls.h"

#include <assert.h>

#include "base/times.h"
#include "base/vec.h"
#include "engine/state/transaction.h"
#include "engine/actions/evict_calls.h"
#include "engine/indexes/affinity_rules.h"
#include "engine/indexes/search.h"
#include "model/shapes/daily_demand.h"
#include "model/devices/device_mig.h"
#include "model/nodes/node.h"
#include "model/shapes/node_rules.h"
#include "model/queues/queue.h"
#include "model/jobs/job_limits.h"
#include "model/jobs/refusal.h"
#include "engine/policy_hooks/hooks.h"
#include "engine/actions/act_index.h"

#define OVERDUE_US   INT64_C(60000000)
#define DEFERRED_MAX 65536u

void plan_calls_close(lsched_cycle *y) {
    struct alloc *a = y->k->alloc;
    alloc_free(a, y->deferred, y->cap_deferred * sizeof *y->deferred);
    alloc_free(a, y->holders, y->cap_holders * sizeof *y->holders);
    y->deferred = NULL;
    alloc_free(a, y->movers, y->cap_movers * sizeof *y->movers);
    y->holders = NULL;
    y->movers = NULL;
    y->cap_deferred = y->cap_holders = y->cap_movers = 0;
}

int32_t call_plan_begin(lsched_cycle *y) {
    struct columns *k = y->k;
    if (y->search || y->n_deferred) return LSCHED_E_INVAL;
    y->plans_time = 1;
    if (meta(k, M_ACTIVE) == 0) return 0;
    while (meta(k, M_PLAN_HEAD) != NO_ROW) {
        uint32_t b = (uint32_t)meta(k, M_PLAN_HEAD);
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        bundle_wake(k, b);
        rc = share_update(&y->c->share, k, k->c[C_BUNDLE_QUEUE].u32[b]);
        if (rc != LSCHED_OK) return rc;
    }
    return 1;
}

/* ---- tasks on a node, and how long they stay ---- */

/* Returns how long tasks of the job run from their start, in microseconds; LSCHED_NEVER_US if
 * unknown. */
static int64_t job_length(const struct columns *k, uint32_t job) {
    int64_t estimate = k->c[C_JOB_DURATION].i64[job], limit = job_limit(k, job);
    int64_t length = estimate > 0 ? estimate : LSCHED_NEVER_US;
    return limit > 0 && limit < length ? limit : length;
}

static int64_t after_now(int64_t at, int64_t since, int64_t now) {
    if (at > now) return at;
    int64_t more = now > since ? (now - since) / 10 : 0;
    return time_after(now, more > OVERDUE_US ? more : OVERDUE_US);
}

static int64_t task_until(const lsched_cycle *y, uint32_t task) {
    const struct columns *k = y->k;
    uint32_t job = k->c[C_TASK_JOB].u32[task];
    uint8_t state = k->c[C_TASK_STATE].u8[task];
    if (state == LSCHED_TASK_RELEASING) {
        if (k->c[C_TASK_STUCK].u8[task]) return LSCHED_NEVER_US;
        return after_now(k->c[C_TASK_RELEASE_AT].i64[task], y->now, y->now);
    }
    int64_t start = state == LSCHED_TASK_RUNNING ? k->c[C_TASK_START].i64[task] : y->now,
            length = job_length(k, job);
    uint32_t d = k->c[C_TASK_DECISION].u32[task];
    if (state == LSCHED_TASK_NOMINATED && d != NO_ROW && k->c[C_DECISION_AT].i64[d] > start)
        start = k->c[C_DECISION_AT].i64[d];
    if (start > y->now && state == LSCHED_TASK_RUNNING) start = y->now;
    if (length == LSCHED_NEVER_US) return LSCHED_NEVER_US;
    return after_now(time_after(start, length), start, y->now);
}

static void holder_of(const lsched_cycle *y, uint32_t task, lsched_holder *h) {
    const struct columns *k = y->k;
    uint32_t shape = task_shape(k, task), d = k->c[C_TASK_DECISION].u32[task];
    memset(h, 0, sizeof *h);
    h->size = sizeof *h;
    h->job = k->c[C_TASK_JOB].u32[task];
    h->devices = k->c[C_TASK_MASK].u16[task];
    h->starts = k->c[C_TASK_STARTS].u64[task];
    h->slices = k->c[C_SHAPE_MIG_SLICES].u8[shape];
    h->is_claim = k->c[C_TASK_STATE].u8[task] == LSCHED_TASK_NOMINATED;
    h->from_us = y->now;
    if (h->is_claim && d != NO_ROW && k->c[C_DECISION_AT].i64[d] > y->now)
        h->from_us = k->c[C_DECISION_AT].i64[d];
    h->until_us = task_until(y, task);
    /* tasks with a daily demand share their peak: the end of one frees no certain amount */
    if (k->c[C_SHAPE_DAY].u32[shape]) h->until_us = LSCHED_NEVER_US;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
        h->amount[r] = k->c[C_SHAPE_REQ + r].i64[shape];
}

int32_t call_holders(lsched_cycle *y, uint32_t node, const lsched_holder **list, uint32_t *n,
                     int64_t *places) {
    struct columns *k = y->k;
    if (!row_is_live(k, T_NODE, node)) return LSCHED_E_INVAL;
    uint32_t tasks = 0;
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t])
        tasks++;
    if (!VEC_ROOM(k->alloc, y->holders, y->cap_holders, tasks)) return LSCHED_E_NOMEM;
    tasks = 0;
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t])
        holder_of(y, t, &y->holders[tasks++]);
    *list = y->holders;
    *n = tasks;
    *places = node_places(k, node, DEVICE_NOW);
    return 1;
}

/* ---- what a plan may know of a job ---- */

static int is_plain_group(const struct columns *k, uint32_t row) {
    return k->c[C_GROUP_TOPOLOGY].u32[row] == NO_ROW && k->c[C_GROUP_SPREAD].u32[row] == NO_ROW &&
           k->c[C_GROUP_N_SLICES].u8[row] == 0 && k->c[C_GROUP_N_ALTERNATIVES].u32[row] <= 1 &&
           k->c[C_GROUP_MIN].u32[row] > 0;
}

/* True if amounts and the node describe the task shape fully: whole devices or one MIG instance,
 * no shares of a GPU, and no choice among devices except by their model. */
static int is_plain_shape(const struct columns *k, uint32_t shape) {
    uint32_t devices = k->c[C_SHAPE_DEVICES].u32[shape];
    if (k->c[C_SHAPE_PICKY].u8[shape] || k->c[C_SHAPE_DAY].u32[shape] ||
        k->c[C_SHAPE_NUMA].u8[shape] || k->c[C_SHAPE_NICS].u8[shape] ||
        k->c[C_SHAPE_SELECTOR].u32[shape] != NO_ROW || affinity_rules_asked(k, shape))
        return 0;
    if (k->c[C_SHAPE_MIG_SLICES].u8[shape]) return devices == 1;
    return devices == 0 ||
           (k->c[C_SHAPE_DEVICE_MILLI].u32[shape] == 1000 && !shape_charge_varies(k, shape) &&
            k->c[C_SHAPE_CORES].u32[shape] == 0 && k->c[C_SHAPE_DEVICE_LIMIT].i64[shape] == 0);
}

int plan_says_all(const struct columns *k, uint32_t jobshape) {
    return k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape] == 1 &&
           is_plain_group(k, group_row(k, jobshape, 0)) &&
           is_plain_shape(k, group_shape(k, jobshape, 0));
}

int32_t call_plan_ask(lsched_cycle *y, uint32_t job, lsched_plan_ask *ask) {
    const struct columns *k = y->k;
    if (!act_job_valid(y, job)) return LSCHED_E_INVAL;
    uint32_t jobshape = k->c[C_JOB_SHAPE].u32[job], row = group_row(k, jobshape, 0);
    if (y->stop || y->search || k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape] != 1 ||
        k->c[C_JOB_LEAVES].u32[job] != NO_ROW || hook_on(y, LSCHED_HOOK_FILTER) ||
        !is_plain_group(k, row))
        return 0;
    uint32_t shape = group_shape(k, jobshape, 0), b = k->c[C_JOB_BUNDLE].u32[job];
    if (!is_plain_shape(k, shape) || refusal_known(k, k->c[C_JOB_QUEUE].u32[job], shape, 0))
        return 0;
    struct search_index *x;
    int32_t rc = act_index(y, 0, &x);
    if (rc != LSCHED_OK) return rc;
    memset(ask, 0, sizeof *ask);
    ask->size = sizeof *ask;
    ask->tasks = k->c[C_GROUP_MIN].u32[row];
    ask->duration_us = job_length(k, job);
    ask->able = x->is_able;
    view_task_shape(k, shape, &y->shapes[0]);
    ask->task = &y->shapes[0];
    if (k->c[C_SHAPE_MIG_SLICES].u8[shape])
        ask->mig_profile = text_of(k, intern_text(k, T_STRING, k->c[C_SHAPE_PROFILE].u32[shape]));
    ask->planned_node = NO_ROW;
    uint64_t id = k->c[C_BUNDLE_JOB].u32[b] == job ? k->c[C_BUNDLE_PLAN_NODE].u64[b] : 0;
    if (id && row_is_live(k, T_NODE, (uint32_t)id) &&
        id_make(k, LSCHED_KIND_NODE, (uint32_t)id) == id) {
        ask->planned_node = (uint32_t)id;
        ask->planned_us = k->c[C_BUNDLE_PLAN_AT].i64[b];
    }
    return 1;
}

/* ---- deferring a job, trying a deferred job, parking a job with a planned start ---- */

static int32_t alone(lsched_cycle *y, uint32_t job) {
    struct columns *k = y->k;
    uint32_t b = k->c[C_JOB_BUNDLE].u32[job];
    return k->c[C_BUNDLE_JOB].u32[b] == NO_ROW ? job_isolate(k, job) : LSCHED_OK;
}

/* Charges the queues of the job for the deferred tasks (sign 1) or ends the charge (sign -1). The
 * end of a charge frees nothing that was used, therefore it must wake no bundle: the marks of
 * queues that gave something back stay as they were. */
static void charge(struct columns *k, const struct deferred *d, int64_t sign) {
    uint32_t queue = k->c[C_JOB_QUEUE].u32[d->job];
    uint8_t gave[LSCHED_QUEUE_DEPTH_MAX]; /* no queue is deeper (check_lists.c) */
    if (d->tasks == 0) return;
    assert(k->c[C_QUEUE_DEPTH].u32[queue] < LSCHED_QUEUE_DEPTH_MAX);
    for (uint32_t q = queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q])
        gave[k->c[C_QUEUE_DEPTH].u32[q]] = k->c[C_QUEUE_GAVE].u8[q];
    queue_charge(k, queue, d->shape, d->gpu, sign * (int64_t)d->tasks);
    for (uint32_t q = queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q])
        set_u8(k, C_QUEUE_GAVE, q, gave[k->c[C_QUEUE_DEPTH].u32[q]]);
}

int32_t call_plan_defer(lsched_cycle *y, uint32_t job, uint32_t charged) {
    struct columns *k = y->k;
    if (!act_job_valid(y, job) || y->search) return LSCHED_E_INVAL;
    if (y->n_deferred == DEFERRED_MAX) return LSCHED_E_LIMIT;
    undo_rollback(k, y->mark);
    y->n_fresh = y->fresh_mark;
    if (!VEC_ROOM(k->alloc, y->deferred, y->cap_deferred, y->n_deferred + 1)) return LSCHED_E_NOMEM;
    int32_t rc = alone(y, job);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    uint32_t shape = group_shape(k, k->c[C_JOB_SHAPE].u32[job], 0), b = k->c[C_JOB_BUNDLE].u32[job];
    struct deferred d = {job, shape, 0, 0};
    if (charged && shape != NO_ROW) {
        d.tasks = k->c[C_GROUP_MIN].u32[group_row(k, k->c[C_JOB_SHAPE].u32[job], 0)];
        d.gpu = shape_least_milli(k, shape);
    }
    struct park_reason why = {.code = LSCHED_WAIT_PLANNED, .limiting_queue = NO_ROW};
    bundle_park_plan(k, b, LSCHED_NEVER_US, k->c[C_BUNDLE_PLAN_NODE].u64[b], 0, &why);
    charge(k, &d, 1);
    y->deferred[y->n_deferred++] = d;
    y->job = NO_ROW;
    y->looked_at++;
    return share_update(&y->c->share, k, k->c[C_JOB_QUEUE].u32[job]);
}

/* Gives back the spent work units and lets the cycle continue, if the cycle has only looked at
 * jobs so far and tried to place none. */
static void give_back(lsched_cycle *y) {
    if (!y->stop || (y->flags & LSCHED_PLAN_INTERRUPTED) || y->decisions_left == 0 ||
        y->jobs_tried != y->steps_aside + y->looked_at)
        return;
    y->stop = 0;
    y->spent = 0;
}

int32_t call_plan_take(lsched_cycle *y, uint32_t job) {
    struct columns *k = y->k;
    uint32_t i = 0;
    if (y->job != NO_ROW || y->search) return LSCHED_E_INVAL;
    while (i < y->n_deferred && y->deferred[i].job != job) i++;
    if (i == y->n_deferred) return LSCHED_E_NOENT;
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    charge(k, &y->deferred[i], -1);
    memmove(y->deferred + i, y->deferred + i + 1, (y->n_deferred - i - 1) * sizeof *y->deferred);
    y->n_deferred--;
    bundle_wake(k, k->c[C_JOB_BUNDLE].u32[job]);
    rc = share_update(&y->c->share, k, k->c[C_JOB_QUEUE].u32[job]);
    y->deal.n_full = 0;
    gang_domains_forget(&y->pins);
    give_back(y);
    act_take_up(y, job);
    return rc == LSCHED_OK ? 1 : rc;
}

/* Returns the first job, in the order of jobs, of those expected to end on the node at this time;
 * `otherwise`, which the action names, if there is none. */
static uint32_t ends_then(const lsched_cycle *y, uint32_t node, int64_t at, uint32_t otherwise) {
    const struct columns *k = y->k;
    uint32_t best = NO_ROW;
    if (node == NO_ROW) return otherwise;
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        uint32_t job = k->c[C_TASK_JOB].u32[t];
        if (task_until(y, t) == at && (best == NO_ROW || job_before(k, job, best))) best = job;
    }
    return best == NO_ROW ? otherwise : best;
}

int32_t call_plan_wait(lsched_cycle *y, uint32_t job, int64_t at_us, uint32_t node,
                       uint32_t after) {
    struct columns *k = y->k;
    if (!act_job_valid(y, job) || y->search || (node != NO_ROW && !row_is_live(k, T_NODE, node)) ||
        (after != NO_ROW && !row_is_live(k, T_JOB, after)))
        return LSCHED_E_INVAL;
    undo_rollback(k, y->mark);
    y->n_fresh = y->fresh_mark;
    y->job = NO_ROW;
    if (y->stop) return LSCHED_OK; /* the job stays in line for the next cycle */
    y->looked_at++;
    if (node == NO_ROW && y->spent > 0)
        /* gives back the work unit that next_job cost: otherwise every cycle would wake a long
         * line and cut it off at the same job */
        y->spent--;
    int32_t rc = node == NO_ROW ? LSCHED_OK : alone(y, job);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    uint32_t b = k->c[C_JOB_BUNDLE].u32[job];
    struct park_reason why = {.code = LSCHED_WAIT_PLANNED, .limiting_queue = NO_ROW};
    after = ends_then(y, node, at_us, after);
    bundle_park_plan(k, b, at_us > y->now ? at_us : y->now + 1,
                     node == NO_ROW ? 0 : id_make(k, LSCHED_KIND_NODE, node),
                     after == NO_ROW ? 0 : id_make(k, LSCHED_KIND_JOB, after), &why);
    set_u64(k, C_BUNDLE_TRIED, b, meta(k, M_CYCLE));
    return share_update(&y->c->share, k, k->c[C_JOB_QUEUE].u32[job]);
}

int32_t call_placed(lsched_cycle *y, uint32_t from, uint32_t *nodes, uint32_t cap) {
    const struct columns *k = y->k;
    uint32_t n = y->n_fresh - y->fresh_mark;
    for (uint32_t i = from; i < n && i - from < cap; i++)
        nodes[i - from] =
            k->c[C_TASK_NODE].u32[k->c[C_DECISION_TASK].u32[y->fresh[y->fresh_mark + i]]];
    return (int32_t)n;
}

int32_t call_spend(lsched_cycle *y, uint64_t units) {
    if (y->stop || y->budget - y->spent < units) return 0;
    act_spend(y, units);
    return !y->stop;
}

int32_t call_mig_device(lsched_cycle *y, uint32_t job, uint32_t node, uint32_t device,
                        uint32_t *slices, uint32_t *starts, uint32_t *used) {
    const struct columns *k = y->k;
    if ((job != NO_ROW && !act_job_valid(y, job)) || !row_is_live(k, T_NODE, node) ||
        device >= k->c[C_NODE_N_DEVICES].u8[node])
        return LSCHED_E_INVAL;
    uint32_t row = k->c[C_NODE_DEVICE_FIRST].u32[node] + device;
    const struct mig_table *t = device_mig_table(k, row);
    *slices = *starts = *used = 0;
    if (!device_is_mig(k, row) || !t) return 0;
    *used = device_mig_used(k, row, DEVICE_NOW);
    if (job == NO_ROW) return 1;
    uint32_t p = device_mig_profile(k, t, leaf_shape(k, job, 0));
    if (p == MIG_NONE || t->profiles[p].media)
        return 0; /* a device has its media engines once, which the slice masks cannot express */
    *slices = t->profiles[p].slices;
    *starts = t->profiles[p].starts;
    return device_allowed(k, row, leaf_shape(k, job, 0)) &&
           device_mig_could(k, row, leaf_shape(k, job, 0), 0);
}
