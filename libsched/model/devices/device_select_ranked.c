/* device_select_ranked.c -- see device_select_ranked.h. Cost: O(devices of the node) for each
 * device that the task takes. */
#include "model/devices/device_select_ranked.h"

#include "model/devices/contention.h"
#include "model/devices/device_select_mig.h"

uint32_t device_harm(const struct columns *k, uint32_t device, uint32_t shape,
                     enum device_when when) {
    int alone =
        shape_charge_varies(k, shape) && device_milli_need(k, device, shape) == DEVICE_WHOLE;
    return alone ? DEVICE_HARM_ALONE : contention_harm(k, device, shape, when);
}

/* A device that the task can share has a lower rank than a device that the task must have alone.
 * Among these, the device with less harm has the lower rank, and of equal ones the fuller one. With
 * LSCHED_DEVICE_ORDER_SPREAD it is the emptier one, except that idle devices come last. Therefore
 * idle devices stay free for tasks that need whole devices. */
int64_t device_rank(const struct columns *k, uint32_t device, uint32_t shape,
                    enum device_when when) {
    int64_t f = device_milli_free(k, device, when);
    if (k->c[C_SHAPE_ORDER].u8[shape] == LSCHED_DEVICE_ORDER_SPREAD)
        f = device_select_spread_rank(f);
    return f + 4 * (int64_t)DEVICE_WHOLE * device_harm(k, device, shape, when);
}

device_set device_select_ranked(const struct columns *k, uint32_t node, uint32_t shape,
                                uint32_t need, device_set from, enum device_when when) {
    if (k->c[C_SHAPE_MIG_SLICES].u8[shape])
        return device_select_mig_devices(k, node, shape, need, from, when);
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node];
    device_set mask = 0;
    for (; need > 0; need--) {
        uint32_t best = NO_ROW;
        int64_t best_rank = INT64_MAX;
        DEVICE_SET_EACH(m, from & ~mask) {
            uint32_t i = m.at;
            int64_t rank = device_rank(k, first + i, shape, when);
            if (rank >= best_rank) continue;
            best = i;
            best_rank = rank;
        }
        if (best == NO_ROW) return 0;
        mask |= device_set_bit(best);
    }
    return mask;
}
