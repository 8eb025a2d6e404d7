/* node.c -- see node.h. node_add() costs O(kinds + devices + labels). node_fits(), node_take()
 * and node_give() cost O(kinds of the request + devices). */
#include "model/nodes/node.h"

#include "model/nodes/absence.h"
#include "model/shapes/daily_demand.h"
#include "model/supplies/supply.h"
#include "model/queues/usage_decay.h"
#include "model/shapes/device_class.h"
#include "model/shapes/domain.h"
#include "model/machine/machine.h"
#include "model/shapes/node_rules.h"
#include "model/devices/contention.h"
#include "model/devices/device_select.h"
#include "model/shapes/pool.h"
#include "model/store/steps.h"

static void node_structure_changed(struct columns *k, uint32_t node) {
    structure_raise(k);
    touch_node(k, node);
}

static uint32_t node_n_kinds(const struct columns *k) {
    return (uint32_t)meta(k, M_N_KINDS);
}

/* Clears the node's flag EXCESS if no free amount of the node is negative and no task on the node
 * has the flag EXCESS. */
static void excess_review(struct columns *k, uint32_t node) {
    if (!k->c[C_NODE_EXCESS].u8[node]) return;
    for (uint32_t r = 1; r < node_n_kinds(k); r++)
        if (k->c[C_NODE_FREE + r].i64[node] < 0) return;
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t])
        if (k->c[C_TASK_EXCESS].u8[t]) return;
    set_u8(k, C_NODE_EXCESS, node, 0);
}

/* Adds the node's capacity to the cluster's totals (sign 1), or subtracts it (sign -1). ready: 1
 * for the totals over the nodes that accept new tasks, 0 for the totals over all nodes. */
static void total_add(struct columns *k, uint32_t node, int sign, int ready) {
    if (!ready) usage_decay_settle_capacity(k);
    for (uint32_t r = 1; r < node_n_kinds(k); r++) {
        int64_t cap = k->c[C_NODE_CAP + r].i64[node] * sign;
        uint32_t w = (ready ? M_TOTAL_READY : M_TOTAL_CAP) + r;
        set_meta(k, w, (uint64_t)((int64_t)meta(k, w) + cap));
    }
}

/* Keeps the number of nodes that stop running tasks (draining, or with a taint that stops tasks).
 * The caller calls it with -1 before a change of the node and with 1 after the change. */
static void stopper_add(struct columns *k, uint32_t node, int sign) {
    if (k->c[C_NODE_STATE].u8[node] == LSCHED_NODE_DRAINING || rules_stop_there(k, node))
        set_meta(k, M_STOPPERS, meta(k, M_STOPPERS) + (uint64_t)(int64_t)sign);
}

static int32_t intern_labels(struct columns *k, const struct node_spec *spec, uint32_t *row) {
    struct bytes b;
    bytes_init(&b, k->alloc);
    bytes_u32(&b, spec->n_labels);
    for (uint32_t i = 0; i < spec->n_labels; i++) {
        bytes_text(&b, spec->labels[i].key);
        bytes_text(&b, spec->labels[i].value);
    }
    int created;
    *row = b.failed ? NO_ROW : intern_get(k, T_LABELS, b.p, b.n, &created);
    if (*row != NO_ROW) pool_fill(k, *row);
    int32_t rc = *row != NO_ROW ? LSCHED_OK : b.too_long ? LSCHED_E_LIMIT : LSCHED_E_NOMEM;
    bytes_close(&b);
    return rc;
}

/* Fills the columns of a new node class. */
static int32_t class_fill(struct columns *k, uint32_t class, const struct node_spec *spec) {
    int created;
    set_u32(k, C_CLASS_MACHINE, class, NO_ROW);
    set_u32(k, C_CLASS_TAINTS, class, NO_ROW);
    set_u32(k, C_CLASS_TASKS_MAX, class, spec->tasks_max);
    if (spec->machine) {
        uint32_t row = intern_get(k, T_MACHINE, spec->machine->p, spec->machine->n, &created);
        if (row == NO_ROW) return LSCHED_E_NOMEM;
        set_u32(k, C_CLASS_MACHINE, class, row);
        if (created) machine_counts(k, row);
    }
    if (spec->taints) {
        uint32_t row = intern_get(k, T_TAINTS, spec->taints->p, spec->taints->n, &created);
        if (row == NO_ROW) return LSCHED_E_NOMEM;
        set_u32(k, C_CLASS_TAINTS, class, row);
    }
    return LSCHED_OK;
}

