/*
 * study_run.h -- gangs come, stay and go on a tree of hosts, placed by one strategy after the
 * other; what is counted is how many switches each gang spans.
 *
 * A gang asks for single GPUs, so it fits whenever enough are free: all strategies place the same
 * gangs at the same times, and differ only in where. A gang for which there is no room is dropped.
 * The run keeps its own books of free GPUs and checks every placement against them.
 *
 * Of each placement two things are known exactly, by counting what is free at that moment: the
 * deepest level of which a single domain could have held the gang (host, switch, group, core), and
 * the least number of switches, which is the length of the shortest prefix of the switches, most
 * free GPUs first, that holds it.
 */
#ifndef TESTS_STUDY_RUN_H
#define TESTS_STUDY_RUN_H

#include "topology/study_tree.h"

struct study_gang {
    uint32_t gpus;
    uint32_t until; /* gone before the gang of this number arrives */
};

struct study_load {
    uint32_t n;
    struct study_gang *gangs; /* owned */
};
enum study_sizes { SIZES_EVEN, SIZES_LOG_EVEN };

/* n gangs of least..most GPUs; they stay so long that about load_percent of all GPUs are in use. */
void study_load_make(struct study_load *load, const struct study_tree *tree, struct study_random *r,
                     uint32_t n, uint32_t least, uint32_t most, enum study_sizes sizes,
                     uint32_t load_percent);
void study_load_free(struct study_load *load);

struct study_strategy {
    const char *name;
    void *self;
    /* How many GPUs of each host the gang gets: 1, 0 if there is no room, or -1. free_gpus as
     * the run's books say. */
    int (*place)(void *self, uint32_t gang, uint32_t gpus, const uint8_t *free_gpus,
                 uint8_t *taken);
    int (*leave)(void *self, uint32_t gang); /* may be NULL */
};

struct study_result {
    uint64_t placed, dropped;
    uint64_t switches, least_switches;
    uint64_t at_best;   /* in one domain of the deepest level that was possible */
    uint64_t used_gpus; /* summed over the arrivals */
};

/* 0, or -1 with a complaint on stderr: a strategy failed, or placed what is not there. */
int study_run(const struct study_tree *tree, const struct study_load *load,
              const struct study_strategy *strategy, struct study_result *result);

/* The least total of switches that any strategy could reach which knows all arrivals and
 * departures in advance, by exhaustive search; UINT32_MAX if that takes more than `states_max`
 * steps. Small trees only. */
uint32_t study_exact(const struct study_tree *tree, const struct study_load *load,
                     uint32_t known_total, uint64_t states_max);

#endif
