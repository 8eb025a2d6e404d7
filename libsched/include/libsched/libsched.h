/*
 * libsched.h -- the library's calls: which job runs where, when and at which cost, on GPU clusters.
 *
 * An orchestrator reports to a cluster what exists (nodes, queues, jobs, time), asks for a plan,
 * carries the plan out and settles its decisions. The library runs nothing, reads no clock, file or
 * environment, has no global state and starts no thread.
 *
 * Rules that hold for every call
 *   errors     0 or a positive count is success; a negative LSCHED_E_* is an error. `err`, where it
 *              is a parameter, is owned by the caller and can be NULL. A call is applied whole or
 *              changes nothing, also when memory runs out.
 *   structs    begin with `uint32_t size`. The caller sets them up with their *_INIT macro (at the
 *              end of this file) or lsched_*_init() (for bindings), or zeroes them and sets `size`.
 *              0 always means "default". Fields beyond a smaller `size` take their default. If
 *              `size` is larger than the library knows, the unknown tail must be zero, else
 *              LSCHED_E_SIZE. Output structs are written up to `size`. Fields named reserved*_zero
 *              must be 0, else LSCHED_E_INVAL. lsched_text, lsched_amount, lsched_label and
 *              lsched_param are frozen and carry no size.
 *   batches    (pointer, n, elem_size): elem_size is sizeof the element in the caller's headers; 0
 *              means the `size` of the first element. A batch is atomic: one bad element, and
 *              nothing is applied; `status` (NULL or n entries) then holds a code per element. With
 *              LSCHED_BATCH_PARTIAL the good elements are applied. Elements can name earlier
 *              elements.
 *   memory     every byte comes from the cluster's allocator. Inputs are copied; each function says
 *              who owns its outputs.
 *   threads    one thread at a time per handle; different handles are independent. A plan is
 *              immutable and can be read from any thread. lsched_interrupt() can be called from any
 *              thread.
 *   callbacks  must not call back into the same cluster (LSCHED_E_BUSY) and must not unwind.
 *   order      the order of nodes, queues or jobs in a batch carries no meaning: ties are broken by
 *              declared keys, then submission time, then the bytes of names.
 *   units      cpu milli-cores, memory bytes, gpu milli-GPUs, time microseconds since 1970 UTC,
 *              money micro-units. All are signed 64-bit; a total past 2^62 is LSCHED_E_RANGE.
 */
#ifndef LIBSCHED_LIBSCHED_H
#define LIBSCHED_LIBSCHED_H

#include <libsched/types.h>
#include <libsched/devices.h>
#include <libsched/places.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- cluster ---- */

typedef struct lsched_cluster_opts {
    uint32_t size;
    uint32_t incarnation; /* incarnation of the ids, at most LSCHED_INCARNATION_MAX: see types.h */
    /* NULL: malloc. A copy is kept; `user` must outlive cluster and plans */
    const lsched_allocator *allocator;
    uint64_t memory_limit_bytes; /* 0: no limit */
    uint32_t open_decisions_max; /* 0: LSCHED_OPEN_DECISIONS_DEFAULT */
    uint32_t verify_every_plan;  /* 1: run the verifier on every plan (tests, debug builds) */
} lsched_cluster_opts;
#define LSCHED_OPEN_DECISIONS_DEFAULT 1048576u

LSCHED_API void lsched_cluster_opts_init(lsched_cluster_opts *opts, uint32_t size);

/* Creates an empty cluster. opts can be NULL. The caller frees *out: lsched_cluster_destroy(). */
LSCHED_API int32_t lsched_cluster_create(const lsched_cluster_opts *opts, lsched_cluster **out,
                                         lsched_error *err);
LSCHED_API void lsched_cluster_destroy(lsched_cluster *cluster); /* NULL is allowed */

/* Copies the whole state, with open decisions and ids, but no callbacks. If *inout is NULL, the
 * function makes a new cluster with the same allocator. If *inout is a cluster (from clone or
 * create), its memory is reused and its old state is lost. On error *inout is unchanged. The copies
 * share the policy text; the policy is loaded again. */
LSCHED_API int32_t lsched_cluster_clone(const lsched_cluster *cluster, lsched_cluster **inout,
                                        lsched_error *err);

/* Saves the state as bytes, piece by piece; if `write` returns non-zero: LSCHED_E_STATE. */
typedef int32_t (*lsched_write_fn)(void *user, const void *bytes, size_t n);
LSCHED_API int32_t lsched_cluster_save(const lsched_cluster *cluster, lsched_write_fn write,
                                       void *user, lsched_error *err);
/* Makes a cluster from saved bytes; checks all of them. After a crash, set opts->incarnation. */
LSCHED_API int32_t lsched_cluster_load(const lsched_cluster_opts *opts, const void *bytes, size_t n,
                                       lsched_cluster **out, lsched_error *err);

enum {
    LSCHED_HASH_IMAGE = 0,  /* over columns by row: equal if and only if the same calls were made */
    LSCHED_HASH_MEANING = 1 /* over names and values: equal for equal meaning */
};
LSCHED_API int32_t lsched_cluster_hash(const lsched_cluster *cluster, uint32_t which,
                                       uint64_t *out);

