/*
 * wave_trail.h -- plans of many states in one tree: each task that is placed is a node below the
 * one before it, so that states which share a beginning share its nodes. One working plan
 * (time_state.h) is moved from state to state: taken back to where the two part, and on from there.
 * States of one cell part late, so moving costs little, and a state needs no profile of its own.
 *
 * Nodes that no state leads to any more are found by mark and sweep. Invariant: the working plan
 * holds exactly the tasks from the root to `at`; the nodes of one item's tasks lie one below the
 * other.
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
    struct trail_node *nodes; /* [room] */
    uint32_t *free, *path;    /* [room], [n_tasks] */
    uint32_t room, n_free, mark, at;
    uint64_t moved; /* items put or taken by moving */
};

void trail_new(struct wave_trail *w, const struct pack_problem *p, uint64_t room,
               struct pack_arena *arena);
/* The empty plan, no nodes. */
void trail_clear(struct wave_trail *w);
/* The working plan becomes that of the node. */
void trail_move(struct wave_trail *w, uint32_t node);
/* Nodes for an item as its spots are in the working plan, below `parent`; TRAIL_NONE: too few
 * are free. */
uint32_t trail_add(struct wave_trail *w, uint32_t parent, uint32_t item);
/* Mark what must live, then sweep; the working plan's node lives anyhow. */
void trail_mark(struct wave_trail *w, uint32_t node);
void trail_sweep(struct wave_trail *w);

#endif
