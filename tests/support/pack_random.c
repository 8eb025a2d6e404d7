/* pack_random.c -- see pack_random.h. One block holds all arrays, so an address never changes while a
 * problem is made. Where items are now is found by first fit of the most that each could need at any
 * time, so it is always a plan, whatever the other features are. */
#include "support/pack_random.h"

#include <stdio.h>
#include <string.h>

#include "property/chance.h"

#define MINUTE_US INT64_C(60000000)
enum { SLOTS_MAX = 24, NAME_BYTES = 12, BINS_TRIED = 64 };

static const struct {
    const char *name;
    uint32_t slices, starts;
} mig_kinds[] = {{"1g.10gb", 1, 0x7F}, {"1g.20gb", 2, 0x55}, {"2g.20gb", 2, 0x15},
                 {"3g.40gb", 4, 0x11}, {"4g.40gb", 4, 0x01}, {"7g.80gb", 8, 0x01}};
enum { MIG_KINDS = sizeof mig_kinds / sizeof *mig_kinds };

static void *take(struct pack_random *r, size_t n, size_t bytes) {
    size_t need = (n * bytes + 15) / 16 * 16;
    if (need > r->room - r->used) {
        fprintf(stderr, "pack_random: block too small\n");
        abort();
    }
    void *at = r->block + r->used;
    r->used += need;
    return at;
}

static int has(const struct pack_random *r, uint32_t feature) {
    return (r->features & feature) != 0;
}

static lsched_text name_of(struct pack_random *r, char kind, uint32_t i) {
    char *text = take(r, 1, NAME_BYTES);
    snprintf(text, NAME_BYTES, "%c%u", kind, i);
    return (lsched_text){text, strlen(text)};
}

/* Minutes on a grid of ten, or not. */
static int64_t some_time(struct chance *c, int64_t low_minutes, int64_t high_minutes) {
    int64_t minutes = chance_between(c, low_minutes, high_minutes);
    if (chance_one_in(c, 2)) minutes = (minutes + 9) / 10 * 10;
    return minutes * MINUTE_US;
}

static int64_t some_price(struct chance *c) {
    return chance_one_in(c, 3) ? 0 : chance_between(c, 1, 40) * 50000;
}

static void make_resources(struct pack_random *r, struct chance *c) {
    uint32_t n = 1 + chance_below(c, PACK_RANDOM_RESOURCES);
    r->resources = take(r, n, sizeof *r->resources);
    for (uint32_t i = 0; i < n; i++) {
        lsched_pack_resource *x = &r->resources[i];
        x->size = sizeof *x;
        x->name = name_of(r, 'r', i);
        x->soft = has(r, PACK_RANDOM_SOFT) && i == n - 1;
        if (!x->soft) continue;
        x->z_milli = chance_one_in(c, 2) ? 0 : 500 + 500 * chance_below(c, 7);
        x->overload_price_micro = chance_between(c, 0, 20) * 500000;
    }
    r->problem.n_resources = n;
    r->problem.resources = r->resources;
    r->problem.resource_size = sizeof *r->resources;
}

static int64_t scale_of(struct pack_random *r, struct chance *c) {
    static const int64_t scales[] = {10, 12, 100, 1000};
    int64_t scale = scales[chance_below(c, 4)];
    return has(r, PACK_RANDOM_BIG) ? scale * ((INT64_C(1) << 33) + 12345) : scale;
}

static void price_class(struct pack_random *r, struct chance *c, lsched_pack_class *x) {
    x->open_price_micro = chance_one_in(c, 4) ? 0 : 1000000;
    if (has(r, PACK_RANDOM_CLASSES)) x->open_price_micro = some_price(c);
    if (!has(r, PACK_RANDOM_PRICES)) return;
    x->on_price_micro_per_hour = some_price(c);
    x->switch_price_micro = some_price(c);
    if (x->mig_table.len) x->recut_price_micro = some_price(c);
    if (x->count != LSCHED_PACK_UNLIMITED && chance_one_in(c, 2))
        x->on_now = chance_below(c, x->count + 1);
}

