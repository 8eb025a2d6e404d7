/*
 * policy.h -- the interface between the engine and a policy. It contains no Lua: the Lua host
 * (lua/) implements this table, and a host for another language could. Without a loaded policy, the
 * engine uses its built-in defaults.
 *
 * The policy pulls the data that it needs. For every hook it declares once which fields it reads
 * (fields_read); in a call it gets rows and calls `view->fill` for just those fields. A field that
 * is not read therefore costs nothing, and the engine knows for which objects an answer can be
 * reused (a score that reads only SHAPE fields of the job is shared by all jobs of the shape).
 *
 * Every call is a batch. Numbers are in natural units (cores, GiB, GPUs, seconds). A call returns
 * 0, or LSCHED_E_POLICY, LSCHED_E_BUDGET, LSCHED_E_NOMEM or LSCHED_E_INTERRUPTED with err filled
 * ("name:line:column: what"). A call that fails leaves no trace: the next call works. The engine,
 * not the policy, decides the consequence of a failure. One thread at a time. The policy must not
 * keep any pointer after the call that passed it.
 */
#ifndef LIBSCHED_POLICY_H
#define LIBSCHED_POLICY_H

#include <libsched/libsched.h>
#include <math.h>

#include "base/alloc.h"

enum policy_object {
    POLICY_JOB,
    POLICY_QUEUE,
    POLICY_NODE,
    POLICY_CANDIDATE,
    POLICY_CLUSTER, /* there is one cluster; its row is 0 */
    POLICY_OBJECTS
};
enum policy_type { POLICY_NUMBER, POLICY_TEXT, POLICY_BOOL, POLICY_LABELS };
enum policy_scope {
    POLICY_SCOPE_SHAPE,
    POLICY_SCOPE_CLASS,
    POLICY_SCOPE_EACH,
    POLICY_SCOPE_STATE,
    POLICY_SCOPE_NOW
};

/* POLICY_F_JOB_NAME ...: numbers that run over all objects; each object has fewer than 64
 * fields. */
enum policy_field {
#define X(object, id, name, type, unit, scope, text) POLICY_F_##object##_##id,
#include <libsched/fields.def>
#undef X
    POLICY_FIELDS
};

struct policy_field_info {
    const char *name;
    const char *unit;
    const char *text;
    uint8_t object, type, scope;
};
/* defined in policy/fields.c */
extern const struct policy_field_info policy_field_infos[POLICY_FIELDS];

/* The value of a field. text.len is the length in bytes (0 does not mean NUL-terminated here). The
 * text is borrowed until the hook returns. */
union policy_value {
    double number;
    lsched_text text;
    uint32_t boolean;
};

/* The engine's data during one hook call. Rows are opaque numbers of the engine. */
struct policy_view {
    void *engine;
    double now_s; /* seconds since 1970 */
    /* Sets out[i] to the field of rows[i]; every row is valid. Cannot fail. Not for LABELS. */
    void (*fill)(void *engine, enum policy_field field, const uint32_t *rows, size_t n,
                 union policy_value *out);
    /* Gives the value of a label of a node row; returns 0 if the label is absent. */
    int (*label)(void *engine, uint32_t node_row, const char *key, size_t key_len,
                 lsched_text *value);
    /* The policy calls this at bounded intervals of its work; non-zero: it must stop with
     * LSCHED_E_INTERRUPTED. Can be NULL. */
    int (*interrupted)(void *engine);
    /* Takes a line that the policy logs: NUL-terminated, shorter than POLICY_LOG_LINE_BYTES,
     * printable. No decision may depend on the line. NULL: lines are dropped. */
    void (*log)(void *engine, const char *line, size_t len);
    /* Does the same as fill, with the same bits but faster, for fields of type NUMBER only. Can
     * be NULL. */
    void (*fill_numbers)(void *engine, enum policy_field field, const uint32_t *rows, size_t n,
                         double *out);
};

struct policy_quota_entry {
    char kind[64]; /* name of the resource kind, "gpu" */
    double amount; /* in natural units; HUGE_VAL: unlimited */
};

