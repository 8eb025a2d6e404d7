/*
 * quota_world.h -- a view of queues alone, for the share algorithms that read quotas: what a queue
 * has is written into the columns by hand, and the algorithm is asked for amounts and keys.
 *
 * Nothing is placed here; drf_model.h has a pool and a descent for that.
 */
#ifndef TESTS_QUOTA_WORLD_H
#define TESTS_QUOTA_WORLD_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

#include <libsched/algorithm.h>

#include "algorithms/builtin.h"

#define WORLD_QUEUES 160u
#define WORLD_KINDS  5u /* kinds 1 .. 4 */
#define ROOT         LSCHED_NO_ROW
#define ANY          LSCHED_UNLIMITED

struct world {
    const lsched_algorithm *algorithm;
    lsched_algorithm_env env;
    void *self;
    lsched_view view;
    uint8_t live[WORLD_QUEUES], flags[WORLD_QUEUES];
    uint32_t parent[WORLD_QUEUES], depth[WORLD_QUEUES], rank[WORLD_QUEUES];
    int32_t priority[WORLD_QUEUES];
    int64_t created[WORLD_QUEUES], head[WORLD_QUEUES];
    int64_t quota[WORLD_KINDS][WORLD_QUEUES], limit[WORLD_KINDS][WORLD_QUEUES];
    int64_t weight[WORLD_KINDS][WORLD_QUEUES], lend[WORLD_KINDS][WORLD_QUEUES];
    int64_t used[WORLD_KINDS][WORLD_QUEUES], demand[WORLD_KINDS][WORLD_QUEUES];
    int64_t core[WORLD_KINDS][WORLD_QUEUES], decayed[WORLD_KINDS][WORLD_QUEUES];
    int64_t want[WORLD_QUEUES][LSCHED_RESOURCE_KINDS_MAX];
    int allocations_left; /* negative: any number */
};

static inline void *world_alloc(void *engine, size_t bytes) {
    struct world *w = engine;
    if (w->allocations_left == 0) return NULL;
    if (w->allocations_left > 0) w->allocations_left--;
    void *block = malloc(bytes);
    if (block) memset(block, 0xa5, bytes); /* nobody may rely on zeros */
    return block;
}

static inline void world_free(void *engine, void *old, size_t bytes) {
    (void)engine;
    memset(old, 0x5a, bytes); /* sizes must be those of the allocation */
    free(old);
}

static inline void world_point(struct world *w) {
    lsched_view *v = &w->view;
    v->size = sizeof *v;
    v->n_kinds = WORLD_KINDS;
    v->queue_live = w->live;
    v->queue_flags = w->flags;
    v->queue_parent = w->parent;
    v->queue_depth = w->depth;
    v->queue_name_rank = w->rank;
    v->queue_priority = w->priority;
    v->queue_created_us = w->created;
    v->queue_head_order = w->head;
    for (uint32_t kind = 1; kind < WORLD_KINDS; kind++) {
        v->queue_quota[kind] = w->quota[kind];
        v->queue_limit[kind] = w->limit[kind];
        v->queue_weight_milli[kind] = w->weight[kind];
        v->queue_lend[kind] = w->lend[kind];
        v->queue_used[kind] = w->used[kind];
        v->queue_demand[kind] = w->demand[kind];
        v->queue_core[kind] = w->core[kind];
        v->queue_decayed_ppm[kind] = w->decayed[kind];
    }
}

static inline void world_init(struct world *w, const lsched_algorithm *algorithm) {
    memset(w, 0, sizeof *w);
    world_point(w);
    w->view.usage_weight_milli = 1000;
    w->allocations_left = -1;
    w->algorithm = algorithm;
    w->env.size = sizeof w->env;
    w->env.engine = w;
    w->env.alloc = world_alloc;
    w->env.free = world_free;
    if (algorithm->create) assert_int_equal(algorithm->create(&w->env, &w->self, NULL), LSCHED_OK);
}

static inline void world_end(struct world *w) {
    if (w->algorithm->destroy) w->algorithm->destroy(&w->env, w->self);
}

/* A queue without quota and limit, of weight 1, that lends all and asks for nothing. */
static inline uint32_t world_queue(struct world *w, uint32_t parent) {
    uint32_t q = w->view.n_queues++;
    assert_true(q < WORLD_QUEUES);
    w->live[q] = 1;
    w->parent[q] = parent;
    w->depth[q] = parent == ROOT ? 0 : w->depth[parent] + 1;
    w->rank[q] = q;
    for (uint32_t kind = 1; kind < WORLD_KINDS; kind++) {
        w->limit[kind][q] = w->lend[kind][q] = ANY;
        w->weight[kind][q] = 1000;
    }
    return q;
}

/* `used` of the kind more, and `waits` more, here and above. */
static inline void world_load(struct world *w, uint32_t queue, uint32_t kind, int64_t used,
                              int64_t waits) {
    for (uint32_t q = queue; q != ROOT; q = w->parent[q]) {
        w->used[kind][q] += used;
        w->demand[kind][q] += used + waits;
    }
}

static inline void world_begin(struct world *w) {
    if (w->algorithm->share->begin)
        assert_int_equal(w->algorithm->share->begin(w->self, &w->view), LSCHED_OK);
}

static inline int64_t world_guarantee(struct world *w, uint32_t queue, uint32_t kind) {
    int64_t guarantee, fair_share;
    assert_int_equal(
        w->algorithm->share->amounts(w->self, &w->view, queue, kind, &guarantee, &fair_share),
        LSCHED_OK);
    return guarantee;
}

static inline int64_t world_share(struct world *w, uint32_t queue, uint32_t kind) {
    int64_t guarantee, fair_share;
    assert_int_equal(
        w->algorithm->share->amounts(w->self, &w->view, queue, kind, &guarantee, &fair_share),
        LSCHED_OK);
    return fair_share;
}

/* The key of a queue that has work, next that in want[]. */
static inline lsched_share_key world_key(struct world *w, uint32_t queue, uint32_t best_child) {
    lsched_share_key key = {{-1, -1}};
    assert_int_equal(
        w->algorithm->share->update(w->self, &w->view, queue, 1, best_child, w->want[queue], &key),
        LSCHED_OK);
    return key;
}

/* Of a key of share "quota" that is no user's: what it says of the queue's dominant share, with 40
 * bits behind the point, and without its next job, with 24. */
static inline int64_t world_dominant(lsched_share_key key) {
    return (key.word[0] & ((INT64_C(1) << 29) - 1)) << 31 | key.word[1] >> 32;
}

static inline int64_t world_dominant_before(lsched_share_key key) {
    return key.word[1] & UINT32_MAX;
}

/* a goes before b; both are leaves. Equal keys: neither. */
static inline int world_before(struct world *w, uint32_t a, uint32_t b) {
    lsched_share_key x = world_key(w, a, ROOT), y = world_key(w, b, ROOT);
    if (x.word[0] != y.word[0]) return x.word[0] < y.word[0];
    return x.word[1] < y.word[1];
}

#endif
