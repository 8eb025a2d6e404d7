/*
 * gang_domains.h -- where what a gang holds already ties the rest of it.
 *
 *   required  the domain of its required level that a group's tasks are in
 *   slices    by level of slices: the domain that each slice is in. Slice s of `tasks` is the
 *             tasks [s * tasks, (s + 1) * tasks) of the leaf
 *   held      how many tasks of a group are in each domain of its tree
 *   order     which indexes the next tasks of a leaf with slices get, as they were dealt out
 *
 * All of it follows from the columns; it is kept here because asking the columns again for each
 * task of a gang would make a gang of n tasks cost n^2. Kept for the job in hand and from one
 * placement to the next; pins_forget() whenever the transaction was rolled back or the job
 * changes, and it is read from the columns anew, O(tasks held).
 *
 * Imports may be anywhere: tasks that are not together tie the rest to NOWHERE, and nothing more
 * is placed with them.
 */
#ifndef LIBSCHED_GANG_DOMAINS_H
#define LIBSCHED_GANG_DOMAINS_H

#include "engine/indexes/topology_map.h"
#include "model/jobs/job.h"

#define NOWHERE (NO_ROW - 1)

struct pin_slices {
    uint32_t group;                    /* leaf that is looked at, NO_ROW */
    uint32_t n_levels, topology, base; /* base: index of its first task */
    uint32_t level[LSCHED_SLICES_MAX]; /* widest first */
    uint32_t tasks[LSCHED_SLICES_MAX];
    uint32_t first[LSCHED_SLICES_MAX + 1]; /* of the level in domain[] and filled[] */
    uint32_t *domain;                      /* by slice: row, NO_ROW, NOWHERE */
    uint32_t *filled;                      /* by slice: tasks that are placed or done */
    uint32_t cap;
    uint32_t *order; /* indexes within the leaf */
    uint32_t n_order, at_order, cap_order;
};

struct gang_pins {
    uint32_t job;   /* NO_ROW: nothing is known */
    uint64_t known; /* bit per group: required[] is */
    uint32_t required[LSCHED_GROUPS_PER_JOB_MAX];
    uint32_t held_group, held_total, cap_held; /* group NO_ROW: nothing is known */
    uint32_t *held;                            /* by number of the domain */
    struct pin_slices slices;
};

void pins_forget(struct gang_pins *p);
void pins_close(struct gang_pins *p, struct columns *k);
/* The domain that the group must keep to, NO_ROW if it may choose, NOWHERE. It has a required
 * level. */
uint32_t pins_required(struct gang_pins *p, const struct columns *k, uint32_t job, uint32_t group);
/* Tasks of the group by number of the domain; *held NULL if it holds none. LSCHED_E_NOMEM. */
int32_t pins_held(struct gang_pins *p, struct columns *k, const struct tree_map *m, uint32_t job,
                  uint32_t group, const uint32_t **held);
/* The slices of a leaf that has some. LSCHED_E_NOMEM. */
int32_t pins_slices(struct gang_pins *p, struct columns *k, uint32_t job, uint32_t group,
                    struct pin_slices **slices);
/* Indexes within the leaf that wait, lowest first, at most `most` of them; room for as many.
 * Their number. */
uint32_t pins_waiting(const struct columns *k, uint32_t job, uint32_t group, uint32_t *list,
                      uint32_t most);
/* May the group, and each group around it, have a task on the node. */
int pins_allow(struct gang_pins *p, const struct columns *k, uint32_t job, uint32_t group,
               uint32_t node);
/* Of a leaf with slices: the index (of the job) that a task on this node gets, NO_ROW if no slice
 * that waits for tasks may have one there. Without slices NO_ROW, and *any is set.
 * LSCHED_E_NOMEM. */
int32_t pins_index(struct gang_pins *p, struct columns *k, uint32_t job, uint32_t group,
                   uint32_t node, int *any, uint32_t *index);
/* A task was placed, after pins_allow() and pins_index(). */
void pins_placed(struct gang_pins *p, const struct columns *k, const struct tree_map *maps,
                 uint32_t task);

#endif
