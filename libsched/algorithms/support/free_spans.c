/* free_spans.c -- see free_spans.h. */
#include "algorithms/support/free_spans.h"

#include <string.h>

#include "algorithms/support/chain_table.h"
#include "base/bisect.h"

static void order_close(struct free_spans_order *o, const lsched_algorithm_env *env) {
    env_free(env, o->blocks, o->cap_blocks * sizeof *o->blocks);
    env_free(env, o->list, o->cap_list * sizeof *o->list);
}

void free_spans_close(struct free_spans *s, const lsched_algorithm_env *env) {
    env_free(env, s->spans, s->cap * sizeof *s->spans);
    env_free(env, s->table, s->cap_table * sizeof *s->table);
    order_close(&s->ups, env);
    order_close(&s->downs, env);
    memset(s, 0, sizeof *s);
}

void free_spans_clear(struct free_spans *s) {
    s->n = s->ups.n_blocks = s->downs.n_blocks = 0;
    chain_table_clear(s->table, s->cap_table);
}

/* ---- the two orders ---- */

static int64_t span_length(int64_t from, int64_t to) {
    return from == FREE_TIMELINE_BEGIN || to == FREE_TIMELINE_FOREVER ? INT64_MAX : to - from;
}

/* Returns the position in the list of the last block that begins before the key, or 0. */
static uint32_t order_block(const struct free_spans_order *o, int64_t key) {
    uint32_t low = 0, high = o->n_blocks;
    BISECT_LAST(low, high, middle, o->blocks[o->list[middle]].items[0].key < key);
    return low;
}

/* Adds an empty block at this position of the list. Returns LSCHED_OK or LSCHED_E_NOMEM. */
static int32_t block_add(struct free_spans_order *o, const lsched_algorithm_env *env, uint32_t at) {
    if (!ENV_ROOM(env, o->blocks, o->cap_blocks, o->n_blocks + 1ull)) return LSCHED_E_NOMEM;
    if (!ENV_ROOM(env, o->list, o->cap_list, o->n_blocks + 1ull)) return LSCHED_E_NOMEM;
    memmove(o->list + at + 1, o->list + at, (o->n_blocks - at) * sizeof *o->list);
    o->list[at] = o->n_blocks;
    o->blocks[o->n_blocks].n = 0;
    o->blocks[o->n_blocks].longest = 0;
    o->n_blocks++;
    return LSCHED_OK;
}

static int64_t item_length(const struct free_spans_item *i) {
    return i->key < i->other ? span_length(i->key, i->other) : span_length(i->other, i->key);
}

static void block_measure(struct free_spans_block *b) {
    b->longest = 0;
    for (uint32_t i = 0; i < b->n; i++)
        if (item_length(&b->items[i]) > b->longest) b->longest = item_length(&b->items[i]);
}

/* Moves the second half of a full block to a new block behind it. */
static int32_t block_split(struct free_spans_order *o, const lsched_algorithm_env *env,
                           uint32_t at) {
    int32_t rc = block_add(o, env, at + 1);
    if (rc != LSCHED_OK) return rc;
    struct free_spans_block *b = &o->blocks[o->list[at]], *to = &o->blocks[o->list[at + 1]];
    uint32_t half = b->n / 2;
    to->n = b->n - half;
    memcpy(to->items, b->items + half, to->n * sizeof *to->items);
    b->n = half;
    block_measure(b);
    block_measure(to);
    return LSCHED_OK;
}

static int32_t order_add(struct free_spans_order *o, const lsched_algorithm_env *env,
                         struct free_spans_item item) {
    uint32_t at = order_block(o, item.key), i;
    int32_t rc = o->n_blocks ? LSCHED_OK : block_add(o, env, 0);
    if (rc == LSCHED_OK && o->blocks[o->list[at]].n == FREE_SPANS_BLOCK)
        rc = block_split(o, env, at);
    if (rc != LSCHED_OK) return rc;
    if (at + 1 < o->n_blocks && o->blocks[o->list[at + 1]].items[0].key < item.key) at++;
    struct free_spans_block *b = &o->blocks[o->list[at]];
    for (i = b->n; i > 0 && b->items[i - 1].key > item.key;) i--;
    memmove(b->items + i + 1, b->items + i, (b->n - i) * sizeof *b->items);
    b->items[i] = item;
    b->n++;
    if (item_length(&item) > b->longest) b->longest = item_length(&item);
    return LSCHED_OK;
}

