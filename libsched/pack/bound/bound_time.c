/* bound_time.c -- see bound_time.h. */
#include "pack/bound/bound_time.h"

#include <string.h>

#include "model/mig/mig.h"
#include "pack/bound/bound_fixed.h"
#include "pack/cost/cost.h"
#include "base/sort.h"

enum {
    TIMES_MOST = 48,
    ENERGY_TIMES = 12,
    ENERGY_ITEMS = 1024,
    ENERGY_ROUNDS = 12,
    FIXED_POINTS = 8
};
enum { MEASURES_MOST = LSCHED_PACK_RESOURCES_MAX + 4 * (2 + MIG_SLICES) };

struct measure {
    const struct mig_table *table; /* NULL if the measure is a resource */
    uint32_t resource;
    uint32_t weight[MIG_PROFILES_MAX];
    int64_t heaviest; /* capacity of a bin that has this table: the weight of its heaviest layout */
    int64_t capacity; /* capacity of all bins together */
    int64_t largest;  /* greatest capacity of a bin */
    /* price per hour and capacity of the class with the lowest price per unit of capacity */
    int64_t on_price, on_capacity;
};

struct time_bounds {
    const struct pack_problem *p;
    struct measure measures[MEASURES_MOST];
    uint32_t n_measures, at;
    int64_t *shortest; /* [n_items] least duration in microseconds; 0 if all configs run for ever */
    /* [n_items] least width of all tasks of the item together, in the current measure */
    int64_t *width;
    /* [n_items] least width x duration of all tasks of the item together, in the current measure */
    wide_u128 *area;
    uint32_t *order; /* [n_items] items in descending order of their least durations */
    int64_t times[TIMES_MOST];
    uint32_t n_times;
    struct time_bound found;
    /* the energy bound searches for an end in [low, high]; it has proved that no plan ends before
     * `low` */
    int64_t low, high;
    uint32_t rounds;
    uint8_t in_energy;
    int64_t hours_price;
};

/* ---- measures ---- */

/* Returns the weight of the heaviest layout of a device. A layout has its instances side by side;
 * each one begins at a slice at which its profile can begin. */
static uint32_t heaviest_cut(const struct mig_table *t, const uint32_t *weight) {
    uint32_t best[MIG_SLICES + 1] = {0};
    for (uint32_t end = 1; end <= t->slices; end++) {
        best[end] = best[end - 1];
        for (uint32_t k = 0; k < t->n_profiles; k++) {
            uint32_t slices = t->profiles[k].slices;
            if (slices > end || !(t->profiles[k].starts >> (end - slices) & 1)) continue;
            uint32_t sum = best[end - slices] + weight[k];
            if (sum > best[end]) best[end] = sum;
        }
    }
    return best[t->slices];
}

static void add_mig_measure(struct time_bounds *t, const struct mig_table *table,
                            const uint32_t *weight) {
    struct measure m = {.table = table};
    if (t->n_measures == MEASURES_MOST) return;
    memcpy(m.weight, weight, sizeof m.weight);
    m.heaviest = heaviest_cut(table, m.weight);
    if (m.heaviest == 0) return;
    for (uint32_t size = table->slices; size > 0; size--)
        for (uint32_t k = 0; k < table->n_profiles; k++)
            while (table->profiles[k].slices == size && m.weight[k] < m.heaviest) {
                m.weight[k]++;
                if (heaviest_cut(table, m.weight) <= m.heaviest) continue;
                m.weight[k]--;
                break;
            }
    for (uint32_t i = 0; i < t->n_measures; i++)
        if (t->measures[i].table == table && t->measures[i].heaviest == m.heaviest &&
            memcmp(t->measures[i].weight, m.weight, sizeof m.weight) == 0)
            return;
    t->measures[t->n_measures++] = m;
}

