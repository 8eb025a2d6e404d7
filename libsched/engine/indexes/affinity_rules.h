/*
 * affinity_rules.h -- which nodes a task may go to, by what runs there: the job's own terms about
 * other jobs, and the terms of others that keep apart from it.
 *
 * A term speaks of jobs by their labels and of a level: a domain, or the node itself. Required
 * terms: near - the domain must hold a task of such a job, or the job is such a one itself and none
 * is placed anywhere; apart - it must hold none, and none that is still stopping if the task is to
 * start now. Keeping apart holds both ways: who comes later is kept away, too. Tasks of the same
 * gang count like any other. A node outside the tree is near to nobody, and apart from all.
 * Preferred terms add to the node's tier (search.h).
 *
 * What depends on other jobs cannot be in an index of scores: as for spread (topology_spread.h) the
 * index is asked first, and all nodes only where its best is not allowed. A cluster without such
 * terms pays two tests per task.
 */
#ifndef LIBSCHED_AFFINITY_RULES_H
#define LIBSCHED_AFFINITY_RULES_H

#include "engine/indexes/affinity_planes.h"
#include "model/shapes/node_rules.h"

enum near_kind { NEAR_REQUIRED, NEAR_APART, NEAR_SHUNNED, NEAR_LIKED };

struct near_ask {
    const struct near_plane *plane;
    uint8_t kind; /* enum near_kind */
    uint8_t own;  /* REQUIRED: the job is one that its term speaks of */
    int32_t weight;
};

#define NEAR_ASKS_MAX (LIMIT_JOB_TERMS + 1 + LSCHED_TOPOLOGIES_MAX * LSCHED_TOPOLOGY_LEVELS_MAX)

struct near_rules {
    uint32_t n, later,
        likes; /* later: what leaves is gone already; likes: there are preferred terms */
    struct near_ask ask[NEAR_ASKS_MAX];
};

static inline int near_asked(const struct columns *k, uint32_t shape) {
    return (k->c[C_SHAPE_RULES].u8[shape] & RULES_OF_JOBS) || meta(k, M_APART);
}
/* The rules for tasks of a shape of the job, as things stand: valid until the state changes.
 * LSCHED_E_NOMEM. */
int32_t near_open(struct near_rules *r, struct near_planes *s, struct columns *k, uint32_t job,
                  uint32_t shape, int later);
int near_allows(const struct near_rules *r, const struct columns *k, uint32_t node);
/* What preferred terms add to the node's tier. */
int32_t near_tier(const struct near_rules *r, const struct columns *k, uint32_t node);
/* A task with a claim takes its place: is nobody else there, running or stopping, that it keeps
 * apart from, or that keeps apart from it. */
int near_is_clear(const struct near_rules *r, const struct columns *k, uint32_t task);

#endif
