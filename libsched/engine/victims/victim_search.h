/*
 * victim_search.h -- the search for victims: whom to stop so that a waiting job fits.
 *
 * A *unit* is what goes together: a task above its leaf's minimum; else the smallest group above it
 * that its parent can spare; else the whole gang. A unit is *allowed* if its job may be disturbed
 * (verdict: scope, preemptible, minimum run time, budget, the policy's victim hook) and, in
 * reclaim, if its queue and those above it, below the common ancestor with the job in hand, hold
 * more than they have a right to (protection). For one task and one node, evaluate() finds the
 * cheapest set of allowed units of that node whose going makes room: cheapest first until it fits,
 * then whatever is not needed is put back (of a larger unit: all but what the job can spare), then
 * single units and largest-first are compared with it.
 * Nodes stand in a heap by the cost of their sets. Evictions only shrink what is allowed, so a
 * stored cost is a lower bound: the top is evaluated again before it is believed, nodes that
 * changed are evaluated when they did. So one more victim costs a few evaluations, not a scan.
 * Undoing evictions makes costs fall: then the heap is built anew.
 *
 * Everything here is scratch of one action in one cycle. Costs: context O(nodes + tasks), each
 * victim O(log nodes) and a few evaluations.
 * Why not "add victims in queue order until the job fits", as others do: it stops work on nodes
 * that the job never gets.
 */
#ifndef LIBSCHED_VICTIM_SEARCH_H
#define LIBSCHED_VICTIM_SEARCH_H

#include "engine/state/cycle_state.h"

#define HUNT_UNITS_MAX 128u /* units of one node that one search weighs */

/* Why the job's own side lets a unit of another branch go; see victim_side.h. */
enum side_ground {
    SIDE_NONE = 0,      /* it does not */
    SIDE_FREE = 1,      /* nothing of the job's side was asked */
    SIDE_SHARE = 2,     /* each queue within its right */
    SIDE_GUARANTEE = 3, /* and the highest of them within its guarantee */
    SIDE_PART = 4,      /* this and what is above: within the quota of the part, by number */
    SIDE_GROUNDS = SIDE_PART + LIMIT_DERIVED_KINDS
};

/* A gang asks for its tasks one by one, and whom the first one takes may leave the others nobody.
 * So where it finds no seats it looks again: with the units first that hold most, and so that the
 * job's side is asked when all are seated: that it is within its right, or that and that it is
 * within its guarantee where a victim's side has no more than its fair share. Bits, tried in the
 * order of their sums. */
enum {
    HUNT_LARGEST = 1,
    HUNT_ON_CREDIT = 2,           /* the right is asked when all are seated */
    HUNT_GUARANTEE_ON_CREDIT = 4, /* and the guarantee: on credit as well, without its bit */
    HUNT_WAYS = 6
};

/* What a job's work may be disturbed by, in the scope of the job in hand. */
enum { VERDICT_NONE = 1, VERDICT_SURPLUS = 2, VERDICT_ALL = 3 };

struct hunt_job {
    uint32_t stamp; /* of the context it was asked in */
    uint8_t verdict;
    uint32_t tasks;            /* of the whole gang */
    int64_t cost;              /* of stopping the whole gang */
    int64_t last_start;        /* of its youngest task */
    int64_t first_start;       /* of its oldest: since when work of the gang is lost */
    uint8_t drained;           /* in this cycle it had its turn, or is listed for it */
    uint8_t proposed;          /* something of it has a place that nobody has settled */
    uint32_t held_stamp, held; /* its tasks on the node in hand: a place in hunt.held, NO_ROW */
    uint32_t lost;             /* the first of its victims in the transaction, NO_ROW */
    uint32_t pinned;           /* hunt.pin_stamp: its tasks found no new home */
};

/* A task on the node that is evaluated. */
struct hunt_held {
    uint32_t task, next; /* next: of the same job */
    uint32_t out;        /* by how many chosen units; its room is free while there is one */
};

/* Lexicographic; less is better. */
struct hunt_key {
    int64_t beyond;  /* on credit: what the job's side is still above its right, in parts of need */
    int64_t small;   /* largest first: minus what they hold, likewise */
    int32_t crosses; /* of the victims' queues, one is left with less than its guarantee */
    int32_t priority; /* highest of the victims; INT32_MIN: nobody has to go */
    int32_t
        over; /* minus how far the victims' queues are above their right, in 64ths of the cluster */
    int64_t cost;
    uint32_t tasks;
    uint32_t impossible;
    int64_t started,
        submitted; /* of the oldest of them: where all else is equal the youngest goes */
};

