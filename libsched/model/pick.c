/* pick.c -- see pick.h. Cost: O(devices) per device taken. */
#include "model/pick.h"

#include "model/node.h"

/* Devices of the node that can take their part, each for itself. */
static uint32_t candidates(const struct columns *k, uint32_t node, uint32_t shape,
                           enum device_when when) {
    uint32_t n = k->c[C_NODE_N_DEVICES].u8[node], first = k->c[C_NODE_DEVICE_FIRST].u32[node],
             mask = 0;
    for (uint32_t i = 0; i < n; i++) mask |= (uint32_t)device_takes(k, first + i, shape, when) << i;
    return mask;
}

static uint32_t tightest(const struct columns *k, uint32_t node, uint32_t need, uint32_t from,
                         enum device_when when) {
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node], mask = 0;
    for (; need > 0; need--) {
        uint32_t best = NO_ROW;
        int64_t best_free = INT64_MAX;
        for (uint32_t m = from & ~mask; m; m &= m - 1) {
            uint32_t i = (uint32_t)__builtin_ctz(m);
            int64_t f = device_milli_free(k, first + i, when);
            if (f >= best_free) continue;
            best = i;
            best_free = f;
        }
        if (best == NO_ROW) return 0;
        mask |= 1u << best;
    }
    return mask;
}

int pick_hold(const struct columns *k, uint32_t node, uint32_t shape, enum device_when when,
              const struct derived_short *limits, struct hold *hold) {
    uint32_t need = k->c[C_SHAPE_DEVICES].u32[shape];
    memset(hold, 0, sizeof *hold);
    if (need == 0) return pick_rest(k, node, shape, when, hold);
    uint32_t from = candidates(k, node, shape, when);
    if (limits && limits->n) from = derived_narrow(k, node, from, limits);
    if ((uint32_t)__builtin_popcount(from) < need) return 0;
    hold->mask = tightest(k, node, need, from, when);
    return hold->mask != 0 && pick_rest(k, node, shape, when, hold);
}

int pick_rest(const struct columns *k, uint32_t node, uint32_t shape, enum device_when when,
              struct hold *hold) {
    (void)k, (void)node, (void)shape, (void)when, (void)hold;
    return 1;
}

int pick_allows(const struct columns *k, uint32_t node, uint32_t shape, enum device_when when,
                const struct hold *hold) {
    uint32_t n = k->c[C_NODE_N_DEVICES].u8[node];
    if (hold->mask >> n ||
        (uint32_t)__builtin_popcount(hold->mask) != k->c[C_SHAPE_DEVICES].u32[shape])
        return 0;
    return (hold->mask & ~candidates(k, node, shape, when)) == 0;
}
