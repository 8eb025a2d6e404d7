/*
 * counters.h -- counters of what a cluster did, for monitoring.
 *
 * A counter only rises. It counts from the time at which the handle was made: a new cluster, a
 * cluster from a saved state and a clone begin with 0, because counters are not part of the state;
 * no hash and no image includes them. A monitoring system expects that: it takes a counter that
 * falls for the start of a new process. No decision depends on a counter. A call that fails counts
 * nothing, nor does lsched_would_start().
 *
 * The counters of events (lsched_queue_counters and the fields of lsched_counters up to `removed`),
 * of cycles, `jobs_tried`, `work_units`, `searches_proven` and `searches_cut` depend on the calls
 * alone: equal calls give equal numbers, with warm and with cold caches. The other counters of work
 * depend on caches, too, and those of memory on caches and the allocator.
 *
 * docs/metrics.md lists the counters. libsched.h includes this header and states the rules;
 * orchestrators include libsched.h.
 */
#ifndef LIBSCHED_COUNTERS_H
#define LIBSCHED_COUNTERS_H

#include <libsched/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Length of the arrays that are indexed by a code. changes_more has the codes from it on. */
#define LSCHED_COUNTED_CODES 16
/* Number of buckets of waiting times. */
#define LSCHED_WAIT_BUCKETS 16

/* Returns the longest wait that bucket `bucket` counts: 1, 5, 15, 30 seconds, 1, 2, 5, 15, 30
 * minutes, 1, 3, 6, 12 hours, 1, 7 days; LSCHED_NEVER_US for the last one. */
LSCHED_API int64_t lsched_wait_bound_us(uint32_t bucket);

/* The counters of a cluster. */
typedef struct lsched_counters {
    uint32_t size;
    uint32_t queues_counted; /* number of queues that have counters of their own */
    /* ---- events ---- */
    uint64_t decisions[LSCHED_COUNTED_CODES]; /* decisions of plans, by LSCHED_DECIDE_* */
    /* decisions among them that stop or move a task, by cause: LSCHED_FOR_* */
    uint64_t evictions[LSCHED_COUNTED_CODES];
    uint64_t changes[LSCHED_COUNTED_CODES]; /* records of the change feed, by LSCHED_CHANGE_* */
    /* wait[i]: PLACE decisions about tasks whose job was submitted at most lsched_wait_bound_us(i)
     * and more than the bound before it ago. A task that is placed again counts again */
    uint64_t wait[LSCHED_WAIT_BUCKETS];
    uint64_t wait_sum_us;         /* sum of these waits */
    uint64_t confirmed, rejected; /* decisions that the orchestrator settled */
    /* tasks that the orchestrator reported. stopped: those that an eviction ended; ended: also those
     * that ran when their job was completed */
    uint64_t started, ended, failed, stopped;
    uint64_t imported;           /* tasks that the orchestrator imported */
    uint64_t submitted, removed; /* jobs that the orchestrator submitted and removed */
    /* ---- cycles ---- */
    uint64_t cycles; /* calls of lsched_schedule() that returned a plan */
    /* those of them that had LSCHED_PLAN_PARTIAL, _INTERRUPTED, _POLICY_FAILED */
    uint64_t cycles_partial, cycles_interrupted, cycles_policy_failed;
    /* ---- work of these cycles ---- */
    uint64_t jobs_tried, work_units;
    uint64_t steps, nodes_scored;
    uint64_t searches_proven, searches_cut; /* searches for victims, as in lsched_plan_info */
    uint64_t searches_skipped; /* searches that were left out, because their result was known */
    /* searches for the best node that found an index, or had to score all nodes */
    uint64_t search_hits, search_fills;
    uint64_t policy_instructions;
    /* ---- memory, by the library's own count ---- */
    uint64_t allocations;                     /* counter */
    uint64_t memory_bytes, memory_peak_bytes; /* present values, not counters */
    /* records of the change feed by LSCHED_CHANGE_* - LSCHED_COUNTED_CODES: READY and later codes */
    uint64_t changes_more[LSCHED_COUNTED_CODES];
} lsched_counters;
/* Writes the counters to *out. Errors: those of every call. */
LSCHED_API int32_t lsched_counters_get(const lsched_cluster *cluster, lsched_counters *out,
                                       lsched_error *err);

/* The counters of the jobs of one queue; fields as in lsched_counters. A job counts for the queue
 * that it is in at the time of the event; parent queues do not count it. */
typedef struct lsched_queue_counters {
    uint32_t size;
    uint32_t reserved_zero;
    uint64_t decisions[LSCHED_COUNTED_CODES];
    uint64_t evictions[LSCHED_COUNTED_CODES]; /* of tasks of this queue */
    uint64_t changes[LSCHED_COUNTED_CODES];
    uint64_t wait[LSCHED_WAIT_BUCKETS];
    uint64_t wait_sum_us;
    uint64_t confirmed, rejected;
    uint64_t started, ended, failed, stopped;
    uint64_t imported;
    uint64_t submitted, removed;
    uint64_t changes_more[LSCHED_COUNTED_CODES];
} lsched_queue_counters;
/* Errors: LSCHED_E_STALE, LSCHED_E_KIND: `queue` is no queue. */
LSCHED_API int32_t lsched_queue_counters_get(const lsched_cluster *cluster, lsched_id queue,
                                             lsched_queue_counters *out, lsched_error *err);

/* What the cycles did in one action of their pipelines. */
typedef struct lsched_action_counters {
    uint32_t size;
    uint32_t reserved_zero;
    char action[32]; /* NUL-terminated name, such as "allocate" */
    uint64_t runs;   /* how often cycles ran the action */
    uint64_t jobs_tried;
    uint64_t decisions; /* decisions that the action made, evictions included */
    uint64_t evictions; /* tasks that the action stopped or moved */
    uint64_t work_units, steps;
} lsched_action_counters;
/* Writes the counters of the next action that has run to *out, and returns 1; 0 at the end. Before
 * the first call, set *cursor to 0. Errors: those of every call. */
LSCHED_API int32_t lsched_action_counters_next(const lsched_cluster *cluster, uint64_t *cursor,
                                               lsched_action_counters *out, lsched_error *err);

/* ---- OpenMetrics ---- */

/* Flags of lsched_metrics_write. QUEUES: also the counters of each queue. */
enum lsched_metrics_flags { LSCHED_METRICS_QUEUES = 1 };

/* Writes the counters and some present values of a cluster as OpenMetrics 1.0 text through several
 * calls of `write`, for a host that answers a monitoring system. The content type is
 * "application/openmetrics-text; version=1.0.0; charset=utf-8". Bytes of names that are no UTF-8
 * become U+FFFD. Needs no memory. LSCHED_E_STATE: a call of `write` returned non-zero; there are no
 * further calls. */
LSCHED_API int32_t lsched_metrics_write(const lsched_cluster *cluster, uint32_t flags,
                                        lsched_write_fn write, void *user, lsched_error *err);

#ifdef __cplusplus
}
#endif
#endif