static void measures_of_table(struct time_bounds *t, const struct mig_table *table) {
    uint32_t memory[MIG_PROFILES_MAX] = {0}, compute[MIG_PROFILES_MAX] = {0};
    for (uint32_t i = 0; i < t->n_measures; i++)
        if (t->measures[i].table == table) return;
    for (uint32_t k = 0; k < table->n_profiles; k++) {
        memory[k] = table->profiles[k].slices;
        compute[k] = table->profiles[k].compute;
    }
    add_mig_measure(t, table, memory);
    add_mig_measure(t, table, compute);
    for (uint32_t size = 1; size <= table->slices; size *= 2) {
        uint32_t count[MIG_PROFILES_MAX] = {0};
        for (uint32_t k = 0; k < table->n_profiles; k++)
            count[k] = table->profiles[k].slices >= size;
        add_mig_measure(t, table, count);
    }
}

static int64_t capacity_in(const struct measure *m, const struct pack_class *k) {
    return !m->table ? k->capacity[m->resource] : k->mig == m->table ? m->heaviest : 0;
}

static void add_up_capacity(const struct pack_problem *p, struct measure *m) {
    m->on_price = -1;
    for (uint32_t c = 0; c < p->n_classes; c++) {
        const struct pack_class *k = &p->classes[c];
        int64_t capacity = capacity_in(m, k);
        if (!capacity || !k->n_bins) continue;
        m->capacity += capacity * k->n_bins;
        if (capacity > m->largest) m->largest = capacity;
        if (m->on_price >= 0 && wide_mul((uint64_t)k->on_price, (uint64_t)m->on_capacity) >=
                                    wide_mul((uint64_t)m->on_price, (uint64_t)capacity))
            continue;
        m->on_price = k->on_price;
        m->on_capacity = capacity;
    }
}

struct time_bounds *time_bounds_new(const struct pack_problem *p, struct pack_arena *arena) {
    struct time_bounds *t = pack_take(arena, 1, sizeof *t);
    int64_t *shortest = pack_take(arena, p->n_items, sizeof *shortest);
    int64_t *width = pack_take(arena, p->n_items, sizeof *width);
    wide_u128 *area = pack_take(arena, p->n_items, sizeof *area);
    uint32_t *order = pack_take(arena, p->n_items, sizeof *order);
    if (!t) return NULL;
    *t = (struct time_bounds){
        .p = p, .shortest = shortest, .width = width, .area = area, .order = order};
    for (uint32_t r = 0; r < p->n_resources; r++)
        if (!p->resources[r].soft || p->resources[r].z_milli)
            t->measures[t->n_measures++] = (struct measure){.resource = r};
    for (uint32_t c = 0; c < p->n_classes; c++)
        if (p->classes[c].mig) measures_of_table(t, p->classes[c].mig);
    for (uint32_t i = 0; i < t->n_measures; i++) add_up_capacity(p, &t->measures[i]);
    return t;
}

/* ---- items ---- */

/* Returns the least width of one task in this config; 0 if the task can run in a bin to which the
 * measure does not apply. */
static int64_t width_of(const struct time_bounds *t, const struct measure *m,
                        const struct pack_item *item, const struct pack_config *config) {
    const struct pack_problem *p = t->p;
    int64_t least = INT64_MAX;
    if (!m->table) {
        const int32_t *a = p->amounts + config->amounts;
        if (!config->is_profile) return a[m->resource];
        a += (uint64_t)m->resource * config->n_span;
        for (uint32_t s = 0; s < config->n_span; s++)
            if (a[s] < least) least = a[s];
        return config->n_span ? least : 0;
    }
    if (config->profile == PACK_NO_SLICE) return 0;
    for (uint32_t c = 0; c < p->n_classes && least > 0; c++) {
        uint32_t number = pack_profile_in(p, c, config->profile);
        if (number == PACK_NO_SLICE || !p->classes[c].n_bins || !pack_allows(item, c)) continue;
        int64_t weight = p->classes[c].mig == m->table ? m->weight[number] : 0;
        if (weight < least) least = weight;
    }
    return least == INT64_MAX ? 0 : least;
}

