/*
 * learn.c -- see learn.h.
 */
#include "cli/projects/learn.h"

#include <stdlib.h>
#include <string.h>

#include "cli/projects/learn_order.h"
#include "cli/support/cli_errors.h"

enum { LEARNED_MAX = 4000, KEEP_LEVELS = 2 };

void learn_begin(struct learn *learn, uint32_t n_variables) {
    memset(learn, 0, sizeof *learn);
    learn->n_variables = n_variables;
    learn->n_slots = 2 * n_variables;
    learn->bound = must_alloc_zero((learn->n_slots + 1) * sizeof learn->bound[0]);
    learn->latest = must_alloc((learn->n_slots + 1) * sizeof learn->latest[0]);
    learn->watches = must_alloc_zero((learn->n_slots + 1) * sizeof learn->watches[0]);
    learn->need = must_alloc_zero((learn->n_slots + 1) * sizeof learn->need[0]);
    learn->need_at = must_alloc((learn->n_slots + 1) * sizeof learn->need_at[0]);
    learn->needed = must_alloc((learn->n_slots + 1) * sizeof learn->needed[0]);
    for (uint32_t slot = 0; slot < learn->n_slots; slot++)
        learn->latest[slot] = learn->need_at[slot] = -1;
    learn->learned_max = LEARNED_MAX;
    learn_order_begin(learn);
}

void learn_end(struct learn *learn) {
    for (uint32_t slot = 0; slot < learn->n_slots; slot++) free(learn->watches[slot].items);
    free(learn->bound);
    free(learn->latest);
    free(learn->trail);
    free(learn->level_at);
    free(learn->premises);
    free(learn->clauses);
    free(learn->watches);
    free(learn->conflict);
    free(learn->need);
    free(learn->need_at);
    free(learn->needed);
    free(learn->lesson);
    free(learn->level_mark);
    free(learn->activity);
    free(learn->heap);
    free(learn->heap_at);
    memset(learn, 0, sizeof *learn);
}

void learn_range(struct learn *learn, uint32_t variable, int32_t least, int32_t most) {
    learn->bound[2 * variable] = least;
    learn->bound[2 * variable + 1] = -most;
}

static bool is_true(const struct learn *learn, struct literal literal) {
    return learn->bound[literal.slot] >= literal.value;
}

static bool is_false(const struct learn *learn, struct literal literal) {
    return learn->bound[literal.slot ^ 1] >= 1 - literal.value;
}

/* ---- the trail ---- */

static void add_conflict(struct learn *learn, struct literal literal) {
    learn->conflict = must_grow(learn->conflict, learn->n_conflict, &learn->conflict_capacity,
                                sizeof learn->conflict[0]);
    learn->conflict[learn->n_conflict++] = literal;
}

bool learn_refuse(struct learn *learn, const struct literal *premises, size_t n) {
    learn->n_conflict = 0;
    for (size_t i = 0; i < n; i++) add_conflict(learn, premises[i]);
    return false;
}

static void push(struct learn *learn, struct literal literal, int32_t reason, bool shifts) {
    learn->trail =
        must_grow(learn->trail, learn->n_trail, &learn->trail_capacity, sizeof learn->trail[0]);
    learn->trail[learn->n_trail] = (struct change){.slot = literal.slot,
                                                   .old = learn->bound[literal.slot],
                                                   .value = literal.value,
                                                   .reason = reason,
                                                   .prior = learn->latest[literal.slot],
                                                   .shifts = shifts};
    learn->latest[literal.slot] = (int32_t)learn->n_trail++;
    learn->bound[literal.slot] = literal.value;
}

static int32_t keep_reason(struct learn *learn, const struct literal *premises, uint32_t n) {
    size_t at = learn->n_premises;
    while (at + n + 1 > learn->premise_capacity)
        learn->premises = must_grow(learn->premises, learn->premise_capacity,
                                    &learn->premise_capacity, sizeof learn->premises[0]);
    learn->premises[at] = (struct literal){n, 0};
    if (n > 0) memcpy(&learn->premises[at + 1], premises, n * sizeof premises[0]);
    learn->n_premises = at + n + 1;
    return (int32_t)at;
}

bool learn_imply(struct learn *learn, struct literal literal, const struct literal *premises,
                 uint32_t n, bool shifts) {
    if (is_true(learn, literal)) return true;
    if (is_false(learn, literal)) {
        learn_refuse(learn, premises, n);
        add_conflict(learn, learn_not(literal));
        return false;
    }
    push(learn, literal, keep_reason(learn, premises, n), shifts);
    return true;
}

