/*
 * cost.c -- see cost.h. Computes the value of a whole plan from its spots alone. A pass over the
 * items adds the prices of items. Then a sweep goes through the events of each bin in order of
 * time. The events are the starts and ends of its tasks and reservations. The sweep proves that the
 * tasks fit, and adds up hours, switches, changes of the MIG layout and overload.
 *
 * A task with a constant demand has two events. Profiles are summed per slot first; therefore they
 * add at most one event per slot to a bin, however many profiles the bin holds. Cost: O(n log n)
 * for n tasks, and the number of slots of the profiles. Memory: see pack_cost_new. No result is
 * kept between calls; therefore no stored sum can be out of date. Builds with assertions compare
 * the sums that solvers keep with this result.
 */
#include "pack/cost/cost.h"

#include <string.h>

#include "model/mig/mig.h"
#include "pack/cost/cost_loss.h"
#include "base/sort.h"

enum { EVENT_END = 0, EVENT_BLOCK_END, EVENT_BLOCK, EVENT_SLOT, EVENT_START };

struct cost_event {
    int64_t time;
    /* one of EVENT_*; events of one instant are applied in ascending order of their kind */
    uint32_t kind;
    /* index of the task, reservation or slot; for a slot, n_slots means that all profiles have
     * ended */
    uint32_t row;
};

/* Sums of one bin while the sweep moves through time. */
struct cost_load {
    int64_t mean[LSCHED_PACK_RESOURCES_MAX];
    wide_u128 var[LSCHED_PACK_RESOURCES_MAX], area[LSCHED_PACK_RESOURCES_MAX];
    int64_t on_us;
    uint32_t running, switch_ons, recuts;
    /* MIG: `busy` is the mask of memory slices in use; `media` is the number of instances in use
     * that have media engines; `geometry` is the current layout */
    uint32_t busy, media, geometry;
    uint32_t last; /* index of the task that was added last, for messages */
};

struct pack_cost {
    const struct pack_problem *p;
    uint32_t *item_of;     /* [n_tasks] item of each task */
    uint32_t *first_block; /* [n_bins + 1] index of each bin's first reservation */
    /* `in_bin` is the list of tasks, sorted by bin; `first_in` is the index in `in_bin` of each
     * bin's first task */
    uint32_t *first_in, *in_bin;
    /* [n_bins] MIG layout of each bin before the plan: the instances that items occupy at
     * present */
    uint32_t *geometry;
    struct cost_event *events;
    /* [n_resources][n_slots] sums of the profiles of the bin that the sweep is at; all zero before
     * the sweep of the next bin */
    int64_t *slot_mean;
    wide_u128 *slot_var;
    /* the bin's profiles touch slots [slot_low, slot_high) */
    uint32_t n_events, slot_low, slot_high;
};

struct cost_sum {
    struct pack_value value;
    /* portion of `value.price` for moves, resizes and changes of the MIG layout, multiplied by
     * `patience` */
    int64_t transition;
    lsched_pack_info parts;
};

/* ---- set up once ---- */

/* Computes the MIG layout that each bin has before the plan, from the places of the items at
 * present. A place at which the MIG table allows no instance is ignored. */
static void find_geometry(struct pack_cost *cost) {
    const struct pack_problem *p = cost->p;
    for (uint32_t i = 0; i < p->n_items; i++) {
        const struct pack_item *item = &p->items[i];
        if (!item->now) continue;
        uint32_t name = p->configs[item->first_config + item->config_now].profile;
        for (uint32_t t = 0; name != PACK_NO_SLICE && t < item->tasks; t++) {
            uint32_t bin = item->now[t], profile = pack_profile_in(p, p->bin_class[bin], name);
            if (profile == PACK_NO_SLICE) continue;
            const struct mig_table *table = p->classes[p->bin_class[bin]].mig;
            uint32_t *g = &cost->geometry[bin], used = mig_covered(table, *g, mig_begins(*g));
            if (!(mig_starts(table, profile, used) >> item->slice_now & 1)) continue;
            uint32_t more = mig_add(*g, profile, item->slice_now);
            if (mig_geometry_legal(table, more)) *g = more;
        }
    }
}

