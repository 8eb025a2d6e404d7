/*
 * quota_key.h -- the order of queues, as two words of which the first decides.
 *
 *   1  with what its next job needs the queue stays, in every kind that the job needs, within its
 *      effective guarantee; else within its fair share; else beyond both
 *   2  queue priority, higher first
 *   3  dominant share with that job: max over kinds of (used + want) / allocatable, allocatable
 *      being min(limit, max(guarantee, fair share)), or the capacity of the cluster if that is
 *      unlimited. A queue that holds or wants what it may not have by any of these (allocatable 0)
 *      comes after all others, among its like by the part of the cluster
 *   4  dominant share without that job
 *
 * Sub-queues of users and groups: the order key of their first job, then 1, then 3. So priority
 * goes before fairness between users, and fairness before age.
 *
 * Shares have 40 bits behind the point (24 in 4), rounded down: equal quotients are equal keys
 * whatever their terms. Past 2^19 (2^8 in 4) all are equal. What is still equal the engine orders
 * by creation, then name.
 * O(kinds).
 */
#ifndef LIBSCHED_QUOTA_KEY_H
#define LIBSCHED_QUOTA_KEY_H

#include "algorithms/share_quota/quota_tree.h"

enum quota_class { QUOTA_WITHIN_GUARANTEE, QUOTA_WITHIN_FAIR_SHARE, QUOTA_BEYOND };

/* head_order: order key of the first job of the queue. */
void quota_key(const struct quota_tree *t, const lsched_view *view, uint32_t queue,
               const int64_t *want, int64_t head_order, lsched_share_key *key);

#endif
