/* lua_hooks.c -- see lua_hooks.h. */
#include "lua/front/policy_keys.h"
#include "lua/host/lua_hooks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lua/host/lua_batch.h"
#include "lua/host/lua_length.h"
#include "lua/state/lua_value.h"
#include "lua/host/lua_definition.h"
#include "lua/host/lua_lift_run.h"
#include "lua/host/lua_policy.h"

#define YEARS_10 315360000.0 /* ten years in seconds */
/* largest amount of cpu (cores), memory (GiB, so an exbibyte) and gpu (GPUs) */
enum { AMOUNT_MAX = 1 << 30 };

/* ---- results ---- */

static _Noreturn void refuse_result(struct lua_host *host, const struct batch *batch, size_t i,
                                    const char *expected, const char *got) {
    const struct hook *hook = &host->hooks[batch->hook];
    fault_at(&host->fault, LSCHED_E_POLICY, hook->line, hook->column, "must return %s, got %s",
             expected, got);
    host->fault.element = (int64_t)(batch->begin + i);
    host_throw(host);
}

/* Describes the value on top of the stack for a message. The value has another type than the hook
 * should return. */
static const char *got_value(struct lua_host *host, struct value_text *space) {
    if (host->api.type(host->L, -1) == LUA_TNIL) return "nothing (is there a return?)";
    *space = value_describe(host, -1);
    return space->text;
}

/* Checks that the value on top of the stack is a finite number. Returns a description of the wrong
 * value for a message, or NULL if it is a finite number. */
static const char *bad_number(struct lua_host *host, struct value_text *space) {
    const struct luajit_api *api = &host->api;
    if (api->type(host->L, -1) != LUA_TNUMBER) return got_value(host, space);
    double x = api->tonumber(host->L, -1);
    return x != x ? "NaN (0/0?)" : isinf(x) ? "infinity (a division by 0?)" : NULL;
}

/* Reads the results i to i + n - 1 as numbers. Returns 0 if one of them is not a finite number. A
 * finite number needs no other check, and nearly all results are finite numbers. */
static int take_finite(struct lua_host *host, size_t i, size_t n, double *out) {
    const struct luajit_api *api = &host->api;
    lua_State *L = host->L;
    int top = api->gettop(L), finite = 1;
    for (size_t k = 0; k < n; k++) api->rawgeti(L, top, (int)(i + k) + 1);
    for (size_t k = 0; k < n && finite; k++) {
        finite = api->type(L, top + 1 + (int)k) == LUA_TNUMBER;
        out[k] = finite ? api->tonumber(L, top + 1 + (int)k) : 0;
        finite &= out[k] - out[k] == 0;
    }
    api->settop(L, top);
    return finite;
}

static void take_number(struct lua_host *host, const struct batch *batch, size_t i, void *out) {
    struct value_text space;
    const char *wrong = bad_number(host, &space);
    if (wrong) refuse_result(host, batch, i, "a number", wrong);
    *(double *)out = host->api.tonumber(host->L, -1);
}

static void take_weight(struct lua_host *host, const struct batch *batch, size_t i, void *out) {
    take_number(host, batch, i, out);
    if (*(double *)out < 0) refuse_result(host, batch, i, "a number from 0", "a negative one");
}

static void take_cost(struct lua_host *host, const struct batch *batch, size_t i, void *out) {
    struct value_text space;
    double *cost = out;
    *cost = POLICY_NEVER;
    if (host->api.type(host->L, -1) == LUA_TNIL) return;
    const char *wrong = bad_number(host, &space);
    *cost = wrong ? 0 : host->api.tonumber(host->L, -1);
    if (*cost < 0) wrong = "a negative one";
    if (wrong) refuse_result(host, batch, i, "nil or a number from 0", wrong);
}

static void take_truth(struct lua_host *host, const struct batch *batch, size_t i, void *out) {
    struct value_text space;
    if (host->api.type(host->L, -1) != LUA_TBOOLEAN)
        refuse_result(host, batch, i, "true or false", got_value(host, &space));
    *(uint8_t *)out = (uint8_t)host->api.toboolean(host->L, -1);
}

/* Copies a reason as one line. A longer reason is cut off after its last whole UTF-8 character that
 * fits. */
