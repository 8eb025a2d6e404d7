/*
 * device_select_links.h -- chooses the devices, the NUMA node and the network cards for one task,
 * on a node whose links, NUMA nodes and network cards are known.
 *
 * A task that takes whole devices gets the set of devices with the best links (link_table.h). A
 * task that takes shares gets devices as on a node without known links, in the order that the
 * shape asks for. A task with NUMA alignment `required` gets devices, cards, cpu and memory on
 * one NUMA node. Among the NUMA nodes that can hold the task, the NUMA node with the best set of
 * devices is chosen. Ties are decided by the fewest free devices that remain, then by the least
 * free cpu, then by the lowest index of the NUMA node. A task with alignment `preferred` gets one
 * NUMA node by the same rule if any NUMA node can hold the task. Otherwise the task is pinned to
 * no NUMA node and gets the devices with the best links. Network cards are chosen by the kind of
 * link to the devices and by bandwidth; ties are decided by the fewest other free devices that
 * are nearest to the card, then by the lowest index of the card. Among equally fast best sets of
 * devices, a set is preferred in which each device has a free card behind its own switch.
 *
 * Invariant: the result depends only on the node's columns and the shape. Cost: a few memory
 * reads for each NUMA node and card; the best set of devices comes from a table.
 */
#ifndef LIBSCHED_DEVICE_SELECT_LINKS_H
#define LIBSCHED_DEVICE_SELECT_LINKS_H

#include "model/machine/machine.h"
#include "model/devices/match_graph.h"
#include "model/devices/device.h"

struct device_select_ask {
    const struct columns *k;
    uint32_t node, shape;
    enum device_when when;
    device_set from;                   /* the devices that can each hold the task's share */
    const struct match_graph *friends; /* which devices one task can take together; NULL: any */
    uint32_t without;                  /* PICKY_* bits of the requirements that are ignored */
    struct machine *machine;
    struct inside inside; /* filled only if the shape asks for NUMA alignment or network cards */
};

/* Fills *ask for a node that has a machine. The description of the machine is decoded into *spare
 * if necessary. After the call, the caller sets `from` and `friends`, and can change `inside`. */
void device_select_links_open(struct device_select_ask *ask, const struct columns *k, uint32_t node,
                              uint32_t shape, enum device_when when, struct machine *spare);
/* Chooses devices, NUMA node and cards: sets all of *hold except hold->starts, and returns 1.
 * Returns 0 if no choice fits. */
int device_select_links(const struct device_select_ask *ask, struct hold *hold);
/* Completes a hold. The caller has chosen its devices, and can have chosen its cards and NUMA
 * nodes. Returns 1, or 0 if the chosen devices, cards or NUMA nodes are not suitable. */
int device_select_links_rest(const struct device_select_ask *ask, struct hold *hold);
/* Returns 1 if everything in the hold is free and satisfies the requests of the shape. */
int device_select_links_allow(struct device_select_ask *ask, const struct hold *hold);
static inline int shape_asks_inside(const struct columns *k, uint32_t shape) {
    return k->c[C_SHAPE_NUMA].u8[shape] || k->c[C_SHAPE_NICS].u8[shape];
}
/* Returns 1 if the shape requires NUMA alignment, network cards or a least kind of link. Only a
 * node with a machine description can satisfy such a requirement. */
static inline int shape_needs_machine(const struct columns *k, uint32_t shape) {
    return k->c[C_SHAPE_NUMA].u8[shape] == LSCHED_NUMA_REQUIRED || k->c[C_SHAPE_NICS].u8[shape] ||
           (k->c[C_SHAPE_WEAKEST_LINK].u8[shape] && k->c[C_SHAPE_DEVICES].u32[shape] > 1);
}

#endif