/* Writes the taints of devices: a marker, and for each device with taints its index + 1 and the
 * bytes of its taints; then 0. A node without such devices has none of this. */
static void class_put_device_taints(const struct columns *k, struct bytes *b,
                                    const struct node_spec *spec) {
    if (!spec->device_taints) return;
    bytes_u32(b, UINT32_MAX - 1);
    for (uint32_t i = 0; i < spec->n_devices; i++) {
        if (spec->device_taints[i] == 0) continue;
        lsched_text t = text_of(k, intern_text(k, T_TAINTS, spec->device_taints[i] - 1));
        bytes_u32(b, i + 1);
        bytes_put(b, t.ptr, (size_t)t.len);
    }
    bytes_u32(b, 0);
}

/* Interns a node class: the properties that equal nodes have in common, which are capacity by
 * kind name, devices, labels, taints and machine. */
static int32_t intern_class(struct columns *k, const struct node_spec *spec, uint32_t labels,
                            uint32_t *row) {
    struct bytes b;
    bytes_init(&b, k->alloc);
    for (uint32_t r = 1; r < node_n_kinds(k); r++) {
        if (!spec->capacity[r]) continue;
        bytes_text(&b, text_of(k, k->c[C_KIND_NAME].u32[r]));
        bytes_i64(&b, spec->capacity[r]);
    }
    bytes_u32(&b, UINT32_MAX);
    for (uint32_t i = 0; i < spec->n_devices; i++) device_class_encode(&b, &spec->devices[i]);
    lsched_text l = text_of(k, intern_text(k, T_LABELS, labels));
    bytes_put(&b, l.ptr, (size_t)l.len);
    /* Nodes with different closed devices are not equal: links or attributes can make a difference.
     * The marker cannot be a number of bytes of taints. */
    if (spec->closed) {
        bytes_u32(&b, UINT32_MAX);
        for (uint32_t from = 0; from < spec->n_devices; from += 32)
            bytes_u32(&b, (uint32_t)(spec->closed >> from));
    }
    class_put_device_taints(k, &b, spec);
    bytes_u32(&b, spec->tasks_max);
    bytes_u32(&b, spec->taints ? (uint32_t)spec->taints->n : 0);
    if (spec->taints) bytes_put(&b, spec->taints->p, spec->taints->n);
    if (spec->machine) bytes_put(&b, spec->machine->p, spec->machine->n);
    int created;
    *row = b.failed ? NO_ROW : intern_get(k, T_CLASS, b.p, b.n, &created);
    int32_t rc = *row != NO_ROW ? LSCHED_OK : b.too_long ? LSCHED_E_LIMIT : LSCHED_E_NOMEM;
    bytes_close(&b);
    return rc == LSCHED_OK && created ? class_fill(k, *row, spec) : rc;
}

/* Removes one holder of a node class. With the last holder, the class, its machine and its taints
 * are dropped. */
static void class_drop(struct columns *k, uint32_t class) {
    if (intern_is_last(k, T_CLASS, class)) {
        uint32_t machine = k->c[C_CLASS_MACHINE].u32[class],
                 taints = k->c[C_CLASS_TAINTS].u32[class];
        if (machine != NO_ROW) intern_drop(k, T_MACHINE, machine);
        if (taints != NO_ROW) intern_drop(k, T_TAINTS, taints);
    }
    intern_drop(k, T_CLASS, class);
}

