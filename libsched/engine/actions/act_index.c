/* act_index.c -- see act_index.h. */
#include "engine/actions/act_index.h"

#include "engine/policy_hooks/hooks.h"
#include "engine/state/cache_check.h"

int32_t act_index(lsched_cycle *y, uint32_t group, struct search_index **x) {
    struct search_key key;
    struct search_scorer scorer;
    y->policy_group = group;
    int32_t rc = hooks_search(y, group, &key, &scorer);
    if (rc == LSCHED_OK) rc = view_update(&y->c->view, y->k, y->now);
    if (rc != LSCHED_OK) return rc;
    rc = search_get(&y->c->search, y->k, &y->c->view, &key, &scorer, x);
    act_spend(y, 0); /* sees an interrupt: an index whose update was interrupted has no nodes */
    if (rc == LSCHED_OK && !y->stop && cache_check_due(y->c))
        rc = cache_check_search(y, &key, &scorer, *x);
    return rc;
}
