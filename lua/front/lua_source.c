/* lua_source.c -- see lua_source.h. */
#include "lua/front/lua_source.h"

#include <stdio.h>
#include <string.h>

#include "policy/action_params.h"

static const struct parse_node *lua_source_at(const struct parse_tree *tree, uint32_t node) {
    return tree_at(tree, node);
}

static uint32_t lua_source_kind_of(const struct parse_tree *tree, uint32_t node) {
    return node == PARSE_NONE ? (uint32_t)PARSE_NONE : tree->nodes[node].kind;
}

static int lua_source_shown(uint32_t len) {
    return (int)(len < 40 ? len : 40);
}

/* ---- assignments that a policy must not make ---- */

static int32_t refuse_assignment(const struct parse_tree *tree, uint32_t name, uint32_t variable,
                                 struct fault *fault) {
    const struct parse_node *n = lua_source_at(tree, name);
    uint32_t len;
    const char *word = tree_word(tree, variable == PARSE_NONE ? name : variable, &len);
    if (variable == PARSE_NONE && !n->function && len == 6 && memcmp(word, "policy", 6) == 0)
        return fault_at(fault, LSCHED_E_POLICY, n->line, n->column,
                        "assignment to global 'policy'; a policy text returns its table: write "
                        "return { ... } instead of policy = { ... }");
    if (variable == PARSE_NONE)
        return fault_at(fault, LSCHED_E_POLICY, n->line, n->column,
                        "assignment to global '%.*s'; write local %.*s", lua_source_shown(len),
                        word, lua_source_shown(len), word);
    return fault_at(
        fault, LSCHED_E_POLICY, n->line, n->column,
        "functions are pure: '%.*s' belongs to the %s and cannot be assigned inside a function",
        lua_source_shown(len), word,
        lua_source_at(tree, variable)->function ? "function around" : "chunk");
}

static int32_t lua_source_check_name(const struct parse_tree *tree, uint32_t name,
                                     struct fault *fault) {
    const struct parse_node *n = lua_source_at(tree, name);
    if (n->ref != PARSE_NONE && lua_source_at(tree, n->ref)->function == n->function)
        return LSCHED_OK;
    return refuse_assignment(tree, name, n->ref, fault);
}

/* Returns the expression below all indexes and parentheses: `a` for (a.b)[c]. Adds the number of
 * indexes to *n_indexes. */
static uint32_t lua_source_root_of(const struct parse_tree *tree, uint32_t node,
                                   uint32_t *n_indexes) {
    while (lua_source_kind_of(tree, node) == PARSE_INDEX ||
           lua_source_kind_of(tree, node) == PARSE_PAREN) {
        *n_indexes += lua_source_kind_of(tree, node) == PARSE_INDEX;
        node = lua_source_at(tree, node)->first;
    }
    return node;
}

/* Checks an assignment to an entry, such as t.x = ..., inside a function. If t is a local that is
 * assigned once, its initial value says which table it holds; the loop follows such locals. The
 * loop ends, because each step leads to a variable that was declared earlier. */
static int32_t check_entry(const struct parse_tree *tree, uint32_t target,
                           struct source_facts *facts, struct fault *fault) {
    uint32_t depth = 0, function = lua_source_at(tree, target)->function;
    uint32_t first = lua_source_root_of(tree, target, &depth), root = first;
    for (;;) {
        if (lua_source_kind_of(tree, root) == PARSE_TABLE && depth <= 1)
            return LSCHED_OK; /* the function itself has made the table */
        if (lua_source_kind_of(tree, root) != PARSE_NAME ||
            lua_source_at(tree, root)->ref == PARSE_NONE)
            break;
        uint32_t variable = lua_source_at(tree, root)->ref;
        if (lua_source_at(tree, variable)->function == 0)
            return refuse_assignment(tree, first, variable, fault);
        if (lua_source_at(tree, variable)->function != function) break;
        if (lua_source_at(tree, variable)->flags & PARSE_IS_ASSIGNED) break;
        root = tree_initial(tree, variable);
        if (root == PARSE_NONE) break;
        root = lua_source_root_of(tree, root, &depth);
    }
    facts->assigns = 1;
    return LSCHED_OK;
}

