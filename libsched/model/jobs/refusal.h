/*
 * refusal.h -- placements that the host rejected: which node refuses which tasks, for how long, and
 * when they are tried again.
 *
 * A refusal is kept for a task shape of one queue, not for one task: what a node does not take of
 * one it takes of no equal one, and a tenant's refusals are no other's. Each level backs off by
 * twice as long as before, from LIMIT_REFUSAL_FIRST_US to LIMIT_REFUSAL_MOST_US:
 *     node        one row per (OF, queue, shape, node)
 *     everywhere  one row per (OF, queue, shape), NODE = NO_ROW, the *head*: LIMIT_REFUSAL_NODES
 *                 different nodes refused for one reason. When it ends one transaction goes first
 *                 (PROBE); the others follow when the host has taken it, or its time is over
 *     job         COST.REJECTS: each LIMIT_REFUSAL_NODES-th refusal of a job in a row sets that job
 *                 aside for longer than its shape, so that equal jobs go before it. What is refused
 *                 of it after that counts for its shape only while nothing equal is taken
 * Rejected claims have rows and heads of their own (OF): the host keeps no room there, which says
 * nothing of a place when the room is free. They keep away who would stop others for the room, and
 * no row of places comes from them; nor does COST.REJECTS, as the job may be placed meanwhile.
 * What the host rejects of decisions that were made before it had rejected others counts as one
 * refusal (WAVE: serials of groups).
 *
 * States of a row: ACTIVE and PROBE keep tasks away; ENDED is only remembered, for
 * LIMIT_REFUSAL_MEMORY_US. Only a cycle that begins ends what is due (refusals_end), so answers
 * depend on no clock. COUNT 0: it is over for good as soon as it ends.
 *
 * Invariants: a head exists while a node row of its queue and shape does, MEMBERS counts them;
 * NODE.REFUSES counts rows of the node that keep away. Rows that keep away stand in one heap by
 * UNTIL, all rows of a queue in the queue's heap, which comes first what is forgotten first; at
 * most LIMIT_REFUSALS_PER_QUEUE. A row holds its shape and its reason. Cost: O(log n) per change,
 * one lookup per question, so a search pays one lookup per node that it scores, and only for shapes
 * that have a head.
 * Why not per task: a shape that every node refuses would be tried tasks x nodes times. Why not one
 * row with a set of nodes: ends differ.
 */
#ifndef LIBSCHED_REFUSAL_H
#define LIBSCHED_REFUSAL_H

#include "model/store/heap.h"
#include "model/jobs/job.h"

enum { REFUSAL_ENDED = 0, REFUSAL_ACTIVE = 1, REFUSAL_PROBE = 2 };
enum { REFUSAL_OF_PLACES = 0, REFUSAL_OF_CLAIMS = 1 };

/* True if the decision is one whose rejection is a refusal: a place, and a claim while anything is
 * stopping. Where nothing is, the room of the claim is free, and its limits are: the job is placed
 * there as any other, and nobody is stopped for it again. */
int refusal_counts(const struct columns *k, uint32_t decision);
/* The host rejects the open decision, a place or a claim. reason: its class, or empty.
 * LSCHED_E_NOMEM, _LIMIT. */
int32_t refusal_note(struct columns *k, uint32_t decision, lsched_text reason);
/* The host confirms a place or a claim: equal ones are tried again, there and elsewhere. The job's
 * own count stays: a host may reject what it has confirmed, and would be asked again and again. */
void refusal_confirmed(struct columns *k, uint32_t task);
/* A task starts where it was placed, which confirms the place and clears the job's count. */
void refusal_started(struct columns *k, uint32_t task);
/* A transaction placed the task: where its shape was refused everywhere, no other goes before the
 * host has settled this one. */
void refusal_probe(struct columns *k, uint32_t task, uint64_t group, int64_t now);

/* The row of the queue and shape for a node, or the head for NO_ROW; NO_ROW if there is none. */
uint32_t refusal_find(const struct columns *k, uint32_t of, uint32_t queue, uint32_t shape,
                      uint32_t node);
