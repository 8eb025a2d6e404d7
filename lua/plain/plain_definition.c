/* plain_definition.c -- see plain_definition.h. */
#include "lua/plain/plain_definition.h"

#include <math.h>
#include <string.h>

#include "base/suggest.h"
#include "lua/front/lua_hook_kinds.h"
#include "lua/front/policy_keys.h"
#include "lua/front/policy_settings.h"
#include "policy/eviction.h"

enum { KEY_BYTES = LEX_STRING_BYTES_MAX + 1 };

static int32_t plain_definition_at_node(struct plain_definition *d, uint32_t node, int32_t code) {
    const struct parse_node *n = tree_at(d->tree, node);
    d->fault->line = n->line;
    d->fault->column = n->column;
    return code;
}

/* Records that the reader does not know the value of an expression. */
static int32_t needs_lua(struct plain_definition *d, uint32_t node, const char *what) {
    fault_set(d->fault, LSCHED_E_NOLUA,
              "%s needs LuaJIT (Debian: libluajit-5.1-2), which is not there; without it, a policy "
              "can have constant settings, but no hooks",
              what);
    return plain_definition_at_node(d, node, LSCHED_E_NOLUA);
}

/* Records why the value of an expression is not known. `node` is the first part that is not known.
 * */
static int32_t not_known(struct plain_definition *d, uint32_t node) {
    const struct parse_tree *tree = d->tree;
    uint32_t object = tree_child(tree, node, 0), len;
    const char *word;
    if (tree_at(tree, node)->kind != PARSE_INDEX || !tree_is_word(tree, object, "params") ||
        tree_at(tree, object)->ref != PARSE_NONE ||
        !(word = tree_word(tree, tree_child(tree, node, 1), &len)))
        return needs_lua(d, node, "this value");
    int shown = (int)(len < 40 ? len : 40);
    if (tree_at(tree, node)->function)
        fault_set(d->fault, LSCHED_E_POLICY, "params has no '%.*s'", shown, word);
    else
        fault_set(d->fault, LSCHED_E_POLICY,
                  "params.%.*s is read before the policy has returned its table; read it in a "
                  "function",
                  shown, word);
    return plain_definition_at_node(d, tree_child(tree, node, 1), LSCHED_E_POLICY);
}

/* ---- tables ---- */

/* More items than a table of settings needs; a search for repeated keys reads each pair once. */
enum { TABLE_ITEMS_MAX = 512 };

/* The items of a table constructor, one after another. */
struct plain_item {
    uint32_t node;   /* the item; PARSE_NONE: before the first one */
    lsched_text key; /* empty for an item without a key */
    struct plain_value value;
};

/* Sets *key to the name of an item `NAME = value`, and to an empty text for every other item. */
static void item_key(const struct parse_tree *tree, uint32_t node, lsched_text *key) {
    uint32_t len = 0;
    *key = (lsched_text){NULL, 0};
    if (tree_at(tree, node)->kind != PARSE_ITEM_WORD) return;
    key->ptr = tree_word(tree, tree_child(tree, node, 0), &len);
    key->len = len;
}

static int is_same_key(lsched_text a, lsched_text b) {
    return a.len == b.len && memcmp(a.ptr, b.ptr, (size_t)a.len) == 0;
}

/* True if LuaJIT surely folds the expression of an item into a constant of the table. A sum of
 * locals is computed at run time, and so is every result that is no number or a zero. */
static int is_folded(const struct plain_definition *d, uint32_t item) {
    const struct parse_tree *tree = d->tree;
    uint32_t top = tree_child(tree, item, 1);
    for (uint32_t at = top; at != PARSE_NONE; at = tree_step(tree, top, at)) {
        uint32_t kind = tree_at(tree, at)->kind;
        if (kind == PARSE_UNARY || kind == PARSE_BINARY) {
            struct plain_value v = plain_value_of(tree, at, NULL);
            if (v.kind != PLAIN_NUMBER || isnan(v.number) || v.number == 0) return 0;
        } else if (kind != PARSE_PAREN && kind != PARSE_NIL && kind != PARSE_TRUE &&
                   kind != PARSE_FALSE && kind != PARSE_NUMBER && kind != PARSE_STRING) {
            return 0;
        }
    }
    return 1;
}