static int32_t check_target(const struct parse_tree *tree, uint32_t target,
                            struct source_facts *facts, struct fault *fault) {
    if (lua_source_kind_of(tree, target) == PARSE_NAME)
        return lua_source_check_name(tree, target, fault);
    if (lua_source_at(tree, target)->function == 0) return LSCHED_OK;
    return check_entry(tree, target, facts, fault);
}

int32_t source_check(const struct parse_tree *tree, struct source_facts *facts,
                     struct fault *fault) {
    *facts = (struct source_facts){0};
    /* statements have indexes in the order of the text, so the first error of the text is
     * reported */
    for (uint32_t i = 0; i < tree->n; i++) {
        int32_t rc = LSCHED_OK;
        uint32_t kind = lua_source_kind_of(tree, i), target = lua_source_at(tree, i)->first;
        if (kind == PARSE_FUNCTION_STATEMENT) {
            rc = check_target(tree, target, facts, fault);
        } else if (kind == PARSE_ASSIGN) {
            target = lua_source_at(tree, target)->first;
            for (; rc == LSCHED_OK && target != PARSE_NONE;
                 target = lua_source_at(tree, target)->next)
                rc = check_target(tree, target, facts, fault);
        }
        if (rc < 0) return rc;
    }
    return LSCHED_OK;
}

/* ---- functions ---- */

/* Returns the value of `key = value` or ["key"] = value in a table constructor. If the key is given
 * several times, it returns the last value. Returns PARSE_NONE if the constructor has a computed
 * key, because a computed key could equal any key. */
static uint32_t item_value(const struct parse_tree *tree, uint32_t table, const char *key) {
    uint32_t value = PARSE_NONE, len;
    for (uint32_t i = lua_source_at(tree, table)->first; i != PARSE_NONE;
         i = lua_source_at(tree, i)->next) {
        if (lua_source_kind_of(tree, i) == PARSE_ITEM) continue;
        uint32_t word = lua_source_at(tree, i)->first;
        if (!tree_word(tree, word, &len) || lua_source_kind_of(tree, word) == PARSE_NAME)
            return PARSE_NONE;
        if (tree_is_word(tree, word, key)) value = lua_source_at(tree, word)->next;
    }
    return value;
}

/* Returns the function under `key` in the table that the chunk returns. Returns PARSE_NONE if the
 * chunk has several return statements or returns anything but a table constructor. */
static uint32_t returned_function(const struct parse_tree *tree, const char *key) {
    uint32_t table = PARSE_NONE;
    for (uint32_t i = 0; i < tree->n; i++) {
        if (lua_source_kind_of(tree, i) != PARSE_RETURN || lua_source_at(tree, i)->function != 0)
            continue;
        if (table != PARSE_NONE ||
            lua_source_kind_of(tree, lua_source_at(tree, i)->first) != PARSE_TABLE)
            return PARSE_NONE;
        table = lua_source_at(tree, i)->first;
    }
    if (table == PARSE_NONE) return PARSE_NONE;
    return tree_known_function(tree, item_value(tree, table, key));
}

uint32_t source_function(const struct parse_tree *tree, uint32_t line, uint32_t last_line,
                         const char *key) {
    uint32_t n = 0, found = PARSE_NONE, returned = returned_function(tree, key);
    for (uint32_t i = 0; i < tree->n; i++) {
        if (lua_source_kind_of(tree, i) != PARSE_FUNCTION) continue;
        if (tree_function_line(tree, i) != line || lua_source_at(tree, i)->line_end != last_line)
            continue;
        if (i == returned) return i;
        found = i;
        n++;
    }
    return n == 1 ? found : PARSE_NONE;
}

