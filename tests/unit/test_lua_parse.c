/* The tree of a policy text: its shape, what names stand for, places, refusals, and that LuaJIT
 * means the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lua/front/lua_parse.h"

/* ---- writing a tree down --------------------------------------------------------------------- */

struct sheet {
    char text[8192];
    size_t n;
};

static void put(struct sheet *s, const char *text, size_t len) {
    assert_true(s->n + len < sizeof s->text);
    memcpy(s->text + s->n, text, len);
    s->text[s->n += len] = '\0';
}

static void puts_on(struct sheet *s, const char *text) {
    put(s, text, strlen(text));
}

static const char *const heads[] = {
    "chunk", "",       "",   "local",   "=",      "call",  "do",       "while",  "repeat", "if",
    "for",   "in",     "fn", "localfn", "return", "break", "goto",     "label",  "",       "",
    "",      "",       "",   "",        "",       "",      "function", "",       "paren",  ".",
    "apply", "method", "",   "",        "table",  "item",  "set",      "setkey",
};

static int is_leaf(uint32_t kind) {
    return (kind >= PARSE_VARIABLE && kind <= PARSE_DOTS) || kind == PARSE_NAME ||
           kind == PARSE_BREAK;
}

static void write_node(const struct parse_tree *tree, uint32_t node, struct sheet *s) {
    const struct parse_node *n = tree_at(tree, node);
    char op[8];
    if (is_leaf(n->kind)) {
        uint32_t len = n->len;
        const char *word = n->kind == PARSE_VARIABLE ? tree_word(tree, node, &len) : NULL;
        put(s, word ? word : tree->text + n->at, len);
        return;
    }
    int is_list = n->kind == PARSE_LIST || n->kind == PARSE_BLOCK;
    puts_on(s, is_list ? (n->kind == PARSE_LIST ? "[" : "{") : "(");
    if (n->kind == PARSE_UNARY || n->kind == PARSE_BINARY) {
        static const char *const names[] = {"==", "~=", "<=", ">=", ".."};
        snprintf(op, sizeof op, "%c", (char)n->operator);
        puts_on(s, n->operator== LEX_AND   ? "and"
                   : n->operator== LEX_OR  ? "or"
                   : n->operator== LEX_NOT ? "not"
                                           : n->operator>= LEX_EQUAL
                       ? names[n->operator- LEX_EQUAL] : op);
    } else {
        puts_on(s, heads[n->kind]);
    }
    int first = is_list;
    for (uint32_t c = n->first; c != PARSE_NONE; c = tree_at(tree, c)->next) {
        if (!first) puts_on(s, " ");
        first = 0;
        write_node(tree, c, s);
    }
    puts_on(s, is_list ? (n->kind == PARSE_LIST ? "]" : "}") : ")");
}

static struct alloc memory;

static int32_t parse(struct parse_tree *tree, const char *text, struct fault *fault) {
    fault_clear(fault);
    return parse_text(tree, &memory, text, strlen(text), fault);
}

static void check_tree(const struct parse_tree *tree) {
    uint32_t seen = 0;
    for (uint32_t node = 0; node != PARSE_NONE; node = tree_step(tree, 0, node)) {
        const struct parse_node *n = tree_at(tree, node);
        seen++;
        assert_true(n->at + n->len <= tree->text_len);
        assert_true(n->line_end >= tree_at(tree, node)->line || n->kind != PARSE_FUNCTION);
        uint32_t end = n->at;
        for (uint32_t c = n->first; c != PARSE_NONE; c = tree_at(tree, c)->next) {
            const struct parse_node *child = tree_at(tree, c);
            assert_int_equal(child->parent, node);
            if (child->kind == PARSE_VARIABLE && !child->len) continue;
            if (child->kind == PARSE_BLOCK && !child->len) continue;
            if (child->kind == PARSE_FUNCTION && c != n->first) continue; /* holds the name too */
            assert_true(child->at >= end);
            end = child->at + child->len;
            assert_true(end <= n->at + n->len);
        }
        if (n->ref != PARSE_NONE) {
            assert_int_equal(n->kind, PARSE_NAME);
            assert_int_equal(tree_at(tree, n->ref)->kind, PARSE_VARIABLE);
        }
        uint32_t kind = tree_at(tree, n->function)->kind;
        assert_true(kind == PARSE_FUNCTION || kind == PARSE_CHUNK);
    }
    assert_int_equal(seen, tree->n);
}

