/*
 * reassign_state.c -- see reassign_state.h.
 */
#include "cli/reassign/reassign_state.h"

#include <stdlib.h>
#include <string.h>

#include "cli/support/cli_errors.h"

/* ---- rows of machines ---- */

static int64_t *room_of(const struct reassign_state *s, uint32_t m) {
    return s->rows + (size_t)m * 3 * s->p->n_resources;
}

static const uint32_t *need_of(const struct reassign_state *s, uint32_t process) {
    return s->p->need + (size_t)process * s->p->n_resources;
}

static int64_t above_zero(int64_t x) {
    return x > 0 ? x : 0;
}

/* Returns the load and balance cost of a machine whose free amounts are greater by `more`. */
static int64_t row_cost(const struct reassign_state *s, uint32_t m, const int64_t *more) {
    const struct reassign *p = s->p;
    uint32_t n = p->n_resources;
    const int64_t *room = room_of(s, m), *bend = room + 2 * (size_t)n;
    int64_t cost = 0;
    for (uint32_t r = 0; r < n; r++)
        cost += p->load_weight[r] * above_zero(bend[r] - room[r] - more[r]);
    for (uint32_t b = 0; b < p->n_balances; b++) {
        const struct reassign_balance *x = &p->balances[b];
        int64_t above =
            x->target * (room[x->first] + more[x->first]) - (room[x->second] + more[x->second]);
        cost += x->weight * above_zero(above);
    }
    return cost;
}

/* Changes what a process leaves free on a machine: `sign` is 1 if the process leaves, and -1 if it
 * arrives. A process keeps its transient amounts on its first machine. */
static void row_change(struct reassign_state *s, uint32_t m, uint32_t process, int64_t sign) {
    const struct reassign *p = s->p;
    uint32_t n = p->n_resources;
    bool at_first = s->first[process] == m;
    const uint32_t *need = need_of(s, process);
    int64_t *room = room_of(s, m), *gap = room + n;
    for (uint32_t r = 0; r < n; r++) {
        room[r] += sign * need[r];
        if (!at_first || !p->transient[r]) gap[r] += sign * need[r];
    }
}

/* True if the process has room on a machine which `leaver` leaves; if nobody leaves, `leaver` is
 * n_processes. */
static bool has_room(const struct reassign_state *s, uint32_t m, uint32_t process,
                     uint32_t leaver) {
    const struct reassign *p = s->p;
    uint32_t n = p->n_resources;
    const int64_t *gap = room_of(s, m) + n;
    const uint32_t *need = need_of(s, process);
    bool comes_back = s->first[process] == m;
    if (leaver == p->n_processes) {
        if (!comes_back) {
            for (uint32_t r = 0; r < n; r++)
                if (need[r] > gap[r]) return false;
            return true;
        }
        for (uint32_t r = 0; r < n; r++)
            if (!p->transient[r] && need[r] > gap[r]) return false;
        return true;
    }
    const uint32_t *given = need_of(s, leaver);
    bool leaves_first = s->first[leaver] == m;
    for (uint32_t r = 0; r < n; r++) {
        int64_t comes = comes_back && p->transient[r] ? 0 : need[r];
        int64_t goes = leaves_first && p->transient[r] ? 0 : given[r];
        if (comes - goes > gap[r]) return false;
    }
    return true;
}

/* ---- moves ---- */

static int64_t travel_to(const struct reassign_state *s, uint32_t process, uint32_t to) {
    const struct reassign *p = s->p;
    uint32_t first = s->first[process];
    int64_t cost = first != to ? p->process_weight * p->move_cost[process] : 0;
    return cost + p->machine_weight * reassign_travel(p, first, to);
}

/* Returns 1, 0 or -1: how the number of moved processes of its service changes. */
static int32_t moved_change(const struct reassign_state *s, uint32_t process, uint32_t to) {
    return (s->first[process] != to) - (s->first[process] != s->at[process]);
}

/* Returns the greatest number of moved processes of a service if the number of one service changes
 * by at most 2, or if the numbers of two change by at most 1. If no service keeps the greatest
 * number, and a number falls by 2, then another service can have the greatest number less 1. */
static uint32_t moved_after(const struct reassign_state *s, uint32_t one, int32_t change_one,
                            uint32_t two, int32_t change_two) {
    uint32_t most = s->moved_most;
    if (change_one == 0 && change_two == 0) return most;
    uint32_t n_one = s->moved[one] + (uint32_t)change_one;
    uint32_t n_two = s->moved[two] + (uint32_t)change_two;
    uint32_t others =
        s->moved_like[most] - (s->moved[one] == most) - (one != two && s->moved[two] == most);
    uint32_t after = others > 0 ? most : 0;
    if (others == 0 && most > 0 && s->moved_like[most - 1] > 0) after = most - 1;
    if (n_one > after) after = n_one;
    return one != two && n_two > after ? n_two : after;
}

