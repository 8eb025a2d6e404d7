/*
 * libsched.h -- the calls of the library, which schedules jobs on GPU clusters.
 *
 * An orchestrator reports nodes, queues, jobs and time to a cluster, asks for a plan, carries the
 * plan out and settles its decisions. The library runs nothing, reads no clock, file or
 * environment, has no global state and starts no thread.
 *
 * Rules that hold for every call
 *   errors     a result >= 0 is success; a negative LSCHED_E_* is an error. `err`, where it
 *              is a parameter, is owned by the caller and can be NULL. A call that fails changes
 *              nothing, also when memory runs out.
 *              "Those of every call": LSCHED_E_NULL (a pointer that must not be NULL),
 *              LSCHED_E_SIZE (a `size` or a stride), LSCHED_E_INVAL (a reserved field, unknown
 *              flags, a name of 0 or more than 255 bytes, a key twice in a list of one element),
 *              LSCHED_E_KIND and LSCHED_E_STALE (an id), LSCHED_E_NOENT (a name),
 *              LSCHED_E_RANGE (a number), LSCHED_E_NOMEM, LSCHED_E_BUSY. Comments name the others.
 *   structs    begin with `uint32_t size`. The caller sets them up with LSCHED_INIT(type) or
 *              lsched_init() (for bindings), or zeroes them and sets `size`.
 *              0 always means "default". Fields beyond `size` get their default. If `size` is more
 *              than the library knows, the unknown tail must be zero, else LSCHED_E_SIZE. Output
 *              structs are written up to `size`. Fields named reserved*_zero must be 0, else
 *              LSCHED_E_INVAL. Structs with a frozen layout have no `size`.
 *   texts      are lsched_text by value: LSCHED_TEXT("literal"), lsched_cstr(string), or a pointer
 *              with a length. An empty text is empty; no call reads to a NUL byte unless the length
 *              is LSCHED_NUL_TERMINATED.
 *   batches    (pointer, n, elem_size, opts, ..., status): elem_size is sizeof the element in the
 *              caller's headers, a multiple of 8; 0 means the `size` of the first element. A batch
 *              is atomic: if one element is bad, nothing is applied. lsched_batch_opts changes that.
 *              Elements can name earlier ones. A call returns the number of applied elements.
 *   memory     every byte comes from the cluster's allocator. Inputs are copied; each function says
 *              who owns its outputs. What is valid until the next call that changes the cluster is
 *              also invalid after lsched_would_start(), which works in the cluster's memory.
 *   threads    one thread at a time per handle; different handles are independent. From any thread,
 *              a plan can be read, which is immutable, and lsched_interrupt() can be called.
 *   callbacks  must not unwind. Inside a callback (trace, write, an algorithm of the host), calls of
 *              the same cluster that only read work: the getters and cursors of nodes, devices,
 *              queues (not their shares and counters), jobs, tasks, decisions, waiting records,
 *              resizes, supplies, allowances, reservations and resource kinds, lsched_find, _next,
 *              _name, _sync*, _describe, _waiting_text and _cluster_stats_get. They read the state
 *              as it is: inside a cycle, what the cycle has decided so far. lsched_interrupt()
 *              works, too. Each other call fails with LSCHED_E_BUSY and changes nothing. If its
 *              result is no code, it is 0 or NULL, and lsched_cluster_destroy() does nothing.
 *              Functions of an allocator must call no function of the library.
 *   order      the order of nodes, queues or jobs in a batch influences no plan: ties are broken by
 *              declared keys, then submission time, then the bytes of names.
 *   units      cpu milli-cores, memory bytes, gpu milli-GPUs, time microseconds since 1970 UTC,
 *              money micro-units. All are signed 64-bit; a total above 2^62 is LSCHED_E_RANGE.
 */
#ifndef LIBSCHED_LIBSCHED_H
#define LIBSCHED_LIBSCHED_H

#include <libsched/types.h>
#include <libsched/devices.h>
#include <libsched/constraints.h>
#include <libsched/plans.h>
#include <libsched/supplies.h>
#include <libsched/allowances.h>
#include <libsched/dependencies.h>
#include <libsched/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- cluster ---- */

typedef struct lsched_cluster_opts {
    uint32_t size;
    uint32_t incarnation; /* number of the orchestrator's start, see LSCHED_INCARNATION_MAX */
    /* NULL: malloc. The struct is copied; types.h says how long its `user` must live */
    const lsched_allocator *allocator;
    uint64_t memory_limit_bytes; /* 0: no limit. Plans and descriptions do not count */
    uint32_t open_decisions_max; /* 0: LSCHED_OPEN_DECISIONS_DEFAULT */
    uint32_t verify_every_plan;  /* 1: the verifier checks every plan (for tests and debugging) */
    uint32_t changes_bytes;      /* size of the change feed; 0: LSCHED_CHANGES_BYTES_DEFAULT */
    uint32_t reserved_zero;
    /* Any number that no other cluster of the orchestrator has; 0: none. A call with an id of a
     * cluster with another salt returns LSCHED_E_STALE. Without a salt, such an id can name an object
     * of this cluster. The salt is not saved and influences no hash and no plan. After a load, the
     * ids of the loaded objects are valid only with the same salt. A clone has the same salt. */
    uint64_t id_salt;
} lsched_cluster_opts;
#define LSCHED_OPEN_DECISIONS_DEFAULT 1048576u

/* Creates an empty cluster. opts can be NULL. The caller frees *out with
 * lsched_cluster_destroy(). Errors: those of every call; LSCHED_E_UNSUPPORTED: verify_every_plan in
 * a build without the verifier. */
LSCHED_API int32_t lsched_cluster_create(const lsched_cluster_opts *opts, lsched_cluster **out,
                                         lsched_error *err);
LSCHED_API void lsched_cluster_destroy(lsched_cluster *cluster); /* NULL is allowed */

/* Copies the whole state, with open decisions and ids, but without callbacks. If *inout is NULL, it
 * becomes a new cluster with the same allocator. If *inout is a cluster (from clone or create), its
 * memory is used again and its old state is lost. On error, *inout is unchanged. The clone loads
 * the policy again, from the same text. */
LSCHED_API int32_t lsched_cluster_clone(const lsched_cluster *cluster, lsched_cluster **inout,
                                        lsched_error *err);

