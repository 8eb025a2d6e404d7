/*
 * victim_state.h -- the data of a victim search: the context of the current job, verdicts, costs
 * by node, and the victims of the current transaction.
 *
 * All members are scratch memory of one action in one cycle. victim_search_open() allocates it and
 * victim_search_close() frees it. If the comment of a struct names a file, the functions *_open
 * and *_close of that file allocate and free the arrays of the struct.
 */
#ifndef LIBSCHED_VICTIM_STATE_H
#define LIBSCHED_VICTIM_STATE_H

#include "engine/state/cycle_state.h"

/* Largest number of eviction units of a node that an evaluation compares. The time of an evaluation
 * grows with the square of the number; a node with 256 cores can run 256 jobs. */
#define VICTIM_UNITS_MAX 512u
/* A test of a unit reads all units of the set. It is charged one work unit, and one more for each
 * so many units. */
#define VICTIM_UNITS_CHARGED 128u

/* The ground (reason) on which an eviction unit of another branch of the queue tree is allowed to
 * be evicted. A ground is a bound that the job's side keeps. The job's side consists of the job's
 * queue and the queues above it, below the common ancestor of job and victim; see victim_side.h. */
enum side_ground {
    SIDE_NONE = 0,      /* not allowed */
    SIDE_FREE = 1,      /* allowed without a test of the job's side */
    SIDE_SHARE = 2,     /* each queue of the side is within its entitlement */
    SIDE_GUARANTEE = 3, /* as SIDE_SHARE; also, the side's highest queue is within its guarantee */
    /* SIDE_PART + d: each queue of the side is within its quota of resource part d */
    SIDE_PART = 4,
    SIDE_GROUNDS = SIDE_PART + LIMIT_RESOURCE_PARTS
};

/* The ways of seeking victims for a gang: sums of these bits, tried in increasing order. A gang
 * seeks victims task by task, and the victims chosen for its first task can leave no allowed
 * victims for its other tasks. Therefore a gang that finds no places is tried again in other ways.
 * With VICTIM_LARGEST, the eviction units that hold most are tried first. On credit, the test of
 * the job's side is delayed until the whole gang has its places. That test checks whether the side
 * is within its entitlement. If the victim's side has no more than its fair share, the test also
 * checks whether the job's side is within its guarantee. */
enum {
    VICTIM_LARGEST = 1,
    VICTIM_ON_CREDIT = 2,           /* the entitlement is tested only after all tasks have places */
    VICTIM_GUARANTEE_ON_CREDIT = 4, /* the entitlement and the guarantee are tested only then */
    VICTIM_WAYS = 6
};

/* Which tasks of a job can be evicted or moved for the current job: none, its surplus, or all. */
enum { VERDICT_NONE = 1, VERDICT_SURPLUS = 2, VERDICT_ALL = 3 };

struct victim_job {
    uint32_t stamp; /* stamp of the context in which the verdict was computed */
    uint8_t verdict;
    uint32_t tasks;      /* running tasks of the whole gang */
    int64_t cost;        /* cost of evicting the whole gang, in GPU-milliseconds */
    int64_t last_start;  /* latest start of its running tasks */
    int64_t first_start; /* earliest start of its running tasks */
    /* 1 if a drain of this cycle has already handled the job, or has it in struct victim_due */
    uint8_t drained;
    uint8_t proposed; /* 1 if a task of the job has a placement that is not settled */
    /* `held` is the index in victim_here.task of the job's first task on the evaluated node,
     * NO_ROW if there is none. It is valid if `held_stamp` equals victim_here.stamp. */
    uint32_t held_stamp, held;
    /* index in victim_search.victims of the job's first victim in the transaction, NO_ROW if there
     * is none */
    uint32_t lost;
    uint32_t pinned; /* equal to victim_search.pin_stamp if a task of the job found no new place */
    /* Times at which the verdict can become another, LSCHED_NEVER_US if it depends on no time.
     * until: the end of a minimum run time, or of the time after a refused eviction. later: the
     * end of the window of a disruption budget. */
    int64_t until, later;
};

