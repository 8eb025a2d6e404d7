/* time_state.c -- see time_state.h. */
#include "pack/timed/time_state.h"

#include "base/bisect.h"
#include "pack/cost/cost.h"
#include "pack/cost/cost_loss.h"

static const struct pack_class *time_state_class_of(const struct time_state *st, uint32_t bin) {
    return &st->p->classes[st->p->bin_class[bin]];
}
static uint32_t time_state_config_of(const struct time_state *st, uint32_t item,
                                     const struct pack_spot *spot) {
    return st->p->items[item].first_config + spot->config;
}
static int64_t time_state_end_of(const struct time_state *st, uint32_t task) {
    uint32_t config = time_state_config_of(st, st->item_of[task], &st->spots[task]);
    return time_end_of(st->spots[task].start, st->p->configs[config].duration);
}

/* Returns the time from which a task counts: its start, or p->now if that is later. */
static int64_t begin_of(const struct time_state *st, uint32_t task) {
    int64_t start = st->spots[task].start;
    return start > st->p->now ? start : st->p->now;
}

/* ---- set up once ---- */

/* Returns the share of a bin that a config takes, in 1024ths. The share in one class is the
 * greatest of the shares of its resources and MIG slices. The result is the least of the shares in
 * all classes that the item can use. */
static uint32_t time_state_share_of(const struct time_state *st, const struct pack_item *item,
                                    uint32_t config) {
    const struct pack_problem *p = st->p;
    const struct pack_config *c = &p->configs[config];
    uint32_t n = item->n_allowed ? item->n_allowed : p->n_classes, least = 1u << TIME_SHARE_BITS;
    /* the first eight classes suffice, because the share only guides the search */
    for (uint32_t k = 0; k < n && k < 8; k++) {
        uint32_t row = item->n_allowed ? item->allowed[k] : k, most = 1;
        struct time_need need;
        time_need_of(&st->profile, config, row, &need);
        for (uint32_t r = 0; r < p->n_resources && !c->is_profile; r++) {
            int64_t capacity = need.class_in->capacity[r] > 0 ? need.class_in->capacity[r] : 1;
            int64_t part = ((int64_t)need.amounts[r] << TIME_SHARE_BITS) / capacity;
            if (part > most) most = (uint32_t)part;
        }
        if (need.shape->n_starts && need.shape->windows[0]) {
            uint32_t part = (uint32_t)__builtin_popcount(need.shape->windows[0] & 0xFF)
                            << (TIME_SHARE_BITS - 3);
            if (part > most) most = part;
        }
        if (most < least) least = most;
    }
    return least;
}

static void mark_now(struct time_state *st, uint32_t i) {
    const struct pack_problem *p = st->p;
    const struct pack_item *item = &p->items[i];
    const struct pack_config *c = &p->configs[item->first_config + item->config_now];
    for (uint32_t t = 0; item->now && t < item->tasks; t++) {
        uint32_t bin = item->now[t];
        if (bin >= p->n_bins) continue;
        st->is_marked[bin] = 1;
        if (c->profile == PACK_NO_SLICE || item->slice_now >= MIG_SLICES) continue;
        uint32_t profile = pack_profile_in(p, p->bin_class[bin], c->profile);
        if (profile != PACK_NO_SLICE)
            st->standing[bin] =
                mig_add(mig_remove(st->standing[bin], item->slice_now), profile, item->slice_now);
    }
}

static void fill_constants(struct time_state *st) {
    const struct pack_problem *p = st->p;
    for (uint32_t i = 0; i < p->n_items; i++) {
        const struct pack_item *item = &p->items[i];
        for (uint32_t t = 0; t < item->tasks; t++) st->item_of[item->first_task + t] = i;
        for (uint32_t c = 0; c < item->n_configs; c++)
            st->share[item->first_config + c] =
                time_state_share_of(st, item, item->first_config + c);
        for (uint32_t c = 0; c < item->n_configs; c++)
            st->has_endless |= p->configs[item->first_config + c].duration == PACK_FOREVER;
        mark_now(st, i);
    }
    for (uint32_t i = 0; i < p->n_blocks; i++) st->is_marked[p->blocks[i].bin] = 1;
}

