/*
 * refusal.h -- refusals: placements that the orchestrator rejected. A refusal says which node
 * refuses which tasks, for how long, and when the tasks are tried there again.
 *
 * A refusal is kept for a task shape of one queue, not for one task. If a node does not take one
 * task, it takes no equal task, and the refusals of one tenant do not concern another. Refusals
 * are counted on three levels. On each level a refusal lasts twice as long as the previous one,
 * from LIMIT_REFUSAL_FIRST_US up to LIMIT_REFUSAL_MOST_US (on the job level two times these
 * values):
 *     node        one row per (OF, queue, shape, node)
 *     everywhere  one row per (OF, queue, shape), NODE = NO_ROW, the *head*: LIMIT_REFUSAL_NODES
 *                 different nodes refused for one reason. When the head ends, one transaction tries
 *                 first (PROBE). Other tasks follow when the orchestrator has confirmed that
 *                 transaction, or when the time of the probe is over
 *     job         COST.REJECTS: each LIMIT_REFUSAL_NODES-th refusal of a job in a row sets the job
 *                 aside for longer than its shape, so that equal jobs are tried before it. Later
 *                 refusals of that job count for its shape only while no equal job is confirmed
 * Rejected nominations have rows and heads of their own (OF). A rejected nomination means that
 * the orchestrator keeps no room there. A rejected nomination does not mean that a placement
 * would be rejected once the room is free. The rows of rejected nominations keep away tasks that
 * would evict others for the room. A rejected nomination makes no row of placements and does not
 * count in COST.REJECTS, because the job can be placed meanwhile. Rejections of decisions that
 * were made before an earlier rejection count as one refusal with it (WAVE: serial numbers of
 * decision groups).
 *
 * States of a row: ACTIVE and PROBE keep tasks away; ENDED is only remembered, for
 * LIMIT_REFUSAL_MEMORY_US. Rows that are due end only when a cycle begins (refusals_end), so
 * answers depend on no clock. COUNT 0: the row is removed as soon as it ends.
 *
 * Invariants: as long as there is a node row of a queue and shape, the head of that queue and shape
 * exists, too, and its MEMBERS is the number of these node rows. NODE.REFUSES is the number of the
 * node's rows that keep tasks away. Rows that keep tasks away are in one heap by UNTIL. All rows of
 * a queue, at most LIMIT_REFUSALS_PER_QUEUE, are in the queue's heap, with the row that is
 * forgotten next at the top. A row holds its shape and its reason. Cost: O(log n) per change, one
 * lookup per question. A search therefore pays one lookup per node that it scores, and only for
 * shapes that have a head. Why not per task: a shape that every node refuses would be tried tasks x
 * nodes times. Why not one row with a set of nodes: the refusals of different nodes end at
 * different times.
 */
#ifndef LIBSCHED_REFUSAL_H
#define LIBSCHED_REFUSAL_H

#include "model/store/heap.h"
#include "model/jobs/job.h"

enum { REFUSAL_ENDED = 0, REFUSAL_ACTIVE = 1, REFUSAL_PROBE = 2 };
enum { REFUSAL_OF_PLACES = 0, REFUSAL_OF_NOMINATIONS = 1 };

/* Returns 1 if a rejection of the decision is a refusal. A rejected placement is a refusal; a
 * rejected nomination is one only while some task is releasing. If no task is releasing, the
 * nominated room and the limits are free already: the job is placed there like any other, and no
 * task is evicted for it again. */
int refusal_counts(const struct columns *k, uint32_t decision);
/* Records that the orchestrator rejected the open decision, a placement or a nomination. reason:
 * class of the reason, or empty. Can return LSCHED_E_NOMEM or LSCHED_E_LIMIT. */
int32_t refusal_note(struct columns *k, uint32_t decision, lsched_text reason);
/* Records that the orchestrator confirmed a placement or a nomination: equal tasks are tried
 * again, on this node and on others. The job's own count of refusals stays. An orchestrator can
 * reject a confirmed placement later, and without the count the library would propose that
 * placement again and again. */
void refusal_confirmed(struct columns *k, uint32_t task);
/* Records that a task starts where it was placed. The start confirms the placement and clears the
 * job's count of refusals. */
void refusal_started(struct columns *k, uint32_t task);
/* Starts a probe for a task that a transaction has placed. If the task's shape was refused
 * everywhere, no other task of the shape is tried before the orchestrator has settled this
 * one. */
void refusal_probe(struct columns *k, uint32_t task, uint64_t group, int64_t now);

/* Returns the row of the queue and shape for a node, or the head for node NO_ROW; NO_ROW if there
 * is none. */
uint32_t refusal_find(const struct columns *k, uint32_t of, uint32_t queue, uint32_t shape,
                      uint32_t node);
static inline int refusal_keeps_away(const struct columns *k, uint32_t row) {
    return row != NO_ROW && k->c[C_REFUSAL_STATE].u8[row] != REFUSAL_ENDED;
}
static inline int refusals_any(const struct columns *k) {
    return table_live(k, T_REFUSAL) != 0;
}
/* Returns the largest REFUSAL_OF_* that concerns a task. later: 1 if the task is nominated for
 * room that comes free; a nomination heeds the refusals of placements, too. */
