/*
 * victim_search.h -- the search for victims: which tasks to evict so that a waiting job fits.
 *
 * An eviction *unit* is a set of tasks that are evicted together: a task above the minimum of its
 * leaf group; otherwise the smallest group around it that the parent group can spare; otherwise the
 * whole gang. An eviction unit is *allowed* if its job may be disturbed, and if the unit is not
 * protected. Whether the job may be disturbed is its verdict: scope of the action, preemptible or
 * not, minimum run time, disruption budget, and the policy's hook `victim`. Protection counts only
 * in reclaim: the unit's queue, and the queues above it below the common ancestor with the current
 * job, must hold more than they are entitled to. For one task and one node,
 * victim_search_evaluate() finds the cheapest set of allowed units of that node that makes enough
 * room. It takes the cheapest units first until the task fits. It then puts back each unit that is
 * not needed; of a larger unit, it puts back all except what the job can spare. If the set has more
 * than one unit, or if no set was found, the function also tries each unit alone and keeps the
 * better result. If there is still no set, it takes the units in reverse order, the most expensive
 * first. Nodes are in a heap by the cost of their sets. An eviction only shrinks what is allowed,
 * so a stored cost is a lower bound. The top of the heap is computed again before it is used, and a
 * changed node is computed again when it changes. Therefore one more victim costs a few
 * evaluations, not a scan. Undoing evictions lowers costs: then the heap is built again.
 *
 * All data here are scratch memory of one action in one cycle. Cost: O(nodes + tasks) for a
 * context; for each victim O(log nodes) and a few evaluations. Why the search does not add victims
 * in queue order until the job fits, as other schedulers do: that evicts work on nodes that the
 * job never gets.
 */
#ifndef LIBSCHED_VICTIM_SEARCH_H
#define LIBSCHED_VICTIM_SEARCH_H

#include "engine/state/cycle_state.h"

#define VICTIM_UNITS_MAX 128u /* most eviction units of one node that one evaluation compares */

/* The ground, or reason, on which an eviction unit of another branch may be evicted: what the
 * job's side holds. The job's side is the job's queue and the queues above it, below the common
 * ancestor; see victim_side.h. */
enum side_ground {
    SIDE_NONE = 0,      /* not allowed */
    SIDE_FREE = 1,      /* allowed without a test of the job's side */
    SIDE_SHARE = 2,     /* each queue of the side is within its entitlement */
    SIDE_GUARANTEE = 3, /* also, the highest of these queues is within its guarantee */
    SIDE_PART = 4,      /* SIDE_PART + d: within the quota of resource part d */
    SIDE_GROUNDS = SIDE_PART + LIMIT_RESOURCE_PARTS
};

/* Ways in which victims are sought for a gang. A gang seeks victims task by task, and the victims
 * of the first task may leave no allowed victims for the others. Therefore a gang that finds no
 * places is tried again in other ways: with the eviction units that hold most tried first, and with
 * the test of the job's side delayed until the whole gang has its places (on credit). That test
 * asks whether the job's side (its queues below the common ancestor) is within its entitlement, and
 * also whether it is within its guarantee where the victim's side has no more than its fair share.
 * The ways are bits, tried in the order of their sums. */
enum {
    VICTIM_LARGEST = 1,
    VICTIM_ON_CREDIT = 2,           /* the entitlement is tested when all tasks have places */
    VICTIM_GUARANTEE_ON_CREDIT = 4, /* the guarantee is tested then, too; implies credit */
    VICTIM_WAYS = 6
};

/* What of a job's work may be disturbed for the current job: nothing, its surplus, or all. */
enum { VERDICT_NONE = 1, VERDICT_SURPLUS = 2, VERDICT_ALL = 3 };

