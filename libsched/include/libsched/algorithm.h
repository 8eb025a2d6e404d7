/*
 * algorithm.h -- the interface for authors of algorithms. The interface is EXPERIMENTAL until
 * version 1.0: an algorithm must have exactly the library's LSCHED_ALGORITHM_API.
 *
 * An algorithm is a static table of optional operations with one of five roles:
 *   share   decides which queue gets the next task: gives each queue a key; the engine sorts
 *           queues by their keys and descends the queue tree
 *   order   decides which job of a queue is tried first: gives each job a key
 *   place   decides which node a task gets: gives each feasible node a score; the engine decides
 *           which nodes are feasible
 *   act     is one action of the pipeline (allocate, backfill, reclaim ...): works through
 *           transactions
 *   advise  reads the state after the cycle and writes advice into the plan; holds no resources
 *
 * The algorithms that are part of libsched use only this header, too.
 *
 * Rules. The engine calls operations in batches, with read-only columns (lsched_view). The result
 * of an operation must depend only on the view, the parameters and the algorithm's cache. An
 * operation must not use a clock or random numbers, compare pointers or store floating-point
 * numbers. Keys and scores are 64-bit integers; the engine orders equal keys by submission or
 * creation time, then by the bytes of names. An algorithm can cache data in `self` if it can
 * compute them again from the view. The engine can destroy and create `self` between any two
 * cycles, and never saves or clones it. Operations return 0 or a negative LSCHED_E_*; an error ends
 * the cycle, which then changes nothing. An action changes state only through lsched_act. The
 * engine checks every change; therefore a wrong algorithm cannot corrupt the state. Algorithms
 * allocate memory with lsched_algorithm_env. A row is an index in columns; it is valid only during
 * the call.
 */
#ifndef LIBSCHED_ALGORITHM_H
#define LIBSCHED_ALGORITHM_H

#include <libsched/libsched.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LSCHED_ALGORITHM_API 7u
#define LSCHED_NO_ROW        0xffffffffu

/* The task shape of a leaf group: what each task of the group needs. */
typedef struct lsched_task_shape {
    /* serial number of the shape, never used again; tasks with equal serial numbers have equal
     * shapes */
    uint64_t serial;
    /* amounts by kind; [LSCHED_GPU] is devices x share, in milli-GPUs. In score(), these are the
     * amounts by which the task would lower the node's free amounts. For a task with daily demand
     * they differ between nodes; therefore such a task is scored for one node at a time */
    int64_t request[LSCHED_RESOURCE_KINDS_MAX];
    uint32_t gpu_devices;        /* number of devices needed; 0: none */
    uint32_t device_milli;       /* share of each device, 1..1000 */
    int64_t device_memory_bytes; /* requested memory per device; 0: in proportion to the share */
    uint32_t n_models;           /* 0: any model */
    uint32_t n_selectors;
    const uint32_t *models; /* rows of the allowed device models, ascending */
    /* Only in score(), for a task that requests MIG instances: the loss of each node, in the order
     * of `nodes`. The loss is the sum over `mig_profiles` profiles of the memory slices that
     * instances of the profile could no longer use. NULL for other tasks. */
    const int64_t *mig_loss;
    uint32_t mig_profiles;
    uint32_t reserved_zero;
} lsched_task_shape;

/* Read-only columns, indexed by row. If a row holds no object, node_live or queue_live is 0.
 * Pointers are valid during the call that gets them. Resource kinds are 1 to n_kinds - 1; 0 is
 * LSCHED_ANY_RESOURCE. */
