/*
 * frag_case.h -- how much GPU fragmentation each choice of devices avoids for one task on one node.
 *
 * The gain of a choice is F(node before) - F(node after), where F is the amount of idle GPU that
 * the expected tasks cannot use; see frag_table.h. frag_case_open computes once everything that
 * does not depend on the chosen device. After that, a choice of one device costs two table
 * look-ups: placing a task on one device changes only the contribution of that device to F, unless
 * task classes that ask for several devices could use the device.
 */
#ifndef LIBSCHED_FRAG_CASE_H
#define LIBSCHED_FRAG_CASE_H

#include "algorithms/support/frag_table.h"

struct frag_case {
    const struct frag_table *table;
    const lsched_task_shape *task;
    /* devices before the task is placed; if there is a mix, `model` holds numbers of frag_models */
    struct place_pieces pieces;
    /* free amounts of the node by resource kind, after the task */
    int64_t room[LSCHED_RESOURCE_KINDS_MAX];
    /* table row for the node after the task; NULL if the node has several device models */
    const uint32_t *row;
    /* number of groups (classes that ask for the same number of devices) that could use the node's
     * devices */
    uint32_t groups;
    int64_t usable_before;
    /* usable amounts with `row` (cpu and other kinds after the task), but with the devices as
     * before the task */
    int64_t single_after, gang_after;
};

void frag_case_open(struct frag_case *c, const struct frag_table *table, const lsched_view *view,
                    const lsched_task_shape *task, uint32_t node);

/* Returns the gain of placing the task on this set of devices (a mask over c->pieces), in milli-GPU
 * times FRAG_ONE. */
int64_t frag_case_gain(const struct frag_case *c, uint32_t chosen);

/* Walks over the choices that are worth comparing, the device with the least free share first.
 * Start with *walk = 0. Returns 1 and sets *chosen (a mask over c->pieces), or 0 after the last
 * choice. For a task with one device, the walk yields one device of each group of equal devices
 * that fit. For a task with no device or several devices, the walk yields a single set: the fitting
 * devices with the least free share. */
uint32_t frag_case_next(const struct frag_case *c, uint32_t *walk, uint32_t *chosen);

#endif
