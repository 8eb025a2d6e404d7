/*
 * policy.h -- what the engine asks of a policy. No Lua here: the Lua host (lua/) and the built-in
 * answer (policy/builtin.c) both implement this table, and a host of another language could.
 *
 * The policy pulls what it needs: for every hook it says, once, which fields it reads
 * (fields_read), and when it is called it gets rows and asks `view->fill` for just those fields. So
 * an unread field costs nothing, and the engine knows what an answer may be cached by (a score that
 * reads only SHAPE fields of the job is shared by all jobs of the shape).
 *
 * Every call is a batch. Numbers are natural units (cores, GiB, GPUs, seconds). A call returns 0 or
 * LSCHED_E_POLICY, LSCHED_E_BUDGET, LSCHED_E_NOMEM, LSCHED_E_INTERRUPTED with err filled
 * ("name:line:column: what"). A call that fails leaves nothing behind: the next call works. The
 * engine decides what failure means (DESIGN 6); the policy decides nothing.
 * One thread at a time. Nothing here may be kept after the call that passed it.
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
    POLICY_CLUSTER, /* there is one: its row is 0 */
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

/* POLICY_F_JOB_NAME ... one running number over all objects, below 64 per object after
 * subtraction. */
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
extern const struct policy_field_info policy_field_infos[POLICY_FIELDS]; /* policy/fields.c */

/* text.len is the byte length (never 0-for-NUL-terminated here). Borrowed until the hook
 * returns. */
union policy_value {
    double number;
    lsched_text text;
    uint32_t boolean;
};

/* What the engine lends for the length of one hook call. Rows are opaque numbers of the engine. */
struct policy_view {
    void *engine;
    double now_s; /* seconds since 1970 */
    /* out[i] = field of rows[i]; every row is valid. Cannot fail. Not for LABELS. */
    void (*fill)(void *engine, enum policy_field field, const uint32_t *rows, size_t n,
                 union policy_value *out);
    /* The value of a label of a node row; 0 if absent. */
    int (*label)(void *engine, uint32_t node_row, const char *key, size_t key_len,
                 lsched_text *value);
    /* Polled by the host at bounded intervals of its work; non-zero: stop with
     * LSCHED_E_INTERRUPTED. May be NULL. */
    int (*interrupted)(void *engine);
    /* A line that the policy says to the host: NUL-terminated, shorter than POLICY_LOG_LINE_BYTES,
     * printable. Nothing that is decided may depend on it. May be NULL: nobody listens. */
    void (*log)(void *engine, const char *line, size_t len);
    /* As fill, with the same bits, for fields of type NUMBER only and faster. May be NULL. */
    void (*fill_numbers)(void *engine, enum policy_field field, const uint32_t *rows, size_t n,
                         double *out);
};

struct policy_quota_entry {
    char kind[64]; /* resource kind by name, "gpu" */
    double amount; /* natural units; HUGE_VAL: unlimited */
};

enum {
    POLICY_QUOTA_ENTRIES_MAX = 16,
    POLICY_REASON_BYTES = 160,
    POLICY_PIPELINE_MAX = 16,
    POLICY_NAME_BYTES = 64,
    POLICY_LOG_TEXT_BYTES = 200, /* of what the policy says; in front of it stands who says it */
    POLICY_LOG_LINE_BYTES = 361,
    POLICY_WORD_BYTES = 32, /* the name of a strategy or an action, its NUL included */
    POLICY_TRIED_MAX = 24
};

/* Hooks by number: bit i of LSCHED_HOOK_*, place i of policy_desc.fields_read and uses_now. */
enum policy_hook {
#define LSCHED_X_HOOK(NAME, number, name, first, each, second, also, answer) POLICY_HOOK_##NAME,
#include <libsched/hooks.def>
    POLICY_HOOKS
};

struct policy_quota {
    uint32_t given; /* 0: as configured */
    uint32_t n;
    struct policy_quota_entry entries[POLICY_QUOTA_ENTRIES_MAX];
    double until_s; /* holds until then; 0: ask again each refresh */
};

/* A name that the hook `placement` returns; "": it has no opinion. */
struct policy_word {
    char word[POLICY_WORD_BYTES];
};

/* What the hook `pipeline` returns. */
struct policy_pipeline {
    uint32_t given; /* 0: the default */
    uint32_t n;     /* 1.. when given */
    struct policy_word actions[POLICY_PIPELINE_MAX];
};

struct policy_admission {
    uint32_t admitted;
    char reason[POLICY_REASON_BYTES];
};

/* A piece of work that could be stopped to make room: a surplus task, a surplus group, or what is
 * left of a gang. The fields of POLICY_CANDIDATE are read from it by policy_candidate_fill(). */
