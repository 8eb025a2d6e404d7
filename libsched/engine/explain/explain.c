/* explain.c -- see explain.h: writes what a job is and what its state is, and calls the other
 * parts of an explanation in order. */
#include "engine/explain/explain.h"

#include <string.h>

#include "engine/explain/explain_fresh.h"
#include "engine/explain/explain_parts.h"
#include "engine/plan/plan.h"
#include "model/jobs/releasing.h"
#include "model/jobs/job_limits.h"

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
        /* a leaf group with tasks keeps the alternative that its tasks use */
        uint32_t leaf = job_leaf(k, job, g);
        for (uint32_t a = 1; leaf == NO_ROW && a < k->c[C_GROUP_N_ALTERNATIVES].u32[row]; a++) {
            text_put(o, " or ");
            put_amount(k, o, kind, k->c[C_SHAPE_REQ + kind].i64[group_alternative(k, row, a)]);
        }
    }
    uint32_t min = k->c[C_JOBSHAPE_TASKS_MIN].u32[jobshape],
             all = k->c[C_JOBSHAPE_TASKS].u32[jobshape];
    if (min > 1) text_put(o, min == all ? ", gang" : ", gang of at least %u", min);
}

static void put_state(const struct explain *e, struct job_counts n, uint32_t wanted) {
    uint32_t nominated = job_nominated(e->k, e->job), releasing = job_releasing(e->k, e->job);
    struct text_out *o = e->o;
    if (releasing && nominated)
        text_put(o, " is being moved");
    else if (releasing && n.placed == 0)
        text_put(o, " is being stopped");
    else if (job_held(e->k, e->job) && n.placed == 0)
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
    text_put(e->o, " (");
    put_queue(k, e->o, e->queue);
    text_put(e->o, ", priority %d, ", k->c[C_JOB_PRIORITY].i32[e->job]);
    put_shape(k, e->job, e->o);
    if (k->c[C_JOB_FLAGS].u8[e->job] & LSCHED_JOB_NON_PREEMPTIBLE)
        text_put(e->o, ", not preemptible");
    text_put(e->o, ").\n");
}

/* ---- where the job's tasks are ---- */

enum { TASKS_SHOWN = 8 };

/* Writes a bit mask as text, such as " devices 0-3 6"; nothing for an empty mask. */
static void put_mask(struct text_out *o, const char *what, uint32_t mask) {
    if (mask) text_put(o, mask & (mask - 1) ? "%ss" : "%s", what);
    for (int i = 0; mask >> i; i++) {
        int first = i;
        if (!(mask >> i & 1)) continue;
        while (mask >> (i + 1) & 1) i++;
        text_put(o, i > first ? " %d-%d" : " %d", first, i);
    }
}

/* Writes that a task is paused or swapped out because of memory pressure on its device. */
static void put_out(const struct explain *e, uint32_t task) {
    uint32_t out = e->k->c[C_TASK_OUT].u8[task];
    if (out == LSCHED_OUT_NOT) return;
    text_put(e->o, ", %s: device memory ran out",
             (out & LSCHED_OUT_SWAPPED) ? "swapped out" : "paused");
    if (out & LSCHED_OUT_BACK) text_put(e->o, ", and is asked to go on");
}

static void put_task(const struct explain *e, uint32_t task, int say_why) {
    static const char *const states[] = {"waits",     "proposed", "confirmed", "runs",
                                         "releasing", "done",     "nominated"};
    const struct columns *k = e->k;
    text_put(e->o, "  task %-6u %s on ", k->c[C_TASK_INDEX].u32[task],
             states[k->c[C_TASK_STATE].u8[task]]);
    put_name(k, e->o, k->c[C_NODE_NAME].u32[k->c[C_TASK_NODE].u32[task]]);
    put_mask(e->o, " device", k->c[C_TASK_MASK].u16[task]);
    put_mask(e->o, ", NUMA node", k->c[C_TASK_NUMA].u8[task]);
    put_mask(e->o, ", network card", k->c[C_TASK_NICS].u16[task]);
    if (k->c[C_TASK_STATE].u8[task] == LSCHED_TASK_RELEASING) put_releasing_task(e, task, say_why);
    put_out(e, task);
    text_put(e->o, "\n");
}

/* Returns the task of the list that is on a node and has the lowest index above `index`, NO_ROW if
 * none. *n is set to the number of all tasks of the list that are on a node. */
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

