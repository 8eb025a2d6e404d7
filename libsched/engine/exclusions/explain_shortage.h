/*
 * explain_shortage.h -- computes what a node lacks for tasks of one shape: amounts of resource
 * kinds, devices, shares of devices, or task slots.
 *
 * The functions read the present state. Therefore a wait reason that was stored earlier gets
 * present numbers. A node lacks a resource kind if and only if the fit rules (node_fits, node_able)
 * refuse the node for that kind alone. The lacking amount of a kind is need - have. If a node gets
 * its lacking amounts and nothing else changes, the task fits on the node, unless a SHORT_* bit is
 * set. Cost: O(kinds + devices) for a node, plus O(tasks on the node) if the number of tasks on the
 * node has a maximum.
 */
#ifndef LIBSCHED_EXPLAIN_SHORT_H
#define LIBSCHED_EXPLAIN_SHORT_H

#include "engine/state/object_words.h"
#include "model/devices/device.h"

enum {
    /* The sum of what is idle on all devices is enough, but not enough single devices have the
     * share of a GPU that the task needs. */
    SHORT_PIECES = 1,
    /* Enough devices have the needed share of a GPU free, but these devices have too little memory,
     * too few SMs, or another model. */
    SHORT_DEVICES = 2,
    SHORT_TASKS = 4, /* the node has as many tasks as its maximum allows */
    /* All amounts are free, but not with the wanted links, not on one NUMA node, or not with enough
     * network cards. */
    SHORT_TOGETHER = 8,
    SHORT_LABELS = 16,
    SHORT_RULES = 32, /* taints or affinity rules about nodes exclude the node */
    /* Enough devices have the needed share of a GPU free, but some of them hold a task beside which
     * this one may not be. Such devices count as full in `have`. */
    SHORT_BESIDE = 64
};

struct shortage {
    uint32_t node; /* the node that lacks these amounts, NO_ROW if no node was found */
    /* bit mask of the resource kinds that the node lacks */
    uint32_t kinds;
    uint32_t other;          /* mask of SHORT_* bits */
    int64_t need[KINDS_MAX], /* needed amount of each resource kind in `kinds` */
        have[KINDS_MAX];     /* free amount of each resource kind in `kinds` */
    /* number of devices that could serve a task and have something free */
    uint32_t pieces;
    int64_t idle, /* milli-GPUs that are free on these devices together */
        largest;  /* milli-GPUs that are free on the device with the most */
};

/* Finds what a node lacks to hold `tasks` tasks at once. The needed and free amounts are those for
 * the last of these tasks. `when` is DEVICE_NOW for the present state or DEVICE_EMPTY for an empty
 * node. */
void explain_shortage_of(const struct columns *k, uint32_t node, uint32_t shape,
                         enum device_when when, int64_t tasks, struct shortage *s);
/* Finds the node that lacks least. Nodes are compared by the number of things that they lack, then
 * by the lacking portion of the needed amounts, then by name. DEVICE_NOW compares the nodes that
 * take new work and could hold a task when empty. DEVICE_EMPTY compares all nodes.
 *
 * If `nodes` is not NULL, nodes[kind] is set to the number of nodes that lack the kind. nodes[0] is
 * set to the number of nodes that lack other things, but no resource kind.
 *
 * If `after_fit` is 1, the function finds what each node lacks for one task more than now fits on
 * the node. If `after_fit` is 0, the function finds what the node lacks for one task. */
void explain_shortage_nearest(const struct columns *k, uint32_t shape, enum device_when when,
                              int after_fit, struct shortage *best, uint32_t *nodes);
/* True if the node of `a` lacks less than the node of `b`, in the order of
 * explain_shortage_nearest. */
int explain_shortage_nearer(const struct columns *k, const struct shortage *a,
                            const struct shortage *b);
/* Returns the resource kind that a text names first: GPU if GPUs are short, else the first short
 * kind by number. Returns 0 if no kind is short. */
uint32_t explain_shortage_kind(const struct shortage *s);
/* Writes the node with its free and needed amounts, such as "n1 comes closest, with 4 of the 16 GiB
 * memory and 1 of the 8 cores". */
void explain_shortage_put(const struct columns *k, const struct shortage *s, struct text_out *o);

#endif
