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

/* Returns the word of META with the root of the decision's heap. */
static uint32_t life_root(const struct columns *k, uint32_t d) {
    return k->c[C_DECISION_KIND].u8[d] == LSCHED_DECIDE_CHECKPOINT ? M_CHECKPOINT_HEAD
                                                                   : M_LIFE_HEAD;
}

void decision_life_begin(struct columns *k, uint32_t d, int64_t until) {
    uint32_t root = life_root(k, d);
    assert(k->c[C_DECISION_UNTIL].i64[d] == 0 && until != 0);
    set_i64(k, C_DECISION_UNTIL, d, until);
    set_meta(k, root, heap_insert(k, &life_heap, (uint32_t)meta(k, root), d));
}

void decision_life_end(struct columns *k, uint32_t d) {
    uint32_t root = life_root(k, d);
    if (k->c[C_DECISION_UNTIL].i64[d] == 0) return;
    set_meta(k, root, heap_remove(k, &life_heap, (uint32_t)meta(k, root), d));
    set_i64(k, C_DECISION_UNTIL, d, 0);
}

static uint32_t life_first(const struct columns *k, uint32_t root, int64_t *until) {
    uint32_t d = (uint32_t)meta(k, root);
    *until = d == NO_ROW ? LSCHED_NEVER_US : k->c[C_DECISION_UNTIL].i64[d];
    return d;
}

uint32_t decision_life_first(const struct columns *k, int64_t *until) {
    return life_first(k, M_LIFE_HEAD, until);
}

uint32_t decision_life_first_checkpoint(const struct columns *k, int64_t *until) {
    return life_first(k, M_CHECKPOINT_HEAD, until);
}

void decision_life_due(struct columns *k, uint32_t d, int64_t now) {
    decision_life_end(k, d);
    decision_life_begin(k, d, now > 0 ? now : 1);
}
