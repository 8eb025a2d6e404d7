/* queue_update.h -- sets all fields of a queue from a description, as a new queue would have them. */
#ifndef LSCHED_TESTS_QUEUE_UPDATE_H
#define LSCHED_TESTS_QUEUE_UPDATE_H

#include <libsched/libsched.h>

enum { QUEUE_UPDATE_KINDS = LSCHED_RESOURCE_KINDS_MAX + LSCHED_RESOURCE_PARTS_MAX };

/* Writes the default for every kind and the amounts of the list to all[], and returns the number. */
static inline uint32_t queue_update_amounts(const lsched_cluster *c, const lsched_amount *list,
                                            uint32_t n, int64_t fallback, uint32_t kinds,
                                            lsched_amount all[QUEUE_UPDATE_KINDS]) {
    uint32_t count = 0;
    for (uint32_t kind = 1; kind < kinds; kind++) {
        if (!lsched_resource_name(c, kind)) continue;
        int64_t amount = fallback;
        for (uint32_t i = 0; i < n; i++)
            if (list[i].kind == kind || list[i].kind == LSCHED_ANY_RESOURCE)
                amount = list[i].amount;
        all[count++] = (lsched_amount){kind, 0, amount};
    }
    for (uint32_t i = 0; i < n; i++) { /* what is wrong in the list is passed on */
        int known = list[i].kind == LSCHED_ANY_RESOURCE ||
                    (list[i].kind < kinds && lsched_resource_name(c, list[i].kind) &&
                     !list[i].reserved_zero);
        if (!known && count < QUEUE_UPDATE_KINDS) all[count++] = list[i];
    }
    return count;
}

/* Returns 1, or the error of lsched_queues_update(). */
static inline int32_t queue_update_all(lsched_cluster *c, lsched_id queue,
                                       const lsched_queue_desc *d, lsched_error *err) {
    lsched_amount quota[QUEUE_UPDATE_KINDS], limit[QUEUE_UPDATE_KINDS], weight[QUEUE_UPDATE_KINDS],
        lend[QUEUE_UPDATE_KINDS], user[QUEUE_UPDATE_KINDS], group[QUEUE_UPDATE_KINDS];
    lsched_queue_update u = LSCHED_QUEUE_UPDATE_INIT;
    const uint32_t kinds = LSCHED_RESOURCE_KINDS_MAX;
    u.set = 2 * (uint32_t)LSCHED_QUEUE_SET_GROUP_SUBMITTED_MAX - 1;
    u.queue = queue;
    u.tag = d->tag;
    u.quota = quota, u.limit = limit, u.weight_milli = weight, u.lend_limit = lend;
    u.user_limit = user, u.group_limit = group;
    u.n_quota = queue_update_amounts(c, d->quota, d->n_quota, 0, QUEUE_UPDATE_KINDS, quota);
    u.n_limit =
        queue_update_amounts(c, d->limit, d->n_limit, LSCHED_UNLIMITED, QUEUE_UPDATE_KINDS, limit);
    u.n_weight = queue_update_amounts(c, d->weight_milli, d->n_weight, 1000, kinds, weight);
    u.n_lend_limit =
        queue_update_amounts(c, d->lend_limit, d->n_lend_limit, LSCHED_UNLIMITED, kinds, lend);
    u.n_user_limit =
        queue_update_amounts(c, d->user_limit, d->n_user_limit, LSCHED_UNLIMITED, kinds, user);
    u.n_group_limit =
        queue_update_amounts(c, d->group_limit, d->n_group_limit, LSCHED_UNLIMITED, kinds, group);
    u.flags = d->flags;
    u.priority = d->priority;
    u.reclaim_min_runtime_us = d->reclaim_min_runtime_us;
    u.preempt_min_runtime_us = d->preempt_min_runtime_us;
    u.preemption_delay_us = d->preemption_delay_us;
    u.created_us = d->created_us;
    u.jobs_max = d->jobs_max, u.submitted_max = d->submitted_max;
    u.user_jobs_max = d->user_jobs_max, u.user_submitted_max = d->user_submitted_max;
    u.group_jobs_max = d->group_jobs_max, u.group_submitted_max = d->group_submitted_max;
    return lsched_queues_update(c, &u, 1, sizeof u, NULL, NULL, err);
}

#endif
