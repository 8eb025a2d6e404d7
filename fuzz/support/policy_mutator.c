/* policy_mutator.c -- see policy_mutator.h. */
#include "support/policy_mutator.h"

#include <stdio.h>
#include <string.h>

#include "lua/front/lua_parse.h"
#include "lua/front/lua_source.h"
#include "policy/policy.h"

/* libFuzzer's own mutations; absent where files are replayed. */
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

enum { MADE_BYTES = 2000, MADE_DEPTH = 4, MADE_NAMES = 6 };

/* A text that is being made. What no longer fits is left out. */
struct made {
    uint64_t random;
    uint32_t is_wild; /* any name, any type: most of it is an error */
    uint32_t n_names, n_params;
    char names[MADE_NAMES][16];  /* parameters in scope */
    char params[MADE_NAMES][24]; /* of the policy */
    size_t n;
    char text[MADE_BYTES];
};

static uint32_t below(struct made *m, uint32_t n) {
    m->random ^= m->random << 13;
    m->random ^= m->random >> 7;
    m->random ^= m->random << 17;
    return (uint32_t)((m->random >> 20) % n);
}

static void put(struct made *m, const char *text) {
    size_t n = strlen(text);
    if (m->n + n + 2 > sizeof m->text) return;
    memcpy(m->text + m->n, text, n);
    m->n += n;
    m->text[m->n++] = ' ';
}

#define PICK(m, list) ((list)[below(m, sizeof(list) / sizeof(list)[0])])

/* ---- making Lua ------------------------------------------------------------------------------ */

static const char *const objects[POLICY_OBJECTS] = {"job", "queue", "node", "candidate", "cluster"};
static const char *const numbers[] = {"0",     "1",    "2",   "0.5",   "-1",     "3600",
                                      "1e300", "1e-9", "0/0", "-2",    "100",    "64",
                                      "7",     "1e16", "10",  "(1/0)", "(-1/0)", "2147483647"};
static const char *const texts[] = {"'a'",      "'zone-a'",   "''",     "'binpack'",
                                    "'spread'", "'allocate'", "'fgd'",  "'best-fit'",
                                    "'gpu'",    "'red'",      "'H100'", "'j3'"};
static const char *const arithmetic[] = {"+", "-", "*", "/", "%", "+", "-", "*"};
static const char *const comparisons[] = {"==", "~=", "<", ">", "<=", ">="};
static const char *const any_operators[] = {"..", "and", "or", "==", "+", "%", "<"};
static const char *const functions[] = {"math.floor", "math.sqrt", "math.abs", "math.exp",
                                        "math.log",   "math.ceil", "hour",     "weekday"};
static const char *const wild_functions[] = {"tonumber", "tostring", "hash",  "#",
                                             "not",      "-",        "type",  "log",
                                             "error",    "ipairs",   "pairs", "string.len"};

static void make_expression(struct made *m, uint32_t depth);
static void make_condition(struct made *m, uint32_t depth);

/* An object in scope, POLICY_OBJECTS if there is none. */
static uint32_t pick_object(struct made *m) {
    if (m->is_wild) return below(m, POLICY_OBJECTS);
    uint32_t first = m->n_names ? below(m, m->n_names) : 0;
    for (uint32_t i = 0; i < m->n_names; i++) {
        for (uint32_t o = 0; o < POLICY_OBJECTS; o++) {
            if (strcmp(m->names[(first + i) % m->n_names], objects[o]) == 0) return o;
        }
    }
    return POLICY_OBJECTS;
}

static int make_field(struct made *m, uint32_t type) {
    uint32_t object = pick_object(m), f = below(m, POLICY_FIELDS);
    if (object == POLICY_OBJECTS) return 0;
    for (uint32_t i = 0; i < POLICY_FIELDS; i++, f = (f + 1) % POLICY_FIELDS) {
        const struct policy_field_info *info = &policy_field_infos[f];
        if (info->object != object || (info->type != type && !m->is_wild)) continue;
        put(m, objects[object]);
        put(m, ".");
        put(m, info->name);
        if (info->type == POLICY_LABELS) put(m, ".zone");
        return 1;
    }
    return 0;
}

