/*
 * pack_random.h -- random packing problems, legal ones, of any mixture of features; the same for the same
 * seed on every machine. For everything that is said about packing: property tests, exact against
 * brute force, bounds, benchmarks of small kinds.
 *
 *     struct pack_random r;
 *     pack_random_make(&r, seed, 8, PACK_RANDOM_FLEXIBLE | PACK_RANDOM_GANGS);
 *     ... r.problem, r.opts; r.items[3].ready_us may be changed, what was chosen is the host's ...
 *     pack_random_free(&r);
 *
 * Sizes are small on purpose (a capacity holds 1 to 6 items, times share a grid of ten minutes half
 * of the time), so that ties, full bins and items that touch are common. In its internal form:
 * pack_inside.h.
 */
#ifndef TESTS_PACK_RANDOM_H
#define TESTS_PACK_RANDOM_H

#include <libsched/pack.h>

enum {
    PACK_RANDOM_FLEXIBLE = 1 << 0, /* most items may start later */
    PACK_RANDOM_PROFILES = 1 << 1, /* slots; most fixed items have a profile */
    PACK_RANDOM_SOFT = 1 << 2,     /* the last resource is soft, with sigmas */
    PACK_RANDOM_CLASSES = 1 << 3,  /* two or three classes; some items allowed in some only */
    PACK_RANDOM_LIMITED =
        1 << 4, /* few bins: something may have to be left out. Else the last class is unlimited */
    PACK_RANDOM_MIG =
        1
        << 5, /* the first class is GPUs with a MIG table, and half of the items ask for instances */
    PACK_RANDOM_GANGS = 1 << 6,    /* items of 2 or 3 tasks, some apart */
    PACK_RANDOM_CONFIGS = 1 << 7,  /* flexible or not, some items can run in 2 or 3 ways */
    PACK_RANDOM_RESERVED = 1 << 8, /* reservations */
    PACK_RANDOM_PLACED =
        1 << 9, /* half of the items are somewhere (where they fit, always), with move prices */
    PACK_RANDOM_PINNED = 1 << 10, /* some of these stay, by flag or by dwell */
    PACK_RANDOM_PRICES =
        1 << 11, /* on, switch, makespan, late and flow prices, deadlines, weights */
    PACK_RANDOM_ENDLESS = 1 << 12, /* some constant items have no end */
    PACK_RANDOM_BIG = 1 << 13,     /* amounts near 2^40 */
    PACK_RANDOM_ALL = (1 << 14) - 1
};

enum { PACK_RANDOM_RESOURCES = 3, PACK_RANDOM_CLASSES_MAX = 3, PACK_RANDOM_CONFIGS_MAX = 3 };

struct pack_random {
    lsched_pack_problem problem;
    lsched_pack_opts opts; /* seed, patience and dwell chosen too */
    uint64_t seed;
    uint32_t features;
    lsched_pack_resource *resources;
    lsched_pack_class *classes;
    lsched_pack_item *items;
    lsched_pack_config *configs; /* of all items; each has PACK_RANDOM_CONFIGS_MAX rows */
    lsched_pack_reservation *reservations;
    int64_t *slots;
    unsigned char *block;
    size_t used, room;
};

/* n_items >= 1; features of those above. Aborts without memory. */
void pack_random_make(struct pack_random *r, uint64_t seed, uint32_t n_items, uint32_t features);
void pack_random_free(struct pack_random *r);
/* A random part of `allowed`, few or many of them. */
uint32_t pack_random_features(uint64_t seed, uint32_t allowed);

#endif
