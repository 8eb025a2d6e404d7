/*
 * reassign_solve.h -- finds a cheap feasible assignment by simulated annealing (Kirkpatrick,
 * Gelatt, Vecchi 1983) with shifts and swaps, as Portal, Ritt, Borba and Buriol (2016) do for this
 * problem.
 *
 * The heat falls over the whole budget. Therefore a longer search is another search, and not the
 * same one continued; it is better nearly always, but not by a law. Within one search the best cost
 * never rises, and the result is never worse than the first assignment.
 *
 * The result depends on the problem, the seed and the budget of work units. With a limit of time,
 * the heat follows the clock, and the result depends on the machine.
 */
#ifndef LSCHED_CLI_REASSIGN_SOLVE_H
#define LSCHED_CLI_REASSIGN_SOLVE_H

#include "cli/reassign/reassign.h"

struct reassign_wish {
    int64_t work;    /* budget in work units, about 30 ns each */
    int64_t most_ns; /* limit on CPU time in nanoseconds; 0 if `work` limits the search */
    uint64_t seed;
    /* called now and then with the best cost so far, and how much of the budget is used, in
     * thousandths; can be NULL */
    void (*step)(void *user, int64_t best, uint32_t thousandths);
    void *user;
};

struct reassign_result {
    uint32_t *at; /* [n_processes] owned by this struct; the machine of each process */
    int64_t cost, start_cost, lower_bound;
    uint64_t work, tried; /* work units done; shifts and swaps that were evaluated */
    int64_t core_ns;      /* CPU time of the search */
};

/* `first` must be feasible (reassign_check.h). */
void reassign_solve(const struct reassign *p, const uint32_t *first,
                    const struct reassign_wish *wish, struct reassign_result *out);
void reassign_result_free(struct reassign_result *result);

#endif
