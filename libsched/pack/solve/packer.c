/* packer.c -- see packer.h. */
#include "pack/solve/packer.h"

#include <assert.h>
#include <string.h>

#include "base/call_args.h"
#include "base/wide.h"
#include "model/mig/mig.h"
#include "pack/bound/bound_run.h"
#include "pack/fit/fit_ruin.h"
#include "pack/fit/fit_seed.h"
#include "pack/problem/problem_check.h"
#include "pack/timed/time_ruin.h"
#include "pack/wave/wave.h"

/* If there are at most AUTO_EXACT_ITEMS items, LSCHED_PACK_METHOD_AUTO first runs the exact method,
 * which tries all plans. The exact method then gets at most AUTO_EXACT_WORK work units. */
enum { AUTO_EXACT_ITEMS = 8, AUTO_EXACT_WORK = 200000 };
/* If both the dynamic programme and ruin and recreate search, they alternate. The first share of
 * each method has 2 x SHARE_TURNS turns. */
enum { SHARE_TURNS = 32 };
/* Percentage of all work that the bounds get if the caller does not set bound_percent:
 * COUNT_PERCENT until the bounds by counting (bounds_count) are complete, BOUND_PERCENT
 * afterwards. */
enum { BOUND_PERCENT = 20, COUNT_PERCENT = 50 };

enum phase { PHASE_SEED, PHASE_EXACT, PHASE_SEARCH, PHASE_END };

/* A memory block, and the arena that takes pieces from it. */
struct block {
    void *memory;
    uint64_t bytes;
    struct pack_arena arena;
};

struct lsched_packer {
    struct alloc alloc;
    lsched_pack_opts opts;
    struct pack_problem p;
    struct pack_problem
        /* if p is rounded: copy in which demands are rounded down and capacities up, for the lower
         * bounds */
        relaxed;
    struct block problem, relaxation, solvers;
    struct fit *fit;        /* solver of FIXED problems; NULL for a FLEXIBLE one */
    struct time_pack *time; /* solver of FLEXIBLE problems; NULL for a FIXED one */
    struct wave *exact, *beam;
    struct bounds *bounds;
    struct pack_cost *cost;
    struct pack_best best;
    struct pack_bound bound;
    struct pack_spot *wish; /* [n_tasks] plan from which the caller wants the search to start */
    lsched_pack_info info;  /* information on the best plan, updated at the end of each run */
    enum phase phase;
    uint8_t own_percent; /* true if the caller set bound_percent */
    uint8_t has_wish, bounds_done, search_done, bounds_turn;
    /* `beam_turn` is true if this turn belongs to the dynamic programme and not to ruin and
     * recreate; `beam_done` and `ruin_done` are true if the method cannot find more */
    uint8_t beam_turn, beam_done, ruin_done;
    /* number of turns that the current method gets in succession, and the number of these turns
     * that remain */
    uint32_t share, share_left;
    uint8_t proved;
    int stop;
    /* work units used so far: all, those of the search, those of the bounds */
    uint64_t work, search_work, bounds_work;
    /* value of search_work or bounds_work at which the current turn ends */
    uint64_t turn_end;
    uint64_t states, pruned;
    struct plan_witness *witness; /* set and freed by the caller of the packer (packer_witness) */
};

/* ---- memory ---- */

static int32_t packer_block_take(lsched_packer *k, struct block *b, uint64_t bytes,
                                 lsched_error *err) {
    if (bytes > SIZE_MAX / 2 - PACK_ARENA_ALIGN)
        return fail(err, LSCHED_E_NOMEM, "a packer for this problem would need %llu bytes",
                    (unsigned long long)bytes);
    b->bytes = bytes + PACK_ARENA_ALIGN;
    b->memory = alloc_zero(&k->alloc, (size_t)b->bytes);
    if (!b->memory)
        return fail(err, LSCHED_E_NOMEM, "out of memory for a packer: it needs %llu bytes more",
                    (unsigned long long)b->bytes);
    uintptr_t at = (uintptr_t)b->memory, up = (at + PACK_ARENA_ALIGN - 1) / PACK_ARENA_ALIGN;
    b->arena = (struct pack_arena){
        .base = (unsigned char *)b->memory + (up * PACK_ARENA_ALIGN - at), .room = bytes};
    return LSCHED_OK;
}