void time_state_new(struct time_state *st, const struct pack_problem *p, struct pack_arena *arena) {
    st->p = p;
    time_profile_new(&st->profile, p, arena);
    st->spots = pack_take(arena, p->n_tasks, sizeof *st->spots);
    st->item_of = pack_take(arena, p->n_tasks, sizeof *st->item_of);
    st->after = pack_take(arena, p->n_tasks, sizeof *st->after);
    st->first = pack_take(arena, p->n_bins, sizeof *st->first);
    st->n_in = pack_take(arena, p->n_bins, sizeof *st->n_in);
    st->bin_price = pack_take(arena, p->n_bins, sizeof *st->bin_price);
    st->item_price = pack_take(arena, p->n_items, sizeof *st->item_price);
    st->standing = pack_take(arena, p->n_bins, sizeof *st->standing);
    st->high = pack_take(arena, p->n_classes, sizeof *st->high);
    st->is_in = pack_take(arena, p->n_items, sizeof *st->is_in);
    st->is_marked = pack_take(arena, p->n_bins, sizeof *st->is_marked);
    st->is_taken = pack_take(arena, p->n_bins, sizeof *st->is_taken);
    st->share = pack_take(arena, p->n_configs, sizeof *st->share);
    if (arena->base) fill_constants(st);
}

void time_state_reset(struct time_state *st) {
    const struct pack_problem *p = st->p;
    time_profile_reset(&st->profile);
    st->target = INT64_MAX;
    st->left_out = 0;
    st->price = st->over = 0;
    for (uint32_t c = 0; c < p->n_classes; c++) st->high[c] = 0;
    for (uint32_t b = 0; b < p->n_bins; b++) {
        const struct pack_class *c = time_state_class_of(st, b);
        st->first[b] = st->n_in[b] = 0;
        st->bin_price[b] = 0;
        if (st->is_marked[b]) st->high[p->bin_class[b]] = b - c->first_bin + 1;
    }
    for (uint32_t i = 0; i < p->n_items; i++) {
        st->is_in[i] = 0;
        st->item_price[i] = 0;
        st->left_out += p->items[i].weight * p->items[i].tasks;
        for (uint32_t t = 0; t < p->items[i].tasks; t++)
            st->spots[p->items[i].first_task + t] = (struct pack_spot){.bin = PACK_NO_BIN};
    }
}

/* ---- prices ---- */

int64_t time_item_price(const struct time_state *st, uint32_t i, const struct pack_spot *spots) {
    const struct pack_item *item = &st->p->items[i];
    const struct pack_config *c = &st->p->configs[item->first_config + spots[0].config];
    int64_t end = time_end_of(spots[0].start, c->duration), price = 0;
    if (end != PACK_FOREVER) {
        if (end > item->deadline) price = pack_hours_price(end - item->deadline, item->late_price);
        price = pack_price_add(price, pack_hours_price(end - item->ready, item->flow_price));
    }
    if (spots[0].config != (item->now ? item->config_now : 0))
        price = pack_price_add(price, c->resize_price);
    for (uint32_t t = 0; item->now && t < item->tasks; t++)
        if (spots[t].bin != item->now[t]) price = pack_price_add(price, item->move_price);
    return price;
}

int time_class_is_timed(const struct pack_problem *p, const struct pack_class *c) {
    return c->on_price || c->switch_price || time_class_is_detailed(p, c);
}

int time_class_is_detailed(const struct pack_problem *p, const struct pack_class *c) {
    if (c->recut_price && c->mig) return 1;
    for (uint32_t r = 0; r < p->n_resources; r++)
        if (p->resources[r].soft && p->resources[r].overload_price) return 1;
    return 0;
}

/* Returns the time until which tasks without an end count in this bin; PACK_FOREVER if no item of
 * the problem runs for ever. */
static int64_t horizon_of(const struct time_state *st, uint32_t bin) {
    int64_t last = st->p->end;
    if (!st->has_endless) return PACK_FOREVER;
    for (uint32_t i = 1 + bin; i; i = st->profile.points[i].next)
        if (st->profile.points[i].from > last) last = st->profile.points[i].from;
    return last;
}

/* The sum of the intervals in which a bin is on. The intervals must be added in the order of their
 * beginnings. */
struct on_sum {
    int64_t to, us;
    uint32_t n;
};

