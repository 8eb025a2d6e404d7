/*
 * adopt_try.h -- one try of a decision group that is adopted: what the files of this room share.
 */
#ifndef LIBSCHED_ADOPT_TRY_H
#define LIBSCHED_ADOPT_TRY_H

#include "engine/adopt/adopt_walk.h"

/* One try of a group. */
struct adopt_try {
    lsched_cycle *cy;
    const struct lsched_plan *from;
    lsched_adopted_group *group;
    size_t end;       /* index after the group's last decision */
    uint32_t job;     /* the job that the group is for */
    uint32_t kinds;   /* bits 1 << LSCHED_DECIDE_* of its decisions */
    uint32_t victims; /* number of tasks that stop or move */
    uint32_t reason;  /* LSCHED_FOR_* of these */
    int both;         /* 1 if work of the job's own queue and of others stops */
    int stops_first;  /* 1: all of it stops before the first task is placed */
    int withdraws;    /* 1: so are the nominations that the clone withdrew */
    /* the group's part of the withdrawals of the plan */
    size_t withdrawn_first, withdrawn_end;
};

/* Returns the id of columns for an id of the plan, and the row of the object. */
static inline lsched_id adopt_try_inside(const struct adopt_try *t, lsched_id id) {
    return id ? id ^ t->from->id_salt : 0;
}
static inline uint32_t adopt_try_row(const struct adopt_try *t, lsched_id id) {
    return (uint32_t)adopt_try_inside(t, id);
}
/* Notes the decision that decision i of the plan became. */
static inline void adopt_try_note(struct adopt_try *t, size_t i, uint32_t decision) {
    t->cy->adopt->became[i] =
        (struct adopted_decision){decision, t->cy->k->c[C_DECISION_GEN].u32[decision]};
}
/* Writes the reason why decision i cannot be adopted; `object` is an id of columns. Returns 0. */
int32_t adopt_try_drop(struct adopt_try *t, size_t i, uint32_t result, lsched_id object);
/* Chooses the alternatives that the plan has for the job that the group is for. What may stop for
 * the job depends on what it asks for. Returns 1, 0 with the reason, or an error. */
int32_t adopt_try_choose(struct adopt_try *t);
/* Places the task of decision i for the current job. Returns 1, 0 with the reason, or an error. */
int32_t adopt_try_place(struct adopt_try *t, size_t i, uint32_t job);

#endif
