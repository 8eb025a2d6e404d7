/* Any bytes: our parser and LuaJIT take the same texts, and mean the same by them. What the tree
 * says is written down again, with parentheses around every operator and each local under a name
 * of its own; LuaJIT must make the same bytecode of both. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lua/front/lua_parse.h"
#include "lua/state/luajit_api.h"

/* ---- writing a tree as Lua ------------------------------------------------------------------- */

struct sheet {
    const struct parse_tree *tree;
    char *text;
    size_t n, cap;
};

static void put(struct sheet *s, const char *text, size_t len) {
    if (s->n + len + 1 > s->cap) {
        s->cap = (s->n + len + 1) * 2;
        s->text = realloc(s->text, s->cap);
        if (!s->text) abort();
    }
    memcpy(s->text + s->n, text, len);
    s->n += len;
}

static void word(struct sheet *s, const char *text) {
    put(s, text, strlen(text));
    put(s, " ", 1);
}

static void variable(struct sheet *s, uint32_t node) {
    char name[24];
    snprintf(name, sizeof name, "local_%u ", node);
    put(s, name, strlen(name));
}

static void write_node(struct sheet *s, uint32_t node);

static void write_from(struct sheet *s, uint32_t child, const char *between) {
    for (const char *gap = ""; child != PARSE_NONE; child = tree_at(s->tree, child)->next) {
        word(s, gap);
        write_node(s, child);
        gap = between;
    }
}

static void write_function(struct sheet *s, uint32_t function) {
    word(s, "(");
    write_node(s, tree_child(s->tree, function, 0));
    word(s, ")");
    write_node(s, tree_child(s->tree, function, 1));
    word(s, "end");
}

static const char *operator_of(const struct parse_node *n, char out[2]) {
    static const char *const names[] = {"==", "~=", "<=", ">=", ".."};
    if (n->operator== LEX_AND) return "and";
    if (n->operator== LEX_OR) return "or";
    if (n->operator== LEX_NOT) return "not";
    if (n->operator>= LEX_EQUAL) return names[n->operator- LEX_EQUAL];
    out[0] = (char)n->operator;
    out[1] = '\0';
    return out;
}

static void write_if(struct sheet *s, uint32_t child) {
    for (const char *key = "if"; child != PARSE_NONE; key = "elseif") {
        uint32_t next = tree_at(s->tree, child)->next;
        if (tree_at(s->tree, child)->kind == PARSE_BLOCK) {
            word(s, "else");
            write_node(s, child);
            break;
        }
        word(s, key);
        write_node(s, child);
        word(s, "then");
        write_node(s, next);
        child = tree_at(s->tree, next)->next;
    }
    word(s, "end");
}

static void write_for(struct sheet *s, const struct parse_node *n) {
    uint32_t child = n->first;
    int is_in = n->kind == PARSE_FOR_IN;
    word(s, "for");
    for (int i = 0; tree_at(s->tree, child)->kind != PARSE_BLOCK; i++) {
        if (i) word(s, i > 1 ? "," : is_in ? "in" : "=");
        write_node(s, child);
        child = tree_at(s->tree, child)->next;
    }
    word(s, "do");
    write_node(s, child);
    word(s, "end");
}

static void write_statement(struct sheet *s, const struct parse_node *n, uint32_t node) {
    uint32_t a = n->first, b = a == PARSE_NONE ? a : tree_at(s->tree, a)->next;
    switch (n->kind) {
    case PARSE_LOCAL:
    case PARSE_ASSIGN:
        if (n->kind == PARSE_LOCAL) word(s, "local");
        write_node(s, a);
        if (b != PARSE_NONE) {
            word(s, "=");
            write_node(s, b);
        }
        break;
    case PARSE_DO:
        word(s, "do");
        write_node(s, a);
        word(s, "end");
        break;
    case PARSE_WHILE:
        word(s, "while");
        write_node(s, a);
        word(s, "do");
        write_node(s, b);
        word(s, "end");
        break;
    case PARSE_REPEAT:
        word(s, "repeat");
        write_node(s, a);
        word(s, "until");
        write_node(s, b);
        break;
    case PARSE_IF: write_if(s, a); break;
    case PARSE_FOR_NUMERIC:
    case PARSE_FOR_IN: write_for(s, n); break;
    case PARSE_FUNCTION_STATEMENT:
    case PARSE_LOCAL_FUNCTION:
        word(s, n->kind == PARSE_LOCAL_FUNCTION ? "local function" : "function");
        write_node(s, a);
        write_function(s, b);
        break;
    case PARSE_RETURN:
        word(s, "return");
        write_from(s, a, ",");
        break;
    case PARSE_BREAK: word(s, "break"); break;
    case PARSE_GOTO:
        word(s, "goto");
        write_node(s, a);
        break;
    case PARSE_LABEL:
        word(s, "::");
        write_node(s, a);
        word(s, "::");
        return;
    default: write_from(s, tree_at(s->tree, node)->first, "");
    }
    word(s, ";");
}

