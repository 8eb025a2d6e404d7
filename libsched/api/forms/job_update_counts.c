/* job_update_counts.c -- see job_update_counts.h. */
#include "api/forms/job_update_counts.h"

#include "base/text_out.h"
#include "model/demand/job_counts.h"
#include "model/jobs/job_limits.h"
#include "model/jobs/task_row.h"
#include "model/shapes/leaf.h"

static int is_leaf(const struct columns *k, uint32_t row) {
    return k->c[C_GROUP_CHILDREN].u32[row] == 0;
}

/* Reads the number of tasks with which a group really started whose size is chosen at its start. */
static int32_t read_started(const struct columns *k, uint32_t row, const lsched_group_count *n,
                            uint32_t g, struct job_update_counts *out, lsched_error *err) {
    if (n->started == 0) return LSCHED_OK;
    if (!k->c[C_GROUP_FIXED].u8[row])
        return fail(err, LSCHED_E_INVAL,
                    "group %u: started is %u, but its size is not fixed at its start", g,
                    n->started);
    if (k->c[C_GROUP_SIZE].u32[row] == 0)
        return fail(err, LSCHED_E_STATE,
                    "group %u: started is %u, but none of its tasks has a place or is done", g,
                    n->started);
    out->of[g].size = n->started;
    return LSCHED_OK;
}

static int32_t read_leaf(const struct columns *k, uint32_t row, const lsched_group_count *n,
                         uint32_t g, struct job_update_counts *out, lsched_error *err) {
    if (n->min_groups)
        return fail(err, LSCHED_E_INVAL,
                    "group %u has no groups; min_groups is %u, but only max_count, min_count, "
                    "members and started can change",
                    g, n->min_groups);
    if (n->max_count) out->of[g].max = n->max_count;
    if (n->min_count) out->of[g].min = n->min_count == LSCHED_MIN_NONE ? 0 : n->min_count;
    if (n->members) out->of[g].members = n->members == LSCHED_NO_MEMBERS ? 0 : n->members;
    if (n->members && out->of[g].members > out->of[g].max)
        return fail(err, LSCHED_E_RANGE,
                    "group %u: members is %u, but it has only %s; raise max_count, too", g,
                    out->of[g].members, counted(out->of[g].max, "task").text);
    if (out->of[g].members >= out->of[g].max) out->of[g].members = UINT32_MAX;
    if (k->c[C_GROUP_FIXED].u8[row] && out->of[g].min == 0)
        return fail(err, LSCHED_E_RANGE,
                    "group %u: its size is fixed at its start, so its minimum is at least 1", g);
    if (out->of[g].min <= out->of[g].max) return read_started(k, row, n, g, out, err);
    return fail(
        err, LSCHED_E_RANGE,
        "group %u: the minimum is %s, but the group has %u; give a smaller min_count or a larger "
        "max_count",
        g, counted(out->of[g].min, "task").text, out->of[g].max);
}

static int32_t read_inner(const struct columns *k, uint32_t row, const lsched_group_count *n,
                          uint32_t g, struct job_update_counts *out, lsched_error *err) {
    if (n->max_count || n->min_count || n->members || n->started)
        return fail(err, LSCHED_E_INVAL,
                    "group %u contains groups and has no tasks of its own; only min_groups can "
                    "change",
                    g);
    if (n->min_groups > k->c[C_GROUP_CHILDREN].u32[row])
        return fail(err, LSCHED_E_RANGE,
                    "group %u: a minimum of %s; expected at most %u, the groups in it", g,
                    counted(n->min_groups, "group").text, k->c[C_GROUP_CHILDREN].u32[row]);
    if (n->min_groups) out->of[g].min = n->min_groups;
    return LSCHED_OK;
}

/* Checks that the tasks of a leaf group are a whole number of task blocks, on each level. */
static int32_t check_blocks(const struct columns *k, uint32_t row, uint32_t g,
                            const struct job_update_counts *n, lsched_error *err) {
    for (uint32_t i = 0; i < k->c[C_GROUP_N_SLICES].u8[row]; i++) {
        uint32_t whole = k->c[C_GROUP_SLICE_TASKS0 + i].u32[row];
        if (n->of[g].max % whole == 0 && n->of[g].min % whole == 0) continue;
        return fail(
            err, LSCHED_E_RANGE,
            "group %u: its minimum is %u and its maximum %u; both must be multiples of its task "
            "blocks of %u",
            g, n->of[g].min, n->of[g].max, whole);
    }
    return LSCHED_OK;
}

