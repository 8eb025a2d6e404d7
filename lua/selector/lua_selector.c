/*
 * lua_selector.c -- see lua_selector.h. One Lua state serves all selectors of a cluster. Each part
 * of the current selector is a Lua function in the registry of the state. To compile a part, the
 * text before the part is replaced by spaces and the text after it is dropped. Therefore positions
 * in messages are positions in the selector.
 */
#include "lua/selector/lua_selector.h"

#include <string.h>

#include "base/hash.h"
#include "lua/host/lua_env.h"
#include "lua/state/lua_value.h"

enum {
    /* instruction budget of one evaluation, far more than an expression of at most
     * SELECTOR_BYTES_MAX bytes needs */
    SELECTOR_INSTRUCTIONS = 10000,
    SELECTOR_MEMORY_BYTES = 4 << 20,
    PART_NAMED = 40, /* a part with fewer bytes is shown whole in messages */
    /* SLOT_PART plus the index of a part; the slot of the columns is free, because a selector has
     * no columns */
    SLOT_PART = SLOT_COLUMN
};

struct selectors {
    struct lua_host host;
    struct selector_form form;
    size_t len;                                                /* length of the selector in bytes */
    char text[SELECTOR_PREFIX_BYTES + SELECTOR_BYTES_MAX + 1]; /* the prefix and the selector */
    char part[SELECTOR_PREFIX_BYTES + SELECTOR_BYTES_MAX + 1];
};

/* ---- open and close ---- */

static void lua_selector_prepare(struct lua_host *host, void *user) {
    (void)user;
    env_build(host);
    host->api.gc(host->L, LUA_GCCOLLECT, 0);
}

void selectors_close(struct selectors *s) {
    if (!s) return;
    struct alloc *alloc = s->host.alloc;
    host_close(&s->host);
    luajit_close(&s->host.api);
    alloc_free(alloc, s, sizeof *s);
}

int32_t selectors_open(struct alloc *alloc, struct selectors **out, lsched_error *err) {
    struct fault fault;
    fault_clear(&fault);
    struct selectors *s = alloc_zero(alloc, sizeof *s);
    if (!s) {
        fault_set(&fault, LSCHED_E_NOMEM, "out of memory");
        return fault_report(&fault, "selector", "", err);
    }
    struct lua_host *host = &s->host;
    host->alloc = alloc;
    host->text = s->text;
    host->heap_limit_bytes = SELECTOR_MEMORY_BYTES;
    host->per_call = host->per_cycle = SELECTOR_INSTRUCTIONS;
    memcpy(host->name, "selector", sizeof "selector");
    fault_clear(&host->fault);
    int32_t rc = luajit_open(&host->api, &host->fault);
    if (rc == LSCHED_OK) rc = host_open(host);
    if (rc == LSCHED_OK) rc = host_run(host, lua_selector_prepare, NULL, UINT64_MAX);
    if (rc != LSCHED_OK) {
        fault_report(&host->fault, "selector", "", err);
        selectors_close(s);
        return rc;
    }
    *out = s;
    return LSCHED_OK;
}

/* ---- compiling ---- */

/* Copies the text up to the end of the part and replaces everything between the prefix and the part
 * by spaces. Line numbers stay the same. Returns the length of the copy. */
static size_t blank_others(struct selectors *s, uint32_t part) {
    const struct selector_span *span = &s->form.parts[part];
    size_t begin = SELECTOR_PREFIX_BYTES + span->at, end = begin + span->len;
    memcpy(s->part, s->text, end);
    for (size_t i = SELECTOR_PREFIX_BYTES; i < begin; i++)
        if (s->part[i] != '\n') s->part[i] = ' ';
    return end;
}

static void compile(struct lua_host *host, void *user) {
    struct selectors *s = user;
    for (uint32_t i = 0; i < s->form.n_parts; i++) {
        size_t n = blank_others(s, i);
        if (env_load(host, s->part, n, "=policy") != 0) host->api.error(host->L);
        host->api.rawseti(host->L, LUA_REGISTRYINDEX, SLOT_PART + (int)i);
    }
}

/* ---- evaluating ---- */

static void set_text(struct lua_host *host, const char *key, lsched_text value) {
    size_t n = value.len > HOST_STRING_BYTES_MAX ? HOST_STRING_BYTES_MAX : (size_t)value.len;
    host->api.pushlstring(host->L, key, strlen(key));
    host->api.pushlstring(host->L, value.ptr, n);
    host->api.rawset(host->L, -3);
}

static void set_number(struct lua_host *host, const char *key, double value) {
    host->api.pushlstring(host->L, key, strlen(key));
    host->api.pushnumber(host->L, value);
    host->api.rawset(host->L, -3);
}

static int lua_selector_is_text(lsched_text t, const char *word) {
    return t.len == strlen(word) && memcmp(t.ptr, word, (size_t)t.len) == 0;
}

/* Pushes the value of an attribute. A text that is "true", "false" or a decimal number becomes a
 * boolean or a number; any other text stays a text. */
