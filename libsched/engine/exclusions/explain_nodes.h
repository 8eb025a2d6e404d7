/*
 * explain_nodes.h -- writes which nodes could hold a task of the job, which queues hold the room on
 * these nodes, and which job's end would make room.
 */
#ifndef LIBSCHED_EXPLAIN_NODES_H
#define LIBSCHED_EXPLAIN_NODES_H

#include "engine/exclusions/explain_context.h"

/* Counts of the nodes that could hold a task of one shape, by state and free room. */
struct node_counts {
    /* numbers of nodes:
     *   able   nodes that could hold a task if they were empty
     *   ready  able nodes in state READY
     *   fit    able and ready nodes that have room for a task now
     *   drain  able nodes that drain */
    uint32_t able, ready, fit, drain;
    /* largest free amount of the counted resource kind on an able and ready node */
    int64_t best;
};
/* Counts the nodes for the shape. `best` is computed for the resource kind `kind`. If `kind` is 0,
 * `best` is 0. */
struct node_counts explain_nodes_count(const struct columns *k, uint32_t shape, uint32_t kind);
/* Writes what a task of the job needs, how many nodes could hold the task, and what these nodes
 * lack. */
void explain_nodes_put_room(const struct columns *k, const lsched_waiting *w, struct text_out *o);
/* Writes the amount that overdue tasks hold on nodes that could hold the job, such as "; 2 GPUs are
 * held by tasks that were told to stop and are overdue (x on n0)". Writes nothing if there are no
 * such tasks. */
void explain_nodes_put_stuck(const struct columns *k, const lsched_waiting *w, struct text_out *o);
/* Writes which queues hold the job's main resource kind on the nodes that could hold the job.
 * Returns LSCHED_OK, or LSCHED_E_NOMEM if memory is short. */
int32_t explain_nodes_holders(const struct explain *e);

/* Writes that the minimum of a gang of one group does not fit even on empty nodes, such as "; even
 * when empty, these nodes hold at most 5 of the 6 tasks that must run at the same time". Returns 0
 * and writes nothing if it could fit, or if the gang has several groups or alternatives. Nodes that
 * take no new work now count, because they can take work later. Cost: O(nodes). */
int explain_nodes_put_too_large(const struct columns *k, uint32_t job, uint32_t shape,
                                struct text_out *o);

#endif
