/* api_nodes.c -- resource kinds, topologies and nodes: each element of a batch is checked and
 * then passed to one call of the model. An update that changes something ends the refusals that
 * are remembered for the node. Before a node is removed, its tasks are released, and they wait
 * again. */
#include <stdio.h>

#include "api/door/args.h"
#include "api/door/door.h"
#include "api/forms/job_selectors.h"
#include "api/forms/node_absence.h"
#include "api/reservations/reserved_use.h"
#include "api/forms/node_attributes.h"
#include "api/forms/node_mig.h"
#include "api/forms/node_labels.h"
#include "api/forms/node_machine.h"
#include "api/forms/node_taints.h"
#include "base/text_out.h"
#include "model/devices/resource_part.h"
#include "model/shapes/domain.h"
#include "model/shapes/resource_kind.h"
#include "model/machine/machine.h"
#include "model/told/change_feed.h"
#include "model/nodes/absence.h"
#include "model/nodes/node.h"
#include "model/jobs/releasing.h"
#include "model/jobs/refusal.h"
#include "model/pressure/memory_pressure.h"
#include "model/warnings/warning.h"
#include "api/reports/device_losses.h"
#include "model/jobs/losses.h"
#include "model/jobs/nominated_tasks.h"
#include "model/jobs/task.h"

/* ---- resource kinds ---- */

static int32_t element_resource_add(struct lsched_cluster *c, const struct call *call, size_t i,
                                    const void *element, lsched_error *err) {
    lsched_text name = *(const lsched_text *)element;
    (void)i;
    int32_t rc = arg_name(&name, "resource", err);
    if (rc == LSCHED_OK && name_find(&c->k, T_IX_DERIVED, name.ptr, (size_t)name.len) != NO_ROW)
        return fail(err, LSCHED_E_EXISTS, "resource '%.*s' is already a part of another resource",
                    (int)name.len, name.ptr);
    if (rc == LSCHED_OK) rc = kind_add(&c->k, name.ptr, (size_t)name.len);
    if (rc == LSCHED_E_LIMIT)
        return fail(err, rc, "at most %d resource kinds, 'any' included",
                    LSCHED_RESOURCE_KINDS_MAX);
    if (rc >= 0) *(int32_t *)call->more = rc;
    return rc;
}

static const struct call_kind call_resource_add = {
    .op = CALL_RESOURCE_ADD, .apply = element_resource_add, .is_single = 1};

LSCHED_API int32_t lsched_resource_add(lsched_cluster *c, lsched_text name, lsched_error *err) {
    int32_t kind = 0;
    struct call call = {.kind = &call_resource_add,
                        .n = 1,
                        .elem_size = sizeof name,
                        .elements = &name,
                        .more = &kind};
    int32_t rc = door_batch(c, &call, NULL, err);
    return rc < 0 ? rc : kind;
}

LSCHED_API int32_t lsched_resource_find(const lsched_cluster *c, lsched_text name,
                                        lsched_error *err) {
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!c) return fail(err, LSCHED_E_NULL, "cluster is NULL");
    lsched_text t = arg_text(name);
    uint32_t row = name_find(&c->k, T_IX_KIND, t.ptr, (size_t)t.len);
    if (row != NO_ROW && row != 0) return (int32_t)row;
    row = name_find(&c->k, T_IX_DERIVED, t.ptr, (size_t)t.len);
    if (row != NO_ROW) return (int32_t)(KINDS_MAX + row);
    return fail(
        err, LSCHED_E_NOENT,
        "no resource kind or part is called '%.*s'; there are cpu, memory, gpu and what was "
        "added",
        (int)t.len, t.ptr);
}

LSCHED_API const char *lsched_resource_name(const lsched_cluster *c, uint32_t kind) {
    if (!c || kind == 0) return NULL;
    if (kind >= kind_count(&c->k) && !kind_is_part(&c->k, kind)) return NULL;
    return text_bytes(&c->k, kind_name(&c->k, kind));
}

/* ---- topologies ---- */