static int32_t devices_add(struct columns *k, uint32_t node, const struct node_spec *spec) {
    if (spec->n_devices == 0) {
        set_u32(k, C_NODE_DEVICE_FIRST, node, NO_ROW);
        return LSCHED_OK;
    }
    uint32_t first = block_new(k, BLOCKS_DEVICE, spec->n_devices);
    if (first == NO_ROW) return LSCHED_E_NOMEM;
    for (uint32_t i = 0; i < spec->n_devices; i++) {
        const struct device_spec *d = &spec->devices[i];
        uint32_t model = string_get(k, d->model.ptr, (size_t)d->model.len), class;
        if (model == NO_ROW) return LSCHED_E_NOMEM;
        int32_t rc = device_class_get(k, d, &class);
        if (rc == LSCHED_OK) rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        set_u16(k, C_DEVICE_CLASS, first + i, (uint16_t) class);
        set_u32(k, C_DEVICE_NODE, first + i, node);
        set_u32(k, C_DEVICE_MODEL, first + i, model);
        set_u16(k, C_DEVICE_FREE_MILLI, first + i, 1000);
        set_u8(k, C_DEVICE_SHARE, first + i, d->share);
        set_i64(k, C_DEVICE_MEM, first + i, d->memory_bytes);
        set_i64(k, C_DEVICE_MEM_FREE, first + i, d->memory_bytes);
    }
    set_u32(k, C_NODE_DEVICE_FIRST, node, first);
    set_u8(k, C_NODE_N_DEVICES, node, (uint8_t)spec->n_devices);
    set_u8(k, C_NODE_GPU_WHOLE, node, (uint8_t)spec->n_devices);
    int32_t rc = devices_share(k, node);
    return rc == LSCHED_OK ? contention_node_add(k, node) : rc;
}

/* Stores the MIG instances that exist when the node is added. */
static void geometries_add(struct columns *k, uint32_t node, const struct node_spec *spec) {
    uint32_t shared = k->c[C_NODE_SHARED_FIRST].u32[node];
    for (uint32_t i = 0; i < spec->n_devices; i++)
        if (spec->devices[i].geometry)
            set_u32(k, C_SHARED_GEOMETRY, shared + i, spec->devices[i].geometry);
}

/* Makes one row for each NUMA node of the node, with all its amounts free. */
static int32_t node_numa_add(struct columns *k, uint32_t node) {
    uint32_t n = machine_numa_rows(k, node);
    if (n == 0) return LSCHED_OK;
    uint32_t first = block_new(k, BLOCKS_NUMA, n);
    if (first == NO_ROW) return LSCHED_E_NOMEM;
    set_u32(k, C_NODE_NUMA_FIRST, node, first);
    machine_fill(k, node);
    return LSCHED_OK;
}

int32_t node_add(struct columns *k, const struct node_spec *spec, uint32_t *out) {
    int32_t rc = undo_room(k);
    if (rc == LSCHED_OK) rc = index_reserve(k, T_IX_NODE, 1);
    if (rc != LSCHED_OK) return rc;
    uint32_t node = row_new(k, T_NODE);
    uint32_t name = node == NO_ROW ? NO_ROW : text_new(k, spec->name.ptr, (size_t)spec->name.len);
    if (name == NO_ROW) return LSCHED_E_NOMEM;
    set_u32(k, C_NODE_NAME, node, name);
    set_u64(k, C_NODE_TAG, node, spec->tag);
    set_u8(k, C_NODE_STATE, node, spec->state);
    set_i64(k, C_NODE_PRICE, node, spec->price);
    set_i64(k, C_NODE_POWER, node, spec->power);
    SET_NONE(k, node, C_NODE_TASK_FIRST, C_NODE_SHARED_FIRST, C_NODE_NUMA_FIRST, C_NODE_REFUSAL,
             C_NODE_RESIZES, C_NODE_CROWD_FIRST, C_NODE_RESERVATION);
    uint32_t labels, class;
    rc = intern_labels(k, spec, &labels);
    if (rc == LSCHED_OK) rc = intern_class(k, spec, labels, &class);
    if (rc == LSCHED_OK) rc = devices_add(k, node, spec);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    set_u32(k, C_NODE_LABELS, node, labels);
    set_u32(k, C_NODE_CLASS, node, class);
    geometries_add(k, node, spec);
    rc = node_numa_add(k, node);
    if (rc != LSCHED_OK) return rc;
    for (uint32_t r = 1; r < node_n_kinds(k); r++) {
        set_i64(k, C_NODE_CAP + r, node, spec->capacity[r]);
        set_i64(k, C_NODE_FREE + r, node, spec->capacity[r]);
    }
    total_add(k, node, 1, 0);
    if (spec->state == LSCHED_NODE_READY) total_add(k, node, 1, 1);
    stopper_add(k, node, 1);
    index_add(k, T_IX_NODE, node);
    node_set_raise(k);
    rc = domains_join(k, node);
    if (rc == LSCHED_OK) rc = supply_node_joined(k, node);
    if (rc != LSCHED_OK) return rc;
    node_structure_changed(k, node);
    absence_set(k, node, spec->leaves, spec->back, spec->leaves_every);
    node_grew(k, node);
    *out = node;
    return LSCHED_OK;
}

