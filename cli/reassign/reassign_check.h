/*
 * reassign_check.h -- checks an assignment from the definition of the problem, and computes its
 * cost from nothing. It shares no code with the search: it reads what the file says, and neither
 * the lists `members` and `serves` nor any sum that the search keeps.
 */
#ifndef LSCHED_CLI_REASSIGN_CHECK_H
#define LSCHED_CLI_REASSIGN_CHECK_H

#include <libsched/libsched.h>

#include "cli/reassign/reassign.h"

struct reassign_costs {
    int64_t load, balance, process_moves, service_moves, machine_moves; /* weighted */
    int64_t total;
    uint32_t moved; /* processes that are not on their first machine */
};

/* Returns 0 and fills *costs, or returns LSCHED_E_VERIFY with a message that names the rule that
 * does not hold. Machines, services, processes and resources are counted from 0, as in the file. */
int32_t reassign_check(const struct reassign *p, const uint32_t *first, const uint32_t *at,
                       struct reassign_costs *costs, lsched_error *err);

/* Computes the three costs of moves from `first` to `at` alone, and the total of *costs with them.
 */
void reassign_check_moves(const struct reassign *p, const uint32_t *first, const uint32_t *at,
                          struct reassign_costs *costs);

#endif
