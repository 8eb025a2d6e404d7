/*
 * check_plan.c -- lsched_pack_check, the judge: checks that a list of places is a valid plan, and
 * computes the price of the plan. The judge implements the definitions of pack.h and of the head of
 * cost.h a second time, independently of the packer. Tests compare the packer's sums with those of
 * the judge, and orchestrators can check plans that they have stored.
 *
 * pack_problem_check checks the problem itself. Cost: O(n log n) for n places, plus the slots of
 * the profiles. Memory: about 100 bytes per place, from the allocator of the options, freed before
 * the return.
 */
#include "pack/judge/check_bin.h"

#include <assert.h>

#include "model/mig/mig.h"
#include "pack/problem/problem_check.h"

/* ---- items ---- */

static int item_stays(const struct judge *j, const lsched_pack_item *item) {
    if (!item->bins_now) return 0;
    if (item->flags & LSCHED_PACK_ITEM_PINNED) return 1;
    if (item->moved_at_us == PACK_NEVER_MOVED_US || j->opts.dwell_us == 0) return 0;
    return (wide_i128)j->in.now_us < (wide_i128)item->moved_at_us + j->opts.dwell_us;
}

static int32_t judge_task(const struct judge *j, const lsched_pack_item *item, uint32_t first,
                          uint32_t t) {
    const lsched_pack_place *place = &j->places[first + t], *head = &j->places[first];
    if (place->bin == JUDGE_NONE || head->bin == JUDGE_NONE)
        return judge_refuse(j, first + t,
                            "some tasks of the item have a place and others have none");
    if (place->bin >= j->n_bins)
        return judge_refuse(j, first + t, "bin %u; expected one below %u", place->bin, j->n_bins);
    if (place->config != head->config || place->start_us != head->start_us)
        return judge_refuse(j, first + t, "its config or its start differs from that of task 0");
    uint32_t class_row = j->class_of[place->bin];
    int allowed = item->n_classes == 0;
    for (uint32_t c = 0; c < item->n_classes; c++) allowed |= item->classes[c] == class_row;
    if (!allowed)
        return judge_refuse(j, first + t, "bin %u has class %u, which the item must not use",
                            place->bin, class_row);
    if (!item_stays(j, item)) return LSCHED_OK;
    lsched_pack_config config;
    judge_config_of(j, item, place->config, &config);
    int is_mig = arg_text(config.mig_profile).len > 0;
    if (place->bin != item->bins_now[t] || place->config != item->config_now ||
        place->start_us != item->ready_us || (is_mig && place->slice != item->slice_now))
        return judge_refuse(
            j, first + t, "it is pinned and must stay in bin %u, config %u, slice %u, start %lld",
            item->bins_now[t], item->config_now, item->slice_now, (long long)item->ready_us);
    return LSCHED_OK;
}

static int32_t judge_times(const struct judge *j, const lsched_pack_item *item,
                           const lsched_pack_config *config, uint32_t first) {
    const lsched_pack_place *head = &j->places[first];
    if (head->start_us < item->ready_us || head->start_us > item->latest_us)
        return judge_refuse(j, first, "starts at %lld; expected %lld to %lld",
                            (long long)head->start_us, (long long)item->ready_us,
                            (long long)item->latest_us);
    if (head->start_us > LSCHED_AMOUNT_MAX)
        return judge_refuse(j, first, "its start is %lld; expected at most 2^62",
                            (long long)head->start_us);
    int64_t end =
        config->duration_us == INT64_MAX ? INT64_MAX : head->start_us + config->duration_us;
    for (uint32_t t = 0; t < item->tasks; t++)
        if (j->places[first + t].end_us != end)
            return judge_refuse(j, first + t, "its end is %lld; by its config it ends at %lld",
                                (long long)j->places[first + t].end_us, (long long)end);
    return LSCHED_OK;
}

static void price_item(struct judge *j, const lsched_pack_item *item,
                       const lsched_pack_config *config, uint32_t first) {
    uint32_t moves = 0, usual = item->bins_now ? item->config_now : 0;
    for (uint32_t t = 0; item->bins_now && t < item->tasks; t++)
        if (j->places[first + t].bin != item->bins_now[t]) moves++;
    judge_transition(j, item->move_price_micro, moves);
    j->info.moves += moves;
    if (j->places[first].config != usual) {
        judge_transition(j, config->resize_price_micro, 1);
        j->info.resizes++;
    }
    int64_t end = j->places[first].end_us;
    if (end == INT64_MAX) return;
    if (end > j->info.end_us) j->info.end_us = end;
    judge_pay(j, judge_hours(end - item->ready_us, item->flow_price_micro_per_hour));
    if (item->deadline_us < end)
        judge_pay(j, judge_hours(end - item->deadline_us, item->late_price_micro_per_hour));
}

