/*
 * project.h -- a project: activities with durations, precedence, and demands on renewable resources
 * (the resource-constrained project scheduling problem, RCPSP).
 *
 * Always holds after project_finish(): the precedence has no cycle, no demand is above the capacity
 * of its resource, and the sum of all durations is at most PROJECT_TIME_MAX. Times are whole
 * numbers without a unit. No activity is special: the makespan is the greatest end of all
 * activities, and dummy activities of a file are activities with duration 0.
 *
 * The packer of the library (libsched/pack.h) has no precedence between items. Therefore projects
 * have a solver of their own in this room.
 */
#ifndef LSCHED_CLI_PROJECT_H
#define LSCHED_CLI_PROJECT_H

#include <stddef.h>
#include <stdint.h>

enum {
    PROJECT_ACTIVITIES_MAX = 2000,
    PROJECT_RESOURCES_MAX = 64,
    PROJECT_LINKS_MAX = 200000,
    PROJECT_TIME_MAX = 1000000000,
    PROJECT_AMOUNT_MAX = 1000000000
};

struct project_link {
    uint32_t before, after; /* `after` starts when `before` has ended, or later */
};

struct project {
    uint32_t n, n_resources;
    int32_t *capacity; /* [n_resources]; this array and all others are owned by this struct */
    int32_t *duration; /* [n] */
    int32_t *demand;   /* [n * n_resources] */
    struct project_link *links;
    size_t n_links, links_capacity;
    /* made by project_finish(): the successors of activity i are next[next_at[i]] to
     * next[next_at[i + 1] - 1], in the order of the links; predecessors likewise in `prior` */
    uint32_t *next_at, *next, *prior_at, *prior;
    uint32_t *order; /* activities so that each stands behind its predecessors */
};

/* Allocates the arrays of a project; all numbers in them are 0. */
void project_begin(struct project *project, uint32_t n, uint32_t n_resources);
void project_link(struct project *project, uint32_t before, uint32_t after);
/* Makes the lists of neighbours and the order. Returns `n`, or an activity of a cycle if the links
 * have one. */
uint32_t project_finish(struct project *project);
void project_free(struct project *project);

static inline int32_t project_demand(const struct project *project, uint32_t i, uint32_t k) {
    return project->demand[(size_t)i * project->n_resources + k];
}

#endif
