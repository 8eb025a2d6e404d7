/*
 * project_solve.c -- see project_solve.h.
 */
#include "cli/projects/project_solve.h"

#include <stdlib.h>
#include <string.h>

#include "cli/projects/learn_order.h"
#include "cli/projects/learn_project.h"
#include "cli/projects/population.h"
#include "cli/support/cli_errors.h"
#include "cli/support/terminal.h"

enum {
    FIRST_TURN = 50000,  /* work units of the first turn of each search */
    TURN_MAX = 20000000, /* a turn is never longer */
    PIECE = 100000,      /* work units between two looks at the clock */
    RESTART = 100        /* conflicts until the first restart */
};

struct solver {
    const struct project *project;
    const struct project_wish *wish;
    struct population population;
    struct learn_project rules;
    int64_t begun_ns;
    int32_t lower_bound;
    int32_t step;      /* how far above the bound the next question is */
    uint64_t restarts; /* restarts of the learning search so far */
    uint64_t until;    /* conflicts at which the next restart is */
    uint64_t stop;     /* work of the learning search at which its turn ends */
};

/* ---- budget ---- */

static uint64_t work_done(const struct solver *s) {
    return s->population.schedule.work + s->rules.learn.work;
}

/* Returns the work units that are left, which are 0 when the time is over. */
static uint64_t work_left(const struct solver *s) {
    uint64_t done = work_done(s), all = (uint64_t)s->wish->work;
    int64_t spent_ns = s->wish->most_ns > 0 ? clock_core_ns() - s->begun_ns : 0;
    if (s->wish->step != NULL && s->wish->most_ns > 0)
        s->wish->step(s->wish->user, (uint64_t)spent_ns, (uint64_t)s->wish->most_ns);
    if (s->wish->step != NULL && s->wish->most_ns == 0) s->wish->step(s->wish->user, done, all);
    if (s->wish->most_ns > 0 && spent_ns >= s->wish->most_ns) return 0;
    return done < all ? all - done : 0;
}

