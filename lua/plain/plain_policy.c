/* plain_policy.c -- see plain_policy.h. */
#include "lua/plain/plain_policy.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "lua/front/lua_doubts.h"
#include "lua/front/lua_parse.h"
#include "lua/front/lua_source.h"
#include "lua/front/policy_keys.h"
#include "lua/plain/plain_definition.h"

enum { WARNINGS_MAX = 24, NAME_BYTES = 128 };

struct plain_policy {
    struct alloc *alloc;
    size_t bytes; /* of this block, the text included */
    struct policy_desc desc;
    struct plain_params params; /* as they are read */
    lsched_param sorted[PLAIN_PARAMS_MAX];
    char name[NAME_BYTES];
    char warnings[WARNINGS_MAX][LSCHED_MESSAGE_BYTES];
    uint32_t n_warnings;
    char text[]; /* the policy's text, ends with NUL */
};

/* ---- operations ---- */

static void ops_destroy(void *self) {
    struct plain_policy *p = self;
    alloc_free(p->alloc, p, p->bytes);
}

static void plain_policy_ops_cycle_begin(void *self) {
    (void)self; /* a policy without hooks spends no instructions */
}

static uint64_t plain_policy_ops_instructions_spent(const void *self) {
    (void)self;
    return 0;
}

static int32_t plain_policy_ops_charge(void *self, enum policy_hook hook, uint64_t instructions,
                                       lsched_error *err) {
    (void)self, (void)hook, (void)instructions, (void)err;
    return LSCHED_OK;
}

static const char *plain_policy_ops_warning(const void *self, uint32_t i) {
    const struct plain_policy *p = self;
    return i < p->n_warnings ? p->warnings[i] : NULL;
}

static const lsched_param *plain_policy_ops_params(const void *self, uint32_t *n) {
    const struct plain_policy *p = self;
    *n = p->params.n;
    return p->sorted;
}

/* The engine calls the operation of a hook only if the policy has the hook. */
static const struct policy_ops plain_ops = {.destroy = ops_destroy,
                                            .cycle_begin = plain_policy_ops_cycle_begin,
                                            .instructions_spent =
                                                plain_policy_ops_instructions_spent,
                                            .charge = plain_policy_ops_charge,
                                            .warning = plain_policy_ops_warning,
                                            .params = plain_policy_ops_params};

/* ---- loading ---- */

/* Most locals of a text: LuaJIT refuses a function with more than 60 variables of the chunk. */
enum { PLAIN_LOCALS_MAX = 50 };

/* What a node must be, so that LuaJIT surely compiles and runs the text. Kinds that are not listed,
 * such as calls and computed keys, are left to LuaJIT. */
enum node_rule { ONLY_LUA, FREE, HAS_WORD, HAS_VALUE };
static const uint8_t node_rules[] = {
    [PARSE_CHUNK] = FREE,       [PARSE_BLOCK] = FREE,          [PARSE_LIST] = FREE,
    [PARSE_LOCAL] = FREE,       [PARSE_LOCAL_FUNCTION] = FREE, [PARSE_RETURN] = FREE,
    [PARSE_VARIABLE] = FREE,    [PARSE_WORD] = FREE,           [PARSE_NIL] = FREE,
    [PARSE_TRUE] = FREE,        [PARSE_FALSE] = FREE,          [PARSE_FUNCTION] = FREE,
    [PARSE_TABLE] = FREE,       [PARSE_ITEM] = FREE,           [PARSE_ITEM_WORD] = FREE,
    [PARSE_STRING] = HAS_WORD,  [PARSE_NUMBER] = HAS_VALUE,    [PARSE_NAME] = HAS_VALUE,
    [PARSE_PAREN] = HAS_VALUE,  [PARSE_INDEX] = HAS_VALUE,     [PARSE_UNARY] = HAS_VALUE,
    [PARSE_BINARY] = HAS_VALUE, [PARSE_ITEM_KEY] = ONLY_LUA};

/* True if the node keeps its rule. An expression needs a known value even if nothing uses it. */
static int is_plain_node(const struct parse_tree *tree, uint32_t node,
                         struct plain_params *params) {
    const struct parse_node *n = tree_at(tree, node);
    uint8_t rule = node_rules[n->kind];
    uint32_t len;
    if (rule == HAS_WORD) return tree_word(tree, node, &len) != NULL;
    /* the object of params.NAME has no value of its own */
    if (n->kind == PARSE_NAME && tree_at(tree, n->parent)->kind == PARSE_INDEX) return 1;
    if (rule != HAS_VALUE) return rule == FREE;
    return plain_value_of(tree, node, n->function ? params : NULL).kind != PLAIN_UNKNOWN;
}

/* Refuses texts that only LuaJIT can judge. */
static int32_t plain_policy_check_nodes(const struct parse_tree *tree, struct plain_params *params,
                                        struct fault *fault) {
    uint32_t locals = 0;
    for (uint32_t node = 0; node < tree->n; node++) {
        const struct parse_node *n = tree_at(tree, node);
        locals += n->kind == PARSE_VARIABLE;
        if (locals <= PLAIN_LOCALS_MAX && is_plain_node(tree, node, params)) continue;
        return fault_at(fault, LSCHED_E_NOLUA, n->line, n->column,
                        "this needs LuaJIT (Debian: libluajit-5.1-2), which is not there; without "
                        "it, a policy can have constant settings, but no hooks");
    }
    return LSCHED_OK;
}

/* Sets *table to the constructor that the text returns. Statements before it can only be locals
 * with values that the reader knows, and local functions. */
