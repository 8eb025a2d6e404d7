/*
 * free_timeline.h -- the free amounts of each node over time, as steps. Nodes with equal steps
 * share them.
 *
 * A bin stands for a node, and has a profile: a list of steps. Each step holds the amounts that are
 * free from the step's time until the next step. Steps are in ascending order of time, neighbours
 * differ, and the last step never ends. The first step begins at FREE_TIMELINE_BEGIN, which stands
 * for now, so that time that passes changes no steps. Amounts have up to
 * FREE_TIMELINE_KINDS columns, such as resource kinds, devices, and the number of further tasks
 * that the node can hold. Amounts do not become negative, because callers only take amounts that
 * they have found free. Callers give an over-committed node a bin without free amounts.
 *
 * A bin can be empty: it has no profile. Maps say which bins a job can use. Bins that are alike in
 * all maps are a group.
 *
 * What always holds: all bins of a profile have one group; two profiles of a group differ; each
 * profile has a bin. The lowest bin of a profile is that of the lowest rank. So a question that is
 * asked of each bin, such as how many tasks fit, can be asked of each profile. Which number a
 * profile has depends on the history and decides nothing.
 *
 * Cost: taking an amount is O(steps of the bin), and O(log bins) amortized to move the bin to
 * another profile; for a bin that shares its profile with no other, O(log steps + steps in that
 * time), beside a memmove. A new map is O(bins). On a cluster where no two nodes have equal steps,
 * there is one profile for each bin.
 *
 * Why not a tree over time for each node: nodes have few steps. Why not one list of times for all
 * nodes, each with its set of free nodes, as Slurm does: the list costs the number of nodes for
 * each time at which anything ends, and a job with another request needs a list of its own.
 */
#ifndef LIBSCHED_FREE_TIMELINE_H
#define LIBSCHED_FREE_TIMELINE_H

#include "algorithms/support/algorithm_env.h"
#include "algorithms/support/bin_heap.h"

#define FREE_TIMELINE_KINDS   8u
#define FREE_TIMELINE_FOREVER INT64_MAX
/* more than any bin has of anything: what is taken from a bin that holds nothing for a time. Only
 * such a bin has less than -FREE_TIMELINE_ALL / 2. */
#define FREE_TIMELINE_ALL   (INT64_MAX / 2)
#define FREE_TIMELINE_BEGIN INT64_MIN
#define FREE_TIMELINE_NONE  UINT32_MAX

struct free_timeline_amount {
    int64_t of[FREE_TIMELINE_KINDS];
};

struct free_timeline_step {
    int64_t at;
    struct free_timeline_amount free;
};

struct free_timeline_bin {
    uint32_t profile, group; /* profile: FREE_TIMELINE_NONE: the bin is empty */
    uint32_t is_out; /* 1: the bin is not in the set of its profile, see free_timeline_pull */
};

struct free_timeline_profile {
    /* The profile's block of steps in the pool:
     *   first   index of the first step
     *   n       number of steps
     *   cap     number of steps for which there is room */
    uint32_t first, n, cap;
    uint32_t group, n_bins;
    uint32_t lowest; /* the lowest bin that has not been pulled, root of their bin_heap */
    uint32_t at_live;
    uint32_t chain; /* next profile with the same place in the hash table, or next free profile */
    uint64_t hash, serial; /* serial: no other steps ever have this number */
};

/* The last change of a bin's profile. The next bin of the same profile with the same change goes
 * to the same profile, unless a profile was made or dropped in between. */
struct free_timeline_change {
    uint32_t from_profile, to_profile;
    int64_t from, to, times;
    struct free_timeline_amount amount;
};