struct victim_job {
    uint32_t stamp; /* stamp of the context in which the verdict was computed */
    uint8_t verdict;
    uint32_t tasks;      /* running tasks of the whole gang */
    int64_t cost;        /* cost of stopping the whole gang, GPU-milliseconds */
    int64_t last_start;  /* latest start of its tasks */
    int64_t first_start; /* earliest start of its tasks: work since then is lost */
    /* 1 if the job had its turn in a drain of this cycle, or is listed for it */
    uint8_t drained;
    uint8_t proposed; /* 1 if a task of the job has a placement that is not settled */
    /* first of its tasks on the current node: an index of victim_search.held, NO_ROW */
    uint32_t held_stamp, held;
    /* first of its victims in the transaction: an index of victim_search.victims, NO_ROW */
    uint32_t lost;
    uint32_t pinned; /* equal to victim_search.pin_stamp if a task of the job found no new place */
};

/* A task on the node that is being evaluated. */
struct victim_held {
    uint32_t task, next; /* next: next task of the same job */
    /* number of chosen eviction units that contain the task; its room is free while this is not
     * 0 */
    uint32_t out;
};

/* The cost of a set of victims. victim_search_key_before() compares the members one after another;
 * less is better. */
struct victim_key {
    /* in a search on credit: how far the job's side is still above its entitlement, in thousandths
     * of need */
    int64_t beyond;
    /* in a search VICTIM_LARGEST: minus what the victims hold, in thousandths of need */
    int64_t small;
    int32_t crosses;  /* 1 if one of the victims' queues is left with less than its guarantee */
    int32_t priority; /* highest priority of the victims; INT32_MIN: no victim is needed */
    /* minus how far the victims' queues are above their entitlement, in 64ths of the cluster */
    int32_t over;
    int64_t cost; /* summed; by the policy's `victims` also a number of tasks, or microseconds */
    uint32_t tasks;
    uint32_t impossible;
    /* start and submission of the oldest victim; if all else is equal, the later one wins */
    int64_t started, submitted;
};

struct victim_unit {
    uint32_t job, queue;
    uint32_t task;  /* row of the task of the eviction unit from which the unit was found */
    uint32_t group; /* all tasks below this group are evicted; NO_ROW: this task alone */
    uint32_t tasks;
    int32_t priority;
    int64_t cost, started; /* started: start of the oldest of its tasks */
    /* as in victim_key: without the chosen eviction units, and with none evicted */
    int32_t over, over_first;
    /* the queue that `over` measures: the highest queue of the eviction unit's side */
    uint32_t top;
    /* 1, 2 ...: position in the order in which the chosen eviction units were allowed and are
     * evicted; 0: not chosen */
    uint8_t chosen;
    uint8_t nominated; /* 1 if the eviction unit is not running work, but a nomination */
    /* 1 if evicting this unit alone would leave a queue with less than its guarantee */
    uint8_t crosses;
    /* enum side_ground of a chosen eviction unit: in the current set, and in the best set so far */
    uint8_t ground, best_ground;
};

/* A set of eviction units of one node. */
struct victim_set {
    struct victim_unit unit[VICTIM_UNITS_MAX];
    uint32_t n;
    struct victim_key key;
};

/* Of the children of a queue: the largest dominant share, the second largest, and the child that
 * has the largest. */
struct victim_dominant {
    int64_t most, next;
    uint32_t queue;
};

/* What all queues can give at most under a share algorithm without guarantees, judged without a
 * job. Valid until a transaction is kept; victim_bounds.c. */
struct victim_others {
    struct victim_dominant *dominant; /* by parent queue; the last entry: root queues */
    int64_t *take;                    /* [real queue x KINDS_MAX], then one row with the sums */
    /* [queue x KINDS_MAX]: least amounts that an eviction unit below the queue holds; [0]: 1 if
     * there is a unit */
    int64_t *least;
    int64_t until[2]; /* when the first eviction unit that is too young now may be evicted */
    /* until_of: the real queue that until[0] belongs to; until[1] is the earliest of other
     * queues */
    uint32_t until_of, stamp;
    int known;
};

/* Units that run below one queue, in the order of eviction; victim_order.h. */
struct victim_order {
    struct victim_unit *unit; /* a heap of n eviction units, free entries, then the refused units */
    uint32_t n, refused, cap;
    int built;
    /* the queue, context and state for which the heap was built */
    uint32_t queue, stamp, credit, eased;
};
/* one heap per level of the path; the last one is for queues outside it */
#define VICTIM_ORDERS (LSCHED_QUEUE_DEPTH_MAX + 2u)