/* Returns 1 if a later item of the table has the same key, and 0 if none has. LuaJIT stores values
 * that it computes at run time after all constants, so only LuaJIT knows which value counts if one
 * of the two items has such a value. */
static int32_t is_replaced(struct plain_definition *d, const struct plain_item *item) {
    lsched_text key;
    for (uint32_t later = tree_at(d->tree, item->node)->next; item->key.ptr && later != PARSE_NONE;
         later = tree_at(d->tree, later)->next) {
        item_key(d->tree, later, &key);
        if (!key.ptr || !is_same_key(key, item->key)) continue;
        if (is_folded(d, item->node) && is_folded(d, later)) return 1;
        return needs_lua(d, later, "a repeated key with a value that is no constant");
    }
    return 0;
}

/* Moves to the next item that no later item replaces. Returns 1, 0 after the last one, or the code
 * of a fault. */
static int32_t next_item(struct plain_definition *d, uint32_t table, struct plain_params *params,
                         struct plain_item *item) {
    const struct parse_tree *tree = d->tree;
    int32_t skip = 1;
    if (item->node == PARSE_NONE && tree_count(tree, table) > TABLE_ITEMS_MAX)
        return needs_lua(d, table, "a table of more than 512 entries");
    while (skip > 0) {
        item->node =
            item->node == PARSE_NONE ? tree_child(tree, table, 0) : tree_at(tree, item->node)->next;
        if (item->node == PARSE_NONE) return 0;
        if (tree_at(tree, item->node)->kind == PARSE_ITEM_KEY)
            return needs_lua(d, item->node, "this key");
        item_key(tree, item->node, &item->key);
        skip = is_replaced(d, item);
    }
    if (skip < 0) return skip;
    uint32_t value = tree_child(tree, item->node, item->key.ptr ? 1 : 0);
    item->value = plain_value_of(tree, value, params);
    return 1;
}

/* Sets *out to the value of a key, PLAIN_NIL if the table does not have it. Returns LSCHED_OK or
 * the code of a fault. */
static int32_t value_of_key(struct plain_definition *d, uint32_t table, const char *key,
                            struct plain_params *params, struct plain_value *out) {
    lsched_text wanted = {key, strlen(key)}, given;
    uint32_t at = tree_child(d->tree, table, 0);
    *out = (struct plain_value){.kind = PLAIN_NIL, .node = table};
    for (; at != PARSE_NONE; at = tree_at(d->tree, at)->next) {
        item_key(d->tree, at, &given);
        if (given.ptr && is_same_key(given, wanted))
            *out = plain_value_of(d->tree, tree_child(d->tree, at, 1), params);
    }
    return LSCHED_OK;
}

static void copy_key(char out[KEY_BYTES], lsched_text key) {
    memcpy(out, key.ptr, (size_t)key.len);
    out[key.len] = '\0';
}

/* Refuses items without a key, and the first unknown key in byte order. `has` says which keys are
 * known. */
static int32_t plain_definition_check_names(struct plain_definition *d, uint32_t table,
                                            const struct settings *t) {
    struct plain_item item = {.node = PARSE_NONE};
    char key[KEY_BYTES], unknown[KEY_BYTES] = "";
    uint32_t at = PARSE_NONE;
    int32_t rc;
    while ((rc = next_item(d, table, d->params, &item)) > 0) {
        if (!item.key.ptr) return needs_lua(d, item.node, "an entry without a name");
        copy_key(key, item.key);
        int is_known = t ? policy_settings_find(t, key, strlen(key)) != NULL : policy_keys_has(key);
        if (is_known || item.value.kind == PLAIN_NIL) continue;
        if (at != PARSE_NONE && strcmp(key, unknown) >= 0) continue;
        memcpy(unknown, key, strlen(key) + 1);
        at = item.node;
    }
    if (rc < 0 || at == PARSE_NONE) return rc;
    rc = t ? policy_settings_refuse_name(d->fault, t, unknown)
           : policy_keys_refuse(d->fault, unknown, strlen(unknown));
    return plain_definition_at_node(d, at, rc);
}

