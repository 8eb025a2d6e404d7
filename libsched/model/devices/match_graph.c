/* match_graph.c -- see match_graph.h. */
#include "model/devices/match_graph.h"

#include <assert.h>
#include <string.h>

void match_graph_all(struct match_graph *f, uint32_t n) {
    memset(f, 0, sizeof *f);
    for (uint32_t i = 0; i < n; i++) f->of[i] = ((1u << n) - 1) & ~(1u << i);
}

static void restrict_pairs(struct match_graph *f, const uint32_t *value, uint32_t n, int alike) {
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < i; j++) {
            int known = value[i] != MATCH_LACKS && value[j] != MATCH_LACKS;
            if (known && (value[i] == value[j]) == alike) continue;
            f->of[i] &= ~(1u << j);
            f->of[j] &= ~(1u << i);
        }
}

void match_graph_match(struct match_graph *f, const uint32_t *value, uint32_t n) {
    restrict_pairs(f, value, n, 1);
}

void match_graph_distinct(struct match_graph *f, const uint32_t *value, uint32_t n) {
    restrict_pairs(f, value, n, 0);
}

int match_graph_allow(const struct match_graph *f, uint32_t set) {
    for (uint32_t m = set; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(m);
        if ((set & ~(1u << i)) & ~f->of[i]) return 0;
    }
    return 1;
}

/* One level of the depth-first search. At each level one device is taken. */
struct level {
    uint32_t at; /* position in `order` of the device that is tried at this level */
    /* mask of the devices that are friends of all devices taken at earlier levels */
    uint32_t possible;
};

uint32_t match_graph_choose(const struct match_graph *f, uint32_t fit, uint32_t k,
                            const uint8_t *order, uint32_t n_order) {
    struct level stack[MATCH_DEVICES + 1];
    uint32_t depth = 0, set = 0, taken[MATCH_DEVICES];
    assert(k >= 1 && n_order <= MATCH_DEVICES);
    stack[0] = (struct level){0, fit};
    for (;;) {
        struct level *l = &stack[depth];
        int enough = (uint32_t)__builtin_popcount(l->possible) + depth >= k;
        if (l->at < n_order && enough) {
            uint32_t d = order ? order[l->at] : l->at, bit = 1u << d;
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
        set &= ~(1u << taken[depth]);
    }
}
