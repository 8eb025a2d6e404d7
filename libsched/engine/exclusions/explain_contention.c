/* explain_contention.c -- see explain_contention.h. */
#include "engine/exclusions/explain_contention.h"

#include "model/devices/contention.h"
#include "model/nodes/node.h"

struct barring {
    uint32_t devices;     /* devices with room, on nodes that take new work */
    uint32_t node, index; /* the first of them, by the name of the node */
};

static struct barring find_barring(const struct columns *k, uint32_t shape) {
    struct barring b = {0, NO_ROW, 0};
    for (uint32_t n = 0; n < table_rows(k, T_NODE); n++) {
        if (!node_is_usable(k, n, shape)) continue;
        for (uint32_t i = 0; i < k->c[C_NODE_N_DEVICES].u8[n]; i++) {
            uint32_t d = k->c[C_NODE_DEVICE_FIRST].u32[n] + i;
            struct device_part room = device_room(k, d, DEVICE_NOW);
            if (!contention_bars(k, d, shape, DEVICE_NOW) || !device_could(k, d, shape, &room))
                continue;
            b.devices++;
            if (b.node == n || !name_before(k, C_NODE_NAME, n, b.node)) continue;
            b.node = n;
            b.index = i;
        }
    }
    return b;
}

/* Writes a slow-down in thousandths, such as 1.25. */
static void put_factor(uint32_t milli, struct text_out *o) {
    uint32_t rest = milli % 1000, digits = 3;
    for (; digits > 1 && rest % 10 == 0; digits--) rest /= 10;
    text_put(o, "%u.%0*u", milli / 1000, (int)digits, rest);
}

static lsched_text name_of(const struct contention_table *t, uint32_t kind) {
    return (lsched_text){t->name[kind], strlen(t->name[kind])};
}

/* Writes each kind on the device that bars the shape, with its number of tasks and the greater
 * slow-down of the two. */
static void put_neighbours(const struct columns *k, uint32_t device, uint32_t shape,
                           struct text_out *o) {
    const struct contention_table *t = work_kinds(k);
    uint32_t mine = k->c[C_SHAPE_WORK].u8[shape] - 1u, said = 0;
    for (uint32_t b = 0; b < t->n; b++) {
        uint32_t n = t->barred[mine] >> b & 1 ? contention_beside(k, device, 1u << b, DEVICE_NOW)
                                              : 0,
                 suffers = t->milli[mine][b], harms = t->milli[b][mine];
        if (n == 0) continue;
        text_put(o, "%s%u of '%s', ", said++ ? "; " : "", n, shown(name_of(t, b)).text);
        text_put(o, suffers >= harms ? "beside which it takes " : "which take ");
        put_factor(suffers >= harms ? suffers : harms, o);
        text_put(o, suffers >= harms ? " times as long" : " times as long beside it");
    }
}

void explain_contention_put(const struct columns *k, uint32_t shape, struct text_out *o) {
    if (!work_kind_barred(k, shape)) return;
    const struct contention_table *t = work_kinds(k);
    struct barring b = find_barring(k, shape);
    if (b.devices == 0) return;
    text_put(o,
             "; its kind of work is '%s', and %u device%s with room ha%s work beside which the "
             "policy bars it: device %u of %s has ",
             shown(name_of(t, k->c[C_SHAPE_WORK].u8[shape] - 1u)).text, b.devices,
             plural(b.devices), b.devices == 1 ? "s" : "ve", b.index, shown_node(k, b.node).text);
    put_neighbours(k, k->c[C_NODE_DEVICE_FIRST].u32[b.node] + b.index, shape, o);
    text_put(o, " (at most ");
    put_factor(t->most, o);
    text_put(o, ")");
}
