/*
 * verify_daily_demand.h -- checks the sums that a node stores for its tasks with a daily demand: a
 * demand that follows the time of day.
 */
#ifndef LIBSCHED_VERIFY_DAILY_DEMAND_H
#define LIBSCHED_VERIFY_DAILY_DEMAND_H

#include "model/check/check_finding.h"

/* True if the shape's demand for the resource kind is a curve over the time of day. */
int verify_daily_demand_is(const struct columns *k, uint32_t shape, uint32_t kind);
/* Highest points of the sum of a node's daily curves, for one resource kind. */
struct daily_peaks {
    int64_t peak, /* highest point with the tasks that hold room now */
        later;   /* highest point after releasing tasks are gone and nominated tasks have started */
    int claimed; /* 1 if a nominated task has a curve that is not 0 everywhere */
};
/* Sums the daily curves of the node's tasks into *sums, and checks that the node stores these sums.
 * Returns LSCHED_OK or LSCHED_E_VERIFY. */
int32_t verify_daily_demand(struct check *c, uint32_t node, uint32_t kind,
                            struct daily_peaks *sums);

#endif
