/*
 * affinity_rules.h -- which nodes a task may use, given what runs there: the job's own affinity
 * rules about other jobs, and the anti-affinity rules of other jobs that exclude it.
 *
 * An affinity rule names jobs by their labels, and a level: a topology domain, or the node itself.
 * A required affinity rule allows a domain that holds a task of such a job; if no such task is
 * placed anywhere, it allows every domain to a job that has these labels itself. A required
 * anti-affinity rule allows a domain that holds no such task; if the task is to start now, the
 * domain must not hold a releasing one either. Anti-affinity works both ways: a job that comes
 * later is excluded, too. Tasks of the same gang count like any other. A node outside the topology
 * meets no affinity rule and every anti-affinity rule. Preferred affinity rules add to the node's
 * tier (search.h).
 *
 * What depends on other jobs cannot be in an index of scores. As for the topology spread
 * (topology_spread.h), the index is read first, and all nodes are checked only where its best node
 * is not allowed. A cluster without such rules pays two tests per task.
 */
#ifndef LIBSCHED_AFFINITY_RULES_H
#define LIBSCHED_AFFINITY_RULES_H

#include "engine/indexes/affinity_planes.h"
#include "model/shapes/node_rules.h"

enum affinity_kind { AFFINITY_REQUIRED, AFFINITY_APART, AFFINITY_SHUNNED, AFFINITY_LIKED };

struct affinity_ask {
    const struct affinity_plane *plane;
    uint8_t kind; /* enum affinity_kind */
    uint8_t own;  /* AFFINITY_REQUIRED: 1 if the job itself has the labels that its rule names */
    int32_t weight;
};

#define AFFINITY_ASKS_MAX (LIMIT_JOB_TERMS + 1 + LSCHED_TOPOLOGIES_MAX * LSCHED_TOPOLOGY_LEVELS_MAX)

struct affinity_rules {
    uint32_t n, later,
        /* later: 1 to treat releasing tasks as gone; likes: 1 if there are preferred rules */
        likes;
    struct affinity_ask ask[AFFINITY_ASKS_MAX];
};

static inline int affinity_rules_asked(const struct columns *k, uint32_t shape) {
    return (k->c[C_SHAPE_RULES].u8[shape] & RULES_OF_JOBS) || meta(k, M_APART);
}
/* Collects the rules for tasks of one shape of the job. The rules are valid until the state
 * changes. Returns LSCHED_E_NOMEM if there is no memory. */
int32_t affinity_rules_open(struct affinity_rules *r, struct affinity_planes *s, struct columns *k,
                            uint32_t job, uint32_t shape, int later);
int affinity_rules_allow(const struct affinity_rules *r, const struct columns *k, uint32_t node);
/* Returns what preferred affinity rules add to the node's tier. */
int32_t affinity_rules_tier(const struct affinity_rules *r, const struct columns *k, uint32_t node);
/* True if a nominated task can start on its node: no other task there, running or releasing, is
 * excluded by an anti-affinity rule of the task, or has one that excludes the task. */
int affinity_rules_is_clear(const struct affinity_rules *r, const struct columns *k, uint32_t task);

#endif
