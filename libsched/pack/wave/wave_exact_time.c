/* wave_exact_time.c -- see wave_exact_time.h. */
#include "pack/wave/wave_exact_time.h"

#include <string.h>

#include "base/hash.h"
#include "pack/cost/cost.h"
#include "pack/timed/time_state.h"

enum {
    ITEMS_MAX = LSCHED_PACK_EXACT_MAX,
    TASKS_MAX = 24,
    BLOCKS_MAX = 48,
    SLOTS_MAX = 64,
    EVENTS_MAX = 2 * TASKS_MAX + 2 * BLOCKS_MAX + SLOTS_MAX + 8,
    EXACT_OPTIONS_MAX = 512,
    MET_BITS = 16
};

struct exact_option {
    uint32_t bin;
    uint8_t slice;
};

/* The choices at one depth: item, config, start, and places of its tasks. */
struct exact_level {
    /* next item to choose, and the chosen item; PACK_NO_BIN if no item is chosen yet */
    uint32_t next_item, item;
    uint32_t config, start, n_starts, n_options;
    uint8_t is_fresh, is_in;
    uint16_t at[TASKS_MAX]; /* index in `options` of each task's place */
    int64_t starts[2 * EVENTS_MAX];
    struct exact_option options[EXACT_OPTIONS_MAX];
};

struct exact_time {
    const struct pack_problem *p;
    /* copy of p without the prices that can fall when an item is added; it has its own classes and
     * resources */
    struct pack_problem relaxed;
    struct pack_class *classes;
    struct pack_resource *resources;
    struct pack_cost *cost;
    struct time_state st;
    struct pack_spot *spots;
    struct exact_level *levels; /* [n_items + 1] choices by depth */
    uint64_t *in_bin;           /* [n_bins] sum of the hash numbers of the bin's tasks */
    uint64_t *met;
    uint32_t depth;
    uint8_t is_regular, too_big, has_begun, is_over, is_cut;
};

/* ---- set up once ---- */

static int has_falling_prices(const struct pack_problem *p) {
    for (uint32_t c = 0; c < p->n_classes; c++)
        if (p->classes[c].on_price || p->classes[c].switch_price) return 1;
    for (uint32_t r = 0; r < p->n_resources; r++)
        if (p->resources[r].soft && p->resources[r].overload_price) return 1;
    return 0;
}

static void relax(struct exact_time *x) {
    const struct pack_problem *p = x->p;
    memcpy(x->classes, p->classes, p->n_classes * sizeof *x->classes);
    if (p->n_resources) memcpy(x->resources, p->resources, p->n_resources * sizeof *x->resources);
    for (uint32_t c = 0; c < p->n_classes && !x->is_regular; c++)
        x->classes[c].switch_price = x->classes[c].recut_price = 0;
    for (uint32_t r = 0; r < p->n_resources; r++) x->resources[r].overload_price = 0;
}

struct exact_time *exact_time_new(const struct pack_problem *p, struct pack_cost *cost,
                                  struct pack_arena *arena) {
    struct exact_time dry = {0};
    struct exact_time *taken = pack_take(arena, 1, sizeof *taken), *x = taken ? taken : &dry;
    x->p = p;
    x->cost = cost;
    x->too_big = p->n_items > ITEMS_MAX || p->n_tasks > TASKS_MAX || p->n_blocks > BLOCKS_MAX ||
                 (p->has_profiles && p->n_slots >= SLOTS_MAX);
    if (x->too_big) return taken;
    x->is_regular = !has_falling_prices(p);
    x->classes = pack_take(arena, p->n_classes, sizeof *x->classes);
    x->resources = pack_take(arena, p->n_resources, sizeof *x->resources);
    x->relaxed = *p;
    if (arena->base) {
        relax(x);
        x->relaxed.classes = x->classes;
        x->relaxed.resources = x->resources;
    }
    time_state_new(&x->st, &x->relaxed, arena);
    x->spots = pack_take(arena, p->n_tasks, sizeof *x->spots);
    x->levels = pack_take(arena, (uint64_t)p->n_items + 1, sizeof *x->levels);
    x->in_bin = pack_take(arena, p->n_bins, sizeof *x->in_bin);
    x->met = pack_take(arena, (uint64_t)1 << MET_BITS, sizeof *x->met);
    return taken;
}