/* capacity[0] of each resource is the scale; other classes have from half to twice of it. */
static void make_classes(struct pack_random *r, struct chance *c, int64_t *least) {
    uint32_t n = has(r, PACK_RANDOM_CLASSES) ? 2 + chance_below(c, 2) : 1;
    uint32_t n_resources = r->problem.n_resources;
    r->classes = take(r, n, sizeof *r->classes);
    for (uint32_t i = 0; i < n; i++) {
        lsched_pack_class *x = &r->classes[i];
        int64_t *capacity = take(r, n_resources, sizeof *capacity);
        x->size = sizeof *x;
        x->name = name_of(r, 'c', i);
        x->capacity = capacity;
        x->count = 1 + chance_below(c, 4);
        if (!has(r, PACK_RANDOM_LIMITED) && i == n - 1) x->count = LSCHED_PACK_UNLIMITED;
        for (uint32_t k = 0; k < n_resources; k++) {
            int64_t scale = i == 0 ? scale_of(r, c) : r->classes[0].capacity[k];
            capacity[k] = i == 0 ? scale : chance_between(c, (scale + 1) / 2, 2 * scale);
            if (i == 0 || capacity[k] < least[k]) least[k] = capacity[k];
        }
        if (has(r, PACK_RANDOM_MIG) && (i == 0 || chance_one_in(c, 3)))
            x->mig_table = (lsched_text){"h100-80gb", 9};
        price_class(r, c, x);
    }
    r->problem.n_classes = n;
    r->problem.classes = r->classes;
    r->problem.class_size = sizeof *r->classes;
}

static void make_slots(struct pack_random *r, struct chance *c) {
    if (!has(r, PACK_RANDOM_PROFILES)) return;
    uint32_t n = 2 + chance_below(c, SLOTS_MAX - 1);
    r->slots = take(r, n + 1, sizeof *r->slots);
    for (uint32_t i = 1; i <= n; i++)
        r->slots[i] = r->slots[i - 1] + MINUTE_US * (chance_one_in(c, 2) ? 5 : 60);
    r->problem.n_slots = n;
    r->problem.slot_bounds = r->slots;
}

/* Between nothing and all of a bin; often a half or a third, which is where packing is hard. */
static int64_t some_amount(struct chance *c, int64_t most) {
    switch (chance_below(c, 5)) {
    case 0: return most / 2;
    case 1: return most / 3;
    case 2: return chance_between(c, 0, most);
    default: return chance_between(c, 0, (most + 1) / 2);
    }
}

static void fill_demand(struct pack_random *r, struct chance *c, lsched_pack_config *x,
                        const int64_t *least) {
    uint32_t n = r->problem.n_resources, cells = x->n_slots ? x->n_slots : 1;
    int64_t *demand = take(r, (size_t)n * cells, sizeof *demand);
    int64_t *sigma = NULL;
    if (has(r, PACK_RANDOM_SOFT) && !chance_one_in(c, 4))
        sigma = take(r, (size_t)n * cells, sizeof *sigma);
    for (uint32_t k = 0; k < n; k++) {
        int64_t most = some_amount(c, least[k]);
        for (uint32_t i = 0; i < cells; i++) {
            int64_t amount = x->n_slots ? chance_between(c, 0, most) : most;
            demand[(size_t)k * cells + i] = amount;
            if (!sigma || !r->resources[k].soft) continue;
            /* only priced: any; else so little that mean + 10 sigma fits an empty bin */
            int only_priced = r->resources[k].z_milli == 0;
            if (!only_priced) demand[(size_t)k * cells + i] = amount / 2;
            sigma[(size_t)k * cells + i] = chance_between(c, 0, amount / (only_priced ? 4 : 20));
        }
    }
    x->demand = demand;
    x->sigma = sigma;
}

/* The second and third way to run: more of everything for less time, or a larger instance. */
static void more_configs(struct pack_random *r, struct chance *c, lsched_pack_item *item,
                         lsched_pack_config *x, const int64_t *least, uint32_t mig) {
    if (!has(r, PACK_RANDOM_CONFIGS) || x[0].n_slots || chance_one_in(c, 2)) return;
    item->n_configs = 2 + chance_below(c, PACK_RANDOM_CONFIGS_MAX - 1);
    for (uint32_t i = 1; i < item->n_configs; i++) {
        x[i] = x[i - 1];
        fill_demand(r, c, &x[i], least);
        if (mig < MIG_KINDS) {
            mig = chance_below(c, MIG_KINDS);
            x[i].mig_profile = (lsched_text){mig_kinds[mig].name, strlen(mig_kinds[mig].name)};
        }
        if (x[i].duration_us < INT64_MAX)
            x[i].duration_us = x[i].duration_us / 2 / MINUTE_US * MINUTE_US + MINUTE_US;
        x[i].resize_price_micro = some_price(c);
    }
}