static int32_t element_topology_add(struct lsched_cluster *c, const struct call *call, size_t i,
                                    const void *element, lsched_error *err) {
    lsched_topology_desc d;
    lsched_text levels[LSCHED_TOPOLOGY_LEVELS_MAX];
    struct columns *k = &c->k;
    int32_t rc = arg_struct(&d, sizeof d, element, call->elem_size, "topology", err);
    if (rc == LSCHED_OK) rc = arg_new_name(k, &d.name, LSCHED_KIND_TOPOLOGY, err);
    if (rc != LSCHED_OK) return rc;
    const char *name = d.name.ptr;
    int len = (int)d.name.len;
    if (table_rows(k, T_TOPOLOGY) >= LSCHED_TOPOLOGIES_MAX)
        return fail(err, LSCHED_E_LIMIT, "at most %d topologies", LSCHED_TOPOLOGIES_MAX);
    if (d.n_levels == 0 || d.n_levels > LSCHED_TOPOLOGY_LEVELS_MAX || !d.levels)
        return fail(err, LSCHED_E_RANGE, "topology '%.*s': %s; expected 1 to %d", len, name,
                    counted(d.n_levels, "level").text, LSCHED_TOPOLOGY_LEVELS_MAX);
    for (uint32_t l = 0; l < d.n_levels; l++) {
        levels[l] = d.levels[l];
        rc = arg_name(&levels[l], "topology level", err);
        if (rc != LSCHED_OK) return rc;
        for (uint32_t m = 0; m < l; m++)
            if (text_order(levels[l], levels[m]) == 0)
                return fail(err, LSCHED_E_INVAL,
                            "topology '%.*s': level '%.*s' is given twice; name each level once",
                            len, name, (int)levels[l].len, levels[l].ptr);
    }
    uint32_t row;
    rc = topology_add(k, d.name, levels, d.n_levels, d.tag, &row);
    if (rc == LSCHED_OK && call->ids) call->ids[i] = arg_id_of(k, LSCHED_KIND_TOPOLOGY, row);
    return rc;
}

static const struct call_kind call_topologies_add = {.op = CALL_TOPOLOGIES_ADD,
                                                     .apply = element_topology_add};

LSCHED_API int32_t lsched_topologies_add(lsched_cluster *c, const lsched_topology_desc *topologies,
                                         size_t n, size_t elem_size, const lsched_batch_opts *opts,
                                         lsched_id *ids, int32_t *status, lsched_error *err) {
    struct call call = {.kind = &call_topologies_add,
                        .n = n,
                        .elem_size = elem_size,
                        .elements = topologies,
                        .ids = ids,
                        .status = status};
    return door_batch(c, &call, opts, err);
}

/* ---- nodes ---- */

/* Checks the amounts of a device that can be given to several tasks. */
static int32_t check_parts(const lsched_device_desc *v, const char *name, int len,
                           lsched_error *err) {
    uint32_t over = v->memory_overcommit_milli;
    if (v->sm_count > DEVICE_SM_COUNT_MAX)
        return fail(err, LSCHED_E_RANGE,
                    "node '%.*s': %u streaming multiprocessors of a device; expected 0 to %u", len,
                    name, v->sm_count, DEVICE_SM_COUNT_MAX);
    if (over && (over < 1000 || over > DEVICE_OVERCOMMIT_MAX))
        return fail(err, LSCHED_E_RANGE,
                    "node '%.*s': device memory over-committed to %u thousandths; expected 1000 to "
                    "%u",
                    len, name, over, DEVICE_OVERCOMMIT_MAX);
    if (over > 1000 &&
        (v->share_mode == LSCHED_SHARING_WHOLE || v->share_mode == LSCHED_SHARING_MIG))
        return fail(err, LSCHED_E_INVAL,
                    "node '%.*s': device memory is over-committed, but in share mode %u a task "
                    "cannot have a limit above its request",
                    len, name, v->share_mode);
    return LSCHED_OK;
}

static int32_t more_devices(const char *name, int len, lsched_error *err) {
    return fail(err, LSCHED_E_LIMIT, "node '%.*s': more than %d devices", len, name,
                LSCHED_DEVICES_PER_NODE_MAX);
}

/* Checks that devices in mode MIG are among the first devices of the node. first: index of the
 * first of `count` equal devices. */
static int32_t check_mig_index(const struct device_spec *v, uint32_t first, uint32_t count,
                               const char *name, int len, lsched_error *err) {
    if (v->share != LSCHED_SHARING_MIG || first + count <= DEVICE_MIG_INDEXES) return LSCHED_OK;
    return fail(err, LSCHED_E_LIMIT,
                "node '%.*s': device %u is in share mode MIG; only the first %u devices of a node "
                "can be. List the MIG devices first, or add the others as another node",
                len, name, first < DEVICE_MIG_INDEXES ? DEVICE_MIG_INDEXES : first,
                DEVICE_MIG_INDEXES);
}

