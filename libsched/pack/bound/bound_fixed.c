/* bound_fixed.c -- see bound_fixed.h. */
#include "pack/bound/bound_fixed.h"

#include "pack/bound/bound_dual.h"
#include "pack/cost/cost.h"
#include "base/binary_heap.h"

void fixed_new(struct fixed_bound *f, const struct pack_problem *p, struct pack_arena *arena) {
    f->p = p;
    f->load = pack_take(arena, (uint64_t)p->n_cells + 1, sizeof *f->load);
    f->rate = pack_take(arena, p->n_cells, sizeof *f->rate);
    f->need = pack_take(arena, p->n_cells, sizeof *f->need);
    f->active = pack_take(arena, p->n_cells, sizeof *f->active);
    f->order = pack_take(arena, p->n_items, sizeof *f->order);
    f->top = pack_take(arena, p->n_check, sizeof *f->top);
    f->sizes = pack_take(arena, p->n_items, sizeof *f->sizes);
    for (uint32_t r = 0; r < p->n_resources; r++) {
        f->is_hard[r] = !p->resources[r].soft || p->resources[r].z_milli > 0;
        f->capacity[r] = 0;
        for (uint32_t c = 0; c < p->n_classes; c++)
            if (p->classes[c].n_bins && p->classes[c].capacity[r] > f->capacity[r])
                f->capacity[r] = p->classes[c].capacity[r];
    }
}

/* ---- loads ---- */

static void count_active(struct fixed_bound *f) {
    const struct pack_problem *p = f->p;
    for (uint32_t c = 0; c <= p->n_cells; c++) f->load[c] = 0;
    for (uint32_t i = 0; i < p->n_items; i++) {
        f->load[p->items[i].first_cell]++;
        f->load[p->items[i].end_cell]--;
    }
    int64_t now = 0;
    for (uint32_t c = 0; c < p->n_cells; c++) {
        now += f->load[c];
        f->active[c] = (uint32_t)now;
        f->need[c] = now > 0;
    }
}

static uint64_t sum_loads(struct fixed_bound *f, uint32_t r) {
    const struct pack_problem *p = f->p;
    uint64_t work = p->n_items + p->n_cells;
    for (uint32_t c = 0; c <= p->n_cells; c++) f->load[c] = 0;
    for (uint32_t i = 0; i < p->n_items; i++) {
        const struct pack_item *item = &p->items[i];
        if (!p->configs[item->first_config].is_profile) {
            int32_t amount = bound_amount(p, item, r, item->first_cell);
            f->load[item->first_cell] += amount;
            f->load[item->end_cell] -= amount;
            continue;
        }
        work += item->end_cell - item->first_cell;
        int32_t before = 0;
        for (uint32_t c = item->first_cell; c < item->end_cell; c++) {
            int32_t amount = bound_amount(p, item, r, c);
            f->load[c] += (int64_t)amount - before;
            before = amount;
        }
        f->load[item->end_cell] -= before;
    }
    for (uint32_t c = 1; c < p->n_cells; c++) f->load[c] += f->load[c - 1];
    return work;
}

/* Returns the lowest price of capacity for a load if fractions of bins could be bought. If `hours`
 * is true, the price is the price per hour; else it is the open price. The result is rounded up if
 * `up` is true, else down. */
static int64_t price_of_load(const struct pack_problem *p, uint32_t r, int64_t load, int hours,
                             int up) {
    const struct pack_class *best = NULL;
    int64_t best_price = 0;
    for (uint32_t c = 0; c < p->n_classes; c++) {
        const struct pack_class *k = &p->classes[c];
        int64_t price = hours ? k->on_price : k->open_price;
        if (!k->n_bins || !k->capacity[r]) continue;
        if (best && wide_mul((uint64_t)price, (uint64_t)best->capacity[r]) >=
                        wide_mul((uint64_t)best_price, (uint64_t)k->capacity[r]))
            continue;
        best = k;
        best_price = price;
    }
    if (!best) return 0;
    uint64_t capacity = (uint64_t)best->capacity[r];
    wide_u128 price =
        (wide_mul((uint64_t)load, (uint64_t)best_price) + (up ? capacity - 1 : 0)) / capacity;
    return price < (wide_u128)PACK_PRICE_MAX ? (int64_t)price : PACK_PRICE_MAX;
}

