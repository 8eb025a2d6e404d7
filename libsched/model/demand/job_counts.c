/* job_counts.c -- see job_counts.h. */
#include "model/demand/job_counts.h"

#include "model/devices/device.h"

uint32_t job_leaf_held(const struct columns *k, uint32_t job, uint32_t group) {
    uint32_t l = job_leaf(k, job, group);
    return l == NO_ROW ? 0 : k->c[C_LEAF_PLACED].u32[l] + k->c[C_LEAF_DONE].u32[l];
}

struct job_counts job_count(const struct columns *k, uint32_t job) {
    struct job_counts n = {0, 0, 0};
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        n.placed += k->c[C_LEAF_PLACED].u32[l];
        n.running += k->c[C_LEAF_RUNNING].u32[l];
        n.done += k->c[C_LEAF_DONE].u32[l];
    }
    return n;
}

/* Which tasks of a leaf group count towards the group's minimum. */
enum members { MEMBERS_DONE, MEMBERS_WITHOUT_NOMINATIONS, MEMBERS_ALL };

static uint32_t members(const struct columns *k, uint32_t job, uint32_t group, enum members which) {
    uint32_t l = job_leaf(k, job, group);
    if (l == NO_ROW) return 0;
    if (which == MEMBERS_DONE) return k->c[C_LEAF_DONE].u32[l];
    uint32_t held = k->c[C_LEAF_PLACED].u32[l] + k->c[C_LEAF_DONE].u32[l];
    return which == MEMBERS_ALL ? held : held - k->c[C_LEAF_NOMINATED].u32[l];
}

static int satisfied_by(const struct columns *k, uint32_t job, enum members which) {
    uint32_t shape = k->c[C_JOB_SHAPE].u32[job], n = k->c[C_JOBSHAPE_N_GROUPS].u32[shape];
    uint32_t first = group_row(k, shape, 0), satisfied[LSCHED_GROUPS_PER_JOB_MAX];
    if (n == 1) return members(k, job, 0, which) >= k->c[C_GROUP_MIN].u32[first];
    memset(satisfied, 0, n * sizeof *satisfied); /* clears only the groups that the job has */
    for (uint32_t g = n; g-- > 0;) {
        uint32_t need = k->c[C_GROUP_MIN].u32[first + g];
        int leaf = k->c[C_GROUP_CHILDREN].u32[first + g] == 0;
        int good = leaf ? members(k, job, g, which) >= need : satisfied[g] >= need;
        if (g == 0) return good;
        if (good) satisfied[k->c[C_GROUP_PARENT].u32[first + g]]++;
    }
    return 0;
}

uint32_t job_leaf_stands(const struct columns *k, uint32_t job, uint32_t group) {
    return members(k, job, group, MEMBERS_WITHOUT_NOMINATIONS);
}

int job_satisfied(const struct columns *k, uint32_t job) {
    return satisfied_by(k, job, MEMBERS_ALL);
}

int job_stands(const struct columns *k, uint32_t job) {
    return satisfied_by(k, job, MEMBERS_WITHOUT_NOMINATIONS);
}

int job_stands_done(const struct columns *k, uint32_t job) {
    return satisfied_by(k, job, MEMBERS_DONE);
}

/* What a task counts for GPUs whose charge depends on the device: the nominal share, or the least
 * charge that it can have. */
enum need_as { AS_NOMINAL, AS_CHEAPEST };

static void need_add(const struct columns *k, uint32_t shape, int64_t n, enum need_as as,
                     int64_t *need) {
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
        need[r] += n * (r == LSCHED_GPU && as == AS_CHEAPEST ? shape_cheapest_milli(k, shape)
                                                             : k->c[C_SHAPE_REQ + r].i64[shape]);
}

/* Keeps as many of a group's children as the group needs: the children that lack the fewest
 * tasks, so satisfied children first. The other children are dropped, and their missing tasks do
 * not count. */
