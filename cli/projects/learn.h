/*
 * learn.h -- a search over bounds of whole numbers that learns a clause from each conflict (lazy
 * clause generation: Ohrimenko, Stuckey, Codish 2009; for projects: Schutt, Feydy, Stuckey, Wallace
 * 2011). This file knows variables, clauses and conflicts; learn_project.h has the rules of a
 * project, and project_solve.h the search.
 *
 * Each variable has two slots: slot 2 v has its least value, and slot 2 v + 1 the negation of its
 * greatest value. So every bound only grows along the trail, and a literal {slot, value} says that
 * the bound of the slot is at least the value. The negation of a literal is {slot ^ 1, 1 - value}.
 * Literals are made when they are needed; no table of them is kept.
 *
 * Always holds: every bound on the trail follows from its reason, which has literals that were true
 * before it. A clause that was learned follows from the rules and from bounds that are set on level
 * 0, so that it stays valid for every later assumption.
 */
#ifndef LSCHED_CLI_LEARN_H
#define LSCHED_CLI_LEARN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct literal {
    uint32_t slot;
    int32_t value;
};

struct change {
    uint32_t slot;
    int32_t old, value; /* bound of the slot before and after */
    int32_t reason;     /* LEARN_NO_REASON, a place in `premises`, or -2 - place in `clauses` */
    int32_t prior;      /* the change of this slot before this one, or -1 */
    bool shifts;        /* the first premise can be lowered by as much as the conclusion */
};

struct watch {
    uint32_t clause;
    int32_t threshold; /* the watched literal is false when the bound of the slot reaches this */
};

struct watch_list {
    struct watch *items;
    size_t n, capacity;
};

enum { LEARN_NO_REASON = -1 };

struct learn {
    uint32_t n_variables, n_slots;
    int32_t *bound;  /* [n_slots] */
    int32_t *latest; /* [n_slots] last change of the slot on the trail, or -1 */
    struct change *trail;
    size_t n_trail, trail_capacity, seen; /* changes before `seen` are known to clauses and rules */
    size_t *level_at; /* [n_levels] trail length when each level above 0 began */
    size_t n_levels, level_capacity;
    struct literal *premises; /* a count in .slot, then the premises of one reason */
    size_t n_premises, premise_capacity;
    /* a header with the size in .slot and the number of levels in .value, then the literals */
    struct literal *clauses;
    size_t n_clauses, clause_capacity;
    size_t n_learned, learned_max;
    struct watch_list *watches; /* [n_slots] */
    struct literal *conflict;   /* premises that cannot all be true */
    size_t n_conflict, conflict_capacity;
    /* scratch of the analysis, by slot */
    int32_t *need;    /* needed bound */
    int32_t *need_at; /* change that reached the needed bound; -1: the slot is not needed */
    uint32_t *needed; /* slots that are or were needed */
    size_t n_needed;
    struct literal *lesson; /* the clause that is being learned */
    size_t n_lesson, lesson_capacity;
    uint64_t *level_mark; /* [level_capacity] scratch that counts the levels of a clause */
    uint64_t mark;
    /* order of decisions: a heap of the variables by their activity, ties by number */
    uint64_t *activity; /* [n_variables] */
    uint64_t bump;
    uint32_t *heap;   /* [n_variables] */
    int32_t *heap_at; /* [n_variables] place in the heap, or -1 */
    uint32_t n_heap;
    uint64_t work; /* work units, about 30 ns each */
    uint64_t conflicts;
    bool broken; /* the bounds of level 0 contradict each other */
};

void learn_begin(struct learn *learn, uint32_t n_variables);
void learn_end(struct learn *learn);

static inline struct literal learn_not(struct literal literal) {
    return (struct literal){literal.slot ^ 1, 1 - literal.value};
}
static inline int32_t learn_least(const struct learn *learn, uint32_t variable) {
    return learn->bound[2 * variable];
}
static inline int32_t learn_most(const struct learn *learn, uint32_t variable) {
    return -learn->bound[2 * variable + 1];
}
/* Return the literals variable >= value and variable <= value. */
static inline struct literal learn_from(uint32_t variable, int32_t value) {
    return (struct literal){2 * variable, value};
}
static inline struct literal learn_until(uint32_t variable, int32_t value) {
    return (struct literal){2 * variable + 1, -value};
}

/* Sets the range of a variable before the search. */
void learn_range(struct learn *learn, uint32_t variable, int32_t least, int32_t most);
/* Makes a literal true because the premises are. If `shifts`, the conclusion lowered by a number
 * follows from the first premise lowered by the same number. Returns false and leaves a conflict if
 * the literal is false. Does nothing if it is true already. */
bool learn_imply(struct learn *learn, struct literal literal, const struct literal *premises,
                 uint32_t n, bool shifts);
/* Leaves a conflict. Returns false. */
bool learn_refuse(struct learn *learn, const struct literal *premises, size_t n);
/* Visits the clauses that watch the slot of a change. Returns false after a conflict. */
bool learn_visit(struct learn *learn, const struct change *change);
/* Begins a level with a literal that is neither true nor false. */
void learn_decide(struct learn *learn, struct literal literal);
/* Ends all levels above `level`. */
void learn_back(struct learn *learn, size_t level);
/* Learns from the conflict, goes back, and makes the learned literal true. Sets `broken` if the
 * conflict needs no decision. */
void learn_from_conflict(struct learn *learn);
/* On level 0: forgets half of the clauses if there are too many. */
void learn_forget(struct learn *learn);
#endif