/* A task on the node that is being evaluated. */
struct victim_held {
    uint32_t task, next; /* next: index of the job's next task, NO_ROW */
    /* number of chosen eviction units that contain the task; the task's room counts as free if
     * this number is not 0 */
    uint32_t out;
    uint8_t rival; /* 1 if the task must leave (victim_rivals.h) */
    uint8_t away;  /* 1 for a rival on another node */
};

/* The cost of a set of victims. victim_key_before() compares the members one after another,
 * `impossible` first. A smaller value is better, except in `started` and `submitted`. */
struct victim_key {
    /* in a search on credit: how far the job's side is still above its entitlement, in thousandths
     * of what the job needs */
    int64_t beyond;
    /* in a search with VICTIM_LARGEST: minus the amounts that the victims hold, in thousandths of
     * what the job needs */
    int64_t small;
    int32_t crosses;  /* 1 if a victim's queue is left with less than its guarantee */
    int32_t ordinary; /* 1 if a victim is no first victim, see victim_unit */
    int32_t priority; /* highest priority among the victims; INT32_MIN: no victim is needed */
    /* minus the largest excess of a victim's side above its entitlement, in 64ths of the cluster */
    int32_t over;
    /* sum over the victims: of their costs, their numbers of tasks, or their run times in
     * microseconds, as the policy's `victims` says */
    int64_t cost;
    uint32_t tasks;
    uint32_t impossible;
    /* earliest start and earliest submission among the victims; if all members above are equal,
     * the key with the later time is better */
    int64_t started, submitted;
};

struct victim_unit {
    uint32_t job, queue;
    uint32_t task;  /* row of the task from which this eviction unit was found */
    uint32_t group; /* all tasks below this group are evicted; NO_ROW: only `task` is */
    uint32_t tasks;
    int32_t priority;
    int64_t cost, started; /* started: earliest start of the unit's tasks */
    /* as victim_key.over, for this unit: `over` counts the chosen units of the set as evicted,
     * `over_first` counts no unit as evicted */
    int32_t over, over_first;
    /* the highest queue of the eviction unit's side; `over` measures the excess of this queue */
    uint32_t top;
    int64_t worth; /* scratch of victim_set.c: units that are worth more are tried first */
    /* position of the unit, from 1, in the order in which the chosen units are evicted; 0: not
     * chosen. `best` is the position in the best set so far. */
    uint16_t chosen, best;
    uint8_t is_part;   /* scratch of victim_set.c: 1 if it was chosen in place of a larger unit */
    uint8_t nominated; /* 1 if the unit is a nomination, not running work */
    /* 1 if the eviction of this unit alone would leave a queue with less than its guarantee */
    uint8_t crosses;
    /* 0 if the job is a first victim (first_victim.h); 1 otherwise. 0 in consolidations and drains,
     * which let the work go on elsewhere */
    uint8_t ordinary;
    /* enum side_ground on which the unit can be evicted: `ground` in the set that is tried now,
     * `best_ground` in the best set so far */
    uint8_t ground, best_ground;
};

/* A set of eviction units of one node. */
struct victim_set {
    struct victim_unit *unit; /* victim_set.c */
    uint32_t n, cap;
    /* scratch of victim_set.c; is_measured: 1 if `worth` of each unit is what it holds of what the
     * job needs */
    uint32_t *turn, cap_turn, is_measured;
    struct victim_key key;
};

/* Dominant shares of the children of one queue: `most` is the largest one, `next` the second
 * largest. `queue` is the child that has the share `most`. */
struct victim_dominant {
    int64_t most, next;
    uint32_t queue;
};

/* victim_bounds.c: upper bounds of the amounts that can be evicted from the queues, under a share
 * algorithm without guarantees. They are computed for no particular job, and hold until a
 * transaction is kept. */