/* ---- following arguments ---- */

struct followed {
    uint32_t variable;
    uint8_t argument, is_certain;
};

struct follow {
    const struct parse_tree *tree;
    struct source_arguments *out;
    source_field_fn visit;
    void *user;
    uint32_t n;
    struct followed list[SOURCE_FOLLOWED_MAX];
};

static void escape(struct follow *f, uint32_t argument) {
    f->out->escapes |= 1u << argument;
}

static void follow_variable(struct follow *f, uint32_t variable, uint32_t argument,
                            int is_certain) {
    for (uint32_t i = 0; i < f->n; i++) {
        if (f->list[i].variable == variable && f->list[i].argument == argument) return;
    }
    if (f->n == SOURCE_FOLLOWED_MAX ||
        (lua_source_at(f->tree, variable)->flags & PARSE_IS_ASSIGNED)) {
        escape(f, argument);
        return;
    }
    f->list[f->n++] = (struct followed){variable, (uint8_t)argument, (uint8_t)is_certain};
}

static uint32_t position_in(const struct parse_tree *tree, uint32_t parent, uint32_t child) {
    uint32_t i = 0;
    for (uint32_t c = lua_source_at(tree, parent)->first; c != child;
         c = lua_source_at(tree, c)->next)
        i++;
    return i;
}

static int is_target(const struct parse_tree *tree, uint32_t index) {
    uint32_t parent = lua_source_at(tree, index)->parent,
             above = lua_source_at(tree, parent)->parent;
    if (lua_source_kind_of(tree, parent) == PARSE_FUNCTION_STATEMENT) return 1;
    return lua_source_kind_of(tree, parent) == PARSE_LIST &&
           lua_source_kind_of(tree, above) == PARSE_ASSIGN &&
           lua_source_at(tree, above)->first == parent;
}

/* Returns the text of a key, or NULL if it is not certain. A local that is initialized with a
 * string and not assigned again counts as the string. */
static const char *key_word(const struct parse_tree *tree, uint32_t key, uint32_t *len) {
    const struct parse_node *n = lua_source_at(tree, key);
    if (n->kind == PARSE_NAME) {
        if (n->ref == PARSE_NONE || (lua_source_at(tree, n->ref)->flags & PARSE_IS_ASSIGNED))
            return NULL;
        key = tree_initial(tree, n->ref);
        if (lua_source_kind_of(tree, key) != PARSE_STRING) return NULL;
    }
    return tree_word(tree, key, len);
}

static int32_t follow_index(struct follow *f, uint32_t node, const struct followed *by) {
    uint32_t index = lua_source_at(f->tree, node)->parent, len;
    const char *word = NULL;
    if (lua_source_at(f->tree, index)->first == node)
        word = key_word(f->tree, lua_source_at(f->tree, node)->next, &len);
    if (!word) {
        escape(f, by->argument);
        return LSCHED_OK;
    }
    if (!f->visit) return LSCHED_OK;
    return f->visit(f->user, by->argument, lua_source_at(f->tree, node)->next, word, len,
                    is_target(f->tree, index), by->is_certain);
}

static void follow_call(struct follow *f, uint32_t node, const struct followed *by) {
    const struct parse_tree *tree = f->tree;
    uint32_t call = lua_source_at(tree, node)->parent, place = position_in(tree, call, node);
    uint32_t function =
        place ? tree_known_function(tree, lua_source_at(tree, call)->first) : PARSE_NONE;
    if (function == PARSE_NONE) {
        escape(f, by->argument);
        return;
    }
    uint32_t param = tree_child(tree, lua_source_at(tree, function)->first, place - 1);
    if (lua_source_kind_of(tree, param) == PARSE_VARIABLE)
        follow_variable(f, param, by->argument, 0);
    else if (lua_source_at(tree, function)->flags & PARSE_IS_VARARG)
        escape(f, by->argument);
}

