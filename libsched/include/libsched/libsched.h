/*
 * libsched.h -- decide who runs where, when and at whose cost, on clusters of GPUs and CPUs.
 *
 * A host tells a cluster what exists (nodes, queues, jobs, time), asks for a plan, carries the plan
 * out and settles its decisions. The library runs nothing, reads no clock, file or environment, has no
 * global state and starts no thread.
 *
 * Rules that hold for every call
 *   errors     0 or a positive count is success; a negative LSCHED_E_* is an error. `err`, where it is a
 *              parameter, is owned by the caller and may be NULL. A call applies whole or changes nothing,
 *              also when memory runs out.
 *   structs    begin with `uint32_t size`. Set them up with their *_INIT macro (at the end of this
 *              file) or lsched_*_init() (for bindings); or zero them and set `size`. 0 is always
 *              "default". Fields that a smaller size leaves out take their default; of a larger one
 *              the unknown tail must be zero, else LSCHED_E_SIZE. Output structs are written up to
 *              `size`. Fields named reserved*_zero must be 0, else LSCHED_E_INVAL. lsched_text,
 *              lsched_amount, lsched_label and lsched_param are frozen and carry no size.
 *   batches    (pointer, n, elem_size): elem_size is sizeof the element in the caller's headers; 0
 *              means the `size` of the first. A batch is atomic: one bad element and nothing is
 *              applied; `status` (NULL or n entries) then holds a code per element. With
 *              LSCHED_BATCH_PARTIAL the good ones are applied. Elements may name earlier ones.
 *   memory     every byte comes from the cluster's allocator. What goes in is copied; what comes out
 *              is owned as stated at each function.
 *   threads    one thread at a time per handle; different handles are independent. A plan is immutable
 *              and may be read from any thread. lsched_interrupt() may be called from any thread.
 *   callbacks  may not call back into the same cluster (LSCHED_E_BUSY) and may not unwind.
 *   order      the order of nodes, queues or jobs in a batch carries no meaning: ties are broken by
 *              declared keys, then submission time, then the bytes of names.
 *   units      cpu milli-cores, memory bytes, gpu milli-GPUs, time microseconds since 1970 UTC, money
 *              micro-units. All signed 64-bit; a total past 2^62 is LSCHED_E_RANGE.
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
    uint32_t incarnation;              /* of the ids, at most LSCHED_INCARNATION_MAX: types.h */
    const lsched_allocator *allocator; /* NULL: malloc. Copied; `user` outlives it and its plans */
    uint64_t memory_limit_bytes;       /* 0: none */
    uint32_t open_decisions_max;       /* 0: LSCHED_OPEN_DECISIONS_DEFAULT */
    uint32_t verify_every_plan;        /* 1: run the verifier on every plan (tests, debug builds) */
} lsched_cluster_opts;
#define LSCHED_OPEN_DECISIONS_DEFAULT 1048576u

LSCHED_API void lsched_cluster_opts_init(lsched_cluster_opts *opts, uint32_t size);

/* opts may be NULL. On success *out is owned by the caller: lsched_cluster_destroy(). */
LSCHED_API int32_t lsched_cluster_create(const lsched_cluster_opts *opts, lsched_cluster **out,
                                         lsched_error *err);
LSCHED_API void lsched_cluster_destroy(lsched_cluster *cluster); /* NULL is allowed */

/* Copy the whole state, open decisions and ids included; never callbacks. *inout NULL: a new cluster with the
 * same allocator. *inout a cluster made by clone or create: its memory is reused, its old state is gone. On
 * error *inout is unchanged. The policy text is shared, the policy is loaded anew. */
LSCHED_API int32_t lsched_cluster_clone(const lsched_cluster *cluster, lsched_cluster **inout,
                                        lsched_error *err);

/* Save the state as bytes; write is called in order, a non-zero return ends the save with LSCHED_E_STATE. */
typedef int32_t (*lsched_write_fn)(void *user, const void *bytes, size_t n);
LSCHED_API int32_t lsched_cluster_save(const lsched_cluster *cluster, lsched_write_fn write,
                                       void *user, lsched_error *err);
/* Make a cluster from saved bytes, all of which are checked. After a crash: opts->incarnation. */
LSCHED_API int32_t lsched_cluster_load(const lsched_cluster_opts *opts, const void *bytes, size_t n,
                                       lsched_cluster **out, lsched_error *err);

enum {
    LSCHED_HASH_IMAGE = 0, /* over columns by slots: equal iff the same calls were made */
    LSCHED_HASH_MEANING =
        1 /* over names and values: equal for equal meaning, whatever the order of arrival */
};
LSCHED_API int32_t lsched_cluster_hash(const lsched_cluster *cluster, uint32_t which,
                                       uint64_t *out);

