/*
 * wave_order.c -- see wave_order.h. The sort is a heap sort on (group, key, index), which is in
 * place and gives a total order.
 */
#include "pack/wave/wave_order.h"

#include "base/sort.h"

enum { UNIT_BITS = 20 };

static int64_t wave_order_size_of(const struct pack_problem *p, const int64_t *most,
                                  uint32_t item) {
    const struct pack_item *it = &p->items[item];
    const struct pack_config *config = &p->configs[it->first_config];
    const int32_t *amounts = pack_amounts(p, it->first_config);
    uint32_t span = config->is_profile ? config->n_span : 1;
    int64_t size = 0;
    for (uint32_t r = 0; r < p->n_resources; r++) {
        int64_t peak = 0;
        for (uint32_t i = 0; i < span; i++)
            if (amounts[(uint64_t)r * span + i] > peak) peak = amounts[(uint64_t)r * span + i];
        size += (peak << UNIT_BITS) / most[r];
    }
    return size;
}

static int64_t length_of(const struct pack_problem *p, uint32_t item) {
    const struct pack_item *it = &p->items[item];
    if (p->kind == PACK_FIXED) return p->cell[it->end_cell] - p->cell[it->first_cell];
    int64_t length = p->configs[it->first_config].duration;
    int64_t most = p->end > p->now ? p->end - p->now : 1;
    return length < most ? length : most;
}

/* Adds an item to the sums of its present bin: the move prices of the bin's items, and their sizes.
 * A bin with a greater sum of move prices is more expensive to empty; among equal sums, the bin
 * with the greater sum of sizes counts as more expensive. */
static void count_home(struct wave_order *o, uint32_t item, uint32_t bin) {
    const int64_t most = (int64_t)1 << 40;
    int64_t price = o->p->items[item].move_price;
    o->home_moves[bin] += price < most ? price : most;
    if (o->home_moves[bin] > most) o->home_moves[bin] = most;
    o->home_load[bin] += o->size[item];
}

void wave_order_new(struct wave_order *o, const struct pack_problem *p, uint64_t seed,
                    struct pack_arena *arena) {
    o->p = p;
    o->seed = seed;
    o->size = pack_take(arena, p->n_items, sizeof *o->size);
    o->length = pack_take(arena, p->n_items, sizeof *o->length);
    o->home_load = pack_take(arena, p->has_now ? p->n_bins : 0, sizeof *o->home_load);
    o->home_moves = pack_take(arena, p->has_now ? p->n_bins : 0, sizeof *o->home_moves);
    o->group = pack_take(arena, p->n_items, sizeof *o->group);
    o->key = pack_take(arena, p->n_items, sizeof *o->key);
    o->order = pack_take(arena, p->n_items, sizeof *o->order);
    if (!arena->base) return;
    int64_t most[LSCHED_PACK_RESOURCES_MAX];
    for (uint32_t r = 0; r < p->n_resources; r++) {
        most[r] = 1;
        for (uint32_t c = 0; c < p->n_classes; c++)
            if (p->classes[c].capacity[r] > most[r]) most[r] = p->classes[c].capacity[r];
    }
    for (uint32_t i = 0; i < p->n_items; i++) {
        o->size[i] = wave_order_size_of(p, most, i);
        o->length[i] = length_of(p, i);
        for (uint32_t t = 0; p->items[i].now && t < p->items[i].tasks; t++)
            count_home(o, i, p->items[i].now[t]);
    }
    o->n_keys = 0;
    if (p->has_now) {
        o->keys[o->n_keys++] = WAVE_BY_HOME;
        o->keys[o->n_keys++] = WAVE_BY_HOME_NEW;
    }
    if (p->kind == PACK_FLEXIBLE) o->keys[o->n_keys++] = WAVE_BY_LENGTH;
    o->keys[o->n_keys++] = WAVE_BY_SIZE;
    o->keys[o->n_keys++] = WAVE_BY_START;
    o->keys[o->n_keys++] = WAVE_BY_AREA;
    o->best_key = o->keys[0];
}