/* Saves the state through several calls of `write`; LSCHED_E_STATE if one returns non-zero. */
LSCHED_API int32_t lsched_cluster_save(const lsched_cluster *cluster, lsched_write_fn write,
                                       void *user, lsched_error *err);
/* Makes a cluster from saved bytes, which it checks. After a crash, set opts->incarnation.
 * LSCHED_E_CORRUPT: the bytes are no saved state; LSCHED_E_VERSION: of a version that this library
 * does not read. */
LSCHED_API int32_t lsched_cluster_load(const lsched_cluster_opts *opts, const void *bytes, size_t n,
                                       lsched_cluster **out, lsched_error *err);

enum lsched_hash_kind {
    LSCHED_HASH_IMAGE = 0,  /* hash of all columns by row: equal if the same calls were made */
    LSCHED_HASH_MEANING = 1 /* hash of names and values, without rows and ids */
};
/* Writes a hash of the state to *out. LSCHED_E_INVAL: unknown `which`. Cost: linear in the state. */
LSCHED_API int32_t lsched_cluster_hash(const lsched_cluster *cluster, uint32_t which, uint64_t *out,
                                       lsched_error *err);

typedef struct lsched_cluster_stats {
    uint32_t size;
    uint32_t incarnation;         /* incarnation of the ids that the cluster issues at present */
    uint64_t nodes, queues, jobs; /* objects that exist */
    uint64_t jobs_pending, jobs_parked; /* jobs with waiting tasks; those of them that are parked */
    uint64_t tasks_placed; /* tasks that are proposed, confirmed, running or nominated */
    uint64_t decisions_open;
    /* time at which the oldest open decision was made; LSCHED_NEVER_US: none is open */
    int64_t oldest_open_decision_us;
    uint64_t memory_bytes, memory_peak_bytes, allocations; /* by the library's own count */
    int64_t now_us; /* latest time that a cycle or a report had */
} lsched_cluster_stats;
/* Writes the numbers to *out. Errors: those of every call. */
LSCHED_API int32_t lsched_cluster_stats_get(const lsched_cluster *cluster,
                                            lsched_cluster_stats *out, lsched_error *err);

/* Makes lsched_schedule end soon with the plan that it has so far (flag LSCHED_PLAN_INTERRUPTED).
 * Any thread can call this function. If no cycle is in progress, the next cycle ends soon. */
LSCHED_API void lsched_interrupt(lsched_cluster *cluster);

/* The version of the library, such as "0.2.0", and the number of its rules: plans of libraries with
 * equal numbers are equal. The text is static; any thread can call both. */
LSCHED_API const char *lsched_version(void);
LSCHED_API uint32_t lsched_semantics(void);

/* ---- names ---- */

/* Returns the id of the object with this kind (LSCHED_KIND_*) and name, 0 if there is none. */
LSCHED_API lsched_id lsched_find(const lsched_cluster *cluster, uint32_t kind, lsched_text name);
/* Returns the name of a live object, NULL for a stale id. The text is not NUL-terminated and is
 * valid until the next call that changes the cluster. */
LSCHED_API const char *lsched_name(const lsched_cluster *cluster, lsched_id id, size_t *len);
/* Returns the next id of a kind, 0 after the last one. Before the first call, set *cursor to 0. The
 * order of the ids has no meaning. */
LSCHED_API lsched_id lsched_next(const lsched_cluster *cluster, uint32_t kind, uint64_t *cursor);

/* ---- resource kinds and topology ---- */

#define LSCHED_RESOURCE_KINDS_MAX 16
/* Adds a resource kind. The kinds cpu, memory and gpu always exist. Other kinds (licences, NICs
 * ...) are counted per node, in any unit. Returns the kind's index, also if the kind exists
 * already; LSCHED_E_LIMIT if there are 12 other kinds. */
LSCHED_API int32_t lsched_resource_add(lsched_cluster *cluster, lsched_text name,
                                       lsched_error *err);
/* Returns the index of the resource kind or resource part (constraints.h) with this name,
 * LSCHED_E_NOENT if there is none. */
LSCHED_API int32_t lsched_resource_find(const lsched_cluster *cluster, lsched_text name,
                                        lsched_error *err);
/* Returns the name of a kind, NULL if there is no such kind. The text is NUL-terminated and valid
 * until the next call that changes the cluster. */
LSCHED_API const char *lsched_resource_name(const lsched_cluster *cluster, uint32_t kind);

/* A tree of domains. Its levels are label keys, from the widest to the narrowest ("zone", "rack").
 * The labels of a node name its domains; a node without one of the labels is in no domain. */
#define LSCHED_TOPOLOGY_LEVELS_MAX 8
#define LSCHED_TOPOLOGIES_MAX      4
typedef struct lsched_topology_desc {
    uint32_t size;
    uint32_t n_levels;
    lsched_text name;
    const lsched_text *levels;
    uint64_t tag;
} lsched_topology_desc;
/* Adds topologies. ids: NULL or n entries. Returns the number that was added. LSCHED_E_EXISTS: the
 * name; LSCHED_E_INVAL: a level twice; LSCHED_E_LIMIT: LSCHED_TOPOLOGIES_MAX; LSCHED_E_RANGE: 1 to
 * LSCHED_TOPOLOGY_LEVELS_MAX levels. */
LSCHED_API int32_t lsched_topologies_add(lsched_cluster *cluster,
                                         const lsched_topology_desc *topologies, size_t n,
                                         size_t elem_size, const lsched_batch_opts *opts,
                                         lsched_id *ids, int32_t *status, lsched_error *err);

/* ---- nodes ---- */

/* CORDONED: no task starts on the node. DRAINING: its running tasks are moved or evicted, too. */
enum lsched_node_state {
    LSCHED_NODE_READY = 0,
    LSCHED_NODE_CORDONED = 1,
    LSCHED_NODE_DRAINING = 2
};