static void cost_prepare(struct pack_cost *cost) {
    const struct pack_problem *p = cost->p;
    for (uint32_t i = 0; i < p->n_items; i++)
        for (uint32_t t = 0; t < p->items[i].tasks; t++)
            cost->item_of[p->items[i].first_task + t] = i;
    for (uint32_t b = 0, at = 0; b <= p->n_bins; b++) {
        while (at < p->n_blocks && p->blocks[at].bin < b) at++;
        cost->first_block[b] = at;
    }
    if (p->n_profiles) find_geometry(cost);
}

struct pack_cost *pack_cost_new(const struct pack_problem *p, struct pack_arena *arena) {
    struct pack_cost *cost = pack_take(arena, 1, sizeof *cost), c = {.p = p};
    uint64_t levels = p->has_profiles ? (uint64_t)p->n_slots * p->n_resources : 0;
    c.item_of = pack_take(arena, p->n_tasks, sizeof *c.item_of);
    c.first_block = pack_take(arena, (uint64_t)p->n_bins + 1, sizeof *c.first_block);
    c.first_in = pack_take(arena, (uint64_t)p->n_bins + 2, sizeof *c.first_in);
    c.in_bin = pack_take(arena, p->n_tasks, sizeof *c.in_bin);
    c.geometry = pack_take(arena, p->n_bins, sizeof *c.geometry);
    c.events = pack_take(arena, 2 * ((uint64_t)p->n_tasks + p->n_blocks) + p->n_slots + 1,
                         sizeof *c.events);
    c.slot_mean = pack_take(arena, levels, sizeof *c.slot_mean);
    c.slot_var = pack_take(arena, p->has_soft ? levels : 0, sizeof *c.slot_var);
    if (!cost) return NULL;
    *cost = c;
    cost_prepare(cost);
    return cost;
}

/* ---- items ---- */

static const struct pack_config *cost_config_of(const struct pack_problem *p,
                                                const struct pack_item *item,
                                                const struct pack_spot *spot) {
    return &p->configs[item->first_config + spot->config];
}

static int task_is_legal(const struct pack_problem *p, const struct pack_item *item,
                         const struct pack_spot *spots, uint32_t t) {
    const struct pack_spot *spot = &spots[t];
    if (spot->bin >= p->n_bins || spot->start != spots->start || spot->config != spots->config)
        return 0;
    if (!pack_allows(item, p->bin_class[spot->bin])) return 0;
    if (!item->is_pinned) return 1;
    return spot->bin == item->now[t] && spot->config == item->config_now &&
           (p->configs[item->first_config + spot->config].profile == PACK_NO_SLICE ||
            spot->slice == item->slice_now);
}

/* Returns 0 if the item can have these spots. Else it returns -1, and *bad_task is the task with
 * the first wrong spot. */
static int item_is_legal(const struct pack_problem *p, const struct pack_item *item,
                         const struct pack_spot *spots, uint32_t *bad_task) {
    *bad_task = item->first_task;
    if (spots->config >= item->n_configs || spots->start < item->ready ||
        spots->start > item->latest || (item->is_pinned && spots->start != item->ready))
        return -1;
    for (uint32_t t = 0; t < item->tasks; t++)
        if (!task_is_legal(p, item, spots, t)) {
            *bad_task = item->first_task + t;
            return -1;
        }
    return 0;
}

static void add_price(int64_t *sum, int64_t price) {
    *sum = pack_price_add(*sum, price);
}

static int64_t cost_times(int64_t price, uint32_t n) {
    return n && price > PACK_PRICE_MAX / n ? PACK_PRICE_MAX : price * n;
}

/* Adds the prices of n equal moves, resizes or changes of the MIG layout. `price` is already
 * multiplied by `patience`, `plain` is not. */
static void add_transition(struct cost_sum *sum, int64_t price, int64_t plain, uint32_t n) {
    add_price(&sum->value.price, cost_times(price, n));
    add_price(&sum->transition, cost_times(price, n));
    add_price(&sum->parts.transition_micro, cost_times(plain, n));
}