/* Lists the job's releasing tasks, then its placed tasks; the first TASKS_SHOWN of each. */
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
    put_label(e->o, "gang");
    text_put(e->o, "runs below its minimum");
    int64_t grace = k->c[C_COST_GRACE].i64[cost];
    if (grace == 0) grace = e->c->policy.policy.desc.eviction.stale_grace_us;
    if (grace >= 0 && pipeline_has(e->c, "evict-stale-gangs")) {
        text_put(e->o, "; what is left of it is stopped at ");
        put_moment(e->o, time_after(k->c[C_COST_STALE_SINCE].i64[cost], grace), e->now);
    }
    text_put(e->o, "\n");
}

static int32_t put_waiting(struct explain *e) {
    const lsched_waiting *w = &e->w;
    int32_t rc = LSCHED_OK;
    put_label(e->o, "waits");
    put_reason(e->c, w, e->o);
    text_put(e->o, "\n");
    int room = w->code == LSCHED_WAIT_ROOM || w->code == LSCHED_WAIT_GANG ||
               w->code == LSCHED_WAIT_TOPOLOGY;
    if (room || w->code == LSCHED_WAIT_NEVER_FITS) explain_devices(e);
    if (room || w->code == LSCHED_WAIT_NEVER_FITS) explain_inside(e);
    if (room || w->code == LSCHED_WAIT_NEVER_FITS) explain_mig(e);
    if (room || w->code == LSCHED_WAIT_LENDING) rc = explain_holders(e);
    if (w->evict_code != LSCHED_EVICT_NOT_TRIED) {
        put_label(e->o, "others");
        put_evict(e->c, w, 1, e->o);
        if (w->evict_code == LSCHED_EVICT_NO_FIT && !e->has_rights && pipeline_has(e->c, "reclaim"))
            text_put(e->o, "; other queues give while their dominant share stays above that of its"
                           " own");
        text_put(e->o, "\n");
    }
    if (room && w->evict_code == LSCHED_EVICT_NOT_TRIED && e->c->policy.failures &&
        (e->c->policy.policy.desc.hooks & LSCHED_HOOK_VICTIM)) {
        put_label(e->o, "others");
        text_put(e->o, "nobody is stopped while the policy fails: %s\n", e->c->policy.last_error);
    }
    explain_start(e);
    return rc;
}

/* True if the job is queued and its bundle is awake, although the cycle has ended. M_PASS_VAIN is
 * set if awake bundles existed at the beginning of the latest pass and the pass tried no job; then
 * the pipeline, which a function of the policy can choose for each cycle, places nothing. */
static int stands_in_line(const struct columns *k, uint32_t job) {
    return k->c[C_JOB_PHASE].u8[job] == JOB_QUEUED &&
           k->c[C_BUNDLE_STATE].u8[k->c[C_JOB_BUNDLE].u32[job]] == BUNDLE_ACTIVE;
}

int32_t explain_job(struct lsched_cluster *c, uint32_t job, struct text_out *o,
                    lsched_waiting *record) {
    const struct columns *k = &c->k;
    struct explain e = {.c = c, .k = k, .o = o, .now = (int64_t)meta(k, M_NOW), .job = job};
    struct job_counts n = job_count(k, job);
    uint32_t wanted = k->c[C_JOBSHAPE_TASKS].u32[k->c[C_JOB_SHAPE].u32[job]];
    e.queue = k->c[C_JOB_QUEUE].u32[job];
    job_next_need(k, job, e.need);
    waiting_of_job(k, job, &e.w);
    if (stands_in_line(k, job) && (meta(k, M_PASS_VAIN) || !pipeline_places(&c->policy.policy)))
        e.w.code = LSCHED_WAIT_PIPELINE;
    explain_fresh_refresh(k, &e.w);
    int32_t rc = explain_rights(&e);
    if (rc != LSCHED_OK) return rc;
    explain_queue_refresh(&e);
    first_line(&e, n, wanted);
    put_stale(&e);
    put_tasks(&e, explain_takers(&e) > 1);
    explain_nominations(&e);
    if (n.placed + n.done < wanted || e.w.code == LSCHED_WAIT_NOMINATED) rc = put_waiting(&e);
    explain_queues(&e);
    explain_limits(&e);
    explain_must_leave(&e);
    explain_stop(&e);
    explain_disturbed(&e);
    if (record) *record = e.w;
    return rc;
}
