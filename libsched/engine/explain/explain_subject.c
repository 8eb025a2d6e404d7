/* explain_subject.c -- see explain_subject.h. */
#include "engine/explain/explain_subject.h"

#include "base/times.h"
#include "model/jobs/job.h"
#include "model/nodes/node.h"

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

uint32_t required_level(const struct columns *k, uint32_t jobshape, uint32_t group,
                        uint32_t *tree) {
    for (uint32_t g = group;; g = k->c[C_GROUP_PARENT].u32[group_row(k, jobshape, g)]) {
        uint32_t row = group_row(k, jobshape, g), level = k->c[C_GROUP_REQUIRED].u32[row];
        *tree = k->c[C_GROUP_TOPOLOGY].u32[row];
        if (level != NO_ROW || g == 0) return level;
    }
}

int64_t job_ends(const struct columns *k, uint32_t job, uint32_t task) {
    int64_t d = k->c[C_JOB_DURATION].i64[job], start = k->c[C_TASK_START].i64[task];
    return d ? time_after(start, d) : LSCHED_NEVER_US;
}