typedef struct lsched_view {
    uint32_t size;
    uint32_t n_kinds;
    int64_t now_us;
    /* changes if nodes, capacities, models, queues or the task mix change, and never otherwise */
    uint64_t structure_serial;
    /* The members from here on describe nodes. */
    uint32_t n_nodes; /* number of rows */
    uint32_t n_devices;
    const uint8_t *node_live;  /* 1: the row holds a node */
    const uint8_t *node_ready; /* 1: the node takes new work */
    /* serial number; equal for nodes with equal capacity, devices and labels */
    const uint64_t *node_class;
    const int64_t *node_capacity[LSCHED_RESOURCE_KINDS_MAX];
    const int64_t *node_free[LSCHED_RESOURCE_KINDS_MAX]; /* free amount by kind; can be negative */
    const uint32_t *node_device_first;                   /* row of the node's first device */
    const uint8_t *node_device_count;
    const uint32_t *node_name_rank; /* index of the node in the order of names */
    const int64_t *node_price_micro_per_hour;
    const int64_t *node_power_milliwatt;
    /* The members from here on describe devices. */
    const uint16_t *device_free_milli; /* free milli-GPUs of the device, 0 to 1000 */
    const int64_t *device_memory_free_bytes;
    const int64_t *device_memory_bytes;
    const uint32_t *device_model; /* row of the name of the device's model */
    const uint8_t *device_share;  /* LSCHED_SHARING_* */
    uint32_t n_models;            /* number of rows */
    uint32_t reserved2_zero;
    /* sum of the capacities of the ready nodes */
    int64_t total_capacity[LSCHED_RESOURCE_KINDS_MAX];
    /* The members from here on describe queues. */
    uint32_t n_queues; /* number of rows */
    uint32_t reserved_zero;
    const uint8_t *queue_live;
    const uint32_t *queue_parent; /* row of the parent queue; LSCHED_NO_ROW for a root queue */
    const uint32_t *queue_depth;
    const int32_t *queue_priority;
    const int64_t *queue_used[LSCHED_RESOURCE_KINDS_MAX];
    /* quota that is in force: the policy's hook `quota` can change it */
    const int64_t *queue_quota[LSCHED_RESOURCE_KINDS_MAX];
    const int64_t *queue_limit[LSCHED_RESOURCE_KINDS_MAX];
    /* weight that is in force: the policy's hook `weight` can change it; >= 0 */
    const int64_t *queue_weight_milli[LSCHED_RESOURCE_KINDS_MAX];
    /* amount used plus the requests of all waiting tasks */
    const int64_t *queue_demand[LSCHED_RESOURCE_KINDS_MAX];
    /* amount that the minimums of non-preemptible jobs use */
    const int64_t *queue_core[LSCHED_RESOURCE_KINDS_MAX];
    /* portion of the unused quota that siblings can use */
    const int64_t *queue_lend[LSCHED_RESOURCE_KINDS_MAX];
    /* decayed use, in millionths of the cluster's capacity */
    const int64_t *queue_decayed_ppm[LSCHED_RESOURCE_KINDS_MAX];
    const int64_t *queue_created_us;
    const uint32_t *queue_name_rank;
    const uint8_t *queue_flags; /* bits LSCHED_QUEUE_IS_* */
    /* leaf queue with waiting jobs: order key of its first job; the smallest key is tried first */
    const int64_t *queue_head_order;
    /* factor, in thousandths, by which decayed use changes weights; 0: decayed use has no effect */
    int64_t usage_weight_milli;
    /* The members from here on describe jobs. */
    uint32_t n_jobs; /* number of rows */
    uint32_t n_mix;
    const int32_t *job_priority;
    const int64_t *job_submit_us;
    const int64_t *job_duration_us;
    const int64_t *job_deadline_us;
    /* expected mix of tasks (lsched_task_mix_set), in the order of serial numbers */
    const lsched_task_shape *mix;
    const int64_t *mix_count;
} lsched_view;

typedef struct lsched_algorithm_env {
    uint32_t size;
    uint32_t n_params;
    void *engine;
    void *(*alloc)(void *engine, size_t bytes); /* returns NULL on failure */
    void (*free)(void *engine, void *old, size_t bytes);
    /* parameters that are in force, sorted by key; a value of the orchestrator replaces that of the
     * policy */
    const lsched_param *params;
} lsched_algorithm_env;

enum lsched_queue_nature {
    LSCHED_QUEUE_IS_USER = 16,
    LSCHED_QUEUE_IS_GROUP = 32
}; /* the queue is the sub-queue of a user, of a group */

/* ---- share ---- */

/* The queue with the smallest key gets the next task. word[0] is compared first. */
typedef struct lsched_share_key {
    int64_t word[2];
} lsched_share_key;

