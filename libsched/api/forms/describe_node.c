/* describe_node.c -- see description.h: the description of a node. */
#include "api/forms/description.h"

#include "model/devices/device_mig.h"
#include "model/machine/machine.h"
#include "model/nodes/absence.h"
#include "model/shapes/device_class.h"
#include "model/shapes/node_rules.h"
#include "model/shapes/resource_kind.h"

static void describe_instances(struct lsched_description *d, const struct mig_table *t,
                               uint32_t geometry, lsched_device_desc *to) {
    lsched_mig_instance *list = description_take(d, MIG_SLICES, sizeof *list);
    to->instances = list;
    for (uint32_t s = 0; s < MIG_SLICES && list; s++) {
        uint32_t p = mig_at(geometry, s);
        if (p == MIG_NONE) continue;
        const char *name = t->profiles[p].name; /* static */
        list[to->n_instances++] =
            (lsched_mig_instance){.profile = {name, strlen(name)}, .start = s};
    }
}

static void describe_device(struct lsched_description *d, const struct columns *k, uint32_t device,
                            uint32_t geometry, lsched_device_desc *to) {
    struct device_spec s;
    lsched_label attributes[LSCHED_ATTRIBUTES_MAX];
    device_class_spec(k, k->c[C_DEVICE_CLASS].u16[device], &s, attributes);
    *to = (lsched_device_desc)LSCHED_DEVICE_DESC_INIT;
    to->count = 1;
    to->model = description_text(d, s.model);
    to->memory_bytes = s.memory_bytes;
    to->share_mode = s.share;
    to->sm_count = s.sm_count;
    to->memory_overcommit_milli = s.overcommit_milli;
    to->mig_static = s.mig_static;
    if (s.mig_table) {
        const struct mig_table *t = mig_table_at(s.mig_table - 1u);
        to->mig_table = (lsched_text){t->name, strlen(t->name)};
        describe_instances(d, t, geometry, to);
    }
    lsched_label *list = description_take(d, s.n_attributes, sizeof *list);
    to->attributes = list;
    to->n_attributes = list ? s.n_attributes : 0;
    for (uint32_t i = 0; i < to->n_attributes; i++) {
        list[i].key = description_text(d, attributes[i].key);
        list[i].value = description_text(d, attributes[i].value);
    }
}

/* Neighbours of the same class and with the same MIG instances are one element with a count. */
static void describe_devices(struct lsched_description *d, const struct columns *k, uint32_t node) {
    uint32_t n = k->c[C_NODE_N_DEVICES].u8[node], first = k->c[C_NODE_DEVICE_FIRST].u32[node];
    lsched_device_desc *list = description_take(d, n, sizeof *list);
    uint32_t was_class = 0, was_geometry = 0, used = 0;
    for (uint32_t i = 0; i < n && list; i++) {
        uint32_t class = k->c[C_DEVICE_CLASS].u16[first + i], geometry = 0;
        if (device_is_mig(k, first + i))
            geometry = k->c[C_SHARED_GEOMETRY].u32[k->c[C_NODE_SHARED_FIRST].u32[node] + i];
        if (used && class == was_class && geometry == was_geometry) {
            list[used - 1].count++;
            continue;
        }
        describe_device(d, k, first + i, geometry, &list[used++]);
        was_class = class;
        was_geometry = geometry;
    }
    d->of.node.devices = list;
    d->of.node.n_devices = used;
    d->of.node.device_elem_size = sizeof *list;
}

/* ---- the machine ---- */

static lsched_link link_of(uint32_t kind, uint32_t mbps) {
    return (lsched_link){.kind = (uint16_t)kind, .bandwidth_mb_per_second = mbps};
}

static void describe_links(struct lsched_description *d, const struct machine_shape *s,
                           lsched_machine_desc *to) {
    uint32_t n = s->links.n;
    lsched_link *links = description_take(d, (size_t)n * n, sizeof *links),
                *nics = description_take(d, (size_t)s->n_nics * n, sizeof *nics);
    to->links = links;
    to->nic_links = nics;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n && links; j++)
            links[i * n + j] = i == j ? link_of(LSCHED_LINK_SELF, 0)
                                      : link_of(s->links.kind[i][j], s->links.mbps[i][j]);
        for (uint32_t c = 0; c < s->n_nics && nics; c++)
            nics[c * n + i] = link_of(s->nic_kind[c][i], s->nic_mbps[c][i]);
    }
}

