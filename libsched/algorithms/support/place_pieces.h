/*
 * place_pieces.h -- the devices of one node ("pieces" of free GPU share), sorted by free share.
 *
 * Piece 0 is the device with the largest free share. Of several devices with the same free share,
 * the device with the highest index comes first. Therefore a walk from the last piece to the first
 * piece meets the smallest free share first. Of several devices with the same free share it meets
 * the device with the lowest index first. In a set of pieces, bit j stands for piece j. In a set of
 * devices, bit i stands for the node's device i.
 */
#ifndef LIBSCHED_PLACE_PIECES_H
#define LIBSCHED_PLACE_PIECES_H

#include <libsched/algorithm.h>

struct place_pieces {
    uint32_t n;
    /* bit j is set if piece j can hold the share of one device that the task asks for */
    uint32_t fits;
    uint32_t same_model; /* 1: all devices of the node have the same model */
    uint32_t idle_milli; /* sum of the free shares of all devices, in milli-GPU */
    uint16_t free_milli[LSCHED_DEVICES_PER_NODE_MAX];
    uint32_t model[LSCHED_DEVICES_PER_NODE_MAX];
    uint8_t device[LSCHED_DEVICES_PER_NODE_MAX]; /* index within the node of each piece's device */
};

void place_pieces_read(struct place_pieces *pieces, const lsched_view *view,
                       const lsched_task_shape *task, uint32_t node);

/* Return a set of `count` pieces that fit the task, or fewer pieces if not enough fit.
 * place_pieces_tightest takes those with the smallest free share, place_pieces_loosest those with
 * the largest. */
uint32_t place_pieces_tightest(const struct place_pieces *pieces, uint32_t count);
uint32_t place_pieces_loosest(const struct place_pieces *pieces, uint32_t count);

/* Returns the set of devices that belong to a set of pieces. */
uint32_t place_pieces_mask(const struct place_pieces *pieces, uint32_t chosen);

#endif