static int32_t api_nodes_read_devices(const lsched_node_desc *d, struct node_spec *spec,
                                      node_attributes *attributes, const char *name, int len,
                                      lsched_error *err) {
    size_t stride;
    int32_t rc = arg_stride(d->devices, d->n_devices, d->device_elem_size, "devices", &stride, err);
    if (rc != LSCHED_OK) return rc;
    if (d->n_devices && !d->devices)
        return fail(err, LSCHED_E_NULL, "node '%.*s': devices is NULL", len, name);
    for (uint32_t i = 0; i < d->n_devices; i++) {
        lsched_device_desc v;
        rc = arg_struct(&v, sizeof v, (const char *)d->devices + i * stride, stride, "device", err);
        if (rc == LSCHED_OK) rc = arg_name(&v.model, "device model", err);
        if (rc != LSCHED_OK) return rc;
        uint32_t count = v.count ? v.count : 1;
        if (count > LSCHED_DEVICES_PER_NODE_MAX - spec->n_devices)
            return more_devices(name, len, err);
        if (v.memory_bytes < 0 || v.memory_bytes > LSCHED_AMOUNT_MAX / LSCHED_DEVICES_PER_NODE_MAX)
            return fail(err, LSCHED_E_RANGE, "node '%.*s': device memory %lld; expected 0 to 2^55",
                        len, name, (long long)v.memory_bytes);
        if (v.share_mode > LSCHED_SHARING_TIME_SLICE)
            return fail(err, LSCHED_E_INVAL,
                        "node '%.*s': share mode %u; expected LSCHED_SHARING_*", len, name,
                        v.share_mode);
        rc = check_parts(&v, name, len, err);
        if (rc != LSCHED_OK) return rc;
        struct device_spec one = {.model = v.model,
                                  .memory_bytes = v.memory_bytes,
                                  .sm_count = v.sm_count,
                                  .overcommit_milli = v.memory_overcommit_milli,
                                  .share = (uint8_t)v.share_mode};
        rc = check_mig_index(&one, spec->n_devices, count, name, len, err);
        if (rc == LSCHED_OK) rc = node_read_mig(&v, &one, name, len, err);
        if (rc == LSCHED_OK) rc = node_read_attributes(&v, attributes[i], &one, name, len, err);
        if (rc != LSCHED_OK) return rc;
        for (uint32_t j = 0; j < count; j++) spec->devices[spec->n_devices++] = one;
    }
    spec->capacity[LSCHED_GPU] = (int64_t)spec->n_devices * 1000;
    return LSCHED_OK;
}

/* Checks that no total capacity of the cluster exceeds 2^62. Nodes that are not ready count,
 * too. */
static int32_t api_nodes_check_totals(const struct columns *k, const int64_t *more,
                                      const char *name, int len, lsched_error *err) {
    for (uint32_t r = 1; r < kind_count(k); r++) {
        int64_t total = (int64_t)meta(k, M_TOTAL_CAP + r);
        if (more[r] <= LSCHED_AMOUNT_MAX - total) continue;
        return fail(err, LSCHED_E_RANGE,
                    "node '%.*s': with this node, the cluster's sum of %.*s would exceed 2^62", len,
                    name, (int)text_len(k, k->c[C_KIND_NAME].u32[r]),
                    (const char *)text_bytes(k, k->c[C_KIND_NAME].u32[r]));
    }
    return LSCHED_OK;
}

/* Encodes the machine of the node (links, NUMA nodes, network cards) as canonical bytes in *b.
 * The caller closes b. */
static int32_t read_inside(const lsched_node_desc *d, struct node_spec *spec, struct bytes *b,
                           lsched_error *err) {
    struct machine_shape m;
    if (!d->machine) return LSCHED_OK;
    int32_t rc = machine_read(d->machine, spec->n_devices, spec->capacity, d->name, &m, err);
    if (rc != LSCHED_OK) return rc;
    machine_encode(b, &m);
    spec->machine = b;
    return b->failed ? LSCHED_E_NOMEM : LSCHED_OK;
}

static int32_t read_rules(const struct columns *k, const lsched_node_desc *d,
                          struct node_spec *spec, struct bytes *b, lsched_error *err) {
    char where[LSCHED_NAME_BYTES_MAX + 32]; /* fail() shortens the name */
    snprintf(where, sizeof where, "node '%.*s'", (int)d->name.len, d->name.ptr);
    int32_t rc = node_taints_read(k, NO_ROW, d->taints, d->n_taints, b, where, err);
    spec->taints = b->n ? b : NULL;
    spec->tasks_max = d->tasks_max;
    return rc;
}