/* Returns the number of tasks of the leaf that are being stopped and have no new place. Such a task
 * runs on if its eviction is rejected or withdrawn, so it exists until its end is reported. */
static uint32_t may_run_on(const struct columns *k, uint32_t leaf) {
    uint32_t n = 0;
    for (uint32_t t = k->c[C_LEAF_LEAVING_FIRST].u32[leaf]; t != NO_ROW;
         t = k->c[C_TASK_NEXT].u32[t]) {
        uint32_t task = task_find(k, k->c[C_TASK_JOB].u32[t], k->c[C_TASK_INDEX].u32[t]);
        n += task == NO_ROW || k->c[C_TASK_STATE].u8[task] == LSCHED_TASK_NONE;
    }
    return n;
}

/* Checks the number of tasks of a leaf group that exist. held: its tasks with a place or done */
static int32_t check_members(const struct columns *k, uint32_t row, uint32_t leaf, uint32_t g,
                             uint32_t members, uint32_t held, lsched_error *err) {
    uint32_t block = k->c[C_GROUP_N_SLICES].u8[row] ? k->c[C_GROUP_SLICE_TASKS0].u32[row] : 1;
    uint32_t exist = members / block * block;
    if (exist < held)
        return fail(
            err, LSCHED_E_STATE,
            "group %u: %s, but the tasks with a place or done are %u; end or lose such tasks first",
            g, counted(members, "member").text, held);
    if (exist >= k->c[C_GROUP_SPAN].u32[row]) return LSCHED_OK;
    uint32_t leave = may_run_on(k, leaf);
    if (exist >= held + leave) return LSCHED_OK;
    return fail(err, LSCHED_E_STATE,
                "group %u: %s, but the tasks with a place, done or being stopped are %u; report "
                "first that stopped tasks are gone",
                g, counted(members, "member").text, held + leave);
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
    if (n->of[g].max < used)
        return fail(err, LSCHED_E_STATE,
                    "group %u: a maximum of %u, but its task %u had a place; the maximum is at "
                    "least %u until no task of the group has one",
                    g, n->of[g].max, k->c[C_GROUP_BASE].u32[row] + used - 1, used);
    if (n->of[g].max == k->c[C_LEAF_DONE].u32[leaf])
        return fail(err, LSCHED_E_STATE,
                    "group %u: all of its %s would be done; complete the job instead", g,
                    counted(n->of[g].max, "task").text);
    int32_t rc = check_members(k, row, leaf, g, n->of[g].members, held, err);
    if (rc != LSCHED_OK) return rc;
    if (n->of[g].min > old_min && n->of[g].min > held)
        return fail(
            err, LSCHED_E_STATE,
            "group %u: a minimum of %u, but it has %s; while the job has tasks, a minimum cannot "
            "be raised above their number",
            g, n->of[g].min, counted(held, "task").text);
    return LSCHED_OK;
}

static int32_t check_rows(const struct columns *k, uint32_t job, uint32_t g, uint64_t base,
                          const struct job_update_counts *n, uint32_t old_min, lsched_error *err) {
    uint32_t row = group_row(k, k->c[C_JOB_SHAPE].u32[job], g), leaf = job_leaf(k, job, g);
    if (k->c[C_JOB_LEAVES].u32[job] == NO_ROW) return LSCHED_OK;
    if (!is_leaf(k, row) || leaf == NO_ROW) {
        if (n->of[g].min <= old_min) return LSCHED_OK;
        return fail(err, LSCHED_E_STATE,
                    "group %u: a minimum of %u, but %u now; while the job has tasks, the minimum "
                    "of a group without tasks of its own cannot be raised",
                    g, n->of[g].min, old_min);
    }
    return check_leaf_rows(k, row, leaf, g, base, n, old_min, err);
}

/* Checks the size that was chosen when the group started. It can only become smaller, down to the
 * tasks that the group has. */
