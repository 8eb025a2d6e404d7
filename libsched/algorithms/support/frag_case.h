/*
 * frag_case.h -- for one task on one node, computes how much GPU fragmentation each choice of
 * devices avoids.
 *
 * The gain of a choice is F(node before) - F(node after), where F is the amount of idle GPU that
 * the expected tasks cannot use; see frag_table.h. frag_case_open computes once everything that
 * does not depend on the chosen device. After that, the gain of one device costs two table
 * look-ups, because placing a task on one device usually changes only the contribution of this
 * device to F. The exception is a device that task classes with several devices could use.
 */
#ifndef LIBSCHED_FRAG_CASE_H
#define LIBSCHED_FRAG_CASE_H

#include "algorithms/support/frag_table.h"

struct frag_case {
    const struct frag_table *table;
    const lsched_task_shape *task;
    /* devices of the node before the task is placed; if there is a task mix, `model` holds model
     * numbers (frag_models.h) */
    struct place_pieces pieces;
    /* free amount of each resource kind on the node after the task is placed */
    int64_t room[LSCHED_RESOURCE_KINDS_MAX];
    /* row of the frag_table for the node after the task is placed; NULL if the devices of the node
     * have different models */
    const uint32_t *row;
    /* number of groups of the frag_table that the node has enough devices for */
    uint32_t groups;
    int64_t usable_before;
    /* usable amounts if only the free cpu and the other kinds changed, and the devices did not: of
     * classes that ask for one device, and of classes that ask for several */
    int64_t single_after, gang_after;
};

void frag_case_open(struct frag_case *c, const struct frag_table *table, const lsched_view *view,
                    const lsched_task_shape *task, uint32_t node);

/* Returns the gain of placing the task on a set of devices, in milli-GPU times FRAG_ONE. `chosen`
 * is a set of c->pieces. */
int64_t frag_case_gain(const struct frag_case *c, const struct piece_set *chosen);

/* Walks over the choices of devices that are worth comparing, the device with the least free share
 * first. Set *walk to 0 before the first call. Returns 1 and sets *chosen, a set of
 * c->pieces; returns 0 if there are no more choices. For a task with one device, the choices are
 * the devices that fit; of several equal devices only one is a choice. For a task with no device or
 * with several devices, there is a single choice: the fitting devices with the least free share. */
uint32_t frag_case_next(const struct frag_case *c, uint32_t *walk, struct piece_set *chosen);

#endif
