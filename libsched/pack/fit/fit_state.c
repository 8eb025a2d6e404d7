/*
 * fit_state.c -- see fit_state.h: memory, checks, and prices by difference.
 */
#include "pack/fit/fit_state.h"

#include <string.h>

#include "pack/cost/cost.h"
#include "pack/cost/cost_loss.h"
#include "pack/fit/fit_loads.h"

/* ---- memory ---- */

static void find_resources(struct fit *f) {
    const struct pack_problem *p = f->p;
    for (uint32_t r = 0; r < p->n_resources; r++)
        if (p->resources[r].soft)
            f->soft[f->n_soft++] = (uint8_t)r;
        else
            f->hard[f->n_hard++] = (uint8_t)r;
}

static void find_prices(struct fit *f) {
    const struct pack_problem *p = f->p;
    f->is_plain = 1;
    for (uint32_t c = 0; c < p->n_classes; c++)
        if (p->classes[c].on_price || p->classes[c].switch_price) f->has_rates = 1;
    for (uint32_t r = 0; r < p->n_resources; r++)
        if (p->resources[r].soft && p->resources[r].overload_price) f->is_plain = 0;
    for (uint32_t i = 0; i < p->n_items; i++)
        if (p->items[i].now && p->items[i].move_price) f->is_plain = 0;
    if (f->has_rates) f->is_plain = 0;
    f->all_cells = f->has_rates || f->n_soft > 0;
    f->n_columns = f->all_cells ? p->n_cells : p->n_check;
    /* the row ends at least one group after the last column */
    f->stride = (f->n_columns / FIT_GROUP + 2) * FIT_GROUP;
}

/* Returns an upper bound of the number of items that run at once in any column. It counts items for
 * stretches of columns instead of single columns. */
static uint32_t most_at_once(const struct fit *f) {
    enum { STRETCHES = 1024 };
    uint32_t begins[STRETCHES + 1] = {0}, ends[STRETCHES + 1] = {0}, most = 1, n = 0;
    uint32_t width = f->n_columns / STRETCHES + 1;
    for (uint32_t i = 0; i < f->p->n_items; i++) {
        const struct pack_item *item = &f->p->items[i];
        uint32_t low = f->all_cells ? item->first_cell : item->first_check;
        uint32_t high = f->all_cells ? item->end_cell : item->end_check;
        if (low >= high) continue;
        begins[low / width]++;
        ends[(high - 1) / width + 1]++;
    }
    for (uint32_t s = 0; s <= STRETCHES; s++) {
        n += begins[s] - ends[s];
        if (n > most) most = n;
    }
    return most;
}

/* Returns an upper bound of the number of special bins (fit_state.h). Bins that are on at the
 * beginning are not counted. */
static uint32_t most_special(const struct pack_problem *p) {
    uint32_t n = p->n_blocks;
    for (uint32_t i = 0; i < p->n_items; i++) n += p->items[i].now != NULL;
    return n;
}

/* Returns the number of bins of the class that can be listed at once. The number suffices for a
 * plan that takes items in the order of their starts and uses a bin in which no item runs any more
 * before a new bin. Such a plan never needs more bins of a class than items run at once. */
static uint32_t fit_state_rows_of_class(const struct fit *f, uint32_t class_row) {
    const struct pack_class *k = &f->p->classes[class_row];
    uint64_t n = (uint64_t)f->at_once + f->most_special + k->on_now;
    return n < k->n_bins ? (uint32_t)n : k->n_bins;
}

static void find_rows(struct fit *f) {
    f->at_once = most_at_once(f);
    f->most_special = most_special(f->p);
    f->n_rows = 1;
    for (uint32_t c = 0; c < f->p->n_classes; c++) f->n_rows += fit_state_rows_of_class(f, c);
}