struct victim_others {
    struct victim_dominant *dominant; /* by parent queue; the last entry is for root queues */
    int64_t *take;                    /* [real queue x KINDS_MAX]: the bounds; then a row of sums */
    /* [queue x KINDS_MAX]: smallest amounts that an eviction unit in or below the queue holds;
     * entry [0] of a queue is 1 if there is a unit */
    int64_t *least;
    /* [0]: the earliest time at which an eviction unit that cannot be evicted yet can be evicted;
     * [1]: the same for all queues except `until_of` */
    int64_t until[2], later;
    /* `until_of` is the real queue to which until[0] belongs. `stamp` is the stamp of the verdicts
     * that were computed for these bounds. */
    uint32_t until_of, stamp;
    int known;
    /* victim_shares.c: as `dominant`, but with all that the child queues hold */
    struct victim_dominant *whole;
    int whole_known;
};

/* victim_excess.c: the kinds, one bit each, of which a queue holds more than its entitlement [0]
 * and more than its guarantee [1]; and those of which one child queue does, or several do. */
struct victim_above {
    uint32_t self[2], any[2], many[2];
};

struct victim_excess {
    struct victim_above *row; /* by queue; the last entry is for root queues */
    int known;
};

/* The eviction units that are wanted: of tasks that run below the queue (NO_ROW: of all), that hold
 * some of the kind (0: any), and that give back some of a supply below the place (NO_ROW: any). */
struct victim_wanted {
    uint32_t queue, kind, place;
};

/* victim_order.c: the eviction units that are wanted, in the order of eviction. */
struct victim_order {
    /* n units as a heap, then free entries, then the refused units at the end */
    struct victim_unit *unit;
    uint32_t n, refused, cap;
    int built;
    /* `of` and `stamp` (of the context) are those for which the heap was built. `credit` and
     * `eased` are the values of victim_search at the last check of the refused units. */
    struct victim_wanted of;
    uint32_t stamp, credit, eased;
};
/* number of heaps: one for each level of the job's path, and a last one for queues outside the
 * path */
#define VICTIM_ORDERS (LSCHED_QUEUE_DEPTH_MAX + 2u)

/* One task that was evicted in the current transaction. */
struct victim_task {
    uint32_t job, task; /* task: row of the releasing task */
    uint32_t unit;      /* number of its eviction unit in the transaction, from 1 */
    uint32_t moved;     /* 1 if its job had, or has, its turn to find new places */
    uint32_t ground;    /* enum side_ground */
    uint32_t next;      /* index of the job's next victim, NO_ROW; see replace_calls.c */
};

/* One evicted unit of the transaction, and the ground on which it was evicted. */
struct victim_last {
    uint32_t job, queue, ground; /* job: NO_ROW if the unit cannot be treated as evicted last */
    int64_t size;                /* sum of `amount`, in thousandths of what the job needs */
    int64_t amount[KINDS_MAX];
};

/* victim_last.c: the evicted units of the transaction. */
struct victim_lasts {
    struct victim_last *unit; /* the entry of the eviction unit with number n has the index n - 1 */
    /* [queue]: index in `unit` of the largest unit below the queue; valid if [cap_queues + queue]
     * equals `stamp` */
    uint32_t *of;
    uint32_t n, cap, stamp;
    int known;
};

/* The sides of the eviction units of a node: its key's `over` is the least of their excesses. */
#define VICTIM_LEADS_MAX 4u
struct victim_lead {
    uint32_t side[VICTIM_LEADS_MAX],
        n;                      /* values of victim_unit.top; n is 0 if `over` is not known */
    int64_t started, submitted; /* latest start and latest submission among the node's units */
};

/* victim_nodes.c: the cost of making room on each node. */
/* victim_limits.c: what the limits of the job's queues leave for one task. */
struct victim_limits {
    struct resource_part_short parts;
    /* 1 to the largest charge of GPUs that the queues allow now; 0: not asked, or no bound */
    uint32_t charge_max;
    /* the most milli-GPUs of a device on which the task is tried now; 0: any device */
    uint32_t device_max;
    /* shape_cheapest_milli() of the shape `cheapest_of`, NO_ROW: not asked */
    uint32_t cheapest_of;
    int64_t cheapest;
    /* 1 if the victims of a node need not set free what lend limits keep from the task, nor what
     * supplies lack for it, because other victims can (call_relieve) */
    int from_others;
    int lacks;               /* 1 if `lack` is set and not 0 */
    int64_t lack[KINDS_MAX]; /* lending_lack() of one task with its least charge */
    /* victim_supplies_short() of the shape `supplies_of`, in the state of `mark` and `seen` (as in
     * struct victim_found) */
    uint64_t supplies, seen;
    size_t mark;
    uint32_t supplies_of;
    uint64_t hash; /* 0: nothing is short */
};

