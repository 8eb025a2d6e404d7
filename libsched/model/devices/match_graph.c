/* match_graph.c -- see match_graph.h. */
#include "model/devices/match_graph.h"

#include <assert.h>

void match_graph_all(struct match_graph *f, uint32_t n) {
    /* the other members are never read: all devices of a set are below n */
    for (uint32_t i = 0; i < n; i++) f->of[i] = device_set_below(n) & ~device_set_bit(i);
}

static void restrict_pairs(struct match_graph *f, const uint32_t *value, uint32_t n, int alike) {
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < i; j++) {
            int known = value[i] != MATCH_LACKS && value[j] != MATCH_LACKS;
            if (known && (value[i] == value[j]) == alike) continue;
            f->of[i] &= ~device_set_bit(j);
            f->of[j] &= ~device_set_bit(i);
        }
}

void match_graph_match(struct match_graph *f, const uint32_t *value, uint32_t n) {
    restrict_pairs(f, value, n, 1);
}

void match_graph_distinct(struct match_graph *f, const uint32_t *value, uint32_t n) {
    restrict_pairs(f, value, n, 0);
}

int match_graph_allow(const struct match_graph *f, device_set set) {
    DEVICE_SET_EACH(m, set) {
        uint32_t i = m.at;
        if ((set & ~device_set_bit(i)) & ~f->of[i]) return 0;
    }
    return 1;
}

/* One level of the depth-first search. At each level one device is taken. */
struct level {
    uint32_t at; /* position in `order` of the device that is tried at this level */
    /* the devices that are friends of all devices taken at earlier levels */
    device_set possible;
};

device_set match_graph_choose(const struct match_graph *f, device_set fit, uint32_t k,
                              const uint8_t *order, uint32_t n_order) {
    struct level stack[MATCH_DEVICES + 1];
    uint32_t depth = 0, taken[MATCH_DEVICES];
    device_set set = 0;
    assert(k >= 1 && n_order <= MATCH_DEVICES);
    stack[0] = (struct level){0, fit};
    for (;;) {
        struct level *l = &stack[depth];
        int enough = device_set_count(l->possible) + depth >= k;
        if (l->at < n_order && enough) {
            uint32_t d = order ? order[l->at] : l->at;
            device_set bit = device_set_bit(d);
            l->at++;
            if (!(l->possible & bit)) continue;
            /* when the search returns to this level, it tries sets without the device */
            l->possible &= ~bit;
            set |= bit;
            if (depth + 1 == k) return set;
            taken[depth] = d;
            stack[depth + 1] = (struct level){l->at, l->possible & f->of[d]};
            depth++;
            continue;
        }
        if (depth == 0) return 0;
        depth--;
        set &= ~device_set_bit(taken[depth]);
    }
}
