/*
 * policy.h -- the interface between the engine and a policy. The interface does not depend on Lua:
 * the folder lua/ implements it for policies in Lua, and another folder could implement it for
 * another language. Without a loaded policy, the engine uses its built-in defaults.
 *
 * The policy fetches the data that it needs. It declares once for each hook which fields the hook
 * reads (fields_read). In a call, the policy gets rows and calls `view->fill` only for these
 * fields. Therefore a field that is not read costs nothing. The engine also knows for which objects
 * an answer can be used again. For example, all jobs of a shape share a score that reads only SHAPE
 * fields of the job.
 *
 * Every call handles many objects at once. Numbers are in natural units (cores, GiB, GPUs,
 * seconds). A call returns 0, or LSCHED_E_POLICY, LSCHED_E_BUDGET, LSCHED_E_NOMEM or
 * LSCHED_E_INTERRUPTED. In case of an error, `err` is filled ("name:line:column: what"). A call
 * that fails has no effect on later calls. The engine, not the policy, decides what follows from an
 * error. Only one thread at a time calls a policy. The policy must not keep any pointer that was
 * passed to it after the call.
 */
#ifndef LIBSCHED_POLICY_H
#define LIBSCHED_POLICY_H

#include <libsched/libsched.h>
#include <math.h>

#include "base/alloc.h"
#include "base/contention_table.h"
#include "base/speed_table.h"
#include "policy/fields.h"

/* The value of a field. text.len is the length in bytes; the text has no NUL at its end. The text
 * is valid until the hook returns. */
union policy_value {
    double number;
    lsched_text text;
    uint32_t boolean;
};

/* The data of the engine during one call of a hook. Rows are numbers that have a meaning only for
 * the engine. */
struct policy_view {
    void *engine;
    double now_s; /* seconds since 1970 */
    /* Sets out[i] to the value of the field for rows[i]. All rows must be valid. The function
     * cannot fail. The field must not be of type LABELS. */
    void (*fill)(void *engine, enum policy_field field, const uint32_t *rows, size_t n,
                 union policy_value *out);
    /* Sets *value to the value of a label of the node, and returns 1. Returns 0 if the node does
     * not have the label. */
    int (*label)(void *engine, uint32_t node_row, const char *key, size_t key_len,
                 lsched_text *value);
    /* The policy calls this function at bounded intervals of its work. If the function returns a
     * value other than 0, the policy must stop with LSCHED_E_INTERRUPTED. The pointer can be
     * NULL. */
    int (*interrupted)(void *engine);
    /* Takes a line that the policy logs. The line ends with NUL, is shorter than
     * POLICY_LOG_LINE_BYTES, and has only printable characters. No decision depends on the line. If
     * this is NULL, lines are dropped. */
    void (*log)(void *engine, const char *line, size_t len);
    /* Does the same as `fill` and gives the same bits, but is faster. The field must be of type
     * NUMBER. The pointer can be NULL. */
    void (*fill_numbers)(void *engine, enum policy_field field, const uint32_t *rows, size_t n,
                         double *out);
};

struct policy_quota_entry {
    char kind[64]; /* name of the resource kind, such as "gpu" */
    double amount; /* amount in natural units; HUGE_VAL means unlimited */
};

enum {
    POLICY_QUOTA_ENTRIES_MAX = 16,
    POLICY_REASON_BYTES = 160,
    POLICY_PIPELINE_MAX = 16,
    POLICY_NAME_BYTES = 64,
    /* bytes of the text that the policy logs, without the hook and the object that precede it */
    POLICY_LOG_TEXT_BYTES = 200,
    POLICY_LOG_LINE_BYTES = 361,
    POLICY_WORD_BYTES = 32, /* bytes of the name of a strategy or an action, including the NUL */
    POLICY_TRIED_MAX = 24
};

/* The hooks by number. Hook i has bit i of LSCHED_HOOK_* and index i of policy_desc.fields_read and
 * policy_desc.uses_now. */
enum policy_hook {
#define LSCHED_X_HOOK(NAME, number, name, first, each, second, also, answer) POLICY_HOOK_##NAME,
#include <libsched/hooks.def>
    POLICY_HOOKS
};

