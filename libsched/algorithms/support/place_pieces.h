/*
 * place_pieces.h -- the devices of one node as pieces of free share, in order of size.
 *
 * Piece 0 has most room; of equal pieces the device with the highest index comes first, so a walk
 * from the last piece down meets the tightest first and the lowest index among equals. A set of
 * pieces is a bit mask over this order, a set of devices one over the node's own.
 */
#ifndef LIBSCHED_PLACE_PIECES_H
#define LIBSCHED_PLACE_PIECES_H

#include <libsched/algorithm.h>

struct place_pieces {
    uint32_t n;
    uint32_t fits;       /* bit j: piece j can hold the task's part of one device */
    uint32_t same_model; /* 1: all devices have one model */
    uint32_t idle_milli; /* sum of what is free */
    uint16_t free_milli[LSCHED_DEVICES_PER_NODE_MAX];
    uint32_t model[LSCHED_DEVICES_PER_NODE_MAX];
    uint8_t device[LSCHED_DEVICES_PER_NODE_MAX]; /* index within the node */
};

void place_pieces_read(struct place_pieces *pieces, const lsched_view *view,
                       const lsched_task_shape *task, uint32_t node);

/* `count` pieces of those that fit, fewer if there are not enough. */
uint32_t place_pieces_tightest(const struct place_pieces *pieces, uint32_t count);
uint32_t place_pieces_loosest(const struct place_pieces *pieces, uint32_t count);

/* The devices behind a set of pieces. */
uint32_t place_pieces_mask(const struct place_pieces *pieces, uint32_t chosen);

#endif
