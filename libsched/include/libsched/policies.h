/*
 * policies.h -- policies in Lua: functions that load a policy and read its properties, its hooks
 * and the instructions that it has used.
 *
 * libsched.h includes this header and states the rules for structs, threads and ownership;
 * orchestrators include libsched.h. docs/policy-language.md describes the language.
 */
#ifndef LIBSCHED_POLICIES_H
#define LIBSCHED_POLICIES_H

#include <libsched/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The value of one parameter of a policy. Frozen layout, no size field. */
typedef struct lsched_param {
    lsched_text key;
    lsched_text text; /* the value; if text.ptr is NULL, `number` is the value */
    double number;
} lsched_param;

typedef struct lsched_policy_opts {
    uint32_t size;
    uint32_t n_params;
    const lsched_param *params;
    /* most Lua instructions for each element of a batch; 0: 1,000,000 */
    uint64_t instructions_per_call;
    uint64_t instructions_per_cycle; /* most Lua instructions in one cycle; 0: 500,000,000 */
    uint64_t memory_limit_bytes;     /* most memory of the policy, at most 64 MiB; 0: 4 MiB */
    /* after this many failed cycles in succession, the policy is ejected; 0: 3 */
    uint32_t failures_max;
    uint32_t reserved_zero;
} lsched_policy_opts;

/* Makes the Lua program `text` the cluster's policy. Before the new policy replaces the old one, it
 * is built, checked and run on trial objects. On error, the old policy stays. If text is empty,
 * `name` is the name of a ready-made policy. `name` also appears in error messages
 * ("name:line:column: ..."). LSCHED_E_NOENT: no ready-made policy has the name; LSCHED_E_INVAL: the
 * name is empty or longer than 63 bytes; LSCHED_E_NOLUA: the text needs LuaJIT, which
 * cannot be loaded. With line and column: LSCHED_E_SYNTAX, LSCHED_E_KEY, LSCHED_E_TYPE,
 * LSCHED_E_POLICY (it failed on trial objects), LSCHED_E_BUDGET (it needs too many instructions). */
LSCHED_API int32_t lsched_policy_load(lsched_cluster *cluster, lsched_text name, lsched_text text,
                                      const lsched_policy_opts *opts, lsched_error *err);
/* A ready-made policy. The texts are static and NUL-terminated. */
typedef struct lsched_ready_policy {
    uint32_t size;
    uint32_t reserved_zero;
    lsched_text name;
    lsched_text text;
} lsched_ready_policy;
/* The number of ready-made policies; writes policy i to *out. The text is empty if the policy has
 * hooks and the library was built without Lua. LSCHED_E_NOENT: past the end. */
LSCHED_API size_t lsched_ready_policies_size(void);
LSCHED_API int32_t lsched_ready_policies_at(size_t i, lsched_ready_policy *out, lsched_error *err);

typedef struct lsched_policy_info {
    uint32_t size;
    uint32_t hooks;    /* mask of the hooks that the policy has: LSCHED_HOOK_* */
    uint64_t hash;     /* hash of text and parameters; 0: the built-in policy is used */
    uint32_t failures; /* number of failed cycles in succession */
    uint32_t ejected;
    uint64_t instructions_spent; /* Lua instructions that the latest cycle used */
    char name[64];
    char placement[32];
    char fair_share[16];
    char last_error[LSCHED_MESSAGE_BYTES];
    char order[32];
    char pipeline[512]; /* names of the pipeline's actions, separated by spaces */
    /* settings of `eviction`, as words of the language; the numbers below belong to it, too */
    char protection[16], victims[16];
    int64_t release_us, grace_us, preemption_delay_us, stale_grace_us;
    uint64_t evictions_per_hour; /* most evictions in an hour; 0: any number */
    uint32_t moves_max, saturation_milli;
    int64_t usage_half_life_us, usage_window_us, usage_weight_milli;
} lsched_policy_info;
/* One bit for each hook that a policy can have: LSCHED_HOOK_PRIORITY, LSCHED_HOOK_QUOTA ... */
enum lsched_hook {
#define LSCHED_X_HOOK(NAME, number, name, first, each, second, also, answer) \
    LSCHED_HOOK_##NAME = 1 << number,
#include <libsched/hooks.def>
};
/* Writes the record of the policy in force to *out. Errors: those of every call. */
LSCHED_API int32_t lsched_policy_get(const lsched_cluster *cluster, lsched_policy_info *out,
                                     lsched_error *err);
