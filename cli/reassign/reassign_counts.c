/*
 * reassign_counts.c -- see reassign_counts.h.
 */
#include "cli/reassign/reassign_counts.h"

#include <stdlib.h>
#include <string.h>

#include "cli/support/cli_errors.h"

enum { SCANNED_MAX = 8 };
#define SCANNED UINT32_MAX

static uint32_t places_of(const struct reassign *p, enum reassign_place kind) {
    if (kind == PLACE_MACHINE) return p->n_machines;
    return kind == PLACE_LOCATION ? p->n_locations : p->n_neighbourhoods;
}

static uint32_t place_at(const struct reassign_counts *c, enum reassign_place kind,
                         uint32_t machine) {
    return c->place_of[kind] != NULL ? c->place_of[kind][machine] : machine;
}

static bool is_linked(const struct reassign *p, uint32_t s) {
    return p->needs_at[s] < p->needs_at[s + 1] || p->serves_at[s] < p->serves_at[s + 1];
}

/* True if a rule asks for places of this kind of the service. */
static bool is_asked(const struct reassign *p, enum reassign_place kind, uint32_t s) {
    if (kind == PLACE_LOCATION) return p->spread[s] > 1;
    return kind == PLACE_MACHINE || is_linked(p, s);
}

static uint32_t size_of(const struct reassign *p, uint32_t s) {
    return p->members_at[s + 1] - p->members_at[s];
}

static void begin_rows(struct reassign_counts *c, enum reassign_place kind) {
    const struct reassign *p = c->p;
    uint32_t n = 0, width = places_of(p, kind);
    c->row_of[kind] = must_alloc((p->n_services + (size_t)1) * sizeof c->row_of[kind][0]);
    for (uint32_t s = 0; s < p->n_services; s++) {
        bool has_row = size_of(p, s) > SCANNED_MAX && is_asked(p, kind, s);
        c->row_of[kind][s] = has_row ? n++ : SCANNED;
    }
    c->rows[kind] = must_alloc_zero(((size_t)n * width + 1) * sizeof c->rows[kind][0]);
}

static uint32_t *cell(const struct reassign_counts *c, enum reassign_place kind, uint32_t s,
                      uint32_t place) {
    return &c->rows[kind][(size_t)c->row_of[kind][s] * places_of(c->p, kind) + place];
}

/* Returns how many processes of a service are in a place, without the process `except`. */
static uint32_t count_in(const struct reassign_counts *c, enum reassign_place kind, uint32_t s,
                         uint32_t place, uint32_t except) {
    const struct reassign *p = c->p;
    uint32_t n = 0;
    if (c->row_of[kind][s] != SCANNED) {
        n = *cell(c, kind, s, place);
        bool inside = except < p->n_processes && p->service[except] == s &&
                      place_at(c, kind, c->at[except]) == place;
        return n - inside;
    }
    for (uint32_t k = p->members_at[s]; k < p->members_at[s + 1]; k++) {
        uint32_t other = p->members[k];
        n += other != except && place_at(c, kind, c->at[other]) == place;
    }
    return n;
}

void reassign_counts_begin(struct reassign_counts *c, const struct reassign *p,
                           const uint32_t *at) {
    *c = (struct reassign_counts){.p = p, .at = at};
    c->place_of[PLACE_LOCATION] = p->location_index;
    c->place_of[PLACE_NEIGHBOURHOOD] = p->neighbourhood_index;
    for (enum reassign_place kind = 0; kind < REASSIGN_PLACES; kind++) begin_rows(c, kind);
    for (uint32_t i = 0; i < p->n_processes; i++)
        for (enum reassign_place kind = 0; kind < REASSIGN_PLACES; kind++)
            if (c->row_of[kind][p->service[i]] != SCANNED)
                ++*cell(c, kind, p->service[i], place_at(c, kind, at[i]));
    c->locations = must_alloc_zero((p->n_services + (size_t)1) * sizeof c->locations[0]);
    uint32_t *last = must_alloc_zero((p->n_locations + (size_t)1) * sizeof last[0]);
    for (uint32_t s = 0; s < p->n_services; s++) {
        for (uint32_t k = p->members_at[s]; k < p->members_at[s + 1]; k++) {
            uint32_t place = p->location_index[at[p->members[k]]];
            c->locations[s] += last[place] != s + 1;
            last[place] = s + 1;
        }
    }
    free(last);
}

void reassign_counts_end(struct reassign_counts *c) {
    for (enum reassign_place kind = 0; kind < REASSIGN_PLACES; kind++) {
        free(c->row_of[kind]);
        free(c->rows[kind]);
    }
    free(c->locations);
}

/* Returns in how many locations the service of the process is after the move. */
static uint32_t locations_after(const struct reassign_counts *c, uint32_t process, uint32_t to) {
    const struct reassign *p = c->p;
    uint32_t s = p->service[process], n = c->locations[s];
    uint32_t from_place = p->location_index[c->at[process]], to_place = p->location_index[to];
    if (from_place == to_place) return n;
    n -= count_in(c, PLACE_LOCATION, s, from_place, process) == 0;
    return n + (count_in(c, PLACE_LOCATION, s, to_place, process) == 0);
}

/* True if the services that the process depends on are in its new neighbourhood, and those that
 * depend on it do not miss it in the old one. */
static bool links_allow(const struct reassign_counts *c, uint32_t process, uint32_t to) {
    const struct reassign *p = c->p;
    uint32_t s = p->service[process], none = p->n_processes;
    uint32_t old = p->neighbourhood_index[c->at[process]], new = p->neighbourhood_index[to];
    if (old == new || !is_linked(p, s)) return true;
    for (uint32_t e = p->needs_at[s]; e < p->needs_at[s + 1]; e++)
        if (count_in(c, PLACE_NEIGHBOURHOOD, p->needs[e], new, none) == 0) return false;
    if (p->serves_at[s] == p->serves_at[s + 1]) return true;
    if (count_in(c, PLACE_NEIGHBOURHOOD, s, old, process) > 0) return true;
    for (uint32_t e = p->serves_at[s]; e < p->serves_at[s + 1]; e++)
        if (count_in(c, PLACE_NEIGHBOURHOOD, p->serves[e], old, none) > 0) return false;
    return true;
}

bool reassign_counts_allow(const struct reassign_counts *c, uint32_t process, uint32_t to) {
    const struct reassign *p = c->p;
    uint32_t s = p->service[process];
    if (size_of(p, s) > 1 && count_in(c, PLACE_MACHINE, s, to, process) > 0) return false;
    if (p->spread[s] > 1 && locations_after(c, process, to) < p->spread[s]) return false;
    return links_allow(c, process, to);
}

void reassign_counts_move(struct reassign_counts *c, uint32_t process, uint32_t to) {
    uint32_t s = c->p->service[process];
    if (c->p->spread[s] > 1) c->locations[s] = locations_after(c, process, to);
    for (enum reassign_place kind = 0; kind < REASSIGN_PLACES; kind++) {
        if (c->row_of[kind][s] == SCANNED) continue;
        --*cell(c, kind, s, place_at(c, kind, c->at[process]));
        ++*cell(c, kind, s, place_at(c, kind, to));
    }
}
