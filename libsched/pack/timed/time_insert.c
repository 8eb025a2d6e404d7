/* time_insert.c -- see time_insert.h. */
#include "pack/timed/time_insert.h"

#include "pack/cost/cost.h"

enum { GANG_SORTED = 64 }; /* largest gang for which the earliest times of bins are sorted */
/* number of a bin's events at which starts are tried if the bin's price depends on time */
enum { TIMED_TRIES = 8 };

/* ---- the bins to try ---- */

/* An iterator over the bins of all classes that an item can use, in ascending order. Empty bins of
 * a class without a mark (is_marked) are equal. Of these, the iterator returns only the first one
 * that is on at the beginning and the first one that is off. With `all`, it returns every bin.
 * */
struct bins {
    const struct time_state *st;
    const struct pack_item *item;
    const struct time_rule *rule;
    /* index of the next class in the item's list, or of the next bin in the rule's list */
    uint32_t at;
    uint32_t row; /* index of the current class */
    /* `k` is the index of the next bin in the class; `end` is the number of bins of the class */
    uint32_t k, end;
    uint8_t had_on, had_off, all;
};

static struct bins time_insert_bins_of(const struct time_state *st, uint32_t i,
                                       const struct time_rule *rule, int all) {
    return (struct bins){.st = st, .item = &st->p->items[i], .rule = rule, .all = (uint8_t)all};
}

static int next_class(struct bins *it) {
    const struct pack_problem *p = it->st->p;
    uint32_t n = it->item->n_allowed ? it->item->n_allowed : p->n_classes;
    if (it->at >= n) return 0;
    it->row = it->item->n_allowed ? it->item->allowed[it->at] : it->at;
    it->at++;
    it->k = 0;
    it->end = p->classes[it->row].n_bins;
    it->had_on = it->had_off = 0;
    return 1;
}

/* True if bin k of the current class is equal to a bin that the iterator has returned already. */
static int is_repeated(struct bins *it) {
    const struct time_state *st = it->st;
    const struct pack_class *c = &st->p->classes[it->row];
    uint32_t bin = c->first_bin + it->k;
    if (it->all || st->n_in[bin] || st->is_marked[bin]) return 0;
    uint8_t *had = it->k < c->on_now ? &it->had_on : &it->had_off;
    int repeated = *had;
    *had = 1;
    return repeated;
}

static uint32_t time_insert_next_bin(struct bins *it) {
    const struct pack_problem *p = it->st->p;
    if (it->rule->bins) {
        while (it->at < it->rule->n_bins) {
            uint32_t bin = it->rule->bins[it->at++];
            it->row = p->bin_class[bin];
            if (pack_allows(it->item, it->row)) return bin;
        }
        return PACK_NO_BIN;
    }
    for (;;) {
        while (it->k < it->end) {
            const struct pack_class *c = &p->classes[it->row];
            if (!it->all && it->k >= it->st->high[it->row] && it->had_off) break;
            int repeated = is_repeated(it);
            it->k++;
            if (!repeated) return c->first_bin + it->k - 1;
        }
        it->k = it->end = 0;
        if (!next_class(it)) return PACK_NO_BIN;
    }
}

/* ---- one task ---- */

struct insert_choice {
    wide_i128 cost;
    int64_t second;
    struct pack_spot spot;
    uint8_t found;
};

/* Returns the price that the item, which has one task, would add to the bin of *spot. */
static int64_t bin_increase(struct time_state *st, uint32_t i, const struct pack_spot *spot,
                            int64_t end) {
    const struct pack_class *c = &st->p->classes[st->p->bin_class[spot->bin]];
    if (!time_class_is_timed(st->p, c)) return st->n_in[spot->bin] ? 0 : c->open_price;
    if (!time_class_is_detailed(st->p, c)) return time_on_increase(st, spot->bin, spot->start, end);
    struct pack_spot kept = st->spots[st->p->items[i].first_task];
    int64_t before = st->bin_price[spot->bin];
    st->spots[st->p->items[i].first_task] = *spot;
    time_put(st, i);
    int64_t after = st->bin_price[spot->bin];
    time_take(st, i);
    st->spots[st->p->items[i].first_task] = kept;
    return after - before;
}