/* Reads the description and checks it, except machine and taints. attributes: memory for those of
 * each element of d->devices. */
static int32_t node_desc_read(const struct columns *k, const lsched_node_desc *d,
                              node_attributes *attributes, lsched_label *labels,
                              struct node_spec *spec, lsched_error *err) {
    const char *name = d->name.ptr;
    int len = (int)d->name.len;
    if (d->state > LSCHED_NODE_DRAINING)
        return fail(err, LSCHED_E_INVAL,
                    "node '%.*s': state %u; expected ready, cordoned or draining", len, name,
                    d->state);
    if (d->price_micro_per_hour < 0 || d->power_milliwatt < 0)
        return fail(err, LSCHED_E_RANGE,
                    "node '%.*s': its price or its power is negative; expected at least 0", len,
                    name);
    int32_t rc =
        arg_amounts(k, d->capacity, d->n_capacity, AMOUNT_NO_GPU, "capacity", spec->capacity, err);
    if (rc == LSCHED_OK) rc = api_nodes_read_devices(d, spec, attributes, name, len, err);
    if (rc == LSCHED_OK) rc = node_labels_read(d->labels, d->n_labels, labels, name, len, err);
    if (rc == LSCHED_OK) rc = api_nodes_check_totals(k, spec->capacity, name, len, err);
    if (rc != LSCHED_OK) return rc;
    spec->name = d->name;
    spec->tag = d->tag;
    spec->state = (uint8_t)d->state;
    spec->labels = labels;
    spec->n_labels = d->n_labels;
    spec->price = d->price_micro_per_hour;
    spec->power = d->power_milliwatt;
    spec->leaves = d->leaves_us;
    spec->back = d->back_us;
    spec->leaves_every = d->leaves_every_us;
    return node_absence_check(d->leaves_us, d->back_us, d->leaves_every_us, d->name, err);
}

static int32_t node_desc_add(struct lsched_cluster *c, const lsched_node_desc *d,
                             node_attributes *attributes, uint32_t *row, lsched_error *err) {
    struct columns *k = &c->k;
    struct node_spec spec;
    lsched_label labels[LIMIT_LABELS_PER_NODE];
    uint64_t serial = meta(k, M_SERIAL);
    node_spec_clear(&spec);
    int32_t rc = node_desc_read(k, d, attributes, labels, &spec, err);
    if (rc != LSCHED_OK) return rc;
    struct bytes inside, taints;
    bytes_init(&inside, k->alloc);
    bytes_init(&taints, k->alloc);
    rc = read_inside(d, &spec, &inside, err);
    if (rc == LSCHED_OK) rc = read_rules(k, d, &spec, &taints, err);
    if (rc == LSCHED_OK) rc = node_add(k, &spec, row);
    if (rc == LSCHED_OK) rc = job_selectors_of_node(c, *row, serial, err);
    bytes_close(&inside);
    bytes_close(&taints);
    return rc;
}

static int32_t element_node_add(struct lsched_cluster *c, const struct call *call, size_t i,
                                const void *element, lsched_error *err) {
    struct columns *k = &c->k;
    lsched_node_desc d;
    uint32_t row;
    int32_t rc = arg_struct(&d, sizeof d, element, call->elem_size, "node", err);
    if (rc == LSCHED_OK) rc = arg_new_name(k, &d.name, LSCHED_KIND_NODE, err);
    if (rc != LSCHED_OK) return rc;
    if (d.n_devices > LSCHED_DEVICES_PER_NODE_MAX)
        return more_devices(d.name.ptr, (int)d.name.len, err);
    size_t room = d.n_devices * sizeof(node_attributes);
    node_attributes *attributes = alloc_new(k->alloc, room);
    if (room && !attributes) return LSCHED_E_NOMEM;
    rc = node_desc_add(c, &d, attributes, &row, err);
    alloc_free(k->alloc, attributes, room);
    if (rc == LSCHED_OK && call->ids) call->ids[i] = arg_id_of(k, LSCHED_KIND_NODE, row);
    return rc;
}

static const struct call_kind call_nodes_add = {.op = CALL_NODES_ADD,
                                                .apply = element_node_add,
                                                .what = "node",
                                                .struct_size = sizeof(lsched_node_desc),
                                                .name_at = offsetof(lsched_node_desc, name)};