/* One task that was stopped in the current transaction. */
struct victim_task {
    uint32_t job, task; /* task: row of the releasing task */
    uint32_t unit;      /* number of its eviction unit in the transaction */
    uint32_t moved;     /* 1 if its job had its turn to find new places */
    uint32_t ground;    /* enum side_ground */
    uint32_t next;      /* next victim of the same job, NO_ROW; see replace_calls.c */
};

/* One evicted unit of the transaction, and its ground; victim_last.h. */
struct victim_last {
    uint32_t job, queue, ground; /* job: NO_ROW if the eviction unit cannot be the last */
    int64_t size;                /* in thousandths of what the job needs */
    int64_t amount[KINDS_MAX];
};

struct victim_search {
    uint32_t reason; /* LSCHED_FOR_RECLAIM, _PREEMPT, _CONSOLIDATE, _DRAIN */
    /* 1 in a reclaim that also evicts work of the job's own queue, by the rules of preempt */
    int both;
    int stopped;       /* 1 if the current job is marked; stops.h */
    uint32_t planned;  /* number of moves in the current transaction that were planned together */
    uint32_t homeless; /* 1 if stopped tasks get no new place, because their job is held */
    /* the context; jobs with the same queue, kind of bundle and job shape share it */
    uint32_t stamp, job, queue, jobshape, shape, below_minimum;
    int32_t priority;
    uint32_t n_path, path[LSCHED_QUEUE_DEPTH_MAX + 1]; /* the job's queue and its ancestors */
    /* what these queues held when `need` was computed, normally before the transaction */
    int64_t before[LSCHED_QUEUE_DEPTH_MAX + 1][KINDS_MAX];
    /* victim_side.h; in the present state, without further victims */
    /* by level: 1 if the queues up to this level stay within their entitlement with the job */
    uint8_t share_ok[LSCHED_QUEUE_DEPTH_MAX + 1];
    /* by level: 1 if this queue stays within its guarantee */
    uint8_t guarantee[LSCHED_QUEUE_DEPTH_MAX + 1];
    /* amount above the entitlement [0] and above the guarantee [1] */
    int64_t over[LSCHED_QUEUE_DEPTH_MAX + 1][2][KINDS_MAX];
    /* part of `need` that is not placed yet */
    int64_t left[KINDS_MAX];
    /* number of evicted tasks by common ancestor and ground */
    uint32_t standing[LSCHED_QUEUE_DEPTH_MAX + 2][SIDE_GROUNDS];
    uint32_t way; /* the present way of seeking victims: bits VICTIM_* */
    int chose;    /* 1 if this way had a choice between eviction units or between nodes */
    /* 1 if an eviction unit was refused only because the job's side is above its guarantee */
    int lacks_guarantee;
    /* 1 if the eviction of siblings' work could bring a queue of the path within its guarantee */
    int may_guarantee;
    uint32_t guaranteed; /* one bit per resource kind of which some queue has a quota */
    /* those of `guaranteed` that the job needs; if it needs none of them, all kinds that it
     * needs */
    uint32_t kinds;
    uint32_t kinds_before; /* all `kinds` since the job's turn began; before[] counts in them */
    int64_t need[KINDS_MAX];
    /* 1 if the share algorithm has guarantees */
    int has_amounts;
    /* without guarantees: dominant share of each queue with the job */
    int64_t dominant_after[LSCHED_QUEUE_DEPTH_MAX + 1];
    struct victim_job *jobs;
    uint32_t cap_jobs;
    /* nodes: cost key by node row, a heap of node rows, and each row's position in the heap */
    struct victim_key *key;
    uint32_t *heap, *place;
    /* [queue x KINDS_MAX]: amounts below the queue that are held by work that has not started */
    int64_t *pending;
    uint32_t cap_queues;
    struct victim_others others;
    /* [queue x 2], victim_bounds.c: lowest priority of jobs with running or nominated tasks in the
     * queue, and of those that can have surplus */
    int32_t *lowest;
    /* like `pending`, by resource part (row of DERIVED); NULL: no queue has a quota of a resource
     * part */
    int64_t *parts_pending;
    size_t cap_parts;
    /* 1 if some queue has a quota of the resource part */
    uint8_t parts_guarded[LIMIT_RESOURCE_PARTS];
    /* 1 if victims need not be on the node where the job will be; then no resource part allows an
     * eviction */
    int elsewhere;
    /* number of levels of the path, from the job's queue up, that stay within their quota of the
     * resource part with the job */
    uint8_t parts_within[LIMIT_RESOURCE_PARTS];
    /* 1 for a node that can hold the task shape and that the policy's filter keeps */
    uint8_t *kept;
    /* 1 for a node that was tried in vain for this job: its victims found no new place */
    uint8_t *excluded;
    uint32_t n_excluded;
    /* Consolidation: jobs whose tasks found no new place in this search. First, their nodes are
     * excluded. When no node is left, all nodes are tried again without the work of these jobs
     * (by_unit). */
    uint32_t pin_stamp, n_pinned;
    uint8_t by_unit;
    uint32_t n_heap, cap_nodes;
    uint64_t synced; /* position in the log of changed nodes up to which the heap is current */
    int built;
    struct victim_set set;    /* set of the latest evaluation */
    struct victim_held *held; /* tasks of the evaluated node, linked by job */
    uint32_t n_held, cap_held, held_stamp;
    struct victim_order below[VICTIM_ORDERS];
    /* counts the calls of victim_side_look that allowed more than before; victim_side.h */
    uint32_t eased;
    /* the current transaction */
    struct victim_task *victims;
    uint32_t n_victims, cap_victims, n_units;
    struct victim_last *last; /* by number of the eviction unit, minus 1 */
    uint32_t *last_of;        /* [queue]: an index of `last`; [cap_queues + queue]: stamp */
    uint32_t n_last, cap_last, last_stamp;
    int last_known;
    /* why nothing was found, for the record of the job */
    uint32_t why_code, why_kind, why_queue;
    int64_t why_need, why_have, until;
    /* a job that was untried, and why it waits, as found before victims were sought; NO_ROW if
     * none */
    uint32_t found_of;
    struct diagnosis found;
    int8_t possible; /* result of the proofs for this context */
    int64_t told_until;
    uint32_t told_stamp, told_code;
    /* replace_calls.c: index of the next victim; 1 during a turn; the job for which victims were
     * sought; decisions at the begin of the turn; tasks that the moved job had, by leaf group */
    uint32_t next_move, moving, mover, move_fresh, had[LSCHED_GROUPS_PER_JOB_MAX];
    size_t move_mark;
    uint64_t work_left; /* evaluations that the search may still make for this job */
    /* drain_calls.c: a heap of the jobs that have to leave due_node and have not had their turn */
    uint32_t *due, n_due, cap_due, due_node;
    /* bundles that this action woke: the wait code and the list that they had */
    uint8_t *woken_code, *woken_list;
    uint32_t cap_woken;
};

