/*
 * algorithm.h -- the interface for authors of algorithms. EXPERIMENTAL until 1.0:
 * LSCHED_ALGORITHM_API must match exactly.
 *
 * An algorithm is a static table of optional operations with one of five roles:
 *   share   which queue gets the next task: gives each queue a key; the engine keeps the heaps and
 *           descends the queue tree
 *   order   which job of a queue is tried first: gives each job a key
 *   place   which node: gives each feasible node a score; the engine decides which nodes are
 *           feasible
 *   act     one action of the pipeline (allocate, backfill, reclaim ...): works through
 *           transactions
 *   advise  reads the state after the cycle and writes advice into the plan; holds no resources
 *
 * The algorithms of libsched itself use only this header.
 *
 * Rules. Operations are called in batches over read-only columns (lsched_view). They must be pure
 * functions of the view, the parameters and their own cache: no clock, no randomness, no comparison
 * of pointers, no stored floating point. Keys and scores are 64-bit integers; the engine orders
 * equal keys by submission or creation time, then by the bytes of names. An algorithm can cache in
 * `self` what it can rebuild from the view: the engine can destroy and create `self` between any
 * two cycles, and never saves or clones it. Operations return 0 or a negative LSCHED_E_*; an error
 * ends the cycle, which then changes nothing. An action proposes through lsched_act; the engine
 * validates every proposal again, so a wrong algorithm cannot corrupt state. Memory comes from
 * lsched_algorithm_env. Rows index columns; a row is valid during the call and must not be kept.
 */
#ifndef LIBSCHED_ALGORITHM_H
#define LIBSCHED_ALGORITHM_H

#include <libsched/libsched.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LSCHED_ALGORITHM_API 6u
#define LSCHED_NO_ROW        UINT32_MAX

/* The shape of one task of a leaf group: what the task needs. */
typedef struct lsched_task_shape {
    uint64_t serial; /* serial number, never reused; equal serial: equal shape */
    /* amounts by kind; [LSCHED_GPU] = devices x share, in milli-GPUs. In score(): the amounts that
     * the task would take of the node's free amounts. A task whose demand follows the time of day
     * is therefore scored for one node at a time */
    int64_t request[LSCHED_RESOURCE_KINDS_MAX];
    uint32_t gpu_devices;        /* number of devices needed; 0: none */
    uint32_t device_milli;       /* share of each device, 1..1000 */
    int64_t device_memory_bytes; /* requested memory per device; 0: in proportion to the share */
    uint32_t n_models;           /* 0: any model */
    uint32_t n_selectors;
    const uint32_t *models; /* rows of the allowed device models, ascending */
    /* In score(), for a task that asks for MIG instances: the loss of each node, in the order of
     * `nodes`. The loss is the number of memory slices that instances of other profiles could no
     * longer fill, summed over `mig_profiles` profiles. NULL for other tasks. */
    const int64_t *mig_loss;
    uint32_t mig_profiles;
    uint32_t reserved_zero;
} lsched_task_shape;

/* Read-only columns, indexed by row. A row that holds no object has node_live or queue_live 0.
 * Pointers are valid during the call that gets them. Kinds run from 1 to n_kinds - 1 (0 is
 * LSCHED_ANY_RESOURCE). */
