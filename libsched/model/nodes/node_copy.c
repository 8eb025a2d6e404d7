/* node_copy.c -- see node_copy.h. The texts of the present node are copied first, because columns
 * move while the new node is added. */
#include "model/nodes/node_copy.h"

#include "model/nodes/absence.h"

#include "model/machine/machine.h"

/* The texts and lists of a description. */
struct copied {
    struct bytes texts, machine, taints;
    lsched_label labels[LIMIT_LABELS_PER_NODE];
    node_attributes *attributes; /* one row for each device */
};

static const struct bytes *copy_row(const struct columns *k, uint32_t table, uint32_t row,
                                    struct bytes *b) {
    if (row == NO_ROW) return NULL;
    lsched_text t = text_of(k, intern_text(k, table, row));
    bytes_put(b, t.ptr, (size_t)t.len);
    return b;
}

/* Appends the text to c->texts, and returns its offset in place of its pointer. */
static lsched_text keep_text(struct copied *c, lsched_text t) {
    lsched_text at = {(const char *)(uintptr_t)c->texts.n, t.len};
    bytes_put(&c->texts, t.ptr, (size_t)t.len);
    return at;
}

static void place_text(const struct copied *c, lsched_text *t) {
    t->ptr = (const char *)c->texts.p + (uintptr_t)t->ptr;
}

static void copy_labels(const struct columns *k, uint32_t node, struct copied *c,
                        struct node_spec *spec) {
    struct reader r = reader_of(k, intern_text(k, T_LABELS, k->c[C_NODE_LABELS].u32[node]));
    spec->n_labels = reader_u32(&r);
    for (uint32_t i = 0; i < spec->n_labels; i++) {
        lsched_text key = reader_text(&r), value = reader_text(&r);
        c->labels[i] = (lsched_label){keep_text(c, key), keep_text(c, value)};
    }
    spec->labels = c->labels;
}

static void copy_devices(const struct columns *k, uint32_t node, struct copied *c,
                         struct node_spec *spec) {
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node];
    for (uint32_t i = 0; i < spec->n_devices; i++) {
        struct device_spec *d = &spec->devices[i];
        device_class_spec(k, k->c[C_DEVICE_CLASS].u16[first + i], d, c->attributes[i]);
        d->model = keep_text(c, d->model);
        for (uint32_t a = 0; a < d->n_attributes; a++) {
            c->attributes[i][a].key = keep_text(c, c->attributes[i][a].key);
            c->attributes[i][a].value = keep_text(c, c->attributes[i][a].value);
        }
    }
}

static void place_texts(struct copied *c, struct node_spec *spec) {
    for (uint32_t i = 0; i < spec->n_labels; i++) {
        place_text(c, &c->labels[i].key);
        place_text(c, &c->labels[i].value);
    }
    for (uint32_t i = 0; i < spec->n_devices; i++) {
        place_text(c, &spec->devices[i].model);
        for (uint32_t a = 0; a < spec->devices[i].n_attributes; a++) {
            place_text(c, &c->attributes[i][a].key);
            place_text(c, &c->attributes[i][a].value);
        }
    }
}

int32_t node_copy(struct columns *k, uint32_t node, lsched_text name, uint32_t *out) {
    struct node_spec spec = {.name = name,
                             .tag = k->c[C_NODE_TAG].u64[node],
                             .state = LSCHED_NODE_READY,
                             .n_devices = k->c[C_NODE_N_DEVICES].u8[node],
                             .price = k->c[C_NODE_PRICE].i64[node],
                             .power = k->c[C_NODE_POWER].i64[node],
                             .leaves = absence_own(k, C_NODE_LEAVES, node),
                             .back = absence_own(k, C_NODE_BACK, node),
                             .leaves_every = absence_own(k, C_NODE_LEAVES_EVERY, node)};
    uint32_t class = k->c[C_NODE_CLASS].u32[node];
    size_t room = (spec.n_devices + 1) * sizeof(node_attributes);
    struct copied c;
    c.attributes = alloc_new(k->alloc, room);
    if (!c.attributes) return LSCHED_E_NOMEM;
    bytes_init(&c.texts, k->alloc);
    bytes_init(&c.machine, k->alloc);
    bytes_init(&c.taints, k->alloc);
    copy_labels(k, node, &c, &spec);
    copy_devices(k, node, &c, &spec);
    spec.machine = copy_row(k, T_MACHINE, k->c[C_CLASS_MACHINE].u32[class], &c.machine);
    spec.taints = copy_row(k, T_TAINTS, k->c[C_CLASS_TAINTS].u32[class], &c.taints);
    spec.tasks_max = k->c[C_CLASS_TASKS_MAX].u32[class];
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
        spec.capacity[r] = k->c[C_NODE_CAP + r].i64[node];
    int failed = c.texts.failed || c.machine.failed || c.taints.failed;
    if (!failed) place_texts(&c, &spec);
    int32_t rc = failed ? LSCHED_E_NOMEM : node_add(k, &spec, out);
    bytes_close(&c.texts);
    bytes_close(&c.machine);
    bytes_close(&c.taints);
    alloc_free(k->alloc, c.attributes, room);
    return rc;
}
