/* act_index.c -- see act_index.h. */
#include "engine/actions/act_index.h"

#include "engine/policy_hooks/hook_nodes.h"
#include "engine/state/cache_check.h"

int32_t act_index(lsched_cycle *cy, const struct ask *a, struct search_index **x) {
    struct search_key key;
    struct search_scorer scorer;
    int32_t rc = hook_nodes_search(cy, a, &key, &scorer);
    if (rc == LSCHED_OK) rc = view_update(&cy->c->view, cy->k, cy->now);
    if (rc != LSCHED_OK) return rc;
    rc = search_get(&cy->c->search, cy->k, &cy->c->view, &key, &scorer, x);
    /* If the orchestrator has interrupted the cycle, act_spend() stops it here. An index whose
     * update was interrupted offers no nodes, so it must not be compared with a new one below. */
    act_spend(cy, 0);
    if (rc == LSCHED_OK && !cy->spend.stop && cache_check_due(cy->c))
        rc = cache_check_search(cy, &key, &scorer, *x);
    return rc;
}