static void make_atom(struct made *m) {
    static const char *const odd[] = {"now",  "x",      "y",   "job",  "node", "nil",
                                      "true", "params", "t.x", "t[1]", "'a'"};
    uint32_t way = below(m, 10);
    if (m->is_wild && way < 2) {
        put(m, PICK(m, odd));
    } else if (way == 2 && m->n_params) {
        put(m, "params.");
        put(m, m->params[below(m, m->n_params)]);
    } else if (way < 4 || !make_field(m, POLICY_NUMBER)) {
        put(m, PICK(m, numbers));
    }
}

static void make_pair(struct made *m, uint32_t depth, const char *operator) {
    put(m, "(");
    make_expression(m, depth - 1);
    put(m, operator);
    make_expression(m, depth - 1);
    put(m, ")");
}

/* A number, unless it is wild. Of bounded depth. */
static void make_expression(struct made *m, uint32_t depth) {
    switch (depth ? below(m, m->is_wild ? 9 : 7) : 0) {
    case 1:
    case 2: make_pair(m, depth, PICK(m, arithmetic)); break;
    case 3:
        put(m, below(m, 2) ? "math.min(" : "math.max(");
        make_expression(m, depth - 1);
        put(m, ",");
        make_expression(m, depth - 1);
        put(m, ")");
        break;
    case 4:
        put(m, PICK(m, functions));
        put(m, "(");
        make_expression(m, depth - 1);
        put(m, ")");
        break;
    case 5:
        put(m, "(");
        make_condition(m, depth - 1);
        put(m, "and");
        make_expression(m, depth - 1);
        put(m, "or");
        make_expression(m, depth - 1);
        put(m, ")");
        break;
    case 7: make_pair(m, depth, PICK(m, any_operators)); break;
    case 8:
        put(m, PICK(m, wild_functions));
        put(m, "(");
        make_expression(m, depth - 1);
        put(m, ")");
        break;
    default: make_atom(m);
    }
}

static void make_condition(struct made *m, uint32_t depth) {
    uint32_t way = below(m, 6);
    if (depth && way < 2) {
        put(m, way ? "not (" : "(");
        make_condition(m, depth - 1);
        if (!way) put(m, below(m, 2) ? "and" : "or");
        if (!way) make_condition(m, depth - 1);
        put(m, ")");
    } else if (way == 2 && make_field(m, POLICY_TEXT)) {
        put(m, below(m, 2) ? "==" : "~=");
        put(m, PICK(m, texts));
    } else if (way != 3 || !make_field(m, POLICY_BOOL)) {
        make_expression(m, depth);
        put(m, PICK(m, comparisons));
        make_expression(m, depth);
    }
}

static void make_statement(struct made *m, uint32_t depth) {
    static const char *const wild[] = {
        "x =", "t.x =", "t[x] =", "job.priority =", "y, x =", "local y, x ="};
    switch (below(m, m->is_wild ? 8 : 6)) {
    case 0:
        put(m, "if");
        make_condition(m, 2);
        put(m, "then return");
        make_expression(m, 2);
        put(m, "end");
        break;
    case 1:
        put(m, "do local x = 0 for i = 1,");
        put(m, PICK(m, numbers));
        put(m, "do x = x +");
        make_expression(m, 1);
        put(m, "if x > 1e6 then break end end end");
        break;
    case 2:
        put(m,
            "local t = { 1, 2 } t[3] = #t table.append(t, t[1]) for k, v in pairs(t) do local y = v end");
        break;
    case 3:
        put(m, "log('said' ..");
        make_expression(m, 1);
        put(m, ")");
        break;
    case 6:
        put(m, PICK(m, wild));
        make_expression(m, 2);
        break;
    case 7:
        put(m, "while");
        make_condition(m, 1);
        put(m, "do");
        if (depth) make_statement(m, depth - 1);
        put(m, "end");
        break;
    default: put(m, "local x ="); make_expression(m, 3);
    }
}

