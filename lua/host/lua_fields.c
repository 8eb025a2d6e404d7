/* lua_fields.c -- see lua_fields.h. */
#include "lua/host/lua_fields.h"

#include <string.h>

#include "base/suggest.h"
#include "lua/front/lua_cures.h"

struct collecting {
    struct lua_host *host;
    struct hook *hook;
    struct source_arguments arguments;
    /* for each object of the hook: bit f % 64 of word f / 64 is set if the hook reads the object's
     * field with the number f */
    uint64_t masks[HOST_HOOK_OBJECTS][2];
    uint32_t index; /* index of the object for which visit_word collects fields */
};

static int lua_fields_find_field(uint32_t object, const char *word, size_t len, uint32_t *field) {
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

static int32_t refuse_unknown(struct lua_host *host, uint32_t object, const char *word,
                              uint32_t len, uint32_t node) {
    struct fault *fault = &host->fault;
    struct suggest s;
    int n = (int)(len < 40 ? len : 40);
    suggest_begin(&s, word, len);
    for (uint32_t f = 0; f < POLICY_FIELDS; f++) {
        const struct policy_field_info *info = &policy_field_infos[f];
        if (info->object == object) suggest_offer(&s, info->name, strlen(info->name));
    }
    host_fault_at(host, node);
    char cure[CURE_BYTES];
    const char *meant = cure_field(object, word, len);
    if (!meant) meant = s.best;
    cure_no_field(object, word, len, cure);
    if (meant)
        return fault_set(fault, LSCHED_E_KEY, "%s has no field '%.*s'; did you mean '%s'?",
                         object_names[object], n, word, meant);
    return fault_set(fault, LSCHED_E_KEY, "%s has no field '%.*s'%s", object_names[object], n, word,
                     cure);
}

static int32_t visit_field(void *user, uint32_t argument, uint32_t node, const char *word,
                           uint32_t len, int is_assigned, int is_certain) {
    struct collecting *c = user;
    uint32_t field, object = c->hook->kind->objects[argument];
    if (c->arguments.escapes >> argument & 1) return LSCHED_OK;
    if (is_assigned) {
        host_fault_at(c->host, node);
        return fault_set(&c->host->fault, LSCHED_E_POLICY,
                         "a %s is read-only: '%.*s' cannot be set", object_names[object],
                         (int)(len < 40 ? len : 40), word);
    }
    if (!lua_fields_find_field(object, word, len, &field)) {
        /* Not an error: in a function that objects are passed to, one variable can hold different
         * objects. */
        return is_certain ? refuse_unknown(c->host, object, word, len, node) : LSCHED_OK;
    }
    c->masks[argument][field / 64] |= (uint64_t)1 << (field % 64);
    return LSCHED_OK;
}

static void visit_word(void *user, const char *word, uint32_t len) {
    struct collecting *c = user;
    uint32_t field, object = c->hook->kind->objects[c->index];
    if (lua_fields_find_field(object, word, len, &field))
        c->masks[c->index][field / 64] |= (uint64_t)1 << (field % 64);
}

static void store_fields(struct collecting *c, uint32_t index) {
    struct hook_object *o = &c->hook->objects[index];
    for (uint32_t f = 0; f < POLICY_FIELDS; f++) {
        if (!(c->masks[index][f / 64] >> (f % 64) & 1)) continue;
        c->host->desc.fields_read[c->hook - c->host->hooks][f / 64] |= (uint64_t)1 << (f % 64);
        if (policy_field_infos[f].scope == POLICY_SCOPE_NOW) c->hook->reads_now = 1;
        if (policy_field_infos[f].type == POLICY_LABELS)
            o->labels = 1;
        else
            o->fields[o->n_fields++] = (uint8_t)f;
    }
}

/* True if the hook takes object i as an argument and the use of the object cannot be followed. */
static int is_sealed(const struct collecting *c, uint32_t i) {
    if (c->hook->node == PARSE_NONE) return 1;
    return (i < c->arguments.n_params || c->arguments.is_vararg) && (c->arguments.escapes >> i & 1);
}

/* Refuses swapped parameter names: a function score(node, job) would get the job as `node`. No
 * other check would find this mistake, because jobs and nodes both have a field `gpu`. */
static int32_t lua_fields_check_names(struct lua_host *host, const struct hook *hook) {
    const struct parse_tree *tree = &host->tree;
    const struct hook_kind *kind = hook->kind;
    uint32_t list = tree_child(tree, hook->node, 0);
    for (uint32_t i = 0; i < kind->n_objects; i++) {
        uint32_t name = tree_child(tree, list, i);
        if (name == PARSE_NONE || tree_at(tree, name)->kind != PARSE_VARIABLE) break;
        for (uint32_t o = 0; o < POLICY_OBJECTS; o++) {
            if (o == kind->objects[i] || !tree_is_word(tree, name, object_names[o])) continue;
            host_fault_at(host, name);
            return fault_set(&host->fault, LSCHED_E_POLICY,
                             "%s gets the %s here, not '%s'; write function(%s%s%s, now)",
                             kind->name, object_names[kind->objects[i]], object_names[o],
                             object_names[kind->objects[0]], kind->n_objects > 1 ? ", " : "",
                             kind->n_objects > 1 ? object_names[kind->objects[1]] : "");
        }
    }
    return LSCHED_OK;
}

int32_t fields_collect(struct lua_host *host, struct hook *hook,
                       const struct function_lines *lines) {
    const struct parse_tree *tree = &host->tree;
    struct collecting c = {.host = host, .hook = hook};
    uint32_t n = hook->kind->n_objects;
    hook->node = source_function(tree, lines->first, lines->last, hook->kind->name);
    hook->line = lines->first;
    hook->reads_now = 1;
    if (hook->node != PARSE_NONE) {
        struct source_arguments again;
        hook->line = tree_at(tree, hook->node)->line;
        hook->column = tree_at(tree, hook->node)->column;
        source_follow(tree, hook->node, n, &c.arguments, NULL, NULL);
        int32_t rc = lua_fields_check_names(host, hook);
        if (rc == LSCHED_OK) rc = source_follow(tree, hook->node, n, &again, visit_field, &c);
        if (rc < 0) return rc;
        hook->reads_now = c.arguments.is_vararg || c.arguments.is_used >> n != 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        struct hook_object *o = &hook->objects[i];
        o->object = hook->kind->objects[i];
        o->per_row = hook->kind->per_row[i];
        o->sealed = (uint8_t)is_sealed(&c, i);
        c.index = i;
        if (o->sealed) source_words(tree, visit_word, &c);
        store_fields(&c, i);
    }
    host->desc.uses_now[hook - host->hooks] = hook->reads_now;
    return LSCHED_OK;
}
