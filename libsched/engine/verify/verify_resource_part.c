/*
 * verify_resource_part.c -- see verify_resource_part.h.
 *
 * The sums are computed only from the tasks, the labels of their nodes and the models of their
 * devices. They fill a table of all queues by all resource parts. The full table is needed because
 * the library stores rows for only some pairs of queue and part, and a missing row must be found.
 */
#include "engine/verify/verify_resource_part.h"

#include "engine/verify/verify_device.h"
#include "engine/verify/verify_read.h"

static int32_t check_kinds(struct check *c) {
    const struct columns *k = c->k;
    for (uint32_t d = 0; d < table_rows(k, T_DERIVED); d++) {
        lsched_text name = text_of(k, k->c[C_DERIVED_NAME].u32[d]);
        uint32_t base = k->c[C_DERIVED_BASE].u32[d];
        int of_devices =
            k->c[C_DERIVED_MODEL].u32[d] != NO_ROW || k->c[C_DERIVED_PROFILE].u32[d] != NO_ROW;
        if (base == 0 || base >= verify_kinds(k) || (of_devices && base != LSCHED_GPU))
            return check_fail(c, "%s is a resource part of kind %u, which has no parts",
                              NAME(T_DERIVED, d), base);
        for (uint32_t r = 0; r < verify_kinds(k); r++)
            if (text_order(name, text_of(k, k->c[C_KIND_NAME].u32[r])) == 0)
                return check_fail(c, "%s has the name of %s", NAME(T_DERIVED, d), NAME(T_KIND, r));
    }
    return LSCHED_OK;
}

/* True if the label set `set` has every label of the label set `wanted`, in any order. */
static int has_labels(const struct columns *k, uint32_t set, uint32_t wanted) {
    struct reader w = reader_of(k, intern_text(k, T_LABELS, wanted));
    for (uint32_t n = reader_u32(&w); n > 0; n--) {
        lsched_text key = reader_text(&w), value = reader_text(&w), have;
        if (!verify_label(k, set, key, &have) || text_order(have, value) != 0) return 0;
    }
    return 1;
}

static int32_t check_pools(struct check *c) {
    const struct columns *k = c->k;
    uint32_t pools = table_rows(k, T_POOL);
    for (uint32_t set = 0; set < table_rows(k, T_LABELS); set++) {
        if (!row_is_live(k, T_LABELS, set)) continue;
        for (uint32_t p = 0; p < LSCHED_POOLS_MAX; p++) {
            int is = (int)(k->c[C_LABELS_POOLS].u64[set] >> p & 1),
                right = p < pools && has_labels(k, set, k->c[C_POOL_LABELS].u32[p]);
            if (is != right)
                return check_fail(c, "a set of labels is recorded as %s pool %u, which is wrong",
                                  is ? "in" : "outside", p);
        }
    }
    return LSCHED_OK;
}

/* Sums the GPU amount device by device, because the devices of a task can belong to different
 * resource parts. */
int64_t verify_resource_part_held(const struct columns *k, uint32_t task, uint32_t d) {
    uint32_t node = k->c[C_TASK_NODE].u32[task], shape = verify_shape(k, task),
             base = k->c[C_DERIVED_BASE].u32[d], model = k->c[C_DERIVED_MODEL].u32[d],
             profile = k->c[C_DERIVED_PROFILE].u32[d], pool = k->c[C_DERIVED_POOL].u32[d];
    int64_t sum = 0;
    if (pool != NO_ROW &&
        !has_labels(k, k->c[C_NODE_LABELS].u32[node], k->c[C_POOL_LABELS].u32[pool]))
        return 0;
    if (base != LSCHED_GPU) return k->c[C_SHAPE_REQ + base].i64[shape];
    if (profile != NO_ROW && k->c[C_SHAPE_PROFILE].u32[shape] != profile) return 0;
    struct verify_devices devices = verify_devices_of(k, task);
    for (uint32_t i = 0; i < k->c[C_NODE_N_DEVICES].u8[node]; i++) {
        uint32_t device = k->c[C_NODE_DEVICE_FIRST].u32[node] + i;
        if (!verify_has_device(&devices, i)) continue;
        if (model == NO_ROW || k->c[C_DEVICE_MODEL].u32[device] == model)
            sum += (int64_t)verify_device_charge(k, device, shape).milli;
    }
    return sum;
}

static void verify_resource_part_add_task(const struct columns *k, uint32_t task, wide_i128 *used) {
    uint32_t kinds = table_rows(k, T_DERIVED);
    for (uint32_t d = 0; d < kinds; d++)
        verify_add_up(k, verify_queue_of(k, task), used + d, kinds,
                      verify_resource_part_held(k, task, d));
}

/* Compares the stored use of one queue with the computed sums. The queue has at most one stored row
 * for each resource part. A sum that is not 0 must have a row. */
static int32_t verify_resource_part_check_queue(struct check *c, uint32_t q, wide_i128 *used,
                                                uint8_t *seen) {
    const struct columns *k = c->k;
    uint32_t kinds = table_rows(k, T_DERIVED);
    memset(seen, 0, kinds);
    for (uint32_t a = k->c[C_QUEUE_AMOUNTS].u32[q]; a != NO_ROW; a = k->c[C_QAMOUNT_NEXT].u32[a]) {
        uint32_t d = k->c[C_QAMOUNT_DERIVED].u32[a];
        if (seen[d]) return check_fail(c, "%s has %s twice", NAME(T_QUEUE, q), NAME(T_DERIVED, d));
        seen[d] = 1;
        if (k->c[C_QAMOUNT_USED].i64[a] != used[d])
            return check_fail(c, "%s records a use of %lld of %s, but its tasks hold %lld",
                              NAME(T_QUEUE, q), (long long)k->c[C_QAMOUNT_USED].i64[a],
                              NAME(T_DERIVED, d), verify_shown(used[d]));
    }
    for (uint32_t d = 0; d < kinds; d++)
        if (!seen[d] && used[d] != 0)
            return check_fail(c, "%s records no use of %s, but its tasks hold %lld",
                              NAME(T_QUEUE, q), NAME(T_DERIVED, d), verify_shown(used[d]));
    return LSCHED_OK;
}

int32_t verify_resource_part(struct check *c) {
    const struct columns *k = c->k;
    uint32_t kinds = table_rows(k, T_DERIVED);
    int32_t rc = check_kinds(c);
    if (rc == LSCHED_OK) rc = check_pools(c);
    if (kinds == 0 || rc != LSCHED_OK) return rc;
    size_t sums = ((size_t)table_rows(k, T_QUEUE) + 1) * kinds,
           bytes = sums * sizeof(wide_i128) + kinds;
    wide_i128 *used = alloc_zero(k->alloc, bytes);
    if (!used) return check_nomem(c);
    for (uint32_t t = 0; t < table_rows(k, T_TASK); t++)
        if (row_is_live(k, T_TASK, t) && verify_placed(k, t))
            verify_resource_part_add_task(k, t, used);
    for (uint32_t q = 0; q < table_rows(k, T_QUEUE) && rc == LSCHED_OK; q++)
        if (row_is_live(k, T_QUEUE, q))
            rc = verify_resource_part_check_queue(c, q, used + (size_t)q * kinds,
                                                  (uint8_t *)(used + sums));
    alloc_free(k->alloc, used, bytes);
    return rc;
}