static int64_t second_key(const struct time_state *st, const struct time_rule *rule, int64_t start,
                          int64_t end) {
    if (rule->second == TIME_BY_START) return start;
    if (rule->second == TIME_BY_LATEST) return -start;
    if (rule->second == TIME_BY_END || end > st->target) return end;
    return -(st->target - end < INT64_MAX / 2 ? INT64_MAX / 2 - (st->target - end) : 0);
}

static void time_insert_consider(struct time_state *st, uint32_t i, const struct time_rule *rule,
                                 const struct pack_spot *spot, struct insert_choice *best) {
    uint32_t config = st->p->items[i].first_config + spot->config;
    int64_t end = time_end_of(spot->start, st->p->configs[config].duration);
    wide_i128 cost = time_over(st, config, end) * st->p->makespan_price;
    int64_t price = time_item_price(st, i, spot), second = second_key(st, rule, spot->start, end);
    cost += (wide_i128)price * TIME_PRICE_UNIT;
    if (best->found && (cost > best->cost || (cost == best->cost && second >= best->second)))
        return;
    cost += (wide_i128)bin_increase(st, i, spot, end) * TIME_PRICE_UNIT;
    if (best->found && (cost > best->cost || (cost == best->cost && second >= best->second)))
        return;
    *best = (struct insert_choice){cost, second, *spot, 1};
}

/* Considers the item with the config and bin of *spot: for each first memory slice, the earliest
 * start in [from, latest]. Returns the earliest of these starts; TIME_NEVER if there is none. */
static int64_t consider_from(struct time_state *st, uint32_t i, const struct time_rule *rule,
                             const struct time_need *need, struct pack_spot *spot, int64_t from,
                             int64_t latest, struct insert_choice *best) {
    int64_t starts[8];
    int64_t first = time_starts(&st->profile, spot->bin, need, from, latest, 0, starts);
    for (uint32_t k = 0; first != TIME_NEVER && k < need->shape->n_starts; k++) {
        if (starts[k] == TIME_NEVER) continue;
        spot->start = starts[k];
        spot->slice = need->shape->starts[k];
        time_insert_consider(st, i, rule, spot, best);
    }
    return first;
}

/* Considers more starts in a bin whose price depends on time. These are the next TIMED_TRIES events
 * of the bin, the starts with which the item ends at such an event, and the item's latest start. */
static void consider_events(struct time_state *st, uint32_t i, const struct time_rule *rule,
                            const struct time_need *need, struct pack_spot *spot, int64_t from,
                            int64_t latest, struct insert_choice *best) {
    int64_t event = from, duration = need->config->duration, before;
    for (uint32_t n = 0; n < TIMED_TRIES; n++) {
        event = time_next_event(&st->profile, spot->bin, event);
        before = duration == PACK_FOREVER || event == TIME_NEVER ? TIME_NEVER : event - duration;
        if (event == TIME_NEVER || (event > latest && before > latest)) break;
        if (event <= latest) (void)consider_from(st, i, rule, need, spot, event, latest, best);
        if (before > from && before <= latest)
            (void)consider_from(st, i, rule, need, spot, before, before, best);
    }
    if (latest != INT64_MAX) (void)consider_from(st, i, rule, need, spot, latest, latest, best);
}

static int choose_task(struct time_state *st, uint32_t i, const struct time_rule *rule,
                       struct insert_choice *best) {
    const struct pack_problem *p = st->p;
    const struct pack_item *item = &p->items[i];
    int64_t from = item->ready > rule->not_before ? item->ready : rule->not_before;
    struct bins it = time_insert_bins_of(st, i, rule, 0);
    uint32_t bin;
    while ((bin = time_insert_next_bin(&it)) != PACK_NO_BIN) {
        if (rule->blink && pack_random_below(rule->random, 1024) < rule->blink) continue;
        for (uint32_t c = 0; c < item->n_configs; c++) {
            struct time_need need;
            struct pack_spot spot = {.bin = bin, .config = (uint16_t)c};
            time_need_of(&st->profile, item->first_config + c, it.row, &need);
            int64_t first = consider_from(st, i, rule, &need, &spot, from, item->latest, best);
            if (first != TIME_NEVER && item->latest > from &&
                time_class_is_timed(p, &p->classes[it.row]))
                consider_events(st, i, rule, &need, &spot, from, item->latest, best);
        }
    }
    return best->found;
}