struct policy_candidate {
    uint32_t job, queue; /* rows: its job, and the queue of that */
    uint32_t tasks;      /* that would stop */
    uint32_t whole;      /* 1: the whole gang stops, 0: only what it has above its minimum */
    int64_t cpu_milli, memory_bytes, gpu_milli; /* that would come free, all its tasks together */
    int64_t runtime_us;                         /* since its task on the node in question started */
    int64_t lost_us;                            /* work of that task since its last checkpoint */
    int64_t restart_us;                         /* that its job needs to be where it was */
    uint32_t disruptions; /* how often its job was disturbed before, in its window */
    uint32_t reserved_zero;
};

/* The cost of what the policy does not let anybody take. */
#define POLICY_NEVER ((double)HUGE_VAL)
/* The time limit of a job that may run for any time. */
#define POLICY_ANY_TIME ((double)HUGE_VAL)

enum { POLICY_PROTECT_PATH = 0, POLICY_PROTECT_DIVERGENCE = 1 };
enum { POLICY_VICTIMS_CHEAPEST = 0, POLICY_VICTIMS_NEWEST = 1, POLICY_VICTIMS_FEWEST = 2 };
/* What is done where device memory ran out. */
enum { POLICY_COLLISION_WAIT = 0, POLICY_COLLISION_EVICT = 1, POLICY_COLLISION_SWAP = 2 };

/* The table `eviction`: how work is stopped for others. */
struct policy_eviction {
    int64_t release_us; /* how long a task takes to stop */
    int64_t grace_us;   /* how long after that a claim on its room still holds */
    int64_t
        preemption_delay_us;  /* a job that waits for less evicts nobody; queues may ask for more */
    int64_t stale_grace_us;   /* how long a gang may be below its minimum */
    uint64_t per_hour;        /* evictions; 0: any number */
    uint32_t moves_max;       /* tasks that one consolidation may move */
    uint32_t protection;      /* POLICY_PROTECT_* */
    uint32_t victims;         /* POLICY_VICTIMS_* */
    uint32_t collision;       /* POLICY_COLLISION_* */
    int64_t saturation_milli; /* above guarantees, how far victims are above their fair share */
};

/* What is fixed at load. fields_read: bit f of word f/64. Unused hooks have zero words. */
struct policy_desc {
    char name[POLICY_NAME_BYTES];
    uint32_t hooks;      /* LSCHED_HOOK_* */
    uint64_t hash;       /* XXH3 over text and parameters */
    char fair_share[16]; /* "" = default */
    char placement[32];  /* "" = default */
    char order[32];      /* of jobs in a queue; "" = default */
    char pipeline[POLICY_PIPELINE_MAX][32];
    uint32_t n_pipeline; /* 0 = default */
    struct policy_eviction eviction;
    int64_t usage_half_life_us; /* use that is this old counts half; 0: it does not fade */
    int64_t usage_window_us;    /* use that is older counts nothing; 0: no bound */
    int64_t usage_weight_milli; /* how much past use bends weights; 1000: in proportion */
    /* By enum policy_hook. */
    uint64_t fields_read[POLICY_HOOKS][2];
    uint32_t uses_now[POLICY_HOOKS]; /* the hook reads the time */
    /* Names that `placement` and `pipeline` returned when they were tried at load, as far as there
     * is room. */
    struct policy_tried {
        enum policy_hook hook;
        struct policy_word word;
    } tried[POLICY_TRIED_MAX];
    uint32_t n_tried;
};

/* Sets eviction and usage to their defaults: of a policy that does not speak of them, and of the
 * built-in one, whose desc is zero. */
void policy_desc_default(struct policy_desc *desc);
struct policy_eviction policy_eviction_default(void);

/* out[i] = field of candidates[i]: the members of the struct, and fields of the job and the queue
 * behind it. */
void policy_candidate_fill(const struct policy_view *view, enum policy_field field,
                           const struct policy_candidate *candidates, size_t n,
                           union policy_value *out);

/* How a hook is answered: by the interpreter, or "lifted", without one. Texts live as long as the
 * policy. */
struct policy_hook_note {
    uint32_t line, column; /* where it begins */
    uint32_t is_lifted;
    uint32_t ops;          /* of the lifted hook, per element */
    uint64_t instructions; /* of the interpreter for one element, when it was tried at load */
    const char *name;
    const char *reason; /* why it is not lifted, "" if it is */
    uint32_t reason_line, reason_column;
    uint64_t spent, asked,
        kept; /* since cycle_begin: instructions, elements, and what was charged for kept answers */
};

/* What a cycle has been charged so far. */
struct policy_meter {
    uint64_t spent;
    struct {
        uint64_t spent, asked, kept;
    } hook[POLICY_HOOKS];
};