/* ---- starts ---- */

static int64_t end_at(const struct pack_config *config, int64_t start) {
    return time_end_of(start, config->duration);
}

static const struct pack_config *config_at(const struct exact_time *x, uint32_t item,
                                           uint32_t config) {
    return &x->p->configs[x->p->items[item].first_config + config];
}

/* Sets *item to the item of a level, which must be in the plan, and returns the item's start. */
static int64_t start_in(const struct exact_time *x, uint32_t level, uint32_t *item) {
    *item = x->levels[level].item;
    return x->st.spots[x->p->items[*item].first_task].start;
}

static void add_start(const struct exact_time *x, struct exact_level *l, int64_t start) {
    const struct pack_item *it = &x->p->items[l->item];
    if (start < it->ready || start > it->latest) return;
    if (x->is_regular && x->depth > 0) {
        uint32_t last_item;
        int64_t last = start_in(x, x->depth - 1, &last_item);
        if (start < last || (start == last && l->item < last_item)) return;
    }
    for (uint32_t i = 0; i < l->n_starts; i++)
        if (l->starts[i] == start) return;
    l->starts[l->n_starts++] = start;
}

/* Adds the time of the event as a start to try for the item. If prices can fall, it also adds the
 * start with which the item ends at the event. */
static void wave_exact_time_add_event(const struct exact_time *x, struct exact_level *l,
                                      int64_t event) {
    const struct pack_config *config = config_at(x, l->item, l->config);
    if (event == PACK_FOREVER) return;
    add_start(x, l, event);
    if (!x->is_regular && config->duration != PACK_FOREVER && event >= INT64_MIN / 2)
        add_start(x, l, event - config->duration);
}

static void list_starts(const struct exact_time *x, struct exact_level *l) {
    const struct pack_problem *p = x->p;
    const struct pack_item *it = &p->items[l->item];
    l->n_starts = l->start = 0;
    add_start(x, l, it->ready);
    if (it->ready == it->latest || it->is_pinned) return;
    wave_exact_time_add_event(x, l, p->now);
    for (uint32_t d = 0; d < x->depth; d++) {
        uint32_t item;
        int64_t start = start_in(x, d, &item);
        uint32_t config = x->st.spots[p->items[item].first_task].config;
        if (!x->is_regular) wave_exact_time_add_event(x, l, start);
        wave_exact_time_add_event(x, l, end_at(config_at(x, item, config), start));
    }
    for (uint32_t b = 0; b < p->n_blocks; b++) {
        if (!x->is_regular) wave_exact_time_add_event(x, l, p->blocks[b].from);
        wave_exact_time_add_event(x, l, p->blocks[b].to);
    }
    for (uint32_t s = 0; p->has_profiles && s <= p->n_slots; s++)
        wave_exact_time_add_event(x, l, p->slot[s]);
    if (x->is_regular) return;
    wave_exact_time_add_event(x, l, it->ready);
    if (it->latest != INT64_MAX) wave_exact_time_add_event(x, l, it->latest);
    if (it->deadline != INT64_MAX) wave_exact_time_add_event(x, l, it->deadline);
    wave_exact_time_add_event(x, l, p->end);
}

/* ---- places ---- */

/* True if the bin is empty, has no reservation and is the present bin of no item. Such bins of one
 * class are equal, except that some are on at the beginning. */
static int wave_exact_time_is_plain(const struct exact_time *x, uint32_t bin) {
    return !x->st.is_marked[bin] && x->st.n_in[bin] == 0;
}

static uint32_t wave_exact_time_kind_of(const struct exact_time *x, uint32_t bin) {
    uint32_t row = x->p->bin_class[bin];
    return 2 * row + (bin - x->p->classes[row].first_bin < x->p->classes[row].on_now);
}

