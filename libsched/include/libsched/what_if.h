/*
 * what_if.h -- would a job start now, and if not, when, or why never?
 *
 * lsched_would_start() predicts the next cycle, changes nothing, and says what that cycle does for
 * one job. docs/what-if.md describes the prediction and its cost. libsched.h includes this header
 * and states the rules; orchestrators include libsched.h.
 */
#ifndef LIBSCHED_WHAT_IF_H
#define LIBSCHED_WHAT_IF_H

#include <libsched/libsched.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the next cycle does for the job. */
enum lsched_start_kind {
    /* the cycle places or nominates tasks of the job */
    LSCHED_START_NOW = 1,
    /* the job, or a task that it wants beyond its minimum, waits for the end of other work, for a
     * time, or for an event */
    LSCHED_START_LATER = 2,
    /* the job waits, and neither the end of all other work nor time alone lets it start; or the
     * cycle removes the job, because its expiry has come (code LSCHED_WAIT_NONE), or because a
     * dependency can never be met (LSCHED_WAIT_DEPENDENCY_NEVER). No change is offered
     * for a job that the cycle removes */
    LSCHED_START_NEVER = 3,
    /* the cycle gives the job nothing, because the job waits for nothing: each task that it wants
     * has its place or is done */
    LSCHED_START_HAS_PLACES = 4
};

/* The kinds of changes that can be offered, in the order of their cost: a change of an earlier kind
 * is cheaper than every change of a later kind (docs/what-if.md). */
enum lsched_offer_kind {
    LSCHED_OFFER_NONE = 0,
    /* end a hold, a backoff or refusals of the job: by lsched_jobs_release() if the orchestrator
     * holds it, else by LSCHED_JOB_SET_AGAIN */
    LSCHED_OFFER_RELEASE = 1,
    LSCHED_OFFER_UNCORDON = 2, /* make a node ready */
    LSCHED_OFFER_LABEL = 3,    /* give a node a label, or another value of a label */
    LSCHED_OFFER_JOBS_MAX = 4, /* raise jobs_max of a queue */
    LSCHED_OFFER_LIMIT = 5,    /* raise the limit of a queue for a kind */
    LSCHED_OFFER_QUOTA = 6,    /* raise the quota of a queue for a kind */
    LSCHED_OFFER_PRIORITY = 7, /* raise the priority of the job */
    LSCHED_OFFER_WITHDRAW = 8, /* remove another job */
    LSCHED_OFFER_ADD_NODE = 9  /* add a node that equals an existing one */
};

#define LSCHED_OFFER_LABEL_BYTES 256 /* LSCHED_NAME_BYTES_MAX and a NUL */

/* One change that lets the job start. */
typedef struct lsched_offer {
    uint32_t size;
    uint32_t change;  /* LSCHED_OFFER_*; NONE: no change was found */
    lsched_id object; /* job, node or queue that changes; ADD_NODE: the node that is copied */
    uint32_t kind;    /* LIMIT, QUOTA: the resource kind */
    uint32_t tried;   /* number of changes that were tried */
    /* JOBS_MAX, LIMIT, QUOTA, PRIORITY: the new value, in base units of the kind */
    int64_t amount;
    int64_t was; /* the present value of the same; LSCHED_UNLIMITED: none */
    /* within one kind: the rise of the value; WITHDRAW: work that is lost, in GPU-milliseconds;
     * ADD_NODE: the price of the node */
    int64_t cost;
    /* number of other jobs that start in the next cycle without the change and not with it, or that
     * lose tasks with the change and not without it; the withdrawn job does not count */
    uint64_t losers;
    lsched_id loser; /* the first of them by name; 0: none */
    /* LABEL: NUL-terminated */
    char key[LSCHED_OFFER_LABEL_BYTES], value[LSCHED_OFFER_LABEL_BYTES];
} lsched_offer;

/* Flags of lsched_would_start_opts. PLAN: also return the decisions, in `plan` of the answer. */
enum lsched_would_start_flags { LSCHED_WOULD_START_PLAN = 1 };

typedef struct lsched_would_start_opts {
    uint32_t size;
    uint32_t flags; /* LSCHED_WOULD_START_* */
    /* the options of the cycle that is predicted, with work_budget 0; its trace is not called; NULL:
     * the default options, at the latest time of the cluster */
    const lsched_schedule_opts *schedule;
    uint32_t tries_max; /* most changes that are tried for an offer; 0: 64 */
    uint32_t reserved_zero;
} lsched_would_start_opts;
#define LSCHED_WOULD_START_TRIES_DEFAULT 64u

