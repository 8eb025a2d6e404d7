/*
 * wave_rows.c -- see wave_rows.h. Rows hold free amounts and not loads; therefore a check is one
 * subtraction and one minimum per cell. The demands of an item are padded with zeros to whole
 * blocks of BLOCK cells. Therefore a check also reads free amounts beyond the item's range. That
 * does no harm, because these amounts already count in the minimum of the row.
 */
#include "pack/wave/wave_rows.h"

#include <string.h>

#include "base/hash.h"
#include "pack/cost/cost.h"
#include "pack/cost/cost_loss.h"

enum { BLOCK = 16 };
#define LEFT_PAD INT32_MAX

static uint32_t positions(const struct pack_problem *p, uint8_t *all_cells) {
    uint8_t all = 0;
    for (uint32_t r = 0; r < p->n_resources; r++)
        if (p->resources[r].soft && p->resources[r].overload_price) all = 1;
    *all_cells = all;
    return all ? p->n_cells : p->n_check;
}

/* Returns the number of elements of a row. A row ends at least one whole block after its last
 * position, because a check reads whole blocks. */
static uint32_t stride_of(uint32_t n_pos) {
    return (n_pos + 2 * BLOCK - 1) / BLOCK * BLOCK;
}

static int needs_sigma(const struct pack_problem *p) {
    for (uint32_t r = 0; r < p->n_resources; r++)
        if (p->resources[r].soft) return 1;
    return 0;
}

static int needs_on(const struct pack_problem *p) {
    for (uint32_t c = 0; c < p->n_classes; c++)
        if (p->classes[c].on_price || p->classes[c].switch_price) return 1;
    return 0;
}

uint64_t wave_rows_bytes(const struct pack_problem *p) {
    uint8_t all;
    uint64_t cells = (uint64_t)stride_of(positions(p, &all)) * p->n_resources;
    return sizeof(struct wave_row) + cells * sizeof(int32_t) + 4 +
           (needs_sigma(p) ? cells * sizeof(uint64_t) : 0) + (needs_on(p) ? p->n_cells : 0);
}

/* Returns the number of versions without items. Equal bins share such a version: one for each
 * class, one more for the bins of the class that are on at the beginning, and one for each bin with
 * a reservation. */
uint32_t wave_rows_bases(const struct pack_problem *p) {
    uint32_t n = 0;
    for (uint32_t c = 0; c < p->n_classes; c++) n += 1u + (p->classes[c].on_now > 0);
    for (uint32_t i = 0; i < p->n_blocks; i++)
        n += i == 0 || p->blocks[i].bin != p->blocks[i - 1].bin;
    return n;
}

static int32_t *wave_rows_left_of(const struct wave_rows *w, uint32_t row, uint32_t r) {
    return w->left + ((uint64_t)row * w->p->n_resources + r) * w->stride;
}
static uint64_t *variance_of(const struct wave_rows *w, uint32_t row, uint32_t r) {
    return w->variance + ((uint64_t)row * w->p->n_resources + r) * w->stride;
}
static uint8_t *on_of(const struct wave_rows *w, uint32_t row) {
    return w->on + (uint64_t)row * w->p->n_cells;
}

static void base_row(struct wave_rows *w, uint32_t row, uint32_t class_row, uint8_t on_now) {
    struct wave_row *v = &w->rows[row];
    const struct pack_class *c = &w->p->classes[class_row];
    *v = (struct wave_row){.base = row, .class_row = class_row, .on_now = on_now};
    for (uint32_t r = 0; r < w->p->n_resources; r++) {
        int32_t *left = wave_rows_left_of(w, row, r);
        for (uint32_t i = 0; i < w->stride; i++) left[i] = i < w->n_pos ? c->capacity[r] : LEFT_PAD;
        v->least_left[r] = c->capacity[r];
    }
    v->signature = hash_mix(0x77617665u, row);
}

/* Subtracts a reservation from the free amounts of row `row`, which is the version without items of
 * the reservation's bin. */
static void wave_rows_reserve(struct wave_rows *w, uint32_t row, const struct pack_block *block) {
    uint32_t from = w->all_cells ? block->first_cell : block->first_check;
    uint32_t end = w->all_cells ? block->end_cell : block->end_check;
    struct wave_row *v = &w->rows[row];
    for (uint32_t r = 0; r < w->p->n_resources; r++) {
        int32_t *left = wave_rows_left_of(w, row, r);
        int32_t amount = w->p->amounts[block->amounts + r];
        for (uint32_t i = from; i < end; i++) {
            left[i] = amount < left[i] ? left[i] - amount : 0;
            if (left[i] < v->least_left[r]) v->least_left[r] = left[i];
        }
    }
}

