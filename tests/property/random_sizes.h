/*
 * random_sizes.h -- groups whose size is chosen when they start: which sizes a correct scheduler has
 * chosen, told from what the test sees of the tasks. A size is seen when a group has its first tasks;
 * then it stays until the job has no tasks, but for imports and for what the orchestrator says.
 */
#ifndef LIBSCHED_RANDOM_SIZES_H
#define LIBSCHED_RANDOM_SIZES_H

#include "property/random_world.h"

static inline int random_sizes_fixed(const lsched_group_desc *d) {
    return d->n_request && (d->flags & LSCHED_GROUP_FIXED_AT_START);
}

/* The least and the greatest number of tasks of a leaf group, as they count now. */
static inline uint32_t random_sizes_min(const struct world_job *job, uint32_t g) {
    const lsched_group_desc *d = &job->groups[g];
    if (job->size[g]) return job->size[g];
    return d->min_count == LSCHED_MIN_NONE ? 0 : d->min_count ? d->min_count : d->max_count;
}

static inline uint32_t random_sizes_max(const struct world_job *job, uint32_t g) {
    return job->size[g] ? job->size[g] : job->groups[g].max_count;
}

static inline uint32_t random_sizes_wanted(const struct world_job *job) {
    uint32_t n = 0;
    for (uint32_t g = 0; g < job->desc.n_groups; g++)
        if (job->groups[g].n_request) n += random_sizes_max(job, g);
    return n;
}

/* The size of a group that has `held` tasks, with whole blocks. */
static inline uint32_t random_sizes_whole(const struct world_job *job, uint32_t g, uint32_t held) {
    uint32_t n = random_sizes_min(job, g),
             block = job->groups[g].n_slices ? job->groups[g].slices[0].tasks : 1;
    if (held > n) n = held;
    return (n + block - 1) / block * block;
}

/* Notes the sizes of a job. held[g]: tasks of the group that are placed or done; active: some task of
 * the job is placed, done or releasing; fresh: they are all proposed or nominated, so a cycle can have
 * withdrawn them all and started the job anew; wanted: tasks_wanted of the job. Returns 0 if they are not what
 * they must be. */
static inline int random_sizes_note(struct world_job *job, const uint32_t *held, int active,
                                    int fresh, uint32_t wanted) {
    int sound = 1, anew = fresh && random_sizes_wanted(job) != wanted;
    for (uint32_t g = 0; g < job->desc.n_groups; g++) {
        if (!active || anew) job->size[g] = 0;
        if (!active || !random_sizes_fixed(&job->groups[g])) continue;
        uint32_t was = job->size[g];
        /* a policy can have replaced the minimum of a single group */
        if (was == 0 && job->desc.n_groups == 1) job->size[g] = wanted;
        if (was == 0 && job->desc.n_groups > 1 && held[g])
            job->size[g] = random_sizes_whole(job, g, held[g]);
        if (was && job->is_imported) job->size[g] = random_sizes_whole(job, g, held[g]);
        sound &= held[g] <= job->size[g] && job->size[g] <= job->groups[g].max_count;
        /* a start is whole, so only an import leaves a gang at once below its size */
        if (was == 0 && !job->is_imported) sound &= held[g] == job->size[g];
    }
    job->is_imported = 0;
    return sound;
}

#endif
