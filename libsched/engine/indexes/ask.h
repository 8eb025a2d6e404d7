/*
 * ask.h -- struct ask: the group of a job that an action tries to place, with the data of the
 * columns about the group.
 *
 * Every check that a placement passes gets the same `const struct ask *`. Therefore no check
 * looks up the row of the group, the queue, the leaf or the task shape again.
 *
 * The members about the job and the group do not change while an action tries the job. The
 * members about the leaf change when a task of the leaf is placed or stopped, when the leaf tries
 * another alternative, and when a rollback undoes one of these changes. No check makes such a
 * change, and a function that makes such a change runs no check afterwards. Therefore act_group()
 * and act_leaf() (transaction.h) read the members about the job and the group once for each job
 * and group. These functions read the members about the leaf at the beginning of each call of an
 * action; thus the members are read again after a placement or a rollback. In builds with
 * assertions, each module that gets a struct ask verifies that its members are still equal to the
 * columns (ask_is_fresh()).
 *
 * Why checks do not read the columns themselves: one placement passes checks of six modules, and
 * all these checks need the same six rows. Cost: O(groups of the job) to find the leaf.
 */
#ifndef LIBSCHED_ASK_H
#define LIBSCHED_ASK_H

#include "model/shapes/leaf.h"

struct ask {
    /* members about the job and the group */
    /* `job`: row of the job, NO_ROW if the struct is not in use.
     * `group`: index of the group within the job. */
    uint32_t job, group;
    uint32_t jobshape, row; /* row of the job shape, and row of the group */
    uint32_t queue;         /* queue of the job */
    /* smallest and largest number of tasks of the group, or of children of an inner group */
    uint32_t min, max;
    uint32_t span; /* number of indexes that the group's tasks can have */
    /* members about the leaf */
    uint32_t leaf;  /* row in LEAF; NO_ROW if no task of the group was placed yet */
    uint32_t shape; /* task shape of the alternative in force; NO_ROW for an inner group */
    uint32_t held;  /* number of the leaf's tasks that are placed, nominated or done */
    uint8_t alternative;
};

void ask_open(struct ask *a, const struct columns *k, uint32_t job, uint32_t group);
/* Reads the members about the leaf from the columns again. */
void ask_renew(struct ask *a, const struct columns *k);
/* True if all members are still equal to the values in the columns. */
int ask_is_fresh(const struct ask *a, const struct columns *k);
/* Returns the number of tasks that must be placed together next: the number that the leaf group
 * lacks to its minimum, or 1 if the group has reached its minimum. */
static inline uint32_t ask_next(const struct ask *a) {
    return a->held < a->min ? a->min - a->held : 1;
}

#endif
