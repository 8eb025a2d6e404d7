/*
 * device_select_links.h -- chooses the devices, the NUMA node and the network cards for one task,
 * on a node whose inside is known.
 *
 * A task that takes whole devices gets the best set by links (link_table.h). A task that takes
 * shares gets devices as on any node, in the order that the shape asks for. Alignment: `required`
 * keeps devices, cards, cpu and memory on one NUMA node. Among the NUMA nodes that can hold the
 * task, the one with the best set of devices is chosen, then the one that keeps the fewest free
 * devices, then the one with the least free cpu, then the one with the lowest number. `preferred`
 * pins the task in the same way if some NUMA node can hold it. Otherwise the task is pinned to no
 * NUMA node, and its devices are the best by links. Network cards: those nearest to the devices, by
 * kind of link and bandwidth; then those that are nearest to the fewest other free devices; then
 * those with the lowest numbers. Among sets of devices that are as fast as the best, a set whose
 * devices all have a free card behind their own switch is preferred.
 *
 * Invariant: the result depends only on the node's columns and the shape. Cost: a few loads per
 * NUMA node and card; sets of devices are looked up in a table.
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
    uint32_t from;                     /* devices that can each hold the task's share */
    const struct match_graph *friends; /* which devices can be together; NULL: all */
    uint32_t without;                  /* PICKY_* bits of requirements that are ignored */
    struct machine *machine;
    struct inside inside; /* filled only if the shape asks for something inside the node */
};

/* Fills *ask for a node that has a machine, which is decoded into *spare if necessary. The caller
 * sets `from` and `friends`, and can change `inside`. */
void device_select_links_open(struct device_select_ask *ask, const struct columns *k, uint32_t node,
                              uint32_t shape, enum device_when when, struct machine *spare);
/* Sets all of *hold except the starts and returns 1, or returns 0 if no choice fits. */
int device_select_links(const struct device_select_ask *ask, struct hold *hold);
/* Completes a hold whose devices, and perhaps cards and NUMA nodes, the caller chose. Returns 1,
 * or 0 if they are not suitable. */
int device_select_links_rest(const struct device_select_ask *ask, struct hold *hold);
/* Returns 1 if the hold is free and meets what the shape asks for. */
int device_select_links_allow(struct device_select_ask *ask, const struct hold *hold);
static inline int shape_asks_inside(const struct columns *k, uint32_t shape) {
    return k->c[C_SHAPE_NUMA].u8[shape] || k->c[C_SHAPE_NICS].u8[shape];
}
/* Returns 1 if the shape asks for something that only a node with a known inside has. */
static inline int shape_needs_machine(const struct columns *k, uint32_t shape) {
    return k->c[C_SHAPE_NUMA].u8[shape] == LSCHED_NUMA_REQUIRED || k->c[C_SHAPE_NICS].u8[shape] ||
           (k->c[C_SHAPE_WEAKEST_LINK].u8[shape] && k->c[C_SHAPE_DEVICES].u32[shape] > 1);
}

#endif
