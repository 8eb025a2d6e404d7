/*
 * generation.h -- which generations the slots of tables with ids can have. An id is unique over
 * the life of a cluster, because a slot never has a generation twice. After a crash an older
 * image is loaded. The ids that were issued since then are not in the image, and simple counting
 * would issue them again. Therefore the 28 bits of a generation are divided: the upper bits are
 * the incarnation, which the orchestrator counts; the lower bits count objects within the
 * incarnation.
 *
 * Invariants: a slot that is not live has a generation of the present incarnation, or is retired
 * with the first generation after it. A live slot has a generation of this incarnation or of an
 * earlier one. Appended slots begin with the first generation of the incarnation. So a later
 * incarnation never issues an id that an earlier one could have issued, whatever was lost. Cost:
 * a slot retires after GENERATIONS objects and returns in the next incarnation; memory grows by
 * one row for every GENERATIONS objects. Why no salt: it would change the image of equal calls,
 * and the same cluster would get the same salt again.
 */
#ifndef LIBSCHED_GENERATION_H
#define LIBSCHED_GENERATION_H

#include "model/store/columns.h"

#define GENERATION_BITS 14
#define GENERATIONS     (1u << GENERATION_BITS) /* generations of one slot in one incarnation */

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

/* Returns the GEN column of a table, COLUMNS if its rows have no ids. */
uint32_t generation_column(uint32_t table);

/* Changes to a later incarnation: free and retired slots begin again with its first generation,
 * and the ids of live slots stay. Decision groups are counted on from a number that no earlier
 * incarnation has reached. Writes through the undo log. Can return LSCHED_E_NOMEM. */
int32_t generation_next(struct columns *k, uint32_t incarnation);

#endif