static void add_item(const struct pack_problem *p, const struct pack_item *item,
                     const struct pack_spot *spots, struct cost_sum *sum) {
    const struct pack_config *config = cost_config_of(p, item, spots);
    uint32_t moves = 0;
    for (uint32_t t = 0; item->now && t < item->tasks; t++) moves += spots[t].bin != item->now[t];
    add_transition(sum, item->move_price, item->move_price_plain, moves);
    sum->parts.moves += moves;
    if (spots->config != (item->now ? item->config_now : 0)) {
        add_transition(sum, config->resize_price, config->resize_price_plain, 1);
        sum->parts.resizes++;
    }
    if (config->duration == PACK_FOREVER) return;
    int64_t end = spots->start + config->duration;
    if (end > sum->parts.end_us) sum->parts.end_us = end;
    if (end > item->deadline)
        add_price(&sum->value.price, pack_hours_price(end - item->deadline, item->late_price));
    add_price(&sum->value.price, pack_hours_price(end - item->ready, item->flow_price));
}

static int add_items(const struct pack_problem *p, const struct pack_spot *spots,
                     struct cost_sum *sum, uint32_t *bad_task) {
    sum->parts.end_us = p->now;
    for (uint32_t i = 0; i < p->n_items; i++) {
        const struct pack_item *item = &p->items[i];
        const struct pack_spot *of = spots + item->first_task;
        uint32_t out = 0;
        for (uint32_t t = 0; t < item->tasks; t++) out += of[t].bin == PACK_NO_BIN;
        if (out == item->tasks) {
            sum->parts.left_out += out;
            add_price(&sum->value.left_out, cost_times(item->weight, out));
        } else if (item_is_legal(p, item, of, bad_task) != 0) {
            return -1;
        } else {
            add_item(p, item, of, sum);
        }
    }
    add_price(&sum->value.price, pack_hours_price(sum->parts.end_us - p->now, p->makespan_price));
    return 0;
}

/* ---- events of a bin ---- */

static int event_before(const struct cost_event *a, const struct cost_event *b) {
    if (a->time != b->time) return a->time < b->time;
    return a->kind != b->kind ? a->kind < b->kind : a->row < b->row;
}

#define EVENT_BEFORE(of, a, b) event_before(&(a), &(b))
SORT_IN_PLACE(sort_events, struct cost_event, const void *, EVENT_BEFORE)

static void cost_add_event(struct pack_cost *cost, int64_t time, uint32_t kind, uint32_t row) {
    if (time < cost->p->now && cost->p->kind == PACK_FLEXIBLE) time = cost->p->now;
    cost->events[cost->n_events++] = (struct cost_event){time, kind, row};
}

static void add_levels(struct pack_cost *cost, const struct pack_config *config) {
    const struct pack_problem *p = cost->p;
    const int32_t *amount = p->amounts + config->amounts;
    const int32_t *sigma = config->sigmas == PACK_NO_SIGMA ? NULL : p->sigmas + config->sigmas;
    uint32_t low = config->first_slot, n = config->n_span;
    for (uint32_t r = 0; r < p->n_resources; r++)
        for (uint32_t s = 0; s < n; s++) {
            uint64_t to = (uint64_t)r * p->n_slots + low + s, from = (uint64_t)r * n + s;
            cost->slot_mean[to] += amount[from];
            if (sigma && p->resources[r].soft)
                cost->slot_var[to] += wide_mul((uint32_t)sigma[from], (uint32_t)sigma[from]);
        }
    if (low < cost->slot_low) cost->slot_low = low;
    if (low + n > cost->slot_high) cost->slot_high = low + n;
}

static void cost_add_task(struct pack_cost *cost, const struct pack_spot *spot, uint32_t task) {
    const struct pack_problem *p = cost->p;
    const struct pack_item *item = &p->items[cost->item_of[task]];
    const struct pack_config *config = cost_config_of(p, item, spot);
    int64_t from = spot->start, to = PACK_FOREVER;
    if (config->duration != PACK_FOREVER) to = from + config->duration;
    if (p->kind == PACK_FIXED) {
        from = p->cell[item->first_cell];
        to = p->cell[item->end_cell];
    }
    if (from >= to) return; /* the item runs in no cell */
    if (config->is_profile) add_levels(cost, config);
    cost_add_event(cost, from, EVENT_START, task);
    cost_add_event(cost, to, EVENT_END, task);
}

static void add_blocks(struct pack_cost *cost, uint32_t bin) {
    const struct pack_problem *p = cost->p;
    for (uint32_t b = cost->first_block[bin]; b < cost->first_block[bin + 1]; b++) {
        const struct pack_block *block = &p->blocks[b];
        int is_fixed = p->kind == PACK_FIXED;
        if (is_fixed ? block->first_cell == block->end_cell : block->to <= p->now) continue;
        cost_add_event(cost, is_fixed ? p->cell[block->first_cell] : block->from, EVENT_BLOCK, b);
        cost_add_event(cost, is_fixed ? p->cell[block->end_cell] : block->to, EVENT_BLOCK_END, b);
    }
}