struct victim_nodes {
    /* by node row: cost of the node's cheapest set of victims */
    struct victim_key *key;
    struct victim_lead *lead; /* by node row */
    /* [queue]: the excess as in victim_key.over; valid if [cap_queues + queue] equals `look` */
    int32_t *excess;
    int32_t look;
    /* `heap` has node rows, the cheapest first. `place` has the position of each node row in
     * `heap`, NO_ROW for a node that is not in it. */
    uint32_t *heap, *place;
    /* 1 for a node that can hold the task shape and that the policy's filter does not exclude */
    uint8_t *kept;
    /* 1 for a node that is not tried again for this job, because victims on it found no new
     * place */
    uint8_t *excluded;
    /* 1 for a node below a place whose work cannot set free enough of a supply for the task */
    uint8_t *unsupplied;
    uint32_t n_excluded, n, cap;
    uint32_t shape;  /* the task shape for which the heap was built */
    uint64_t limits; /* and victim_limits.hash */
    /* the nodes whose costs count rivals, in the memory after `place` */
    uint32_t *raised, n_raised;
    /* position in the log of changed nodes; the heap is current for all changes before this
     * position */
    uint64_t synced;
    int built;
};

/* victim_saved.c: costs of all nodes for one task shape, kept for later searches of the action;
 * `key`, `heap` and `kept` are as in struct victim_nodes, in one memory block. */
struct victim_saved {
    struct victim_key *key;
    uint32_t *heap;
    uint8_t *kept;
    uint32_t n, shape, queue;
    int32_t priority;
    int is_planned;
    int64_t length;  /* job_absence_length() of the job; 0: no node has an absence */
    uint64_t serial; /* value of victim_saves.serial at the computation */
};
#define SAVED_MAX 16u
struct victim_saves {
    struct victim_saved set[SAVED_MAX];
    uint32_t next; /* the set that is used next */
    int usable;    /* 1 if the current search can share costs */
    /* serial: number of kept transactions; context: that number when the context began */
    uint64_t serial, context;
    uint64_t began; /* position in the log of changed nodes at which the current search began */
};

/* victim_set.c: for which node and shape the latest set was found, and in which state. */
struct victim_found {
    uint32_t node, shape; /* node: NO_ROW if there is no set */
    size_t mark;
    uint64_t seen;
    int rivals; /* 1 if the set has the rivals of the node */
};

/* victim_set.c: the tasks of the evaluated node; the tasks of each job are linked. */
struct victim_here {
    struct victim_held *task;
    uint32_t n, cap, stamp;
    uint32_t rivals; /* number of rivals among them that are not out */
};

/* victim_rivals.c: the tasks that must leave before the task starts on the node. */
struct victim_rivals {
    uint32_t *task, n, cap;
};

/* part_quota.c: quotas of resource parts. */
struct victim_quotas {
    /* [queue x resource part]: amounts in and below the queue that are held by work that has not
     * started; NULL if no queue has a quota of a resource part */
    int64_t *pending;
    size_t cap;
    uint8_t guarded[LIMIT_RESOURCE_PARTS]; /* 1 if some queue has a quota of the resource part */
    /* number of queues of the path, counted upward from the job's queue, that stay within their
     * quota of the resource part with the job */
    uint8_t within[LIMIT_RESOURCE_PARTS];
};

/* replace_calls.c: the turn of one job that seeks new places for the tasks that it lost. */
struct victim_move {
    uint32_t next, on; /* next: index of the next victim to handle; on: 1 during a turn */
    uint32_t mover;    /* the job for which victims were sought */
    uint32_t fresh;    /* number of new decisions of the cycle when the turn began */
    uint32_t had[LSCHED_GROUPS_PER_JOB_MAX]; /* by leaf group: tasks that the job had before */
    size_t mark;
};