static uint8_t *describe_bytes(struct lsched_description *d, const uint8_t *from, uint32_t n) {
    uint8_t *to = description_take(d, n, 1);
    if (to) memcpy(to, from, n);
    return to;
}

static void describe_machine(struct lsched_description *d, const struct columns *k, uint32_t node) {
    struct machine_shape s;
    uint32_t row = node_machine(k, node);
    if (row == NO_ROW) return;
    struct reader r = reader_of(k, intern_text(k, T_MACHINE, row));
    lsched_machine_desc *to = description_take(d, 1, sizeof *to);
    if (!to || machine_decode(&r, &s) != LSCHED_OK) return;
    *to = (lsched_machine_desc)LSCHED_MACHINE_DESC_INIT;
    d->of.node.machine = to;
    to->n_devices = s.links.n;
    to->n_numa = s.n_numa;
    to->n_nics = s.n_nics;
    describe_links(d, &s, to);
    to->device_numa = describe_bytes(d, s.device_numa, s.links.n);
    to->nic_numa = describe_bytes(d, s.nic_numa, s.n_nics);
    lsched_numa_desc *numa = description_take(d, s.n_numa, sizeof *numa);
    lsched_text *nics = description_take(d, s.n_nics, sizeof *nics);
    for (uint32_t a = 0; a < s.n_numa && numa; a++)
        numa[a] = (lsched_numa_desc){s.cpu_milli[a], s.memory_bytes[a]};
    for (uint32_t c = 0; c < s.n_nics && nics; c++) nics[c] = description_text(d, s.nic_name[c]);
    to->numa = numa;
    to->nics = nics;
}

/* ---- the node ---- */

static void describe_taints(struct lsched_description *d, const struct columns *k, uint32_t node) {
    lsched_taint list[LIMIT_TAINTS_PER_NODE];
    int64_t since[LIMIT_TAINTS_PER_NODE];
    uint32_t n = rules_taints(k, node_taints_row(k, node), list, since);
    lsched_taint *to = description_take(d, n, sizeof *to);
    for (uint32_t i = 0; i < n && to; i++) {
        to[i] = list[i];
        to[i].key = description_text(d, list[i].key);
        to[i].value = description_text(d, list[i].value);
    }
    d->of.node.taints = to;
    d->of.node.n_taints = to ? n : 0;
}

void describe_node(struct lsched_description *d, const struct columns *k, uint32_t node) {
    lsched_node_desc *to = &d->of.node;
    *to = (lsched_node_desc)LSCHED_NODE_DESC_INIT;
    to->name = description_text(d, text_of(k, k->c[C_NODE_NAME].u32[node]));
    to->tag = k->c[C_NODE_TAG].u64[node];
    to->state = k->c[C_NODE_STATE].u8[node];
    to->price_micro_per_hour = k->c[C_NODE_PRICE].i64[node];
    to->power_milliwatt = k->c[C_NODE_POWER].i64[node];
    to->leaves_us = absence_own(k, C_NODE_LEAVES, node);
    to->back_us = absence_own(k, C_NODE_BACK, node);
    to->leaves_every_us = absence_own(k, C_NODE_LEAVES_EVERY, node);
    to->tasks_max = k->c[C_CLASS_TASKS_MAX].u32[k->c[C_NODE_CLASS].u32[node]];
    lsched_amount *capacity = description_take(d, KINDS_MAX, sizeof *capacity);
    for (uint32_t r = 1; r < kind_count(k) && capacity; r++)
        if (r != LSCHED_GPU && k->c[C_NODE_CAP + r].i64[node])
            capacity[to->n_capacity++] =
                (lsched_amount){.kind = r, .amount = k->c[C_NODE_CAP + r].i64[node]};
    to->capacity = capacity;
    to->labels = description_labels(d, k, k->c[C_NODE_LABELS].u32[node], &to->n_labels);
    describe_devices(d, k, node);
    describe_machine(d, k, node);
    describe_taints(d, k, node);
}