static inline uint32_t refusal_kinds(int later) {
    return later ? REFUSAL_OF_NOMINATIONS : REFUSAL_OF_PLACES;
}
/* Returns 1 if some node has refused tasks of the queue and shape and the refusal is not
 * forgotten. */
static inline int refusal_known(const struct columns *k, uint32_t queue, uint32_t shape,
                                int later) {
    if (!refusals_any(k)) return 0;
    for (uint32_t of = REFUSAL_OF_PLACES; of <= refusal_kinds(later); of++)
        if (refusal_find(k, of, queue, shape, NO_ROW) != NO_ROW) return 1;
    return 0;
}
/* Returns 1 if the node has refused tasks of the queue and shape and the refusal is not
 * forgotten. Searches then try other nodes before this one. */
static inline int refusal_remembered(const struct columns *k, uint32_t queue, uint32_t shape,
                                     uint32_t node, int later) {
    if (k->c[C_NODE_REFUSAL].u32[node] == NO_ROW) return 0;
    for (uint32_t of = REFUSAL_OF_PLACES; of <= refusal_kinds(later); of++)
        if (refusal_find(k, of, queue, shape, node) != NO_ROW) return 1;
    return 0;
}
/* Returns 1 if a refusal of this node alone keeps tasks of the shape off the node. later: 1 if
 * the tasks are to be nominated there. */
static inline int refusal_by_node(const struct columns *k, uint32_t queue, uint32_t shape,
                                  uint32_t node, int later) {
    if (k->c[C_NODE_REFUSES].u32[node] == 0) return 0;
    for (uint32_t of = REFUSAL_OF_PLACES; of <= refusal_kinds(later); of++)
        if (refusal_keeps_away(k, refusal_find(k, of, queue, shape, node))) return 1;
    return 0;
}
/* Returns 1 if a refusal everywhere keeps tasks of the shape off all nodes. later: 1 if the tasks
 * are to be nominated. */
static inline int refusal_everywhere(const struct columns *k, uint32_t queue, uint32_t shape,
                                     int later) {
    if (!refusals_any(k)) return 0;
    for (uint32_t of = REFUSAL_OF_PLACES; of <= refusal_kinds(later); of++)
        if (refusal_keeps_away(k, refusal_find(k, of, queue, shape, NO_ROW))) return 1;
    return 0;
}
/* Returns 1 if a refusal of the node or a refusal everywhere keeps tasks of the shape off the
 * node. */
static inline int refusal_blocks(const struct columns *k, uint32_t queue, uint32_t shape,
                                 uint32_t node, int later) {
    return refusal_by_node(k, queue, shape, node, later) ||
           refusal_everywhere(k, queue, shape, later);
}
/* Returns 1 if a nomination of a task of the queue and shape on the node is useless: its
 * placement would be refused, and the nomination is not the one of a probe. */
static inline int refusal_stops_nomination(const struct columns *k, uint32_t queue, uint32_t shape,
                                           uint32_t node) {
    if (!refusals_any(k)) return 0;
    uint32_t head = refusal_find(k, REFUSAL_OF_PLACES, queue, shape, NO_ROW);
    return head != NO_ROW &&
           (k->c[C_REFUSAL_STATE].u8[head] == REFUSAL_ACTIVE ||
            refusal_keeps_away(k, refusal_find(k, REFUSAL_OF_PLACES, queue, shape, node)));
}

/* ---- refusals of one job ---- */
/* Returns the time before which the job must not be placed; 0 if it can be placed now. */
int64_t refusal_job_until(const struct columns *k, uint32_t job, int64_t now);
/* Parks a queued job of an active bundle in a private bundle if the job must not be placed now.
 * Returns 1 if it was parked, 0 if it can be placed, LSCHED_E_NOMEM. */
int32_t refusal_park(struct columns *k, uint32_t job, int64_t now);
/* Makes the next cycle try the job and its shapes again, because the orchestrator has set the
 * job's priority. */
void refusal_reset(struct columns *k, uint32_t job);

/* ---- the end of refusals ---- */
/* Ends the refusals that are due and wakes the bundles that wait for them. Can return
 * LSCHED_E_NOMEM. */
int32_t refusals_end(struct columns *k, int64_t now);
/* Forgets refusals that ended more than LIMIT_REFUSAL_MEMORY_US ago. Can return
 * LSCHED_E_NOMEM. */
int32_t refusals_sweep(struct columns *k, int64_t now);
/* Returns when the next refusal ends; LSCHED_NEVER_US if there is none. */
int64_t refusals_next(const struct columns *k);
/* The node has changed: its refusals end with the next cycle. Can return LSCHED_E_NOMEM. */
int32_t refusals_node_changed(struct columns *k, uint32_t node);
/* Forget the refusals of a node or of a queue that is about to be removed. Can return
 * LSCHED_E_NOMEM. */
int32_t refusals_forget_node(struct columns *k, uint32_t node);
int32_t refusals_forget_queue(struct columns *k, uint32_t queue);
/* The clock was set: the ends of refusals keep their distance to the old time. Can return
 * LSCHED_E_NOMEM. */
int32_t refusals_move(struct columns *k, int64_t was, int64_t now);

#endif
