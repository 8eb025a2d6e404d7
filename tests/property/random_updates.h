/*
 * random_updates.h -- random updates of jobs (lsched_jobs_update), and what they change in the world;
 * random holds of jobs and their release.
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
    if (n->started) job->size[n->group] = n->started;
}

/* Fills an update of one field of the job. `queue`: a leaf queue for LSCHED_JOB_SET_QUEUE. */
static inline void random_update(struct world *w, const struct world_job *job, uint32_t queue,
                                 lsched_job_update *u, lsched_group_count *n) {
    static const uint32_t bits[] = {
        LSCHED_JOB_SET_TAG,        LSCHED_JOB_SET_RETRIES,
        LSCHED_JOB_SET_DURATION,   LSCHED_JOB_SET_DEADLINE,
        LSCHED_JOB_SET_TIME_LIMIT, LSCHED_JOB_SET_DISRUPTIONS,
        LSCHED_JOB_SET_RELEASE,    LSCHED_JOB_SET_CHECKPOINT,
        LSCHED_JOB_SET_BEGIN,      LSCHED_JOB_SET_LABELS,
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
    u->checkpoint_us = (int64_t)chance_below(c, 3) * 30000000;
    if (!(job->desc.flags & LSCHED_JOB_NON_PREEMPTIBLE))
        u->soft_limit_us = (int64_t)chance_below(&w->fixed, 3) * 1200000000;
    if (u->set & LSCHED_JOB_SET_TIME_LIMIT) u->set |= LSCHED_JOB_SET_SOFT_LIMIT;
    if (u->set & LSCHED_JOB_SET_BEGIN)
        u->begin_us = chance_one_in(&w->fixed, 2) ? 0 : w->now_us + 60000000;
    u->labels = job->desc.labels;
    u->n_labels = chance_one_in(c, 2) ? job->desc.n_labels : 0;
    u->queue_name = world_text(w->queues[queue].name);
    u->groups = job->desc.groups;
    u->n_groups = job->desc.n_groups;
    n->group = job->desc.n_groups - 1;
    n->max_count = 1 + chance_below(c, 6);
    n->min_count = chance_one_in(c, 4) ? LSCHED_MIN_NONE : 1 + chance_below(c, n->max_count);
    if (job->groups[n->group].flags && chance_one_in(&w->fixed, 2))
        n->started = 1 + chance_below(&w->fixed, 6);
    u->counts = n;
    u->n_counts = 1;
}

/* Returns a hold, now and then; else one of size 0. A reason that begins with "release" is that of
 * no hold. */
static inline lsched_job_hold random_hold(struct world *w) {
    static const char *const reasons[] = {"", "data", "budget", "release"};
    struct chance *c = &w->chance;
    lsched_job_hold h = LSCHED_JOB_HOLD_INIT;
    h.reason = world_text(reasons[chance_below(c, 4)]);
    if (chance_one_in(c, 2)) h.until_us = w->now_us + chance_between(c, 1, 200) * 1000000;
    if (!chance_one_in(c, 4)) h.size = 0;
    return h;
}

/* Makes the update, or in its place the hold or the release of the job, and verifies. */
static inline int32_t random_update_make(lsched_cluster *c, const lsched_job_update *u,
                                         lsched_job_hold *h, lsched_error *err) {
    lsched_batch_opts opts = {sizeof opts, LSCHED_BATCH_IDEMPOTENT};
    if (!h->size) return lsched_jobs_update(c, u, 1, sizeof *u, NULL, NULL, err);
    h->job = u->job;
    int32_t rc = h->reason.len == strlen("release")
                     ? lsched_jobs_release(c, &u->job, 1, &opts, NULL, err)
                     : lsched_jobs_hold(c, h, 1, sizeof *h, &opts, NULL, err);
    if (rc < 0) return rc;
    int32_t sound = lsched_verify(c, NULL, err);
    return sound < 0 ? sound : rc;
}

#endif
