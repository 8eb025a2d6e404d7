/*
 * tsdpbp.h -- the data that all files of the action ts-dpbp share: the window of jobs, the nodes
 * over time, and the plan.
 *
 * The action fills a window with the next jobs in the order of share and order algorithms. Each job
 * gets the earliest start at which it delays no job before it. This plan is called the serial
 * schedule (conservative backfill). Then the packer looks for earlier starts of jobs. For the
 * packer, a job's start in the serial schedule is its latest start. Therefore no job starts later
 * than in the serial schedule. Jobs whose start is now are placed, and all other jobs wait for
 * their planned start.
 *
 * The plan is made again in each cycle in which some job waits to be planned. From one cycle to the
 * next, the planned node and start of each job are kept, in the job's bundle. If a job can start
 * equally early on several nodes, the node planned before is preferred.
 *
 * The nodes over time are kept, too, as a cache: they can be dropped between any two cycles, and
 * the plans are the same. What always holds after ts_build: the bin of each node says what the
 * engine says of the node and its holders now. A node is read again if
 *   - the engine says that something of it may have changed (nodes_changed);
 *   - planned work was put on it since it was read: it goes with the plan;
 *   - an end or a begin that was in the future is past, or counts from now: work that runs longer
 *     than expected, and work that has a place but has not started;
 *   - a job had the place of the node for itself when it was read.
 * Each bin has the time from which on it must be read again, and a heap has the earliest one. All
 * nodes are read again after an error, when the clock goes back, when the resource kinds change,
 * and when the set of MIG devices does. The cost of an event is then that of the nodes which it
 * touched, of the nodes in the plan, of work that runs longer than expected, and of places that
 * jobs have for themselves, not that of the cluster. The plan itself is made anew, because each
 * start depends on all starts before it.
 *
 * tsdpbp_bins.h: nodes over time. tsdpbp_jobs.h: the steps for one job. tsdpbp_slices.h: MIG
 * devices over time. tsdpbp_pack.h: the packer. act_tsdpbp.c: the window and the transactions.
 */
#ifndef LIBSCHED_TSDPBP_H
#define LIBSCHED_TSDPBP_H

#include <libsched/pack.h>

#include "algorithms/support/algorithm_env.h"
#include "algorithms/support/gang_walk.h"
#include "algorithms/support/free_start.h"

/* State of an item:
 *   ASIDE      the item has a start in the plan
 *   LIMITED    a limit keeps the job out, so the item has no start yet
 *   CROWDED    the plan cannot describe the job, and its places were those of planned work, so the
 *              item has no start yet
 *   PLANNED    the item starts later than now
 *   PLACED     the job was placed
 *   GIVEN_UP   the job could not be placed as planned */
enum {
    TS_ASIDE = 1,
    TS_LIMITED = 2,
    TS_PLANNED = 3,
    TS_PLACED = 4,
    TS_GIVEN_UP = 5,
    TS_CROWDED = 6
};

struct ts_item {
    /* node_before: node on which the job was planned to start in an earlier cycle; LSCHED_NO_ROW if
     * none */
    uint32_t job, node_before;
    uint32_t tasks, able; /* able: map of the timeline with the nodes that the job can use */
    /* microseconds; `length` is FREE_TIMELINE_FOREVER if the job's end is unknown */
    int64_t length, start;
    struct free_timeline_amount need;
    uint32_t first_part, n_parts;
    uint32_t state;
    uint32_t end;     /* LSCHED_END_*: what ends the job after `length` */
    uint32_t is_firm; /* 1: the start is firm when the plan is settled */
    uint32_t slices;  /* for MIG jobs: number of memory slices of the instance; 0 for other jobs */
    /* for MIG jobs: index in ts.devices of the device, and index of the first memory slice on it */
    uint32_t device, slice_from;
};

/* A MIG device. Its memory slices over time are a bin of ts.slices, with one column for each
 * slice. */
struct ts_device {
    uint32_t node, index;
};

/* What is kept of a node beside its bin of the timeline, which has the node's row as its number:
 *   stale_at      the bin must be read again in a cycle at this time or later
 *   at            place in ts.stale
 *   own_until     until then a job has the place of the node for itself; INT64_MIN: none has
 *   last_end      index in ts.ends of the node's last end; LSCHED_NO_ROW: none
 *   first_device  index of its first MIG device in ts.devices
 *   n_devices     number of its MIG devices */
struct ts_node {
    int64_t stale_at, own_until;
    uint32_t at, last_end, first_device, n_devices;
};

/* A map of the timeline: the nodes that can hold a task of the shape. synced: number of nodes in
 * ts.news that the map knows. */
struct ts_shape {
    uint64_t serial, synced;
    uint32_t map;
    /* 1 if the engine was asked in this cycle. It is asked once in each cycle, with a kept map,
     * too: the answer can cost instructions of the policy, and a cold planner must pay the same. */
    uint32_t asked;
};

/* The time at which a job, or a nomination of a job, ends on a node. `before`: index in ts.ends of
 * the end that was read before this one on the same bin, or LSCHED_NO_ROW. */
struct ts_end {
    uint32_t job, before;
    int64_t at;
};

struct ts_item_end {
    int64_t at;
    uint32_t item;
};