typedef struct lsched_cluster_stats {
    uint32_t size;
    uint32_t incarnation;               /* incarnation of the ids that are issued now */
    uint64_t nodes, queues, jobs;       /* objects that exist */
    uint64_t jobs_pending, jobs_parked; /* jobs with waiting tasks; how many of them are parked */
    uint64_t tasks_placed; /* tasks that are proposed, confirmed, running or nominated */
    uint64_t decisions_open;
    /* when the oldest open one was proposed; LSCHED_NEVER_US: none is open */
    int64_t oldest_open_decision_us;
    uint64_t memory_bytes, memory_peak_bytes, allocations; /* as the library itself counts */
    int64_t now_us; /* the latest time of a cycle or report */
} lsched_cluster_stats;
LSCHED_API int32_t lsched_cluster_stats_get(const lsched_cluster *cluster,
                                            lsched_cluster_stats *out);

/* Makes the call in progress end soon with what it has so far (flag LSCHED_PLAN_INTERRUPTED). Any
 * thread can call this function; the request stays set until the next lsched_schedule has seen
 * it. */
LSCHED_API void lsched_interrupt(lsched_cluster *cluster);

LSCHED_API const char *lsched_version(void); /* "0.1.0" */
LSCHED_API uint32_t lsched_semantics(void);

/* ---- names ---- */

/* Returns the id of the object of this kind and name, 0 if there is none. */
LSCHED_API lsched_id lsched_find(const lsched_cluster *cluster, uint32_t kind, const char *name,
                                 size_t len);
/* Returns the name of a live object, NULL for a stale id. The text is not NUL-terminated and is
 * valid until the next call that changes the cluster. */
LSCHED_API const char *lsched_name(const lsched_cluster *cluster, lsched_id id, size_t *len);
/* Returns the next id of a kind, 0 after the last. Set *cursor to 0 before the first call. Objects
 * come in the order of rows, which carries no meaning. */
LSCHED_API lsched_id lsched_next(const lsched_cluster *cluster, uint32_t kind, uint64_t *cursor);

/* ---- resource kinds and topology ---- */

#define LSCHED_RESOURCE_KINDS_MAX 16
/* Adds a resource kind. cpu, memory and gpu exist already; others (licences, NICs ...) are counted
 * per node in units of their own. Returns the kind's number, also when the kind exists already, or
 * LSCHED_E_LIMIT past LSCHED_RESOURCE_KINDS_MAX. */
LSCHED_API int32_t lsched_resource_add(lsched_cluster *cluster, const char *name, size_t len,
                                       lsched_error *err);
/* Adds a resource part: it counts milli-GPUs on devices of one model. The use of a queue follows
 * from the devices that its tasks hold. Only quotas and limits of queues can name such a kind; no
 * node has a capacity of it and no task requests it. Returns the kind's number,
 * LSCHED_RESOURCE_KINDS_MAX or above, also when the kind exists already with this model.
 * LSCHED_E_EXISTS: the name means another kind; LSCHED_E_LIMIT: past LSCHED_RESOURCE_MODELS_MAX. */
#define LSCHED_RESOURCE_MODELS_MAX 112
LSCHED_API int32_t lsched_resource_add_model(lsched_cluster *cluster, const char *name, size_t len,
                                             const char *model, size_t model_len,
                                             lsched_error *err);
LSCHED_API int32_t lsched_resource_find(const lsched_cluster *cluster, const char *name,
                                        size_t len);
/* Returns the name of a kind, NULL if there is no such kind. The text is NUL-terminated and valid
 * until the next call that changes the cluster. */
LSCHED_API const char *lsched_resource_name(const lsched_cluster *cluster, uint32_t kind);

/* A tree of domains: levels are label keys from widest to narrowest ("zone", "rack"). A node is in
 * the domain that its labels name; a node without one of the labels is outside the tree. */
#define LSCHED_TOPOLOGY_LEVELS_MAX 8
#define LSCHED_TOPOLOGIES_MAX      4
typedef struct lsched_topology_desc {
    uint32_t size;
    uint32_t n_levels;
    lsched_text name;
    const lsched_text *levels;
    uint64_t tag;
} lsched_topology_desc;
LSCHED_API int32_t lsched_topologies_add(lsched_cluster *cluster,
                                         const lsched_topology_desc *topologies, size_t n,
                                         size_t elem_size, lsched_id *ids, int32_t *status,
                                         lsched_error *err);

/* ---- nodes ---- */

/* CORDONED: the node takes no new work. DRAINING: also, its tasks are moved away or evicted. */
enum { LSCHED_NODE_READY = 0, LSCHED_NODE_CORDONED = 1, LSCHED_NODE_DRAINING = 2 };

typedef struct lsched_node_desc {
    uint32_t size;
    uint32_t state; /* LSCHED_NODE_* */
    uint64_t tag;   /* value of the orchestrator; returned, never interpreted */
    lsched_text name;
    const lsched_amount *capacity; /* without gpu: each device counts as 1000 milli-GPUs */
    uint32_t n_capacity;
    uint32_t n_labels;
    const lsched_label *labels;
    const lsched_device_desc *devices;
    uint32_t n_devices; /* length of the array `devices`, not the sum of its counts */
    uint32_t device_elem_size;
    int64_t price_micro_per_hour;
    int64_t power_milliwatt;
    const lsched_machine_desc *machine; /* inner shape of the node; NULL: unknown */
    const lsched_taint *taints;
    uint32_t n_taints;
    uint32_t tasks_max; /* tasks that can hold resources here at one time; 0: any number */
} lsched_node_desc;

enum { LSCHED_BATCH_PARTIAL = 1 }; /* flag of the batch calls whose names end in _opts */

LSCHED_API void lsched_node_desc_init(lsched_node_desc *desc, uint32_t size);
/* Adds nodes. ids: NULL or n entries. Returns n; with LSCHED_BATCH_PARTIAL the number applied. */
LSCHED_API int32_t lsched_nodes_add(lsched_cluster *cluster, const lsched_node_desc *nodes,
                                    size_t n, size_t elem_size, lsched_id *ids, int32_t *status,
                                    lsched_error *err);
