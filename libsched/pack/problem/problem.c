/*
 * problem.c -- see problem.h. Copies a problem that problem_check.c has accepted into one block.
 * The copy has its amounts in units and, for FIXED problems, its time in cells.
 *
 * The copy is made in this order: resources; classes and bins; slots; items and configs;
 * reservations, which are sorted and checked for overlaps; for FIXED problems, cells and ranges of
 * cells. Cost: proportional to the size of the input, and a sort of the starts and ends.
 */
#include "pack/problem/problem.h"

#include "base/amounts.h"
#include "base/bisect.h"
#include "model/mig/mig.h"
#include "pack/problem/problem_read.h"
#include "base/sort.h"

/* The state of one call of problem_make: the arrays of the problem as writable pointers. The
 * pointers are NULL in the pass that only counts bytes. */
struct maker {
    const lsched_pack_problem *in;
    const lsched_pack_opts *opts;
    const struct pack_totals *totals;
    struct pack_problem *p;
    struct pack_resource *resources;
    struct pack_class *classes;
    struct pack_item *items;
    struct pack_config *configs;
    struct pack_block *blocks;
    int32_t *amounts, *sigmas;
    int64_t *slot, *cell;
    uint32_t *check, *allowed, *now;
    uint16_t *bin_class;
    uint8_t *profile_in;
    /* names of MIG profiles; the texts lie in the orchestrator's memory and are used only in
     * problem_make */
    lsched_text *profiles;
    uint64_t n_amounts, n_sigmas, n_allowed, n_now;
    int relaxes; /* true: round demands down and capacities up */
    lsched_error *err;
};

static void problem_take_arrays(struct maker *mk, struct pack_arena *a) {
    const lsched_pack_problem *in = mk->in;
    const struct pack_totals *t = mk->totals;
    uint64_t events = in->n_slots ? in->n_slots : 2 * ((uint64_t)in->n_items + in->n_reservations);
    mk->p->resources = mk->resources = pack_take(a, in->n_resources, sizeof *mk->resources);
    mk->p->classes = mk->classes = pack_take(a, in->n_classes, sizeof *mk->classes);
    mk->p->items = mk->items = pack_take(a, in->n_items, sizeof *mk->items);
    mk->p->configs = mk->configs = pack_take(a, t->n_configs, sizeof *mk->configs);
    mk->p->blocks = mk->blocks = pack_take(a, in->n_reservations, sizeof *mk->blocks);
    mk->p->amounts = mk->amounts = pack_take(
        a, t->n_amounts + (uint64_t)in->n_reservations * in->n_resources, sizeof *mk->amounts);
    mk->p->sigmas = mk->sigmas = pack_take(a, t->n_sigmas, sizeof *mk->sigmas);
    mk->p->slot = mk->slot = pack_take(a, (uint64_t)in->n_slots + 1, sizeof *mk->slot);
    mk->p->cell = mk->cell = pack_take(a, events + 1, sizeof *mk->cell);
    mk->p->check = mk->check = pack_take(a, events + 1, sizeof *mk->check);
    mk->allowed = pack_take(a, t->n_allowed, sizeof *mk->allowed);
    mk->now = pack_take(a, t->n_now, sizeof *mk->now);
    mk->p->bin_class = mk->bin_class = pack_take(a, t->n_bins, sizeof *mk->bin_class);
    mk->p->profile_in = mk->profile_in =
        pack_take(a, t->n_profiles * in->n_classes, sizeof *mk->profile_in);
    mk->profiles = pack_take(a, t->n_profiles, sizeof *mk->profiles);
}

/* Returns the price of a transition (move, resize or change of the MIG layout) multiplied by
 * `patience`, rounded up. */
static int64_t patient(const struct maker *mk, int64_t price) {
    return (price * mk->p->patience_milli + 999) / 1000;
}

static int32_t units_of(int64_t amount, int64_t unit, int up) {
    int64_t units = amount / unit + (up && amount % unit != 0);
    return units > PACK_UNIT_MAX ? PACK_UNIT_MAX + 1 : (int32_t)units;
}

/* ---- resources, classes, slots ---- */

/* Returns the greatest common divisor of `divisor` and the amounts of resource r. The list has
 * `per` amounts for each resource. */