static void raise_needs(struct fixed_bound *f, uint32_t r) {
    const struct pack_problem *p = f->p;
    int64_t capacity = f->capacity[r], peak = 0;
    for (uint32_t c = 0; c < p->n_cells; c++) {
        int64_t load = f->load[c], bins = capacity ? (load + capacity - 1) / capacity : 0;
        if (load > peak) peak = load;
        /* A cell needs no more bins than it has items. The quotient can be greater if an item fits
         * no bin. */
        if (bins > f->active[c]) bins = f->active[c];
        if (bins > f->need[c]) f->need[c] = (uint32_t)bins;
        if (!f->has_rates) continue;
        int64_t rate = price_of_load(p, r, load, 1, 0);
        if (rate > f->rate[c]) f->rate[c] = rate;
    }
    int64_t price = price_of_load(p, r, peak, 0, 1);
    if (price > f->open_price) f->open_price = price;
}

/* ---- weight that must be left out ---- */

struct load_of {
    const struct pack_problem *p;
    uint32_t cell, r;
};

/* True if item i is left out before item j: its weight per amount is lower. */
static int is_cheaper(const struct load_of *of, uint32_t i, uint32_t j) {
    const struct pack_problem *p = of->p;
    const struct pack_item *a = &p->items[i], *b = &p->items[j];
    int order =
        wide_compare_ratios((uint64_t)a->weight, (uint64_t)bound_amount(p, a, of->r, of->cell),
                            (uint64_t)b->weight, (uint64_t)bound_amount(p, b, of->r, of->cell));
    return order ? order < 0 : i < j;
}

HEAP_DEFINE(items, uint32_t, const struct load_of *, is_cheaper, HEAP_NO_INDEX)

/* Returns a lower bound of the weight that must be left out, so that the load of a cell falls by
 * `excess`. The items with the least weight per amount are left out first. Of the last item, only
 * the portion that is needed counts. */
static int64_t weight_over(struct fixed_bound *f, uint32_t cell, uint32_t r, int64_t excess) {
    const struct pack_problem *p = f->p;
    const struct load_of of = {p, cell, r};
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n_items; i++)
        if (p->items[i].first_cell <= cell && cell < p->items[i].end_cell &&
            bound_amount(p, &p->items[i], r, cell) > 0)
            f->order[n++] = i;
    items_make(&of, f->order, n);
    int64_t weight = 0;
    while (n > 0 && excess > 0) {
        const struct pack_item *item = &p->items[f->order[0]];
        int64_t amount = bound_amount(p, item, r, cell);
        if (amount > excess) {
            wide_u128 part = wide_mul((uint64_t)item->weight, (uint64_t)excess);
            weight += (int64_t)((part + (uint64_t)amount - 1) / (uint64_t)amount);
        } else {
            weight += item->weight;
        }
        excess -= amount;
        items_drop(&of, f->order, &n, 0);
    }
    return weight;
}

static void find_left_out(struct fixed_bound *f, uint32_t r) {
    const struct pack_problem *p = f->p;
    int64_t total = 0, worst = 0;
    uint32_t at = 0;
    for (uint32_t c = 0; c < p->n_classes; c++) {
        if (p->classes[c].is_unlimited) return;
        total += (int64_t)p->classes[c].capacity[r] * p->classes[c].n_bins;
    }
    for (uint32_t b = 0; b < p->n_blocks; b++) {
        const struct pack_block *block = &p->blocks[b];
        for (uint32_t c = block->first_cell; c < block->end_cell; c++)
            f->load[c] += p->amounts[block->amounts + r];
    }
    for (uint32_t c = 0; c < p->n_cells; c++)
        if (f->load[c] - total > worst) {
            worst = f->load[c] - total;
            at = c;
        }
    if (worst == 0) return;
    int64_t weight = weight_over(f, at, r, worst);
    if (weight > f->left_out) f->left_out = weight;
}

