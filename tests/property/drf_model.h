/*
 * drf_model.h -- a cluster that is one pool of resources, with a queue tree, driven by a share
 * algorithm the way the engine drives it: keys per queue, updates bottom-up along the path of what
 * changed, descent from the root to the most deserving active child, ties by row (creation order).
 *
 * It replaces the engine's heaps by a walk over the children, so that what is tested is the
 * algorithm alone. A leaf has tasks of one shape; it is active while it has demand and its next
 * task fits.
 */
#ifndef TESTS_DRF_MODEL_H
#define TESTS_DRF_MODEL_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

#include <libsched/algorithm.h>

#define MODEL_QUEUES  64u
#define MODEL_KINDS   8u
#define MODEL_FOREVER INT64_MAX

struct model_queue {
    uint32_t first_child; /* rows of children are greater than the parent's */
    uint32_t n_children;
    int64_t task[MODEL_KINDS];
    int64_t demand; /* tasks that wait */
    int64_t placed;
};

struct model {
    const lsched_algorithm *algorithm;
    lsched_algorithm_env env;
    void *self;
    lsched_view view;
    struct model_queue queue[MODEL_QUEUES];
    lsched_share_key key[MODEL_QUEUES];
    uint8_t active[MODEL_QUEUES];
    int64_t pool_free[MODEL_KINDS];
    int keep_activity; /* leaves stay as active as they are */
    uint8_t live[MODEL_QUEUES];
    uint32_t parent[MODEL_QUEUES];
    uint32_t depth[MODEL_QUEUES];
    int32_t priority[MODEL_QUEUES];
    int64_t used[MODEL_KINDS][MODEL_QUEUES];
    int64_t want[MODEL_QUEUES][LSCHED_RESOURCE_KINDS_MAX]; /* of the queue's next task */
    int64_t weight_milli[MODEL_KINDS][MODEL_QUEUES];
};

static inline void *model_alloc(void *engine, size_t bytes) {
    (void)engine;
    void *block = malloc(bytes);
    if (block) memset(block, 0xa5, bytes); /* nobody may rely on zeros */
    return block;
}

static inline void model_free(void *engine, void *old, size_t bytes) {
    (void)engine;
    (void)bytes;
    free(old);
}

/* capacity[0] is that of kind 1. */
static inline void model_init(struct model *m, const lsched_algorithm *algorithm, uint32_t kinds,
                              const int64_t *capacity) {
    memset(m, 0, sizeof *m);
    assert_true(kinds < MODEL_KINDS);
    m->algorithm = algorithm;
    m->env.size = sizeof m->env;
    m->env.alloc = model_alloc;
    m->env.free = model_free;
    if (algorithm->create) assert_int_equal(algorithm->create(&m->env, &m->self, NULL), LSCHED_OK);
    m->view.size = sizeof m->view;
    m->view.n_kinds = kinds + 1;
    m->view.queue_live = m->live;
    m->view.queue_parent = m->parent;
    m->view.queue_depth = m->depth;
    m->view.queue_priority = m->priority;
    for (uint32_t kind = 1; kind <= kinds; kind++) {
        m->view.total_capacity[kind] = m->pool_free[kind] = capacity[kind - 1];
        m->view.queue_used[kind] = m->used[kind];
        m->view.queue_weight_milli[kind] = m->weight_milli[kind];
    }
}

static inline void model_end(struct model *m) {
    if (m->algorithm->destroy) m->algorithm->destroy(&m->env, m->self);
}

/* task NULL: an inner queue. task[0] is of kind 1. */
static inline uint32_t model_queue(struct model *m, uint32_t parent, int64_t weight_milli,
                                   const int64_t *task, int64_t demand) {
    uint32_t row = m->view.n_queues++;
    assert_true(row < MODEL_QUEUES);
    m->live[row] = 1;
    m->parent[row] = parent;
    m->depth[row] = parent == LSCHED_NO_ROW ? 0 : m->depth[parent] + 1;
    for (uint32_t kind = 1; kind < m->view.n_kinds; kind++) {
        m->weight_milli[kind][row] = weight_milli;
        m->queue[row].task[kind] = task ? task[kind - 1] : 0;
    }
    m->queue[row].demand = task ? demand : 0;
    if (parent != LSCHED_NO_ROW) m->queue[parent].n_children++;
    return row;
}

