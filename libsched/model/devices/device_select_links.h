/*
 * device_select_links.h -- which devices, which NUMA node and which network cards of a node one
 * task gets, where its inside is known.
 *
 * Whole devices: the best set by links (link_table.h). Parts: as on any node, in the order that the
 * shape asks for. Alignment: `required` keeps devices, cards, cpu and memory on one NUMA node; of
 * those that can hold the task the one with the best set of devices, then the one that is left with
 * the fewest free devices, then the least free cpu, then the lowest. `preferred` does the same
 * where some NUMA node can hold it, else the task floats: it is pinned to none, and its devices are
 * the best by links. Network cards: those nearest to the devices, by kind of link and bandwidth,
 * then those that fewest other free devices are near to, then the lowest. Of sets of devices that
 * are as fast as the best, one whose devices all have a free card behind their own switch is taken
 * first.
 *
 * Invariant: a function of the node's columns and the shape. Cost: a few loads per NUMA node and
 * card; sets of devices are looked up.
 */
#ifndef LIBSCHED_DEVICE_SELECT_LINKS_H
#define LIBSCHED_DEVICE_SELECT_LINKS_H

#include "model/machine/machine.h"
#include "model/devices/match_graph.h"
#include "model/devices/device.h"

struct pick_ask {
    const struct columns *k;
    uint32_t node, shape;
    enum device_when when;
    uint32_t from;                 /* devices on each of which the task's part fits */
    const struct friends *friends; /* who may be with whom; NULL: everybody */
    uint32_t without;              /* PICKY_* bits of wishes that are left out */
    struct machine *machine;
    struct inside inside; /* only if something is asked of it */
};

/* The node has a machine; it is decoded into *spare if need be. `from` and `friends` are the
 * caller's to set, and `inside` to change. */
void pick_ask_open(struct pick_ask *ask, const struct columns *k, uint32_t node, uint32_t shape,
                   enum device_when when, struct machine *spare);
/* 1 and all but the starts of *hold, or 0. */
int pick_links(const struct pick_ask *ask, struct hold *hold);
/* The rest of a hold whose devices, and perhaps cards and NUMA nodes, somebody else chose. 1, or
 * 0 if they do not do. */
int pick_links_rest(const struct pick_ask *ask, struct hold *hold);
/* Is this hold what the shape asks for, and free. */
int pick_links_allow(struct pick_ask *ask, const struct hold *hold);
static inline int shape_asks_inside(const struct columns *k, uint32_t shape) {
    return k->c[C_SHAPE_NUMA].u8[shape] || k->c[C_SHAPE_NICS].u8[shape];
}
/* Does the shape ask for something that only a node with a known inside has. */
static inline int shape_needs_machine(const struct columns *k, uint32_t shape) {
    return k->c[C_SHAPE_NUMA].u8[shape] == LSCHED_NUMA_REQUIRED || k->c[C_SHAPE_NICS].u8[shape] ||
           (k->c[C_SHAPE_WEAKEST_LINK].u8[shape] && k->c[C_SHAPE_DEVICES].u32[shape] > 1);
}

#endif
