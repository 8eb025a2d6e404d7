/* decision_life.c -- see decision_life.h. */
#include "model/told/decision_life.h"

#include "model/store/heap.h"

/* The decisions of a group are withdrawn together, whichever is at the top. Therefore their rows
 * can decide their order in the heap. */
static int life_before(const struct columns *k, uint32_t a, uint32_t b) {
    int64_t x = k->c[C_DECISION_UNTIL].i64[a], y = k->c[C_DECISION_UNTIL].i64[b];
    uint64_t g = k->c[C_DECISION_GROUP].u64[a], h = k->c[C_DECISION_GROUP].u64[b];
    if (x != y) return x < y;
    return g != h ? g < h : a < b;
}

static const struct heap_kind life_heap = {C_DECISION_HEAP_L, C_DECISION_HEAP_R, C_DECISION_HEAP_P,
                                           C_DECISION_HEAP_D, life_before};

void decision_life_begin(struct columns *k, uint32_t d, int64_t until) {
    assert(k->c[C_DECISION_UNTIL].i64[d] == 0 && until != 0);
    set_i64(k, C_DECISION_UNTIL, d, until);
    set_meta(k, M_LIFE_HEAD, heap_insert(k, &life_heap, (uint32_t)meta(k, M_LIFE_HEAD), d));
}

void decision_life_end(struct columns *k, uint32_t d) {
    if (k->c[C_DECISION_UNTIL].i64[d] == 0) return;
    set_meta(k, M_LIFE_HEAD, heap_remove(k, &life_heap, (uint32_t)meta(k, M_LIFE_HEAD), d));
    set_i64(k, C_DECISION_UNTIL, d, 0);
}

uint32_t decision_life_first(const struct columns *k, int64_t *until) {
    uint32_t d = (uint32_t)meta(k, M_LIFE_HEAD);
    *until = d == NO_ROW ? LSCHED_NEVER_US : k->c[C_DECISION_UNTIL].i64[d];
    return d;
}
