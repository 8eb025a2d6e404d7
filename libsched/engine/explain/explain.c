/* explain.c -- see explain.h. Writes the job's shape, its state and its tasks, and calls the other
 * files of the folder for the lines about nodes, queues and evictions. */
#include "engine/explain/explain.h"

#include <string.h>

#include "base/text_out.h"
#include "engine/explain/explain_array.h"
#include "engine/exclusions/explain_devices.h"
#include "engine/explain/explain_evict.h"
#include "engine/exclusions/explain_machine.h"
#include "engine/exclusions/explain_mig.h"
#include "engine/exclusions/explain_nodes.h"
#include "engine/explain/explain_queue.h"
#include "engine/explain/explain_refresh.h"
#include "engine/exclusions/explain_rules.h"
#include "engine/explain/explain_start.h"
#include "engine/explain/explain_victim.h"
#include "engine/explain/explain_wait.h"
#include "engine/explain/explain_work.h"
#include "engine/explain/job_end.h"
#include "model/arrays/array.h"
#include "model/dependencies/gate.h"
#include "engine/plan/plan_waiting.h"
#include "engine/resizes/resize_words.h"
#include "model/jobs/job_limits.h"
#include "model/demand/job_counts.h"
#include "model/jobs/task_row.h"
#include "model/jobs/bundle.h"
#include "policy/eviction.h"

/* ---- the first line ---- */

static void put_shape(const struct columns *k, uint32_t job, struct text_out *o) {
    uint32_t jobshape = k->c[C_JOB_SHAPE].u32[job], n = k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape],
             said = 0;
    for (uint32_t g = 0; g < n; g++) {
        uint32_t row = group_row(k, jobshape, g), shape = leaf_shape(k, job, g),
                 max = k->c[C_GROUP_MAX].u32[row];
        if (shape == NO_ROW) continue;
        text_put(o, "%s%u task%s x ", said++ ? ", " : "", max, max == 1 ? "" : "s");
        uint32_t kind = k->c[C_SHAPE_REQ + LSCHED_GPU].i64[shape] ? LSCHED_GPU : LSCHED_CPU;
        while (kind + 1 < meta(k, M_N_KINDS) && k->c[C_SHAPE_REQ + kind].i64[shape] == 0) kind++;
        put_amount(k, o, kind, k->c[C_SHAPE_REQ + kind].i64[shape]);
        /* the other alternatives are named only if the leaf group has no tasks yet, because all
         * tasks of a group use one alternative */
        uint32_t leaf = job_leaf(k, job, g);
        for (uint32_t a = 1; leaf == NO_ROW && a < k->c[C_GROUP_N_ALTERNATIVES].u32[row]; a++)
            text_put(
                o, " or %s",
                shown_amount(k, kind, k->c[C_SHAPE_REQ + kind].i64[group_alternative(k, row, a)])
                    .text);
    }
    uint32_t min = k->c[C_JOBSHAPE_TASKS_MIN].u32[jobshape],
             all = k->c[C_JOBSHAPE_TASKS].u32[jobshape];
    if (min > 1) text_put(o, min == all ? ", gang" : ", gang of at least %u", min);
}

static void put_state(const struct explain *e, struct job_counts n, uint32_t wanted) {
    uint32_t nominated = plan_waiting_nominated(e->k, e->job),
             releasing = job_releasing(e->k, e->job);
    struct text_out *o = e->o;
    if (array_weight(e->k, e->job) == 0)
        text_put(o, " has begun");
    else if (releasing && nominated)
        text_put(o, " is being moved");
    else if (releasing && n.placed == 0)
        text_put(o, " is being stopped");
    else if (job_is_held_back(e->k, e->job) && n.placed == 0)
        text_put(o, " is held");
    else if (nominated && nominated == n.placed)
        text_put(o, " waits for its place to be released");
    else if (n.placed + n.done == 0)
        text_put(o, " waits");
    else if (n.placed + n.done < wanted)
        text_put(o, " has %u of %u tasks placed", n.placed + n.done, wanted);
    else if (n.running == n.placed)
        text_put(o, " runs");
    else
        text_put(o, " is placed");
}

