/* device_select_links.c -- see device_select_links.h. */
#include "model/devices/device_select_links.h"

#include "model/devices/device_select_ranked.h"

struct picker {
    const struct device_select_ask *ask;
    struct machine *m;
    uint32_t devices, nics;
    uint8_t least, numa;
    int whole; /* 1 if the task takes whole devices */
};

#define WISH(bit, value) (uint8_t)(ask->without & (bit) ? 0 : (value))

static struct picker picker_of(const struct device_select_ask *ask) {
    const struct columns *k = ask->k;
    return (struct picker){.ask = ask,
                           .m = ask->machine,
                           .devices = k->c[C_SHAPE_DEVICES].u32[ask->shape],
                           .nics = WISH(PICKY_NICS, k->c[C_SHAPE_NICS].u8[ask->shape]),
                           .least = WISH(PICKY_LINK, k->c[C_SHAPE_WEAKEST_LINK].u8[ask->shape]),
                           .numa = WISH(PICKY_NUMA, k->c[C_SHAPE_NUMA].u8[ask->shape]),
                           .whole = k->c[C_SHAPE_DEVICE_MILLI].u32[ask->shape] == 1000 &&
                                    !shape_charge_varies(k, ask->shape)};
}

void device_select_links_open(struct device_select_ask *ask, const struct columns *k, uint32_t node,
                              uint32_t shape, enum device_when when, struct machine *spare) {
    *ask = (struct device_select_ask){.k = k, .node = node, .shape = shape, .when = when};
    ask->machine = machine_get(k, node_machine(k, node), spare);
    if (shape_asks_inside(k, shape)) inside_of(k, node, ask->machine, when, &ask->inside);
}

static uint32_t device_select_links_bits(uint32_t mask) {
    return bits_count(mask);
}

/* ---- devices ---- */

/* The best set of devices so far. */
struct best_set {
    struct link_worth worth;
    uint32_t devices; /* 0: none yet */
};

static void keep_best_set(const struct link_matrix *m, uint32_t devices, struct best_set *best) {
    struct link_worth w = link_worth_of(m, devices);
    int order = best->devices ? link_worth_order(w, best->worth) : 1;
    if (order < 0 || (order == 0 && devices > best->devices)) return;
    *best = (struct best_set){w, devices};
}

/* Tries all sets of devices that the attributes allow. This is necessary because the link tables
 * do not know the attributes. Returns the best set by links; among equally good sets, the one
 * with the lowest bit mask. A depth-first search takes one device at each level, the lowest index
 * first, and leaves a branch in which too few devices remain. It takes at most 2^16 steps, because
 * a node with a machine has at most 16 devices. */
static uint32_t best_of_matched(const struct picker *p, uint32_t from) {
    const struct link_matrix *m = &p->m->s.links;
    uint32_t possible[LINK_DEVICES + 1], taken[LINK_DEVICES + 1], depth = 0, steps = 0;
    struct best_set best = {{0, 0}, 0};
    possible[0] = from;
    taken[0] = 0;
    for (;;) {
        uint32_t left = possible[depth], lowest = left & (0 - left), set = taken[depth] | lowest;
        steps++;
        if (device_select_links_bits(left) + depth < p->devices) {
            if (depth-- == 0) break;
            continue;
        }
        possible[depth] &= ~lowest;
        if (depth + 1 < p->devices) {
            uint32_t i = (uint32_t)__builtin_ctz(lowest);
            possible[depth + 1] = possible[depth] & (uint32_t)p->ask->friends->of[i];
            taken[++depth] = set;
        } else if (link_all_least(m, set, p->least)) {
            keep_best_set(m, set, &best);
        }
    }
    match_graph_count(p->ask->friends, steps);
    return best.devices;
}

/* Returns the best set of devices out of the mask `from`; 0 if no set is suitable. */
static uint32_t device_select_links_choose(const struct picker *p, uint32_t from) {
    const struct device_select_ask *a = p->ask;
    if (a->friends && p->devices > 1) return best_of_matched(p, from);
    if (p->whole || (p->least && p->devices > 1))
        return machine_pick(a->k, p->m, p->devices, p->least, from);
    return (uint32_t)device_select_ranked(a->k, a->node, a->shape, p->devices, from, a->when);
}

/* Returns the mask of the devices that have a free network card of the mask `nics` behind their
 * own PCIe switch. */