/* ---- the set ---- */

static uint64_t span_hash(int64_t from, int64_t to) {
    return free_timeline_mix(free_timeline_mix(1, (uint64_t)from), (uint64_t)to);
}

static void span_chain(struct free_spans *s, uint32_t span) {
    uint64_t hash = span_hash(s->spans[span].from, s->spans[span].to);
    uint32_t *first = &s->table[hash & (s->cap_table - 1)];
    s->spans[span].chain = *first;
    *first = span;
}

static int32_t spans_table_room(struct free_spans *s, const lsched_algorithm_env *env) {
    if (s->n < s->cap_table) return LSCHED_OK;
    int32_t rc = chain_table_grow(env, &s->table, &s->cap_table, 64);
    for (uint32_t i = 0; rc == LSCHED_OK && i < s->n; i++) span_chain(s, i);
    return rc;
}

uint32_t free_spans_of(struct free_spans *s, const lsched_algorithm_env *env, int64_t from,
                       int64_t to) {
    uint32_t i = FREE_TIMELINE_NONE;
    if (s->cap_table) i = s->table[span_hash(from, to) & (s->cap_table - 1)];
    while (i != FREE_TIMELINE_NONE && (s->spans[i].from != from || s->spans[i].to != to))
        i = s->spans[i].chain;
    if (i != FREE_TIMELINE_NONE) return i;
    if (!ENV_ROOM(env, s->spans, s->cap, s->n + 1ull) || spans_table_room(s, env) != LSCHED_OK ||
        order_add(&s->ups, env, (struct free_spans_item){from, to, s->n}) != LSCHED_OK)
        return FREE_TIMELINE_NONE;
    /* a span without end never goes down */
    if (to != FREE_TIMELINE_FOREVER &&
        order_add(&s->downs, env, (struct free_spans_item){to, from, s->n}) != LSCHED_OK)
        return FREE_TIMELINE_NONE;
    s->spans[s->n] = (struct free_span){from, to, 0, FREE_TIMELINE_NONE, 0};
    span_chain(s, s->n);
    return s->n++;
}

/* ---- questions ---- */

/* Walks through both orders from now on until `tasks` tasks can start. `last`: only starts up to
 * this time are wanted. */
static int64_t spans_walk(struct free_spans *s, int64_t now, int64_t last, int64_t length,
                          uint64_t tasks) {
    struct free_spans_cursor up = {0, 0}, down = {0, 0};
    const struct free_spans_item *u = free_spans_next(&s->ups, length, &up), *d = NULL;
    int64_t have = 0, at = now;
    uint64_t steps = 1;
    while (u) {
        /* the spans that begin at this time come in, and those whose last start is past go out */
        for (; u && u->key <= at; u = free_spans_next(&s->ups, length, &up), steps++)
            if (free_spans_holds(u->other, at, length)) have += s->spans[u->span].weight;
        if (at > now && !d) d = free_spans_next(&s->downs, length, &down);
        for (; d && d->key - length < at; d = free_spans_next(&s->downs, length, &down), steps++) {
            int64_t from = d->other > now ? d->other : now;
            if (from < at && free_spans_holds(d->key, from, length))
                have -= s->spans[d->span].weight;
        }
        if (have >= 0 && (uint64_t)have >= tasks) break;
        at = u ? u->key : FREE_TIMELINE_FOREVER;
        if (at > last) at = FREE_TIMELINE_FOREVER;
        if (at == FREE_TIMELINE_FOREVER) break;
    }
    s->steps += steps;
    return have >= 0 && (uint64_t)have >= tasks ? at : FREE_TIMELINE_FOREVER;
}

int64_t free_spans_start(struct free_spans *s, int64_t now, int64_t length, uint64_t tasks) {
    return spans_walk(s, now, FREE_TIMELINE_FOREVER, length, tasks);
}

int free_spans_is_now(struct free_spans *s, int64_t now, int64_t length, uint64_t tasks) {
    return spans_walk(s, now, now, length, tasks) == now;
}
