/*
 * wave_front.c -- see wave_front.h. A diagonal is one list of states, each with its k and s; there
 * are no arrays of cells. The states with the best estimates are kept: at most `width` for each
 * cell, and at most twice that number in all. The estimate is the price so far plus an estimate of
 * the price that will be added. The added price consists of the lateness and flow of the other
 * items if they start at the clock, and of the makespan. The makespan follows from the remaining
 * work and from the capacity wasted so far. Seven of eight passes keep only one state per cell.
 * List scheduling in one order costs little, and trying many orders finds better plans than keeping
 * many states of one order (docs/pack-design.md has the figures).
 *
 * A state can defer a ready item that would fit, which departs from the order. A path defers at
 * most DEFERRALS_MAX items.
 */
#include "pack/wave/wave_front.h"

#include <string.h>

#include "base/binary_heap.h"
#include "base/hash.h"
#include "pack/cost/cost.h"
#include "pack/timed/time_insert.h"
#include "pack/wave/wave_order.h"
#include "pack/wave/wave_trail.h"

enum {
    FRONT_PASSES = 4096,
    FRONT_BRANCH_MAX = 32,
    FRONT_WIDTH_MAX = 1024,
    DEFERRALS_MAX = 3,
    FUTURES_MAX = 64,
    WIDE_EACH = 8
};
#define FRONT_MEMORY_MAX ((uint64_t)96 << 20)

struct front_state {
    int64_t left_out, estimate;
    int64_t end; /* estimated end of all items if no capacity is wasted from the clock on */
    int64_t clock;
    /* capacity x time that stays empty at this clock because items were deferred */
    int64_t wasted;
    int64_t least_end; /* latest of the earliest possible ends of the deferred items */
    uint64_t signature;
    uint32_t k, s;
    /* index in the order of the next item to decide at this clock */
    uint32_t position;
    uint32_t deferrals;
    uint32_t node;
    /* index of the parent state in its diagonal; decides which of two equal states comes first */
    uint32_t parent;
};

/* A combination of bin, config and first memory slice with which an item can start. */
struct front_way {
    int64_t price, end;
    struct pack_spot spot; /* spot of the item's first task */
};

struct wave_front {
    const struct pack_problem *p;
    struct pack_cost *cost;
    struct wave_order order;
    struct wave_trail trail;
    uint32_t width, branch, n_fixed;
    uint32_t breadth; /* greatest number of states per cell in this pass */
    uint8_t too_big, in_pass;
    uint32_t pass, key, next, n_states, n_children, room;
    uint8_t is_better;
    struct front_state *states;   /* [2 * width] states of the current diagonal */
    struct front_state *children; /* [2 * width * (branch + 2)] successors of these states */
    uint32_t *ranked;
    /* [FUTURES_MAX] hashes (future_of) of the bins that were tried for one item */
    uint64_t *futures;
    uint32_t *ranked_items; /* [n_items] work space of fixed_first */
    struct pack_spot *spots;
    /* [n_items] least work of one task: share of a bin in 2^-10 x microseconds */
    int64_t *item_area;
    int64_t *item_time; /* [n_items] least duration; 0 if the item can run for ever */
    /* capacity of all bins together, in 2^-10 of a bin; 0 if a class is unlimited */
    int64_t bins_area;
};

/* ---- memory ---- */

static uint64_t nodes_for(const struct pack_problem *p, uint64_t width, uint64_t branch) {
    return 4 * (uint64_t)p->n_tasks + 2 * width * (branch + 16) + 16;
}

static uint64_t bytes_for(const struct pack_problem *p, uint64_t width, uint64_t branch) {
    return nodes_for(p, width, branch) * (sizeof(struct trail_node) + 4) +
           2 * width * (branch + 3) * (sizeof(struct front_state) + 4);
}