static int64_t divide_list(const int64_t *list, uint64_t per, uint32_t r, int64_t divisor) {
    for (uint64_t s = 0; list && s < per && divisor != 1; s++)
        divisor = amount_common_divisor(divisor, list[r * per + s]);
    return divisor;
}

/* Returns the greatest common divisor of all demands of a resource; 0 if all of them are zero. For
 * a soft resource, the divisor divides the sigmas and capacities too, because a soft load is not
 * compared in whole units. */
static int64_t divisor_of(const struct maker *mk, uint32_t r, int soft) {
    const lsched_pack_problem *in = mk->in;
    int64_t divisor = 0;
    for (uint32_t i = 0; i < in->n_items && divisor != 1; i++) {
        lsched_pack_item item;
        read_item(&item, in, i);
        for (uint32_t c = 0; c < item.n_configs; c++) {
            lsched_pack_config config;
            read_config(&config, in, &item, c);
            uint64_t per = config.n_slots ? config.n_slots : 1;
            divisor = divide_list(config.demand, per, r, divisor);
            if (soft) divisor = divide_list(config.sigma, per, r, divisor);
        }
    }
    for (uint32_t i = 0; i < in->n_reservations && divisor != 1; i++) {
        lsched_pack_reservation b;
        read_reservation(&b, in, i);
        divisor = divide_list(b.amount, 1, r, divisor);
    }
    for (uint32_t c = 0; soft && c < in->n_classes; c++) {
        lsched_pack_class k;
        read_class(&k, in, c);
        divisor = divide_list(k.capacity, 1, r, divisor);
    }
    return divisor;
}

static void make_resources(struct maker *mk) {
    const lsched_pack_problem *in = mk->in;
    for (uint32_t r = 0; r < in->n_resources; r++) {
        lsched_pack_resource res;
        int64_t most = 1;
        read_element(&res, sizeof res, in->resources, r, in->resource_size);
        for (uint32_t c = 0; c < in->n_classes; c++) {
            lsched_pack_class k;
            read_class(&k, in, c);
            if (k.capacity[r] > most) most = k.capacity[r];
        }
        int64_t divisor = divisor_of(mk, r, (int)res.soft), whole = divisor ? most / divisor : most;
        int64_t scale = whole ? (whole - 1) / (res.soft ? PACK_SOFT_MAX : PACK_UNIT_MAX) + 1 : 1;
        if (scale > 1) mk->p->is_rounded = 1;
        mk->resources[r] = (struct pack_resource){.soft = (uint8_t)res.soft,
                                                  .z_milli = res.z_milli,
                                                  .overload_price = res.overload_price_micro,
                                                  .unit = (divisor ? divisor : 1) * scale};
        if (res.soft) mk->p->has_soft = 1;
    }
}

static void make_class(struct maker *mk, uint32_t c, uint32_t *bins) {
    lsched_pack_class k;
    read_class(&k, mk->in, c);
    lsched_text table = arg_text(k.mig_table);
    struct pack_class *to = &mk->classes[c];
    *to = (struct pack_class){
        .mig = table.len ? mig_table_named(table) : NULL,
        .first_bin = *bins,
        .n_bins = k.count == LSCHED_PACK_UNLIMITED ? (uint32_t)mk->totals->n_tasks : k.count,
        .on_now = k.on_now,
        .is_unlimited = k.count == LSCHED_PACK_UNLIMITED,
        .open_price = k.open_price_micro,
        .on_price = k.on_price_micro_per_hour,
        .switch_price = k.switch_price_micro,
        .recut_price = patient(mk, k.recut_price_micro),
        .recut_price_plain = k.recut_price_micro};
    for (uint32_t r = 0; r < mk->in->n_resources; r++)
        to->capacity[r] = units_of(k.capacity[r], mk->resources[r].unit, mk->relaxes);
    for (uint32_t b = 0; b < to->n_bins; b++) mk->bin_class[*bins + b] = (uint16_t)c;
    *bins += to->n_bins;
    if (to->on_price || to->switch_price) mk->p->has_time_prices = 1;
}

/* ---- items ---- */

