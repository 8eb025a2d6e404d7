/* assign_deal.c -- see assign_deal.h. */
#include "engine/topology/assign_deal.h"

#include "engine/topology/assign_evenly.h"

/* True if the tasks are to be assigned evenly over the direct children of root, because these
 * children are of the preferred level (d->even_level). */
static int is_even(const struct assign_domains *d, uint32_t root, uint32_t level) {
    if (d->even_level == NO_ROW) return 0;
    return root == NO_ROW ? d->even_level == 0 : level + 1 == d->even_level;
}

uint32_t assign_deal(const struct assign_domains *d, uint32_t root, int64_t tasks,
                     struct tree_part *parts) {
    uint32_t level = root == NO_ROW ? 0 : topology_map_level(d->map, root);
    if (tasks <= 0 || (root != NO_ROW && d->cap[root] < tasks)) return 0;
    if (is_even(d, root, level)) {
        struct assign_domains few = *d;
        few.balanced = 0;
        uint32_t n = assign_evenly(&few, root, tasks, parts);
        if (n > 0) return n;
    }
    if (root == NO_ROW) {
        if (!assign_domains_one(d, root, 0, tasks)) return 0;
    } else {
        d->share[root] = tasks;
    }
    return assign_domains_below(d, root, level, parts);
}