typedef struct lsched_share_ops {
    uint32_t size;
    uint32_t uses_want; /* 1: update reads `want`; 0: `want` is zero */
    /* 1: keys follow dominant shares. If `amounts` is NULL, reclaim compares dominant shares if
     * this is 1; if it is 0, no queue can reclaim */
    uint32_t dominant;
    /* 1: the key of a queue depends only on its own columns, on the queues below it, and on what
     * begin reads, and begin reads no amounts that are used or wanted. The engine then keeps all
     * keys from one cycle to the next, and calls update only for queues that changed and for the
     * queues above them. It calls begin again only if nodes, queues, weights, quotas, limits or
     * priorities change, or if decayed use is kept. Not allowed together with uses_want or
     * `amounts`. 0: the engine calls begin in every cycle in which a queue has changed or has work
     * that can be tried, unless the algorithm has the operation `follow` */
    uint32_t local_keys;
    /* Drops what the algorithm knows about queues, because a cycle begins or queues changed. After
     * that, the engine calls update for all queues, children before their parents. */
    int32_t (*begin)(void *self, const lsched_view *view);
    /* Computes the key of `queue`. The engine calls it when the use or `active` of the queue, or of
     * a queue below it, has changed: for each queue on the path to the root, children first.
     * `active` is 1 if `queue` or a queue below it has work that can be tried. `best_child` is the
     * active child with the smallest key, or LSCHED_NO_ROW if there is none. `want` is the amounts
     * by kind that the first job of the queue needs next, to reach its minimum or for one more
     * task; they are zero if `active` is 0. Cost must be O(kinds). */
    int32_t (*update)(void *self, const lsched_view *view, uint32_t queue, uint32_t active,
                      uint32_t best_child, const int64_t *want, lsched_share_key *key);
    /* Optional: a share algorithm without this operation has no guarantees. Reports the queue's
     * guarantee and fair share of the kind, as computed at begin. The guarantee is the quota in
     * force; if the quotas of all children of a queue exceed that queue's guarantee, they are
     * scaled down. */
    int32_t (*amounts)(void *self, const lsched_view *view, uint32_t queue, uint32_t kind,
                       int64_t *guarantee, int64_t *fair_share);
    /* Optional. Brings guarantees and fair shares up to date after `begin`, when nothing but used
     * amounts and demand has changed, in the n queues at `queues`; a queue can occur several times.
     * Calls moved(to, queue) for each queue whose guarantee or fair share has changed. Returns 1
     * if all amounts are those that begin would compute, 0 if the engine must call begin, or a
     * negative code. With this operation, the key of a queue must depend only on its own columns,
     * on its guarantee and fair share, on `active`, `best_child` and `want`, and on what update
     * computed for best_child. The engine then keeps all keys from one cycle to the next. It can
     * also call update for a queue with `active` 1 although the queue has no such work yet, to
     * learn the key that it would have, and calls update again before it asks for other keys. */
    int32_t (*follow)(void *self, const lsched_view *view, const uint32_t *queues, size_t n,
                      void (*moved)(void *to, uint32_t queue), void *to);
} lsched_share_ops;

/* ---- order ---- */

typedef struct lsched_order_ops {
    uint32_t size;
    /* 1: keys change with time; the engine calls `keys` again at each refresh */
    uint32_t uses_now;
    /* Sets keys[i] to the key of jobs[i]. The job with the smallest key is tried first. */
    int32_t (*keys)(void *self, const lsched_view *view, const uint32_t *jobs, size_t n,
                    int64_t *keys);
} lsched_order_ops;

/* ---- place ---- */

#define LSCHED_PREPARED_SAME 1 /* result of `prepare` */

typedef struct lsched_place_ops {
    uint32_t size;
    uint32_t reserved_zero;
    /* Prepares the cache; called before the first score and after each change of
     * structure_serial. Returns 0, or LSCHED_PREPARED_SAME if all scores are the same as with the
     * data of the call before. The engine then scores only the nodes that changed; after 0, it
     * scores all nodes again. */
    int32_t (*prepare)(void *self, const lsched_view *view);
    /* Sets scores[i] to the score of nodes[i] for one task; the highest score is the best. Each of
     * the nodes can hold the task. A score must depend only on the task, the node's own columns,
     * and the data that prepare read. The reason is that the engine keeps scores and calls `score`
     * again only for nodes that have changed. node_name_rank is no column of the node's own: a new
     * node changes it. Of equal scores, the node whose name sorts first is chosen. */
    int32_t (*score)(void *self, const lsched_view *view, const lsched_task_shape *task,
                     const uint32_t *nodes, size_t n, int64_t *scores);
    /* Optional. Chooses gpu_devices devices of the node for the task; bit i of *mask is device i.
     * Each device must have room for the task's share. Without this operation, the engine takes the
     * devices with the least room that suffices, among equal ones the lowest index. */
    int32_t (*devices)(void *self, const lsched_view *view, const lsched_task_shape *task,
                       uint32_t node, uint32_t *mask);
} lsched_place_ops;

