/* ask.c -- see ask.h. */
#include "engine/indexes/ask.h"

void ask_open(struct ask *a, const struct columns *k, uint32_t job, uint32_t group) {
    a->job = job;
    a->group = group;
    a->jobshape = k->c[C_JOB_SHAPE].u32[job];
    a->row = group_row(k, a->jobshape, group);
    a->queue = k->c[C_JOB_QUEUE].u32[job];
    a->min = k->c[C_GROUP_MIN].u32[a->row];
    a->max = k->c[C_GROUP_MAX].u32[a->row];
    a->span = k->c[C_GROUP_SPAN].u32[a->row];
    ask_renew(a, k);
}

void ask_renew(struct ask *a, const struct columns *k) {
    a->leaf = job_leaf(k, a->job, a->group);
    a->alternative = a->leaf == NO_ROW ? 0 : k->c[C_LEAF_ALTERNATIVE].u8[a->leaf];
    a->held =
        a->leaf == NO_ROW ? 0 : k->c[C_LEAF_PLACED].u32[a->leaf] + k->c[C_LEAF_DONE].u32[a->leaf];
    a->shape = group_alternative(k, a->row, a->alternative);
}

int ask_is_fresh(const struct ask *a, const struct columns *k) {
    struct ask now;
    ask_open(&now, k, a->job, a->group);
    return a->jobshape == now.jobshape && a->row == now.row && a->queue == now.queue &&
           a->min == now.min && a->max == now.max && a->span == now.span && a->leaf == now.leaf &&
           a->shape == now.shape && a->held == now.held && a->alternative == now.alternative;
}
