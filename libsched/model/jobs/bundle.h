/*
 * bundle.h -- bundles: the waiting jobs of one queue that have the same job shape. The scheduler
 * tries and parks a bundle instead of each of its jobs.
 *
 * If one job of a bundle cannot start, no other job of the bundle can start. Therefore a cycle
 * tries only one job out of a million equal waiting jobs, and a new job that joins a parked
 * bundle costs nothing until the bundle wakes. A job that is no longer equal to the other jobs of
 * its bundle gets a private bundle, whose key is the job. Examples are a gang that lost members
 * and an elastic job that grows while its groups or its domain differ from those of other jobs.
 *
 * A bundle is ACTIVE or PARKED. An active bundle is in its queue's heap, and the heap compares
 * bundles by their first jobs. A parked bundle is in the list of the event that can end its wait
 * reason: room for a task shape, room under the limit of a queue, a new or larger node, the next
 * refresh, a planned start, or the point of a pass at which put-off jobs are tried. Invariants:
 * no bundle is empty; an active bundle is in exactly one heap; a parked bundle is in exactly one
 * list; M_ACTIVE, M_PENDING_JOBS and M_PARKED_JOBS count active bundles, pending jobs and jobs in
 * parked bundles.
 */
#ifndef LIBSCHED_BUNDLE_H
#define LIBSCHED_BUNDLE_H

#include "model/store/heap.h"
#include "model/store/intern.h"

enum {
    BUNDLE_START = 0,
    BUNDLE_GROW = 1,
    BUNDLE_REPAIR = 2,
    BUNDLE_ALONE = 3,     /* a bundle that a job has for itself, but a BUNDLE_GROW_ALONE */
    BUNDLE_GROW_ALONE = 4 /* a bundle that a growing job has for itself after a try */
};
enum { BUNDLE_ACTIVE = 1, BUNDLE_PARKED = 2 };
enum {
    PARKED_SHAPE = 1,
    PARKED_QUEUE = 2,
    PARKED_NEVER = 3,
    PARKED_REFRESH = 4,
    PARKED_ANY = 5,
    PARKED_UNTIL = 6,
    PARKED_RULES = 7,
    PARKED_PLAN = 8,
    PARKED_PUT_OFF = 9,
    PARKED_SUPPLY = 10
};

/* Why a bundle is parked. Members that struct lsched_waiting has, too, mean the same here. */
struct park_reason {
    uint32_t code, kind, group;
    int64_t need, have;
    uint32_t nodes_able;
    /* row of the queue whose limit keeps the bundle from starting, or NO_ROW */
    uint32_t limiting_queue;
    /* 1 if a guarantee or lending refused a part of the job, whatever `code` says */
    uint32_t shares;
};

extern const struct heap_kind job_heap;
extern const struct heap_kind bundle_heap;

/* Returns 1 if job a comes before job b in their queue. Jobs are compared by order key, then by
 * time of submission, then by name (array_compare()); no two jobs are equal in all three. */
int job_before(const struct columns *k, uint32_t a, uint32_t b);

/* True if the bundle's jobs run and only grow. They come after the jobs of the same order key that
 * start, whether or not a try has given the job a bundle for itself. */
static inline int bundle_grows(const struct columns *k, uint32_t b) {
    uint32_t kind = k->c[C_BUNDLE_KIND].u8[b];
    return kind == BUNDLE_GROW || kind == BUNDLE_GROW_ALONE;
}

/* Adds the job to the bundle of its queue, its job shape and `kind` (BUNDLE_*). If there is no
 * such bundle, the function makes it. The kind decides whether the bundle is private. Can return
 * LSCHED_E_NOMEM. */
int32_t bundle_join(struct columns *k, uint32_t job, uint32_t kind);
void bundle_leave(struct columns *k, uint32_t job);
/* The job ends or is changed: if it is the first job of a bundle that waits for a planned start,
 * the planned room is free for other jobs, whatever other jobs of the bundle do. */
void bundle_frees_plan(struct columns *k, uint32_t job);
/* Sets the job's order key to `order`, and restores the order of the heaps with the job and its
 * bundle. Whoever sets the key alone calls bundle_order_changed(): plans follow the order. */
void bundle_reorder(struct columns *k, uint32_t job, int64_t order);
void bundle_order_changed(struct columns *k, uint32_t bundle);
/* Lets an array in an active bundle stand for one element less: NEXT grows, and with it the place
 * of the array in its bundle. */
void bundle_array_next(struct columns *k, uint32_t job);
/* Moves an active bundle into the list of parked bundles `list` (PARKED_*). list_of: the row of
 * the task shape or of the queue that owns the list, 0 for other lists. */