static inline int model_fits(const struct model *m, uint32_t leaf) {
    for (uint32_t kind = 1; kind < m->view.n_kinds; kind++)
        if (m->queue[leaf].task[kind] > m->pool_free[kind]) return 0;
    return 1;
}

static inline int model_before(const struct model *m, uint32_t a, uint32_t b) {
    for (int word = 0; word < 2; word++)
        if (m->key[a].word[word] != m->key[b].word[word])
            return m->key[a].word[word] < m->key[b].word[word];
    return a < b;
}

/* The most deserving active child of parent (LSCHED_NO_ROW: of the root). */
static inline uint32_t model_best(const struct model *m, uint32_t parent) {
    uint32_t best = LSCHED_NO_ROW;
    for (uint32_t row = 0; row < m->view.n_queues; row++) {
        if (!m->live[row] || m->parent[row] != parent || !m->active[row]) continue;
        if (best == LSCHED_NO_ROW || model_before(m, row, best)) best = row;
    }
    return best;
}

static inline void model_update(struct model *m, uint32_t row) {
    uint32_t best = LSCHED_NO_ROW;
    if (m->queue[row].n_children) {
        best = model_best(m, row);
        m->active[row] = best != LSCHED_NO_ROW;
    } else if (!m->keep_activity) {
        m->active[row] = m->queue[row].demand > 0 && model_fits(m, row);
    }
    memset(m->want[row], 0, sizeof m->want[row]);
    if (best != LSCHED_NO_ROW)
        memcpy(m->want[row], m->want[best], sizeof m->want[row]);
    else if (m->active[row])
        memcpy(m->want[row], m->queue[row].task, sizeof m->queue[row].task);
    assert_int_equal(m->algorithm->share->update(m->self, &m->view, row, m->active[row], best,
                                                 m->want[row], &m->key[row]),
                     LSCHED_OK);
}

static inline void model_update_path(struct model *m, uint32_t leaf) {
    for (uint32_t row = leaf; row != LSCHED_NO_ROW; row = m->parent[row]) model_update(m, row);
}

/* begin, and every queue, children first. */
static inline void model_begin(struct model *m) {
    assert_int_equal(m->algorithm->share->begin(m->self, &m->view), LSCHED_OK);
    for (uint32_t row = m->view.n_queues; row-- > 0;)
        if (m->live[row]) model_update(m, row);
}

static inline void model_take(struct model *m, uint32_t leaf, int64_t tasks) {
    m->queue[leaf].placed += tasks;
    for (uint32_t kind = 1; kind < m->view.n_kinds; kind++) {
        int64_t amount = m->queue[leaf].task[kind] * tasks;
        m->pool_free[kind] -= amount;
        for (uint32_t row = leaf; row != LSCHED_NO_ROW; row = m->parent[row])
            m->used[kind][row] += amount;
    }
}

/* Place one task of the most deserving queue: its row, or LSCHED_NO_ROW when all are blocked. */
static inline uint32_t model_place(struct model *m) {
    for (;;) {
        uint32_t leaf = model_best(m, LSCHED_NO_ROW);
        while (leaf != LSCHED_NO_ROW && m->queue[leaf].n_children) leaf = model_best(m, leaf);
        if (leaf == LSCHED_NO_ROW) return LSCHED_NO_ROW;
        int placed = model_fits(m, leaf);
        if (placed) {
            model_take(m, leaf, 1);
            if (m->queue[leaf].demand != MODEL_FOREVER) m->queue[leaf].demand--;
        }
        model_update_path(m, leaf); /* blocks it if its next task does not fit */
        if (placed) return leaf;
    }
}

static inline void model_fill(struct model *m) {
    while (model_place(m) != LSCHED_NO_ROW) {}
}

/* `tasks` of leaf end; whoever fits again becomes active again. */
static inline void model_release(struct model *m, uint32_t leaf, int64_t tasks) {
    model_take(m, leaf, -tasks);
    model_update_path(m, leaf);
    for (uint32_t row = m->view.n_queues; row-- > 0;)
        if (m->live[row] && !m->queue[row].n_children &&
            m->active[row] != (m->queue[row].demand > 0 && model_fits(m, row)))
            model_update_path(m, row);
}

#endif
