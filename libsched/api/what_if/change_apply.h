/*
 * change_apply.h -- makes one change of an offer (lsched_offer) to the cluster. A trial and
 * lsched_offer_apply() use the same function, so that an offer that worked in a trial works when it
 * is applied.
 */
#ifndef LIBSCHED_CHANGE_APPLY_H
#define LIBSCHED_CHANGE_APPLY_H

#include "engine/state/cluster.h"

/* Makes the change. job: id of the job that is to start; RELEASE and PRIORITY name it in `object`,
 * too. The cluster is not busy. */
int32_t change_apply(struct lsched_cluster *c, const lsched_offer *change, lsched_error *err);

#endif
