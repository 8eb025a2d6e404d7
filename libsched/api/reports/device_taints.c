/* device_taints.c -- see device_taints.h. */
#include "api/reports/device_taints.h"

#include <stdio.h>

#include "api/door/args.h"
#include "api/door/door.h"
#include "api/forms/node_taints.h"
#include "base/text_out.h"
#include "model/jobs/refusal.h"
#include "model/nodes/node.h"
#include "model/shapes/node_rules.h"

int32_t device_index_check(const struct columns *k, uint32_t node, uint32_t index,
                           lsched_error *err) {
    uint32_t n = k->c[C_NODE_N_DEVICES].u8[node];
    lsched_text name = text_of(k, k->c[C_NODE_NAME].u32[node]);
    if (index < n) return LSCHED_OK;
    return fail(err, LSCHED_E_RANGE, "node '%.*s' has no device %u; it has %s, from 0 on",
                (int)name.len, name.ptr, index, counted(n, "device").text);
}

/* True if the row of TAINTS has these bytes; NO_ROW has none. */
static int has_bytes(const struct columns *k, uint32_t row, const struct bytes *b) {
    if (row == NO_ROW) return b->n == 0;
    lsched_text t = text_of(k, intern_text(k, T_TAINTS, row));
    return t.len == b->n && memcmp(t.ptr, b->p, b->n) == 0;
}

int32_t device_taints_update(struct columns *k, uint32_t node, const lsched_device_update *u,
                             lsched_error *err) {
    uint32_t row = device_taints_row(k, k->c[C_NODE_DEVICE_FIRST].u32[node] + u->device);
    lsched_text name = text_of(k, k->c[C_NODE_NAME].u32[node]);
    char where[LSCHED_NAME_BYTES_MAX + 32]; /* fail() shortens the name */
    struct bytes b;
    snprintf(where, sizeof where, "device %u of node '%.*s'", u->device, (int)name.len, name.ptr);
    bytes_init(&b, k->alloc);
    int32_t rc = node_taints_read(k, row, u->taints, u->n_taints, &b, where, err);
    int changes = rc == LSCHED_OK && !has_bytes(k, row, &b);
    if (changes) rc = node_set_device_taints(k, node, u->device, b.n ? &b : NULL);
    bytes_close(&b);
    if (!changes) return rc == LSCHED_OK ? LSCHED_UNCHANGED : rc;
    if (rc == LSCHED_OK) rc = node_rules_changed(k, node);
    return rc == LSCHED_OK ? refusals_node_changed(k, node) : rc;
}

LSCHED_API int32_t lsched_device_taints_next(const lsched_cluster *c, lsched_id id, uint32_t index,
                                             uint64_t *cursor, lsched_device_taint_info *out,
                                             lsched_error *err) {
    lsched_taint list[LIMIT_TAINTS_PER_NODE];
    int64_t since[LIMIT_TAINTS_PER_NODE];
    uint32_t node;
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!c || !cursor || !out) return fail(err, LSCHED_E_NULL, "cluster, cursor or out is NULL");
    rc = arg_id(&c->k, id, LSCHED_KIND_NODE, &node, err);
    if (rc == LSCHED_OK) rc = device_index_check(&c->k, node, index, err);
    if (rc != LSCHED_OK) return rc;
    uint32_t first = c->k.c[C_NODE_DEVICE_FIRST].u32[node],
             n = rules_taints(&c->k, device_taints_row(&c->k, first + index), list, since);
    if (*cursor >= n) return 0;
    lsched_device_taint_info info = {.size = sizeof info,
                                     .effect = list[*cursor].effect,
                                     .key = list[*cursor].key,
                                     .value = list[*cursor].value,
                                     .since_us = since[*cursor]};
    rc = arg_out(out, &info, (uint32_t)sizeof info);
    if (rc != LSCHED_OK) return rc;
    ++*cursor;
    return 1;
}