static int32_t find_table(const struct parse_tree *tree, uint32_t *table, struct fault *fault) {
    uint32_t node = tree_child(tree, tree_child(tree, 0, 0), 0);
    for (; node != PARSE_NONE; node = tree_at(tree, node)->next) {
        uint32_t kind = tree_at(tree, node)->kind, first = tree_child(tree, node, 0);
        if (kind == PARSE_LOCAL_FUNCTION) continue;
        if (kind == PARSE_RETURN && tree_count(tree, node) == 1) {
            struct plain_value v = plain_value_of(tree, first, NULL);
            *table = v.node;
            if (v.kind == PLAIN_TABLE) return LSCHED_OK;
        }
        uint32_t values = kind == PARSE_LOCAL ? tree_child(tree, node, 1) : PARSE_NONE;
        if (values == PARSE_NONE || tree_count(tree, first) != tree_count(tree, values)) break;
        uint32_t value = tree_child(tree, values, 0);
        while (value != PARSE_NONE && plain_value_of(tree, value, NULL).kind != PLAIN_UNKNOWN)
            value = tree_at(tree, value)->next;
        if (value != PARSE_NONE) break;
    }
    const struct parse_node *n = tree_at(tree, node == PARSE_NONE ? 0 : node);
    return fault_at(fault, LSCHED_E_NOLUA, n->line, n->column,
                    "this statement needs LuaJIT (Debian: libluajit-5.1-2), which is not there; "
                    "without it, a policy can have constant settings, but no hooks");
}

static int key_less(const lsched_param *a, const lsched_param *b) {
    size_t both = (size_t)(a->key.len < b->key.len ? a->key.len : b->key.len);
    int order = memcmp(a->key.ptr, b->key.ptr, both);
    return order ? order < 0 : a->key.len < b->key.len;
}

static void sort_params(struct plain_policy *p) {
    for (uint32_t i = 0; i < p->params.n; i++) {
        const struct plain_param *from = &p->params.list[i];
        lsched_param fresh = {.key = from->key};
        if (from->value.kind == PLAIN_NUMBER) fresh.number = from->value.number;
        if (from->value.kind == PLAIN_TEXT) fresh.text = from->value.text;
        if (from->value.kind == PLAIN_TRUTH)
            fresh.text =
                from->value.number != 0 ? (lsched_text){"true", 4} : (lsched_text){"false", 5};
        uint32_t at = i;
        for (; at > 0 && key_less(&fresh, &p->sorted[at - 1]); at--)
            p->sorted[at] = p->sorted[at - 1];
        p->sorted[at] = fresh;
    }
}

typedef uint32_t (*next_warning_fn)(const struct parse_tree *tree, uint32_t node, char *text,
                                    size_t cap);

static void keep_warnings(struct plain_policy *p, const struct parse_tree *tree,
                          next_warning_fn next) {
    char text[LSCHED_MESSAGE_BYTES - NAME_BYTES];
    uint32_t at = PARSE_NONE;
    while (p->n_warnings < WARNINGS_MAX) {
        at = next(tree, at, text, sizeof text);
        if (at == PARSE_NONE) return;
        const struct parse_node *node = tree_at(tree, at);
        snprintf(p->warnings[p->n_warnings++], sizeof p->warnings[0], "%s:%u:%u: %s", p->name,
                 (unsigned)node->line, (unsigned)node->column, text);
    }
}

static int32_t plain_load(struct plain_policy *p, struct parse_tree *tree,
                          const lsched_policy_opts *opts, struct fault *fault) {
    struct source_facts facts;
    struct plain_definition d = {
        .tree = tree, .opts = opts, .desc = &p->desc, .params = &p->params, .fault = fault};
    int32_t rc = source_check(tree, &facts, fault);
    if (rc == LSCHED_OK) rc = find_table(tree, &d.table, fault);
    if (rc == LSCHED_OK) rc = plain_definition_read(&d);
    if (rc == LSCHED_OK) rc = plain_policy_check_nodes(tree, &p->params, fault);
    if (rc != LSCHED_OK) return rc;
    sort_params(p);
    keep_warnings(p, tree, source_warning);
    keep_warnings(p, tree, doubts_next);
    return LSCHED_OK;
}

int32_t plain_policy_create(struct alloc *alloc, const char *name, const char *text, size_t len,
                            const lsched_policy_opts *opts, struct policy *out, lsched_error *err) {
    struct fault fault;
    struct parse_tree tree = {0};
    char shown[NAME_BYTES];
    policy_keys_copy_name(shown, sizeof shown, name);
    fault_clear(&fault);
    size_t bytes = sizeof(struct plain_policy) + len + 1;
    struct plain_policy *p = alloc_zero(alloc, bytes);
    if (!p)
        return fault_set(&fault, LSCHED_E_NOMEM, "out of memory"),
               fault_report(&fault, shown, "", err);
    p->alloc = alloc;
    p->bytes = bytes;
    memcpy(p->text, text, len);
    policy_keys_copy_name(p->name, sizeof p->name, name);
    policy_keys_copy_name(p->desc.name, sizeof p->desc.name, name);
    p->desc.hash = hash_bytes(text, len, 0);
    int32_t rc = parse_text(&tree, alloc, p->text, len, &fault);
    if (rc == LSCHED_OK) rc = plain_load(p, &tree, opts, &fault);
    tree_free(&tree);
    if (rc != LSCHED_OK) {
        alloc_free(alloc, p, bytes);
        return fault_report(&fault, shown, "", err);
    }
    *out = (struct policy){&plain_ops, p, p->desc};
    return LSCHED_OK;
}