static void join(struct on_sum *sum, int64_t from, int64_t end, int64_t until) {
    if (end <= from) return;
    if (end > until) end = until;
    if (from > sum->to) sum->n++;
    if (from < sum->to) from = sum->to;
    if (end > from) sum->us += end - from;
    if (end > sum->to) sum->to = end;
}

/* Returns the price of the on time and the switches of a bin if one more task ran over [from, to).
 * If `to` is INT64_MIN, no task is added. */
static int64_t on_price(const struct time_state *st, uint32_t bin, int64_t from, int64_t to) {
    const struct pack_class *c = time_state_class_of(st, bin);
    struct on_sum sum = {.to = INT64_MIN};
    int64_t until = horizon_of(st, bin);
    if (to != INT64_MIN) {
        if (from < st->p->now) from = st->p->now;
        if (from > until) until = from;
        if (to != PACK_FOREVER && to > until) until = to;
    }
    for (uint32_t t = st->first[bin]; t; t = st->after[t - 1]) {
        int64_t begin = begin_of(st, t - 1);
        if (to != INT64_MIN && from <= begin) {
            join(&sum, from, to, until);
            to = INT64_MIN;
        }
        join(&sum, begin, time_state_end_of(st, t - 1), until);
    }
    if (to != INT64_MIN) join(&sum, from, to, until);
    if (sum.n && bin - c->first_bin < c->on_now) sum.n--;
    wide_u128 switches = wide_mul(sum.n, (uint64_t)c->switch_price);
    return pack_price_add(pack_hours_price(sum.us, c->on_price),
                          switches < (wide_u128)PACK_PRICE_MAX ? (int64_t)switches
                                                               : PACK_PRICE_MAX);
}

int64_t time_on_increase(const struct time_state *st, uint32_t bin, int64_t from, int64_t to) {
    const struct pack_class *c = time_state_class_of(st, bin);
    int64_t before = st->n_in[bin] ? st->bin_price[bin] : 0;
    return pack_price_add(c->open_price, on_price(st, bin, from, to)) - before;
}

/* Returns the MIG layout without the instances that overlap `slices` and, if `media` is true,
 * without the instance that has the media engines. */
static uint32_t time_state_destroy(const struct mig_table *table, uint32_t geometry,
                                   uint32_t slices, int media) {
    for (uint32_t m = mig_begins(geometry); m; m &= m - 1) {
        uint32_t s = (uint32_t)__builtin_ctz(m), profile = mig_at(geometry, s);
        if ((mig_bits(table, profile, s) & slices) || (media && table->profiles[profile].media))
            geometry = mig_remove(geometry, s);
    }
    return geometry;
}

/* Returns the index of the bin's first reservation in p->blocks. */
static uint32_t first_block(const struct pack_problem *p, uint32_t bin) {
    uint32_t low = 0, high = p->n_blocks;
    BISECT_FIRST(low, high, mid, p->blocks[mid].bin >= bin);
    return low;
}

static int64_t recut_price(const struct time_state *st, uint32_t bin) {
    const struct pack_problem *p = st->p;
    const struct pack_class *c = time_state_class_of(st, bin);
    uint32_t geometry = st->standing[bin], block = first_block(p, bin), n = 0;
    for (uint32_t t = st->first[bin]; t; t = st->after[t - 1]) {
        const struct pack_spot *spot = &st->spots[t - 1];
        uint32_t named = p->configs[time_state_config_of(st, st->item_of[t - 1], spot)].profile;
        if (named == PACK_NO_SLICE) continue;
        for (; block < p->n_blocks && p->blocks[block].bin == bin &&
               p->blocks[block].from <= begin_of(st, t - 1);
             block++)
            if (p->blocks[block].to > p->now)
                geometry = time_state_destroy(c->mig, geometry, p->blocks[block].mig_slices, 0);
        uint32_t profile = pack_profile_in(p, p->bin_class[bin], named);
        if (mig_at(geometry, spot->slice) == profile) continue;
        geometry = time_state_destroy(c->mig, geometry, mig_bits(c->mig, profile, spot->slice),
                                      c->mig->profiles[profile].media);
        geometry = mig_add(geometry, profile, spot->slice);
        n++;
    }
    wide_u128 sum = wide_mul(n, (uint64_t)c->recut_price);
    return sum < (wide_u128)PACK_PRICE_MAX ? (int64_t)sum : PACK_PRICE_MAX;
}