LSCHED_API int32_t lsched_nodes_add_opts(lsched_cluster *cluster, const lsched_node_desc *nodes,
                                         size_t n, size_t elem_size, uint32_t flags, lsched_id *ids,
                                         int32_t *status, lsched_error *err);

/* Changes fields of nodes. A capacity can shrink below what the running tasks hold: the free amount
 * is then negative and the node takes no new task. A capacity below the sum over the node's NUMA
 * nodes is LSCHED_E_RANGE. */
typedef struct lsched_node_update {
    uint32_t size;
    uint32_t set;   /* LSCHED_NODE_SET_* */
    lsched_id node; /* id, or 0 and `name` */
    lsched_text name;
    uint32_t state;
    uint32_t n_capacity;
    const lsched_amount *capacity; /* only the kinds named here change; gpu is not allowed */
    uint64_t tag;
    int64_t price_micro_per_hour;
    /* the complete new list. LSCHED_E_BUSY: the domain would change while tasks are on the node */
    const lsched_label *labels;
    const lsched_taint *taints; /* the complete new list of taints */
    uint32_t n_labels, n_taints;
    uint32_t tasks_max;
    /* number of the device whose MIG layout the operator changed outside libsched */
    uint32_t mig_device;
    /* all MIG instances on mig_device now; LSCHED_E_BUSY: a task's instance is missing */
    const lsched_mig_instance *mig_instances;
    uint32_t n_mig_instances;
    uint32_t reserved_zero;
} lsched_node_update;
enum {
    LSCHED_NODE_SET_STATE = 1,
    LSCHED_NODE_SET_CAPACITY = 2,
    LSCHED_NODE_SET_TAG = 4,
    LSCHED_NODE_SET_PRICE = 8,
    LSCHED_NODE_SET_LABELS = 16,
    LSCHED_NODE_SET_TAINTS = 32,
    LSCHED_NODE_SET_TASKS_MAX = 64,
    LSCHED_NODE_SET_MIG = 128
};
LSCHED_API int32_t lsched_nodes_update(lsched_cluster *cluster, const lsched_node_update *updates,
                                       size_t n, size_t elem_size, int32_t *status,
                                       lsched_error *err);
/* Removes nodes. Their tasks are lost, and open decisions about them settle as lost. */
LSCHED_API int32_t lsched_nodes_remove(lsched_cluster *cluster, const lsched_id *nodes, size_t n,
                                       int32_t *status, lsched_error *err);

typedef struct lsched_node_info {
    uint32_t size;
    uint32_t state;
    uint64_t tag;
    uint32_t n_devices;
    uint32_t n_tasks;
    int64_t cpu_milli, cpu_free_milli;
    int64_t memory_bytes, memory_free_bytes;
    int64_t gpu_milli, gpu_free_milli;
    int64_t price_micro_per_hour;
} lsched_node_info;
LSCHED_API int32_t lsched_node_get(const lsched_cluster *cluster, lsched_id node,
                                   lsched_node_info *out);
/* Reports the capacity and free amount of any kind on a node; either pointer can be NULL. */
LSCHED_API int32_t lsched_node_amount(const lsched_cluster *cluster, lsched_id node, uint32_t kind,
                                      int64_t *capacity, int64_t *free_amount);
/* Reports the free milli-GPUs of device `index`, its free memory, and its model (can be NULL). */
LSCHED_API int32_t lsched_node_device(const lsched_cluster *cluster, lsched_id node, uint32_t index,
                                      uint32_t *free_milli, int64_t *memory_free_bytes,
                                      lsched_text *model);

/* ---- queues ---- */

#define LSCHED_QUEUE_DEPTH_MAX 16

/* Jobs are submitted to leaf queues only. A kind can appear at most once in each list. */
typedef struct lsched_queue_desc {
    uint32_t size;
    int32_t priority; /* priority among siblings; the highest comes first */
    uint64_t tag;
    lsched_text name;
    lsched_id parent;           /* 0 and an empty parent_name: a root queue */
    lsched_text parent_name;    /* can name an earlier element of the batch */
    const lsched_amount *quota; /* guaranteed amount, unset: 0; resource parts are allowed */
    const lsched_amount *limit; /* unset: unlimited; resource parts are allowed */
    /* over-quota weight, 1000 = 1; unset: 1000. LSCHED_ANY_RESOURCE: all kinds */
    const lsched_amount *weight_milli;
    const lsched_amount *lend_limit; /* unset: the whole quota can be lent */
    uint32_t n_quota, n_limit, n_weight, n_lend_limit;
    uint32_t flags; /* LSCHED_QUEUE_* */
    uint32_t reserved_zero;
    /* a task that has run for less time cannot be a victim */
    int64_t reclaim_min_runtime_us, preempt_min_runtime_us;
    int64_t created_us;          /* orders queues that are equal by declared keys; 0: unknown */
    int64_t preemption_delay_us; /* a job that has waited for less time evicts nothing */
    uint32_t jobs_max;           /* jobs that hold tasks, in this queue and below; 0: any number */
    uint32_t submitted_max;      /* jobs that exist, in this queue and below; 0: any number */
    const lsched_amount *user_limit;  /* limit of each user's sub-queue: LSCHED_QUEUE_PER_USER */
    const lsched_amount *group_limit; /* limit of each group's sub-queue: LSCHED_QUEUE_PER_GROUP */
    uint32_t n_user_limit, n_group_limit;
    uint32_t user_jobs_max, user_submitted_max, group_jobs_max, group_submitted_max;
} lsched_queue_desc;
/* A job that is submitted to the queue is put into a sub-queue of its group, its user, or both
 * ("queue/@group/user"). The library makes the sub-queue when it is first needed. Users then share
 * the queue fairly, after priority. */
