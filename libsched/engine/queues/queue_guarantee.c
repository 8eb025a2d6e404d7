/* queue_guarantee.c -- see queue_guarantee.h. */
#include "engine/queues/queue_guarantee.h"

int queue_has_guarantees(const lsched_cycle *cy) {
    return cy->c->share.ops && cy->c->share.ops->amounts;
}

int64_t queue_guarantee(const lsched_cycle *cy, uint32_t queue, uint32_t kind) {
    const struct share_tree *s = &cy->c->share;
    int64_t guarantee = 0, fair_share = 0;
    if (queue_has_guarantees(cy) &&
        s->ops->amounts(s->self, s->view, queue, kind, &guarantee, &fair_share) == LSCHED_OK)
        return guarantee;
    return 0;
}
