/*
 * place_pieces.h -- the devices of one node ("pieces" of free GPU share), sorted by free share.
 *
 * Piece 0 is the device with the largest free share. Among equal devices the one with the highest
 * index comes first. Therefore a walk from the last piece to the first meets the smallest free
 * share first, and the lowest index first among equal devices. A set of pieces is a bit mask over
 * this order. A set of devices is a bit mask over the node's own device order.
 */
#ifndef LIBSCHED_PLACE_PIECES_H
#define LIBSCHED_PLACE_PIECES_H

#include <libsched/algorithm.h>

struct place_pieces {
    uint32_t n;
    /* bit j: piece j can hold the share of one device that the task asks for */
    uint32_t fits;
    uint32_t same_model; /* 1: all devices have one model */
    uint32_t idle_milli; /* sum of the free shares of all devices */
    uint16_t free_milli[LSCHED_DEVICES_PER_NODE_MAX];
    uint32_t model[LSCHED_DEVICES_PER_NODE_MAX];
    uint8_t device[LSCHED_DEVICES_PER_NODE_MAX]; /* index of the device within the node */
};

void place_pieces_read(struct place_pieces *pieces, const lsched_view *view,
                       const lsched_task_shape *task, uint32_t node);

/* Return a set of `count` pieces that fit the task, or fewer if not enough fit: those with the
 * smallest free share (tightest), or with the largest (loosest). */
uint32_t place_pieces_tightest(const struct place_pieces *pieces, uint32_t count);
uint32_t place_pieces_loosest(const struct place_pieces *pieces, uint32_t count);

/* Returns the set of devices (a mask over the node's device order) for a set of pieces. */
uint32_t place_pieces_mask(const struct place_pieces *pieces, uint32_t chosen);

#endif
