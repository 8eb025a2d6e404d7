/* lua_smoke.c -- see lua_smoke.h. */
#include "lua/host/lua_smoke.h"

#include <math.h>
#include <string.h>

#include "lua/host/lua_unused.h"
#include "lua/host/lua_hooks.h"

/* Rows of the made-up objects. TRIALS is the number of rows. */
enum { TYPICAL, EMPTY, LARGE, TRIALS };

static const double numbers[POLICY_FIELDS][TRIALS] = {
    [POLICY_F_JOB_PRIORITY] = {50, 0, -1000000},
    [POLICY_F_JOB_WAITING] = {600, 0, 2592000},
    [POLICY_F_JOB_SUBMITTED] = {1699999400, 1700000000, 1697408000},
    [POLICY_F_JOB_DURATION] = {3600, 0, 2592000},
    [POLICY_F_JOB_DEADLINE] = {1700010000, 0, 1699990000},
    [POLICY_F_JOB_TASKS] = {2, 1, 512},
    [POLICY_F_JOB_TASKS_MIN] = {2, 1, 512},
    [POLICY_F_JOB_TASKS_PLACED] = {0, 0, 256},
    [POLICY_F_JOB_CPU] = {1, 0, 64},
    [POLICY_F_JOB_MEMORY] = {1, 0, 512},
    [POLICY_F_JOB_GPU] = {1, 0, 8},
    [POLICY_F_JOB_GPU_MEMORY] = {1, 0, 80},
    [POLICY_F_JOB_CPU_TOTAL] = {2, 0, 32768},
    [POLICY_F_JOB_MEMORY_TOTAL] = {2, 0, 262144},
    [POLICY_F_JOB_GPU_TOTAL] = {2, 0, 4096},
    [POLICY_F_JOB_TIME_LIMIT] = {7200, HUGE_VAL, 60},
    [POLICY_F_JOB_RUNTIME] = {600, 0, 2592000},
    [POLICY_F_JOB_GPU_UTILIZATION] = {0.5, 1, 0},
    [POLICY_F_JOB_CHECKPOINT] = {1800, 0, 86400},
    [POLICY_F_JOB_IDLE] = {60, 0, 2592000},
    [POLICY_F_QUEUE_DEPTH] = {1, 0, 15},
    [POLICY_F_QUEUE_PRIORITY] = {1, 0, -1000000},
    [POLICY_F_QUEUE_JOBS] = {3, 0, 1000000},
    [POLICY_F_QUEUE_JOBS_PENDING] = {1, 0, 1000000},
    [POLICY_F_QUEUE_CPU_USED] = {1, 0, 32768},
    [POLICY_F_QUEUE_MEMORY_USED] = {1, 0, 262144},
    [POLICY_F_QUEUE_GPU_USED] = {1, 0, 4096},
    [POLICY_F_QUEUE_GPU_QUOTA] = {64, 0, HUGE_VAL},
    [POLICY_F_QUEUE_CPU_QUOTA] = {64, 0, HUGE_VAL},
    [POLICY_F_QUEUE_MEMORY_QUOTA] = {64, 0, HUGE_VAL},
    [POLICY_F_QUEUE_GPU_QUOTA_NOW] = {64, 0, HUGE_VAL},
    [POLICY_F_QUEUE_GPU_LIMIT] = {128, 0, HUGE_VAL},
    [POLICY_F_QUEUE_GPU_LIMIT_NOW] = {128, 0, HUGE_VAL},
    [POLICY_F_QUEUE_GPU_USED_DECAYED] = {12, 0, 1e9},
    [POLICY_F_NODE_CPU] = {96, 8, 512},
    [POLICY_F_NODE_CPU_FREE] = {32, 0, 512},
    [POLICY_F_NODE_MEMORY] = {1024, 16, 8192},
    [POLICY_F_NODE_MEMORY_FREE] = {32, 0, 8192},
    [POLICY_F_NODE_GPU] = {8, 0, 16},
    [POLICY_F_NODE_GPU_FREE] = {5.5, 0, 16},
    [POLICY_F_NODE_GPU_WHOLE_FREE] = {5, 0, 16},
    [POLICY_F_NODE_TASKS] = {1, 0, 1000},
    [POLICY_F_NODE_PRICE] = {1, 0, 1000},
    [POLICY_F_NODE_POWER] = {1, 0, 10000},
    [POLICY_F_CLUSTER_NODES] = {100, 0, 5000},
    [POLICY_F_CLUSTER_CPU] = {9600, 0, 1000000},
    [POLICY_F_CLUSTER_CPU_FREE] = {3200, 0, 1000000},
    [POLICY_F_CLUSTER_MEMORY] = {102400, 0, 10000000},
    [POLICY_F_CLUSTER_MEMORY_FREE] = {32000, 0, 10000000},
    [POLICY_F_CLUSTER_GPU] = {800, 0, 40000},
    [POLICY_F_CLUSTER_GPU_FREE] = {300.5, 0, 40000},
    [POLICY_F_CLUSTER_JOBS] = {300, 0, 1000000},
    [POLICY_F_CLUSTER_JOBS_PENDING] = {100, 0, 1000000},
    [POLICY_F_CLUSTER_JOBS_RUNNING] = {200, 0, 0},
};