typedef struct lsched_cluster_stats {
    uint32_t size;
    uint32_t incarnation;               /* of the ids that are issued now */
    uint64_t nodes, queues, jobs;       /* that exist */
    uint64_t jobs_pending, jobs_parked; /* with tasks that wait; of these, parked */
    uint64_t tasks_placed;              /* proposed, confirmed, running, nominated */
    uint64_t decisions_open;
    int64_t oldest_open_decision_us; /* when it was proposed; LSCHED_NEVER_US if none is open */
    uint64_t memory_bytes, memory_peak_bytes, allocations; /* by the library's own count */
    int64_t now_us;                                        /* latest time seen */
} lsched_cluster_stats;
LSCHED_API int32_t lsched_cluster_stats_get(const lsched_cluster *cluster,
                                            lsched_cluster_stats *out);

/* The call in progress ends soon with what it has (flag LSCHED_PLAN_INTERRUPTED). Any thread; sticky until the
 * next call of lsched_schedule has seen it. */
LSCHED_API void lsched_interrupt(lsched_cluster *cluster);

LSCHED_API const char *lsched_version(void); /* "0.1.0" */
LSCHED_API uint32_t lsched_semantics(void);

/* ---- names ---- */

/* The id of the object of that kind and name, 0 if there is none. */
LSCHED_API lsched_id lsched_find(const lsched_cluster *cluster, uint32_t kind, const char *name,
                                 size_t len);
/* The name of a live object, NULL for a stale id. Not NUL-terminated; valid until the next call that changes the
 * cluster. */
LSCHED_API const char *lsched_name(const lsched_cluster *cluster, lsched_id id, size_t *len);
/* Call with *cursor = 0 first; returns 0 after the last. Order is that of slots and carries no meaning. */
LSCHED_API lsched_id lsched_next(const lsched_cluster *cluster, uint32_t kind, uint64_t *cursor);

/* ---- resource kinds and topology ---- */

#define LSCHED_RESOURCE_KINDS_MAX 16
/* cpu, memory and gpu exist. Others (licences, NICs ...) are counted per node in their own units. Returns the
 * kind's number, also when it exists already; LSCHED_E_LIMIT past LSCHED_RESOURCE_KINDS_MAX. */
LSCHED_API int32_t lsched_resource_add(lsched_cluster *cluster, const char *name, size_t len,
                                       lsched_error *err);
/* A kind that is counted in milli-GPU on devices of one model: what a queue uses of it follows from the devices that its tasks
 * hold. Only the quotas and limits of queues know such kinds; no node has a capacity of one and no task asks for one. Returns the
 * kind's number, LSCHED_RESOURCE_KINDS_MAX or above, also when it exists already with this model; LSCHED_E_EXISTS if the name
 * means something else, LSCHED_E_LIMIT past LSCHED_RESOURCE_MODELS_MAX. */
#define LSCHED_RESOURCE_MODELS_MAX 112
LSCHED_API int32_t lsched_resource_add_model(lsched_cluster *cluster, const char *name, size_t len,
                                             const char *model, size_t model_len,
                                             lsched_error *err);
LSCHED_API int32_t lsched_resource_find(const lsched_cluster *cluster, const char *name,
                                        size_t len);
/* NULL if there is no such kind. NUL-terminated; valid until the next call that changes the cluster. */
LSCHED_API const char *lsched_resource_name(const lsched_cluster *cluster, uint32_t kind);

/* A tree of places: levels are label keys from widest to narrowest ("zone", "rack"). A node belongs to the domain
 * that its labels name; a node without one of the labels is outside the tree. */
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

/* CORDONED takes no new work; of a node that is DRAINING what runs there is moved away or evicted too. */
enum { LSCHED_NODE_READY = 0, LSCHED_NODE_CORDONED = 1, LSCHED_NODE_DRAINING = 2 };

typedef struct lsched_node_desc {
    uint32_t size;
    uint32_t state; /* LSCHED_NODE_* */
    uint64_t tag;   /* the host's; returned, never read */
    lsched_text name;
    const lsched_amount *capacity; /* gpu is not given here: it is 1000 per device */
    uint32_t n_capacity;
    uint32_t n_labels;
    const lsched_label *labels;
    const lsched_device_desc *devices;
    uint32_t n_devices; /* elements of devices, not their counts */
    uint32_t device_elem_size;
    int64_t price_micro_per_hour;
    int64_t power_milliwatt;
    const lsched_machine_desc *machine; /* what is inside; NULL: nothing is known */
    const lsched_taint *taints;
    uint32_t n_taints;
    uint32_t tasks_max; /* that hold something at one time; 0: any number */
} lsched_node_desc;

enum { LSCHED_BATCH_PARTIAL = 1 }; /* flag of the batch calls that end in _opts */

