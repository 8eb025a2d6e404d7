/*
 * plans.h -- what a plan contains: decisions, the reasons of waiting jobs, numbers of the cycle, lines
 * of the policy, and advice; and the words of their codes.
 *
 * libsched.h includes this header and states the rules; orchestrators include libsched.h.
 *
 * A plan never changes. Therefore each of its lists has a function *_size, which returns the number
 * of elements, and a function *_at, which returns element i, NULL (an id: 0) past the end. Pointers
 * are valid until the plan is destroyed. Any thread can read a plan.
 */
#ifndef LIBSCHED_PLANS_H
#define LIBSCHED_PLANS_H

#include <libsched/devices.h>
#include <libsched/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- decisions ---- */

/* The kinds of decisions: LSCHED_DECIDE_PLACE, LSCHED_DECIDE_NOMINATE ... */
enum lsched_decision_kind {
#define LSCHED_X_DECISION(name, value, word) LSCHED_DECIDE_##name = value,
#include <libsched/codes.def>
};
/* The kinds of decisions of version 0.2, as bits of lsched_schedule_opts.decision_kinds. The number
 * never changes: a plan has decisions of kinds that are added later only if the orchestrator asks
 * for them. */
enum lsched_decision_kinds {
    LSCHED_DECISION_KINDS_DEFAULT = 1 << LSCHED_DECIDE_PLACE | 1 << LSCHED_DECIDE_NOMINATE |
                                    1 << LSCHED_DECIDE_EVICT | 1 << LSCHED_DECIDE_MIGRATE |
                                    1 << LSCHED_DECIDE_SUSPEND | 1 << LSCHED_DECIDE_PAUSE |
                                    1 << LSCHED_DECIDE_RESUME
};

/* One decision about one task. */
typedef struct lsched_decision {
    uint32_t size;
    uint32_t kind; /* LSCHED_DECIDE_PLACE ... */
    lsched_id id;
    lsched_id job;
    uint64_t job_tag;
    uint32_t task_index;
    uint32_t group_index;
    lsched_id node;
    uint64_t node_tag;
    uint32_t device_mask;        /* 0 also if the devices do not fit: devices.h */
    uint32_t device_milli;       /* share that the task gets of each of its devices */
    int64_t device_memory_bytes; /* memory that it gets of the first device */
    /* number, never 0, of the decision group. If a decision is rejected whose group has another kind
     * than PLACE, too, the library withdraws all decisions of the group that are still PROPOSED. In
     * a group of PLACE alone, the gang rule decides (semantics.md, 5) */
    uint64_t group;
    /* expected time at which an evicted task is gone, or the last room that the nominated tasks of
     * the decision group wait for is free; WARN: the time at which the task ends */
    int64_t at_us;
    uint32_t reason;        /* evict, migrate, warn: why the task is stopped, LSCHED_FOR_* */
    uint32_t state;         /* LSCHED_DECISION_*: of a plan, always PROPOSED */
    lsched_id for_job;      /* evict, migrate: job that gets the room; 0: no particular job */
    lsched_id to_node;      /* migrate: the new node */
    int64_t cost;           /* evict, migrate: cost of stopping the task, as the policy counts */
    uint64_t device_starts; /* place, nominate: as in lsched_task_info */
    uint32_t nic_mask, numa_mask;
    uint32_t alternative;
    uint32_t recut_mask; /* place: devices on which the orchestrator must create the MIG instance */
    int64_t proposed_us; /* time of the cycle that made the decision */
    /* end of the life of a proposal (lsched_schedule_opts.proposal_life_us); LSCHED_NEVER_US: it has
     * none, it is a nomination, or it is confirmed. CHECKPOINT: time from which on a cycle stops the
     * task; when it is confirmed, the time of the confirmation */
    int64_t until_us;
    uint64_t device_words[LSCHED_DEVICE_WORDS]; /* all devices that the task gets */
    /* evict: LSCHED_CHECKPOINT_*: what became of the CHECKPOINT that this decision follows. Both are
     * of the same group, and each has an id of its own */
    uint32_t checkpoint;
    uint32_t reserved_zero;
} lsched_decision;
enum lsched_checkpoint {
    LSCHED_CHECKPOINT_NONE = 0,       /* the decision follows no CHECKPOINT */
    LSCHED_CHECKPOINT_UNANSWERED = 1, /* the time to answer ended; the work since is lost */
    LSCHED_CHECKPOINT_WRITTEN = 2 /* the orchestrator confirmed it; `cost` counts from then on */
};
/* Why a decision stops a task: LSCHED_FOR_NONE, _RECLAIM ... */
enum lsched_reason {
#define LSCHED_X_FOR(name, value, word) LSCHED_FOR_##name = value,
#include <libsched/codes.def>
};