static void time_of_profile(struct pack_random *r, struct chance *c, lsched_pack_item *item,
                            lsched_pack_config *x) {
    uint32_t n = r->problem.n_slots;
    x->first_slot = chance_one_in(c, 2) ? 0 : chance_below(c, n);
    x->n_slots = chance_one_in(c, 2) ? n - x->first_slot : 1 + chance_below(c, n - x->first_slot);
    item->flags = LSCHED_PACK_ITEM_HAS_LATEST;
    item->ready_us = item->latest_us = r->slots[x->first_slot];
    x->duration_us = r->slots[x->first_slot + x->n_slots] - item->ready_us;
}

static void time_of_constant(struct pack_random *r, struct chance *c, lsched_pack_item *item,
                             lsched_pack_config *x) {
    int64_t end = r->slots ? r->slots[r->problem.n_slots] / MINUTE_US : 600;
    item->ready_us = chance_one_in(c, 4) ? 0 : some_time(c, 0, end - 1);
    if (r->slots && item->ready_us >= end * MINUTE_US) item->ready_us = 0;
    item->flags = LSCHED_PACK_ITEM_HAS_LATEST;
    item->latest_us = item->ready_us;
    if (has(r, PACK_RANDOM_FLEXIBLE) && !chance_one_in(c, 4))
        item->latest_us =
            chance_one_in(c, 3) ? item->ready_us + some_time(c, 0, 300) : LSCHED_NEVER_US;
    x->duration_us = some_time(c, 1, chance_one_in(c, 2) ? 60 : 240);
    if (r->slots && item->latest_us == item->ready_us &&
        x->duration_us > end * MINUTE_US - item->ready_us)
        x->duration_us = end * MINUTE_US - item->ready_us;
    if (has(r, PACK_RANDOM_ENDLESS) && chance_one_in(c, 4)) x->duration_us = LSCHED_NEVER_US;
}

static void price_item(struct pack_random *r, struct chance *c, lsched_pack_item *item) {
    item->weight = has(r, PACK_RANDOM_LIMITED) ? chance_below(c, 5) : 0;
    if (!has(r, PACK_RANDOM_PRICES)) return;
    item->flow_price_micro_per_hour = some_price(c);
    if (item->configs[0].duration_us < INT64_MAX && !chance_one_in(c, 3)) {
        item->flags |= LSCHED_PACK_ITEM_HAS_DEADLINE;
        item->deadline_us = item->ready_us + some_time(c, 10, 400);
        item->late_price_micro_per_hour = some_price(c);
    }
}

static void allow_classes(struct pack_random *r, struct chance *c, lsched_pack_item *item,
                          int is_mig) {
    uint32_t n = r->problem.n_classes;
    if (n < 2 || is_mig || !chance_one_in(c, 3)) return;
    uint32_t *classes = take(r, n, sizeof *classes);
    uint32_t but = chance_below(c, n);
    if (!has(r, PACK_RANDOM_LIMITED) && but == n - 1) but = 0;
    for (uint32_t i = 0; i < n; i++)
        if (i != but) classes[item->n_classes++] = i;
    item->classes = classes;
}

static void make_item(struct pack_random *r, struct chance *c, uint32_t i, const int64_t *least) {
    lsched_pack_item *item = &r->items[i];
    lsched_pack_config *x = &r->configs[(size_t)i * PACK_RANDOM_CONFIGS_MAX];
    uint32_t mig = MIG_KINDS;
    for (uint32_t k = 0; k < PACK_RANDOM_CONFIGS_MAX; k++) x[k].size = sizeof *x;
    item->size = sizeof *item;
    item->name = name_of(r, 'i', i);
    item->n_configs = 1;
    item->tasks = 1;
    if (has(r, PACK_RANDOM_MIG) && chance_one_in(c, 2)) {
        mig = chance_below(c, MIG_KINDS);
        x->mig_profile = (lsched_text){mig_kinds[mig].name, strlen(mig_kinds[mig].name)};
    }
    if (r->slots && !chance_one_in(c, 4))
        time_of_profile(r, c, item, x);
    else
        time_of_constant(r, c, item, x);
    if (mig == MIG_KINDS || x->n_slots || chance_one_in(c, 4)) fill_demand(r, c, x, least);
    more_configs(r, c, item, x, least, mig);
    item->configs = x;
    if (has(r, PACK_RANDOM_GANGS) && chance_one_in(c, 3)) {
        item->tasks = 2 + chance_below(c, 2);
        item->apart = chance_below(c, 2);
    }
    allow_classes(r, c, item, mig < MIG_KINDS);
    price_item(r, c, item);
}