enum { LSCHED_QUEUE_PER_USER = 1, LSCHED_QUEUE_PER_GROUP = 2 };
LSCHED_API void lsched_queue_desc_init(lsched_queue_desc *desc, uint32_t size);
LSCHED_API int32_t lsched_queues_add(lsched_cluster *cluster, const lsched_queue_desc *queues,
                                     size_t n, size_t elem_size, lsched_id *ids, int32_t *status,
                                     lsched_error *err);
/* Replaces quota, limit, weight, lend limit, priority, minimum run times and tag, nothing else. */
LSCHED_API int32_t lsched_queues_update(lsched_cluster *cluster, const lsched_id *ids,
                                        const lsched_queue_desc *queues, size_t n, size_t elem_size,
                                        int32_t *status, lsched_error *err);
/* Removes queues. LSCHED_E_BUSY: a queue has jobs, or children outside the same batch. */
LSCHED_API int32_t lsched_queues_remove(lsched_cluster *cluster, const lsched_id *queues, size_t n,
                                        int32_t *status, lsched_error *err);

typedef struct lsched_queue_info {
    uint32_t size;
    int32_t priority;
    uint64_t tag;
    lsched_id parent;
    uint64_t jobs;         /* jobs in this queue and below */
    uint64_t jobs_pending; /* those of `jobs` that have waiting tasks */
    int64_t created_us;
    int32_t priority_now; /* priority in force, after the policy's hook `queue_order` */
    uint32_t reserved_zero;
} lsched_queue_info;
LSCHED_API int32_t lsched_queue_get(const lsched_cluster *cluster, lsched_id queue,
                                    lsched_queue_info *out);
/* Reports how much of a kind a queue and the queues below hold together, and its quota and limit.
 * Pointers can be NULL. */
LSCHED_API int32_t lsched_queue_amount(const lsched_cluster *cluster, lsched_id queue,
                                       uint32_t kind, int64_t *used, int64_t *quota,
                                       int64_t *limit);
/* What a queue is entitled to of one kind by the share algorithm of the policy; in base units. */
typedef struct lsched_queue_share {
    uint32_t size;
    uint32_t reserved_zero;
    int64_t used;      /* held by tasks of this queue and below, nominated tasks included */
    int64_t used_core; /* the portion of `used` that is held by minimums of non-preemptible jobs */
    int64_t demand;    /* `used` plus the requests of all waiting tasks */
    int64_t quota;     /* quota in force, after the policy's hook */
    int64_t guarantee; /* quota, scaled down to the parent's if the siblings' sum is more */
    /* guarantee plus a portion of the rest by weight; LSCHED_UNLIMITED: not known */
    int64_t fair_share;
    int64_t hold; /* unused quota beyond the lend limit: siblings cannot use this amount */
    /* decayed use in the usage window, in millionths of the cluster's capacity */
    int64_t decayed_ppm;
    int64_t limit; /* limit in force, after the policy's hook */
} lsched_queue_share;
LSCHED_API int32_t lsched_queue_share_get(lsched_cluster *cluster, lsched_id queue, uint32_t kind,
                                          lsched_queue_share *out, lsched_error *err);
/* Writes a line of text for each guarantee that the jobs of its queue cannot use. Returns the
 * length of the whole text, as snprintf does, or an error. buf can be NULL if cap is 0. */
LSCHED_API int64_t lsched_queue_warnings(lsched_cluster *cluster, char *buf, size_t cap,
                                         lsched_error *err);

/* ---- jobs ---- */

#define LSCHED_GROUPS_PER_JOB_MAX 64
#define LSCHED_TASKS_PER_JOB_MAX  1048576

/* A label selector: the node's label `key` must have one of `values` (n_values 0: any value). */
typedef struct lsched_selector {
    uint32_t size;
    uint32_t n_values;
    lsched_text key;
    const lsched_text *values;
} lsched_selector;

/* A step of demand over time: from `from_us` on, a task uses `amount` of `kind`. Without a
 * demand_period_us, `from_us` counts from the task's start. With a demand_period_us, `from_us` is
 * the time of day (UTC); nodes are then charged the peak of the sum of their tasks' curves, and
 * queues are charged the request. */
typedef struct lsched_demand_step {
    uint32_t size;
    uint32_t kind;
    int64_t from_us;
    int64_t amount;
} lsched_demand_step;

/* One group in the tree of a gang. Leaves hold equal tasks; an inner group holds groups. groups[0]
 * is the root; every other group names an earlier element as its parent. */