static void push_attribute(struct lua_host *host, lsched_text value) {
    const struct luajit_api *api = &host->api;
    double number;
    if (lua_selector_is_text(value, "true") || lua_selector_is_text(value, "false"))
        api->pushboolean(host->L, value.ptr[0] == 't');
    else if (selector_number(value, &number))
        api->pushnumber(host->L, number);
    else
        api->pushlstring(host->L, value.ptr, (size_t)value.len);
}

static int is_read(const struct selectors *s, lsched_text key) {
    const char *text = s->text + SELECTOR_PREFIX_BYTES;
    for (uint32_t i = 0; i < s->form.n_reads; i++)
        if (s->form.reads[i].key.len == key.len &&
            memcmp(text + s->form.reads[i].key.at, key.ptr, (size_t)key.len) == 0)
            return 1;
    return 0;
}

/* Pushes the table `device` with only the fields and attributes that the selector reads. */
static void push_device(struct selectors *s, const struct selector_device *d) {
    struct lua_host *host = &s->host;
    const struct luajit_api *api = &host->api;
    const char *mode = selector_modes[d->share_mode];
    uint32_t reads = s->form.fields;
    api->createtable(host->L, 0, 4);
    if (reads & SELECTOR_READS_MODEL) set_text(host, "model", d->model);
    if (reads & SELECTOR_READS_MODE) set_text(host, "mode", (lsched_text){mode, strlen(mode)});
    if (reads & SELECTOR_READS_MEMORY)
        set_number(host, "memory", (double)d->memory_bytes / (double)((int64_t)1 << 30));
    if (reads & SELECTOR_READS_SM_COUNT) set_number(host, "sm_count", d->sm_count);
    if (s->form.n_reads == 0) return;
    api->pushlstring(host->L, "attributes", 10);
    api->createtable(host->L, 0, (int)s->form.n_reads);
    for (uint32_t i = 0; i < d->n_attributes; i++) {
        const lsched_label *a = &d->attributes[i];
        if (!is_read(s, a->key)) continue;
        api->pushlstring(host->L, a->key.ptr, (size_t)a->key.len);
        push_attribute(host, a->value);
        api->rawset(host->L, -3);
    }
    api->rawset(host->L, -3);
}

struct selector_question {
    struct selectors *s;
    const struct selector_device *device;
    /* `part`: index of the part to evaluate. `only`: 1 to evaluate only this part, 0 to evaluate
     * all parts in order */
    uint32_t part, only;
    int holds;
};

/* Records the error for a part whose value, on top of the stack, is not a boolean. On the made-up
 * device of try_parts, the message does not show the value, because no real device has it. */
static void refuse_answer(const struct selector_question *q) {
    struct lua_host *host = &q->s->host;
    const struct selector_form *form = &q->s->form;
    const char *who = form->n_parts > 1 ? "each part of an `and`" : "this";
    const struct selector_span *part = &form->parts[q->part];
    if (!q->only) {
        fault_set(&host->fault, LSCHED_E_TYPE, "%s must be true or false, got %s", who,
                  value_describe(host, -1).text);
        return;
    }
    const char *text = q->s->text + SELECTOR_PREFIX_BYTES + part->at;
    int type = host->api.type(host->L, -1);
    int is_field = part->len < PART_NAMED && type != LUA_TNIL && memcmp(text, "device.", 7) == 0 &&
                   !memchr(text, '\n', part->len);
    fault_set(&host->fault, LSCHED_E_TYPE, "%s must be true or false; %.*s is %s", who,
              is_field ? (int)part->len : 4, is_field ? text : "this",
              type == LUA_TSTRING   ? "a text"
              : type == LUA_TNUMBER ? "a number"
              : type == LUA_TNIL    ? "nil"
                                    : "something else");
}

/* Evaluates the part q->part for the device at stack index 1. Returns 1 if the part is true. */
static int part_holds(struct selector_question *q) {
    struct lua_host *host = &q->s->host;
    const struct luajit_api *api = &host->api;
    api->rawgeti(host->L, LUA_REGISTRYINDEX, SLOT_PART + (int)q->part);
    api->pushvalue(host->L, 1);
    host_call_policy(host, 1, 1);
    if (api->type(host->L, -1) != LUA_TBOOLEAN) {
        refuse_answer(q);
        host_throw(host);
    }
    int holds = api->toboolean(host->L, -1);
    api->settop(host->L, 1);
    return holds;
}

static void lua_selector_ask(struct lua_host *host, void *user) {
    struct selector_question *q = user;
    (void)host;
    push_device(q->s, q->device);
    if (q->only) {
        q->holds = part_holds(q);
        return;
    }
    for (q->part = 0; q->part < q->s->form.n_parts; q->part++) {
        q->holds = part_holds(q);
        if (!q->holds) return;
    }
}

/* Sets the position of a failure in the selector. If the failure has no column, its position is the
 * begin of the part. */
