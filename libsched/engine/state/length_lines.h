/*
 * length_lines.h -- the waiting jobs of each shared bundle in their order, with their expected run
 * times: finds the first job that runs no longer than a given time, and the job that runs shortest.
 *
 * The jobs of a bundle ask for the same. An action that plans over time can therefore try them all
 * at once: it computes for how long the tasks of such a job fit now, and the first job that runs no
 * longer than that is the only one worth a try. The jobs before it stay parked with their bundle.
 *
 * Each bundle has a search tree (base/treap.h). The tree is in the order of job_before()
 * (bundle.h). Each node of it has the shortest run time below it. Jobs in bundles of their own are
 * in no tree. A job that has failed or was refused counts as one of no length, LENGTH_LINES_ALONE:
 * such a job can have to wait for reasons of its own, and an action looks at it alone.
 *
 * The lines are a cache of the cluster. The log of jobs (columns.h) tells what has changed since
 * the last use. Cost: O(log n) for each change of a job and each search; O(n log n) to make all
 * lines.
 */
#ifndef LIBSCHED_LENGTH_LINES_H
#define LIBSCHED_LENGTH_LINES_H

#include "base/treap.h"
#include "model/store/columns.h"

#define LENGTH_LINES_ALONE INT64_C(-1)

/* A job in the tree of its bundle; NO_ROW in `bundle`: the job is in no tree. `least` is the least
 * length of the node and all nodes below it. */
struct length_node {
    uint32_t bundle;
    int64_t length, least;
};

struct length_lines {
    struct length_node *node; /* by row of JOB */
    struct treap_link *link;  /* by row of JOB */
    uint32_t *root;           /* by row of BUNDLE: a row of JOB, NO_ROW for an empty line */
    uint32_t cap_jobs, cap_links, cap_bundles;
    uint64_t synced;
    int known;
};

/* True if the job has failed or was refused, so that it can have to wait where an equal job has
 * not. */
int length_lines_alone(const struct columns *k, uint32_t job);
/* Brings the lines up to date. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t length_lines_sync(struct length_lines *l, struct columns *k);
/* Returns the first job of the bundle's line whose length is at most `most`; NO_ROW if there is
 * none. The lines are up to date. */
uint32_t length_lines_first(const struct length_lines *l, uint32_t bundle, int64_t most);
/* Returns the job of the least length, the first of several; NO_ROW if the line is empty. */
uint32_t length_lines_shortest(const struct length_lines *l, uint32_t bundle);
/* Frees the memory. The next length_lines_sync() enters all jobs. */
void length_lines_drop(struct length_lines *l, struct columns *k);
/* True if the lines are those of the bundles, or if nothing is known. The lines are brought up to
 * date first. */
int length_lines_are_sound(struct length_lines *l, struct columns *k);

#endif
