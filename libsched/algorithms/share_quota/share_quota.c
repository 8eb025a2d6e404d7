/*
 * share_quota.c -- share "quota": guarantees first, then fair shares by weight. docs/fair-share.md
 * derives it.
 *
 * quota_tree.h computes what each queue has a right to, once per cycle; quota_key.h orders the
 * queues by it. Here is the life of both: the arrays, and the order key of the first job below each
 * queue, which an inner sub-queue (a group of users) takes from its most deserving child.
 *
 * Invariant: rights do not change within a cycle, since placing moves work from what waits to what
 * is used and leaves demand alone; only keys do. Cost: begin O(kinds * queues) and sorts of
 * siblings, update O(kinds).
 */
#include <string.h>

#include "algorithms/support/share_order.h"
#include "algorithms/share_quota/quota_key.h"

struct quota {
    struct quota_tree tree;
    int64_t *head; /* by row: order key of the first job of the queue */
    size_t head_bytes;
};

static int32_t quota_create(const lsched_algorithm_env *env, void **self, lsched_error *err) {
    (void)err; /* the engine words E_NOMEM */
    struct quota *quota = env->alloc(env->engine, sizeof *quota);
    if (!quota) return LSCHED_E_NOMEM;
    memset(quota, 0, sizeof *quota);
    quota_tree_init(&quota->tree, env);
    *self = quota;
    return LSCHED_OK;
}

static void quota_destroy(const lsched_algorithm_env *env, void *self) {
    struct quota *quota = self;
    if (!quota) return;
    quota_tree_free(&quota->tree);
    if (quota->head) env->free(env->engine, quota->head, quota->head_bytes);
    env->free(env->engine, quota, sizeof *quota);
}

static int32_t quota_begin(void *self, const lsched_view *view) {
    struct quota *quota = self;
    const lsched_algorithm_env *env = &quota->tree.env;
    size_t needed = view->n_queues * sizeof quota->head[0];
    quota->tree.n_rows = 0; /* until all of this has worked there is nothing to update */
    if (needed > quota->head_bytes) {
        int64_t *head = env->alloc(env->engine, needed * 2);
        if (!head) return LSCHED_E_NOMEM;
        if (quota->head) env->free(env->engine, quota->head, quota->head_bytes);
        quota->head = head;
        quota->head_bytes = needed * 2;
    }
    for (uint32_t q = 0; q < view->n_queues; q++) quota->head[q] = INT64_MAX;
    return quota_tree_begin(&quota->tree, view);
}

static int32_t quota_update(void *self, const lsched_view *view, uint32_t queue, uint32_t active,
                            uint32_t best_child, const int64_t *want, lsched_share_key *key) {
    struct quota *quota = self;
    uint32_t n_rows = quota->tree.n_rows;
    if (queue >= n_rows || (best_child != LSCHED_NO_ROW && best_child >= n_rows))
        return LSCHED_E_STATE;
    int64_t head = INT64_MAX;
    if (active)
        head =
            best_child == LSCHED_NO_ROW ? view->queue_head_order[queue] : quota->head[best_child];
    quota->head[queue] = head;
    quota_key(&quota->tree, view, queue, want, head, key);
    return LSCHED_OK;
}

static int32_t quota_amounts(void *self, const lsched_view *view, uint32_t queue, uint32_t kind,
                             int64_t *guarantee, int64_t *fair_share) {
    const struct quota *quota = self;
    (void)view;
    return quota_tree_amounts(&quota->tree, queue, kind, guarantee, fair_share);
}

static const lsched_share_ops quota_ops = {
    .size = sizeof(lsched_share_ops),
    .uses_want = 1,
    .begin = quota_begin,
    .update = quota_update,
    .amounts = quota_amounts,
};

const lsched_algorithm share_quota = {
    .size = sizeof(lsched_algorithm),
    .api = LSCHED_ALGORITHM_API,
    .role = LSCHED_ROLE_SHARE,
    .name = "quota",
    .create = quota_create,
    .destroy = quota_destroy,
    .share = &quota_ops,
};
