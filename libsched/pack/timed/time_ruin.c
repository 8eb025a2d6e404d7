/* time_ruin.c -- see time_ruin.h. */
#include "pack/timed/time_ruin.h"

#include "base/sort.h"

#include <string.h>

#include "pack/cost/cost.h"

/* Probabilities, in 1024ths. */
enum {
    BLINK = 100,   /* a bin is skipped when a place is chosen */
    HOME = 440,    /* an item is inserted into its old bin again */
    ANYWHERE = 64, /* all bins are tried for an item, not only the bins of the step */
    /* an item gets a random earliest start; the search does this only if a later start can be
     * better (may_wait) */
    DELAYED = 100,
    /* a step removes a window of time from all bins; if there are gangs, WINDOW_GANGS is used
     * instead */
    WINDOW = 64,
    WINDOW_GANGS = 640,
    JITTER = 230 /* largest random change of a sort key, in both directions */
};
enum {
    /* distance of the target before the end of the best plan, in 10000ths of the time from now to
     * that end */
    AIM = 90,
    /* approximate work units of a step; the fuller the bins, the fewer items a step removes */
    STEP_WORK = 3072,
    WINDOW_FOLD = 4, /* factor for STEP_WORK in a step that removes a window */
    /* approximate number of starts that are tried in a bin whose price depends on time */
    TIMED_FOLD = 12,
    LEAST_LOOSE = 6, /* a step can always remove this many items, however full the bins are */
    RUIN_TAKEN = 24, /* greatest number of tasks that a step removes from one bin */
    /* after this many steps without a better plan, the search returns to the best plan */
    PATIENCE = 1536,
    /* number of returns after which the accepted loss begins at 0 again; with each return it grows
     * by a quarter of the mean loss */
    STALLS = 6,
    ORDER_WEIGHT_LEAST = 16,
    ORDER_WEIGHT_MOST = 4096
};

static uint32_t below(struct time_pack *f, uint32_t n) {
    return pack_random_below(&f->random, n);
}
static int chance(struct time_pack *f, uint32_t of_1024) {
    return below(f, 1024) < of_1024;
}

/* ---- ruin ---- */

static void take_item(struct time_pack *f, uint32_t i) {
    const struct pack_item *item = &f->p->items[i];
    if (f->n_loose >= f->most_loose || f->stamp[i] == f->step || item->is_pinned) return;
    f->stamp[i] = f->step;
    f->loose[f->n_loose++] = (struct time_loose){.item = i, .was_in = f->st.is_in[i]};
    if (!f->st.is_in[i]) return;
    memcpy(f->kept + item->first_task, f->st.spots + item->first_task,
           item->tasks * sizeof *f->kept);
    time_take(&f->st, i);
}

static void revert(struct time_pack *f) {
    for (uint32_t k = 0; k < f->n_loose; k++)
        if (f->st.is_in[f->loose[k].item]) time_take(&f->st, f->loose[k].item);
    for (uint32_t k = 0; k < f->n_loose; k++) {
        const struct pack_item *item = &f->p->items[f->loose[k].item];
        if (!f->loose[k].was_in) continue;
        memcpy(f->st.spots + item->first_task, f->kept + item->first_task,
               item->tasks * sizeof *f->kept);
        time_put(&f->st, f->loose[k].item);
    }
}

/* Removes the items of up to RUIN_TAKEN tasks of a bin: of all its tasks, or of tasks that follow
 * each other in time. */
static void take_bin(struct time_pack *f, uint32_t bin) {
    uint32_t n = f->st.n_in[bin], take[RUIN_TAKEN], n_take = 0, most = RUIN_TAKEN;
    /* each bin of the step gets an equal number of the items that the step can remove */
    uint32_t room = f->most_loose / f->n_bins + 1;
    if (most > room) most = room;
    if (n > most) most = most / 3 + below(f, most - most / 3) + 1;
    if (most > n) most = n;
    uint32_t skip = below(f, n - most + 1), t = f->st.first[bin];
    while (t && skip--) t = f->st.after[t - 1];
    for (; t && n_take < most; t = f->st.after[t - 1]) take[n_take++] = f->st.item_of[t - 1];
    for (uint32_t k = 0; k < n_take; k++) take_item(f, take[k]);
}