/* drain_calls.c: a heap of the jobs that must leave the node `node` and were not handled yet. */
struct victim_due {
    uint32_t *job, n, cap, node;
};

/* evict_wake.c: the wait code and the list that each bundle had before this action woke it, by
 * bundle row. is_planned: 1 if bundles with planned starts were parked when the action began, since
 * it wakes these, too. */
struct victim_woken {
    uint8_t *code, *list;
    uint32_t cap;
    int is_planned;
};

/* evict_calls.c: the result of victim_bounds_possible(), which all jobs of one context share. */
struct victim_told {
    int64_t until, later, need, have;
    uint32_t stamp, code, kind;
    int8_t possible;
};

struct victim_search {
    uint32_t reason; /* LSCHED_FOR_RECLAIM, _PREEMPT, _CONSOLIDATE, _DRAIN */
    /* 1 in a reclaim that also evicts work of the job's own queue, by the rules of preempt */
    int both;
    int stopped; /* 1 if the current job has a valid mark (stops.h) */
    int alone;   /* 1 if the current job has a bundle for itself alone */
    /* 1 if the current job has a planned start, because what is free now is needed by jobs before
     * it: it takes free room only beside room that it has work stopped for (evict.h) */
    int is_planned;
    /* number of moves in the current transaction if an action planned them together
     * (moves_calls.h), otherwise 0 */
    uint32_t planned;
    uint32_t homeless; /* 1 if evicted tasks get no new place, because their job is held */
    /* The context. Jobs of the same bundle share it; `stamp` changes with each new context. */
    uint32_t stamp, job, queue, jobshape, below_minimum;
    int32_t priority;
    uint32_t n_path, path[LSCHED_QUEUE_DEPTH_MAX + 1]; /* the job's queue and its ancestors */
    /* by level: amounts that the queues of `path` held when the job's turn began */
    int64_t before[LSCHED_QUEUE_DEPTH_MAX + 1][KINDS_MAX];
    /* The members from here to `eased` belong to victim_side.c. They describe the present state,
     * without further victims. */
    /* by level: 1 if the queues of `path` up to this level stay within their entitlements with the
     * job */
    uint8_t share_ok[LSCHED_QUEUE_DEPTH_MAX + 1];
    /* by level: 1 if the queue at this level stays within its guarantee with the job */
    uint8_t guarantee[LSCHED_QUEUE_DEPTH_MAX + 1];
    /* by level and resource kind: amount that the queue would hold, with the job, above its
     * entitlement [0] and above its guarantee [1]; negative if below */
    int64_t over[LSCHED_QUEUE_DEPTH_MAX + 1][2][KINDS_MAX];
    /* amounts that the job's tasks without a place still need at least (job_least_need) */
    int64_t left[KINDS_MAX];
    /* milli-GPUs that the task is charged on the node that is evaluated beyond what `left` counts;
     * 0 between evaluations, and if the charge does not depend on the device. The members above do
     * not contain it. */
    int64_t dearer;
    /* number of evicted tasks, by the level of the common ancestor and by ground */
    uint32_t standing[LSCHED_QUEUE_DEPTH_MAX + 2][SIDE_GROUNDS];
    int stood; /* 1 if a number in `standing` can be different from 0 */
    /* under a share algorithm without guarantees: dominant share of each queue of `path` with the
     * job */
    int64_t dominant_after[LSCHED_QUEUE_DEPTH_MAX + 1];
    /* number of times that the job's side was computed again and allowed more evictions than
     * before */
    uint32_t eased;
    uint32_t way; /* the way in which victims are sought now: bits VICTIM_* */
    int chose;    /* 1 if the search in this way could choose between units or between nodes */
    /* For a job that chooses among alternatives. beyond: 1 if one of those that were tried
     * brings the job's side above its entitlement. unpaid: bits of those that found places on
     * credit in this way, and whose credit could not be ended; n_unpaid: their number at the
     * attempt before. */
    int beyond;
    uint32_t unpaid, n_unpaid;
    /* 1 if an eviction unit was refused only because the job's side is above its guarantee */
    int lacks_guarantee;
    /* 1 if evictions in sibling queues could bring a queue of the path within its guarantee */
    int may_guarantee;
    uint32_t guaranteed; /* the resource kinds, one bit each, of which some queue has a quota */
    /* resource kinds that count, one bit each: those of `guaranteed` that the job needs. If the
     * job needs none of `guaranteed`, all kinds that the job needs count. */
    uint32_t kinds;
    uint32_t kinds_before; /* all bits that `kinds` had since the job's turn began */
    int64_t need[KINDS_MAX];
    /* 1 if the share algorithm has guarantees */
    int has_amounts;
    /* victim_verdict.c: by job row; victim_job_at() clears each block of rows at its first use and
     * notes that in `cleared`. The two arrays are one allocation of jobs_bytes. */
    struct victim_job *jobs;
    uint8_t *cleared;
    size_t jobs_bytes;
    struct running_found cheapest; /* cheapest_node.c */
    /* victim_right.c, [queue x KINDS_MAX]: amounts in and below the queue that are held by work
     * that has not started */
    int64_t *pending;
    uint32_t cap_queues;
    struct victim_others others;
    struct victim_excess excess;
    struct victim_quotas quota;
    /* 1 while the search chooses victims that need not be on the node where the job will be
     * placed. As long as this is 1, no quota of a resource part allows an eviction. */
    int elsewhere;
    struct victim_nodes nodes;
    struct victim_limits limits;
    struct victim_saves saves;
    /* 1 if the proofs for this context have read all nodes of all task shapes that the job lacks */
    int places_read;
    /* In a consolidation, a job is pinned if its tasks found no new place in this search. At
     * first, the nodes of pinned jobs are excluded. When no node is left, `by_unit` is set to 1:
     * all nodes are tried again, but the work of pinned jobs is not chosen. */
    uint32_t pin_stamp, n_pinned;
    uint8_t by_unit;
    struct victim_set set; /* the set that the latest victim_set_find() stored */
    struct victim_found set_of;
    struct victim_here here;
    struct victim_rivals rivals;
    struct victim_order below[VICTIM_ORDERS];
    /* the victims of the current transaction */
    struct victim_task *victims;
    uint32_t n_victims, cap_victims, n_units;
    struct victim_lasts lasts;
    /* Why no victims were found; evict_tell() records these members in the job's bundle. */
    uint32_t why_code, why_kind, why_queue;
    int64_t why_need, why_have, until;
    /* as `until`, for times that are no wait reason, because they can be far away */
    int64_t later;
    /* the same for all jobs: when a node is back as soon as stopped work is gone
     * (victim_absence.h) */
    int64_t back;
    /* a job that no earlier action of the pass tried, NO_ROW if there is none; `found` is the
     * reason for which it found no free room before victims were sought */
    uint32_t found_of;
    struct diagnosis found;
    struct victim_told told;
    struct victim_move move;
    uint64_t work_left; /* number of node evaluations that the search can still make for this job */
    struct victim_due due;
    struct victim_woken woken;
};

#define VICTIM_JOBS_BLOCK 64u
static inline struct victim_job *victim_job_at(struct victim_search *h, uint32_t job) {
    uint32_t block = job / VICTIM_JOBS_BLOCK;
    if (!h->cleared[block])
        memset(h->jobs + (size_t)block * VICTIM_JOBS_BLOCK, 0, VICTIM_JOBS_BLOCK * sizeof *h->jobs);
    h->cleared[block] = 1;
    return &h->jobs[job];
}

/* True if victims are sought on credit: the job's side is tested only after the job has its
 * places. */
static inline int victim_on_credit(const struct victim_search *h) {
    return (h->way & (VICTIM_ON_CREDIT | VICTIM_GUARANTEE_ON_CREDIT)) != 0;
}

#endif
