/*
 * time_profile.h -- the load of every bin over time, as one list of breakpoints for each bin.
 *
 * Invariants: the breakpoints of a bin ascend strictly in time. The first breakpoint is at
 * INT64_MIN and is never removed. Each other breakpoint exists as long as a task or a reservation
 * starts or ends at it (`refs` counts these). Therefore a bin with n tasks of constant demand has
 * at most 2n + 1 breakpoints, and removing a task exactly undoes adding it. A breakpoint holds the
 * load from its instant to the next breakpoint: amounts, variances of soft resources, and the mask
 * of used memory slices. Bit 8 of the mask stands for the media engines, which exist once per
 * device.
 *
 * Cost: adding a task, removing it and finding a start walk over the breakpoints of one bin. A
 * segment tree is not used, because a bin has only tens of tasks. Also, one walk finds the earliest
 * start for every MIG slice and reads one or two cache lines per breakpoint; a tree of maxima
 * cannot find these starts.
 */
#ifndef LIBSCHED_PACK_TIME_PROFILE_H
#define LIBSCHED_PACK_TIME_PROFILE_H

#include "pack/problem/problem.h"

#define TIME_MEDIA_BIT 0x100u
#define TIME_NEVER     INT64_MAX

struct time_point {
    int64_t from;
    uint32_t next; /* index of the bin's next breakpoint; 0 at the last one */
    uint32_t refs;
    uint32_t mask;
    uint32_t running; /* number of tasks that run; reservations do not count */
};

struct time_profile {
    const struct pack_problem *p;
    /* points[0] is unused; points[1 + b] is the first breakpoint of bin b */
    struct time_point *points;
    int64_t *loads; /* [points][n_resources] load after each breakpoint */
    /* [points][n_resources] variance of each load; NULL if no resource is soft */
    uint64_t *variances;
    /* shapes[0] is for configs without MIG, shapes[1] for profiles that the bins cannot hold; then
     * one shape for each profile of each MIG table */
    struct time_shape *shapes;
    uint32_t free; /* first of the unused breakpoints, which are linked by `next` */
    uint32_t n_points;
    uint64_t steps; /* number of breakpoints visited so far, from which work units are computed */
};

/* The memory slices at which an instance of a MIG profile can begin (its starts), the preferred one
 * first. A config without MIG has one start, with mask 0. */
struct time_shape {
    uint32_t n_starts;
    uint32_t windows[8]; /* mask of the memory slices that an instance uses, for each start */
    uint8_t starts[8];   /* first slice of each start */
};

/* What one task of an item in one config needs in a bin of one class. */
struct time_need {
    const struct pack_config *config;
    const int32_t *amounts;
    const int32_t *sigmas; /* NULL if the demand has no deviation */
    const struct pack_class *class_in;
    const struct time_shape *shape;
};

void time_profile_new(struct time_profile *t, const struct pack_problem *p,
                      struct pack_arena *arena);
/* Removes all tasks from the profile. Only the reservations remain. */
void time_profile_reset(struct time_profile *t);

/* Computes what a task needs in a bin of a class. `config` is an index in the problem's configs.
 * The function does not check whether the item is allowed in the class. */
void time_need_of(const struct time_profile *t, uint32_t config, uint32_t class_row,
                  struct time_need *out);
/* Returns the index of the start at this memory slice in the need's list of starts; n_starts if the
 * list does not have it. Returns 0 if the need has no MIG profile. */
uint32_t time_slot_of(const struct time_need *need, uint32_t slice);

/* For each first slice in the need's list, finds the earliest time in [from, latest] at which the
 * task can start at that slice and fits until its end. Writes these times to `starts`; TIME_NEVER
 * if there is none. Returns the earliest of them. If `enough` is true, the walk stops when it has
 * found a time; entries for which it has found none yet are then TIME_NEVER. */
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
