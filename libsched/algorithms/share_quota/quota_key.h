/*
 * quota_key.h -- computes the key by which queues are ordered. A key has two words; the first word
 * is compared first. From the most to the least significant, the key consists of:
 *
 *   1  class: whether the queue, with the amounts of its next job, stays within its guarantee in
 *      every kind that the job needs; or within its fair share; or exceeds both
 *   2  queue priority, higher first
 *   3  dominant share with the next job: max over kinds of (used + want) / allocatable, where
 *      allocatable is min(limit, max(guarantee, fair share)), or the capacity of the cluster if
 *      this minimum is unlimited. A queue that holds or wants a kind with allocatable 0 comes after
 *      all others; such queues are ordered by their fraction of the cluster
 *   4  dominant share without the next job
 *
 * The key of a user queue (the queue of a user or a group) consists of the order key of its first
 * job, then 1, then 3. Therefore, among users, priority decides before fairness, and fairness
 * decides before age.
 *
 * Shares have 40 fractional bits (24 in component 4) and are rounded down, so equal quotients give
 * equal keys. All shares above 2^19 (2^8 in component 4) count as equal. The engine orders queues
 * with equal keys by creation time, then by name. O(kinds).
 */
#ifndef LIBSCHED_QUOTA_KEY_H
#define LIBSCHED_QUOTA_KEY_H

#include "algorithms/share_quota/quota_tree.h"

enum quota_class { QUOTA_WITHIN_GUARANTEE, QUOTA_WITHIN_FAIR_SHARE, QUOTA_BEYOND };

/* Sets *key for a queue. `want` has, by kind, the amounts that the queue's next job needs.
 * head_order is the order key of the queue's first job. */
void quota_key(const struct quota_tree *t, const lsched_view *view, uint32_t queue,
               const int64_t *want, int64_t head_order, lsched_share_key *key);

#endif