static int wants_search(const lsched_packer *k) {
    return k->opts.method == LSCHED_PACK_METHOD_AUTO || k->opts.method == LSCHED_PACK_METHOD_RUIN;
}
/* True if the dynamic programme takes part in the search. LSCHED_PACK_METHOD_AUTO uses it for
 * FIXED problems with present bins (struct pack_item, `now`) and for FLEXIBLE problems with gangs,
 * because it finds better plans for them (docs/pack-design.md has the figures). Ruin and recreate
 * searches in these cases too. */
static int wants_beam(const lsched_packer *k) {
    const struct pack_problem *p = &k->p;
    int gangs = 0;
    for (uint32_t i = 0; i < p->n_items; i++) gangs |= p->items[i].tasks > 1;
    return k->opts.method == LSCHED_PACK_METHOD_DP ||
           (k->opts.method == LSCHED_PACK_METHOD_AUTO &&
            (p->kind == PACK_FIXED ? p->has_now : gangs));
}
static int wants_exact(const lsched_packer *k) {
    return k->opts.method == LSCHED_PACK_METHOD_EXACT ||
           (k->opts.method == LSCHED_PACK_METHOD_AUTO && k->p.n_items <= AUTO_EXACT_ITEMS);
}

/* Takes from the arena all memory that later runs need. The caller calls it twice, see
 * pack_arena.h. */
static void take_solvers(lsched_packer *k, struct pack_arena *a) {
    const struct pack_problem *p = &k->p;
    k->best.spots = pack_take(a, p->n_tasks, sizeof *k->best.spots);
    k->wish = pack_take(a, p->n_tasks, sizeof *k->wish);
    k->cost = pack_cost_new(p, a);
    k->best.cost = k->cost;
    k->bounds = bounds_new(p->is_rounded ? &k->relaxed : p, &k->opts, a);
    if (p->kind == PACK_FIXED)
        k->fit = fit_new(p, &k->opts, a);
    else
        k->time = time_new(p, &k->opts, a);
    if (wants_exact(k)) k->exact = wave_new(p, &k->opts, 1, a);
    if (wants_beam(k)) k->beam = wave_new(p, &k->opts, 0, a);
}

static int32_t make_problem(lsched_packer *k, const lsched_pack_problem *in, lsched_error *err) {
    struct pack_totals totals;
    struct pack_arena count = {0};
    int32_t rc = pack_problem_check(in, &k->opts, &totals, err);
    if (rc == LSCHED_OK) rc = pack_problem_make(in, &k->opts, &totals, &count, &k->p, err);
    if (rc == LSCHED_OK) rc = packer_block_take(k, &k->problem, count.used, err);
    if (rc == LSCHED_OK)
        rc = pack_problem_make(in, &k->opts, &totals, &k->problem.arena, &k->p, err);
    if (rc != LSCHED_OK || !k->p.is_rounded) return rc;
    rc = packer_block_take(k, &k->relaxation, count.used, err);
    return rc == LSCHED_OK
               ? pack_problem_relax(in, &k->opts, &totals, &k->relaxation.arena, &k->relaxed, err)
               : rc;
}

/* Creates a packer without its solvers. Sets *bytes to the memory that the packer and its solvers
 * will hold together. */