static uint32_t beside_a_card(const struct picker *p, uint32_t nics) {
    uint32_t mask = 0;
    for (uint32_t c = nics; c; c &= c - 1) {
        uint32_t nic = (uint32_t)__builtin_ctz(c);
        for (uint32_t i = 0; i < p->m->s.links.n; i++)
            mask |= (uint32_t)(p->m->s.nic_kind[nic][i] >= LSCHED_LINK_PXB) << i;
    }
    return mask;
}

static uint32_t choose_with_cards(const struct picker *p, uint32_t from, uint32_t nics) {
    uint32_t best = device_select_links_choose(p, from);
    if (p->nics == 0 || best == 0) return best;
    uint32_t near = device_select_links_choose(p, from & beside_a_card(p, nics));
    if (near == 0 || near == best) return best;
    struct link_worth a = link_worth_of(&p->m->s.links, near),
                      b = link_worth_of(&p->m->s.links, best);
    return link_worth_order(a, b) < 0 ? best : near;
}

/* ---- network cards ---- */

struct card_worth {
    uint32_t kind;   /* best kind of link from the card to one of the chosen devices */
    uint64_t mbps;   /* sum of the bandwidths to all chosen devices */
    uint32_t others; /* free devices behind the card's switch that the task does not take */
};

static struct card_worth card_worth_of(const struct picker *p, uint32_t nic, uint32_t devices) {
    const struct machine_shape *s = &p->m->s;
    struct card_worth w = {0, 0, 0};
    for (uint32_t d = devices; d; d &= d - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(d);
        if (s->nic_kind[nic][i] > w.kind) w.kind = s->nic_kind[nic][i];
        w.mbps += s->nic_mbps[nic][i];
    }
    for (uint32_t d = (uint32_t)p->ask->from & ~devices; d; d &= d - 1)
        w.others += s->nic_kind[nic][__builtin_ctz(d)] >= LSCHED_LINK_PXB;
    return w;
}

static int card_better(const struct card_worth *a, const struct card_worth *b) {
    if (a->kind != b->kind) return a->kind > b->kind;
    if (a->mbps != b->mbps) return a->mbps > b->mbps;
    return a->others < b->others;
}

/* Returns the mask of the p->nics best cards of the mask `free`; 0 if `free` has fewer cards.
 * Must not be called if p->nics is 0. */
static uint32_t choose_cards(const struct picker *p, uint32_t free, uint32_t devices) {
    uint32_t chosen = 0;
    if (device_select_links_bits(free) < p->nics) return 0;
    for (uint32_t n = 0; n < p->nics; n++) {
        struct card_worth best = {0, 0, 0};
        uint32_t at = 0;
        for (uint32_t c = free & ~chosen; c; c &= c - 1) {
            struct card_worth w = card_worth_of(p, (uint32_t)__builtin_ctz(c), devices);
            if (at && !card_better(&w, &best)) continue;
            at = c & (0 - c);
            best = w;
        }
        chosen |= at;
    }
    return chosen;
}

/* ---- NUMA nodes ---- */

static int numa_has_room(const struct picker *p, uint32_t a) {
    const struct columns *k = p->ask->k;
    const struct inside *in = &p->ask->inside;
    return k->c[C_SHAPE_REQ + LSCHED_CPU].i64[p->ask->shape] <= in->cpu_milli[a] &&
           k->c[C_SHAPE_REQ + LSCHED_MEMORY].i64[p->ask->shape] <= in->memory_bytes[a] &&
           in->cpu_milli[a] >= 0 && in->memory_bytes[a] >= 0 &&
           (p->nics == 0 || device_select_links_bits(in->nics & p->m->numa_nics[a]) >= p->nics);
}

struct numa_choice {
    struct link_worth worth;
    uint32_t left, devices;
    int64_t cpu_milli;
};

static int numa_better(const struct numa_choice *a, const struct numa_choice *b) {
    int order = link_worth_order(a->worth, b->worth);
    if (order) return order > 0;
    return a->left != b->left ? a->left < b->left : a->cpu_milli < b->cpu_milli;
}

/* Pins the task to the best NUMA node. Returns 0 if no NUMA node can hold the task. */
static int pin(const struct picker *p, struct hold *hold) {
    const struct inside *in = &p->ask->inside;
    struct numa_choice best = {{0, 0}, 0, 0, 0};
    uint32_t at = NO_ROW;
    for (uint32_t a = 0; a < p->m->s.n_numa; a++) {
        uint32_t from = (uint32_t)p->ask->from & p->m->numa_devices[a];
        if (!numa_has_room(p, a) || device_select_links_bits(from) < p->devices) continue;
        struct numa_choice c = {.left = device_select_links_bits(from),
                                .cpu_milli = in->cpu_milli[a]};
        if (p->devices) c.devices = choose_with_cards(p, from, in->nics & p->m->numa_nics[a]);
        if (c.devices == 0 && p->devices) continue;
        c.worth = link_worth_of(&p->m->s.links, c.devices);
        if (at != NO_ROW && !numa_better(&c, &best)) continue;
        best = c;
        at = a;
    }
    if (at == NO_ROW) return 0;
    hold->numa = (uint8_t)(1u << at);
    hold->mask = best.devices;
    if (p->nics)
        hold->nics = (uint16_t)choose_cards(p, in->nics & p->m->numa_nics[at], best.devices);
    return 1;
}

