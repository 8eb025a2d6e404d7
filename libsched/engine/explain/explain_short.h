/*
 * explain_short.h -- what a node lacks for tasks of one shape: amounts of resource kinds, devices,
 * portions of devices, or task slots.
 *
 * The functions read the present state, so a wait reason that was stored earlier gets present
 * numbers. A node lacks a kind if and only if the fit rules (node_fits, node_able) refuse the node
 * for that kind alone. With the lacking amounts (need - have) added and nothing else changed, the
 * node takes the task, unless a SHORT_* bit is set, too. Cost: O(kinds + devices) for a node, plus
 * O(tasks on the node) where the number of its tasks is bounded.
 */
#ifndef LIBSCHED_EXPLAIN_SHORT_H
#define LIBSCHED_EXPLAIN_SHORT_H

#include "engine/state/object_words.h"
#include "model/devices/device.h"

enum {
    /* enough is idle in sum, but not on each single device that the task needs */
    SHORT_PIECES = 1,
    /* enough devices have that much free, but they lack memory or cores, or are of another model */
    SHORT_DEVICES = 2,
    SHORT_TASKS = 4, /* the node holds as many tasks as its maximum allows */
    /* all amounts are free, but not linked, not on one NUMA node, or not with network cards */
    SHORT_TOGETHER = 8,
    SHORT_LABELS = 16,
    SHORT_RULES = 32 /* taints or affinity rules about nodes */
};

struct shortage {
    uint32_t node; /* NO_ROW if there is no such node */
    /* one bit for each resource kind of which the node lacks some */
    uint32_t kinds;
    uint32_t other;                           /* SHORT_* bits */
    int64_t need[KINDS_MAX], have[KINDS_MAX]; /* amounts for each kind in `kinds` */
    uint32_t pieces;                          /* SHORT_PIECES: devices with something free */
    /* milli-GPUs idle on all of them; most on one of them */
    int64_t idle, largest;
};

/* Finds what a node lacks for `tasks` more tasks at once. The amounts are those of the last of
 * these tasks. `when` is DEVICE_NOW or DEVICE_EMPTY. */
void explain_short_of(const struct columns *k, uint32_t node, uint32_t shape, enum device_when when,
                      int64_t tasks, struct shortage *s);
/* Finds the node that lacks least. The node that lacks the fewest things comes first; among equals,
 * the node that lacks the smallest portion of the needed amounts; then the first node by name.
 * DEVICE_NOW compares the nodes that take new work and could hold a task; DEVICE_EMPTY compares all
 * nodes. nodes[kind] is set to the number of nodes that lack some of the kind, nodes[0] to the
 * number that lack only other things; `nodes` can be NULL. With `after_fit` set, the shortage is
 * for one more task than fits on the node. */
void explain_short_nearest(const struct columns *k, uint32_t shape, enum device_when when,
                           int after_fit, struct shortage *best, uint32_t *nodes);
/* True if `a` lacks less than `b`, by the same order. */
int explain_short_nearer(const struct columns *k, const struct shortage *a,
                         const struct shortage *b);
/* Returns the kind to name in a text: gpu if it is short, else the first short kind; 0 if no kind
 * is short. */
uint32_t explain_short_kind(const struct shortage *s);
/* Writes the lacking amounts, such as "4 of the 16 GiB memory and 1 of the 8 cores". */
void put_short(const struct columns *k, const struct shortage *s, struct text_out *o);

#endif
