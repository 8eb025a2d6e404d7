/* api_foreign.c -- calls about what others use on nodes. */
#include "api/door/args.h"
#include "api/door/door.h"
#include "model/jobs/nominated_tasks.h"
#include "model/jobs/refusal.h"
#include "model/nodes/device_closing.h"
#include "model/nodes/node.h"

/* Marks the devices of the set as used by others, and all other devices of the node as not. */
static int32_t foreign_devices(struct columns *k, uint32_t node, device_set foreign) {
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node];
    for (uint32_t i = 0; i < k->c[C_NODE_N_DEVICES].u8[node]; i++) {
        uint8_t closed = k->c[C_DEVICE_CLOSED].u8[first + i];
        closed = (uint8_t)((closed & ~DEVICE_FOREIGN) |
                           (device_set_has(foreign, i) ? DEVICE_FOREIGN : 0));
        int32_t rc = device_closing_set(k, node, i, closed);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

static int32_t element_foreign_set(struct lsched_cluster *c, const struct call *call, size_t i,
                                   const void *element, lsched_error *err) {
    struct columns *k = &c->k;
    lsched_foreign_use u;
    int64_t amount[KINDS_MAX] = {0};
    device_set devices = 0;
    uint32_t node;
    int32_t rc = arg_struct(&u, sizeof u, element, call->elem_size, "foreign use", err);
    if (rc == LSCHED_OK)
        rc = arg_reserved_at(u.reserved_zero, "reserved_zero", NULL, "foreign use", i, err);
    if (rc == LSCHED_OK) rc = arg_ref(k, u.node, u.node_name, LSCHED_KIND_NODE, &node, err);
    if (rc == LSCHED_OK)
        rc = arg_amounts(k, u.amounts, u.n_amounts, AMOUNT_NO_GPU, "foreign use", amount, err);
    if (rc == LSCHED_OK)
        rc = arg_devices(u.device_mask, u.device_words, "foreign use", &devices, err);
    if (rc != LSCHED_OK) return rc;
    if (devices & ~device_set_below(k->c[C_NODE_N_DEVICES].u8[node]))
        return arg_devices_refuse(devices, k->c[C_NODE_N_DEVICES].u8[node], "foreign use", err);
    for (uint32_t r = 1; r < (uint32_t)meta(k, M_N_KINDS); r++)
        if (amount[r] > LSCHED_AMOUNT_MAX / 2)
            return fail(err, LSCHED_E_RANGE, "foreign use: %lld; expected at most 2^61",
                        (long long)amount[r]);
    for (uint32_t r = 1; r < (uint32_t)meta(k, M_N_KINDS) && rc == LSCHED_OK; r++)
        if (r != LSCHED_GPU) rc = node_set_foreign(k, node, r, amount[r]);
    if (rc == LSCHED_OK) rc = foreign_devices(k, node, devices);
    if (rc == LSCHED_OK) rc = node_trim_nominations(k, node, (int64_t)meta(k, M_NOW), NULL, NULL);
    return rc == LSCHED_OK ? refusals_node_changed(k, node) : rc;
}

static const struct call_kind call_foreign_set = {.op = CALL_FOREIGN_SET,
                                                  .apply = element_foreign_set,
                                                  .what = "node",
                                                  .struct_size = sizeof(lsched_foreign_use),
                                                  .name_at =
                                                      offsetof(lsched_foreign_use, node_name),
                                                  .id_at = offsetof(lsched_foreign_use, node)};

LSCHED_API int32_t lsched_foreign_set(lsched_cluster *c, const lsched_foreign_use *uses, size_t n,
                                      size_t elem_size, const lsched_batch_opts *opts,
                                      int32_t *status, lsched_error *err) {
    struct call call = {.kind = &call_foreign_set,
                        .n = n,
                        .elem_size = elem_size,
                        .elements = uses,
                        .status = status};
    return door_batch(c, &call, opts, err);
}

LSCHED_API int64_t lsched_foreign_amount(const lsched_cluster *c, lsched_id id, uint32_t kind,
                                         lsched_error *err) {
    uint32_t node;
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!c) return fail(err, LSCHED_E_NULL, "cluster is NULL");
    const struct columns *k = &c->k;
    rc = arg_id(k, id, LSCHED_KIND_NODE, &node, err);
    if (rc == LSCHED_OK) rc = arg_kind(k, kind, "foreign use", err);
    if (rc != LSCHED_OK) return rc;
    if (kind != LSCHED_GPU) return k->c[C_NODE_FOREIGN + kind].i64[node];
    int64_t milli = 0;
    for (uint32_t i = 0; i < k->c[C_NODE_N_DEVICES].u8[node]; i++)
        if (k->c[C_DEVICE_CLOSED].u8[k->c[C_NODE_DEVICE_FIRST].u32[node] + i] & DEVICE_FOREIGN)
            milli += 1000;
    return milli;
}