struct policy_quota {
    uint32_t given; /* 1 if the hook gave a quota; 0 if the configured quota holds */
    uint32_t n;
    struct policy_quota_entry entries[POLICY_QUOTA_ENTRIES_MAX];
    /* time until which the quota holds, in seconds since 1970; 0 if the hook is called at each
     * refresh */
    double until_s;
};

/* A name that the hook `placement` returns; "" stands for the default strategy. */
struct policy_word {
    char word[POLICY_WORD_BYTES];
};

/* The list of actions that the hook `pipeline` returns. */
struct policy_pipeline {
    uint32_t given; /* 1 if the hook gave a list; 0 if the default pipeline holds */
    uint32_t n;     /* number of actions; at least 1 if `given` is 1 */
    struct policy_word actions[POLICY_PIPELINE_MAX];
};

struct policy_admission {
    uint32_t admitted;
    char reason[POLICY_REASON_BYTES];
};

/* An eviction unit that could be evicted to make room: a surplus task, a surplus group, or the
 * whole gang. policy_candidate_fill() (candidate.h) reads the fields of POLICY_CANDIDATE from this
 * struct. */
struct policy_candidate {
    uint32_t job,   /* row of the job to which the unit belongs */
        queue;      /* row of the queue of this job */
    uint32_t tasks; /* number of tasks that would be evicted */
    /* 1 if the whole gang would be evicted, 0 if only tasks above its minimum */
    uint32_t whole;
    /* amounts that would come free, summed over the tasks of the unit */
    int64_t cpu_milli, memory_bytes, gpu_milli;
    /* time since the start of the unit's task on the node on which room is needed */
    int64_t runtime_us;
    /* time that this task has worked since its latest checkpoint; this work would be lost */
    int64_t lost_us;
    int64_t restart_us; /* time that the job needs after a restart to regain its present state */
    /* number of earlier evictions and moves of the job in its disruption window */
    uint32_t disruptions;
    uint32_t reserved_zero;
};

/* Cost of a candidate that the policy protects from every eviction. */
#define POLICY_NEVER ((double)HUGE_VAL)
/* Time limit of a job that can run for any time. */
#define POLICY_ANY_TIME ((double)HUGE_VAL)

enum { POLICY_PROTECT_PATH = 0, POLICY_PROTECT_DIVERGENCE = 1 };
enum { POLICY_VICTIMS_CHEAPEST = 0, POLICY_VICTIMS_NEWEST = 1, POLICY_VICTIMS_FEWEST = 2 };
/* The reaction to memory pressure on a device. */
enum { POLICY_COLLISION_WAIT = 0, POLICY_COLLISION_EVICT = 1, POLICY_COLLISION_SWAP = 2 };

/* The table `eviction` of a policy. It says how work is evicted for other jobs. */
struct policy_eviction {
    int64_t release_us; /* time that a task is expected to need to stop after its eviction */
    /* time after release_us for which a nomination for the task's room remains valid */
    int64_t grace_us;
    /* a job that has waited for less time does not evict; queues can set a longer delay */
    int64_t preemption_delay_us;
    /* time for which a gang can be below its minimum before it is evicted */
    int64_t stale_grace_us;
    uint64_t per_hour;   /* largest number of evictions in an hour; 0 means any number */
    uint32_t moves_max;  /* largest number of tasks that one consolidation moves */
    uint32_t protection; /* POLICY_PROTECT_* */
    uint32_t victims;    /* POLICY_VICTIMS_* */
    uint32_t collision;  /* POLICY_COLLISION_* */
    /* Factor in thousandths. In a comparison with fair shares, a queue is above its entitlement
     * only if it uses more than this factor times its entitlement. */
    int64_t saturation_milli;
};