static void measure_items(struct time_bounds *t, const struct measure *m) {
    const struct pack_problem *p = t->p;
    for (uint32_t i = 0; i < p->n_items; i++) {
        const struct pack_item *item = &p->items[i];
        int64_t least = INT64_MAX;
        int endless = 0;
        t->area[i] = ~(wide_u128)0;
        for (uint32_t c = 0; c < item->n_configs; c++) {
            const struct pack_config *config = &p->configs[item->first_config + c];
            int64_t width = width_of(t, m, item, config) * item->tasks;
            wide_u128 area = wide_mul((uint64_t)width, (uint64_t)config->duration);
            if (config->duration == PACK_FOREVER) endless = 1;
            if (width < least) least = width;
            if (area < t->area[i]) t->area[i] = area;
        }
        t->width[i] = least;
        if (!endless) continue;
        /* the item runs for ever, and can begin after all items that end have ended */
        t->width[i] = 0;
        t->area[i] = 0;
    }
}

/* Computes the least duration of each item, and the bounds that do not depend on bins: the end and
 * the prices of lateness, flow and resizes. */
static void find_shortest(struct time_bounds *t) {
    const struct pack_problem *p = t->p;
    t->found.end = p->now;
    t->found.end_by = LSCHED_PACK_BY_PATH;
    for (uint32_t i = 0; i < p->n_items; i++) {
        const struct pack_item *item = &p->items[i];
        int64_t shortest = PACK_FOREVER, cheapest = PACK_PRICE_MAX;
        uint32_t current = item->now ? item->config_now : 0;
        int endless = 0;
        for (uint32_t c = 0; c < item->n_configs; c++) {
            const struct pack_config *config = &p->configs[item->first_config + c];
            int64_t price = c == current ? 0 : config->resize_price;
            if (config->duration == PACK_FOREVER) {
                endless = 1;
            } else {
                if (config->duration < shortest) shortest = config->duration;
                price = pack_price_add(price, pack_hours_price(config->duration, item->flow_price));
                if (item->deadline != PACK_FOREVER)
                    price = pack_price_add(
                        price, pack_hours_price(item->ready + config->duration - item->deadline,
                                                item->late_price));
            }
            if (price < cheapest) cheapest = price;
        }
        t->found.price = pack_price_add(t->found.price, cheapest);
        t->shortest[i] = shortest == PACK_FOREVER ? 0 : shortest;
        /* an item that can run for ever does not count in the end */
        if (!endless && item->ready + shortest > t->found.end)
            t->found.end = item->ready + shortest;
        if (item->apart && item->tasks > t->found.bins) t->found.bins = item->tasks;
        if (t->found.bins == 0) t->found.bins = 1;
    }
}

static int is_longer(const struct time_bounds *t, uint32_t i, uint32_t j) {
    return t->shortest[i] != t->shortest[j] ? t->shortest[i] > t->shortest[j] : i < j;
}

SORT_IN_PLACE(sort_by_length, uint32_t, const struct time_bounds *, is_longer)

/* Sorts the items by descending least duration. */
static void order_items(struct time_bounds *t) {
    uint32_t n = t->p->n_items;
    for (uint32_t i = 0; i < n; i++) t->order[i] = i;
    sort_by_length(t, t->order, n);
}

/* Chooses the instants from which bounds are computed: p->now and the later ready times of items.
 * If there are many items, only every n-th ready time is used. */
static void find_times(struct time_bounds *t) {
    const struct pack_problem *p = t->p;
    uint32_t every = p->n_items / (TIMES_MOST - 1) + 1;
    t->times[t->n_times++] = p->now;
    for (uint32_t i = 0; i < p->n_items; i += every) {
        int64_t ready = p->items[i].ready;
        uint32_t at = t->n_times;
        while (at > 0 && t->times[at - 1] > ready) at--;
        if (ready <= p->now || (at > 0 && t->times[at - 1] == ready) || t->n_times == TIMES_MOST)
            continue;
        memmove(t->times + at + 1, t->times + at, (t->n_times - at) * sizeof *t->times);
        t->times[at] = ready;
        t->n_times++;
    }
}