static void add_options(struct exact_time *x, struct exact_level *l, uint32_t bin) {
    const struct pack_item *it = &x->p->items[l->item];
    struct time_need need;
    int64_t starts[8], start = l->starts[l->start];
    time_need_of(&x->st.profile, it->first_config + l->config, x->p->bin_class[bin], &need);
    if (need.shape->n_starts == 0) return;
    time_starts(&x->st.profile, bin, &need, start, start, 0, starts);
    for (uint32_t s = 0; s < need.shape->n_starts; s++) {
        if (starts[s] != start) continue;
        if (l->n_options == EXACT_OPTIONS_MAX) {
            x->is_cut = 1;
            return;
        }
        l->options[l->n_options++] = (struct exact_option){bin, need.shape->starts[s]};
    }
}

/* Lists the pairs of bin and first memory slice at which one task of the item fits at this
 * start. */
static void wave_exact_time_list_options(struct exact_time *x, struct exact_level *l,
                                         struct pack_meter *m) {
    const struct pack_item *it = &x->p->items[l->item];
    uint32_t kind = UINT32_MAX, alike = 0;
    l->n_options = 0;
    l->is_fresh = 1;
    m->done += x->p->n_bins / 16;
    for (uint32_t bin = 0; bin < x->p->n_bins; bin++) {
        if (wave_exact_time_is_plain(x, bin)) {
            alike = wave_exact_time_kind_of(x, bin) == kind ? alike + 1 : 1;
            kind = wave_exact_time_kind_of(x, bin);
            if (alike > it->tasks) continue;
        }
        if (!pack_allows(it, x->p->bin_class[bin])) continue;
        m->done++;
        add_options(x, l, bin);
    }
}

static int is_where_pinned(const struct exact_time *x, const struct exact_level *l) {
    const struct pack_item *it = &x->p->items[l->item];
    if (!it->is_pinned) return 1;
    if (l->config != it->config_now) return 0;
    int is_mig = config_at(x, l->item, l->config)->profile != PACK_NO_SLICE;
    for (uint32_t t = 0; t < it->tasks; t++) {
        const struct exact_option *o = &l->options[l->at[t]];
        if (o->bin != it->now[t] || (is_mig && o->slice != it->slice_now)) return 0;
    }
    return 1;
}

/* Advances to the next combination of places for the item's tasks. Returns 0 if there is none.
 * Tasks without a present bin are interchangeable; therefore only combinations with ascending
 * options are tried for them. */
static int next_places(const struct exact_time *x, struct exact_level *l) {
    const struct pack_item *it = &x->p->items[l->item];
    uint32_t t = it->tasks;
    if (l->is_fresh) {
        memset(l->at, 0, sizeof l->at);
        l->is_fresh = 0;
        return l->n_options > 0;
    }
    while (t-- > 0) {
        if (++l->at[t] == l->n_options) continue;
        for (uint32_t u = t + 1; u < it->tasks; u++) l->at[u] = it->now ? (uint16_t)0 : l->at[t];
        return 1;
    }
    return 0;
}

enum { WAY_NONE, WAY_NOT, WAY_FITS };

/* Finds the next combination of item, config, start and places for this level and writes it to the
 * spots. Returns WAY_FITS if the item fits there, WAY_NOT if it does not, and WAY_NONE if there is
 * no further combination. */