/* Computes the least work and the least duration of each item (item_area, item_time). */
static void wave_front_measure(struct wave_front *f) {
    const struct pack_problem *p = f->p;
    for (uint32_t i = 0; i < p->n_items; i++) {
        const struct pack_item *it = &p->items[i];
        f->item_time[i] = INT64_MAX;
        f->item_area[i] = INT64_MAX;
        for (uint32_t c = it->first_config; c < it->first_config + it->n_configs; c++) {
            int64_t duration = p->configs[c].duration, share = f->trail.st.share[c];
            if (duration == PACK_FOREVER) duration = 0;
            if (duration < f->item_time[i]) f->item_time[i] = duration;
            int64_t area =
                duration > (INT64_MAX >> 24) / (share + 1) ? INT64_MAX >> 24 : duration * share;
            if (area < f->item_area[i]) f->item_area[i] = area;
        }
        f->n_fixed += it->ready == it->latest || it->is_pinned;
    }
    f->bins_area = (int64_t)p->n_bins << TIME_SHARE_BITS;
    for (uint32_t c = 0; c < p->n_classes; c++)
        if (p->classes[c].is_unlimited) f->bins_area = 0;
}

struct wave_front *wave_front_new(const struct pack_problem *p, uint32_t width, uint32_t branch,
                                  uint64_t seed, struct pack_cost *cost, struct pack_arena *arena) {
    struct wave_front dry = {0};
    struct wave_front *taken = pack_take(arena, 1, sizeof *taken), *f = taken ? taken : &dry;
    f->p = p;
    f->cost = cost;
    f->width = width > FRONT_WIDTH_MAX ? FRONT_WIDTH_MAX : width;
    f->branch = branch > FRONT_BRANCH_MAX ? FRONT_BRANCH_MAX : branch;
    while (f->width > 1 && bytes_for(p, f->width, f->branch) > FRONT_MEMORY_MAX) f->width /= 2;
    f->too_big = bytes_for(p, f->width, f->branch) > FRONT_MEMORY_MAX;
    if (f->too_big) return taken;
    f->room = 2 * f->width * (f->branch + 2);
    wave_order_new(&f->order, p, seed, arena);
    trail_new(&f->trail, p, nodes_for(p, f->width, f->branch), arena);
    f->states = pack_take(arena, 2 * (uint64_t)f->width, sizeof *f->states);
    f->children = pack_take(arena, f->room, sizeof *f->children);
    f->ranked = pack_take(arena, f->room, sizeof *f->ranked);
    f->futures = pack_take(arena, FUTURES_MAX, sizeof *f->futures);
    f->ranked_items = pack_take(arena, p->n_items, sizeof *f->ranked_items);
    f->spots = pack_take(arena, p->n_tasks, sizeof *f->spots);
    f->item_area = pack_take(arena, p->n_items, sizeof *f->item_area);
    f->item_time = pack_take(arena, p->n_items, sizeof *f->item_time);
    if (arena->base) wave_front_measure(f);
    return taken;
}

/* ---- estimates and signatures ---- */

static int wave_front_is_fixed(const struct pack_item *it) {
    return it->ready == it->latest || it->is_pinned;
}

static int64_t wave_front_end_of(const struct wave_front *f, uint32_t item) {
    const struct pack_item *it = &f->p->items[item];
    const struct pack_spot *s = &f->trail.st.spots[it->first_task];
    return time_end_of(s->start, f->p->configs[it->first_config + s->config].duration);
}

/* Estimates the price of the plans that continue from the working plan. */
static void estimate(const struct wave_front *f, struct front_state *s) {
    const struct pack_problem *p = f->p;
    const struct time_state *st = &f->trail.st;
    int64_t end = time_last_end(st), work = s->wasted, price = 0;
    int64_t last = end > p->now ? end : p->now;
    if (s->least_end > last) last = s->least_end;
    s->left_out = 0;
    for (uint32_t i = 0; i < p->n_items; i++) {
        const struct pack_item *it = &p->items[i];
        if (st->is_in[i]) {
            int64_t ends = wave_front_end_of(f, i);
            if (ends == INT64_MAX || ends <= s->clock) continue;
            const struct pack_spot *spot = &st->spots[it->first_task];
            int64_t from = spot->start > s->clock ? spot->start : s->clock;
            work += (ends - from) * st->share[it->first_config + spot->config] * it->tasks;
            continue;
        }
        int64_t start = it->ready > s->clock ? it->ready : s->clock;
        if (it->latest < s->clock || (wave_front_is_fixed(it) && s->clock != INT64_MIN)) {
            s->left_out += it->weight * it->tasks;
            continue;
        }
        if (f->item_time[i] == 0) continue;
        int64_t ends = time_end_of(start, f->item_time[i]);
        if (ends > last) last = ends;
        work += f->item_area[i] * it->tasks;
        price = pack_price_add(price, pack_hours_price(ends - it->ready, it->flow_price));
        if (ends > it->deadline)
            price = pack_price_add(price, pack_hours_price(ends - it->deadline, it->late_price));
    }
    int64_t from = s->clock > p->now ? s->clock : p->now;
    s->end = f->bins_area ? from + work / f->bins_area : last;
    if (s->end > last) last = s->end;
    price = pack_price_add(price, time_plan_value(st).price);
    price += pack_hours_price(last - p->now, p->makespan_price) -
             pack_hours_price(end - p->now, p->makespan_price);
    s->estimate = price;
}