static void first_line(const struct explain *e, struct job_counts n, uint32_t wanted) {
    const struct columns *k = e->k;
    put_job(k, e->o, e->job);
    put_state(e, n, wanted);
    text_put(e->o, " (%s, priority %d, ", shown_queue(k, e->queue).text,
             k->c[C_JOB_PRIORITY].i32[e->job]);
    put_shape(k, e->job, e->o);
    if (k->c[C_JOB_FLAGS].u8[e->job] & LSCHED_JOB_NON_PREEMPTIBLE)
        text_put(e->o, ", not preemptible");
    text_put(e->o, ").\n");
}

/* ---- where the job's tasks are ---- */

enum { TASKS_SHOWN = 8 };

/* Writes the numbers of the set bits of `mask` after the word `what`, such as " devices 0-3 6".
 * Writes nothing if no bit is set. */
static void put_mask(struct text_out *o, const char *what, device_set mask) {
    if (mask)
        text_put(o, "%s%s %s", what, plural(device_set_count(mask)), device_set_list(mask).text);
}

/* Writes that a task is paused or swapped out because of memory pressure on its device. */
static void put_out(const struct explain *e, uint32_t task) {
    uint32_t out = e->k->c[C_TASK_OUT].u8[task];
    if (out == LSCHED_MEMORY_STATE_NORMAL) return;
    text_put(e->o, ", %s: device memory ran out",
             (out & LSCHED_MEMORY_STATE_SWAPPED) ? "swapped out" : "paused");
    if (out & LSCHED_MEMORY_STATE_RETURNING) text_put(e->o, ", and is asked to go on");
}

static void put_task(const struct explain *e, uint32_t task, int say_why) {
    static const char *const states[] = {"waits",     "proposed", "confirmed", "runs",
                                         "releasing", "done",     "nominated"};
    const struct columns *k = e->k;
    text_put(e->o, "  task %-6u %s on %s", k->c[C_TASK_INDEX].u32[task],
             states[k->c[C_TASK_STATE].u8[task]], shown_node(k, k->c[C_TASK_NODE].u32[task]).text);
    put_mask(e->o, " device", task_device_set(k, task));
    put_mask(e->o, ", NUMA node", k->c[C_TASK_NUMA].u8[task]);
    put_mask(e->o, ", network card", k->c[C_TASK_NICS].u16[task]);
    if (k->c[C_TASK_STATE].u8[task] == LSCHED_TASK_RELEASING)
        explain_victim_put_task(e, task, say_why);
    put_out(e, task);
    text_put(e->o, "\n");
}

/* Searches the tasks of the job in the leaf lists `list` (C_LEAF_TASK_FIRST or
 * C_LEAF_LEAVING_FIRST). Returns the task with the lowest index above `index` among the tasks that
 * are on a node, NO_ROW if there is none. *n is set to the number of all listed tasks that are on a
 * node. */
static uint32_t next_task(const struct explain *e, uint32_t list, int64_t index, uint32_t *n) {
    const struct columns *k = e->k;
    uint32_t best = NO_ROW;
    *n = 0;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[e->job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        for (uint32_t t = k->c[list].u32[l]; t != NO_ROW; t = k->c[C_TASK_NEXT].u32[t]) {
            if (k->c[C_TASK_NODE].u32[t] == NO_ROW) continue;
            ++*n;
            if ((int64_t)k->c[C_TASK_INDEX].u32[t] > index &&
                (best == NO_ROW || k->c[C_TASK_INDEX].u32[t] < k->c[C_TASK_INDEX].u32[best]))
                best = t;
        }
    }
    return best;
}

/* Writes a line for each of the first TASKS_SHOWN releasing tasks of the job, then for each of its
 * first TASKS_SHOWN placed tasks. */
static void put_tasks(const struct explain *e, int say_why) {
    static const uint16_t lists[] = {C_LEAF_LEAVING_FIRST, C_LEAF_TASK_FIRST};
    for (int i = 0; i < 2; i++) {
        uint32_t n, shown = 0, t = next_task(e, lists[i], -1, &n);
        for (; t != NO_ROW && shown < TASKS_SHOWN; shown++) {
            put_task(e, t, say_why);
            t = next_task(e, lists[i], e->k->c[C_TASK_INDEX].u32[t], &n);
        }
        if (t != NO_ROW) text_put(e->o, "  and %u more\n", n - shown);
    }
}

/* ---- why the job waits ---- */

