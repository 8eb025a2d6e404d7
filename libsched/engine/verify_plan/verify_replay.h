/*
 * verify_replay.h -- reads a plan backwards, for the checks of its evictions. For each decision
 * group, the replay takes back the charges of placements and charges evicted tasks again. After
 * that, the scratch arrays hold what queues used and which tasks gangs had before the group.
 */
#ifndef LIBSCHED_VERIFY_REPLAY_H
#define LIBSCHED_VERIFY_REPLAY_H

#include "base/wide.h"
#include "engine/verify_plan/verify_evictions.h"
#include "engine/verify_plan/verify_plan.h"

struct replayed_job {
    /* root of the eviction unit that is being counted, as a group index plus one; 0 if none */
    uint32_t unit;
    uint32_t number; /* number of the eviction unit that is being counted */
    /* two bits:
     *   bit 0  the job is below its minimum after the group
     *   bit 1  the group moves some tasks of the job */
    uint32_t whole;
    uint32_t loses; /* 1 if the plan evicts or moves a task of the job */
};

struct replay {
    struct check *c;
    const struct verify_decisions *plan;
    wide_i128 *used; /* use of queues, at [kind * queues + queue] */
    int64_t *right;  /* guarantees of queues, at [kind * queues + queue] */
    /* number of tasks that are placed, nominated or done, by row of the table LEAF */
    uint32_t *held;
    struct replayed_job *job; /* data of each job, by row of the job */
    /* For each decision, the number of its eviction unit. 0 if the decision has no unit or the unit
     * was charged again. */
    uint32_t *unit_at;
    uint32_t units;
    size_t at; /* position in the plan of the decision that is being checked */
    /* Use of resource parts, at [part * queues + queue]. A part is a row of the table DERIVED. */
    wide_i128 *parts;
    /* One bit mask for each decision, `words` words long. Bit d is set if the resource part in row
     * d of DERIVED (the table of resource parts) entitles the decision's job to evict. */
    uint64_t *entitled;
    size_t words;
    /* for each queue, 1 if its use before the group is unknown because of a withdrawn decision */
    uint8_t *unknown;
    size_t withdrawn; /* number of withdrawn decisions that come before the current group */
    size_t bytes;     /* size of all arrays together, in bytes */
};

/* Allocates the arrays and fills them with the state after the plan. Before the call, the caller
 * has set y->c and y->plan. */
int32_t verify_replay_open(struct replay *y);
void verify_replay_close(struct replay *y);
/* Adds a task once (sign 1) to the use of its queues and to the number of held tasks of its leaf
 * group, or subtracts it once (sign -1). */
void verify_replay_charge(struct replay *y, uint32_t task, int sign);
/* Takes from the use of its queues what the task is charged more because of its open RESIZE. */
void verify_replay_resize(struct replay *y, uint32_t task);

/* Return fields of the decision at position i of the plan: its task, the task's job, and so on. */
static inline uint32_t task_at(const struct replay *y, size_t i) {
    return y->c->k->c[C_DECISION_TASK].u32[y->plan->row[i]];
}
static inline uint32_t job_at(const struct replay *y, size_t i) {
    return y->c->k->c[C_TASK_JOB].u32[task_at(y, i)];
}
static inline uint32_t reason_at(const struct replay *y, size_t i) {
    return y->c->k->c[C_DECISION_REASON].u8[y->plan->row[i]];
}
/* Returns the id of the job for which the task is evicted, 0 if there is none. */
static inline uint64_t for_at(const struct replay *y, size_t i) {
    return y->c->k->c[C_DECISION_FOR_JOB].u64[y->plan->row[i]];
}
static inline uint32_t kind_at(const struct replay *y, size_t i) {
    return y->c->k->c[C_DECISION_KIND].u8[y->plan->row[i]];
}
/* True if the decision is an EVICT that follows a CHECKPOINT: an earlier plan chose its task. */
static inline int follows(const struct replay *y, size_t i) {
    return y->c->k->c[C_DECISION_FOLLOWS].u8[y->plan->row[i]] != LSCHED_CHECKPOINT_NONE;
}
static inline int evicts(const struct replay *y, size_t i) {
    uint32_t kind = kind_at(y, i);
    return (kind == LSCHED_DECIDE_EVICT && !follows(y, i)) || kind == LSCHED_DECIDE_MIGRATE ||
           kind == LSCHED_DECIDE_CHECKPOINT;
}
/* Returns how the charge of the decision's task changes when the decision is undone: 1 charges the
 * task again, -1 takes the charge back, 0 changes nothing. */
static inline int change_at(const struct replay *y, size_t i) {
    return evicts(y, i) ? 1 : follows(y, i) || kind_at(y, i) >= LSCHED_DECIDE_SUSPEND ? 0 : -1;
}
static inline uint64_t group_at(const struct replay *y, size_t i) {
    return y->c->k->c[C_DECISION_GROUP].u64[y->plan->row[i]];
}

#endif
