/* counted.h -- the counters of a cluster, for tests: reads them, and compares those of events. */
#ifndef LSCHED_TESTS_COUNTED_H
#define LSCHED_TESTS_COUNTED_H

#include <libsched/libsched.h>

#include <stddef.h>
#include <string.h>

static inline lsched_counters counted(const lsched_cluster *c) {
    lsched_counters n = {.size = sizeof n};
    if (lsched_counters_get(c, &n, NULL) != LSCHED_OK) n.size = 0;
    return n;
}

static inline lsched_queue_counters counted_in(const lsched_cluster *c, lsched_id queue) {
    lsched_queue_counters n = {.size = sizeof n};
    if (lsched_queue_counters_get(c, queue, &n, NULL) != LSCHED_OK) n.size = 0;
    return n;
}

/* The fields of events are one block of words in both structs. */
#define COUNTED_WORDS \
    ((offsetof(lsched_counters, removed) - offsetof(lsched_counters, decisions)) / 8 + 1)
static inline const uint64_t *counted_events(const lsched_counters *n) {
    return (const uint64_t *)(const void *)((const char *)n + offsetof(lsched_counters, decisions));
}
static inline const uint64_t *counted_events_in(const lsched_queue_counters *n) {
    return (const uint64_t *)(const void *)((const char *)n +
                                            offsetof(lsched_queue_counters, decisions));
}
_Static_assert(offsetof(lsched_counters, removed) - offsetof(lsched_counters, decisions) ==
                   offsetof(lsched_queue_counters, removed) -
                       offsetof(lsched_queue_counters, decisions),
               "a queue has the same counters of events as the cluster");

/* True if `from` and `more` add up to `to`, in all fields of events. */
static inline int counted_adds_up(const lsched_counters *from, const lsched_counters *more,
                                  const lsched_counters *to) {
    for (size_t i = 0; i < COUNTED_WORDS; i++)
        if (counted_events(from)[i] + counted_events(more)[i] != counted_events(to)[i]) return 0;
    return 1;
}

/* The same for the counters of cycles and work that do not depend on caches. */
static inline int counted_work_adds_up(const lsched_counters *from, const lsched_counters *more,
                                       const lsched_counters *to) {
    return from->cycles + more->cycles == to->cycles &&
           from->cycles_partial + more->cycles_partial == to->cycles_partial &&
           from->cycles_interrupted + more->cycles_interrupted == to->cycles_interrupted &&
           from->cycles_policy_failed + more->cycles_policy_failed == to->cycles_policy_failed &&
           from->jobs_tried + more->jobs_tried == to->jobs_tried &&
           from->work_units + more->work_units == to->work_units &&
           from->searches_proven + more->searches_proven == to->searches_proven &&
           from->searches_cut + more->searches_cut == to->searches_cut;
}

static inline int counted_same(const lsched_counters *a, const lsched_counters *b) {
    return memcmp(counted_events(a), counted_events(b), COUNTED_WORDS * sizeof(uint64_t)) == 0;
}

#endif