typedef struct lsched_group_desc {
    uint32_t size;
    uint32_t parent;      /* index of the parent in groups; ignored for groups[0] */
    lsched_text name;     /* name of the group; optional */
    uint32_t max_count;   /* leaf: number of tasks wanted; 0: 1 */
    uint32_t min_count;   /* leaf: tasks needed; 0: max_count. LSCHED_MIN_NONE: no minimum */
    uint32_t min_groups;  /* inner group: children needed; 0: all */
    uint32_t gpu_devices; /* devices per task; 0: by the gpu amount (a fraction: one device) */
    const lsched_amount *request; /* amounts per task */
    uint32_t n_request, n_selectors;
    const lsched_selector *selectors; /* all selectors must hold */
    const lsched_text *device_models; /* any of these models is allowed; empty: any model */
    uint32_t n_device_models, selector_elem_size;
    int64_t gpu_memory_bytes;   /* per device; 0: in proportion to the share of the GPU */
    lsched_text topology;       /* name of the topology; empty: the only one */
    lsched_text required_level; /* the whole group must be in one domain of this level */
    lsched_text preferred_level;
    const lsched_demand_step *demand;
    uint32_t n_demand, demand_elem_size;
    lsched_text spread_level; /* leaf: level of `topology` for spread_max */
    /* leaf: tasks of the group that one domain of spread_level can hold at most */
    uint32_t spread_max;
    uint32_t topology_mode;     /* LSCHED_DOMAINS_* */
    const lsched_slice *slices; /* leaf: task blocks; levels of `topology`, the widest first */
    /* replaces the gpu amount and all device fields */
    const lsched_device_request *device_requests;
    uint32_t n_slices;
    uint32_t n_device_requests; /* number of alternatives, the best first */
    uint32_t device_request_elem_size;
    uint32_t n_tolerations, n_node_terms, n_job_terms;
    const lsched_toleration *tolerations;
    const lsched_node_term *node_terms;
    const lsched_job_term *job_terms;
    int64_t demand_period_us; /* 0, or a day (86400 s); `demand` must not exceed the request */
} lsched_group_desc;
#define LSCHED_MIN_NONE UINT32_MAX

enum { LSCHED_JOB_NON_PREEMPTIBLE = 1, LSCHED_JOB_INTERACTIVE = 2, LSCHED_JOB_NEVER_PREEMPTS = 4 };

typedef struct lsched_job_desc {
    uint32_t size;
    uint32_t flags; /* LSCHED_JOB_* */
    uint64_t tag;
    lsched_text name;
    lsched_id queue; /* a leaf queue; 0: queue_name names the queue */
    lsched_text queue_name;
    const lsched_group_desc *groups;
    uint32_t n_groups;
    uint32_t group_elem_size;
    int32_t priority;
    uint32_t reserved_zero;
    int64_t submit_us;            /* orders jobs of equal priority */
    int64_t duration_us;          /* estimated run time; 0: unknown */
    int64_t deadline_us;          /* 0: none */
    int64_t restart_cost_us;      /* work that a restart costs beyond the work that is lost */
    int64_t checkpoint_period_us; /* time between checkpoints; 0: the job makes none */
    lsched_text user, user_group; /* submitter; choose the sub-queue per user and group */
    int64_t preemption_delay_us;  /* wait before the job can evict; 0: as the queue says */
    /* how long the gang can run below its minimum; 0: 60 s; < 0: for ever */
    int64_t stale_grace_us;
    int64_t disruption_window_us; /* window of the disruption budget; 0: the life of the job */
    int64_t backoff_us;           /* wait after failure n is backoff_us x 2^(n-1); 0: no wait */
    /* evictions, shrinks and moves allowed in the window; 0: any number */
    uint32_t disruptions_max;
    uint32_t retries_max;       /* failures after which the job is not tried again; 0: any number */
    int64_t time_limit_us;      /* longest run; 0: for ever. A policy can override the limit */
    const lsched_label *labels; /* labels that affinity rules of other jobs match */
    uint32_t n_labels;
    uint32_t reserved2_zero;
} lsched_job_desc;
LSCHED_API void lsched_job_desc_init(lsched_job_desc *desc, uint32_t size);
LSCHED_API void lsched_group_desc_init(lsched_group_desc *desc, uint32_t size);
LSCHED_API int32_t lsched_jobs_submit(lsched_cluster *cluster, const lsched_job_desc *jobs,
                                      size_t n, size_t elem_size, lsched_id *ids, int32_t *status,
                                      lsched_error *err);
LSCHED_API int32_t lsched_jobs_submit_opts(lsched_cluster *cluster, const lsched_job_desc *jobs,
                                           size_t n, size_t elem_size, uint32_t flags,
                                           lsched_id *ids, int32_t *status, lsched_error *err);
/* Removes jobs in any state: open decisions are withdrawn, placed tasks end. */
LSCHED_API int32_t lsched_jobs_remove(lsched_cluster *cluster, const lsched_id *jobs, size_t n,
                                      int32_t *status, lsched_error *err);
/* Sets priorities. A job that is held or in backoff is tried again at once; its failures are 0
 * again. */
LSCHED_API int32_t lsched_jobs_set_priority(lsched_cluster *cluster, const lsched_id *jobs,
                                            const int32_t *priorities, size_t n, int32_t *status,
                                            lsched_error *err);

typedef struct lsched_job_info {
    uint32_t size;
    uint32_t flags;
    uint64_t tag;
    lsched_id queue;
    int32_t priority;
    uint32_t parked;                  /* 1: the job waits until some event can help it */
    uint32_t tasks_wanted, tasks_min; /* sums over the leaf groups */
    uint32_t tasks_placed;            /* tasks that are proposed, confirmed, running or nominated */
    uint32_t tasks_running;
    uint32_t tasks_done;
    uint32_t stale_gang; /* 1: the job runs below its minimum */
    int64_t submit_us;
    int64_t duration_us;
    int64_t stale_since_us; /* since when the gang is stale; LSCHED_NEVER_US: it is not */
    int64_t time_limit_us;  /* time limit in force, after the policy; 0: none */
    int64_t due_us; /* when the time limit ends; LSCHED_NEVER_US: not running, or no limit */
    int64_t running_since_us; /* when the first task of the current run began; 0: none runs */
    uint32_t held;            /* LSCHED_HELD_*: the job is not started before its priority is set */
    uint32_t tasks_min_submitted; /* minimum as submitted; tasks_min is in force after the policy */
} lsched_job_info;
enum { LSCHED_HELD_NOT = 0, LSCHED_HELD_TIME_LIMIT = 1, LSCHED_HELD_IDLE = 2 };
LSCHED_API int32_t lsched_job_get(const lsched_cluster *cluster, lsched_id job,
                                  lsched_job_info *out);

