/* job_update_counts.c -- see job_update_counts.h. */
#include "api/forms/job_update_counts.h"

#include "model/jobs/job_limits.h"
#include "model/shapes/leaf.h"

static int is_leaf(const struct columns *k, uint32_t row) {
    return k->c[C_GROUP_CHILDREN].u32[row] == 0;
}

static int32_t read_leaf(const lsched_group_count *n, uint32_t g, struct job_update_counts *out,
                         lsched_error *err) {
    if (n->min_groups)
        return fail(err, LSCHED_E_INVAL,
                    "group %u has no groups; min_groups is %u, but only max_count, min_count "
                    "and members can change",
                    g, n->min_groups);
    if (n->max_count) out->max[g] = n->max_count;
    if (n->min_count) out->min[g] = n->min_count == LSCHED_MIN_NONE ? 0 : n->min_count;
    if (n->members) out->members[g] = n->members == LSCHED_NO_MEMBERS ? 0 : n->members;
    if (n->members && out->members[g] > out->max[g])
        return fail(err, LSCHED_E_RANGE,
                    "group %u: %u members exist, but it has only %u tasks; give max_count, too", g,
                    out->members[g], out->max[g]);
    if (out->members[g] >= out->max[g]) out->members[g] = UINT32_MAX;
    if (out->min[g] <= out->max[g]) return LSCHED_OK;
    return fail(err, LSCHED_E_RANGE,
                "group %u: the minimum is %u tasks, but there are only %u; give min_count, too", g,
                out->min[g], out->max[g]);
}

static int32_t read_inner(const struct columns *k, uint32_t row, const lsched_group_count *n,
                          uint32_t g, struct job_update_counts *out, lsched_error *err) {
    if (n->max_count || n->min_count || n->members)
        return fail(err, LSCHED_E_INVAL,
                    "group %u contains groups and has no tasks of its own; only min_groups can "
                    "change",
                    g);
    if (n->min_groups > k->c[C_GROUP_CHILDREN].u32[row])
        return fail(err, LSCHED_E_RANGE, "group %u: a minimum of %u groups of %u", g, n->min_groups,
                    k->c[C_GROUP_CHILDREN].u32[row]);
    if (n->min_groups) out->min[g] = n->min_groups;
    return LSCHED_OK;
}

/* Checks that the tasks of a leaf group are a whole number of task blocks, on each level. */
static int32_t check_blocks(const struct columns *k, uint32_t row, uint32_t g,
                            const struct job_update_counts *n, lsched_error *err) {
    for (uint32_t i = 0; i < k->c[C_GROUP_N_SLICES].u8[row]; i++) {
        uint32_t whole = k->c[C_GROUP_SLICE_TASKS0 + i].u32[row];
        if (n->max[g] % whole == 0 && n->min[g] % whole == 0) continue;
        return fail(err, LSCHED_E_RANGE,
                    "group %u: %u to %u tasks are not a multiple of its task blocks of %u tasks", g,
                    n->min[g], n->max[g], whole);
    }
    return LSCHED_OK;
}

/* Checks the numbers of a group that has, or had, placed tasks. base: the new index of the group's
 * first task. */
static int32_t check_leaf_rows(const struct columns *k, uint32_t row, uint32_t leaf, uint32_t g,
                               uint64_t base, const struct job_update_counts *n, uint32_t old_min,
                               lsched_error *err) {
    uint32_t used = k->c[C_LEAF_FRESH].u32[leaf];
    uint32_t held = k->c[C_LEAF_PLACED].u32[leaf] + k->c[C_LEAF_DONE].u32[leaf];
    if (base != k->c[C_GROUP_BASE].u32[row])
        return fail(err, LSCHED_E_STATE,
                    "the tasks of group %u would get other indexes, but some have a place; change "
                    "the maximum of its last group only, or wait until no task has a place",
                    g);
    if (n->max[g] < used)
        return fail(err, LSCHED_E_STATE,
                    "group %u: a maximum of %u, but its task %u had a place; the maximum is at "
                    "least %u until no task of the group has one",
                    g, n->max[g], k->c[C_GROUP_BASE].u32[row] + used - 1, used);
    if (n->max[g] == k->c[C_LEAF_DONE].u32[leaf])
        return fail(err, LSCHED_E_STATE,
                    "group %u: %u tasks are done, and no other would be left; complete the job "
                    "instead",
                    g, n->max[g]);
    uint32_t block = k->c[C_GROUP_N_SLICES].u8[row] ? k->c[C_GROUP_SLICE_TASKS0].u32[row] : 1;
    if (n->members[g] / block * block < held)
        return fail(err, LSCHED_E_STATE,
                    "group %u: %u members, but %u of its tasks have a place or are done; end or "
                    "lose these tasks first",
                    g, n->members[g], held);
    if (n->min[g] > old_min && n->min[g] > held)
        return fail(err, LSCHED_E_STATE,
                    "group %u: a minimum of %u, but it has %u tasks; while the job has tasks, a "
                    "minimum cannot be raised above their number",
                    g, n->min[g], held);
    return LSCHED_OK;
}