enum {
    POLICY_QUOTA_ENTRIES_MAX = 16,
    POLICY_REASON_BYTES = 160,
    POLICY_PIPELINE_MAX = 16,
    POLICY_NAME_BYTES = 64,
    POLICY_LOG_TEXT_BYTES = 200, /* of the logged text, without the hook and object in front */
    POLICY_LOG_LINE_BYTES = 361,
    POLICY_WORD_BYTES = 32, /* bytes of the name of a strategy or an action, with the NUL */
    POLICY_TRIED_MAX = 24
};

/* Hooks by number: bit i of LSCHED_HOOK_*, index i of policy_desc.fields_read and uses_now. */
enum policy_hook {
#define LSCHED_X_HOOK(NAME, number, name, first, each, second, also, answer) POLICY_HOOK_##NAME,
#include <libsched/hooks.def>
    POLICY_HOOKS
};

struct policy_quota {
    uint32_t given; /* 0: the quota as configured */
    uint32_t n;
    struct policy_quota_entry entries[POLICY_QUOTA_ENTRIES_MAX];
    double until_s; /* end of validity; 0: the hook is called again at each refresh */
};

/* A name that the hook `placement` returns; "": the default strategy. */
struct policy_word {
    char word[POLICY_WORD_BYTES];
};

/* The list of actions that the hook `pipeline` returns. */
struct policy_pipeline {
    uint32_t given; /* 0: the default pipeline */
    uint32_t n;     /* at least 1 if given */
    struct policy_word actions[POLICY_PIPELINE_MAX];
};

struct policy_admission {
    uint32_t admitted;
    char reason[POLICY_REASON_BYTES];
};

/* An eviction unit that could be evicted to make room: a surplus task, a surplus group, or the rest
 * of a gang. policy_candidate_fill() reads the fields of POLICY_CANDIDATE from this struct. */
struct policy_candidate {
    uint32_t job, queue; /* rows of its job, and of that job's queue */
    uint32_t tasks;      /* number of tasks that would be evicted */
    uint32_t whole;      /* 1: the whole gang is evicted; 0: only tasks above its minimum */
    /* amounts that would come free, the sum over its tasks */
    int64_t cpu_milli, memory_bytes, gpu_milli;
    int64_t runtime_us; /* time since its task on the node in question started */
    int64_t lost_us;    /* work of that task since the latest checkpoint */
    int64_t restart_us; /* time that its job needs to regain its present state */
    /* number of earlier evictions and moves of its job, in the job's window */
    uint32_t disruptions;
    uint32_t reserved_zero;
};

/* The cost of a candidate that the policy protects from every eviction. */
#define POLICY_NEVER ((double)HUGE_VAL)
/* The time limit of a job that can run for any time. */
#define POLICY_ANY_TIME ((double)HUGE_VAL)

enum { POLICY_PROTECT_PATH = 0, POLICY_PROTECT_DIVERGENCE = 1 };
enum { POLICY_VICTIMS_CHEAPEST = 0, POLICY_VICTIMS_NEWEST = 1, POLICY_VICTIMS_FEWEST = 2 };
/* Reaction to memory pressure on a device. */
enum { POLICY_COLLISION_WAIT = 0, POLICY_COLLISION_EVICT = 1, POLICY_COLLISION_SWAP = 2 };

/* The table `eviction` of a policy: how work is evicted for other jobs. */
struct policy_eviction {
    int64_t release_us; /* time that a task takes to stop */
    /* time after release_us for which a nomination on the task's room remains valid */
    int64_t grace_us;
    /* a job that has waited for less time evicts nothing; queues can ask for more */
    int64_t preemption_delay_us;
    int64_t stale_grace_us; /* how long a gang can be below its minimum */
    uint64_t per_hour;      /* evictions per hour; 0: any number */
    uint32_t moves_max;     /* largest number of tasks that one consolidation moves */
    uint32_t protection;    /* POLICY_PROTECT_* */
    uint32_t victims;       /* POLICY_VICTIMS_* */
    uint32_t collision;     /* POLICY_COLLISION_* */
    /* thousandths of its fair share that a victim's queue must use more than, once above its
     * guarantee */
    int64_t saturation_milli;
};

