/*
 * wave_trail.h -- the plans of many states, stored in one tree. Each placed task is a node below
 * the task that was placed before it, so that states with the same beginning share its nodes. One
 * working plan (time_state.h) serves all states. To change from one state to another, the tree
 * removes items up to the last node that the paths of the two states share, and inserts the items
 * of the other path below it. States of one cell share most of their paths. Therefore a change
 * costs little, and a state needs no profile of its own.
 *
 * Nodes that no state uses any more are freed by mark and sweep. Invariants: the working plan holds
 * exactly the tasks on the path from the root to `at`; the nodes of the tasks of one item form an
 * unbroken path.
 */
#ifndef LIBSCHED_WAVE_TRAIL_H
#define LIBSCHED_WAVE_TRAIL_H

#include "pack/timed/time_state.h"

#define TRAIL_ROOT 0u /* node of the empty plan */
#define TRAIL_NONE UINT32_MAX

struct trail_node {
    uint32_t parent, depth, task, mark;
    struct pack_spot spot;
};

struct wave_trail {
    const struct pack_problem *p;
    struct time_state st;
    struct trail_node *nodes; /* [room] nodes of the tree */
    /* `free` lists the unused nodes ([room]); `path` is work space of trail_move ([n_tasks]) */
    uint32_t *free, *path;
    uint32_t room, n_free, mark, at;
    uint64_t moved; /* number of items inserted or removed by trail_move */
};

void trail_new(struct wave_trail *w, const struct pack_problem *p, uint64_t room,
               struct pack_arena *arena);
/* Removes all nodes except the root, which stands for the empty plan. */
void trail_clear(struct wave_trail *w);
/* Makes the plan of the node the working plan. */
void trail_move(struct wave_trail *w, uint32_t node);
/* Adds one node for each task of an item below `parent`, with the spots that the working plan has
 * for the item. Returns the last node; TRAIL_NONE if too few nodes are free. */
uint32_t trail_add(struct wave_trail *w, uint32_t parent, uint32_t item);
/* trail_mark marks a node and all nodes above it as in use. trail_sweep frees all nodes that are
 * not marked, except the nodes of the working plan. */
void trail_mark(struct wave_trail *w, uint32_t node);
void trail_sweep(struct wave_trail *w);

#endif