/* ---- act ---- */

typedef struct lsched_cycle lsched_cycle; /* opaque, owned by the engine */

/* One task group in the tree of a job: a leaf group or an inner group. */
typedef struct lsched_group_view {
    uint32_t size;
    uint32_t parent;     /* index of the parent group; groups[0] is the root */
    uint32_t n_children; /* number of child groups; 0: the group is a leaf */
    uint32_t min_count;  /* minimum: number of tasks of a leaf, of child groups of an inner group */
    /* leaf: number of tasks; between next_victim and move_end: number of tasks before the
     * eviction */
    uint32_t max_count;
    uint32_t placed;   /* leaf: number of tasks that hold resources, also in this transaction */
    uint32_t done;     /* leaf: number of tasks that ended well */
    uint32_t topology; /* row of the topology that the group names, or LSCHED_NO_ROW */
    uint32_t required_level, preferred_level; /* levels of that topology, or LSCHED_NO_ROW */
    uint32_t step; /* leaf: number of tasks to add together: 1, or as many as a task block lacks */
    uint32_t alternative; /* leaf: index of `task` among the alternatives of the submitted job */
    /* leaf: number of alternatives that can be chosen; 1 while the leaf has placed or releasing
     * tasks */
    uint32_t n_alternatives;
    uint32_t reserved_zero;
    const lsched_task_shape *task; /* leaf: shape of its tasks */
} lsched_group_view;

/* A number of tasks of a leaf group, and the domain to which they are assigned; LSCHED_NO_ROW: any
 * node. */
typedef struct lsched_part {
    uint32_t domain;
    uint32_t tasks;
} lsched_part;

/* One task that holds resources of a node or is nominated there, and the expected end of that
 * use. */
typedef struct lsched_holder {
    uint32_t size;
    uint32_t job;
    uint32_t devices;  /* devices that the task holds: bit i is device i of the node */
    uint32_t is_claim; /* 1: the task is nominated; node_free does not count its amounts yet */
    uint64_t starts;   /* MIG: bits 4i to 4i + 3 are the first memory slice on device i */
    uint32_t slices;   /* MIG: number of memory slices of each instance; 0: no instance */
    uint32_t reserved_zero;
    int64_t from_us; /* nomination: time at which the task will start */
    /* expected end, by estimated run time or time limit, always after now; LSCHED_NEVER_US:
     * unknown */
    int64_t until_us;
    int64_t amount[LSCHED_RESOURCE_KINDS_MAX]; /* amount that the task gives back at until_us */
} lsched_holder;

/* One running task that can be moved alone. Amounts and allowed nodes describe its needs
 * completely: its job has one group, and it uses whole devices only. */
typedef struct lsched_mover {
    uint32_t size;
    uint32_t job;
    uint32_t task; /* row of the task */
    uint32_t devices;
    uint64_t shape; /* serial number of the task's shape (lsched_task_shape.serial) */
    int64_t cost;   /* cost of stopping the task, as in lsched_decision */
    int64_t amount[LSCHED_RESOURCE_KINDS_MAX];
} lsched_mover;

/* Data about the current job for a plan over time. Only a job that amounts and times describe
 * completely has these data: a job with one group, without rules about places except allowed nodes,
 * and with whole devices or one MIG instance per task. */
typedef struct lsched_plan_ask {
    uint32_t size;
    uint32_t group;
    uint32_t tasks;        /* number of tasks that must start together */
    uint32_t planned_node; /* node of the job's latest plan; LSCHED_NO_ROW: none */
    int64_t duration_us;   /* run time, by estimate or time limit; LSCHED_NEVER_US: unknown */
    int64_t planned_us;    /* start time of the job's latest plan */
    /* indexed by node_name_rank: 1 if the node could hold a task of the job if it were empty; valid
     * until the next call */
    const uint8_t *able;
    const lsched_task_shape *task;
    lsched_text mig_profile; /* MIG profile that the task requests; empty: none */
} lsched_plan_ask;

