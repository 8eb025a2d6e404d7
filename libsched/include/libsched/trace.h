/*
 * trace.h -- a callback that sees the stages of a cycle while the cycle runs.
 *
 * lsched_schedule() calls the function of lsched_schedule_opts.trace when a stage of the cycle
 * begins and when it ends. The host can look at its own clock there: the library reads none, so the
 * records have work units and steps instead of times. The callback returns nothing, and no decision
 * depends on it. It must not unwind. It can call lsched_interrupt() and the calls of the cluster that
 * only read; other calls give LSCHED_E_BUSY (libsched.h, callbacks).
 *
 * The records of a cycle come in this order: SERVE, PREPARE, an ACTION for each action, PLAN. A
 * cycle with passes from an earlier cycle, or with jobs that were put off, has PREPARE or ACTION
 * several times. If a hook of the policy fails or memory runs out, the cycle begins again from
 * SERVE, with the next attempt; what the earlier attempts decided is undone. A cycle that fails has
 * the records up to its end. lsched_would_start() calls no trace. lsched_adopt() has one ADOPT
 * in place of all ACTION records.
 *
 * libsched.h includes this header and states the rules; orchestrators include libsched.h.
 */
#ifndef LIBSCHED_TRACE_H
#define LIBSCHED_TRACE_H

#include <libsched/types.h>

#ifdef __cplusplus
extern "C" {
#endif

enum lsched_trace_stage {
    LSCHED_TRACE_SERVE = 1,   /* memory pressure, nominations, drains */
    LSCHED_TRACE_PREPARE = 2, /* wakes parked jobs, refreshes, admits new jobs, computes shares */
    LSCHED_TRACE_ACTION = 3,  /* an action of the pipeline */
    LSCHED_TRACE_PLAN = 4,    /* copies the plan, writes advice, verifies */
    LSCHED_TRACE_ADOPT = 5    /* lsched_adopt(): goes through the plan of a clone */
};

/* One record. It is valid during the call; a later version can add fields. */
typedef struct lsched_trace_record {
    uint32_t size;
    uint32_t stage;     /* LSCHED_TRACE_* */
    uint32_t ends;      /* 0: the stage begins; 1: it ends */
    int32_t code;       /* of a stage that ends: LSCHED_OK, or why it failed */
    uint32_t attempt;   /* 0, or how often the cycle began again */
    uint32_t index;     /* ACTION: index in the pipeline, else 0 */
    uint64_t cycle;     /* number of the cycle in the life of the cluster's state */
    lsched_text action; /* ACTION: name, NUL-terminated; else empty */
    /* of a stage that ends: what happened in it. As in lsched_plan_info */
    uint64_t jobs_tried;
    uint64_t decisions; /* decisions that the stage made, evictions included */
    uint64_t evictions; /* tasks that the stage stopped or moved */
    uint64_t work_units, steps;
    uint64_t units_left; /* work units that the cycle can still spend; UINT64_MAX: any number */
} lsched_trace_record;
typedef void (*lsched_trace_fn)(void *user, const lsched_trace_record *record);

/* Returns the word of a stage ("serve", "action"), or "unknown". The text is static. */
LSCHED_API const char *lsched_trace_stage_name(uint32_t stage);

#ifdef __cplusplus
}
#endif
#endif