static void collect_bin(struct pack_cost *cost, const struct pack_spot *spots, uint32_t bin) {
    const struct pack_problem *p = cost->p;
    cost->n_events = 0;
    cost->slot_low = p->n_slots;
    cost->slot_high = 0;
    for (uint32_t k = cost->first_in[bin]; k < cost->first_in[bin + 1]; k++)
        cost_add_task(cost, &spots[cost->in_bin[k]], cost->in_bin[k]);
    add_blocks(cost, bin);
    for (uint32_t s = cost->slot_low; s <= cost->slot_high && cost->slot_high > 0; s++)
        cost_add_event(cost, p->slot[s], EVENT_SLOT, s < cost->slot_high ? s : p->n_slots);
    sort_events(NULL, cost->events, cost->n_events);
}

static void clear_levels(struct pack_cost *cost) {
    const struct pack_problem *p = cost->p;
    if (cost->slot_high == 0) return;
    uint32_t n = cost->slot_high - cost->slot_low;
    for (uint32_t r = 0; r < p->n_resources; r++) {
        uint64_t at = (uint64_t)r * p->n_slots + cost->slot_low;
        memset(cost->slot_mean + at, 0, n * sizeof *cost->slot_mean);
        if (p->has_soft) memset(cost->slot_var + at, 0, n * sizeof *cost->slot_var);
    }
}

/* ---- MIG ---- */

/* Removes the instances that overlap these memory slices from the layout. If `media` is true, it
 * also removes the instance that has the media engines. */
static void cost_destroy(const struct mig_table *table, uint32_t *geometry, uint32_t slices,
                         int media) {
    for (uint32_t m = mig_begins(*geometry); m; m &= m - 1) {
        uint32_t s = (uint32_t)__builtin_ctz(m), profile = mig_at(*geometry, s);
        if ((mig_bits(table, profile, s) & slices) || (media && table->profiles[profile].media))
            *geometry = mig_remove(*geometry, s);
    }
}

/* Marks the instance with this profile at memory slice `slice` as used, and creates the instance if
 * it does not exist. Returns -1 if no such instance can exist at this slice. */
static int take_slices(const struct mig_table *table, struct cost_load *load, uint32_t profile,
                       uint32_t slice) {
    if (!table || profile >= table->n_profiles || slice >= MIG_SLICES) return -1;
    int media = table->profiles[profile].media;
    if (!(mig_starts(table, profile, load->busy) >> slice & 1) || (media && load->media)) return -1;
    uint32_t bits = mig_bits(table, profile, slice);
    load->busy |= bits;
    load->media += (uint32_t)media;
    if (mig_at(load->geometry, slice) == profile) return 0;
    cost_destroy(table, &load->geometry, bits, media);
    load->geometry = mig_add(load->geometry, profile, slice);
    load->recuts++;
    return 0;
}

/* ---- the sweep ---- */

/* Adds a task to the load of its bin (sign 1), or removes it (sign -1). Returns -1 if its MIG
 * instance cannot exist. */
static int change_task(const struct pack_cost *cost, const struct pack_class *class,
                       const struct pack_spot *spot, uint32_t task, int sign,
                       struct cost_load *load) {
    const struct pack_problem *p = cost->p;
    const struct pack_config *config = cost_config_of(p, &p->items[cost->item_of[task]], spot);
    const int32_t *amount = p->amounts + config->amounts;
    const int32_t *sigma = config->sigmas == PACK_NO_SIGMA ? NULL : p->sigmas + config->sigmas;
    load->running += (uint32_t)sign;
    for (uint32_t r = 0; r < p->n_resources && !config->is_profile; r++) {
        load->mean[r] += sign * amount[r];
        if (!sigma || !p->resources[r].soft) continue;
        wide_u128 var = wide_mul((uint32_t)sigma[r], (uint32_t)sigma[r]);
        load->var[r] = sign > 0 ? load->var[r] + var : load->var[r] - var;
    }
    if (sign > 0) load->last = task;
    if (config->profile == PACK_NO_SLICE) return 0;
    uint32_t profile = pack_profile_in(p, (uint32_t)(class - p->classes), config->profile);
    if (sign > 0) return take_slices(class->mig, load, profile, spot->slice);
    load->busy &= ~mig_bits(class->mig, profile, spot->slice);
    load->media -= class->mig->profiles[profile].media;
    return 0;
}