struct free_timeline {
    const lsched_algorithm_env *env;
    uint32_t n_kinds, n_bins, cap_bins, cap_links;
    int64_t now;
    struct free_timeline_bin *bins;
    struct bin_heap_links *links; /* indexed by bin */
    struct free_timeline_step *pool;
    uint32_t n_pool, cap_pool;
    struct free_timeline_profile *profiles;
    uint32_t n_profiles, cap_profiles, free_profile;
    uint32_t *live; /* the profiles that have bins, in any order */
    uint32_t n_live, cap_live;
    uint32_t *table; /* hash table: first profile of each chain */
    uint32_t cap_table;
    struct free_timeline_step *scratch; /* steps of a changed bin */
    uint32_t cap_scratch;
    struct free_timeline_step *draft; /* steps of a bin that is not written yet */
    uint32_t n_draft, cap_draft;
    struct free_timeline_change last;
    uint64_t serial; /* of the steps that were written last */
    /* Profiles whose steps, bins or group changed: `changes` is the number of changes so far, and
     * the change with number i is at log[i & (cap_log - 1)]. */
    uint64_t changes;
    uint32_t *log;
    uint32_t cap_log;
    uint64_t maps_serial; /* goes up when the numbers of maps get another meaning */
    /* maps: at [map * stride + group], 1 if bins of the group can be used; there are at most
     * `stride` groups */
    uint8_t *maps;
    uint32_t n_maps, cap_maps, n_groups, stride;
    uint32_t *in_group; /* while there are maps: number of bins of the group that are not empty */
    uint32_t cap_in_group;
    uint32_t *split; /* scratch memory of free_timeline_map, indexed by group */
    uint32_t cap_split;
};

/* A number of tasks of a job that run on one bin. */
struct free_timeline_part {
    uint32_t bin, tasks;
};

void free_timeline_open(struct free_timeline *r, const lsched_algorithm_env *env);
void free_timeline_close(struct free_timeline *r);
/* Removes all bins and maps, and sets the current time and the number of columns of amounts. */
void free_timeline_clear(struct free_timeline *r, int64_t now, uint32_t n_kinds);
/* A bin is first drafted and then written, so that a node with many running tasks finds its profile
 * once. free_timeline_draft begins: the amounts `free` are free from now on, without end.
 * free_timeline_draft_take is as free_timeline_take. Each returns LSCHED_OK or LSCHED_E_NOMEM; the
 * latter leaves the timeline unusable until it is cleared, as for all functions below. */
int32_t free_timeline_draft(struct free_timeline *r, const struct free_timeline_amount *free);
int32_t free_timeline_draft_take(struct free_timeline *r, int64_t from, int64_t to,
                                 const struct free_timeline_amount *amount, int64_t times);
/* Adds empty bins, so that there are at least n. The rank of a new bin is its number. If there are
 * maps, they have no new bin, and their numbers are no longer valid if there were fewer bins. */
int32_t free_timeline_bins(struct free_timeline *r, uint32_t n);
/* Gives a bin the drafted steps. */
int32_t free_timeline_reset(struct free_timeline *r, uint32_t bin);
/* Makes a bin empty. */
void free_timeline_remove(struct free_timeline *r, uint32_t bin);
/* Changes the rank of a bin. The order of the ranks of bins that are not empty must stay. */
void free_timeline_rank(struct free_timeline *r, uint32_t bin, uint32_t rank);
/* Makes `times` times the amounts unavailable in the time [from, to). A negative `times` makes
 * amounts available. A pulled bin is in the set of its profile again. Returns LSCHED_OK or
 * LSCHED_E_NOMEM. */
int32_t free_timeline_take(struct free_timeline *r, uint32_t bin, int64_t from, int64_t to,
                           const struct free_timeline_amount *amount, int64_t times);
/* Takes a bin out of the set of its profile, so that the next one is the lowest. The caller must
 * change the bin's amounts before it asks for anything but counts and steps. */
void free_timeline_pull(struct free_timeline *r, uint32_t bin);
/* Adds a map: allowed[b] is 1 if the map has bin b, else 0; [n_bins]. Returns the map's number, or
 * LSCHED_E_NOMEM. */