typedef struct lsched_node_desc {
    uint32_t size;
    uint32_t state; /* LSCHED_NODE_* */
    uint64_t tag;   /* any value of the orchestrator, which decisions return */
    lsched_text name;
    const lsched_amount *capacity; /* must not name gpu: each device counts as 1000 milli-GPUs */
    uint32_t n_capacity;
    uint32_t n_labels;
    const lsched_label *labels;
    const lsched_device_desc *devices;
    uint32_t n_devices; /* length of the array `devices`, not the sum of the counts in it */
    uint32_t device_elem_size;
    int64_t price_micro_per_hour;
    int64_t power_milliwatt;
    const lsched_machine_desc *machine; /* inner shape of the node; NULL: unknown */
    const lsched_taint *taints;
    uint32_t n_taints;
    uint32_t tasks_max; /* most tasks that can hold resources of the node; 0: any number */
    /* The node is away from leaves_us until just before back_us, and again every leaves_every_us
     * after that. back_us 0: it does not come back; leaves_every_us 0: it leaves once; all 0: it
     * does not leave. */
    int64_t leaves_us, back_us, leaves_every_us;
} lsched_node_desc;

/* Adds nodes. ids: NULL or n entries. Returns the number of nodes that were added. LSCHED_E_EXISTS:
 * the name; LSCHED_E_KEY: unknown kind; LSCHED_E_NOENT: no such MIG table; LSCHED_E_LIMIT: too many
 * devices, labels or taints. */
LSCHED_API int32_t lsched_nodes_add(lsched_cluster *cluster, const lsched_node_desc *nodes,
                                    size_t n, size_t elem_size, const lsched_batch_opts *opts,
                                    lsched_id *ids, int32_t *status, lsched_error *err);

/* Changes fields of nodes. A capacity can become smaller than the amount that running tasks hold.
 * The free amount is then negative, and no task starts on the node. A capacity below the sum of the
 * node's NUMA nodes is LSCHED_E_RANGE. */
typedef struct lsched_node_update {
    uint32_t size;
    uint32_t set;   /* LSCHED_NODE_SET_* */
    lsched_id node; /* id, or 0 and `name` */
    lsched_text name;
    uint32_t state;
    uint32_t n_capacity;
    const lsched_amount *capacity; /* kinds that are not named stay; gpu is not allowed */
    uint64_t tag;
    int64_t price_micro_per_hour;
    /* complete new list of labels. LSCHED_E_BUSY: a domain would change while the node has tasks */
    const lsched_label *labels;
    const lsched_taint *taints; /* the complete new list of taints */
    uint32_t n_labels, n_taints;
    uint32_t tasks_max;
    /* index of the device whose MIG layout the operator has changed outside libsched */
    uint32_t mig_device;
    /* all present MIG instances of mig_device; LSCHED_E_BUSY: an instance with a task is missing */
    const lsched_mig_instance *mig_instances;
    uint32_t n_mig_instances;
    uint32_t reserved_zero;
    int64_t leaves_us, back_us, leaves_every_us; /* as in lsched_node_desc, all three anew */
} lsched_node_update;
enum lsched_node_set {
    LSCHED_NODE_SET_STATE = 1,
    LSCHED_NODE_SET_CAPACITY = 2,
    LSCHED_NODE_SET_TAG = 4,
    LSCHED_NODE_SET_PRICE = 8,
    LSCHED_NODE_SET_LABELS = 16,
    LSCHED_NODE_SET_TAINTS = 32,
    LSCHED_NODE_SET_TASKS_MAX = 64,
    LSCHED_NODE_SET_MIG = 128,
    LSCHED_NODE_SET_ABSENCE = 256
};
/* Returns the number of applied updates, also of those whose `set` is 0, which change nothing.
 * Errors: those of every call, and those above. */
LSCHED_API int32_t lsched_nodes_update(lsched_cluster *cluster, const lsched_node_update *updates,
                                       size_t n, size_t elem_size, const lsched_batch_opts *opts,
                                       int32_t *status, lsched_error *err);
/* Removes nodes. Their tasks are lost, and so are open decisions about these tasks. IDEMPOTENT: a
 * node that no longer exists is LSCHED_UNCHANGED; otherwise it is LSCHED_E_STALE. */
LSCHED_API int32_t lsched_nodes_remove(lsched_cluster *cluster, const lsched_id *nodes, size_t n,
                                       const lsched_batch_opts *opts, int32_t *status,
                                       lsched_error *err);

typedef struct lsched_node_info {
    uint32_t size;
    uint32_t state;
    uint64_t tag;
    uint32_t n_devices, n_tasks;
    int64_t cpu_milli, cpu_free_milli;
    int64_t memory_bytes, memory_free_bytes;
    int64_t gpu_milli, gpu_free_milli;
    int64_t price_micro_per_hour;
    int64_t leaves_us, back_us, leaves_every_us; /* an absence that is over for ever is all 0 */
} lsched_node_info;
/* Writes the record of a node to *out. Errors: those of every call. */
LSCHED_API int32_t lsched_node_get(const lsched_cluster *cluster, lsched_id node,
                                   lsched_node_info *out, lsched_error *err);
/* Reports the capacity and free amount of any kind on a node, in base units; either pointer can be
 * NULL. LSCHED_E_KEY: unknown kind; LSCHED_E_UNSUPPORTED: a resource part. */
LSCHED_API int32_t lsched_node_amount(const lsched_cluster *cluster, lsched_id node, uint32_t kind,
                                      int64_t *capacity, int64_t *free_amount, lsched_error *err);
/* ---- queues ---- */

#define LSCHED_QUEUE_DEPTH_MAX 16

