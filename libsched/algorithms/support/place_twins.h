/*
 * place_twins.h -- finds, among the nodes of one call of a place algorithm, nodes with equal free
 * amounts and equal devices: the same models, free shares and free memory, in the same order.
 *
 * Such nodes get equal scores from an algorithm that reads nothing else of a node. When an index is
 * filled, most nodes of a large cluster have a twin, because many nodes are empty or full in the
 * same way. The comparison is exact; the hash only finds candidates, and a slot keeps the latest
 * node that had it. Cost: about 20 reads for each node, and no memory beyond the struct. Why not
 * keep scores from call to call: the engine does so already (search indexes).
 */
#ifndef LIBSCHED_PLACE_TWINS_H
#define LIBSCHED_PLACE_TWINS_H

#include <libsched/algorithm.h>

enum { PLACE_TWINS_SLOTS = 256, PLACE_TWINS_LEAST = 8 };

struct place_twins {
    const lsched_view *view;
    const uint32_t *nodes;
    uint32_t slots[PLACE_TWINS_SLOTS]; /* 1 + index of a node, or 0 */
};

/* `nodes` are the n nodes of the call. */
void place_twins_open(struct place_twins *t, const lsched_view *view, const uint32_t *nodes,
                      size_t n);
/* Returns the index of an earlier node that is equal to node number i, or i if none is known. */
uint32_t place_twins_find(struct place_twins *t, uint32_t i);

#endif