static int32_t judge_placed(struct judge *j, const lsched_pack_item *item, uint32_t first) {
    lsched_pack_config config;
    if (j->places[first].config >= item->n_configs)
        return judge_refuse(j, first, "config %u; expected one below %u", j->places[first].config,
                            item->n_configs);
    judge_config_of(j, item, j->places[first].config, &config);
    int32_t rc = judge_times(j, item, &config, first);
    for (uint32_t t = 0; rc == LSCHED_OK && t < item->tasks; t++)
        rc = judge_task(j, item, first, t);
    if (rc == LSCHED_OK) price_item(j, item, &config, first);
    return rc;
}

static int32_t judge_items(struct judge *j) {
    uint32_t at = 0;
    j->info.end_us = j->in.now_us;
    for (uint32_t i = 0; i < j->in.n_items; i++) {
        lsched_pack_item item;
        judge_item(j, i, &item);
        uint32_t out = 0;
        for (uint32_t t = 0; t < item.tasks; t++) {
            if (j->places[at + t].item != i || j->places[at + t].task != t)
                return judge_refuse(
                    j, at + t,
                    "expected item %u, task %u, because places are ordered by item and task", i, t);
            out += j->places[at + t].bin == JUDGE_NONE;
        }
        if (out == item.tasks) {
            wide_u128 weight = wide_mul((uint64_t)item.weight, out);
            j->info.left_out += out;
            j->info.left_out_weight = judge_capped((wide_u128)j->info.left_out_weight + weight);
        } else {
            int32_t rc = judge_placed(j, &item, at);
            if (rc != LSCHED_OK) return rc;
        }
        at += item.tasks;
    }
    judge_pay(j, judge_hours(j->info.end_us - j->in.now_us, j->in.makespan_price_micro_per_hour));
    return LSCHED_OK;
}

/* ---- the problem ---- */

static int64_t later(int64_t a, int64_t b) {
    return b != INT64_MAX && b > a ? b : a;
}

/* Sets j->is_fixed and the interval of time that counts (j->begin, j->end). */
static void find_horizon(struct judge *j) {
    const lsched_pack_problem *in = &j->in;
    j->is_fixed = 1;
    j->begin = in->now_us;
    j->end = in->n_slots ? in->slot_bounds[in->n_slots] : in->now_us;
    for (uint32_t i = 0; i < in->n_items; i++) {
        lsched_pack_item item;
        lsched_pack_config first;
        judge_item(j, i, &item);
        judge_config_of(j, &item, 0, &first);
        if (item.ready_us != item.latest_us || item.tasks > 1 || item.n_configs > 1 ||
            arg_text(first.mig_profile).len)
            j->is_fixed = 0;
        j->end = later(j->end, item.ready_us);
        if (first.duration_us != INT64_MAX)
            j->end = later(j->end, item.ready_us + first.duration_us);
    }
    for (uint32_t i = 0; i < in->n_reservations; i++) {
        lsched_pack_reservation b;
        read_reservation(&b, in, i);
        j->end = later(later(j->end, b.from_us), b.to_us);
    }
    if (in->n_slots == 0) {
        j->end++;
    } else if (j->is_fixed) {
        j->end = in->slot_bounds[in->n_slots];
        for (uint32_t s = 0; s < in->n_slots && in->slot_bounds[s] <= in->now_us; s++)
            j->begin = in->slot_bounds[s];
        if (in->slot_bounds[0] > in->now_us) j->begin = in->slot_bounds[0];
    }
}

/* Takes the arrays of the judge from the arena. The caller calls it twice, see pack_arena.h. */
static void check_plan_take_arrays(struct judge *j, struct pack_arena *a) {
    uint64_t spans = (uint64_t)j->n_places + j->in.n_reservations;
    uint64_t changes = 2 * spans + 2 * (uint64_t)j->in.n_slots + 2;
    j->mean = pack_take(a, changes, sizeof *j->mean);
    j->var = pack_take(a, changes, sizeof *j->var);
    j->at = pack_take(a, changes, sizeof *j->at);
    j->instances = pack_take(a, spans, sizeof *j->instances);
    j->first = pack_take(a, j->n_bins, sizeof *j->first);
    j->first_block = pack_take(a, j->n_bins, sizeof *j->first_block);
    j->next = pack_take(a, j->n_places, sizeof *j->next);
    j->next_block = pack_take(a, j->in.n_reservations, sizeof *j->next_block);
    j->first_now = pack_take(a, j->n_bins, sizeof *j->first_now);
    j->next_now = pack_take(a, j->n_places, sizeof *j->next_now);
    j->class_of = pack_take(a, j->n_bins, sizeof *j->class_of);
    j->first_bin = pack_take(a, j->in.n_classes, sizeof *j->first_bin);
    j->running = pack_take(a, changes, sizeof *j->running);
}

