/*
 * free_spans.h -- spans of time in which a number of tasks fit, in order of their begins and in
 * order of their ends.
 *
 * A bin in which first 1, then 3 and then 2 tasks fit has three spans: one task fits from the begin
 * on for ever, one more from the first change on for ever, and one more between the two changes.
 * A task that runs for a given length can start in a span until that length before its end, and the
 * number of tasks that can start at a time is the sum over all spans. The spans of all bins are one
 * set: each pair of begin and end stands once, with the number of tasks as its weight. So a cluster
 * on which work ends at a few hundred different times has a few hundred spans, however many nodes
 * it has.
 *
 * What always holds: both orders have each span once. The order of spans with equal keys depends on
 * the history and must decide nothing. A span stays until the set is cleared, also with weight 0.
 *
 * Cost: O(1) for a change of a weight; O(log spans + BLOCK) for a new span; a question walks
 * through both orders from now to its answer and skips blocks whose spans are all too short.
 */
#ifndef LIBSCHED_FREE_SPANS_H
#define LIBSCHED_FREE_SPANS_H

#include "algorithms/support/free_timeline.h"

#define FREE_SPANS_BLOCK 64u

struct free_span {
    int64_t from, to;   /* `from` can be FREE_TIMELINE_BEGIN, and `to` FREE_TIMELINE_FOREVER */
    int64_t weight;     /* number of tasks */
    uint32_t first_use; /* for the caller; FREE_TIMELINE_NONE in a new span */
    uint32_t chain;     /* next span with the same place in the hash table */
};

/* key: the time by which the order sorts. other: the other end of the span. */
struct free_spans_item {
    int64_t key, other;
    uint32_t span;
};

struct free_spans_block {
    uint32_t n;
    int64_t longest; /* no span of the block is longer */
    struct free_spans_item items[FREE_SPANS_BLOCK];
};

struct free_spans_order {
    struct free_spans_block *blocks;
    uint32_t n_blocks, cap_blocks;
    uint32_t *list; /* the blocks in order */
    uint32_t cap_list;
};

struct free_spans {
    struct free_span *spans;
    uint32_t n, cap;
    uint32_t *table; /* hash table: first span of each chain */
    uint32_t cap_table;
    struct free_spans_order ups, downs; /* by `from`, by `to` */
    uint64_t steps;                     /* number of items that questions have looked at so far */
};

/* A position in an order; zeroed: before the first item. */
struct free_spans_cursor {
    uint32_t block, at;
};

void free_spans_close(struct free_spans *s, const lsched_algorithm_env *env);
void free_spans_clear(struct free_spans *s);
/* Returns the number of the span with this begin and end, which is added with weight 0 if it is
 * new. Returns FREE_TIMELINE_NONE if there is no memory; then the set must be cleared. */
uint32_t free_spans_of(struct free_spans *s, const lsched_algorithm_env *env, int64_t from,
                       int64_t to);
/* Returns the earliest time, from now on, at which `tasks` tasks that run for `length` can start.
 * Returns FREE_TIMELINE_FOREVER if there is no such time. */
int64_t free_spans_start(struct free_spans *s, int64_t now, int64_t length, uint64_t tasks);
/* True if `tasks` tasks that run for `length` can start now. */
int free_spans_is_now(struct free_spans *s, int64_t now, int64_t length, uint64_t tasks);

/* True if a task that runs for `length` from `at` on ends in the span, which `at` is in. */
static inline int free_spans_holds(int64_t to, int64_t at, int64_t length) {
    return to == FREE_TIMELINE_FOREVER || to - at >= length;
}

/* Returns the next item of the order, or NULL at the end. Skips blocks in which no span is as long
 * as `length`. Inline, because questions call it for each item at which they look. */
static inline const struct free_spans_item *free_spans_next(const struct free_spans_order *o,
                                                            int64_t length,
                                                            struct free_spans_cursor *cursor) {
    while (cursor->block < o->n_blocks) {
        const struct free_spans_block *b = &o->blocks[o->list[cursor->block]];
        if (b->longest >= length && cursor->at < b->n) return &b->items[cursor->at++];
        cursor->block++;
        cursor->at = 0;
    }
    return NULL;
}

#endif
