/* members.c -- see members.h. */
#include "model/life/members.h"

#include "model/jobs/bundle.h"
#include "model/jobs/job_counts.h"

/* True if the job could be at its minimum if each task that exists had a place. */
static int can_be_satisfied(const struct columns *k, uint32_t first, uint32_t n) {
    uint32_t satisfied[LSCHED_GROUPS_PER_JOB_MAX] = {0};
    for (uint32_t g = n; g-- > 0;) {
        uint32_t row = first + g, need = k->c[C_GROUP_MIN].u32[row];
        int leaf = k->c[C_GROUP_CHILDREN].u32[row] == 0;
        int good = (leaf ? group_members(k, row) : satisfied[g]) >= need;
        if (g == 0) return good;
        if (good) satisfied[k->c[C_GROUP_PARENT].u32[row]]++;
    }
    return 0;
}

/* Finds the first leaf group whose existing tasks are fewer than its minimum, or if `all` is set,
 * than its size. */
static void find_short(const struct columns *k, uint32_t first, uint32_t n, int all,
                       struct members_lack *lack) {
    for (uint32_t g = 0; g < n; g++) {
        uint32_t row = first + g;
        uint32_t need = all ? k->c[C_GROUP_MAX].u32[row] : k->c[C_GROUP_MIN].u32[row];
        if (k->c[C_GROUP_CHILDREN].u32[row] || group_members(k, row) >= need) continue;
        *lack = (struct members_lack){g, need, group_members(k, row)};
        return;
    }
}

int members_lack_of(const struct columns *k, uint32_t job, struct members_lack *lack) {
    uint32_t shape = k->c[C_JOB_SHAPE].u32[job], n = k->c[C_JOBSHAPE_N_GROUPS].u32[shape],
             first = group_row(k, shape, 0);
    if (!jobshape_is_partial(k, shape)) return 0;
    if (!job_satisfied(k, job)) {
        if (can_be_satisfied(k, first, n)) return 0;
        find_short(k, first, n, 0, lack);
        return 1;
    }
    for (uint32_t g = 0; g < n; g++)
        if (k->c[C_GROUP_CHILDREN].u32[first + g] == 0 &&
            job_leaf_held(k, job, g) < group_members(k, first + g))
            return 0;
    find_short(k, first, n, 1, lack);
    return 1;
}

int32_t members_park(struct columns *k, uint32_t job) {
    struct members_lack lack;
    if (!members_lack_of(k, job, &lack)) return 0;
    struct park_reason why = {.code = LSCHED_WAIT_MEMBERS,
                              .group = lack.group,
                              .need = lack.need,
                              .have = lack.have,
                              .limiting_queue = NO_ROW};
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    /* a bundle of several jobs has jobs without tasks, and all of them lack the same members */
    uint32_t b = k->c[C_JOB_BUNDLE].u32[job];
    bundle_park_until(k, b, LSCHED_NEVER_US, &why);
    set_u64(k, C_BUNDLE_TRIED, b, meta(k, M_CYCLE));
    return 1;
}
