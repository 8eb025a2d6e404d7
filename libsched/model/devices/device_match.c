/* device_match.c -- see device_match.h. */
#include "model/devices/device_match.h"

#include "model/shapes/device_class.h"
#include "model/machine/machine.h"

/* Value of an attribute of a device: the bytes of a text, or a number. If the value is a number,
 * the text is empty. */
struct value {
    lsched_text text;
    int64_t number;
    int given;
};

static int device_match_is(lsched_text name, const char *word) {
    return name.len == strlen(word) && memcmp(name.ptr, word, (size_t)name.len) == 0;
}

static struct value number_value(int64_t number, int given) {
    return (struct value){{"", 0}, number, given};
}

/* Returns the value of the attribute `name` of a device class. Its text points into the columns. */
static struct value class_value(const struct columns *k, uint32_t devclass, lsched_text name) {
    struct device_spec spec;
    lsched_label attributes[LSCHED_ATTRIBUTES_MAX];
    struct value v = {{"", 0}, 0, 0};
    device_class_spec(k, devclass, &spec, attributes);
    if (device_match_is(name, "model")) return (struct value){spec.model, 0, 1};
    if (device_match_is(name, "memory")) return number_value(spec.memory_bytes, 1);
    if (device_match_is(name, "sm_count")) return number_value(spec.sm_count, 1);
    if (device_match_is(name, "mode")) return number_value(spec.share, 1);
    for (uint32_t i = 0; i < spec.n_attributes && !v.given; i++)
        if (text_order(attributes[i].key, name) == 0) v = (struct value){attributes[i].value, 0, 1};
    return v;
}

static int value_equals(const struct value *a, const struct value *b) {
    return a->number == b->number && text_order(a->text, b->text) == 0;
}

/* Sets number[i] for each device i to the index of the first device with an equal value of the
 * attribute `name`. */
static void by_class(const struct columns *k, uint32_t node, lsched_text name, uint32_t n,
                     uint32_t *number) {
    struct value value[MATCH_DEVICES];
    const uint16_t *devclass = k->c[C_DEVICE_CLASS].u16 + k->c[C_NODE_DEVICE_FIRST].u32[node];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = 0;
        while (j < i && devclass[j] != devclass[i]) j++;
        value[i] = j < i ? value[j] : class_value(k, devclass[i], name);
        number[i] = value[i].given ? i : MATCH_LACKS;
        for (j = 0; value[i].given && j < i; j++)
            if (value[j].given && value_equals(&value[j], &value[i])) {
                number[i] = number[j];
                break;
            }
    }
}

static void by_numa(const struct columns *k, uint32_t node, uint32_t n, uint32_t *number) {
    struct machine spare;
    uint32_t row = node_machine(k, node);
    const struct machine *m = row == NO_ROW ? NULL : machine_get(k, row, &spare);
    for (uint32_t i = 0; i < n; i++)
        number[i] = m && m->s.device_numa[i] != LSCHED_NO_NUMA ? m->s.device_numa[i] : MATCH_LACKS;
}

static void by_charge(const struct columns *k, uint32_t node, uint32_t shape, uint32_t n,
                      uint32_t *number) {
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node];
    for (uint32_t i = 0; i < n; i++) number[i] = device_milli_need(k, first + i, shape);
}

void device_match_graph(const struct columns *k, uint32_t node, uint32_t shape,
                        struct match_graph *f) {
    uint32_t n = k->c[C_NODE_N_DEVICES].u8[node], number[MATCH_DEVICES] = {0};
    struct reader r;
    match_graph_all(f, n);
    f->steps = k->steps;
    if (k->c[C_SHAPE_PICKY].u8[shape] & PICKY_CHARGE) {
        by_charge(k, node, shape, n, number);
        match_graph_match(f, number, n);
        match_graph_count(f, n);
    }
    if (n == 0 || !shape_part(k, shape, SHAPE_PART_CLAIM, &r)) return;
    reader_text(&r); /* skips the selector's text, which precedes the attributes */
    for (int list = 0; list < 2; list++)
        for (uint32_t left = reader_u32(&r); left > 0; left--) {
            lsched_text name = reader_text(&r);
            if (device_match_is(name, "numa"))
                by_numa(k, node, n, number);
            else
                by_class(k, node, name, n, number);
            (list == 0 ? match_graph_match : match_graph_distinct)(f, number, n);
            match_graph_count(f, n);
        }
}
