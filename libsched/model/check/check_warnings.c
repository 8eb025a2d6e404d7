/* check_warnings.c -- see check_warnings.h. Cost: O(tasks + jobs with a row of WATCH). */
#include "model/check/check_warnings.h"

#include "model/shapes/job_states.h"

/* Checks that exactly the tasks that have a place or are releasing have a row. */
static int32_t check_warned_tasks(struct check *c) {
    const struct columns *k = c->k;
    int on = meta(k, M_WARN_LEAD) != 0;
    EACH_LIVE(k, T_TASK, t) {
        uint8_t state = k->c[C_TASK_STATE].u8[t];
        uint32_t row = k->c[C_TASK_WARN].u32[t];
        int wanted = on && (task_placed(state) || state == LSCHED_TASK_RELEASING);
        if (wanted != (row != 0) ||
            (row && (!row_is_live(k, T_WARN, row - 1) || k->c[C_WARN_TASK].u32[row - 1] != t)))
            return check_fail(c, "%s in state %u has the wrong row of warnings", NAME(T_TASK, t),
                              state);
    }
    EACH_LIVE(k, T_WARN, row) {
        uint32_t task = k->c[C_WARN_TASK].u32[row];
        if (k->c[C_TASK_WARN].u32[task] != row + 1)
            return check_fail(c, "%s has another row of warnings than the one that names it",
                              NAME(T_TASK, task));
        if (k->c[C_TASK_STATE].u8[task] != LSCHED_TASK_RUNNING &&
            k->c[C_WARN_AT].i64[row] != LSCHED_NEVER_US)
            return check_fail(c, "%s does not run, but a cycle is to look whether it ends",
                              NAME(T_TASK, task));
    }
    return LSCHED_OK;
}

static int32_t check_warning_times(struct check *c) {
    static const uint32_t times[] = {C_WARN_AT, C_WARN_LIMIT, C_WARN_ALLOWANCE, C_WARN_NODE,
                                     C_WARN_RETRY};
    const struct columns *k = c->k;
    EACH_LIVE(k, T_WARN, row)
        for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
            if (k->c[times[i]].i64[row] < 0)
                return check_fail(c, "%s was told an end at a time below 0",
                                  NAME(T_TASK, k->c[C_WARN_TASK].u32[row]));
    EACH_LIVE(k, T_ALLOWANCE, a)
        if (k->c[C_ALLOWANCE_TOLD].i64[a] < 0 ||
            (k->c[C_ALLOWANCE_TOLD].i64[a] && !meta(k, M_WARN_LEAD)))
            return check_fail(c, "an allowance has told its end, and nobody asks for warnings");
    if ((int64_t)meta(k, M_WARN_LEAD) < 0 || meta(k, M_WARN_TERMS) > 7 ||
        (meta(k, M_WARN_TERMS) && !meta(k, M_WARN_LEAD)))
        return check_fail(c, "the terms of warnings are out of range");
    return LSCHED_OK;
}

/* Checks the list of jobs whose due time has changed. */
static int32_t check_warning_news(struct check *c) {
    const struct columns *k = c->k;
    uint32_t marked = 0, n = 0, prev = NO_ROW, w = (uint32_t)meta(k, M_WARN_NEWS);
    EACH_LIVE(k, T_WATCH, row) marked += k->c[C_WATCH_NEWS].u8[row];
    for (; w != NO_ROW && n <= marked; prev = w, w = k->c[C_WATCH_NEWS_NEXT].u32[w], n++)
        if (!row_is_live(k, T_WATCH, w) || !k->c[C_WATCH_NEWS].u8[w] ||
            k->c[C_WATCH_NEWS_PREV].u32[w] != prev)
            return check_fail(c, "the list of jobs with another due time has a wrong link");
    return n == marked
               ? LSCHED_OK
               : check_fail(c, "%u jobs have another due time, but %u are in the list", marked, n);
}

/* Checks that a WARN tells an end after its own time, and why, and that no other decision is for
 * an absence. */
static int32_t check_warning_decision(struct check *c, uint32_t d) {
    const struct columns *k = c->k;
    uint32_t reason = k->c[C_DECISION_REASON].u8[d];
    int64_t at = k->c[C_DECISION_AT].i64[d];
    int known = reason == LSCHED_FOR_TIME_LIMIT || reason == LSCHED_FOR_ALLOWANCE ||
                reason == LSCHED_FOR_ABSENCE;
    if (k->c[C_DECISION_KIND].u8[d] != LSCHED_DECIDE_WARN)
        return reason == LSCHED_FOR_ABSENCE
                   ? check_fail(c, "the decision on %s is for an absence", NAME(T_DECISION, d))
                   : LSCHED_OK;
    if (known && k->c[C_DECISION_COST].i64[d] == 0 && k->c[C_DECISION_FOR_JOB].u64[d] == 0 &&
        at > k->c[C_DECISION_PROPOSED].i64[d] && meta(k, M_WARN_LEAD))
        return LSCHED_OK;
    return check_fail(c, "the decision on %s warns of no end: reason %u, at %lld",
                      NAME(T_DECISION, d), reason, (long long)at);
}

int32_t check_warnings(struct check *c) {
    int32_t rc = check_warned_tasks(c);
    for (uint32_t d = 0; d < table_rows(c->k, T_DECISION) && rc == LSCHED_OK; d++)
        if (row_is_live(c->k, T_DECISION, d)) rc = check_warning_decision(c, d);
    if (rc == LSCHED_OK) rc = check_warning_times(c);
    return rc == LSCHED_OK ? check_warning_news(c) : rc;
}
