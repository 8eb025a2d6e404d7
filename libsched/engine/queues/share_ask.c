/* share_ask.c -- see share_ask.h. */
#include "engine/queues/share_ask.h"

static struct algorithm_slot *share_slot(struct lsched_cluster *c) {
    return algorithm_find(c, LSCHED_ROLE_SHARE, cluster_share_name(c));
}

int32_t share_ask_begin(struct lsched_cluster *c, lsched_error *err) {
    struct algorithm_slot *slot = share_slot(c);
    if (!slot) return LSCHED_E_NOENT;
    const lsched_share_ops *ops = slot->table->share;
    if (!ops->amounts) return 0;
    int32_t rc = algorithm_ready(c, slot, err);
    if (rc == LSCHED_OK) rc = view_update(&c->view, &c->k, (int64_t)meta(&c->k, M_NOW));
    if (rc != LSCHED_OK) return rc;
    view_decayed(&c->view, &c->k);
    c->view.view.usage_weight_milli = cluster_usage_weight(c);
    share_forget(&c->share); /* the amounts replace those that the algorithm computed for a cycle */
    if (ops->begin) rc = ops->begin(slot->self, &c->view.view);
    return rc > 0 ? LSCHED_E_INVAL : rc < 0 ? rc : 1;
}

int32_t share_ask_next(struct lsched_cluster *c, uint32_t queue, uint32_t kind, int64_t *guarantee,
                       int64_t *fair_share) {
    struct algorithm_slot *slot = share_slot(c);
    int32_t rc =
        slot->table->share->amounts(slot->self, &c->view.view, queue, kind, guarantee, fair_share);
    return rc > 0 ? LSCHED_E_INVAL : rc < 0 ? rc : 1;
}

int32_t share_ask(struct lsched_cluster *c, uint32_t queue, uint32_t kind, int64_t *guarantee,
                  int64_t *fair_share, lsched_error *err) {
    int32_t rc = share_ask_begin(c, err);
    return rc > 0 ? share_ask_next(c, queue, kind, guarantee, fair_share) : rc;
}