void learn_decide(struct learn *learn, struct literal literal) {
    size_t old = learn->level_capacity;
    learn->level_at = must_grow(learn->level_at, learn->n_levels, &learn->level_capacity,
                                sizeof learn->level_at[0]);
    if (learn->level_capacity != old) {
        learn->level_mark =
            must_resize(learn->level_mark, (learn->level_capacity + 1) * sizeof learn->mark);
        memset(learn->level_mark, 0, (learn->level_capacity + 1) * sizeof learn->mark);
    }
    learn->level_at[learn->n_levels++] = learn->n_trail;
    push(learn, literal, LEARN_NO_REASON, false);
}

void learn_back(struct learn *learn, size_t level) {
    if (level >= learn->n_levels) return;
    size_t until = learn->level_at[level];
    while (learn->n_trail > until) {
        const struct change *change = &learn->trail[--learn->n_trail];
        learn->bound[change->slot] = change->old;
        learn->latest[change->slot] = change->prior;
        if (change->reason >= 0) learn->n_premises = (size_t)change->reason;
        learn_order_put(learn, change->slot / 2);
    }
    learn->n_levels = level;
    learn->seen = learn->n_trail;
}

/* ---- clauses ---- */

static void add_watch(struct learn *learn, struct literal literal, uint32_t clause) {
    struct watch_list *list = &learn->watches[literal.slot ^ 1];
    list->items = must_grow(list->items, list->n, &list->capacity, sizeof list->items[0]);
    list->items[list->n++] = (struct watch){clause, 1 - literal.value};
}

static void watch_clause(struct learn *learn, uint32_t clause) {
    add_watch(learn, learn->clauses[clause + 1], clause);
    add_watch(learn, learn->clauses[clause + 2], clause);
}

/* Makes the first literal of a clause true, the others of which are false. */
static bool imply_by_clause(struct learn *learn, uint32_t clause) {
    const struct literal *literals = &learn->clauses[clause + 1];
    if (!is_false(learn, literals[0])) {
        push(learn, literals[0], -2 - (int32_t)clause, false);
        return true;
    }
    learn->n_conflict = 0;
    for (uint32_t i = 0; i < learn->clauses[clause].slot; i++)
        add_conflict(learn, learn_not(literals[i]));
    return false;
}

/* Finds a literal that is not false to be watched instead of the second one. */
static bool move_watch(struct learn *learn, uint32_t clause) {
    struct literal *literals = &learn->clauses[clause + 1];
    uint32_t n = learn->clauses[clause].slot;
    for (uint32_t i = 2; i < n; i++) {
        learn->work++;
        if (is_false(learn, literals[i])) continue;
        struct literal old = literals[1];
        literals[1] = literals[i];
        literals[i] = old;
        add_watch(learn, literals[1], clause);
        return true;
    }
    return false;
}

bool learn_visit(struct learn *learn, const struct change *change) {
    uint32_t slot = change->slot;
    int32_t value = learn->bound[slot];
    size_t kept = 0, i = 0;
    bool fine = true;
    /* no watch is added to this list meanwhile, because a literal that is not false has another */
    struct watch_list *list = &learn->watches[slot];
    for (; fine && i < list->n; i++) {
        struct watch watch = list->items[i];
        list->items[kept++] = watch;
        if (watch.threshold > value) continue;
        learn->work++;
        struct literal *literals = &learn->clauses[watch.clause + 1];
        if (literals[0].slot == (slot ^ 1) && literals[0].value == 1 - watch.threshold) {
            struct literal old = literals[0];
            literals[0] = literals[1];
            literals[1] = old;
        }
        if (is_true(learn, literals[0])) continue;
        if (move_watch(learn, watch.clause)) {
            list = &learn->watches[slot];
            kept--;
            continue;
        }
        fine = imply_by_clause(learn, watch.clause);
    }
    while (i < list->n) list->items[kept++] = list->items[i++];
    list->n = kept;
    return fine;
}