LSCHED_API void lsched_node_desc_init(lsched_node_desc *desc, uint32_t size);
/* ids: NULL or n entries. Returns n, or the number applied under LSCHED_BATCH_PARTIAL. */
LSCHED_API int32_t lsched_nodes_add(lsched_cluster *cluster, const lsched_node_desc *nodes,
                                    size_t n, size_t elem_size, lsched_id *ids, int32_t *status,
                                    lsched_error *err);
LSCHED_API int32_t lsched_nodes_add_opts(lsched_cluster *cluster, const lsched_node_desc *nodes,
                                         size_t n, size_t elem_size, uint32_t flags, lsched_id *ids,
                                         int32_t *status, lsched_error *err);

/* Set the state or the capacity of nodes. Capacity may shrink below what runs there: free goes negative and the node
 * takes nothing new. It may not shrink below what its NUMA nodes have (LSCHED_E_RANGE). */
typedef struct lsched_node_update {
    uint32_t size;
    uint32_t set;   /* LSCHED_NODE_SET_* */
    lsched_id node; /* or by name */
    lsched_text name;
    uint32_t state;
    uint32_t n_capacity;
    const lsched_amount *capacity; /* only the kinds named change; gpu: not allowed */
    uint64_t tag;
    int64_t price_micro_per_hour;
    const lsched_label *
        labels; /* all labels anew; LSCHED_E_BUSY if it would move in a tree while tasks are on it */
    const lsched_taint *taints; /* all taints anew */
    uint32_t n_labels, n_taints;
    uint32_t tasks_max;
    uint32_t mig_device; /* number of the device that was recut by other hands ... */
    const lsched_mig_instance *mig_instances; /* ... and all on it now; E_BUSY if a task's is not */
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
/* The nodes are gone: their tasks are lost, their open decisions settle as lost. */
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
/* Capacity and free amount of any kind; either pointer may be NULL. */
LSCHED_API int32_t lsched_node_amount(const lsched_cluster *cluster, lsched_id node, uint32_t kind,
                                      int64_t *capacity, int64_t *free_amount);
/* Free share of device `index`, in milli-GPU, its free memory, and its model (may be NULL). */
LSCHED_API int32_t lsched_node_device(const lsched_cluster *cluster, lsched_id node, uint32_t index,
                                      uint32_t *free_milli, int64_t *memory_free_bytes,
                                      lsched_text *model);

/* ---- queues ---- */

#define LSCHED_QUEUE_DEPTH_MAX 16

/* Jobs are submitted to leaf queues only. In the lists a kind appears at most once. */
typedef struct lsched_queue_desc {
    uint32_t size;
    int32_t priority; /* among siblings; higher goes first */
    uint64_t tag;
    lsched_text name;
    lsched_id parent;           /* 0 and no parent_name: a root queue */
    lsched_text parent_name;    /* may name an earlier element of the batch */
    const lsched_amount *quota; /* guaranteed; unset 0; also of parts of a kind */
    const lsched_amount *limit; /* unset: unlimited; also of parts of a kind */
    const lsched_amount
        *weight_milli; /* over-quota weight, 1000 = 1; LSCHED_ANY_RESOURCE sets all; unset 1000 */
    const lsched_amount *lend_limit; /* unset: all */
    uint32_t n_quota, n_limit, n_weight, n_lend_limit;
    uint32_t flags; /* LSCHED_QUEUE_* */
    uint32_t reserved_zero;
    int64_t reclaim_min_runtime_us,
        preempt_min_runtime_us;       /* work that runs for less is no victim */
    int64_t created_us;               /* orders queues after declared keys; 0: none */
    int64_t preemption_delay_us;      /* a job that waits for less evicts nobody */
    uint32_t jobs_max;                /* jobs that hold tasks, here and below; 0: any number */
    uint32_t submitted_max;           /* jobs that exist, here and below; 0: any number */
    const lsched_amount *user_limit;  /* of each user's sub-queue: LSCHED_QUEUE_PER_USER */
    const lsched_amount *group_limit; /* of each group's sub-queue: LSCHED_QUEUE_PER_GROUP */
    uint32_t n_user_limit, n_group_limit;
    uint32_t user_jobs_max, user_submitted_max, group_jobs_max, group_submitted_max;
} lsched_queue_desc;
/* Jobs that are submitted to the queue go to a sub-queue of their group, their user, or both, "queue/@group/user", made when it is
 * first needed: users then share the queue fairly, after priority. */
enum { LSCHED_QUEUE_PER_USER = 1, LSCHED_QUEUE_PER_GROUP = 2 };
LSCHED_API void lsched_queue_desc_init(lsched_queue_desc *desc, uint32_t size);
LSCHED_API int32_t lsched_queues_add(lsched_cluster *cluster, const lsched_queue_desc *queues,
                                     size_t n, size_t elem_size, lsched_id *ids, int32_t *status,
                                     lsched_error *err);
/* Replace quota, limit, weight, lend limit, priority, minimum run times and tag; parent and name stay. */
LSCHED_API int32_t lsched_queues_update(lsched_cluster *cluster, const lsched_id *ids,
                                        const lsched_queue_desc *queues, size_t n, size_t elem_size,
                                        int32_t *status, lsched_error *err);
/* LSCHED_E_BUSY while a queue has jobs, or children that are not removed by the same batch. */
LSCHED_API int32_t lsched_queues_remove(lsched_cluster *cluster, const lsched_id *queues, size_t n,
                                        int32_t *status, lsched_error *err);

typedef struct lsched_queue_info {
    uint32_t size;
    int32_t priority;
    uint64_t tag;
    lsched_id parent;
    uint64_t jobs;         /* in this queue or below */
    uint64_t jobs_pending; /* of these, with tasks that wait */
    int64_t created_us;
    int32_t priority_now; /* in force: after the policy's hook `queue_order` */
    uint32_t reserved_zero;
} lsched_queue_info;
LSCHED_API int32_t lsched_queue_get(const lsched_cluster *cluster, lsched_id queue,
                                    lsched_queue_info *out);
/* What a queue and those below hold of a kind, its quota and its limit. Pointers may be NULL. */
LSCHED_API int32_t lsched_queue_amount(const lsched_cluster *cluster, lsched_id queue,
                                       uint32_t kind, int64_t *used, int64_t *quota,
                                       int64_t *limit);
/* What a queue has a right to, of one kind, by the policy's fair share. All in base units. */
typedef struct lsched_queue_share {
    uint32_t size;
    uint32_t reserved_zero;
    int64_t used;        /* held by its tasks and those below, nominated ones included */
    int64_t used_core;   /* of these, by the minimums of non-preemptible jobs */
    int64_t demand;      /* used, and all that its waiting tasks ask for */
    int64_t quota;       /* in force: after the policy's hook */
    int64_t guarantee;   /* the quota, scaled to the parent's where the children's sum is more */
    int64_t fair_share;  /* guarantee, then the rest by weight; LSCHED_UNLIMITED: not known */
    int64_t hold;        /* unused quota that siblings may not see: beyond the lend limit */
    int64_t decayed_ppm; /* decayed use in millionths of the cluster's, over the usage window */
    int64_t limit;       /* in force: after the policy's hook */
} lsched_queue_share;
LSCHED_API int32_t lsched_queue_share_get(lsched_cluster *cluster, lsched_id queue, uint32_t kind,
                                          lsched_queue_share *out, lsched_error *err);
/* Guarantees that the jobs of their queues cannot use: a line of text for each. Returns the length
 * of the whole text, as snprintf does, or an error. buf may be NULL if cap is 0. */
LSCHED_API int64_t lsched_queue_warnings(lsched_cluster *cluster, char *buf, size_t cap,
                                         lsched_error *err);

/* ---- jobs ---- */

#define LSCHED_GROUPS_PER_JOB_MAX 64
#define LSCHED_TASKS_PER_JOB_MAX  1048576

/* A label selector: the node's label `key` must be one of `values` (n_values > 0), or merely exist (0). */
typedef struct lsched_selector {
    uint32_t size;
    uint32_t n_values;
    lsched_text key;
    const lsched_text *values;
} lsched_selector;

/* A step of demand over time: from then on a task uses `amount` of `kind`. `from_us` counts from its start; or it is the time of the day,
 * UTC (demand_period_us): then nodes are charged the highest point of the sum of their tasks' curves, and queues the request. */
typedef struct lsched_demand_step {
    uint32_t size;
    uint32_t kind;
    int64_t from_us;
    int64_t amount;
} lsched_demand_step;

/* A node of the gang tree. Leaves hold equal tasks; an inner group holds groups. groups[0] is the root;
 * every other group names an earlier element as its parent. */
typedef struct lsched_group_desc {
    uint32_t size;
    uint32_t parent;      /* index into groups; ignored for groups[0] */
    lsched_text name;     /* optional */
    uint32_t max_count;   /* leaf: tasks wanted, 0 = 1 */
    uint32_t min_count;   /* leaf: members needed, 0 = max_count. LSCHED_MIN_NONE: no minimum */
    uint32_t min_groups;  /* inner: children needed, 0 = all */
    uint32_t gpu_devices; /* devices per task; 0: as the gpu amount says (fraction: one device) */
    const lsched_amount *request; /* per task */
    uint32_t n_request, n_selectors;
    const lsched_selector *selectors; /* all must hold */
    const lsched_text *device_models; /* any of these; none given: any model */
    uint32_t n_device_models, selector_elem_size;
    int64_t gpu_memory_bytes;   /* per device; 0: in proportion to the gpu share */
    lsched_text topology;       /* name of the tree; empty: the only one */
    lsched_text required_level; /* the whole group in one domain of this level */
    lsched_text preferred_level;
    const lsched_demand_step *demand;
    uint32_t n_demand, demand_elem_size;
    lsched_text spread_level; /* leaf: a level of `topology` ... */
    uint32_t spread_max;      /* ... of which one domain holds at most so many tasks of the group */
    uint32_t topology_mode;   /* LSCHED_DOMAINS_* */
    const lsched_slice *slices; /* leaf: levels of `topology`, the widest first */
    const lsched_device_request
        *device_requests; /* instead of gpu and what speaks of devices above */
    uint32_t n_slices;
    uint32_t n_device_requests; /* alternatives, the best first */
    uint32_t device_request_elem_size;
    uint32_t n_tolerations, n_node_terms, n_job_terms;
    const lsched_toleration *tolerations;
    const lsched_node_term *node_terms;
    const lsched_job_term *job_terms;
    int64_t demand_period_us; /* 0, or a day (86400 s). `demand` is at most the request */
} lsched_group_desc;
#define LSCHED_MIN_NONE UINT32_MAX

enum { LSCHED_JOB_NON_PREEMPTIBLE = 1, LSCHED_JOB_INTERACTIVE = 2, LSCHED_JOB_NEVER_PREEMPTS = 4 };

typedef struct lsched_job_desc {
    uint32_t size;
    uint32_t flags; /* LSCHED_JOB_* */
    uint64_t tag;
    lsched_text name;
    lsched_id queue; /* a leaf queue, or by name */
    lsched_text queue_name;
    const lsched_group_desc *groups;
    uint32_t n_groups;
    uint32_t group_elem_size;
    int32_t priority;
    uint32_t reserved_zero;
    int64_t submit_us;            /* orders jobs of equal priority */
    int64_t duration_us;          /* estimate; 0: unknown */
    int64_t deadline_us;          /* 0: none */
    int64_t restart_cost_us;      /* work a restart costs beyond what is lost */
    int64_t checkpoint_period_us; /* 0: never checkpoints */
    lsched_text user, user_group; /* who submitted it: queues per user and group */
    int64_t preemption_delay_us;  /* waits so long before it evicts others; 0: the queue's */
    int64_t stale_grace_us; /* may run below its minimum for so long; 0: 60 s; negative: for ever */
    int64_t disruption_window_us; /* evicted, shrunk or moved at most ... */
    int64_t backoff_us;           /* after the n-th failure it waits so long x 2^(n-1); 0: not */
    uint32_t disruptions_max;     /* ... so often in the window (0: in its life); 0: any number */
    uint32_t retries_max;         /* failures after which it is not tried again; 0: any number */
    int64_t time_limit_us;      /* may run for so long; 0: for ever. The policy may say otherwise */
    const lsched_label *labels; /* labels that affinity terms of other jobs match */
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
/* Take jobs out, whatever their state: open decisions are withdrawn, placed tasks end. */
LSCHED_API int32_t lsched_jobs_remove(lsched_cluster *cluster, const lsched_id *jobs, size_t n,
                                      int32_t *status, lsched_error *err);
/* Set priorities. A job that waits out failures, or is held, is tried again at once, and the count of failures begins anew. */
LSCHED_API int32_t lsched_jobs_set_priority(lsched_cluster *cluster, const lsched_id *jobs,
                                            const int32_t *priorities, size_t n, int32_t *status,
                                            lsched_error *err);

typedef struct lsched_job_info {
    uint32_t size;
    uint32_t flags;
    uint64_t tag;
    lsched_id queue;
    int32_t priority;
    uint32_t parked;                  /* 1: waits for something to change */
    uint32_t tasks_wanted, tasks_min; /* sums over the leaves */
    uint32_t tasks_placed;            /* proposed, confirmed, running, nominated */
    uint32_t tasks_running;
    uint32_t tasks_done;
    uint32_t stale_gang; /* 1: runs below its minimum */
    int64_t submit_us;
    int64_t duration_us;
    int64_t stale_since_us; /* LSCHED_NEVER_US when not stale */
    int64_t time_limit_us;  /* in force: as submitted, or what the policy says; 0: none */
    int64_t due_us; /* when that is over; LSCHED_NEVER_US: it does not run, or has no limit */
    int64_t running_since_us;     /* of the first of its tasks since it last began; 0: none runs */
    uint32_t held;                /* LSCHED_HELD_*: it does not start before its priority is set */
    uint32_t tasks_min_submitted; /* tasks_min is in force; a policy may have changed it */
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
    uint32_t group_index; /* of the leaf in the job's groups */
    lsched_id node;
    lsched_id decision;    /* that placed it, 0 if imported or settled for good */
    uint32_t device_mask;  /* devices of the node, bit i = device i */
    uint32_t device_milli; /* share of each; of an import, which may mix models: of the first */
    int64_t start_us;
    uint32_t imported_excess; /* 1: imported beyond what the node or a limit allowed */
    uint32_t alternative;     /* of its group: devices.h says how they are numbered */
    uint64_t device_starts;   /* MIG: device i's first memory slice in bits 4i to 4i + 3 */
    uint32_t nic_mask;        /* network cards that are its alone */
    uint32_t numa_mask;       /* NUMA nodes that it is pinned to; 0: none */
    uint32_t out;             /* LSCHED_OUT_*: it gives way on a device whose memory ran out */
    uint32_t reserved_zero;
} lsched_task_info;
/* Of a job or on a node (other 0), what leaves too. *cursor = 0 first; returns 1, 0 at the end. */
LSCHED_API int32_t lsched_task_next(const lsched_cluster *cluster, lsched_id job, lsched_id node,
                                    uint64_t *cursor, lsched_task_info *out);

enum {
    LSCHED_EVENT_STARTED = 1, /* runs; confirms a proposed decision */
    LSCHED_EVENT_ENDED = 2,   /* ended well; a job whose tasks have all ended is removed */
    LSCHED_EVENT_FAILED =
        3 /* stopped or lost; the task waits again. While an evicted task is stopping,
                                 ENDED and FAILED speak of that */
};
typedef struct lsched_task_event {
    uint32_t size;
    uint32_t event;
    lsched_id job;
    uint32_t task_index;
    uint32_t reserved_zero;
    int64_t at_us; /* 0: the latest time seen. Bound: LSCHED_REPORT_AHEAD_US */
} lsched_task_event;
LSCHED_API int32_t lsched_tasks_report(lsched_cluster *cluster, const lsched_task_event *events,
                                       size_t n, size_t elem_size, int32_t *status,
                                       lsched_error *err);

/* Work that runs already, with its place. May exceed capacity and limits: then it is marked, never refused. */
typedef struct lsched_task_import {
    uint32_t size;
    uint32_t task_index;
    lsched_id job; /* or by name */
    lsched_text job_name;
    lsched_id node; /* or by name */
    lsched_text node_name;
    uint32_t device_mask; /* 0: the library picks the devices */
    uint32_t state;       /* 0: runs. LSCHED_TASK_RELEASING: it was asked to stop before */
    int64_t start_us;
    int64_t release_us; /* RELEASING: when it should be gone; 0: soon. Long past: not relied on */
    uint64_t device_starts; /* MIG, with device_mask: as in lsched_task_info */
    uint32_t nic_mask, numa_mask;
    uint32_t alternative;
    uint32_t reserved_zero;
} lsched_task_import;
LSCHED_API int32_t lsched_tasks_import(lsched_cluster *cluster, const lsched_task_import *tasks,
                                       size_t n, size_t elem_size, int32_t *status,
                                       lsched_error *err);

/* Usage samples of tasks, kept as latest value and time per task and kind. */
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

/* The expected mix of tasks, an input of placements that look ahead (fgd, least-fragmentation). Replaces the old mix;
 * n = 0 clears it. count is relative. */
typedef struct lsched_mix_entry {
    uint32_t size;
    uint32_t reserved_zero;
    const lsched_group_desc *task; /* its request, devices, models and selectors are used */
    int64_t count;                 /* > 0 */
} lsched_mix_entry;
LSCHED_API int32_t lsched_task_mix_set(lsched_cluster *cluster, const lsched_mix_entry *mix,
                                       size_t n, size_t elem_size, lsched_error *err);

/* ---- schedule and plans ---- */

typedef struct lsched_schedule_opts {
    uint32_t size;
    uint32_t flags;       /* LSCHED_SCHEDULE_* */
    int64_t now_us;       /* never decreasing; LSCHED_E_TIME otherwise */
    uint64_t work_budget; /* units: job tried, task placed, whatever a search reads; 0: no bound */
    uint32_t decisions_max; /* beside places that claims become; 0: bounded by the open ones */
    uint32_t moves_max;     /* tasks that may move to free whole nodes unasked; 0: none */
    int64_t release_us;     /* how long an evicted task takes to stop; 0: the policy's, else 30 s */
    uint32_t hooks_off;     /* LSCHED_HOOK_* that count as failed: lsched_plan_info */
    uint32_t reserved_zero;
} lsched_schedule_opts;
enum {
    LSCHED_SCHEDULE_VERIFY = 1, /* check the plan; wrong: LSCHED_E_VERIFY, nothing applied */
    LSCHED_SCHEDULE_ALL_WAITING =
        2 /* reasons of all that waits, not only of what was tried in this cycle */
};
LSCHED_API void lsched_schedule_opts_init(lsched_schedule_opts *opts, uint32_t size);

/* Run one cycle. *plan is owned by the caller: lsched_plan_destroy(), before or after the cluster's end. */
LSCHED_API int32_t lsched_schedule(lsched_cluster *cluster, const lsched_schedule_opts *opts,
                                   lsched_plan **plan, lsched_error *err);
LSCHED_API void lsched_plan_destroy(lsched_plan *plan); /* NULL is allowed */

/* What a decision does: LSCHED_PLACE, LSCHED_NOMINATE ... */
enum {
#define LSCHED_X_DECISION(name, value, word) LSCHED_##name = value,
#include <libsched/codes.def>
};

/* One decision: about one task. */
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
    uint32_t device_milli;       /* share of each device in the mask, the same of all */
    int64_t device_memory_bytes; /* of the first of them */
    uint64_t group;              /* decisions with one number stand and fall together; never 0 */
    int64_t at_us;   /* when it takes effect: evict: is expected to be gone; nominate: to be free */
    uint32_t reason; /* evict, migrate: LSCHED_FOR_* */
    uint32_t reserved_zero;
    lsched_id for_job;      /* evict, migrate: who gets the room; 0: nobody in particular */
    lsched_id to_node;      /* migrate */
    int64_t cost;           /* evict, migrate: of stopping this task, as the policy counts it */
    uint64_t device_starts; /* place, nominate: as in lsched_task_info */
    uint32_t nic_mask, numa_mask;
    uint32_t alternative;
    uint32_t
        recut_mask; /* place: devices on which the host makes the MIG instance, and destroys idle ones in its way */
} lsched_decision;
/* Why a decision stops a task: LSCHED_FOR_NONE, _RECLAIM ... */
enum {
#define LSCHED_X_FOR(name, value, word) LSCHED_FOR_##name = value,
#include <libsched/codes.def>
};

/* Why jobs of one queue and one shape wait. Fixed record: a code and numbers. */
typedef struct lsched_waiting {
    uint32_t size;
    uint32_t code; /* LSCHED_WAIT_* */
    lsched_id queue;
    lsched_id job;                   /* the first of them */
    uint64_t jobs;                   /* how many wait for this reason */
    uint32_t kind, task_group;       /* resource kind and group that the code speaks of */
    int64_t need;                    /* amount needed on one node, or by the queue */
    int64_t have;                    /* best free amount, or what the limit leaves */
    uint64_t nodes_able;             /* nodes that could ever hold one task */
    uint64_t nodes_free;             /* of these, with room now */
    int64_t until_us;                /* known time of change, LSCHED_NEVER_US if none */
    lsched_id limiting_queue;        /* whose limit it is */
    uint32_t evict_code;             /* LSCHED_EVICT_*: why evicting others did not help */
    uint32_t evict_kind;             /* resource kind it speaks of */
    lsched_id evict_queue;           /* whose share or guarantee stood in the way; 0: none */
    int64_t evict_need, evict_have;  /* of the kind: needed; what its share or others leave */
    lsched_id plan_node, plan_job;   /* PLANNED: where, and whose end it waits for; 0: unknown */
    lsched_id near_node, starts_job; /* by lsched_explain: what lacks least; whose end helps; 0 */
    int64_t starts_us; /* by lsched_explain: when it may start; LSCHED_NEVER_US: unknown */
} lsched_waiting;
/* Why evicting others did not help: LSCHED_EVICT_NOT_TRIED, _NEVER ... */
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
    uint64_t waiting; /* records */
    uint64_t work_spent;
    uint64_t policy_instructions;
    uint64_t policy_hash;
    uint64_t plan_hash; /* over names, not ids */
    int64_t now_us;
    int64_t next_wake_us;
    uint32_t semantics;
    int32_t policy_error; /* LSCHED_OK, or why a hook fell back in this cycle */
    uint64_t jobs_tried;
    uint64_t nodes_scored;
    uint64_t evictions, moves; /* decisions of these kinds */
    uint64_t searches_proven;  /* eviction searches that ended in a proof that nothing helps */
    uint64_t searches_cut;     /* that ended by their budget */
    uint32_t hooks_off; /* LSCHED_HOOK_* that fell back: lsched_schedule_opts of a repetition */
    uint32_t reserved_zero;
    uint64_t steps; /* nodes, tasks, entries of lists that were looked at; caches lower it */
} lsched_plan_info;
enum {
    LSCHED_PLAN_PARTIAL = 1,     /* budget or bound spent: call again */
    LSCHED_PLAN_INTERRUPTED = 2, /* by lsched_interrupt: not deterministic */
    LSCHED_PLAN_POLICY_FAILED = 4,
    LSCHED_PLAN_POLICY_EJECTED = 8,
    LSCHED_PLAN_VERIFIED = 16,
    LSCHED_PLAN_POLICY_NOT_DETERMINISTIC = 32 /* a hook fell back: memory, lsched_interrupt */
};

