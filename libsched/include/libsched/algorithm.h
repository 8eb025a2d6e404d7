/*
 * algorithm.h -- for authors of algorithms. EXPERIMENTAL until 1.0: LSCHED_ALGORITHM_API must match exactly.
 *
 * An algorithm is a static table of optional operations with one of five roles:
 *   share   who deserves the next task: gives each queue a key; the engine keeps the heaps and descends the queue tree
 *   order   which job of a queue goes first: gives each job a key
 *   place   which node: gives each feasible node a score; feasibility is the engine's
 *   act     a step of the pipeline (allocate, backfill, reclaim ...): works through transactions
 *   advise  looks at the state after the cycle and writes advice into the plan; holds no resources
 * libsched's own algorithms use nothing but this header.
 *
 * Rules. Operations are called in batches over read-only columns (lsched_view) and must be pure functions of the view, the
 * parameters and their own cache: no clock, no randomness, no pointers compared, no floating point kept. Keys and scores
 * are 64-bit integers; equal ones are ordered by submission or creation time, then by the bytes of names, by the engine. An
 * algorithm may cache in `self` what it can rebuild from the view: the engine may destroy and create it between any two
 * cycles, and never saves or clones it. Return 0 or a negative LSCHED_E_*; an error ends the cycle, which then changes nothing.
 * An act proposes through lsched_act; the engine validates every proposal again, so a wrong algorithm cannot corrupt state.
 * Memory comes from lsched_algorithm_env. Rows are slots of columns: valid during the call, never kept.
 */
#ifndef LIBSCHED_ALGORITHM_H
#define LIBSCHED_ALGORITHM_H

#include <libsched/libsched.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LSCHED_ALGORITHM_API 6u
#define LSCHED_NO_ROW        UINT32_MAX

/* What one task of a leaf group needs. */
typedef struct lsched_task_shape {
    uint64_t serial; /* never reused; equal serial, equal shape */
    int64_t request
        [LSCHED_RESOURCE_KINDS_MAX]; /* by kind; [LSCHED_GPU] = devices x share, in milli-GPU. score(): what it would take of the node's
                                      * free amount; so a task whose demand follows the day is scored for one node at a time */
    uint32_t gpu_devices;        /* devices needed; 0: none */
    uint32_t device_milli;       /* share of each, 1..1000 */
    int64_t device_memory_bytes; /* asked per device; 0: in proportion to the share */
    uint32_t n_models;           /* 0: any */
    uint32_t n_selectors;
    const uint32_t *models; /* rows of device models, ascending */
    /* score(): for a task that asks for MIG instances, what each of the nodes to score loses by it, by place in `nodes`: slices that
     * instances of other profiles could still fill, summed over `mig_profiles` profiles. NULL for other tasks. */
    const int64_t *mig_loss;
    uint32_t mig_profiles;
    uint32_t reserved_zero;
} lsched_task_shape;

/* Read-only columns, indexed by row. Rows that hold no object have node_live / queue_live 0. Pointers are valid during the
 * call they are passed to. Kinds run from 1 to n_kinds - 1 (0 is LSCHED_ANY_RESOURCE). */
