/* api_world.h -- a small cluster with one of everything, for tests of the public calls: two nodes in a topology, a
 * queue tree, a job that runs, one whose placement is proposed, one that waits, and ids that are stale. */
#ifndef LSCHED_TESTS_API_WORLD_H
#define LSCHED_TESTS_API_WORLD_H

#include <libsched/libsched.h>

struct api_world {
    lsched_cluster *cluster;
    lsched_id topology;               /* "site": zone, rack */
    lsched_id nodes[2];               /* "n1", "n2": 8 GPUs each, racks r1 and r2 of zone a */
    lsched_id org, research, product; /* the last two are leaves below "org" */
    lsched_id busy, open, later;      /* jobs: runs, is proposed, wants more than there is */
    lsched_id proposed;               /* the decision that places "open" */
    lsched_id gone_node, gone_queue, gone_job, gone_decision; /* stale */
    int64_t now_us;
};

/* Descriptions as the world makes them, for tests to change. The pointers are to static storage. */
lsched_node_desc api_node(const char *name);
lsched_queue_desc api_queue(const char *name, const char *parent_name);
lsched_group_desc api_group(uint32_t count); /* tasks of 1 GPU and 4 cores */
lsched_job_desc api_job(const char *name, const lsched_group_desc *groups, uint32_t n_groups);

/* Returns 0, or the code of the first call that failed. opts may be NULL. */
int32_t api_world_make(struct api_world *world, const lsched_cluster_opts *opts);
void api_world_drop(struct api_world *world);

uint64_t api_image(const lsched_cluster *cluster);
uint64_t api_meaning(const lsched_cluster *cluster);
/* One cycle at now_us. The first decision's id goes to *first (may be NULL, 0 if none). */
int32_t api_cycle(lsched_cluster *cluster, int64_t now_us, lsched_id *first);
int32_t api_report(lsched_cluster *cluster, lsched_id job, uint32_t event);

#endif
