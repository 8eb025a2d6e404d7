/*
 * generation.h -- the generations of rows (slots) in tables whose objects have ids. An id is
 * unique over the life of a cluster, because a slot never has the same generation twice. After a
 * crash, the orchestrator loads an older image. This image does not have the ids that were issued
 * after it was saved, and simple counting would issue them again. Therefore a generation of 28
 * bits has two fields: the upper bits are the incarnation, which the orchestrator increases; the
 * lower bits count the objects of the slot within the incarnation.
 *
 * Invariants: a slot that is not live has a generation of the present incarnation, or is retired:
 * then it has the first generation of the next incarnation. A live slot has a generation of the
 * present incarnation or of an earlier one. An appended slot gets the first generation of the
 * present incarnation. Therefore a later incarnation never issues an id that an earlier
 * incarnation could have issued, even if the latest images are lost. Cost: a slot retires after
 * GENERATIONS objects and is used again in the next incarnation; memory grows by one row for
 * every GENERATIONS objects. Why no random salt in ids: equal calls would no longer give equal
 * images, and a salt that depends on the cluster would be the same after a crash.
 */
#ifndef LIBSCHED_GENERATION_H
#define LIBSCHED_GENERATION_H

#include "model/store/columns.h"

#define GENERATION_BITS 14
/* number of generations of one slot in one incarnation */
#define GENERATIONS (1u << GENERATION_BITS)

static inline uint32_t generation_first(const struct columns *k) {
    uint32_t first = (uint32_t)meta(k, M_INCARNATION) << GENERATION_BITS;
    return first ? first : 1; /* an id is never 0 */
}

static inline uint32_t generation_last(const struct columns *k) {
    return ((uint32_t)meta(k, M_INCARNATION) << GENERATION_BITS) + GENERATIONS - 1;
}

/* Returns the least serial number of decision groups in this incarnation. One incarnation makes
 * fewer than 2^40 groups; the total of 2^54 is below the bound that a load accepts. */
static inline uint64_t generation_group_first(const struct columns *k) {
    return meta(k, M_INCARNATION) << 40;
}

/* True if the cluster, in this incarnation or a later one, can still give the row of the table this
 * generation. Only such an id is not unique when it comes from elsewhere. */
int generation_can_come(const struct columns *k, uint32_t table, uint32_t row, uint32_t gen);

/* Sets a later incarnation. Free and retired slots get the first generation of the new
 * incarnation; the ids of live slots do not change. The serial number of decision groups
 * continues at a number that no earlier incarnation has reached. All writes go through the undo
 * log. Can return LSCHED_E_NOMEM. */
int32_t generation_next(struct columns *k, uint32_t incarnation);

#endif
