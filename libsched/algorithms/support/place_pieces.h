/*
 * place_pieces.h -- the devices of one node ("pieces" of free GPU share), sorted by free share.
 *
 * Piece 0 is the device with the largest free share. Of several devices with the same free share,
 * the device with the highest index comes first. Therefore a walk from the last piece to the first
 * piece meets the smallest free share first. Of several devices with the same free share it meets
 * the device with the lowest index first. 
 */
#ifndef LIBSCHED_PLACE_PIECES_H
#define LIBSCHED_PLACE_PIECES_H

#include <libsched/algorithm.h>

/* A set of pieces: piece j is bit j % 64 of word j / 64. */
struct piece_set {
    uint64_t word[LSCHED_DEVICE_WORDS];
};
static inline int piece_set_has(const struct piece_set *set, uint32_t piece) {
    return (int)(set->word[piece / 64] >> piece % 64 & 1);
}
static inline void piece_set_add(struct piece_set *set, uint32_t piece) {
    set->word[piece / 64] |= (uint64_t)1 << piece % 64;
}

struct place_pieces {
    uint32_t n;
    struct piece_set fits; /* the pieces that can hold the task's share of one device */
    uint32_t same_model;   /* 1: all devices of the node have the same model */
    uint32_t idle_milli;   /* sum of the free shares of all devices, in milli-GPU */
    uint16_t free_milli[LSCHED_DEVICES_PER_NODE_MAX];
    uint32_t model[LSCHED_DEVICES_PER_NODE_MAX];
    uint8_t device[LSCHED_DEVICES_PER_NODE_MAX]; /* index within the node of each piece's device */
};

void place_pieces_read(struct place_pieces *pieces, const lsched_view *view,
                       const lsched_task_shape *task, uint32_t node);

/* Return a set of `count` pieces that fit the task, or fewer pieces if not enough fit.
 * place_pieces_tightest takes those with the smallest free share, place_pieces_loosest those with
 * the largest. */
struct piece_set place_pieces_tightest(const struct place_pieces *pieces, uint32_t count);
struct piece_set place_pieces_loosest(const struct place_pieces *pieces, uint32_t count);

/* Adds the devices that belong to a set of pieces to the set of devices. */
void place_pieces_devices(const struct place_pieces *pieces, const struct piece_set *chosen,
                          uint64_t *device_words);

#endif