static int change_block(const struct pack_problem *p, const struct pack_class *class,
                        const struct pack_block *block, int sign, struct cost_load *load) {
    for (uint32_t r = 0; r < p->n_resources; r++)
        load->mean[r] += sign * p->amounts[block->amounts + r];
    if (!class->mig || !block->mig_slices) return 0;
    if (sign < 0) {
        load->busy &= ~block->mig_slices;
        return 0;
    }
    if (load->busy & block->mig_slices) return -1;
    load->busy |= block->mig_slices;
    cost_destroy(class->mig, &load->geometry, block->mig_slices, 0);
    return 0;
}

/* Subtracts the summed profiles of slot `before` from the load, and adds those of `slot`. The
 * number n_slots stands for no slot. */
static void change_slot(const struct pack_cost *cost, uint32_t before, uint32_t slot,
                        struct cost_load *load) {
    const struct pack_problem *p = cost->p;
    for (uint32_t r = 0; r < p->n_resources; r++) {
        uint64_t row = (uint64_t)r * p->n_slots;
        if (before < p->n_slots) load->mean[r] -= cost->slot_mean[row + before];
        if (slot < p->n_slots) load->mean[r] += cost->slot_mean[row + slot];
        if (!p->resources[r].soft) continue;
        if (before < p->n_slots) load->var[r] -= cost->slot_var[row + before];
        if (slot < p->n_slots) load->var[r] += cost->slot_var[row + slot];
    }
}

static int cost_apply(const struct pack_cost *cost, const struct pack_class *class,
                      const struct pack_spot *spots, const struct cost_event *e, uint32_t *slot,
                      struct cost_load *load) {
    const struct pack_problem *p = cost->p;
    switch (e->kind) {
    case EVENT_END: return change_task(cost, class, &spots[e->row], e->row, -1, load);
    case EVENT_START: return change_task(cost, class, &spots[e->row], e->row, 1, load);
    case EVENT_BLOCK_END: return change_block(p, class, &p->blocks[e->row], -1, load);
    case EVENT_BLOCK: return change_block(p, class, &p->blocks[e->row], 1, load);
    default:
        change_slot(cost, *slot, e->row, load);
        *slot = e->row;
        return 0;
    }
}

/* Adds `us` microseconds with the current load to the time for which the bin is on, and to its
 * overload. It adds nothing if no task runs. Returns -1 if the load does not fit. */
static int spend(const struct pack_problem *p, const struct pack_class *class, int64_t us,
                 struct cost_load *load) {
    if (load->running == 0) return 0;
    load->on_us = pack_price_add(load->on_us, us);
    for (uint32_t r = 0; r < p->n_resources; r++) {
        const struct pack_resource *resource = &p->resources[r];
        int32_t capacity = class->capacity[r];
        if (!resource->soft) {
            if (load->mean[r] > capacity) return -1;
            continue;
        }
        uint64_t var = load->var[r] > UINT64_MAX ? UINT64_MAX : (uint64_t)load->var[r];
        if (!pack_soft_fits(load->mean[r], var, capacity, resource->z_milli)) return -1;
        if (resource->overload_price)
            load->area[r] += wide_mul(pack_overload(load->mean[r], var, capacity), (uint64_t)us);
    }
    return 0;
}

static int cost_sweep(const struct pack_cost *cost, const struct pack_class *class,
                      const struct pack_spot *spots, struct cost_load *load) {
    const struct pack_problem *p = cost->p;
    uint32_t slot = p->n_slots;
    for (uint32_t i = 0; i < cost->n_events;) {
        int64_t time = cost->events[i].time;
        if (time == PACK_FOREVER) break;
        uint32_t before = load->running;
        for (; i < cost->n_events && cost->events[i].time == time; i++)
            if (cost_apply(cost, class, spots, &cost->events[i], &slot, load) != 0) return -1;
        if (before == 0 && load->running > 0) load->switch_ons++;
        int64_t next = i < cost->n_events ? cost->events[i].time : time;
        if (next == PACK_FOREVER) next = p->end > time ? p->end : time;
        if (spend(p, class, next - time, load) != 0) return -1;
    }
    return 0;
}