/* ---- words ---- */

/* Stores a text that must be the name of an algorithm. */
static int32_t store_word(struct plain_definition *d, const char *key, const struct plain_value *v,
                          char *out, size_t cap) {
    if (v->kind == PLAIN_UNKNOWN) return not_known(d, v->node);
    if (v->kind != PLAIN_TEXT || v->text.len >= cap ||
        !policy_keys_is_word(v->text.ptr, (size_t)v->text.len)) {
        fault_set(d->fault, LSCHED_E_TYPE,
                  "%s must be a name of at most %u letters, digits, '-', '_' or '.'", key,
                  (unsigned)cap - 1);
        return plain_definition_at_node(d, v->node, LSCHED_E_TYPE);
    }
    memcpy(out, v->text.ptr, (size_t)v->text.len);
    out[v->text.len] = '\0';
    return LSCHED_OK;
}

static int32_t read_word(struct plain_definition *d, const char *key, char *out, size_t cap) {
    struct plain_value v;
    int32_t rc = value_of_key(d, d->table, key, NULL, &v);
    if (rc != LSCHED_OK || v.kind == PLAIN_NIL) return rc;
    return store_word(d, key, &v, out, cap);
}

/* Sets *n to the number of values of a list. How long a list with named entries or nil is, only
 * LuaJIT knows. */
static int32_t list_length(struct plain_definition *d, uint32_t table, uint32_t *n) {
    struct plain_item item = {.node = PARSE_NONE};
    int32_t rc;
    for (*n = 0; (rc = next_item(d, table, NULL, &item)) > 0; ++*n) {
        if (item.key.ptr) return needs_lua(d, item.node, "a named entry of a list");
        if (item.value.kind == PLAIN_NIL) return needs_lua(d, item.node, "nil in a list");
    }
    return rc;
}

static int32_t plain_definition_read_pipeline(struct plain_definition *d) {
    struct plain_value v;
    struct plain_item item = {.node = PARSE_NONE};
    uint32_t n = 0;
    int32_t rc = value_of_key(d, d->table, "pipeline", NULL, &v);
    if (rc != LSCHED_OK || v.kind == PLAIN_NIL) return rc;
    if (v.kind == PLAIN_UNKNOWN) return not_known(d, v.node);
    uint32_t given = 0;
    if (v.kind == PLAIN_TABLE) rc = list_length(d, v.node, &given);
    if (rc != LSCHED_OK) return rc;
    if (given == 0 || given > POLICY_PIPELINE_MAX) {
        fault_set(d->fault, LSCHED_E_TYPE,
                  "pipeline must be a list of 1 to %u actions or a function, got %s",
                  (unsigned)POLICY_PIPELINE_MAX,
                  v.kind != PLAIN_TABLE ? "another value"
                  : given == 0          ? "an empty list"
                                        : "a longer list");
        return plain_definition_at_node(d, v.node, LSCHED_E_TYPE);
    }
    while (rc == LSCHED_OK && (rc = next_item(d, v.node, NULL, &item)) > 0) {
        rc = store_word(d, "pipeline", &item.value, d->desc->pipeline[n++],
                        sizeof d->desc->pipeline[0]);
    }
    d->desc->n_pipeline = n;
    return rc;
}