enum answer { A_NUMBER, A_COST, A_CONDITION, A_TABLE, A_WORD, A_ACTIONS, A_NOTHING };

static void make_answer(struct made *m, enum answer answer) {
    static const char *const actions[] = {"'allocate'", "'reclaim'", "'preempt'", "'consolidate'",
                                          "'evict-idle'"};
    if (m->is_wild && below(m, 2)) answer = (enum answer)below(m, A_NOTHING);
    switch (answer) {
    case A_COST:
        put(m, "math.abs(");
        make_expression(m, MADE_DEPTH - 1);
        put(m, ")");
        break;
    case A_CONDITION: make_condition(m, MADE_DEPTH - 1); break;
    case A_TABLE:
        put(m, below(m, 2) ? "{ gpu = math.abs(" : "{ cpu = math.abs(");
        make_expression(m, 2);
        put(m, ") }");
        break;
    case A_WORD: put(m, PICK(m, texts)); break;
    case A_ACTIONS:
        put(m, "{");
        put(m, PICK(m, actions));
        put(m, ",");
        put(m, PICK(m, actions));
        put(m, "}");
        break;
    default: make_expression(m, MADE_DEPTH - 1);
    }
}

static void set_names(struct made *m, const char *a, const char *b) {
    m->n_names = b ? 3 : 2;
    snprintf(m->names[0], sizeof m->names[0], "%s", a);
    snprintf(m->names[1], sizeof m->names[1], "%s", b ? b : "now");
    snprintf(m->names[2], sizeof m->names[2], "now");
}

static void make_hook(struct made *m) {
    static const struct {
        const char *name, *a, *b;
        enum answer answer;
    } hooks[] = {
        {"priority", "job", "queue", A_NUMBER},
        {"preempt_priority", "job", "queue", A_NUMBER},
        {"quota", "queue", NULL, A_TABLE},
        {"weight", "queue", NULL, A_COST},
        {"admit", "job", "queue", A_CONDITION},
        {"filter", "job", "node", A_CONDITION},
        {"score", "job", "node", A_NUMBER},
        {"victim", "job", "candidate", A_COST},
        {"limit", "queue", NULL, A_TABLE},
        {"queue_order", "queue", NULL, A_NUMBER},
        {"time_limit", "job", "queue", A_COST},
        {"idle", "job", "queue", A_CONDITION},
        {"gang_minimum", "job", "queue", A_NUMBER},
        {"placement", "job", "queue", A_WORD},
        {"pipeline", "cluster", NULL, A_ACTIONS},
        {"eviction = { release_seconds = 5 },", NULL, NULL, A_NOTHING},
        {"fair_share = 'quota', usage = { half_life = 600, weight = 0.5 },", NULL, NULL, A_NOTHING},
        {"pipeline = { 'evict-idle', 'evict-overdue', 'allocate', 'reclaim', 'preempt' },", NULL,
         NULL, A_NOTHING}};
    uint32_t i = below(m, sizeof hooks / sizeof hooks[0]);
    put(m, hooks[i].name);
    if (!hooks[i].a) return;
    set_names(m, hooks[i].a, hooks[i].b);
    put(m, "= function(");
    put(m, hooks[i].a);
    put(m, hooks[i].b ? "," : "");
    put(m, hooks[i].b ? hooks[i].b : "");
    put(m, ", now)");
    for (uint32_t n = below(m, 3); n-- > 0;) make_statement(m, 1);
    put(m, "return");
    make_answer(m, hooks[i].answer);
    put(m, "end,");
}

/* ---- placing it ------------------------------------------------------------------------------ */

