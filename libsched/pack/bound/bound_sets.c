/*
 * bound_sets.c -- see bound_sets.h. A step takes the last candidate of the deepest list and adds it
 * to the set. Then it makes the next list: the earlier candidates of the same list that still fit.
 * Cost of a step: at most candidates of the list x dimensions.
 */
#include "pack/bound/bound_sets.h"

#include "base/sort.h"

#include <string.h>

enum { AMOUNTS_MOST = 1 << 20, STRIDE = 32 };

void sets_new(struct sets *s, uint32_t candidates, uint32_t cells, uint32_t resources,
              struct pack_arena *arena) {
    uint64_t n = candidates, dims = (uint64_t)cells * resources, words = (n + 63) / 64;
    uint64_t levels = SETS_DEPTH + 1;
    if (n == 0 || n > SETS_CANDIDATES || n * dims > AMOUNTS_MOST) return;
    s->room_n = candidates;
    s->cells = cells;
    s->resources = resources;
    s->dims = (uint32_t)dims;
    s->amount = pack_take(arena, n * dims, sizeof *s->amount);
    s->load = pack_take(arena, levels * dims, sizeof *s->load);
    s->list = pack_take(arena, levels * n, sizeof *s->list);
    s->most = pack_take(arena, levels * n, sizeof *s->most);
    s->left = pack_take(arena, levels, sizeof *s->left);
    s->worth = pack_take(arena, levels, sizeof *s->worth);
    s->chosen = pack_take(arena, SETS_DEPTH, sizeof *s->chosen);
    s->colours = pack_take(arena, n * words, sizeof *s->colours);
    s->colour = pack_take(arena, n, sizeof *s->colour);
    s->found = pack_take(arena, SETS_FOUND * SETS_DEPTH, sizeof *s->found);
}

static int excludes(const struct sets *s, uint32_t i, uint32_t j) {
    return (int)(s->excludes[(uint64_t)i * s->words + j / 64] >> j % 64 & 1);
}

/* True if candidate i fits in addition to this load. The loop stops after the first stretch of
 * dimensions in which the candidate does not fit. */
static int bound_sets_fits(const struct sets *s, const int32_t *load, uint32_t i, uint64_t *work) {
    const int32_t *a = s->amount + (uint64_t)i * s->dims;
    for (uint32_t r = 0; r < s->resources; r++) {
        int32_t capacity = s->capacity[r];
        for (uint32_t c = r * s->cells, end = c + s->cells; c < end;) {
            uint32_t stop = c + STRIDE < end ? c + STRIDE : end;
            int over = 0;
            for (; c < stop; c++) over |= load[c] + a[c] > capacity;
            ++*work;
            if (over) return 0;
        }
    }
    return 1;
}

/* True if candidate a comes before candidate b: the greater value first, then the lower index. */
static int is_dearer(const struct sets *s, uint16_t a, uint16_t b) {
    return s->value[a] != s->value[b] ? s->value[a] > s->value[b] : a < b;
}

SORT_STABLE(sort_list, uint16_t, const struct sets *, is_dearer)

/* Divides the n candidates of a depth into colours and sorts the list by colour. Writes to `most`,
 * for each position, the sum of the greatest values of the colours up to this position. */
static void colour_list(struct sets *s, uint32_t depth, uint32_t n, uint64_t *work) {
    uint16_t *list = s->list + (uint64_t)depth * s->room_n, by_colour[SETS_CANDIDATES];
    int64_t *most = s->most + (uint64_t)depth * s->room_n, sum = 0;
    uint32_t n_colours = 0, to = 0;
    sort_list(s, list, by_colour, n);
    for (uint32_t k = 0; k < n; k++) {
        const uint64_t *out = s->excludes + (uint64_t)list[k] * s->words;
        uint32_t c = 0;
        for (; c < n_colours; c++) {
            const uint64_t *members = s->colours + (uint64_t)c * s->words;
            uint64_t beside = 0;
            for (uint32_t w = 0; w < s->words; w++) beside |= members[w] & ~out[w];
            ++*work;
            if (!beside) break;
        }
        uint64_t *members = s->colours + (uint64_t)c * s->words;
        if (c == n_colours) memset(members, 0, s->words * sizeof *members);
        if (c == n_colours) n_colours++;
        members[list[k] / 64] |= UINT64_C(1) << list[k] % 64;
        s->colour[k] = c;
    }
    for (uint32_t c = 0; c < n_colours; c++) {
        int first = 1;
        for (uint32_t k = 0; k < n; k++) {
            if (s->colour[k] != c) continue;
            if (first) sum += s->value[list[k]];
            first = 0;
            by_colour[to] = list[k];
            most[to++] = sum;
        }
        *work += n / 16;
    }
    memcpy(list, by_colour, n * sizeof *list);
    s->left[depth] = n;
}

void sets_start(struct sets *s, int64_t threshold, struct pack_meter *m) {
    uint64_t work = 1;
    uint32_t n = 0;
    s->words = (s->n + 63) / 64;
    s->depth = 0;
    s->best = threshold;
    s->n_found = 0;
    s->worth[0] = 0;
    memset(s->load, 0, s->dims * sizeof *s->load);
    for (uint32_t i = 0; i < s->n; i++)
        if (s->value[i] > 0) s->list[n++] = (uint16_t)i;
    colour_list(s, 0, n, &work);
    m->done += 1 + work / 4;
}

static void keep_found(struct sets *s, uint32_t n) {
    uint32_t at = s->n_found++ % SETS_FOUND;
    memcpy(s->found + (uint64_t)at * SETS_DEPTH, s->chosen, n * sizeof *s->chosen);
    s->found_n[at] = n;
}

int sets_step(struct sets *s, struct pack_meter *m) {
    uint32_t d = s->depth, n = 0;
    uint64_t work = 1;
    uint16_t *list = s->list + (uint64_t)d * s->room_n;
    if (s->left[d] == 0 ||
        s->worth[d] + s->most[(uint64_t)d * s->room_n + s->left[d] - 1] <= s->best) {
        if (d == 0) return 0;
        s->depth--;
        m->done++;
        return 1;
    }
    uint32_t k = --s->left[d], i = list[k];
    const int32_t *a = s->amount + (uint64_t)i * s->dims;
    const int32_t *load = s->load + (uint64_t)d * s->dims;
    int32_t *next = s->load + (uint64_t)(d + 1) * s->dims;
    uint16_t *below = s->list + (uint64_t)(d + 1) * s->room_n;
    s->chosen[d] = (uint16_t)i;
    s->worth[d + 1] = s->worth[d] + s->value[i];
    if (s->worth[d + 1] > s->best) {
        s->best = s->worth[d + 1];
        keep_found(s, d + 1);
    }
    if (d + 1 == SETS_DEPTH) {
        /* The depth is limited. The upper bound of the values of deeper sets is stored as the best
         * value. Therefore `best` is an upper bound also for sets that are not tried. */
        s->best = s->worth[d] + s->most[(uint64_t)d * s->room_n + k];
        m->done++;
        return 1;
    }
    for (uint32_t c = 0; c < s->dims; c++) next[c] = load[c] + a[c];
    for (uint32_t j = 0; j < k; j++)
        if (!excludes(s, i, list[j]) && bound_sets_fits(s, next, list[j], &work))
            below[n++] = list[j];
    colour_list(s, d + 1, n, &work);
    s->depth++;
    m->done += 1 + work / 2 + s->dims / 128;
    m->states++;
    return 1;
}