typedef struct lsched_view {
    uint32_t size;
    uint32_t n_kinds;
    int64_t now_us;
    uint64_t
        structure_serial; /* changes when nodes, capacities, models, queues or the task mix change */
    /* nodes */
    uint32_t n_nodes; /* rows */
    uint32_t n_devices;
    const uint8_t *node_live;   /* 1: exists */
    const uint8_t *node_ready;  /* 1: takes new work */
    const uint64_t *node_class; /* serial: equal for equal capacity, devices and labels */
    const int64_t *node_capacity[LSCHED_RESOURCE_KINDS_MAX];
    const int64_t *node_free[LSCHED_RESOURCE_KINDS_MAX]; /* may be negative */
    const uint32_t *node_device_first;                   /* row of its first device */
    const uint8_t *node_device_count;
    const uint32_t *node_name_rank; /* position in name order */
    const int64_t *node_price_micro_per_hour;
    const int64_t *node_power_milliwatt;
    /* devices */
    const uint16_t *device_free_milli; /* 0..1000 */
    const int64_t *device_memory_free_bytes;
    const int64_t *device_memory_bytes;
    const uint32_t *device_model; /* row of the model's name */
    const uint8_t *device_share;  /* LSCHED_SHARE_* */
    uint32_t n_models;            /* rows */
    uint32_t reserved2_zero;
    int64_t total_capacity[LSCHED_RESOURCE_KINDS_MAX]; /* of ready nodes */
    /* queues */
    uint32_t n_queues; /* rows */
    uint32_t reserved_zero;
    const uint8_t *queue_live;
    const uint32_t *queue_parent; /* row or LSCHED_NO_ROW */
    const uint32_t *queue_depth;
    const int32_t *queue_priority;
    const int64_t *queue_used[LSCHED_RESOURCE_KINDS_MAX];
    const int64_t
        *queue_quota[LSCHED_RESOURCE_KINDS_MAX]; /* in force: after the policy's quota hook */
    const int64_t *queue_limit[LSCHED_RESOURCE_KINDS_MAX];
    const int64_t *queue_weight_milli
        [LSCHED_RESOURCE_KINDS_MAX]; /* in force: after the policy's weight hook; >= 0 */
    const int64_t *queue_demand[LSCHED_RESOURCE_KINDS_MAX]; /* used, and all that waits */
    const int64_t
        *queue_core[LSCHED_RESOURCE_KINDS_MAX]; /* used by minimums of non-preemptible jobs */
    const int64_t
        *queue_lend[LSCHED_RESOURCE_KINDS_MAX]; /* of an unused quota, what siblings see */
    const int64_t
        *queue_decayed_ppm[LSCHED_RESOURCE_KINDS_MAX]; /* decayed use, of the cluster's capacity */
    const int64_t *queue_created_us;
    const uint32_t *queue_name_rank;
    const uint8_t *queue_flags; /* LSCHED_QUEUE_IS_* */
    const int64_t
        *queue_head_order;      /* leaf with work: order key of its first job; smaller goes first */
    int64_t usage_weight_milli; /* how much decayed use bends weights; 0: not at all */
    /* jobs */
    uint32_t n_jobs; /* rows */
    uint32_t n_mix;
    const int32_t *job_priority;
    const int64_t *job_submit_us;
    const int64_t *job_duration_us;
    const int64_t *job_deadline_us;
    /* expected mix of tasks (lsched_task_mix_set), in order of serial */
    const lsched_task_shape *mix;
    const int64_t *mix_count;
} lsched_view;

typedef struct lsched_algorithm_env {
    uint32_t size;
    uint32_t n_params;
    void *engine;
    void *(*alloc)(void *engine, size_t bytes); /* NULL on failure */
    void (*free)(void *engine, void *old, size_t bytes);
    const lsched_param *params; /* in force: the policy's own, with the host's values; by key */
} lsched_algorithm_env;

enum {
    LSCHED_QUEUE_IS_USER = 16,
    LSCHED_QUEUE_IS_GROUP = 32
}; /* made for a user or a group of one */

/* ---- share ---- */

/* Smaller is more deserving; compared first word first. */
typedef struct lsched_share_key {
    int64_t word[2];
} lsched_share_key;

typedef struct lsched_share_ops {
    uint32_t size;
    uint32_t uses_want; /* 1: update reads `want`, else it is zero */
    uint32_t
        dominant; /* 1: orders by dominant shares; without `amounts`, reclaim goes by them. 0 and no amounts: nobody reclaims */
    uint32_t reserved_zero;
    /* A cycle begins, or queues changed: forget every queue. Then the engine calls update for all queues, children first. */
    int32_t (*begin)(void *self, const lsched_view *view);
    /* The use or the activity of `queue` or of something below it changed. `active`: it, or a queue below it, has work that
     * could be placed now; a queue that is not active is blocked. `best_child`: its most deserving active child, or
     * LSCHED_NO_ROW (a leaf, or none active). `want`: by kind, what the first job of the queue needs next, to its minimum or
     * one task more; all zero if it is not active. Called bottom-up along the path to the root. O(kinds). */
    int32_t (*update)(void *self, const lsched_view *view, uint32_t queue, uint32_t active,
                      uint32_t best_child, const int64_t *want, lsched_share_key *key);
    /* Optional; a share without it has no guarantees. What the queue has a right to: its effective guarantee (its quota in
     * force, scaled by the parent's where the children's sum exceeds that) and its fair share of the kind, as of begin. */
    int32_t (*amounts)(void *self, const lsched_view *view, uint32_t queue, uint32_t kind,
                       int64_t *guarantee, int64_t *fair_share);
} lsched_share_ops;

