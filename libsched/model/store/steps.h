/*
 * steps.h -- counts the entries that a call really visits: nodes scored, eviction units and tasks
 * read, entries of lists and indexes walked.
 *
 * Every loop over something that an orchestrator or a tenant can make long adds its number of
 * turns. lsched_plan_info.steps is what one cycle added. Work units (act_spend) say what a
 * decision costs whatever the caches hold, and budgets count work units. Steps say what this
 * process did, and caches can lower them. Therefore no decision must depend on steps. Tests use
 * steps to bound the growth of cost, because the steps are the same on every machine.
 *
 * The number is not a column, because it is no state. The number is behind a pointer, because
 * functions that only read the columns count, too. Cost: one load, add and store per loop; a
 * short inner loop adds once.
 */
#ifndef LIBSCHED_STEPS_H
#define LIBSCHED_STEPS_H

#include "model/store/columns.h"

static inline void steps_add(const struct columns *k, uint64_t n) {
    *k->steps += n;
}

#endif