/* Returns the index of the MIG profile's name in mk->profiles. A new name is added at the end. */
static uint8_t profile_number(struct maker *mk, lsched_text name) {
    struct pack_problem *p = mk->p;
    uint32_t i = 0;
    while (i < p->n_profiles && (mk->profiles[i].len != name.len ||
                                 memcmp(mk->profiles[i].ptr, name.ptr, (size_t)name.len) != 0))
        i++;
    if (i < p->n_profiles) return (uint8_t)i;
    mk->profiles[i] = name;
    p->n_profiles++;
    return (uint8_t)i;
}

/* Copies the orchestrator's list [n_resources][per], from slot `skip` on, and converts it to
 * units. */
static void copy_amounts(const struct maker *mk, int32_t *to, const int64_t *from, uint64_t per,
                         uint64_t skip) {
    for (uint32_t r = 0; r < mk->in->n_resources; r++)
        for (uint64_t s = skip; s < per; s++)
            *to++ = from ? units_of(from[r * per + s], mk->resources[r].unit, !mk->relaxes) : 0;
}

static void make_config(struct maker *mk, const lsched_pack_item *item, uint32_t number,
                        struct pack_config *to) {
    const lsched_pack_problem *in = mk->in;
    lsched_pack_config c;
    read_config(&c, in, item, number);
    uint64_t per = c.n_slots ? c.n_slots : 1, skip = 0;
    lsched_text profile = arg_text(c.mig_profile);
    /* skip slots that have ended */
    while (c.n_slots && in->slot_bounds[c.first_slot + skip + 1] <= in->now_us) skip++;
    *to = (struct pack_config){.amounts = mk->n_amounts,
                               .sigmas = c.sigma ? mk->n_sigmas : PACK_NO_SIGMA,
                               .duration = c.duration_us,
                               .resize_price = patient(mk, c.resize_price_micro),
                               .resize_price_plain = c.resize_price_micro,
                               .first_slot = c.first_slot + (uint32_t)skip,
                               .n_span = (uint32_t)(per - skip),
                               .profile = profile.len ? profile_number(mk, profile) : PACK_NO_SLICE,
                               .is_profile = c.n_slots > 0};
    if (c.n_slots) {
        int64_t begin = in->slot_bounds[c.first_slot];
        to->duration = in->slot_bounds[c.first_slot + c.n_slots] - begin;
        mk->p->has_profiles = 1;
    }
    copy_amounts(mk, mk->amounts + mk->n_amounts, c.demand, per, skip);
    mk->n_amounts += in->n_resources * (per - skip);
    if (!c.sigma) return;
    int32_t *sigmas = mk->sigmas + mk->n_sigmas;
    uint64_t n = in->n_resources * (per - skip);
    copy_amounts(mk, sigmas, c.sigma, per, skip);
    for (uint64_t i = 0; i < n; i++)
        if (sigmas[i] > PACK_SIGMA_MAX) sigmas[i] = PACK_SIGMA_MAX;
    mk->n_sigmas += n;
}

static int stays(const struct maker *mk, const lsched_pack_item *item) {
    if (!item->bins_now) return 0;
    if (item->flags & LSCHED_PACK_ITEM_PINNED) return 1;
    /* differences of instants within 2^61 do not overflow */
    return item->moved_at_us != PACK_NEVER_MOVED_US && mk->opts->dwell_us > 0 &&
           mk->in->now_us - item->moved_at_us < mk->opts->dwell_us;
}

