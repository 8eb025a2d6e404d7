/*
 * lua_batch.c -- runs one call of a hook for many elements. It fills columns with the fields of the
 * elements, runs the prelude's loop once per chunk of elements, and passes the results to the
 * caller.
 *
 * Only fields that the hook reads are filled. Elements that are equal in these fields share one
 * call of Lua (lua_same.h). The loop sets all fields of its objects again for each element, so a
 * hook can never see a value of an earlier element or call. Measured at 2.3 GHz: a `score` hook
 * that reads four fields costs 0.13 us per node in a large batch, and 0.25 us in a batch of one
 * node.
 */
#include "lua/host/lua_batch.h"

#include "lua/host/lua_freeze.h"
#include "lua/host/lua_lift_run.h"
#include "lua/host/lua_same.h"
#include "policy/candidate.h"

#include <stdio.h>
#include <string.h>

/* ---- building ---- */

static void set_string(struct lua_host *host, const char *key, const char *value) {
    host->api.pushlstring(host->L, key, strlen(key));
    host->api.pushlstring(host->L, value, strlen(value));
    host->api.rawset(host->L, -3);
}

static void set_boolean(struct lua_host *host, const char *key, int value) {
    host->api.pushlstring(host->L, key, strlen(key));
    host->api.pushboolean(host->L, value);
    host->api.rawset(host->L, -3);
}

/* Pushes the column (a Lua table) of a field. The first call for a field makes the column. */
static void push_column(struct lua_host *host, uint32_t field) {
    const struct luajit_api *api = &host->api;
    int slot = SLOT_COLUMN + (int)field;
    api->rawgeti(host->L, LUA_REGISTRYINDEX, slot);
    if (api->type(host->L, -1) == LUA_TTABLE) return;
    api->settop(host->L, -2);
    api->createtable(host->L, HOST_CHUNK, 0);
    api->pushvalue(host->L, -1);
    api->rawseti(host->L, LUA_REGISTRYINDEX, slot);
}

/* Pushes a table that describes one object of the hook; the table is an argument of the prelude's
 * function `build`. */
static void push_object(struct lua_host *host, const struct hook_object *o) {
    const struct luajit_api *api = &host->api;
    api->createtable(host->L, 0, 6);
    set_string(host, "what", object_names[o->object]);
    set_boolean(host, "per_row", o->per_row);
    set_boolean(host, "sealed", o->sealed);
    set_boolean(host, "labels", o->labels);
    api->pushlstring(host->L, "names", 5);
    api->createtable(host->L, o->n_fields, 0);
    for (int i = 0; i < o->n_fields; i++) {
        const char *name = policy_field_infos[o->fields[i]].name;
        api->pushlstring(host->L, name, strlen(name));
        api->rawseti(host->L, -2, i + 1);
    }
    api->rawset(host->L, -3);
    api->pushlstring(host->L, "columns", 7);
    api->createtable(host->L, o->n_fields, 0);
    for (int i = 0; i < o->n_fields; i++) {
        push_column(host, o->fields[i]);
        api->rawseti(host->L, -2, i + 1);
    }
    api->rawset(host->L, -3);
}

void batch_build(struct lua_host *host, uint32_t hook) {
    const struct luajit_api *api = &host->api;
    lua_State *L = host->L;
    const struct hook *h = &host->hooks[hook];
    int function = api->gettop(L);
    api->rawgeti(L, LUA_REGISTRYINDEX, SLOT_BUILD);
    api->pushvalue(L, function);
    api->createtable(L, HOST_HOOK_OBJECTS, 0);
    for (uint32_t i = 0; i < h->kind->n_objects; i++) {
        push_object(host, &h->objects[i]);
        api->rawseti(L, -2, (int)i + 1);
    }
    for (int slot = SLOT_AT; slot <= SLOT_OUT; slot++) api->rawgeti(L, LUA_REGISTRYINDEX, slot);
    enum hook_answer answer = h->kind->answer;
    if (answer == HOOK_GIVES_AMOUNTS || answer == HOOK_GIVES_ADMISSION)
        /* only these two sorts of hooks have a second result */
        api->rawgeti(L, LUA_REGISTRYINDEX, SLOT_WHY);
    else
        api->pushnil(L);
    api->pushboolean(L, h->reads_now != 0);
    api->call(L, 6, 1);
    api->rawseti(L, LUA_REGISTRYINDEX, SLOT_LOOP + (int)hook);
    api->settop(L, function - 1);
}

