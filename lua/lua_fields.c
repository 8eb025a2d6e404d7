/*
 * lua_fields.c -- which fields of job, queue and node a hook may read, decided from the text before
 * it ever runs.
 *
 * The engine fills and caches by this answer, so it must never leave out a field that is read.
 * Where a parameter is used as `job.field` only, the answer is exact, and unknown fields and
 * assignments are errors with line and column. Where it is used otherwise (given to a function,
 * indexed with a variable), every field word of the text counts, and the hook gets a read-only
 * view; a field whose name is only computed at run time is then an error, not a stale value.
 */
#include <string.h>

#include "base/suggest.h"
#include "lua/lua_host.h"
#include "lua/lua_scan.h"

const char *const object_names[POLICY_OBJECTS] = {"job", "queue", "node", "candidate",
                                                 "cluster"};

struct collecting {
    struct lua_host *host;
    struct hook *hook;
    const struct scan_function *function;
    uint64_t masks[HOST_HOOK_OBJECTS]; /* bit: field number less the object's first */
    uint32_t index;                    /* of the object that words are collected for */
};

static uint32_t first_field(uint32_t object) {
    uint32_t f = 0;
    while (policy_field_infos[f].object != object) f++;
    return f;
}

static int find_field(uint32_t object, const char *word, size_t len, uint32_t *field) {
    for (uint32_t f = 0; f < POLICY_FIELDS; f++) {
        const struct policy_field_info *info = &policy_field_infos[f];
        if (info->object != object || strlen(info->name) != len ||
            memcmp(info->name, word, len) != 0)
            continue;
        *field = f;
        return 1;
    }
    return 0;
}

static int32_t refuse_unknown(struct fault *fault, uint32_t object, const char *word, uint32_t len,
                              const struct lex_token *token) {
    struct suggest s;
    int n = (int)(len < 40 ? len : 40);
    suggest_begin(&s, word, len);
    for (uint32_t f = 0; f < POLICY_FIELDS; f++) {
        const struct policy_field_info *info = &policy_field_infos[f];
        if (info->object == object) suggest_offer(&s, info->name, strlen(info->name));
    }
    if (s.best)
        return fault_at(fault, LSCHED_E_KEY, token->line, token->column,
                        "%s has no field '%.*s'; did you mean '%s'?", object_names[object], n, word,
                        s.best);
    return fault_at(fault, LSCHED_E_KEY, token->line, token->column, "%s has no field '%.*s'",
                    object_names[object], n, word);
}

static int32_t visit_field(void *user, uint32_t param, const char *word, uint32_t len,
                           const struct lex_token *token, int is_assigned) {
    struct collecting *c = user;
    uint32_t field;
    if (param >= c->hook->kind->n_objects || c->function->params[param].escapes) return LSCHED_OK;
    uint32_t object = c->hook->kind->objects[param];
    if (!find_field(object, word, len, &field))
        return refuse_unknown(&c->host->fault, object, word, len, token);
    if (is_assigned)
        return fault_at(&c->host->fault, LSCHED_E_POLICY, token->line, token->column,
                        "a %s is read-only: '%.*s' cannot be set", object_names[object], (int)len,
                        word);
    c->masks[param] |= (uint64_t)1 << (field - first_field(object));
    return LSCHED_OK;
}

static int32_t visit_nothing(void *user, uint32_t param, const char *word, uint32_t len,
                             const struct lex_token *token, int is_assigned) {
    (void)user, (void)param, (void)word, (void)len, (void)token, (void)is_assigned;
    return LSCHED_OK;
}

static void visit_word(void *user, const char *word, uint32_t len) {
    struct collecting *c = user;
    uint32_t field, object = c->hook->kind->objects[c->index];
    if (find_field(object, word, len, &field))
        c->masks[c->index] |= (uint64_t)1 << (field - first_field(object));
}

static void store_fields(struct collecting *c, uint32_t index) {
    struct hook_object *o = &c->hook->objects[index];
    uint32_t first = first_field(o->object);
    for (uint32_t bit = 0; bit < HOST_FIELDS_MAX; bit++) {
        uint32_t f = first + bit;
        if (!(c->masks[index] >> bit & 1)) continue;
        c->host->desc.fields_read[c->hook - c->host->hooks][f / 64] |= (uint64_t)1 << (f % 64);
        if (policy_field_infos[f].scope == POLICY_SCOPE_NOW) c->hook->reads_now = 1;
        if (policy_field_infos[f].type == POLICY_LABELS)
            o->labels = 1;
        else
            o->fields[o->n_fields++] = (uint8_t)f;
    }
}

int32_t fields_collect(struct lua_host *host, struct hook *hook, uint32_t line) {
    struct scan_function function;
    struct collecting c = {.host = host, .hook = hook, .function = &function};
    scan_function(host->text, host->text_len, line, &function, visit_nothing, NULL);
    int exact = function.matches == 1;
    hook->line = exact ? function.line : line;
    hook->column = exact ? function.column : 0;
    hook->reads_now = !exact || function.is_vararg || function.n_params > hook->kind->n_objects;
    if (exact) {
        struct scan_function again;
        int32_t rc = scan_function(host->text, host->text_len, line, &again, visit_field, &c);
        if (rc < 0) return rc;
    }
    for (uint32_t i = 0; i < hook->kind->n_objects; i++) {
        struct hook_object *o = &hook->objects[i];
        int is_given = !exact || i < function.n_params || function.is_vararg;
        int is_followed = exact && i < function.n_params && !function.params[i].escapes;
        o->object = hook->kind->objects[i];
        o->per_row = hook->kind->per_row[i];
        o->sealed = is_given && !is_followed;
        c.index = i;
        if (o->sealed) scan_words(host->text, host->text_len, visit_word, &c);
        store_fields(&c, i);
    }
    host->desc.uses_now[hook - host->hooks] = hook->reads_now;
    return LSCHED_OK;
}