/* Bytes [at, at + len) become what was made. */
static size_t splice(uint8_t *data, size_t size, size_t max_size, size_t at, size_t len,
                     const char *text, size_t n) {
    if (at + len > size || size - len + n > max_size) return size;
    memmove(data + at + n, data + at + len, size - at - len);
    memcpy(data + at, text, n);
    return size - len + n;
}

/* The parameters around a node and those of the policy become the names of what is made. */
static void take_scope(struct made *m, const struct parse_tree *tree, uint32_t node) {
    uint32_t len, function = tree_at(tree, node)->function;
    m->n_names = m->n_params = 0;
    for (; function && function != PARSE_NONE; function = tree_at(tree, function)->function) {
        uint32_t v = tree_at(tree, tree_at(tree, function)->first)->first;
        for (; v != PARSE_NONE && m->n_names < MADE_NAMES; v = tree_at(tree, v)->next) {
            const char *word = tree_word(tree, v, &len);
            if (word && len < sizeof m->names[0])
                snprintf(m->names[m->n_names++], sizeof m->names[0], "%.*s", (int)len, word);
        }
    }
    uint32_t key = source_key(tree, "params");
    if (key == PARSE_NONE || tree_at(tree, tree_at(tree, key)->next)->kind != PARSE_TABLE) return;
    uint32_t item = tree_at(tree, tree_at(tree, key)->next)->first;
    for (; item != PARSE_NONE && m->n_params < MADE_NAMES; item = tree_at(tree, item)->next) {
        const char *word = tree_word(tree, tree_at(tree, item)->first, &len);
        if (word && len < sizeof m->params[0])
            snprintf(m->params[m->n_params++], sizeof m->params[0], "%.*s", (int)len, word);
    }
}

/* What may be another number, condition or text. */
static int is_replaceable(const struct parse_tree *tree, uint32_t node) {
    const struct parse_node *n = tree_at(tree, node), *parent = tree_at(tree, n->parent);
    if (n->kind == PARSE_PAREN || n->kind == PARSE_NUMBER || n->kind == PARSE_STRING ||
        n->kind == PARSE_TRUE || n->kind == PARSE_FALSE || n->kind == PARSE_BINARY ||
        n->kind == PARSE_INDEX || n->kind == PARSE_CALL || n->kind == PARSE_UNARY)
        return parent->kind != PARSE_CALL_STATEMENT && parent->kind != PARSE_INDEX &&
               parent->kind != PARSE_FUNCTION_STATEMENT &&
               !(parent->first == node &&
                 (parent->kind == PARSE_CALL || parent->kind == PARSE_METHOD_CALL)) &&
               !(parent->kind == PARSE_LIST &&
                 tree_at(tree, parent->parent)->kind == PARSE_ASSIGN &&
                 tree_at(tree, parent->parent)->first == n->parent) &&
               !(parent->kind == PARSE_ITEM_WORD && tree_is_word(tree, parent->first, "api"));
    return 0;
}

static void make_like(struct made *m, const struct parse_node *n) {
    int is_condition =
        n->kind == PARSE_TRUE || n->kind == PARSE_FALSE ||
        (n->kind == PARSE_BINARY && n->operator>= LEX_EQUAL && n->operator!= LEX_CONCAT) ||
        (n->kind == PARSE_BINARY && (n->operator== '<' || n->operator== '>')) ||
        (n->kind == PARSE_UNARY && n->operator== LEX_NOT);
    if (n->kind == PARSE_STRING && below(m, 8)) {
        put(m, PICK(m, texts));
    } else if (is_condition) {
        put(m, "(");
        make_condition(m, 2);
        put(m, ")");
    } else {
        make_expression(m, below(m, MADE_DEPTH));
    }
}