static void make_bases(struct wave_rows *w) {
    const struct pack_problem *p = w->p;
    uint32_t n = 0;
    for (uint32_t c = 0; c < p->n_classes; c++) {
        const struct pack_class *class = &p->classes[c];
        uint32_t plain = n++, on = class->on_now ? n++ : plain;
        base_row(w, plain, c, 0);
        if (on != plain) base_row(w, on, c, 1);
        for (uint32_t i = 0; i < class->n_bins; i++)
            w->bin_base[class->first_bin + i] = i < class->on_now ? on : plain;
    }
    for (uint32_t i = 0; i < p->n_blocks; i++) {
        uint32_t bin = p->blocks[i].bin;
        if (i == 0 || p->blocks[i - 1].bin != bin) {
            uint32_t old = w->bin_base[bin];
            base_row(w, n, w->rows[old].class_row, w->rows[old].on_now);
            w->bin_base[bin] = n++;
        }
        wave_rows_reserve(w, w->bin_base[bin], &p->blocks[i]);
    }
}

void wave_rows_new(struct wave_rows *w, const struct pack_problem *p, uint64_t room,
                   struct pack_arena *arena) {
    w->p = p;
    w->n_pos = positions(p, &w->all_cells);
    w->stride = stride_of(w->n_pos);
    w->n_bases = wave_rows_bases(p);
    w->room = (uint32_t)room + w->n_bases;
    w->has_sigma = (uint8_t)needs_sigma(p);
    w->has_on = (uint8_t)needs_on(p);
    uint64_t plane = (uint64_t)w->stride * p->n_resources;
    w->rows = pack_take(arena, w->room, sizeof *w->rows);
    w->left = pack_take(arena, w->room * plane, sizeof *w->left);
    w->variance = pack_take(arena, w->has_sigma ? w->room * plane : 0, sizeof *w->variance);
    w->on = pack_take(arena, w->has_on ? w->room * (uint64_t)p->n_cells : 0, 1);
    w->number = pack_take(arena, plane, sizeof *w->number);
    w->scale = pack_take(arena, (uint64_t)p->n_classes * p->n_resources, sizeof *w->scale);
    w->free = pack_take(arena, w->room, sizeof *w->free);
    w->bin_base = pack_take(arena, p->n_bins, sizeof *w->bin_base);
    w->demand = pack_take(arena, plane, sizeof *w->demand);
    w->square = pack_take(arena, w->has_sigma ? plane : 0, sizeof *w->square);
    if (!arena->base) return;
    for (uint64_t i = 0; i < plane; i++) w->number[i] = hash_mix(0x63656C6Cu, i) | 1;
    for (uint32_t c = 0; c < p->n_classes; c++)
        for (uint32_t r = 0; r < p->n_resources; r++) {
            int64_t capacity = p->classes[c].capacity[r];
            w->scale[c * p->n_resources + r] = capacity ? ((int64_t)1 << 40) / capacity : 0;
        }
    make_bases(w);
    wave_rows_clear(w);
}

void wave_rows_clear(struct wave_rows *w) {
    w->n_free = 0;
    for (uint32_t i = w->room; i-- > w->n_bases;) w->free[w->n_free++] = i;
    for (uint32_t i = 0; i < w->room; i++) w->rows[i].stamp = 0;
    w->layer = 0;
    w->sweep = 1;
}

void wave_rows_sweep(struct wave_rows *w) {
    w->n_free = 0;
    for (uint32_t i = w->room; i-- > w->n_bases;)
        if (w->rows[i].mark != w->sweep) w->free[w->n_free++] = i;
    w->sweep++;
}

/* ---- the item of the layer ---- */

/* Returns the demand of the current item at position i of its range: the constant demand, or the
 * profile's demand in the cell of that position. */
static int64_t at_position(const struct wave_rows *w, const int32_t *amounts, uint32_t r,
                           uint32_t i) {
    const struct pack_item *item = &w->p->items[w->item];
    const struct pack_config *config = &w->p->configs[item->first_config];
    if (!config->is_profile) return amounts[r];
    uint32_t cell = w->all_cells ? w->from + i : w->p->check[w->from + i];
    return amounts[(uint64_t)r * config->n_span + (cell - item->first_cell)];
}

static void wave_rows_gather(struct wave_rows *w, uint32_t r) {
    const struct pack_problem *p = w->p;
    const struct pack_config *config = &p->configs[p->items[w->item].first_config];
    int32_t *demand = w->demand + (uint64_t)r * w->stride;
    const uint64_t *number = w->number + (uint64_t)r * w->stride;
    int64_t peak = 0;
    for (uint32_t i = 0; i < w->len; i++) {
        int64_t amount = at_position(w, p->amounts + config->amounts, r, i);
        demand[i] = (int32_t)amount;
        if (amount > peak) peak = amount;
        w->item_signature += (uint64_t)amount * number[w->from + i];
    }
    w->demand_peak[r] = peak;
    for (uint32_t i = w->len; i % BLOCK; i++) demand[i] = 0;
    if (!w->has_sigma) return;
    uint64_t *square = w->square + (uint64_t)r * w->stride;
    for (uint32_t i = 0; i < w->len; i++) {
        int64_t sigma =
            config->sigmas == PACK_NO_SIGMA ? 0 : at_position(w, p->sigmas + config->sigmas, r, i);
        square[i] = (uint64_t)(sigma * sigma);
        w->item_signature -= square[i] * hash_mix(number[w->from + i], 1);
    }
}

