/*
 * constraints.h -- rules about where tasks can go: task blocks in a topology, taints, affinity to nodes
 * and to jobs, pools of nodes.
 *
 * This header is a part of libsched.h, which includes it and states the rules for structs, batches
 * and errors.
 *
 * Sources of the rules: for task blocks, Kueue's topology-aware scheduling and Slurm's segments;
 * for taints, tolerations and affinity, Kubernetes.
 */
#ifndef LIBSCHED_CONSTRAINTS_H
#define LIBSCHED_CONSTRAINTS_H

#include <libsched/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- topology ---- */

#define LSCHED_SLICES_MAX 3 /* greatest number of levels of task blocks of one group */
/* The tasks of a leaf group are divided into task blocks of `tasks` tasks. All tasks of a block
 * must be in one domain of the level. Frozen layout, no size field. */
typedef struct lsched_slice {
    lsched_text level;
    uint32_t tasks;
    uint32_t reserved_zero;
} lsched_slice;
/* Says how the tasks of a group are distributed among the smaller domains inside the group's
 * domain. FEWEST: to as few domains as possible. BALANCED: as evenly as possible, so that the
 * smallest number of tasks in a domain is as great as possible. */
enum lsched_topology_mode { LSCHED_DOMAINS_FEWEST = 0, LSCHED_DOMAINS_BALANCED = 1 };

/* ---- taints and affinity ---- */

enum lsched_taint_effect {
    LSCHED_TAINT_NO_START = 0, /* a task that does not tolerate the taint does not start there */
    /* a task that does not tolerate it starts there only if no other node fits */
    LSCHED_TAINT_AVOID = 1,
    /* a task that does not tolerate it does not start there, and is stopped if it runs */
    LSCHED_TAINT_STOP = 2
};
/* A taint of a node. Frozen layout, no size field. */
typedef struct lsched_taint {
    lsched_text key;
    lsched_text value;
    uint32_t effect; /* LSCHED_TAINT_* */
    uint32_t reserved_zero;
} lsched_taint;
#define LSCHED_TOLERATES_ANY_EFFECT 0xffffffffu
/* A toleration of taints with this key (empty: any key) and this value (any_value 1: any value).
 * Frozen layout, no size field. */
typedef struct lsched_toleration {
    lsched_text key;
    lsched_text value;
    uint32_t effect; /* LSCHED_TAINT_* or LSCHED_TOLERATES_ANY_EFFECT */
    uint32_t any_value;
    /* STOP: time after which a running task is stopped nevertheless; 0: never */
    int64_t stop_after_us;
} lsched_toleration;

enum lsched_label_operation {
    LSCHED_LABEL_IN = 0,
    LSCHED_LABEL_NOT_IN = 1,
    LSCHED_LABEL_EXISTS = 2,
    LSCHED_LABEL_ABSENT = 3,
    LSCHED_LABEL_GREATER = 4, /* GREATER and LESS compare whole numbers */
    LSCHED_LABEL_LESS = 5
};
/* One condition on a label of a node. Frozen layout, no size field. */
typedef struct lsched_label_rule {
    lsched_text key;
    const lsched_text *values;
    uint32_t n_values;
    uint32_t operation; /* LSCHED_LABEL_* */
} lsched_label_rule;
/* One rule of node affinity (a term). A term holds on a node if all its label rules hold. A node is
 * allowed if one of the required terms holds, or if there is no required term. Among the allowed
 * nodes, the node with the greatest sum of weights of the preferred terms that hold is chosen
 * first. Only among nodes with equal sums, the score of the placement strategy decides. Frozen
 * layout, no size field. */
typedef struct lsched_node_affinity {
    const lsched_label_rule *rules;
    uint32_t n_rules;
    uint32_t weight; /* 0: the term is required; 1 to 100: preferred with this weight */
} lsched_node_affinity;
/* Affinity to all jobs that have all these labels: a task goes to a domain of the level in which a
 * task of such a job is. If `apart` is 1, it goes to a domain in which no task of such a job is. If
 * the level is "node" or empty, each node is a domain. Frozen layout, no size field. */
typedef struct lsched_job_affinity {
    const lsched_label *labels;
    uint32_t n_labels;
    /* 1: anti-affinity, which also keeps the jobs with these labels away from this job */
    uint32_t apart;
    uint32_t weight; /* 0: the term is required; 1 to 100: preferred with this weight */
    uint32_t reserved_zero;
    lsched_text topology; /* name of the topology; empty: the only one */
    lsched_text level;
} lsched_job_affinity;

/* ---- pools ---- */

#define LSCHED_POOLS_MAX 64
/* A pool: the set of all nodes that have all of these labels, also of nodes that are added
 * later. */
typedef struct lsched_pool_desc {
    uint32_t size;
    uint32_t n_labels;
    lsched_text name;
    const lsched_label *labels;
    uint64_t tag;
} lsched_pool_desc;
/* Adds pools, which stay as long as the cluster. Returns the number that was added. LSCHED_E_EXISTS:
 * the name; LSCHED_E_LIMIT: LSCHED_POOLS_MAX. */
LSCHED_API int32_t lsched_pools_add(lsched_cluster *cluster, const lsched_pool_desc *pools,
                                    size_t n, size_t elem_size, const lsched_batch_opts *opts,
                                    int32_t *status, lsched_error *err);

#define LSCHED_RESOURCE_PARTS_MAX 112
/* A resource part: a kind that counts a part of another kind, namely gpu only on devices of a
 * model, gpu only on instances of a MIG profile, or any kind only on nodes of a pool. Several
 * fields together restrict the part to what all of them allow; an empty field does not restrict
 * it. Queues use as much of it as their tasks hold. Only quotas and limits of queues can name a
 * resource part; nodes have no capacity of it, and tasks cannot request it. */
typedef struct lsched_resource_part {
    uint32_t size;
    uint32_t kind; /* kind that the part counts: LSCHED_GPU; any kind if only a pool is given */
    lsched_text name, model, mig_profile, pool;
} lsched_resource_part;
/* Adds a resource part. Returns the kind's index, LSCHED_RESOURCE_KINDS_MAX or above, also if the
 * part exists already with the same meaning. LSCHED_E_EXISTS: another kind has the name;
 * LSCHED_E_LIMIT: there are LSCHED_RESOURCE_PARTS_MAX parts. */
LSCHED_API int32_t lsched_resource_add_part(lsched_cluster *cluster,
                                            const lsched_resource_part *part, lsched_error *err);

#ifdef __cplusplus
}
#endif
#endif
