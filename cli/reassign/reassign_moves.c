/*
 * reassign_moves.c -- see reassign_moves.h.
 *
 * A process that cannot go yet is looked at again only when something has changed for it: its
 * target has become less full, its service is elsewhere, or a service that its own one depends on,
 * or that depends on it. Therefore the moves that go straight cost about one look each, in place of
 * a look at all of them after each move.
 */
#include "cli/reassign/reassign_moves.h"

#include <stdlib.h>
#include <string.h>

#include "cli/reassign/reassign_yard.h"
#include "cli/support/cli_errors.h"
#include "cli/support/prng.h"

enum {
    ORDERS = 16,         /* orders that are tried at most */
    DETOUR_WORK = 500000 /* for a better detour after one was found */
};

struct mover {
    const struct reassign *p;
    const uint32_t *first, *target;
    struct reassign_yard yard;
    struct reassign_moves now; /* of the present order; `at` is not set */
    size_t steps_capacity;
    uint32_t *queue; /* [n_processes] processes that can perhaps go, as a ring */
    size_t queue_at, queue_n;
    bool *queued;            /* [n_processes] */
    uint8_t *detours;        /* [n_processes] detours that the process has made */
    uint64_t before, budget; /* work of earlier orders; of all */
    struct prng prng;
};

static uint64_t mover_work(const struct mover *v) {
    return v->before + v->yard.work;
}

static int64_t step_price(const struct reassign *p, uint32_t process, uint32_t from, uint32_t to) {
    return p->process_weight * p->move_cost[process] +
           p->machine_weight * reassign_travel(p, from, to);
}

/* ---- processes that can perhaps go ---- */

static void wake(struct mover *v, uint32_t process) {
    v->yard.work++;
    if (v->queued[process] || v->yard.at[process] == v->target[process]) return;
    v->queued[process] = true;
    v->queue[(v->queue_at + v->queue_n++) % v->p->n_processes] = process;
}

static void wake_service(struct mover *v, uint32_t s) {
    for (uint32_t k = v->p->members_at[s]; k < v->p->members_at[s + 1]; k++)
        wake(v, v->p->members[k]);
}

static void wake_after(struct mover *v, const struct reassign_step *step) {
    const struct reassign *p = v->p;
    uint32_t s = p->service[step->process];
    for (uint32_t i = v->yard.due.head[step->from]; i != REASSIGN_YARD_END; i = v->yard.due.next[i])
        wake(v, i);
    wake_service(v, s);
    if (p->neighbourhood_index[step->from] == p->neighbourhood_index[step->to]) return;
    for (uint32_t e = p->needs_at[s]; e < p->needs_at[s + 1]; e++) wake_service(v, p->needs[e]);
    for (uint32_t e = p->serves_at[s]; e < p->serves_at[s + 1]; e++) wake_service(v, p->serves[e]);
}

static void make_step(struct mover *v, uint32_t process, uint32_t to) {
    struct reassign_step step = {process, v->yard.at[process], to};
    v->now.steps = must_grow(v->now.steps, v->now.n_steps, &v->steps_capacity, sizeof step);
    v->now.steps[v->now.n_steps++] = step;
    v->now.price += step_price(v->p, process, step.from, to);
    reassign_yard_move(&v->yard, process, to);
    wake_after(v, &step);
}

/* Moves processes straight to their ends until no more can go. */
static void go_straight(struct mover *v) {
    while (v->queue_n > 0 && mover_work(v) < v->budget) {
        uint32_t process = v->queue[v->queue_at];
        v->queue_at = (v->queue_at + 1) % v->p->n_processes;
        v->queue_n--;
        v->queued[process] = false;
        uint32_t to = v->target[process];
        if (v->yard.at[process] != to && reassign_yard_fits(&v->yard, process, to))
            make_step(v, process, to);
    }
}

/* ---- detours ---- */

struct detour {
    uint32_t process, leaver, aside; /* `process` can go when `leaver` has gone to `aside` */
    int64_t price;                   /* what the detour adds; INT64_MAX if there is none */
};

/* Returns what it adds to the price that the process goes from its machine to another, and from
 * there to its target. */
static int64_t detour_price(const struct mover *v, uint32_t process, uint32_t aside) {
    uint32_t from = v->yard.at[process], to = v->target[process];
    int64_t price = step_price(v->p, process, from, aside) + step_price(v->p, process, aside, to);
    return from == to ? price : price - step_price(v->p, process, from, to);
}

/* True if the process has room on its target when the leaver is gone. */
static bool frees_enough(const struct mover *v, uint32_t process, uint32_t leaver) {
    size_t n = v->p->n_resources;
    const int64_t *room = v->yard.room + v->target[process] * n;
    for (size_t r = 0; r < n; r++)
        if (v->p->need[process * n + r] > room[r] + (int64_t)v->p->need[leaver * n + r])
            return false;
    return true;
}

/* Takes the cheapest machine to which the leaver can go. If `passes`, the process must be able to
 * go then. */
static void try_aside(struct mover *v, uint32_t process, uint32_t leaver, bool passes,
                      struct detour *best) {
    if (v->detours[leaver] >= REASSIGN_DETOURS_MAX) return;
    uint32_t to = v->target[process];
    for (uint32_t aside = 0; aside < v->p->n_machines; aside++) {
        v->yard.work++;
        if (aside == to) continue;
        int64_t price = detour_price(v, leaver, aside);
        if (price >= best->price || !reassign_yard_fits(&v->yard, leaver, aside)) continue;
        if (!passes || reassign_yard_fits_after(&v->yard, process, to, leaver, aside))
            *best = (struct detour){process, leaver, aside, price};
    }
}

