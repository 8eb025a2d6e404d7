/*
 * assign_slices.h -- assigns the next tasks of a leaf group with task blocks (called slices in
 * code) to domains, and chooses the task index for each of these tasks.
 *
 * The function assigns tasks in three steps. First, blocks that have lost tasks get the missing
 * tasks, in the domain of the block. Second, if a block of a wider level has tasks but lacks
 * whole blocks of a narrower level, these narrower blocks are placed inside the domain of the
 * wider block. Third, assign_domains.h assigns whole new blocks of the widest level. The index of
 * a task determines its block (gang_domains.h). Therefore the result consists of a list of
 * numbers of tasks by domain and a list of task indexes in the same order.
 */
#ifndef LIBSCHED_ASSIGN_SLICES_H
#define LIBSCHED_ASSIGN_SLICES_H

#include "engine/topology/assign_domains.h"
#include "engine/topology/gang_domains.h"

/* The result: numbers of tasks in domains of the deepest level, in the order of assignment. */
struct dealt {
    struct tree_part *part;
    uint32_t n, cap;
};

struct assign_slices {
    struct columns *k;
    struct assign_domains *d; /* input; assign_slices() sets d->cap to `caps` */
    const struct ask *ask;
    uint32_t root; /* domain number, NO_ROW for the whole topology */
    /* by domain number: number of tasks that fit, not rounded to task blocks; assign_slices()
     * subtracts the tasks that it assigns */
    int64_t *room;
    int64_t *caps;
    /* by domain number, for domains of limit_level: limit on the number of tasks, NULL if there
     * is no limit; assign_slices() subtracts the tasks that it assigns */
    int64_t *limit;
    uint32_t limit_level;
    struct tree_part *parts; /* scratch of n_domains entries */
    struct dealt *out;
    struct gang_slices *slices;
};

/* Assigns `tasks` tasks. Returns 1 and fills out->part and slices->order; 0 if not all tasks fit;
 * or LSCHED_E_NOMEM. */
int32_t assign_slices(struct assign_slices *s, uint32_t tasks);
void assign_slices_close(struct dealt *d, struct columns *k);
/* Sets *tasks to the number of tasks that the next step of the leaf group's growth must place
 * together. The number is 1 if a block of the narrowest level has tasks but lacks others.
 * Otherwise the number is the size of the smallest task block that can be placed as a whole.
 * Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t assign_slices_step(struct columns *k, const struct gang_slices *s, const struct ask *a,
                           uint32_t *tasks);

#endif