static const char *const trial_names[TRIALS] = {"trial", "trial-empty", "trial-large"};

static lsched_text trial_text(enum policy_field field, uint32_t row) {
    int is_empty =
        row == EMPTY && (field == POLICY_F_JOB_USER || field == POLICY_F_JOB_USER_GROUP ||
                         field == POLICY_F_JOB_EXCLUSIVE_LEVEL || field == POLICY_F_QUEUE_PARENT ||
                         field == POLICY_F_NODE_GPU_MODEL);
    return is_empty ? (lsched_text){"", 0}
                    : (lsched_text){trial_names[row], strlen(trial_names[row])};
}

static void smoke_fill(void *engine, enum policy_field field, const uint32_t *rows, size_t n,
                       union policy_value *out) {
    for (size_t i = 0; i < n; i++) {
        /* there is only one cluster; `engine` points to the row of the made-up cluster */
        uint32_t row = policy_field_infos[field].object == POLICY_CLUSTER
                           ? *(const uint32_t *)engine
                           : rows[i];
        switch (policy_field_infos[field].type) {
        case POLICY_NUMBER: out[i].number = numbers[field][row]; break;
        case POLICY_BOOL: out[i].boolean = row != EMPTY; break;
        default: out[i].text = trial_text(field, row);
        }
    }
}

/* Every label of a made-up node has the value "1", which is valid as a text and as a number. The
 * empty node has no labels. */
static int smoke_label(void *engine, uint32_t node, const char *key, size_t key_len,
                       lsched_text *value) {
    (void)engine, (void)key, (void)key_len;
    *value = (lsched_text){"1", 1};
    return node != EMPTY;
}

