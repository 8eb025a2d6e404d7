/* leaf.c -- see leaf.h. */
#include "model/shapes/leaf.h"

uint32_t job_leaf(const struct columns *k, uint32_t job, uint32_t group) {
    uint32_t l = k->c[C_JOB_LEAVES].u32[job];
    while (l != NO_ROW && k->c[C_LEAF_GROUP].u32[l] != group) l = k->c[C_LEAF_NEXT].u32[l];
    return l;
}

uint8_t job_alternative(const struct columns *k, uint32_t job, uint32_t group) {
    uint32_t leaf = job_leaf(k, job, group);
    return leaf == NO_ROW ? 0 : k->c[C_LEAF_ALTERNATIVE].u8[leaf];
}

uint32_t leaf_shape(const struct columns *k, uint32_t job, uint32_t group) {
    uint32_t row = group_row(k, k->c[C_JOB_SHAPE].u32[job], group);
    if (k->c[C_GROUP_ALTERNATIVES].u32[row] == NO_ROW) return k->c[C_GROUP_SHAPE].u32[row];
    uint32_t leaf = job_leaf(k, job, group);
    return group_alternative(k, row, leaf == NO_ROW ? 0 : k->c[C_LEAF_ALTERNATIVE].u8[leaf]);
}

uint32_t task_shape(const struct columns *k, uint32_t task) {
    uint32_t job = k->c[C_TASK_JOB].u32[task], leaf = k->c[C_TASK_LEAF].u32[task];
    return group_alternative(k,
                             group_row(k, k->c[C_JOB_SHAPE].u32[job], k->c[C_LEAF_GROUP].u32[leaf]),
                             k->c[C_LEAF_ALTERNATIVE].u8[leaf]);
}

uint32_t job_group_of_task(const struct columns *k, uint32_t job, uint32_t index) {
    uint32_t shape = k->c[C_JOB_SHAPE].u32[job], n = k->c[C_JOBSHAPE_N_GROUPS].u32[shape];
    uint32_t first = group_row(k, shape, 0);
    for (uint32_t g = 0; g < n; g++) {
        if (k->c[C_GROUP_CHILDREN].u32[first + g]) continue;
        uint32_t base = k->c[C_GROUP_BASE].u32[first + g];
        if (index >= base && index - base < k->c[C_GROUP_MAX].u32[first + g]) return g;
    }
    return NO_ROW;
}
