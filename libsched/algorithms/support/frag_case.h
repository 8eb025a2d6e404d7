/*
 * frag_case.h -- one task on one node: what each choice of devices gains in fragmentation.
 *
 * gain = F(node) - F(node after); see frag_table.h for F. What does not depend on the device is
 * computed once in frag_case_open; a choice of one device then costs two look-ups, because taking
 * a piece changes only that piece's term unless classes of several devices could use it.
 */
#ifndef LIBSCHED_FRAG_CASE_H
#define LIBSCHED_FRAG_CASE_H

#include "algorithms/support/frag_table.h"

struct frag_case {
    const struct frag_table *table;
    const lsched_task_shape *task;
    struct place_pieces pieces;              /* before the task; with a mix, models by number */
    int64_t room[LSCHED_RESOURCE_KINDS_MAX]; /* free amounts by kind after the task */
    const uint32_t *row;                     /* of the node after the task; NULL: several models */
    uint32_t groups;                         /* of classes that could use the pieces */
    int64_t usable_before;
    int64_t single_after, gang_after; /* with the row after and all pieces as before */
};

void frag_case_open(struct frag_case *c, const struct frag_table *table, const lsched_view *view,
                    const lsched_task_shape *task, uint32_t node);

/* Gain of placing the task on this set of pieces, in milli-GPU times FRAG_ONE. */
int64_t frag_case_gain(const struct frag_case *c, uint32_t chosen);

/* The choices worth comparing, tightest first. Start with *walk = 0; returns 0 after the last. For
 * one device: each different piece that fits. For none or several: the one obvious set. */
uint32_t frag_case_next(const struct frag_case *c, uint32_t *walk, uint32_t *chosen);

#endif
