/* study_cluster.h -- the strategy that is studied: the library, through its public calls. Each
 * gang is a job of single-GPU tasks that would like one host, else one switch, else one group;
 * without `wishes` it says nothing, and the policy's placement decides. */
#ifndef TESTS_STUDY_CLUSTER_H
#define TESTS_STUDY_CLUSTER_H

#include <libsched/libsched.h>

#include "topology/study_run.h"

struct study_cluster {
    const struct study_tree *tree;
    lsched_cluster *cluster;
    lsched_id *jobs; /* owned; by gang */
    int wishes;
    int64_t now_us;
    double spent_s; /* in lsched_schedule, all cycles */
};

/* 0 or -1 with a complaint on stderr. verify: every plan is checked by the library's verifier. */
int study_cluster_open(struct study_cluster *s, const struct study_tree *tree, uint32_t gangs,
                       const char *placement, int wishes, int verify);
void study_cluster_close(struct study_cluster *s);
int study_cluster_place(void *self, uint32_t gang, uint32_t gpus, const uint8_t *free_gpus,
                        uint8_t *taken);
int study_cluster_leave(void *self, uint32_t gang);

#endif
