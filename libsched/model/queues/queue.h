/*
 * queue.h -- the queue tree: configured amounts and use.
 *
 * Invariants: USED of a queue = what the placed tasks of its jobs hold plus USED of its children;
 * JOBS and PENDING count the jobs of the queue and of the queues below. QUOTA_NOW, LIMIT_NOW,
 * WEIGHT_NOW and PRIORITY_NOW are the values in force after the policy's hooks; without hooks the
 * configured ones. nonpreemptible_use.h describes DEMAND, CORE and JOBS_HELD; lend_limits.h lend
 * limits; usage_decay.h decayed use; user_queue.h user queues.
 */
#ifndef LIBSCHED_QUEUE_H
#define LIBSCHED_QUEUE_H

#include "model/devices/resource_part.h"
#include "model/news/queue_news.h"

struct queue_spec {
    lsched_text name;
    uint64_t tag;
    uint32_t parent; /* row or NO_ROW */
    int32_t priority;
    int64_t created, reclaim_min, preempt_min, preempt_delay;
    uint32_t flags, jobs_max, submitted_max;
    uint32_t user_jobs_max, user_submitted_max, group_jobs_max, group_submitted_max;
    int64_t quota[KINDS_MAX], limit[KINDS_MAX], weight[KINDS_MAX], lend[KINDS_MAX];
    /* limits of user queues, plus one; 0: none */
    int64_t user_limit[KINDS_MAX], group_limit[KINDS_MAX];
    /* number of entries that are set in the next two members; for the others: no quota, no
     * limit */
    uint32_t n_part_quotas;
    int64_t part_quotas[LIMIT_RESOURCE_PARTS], part_limits[LIMIT_RESOURCE_PARTS];
};

int32_t queue_add(struct columns *k, const struct queue_spec *spec, uint32_t *row);
/* sets all but name and parent; LSCHED_E_NOMEM */
int32_t queue_set(struct columns *k, uint32_t queue, const struct queue_spec *spec);
void queue_remove(struct columns *k, uint32_t queue); /* the queue has no jobs and no children */
/* Sets the quota that the policy gives now. Returns 1 if it has changed. */
int queue_set_quota_now(struct columns *k, uint32_t queue, uint32_t kind, int64_t amount);
/* Sets the limit that the policy gives now. Returns 1 if it has changed. queue_gave() wakes the
 * bundles that wait for a higher limit. */
int queue_set_limit_now(struct columns *k, uint32_t queue, uint32_t kind, int64_t amount);
/* Returns 1 if the queue is `top` or below it. */
int queue_is_below(const struct columns *k, uint32_t queue, uint32_t top);
int queue_is_leaf(const struct columns *k, uint32_t queue);
/* Charges n tasks of a shape (n < 0: gives them back), each with `gpu` milli-GPUs, to the queue
 * and its ancestors. */
void queue_charge(struct columns *k, uint32_t queue, uint32_t shape, int64_t gpu, int64_t n);
void queue_count(struct columns *k, uint32_t queue, int64_t jobs, int64_t pending);
/* Returns 1 if the limits of the queue and its ancestors allow n more tasks of the shape, each
 * charged `gpu` milli-GPUs. Otherwise returns 0 and sets the limiting queue, the kind, and what
 * the limit leaves. */
int queue_has_room(const struct columns *k, uint32_t queue, uint32_t shape, int64_t gpu, int64_t n,
                   uint32_t *limiting, uint32_t *kind, int64_t *left);
/* Returns 1 if the queue or a queue above it uses more than one of its limits: of a kind, of a
 * resource part, or of jobs. */
int queue_above_limits(const struct columns *k, uint32_t queue);
/* Return the lowest queue of the path that has no room for one more job that holds something, or
 * for one more submitted job; NO_ROW if all queues have room. */
uint32_t queue_full_of_holders(const struct columns *k, uint32_t queue);
uint32_t queue_full_of_jobs(const struct columns *k, uint32_t queue);

#endif