static void problem_make_item(struct maker *mk, uint32_t i) {
    const lsched_pack_problem *in = mk->in;
    lsched_pack_item item;
    read_item(&item, in, i);
    struct pack_problem *p = mk->p;
    struct pack_item *to = &mk->items[i];
    uint32_t first = p->n_configs, tasks = tasks_of_item(&item);
    for (uint32_t c = 0; c < item.n_configs; c++)
        make_config(mk, &item, c, &mk->configs[p->n_configs++]);
    if (mk->configs[first].is_profile) {
        lsched_pack_config c;
        read_config(&c, in, &item, 0);
        item.ready_us = item.latest_us = in->slot_bounds[c.first_slot];
    }
    if (item.ready_us < in->now_us && item.ready_us != item.latest_us) item.ready_us = in->now_us;
    *to = (struct pack_item){.first_config = first,
                             .n_configs = (uint16_t)item.n_configs,
                             .is_pinned = (uint8_t)stays(mk, &item),
                             .apart = (uint8_t)item.apart,
                             .tasks = tasks,
                             .first_task = p->n_tasks,
                             .n_allowed = item.n_classes,
                             .allowed = mk->allowed + mk->n_allowed,
                             .now = item.bins_now ? mk->now + mk->n_now : NULL,
                             .config_now = item.config_now,
                             .slice_now = (uint8_t)item.slice_now,
                             .ready = item.ready_us,
                             .latest = item.latest_us,
                             .deadline = item.deadline_us,
                             .late_price = item.late_price_micro_per_hour,
                             .flow_price = item.flow_price_micro_per_hour,
                             .weight = item.weight ? item.weight : 1,
                             .move_price = patient(mk, item.move_price_micro),
                             .move_price_plain = item.move_price_micro};
    for (uint32_t c = 0; c < item.n_classes; c++) mk->allowed[mk->n_allowed++] = item.classes[c];
    for (uint32_t t = 0; item.bins_now && t < tasks; t++) mk->now[mk->n_now++] = item.bins_now[t];
    p->n_tasks += tasks;
    if (item.bins_now) p->has_now = 1;
    if (to->late_price || to->flow_price) p->has_time_prices = 1;
    if (to->ready != to->latest || tasks > 1 || to->n_configs > 1 ||
        mk->configs[first].profile != PACK_NO_SLICE)
        p->kind = PACK_FLEXIBLE;
}

static void make_profiles(struct maker *mk) {
    for (uint32_t c = 0; c < mk->in->n_classes; c++)
        for (uint32_t i = 0; i < mk->p->n_profiles; i++) {
            const struct mig_table *t = mk->classes[c].mig;
            uint32_t number = t ? mig_profile_named(t, mk->profiles[i]) : MIG_NONE;
            mk->profile_in[c * mk->p->n_profiles + i] =
                number == MIG_NONE ? PACK_NO_SLICE : (uint8_t)number;
        }
}

/* ---- cells ---- */

#define VALUE_BEFORE(of, a, b) ((a) < (b))
SORT_IN_PLACE(sort_values, int64_t, const void *, VALUE_BEFORE)

/* Instant at which a fixed item ends; PACK_FOREVER if it never ends. */
static int64_t problem_end_of(const struct maker *mk, const struct pack_item *item) {
    int64_t duration = mk->configs[item->first_config].duration;
    return duration == PACK_FOREVER ? PACK_FOREVER : item->ready + duration;
}

/* Returns the index of the last of n ascending bounds that is at or before t. If `up` is true, it
 * returns the index of the first bound that is at or after t, or n if no bound is. */
static uint32_t bound_of(const int64_t *bounds, uint32_t n, int64_t t, int up) {
    uint32_t low = 0, high = n; /* invariant: bounds[low - 1] < t <= bounds[high] */
    BISECT_FIRST(low, high, mid, bounds[mid] >= t);
    if (!up && low > 0 && (low == n || bounds[low] > t)) low--;
    return low;
}

static void problem_range_of(const struct maker *mk, int64_t from, int64_t to, uint32_t *first,
                             uint32_t *end) {
    uint32_t n = mk->p->n_cells;
    *first = bound_of(mk->cell, n + 1, from, 0);
    *end = bound_of(mk->cell, n + 1, to, 1);
    if (*first > n) *first = n;
    if (*end > n) *end = n;
    if (*end < *first) *end = *first;
}

/* Without slots: makes the cells between the starts and ends of items and reservations, from p->now
 * on. An item or a reservation that never ends counts as ending at p->end. */
static void cells_of_events(struct maker *mk) {
    struct pack_problem *p = mk->p;
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n_items; i++) {
        int64_t at[2] = {mk->items[i].ready, problem_end_of(mk, &mk->items[i])};
        for (int e = 0; e < 2; e++)
            mk->cell[n++] = at[e] < p->now ? p->now : at[e] == PACK_FOREVER ? p->end : at[e];
    }
    for (uint32_t i = 0; i < p->n_blocks; i++) {
        int64_t at[2] = {mk->blocks[i].from, mk->blocks[i].to};
        for (int e = 0; e < 2; e++)
            mk->cell[n++] = at[e] < p->now ? p->now : at[e] == PACK_FOREVER ? p->end : at[e];
    }
    sort_values(NULL, mk->cell, n);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++)
        if (kept == 0 || mk->cell[i] != mk->cell[kept - 1]) mk->cell[kept++] = mk->cell[i];
    p->n_cells = kept ? kept - 1 : 0;
}