/* ---- order ---- */

typedef struct lsched_order_ops {
    uint32_t size;
    uint32_t uses_now; /* 1: keys change with time and are asked for again at each refresh */
    /* keys[i] of jobs[i]: smaller goes first. */
    int32_t (*keys)(void *self, const lsched_view *view, const uint32_t *jobs, size_t n,
                    int64_t *keys);
} lsched_order_ops;

/* ---- place ---- */

typedef struct lsched_place_ops {
    uint32_t size;
    uint32_t reserved_zero;
    /* Called before the first score and after each change of structure_serial. */
    int32_t (*prepare)(void *self, const lsched_view *view);
    /* scores[i] of placing one task on nodes[i]; higher is better. Every node passed can hold the task. A score may depend
     * only on the task, the node's own columns, and what prepare saw: the engine keeps scores and asks again only
     * for nodes that changed. */
    int32_t (*score)(void *self, const lsched_view *view, const lsched_task_shape *task,
                     const uint32_t *nodes, size_t n, int64_t *scores);
    /* Which devices of the node (bit i = its device i); gpu_devices bits, each able to hold its part. Absent: the
     * tightest fitting devices, lowest index first. */
    int32_t (*devices)(void *self, const lsched_view *view, const lsched_task_shape *task,
                       uint32_t node, uint32_t *mask);
} lsched_place_ops;

/* ---- act ---- */

typedef struct lsched_cycle lsched_cycle; /* the engine's, opaque */

/* One leaf or inner group of a job's gang tree. */
typedef struct lsched_group_view {
    uint32_t size;
    uint32_t parent;     /* index; groups[0] is the root */
    uint32_t n_children; /* 0: a leaf */
    uint32_t min_count;  /* leaf: members needed; inner: children needed */
    uint32_t max_count;  /* leaf: tasks wanted; between next_victim and move_end: what it had */
    uint32_t placed;     /* leaf: hold resources now (this transaction included) */
    uint32_t done;       /* leaf: ended well */
    uint32_t topology;   /* row or LSCHED_NO_ROW */
    uint32_t required_level, preferred_level; /* or LSCHED_NO_ROW */
    uint32_t step;           /* leaf: tasks that it grows by at once: 1, or what a slice lacks */
    uint32_t alternative;    /* leaf: what `task` is of those that the job was submitted with */
    uint32_t n_alternatives; /* leaf: that it may have; 1 while it holds tasks, or some leave */
    const lsched_task_shape *task; /* leaf */
} lsched_group_view;

/* So many tasks of a leaf go to a domain; LSCHED_NO_ROW: anywhere. */
typedef struct lsched_part {
    uint32_t domain;
    uint32_t tasks;
} lsched_part;

/* One task that holds room of a node, or claims room that comes free there, and for how long as far as anybody knows. */
typedef struct lsched_holder {
    uint32_t size;
    uint32_t job;
    uint32_t devices;  /* bit i: device i of the node */
    uint32_t is_claim; /* node_free does not count it yet */
    uint64_t starts;   /* MIG: first memory slice on device i in bits 4i to 4i + 3 */
    uint32_t slices;   /* MIG: memory slices of each instance; 0: none */
    uint32_t reserved_zero;
    int64_t from_us;  /* a claim: when it begins */
    int64_t until_us; /* by estimate or limit, LSCHED_NEVER_US: unknown; after now */
    int64_t amount[LSCHED_RESOURCE_KINDS_MAX]; /* that it gives back then */
} lsched_holder;

/* One task that runs and may move alone, where amounts and the node say all: one group, whole devices. */
typedef struct lsched_mover {
    uint32_t size;
    uint32_t job;
    uint32_t task; /* row */
    uint32_t devices;
    uint64_t shape; /* serial: equal serial, equal shape */
    int64_t cost;   /* of stopping it, as its decision tells */
    int64_t amount[LSCHED_RESOURCE_KINDS_MAX];
} lsched_mover;