/* Returns a hash of the tasks that a bin holds from the clock on, of its class, and of whether the
 * bin is used at all. Bins with equal hashes count as equal. */
static uint64_t future_of(const struct wave_front *f, uint32_t bin, int64_t clock) {
    const struct time_state *st = &f->trail.st;
    uint32_t row = f->p->bin_class[bin];
    const struct pack_class *class = &f->p->classes[row];
    uint64_t future = hash_mix(row, st->is_marked[bin] ? bin + 1u : 0);
    int timed = time_class_is_timed(f->p, class);
    future = hash_mix(future, (uint64_t)(st->n_in[bin] > 0) << 1 |
                                  (timed && bin - class->first_bin < class->on_now));
    uint64_t sum = 0;
    for (uint32_t t = st->first[bin]; t; t = st->after[t - 1]) {
        uint32_t item = st->item_of[t - 1];
        const struct pack_spot *s = &st->spots[t - 1];
        uint32_t config = f->p->items[item].first_config + s->config;
        int64_t end = time_end_of(s->start, f->p->configs[config].duration);
        if (end < clock || (end == clock && !timed)) continue;
        sum += hash_mix(hash_mix(config, (uint64_t)end), (uint64_t)s->start << 8 | s->slice);
    }
    return hash_mix(future, sum);
}

static uint64_t signature_of(const struct wave_front *f, int64_t clock) {
    const struct time_state *st = &f->trail.st;
    uint64_t sum = hash_mix(0x66726F6Eu, (uint64_t)clock);
    for (uint32_t row = 0; row < f->p->n_classes; row++)
        for (uint32_t b = 0; b < st->high[row]; b++)
            if (st->n_in[f->p->classes[row].first_bin + b])
                sum += future_of(f, f->p->classes[row].first_bin + b, clock);
    for (uint32_t i = 0; i < f->p->n_items; i++)
        if (st->is_in[i]) sum += hash_mix(0x696E, i);
    return sum;
}

/* ---- ways to start an item ---- */

static int way_before(const struct front_way *a, const struct front_way *b) {
    return a->price != b->price ? a->price < b->price : a->end < b->end;
}

static uint32_t keep_way(const struct wave_front *f, struct front_way *ways, uint32_t n,
                         const struct front_way *w) {
    uint32_t at = n;
    if (n == f->branch) {
        if (!way_before(w, &ways[n - 1])) return n;
        at = n - 1;
    } else {
        n++;
    }
    for (; at > 0 && way_before(w, &ways[at - 1]); at--) ways[at] = ways[at - 1];
    ways[at] = *w;
    return n;
}

/* True if a bin with the same future_of was already tried for the item; otherwise stores the hash
 * of this bin. */
static int was_tried(struct wave_front *f, uint32_t bin, int64_t clock, uint32_t *n) {
    uint64_t future = future_of(f, bin, clock);
    for (uint32_t i = 0; i < *n; i++)
        if (f->futures[i] == future) return 1;
    if (*n < FUTURES_MAX) f->futures[(*n)++] = future;
    return 0;
}

static uint32_t ways_in_bin(struct wave_front *f, uint32_t item, uint32_t config, uint32_t bin,
                            int64_t start, struct front_way *ways, uint32_t n) {
    const struct pack_item *it = &f->p->items[item];
    struct time_state *st = &f->trail.st;
    struct time_need need;
    int64_t starts[8];
    time_need_of(&st->profile, it->first_config + config, f->p->bin_class[bin], &need);
    if (need.shape->n_starts == 0) return n;
    if (time_starts(&st->profile, bin, &need, start, start, 0, starts) != start) return n;
    for (uint32_t k = 0; k < need.shape->n_starts; k++) {
        if (starts[k] != start) continue;
        struct front_way w = {.spot = {.bin = bin,
                                       .config = (uint16_t)config,
                                       .slice = need.shape->starts[k],
                                       .start = start}};
        st->spots[it->first_task] = w.spot;
        time_put(st, item);
        w.price = time_plan_value(st).price;
        w.end = time_end_of(start, need.config->duration);
        time_take(st, item);
        n = keep_way(f, ways, n, &w);
    }
    return n;
}

