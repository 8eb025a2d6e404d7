/*
 * verify_guarantees.c -- see verify_guarantees.h.
 *
 * A queue's guarantee of a resource kind follows from its quota and its parent's guarantee:
 *   the queue is a root, or its parent's guarantee has no bound
 *     quota is an amount                                the quota
 *     quota is "everything"                             no bound
 *   the parent's guarantee has a bound
 *     quota is an amount, the siblings' quotas fit      the quota
 *     quota is an amount, these quotas do not fit       quota * parent's guarantee / sum of quotas
 *     quota is "everything"                             equal portion of what the amounts leave
 *
 * A guarantee with a bound is never more than the limit. If no queue has a quota of a resource
 * kind, but some queue has a quota of another kind, the guarantee of the first kind is
 * LSCHED_UNLIMITED and protects no queue. Fractions are rounded down. If all numbers are whole
 * devices, fractions are rounded down to whole devices. The share algorithm can give the remainder
 * of the rounding to any of the queues. Therefore a value of this file is the smallest amount that
 * can be the guarantee. A queue that uses no more than this amount is protected, however the share
 * algorithm rounds.
 */
#include "engine/verify/verify_guarantees.h"

#include "engine/verify/verify_read.h"

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int kind_counts(const struct columns *k, uint32_t kind) {
    int any = 0;
    for (uint32_t q = 0; q < table_rows(k, T_QUEUE); q++)
        for (uint32_t r = 1; r < verify_kinds(k) && row_is_live(k, T_QUEUE, q); r++) {
            if (k->c[C_QUEUE_QUOTA_NOW + r].i64[q] == 0) continue;
            if (r == kind) return 1;
            any = 1;
        }
    return !any;
}

/* The children of a queue whose guarantee has a bound. */
struct family {
    int64_t have; /* guarantee of the parent */
    wide_i128 sum;
    uint32_t unlimited;
    int whole;
};

static int64_t verify_guarantees_quota_of(const struct columns *k, uint32_t q, uint32_t kind) {
    int64_t quota = k->c[C_QUEUE_QUOTA_NOW + kind].i64[q];
    return quota == LSCHED_UNLIMITED ? quota : least(quota, k->c[C_QUEUE_LIMIT_NOW + kind].i64[q]);
}

static struct family family_of(const struct columns *k, uint32_t parent, uint32_t kind,
                               int64_t have) {
    struct family f = {have, 0, 0, kind == LSCHED_GPU && have % 1000 == 0};
    for (uint32_t q = 0; q < table_rows(k, T_QUEUE); q++) {
        if (!row_is_live(k, T_QUEUE, q) || k->c[C_QUEUE_PARENT].u32[q] != parent) continue;
        int64_t quota = verify_guarantees_quota_of(k, q, kind);
        f.unlimited += quota == LSCHED_UNLIMITED;
        if (quota == LSCHED_UNLIMITED) continue;
        f.sum += quota;
        f.whole &= quota % 1000 == 0;
    }
    return f;
}

static int64_t verify_guarantees_right_of(const struct columns *k, uint32_t q, uint32_t kind,
                                          const struct family *f) {
    int64_t quota = verify_guarantees_quota_of(k, q, kind),
            limit = k->c[C_QUEUE_LIMIT_NOW + kind].i64[q];
    if (quota == LSCHED_UNLIMITED && f->unlimited > 0) {
        wide_i128 left = f->sum > f->have ? 0 : f->have - f->sum;
        quota = (int64_t)(left / f->unlimited);
    } else if (f->sum > f->have && f->sum > 0) {
        quota = (int64_t)((wide_i128)quota * f->have / f->sum);
    }
    return least(f->whole ? quota - quota % 1000 : quota, limit);
}

/* Computes the guarantees of all queues for one resource kind, from the roots down, because a
 * child's guarantee depends on its parent's. */
static void rights_of_kind(const struct columns *k, uint32_t kind, int64_t *right) {
    for (uint32_t depth = 0; depth < LSCHED_QUEUE_DEPTH_MAX; depth++)
        for (uint32_t q = 0; q < table_rows(k, T_QUEUE); q++) {
            if (!row_is_live(k, T_QUEUE, q) || k->c[C_QUEUE_DEPTH].u32[q] != depth) continue;
            uint32_t parent = k->c[C_QUEUE_PARENT].u32[q];
            if (parent == NO_ROW || right[parent] == LSCHED_UNLIMITED) {
                right[q] = verify_guarantees_quota_of(k, q, kind);
                continue;
            }
            struct family f = family_of(k, parent, kind, right[parent]);
            right[q] = verify_guarantees_right_of(k, q, kind, &f);
        }
}

void verify_guarantees(const struct columns *k, int64_t *right) {
    size_t queues = table_rows(k, T_QUEUE);
    for (uint32_t r = 1; r < verify_kinds(k); r++) {
        int64_t *of_kind = right + queues * r;
        if (kind_counts(k, r)) {
            rights_of_kind(k, r, of_kind);
            continue;
        }
        for (size_t q = 0; q < queues; q++) of_kind[q] = LSCHED_UNLIMITED;
    }
}