static size_t change_tree(struct made *m, const struct parse_tree *tree, uint8_t *data, size_t size,
                          size_t max_size) {
    uint32_t node = below(m, tree->n), way = below(m, 10);
    for (uint32_t i = 0; i < tree->n; i++, node = (node + 1) % tree->n) {
        const struct parse_node *n = tree_at(tree, node);
        take_scope(m, tree, node);
        int is_setting = n->kind == PARSE_STRING && !n->function && !m->is_wild;
        if (way < 6 && !is_setting && is_replaceable(tree, node)) {
            make_like(m, n);
            return splice(data, size, max_size, n->at, n->len, m->text, m->n);
        }
        if (way == 6 && n->kind == PARSE_BLOCK && n->function) {
            make_statement(m, 2);
            return splice(data, size, max_size, n->at, 0, m->text, m->n);
        }
        if (way == 7 && n->kind == PARSE_TABLE && tree_at(tree, n->parent)->kind == PARSE_RETURN) {
            make_hook(m);
            return splice(data, size, max_size, n->at + 1, 0, m->text, m->n);
        }
        if (way == 8 && n->kind > PARSE_LOCAL && n->kind < PARSE_FUNCTION_STATEMENT &&
            (n->function || m->is_wild))
            return splice(data, size, max_size, n->at, n->len, "", 0);
        if (way == 9 && n->kind == PARSE_BINARY && strchr("+-*/%<>", n->operator< 128 ? n->operator: 0)) {
            uint32_t at = tree_at(tree, n->first)->at + tree_at(tree, n->first)->len;
            uint32_t end = tree_at(tree, tree_at(tree, n->first)->next)->at;
            put(m, "");
            put(m, n->operator== '<' || n->operator== '>' ? PICK(m, comparisons)
                                                          : PICK(m, arithmetic));
            return splice(data, size, max_size, at, end - at, m->text, m->n);
        }
    }
    return size;
}

/* Texts that do not parse: tokens are exchanged. */
static size_t change_tokens(struct made *m, uint8_t *data, size_t size, size_t max_size) {
    struct lex lex;
    struct lex_token t, chosen = {0}, other = {0};
    char copy[64];
    uint32_t seen = 0;
    lex_begin(&lex, (const char *)data, size);
    while (lex_next(&lex, &t) == LSCHED_OK && t.kind != LEX_END) {
        seen++;
        if (below(m, seen) == 0) chosen = t;
        if (below(m, seen) == 0) other = t;
    }
    if (!chosen.len) {
        put(m, "return { api = 1,");
        make_hook(m);
        put(m, "}");
        return splice(data, size, max_size, 0, size, m->text, m->n);
    }
    if (other.len >= sizeof copy || below(m, 3) == 0) {
        make_expression(m, 1);
        return splice(data, size, max_size, chosen.at, chosen.len, m->text, m->n);
    }
    memcpy(copy, data + other.at, other.len);
    return splice(data, size, max_size, chosen.at, below(m, 2) ? chosen.len : 0, copy, other.len);
}

static size_t change_once(struct made *m, uint8_t *data, size_t size, size_t max_size) {
    struct alloc alloc;
    struct parse_tree tree;
    struct fault fault;
    m->n = 0;
    m->is_wild = below(m, 12) == 0;
    if (alloc_init(&alloc, NULL, 0) != LSCHED_OK) return size;
    fault_clear(&fault);
    if (parse_text(&tree, &alloc, (const char *)data, size, &fault) < 0)
        return change_tokens(m, data, size, max_size);
    size = change_tree(m, &tree, data, size, max_size);
    tree_free(&tree);
    return size;
}

size_t policy_mutate(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
    struct made m = {.random = seed * UINT64_C(0x9E3779B97F4A7C15) + 1};
    below(&m, 2);
    if (LLVMFuzzerMutate && below(&m, 24) == 0) return LLVMFuzzerMutate(data, size, max_size);
    for (uint32_t n = 1 + below(&m, 3); n-- > 0;) size = change_once(&m, data, size, max_size);
    return size;
}
