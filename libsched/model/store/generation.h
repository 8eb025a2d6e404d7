/*
 * generation.h -- which generations the slots of tables with ids may have. An id is unique over the
 * life of a cluster because a slot never has a generation twice. After a crash an older image is
 * loaded: what was issued since then is not in it, so counting on would issue it again. Therefore
 * the 28 bits of a generation are divided: the upper ones are the incarnation, which the host
 * counts, the lower ones count objects within it.
 *
 * Invariants: a slot that is not live has a generation of the present incarnation, or is retired
 * with the first one behind it; a live one has a generation of this incarnation or of an earlier
 * one. Appended slots begin with the first of the incarnation. So a later incarnation issues
 * nothing that an earlier one could have issued, however far that came and whatever was lost of it.
 * Cost: a slot retires after GENERATIONS objects and comes back in the next incarnation; memory
 * grows by one row for each so many. Why no salt: it would change the image of equal calls, and the
 * same cluster would have the same salt.
 */
#ifndef LIBSCHED_GENERATION_H
#define LIBSCHED_GENERATION_H

#include "model/store/columns.h"

#define GENERATION_BITS 14
#define GENERATIONS     (1u << GENERATION_BITS) /* of one slot in one incarnation */

static inline uint32_t generation_first(const struct columns *k) {
    uint32_t first = (uint32_t)meta(k, M_INCARNATION) << GENERATION_BITS;
    return first ? first : 1; /* an id is not 0 */
}

static inline uint32_t generation_last(const struct columns *k) {
    return ((uint32_t)meta(k, M_INCARNATION) << GENERATION_BITS) + GENERATIONS - 1;
}

/* Groups of decisions are counted on from here at the least. 2^40: more than one incarnation
 * makes; 2^54 in all is below what a load believes. */
static inline uint64_t generation_group_first(const struct columns *k) {
    return meta(k, M_INCARNATION) << 40;
}

/* The GEN column of a table, COLUMNS if its rows have no ids. */
uint32_t generation_column(uint32_t table);

/* Go on as another incarnation, which is later than the present one: free slots and retired ones
 * begin anew, ids of what is live stay. Groups of decisions are counted on from where no earlier
 * one came. Through the undo log; E_NOMEM. */
int32_t generation_next(struct columns *k, uint32_t incarnation);

#endif