/* The functions that an action can call. Each returns 0 or a positive result, or a negative
 * LSCHED_E_*. */
#define LSCHED_ACT_BOTH 256u /* reason for evict_begin: reclaim and preempt together */

typedef struct lsched_act {
    uint32_t size;
    uint32_t reserved_zero;
    const lsched_view *(*view)(lsched_cycle *cycle);
    /* Chooses the next job to try, by share and order. Returns 1 and sets *job; 0 if no job
     * remains, or the budget or decisions_max is spent. The call uses work units. The job stays the
     * current job until it is committed, parked or deferred. */
    int32_t (*next_job)(lsched_cycle *cycle, uint32_t *job);
    /* Returns the groups of a job, in the order in which they were submitted. They are valid until
     * the next call. */
    int32_t (*groups)(lsched_cycle *cycle, uint32_t job, const lsched_group_view **groups,
                      uint32_t *n);
    /* checkpoint sets *mark to the present state of the transaction; rollback undoes all changes
     * since a mark. */
    int32_t (*checkpoint)(lsched_cycle *cycle, uint64_t *mark);
    int32_t (*rollback)(lsched_cycle *cycle, uint64_t mark);
    /* Finds the best node for one more task of a leaf group. Returns 1 and sets *node; 0 if no node
     * fits. `domain` is a topology domain that must contain the node, or LSCHED_NO_ROW. */
    int32_t (*find_node)(lsched_cycle *cycle, uint32_t job, uint32_t group, uint32_t domain,
                         uint32_t *node);
    /* Places one more task of the group on the node, in the transaction. Returns 1; 0 if the task
     * does not fit because of room, a limit of a queue or the filter hook. */
    int32_t (*place)(lsched_cycle *cycle, uint32_t job, uint32_t group, uint32_t node);
    /* Selects another alternative for a leaf group, from now on in the transaction. The leaf must
     * have no placed task. Returns 1. A rollback to an earlier mark selects the former alternative
     * again. */
    int32_t (*alternative)(lsched_cycle *cycle, uint32_t job, uint32_t group, uint32_t alternative);
    /* Lists the domains of one topology level inside the domain `within` (LSCHED_NO_ROW: all) that
     * have enough room. An inner group needs room for what it lacks to its minimum, a leaf for
     * `tasks` more tasks. The best domain comes first: the one with the least room afterwards, then
     * by name. If the group has tasks already, only domains with these tasks are listed. Returns
     * the number of domains, skips the first `skip` and writes at most cap rows. The call uses work
     * units. */
    int32_t (*domains)(lsched_cycle *cycle, uint32_t job, uint32_t group, uint32_t topology,
                       uint32_t level, uint32_t within, uint32_t tasks, uint32_t skip,
                       uint32_t *rows, uint32_t cap);
    /* Assigns the next `tasks` tasks of a leaf to domains inside `domain` (LSCHED_NO_ROW: all), in
     * whole task blocks, as the group's topology_mode says. The caller places the tasks in the
     * order of the elements of *parts. If the group has no task blocks and no such mode, the only
     * element is the domain itself. *parts is valid until the next call. Returns 1; 0 if the task
     * blocks do not fit. */
    int32_t (*divide)(lsched_cycle *cycle, uint32_t job, uint32_t group, uint32_t domain,
                      uint32_t tasks, const lsched_part **parts, uint32_t *n);
    /* Reports that a domain had no room for all tasks that divide assigned to it. From then on,
     * divide assigns at most as many of this job's tasks to the domain as were placed in it in the
     * transaction. */
    int32_t (*full)(lsched_cycle *cycle, uint32_t job, uint32_t group, uint32_t domain);
    /* Returns 1 if the limits of the job's queue and all queues above allow the tasks that the job
     * still needs to reach its minimum, or one more task if it has reached it; 0 if they do not. */
    int32_t (*within_limits)(lsched_cycle *cycle, uint32_t job);
    /* Keeps the transaction. Its placements become decisions of one decision group. */
    int32_t (*commit)(lsched_cycle *cycle, uint32_t job);
    /* Drops the transaction. The job, and all jobs of equal shape in its queue, are not tried again
     * until an event can end their wait reason, which the engine finds and records. */
    int32_t (*park)(lsched_cycle *cycle, uint32_t job);
    /* Chooses the room that find_node, place and domains count. LSCHED_LOOK_NOW: only free room.
     * LSCHED_LOOK_LATER: also room that releasing tasks will free; place then nominates. Returns 1;
     * 0 if no room will come free. Every action begins with LSCHED_LOOK_NOW. */
    int32_t (*look)(lsched_cycle *cycle, uint32_t when);
    /* Begins a victim search, which evict_end ends. In between, next_job offers jobs that wait for
     * room, and the action can evict for them. `reason` is one of:
     *   LSCHED_FOR_RECLAIM      victims in other queues
     *   LSCHED_FOR_PREEMPT      victims in the job's own queue
     *   LSCHED_FOR_CONSOLIDATE  any victims, but all of them must be moved
     *   LSCHED_ACT_BOTH         victims of both kinds together, each by its own rules; allowed only
     *                           after searches for both reasons have begun in this cycle
     * The call sets LSCHED_LOOK_LATER. Returns 1; 0 if there is nothing to do, and then the action
     * must not call evict_end. */
    int32_t (*evict_begin)(lsched_cycle *cycle, uint32_t reason);
    int32_t (*evict_end)(lsched_cycle *cycle);
    /* Returns 1 if the job is allowed to evict, and it is not proved that eviction cannot help;
     * else 0, and the engine records the reason. */
    int32_t (*may_evict)(lsched_cycle *cycle, uint32_t job);
    /* Finds the node on which one more task of the group fits at the least eviction cost. Returns 1
     * and sets *node; 0 if there is no such node. */
    int32_t (*find_victims)(lsched_cycle *cycle, uint32_t job, uint32_t group, uint32_t domain,
                            uint32_t *node);
    /* Evicts victims on the node, in the transaction, to make room for one more task of the group.
     * The engine chooses the victims. Returns the number of eviction units; 0 if nothing can be
     * evicted. */
    int32_t (*evict_on)(lsched_cycle *cycle, uint32_t job, uint32_t group, uint32_t node);
    /* If a queue's limit keeps the job from starting, evicts work below that queue until one more
     * task of the group is within the limit. Returns the number of evicted units; 0 if no limit
     * prevents the start, or nothing can be evicted. */
    int32_t (*relieve)(lsched_cycle *cycle, uint32_t job, uint32_t group);
    /* Continues the search for this job without the present victims. From now on, the search skips
     * jobs of which a task found no new place. It also skips the nodes on which the transaction has
     * victims, except after another_way in a consolidation. Returns 1; 0 if there is nothing more
     * to skip, or the search has used all its attempts. */
    int32_t (*exclude)(lsched_cycle *cycle);
    /* Takes back the evictions of the transaction that the job does not need. Returns the number of
     * eviction units that run on. */
    int32_t (*spare)(lsched_cycle *cycle);
    /* next_victim takes the next job that lost tasks in the transaction, and makes it the current
     * job until move_end. In between, find_node and place find new places for the lost tasks.
     * move_end changes the evictions of tasks with a new place to moves, and returns 1 if all lost
     * tasks have a new place. In a reclaim, it moves no task of the job if other victims are
     * allowed only because the job is stopped. In a consolidation, it also returns 0 if another
     * task of the job took one of the new places. */
    int32_t (*next_victim)(lsched_cycle *cycle, uint32_t *job);
    int32_t (*move_end)(lsched_cycle *cycle);
    /* Moves that empty nodes without a job that waits for them, up to
     * lsched_schedule_opts.moves_max. defrag_begin returns 1; 0 if moves_max is 0 or the cycle
     * cannot evict. next_sparse sets *node to the node that can be emptied at the least cost.
     * empty_node stops all tasks of the node, in a transaction; next_victim is then used to find
     * new places. keep_moves keeps the moves and returns 1 if each task goes to a node that is in
     * use; else it undoes them and returns 0. */
    int32_t (*defrag_begin)(lsched_cycle *cycle);
    int32_t (*defrag_end)(lsched_cycle *cycle);
    int32_t (*next_sparse)(lsched_cycle *cycle, uint32_t *node);
    int32_t (*empty_node)(lsched_cycle *cycle, uint32_t node);
    int32_t (*keep_moves)(lsched_cycle *cycle);
    /* next_stale finds a gang that has been below its minimum for longer than its grace time. It
     * returns 1 and sets *job; 0 if there is no such gang. evict_job stops the gang. */
    int32_t (*next_stale)(lsched_cycle *cycle, uint32_t *job);
    int32_t (*evict_job)(lsched_cycle *cycle, uint32_t job);
    /* next_overdue finds a job that must end for its own reason: LSCHED_FOR_TIME_LIMIT (it ran
     * longer than allowed; the earliest due time first) or LSCHED_FOR_IDLE (the policy's hook
     * called the job idle at this cycle's refresh; in name order). It returns 1 and sets *job; 0 if
     * there is no such job. stop_job stops all tasks of the job and holds the job. It returns 1; 0
     * if the cycle's budget or decisions_max does not allow that. */
    int32_t (*next_overdue)(lsched_cycle *cycle, uint32_t reason, uint32_t *job);
    int32_t (*stop_job)(lsched_cycle *cycle, uint32_t job);
    /* Empties nodes that drain, or that have a taint of effect STOP. drain_begin returns 1; 0 if no
     * task must leave such a node. next_drained chooses the next job with tasks on such nodes.
     * drain_job stops these tasks in a transaction. With `whole`, it undoes an earlier drain_job of
     * the job, and also stops all tasks that cannot run without these tasks. It returns the number
     * of stopped tasks. next_victim is then used to find new places. keep_drained moves the tasks
     * that have a new place and evicts the others. */
    int32_t (*drain_begin)(lsched_cycle *cycle);
    int32_t (*drain_end)(lsched_cycle *cycle);
    int32_t (*next_drained)(lsched_cycle *cycle, uint32_t *job);
    int32_t (*drain_job)(lsched_cycle *cycle, uint32_t job, uint32_t whole);
    int32_t (*keep_drained)(lsched_cycle *cycle);
    /* Starts planning over time: next_job then also offers jobs that wait for a planned start.
     * Returns 1; 0 if there is no job to offer, and then all planned starts stay. */
    int32_t (*plan_begin)(lsched_cycle *cycle);
    /* Lists all tasks that hold resources of a node or are nominated there. The list is valid until
     * the next call. Sets *places to the number of tasks that the node's tasks_max still allows. */
    int32_t (*holders)(lsched_cycle *cycle, uint32_t node, const lsched_holder **list, uint32_t *n,
                       int64_t *places);
    /* Returns 1 and sets *ask; 0 if amounts and times do not describe the current job
     * completely. */
    int32_t (*plan_ask)(lsched_cycle *cycle, uint32_t job, lsched_plan_ask *ask);
    /* plan_defer defers the job: next_job skips it until plan_take makes it the current job again.
     * With `charged`, share algorithms count its minimum as placed. The action must call plan_take
     * for every deferred job. */
    int32_t (*plan_defer)(lsched_cycle *cycle, uint32_t job, uint32_t charged);
    int32_t (*plan_take)(lsched_cycle *cycle, uint32_t job);
    /* Drops the transaction. The job is not tried again before its planned start at_us, or before
     * room comes free on any node. The job's wait record shows `node` (LSCHED_NO_ROW: the job waits
     * behind other jobs) and `after`, the job that must end first, or LSCHED_NO_ROW. */
    int32_t (*plan_wait)(lsched_cycle *cycle, uint32_t job, int64_t at_us, uint32_t node,
                         uint32_t after);
    /* Like place, but on the given devices. For MIG, `starts` gives the first memory slices, as in
     * lsched_holder. Returns 1; 0 if the task does not fit. */
    int32_t (*place_on)(lsched_cycle *cycle, uint32_t job, uint32_t group, uint32_t node,
                        uint32_t devices, uint64_t starts);
    /* MIG: returns 1 if `device` of the node can ever give the job's instance; else 0. Sets *slices
     * to the number of memory slices of the instance, *starts to the mask of its possible first
     * slices, and *used to the mask of slices that are taken or nominated. If `job` is
     * LSCHED_NO_ROW, returns 1 for every device in mode mig. */
    int32_t (*mig_device)(lsched_cycle *cycle, uint32_t job, uint32_t node, uint32_t device,
                          uint32_t *slices, uint32_t *starts, uint32_t *used);
    /* Charges `units` work units of the action to the cycle's budget. Returns 1; 0 if fewer units
     * remain, and then charges nothing. */
    int32_t (*spend)(lsched_cycle *cycle, uint64_t units);
    /* Writes the nodes of the tasks that the transaction has placed so far, from placement number
     * `from` on, at most capacity. Returns the number of placements. */
    int32_t (*placed)(lsched_cycle *cycle, uint32_t from, uint32_t *nodes, uint32_t capacity);
    /* For moves that are planned together, between defrag_begin and defrag_end. moves_left returns
     * the number of tasks that are still allowed to move. movers lists the tasks that can move away
     * from a node, sorted by job, and sets the number of tasks that must stay; the list is valid
     * until the next call. It returns 1; 0 if it is of no use to empty the node. mover_able returns
     * 1 if the node could hold the task if it were empty. */
    int32_t (*moves_left)(lsched_cycle *cycle);
    int32_t (*movers)(lsched_cycle *cycle, uint32_t node, const lsched_mover **list, uint32_t *n,
                      uint32_t *stay);
    int32_t (*mover_able)(lsched_cycle *cycle, uint32_t task, uint32_t node);
    /* moves_begin starts a transaction of `tasks` moves. It returns 1; 0 if that is more than
     * moves_left. Then the action calls move_off for one task after another, sorted by job; it
     * returns 1 if the task was stopped, else 0. The action finds new places with next_victim and
     * place. keep_moves keeps all moves and returns 1 if fewer nodes are in use afterwards and no
     * idle node becomes used; else it undoes all moves and returns 0. */
    int32_t (*moves_begin)(lsched_cycle *cycle, uint32_t tasks);
    int32_t (*move_off)(lsched_cycle *cycle, uint32_t task);
    /* The action must call it when all tasks of the job have places. Returns 1 if the entitlements
     * of the queues, with the transaction's changes, allow all evictions of the transaction. If
     * necessary, the engine stops more work below these queues to reach that. Returns 0 if it
     * cannot. */
    int32_t (*pay_rights)(lsched_cycle *cycle);
    /* The action calls it after the job found no places and the action has rolled back. From then
     * on, the search tries victims in another order. Returns 1; 0 if no other order could help. */
    int32_t (*another_way)(lsched_cycle *cycle);
    /* The action calls it for a job before may_evict, between evict_begin and evict_end. Returns 1
     * if no action has looked for room for the job in this pass. The action must then look for free
     * room and for room that will come free before it calls may_evict. If nothing can be evicted,
     * the result of this look is the wait reason. Returns 0 if an action has looked in this pass
     * and found no room. */
    int32_t (*untried)(lsched_cycle *cycle, uint32_t job);
} lsched_act;

