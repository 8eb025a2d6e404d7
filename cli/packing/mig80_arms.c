/*
 * mig80_arms.c -- see mig80_arms.h. The simulation of an arm keeps a heap of the times at which
 * running jobs end. Its cost is O(jobs x (GPUs + log jobs)).
 */
#include "cli/packing/mig80_arms.h"

#include <stdlib.h>
#include <string.h>

#include "cli/support/event_heap.h"
#include "cli/support/cli_errors.h"

static uint32_t mask_of(uint32_t slice, uint32_t width) {
    return ((1u << width) - 1) << slice;
}

/* Finds the GPU with the lowest index that has free slices for the profile, and the highest
 * possible start slice on that GPU. */
static bool find_room(const uint32_t *taken, uint32_t gpus, const lsched_mig_profile *profile,
                      uint32_t *gpu, uint32_t *slice) {
    for (*gpu = 0; *gpu < gpus; ++*gpu) {
        for (*slice = MIG_SLICES; (*slice)-- > 0;) {
            bool is_start = profile->starts >> *slice & 1;
            if (is_start && (taken[*gpu] & mask_of(*slice, profile->slices)) == 0) return true;
        }
    }
    return false;
}

/* Returns the profile of the instance that a job gets in an arm. Hardware allows only one instance
 * with media engines on a GPU. The arms ignore this rule, because the job lists do not use profiles
 * with media engines. */
static lsched_mig_profile profile_of(const struct mig_list *list, const struct mig_job *job,
                                     enum mig_arm arm) {
    if (arm == ARM_WHOLE) return (lsched_mig_profile){.slices = list->profiles.slices, .starts = 1};
    return list->profiles.items[arm == ARM_ASKED ? job->asks : job->needs];
}

static void release_until(struct event_heap *ends, const struct mig_spot *spots, uint32_t *taken,
                          int64_t *now_us) {
    *now_us = ends->records[0].key;
    while (ends->n > 0 && ends->records[0].key == *now_us) {
        const struct mig_spot *spot = &spots[event_heap_pop(ends).item];
        taken[spot->gpu] &= ~mask_of(spot->slice, spot->width);
    }
}

int64_t mig_arm_run(const struct mig_list *list, const struct mig_seed *seed, uint32_t gpus,
                    enum mig_arm arm, struct mig_spot *spots) {
    struct event_heap ends = {.records = NULL};
    uint32_t *taken = must_alloc(gpus * sizeof taken[0]);
    int64_t now_us = 0, last_us = 0;
    memset(taken, 0, gpus * sizeof taken[0]);
    for (uint32_t i = 0; i < seed->n; i++) {
        const struct mig_job *job = &list->jobs[seed->first + i];
        lsched_mig_profile profile = profile_of(list, job, arm);
        uint32_t gpu, slice;
        while (!find_room(taken, gpus, &profile, &gpu, &slice))
            release_until(&ends, spots, taken, &now_us);
        taken[gpu] |= mask_of(slice, profile.slices);
        spots[i] = (struct mig_spot){.gpu = gpu,
                                     .slice = slice,
                                     .width = profile.slices,
                                     .needs = list->profiles.items[job->needs].slices,
                                     .start_us = now_us,
                                     .end_us = now_us + job->duration_us};
        event_heap_push(&ends, (struct heap_record){.key = spots[i].end_us, .item = i});
        if (spots[i].end_us > last_us) last_us = spots[i].end_us;
    }
    event_heap_free(&ends);
    free(taken);
    return last_us;
}

static int64_t at_least(int64_t bound, double area, double width) {
    int64_t us = (int64_t)(area / width);
    return us > bound ? us : bound;
}

int64_t mig_area_bound(const struct mig_list *list, const struct mig_seed *seed, uint32_t gpus) {
    const struct mig_profiles *profiles = &list->profiles;
    double memory = 0, compute = 0, halves = 0;
    int64_t bound = 0;
    for (size_t i = 0; i < seed->n; i++) {
        const struct mig_job *job = &list->jobs[seed->first + i];
        const lsched_mig_profile *profile = &profiles->items[job->needs];
        double us = (double)job->duration_us;
        memory += us * profile->slices;
        compute += us * profile->compute;
        if (2 * profile->slices >= profiles->slices)
            halves += profile->slices == profiles->slices ? 2 * us : us;
        if (job->duration_us > bound) bound = job->duration_us;
    }
    bound = at_least(bound, memory, (double)profiles->slices * gpus);
    bound = at_least(bound, compute, (double)profiles->compute * gpus);
    return at_least(bound, halves, 2.0 * gpus);
}

double mig_needed_area(const struct mig_list *list, const struct mig_seed *seed) {
    double area = 0;
    for (size_t i = 0; i < seed->n; i++) {
        const struct mig_job *job = &list->jobs[seed->first + i];
        area += (double)job->duration_us * list->profiles.items[job->needs].slices;
    }
    return area;
}
