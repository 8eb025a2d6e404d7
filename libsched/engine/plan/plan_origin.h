/*
 * plan_origin.h -- what a plan of a clone remembers of the clone, so that the original can adopt it
 * (engine/adopt/adopt_walk.h).
 *
 * An id means the same object in a clone and in its original only if both had the object when the
 * clone was made. Later, the same id can be given to different objects. Therefore the plan has the
 * names of its jobs and nodes, as hashes. It also has the generation of each row of JOB, from which
 * an adoption finds the jobs that the clone did not know. Both are made only for plans of clones.
 * Cost: 24 bytes for each decision and 4 bytes for each row of JOB, which are copied in vectors.
 * Why not what changed since the plan before: a plan outlives the clone and the plan before, and
 * can belong to another thread, so it would share blocks with both and count their holders.
 */
#ifndef LIBSCHED_PLAN_ORIGIN_H
#define LIBSCHED_PLAN_ORIGIN_H

#include "engine/state/cycle_state.h"

/* The words of the names of one decision's objects; 0: the decision names no such object. */
struct plan_names {
    uint64_t job, node, to_node;
};

struct plan_origin {
    struct cluster_family *family; /* NULL: no cluster can adopt the plan */
    uint32_t member;               /* number of the cluster in its family */
    uint32_t jobs;                 /* number of rows of JOB */
    struct plan_names *names;
    uint32_t *generations; /* by row of JOB: the generation of a live row, 0 for other rows */
    size_t n_names;
};

struct lsched_plan;

/* Notes the family, and, if the cluster is a clone, what an adoption needs. Returns LSCHED_OK or
 * LSCHED_E_NOMEM. */
int32_t plan_origin_note(const struct lsched_cluster *c, struct lsched_plan *p);
/* Forgets the origin and frees its memory. */
void plan_origin_drop(struct lsched_plan *p);
/* Returns the word of a name. */
uint64_t plan_origin_word(const struct columns *k, uint32_t text);

#endif