static int32_t check_rows(const struct columns *k, uint32_t job, uint32_t g, uint64_t base,
                          const struct job_update_counts *n, uint32_t old_min, lsched_error *err) {
    uint32_t row = group_row(k, k->c[C_JOB_SHAPE].u32[job], g), leaf = job_leaf(k, job, g);
    if (k->c[C_JOB_LEAVES].u32[job] == NO_ROW) return LSCHED_OK;
    if (!is_leaf(k, row) || leaf == NO_ROW) {
        if (n->min[g] <= old_min) return LSCHED_OK;
        return fail(err, LSCHED_E_STATE,
                    "group %u: a minimum of %u, but %u now; while the job has tasks, the minimum "
                    "of a group without tasks of its own cannot be raised",
                    g, n->min[g], old_min);
    }
    return check_leaf_rows(k, row, leaf, g, base, n, old_min, err);
}

/* Returns the minimum that the orchestrator gave to the group. */
static uint32_t given_min(const struct columns *k, uint32_t job, uint32_t g) {
    uint32_t shape = k->c[C_JOB_SHAPE].u32[job];
    return job_minimum_replaced(k, job) ? job_minimum_submitted(k, job)
                                        : k->c[C_GROUP_MIN].u32[group_row(k, shape, g)];
}

static uint32_t members_now(const struct columns *k, uint32_t row) {
    uint32_t n = k->c[C_GROUP_MEMBERS].u32[row];
    return n < k->c[C_GROUP_MAX].u32[row] ? n : UINT32_MAX;
}

/* n: number of the job's groups, whose counts *out has */
static int32_t check_all(const struct columns *k, uint32_t job, uint32_t n,
                         struct job_update_counts *out, lsched_error *err) {
    uint32_t shape = k->c[C_JOB_SHAPE].u32[job];
    uint64_t base = 0;
    int32_t rc = LSCHED_OK;
    for (uint32_t g = 0; g < n && rc == LSCHED_OK; g++) {
        uint32_t row = group_row(k, shape, g), min = given_min(k, job, g);
        out->changed |= out->min[g] != min || out->max[g] != k->c[C_GROUP_MAX].u32[row] ||
                        out->members[g] != members_now(k, row);
        rc = check_rows(k, job, g, base, out, min, err);
        if (rc == LSCHED_OK) rc = check_blocks(k, row, g, out, err);
        if (is_leaf(k, row)) base += out->max[g];
    }
    if (rc == LSCHED_OK && base > LSCHED_TASKS_PER_JOB_MAX)
        return fail(err, LSCHED_E_LIMIT, "the job would have %llu tasks; at most %d",
                    (unsigned long long)base, LSCHED_TASKS_PER_JOB_MAX);
    return rc;
}

int32_t job_update_counts_read(const struct columns *k, uint32_t job, const lsched_job_update *u,
                               struct job_update_counts *out, lsched_error *err) {
    uint32_t shape = k->c[C_JOB_SHAPE].u32[job], groups = k->c[C_JOBSHAPE_N_GROUPS].u32[shape];
    size_t stride = 0;
    out->changed = 0;
    if (u->n_counts && !u->counts) return fail(err, LSCHED_E_NULL, "counts is NULL");
    int32_t rc = arg_stride(u->counts, u->n_counts, u->count_elem_size, "counts", &stride, err);
    if (rc != LSCHED_OK) return rc;
    for (uint32_t g = 0; g < groups; g++) {
        out->min[g] = given_min(k, job, g);
        out->max[g] = k->c[C_GROUP_MAX].u32[group_row(k, shape, g)];
        out->members[g] = members_now(k, group_row(k, shape, g));
    }
    for (uint32_t i = 0; i < u->n_counts; i++) {
        lsched_group_count n;
        rc = arg_struct(&n, sizeof n, (const char *)u->counts + i * stride, stride, "group count",
                        err);
        if (rc == LSCHED_OK && n.group >= groups)
            rc = fail(err, LSCHED_E_RANGE, "group %u; the job has %u groups, the first is 0",
                      n.group, groups);
        if (rc != LSCHED_OK) return rc;
        uint32_t row = group_row(k, shape, n.group);
        rc = is_leaf(k, row) ? read_leaf(&n, n.group, out, err)
                             : read_inner(k, row, &n, n.group, out, err);
        if (rc != LSCHED_OK) return rc;
    }
    return check_all(k, job, groups, out, err);
}
