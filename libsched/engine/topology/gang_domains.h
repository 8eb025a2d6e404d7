/*
 * gang_domains.h -- the domains in which the further tasks of a gang must be, because tasks of
 * the gang are already placed there.
 *
 *   required  by group: the domain of the group's required level in which its tasks are
 *   slices    by task block (slice): the domain in which the block is. If blocks have `tasks` tasks
 *             each, block s consists of the tasks [s * tasks, (s + 1) * tasks) of the leaf group
 *   held      by domain of the topology: the number of tasks of one group in the domain
 *   order     the task indexes that the next tasks of a leaf group with task blocks get, as chosen
 *             by assign_slices()
 *
 * All this data can be computed from the columns. The data is kept because reading the columns
 * again for each task of a gang of n tasks would cost O(n^2). The data is for the current job and
 * stays valid from one placement to the next. The caller must call gang_domains_forget() after a
 * rollback of the transaction and when another job becomes the current job. The data is then
 * computed from the columns again, in O(placed tasks of the job).
 *
 * A task whose node no assignment has chosen begins a task block only if the tasks that its leaf
 * group lacks to the minimum are enough for the begun blocks and for this one; above the minimum,
 * only if no begun block lacks tasks. So a group that gets its minimum, or a further block, gets
 * whole blocks.
 *
 * Imported tasks can be on any node. If imported tasks break the rule that certain tasks must be
 * in one domain, the domain is recorded as NOWHERE, and no further task of this group or block is
 * placed.
 */
#ifndef LIBSCHED_GANG_DOMAINS_H
#define LIBSCHED_GANG_DOMAINS_H

#include "engine/indexes/ask.h"
#include "engine/indexes/topology_map.h"
#include "model/jobs/job.h"

#define NOWHERE (NO_ROW - 1)

struct gang_slices {
    uint32_t group; /* leaf group for which the data is valid, NO_ROW if none */
    /* `base`: index within the job of the leaf group's first task */
    uint32_t n_levels, topology, base;
    /* level of the topology for each level of task blocks, widest first */
    uint32_t level[LSCHED_SLICES_MAX];
    uint32_t tasks[LSCHED_SLICES_MAX];
    /* by level of task blocks: index of the level's first entry in domain[] and filled[] */
    uint32_t first[LSCHED_SLICES_MAX + 1];
    /* by task block: row of the block's domain, NO_ROW if the block has no placed task, or
     * NOWHERE */
    uint32_t *domain;
    /* by task block: number of tasks that are placed or done */
    uint32_t *filled;
    /* by level of task blocks: number of tasks that the begun blocks lack; a block is begun if any
     * of its tasks is placed or done */
    uint32_t holes[LSCHED_SLICES_MAX];
    uint32_t cap; /* capacity of the memory block that holds domain[] and filled[] */
    /* task indexes within the leaf group, in the order in which placed tasks get them */
    uint32_t *order;
    uint32_t n_order, at_order, cap_order;
};

struct gang_domains {
    uint32_t job;   /* job for which the data is valid, NO_ROW if none */
    uint64_t known; /* bit mask by group: 1 if required[group] is valid */
    uint32_t required[LSCHED_GROUPS_PER_JOB_MAX];
    /* `held_group`: group for which held[] is valid, NO_ROW if none.
     * `held_total`: number of placed tasks of held_group.
     * `cap_held`: capacity of held[]. */
    uint32_t held_group, held_total, cap_held;
    uint32_t *held; /* by domain number: number of placed tasks of held_group */
    uint32_t given; /* index that gang_domains_give() gave the next task, NO_ROW if none */
    struct gang_slices slices;
};

void gang_domains_forget(struct gang_domains *p);
void gang_domains_close(struct gang_domains *p, struct columns *k);
/* Returns the row of the domain in which the group's tasks must be, NO_ROW if any domain is
 * allowed, NOWHERE if no domain is allowed. The caller has checked that the group has a required
 * level. */
uint32_t gang_domains_required(struct gang_domains *p, const struct columns *k, uint32_t job,
                               uint32_t group);
/* Sets *held to an array with the number of the group's placed tasks in each domain, by domain
 * number. Sets *held to NULL if the group has no placed task. Returns LSCHED_OK or
 * LSCHED_E_NOMEM. */
int32_t gang_domains_held(struct gang_domains *p, struct columns *k, const struct topology_map *m,
                          uint32_t job, uint32_t group, const uint32_t **held);
/* Sets *slices to the data about the task blocks of the leaf group. The caller has checked that
 * the leaf group has task blocks. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t gang_domains_slices(struct gang_domains *p, struct columns *k, const struct ask *a,
                            struct gang_slices **slices);
/* Writes at most `most` indexes of the leaf group's waiting tasks to list[], lowest index
 * first. The indexes count from the first task of the leaf group. Returns the number of
 * indexes written. */
uint32_t gang_domains_waiting(const struct columns *k, const struct ask *a, uint32_t *list,
                              uint32_t most);
/* True if a task of the group can be on the node according to the required level of the group and
 * the required levels of all groups around it. */
int gang_domains_allow(struct gang_domains *p, const struct columns *k, const struct ask *a,
                       uint32_t node);
/* Gives the next task of the leaf group that is placed this index within the job, if its task block
 * can be on the node. Returns 1; 0 if no task with this index waits; or LSCHED_E_NOMEM. */
int32_t gang_domains_give(struct gang_domains *p, struct columns *k, const struct ask *a,
                          uint32_t index);
/* Sets *index to the task index (within the job) that a task of the leaf group must have on the
 * node. Sets *index to NO_ROW if the leaf group has no task blocks and gang_domains_give() was not
 * called; then any waiting task can be placed on the node. Returns 1; 0 if no task block with
 * waiting tasks is allowed to have a task on the node; or LSCHED_E_NOMEM. */
int32_t gang_domains_index(struct gang_domains *p, struct columns *k, const struct ask *a,
                           uint32_t node, uint32_t *index);
/* Updates the data after a task of the leaf group was placed. Before the placement, the caller
 * has checked the node with gang_domains_allow() and gang_domains_index(). */
void gang_domains_placed(struct gang_domains *p, const struct columns *k,
                         const struct topology_map *maps, const struct ask *a, uint32_t task);

#endif