/* Properties that are fixed when a policy is loaded. */
struct policy_desc {
    char name[POLICY_NAME_BYTES];
    uint32_t hooks;      /* bits LSCHED_HOOK_* of the hooks that the policy has */
    uint64_t hash;       /* XXH3 hash of the text and the parameters */
    char fair_share[16]; /* name of the share algorithm; "" means the default */
    char placement[32];  /* name of the placement strategy; "" means the default */
    char order[32];      /* name of the order algorithm; "" means the default */
    char pipeline[POLICY_PIPELINE_MAX][32];
    uint32_t n_pipeline; /* number of actions; 0 means the default pipeline */
    struct policy_eviction eviction;
    int64_t usage_half_life_us; /* age at which use counts half; 0 means no decay */
    /* age from which on use does not count; 0 means that use of any age counts */
    int64_t usage_window_us;
    /* strength with which past use changes the weights of queues; 1000 means in proportion */
    int64_t usage_weight_milli;
    /* Fields that each hook reads, by enum policy_hook: bit f % 64 of word f / 64 stands for field
     * f. The words of a hook that the policy does not have are 0. */
    uint64_t fields_read[POLICY_HOOKS][2];
    uint32_t uses_now[POLICY_HOOKS]; /* 1 if the hook reads the time */
    /* Names that the hooks `placement` and `pipeline` returned in the trial runs when the policy
     * was loaded. If there were more than POLICY_TRIED_MAX names, only the first are kept. */
    struct policy_tried {
        enum policy_hook hook;
        struct policy_word word;
    } tried[POLICY_TRIED_MAX];
    uint32_t n_tried;
    struct contention_table contention; /* the table `contention`; n 0: none */
    struct speed_table speeds;          /* the table `speeds`; n 0: none */
};

/* Says how a hook is evaluated: compiled, or by the Lua interpreter. The texts are valid as long as
 * the policy exists. */
struct policy_hook_note {
    uint32_t line, /* line of the policy's text in which the hook begins */
        column;    /* column at which the hook begins */
    uint32_t is_lifted;
    uint32_t ops;          /* number of operations of the compiled hook for one element */
    uint64_t instructions; /* instructions of the interpreter for one element in the trial run */
    const char *name;
    const char *reason; /* why the hook is not compiled; "" if the hook is compiled */
    uint32_t reason_line, reason_column;
    /* counts since the latest call of cycle_begin:
     *   spent  instructions
     *   asked  elements for which the hook was evaluated
     *   kept   instructions charged for answers that the engine had stored */
    uint64_t spent, asked, kept;
};

/* The charges of the cycle so far. The members have the meaning of those in policy_hook_note. */
struct policy_meter {
    uint64_t spent;
    struct {
        uint64_t spent, asked, kept;
    } hook[POLICY_HOOKS];
};