static void take_memory(struct fit *f, struct pack_arena *a) {
    const struct pack_problem *p = f->p;
    uint64_t n = p->n_items, bins = p->n_bins, rows = f->n_rows;
    f->cost = pack_cost_new(p, a);
    f->spots = pack_take(a, n, sizeof *f->spots);
    f->items = pack_take(a, n, sizeof *f->items);
    f->bins = pack_take(a, bins, sizeof *f->bins);
    f->row_of = pack_take(a, bins, sizeof *f->row_of);
    f->rows = pack_take(a, rows, sizeof *f->rows);
    f->class_rows = pack_take(a, p->n_classes, sizeof *f->class_rows);
    f->loads = pack_take(a, rows * f->n_hard * f->stride, sizeof *f->loads);
    f->hot = pack_take(a, p->has_profiles ? n * f->n_hard * FIT_HOT : 0, sizeof *f->hot);
    f->peaks = pack_take(a, rows * f->n_hard, sizeof *f->peaks);
    f->planes = pack_take(a, rows * f->n_soft * f->n_columns, sizeof *f->planes);
    f->overloads = pack_take(a, rows * f->n_soft, sizeof *f->overloads);
    f->counts = pack_take(a, f->has_rates ? rows * f->n_columns : 0, sizeof *f->counts);
    f->factor = pack_take(a, (uint64_t)p->n_classes * f->n_hard, sizeof *f->factor);
    f->empty = pack_take(a, p->n_classes, sizeof *f->empty);
    f->listed = pack_take(a, bins, sizeof *f->listed);
    f->pool = pack_take(a, n, sizeof *f->pool);
    f->order = pack_take(a, n, sizeof *f->order);
    f->spare = pack_take(a, n, sizeof *f->spare);
    f->undo_items = pack_take(a, n, sizeof *f->undo_items);
    f->undo_bins = pack_take(a, n, sizeof *f->undo_bins);
    f->keys = pack_take(a, n, sizeof *f->keys);
}

static int64_t greatest_capacity(const struct pack_problem *p, uint32_t r) {
    int64_t most = 0;
    for (uint32_t c = 0; c < p->n_classes; c++)
        if (p->classes[c].capacity[r] > most) most = p->classes[c].capacity[r];
    return most;
}

/* Computes the peak of the item's demand of resource r, and the sum of this demand over the item's
 * columns. */
static void fit_state_measure(const struct fit_item *it, uint32_t r, int64_t *peak, int64_t *sum) {
    uint32_t n = it->high - it->low;
    *peak = it->span ? 0 : it->amounts[r];
    *sum = it->span ? 0 : (int64_t)it->amounts[r] * n;
    for (uint32_t c = 0; it->span && c < n; c++) {
        int32_t v = it->amounts[(uint64_t)r * it->span + c];
        *sum += v;
        if (v > *peak) *peak = v;
    }
}

static int64_t own_price(const struct pack_item *item, const struct pack_config *config) {
    if (config->duration == PACK_FOREVER) return 0;
    int64_t late =
        item->deadline == INT64_MAX ? 0 : item->ready + config->duration - item->deadline;
    return pack_price_add(pack_hours_price(late, item->late_price),
                          pack_hours_price(config->duration, item->flow_price));
}

static void fit_state_make_item(struct fit *f, uint32_t i) {
    const struct pack_problem *p = f->p;
    const struct pack_item *item = &p->items[i];
    const struct pack_config *config = &p->configs[item->first_config];
    struct fit_item *it = &f->items[i];
    *it = (struct fit_item){.low = f->all_cells ? item->first_cell : item->first_check,
                            .high = f->all_cells ? item->end_cell : item->end_check,
                            .bin = FIT_NONE,
                            .span = config->is_profile ? config->n_span : 0,
                            .now = item->now ? item->now[0] : FIT_NONE,
                            .is_pinned = item->is_pinned,
                            .amounts = p->amounts + config->amounts,
                            .price = own_price(item, config)};
    if (config->sigmas != PACK_NO_SIGMA) it->sigmas = p->sigmas + config->sigmas;
    for (uint32_t r = 0; r < p->n_resources; r++) {
        int64_t peak, sum, most = greatest_capacity(p, r);
        fit_state_measure(it, r, &peak, &sum);
        if (most == 0) continue;
        it->size += (peak << 20) / most;
        it->area += (int64_t)wide_mul_div((uint64_t)sum, 1u << 20, (uint64_t)most, INT64_MAX >> 4);
    }
}