struct hunt_unit {
    uint32_t job, queue;
    uint32_t task;  /* row: on the node, the one looked at */
    uint32_t group; /* all tasks below this group go; NO_ROW: this task alone */
    uint32_t tasks;
    int32_t priority;
    int64_t cost, started;       /* started: the oldest of its tasks */
    int32_t over, over_first;    /* with those chosen gone, and with nobody gone; see hunt_key */
    uint32_t top;                /* whose excess that is: the highest queue of its side */
    uint8_t chosen;              /* 1, 2 ...: in this order they were allowed, and go */
    uint8_t claim;               /* not work that runs, but a claim on room */
    uint8_t crosses;             /* it alone would leave a queue less than its guarantee */
    uint8_t ground, best_ground; /* of a chosen one: enum side_ground; in the best set so far */
};

/* A set for one node. */
struct hunt_set {
    struct hunt_unit unit[HUNT_UNITS_MAX];
    uint32_t n;
    struct hunt_key key;
};

/* Of the children of a queue: the largest dominant share, whose it is, and the next. */
struct hunt_dominant {
    int64_t most, next;
    uint32_t queue;
};

/* What all queues give by a share without guarantees, as if nobody asked. Valid until something is
 * kept; victim_bounds.c. */
struct hunt_others {
    struct hunt_dominant *dominant; /* by parent; the last: the roots */
    int64_t *take;                  /* [real queue x KINDS_MAX], then a row of sums */
    int64_t
        *least; /* [queue x KINDS_MAX]: what a unit below it holds at least; [0]: there is one */
    int64_t until[2];         /* when the first of those that are too young may go */
    uint32_t until_of, stamp; /* until[0] is of this real queue, until[1] of others */
    int known;
};

/* Units that run below one queue, in the order in which they go; victim_order.h. */
struct hunt_below {
    struct hunt_unit *unit; /* a heap of n, free room, those that were refused */
    uint32_t n, refused, cap;
    int built;
    uint32_t queue, stamp, credit, eased; /* what it was built for, and asked under */
};
#define HUNT_BELOW (LSCHED_QUEUE_DEPTH_MAX + 2u) /* by level of the path; the last: none of it */

/* One task that was stopped in the transaction in hand. */
struct hunt_victim {
    uint32_t job, leaving; /* rows */
    uint32_t unit;         /* those of one unit have one number */
    uint32_t moved;        /* its job had its turn to find a new place */
    uint32_t ground;       /* enum side_ground */
    uint32_t next;         /* of the same job, NO_ROW; see replace_calls.c */
};

/* A unit that went, and on which ground; victim_last.h. */
struct hunt_last {
    uint32_t job, queue, ground; /* job: NO_ROW, it cannot be the last */
    int64_t size;                /* in parts of what the job needs */
    int64_t amount[KINDS_MAX];
};

