/*
 * reassign_yard.c -- see reassign_yard.h.
 */
#include "cli/reassign/reassign_yard.h"

#include <stdlib.h>
#include <string.h>

#include "cli/support/cli_errors.h"

#define END REASSIGN_YARD_END

/* ---- lists ---- */

static void lists_begin(struct reassign_lists *l, const struct reassign *p) {
    l->head = must_alloc(p->n_machines * sizeof l->head[0]);
    l->next = must_alloc(p->n_processes * sizeof l->next[0]);
    l->prev = must_alloc(p->n_processes * sizeof l->prev[0]);
    for (uint32_t m = 0; m < p->n_machines; m++) l->head[m] = END;
}

static void lists_end(struct reassign_lists *l) {
    free(l->head);
    free(l->next);
    free(l->prev);
}

static void lists_add(struct reassign_lists *l, uint32_t machine, uint32_t process) {
    uint32_t next = l->head[machine];
    l->next[process] = next;
    l->prev[process] = END;
    if (next != END) l->prev[next] = process;
    l->head[machine] = process;
}

static void lists_remove(struct reassign_lists *l, uint32_t machine, uint32_t process) {
    uint32_t next = l->next[process], prev = l->prev[process];
    if (next != END) l->prev[next] = prev;
    if (prev != END)
        l->next[prev] = next;
    else
        l->head[machine] = next;
}

/* ---- the rules ---- */

static void yard_use(struct reassign_yard *y, uint32_t process, uint32_t machine, int64_t sign) {
    size_t n = y->p->n_resources;
    for (size_t r = 0; r < n; r++) y->room[machine * n + r] -= sign * y->p->need[process * n + r];
}

/* Moves the process without its lists. */
static void yard_shift(struct reassign_yard *y, uint32_t process, uint32_t to) {
    reassign_counts_move(&y->counts, process, to);
    yard_use(y, process, y->at[process], -1);
    yard_use(y, process, to, 1);
    y->at[process] = to;
}

/* Returns how many services the rules about dependencies look at. */
static uint64_t yard_links(const struct reassign *p, uint32_t process) {
    uint32_t s = p->service[process];
    return (uint64_t)(p->needs_at[s + 1] - p->needs_at[s]) + p->serves_at[s + 1] - p->serves_at[s];
}

bool reassign_yard_fits(struct reassign_yard *y, uint32_t process, uint32_t to) {
    size_t n = y->p->n_resources;
    y->work++;
    for (size_t r = 0; r < n; r++)
        if (y->p->need[process * n + r] > y->room[to * n + r]) return false;
    y->work += 2 + yard_links(y->p, process);
    return reassign_counts_allow(&y->counts, process, to);
}

bool reassign_yard_fits_after(struct reassign_yard *y, uint32_t process, uint32_t to,
                              uint32_t leaver, uint32_t aside) {
    y->work += 4;
    yard_shift(y, leaver, aside);
    bool fits = reassign_yard_fits(y, process, to);
    yard_shift(y, leaver, to);
    return fits;
}

void reassign_yard_move(struct reassign_yard *y, uint32_t process, uint32_t to) {
    uint32_t from = y->at[process], target = y->target[process];
    y->work += 4;
    lists_remove(&y->on, from, process);
    lists_add(&y->on, to, process);
    yard_shift(y, process, to);
    if (from == target) lists_add(&y->due, target, process);
    if (to == target) lists_remove(&y->due, target, process);
    y->n_due += (uint32_t)(from == target) - (uint32_t)(to == target);
}

/* ---- begin and end ---- */

void reassign_yard_begin(struct reassign_yard *y, const struct reassign *p, const uint32_t *first,
                         const uint32_t *target) {
    size_t cells = (size_t)p->n_machines * p->n_resources;
    memset(y, 0, sizeof *y);
    y->p = p;
    y->target = target;
    y->at = must_alloc(p->n_processes * sizeof y->at[0]);
    memcpy(y->at, first, p->n_processes * sizeof y->at[0]);
    y->room = must_alloc(cells * sizeof y->room[0]);
    memcpy(y->room, p->capacity, cells * sizeof y->room[0]);
    lists_begin(&y->on, p);
    lists_begin(&y->due, p);
    /* from the last to the first, so that lists are in ascending order */
    for (uint32_t i = p->n_processes; i-- > 0;) {
        yard_use(y, i, first[i], 1);
        lists_add(&y->on, first[i], i);
        if (first[i] == target[i]) continue;
        lists_add(&y->due, target[i], i);
        y->n_due++;
    }
    reassign_counts_begin(&y->counts, p, y->at);
    y->work = p->n_processes + p->n_machines;
}

void reassign_yard_end(struct reassign_yard *y) {
    reassign_counts_end(&y->counts);
    lists_end(&y->on);
    lists_end(&y->due);
    free(y->at);
    free(y->room);
}
