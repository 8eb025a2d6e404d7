/*
 * time_profile.h -- what is used of every bin over time, as a list of breakpoints per bin.
 *
 * Invariant: the breakpoints of a bin ascend strictly in time; the first stands at INT64_MIN and
 * stays; each other is held by the starts and ends of what lies in the bin (`refs`), so a bin with
 * n constant tasks has 2n + 1 at most, and removing a task undoes adding it exactly. A breakpoint
 * carries what is used from it to the next: amounts, variances of soft resources, and the mask of
 * memory slices (bit 8: the media engines, which exist once).
 *
 * Cost: adding, removing and finding walk the breakpoints of one bin. Why a list and not a segment
 * tree: a bin has tens of tasks; the walk is over one or two cache lines per breakpoint and finds
 * the earliest start of every MIG slice in one pass, which a tree of maxima cannot. /
 */
#ifndef LIBSCHED_PACK_TIME_PROFILE_H
#define LIBSCHED_PACK_TIME_PROFILE_H

#include "pack/problem/problem.h"

#define TIME_MEDIA_BIT 0x100u
#define TIME_NEVER     INT64_MAX

struct time_point {
    int64_t from;
    uint32_t next; /* 0: the last */
    uint32_t refs;
    uint32_t mask;
    uint32_t running; /* tasks, not reservations */
};

struct time_profile {
    const struct pack_problem *p;
    struct time_point *points; /* [0] of no bin; [1 + b] the first of bin b */
    int64_t *loads;            /* [points][n_resources] */
    uint64_t *variances;       /* [points][n_resources]; NULL: no soft resources */
    struct time_shape
        *shapes;   /* [0] without MIG, [1] nowhere, then by number of table and profile */
    uint32_t free; /* unused points, chained by next */
    uint32_t n_points;
    uint64_t steps; /* breakpoints looked at: what work is counted in */
};

/* Where an instance of a MIG profile may begin, the preferred first; without MIG one start, of mask
 * 0. */
struct time_shape {
    uint32_t n_starts;
    uint32_t windows[8]; /* masks */
    uint8_t starts[8];   /* first slices */
};

/* What one task needs: a config of an item in a class of bins. */
struct time_need {
    const struct pack_config *config;
    const int32_t *amounts;
    const int32_t *sigmas; /* NULL: certain */
    const struct pack_class *class_in;
    const struct time_shape *shape;
};

void time_profile_new(struct time_profile *t, const struct pack_problem *p,
                      struct pack_arena *arena);
/* All bins as the reservations leave them. */
void time_profile_reset(struct time_profile *t);

/* What a config (by its number in the problem) needs in bins of a class. Allowed or not is not
 * asked here. */
void time_need_of(const struct time_profile *t, uint32_t config, uint32_t class_row,
                  struct time_need *out);
/* Which of the need's starts begins at this slice; n_starts: none. */
uint32_t time_slot_of(const struct time_need *need, uint32_t slice);

/* For each of the need's starts the earliest time in [from, latest] at which it fits there to its
 * end; TIME_NEVER: none. Returns the earliest of all. `enough`: the walk may end with the first
 * found, the others are then TIME_NEVER. */
int64_t time_starts(struct time_profile *t, uint32_t bin, const struct time_need *need,
                    int64_t from, int64_t latest, int enough, int64_t starts[8]);
/* Where the next breakpoint after an instant lies; TIME_NEVER: there is none. */
int64_t time_next_event(struct time_profile *t, uint32_t bin, int64_t after);

void time_add(struct time_profile *t, uint32_t bin, const struct time_need *need, int64_t start,
              uint32_t slot);
void time_remove(struct time_profile *t, uint32_t bin, const struct time_need *need, int64_t start,
                 uint32_t slot);

static inline int64_t time_end_of(int64_t start, int64_t duration) {
    return duration == PACK_FOREVER || start > INT64_MAX - duration ? INT64_MAX : start + duration;
}

#endif