static uint32_t ways_of_task(struct wave_front *f, struct pack_meter *m, uint32_t item,
                             int64_t start, struct front_way *ways) {
    const struct pack_problem *p = f->p;
    const struct pack_item *it = &p->items[item];
    uint32_t n = 0, n_futures = 0;
    for (uint32_t row = 0; row < p->n_classes; row++) {
        const struct pack_class *class = &p->classes[row];
        if (!pack_allows(it, row)) continue;
        for (uint32_t b = 0; b < class->n_bins; b++) {
            uint32_t bin = class->first_bin + b;
            m->done += b & 1;
            if (b > f->trail.st.high[row] + class->on_now + 1) break;
            int is_now = it->now && it->now[0] == bin;
            if (!is_now && was_tried(f, bin, start, &n_futures)) continue;
            for (uint32_t c = 0; c < it->n_configs; c++) {
                n = ways_in_bin(f, item, c, bin, start, ways, n);
                m->done += 2;
            }
        }
    }
    return n;
}

/* Finds the best combinations with which the item can start at this instant, and returns their
 * number. For a gang or a pinned item, it finds at most one. */
static uint32_t ways_of(struct wave_front *f, struct pack_meter *m, uint32_t item, int64_t start,
                        struct front_way *ways) {
    const struct pack_item *it = &f->p->items[item];
    struct time_state *st = &f->trail.st;
    if (it->tasks == 1 && !it->is_pinned) return ways_of_task(f, m, item, start, ways);
    struct time_rule rule = {.second = TIME_BY_END, .not_before = start};
    m->done += (uint64_t)it->tasks * 16;
    if (!time_choose(st, item, &rule)) return 0;
    ways[0] = (struct front_way){.spot = st->spots[it->first_task]};
    return ways[0].spot.start == start;
}

/* ---- children ---- */

static void wave_front_collect(struct wave_front *f) {
    for (uint32_t i = 0; i < f->n_states; i++) trail_mark(&f->trail, f->states[i].node);
    for (uint32_t i = 0; i < f->n_children; i++) trail_mark(&f->trail, f->children[i].node);
    trail_sweep(&f->trail);
}

static void add_child(struct wave_front *f, const struct pack_best *best, struct pack_meter *m,
                      const struct front_state *c) {
    struct pack_value least = {c->left_out, c->estimate};
    m->states++;
    if (pack_best_meets(best, least)) {
        m->pruned++;
        return;
    }
    f->children[f->n_children++] = *c;
}

/* Adds a child state for each of these combinations with which the item can start. The working plan
 * must be the plan of `s`, and is so again after the call. */
static void wave_front_start_item(struct wave_front *f, const struct pack_best *best,
                                  struct pack_meter *m, const struct front_state *s, uint32_t item,
                                  const struct front_way *ways, uint32_t n) {
    const struct pack_item *it = &f->p->items[item];
    struct time_state *st = &f->trail.st;
    for (uint32_t w = 0; w < n; w++) {
        struct front_state c = *s;
        if (it->tasks == 1) st->spots[it->first_task] = ways[w].spot;
        if (f->trail.n_free < it->tasks) wave_front_collect(f);
        c.node = trail_add(&f->trail, s->node, item);
        if (c.node == TRAIL_NONE) return;
        time_put(st, item);
        c.k++;
        estimate(f, &c);
        c.signature = signature_of(f, c.clock);
        time_take(st, item);
        m->done += f->p->n_items / 8 + 2;
        add_child(f, best, m, &c);
    }
}

/* Returns the instant of the next event after the clock (see wave_front.h); INT64_MAX if there is
 * none. */
