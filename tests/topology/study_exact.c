/*
 * study_exact.c -- the least total of switches over a whole sequence of gangs, knowing all of it in
 * advance.
 *
 * Gang by gang, all states that any strategy could have reached: how many GPUs each gang that is
 * still there holds below each switch (hosts do not matter: a gang takes single GPUs). Of two ways
 * to one state the cheaper is kept; a state that cannot come in below what is known already is
 * dropped. Which gangs are dropped for want of room is the same for all.
 */
#include "topology/study_run.h"

#include <stdlib.h>
#include <string.h>

enum {
    EXACT_SWITCHES = 4,
    EXACT_GANGS = 10,
    PART_BITS = 3
}; /* at most 7 GPUs of a gang a switch */

struct state {
    uint64_t held[2]; /* five gangs a word, four switches a gang; ~0: an empty slot */
    uint32_t cost;
};

struct layer {
    struct state *slots;
    uint64_t mask, n;
};

static uint32_t part_shift(uint32_t gang, uint32_t sw) {
    return (gang % 5 * EXACT_SWITCHES + sw) * PART_BITS;
}

static uint32_t part_of(const struct state *s, uint32_t gang, uint32_t sw) {
    return (uint32_t)(s->held[gang / 5] >> part_shift(gang, sw) & 7u);
}

static void layer_clear(struct layer *l) {
    memset(l->slots, 0xff, (size_t)(l->mask + 1) * sizeof l->slots[0]);
    l->n = 0;
}

/* Keep a state if it is new or cheaper; 0 if there is no room for it. */
static int layer_put(struct layer *l, const struct state *s) {
    uint64_t h = (s->held[0] * 0x9e3779b97f4a7c15u) ^ (s->held[1] * 0xc2b2ae3d27d4eb4fu);
    for (h ^= h >> 29;; h++) {
        struct state *slot = &l->slots[h & l->mask];
        if (slot->cost == UINT32_MAX) {
            if (l->n * 2 > l->mask) return 0;
            *slot = *s;
            l->n++;
            return 1;
        }
        if (slot->held[0] != s->held[0] || slot->held[1] != s->held[1]) continue;
        if (s->cost < slot->cost) slot->cost = s->cost;
        return 1;
    }
}

struct exact {
    const struct study_load *load;
    uint32_t n_switches, capacity[EXACT_SWITCHES];
    uint32_t least_rest[EXACT_GANGS + 1]; /* of switches, for the gangs from here on */
    uint8_t is_dropped[EXACT_GANGS];
    uint32_t known;
    struct layer now, next;
};

/* How many switches a gang spans at least on an empty tree. */
static uint32_t span_when_empty(const struct exact *x, uint32_t gpus) {
    uint8_t used[EXACT_SWITCHES] = {0};
    uint32_t n = 0;
    for (uint32_t sum = 0; sum < gpus; n++) {
        uint32_t best = EXACT_SWITCHES;
        for (uint32_t i = 0; i < x->n_switches; i++)
            if (!used[i] && (best == EXACT_SWITCHES || x->capacity[i] > x->capacity[best]))
                best = i;
        used[best] = 1;
        sum += x->capacity[best];
    }
    return n;
}

/* Who finds no room does not depend on who sits where. */
static void find_dropped(struct exact *x) {
    uint32_t capacity = 0;
    for (uint32_t i = 0; i < x->n_switches; i++) capacity += x->capacity[i];
    for (uint32_t g = 0; g < x->load->n; g++) {
        uint32_t used = 0;
        for (uint32_t h = 0; h < g; h++)
            if (!x->is_dropped[h] && x->load->gangs[h].until > g) used += x->load->gangs[h].gpus;
        x->is_dropped[g] = used + x->load->gangs[g].gpus > capacity;
    }
    for (uint32_t g = x->load->n; g-- > 0;)
        x->least_rest[g] = x->least_rest[g + 1] +
                           (x->is_dropped[g] ? 0 : span_when_empty(x, x->load->gangs[g].gpus));
}

