/* device_select.c -- see device_select.h. Cost: O(devices of the node) for each device that the
 * task takes. */
#include "model/devices/device_select.h"

#include "base/bits.h"
#include "model/devices/device_match.h"
#include "model/devices/device_select_links.h"
#include "model/devices/device_select_mig.h"
#include "model/devices/device_select_ranked.h"

/* Does what device_select_ranked() does, but only with sets of devices that the graph allows.
 * Returns the allowed set that is lexicographically first in the order of ranks. */
static device_set device_select_friends(const struct columns *k, uint32_t node, uint32_t shape,
                                        uint32_t need, device_set from, enum device_when when,
                                        const struct match_graph *f) {
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node], n = 0;
    int64_t rank[MATCH_DEVICES];
    uint8_t order[MATCH_DEVICES];
    DEVICE_SET_EACH(m, from) {
        uint8_t i = (uint8_t)m.at;
        int64_t r = device_rank(k, first + i, shape, when);
        uint32_t j = n++;
        for (; j > 0 && rank[j - 1] > r; j--) {
            rank[j] = rank[j - 1];
            order[j] = order[j - 1];
        }
        rank[j] = r;
        order[j] = i;
    }
    return match_graph_choose(f, from, need, order, n);
}

/* Chooses `need` devices of the mask, whose devices the task can take. If the task asks for whole
 * devices, all of them are equally good, and the lowest indexes are chosen. */
static device_set lowest_ranked(const struct columns *k, uint32_t node, uint32_t shape,
                                uint32_t need, device_set from, enum device_when when) {
    device_set mask = 0;
    if (!devices_asked_whole(k, shape))
        return device_select_ranked(k, node, shape, need, from, when);
    for (; need > 0; need--, from &= from - 1) mask |= from & (0 - from);
    return mask;
}

/* Returns how many devices must be found. If all devices are equally good and nothing but the
 * task's request chooses among them, the first ones suffice. */
static uint32_t looked_at(const struct columns *k, uint32_t node, uint32_t shape,
                          const struct resource_part_short *limits, device_set among) {
    int free_choice = !limits && among == DEVICE_SET_ALL && devices_asked_whole(k, shape) &&
                      node_machine(k, node) == NO_ROW && !device_match_asked(k, shape);
    return free_choice ? k->c[C_SHAPE_DEVICES].u32[shape] : UINT32_MAX;
}

static int device_select_inside(const struct columns *k, uint32_t node, uint32_t shape,
                                enum device_when when, const struct resource_part_short *limits,
                                device_set among, struct hold *hold) {
    uint32_t need = k->c[C_SHAPE_DEVICES].u32[shape];
    device_set from = 0;
    memset(hold, 0, sizeof *hold);
    if (need)
        from =
            devices_taking(k, node, shape, when, looked_at(k, node, shape, limits, among)) & among;
    if (limits && limits->n && !resource_part_narrow(k, node, shape, &from, limits)) return 0;
    if (device_set_count(from) < need) return 0;
    struct match_graph friends;
    int matches = need > 1 && device_match_asked(k, shape);
    if (matches) device_match_graph(k, node, shape, &friends);
    if (node_machine(k, node) != NO_ROW) {
        struct machine spare;
        struct device_select_ask ask;
        device_select_links_open(&ask, k, node, shape, when, &spare);
        ask.from = from;
        if (matches) ask.friends = &friends;
        return device_select_links(&ask, hold);
    }
    if (shape_needs_machine(k, shape)) return 0;
    if (need)
        hold->mask = matches ? device_select_friends(k, node, shape, need, from, when, &friends)
                             : lowest_ranked(k, node, shape, need, from, when);
    return hold->mask != 0 || need == 0;
}

/* True if the first devices that the task can take are the devices that it gets: it asks for whole
 * devices, and neither links nor attributes choose among them. Most tasks are like this. */
static int takes_first_whole(const struct columns *k, uint32_t node, uint32_t shape) {
    return k->c[C_SHAPE_DEVICES].u32[shape] > 0 && devices_asked_whole(k, shape) &&
           node_machine(k, node) == NO_ROW && !shape_needs_machine(k, shape) &&
           !device_match_asked(k, shape) && k->c[C_NODE_TAINTED].u8[node] == 0;
}

/* Chooses among the given devices, with the slices of MIG instances. */
static int device_select_among(const struct columns *k, uint32_t node, uint32_t shape,
                               enum device_when when, const struct resource_part_short *limits,
                               device_set among, struct hold *hold) {
    return device_select_inside(k, node, shape, when, limits, among, hold) &&
           (!k->c[C_SHAPE_MIG_SLICES].u8[shape] ||
            device_select_mig_starts(k, node, shape, when, hold));
}

/* Chooses among the devices that the task does not avoid and among as few of the others as are
 * necessary, the lowest index first. */