/* Jobs are submitted to leaf queues only. A list of amounts must name each kind at most once. */
typedef struct lsched_queue_desc {
    uint32_t size;
    int32_t priority; /* priority among siblings; the highest comes first */
    uint64_t tag;
    lsched_text name;
    lsched_id parent;        /* 0 and an empty parent_name: a root queue */
    lsched_text parent_name; /* can name an earlier element of the batch */
    /* guaranteed amount; default 0; can name resource parts. The quotas of siblings are scaled down
     * to the guarantee of their parent, so a parent without a quota guarantees them nothing */
    const lsched_amount *quota;
    const lsched_amount *limit; /* default: no limit; can name resource parts */
    /* over-quota weight in thousandths, default 1000; LSCHED_ANY_RESOURCE stands for all kinds */
    const lsched_amount *weight_milli;
    const lsched_amount *lend_limit; /* default: the whole unused quota can be lent */
    uint32_t n_quota, n_limit, n_weight, n_lend_limit;
    uint32_t flags; /* LSCHED_QUEUE_* */
    uint32_t reserved_zero;
    /* a task that has run for less time cannot be a victim: of reclaim, and of preempt */
    int64_t reclaim_min_runtime_us, preempt_min_runtime_us;
    int64_t created_us; /* among otherwise equal queues, the oldest comes first; 0: unknown */
    int64_t preemption_delay_us; /* a job that has waited for a shorter time evicts nothing */
    uint32_t jobs_max; /* most jobs with placed tasks, in this queue and below; 0: any number */
    uint32_t submitted_max; /* most jobs that exist, in this queue and below; 0: any number */
    const lsched_amount *user_limit;  /* limit of each user's sub-queue: LSCHED_QUEUE_PER_USER */
    const lsched_amount *group_limit; /* limit of each group's sub-queue: LSCHED_QUEUE_PER_GROUP */
    uint32_t n_user_limit, n_group_limit;
    uint32_t user_jobs_max, user_submitted_max, group_jobs_max, group_submitted_max;
} lsched_queue_desc;
/* A job that is submitted to the queue goes to a sub-queue of its group, of its user, or of both
 * ("queue/@group/user"). The library makes a sub-queue when it is first needed. Among jobs of equal
 * priority, users share the queue fairly. */
enum lsched_queue_flag { LSCHED_QUEUE_PER_USER = 1, LSCHED_QUEUE_PER_GROUP = 2 };
/* Adds queues. ids: NULL or n entries. Returns the number that was added. LSCHED_E_EXISTS: the name;
 * LSCHED_E_LIMIT: LSCHED_QUEUE_DEPTH_MAX; LSCHED_E_BUSY: the parent has jobs of its own;
 * LSCHED_E_STATE: the parent has sub-queues of users; LSCHED_E_CYCLE: parents form a circle. */
LSCHED_API int32_t lsched_queues_add(lsched_cluster *cluster, const lsched_queue_desc *queues,
                                     size_t n, size_t elem_size, const lsched_batch_opts *opts,
                                     lsched_id *ids, int32_t *status, lsched_error *err);
/* Removes queues. LSCHED_E_BUSY: a queue has jobs, or children outside the same batch. IDEMPOTENT: a
 * queue that no longer exists is LSCHED_UNCHANGED. */
LSCHED_API int32_t lsched_queues_remove(lsched_cluster *cluster, const lsched_id *queues, size_t n,
                                        const lsched_batch_opts *opts, int32_t *status,
                                        lsched_error *err);

typedef struct lsched_queue_info {
    uint32_t size;
    int32_t priority;
    uint64_t tag;
    lsched_id parent;
    uint64_t jobs;         /* jobs in this queue and below */
    uint64_t jobs_pending; /* jobs among these that have waiting tasks */
    int64_t created_us;
    int32_t priority_now; /* priority in force; the policy's hook `queue_order` can change it */
    uint32_t reserved_zero;
} lsched_queue_info;
/* Writes the record of a queue to *out. Errors: those of every call. */
LSCHED_API int32_t lsched_queue_get(const lsched_cluster *cluster, lsched_id queue,
                                    lsched_queue_info *out, lsched_error *err);
/* Reports the amount of a kind or resource part that a queue and the queues below it hold together,
 * and the queue's quota and limit, in base units. Pointers can be NULL. LSCHED_E_KEY: unknown kind. */
LSCHED_API int32_t lsched_queue_amount(const lsched_cluster *cluster, lsched_id queue,
                                       uint32_t kind, int64_t *used, int64_t *quota, int64_t *limit,
                                       lsched_error *err);
/* The entitlement of a queue to one kind by the policy's share algorithm, in base units. */
typedef struct lsched_queue_share {
    uint32_t size, reserved_zero;
    int64_t used; /* amount that tasks of this queue and below hold, nominated tasks included */
    int64_t used_core; /* portion of `used` that the minimums of non-preemptible jobs hold */
    /* `used` plus the requests of the waiting tasks, without those of held jobs, of jobs that are
     * not admitted, and of tasks or minimums that do not exist yet */
    int64_t demand;
    int64_t quota; /* quota in force; the policy's hook `quota` can change it */
    /* quota, scaled down if the siblings' sum exceeds the parent's guarantee, which is 0 without a
     * quota; LSCHED_UNLIMITED: the kind has no quotas */
    int64_t guarantee;
    /* guarantee plus a portion, by weight, of unused amounts; LSCHED_UNLIMITED: not known */
    int64_t fair_share;
    int64_t hold;        /* unused quota above the lend limit, which siblings cannot use */
    int64_t decayed_ppm; /* decayed use, in millionths of the capacity of the cluster */
    int64_t limit;       /* limit in force; the policy's hook `limit` can change it */
} lsched_queue_share;
/* Writes the entitlement to *out. LSCHED_E_KEY: unknown kind; LSCHED_E_UNSUPPORTED: a resource part;
 * LSCHED_E_NOENT: the policy names a share algorithm that does not exist. */
LSCHED_API int32_t lsched_queue_share_get(const lsched_cluster *cluster, lsched_id queue,
                                          uint32_t kind, lsched_queue_share *out,
                                          lsched_error *err);
/* Writes a line for each guarantee that jobs cannot use, or that a queue above without a quota
 * takes. Returns the length of the whole text, as snprintf does, or an error. capacity 0: buf
 * can be NULL. */
LSCHED_API int64_t lsched_queue_warnings(const lsched_cluster *cluster, char *buf, size_t capacity,
                                         lsched_error *err);

/* ---- jobs ---- */

#define LSCHED_GROUPS_PER_JOB_MAX 64
#define LSCHED_TASKS_PER_JOB_MAX  1048576

/* A label selector: the node's label `key` must have one of `values`; n_values 0: any value. */
typedef struct lsched_selector {
    uint32_t size;
    uint32_t n_values;
    lsched_text key;
    const lsched_text *values;
} lsched_selector;

/* A step of demand over time: from `from_us` on, a task uses `amount` of `kind`. If
 * demand_period_us is 0, from_us counts from the task's start. Otherwise from_us is the time of
 * day (UTC); nodes are then charged the peak of the sum of their tasks' curves, and queues the
 * request. */
typedef struct lsched_demand_step {
    uint32_t size;
    uint32_t kind;
    int64_t from_us;
    int64_t amount; /* in base units of the kind */
} lsched_demand_step;

