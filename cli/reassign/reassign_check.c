/*
 * reassign_check.c -- see reassign_check.h.
 */
#include "cli/reassign/reassign_check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/support/cli_errors.h"

struct judge {
    const struct reassign *p;
    const uint32_t *first, *at;
    uint64_t *seen; /* pairs of a service and a place, sorted */
    lsched_error *err;
};

/* ---- capacity ---- */

/* Adds up the amounts of one resource on each machine: what processes use, and what they use while
 * they move. */
static void use_of(const struct judge *j, uint32_t r, int64_t *use, int64_t *moving) {
    const struct reassign *p = j->p;
    memset(use, 0, p->n_machines * sizeof use[0]);
    memset(moving, 0, p->n_machines * sizeof moving[0]);
    for (uint32_t i = 0; i < p->n_processes; i++) {
        int64_t amount = p->need[(size_t)i * p->n_resources + r];
        use[j->at[i]] += amount;
        if (p->transient[r] && j->first[i] != j->at[i]) moving[j->first[i]] += amount;
    }
}

static int32_t judge_capacity(const struct judge *j, struct reassign_costs *costs) {
    const struct reassign *p = j->p;
    int64_t *use = must_alloc(p->n_machines * sizeof use[0]);
    int64_t *moving = must_alloc(p->n_machines * sizeof moving[0]);
    int32_t rc = 0;
    for (uint32_t r = 0; rc == 0 && r < p->n_resources; r++) {
        use_of(j, r, use, moving);
        for (uint32_t m = 0; rc == 0 && m < p->n_machines; m++) {
            size_t cell = (size_t)m * p->n_resources + r;
            int64_t above = use[m] - p->safety[cell];
            if (above > 0) costs->load += above * p->load_weight[r];
            if (use[m] + moving[m] > p->capacity[cell])
                rc = error_at(j->err, LSCHED_E_VERIFY, 0, 0,
                              "machine %" PRIu32 " has %" PRId64 " of resource %" PRIu32
                              ", and its processes need %" PRId64 " (%" PRId64 " of it while they "
                              "move away)",
                              m, p->capacity[cell], r, use[m] + moving[m], moving[m]);
        }
    }
    free(use);
    free(moving);
    return rc;
}

static void judge_balance(const struct judge *j, struct reassign_costs *costs) {
    const struct reassign *p = j->p;
    int64_t *first = must_alloc(p->n_machines * sizeof first[0]);
    int64_t *second = must_alloc(p->n_machines * sizeof second[0]);
    int64_t *moving = must_alloc(p->n_machines * sizeof moving[0]);
    for (uint32_t b = 0; b < p->n_balances; b++) {
        const struct reassign_balance *balance = &p->balances[b];
        use_of(j, balance->first, first, moving);
        use_of(j, balance->second, second, moving);
        for (uint32_t m = 0; m < p->n_machines; m++) {
            const int64_t *capacity = p->capacity + (size_t)m * p->n_resources;
            int64_t above = balance->target * (capacity[balance->first] - first[m]) -
                            (capacity[balance->second] - second[m]);
            if (above > 0) costs->balance += above * balance->weight;
        }
    }
    free(first);
    free(second);
    free(moving);
}

/* ---- places of services ---- */