/* ---- what is there already ---- */

/* What is taken of the first BINS_TRIED bins, by peaks, as if for ever. */
struct taken {
    int64_t amount[BINS_TRIED][PACK_RANDOM_RESOURCES];
    uint32_t slices[BINS_TRIED], class_of[BINS_TRIED], n;
};

/* An unlimited class has a bin for each task. */
static void count_bins(const struct pack_random *r, struct taken *t) {
    uint32_t tasks = 0;
    for (uint32_t i = 0; i < r->problem.n_items; i++) tasks += r->items[i].tasks;
    for (uint32_t k = 0; k < r->problem.n_classes; k++) {
        uint32_t count = r->classes[k].count;
        if (count == LSCHED_PACK_UNLIMITED) count = tasks < 8 ? tasks : 8;
        for (uint32_t i = 0; i < count && t->n < BINS_TRIED; i++) t->class_of[t->n++] = k;
    }
}

static void make_reservations(struct pack_random *r, struct chance *c, struct taken *t) {
    uint32_t n = has(r, PACK_RANDOM_RESERVED) ? 1 + chance_below(c, 3) : 0;
    r->reservations = take(r, n, sizeof *r->reservations);
    for (uint32_t i = 0; i < n; i++) {
        lsched_pack_reservation *x = &r->reservations[i];
        int64_t *amount = take(r, r->problem.n_resources, sizeof *amount);
        x->size = sizeof *x;
        x->bin = chance_below(c, t->n);
        x->from_us = chance_one_in(c, 2) ? 0 : some_time(c, 0, 300);
        x->flags = LSCHED_PACK_RESERVATION_HAS_END;
        x->to_us = chance_one_in(c, 3) ? LSCHED_NEVER_US : x->from_us + some_time(c, 10, 200);
        const lsched_pack_class *class = &r->classes[t->class_of[x->bin]];
        for (uint32_t k = 0; k < r->problem.n_resources; k++) {
            amount[k] = chance_between(c, 0, class->capacity[k] / 4);
            t->amount[x->bin][k] += amount[k];
        }
        x->amount = amount;
        if (!class->mig_table.len) continue;
        x->mig_slices = (1u << chance_below(c, 7)) & ~t->slices[x->bin];
        t->slices[x->bin] |= x->mig_slices;
    }
    r->problem.reservations = r->reservations;
    r->problem.n_reservations = n;
    r->problem.reservation_size = sizeof *r->reservations;
}

/* The most of a config at any time; sigmas ten times, which is the largest z. */
static int64_t peak_of(const struct pack_random *r, const lsched_pack_config *x,
                       uint32_t resource) {
    uint32_t cells = x->n_slots ? x->n_slots : 1;
    int64_t most = 0;
    for (uint32_t i = 0; i < cells; i++) {
        size_t at = (size_t)resource * cells + i;
        int64_t amount = x->demand ? x->demand[at] : 0;
        if (r->resources[resource].soft && x->sigma) amount += 10 * x->sigma[at];
        if (amount > most) most = amount;
    }
    return most;
}

static int class_allowed(const lsched_pack_item *item, uint32_t k) {
    for (uint32_t i = 0; i < item->n_classes; i++)
        if (item->classes[i] == k) return 1;
    return item->n_classes == 0;
}

/* Takes it in this bin, and says at which slice; -1: it does not fit. */
static int take_bin(const struct pack_random *r, struct taken *t, const lsched_pack_item *item,
                    const lsched_pack_config *x, uint32_t bin, uint32_t slice) {
    const lsched_pack_class *class = &r->classes[t->class_of[bin]];
    if (!class_allowed(item, t->class_of[bin])) return -1;
    for (uint32_t k = 0; k < r->problem.n_resources; k++)
        if (t->amount[bin][k] + peak_of(r, x, k) > class->capacity[k]) return -1;
    uint32_t mask = 0, at = 0;
    for (uint32_t m = 0; x->mig_profile.len && m < MIG_KINDS; m++) {
        if (strcmp(mig_kinds[m].name, x->mig_profile.ptr) != 0) continue;
        if (!class->mig_table.len) return -1;
        uint32_t bits = (1u << mig_kinds[m].slices) - 1;
        for (at = slice < 8 ? slice : 0; at < 8 && !mask; at += slice < 8 ? 8 : 1)
            if ((mig_kinds[m].starts >> at & 1) && !(bits << at & t->slices[bin]))
                mask = bits << at;
        if (!mask) return -1;
        at = (uint32_t)__builtin_ctz(mask);
    }
    t->slices[bin] |= mask;
    for (uint32_t k = 0; k < r->problem.n_resources; k++) t->amount[bin][k] += peak_of(r, x, k);
    return (int)at;
}

