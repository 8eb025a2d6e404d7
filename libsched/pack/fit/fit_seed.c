/* fit_seed.c -- see fit_seed.h. */
#include "pack/fit/fit_seed.h"

#include "pack/fit/fit_place.h"
#include "base/sort.h"

enum {
    FIT_SEED_WORK = 4000000, /* after this many work units, no further order is tried */
    /* number of orders that are always tried; one of them is the order by start, for which the rows
     * always suffice (see fit_state_rows_of_class) */
    SEEDS_ALWAYS = 2
};

enum seed_key { SEED_BY_AREA, SEED_BY_SIZE, SEED_BY_START, SEED_BY_LENGTH, SEED_BY_START_SIZE };

static const struct {
    enum seed_key key;
    enum fit_rule rule;
} seeds[] = {{SEED_BY_SIZE, FIT_PEAK},   {SEED_BY_START, FIT_TIGHT},
             {SEED_BY_AREA, FIT_PEAK},   {SEED_BY_AREA, FIT_TIGHT},
             {SEED_BY_SIZE, FIT_TIGHT},  {SEED_BY_START_SIZE, FIT_TIGHT},
             {SEED_BY_LENGTH, FIT_TIGHT}};

static int64_t fit_seed_key_of(const struct fit *f, uint32_t i, enum seed_key key) {
    const struct fit_item *it = &f->items[i];
    switch (key) {
    case SEED_BY_AREA: return it->area;
    case SEED_BY_SIZE: return it->size;
    case SEED_BY_START: return -(int64_t)it->low;
    case SEED_BY_LENGTH: return (int64_t)(it->high - it->low);
    case SEED_BY_START_SIZE: return -((int64_t)it->low << 24) + (it->size >> 8);
    }
    return 0;
}

/* True if item a is placed before item b: the greater key first, then the lower index. */
static int seeds_first(const struct fit *f, uint32_t a, uint32_t b) {
    return f->keys[a] != f->keys[b] ? f->keys[a] > f->keys[b] : a < b;
}

SORT_IN_PLACE(sort_seeds, uint32_t, const struct fit *, seeds_first)

/* Places the items of the pool; an item that fits in no bin stays in the pool. */
static void place_pool(struct fit *f, enum seed_key key, enum fit_rule rule) {
    uint32_t n = f->n_pool;
    f->rule = rule;
    f->may_open = 1;
    for (uint32_t x = 0; x < n; x++) {
        uint32_t i = f->order[x] = f->pool[x];
        f->keys[i] = fit_seed_key_of(f, i, key);
    }
    sort_seeds(f, f->order, n);
    f->work += n;
    for (uint32_t x = 0; x < n; x++) {
        uint32_t b = fit_choose(f, f->order[x], INT64_MAX);
        if (b != FIT_NONE) fit_put(f, f->order[x], b);
    }
}

static void count(struct fit *f, struct pack_meter *m) {
    m->done += f->work;
    f->work = 0;
}

static void seed_from_now(struct fit *f, struct pack_best *best) {
    for (uint32_t i = 0; i < f->p->n_items; i++)
        f->spots[i].bin = f->items[i].now == FIT_NONE ? PACK_NO_BIN : f->items[i].now;
    fit_load(f, f->spots);
    place_pool(f, SEED_BY_AREA, FIT_PEAK);
    (void)fit_offer(f, best, LSCHED_PACK_METHOD_SEED);
}

void fit_seed(struct fit *f, struct pack_best *best, struct pack_meter *m) {
    uint64_t n = sizeof seeds / sizeof seeds[0];
    f->work = 0;
    if (f->p->has_now) seed_from_now(f, best);
    for (uint64_t s = 0; s < n && (s < SEEDS_ALWAYS || f->work < FIT_SEED_WORK); s++) {
        fit_load(f, NULL);
        place_pool(f, seeds[s].key, seeds[s].rule);
        (void)fit_offer(f, best, LSCHED_PACK_METHOD_SEED);
    }
    /* without any plan so far, offer the plan that leaves all items out, which is always valid */
    if (!best->has_plan) {
        fit_clear(f);
        (void)fit_offer(f, best, LSCHED_PACK_METHOD_SEED);
    }
    count(f, m);
}

void fit_start(struct fit *f, const struct pack_spot *wish, struct pack_best *best,
               struct pack_meter *m) {
    struct pack_value value;
    uint32_t bad;
    f->work = 0;
    /* offer `wish` unchanged first: it can use more bins than the state has rows for */
    if (pack_value_of(f->cost, wish, &value, &bad, NULL) == 0)
        (void)pack_best_offer(best, f->p, wish, value, LSCHED_PACK_METHOD_SEED);
    fit_load(f, wish);
    place_pool(f, SEED_BY_AREA, FIT_PEAK);
    (void)fit_offer(f, best, LSCHED_PACK_METHOD_SEED);
    count(f, m);
}
