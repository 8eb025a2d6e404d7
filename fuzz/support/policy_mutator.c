/* policy_mutator.c -- see policy_mutator.h. */
#include "support/policy_mutator.h"

#include <stdio.h>
#include <string.h>

#include "lua/lua_parse.h"
#include "policy/policy.h"

/* libFuzzer's own mutations; absent where files are replayed. */
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

enum { MADE_BYTES = 2000, MADE_DEPTH = 4 };

/* A text that is being made. What no longer fits is left out. */
struct made {
    uint64_t random;
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

static const char *const objects[] = {"job", "queue", "node", "candidate", "cluster"};
static const char *const numbers[] = {"0",     "1",          "2",   "0.5", "-1",   "3600",
                                      "1e300", "1e-9",       "0/0", "1/0", "-1/0", "100",
                                      "64",    "2147483647", "7",   "1e16"};
static const char *const texts[] = {"'a'",        "'zone-a'", "''",    "'binpack'",
                                    "'allocate'", "'gpu'",    "'H100'"};
static const char *const operators[] = {"+", "-",  "*",  "/",   "%",  "..", "==", "~=",  "<",
                                        ">", "<=", ">=", "and", "or", "+",  "*",  "and", "or"};
static const char *const functions[] = {
    "math.floor", "math.min",   "math.max",   "math.sqrt", "math.abs", "math.exp",
    "math.log",   "math.pow",   "math.ceil",  "math.fmod", "tonumber", "tostring",
    "hash",       "hour",       "weekday",    "#",         "not",      "-",
    "type",       "string.len", "string.sub", "log",       "error",    "ipairs"};

static void make_field(struct made *m) {
    uint32_t object = below(m, POLICY_OBJECTS), f = below(m, POLICY_FIELDS);
    if (below(m, 8)) { /* mostly one that exists */
        for (uint32_t i = 0; i < POLICY_FIELDS && policy_field_infos[f].object != object; i++)
            f = (f + 1) % POLICY_FIELDS;
    }
    put(m, objects[object]);
    put(m, ".");
    put(m, policy_field_infos[f].name);
    if (policy_field_infos[f].type == POLICY_LABELS) put(m, ".zone");
}

static void make_atom(struct made *m) {
    static const char *const names[] = {"now",   "x",        "y",      "job", "node",
                                        "queue", "params.a", "params", "t.x", "t[1]"};
    switch (below(m, 8)) {
    case 0: put(m, PICK(m, numbers)); break;
    case 1: put(m, PICK(m, texts)); break;
    case 2: put(m, PICK(m, names)); break;
    case 3: put(m, below(m, 3) ? below(m, 2) ? "true" : "false" : "nil"); break;
    default: make_field(m);
    }
}

static void make_expression(struct made *m, uint32_t depth) { /* of bounded depth */
    uint32_t kind = depth ? below(m, 7) : 0;
    switch (kind) {
    case 1:
    case 2:
        make_expression(m, depth - 1);
        put(m, PICK(m, operators));
        make_expression(m, depth - 1);
        break;
    case 3:
        put(m, "(");
        make_expression(m, depth - 1);
        put(m, PICK(m, operators));
        make_expression(m, depth - 1);
        put(m, ")");
        break;
    case 4:
        put(m, PICK(m, functions));
        put(m, "(");
        make_expression(m, depth - 1);
        if (below(m, 3) == 0) {
            put(m, ",");
            make_expression(m, depth - 1);
        }
        put(m, ")");
        break;
    case 5:
        put(m, below(m, 4) ? "{ gpu =" : "{ x =");
        make_expression(m, depth - 1);
        put(m, "}");
        break;
    default: make_atom(m);
    }
}

static void make_statement(struct made *m, uint32_t depth) {
    static const char *const targets[] = {"x", "y", "t.x", "t[x]", "t[1]", "job.priority", "y, x"};
    switch (below(m, 7)) {
    case 0:
        put(m, below(m, 2) ? "local x =" : "local y =");
        make_expression(m, 2);
        break;
    case 1:
        put(m, PICK(m, targets));
        put(m, "=");
        make_expression(m, 2);
        break;
    case 2:
        put(m, "if");
        make_expression(m, 2);
        put(m, "then return");
        make_expression(m, 2);
        put(m, "end");
        break;
    case 3:
        if (below(m, 2)) {
            put(m, "for x = 1,");
            make_expression(m, 1);
        } else {
            put(m, "for x, y in pairs(");
            make_expression(m, 1);
            put(m, ")");
        }
        put(m, "do");
        if (depth) make_statement(m, depth - 1);
        put(m, "end");
        break;
    case 4: put(m, "local t = {}"); break;
    case 5:
        put(m, "while");
        make_expression(m, 1);
        put(m, "do");
        if (depth) make_statement(m, depth - 1);
        put(m, "end");
        break;
    default:
        put(m, "log(");
        make_expression(m, 1);
        put(m, ")");
    }
}

static void make_hook(struct made *m) {
    static const char *const heads[] = {"priority = function(job, queue, now)",
                                        "quota = function(queue, now)",
                                        "weight = function(queue, now)",
                                        "admit = function(job, queue, now)",
                                        "filter = function(job, node, now)",
                                        "score = function(job, node, now)",
                                        "victim = function(job, candidate, now)",
                                        "limit = function(queue, now)",
                                        "queue_order = function(queue, now)",
                                        "time_limit = function(job, queue, now)",
                                        "idle = function(job, queue, now)",
                                        "gang_minimum = function(job, queue, now)",
                                        "placement = function(job, queue, now)",
                                        "pipeline = function(cluster, now)",
                                        "params = { a = 1 }, fair_share = 'quota'",
                                        "pipeline = { 'allocate', 'reclaim', 'preempt' }",
                                        "placement = 'spread'",
                                        "eviction = { release_seconds = 5 }"};
    const char *head = PICK(m, heads);
    put(m, head);
    if (strstr(head, "function")) {
        for (uint32_t n = below(m, 3); n-- > 0;) make_statement(m, 1);
        put(m, "return");
        make_expression(m, MADE_DEPTH - 1);
        put(m, "end");
    }
    put(m, ",");
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

static size_t change_tree(struct made *m, const struct parse_tree *tree, uint8_t *data, size_t size,
                          size_t max_size) {
    uint32_t node = below(m, tree->n), way = below(m, 10);
    for (uint32_t i = 0; i < tree->n; i++, node = (node + 1) % tree->n) {
        const struct parse_node *n = parse_at(tree, node);
        if (way < 6 && n->kind >= PARSE_NIL && n->kind <= PARSE_TABLE && n->kind != PARSE_DOTS) {
            make_expression(m, below(m, MADE_DEPTH));
            return splice(data, size, max_size, n->at, n->len, m->text, m->n);
        }
        if (way == 6 && n->kind == PARSE_BLOCK) {
            make_statement(m, 2);
            return splice(data, size, max_size, n->at, 0, m->text, m->n);
        }
        if (way == 7 && n->kind == PARSE_TABLE && parse_at(tree, n->parent)->kind == PARSE_RETURN) {
            make_hook(m);
            return splice(data, size, max_size, n->at + 1, 0, m->text, m->n);
        }
        if (way == 8 && n->kind >= PARSE_LOCAL && n->kind <= PARSE_LABEL)
            return splice(data, size, max_size, n->at, n->len, "", 0);
        if (way == 9 && n->kind == PARSE_BINARY) {
            uint32_t at = parse_at(tree, n->first)->at + parse_at(tree, n->first)->len;
            uint32_t end = parse_at(tree, parse_at(tree, n->first)->next)->at;
            put(m, "");
            put(m, PICK(m, operators));
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
    if (alloc_init(&alloc, NULL, 0) != LSCHED_OK) return size;
    fault_clear(&fault);
    if (parse_text(&tree, &alloc, (const char *)data, size, &fault) < 0)
        return change_tokens(m, data, size, max_size);
    size = change_tree(m, &tree, data, size, max_size);
    parse_free(&tree);
    return size;
}

size_t policy_mutate(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
    struct made m = {.random = seed * UINT64_C(0x9E3779B97F4A7C15) + 1};
    below(&m, 2);
    if (LLVMFuzzerMutate && below(&m, 8) == 0) return LLVMFuzzerMutate(data, size, max_size);
    for (uint32_t n = 1 + below(&m, 3); n-- > 0;) size = change_once(&m, data, size, max_size);
    return size;
}