static void forget_departed(const struct exact *x, struct state *s, uint32_t gang) {
    for (uint32_t h = 0; h < gang; h++) {
        if (x->load->gangs[h].until > gang) continue;
        uint64_t all = (1u << EXACT_SWITCHES * PART_BITS) - 1u;
        s->held[h / 5] &= ~(all << part_shift(h, 0));
    }
}

/* All ways to divide the gang among the switches, as states of the next layer. */
static int divide_gang(struct exact *x, const struct state *from, uint32_t gang) {
    uint32_t gpus = x->load->gangs[gang].gpus, room[EXACT_SWITCHES] = {0}, part[EXACT_SWITCHES];
    for (uint32_t i = 0; i < x->n_switches; i++) {
        room[i] = x->capacity[i];
        for (uint32_t h = 0; h < gang; h++) room[i] -= part_of(from, h, i);
    }
    for (part[0] = 0; part[0] <= room[0]; part[0]++)
        for (part[1] = 0; part[1] <= room[1]; part[1]++)
            for (part[2] = 0; part[2] <= room[2]; part[2]++) {
                uint32_t sum = part[0] + part[1] + part[2];
                if (sum > gpus || gpus - sum > room[3]) continue;
                struct state to = *from;
                part[3] = gpus - sum;
                for (uint32_t i = 0; i < EXACT_SWITCHES; i++) {
                    to.held[gang / 5] |= (uint64_t)part[i] << part_shift(gang, i);
                    to.cost += part[i] ? 1 : 0;
                }
                if (to.cost + x->least_rest[gang + 1] >= x->known) continue;
                if (!layer_put(&x->next, &to)) return 0;
            }
    return 1;
}

static int advance(struct exact *x, uint32_t gang) {
    layer_clear(&x->next);
    for (uint64_t i = 0; i <= x->now.mask; i++) {
        struct state s = x->now.slots[i];
        if (s.cost == UINT32_MAX) continue;
        forget_departed(x, &s, gang);
        if (!(x->is_dropped[gang] ? layer_put(&x->next, &s) : divide_gang(x, &s, gang))) return 0;
    }
    struct layer held = x->now;
    x->now = x->next;
    x->next = held;
    return 1;
}

static uint32_t search(struct exact *x) {
    struct state start = {{0, 0}, 0};
    layer_clear(&x->now);
    if (x->least_rest[0] >= x->known) return x->known;
    layer_put(&x->now, &start);
    for (uint32_t g = 0; g < x->load->n; g++)
        if (!advance(x, g)) return UINT32_MAX;
    uint32_t least = x->known;
    for (uint64_t i = 0; i <= x->now.mask; i++)
        if (x->now.slots[i].cost < least) least = x->now.slots[i].cost;
    return least;
}

uint32_t study_exact(const struct study_tree *tree, const struct study_load *load,
                     uint32_t known_total, uint64_t states_max) {
    struct exact x = {.load = load, .known = known_total, .n_switches = tree->n_switches};
    uint32_t least = UINT32_MAX;
    if (tree->n_switches > EXACT_SWITCHES || load->n > EXACT_GANGS) return UINT32_MAX;
    for (uint32_t i = 0; i < tree->n_hosts; i++)
        x.capacity[tree->hosts[i].sw] += tree->hosts[i].gpus;
    for (uint32_t i = 0; i < tree->n_switches; i++)
        if (x.capacity[i] >= 1u << PART_BITS) return UINT32_MAX;
    x.now.mask = 1;
    while (x.now.mask < 2 * states_max) x.now.mask = 2 * x.now.mask + 1;
    x.next.mask = x.now.mask;
    x.now.slots = malloc((size_t)(x.now.mask + 1) * sizeof x.now.slots[0]);
    x.next.slots = malloc((size_t)(x.next.mask + 1) * sizeof x.next.slots[0]);
    if (!x.now.slots || !x.next.slots) abort();
    find_dropped(&x);
    least = search(&x);
    free(x.now.slots);
    free(x.next.slots);
    return least;
}
