/*
 * refusal.h -- refusals: placements that the orchestrator rejected. A refusal says which node
 * refuses which tasks, and until when.
 *
 * A refusal is kept for a task shape of one queue, not for one task. The reason is that a node
 * that refuses one task refuses every equal task, and that the refusals of one queue do not
 * concern another queue. Refusals are counted for a node, for all nodes and for a job. Each of
 * the three counts has refusals of its own length: the first one lasts LIMIT_REFUSAL_FIRST_US,
 * each further one twice as long as the one before it, up to LIMIT_REFUSAL_MOST_US. Refusals of a
 * job last twice these times:
 *     node        one row per (OF, queue, shape, node)
 *     everywhere  one row per (OF, queue, shape), NODE = NO_ROW, the *head*: LIMIT_REFUSAL_NODES
 *                 different nodes refused for one reason. When the head ends, one transaction tries
 *                 first (PROBE). Other tasks follow when the orchestrator has confirmed that
 *                 transaction, or when the time of the probe is over
 *     job         COST.REJECTS: each LIMIT_REFUSAL_NODES-th refusal of a job in a row sets the job
 *                 aside for longer than its shape, so that equal jobs are tried before it. Later
 *                 refusals of that job count for its shape only while no equal job is confirmed
 * Rejected nominations have rows and heads of their own (OF). With a rejected nomination, the
 * orchestrator says that it reserves no room on the node. It does not say that it would reject a
 * placement when the room is free. The rows of rejected nominations therefore keep away only
 * tasks that would evict other tasks for the room. A rejected nomination makes no row of
 * REFUSAL_OF_PLACES and does not count in COST.REJECTS, because the job can still be placed. If
 * several decisions were made before the first of them was rejected, their rejections count as
 * one refusal (WAVE compares the serial numbers of decision groups).
 *
 * States of a row: a row in state ACTIVE or PROBE keeps tasks away; a row in state ENDED is only
 * remembered, for LIMIT_REFUSAL_MEMORY_US. A row whose time is over ends only when the next cycle
 * begins (refusals_end). Therefore the functions that ask for a refusal need no clock. A row with
 * COUNT 0 is removed as soon as it ends.
 *
 * Invariants: as long as there is a node row of a queue and shape, the head of that queue and
 * shape exists, too, and its MEMBERS is the number of these node rows. NODE.REFUSES is the number
 * of the node's rows that keep tasks away. Rows that keep tasks away are in one heap, ordered by
 * UNTIL. All rows of a queue, at most LIMIT_REFUSALS_PER_QUEUE, are in the queue's heap. The row
 * at the top of this heap is forgotten first. A row is a holder of its shape and of its reason
 * (see intern.h). Cost: O(log n) for a change, one hash lookup for a question. A search therefore
 * needs one lookup for each node that it scores, and only for shapes that have a head. Why not
 * one row for each task: a shape that every node refuses would be tried (number of tasks) x
 * (number of nodes) times. Why not one row with a set of nodes: the refusals of different nodes
 * end at different times.
 */
#ifndef LIBSCHED_REFUSAL_H
#define LIBSCHED_REFUSAL_H

#include "model/store/heap.h"
#include "model/jobs/job.h"

enum { REFUSAL_ENDED = 0, REFUSAL_ACTIVE = 1, REFUSAL_PROBE = 2 };
enum { REFUSAL_OF_PLACES = 0, REFUSAL_OF_NOMINATIONS = 1 };

/* Returns 1 if a rejection of the decision is a refusal. A rejected placement is always a
 * refusal. A rejected nomination is a refusal only while some task of the cluster is releasing.
 * If no task is releasing, the nominated room is free already: the job can be placed on the node
 * like any other job, and no task is evicted for it again. */
int refusal_counts(const struct columns *k, uint32_t decision);
/* Records that the orchestrator rejected the open decision, a placement or a nomination. reason:
 * the orchestrator's word for the class of the reason, or empty. Can return LSCHED_E_NOMEM or
 * LSCHED_E_LIMIT. */
int32_t refusal_note(struct columns *k, uint32_t decision, lsched_text reason);
/* What the orchestrator says about a rejection beside the class of its reason. */
struct refusal_terms {
    uint32_t avoid;       /* LSCHED_AVOID_* */
    uint32_t tree, level; /* DOMAIN: row of the topology and index of its level */
    int64_t until;        /* time until which the tasks stay away; 0: the times of this file */
    lsched_text words;    /* for people; can be empty */
};
/* Does what refusal_note() does, with terms. If the orchestrator says what to avoid, only that is
 * closed: the rejection counts neither for the rule of LIMIT_REFUSAL_NODES nodes nor for the job.
 * Cost: DOMAIN: O(log n) for each node of the domain, at most LIMIT_REFUSAL_DOMAIN_NODES. */
int32_t refusal_note_terms(struct columns *k, uint32_t decision, lsched_text reason,
                           const struct refusal_terms *terms);
/* Returns the number of nodes of the level's domain in which the decision's node is; 0 if the node
 * is in no such domain. Counts at most `most` nodes. */
