/*
 * project_solve.h -- finds a short schedule of a project and a lower bound of every schedule.
 *
 * Two searches take turns: a genetic search (population.h), which finds short schedules, and a
 * search that learns clauses (learn_project.h), which raises the bound and proves that a schedule
 * is the shortest. The second one asks in turns "does a schedule end by T?" for T just above the
 * bound and for T just below the best makespan. What it learns for one T stays valid for every
 * other T.
 *
 * The result depends on the project, the seed and the number of work units. With a limit of time,
 * the number of work units depends on the machine.
 */
#ifndef LSCHED_CLI_PROJECT_SOLVE_H
#define LSCHED_CLI_PROJECT_SOLVE_H

#include "cli/projects/project.h"

struct project_wish {
    int64_t work;    /* budget in work units, about 30 ns each */
    int64_t most_ns; /* limit on CPU time in nanoseconds; 0 if only `work` limits the search */
    uint64_t seed;
    /* called between turns to show progress, in nanoseconds if most_ns > 0 and in work units
     * otherwise; can be NULL */
    void (*step)(void *user, uint64_t done, uint64_t of);
    void *user;
};

struct project_result {
    int32_t *start; /* [n] owned by this struct */
    int32_t makespan, lower_bound;
    int32_t path_bound, energy_bound; /* the longest path; the greatest use of a resource */
    uint64_t work, conflicts;
    int64_t core_ns; /* CPU time of the search */
};

void project_solve(const struct project *project, const struct project_wish *wish,
                   struct project_result *out);
void project_result_free(struct project_result *result);

#endif
