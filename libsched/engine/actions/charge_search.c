/* charge_search.c -- see charge_search.h. */
#include "engine/actions/charge_search.h"

#include "engine/rights/victim_right.h"
#include "engine/queues/queue_rules.h"
#include "model/devices/device_select.h"

static enum device_when when_of(const struct lsched_cycle *cy) {
    return cy->turn.later ? DEVICE_LATER : DEVICE_NOW;
}

void charge_begin(struct lsched_cycle *cy, struct charge_search *s, const struct ask *a) {
    const struct columns *k = cy->k;
    *s = (struct charge_search){.ask = a, .varies = shape_charge_varies(k, a->shape)};
    cy->turn.charge_max = 0;
    if (s->varies && k->c[C_SHAPE_ISOLATION].u8[a->shape])
        cy->turn.charge_max = k->c[C_SHAPE_DEVICES].u32[a->shape] * DEVICE_WHOLE - 1;
}

int charge_go_on(struct lsched_cycle *cy, struct charge_search *s, int32_t rc, uint32_t node) {
    const struct columns *k = cy->k;
    struct hold hold;
    if (rc < 0) return 0;
    if (rc == 0 && s->limited) cy->turn.why = s->why;
    if (rc == 0) {
        int again = cy->turn.charge_max && !s->limited && !cy->spend.stop;
        cy->turn.charge_max = 0;
        return again;
    }
    s->found = 1;
    if (!s->varies || !device_select_cheapest(k, node, s->ask->shape, when_of(cy), NULL, &hold))
        return 0;
    int64_t gpu = hold_milli(k, node, s->ask->shape, &hold);
    if (queue_rules_allow_charge(cy, s->ask, gpu, 1)) return 0;
    if (cy->turn.why.kind != LSCHED_GPU && cy->turn.why.code != LSCHED_WAIT_ALLOWANCE) return 0;
    cy->turn.charge_asked = gpu;
    s->found = 0;
    s->limited = 1;
    s->why = cy->turn.why;
    cy->turn.charge_max = (uint32_t)gpu - 1;
    return gpu > 1;
}

/* True if limits and entitlements allow one more task that is charged `gpu` milli-GPUs. */
static int charge_may_be(struct lsched_cycle *cy, const struct ask *a, int64_t gpu) {
    return queue_rules_allow_charge(cy, a, gpu, 1) && victim_right_keeps(cy, gpu);
}

int charge_allow(struct lsched_cycle *cy, const struct ask *a, uint32_t node, struct hold *hold) {
    const struct columns *k = cy->k;
    uint32_t shape = a->shape;
    struct resource_part_limit limit;
    struct hold cheap;
    if (!shape_charge_varies(k, shape)) return 1;
    int64_t gpu = hold_milli(k, node, shape, hold), less;
    if (charge_may_be(cy, a, gpu)) return 1;
    cy->turn.charge_asked = gpu;
    if (!device_select_cheapest(k, node, shape, when_of(cy), NULL, &cheap)) return 0;
    less = hold_milli(k, node, shape, &cheap);
    if (less >= gpu) return 0;
    cy->turn.charge_asked = less;
    if (!charge_may_be(cy, a, less)) return 0;
    if (resource_part_count(k) && !resource_part_has_room(k, a->queue, shape, node, &cheap, &limit))
        return 0;
    *hold = cheap;
    return 1;
}

int64_t charge_wanted(const struct lsched_cycle *cy, const struct ask *a) {
    int64_t least = shape_least_milli(cy->k, a->shape);
    return cy->turn.charge_asked > least ? cy->turn.charge_asked : least;
}