/* ---- the bound on the end of the plan ---- */

static void raise_end(struct time_bounds *t, wide_u128 end_after_now, uint32_t by) {
    int64_t room = PACK_FOREVER / 2 - (t->p->now > 0 ? t->p->now : 0);
    if (end_after_now > (wide_u128)room) return;
    int64_t end = t->p->now + (int64_t)end_after_now;
    if (end <= t->found.end) return;
    t->found.end = end;
    t->found.end_by = by;
}

static int bound_time_is_fixed(const struct pack_item *item) {
    return item->ready == item->latest;
}

/* Returns the work that every plan does after `from`: all work of the items that become ready at
 * `from` or later, and the remaining work of items with a fixed start before `from`. */
static wide_u128 work_after(const struct time_bounds *t, int64_t from) {
    const struct pack_problem *p = t->p;
    wide_u128 sum = 0;
    for (uint32_t i = 0; i < p->n_items; i++) {
        const struct pack_item *item = &p->items[i];
        if (item->ready >= from) {
            sum += t->area[i];
        } else if (bound_time_is_fixed(item) && item->ready + t->shortest[i] > from) {
            sum += wide_mul((uint64_t)t->width[i], (uint64_t)(item->ready + t->shortest[i] - from));
        }
    }
    return sum;
}

/* Returns the sum of amount x microseconds that reservations take in [from, to). */
static wide_u128 reserved(const struct time_bounds *t, const struct measure *m, int64_t from,
                          int64_t to) {
    const struct pack_problem *p = t->p;
    wide_u128 sum = 0;
    for (uint32_t b = 0; b < p->n_blocks && !m->table; b++) {
        const struct pack_block *block = &p->blocks[b];
        int64_t first = block->from > from ? block->from : from;
        int64_t last = block->to < to ? block->to : to;
        if (last > first)
            sum += wide_mul((uint64_t)p->amounts[block->amounts + m->resource],
                            (uint64_t)(last - first));
    }
    return sum;
}

static void end_by_work(struct time_bounds *t, const struct measure *m) {
    const struct pack_problem *p = t->p;
    for (uint32_t k = 0; k < t->n_times; k++) {
        int64_t from = t->times[k];
        wide_u128 work = work_after(t, from), capacity = (wide_u128)m->capacity, span = 0;
        if (work == 0) continue;
        for (uint32_t round = 0; round < FIXED_POINTS; round++) {
            wide_u128 longer =
                span > ((wide_u128)1 << 60)
                    ? span
                    : (work + reserved(t, m, from, from + (int64_t)span) + (capacity - 1)) /
                          capacity;
            if (longer <= span) break;
            span = longer;
            if (p->n_blocks == 0) break;
        }
        raise_end(t, span + (uint64_t)(from - p->now), LSCHED_PACK_BY_AREA);
    }
}

/* Raises the proved end by the lanes bound. A lane is one unit of capacity, and an item of width w
 * consists of w pieces, each on a lane of its own. Of k x lanes + 1 pieces, some lane has at least
 * k + 1. Together they take at least as long as the k + 1 shortest of these pieces. Items whose
 * ready time is before p->now do not count. */
static void end_by_lanes(struct time_bounds *t, const struct measure *m) {
    const struct pack_problem *p = t->p;
    int64_t first = PACK_FOREVER, pieces = 0;
    uint32_t n = 0;
    for (uint32_t k = 1; k <= 64; k++) {
        int64_t wanted = (int64_t)k * m->capacity + 1, last;
        while (n < p->n_items && pieces < wanted) {
            uint32_t i = t->order[n++];
            if (p->items[i].ready < p->now) continue;
            pieces += t->width[i];
            if (t->width[i] > 0 && p->items[i].ready < first) first = p->items[i].ready;
        }
        if (pieces < wanted) return;
        /* add up the durations of the k + 1 shortest of these pieces */
        wide_u128 sum = 0;
        int64_t left = k + 1, skip = pieces - wanted;
        for (uint32_t j = n; j-- > 0 && left > 0;) {
            uint32_t i = t->order[j];
            if (p->items[i].ready < p->now) continue;
            last = t->width[i] - skip;
            skip = last < 0 ? -last : 0;
            if (last <= 0) continue;
            int64_t take = last < left ? last : left;
            sum += wide_mul((uint64_t)t->shortest[i], (uint64_t)take);
            left -= take;
        }
        raise_end(t, sum + (uint64_t)(first - p->now), LSCHED_PACK_BY_AREA);
    }
}

