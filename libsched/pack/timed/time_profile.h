/*
 * time_profile.h -- the load of every bin over time, as a list of breakpoints per bin.
 *
 * Invariants: the breakpoints of a bin ascend strictly in time. The first one is at INT64_MIN and
 * is never removed. Each other breakpoint exists while the start or end of a task or a reservation
 * refers to it (`refs`). A bin with n constant tasks therefore has at most 2n + 1 breakpoints, and
 * removing a task undoes adding it exactly. A breakpoint holds the load from its instant to the
 * next breakpoint: amounts, variances of soft resources, and the mask of used memory slices (bit 8:
 * the media engines, which exist once per device).
 *
 * Cost: adding, removing and finding walk the breakpoints of one bin. A list is used and not a
 * segment tree, because a bin has only tens of tasks, and because one walk, with one or two cache
 * lines per breakpoint, finds the earliest start of every MIG slice. A tree of maxima cannot do
 * that.
 */
#ifndef LIBSCHED_PACK_TIME_PROFILE_H
#define LIBSCHED_PACK_TIME_PROFILE_H

#include "pack/problem/problem.h"

#define TIME_MEDIA_BIT 0x100u
#define TIME_NEVER     INT64_MAX

struct time_point {
    int64_t from;
    uint32_t next; /* next breakpoint of the bin; 0 after the last one */
    uint32_t refs;
    uint32_t mask;
    uint32_t running; /* number of tasks that run, without reservations */
};

struct time_profile {
    const struct pack_problem *p;
    struct time_point *points; /* [0] is unused; [1 + b] is the first breakpoint of bin b */
    int64_t *loads;            /* [points][n_resources] load after each breakpoint */
    uint64_t *variances;       /* [points][n_resources]; NULL if no resource is soft */
    /* [0]: config without MIG; [1]: profile that the bins cannot hold; then by number of table and
     * profile */
    struct time_shape *shapes;
    uint32_t free; /* list of unused breakpoints, linked by `next` */
    uint32_t n_points;
    uint64_t steps; /* number of breakpoints visited; work units are derived from it */
};

/* The slices where an instance of a MIG profile can begin, in order of preference. A config without
 * MIG has one start with mask 0. */
struct time_shape {
    uint32_t n_starts;
    uint32_t windows[8]; /* masks of the memory slices that each start uses */
    uint8_t starts[8];   /* first slice of each start */
};

/* The needs of one task: a config of an item in a class of bins. */
struct time_need {
    const struct pack_config *config;
    const int32_t *amounts;
    const int32_t *sigmas; /* NULL if the demand has no deviation */
    const struct pack_class *class_in;
    const struct time_shape *shape;
};

void time_profile_new(struct time_profile *t, const struct pack_problem *p,
                      struct pack_arena *arena);
/* Resets all bins to the reservations alone. */
void time_profile_reset(struct time_profile *t);

/* Computes what a config, given by its number in the problem, needs in bins of a class. The
 * function does not check whether the item is allowed in the class. */
void time_need_of(const struct time_profile *t, uint32_t config, uint32_t class_row,
                  struct time_need *out);
/* Returns the index, in the need's list of starts, of the start at this slice; n_starts if there is
 * none. Returns 0 if the need has no MIG profile. */
uint32_t time_slot_of(const struct time_need *need, uint32_t slice);

/* Finds for each start of the need (first slice) the earliest time in [from, latest] from which the
 * task fits at that slice until the task ends; TIME_NEVER if there is none. Returns the earliest of
 * these times. With `enough`, the walk can end at the first time found, and the other entries are
 * then TIME_NEVER. */
int64_t time_starts(struct time_profile *t, uint32_t bin, const struct time_need *need,
                    int64_t from, int64_t latest, int enough, int64_t starts[8]);
/* Returns the time of the next breakpoint after an instant; TIME_NEVER if there is none. */
int64_t time_next_event(struct time_profile *t, uint32_t bin, int64_t after);

void time_add(struct time_profile *t, uint32_t bin, const struct time_need *need, int64_t start,
              uint32_t slot);
void time_remove(struct time_profile *t, uint32_t bin, const struct time_need *need, int64_t start,
                 uint32_t slot);

static inline int64_t time_end_of(int64_t start, int64_t duration) {
    return duration == PACK_FOREVER || start > INT64_MAX - duration ? INT64_MAX : start + duration;
}

#endif
