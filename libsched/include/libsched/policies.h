/*
 * policies.h -- policies in Lua: load a policy, read its properties and what it spent.
 *
 * libsched.h includes this header and states the rules (structs begin with their size, one thread
 * at a time per cluster, ownership); orchestrators include libsched.h. The language:
 * docs/policy-language.md.
 */
#ifndef LIBSCHED_POLICIES_H
#define LIBSCHED_POLICIES_H

#include <libsched/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A parameter of a policy. Frozen layout, no size field. */
typedef struct lsched_param {
    lsched_text key;
    lsched_text text; /* the value if ptr is not NULL; else `number` is the value */
    double number;
} lsched_param;

typedef struct lsched_policy_opts {
    uint32_t size;
    uint32_t n_params;
    const lsched_param *params;
    uint64_t instructions_per_call;  /* 0: default 1,000,000 per element of the batch */
    uint64_t instructions_per_cycle; /* 0: default 500,000,000 */
    uint64_t memory_limit_bytes;     /* 0: default 4 MiB; at most 64 MiB */
    uint32_t failures_max; /* consecutive failed cycles that eject the policy; 0: default 3 */
    uint32_t reserved_zero;
} lsched_policy_opts;
LSCHED_API void lsched_policy_opts_init(lsched_policy_opts *opts, uint32_t size);

/* Makes Lua text the cluster's policy. The new policy is built, checked and run on trial objects
 * before it replaces the old policy; on error the old policy stays. text NULL: `name` is a
 * ready-made policy. `name` also appears in error messages ("name:line:column: ..."). */
LSCHED_API int32_t lsched_policy_load(lsched_cluster *cluster, const char *name, const char *text,
                                      size_t text_len, const lsched_policy_opts *opts,
                                      lsched_error *err);
/* Returns the text of ready-made policy i, NULL after the last. Static storage, NUL-terminated. */
LSCHED_API const char *lsched_policy_ready_made(uint32_t i, const char **name, size_t *text_len);

typedef struct lsched_policy_info {
    uint32_t size;
    uint32_t hooks;    /* bit set of LSCHED_HOOK_* */
    uint64_t hash;     /* hash of text and parameters; 0: the built-in policy */
    uint32_t failures; /* failed cycles in a row */
    uint32_t ejected;
    uint64_t instructions_spent; /* Lua instructions of the latest cycle */
    char name[64];
    char placement[32];
    char fair_share[16];
    char last_error[LSCHED_MESSAGE_BYTES];
    char order[32];
    char pipeline[512]; /* names of actions, separated by spaces */
    /* words of the language; these and the numbers below belong to `eviction` */
    char protection[16], victims[16];
    int64_t release_us, grace_us, preemption_delay_us, stale_grace_us;
    uint64_t evictions_per_hour; /* 0: any number */
    uint32_t moves_max, saturation_milli;
    int64_t usage_half_life_us, usage_window_us, usage_weight_milli;
} lsched_policy_info;
/* The hooks that a policy has, as bits: LSCHED_HOOK_PRIORITY, _QUOTA ... */
enum {
#define LSCHED_X_HOOK(NAME, number, name, first, each, second, also, answer) \
    LSCHED_HOOK_##NAME = 1 << number,
#include <libsched/hooks.def>
};
LSCHED_API int32_t lsched_policy_get(const lsched_cluster *cluster, lsched_policy_info *out);
/* Returns message i about hooks that fail with unusual objects (no GPUs, no labels, a quota of 0 or
 * none), NULL after the last. The trial runs of the load find these failures; only a failure with
 * typical objects makes the load fail. At most one message per hook, "name:line:column: ...". */
LSCHED_API const char *lsched_policy_warning(const lsched_cluster *cluster, uint32_t i);

/* Returns line i that the policy wrote with log() in the cycle of this plan, "score of job 'x' on
 * node 'y': ..."; NULL past the end. A line is UTF-8 without control characters. There are at most
 * 32 lines; one more says how many were dropped. A hook answer that was kept from an earlier cycle
 * writes no line again, and no decision depends on a line. */
LSCHED_API const char *lsched_plan_log(const lsched_plan *plan, size_t i);

/* A hook of the policy: whether it is compiled ("lifted"), or which construct in its text prevents
 * that. The answers are the same either way. */
typedef struct lsched_policy_hook_info {
    uint32_t size;
    uint32_t hook;         /* LSCHED_HOOK_* */
    uint32_t line, column; /* where the hook's function begins */
    uint32_t lifted;       /* 1: the hook is compiled and runs as a column program */
    /* operations of that program; an element is charged a quarter of this as instructions */
    uint32_t ops;
    /* position of the first construct that prevents compilation */
    uint32_t reason_line, reason_column;
    /* instructions that Lua spent on one element in the trial run of the load */
    uint64_t instructions;
    char name[24];
    char reason[160];        /* "" if the hook is compiled */
    uint64_t fields_read[2]; /* bit i % 64 of word i / 64: field i of <libsched/fields.def> */
    uint32_t reads_now;      /* 1: the answer depends on the time, by `now` or a field */
    uint32_t reserved_zero;
    /* In the latest cycle: instructions spent, elements (jobs, nodes, queues ...) that the hook was
     * called for, and instructions charged for kept answers. lsched_policy_terms starts all three
     * again at 0. */
    uint64_t spent, asked, kept;
} lsched_policy_hook_info;
/* Gives hook i of those that the policy has, in the order of their bits; LSCHED_E_NOENT after the
 * last. */
LSCHED_API int32_t lsched_policy_hook_get(const lsched_cluster *cluster, uint32_t i,
                                          lsched_policy_hook_info *out);

/* One summand of the answer of a compiled hook for a job (and a node). Frozen layout, no size
 * field. */
typedef struct lsched_policy_term {
    double value; /* signed value */
    uint32_t line, column;
    char text[96]; /* source of the summand on one line, cut at the end if it is longer */
} lsched_policy_term;
/* Evaluates LSCHED_HOOK_PRIORITY, _WEIGHT (of the job's queue), _SCORE, _TIME_LIMIT or _QUEUE_ORDER
 * at now_us on the live state. *value is the answer. Returns the number of summands of the answer
 * (at most `capacity` of them are stored), 0 if the hook is not compiled, or an error. node: for
 * _SCORE, else 0. */
LSCHED_API int32_t lsched_policy_terms(lsched_cluster *cluster, uint32_t hook, lsched_id job,
                                       lsched_id node, int64_t now_us, lsched_policy_term *terms,
                                       size_t capacity, double *value, lsched_error *err);

#ifdef __cplusplus
}
#endif
#endif