/* ---- energy ---- */

/* Returns the least time for which item i runs within [a, b), in microseconds. The item must end by
 * `end`, and start by its latest start. */
static int64_t must_run(const struct time_bounds *t, uint32_t i, int64_t a, int64_t b,
                        int64_t end) {
    const struct pack_item *item = &t->p->items[i];
    int64_t us = t->shortest[i], least = us < b - a ? us : b - a;
    int64_t last = end == PACK_FOREVER ? PACK_FOREVER : end - us;
    if (item->latest < last) last = item->latest;
    if (last < item->ready) last = item->ready;
    /* The item runs longest before a if it starts as early as possible, and longest after b if it
     * starts as late as possible. */
    if (item->ready + us - a < least) least = item->ready + us - a;
    if (last == PACK_FOREVER) return 0;
    if (b - last < least) least = b - last;
    return least > 0 ? least : 0;
}

static wide_u128 energy(const struct time_bounds *t, int64_t a, int64_t b, int64_t end) {
    wide_u128 sum = 0;
    for (uint32_t i = 0; i < t->p->n_items; i++)
        if (t->width[i] > 0)
            sum += wide_mul((uint64_t)t->width[i], (uint64_t)must_run(t, i, a, b, end));
    return sum;
}

/* True if not all items can end by `end`, because the items that must run in some interval need
 * more than its capacity. The intervals begin at the instants of t->times and end at `end` or
 * somewhat earlier. */
static int is_refuted(const struct time_bounds *t, const struct measure *m, int64_t end) {
    uint32_t every = t->n_times / ENERGY_TIMES + 1;
    for (uint32_t k = 0; k < t->n_times; k += every)
        for (uint32_t part = 0; part < ENERGY_TIMES; part++) {
            int64_t a = t->times[k], span = end - a;
            if (span <= 0) continue;
            /* for the first instant, also try the middle of the span, in which items that are
             * longer than half of the span must overlap */
            int64_t cut = span / (2 * ENERGY_TIMES) * part, from = k == 0 ? a + cut : a;
            int64_t b = end - cut;
            if (b <= from) continue;
            wide_u128 room = wide_mul((uint64_t)m->capacity, (uint64_t)(b - from));
            if (energy(t, from, b, end) + reserved(t, m, from, b) > room) return 1;
        }
    return 0;
}

static void bound_time_raise_bins(struct time_bounds *t, const struct measure *m, int64_t a,
                                  int64_t b) {
    if (b <= a) return;
    wide_u128 one = wide_mul((uint64_t)m->largest, (uint64_t)(b - a));
    wide_u128 bins = (energy(t, a, b, PACK_FOREVER) + (one - 1)) / one;
    if (bins > (wide_u128)t->found.bins && bins <= (wide_u128)t->p->n_bins)
        t->found.bins = (uint32_t)bins;
}

/* Raises the proved number of bins. Because of their latest starts, items need energy in certain
 * intervals whatever the end of the plan is. */
static void bins_by_energy(struct time_bounds *t, const struct measure *m) {
    const struct pack_problem *p = t->p;
    uint32_t every = p->n_items / (2 * ENERGY_TIMES) + 1;
    for (uint32_t i = 0; i < p->n_items; i += every) {
        int64_t a = p->items[i].ready > p->now ? p->items[i].ready : p->now;
        bound_time_raise_bins(t, m, a, a + 1);
        for (uint32_t j = 0; j < p->n_items; j += every)
            if (p->items[j].latest != PACK_FOREVER)
                bound_time_raise_bins(t, m, a, p->items[j].latest + t->shortest[j]);
    }
}