static void place_fault(struct selectors *s, uint32_t part) {
    struct fault *fault = &s->host.fault;
    const char *text = s->text + SELECTOR_PREFIX_BYTES;
    uint32_t line = 1, from = 0;
    host_find_column(&s->host);
    if (fault->line == 1 && fault->column > SELECTOR_PREFIX_BYTES)
        fault->column -= (uint32_t)SELECTOR_PREFIX_BYTES;
    if (fault->column || part >= s->form.n_parts || part >= SELECTOR_PARTS_MAX) return;
    for (uint32_t i = 0; i < s->form.parts[part].at; i++)
        if (text[i] == '\n') line++, from = i + 1;
    if (fault->line > line) return; /* the failure is on a later line of the part */
    fault->line = line;
    fault->column = s->form.parts[part].at - from + 1;
}

/* True if the failure depends only on the selector's text and the device class. */
static int is_answer(const struct lua_host *host, int32_t rc) {
    return (rc == LSCHED_E_POLICY || rc == LSCHED_E_TYPE || rc == LSCHED_E_BUDGET) &&
           host->fault.sub == LSCHED_SUB_NONE;
}

static int has_attribute(const struct selector_device *d, const char *key, size_t len) {
    for (uint32_t i = 0; i < d->n_attributes; i++)
        if (d->attributes[i].key.len == len && memcmp(d->attributes[i].key.ptr, key, len) == 0)
            return 1;
    return 0;
}

static int part_lacks(const struct selectors *s, uint32_t part, const struct selector_device *d) {
    const char *text = s->text + SELECTOR_PREFIX_BYTES;
    for (uint32_t i = 0; i < s->form.n_reads; i++)
        if ((s->form.reads_of[part] >> i & 1) &&
            !has_attribute(d, text + s->form.reads[i].key.at, s->form.reads[i].key.len))
            return 1;
    return 0;
}

int32_t selector_ask(struct selectors *s, const struct selector_device *d, uint8_t *answer,
                     lsched_error *err) {
    struct selector_question q = {.s = s, .device = d};
    int32_t rc = host_run(&s->host, lua_selector_ask, &q, SELECTOR_INSTRUCTIONS);
    if (rc == LSCHED_OK) {
        *answer = (uint8_t)(q.holds ? SELECTOR_TAKES : SELECTOR_PART + q.part);
        if (!q.holds && part_lacks(s, q.part, d)) *answer |= SELECTOR_LACKS;
        return LSCHED_OK;
    }
    if (is_answer(&s->host, rc)) {
        int lacks = part_lacks(s, q.part, d);
        *answer = (uint8_t)((SELECTOR_PART + q.part) | (lacks ? SELECTOR_LACKS : SELECTOR_FAILS));
        if (lacks) return LSCHED_OK;
        place_fault(s, q.part);
        fault_report(&s->host.fault, "selector", "", err);
        return LSCHED_OK;
    }
    return fault_report(&s->host.fault, "selector", "", err);
}

/* ---- the current selector ---- */

/* Evaluates every part for a made-up device that has no attributes. A part that fails there without
 * reading an attribute would fail for every device, so the selector is refused. */
static int32_t try_parts(struct selectors *s) {
    static const struct selector_device typical = {
        .model = {"trial", 5}, .memory_bytes = (int64_t)80 << 30, .sm_count = 100};
    for (uint32_t i = 0; i < s->form.n_parts; i++) {
        struct selector_question q = {.s = s, .device = &typical, .part = i, .only = 1};
        int32_t rc = host_run(&s->host, lua_selector_ask, &q, SELECTOR_INSTRUCTIONS);
        if (rc == LSCHED_OK || (is_answer(&s->host, rc) && s->form.reads_of[i])) continue;
        place_fault(s, i);
        return rc;
    }
    fault_clear(&s->host.fault);
    return LSCHED_OK;
}

int32_t selector_begin(struct selectors *s, lsched_text text, struct selector_form *out,
                       lsched_error *err) {
    struct lua_host *host = &s->host;
    fault_clear(&host->fault);
    s->form.n_parts = s->form.n_reads = 0;
    if (text.len > SELECTOR_BYTES_MAX) {
        fault_set(&host->fault, LSCHED_E_LIMIT, "it has %llu bytes; at most %d are allowed",
                  (unsigned long long)text.len, SELECTOR_BYTES_MAX);
        return fault_report(&host->fault, "selector", "", err);
    }
    s->len = (size_t)text.len;
    memcpy(s->text, SELECTOR_PREFIX, SELECTOR_PREFIX_BYTES);
    memcpy(s->text + SELECTOR_PREFIX_BYTES, text.ptr, s->len);
    s->text[SELECTOR_PREFIX_BYTES + s->len] = '\0';
    host->text_len = SELECTOR_PREFIX_BYTES + s->len;
    int32_t rc = selector_form(host->alloc, s->text, host->text_len, &s->form, &host->fault);
    if (rc == LSCHED_OK) {
        rc = host_run(host, compile, s, UINT64_MAX);
        if (rc != LSCHED_OK) place_fault(s, SELECTOR_PARTS_MAX);
    }
    if (rc == LSCHED_OK) rc = try_parts(s);
    if (rc != LSCHED_OK) return fault_report(&host->fault, "selector", "", err);
    if (out) *out = s->form;
    return LSCHED_OK;
}