static inline int refusal_keeps_away(const struct columns *k, uint32_t row) {
    return row != NO_ROW && k->c[C_REFUSAL_STATE].u8[row] != REFUSAL_ENDED;
}
static inline int refusals_any(const struct columns *k) {
    return table_live(k, T_REFUSAL) != 0;
}
/* later: the task claims room that comes free; what refuses places refuses claims, too. */
static inline uint32_t refusal_kinds(int later) {
    return later ? REFUSAL_OF_CLAIMS : REFUSAL_OF_PLACES;
}
/* True if some node has refused such tasks and it is not forgotten. */
static inline int refusal_known(const struct columns *k, uint32_t queue, uint32_t shape,
                                int later) {
    if (!refusals_any(k)) return 0;
    for (uint32_t of = REFUSAL_OF_PLACES; of <= refusal_kinds(later); of++)
        if (refusal_find(k, of, queue, shape, NO_ROW) != NO_ROW) return 1;
    return 0;
}
/* True if the node has refused such tasks, and that is not forgotten: others are asked before
 * it. */
static inline int refusal_remembered(const struct columns *k, uint32_t queue, uint32_t shape,
                                     uint32_t node, int later) {
    if (k->c[C_NODE_REFUSAL].u32[node] == NO_ROW) return 0;
    for (uint32_t of = REFUSAL_OF_PLACES; of <= refusal_kinds(later); of++)
        if (refusal_find(k, of, queue, shape, node) != NO_ROW) return 1;
    return 0;
}
/* True if tasks of the shape are not placed on the node, later: are not to claim room there; by its
 * own rows alone. */
static inline int refusal_by_node(const struct columns *k, uint32_t queue, uint32_t shape,
                                  uint32_t node, int later) {
    if (k->c[C_NODE_REFUSES].u32[node] == 0) return 0;
    for (uint32_t of = REFUSAL_OF_PLACES; of <= refusal_kinds(later); of++)
        if (refusal_keeps_away(k, refusal_find(k, of, queue, shape, node))) return 1;
    return 0;
}
/* True if tasks of the shape are placed nowhere, later: are to claim room nowhere. */
static inline int refusal_everywhere(const struct columns *k, uint32_t queue, uint32_t shape,
                                     int later) {
    if (!refusals_any(k)) return 0;
    for (uint32_t of = REFUSAL_OF_PLACES; of <= refusal_kinds(later); of++)
        if (refusal_keeps_away(k, refusal_find(k, of, queue, shape, NO_ROW))) return 1;
    return 0;
}
/* True if either is. */
static inline int refusal_blocks(const struct columns *k, uint32_t queue, uint32_t shape,
                                 uint32_t node, int later) {
    return refusal_by_node(k, queue, shape, node, later) ||
           refusal_everywhere(k, queue, shape, later);
}
/* True if a claim of such a task is no use: its place would be refused, and it is not the claim of
 * a probe. */
static inline int refusal_stops_claim(const struct columns *k, uint32_t queue, uint32_t shape,
                                      uint32_t node) {
    if (!refusals_any(k)) return 0;
    uint32_t head = refusal_find(k, REFUSAL_OF_PLACES, queue, shape, NO_ROW);
    return head != NO_ROW &&
           (k->c[C_REFUSAL_STATE].u8[head] == REFUSAL_ACTIVE ||
            refusal_keeps_away(k, refusal_find(k, REFUSAL_OF_PLACES, queue, shape, node)));
}

/* ---- the job's own ---- */
/* Not placed before this; 0: it may be placed. */
int64_t refusal_job_until(const struct columns *k, uint32_t job, int64_t now);
/* Park a queued job of an active bundle if it may not be placed now, in a bundle of its own: 1, 0
 * if it may, LSCHED_E_NOMEM. */
int32_t refusal_park(struct columns *k, uint32_t job, int64_t now);
/* The host has looked at it: it and its shapes are tried again by the next cycle. */
void refusal_reset(struct columns *k, uint32_t job);

/* ---- ends ---- */
/* End what is due, and wake who waits for it; LSCHED_E_NOMEM. */
int32_t refusals_end(struct columns *k, int64_t now);
/* Forget what ended long ago. LSCHED_E_NOMEM. */
int32_t refusals_sweep(struct columns *k, int64_t now);
/* When the next one ends; LSCHED_NEVER_US. */
int64_t refusals_next(const struct columns *k);
/* The node is another than it was: what it refused ends with the next cycle. LSCHED_E_NOMEM. */
int32_t refusals_node_changed(struct columns *k, uint32_t node);
/* A node or a queue is about to go. LSCHED_E_NOMEM. */
int32_t refusals_forget_node(struct columns *k, uint32_t node);
int32_t refusals_forget_queue(struct columns *k, uint32_t queue);
/* The clock was set: what was expected keeps its distance to the old time. LSCHED_E_NOMEM. */
int32_t refusals_move(struct columns *k, int64_t was, int64_t now);

#endif