static void follow_local(struct follow *f, uint32_t node, const struct followed *by) {
    const struct parse_tree *tree = f->tree;
    uint32_t list = lua_source_at(tree, node)->parent,
             statement = lua_source_at(tree, list)->parent;
    if (lua_source_kind_of(tree, statement) != PARSE_LOCAL) {
        escape(f, by->argument);
        return;
    }
    uint32_t variable =
        tree_child(tree, lua_source_at(tree, statement)->first, position_in(tree, list, node));
    if (variable != PARSE_NONE) follow_variable(f, variable, by->argument, by->is_certain);
}

/* Follows one use of a variable that holds the object. `node` is the NAME. */
static int32_t follow_use(struct follow *f, uint32_t node, const struct followed *by) {
    const struct parse_tree *tree = f->tree;
    while (lua_source_kind_of(tree, lua_source_at(tree, node)->parent) == PARSE_PAREN)
        node = lua_source_at(tree, node)->parent;
    const struct parse_node *parent = lua_source_at(tree, lua_source_at(tree, node)->parent);
    switch (parent->kind) {
    case PARSE_INDEX: return follow_index(f, node, by);
    case PARSE_CALL: follow_call(f, node, by); break;
    case PARSE_LIST: follow_local(f, node, by); break;
    case PARSE_IF:
    case PARSE_WHILE:
    case PARSE_REPEAT: break; /* not an escape: the object is only a condition */
    case PARSE_UNARY:
        if (parent->operator!= LEX_NOT) escape(f, by->argument);
        break;
    /* For `job and x` the result is x or false, never the object, so the object does not escape. */
    case PARSE_BINARY:
        if (parent->operator== LEX_EQUAL || parent->operator== LEX_UNLIKE) break;
        if (parent->operator!= LEX_AND || parent->first != node) escape(f, by->argument);
        break;
    default: escape(f, by->argument);
    }
    return LSCHED_OK;
}

static void follow_params(struct follow *f, uint32_t function, uint32_t n) {
    const struct parse_tree *tree = f->tree;
    uint32_t param = lua_source_at(tree, lua_source_at(tree, function)->first)->first, i = 0;
    f->out->is_vararg = (lua_source_at(tree, function)->flags & PARSE_IS_VARARG) != 0;
    for (; lua_source_kind_of(tree, param) == PARSE_VARIABLE;
         param = lua_source_at(tree, param)->next, i++) {
        if (i < n) follow_variable(f, param, i, 1);
        for (uint32_t k = 0; i < 32 && k < tree->n; k++) {
            if (lua_source_kind_of(tree, k) == PARSE_NAME && lua_source_at(tree, k)->ref == param)
                f->out->is_used |= 1u << i;
        }
    }
    f->out->n_params = i;
    for (; f->out->is_vararg && i < n; i++) escape(f, i);
}

int32_t source_follow(const struct parse_tree *tree, uint32_t function, uint32_t n,
                      struct source_arguments *out, source_field_fn visit, void *user) {
    struct follow f = {.tree = tree, .out = out, .visit = visit, .user = user};
    *out = (struct source_arguments){0};
    follow_params(&f, function, n < SOURCE_OBJECTS_MAX ? n : SOURCE_OBJECTS_MAX);
    for (uint32_t i = 0; i < f.n; i++) { /* f.n can grow, because follow_use adds to the list */
        const struct followed by = f.list[i];
        /* names have indexes in the order of the text, so `visit` gets the fields in this order */
        for (uint32_t k = 0; k < tree->n; k++) {
            if (lua_source_kind_of(tree, k) != PARSE_NAME ||
                lua_source_at(tree, k)->ref != by.variable)
                continue;
            int32_t rc = follow_use(&f, k, &by);
            if (rc != LSCHED_OK) return rc;
        }
    }
    return LSCHED_OK;
}