/* The properties that are fixed when a policy is loaded. fields_read: bit f % 64 of word f / 64.
 * Hooks that the policy lacks have zero words. */
struct policy_desc {
    char name[POLICY_NAME_BYTES];
    uint32_t hooks;      /* bits LSCHED_HOOK_* of the hooks that the policy has */
    uint64_t hash;       /* XXH3 over text and parameters */
    char fair_share[16]; /* name of the share algorithm; "" = default */
    char placement[32];  /* name of the strategy; "" = default */
    char order[32];      /* name of the order algorithm; "" = default */
    char pipeline[POLICY_PIPELINE_MAX][32];
    uint32_t n_pipeline; /* number of actions; 0 = default */
    struct policy_eviction eviction;
    int64_t usage_half_life_us; /* age at which use counts half; 0: use does not decay */
    int64_t usage_window_us;    /* age beyond which use does not count; 0: no bound */
    int64_t usage_weight_milli; /* how strongly past use changes weights; 1000: in proportion */
    /* Indexed by enum policy_hook. */
    uint64_t fields_read[POLICY_HOOKS][2];
    uint32_t uses_now[POLICY_HOOKS]; /* 1: the hook reads the time */
    /* Names that `placement` and `pipeline` returned in the trial runs of the load, as many as
     * fit. */
    struct policy_tried {
        enum policy_hook hook;
        struct policy_word word;
    } tried[POLICY_TRIED_MAX];
    uint32_t n_tried;
};

/* Sets eviction and usage to their defaults, for a policy that does not set them and for the
 * built-in policy, whose desc is zero. */
void policy_desc_default(struct policy_desc *desc);
struct policy_eviction policy_eviction_default(void);

/* Sets out[i] to the field of candidates[i], from the members of the struct or from its job and
 * queue. */
void policy_candidate_fill(const struct policy_view *view, enum policy_field field,
                           const struct policy_candidate *candidates, size_t n,
                           union policy_value *out);

/* How a hook is evaluated: by the Lua interpreter, or compiled ("lifted"). Texts live as long as
 * the policy. */
struct policy_hook_note {
    uint32_t line, column; /* where the hook begins */
    uint32_t is_lifted;
    uint32_t ops;          /* operations of the compiled hook, per element */
    uint64_t instructions; /* instructions of the interpreter for one element in the trial run */
    const char *name;
    const char *reason; /* why the hook is not compiled; "" if it is */
    uint32_t reason_line, reason_column;
    /* since cycle_begin: instructions, elements, and instructions charged for kept answers */
    uint64_t spent, asked, kept;
};

/* The charges of the cycle so far. */
struct policy_meter {
    uint64_t spent;
    struct {
        uint64_t spent, asked, kept;
    } hook[POLICY_HOOKS];
};

