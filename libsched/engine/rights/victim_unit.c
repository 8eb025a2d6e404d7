/* victim_unit.c -- see victim_unit.h. */
#include "engine/rights/victim_unit.h"

#include "base/wide.h"
#include "model/demand/job_counts.h"
#include "model/jobs/task_row.h"

int victim_unit_has(const struct columns *k, const struct victim_unit *u, uint32_t task) {
    if (u->group == NO_ROW) return u->task == task;
    return k->c[C_TASK_JOB].u32[task] == u->job &&
           victim_unit_has_leaf(k, u->group, k->c[C_TASK_LEAF].u32[task]);
}

int victim_unit_spared(const struct columns *k, const struct victim_set *set, uint32_t job,
                       uint32_t group) {
    uint32_t shape = k->c[C_JOB_SHAPE].u32[job], n = k->c[C_JOBSHAPE_N_GROUPS].u32[shape],
             first = group_row(k, shape, 0), count[LSCHED_GROUPS_PER_JOB_MAX] = {0};
    for (uint32_t g = n; g-- > 0;) {
        int gone = g == group;
        uint32_t have = count[g];
        /* nominated tasks do not count, because the gang would run below its minimum until the
         * nominated room is free */
        if (k->c[C_GROUP_CHILDREN].u32[first + g] == 0) have = job_leaf_stands(k, job, g);
        for (uint32_t i = 0; set && i < set->n; i++) {
            const struct victim_unit *o = &set->unit[i];
            if (!o->chosen || o->job != job) continue;
            gone |= o->group == g;
            if (o->group == NO_ROW && !o->nominated && have > 0)
                have -= k->c[C_LEAF_GROUP].u32[k->c[C_TASK_LEAF].u32[o->task]] == g;
        }
        int good = !gone && have >= k->c[C_GROUP_MIN].u32[first + g];
        if (g == 0) return good;
        if (good) count[k->c[C_GROUP_PARENT].u32[first + g]]++;
    }
    return 0;
}

int64_t victim_unit_amount(const struct columns *k, const struct victim_unit *u, uint32_t r) {
    if (u->group == NO_ROW) return task_amount(k, u->task, r);
    int64_t sum = 0;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[u->job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        if (victim_unit_has_leaf(k, u->group, l)) sum += leaf_amount(k, l, r);
    return sum;
}

void victim_unit_amounts(const struct columns *k, const struct victim_unit *u, int64_t *amount) {
    for (uint32_t r = 0; r < KINDS_MAX; r++)
        amount[r] = r && r < meta(k, M_N_KINDS) ? victim_unit_amount(k, u, r) : 0;
}

/* Returns how many tasks of the leaf group go last, when all others of the unit are gone. A job
 * that can spare all its tasks goes one by one; then the tasks around the unit's task go last. */
static uint32_t last_tasks(const struct columns *k, const struct victim_unit *u, uint32_t g) {
    uint32_t min = k->c[C_GROUP_MIN].u32[group_row(k, k->c[C_JOB_SHAPE].u32[u->job], g)];
    if (u->group != 0 || !job_stands_done(k, u->job)) return min;
    if (k->c[C_LEAF_GROUP].u32[k->c[C_TASK_LEAF].u32[u->task]] != g) return 0;
    return min ? min : 1;
}

void victim_unit_surplus(const struct columns *k, const struct victim_unit *u, int64_t *amount) {
    memset(amount, 0, KINDS_MAX * sizeof *amount);
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[u->job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        if (!victim_unit_has_leaf(k, u->group, l)) continue;
        uint32_t g = k->c[C_LEAF_GROUP].u32[l], have = job_leaf_held(k, u->job, g),
                 min = last_tasks(k, u, g);
        uint32_t placed = k->c[C_LEAF_PLACED].u32[l];
        for (uint32_t r = 1; have > min && placed && r < meta(k, M_N_KINDS); r++)
            amount[r] += (int64_t)wide_mul_div((uint64_t)leaf_amount(k, l, r), have - min, placed,
                                               LSCHED_AMOUNT_MAX);
    }
}