static int compare_pairs(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Fills `seen` with the pair of service and place of each process. The place of a machine is the
 * machine itself if place_of is NULL. */
static void see_places(const struct judge *j, const uint32_t *place_of) {
    for (uint32_t i = 0; i < j->p->n_processes; i++) {
        uint32_t place = place_of != NULL ? place_of[j->at[i]] : j->at[i];
        j->seen[i] = (uint64_t)j->p->service[i] << 32 | place;
    }
    qsort(j->seen, j->p->n_processes, sizeof j->seen[0], compare_pairs);
}

static int32_t judge_conflict(const struct judge *j) {
    see_places(j, NULL);
    for (uint32_t i = 1; i < j->p->n_processes; i++)
        if (j->seen[i] == j->seen[i - 1])
            return error_at(j->err, LSCHED_E_VERIFY, 0, 0,
                            "service %" PRIu32 " has two processes on machine %" PRIu32,
                            (uint32_t)(j->seen[i] >> 32), (uint32_t)j->seen[i]);
    return 0;
}

static int32_t judge_spread(const struct judge *j) {
    const struct reassign *p = j->p;
    uint32_t *locations = must_alloc_zero(p->n_services * sizeof locations[0]);
    int32_t rc = 0;
    see_places(j, p->location);
    for (uint32_t i = 0; i < p->n_processes; i++)
        if (i == 0 || j->seen[i] != j->seen[i - 1]) locations[j->seen[i] >> 32]++;
    for (uint32_t s = 0; rc == 0 && s < p->n_services; s++)
        if (locations[s] < p->spread[s])
            rc = error_at(j->err, LSCHED_E_VERIFY, 0, 0,
                          "service %" PRIu32 " must run in %" PRIu32 " locations, and runs in "
                          "%" PRIu32,
                          s, p->spread[s], locations[s]);
    free(locations);
    return rc;
}

static int32_t judge_dependencies(const struct judge *j) {
    const struct reassign *p = j->p;
    see_places(j, p->neighbourhood);
    for (uint32_t i = 0; i < p->n_processes; i++) {
        uint32_t service = (uint32_t)(j->seen[i] >> 32), place = (uint32_t)j->seen[i];
        if (i > 0 && j->seen[i] == j->seen[i - 1]) continue;
        for (uint32_t e = p->needs_at[service]; e < p->needs_at[service + 1]; e++) {
            uint64_t wanted = (uint64_t)p->needs[e] << 32 | place;
            if (bsearch(&wanted, j->seen, p->n_processes, sizeof wanted, compare_pairs) == NULL)
                return error_at(j->err, LSCHED_E_VERIFY, 0, 0,
                                "service %" PRIu32 " runs in neighbourhood %" PRIu32
                                ", and depends on service %" PRIu32 ", which does not run there",
                                service, place, p->needs[e]);
        }
    }
    return 0;
}

/* ---- moves ---- */

static void judge_moves(const struct judge *j, struct reassign_costs *costs) {
    const struct reassign *p = j->p;
    uint32_t *moved = must_alloc_zero(p->n_services * sizeof moved[0]), most = 0;
    for (uint32_t i = 0; i < p->n_processes; i++) {
        if (j->at[i] == j->first[i]) {
            costs->machine_moves += p->machine_weight * reassign_travel(p, j->first[i], j->at[i]);
            continue;
        }
        uint32_t n = ++moved[p->service[i]];
        if (n > most) most = n;
        costs->moved++;
        costs->process_moves += p->process_weight * p->move_cost[i];
        costs->machine_moves += p->machine_weight * reassign_travel(p, j->first[i], j->at[i]);
    }
    costs->service_moves = p->service_weight * most;
    free(moved);
}

static void add_costs(struct reassign_costs *costs) {
    costs->total = costs->load + costs->balance + costs->process_moves + costs->service_moves +
                   costs->machine_moves;
}

void reassign_check_moves(const struct reassign *p, const uint32_t *first, const uint32_t *at,
                          struct reassign_costs *costs) {
    struct judge j = {.p = p, .first = first, .at = at};
    costs->process_moves = costs->service_moves = costs->machine_moves = 0;
    costs->moved = 0;
    judge_moves(&j, costs);
    add_costs(costs);
}

int32_t reassign_check(const struct reassign *p, const uint32_t *first, const uint32_t *at,
                       struct reassign_costs *costs, lsched_error *err) {
    struct judge j = {.p = p, .first = first, .at = at, .err = err};
    memset(costs, 0, sizeof *costs);
    j.seen = must_alloc(p->n_processes * sizeof j.seen[0]);
    int32_t rc = judge_capacity(&j, costs);
    if (rc == 0) rc = judge_conflict(&j);
    if (rc == 0) rc = judge_spread(&j);
    if (rc == 0) rc = judge_dependencies(&j);
    if (rc == 0) judge_balance(&j, costs);
    if (rc == 0) judge_moves(&j, costs);
    add_costs(costs);
    free(j.seen);
    return rc;
}
