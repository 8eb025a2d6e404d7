/*
 * reassign_solve.c -- see reassign_solve.h.
 */
#include "cli/reassign/reassign_solve.h"

#include <stdlib.h>
#include <string.h>

#include "cli/reassign/reassign_bound.h"
#include "cli/reassign/reassign_heat.h"
#include "cli/reassign/reassign_state.h"
#include "cli/support/cli_errors.h"
#include "cli/support/prng.h"
#include "cli/support/terminal.h"

enum {
    PIECE = 50000,           /* work units between two looks at the clock */
    SAMPLES = 20000,         /* shifts from which the first heat follows */
    SAMPLES_PART = 8,        /* they use at most this part of the budget */
    COLD_PART = 100000,      /* the last heat is this part of what a shift changes */
    HOT_PART_MAX = 200,      /* the first heat is at least this part of it */
    HOT_WORK = 200000,       /* work units for each process with which it is the whole */
    WORK_NS = 30,            /* of a work unit, for a guess before the search */
    STEPS_OF_HEAT = 1 << 20, /* the budget in parts */
    THOUSAND = 1000
};

__extension__ typedef __int128 wide_sum;

struct annealer {
    const struct reassign *p;
    const struct reassign_wish *wish;
    struct reassign_state state;
    struct reassign_heat heat;
    struct prng prng;
    int64_t begun_ns, hot, cold; /* logarithms of the first and the last heat */
    int64_t heat_now, best;
    uint32_t *best_at;
    /* processes that have moved since the best assignment; each can stand there several times */
    uint32_t *dirty;
    size_t n_dirty;
    uint64_t tried;
};

/* ---- budget ---- */

/* Returns the part of the budget that is used, in STEPS_OF_HEAT. */
static int64_t used_part(const struct annealer *a) {
    bool timed = a->wish->most_ns > 0;
    int64_t all = timed ? a->wish->most_ns : a->wish->work;
    int64_t used = timed ? clock_core_ns() - a->begun_ns : (int64_t)a->state.work;
    return used >= all ? STEPS_OF_HEAT : (int64_t)((wide_sum)used * STEPS_OF_HEAT / all);
}

/* ---- the best assignment ---- */

static void note(struct annealer *a, uint32_t process) {
    if (a->n_dirty < a->p->n_processes) a->dirty[a->n_dirty] = process;
    a->n_dirty++;
}

static void keep_best(struct annealer *a) {
    const struct reassign_state *s = &a->state;
    if (s->cost >= a->best) return;
    a->best = s->cost;
    if (a->n_dirty > a->p->n_processes) {
        memcpy(a->best_at, s->at, a->p->n_processes * sizeof s->at[0]);
    } else {
        for (size_t i = 0; i < a->n_dirty; i++) a->best_at[a->dirty[i]] = s->at[a->dirty[i]];
    }
    a->n_dirty = 0;
}

/* ---- one change ---- */

static uint32_t draw_below(struct annealer *a, uint32_t n) {
    return (uint32_t)prng_below(&a->prng, n);
}

static void try_shift(struct annealer *a, int64_t limit) {
    uint32_t process = draw_below(a, a->p->n_processes), to = draw_below(a, a->p->n_machines);
    a->state.work++;
    if (to == a->state.at[process]) return;
    if (!reassign_state_shift(&a->state, process, to, limit)) return;
    note(a, process);
    keep_best(a);
}

static void try_swap(struct annealer *a, int64_t limit) {
    uint32_t n = a->p->n_processes, one = draw_below(a, n), two = draw_below(a, n);
    a->state.work++;
    if (a->state.at[one] == a->state.at[two]) return;
    if (!reassign_state_swap(&a->state, one, two, limit)) return;
    note(a, one);
    note(a, two);
    keep_best(a);
}

/* The limit follows from the upper bits of the random number, and the kind of change from the
 * lowest bit. */