/* ---- gangs ---- */

/* Adds tasks of the gang to the profile of the bin at this start, from task `done` on, until no
 * further task fits. If the tasks must be in different bins, it adds only one. Returns the number
 * of tasks that now have a spot. */
static uint32_t fill_bin(struct time_state *st, uint32_t i, uint32_t config, uint32_t bin,
                         int64_t start, uint32_t done) {
    const struct pack_item *item = &st->p->items[i];
    struct time_need need;
    int64_t starts[8];
    time_need_of(&st->profile, item->first_config + config, st->p->bin_class[bin], &need);
    while (done < item->tasks) {
        if (time_starts(&st->profile, bin, &need, start, start, 1, starts) != start) break;
        uint32_t k = 0;
        while (starts[k] != start) k++;
        st->spots[item->first_task + done++] = (struct pack_spot){
            .bin = bin, .config = (uint16_t)config, .slice = need.shape->starts[k], .start = start};
        time_add(&st->profile, bin, &need, start, k);
        if (item->apart) break;
    }
    return done;
}

static int is_now(const struct pack_item *item, uint32_t bin) {
    for (uint32_t t = 0; item->now && t < item->tasks; t++)
        if (item->now[t] == bin) return 1;
    return 0;
}

/* Finds spots for the gang at this start: first in its present bins, then in other used bins, then
 * in empty bins. The function removes the tasks from the profile again before it returns. Returns 1
 * if all tasks have a spot. */
static int fill_gang(struct time_state *st, uint32_t i, const struct time_rule *rule,
                     uint32_t config, int64_t start) {
    const struct pack_item *item = &st->p->items[i];
    uint32_t done = 0, bin;
    for (int pass = 0; pass < 3 && done < item->tasks; pass++) {
        struct bins it = time_insert_bins_of(st, i, rule, 1);
        while (done < item->tasks && (bin = time_insert_next_bin(&it)) != PACK_NO_BIN)
            if (pass == (is_now(item, bin) ? 0 : st->n_in[bin] ? 1 : 2))
                done = fill_bin(st, i, config, bin, start, done);
    }
    for (uint32_t t = 0; t < done; t++) {
        const struct pack_spot *spot = &st->spots[item->first_task + t];
        struct time_need need;
        time_need_of(&st->profile, item->first_config + config, st->p->bin_class[spot->bin], &need);
        time_remove(&st->profile, spot->bin, &need, start, time_slot_of(&need, spot->slice));
    }
    return done == item->tasks;
}

/* Returns the earliest time after `start` at which some bin can take more tasks of the gang than at
 * `start`; TIME_NEVER if there is no such time. */
static int64_t next_room(struct time_state *st, uint32_t i, const struct time_rule *rule,
                         uint32_t config, int64_t start) {
    const struct pack_item *item = &st->p->items[i];
    struct bins it = time_insert_bins_of(st, i, rule, 0);
    int64_t soonest = TIME_NEVER, starts[8];
    uint32_t bin;
    while ((bin = time_insert_next_bin(&it)) != PACK_NO_BIN) {
        struct time_need need;
        time_need_of(&st->profile, item->first_config + config, it.row, &need);
        int64_t from = start;
        /* The bin takes a task already at `start`. From its next event on, it can have capacity for
         * more tasks. */
        if (time_starts(&st->profile, bin, &need, start, start, 1, starts) == start)
            from = time_next_event(&st->profile, bin, start);
        else if (start < item->latest)
            from = start + 1;
        if (from == TIME_NEVER || from <= start) continue;
        int64_t at = time_starts(&st->profile, bin, &need, from, item->latest, 1, starts);
        if (at < soonest) soonest = at;
    }
    return soonest;
}

