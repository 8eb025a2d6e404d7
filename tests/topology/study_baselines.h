/*
 * study_baselines.h -- strategies to compare with, on bare arrays: first fit in two orders of the
 * hosts, and one that places each gang as well as is possible at that moment: in the deepest level
 * that can hold it, there in the fewest switches.
 */
#ifndef TESTS_STUDY_BASELINES_H
#define TESTS_STUDY_BASELINES_H

#include "topology/study_run.h"

struct study_first_fit {
    const struct study_tree *tree;
    uint32_t order[HOSTS_MAX];
};
/* by_list: in the order of the list, else switch after switch. */
void study_first_fit_init(struct study_first_fit *f, const struct study_tree *tree, int by_list);
int study_first_fit_place(void *self, uint32_t gang, uint32_t gpus, const uint8_t *free_gpus,
                          uint8_t *taken);

/* The domain of the deepest level with least room over; within it level by level the children
 * with most room first and for the rest the tightest that holds it. self: the tree. */
int study_best_now_place(void *self, uint32_t gang, uint32_t gpus, const uint8_t *free_gpus,
                         uint8_t *taken);

#endif