/* Finds, in each eighth of a profile, the column with the highest demand. Checks at these columns
 * reject most bins that cannot take the item. */
static void make_hot(struct fit *f, uint32_t i) {
    const struct fit_item *it = &f->items[i];
    uint32_t n = it->high - it->low;
    for (uint32_t h = 0; it->span && h < f->n_hard; h++) {
        const int32_t *v = it->amounts + (uint64_t)f->hard[h] * it->span;
        uint32_t *hot = f->hot + ((uint64_t)i * f->n_hard + h) * FIT_HOT;
        for (uint32_t k = 0; n && k < FIT_HOT; k++) {
            uint32_t from = (uint32_t)((uint64_t)n * k / FIT_HOT);
            uint32_t to = (uint32_t)((uint64_t)n * (k + 1) / FIT_HOT);
            hot[k] = from;
            for (uint32_t c = from + 1; c < to; c++)
                if (v[c] > v[hot[k]]) hot[k] = c;
        }
    }
}

static void make_bins(struct fit *f) {
    const struct pack_problem *p = f->p;
    for (uint32_t i = 0; i < p->n_blocks; i++) f->bins[p->blocks[i].bin].is_special = 1;
    for (uint32_t i = 0; i < p->n_items; i++)
        if (f->items[i].now != FIT_NONE) f->bins[f->items[i].now].is_special = 1;
    for (uint32_t c = 0; c < p->n_classes; c++) {
        const struct pack_class *k = &p->classes[c];
        for (uint32_t b = 0; b < k->on_now && b < k->n_bins && f->has_rates; b++) {
            f->bins[k->first_bin + b].is_on_now = 1;
            f->bins[k->first_bin + b].is_special = 1;
        }
        for (uint32_t h = 0; h < f->n_hard; h++) {
            int32_t capacity = k->capacity[f->hard[h]];
            f->factor[c * f->n_hard + h] = capacity ? (1u << 30) / (uint32_t)capacity : 0;
        }
    }
}

struct fit *fit_new(const struct pack_problem *p, const lsched_pack_opts *opts,
                    struct pack_arena *arena) {
    struct fit count = {.p = p}, *f = pack_take(arena, 1, sizeof *f);
    find_resources(&count);
    find_prices(&count);
    find_rows(&count);
    take_memory(&count, arena);
    if (!f) return NULL;
    *f = count;
    f->may_open = 1;
    f->random = (opts->seed + 1) * 0x9E3779B97F4A7C15u;
    if (f->random == 0) f->random = 1;
    for (uint32_t i = 0; i < p->n_items; i++) {
        fit_state_make_item(f, i);
        make_hot(f, i);
    }
    make_bins(f);
    fit_clear(f);
    return f;
}

/* ---- lists ---- */

static void list_bin(struct fit *f, uint32_t b) {
    if (f->bins[b].listed_at != FIT_NONE) return;
    f->class_rows[f->p->bin_class[b]]--;
    f->row_of[b] = f->rows[--f->n_free];
    f->bins[b].listed_at = f->n_listed;
    f->listed[f->n_listed++] = b;
}

static void unlist_bin(struct fit *f, uint32_t b) {
    uint32_t at = f->bins[b].listed_at, last = f->listed[--f->n_listed];
    f->listed[at] = last;
    f->bins[last].listed_at = at;
    f->bins[b].listed_at = FIT_NONE;
    uint32_t c = f->p->bin_class[b];
    f->class_rows[c]++;
    f->rows[f->n_free++] = f->row_of[b];
    f->row_of[b] = 0;
    if (b < f->empty[c]) f->empty[c] = b;
}

static void fit_pool_add(struct fit *f, uint32_t i) {
    f->items[i].pool_at = f->n_pool;
    f->grudges += f->items[i].grudge;
    f->left_out += f->p->items[i].weight;
    f->pool[f->n_pool++] = i;
}

static void pool_remove(struct fit *f, uint32_t i) {
    uint32_t at = f->items[i].pool_at, last = f->pool[--f->n_pool];
    f->grudges -= f->items[i].grudge;
    f->left_out -= f->p->items[i].weight;
    f->pool[at] = last;
    f->items[last].pool_at = at;
    f->items[i].pool_at = FIT_NONE;
}

