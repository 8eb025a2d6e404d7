/*
 * verify_queues.c -- checks that the use and the job counts of queues, up the tree, equal the sums
 * over their tasks and jobs, and that the totals of the cluster equal the sums over nodes.
 *
 * Limits are not checked here: a limit may have been lowered below the use, and an import may
 * exceed it. verify_plan checks limits for what a plan proposes.
 */
#include "engine/verify/verify_parts.h"

struct queue_sums {
    wide_i128 *used; /* one amount per resource kind for each queue */
    uint64_t *jobs, *pending;
    uint32_t kinds;
};

static size_t sums_bytes(const struct columns *k) {
    size_t queues = (size_t)table_rows(k, T_QUEUE) + 1;
    return queues * (verify_kinds(k) * sizeof(wide_i128) + 2 * sizeof(uint64_t)) +
           sizeof(wide_i128);
}

/* Adds each task directly to all queues above it. No sum is built from another sum. */
static void add_tasks(const struct columns *k, struct queue_sums *s) {
    for (uint32_t t = 0; t < table_rows(k, T_TASK); t++) {
        if (!row_is_live(k, T_TASK, t) || !verify_placed(k, t)) continue;
        for (uint32_t r = 1; r < s->kinds; r++) {
            wide_i128 amount = verify_amount(k, t, r);
            for (uint32_t q = k->c[C_JOB_QUEUE].u32[k->c[C_TASK_JOB].u32[t]]; q != NO_ROW;
                 q = k->c[C_QUEUE_PARENT].u32[q])
                s->used[(size_t)q * s->kinds + r] += amount;
        }
    }
}

static uint64_t add_jobs(const struct columns *k, struct queue_sums *s) {
    enum { PHASE_FULL = 3 };
    uint64_t all = 0;
    for (uint32_t j = 0; j < table_rows(k, T_JOB); j++) {
        if (!row_is_live(k, T_JOB, j)) continue;
        int pending = k->c[C_JOB_PHASE].u8[j] != PHASE_FULL;
        all += (uint64_t)pending;
        for (uint32_t q = k->c[C_JOB_QUEUE].u32[j]; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) {
            s->jobs[q]++;
            s->pending[q] += (uint64_t)pending;
        }
    }
    return all;
}

static int32_t verify_queues_check_queue(struct check *c, uint32_t q, const struct queue_sums *s) {
    const struct columns *k = c->k;
    for (uint32_t r = 1; r < s->kinds; r++) {
        wide_i128 held = s->used[(size_t)q * s->kinds + r];
        if ((wide_i128)k->c[C_QUEUE_USED + r].i64[q] != held)
            return check_fail(c, "%s uses %lld of %s, its tasks hold %lld", NAME(T_QUEUE, q),
                              (long long)k->c[C_QUEUE_USED + r].i64[q], NAME(T_KIND, r),
                              verify_shown(held));
    }
    if (k->c[C_QUEUE_JOBS].u64[q] != s->jobs[q] || k->c[C_QUEUE_PENDING].u64[q] != s->pending[q])
        return check_fail(c, "%s counts %llu jobs, %llu pending; there are %llu and %llu",
                          NAME(T_QUEUE, q), (unsigned long long)k->c[C_QUEUE_JOBS].u64[q],
                          (unsigned long long)k->c[C_QUEUE_PENDING].u64[q],
                          (unsigned long long)s->jobs[q], (unsigned long long)s->pending[q]);
    return LSCHED_OK;
}

static int32_t check_queues(struct check *c) {
    const struct columns *k = c->k;
    size_t queues = (size_t)table_rows(k, T_QUEUE) + 1, bytes = sums_bytes(k);
    struct queue_sums s = {alloc_zero(k->alloc, bytes), NULL, NULL, verify_kinds(k)};
    if (!s.used) return check_nomem(c);
    s.jobs = (uint64_t *)(void *)(s.used + queues * s.kinds);
    s.pending = s.jobs + queues;
    add_tasks(k, &s);
    uint64_t pending = add_jobs(k, &s);
    int32_t rc = LSCHED_OK;
    for (uint32_t q = 0; q < table_rows(k, T_QUEUE) && rc == LSCHED_OK; q++)
        if (row_is_live(k, T_QUEUE, q)) rc = verify_queues_check_queue(c, q, &s);
    alloc_free(k->alloc, s.used, bytes);
    if (rc == LSCHED_OK && meta(k, M_PENDING_JOBS) != pending)
        rc = check_fail(c, "%llu pending jobs counted, %llu found",
                        (unsigned long long)meta(k, M_PENDING_JOBS), (unsigned long long)pending);
    return rc;
}

static int32_t check_capacity(struct check *c, uint32_t kind) {
    const struct columns *k = c->k;
    wide_i128 all = 0, ready = 0;
    for (uint32_t n = 0; kind > 0 && kind < verify_kinds(k) && n < table_rows(k, T_NODE); n++) {
        if (!row_is_live(k, T_NODE, n)) continue;
        all += k->c[C_NODE_CAP + kind].i64[n];
        if (k->c[C_NODE_STATE].u8[n] == LSCHED_NODE_READY) ready += k->c[C_NODE_CAP + kind].i64[n];
    }
    if (all > LSCHED_AMOUNT_MAX)
        return check_fail(c, "the nodes have more than 2^62 of %s", NAME(T_KIND, kind));
    if (meta(k, M_TOTAL_CAP + kind) != (uint64_t)all ||
        meta(k, M_TOTAL_READY + kind) != (uint64_t)ready)
        return check_fail(
            c, "all nodes have %lld of %s and ready ones %lld; counted are %lld and %lld",
            verify_shown(all), NAME(T_KIND, kind), verify_shown(ready),
            (long long)meta(k, M_TOTAL_CAP + kind), (long long)meta(k, M_TOTAL_READY + kind));
    return LSCHED_OK;
}

int32_t verify_queues(struct check *c) {
    int32_t rc = check_queues(c);
    for (uint32_t kind = 0; kind < KINDS_MAX && rc == LSCHED_OK; kind++)
        rc = check_capacity(c, kind);
    return rc;
}