LSCHED_API int32_t lsched_nodes_add(lsched_cluster *c, const lsched_node_desc *nodes, size_t n,
                                    size_t elem_size, const lsched_batch_opts *opts, lsched_id *ids,
                                    int32_t *status, lsched_error *err) {
    struct call call = {.kind = &call_nodes_add,
                        .n = n,
                        .elem_size = elem_size,
                        .elements = nodes,
                        .ids = ids,
                        .status = status};
    return door_batch(c, &call, opts, err);
}

/* Checks that the NUMA nodes of the node's machine, which an update cannot change, have no more
 * than the new capacity. */
static int32_t check_inside(const struct columns *k, uint32_t node, const int64_t *want,
                            lsched_text name, lsched_error *err) {
    struct machine spare;
    uint32_t machine = node_machine(k, node);
    if (machine == NO_ROW) return LSCHED_OK;
    return machine_check_capacity(&machine_get(k, machine, &spare)->s, want, name, err);
}

static int32_t update_capacity(struct columns *k, uint32_t node, const lsched_node_update *u,
                               lsched_error *err) {
    int64_t want[KINDS_MAX], more[KINDS_MAX];
    for (uint32_t r = 0; r < kind_count(k); r++) want[r] = r ? k->c[C_NODE_CAP + r].i64[node] : 0;
    int32_t rc = arg_amounts(k, u->capacity, u->n_capacity, AMOUNT_NO_GPU, "capacity", want, err);
    if (rc != LSCHED_OK) return rc;
    for (uint32_t r = 1; r < kind_count(k); r++) more[r] = want[r] - k->c[C_NODE_CAP + r].i64[node];
    lsched_text name = text_of(k, k->c[C_NODE_NAME].u32[node]);
    rc = api_nodes_check_totals(k, more, name.ptr, (int)name.len, err);
    if (rc == LSCHED_OK) rc = check_inside(k, node, want, name, err);
    for (uint32_t r = 1; r < kind_count(k) && rc == LSCHED_OK; r++)
        rc = node_set_capacity(k, node, r, want[r]);
    if (rc == LSCHED_OK) rc = node_trim_nominations(k, node, (int64_t)meta(k, M_NOW), NULL, NULL);
    return rc;
}

/* Number of values in facts[]: the capacities, then the class, the labels and the state of a
 * node. If any of these values changes, earlier refusals by the node end. */
enum { FACTS = KINDS_MAX + 3 };

static void facts_of(const struct columns *k, uint32_t node, int64_t facts[FACTS]) {
    memset(facts, 0, FACTS * sizeof *facts);
    for (uint32_t r = 1; r < (uint32_t)meta(k, M_N_KINDS); r++)
        facts[r] = k->c[C_NODE_CAP + r].i64[node];
    facts[KINDS_MAX] = k->c[C_NODE_CLASS].u32[node];
    facts[KINDS_MAX + 1] = k->c[C_NODE_LABELS].u32[node];
    facts[KINDS_MAX + 2] = k->c[C_NODE_STATE].u8[node];
}

/* Checks the values of an update that do not depend on the present values of the node. */
static int32_t check_update(const struct columns *k, uint32_t node, const lsched_node_update *u,
                            lsched_error *err) {
    if (u->set & ~511u)
        return fail(err, LSCHED_E_INVAL,
                    "node update: set has unknown bits %#x; expected LSCHED_NODE_SET_*", u->set);
    if ((u->set & LSCHED_NODE_SET_STATE) && u->state > LSCHED_NODE_DRAINING)
        return fail(err, LSCHED_E_INVAL,
                    "node update: state %u; expected ready, cordoned or draining", u->state);
    if ((u->set & LSCHED_NODE_SET_PRICE) && u->price_micro_per_hour < 0)
        return fail(err, LSCHED_E_RANGE, "node update: the price is negative; expected at least 0");
    if (!(u->set & LSCHED_NODE_SET_ABSENCE)) return LSCHED_OK;
    int32_t rc = reserved_use_node(k, node, err);
    if (rc != LSCHED_OK) return rc;
    return node_absence_check(u->leaves_us, u->back_us, u->leaves_every_us,
                              text_of(k, k->c[C_NODE_NAME].u32[node]), err);
}