/* What a plan over time must know of the current job, if amounts and times say all of it: one group, no wish about other places than
 * which nodes, whole devices or one MIG instance. */
typedef struct lsched_plan_ask {
    uint32_t size;
    uint32_t group;
    uint32_t tasks; /* that must start together */
    uint32_t
        planned_node; /* where it was planned to begin when it was looked at last, LSCHED_NO_ROW */
    int64_t duration_us; /* by estimate or limit; LSCHED_NEVER_US: unknown */
    int64_t planned_us;  /* when */
    const uint8_t *
        able; /* by rank of a node's name: could hold a task if it was empty; valid until the next call */
    const lsched_task_shape *task;
    lsched_text mig_profile; /* empty: none */
} lsched_plan_ask;

/* What an action may ask and do. All calls return 0, a positive answer, or a negative LSCHED_E_*. */
#define LSCHED_ACT_BOTH 256u /* evict_begin: reclaim and preempt at once */

typedef struct lsched_act {
    uint32_t size;
    uint32_t reserved_zero;
    const lsched_view *(*view)(lsched_cycle *cycle);
    /* The next job to try by share and order: 1 and *job, 0 when nothing is left. Spends work; 0 also when the budget or the
     * bound on decisions is spent. The job stays current until it is parked, done or deferred. */
    int32_t (*next_job)(lsched_cycle *cycle, uint32_t *job);
    /* Groups of a job, in the order given at submission; valid until the next call. */
    int32_t (*groups)(lsched_cycle *cycle, uint32_t job, const lsched_group_view **groups,
                      uint32_t *n);
    /* Checkpoint of the current transaction; roll back to it undoes everything since. */
    int32_t (*checkpoint)(lsched_cycle *cycle, uint64_t *mark);
    int32_t (*rollback)(lsched_cycle *cycle, uint64_t mark);
    /* Best node for one more task of a leaf group: 1 and *node, 0 if none. `domain`: LSCHED_NO_ROW or a topology domain that
     * the node must be in. */
    int32_t (*find_node)(lsched_cycle *cycle, uint32_t job, uint32_t group, uint32_t domain,
                         uint32_t *node);
    /* Place one more task of the group on node, in the transaction: 1, or 0 if the engine finds that it does not fit (room,
     * limit of a queue, filter). */
    int32_t (*place)(lsched_cycle *cycle, uint32_t job, uint32_t group, uint32_t node);
    /* From here on, in the transaction, another alternative for a leaf group that holds nothing, before its first task is placed: 1. Rolling
     * back to before gives the first again. */
    int32_t (*alternative)(lsched_cycle *cycle, uint32_t job, uint32_t group, uint32_t alternative);
    /* Domains of one level of a tree below `within` (or LSCHED_NO_ROW) that hold what the group lacks to its minimum (a leaf: `tasks` more
     * tasks), best first: least room left over, then name. Where the group has tasks already only those where these are. Spends
     * work. Returns how many there are, fills rows with at most cap of them after the first `skip`. */
    int32_t (*domains)(lsched_cycle *cycle, uint32_t job, uint32_t group, uint32_t topology,
                       uint32_t level, uint32_t within, uint32_t tasks, uint32_t skip,
                       uint32_t *rows, uint32_t cap);
    /* How the next `tasks` tasks of a leaf should go to the domains inside `domain` (or LSCHED_NO_ROW): to few, or evenly, and in whole slices. To
     * be placed in this order. Where nothing is wished for, one part that is the domain itself. Valid until the next call. 1,
     * or 0 if its slices do not fit. */
    int32_t (*divide)(lsched_cycle *cycle, uint32_t job, uint32_t group, uint32_t domain,
                      uint32_t tasks, const lsched_part **parts, uint32_t *n);
    /* A part found no room for all of its tasks: for this job divide gives the domain no more than it
     * has got in the transaction. */
    int32_t (*full)(lsched_cycle *cycle, uint32_t job, uint32_t group, uint32_t domain);
    /* 1 if every queue on the path may take what the group still needs to reach its minimum (or one more task), 0 if not. */
    int32_t (*within_limits)(lsched_cycle *cycle, uint32_t job);
    /* Keep the transaction: its placements become one group of decisions. */
    int32_t (*commit)(lsched_cycle *cycle, uint32_t job);
    /* Drop the transaction and park the job and all equal ones of its queue until something that could cure it changes. The engine finds
     * and records the reason. */
    int32_t (*park)(lsched_cycle *cycle, uint32_t job);
    /* What find_node, place and domains speak of from now on: room that is free, or also room that comes free; then place
     * nominates. 1, or 0 if nothing comes free. Every action begins with LSCHED_LOOK_NOW. */
    int32_t (*look)(lsched_cycle *cycle, uint32_t when);
    /* From here to evict_end next_job offers the jobs that wait for room, and victims may be sought for them; `reason`:
     * LSCHED_FOR_RECLAIM (work of other queues), _PREEMPT (of the job's own), _CONSOLIDATE (any, but all of it must move), or
     * LSCHED_ACT_BOTH (sets of both kinds, each unit by its rules), once both have begun in this cycle. 1, or 0
     * if there is nothing to do; then evict_end is not called. Looks later. */
    int32_t (*evict_begin)(lsched_cycle *cycle, uint32_t reason);
    int32_t (*evict_end)(lsched_cycle *cycle);
    /* May the job evict, and is it not proved already that this would not help: 1, or 0 with the reason recorded. */
    int32_t (*may_evict)(lsched_cycle *cycle, uint32_t job);
    /* The node where one task more of the group fits at least cost to others: 1 and *node, 0 if none. */
    int32_t (*find_victims)(lsched_cycle *cycle, uint32_t job, uint32_t group, uint32_t domain,
                            uint32_t *node);
    /* Evict, in the transaction, what makes room for one task more of the group on the node; the engine chooses whom. How many
     * units; 0 if nothing may go. */
    int32_t (*evict_on)(lsched_cycle *cycle, uint32_t job, uint32_t group, uint32_t node);
    /* A queue's limit keeps the job out: evict below that queue until one task more of the group may be placed. How many units; 0 if
     * that is not what keeps it out, or nothing may go. */
    int32_t (*relieve)(lsched_cycle *cycle, uint32_t job, uint32_t group);
    /* Seek victims for this job elsewhere: no more among the jobs of which a task found no new
     * place, nor, unless a consolidation called another_way, on the nodes where the transaction has
     * victims. Returns 1, or 0 if enough was tried. */
    int32_t (*exclude)(lsched_cycle *cycle);
    /* Let victims of the transaction run on that need not go after all. How many units. */
    int32_t (*spare)(lsched_cycle *cycle);
    /* The next job that lost tasks in the transaction: it is the current one until move_end, and
     * find_node and place seek new homes for what it lost. move_end: what has one moves; 1 if
     * all that it lost does. In a reclaim nothing of it does if others may be stopped only
     * because it is; in a consolidation 0, too, if another of its tasks took a place that was
     * found. */
    int32_t (*next_victim)(lsched_cycle *cycle, uint32_t *job);
    int32_t (*move_end)(lsched_cycle *cycle);
    /* Moves that the host asked for though nobody waits (lsched_schedule_opts.moves_max): 1, or 0 if it did not. Then: the node that would be
     * empty at least cost; stop all that runs there, in a transaction; find new homes by next_victim; keep the moves, 1 if each goes to a
     * node that is in use, else 0 and all is as before. */
    int32_t (*defrag_begin)(lsched_cycle *cycle);
    int32_t (*defrag_end)(lsched_cycle *cycle);
    int32_t (*next_sparse)(lsched_cycle *cycle, uint32_t *node);
    int32_t (*empty_node)(lsched_cycle *cycle, uint32_t node);
    int32_t (*keep_moves)(lsched_cycle *cycle);
    /* A gang that has been below its minimum for longer than its grace: 1 and *job, 0 if there is none. Stop it. */
    int32_t (*next_stale)(lsched_cycle *cycle, uint32_t *job);
    int32_t (*evict_job)(lsched_cycle *cycle, uint32_t job);
    /* A job that is to end for its own sake: LSCHED_FOR_TIME_LIMIT (it ran for longer than it may; the first that was due), or
     * LSCHED_FOR_IDLE (the policy called it idle at this cycle's refresh; by name). 1 and *job, 0 if there is none. Stop it, all of
     * it, for nobody in particular, and hold it: 1, or 0 if the cycle's budget or bound does not let that. */
    int32_t (*next_overdue)(lsched_cycle *cycle, uint32_t reason, uint32_t *job);
    int32_t (*stop_job)(lsched_cycle *cycle, uint32_t job);
    /* Nodes that drain, or that have a taint which stops what does not tolerate it: 1, or 0 if nothing has to go anywhere. Then: the next job
     * that has tasks to take off such a node; stop these in a transaction, alone or (whole) with all that cannot stand without them, which
     * undoes what was stopped alone: how many; find new homes by next_victim; keep it: what has a new home moves, the rest is evicted. */
    int32_t (*drain_begin)(lsched_cycle *cycle);
    int32_t (*drain_end)(lsched_cycle *cycle);
    int32_t (*next_drained)(lsched_cycle *cycle, uint32_t *job);
    int32_t (*drain_job)(lsched_cycle *cycle, uint32_t job, uint32_t whole);
    int32_t (*keep_drained)(lsched_cycle *cycle);
    /* Plans over time. Whoever waits for a planned time stands in line again: 1, or 0 if nobody stands in line, so that all plans hold. */
    int32_t (*plan_begin)(lsched_cycle *cycle);
    /* All that hold something of a node, or claim it; valid until the next call. *places: so many tasks more by the bound on their number. */
    int32_t (*holders)(lsched_cycle *cycle, uint32_t node, const lsched_holder **list, uint32_t *n,
                       int64_t *places);
    /* 1 and *ask; 0: only placing the job can tell whether it fits. */
    int32_t (*plan_ask)(lsched_cycle *cycle, uint32_t job, lsched_plan_ask *ask);
    /* Set the job aside: next_job passes it by. charged: shares see its minimum as placed. Everything set aside must be taken up again: it is the
     * current job then. */
    int32_t (*plan_defer)(lsched_cycle *cycle, uint32_t job, uint32_t charged);
    int32_t (*plan_take)(lsched_cycle *cycle, uint32_t job);
    /* Drop the transaction and park the job until it is planned to start, or anything gains room: `node` (LSCHED_NO_ROW: behind others) and `after`, the job
     * whose end it waits for, or LSCHED_NO_ROW, are what it is told. */
    int32_t (*plan_wait)(lsched_cycle *cycle, uint32_t job, int64_t at_us, uint32_t node,
                         uint32_t after);
    /* As place, on these devices, and for MIG at these starts; 1, or 0 if that does not do. */
    int32_t (*place_on)(lsched_cycle *cycle, uint32_t job, uint32_t group, uint32_t node,
                        uint32_t devices, uint64_t starts);
    /* MIG: may device i of the node ever give the current job's instance: 1, how many memory slices that has and where it may begin (bit s:
     * slice s), 0 if not; without a job (LSCHED_NO_ROW) 1 for a device that is cut at all. *used: slices that are taken or claimed. */
    int32_t (*mig_device)(lsched_cycle *cycle, uint32_t job, uint32_t node, uint32_t device,
                          uint32_t *slices, uint32_t *starts, uint32_t *used);
    /* Work of the action's own, in units of the cycle's budget: 1, or 0 if so much is not left: then nothing is spent. */
    int32_t (*spend)(lsched_cycle *cycle, uint64_t units);
    /* What the transaction placed so far, `from` the first of it on: by node; valid until the next call. How many. */
    int32_t (*placed)(lsched_cycle *cycle, uint32_t from, uint32_t *nodes, uint32_t cap);
    /* Moves that are planned together, between defrag_begin and defrag_end. How many tasks may still move; what may move off a node, in
     * order of jobs, and how many others stay, valid until the next call: 1, or 0 if emptying the node gains nothing; could the node
     * hold the task if it was empty. */
    int32_t (*moves_left)(lsched_cycle *cycle);
    int32_t (*movers)(lsched_cycle *cycle, uint32_t node, const lsched_mover **list, uint32_t *n,
                      uint32_t *stay);
    int32_t (*mover_able)(lsched_cycle *cycle, uint32_t task, uint32_t node);
    /* A transaction of so many moves: 1, or 0 if they are too many; then, each 1 or 0, stop a task in it, jobs one after the other. New homes by
     * next_victim, and place; keep_moves keeps all or nothing: 1 if fewer nodes are in use then, and none that was not. */
    int32_t (*moves_begin)(lsched_cycle *cycle, uint32_t tasks);
    int32_t (*move_off)(lsched_cycle *cycle, uint32_t task);
    /* The job is seated: 1 if all that was stopped for it may be, with the job's queues as they are now and, if need be, with more
     * stopped that runs below these; 0 if not. */
    int32_t (*pay_rights)(lsched_cycle *cycle);
    /* The job found no seats, and the action has rolled back: look at victims in another order from now on. 1, or 0 if there is no other
     * way that could help. */
    int32_t (*another_way)(lsched_cycle *cycle);
    /* Asked first, between evict_begin and its end: 1 if nobody has looked for room for the job in
     * this pass yet. The action then looks for room that is there and for room that comes free,
     * before it calls may_evict: if nobody can be stopped, what it found is why the job waits.
     * 0 if room was looked for in this pass and there was none. */
    int32_t (*untried)(lsched_cycle *cycle, uint32_t job);
} lsched_act;