static void copy_reason(char *out, const char *text, size_t len) {
    size_t n = len < POLICY_REASON_BYTES ? len : POLICY_REASON_BYTES - 1;
    while (n < len && n > 0 && ((unsigned char)text[n] & 0xC0u) == 0x80u) n--;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];
        out[i] = (char)(c < 0x20 || c == 0x7F ? ' ' : c);
    }
    out[n] = '\0';
}

static void take_admission(struct lua_host *host, const struct batch *batch, size_t i, void *out) {
    const struct luajit_api *api = &host->api;
    struct policy_admission *admission = out;
    struct value_text space;
    uint8_t admitted;
    take_truth(host, batch, i, &admitted);
    admission->admitted = admitted;
    admission->reason[0] = '\0';
    api->rawgeti(host->L, LUA_REGISTRYINDEX, SLOT_WHY);
    api->rawgeti(host->L, -1, (int)i + 1);
    int type = api->type(host->L, -1);
    if (type != LUA_TNIL && type != LUA_TSTRING)
        refuse_result(host, batch, i, "a string as the reason", got_value(host, &space));
    if (type == LUA_TSTRING && !admitted) {
        size_t len;
        const char *text = api->tolstring(host->L, -1, &len);
        copy_reason(admission->reason, text, len);
    }
}

/* Refuses an amount that no cluster can have, because the policy has probably given it in another
 * unit, such as bytes. */
static void check_unit(struct lua_host *host, const struct batch *batch,
                       const struct policy_quota_entry *entry) {
    static const char *const units[][3] = {{"memory", "GiB", "bytes"},
                                           {"cpu", "cores", "thousandths"},
                                           {"gpu", "GPUs", "thousandths"}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(entry->kind, units[i][0]) != 0 || entry->amount <= AMOUNT_MAX) continue;
        char expected[80], got[sizeof(struct value_text) + 16];
        snprintf(expected, sizeof expected, "%s in %s, at most %d or math.huge", entry->kind,
                 units[i][1], AMOUNT_MAX);
        snprintf(got, sizeof got, "%s (%s?)", value_describe(host, -1).text, units[i][2]);
        refuse_result(host, batch, 0, expected, got);
    }
}

/* Copies the resource kinds of the table at this stack index to out->entries, in byte order. The
 * order of a Lua table would not do: the first error found must be the same in every process. */
static void take_quota_kinds(struct lua_host *host, const struct batch *batch, int table,
                             struct policy_quota *out) {
    const struct luajit_api *api = &host->api;
    uint32_t n = 0, others = 0;
    api->pushnil(host->L);
    for (; api->next(host->L, table); api->settop(host->L, -2)) {
        struct policy_quota_entry entry = {{0}, 0};
        size_t len = 0;
        const char *kind =
            api->type(host->L, -2) == LUA_TSTRING ? api->tolstring(host->L, -2, &len) : "";
        if (len == 0 || len >= sizeof entry.kind || memchr(kind, '\0', len)) {
            others++;
            continue;
        }
        if (++n > POLICY_QUOTA_ENTRIES_MAX) continue;
        memcpy(entry.kind, kind, len);
        uint32_t at = out->n++;
        for (; at > 0 && strcmp(out->entries[at - 1].kind, entry.kind) > 0; at--)
            out->entries[at] = out->entries[at - 1];
        out->entries[at] = entry;
    }
    if (others)
        refuse_result(host, batch, 0, "a table of resource kinds and amounts", "another key");
    if (n > POLICY_QUOTA_ENTRIES_MAX) refuse_result(host, batch, 0, "at most 16 kinds", "more");
}

/* Copies the amount on top of the stack to entry->amount, after checking it. */
static void take_quota_amount(struct lua_host *host, const struct batch *batch,
                              struct policy_quota_entry *entry) {
    struct value_text space;
    const char *wrong = bad_number(host, &space);
    entry->amount = host->api.tonumber(host->L, -1);
    if (wrong && entry->amount != HUGE_VAL)
        refuse_result(host, batch, 0, "amounts that are numbers", wrong);
    if (!wrong) check_unit(host, batch, entry);
    if (entry->amount < 0) refuse_result(host, batch, 0, "amounts from 0", "a negative one");
}