static void put_stale(const struct explain *e) {
    const struct columns *k = e->k;
    uint32_t cost = k->c[C_JOB_COST].u32[e->job];
    if (cost == NO_ROW || k->c[C_COST_STALE_SINCE].i64[cost] == LSCHED_NEVER_US) return;
    PUT_LINE(e->o, "gang", "runs below its minimum");
    int64_t grace = k->c[C_COST_GRACE].i64[cost];
    if (grace == 0) grace = policy_eviction_of(&e->c->policy.policy).stale_grace_us;
    if (grace >= 0 && pipeline_has(e->c, "evict-stale-gangs")) {
        text_put(e->o, "; the rest of it is stopped at %s",
                 shown_moment(time_after(k->c[C_COST_STALE_SINCE].i64[cost], grace), e->now).text);
    }
    text_put(e->o, "\n");
}

/* Writes which running tasks of the job are to get other amounts, and why they wait. */
static void put_resizes(const struct explain *e) {
    const struct columns *k = e->k;
    uint32_t shown = 0, more = 0;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[e->job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        for (uint32_t t = k->c[C_LEAF_SIZED].u32[l] ? k->c[C_LEAF_TASK_FIRST].u32[l] : NO_ROW;
             t != NO_ROW; t = k->c[C_TASK_NEXT].u32[t]) {
            if (!resize_words_any(k, t) || shown == TASKS_SHOWN) {
                more += (uint32_t)resize_words_any(k, t);
                continue;
            }
            shown++;
            put_label(e->o, "resize");
            resize_words_put(k, t, e->o);
            text_put(e->o, "\n");
        }
    if (more) text_put(e->o, "  and %u more\n", more);
}

/* Writes the hold of a job whose wait reason does not name it, such as of a job that runs. */
static void put_hold(const struct explain *e) {
    if (!job_host_hold(e->k, e->job) || e->w.code == LSCHED_WAIT_HOST_HOLD) return;
    put_label(e->o, "hold");
    explain_wait_put_host(e->k, e->job, e->now, e->o);
    text_put(e->o, "\n");
}

/* Writes when the job expires. */
static void put_expiry(const struct explain *e) {
    uint32_t gate = gate_row(e->k, e->job);
    int64_t expires = gate == NO_ROW ? 0 : e->k->c[C_GATE_EXPIRES].i64[gate];
    if (expires == 0) return;
    put_label(e->o, "expires");
    text_put(e->o, "it is removed if it has not started by %s\n",
             shown_moment(expires, e->now).text);
}

static int32_t put_waiting(struct explain *e) {
    const lsched_waiting *w = &e->w;
    int32_t rc = LSCHED_OK;
    put_label(e->o, "waits");
    explain_wait_put(e->c, w, e->o);
    text_put(e->o, "\n");
    int room = waits_for_room(w->code);
    if (room || w->code == LSCHED_WAIT_NEVER_FITS) {
        explain_devices(e);
        explain_machine(e);
        explain_mig(e);
    }
    if (room || w->code == LSCHED_WAIT_LENDING) rc = explain_nodes_holders(e);
    if (w->evict_code != LSCHED_NO_VICTIM_NOT_TRIED) {
        put_label(e->o, "others");
        explain_evict_put(e->c, w, 1, e->o);
        if (w->evict_code == LSCHED_NO_VICTIM_NO_FIT && !e->has_rights &&
            pipeline_has(e->c, "reclaim"))
            text_put(e->o,
                     "; work of another queue may be stopped as long as that queue's dominant "
                     "share stays above that of the job's queue");
        text_put(e->o, "\n");
    }
    if (room && w->evict_code == LSCHED_NO_VICTIM_NOT_TRIED && e->c->policy.failures &&
        (e->c->policy.policy.desc.hooks & LSCHED_HOOK_VICTIM)) {
        PUT_LINE(e->o, "others", "no work is stopped while the policy fails: %s\n",
                 e->c->policy.last_error);
    }
    explain_start(e);
    return rc;
}

/* True if the job is queued and its bundle is still to be tried, although the cycle has ended.
 * M_PASS_VAIN is set if bundles waited to be tried when the latest pass began, and the pass tried
 * no job. In that case, the cycle's pipeline had no action that places jobs; a function of the
 * policy can choose the pipeline for each cycle. */
static int stands_in_line(const struct columns *k, uint32_t job) {
    return k->c[C_JOB_PHASE].u8[job] == JOB_QUEUED &&
           k->c[C_BUNDLE_STATE].u8[k->c[C_JOB_BUNDLE].u32[job]] == BUNDLE_ACTIVE;
}

static struct explain explain_of(struct lsched_cluster *c, uint32_t job, struct text_out *o) {
    return (struct explain){.c = c,
                            .k = &c->k,
                            .o = o,
                            .now = (int64_t)meta(&c->k, M_NOW),
                            .job = job,
                            .queue = c->k.c[C_JOB_QUEUE].u32[job],
                            .ends_overdue = pipeline_has(c, "evict-overdue")};
}

int32_t explain_job(struct lsched_cluster *c, uint32_t job, struct text_out *o,
                    lsched_waiting *record) {
    const struct columns *k = &c->k;
    struct explain e = explain_of(c, job, o);
    struct job_counts n = job_count(k, job);
    uint32_t wanted = k->c[C_JOBSHAPE_TASKS].u32[k->c[C_JOB_SHAPE].u32[job]];
    job_least_need(k, job, e.need);
    plan_waiting_of_job(k, job, &e.w);
    if (stands_in_line(k, job) && (meta(k, M_PASS_VAIN) || !plan_waiting_places(&c->policy.policy)))
        e.w.code = LSCHED_WAIT_PIPELINE;
    explain_refresh(k, &e.w);
    int32_t rc = explain_queue_read(&e);
    if (rc != LSCHED_OK) return rc;
    explain_queue_refresh(&e);
    first_line(&e, n, wanted);
    explain_array_put(&e);
    put_stale(&e);
    put_hold(&e);
    put_expiry(&e);
    job_end_put(&e);
    put_resizes(&e);
    put_tasks(&e, explain_victim_takers(&e) > 1);
    explain_work(&e);
    explain_victim_nominations(&e);
    int waits = n.placed + n.done < wanted && array_weight(k, job) > 0;
    if (waits || e.w.code == LSCHED_WAIT_NOMINATED) rc = put_waiting(&e);
    explain_queue_all(&e);
    explain_victim_limits(&e);
    explain_rules_must_leave(&e);
    explain_victim(&e);
    explain_victim_disturbed(&e);
    if (record) *record = e.w;
    return rc;
}

int explain_forecast(struct lsched_cluster *c, uint32_t job, int whole, lsched_waiting *record) {
    const struct columns *k = &c->k;
    struct text_out none = {NULL, 0, 0};
    struct explain e = explain_of(c, job, &none);
    plan_waiting_of_job(k, job, &e.w);
    if (stands_in_line(k, job) && (meta(k, M_PASS_VAIN) || !plan_waiting_places(&c->policy.policy)))
        e.w.code = LSCHED_WAIT_PIPELINE;
    /* the other codes do not change, and their numbers cost a look at each node */
    if (whole || e.w.code == LSCHED_WAIT_LIMIT || e.w.code == LSCHED_WAIT_REFUSED)
        explain_refresh(k, &e.w);
    explain_start(&e);
    *record = e.w;
    return explain_start_is_never(&e);
}

/* ---- the records of a plan ---- */

static int waiting_is_live(const struct columns *k, const lsched_waiting *w) {
    uint32_t j = live_row(k, w->job, LSCHED_KIND_JOB, T_JOB);
    lsched_id queues[] = {w->queue, w->limiting_queue, w->evict_queue};
    int needed[] = {1, w->limiting_queue || w->code == LSCHED_WAIT_LIMIT, w->evict_queue != 0};
    for (int i = 0; i < 3; i++)
        if (needed[i] && live_row(k, queues[i], LSCHED_KIND_QUEUE, T_QUEUE) == NO_ROW) return 0;
    if (j == NO_ROW) return 0;
    if (w->task_group >= k->c[C_JOBSHAPE_N_GROUPS].u32[k->c[C_JOB_SHAPE].u32[j]] ||
        w->evict_kind >= meta(k, M_N_KINDS))
        return 0;
    return w->kind < meta(k, M_N_KINDS) ||
           (w->code == LSCHED_WAIT_LIMIT && kind_is_part(k, w->kind));
}

void explain_waiting(const struct lsched_cluster *c, lsched_waiting *w, struct text_out *o) {
    const struct columns *k = &c->k;
    if (!waiting_is_live(k, w)) {
        text_put(o, "the object that the reason names does not exist any more");
        return;
    }
    explain_refresh(k, w);
    explain_wait_put(c, w, o);
    if (w->evict_code == LSCHED_NO_VICTIM_NOT_TRIED) return;
    text_put(o, "; ");
    explain_evict_put(c, w, 0, o);
}
