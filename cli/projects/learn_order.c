/*
 * learn_order.c -- see learn_order.h.
 */
#include "cli/projects/learn_order.h"

#include "cli/support/cli_errors.h"

#define ACTIVITY_MAX ((uint64_t)1 << 56)
#define BUMP_FIRST   ((uint64_t)1 << 20)

static bool comes_first(const struct learn *learn, uint32_t a, uint32_t b) {
    if (learn->activity[a] != learn->activity[b]) return learn->activity[a] > learn->activity[b];
    return a < b;
}

static void put_at(struct learn *learn, uint32_t place, uint32_t variable) {
    learn->heap[place] = variable;
    learn->heap_at[variable] = (int32_t)place;
}

static void rise(struct learn *learn, uint32_t place) {
    uint32_t variable = learn->heap[place];
    while (place > 0 && comes_first(learn, variable, learn->heap[(place - 1) / 2])) {
        put_at(learn, place, learn->heap[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    put_at(learn, place, variable);
}

static void sink(struct learn *learn, uint32_t place) {
    uint32_t variable = learn->heap[place];
    for (;;) {
        uint32_t child = 2 * place + 1;
        if (child >= learn->n_heap) break;
        if (child + 1 < learn->n_heap &&
            comes_first(learn, learn->heap[child + 1], learn->heap[child]))
            child++;
        if (!comes_first(learn, learn->heap[child], variable)) break;
        put_at(learn, place, learn->heap[child]);
        place = child;
    }
    put_at(learn, place, variable);
}

void learn_order_begin(struct learn *learn) {
    uint32_t n = learn->n_variables;
    learn->activity = must_alloc_zero((n + 1) * sizeof learn->activity[0]);
    learn->heap = must_alloc((n + 1) * sizeof learn->heap[0]);
    learn->heap_at = must_alloc((n + 1) * sizeof learn->heap_at[0]);
    learn->bump = BUMP_FIRST;
    learn->n_heap = n;
    for (uint32_t i = 0; i < n; i++) put_at(learn, i, i);
}

void learn_order_put(struct learn *learn, uint32_t variable) {
    if (learn->heap_at[variable] >= 0) return;
    put_at(learn, learn->n_heap, variable);
    rise(learn, learn->n_heap++);
}

void learn_order_bump(struct learn *learn, uint32_t variable) {
    learn->activity[variable] += learn->bump;
    if (learn->heap_at[variable] >= 0) rise(learn, (uint32_t)learn->heap_at[variable]);
    if (learn->activity[variable] < ACTIVITY_MAX) return;
    /* halving can make activities equal, so the heap is made anew */
    for (uint32_t i = 0; i < learn->n_variables; i++) learn->activity[i] >>= 30;
    learn->bump = learn->bump >> 30 > 0 ? learn->bump >> 30 : 1;
    if (learn->bump < BUMP_FIRST) learn->bump = BUMP_FIRST;
    for (uint32_t place = learn->n_heap / 2; place-- > 0;) sink(learn, place);
}

void learn_order_decay(struct learn *learn) {
    learn->bump += learn->bump / 20;
}

uint32_t learn_order_next(struct learn *learn) {
    while (learn->n_heap > 0) {
        uint32_t variable = learn->heap[0];
        learn->heap_at[variable] = -1;
        uint32_t moved = learn->heap[--learn->n_heap];
        if (learn->n_heap > 0) {
            put_at(learn, 0, moved);
            sink(learn, 0);
        }
        if (learn_least(learn, variable) < learn_most(learn, variable)) return variable;
    }
    return learn->n_variables;
}