typedef struct lsched_view {
    uint32_t size;
    uint32_t n_kinds;
    int64_t now_us;
    /* changes when nodes, capacities, models, queues or the task mix change; other changes keep
     * it */
    uint64_t structure_serial;
    /* nodes */
    uint32_t n_nodes; /* number of rows */
    uint32_t n_devices;
    const uint8_t *node_live;   /* 1: the row holds a node */
    const uint8_t *node_ready;  /* 1: the node takes new work */
    const uint64_t *node_class; /* serial number, equal for equal capacity, devices and labels */
    const int64_t *node_capacity[LSCHED_RESOURCE_KINDS_MAX];
    const int64_t *node_free[LSCHED_RESOURCE_KINDS_MAX]; /* can be negative */
    const uint32_t *node_device_first;                   /* row of the node's first device */
    const uint8_t *node_device_count;
    const uint32_t *node_name_rank; /* position of the node in name order */
    const int64_t *node_price_micro_per_hour;
    const int64_t *node_power_milliwatt;
    /* devices */
    const uint16_t *device_free_milli; /* free milli-GPUs of a device, 0..1000 */
    const int64_t *device_memory_free_bytes;
    const int64_t *device_memory_bytes;
    const uint32_t *device_model; /* row of the name of the device's model */
    const uint8_t *device_share;  /* LSCHED_SHARE_* */
    uint32_t n_models;            /* number of rows */
    uint32_t reserved2_zero;
    int64_t total_capacity[LSCHED_RESOURCE_KINDS_MAX]; /* sum over the ready nodes */
    /* queues */
    uint32_t n_queues; /* number of rows */
    uint32_t reserved_zero;
    const uint8_t *queue_live;
    const uint32_t *queue_parent; /* row of the parent queue; LSCHED_NO_ROW: a root */
    const uint32_t *queue_depth;
    const int32_t *queue_priority;
    const int64_t *queue_used[LSCHED_RESOURCE_KINDS_MAX];
    /* quota in force, after the policy's quota hook */
    const int64_t *queue_quota[LSCHED_RESOURCE_KINDS_MAX];
    const int64_t *queue_limit[LSCHED_RESOURCE_KINDS_MAX];
    /* weight in force, after the policy's weight hook; >= 0 */
    const int64_t *queue_weight_milli[LSCHED_RESOURCE_KINDS_MAX];
    /* amount used plus the requests of all waiting tasks */
    const int64_t *queue_demand[LSCHED_RESOURCE_KINDS_MAX];
    /* amount used by minimums of non-preemptible jobs */
    const int64_t *queue_core[LSCHED_RESOURCE_KINDS_MAX];
    /* the portion of an unused quota that siblings can use */
    const int64_t *queue_lend[LSCHED_RESOURCE_KINDS_MAX];
    /* decayed use, in millionths of the cluster's capacity */
    const int64_t *queue_decayed_ppm[LSCHED_RESOURCE_KINDS_MAX];
    const int64_t *queue_created_us;
    const uint32_t *queue_name_rank;
    const uint8_t *queue_flags; /* bits LSCHED_QUEUE_IS_* */
    /* leaf with work: order key of its first job; the smallest is tried first */
    const int64_t *queue_head_order;
    int64_t usage_weight_milli; /* how strongly decayed use changes weights; 0: not at all */
    /* jobs */
    uint32_t n_jobs; /* number of rows */
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
    void *(*alloc)(void *engine, size_t bytes); /* returns NULL on failure */
    void (*free)(void *engine, void *old, size_t bytes);
    /* values in force, sorted by key: the policy's own, replaced by the orchestrator's */
    const lsched_param *params;
} lsched_algorithm_env;

enum {
    LSCHED_QUEUE_IS_USER = 16,
    LSCHED_QUEUE_IS_GROUP = 32
}; /* sub-queue of a user, of a group */

/* ---- share ---- */

/* The smallest key is the most deserving; word[0] is compared first. */
typedef struct lsched_share_key {
    int64_t word[2];
} lsched_share_key;

typedef struct lsched_share_ops {
    uint32_t size;
    uint32_t uses_want; /* 1: update reads `want`; 0: `want` is zero */
    /* 1: keys follow dominant shares; without `amounts`, reclaim compares dominant shares too. 0
     * without `amounts`: no queue reclaims */
    uint32_t dominant;
    uint32_t reserved_zero;
    /* Forgets every queue, because a cycle begins or queues changed. The engine then calls update
     * for all queues, children first. */
    int32_t (*begin)(void *self, const lsched_view *view);
    /* Computes the key of `queue` after its use or activity, or that of a queue below, changed.
     * `active`: 1 if `queue` or a queue below has work that could be placed now; an inactive queue
     * is blocked. `best_child`: most deserving active child, or LSCHED_NO_ROW (a leaf, or no child
     * is active). `want`: amounts by kind that the first job of the queue needs next, to reach its
     * minimum or for one more task; all zero if the queue is inactive. Called bottom-up along the
     * path to the root. O(kinds). */
    int32_t (*update)(void *self, const lsched_view *view, uint32_t queue, uint32_t active,
                      uint32_t best_child, const int64_t *want, lsched_share_key *key);
    /* Optional; a share algorithm without this operation has no guarantees. Reports the guarantee
     * of the queue (its quota in force, scaled down to the parent's guarantee if the children's sum
     * exceeds that) and its fair share of the kind, as of begin. */
    int32_t (*amounts)(void *self, const lsched_view *view, uint32_t queue, uint32_t kind,
                       int64_t *guarantee, int64_t *fair_share);
} lsched_share_ops;