static int32_t node_leave_domains(struct columns *k, uint32_t node) {
    struct supply_leaving places;
    int32_t rc = supply_node_leaves(k, node, &places);
    if (rc != LSCHED_OK) return rc;
    domains_leave(k, node);
    supply_node_left(k, &places);
    return LSCHED_OK;
}

int32_t node_remove(struct columns *k, uint32_t node) {
    assert(k->c[C_NODE_TASKS].u32[node] == 0 && k->c[C_NODE_REFUSAL].u32[node] == NO_ROW);
    int32_t rc = node_leave_domains(k, node);
    if (rc == LSCHED_OK) rc = contention_node_drop(k, node);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    absence_set(k, node, 0, 0, 0);
    node_ungrew(k, node);
    total_add(k, node, -1, 0);
    if (k->c[C_NODE_STATE].u8[node] == LSCHED_NODE_READY) total_add(k, node, -1, 1);
    stopper_add(k, node, -1);
    index_remove(k, T_IX_NODE, node);
    uint32_t n = k->c[C_NODE_N_DEVICES].u8[node], first = k->c[C_NODE_DEVICE_FIRST].u32[node];
    for (uint32_t i = 0; i < n; i++) {
        intern_drop(k, T_STRING, k->c[C_DEVICE_MODEL].u32[first + i]);
        if (k->c[C_DEVICE_TAINTS].u32[first + i])
            intern_drop(k, T_TAINTS, device_taints_row(k, first + i));
        device_class_drop(k, k->c[C_DEVICE_CLASS].u16[first + i]);
    }
    if (k->c[C_NODE_SHARED_FIRST].u32[node] != NO_ROW)
        block_free(k, BLOCKS_SHARED, k->c[C_NODE_SHARED_FIRST].u32[node], n);
    if (k->c[C_NODE_NUMA_FIRST].u32[node] != NO_ROW)
        block_free(k, BLOCKS_NUMA, k->c[C_NODE_NUMA_FIRST].u32[node], machine_numa_rows(k, node));
    if (n) block_free(k, BLOCKS_DEVICE, first, n);
    class_drop(k, k->c[C_NODE_CLASS].u32[node]);
    intern_drop(k, T_LABELS, k->c[C_NODE_LABELS].u32[node]);
    text_free(k, k->c[C_NODE_NAME].u32[node]);
    row_free(k, T_NODE, node);
    node_set_raise(k);
    node_structure_changed(k, node);
    return LSCHED_OK;
}

void node_set_state(struct columns *k, uint32_t node, uint8_t state) {
    uint8_t was = k->c[C_NODE_STATE].u8[node];
    if (was == state) return;
    stopper_add(k, node, -1);
    set_u8(k, C_NODE_STATE, node, state);
    stopper_add(k, node, 1);
    if (was == LSCHED_NODE_READY || state == LSCHED_NODE_READY)
        total_add(k, node, state == LSCHED_NODE_READY ? 1 : -1, 1);
    node_structure_changed(k, node);
    if (state == LSCHED_NODE_READY) node_grew(k, node);
}

/* Copies the bytes of an interned row to *b, because columns can move, and returns b; returns
 * NULL if row is NO_ROW. */
static const struct bytes *blob_copy(const struct columns *k, uint32_t table, uint32_t row,
                                     struct bytes *b) {
    bytes_init(b, k->alloc);
    if (row == NO_ROW) return NULL;
    lsched_text t = text_of(k, intern_text(k, table, row));
    bytes_put(b, t.ptr, (size_t)t.len);
    return b;
}

/* Copies the devices of the node to *spec. attributes: one row for each device of the node. */
static void devices_of(const struct columns *k, uint32_t node, node_attributes *attributes,
                       struct node_spec *spec) {
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node];
    for (uint32_t i = 0; i < spec->n_devices; i++) {
        device_class_spec(k, k->c[C_DEVICE_CLASS].u16[first + i], &spec->devices[i], attributes[i]);
        if (device_is_closed(k, first + i)) spec->closed |= device_set_bit(i);
    }
}

