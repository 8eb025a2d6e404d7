/*
 * lua_hooks.c -- the hooks: their arguments, the results that each is allowed to return, and the
 * functions of policy_ops.
 *
 * A result is checked when it is taken from Lua. A wrong result ends the call with an error that
 * names the hook and the element, the expected result and the actual one. lua_batch.c runs the
 * hooks.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lua/host/lua_batch.h"
#include "lua/host/lua_length.h"
#include "lua/front/lua_value.h"

#define YEARS_10 315360000.0   /* ten years in seconds */
enum { AMOUNT_MAX = 1 << 30 }; /* in cores, GiB or GPUs; an exbibyte of memory */

/* Names for the words of hooks.def. */
enum {
    TAKES_NONE = 0,
    TAKES_JOB = POLICY_JOB,
    TAKES_QUEUE = POLICY_QUEUE,
    TAKES_NODE = POLICY_NODE,
    TAKES_CANDIDATE = POLICY_CANDIDATE,
    TAKES_CLUSTER = POLICY_CLUSTER
};
/* number of second objects */
enum { HAS_NONE = 0, HAS_QUEUE = 1, HAS_NODE = 1, HAS_CANDIDATE = 1 };
enum { PER_ONE = 0, PER_EACH = 1 };

const struct hook_kind hook_kinds[HOST_HOOKS] = {
#define LSCHED_X_HOOK(NAME, number, name, first, each, second, also, answer) \
    [number] = {#name,                                                       \
                1 + HAS_##second,                                            \
                {TAKES_##first, TAKES_##second},                             \
                {PER_##each, PER_##also},                                    \
                HOOK_GIVES_##answer},
#include <libsched/hooks.def>
};

/* ---- results ---- */

static _Noreturn void refuse_result(struct lua_host *host, const struct batch *batch, size_t i,
                                    const char *expected, const char *got) {
    const struct hook *hook = &host->hooks[batch->hook];
    fault_at(&host->fault, LSCHED_E_POLICY, hook->line, hook->column, "must return %s, got %s",
             expected, got);
    host->fault.element = (int64_t)(batch->begin + i);
    host_throw(host);
}

/* Describes the value on top of the stack, where another one was expected. */
static const char *got_value(struct lua_host *host, struct value_text *space) {
    if (host->api.type(host->L, -1) == LUA_TNIL) return "nothing (is there a return?)";
    *space = value_describe(host, -1);
    return space->text;
}

/* Returns what is wrong with the number on top of the stack, or NULL if it is finite. */
static const char *bad_number(struct lua_host *host, struct value_text *space) {
    const struct luajit_api *api = &host->api;
    if (api->type(host->L, -1) != LUA_TNUMBER) return got_value(host, space);
    double x = api->tonumber(host->L, -1);
    return x != x ? "NaN (0/0?)" : isinf(x) ? "infinity (a division by 0?)" : NULL;
}

/* Takes the results i to i + n - 1 as numbers. Returns 0 if one of them is not a finite number.
 * Finite numbers are the usual case and need no other check. */
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

static void take_numbers(struct lua_host *host, struct batch *batch, size_t n) {
    /* numbers taken at once; they fit in the stack slots that LuaJIT guarantees */
    enum { AT_ONCE = 8 };
    const struct luajit_api *api = &host->api;
    double *out = (double *)batch->out + batch->begin;
    api->rawgeti(host->L, LUA_REGISTRYINDEX, SLOT_OUT);
    for (size_t first = 0; first < n; first += AT_ONCE) {
        size_t m = n - first < AT_ONCE ? n - first : AT_ONCE;
        int is_weight = batch->hook == POLICY_HOOK_WEIGHT;
        if (take_finite(host, first, m, out + first) && !is_weight) continue;
        for (size_t i = first; i < first + m; i++) {
            struct value_text space;
            api->rawgeti(host->L, -1, (int)i + 1);
            const char *wrong = bad_number(host, &space);
            if (wrong) refuse_result(host, batch, i, "a number", wrong);
            if (is_weight && out[i] < 0)
                refuse_result(host, batch, i, "a number from 0", "a negative one");
            api->settop(host->L, -2);
        }
    }
}

static void take_costs(struct lua_host *host, struct batch *batch, size_t n) {
    const struct luajit_api *api = &host->api;
    double *out = (double *)batch->out + batch->begin;
    api->rawgeti(host->L, LUA_REGISTRYINDEX, SLOT_OUT);
    for (size_t i = 0; i < n; i++) {
        api->rawgeti(host->L, -1, (int)i + 1);
        if (api->type(host->L, -1) == LUA_TNIL) {
            out[i] = POLICY_NEVER;
        } else {
            struct value_text space;
            const char *wrong = bad_number(host, &space);
            out[i] = wrong ? 0 : api->tonumber(host->L, -1);
            if (out[i] < 0) wrong = "a negative one";
            if (wrong) refuse_result(host, batch, i, "nil or a number from 0", wrong);
        }
        api->settop(host->L, -2);
    }
}

static int take_boolean(struct lua_host *host, const struct batch *batch, size_t i) {
    struct value_text space;
    if (host->api.type(host->L, -1) != LUA_TBOOLEAN)
        refuse_result(host, batch, i, "true or false", got_value(host, &space));
    return host->api.toboolean(host->L, -1);
}

static void take_booleans(struct lua_host *host, struct batch *batch, size_t n) {
    uint8_t *out = (uint8_t *)batch->out + batch->begin;
    host->api.rawgeti(host->L, LUA_REGISTRYINDEX, SLOT_OUT);
    for (size_t i = 0; i < n; i++) {
        host->api.rawgeti(host->L, -1, (int)i + 1);
        out[i] = (uint8_t)take_boolean(host, batch, i);
        host->api.settop(host->L, -2);
    }
}

/* Copies a reason as one line, cut at the end of a character. */
static void copy_reason(char *out, const char *text, size_t len) {
    size_t n = len < POLICY_REASON_BYTES ? len : POLICY_REASON_BYTES - 1;
    while (n < len && n > 0 && ((unsigned char)text[n] & 0xC0u) == 0x80u) n--;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];
        out[i] = (char)(c < 0x20 || c == 0x7F ? ' ' : c);
    }
    out[n] = '\0';
}

static void take_admissions(struct lua_host *host, struct batch *batch, size_t n) {
    const struct luajit_api *api = &host->api;
    struct policy_admission *out = (struct policy_admission *)batch->out + batch->begin;
    api->rawgeti(host->L, LUA_REGISTRYINDEX, SLOT_OUT); /* stack index 1 */
    api->rawgeti(host->L, LUA_REGISTRYINDEX, SLOT_WHY); /* stack index 2 */
    for (size_t i = 0; i < n; i++) {
        api->rawgeti(host->L, 1, (int)i + 1);
        out[i].admitted = (uint32_t)take_boolean(host, batch, i);
        out[i].reason[0] = '\0';
        api->rawgeti(host->L, 2, (int)i + 1);
        int type = api->type(host->L, -1);
        struct value_text space;
        if (type != LUA_TNIL && type != LUA_TSTRING)
            refuse_result(host, batch, i, "a string as the reason", got_value(host, &space));
        if (type == LUA_TSTRING && !out[i].admitted) {
            size_t len;
            const char *text = api->tolstring(host->L, -1, &len);
            copy_reason(out[i].reason, text, len);
        }
        api->settop(host->L, 2);
    }
}

/* Refuses an amount that no cluster can have: it was given in another unit. */
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

/* Takes the resource kinds of the table at index 4, sorted by their bytes: a hash has no order, and
 * the first error found must be the same everywhere. */
static void take_quota_kinds(struct lua_host *host, struct batch *batch) {
    const struct luajit_api *api = &host->api;
    struct policy_quota *out = batch->out;
    uint32_t n = 0, others = 0;
    api->pushnil(host->L);
    for (; api->next(host->L, 4); api->settop(host->L, -2)) {
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

/* Takes the amount on top of the stack as the amount of `entry`. */
static void take_quota_amount(struct lua_host *host, struct batch *batch,
                              struct policy_quota_entry *entry) {
    struct value_text space;
    const char *wrong = bad_number(host, &space);
    entry->amount = host->api.tonumber(host->L, -1);
    if (wrong && entry->amount != HUGE_VAL)
        refuse_result(host, batch, 0, "amounts that are numbers", wrong);
    if (!wrong) check_unit(host, batch, entry);
    if (entry->amount < 0) refuse_result(host, batch, 0, "amounts from 0", "a negative one");
}

static void take_quota(struct lua_host *host, struct batch *batch, size_t n) {
    const struct luajit_api *api = &host->api;
    struct policy_quota *out = batch->out;
    (void)n; /* n is always 1 */
    api->rawgeti(host->L, LUA_REGISTRYINDEX, SLOT_WHY);
    api->rawgeti(host->L, 1, 1); /* stack index 2: until */
    api->rawgeti(host->L, LUA_REGISTRYINDEX, SLOT_OUT);
    api->rawgeti(host->L, 3, 1); /* stack index 4: the quota */
    int until = api->type(host->L, 2), type = api->type(host->L, 4);
    struct value_text space;
    memset(out, 0, sizeof *out);
    if (type != LUA_TNIL && type != LUA_TTABLE)
        refuse_result(host, batch, 0, "nil or a table such as { gpu = 8 }",
                      got_value(host, &space));
    if (until != LUA_TNIL) {
        api->pushvalue(host->L, 2);
        const char *wrong = bad_number(host, &space);
        if (wrong) refuse_result(host, batch, 0, "a time as the second value", wrong);
        out->until_s = api->tonumber(host->L, 2);
        if (out->until_s < 0 || out->until_s > host->view->now_s + YEARS_10)
            refuse_result(host, batch, 0, "a time since 1970 in seconds as the second value",
                          out->until_s < 0 ? "a negative one"
                                           : "one more than ten years ahead (microseconds?)");
        /* If an orchestrator's clock does not begin at 1970, a time before 1980 is accepted. */
        if (out->until_s < YEARS_10 && host->view->now_s > 2 * YEARS_10)
            refuse_result(host, batch, 0, "a time since 1970 in seconds as the second value",
                          "one before 1980 (a span? add now)");
    }
    if (type == LUA_TNIL) return;
    out->given = 1;
    take_quota_kinds(host, batch);
    for (uint32_t i = 0; i < out->n; i++) {
        const char *kind = out->entries[i].kind;
        api->pushlstring(host->L, kind, strlen(kind));
        api->rawget(host->L, 4);
        take_quota_amount(host, batch, &out->entries[i]);
        api->settop(host->L, 4);
    }
}

/* Takes orders, rounded to the nearest whole number, halves away from zero. */
static void take_orders(struct lua_host *host, struct batch *batch, size_t n) {
    double *out = (double *)batch->out + batch->begin;
    take_numbers(host, batch, n);
    for (size_t i = 0; i < n; i++) {
        double x = out[i] < 0 ? out[i] - 0.5 : out[i] + 0.5;
        if (x <= -2147483648.0 || x >= 2147483648.0)
            refuse_result(host, batch, i, "a number from -2147483647 to 2147483647",
                          x < 0 ? "a smaller one" : "a larger one");
        out[i] = (double)(int64_t)x;
    }
}

static void take_time_limits(struct lua_host *host, struct batch *batch, size_t n) {
    const struct luajit_api *api = &host->api;
    double *out = (double *)batch->out + batch->begin;
    api->rawgeti(host->L, LUA_REGISTRYINDEX, SLOT_OUT);
    for (size_t i = 0; i < n; i++) {
        api->rawgeti(host->L, -1, (int)i + 1);
        out[i] = POLICY_ANY_TIME;
        if (api->type(host->L, -1) != LUA_TNIL) {
            struct value_text space;
            const char *wrong = bad_number(host, &space);
            out[i] = api->tonumber(host->L, -1);
            if (wrong && api->type(host->L, -1) == LUA_TNUMBER && out[i] == POLICY_ANY_TIME)
                wrong = NULL; /* math.huge */
            else if (!wrong && out[i] <= 0)
                wrong = out[i] < 0 ? "a negative number" : "0";
            else if (!wrong && out[i] > YEARS_10)
                wrong = "more than ten years (microseconds?)";
            if (wrong) refuse_result(host, batch, i, "nil or seconds above 0", wrong);
        }
        api->settop(host->L, -2);
    }
}

/* Takes the answers of `idle`. nil counts as false: with an `if` without else, the job keeps
 * running. */
static void take_idles(struct lua_host *host, struct batch *batch, size_t n) {
    const struct luajit_api *api = &host->api;
    uint8_t *out = (uint8_t *)batch->out + batch->begin;
    api->rawgeti(host->L, LUA_REGISTRYINDEX, SLOT_OUT);
    for (size_t i = 0; i < n; i++) {
        api->rawgeti(host->L, -1, (int)i + 1);
        int type = api->type(host->L, -1);
        struct value_text space;
        if (type != LUA_TNIL && type != LUA_TBOOLEAN)
            refuse_result(host, batch, i, "true, false or nil", got_value(host, &space));
        out[i] = (uint8_t)(type == LUA_TBOOLEAN && api->toboolean(host->L, -1));
        api->settop(host->L, -2);
    }
}

static void take_minimums(struct lua_host *host, struct batch *batch, size_t n) {
    const struct luajit_api *api = &host->api;
    uint32_t *out = (uint32_t *)batch->out + batch->begin;
    host->view->fill(host->view->engine, POLICY_F_JOB_TASKS, batch->rows[0] + batch->begin, n,
                     host->values);
    api->rawgeti(host->L, LUA_REGISTRYINDEX, SLOT_OUT);
    for (size_t i = 0; i < n; i++) {
        double tasks = host->values[i].number;
        char expected[96], got[32];
        api->rawgeti(host->L, -1, (int)i + 1);
        out[i] = 0;
        if (api->type(host->L, -1) != LUA_TNIL) {
            struct value_text space;
            const char *wrong = bad_number(host, &space);
            double x = wrong ? 0 : api->tonumber(host->L, -1);
            int is_whole = x > -1e15 && x < 1e15 && x == (double)(int64_t)x;
            if (!wrong && (!is_whole || x < 1 || x > tasks)) {
                snprintf(got, sizeof got, "%lld", is_whole ? (long long)x : 0);
                wrong = is_whole ? got : "a fraction";
            }
            snprintf(expected, sizeof expected,
                     "nil or a whole number from 1 to %llu, the job's tasks",
                     (unsigned long long)tasks);
            if (wrong) refuse_result(host, batch, i, expected, wrong);
            out[i] = (uint32_t)x;
        }
        api->settop(host->L, -2);
    }
}

/* Takes the string on top of the stack as the name of an algorithm. */
static void take_word(struct lua_host *host, const struct batch *batch, size_t i,
                      const char *expected, struct policy_word *out) {
    const struct luajit_api *api = &host->api;
    struct value_text space;
    size_t len = 0;
    if (api->type(host->L, -1) != LUA_TSTRING)
        refuse_result(host, batch, i, expected, got_value(host, &space));
    const char *text = api->tolstring(host->L, -1, &len);
    if (len >= sizeof out->word || !host_is_word(text, len))
        refuse_result(host, batch, i, expected, len ? "another text" : "an empty one");
    memcpy(out->word, text, len);
    out->word[len] = '\0';
}

static void lua_hooks_take_words(struct lua_host *host, struct batch *batch, size_t n) {
    struct policy_word *out = (struct policy_word *)batch->out + batch->begin;
    host->api.rawgeti(host->L, LUA_REGISTRYINDEX, SLOT_OUT);
    for (size_t i = 0; i < n; i++) {
        host->api.rawgeti(host->L, -1, (int)i + 1);
        out[i].word[0] = '\0';
        if (host->api.type(host->L, -1) != LUA_TNIL)
            take_word(host, batch, i, "nil or the name of a strategy", &out[i]);
        host->api.settop(host->L, -2);
    }
}

static void take_pipeline(struct lua_host *host, struct batch *batch, size_t n) {
    static const char expected[] = "nil or a list of 1 to 16 names of actions";
    const struct luajit_api *api = &host->api;
    struct policy_pipeline *out = batch->out;
    memset(out, 0, sizeof *out);
    (void)n; /* n is always 1 */
    api->rawgeti(host->L, LUA_REGISTRYINDEX, SLOT_OUT);
    api->rawgeti(host->L, -1, 1);
    int type = api->type(host->L, -1);
    if (type == LUA_TNIL) return;
    size_t items = type == LUA_TTABLE ? list_length(host, api->gettop(host->L)) : 0;
    if (items == 0 || items > POLICY_PIPELINE_MAX)
        refuse_result(host, batch, 0, expected,
                      type != LUA_TTABLE ? api->typename(host->L, type)
                      : items == 0       ? "an empty one"
                                         : "a longer one");
    out->given = 1;
    out->n = (uint32_t)items;
    for (size_t i = 0; i < items; i++) {
        api->rawgeti(host->L, -1, (int)i + 1);
        take_word(host, batch, 0, expected, &out->actions[i]);
        api->settop(host->L, -2);
    }
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
             "%s: the cycle's %llu instructions are spent, answers from earlier cycles included",
             hook_kinds[hook].name, (unsigned long long)host->per_cycle);
    return fault_report(&host->fault, host->name, "", err);
}

static int32_t ops_priority(void *self, const struct policy_view *view, const uint32_t *jobs,
                            const uint32_t *queues, size_t n, double *out, lsched_error *err) {
    struct batch batch = {
        POLICY_HOOK_PRIORITY, {jobs, queues}, n, 0, take_numbers, out, NULL, sizeof *out, 0};
    return batch_run(self, view, &batch, err);
}

static int32_t ops_weight(void *self, const struct policy_view *view, const uint32_t *queues,
                          size_t n, double *out, lsched_error *err) {
    struct batch batch = {
        POLICY_HOOK_WEIGHT, {queues, NULL}, n, 0, take_numbers, out, NULL, sizeof *out, 0};
    return batch_run(self, view, &batch, err);
}

static int32_t ops_quota(void *self, const struct policy_view *view, uint32_t queue,
                         struct policy_quota *out, lsched_error *err) {
    struct batch batch = {
        POLICY_HOOK_QUOTA, {&queue, NULL}, 1, 0, take_quota, out, NULL, sizeof *out, 0};
    return batch_run(self, view, &batch, err);
}

static int32_t ops_admit(void *self, const struct policy_view *view, const uint32_t *jobs,
                         const uint32_t *queues, size_t n, struct policy_admission *out,
                         lsched_error *err) {
    struct batch batch = {
        POLICY_HOOK_ADMIT, {jobs, queues}, n, 0, take_admissions, out, NULL, sizeof *out, 0};
    return batch_run(self, view, &batch, err);
}

static int32_t ops_filter(void *self, const struct policy_view *view, uint32_t job,
                          const uint32_t *nodes, size_t n, uint8_t *keep, lsched_error *err) {
    struct batch batch = {
        POLICY_HOOK_FILTER, {&job, nodes}, n, 0, take_booleans, keep, NULL, sizeof *keep, 0};
    return batch_run(self, view, &batch, err);
}

static int32_t ops_score(void *self, const struct policy_view *view, uint32_t job,
                         const uint32_t *nodes, size_t n, double *out, lsched_error *err) {
    struct batch batch = {
        POLICY_HOOK_SCORE, {&job, nodes}, n, 0, take_numbers, out, NULL, sizeof *out, 0};
    return batch_run(self, view, &batch, err);
}

static int32_t ops_victim(void *self, const struct policy_view *view, uint32_t job,
                          const struct policy_candidate *candidates, size_t n, double *cost,
                          lsched_error *err) {
    struct batch batch = {POLICY_HOOK_VICTIM, {&job, NULL}, n, 0, take_costs, cost,
                          candidates,         sizeof *cost, 0};
    return batch_run(self, view, &batch, err);
}

static int32_t ops_limit(void *self, const struct policy_view *view, uint32_t queue,
                         struct policy_quota *out, lsched_error *err) {
    struct batch batch = {
        POLICY_HOOK_LIMIT, {&queue, NULL}, 1, 0, take_quota, out, NULL, sizeof *out, 0};
    return batch_run(self, view, &batch, err);
}

static int32_t ops_queue_order(void *self, const struct policy_view *view, const uint32_t *queues,
                               size_t n, double *out, lsched_error *err) {
    struct batch batch = {
        POLICY_HOOK_QUEUE_ORDER, {queues, NULL}, n, 0, take_orders, out, NULL, sizeof *out, 0};
    return batch_run(self, view, &batch, err);
}

static int32_t ops_time_limit(void *self, const struct policy_view *view, const uint32_t *jobs,
                              const uint32_t *queues, size_t n, double *out, lsched_error *err) {
    struct batch batch = {
        POLICY_HOOK_TIME_LIMIT, {jobs, queues}, n, 0, take_time_limits, out, NULL, sizeof *out, 0};
    return batch_run(self, view, &batch, err);
}

static int32_t ops_idle(void *self, const struct policy_view *view, const uint32_t *jobs,
                        const uint32_t *queues, size_t n, uint8_t *stop, lsched_error *err) {
    struct batch batch = {
        POLICY_HOOK_IDLE, {jobs, queues}, n, 0, take_idles, stop, NULL, sizeof *stop, 0};
    return batch_run(self, view, &batch, err);
}

static int32_t ops_gang_minimum(void *self, const struct policy_view *view, const uint32_t *jobs,
                                const uint32_t *queues, size_t n, uint32_t *out,
                                lsched_error *err) {
    struct batch batch = {
        POLICY_HOOK_GANG_MINIMUM, {jobs, queues}, n, 0, take_minimums, out, NULL, sizeof *out, 0};
    return batch_run(self, view, &batch, err);
}

static int32_t ops_placement(void *self, const struct policy_view *view, const uint32_t *jobs,
                             const uint32_t *queues, size_t n, struct policy_word *out,
                             lsched_error *err) {
    struct batch batch = {POLICY_HOOK_PLACEMENT,
                          {jobs, queues},
                          n,
                          0,
                          lua_hooks_take_words,
                          out,
                          NULL,
                          sizeof *out,
                          0};
    return batch_run(self, view, &batch, err);
}

static int32_t ops_pipeline(void *self, const struct policy_view *view, struct policy_pipeline *out,
                            lsched_error *err) {
    static const uint32_t cluster = 0;
    struct batch batch = {
        POLICY_HOOK_PIPELINE, {&cluster, NULL}, 1, 0, take_pipeline, out, NULL, sizeof *out, 0};
    return batch_run(self, view, &batch, err);
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
    .destroy = host_destroy,
    .cycle_begin = ops_cycle_begin,
    .instructions_spent = ops_instructions_spent,
    .charge = ops_charge,
#define LSCHED_X_HOOK(NAME, number, name, first, each, second, also, answer) .name = ops_##name,
#include <libsched/hooks.def>
    .warning = ops_warning,
    .describe = lift_describe,
    .terms = lift_terms,
    .params = ops_params,
    .meter_get = ops_meter_get,
    .meter_set = ops_meter_set,
};