/* ---- tasks ---- */

/* The states of a task: LSCHED_TASK_NONE, _PROPOSED ... */
enum {
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
    lsched_id decision;    /* decision that placed the task; 0: imported, or settled for good */
    uint32_t device_mask;  /* devices of the node, bit i = device i */
    uint32_t device_milli; /* share of each device; after an import of mixed models: of the first */
    int64_t start_us;
    uint32_t imported_excess; /* 1: the import exceeded the node's capacity or a limit */
    uint32_t alternative;     /* alternative of the group; devices.h says how they are numbered */
    uint64_t device_starts;   /* MIG: device i's first memory slice in bits 4i to 4i + 3 */
    uint32_t nic_mask;        /* network cards that the task holds alone */
    uint32_t numa_mask;       /* NUMA nodes to which the task is pinned; 0: none */
    uint32_t out;             /* LSCHED_OUT_*: how the task yields under memory pressure */
    uint32_t reserved_zero;
} lsched_task_info;
/* Returns 1 and the next task of a job or on a node (the other id is 0), 0 at the end. Releasing
 * tasks are included. Set *cursor to 0 before the first call. */
LSCHED_API int32_t lsched_task_next(const lsched_cluster *cluster, lsched_id job, lsched_id node,
                                    uint64_t *cursor, lsched_task_info *out);

enum {
    LSCHED_EVENT_STARTED = 1, /* the task runs; confirms a proposed decision */
    LSCHED_EVENT_ENDED = 2, /* ended well; when all tasks of a job have ended, the job is removed */
    /* stopped or lost; the task waits again. For a releasing task, ENDED and FAILED report that the
     * task is gone */
    LSCHED_EVENT_FAILED = 3
};
typedef struct lsched_task_event {
    uint32_t size;
    uint32_t event;
    lsched_id job;
    uint32_t task_index;
    uint32_t reserved_zero;
    int64_t at_us; /* 0: the latest time seen; at most LSCHED_REPORT_AHEAD_US ahead */
} lsched_task_event;
LSCHED_API int32_t lsched_tasks_report(lsched_cluster *cluster, const lsched_task_event *events,
                                       size_t n, size_t elem_size, int32_t *status,
                                       lsched_error *err);

/* A task that runs already, with its place. The task can exceed capacity and limits: it is then
 * marked (imported_excess), never refused. */
typedef struct lsched_task_import {
    uint32_t size;
    uint32_t task_index;
    lsched_id job; /* id, or 0 and job_name */
    lsched_text job_name;
    lsched_id node; /* id, or 0 and node_name */
    lsched_text node_name;
    uint32_t device_mask; /* 0: the library picks the devices */
    uint32_t state;       /* 0: runs. LSCHED_TASK_RELEASING: the task was asked to stop before */
    int64_t start_us;
    /* RELEASING: when the task should be gone; 0: soon. A time long past is not relied on */
    int64_t release_us;
    uint64_t device_starts; /* MIG, with device_mask: as in lsched_task_info */
    uint32_t nic_mask, numa_mask;
    uint32_t alternative;
    uint32_t reserved_zero;
} lsched_task_import;
LSCHED_API int32_t lsched_tasks_import(lsched_cluster *cluster, const lsched_task_import *tasks,
                                       size_t n, size_t elem_size, int32_t *status,
                                       lsched_error *err);

/* A usage sample of a task. The cluster keeps the latest value and its time per task and kind. */
typedef struct lsched_usage_sample {
    uint32_t size;
    uint32_t task_index;
    lsched_id job;
    uint32_t kind;
    uint32_t reserved_zero;
    int64_t amount;
    int64_t at_us;
} lsched_usage_sample;
LSCHED_API int32_t lsched_usage_report(lsched_cluster *cluster, const lsched_usage_sample *samples,
                                       size_t n, size_t elem_size, int32_t *status,
                                       lsched_error *err);

/* The expected mix of tasks, an input of strategies that look ahead (fgd, least-fragmentation). The
 * call replaces the old mix; n = 0 clears it. Only the ratios of the counts matter. */
typedef struct lsched_mix_entry {
    uint32_t size;
    uint32_t reserved_zero;
    const lsched_group_desc *task; /* only request, devices, models and selectors are read */
    int64_t count;                 /* > 0 */
} lsched_mix_entry;
LSCHED_API int32_t lsched_task_mix_set(lsched_cluster *cluster, const lsched_mix_entry *mix,
                                       size_t n, size_t elem_size, lsched_error *err);

/* ---- schedule and plans ---- */

typedef struct lsched_schedule_opts {
    uint32_t size;
    uint32_t flags; /* LSCHED_SCHEDULE_* */
    int64_t now_us; /* must not decrease (LSCHED_E_TIME) */
    /* in work units: job tried, task placed, entry read by a search; 0: no bound */
    uint64_t work_budget;
    /* new decisions, without nominations that become places; 0: as many as can be open */
    uint32_t decisions_max;
    uint32_t moves_max; /* tasks that consolidation may move to empty whole nodes; 0: none */
    int64_t release_us; /* time that an evicted task takes to stop; 0: the policy's, else 30 s */
    uint32_t hooks_off; /* LSCHED_HOOK_* that this cycle treats as failed; see lsched_plan_info */
    uint32_t reserved_zero;
} lsched_schedule_opts;
enum {
    /* verify the plan; if it is wrong: LSCHED_E_VERIFY, nothing applied */
    LSCHED_SCHEDULE_VERIFY = 1,
    /* report wait reasons of all waiting jobs, not only of the jobs tried in this cycle */
    LSCHED_SCHEDULE_ALL_WAITING = 2
};
LSCHED_API void lsched_schedule_opts_init(lsched_schedule_opts *opts, uint32_t size);