/* Returns the hook's second result, which is on top of the stack: the time at which the amounts
 * end, in seconds, or 0 if there is none. */
static double take_until(struct lua_host *host, const struct batch *batch) {
    struct value_text space;
    if (host->api.type(host->L, -1) == LUA_TNIL) return 0;
    const char *wrong = bad_number(host, &space);
    if (wrong) refuse_result(host, batch, 0, "a time as the second value", wrong);
    double until_s = host->api.tonumber(host->L, -1), now_s = host->view->now_s;
    if (until_s < 0)
        wrong = "a negative one";
    else if (until_s > now_s + YEARS_10)
        wrong = "a time more than ten years ahead (is it in microseconds?)";
    else if (until_s < YEARS_10 && now_s > 2 * YEARS_10)
        /* If the orchestrator's clock does not begin at 1970, `now` is small, and a time before
         * 1980 is accepted. */
        wrong = "a time before 1980 (is it a duration? then add now)";
    if (wrong)
        refuse_result(host, batch, 0, "a time since 1970 in seconds as the second value", wrong);
    return until_s;
}

static void take_quota(struct lua_host *host, const struct batch *batch, size_t i, void *out) {
    const struct luajit_api *api = &host->api;
    struct policy_quota *quota = out;
    struct value_text space;
    int table = api->gettop(host->L), type = api->type(host->L, table);
    memset(quota, 0, sizeof *quota);
    if (type != LUA_TNIL && type != LUA_TTABLE)
        refuse_result(host, batch, i, "nil or a table such as { gpu = 8 }",
                      got_value(host, &space));
    api->rawgeti(host->L, LUA_REGISTRYINDEX, SLOT_WHY);
    api->rawgeti(host->L, -1, (int)i + 1);
    quota->until_s = take_until(host, batch);
    api->settop(host->L, table);
    if (type == LUA_TNIL) return;
    quota->given = 1;
    take_quota_kinds(host, batch, table, quota);
    for (uint32_t k = 0; k < quota->n; k++) {
        const char *kind = quota->entries[k].kind;
        api->pushlstring(host->L, kind, strlen(kind));
        api->rawget(host->L, table);
        take_quota_amount(host, batch, &quota->entries[k]);
        api->settop(host->L, table);
    }
}

/* Rounds the answer of `queue_order` to the nearest whole number; halves are rounded away from
 * zero. */
static void round_order(struct lua_host *host, const struct batch *batch, size_t i, double *order) {
    double x = *order < 0 ? *order - 0.5 : *order + 0.5;
    if (x <= -2147483648.0 || x >= 2147483648.0)
        refuse_result(host, batch, i, "a number from -2147483647 to 2147483647",
                      x < 0 ? "a smaller one" : "a larger one");
    *order = (double)(int64_t)x;
}

static void take_time_limit(struct lua_host *host, const struct batch *batch, size_t i, void *out) {
    const struct luajit_api *api = &host->api;
    struct value_text space;
    double *limit = out;
    *limit = POLICY_ANY_TIME;
    if (api->type(host->L, -1) == LUA_TNIL) return;
    const char *wrong = bad_number(host, &space);
    *limit = api->tonumber(host->L, -1);
    if (wrong && api->type(host->L, -1) == LUA_TNUMBER && *limit == POLICY_ANY_TIME)
        wrong = NULL; /* math.huge, which means no time limit */
    else if (!wrong && *limit <= 0)
        wrong = *limit < 0 ? "a negative number" : "0";
    else if (!wrong && *limit > YEARS_10)
        wrong = "more than ten years (is it in microseconds?)";
    if (wrong) refuse_result(host, batch, i, "nil or seconds above 0", wrong);
}

/* Stores the answer of the hook `idle`. nil counts as false: if the hook has an `if` without
 * `else`, the job keeps running. */
static void take_idle(struct lua_host *host, const struct batch *batch, size_t i, void *out) {
    struct value_text space;
    int type = host->api.type(host->L, -1);
    if (type != LUA_TNIL && type != LUA_TBOOLEAN)
        refuse_result(host, batch, i, "true, false or nil", got_value(host, &space));
    *(uint8_t *)out = (uint8_t)host->api.toboolean(host->L, -1);
}

