/* api_clock.c -- lsched_clock_set: an operator sets the latest time of the cluster. */
#include "api/door/args.h"
#include "api/door/door.h"
#include "api/forms/node_taints.h"
#include "model/life/time_set.h"
#include "model/nodes/node.h"
#include "model/shapes/node_rules.h"

/* If the time of any taint of the row is later than the new time, encodes all taints of the row
 * again with the new time, and sets *b to these bytes. The encoded bytes cannot be changed in
 * place, because nodes share them. Returns 1 if it did so, 0 if no time is later, or an error. */
static int32_t taints_moved(const struct columns *k, uint32_t row, struct bytes *b,
                            lsched_error *err) {
    lsched_taint list[LIMIT_TAINTS_PER_NODE];
    int64_t since[LIMIT_TAINTS_PER_NODE], last = INT64_MIN;
    uint32_t n = rules_taints(k, row, list, since);
    for (uint32_t i = 0; i < n; i++)
        if (list[i].effect == LSCHED_TAINT_STOP && since[i] > last) last = since[i];
    if (last <= (int64_t)meta(k, M_NOW)) return 0;
    int32_t rc = node_taints_read(k, row, list, n, b, "clock", err);
    return rc == LSCHED_OK ? 1 : rc;
}

static int32_t move_taints(struct columns *k, uint32_t node, lsched_error *err) {
    struct bytes b;
    struct node_rules_change to = {.sets_taints = 1, .taints = &b};
    bytes_init(&b, k->alloc);
    int32_t rc = taints_moved(k, node_taints_row(k, node), &b, err);
    if (rc == 1) rc = node_set_rules(k, node, &to);
    bytes_close(&b);
    uint32_t n = k->c[C_NODE_TAINTED].u8[node] ? k->c[C_NODE_N_DEVICES].u8[node] : 0u;
    for (uint32_t i = 0; i < n && rc == LSCHED_OK; i++) {
        bytes_init(&b, k->alloc);
        rc =
            taints_moved(k, device_taints_row(k, k->c[C_NODE_DEVICE_FIRST].u32[node] + i), &b, err);
        if (rc == 1) rc = node_set_device_taints(k, node, i, &b);
        bytes_close(&b);
    }
    return rc;
}

static int32_t element_clock_set(struct lsched_cluster *c, const struct call *call, size_t i,
                                 const void *element, lsched_error *err) {
    struct columns *k = &c->k;
    int64_t now = *(const int64_t *)element;
    (void)call, (void)i;
    int32_t rc = arg_time(now, "now_us", err);
    if (rc == LSCHED_OK) rc = time_set(k, now);
    for (uint32_t n = 0; n < table_rows(k, T_NODE) && rc == LSCHED_OK; n++)
        if (row_is_live(k, T_NODE, n)) rc = move_taints(k, n, err);
    /* Caches can have results for times that will occur a second time. */
    cluster_drop_caches(c);
    return rc;
}

static const struct call_kind call_clock_set = {
    .op = CALL_CLOCK_SET, .apply = element_clock_set, .is_single = 1};

LSCHED_API int32_t lsched_clock_set(lsched_cluster *c, int64_t now_us, lsched_error *err) {
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!c) return fail(err, LSCHED_E_NULL, "cluster is NULL");
    struct call call = {
        .kind = &call_clock_set, .n = 1, .elem_size = sizeof now_us, .elements = &now_us};
    rc = door_apply(c, &call, err);
    return rc < 0 ? rc : LSCHED_OK;
}