int32_t victim_search_open(struct lsched_cycle *y, uint32_t reason);
void victim_search_close(struct lsched_cycle *y);
/* Prepares the context of the current job; cheap if the job before had the same context. */
int32_t victim_search_begin_job(struct lsched_cycle *y, uint32_t job);
/* Updates what the current job needs, because another alternative of a task asks for other
 * amounts. */
void victim_search_need_again(struct lsched_cycle *y);
/* Returns what of the job may be disturbed; computed once per context. */
const struct victim_job *victim_rules_judge(struct lsched_cycle *y, uint32_t job);
/* Returns 1 and fills *u if the task's eviction unit may be taken, apart from protection;
 * otherwise 0. */
int victim_unit_of(struct lsched_cycle *y, uint32_t task, struct victim_unit *u);
/* Replaces *u, a task or group that a gang can spare, by the next larger eviction unit around it.
 * Returns 0 if there is no such unit. */
int victim_rules_larger_unit(struct lsched_cycle *y, struct victim_unit *u);
/* Stores the amounts that the eviction unit holds, by resource kind. */
void victim_unit_amounts(const struct columns *k, const struct victim_unit *u, int64_t *amount);
/* Tests protection, with the chosen eviction units of the set counted as evicted. Returns the
 * ground on which the unit may be evicted, SIDE_NONE if it may not. */