static void take_minimum(struct lua_host *host, const struct batch *batch, size_t i, void *out) {
    struct value_text space;
    union policy_value tasks;
    char expected[96], got[32];
    *(uint32_t *)out = 0;
    if (host->api.type(host->L, -1) == LUA_TNIL) return;
    host->view->fill(host->view->engine, POLICY_F_JOB_TASKS, batch->rows[0] + batch->begin + i, 1,
                     &tasks);
    const char *wrong = bad_number(host, &space);
    double x = wrong ? 0 : host->api.tonumber(host->L, -1);
    int is_whole = x > -1e15 && x < 1e15 && x == (double)(int64_t)x;
    if (!wrong && (!is_whole || x < 1 || x > tasks.number)) {
        snprintf(got, sizeof got, "%lld", is_whole ? (long long)x : 0);
        wrong = is_whole ? got : "a fraction";
    }
    snprintf(expected, sizeof expected, "nil or a whole number from 1 to %llu, the job's tasks",
             (unsigned long long)tasks.number);
    if (wrong) refuse_result(host, batch, i, expected, wrong);
    *(uint32_t *)out = (uint32_t)x;
}

/* Copies the string on top of the stack to `out`, after checking that it is a name of an
 * algorithm. */
static void take_name(struct lua_host *host, const struct batch *batch, size_t i,
                      const char *expected, struct policy_word *out) {
    const struct luajit_api *api = &host->api;
    struct value_text space;
    size_t len = 0;
    if (api->type(host->L, -1) != LUA_TSTRING)
        refuse_result(host, batch, i, expected, got_value(host, &space));
    const char *text = api->tolstring(host->L, -1, &len);
    if (len >= sizeof out->word || !policy_keys_is_word(text, len))
        refuse_result(host, batch, i, expected, len ? "another text" : "an empty one");
    memcpy(out->word, text, len);
    out->word[len] = '\0';
}

static void take_strategy(struct lua_host *host, const struct batch *batch, size_t i, void *out) {
    struct policy_word *word = out;
    word->word[0] = '\0';
    if (host->api.type(host->L, -1) != LUA_TNIL)
        take_name(host, batch, i, "nil or the name of a strategy", word);
}

static void take_pipeline(struct lua_host *host, const struct batch *batch, size_t i, void *out) {
    static const char expected[] = "nil or a list of 1 to 16 names of actions";
    const struct luajit_api *api = &host->api;
    struct policy_pipeline *pipeline = out;
    memset(pipeline, 0, sizeof *pipeline);
    int type = api->type(host->L, -1);
    if (type == LUA_TNIL) return;
    size_t items = type == LUA_TTABLE ? list_length(host, api->gettop(host->L)) : 0;
    if (items == 0 || items > POLICY_PIPELINE_MAX)
        refuse_result(host, batch, i, expected,
                      type != LUA_TTABLE ? api->typename(host->L, type)
                      : items == 0       ? "an empty one"
                                         : "a longer one");
    pipeline->given = 1;
    pipeline->n = (uint32_t)items;
    for (size_t k = 0; k < items; k++) {
        api->rawgeti(host->L, -1, (int)k + 1);
        take_name(host, batch, i, expected, &pipeline->actions[k]);
        api->settop(host->L, -2);
    }
}

/* For each hook: `bytes` is the size of one answer. `take` checks the result of element i of the
 * chunk, which is on top of the stack, and stores the answer at `out`. `take` is allowed to leave
 * values on the stack. */