/* Returns the cheapest detour that lets one of the blocked processes pass. */
static struct detour find_detour(struct mover *v) {
    struct detour best = {.price = INT64_MAX};
    uint64_t enough = mover_work(v) + DETOUR_WORK;
    for (uint32_t m = 0; m < v->p->n_machines; m++)
        for (uint32_t i = v->yard.due.head[m]; i != REASSIGN_YARD_END; i = v->yard.due.next[i])
            for (uint32_t k = v->yard.on.head[m]; k != REASSIGN_YARD_END; k = v->yard.on.next[k]) {
                uint64_t work = mover_work(v);
                if (work >= v->budget || (work >= enough && best.price < INT64_MAX)) return best;
                v->yard.work++;
                if (frees_enough(v, i, k)) try_aside(v, i, k, true, &best);
            }
    return best;
}

/* True if the leaver has some of what the process lacks on its target. */
static bool frees_some(const struct mover *v, uint32_t process, uint32_t leaver) {
    size_t n = v->p->n_resources;
    const int64_t *room = v->yard.room + v->target[process] * n;
    for (size_t r = 0; r < n; r++)
        if (v->p->need[process * n + r] > room[r] && v->p->need[leaver * n + r] > 0) return true;
    return false;
}

/* Finds the cheapest detour of a process that is due elsewhere and has some of what a blocked
 * process lacks. Such detours are taken where no single one lets a process pass: when all that are
 * due elsewhere have left a machine, each process that is due there has room. */
static struct detour find_clearance(struct mover *v) {
    struct detour best = {.price = INT64_MAX};
    uint64_t enough = mover_work(v) + DETOUR_WORK;
    for (uint32_t m = 0; m < v->p->n_machines; m++) {
        uint32_t i = v->yard.due.head[m];
        if (i == REASSIGN_YARD_END) continue;
        for (uint32_t k = v->yard.on.head[m]; k != REASSIGN_YARD_END; k = v->yard.on.next[k]) {
            uint64_t work = mover_work(v);
            if (work >= v->budget || (work >= enough && best.price < INT64_MAX)) return best;
            v->yard.work++;
            if (v->target[k] != m && frees_some(v, i, k)) try_aside(v, i, k, false, &best);
        }
    }
    return best;
}

static bool take_detour(struct mover *v) {
    struct detour best = find_detour(v);
    bool passes = best.price < INT64_MAX;
    if (!passes) best = find_clearance(v);
    if (best.price == INT64_MAX) return false;
    v->detours[best.leaver]++;
    make_step(v, best.leaver, best.aside);
    if (passes) make_step(v, best.process, v->target[best.process]);
    return true;
}

/* ---- orders ---- */

/* Puts all processes that have to move into the queue: in ascending order, in descending order, or
 * in a random one. */
static void queue_all(struct mover *v, uint32_t order) {
    uint32_t n = v->p->n_processes;
    v->queue_at = v->queue_n = 0;
    memset(v->queued, 0, n * sizeof v->queued[0]);
    memset(v->detours, 0, n * sizeof v->detours[0]);
    for (uint32_t i = 0; i < n; i++) wake(v, order == 1 ? n - 1 - i : i);
    if (order < 2) return;
    for (size_t k = v->queue_n; k > 1; k--) {
        size_t other = prng_below(&v->prng, k);
        uint32_t moved = v->queue[k - 1];
        v->queue[k - 1] = v->queue[other];
        v->queue[other] = moved;
    }
}

/* Keeps the steps of the present order if they are better than those of all earlier ones. */
static void keep_better(struct mover *v, struct reassign_moves *best) {
    struct reassign_moves *now = &v->now;
    now->dropped = v->yard.n_due;
    bool better = best->at == NULL || now->dropped < best->dropped ||
                  (now->dropped == best->dropped && now->price < best->price);
    if (better) {
        struct reassign_moves old = *best;
        *best = *now;
        best->at = v->yard.at;
        v->yard.at = old.at;
        *now = (struct reassign_moves){.steps = old.steps};
        v->steps_capacity = old.n_steps;
    }
    now->n_steps = 0;
    now->price = 0;
}

static void run_order(struct mover *v, uint32_t order, struct reassign_moves *best) {
    reassign_yard_begin(&v->yard, v->p, v->first, v->target);
    queue_all(v, order);
    do go_straight(v);
    while (v->yard.n_due > 0 && mover_work(v) < v->budget && take_detour(v));
    v->before += v->yard.work;
    v->yard.work = 0;
    keep_better(v, best);
    reassign_yard_end(&v->yard);
}

void reassign_moves_find(const struct reassign *p, const uint32_t *first, const uint32_t *target,
                         uint64_t work, struct reassign_moves *out) {
    struct mover v = {.p = p, .first = first, .target = target, .budget = work, .prng = {1}};
    int64_t straight = 0;
    memset(out, 0, sizeof *out);
    v.queue = must_alloc(p->n_processes * sizeof v.queue[0]);
    v.queued = must_alloc(p->n_processes * sizeof v.queued[0]);
    v.detours = must_alloc(p->n_processes * sizeof v.detours[0]);
    for (uint32_t i = 0; i < p->n_processes; i++)
        if (first[i] != target[i]) straight += step_price(p, i, first[i], target[i]);
    for (uint32_t order = 0; order < ORDERS; order++) {
        bool done = out->at != NULL && out->dropped == 0 && out->price <= straight;
        if (done || (order > 0 && v.before >= v.budget)) break;
        run_order(&v, order, out);
    }
    out->straight = straight;
    out->work = v.before;
    free(v.now.steps);
    free(v.queue);
    free(v.queued);
    free(v.detours);
}

void reassign_moves_free(struct reassign_moves *moves) {
    free(moves->steps);
    free(moves->at);
    memset(moves, 0, sizeof *moves);
}