struct policy_ops {
    void (*destroy)(void *self);
    /* A cycle begins: the budget of the cycle starts anew. */
    void (*cycle_begin)(void *self);
    uint64_t (*instructions_spent)(const void *self); /* since cycle_begin */
    /* Charge the cycle for answers that the engine had kept: LSCHED_E_BUDGET when it cannot pay.
     * `hook` is for the message. */
    int32_t (*charge)(void *self, enum policy_hook hook, uint64_t instructions, lsched_error *err);
    /* Results: out[i] for jobs[i]. queues[i] is the row of its queue. NaN and infinities never come
     * out: they are an error. */
    int32_t (*priority)(void *self, const struct policy_view *view, const uint32_t *jobs,
                        const uint32_t *queues, size_t n, double *out, lsched_error *err);
    int32_t (*weight)(void *self, const struct policy_view *view, const uint32_t *queues, size_t n,
                      double *out, lsched_error *err); /* >= 0 */
    int32_t (*quota)(void *self, const struct policy_view *view, uint32_t queue,
                     struct policy_quota *out, lsched_error *err);
    int32_t (*admit)(void *self, const struct policy_view *view, const uint32_t *jobs,
                     const uint32_t *queues, size_t n, struct policy_admission *out,
                     lsched_error *err);
    /* keep[i] = 1 if the job may run on nodes[i]. */
    int32_t (*filter)(void *self, const struct policy_view *view, uint32_t job,
                      const uint32_t *nodes, size_t n, uint8_t *keep, lsched_error *err);
    int32_t (*score)(void *self, const struct policy_view *view, uint32_t job,
                     const uint32_t *nodes, size_t n, double *out, lsched_error *err);
    /* cost[i] of stopping candidates[i] so that `job` gets room: from 0, or POLICY_NEVER. */
    int32_t (*victim)(void *self, const struct policy_view *view, uint32_t job,
                      const struct policy_candidate *candidates, size_t n, double *cost,
                      lsched_error *err);
    /* As quota; an amount of HUGE_VAL is no bound. Kinds that are not named stay as configured. */
    int32_t (*limit)(void *self, const struct policy_view *view, uint32_t queue,
                     struct policy_quota *out, lsched_error *err);
    /* out[i] replaces the priority of queues[i] among its siblings: whole, from -(2^31-1) to
     * 2^31-1. */
    int32_t (*queue_order)(void *self, const struct policy_view *view, const uint32_t *queues,
                           size_t n, double *out, lsched_error *err);
    /* seconds[i] that jobs[i] may run: above 0, or POLICY_ANY_TIME. */
    int32_t (*time_limit)(void *self, const struct policy_view *view, const uint32_t *jobs,
                          const uint32_t *queues, size_t n, double *seconds, lsched_error *err);
    /* stop[i] = 1 if jobs[i], which runs, is to be stopped because it does nothing. */
    int32_t (*idle)(void *self, const struct policy_view *view, const uint32_t *jobs,
                    const uint32_t *queues, size_t n, uint8_t *stop, lsched_error *err);
    /* out[i]: tasks that jobs[i] needs to start, from 1 to the field `tasks` of the job; 0: as
     * submitted. */
    int32_t (*gang_minimum)(void *self, const struct policy_view *view, const uint32_t *jobs,
                            const uint32_t *queues, size_t n, uint32_t *out, lsched_error *err);
    /* out[i]: the placement strategy for jobs[i]. Whether there is such a strategy is for the
     * engine to see. */
    int32_t (*placement)(void *self, const struct policy_view *view, const uint32_t *jobs,
                         const uint32_t *queues, size_t n, struct policy_word *out,
                         lsched_error *err);
    /* What the load found that may go wrong with unusual objects, one text per hook; NULL after the
     * last. */
    const char *(*warning)(const void *self, uint32_t i);
    /* The actions of this cycle, in order. Whether they exist is for the engine to see. */
    int32_t (*pipeline)(void *self, const struct policy_view *view, struct policy_pipeline *out,
                        lsched_error *err);
    /* How a hook is answered. May be NULL. */
    void (*describe)(const void *self, enum policy_hook hook, struct policy_hook_note *out);
    /* The summands of the answer of a hook for a job (a queue) and a node (a queue): stores at most
     * `cap`, returns how many there are; 0: the policy cannot tell. May be NULL. */
    size_t (*terms)(void *self, const struct policy_view *view, enum policy_hook hook, uint32_t a,
                    uint32_t b, lsched_policy_term *out, size_t cap);
    /* The parameters in force, in the order of their keys: those of the text, with the caller's
     * values in their place. They live as long as the policy. */
    const lsched_param *(*params)(const void *self, uint32_t *n);
    /* For questions that belong to no cycle: read what it was charged, and put that back after
     * them. May be NULL. */
    void (*meter_get)(const void *self, struct policy_meter *out);
    void (*meter_set)(void *self, const struct policy_meter *meter);
};

struct policy {
    const struct policy_ops *ops;
    void *self;
    struct policy_desc desc;
};

#endif