void wave_rows_item(struct wave_rows *w, uint32_t item) {
    const struct pack_item *it = &w->p->items[item];
    w->item = item;
    w->from = w->all_cells ? it->first_cell : it->first_check;
    w->len = (w->all_cells ? it->end_cell : it->end_check) - w->from;
    w->item_signature = 0;
    w->layer++;
    for (uint32_t r = 0; r < w->p->n_resources; r++) wave_rows_gather(w, r);
    if (w->has_on)
        for (uint32_t c = it->first_cell; c < it->end_cell; c++)
            w->item_signature -= hash_mix(0x6F6Eu, c);
}

/* Returns the least free amount in the item's cells after the item is placed; a negative number if
 * the item does not fit. */
static int32_t least_after(const int32_t *left, const int32_t *demand, uint32_t len) {
    int32_t least = INT32_MAX;
    for (uint32_t i = 0; i < len && least >= 0; i += BLOCK) {
        int32_t part = INT32_MAX;
        for (uint32_t j = 0; j < BLOCK; j++) {
            int32_t after = left[i + j] - demand[i + j];
            part = after < part ? after : part;
        }
        if (part < least) least = part;
    }
    return least;
}

/* Returns the mean load at position i of the item's range: the capacity less the free amount. */
static int64_t mean_at(const struct wave_rows *w, uint32_t row, uint32_t r, uint32_t i) {
    const struct pack_class *class = &w->p->classes[w->rows[row].class_row];
    return (int64_t) class->capacity[r] - wave_rows_left_of(w, row, r)[w->from + i];
}

static uint64_t plus_square(uint64_t variance, uint64_t square) {
    return square > UINT64_MAX - variance ? UINT64_MAX : variance + square;
}

static int spread_fits(const struct wave_rows *w, uint32_t row, uint32_t r) {
    const uint64_t *variance = variance_of(w, row, r) + w->from;
    const int32_t *demand = w->demand + (uint64_t)r * w->stride;
    const uint64_t *square = w->square + (uint64_t)r * w->stride;
    int32_t capacity = w->p->classes[w->rows[row].class_row].capacity[r];
    for (uint32_t i = 0; i < w->len; i++)
        if (!pack_soft_fits(mean_at(w, row, r, i) + demand[i], plus_square(variance[i], square[i]),
                            capacity, w->p->resources[r].z_milli))
            return 0;
    return 1;
}

/* Returns the sum of overload x microseconds of a resource in the bin after the current item is
 * placed. */
static wide_u128 area_after(const struct wave_rows *w, uint32_t row, uint32_t r) {
    wide_u128 area = w->rows[row].area[r];
    if (!w->all_cells || !w->p->resources[r].soft || !w->p->resources[r].overload_price)
        return area;
    const uint64_t *variance = variance_of(w, row, r) + w->from;
    const int32_t *demand = w->demand + (uint64_t)r * w->stride;
    const uint64_t *square = w->square + (uint64_t)r * w->stride;
    int32_t capacity = w->p->classes[w->rows[row].class_row].capacity[r];
    for (uint32_t i = 0; i < w->len; i++) {
        uint32_t cell = w->from + i;
        uint64_t length = (uint64_t)(w->p->cell[cell + 1] - w->p->cell[cell]);
        int64_t mean = mean_at(w, row, r, i);
        uint64_t old = pack_overload(mean, variance[i], capacity);
        uint64_t now =
            pack_overload(mean + demand[i], plus_square(variance[i], square[i]), capacity);
        if (now > old) area += wide_mul(now - old, length);
    }
    return area;
}

/* Computes the on time of the bin and the number of intervals in which it is on, after the current
 * item is placed. */
static void wave_rows_time_after(const struct wave_rows *w, const struct wave_row *v, uint32_t row,
                                 int64_t *on_us, uint32_t *runs) {
    const struct pack_item *it = &w->p->items[w->item];
    *on_us = v->on_us;
    *runs = v->runs;
    if (!w->has_on) return;
    const uint8_t *on = on_of(w, row);
    uint32_t joined = it->first_cell > 0 && on[it->first_cell - 1];
    for (uint32_t c = it->first_cell; c < it->end_cell; c++) {
        if (!on[c]) *on_us += w->p->cell[c + 1] - w->p->cell[c];
        joined += on[c] && !(c > 0 && on[c - 1]);
    }
    joined += it->end_cell < w->p->n_cells && on[it->end_cell] && !on[it->end_cell - 1];
    *runs = v->runs + 1 - joined;
}