typedef struct lsched_would_start_answer {
    uint32_t size;
    uint32_t start; /* LSCHED_START_* */
    /* LSCHED_WAIT_*, why the job waits. LSCHED_WAIT_NONE: with START_NOW, with HAS_PLACES, and with
     * NEVER if the expiry of the job has come */
    uint32_t code;
    uint32_t plan_flags; /* LSCHED_PLAN_* of the predicted cycle */
    /* NOW: the time at which the last of the tasks can start: the time of the cycle, or when the
     * room of a nominated task should be free. LATER: the expected time, if nothing takes the room
     * before it; LSCHED_NEVER_US: not known. Else LSCHED_NEVER_US */
    int64_t at_us;
    /* LATER: job that must end before the start at at_us; 0: unknown, or the job waits for a time */
    lsched_id ends_job;
    uint64_t tasks;   /* NOW: number of tasks that get a place */
    uint64_t victims; /* NOW: number of tasks of other jobs that are stopped or moved for the job */
    int64_t cost;     /* NOW: sum of the costs of stopping them, as the policy counts */
    /* input: NULL, or where to write why the job waits, as lsched_explain does. The `size` of the
     * record must be set */
    lsched_waiting *waiting;
    /* output with LSCHED_WOULD_START_PLAN, else NULL. The decisions of the groups that give the job
     * places: PLACE and NOMINATE with nodes and devices, EVICT and MIGRATE with their costs. No
     * decision has an id, because none was made; the job of a description has the id 0. The record
     * lsched_plan_info is that of the whole predicted cycle, except its number of decisions. The
     * caller frees the plan with lsched_plan_destroy() */
    lsched_plan *plan;
    /* input: NULL, or where to write the cheapest single change that would start the job now, if it
     * does not start. Its `size` must be set. Each change is tried; the one that is offered works */
    lsched_offer *offer;
} lsched_would_start_answer;

/* Predicts what the next cycle does for a job: the job with the id `job`, which exists, or, if
 * `job` is 0, a job as described by `desc`, as if it had been submitted just before the cycle. All
 * other jobs take part as in any cycle, in their order. Therefore the answer is what
 * lsched_schedule() decides if it is called next, with the same options, and no other call comes
 * between. With a policy hook that is cut off by memory or by an interrupt
 * (LSCHED_PLAN_POLICY_NOT_DETERMINISTIC), this does not hold.
 *
 * The call changes nothing: the state, ids, caches and the cost of the next cycle are as without
 * it. It needs memory for caches of its own while it runs. opts can be NULL.
 * Errors: those of lsched_schedule() for the options; with a description, those of
 * lsched_jobs_submit(); LSCHED_E_INVAL: both or none of `job` and `desc` are given, or a work
 * budget; LSCHED_E_STALE, LSCHED_E_KIND: `job` is no job; LSCHED_E_INTERRUPTED: lsched_interrupt()
 * was called meanwhile; LSCHED_E_NOMEM. Not from callbacks (LSCHED_E_BUSY). */
LSCHED_API int32_t lsched_would_start(const lsched_cluster *cluster, lsched_id job,
                                      const lsched_job_desc *desc,
                                      const lsched_would_start_opts *opts,
                                      lsched_would_start_answer *out, lsched_error *err);

/* Makes the change of an offer; the next cycle then starts the job, if no other call comes between.
 * An offer can be applied as long as its object exists. The name of an added node is that of the
 * copied node with "+" and the first free number. Errors: LSCHED_E_STALE, LSCHED_E_INVAL for an
 * offer without a change, and those of the call that makes the same change. */
LSCHED_API int32_t lsched_offer_apply(lsched_cluster *cluster, const lsched_offer *offer,
                                      lsched_error *err);

/* Returns the word of a change ("limit", "withdraw"), or "unknown". The text is static. */
LSCHED_API const char *lsched_offer_name(uint32_t change);

/* clang-format off */
#define LSCHED_WOULD_START_OPTS_INIT LSCHED_INIT(lsched_would_start_opts)
#define LSCHED_WOULD_START_ANSWER_INIT LSCHED_INIT(lsched_would_start_answer)
#define LSCHED_OFFER_INIT LSCHED_INIT(lsched_offer)
/* clang-format on */

#ifdef __cplusplus
}
#endif
#endif
