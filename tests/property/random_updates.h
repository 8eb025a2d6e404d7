/*
 * random_updates.h -- random updates of jobs (lsched_jobs_update), and what they change in the world.
 */
#ifndef LIBSCHED_RANDOM_UPDATES_H
#define LIBSCHED_RANDOM_UPDATES_H

#include "property/random_world.h"

/* Notes in the world what an update of the job changed. */
static inline void random_update_note(struct world_job *job, const lsched_job_update *u,
                                      const lsched_group_count *n, uint32_t queue) {
    if (u->set & LSCHED_JOB_SET_QUEUE) job->queue = queue;
    if (!(u->set & LSCHED_JOB_SET_COUNTS)) return;
    job->groups[n->group].max_count = n->max_count;
    job->groups[n->group].min_count = n->min_count;
}

/* Fills an update of one field of the job. `queue`: a leaf queue for LSCHED_JOB_SET_QUEUE. */
static inline void random_update(struct world *w, const struct world_job *job, uint32_t queue,
                                 lsched_job_update *u, lsched_group_count *n) {
    static const uint32_t bits[] = {
        LSCHED_JOB_SET_TAG,        LSCHED_JOB_SET_RETRIES,
        LSCHED_JOB_SET_DURATION,   LSCHED_JOB_SET_DEADLINE,
        LSCHED_JOB_SET_TIME_LIMIT, LSCHED_JOB_SET_DISRUPTIONS,
        LSCHED_JOB_SET_RELEASE,    LSCHED_JOB_SET_LABELS,
        LSCHED_JOB_SET_QUEUE,      LSCHED_JOB_SET_COUNTS,
        LSCHED_JOB_SET_QUEUE,      LSCHED_JOB_SET_COUNTS,
        LSCHED_JOB_SET_GROUPS,     LSCHED_JOB_SET_PRIORITY | LSCHED_JOB_SET_AGAIN,
        LSCHED_JOB_SET_PRIORITY};
    struct chance *c = &w->chance;
    *u = (lsched_job_update)LSCHED_JOB_UPDATE_INIT;
    *n = (lsched_group_count)LSCHED_GROUP_COUNT_INIT;
    u->set = bits[chance_below(c, sizeof bits / sizeof *bits)];
    u->priority = (int32_t)chance_below(c, 7) - 1;
    u->tag = job->desc.tag;
    u->retries_max = chance_below(c, 4);
    u->backoff_us = (int64_t)chance_below(c, 3) * 1000000;
    u->duration_us = (int64_t)chance_below(c, 9) * 60000000;
    u->time_limit_us = (int64_t)chance_below(c, 3) * 3600000000;
    u->disruptions_max = chance_below(c, 3);
    u->release_us = (int64_t)chance_below(c, 3) * 20000000;
    u->labels = job->desc.labels;
    u->n_labels = chance_one_in(c, 2) ? job->desc.n_labels : 0;
    u->queue_name = world_text(w->queues[queue].name);
    u->groups = job->desc.groups;
    u->n_groups = job->desc.n_groups;
    n->group = job->desc.n_groups - 1;
    n->max_count = 1 + chance_below(c, 6);
    n->min_count = chance_one_in(c, 4) ? LSCHED_MIN_NONE : 1 + chance_below(c, n->max_count);
    u->counts = n;
    u->n_counts = 1;
}

#endif
