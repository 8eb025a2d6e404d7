/*
 * link_search.c -- see link_table.h: computes the worth of a set of devices, and finds the best
 * set by going through all sets. The search is used if there is no memory for a table; tests
 * compare tables with it. Cost: O(2^n) sets, and for each set that is as fast as the best, O(2^n)
 * sets of the remaining devices.
 */
#include "model/machine/link_table.h"

struct link_worth link_worth_of(const struct link_matrix *m, uint32_t set) {
    struct link_worth w = {UINT64_MAX, 0};
    for (uint32_t a = set; a; a &= a - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(a);
        for (uint32_t b = a & (a - 1); b; b &= b - 1) {
            uint64_t mbps = m->mbps[i][__builtin_ctz(b)];
            if (mbps < w.bottleneck) w.bottleneck = mbps;
            w.sum += mbps;
        }
    }
    if (w.bottleneck == UINT64_MAX) w.bottleneck = 0;
    return w;
}

int link_all_least(const struct link_matrix *m, uint32_t set, uint8_t least) {
    for (uint32_t a = set; a; a &= a - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(a);
        for (uint32_t b = a & (a - 1); b; b &= b - 1)
            if (m->kind[i][__builtin_ctz(b)] < least) return 0;
    }
    return 1;
}

static uint32_t near_of(const struct link_matrix *m, uint32_t set) {
    uint32_t sum = 0;
    for (uint32_t a = set; a; a &= a - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(a);
        for (uint32_t b = a & (a - 1); b; b &= b - 1) sum += m->near[i][__builtin_ctz(b)];
    }
    return sum;
}

struct verdict {
    struct link_worth worth, offer;
    uint32_t near, near_offer;
};

/* Computes the value of the remaining devices `rest` (link_table.h). */
static void weigh_rest(const struct link_matrix *m, uint32_t rest, struct verdict *v) {
    struct link_worth best[LINK_DEVICES + 1] = {{0, 0}};
    uint32_t near[LINK_DEVICES + 1] = {0};
    for (uint32_t s = rest; s; s = (s - 1) & rest) {
        uint32_t size = (uint32_t)__builtin_popcount(s), n = near_of(m, s);
        struct link_worth w = link_worth_of(m, s);
        if (link_worth_order(w, best[size]) > 0) best[size] = w;
        if (n > near[size]) near[size] = n;
    }
    v->offer = (struct link_worth){0, 0};
    v->near_offer = 0;
    for (uint32_t size = 2; size <= LINK_DEVICES; size++) {
        v->offer.bottleneck += best[size].bottleneck;
        v->offer.sum += best[size].sum;
        v->near_offer += near[size];
    }
}

/* Of two sets with the same worth, returns 1 if the remaining devices of set a have a greater
 * value than those of set b. */
static int leaves_more(const struct verdict *a, const struct verdict *b) {
    int order = link_worth_order(a->offer, b->offer);
    if (order) return order > 0;
    return a->near != b->near ? a->near > b->near : a->near_offer > b->near_offer;
}

uint32_t link_search(const struct link_matrix *m, uint32_t k, uint8_t least, uint32_t free) {
    struct verdict best = {{0, 0}, {0, 0}, 0, 0};
    uint32_t found = 0;
    /* 1 if the value of the devices that remain beside the best set is computed; only a tie needs
     * this value */
    int weighed = 0;
    /* The loop goes from the greatest mask to the lowest one, so that the lowest one of equal
     * sets is found last and is kept. */
    for (uint32_t s = free; s; s = (s - 1) & free) {
        if ((uint32_t)__builtin_popcount(s) != k || !link_all_least(m, s, least)) continue;
        struct verdict v = {link_worth_of(m, s), {0, 0}, 0, 0};
        int order = found ? link_worth_order(v.worth, best.worth) : 1;
        if (order < 0) continue;
        if (order == 0) {
            v.near = near_of(m, s);
            weigh_rest(m, free & ~s, &v);
            if (!weighed) {
                best.near = near_of(m, found);
                weigh_rest(m, free & ~found, &best);
            }
            weighed = 1;
            if (leaves_more(&best, &v)) continue;
        } else {
            weighed = 0;
        }
        best = v;
        found = s;
    }
    return found;
}