/* ---- order ---- */

typedef struct lsched_order_ops {
    uint32_t size;
    /* 1: keys change with time; the engine asks for them again at each refresh */
    uint32_t uses_now;
    /* Sets keys[i] of jobs[i]; the smallest key is tried first. */
    int32_t (*keys)(void *self, const lsched_view *view, const uint32_t *jobs, size_t n,
                    int64_t *keys);
} lsched_order_ops;

/* ---- place ---- */

typedef struct lsched_place_ops {
    uint32_t size;
    uint32_t reserved_zero;
    /* Prepares the cache; called before the first score and after each change of
     * structure_serial. */
    int32_t (*prepare)(void *self, const lsched_view *view);
    /* Sets scores[i] for one task on nodes[i]; higher is better. Every node passed can hold the
     * task. A score must depend only on the task, the node's own columns, and what prepare saw: the
     * engine keeps scores and asks again only for nodes that changed. */
    int32_t (*score)(void *self, const lsched_view *view, const lsched_task_shape *task,
                     const uint32_t *nodes, size_t n, int64_t *scores);
    /* Optional. Chooses the devices of the node (bit i of the mask = its device i): gpu_devices
     * bits, and each device must be able to hold its share. Without this operation, the engine
     * takes the devices with the least sufficient room, lowest index first. */
    int32_t (*devices)(void *self, const lsched_view *view, const lsched_task_shape *task,
                       uint32_t node, uint32_t *mask);
} lsched_place_ops;

/* ---- act ---- */

typedef struct lsched_cycle lsched_cycle; /* opaque, owned by the engine */

/* One leaf or inner group in the tree of a job's gang. */
typedef struct lsched_group_view {
    uint32_t size;
    uint32_t parent;     /* index of the parent; groups[0] is the root */
    uint32_t n_children; /* number of child groups; 0: the group is a leaf */
    uint32_t min_count;  /* minimum; leaf: tasks needed, inner group: children needed */
    /* leaf: tasks wanted; between next_victim and move_end: tasks held before */
    uint32_t max_count;
    uint32_t placed;   /* leaf: tasks that hold resources now, in this transaction too */
    uint32_t done;     /* leaf: tasks that ended well */
    uint32_t topology; /* row of the topology that the group names, or LSCHED_NO_ROW */
    uint32_t required_level, preferred_level; /* levels of that topology, or LSCHED_NO_ROW */
    uint32_t step;        /* leaf: tasks to add at once: 1, or as many as a task block lacks */
    uint32_t alternative; /* leaf: index of `task` among the alternatives of the submitted job */
    /* leaf: number of alternatives; 1 while the leaf has tasks, also releasing ones */
    uint32_t n_alternatives;
    const lsched_task_shape *task; /* leaf: shape of its tasks */
} lsched_group_view;

/* A number of tasks of a leaf that are assigned to one domain; LSCHED_NO_ROW: any place. */
typedef struct lsched_part {
    uint32_t domain;
    uint32_t tasks;
} lsched_part;

/* One task that holds room of a node, or has a nomination there, and the expected end of that. */
typedef struct lsched_holder {
    uint32_t size;
    uint32_t job;
    uint32_t devices;  /* bit i: device i of the node */
    uint32_t is_claim; /* 1: a nomination, which node_free does not count yet */
    uint64_t starts;   /* MIG: first memory slice on device i in bits 4i to 4i + 3 */
    uint32_t slices;   /* MIG: memory slices of each instance; 0: none */
    uint32_t reserved_zero;
    int64_t from_us;  /* nomination: its start */
    int64_t until_us; /* end by estimate or limit, always after now; LSCHED_NEVER_US: unknown */
    int64_t amount[LSCHED_RESOURCE_KINDS_MAX]; /* amount that the task gives back at until_us */
} lsched_holder;

/* One running task that can be moved alone and whose needs are fully described by amounts and the
 * node: one group, whole devices. */
typedef struct lsched_mover {
    uint32_t size;
    uint32_t job;
    uint32_t task; /* row of the task */
    uint32_t devices;
    uint64_t shape; /* serial number of its task shape; equal serial: equal shape */
    int64_t cost;   /* cost of stopping the task, as in its decision */
    int64_t amount[LSCHED_RESOURCE_KINDS_MAX];
} lsched_mover;

