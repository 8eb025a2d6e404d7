/* api_devices.c -- calls about single devices of nodes: their health and taints, and what is on
 * them. */
#include "api/door/args.h"
#include "api/door/door.h"
#include "api/forms/node_mig.h"
#include "api/reports/device_losses.h"
#include "api/reports/device_taints.h"
#include "model/jobs/nominated_tasks.h"
#include "model/jobs/refusal.h"
#include "model/nodes/device_closing.h"
#include "model/shapes/node_rules.h"

static uint32_t health_of(uint8_t closed) {
    return closed & DEVICE_FAILED     ? LSCHED_HEALTH_FAILED
           : closed & DEVICE_CORDONED ? LSCHED_HEALTH_CORDONED
                                      : LSCHED_HEALTH_OK;
}

/* Makes a device FAILED that was not: its tasks are lost. */
static int32_t device_fails(struct columns *k, uint32_t node, uint32_t index) {
    int32_t rc = device_losses_count(k, node, index);
    if (rc == LSCHED_OK) rc = node_lose_tasks(k, node, device_set_bit(index), NULL, NULL);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc == LSCHED_OK) device_closing_failed(k, node, index);
    return rc;
}

static int32_t set_health(struct columns *k, uint32_t node, const lsched_device_update *u) {
    static const uint8_t closed[] = {
        [LSCHED_HEALTH_CORDONED] = DEVICE_CORDONED, [LSCHED_HEALTH_FAILED] = DEVICE_FAILED};
    uint32_t d = k->c[C_NODE_DEVICE_FIRST].u32[node] + u->device;
    int32_t rc = LSCHED_OK;
    uint8_t was = k->c[C_DEVICE_CLOSED].u8[d], foreign = was & DEVICE_FOREIGN;
    if ((was & ~DEVICE_FOREIGN) == closed[u->health]) return rc;
    if (u->health == LSCHED_HEALTH_FAILED) rc = device_fails(k, node, u->device);
    if (rc == LSCHED_OK) rc = device_closing_set(k, node, u->device, closed[u->health] | foreign);
    if (rc == LSCHED_OK) rc = node_trim_nominations(k, node, (int64_t)meta(k, M_NOW), NULL, NULL);
    return rc == LSCHED_OK ? refusals_node_changed(k, node) : rc;
}

static int32_t device_recut(struct columns *k, uint32_t node, const lsched_device_update *u,
                            lsched_error *err) {
    lsched_node_update layout = {.size = sizeof layout,
                                 .set = LSCHED_NODE_SET_MIG,
                                 .mig_device = u->device,
                                 .mig_instances = u->mig_instances,
                                 .n_mig_instances = u->n_mig_instances};
    int32_t rc = node_mig_update(k, node, &layout, err);
    return rc == LSCHED_OK ? refusals_node_changed(k, node) : rc;
}

/* True if the update says nothing about the health or the MIG layout but the present health. */
static int health_is_known(const struct columns *k, uint32_t node, const lsched_device_update *u) {
    uint32_t d = k->c[C_NODE_DEVICE_FIRST].u32[node] + u->device;
    if (u->set & LSCHED_DEVICE_SET_MIG) return 0;
    return !(u->set & LSCHED_DEVICE_SET_HEALTH) ||
           health_of(k->c[C_DEVICE_CLOSED].u8[d]) == u->health;
}

static int32_t device_update_check(const lsched_device_update *u, size_t i, lsched_error *err) {
    int32_t rc = arg_reserved_at(u->reserved_zero, "reserved_zero", NULL, "device update", i, err);
    if (rc == LSCHED_OK)
        rc = arg_reserved_at(u->reserved2_zero, "reserved2_zero", NULL, "device update", i, err);
    if (rc != LSCHED_OK) return rc;
    if (u->set &
        ~(uint32_t)(LSCHED_DEVICE_SET_HEALTH | LSCHED_DEVICE_SET_MIG | LSCHED_DEVICE_SET_TAINTS))
        return fail(err, LSCHED_E_INVAL,
                    "device update: set has unknown bits %#x; expected LSCHED_DEVICE_SET_*",
                    u->set);
    if ((u->set & LSCHED_DEVICE_SET_HEALTH) && u->health > LSCHED_HEALTH_FAILED)
        return fail(err, LSCHED_E_INVAL, "device update: health %u; expected LSCHED_HEALTH_*",
                    u->health);
    return LSCHED_OK;
}