static uint64_t least_of(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* ---- the genetic search ---- */

static void run_population(struct solver *s, uint64_t turn) {
    for (uint64_t left = 0; turn > 0; turn -= least_of(turn, PIECE)) {
        left = work_left(s);
        if (left == 0 || s->population.best <= s->lower_bound) return;
        population_run(&s->population, least_of(left, least_of(turn, PIECE)), s->lower_bound);
    }
}

/* ---- the search that learns ---- */

/* Decides a start as it is in the best schedule, if that is possible, and otherwise early. */
static struct literal decision(const struct solver *s, uint32_t variable) {
    const struct learn *learn = &s->rules.learn;
    const struct project *project = s->project;
    const int32_t *best = s->population.best_start;
    int32_t least = learn_least(learn, variable), most = learn_most(learn, variable);
    int32_t wanted = least;
    if (variable < project->n) {
        wanted = best[variable];
    } else if (variable > project->n) {
        const struct pair *pair = &s->rules.pairs[variable - project->n - 1];
        wanted = best[pair->first] < best[pair->second];
    }
    if (wanted > least && wanted <= most) return learn_from(variable, wanted);
    return learn_until(variable, least);
}

/* Returns number i >= 1 of Luby's sequence 1 1 2 1 1 2 4 ...: 2^(k - 1) if i = 2^k - 1, and
 * otherwise what the sequence had before that block began. */
static uint64_t luby(uint64_t i) {
    for (;;) {
        uint64_t block = 1;
        while (block <= i / 2) block = 2 * block;
        if (i == 2 * block - 1) return block;
        i -= block - 1;
    }
}

/* Takes the schedule that the decisions have made, and goes back to level 0 with a tighter end. */
static void take_schedule(struct solver *s) {
    const struct project *project = s->project;
    struct learn *learn = &s->rules.learn;
    int32_t makespan = 0;
    int32_t *start = must_alloc((project->n + 1) * sizeof start[0]);
    for (uint32_t i = 0; i < project->n; i++) {
        start[i] = learn_least(learn, i);
        if (start[i] + project->duration[i] > makespan) makespan = start[i] + project->duration[i];
    }
    population_take(&s->population, start, makespan);
    free(start);
    learn_back(learn, 0);
    learn_project_limit(&s->rules, s->population.best - 1);
}

static void raise_bound(struct solver *s) {
    const struct learn *learn = &s->rules.learn;
    int32_t bound = learn->broken ? s->population.best : learn->bound[2 * s->project->n];
    if (learn->n_levels == 0 && bound > s->lower_bound) s->lower_bound = bound;
}

static bool restart_due(struct solver *s) {
    struct learn *learn = &s->rules.learn;
    if (learn->conflicts < s->until) return false;
    s->until = learn->conflicts + RESTART * luby(++s->restarts);
    return true;
}

/* Searches for a schedule that ends by `target`, until one is found, or it is proved that there is
 * none, or the turn is over. */
static void run_learn(struct solver *s, int32_t target) {
    struct learn *learn = &s->rules.learn;
    uint32_t end = s->project->n;
    for (;;) {
        if (!learn_project_propagate(&s->rules)) {
            learn_from_conflict(learn);
            raise_bound(s);
            if (learn->broken) return;
            continue;
        }
        raise_bound(s);
        if (s->lower_bound > target) return;
        if (learn->work >= s->stop) return;
        if (restart_due(s)) {
            learn_back(learn, 0);
            continue;
        }
        if (learn->n_levels == 0) learn_forget(learn);
        if (learn->n_levels == 0 && learn_most(learn, end) > target) {
            learn_decide(learn, learn_until(end, target));
            learn_order_put(learn, end);
            continue;
        }
        uint32_t variable = learn_order_next(learn);
        if (variable == learn->n_variables) {
            take_schedule(s);
            return;
        }
        learn_decide(learn, decision(s, variable));
        learn_order_put(learn, variable);
    }
}

/* Asks one question for the length of a turn. Returns true if it was answered. */
static bool ask(struct solver *s, int32_t target, uint64_t turn) {
    struct learn *learn = &s->rules.learn;
    int32_t bound = s->lower_bound, best = s->population.best;
    for (; turn > 0 && s->lower_bound == bound && s->population.best == best;
         turn -= least_of(turn, PIECE)) {
        uint64_t left = work_left(s);
        if (left == 0) break;
        s->stop = learn->work + least_of(left, least_of(turn, PIECE));
        run_learn(s, target);
    }
    learn_back(learn, 0);
    return s->lower_bound > bound || s->population.best < best;
}

static bool is_open(const struct solver *s) {
    return s->lower_bound < s->population.best && work_left(s) > 0;
}

static int32_t up_target(const struct solver *s) {
    int32_t most = s->population.best - 1;
    return s->step <= most - s->lower_bound ? s->lower_bound + s->step - 1 : most;
}

/* The better schedule of the genetic search becomes part of level 0. */
static void tell_best(struct solver *s) {
    if (s->rules.learn.broken) return;
    learn_project_limit(&s->rules, s->population.best - 1);
    raise_bound(s);
}

static void take_turns(struct solver *s) {
    uint64_t turn = FIRST_TURN;
    while (is_open(s)) {
        bool up = true;
        run_population(s, turn);
        tell_best(s);
        while (up && is_open(s)) {
            up = ask(s, up_target(s), turn);
            s->step = up && s->step < INT32_MAX / 4 ? 2 * s->step : (s->step + 1) / 2;
        }
        while (is_open(s) && ask(s, s->population.best - 1, turn)) continue;
        turn = least_of(turn + turn / 2, TURN_MAX);
    }
}

/* ---- bounds by counting ---- */

static int32_t energy_bound(const struct project *project) {
    int32_t bound = 0;
    for (uint32_t k = 0; k < project->n_resources; k++) {
        int64_t energy = 0, capacity = project->capacity[k];
        __extension__ typedef __int128 wide;
        wide sum = 0;
        for (uint32_t i = 0; i < project->n; i++)
            sum += (wide)project->duration[i] * project_demand(project, i, k);
        if (capacity == 0) continue;
        energy = (int64_t)((sum + capacity - 1) / capacity);
        if (energy > bound) bound = (int32_t)energy;
    }
    return bound;
}

void project_solve(const struct project *project, const struct project_wish *wish,
                   struct project_result *out) {
    struct solver s = {.project = project, .wish = wish, .step = 1, .begun_ns = clock_core_ns()};
    memset(out, 0, sizeof *out);
    population_begin(&s.population, project, wish->seed);
    for (uint32_t i = 0; i < project->n; i++)
        if (s.population.tail[i] > out->path_bound) out->path_bound = s.population.tail[i];
    out->energy_bound = energy_bound(project);
    s.lower_bound = out->path_bound > out->energy_bound ? out->path_bound : out->energy_bound;
    run_population(&s, FIRST_TURN);
    if (is_open(&s)) {
        learn_project_begin(&s.rules, project, s.population.best);
        struct literal floor = learn_from(project->n, s.lower_bound);
        learn_imply(&s.rules.learn, floor, NULL, 0, false);
        tell_best(&s);
        take_turns(&s);
        out->conflicts = s.rules.learn.conflicts;
    }
    out->work = work_done(&s);
    if (s.rules.project != NULL) learn_project_end(&s.rules);
    out->makespan = s.population.best;
    out->lower_bound = s.lower_bound;
    out->start = must_alloc((project->n + 1) * sizeof out->start[0]);
    memcpy(out->start, s.population.best_start, project->n * sizeof out->start[0]);
    out->core_ns = clock_core_ns() - s.begun_ns;
    population_end(&s.population);
}

void project_result_free(struct project_result *result) {
    free(result->start);
    memset(result, 0, sizeof *result);
}