static int32_t check_chosen_size(const struct columns *k, uint32_t job, uint32_t g,
                                 const struct group_sizes *n, lsched_error *err) {
    uint32_t row = group_row(k, k->c[C_JOB_SHAPE].u32[job], g), was = k->c[C_GROUP_SIZE].u32[row],
             held = job_leaf_held(k, job, g), block = k->c[C_GROUP_SLICE_TASKS0].u32[row],
             leaf = job_leaf(k, job, g);
    if (n->size == 0) return LSCHED_OK;
    if (n->size > n->max || n->size < n->min)
        return fail(
            err, LSCHED_E_STATE,
            "group %u started with %s; while the job has tasks, this size must stay between the "
            "minimum and the maximum, which would be %u and %u",
            g, counted(n->size, "task").text, n->min, n->max);
    if (n->size > was || n->size < held)
        return fail(err, LSCHED_E_STATE,
                    "group %u: started is %u, but its size is %u and %u of its tasks have a place "
                    "or are done; the size can only become smaller, down to these tasks",
                    g, n->size, was, held);
    uint32_t leave = n->size < was && leaf != NO_ROW ? may_run_on(k, leaf) : 0;
    if (n->size < held + leave)
        return fail(
            err, LSCHED_E_STATE,
            "group %u: started is %u, but the tasks with a place, done or being stopped are "
            "%u; report first that stopped tasks are gone",
            g, n->size, held + leave);
    if (block && n->size % block)
        return fail(err, LSCHED_E_RANGE,
                    "group %u: started is %u, which is not a multiple of its task blocks of %u "
                    "tasks",
                    g, n->size, block);
    return LSCHED_OK;
}

/* Returns the minimum that the orchestrator gave to the group. */
static uint32_t given_min(const struct columns *k, uint32_t job, uint32_t g) {
    uint32_t shape = k->c[C_JOB_SHAPE].u32[job];
    return job_minimum_replaced(k, job) ? job_minimum_submitted(k, job)
                                        : k->c[C_GROUP_LEAST].u32[group_row(k, shape, g)];
}

static uint32_t members_now(const struct columns *k, uint32_t row) {
    uint32_t n = k->c[C_GROUP_MEMBERS].u32[row];
    return n < k->c[C_GROUP_SPAN].u32[row] ? n : UINT32_MAX;
}

/* n: number of the job's groups, whose counts *out has */
static int32_t check_all(const struct columns *k, uint32_t job, uint32_t n,
                         struct job_update_counts *out, lsched_error *err) {
    uint32_t shape = k->c[C_JOB_SHAPE].u32[job];
    uint64_t base = 0;
    int32_t rc = LSCHED_OK;
    for (uint32_t g = 0; g < n && rc == LSCHED_OK; g++) {
        uint32_t row = group_row(k, shape, g), min = given_min(k, job, g);
        out->changed |= out->of[g].min != min || out->of[g].max != k->c[C_GROUP_SPAN].u32[row] ||
                        out->of[g].members != members_now(k, row) ||
                        out->of[g].size != k->c[C_GROUP_SIZE].u32[row];
        rc = check_rows(k, job, g, base, out, min, err);
        if (rc == LSCHED_OK) rc = check_chosen_size(k, job, g, &out->of[g], err);
        if (rc == LSCHED_OK) rc = check_blocks(k, row, g, out, err);
        if (is_leaf(k, row)) base += out->of[g].max;
    }
    if (rc == LSCHED_OK && base > LSCHED_TASKS_PER_JOB_MAX)
        return fail(err, LSCHED_E_LIMIT, "the job would have %s; at most %d",
                    counted(base, "task").text, LSCHED_TASKS_PER_JOB_MAX);
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
        out->of[g].min = given_min(k, job, g);
        out->of[g].max = k->c[C_GROUP_SPAN].u32[group_row(k, shape, g)];
        out->of[g].size = k->c[C_GROUP_SIZE].u32[group_row(k, shape, g)];
        out->of[g].members = members_now(k, group_row(k, shape, g));
    }
    for (uint32_t i = 0; i < u->n_counts; i++) {
        lsched_group_count n;
        rc = arg_struct(&n, sizeof n, (const char *)u->counts + i * stride, stride, "group count",
                        err);
        if (rc == LSCHED_OK)
            rc = arg_reserved_at(n.reserved2_zero, "reserved2_zero", NULL, "group count", i, err);
        if (rc == LSCHED_OK && n.group >= groups)
            rc = fail(err, LSCHED_E_RANGE, "group %u; the job has %s, the first is 0", n.group,
                      counted(groups, "group").text);
        if (rc != LSCHED_OK) return rc;
        uint32_t row = group_row(k, shape, n.group);
        rc = is_leaf(k, row) ? read_leaf(k, row, &n, n.group, out, err)
                             : read_inner(k, row, &n, n.group, out, err);
        if (rc != LSCHED_OK) return rc;
    }
    return check_all(k, job, groups, out, err);
}