/* Gives the node the class that fits its present values, after its capacity, labels or taints
 * changed. */
static int32_t class_renew(struct columns *k, uint32_t node, const struct node_rules_change *to) {
    struct node_spec spec;
    node_spec_clear(&spec);
    spec.n_devices = k->c[C_NODE_N_DEVICES].u8[node];
    uint32_t old = k->c[C_NODE_CLASS].u32[node];
    size_t room = (spec.n_devices + 1) * sizeof(node_attributes);
    node_attributes *attributes = alloc_new(k->alloc, room);
    if (!attributes) return LSCHED_E_NOMEM;
    devices_of(k, node, attributes, &spec);
    if (k->c[C_NODE_TAINTED].u8[node])
        spec.device_taints = k->c[C_DEVICE_TAINTS].u32 + k->c[C_NODE_DEVICE_FIRST].u32[node];
    for (uint32_t r = 1; r < node_n_kinds(k); r++)
        spec.capacity[r] = k->c[C_NODE_CAP + r].i64[node];
    struct bytes machine, taints;
    spec.machine = blob_copy(k, T_MACHINE, k->c[C_CLASS_MACHINE].u32[old], &machine);
    spec.taints = blob_copy(k, T_TAINTS, k->c[C_CLASS_TAINTS].u32[old], &taints);
    spec.tasks_max = k->c[C_CLASS_TASKS_MAX].u32[old];
    if (to && to->sets_taints) spec.taints = to->taints;
    if (to && to->sets_tasks_max) spec.tasks_max = to->tasks_max;
    uint32_t class;
    int32_t rc = machine.failed || taints.failed
                     ? LSCHED_E_NOMEM
                     : intern_class(k, &spec, k->c[C_NODE_LABELS].u32[node], &class);
    bytes_close(&machine);
    bytes_close(&taints);
    alloc_free(k->alloc, attributes, room);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    class_drop(k, old);
    set_u32(k, C_NODE_CLASS, node, class);
    return LSCHED_OK;
}

int32_t node_set_capacity(struct columns *k, uint32_t node, uint32_t kind, int64_t amount) {
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    int64_t d = amount - k->c[C_NODE_CAP + kind].i64[node];
    if (d == 0) return LSCHED_OK;
    int ready = k->c[C_NODE_STATE].u8[node] == LSCHED_NODE_READY;
    usage_decay_settle_capacity(k);
    set_meta(k, M_TOTAL_CAP + kind, (uint64_t)((int64_t)meta(k, M_TOTAL_CAP + kind) + d));
    if (ready)
        set_meta(k, M_TOTAL_READY + kind, (uint64_t)((int64_t)meta(k, M_TOTAL_READY + kind) + d));
    set_i64(k, C_NODE_CAP + kind, node, amount);
    add_i64(k, C_NODE_FREE + kind, node, d);
    rc = class_renew(k, node, NULL);
    if (rc != LSCHED_OK) return rc;
    node_structure_changed(k, node);
    if (d > 0) node_grew(k, node);
    if (k->c[C_NODE_FREE + kind].i64[node] < 0)
        set_u8(k, C_NODE_EXCESS, node, 1);
    else
        excess_review(k, node);
    return LSCHED_OK;
}

int32_t node_set_foreign(struct columns *k, uint32_t node, uint32_t kind, int64_t amount) {
    int32_t rc = undo_room(k);
    int64_t d = amount - k->c[C_NODE_FOREIGN + kind].i64[node];
    if (rc != LSCHED_OK || d == 0) return rc;
    set_i64(k, C_NODE_FOREIGN + kind, node, amount);
    add_i64(k, C_NODE_FREE + kind, node, -d);
    touch_node(k, node);
    if (d < 0) node_grew(k, node);
    if (k->c[C_NODE_FREE + kind].i64[node] < 0)
        set_u8(k, C_NODE_EXCESS, node, 1);
    else
        excess_review(k, node);
    return LSCHED_OK;
}

