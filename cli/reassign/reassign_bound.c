/*
 * reassign_bound.c -- see reassign_bound.h.
 */
#include "cli/reassign/reassign_bound.h"

static int64_t total_of(const struct reassign *p, const int64_t *amounts, uint32_t r) {
    int64_t total = 0;
    for (uint32_t m = 0; m < p->n_machines; m++) total += amounts[(size_t)m * p->n_resources + r];
    return total;
}

int64_t reassign_bound(const struct reassign *p) {
    int64_t need[REASSIGN_RESOURCES_MAX] = {0}, room[REASSIGN_RESOURCES_MAX] = {0}, bound = 0;
    for (uint32_t i = 0; i < p->n_processes; i++)
        for (uint32_t r = 0; r < p->n_resources; r++)
            need[r] += p->need[(size_t)i * p->n_resources + r];
    for (uint32_t r = 0; r < p->n_resources; r++) {
        int64_t above = need[r] - total_of(p, p->safety, r);
        if (above > 0) bound += above * p->load_weight[r];
        room[r] = total_of(p, p->capacity, r) - need[r];
    }
    for (uint32_t b = 0; b < p->n_balances; b++) {
        const struct reassign_balance *balance = &p->balances[b];
        int64_t above = balance->target * room[balance->first] - room[balance->second];
        if (above > 0) bound += above * balance->weight;
    }
    return bound;
}