static int next_way(struct exact_time *x, struct exact_level *l, struct pack_meter *m) {
    for (;;) {
        if (l->item != PACK_NO_BIN && l->n_options && next_places(x, l)) {
            const struct pack_item *it = &x->p->items[l->item];
            struct pack_spot *spots = &x->st.spots[it->first_task];
            for (uint32_t t = 0; t < it->tasks; t++)
                spots[t] = (struct pack_spot){.bin = l->options[l->at[t]].bin,
                                              .config = (uint16_t)l->config,
                                              .slice = l->options[l->at[t]].slice,
                                              .start = l->starts[l->start]};
            m->done += it->tasks;
            return is_where_pinned(x, l) && time_fits(&x->st, l->item, spots) ? WAY_FITS : WAY_NOT;
        }
        if (l->item != PACK_NO_BIN && l->n_options) l->start++;
        l->n_options = 0;
        if (l->item != PACK_NO_BIN && l->start < l->n_starts) {
            wave_exact_time_list_options(x, l, m);
            if (!l->n_options) l->start++;
        } else if (l->item != PACK_NO_BIN && l->config + 1u < x->p->items[l->item].n_configs) {
            l->config++;
            list_starts(x, l);
        } else {
            while (l->next_item < x->p->n_items && x->st.is_in[l->next_item]) l->next_item++;
            if (l->next_item == x->p->n_items) return WAY_NONE;
            l->item = l->next_item++;
            l->config = 0;
            list_starts(x, l);
        }
    }
}

/* ---- values of sets of placed items ---- */

static uint64_t wave_exact_time_number_of(const struct exact_time *x, uint32_t task) {
    const struct pack_spot *s = &x->st.spots[task];
    return hash_mix(hash_mix(hash_mix(0x74696D65u, task), (uint64_t)s->start),
                    (uint64_t)s->config << 8 | s->slice);
}

static void wave_exact_time_count_in(struct exact_time *x, uint32_t item, uint64_t sign) {
    const struct pack_item *it = &x->p->items[item];
    for (uint32_t t = it->first_task; t < it->first_task + it->tasks; t++)
        x->in_bin[x->st.spots[t].bin] += sign * wave_exact_time_number_of(x, t);
}

/* True if a task with a lower number, whose item is in the plan, is in the same bin. */
static int has_earlier(const struct exact_time *x, uint32_t task) {
    for (uint32_t t = 0; t < task; t++)
        if (x->st.is_in[x->st.item_of[t]] && x->st.spots[t].bin == x->st.spots[task].bin) return 1;
    return 0;
}

/* True if the search has met the same items in the same places before. Bins without a mark are
 * interchangeable if they are of one class and equally on or off at the beginning. */
static int was_met(struct exact_time *x) {
    uint64_t sum = 1;
    for (uint32_t t = 0; t < x->p->n_tasks; t++) {
        uint32_t b = x->st.spots[t].bin;
        if (!x->st.is_in[x->st.item_of[t]] || has_earlier(x, t)) continue;
        sum += hash_mix(x->in_bin[b], x->st.is_marked[b] ? ((uint64_t)b << 32) + UINT32_MAX
                                                         : wave_exact_time_kind_of(x, b));
    }
    uint64_t *slot = &x->met[sum & (((uint64_t)1 << MET_BITS) - 1)];
    if (*slot == sum) return 1;
    *slot = sum;
    return 0;
}

/* Returns the least duration of an item's configs. */
static int64_t least_duration(const struct exact_time *x, uint32_t item) {
    int64_t least = INT64_MAX;
    for (uint32_t c = 0; c < x->p->items[item].n_configs; c++) {
        int64_t duration = config_at(x, item, c)->duration;
        if (duration < least) least = duration;
    }
    return least;
}

/* Returns a lower bound of the value of all plans that continue from the current plan. If items are
 * placed in the order of their starts, the bound counts items whose latest start is over as left
 * out. */
static struct pack_value least_value(const struct exact_time *x) {
    const struct pack_problem *p = x->p;
    struct pack_value v = time_plan_value(&x->st);
    int64_t last = INT64_MIN, end = time_last_end(&x->st), least_end = end;
    uint32_t item;
    v.left_out = 0;
    if (x->is_regular && x->depth > 0) last = start_in(x, x->depth - 1, &item);
    for (uint32_t i = 0; i < p->n_items; i++) {
        const struct pack_item *it = &p->items[i];
        if (x->st.is_in[i]) continue;
        if (it->latest < last) {
            v.left_out += it->weight * it->tasks;
            continue;
        }
        int64_t duration = least_duration(x, i), start = it->ready > last ? it->ready : last;
        int is_endless = 0;
        for (uint32_t c = 0; c < it->n_configs; c++)
            is_endless |= config_at(x, i, c)->duration == PACK_FOREVER;
        if (is_endless) continue;
        int64_t ends = start + duration;
        if (ends > least_end) least_end = ends;
        v.price = pack_price_add(v.price, pack_hours_price(ends - it->ready, it->flow_price));
        if (ends > it->deadline)
            v.price =
                pack_price_add(v.price, pack_hours_price(ends - it->deadline, it->late_price));
    }
    v.price = pack_price_add(v.price, pack_hours_price(least_end - p->now, p->makespan_price) -
                                          pack_hours_price(end - p->now, p->makespan_price));
    return v;
}

