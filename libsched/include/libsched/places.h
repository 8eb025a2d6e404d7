/*
 * places.h -- rules about where tasks can go: task blocks in a topology, taints, affinity to nodes
 * and to jobs, pools of nodes.
 *
 * Part of libsched.h, which includes this header and states the rules for structs, batches and
 * errors.
 *
 * Source of the rules: Kueue's topology-aware scheduling and Slurm's segments for task blocks;
 * Kubernetes for taints, tolerations and affinity.
 */
#ifndef LIBSCHED_PLACES_H
#define LIBSCHED_PLACES_H

#include <libsched/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- topology ---- */

#define LSCHED_SLICES_MAX 3 /* levels of task blocks of one group */
/* The tasks of a leaf group are divided into task blocks of `tasks` each; every block is within one
 * domain of the level. Frozen layout, no size field. */
typedef struct lsched_slice {
    lsched_text level;
    uint32_t tasks;
    uint32_t reserved_zero;
} lsched_slice;
/* How the tasks of a group are distributed to the domains below the domain that holds the group.
 * FEWEST: to as few domains as possible. BALANCED: the domain with the fewest tasks gets as many
 * as possible. */
enum { LSCHED_DOMAINS_FEWEST = 0, LSCHED_DOMAINS_BALANCED = 1 };

/* ---- taints and affinity ---- */

enum {
    LSCHED_TAINT_NO_START = 0, /* a task that does not tolerate the taint does not start there */
    LSCHED_TAINT_AVOID = 1,    /* the task starts there only if no other node fits */
    LSCHED_TAINT_STOP = 2      /* the task does not start there, and a running task is stopped */
};
/* A taint of a node. Frozen layout, no size field. */
typedef struct lsched_taint {
    lsched_text key;
    lsched_text value;
    uint32_t effect; /* LSCHED_TAINT_* */
    uint32_t reserved_zero;
} lsched_taint;
#define LSCHED_TOLERATES_ANY_EFFECT UINT32_MAX
/* Tolerates taints with this key (empty: every taint) and this value (unless any_value). Frozen
 * layout, no size field. */
typedef struct lsched_toleration {
    lsched_text key;
    lsched_text value;
    uint32_t effect; /* LSCHED_TAINT_*, LSCHED_TOLERATES_ANY_EFFECT */
    uint32_t any_value;
    int64_t stop_after_us; /* STOP: time for which a running task can stay; 0: for ever */
} lsched_toleration;

enum {
    LSCHED_LABEL_IN = 0,
    LSCHED_LABEL_NOT_IN = 1,
    LSCHED_LABEL_EXISTS = 2,
    LSCHED_LABEL_ABSENT = 3,
    LSCHED_LABEL_GREATER = 4, /* GREATER, LESS: both values are whole numbers */
    LSCHED_LABEL_LESS = 5
};
/* One condition on a label of a node. Frozen layout, no size field. */
typedef struct lsched_label_rule {
    lsched_text key;
    const lsched_text *values;
    uint32_t n_values;
    uint32_t operation; /* LSCHED_LABEL_* */
} lsched_label_rule;
/* Node affinity. A term holds if all its rules hold. A node is allowed if any required term holds,
 * or if there is no required term. Among allowed nodes, a greater sum of weights of preferred terms
 * comes first, before the placement strategy's score. Frozen layout, no size field. */
typedef struct lsched_node_term {
    const lsched_label_rule *rules;
    uint32_t n_rules;
    uint32_t weight; /* 0: the term is required; 1 to 100: preferred with this weight */
} lsched_node_term;
/* Affinity to the jobs that have all these labels: a task goes to a domain of the level that holds
 * a task of such a job (apart: to no such domain). Level "node" or empty: the node itself is the
 * domain. Frozen layout, no size field. */
typedef struct lsched_job_term {
    const lsched_label *labels;
    uint32_t n_labels;
    uint32_t apart;  /* 1: anti-affinity; it also keeps those jobs away from this one */
    uint32_t weight; /* 0: the term is required; 1 to 100: preferred with this weight */
    uint32_t reserved_zero;
    lsched_text topology; /* name of the topology; empty: the only one */
    lsched_text level;
} lsched_job_term;

/* ---- pools ---- */

#define LSCHED_POOLS_MAX 64
/* A named set of nodes: all nodes with all of these labels, also nodes that are added later. */
typedef struct lsched_pool_desc {
    uint32_t size;
    uint32_t n_labels;
    lsched_text name;
    const lsched_label *labels;
    uint64_t tag;
} lsched_pool_desc;
LSCHED_API void lsched_pool_desc_init(lsched_pool_desc *desc, uint32_t size);
LSCHED_API int32_t lsched_pools_add(lsched_cluster *cluster, const lsched_pool_desc *pools,
                                    size_t n, size_t elem_size, int32_t *status, lsched_error *err);

/* Adds a resource part, as lsched_resource_add_model does. The part counts gpu on devices of a
 * model or on instances of a MIG profile, any kind on nodes of a pool, or a combination of these.
 * An empty field does not restrict the part. */
typedef struct lsched_resource_part {
    uint32_t size;
    uint32_t kind; /* LSCHED_GPU; any kind if only a pool is given */
    lsched_text name, model, mig_profile, pool;
} lsched_resource_part;
LSCHED_API void lsched_resource_part_init(lsched_resource_part *part, uint32_t size);
LSCHED_API int32_t lsched_resource_add_part(lsched_cluster *cluster,
                                            const lsched_resource_part *part, lsched_error *err);

#ifdef __cplusplus
}
#endif
#endif