/* ---- passes ---- */

/* Lists the BOUND_TOP_CELLS cells that need the most bins, in descending order. Among cells with
 * equal needs, the cell with more active items comes first. */
static void order_cells(struct fixed_bound *f) {
    const struct pack_problem *p = f->p;
    uint32_t n = 0;
    for (uint32_t k = 0; k < p->n_check; k++) {
        uint32_t cell = p->check[k], at = n < BOUND_TOP_CELLS ? n++ : n;
        while (at > 0 && (f->need[cell] > f->need[f->top[at - 1]] ||
                          (f->need[cell] == f->need[f->top[at - 1]] &&
                           f->active[cell] > f->active[f->top[at - 1]]))) {
            if (at < n) f->top[at] = f->top[at - 1];
            at--;
        }
        if (at < n) f->top[at] = cell;
    }
    f->n_top = n;
}

void fixed_loads(struct fixed_bound *f, struct pack_meter *m) {
    const struct pack_problem *p = f->p;
    for (uint32_t c = 0; c < p->n_classes; c++)
        if (p->classes[c].on_price) f->has_rates = 1;
    count_active(f);
    for (uint32_t r = 0; r < p->n_resources; r++) {
        if (!f->is_hard[r]) continue;
        m->done += 1 + sum_loads(f, r) / 16;
        raise_needs(f, r);
        find_left_out(f, r);
    }
    for (uint32_t c = 0; c < p->n_cells; c++)
        if (f->need[c] > f->bins) f->bins = f->need[c];
    f->bins_by = LSCHED_PACK_BY_PEAK;
    order_cells(f);
}

static void bound_fixed_look_at(struct fixed_bound *f, uint32_t cell, uint32_t r,
                                struct pack_meter *m) {
    const struct pack_problem *p = f->p;
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n_items; i++) {
        const struct pack_item *item = &p->items[i];
        if (item->first_cell > cell || item->end_cell <= cell) continue;
        int32_t amount = bound_amount(p, item, r, cell);
        if (amount > 0) f->sizes[n++] = amount < f->capacity[r] ? amount : f->capacity[r];
    }
    m->done += 1 + p->n_items / 16 + n / 2;
    dual_sort(f->sizes, n);
    uint32_t bins = dual_bins(f->sizes, n, f->capacity[r], &m->done);
    if (bins > f->need[cell]) f->need[cell] = bins;
    if (bins <= f->bins) return;
    f->bins = bins;
    f->bins_by = LSCHED_PACK_BY_CLIQUE;
}

/* A step computes dual feasible functions for one resource in one cell. The cells in f->top come
 * first, then all cells of p->check. */
int fixed_step(struct fixed_bound *f, struct pack_meter *m) {
    const struct pack_problem *p = f->p;
    if (f->at >= f->n_top + p->n_check) return 0;
    uint32_t cell = f->at < f->n_top ? f->top[f->at] : p->check[f->at - f->n_top];
    /* A cell never needs more bins than it has items. Therefore a cell that does not have more
     * items than f->bins can only raise the price of hours. */
    if (f->is_hard[f->resource] && f->capacity[f->resource] > 0 &&
        (f->active[cell] > f->bins || (f->has_rates && f->active[cell] > f->need[cell])))
        bound_fixed_look_at(f, cell, f->resource, m);
    m->done++;
    if (++f->resource < p->n_resources) return 1;
    f->resource = 0;
    f->at++;
    return 1;
}

/* ---- prices ---- */

int64_t bound_open_price(const struct pack_problem *p, uint32_t bins) {
    int64_t least = PACK_PRICE_MAX, sum = 0, above = -1;
    while (bins > 0) {
        uint64_t count = 0;
        least = PACK_PRICE_MAX;
        for (uint32_t c = 0; c < p->n_classes; c++) {
            const struct pack_class *k = &p->classes[c];
            if (!k->n_bins || k->open_price <= above || k->open_price > least) continue;
            if (k->open_price < least) count = 0;
            least = k->open_price;
            count += k->n_bins;
        }
        if (count == 0) break;
        /* if there are many classes, all remaining bins count with this lowest price */
        uint32_t of_these =
            count < bins && p->n_classes <= BOUND_SORTED_CLASSES ? (uint32_t)count : bins;
        wide_u128 product = wide_mul((uint64_t)least, of_these);
        if (product > (wide_u128)PACK_PRICE_MAX) return PACK_PRICE_MAX;
        sum = pack_price_add(sum, (int64_t)product);
        bins -= of_these;
        above = least;
    }
    return sum;
}