/* ---- one batch ---- */

static void push_value(struct lua_host *host, uint32_t field, const union policy_value *value) {
    switch (policy_field_infos[field].type) {
    case POLICY_NUMBER: host->api.pushnumber(host->L, value->number); return;
    case POLICY_BOOL: host->api.pushboolean(host->L, value->boolean != 0); return;
    default: break;
    }
    if (value->text.len > HOST_STRING_BYTES_MAX)
        host_refuse(host, LSCHED_E_POLICY, "%s is longer than %u bytes",
                    policy_field_infos[field].name, (unsigned)HOST_STRING_BYTES_MAX);
    host->api.pushlstring(host->L, value->text.len ? value->text.ptr : "", (size_t)value->text.len);
}

static const struct hook_object *hook_objects(const struct lua_host *host,
                                              const struct batch *batch) {
    return host->hooks[batch->hook].objects;
}

/* Fills host->values with one field of the hook's object k, for the n elements from index `first`
 * on. */
static void fill_values(struct lua_host *host, const struct batch *batch, uint32_t k,
                        enum policy_field field, size_t first, size_t n) {
    const struct policy_view *view = host->view;
    if (policy_field_infos[field].object == POLICY_CANDIDATE)
        policy_candidate_fill(view, field, batch->candidates + first, n, host->values);
    else
        view->fill(view->engine, field, batch->rows[k] + first, n, host->values);
}

/* Returns the rows of n elements of the hook's object k. If the loop runs over kinds of equal
 * elements, these are the rows of the first element of each kind. Returns NULL if the elements are
 * candidates. */
static const uint32_t *lua_batch_rows_of(const struct lua_host *host, const struct batch *batch,
                                         uint32_t k, size_t first) {
    if (host->same && batch->is_shared && hook_objects(host, batch)[k].per_row)
        return host->same->rows[k];
    return batch->rows[k] ? batch->rows[k] + first : NULL;
}

/* Fills the column on top of the stack, if the field is a number that the engine fills for all
 * elements at once. Most fields are such numbers. Returns 0 and fills nothing if the field must be
 * filled in another way. */
static int push_numbers(struct lua_host *host, uint32_t field, const uint32_t *rows, size_t n) {
    const struct luajit_api *api = &host->api;
    const struct policy_view *view = host->view;
    lua_State *L = host->L;
    double numbers[HOST_CHUNK];
    if (!rows || !view->fill_numbers || policy_field_infos[field].type != POLICY_NUMBER ||
        policy_field_infos[field].object == POLICY_CANDIDATE)
        return 0;
    view->fill_numbers(view->engine, (enum policy_field)field, rows, n, numbers);
    for (size_t i = 0; i < n; i++) {
        api->pushnumber(L, numbers[i]);
        api->rawseti(L, -2, (int)i + 1);
    }
    return 1;
}

static void fill_column(struct lua_host *host, const struct batch *batch, uint32_t k,
                        uint32_t field, size_t first, size_t n) {
    const struct luajit_api *api = &host->api;
    const struct policy_view *view = host->view;
    const uint32_t *rows = lua_batch_rows_of(host, batch, k, first);
    api->rawgeti(host->L, LUA_REGISTRYINDEX, SLOT_COLUMN + (int)field);
    if (!push_numbers(host, field, rows, n)) {
        if (rows)
            view->fill(view->engine, (enum policy_field)field, rows, n, host->values);
        else
            fill_values(host, batch, k, (enum policy_field)field, first, n);
        for (size_t i = 0; i < n; i++) {
            push_value(host, field, &host->values[i]);
            api->rawseti(host->L, -2, (int)i + 1);
        }
    }
    api->settop(host->L, -2);
}

static void set_at(struct lua_host *host, double at) {
    host->api.rawgeti(host->L, LUA_REGISTRYINDEX, SLOT_AT);
    host->api.pushnumber(host->L, at);
    host->api.rawseti(host->L, -2, 1);
    host->api.settop(host->L, -2);
}

static void check_purity(struct lua_host *host) {
    if (host->n_snapshot == 0) return;
    host_charge(host, host->n_snapshot);
    const char *name = freeze_restore(host);
    if (!name) return;
    host_refuse(host, LSCHED_E_POLICY,
                "functions are pure: '%.40s' in a table of the chunk was changed", name);
}

/* Returns the charge of the prelude's loop for one element: it stores the fields that the hook
 * reads, calls the hook and stores the result. */