static int32_t element_node_update(struct lsched_cluster *c, const struct call *call, size_t i,
                                   const void *element, lsched_error *err) {
    struct columns *k = &c->k;
    lsched_node_update u;
    int64_t before[FACTS], after[FACTS];
    uint32_t node;
    int32_t rc = arg_struct(&u, sizeof u, element, call->elem_size, "node update", err);
    if (rc == LSCHED_OK)
        rc = arg_reserved_at(u.reserved_zero, "reserved_zero", NULL, "node update", i, err);
    if (rc == LSCHED_OK) rc = arg_ref(k, u.node, u.name, LSCHED_KIND_NODE, &node, err);
    if (rc != LSCHED_OK) return rc;
    rc = check_update(k, node, &u, err);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    facts_of(k, node, before);
    if (u.set & LSCHED_NODE_SET_CAPACITY) rc = update_capacity(k, node, &u, err);
    if (rc == LSCHED_OK) rc = node_labels_update(k, node, &u, err);
    if (rc == LSCHED_OK) rc = node_rules_update(k, node, &u, err);
    if (rc == LSCHED_OK && (u.set & LSCHED_NODE_SET_MIG)) rc = node_mig_update(k, node, &u, err);
    if (rc != LSCHED_OK) return rc;
    if (u.set & LSCHED_NODE_SET_TAG) set_u64(k, C_NODE_TAG, node, u.tag);
    if (u.set & LSCHED_NODE_SET_PRICE) {
        set_i64(k, C_NODE_PRICE, node, u.price_micro_per_hour);
        structure_raise(k); /* scores can depend on the price */
        touch_node(k, node);
    }
    if (u.set & LSCHED_NODE_SET_ABSENCE) {
        absence_set(k, node, u.leaves_us, u.back_us, u.leaves_every_us);
        rc = warning_node_changed(k, node);
        if (rc != LSCHED_OK) return rc;
    }
    if (u.set & LSCHED_NODE_SET_STATE) node_set_state(k, node, (uint8_t)u.state);
    facts_of(k, node, after);
    int same = !(u.set & LSCHED_NODE_SET_MIG) && memcmp(before, after, sizeof after) == 0;
    return same ? LSCHED_OK : refusals_node_changed(k, node);
}

static const struct call_kind call_nodes_update = {.op = CALL_NODES_UPDATE,
                                                   .apply = element_node_update,
                                                   .what = "node",
                                                   .object = LSCHED_KIND_NODE,
                                                   .struct_size = sizeof(lsched_node_update),
                                                   .name_at = offsetof(lsched_node_update, name),
                                                   .id_at = offsetof(lsched_node_update, node)};

LSCHED_API int32_t lsched_nodes_update(lsched_cluster *c, const lsched_node_update *updates,
                                       size_t n, size_t elem_size, const lsched_batch_opts *opts,
                                       int32_t *status, lsched_error *err) {
    struct call call = {.kind = &call_nodes_update,
                        .n = n,
                        .elem_size = elem_size,
                        .elements = updates,
                        .status = status};
    return door_batch(c, &call, opts, err);
}

/* Removes a node. Its tasks are lost, and each of them waits again. The gang rule is applied once
 * to each job, after all tasks of the job on the node are released. */
static int32_t element_node_remove(struct lsched_cluster *c, const struct call *call, size_t i,
                                   const void *element, lsched_error *err) {
    struct columns *k = &c->k;
    uint32_t node;
    (void)i;
    int32_t rc = arg_id(k, *(const lsched_id *)element, LSCHED_KIND_NODE, &node, err);
    if (rc == LSCHED_E_STALE && call_is_idempotent(call)) return LSCHED_UNCHANGED;
    if (rc != LSCHED_OK) return rc;
    rc = node_lose_tasks(k, node, DEVICE_SET_ALL, NULL, NULL);
    if (rc == LSCHED_OK) rc = refusals_forget_node(k, node);
    if (rc != LSCHED_OK) return rc;
    memory_pressure_forget(k, node);
    return node_remove(k, node);
}

static const struct call_kind call_nodes_remove = {
    .op = CALL_NODES_REMOVE, .apply = element_node_remove, .object = LSCHED_KIND_NODE, .is_id = 1};

LSCHED_API int32_t lsched_nodes_remove(lsched_cluster *c, const lsched_id *nodes, size_t n,
                                       const lsched_batch_opts *opts, int32_t *status,
                                       lsched_error *err) {
    struct call call = {.kind = &call_nodes_remove,
                        .n = n,
                        .elem_size = sizeof *nodes,
                        .elements = nodes,
                        .status = status};
    return door_batch(c, &call, opts, err);
}
