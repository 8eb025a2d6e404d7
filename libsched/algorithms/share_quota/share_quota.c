/*
 * share_quota.c -- the share algorithm "quota": serves queues within their guarantee first, then
 * queues within their fair share, which follows weights. docs/fair-share.md derives the rule.
 *
 * quota_tree.h computes the guarantee and the fair share of each queue once per cycle. quota_key.h
 * orders the queues by these amounts. This file creates and frees the arrays. It also records the
 * order key of the first job below each queue: an inner user queue (a group of users) takes over
 * the order key of its child that is served next.
 *
 * Invariant: guarantees and fair shares do not change within a cycle, because a placement turns
 * waiting work into running work and does not change the demand. Only the keys change. Cost: begin
 * takes O(kinds * queues) and the sorts of siblings, update takes O(kinds); quota_follow.h says
 * what the changes between two cycles cost.
 */
#include <string.h>

#include "algorithms/builtin.h"
#include "algorithms/share_quota/quota_follow.h"
#include "algorithms/share_quota/quota_key.h"

struct quota {
    struct quota_tree tree;
    int64_t *head; /* indexed by row: order key of the first job of the queue */
    size_t head_bytes;
};

static int32_t quota_create(const lsched_algorithm_env *env, void **self, lsched_error *err) {
    (void)err; /* the engine fills err for LSCHED_E_NOMEM */
    struct quota *quota = *self = env_new(env, sizeof *quota);
    if (!quota) return LSCHED_E_NOMEM;
    quota_tree_init(&quota->tree, env);
    return LSCHED_OK;
}

static void quota_destroy(const lsched_algorithm_env *env, void *self) {
    struct quota *quota = self;
    if (!quota) return;
    quota_tree_free(&quota->tree);
    env_free(env, quota->head, quota->head_bytes);
    env->free(env->engine, quota, sizeof *quota);
}

static int32_t quota_begin(void *self, const lsched_view *view) {
    struct quota *quota = self;
    const lsched_algorithm_env *env = &quota->tree.env;
    quota->tree.n_rows = 0; /* quota_update returns an error until quota_begin has succeeded */
    if (env_renew(env, &quota->head, &quota->head_bytes, view->n_queues, sizeof *quota->head) < 0)
        return LSCHED_E_NOMEM;
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

static int32_t quota_moves(void *self, const lsched_view *view, const uint32_t *queues, size_t n,
                           void (*moved)(void *to, uint32_t queue), void *to) {
    struct quota *quota = self;
    return quota_follow(&quota->tree, view, queues, n, moved, to);
}

static const lsched_share_ops quota_ops = {
    .size = sizeof(lsched_share_ops),
    .uses_want = 1,
    .begin = quota_begin,
    .update = quota_update,
    .amounts = quota_amounts,
    .follow = quota_moves,
};

const lsched_algorithm share_quota = {
    BUILTIN(SHARE),           .name = "quota",     .create = quota_create,
    .destroy = quota_destroy, .share = &quota_ops,
};