static void price_bin(const struct pack_problem *p, const struct pack_class *class, uint32_t bin,
                      struct cost_load *load, struct cost_sum *sum) {
    if (load->switch_ons && bin - class->first_bin < class->on_now) load->switch_ons--;
    add_price(&sum->value.price, class->open_price);
    add_price(&sum->value.price, pack_hours_price(load->on_us, class->on_price));
    add_price(&sum->value.price, cost_times(class->switch_price, load->switch_ons));
    add_transition(sum, class->recut_price, class->recut_price_plain, load->recuts);
    for (uint32_t r = 0; r < p->n_resources; r++) {
        int64_t price =
            pack_overload_price(load->area[r], class->capacity[r], p->resources[r].overload_price);
        add_price(&sum->value.price, price);
        add_price(&sum->parts.overload_micro, price);
    }
    sum->parts.bins++;
    sum->parts.recuts += load->recuts;
    sum->parts.switch_ons += load->switch_ons;
}

static void sort_by_bin(struct pack_cost *cost, const struct pack_spot *spots) {
    const struct pack_problem *p = cost->p;
    uint32_t *first = cost->first_in;
    memset(first, 0, ((size_t)p->n_bins + 2) * sizeof *first);
    for (uint32_t t = 0; t < p->n_tasks; t++)
        if (spots[t].bin != PACK_NO_BIN) first[spots[t].bin + 2]++;
    for (uint32_t b = 2; b <= p->n_bins + 1; b++) first[b] += first[b - 1];
    for (uint32_t t = 0; t < p->n_tasks; t++)
        if (spots[t].bin != PACK_NO_BIN) cost->in_bin[first[spots[t].bin + 1]++] = t;
}

/* Checks that the tasks of one bin fit, and adds the price of the bin to *sum. Returns -1 if a task
 * does not fit; *bad_task is then that task. */
static int cost_add_bin(struct pack_cost *cost, const struct pack_spot *spots, uint32_t bin,
                        struct cost_sum *sum, uint32_t *bad_task) {
    const struct pack_problem *p = cost->p;
    const struct pack_class *class = &p->classes[p->bin_class[bin]];
    uint32_t first = cost->first_in[bin], end = cost->first_in[bin + 1];
    for (uint32_t k = first + 1; k < end; k++) {
        uint32_t item = cost->item_of[cost->in_bin[k]];
        *bad_task = cost->in_bin[k];
        if (p->items[item].apart && item == cost->item_of[cost->in_bin[k - 1]]) return -1;
    }
    struct cost_load load = {.geometry = cost->geometry[bin], .last = cost->in_bin[first]};
    collect_bin(cost, spots, bin);
    int rc = cost_sweep(cost, class, spots, &load);
    clear_levels(cost);
    *bad_task = load.last;
    if (rc == 0) price_bin(p, class, bin, &load, sum);
    return rc;
}

int pack_value_of(struct pack_cost *cost, const struct pack_spot *spots, struct pack_value *out,
                  uint32_t *bad_task, lsched_pack_info *parts) {
    const struct pack_problem *p = cost->p;
    struct cost_sum sum = {0};
    if (add_items(p, spots, &sum, bad_task) != 0) return -1;
    sort_by_bin(cost, spots);
    for (uint32_t b = 0; b < p->n_bins; b++)
        if (cost->first_in[b] < cost->first_in[b + 1] &&
            cost_add_bin(cost, spots, b, &sum, bad_task) != 0)
            return -1;
    *out = sum.value;
    if (!parts) return 0;
    parts->bins = sum.parts.bins;
    parts->left_out = sum.parts.left_out;
    parts->moves = sum.parts.moves;
    parts->resizes = sum.parts.resizes;
    parts->recuts = sum.parts.recuts;
    parts->switch_ons = sum.parts.switch_ons;
    parts->end_us = sum.parts.end_us;
    parts->left_out_weight = sum.value.left_out;
    parts->transition_micro = sum.parts.transition_micro;
    parts->overload_micro = sum.parts.overload_micro;
    parts->compared_micro = sum.value.price;
    parts->price_micro = sum.value.price - sum.transition + sum.parts.transition_micro;
    return 0;
}