#define SMOKE_GIB ((int64_t)1 << 30)
#define HOUR      INT64_C(3600000000)
static const struct policy_candidate candidates[TRIALS] = {
    {TYPICAL, TYPICAL, 1, 1, 8000, 64 * SMOKE_GIB, 1000, 2 * HOUR, HOUR / 6, HOUR / 60, 0, 0},
    {EMPTY, EMPTY, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {LARGE, LARGE, 512, 1, 32768000, 262144 * SMOKE_GIB, 4096000, 720 * HOUR, 720 * HOUR, HOUR, 9,
     0},
};

/* Records the names of algorithms that a trial run returned. The engine checks these names later,
 * because an unknown name is a typing error. */
static void note_words(struct lua_host *host, enum policy_hook hook,
                       const struct policy_word *words, uint32_t n) {
    struct policy_desc *d = &host->desc;
    for (uint32_t i = 0; i < n && words[i].word[0]; i++) {
        uint32_t at = 0;
        while (at < d->n_tried &&
               (d->tried[at].hook != hook || strcmp(d->tried[at].word.word, words[i].word) != 0))
            at++;
        if (at < d->n_tried || at == POLICY_TRIED_MAX) continue;
        d->tried[d->n_tried++] = (struct policy_tried){hook, words[i]};
    }
}

union trial_answer {
    double number;
    uint32_t minimum;
    uint8_t truth;
    struct policy_admission admission;
    struct policy_quota amounts;
    struct policy_word word;
    struct policy_pipeline pipeline;
};

/* Records facts about the answer that the warnings and the engine's checks use. */
static void note_answer(struct lua_host *host, uint32_t number, uint32_t a,
                        const union trial_answer *answer) {
    struct hook *hook = &host->hooks[number];
    switch (number) {
    case POLICY_HOOK_LIMIT:
    case POLICY_HOOK_QUOTA: unused_note_amounts(hook, &answer->amounts, a == TYPICAL); break;
    case POLICY_HOOK_ADMIT: unused_note_trial(hook, (int)answer->admission.admitted); break;
    case POLICY_HOOK_FILTER: unused_note_trial(hook, answer->truth); break;
    case POLICY_HOOK_TIME_LIMIT: unused_note_number(hook, answer->number); break;
    case POLICY_HOOK_PLACEMENT: note_words(host, number, &answer->word, 1); break;
    case POLICY_HOOK_PIPELINE:
        note_words(host, number, answer->pipeline.actions, answer->pipeline.n);
        break;
    default: break;
    }
}

/* Runs one hook with the made-up objects a and b. What the objects are depends on the hook: for
 * example a job and its queue, a job and a node, or a queue. */
static int32_t trial(struct lua_host *host, uint32_t hook, uint32_t a, uint32_t b,
                     lsched_error *err) {
    const struct policy_view view = {
        .engine = &a, .now_s = 1700000000, .fill = smoke_fill, .label = smoke_label};
    struct hook_arguments of = {&a, &b, NULL, 1};
    union trial_answer answer;
    host->spent = 0;
    if (hook == POLICY_HOOK_VICTIM) of.b = NULL, of.candidates = &candidates[b];
    int32_t rc = hooks_ask(host, &view, (enum policy_hook)hook, &of, &answer, err);
    if (rc == LSCHED_OK) note_answer(host, hook, a, &answer);
    return rc;
}

/* Runs the hook with empty and large objects. Only the first failure becomes a warning. Returns an
 * error only if the orchestrator's allocator fails. */
static int32_t trials(struct lua_host *host, uint32_t hook) {
    int pairs = hook_kinds[hook].n_objects > 1;
    for (uint32_t i = 1; i < (uint32_t)(pairs ? TRIALS * TRIALS : TRIALS); i++) {
        lsched_error err = LSCHED_ERROR_INIT;
        int32_t rc =
            pairs ? trial(host, hook, i / TRIALS, i % TRIALS, &err) : trial(host, hook, i, 0, &err);
        if (rc == LSCHED_E_NOMEM && host->refused == REFUSED_BY_HOST) return rc;
        if (rc == LSCHED_OK) continue;
        if (host->n_warnings == HOST_WARNINGS_MAX) break;
        memcpy(host->warnings[host->n_warnings++], err.message, sizeof err.message);
        break;
    }
    return LSCHED_OK;
}

int32_t smoke_run(struct lua_host *host, lsched_error *err) {
    for (uint32_t i = 0; i < HOST_HOOKS; i++) {
        if (!host->hooks[i].present) continue;
        int32_t rc = trial(host, i, TYPICAL, TYPICAL, err);
        if (rc < 0) return rc;
        host->hooks[i].trial_instructions = host->spent;
    }
    for (uint32_t i = 0; i < HOST_HOOKS; i++) {
        int32_t rc = host->hooks[i].present ? trials(host, i) : LSCHED_OK;
        if (rc < 0) return rc;
    }
    unused_warn_trials(host, TRIALS * TRIALS);
    host->spent = 0;
    return LSCHED_OK;
}