/* Makes one step of a bisection between the proved end and an end that could not be refuted.
 * Returns 0 if no step remains. */
static int energy_step(struct time_bounds *t, const struct measure *m) {
    if (t->rounds++ >= ENERGY_ROUNDS || t->low >= t->high) return 0;
    int64_t end = t->low + (t->high - t->low) / 2;
    if (!is_refuted(t, m, end)) {
        t->high = end;
        return 1;
    }
    t->low = end + 1;
    raise_end(t, (wide_u128)(end + 1 - t->p->now), LSCHED_PACK_BY_ENERGY);
    return 1;
}

/* ---- all measures together ---- */

/* Raises the lower bound of the price of hours by the work in a measure. */
static void bound_time_price_hours(struct time_bounds *t, const struct measure *m) {
    if (m->on_price <= 0) return;
    wide_u128 work = work_after(t, t->p->now);
    if (work >> 88) return; /* work x price would not fit 128 bits */
    wide_u128 price = work * (uint64_t)m->on_price / (uint64_t)m->on_capacity / PACK_HOUR_US;
    if (price > (wide_u128)PACK_PRICE_MAX) price = PACK_PRICE_MAX;
    if ((int64_t)price > t->hours_price) t->hours_price = (int64_t)price;
}

static int64_t switch_price(const struct time_bounds *t) {
    const struct pack_problem *p = t->p;
    int64_t least = PACK_PRICE_MAX;
    uint64_t free = 0;
    for (uint32_t c = 0; c < p->n_classes; c++) {
        const struct pack_class *k = &p->classes[c];
        if (k->n_bins && k->switch_price < least) least = k->switch_price;
        free += k->on_now;
    }
    if (t->found.bins <= free || least == PACK_PRICE_MAX) return 0;
    return least * (int64_t)(t->found.bins - free);
}

static void begin_measure(struct time_bounds *t, const struct measure *m,
                          struct pack_meter *meter) {
    measure_items(t, m);
    end_by_work(t, m);
    end_by_lanes(t, m);
    bound_time_price_hours(t, m);
    meter->done += 1 + (uint64_t)t->p->n_items * t->n_times / 8;
    t->low = t->found.end;
    t->high = t->low + (t->low - t->p->now) / 8 + 1;
    t->rounds = 0;
    t->in_energy = 1;
    if (t->p->n_items <= ENERGY_ITEMS) bins_by_energy(t, m);
}

static void bound_time_step(struct time_bounds *t, struct pack_meter *meter) {
    const struct measure *m = &t->measures[t->at];
    if (m->capacity == 0) {
        t->at++;
    } else if (!t->in_energy) {
        begin_measure(t, m, meter);
    } else {
        meter->done += 1 + (uint64_t)t->p->n_items * t->n_times * ENERGY_TIMES / 8;
        if (t->p->n_items <= ENERGY_ITEMS && energy_step(t, m)) return;
        t->in_energy = 0;
        t->at++;
    }
}

int time_bounds_run(struct time_bounds *t, struct time_bound *out, struct pack_meter *meter) {
    const struct pack_problem *p = t->p;
    if (t->n_times == 0) {
        find_shortest(t);
        order_items(t);
        find_times(t);
        meter->done += 1 + p->n_items / 4;
    }
    while (t->at < t->n_measures && !pack_meter_spent(meter)) bound_time_step(t, meter);
    *out = t->found;
    out->price = pack_price_add(out->price, bound_open_price(p, out->bins));
    out->price = pack_price_add(out->price, t->hours_price);
    out->price = pack_price_add(out->price, switch_price(t));
    out->price = pack_price_add(out->price, pack_hours_price(out->end - p->now, p->makespan_price));
    return t->at < t->n_measures ? PACK_MORE : PACK_DONE;
}