static void cells_of_slots(struct maker *mk) {
    struct pack_problem *p = mk->p;
    uint32_t over = 0;
    while (mk->slot[over + 1] <= p->now) over++;
    p->n_cells = p->n_slots - over;
    memcpy(mk->cell, mk->slot + over, (p->n_cells + 1) * sizeof *mk->cell);
}

/* Finds the cells in which a maximal set of items is active: an item or reservation starts at the
 * beginning of the cell, and one ends at the end of the cell. With slots, it takes all cells.
 * `check` holds marks for each cell at first, and the list of the found cells in the end. */
static void find_checks(struct maker *mk) {
    enum { BEGINS = 1, ENDS = 2 };
    struct pack_problem *p = mk->p;
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n_items; i++) {
        const struct pack_item *item = &mk->items[i];
        if (item->first_cell == item->end_cell) continue;
        mk->check[item->first_cell] |= BEGINS;
        mk->check[item->end_cell - 1] |= ENDS;
    }
    for (uint32_t i = 0; i < p->n_blocks; i++) {
        const struct pack_block *b = &mk->blocks[i];
        if (b->first_cell == b->end_cell) continue;
        mk->check[b->first_cell] |= BEGINS;
        mk->check[b->end_cell - 1] |= ENDS;
    }
    for (uint32_t c = 0; c < p->n_cells; c++) {
        uint32_t mark = mk->check[c];
        if (mark == (BEGINS | ENDS) || p->n_slots) mk->check[n++] = c;
    }
    p->n_check = n;
}

/* Converts the range of cells [first, end) to a range of positions in `check`. */
static void checks_of(const struct maker *mk, uint32_t first, uint32_t end, uint32_t *first_check,
                      uint32_t *end_check) {
    uint32_t at[2] = {first, end}, out[2];
    for (int e = 0; e < 2; e++) {
        uint32_t low = 0, high = mk->p->n_check;
        BISECT_FIRST(low, high, mid, mk->check[mid] >= at[e]);
        out[e] = low;
    }
    *first_check = out[0];
    *end_check = out[1];
}

static void make_cells(struct maker *mk) {
    struct pack_problem *p = mk->p;
    if (p->n_slots)
        cells_of_slots(mk);
    else
        cells_of_events(mk);
    for (uint32_t i = 0; i < p->n_items; i++) {
        struct pack_item *item = &mk->items[i];
        problem_range_of(mk, item->ready, problem_end_of(mk, item), &item->first_cell,
                         &item->end_cell);
    }
    for (uint32_t i = 0; i < p->n_blocks; i++)
        problem_range_of(mk, mk->blocks[i].from, mk->blocks[i].to, &mk->blocks[i].first_cell,
                         &mk->blocks[i].end_cell);
    find_checks(mk);
    for (uint32_t i = 0; i < p->n_items; i++)
        checks_of(mk, mk->items[i].first_cell, mk->items[i].end_cell, &mk->items[i].first_check,
                  &mk->items[i].end_check);
    for (uint32_t i = 0; i < p->n_blocks; i++)
        checks_of(mk, mk->blocks[i].first_cell, mk->blocks[i].end_cell, &mk->blocks[i].first_check,
                  &mk->blocks[i].end_check);
}

/* ---- reservations ---- */

/* Until the amounts are copied, `amounts` holds the reservation's index in the orchestrator's
 * array. The index orders reservations with equal bin and start. */
static int block_before(const struct pack_block *x, const struct pack_block *y) {
    if (x->bin != y->bin) return x->bin < y->bin;
    return x->from != y->from ? x->from < y->from : x->amounts < y->amounts;
}