/* One task group in the tree of a job. A leaf group consists of equal tasks, an inner group of
 * other groups. groups[0] is the root; the parent of every other group is an earlier element. */
typedef struct lsched_group_desc {
    uint32_t size;
    uint32_t parent;      /* index of the parent in `groups`; not read for groups[0] */
    lsched_text name;     /* name of the group; optional */
    uint32_t max_count;   /* leaf: number of tasks; 0: 1 */
    uint32_t min_count;   /* leaf: minimum of tasks; 0: max_count; LSCHED_MIN_NONE: no minimum */
    uint32_t min_groups;  /* inner group: minimum of child groups; 0: all */
    uint32_t gpu_devices; /* devices per task; 0: gpu amount / 1000, or 1 for a fraction */
    const lsched_amount *request; /* amounts that each task needs */
    uint32_t n_request, n_selectors;
    const lsched_selector *selectors; /* all selectors must hold */
    const lsched_text *device_models; /* any of these models is allowed; empty: any model */
    uint32_t n_device_models, selector_elem_size;
    int64_t gpu_memory_bytes;   /* device memory per device; 0: in proportion to the share */
    lsched_text topology;       /* name of the topology; empty: the only one */
    lsched_text required_level; /* the whole group must be in one domain of this level */
    lsched_text preferred_level;
    const lsched_demand_step *demand;
    uint32_t n_demand, demand_elem_size;
    lsched_text spread_level;   /* leaf: level of `topology` for spread_max */
    uint32_t spread_max;        /* leaf: most tasks of the group in one domain of spread_level */
    uint32_t topology_mode;     /* LSCHED_DOMAINS_* */
    const lsched_slice *slices; /* leaf: task blocks, the widest level of `topology` first */
    /* device requests, which replace the gpu amount and all device fields */
    const lsched_device_request *device_requests;
    uint32_t n_slices;
    uint32_t n_device_requests; /* number of device requests, the preferred one first */
    uint32_t device_request_elem_size;
    uint32_t n_tolerations, n_node_affinities, n_job_affinities;
    const lsched_toleration *tolerations;
    const lsched_node_affinity *node_affinities;
    const lsched_job_affinity *job_affinities;
    /* period of `demand`: 0, or a day (86400 s). `demand` must not exceed the request */
    int64_t demand_period_us;
    uint32_t max_tasks_per_node; /* leaf: most tasks of the group on one node; 0: any number */
    /* leaf: number of tasks that exist already; 0: all; LSCHED_NO_MEMBERS: none yet. The job starts
     * when its minimum exists, and grows up to this number (docs/semantics.md, 5) */
    uint32_t members;
    uint32_t flags, reserved_zero;      /* flags: LSCHED_GROUP_* of a leaf */
    const lsched_supply_need *supplies; /* leaf: what each task needs of supplies (supplies.h) */
    uint32_t n_supplies, supply_elem_size;
    lsched_text work_kind; /* leaf: kind of work; policies have slow-downs and speeds of kinds */
    /* the tasks share no domain of this level, or no "node", with tasks of other jobs */
    lsched_text exclusive_level, exclusive_topology; /* its topology; empty: `topology` */
} lsched_group_desc;
#define LSCHED_MIN_NONE   0xffffffffu
#define LSCHED_NO_MEMBERS 0xffffffffu

enum lsched_group_flag {
    /* The group's number of tasks, from min_count to max_count, is chosen when the job starts, and
     * stays while the job has tasks: the group neither grows nor shrinks (docs/semantics.md, 5) */
    LSCHED_GROUP_FIXED_AT_START = 1
};

enum lsched_job_flag {
    LSCHED_JOB_NON_PREEMPTIBLE = 1, /* others evict only tasks above its minimum, and move none */
    LSCHED_JOB_INTERACTIVE = 2,     /* consolidation does not move it; policies read the flag */
    LSCHED_JOB_NEVER_PREEMPTS = 4   /* no task is evicted or moved to start it */
};

typedef struct lsched_job_desc {
    uint32_t size;
    uint32_t flags; /* LSCHED_JOB_* */
    uint64_t tag;
    lsched_text name;
    lsched_id queue; /* a leaf queue; 0: queue_name names the queue */
    lsched_text queue_name;
    const lsched_group_desc *groups;
    uint32_t n_groups, group_elem_size;
    int32_t priority;
    uint32_t reserved_zero;
    int64_t submit_us;   /* among equal priorities, the earliest comes first; 0 is 1970, not now */
    int64_t duration_us; /* estimated run time; 0: unknown */
    int64_t deadline_us; /* time by which it should end, for orders and policies; 0: none */
    int64_t restart_cost_us;      /* time that a restart costs in addition to the lost work */
    int64_t checkpoint_period_us; /* time between checkpoints; 0: the job makes none */
    lsched_text user, user_group; /* user and group of the submitter, for sub-queues */
    int64_t preemption_delay_us;  /* time that the job waits before it can evict; 0: the queue's */
    int64_t stale_grace_us;       /* longest run below the minimum; 0: 60 s; or LSCHED_NEVER_US */
    int64_t disruption_window_us; /* time window for disruptions_max; 0: the life of the job */
    int64_t backoff_us;           /* the backoff after failure n is backoff_us x 2^(n-1); 0: none */
    uint32_t disruptions_max;   /* most evictions, shrinks and moves in the window; 0: any number */
    uint32_t retries_max;       /* failures after which the job is not tried again; 0: no limit */
    int64_t time_limit_us;      /* longest run time; 0: no limit. A policy can change the limit */
    const lsched_label *labels; /* labels that affinity rules of other jobs match */
    uint32_t n_labels, reserved2_zero;
    int64_t release_us; /* time that a task takes to stop; 0: the time of the cycle or the policy */
    /* longest time that a task may take to write a checkpoint when it is asked, before an eviction:
     * LSCHED_DECIDE_CHECKPOINT. 0: tasks are stopped at once. See docs/semantics.md 12 */
    int64_t checkpoint_us;
    /* no task of the job starts before this time; 0 and times that are over: no bound */
    int64_t begin_us;
    /* after begin_us: a cycle removes the job if no task has started or been confirmed; 0: never */
    int64_t expires_us;
    const lsched_dependency *dependencies; /* all must be met before the first start */
    uint32_t n_dependencies, dependency_elem_size;
    uint32_t on_never, reserved3_zero; /* LSCHED_ON_NEVER_*: a dependency can never be met */
    int64_t first_start_us; /* first start, before it came to this cluster; 0: it has not started */
    int64_t soft_limit_us;  /* run time after which it is evicted first; 0: none. See job_life.h */
    uint32_t array_count, array_next, array_succeeded, reserved4_zero; /* see arrays.h */
} lsched_job_desc;
/* Adds jobs. ids: NULL or n entries. Returns the number that was added. LSCHED_E_EXISTS: the name;
 * LSCHED_E_LIMIT: submitted_max of a queue, or a limit of this header; LSCHED_E_STATE: the queue is
 * not a leaf; LSCHED_E_CYCLE: a group whose parent is no earlier group; LSCHED_E_KEY: unknown kind,
 * topology, level or MIG profile; LSCHED_E_SYNTAX: a selector; LSCHED_E_TIME: expires_us is over. */
