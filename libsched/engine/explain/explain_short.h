/*
 * explain_short.h -- what a node lacks for tasks of one shape: amounts of kinds, devices, their
 * parts, the number of tasks.
 *
 * Reads the state as it is when it is asked, so a reason that was stored earlier gets today's
 * numbers. A node lacks a kind iff the fit rules (node_fits, node_able) refuse it for that kind
 * alone; with `lack` more of each kind that is named, and nothing else changed, the node takes the
 * task, unless an OTHER bit is set too. Cost: O(kinds + devices) for a node, O(tasks on it) where
 * it bounds their number.
 */
#ifndef LIBSCHED_EXPLAIN_SHORT_H
#define LIBSCHED_EXPLAIN_SHORT_H

#include "engine/state/object_words.h"
#include "model/devices/device.h"

enum {
    SHORT_PIECES = 1,  /* so much is idle, but not on one device (of each device that it needs) */
    SHORT_DEVICES = 2, /* devices with so much free there are, but too small, or of another model */
    SHORT_TASKS = 4,   /* the node holds as many tasks as it may */
    SHORT_TOGETHER = 8, /* all is there, but not linked, on one NUMA node, or with cards */
    SHORT_LABELS = 16,
    SHORT_RULES = 32 /* taints, terms about nodes */
};

struct shortage {
    uint32_t node;                            /* NO_ROW: no such node */
    uint32_t kinds;                           /* a bit for each kind of which it lacks some */
    uint32_t other;                           /* SHORT_* */
    int64_t need[KINDS_MAX], have[KINDS_MAX]; /* of each kind in `kinds` */
    uint32_t pieces;                          /* SHORT_PIECES: devices with something free */
    int64_t idle, largest;                    /* milli-GPU: of all of them; on one */
};

/* Of a node, for so many more tasks at once, told of the last of them; when: DEVICE_NOW or
 * DEVICE_EMPTY. */
void short_of(const struct columns *k, uint32_t node, uint32_t shape, enum device_when when,
              int64_t tasks, struct shortage *s);
/* The node that lacks least: the fewest things, then the smallest part of what it needs, then the
 * first by name. NOW: of those that take new work and could hold a task; EMPTY: of all. nodes: by
 * kind, how many lack some of it; [0]: how many lack anything else. NULL is allowed. after_fit: for
 * one task more than fit there now. */
void short_nearest(const struct columns *k, uint32_t shape, enum device_when when, int after_fit,
                   struct shortage *best, uint32_t *nodes);
/* True if `a` lacks less than `b`: the fewest things, the smallest part of what it needs, the first
 * by name. */
int short_nearer(const struct columns *k, const struct shortage *a, const struct shortage *b);
/* The kind to speak of: gpu, else the first; 0 if no kind is short. */
uint32_t short_kind(const struct shortage *s);
/* "4 of the 16 GiB memory and 1 of the 8 cores" */
void put_short(const struct columns *k, const struct shortage *s, struct text_out *o);

#endif