static int32_t element_device_update(struct lsched_cluster *c, const struct call *call, size_t i,
                                     const void *element, lsched_error *err) {
    struct columns *k = &c->k;
    lsched_device_update u;
    uint32_t node;
    int32_t rc = arg_struct(&u, sizeof u, element, call->elem_size, "device update", err);
    if (rc == LSCHED_OK) rc = device_update_check(&u, i, err);
    if (rc == LSCHED_OK) rc = arg_ref(k, u.node, u.node_name, LSCHED_KIND_NODE, &node, err);
    if (rc == LSCHED_OK) rc = device_index_check(k, node, u.device, err);
    if (rc != LSCHED_OK) return rc;
    int known = u.set && health_is_known(k, node, &u);
    if ((u.set & LSCHED_DEVICE_SET_HEALTH) && !known) rc = set_health(k, node, &u);
    if (rc == LSCHED_OK && (u.set & LSCHED_DEVICE_SET_MIG)) rc = device_recut(k, node, &u, err);
    if (rc == LSCHED_OK && (u.set & LSCHED_DEVICE_SET_TAINTS)) {
        rc = device_taints_update(k, node, &u, err);
        known = known && rc == LSCHED_UNCHANGED;
        if (rc == LSCHED_UNCHANGED) rc = LSCHED_OK;
    }
    return rc == LSCHED_OK && known && call_is_idempotent(call) ? LSCHED_UNCHANGED : rc;
}

static const struct call_kind call_devices_update = {.op = CALL_DEVICES_UPDATE,
                                                     .apply = element_device_update,
                                                     .what = "node",
                                                     .object = LSCHED_KIND_NODE,
                                                     .struct_size = sizeof(lsched_device_update),
                                                     .name_at =
                                                         offsetof(lsched_device_update, node_name),
                                                     .id_at = offsetof(lsched_device_update, node)};

LSCHED_API int32_t lsched_devices_update(lsched_cluster *c, const lsched_device_update *updates,
                                         size_t n, size_t elem_size, const lsched_batch_opts *opts,
                                         int32_t *status, lsched_error *err) {
    struct call call = {.kind = &call_devices_update,
                        .n = n,
                        .elem_size = elem_size,
                        .elements = updates,
                        .status = status};
    return door_batch(c, &call, opts, err);
}

/* ---- queries ---- */

static uint32_t tasks_on(const struct columns *k, uint32_t node, uint32_t index) {
    uint32_t n = 0;
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t])
        n += device_set_has(task_device_set(k, t), index) &&
             k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_NOMINATED;
    return n;
}

LSCHED_API int32_t lsched_device_get(const lsched_cluster *c, lsched_id id, uint32_t index,
                                     lsched_device_info *out, lsched_error *err) {
    uint32_t node;
    int32_t rc = arg_query(c, out, err);
    if (rc != LSCHED_OK) return rc;
    const struct columns *k = &c->k;
    rc = arg_id(k, id, LSCHED_KIND_NODE, &node, err);
    if (rc == LSCHED_OK) rc = device_index_check(k, node, index, err);
    if (rc != LSCHED_OK) return rc;
    uint32_t d = k->c[C_NODE_DEVICE_FIRST].u32[node] + index;
    lsched_device_info info = {.size = sizeof info,
                               .health = health_of(k->c[C_DEVICE_CLOSED].u8[d]),
                               .failures = k->c[C_DEVICE_FAILURES].u32[d],
                               .n_tasks = tasks_on(k, node, index),
                               .share_mode = k->c[C_DEVICE_SHARE].u8[d],
                               .free_milli = k->c[C_DEVICE_FREE_MILLI].u16[d],
                               .memory_bytes = k->c[C_DEVICE_MEM].i64[d],
                               .memory_free_bytes = k->c[C_DEVICE_MEM_FREE].i64[d]};
    lsched_taint taints[LIMIT_TAINTS_PER_NODE];
    int64_t since[LIMIT_TAINTS_PER_NODE];
    info.n_taints = rules_taints(k, device_taints_row(k, d), taints, since);
    info.foreign = (k->c[C_DEVICE_CLOSED].u8[d] & DEVICE_FOREIGN) != 0;
    info.model = text_of(k, intern_text(k, T_STRING, k->c[C_DEVICE_MODEL].u32[d]));
    return arg_out(out, &info, (uint32_t)sizeof info);
}

LSCHED_API int64_t lsched_device_failures(const lsched_cluster *c, lsched_id object,
                                          lsched_error *err) {
    uint32_t row, kind = LSCHED_ID_KIND(object);
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!c) return fail(err, LSCHED_E_NULL, "cluster is NULL");
    const struct columns *k = &c->k;
    if (kind != LSCHED_KIND_NODE && kind != LSCHED_KIND_JOB)
        return fail(err, LSCHED_E_KIND, "expected the id of a node or job, got %#llx",
                    (unsigned long long)object);
    rc = arg_id(k, object, kind, &row, err);
    if (rc != LSCHED_OK) return rc;
    if (kind == LSCHED_KIND_NODE) return (int64_t)device_closing_failures(k, row);
    uint32_t cost = k->c[C_JOB_COST].u32[row];
    return cost == NO_ROW ? 0 : k->c[C_COST_DEVICE_LOSSES].u32[cost];
}