/* Runs one cycle. The caller frees *plan: lsched_plan_destroy(), also after the cluster's end. */
LSCHED_API int32_t lsched_schedule(lsched_cluster *cluster, const lsched_schedule_opts *opts,
                                   lsched_plan **plan, lsched_error *err);
LSCHED_API void lsched_plan_destroy(lsched_plan *plan); /* NULL is allowed */

/* The kinds of decisions: LSCHED_PLACE, LSCHED_NOMINATE ... */
enum {
#define LSCHED_X_DECISION(name, value, word) LSCHED_##name = value,
#include <libsched/codes.def>
};

/* One decision about one task. */
typedef struct lsched_decision {
    uint32_t size;
    uint32_t kind; /* LSCHED_PLACE ... */
    lsched_id id;
    lsched_id job;
    uint64_t job_tag;
    uint32_t task_index;
    uint32_t group_index;
    lsched_id node;
    uint64_t node_tag;
    uint32_t device_mask;
    uint32_t device_milli;       /* share of each device in the mask; equal for all of them */
    int64_t device_memory_bytes; /* memory of the first of these devices */
    /* number of the decision group: its decisions are settled or withdrawn together; never 0 */
    uint64_t group;
    /* expected time of effect; evict: the task is gone; nominate: the room is free */
    int64_t at_us;
    uint32_t reason; /* evict, migrate: LSCHED_FOR_* */
    uint32_t reserved_zero;
    lsched_id for_job;      /* evict, migrate: job that gets the room; 0: no particular job */
    lsched_id to_node;      /* migrate: the new node */
    int64_t cost;           /* evict, migrate: cost of stopping the task, as the policy counts */
    uint64_t device_starts; /* place, nominate: as in lsched_task_info */
    uint32_t nic_mask, numa_mask;
    uint32_t alternative;
    uint32_t recut_mask; /* place: devices on which the orchestrator must create the MIG instance */
} lsched_decision;
/* Why a decision stops a task: LSCHED_FOR_NONE, _RECLAIM ... */
enum {
#define LSCHED_X_FOR(name, value, word) LSCHED_FOR_##name = value,
#include <libsched/codes.def>
};

/* Why the jobs of one queue and one shape wait: a fixed record with a code and numbers. */
typedef struct lsched_waiting {
    uint32_t size;
    uint32_t code; /* LSCHED_WAIT_* */
    lsched_id queue;
    lsched_id job;             /* the first of these jobs */
    uint64_t jobs;             /* number of jobs that wait for this reason */
    uint32_t kind, task_group; /* resource kind and group to which the code refers */
    int64_t need;              /* amount needed on one node, or by the queue */
    int64_t have;              /* largest free amount of a node, or what the limit leaves */
    uint64_t nodes_able;       /* nodes that could hold one task if they were empty */
    uint64_t nodes_free;       /* those of nodes_able that have room now */
    int64_t until_us;          /* known time of change; LSCHED_NEVER_US if none */
    lsched_id limiting_queue;  /* queue whose limit is reached */
    uint32_t evict_code;       /* LSCHED_EVICT_*: why evictions did not help */
    uint32_t evict_kind;       /* resource kind to which evict_code refers */
    lsched_id evict_queue; /* queue whose fair share or guarantee prevents the eviction; 0: none */
    int64_t evict_need, evict_have; /* of evict_kind: needed; left by the share or guarantees */
    lsched_id plan_node, plan_job; /* PLANNED: planned node, job whose end is awaited; 0: unknown */
    /* near_node: the node that lacks least, from lsched_explain; or the node whose refusal is the
     * reason, in plans, too. starts_job: the job whose end allows the start at starts_us. 0: none */
    lsched_id near_node, starts_job;
    int64_t starts_us; /* from lsched_explain: possible start; LSCHED_NEVER_US: unknown */
} lsched_waiting;
/* Why evictions did not help: LSCHED_EVICT_NOT_TRIED, _NEVER ... */
enum {
#define LSCHED_X_EVICT(name, value, word) LSCHED_EVICT_##name = value,
#include <libsched/codes.def>
};

/* Why a job waits: LSCHED_WAIT_NONE, _ROOM ... */
enum {
#define LSCHED_X_WAIT(name, value, word) LSCHED_WAIT_##name = value,
#include <libsched/codes.def>
};

typedef struct lsched_plan_info {
    uint32_t size;
    uint32_t flags; /* LSCHED_PLAN_* */
    uint64_t decisions;
    uint64_t waiting; /* number of records */
    uint64_t work_spent;
    uint64_t policy_instructions;
    uint64_t policy_hash;
    uint64_t plan_hash; /* hash over names, not ids */
    int64_t now_us;
    int64_t next_wake_us;
    uint32_t semantics;
    int32_t policy_error; /* LSCHED_OK, or why a hook used its fallback in this cycle */
    uint64_t jobs_tried;
    uint64_t nodes_scored;
    uint64_t evictions, moves; /* number of evict and of migrate decisions */
    uint64_t searches_proven;  /* victim searches that proved that no eviction helps */
    uint64_t searches_cut;     /* victim searches that ended because their budget was spent */
    uint32_t hooks_off; /* LSCHED_HOOK_* that used their fallback; input of a repeated cycle */
    uint32_t reserved_zero;
    uint64_t steps; /* nodes, tasks and list entries that were read; caches lower this number */
} lsched_plan_info;
enum {
    LSCHED_PLAN_PARTIAL = 1,     /* budget or bound spent: call lsched_schedule again */
    LSCHED_PLAN_INTERRUPTED = 2, /* ended by lsched_interrupt: not deterministic */
    LSCHED_PLAN_POLICY_FAILED = 4,
    LSCHED_PLAN_POLICY_EJECTED = 8,
    LSCHED_PLAN_VERIFIED = 16,
    LSCHED_PLAN_POLICY_NOT_DETERMINISTIC = 32 /* memory or lsched_interrupt stopped a hook */
};