struct policy_ops {
    void (*destroy)(void *self);
    /* Begins a cycle: the instructions that count against the cycle's budget are set to 0. */
    void (*cycle_begin)(void *self);
    /* Returns the number of instructions since the latest call of cycle_begin. */
    uint64_t (*instructions_spent)(const void *self);
    /* Charges the cycle for answers that the engine had stored and used again. Returns
     * LSCHED_E_BUDGET if the budget is exceeded. `hook` is named in the error message. */
    int32_t (*charge)(void *self, enum policy_hook hook, uint64_t instructions, lsched_error *err);
    /* Sets out[i] to the priority of jobs[i]. Here and in the calls below, queues[i] is the row of
     * the queue of jobs[i], and NaN or infinity from a hook is an error. */
    int32_t (*priority)(void *self, const struct policy_view *view, const uint32_t *jobs,
                        const uint32_t *queues, size_t n, double *out, lsched_error *err);
    /* Sets out[i] to the weight of queues[i], which must be at least 0. */
    int32_t (*weight)(void *self, const struct policy_view *view, const uint32_t *queues, size_t n,
                      double *out, lsched_error *err);
    int32_t (*quota)(void *self, const struct policy_view *view, uint32_t queue,
                     struct policy_quota *out, lsched_error *err);
    int32_t (*admit)(void *self, const struct policy_view *view, const uint32_t *jobs,
                     const uint32_t *queues, size_t n, struct policy_admission *out,
                     lsched_error *err);
    /* Sets keep[i] to 1 if the job is allowed to run on nodes[i], else to 0. */
    int32_t (*filter)(void *self, const struct policy_view *view, uint32_t job,
                      const uint32_t *nodes, size_t n, uint8_t *keep, lsched_error *err);
    int32_t (*score)(void *self, const struct policy_view *view, uint32_t job,
                     const uint32_t *nodes, size_t n, double *out, lsched_error *err);
    /* Sets cost[i] to the cost of evicting candidates[i] for `job`: at least 0, or POLICY_NEVER. */
    int32_t (*victim)(void *self, const struct policy_view *view, uint32_t job,
                      const struct policy_candidate *candidates, size_t n, double *cost,
                      lsched_error *err);
    /* Sets *out to the limit of a queue, in the same form as `quota`. An amount of HUGE_VAL means
     * no limit. Resource kinds that are not in *out keep their configured limit. */
    int32_t (*limit)(void *self, const struct policy_view *view, uint32_t queue,
                     struct policy_quota *out, lsched_error *err);
    /* Sets out[i] to a number that replaces the priority of queues[i] among its siblings: a whole
     * number from -(2^31-1) to 2^31-1. */
    int32_t (*queue_order)(void *self, const struct policy_view *view, const uint32_t *queues,
                           size_t n, double *out, lsched_error *err);
    /* Sets seconds[i] to the time for which jobs[i] is allowed to run: more than 0, or
     * POLICY_ANY_TIME. */
    int32_t (*time_limit)(void *self, const struct policy_view *view, const uint32_t *jobs,
                          const uint32_t *queues, size_t n, double *seconds, lsched_error *err);
    /* Sets stop[i] to 1 if the running job jobs[i] must be stopped because it is idle, else to
     * 0. */
    int32_t (*idle)(void *self, const struct policy_view *view, const uint32_t *jobs,
                    const uint32_t *queues, size_t n, uint8_t *stop, lsched_error *err);
    /* Sets out[i] to the number of tasks that jobs[i] needs to start, from 1 to the field `tasks`
     * of the job. 0 stands for the number with which the job was submitted. */
    int32_t (*gang_minimum)(void *self, const struct policy_view *view, const uint32_t *jobs,
                            const uint32_t *queues, size_t n, uint32_t *out, lsched_error *err);
    /* Sets out[i] to the name of the placement strategy for jobs[i]. The engine checks that the
     * strategy exists. */
    int32_t (*placement)(void *self, const struct policy_view *view, const uint32_t *jobs,
                         const uint32_t *queues, size_t n, struct policy_word *out,
                         lsched_error *err);
    /* Sets out[i] to the number by which evictions compare jobs[i] with other work of its queue. */
    int32_t (*preempt_priority)(void *self, const struct policy_view *view, const uint32_t *jobs,
                                const uint32_t *queues, size_t n, double *out, lsched_error *err);
    /* Returns warning number i of the load, NULL after the last one. A warning says that a hook
     * failed in a trial run with unusual objects. Each hook has at most one warning. */
    const char *(*warning)(const void *self, uint32_t i);
    /* Sets *out to the actions of this cycle, in order. The engine checks that the actions
     * exist. */
    int32_t (*pipeline)(void *self, const struct policy_view *view, struct policy_pipeline *out,
                        lsched_error *err);
    /* Sets *out to a description of how a hook is evaluated. The pointer can be NULL. */
    void (*describe)(const void *self, enum policy_hook hook, struct policy_hook_note *out);
    /* Splits the answer of a hook into its summands. `a` and `b` are the rows of the hook's
     * objects: a job or queue, and a node or queue. The function stores at most `cap` summands and
     * returns their number, 0 if the policy cannot split the answer. The pointer can be NULL. */
    size_t (*terms)(void *self, const struct policy_view *view, enum policy_hook hook, uint32_t a,
                    uint32_t b, lsched_policy_term *out, size_t cap);
    /* Returns the parameters in force, sorted by key. A parameter has the value that the caller
     * gave, else the value in the policy's text. The array is valid as long as the policy
     * exists. */
    const lsched_param *(*params)(const void *self, uint32_t *n);
    /* For questions outside a cycle: the caller reads the charges before the question (meter_get)
     * and restores them after the question (meter_set). The pointer can be NULL. */
    void (*meter_get)(const void *self, struct policy_meter *out);
    void (*meter_set)(void *self, const struct policy_meter *meter);
};

struct policy {
    const struct policy_ops *ops;
    void *self;
    struct policy_desc desc;
};

#endif