static void write_call(struct sheet *s, const struct parse_node *n) {
    uint32_t args = tree_at(s->tree, n->first)->next;
    write_node(s, n->first);
    if (n->kind == PARSE_METHOD_CALL) {
        word(s, ":");
        write_node(s, args);
        args = tree_at(s->tree, args)->next;
    }
    word(s, "(");
    write_from(s, args, ",");
    word(s, ")");
}

static void write_item(struct sheet *s, const struct parse_node *n) {
    uint32_t value = n->first;
    if (n->kind != PARSE_ITEM) {
        if (n->kind == PARSE_ITEM_KEY) word(s, "[");
        write_node(s, n->first);
        word(s, n->kind == PARSE_ITEM_KEY ? "] =" : "=");
        value = tree_at(s->tree, n->first)->next;
    }
    write_node(s, value);
}

static void write_expression(struct sheet *s, const struct parse_node *n) {
    char op[2];
    uint32_t second = n->first == PARSE_NONE ? PARSE_NONE : tree_at(s->tree, n->first)->next;
    switch (n->kind) {
    case PARSE_FUNCTION:
        word(s, "function");
        write_function(s, (uint32_t)(n - s->tree->nodes));
        break;
    case PARSE_PAREN:
        word(s, "(");
        write_node(s, n->first);
        word(s, ")");
        break;
    case PARSE_INDEX:
        write_node(s, n->first);
        if (tree_at(s->tree, second)->kind == PARSE_WORD) {
            word(s, ".");
            write_node(s, second);
        } else {
            word(s, "[");
            write_node(s, second);
            word(s, "]");
        }
        break;
    case PARSE_UNARY:
        word(s, "(");
        word(s, operator_of(n, op));
        write_node(s, n->first);
        word(s, ")");
        break;
    case PARSE_BINARY:
        word(s, "(");
        write_node(s, n->first);
        word(s, operator_of(n, op));
        write_node(s, second);
        word(s, ")");
        break;
    case PARSE_TABLE:
        word(s, "{");
        write_from(s, n->first, ",");
        word(s, "}");
        break;
    default: put(s, s->tree->text + n->at, n->len); put(s, " ", 1);
    }
}

static void write_node(struct sheet *s, uint32_t node) {
    const struct parse_node *n = tree_at(s->tree, node);
    switch (n->kind) {
    case PARSE_CHUNK:
    case PARSE_BLOCK: write_from(s, n->first, "\n"); break;
    case PARSE_LIST: write_from(s, n->first, ","); break;
    case PARSE_VARIABLE: variable(s, node); break;
    case PARSE_NAME:
        if (n->ref != PARSE_NONE)
            variable(s, n->ref);
        else
            write_expression(s, n);
        break;
    case PARSE_CALL:
    case PARSE_METHOD_CALL: write_call(s, n); break;
    case PARSE_ITEM:
    case PARSE_ITEM_WORD:
    case PARSE_ITEM_KEY: write_item(s, n); break;
    default:
        if (n->kind <= PARSE_LABEL)
            write_statement(s, n, node);
        else
            write_expression(s, n);
    }
}

/* ---- LuaJIT ---------------------------------------------------------------------------------- */

static void *lua_memory(void *user, void *old, size_t old_bytes, size_t bytes) {
    (void)user, (void)old_bytes;
    if (bytes) return realloc(old, bytes);
    free(old);
    return NULL;
}

static struct luajit_api api;