/* Read access to a plan. Pointers are valid until the plan is destroyed. */
LSCHED_API size_t lsched_plan_size(const lsched_plan *plan);
/* Returns decision i, NULL past the end. */
LSCHED_API const lsched_decision *lsched_plan_decision(const lsched_plan *plan, size_t i);
/* Returns all decisions as one strided array. */
LSCHED_API const lsched_decision *lsched_plan_decisions(const lsched_plan *plan, size_t *n,
                                                        size_t *elem_size);
LSCHED_API size_t lsched_plan_waiting_size(const lsched_plan *plan);
LSCHED_API const lsched_waiting *lsched_plan_waiting(const lsched_plan *plan, size_t i);
LSCHED_API int32_t lsched_plan_info_get(const lsched_plan *plan, lsched_plan_info *out);
/* Returns decisions of earlier cycles that this cycle withdrew: nominations that expired or whose
 * room was taken, and evictions that are no longer needed (their tasks run on). */
LSCHED_API const lsched_id *lsched_plan_withdrawn(const lsched_plan *plan, size_t *n);
/* Returns the message of the policy failure in this cycle, "" if there was none. */
LSCHED_API const char *lsched_plan_policy_error(const lsched_plan *plan);

/* Returns when to call lsched_schedule again if no event comes first; LSCHED_NEVER_US: only after
 * an event. A time up to now means at once: work is left, or room or entitlement has come free. */
LSCHED_API int64_t lsched_next_wake(const lsched_cluster *cluster);

/* ---- settling decisions ---- */

typedef int32_t lsched_outcome;
enum {
    LSCHED_CONFIRMED = 1, /* the orchestrator will carry the decision out */
    LSCHED_REJECTED = 2   /* the task waits again; tasks of its shape avoid the node for a time */
};
typedef struct lsched_settle_report {
    uint32_t size;
    uint32_t reserved_zero;
    int32_t *status;      /* NULL or n entries */
    lsched_id *withdrawn; /* NULL or an array for withdrawn_capacity ids */
    uint64_t withdrawn_capacity;
    uint64_t n_withdrawn;       /* number of withdrawn decisions, also beyond the capacity */
    const lsched_text *reasons; /* input: NULL or n words of at most 64 bytes that say why */
} lsched_settle_report;
LSCHED_API int32_t lsched_settle(lsched_cluster *cluster, const lsched_id *decisions,
                                 const lsched_outcome *outcomes, size_t n,
                                 lsched_settle_report *report, lsched_error *err);

enum { LSCHED_DECISION_PROPOSED = 1, LSCHED_DECISION_CONFIRMED = 2 };
/* Returns the state of an open decision, LSCHED_E_STALE for a settled one. */
LSCHED_API int32_t lsched_decision_state(const lsched_cluster *cluster, lsched_id decision);

/* ---- words of codes ---- */

/* Return the word of a code as it appears in tables, JSON and scenarios ("place", "reclaim",
 * "running", "never-fits", "min-runtime"), "unknown" for a number that this version does not know.
 * Static storage. <libsched/codes.def> lists all codes and their meanings. */
LSCHED_API const char *lsched_decision_kind_name(uint32_t kind); /* LSCHED_PLACE ... */
LSCHED_API const char *lsched_reason_name(uint32_t reason);      /* LSCHED_FOR_* */
LSCHED_API const char *lsched_task_state_name(uint32_t state);   /* LSCHED_TASK_* */
LSCHED_API const char *lsched_wait_name(uint32_t code);          /* LSCHED_WAIT_* */
LSCHED_API const char *lsched_evict_name(uint32_t code); /* LSCHED_EVICT_* of a waiting job */

/* ---- explain and verify ---- */

/* Explains as text for people why a job waits or where it runs, from the live state. Returns the
 * length of the whole text (as snprintf does), or an error. buf can be NULL if cap is 0. `record`
 * can be NULL. */
LSCHED_API int64_t lsched_explain(lsched_cluster *cluster, lsched_id job, char *buf, size_t cap,
                                  lsched_waiting *record, lsched_error *err);
/* Writes one line of text for a wait record of a plan; the cluster must still exist. The return
 * value has the same meaning as that of lsched_explain. */
LSCHED_API int64_t lsched_waiting_text(const lsched_cluster *cluster, const lsched_waiting *record,
                                       char *buf, size_t cap);
/* Recomputes whether the state obeys every rule; with a plan, also whether the plan does. */
LSCHED_API int32_t lsched_verify(const lsched_cluster *cluster, const lsched_plan *plan,
                                 lsched_error *err);

/* The *_INIT macros, and the headers of separate topics. */
#include <libsched/init.h>
#include <libsched/clock.h>
#include <libsched/pack.h>
#include <libsched/policies.h>

#ifdef __cplusplus
}
#endif
#endif
