/*
 * share_quota.c -- the share algorithm "quota": queues within their guarantee first, then queues
 * within their fair share, which follows weights. docs/fair-share.md derives the rule.
 *
 * quota_tree.h computes the guarantee and the fair share of each queue once per cycle, and
 * quota_key.h orders the queues by them. This file creates and frees the arrays of both. The file
 * also passes on the order key of the first job below each queue: an inner user queue (a group of
 * users) takes the key of its most deserving child.
 *
 * Invariant: guarantees and fair shares do not change within a cycle, because a placement turns
 * waiting work into running work and leaves the demand as it was; only the keys change. Cost: begin
 * O(kinds * queues) plus the sorts of siblings, update O(kinds).
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
    (void)err; /* the engine fills err for LSCHED_E_NOMEM */
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
    quota->tree.n_rows = 0; /* update reports an error until this function has succeeded */
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