static int load(lua_State *L, const char *text, size_t len) {
    struct luajit_text piece = {text, len};
    return luajit_load(&api, L, &piece, "=x");
}

static void open_library(lua_State *L, lua_CFunction open) {
    api.pushcclosure(L, open, 0);
    api.call(L, 0, 0);
}

/* The two functions on top of the stack. */
static int is_same_code(lua_State *L) {
    static const char compare[] = "local a, b = ... return string.dump(a, true) == "
                                  "string.dump(b, true)";
    if (load(L, compare, sizeof compare - 1) != 0) abort();
    api.pushvalue(L, -3);
    api.pushvalue(L, -3);
    if (api.pcall(L, 2, 1, 0) != 0) abort();
    return api.toboolean(L, -1);
}

/* ---- comparing ------------------------------------------------------------------------------- */

static void stop(const char *what, const char *text, size_t len, const char *more) {
    fprintf(stderr, "%s: %s\n%.*s\n", what, more, (int)len, text);
    abort();
}

static int contains_one(const char *text, const char *const *parts) {
    for (; *parts; parts++) {
        if (strstr(text, *parts)) return 1;
    }
    return 0;
}

/* What LuaJIT checks beyond the grammar. */
static const char *const beyond[] = {"label",
                                     "break",
                                     "too many",
                                     "has more than",
                                     "too complex",
                                     "syntax levels",
                                     "scope of local",
                                     "malformed number",
                                     "invalid escape",
                                     "memory",
                                     "constant table",
                                     "outside a loop",
                                     NULL};
/* What we refuse although LuaJIT may take it. */
static const char *const ours[] = {"more than 32 deep",
                                   "more than 2000",
                                   "more than 150",
                                   "more than 1024",
                                   "more than 32768",
                                   "at most 65536",
                                   "the operator ^",
                                   "no suffix",
                                   "ambiguous syntax",
                                   "longer than 1024",
                                   "control character",
                                   "unexpected '#'",
                                   "byte 0xFF",
                                   "no-break space",
                                   "near '#'", /* after a byte order mark */
                                   "begin with __lsched",
                                   NULL};

static void compare_meaning(lua_State *L, const struct parse_tree *tree, const char *text,
                            size_t len) {
    struct sheet s = {.tree = tree};
    write_node(&s, 0);
    if (load(L, s.text ? s.text : "", s.n) != 0) {
        const char *why = api.tolstring(L, -1, NULL);
        /* Longer names and more parentheses may reach a limit of LuaJIT. */
        if (!contains_one(why, beyond)) stop("what was written is refused", s.text, s.n, why);
    } else if (!is_same_code(L)) {
        fprintf(stderr, "%.*s\n----\n", (int)s.n, s.text);
        stop("other bytecode", text, len, "");
    }
    free(s.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct alloc alloc;
    struct parse_tree tree;
    struct fault fault;
    const char *text = (const char *)data;
    fault_clear(&fault);
    if (!api.newstate && luajit_open(&api, &fault) < 0) abort();
    lua_State *L = api.newstate(lua_memory, NULL);
    if (!L || alloc_init(&alloc, NULL, 0) != LSCHED_OK) abort();
    open_library(L, api.open_base);
    open_library(L, api.open_string);
    int32_t rc = parse_text(&tree, &alloc, text, size, &fault);
#if defined(LSCHED_LUA_PUC)
    /* The grammar is that of LuaJIT, whichever Lua runs the text: nothing to compare with. */
    api.close(L);
    if (rc == LSCHED_OK) tree_free(&tree);
    return 0;
#endif
    int status = load(L, text, size);
    const char *why = status ? api.tolstring(L, -1, NULL) : "";
    if (rc == LSCHED_OK && status && !contains_one(why, beyond))
        stop("only LuaJIT refuses", text, size, why);
    if (rc < 0 && !status && !contains_one(fault.text, ours))
        stop("only we refuse", text, size, fault.text);
    if (rc < 0 && (fault.code != rc || !fault.text[0])) stop("no message", text, size, "");
    if (rc == LSCHED_OK && !status) compare_meaning(L, &tree, text, size);
    api.close(L);
    if (rc == LSCHED_OK) tree_free(&tree);
    if (alloc.bytes != 0) abort();
    return 0;
}
