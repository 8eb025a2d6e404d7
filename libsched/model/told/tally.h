/*
 * tally.h -- the counters of what happened to jobs and tasks, of the whole cluster and by queue
 * (include/libsched/counters.h).
 *
 * A counter is a word of a block; the cluster has one block, and each row of QUEUE has one. The
 * function that applies a change also counts it, through tally_add(). The undo log has the old
 * value of the word, so that a call that fails counts nothing. A cycle counts its decisions when it
 * is kept (engine/cycle/cycle_counts.h), without records.
 *
 * Counters are not state: no hash, image or clone has them, and nothing reads them to decide. Why
 * no columns: half of the counters (steps, caches, memory) depend on the process and not on the
 * calls, and two clusters that reached the same state on different ways would no longer have equal
 * images.
 *
 * Invariant: there is a block for each row of QUEUE that is in use. Cost: O(1) for each event, and
 * 730 bytes for each queue.
 */
#ifndef LIBSCHED_TALLY_H
#define LIBSCHED_TALLY_H

#include <libsched/counters.h>

#include "base/limits.h"
#include "model/store/columns.h"

/* The words of a block, in the order of the fields of lsched_counters and lsched_queue_counters. */
enum tally_word {
    TALLY_DECISIONS = 0,                                      /* by LSCHED_DECIDE_* */
    TALLY_EVICTIONS = TALLY_DECISIONS + LSCHED_COUNTED_CODES, /* by LSCHED_FOR_* */
    TALLY_CHANGES = TALLY_EVICTIONS + LSCHED_COUNTED_CODES,   /* by LSCHED_CHANGE_* */
    TALLY_WAIT = TALLY_CHANGES + LSCHED_COUNTED_CODES,        /* by bucket */
    TALLY_WAIT_SUM = TALLY_WAIT + LSCHED_WAIT_BUCKETS,
    TALLY_CONFIRMED,
    TALLY_REJECTED,
    TALLY_STARTED,
    TALLY_ENDED,
    TALLY_FAILED,
    TALLY_STOPPED,
    TALLY_IMPORTED,
    TALLY_SUBMITTED,
    TALLY_REMOVED,
    TALLY_CHANGES_MORE, /* by LSCHED_CHANGE_* - LSCHED_COUNTED_CODES */
    TALLY_WORDS = TALLY_CHANGES_MORE + LSCHED_COUNTED_CODES
};

/* What cycles did in one action; the fields of lsched_action_counters. */
struct action_tally {
    uint64_t runs, jobs_tried, decisions, evictions, work_units, steps;
};

struct tally {
    /* number of blocks of queues. They stand in columns.tally_words, after that of the cluster */
    uint32_t queues;
    /* what the cycles did that were kept */
    uint64_t cycles, partial, interrupted, policy_failed;
    uint64_t jobs_tried, work_units, steps, nodes_scored, proven, cut, skipped;
    uint64_t hits, fills, instructions;
    struct action_tally actions[LIMIT_ALGORITHMS]; /* by number of the algorithm of the cluster */
};

/* tally_open() and tally_reserve() can return LSCHED_E_NOMEM. The latter makes blocks for so many
 * rows of QUEUE. */
int32_t tally_open(struct columns *k);
int32_t tally_reserve(struct columns *k, uint32_t rows);
void tally_close(struct columns *k);
/* Sets all counters to 0. */
void tally_clear(struct columns *k);

/* Adds n to a word of the cluster and of the queue. */
void tally_add_many(struct columns *k, uint32_t queue, uint32_t word, uint64_t n);
static inline void tally_add(struct columns *k, uint32_t queue, uint32_t word) {
    tally_add_many(k, queue, word, 1);
}
/* Sets the counters of a new queue to 0, because an earlier queue can have had the row. */
void tally_queue_begins(struct columns *k, uint32_t queue);
/* Returns the block of a queue, NO_ROW: of the cluster; NULL while counters are off. */
static inline uint64_t *tally_block(const struct columns *k, uint32_t queue) {
    uint64_t at = queue == NO_ROW ? 0 : (uint64_t)queue + 1;
    return k->tally ? k->tally_words + at * TALLY_WORDS : NULL;
}
/* Returns the bucket of a wait. */
uint32_t tally_bucket(int64_t wait_us);

#endif
