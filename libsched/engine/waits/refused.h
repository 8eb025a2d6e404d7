/*
 * refused.h -- what the host's refusals (model/jobs/refusal.h) mean to a cycle: searches leave out
 * who refused, claims on such nodes go, one transaction goes first where all refused, and who waits
 * for it is told. Rejected claims mean the same to searches for victims and for room that comes
 * free (y->later), and nothing to others.
 *
 * A search index of a shape that has a head is of one queue, and leaves refused nodes out when it
 * scores them (search.c); the place call asks again, so that no action can go round it. That the
 * shape is refused everywhere is asked once per search, before it.
 */
#ifndef LIBSCHED_REFUSED_H
#define LIBSCHED_REFUSED_H

#include "engine/state/cycle_state.h"
#include "model/jobs/refusal.h"
#include "engine/state/object_words.h"

/* True if tasks of the group are refused everywhere for now; then y->why says so. */
int refused_everywhere(struct lsched_cycle *y, uint32_t group);
/* No node was found: true if one of the domain (NO_ROW: of all) has room now and refused such
 * tasks; then y->why says so. */
int refused_by_room(struct lsched_cycle *y, uint32_t group, uint32_t domain);
/* True if a search for victims can help a bundle that waits for this. */
int refused_lets_evict(const struct columns *k, uint32_t bundle);
/* The transaction in hand is kept: it is the one that goes first for the shapes in it that all
 * refused. */
void refused_commit(struct lsched_cycle *y);
/* Claims on room that is of no use since the host has rejected others. LSCHED_E_NOMEM. */
int32_t refused_claims(struct lsched_cycle *y);

/* Who keeps a job waiting, as the state is: its own refusals, its shape's, or the node with room
 * whose refusal ends first. */
struct refused {
    enum { REFUSED_NOT, REFUSED_JOB, REFUSED_SHAPE, REFUSED_NODE } by;
    uint32_t row;      /* of REFUSAL; NO_ROW */
    uint32_t node;     /* that refused last, or ends first; NO_ROW if it is gone */
    uint32_t nodes;    /* of the shape that have refused, or, of REFUSED_NODE, have room and do */
    int64_t at, until; /* when it refused, when it is tried again */
};
struct refused refused_look(const struct columns *k, uint32_t job, uint32_t group);
/* Who keeps it from stopping others: its shape's claims, or places, or a node that refuses either
 * and could hold a task of it. The one that ends first. */
struct refused refused_look_claims(const struct columns *k, uint32_t job);
/* When work that leaves its place may claim room again on the first of the nodes that have some and
 * refuse it; LSCHED_NEVER_US if there is no such node. O(nodes), which is charged. */
int64_t refused_move_until(struct lsched_cycle *y, uint32_t leaving);
/* True if the job waits for room that is on its way: all that it lacks to its minimum (or one task
 * more) fits as soon as what leaves nodes is gone, and some of these nodes refuse claims of it, but
 * no places; so it can claim no room, and takes it when it is there. Then nobody else is stopped
 * for it. From above where tasks are chosen together, so it may wait in vain until that work has
 * gone or is stuck. O(nodes x leaves) once claims of such tasks were refused, else O(leaves). */
int refused_room_comes(const struct columns *k, uint32_t job);
/* The numbers of a record whose code is LSCHED_WAIT_REFUSED. Where only claims are refused it says
 * LSCHED_WAIT_ROOM and LSCHED_EVICT_REFUSED. */
void refused_tell(const struct columns *k, lsched_waiting *w);
void refused_put(const struct columns *k, const lsched_waiting *w, struct text_out *o);
void refused_put_claims(const struct columns *k, const lsched_waiting *w, struct text_out *o);

#endif