static int32_t plain_definition_read_api(struct plain_definition *d) {
    struct plain_value v;
    int32_t rc = value_of_key(d, d->table, "api", NULL, &v);
    if (rc != LSCHED_OK) return rc;
    if (v.kind == PLAIN_UNKNOWN) return not_known(d, v.node);
    if (v.kind == PLAIN_NIL)
        return fault_set(
            d->fault, LSCHED_E_KEY,
            "api = 1 is missing: it says which policy language the text is written in");
    if (v.kind == PLAIN_NUMBER && v.number == 1) return LSCHED_OK;
    if (v.kind == PLAIN_NUMBER)
        fault_set(d->fault, LSCHED_E_VERSION, "this version knows only api = 1");
    else
        fault_set(d->fault, LSCHED_E_TYPE, "api must be the number 1");
    return plain_definition_at_node(d, v.node, d->fault->code);
}

/* ---- hooks ---- */

/* Refuses every hook. `placement` and `pipeline` are hooks only if they are functions. */
static int32_t refuse_hooks(struct plain_definition *d) {
    char what[FAULT_WORD_BYTES] = "the hook ";
    for (uint32_t i = 0; i < POLICY_HOOKS; i++) {
        const struct hook_kind *kind = &hook_kinds[i];
        struct plain_value v;
        int32_t rc = value_of_key(d, d->table, kind->name, NULL, &v);
        if (rc != LSCHED_OK) return rc;
        int can_be_plain = kind->answer == HOOK_GIVES_WORD || kind->answer == HOOK_GIVES_WORDS;
        int is_plain = can_be_plain && v.kind != PLAIN_FUNCTION && v.kind != PLAIN_UNKNOWN;
        if (v.kind == PLAIN_NIL || is_plain) continue;
        memcpy(what + sizeof "the hook " - 1, kind->name, strlen(kind->name) + 1);
        return needs_lua(d, v.node, what);
    }
    return LSCHED_OK;
}

/* Refuses the tables about kinds of work: who states kinds does not do without LuaJIT, and a small
 * program does without the readers (lua/work/). */