#define BLOCK_BEFORE(of, a, b) block_before(&(a), &(b))
SORT_IN_PLACE(sort_blocks, struct pack_block, const void *, BLOCK_BEFORE)

/* Checks that the bin has room for all its reservations that are active at the time at which
 * reservation i begins. The amounts and slices are those of the orchestrator, not yet units.
 * `first` is the first reservation of the bin that can still be active at that time. Returns
 * LSCHED_OK or an error. `host` is the reservation's index in the orchestrator's array. */
static int32_t judge_block(const struct maker *mk, uint32_t first, uint32_t i, uint64_t host) {
    const lsched_pack_problem *in = mk->in;
    const struct pack_block *b = &mk->blocks[i];
    lsched_pack_class k;
    read_class(&k, in, mk->bin_class[b->bin]);
    uint32_t slices = 0;
    int64_t sum[LSCHED_PACK_RESOURCES_MAX] = {0};
    uint32_t other = i;
    for (uint32_t j = first; j <= i; j++) {
        lsched_pack_reservation r;
        if (mk->blocks[j].to <= b->from) continue;
        if (j != i) other = j;
        read_reservation(&r, in, mk->blocks[j].amounts);
        if (slices & r.mig_slices)
            return fail(mk->err, LSCHED_E_STATE,
                        "reservation %llu takes slices of bin %u that another reservation takes at "
                        "the same time",
                        (unsigned long long)host, b->bin);
        slices |= r.mig_slices;
        for (uint32_t a = 0; r.amount && a < in->n_resources; a++) {
            sum[a] += r.amount[a];
            if (sum[a] <= k.capacity[a]) continue;
            if (other == i)
                return fail(
                    mk->err, LSCHED_E_RANGE,
                    "reservation %llu takes %lld of resource %u in bin %u, which has only %lld",
                    (unsigned long long)host, (long long)sum[a], a, b->bin,
                    (long long)k.capacity[a]);
            return fail(mk->err, LSCHED_E_STATE,
                        "reservations %llu and %llu overlap in bin %u: together they take %lld of "
                        "resource %u, but it has only %lld",
                        (unsigned long long)mk->blocks[other].amounts, (unsigned long long)host,
                        b->bin, (long long)sum[a], a, (long long)k.capacity[a]);
        }
    }
    const struct mig_table *table = mk->classes[mk->bin_class[b->bin]].mig;
    if (slices && (!table || slices >> table->slices))
        return fail(mk->err, LSCHED_E_RANGE,
                    "reservation %llu takes MIG slices that bin %u does not have",
                    (unsigned long long)host, b->bin);
    return LSCHED_OK;
}

/* Reads, sorts and checks the reservations, then copies their amounts. `first` moves past
 * reservations that end before reservation i begins, so that judge_block reads few of them. */
static int32_t make_blocks(struct maker *mk) {
    const lsched_pack_problem *in = mk->in;
    struct pack_problem *p = mk->p;
    for (uint32_t i = 0; i < in->n_reservations; i++) {
        lsched_pack_reservation r;
        read_reservation(&r, in, i);
        mk->blocks[i] = (struct pack_block){.bin = r.bin,
                                            .mig_slices = r.mig_slices,
                                            .from = r.from_us,
                                            .to = r.to_us,
                                            .amounts = i};
    }
    p->n_blocks = in->n_reservations;
    sort_blocks(NULL, mk->blocks, p->n_blocks);
    for (uint32_t i = 0, first = 0; i < p->n_blocks; i++) {
        if (mk->blocks[i].bin != mk->blocks[first].bin) first = i;
        while (mk->blocks[first].to <= mk->blocks[i].from) first++;
        int32_t rc = judge_block(mk, first, i, mk->blocks[i].amounts);
        if (rc != LSCHED_OK) return rc;
    }
    for (uint32_t i = 0; i < p->n_blocks; i++) {
        lsched_pack_reservation r;
        read_reservation(&r, in, mk->blocks[i].amounts);
        const struct pack_class *k = &mk->classes[mk->bin_class[r.bin]];
        int32_t *amounts = mk->amounts + mk->n_amounts;
        mk->blocks[i].amounts = mk->n_amounts;
        copy_amounts(mk, amounts, r.amount, 1, 0);
        /* The amount was rounded up and the capacity down. If the amount is now greater, the
         * reservation takes the whole capacity. */
        for (uint32_t a = 0; a < in->n_resources; a++)
            if (amounts[a] > k->capacity[a]) amounts[a] = k->capacity[a];
        mk->n_amounts += in->n_resources;
    }
    return LSCHED_OK;
}