uint32_t fit_fresh(struct fit *f, uint32_t class_row) {
    const struct pack_class *k = &f->p->classes[class_row];
    if (f->class_rows[class_row] == 0) return FIT_NONE;
    uint32_t b = f->empty[class_row], end = k->first_bin + k->n_bins;
    while (b < end && f->bins[b].listed_at != FIT_NONE) b++;
    f->empty[class_row] = b;
    return b < end ? b : FIT_NONE;
}

/* ---- loads ---- */

static void add_constant(int32_t *row, uint32_t low, uint32_t high, int32_t amount) {
    uint32_t c = low;
    for (; high - c >= FIT_GROUP; c += FIT_GROUP)
        for (uint32_t k = 0; k < FIT_GROUP; k++) row[c + k] += amount;
    for (; c < high; c++) row[c] += amount;
}

static void add_profile(int32_t *row, uint32_t low, uint32_t high, const int32_t *v, int32_t sign) {
    uint32_t n = high - low, c = 0;
    row += low;
    for (; n - c >= FIT_GROUP; c += FIT_GROUP)
        for (uint32_t k = 0; k < FIT_GROUP; k++) row[c + k] += sign * v[c + k];
    for (; c < n; c++) row[c] += sign * v[c];
}

static void add_soft(struct fit *f, const struct fit_item *it, uint32_t b, int sign) {
    for (uint32_t s = 0; s < f->n_soft; s++) {
        struct fit_soft *plane =
            f->planes + ((uint64_t)f->row_of[b] * f->n_soft + s) * f->n_columns;
        uint64_t at = (uint64_t)f->soft[s] * (it->span ? it->span : 1);
        for (uint32_t c = it->low; c < it->high; c++) {
            uint64_t from = at + (it->span ? c - it->low : 0);
            uint64_t sigma = it->sigmas ? (uint64_t)it->sigmas[from] : 0;
            plane[c].mean += sign * (int64_t)it->amounts[from];
            plane[c].var = sign > 0 ? plane[c].var + sigma * sigma : plane[c].var - sigma * sigma;
        }
    }
}

static void add_loads(struct fit *f, const struct fit_item *it, uint32_t b, int sign) {
    for (uint32_t h = 0; h < f->n_hard; h++) {
        int32_t *row = fit_row(f, b, h);
        const int32_t *v = it->amounts + (uint64_t)f->hard[h] * (it->span ? it->span : 1);
        if (it->span)
            add_profile(row, it->low, it->high, v, sign);
        else
            add_constant(row, it->low, it->high, sign * *v);
        f->peaks[(uint64_t)f->row_of[b] * f->n_hard + h] = -1;
    }
    if (f->n_soft) add_soft(f, it, b, sign);
    if (!f->has_rates) return;
    uint32_t *counts = f->counts + (uint64_t)f->row_of[b] * f->n_columns;
    for (uint32_t c = it->low; c < it->high; c++) counts[c] += (uint32_t)sign;
}

/* ---- checks ---- */

static int32_t fit_state_peak_of(struct fit *f, uint32_t b, uint32_t h) {
    int32_t *peak = &f->peaks[(uint64_t)f->row_of[b] * f->n_hard + h];
    if (*peak < 0) {
        *peak = fit_top_constant(fit_row(f, b, h), 0, f->n_columns, INT32_MAX);
        f->work += f->n_columns / 64;
    }
    return *peak;
}

static int soft_fits(const struct fit *f, const struct fit_item *it, uint32_t b) {
    const struct pack_class *k = fit_class(f, b);
    for (uint32_t s = 0; s < f->n_soft; s++) {
        uint32_t z = f->p->resources[f->soft[s]].z_milli;
        int32_t capacity = k->capacity[f->soft[s]];
        const struct fit_soft *plane =
            f->planes + ((uint64_t)f->row_of[b] * f->n_soft + s) * f->n_columns;
        uint64_t at = (uint64_t)f->soft[s] * (it->span ? it->span : 1);
        for (uint32_t c = it->low; c < it->high; c++) {
            uint64_t from = at + (it->span ? c - it->low : 0);
            uint64_t sigma = it->sigmas ? (uint64_t)it->sigmas[from] : 0;
            wide_u128 var = plane[c].var + sigma * sigma;
            if (!pack_soft_fits(plane[c].mean + it->amounts[from],
                                var > UINT64_MAX ? UINT64_MAX : (uint64_t)var, capacity, z))
                return 0;
        }
    }
    return 1;
}