static int64_t overload_price(const struct time_state *st, uint32_t bin) {
    const struct pack_problem *p = st->p;
    const struct time_profile *profile = &st->profile;
    int64_t until = horizon_of(st, bin), price = 0;
    for (uint32_t r = 0; r < p->n_resources; r++) {
        wide_u128 area = 0;
        int32_t capacity = time_state_class_of(st, bin)->capacity[r];
        if (!p->resources[r].soft || !p->resources[r].overload_price) continue;
        for (uint32_t i = 1 + bin; i; i = profile->points[i].next) {
            uint32_t next = profile->points[i].next;
            int64_t from = profile->points[i].from, to = next ? profile->points[next].from : until;
            uint64_t at = (uint64_t)i * p->n_resources + r;
            if (from < p->now) from = p->now;
            if (to > from && profile->points[i].running)
                area +=
                    wide_mul((uint64_t)(to - from),
                             pack_overload(profile->loads[at], profile->variances[at], capacity));
        }
        price = pack_price_add(price,
                               pack_overload_price(area, capacity, p->resources[r].overload_price));
    }
    return price;
}

/* Returns the price of a bin with its current tasks. */
static int64_t time_bin_price(const struct time_state *st, uint32_t bin) {
    const struct pack_class *c = time_state_class_of(st, bin);
    if (st->n_in[bin] == 0) return 0;
    int64_t price = c->open_price;
    if (c->on_price || c->switch_price)
        price = pack_price_add(price, on_price(st, bin, 0, INT64_MIN));
    if (c->recut_price && c->mig) price = pack_price_add(price, recut_price(st, bin));
    if (st->p->has_soft) price = pack_price_add(price, overload_price(st, bin));
    return price;
}

int64_t time_last_end(const struct time_state *st) {
    const struct pack_problem *p = st->p;
    int64_t last = p->now;
    for (uint32_t t = 0; t < p->n_tasks; t++) {
        if (!st->is_in[st->item_of[t]]) continue;
        int64_t end = time_state_end_of(st, t);
        if (end != PACK_FOREVER && end > last) last = end;
    }
    return last;
}

void time_state_value(const struct time_state *st, struct time_value *out) {
    out->left_out = st->left_out;
    out->cost = st->price * TIME_PRICE_UNIT + st->over * st->p->makespan_price;
}

struct pack_value time_plan_value(const struct time_state *st) {
    const struct pack_problem *p = st->p;
    int64_t end = p->makespan_price ? time_last_end(st) : p->now;
    wide_i128 price = st->price + pack_hours_price(end - p->now, p->makespan_price);
    return (struct pack_value){st->left_out,
                               price < PACK_PRICE_MAX ? (int64_t)price : PACK_PRICE_MAX};
}

void time_state_aim(struct time_state *st, int64_t target) {
    st->target = target;
    st->over = 0;
    for (uint32_t i = 0; i < st->p->n_items; i++) {
        const struct pack_item *item = &st->p->items[i];
        if (st->is_in[i])
            st->over += time_over(st, time_state_config_of(st, i, &st->spots[item->first_task]),
                                  time_state_end_of(st, item->first_task)) *
                        item->tasks;
    }
}

/* ---- changing ---- */

static void refresh_bin(struct time_state *st, uint32_t bin) {
    int64_t price = time_bin_price(st, bin);
    st->price += (wide_i128)price - st->bin_price[bin];
    st->bin_price[bin] = price;
}

static uint32_t *time_state_link_to(struct time_state *st, uint32_t task) {
    uint32_t *at = &st->first[st->spots[task].bin];
    int64_t begin = begin_of(st, task), other;
    for (; *at && *at - 1 != task; at = &st->after[*at - 1])
        if ((other = begin_of(st, *at - 1)) > begin || (other == begin && *at - 1 > task)) break;
    return at;
}

static void account(struct time_state *st, uint32_t i, int sign) {
    const struct pack_item *item = &st->p->items[i];
    uint32_t config = time_state_config_of(st, i, &st->spots[item->first_task]);
    st->over += time_over(st, config, time_state_end_of(st, item->first_task)) * item->tasks * sign;
    st->left_out -= item->weight * item->tasks * sign;
    st->price += (wide_i128)st->item_price[i] * sign;
}