static const struct hook_result {
    size_t bytes;
    void (*take)(struct lua_host *host, const struct batch *batch, size_t i, void *out);
} results[POLICY_HOOKS] = {
    [POLICY_HOOK_PRIORITY] = {sizeof(double), take_number},
    [POLICY_HOOK_QUOTA] = {sizeof(struct policy_quota), take_quota},
    [POLICY_HOOK_WEIGHT] = {sizeof(double), take_weight},
    [POLICY_HOOK_ADMIT] = {sizeof(struct policy_admission), take_admission},
    [POLICY_HOOK_FILTER] = {sizeof(uint8_t), take_truth},
    [POLICY_HOOK_SCORE] = {sizeof(double), take_number},
    [POLICY_HOOK_VICTIM] = {sizeof(double), take_cost},
    [POLICY_HOOK_LIMIT] = {sizeof(struct policy_quota), take_quota},
    [POLICY_HOOK_QUEUE_ORDER] = {sizeof(double), take_number},
    [POLICY_HOOK_TIME_LIMIT] = {sizeof(double), take_time_limit},
    [POLICY_HOOK_IDLE] = {sizeof(uint8_t), take_idle},
    [POLICY_HOOK_GANG_MINIMUM] = {sizeof(uint32_t), take_minimum},
    [POLICY_HOOK_PLACEMENT] = {sizeof(struct policy_word), take_strategy},
    [POLICY_HOOK_PIPELINE] = {sizeof(struct policy_pipeline), take_pipeline},
    [POLICY_HOOK_PREEMPT_PRIORITY] = {sizeof(double), take_number},
};

static void take_results(struct lua_host *host, struct batch *batch, size_t n) {
    /* results that are read together; so many fit in the stack slots that LuaJIT guarantees */
    enum { AT_ONCE = 8 };
    const struct hook_result *result = &results[batch->hook];
    char *out = (char *)batch->out + batch->begin * batch->out_bytes;
    host->api.rawgeti(host->L, LUA_REGISTRYINDEX, SLOT_OUT);
    int top = host->api.gettop(host->L);
    for (size_t i = 0, m; i < n; i += m) {
        m = n - i < AT_ONCE ? n - i : AT_ONCE;
        if (result->take == take_number && take_finite(host, i, m, (double *)(void *)out + i))
            continue;
        m = 1;
        host->api.rawgeti(host->L, -1, (int)i + 1);
        result->take(host, batch, i, out + i * batch->out_bytes);
        host->api.settop(host->L, top);
    }
    for (size_t i = 0; batch->hook == POLICY_HOOK_QUEUE_ORDER && i < n; i++)
        round_order(host, batch, i, (double *)(void *)out + i);
}

int32_t hooks_ask(struct lua_host *host, const struct policy_view *view, enum policy_hook hook,
                  const struct hook_arguments *of, void *out, lsched_error *err) {
    struct batch batch = {.hook = hook,
                          .rows = {of->a, of->b},
                          .n = of->n,
                          .take = take_results,
                          .out = out,
                          .candidates = of->candidates,
                          .out_bytes = results[hook].bytes};
    return batch_run(host, view, &batch, err);
}

/* ---- policy_ops ---- */

static void ops_cycle_begin(void *self) {
    struct lua_host *host = self;
    host->spent = 0;
    for (uint32_t i = 0; i < HOST_HOOKS; i++)
        host->hooks[i].spent = host->hooks[i].asked = host->hooks[i].kept = 0;
}

static void ops_meter_get(const void *self, struct policy_meter *out) {
    const struct lua_host *host = self;
    out->spent = host->spent;
    for (uint32_t i = 0; i < HOST_HOOKS; i++) {
        out->hook[i].spent = host->hooks[i].spent;
        out->hook[i].asked = host->hooks[i].asked;
        out->hook[i].kept = host->hooks[i].kept;
    }
}

static void ops_meter_set(void *self, const struct policy_meter *meter) {
    struct lua_host *host = self;
    host->spent = meter->spent;
    for (uint32_t i = 0; i < HOST_HOOKS; i++) {
        host->hooks[i].spent = meter->hook[i].spent;
        host->hooks[i].asked = meter->hook[i].asked;
        host->hooks[i].kept = meter->hook[i].kept;
    }
}

static uint64_t ops_instructions_spent(const void *self) {
    return ((const struct lua_host *)self)->spent;
}

static int32_t ops_charge(void *self, enum policy_hook hook, uint64_t instructions,
                          lsched_error *err) {
    struct lua_host *host = self;
    host->spent += instructions;
    host->hooks[hook].kept += instructions;
    if (host->spent <= host->per_cycle) return LSCHED_OK;
    fault_clear(&host->fault);
    fault_at(&host->fault, LSCHED_E_BUDGET, host->hooks[hook].line, host->hooks[hook].column,
             "%s: the cycle's budget of %llu instructions is spent, including the cost of "
             "kept answers from earlier cycles",
             hook_kinds[hook].name, (unsigned long long)host->per_cycle);
    return fault_report(&host->fault, host->name, "", err);
}

