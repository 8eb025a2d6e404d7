/* members.c -- see members.h. */
#include "model/demand/members.h"

#include "model/shapes/leaf.h"

/* ---- the gang ---- */

/* The groups of a job, and the number of tasks in each leaf group that have a place or ended. */
struct group_counts {
    uint32_t first, n; /* first: GROUP row of the first of n groups */
    uint32_t held[LSCHED_GROUPS_PER_JOB_MAX], exist[LSCHED_GROUPS_PER_JOB_MAX];
};

static void members_count(const struct columns *k, uint32_t job, struct group_counts *c) {
    uint32_t shape = k->c[C_JOB_SHAPE].u32[job];
    c->n = k->c[C_JOBSHAPE_N_GROUPS].u32[shape];
    c->first = group_row(k, shape, 0);
    for (uint32_t g = 0; g < c->n && g < LSCHED_GROUPS_PER_JOB_MAX; g++) {
        c->held[g] = 0;
        c->exist[g] = group_members(k, c->first + g);
    }
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        c->held[k->c[C_LEAF_GROUP].u32[l]] = k->c[C_LEAF_PLACED].u32[l] + k->c[C_LEAF_DONE].u32[l];
}

/* True if the gang has its minimum with tasks[g] tasks in each leaf group g. */
static int members_are_whole(const struct columns *k, const struct group_counts *c,
                             const uint32_t *tasks) {
    uint32_t good[LSCHED_GROUPS_PER_JOB_MAX] = {0};
    for (uint32_t g = c->n; g-- > 0;) { /* children have higher indexes than their parents */
        uint32_t row = c->first + g;
        uint32_t have = k->c[C_GROUP_CHILDREN].u32[row] ? good[g] : tasks[g];
        int satisfied = have >= k->c[C_GROUP_MIN].u32[row];
        if (g == 0) return satisfied;
        good[k->c[C_GROUP_PARENT].u32[row]] += (uint32_t)satisfied;
    }
    return 0;
}

/* ---- what is missing ---- */

/* Finds the first leaf group whose existing tasks are fewer than its minimum, or if `all` is set,
 * than its size. */
static void find_short(const struct columns *k, const struct group_counts *c, int all,
                       struct members_lack *lack) {
    for (uint32_t g = 0; g < c->n; g++) {
        uint32_t row = c->first + g;
        uint32_t need = all ? k->c[C_GROUP_MAX].u32[row] : k->c[C_GROUP_MIN].u32[row];
        if (k->c[C_GROUP_CHILDREN].u32[row] || c->exist[g] >= need) continue;
        *lack = (struct members_lack){g, need, c->exist[g]};
        return;
    }
}

int members_lack_given(const struct columns *k, uint32_t job, struct members_lack *lack) {
    struct group_counts c;
    members_count(k, job, &c);
    if (!members_are_whole(k, &c, c.held)) {
        if (members_are_whole(k, &c, c.exist)) return 0;
        find_short(k, &c, 0, lack);
        return 1;
    }
    for (uint32_t g = 0; g < c.n; g++)
        if (k->c[C_GROUP_CHILDREN].u32[c.first + g] == 0 && c.held[g] < c.exist[g]) return 0;
    find_short(k, &c, 1, lack);
    return 1;
}

int members_suffice(const struct columns *k, uint32_t job) {
    struct group_counts c;
    if (!jobshape_is_partial(k, k->c[C_JOB_SHAPE].u32[job])) return 1;
    members_count(k, job, &c);
    return members_are_whole(k, &c, c.held) || members_are_whole(k, &c, c.exist);
}
