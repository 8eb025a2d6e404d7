/*
 * verify_budgets.c -- see verify_budgets.h.
 *
 * Every eviction that counts in DECISION.COUNTS or DECISION.HOUR can be undone, and takes away then
 * what it added. The numbers of the job and of the hour must be at least that large. They can be
 * larger, because what took place counts, too. Cost: O(decisions x decision groups of their job).
 */
#include "engine/verify/verify_budgets.h"

#include "engine/verify/verify_read.h"
#include "model/store/columns.h"

/* What the bits of DECISION.COUNTS mean. */
enum { FOR_JOB = 1 | 2, MOVES = 4 };

static uint32_t verify_budgets_job_of(const struct columns *k, uint32_t d) {
    return k->c[C_TASK_JOB].u32[k->c[C_DECISION_TASK].u32[d]];
}

/* Checks the bits of one decision, and the COST row that they need. */
static int32_t check_bits(struct check *c, uint32_t d) {
    const struct columns *k = c->k;
    uint32_t counts = k->c[C_DECISION_COUNTS].u8[d], kind = k->c[C_DECISION_KIND].u8[d],
             hour = k->c[C_DECISION_HOUR].u32[d];
    if (counts == 0 && hour == 0) return LSCHED_OK;
    if ((kind != LSCHED_DECIDE_EVICT && kind != LSCHED_DECIDE_MIGRATE &&
         kind != LSCHED_DECIDE_CHECKPOINT) ||
        (kind != LSCHED_DECIDE_MIGRATE && (counts & MOVES)) ||
        (kind == LSCHED_DECIDE_MIGRATE && hour) || (counts & FOR_JOB) == FOR_JOB)
        return check_fail(c, "the decision on %s of kind %u counts for budgets as %u, in hour %u",
                          NAME(T_DECISION, d), kind, counts, hour);
    if (hour > meta(k, M_EVICTED_SINCE) + 1)
        return check_fail(c, "the decision on %s counts in the hour %u, which is still to come",
                          NAME(T_DECISION, d), hour);
    uint32_t job = verify_budgets_job_of(k, d);
    if ((counts & FOR_JOB) && k->c[C_JOB_COST].u32[job] == NO_ROW)
        return check_fail(c, "the decision on %s is a disruption of %s, which counts none",
                          NAME(T_DECISION, d), NAME(T_JOB, job));
    return LSCHED_OK;
}

/* Returns the decision group of the releasing task if its eviction counts for the job, else 0. */
static uint64_t counted_group(const struct columns *k, uint32_t task) {
    uint32_t d = k->c[C_TASK_DECISION].u32[task];
    int counts = d != NO_ROW && k->c[C_DECISION_COUNTS].u8[d] & FOR_JOB;
    return counts ? k->c[C_DECISION_GROUP].u64[d] : 0;
}

/* Returns the first releasing task of the job whose eviction counts as one of the group. */
static uint32_t first_of_group(const struct columns *k, uint32_t job, uint64_t group) {
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        for (uint32_t t = k->c[C_LEAF_LEAVING_FIRST].u32[l]; t != NO_ROW;
             t = k->c[C_TASK_NEXT].u32[t])
            if (counted_group(k, t) == group) return t;
    return NO_ROW;
}

static int32_t check_disruptions(struct check *c, uint32_t cost) {
    const struct columns *k = c->k;
    uint32_t n = 0, job = k->c[C_COST_JOB].u32[cost], counts = k->c[C_COST_DISRUPTIONS].u32[cost];
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        for (uint32_t t = k->c[C_LEAF_LEAVING_FIRST].u32[l]; t != NO_ROW;
             t = k->c[C_TASK_NEXT].u32[t]) {
            uint64_t group = counted_group(k, t);
            n += group && first_of_group(k, job, group) == t;
        }
    if (n > counts)
        return check_fail(c, "%s counts %u disruptions, but %u of its disruptions can be undone",
                          NAME(T_JOB, job), counts, n);
    return LSCHED_OK;
}

static int32_t check_hour(struct check *c) {
    const struct columns *k = c->k;
    uint64_t n = 0;
    for (uint32_t d = 0; d < table_rows(k, T_DECISION); d++)
        n += row_is_live(k, T_DECISION, d) && k->c[C_DECISION_HOUR].u32[d] &&
             k->c[C_DECISION_HOUR].u32[d] - 1 == meta(k, M_EVICTED_SINCE);
    if (n > meta(k, M_EVICTED_HOUR))
        return check_fail(c,
                          "the hour counts %llu evictions, but %llu of its evictions can be undone",
                          (unsigned long long)meta(k, M_EVICTED_HOUR), (unsigned long long)n);
    return LSCHED_OK;
}

int32_t verify_budgets(struct check *c) {
    int32_t rc = verify_each(c, T_DECISION, check_bits);
    if (rc == LSCHED_OK) rc = verify_each(c, T_COST, check_disruptions);
    return rc == LSCHED_OK ? check_hour(c) : rc;
}