enum side_ground victim_rules_allow(struct lsched_cycle *y, const struct victim_unit *u,
                                    const struct victim_set *set);
/* Finds the cheapest set of victims on the node for one more task of the shape, in h->set.
 * h->set.key.impossible is 1 if there is no set, or if the cycle was stopped before one was known.
 * Charges one work unit for the node, for each task, and for each time that a unit is tested. */
int32_t victim_search_evaluate(struct lsched_cycle *y, uint32_t node, uint32_t shape);
/* Returns how much work, in microseconds, a task of the job has done since its last checkpoint. The
 * task runs since `started`. */
int64_t victim_rules_work_lost(const struct lsched_cycle *y, uint32_t job, int64_t started);
/* True if a queue of the victim's side holds less than its guarantee once the eviction unit and
 * the chosen units of the set are evicted. */
int victim_rules_cross(const struct lsched_cycle *y, const struct victim_unit *u,
                       const struct victim_set *set);
/* Returns minus how far the queue is above its entitlement without the chosen eviction units, like
 * `over` in victim_key. */
int32_t victim_rules_over_right(const struct lsched_cycle *y, uint32_t top,
                                const struct victim_set *set);
/* True if eviction unit a is evicted before unit b. */
int victim_search_unit_before(const struct lsched_cycle *y, const struct victim_unit *a,
                              const struct victim_unit *b);
int victim_search_key_before(const struct victim_key *a, const struct victim_key *b);
/* Finds the node where room for one more task of the group costs least. Returns 1, 0 if there is
 * none, or an error. */
int32_t victim_nodes_best(struct lsched_cycle *y, uint32_t job, uint32_t group, uint32_t domain,
                          uint32_t *node);
/* Tries quick proofs. Returns 0 if no set of victims, however large, could make room for the job's
 * minimum; the why_* fields give the reason. Otherwise 1, or a negative error. */
int32_t victim_bounds_possible(struct lsched_cycle *y);
void victim_bounds_close(struct lsched_cycle *y);

/* Returns the resource kinds, one bit each, of which some queue has a quota. Cost: O(queues x
 * kinds). */
uint32_t victim_search_guaranteed_kinds(const struct columns *k);
/* True if the open decision belongs to work that has not started and cannot be evicted. */
int victim_search_is_pending(const struct columns *k, uint32_t decision);

/* victim_rules.c */
uint32_t victim_rules_ancestor(const struct lsched_cycle *y, uint32_t victim_queue);
int64_t victim_rules_right(const struct lsched_cycle *y, uint32_t queue, uint32_t kind,
                           int guarantee_only);
/* Returns those of the kinds, one bit each, of which the queue holds more than its entitlement.
 * less: amounts to count as evicted; NULL: none. */
uint32_t victim_rules_kinds_above(const struct lsched_cycle *y, uint32_t queue, int guarantee_only,
                                  uint32_t kinds, const int64_t *less);
/* Returns the amount of a resource kind that the eviction unit holds. */
int64_t victim_unit_amount(const struct columns *k, const struct victim_unit *u, uint32_t r);
/* Stores what a group of a job holds above its minimums. This surplus consists of eviction units
 * of their own, which are evicted before the group. */
void victim_rules_surplus(const struct columns *k, uint32_t job, uint32_t group, int64_t *amount);
int64_t victim_rules_dominant(const struct lsched_cycle *y, uint32_t queue, const int64_t *more,
                              const struct victim_set *set, const struct victim_unit *without);
/* True if victims of reclaim and preempt are sought together and this is the job's own queue. */
int victim_rules_is_own(const struct lsched_cycle *y, uint32_t queue);
uint32_t victim_rules_real_queue(const struct columns *k, uint32_t queue);

#endif