enum { LSCHED_LOOK_NOW = 0, LSCHED_LOOK_LATER = 1 };

typedef struct lsched_act_ops {
    uint32_t size;
    /* 1 << LSCHED_FOR_* for each reason that it gives evict_begin. While jobs wait for it, what
     * actions before it place by a lesser right is put off. */
    uint32_t evicts;
    int32_t (*run)(void *self, const lsched_act *act, lsched_cycle *cycle);
} lsched_act_ops;

/* ---- advise ---- */

typedef struct lsched_advice {
    uint32_t size;
    uint32_t code; /* the algorithm's own */
    uint32_t node; /* row or LSCHED_NO_ROW; read back as an id through lsched_plan_advice */
    uint32_t queue;
    int64_t number[4];
    char text[128];
} lsched_advice;

typedef struct lsched_advise_ops {
    uint32_t size;
    uint32_t reserved_zero;
    int32_t (*run)(void *self, const lsched_view *view,
                   int32_t (*emit)(void *to, const lsched_advice *advice), void *to);
} lsched_advise_ops;

/* ---- the table ---- */

enum {
    LSCHED_ROLE_SHARE = 1,
    LSCHED_ROLE_ORDER = 2,
    LSCHED_ROLE_PLACE = 3,
    LSCHED_ROLE_ACT = 4,
    LSCHED_ROLE_ADVISE = 5
};