static void moved_set(struct reassign_state *s, uint32_t service, int32_t change) {
    s->moved_like[s->moved[service]]--;
    s->moved[service] += (uint32_t)change;
    s->moved_like[s->moved[service]]++;
    if (s->moved[service] > s->moved_most) s->moved_most = s->moved[service];
    while (s->moved_most > 0 && s->moved_like[s->moved_most] == 0) s->moved_most--;
}

/* The counts know the move already. */
static void place(struct reassign_state *s, uint32_t process, uint32_t to) {
    int32_t change = moved_change(s, process, to);
    row_change(s, s->at[process], process, 1);
    row_change(s, to, process, -1);
    if (change != 0) moved_set(s, s->p->service[process], change);
    s->travel[process] = travel_to(s, process, to);
}

/* ---- shift ---- */

struct change {
    uint32_t from, to;
    int64_t from_cost, to_cost; /* of the machines, after the change */
    int64_t delta;
};

/* Computes what a shift costs, without the rules about services. Returns false if there is no room,
 * or if it costs more than `most`. */
static bool weigh_shift(struct reassign_state *s, uint32_t process, int64_t most,
                        struct change *c) {
    const struct reassign *p = s->p;
    const uint32_t *need = need_of(s, process);
    int64_t more[REASSIGN_RESOURCES_MAX];
    more[0] = 0; /* the compiler does not know that there is a resource */
    s->work++;
    if (!has_room(s, c->to, process, p->n_processes)) return false;
    s->work += 2;
    for (uint32_t r = 0; r < p->n_resources; r++) more[r] = need[r];
    c->from_cost = row_cost(s, c->from, more);
    for (uint32_t r = 0; r < p->n_resources; r++) more[r] = -(int64_t)need[r];
    c->to_cost = row_cost(s, c->to, more);
    c->delta = c->from_cost + c->to_cost - s->machine_cost[c->from] - s->machine_cost[c->to] -
               s->travel[process];
    uint32_t service = p->service[process];
    int32_t moved = moved_change(s, process, c->to);
    c->delta +=
        p->service_weight * ((int64_t)moved_after(s, service, moved, service, 0) - s->moved_most);
    if (c->delta > most) return false;
    c->delta += travel_to(s, process, c->to);
    return c->delta <= most;
}

static void settle(struct reassign_state *s, const struct change *c) {
    s->machine_cost[c->from] = c->from_cost;
    s->machine_cost[c->to] = c->to_cost;
    s->cost += c->delta;
    s->work += 4;
}

bool reassign_state_shift(struct reassign_state *s, uint32_t process, uint32_t to, int64_t most) {
    struct change c = {.from = s->at[process], .to = to};
    if (!weigh_shift(s, process, most, &c)) return false;
    s->work += 2;
    if (!reassign_counts_allow(&s->counts, process, to)) return false;
    reassign_counts_move(&s->counts, process, to);
    place(s, process, to);
    s->at[process] = to;
    settle(s, &c);
    return true;
}

int64_t reassign_state_price(struct reassign_state *s, uint32_t process, uint32_t to) {
    struct change c = {.from = s->at[process], .to = to};
    if (!weigh_shift(s, process, INT64_MAX, &c)) return INT64_MAX;
    s->work += 2;
    return reassign_counts_allow(&s->counts, process, to) ? c.delta : INT64_MAX;
}

/* ---- swap ---- */

static bool same_service(const struct reassign_state *s, uint32_t one, uint32_t two) {
    return s->p->service[one] == s->p->service[two];
}

/* Returns the greatest number of moved processes of a service after the swap. */
static uint32_t moved_after_swap(const struct reassign_state *s, uint32_t one, uint32_t two) {
    uint32_t service_one = s->p->service[one], service_two = s->p->service[two];
    int32_t change_one = moved_change(s, one, s->at[two]);
    int32_t change_two = moved_change(s, two, s->at[one]);
    if (same_service(s, one, two))
        return moved_after(s, service_one, change_one + change_two, service_one, 0);
    return moved_after(s, service_one, change_one, service_two, change_two);
}