static void place_item(struct pack_random *r, struct chance *c, struct taken *t,
                       lsched_pack_item *item) {
    struct taken before = *t;
    uint32_t config = chance_below(c, item->n_configs), n = 0, first = chance_below(c, t->n);
    uint32_t *bins = take(r, item->tasks, sizeof *bins), slice = 8;
    for (uint32_t i = 0; i < t->n && n < item->tasks; i++) {
        uint32_t bin = (first + i) % t->n;
        int at = take_bin(r, t, item, &item->configs[config], bin, slice);
        if (at < 0) continue;
        bins[n++] = bin;
        slice = (uint32_t)at; /* one slice_now for all tasks */
    }
    if (n < item->tasks) {
        *t = before;
        return;
    }
    item->bins_now = bins;
    item->config_now = config;
    item->slice_now = item->configs[config].mig_profile.len ? slice : 0;
    item->move_price_micro = some_price(c);
    if (has(r, PACK_RANDOM_PINNED) && chance_one_in(c, 4)) item->flags |= LSCHED_PACK_ITEM_PINNED;
    if (has(r, PACK_RANDOM_PINNED) && chance_one_in(c, 4)) {
        item->flags |= LSCHED_PACK_ITEM_HAS_MOVED_AT;
        item->moved_at_us = -60 * MINUTE_US;
    }
}

static void make_options(struct pack_random *r, struct chance *c) {
    r->opts.size = sizeof r->opts;
    r->opts.seed = chance_word(c);
    if (chance_one_in(c, 2)) r->opts.patience_milli = 1000 + 250 * chance_below(c, 8);
    if (has(r, PACK_RANDOM_PINNED)) r->opts.dwell_us = chance_one_in(c, 2) ? 90 * MINUTE_US : 0;
}

void pack_random_make(struct pack_random *r, uint64_t seed, uint32_t n_items, uint32_t features) {
    struct chance c = {seed};
    struct taken t;
    int64_t least[PACK_RANDOM_RESOURCES] = {0};
    memset(r, 0, sizeof *r);
    memset(&t, 0, sizeof t);
    r->seed = seed;
    r->features = features;
    r->room = 16384 + (size_t)n_items * (features & PACK_RANDOM_PROFILES ? 4096 : 2048);
    r->block = calloc(1, r->room);
    if (!r->block) abort();
    lsched_pack_problem *p = &r->problem;
    p->size = sizeof *p;
    make_resources(r, &c);
    make_classes(r, &c, least);
    make_slots(r, &c);
    r->items = take(r, n_items, sizeof *r->items);
    r->configs = take(r, (size_t)n_items * PACK_RANDOM_CONFIGS_MAX, sizeof *r->configs);
    for (uint32_t i = 0; i < n_items; i++) make_item(r, &c, i, least);
    p->items = r->items;
    p->n_items = n_items;
    p->item_size = sizeof *r->items;
    p->config_size = sizeof *r->configs;
    if (has(r, PACK_RANDOM_PRICES)) p->makespan_price_micro_per_hour = some_price(&c);
    count_bins(r, &t);
    make_reservations(r, &c, &t);
    for (uint32_t i = 0; i < n_items; i++)
        if (has(r, PACK_RANDOM_PLACED) && chance_one_in(&c, 2)) place_item(r, &c, &t, &r->items[i]);
    make_options(r, &c);
}

void pack_random_free(struct pack_random *r) {
    free(r->block);
    memset(r, 0, sizeof *r);
}

uint32_t pack_random_features(uint64_t seed, uint32_t allowed) {
    struct chance c = {seed ^ 0x7061636bu};
    uint32_t features = 0, one_in = 1 + chance_below(&c, 4);
    for (uint32_t bit = 1; bit <= PACK_RANDOM_ALL; bit <<= 1)
        if ((allowed & bit) && chance_one_in(&c, one_in)) features |= bit;
    if (!(features & PACK_RANDOM_PLACED)) features &= ~(uint32_t)PACK_RANDOM_PINNED;
    return features;
}
