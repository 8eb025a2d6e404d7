/*
 * absence_model.h -- an outside model of absences and reservations: from the public getters alone,
 * says whether a plan starts a task that can run into an absence of its node, or into a window in
 * which its node is reserved for others.
 *
 * The model goes through the absences of a node one by one, and reads the longest run time of a job
 * as docs/absences.md says. It serves each world, whatever the path on which a start was decided: a
 * cycle, an adoption, or a start that a clone tries out.
 */
#ifndef TESTS_ABSENCE_MODEL_H
#define TESTS_ABSENCE_MODEL_H

#include <libsched/libsched.h>

/* True if work that starts now, and runs for `runs` at most (0: nobody knows), can be on the node
 * while it is away. */
static inline int absence_model_bars(const lsched_node_info *node, int64_t now, int64_t runs) {
    int64_t from = node->leaves_us, to = node->back_us ? node->back_us : INT64_MAX;
    if (node->leaves_us == 0 && node->back_us == 0) return 0;
    while (node->leaves_every_us && to <= now) {
        from += node->leaves_every_us;
        to += node->leaves_every_us;
    }
    return to > now && (runs == 0 || runs > from - now);
}

/* Makes the window of the reservation that the node is in, if it does not admit the queue, the
 * absence of *node. */
static inline void absence_model_reserved(const lsched_cluster *c, lsched_id id, lsched_id queue,
                                          lsched_node_info *node) {
    lsched_reservation_info r = LSCHED_RESERVATION_INFO_INIT;
    for (uint64_t all = 0; lsched_reservations_next(c, &all, &r, NULL) == 1;) {
        lsched_id in = 0, up = queue;
        uint64_t at = 0;
        while (in != id && lsched_reservation_nodes_next(c, r.name, &at, &in, NULL) == 1) continue;
        while (up && up != r.queue) {
            lsched_queue_info q = {.size = sizeof q};
            up = lsched_queue_get(c, up, &q, NULL) == LSCHED_OK ? q.parent : 0;
        }
        if (in != id || up) continue;
        node->leaves_us = r.start_us;
        node->back_us = r.end_us;
        node->leaves_every_us = r.every_us;
    }
}

/* Returns the decision of the plan, made at the time `now`, that starts a task which can run into
 * an absence; NULL: there is none. Adds the number of starts on nodes with an absence, or with a
 * window of others, to *some. */
static inline const lsched_decision *absence_model_wrong(const lsched_cluster *c,
                                                         const lsched_plan *plan, int64_t now,
                                                         uint64_t *some) {
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        lsched_node_info node = {.size = sizeof node};
        lsched_job_info job = {.size = sizeof job};
        if (d->kind != LSCHED_DECIDE_PLACE || lsched_node_get(c, d->node, &node, NULL) < 0 ||
            lsched_job_get(c, d->job, &job, NULL) < 0)
            continue;
        absence_model_reserved(c, d->node, job.queue, &node);
        int64_t runs = job.time_limit_us ? job.time_limit_us : job.duration_us;
        if (absence_model_bars(&node, now, runs)) return d;
        *some += node.leaves_us || node.back_us;
    }
    return NULL;
}

#endif