/* ---- words and keys ---- */

void source_words(const struct parse_tree *tree,
                  void (*visit)(void *user, const char *word, uint32_t len), void *user) {
    for (uint32_t i = 0; i < tree->n; i++) {
        uint32_t len, kind = lua_source_kind_of(tree, i),
                      above = lua_source_kind_of(tree, lua_source_at(tree, i)->parent);
        int is_key = kind == PARSE_WORD && (above == PARSE_INDEX || above == PARSE_METHOD_CALL);
        const char *word = is_key || kind == PARSE_STRING ? tree_word(tree, i, &len) : NULL;
        if (word) visit(user, word, len);
    }
}

static uint32_t lua_source_depth_of(const struct parse_tree *tree, uint32_t node) {
    uint32_t depth = 0;
    while ((node = lua_source_at(tree, node)->parent) != PARSE_NONE) depth++;
    return depth;
}

/* True if the node is a key of a table that is known from the text: KEY = or ["KEY"] =. */
static int is_item_key(const struct parse_tree *tree, uint32_t node) {
    uint32_t kind = lua_source_kind_of(tree, node);
    if (kind != PARSE_WORD && kind != PARSE_STRING) return 0;
    uint32_t item = lua_source_at(tree, node)->parent, of = lua_source_kind_of(tree, item);
    return kind == PARSE_WORD ? of == PARSE_ITEM_WORD
                              : of == PARSE_ITEM_KEY && lua_source_at(tree, item)->first == node;
}

uint32_t source_key(const struct parse_tree *tree, const char *key) {
    uint32_t best = PARSE_NONE, best_depth = UINT32_MAX;
    for (uint32_t i = 0; i < tree->n; i++) {
        if (!is_item_key(tree, i) || !tree_is_word(tree, i, key)) continue;
        uint32_t depth = lua_source_depth_of(tree, i);
        if (depth < best_depth) best = i;
        if (depth < best_depth) best_depth = depth;
    }
    return best;
}

static uint32_t key_inside(const struct parse_tree *tree, uint32_t outer, const char *key) {
    uint32_t value = outer == PARSE_NONE ? PARSE_NONE : lua_source_at(tree, outer)->next;
    if (lua_source_kind_of(tree, value) != PARSE_TABLE) return PARSE_NONE;
    for (uint32_t i = lua_source_at(tree, value)->first; i != PARSE_NONE;
         i = lua_source_at(tree, i)->next) {
        uint32_t word = lua_source_at(tree, i)->first;
        if (is_item_key(tree, word) && tree_is_word(tree, word, key)) return word;
    }
    return PARSE_NONE;
}

uint32_t source_inner_key(const struct parse_tree *tree, const char *table, const char *key) {
    return key_inside(tree, source_key(tree, table), key);
}

uint32_t source_path(const struct parse_tree *tree, const char *const *path, uint32_t n) {
    uint32_t at = source_key(tree, path[0]);
    for (uint32_t i = 1; i < n && path[i]; i++) {
        uint32_t inner = key_inside(tree, at, path[i]);
        if (inner == PARSE_NONE) break;
        at = inner;
    }
    return at;
}

int source_token(const char *text, size_t len, uint32_t line, const char *word,
                 struct lex_token *token) {
    struct lex lex;
    size_t n = strlen(word);
    lex_begin(&lex, text, len);
    while (lex_next(&lex, token) == LSCHED_OK) {
        if ((line == 0 || token->line == line) && lex_is(&lex, token, word, n)) return 1;
        if (token->kind == LEX_END) break;
    }
    return 0;
}

/* ---- warnings ---- */

enum { WARNING_WORDS_MAX = 128 };

static int lua_source_same_word(const struct parse_tree *tree, uint32_t a, uint32_t b) {
    uint32_t n, m;
    const char *p = tree_word(tree, a, &n), *q = tree_word(tree, b, &m);
    return p && q && n == m && memcmp(p, q, n) == 0;
}

