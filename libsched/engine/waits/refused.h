/*
 * refused.h -- the effects of the orchestrator's refusals (model/jobs/refusal.h) in a cycle.
 *
 * Searches leave out nodes that refused the shape, and nominations on such nodes are withdrawn. If
 * all nodes refused a shape, one transaction goes first as a test. The wait reason names the
 * refusal. Rejected nominations have the same effects in searches for victims and for room that
 * comes free (y->later), and no effect elsewhere.
 *
 * If refusals of a shape are known, its search index belongs to one queue and leaves refused nodes
 * out when it scores them (search.c). The place call checks again, so that no action can bypass
 * this. The case that all nodes refuse the shape is checked once per search, before the search.
 */
#ifndef LIBSCHED_REFUSED_H
#define LIBSCHED_REFUSED_H

#include "engine/state/cycle_state.h"
#include "model/jobs/refusal.h"
#include "engine/state/object_words.h"

/* True if tasks of the group are refused everywhere for now; y->why then has the reason. */
int refused_everywhere(struct lsched_cycle *y, uint32_t group);
/* Called after a search found no node: true if a node of the domain (NO_ROW: any node) has room now
 * but refused such tasks; y->why then has the reason. */
int refused_by_room(struct lsched_cycle *y, uint32_t group, uint32_t domain);
/* True if a victim search can help a bundle that waits because of refusals. */
int refused_lets_evict(const struct columns *k, uint32_t bundle);
/* The current transaction is kept: it becomes the test for those of its shapes that all nodes
 * refused. */
void refused_commit(struct lsched_cycle *y);
/* Withdraws nominations on room that is useless since the orchestrator rejected other nominations
 * there. Error: LSCHED_E_NOMEM. */
int32_t refused_nominations(struct lsched_cycle *y);

/* The refusal that keeps a job waiting in the present state: one of its own, one of its shape, or
 * the node with room whose refusal ends first. */
struct refused {
    enum { REFUSED_NOT, REFUSED_JOB, REFUSED_SHAPE, REFUSED_NODE } by;
    uint32_t row; /* row in table REFUSAL, or NO_ROW */
    /* node that refused last, or whose refusal ends first; NO_ROW if it was removed */
    uint32_t node;
    /* number of nodes that refused the shape; for REFUSED_NODE, of nodes that have room and
     * refuse */
    uint32_t nodes;
    int64_t at, until; /* time of the refusal, time of the next try */
};
struct refused refused_look(const struct columns *k, uint32_t job, uint32_t group);
/* Finds the refusal that keeps the job from evicting others: of its shape, for nominations or
 * places, or of a node that could hold a task of the job. The refusal that ends first is
 * returned. */
struct refused refused_look_nominations(const struct columns *k, uint32_t job);
/* Returns the earliest time at which a releasing task can be nominated again on a node that has
 * room but refuses it; LSCHED_NEVER_US if there is no such node. O(nodes), charged to the
 * budget. */
int64_t refused_move_until(struct lsched_cycle *y, uint32_t releasing);
/* True if the job waits for room that releasing tasks will free: all tasks missing to the job's
 * minimum (or one more task) fit as soon as the releasing tasks are gone, but some of these nodes
 * refuse nominations of the job, though not placements. The job can then reserve no room, and takes
 * the room when it is free; nothing else is evicted for the job. If the tasks depend on each
 * other's places, the function can return 1 although they do not fit together. The job then waits
 * in vain until the releasing tasks are gone or stuck. O(nodes x leaves) once nominations of such
 * tasks were refused, else O(leaves). */
int refused_room_comes(const struct columns *k, uint32_t job);
/* Writes the numbers of a record whose code is LSCHED_WAIT_REFUSED. If only nominations are
 * refused, the record becomes LSCHED_WAIT_ROOM with LSCHED_EVICT_REFUSED. */
void refused_tell(const struct columns *k, lsched_waiting *w);
void refused_put(const struct columns *k, const lsched_waiting *w, struct text_out *o);
void refused_put_nominations(const struct columns *k, const lsched_waiting *w, struct text_out *o);

#endif