/* The four macros define operations for: pairs of a job and its queue; queues; one job on several
 * nodes; one queue. */
#define OPS_PAIRS(name, NAME, type)                                                             \
    static int32_t ops_##name(void *self, const struct policy_view *view, const uint32_t *jobs, \
                              const uint32_t *queues, size_t n, type *out, lsched_error *err) { \
        return hooks_ask(self, view, POLICY_HOOK_##NAME,                                        \
                         &(struct hook_arguments){jobs, queues, NULL, n}, out, err);            \
    }
#define OPS_QUEUES(name, NAME)                                                                    \
    static int32_t ops_##name(void *self, const struct policy_view *view, const uint32_t *queues, \
                              size_t n, double *out, lsched_error *err) {                         \
        return hooks_ask(self, view, POLICY_HOOK_##NAME,                                          \
                         &(struct hook_arguments){queues, NULL, NULL, n}, out, err);              \
    }
#define OPS_NODES(name, NAME, type)                                                            \
    static int32_t ops_##name(void *self, const struct policy_view *view, uint32_t job,        \
                              const uint32_t *nodes, size_t n, type *out, lsched_error *err) { \
        return hooks_ask(self, view, POLICY_HOOK_##NAME,                                       \
                         &(struct hook_arguments){&job, nodes, NULL, n}, out, err);            \
    }
#define OPS_QUEUE(name, NAME)                                                             \
    static int32_t ops_##name(void *self, const struct policy_view *view, uint32_t queue, \
                              struct policy_quota *out, lsched_error *err) {              \
        return hooks_ask(self, view, POLICY_HOOK_##NAME,                                  \
                         &(struct hook_arguments){&queue, NULL, NULL, 1}, out, err);      \
    }
OPS_PAIRS(priority, PRIORITY, double)
OPS_PAIRS(preempt_priority, PREEMPT_PRIORITY, double)
OPS_PAIRS(admit, ADMIT, struct policy_admission)
OPS_PAIRS(time_limit, TIME_LIMIT, double)
OPS_PAIRS(idle, IDLE, uint8_t)
OPS_PAIRS(gang_minimum, GANG_MINIMUM, uint32_t)
OPS_PAIRS(placement, PLACEMENT, struct policy_word)
OPS_QUEUES(weight, WEIGHT)
OPS_QUEUES(queue_order, QUEUE_ORDER)
OPS_NODES(filter, FILTER, uint8_t)
OPS_NODES(score, SCORE, double)
OPS_QUEUE(quota, QUOTA)
OPS_QUEUE(limit, LIMIT)

static int32_t ops_victim(void *self, const struct policy_view *view, uint32_t job,
                          const struct policy_candidate *candidates, size_t n, double *cost,
                          lsched_error *err) {
    return hooks_ask(self, view, POLICY_HOOK_VICTIM,
                     &(struct hook_arguments){&job, NULL, candidates, n}, cost, err);
}

static int32_t ops_pipeline(void *self, const struct policy_view *view, struct policy_pipeline *out,
                            lsched_error *err) {
    static const uint32_t cluster = 0;
    return hooks_ask(self, view, POLICY_HOOK_PIPELINE,
                     &(struct hook_arguments){&cluster, NULL, NULL, 1}, out, err);
}

static const char *ops_warning(const void *self, uint32_t i) {
    const struct lua_host *host = self;
    return i < host->n_warnings ? host->warnings[i] : NULL;
}

static const lsched_param *ops_params(const void *self, uint32_t *n) {
    const struct lua_host *host = self;
    *n = host->n_params;
    return host->params;
}

const struct policy_ops hook_ops = {
    .destroy = lua_policy_destroy,
    .cycle_begin = ops_cycle_begin,
    .instructions_spent = ops_instructions_spent,
    .charge = ops_charge,
#define LSCHED_X_HOOK(NAME, number, name, first, each, second, also, answer) .name = ops_##name,
#include <libsched/hooks.def>
#undef LSCHED_X_HOOK
    .warning = ops_warning,
    .describe = lift_describe,
    .terms = lift_terms,
    .params = ops_params,
    .meter_get = ops_meter_get,
    .meter_set = ops_meter_set,
};