static int32_t packer_begin(const lsched_pack_problem *in, const lsched_pack_opts *opts,
                            lsched_packer **out, uint64_t *bytes, lsched_error *err) {
    lsched_pack_opts o = {.size = sizeof o};
    struct alloc alloc;
    *out = NULL;
    if (opts) {
        int32_t rc = arg_struct(&o, (uint32_t)sizeof o, opts, 0, "options", err);
        if (rc != LSCHED_OK) return rc;
        o.size = sizeof o;
    }
    int32_t rc = arg_allocator(o.allocator, "options", err);
    if (rc == LSCHED_OK) rc = alloc_init(&alloc, o.allocator, UINT64_MAX);
    if (rc != LSCHED_OK) return rc;
    int own_percent = o.bound_percent != 0;
    if (!own_percent) o.bound_percent = BOUND_PERCENT;
    lsched_packer *k = alloc_zero(&alloc, sizeof *k);
    if (!k) return fail(err, LSCHED_E_NOMEM, "out of memory for a packer");
    k->alloc = alloc;
    k->opts = o;
    k->own_percent = (uint8_t)own_percent;
    rc = make_problem(k, in, err);
    if (rc != LSCHED_OK) {
        packer_destroy(k);
        return rc;
    }
    struct pack_arena count = {0};
    take_solvers(k, &count);
    k->solvers.arena.used = count.used;
    *bytes = sizeof *k + k->problem.bytes + k->relaxation.bytes + count.used + PACK_ARENA_ALIGN;
    *out = k;
    return LSCHED_OK;
}

int32_t packer_create(const lsched_pack_problem *in, const lsched_pack_opts *opts,
                      lsched_packer **out, lsched_error *err) {
    uint64_t bytes;
    int32_t rc = packer_begin(in, opts, out, &bytes, err);
    lsched_packer *k = *out;
    if (rc != LSCHED_OK || !k) return rc;
    rc = packer_block_take(k, &k->solvers, k->solvers.arena.used, err);
    if (rc != LSCHED_OK) {
        packer_destroy(k);
        *out = NULL;
        return rc;
    }
    take_solvers(k, &k->solvers.arena);
    k->info = (lsched_pack_info){.size = sizeof k->info, .memory_bytes = bytes};
    return LSCHED_OK;
}

int32_t packer_memory(const lsched_pack_problem *in, const lsched_pack_opts *opts, uint64_t *bytes,
                      lsched_error *err) {
    lsched_packer *k;
    int32_t rc = packer_begin(in, opts, &k, bytes, err);
    if (rc == LSCHED_OK) packer_destroy(k);
    return rc;
}

void packer_destroy(lsched_packer *k) {
    if (!k) return;
    struct alloc alloc = k->alloc;
    alloc_free(&alloc, k->solvers.memory, (size_t)k->solvers.bytes);
    alloc_free(&alloc, k->relaxation.memory, (size_t)k->relaxation.bytes);
    alloc_free(&alloc, k->problem.memory, (size_t)k->problem.bytes);
    alloc_free(&alloc, k, sizeof *k);
}

/* ---- plans from outside ---- */

/* True if each of the n tasks of an item has a bin, and all of them have the same config and
 * start. */
static int stands_together(const lsched_pack_place *places, uint32_t n) {
    for (uint32_t j = 0; j < n; j++)
        if (places[j].bin == LSCHED_PACK_NONE || places[j].config != places[0].config ||
            places[j].start_us != places[0].start_us)
            return 0;
    return 1;
}