/* True if an action that the text names reads this parameter of the policy itself. */
static int is_param_of_action(const struct parse_tree *tree, uint32_t key) {
    const struct action_param *known;
    for (uint32_t i = 0; (known = action_params_at(i)) != NULL; i++) {
        if (!tree_is_word(tree, key, known->param)) continue;
        for (uint32_t word = 0; word < tree->n; word++)
            if (tree_is_word(tree, word, known->action)) return 1;
    }
    return 0;
}

/* True if the text reads params.KEY. Also true if `params` is used in a way that cannot be
 * followed, because the text then possibly reads KEY. */
static int is_param_read(const struct parse_tree *tree, uint32_t key) {
    for (uint32_t i = 0; i < tree->n; i++) {
        const struct parse_node *n = lua_source_at(tree, i);
        if (n->kind != PARSE_NAME) continue;
        uint32_t source = i;
        if (n->ref != PARSE_NONE) { /* a local such as p in: local p = params */
            if (lua_source_at(tree, n->ref)->flags & PARSE_IS_ASSIGNED) continue;
            source = tree_initial(tree, n->ref);
            if (lua_source_kind_of(tree, source) != PARSE_NAME ||
                lua_source_at(tree, source)->ref != PARSE_NONE)
                continue;
        }
        if (!tree_is_word(tree, source, "params")) continue;
        uint32_t parent = n->parent, above = lua_source_at(tree, parent)->parent;
        if (lua_source_kind_of(tree, parent) == PARSE_INDEX &&
            lua_source_at(tree, parent)->first == i) {
            uint32_t word = n->next, kind = lua_source_kind_of(tree, word);
            if (kind != PARSE_WORD && kind != PARSE_STRING) return 1;
            if (lua_source_same_word(tree, word, key)) return 1;
        } else if (!(source == i && lua_source_kind_of(tree, parent) == PARSE_LIST &&
                     lua_source_kind_of(tree, above) == PARSE_LOCAL)) {
            return 1;
        } else {
            uint32_t v =
                tree_child(tree, lua_source_at(tree, above)->first, position_in(tree, parent, i));
            if (v == PARSE_NONE || (lua_source_at(tree, v)->flags & PARSE_IS_ASSIGNED)) return 1;
        }
    }
    return 0;
}

static int is_given_later(const struct parse_tree *tree, uint32_t word) {
    uint32_t item = lua_source_at(tree, lua_source_at(tree, word)->parent)->next;
    for (; item != PARSE_NONE; item = lua_source_at(tree, item)->next) {
        uint32_t other = lua_source_at(tree, item)->first;
        if (is_item_key(tree, other) && lua_source_same_word(tree, other, word)) return 1;
    }
    return 0;
}

uint32_t source_warning(const struct parse_tree *tree, uint32_t node, char *text, size_t cap) {
    uint32_t params = source_key(tree, "params"), len, n_words = 0;
    for (uint32_t i = node == PARSE_NONE ? 0 : node + 1; i < tree->n; i++) {
        if (!is_item_key(tree, i)) continue;
        /* the number of keys is limited, because each key costs a walk over the tree */
        if (++n_words > WARNING_WORDS_MAX) break;
        uint32_t table = lua_source_at(tree, lua_source_at(tree, i)->parent)->parent;
        const char *word = tree_word(tree, i, &len);
        if (is_given_later(tree, i)) {
            snprintf(text, cap, "'%.*s' is given twice in this table; only the last value is used",
                     lua_source_shown(len), word);
            return i;
        }
        if (params != PARSE_NONE && lua_source_at(tree, params)->next == table &&
            !is_param_read(tree, i) && !is_param_of_action(tree, i)) {
            snprintf(text, cap, "the parameter '%.*s' is not used", lua_source_shown(len), word);
            return i;
        }
    }
    return PARSE_NONE;
}