static uint64_t loop_each(const struct lua_host *host, uint32_t hook) {
    const struct hook *h = &host->hooks[hook];
    uint64_t n = 4;
    for (uint32_t k = 0; k < h->kind->n_objects; k++)
        if (h->objects[k].per_row) n += h->objects[k].n_fields;
    return n;
}

/* Fills the fields of n elements, runs the loop for them, and takes the results. */
static void batch_loop(struct lua_host *host, struct batch *batch, size_t n) {
    const struct luajit_api *api = &host->api;
    const struct hook *hook = &host->hooks[batch->hook];
    set_at(host, 0);
    for (uint32_t k = 0; k < hook->kind->n_objects; k++) {
        const struct hook_object *o = &hook->objects[k];
        size_t first = o->per_row ? batch->begin : 0;
        if (o->labels) host->label_rows = batch->rows[k] + first;
        for (uint32_t i = 0; i < o->n_fields; i++)
            fill_column(host, batch, k, o->fields[i], first, o->per_row ? n : 1);
    }
    api->rawgeti(host->L, LUA_REGISTRYINDEX, SLOT_LOOP + (int)batch->hook);
    api->pushnumber(host->L, (double)n);
    api->pushnumber(host->L, host->view->now_s);
    host_charge(host, n * loop_each(host, batch->hook));
    host_call_policy(host, 2, 0);
    check_purity(host);
    batch->take(host, batch, n);
    api->settop(host->L, 0);
}

/* Calls the hook for one element of each kind. Every other element is charged the average cost of
 * these calls. */
static void batch_kinds(struct lua_host *host, struct batch *batch, size_t n) {
    const struct same *same = host->same;
    host_settle(host);
    uint64_t before = host->used;
    char *out = (char *)batch->out + batch->begin * batch->out_bytes;
    batch->is_shared = 1;
    batch_loop(host, batch, same->n);
    host_settle(host);
    batch->is_shared = 0;
    /* The purity check happens once per chunk. Therefore its instructions are not charged again for
     * the elements that share an answer. */
    uint64_t spent = host->used - before - host->n_snapshot;
    host_charge(host, spent * (n - same->n) / same->n);
    /* Copying from the last element down to the first is safe: the index of a kind is never larger
     * than the index of any element of the kind, so no answer is overwritten before it is
     * copied. */
    for (size_t e = n; e-- > 0;) {
        if (same->kind[e] != e)
            memcpy(out + e * batch->out_bytes, out + same->kind[e] * batch->out_bytes,
                   batch->out_bytes);
    }
}

static void batch_chunk(struct lua_host *host, struct batch *batch, size_t n) {
    const struct hook *hook = &host->hooks[batch->hook];
    if (hook->is_shared && n >= SAME_LEAST) {
        const uint32_t *rows[HOST_HOOK_OBJECTS];
        for (uint32_t k = 0; k < HOST_HOOK_OBJECTS; k++)
            rows[k] = batch->rows[k] ? batch->rows[k] + batch->begin : NULL;
        same_find(host, hook, rows, n, host->same);
        if (host->same->n < n) {
            batch_kinds(host, batch, n);
            return;
        }
    }
    batch_loop(host, batch, n);
}

static void batch_body(struct lua_host *host, void *user) {
    struct batch *batch = user;
    if (host->is_tainted) freeze_restore(host);
    host->is_tainted = 0;
    for (batch->begin = 0; batch->begin < batch->n; batch->begin += HOST_CHUNK) {
        size_t left = batch->n - batch->begin;
        batch_chunk(host, batch, left < HOST_CHUNK ? left : HOST_CHUNK);
    }
}

/* Writes a prefix for messages, such as "score of job 'llm' on node 'h100-3': ". */
static void batch_prefix(struct lua_host *host, const struct batch *batch, int64_t element,
                         char *out, size_t cap) {
    static const enum policy_field names[POLICY_OBJECTS] = {
        POLICY_F_JOB_NAME, POLICY_F_QUEUE_NAME, POLICY_F_NODE_NAME, POLICY_F_CANDIDATE_NAME,
        POLICY_FIELDS}; /* the cluster has no name */
    const struct hook_kind *kind = &hook_kinds[batch->hook];
    int n = snprintf(out, cap, "%s", kind->name);
    for (uint32_t k = 0; k < kind->n_objects && n > 0 && (size_t)n < cap; k++) {
        uint8_t object = kind->objects[k];
        if (kind->per_row[k] && element < 0) continue;
        if ((k == 1 && object == POLICY_QUEUE) || object == POLICY_CLUSTER) continue;
        fill_values(host, batch, k, names[object], kind->per_row[k] ? (size_t)element : 0, 1);
        const lsched_text name = host->values[0].text;
        n += snprintf(out + n, cap - (size_t)n, " %s %s '%.*s%s'",
                      k == 0                       ? "of"
                      : object == POLICY_CANDIDATE ? "and"
                                                   : "on",
                      object_names[object], (int)(name.len < 40 ? name.len : 40),
                      name.ptr ? name.ptr : "", name.len > 40 ? "..." : "");
    }
    if (n > 0 && (size_t)n < cap) snprintf(out + n, cap - (size_t)n, ": ");
}