static void time_ruin_add_bin(struct time_pack *f, uint32_t bin) {
    for (uint32_t k = 0; k < f->n_bins; k++)
        if (f->bins[k] == bin) return;
    if (f->n_bins < TIME_STEP_BINS) f->bins[f->n_bins++] = bin;
}

/* Returns a random bin of a class that the item can use: a bin up to the last used or marked one of
 * the class, or the bin after that. */
static uint32_t random_bin(struct time_pack *f, const struct pack_item *item) {
    const struct pack_problem *p = f->p;
    uint32_t row = item->n_allowed ? item->allowed[below(f, item->n_allowed)]
                                   : p->bin_class[below(f, p->n_bins)];
    const struct pack_class *c = &p->classes[row];
    uint32_t n = f->st.high[row] < c->n_bins ? f->st.high[row] + 1 : c->n_bins;
    return n ? c->first_bin + below(f, n) : PACK_NO_BIN;
}

static int is_late(const struct time_pack *f, uint32_t i) {
    const struct pack_item *item = &f->p->items[i];
    const struct pack_spot *spot = &f->st.spots[item->first_task];
    int64_t duration = f->p->configs[item->first_config + spot->config].duration;
    int64_t end = time_end_of(spot->start, duration);
    return end != PACK_FOREVER && end > f->st.target;
}

/* Returns an item whose change could improve the plan: mostly an item that is left out or that ends
 * after the target; otherwise the one with the higher price of two random items. */
static uint32_t choose_item(struct time_pack *f) {
    uint32_t n = f->p->n_items, i = below(f, n), other = below(f, n);
    if (f->st.left_out && chance(f, 512))
        for (uint32_t k = 0; k < n; k++, i = i + 1 == n ? 0 : i + 1)
            if (!f->st.is_in[i]) return i;
    if (f->st.over && chance(f, 960))
        for (uint32_t k = 0; k < n; k++, i = i + 1 == n ? 0 : i + 1)
            if (f->st.is_in[i] && is_late(f, i)) return i;
    return f->st.item_price[other] > f->st.item_price[i] ? other : i;
}

/* Returns one of three random bins: the one with the fewest tasks, because it is the easiest to
 * empty. Empty bins do not count; PACK_NO_BIN if all three are empty. */
static uint32_t light_bin(struct time_pack *f, const struct pack_item *item) {
    uint32_t best = PACK_NO_BIN;
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t bin = random_bin(f, item);
        if (bin == PACK_NO_BIN || f->st.n_in[bin] == 0) continue;
        if (best == PACK_NO_BIN || f->st.n_in[bin] < f->st.n_in[best]) best = bin;
    }
    return best;
}

/* Returns the number of items that a step can remove: as many as STEP_WORK work units suffice to
 * insert again, but at least LEAST_LOOSE. */
static uint32_t time_ruin_most_of(const struct time_pack *f) {
    uint64_t walk = 1;
    for (uint32_t k = 0; k < f->n_bins; k++) walk += 2 * (uint64_t)f->st.n_in[f->bins[k]];
    if (f->may_wait) walk *= TIMED_FOLD;
    if (walk > STEP_WORK / LEAST_LOOSE) return LEAST_LOOSE;
    return STEP_WORK / walk < TIME_STEP_ITEMS ? (uint32_t)(STEP_WORK / walk) : TIME_STEP_ITEMS;
}

/* Removes items from all bins that start at about the same time as item i. In one of four cases, it
 * removes all items that start at about that time or later. */
