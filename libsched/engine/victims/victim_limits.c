/* victim_limits.c -- see victim_limits.h. */
#include "engine/victims/victim_limits.h"

#include "engine/rights/part_quota.h"
#include "model/devices/resource_part.h"
#include "model/store/steps.h"

void victim_limits_look(struct lsched_cycle *cy, uint32_t shape) {
    struct victim_limits *l = &cy->victims->limits;
    resource_part_find_short(cy->k, cy->victims->queue, shape, &l->parts);
    l->hash = resource_part_short_hash(&l->parts) + l->charge_max;
}

/* Returns what the limits leave of the part when the chosen units are gone. */
static int64_t part_left(const struct lsched_cycle *cy, uint32_t part,
                         const struct victim_set *set) {
    const struct victim_search *h = cy->victims;
    int64_t least = LSCHED_AMOUNT_MAX;
    for (uint32_t i = 0; i < h->n_path; i++) {
        struct resource_part_amount a = resource_part_get(cy->k, h->path[i], KINDS_MAX + part);
        if (a.limit_now == LSCHED_UNLIMITED) continue;
        int64_t left = a.limit_now - a.used + part_quota_given(cy, h->path[i], part, set);
        if (left < least) least = left;
    }
    return least;
}

int victim_limits_hold(const struct lsched_cycle *cy, uint32_t node, const struct victim_set *set,
                       const struct room_without *m) {
    const struct victim_limits *l = &cy->victims->limits;
    struct resource_part_short left = {.n = l->parts.n};
    device_set from = m->could;
    if (!room_without_holds(cy->k, node, m)) return 0;
    if (l->hash == 0) return 1;
    steps_add(cy->k, left.n * cy->victims->n_path * set->n);
    for (uint32_t i = 0; i < left.n; i++) {
        left.of[i].part = l->parts.of[i].part;
        left.of[i].left = part_left(cy, left.of[i].part, set);
    }
    if (!resource_part_narrow(cy->k, node, m->shape, &from, &left)) return 0;
    if (l->charge_max) from = resource_part_cheapest(cy->k, node, m->shape, from, l->charge_max);
    return room_without_holds_on(cy->k, node, m, from);
}
