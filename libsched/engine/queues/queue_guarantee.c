/* queue_guarantee.c -- see queue_guarantee.h. */
#include "engine/queues/queue_guarantee.h"

int queue_has_guarantees(const lsched_cycle *y) {
    return y->c->share.ops && y->c->share.ops->amounts;
}

int64_t queue_guarantee(const lsched_cycle *y, uint32_t queue, uint32_t kind) {
    const struct share_tree *s = &y->c->share;
    int64_t guarantee = 0, fair_share = 0;
    if (queue_has_guarantees(y) &&
        s->ops->amounts(s->self, s->view, queue, kind, &guarantee, &fair_share) == LSCHED_OK)
        return guarantee;
    return 0;
}
