/* start_blocks.c -- see start_blocks.h. */
#include "engine/topology/start_blocks.h"

#include "model/store/steps.h"

/* True if all tasks of the leaf group got their places in this decision group. */
static int starts_here(const struct columns *k, uint32_t leaf, uint64_t decision_group) {
    for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[leaf]; t != NO_ROW;
         t = k->c[C_TASK_NEXT].u32[t]) {
        uint32_t d = k->c[C_TASK_DECISION].u32[t];
        steps_add(k, 1);
        if (d == NO_ROW || k->c[C_DECISION_GROUP].u64[d] != decision_group) return 0;
    }
    return 1;
}

int32_t start_blocks_whole(struct gang_domains *p, struct columns *k, uint32_t job,
                           uint64_t decision_group) {
    uint32_t shape = k->c[C_JOB_SHAPE].u32[job];
    if (!(k->c[C_JOBSHAPE_PINNED].u8[shape] & PINNED_SLICES)) return 1;
    for (uint32_t g = 0; g < k->c[C_JOBSHAPE_N_GROUPS].u32[shape]; g++) {
        struct gang_slices *s;
        struct ask a;
        ask_open(&a, k, job, g);
        if (a.leaf == NO_ROW || k->c[C_GROUP_N_SLICES].u8[a.row] == 0) continue;
        int32_t rc = gang_domains_slices(p, k, &a, &s);
        if (rc != LSCHED_OK) return rc;
        if (s->holes[0] && starts_here(k, a.leaf, decision_group)) return 0;
    }
    return 1;
}