LSCHED_API int32_t lsched_jobs_submit(lsched_cluster *cluster, const lsched_job_desc *jobs,
                                      size_t n, size_t elem_size, const lsched_batch_opts *opts,
                                      lsched_id *ids, int32_t *status, lsched_error *err);
/* Removes jobs in any state. Their open decisions are withdrawn, and their placed tasks end.
 * IDEMPOTENT: a job that no longer exists is LSCHED_UNCHANGED, otherwise LSCHED_E_STALE. */
LSCHED_API int32_t lsched_jobs_remove(lsched_cluster *cluster, const lsched_id *jobs, size_t n,
                                      const lsched_batch_opts *opts, int32_t *status,
                                      lsched_error *err);
typedef struct lsched_job_info {
    uint32_t size;
    uint32_t flags;
    uint64_t tag;
    lsched_id queue;
    int32_t priority;
    uint32_t parked; /* 1: the job is not tried again until an event can end its wait reason */
    uint32_t tasks_wanted, tasks_min; /* sums over the leaf groups */
    uint32_t tasks_placed;            /* tasks that are proposed, confirmed, running or nominated */
    uint32_t tasks_running, tasks_done;
    uint32_t stale_gang; /* 1: the job runs below its minimum */
    int64_t submit_us, duration_us;
    int64_t stale_since_us;   /* time at which the gang became stale; LSCHED_NEVER_US: not stale */
    int64_t time_limit_us;    /* time limit that is in force: the policy can change it; 0: none */
    int64_t due_us;           /* end of the time limit; LSCHED_NEVER_US: not running, or no limit */
    int64_t running_since_us; /* start of the first task of the current run; 0: no task runs */
    uint32_t held;            /* LSCHED_HELD_*: by a rule, or else HOST if hold_until_us is not 0 */
    /* minimum as submitted: tasks_min can be that of the policy, or the size fixed at the start */
    uint32_t tasks_min_submitted;
    /* lsched_jobs_hold(): end of the hold; 0: not held so; LSCHED_NEVER_US: until it is released */
    int64_t hold_until_us;
    lsched_text hold_reason; /* valid until the next call that changes the cluster */
    int64_t begin_us;      /* the job starts at this time or later; 0: its begin does not bind it */
    int64_t expires_us;    /* 0: the job does not expire, or it has started */
    uint32_t dependencies; /* dependencies of the job that are not met yet */
    uint32_t dependencies_never; /* of the job's other dependencies: those that can never be met */
    int64_t first_start_us;      /* start of the first task that ever ran; 0: none has */
    uint32_t tasks_nominated, tasks_releasing; /* of tasks_placed; stopping, not in tasks_placed */
} lsched_job_info;
/* Why a job is held. TIME_LIMIT, IDLE: until LSCHED_JOB_SET_AGAIN. HOST: by lsched_jobs_hold() */
enum lsched_held {
    LSCHED_HELD_NOT = 0,
    LSCHED_HELD_TIME_LIMIT = 1,
    LSCHED_HELD_IDLE = 2,
    LSCHED_HELD_HOST = 3
};
/* Writes the record of a job to *out. Errors: those of every call. */
LSCHED_API int32_t lsched_job_get(const lsched_cluster *cluster, lsched_id job,
                                  lsched_job_info *out, lsched_error *err);

/* ---- tasks ---- */

/* The states of a task: LSCHED_TASK_NONE, _PROPOSED ... */
enum lsched_task_state {
#define LSCHED_X_TASK(name, value, word) LSCHED_TASK_##name = value,
#include <libsched/codes.def>
};

typedef struct lsched_task_info {
    uint32_t size;
    uint32_t state; /* LSCHED_TASK_* */
    lsched_id job;
    uint32_t task_index;
    uint32_t group_index; /* index of the leaf group in the job's groups */
    lsched_id node;
    lsched_id decision;    /* open decision that placed the task; 0: imported, or settled */
    uint32_t device_mask;  /* devices that the task holds; 0 also if they do not fit: devices.h */
    uint32_t device_milli; /* share of each device; import on mixed models: of the first one */
    int64_t start_us;
    uint32_t imported_excess; /* 1: the import exceeded the node's capacity or a limit */
    uint32_t alternative;     /* index of the device request, as devices.h numbers them */
    uint64_t device_starts;   /* MIG: device i's first memory slice in bits 4i to 4i + 3 */
    uint32_t nic_mask;        /* network cards that no other task uses */
    uint32_t numa_mask;       /* NUMA nodes to which the task is pinned; 0: none */
    uint32_t memory_state;    /* LSCHED_MEMORY_STATE_*: how the task yields under memory pressure */
    uint32_t reserved_zero;
    uint64_t device_words[LSCHED_DEVICE_WORDS]; /* all devices that the task holds */
    lsched_id run; /* of what runs or is to stop: the PLACE that began it; 0: import told none */
} lsched_task_info;
/* Writes the next task of a job (node is 0) or on a node (job is 0) to *out and returns 1; 0 at the
 * end. Tasks that wait have no record; the lists are of tasks that are proposed, confirmed, running,
 * nominated or done. A task that is to stop has a record with the state RELEASING, and a second one
 * if it has a new place already. Before the first call, set *cursor to 0. Errors:
 * LSCHED_E_INVAL: both ids are given, or none; LSCHED_E_STATE: the task at the cursor has left the
 * list since the call before, so begin again. A walk during which other calls change the cluster can
 * miss tasks, or repeat them. */