int32_t packer_start_from(lsched_packer *k, const lsched_pack_place *places, size_t n,
                          lsched_error *err) {
    const struct pack_problem *p = &k->p;
    if (k->phase != PHASE_SEED || k->work)
        return fail(err, LSCHED_E_STATE,
                    "the packer has already run; give it a plan to start from before it runs");
    if (n != p->n_tasks)
        return fail(err, LSCHED_E_RANGE, "%llu places; expected one for each of %u tasks",
                    (unsigned long long)n, p->n_tasks);
    for (uint32_t i = 0, t = 0; i < p->n_items; i++)
        for (uint32_t j = 0; j < p->items[i].tasks; j++, t++) {
            const lsched_pack_place *from = &places[t];
            if (from->item != i || from->task != j)
                return fail(err, LSCHED_E_INVAL,
                            "place %u is task %u of item %u; expected task %u of item %u", t,
                            from->task, from->item, j, i);
            if (from->bin != LSCHED_PACK_NONE &&
                (from->bin >= p->n_bins || from->config >= p->items[i].n_configs ||
                 from->slice >= MIG_SLICES))
                return fail(
                    err, LSCHED_E_RANGE,
                    "place %u: bin %u, config %u, slice %u; expected them below %u, %u and %u", t,
                    from->bin, from->config, from->slice, p->n_bins, p->items[i].n_configs,
                    (uint32_t)MIG_SLICES);
        }
    for (uint32_t i = 0, t = 0; i < p->n_items; i++) {
        int is_out = !stands_together(&places[t], p->items[i].tasks);
        for (uint32_t j = 0; j < p->items[i].tasks; j++, t++)
            k->wish[t] = (struct pack_spot){.bin = is_out ? PACK_NO_BIN : places[t].bin,
                                            .config = (uint16_t)(is_out ? 0 : places[t].config),
                                            .slice = (uint8_t)(is_out ? 0 : places[t].slice),
                                            .start = is_out ? 0 : places[t].start_us};
    }
    k->has_wish = 1;
    return LSCHED_OK;
}

/* ---- running ---- */

/* Returns a meter for a solver that has used `done` work units so far and is allowed to work until
 * it has used `until` units. */
static struct pack_meter meter_of(const lsched_packer *k, uint64_t done, uint64_t until) {
    return (struct pack_meter){done, until, 0, 0, &k->stop};
}

static void count_work(lsched_packer *k, const struct pack_meter *m, uint64_t *own) {
    k->work += m->done - *own;
    *own = m->done;
    k->states += m->states;
    k->pruned += m->pruned;
}

/* Offers the plan that leaves all items out. The packer needs it if no solver has offered a first
 * plan, for example because prices are too great to be added. */
static void leave_all_out(lsched_packer *k) {
    struct pack_value value;
    uint32_t bad;
    for (uint32_t t = 0; t < k->p.n_tasks; t++) k->wish[t] = (struct pack_spot){.bin = PACK_NO_BIN};
    if (pack_value_of(k->cost, k->wish, &value, &bad, NULL) == 0)
        (void)pack_best_offer(&k->best, &k->p, k->wish, value, LSCHED_PACK_METHOD_SEED);
}

/* Computes the first plan and the first bound. lsched_packer_interrupt does not stop this step;
 * therefore there is a plan and a bound after every run. */
static void run_seed(lsched_packer *k) {
    struct pack_meter m = {k->search_work, UINT64_MAX, 0, 0, NULL};
    if (k->has_wish && k->fit) fit_start(k->fit, k->wish, &k->best, &m);
    if (k->has_wish && k->time) time_start(k->time, k->wish, &k->best, &m);
    if (k->fit)
        fit_seed(k->fit, &k->best, &m);
    else
        time_seed(k->time, &k->best, &m);
    if (!k->best.has_plan) leave_all_out(k);
    count_work(k, &m, &k->search_work);
    m = (struct pack_meter){k->bounds_work, k->bounds_work + 1, 0, 0, NULL};
    k->bounds_done = bounds_run(k->bounds, &k->bound, &m, &k->best) == PACK_DONE;
    count_work(k, &m, &k->bounds_work);
    k->phase = wants_exact(k) ? PHASE_EXACT : PHASE_SEARCH;
    k->ruin_done = !wants_search(k);
    k->beam_done = !k->beam;
    k->search_done = k->ruin_done && k->beam_done;
}

/* True if the value of the best plan is at most the lower bound. The plan is then proved best. */
static int packer_is_met(const lsched_packer *k) {
    return pack_best_meets(&k->best, k->bound.value);
}