static void find_classes(struct judge *j) {
    uint32_t bin = 0;
    for (uint32_t c = 0; c < j->in.n_classes; c++) {
        lsched_pack_class k;
        read_class(&k, &j->in, c);
        j->first_bin[c] = bin;
        for (uint32_t i = 0; i < k.count && bin < j->n_bins; i++) j->class_of[bin++] = c;
    }
}

static void chain_now(struct judge *j) {
    memset(j->first_now, 0xFF, (size_t)j->n_bins * sizeof *j->first_now);
    for (uint32_t k = j->n_places; k-- > 0;) {
        lsched_pack_item item;
        judge_item(j, j->places[k].item, &item);
        if (!item.bins_now) continue;
        uint32_t bin = item.bins_now[j->places[k].task];
        j->next_now[k] = j->first_now[bin];
        j->first_now[bin] = k;
    }
}

static void chain(struct judge *j) {
    memset(j->first, 0xFF, (size_t)j->n_bins * sizeof *j->first);
    memset(j->first_block, 0xFF, (size_t)j->n_bins * sizeof *j->first_block);
    for (uint32_t k = j->n_places; k-- > 0;) {
        uint32_t bin = j->places[k].bin;
        if (bin == JUDGE_NONE) continue;
        j->next[k] = j->first[bin];
        j->first[bin] = k;
    }
    for (uint32_t k = j->in.n_reservations; k-- > 0;) {
        lsched_pack_reservation b;
        read_reservation(&b, &j->in, k);
        j->next_block[k] = j->first_block[b.bin];
        j->first_block[b.bin] = k;
    }
}

static int32_t judge_bins(struct judge *j) {
    int32_t rc = LSCHED_OK;
    chain(j);
    chain_now(j);
    for (uint32_t bin = 0; bin < j->n_bins && rc == LSCHED_OK; bin++)
        if (j->first[bin] != JUDGE_NONE) rc = judge_bin(j, bin);
    return rc;
}

static int32_t judge_all(struct judge *j) {
    struct pack_arena arena = {0};
    check_plan_take_arrays(j, &arena);
    size_t bytes = (size_t)arena.used;
    unsigned char *block = arena.used > SIZE_MAX / 2 ? NULL : alloc_new(&j->alloc, bytes);
    if (!block)
        return fail(j->err, LSCHED_E_NOMEM, "out of memory for judging %u places", j->n_places);
    arena = (struct pack_arena){.base = block, .room = bytes};
    check_plan_take_arrays(j, &arena);
    find_classes(j);
    int32_t rc = judge_items(j);
    if (rc == LSCHED_OK) rc = judge_bins(j);
    assert(pack_arena_sound(&arena));
    alloc_free(&j->alloc, block, bytes);
    return rc;
}

static int32_t check_plan_begin(struct judge *j, const lsched_pack_problem *problem,
                                const lsched_pack_opts *opts, size_t n) {
    struct pack_totals totals = {0};
    int32_t rc = read_problem(&j->in, problem, j->err);
    j->opts.size = sizeof j->opts;
    if (rc == LSCHED_OK && opts)
        rc = arg_struct(&j->opts, (uint32_t)sizeof j->opts, opts, 0, "options", j->err);
    if (rc == LSCHED_OK) rc = pack_problem_check(problem, &j->opts, &totals, j->err);
    if (rc != LSCHED_OK) return rc;
    rc = arg_allocator(j->opts.allocator, "options", j->err);
    if (rc == LSCHED_OK) rc = alloc_init(&j->alloc, j->opts.allocator, 0);
    if (rc != LSCHED_OK) return rc;
    if (n != totals.n_tasks)
        return fail(j->err, LSCHED_E_STATE, "%llu places; expected one for each of %llu tasks",
                    (unsigned long long)n, (unsigned long long)totals.n_tasks);
    j->n_places = (uint32_t)n;
    j->n_bins = (uint32_t)totals.n_bins;
    return LSCHED_OK;
}

LSCHED_API int32_t lsched_pack_check(const lsched_pack_problem *problem,
                                     const lsched_pack_opts *opts, const lsched_pack_place *places,
                                     size_t n, lsched_pack_info *out, lsched_error *err) {
    struct judge j = {.places = places, .err = err};
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (n && !places) return fail(err, LSCHED_E_NULL, "places is NULL");
    if ((rc = check_plan_begin(&j, problem, opts, n)) != LSCHED_OK) return rc;
    find_horizon(&j);
    if ((rc = judge_all(&j)) != LSCHED_OK) return rc;
    j.info.size = sizeof j.info;
    j.info.compared_micro = j.compared;
    if (!out) return LSCHED_OK;
    rc = arg_out(out, &j.info, (uint32_t)sizeof j.info);
    return rc == LSCHED_OK ? rc : fail(err, rc, "info: size is %u; was it set?", out->size);
}
