/* victim_limits.c -- see victim_limits.h. */
#include "engine/victims/victim_limits.h"

#include "base/hash.h"
#include "engine/queues/lending.h"
#include "engine/rights/part_quota.h"
#include "engine/rights/victim_unit.h"
#include "engine/victims/victim_supplies.h"
#include "model/devices/device.h"
#include "model/devices/resource_part.h"
#include "model/store/steps.h"

/* True if a supply is short for the task, and the victims of a node must give it back. */
static int supplies_are_short(struct lsched_cycle *cy, uint32_t shape) {
    struct victim_limits *l = &cy->victims->limits;
    size_t mark = undo_mark(cy->k);
    if (l->supplies_of != shape || l->mark != mark || l->seen != cy->k->touch.next)
        l->supplies = victim_supplies_short(cy->k, shape);
    l->supplies_of = shape;
    l->mark = mark;
    l->seen = cy->k->touch.next;
    return l->supplies && !l->from_others;
}

void victim_limits_look(struct lsched_cycle *cy, uint32_t shape) {
    struct victim_limits *l = &cy->victims->limits;
    resource_part_find_short(cy->k, cy->victims->queue, shape, &l->parts);
    l->hash = resource_part_short_hash(&l->parts) + l->charge_max;
    l->lacks = !l->from_others && lending_lack(cy, cy->victims->queue, shape,
                                               shape_least_milli(cy->k, shape), l->lack);
    for (uint32_t r = 1; l->lacks && r < meta(cy->k, M_N_KINDS); r++)
        l->hash = hash_mix(l->hash, (uint64_t)l->lack[r]);
    if (supplies_are_short(cy, shape)) l->hash = hash_mix(l->hash, l->supplies);
}

/* True if the chosen units hold what lend limits keep from the task. */
static int set_gives_lent(const struct lsched_cycle *cy, const struct victim_set *set) {
    const struct victim_limits *l = &cy->victims->limits;
    for (uint32_t r = 1; l->lacks && r < meta(cy->k, M_N_KINDS); r++) {
        int64_t left = l->lack[r];
        for (uint32_t i = 0; i < set->n && left > 0; i++)
            if (set->unit[i].chosen) left -= victim_unit_amount(cy->k, &set->unit[i], r);
        if (left > 0) return 0;
    }
    return 1;
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

uint32_t victim_limits_next_charge(const struct lsched_cycle *cy, uint32_t node, uint32_t shape,
                                   uint32_t above) {
    const struct columns *k = cy->k;
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node], least = 0;
    if (cy->victims->reason != LSCHED_FOR_RECLAIM || !shape_charge_varies(k, shape)) return 0;
    steps_add(k, k->c[C_NODE_N_DEVICES].u8[node]);
    DEVICE_SET_EACH(m, devices_taking(k, node, shape, DEVICE_EMPTY, UINT32_MAX)) {
        uint32_t milli = device_milli_need(k, first + m.at, shape);
        if (milli > above && (least == 0 || milli < least)) least = milli;
    }
    return least;
}

void victim_limits_charge(struct lsched_cycle *cy, uint32_t shape, uint32_t milli) {
    struct victim_search *h = cy->victims;
    struct victim_limits *l = &h->limits;
    l->device_max = milli;
    h->dearer = 0;
    if (milli == 0) return;
    if (l->cheapest_of != shape) l->cheapest = shape_cheapest_milli(cy->k, shape);
    l->cheapest_of = shape;
    h->dearer = (int64_t)milli * cy->k->c[C_SHAPE_DEVICES].u32[shape] - l->cheapest;
}

/* Returns those of the devices that charge the task no more than the charge that is tried. */
static device_set charged_within(const struct lsched_cycle *cy, uint32_t node, uint32_t shape,
                                 device_set from) {
    uint32_t most = cy->victims->limits.device_max;
    device_set kept = from;
    DEVICE_SET_EACH(m, most ? from : 0)
        if (device_milli_need(cy->k, cy->k->c[C_NODE_DEVICE_FIRST].u32[node] + m.at, shape) > most)
            kept &= ~device_set_bit(m.at);
    return kept;
}

int victim_limits_hold(const struct lsched_cycle *cy, uint32_t node, const struct victim_set *set,
                       const struct room_without *m) {
    const struct victim_limits *l = &cy->victims->limits;
    struct resource_part_short left = {.n = l->parts.n};
    device_set from = m->could;
    if (!room_without_holds(cy->k, node, m)) return 0;
    if (l->hash == 0 && l->device_max == 0) return 1;
    if (!set_gives_lent(cy, set)) return 0;
    if (l->supplies && !l->from_others && !victim_supplies_hold(cy->k, node, m->shape, set))
        return 0;
    from = charged_within(cy, node, m->shape, from);
    steps_add(cy->k, left.n * cy->victims->n_path * set->n);
    for (uint32_t i = 0; i < left.n; i++) {
        left.of[i].part = l->parts.of[i].part;
        left.of[i].left = part_left(cy, left.of[i].part, set);
    }
    if (!resource_part_narrow(cy->k, node, m->shape, &from, &left)) return 0;
    if (l->charge_max) from = resource_part_cheapest(cy->k, node, m->shape, from, l->charge_max);
    return room_without_holds_on(cy->k, node, m, from);
}
