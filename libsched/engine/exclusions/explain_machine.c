/*
 * explain_machine.c -- see explain_machine.h.
 *
 * A wish is a condition on the inside of a node: a slowest allowed link, one NUMA node, or network
 * cards. If a node could hold the task after one single wish is dropped, the node is counted under
 * that wish. If dropping any single wish is not enough, the node is counted under `several`. Cost:
 * O(nodes), with a few device selections for each node.
 */
#include "engine/exclusions/explain_machine.h"

#include "model/jobs/room_without.h"
#include "model/devices/device_match.h"
#include "model/machine/machine_shape.h"
#include "model/nodes/node.h"
#include "model/devices/device_select.h"
#include "model/devices/device_select_links.h"

struct apart {
    uint32_t nodes; /* nodes with enough free of each resource kind and enough usable devices */
    uint32_t good,  /* nodes on which the task fits with all its wishes */
        unknown,    /* nodes whose inside the orchestrator has not described */
        link,       /* nodes on which the task fits without its wish for links */
        numa,       /* nodes on which the task fits without its wish for one NUMA node */
        nics,       /* nodes on which the task fits without its wish for network cards */
        several;    /* nodes with no single wish as the cause */
};

/* True if the node has enough of each resource kind and enough usable devices. The function does
 * not check links, NUMA nodes and network cards. *from is set to the bit mask of the node's usable
 * devices. */
static uint32_t has_parts(const struct columns *k, uint32_t node, uint32_t shape,
                          enum device_when when, device_set *from) {
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        struct daily_room m;
        daily_room_of(k, node, r, when == DEVICE_EMPTY ? DEVICE_EMPTY : DEVICE_APART, &m);
        if (r != LSCHED_GPU && (daily_room_left(&m) < 0 || daily_room_count(k, shape, r, &m) < 1))
            return 0;
    }
    *from = devices_taking(k, node, shape, when, UINT32_MAX);
    return device_set_count(*from) >= k->c[C_SHAPE_DEVICES].u32[shape];
}

/* Returns the PICKY_* bit of the single wish without which the node could hold the task. Returns 0
 * if no single wish is the cause. */
static uint32_t blame(const struct columns *k, uint32_t node, uint32_t shape, enum device_when when,
                      device_set from) {
    static const uint32_t wishes[] = {PICKY_NICS, PICKY_NUMA, PICKY_LINK};
    for (size_t i = 0; i < sizeof wishes / sizeof wishes[0]; i++) {
        struct machine spare;
        struct device_select_ask ask;
        struct hold hold = {0};
        if (!(k->c[C_SHAPE_PICKY].u8[shape] & wishes[i])) continue;
        device_select_links_open(&ask, k, node, shape, when, &spare);
        ask.from = from;
        ask.without = wishes[i];
        if (device_select_links(&ask, &hold)) return wishes[i];
    }
    return 0;
}

static struct apart explain_machine_look(const struct columns *k, uint32_t shape,
                                         enum device_when when) {
    struct apart a = {.nodes = 0};
    for (uint32_t n = 0; n < table_rows(k, T_NODE); n++) {
        device_set from;
        struct hold hold;
        if (!row_is_live(k, T_NODE, n) || k->c[C_NODE_STATE].u8[n] != LSCHED_NODE_READY ||
            !has_parts(k, n, shape, when, &from))
            continue;
        a.nodes++;
        if (device_select(k, n, shape, when, NULL, &hold)) {
            a.good++;
            continue;
        }
        if (node_machine(k, n) == NO_ROW) {
            a.unknown++;
            continue;
        }
        uint32_t wish = blame(k, n, shape, when, from);
        a.nics += wish == PICKY_NICS;
        a.numa += wish == PICKY_NUMA;
        a.link += wish == PICKY_LINK;
        a.several += wish == 0;
    }
    return a;
}

static void put_count(struct text_out *o, uint32_t n, const char *what, uint32_t *said) {
    if (n == 0) return;
    text_put(o, "%s%s on %u", (*said)++ ? ", " : "; what is missing: ", what, n);
}

void explain_machine_put_wishes(const struct columns *k, uint32_t shape, struct text_out *o) {
    uint32_t picky = k->c[C_SHAPE_PICKY].u8[shape], nics = k->c[C_SHAPE_NICS].u8[shape];
    if (picky & PICKY_LINK)
        text_put(o, ", linked by %s or better",
                 machine_link_word(k->c[C_SHAPE_WEAKEST_LINK].u8[shape]));
    if (picky & PICKY_NUMA) text_put(o, ", on one NUMA node");
    if (picky & PICKY_NICS) text_put(o, ", with %u network card%s", nics, plural(nics));
}

void explain_machine(const struct explain *e) {
    const struct columns *k = e->k;
    uint32_t shape = waiting_shape(k, &e->w), said = 0;
    if (!shape_needs_machine(k, shape)) return;
    struct apart a = explain_machine_look(k, shape, DEVICE_NOW);
    int empty = a.nodes == 0;
    if (empty) a = explain_machine_look(k, shape, DEVICE_EMPTY);
    if (a.nodes == a.good) return;
    PUT_LINE(e->o, "inside",
             "%u node%s %s the amounts for one task%s; on %u of them the devices fit together",
             a.nodes, plural(a.nodes), a.nodes == 1 ? "has" : "have", empty ? " when empty" : "",
             a.good);
    if (a.link)
        text_put(e->o, "; what is missing: devices linked by %s or better on %u",
                 machine_link_word(k->c[C_SHAPE_WEAKEST_LINK].u8[shape]), a.link);
    said = a.link > 0;
    put_count(e->o, a.numa, "a NUMA node with room for all of it", &said);
    put_count(e->o, a.nics, "free network cards", &said);
    put_count(e->o, a.several, "more than one thing", &said);
    if (a.unknown)
        text_put(e->o, "; on %u node%s the links and NUMA nodes are unknown", a.unknown,
                 plural(a.unknown));
    text_put(e->o, "\n");
}

int explain_machine_fits_if(const struct columns *k, uint32_t node, uint32_t shape,
                            int (*gone)(const void *of, uint32_t task), const void *of) {
    struct room_without m;
    room_without_of(k, node, shape, &m);
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        uint8_t state = k->c[C_TASK_STATE].u8[t];
        int counted = state == LSCHED_TASK_RELEASING && !k->c[C_TASK_STUCK].u8[t];
        if (!counted && gone(of, t)) room_without_add(k, node, t, 1, &m);
    }
    return room_without_holds(k, node, &m);
}
