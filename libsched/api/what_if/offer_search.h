/*
 * offer_search.h -- finds the cheapest single change with which the next cycle starts a job, by
 * trying the changes of a list in order.
 *
 * Offers are compared by: no other job loses its start or its work; kind of change; cost within the
 * kind; resource kind; name. docs/what-if.md describes the order.
 */
#ifndef LIBSCHED_OFFER_SEARCH_H
#define LIBSCHED_OFFER_SEARCH_H

#include "api/what_if/offer_list.h"
#include "api/what_if/start_trial.h"

/* The jobs that start in a plan, and the jobs whose work it stops; sorted and without repeats. An
 * element of an array counts as the array. */
struct offer_jobs {
    lsched_id *starts, *stops;
    uint32_t n_starts, n_stops, cap_starts, cap_stops;
};
/* Return LSCHED_OK or LSCHED_E_NOMEM. */
int32_t offer_jobs_read(struct lsched_cluster *c, const lsched_plan *plan, struct offer_jobs *out);
void offer_jobs_close(struct alloc *a, struct offer_jobs *jobs);

/* Sets *out to the best offer; its `change` is LSCHED_OFFER_NONE if no change of the list works.
 * without: what the cycle does without a change. Returns LSCHED_OK or an error. */
int32_t offer_search(struct start_question *q, struct speculation *s, struct offer_list *list,
                     const struct offer_jobs *without, lsched_offer *out);

#endif