static void shape_is(const char *text, const char *want) {
    struct parse_tree tree;
    struct fault fault;
    struct sheet s = {"", 0};
    if (parse(&tree, text, &fault) < 0) fail_msg("%s: %s", text, fault.text);
    check_tree(&tree);
    write_node(&tree, tree_child(&tree, 0, 0), &s);
    size_t n = strlen(want);
    if (s.n != n + 2 || memcmp(s.text + 1, want, n) != 0)
        fail_msg("%s\n  is   %s\n  want  %s", text, s.text, want);
    tree_free(&tree);
}

/* ---- shapes ---------------------------------------------------------------------------------- */

static void statements_have_their_shape(void **unused) {
    (void)unused;
    static const char *const cases[][2] = {
        {"", ""},
        {"a = 1", "(= [a] [1])"},
        {"a, b.c, d[1] = 1, f(), ...", "(= [a (. b c) (. d 1)] [1 (apply f) ...])"},
        {"a = 1; b = 2;", "(= [a] [1]) (= [b] [2])"},
        {"local a", "(local [a])"},
        {"local a, b = 1", "(local [a b] [1])"},
        {"local function f(a, ...) return a, ... end",
         "(localfn f (function [a ...] {(return a ...)}))"},
        {"function a.b.c:d(x) end", "(fn (. (. (. a b) c) d) (function [self x] {}))"},
        {"function f() end", "(fn f (function [] {}))"},
        {"do local a end do end", "(do {(local [a])}) (do {})"},
        {"while a do b() break end", "(while a {(call (apply b)) break})"},
        {"repeat local a = f() until a", "(repeat {(local [a] [(apply f)])} a)"},
        {"if a then elseif b then c() elseif d then else e() end",
         "(if a {} b {(call (apply c))} d {} {(call (apply e))})"},
        {"if a then b() else end", "(if a {(call (apply b))} {})"},
        {"for i = 1, 2 do end for i = 1, 2, 3 do end", "(for i 1 2 {}) (for i 1 2 3 {})"},
        {"for k, v in pairs(t), 2 do end", "(in [k v] [(apply pairs t) 2] {})"},
        {"goto a ::a:: goto = 1 goto.b = 2",
         "(goto a) (label a) (= [goto] [1]) (= [(. goto b)] [2])"},
        {"goto a ::a::", "(goto a) (label a)"},
        {"for i = 1, 2 do goto continue ::continue:: end",
         "(for i 1 2 {(goto continue) (label continue)})"},
        {"return", "(return)"},
        {"return;", "(return)"},
        {"return f()", "(return (apply f))"},
        {"return 1, (f()), function() end", "(return 1 (paren (apply f)) (function [] {}))"},
        {"f() g()", "(call (apply f)) (call (apply g))"},
        {"a.b:c'str'{}[1].x = 2", "(= [(. (. (apply (method (. a b) c 'str') (table)) 1) x)] [2])"},
        {"a.b:c\"str\"{}", "(call (apply (method (. a b) c \"str\") (table)))"},
        {"(f)()(g)", "(call (apply (apply (paren f)) g))"},
        {"('x'):f()", "(call (method (paren 'x') f))"},
        {"f{g{}}", "(call (apply f (table (item (apply g (table))))))"},
        {"a = {1, x = 2; [3] = 4, f(), ['y'] = {},}",
         "(= [a] [(table (item 1) (set x 2) (setkey 3 4) (item (apply f)) (setkey 'y' (table)))])"},
        {"a = {x, y == 1, [z] = x}", "(= [a] [(table (item x) (item (== y 1)) (setkey z x))])"},
        {"a = { goto = 1 }", "(= [a] [(table (set goto 1))])"},
        {"a = [[x\n]] .. [==[ ]] ]==]", "(= [a] [(.. [[x\n]] [==[ ]] ]==])])"},
        {"--[[ c ]] a --x\n = --[==[\n]==] 1", "(= [a] [1])"},
        {"\xEF\xBB\xBF"
         "a = 1",
         "(= [a] [1])"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) shape_is(cases[i][0], cases[i][1]);
}

static void operators_bind_as_in_lua(void **unused) {
    (void)unused;
    static const char *const cases[][2] = {
        {"a + b * c - d", "(- (+ a (* b c)) d)"},
        {"a - b - c", "(- (- a b) c)"},
        {"a .. b .. c", "(.. a (.. b c))"},
        {"a .. b + c .. d", "(.. a (.. (+ b c) d))"},
        {"-a .. b", "(.. (- a) b)"},
        {"- - a", "(- (- a))"},
        {"not a == b", "(== (not a) b)"},
        {"-a.b", "(- (. a b))"},
        {"-a * b", "(* (- a) b)"},
        {"a * -b + c", "(+ (* a (- b)) c)"},
        {"#a + #b[1]", "(+ (# a) (# (. b 1)))"},
        {"a or b and c", "(or a (and b c))"},
        {"a and b or c and d", "(or (and a b) (and c d))"},
        {"a or b or c", "(or (or a b) c)"},
        {"a < b == c > d", "(> (== (< a b) c) d)"},
        {"a == b ~= c", "(~= (== a b) c)"},
        {"a + 1 < b .. c", "(< (+ a 1) (.. b c))"},
        {"a < 1 and b >= 2 or not c", "(or (and (< a 1) (>= b 2)) (not c))"},
        {"a % b / c * d", "(* (/ (% a b) c) d)"},
        {"(a + b) * c", "(* (paren (+ a b)) c)"},
        {"not not a and -#b <= 1", "(and (not (not a)) (<= (- (# b)) 1))"},
        {"a .. b == c .. d", "(== (.. a b) (.. c d))"},
        {"a - -1", "(- a (- 1))"},
        {"f(a, b + 1, {c}) + g 'x'", "(+ (apply f a (+ b 1) (table (item c))) (apply g 'x'))"},
        {"function(a) return a end", "(function [a] {(return a)})"},
        {"nil == true ~= false", "(~= (== nil true) false)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[200], want[200];
        snprintf(text, sizeof text, "return %s", cases[i][0]);
        snprintf(want, sizeof want, "(return %s)", cases[i][1]);
        shape_is(text, want);
    }
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Each use of x, as the column of its declaration, 0 for a global. */
static void names_are_resolved_as_in_lua(void **unused) {
    (void)unused;
    static const char *const cases[][2] = {
        {"x = x", "0 0"},
        {"local x = x x = 1", "0 7"},
        {"local x local x = x return x", "7 15"},
        {"local function x() return x end", "16"},
        {"local x = function() return x end", "0"},
        {"local x; x = function() return x end", "7 7"},
        {"do local x end return x", "0"},
        {"while x do local x end return x", "0 0"},
        {"repeat local x until x return x", "14 0"},
        {"for x = x, x do return x end return x", "0 0 5 0"},
        {"for x in x do f(x) end f(x)", "0 5 0"},
        {"for a, x in f do f(x) end", "8"},
        {"function f(x) return x end return x", "12 0"},
        {"function f(x) return function(y) return x end end", "12"},
        {"function f(x, x) return x end", "15"},
        {"function x(x) end", "0"},
        {"local x function x() end", "7"},
        {"local x function x.y() end", "7"},
        {"if x then local x else f(x) end f(x)", "0 0 0"},
        {"local x, y = 1, x return x", "0 7"},
        {"local a = {x = x, [x] = 1, a.x}", "0 0"},
        {"local x goto x ::x:: f.x(x)", "7"},
        {"function f() local x return function() x = x end end", "20 20"},
        {"local goto = 1 local x = goto", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct parse_tree tree;
        struct fault fault;
        struct sheet s = {"", 0};
        if (parse(&tree, cases[i][0], &fault) < 0) fail_msg("%s: %s", cases[i][0], fault.text);
        check_tree(&tree);
        for (uint32_t node = 0; node != PARSE_NONE; node = tree_step(&tree, 0, node)) {
            char number[16];
            const struct parse_node *n = tree_at(&tree, node);
            if (n->kind != PARSE_NAME || !tree_is_word(&tree, node, "x")) continue;
            snprintf(number, sizeof number, "%s%u", s.n ? " " : "",
                     n->ref == PARSE_NONE ? 0 : tree_at(&tree, n->ref)->column);
            puts_on(&s, number);
        }
        if (strcmp(s.text, cases[i][1]) != 0)
            fail_msg("%s: %s, not %s", cases[i][0], s.text, cases[i][1]);
        tree_free(&tree);
    }
}

static void variables_know_how_they_are_used(void **unused) {
    (void)unused;
    static const struct {
        const char *text;
        uint32_t flags; /* of x */
    } cases[] = {
        {"local x", 0},
        {"local x x = 1", PARSE_IS_ASSIGNED},
        {"local x a, x = 1", PARSE_IS_ASSIGNED},
        {"local x x.y = 1", 0},
        {"local x x[x] = 1", 0},
        {"local x function x() end", PARSE_IS_ASSIGNED},
        {"local x function x.y() end", 0},
        {"local x function f() x = 1 end", PARSE_IS_ASSIGNED | PARSE_IS_CAPTURED},
        {"local x function f() return x end", PARSE_IS_CAPTURED},
        {"function f(x) return function() return x end end", PARSE_IS_PARAM | PARSE_IS_CAPTURED},
        {"function f(x) x = 1 end", PARSE_IS_PARAM | PARSE_IS_ASSIGNED},
        {"local function x() return x() end", PARSE_IS_CAPTURED},
        {"for x = 1, 2 do x = 1 end", PARSE_IS_ASSIGNED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct parse_tree tree;
        struct fault fault;
        uint32_t flags = UINT32_MAX;
        assert_int_equal(parse(&tree, cases[i].text, &fault), LSCHED_OK);
        for (uint32_t node = 0; node != PARSE_NONE; node = tree_step(&tree, 0, node)) {
            if (tree_at(&tree, node)->kind == PARSE_VARIABLE && tree_is_word(&tree, node, "x"))
                flags = tree_at(&tree, node)->flags;
        }
        if (flags != cases[i].flags) fail_msg("%s: %u", cases[i].text, flags);
        tree_free(&tree);
    }
}

/* The function that the last `f` of the text stands for, by its column; 0: not known. */
static void functions_are_known_by_name(void **unused) {
    (void)unused;
    static const struct {
        const char *text;
        uint32_t column;
    } cases[] = {
        {"local function f() end f()", 7},
        {"local f = function() end f()", 11},
        {"local a, f = 1, function() end f()", 17},
        {"local g = function() end local f = g f()", 11},
        {"local g = function() end local f = (g) f()", 11},
        {"local f = function() end f = 1 f()", 0},
        {"local f = function() end function h() f = 1 end f()", 0},
        {"local f = g() f()", 0},
        {"local a, f = g() f()", 0},
        {"local f f()", 0},
        {"function f() end f()", 0},
        {"function h(f) f() end", 0},
        {"for f in g do f() end", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct parse_tree tree;
        struct fault fault;
        uint32_t last = PARSE_NONE;
        assert_int_equal(parse(&tree, cases[i].text, &fault), LSCHED_OK);
        for (uint32_t node = 0; node != PARSE_NONE; node = tree_step(&tree, 0, node)) {
            if (tree_at(&tree, node)->kind == PARSE_NAME && tree_is_word(&tree, node, "f"))
                last = node;
        }
        uint32_t known = tree_known_function(&tree, last);
        if ((known == PARSE_NONE ? 0 : tree_at(&tree, known)->column) != cases[i].column)
            fail_msg("%s", cases[i].text);
        tree_free(&tree);
    }
}

/* ---- refusals -------------------------------------------------------------------------------- */

static const struct {
    const char *text;
    uint32_t line, column;
    const char *says;
} refusals[] = {
    {"a =", 1, 4, "unexpected symbol near '<eof>'"},
    {"a b", 1, 3, "'=' expected near 'b'"},
    {"a.b\nc = 1", 2, 1,
     "'=' expected near 'c'; it is missing in the line before, or that line is not a statement"},
    {"local 1", 1, 7, "<name> expected near '1'"},
    {"if a then", 1, 10, "'end' expected near '<eof>'"},
    {"if a then\n\n", 3, 1, "'end' expected (to close 'if' at line 1) near '<eof>'"},
    {"for i = 1 do end", 1, 11, "',' expected near 'do'"},
    {"for i do end", 1, 7, "'=' or 'in' expected near 'do'"},
    {"f(\n1", 2, 2, "')' expected (to close '(' at line 1) near '<eof>'"},
    {"a = {1 2}", 1, 8,
     "'}' expected near '2'; entries are separated by commas: is a comma missing before this one?"},
    {"a = {H100-80 = 1}", 1, 14,
     "'}' expected near '='; a key that is no plain name is written [\"H100-80\"] = ..."},
    {"a = {b = {T4 = 1, A100.x-y= 1}}", 1, 27,
     "'}' expected near '='; a key that is no plain name is written [\"A100.x-y\"] = ..."},
    {"a = { -- of last year:\n  H100-80 = 1}", 2, 11,
     "'}' expected (to close '{' at line 1) near '='; a key that is no plain name is written "
     "[\"H100-80\"] = ..."},
    {"a = {'H100 SXM' = 1}", 1, 17,
     "'}' expected near '='; a key that is no plain name is written [\"H100 SXM\"] = ..."},
    {"a = {80 = 1}", 1, 9,
     "'}' expected near '='; a key that is no plain name is written [\"80\"] = ..."},
    {"a = {b = c = 1}", 1, 12,
     "'}' expected near '='; to compare two values write ==; a single = assigns a value"},
    {"a = {b = c - d = 1}", 1, 16,
     "'}' expected near '='; to compare two values write ==; a single = assigns a value"},
    {"(a) = 1", 1, 5,
     "syntax error near '='; to compare two values write ==; a single = assigns a value"},
    {"f() = 1", 1, 5,
     "unexpected symbol near '='; to compare two values write ==; a single = assigns a value"},
    {"a, f() = 1", 1, 8,
     "syntax error near '='; to compare two values write ==; a single = assigns a value"},
    {"return 1 a = 2", 1, 10, "'<eof>' expected near 'a'"},
    {"end", 1, 1, "'<eof>' expected near 'end'"},
    {"do break a = 1 end", 1, 10, "'end' expected near 'a'"},
    {";", 1, 1, "unexpected symbol near ';'"},
    {"a = 1;;", 1, 7, "unexpected symbol near ';'"},
    {"f\n(a)", 2, 1, "ambiguous syntax (function call x new statement) near '('"},
    {"a = b\n(c):d()", 2, 1, "ambiguous syntax (function call x new statement) near '('"},
    {"a:b", 1, 4, "function arguments expected near '<eof>'"},
    {"function f() return ... end", 1, 21, "cannot use '...' outside a vararg function near '...'"},
    {"function f(a,) end", 1, 14, "<name> or '...' expected near ')'"},
    {"function f(..., a) end", 1, 15, "')' expected near ','"},
    {"a = 1 ^ 2", 1, 7,
     "the operator ^ is not allowed, because its last bit depends on the "
     "machine; write math.pow(x, y)"},
    {"a = 'x", 1, 5, "a string is not closed"},
    {"a = 1LL", 1, 5, "numbers have no suffix LL, ULL or i: a policy has only one kind of number"},
    {"goto 1", 1, 6, "'=' expected near '1'"},
    {"::a:", 1, 4, "'::' expected near ':'"},
    {"\x1BLJ", 1, 1, "this is bytecode; a policy is Lua text"},
    {"#!x", 1, 1, "unexpected '#'; a comment begins with --"},
    {"\xEF\xBB\xBF#!x\na = 1", 1, 1, "unexpected symbol near '#'; a comment begins with --"},
    {"a = ((((((((((((((((((((((((((((((((( 1", 1, 37, "nested more than 32 deep"},
    {"a = function local", 1, 14, "'(' expected near 'local'"},
    {"x = }", 1, 5, "unexpected symbol near '}'"},
    {"if a then else elseif b then end", 1, 16, "'end' expected near 'elseif'"},
    {"a = { [1] 2 }", 1, 11, "'=' expected near '2'"},
    {"a.1 = 2", 1, 2, "'=' expected near '.1'"},
    {"local a.b = 1", 1, 8, "unexpected symbol near '.'"},
    {"local function a.b() end", 1, 17, "'(' expected near '.'"},
    {"for a.b = 1, 2 do end", 1, 6, "'=' or 'in' expected near '.'"},
};

static void refusals_say_where_and_what(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        struct parse_tree tree;
        struct fault fault;
        int32_t rc = parse(&tree, refusals[i].text, &fault);
        if (rc >= 0 || fault.line != refusals[i].line || fault.column != refusals[i].column ||
            strcmp(fault.text, refusals[i].says) != 0)
            fail_msg("%s: %d %u:%u %s", refusals[i].text, rc, fault.line, fault.column, fault.text);
        assert_null(tree.nodes);
        assert_int_equal(memory.bytes, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statements_have_their_shape),
        cmocka_unit_test(operators_bind_as_in_lua),
        cmocka_unit_test(names_are_resolved_as_in_lua),
        cmocka_unit_test(variables_know_how_they_are_used),
        cmocka_unit_test(functions_are_known_by_name),
        cmocka_unit_test(refusals_say_where_and_what),
    };
    if (alloc_init(&memory, NULL, 0) != LSCHED_OK) return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
