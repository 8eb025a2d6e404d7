/*
 * steps.h -- how much was really looked at: nodes scored, units and tasks read, entries of lists
 * and indexes walked.
 *
 * Every loop over something that a host or a tenant can make long adds the turns that it takes.
 * lsched_plan_info.steps is what one cycle added. Work units (act_spend) say what a decision costs
 * whatever the caches hold, and budgets count those; steps say what this process did, and caches
 * may lower them. So no decision may depend on steps. Tests hold growth by them, as they are the
 * same on every machine.
 *
 * The number is not a column: it is no state. It stands behind a pointer, as functions that only
 * read the columns count, too. Cost: one load, add and store per loop; a short inner loop adds
 * once.
 */
#ifndef LIBSCHED_STEPS_H
#define LIBSCHED_STEPS_H

#include "model/store/columns.h"

static inline void steps_add(const struct columns *k, uint64_t n) {
    *k->steps += n;
}

#endif