static int64_t next_event(const struct wave_front *f, int64_t clock) {
    const struct pack_problem *p = f->p;
    const struct time_state *st = &f->trail.st;
    int64_t next = INT64_MAX;
    for (uint32_t i = 0; i < p->n_items; i++) {
        int64_t at = st->is_in[i] ? wave_front_end_of(f, i) : p->items[i].ready;
        if (at > clock && at < next) next = at;
    }
    for (uint32_t b = 0; b < p->n_blocks; b++)
        if (p->blocks[b].to > clock && p->blocks[b].to < next) next = p->blocks[b].to;
    for (uint32_t s = 0; p->has_profiles && s <= p->n_slots; s++)
        if (p->slot[s] > clock && p->slot[s] < next) next = p->slot[s];
    return next;
}

/* Offers the working plan; the items that are not in it are left out. */
static void wave_front_offer(struct wave_front *f, struct pack_best *best, struct pack_meter *m) {
    const struct pack_problem *p = f->p;
    const struct time_state *st = &f->trail.st;
    struct pack_value value;
    uint32_t bad;
    for (uint32_t t = 0; t < p->n_tasks; t++) {
        f->spots[t] = st->spots[t];
        if (!st->is_in[st->item_of[t]]) f->spots[t] = (struct pack_spot){.bin = PACK_NO_BIN};
    }
    m->done += p->n_tasks;
    if (pack_value_of(f->cost, f->spots, &value, &bad, NULL) == 0 &&
        pack_best_offer(best, p, f->spots, value, LSCHED_PACK_METHOD_DP))
        f->is_better = 1;
}

/* Places the next item with a fixed start. All items with a fixed start are placed before the clock
 * runs. */
static void expand_fixed(struct wave_front *f, const struct pack_best *best, struct pack_meter *m,
                         struct front_state *s) {
    struct front_way ways[FRONT_BRANCH_MAX];
    uint32_t item = f->order.order[s->position++];
    uint32_t n = ways_of(f, m, item, f->p->items[item].ready, ways);
    if (s->position == f->n_fixed) {
        s->clock = f->p->now;
        s->s++;
    }
    if (n > 0) {
        wave_front_start_item(f, best, m, s, item, ways, n);
    } else {
        s->k++;
        add_child(f, best, m, s);
    }
}

static void wave_front_advance(struct wave_front *f, struct pack_best *best, struct pack_meter *m,
                               struct front_state *s) {
    int64_t next = next_event(f, s->clock);
    int waits = 0;
    for (uint32_t i = 0; i < f->p->n_items; i++)
        waits |= !f->trail.st.is_in[i] && !wave_front_is_fixed(&f->p->items[i]) &&
                 f->p->items[i].latest > s->clock;
    m->done += (f->p->n_items + f->p->n_blocks) / 8 + 1;
    if (!waits || next == INT64_MAX) {
        wave_front_offer(f, best, m);
        return;
    }
    s->clock = next;
    s->wasted = s->least_end = 0;
    s->position = f->n_fixed;
    s->s++;
    estimate(f, s);
    s->signature = signature_of(f, next);
    add_child(f, best, m, s);
}

static void defer(struct wave_front *f, const struct pack_best *best, struct pack_meter *m,
                  struct front_state *s, uint32_t item) {
    int64_t next = next_event(f, s->clock);
    if (f->breadth == 1 || s->deferrals == DEFERRALS_MAX || next == INT64_MAX) return;
    m->done += (f->p->n_items + f->p->n_blocks) / 16;
    int64_t empty = next - s->clock;
    if (f->item_time[item] && f->item_time[item] < empty) empty = f->item_time[item];
    int64_t share = f->item_time[item] ? f->item_area[item] / f->item_time[item] : 0;
    s->deferrals++;
    s->s++;
    s->wasted += empty * share;
    if (f->item_time[item] && next + f->item_time[item] > s->least_end)
        s->least_end = next + f->item_time[item];
    estimate(f, s);
    s->signature = hash_mix(s->signature, item);
    add_child(f, best, m, s);
}