void learn_forget(struct learn *learn) {
    if (learn->n_learned < learn->learned_max) return;
    uint32_t few = KEEP_LEVELS;
    size_t by_levels[64] = {0}, half = 0, kept = 0;
    for (size_t at = 0; at < learn->n_clauses; at += learn->clauses[at].slot + 1) {
        int32_t levels = learn->clauses[at].value;
        by_levels[levels < 63 ? levels : 63]++;
    }
    for (uint32_t levels = 0; levels < 64 && half <= learn->n_learned / 2; levels++) {
        half += by_levels[levels];
        if (half <= learn->n_learned / 2 && levels > few) few = levels;
    }
    for (uint32_t slot = 0; slot < learn->n_slots; slot++) learn->watches[slot].n = 0;
    learn->n_learned = 0;
    for (size_t at = 0, next = 0; at < learn->n_clauses; at = next) {
        uint32_t n = learn->clauses[at].slot;
        bool keep = learn->clauses[at].value <= (int32_t)few;
        next = at + n + 1;
        for (uint32_t i = 1; keep && i <= n; i++) keep = !is_true(learn, learn->clauses[at + i]);
        if (!keep) continue;
        memmove(&learn->clauses[kept], &learn->clauses[at], (n + 1) * sizeof learn->clauses[0]);
        watch_clause(learn, (uint32_t)kept);
        kept += n + 1;
        learn->n_learned++;
    }
    learn->work += learn->n_clauses;
    learn->n_clauses = kept;
    learn->learned_max += learn->learned_max / 16;
}

/* ---- conflicts ---- */