/* Returns warning i, "name:line:column: ...", NULL after the last one. A warning says that a hook
 * failed in a trial run with an unusual object: without GPUs, without labels, or with a quota of 0
 * or none. Such a failure does not make lsched_policy_load fail; a failure with typical objects
 * does. There is at most one warning per hook. */
LSCHED_API const char *lsched_policy_warnings_at(const lsched_cluster *cluster, size_t i);
LSCHED_API size_t lsched_policy_warnings_size(const lsched_cluster *cluster);
/* Writes a line for each part of the policy's tables of kinds of work that fits nothing in the
 * cluster as it is now: a model that no node has, a kind of work that no job names, a kind that a
 * job names and no table has, nodes without the price that the table compares. Returns the length
 * of the whole text, as snprintf does, or an error. capacity 0: buf can be NULL. */
LSCHED_API int64_t lsched_policy_misfits(const lsched_cluster *cluster, char *buf, size_t capacity,
                                         lsched_error *err);

/* Information on a hook of the policy. A hook is compiled (`lifted`), or a construct in its text
 * prevents that. A compiled hook gives the same answers as a hook that runs in Lua. */
typedef struct lsched_policy_hook_info {
    uint32_t size;
    uint32_t hook;         /* LSCHED_HOOK_* */
    uint32_t line, column; /* line and column at which the hook's function begins */
    uint32_t lifted;       /* 1: the hook is compiled and runs on whole columns */
    /* number of operations of the compiled hook; each element counts as a quarter of this number of
     * instructions */
    uint32_t ops;
    /* line and column of the first construct that prevents compilation */
    uint32_t reason_line, reason_column;
    /* Lua instructions for one element in the trial run of lsched_policy_load */
    uint64_t instructions;
    char name[24];
    char reason[160]; /* why the hook is not compiled; "" if it is */
    /* fields that the hook reads: bit f % 64 of word f / 64 is the field with the number f in
     * <libsched/fields.def> */
    uint64_t fields_read[2];
    uint32_t reads_now; /* 1: the answer depends on the time, because of `now` or a field */
    uint32_t reserved_zero;
    /* Numbers of the latest cycle. `spent`: instructions that the hook used. `asked`: elements
     * (jobs, nodes, queues ...) for which the hook was called. `kept`: instructions that were
     * charged for answers kept from earlier calls. lsched_policy_terms sets all three to 0
     * first. */
    uint64_t spent, asked, kept;
} lsched_policy_hook_info;
/* Writes the information on the policy's hook i to *out. The hooks that the policy has are numbered
 * from 0, in the order of their bits. LSCHED_E_NOENT: the policy has fewer hooks. */
LSCHED_API size_t lsched_policy_hooks_size(const lsched_cluster *cluster);
LSCHED_API int32_t lsched_policy_hooks_at(const lsched_cluster *cluster, size_t i,
                                          lsched_policy_hook_info *out, lsched_error *err);

/* One summand of a compiled hook's answer for a job and, for the hook score, a node. Frozen layout,
 * no size field. */
typedef struct lsched_policy_term {
    double value; /* signed value */
    uint32_t line, column;
    char text[96]; /* source text of the summand on one line, cut off if it is too long */
} lsched_policy_term;
/* Evaluates LSCHED_HOOK_PRIORITY, _PREEMPT_PRIORITY, _WEIGHT (of the job's queue), _SCORE,
 * _TIME_LIMIT or _QUEUE_ORDER at now_us on the live state. *value becomes the answer. Writes at most `capacity` summands of the
 * answer and returns their number, also if it is greater; 0 if the hook is not compiled. `node` is
 * read for _SCORE only. LSCHED_E_NOENT: the policy has no such hook;
 * LSCHED_E_POLICY: the hook failed. */
LSCHED_API int32_t lsched_policy_terms(const lsched_cluster *cluster, uint32_t hook, lsched_id job,
                                       lsched_id node, int64_t now_us, lsched_policy_term *terms,
                                       size_t capacity, double *value, lsched_error *err);

#ifdef __cplusplus
}
#endif
#endif