/* Accessors; pointers are valid until the plan is destroyed. */
LSCHED_API size_t lsched_plan_size(const lsched_plan *plan);
/* NULL past the end. */
LSCHED_API const lsched_decision *lsched_plan_decision(const lsched_plan *plan, size_t i);
/* All decisions as one strided array. */
LSCHED_API const lsched_decision *lsched_plan_decisions(const lsched_plan *plan, size_t *n,
                                                        size_t *elem_size);
LSCHED_API size_t lsched_plan_waiting_size(const lsched_plan *plan);
LSCHED_API const lsched_waiting *lsched_plan_waiting(const lsched_plan *plan, size_t i);
LSCHED_API int32_t lsched_plan_info_get(const lsched_plan *plan, lsched_plan_info *out);
/* Decisions of earlier cycles that this one withdrew: claims that expired or were taken, and
 * evictions that nobody needs any more: that work runs on. */
LSCHED_API const lsched_id *lsched_plan_withdrawn(const lsched_plan *plan, size_t *n);
/* The message of the policy failure in this cycle, "" if there was none. */
LSCHED_API const char *lsched_plan_policy_error(const lsched_plan *plan);

/* When to call lsched_schedule again if no event comes first; LSCHED_NEVER_US: only after an event. A time that is
 * not after now: at once, as work is left, or room or a right has come free since. */