/* Returns the price of the bin after the current item is placed. */
static int64_t price_after(const struct wave_rows *w, uint32_t row) {
    const struct wave_row *v = &w->rows[row];
    const struct pack_class *class = &w->p->classes[v->class_row];
    int64_t on_us;
    uint32_t runs;
    wave_rows_time_after(w, v, row, &on_us, &runs);
    int64_t price = pack_price_add(class->open_price, pack_hours_price(on_us, class->on_price));
    price += class->switch_price * (int64_t)(runs - (v->on_now && runs ? 1 : 0));
    for (uint32_t r = 0; w->all_cells && !w->no_overload && r < w->p->n_resources; r++)
        price = pack_price_add(price, pack_overload_price(area_after(w, row, r), class->capacity[r],
                                                          w->p->resources[r].overload_price));
    return price;
}

static void judge(struct wave_rows *w, uint32_t row) {
    struct wave_row *v = &w->rows[row];
    struct wave_fit *fit = &v->fit;
    const int64_t *scale = w->scale + (uint64_t)v->class_row * w->p->n_resources;
    const struct pack_class *class = &w->p->classes[v->class_row];
    *fit = (struct wave_fit){0};
    for (uint32_t r = 0; r < w->p->n_resources; r++) {
        int soft = w->p->resources[r].soft;
        int free = soft && w->p->resources[r].z_milli == 0 && class->capacity[r] > 0;
        if (!free && w->demand_peak[r] > class->capacity[r]) return;
        int32_t least = least_after(wave_rows_left_of(w, row, r) + w->from,
                                    w->demand + (uint64_t)r * w->stride, w->len);
        if (least < 0 && !free) return;
        if (soft && !free && !spread_fits(w, row, r)) return;
        if (least < 0) least = 0;
        if (least > v->least_left[r]) least = v->least_left[r] < 0 ? 0 : v->least_left[r];
        if (v->least_left[r] > least) fit->rise += ((v->least_left[r] - least) * scale[r]) >> 20;
        fit->peak += ((class->capacity[r] - least) * scale[r]) >> 20;
    }
    fit->price = price_after(w, row) - v->price;
    fit->fits = 1;
}

const struct wave_fit *wave_rows_check(struct wave_rows *w, uint32_t row) {
    struct wave_row *v = &w->rows[row];
    if (v->stamp != w->layer) {
        judge(w, row);
        v->stamp = w->layer;
    }
    return &v->fit;
}

uint32_t wave_rows_place(struct wave_rows *w, uint32_t row) {
    if (!w->n_free) return WAVE_NO_ROW;
    uint32_t made = w->free[--w->n_free];
    const struct wave_row *old = &w->rows[row];
    struct wave_row *v = &w->rows[made];
    *v = *old;
    v->n_items++;
    v->stamp = 0;
    v->signature = wave_rows_signature(w, row);
    v->price = price_after(w, row);
    wave_rows_time_after(w, old, row, &v->on_us, &v->runs);
    for (uint32_t r = 0; r < w->p->n_resources; r++) {
        v->area[r] = area_after(w, row, r);
        int32_t *left = wave_rows_left_of(w, made, r);
        memcpy(left, wave_rows_left_of(w, row, r), w->stride * sizeof *left);
        const int32_t *demand = w->demand + (uint64_t)r * w->stride;
        for (uint32_t i = 0; i < w->len; i++) {
            int32_t after = left[w->from + i] - demand[i];
            /* the free amount of a soft resource without a limit can fall below 0; it does not fall
             * below -PACK_UNIT_MAX */
            if (after < -PACK_UNIT_MAX) after = -PACK_UNIT_MAX;
            left[w->from + i] = after;
            if (after < v->least_left[r]) v->least_left[r] = after;
        }
        if (!w->has_sigma) continue;
        uint64_t *variance = variance_of(w, made, r);
        const uint64_t *square = w->square + (uint64_t)r * w->stride;
        memcpy(variance, variance_of(w, row, r), w->stride * sizeof *variance);
        for (uint32_t i = 0; i < w->len; i++)
            variance[w->from + i] = plus_square(variance[w->from + i], square[i]);
    }
    if (w->has_on) {
        const struct pack_item *it = &w->p->items[w->item];
        memcpy(on_of(w, made), on_of(w, row), w->p->n_cells);
        memset(on_of(w, made) + it->first_cell, 1, it->end_cell - it->first_cell);
    }
    return made;
}