static void ruin_window(struct time_pack *f, uint32_t i) {
    const struct pack_problem *p = f->p;
    const struct pack_item *item = &p->items[i];
    const struct pack_spot *spot = &f->st.spots[item->first_task];
    int64_t span = p->configs[item->first_config + spot->config].duration;
    uint64_t walk = 2 * (uint64_t)p->n_tasks + p->n_bins;
    if (span == PACK_FOREVER) span = p->end > p->now ? p->end - p->now : 1;
    int64_t from = spot->start - span / 1024 * below(f, 1024);
    int64_t to = chance(f, 256) ? INT64_MAX : spot->start + span / 512 * below(f, 1024);
    uint64_t most = WINDOW_FOLD * STEP_WORK / walk;
    f->most_loose = most < LEAST_LOOSE       ? LEAST_LOOSE
                    : most < TIME_STEP_ITEMS ? (uint32_t)most
                                             : TIME_STEP_ITEMS;
    take_item(f, i);
    for (uint32_t k = 0, other = below(f, p->n_items); k < p->n_items; k++) {
        const struct pack_item *at = &p->items[other];
        int64_t start = f->st.spots[at->first_task].start;
        if (f->st.is_in[other] && start >= from && start <= to) take_item(f, other);
        other = other + 1 == p->n_items ? 0 : other + 1;
    }
}

static void ruin_bins(struct time_pack *f, uint32_t i) {
    const struct pack_item *item = &f->p->items[i];
    uint32_t bin, wanted = chance(f, 128) ? 3 : 2;
    if (f->st.price > 0 && chance(f, 128) && (bin = light_bin(f, item)) != PACK_NO_BIN) {
        f->dissolve = 1;
        time_ruin_add_bin(f, bin);
    } else if (f->st.is_in[i]) {
        time_ruin_add_bin(f, f->st.spots[item->first_task].bin);
    }
    for (uint32_t k = 0; k < 8 && f->n_bins < wanted; k++)
        if ((bin = random_bin(f, item)) != PACK_NO_BIN) time_ruin_add_bin(f, bin);
    f->most_loose = time_ruin_most_of(f);
    take_item(f, i);
    for (uint32_t k = 0; k < f->n_bins; k++) take_bin(f, f->bins[k]);
}

static void ruin(struct time_pack *f) {
    uint32_t i = choose_item(f);
    f->step++;
    f->n_loose = f->n_bins = 0;
    f->dissolve = 0;
    if (f->st.is_in[i] && !f->st.left_out && chance(f, f->has_gangs ? WINDOW_GANGS : WINDOW))
        ruin_window(f, i);
    else
        ruin_bins(f, i);
    for (uint32_t k = 0; f->st.left_out && k < 4; k++) {
        uint32_t other = below(f, f->p->n_items);
        if (!f->st.is_in[other]) take_item(f, other);
    }
}

/* ---- recreate ---- */

enum ruin_order { BIG_FIRST, OLD_ORDER, LEAST_SLACK, DEAREST, ANY_ORDER };

static uint64_t time_ruin_clip(int64_t us) {
    return us <= 0 ? 0 : us > (int64_t)1 << 40 ? (uint64_t)1 << 40 : (uint64_t)us;
}

static uint64_t time_ruin_key_of(struct time_pack *f, const struct time_loose *l,
                                 enum ruin_order by) {
    const struct pack_problem *p = f->p;
    const struct pack_item *item = &p->items[l->item];
    uint64_t share = f->st.share[item->first_config];
    uint64_t length = time_ruin_clip(p->configs[item->first_config].duration),
             most = (uint64_t)1 << 41;
    uint64_t jitter = 1024 - JITTER + below(f, 2 * JITTER);
    int64_t due = item->latest < item->deadline ? item->latest : item->deadline;
    switch (by) {
    case BIG_FIRST: return share * ((uint64_t)1 << 42) + length * jitter / 1024;
    case OLD_ORDER:
        if (!l->was_in) return most * below(f, 1024) / 1024;
        return most - time_ruin_clip(f->kept[item->first_task].start - p->now) * jitter / 1024;
    case LEAST_SLACK: {
        int64_t slack = due == INT64_MAX ? due : due - (int64_t)length - p->now;
        return most - time_ruin_clip(slack) * jitter / 1024;
    }
    case DEAREST: {
        uint64_t price = (uint64_t)(item->late_price + item->flow_price) / 1024;
        uint64_t work = (length >> 10) * share / 1024 + 1;
        return wide_mul_div(price + 1, (uint64_t)1 << 30, work, UINT64_MAX >> 10) / 1024 * jitter;
    }
    default: return pack_random(&f->random);
    }
}