static void run_exact(lsched_packer *k, uint64_t left) {
    int proved = 0;
    uint64_t until = k->opts.method == LSCHED_PACK_METHOD_EXACT ? UINT64_MAX : AUTO_EXACT_WORK;
    uint64_t mine = left > UINT64_MAX - k->search_work ? UINT64_MAX : k->search_work + left;
    struct pack_meter m = meter_of(k, k->search_work, mine < until ? mine : until);
    int more = wave_run(k->exact, &k->best, &m, &k->bound.value, &proved);
    count_work(k, &m, &k->search_work);
    if (proved) k->proved = 1;
    if (more == PACK_DONE || k->search_work >= until) k->phase = PHASE_SEARCH;
}

/* Runs one turn of the search, or the remainder of a turn, with at most `left` work units. */
static void run_search(lsched_packer *k, uint64_t left) {
    int proved = 0;
    uint64_t mine = left > UINT64_MAX - k->search_work ? UINT64_MAX : k->search_work + left;
    struct pack_meter m = meter_of(k, k->search_work, mine < k->turn_end ? mine : k->turn_end);
    int more = k->beam_turn ? wave_run(k->beam, &k->best, &m, &k->bound.value, &proved)
               : k->fit     ? fit_ruin(k->fit, &k->best, &m, &k->bound.value)
                            : time_ruin(k->time, &k->best, &m, &k->bound.value);
    count_work(k, &m, &k->search_work);
    if (proved) k->proved = 1;
    if (more == PACK_MORE) return;
    *(k->beam_turn ? &k->beam_done : &k->ruin_done) = 1;
    /* end this turn now, so that the other method gets the next turn */
    k->turn_end = k->search_work;
    k->search_done = k->beam_done && k->ruin_done;
}

static void run_bounds(lsched_packer *k, uint64_t left) {
    uint64_t mine = left > UINT64_MAX - k->bounds_work ? UINT64_MAX : k->bounds_work + left;
    struct pack_meter m = meter_of(k, k->bounds_work, mine < k->turn_end ? mine : k->turn_end);
    int more = bounds_run(k->bounds, &k->bound, &m, &k->best);
    count_work(k, &m, &k->bounds_work);
    if (more == PACK_DONE) k->bounds_done = 1;
}

/* Chooses the method that searches in this turn. Each method begins from the best plan that the
 * other method has found, and needs some time to improve it. Therefore the number of turns in a
 * share doubles each time. */
static void choose_search(lsched_packer *k) {
    if (k->beam_done || k->ruin_done) {
        k->beam_turn = !k->beam_done;
        return;
    }
    if (k->share_left == 0) {
        k->beam_turn = !k->beam_turn;
        if (k->beam_turn) k->share = k->share ? 2 * k->share : 2 * SHARE_TURNS;
        k->share_left = k->share;
    }
    k->share_left--;
}

/* Returns the percentage of all work that the bounds are allowed to have used at this time. The
 * bounds by counting (loads, dual feasible functions, conflicts, matchings) need a limited amount
 * of work, and prove nothing new before they are complete. Therefore the bounds get COUNT_PERCENT
 * until then. Afterwards the linear programme would use any amount of work, and the bounds get
 * bound_percent. The percentage is compared with all work since the beginning. Therefore the search
 * gets back later what it did not get at the beginning. */
static uint64_t bounds_percent(const lsched_packer *k) {
    return !k->own_percent && bounds_count(k->bounds) ? COUNT_PERCENT : k->opts.bound_percent;
}

/* Begins the next turn. The first turn belongs to the bounds, because bounds that cost little prove
 * many first plans best. */
static void next_turn(lsched_packer *k) {
    uint64_t all = k->search_work + k->bounds_work;
    k->bounds_turn = !k->bounds_done && (k->search_done || k->bounds_work == 0 ||
                                         k->bounds_work * 100 < all * bounds_percent(k));
    if (!k->bounds_turn) choose_search(k);
    k->turn_end = (k->bounds_turn ? k->bounds_work : k->search_work) + PACK_TURN;
}