struct hunt {
    uint32_t reason; /* LSCHED_FOR_RECLAIM, _PREEMPT, _CONSOLIDATE, _DRAIN */
    int both; /* a reclaim in which work of the own queue goes as well, by the rules of preempt */
    int stopped;       /* the job in hand is marked; stops.h */
    uint32_t planned;  /* moves of the transaction in hand were planned together */
    uint32_t homeless; /* what was stopped gets no new place: its job is held */
    /* the context: jobs of one queue, kind of bundle and shape share it */
    uint32_t stamp, job, queue, jobshape, shape, below_minimum;
    int32_t priority;
    uint32_t n_path, path[LSCHED_QUEUE_DEPTH_MAX + 1];     /* the job's queue and its ancestors */
    int64_t before[LSCHED_QUEUE_DEPTH_MAX + 1][KINDS_MAX]; /* what they held before anything went */
    /* victim_side.h; as all is now, without another victim */
    uint8_t share_ok[LSCHED_QUEUE_DEPTH_MAX +
                     1]; /* from the leaf up to here, the job keeps within its share */
    uint8_t guarantee[LSCHED_QUEUE_DEPTH_MAX + 1];          /* here, within the guarantee */
    int64_t over[LSCHED_QUEUE_DEPTH_MAX + 1][2][KINDS_MAX]; /* beyond the right, the guarantee */
    int64_t left[KINDS_MAX];                                /* of need: what is not placed yet */
    uint32_t standing[LSCHED_QUEUE_DEPTH_MAX + 2][SIDE_GROUNDS]; /* stopped, by common ancestor */
    uint32_t way;        /* how sets of a gang are sought: bits HUNT_* */
    int chose;           /* in this way there was a choice: of units, or of a node that one gives */
    int lacks_guarantee; /* in this context a unit was kept by the job's guarantee alone */
    int may_guarantee;   /* what siblings hold could bring a queue of the path within it */
    uint32_t guaranteed; /* bit per resource kind that some queue has a quota of */
    uint32_t kinds;      /* of these, what the job needs; what it needs, if it is none of these */
    int64_t need[KINDS_MAX];
    int has_amounts;                                    /* the share knows guarantees */
    int64_t dominant_after[LSCHED_QUEUE_DEPTH_MAX + 1]; /* without: dominant share with the job */
    struct hunt_job *jobs;
    uint32_t cap_jobs;
    /* nodes: key by node row, heap of node rows, place in the heap by row */
    struct hunt_key *key;
    uint32_t *heap, *place;
    int64_t *pending; /* [queue x KINDS_MAX]: held below the queue by work that has yet to start */
    uint32_t cap_queues;
    struct hunt_others others;
    int32_t
        *lowest; /* [queue x 2], victim_bounds.c: of what runs in it, of what has tasks to spare */
    int64_t *parts_pending; /* the same by row of DERIVED; NULL: no queue has a quota of a part */
    size_t cap_parts;
    uint8_t parts_guarded[LIMIT_DERIVED_KINDS]; /* some queue has a quota of it */
    int elsewhere; /* who goes need not be where the job will be: no part entitles to it */
    uint8_t parts_within[LIMIT_DERIVED_KINDS]; /* levels of the path, from the leaf up, with the job
                                                  within their quota of the part */
    uint8_t *kept;                             /* able, and kept by the policy's filter */
    uint8_t *excluded; /* tried for this job in vain: its victims found no new home */
    uint32_t n_excluded;
    /* Consolidation: jobs whose tasks found no new home for this job. Nodes are left out first;
     * when none is left, they are asked again without the work of these jobs (by_unit). */
    uint32_t pin_stamp, n_pinned;
    uint8_t by_unit;
    uint32_t n_heap, cap_nodes;
    uint64_t synced; /* touch log */
    int built;
    struct hunt_set set;    /* of the latest evaluation */
    struct hunt_held *held; /* all that may go from its node, listed by job */
    uint32_t n_held, cap_held, held_stamp;
    struct hunt_below below[HUNT_BELOW];
    uint32_t eased; /* how often more might be taken than at the look before; victim_side.h */
    /* the transaction in hand */
    struct hunt_victim *victims;
    uint32_t n_victims, cap_victims, n_units;
    struct hunt_last *last; /* by number of the unit, less one */
    uint32_t *last_of;      /* [queue]: a place in last; [cap_queues + queue]: stamp */
    uint32_t n_last, cap_last, last_stamp;
    int last_known;
    /* why nothing was found, for the record of the job */
    uint32_t why_code, why_kind, why_queue;
    int64_t why_need, why_have, until;
    /* a job that was untried, and why it waits, as found before victims were sought; NO_ROW */
    uint32_t found_of;
    struct diagnosis found;
    int8_t possible; /* what the proofs said of this context */
    int64_t told_until;
    uint32_t told_stamp, told_code;
    /* replace_calls.c: whose turn comes next; whose turn it is for the job in hand; what it had */
    uint32_t next_move, moving, mover, move_fresh, had[LSCHED_GROUPS_PER_JOB_MAX];
    size_t move_mark;
    uint64_t work_left; /* evaluations that the search for this job may still make */
    /* drain_calls.c: jobs that have to leave the node and wait for their turn, a heap */
    uint32_t *due, n_due, cap_due, due_node;
    /* bundles that this action woke: code and list that they had */
    uint8_t *woken_code, *woken_list;
    uint32_t cap_woken;
};

int32_t hunt_open(struct lsched_cycle *y, uint32_t reason);
void hunt_close(struct lsched_cycle *y);
/* The context for the job in hand; cheap if the one before was equal to it. */
int32_t hunt_begin_job(struct lsched_cycle *y, uint32_t job);
/* What the job in hand needs may have changed: with another alternative it asks for other
 * amounts. */
