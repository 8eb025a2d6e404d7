/*
 * pack_services.h -- turns services with measured demand into a packing problem. Time is divided
 * into slots of any widths. The demand in a slot is the largest sample in it, a quantile of its
 * samples, or their mean and deviation.
 *
 * Every service is there for the whole horizon; only its demand changes. The problem of the same
 * services can also be made from their peaks alone (one slot); comparing the two problems shows
 * what packing over time saves. A plan can be compared with the samples, which shows for how long
 * the demand in a bin exceeds its capacity.
 */
#ifndef LSCHED_CLI_PACK_SERVICES_H
#define LSCHED_CLI_PACK_SERVICES_H

#include <stdbool.h>

#include "cli/packing/pack_samples.h"

enum { NOT_SOFT = -1 };

struct service_set {
    struct sample_list samples;
    struct sample_grid grid;
    uint32_t *kept; /* owned; indexes of the names that are kept */
    uint32_t n_kept, n_resources;
    int64_t capacity[LSCHED_PACK_RESOURCES_MAX]; /* in millionths */
    lsched_text resources[LSCHED_PACK_RESOURCES_MAX];
    int64_t *bounds; /* owned; n_slots + 1 entries, the first is 0 */
    uint32_t n_slots;
    /* quantile of the samples in a slot, in millionths; MILLION: the largest sample */
    int64_t quantile_micro;
    /* soft resources: number of sigmas above the mean, in thousandths; NOT_SOFT: hard resources */
    int64_t sigmas_milli;
};

/* Makes the set after all samples are read. The set keeps the names that have at least min_samples
 * samples of each resource. */
int32_t service_set_make(struct service_set *set, int64_t step_us, int64_t min_samples,
                         lsched_error *err);
enum slots { SLOTS_OK, SLOTS_BAD, SLOTS_TOO_MANY };
/* Sets the slots from widths such as "15m" or "12x5m,12x15m,1h". The last width is repeated until
 * the end. NULL: one slot per step of the samples. */
enum slots service_set_slots(struct service_set *set, const char *widths);

/* Makes the problem; with by_peaks it has one slot. After an error *resource is the resource whose
 * file the error is about. */
int32_t service_set_problem(const struct service_set *set, uint32_t bins, bool by_peaks,
                            struct pack_input *out, uint32_t *resource, lsched_error *err);

struct overload {
    int64_t bins_us; /* time for which bins exceed their capacity, summed over all bins */
    int64_t of_us;   /* time of all bins */
    /* the most by which a bin exceeds its capacity, in millionths of the capacity */
    int64_t worst_micro;
};
/* Compares a plan for this set's problem, given by its places, with the samples. */
void service_set_overload(const struct service_set *set, const lsched_pack_place *places,
                          uint32_t n_bins, struct overload *out);
void service_set_free(struct service_set *set);

#endif