int64_t fit_check(struct fit *f, uint32_t i, uint32_t b) {
    const struct fit_item *it = &f->items[i];
    const struct pack_class *k = fit_class(f, b);
    const uint32_t *factor = f->factor + f->p->bin_class[b] * f->n_hard;
    int64_t left = 0, rise = 0;
    f->work++;
    if (f->bins[b].listed_at == FIT_NONE && f->class_rows[f->p->bin_class[b]] == 0)
        return FIT_NO_FIT;
    if ((it->is_pinned && b != it->now) || !fit_is_allowed(f, i, b)) return FIT_NO_FIT;
    for (uint32_t h = 0; h < f->n_hard && it->low < it->high; h++) {
        const int32_t *row = fit_row(f, b, h);
        const int32_t *v = it->amounts + (uint64_t)f->hard[h] * (it->span ? it->span : 1);
        int32_t capacity = k->capacity[f->hard[h]];
        if (it->span > FIT_SHORT && !fit_hot_fits(f, i, h, row + it->low, v, capacity))
            return FIT_NO_FIT;
        f->work += (it->high - it->low) / 64;
        int32_t top = it->span ? fit_top_profile(row, it->low, it->high, v, capacity)
                               : fit_top_constant(row, it->low, it->high, capacity - *v) + *v;
        if (top > capacity) return FIT_NO_FIT;
        if (f->rule == FIT_PEAK) {
            int32_t peak = fit_state_peak_of(f, b, h);
            if (top > peak) rise += (int64_t)(top - peak) * factor[h];
            if (top < peak) top = peak;
        }
        left += (int64_t)(capacity - top) * factor[h];
    }
    if (f->n_soft) {
        f->work += (it->high - it->low) / 4 * f->n_soft;
        if (!soft_fits(f, it, b)) return FIT_NO_FIT;
    }
    if (f->rule == FIT_FULL) return (INT64_MAX >> 1) - f->bins[b].area;
    /* `rise` and `left` are below 2^33; therefore the result fits 64 bits */
    return f->rule == FIT_PEAK ? (rise << 28) + (left >> 5) : left;
}

/* ---- prices ---- */

/* The changes of a bin's on time, number of intervals and overloads if one item is added. They
 * determine the change of its price. */
struct change {
    int64_t on_us;
    int64_t intervals;
    wide_u128 overload[LSCHED_PACK_RESOURCES_MAX];
};

static void change_rates(const struct fit *f, const struct fit_item *it, uint32_t b,
                         struct change *out) {
    const uint32_t *counts = f->counts + (uint64_t)f->row_of[b] * f->n_columns;
    if (it->low == it->high) return;
    uint32_t from = it->low ? it->low - 1 : 0;
    uint32_t to = it->high < f->n_columns ? it->high + 1 : f->n_columns;
    int64_t runs = 0;
    for (uint32_t c = from; c < to; c++) runs += counts[c] && (c == from || !counts[c - 1]);
    out->intervals = 1 - runs;
    for (uint32_t c = it->low; c < it->high; c++)
        if (!counts[c]) out->on_us += f->p->cell[c + 1] - f->p->cell[c];
}