/* Work of a node that can stay beside each start at the time `at` or later (firm_sure.h). */
struct ts_loose {
    int64_t at;
    struct free_timeline_amount amount;
};

/* The time of a firm start on a node, and the loose work that can stay beside it. */
struct ts_span {
    int64_t from, to;
    struct free_timeline_amount loose;
};

struct ts_scratch {
    struct free_start search;
    /* ts_after: the ends of items in order of time, and for each bin a job */
    struct ts_item_end *item_ends;
    uint32_t n_item_ends, cap_item_ends;
    uint32_t *ended, cap_ended;
    struct free_counts_choice *choices; /* ts_choose */
    uint32_t cap_choices;
    uint32_t *number; /* ts_improve: one for each bin, 0 between calls */
    uint32_t cap_number;
    struct ts_loose *loose; /* firm_sure.c, as `spans` */
    struct ts_span *spans;
    uint32_t cap_loose, cap_spans;
};

struct ts {
    lsched_algorithm_env env;
    const lsched_act *act;
    lsched_cycle *cycle;
    const lsched_view *view;
    uint32_t window; /* jobs of a window; 0: the action has no windows */
    uint32_t sure;   /* LSCHED_END_* that firm starts trust; 0: no start is firm */
    uint64_t work;
    uint64_t looks; /* of questions about firm starts, not charged yet */
    struct gang_memory *memory;
    /* free amounts over time: `timeline` of nodes, `slices` of MIG devices */
    struct free_timeline timeline, slices;
    struct ts_device *devices; /* indexed by bin of `slices` */
    uint32_t cap_devices;
    /* built: 1 if the nodes are up to date in this cycle. kept: 1 if they were at the end of the
     * latest cycle that built them, and no error has happened since */
    uint32_t built, kept;
    uint64_t seen[LSCHED_SEEN_WORDS]; /* for nodes_changed */
    /* column_of: column of each resource kind in the amounts of `timeline`; 0 if the kind has no
     * column */
    uint32_t n_columns, n_kinds, column_of[LSCHED_RESOURCE_KINDS_MAX];
    struct ts_node *nodes; /* by row of the node */
    uint32_t n_nodes, cap_nodes;
    uint32_t *stale; /* heap of node rows, the earliest stale_at first */
    uint32_t n_stale, cap_stale;
    /* nodes that were read since the latest build or renewal, and of which a job has the place for
     * itself */
    uint32_t *own, n_own, cap_own;
    /* the nodes that changed, as a ring: the change with number i is at news[i & (cap_news - 1)] */
    uint32_t *news, cap_news;
    uint64_t n_news;
    /* Items of all windows of the cycle:
     *   first_item   index of the current window's first item
     *   first_open   index of the first item that is not settled yet */
    struct ts_item *items;
    uint32_t n_items, cap_items, first_item, first_open;
    struct free_timeline_part *parts;
    uint32_t n_parts, cap_parts;
    struct ts_end *ends;
    uint32_t n_ends, n_live_ends, cap_ends; /* n_live_ends: those that are in the list of a node */
    struct ts_shape *able;
    uint32_t n_able, cap_shapes;
    uint64_t maps_serial; /* of the timeline, when the shapes got their maps */
    struct ts_scratch scratch;
    uint32_t placed; /* number of jobs that were placed in the current window */
    /* in_line: 1 while an action without windows takes its jobs from next_job
     * longest: run time up to which jobs were brought into line last, for places that planned work
     *   needs later; 0: none were */
    uint32_t in_line;
    int64_t longest;
};

enum { TS_COLUMN_PLACES = 0, TS_COLUMN_DEVICES = 1, TS_COLUMN_FIRST = 2 };

/* Makes an empty struct. Returns LSCHED_OK or LSCHED_E_NOMEM; after an error, nothing must be
 * closed. */
int32_t ts_open(struct ts *t, const lsched_algorithm_env *env);
void ts_close(struct ts *t, const lsched_algorithm_env *env);
/* Begins a cycle with an empty plan. Returns 1, or 0 if no job can be planned in this cycle, or a
 * negative error code. */
int32_t ts_begin(struct ts *t, const lsched_act *act, lsched_cycle *cycle);
/* Ends a cycle that ts_begin began, and returns rc, the result of the action. Without this call the
 * nodes are not kept. */
int32_t ts_end(struct ts *t, int32_t rc);
/* The node must be read again in the next cycle. */
void ts_stale(struct ts *t, uint32_t node);
/* The node must be read again in a cycle at this time or later. */
void ts_stale_at(struct ts *t, uint32_t node, int64_t at);
/* Adds a node, which need not be read again. ts.stale must have room. */
void ts_stale_add(struct ts *t, uint32_t node);
/* Makes the amounts of an item unavailable `times` times on its nodes; -1 makes them available
 * again. The memory slices of MIG devices are not included. */
int32_t ts_parts_take(struct ts *t, const struct ts_item *item, int64_t times);

/* Returns 1 if the task holds the device with this index in the node. */
static inline int ts_holds_device(const lsched_holder *h, uint32_t index) {
    return (int)(h->device_words[index / 64] >> index % 64 & 1);
}

#endif