LSCHED_API int32_t lsched_tasks_next(const lsched_cluster *cluster, lsched_id job, lsched_id node,
                                     uint64_t *cursor, lsched_task_info *out, lsched_error *err);

enum lsched_event_kind {
    LSCHED_EVENT_STARTED = 1, /* the task runs; confirms a proposed decision */
    LSCHED_EVENT_ENDED = 2,   /* the task ended well; its job is removed after its last task */
    /* it stopped or was lost, and waits again; ENDED and FAILED also end a releasing task */
    LSCHED_EVENT_FAILED = 3
};
typedef struct lsched_task_event {
    uint32_t size;
    uint32_t event;
    lsched_id job;
    uint32_t task_index, reserved_zero;
    int64_t at_us;  /* 0: the cluster's latest time, see LSCHED_REPORT_AHEAD_US */
    lsched_id node; /* STARTED: real place, as in lsched_task_import; 0 and empty: as planned */
    lsched_text node_name;
    uint64_t device_starts;
    uint32_t device_mask, nic_mask, numa_mask, reserved2_zero;
    uint64_t device_words[LSCHED_DEVICE_WORDS]; /* instead of device_mask */
    lsched_id run; /* the PLACE decision that began the run; 0: not told, any run of the task */
} lsched_task_event;
/* Reports events. STARTED with devices and without a node means other devices of the planned node.
 * IDEMPOTENT: LSCHED_UNCHANGED is the status of STARTED for a task that runs, of ENDED for a task
 * that has ended, of FAILED for a task that has ended or waits again, and of ENDED and FAILED for a
 * task whose job no longer exists. LSCHED_E_STATE: the task is not in a state in which that can
 * happen; LSCHED_E_TIME: LSCHED_REPORT_AHEAD_US. A report with a run touches no other run; ENDED and
 * FAILED of a run that did not start imply the start. LSCHED_E_STALE: the task has no such run now;
 * IDEMPOTENT: ENDED is LSCHED_UNCHANGED if the task has ended, FAILED if that run is surely over.
 * LSCHED_E_KIND, LSCHED_E_INVAL: the run is not the id of a PLACE decision of the task.
 * LSCHED_E_RANGE: the job has no such task, or the node no such device. */
LSCHED_API int32_t lsched_tasks_report(lsched_cluster *cluster, const lsched_task_event *events,
                                       size_t n, size_t elem_size, const lsched_batch_opts *opts,
                                       int32_t *status, lsched_error *err);

/* A task that already runs, with its place. If it exceeds a capacity or a limit, it is marked
 * (imported_excess), and not refused. An open decision about the task is withdrawn. */
typedef struct lsched_task_import {
    uint32_t size;
    uint32_t task_index;
    lsched_id job; /* job's id, or 0 and job_name */
    lsched_text job_name;
    lsched_id node; /* node's id, or 0 and node_name */
    lsched_text node_name;
    uint32_t device_mask; /* 0, and device_words 0: the library chooses the devices */
    uint32_t state;       /* 0: the task runs. LSCHED_TASK_RELEASING: it was asked to stop */
    int64_t start_us;     /* time at which it started; 0 is 1970, not now */
    /* RELEASING: expected time at which the task is gone; 0: soon. A time long past is not used */
    int64_t release_us;
    uint64_t device_starts; /* MIG, only with a device_mask: as in lsched_task_info */
    uint32_t nic_mask, numa_mask;
    uint32_t alternative, reserved_zero;
    uint64_t device_words[LSCHED_DEVICE_WORDS]; /* instead of device_mask */
    lsched_id run;                              /* as in lsched_task_event */
} lsched_task_import;
/* Imports tasks. IDEMPOTENT: a task that already runs on this node, and on these devices if the
 * import names devices, is LSCHED_UNCHANGED, otherwise LSCHED_E_STATE; it sets a run that was not
 * told. LSCHED_E_TIME as in a report. LSCHED_E_RANGE: the job has no such task, the node no such
 * device, or the cluster can still give out the run. */
LSCHED_API int32_t lsched_tasks_import(lsched_cluster *cluster, const lsched_task_import *tasks,
                                       size_t n, size_t elem_size, const lsched_batch_opts *opts,
                                       int32_t *status, lsched_error *err);

/* The expected mix of tasks, an input of strategies that look ahead (fgd, least-fragmentation). The
 * call replaces the old mix; n = 0 clears it. Only the ratios of the counts matter. */
typedef struct lsched_mix_entry {
    uint32_t size, reserved_zero;
    const lsched_group_desc *task; /* only requests, devices, models and selectors are read */
    int64_t count;                 /* > 0; the number of such tasks, or any other measure */
} lsched_mix_entry;
/* Errors: those of every call, and those of requests in lsched_jobs_submit. */
LSCHED_API int32_t lsched_task_mix_set(lsched_cluster *cluster, const lsched_mix_entry *mix,
                                       size_t n, size_t elem_size, lsched_error *err);

/* ---- schedule and plans ---- */

typedef struct lsched_schedule_opts {
    uint32_t size;
    uint32_t flags;       /* LSCHED_SCHEDULE_* */
    int64_t now_us;       /* must not decrease (LSCHED_E_TIME) */
    uint64_t work_budget; /* most work units: jobs tried, tasks placed, entries read; 0: no limit */
    /* most new decisions; nominations that become places do not count; 0: as many as can be open */
    uint32_t decisions_max;
    uint32_t moves_max; /* most tasks that consolidate moves to empty whole nodes; 0: none */
    /* time that an evicted task takes to stop, if its job has none; 0: the policy's, else 30 s */
    int64_t release_us;
    uint32_t hooks_off; /* mask of LSCHED_HOOK_* that use their fallback, see lsched_plan_info */
    /* kinds of decisions that the plan can have: bits 1u << LSCHED_DECIDE_*, with _PLACE. 0:
     * LSCHED_DECISION_KINDS_DEFAULT. See docs/semantics.md 26 */
    uint32_t decision_kinds;
    lsched_trace_fn trace; /* is called at each stage of the cycle (trace.h); NULL: none */
    void *trace_user;
    /* A cycle at or after this time withdraws the decisions of this one that are still proposed;
     * nominations go with their group. 0, LSCHED_NEVER_US: no limit. See docs/semantics.md 4 */
    int64_t proposal_life_us;
    int64_t warn_before_us; /* WARN so long before work ends (docs/warnings.md); 0: none */
} lsched_schedule_opts;
enum lsched_schedule_flag {
    /* verify the plan; if the plan is wrong, return LSCHED_E_VERIFY and apply nothing */
    LSCHED_SCHEDULE_VERIFY = 1,
    /* report wait reasons of all waiting jobs, not only of the jobs tried in this cycle */
    LSCHED_SCHEDULE_ALL_WAITING = 2
};