LSCHED_API int64_t lsched_next_wake(const lsched_cluster *cluster);

/* ---- settling decisions ---- */

typedef int32_t lsched_outcome;
enum {
    LSCHED_CONFIRMED = 1, /* the host will carry it out */
    LSCHED_REJECTED = 2   /* not: it waits again, and such tasks keep off the node for a time */
};
typedef struct lsched_settle_report {
    uint32_t size;
    uint32_t reserved_zero;
    int32_t *status;      /* NULL or n entries */
    lsched_id *withdrawn; /* NULL or room for withdrawn_capacity ids */
    uint64_t withdrawn_capacity;
    uint64_t n_withdrawn;       /* how many were withdrawn, also beyond the capacity */
    const lsched_text *reasons; /* given: NULL or n, at most 64 bytes each: why, in one word */
} lsched_settle_report;
LSCHED_API int32_t lsched_settle(lsched_cluster *cluster, const lsched_id *decisions,
                                 const lsched_outcome *outcomes, size_t n,
                                 lsched_settle_report *report, lsched_error *err);

enum { LSCHED_DECISION_PROPOSED = 1, LSCHED_DECISION_CONFIRMED = 2 };
/* The state of an open decision; a settled one is LSCHED_E_STALE. */
LSCHED_API int32_t lsched_decision_state(const lsched_cluster *cluster, lsched_id decision);