static void wave_front_expand(struct wave_front *f, struct pack_best *best, struct pack_meter *m) {
    struct front_way ways[FRONT_BRANCH_MAX];
    uint64_t moved = f->trail.moved;
    struct front_state s = f->states[f->next];
    s.parent = f->next++;
    trail_move(&f->trail, s.node);
    m->done += f->trail.moved - moved + 1;
    if (s.clock == INT64_MIN) {
        expand_fixed(f, best, m, &s);
        return;
    }
    while (s.position < f->p->n_items) {
        uint32_t item = f->order.order[s.position++];
        const struct pack_item *it = &f->p->items[item];
        if (f->trail.st.is_in[item] || wave_front_is_fixed(it) || it->ready > s.clock ||
            it->latest < s.clock)
            continue;
        uint32_t n = ways_of(f, m, item, s.clock, ways);
        if (n == 0) continue;
        wave_front_start_item(f, best, m, &s, item, ways, n);
        defer(f, best, m, &s, item);
        return;
    }
    wave_front_advance(f, best, m, &s);
}

/* ---- diagonals ---- */

static int state_before(const struct front_state *a, const struct front_state *b) {
    if (a->left_out != b->left_out) return a->left_out < b->left_out;
    if (a->estimate != b->estimate) return a->estimate < b->estimate;
    if (a->end != b->end) return a->end < b->end;
    if (a->k != b->k) return a->k > b->k;
    return a->parent < b->parent;
}

static int ranked_before(const struct wave_front *f, uint32_t a, uint32_t b) {
    const struct front_state *x = &f->children[a], *y = &f->children[b];
    if (state_before(x, y)) return 1;
    return state_before(y, x) ? 0 : a < b;
}

HEAP_DEFINE(ranked, uint32_t, const struct wave_front *, ranked_before, HEAP_NO_INDEX)

static void close_diagonal(struct wave_front *f, struct pack_meter *m) {
    uint32_t n = f->n_children, made = 0, most = f->breadth == 1 ? 1 : 2 * f->breadth;
    for (uint32_t i = 0; i < n; i++) f->ranked[i] = i;
    ranked_make(f, f->ranked, n);
    while (n > 0 && made < most) {
        const struct front_state *c = &f->children[ranked_take(f, f->ranked, &n)];
        uint32_t of_cell = 0, same = 0;
        for (uint32_t i = 0; i < made; i++) {
            int in_cell = f->states[i].k == c->k && f->states[i].s == c->s;
            of_cell += (uint32_t)in_cell;
            same += in_cell && f->states[i].signature == c->signature;
        }
        if (same || of_cell == f->breadth) {
            m->pruned++;
            continue;
        }
        f->states[made++] = *c;
    }
    m->done += f->n_children / 4 + 1;
    f->n_states = made;
    f->n_children = f->next = 0;
}

/* ---- passes ---- */

/* Moves the items with a fixed start to the front of the order. Otherwise the order of the pass
 * stays. */
static void fixed_first(struct wave_front *f) {
    uint32_t n = 0;
    for (uint32_t part = 0; part < 2; part++)
        for (uint32_t i = 0; i < f->p->n_items; i++) {
            uint32_t item = f->order.order[i];
            if (wave_front_is_fixed(&f->p->items[item]) == !part) f->ranked_items[n++] = item;
        }
    memcpy(f->order.order, f->ranked_items, n * sizeof(uint32_t));
}

static void wave_front_begin_pass(struct wave_front *f) {
    f->key = wave_order_make(&f->order, f->pass);
    f->breadth = f->pass % WIDE_EACH == WIDE_EACH - 1 ? f->width : 1;
    fixed_first(f);
    trail_clear(&f->trail);
    f->states[0] =
        (struct front_state){.node = TRAIL_ROOT, .clock = f->n_fixed ? INT64_MIN : f->p->now};
    f->n_states = 1;
    f->n_children = f->next = 0;
    f->in_pass = 1;
    f->is_better = 0;
}

int wave_front_run(struct wave_front *f, struct pack_best *best, struct pack_meter *m,
                   const struct pack_value *bound) {
    if (f->too_big || f->p->n_items == 0) return PACK_DONE;
    while (f->pass < FRONT_PASSES && !(bound && pack_best_meets(best, *bound))) {
        if (pack_meter_spent(m)) return PACK_MORE;
        if (!f->in_pass) {
            wave_front_begin_pass(f);
            m->done += f->p->n_items + f->p->n_bins;
        } else if (f->n_states == 0) {
            if (f->is_better) f->order.best_key = f->key;
            f->in_pass = 0;
            f->pass++;
        } else {
            wave_front_expand(f, best, m);
            if (f->next == f->n_states) close_diagonal(f, m);
        }
    }
    return PACK_DONE;
}
