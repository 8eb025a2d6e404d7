/* explain_subject.c -- see explain_subject.h. */
#include "engine/exclusions/explain_subject.h"

#include "base/times.h"
#include "engine/state/decision_kinds.h"
#include "model/allowances/spent.h"
#include "model/jobs/job_limits.h"
#include "model/nodes/node.h"
#include "model/shapes/leaf.h"

uint32_t waiting_shape(const struct columns *k, const lsched_waiting *w) {
    uint32_t jobshape = k->c[C_JOB_SHAPE].u32[(uint32_t)w->job],
             n = k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape], g = w->task_group;
    while (g < n && group_shape(k, jobshape, g) == NO_ROW) g++;
    return leaf_shape(k, (uint32_t)w->job, g < n ? g : 0);
}

uint32_t shape_scarcest(const struct columns *k, uint32_t shape) {
    uint32_t kind = LSCHED_CPU;
    if (k->c[C_SHAPE_REQ + LSCHED_GPU].i64[shape]) return LSCHED_GPU;
    while (kind + 1 < meta(k, M_N_KINDS) && k->c[C_SHAPE_REQ + kind].i64[shape] == 0) kind++;
    return kind;
}

int node_is_usable(const struct columns *k, uint32_t n, uint32_t shape) {
    return row_is_live(k, T_NODE, n) && k->c[C_NODE_STATE].u8[n] == LSCHED_NODE_READY &&
           node_able(k, n, shape);
}

/* Returns the first time after now at which an allowance stops the running task, if what runs now
 * runs on. */
static int64_t stopped_as_spent(const struct columns *k, uint32_t task) {
    int64_t first = LSCHED_NEVER_US, now = (int64_t)meta(k, M_NOW);
    if (!k->allowances || (decision_kinds_asked(k) & KINDS_TO_STOP) == 0) return first;
    for (uint32_t m = k->c[C_TASK_METER].u32[task]; m; m = k->c[C_METER_NEXT].u32[m - 1]) {
        uint32_t a = allowance_of(k, k->c[C_METER_QUEUE].u32[m - 1]);
        if (a == NO_ROW || k->c[C_METER_RATE].i64[m - 1] == 0) continue;
        int64_t at = spent_stops(k, a);
        if (at > now && at < first) first = at;
    }
    return first;
}

int64_t task_ends_first_at(const struct columns *k, uint32_t task, enum task_end_why *why) {
    uint32_t job = k->c[C_TASK_JOB].u32[task];
    uint8_t state = k->c[C_TASK_STATE].u8[task];
    int64_t now = (int64_t)meta(k, M_NOW), lasts = job_estimate(k, job);
    *why = TASK_END_ESTIMATE;
    if (state == LSCHED_TASK_RELEASING) {
        int64_t gone = k->c[C_TASK_RELEASE_AT].i64[task];
        *why = TASK_END_RELEASE;
        return gone < now ? LSCHED_NEVER_US : gone;
    }
    if (state == LSCHED_TASK_NOMINATED) return LSCHED_NEVER_US;
    if (state != LSCHED_TASK_RUNNING) {
        if (job_length(k, job) == LSCHED_NEVER_US) return LSCHED_NEVER_US;
        if (job_length(k, job) != lasts) *why = TASK_END_LIMIT;
        return time_after(now, job_length(k, job));
    }
    int64_t estimate = lasts ? time_after(k->c[C_TASK_START].i64[task], lasts) : LSCHED_NEVER_US;
    int64_t at = estimate < now ? LSCHED_NEVER_US : estimate;
    int64_t due = job_due(k, job), spent = stopped_as_spent(k, task);
    if (due > now && due <= at) {
        *why = TASK_END_LIMIT;
        at = due;
    }
    if (spent < at) {
        *why = TASK_END_ALLOWANCE;
        at = spent;
    }
    if (at != LSCHED_NEVER_US) return at;
    return due < estimate ? due : estimate;
}

int64_t job_youngest(const struct columns *k, uint32_t job) {
    int64_t last = INT64_MIN;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW; t = k->c[C_TASK_NEXT].u32[t])
            if (k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_RUNNING && k->c[C_TASK_SINCE].i64[t] > last)
                last = k->c[C_TASK_SINCE].i64[t];
    return last;
}

int name_before(const struct columns *k, uint32_t column, uint32_t a, uint32_t b) {
    return b == NO_ROW || text_compare(k, k->c[column].u32[a], k->c[column].u32[b]) < 0;
}

struct resource_part_amount queue_limit(const struct columns *k, uint32_t queue, uint32_t kind) {
    if (kind_is_part(k, kind)) return resource_part_get(k, queue, kind);
    return (struct resource_part_amount){.used = k->c[C_QUEUE_USED + kind].i64[queue],
                                         .limit_now = k->c[C_QUEUE_LIMIT_NOW + kind].i64[queue]};
}

int domain_is_at(const struct columns *k, uint32_t domain, uint32_t tree, uint32_t level) {
    return row_is_live(k, T_DOMAIN, domain) && k->c[C_DOMAIN_TOPOLOGY].u32[domain] == tree &&
           k->c[C_DOMAIN_LEVEL].u32[domain] == level;
}

uint32_t live_row(const struct columns *k, lsched_id id, uint32_t kind, uint32_t table) {
    uint32_t row = (uint32_t)id;
    return row_is_live(k, table, row) && id_make(k, kind, row) == id ? row : NO_ROW;
}
