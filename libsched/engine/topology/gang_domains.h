/*
 * gang_domains.h -- in which domains the placed tasks of a gang force its other tasks to be.
 *
 *   required  the domain of its required level that a group's tasks are in
 *   slices    by level of task blocks (slices): the domain that each block is in. Block s of
 *             `tasks` consists of the tasks [s * tasks, (s + 1) * tasks) of the leaf group
 *   held      how many tasks of a group are in each domain of its topology
 *   order     which indexes the next tasks of a leaf group with task blocks get, as assigned
 *
 * This data follows from the columns. The data is kept here because reading the columns again for
 * each task of a gang of n tasks would cost n^2. The data is kept for the current job, from one
 * placement to the next. gang_domains_forget() must be called when the transaction was rolled back
 * or the job changes; the data is then read from the columns again, in O(tasks held).
 *
 * Imported tasks may be anywhere. If tasks that must be in one domain are not, the domain is
 * NOWHERE, and no further task is placed with them.
 */
#ifndef LIBSCHED_GANG_DOMAINS_H
#define LIBSCHED_GANG_DOMAINS_H

#include "engine/indexes/topology_map.h"
#include "model/jobs/job.h"

#define NOWHERE (NO_ROW - 1)

struct gang_slices {
    uint32_t group;                    /* leaf group for which the data is valid, NO_ROW if none */
    uint32_t n_levels, topology, base; /* base: index of the group's first task */
    uint32_t level[LSCHED_SLICES_MAX]; /* topology levels, widest first */
    uint32_t tasks[LSCHED_SLICES_MAX];
    uint32_t first[LSCHED_SLICES_MAX + 1]; /* by level: first entry in domain[] and filled[] */
    uint32_t *domain;                      /* by task block: row of its domain, NO_ROW or NOWHERE */
    /* by task block: number of tasks that are placed or done */
    uint32_t *filled;
    uint32_t cap;
    uint32_t *order; /* assigned indexes within the leaf group */
    uint32_t n_order, at_order, cap_order;
};

struct gang_domains {
    uint32_t job;   /* job for which the data is valid, NO_ROW if none */
    uint64_t known; /* one bit per group: required[group] is valid */
    uint32_t required[LSCHED_GROUPS_PER_JOB_MAX];
    uint32_t held_group, held_total, cap_held; /* held_group NO_ROW: held[] is not valid */
    uint32_t *held;                            /* by domain number: tasks of held_group */
    struct gang_slices slices;
};

void gang_domains_forget(struct gang_domains *p);
void gang_domains_close(struct gang_domains *p, struct columns *k);
/* Returns the domain in which the group's tasks must be, NO_ROW if any domain is allowed, NOWHERE
 * if none is. The group must have a required level. */
uint32_t gang_domains_required(struct gang_domains *p, const struct columns *k, uint32_t job,
                               uint32_t group);
/* Sets *held to an array, indexed by domain number, with the count of the group's placed tasks in
 * each domain; NULL if the group has no placed task. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t gang_domains_held(struct gang_domains *p, struct columns *k, const struct topology_map *m,
                          uint32_t job, uint32_t group, const uint32_t **held);
/* Sets *slices to the task blocks of a leaf group that has task blocks. Returns LSCHED_OK or
 * LSCHED_E_NOMEM. */
int32_t gang_domains_slices(struct gang_domains *p, struct columns *k, uint32_t job, uint32_t group,
                            struct gang_slices **slices);
/* Writes the indexes of waiting tasks within the leaf group, lowest first, to list[], which has
 * room for `most`. Returns their number. */
uint32_t gang_domains_waiting(const struct columns *k, uint32_t job, uint32_t group, uint32_t *list,
                              uint32_t most);
/* True if the required levels of the group, and of each group around it, allow a task on the
 * node. */
int gang_domains_allow(struct gang_domains *p, const struct columns *k, uint32_t job,
                       uint32_t group, uint32_t node);
/* Sets *index to the task index (within the job) that a task of the leaf group gets on this node,
 * NO_ROW if no task block with waiting tasks may have one there. For a leaf group without task
 * blocks, *index is NO_ROW and *any is set. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t gang_domains_index(struct gang_domains *p, struct columns *k, uint32_t job, uint32_t group,
                           uint32_t node, int *any, uint32_t *index);
/* Updates the data after a task was placed, which gang_domains_allow() and gang_domains_index()
 * must have allowed. */
void gang_domains_placed(struct gang_domains *p, const struct columns *k,
                         const struct topology_map *maps, uint32_t task);

#endif