/* ---- words of codes ---- */

/* The word of a code, as people see it in tables, JSON and scenarios: "place", "reclaim",
 * "running", "never-fits", "min-runtime". "unknown" for a number that this version does not know.
 * Static storage. <libsched/codes.def> lists all of them and says what each means. */
LSCHED_API const char *lsched_decision_kind_name(uint32_t kind); /* LSCHED_PLACE ... */
LSCHED_API const char *lsched_reason_name(uint32_t reason);      /* LSCHED_FOR_* */
LSCHED_API const char *lsched_task_state_name(uint32_t state);   /* LSCHED_TASK_* */
LSCHED_API const char *lsched_wait_name(uint32_t code);          /* LSCHED_WAIT_* */
LSCHED_API const char *lsched_evict_name(uint32_t code); /* LSCHED_EVICT_* of a waiting job */

/* ---- explain and verify ---- */

/* Why a job waits or where it runs, on the live state, as text for people. Returns the length of the whole text (as
 * snprintf does), or an error. buf may be NULL if cap is 0. `record` may be NULL. */
LSCHED_API int64_t lsched_explain(lsched_cluster *cluster, lsched_id job, char *buf, size_t cap,
                                  lsched_waiting *record, lsched_error *err);
/* One line of text for a record of a plan, on a live cluster. Returns as lsched_explain. */
LSCHED_API int64_t lsched_waiting_text(const lsched_cluster *cluster, const lsched_waiting *record,
                                       char *buf, size_t cap);
/* Check the state against the model from first principles; with a plan, also that the plan agrees with it. */
LSCHED_API int32_t lsched_verify(const lsched_cluster *cluster, const lsched_plan *plan,
                                 lsched_error *err);

/* The *_INIT macros, and what has a header of its own. */
#include <libsched/init.h>
#include <libsched/clock.h>
#include <libsched/pack.h>
#include <libsched/policies.h>

#ifdef __cplusplus
}
#endif
#endif