/* The data about the current job that a plan over time needs. Only a job that amounts and times
 * describe fully has these data: one group, no rule about places except allowed nodes, whole
 * devices or one MIG instance. */
typedef struct lsched_plan_ask {
    uint32_t size;
    uint32_t group;
    uint32_t tasks;        /* tasks that must start together */
    uint32_t planned_node; /* node of the job's latest plan; LSCHED_NO_ROW: none */
    int64_t duration_us;   /* by estimate or limit; LSCHED_NEVER_US: unknown */
    int64_t planned_us;    /* start time of the job's latest plan */
    /* by name rank of a node: 1 if the node could hold a task if it were empty; valid until the
     * next call */
    const uint8_t *able;
    const lsched_task_shape *task;
    lsched_text mig_profile; /* MIG profile that the task requests; empty: none */
} lsched_plan_ask;

/* The questions and operations of an action. All calls return 0, a positive answer, or a negative
 * LSCHED_E_*. */
#define LSCHED_ACT_BOTH 256u /* reason for evict_begin: reclaim and preempt together */

typedef struct lsched_act {
    uint32_t size;
    uint32_t reserved_zero;
    const lsched_view *(*view)(lsched_cycle *cycle);
    /* Gives the next job to try, by share and order: returns 1 and *job, or 0 if no job is left or
     * the budget or the bound on decisions is spent. Spends work. The job stays the current job
     * until it is parked, finished or deferred. */
    int32_t (*next_job)(lsched_cycle *cycle, uint32_t *job);
    /* Gives the groups of a job in the order of its submission; valid until the next call. */
    int32_t (*groups)(lsched_cycle *cycle, uint32_t job, const lsched_group_view **groups,
                      uint32_t *n);
    /* checkpoint marks a state of the current transaction; rollback undoes everything since the
     * mark. */
    int32_t (*checkpoint)(lsched_cycle *cycle, uint64_t *mark);
    int32_t (*rollback)(lsched_cycle *cycle, uint64_t mark);
    /* Finds the best node for one more task of a leaf group: returns 1 and *node, 0 if there is
     * none. `domain`: topology domain that must contain the node, or LSCHED_NO_ROW. */
    int32_t (*find_node)(lsched_cycle *cycle, uint32_t job, uint32_t group, uint32_t domain,
                         uint32_t *node);
    /* Places one more task of the group on the node, in the transaction: returns 1, or 0 if the
     * engine finds that the task does not fit (room, limit of a queue, filter). */
    int32_t (*place)(lsched_cycle *cycle, uint32_t job, uint32_t group, uint32_t node);
    /* Selects another alternative for a leaf group that holds nothing, from here on in the
     * transaction and before its first task is placed: returns 1. A rollback to an earlier mark
     * restores the former alternative. */
    int32_t (*alternative)(lsched_cycle *cycle, uint32_t job, uint32_t group, uint32_t alternative);
    /* Lists the domains of one topology level below `within` (or LSCHED_NO_ROW) that have room for
     * what the group lacks to its minimum (a leaf: for `tasks` more tasks). The best domain comes
     * first: least room left over, then name. If the group has tasks already, only domains with
     * these tasks are listed. Spends work. Returns the number of domains and writes at most cap
     * rows, after the first `skip`. */
    int32_t (*domains)(lsched_cycle *cycle, uint32_t job, uint32_t group, uint32_t topology,
                       uint32_t level, uint32_t within, uint32_t tasks, uint32_t skip,
                       uint32_t *rows, uint32_t cap);
    /* Assigns the next `tasks` tasks of a leaf to domains inside `domain` (or LSCHED_NO_ROW): to
     * few domains or evenly, and in whole task blocks. The caller places the tasks in the order of
     * the parts. If the group has no rule about this, the only part is the domain itself. The parts
     * are valid until the next call. Returns 1, or 0 if the task blocks do not fit. */
    int32_t (*divide)(lsched_cycle *cycle, uint32_t job, uint32_t group, uint32_t domain,
                      uint32_t tasks, const lsched_part **parts, uint32_t *n);
    /* Tells the engine that a domain had no room for all tasks that divide assigned to it. For this
     * job, divide then assigns the domain no more tasks than the domain got in the transaction. */
    int32_t (*full)(lsched_cycle *cycle, uint32_t job, uint32_t group, uint32_t domain);
    /* Returns 1 if the limits of the job's queue and all queues above allow what the job still
     * needs to reach its minimum (or one more task), 0 if not. */
    int32_t (*within_limits)(lsched_cycle *cycle, uint32_t job);
    /* Keeps the transaction: its placements become one decision group. */
    int32_t (*commit)(lsched_cycle *cycle, uint32_t job);
    /* Drops the transaction and parks the job, with all jobs of equal shape in its queue, until an
     * event that can help. The engine finds and records the wait reason. */
    int32_t (*park)(lsched_cycle *cycle, uint32_t job);
    /* Sets what find_node, place and domains count: LSCHED_LOOK_NOW, free room only;
     * LSCHED_LOOK_LATER, also room that comes free, and place then nominates. Returns 1, or 0 if no
     * room comes free. Every action begins with LSCHED_LOOK_NOW. */
    int32_t (*look)(lsched_cycle *cycle, uint32_t when);
    /* Starts a search for victims, up to evict_end: next_job offers jobs that wait for room, and
     * the action can evict for them. `reason`: LSCHED_FOR_RECLAIM (victims in other queues),
     * _PREEMPT (victims in the job's own queue), _CONSOLIDATE (any victims, but all of them must
     * move), or LSCHED_ACT_BOTH (sets of the first two kinds, each eviction unit by its own rules),
     * allowed once both have begun in this cycle. Sets LSCHED_LOOK_LATER. Returns 1, or 0 if there
     * is nothing to do; then evict_end must not be called. */
    int32_t (*evict_begin)(lsched_cycle *cycle, uint32_t reason);
    int32_t (*evict_end)(lsched_cycle *cycle);
    /* Returns 1 if the job is allowed to evict and no proof says that eviction cannot help; else 0,
     * with the reason recorded. */
    int32_t (*may_evict)(lsched_cycle *cycle, uint32_t job);
    /* Finds the node where one more task of the group fits at the least eviction cost: returns 1
     * and *node, 0 if there is none. */
    int32_t (*find_victims)(lsched_cycle *cycle, uint32_t job, uint32_t group, uint32_t domain,
                            uint32_t *node);
    /* Evicts, in the transaction, the victims that make room for one more task of the group on the
     * node. The engine chooses the victims. Returns the number of eviction units; 0 if nothing can
     * be evicted. */
    int32_t (*evict_on)(lsched_cycle *cycle, uint32_t job, uint32_t group, uint32_t node);
    /* Helps a job that a queue's limit keeps out: evicts below that queue until one more task of
     * the group is within the limit. Returns the number of eviction units; 0 if no limit is in the
     * way or nothing can be evicted. */
    int32_t (*relieve)(lsched_cycle *cycle, uint32_t job, uint32_t group);
    /* Excludes the present victims from the rest of the search for this job: the search skips
     * jobs of which a task found no new place. It also skips the nodes where the transaction has
     * victims, unless a consolidation called another_way. Returns 1, or 0 if the search has tried
     * enough. */
    int32_t (*exclude)(lsched_cycle *cycle);
    /* Lets those victims of the transaction run on that need not be evicted after all. Returns the
     * number of their eviction units. */
    int32_t (*spare)(lsched_cycle *cycle);
    /* next_victim makes the next job that lost tasks in the transaction the current job, until
     * move_end; find_node and place then seek new places for the lost tasks. move_end turns the
     * evictions of tasks with a new place into moves, and returns 1 if all lost tasks have one. A
     * reclaim moves no task of the job if other victims are allowed only because the job is
     * stopped. A consolidation also returns 0 if another task of the job took a place that was
     * found. */
    int32_t (*next_victim)(lsched_cycle *cycle, uint32_t *job);
    int32_t (*move_end)(lsched_cycle *cycle);
    /* Moves that no waiting job needs, but that the orchestrator allows
     * (lsched_schedule_opts.moves_max). defrag_begin returns 1, or 0 if moves_max is 0 or the cycle
     * cannot evict. next_sparse gives the node that can be emptied at the least cost. empty_node
     * stops all tasks there, in a transaction; next_victim then serves to find new places.
     * keep_moves keeps the moves and returns 1 if each task goes to a node that is in use; else it
     * undoes them and returns 0. */
    int32_t (*defrag_begin)(lsched_cycle *cycle);
    int32_t (*defrag_end)(lsched_cycle *cycle);
    int32_t (*next_sparse)(lsched_cycle *cycle, uint32_t *node);
    int32_t (*empty_node)(lsched_cycle *cycle, uint32_t node);
    int32_t (*keep_moves)(lsched_cycle *cycle);
    /* next_stale finds a gang that has been below its minimum for longer than its grace: returns 1
     * and *job, 0 if there is none. evict_job stops the gang. */
    int32_t (*next_stale)(lsched_cycle *cycle, uint32_t *job);
    int32_t (*evict_job)(lsched_cycle *cycle, uint32_t job);
    /* next_overdue finds a job that must end for its own reason: LSCHED_FOR_TIME_LIMIT (it ran
     * longer than allowed; the earliest due time first) or LSCHED_FOR_IDLE (the policy's hook
     * called the job idle at this cycle's refresh; in name order). It returns 1 and *job, 0 if
     * there is none. stop_job stops the whole job, not for another job, and holds it: returns 1, or
     * 0 if the cycle's budget or bound does not allow that. */
    int32_t (*next_overdue)(lsched_cycle *cycle, uint32_t reason, uint32_t *job);
    int32_t (*stop_job)(lsched_cycle *cycle, uint32_t job);
    /* Empties nodes that drain, or that have a taint of effect STOP. drain_begin returns 1, or 0 if
     * no task must go. next_drained gives the next job with tasks to take off such a node.
     * drain_job stops these tasks in a transaction; with `whole` it first undoes that and stops all
     * tasks that cannot run without them, too. It returns the number of tasks. next_victim then
     * serves to find new places. keep_drained keeps the result: tasks with a new place move, the
     * others are evicted. */
    int32_t (*drain_begin)(lsched_cycle *cycle);
    int32_t (*drain_end)(lsched_cycle *cycle);
    int32_t (*next_drained)(lsched_cycle *cycle, uint32_t *job);
    int32_t (*drain_job)(lsched_cycle *cycle, uint32_t job, uint32_t whole);
    int32_t (*keep_drained)(lsched_cycle *cycle);
    /* Starts planning over time: jobs that wait for a planned start are offered again. Returns 1,
     * or 0 if no job is offered, so that all plans stay as they are. */
    int32_t (*plan_begin)(lsched_cycle *cycle);
    /* Lists all tasks that hold something of a node or are nominated there; valid until the next
     * call. *places: how many more tasks the node's tasks_max allows. */
    int32_t (*holders)(lsched_cycle *cycle, uint32_t node, const lsched_holder **list, uint32_t *n,
                       int64_t *places);
    /* Returns 1 and *ask, or 0 if only an attempt to place the job can tell whether it fits. */
    int32_t (*plan_ask)(lsched_cycle *cycle, uint32_t job, lsched_plan_ask *ask);
    /* plan_defer sets the job aside: next_job skips it. With `charged`, share algorithms count its
     * minimum as placed. The action must take every deferred job back with plan_take, which makes
     * it the current job. */
    int32_t (*plan_defer)(lsched_cycle *cycle, uint32_t job, uint32_t charged);
    int32_t (*plan_take)(lsched_cycle *cycle, uint32_t job);
    /* Drops the transaction and parks the job until its planned start, or until room is gained
     * anywhere. The job's wait record shows `node` (LSCHED_NO_ROW: behind other jobs) and `after`,
     * the job whose end is awaited, or LSCHED_NO_ROW. */
    int32_t (*plan_wait)(lsched_cycle *cycle, uint32_t job, int64_t at_us, uint32_t node,
                         uint32_t after);
    /* Places as `place` does, on these devices and, for MIG, at these starts; returns 1, or 0 if
     * the task does not fit so. */
    int32_t (*place_on)(lsched_cycle *cycle, uint32_t job, uint32_t group, uint32_t node,
                        uint32_t devices, uint64_t starts);
    /* MIG: returns 1 if device i of the node can ever give the current job's instance, with the
     * number of memory slices of the instance and its possible starts (bit s: slice s); else 0.
     * Without a job (LSCHED_NO_ROW), returns 1 for a device in mode mig. *used: slices that are
     * taken or nominated. */
    int32_t (*mig_device)(lsched_cycle *cycle, uint32_t job, uint32_t node, uint32_t device,
                          uint32_t *slices, uint32_t *starts, uint32_t *used);
    /* Charges the action's own work to the cycle's budget, in work units: returns 1, or 0 if less
     * is left; then nothing is charged. */
    int32_t (*spend)(lsched_cycle *cycle, uint64_t units);
    /* Lists the nodes of the tasks that the transaction placed so far, beginning with placement
     * number `from`; valid until the next call. Returns their number. */
    int32_t (*placed)(lsched_cycle *cycle, uint32_t from, uint32_t *nodes, uint32_t cap);
    /* For moves that are planned together, between defrag_begin and defrag_end. moves_left returns
     * how many tasks can still move. movers lists the tasks that can move off a node, in order of
     * jobs, and the number of tasks that must stay (valid until the next call); it returns 1, or 0
     * if emptying the node gains nothing. mover_able returns 1 if the node could hold the task if
     * it were empty. */
    int32_t (*moves_left)(lsched_cycle *cycle);
    int32_t (*movers)(lsched_cycle *cycle, uint32_t node, const lsched_mover **list, uint32_t *n,
                      uint32_t *stay);
    int32_t (*mover_able)(lsched_cycle *cycle, uint32_t task, uint32_t node);
    /* moves_begin starts a transaction of `tasks` moves: returns 1, or 0 if these are too many.
     * move_off then stops one task at a time, job by job, and returns 1 or 0. New places come by
     * next_victim and place. keep_moves keeps all moves or none: it returns 1 if fewer nodes are in
     * use afterwards, and no node is newly in use. */
    int32_t (*moves_begin)(lsched_cycle *cycle, uint32_t tasks);
    int32_t (*move_off)(lsched_cycle *cycle, uint32_t task);
    /* Called when all tasks of the job have places. Returns 1 if the entitlements, with the queues
     * as they are now, allow all evictions of the transaction; the engine stops more work below
     * these queues if that is needed. Returns 0 if not. */
    int32_t (*pay_rights)(lsched_cycle *cycle);
    /* Called when the job found no places and the action has rolled back: the search looks at
     * victims in another order from now on. Returns 1, or 0 if no other order could help. */
    int32_t (*another_way)(lsched_cycle *cycle);
    /* Called first, between evict_begin and evict_end. Returns 1 if no action has looked for room
     * for the job in this pass yet: the action then looks for free room and for room that comes
     * free before it calls may_evict. If nothing can be evicted, the result of that look is the
     * wait reason. Returns 0 if a look in this pass found no room. */
    int32_t (*untried)(lsched_cycle *cycle, uint32_t job);
} lsched_act;