int32_t node_set_labels(struct columns *k, uint32_t node, const lsched_label *labels, uint32_t n) {
    uint32_t old = k->c[C_NODE_LABELS].u32[node], row;
    struct node_spec spec = {.labels = labels, .n_labels = n};
    int32_t rc = undo_room(k);
    if (rc == LSCHED_OK) rc = intern_labels(k, &spec, &row);
    if (rc == LSCHED_OK) rc = node_leave_domains(k, node);
    if (rc != LSCHED_OK) return rc;
    set_u32(k, C_NODE_LABELS, node, row);
    intern_drop(k, T_LABELS, old);
    rc = class_renew(k, node, NULL);
    if (rc == LSCHED_OK) rc = domains_join(k, node);
    if (rc == LSCHED_OK) rc = supply_node_joined(k, node);
    if (rc != LSCHED_OK) return rc;
    node_set_raise(k); /* caches use this number to notice that the domains have changed */
    node_structure_changed(k, node);
    node_grew(k, node);
    return LSCHED_OK;
}

int32_t node_set_rules(struct columns *k, uint32_t node, const struct node_rules_change *to) {
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    stopper_add(k, node, -1);
    rc = class_renew(k, node, to);
    if (rc != LSCHED_OK) return rc;
    stopper_add(k, node, 1);
    node_structure_changed(k, node);
    node_grew(k, node);
    return LSCHED_OK;
}

int32_t node_set_device_taints(struct columns *k, uint32_t node, uint32_t index,
                               const struct bytes *taints) {
    uint32_t d = k->c[C_NODE_DEVICE_FIRST].u32[node] + index, was = k->c[C_DEVICE_TAINTS].u32[d];
    uint32_t row = NO_ROW;
    int created, more = (taints != NULL) - (was != 0);
    int32_t rc = undo_room(k);
    if (rc == LSCHED_OK && taints) {
        row = intern_get(k, T_TAINTS, taints->p, taints->n, &created);
        rc = row == NO_ROW ? LSCHED_E_NOMEM : undo_room(k);
    }
    if (rc != LSCHED_OK) return rc;
    stopper_add(k, node, -1);
    set_u32(k, C_DEVICE_TAINTS, d, row + 1u);
    set_u8(k, C_NODE_TAINTED, node, (uint8_t)(k->c[C_NODE_TAINTED].u8[node] + more));
    if (was) intern_drop(k, T_TAINTS, was - 1);
    rc = class_renew(k, node, NULL);
    if (rc != LSCHED_OK) return rc;
    stopper_add(k, node, 1);
    node_structure_changed(k, node);
    node_grew(k, node);
    return LSCHED_OK;
}

/* ---- what fits ---- */

int node_selected(const struct columns *k, uint32_t node, uint32_t shape) {
    uint32_t n = k->c[C_SHAPE_N_SELECTORS].u32[shape];
    if (n == 0) return 1;
    struct reader r = reader_of(k, intern_text(k, T_SHAPE, shape));
    r.p += k->c[C_SHAPE_SELECTORS].u32[shape];
    for (uint32_t i = 0; i < n; i++) {
        lsched_text key = reader_text(&r), value = {"", 0};
        uint32_t n_values = reader_u32(&r);
        int has = node_label(k, node, key.ptr, (size_t)key.len, &value),
            good = n_values == 0 && has;
        for (uint32_t v = 0; v < n_values; v++) {
            lsched_text want = reader_text(&r);
            if (has && text_order(want, value) == 0) good = 1;
        }
        if (!good) return 0;
    }
    return 1;
}

int node_welcomes(const struct columns *k, uint32_t node, uint32_t shape) {
    if (!node_selected(k, node, shape)) return 0;
    if (!k->c[C_SHAPE_RULES].u8[shape] && table_live(k, T_TAINTS) == 0) return 1;
    return rules_judge(k, node, shape, NULL) == RULES_ALLOW;
}

int node_able(const struct columns *k, uint32_t node, uint32_t shape) {
    for (uint32_t r = 1; r < node_n_kinds(k); r++)
        if (daily_demand_peak(k, shape, r) > k->c[C_NODE_CAP + r].i64[node]) return 0;
    uint32_t need = k->c[C_SHAPE_DEVICES].u32[shape];
    struct hold hold;
    if (k->c[C_SHAPE_PICKY].u8[shape] && !device_select(k, node, shape, DEVICE_EMPTY, NULL, &hold))
        return 0;
    return devices_suffice(k, node, shape, DEVICE_EMPTY, need) && node_welcomes(k, node, shape);
}

