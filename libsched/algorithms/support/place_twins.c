/* place_twins.c -- see place_twins.h. */
#include "algorithms/support/place_twins.h"

#include <string.h>

void place_twins_open(struct place_twins *t, const lsched_view *view, const uint32_t *nodes,
                      size_t n) {
    t->view = n < PLACE_TWINS_LEAST ? NULL : view;
    t->nodes = nodes;
    if (t->view) memset(t->slots, 0, sizeof t->slots);
}

static uint64_t place_twins_mix(uint64_t h, uint64_t v) {
    h = (h ^ v) * 0x9E3779B97F4A7C15u;
    return h ^ h >> 29;
}

/* Hashes the amounts in which nodes usually differ. */
static uint64_t state_hash(const lsched_view *v, uint32_t node) {
    const uint16_t *free_milli = v->device_free_milli + v->node_device_first[node];
    uint32_t n = v->node_device_count[node], i = 0;
    uint64_t h = place_twins_mix(n, (uint64_t)v->node_free[LSCHED_CPU][node]), four;
    h = place_twins_mix(h, (uint64_t)v->node_free[LSCHED_MEMORY][node]);
    for (; i + 4 <= n; i += 4) {
        memcpy(&four, free_milli + i, sizeof four);
        h = place_twins_mix(h, four);
    }
    for (; i < n; i++) h = place_twins_mix(h, free_milli[i]);
    return h;
}

static int are_equal(const lsched_view *v, uint32_t a, uint32_t b) {
    uint32_t n = v->node_device_count[a];
    if (n != v->node_device_count[b]) return 0;
    for (uint32_t kind = 1; kind < v->n_kinds; kind++)
        if (v->node_free[kind][a] != v->node_free[kind][b]) return 0;
    uint32_t x = v->node_device_first[a], y = v->node_device_first[b];
    for (uint32_t i = 0; i < n; i++, x++, y++)
        if (v->device_free_milli[x] != v->device_free_milli[y] ||
            v->device_memory_free_bytes[x] != v->device_memory_free_bytes[y] ||
            v->device_memory_bytes[x] != v->device_memory_bytes[y] ||
            v->device_model[x] != v->device_model[y] || v->device_share[x] != v->device_share[y])
            return 0;
    return 1;
}

uint32_t place_twins_find(struct place_twins *t, uint32_t i) {
    if (!t->view) return i;
    uint32_t *slot = &t->slots[state_hash(t->view, t->nodes[i]) % PLACE_TWINS_SLOTS];
    if (*slot && are_equal(t->view, t->nodes[*slot - 1], t->nodes[i])) return *slot - 1;
    *slot = i + 1;
    return i;
}
