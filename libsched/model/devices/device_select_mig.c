/* device_select_mig.c -- see device_select_mig.h. */
#include "model/devices/device_select_mig.h"

#include "model/devices/device_select_ranked.h"

struct offer {
    uint64_t lost;
    int64_t free_milli;
    uint32_t creates, destroys;
};

static int offer_of(const struct columns *k, uint32_t device, uint32_t shape, enum device_when when,
                    struct offer *o) {
    struct mig_choice choice;
    if (!device_mig_choose(k, device, shape, when, &choice, &o->lost)) return 0;
    o->free_milli = device_milli_free(k, device, when);
    o->creates = choice.creates;
    o->destroys = (uint32_t)__builtin_popcount(choice.destroys);
    return 1;
}

static int device_select_mig_before(const struct offer *a, const struct offer *b, int spread) {
    int64_t x = device_select_spread_rank(a->free_milli),
            y = device_select_spread_rank(b->free_milli);
    if (spread && x != y) return x < y;
    if (a->lost != b->lost) return a->lost < b->lost;
    if (a->creates != b->creates) return a->creates < b->creates;
    return a->destroys < b->destroys;
}

device_set device_select_mig_devices(const struct columns *k, uint32_t node, uint32_t shape,
                                     uint32_t need, device_set from, enum device_when when) {
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node];
    device_set mask = 0;
    int spread = k->c[C_SHAPE_ORDER].u8[shape] == LSCHED_DEVICE_ORDER_SPREAD;
    for (; need > 0; need--) {
        uint32_t best = NO_ROW;
        struct offer least = {0, 0, 0, 0}, o;
        DEVICE_SET_EACH(m, from & ~mask) {
            uint32_t i = m.at;
            if (!offer_of(k, first + i, shape, when, &o)) continue;
            if (best != NO_ROW && !device_select_mig_before(&o, &least, spread)) continue;
            best = i;
            least = o;
        }
        if (best == NO_ROW) return 0;
        mask |= device_set_bit(best);
    }
    return mask;
}

int device_select_mig_starts(const struct columns *k, uint32_t node, uint32_t shape,
                             enum device_when when, struct hold *hold) {
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node];
    hold->starts = 0;
    hold->recut = 0;
    DEVICE_SET_EACH(m, hold->mask) {
        uint32_t i = m.at;
        struct mig_choice choice;
        uint64_t lost;
        if (!device_mig_choose(k, first + i, shape, when, &choice, &lost)) return 0;
        hold->starts |= (uint64_t)choice.start << 4 * i;
        hold->recut |= (uint16_t)(choice.creates << i);
    }
    return 1;
}

void device_select_mig_renew(const struct columns *k, uint32_t node, uint32_t shape,
                             struct hold *hold) {
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node];
    hold->recut = 0;
    DEVICE_SET_EACH(m, hold->mask) {
        uint32_t i = m.at;
        struct mig_choice choice;
        if (device_mig_allows(k, first + i, shape, DEVICE_NOW, hold_start(hold, i), &choice))
            hold->recut |= (uint16_t)(choice.creates << i);
    }
}

int device_select_mig_allows(const struct columns *k, uint32_t node, uint32_t shape,
                             enum device_when when, const struct hold *hold) {
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node];
    DEVICE_SET_EACH(m, hold->mask) {
        uint32_t i = m.at;
        struct mig_choice choice;
        if (!device_mig_allows(k, first + i, shape, when, hold_start(hold, i), &choice)) return 0;
    }
    return 1;
}

uint64_t device_select_mig_loss(const struct columns *k, uint32_t node, uint32_t shape) {
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node], n = k->c[C_NODE_N_DEVICES].u8[node];
    uint32_t need = k->c[C_SHAPE_DEVICES].u32[shape];
    uint64_t sum = 0;
    struct mig_choice choice;
    uint64_t lost;
    device_set all = 0;
    for (uint32_t i = 0; i < n; i++)
        if (device_mig_choose(k, first + i, shape, DEVICE_NOW, &choice, &lost))
            all |= device_set_bit(i);
    device_set mask = need ? device_select_mig_devices(k, node, shape, need, all, DEVICE_NOW) : 0;
    if (!mask) return UINT64_MAX;
    DEVICE_SET_EACH(m, mask) {
        device_mig_choose(k, first + m.at, shape, DEVICE_NOW, &choice, &lost);
        sum += lost;
    }
    return sum;
}