/* Returns the index in the whole batch of the element for which the loop runs now, or -1 if the
 * loop has not started. The function cannot fail, because it only reads a number from a table. */
static int64_t lua_batch_element_at(struct lua_host *host, const struct batch *batch) {
    const struct luajit_api *api = &host->api;
    int top = api->gettop(host->L);
    api->rawgeti(host->L, LUA_REGISTRYINDEX, SLOT_AT);
    api->rawgeti(host->L, -1, 1);
    int64_t at = (int64_t)api->tonumber(host->L, -1);
    api->settop(host->L, top);
    if (at <= 0) return -1;
    return (int64_t)batch->begin + (batch->is_shared ? host->same->first[at - 1] : at - 1);
}

void batch_prefix_now(struct lua_host *host, char *out, size_t cap) {
    batch_prefix(host, host->batch, lua_batch_element_at(host, host->batch), out, cap);
}

/* Finds the tail call that failed. LuaJIT knows no line then. PUC Lua drops the caller only if the
 * called function is one of Lua, so it may know the line, but the column is unknown. */
static void batch_place_tail(struct lua_host *host, const struct hook *hook) {
    struct fault *fault = &host->fault;
    uint32_t line = 0, column = 0;
#if defined(LSCHED_LUA_PUC)
    int is_known = fault->column != 0 || fault->word[0];
#else
    int is_known = fault->line != 0;
#endif
    if (is_known || !tails_place(&hook->tails, host->text, fault->text, &line, &column)) return;
    if (fault->line && fault->line != line) return;
    fault->line = line;
    fault->column = column;
}

static int32_t batch_failed(struct lua_host *host, const struct batch *batch, lsched_error *err) {
    const struct hook *hook = &host->hooks[batch->hook];
    struct fault *fault = &host->fault;
    char prefix[160];
    if (fault->element < 0)
        fault->element = lua_batch_element_at(host, batch);
    else if (batch->is_shared) /* wrong result: fault->element is the index of a kind */
        fault->element =
            (int64_t)batch->begin + host->same->first[(size_t)fault->element - batch->begin];
    if (fault->element < 0 && batch->n == 1) fault->element = 0;
    if (host->failed_in_text) batch_place_tail(host, hook);
    if (fault->line == 0) {
        fault->line = hook->line;
        fault->column = hook->column;
    }
    host_find_column(host);
    batch_prefix(host, batch, fault->element, prefix, sizeof prefix);
    return fault_report(fault, host->name, prefix, err);
}

int32_t batch_run(struct lua_host *host, const struct policy_view *view, struct batch *batch,
                  lsched_error *err) {
    uint64_t before = host->spent, left = host->per_cycle > before ? host->per_cycle - before : 0;
    uint64_t allowed = batch->n > left / host->per_call ? left : batch->n * host->per_call;
    int32_t code;
    if (batch->n == 0) return LSCHED_OK;
    host->view = view;
    host->batch = batch;
    if (left == 0) {
        fault_clear(&host->fault);
        code = fault_set(&host->fault, LSCHED_E_BUDGET,
                         "the cycle's budget of %llu instructions is spent",
                         (unsigned long long)host->per_cycle);
        host->fault.element = 0;
    } else if ((code = lift_run(host, view, batch)) == LIFT_DECLINED) {
        code = host_run(host, batch_body, batch, allowed);
        host->spent += host->used;
    }
    if (code < 0) {
        host->is_tainted = host->n_snapshot != 0;
        code = batch_failed(host, batch, err);
    }
    host->hooks[batch->hook].spent += host->spent - before;
    host->hooks[batch->hook].asked += batch->n;
    host->view = NULL;
    host->batch = NULL;
    host->label_rows = NULL;
    return code;
}