static void run_piece(struct annealer *a) {
    uint64_t until = a->state.work + PIECE, all = (uint64_t)a->wish->work;
    if (a->wish->most_ns == 0 && until > all) until = all;
    while (a->state.work < until) {
        uint64_t random = prng_next(&a->prng);
        int64_t limit = reassign_heat_limit(&a->heat, a->heat_now, random);
        a->tried++;
        if ((random & 1) != 0) {
            try_swap(a, limit);
        } else {
            try_shift(a, limit);
        }
    }
}

/* ---- heat ---- */

/* Returns `mean`, or a part of it if the budget is small: a search that begins hot spends most of a
 * small budget on assignments that are worse than the first one. */
static uint64_t first_heat(const struct annealer *a, uint64_t mean) {
    const struct reassign_wish *wish = a->wish;
    uint64_t work = (uint64_t)(wish->most_ns > 0 ? wish->most_ns / WORK_NS : wish->work);
    uint64_t each = work / a->p->n_processes;
    if (each > HOT_WORK) each = HOT_WORK;
    if (each < HOT_WORK / HOT_PART_MAX) each = HOT_WORK / HOT_PART_MAX;
    return (uint64_t)((wide_sum)mean * (wide_sum)each / HOT_WORK);
}

/* Chooses the first and the last heat by what shifts of the first assignment add to the cost or
 * take from it, on average. */
static void choose_heat(struct annealer *a) {
    struct reassign_state *s = &a->state;
    wide_sum sum = 0;
    uint32_t n = 0;
    uint64_t most = a->wish->most_ns > 0 ? UINT64_MAX : (uint64_t)a->wish->work / SAMPLES_PART;
    for (int i = 0; i < SAMPLES && s->work < most; i++) {
        uint32_t process = draw_below(a, a->p->n_processes), to = draw_below(a, a->p->n_machines);
        if (to == s->at[process]) continue;
        int64_t price = reassign_state_price(s, process, to);
        if (price == INT64_MAX || price == 0) continue;
        sum += price > 0 ? price : -price;
        n++;
    }
    uint64_t mean = n > 0 ? (uint64_t)(sum / n) : 0;
    a->hot = reassign_heat_log2(&a->heat, first_heat(a, mean) + 1);
    a->cold = reassign_heat_log2(&a->heat, mean / COLD_PART + 1);
}

static void set_heat(struct annealer *a, int64_t part) {
    int64_t log = a->hot - (a->hot - a->cold) * part / STEPS_OF_HEAT;
    a->heat_now = reassign_heat_exp2(&a->heat, log);
}

void reassign_solve(const struct reassign *p, const uint32_t *first,
                    const struct reassign_wish *wish, struct reassign_result *out) {
    struct annealer a = {.p = p, .wish = wish, .prng = {wish->seed}, .begun_ns = clock_core_ns()};
    memset(out, 0, sizeof *out);
    reassign_state_begin(&a.state, p, first);
    reassign_heat_begin(&a.heat);
    a.best = out->start_cost = a.state.cost;
    a.best_at = must_alloc(p->n_processes * sizeof a.best_at[0]);
    memcpy(a.best_at, first, p->n_processes * sizeof a.best_at[0]);
    a.dirty = must_alloc(p->n_processes * sizeof a.dirty[0]);
    out->lower_bound = reassign_bound(p);
    choose_heat(&a);
    for (int64_t part = 0; part < STEPS_OF_HEAT && a.best > out->lower_bound;
         part = used_part(&a)) {
        set_heat(&a, part);
        run_piece(&a);
        if (wish->step != NULL)
            wish->step(wish->user, a.best, (uint32_t)(part * THOUSAND / STEPS_OF_HEAT));
    }
    out->at = a.best_at;
    out->cost = a.best;
    out->work = a.state.work;
    out->tried = a.tried;
    out->core_ns = clock_core_ns() - a.begun_ns;
    free(a.dirty);
    reassign_state_end(&a.state);
}

void reassign_result_free(struct reassign_result *result) {
    free(result->at);
    memset(result, 0, sizeof *result);
}
