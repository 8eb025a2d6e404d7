/*
 * algorithm_view.h -- what every algorithm reads: task shapes, the columns of the state, parameters.
 *
 * algorithm.h includes this header, and states the rules and what is stable.
 */
#ifndef LIBSCHED_ALGORITHM_VIEW_H
#define LIBSCHED_ALGORITHM_VIEW_H

#include <libsched/libsched.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LSCHED_ALGORITHM_API 12u
#define LSCHED_NO_ROW        0xffffffffu

/* The task shape of a leaf group: what each task of the group needs. */
typedef struct lsched_task_shape {
    /* serial number of the shape, never used again; tasks with equal serial numbers have equal
     * shapes */
    uint64_t serial;
    /* amounts by kind, in base units; [LSCHED_GPU] is devices x share, in milli-GPUs. In score(),
     * these are the amounts by which the task would lower the node's free amounts. For a task with
     * daily demand they differ between nodes; such a task is scored for one node at a time */
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
    /* sum of the capacities of the ready nodes, in base units by kind */
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

#ifdef __cplusplus
}
#endif
#endif