static void change_overload(const struct fit *f, const struct fit_item *it, uint32_t b,
                            struct change *out) {
    for (uint32_t s = 0; s < f->n_soft; s++) {
        uint32_t r = f->soft[s];
        int32_t capacity = fit_class(f, b)->capacity[r];
        const struct fit_soft *plane =
            f->planes + ((uint64_t)f->row_of[b] * f->n_soft + s) * f->n_columns;
        uint64_t at = (uint64_t)r * (it->span ? it->span : 1);
        if (!f->p->resources[r].overload_price) continue;
        for (uint32_t c = it->low; c < it->high; c++) {
            uint64_t from = at + (it->span ? c - it->low : 0);
            uint64_t sigma = it->sigmas ? (uint64_t)it->sigmas[from] : 0;
            wide_u128 var = plane[c].var, more = var + sigma * sigma;
            uint64_t before = pack_overload(
                plane[c].mean, var > UINT64_MAX ? UINT64_MAX : (uint64_t)var, capacity);
            uint64_t after =
                pack_overload(plane[c].mean + it->amounts[from],
                              more > UINT64_MAX ? UINT64_MAX : (uint64_t)more, capacity);
            /* the result of pack_overload can be lower by one for a greater load, because its table
             * is interpolated */
            if (after > before)
                out->overload[s] +=
                    wide_mul(after - before, (uint64_t)(f->p->cell[c + 1] - f->p->cell[c]));
        }
    }
}

static int64_t switch_count(const struct fit_bin *bin, int64_t more) {
    int64_t n = (int64_t)bin->intervals + more - bin->is_on_now;
    return n > 0 ? n : 0;
}

/* A price can be as great as 2^62. Therefore prices are summed in 128 bits, and the price that one
 * item adds is limited so that the sum over all items fits 64 bits. The limited price depends only
 * on the bin with and without the item, so that removing the item subtracts exactly the price that
 * placing the item has added. */
static int64_t cut_price(const struct fit *f, wide_i128 price) {
    int64_t most = PACK_PRICE_MAX / ((int64_t)f->p->n_items + 1);
    return price > most ? most : price < -most ? -most : (int64_t)price;
}

static int64_t price_change(const struct fit *f, uint32_t i, uint32_t b, struct change *out) {
    const struct fit_item *it = &f->items[i];
    const struct fit_bin *bin = &f->bins[b];
    const struct pack_class *k = fit_class(f, b);
    wide_i128 price = (wide_i128)it->price + (bin->first == FIT_NONE ? k->open_price : 0);
    memset(out, 0, sizeof *out);
    if (it->now != FIT_NONE && it->now != b) price += f->p->items[i].move_price;
    if (f->has_rates) {
        change_rates(f, it, b, out);
        price += pack_hours_price(bin->on_us + out->on_us, k->on_price) -
                 pack_hours_price(bin->on_us, k->on_price);
        price +=
            (wide_i128)(switch_count(bin, out->intervals) - switch_count(bin, 0)) * k->switch_price;
    }
    if (f->n_soft) change_overload(f, it, b, out);
    for (uint32_t s = 0; s < f->n_soft; s++) {
        wide_u128 before = f->overloads[(uint64_t)f->row_of[b] * f->n_soft + s];
        int64_t rate = f->p->resources[f->soft[s]].overload_price;
        int32_t capacity = k->capacity[f->soft[s]];
        if (out->overload[s] == 0) continue;
        price += pack_overload_price(before + out->overload[s], capacity, rate) -
                 pack_overload_price(before, capacity, rate);
    }
    return cut_price(f, price);
}

static int64_t open_price(const struct fit *f, uint32_t b) {
    return f->bins[b].first == FIT_NONE ? cut_price(f, fit_class(f, b)->open_price) : 0;
}

int64_t fit_price(struct fit *f, uint32_t i, uint32_t b) {
    struct change change;
    if (f->is_plain) return open_price(f, b);
    f->work += (f->items[i].high - f->items[i].low) / (f->n_soft ? 1 : 16);
    return price_change(f, i, b, &change);
}

/* Adds the price of item i in bin b to the price of the plan (sign 1), or subtracts it (sign -1).
 * Before the call, the loads of the bin must not contain item i. */
static void book(struct fit *f, uint32_t i, uint32_t b, int sign) {
    struct change change;
    struct fit_bin *bin = &f->bins[b];
    if (f->is_plain) {
        f->price += sign * open_price(f, b);
        return;
    }
    int64_t price = price_change(f, i, b, &change);
    bin->on_us += sign * change.on_us;
    bin->intervals = (uint32_t)((int64_t)bin->intervals + sign * change.intervals);
    for (uint32_t s = 0; s < f->n_soft; s++) {
        wide_u128 *overload = &f->overloads[(uint64_t)f->row_of[b] * f->n_soft + s];
        *overload = sign > 0 ? *overload + change.overload[s] : *overload - change.overload[s];
    }
    /* the price to subtract is the price of adding the item to the bin without the item */
    if (sign < 0) price = price_change(f, i, b, &change);
    f->price += sign * price;
}