void hunt_need_again(struct lsched_cycle *y);
/* What of a job may be disturbed; asked once per context. */
const struct hunt_job *hunt_judge(struct lsched_cycle *y, uint32_t job);
/* May the unit of a task be taken: 1 with *u filled. */
int hunt_unit_of(struct lsched_cycle *y, uint32_t task, struct hunt_unit *u);
/* *u is what a gang can spare, a task or a group: what goes if that is not enough. 0 if there is no
 * such unit. */
int hunt_larger_unit(struct lsched_cycle *y, struct hunt_unit *u);
/* What the unit holds, by kind. */
void hunt_unit_amounts(const struct columns *k, const struct hunt_unit *u, int64_t *amount);
/* Protection, with what the chosen units of the set take already counted as gone: on which ground
 * the unit may go, SIDE_NONE if it may not. */
enum side_ground hunt_allows(struct lsched_cycle *y, const struct hunt_unit *u,
                             const struct hunt_set *set);
/* The cheapest set of the node for one more task of the shape; h->set.key.impossible if there is
 * none, or the cycle was stopped before it was known. A unit of work for the node, each task, and
 * each unit as often as it is weighed. */
int32_t hunt_evaluate(struct lsched_cycle *y, uint32_t node, uint32_t shape);
/* Work since the last checkpoint of a task of the job that runs since `started`. */
int64_t hunt_work_lost(const struct lsched_cycle *y, uint32_t job, int64_t started);
/* True if without the unit, and the chosen ones of the set, a queue of the victim's side holds less
 * than its guarantee. */
int hunt_crosses(const struct lsched_cycle *y, const struct hunt_unit *u,
                 const struct hunt_set *set);
/* How far the queue is above its right without the chosen units, as over in hunt_key. */
int32_t hunt_over_right(const struct lsched_cycle *y, uint32_t top, const struct hunt_set *set);
/* True if the first is stopped before the second. */
int hunt_unit_before(const struct lsched_cycle *y, const struct hunt_unit *a,
                     const struct hunt_unit *b);
int hunt_key_before(const struct hunt_key *a, const struct hunt_key *b);
/* The node where one more task of the group costs least: 1, or 0. */
int32_t hunt_best_node(struct lsched_cycle *y, uint32_t job, uint32_t group, uint32_t domain,
                       uint32_t *node);
/* Quick proofs: 0 if no set of victims, however large, could make room for the job's minimum; why_*
 * says it. Negative: an error. */
int32_t hunt_possible(struct lsched_cycle *y);
void hunt_others_close(struct lsched_cycle *y);

/* Kinds that a guarantee speaks of, a bit for each: some queue has a quota of it. O(queues x
 * kinds). */
uint32_t hunt_guaranteed_kinds(const struct columns *k);
/* Is the open decision one of work that has yet to start, and cannot be stopped. */
int hunt_is_pending(const struct columns *k, uint32_t decision);

/* victim_rules.c */
uint32_t hunt_common_ancestor(const struct lsched_cycle *y, uint32_t victim_queue);
int64_t hunt_right(const struct lsched_cycle *y, uint32_t queue, uint32_t kind, int guarantee_only);
/* Of the kinds, a bit for each, those of which the queue holds more than its right; less: as if so
 * much were gone, NULL: nothing. */
uint32_t hunt_kinds_above(const struct lsched_cycle *y, uint32_t queue, int guarantee_only,
                          uint32_t kinds, const int64_t *less);
/* Amount of a kind that the unit holds. */
int64_t hunt_unit_amount(const struct columns *k, const struct hunt_unit *u, uint32_t r);
/* What a group of a job holds above its minimums: units of their own, which go before its core. */
void hunt_surplus_of(const struct columns *k, uint32_t job, uint32_t group, int64_t *amount);
int64_t hunt_dominant(const struct lsched_cycle *y, uint32_t queue, const int64_t *more,
                      const struct hunt_set *set, const struct hunt_unit *without);
/* True if both kinds of victims are sought and this is the job's own queue. */
int hunt_is_own(const struct lsched_cycle *y, uint32_t queue);
uint32_t hunt_real_queue(const struct columns *k, uint32_t queue);

#endif
