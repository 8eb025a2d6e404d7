/* cycle_state.c -- see cycle_state.h. */
#include "engine/state/cycle_state.h"

#include <string.h>

const struct policy_eviction *cycle_eviction(const struct lsched_cycle *cy) {
    return &cy->policy.eviction;
}

/* Returns the version of the data that `prepare` of the current placement strategy reads. The
 * strategies of the library read nodes and the mix of task shapes; a strategy of the host can read
 * queues, too. */
static uint64_t prepared_from(const struct lsched_cycle *cy) {
    const struct view_cache *v = &cy->c->view;
    return (cy->policy.place_slot->of_host ? v->structure : v->supply) + 1;
}

/* The view is updated in any case, because its pointers change whenever columns move. The
 * placement strategy prepares again only if the data that it reads can have changed. */
int32_t cycle_prepare_place(struct lsched_cycle *cy) {
    int32_t rc = view_update(&cy->c->view, cy->k, cy->now);
    if (rc != LSCHED_OK || !cy->policy.place->prepare) return rc;
    if (cy->policy.place_slot->prepared == prepared_from(cy)) return LSCHED_OK;
    int first = cy->policy.place_slot->prepared == 0;
    cy->policy.place_slot->prepared = 0; /* an error leaves the strategy without data */
    rc = cy->policy.place->prepare(cy->policy.place_self, cycle_view(cy));
    if (rc != LSCHED_OK && rc != LSCHED_PREPARED_SAME) return rc;
    if (first || rc != LSCHED_PREPARED_SAME) cy->policy.place_slot->epoch++;
    cy->policy.place_slot->prepared = prepared_from(cy);
    return LSCHED_OK;
}

uint64_t cycle_evict_state(const struct columns *k) {
    return meta(k, M_EVICT_SERIAL) + (meta(k, M_STRUCTURE) << 32);
}

int cycle_evicts_anew(const struct lsched_cycle *cy) {
    return cycle_evict_state(cy->k) != meta(cy->k, M_EVICT_SEEN) ||
           (int64_t)meta(cy->k, M_EVICT_NEXT) <= cy->now;
}

int cycle_has_action(const struct lsched_cycle *cy, const char *action) {
    for (uint32_t i = 0; i < cy->policy.pipeline.n; i++)
        if (strcmp(cy->policy.pipeline.actions[i].word, action) == 0) return 1;
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