static int32_t refuse_work(struct plain_definition *d) {
    static const char *const keys[] = {"contention", "speeds"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct plain_value v;
        int32_t rc = value_of_key(d, d->table, keys[i], NULL, &v);
        if (rc == LSCHED_OK && v.kind != PLAIN_NIL) rc = needs_lua(d, v.node, keys[i]);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

/* ---- parameters ---- */

static int plain_definition_is_param_value(const struct plain_value *v) {
    return (v->kind == PLAIN_NUMBER && isfinite(v->number)) || v->kind == PLAIN_TEXT ||
           v->kind == PLAIN_TRUTH;
}

static int32_t add_param(struct plain_definition *d, lsched_text key,
                         const struct plain_value *value) {
    if (d->params->n == PLAIN_PARAMS_MAX)
        return fault_set(d->fault, LSCHED_E_LIMIT, "params may have %d entries, got more",
                         PLAIN_PARAMS_MAX);
    d->params->list[d->params->n++] = (struct plain_param){key, *value};
    return LSCHED_OK;
}

static int32_t plain_definition_read_params(struct plain_definition *d) {
    struct plain_value v;
    struct plain_item item = {.node = PARSE_NONE};
    int32_t rc = value_of_key(d, d->table, "params", NULL, &v);
    if (rc != LSCHED_OK || v.kind == PLAIN_NIL) return rc;
    if (v.kind == PLAIN_UNKNOWN) return not_known(d, v.node);
    if (v.kind != PLAIN_TABLE) {
        fault_set(d->fault, LSCHED_E_TYPE, "params must be a table");
        return plain_definition_at_node(d, v.node, LSCHED_E_TYPE);
    }
    while (rc == LSCHED_OK && (rc = next_item(d, v.node, NULL, &item)) > 0) {
        if (!item.key.ptr) return needs_lua(d, item.node, "an entry without a name");
        if (item.value.kind == PLAIN_UNKNOWN) return not_known(d, item.value.node);
        if (item.value.kind != PLAIN_NIL && !plain_definition_is_param_value(&item.value)) {
            fault_set(d->fault, item.value.kind == PLAIN_NUMBER ? LSCHED_E_RANGE : LSCHED_E_TYPE,
                      item.value.kind == PLAIN_NUMBER
                          ? "the parameter '%.*s' is not a finite number"
                          : "the parameter '%.*s' must be a number, a string or a boolean",
                      (int)(item.key.len < 40 ? item.key.len : 40), item.key.ptr);
            return plain_definition_at_node(d, item.node, d->fault->code);
        }
        rc = item.value.kind == PLAIN_NIL ? LSCHED_OK : add_param(d, item.key, &item.value);
    }
    return rc;
}

static const uint32_t param_types[] = {[PLAIN_TRUTH] = POLICY_PARAM_BOOLEAN,
                                       [PLAIN_NUMBER] = POLICY_PARAM_NUMBER,
                                       [PLAIN_TEXT] = POLICY_PARAM_TEXT};

static int32_t refuse_option(struct plain_definition *d, lsched_text key) {
    struct suggest s;
    suggest_begin(&s, key.ptr, (size_t)key.len);
    for (uint32_t i = 0; i < d->params->n; i++)
        suggest_offer(&s, d->params->list[i].key.ptr, (size_t)d->params->list[i].key.len);
    return policy_keys_refuse_param(d->fault, &s);
}

/* Replaces the value of one parameter by the value of an option, which must have the same type. */
static int32_t set_option(struct plain_definition *d, const lsched_param *option) {
    struct plain_param *p = plain_params_find(d->params, option->key);
    if (!p) return refuse_option(d, option->key);
    if (!policy_keys_takes(param_types[p->value.kind], option))
        return policy_keys_refuse_value(d->fault, param_types[p->value.kind], option->key,
                                        option->text.ptr ? "another string" : "another number");
    if (p->value.kind == PLAIN_NUMBER) p->value.number = option->number;
    if (p->value.kind == PLAIN_TEXT) p->value.text = option->text;
    if (p->value.kind == PLAIN_TRUTH) p->value.number = policy_keys_is_true(option->text);
    return LSCHED_OK;
}

static int32_t read_options(struct plain_definition *d) {
    for (uint32_t i = 0; d->opts && i < d->opts->n_params; i++) {
        d->fault->element = (int64_t)i;
        int32_t rc = set_option(d, &d->opts->params[i]);
        if (rc != LSCHED_OK) return rc;
    }
    d->fault->element = -1;
    for (uint32_t i = 0; i < d->params->n; i++) {
        const struct plain_param *p = &d->params->list[i];
        d->desc->hash += policy_keys_param_hash(p->key, param_types[p->value.kind], p->value.number,
                                                p->value.text);
    }
    return LSCHED_OK;
}

/* ---- eviction and usage ---- */

/* Sets *table to the constructor that a settings key gives: itself, or what its function returns.
 * */
static int32_t settings_table(struct plain_definition *d, const struct settings *t,
                              uint32_t *table) {
    const struct parse_tree *tree = d->tree;
    struct plain_value v;
    int32_t rc = value_of_key(d, d->table, t->key, NULL, &v);
    *table = PARSE_NONE;
    if (rc != LSCHED_OK || v.kind == PLAIN_NIL) return rc;
    if (v.kind == PLAIN_FUNCTION) {
        uint32_t block = tree_child(tree, v.node, 1);
        uint32_t back = tree_count(tree, block) == 1 ? tree_child(tree, block, 0) : PARSE_NONE;
        if (back == PARSE_NONE || tree_at(tree, back)->kind != PARSE_RETURN ||
            tree_count(tree, back) != 1)
            return needs_lua(d, v.node, "this function");
        v = plain_value_of(tree, tree_child(tree, back, 0), d->params);
    }
    if (v.kind == PLAIN_UNKNOWN) return not_known(d, v.node);
    if (v.kind != PLAIN_TABLE) {
        fault_set(d->fault, LSCHED_E_TYPE, "%s must be a table such as %s", t->key, t->example);
        return plain_definition_at_node(d, v.node, LSCHED_E_TYPE);
    }
    *table = v.node;
    return LSCHED_OK;
}

static const char *describe(const struct plain_value *v) {
    switch (v->kind) {
    case PLAIN_TRUTH: return v->number != 0 ? "true" : "false";
    case PLAIN_NUMBER: return "another number";
    case PLAIN_TEXT: return "a string";
    case PLAIN_TABLE: return "a table";
    default: return "a function";
    }
}

static int32_t plain_definition_read_setting(struct plain_definition *d, const struct settings *t,
                                             const struct setting *s, const struct plain_value *v) {
    if (v->kind == PLAIN_UNKNOWN) return not_known(d, v->node);
    if (s->words) {
        const char *word = v->kind == PLAIN_TEXT ? v->text.ptr : NULL;
        uint32_t i = word ? policy_settings_word(s, word, (size_t)v->text.len) : UINT32_MAX;
        if (i == UINT32_MAX)
            return plain_definition_at_node(d, v->node,
                                            policy_settings_refuse_word(d->fault, t, s, word,
                                                                        (size_t)v->text.len,
                                                                        describe(v)));
        policy_settings_store(d->desc, s, i);
        return LSCHED_OK;
    }
    int is_number = v->kind == PLAIN_NUMBER;
    if (!is_number || !policy_settings_accept(s, v->number))
        return plain_definition_at_node(
            d, v->node, policy_settings_refuse_number(d->fault, t, s, is_number, describe(v)));
    policy_settings_store(d->desc, s, v->number);
    return LSCHED_OK;
}

static int32_t read_settings(struct plain_definition *d, const struct settings *t) {
    uint32_t table;
    int32_t rc = settings_table(d, t, &table);
    if (rc != LSCHED_OK || table == PARSE_NONE) return rc;
    /* a table that is no function's result was made before the parameters had values */
    struct plain_params *params = tree_at(d->tree, table)->function ? d->params : NULL;
    rc = plain_definition_check_names(d, table, t);
    for (uint32_t i = 0; i < t->n && rc == LSCHED_OK; i++) {
        struct plain_value v;
        rc = value_of_key(d, table, t->list[i].name, params, &v);
        if (rc == LSCHED_OK && v.kind != PLAIN_NIL)
            rc = plain_definition_read_setting(d, t, &t->list[i], &v);
    }
    return rc;
}

int32_t plain_definition_read(struct plain_definition *d) {
    struct policy_desc *desc = d->desc;
    int32_t rc = plain_definition_check_names(d, d->table, NULL);
    if (rc == LSCHED_OK) rc = refuse_hooks(d);
    if (rc == LSCHED_OK) rc = refuse_work(d);
    if (rc == LSCHED_OK) rc = plain_definition_read_api(d);
    if (rc == LSCHED_OK) rc = read_word(d, "name", desc->name, sizeof desc->name);
    if (rc == LSCHED_OK) rc = read_word(d, "fair_share", desc->fair_share, sizeof desc->fair_share);
    if (rc == LSCHED_OK) rc = read_word(d, "placement", desc->placement, sizeof desc->placement);
    if (rc == LSCHED_OK) rc = read_word(d, "order", desc->order, sizeof desc->order);
    if (rc == LSCHED_OK) rc = plain_definition_read_pipeline(d);
    if (rc == LSCHED_OK) rc = plain_definition_read_params(d);
    if (rc == LSCHED_OK) rc = read_options(d);
    policy_desc_default(desc);
    for (uint32_t i = 0; i < SETTINGS && rc == LSCHED_OK; i++)
        rc = read_settings(d, &policy_settings[i]);
    return rc;
}
