/* cycle_state.c -- see cycle_state.h. */
#include "engine/state/cycle_state.h"

#include <string.h>

const struct policy_eviction *cycle_eviction(const struct lsched_cycle *y) {
    return &y->eviction;
}

/* The view's pointers can change whenever columns move. The placement strategy prepares again only
 * when the structure changed. */
int32_t cycle_prepare_place(struct lsched_cycle *y) {
    int32_t rc = view_update(&y->c->view, y->k, y->now);
    if (rc != LSCHED_OK || !y->place->prepare) return rc;
    if (y->place_slot->prepared == y->c->view.structure + 1) return LSCHED_OK;
    rc = y->place->prepare(y->place_self, cycle_view(y));
    if (rc == LSCHED_OK) y->place_slot->prepared = y->c->view.structure + 1;
    return rc;
}

uint64_t cycle_evict_state(const struct columns *k) {
    return meta(k, M_EVICT_SERIAL) + (meta(k, M_STRUCTURE) << 32);
}

int cycle_evicts_anew(const struct lsched_cycle *y) {
    return cycle_evict_state(y->k) != meta(y->k, M_EVICT_SEEN) ||
           (int64_t)meta(y->k, M_EVICT_NEXT) <= y->now;
}

int cycle_has_action(const struct lsched_cycle *y, const char *action) {
    for (uint32_t i = 0; i < y->pipeline.n; i++)
        if (strcmp(y->pipeline.actions[i].word, action) == 0) return 1;
    return 0;
}

int pipeline_has(const struct lsched_cluster *c, const char *action) {
    const struct policy *p = &c->policy.policy;
    /* a pipeline hook can name the action in any cycle */
    if (p->ops && (p->desc.hooks & LSCHED_HOOK_PIPELINE)) return 1;
    for (uint32_t i = 0; p->ops && i < p->desc.n_pipeline; i++)
        if (strcmp(p->desc.pipeline[i], action) == 0) return 1;
    return 0;
}