uint32_t refusal_domain_nodes(const struct columns *k, uint32_t decision,
                              const struct refusal_terms *terms, uint32_t most);
/* Records that the orchestrator confirmed a placement or a nomination: equal tasks are tried
 * again, on this node and on others. The job's own count of refusals is not changed, because an
 * orchestrator can still reject a confirmed placement. Without the count, the library would
 * propose that placement again and again. */
void refusal_confirmed(struct columns *k, uint32_t task);
/* Records that a task has started on the node where it was placed. The start confirms the
 * placement and sets the job's count of refusals to 0. */
void refusal_started(struct columns *k, uint32_t task);
/* Starts a probe for a task that a transaction has placed. If the task's shape was refused
 * everywhere, no other task of the shape is tried before the orchestrator has settled the
 * decision for this task. */
void refusal_probe(struct columns *k, uint32_t task, uint64_t group, int64_t now);

/* Returns the refusal row of the queue, the shape and the node; for node NO_ROW, the head of the
 * queue and shape. Returns NO_ROW if there is no such row. */
uint32_t refusal_find(const struct columns *k, uint32_t of, uint32_t queue, uint32_t shape,
                      uint32_t node);
static inline int refusal_keeps_away(const struct columns *k, uint32_t row) {
    return row != NO_ROW && k->c[C_REFUSAL_STATE].u8[row] != REFUSAL_ENDED;
}
static inline int refusals_any(const struct columns *k) {
    return table_live(k, T_REFUSAL) != 0;
}
/* Returns the largest REFUSAL_OF_* that concerns a task. later: 1 if the task is to be nominated
 * for room that comes free. Refusals of placements concern a nomination, too. */
static inline uint32_t refusal_kinds(int later) {
    return later ? REFUSAL_OF_NOMINATIONS : REFUSAL_OF_PLACES;
}
/* Returns 1 if any node has refused tasks of the queue and shape, and the refusal is still
 * remembered, ended or not. */
static inline int refusal_known(const struct columns *k, uint32_t queue, uint32_t shape,
                                int later) {
    if (!refusals_any(k)) return 0;
    for (uint32_t of = REFUSAL_OF_PLACES; of <= refusal_kinds(later); of++)
        if (refusal_find(k, of, queue, shape, NO_ROW) != NO_ROW) return 1;
    return 0;
}
/* Returns 1 if the node has refused tasks of the queue and shape, and the refusal is still
 * remembered, ended or not. Searches try other nodes before a node with such a refusal. */
static inline int refusal_remembered(const struct columns *k, uint32_t queue, uint32_t shape,
                                     uint32_t node, int later) {
    if (k->c[C_NODE_REFUSAL].u32[node] == NO_ROW) return 0;
    for (uint32_t of = REFUSAL_OF_PLACES; of <= refusal_kinds(later); of++)
        if (refusal_find(k, of, queue, shape, node) != NO_ROW) return 1;
    return 0;
}
/* Returns 1 if a refusal of this node alone keeps tasks of the shape off the node. later: 1 if
 * the tasks are to be nominated on the node. */
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
/* Returns 1 if a nomination of a task of the queue and shape on the node is useless: the
 * placement that follows it would be refused, and the nomination is not made as the probe of the
 * head. */
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
 * Returns 1 if the job was parked, 0 if the job can be placed, or LSCHED_E_NOMEM. */
int32_t refusal_park(struct columns *k, uint32_t job, int64_t now);
/* Clears the job's own count of refusals, and lets the refusals everywhere of its task shapes end
 * when the next cycle begins, because the orchestrator lets the job be tried again. The refusals
 * by single nodes stay. */
void refusal_reset(struct columns *k, uint32_t job);

/* ---- the end of refusals ---- */
/* Ends the refusals that are due and wakes the bundles that wait for them. Can return
 * LSCHED_E_NOMEM. */
int32_t refusals_end(struct columns *k, int64_t now);
/* Forgets refusals that ended more than LIMIT_REFUSAL_MEMORY_US ago. Can return
 * LSCHED_E_NOMEM. */
int32_t refusals_sweep(struct columns *k, int64_t now);
/* Returns the earliest time at which a refusal ends; LSCHED_NEVER_US if no refusal keeps tasks
 * away. */
int64_t refusals_next(const struct columns *k);
/* Is called when the node has changed: the node's refusals end when the next cycle begins. Can
 * return LSCHED_E_NOMEM. */
int32_t refusals_node_changed(struct columns *k, uint32_t node);
/* refusals_forget_node() and refusals_forget_queue() remove all refusals of a node or queue that
 * is about to be removed. Can return LSCHED_E_NOMEM. */
int32_t refusals_forget_node(struct columns *k, uint32_t node);
int32_t refusals_forget_queue(struct columns *k, uint32_t queue);
/* Is called when the clock was set from `was` to `now`: the end of a refusal that was d
 * microseconds after `was` is then d microseconds after `now`. Can return LSCHED_E_NOMEM. */
int32_t refusals_move(struct columns *k, int64_t was, int64_t now);

#endif