enum lsched_look { LSCHED_LOOK_NOW = 0, LSCHED_LOOK_LATER = 1 };

typedef struct lsched_act_ops {
    uint32_t size;
    /* mask of 1 << LSCHED_FOR_* for each reason that the action gives to evict_begin. As long as
     * jobs wait for this action, earlier actions put off the starts of jobs with a lower
     * entitlement. */
    uint32_t evicts;
    int32_t (*run)(void *self, const lsched_act *act, lsched_cycle *cycle);
} lsched_act_ops;

/* ---- advise ---- */

typedef struct lsched_advice {
    uint32_t size;
    uint32_t code; /* any code of the algorithm */
    uint32_t
        node; /* row of the node, or LSCHED_NO_ROW; lsched_plan_advice_at converts it to an id */
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

enum lsched_role {
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
    const char *name; /* name in policies: "drf", "best-fit", "allocate" */
    /* Optional. If create is NULL, `self` stays NULL. */
    int32_t (*create)(const lsched_algorithm_env *env, void **self, lsched_error *err);
    void (*destroy)(const lsched_algorithm_env *env, void *self);
    /* only the table of the algorithm's role is set */
    const lsched_share_ops *share;
    const lsched_order_ops *order;
    const lsched_place_ops *place;
    const lsched_act_ops *act;
    const lsched_advise_ops *advise;
} lsched_algorithm;

/* Registers an algorithm in a cluster under its name. The table *algorithm must outlive the cluster
 * and its clones, which have the same algorithms. LSCHED_E_EXISTS: the role has an algorithm with
 * this name already. LSCHED_E_VERSION: algorithm->api is not LSCHED_ALGORITHM_API. */
LSCHED_API int32_t lsched_algorithm_register(lsched_cluster *cluster,
                                             const lsched_algorithm *algorithm, lsched_error *err);
#ifdef __cplusplus
}
#endif
#endif