enum { LSCHED_LOOK_NOW = 0, LSCHED_LOOK_LATER = 1 };

typedef struct lsched_act_ops {
    uint32_t size;
    /* 1 << LSCHED_FOR_* for each reason that the action gives to evict_begin. While jobs wait for
     * this action, starts by earlier actions with a lesser entitlement are put off. */
    uint32_t evicts;
    int32_t (*run)(void *self, const lsched_act *act, lsched_cycle *cycle);
} lsched_act_ops;

/* ---- advise ---- */

typedef struct lsched_advice {
    uint32_t size;
    uint32_t code; /* code chosen by the algorithm */
    uint32_t node; /* row or LSCHED_NO_ROW; lsched_plan_advice gives the id */
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
    const char *name; /* name in policies: "drf", "best-fit", "allocate" */
    /* Optional; without create, self stays NULL. */
    int32_t (*create)(const lsched_algorithm_env *env, void **self, lsched_error *err);
    void (*destroy)(const lsched_algorithm_env *env, void *self);
    /* only the table of the role is set */
    const lsched_share_ops *share;
    const lsched_order_ops *order;
    const lsched_place_ops *place;
    const lsched_act_ops *act;
    const lsched_advise_ops *advise;
} lsched_algorithm;

/* Registers an algorithm with a cluster under its name; the table must outlive the cluster.
 * LSCHED_E_EXISTS: the role has an algorithm of that name; LSCHED_E_VERSION: another api. Clones
 * know the same algorithms. */
LSCHED_API int32_t lsched_algorithm_register(lsched_cluster *cluster,
                                             const lsched_algorithm *algorithm, lsched_error *err);
/* One record of advice in a plan, with ids instead of rows. */
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