static int64_t price_of_hours(const struct fixed_bound *f) {
    const struct pack_problem *p = f->p;
    int64_t least = PACK_PRICE_MAX;
    for (uint32_t c = 0; c < p->n_classes; c++)
        if (p->classes[c].n_bins && p->classes[c].on_price < least) least = p->classes[c].on_price;
    if (!f->has_rates || p->n_cells == 0) return 0;
    wide_u128 sum = 0;
    for (uint32_t c = 0; c < p->n_cells; c++) {
        int64_t from = p->cell[c] > p->now ? p->cell[c] : p->now;
        int64_t to = p->cell[c + 1] < p->end ? p->cell[c + 1] : p->end;
        wide_u128 rate = wide_mul(f->need[c], (uint64_t)least);
        if (rate < (wide_u128)f->rate[c]) rate = (wide_u128)f->rate[c];
        if (rate > (wide_u128)PACK_PRICE_MAX) rate = PACK_PRICE_MAX;
        if (to > from) sum += rate * (uint64_t)(to - from);
        if (sum > (wide_u128)PACK_PRICE_MAX * PACK_HOUR_US) return PACK_PRICE_MAX;
    }
    return (int64_t)((sum + PACK_HOUR_US - 1) / PACK_HOUR_US);
}

static int64_t price_of_switches(const struct fixed_bound *f) {
    const struct pack_problem *p = f->p;
    int64_t least = PACK_PRICE_MAX;
    uint64_t on = 0, rises = 0, free = 0;
    for (uint32_t c = 0; c < p->n_classes; c++) {
        const struct pack_class *k = &p->classes[c];
        if (k->n_bins && k->switch_price < least) least = k->switch_price;
        free += k->on_now < k->n_bins ? k->on_now : k->n_bins;
    }
    for (uint32_t c = 0; c < p->n_cells; c++) {
        if (on > f->active[c]) on = f->active[c];
        if (on >= f->need[c]) continue;
        rises += f->need[c] - on;
        on = f->need[c];
    }
    if (rises <= free || least == PACK_PRICE_MAX) return 0;
    wide_u128 price = wide_mul(rises - free, (uint64_t)least);
    return price < (wide_u128)PACK_PRICE_MAX ? (int64_t)price : PACK_PRICE_MAX;
}

int64_t fixed_end(const struct pack_problem *p) {
    int64_t end = p->now;
    for (uint32_t i = 0; i < p->n_items; i++) {
        int64_t duration = p->configs[p->items[i].first_config].duration;
        if (duration != PACK_FOREVER && p->items[i].ready + duration > end)
            end = p->items[i].ready + duration;
    }
    return end;
}

int64_t fixed_price(const struct fixed_bound *f, uint32_t bins) {
    const struct pack_problem *p = f->p;
    int64_t price = bound_open_price(p, bins);
    if (f->open_price > price) price = f->open_price;
    if (!p->has_time_prices) return price;
    price = pack_price_add(price, price_of_hours(f));
    price = pack_price_add(price, price_of_switches(f));
    for (uint32_t i = 0; i < p->n_items; i++) {
        const struct pack_item *item = &p->items[i];
        int64_t duration = p->configs[item->first_config].duration;
        if (duration == PACK_FOREVER) continue;
        price = pack_price_add(price, pack_hours_price(duration, item->flow_price));
        if (item->deadline != PACK_FOREVER)
            price = pack_price_add(
                price, pack_hours_price(item->ready + duration - item->deadline, item->late_price));
    }
    return pack_price_add(price, pack_hours_price(fixed_end(p) - p->now, p->makespan_price));
}