static int turn_is_over(const lsched_packer *k) {
    if (k->bounds_turn) return k->bounds_done || k->bounds_work >= k->turn_end;
    return k->search_done || k->search_work >= k->turn_end;
}

static int is_at_end(const lsched_packer *k) {
    return k->proved || (k->phase == PHASE_SEARCH && k->search_done && k->bounds_done) ||
           (k->phase != PHASE_SEED && packer_is_met(k));
}

/* Says on what the price of a plan depends: COUNT_BINS, only on the number of bins (all open prices
 * are equal, and no other price is set); COUNT_END, only on the end of the last item; COUNT_OTHER,
 * on more. */
enum { COUNT_OTHER, COUNT_BINS, COUNT_END };
static int what_counts(const struct pack_problem *p) {
    int64_t open = p->classes[0].open_price, other = p->has_now;
    for (uint32_t c = 0; c < p->n_classes; c++) {
        const struct pack_class *k = &p->classes[c];
        if (k->open_price != open || k->on_price || k->switch_price || k->recut_price) other = 1;
    }
    for (uint32_t r = 0; r < p->n_resources; r++) other |= p->resources[r].overload_price != 0;
    for (uint32_t c = 0; c < p->n_configs; c++) other |= p->configs[c].resize_price != 0;
    for (uint32_t i = 0; i < p->n_items; i++)
        other |= p->items[i].late_price != 0 || p->items[i].flow_price != 0;
    if (other || (open != 0) == (p->makespan_price != 0)) return COUNT_OTHER;
    return open ? COUNT_BINS : COUNT_END;
}

/* Raises the lower bounds in k->info to the values of the best plan, which is proved best. */
static void tell_proved(lsched_packer *k, struct pack_value value) {
    lsched_pack_info *o = &k->info;
    if (o->lower_bound_micro < value.price) {
        o->lower_bound_micro = value.price;
        o->bound = LSCHED_PACK_BY_SEARCH;
    }
    int counts = value.left_out ? COUNT_OTHER : what_counts(&k->p);
    if (counts == COUNT_BINS) o->lower_bound_bins = o->bins;
    if (counts == COUNT_END) o->lower_bound_end_us = o->end_us;
}

static void tell(lsched_packer *k) {
    const struct pack_problem *p = &k->p;
    lsched_pack_info *o = &k->info;
    struct pack_value value;
    uint32_t bad;
    uint64_t memory = o->memory_bytes;
    *o = (lsched_pack_info){.size = sizeof *o, .memory_bytes = memory};
    (void)pack_value_of(k->cost, k->best.spots, &value, &bad, o);
    o->size = sizeof *o;
    o->memory_bytes = memory;
    o->left_out_weight = value.left_out;
    o->compared_micro = value.price;
    o->method = k->best.method;
    o->work = k->work;
    o->states = k->states;
    o->pruned = k->pruned;
    o->proved = (k->proved && !p->is_rounded) || packer_is_met(k);
    o->bound = k->bound.by;
    o->lower_bound_bins = k->bound.bins;
    o->lower_bound_end_us = k->bound.end > p->now ? k->bound.end : p->now;
    /* The lower bound of the price holds only for plans that leave out no more than the bound's
     * weight. A plan that leaves out more can cost less. */
    o->lower_bound_micro = value.left_out > k->bound.value.left_out ? 0 : k->bound.value.price;
    if (o->proved) tell_proved(k, value);
    uint64_t gap = (uint64_t)(value.price - o->lower_bound_micro);
    o->gap_ppm =
        gap == 0 ? 0
                 : (uint32_t)wide_mul_div(gap, 1000000, (uint64_t)o->lower_bound_micro, UINT32_MAX);
}

