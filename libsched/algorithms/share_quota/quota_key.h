/*
 * quota_key.h -- computes the key that orders queues: two words, compared first word first. From
 * the most to the least significant, the key consists of:
 *
 *   1  class: with what its next job needs, the queue stays within its guarantee in every kind that
 *      the job needs; else within its fair share; else beyond both
 *   2  queue priority, higher first
 *   3  dominant share with that job: max over kinds of (used + want) / allocatable, where
 *      allocatable is min(limit, max(guarantee, fair share)), or the capacity of the cluster if
 *      that is unlimited. A queue that holds or wants a kind with allocatable 0 comes after all
 *      others; such queues are ordered by their fraction of the cluster
 *   4  dominant share without that job
 *
 * The queues of users and groups use the order key of their first job, then 1, then 3. Therefore
 * priority decides before fairness between users, and fairness before age.
 *
 * Shares have 40 fractional bits (24 in 4), rounded down, so equal quotients give equal keys,
 * whatever their numerators are. All shares above 2^19 (2^8 in 4) are equal. The engine orders
 * queues with equal keys by creation time, then by name. O(kinds).
 */
#ifndef LIBSCHED_QUOTA_KEY_H
#define LIBSCHED_QUOTA_KEY_H

#include "algorithms/share_quota/quota_tree.h"

enum quota_class { QUOTA_WITHIN_GUARANTEE, QUOTA_WITHIN_FAIR_SHARE, QUOTA_BEYOND };

/* Sets *key for a queue. `want`: amounts by kind that its next job needs. `head_order`: order key
 * of the queue's first job. */
void quota_key(const struct quota_tree *t, const lsched_view *view, uint32_t queue,
               const int64_t *want, int64_t head_order, lsched_share_key *key);

#endif