static size_t level_of(const struct learn *learn, size_t change) {
    size_t low = 0, high = learn->n_levels;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (learn->level_at[middle] <= change) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Adds a premise to what is needed. Returns the change of the trail that made it true, or -1 if it
 * is true on level 0 or weaker than what is needed of its slot. */
static int32_t require(struct learn *learn, struct literal premise) {
    int32_t at = learn->latest[premise.slot];
    while (at >= 0 && learn->trail[at].old >= premise.value) at = learn->trail[at].prior;
    learn->work++;
    if (at < 0 || (size_t)at < learn->level_at[0]) return -1;
    if (learn->need_at[premise.slot] > at) return -1;
    if (learn->need_at[premise.slot] == at) {
        if (premise.value > learn->need[premise.slot]) learn->need[premise.slot] = premise.value;
        return -1;
    }
    if (learn->need_at[premise.slot] == -1) learn->needed[learn->n_needed++] = premise.slot;
    learn->need[premise.slot] = premise.value;
    learn->need_at[premise.slot] = at;
    learn_order_bump(learn, premise.slot / 2);
    return at;
}

/* Calls require() for the premises of a change, of which `value` is needed. Returns by how much the
 * number of needed changes from `from` on grows. */
static int require_reason(struct learn *learn, const struct change *change, int32_t value,
                          size_t from) {
    bool of_clause = change->reason < LEARN_NO_REASON;
    const struct literal *list =
        of_clause ? &learn->clauses[-2 - change->reason] : &learn->premises[change->reason];
    uint32_t n = list[0].slot;
    int grown = 0;
    for (uint32_t i = of_clause ? 2 : 1; i <= n; i++) {
        struct literal premise = of_clause ? learn_not(list[i]) : list[i];
        if (i == 1 && change->shifts) premise.value -= change->value - value;
        int32_t old = learn->need_at[premise.slot];
        int32_t at = require(learn, premise);
        if (at >= 0 && (size_t)at >= from) grown += old < 0 || (size_t)old < from;
    }
    return grown;
}

/* True if the other needed bounds imply the needed bound of the slot. Only bounds that were reached
 * before it count, so that no two bounds stand for each other. */
static bool is_implied(struct learn *learn, uint32_t slot) {
    const struct change *change = &learn->trail[learn->need_at[slot]];
    if (change->reason == LEARN_NO_REASON) return false;
    bool of_clause = change->reason < LEARN_NO_REASON;
    const struct literal *list =
        of_clause ? &learn->clauses[-2 - change->reason] : &learn->premises[change->reason];
    for (uint32_t i = of_clause ? 2 : 1; i <= list[0].slot; i++) {
        struct literal premise = of_clause ? learn_not(list[i]) : list[i];
        if (i == 1 && change->shifts) premise.value -= change->value - learn->need[slot];
        int32_t at = learn->latest[premise.slot];
        while (at >= 0 && learn->trail[at].old >= premise.value) at = learn->trail[at].prior;
        learn->work++;
        if (at < 0 || (size_t)at < learn->level_at[0]) continue;
        if (premise.slot == slot || learn->need_at[premise.slot] < at ||
            learn->need[premise.slot] < premise.value ||
            learn->need_at[premise.slot] > learn->need_at[slot])
            return false;
    }
    return true;
}

static void add_lesson(struct learn *learn, uint32_t slot) {
    learn->lesson =
        must_grow(learn->lesson, learn->n_lesson, &learn->lesson_capacity, sizeof learn->lesson[0]);
    learn->lesson[learn->n_lesson++] = learn_not((struct literal){slot, learn->need[slot]});
}

/* Makes the learned clause from the needed bounds. Puts the literal of the latest bound first, and
 * that of the next latest second. Returns the level of the second one. */
static size_t make_lesson(struct learn *learn, uint32_t first, int32_t *levels) {
    int32_t second = -1;
    learn->n_lesson = 0;
    learn->mark++;
    *levels = 1;
    add_lesson(learn, first);
    for (size_t i = 0; i < learn->n_needed; i++) {
        uint32_t slot = learn->needed[i];
        if (slot == first || learn->need_at[slot] < 0 || is_implied(learn, slot)) continue;
        add_lesson(learn, slot);
        size_t level = level_of(learn, (size_t)learn->need_at[slot]);
        if (learn->level_mark[level] != learn->mark) ++*levels;
        learn->level_mark[level] = learn->mark;
        if (learn->need_at[slot] <= second) continue;
        second = learn->need_at[slot];
        struct literal latest = learn->lesson[learn->n_lesson - 1];
        learn->lesson[learn->n_lesson - 1] = learn->lesson[1];
        learn->lesson[1] = latest;
    }
    return second >= 0 ? level_of(learn, (size_t)second) : 0;
}

static void keep_lesson(struct learn *learn, int32_t levels) {
    size_t at = learn->n_clauses, n = learn->n_lesson;
    while (at + n + 1 > learn->clause_capacity)
        learn->clauses = must_grow(learn->clauses, learn->clause_capacity, &learn->clause_capacity,
                                   sizeof learn->clauses[0]);
    learn->clauses[at] = (struct literal){(uint32_t)n, levels};
    memcpy(&learn->clauses[at + 1], learn->lesson, n * sizeof learn->lesson[0]);
    learn->n_clauses = at + n + 1;
    learn->n_learned++;
    watch_clause(learn, (uint32_t)at);
    imply_by_clause(learn, (uint32_t)at);
}

/* Replaces needed bounds of the last level by their reasons until one is left. Returns its slot. */
static uint32_t find_first(struct learn *learn, size_t from, int open) {
    size_t at = learn->n_trail;
    while (at-- > from) {
        const struct change *change = &learn->trail[at];
        if (learn->need_at[change->slot] != (int32_t)at) continue;
        if (open == 1) return change->slot;
        int32_t value = learn->need[change->slot];
        learn->need_at[change->slot] = -2;
        open += require_reason(learn, change, value, from) - 1;
    }
    return UINT32_MAX;
}

void learn_from_conflict(struct learn *learn) {
    int32_t last = -1;
    learn->conflicts++;
    learn->n_needed = 0;
    learn->broken = learn->n_levels == 0;
    for (size_t i = 0; !learn->broken && i < learn->n_conflict; i++) {
        int32_t at = require(learn, learn->conflict[i]);
        if (at > last) last = at;
    }
    learn->broken |= last < 0;
    if (!learn->broken) {
        size_t from = learn->level_at[level_of(learn, (size_t)last) - 1];
        int open = 0;
        for (size_t i = 0; i < learn->n_needed; i++)
            open += learn->need_at[learn->needed[i]] >= (int32_t)from;
        uint32_t first = find_first(learn, from, open);
        int32_t levels = 0;
        size_t level = make_lesson(learn, first, &levels);
        for (size_t i = 0; i < learn->n_needed; i++) learn->need_at[learn->needed[i]] = -1;
        learn_back(learn, level);
        if (learn->n_lesson > 1) {
            keep_lesson(learn, levels);
        } else if (!is_true(learn, learn->lesson[0])) {
            learn->broken = is_false(learn, learn->lesson[0]);
            if (!learn->broken) push(learn, learn->lesson[0], LEARN_NO_REASON, false);
        }
    } else {
        learn_back(learn, 0);
    }
    for (size_t i = 0; i < learn->n_needed; i++) learn->need_at[learn->needed[i]] = -1;
    learn_order_decay(learn);
}
