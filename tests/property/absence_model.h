/*
 * absence_model.h -- an outside model of absences: from the public getters alone, says whether a
 * plan starts a task that can run into an absence of its node.
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

/* Returns the decision of the plan, made at the time `now`, that starts a task which can run into
 * an absence; NULL: there is none. Adds the number of starts on nodes with an absence to *some. */
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
        int64_t runs = job.time_limit_us ? job.time_limit_us : job.duration_us;
        if (absence_model_bars(&node, now, runs)) return d;
        *some += node.leaves_us || node.back_us;
    }
    return NULL;
}

#endif
