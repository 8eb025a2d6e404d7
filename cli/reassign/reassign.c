/*
 * reassign.c -- see reassign.h.
 */
#include "cli/reassign/reassign.h"

#include <stdlib.h>
#include <string.h>

#include "cli/support/cli_errors.h"

__extension__ typedef unsigned __int128 wide_cost;

/* Turns counts into the places where the lists begin: at[i + 1] holds the length of list i. */
static void add_up(uint32_t *at, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) at[i + 1] += at[i];
}

static void list_members(struct reassign *p) {
    uint32_t n = p->n_services;
    p->members_at = must_alloc_zero((n + (size_t)1) * sizeof p->members_at[0]);
    p->members = must_alloc((p->n_processes + (size_t)1) * sizeof p->members[0]);
    uint32_t *next = must_alloc((n + (size_t)1) * sizeof next[0]);
    for (uint32_t i = 0; i < p->n_processes; i++) p->members_at[p->service[i] + 1]++;
    add_up(p->members_at, n);
    memcpy(next, p->members_at, (n + (size_t)1) * sizeof next[0]);
    for (uint32_t i = 0; i < p->n_processes; i++) p->members[next[p->service[i]]++] = i;
    free(next);
}

static void list_serves(struct reassign *p) {
    uint32_t n = p->n_services;
    size_t links = p->needs_at[n];
    p->serves_at = must_alloc_zero((n + (size_t)1) * sizeof p->serves_at[0]);
    p->serves = must_alloc((links + 1) * sizeof p->serves[0]);
    uint32_t *next = must_alloc((n + (size_t)1) * sizeof next[0]);
    for (size_t e = 0; e < links; e++) p->serves_at[p->needs[e] + 1]++;
    add_up(p->serves_at, n);
    memcpy(next, p->serves_at, (n + (size_t)1) * sizeof next[0]);
    for (uint32_t s = 0; s < n; s++)
        for (uint32_t e = p->needs_at[s]; e < p->needs_at[s + 1]; e++)
            p->serves[next[p->needs[e]]++] = s;
    free(next);
}

static int compare_places(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Numbers the places of the machines from 0, in the order of their numbers in the file. Returns how
 * many places there are. */
static uint32_t number_places(const uint32_t *place, uint32_t n_machines, uint32_t **index) {
    uint32_t n = 0, *sorted = must_alloc(n_machines * sizeof sorted[0]);
    *index = must_alloc(n_machines * sizeof(*index)[0]);
    memcpy(sorted, place, n_machines * sizeof sorted[0]);
    qsort(sorted, n_machines, sizeof sorted[0], compare_places);
    for (uint32_t m = 0; m < n_machines; m++)
        if (n == 0 || sorted[m] != sorted[n - 1]) sorted[n++] = sorted[m];
    for (uint32_t m = 0; m < n_machines; m++) {
        const uint32_t *found = bsearch(&place[m], sorted, n, sizeof sorted[0], compare_places);
        (*index)[m] = found != NULL ? (uint32_t)(found - sorted) : 0;
    }
    free(sorted);
    return n;
}

/* Returns a number that no sum of costs passes. A sum of amounts is below 2^32 x 2^18, and a sum of
 * such sums times two numbers below 2^32 stays below 2^128. */
static wide_cost most_cost(const struct reassign *p) {
    wide_cost moves = 0, cost = 0;
    for (uint32_t r = 0; r < p->n_resources; r++) {
        wide_cost capacity = 0;
        for (uint32_t m = 0; m < p->n_machines; m++)
            capacity += (uint64_t)p->capacity[(size_t)m * p->n_resources + r];
        cost += capacity * (uint64_t)p->load_weight[r];
        for (uint32_t b = 0; b < p->n_balances; b++) {
            const struct reassign_balance *balance = &p->balances[b];
            uint64_t weight = balance->weight > 0 ? (uint64_t)balance->weight : 1;
            if (balance->first == r) cost += capacity * (uint64_t)balance->target * weight;
            if (balance->second == r) cost += capacity * weight;
        }
    }
    for (uint32_t i = 0; i < p->n_processes; i++) moves += p->move_cost[i];
    cost += moves * (uint64_t)p->process_weight;
    cost += (wide_cost)p->n_processes * (uint64_t)p->service_weight;
    return cost + (wide_cost)p->n_processes * p->travel_most * (uint64_t)p->machine_weight;
}

bool reassign_finish(struct reassign *p) {
    list_members(p);
    list_serves(p);
    p->n_locations = number_places(p->location, p->n_machines, &p->location_index);
    p->n_neighbourhoods = number_places(p->neighbourhood, p->n_machines, &p->neighbourhood_index);
    return most_cost(p) <= (wide_cost)REASSIGN_COST_MAX;
}

void reassign_free(struct reassign *p) {
    void *const arrays[] = {
        p->transient,     p->load_weight, p->capacity, p->safety,         p->location,
        p->neighbourhood, p->travel,      p->spread,   p->needs_at,       p->needs,
        p->serves_at,     p->serves,      p->service,  p->need,           p->move_cost,
        p->members_at,    p->members,     p->balances, p->location_index, p->neighbourhood_index};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) free(arrays[i]);
    memset(p, 0, sizeof *p);
}