/* Returns a lower limit of the start of a gang of k tasks in different bins; TIME_NEVER if fewer
 * than k bins ever have free capacity for a task. The limit is the k-th smallest of the times at
 * which the bins first have this capacity. The gang does not always fit at this time, because a bin
 * can have lost its capacity again. */
static int64_t enough_room(struct time_state *st, uint32_t i, const struct time_rule *rule,
                           uint32_t config, int64_t start) {
    const struct pack_item *item = &st->p->items[i];
    struct bins it = time_insert_bins_of(st, i, rule, 1);
    int64_t soonest[GANG_SORTED] = {0}, last = TIME_NEVER, starts[8];
    uint32_t n = 0, bin; /* `last` becomes the k-th smallest time when k bins are known */
    while (last > start && (bin = time_insert_next_bin(&it)) != PACK_NO_BIN) {
        struct time_need need;
        time_need_of(&st->profile, item->first_config + config, it.row, &need);
        int64_t at = time_starts(&st->profile, bin, &need, start, item->latest, 1, starts);
        if (at >= last) continue;
        uint32_t k = n < item->tasks ? n++ : n - 1;
        for (; k > 0 && soonest[k - 1] > at; k--) soonest[k] = soonest[k - 1];
        soonest[k] = at;
        if (n == item->tasks) last = soonest[n - 1];
    }
    return last;
}

/* Returns the earliest start of the gang in a config, not before `start`, and writes its spots;
 * TIME_NEVER if there is no such start. */
static int64_t gang_start(struct time_state *st, uint32_t i, const struct time_rule *rule,
                          uint32_t config, int64_t start) {
    const struct pack_item *item = &st->p->items[i];
    int sorted = item->apart && item->tasks <= GANG_SORTED;
    while (start <= item->latest) {
        int64_t next = sorted ? enough_room(st, i, rule, config, start) : start;
        if (next == start && fill_gang(st, i, rule, config, start)) return start;
        if (next == start) next = next_room(st, i, rule, config, start);
        if (next == TIME_NEVER) break;
        start = next;
    }
    return TIME_NEVER;
}

static int choose_gang(struct time_state *st, uint32_t i, const struct time_rule *rule) {
    const struct pack_item *item = &st->p->items[i];
    int64_t ready = item->ready > rule->not_before ? item->ready : rule->not_before;
    int64_t best_price = 0, best_start = TIME_NEVER;
    uint32_t best_config = 0;
    for (uint32_t c = 0; c < item->n_configs; c++) {
        int64_t start = gang_start(st, i, rule, c, ready);
        if (start == TIME_NEVER) continue;
        int64_t price = time_item_price(st, i, &st->spots[item->first_task]);
        if (item->n_configs == 1) return 1;
        if (best_start != TIME_NEVER && price >= best_price) continue;
        best_price = price;
        best_start = start;
        best_config = c;
    }
    return best_start != TIME_NEVER && fill_gang(st, i, rule, best_config, best_start);
}

/* ---- all ---- */

/* Writes the spots that a pinned item must have. Returns 0 if the item does not fit at these
 * spots. */
static int choose_pinned(struct time_state *st, uint32_t i) {
    const struct pack_item *item = &st->p->items[i];
    struct pack_spot *spots = &st->spots[item->first_task];
    for (uint32_t t = 0; t < item->tasks; t++)
        spots[t] = (struct pack_spot){.bin = item->now[t],
                                      .config = (uint16_t)item->config_now,
                                      .slice = item->slice_now,
                                      .start = item->ready};
    return time_fits(st, i, spots);
}

int time_choose(struct time_state *st, uint32_t i, const struct time_rule *rule) {
    const struct pack_item *item = &st->p->items[i];
    if (item->is_pinned) return choose_pinned(st, i);
    if (item->tasks > 1) return choose_gang(st, i, rule);
    struct insert_choice best = {.found = 0};
    if (!choose_task(st, i, rule, &best)) return 0;
    st->spots[item->first_task] = best.spot;
    return 1;
}

int time_insert(struct time_state *st, uint32_t i, const struct time_rule *rule) {
    if (!time_choose(st, i, rule)) return 0;
    time_put(st, i);
    return 1;
}
