/*
 * check_releasing.c -- checks that for each releasing row (releasing.h) there is a task row with
 * the same index, and that the leaf and the cluster have the correct numbers of releasing rows.
 *
 * releasing.c relies on this check: to undo an eviction, it looks for the task row with the index
 * of the releasing row. That task row must exist, and its task must be waiting or nominated. This
 * check is the last one, because it reads lists and a hash index, which other checks must have
 * checked before.
 */
#include "model/check/check_releasing.h"

#include "model/store/index.h"

/* Returns the task row with the same job and task index as a releasing row: from a list, or for
 * larger jobs from the hash index T_IX_TASK. */
static uint32_t other_row(const struct columns *k, uint32_t releasing) {
    static const uint16_t lists[] = {C_LEAF_AGAIN_FIRST, C_LEAF_TASK_FIRST};
    uint32_t job = k->c[C_TASK_JOB].u32[releasing], index = k->c[C_TASK_INDEX].u32[releasing];
    if (k->c[C_JOBSHAPE_INDEXES].u32[k->c[C_JOB_SHAPE].u32[job]] > LIMIT_LISTED_TASKS) {
        struct index_key key = index_key_task(job, index);
        return index_find(k, T_IX_TASK, &key);
    }
    for (int i = 0; i < 2; i++)
        for (uint32_t t = k->c[lists[i]].u32[k->c[C_TASK_LEAF].u32[releasing]]; t != NO_ROW;
             t = k->c[C_TASK_NEXT].u32[t])
            if (k->c[C_TASK_INDEX].u32[t] == index) return t;
    return NO_ROW;
}

static int32_t check_releasing_rows(struct check *c, uint64_t *releasing, uint64_t *nominated) {
    const struct columns *k = c->k;
    EACH_LIVE(k, T_TASK, t) {
        *nominated += k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_NOMINATED;
        if (k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_RELEASING) continue;
        uint32_t other = other_row(k, t);
        uint32_t state = other == NO_ROW ? UINT32_MAX : k->c[C_TASK_STATE].u8[other];
        ++*releasing;
        if (state != LSCHED_TASK_NONE && state != LSCHED_TASK_NOMINATED)
            return check_fail(c,
                              "%s is releasing, but has no other row that is waiting or nominated",
                              NAME(T_TASK, t));
    }
    return LSCHED_OK;
}

static int32_t check_releasing_leaf(struct check *c, uint32_t leaf) {
    const struct columns *k = c->k;
    uint32_t releasing = 0, nominated = 0;
    for (uint32_t t = k->c[C_LEAF_LEAVING_FIRST].u32[leaf]; t != NO_ROW;
         t = k->c[C_TASK_NEXT].u32[t])
        releasing++;
    for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[leaf]; t != NO_ROW; t = k->c[C_TASK_NEXT].u32[t])
        nominated += k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_NOMINATED;
    if (k->c[C_LEAF_LEAVING].u32[leaf] == releasing &&
        k->c[C_LEAF_NOMINATED].u32[leaf] == nominated)
        return LSCHED_OK;
    return check_fail(c,
                      "%s, group %u: counts %u releasing and %u nominated tasks, but there are %u "
                      "and %u",
                      NAME(T_JOB, k->c[C_LEAF_JOB].u32[leaf]), k->c[C_LEAF_GROUP].u32[leaf],
                      k->c[C_LEAF_LEAVING].u32[leaf], k->c[C_LEAF_NOMINATED].u32[leaf], releasing,
                      nominated);
}

int32_t check_releasing(struct check *c) {
    const struct columns *k = c->k;
    uint64_t releasing = 0, nominated = 0;
    int32_t rc = check_releasing_rows(c, &releasing, &nominated);
    for (uint32_t l = 0; l < table_rows(k, T_LEAF) && rc == LSCHED_OK; l++)
        if (row_is_live(k, T_LEAF, l)) rc = check_releasing_leaf(c, l);
    if (rc != LSCHED_OK) return rc;
    if (meta(k, M_LEAVING) == releasing && meta(k, M_NOMINATED) == nominated) return LSCHED_OK;
    return check_fail(c,
                      "%llu releasing and %llu nominated tasks are counted, but there are %llu and "
                      "%llu",
                      (unsigned long long)meta(k, M_LEAVING),
                      (unsigned long long)meta(k, M_NOMINATED), (unsigned long long)releasing,
                      (unsigned long long)nominated);
}
