/*
 * queue.h -- the queue tree: the configured amounts and the use of each queue.
 *
 * Invariants: USED of a queue = the sum of the amounts charged for the placed and nominated tasks
 * of its jobs, plus USED of its children; JOBS and PENDING count the jobs of the queue and of the
 * queues below. QUOTA_NOW, LIMIT_NOW, WEIGHT_NOW and PRIORITY_NOW are the values in force: those
 * that the policy's hooks returned, or the configured values if there are no such hooks.
 * nonpreemptible_use.h describes DEMAND, CORE and JOBS_HELD; lend_limits.h lend limits;
 * usage_decay.h decayed use; user_queue.h user queues.
 */
#ifndef LIBSCHED_QUEUE_H
#define LIBSCHED_QUEUE_H

#include "model/devices/resource_part.h"
#include "model/news/queue_news.h"

struct queue_spec {
    lsched_text name;
    uint64_t tag;
    uint32_t parent; /* row of the parent queue; NO_ROW: a root queue */
    int32_t priority;
    int64_t created, reclaim_min, preempt_min, preempt_delay;
    uint32_t flags, jobs_max, submitted_max;
    uint32_t user_jobs_max, user_submitted_max, group_jobs_max, group_submitted_max;
    int64_t quota[KINDS_MAX], limit[KINDS_MAX], weight[KINDS_MAX], lend[KINDS_MAX];
    /* limits of the user queues below this queue, plus one; 0: no limit */
    int64_t user_limit[KINDS_MAX], group_limit[KINDS_MAX];
    /* number of entries that are set in part_quotas and in part_limits; the queue has no quota
     * and no limit for the other resource parts */
    uint32_t n_part_quotas;
    int64_t part_quotas[LIMIT_RESOURCE_PARTS], part_limits[LIMIT_RESOURCE_PARTS];
};

/* Writes the configured properties of the queue to *spec, except its name and its parent. */
void queue_spec_of(const struct columns *k, uint32_t queue, struct queue_spec *spec);
int32_t queue_add(struct columns *k, const struct queue_spec *spec, uint32_t *row);
/* Sets all properties of the queue except name and parent. Can return LSCHED_E_NOMEM. */
int32_t queue_set(struct columns *k, uint32_t queue, const struct queue_spec *spec);
/* Sets one value of the queue and nothing else: a limit, a quota (kind: also a resource part), or
 * the largest number of jobs with placed tasks. Can return LSCHED_E_NOMEM. */
enum queue_value { QUEUE_VALUE_LIMIT, QUEUE_VALUE_QUOTA, QUEUE_VALUE_JOBS_MAX };
int32_t queue_amend(struct columns *k, uint32_t queue, enum queue_value what, uint32_t kind,
                    int64_t value);
void queue_remove(struct columns *k, uint32_t queue); /* it must have no jobs and no children */
/* Sets the quota in force, which a hook of the policy chose. Returns 1 if the value has changed. */
int queue_set_quota_now(struct columns *k, uint32_t queue, uint32_t kind, int64_t amount);
/* Sets the limit in force, which a hook of the policy chose. Returns 1 if the value has changed.
 * If the limit has become higher, the function calls queue_gave(), so that the next cycle wakes
 * the bundles that wait for room below the limit. */
int queue_set_limit_now(struct columns *k, uint32_t queue, uint32_t kind, int64_t amount);
/* Returns 1 if the queue is `top` or a queue below `top`. */
int queue_is_below(const struct columns *k, uint32_t queue, uint32_t top);
/* Returns the minimum run time in force for the queue, in microseconds: the value of the column
 * (QUEUE.PREEMPT_MIN or RECLAIM_MIN) in the lowest queue that has one, from this queue upward; 0
 * if none of these queues has one. */
static inline int64_t queue_min_runtime(const struct columns *k, uint32_t queue, uint32_t column) {
    while (queue != NO_ROW && k->c[column].i64[queue] == 0) queue = k->c[C_QUEUE_PARENT].u32[queue];
    return queue == NO_ROW ? 0 : k->c[column].i64[queue];
}
int queue_is_leaf(const struct columns *k, uint32_t queue);
/* Largest use that a queue can have, even without a limit. The sum of this value and of the request
 * of one job (at most 2^62) does not overflow. */
#define QUEUE_USED_MOST (LSCHED_AMOUNT_MAX - 1)

/* Adds n tasks of a shape, each with `gpu` milli-GPUs, to the use of the queue and of all queues
 * above it. If n is below 0, -n tasks are subtracted. */
void queue_charge(struct columns *k, uint32_t queue, uint32_t shape, int64_t gpu, int64_t n);
/* Adds more[kind], which can be below 0, to the use of the queue and of all queues above it. */
void queue_charge_more(struct columns *k, uint32_t queue, const int64_t more[KINDS_MAX]);
void queue_count(struct columns *k, uint32_t queue, int64_t jobs, int64_t pending);
/* Returns 1 if the limits of the queue and of all queues above it allow n more tasks of the
 * shape, each charged with `gpu` milli-GPUs. Otherwise returns 0 and sets *limiting to the queue
 * with the limit, *kind to the kind, and *left to the amount that the limit leaves. */
int queue_has_room(const struct columns *k, uint32_t queue, uint32_t shape, int64_t gpu, int64_t n,
                   uint32_t *limiting, uint32_t *kind, int64_t *left);
/* Returns 1 if the queue or a queue above it exceeds any of its limits: for a kind, for a
 * resource part, or for the number of jobs. */
int queue_above_limits(const struct columns *k, uint32_t queue);
/* Both functions check the queue and all queues above it, and return the lowest one without room;
 * NO_ROW if all have room. queue_full_of_holders() checks the limit on jobs with placed tasks,
 * queue_full_of_jobs() the limit on submitted jobs. */
uint32_t queue_full_of_holders(const struct columns *k, uint32_t queue);
uint32_t queue_full_of_jobs(const struct columns *k, uint32_t queue);

#endif