/* Runs one cycle. The caller frees *plan with lsched_plan_destroy(), also after the cluster.
 * LSCHED_E_TIME: now_us is before the latest cycle, or long before a report (clock.h);
 * LSCHED_E_VERIFY; LSCHED_E_UNSUPPORTED: VERIFY in a build without the verifier. A policy that fails
 * is no error (LSCHED_PLAN_POLICY_FAILED). */
LSCHED_API int32_t lsched_schedule(lsched_cluster *cluster, const lsched_schedule_opts *opts,
                                   lsched_plan **plan, lsched_error *err);
LSCHED_API void lsched_plan_destroy(lsched_plan *plan); /* NULL is allowed */

/* Returns the time of the next useful lsched_schedule if no event comes before; LSCHED_NEVER_US:
 * only after an event. Call at once if the time is not later than now: work is left, or room or
 * entitlement has come free. Inside a callback: LSCHED_E_BUSY. */
LSCHED_API int64_t lsched_next_wake(const lsched_cluster *cluster);

/* ---- settling decisions ---- */

typedef int32_t lsched_outcome;
enum lsched_outcome_kind {
    /* the orchestrator will carry the decision out. CHECKPOINT: the checkpoint is written */
    LSCHED_OUTCOME_CONFIRMED = 1,
    /* the task waits again; tasks of the same shape avoid the node for a time. EVICT, MIGRATE and
     * CHECKPOINT: the task runs on where it is, also if the decision was confirmed and is revoked
     * now (S-revoke of docs/semantics.md) */
    LSCHED_OUTCOME_REJECTED = 2
};
typedef struct lsched_settlement {
    uint32_t size;
    lsched_outcome outcome;
    lsched_id decision;
    /* REJECTED: class of the reason in words of the orchestrator, at most 64 bytes; can be empty */
    lsched_text reason;
    const lsched_refusal *refusal; /* REJECTED: what to avoid and until when; NULL: the default */
} lsched_settlement;
/* Optional output: the decisions that the batch withdrew besides those that it rejects. */
typedef struct lsched_settle_report {
    uint32_t size, reserved_zero;
    lsched_id *withdrawn; /* NULL or an array for withdrawn_capacity ids */
    uint64_t withdrawn_capacity;
    uint64_t n_withdrawn; /* number of withdrawn decisions, also if it exceeds the capacity */
} lsched_settle_report;
/* Settles decisions; report can be NULL. Returns the number of applied elements. LSCHED_E_STATE: a
 * decision twice in the batch, or CONFIRMED of one that is confirmed or that an earlier element
 * withdraws (REJECTED of it is applied); LSCHED_E_RANGE: the reason is longer than 64 bytes.
 * IDEMPOTENT: CONFIRMED of a confirmed decision, and REJECTED of one that no longer exists, are
 * LSCHED_UNCHANGED. CONFIRMED of one that no longer exists stays an error: its task must not start. */
LSCHED_API int32_t lsched_settle(lsched_cluster *cluster, const lsched_settlement *settlements,
                                 size_t n, size_t elem_size, const lsched_batch_opts *opts,
                                 lsched_settle_report *report, int32_t *status, lsched_error *err);
/* Settles a plan: outcomes[i] for decision i, 0: no answer now. NULL: confirms all but nominations
 * and CHECKPOINT. Also long after the cycle: PARTIAL and IDEMPOTENT hold. status[i] (or NULL):
 * LSCHED_OK, LSCHED_UNCHANGED if there is no answer or it was so before, or an error, such as
 * LSCHED_E_STALE if the decision was withdrawn. Returns the count that lsched_settle() returns.
 * LSCHED_E_INVAL: the plan is of another cluster: a clone, its original, or one that was saved. */
LSCHED_API int32_t lsched_settle_plan(lsched_cluster *cluster, const lsched_plan *plan,
                                      const lsched_outcome *outcomes, int32_t *status,
                                      lsched_error *err);

enum lsched_decision_state_kind { LSCHED_DECISION_PROPOSED = 1, LSCHED_DECISION_CONFIRMED = 2 };
/* Returns the state of an open decision, LSCHED_E_STALE for one that is closed. */
LSCHED_API int32_t lsched_decision_state(const lsched_cluster *cluster, lsched_id decision,
                                         lsched_error *err);

/* ---- explain and verify ---- */

/* Explains in text why a job waits or where it runs, from the present state. Returns the length of
 * the whole text, as snprintf does, or an error. `record` can be NULL, and buf if capacity is 0. */
LSCHED_API int64_t lsched_explain(const lsched_cluster *cluster, lsched_id job, char *buf,
                                  size_t capacity, lsched_waiting *record, lsched_error *err);
/* Checks that the state obeys every rule and, if plan is not NULL, that the plan does. Returns
 * LSCHED_E_VERIFY with the broken rule otherwise. Cost: linear in the state. */
LSCHED_API int32_t lsched_verify(const lsched_cluster *cluster, const lsched_plan *plan,
                                 lsched_error *err);

/* Short names of LSCHED_INIT, and the headers of separate topics. */
#include <libsched/defaults.h>
#include <libsched/clock.h>
#include <libsched/changes.h>
#include <libsched/counters.h>
#include <libsched/job_life.h>
#include <libsched/readback.h>
#include <libsched/reservations.h>
#include <libsched/resizes.h>
#include <libsched/usage.h>
#include <libsched/descriptions.h>
#include <libsched/policies.h>
#include <libsched/what_if.h>
#include <libsched/updates.h>
#include <libsched/adopt.h>

#ifdef __cplusplus
}
#endif
#endif