/* Why the jobs of one queue and one shape wait: a code with its numbers. */
typedef struct lsched_waiting {
    uint32_t size;
    uint32_t code; /* LSCHED_WAIT_* */
    lsched_id queue;
    lsched_id job;             /* first of the jobs that wait for this reason */
    uint64_t jobs;             /* number of jobs that wait for this reason */
    uint32_t kind, task_group; /* resource kind and group to which the code refers */
    int64_t need;              /* amount that is needed on one node, or within the queue */
    int64_t have;              /* largest free amount of a node, or amount that the limit leaves */
    uint64_t nodes_able;       /* nodes that could hold one task if they were empty */
    uint64_t nodes_free;       /* nodes among these that have room at present */
    int64_t until_us;          /* time at which the reason can end; LSCHED_NEVER_US: not known */
    lsched_id limiting_queue;  /* queue whose limit is reached */
    uint32_t evict_code;       /* LSCHED_NO_VICTIM_*: why evictions did not help */
    uint32_t evict_kind;       /* resource kind to which evict_code refers */
    lsched_id evict_queue; /* queue whose fair share or guarantee prevents the eviction; 0: none */
    int64_t evict_need, evict_have; /* amounts of evict_kind: needed; left by share or guarantees */
    lsched_id plan_node, plan_job;  /* planned node, job that must end first; 0: unknown */
    /* near_node: from lsched_explain, the node that lacks least; for LSCHED_WAIT_REFUSED, the node
     * that refused. starts_job: job that must end before the start at starts_us. 0: none */
    lsched_id near_node, starts_job;
    int64_t starts_us; /* from lsched_explain: possible start time; LSCHED_NEVER_US: unknown */
    int64_t firm_us;   /* the job starts by then (docs/backfill.md); LSCHED_NEVER_US: not firm */
} lsched_waiting;
/* Why evictions did not help: LSCHED_NO_VICTIM_NOT_TRIED, _NEVER ... */
enum lsched_no_victim {
#define LSCHED_X_NO_VICTIM(name, value, word) LSCHED_NO_VICTIM_##name = value,
#include <libsched/codes.def>
};

/* Why a job waits: LSCHED_WAIT_NONE, _ROOM ... */
enum lsched_wait {
#define LSCHED_X_WAIT(name, value, word) LSCHED_WAIT_##name = value,
#include <libsched/codes.def>
};

typedef struct lsched_plan_info {
    uint32_t size;
    uint32_t flags; /* LSCHED_PLAN_* */
    uint64_t decisions;
    uint64_t waiting; /* number of records lsched_waiting */
    uint64_t work_spent;
    uint64_t policy_instructions;
    uint64_t policy_hash;
    uint64_t plan_hash; /* hash of the decisions, by names and not ids */
    int64_t now_us;
    int64_t next_wake_us;
    uint32_t semantics;
    int32_t policy_error; /* LSCHED_OK, or why a hook used its fallback in this cycle */
    uint64_t jobs_tried;
    uint64_t nodes_scored;
    uint64_t evictions, moves; /* number of evict and of migrate decisions */
    uint64_t searches_proven;  /* victim searches that proved that no eviction helps */
    uint64_t searches_cut;     /* victim searches that ended because their budget was spent */
    uint32_t hooks_off; /* mask of LSCHED_HOOK_* that used their fallback; to repeat a cycle */
    uint32_t reserved_zero;
    uint64_t steps; /* nodes, tasks and list entries that were read; caches lower this number */
} lsched_plan_info;
enum lsched_plan_flag {
    LSCHED_PLAN_PARTIAL = 1,        /* budget or decisions_max spent: call lsched_schedule again */
    LSCHED_PLAN_INTERRUPTED = 2,    /* lsched_interrupt ended the cycle: not deterministic */
    LSCHED_PLAN_POLICY_FAILED = 4,  /* a hook failed or was off: the plan is made without it */
    LSCHED_PLAN_POLICY_EJECTED = 8, /* failures_max cycles failed: the next ones have no policy */
    LSCHED_PLAN_VERIFIED = 16,      /* the verifier has checked the plan */
    LSCHED_PLAN_POLICY_NOT_DETERMINISTIC = 32 /* memory or lsched_interrupt stopped a hook */
};

/* The decisions of a plan: their number, and decision i. */
LSCHED_API size_t lsched_plan_size(const lsched_plan *plan);
LSCHED_API const lsched_decision *lsched_plan_at(const lsched_plan *plan, size_t i);
/* Returns all decisions as one strided array. */
LSCHED_API const lsched_decision *lsched_plan_decisions(const lsched_plan *plan, size_t *n,
                                                        size_t *elem_size);
/* The wait records of a plan: their number, and record i, NULL after the last one. A record is valid
 * as long as the plan. */