static int device_select_avoiding(const struct columns *k, uint32_t node, uint32_t shape,
                                  enum device_when when, const struct resource_part_short *limits,
                                  device_set avoided, struct hold *hold) {
    struct hold any;
    device_set among = ~avoided;
    if (!device_select_among(k, node, shape, when, limits, DEVICE_SET_ALL, &any)) return 0;
    if (device_select_among(k, node, shape, when, limits, among, hold)) return 1;
    DEVICE_SET_EACH(m, avoided) {
        among |= device_set_bit(m.at);
        if (device_select_among(k, node, shape, when, limits, among, hold)) return 1;
    }
    *hold = any;
    return 1;
}

int device_select(const struct columns *k, uint32_t node, uint32_t shape, enum device_when when,
                  const struct resource_part_short *limits, struct hold *hold) {
    if (!limits && takes_first_whole(k, node, shape)) {
        uint32_t need = k->c[C_SHAPE_DEVICES].u32[shape];
        device_set mask = devices_taking(k, node, shape, when, need);
        int enough = device_set_count(mask) == need;
        *hold = (struct hold){.mask = enough ? mask : 0};
        return enough;
    }
    device_set avoided = devices_avoided(k, node, shape);
    if (avoided) return device_select_avoiding(k, node, shape, when, limits, avoided, hold);
    return device_select_among(k, node, shape, when, limits, DEVICE_SET_ALL, hold);
}

/* Chooses among the devices with the least charge, then also among those with the next higher
 * charge, and so on, but never among the devices `outside`. */
static int cheapest_outside(const struct columns *k, uint32_t node, uint32_t shape,
                            enum device_when when, const struct resource_part_short *limits,
                            device_set outside, struct hold *hold) {
    uint32_t n = k->c[C_NODE_N_DEVICES].u8[node], first = k->c[C_NODE_DEVICE_FIRST].u32[node],
             last = 0;
    device_set among = 0;
    for (uint32_t round = 0; round < n; round++) {
        uint32_t least = UINT32_MAX;
        for (uint32_t i = 0; i < n; i++) {
            uint32_t milli = device_milli_need(k, first + i, shape);
            if (milli > last && milli < least) least = milli;
        }
        if (least == UINT32_MAX) return 0;
        for (uint32_t i = 0; i < n; i++)
            if (device_milli_need(k, first + i, shape) == least) among |= device_set_bit(i);
        if (device_select_inside(k, node, shape, when, limits, among & ~outside, hold)) return 1;
        last = least;
    }
    return 0;
}

int device_select_cheapest(const struct columns *k, uint32_t node, uint32_t shape,
                           enum device_when when, const struct resource_part_short *limits,
                           struct hold *hold) {
    if (!shape_charge_varies(k, shape)) return device_select(k, node, shape, when, limits, hold);
    device_set avoided = devices_avoided(k, node, shape);
    return (avoided && cheapest_outside(k, node, shape, when, limits, avoided, hold)) ||
           cheapest_outside(k, node, shape, when, limits, 0, hold);
}

/* Checks only the match and distinct attributes of the devices, not their links. */
static int may_be_together(const struct columns *k, uint32_t node, uint32_t shape,
                           device_set mask) {
    struct match_graph friends;
    if (!device_match_asked(k, shape)) return 1;
    device_match_graph(k, node, shape, &friends);
    return match_graph_allow(&friends, mask);
}

int device_select_rest(const struct columns *k, uint32_t node, uint32_t shape,
                       enum device_when when, struct hold *hold) {
    if (!may_be_together(k, node, shape, hold->mask)) return 0;
    if (k->c[C_SHAPE_MIG_SLICES].u8[shape] && !device_select_mig_starts(k, node, shape, when, hold))
        return 0;
    if (node_machine(k, node) == NO_ROW) return !shape_needs_machine(k, shape);
    struct machine spare;
    struct device_select_ask ask;
    device_select_links_open(&ask, k, node, shape, when, &spare);
    ask.from = devices_taking(k, node, shape, when, UINT32_MAX);
    return device_select_links_rest(&ask, hold);
}

int device_select_allows(const struct columns *k, uint32_t node, uint32_t shape,
                         enum device_when when, const struct hold *hold) {
    uint32_t n = k->c[C_NODE_N_DEVICES].u8[node];
    device_set from = devices_taking(k, node, shape, when, UINT32_MAX);
    if ((hold->mask & ~device_set_below(n)) ||
        device_set_count(hold->mask) != k->c[C_SHAPE_DEVICES].u32[shape] || (hold->mask & ~from) ||
        !may_be_together(k, node, shape, hold->mask))
        return 0;
    if (k->c[C_SHAPE_MIG_SLICES].u8[shape] && !device_select_mig_allows(k, node, shape, when, hold))
        return 0;
    if (node_machine(k, node) == NO_ROW) return !shape_needs_machine(k, shape);
    struct machine spare;
    struct device_select_ask ask;
    device_select_links_open(&ask, k, node, shape, when, &spare);
    ask.from = from;
    return device_select_links_allow(&ask, hold);
}
