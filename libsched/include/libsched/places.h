/*
 * places.h -- where tasks may go: slices of a topology, rules between nodes and tasks (taints, affinity), between jobs, pools of nodes.
 * Part of libsched.h, which includes it and whose head states the rules for structs, batches and errors.
 *
 * Source of the rules: Kueue's topology-aware scheduling and Slurm's segments for slices; Kubernetes for taints, tolerations and
 * affinity.
 */
#ifndef LIBSCHED_PLACES_H
#define LIBSCHED_PLACES_H

#include <libsched/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- topology ---- */

#define LSCHED_SLICES_MAX 3 /* levels of slices of one group */
/* The tasks of a leaf in slices of `tasks` each, every slice within one domain of the level. Frozen. */
typedef struct lsched_slice {
    lsched_text level;
    uint32_t tasks;
    uint32_t reserved_zero;
} lsched_slice;
/* How the tasks of a group are dealt out to the domains below the one that holds them: to as few as possible, or so that the domain with the least
 * gets as many as possible. */
enum { LSCHED_DOMAINS_FEWEST = 0, LSCHED_DOMAINS_BALANCED = 1 };

/* ---- taints and affinity ---- */

enum {
    LSCHED_TAINT_NO_START = 0, /* what does not tolerate it does not start there */
    LSCHED_TAINT_AVOID = 1,    /* it starts there last */
    LSCHED_TAINT_STOP = 2      /* nor does it go on there */
};
/* Frozen. */
typedef struct lsched_taint {
    lsched_text key;
    lsched_text value;
    uint32_t effect; /* LSCHED_TAINT_* */
    uint32_t reserved_zero;
} lsched_taint;
#define LSCHED_TOLERATES_ANY_EFFECT UINT32_MAX
/* Of a taint with this key (empty: of every taint) and value (unless any_value). Frozen. */
typedef struct lsched_toleration {
    lsched_text key;
    lsched_text value;
    uint32_t effect; /* LSCHED_TAINT_*, LSCHED_TOLERATES_ANY_EFFECT */
    uint32_t any_value;
    int64_t stop_after_us; /* STOP: may go on for so long; 0: for ever */
} lsched_toleration;

enum {
    LSCHED_LABEL_IN = 0,
    LSCHED_LABEL_NOT_IN = 1,
    LSCHED_LABEL_EXISTS = 2,
    LSCHED_LABEL_ABSENT = 3,
    LSCHED_LABEL_GREATER = 4, /* both whole numbers */
    LSCHED_LABEL_LESS = 5
};
/* One condition on a label. Frozen. */
typedef struct lsched_label_rule {
    lsched_text key;
    const lsched_text *values;
    uint32_t n_values;
    uint32_t operation; /* LSCHED_LABEL_* */
} lsched_label_rule;
/* A term holds if all its rules do. A node is allowed if any required term holds (or there is none); of those allowed, nodes with
 * the greater sum of weights of preferred terms come first, before what the placement says. Frozen. */
typedef struct lsched_node_term {
    const lsched_label_rule *rules;
    uint32_t n_rules;
    uint32_t weight; /* 0: required; 1 to 100: preferred */
} lsched_node_term;
/* Jobs that have all these labels: a task goes to (apart: not to) a domain of the level that holds one of theirs. Level "node" or empty: the
 * node itself. Frozen. */
typedef struct lsched_job_term {
    const lsched_label *labels;
    uint32_t n_labels;
    uint32_t apart;  /* 1: anti-affinity, which holds both ways */
    uint32_t weight; /* 0: required; 1 to 100: preferred */
    uint32_t reserved_zero;
    lsched_text topology; /* the tree; empty: the only one */
    lsched_text level;
} lsched_job_term;

/* ---- pools ---- */

#define LSCHED_POOLS_MAX 64
/* A named set of nodes: those with all these labels, also nodes that come later. */
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

/* As lsched_resource_add_model, of any part of a kind: on devices of a model, on instances of a MIG profile (both of gpu only), on nodes of a pool, or all of these
 * at once; empty: any. */
typedef struct lsched_resource_part {
    uint32_t size;
    uint32_t kind; /* LSCHED_GPU; with a pool alone, any kind */
    lsched_text name, model, mig_profile, pool;
} lsched_resource_part;
LSCHED_API void lsched_resource_part_init(lsched_resource_part *part, uint32_t size);
LSCHED_API int32_t lsched_resource_add_part(lsched_cluster *cluster,
                                            const lsched_resource_part *part, lsched_error *err);

#ifdef __cplusplus
}
#endif
#endif