void bundle_park(struct columns *k, uint32_t bundle, uint32_t list, uint32_t list_of,
                 const struct park_reason *why);
/* Moves an active bundle into the list `list`, in which the bundle `from` was before it woke. What
 * the list reads of its bundles, such as the time until which they wait, is copied from `from`. */
void bundle_park_as(struct columns *k, uint32_t bundle, uint32_t list, uint32_t from,
                    const struct park_reason *why);
/* Parks a bundle until the time `until`. With LSCHED_NEVER_US, no time wakes the bundle: it waits
 * until a call of the orchestrator removes the cause for which the job cannot start. */
void bundle_park_until(struct columns *k, uint32_t bundle, int64_t until,
                       const struct park_reason *why);
/* Parks a bundle until its planned start `at`. The bundle also wakes as soon as any node gains
 * room, because an earlier start can be possible with the new room.
 * node: id of the node where the job is to start, 0 if there is none.
 * after: id of the job whose end the start waits for, 0 if there is none. */
void bundle_park_plan(struct columns *k, uint32_t bundle, int64_t at, uint64_t node, uint64_t after,
                      const struct park_reason *why);
/* Parks a bundle of which no planned start is known, with any wait reason. It wakes as all others
 * of the list, and when a job joins it that is expected to run shorter than its first job. */
void bundle_park_no_start(struct columns *k, uint32_t bundle, const struct park_reason *why);
/* Lets a planned bundle wake when a job joins it: there is room for a job of the bundle, but not
 * for as long as any of its jobs runs. Without this mark, a job that joins changes nothing. */
void bundle_plan_fits(struct columns *k, uint32_t bundle);
void bundle_wake(struct columns *k, uint32_t bundle);
/* The functions bundles_wake_*() wake all bundles of one list, unless their comments say
 * something else. They allocate no rows, but they write many words: they return LSCHED_E_NOMEM if
 * the undo log cannot grow. */
int32_t bundles_wake_shape(struct columns *k, uint32_t shape);
int32_t bundles_wake_never(struct columns *k);
/* Wakes the bundles that wait for the next refresh. filters: 1 if a policy's filter can answer
 * differently now. If filters is 1, the function also wakes the bundles of PARKED_ANY and
 * PARKED_RULES, because the filter can have rejected a node that their wait reason does not
 * name. */
int32_t bundles_wake_refresh(struct columns *k, int filters);
/* Wakes each bundle that waits for the next refresh because its search ended at a budget smaller
 * than `budget` or at a bound smaller than `bound`. */
int32_t bundles_wake_budget(struct columns *k, uint64_t budget, uint64_t bound);
int32_t bundles_wake_any(struct columns *k);
/* Wakes the bundles that wait for a change of other jobs, to which their affinity rules refer. */
int32_t bundles_wake_rules(struct columns *k);
/* Wakes the bundles that wait for a supply of the whole cluster, and those that any event wakes. */
int32_t bundles_wake_supply(struct columns *k);
int32_t bundles_wake_limited(struct columns *k, uint32_t queue);
/* Wakes the bundles whose time has come. M_UNTIL keeps the earliest wake time of the bundles that
 * still wait. Therefore a cycle before that time looks at no bundle. */
int32_t bundles_wake_until(struct columns *k, int64_t now);
/* Wakes the bundles that the current pass has put off; see engine/actions/put_off.h. */
int32_t bundles_wake_put_off(struct columns *k);
/* Wakes all bundles that wait for a planned start. All are woken together, because one plan
 * decides all planned starts. */
int32_t bundles_wake_plan(struct columns *k);
/* Lets the next cycle wake the bundles that wait for a planned start. */
void bundles_plan_again(struct columns *k);
static inline int64_t bundles_planned(const struct columns *k) {
    return meta(k, M_PLAN_HEAD) == NO_ROW ? LSCHED_NEVER_US : (int64_t)meta(k, M_PLAN_NEXT);
}
/* Returns a lower bound of the earliest time at which a bundle of PARKED_UNTIL wakes,
 * LSCHED_NEVER_US if no bundle waits for a time. The bound is too early if the bundle with the
 * earliest time has been removed. */
static inline int64_t bundles_until(const struct columns *k) {
    return meta(k, M_UNTIL_HEAD) == NO_ROW ? LSCHED_NEVER_US : (int64_t)meta(k, M_UNTIL);
}
static inline uint32_t bundle_head(const struct columns *k, uint32_t bundle) {
    return k->c[C_BUNDLE_HEAP].u32[bundle];
}

#endif