LSCHED_API size_t lsched_plan_waiting_size(const lsched_plan *plan);
LSCHED_API const lsched_waiting *lsched_plan_waiting_at(const lsched_plan *plan, size_t i);
/* Writes the numbers of the plan to *out. Errors: LSCHED_E_NULL, LSCHED_E_SIZE. */
LSCHED_API int32_t lsched_plan_get(const lsched_plan *plan, lsched_plan_info *out,
                                   lsched_error *err);
/* Returns the decisions of earlier cycles that this cycle withdrew: proposals whose life ended,
 * nominations that expired or lost their room, and evictions that are no longer needed; the tasks
 * of these evictions run on. */
LSCHED_API size_t lsched_plan_withdrawn_size(const lsched_plan *plan);
LSCHED_API lsched_id lsched_plan_withdrawn_at(const lsched_plan *plan, size_t i);
/* Returns the message of the policy failure in this cycle, "" if there was none. */
LSCHED_API const char *lsched_plan_policy_error(const lsched_plan *plan);

/* Writes one line of text for a wait record of a plan; the cluster must still exist. The return
 * value has the same meaning as that of lsched_explain. LSCHED_E_STALE: the job of the record is
 * gone. If another object that the record names is gone, the text says so. */
LSCHED_API int64_t lsched_waiting_text(const lsched_cluster *cluster, const lsched_waiting *record,
                                       char *buf, size_t capacity, lsched_error *err);

/* ---- log of the policy, advice ---- */

/* Returns line i that the policy wrote with log() in the cycle of this plan, "score of job 'x' on
 * node 'y': ..."; NULL after the last line. A line is UTF-8 without control characters. There are
 * at most 32 lines; another one says how many lines were dropped. If the answer of a hook was kept
 * from an earlier cycle, the hook does not run again and writes no line. No decision depends on a
 * line. */
LSCHED_API size_t lsched_plan_log_size(const lsched_plan *plan);
LSCHED_API const char *lsched_plan_log_at(const lsched_plan *plan, size_t i);

/* One record of advice in a plan, with ids of nodes and queues instead of rows. */
typedef struct lsched_plan_advice_record {
    uint32_t size;
    uint32_t code;
    lsched_id node, queue; /* 0: none */
    int64_t number[4];     /* any numbers; the code says their units */
    char algorithm[32];
    char text[128];
} lsched_plan_advice_record;
/* The advice of a plan: its number of records, and record i, NULL after the last one. The records are
 * valid as long as the plan. */
LSCHED_API size_t lsched_plan_advice_size(const lsched_plan *plan);
LSCHED_API const lsched_plan_advice_record *lsched_plan_advice_at(const lsched_plan *plan,
                                                                  size_t i);

/* ---- rejections ---- */

/* What tasks of the same shape and queue avoid after a rejection.
 *   DEFAULT   the node; after refusals of several nodes, all nodes; and the job, if only it is
 *             refused (docs/semantics.md 22)
 *   NODE      the node of the decision, and nothing else
 *   DOMAIN    all nodes of the node's domain of a level, such as its rack; at most 512 nodes
 *   ANYWHERE  all nodes */
enum lsched_avoid {
    LSCHED_AVOID_DEFAULT = 0,
    LSCHED_AVOID_NODE = 1,
    LSCHED_AVOID_DOMAIN = 2,
    LSCHED_AVOID_ANYWHERE = 3
};
/* What an orchestrator says about a rejection of a place or a nomination. A change of the node that
 * refused (its labels, taints, capacity, devices or state) ends the refusal earlier. */
typedef struct lsched_refusal {
    uint32_t size;
    uint32_t avoid; /* LSCHED_AVOID_* */
    /* time of the next try; 0: the library's back-off; LSCHED_NEVER_US: until the node changes. A
     * time that is not after the cluster's time is LSCHED_E_TIME */
    int64_t until_us;
    lsched_text topology; /* DOMAIN: name of the topology; empty: the only one */
    lsched_text level;    /* DOMAIN: level, such as "rack" */
    lsched_text words;    /* text for people, which lsched_explain shows; at most 255 bytes */
} lsched_refusal;

/* ---- words of codes ---- */

/* Each of these functions returns the word of a code, as it appears in tables, JSON and scenarios
 * ("place", "reclaim"), or "unknown" for a code that this version does not know. The text is
 * static. <libsched/codes.def> lists all codes with their words and meanings. */
LSCHED_API const char *lsched_decision_kind_name(uint32_t kind); /* LSCHED_DECIDE_PLACE ... */
LSCHED_API const char *lsched_reason_name(uint32_t reason);      /* LSCHED_FOR_* */
LSCHED_API const char *lsched_task_state_name(uint32_t state);   /* LSCHED_TASK_* */
LSCHED_API const char *lsched_wait_name(uint32_t code);          /* LSCHED_WAIT_* */
LSCHED_API const char *lsched_no_victim_name(
    uint32_t code); /* LSCHED_NO_VICTIM_* of a waiting job */

#ifdef __cplusplus
}
#endif
#endif