/* A releasing task occupies a place now but, unless it is overdue, not later; a nominated task
 * occupies a place later. For DEVICE_NOW the function returns the smaller one of both numbers, so
 * that no task takes the place of a nominated task. A nominated task that is being placed at this
 * moment is in the node's list of tasks but not in FUTURE, and is not counted. */
int64_t node_places(const struct columns *k, uint32_t node, enum device_when when) {
    int64_t most = k->c[C_CLASS_TASKS_MAX].u32[k->c[C_NODE_CLASS].u32[node]],
            held = k->c[C_NODE_TASKS].u32[node], releasing = 0, nominated = 0, stuck = 0;
    if (most == 0) return LSCHED_TASKS_PER_JOB_MAX;
    if (when == DEVICE_EMPTY) return most;
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        uint8_t state = k->c[C_TASK_STATE].u8[t];
        stuck += k->c[C_TASK_STUCK].u8[t];
        releasing += state == LSCHED_TASK_RELEASING;
        nominated += state == LSCHED_TASK_NOMINATED;
    }
    int64_t aside = releasing + nominated - k->c[C_NODE_FUTURE].u32[node],
            now = most - (held - nominated), later = most - (held - aside - (releasing - stuck));
    if (when == DEVICE_NOW) now = later < now ? later : now;
    return when == DEVICE_LATER ? later : now;
}

/* Returns 1 if the free gpu amount of the node is enough for a task. If an import took more than
 * a device has, the node's free amount is less than the sum over its devices. Therefore this
 * check is necessary in addition to the check of the devices. */
static int gpu_suffices(const struct columns *k, uint32_t node, uint32_t shape,
                        enum device_when when) {
    struct hold hold;
    int64_t f = k->c[C_NODE_FREE + LSCHED_GPU].i64[node],
            c = k->c[C_NODE_COMING + LSCHED_GPU].i64[node];
    if (when == DEVICE_LATER || (when == DEVICE_NOW && c < 0)) f += c;
    return device_select(k, node, shape, when, NULL, &hold) &&
           hold_milli(k, node, shape, &hold) <= f;
}

/* Returns 1 if a task of the shape fits by each resource kind except gpu; gpu is checked by
 * devices. */
static int kinds_fit(const struct columns *k, uint32_t node, uint32_t shape,
                     enum device_when when) {
    int future = k->c[C_NODE_FUTURE].u32[node] > 0, daily = shape_is_daily(k, shape);
    for (uint32_t r = 1; r < node_n_kinds(k); r++) {
        int64_t f = k->c[C_NODE_FREE + r].i64[node];
        if (daily && daily_demand_row(k, C_SHAPE_DAY, shape, r) != NO_ROW) {
            if (!daily_demand_fits(k, node, shape, r, when)) return 0;
            continue;
        }
        if (future) {
            int64_t c = k->c[C_NODE_COMING + r].i64[node];
            if (when == DEVICE_LATER || (when == DEVICE_NOW && c < 0)) f += c;
        }
        int64_t asked = r == LSCHED_GPU ? 0 : k->c[C_SHAPE_REQ + r].i64[shape];
        if (asked > f || f < 0) return 0;
    }
    return 1;
}

/* True if the devices of the node together have less free than a task of the shape takes, and no
 * task is releasing or nominated there. Most nodes of a full cluster fail here, and their devices
 * are not looked at. A task that asks for memory, cores or MIG instances takes another part of each
 * device. */
static int is_short_of_parts(const struct columns *k, uint32_t node, uint32_t shape) {
    int64_t taken =
        (int64_t)k->c[C_SHAPE_DEVICES].u32[shape] * k->c[C_SHAPE_DEVICE_MILLI].u32[shape];
    return taken > k->c[C_NODE_FREE + LSCHED_GPU].i64[node] && k->c[C_NODE_FUTURE].u32[node] == 0 &&
           k->c[C_SHAPE_MIG_SLICES].u8[shape] == 0 && shape_asks_share_alone(k, shape);
}