void time_put(struct time_state *st, uint32_t i) {
    const struct pack_problem *p = st->p;
    const struct pack_item *item = &p->items[i];
    struct time_need need;
    for (uint32_t t = item->first_task; t < item->first_task + item->tasks; t++) {
        const struct pack_spot *spot = &st->spots[t];
        uint32_t row = p->bin_class[spot->bin], *at = time_state_link_to(st, t);
        time_need_of(&st->profile, time_state_config_of(st, i, spot), row, &need);
        time_add(&st->profile, spot->bin, &need, spot->start, time_slot_of(&need, spot->slice));
        st->after[t] = *at;
        *at = t + 1;
        st->n_in[spot->bin]++;
        if (spot->bin - p->classes[row].first_bin >= st->high[row])
            st->high[row] = spot->bin - p->classes[row].first_bin + 1;
        refresh_bin(st, spot->bin);
    }
    st->is_in[i] = 1;
    st->item_price[i] = time_item_price(st, i, &st->spots[item->first_task]);
    account(st, i, 1);
}

void time_take(struct time_state *st, uint32_t i) {
    const struct pack_problem *p = st->p;
    const struct pack_item *item = &p->items[i];
    struct time_need need;
    account(st, i, -1);
    st->is_in[i] = 0;
    for (uint32_t t = item->first_task; t < item->first_task + item->tasks; t++) {
        const struct pack_spot *spot = &st->spots[t];
        uint32_t *at = time_state_link_to(st, t);
        time_need_of(&st->profile, time_state_config_of(st, i, spot), p->bin_class[spot->bin],
                     &need);
        time_remove(&st->profile, spot->bin, &need, spot->start, time_slot_of(&need, spot->slice));
        *at = st->after[t];
        st->n_in[spot->bin]--;
        refresh_bin(st, spot->bin);
    }
}

/* Adds a task to the profile if it fits at its spot. Returns 1 if the task was added. */
static int try_task(struct time_state *st, uint32_t i, const struct pack_spot *spot) {
    const struct pack_problem *p = st->p;
    const struct pack_item *item = &p->items[i];
    uint32_t row = p->bin_class[spot->bin];
    struct time_need need;
    int64_t starts[8];
    if (spot->start < item->ready || spot->start > item->latest || !pack_allows(item, row))
        return 0;
    time_need_of(&st->profile, time_state_config_of(st, i, spot), row, &need);
    uint32_t slot = time_slot_of(&need, spot->slice);
    if (slot >= need.shape->n_starts) return 0;
    time_starts(&st->profile, spot->bin, &need, spot->start, spot->start, 0, starts);
    if (starts[slot] != spot->start) return 0;
    time_add(&st->profile, spot->bin, &need, spot->start, slot);
    return 1;
}

static void untry_task(struct time_state *st, uint32_t i, const struct pack_spot *spot) {
    struct time_need need;
    time_need_of(&st->profile, time_state_config_of(st, i, spot), st->p->bin_class[spot->bin],
                 &need);
    time_remove(&st->profile, spot->bin, &need, spot->start, time_slot_of(&need, spot->slice));
}

/* True if the spots of all tasks have the same start and the same config and, if the tasks must be
 * apart, different bins. */
static int is_gang(struct time_state *st, const struct pack_item *item,
                   const struct pack_spot *spots) {
    int is = 1;
    for (uint32_t t = 0; t < item->tasks; t++) {
        is &= spots[t].start == spots[0].start && spots[t].config == spots[0].config;
        is &= !(item->apart && st->is_taken[spots[t].bin]);
        st->is_taken[spots[t].bin] = 1;
    }
    for (uint32_t t = 0; t < item->tasks; t++) st->is_taken[spots[t].bin] = 0;
    return is;
}

int time_fits(struct time_state *st, uint32_t i, const struct pack_spot *spots) {
    const struct pack_item *item = &st->p->items[i];
    uint32_t done = 0;
    if (!is_gang(st, item, spots)) return 0;
    while (done < item->tasks && try_task(st, i, &spots[done])) done++;
    int fits = done == item->tasks;
    while (done--) untry_task(st, i, &spots[done]);
    return fits;
}