struct policy_ops {
    void (*destroy)(void *self);
    /* Begins a cycle: the budget of the cycle starts again at 0 spent. */
    void (*cycle_begin)(void *self);
    uint64_t (*instructions_spent)(const void *self); /* instructions since cycle_begin */
    /* Charges the cycle for answers that the engine had kept: LSCHED_E_BUDGET if the budget is
     * exceeded. `hook` is for the message. */
    int32_t (*charge)(void *self, enum policy_hook hook, uint64_t instructions, lsched_error *err);
    /* Results of this and the next calls: out[i] for jobs[i]; queues[i] is the row of the job's
     * queue. NaN and infinity are errors, never results. */
    int32_t (*priority)(void *self, const struct policy_view *view, const uint32_t *jobs,
                        const uint32_t *queues, size_t n, double *out, lsched_error *err);
    int32_t (*weight)(void *self, const struct policy_view *view, const uint32_t *queues, size_t n,
                      double *out, lsched_error *err); /* results are >= 0 */
    int32_t (*quota)(void *self, const struct policy_view *view, uint32_t queue,
                     struct policy_quota *out, lsched_error *err);
    int32_t (*admit)(void *self, const struct policy_view *view, const uint32_t *jobs,
                     const uint32_t *queues, size_t n, struct policy_admission *out,
                     lsched_error *err);
    /* Sets keep[i] to 1 if the job can run on nodes[i]. */
    int32_t (*filter)(void *self, const struct policy_view *view, uint32_t job,
                      const uint32_t *nodes, size_t n, uint8_t *keep, lsched_error *err);
    int32_t (*score)(void *self, const struct policy_view *view, uint32_t job,
                     const uint32_t *nodes, size_t n, double *out, lsched_error *err);
    /* Sets cost[i] to the cost of evicting candidates[i] so that `job` gets room: at least 0, or
     * POLICY_NEVER. */
    int32_t (*victim)(void *self, const struct policy_view *view, uint32_t job,
                      const struct policy_candidate *candidates, size_t n, double *cost,
                      lsched_error *err);
    /* Gives the limit of a queue, in the form of `quota`; an amount of HUGE_VAL means no limit.
     * Kinds that are not named keep the configured limit. */
    int32_t (*limit)(void *self, const struct policy_view *view, uint32_t queue,
                     struct policy_quota *out, lsched_error *err);
    /* Sets out[i], which replaces the priority of queues[i] among its siblings: a whole number from
     * -(2^31-1) to 2^31-1. */
    int32_t (*queue_order)(void *self, const struct policy_view *view, const uint32_t *queues,
                           size_t n, double *out, lsched_error *err);
    /* Sets seconds[i] to the time for which jobs[i] can run: above 0, or POLICY_ANY_TIME. */
    int32_t (*time_limit)(void *self, const struct policy_view *view, const uint32_t *jobs,
                          const uint32_t *queues, size_t n, double *seconds, lsched_error *err);
    /* Sets stop[i] to 1 if the running job jobs[i] must be stopped because it is idle. */
    int32_t (*idle)(void *self, const struct policy_view *view, const uint32_t *jobs,
                    const uint32_t *queues, size_t n, uint8_t *stop, lsched_error *err);
    /* Sets out[i] to the tasks that jobs[i] needs to start, from 1 to the field `tasks` of the job;
     * 0: as submitted. */
    int32_t (*gang_minimum)(void *self, const struct policy_view *view, const uint32_t *jobs,
                            const uint32_t *queues, size_t n, uint32_t *out, lsched_error *err);
    /* Sets out[i] to the placement strategy for jobs[i]. The engine checks that the strategy
     * exists. */
    int32_t (*placement)(void *self, const struct policy_view *view, const uint32_t *jobs,
                         const uint32_t *queues, size_t n, struct policy_word *out,
                         lsched_error *err);
    /* Returns text i about failures with unusual objects that the load found, one per hook; NULL
     * after the last. */
    const char *(*warning)(const void *self, uint32_t i);
    /* Gives the actions of this cycle, in order. The engine checks that they exist. */
    int32_t (*pipeline)(void *self, const struct policy_view *view, struct policy_pipeline *out,
                        lsched_error *err);
    /* Describes how a hook is evaluated. Can be NULL. */
    void (*describe)(const void *self, enum policy_hook hook, struct policy_hook_note *out);
    /* Gives the summands of the answer of a hook for a job (a queue) and a node (a queue): stores
     * at most `cap`, returns their number; 0: the policy cannot tell. Can be NULL. */
    size_t (*terms)(void *self, const struct policy_view *view, enum policy_hook hook, uint32_t a,
                    uint32_t b, lsched_policy_term *out, size_t cap);
    /* Returns the parameters in force, sorted by key: the values of the text, replaced by the
     * caller's values. They live as long as the policy. */
    const lsched_param *(*params)(const void *self, uint32_t *n);
    /* For questions that belong to no cycle: the caller reads the charges before the question and
     * restores them afterwards. Can be NULL. */
    void (*meter_get)(const void *self, struct policy_meter *out);
    void (*meter_set)(void *self, const struct policy_meter *meter);
};

struct policy {
    const struct policy_ops *ops;
    void *self;
    struct policy_desc desc;
};

#endif