static int node_has_room(const struct columns *k, uint32_t node, uint32_t shape,
                         enum device_when when) {
    if (k->c[C_CLASS_TASKS_MAX].u32[k->c[C_NODE_CLASS].u32[node]] &&
        node_places(k, node, when) <= 0)
        return 0;
    if (!kinds_fit(k, node, shape, when)) return 0;
    uint32_t need = k->c[C_SHAPE_DEVICES].u32[shape];
    if (need == 0 && !k->c[C_SHAPE_PICKY].u8[shape]) return 1;
    if (when != DEVICE_LATER && k->c[C_SHAPE_DEVICE_MILLI].u32[shape] == 1000 &&
        k->c[C_NODE_GPU_WHOLE].u8[node] < need)
        return 0;
    if (is_short_of_parts(k, node, shape)) return 0;
    if (k->c[C_NODE_EXCESS].u8[node]) return gpu_suffices(k, node, shape, when);
    if (k->c[C_SHAPE_PICKY].u8[shape]) {
        struct hold hold;
        return device_select(k, node, shape, when, NULL, &hold);
    }
    return devices_suffice(k, node, shape, when, need);
}

int node_fits(const struct columns *k, uint32_t node, uint32_t shape) {
    return node_has_room(k, node, shape, DEVICE_NOW);
}

int node_fits_apart(const struct columns *k, uint32_t node, uint32_t shape) {
    return node_has_room(k, node, shape, DEVICE_APART);
}

int node_fits_later(const struct columns *k, uint32_t node, uint32_t shape) {
    return node_has_room(k, node, shape, DEVICE_LATER);
}

/* Adds the amounts of a task with this hold to the amounts that are in use (1), subtracts them
 * (-1) or leaves them unchanged (0). `now` says so for the amounts in use now, `later` for the
 * amounts in use after releasing tasks are gone and nominated tasks are placed. */
static void hold_add(struct columns *k, uint32_t node, uint32_t shape, const struct hold *h,
                     int now, int later) {
    int daily = shape_is_daily(k, shape);
    for (uint32_t r = 1; r < node_n_kinds(k); r++) {
        int64_t q = r == LSCHED_GPU && k->c[C_NODE_CLOSED].u8[node]
                        ? hold_open_milli(k, node, shape, h)
                        : hold_amount(k, node, shape, h, r);
        if (q == 0) continue;
        if (daily && daily_demand_row(k, C_SHAPE_DAY, shape, r) != NO_ROW) {
            daily_demand_add(k, node, shape, r, now, later);
            continue;
        }
        if (now) add_i64(k, C_NODE_FREE + r, node, -now * q);
        if (now != later) add_i64(k, C_NODE_COMING + r, node, (now - later) * q);
    }
    if (shape_n_supplies(k, shape)) supply_charge(k, node, shape, now, later);
}

void node_take(struct columns *k, uint32_t node, uint32_t shape, const struct hold *h) {
    hold_add(k, node, shape, h, 1, 1);
    devices_take(k, node, shape, h);
    machine_give(k, node, shape, h, -1);
    touch_node(k, node);
}

void node_give(struct columns *k, uint32_t node, uint32_t shape, const struct hold *h) {
    hold_add(k, node, shape, h, -1, -1);
    devices_give(k, node, shape, h);
    machine_give(k, node, shape, h, 1);
    excess_review(k, node);
    touch_node(k, node);
    node_grew(k, node);
}

void node_resize(struct columns *k, uint32_t node, const int64_t more[KINDS_MAX]) {
    int gives = 0;
    for (uint32_t r = 1; r < node_n_kinds(k); r++) {
        if (r == LSCHED_GPU || more[r] == 0) continue;
        add_i64(k, C_NODE_FREE + r, node, -more[r]);
        gives |= more[r] < 0;
    }
    touch_node(k, node);
    if (!gives) return;
    excess_review(k, node);
    node_grew(k, node);
}

void node_coming(struct columns *k, uint32_t node, uint32_t shape, const struct hold *h, int sign,
                 int count) {
    hold_add(k, node, shape, h, 0, -sign);
    devices_coming(k, node, shape, h, sign, sign * count < 0);
    machine_coming(k, node, shape, h, sign);
    add_u32(k, C_NODE_FUTURE, node, count);
    touch_node(k, node);
    if (sign > 0) node_grew(k, node);
}