typedef struct lsched_algorithm {
    uint32_t size;
    uint32_t api; /* LSCHED_ALGORITHM_API */
    uint32_t role;
    uint32_t reserved_zero;
    const char *name; /* by which policies name it: "drf", "best-fit", "allocate" */
    /* Optional; self stays NULL without create. */
    int32_t (*create)(const lsched_algorithm_env *env, void **self, lsched_error *err);
    void (*destroy)(const lsched_algorithm_env *env, void *self);
    /* exactly the one of the role */
    const lsched_share_ops *share;
    const lsched_order_ops *order;
    const lsched_place_ops *place;
    const lsched_act_ops *act;
    const lsched_advise_ops *advise;
} lsched_algorithm;

/* Make an algorithm known to a cluster under its name; the table must outlive the cluster. LSCHED_E_EXISTS if the role has
 * that name, LSCHED_E_VERSION for another api. Clones know the same algorithms. */
LSCHED_API int32_t lsched_algorithm_register(lsched_cluster *cluster,
                                             const lsched_algorithm *algorithm, lsched_error *err);
/* Advice of a plan; the record's rows are replaced by ids. */
typedef struct lsched_plan_advice_record {
    uint32_t size;
    uint32_t code;
    lsched_id node, queue; /* 0: none */
    int64_t number[4];
    char algorithm[32];
    char text[128];
} lsched_plan_advice_record;
LSCHED_API size_t lsched_plan_advice_size(const lsched_plan *plan);
LSCHED_API const lsched_plan_advice_record *lsched_plan_advice(const lsched_plan *plan, size_t i);

#ifdef __cplusplus
}
#endif
#endif