/* ---- moves ---- */

void fit_put(struct fit *f, uint32_t i, uint32_t b) {
    struct fit_item *it = &f->items[i];
    struct fit_bin *bin = &f->bins[b];
    f->work += 1 + (it->high - it->low) / 64;
    list_bin(f, b);
    book(f, i, b, 1);
    add_loads(f, it, b, 1);
    it->bin = b;
    it->before = FIT_NONE;
    it->next = bin->first;
    if (bin->first != FIT_NONE) f->items[bin->first].before = i;
    bin->first = i;
    bin->n_items++;
    bin->area += it->area;
    pool_remove(f, i);
}

void fit_take(struct fit *f, uint32_t i) {
    struct fit_item *it = &f->items[i];
    uint32_t b = it->bin;
    struct fit_bin *bin = &f->bins[b];
    f->work += 1 + (it->high - it->low) / 64;
    if (it->before != FIT_NONE)
        f->items[it->before].next = it->next;
    else
        bin->first = it->next;
    if (it->next != FIT_NONE) f->items[it->next].before = it->before;
    bin->n_items--;
    bin->area -= it->area;
    add_loads(f, it, b, -1);
    book(f, i, b, -1);
    it->bin = FIT_NONE;
    if (bin->first == FIT_NONE && !bin->is_special) unlist_bin(f, b);
    fit_pool_add(f, i);
}

static void add_block(struct fit *f, const struct pack_block *block) {
    const struct fit_item taken = {.low = f->all_cells ? block->first_cell : block->first_check,
                                   .high = f->all_cells ? block->end_cell : block->end_check,
                                   .amounts = f->p->amounts + block->amounts};
    uint8_t has_rates = f->has_rates;
    f->has_rates = 0; /* a reservation does not turn a bin on */
    add_loads(f, &taken, block->bin, 1);
    f->has_rates = has_rates;
}

void fit_clear(struct fit *f) {
    const struct pack_problem *p = f->p;
    uint64_t rows = f->n_rows;
    memset(f->loads, 0, rows * f->n_hard * f->stride * sizeof *f->loads);
    memset(f->peaks, 0xFF, rows * f->n_hard * sizeof *f->peaks);
    memset(f->planes, 0, rows * f->n_soft * f->n_columns * sizeof *f->planes);
    memset(f->overloads, 0, rows * f->n_soft * sizeof *f->overloads);
    memset(f->counts, 0, f->has_rates ? rows * f->n_columns * sizeof *f->counts : 0);
    f->n_listed = f->n_pool = 0;
    f->price = 0;
    f->grudges = 0;
    f->left_out = 0;
    f->n_free = f->n_rows - 1;
    for (uint32_t x = 0; x < f->n_free; x++) f->rows[x] = f->n_rows - 1 - x;
    for (uint32_t c = 0; c < p->n_classes; c++) {
        f->empty[c] = p->classes[c].first_bin;
        f->class_rows[c] = fit_state_rows_of_class(f, c);
    }
    for (uint32_t b = 0; b < p->n_bins; b++) {
        struct fit_bin *bin = &f->bins[b];
        *bin = (struct fit_bin){.first = FIT_NONE,
                                .listed_at = FIT_NONE,
                                .is_special = bin->is_special,
                                .is_on_now = bin->is_on_now};
        f->row_of[b] = 0;
        if (bin->is_special) list_bin(f, b);
    }
    for (uint32_t i = 0; i < p->n_blocks; i++) add_block(f, &p->blocks[i]);
    for (uint32_t i = 0; i < p->n_items; i++) {
        f->items[i].bin = FIT_NONE;
        fit_pool_add(f, i);
    }
    f->work += p->n_items + p->n_bins;
}