static uint32_t choose_order(struct time_pack *f) {
    uint32_t sum = 0, k = 0;
    for (uint32_t o = 0; o < TIME_ORDERS; o++) sum += f->order_weight[o];
    for (uint32_t at = below(f, sum); at >= f->order_weight[k]; k++) at -= f->order_weight[k];
    return k;
}

#define LOOSE_BEFORE(of, a, b) ((a).key > (b).key)
SORT_STABLE(sort_by_key, struct time_loose, const void *, LOOSE_BEFORE)

/* Sorts the removed items by their keys for this order. In half of the steps of a plan that leaves
 * items out, the items that could not be inserted most often come first. */
static void sort_loose(struct time_pack *f, enum ruin_order by) {
    int by_misses = f->st.left_out && chance(f, 512);
    struct time_loose spare[TIME_STEP_ITEMS];
    for (uint32_t k = 0; k < f->n_loose; k++) {
        struct time_loose *l = &f->loose[k];
        l->key = time_ruin_key_of(f, l, by) >> 12;
        if (by_misses) l->key += (uint64_t)(f->misses[l->item] & 0x7FF) << 52;
        l->home = f->n_bins && l->was_in && f->p->items[l->item].tasks == 1 && chance(f, HOME) &&
                  !(f->dissolve && f->kept[f->p->items[l->item].first_task].bin == f->bins[0]);
    }
    sort_by_key(NULL, f->loose, spare, f->n_loose);
}

/* Returns a random earliest start for the item. It is the instant at which another item begins or
 * ends, or the start with which the item itself ends at that instant, or the item's latest start.
 * Returns INT64_MIN if the instant is too late or never comes. */
static int64_t random_delay(struct time_pack *f, uint32_t i) {
    const struct pack_problem *p = f->p;
    const struct pack_item *item = &p->items[i];
    uint32_t other = below(f, p->n_items);
    const struct pack_spot *spot = &f->st.spots[p->items[other].first_task];
    if (!f->st.is_in[other] || chance(f, 128)) /* return the latest start of the item */
        return item->latest != INT64_MAX ? item->latest : INT64_MIN;
    int64_t at = spot->start;
    int64_t own = p->configs[item->first_config].duration;
    int64_t its = p->configs[p->items[other].first_config + spot->config].duration;
    if (chance(f, 512)) at = time_end_of(at, its);
    if (chance(f, 512) && own != PACK_FOREVER && at != INT64_MAX) at -= own;
    return at <= item->latest && at != INT64_MAX ? at : INT64_MIN;
}

static void time_ruin_recreate(struct time_pack *f, enum ruin_order by) {
    const struct pack_problem *p = f->p;
    uint32_t second = p->makespan_price && chance(f, 960) ? TIME_BY_ROOM
                      : chance(f, 256)                    ? TIME_BY_LATEST
                                                          : TIME_BY_END;
    struct time_rule any = {.second = second, .not_before = INT64_MIN};
    sort_loose(f, by);
    for (uint32_t k = 0; k < f->n_loose; k++) {
        const struct time_loose *l = &f->loose[k];
        const struct pack_item *item = &p->items[l->item];
        struct time_rule rule = any;
        if (l->home) {
            rule.bins = &f->kept[item->first_task].bin;
            rule.n_bins = 1;
        } else if (item->tasks == 1 && f->n_bins && !chance(f, ANYWHERE)) {
            rule.bins = f->dissolve ? f->bins + 1 : f->bins;
            rule.n_bins = f->n_bins - f->dissolve;
            rule.blink = BLINK;
            rule.random = &f->random;
        }
        if (f->may_wait && chance(f, DELAYED)) rule.not_before = random_delay(f, l->item);
        if (time_insert(&f->st, l->item, &rule)) continue;
        if (((!rule.bins && rule.not_before == INT64_MIN) || !time_insert(&f->st, l->item, &any)) &&
            f->misses[l->item] < 0x7FF)
            f->misses[l->item]++;
    }
}

/* ---- the search ---- */

/* Sets the target a little before the end of the new best plan. The values in `past` depend on the
 * old target. Therefore they are replaced with the value of the current plan. */
