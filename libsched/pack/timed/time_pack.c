/*
 * time_pack.c -- memory of the solver of FLEXIBLE problems, and its first plans. List scheduling
 * takes the items in several orders, and inserts each item where it adds the least cost
 * (time_insert.h).
 *
 * In every order, pinned items come first, then items with a fixed start. The other items are
 * ordered in six ways:
 *   - as the orchestrator gives them
 *   - the greatest share of a bin first; among equal shares, the longest item first
 *   - the longest item first
 *   - the greatest work first (share of a bin x length)
 *   - the least slack before the latest start or the deadline first
 *   - the least work in proportion to the late and flow price first
 *
 * If items have present bins (struct pack_item, `now`), one more plan leaves these items in their
 * bins. Cost: orders x items x breakpoints of the bins that are tried. For a large problem, fewer
 * orders are tried.
 */
#include "pack/timed/time_pack.h"

#include <string.h>

#include "pack/cost/cost.h"
#include "base/sort.h"

struct time_pack *time_new(const struct pack_problem *p, const lsched_pack_opts *opts,
                           struct pack_arena *arena) {
    struct time_pack counting = {.p = p}, *made = pack_take(arena, 1, sizeof *made);
    struct time_pack *f = made ? made : &counting;
    f->p = p;
    time_state_new(&f->st, p, arena);
    f->order = pack_take(arena, p->n_items, sizeof *f->order);
    f->keys = pack_take(arena, p->n_items, sizeof *f->keys);
    f->kept = pack_take(arena, p->n_tasks, sizeof *f->kept);
    f->stamp = pack_take(arena, p->n_items, sizeof *f->stamp);
    f->misses = pack_take(arena, p->n_items, sizeof *f->misses);
    f->random = (opts->seed + 1) * 0x9E3779B97F4A7C15ULL | 1;
    return made;
}

void time_count(struct time_pack *f, struct pack_meter *m) {
    /* a work unit is two breakpoints, about 30 ns */
    uint64_t units = (f->st.profile.steps - f->counted) / 2;
    m->done += units;
    f->counted += units * 2;
}

int time_offer(struct time_pack *f, struct pack_best *best, uint32_t method) {
    struct pack_value value = time_plan_value(&f->st);
    uint32_t bad;
    if (pack_best_meets(best, value)) return 0;
    for (uint32_t i = 0; i < f->p->n_items; i++)
        for (uint32_t t = 0; t < f->p->items[i].tasks && !f->st.is_in[i]; t++)
            f->st.spots[f->p->items[i].first_task + t] = (struct pack_spot){.bin = PACK_NO_BIN};
    if (best->cost && pack_value_of(best->cost, f->st.spots, &value, &bad, NULL) != 0) return 0;
    return pack_best_offer(best, f->p, f->st.spots, value, method);
}

void time_load(struct time_pack *f, const struct pack_spot *spots) {
    const struct pack_problem *p = f->p;
    time_state_reset(&f->st);
    for (uint32_t i = 0; i < p->n_items; i++) {
        const struct pack_item *item = &p->items[i];
        const struct pack_spot *from = spots + item->first_task;
        if (from->bin == PACK_NO_BIN || !time_fits(&f->st, i, from)) continue;
        memcpy(f->st.spots + item->first_task, from, item->tasks * sizeof *from);
        time_put(&f->st, i);
    }
}

/* ---- orders ---- */

enum { TIME_SEED_WORK = 4000000 }; /* after this many work units, no further order is tried */

enum pack_order {
    ORDER_BY_NUMBER,
    ORDER_BY_SHARE,
    ORDER_BY_LENGTH,
    ORDER_BY_WORK,
    ORDER_BY_SLACK,
    ORDER_BY_DEARNESS,
    N_ORDERS
};

static uint64_t time_pack_clip(int64_t us) {
    return us <= 0 ? 0 : us > (int64_t)1 << 44 ? (uint64_t)1 << 44 : (uint64_t)us;
}

/* Returns the sort key of an item; the item with the smallest key is inserted first. The share and
 * length are those of the item's first config. */
