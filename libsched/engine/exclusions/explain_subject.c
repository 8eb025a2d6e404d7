/* explain_subject.c -- see explain_subject.h. */
#include "engine/exclusions/explain_subject.h"

#include "base/times.h"
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

int64_t job_ends(const struct columns *k, uint32_t job, uint32_t task) {
    int64_t d = job_estimate(k, job), start = k->c[C_TASK_START].i64[task];
    return d ? time_after(start, d) : LSCHED_NEVER_US;
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
