/*
 * bundle.h -- equal jobs of one queue (same job shape), tried once and parked as one.
 *
 * What one of them cannot get, none can; so a million equal jobs that wait cost one visit, and a
 * new one that joins a parked bundle costs nothing until the bundle wakes. Jobs that are not equal
 * any more (a gang that lost members, growth of a job whose groups or domain differ) get a private
 * bundle, keyed by the job.
 *
 * A bundle is ACTIVE (in its queue's heap, by its first job) or PARKED (in the list of what could
 * cure it: a task shape that found no room, a queue at its limit, a new or larger node, the next
 * refresh, the time that it is planned for, the next round of the pass). Invariants: no empty
 * bundle exists; an active bundle is in exactly one heap, a parked one in exactly one list;
 * M_ACTIVE, M_PENDING_JOBS and M_PARKED_JOBS count them.
 */
#ifndef LIBSCHED_BUNDLE_H
#define LIBSCHED_BUNDLE_H

#include "model/store/heap.h"
#include "model/store/intern.h"

enum { BUNDLE_START = 0, BUNDLE_GROW = 1, BUNDLE_REPAIR = 2, BUNDLE_ALONE = 3 };
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
    PARKED_PUT_OFF = 9
};

/* Why it is parked, in the numbers of lsched_waiting. */
struct park_reason {
    uint32_t code, kind, group;
    int64_t need, have;
    uint32_t nodes_able;
    uint32_t limiting_queue; /* row or NO_ROW */
};

extern const struct heap_kind job_heap;
extern const struct heap_kind bundle_heap;

/* Strict order of jobs in a queue: order key, submission, name. */
int job_before(const struct columns *k, uint32_t a, uint32_t b);

int32_t bundle_join(struct columns *k, uint32_t job,
                    uint32_t kind); /* kind says whether private: see bundle_kind_of */
void bundle_leave(struct columns *k, uint32_t job);
/* The job's order key changed: a new place in the heaps. */
void bundle_reorder(struct columns *k, uint32_t job, int64_t order);
/* list_of: a task shape, a queue, or 0. */
void bundle_park(struct columns *k, uint32_t bundle, uint32_t list, uint32_t list_of,
                 const struct park_reason *why);
/* Until a time that is its own; LSCHED_NEVER_US: until the host does something about it. */
void bundle_park_until(struct columns *k, uint32_t bundle, int64_t until,
                       const struct park_reason *why);
/* Until the time that it is planned for, or anything gains room: the plan may be better then. node,
 * after: ids, 0: none. */
void bundle_park_plan(struct columns *k, uint32_t bundle, int64_t at, uint64_t node, uint64_t after,
                      const struct park_reason *why);
void bundle_wake(struct columns *k, uint32_t bundle);
/* Wake all that are parked in a list; they allocate nothing, but write much: LSCHED_E_NOMEM if the
 * log cannot grow. */
int32_t bundles_wake_shape(struct columns *k, uint32_t shape);
int32_t bundles_wake_never(struct columns *k);
/* filters: a policy's filter may say otherwise now. Then who waits for one of several things wakes,
 * too: the filter may have kept it from another of them than the one that is its reason. */
int32_t bundles_wake_refresh(struct columns *k, int filters);
/* Of those that wait for the refresh: who was cut off by a budget or bound that was smaller than
 * these. */
int32_t bundles_wake_budget(struct columns *k, uint64_t budget, uint64_t bound);
int32_t bundles_wake_any(struct columns *k);
/* Who waits for something that its terms about other jobs speak of. */
int32_t bundles_wake_rules(struct columns *k);
int32_t bundles_wake_limited(struct columns *k, uint32_t queue);
/* Whose time has come. What the next one waits for is kept, so a cycle before that looks at none.
 * */
int32_t bundles_wake_until(struct columns *k, int64_t now);
/* Whom the round of a pass has put off: engine/actions/put_off.h. */
int32_t bundles_wake_put_off(struct columns *k);
/* Who waits for a planned time, all of them: one plan says when each may start. */
int32_t bundles_wake_plan(struct columns *k);
static inline int64_t bundles_planned(const struct columns *k) {
    return meta(k, M_PLAN_HEAD) == NO_ROW ? LSCHED_NEVER_US : (int64_t)meta(k, M_PLAN_NEXT);
}
/* When the next one wakes, or earlier if that one is gone; LSCHED_NEVER_US. */
static inline int64_t bundles_until(const struct columns *k) {
    return meta(k, M_UNTIL_HEAD) == NO_ROW ? LSCHED_NEVER_US : (int64_t)meta(k, M_UNTIL);
}
static inline uint32_t bundle_head(const struct columns *k, uint32_t bundle) {
    return k->c[C_BUNDLE_HEAP].u32[bundle];
}

#endif