/* ---- the whole problem ---- */

static void find_end(struct maker *mk) {
    struct pack_problem *p = mk->p;
    p->end = p->n_slots ? mk->slot[p->n_slots] : p->now;
    for (uint32_t i = 0; i < p->n_items; i++) {
        int64_t end = problem_end_of(mk, &mk->items[i]);
        if (end != PACK_FOREVER && end > p->end) p->end = end;
        if (mk->items[i].ready > p->end) p->end = mk->items[i].ready;
    }
    for (uint32_t i = 0; i < p->n_blocks; i++) {
        if (mk->blocks[i].from > p->end) p->end = mk->blocks[i].from;
        if (mk->blocks[i].to != PACK_FOREVER && mk->blocks[i].to > p->end)
            p->end = mk->blocks[i].to;
    }
    /* without slots, an item that runs for ever needs a cell of its own after the last event */
    p->end += p->n_slots ? 0 : 1;
}

static int32_t problem_fill(struct maker *mk) {
    struct pack_problem *p = mk->p;
    make_resources(mk);
    uint32_t bins = 0;
    for (uint32_t c = 0; c < p->n_classes; c++) make_class(mk, c, &bins);
    p->n_bins = bins;
    for (uint32_t s = 0; p->n_slots && s <= p->n_slots; s++) mk->slot[s] = mk->in->slot_bounds[s];
    for (uint32_t i = 0; i < p->n_items; i++) problem_make_item(mk, i);
    make_profiles(mk);
    int32_t rc = make_blocks(mk);
    if (rc != LSCHED_OK) return rc;
    find_end(mk);
    if (p->kind == PACK_FIXED) make_cells(mk);
    return LSCHED_OK;
}

static int32_t problem_make(const lsched_pack_problem *from, const lsched_pack_opts *opts,
                            const struct pack_totals *totals, struct pack_arena *arena, int relaxes,
                            struct pack_problem *out, lsched_error *err) {
    lsched_pack_problem in;
    lsched_pack_opts o;
    int32_t rc = read_problem(&in, from, err);
    if (rc == LSCHED_OK) rc = arg_struct(&o, (uint32_t)sizeof o, opts, 0, "options", err);
    if (rc != LSCHED_OK) return rc;
    *out = (struct pack_problem){.kind = PACK_FIXED,
                                 .n_resources = in.n_resources,
                                 .n_classes = in.n_classes,
                                 .n_items = in.n_items,
                                 .n_slots = in.n_slots,
                                 .patience_milli = o.patience_milli ? o.patience_milli : 1500,
                                 .now = in.now_us,
                                 .makespan_price = in.makespan_price_micro_per_hour};
    if (out->makespan_price) out->has_time_prices = 1;
    struct maker mk = {
        .in = &in, .opts = &o, .totals = totals, .p = out, .relaxes = relaxes, .err = err};
    problem_take_arrays(&mk, arena);
    if (!arena->base) {
        /* In the pass that only counts bytes, solvers compute their memory from these four
         * members. */
        out->n_tasks = (uint32_t)totals->n_tasks;
        out->n_configs = (uint32_t)totals->n_configs;
        out->n_bins = (uint32_t)totals->n_bins;
        out->n_blocks = in.n_reservations;
        return LSCHED_OK;
    }
    return problem_fill(&mk);
}

int32_t pack_problem_make(const lsched_pack_problem *in, const lsched_pack_opts *opts,
                          const struct pack_totals *totals, struct pack_arena *arena,
                          struct pack_problem *out, lsched_error *err) {
    return problem_make(in, opts, totals, arena, 0, out, err);
}

int32_t pack_problem_relax(const lsched_pack_problem *in, const lsched_pack_opts *opts,
                           const struct pack_totals *totals, struct pack_arena *arena,
                           struct pack_problem *out, lsched_error *err) {
    return problem_make(in, opts, totals, arena, 1, out, err);
}