static bool weigh_swap(struct reassign_state *s, uint32_t one, uint32_t two, int64_t most,
                       struct change *c) {
    const struct reassign *p = s->p;
    const uint32_t *first = need_of(s, one), *second = need_of(s, two);
    int64_t more[REASSIGN_RESOURCES_MAX];
    more[0] = 0; /* the compiler does not know that there is a resource */
    s->work += 2;
    if (!has_room(s, c->to, one, two) || !has_room(s, c->from, two, one)) return false;
    s->work += 2;
    for (uint32_t r = 0; r < p->n_resources; r++) more[r] = (int64_t)first[r] - second[r];
    c->from_cost = row_cost(s, c->from, more);
    for (uint32_t r = 0; r < p->n_resources; r++) more[r] = -more[r];
    c->to_cost = row_cost(s, c->to, more);
    c->delta = c->from_cost + c->to_cost - s->machine_cost[c->from] - s->machine_cost[c->to] -
               s->travel[one] - s->travel[two];
    c->delta += p->service_weight * ((int64_t)moved_after_swap(s, one, two) - s->moved_most);
    if (c->delta > most) return false;
    c->delta += travel_to(s, one, c->to) + travel_to(s, two, c->from);
    return c->delta <= most;
}

/* Tells the counts that the two processes change places, if the rules allow that in this order:
 * first `one`, then `two`. Otherwise changes nothing. The rules count the processes of a service on
 * a place, so two processes of one service can always change places, and the counts stay. */
static bool swap_allowed(struct reassign_state *s, uint32_t one, uint32_t two,
                         const struct change *c) {
    if (same_service(s, one, two)) return true;
    s->work += 4;
    if (!reassign_counts_allow(&s->counts, one, c->to)) return false;
    reassign_counts_move(&s->counts, one, c->to);
    s->at[one] = c->to;
    bool allowed = reassign_counts_allow(&s->counts, two, c->from);
    if (allowed) reassign_counts_move(&s->counts, two, c->from);
    if (!allowed) reassign_counts_move(&s->counts, one, c->from);
    s->at[one] = c->from;
    return allowed;
}

bool reassign_state_swap(struct reassign_state *s, uint32_t one, uint32_t two, int64_t most) {
    struct change c = {.from = s->at[one], .to = s->at[two]};
    if (!weigh_swap(s, one, two, most, &c)) return false;
    if (!swap_allowed(s, one, two, &c)) return false;
    place(s, one, c.to);
    place(s, two, c.from);
    s->at[one] = c.to;
    s->at[two] = c.from;
    settle(s, &c);
    return true;
}

/* ---- begin and end ---- */

static void begin_rows_of_machines(struct reassign_state *s) {
    const struct reassign *p = s->p;
    size_t n = p->n_resources;
    const int64_t none[REASSIGN_RESOURCES_MAX] = {0};
    for (uint32_t m = 0; m < p->n_machines; m++) {
        int64_t *room = room_of(s, m);
        for (size_t r = 0; r < n; r++) {
            room[r] = room[n + r] = p->capacity[m * n + r];
            room[2 * n + r] = p->capacity[m * n + r] - p->safety[m * n + r];
        }
    }
    for (uint32_t i = 0; i < p->n_processes; i++) {
        int64_t *room = room_of(s, s->at[i]);
        for (size_t r = 0; r < n; r++) {
            room[r] -= need_of(s, i)[r];
            room[n + r] -= need_of(s, i)[r];
        }
    }
    for (uint32_t m = 0; m < p->n_machines; m++) {
        s->machine_cost[m] = row_cost(s, m, none);
        s->cost += s->machine_cost[m];
    }
}

void reassign_state_begin(struct reassign_state *s, const struct reassign *p,
                          const uint32_t *first) {
    size_t n = p->n_processes, greatest = 0;
    memset(s, 0, sizeof *s);
    s->p = p;
    s->first = first;
    s->at = must_alloc(n * sizeof s->at[0]);
    memcpy(s->at, first, n * sizeof s->at[0]);
    s->rows = must_alloc((size_t)p->n_machines * 3 * p->n_resources * sizeof s->rows[0]);
    s->machine_cost = must_alloc(p->n_machines * sizeof s->machine_cost[0]);
    s->travel = must_alloc(n * sizeof s->travel[0]);
    s->moved = must_alloc_zero(p->n_services * sizeof s->moved[0]);
    for (uint32_t k = 0; k < p->n_services; k++)
        if (p->members_at[k + 1] - p->members_at[k] > greatest)
            greatest = p->members_at[k + 1] - p->members_at[k];
    s->moved_like = must_alloc_zero((greatest + 1) * sizeof s->moved_like[0]);
    s->moved_like[0] = p->n_services;
    begin_rows_of_machines(s);
    for (uint32_t i = 0; i < n; i++) {
        s->travel[i] = travel_to(s, i, first[i]);
        s->cost += s->travel[i];
    }
    reassign_counts_begin(&s->counts, p, s->at);
}

void reassign_state_end(struct reassign_state *s) {
    reassign_counts_end(&s->counts);
    free(s->at);
    free(s->rows);
    free(s->machine_cost);
    free(s->travel);
    free(s->moved);
    free(s->moved_like);
}
