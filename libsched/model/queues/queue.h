/*
 * queue.h -- the queue tree: configured amounts and what is used.
 *
 * Invariants: USED of a queue = what the placed tasks of its jobs hold plus USED of its children;
 * JOBS and PENDING count its jobs and those below. QUOTA_NOW, LIMIT_NOW, WEIGHT_NOW and
 * PRIORITY_NOW are what is in force after the policy's hooks; without hooks the configured ones.
 * DEMAND, CORE and JOBS_HELD: nonpreemptible_use.h. What it does not lend: lend_limits.h. What it
 * used: usage_decay.h.
 * Queues of users: user_queue.h.
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
    int64_t user_limit[KINDS_MAX], group_limit[KINDS_MAX]; /* of sub-queues: plus one; 0: none */
    uint32_t n_derived; /* so many of the next two are set; the others: no quota, no limit */
    int64_t derived_quota[LIMIT_DERIVED_KINDS], derived_limit[LIMIT_DERIVED_KINDS];
};

int32_t queue_add(struct columns *k, const struct queue_spec *spec, uint32_t *row);
int32_t queue_set(struct columns *k, uint32_t queue,
                  const struct queue_spec *spec);     /* all but name and parent; LSCHED_E_NOMEM */
void queue_remove(struct columns *k, uint32_t queue); /* no jobs, no children */
/* What the policy says the quota is now. 1 if that is news. */
int queue_set_quota_now(struct columns *k, uint32_t queue, uint32_t kind, int64_t amount);
/* The same of the limit: who waits for a limit that rises is woken by queue_gave(). */
int queue_set_limit_now(struct columns *k, uint32_t queue, uint32_t kind, int64_t amount);
/* Is the queue `top`, or below it. */
int queue_is_below(const struct columns *k, uint32_t queue, uint32_t top);
int queue_is_leaf(const struct columns *k, uint32_t queue);
/* Charge n tasks of a shape (n < 0: give back), each of which holds so much of gpu, to the queue
 * and its ancestors. */
void queue_charge(struct columns *k, uint32_t queue, uint32_t shape, int64_t gpu, int64_t n);
void queue_count(struct columns *k, uint32_t queue, int64_t jobs, int64_t pending);
/* May the queue and its ancestors take n more tasks of the shape, each charged so much of gpu,
 * within their limits? 1; or 0 with whose limit, which kind, and what it leaves. */
int queue_has_room(const struct columns *k, uint32_t queue, uint32_t shape, int64_t gpu, int64_t n,
                   uint32_t *limiting, uint32_t *kind, int64_t *left);
/* True if the queue or one above it uses more than a limit of it, by kinds, parts of kinds, or
 * jobs. */
int queue_above_limits(const struct columns *k, uint32_t queue);
/* The lowest queue of the path that has no room for one job more that holds something, or that
 * exists; NO_ROW if all have. */
uint32_t queue_full_of_holders(const struct columns *k, uint32_t queue);
uint32_t queue_full_of_jobs(const struct columns *k, uint32_t queue);

#endif
