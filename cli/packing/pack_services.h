/*
 * pack_services.h -- turns services with measured demand into a packing problem. Time is divided
 * into slots, which can have different durations. The demand of a service in a slot is the largest
 * sample in the slot, a quantile of the samples in the slot, or their mean and standard deviation.
 *
 * Every service exists for the whole horizon; only its demand changes. A second problem of the same
 * services can be made that has a single slot, where the demand of a service is its peak. The
 * difference between the two results shows how many bins packing over time saves.
 * service_set_overload() compares a plan with the samples and finds how long the demand in a bin
 * exceeds the capacity of the bin.
 */
#ifndef LSCHED_CLI_PACK_SERVICES_H
#define LSCHED_CLI_PACK_SERVICES_H

#include <stdbool.h>

#include "cli/packing/pack_samples.h"

enum { NOT_SOFT = -1 };

struct service_set {
    struct sample_list samples;
    struct sample_grid grid;
    uint32_t *kept; /* owned by this struct; indexes of the services that become items */
    uint32_t n_kept, n_resources;
    int64_t capacity[LSCHED_PACK_RESOURCES_MAX]; /* in millionths */
    lsched_text resources[LSCHED_PACK_RESOURCES_MAX];
    /* owned by this struct; times in microseconds between which the slots lie; n_slots + 1 entries,
     * bounds[0] is 0 */
    int64_t *bounds;
    uint32_t n_slots;
    /* quantile of the samples that is the demand in a slot, in millionths; MILLION means the
     * largest sample */
    int64_t quantile_micro;
    /* number of standard deviations that are reserved above the mean, in thousandths; NOT_SOFT if
     * resources are hard */
    int64_t sigmas_milli;
};

/* Makes the grid and chooses the services that become items. Before the call, the caller has read
 * all samples into set->samples. Only services that have at least min_samples samples of each
 * resource are kept. step_us has the same meaning as in sample_grid_make(). */
int32_t service_set_make(struct service_set *set, int64_t step_us, int64_t min_samples,
                         lsched_error *err);
enum slots { SLOTS_OK, SLOTS_BAD, SLOTS_TOO_MANY };
/* Sets the slots from a text of durations such as "15m" or "12x5m,12x15m,1h". The last duration is
 * repeated until the end of the horizon. If `widths` is NULL, each step of the grid is a slot. */
enum slots service_set_slots(struct service_set *set, const char *widths);

/* Makes the packing problem. If by_peaks is true, the problem has one slot, and the demand of a
 * service is its peak. After an error, *resource is the index of the resource in whose file the
 * error is. */
int32_t service_set_problem(const struct service_set *set, uint32_t bins, bool by_peaks,
                            struct pack_input *out, uint32_t *resource, lsched_error *err);

struct overload {
    int64_t bins_us; /* time for which bins exceed their capacity, summed over all bins */
    int64_t of_us;   /* duration of the horizon multiplied by the number of bins */
    /* largest excess of the demand in a bin over its capacity, in millionths of the capacity */
    int64_t worst_micro;
};
/* Compares the demand in each bin of a plan with the capacity of the bin, for each step of the
 * grid. `places` is the plan, which was made for this set's problem. */
void service_set_overload(const struct service_set *set, const lsched_pack_place *places,
                          uint32_t n_bins, struct overload *out);
void service_set_free(struct service_set *set);

#endif
