/* leaf.c -- see leaf.h. */
#include "model/shapes/leaf.h"

uint8_t job_alternative(const struct columns *k, uint32_t job, uint32_t group) {
    uint32_t leaf = job_leaf(k, job, group);
    return leaf == NO_ROW ? 0 : k->c[C_LEAF_ALTERNATIVE].u8[leaf];
}

uint32_t job_group_of_task(const struct columns *k, uint32_t job, uint32_t index) {
    uint32_t shape = k->c[C_JOB_SHAPE].u32[job], n = k->c[C_JOBSHAPE_N_GROUPS].u32[shape];
    uint32_t first = group_row(k, shape, 0);
    for (uint32_t g = 0; g < n; g++) {
        if (k->c[C_GROUP_CHILDREN].u32[first + g]) continue;
        uint32_t base = k->c[C_GROUP_BASE].u32[first + g];
        if (index >= base && index - base < k->c[C_GROUP_SPAN].u32[first + g]) return g;
    }
    return NO_ROW;
}