int device_select_links(const struct device_select_ask *ask, struct hold *hold) {
    struct picker p = picker_of(ask);
    if (p.numa != LSCHED_NUMA_ANY && pin(&p, hold)) return 1;
    if (p.numa == LSCHED_NUMA_REQUIRED ||
        (p.nics && device_select_links_bits(ask->inside.nics) < p.nics))
        return 0;
    if (p.devices) hold->mask = choose_with_cards(&p, (uint32_t)ask->from, ask->inside.nics);
    if (hold->mask == 0 && p.devices) return 0;
    if (p.nics) hold->nics = (uint16_t)choose_cards(&p, ask->inside.nics, (uint32_t)hold->mask);
    return 1;
}

/* ---- devices that the caller chose ---- */

static int devices_do(const struct picker *p, uint32_t mask) {
    if (device_select_links_bits(mask) != p->devices || (mask & ~p->ask->from)) return 0;
    if (p->ask->friends && !match_graph_allow(p->ask->friends, mask)) return 0;
    return link_all_least(&p->m->s.links, mask, p->least);
}

/* Returns the NUMA node that has all devices and cards of the hold and room for the task's cpu
 * and memory; NO_ROW if there is no such NUMA node. */
static uint32_t numa_of(const struct picker *p, const struct hold *h) {
    for (uint32_t a = 0; a < p->m->s.n_numa; a++) {
        if (h->numa && h->numa != 1u << a) continue;
        if ((h->mask & ~p->m->numa_devices[a]) || (h->nics & ~p->m->numa_nics[a])) continue;
        if (numa_has_room(p, a)) return a;
    }
    return NO_ROW;
}

int device_select_links_rest(const struct device_select_ask *ask, struct hold *hold) {
    struct picker p = picker_of(ask);
    if (!devices_do(&p, (uint32_t)hold->mask)) return 0;
    uint32_t cards = ask->inside.nics;
    if (p.numa != LSCHED_NUMA_ANY) {
        uint32_t a = numa_of(&p, hold);
        if (a == NO_ROW && p.numa == LSCHED_NUMA_REQUIRED) return 0;
        if (a != NO_ROW) {
            hold->numa = (uint8_t)(1u << a);
            cards &= p.m->numa_nics[a];
        }
    }
    if (p.nics == 0) return 1;
    if (hold->nics == 0) hold->nics = (uint16_t)choose_cards(&p, cards, (uint32_t)hold->mask);
    return device_select_links_bits(hold->nics) == p.nics && (hold->nics & ~cards) == 0;
}

/* Returns 1 if each NUMA node to which an imported task is pinned has room for its portion of the
 * task. An imported task can be pinned to several NUMA nodes, and also if its shape asks for no
 * alignment. */
static int parts_have_room(const struct device_select_ask *ask, uint8_t numa) {
    struct inside in = ask->inside;
    struct hold h = {.numa = numa};
    inside_add(ask->k, ask->shape, &h, -1, &in);
    for (uint32_t a = numa; a; a &= a - 1)
        if (in.cpu_milli[__builtin_ctz(a)] < 0 || in.memory_bytes[__builtin_ctz(a)] < 0) return 0;
    return 1;
}

int device_select_links_allow(struct device_select_ask *ask, const struct hold *hold) {
    struct picker p = picker_of(ask);
    if (hold->numa && !shape_asks_inside(ask->k, ask->shape))
        inside_of(ask->k, ask->node, ask->machine, ask->when, &ask->inside);
    if (!devices_do(&p, (uint32_t)hold->mask) || device_select_links_bits(hold->nics) != p.nics)
        return 0;
    if (hold->nics & ~ask->inside.nics) return 0;
    if (p.numa == LSCHED_NUMA_REQUIRED)
        return device_select_links_bits(hold->numa) == 1 && numa_of(&p, hold) != NO_ROW;
    return hold->numa == 0 || parts_have_room(ask, hold->numa);
}