/* Offers the current plan; the items that are not in it are left out. */
static void wave_exact_time_offer(struct exact_time *x, struct pack_best *best,
                                  struct pack_meter *m) {
    const struct pack_problem *p = x->p;
    int64_t out = 0;
    for (uint32_t i = 0; i < p->n_items; i++)
        if (!x->st.is_in[i]) out += p->items[i].weight * p->items[i].tasks;
    if (best->has_plan && out > best->value.left_out) return;
    for (uint32_t i = 0; i < p->n_items; i++)
        for (uint32_t t = p->items[i].first_task; t < p->items[i].first_task + p->items[i].tasks;
             t++) {
            if (x->st.is_in[i])
                x->spots[t] = x->st.spots[t];
            else
                x->spots[t] = (struct pack_spot){.bin = PACK_NO_BIN};
        }
    struct pack_value value;
    uint32_t bad;
    m->done += 2 * (uint64_t)p->n_tasks;
    if (pack_value_of(x->cost, x->spots, &value, &bad, NULL) == 0)
        pack_best_offer(best, p, x->spots, value, LSCHED_PACK_METHOD_EXACT);
}

/* ---- the search ---- */

static void enter_level(struct exact_time *x) {
    struct exact_level *l = &x->levels[x->depth];
    l->next_item = 0;
    l->item = PACK_NO_BIN;
    l->n_options = 0;
    l->is_in = 0;
}

static void wave_exact_time_take_out(struct exact_time *x, struct exact_level *l) {
    if (!l->is_in) return;
    wave_exact_time_count_in(x, l->item, UINT64_MAX);
    time_take(&x->st, l->item);
    l->is_in = 0;
}

/* Tries the next combination of this level. Returns 1 if it has gone one level deeper or another
 * combination can be tried; 0 if this level has no further combination. */
static int wave_exact_time_step(struct exact_time *x, struct pack_best *best,
                                struct pack_meter *m) {
    struct exact_level *l = &x->levels[x->depth];
    wave_exact_time_take_out(x, l);
    int way = next_way(x, l, m);
    if (way != WAY_FITS) return way == WAY_NOT;
    m->states++;
    time_put(&x->st, l->item);
    wave_exact_time_count_in(x, l->item, 1);
    l->is_in = 1;
    x->depth++;
    struct pack_value least = least_value(x);
    m->done += x->p->n_items / 4 + 1;
    if ((pack_best_meets(best, least)) || was_met(x)) {
        m->pruned++;
        x->depth--;
        return 1;
    }
    enter_level(x);
    wave_exact_time_offer(x, best, m);
    return 1;
}

int exact_time_run(struct exact_time *x, struct pack_best *best, struct pack_meter *m,
                   const struct pack_value *bound, int *proved) {
    *proved = 0;
    if (x->too_big) return PACK_DONE;
    if (!x->has_begun) {
        time_state_reset(&x->st);
        enter_level(x);
        wave_exact_time_offer(x, best, m);
        x->has_begun = 1;
    }
    while (!x->is_over) {
        if (best->has_plan && bound && !pack_value_less(*bound, best->value)) break;
        if (pack_meter_spent(m)) return PACK_MORE;
        m->done++;
        if (x->depth < x->p->n_items && wave_exact_time_step(x, best, m)) continue;
        if (x->depth == 0)
            x->is_over = 1;
        else
            x->depth--;
    }
    *proved = !x->is_cut;
    return PACK_DONE;
}
