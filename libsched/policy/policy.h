/*
 * policy.h -- what the engine asks of a policy. No Lua here: the Lua host (lua/) and the built-in answer
 * (policy/builtin.c) both implement this table, and a host of another language could.
 *
 * The policy pulls what it needs: for every hook it says, once, which fields it reads (fields_read), and when it is
 * called it gets rows and asks `view->fill` for just those fields. So an unread field costs nothing, and the
 * engine knows what an answer may be cached by (a score that reads only SHAPE fields of the job is shared by all jobs
 * of the shape).
 *
 * Every call is a batch. Numbers are natural units (cores, GiB, GPUs, seconds). A call returns 0 or LSCHED_E_POLICY,
 * LSCHED_E_BUDGET, LSCHED_E_NOMEM, LSCHED_E_INTERRUPTED with err filled ("name:line:column: what"). A call that fails leaves
 * nothing behind: the next call works. The engine decides what failure means (DESIGN 6); the policy decides nothing.
 * One thread at a time. Nothing here may be kept after the call that passed it.
 */
#ifndef LIBSCHED_POLICY_H
#define LIBSCHED_POLICY_H

#include <libsched/libsched.h>

#include "base/alloc.h"

enum policy_object { POLICY_JOB, POLICY_QUEUE, POLICY_NODE, POLICY_OBJECTS };
enum policy_type { POLICY_NUMBER, POLICY_TEXT, POLICY_BOOL, POLICY_LABELS };
enum policy_scope {
    POLICY_SCOPE_SHAPE,
    POLICY_SCOPE_CLASS,
    POLICY_SCOPE_EACH,
    POLICY_SCOPE_STATE,
    POLICY_SCOPE_NOW
};

/* POLICY_F_JOB_NAME ... one running number over all objects, below 64 per object after subtraction. */
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

/* text.len is the byte length (never 0-for-NUL-terminated here). Borrowed until the hook returns. */
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
    /* Polled by the host at bounded intervals of its work; non-zero: stop with LSCHED_E_INTERRUPTED. May be NULL. */
    int (*interrupted)(void *engine);
};

struct policy_quota_entry {
    char kind[64]; /* resource kind by name, "gpu" */
    double amount; /* natural units; HUGE_VAL: unlimited */
};

enum {
    POLICY_QUOTA_ENTRIES_MAX = 16,
    POLICY_REASON_BYTES = 160,
    POLICY_PIPELINE_MAX = 16,
    POLICY_NAME_BYTES = 64
};

struct policy_quota {
    uint32_t given; /* 0: as configured */
    uint32_t n;
    struct policy_quota_entry entries[POLICY_QUOTA_ENTRIES_MAX];
    double until_s; /* holds until then; 0: ask again each refresh */
};

struct policy_admission {
    uint32_t admitted;
    char reason[POLICY_REASON_BYTES];
};

/* What is fixed at load. fields_read: bit f of word f/64. Unused hooks have zero words. */
struct policy_desc {
    char name[POLICY_NAME_BYTES];
    uint32_t hooks;      /* LSCHED_HOOK_* */
    uint64_t hash;       /* XXH3 over text and parameters */
    char fair_share[16]; /* "" = default */
    char placement[32];  /* "" = default */
    char order[32];      /* of jobs in a queue; "" = default */
    char pipeline[POLICY_PIPELINE_MAX][16];
    uint32_t n_pipeline; /* 0 = default */
    uint64_t fields_read[6]
                        [2]; /* by hook bit number: priority, quota, weight, admit, filter, score */
    uint32_t uses_now[6];    /* the hook reads the time */
};

struct policy_ops {
    void (*destroy)(void *self);
    /* A cycle begins: the budget of the cycle starts anew. */
    void (*cycle_begin)(void *self);
    uint64_t (*instructions_spent)(const void *self); /* since cycle_begin */
    /* Results: out[i] for jobs[i]. queues[i] is the row of its queue. NaN and infinities never come out: they are an error. */
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
};

struct policy {
    const struct policy_ops *ops;
    void *self;
    struct policy_desc desc;
};

#endif
