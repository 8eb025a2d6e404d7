/*
 * verify_derived.c -- what queues use of quota kinds that count devices of one model is what their
 * tasks hold of them, up the tree.
 *
 * The sum is built from the tasks and the models of their devices alone: a table of all queues by
 * all such kinds, as sparse rows are what is in question.
 */
#include "engine/verify_parts.h"

static int32_t check_kinds(struct check *c) {
    const struct columns *k = c->k;
    for (uint32_t d = 0; d < table_rows(k, T_DERIVED); d++) {
        uint32_t text = k->c[C_DERIVED_NAME].u32[d];
        if (k->c[C_DERIVED_BASE].u32[d] != LSCHED_GPU)
            return check_fail(c, "%s is a part of resource kind %u, which has no models",
                              NAME(T_DERIVED, d), k->c[C_DERIVED_BASE].u32[d]);
        for (uint32_t r = 0; r < verify_kinds(k); r++)
            if (text_compare(k, text, k->c[C_KIND_NAME].u32[r]) == 0)
                return check_fail(c, "%s has the name of %s", NAME(T_DERIVED, d), NAME(T_KIND, r));
    }
    return LSCHED_OK;
}

static void add_task(const struct columns *k, uint32_t task, wide_i128 *used) {
    uint32_t kinds = table_rows(k, T_DERIVED), node = k->c[C_TASK_NODE].u32[task],
             share = k->c[C_SHAPE_DEVICE_MILLI].u32[verify_shape(k, task)];
    for (uint32_t i = 0; i < k->c[C_NODE_N_DEVICES].u8[node]; i++) {
        if (!(k->c[C_TASK_MASK].u16[task] >> i & 1)) continue;
        uint32_t model = k->c[C_DEVICE_MODEL].u32[k->c[C_NODE_DEVICE_FIRST].u32[node] + i];
        for (uint32_t q = k->c[C_JOB_QUEUE].u32[k->c[C_TASK_JOB].u32[task]]; q != NO_ROW;
             q = k->c[C_QUEUE_PARENT].u32[q])
            for (uint32_t d = 0; d < kinds; d++)
                if (k->c[C_DERIVED_MODEL].u32[d] == model) used[(size_t)q * kinds + d] += share;
    }
}

/* Takes out of the sums what the rows of a queue say; what is left has no row. */
static int32_t check_queue(struct check *c, uint32_t q, wide_i128 *used, uint8_t *seen) {
    const struct columns *k = c->k;
    uint32_t kinds = table_rows(k, T_DERIVED);
    memset(seen, 0, kinds);
    for (uint32_t a = k->c[C_QUEUE_AMOUNTS].u32[q]; a != NO_ROW; a = k->c[C_QAMOUNT_NEXT].u32[a]) {
        uint32_t d = k->c[C_QAMOUNT_DERIVED].u32[a];
        if (seen[d]) return check_fail(c, "%s has %s twice", NAME(T_QUEUE, q), NAME(T_DERIVED, d));
        seen[d] = 1;
        if (k->c[C_QAMOUNT_USED].i64[a] != used[d])
            return check_fail(c, "%s uses %lld of %s, its tasks hold %lld", NAME(T_QUEUE, q),
                              (long long)k->c[C_QAMOUNT_USED].i64[a], NAME(T_DERIVED, d),
                              verify_shown(used[d]));
    }
    for (uint32_t d = 0; d < kinds; d++)
        if (!seen[d] && used[d] != 0)
            return check_fail(c, "%s counts none of %s, its tasks hold %lld", NAME(T_QUEUE, q),
                              NAME(T_DERIVED, d), verify_shown(used[d]));
    return LSCHED_OK;
}

int32_t verify_derived(struct check *c) {
    const struct columns *k = c->k;
    uint32_t kinds = table_rows(k, T_DERIVED);
    int32_t rc = check_kinds(c);
    if (kinds == 0 || rc != LSCHED_OK) return rc;
    size_t sums = ((size_t)table_rows(k, T_QUEUE) + 1) * kinds,
           bytes = sums * sizeof(wide_i128) + kinds;
    wide_i128 *used = alloc_zero(k->alloc, bytes);
    if (!used) return check_nomem(c);
    for (uint32_t t = 0; t < table_rows(k, T_TASK); t++)
        if (row_is_live(k, T_TASK, t) && verify_placed(k, t)) add_task(k, t, used);
    for (uint32_t q = 0; q < table_rows(k, T_QUEUE) && rc == LSCHED_OK; q++)
        if (row_is_live(k, T_QUEUE, q))
            rc = check_queue(c, q, used + (size_t)q * kinds, (uint8_t *)(used + sums));
    alloc_free(k->alloc, used, bytes);
    return rc;
}