/* Returns a random number by xorshift, and changes the state o->random. */
static uint64_t wave_order_random(struct wave_order *o) {
    uint64_t x = o->random;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return o->random = x;
}

/* ---- the sort ---- */

static int wave_order_before(const struct wave_order *o, uint32_t a, uint32_t b) {
    if (o->group[a] != o->group[b]) return o->group[a] < o->group[b];
    if (o->key[a] != o->key[b]) return o->key[a] < o->key[b];
    return a < b;
}

SORT_IN_PLACE(sort_wave, uint32_t, const struct wave_order *, wave_order_before)

/* ---- keys ---- */

static int64_t plain_key(const struct wave_order *o, uint32_t by, uint32_t item) {
    const struct pack_item *it = &o->p->items[item];
    int64_t length_s = o->length[item] / 1000000 + 1;
    switch (by) {
    case WAVE_BY_START: return it->ready;
    case WAVE_BY_LENGTH: return -length_s;
    case WAVE_BY_AREA:
        return -((o->size[item] + 1) > (INT64_MAX / 4) / length_s ? INT64_MAX / 4
                                                                  : (o->size[item] + 1) * length_s);
    default: return -o->size[item];
    }
}

static int64_t home_group(const struct wave_order *o, uint32_t by, uint32_t item) {
    const struct pack_item *it = &o->p->items[item];
    if (!it->now || it->now[0] >= o->p->n_bins) return by == WAVE_BY_HOME ? 0 : INT64_MIN / 2;
    int64_t load = o->home_load[it->now[0]] >> (UNIT_BITS - 2);
    return -(o->home_moves[it->now[0]] << 20) - ((load < 15 ? load : 15) << 16) -
           (it->now[0] & 0xFFFF); /* the bin's index keeps the items of each bin together */
}

/* Changes a sort key at random: by up to a quarter of its value or, if the key is a start, by up to
 * a sixteenth of the horizon. */
static int64_t disturbed(struct wave_order *o, uint32_t by, int64_t key) {
    uint64_t random = wave_order_random(o) >> 32;
    if (by != WAVE_BY_START)
        return key / 1024 * (int64_t)(768 + random % 512) - (int64_t)(random % 7);
    int64_t horizon = o->p->end > o->p->now ? o->p->end - o->p->now : 16;
    return key + (int64_t)(random % (uint64_t)(horizon / 16 + 1));
}

uint32_t wave_order_make(struct wave_order *o, uint32_t pass) {
    const struct pack_problem *p = o->p;
    int is_plain = pass < (p->has_now ? 2 : o->n_keys);
    uint32_t by = is_plain ? o->keys[pass] : o->best_key;
    if (!is_plain && pass % 4 == 3) by = o->keys[pass / 4 % o->n_keys];
    int is_home = by == WAVE_BY_HOME || by == WAVE_BY_HOME_NEW;
    o->random = (o->seed + pass) * 0x9E3779B97F4A7C15u | 1;
    for (uint32_t i = 0; i < p->n_items; i++) {
        o->group[i] = is_home ? home_group(o, by, i) : 0;
        o->key[i] = plain_key(o, by, i);
        if (!is_plain) o->key[i] = disturbed(o, by, o->key[i]);
        if (p->items[i].is_pinned) o->group[i] = INT64_MIN;
    }
    /* the groups of all items of one bin are changed by the same random factor */
    if (!is_plain && is_home)
        for (uint32_t i = 0; i < p->n_items; i++)
            if (o->group[i] < 0 && o->group[i] > INT64_MIN / 2) {
                uint64_t mix =
                    (o->seed ^ pass) + (uint64_t)p->items[i].now[0] * 0xD6E8FEB86659FD93u;
                mix ^= mix >> 29;
                mix *= 0x9E3779B97F4A7C15u;
                o->group[i] = o->group[i] / 1024 * (int64_t)(768 + (mix >> 40) % 512);
            }
    for (uint32_t i = 0; i < o->p->n_items; i++) o->order[i] = i;
    sort_wave(o, o->order, o->p->n_items);
    return by;
}