static void drop_needless(const struct columns *k, uint32_t first, uint32_t n, uint32_t group,
                          const uint32_t *sum, uint8_t *dropped) {
    uint32_t kept = 0, need = k->c[C_GROUP_MIN].u32[first + group];
    for (; kept < need; kept++) {
        uint32_t best = NO_ROW;
        for (uint32_t g = group + 1; g < n; g++)
            if (k->c[C_GROUP_PARENT].u32[first + g] == group && dropped[g] == 2 &&
                (best == NO_ROW || sum[g] < sum[best]))
                best = g;
        if (best == NO_ROW) break;
        dropped[best] = 0;
    }
    for (uint32_t g = group + 1; g < n; g++)
        if (k->c[C_GROUP_PARENT].u32[first + g] == group && dropped[g] == 2) dropped[g] = 1;
}

void group_lacks(const struct columns *k, uint32_t job, uint32_t group,
                 uint32_t lacks[LSCHED_GROUPS_PER_JOB_MAX]) {
    uint32_t jobshape = k->c[C_JOB_SHAPE].u32[job], n = k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape],
             first = group_row(k, jobshape, 0), sum[LSCHED_GROUPS_PER_JOB_MAX];
    uint8_t dropped[LSCHED_GROUPS_PER_JOB_MAX];
    memset(lacks, 0, LSCHED_GROUPS_PER_JOB_MAX * sizeof *lacks);
    memset(dropped, 2, sizeof dropped); /* 2: not decided yet */
    for (uint32_t g = n; g-- > 0;) {
        sum[g] = 0;
        if (k->c[C_GROUP_CHILDREN].u32[first + g] == 0) {
            uint32_t held = job_leaf_held(k, job, g), min = k->c[C_GROUP_MIN].u32[first + g];
            sum[g] = lacks[g] = held < min ? min - held : 0;
            /* a group whose minimum does not exist yet comes after all others */
            if (group_members(k, first + g) < min) sum[g] += LSCHED_TASKS_PER_JOB_MAX;
            continue;
        }
        drop_needless(k, first, n, g, sum, dropped);
        for (uint32_t c = g + 1; c < n; c++)
            if (k->c[C_GROUP_PARENT].u32[first + c] == g && !dropped[c]) sum[g] += sum[c];
    }
    for (uint32_t g = 0; g < n; g++) { /* a parent has a lower index than its children */
        if (g <= group)
            dropped[g] = g < group;
        else
            dropped[g] |= dropped[k->c[C_GROUP_PARENT].u32[first + g]];
        if (dropped[g]) lacks[g] = 0;
    }
}

void job_lacks(const struct columns *k, uint32_t job, uint32_t lacks[LSCHED_GROUPS_PER_JOB_MAX]) {
    group_lacks(k, job, 0, lacks);
}

static void next_need(const struct columns *k, uint32_t job, enum need_as as, int64_t *need) {
    uint32_t jobshape = k->c[C_JOB_SHAPE].u32[job], n = k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape],
             first = group_row(k, jobshape, 0), lacks[LSCHED_GROUPS_PER_JOB_MAX];
    int satisfied = job_satisfied(k, job);
    if (!satisfied && n == 1) { /* most jobs have one group, and no group to choose from */
        need_add(k, leaf_shape(k, job, 0), k->c[C_GROUP_MIN].u32[first] - job_leaf_held(k, job, 0),
                 as, need);
        return;
    }
    if (!satisfied) job_lacks(k, job, lacks);
    for (uint32_t g = 0; g < n; g++) {
        uint32_t shape = leaf_shape(k, job, g);
        if (shape == NO_ROW) continue;
        if (!satisfied && lacks[g]) need_add(k, shape, lacks[g], as, need);
        if (!satisfied || job_leaf_held(k, job, g) >= group_members(k, first + g)) continue;
        need_add(k, shape, 1, as, need);
        return;
    }
}

void job_next_need(const struct columns *k, uint32_t job, int64_t *need) {
    next_need(k, job, AS_NOMINAL, need);
}

void job_least_need(const struct columns *k, uint32_t job, int64_t *need) {
    next_need(k, job, AS_CHEAPEST, need);
}