int32_t free_timeline_map(struct free_timeline *r, const uint8_t *allowed);
/* Puts a bin into a map (value 1) or takes it out (0). Returns LSCHED_OK; LSCHED_E_LIMIT if there
 * are too many groups, and then all maps must be cleared; LSCHED_E_NOMEM. */
int32_t free_timeline_map_set(struct free_timeline *r, uint32_t map, uint32_t bin, uint8_t value);
/* Removes all maps. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t free_timeline_maps_clear(struct free_timeline *r);

/* Returns the steps of a bin and sets *n to their number. They stay until the next change. */
const struct free_timeline_step *free_timeline_steps(const struct free_timeline *r, uint32_t bin,
                                                     uint32_t *n);
/* True if no free amount of the bin is negative at any time. */
int free_timeline_is_sound(const struct free_timeline *r, uint32_t bin);
/* Returns from + length. Returns FREE_TIMELINE_FOREVER if this time is later than
 * LSCHED_AMOUNT_MAX, the latest time that an orchestrator can name. */
int64_t free_timeline_end(int64_t from, int64_t length);
/* Returns the number of tasks that fit side by side with these free amounts, but never more than
 * `most`. `need` holds the amounts of one task. */
uint32_t free_timeline_fits(const struct free_timeline *r, const struct free_timeline_amount *free,
                            const struct free_timeline_amount *need, uint32_t most);
/* Returns the number of tasks that fit side by side in a bin of the profile for the time
 * [from, from + length), but never more than `most`. */
uint32_t free_timeline_profile_count(const struct free_timeline *r, uint32_t profile, int64_t from,
                                     int64_t length, const struct free_timeline_amount *need,
                                     uint32_t most);

/* Adds a word to the hash of a list of steps. Only chains of hash tables depend on the result. */
static inline uint64_t free_timeline_mix(uint64_t h, uint64_t word) {
    h = (h ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return h ^ h >> 29;
}

static inline int free_timeline_is_empty(const struct free_timeline *r, uint32_t bin) {
    return bin >= r->n_bins || r->bins[bin].profile == FREE_TIMELINE_NONE;
}

/* Returns the rank of the profile's lowest bin; all its bins must not be pulled. */
static inline uint32_t free_timeline_lowest_rank(const struct free_timeline *r, uint32_t profile) {
    return r->links[r->profiles[profile].lowest].rank;
}

/* Returns the time at which a step begins, at the earliest now. */
static inline int64_t free_timeline_at(const struct free_timeline *r,
                                       const struct free_timeline_step *step) {
    return step->at > r->now ? step->at : r->now;
}

/* True if the log of profiles has every change from number `seen` on. */
static inline int free_timeline_log_reaches(const struct free_timeline *r, uint64_t seen) {
    return seen <= r->changes && r->changes - seen <= r->cap_log;
}

static inline int free_timeline_allows(const struct free_timeline *r, uint32_t map, uint32_t bin) {
    return r->maps[(size_t)map * r->stride + r->bins[bin].group];
}

/* True if both maps have the same bins, of those that are not empty. */
static inline int free_timeline_same_map(const struct free_timeline *r, uint32_t a, uint32_t b) {
    const uint8_t *m = r->maps + (size_t)a * r->stride, *o = r->maps + (size_t)b * r->stride;
    for (uint32_t g = 0; a != b && g < r->n_groups; g++)
        if (m[g] != o[g] && r->in_group[g]) return 0;
    return 1;
}

/* True if the map has the bins of this profile. */
static inline int free_timeline_has(const struct free_timeline *r, uint32_t map, uint32_t profile) {
    return r->maps[(size_t)map * r->stride + r->profiles[profile].group];
}

/* The same as free_timeline_profile_count, for the profile of a bin. */
static inline uint32_t free_timeline_count(const struct free_timeline *r, uint32_t bin,
                                           int64_t from, int64_t length,
                                           const struct free_timeline_amount *need, uint32_t most) {
    return free_timeline_profile_count(r, r->bins[bin].profile, from, length, need, most);
}

#endif
