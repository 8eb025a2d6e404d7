/* tally.c -- see tally.h. */
#include "model/told/tally.h"

#define TALLY_BYTES(queues) (((size_t)(queues) + 1) * TALLY_WORDS * sizeof(uint64_t))

#define SECONDS(n) ((n)*INT64_C(1000000))
static const int64_t bounds[LSCHED_WAIT_BUCKETS] = {
    SECONDS(1),     SECONDS(5),     SECONDS(15),     SECONDS(30),    SECONDS(60),    SECONDS(120),
    SECONDS(300),   SECONDS(900),   SECONDS(1800),   SECONDS(3600),  SECONDS(10800), SECONDS(21600),
    SECONDS(43200), SECONDS(86400), SECONDS(604800), LSCHED_NEVER_US};

int32_t tally_open(struct columns *k) {
    struct tally *t = alloc_zero(k->alloc, sizeof *t);
    if (!t) return LSCHED_E_NOMEM;
    k->tally_words = alloc_zero(k->alloc, TALLY_BYTES(0));
    if (!k->tally_words) {
        alloc_free(k->alloc, t, sizeof *t);
        return LSCHED_E_NOMEM;
    }
    k->tally = t;
    return LSCHED_OK;
}

int32_t tally_reserve(struct columns *k, uint32_t rows) {
    struct tally *t = k->tally;
    if (!t || rows <= t->queues) return LSCHED_OK;
    uint64_t *p = alloc_resize(k->alloc, k->tally_words, TALLY_BYTES(t->queues), TALLY_BYTES(rows));
    if (!p) return LSCHED_E_NOMEM;
    memset(p + ((size_t)t->queues + 1) * TALLY_WORDS, 0,
           TALLY_BYTES(rows) - TALLY_BYTES(t->queues));
    k->tally_words = p;
    t->queues = rows;
    return LSCHED_OK;
}

void tally_close(struct columns *k) {
    struct tally *t = k->tally;
    if (!t) return;
    alloc_free(k->alloc, k->tally_words, TALLY_BYTES(t->queues));
    alloc_free(k->alloc, t, sizeof *t);
    k->tally = NULL;
    k->tally_words = NULL;
}

void tally_clear(struct columns *k) {
    struct tally *t = k->tally;
    if (!t) return;
    uint32_t queues = t->queues;
    memset(k->tally_words, 0, TALLY_BYTES(queues));
    *t = (struct tally){.queues = queues};
}

/* The record has the position of the word instead of a row. */
static void tally_set(struct columns *k, uint64_t at, uint64_t value) {
    assert(at < UINT32_MAX);
    if (k->tally_words[at] == value) return;
    if (k->undo_depth > 0) undo_log_tally(k, (uint32_t)at, k->tally_words[at]);
    k->tally_words[at] = value;
}

void tally_add_many(struct columns *k, uint32_t queue, uint32_t word, uint64_t n) {
    if (!k->tally) return;
    assert(queue < k->tally->queues);
    uint64_t at = ((uint64_t)queue + 1) * TALLY_WORDS + word;
    tally_set(k, word, k->tally_words[word] + n);
    tally_set(k, at, k->tally_words[at] + n);
}

void tally_queue_begins(struct columns *k, uint32_t queue) {
    uint64_t at = ((uint64_t)queue + 1) * TALLY_WORDS;
    if (!k->tally) return;
    for (uint32_t i = 0; i < TALLY_WORDS; i++) tally_set(k, at + i, 0);
}

uint32_t tally_bucket(int64_t wait_us) {
    uint32_t i = 0;
    while (i + 1 < LSCHED_WAIT_BUCKETS && wait_us > bounds[i]) i++;
    return i;
}

LSCHED_API int64_t lsched_wait_bound_us(uint32_t bucket) {
    return bucket < LSCHED_WAIT_BUCKETS ? bounds[bucket] : LSCHED_NEVER_US;
}