int32_t packer_run(lsched_packer *k, uint64_t work, lsched_error *err) {
    uint64_t end = work > UINT64_MAX - k->work ? UINT64_MAX : k->work + work;
    __atomic_store_n(&k->stop, 0, __ATOMIC_RELAXED);
    if (k->phase == PHASE_SEED) {
        run_seed(k);
        next_turn(k);
    }
    if (!k->best.has_plan)
        return fail(err, LSCHED_E_CORRUPT,
                    /* cannot happen, because the plan that leaves all items out is valid */
                    "the seed left no plan");
    while (!is_at_end(k) && k->work < end && !__atomic_load_n(&k->stop, __ATOMIC_RELAXED)) {
        uint64_t left = end - k->work;
        if (k->phase == PHASE_EXACT) {
            run_exact(k, left);
            continue;
        }
        if (turn_is_over(k)) next_turn(k);
        if (k->bounds_turn)
            run_bounds(k, left);
        else
            run_search(k, left);
    }
    assert(pack_arena_sound(&k->problem.arena) && pack_arena_sound(&k->relaxation.arena) &&
           pack_arena_sound(&k->solvers.arena));
    tell(k);
    return !is_at_end(k);
}

struct plan_witness **packer_witness(lsched_packer *k) {
    return &k->witness;
}

void packer_interrupt(lsched_packer *k) {
    __atomic_store_n(&k->stop, 1, __ATOMIC_RELAXED);
}

/* ---- results ---- */

int32_t packer_info(const lsched_packer *k, lsched_pack_info *out) {
    return arg_out(out, &k->info, (uint32_t)sizeof k->info);
}

/* Returns the instant before which a start or a change gets the flag LSCHED_PACK_IS_NEXT: the end
 * of the first slot that has not ended; without slots, one microsecond after now. */
static int64_t next_border(const struct pack_problem *p) {
    for (uint32_t s = 0; s < p->n_slots; s++)
        if (p->slot[s + 1] > p->now) return p->slot[s + 1];
    return p->now + 1;
}

static uint32_t packer_flags_of(const struct pack_item *item, uint32_t task,
                                const struct pack_spot *spot, int64_t border) {
    uint32_t flags = 0;
    if (spot->bin == PACK_NO_BIN) return 0;
    if (!item->now) flags |= LSCHED_PACK_IS_NEW;
    if (item->now && item->now[task] != spot->bin) flags |= LSCHED_PACK_IS_MOVED;
    if (item->now && item->config_now != spot->config) flags |= LSCHED_PACK_IS_RESIZED;
    if (flags && spot->start < border) flags |= LSCHED_PACK_IS_NEXT;
    return flags;
}

int64_t packer_places(const lsched_packer *k, lsched_pack_place *places, size_t room) {
    const struct pack_problem *p = &k->p;
    int64_t border = next_border(p);
    uint32_t t = 0;
    if (!k->best.has_plan) return 0;
    for (uint32_t i = 0; i < p->n_items && t < room; i++) {
        const struct pack_item *item = &p->items[i];
        for (uint32_t j = 0; j < item->tasks && t < room; j++, t++) {
            const struct pack_spot *s = &k->best.spots[t];
            const struct pack_config *c = &p->configs[item->first_config + s->config];
            int is_out = s->bin == PACK_NO_BIN;
            int64_t end = c->duration == PACK_FOREVER ? PACK_FOREVER : s->start + c->duration;
            places[t] = (lsched_pack_place){.item = i,
                                            .task = j,
                                            .bin = is_out ? LSCHED_PACK_NONE : s->bin,
                                            .config = s->config,
                                            .start_us = is_out ? 0 : s->start,
                                            .end_us = is_out ? 0 : end,
                                            .slice = c->profile == PACK_NO_SLICE ? 0 : s->slice,
                                            .flags = packer_flags_of(item, j, s, border)};
        }
    }
    return (int64_t)p->n_tasks;
}