static void aim(struct time_pack *f) {
    f->last_best = f->step;
    if (!f->p->makespan_price) return;
    int64_t end = time_last_end(&f->st);
    time_state_aim(&f->st, end - 1 - (end - f->p->now) / 10000 * AIM);
    time_state_value(&f->st, &f->value);
    for (uint32_t k = 0; k < TIME_HISTORY; k++) f->past[k] = f->value;
}

static void load_best(struct time_pack *f, const struct pack_best *best) {
    time_load(f, best->spots);
    time_state_value(&f->st, &f->value);
    aim(f);
    /* the loss that is accepted grows with each return to this plan, and begins at 0 again after
     * STALLS returns */
    for (uint32_t k = 0; k < TIME_HISTORY; k++) {
        f->past[k] = f->value;
        f->past[k].cost += f->worse * (f->stalls % STALLS) / 4;
    }
    f->is_loaded = 1;
}

static void time_ruin_begin(struct time_pack *f) {
    for (uint32_t o = 0; o < TIME_ORDERS; o++) f->order_weight[o] = 128;
    int waits = 0; /* true if an item has a price for waiting (flow or late price) */
    for (uint32_t i = 0; i < f->p->n_items; i++)
        waits |= f->p->items[i].flow_price > 0 || f->p->items[i].late_price > 0;
    f->order_weight[BIG_FIRST] = waits ? 512 : 1024;
    for (uint32_t i = 0; i < f->p->n_items; i++) f->stamp[i] = UINT64_MAX;
    for (uint32_t c = 0; c < f->p->n_classes; c++)
        f->may_wait |= (uint8_t)time_class_is_timed(f->p, &f->p->classes[c]);
    for (uint32_t i = 0; i < f->p->n_items; i++) f->has_gangs |= f->p->items[i].tasks > 1;
    f->may_wait |= f->has_gangs;
}

static void order_reward(struct time_pack *f, uint32_t order, int found) {
    if (found && f->order_weight[order] < ORDER_WEIGHT_MOST) f->order_weight[order] += 64;
    if (f->step % 512) return;
    for (uint32_t o = 0; o < TIME_ORDERS; o++)
        f->order_weight[o] = f->order_weight[o] * 3 / 4 + ORDER_WEIGHT_LEAST;
}

static void time_ruin_step(struct time_pack *f, struct pack_best *best, struct pack_meter *m) {
    struct time_value after, *past = &f->past[f->step % TIME_HISTORY];
    uint32_t order = choose_order(f);
    ruin(f);
    time_ruin_recreate(f, order);
    time_state_value(&f->st, &after);
    order_reward(f, order, time_value_less(&after, &f->value));
    if (time_value_less(past, &after) && time_value_less(&f->value, &after)) {
        if (after.left_out == f->value.left_out)
            f->worse += (after.cost - f->value.cost - f->worse) / 64;
        revert(f);
    } else {
        if (time_value_less(&after, &f->value)) m->done += f->p->n_tasks / 8;
        f->value = after;
        if (time_offer(f, best, LSCHED_PACK_METHOD_RUIN)) {
            f->stalls = 0;
            aim(f);
        }
    }
    if (time_value_less(&f->value, past)) *past = f->value;
}

/* True if the plan can change: there is a bin, and an item that is not pinned. */
static int may_change(const struct pack_problem *p) {
    for (uint32_t i = 0; i < p->n_items; i++)
        if (!p->items[i].is_pinned) return p->n_bins > 0;
    return 0;
}

int time_ruin(struct time_pack *f, struct pack_best *best, struct pack_meter *m,
              const struct pack_value *bound) {
    if (!best->has_plan || !may_change(f->p)) return PACK_DONE;
    if (f->step == 0) time_ruin_begin(f);
    while (!pack_meter_spent(m)) {
        if (!pack_value_less(*bound, best->value)) return PACK_DONE;
        if (f->is_loaded && f->step - f->last_best > PATIENCE) {
            f->stalls++;
            f->is_loaded = 0;
        }
        if (!f->is_loaded) load_best(f, best);
        time_ruin_step(f, best, m);
        m->states++;
        time_count(f, m);
        m->done += 16; /* cost of a step in addition to its walks over breakpoints */
    }
    return PACK_MORE;
}