static uint64_t time_pack_key_of(const struct time_pack *f, uint32_t i, enum pack_order by) {
    const struct pack_item *item = &f->p->items[i];
    uint64_t share = f->st.share[item->first_config];
    uint64_t length = time_pack_clip(f->p->configs[item->first_config].duration),
             most = (uint64_t)1 << 60;
    int64_t due = item->latest < item->deadline ? item->latest : item->deadline;
    uint64_t slack = time_pack_clip(due == INT64_MAX ? due : due - (int64_t)length - f->p->now);
    if (item->is_pinned) return 0;
    if (item->latest == item->ready) return 1;
    switch (by) {
    case ORDER_BY_SHARE: return most - (share << 45) - length;
    case ORDER_BY_LENGTH: return most - length;
    case ORDER_BY_WORK: return most - share * length;
    case ORDER_BY_SLACK: return 2 + slack;
    /* Smith's rule: the least work in proportion to the price of waiting */
    case ORDER_BY_DEARNESS:
        return 2 + share * item->tasks * (length >> 10) /
                       (1 + (uint64_t)(item->flow_price + item->late_price) / 1024);
    default: return 2;
    }
}

static int lists_first(const uint64_t *keys, uint32_t a, uint32_t b) {
    return keys[a] != keys[b] ? keys[a] < keys[b] : a < b;
}

SORT_IN_PLACE(sort_listed, uint32_t, const uint64_t *, lists_first)

static void order_listed(struct time_pack *f, enum pack_order by) {
    uint32_t n = f->p->n_items;
    for (uint32_t i = 0; i < n; i++) {
        f->order[i] = i;
        f->keys[i] = time_pack_key_of(f, i, by);
    }
    sort_listed(f->keys, f->order, n);
}

/* Inserts all items that are not in the plan, in this order. */
static void time_pack_fill(struct time_pack *f, enum pack_order by) {
    struct time_rule rule = {.not_before = INT64_MIN};
    order_listed(f, by);
    for (uint32_t k = 0; k < f->p->n_items; k++)
        if (!f->st.is_in[f->order[k]]) (void)time_insert(&f->st, f->order[k], &rule);
}

/* Empties the plan. Then inserts each item that has present bins into these bins at its ready time,
 * if it fits. */
static void put_standing(struct time_pack *f) {
    const struct pack_problem *p = f->p;
    time_state_reset(&f->st);
    for (int pinned = 1; pinned >= 0; pinned--)
        for (uint32_t i = 0; i < p->n_items; i++) {
            const struct pack_item *item = &p->items[i];
            struct pack_spot *spots = &f->st.spots[item->first_task];
            if (!item->now || item->is_pinned != pinned) continue;
            for (uint32_t t = 0; t < item->tasks; t++)
                spots[t] = (struct pack_spot){.bin = item->now[t],
                                              .config = (uint16_t)item->config_now,
                                              .slice = item->slice_now,
                                              .start = item->ready};
            if (time_fits(&f->st, i, spots)) time_put(&f->st, i);
        }
}

void time_seed(struct time_pack *f, struct pack_best *best, struct pack_meter *m) {
    for (enum pack_order by = ORDER_BY_NUMBER; by < N_ORDERS && m->done < TIME_SEED_WORK; by++) {
        time_state_reset(&f->st);
        time_pack_fill(f, by);
        (void)time_offer(f, best, LSCHED_PACK_METHOD_SEED);
        time_count(f, m);
    }
    if (f->p->has_now) {
        put_standing(f);
        time_pack_fill(f, ORDER_BY_SHARE);
        (void)time_offer(f, best, LSCHED_PACK_METHOD_SEED);
        time_count(f, m);
    }
}

void time_start(struct time_pack *f, const struct pack_spot *wish, struct pack_best *best,
                struct pack_meter *m) {
    time_load(f, wish);
    time_pack_fill(f, ORDER_BY_SHARE);
    (void)time_offer(f, best, LSCHED_PACK_METHOD_SEED);
    time_count(f, m);
}
