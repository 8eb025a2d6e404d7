/*
 * pack_services.h -- services with measured demand as a packing problem: slots of any widths, in
 * each the most that was measured inside, a quantile of it, or mean and deviation.
 *
 * Every service is there for the whole horizon; what changes is how much it needs. The same set can
 * be asked for its problem by peaks alone (one slot), which is what time is worth against, and a
 * plan can be held against the samples: how long was a bin asked for more than it has?
 */
#ifndef LSCHED_CLI_PACK_SERVICES_H
#define LSCHED_CLI_PACK_SERVICES_H

#include <stdbool.h>

#include "cli/packing/pack_samples.h"

enum { NOT_SOFT = -1 };

struct service_set {
    struct sample_list samples;
    struct sample_grid grid;
    uint32_t *kept; /* owned; numbers of the names that count */
    uint32_t n_kept, n_resources;
    int64_t capacity[LSCHED_PACK_RESOURCES_MAX]; /* millionths */
    lsched_text resources[LSCHED_PACK_RESOURCES_MAX];
    int64_t *bounds; /* owned; [n_slots + 1], from 0 */
    uint32_t n_slots;
    int64_t quantile_micro; /* of the samples in a slot; MILLION: the most */
    int64_t sigmas_milli;   /* soft resources, mean + so many sigma; NOT_SOFT: hard ones */
};

/* After all samples are read. Keeps the names that have at least min_samples of each resource. */
int32_t service_set_make(struct service_set *set, int64_t step_us, int64_t min_samples,
                         lsched_error *err);
enum slots { SLOTS_OK, SLOTS_BAD, SLOTS_TOO_MANY };
/* "15m", or "12x5m,12x15m,1h": widths, the last of which goes on to the end; NULL: as sampled. */
enum slots service_set_slots(struct service_set *set, const char *widths);

/* by_peaks: one slot. On an error *resource says whose file is to blame. */
int32_t service_set_problem(const struct service_set *set, uint32_t bins, bool by_peaks,
                            struct pack_input *out, uint32_t *resource, lsched_error *err);

struct overload {
    int64_t bins_us;     /* time of bins over their capacity, of all bins */
    int64_t of_us;       /* time of all bins */
    int64_t worst_micro; /* the most that a bin is over it, in millionths of the capacity */
};
/* places: of the problem of this set. */
void service_set_overload(const struct service_set *set, const lsched_pack_place *places,
                          uint32_t n_bins, struct overload *out);
void service_set_free(struct service_set *set);

#endif
