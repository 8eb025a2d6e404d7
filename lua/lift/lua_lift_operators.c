/* lua_lift_operators.c -- see lua_lift_operators.h. */
#include "lua/lift/lua_lift_operators.h"

#include "lua/lift/lua_lift_values.h"

static struct lift_value some(uint32_t cond) {
    return (struct lift_value){.kind = V_SOME, .cond = cond};
}

static struct lift_value lua_lift_operators_refused(struct lift *l, uint32_t at, const char *why) {
    lift_refuse(l, at, "%s", why);
    return (struct lift_value){.kind = V_NONE};
}

static const char *lua_lift_operators_kind_name(struct lift_value v) {
    static const char *const names[] = {"a value that depends on a condition",
                                        "nil",
                                        "a number",
                                        "a truth",
                                        "a text",
                                        "a label",
                                        "a number or false",
                                        "a value of several types",
                                        "an object",
                                        "the labels",
                                        "params",
                                        "a library",
                                        "a function",
                                        "a function",
                                        "a table"};
    return names[v.kind];
}

/* ---- values as conditions ---- */

static uint32_t present(struct lift *l, const struct lift_text *label) {
    const struct lift_input input = {
        LIFT_PRESENT, !l->hook->objects[label->object].per_row, *label, {0, 0, 0, 0, 0}};
    return lift_input(l, &input);
}

uint32_t lift_truth(struct lift *l, uint32_t at, struct lift_value v) {
    switch (v.kind) {
    case V_NIL: return col_truth(&l->graph, 0);
    case V_MASK: return v.node;
    case V_LABEL: return present(l, &v.text);
    case V_GUARDED:
    case V_SOME: return v.cond;
    case V_NONE: lua_lift_operators_refused(l, at, "a value that depends on a condition"); return 0;
    default: return col_truth(&l->graph, 1);
    }
}

static struct lift_value and_of(struct lift *l, uint32_t at, struct lift_value a,
                                struct lift_value b) {
    uint32_t cond = lift_truth(l, at, a);
    if (col_is_truth(&l->graph, cond, 1)) return b;
    if (col_is_truth(&l->graph, cond, 0)) return a;
    if (a.kind == V_MASK && b.kind == V_MASK) return lift_mask(lift_node(l, COL_AND, cond, b.node));
    if (b.kind == V_NUMBER)
        return (struct lift_value){.kind = V_GUARDED, .node = b.node, .cond = cond};
    return some(lift_node(l, COL_AND, cond, lift_truth(l, at, b)));
}

static struct lift_value or_of(struct lift *l, uint32_t at, struct lift_value a,
                               struct lift_value b) {
    uint32_t cond = lift_truth(l, at, a);
    if (col_is_truth(&l->graph, cond, 1) && a.kind != V_SOME)
        return a.kind == V_GUARDED ? lift_number(a.node) : a;
    if (col_is_truth(&l->graph, cond, 0)) return b;
    if (a.kind == V_MASK && b.kind == V_MASK) return lift_mask(lift_node(l, COL_OR, cond, b.node));
    if (a.kind == V_GUARDED && b.kind == V_NUMBER)
        return lift_number(lift_choose(l, cond, a.node, b.node));
    return some(lift_node(l, COL_OR, cond, lift_truth(l, at, b)));
}

/* ---- equality ---- */

static int varies(const struct lift *l, const struct lift_text *t) {
    return t->kind != LIFT_TEXT_CONSTANT && l->hook->objects[t->object].per_row;
}

static uint32_t texts_equal(struct lift *l, const struct lift_text *a, const struct lift_text *b) {
    if (lift_is_same_text(a, b)) return col_truth(&l->graph, 1);
    if (a->kind == LIFT_TEXT_CONSTANT && b->kind == LIFT_TEXT_CONSTANT)
        /* equal constants are stored once, so these two texts differ */
        return col_truth(&l->graph, 0);
    /* fill_equal needs a constant to be the second text */
    const int swap = a->kind == LIFT_TEXT_CONSTANT;
    const struct lift_input input = {LIFT_EQUAL, !varies(l, a) && !varies(l, b), swap ? *b : *a,
                                     swap ? *a : *b};
    return lift_input(l, &input);
}

static int lua_lift_operators_is_text(struct lift_value v) {
    return v.kind == V_TEXT || v.kind == V_LABEL;
}

/* Returns the mask that is 1 if the values are equal. */
static uint32_t equal(struct lift *l, uint32_t at, struct lift_value a, struct lift_value b) {
    if (a.kind == V_NUMBER && b.kind == V_NUMBER) return lift_node(l, COL_EQ, a.node, b.node);
    if (a.kind == V_MASK && b.kind == V_MASK) return lift_node(l, COL_SAME, a.node, b.node);
    if (lua_lift_operators_is_text(a) && lua_lift_operators_is_text(b))
        return texts_equal(l, &a.text, &b.text);
    if (a.kind == V_LABEL && b.kind == V_NIL) return lift_not(l, present(l, &a.text));
    if (b.kind == V_LABEL && a.kind == V_NIL) return lift_not(l, present(l, &b.text));
    if (a.kind >= V_NIL && a.kind <= V_LABEL && b.kind >= V_NIL && b.kind <= V_LABEL)
        return col_truth(&l->graph, a.kind == V_NIL && b.kind == V_NIL);
    lift_refuse(l, at, "compares %s with %s", lua_lift_operators_kind_name(a),
                lua_lift_operators_kind_name(b));
    return 0;
}

/* ---- operators ---- */

struct lift_value lift_unary(struct lift *l, uint32_t at) {
    const struct lift_value a = l->of[tree_child(l->tree, at, 0)];
    switch (tree_at(l->tree, at)->operator) {
    case LEX_NOT: return lift_mask(lift_not(l, lift_truth(l, at, a)));
    case '-':
        if (a.kind == V_NUMBER) return lift_number(lift_node(l, COL_NEG, a.node, 0));
        lift_refuse(l, at, "negates %s", lua_lift_operators_kind_name(a));
        break;
    default: lift_refuse(l, at, "takes the length of %s", lua_lift_operators_kind_name(a)); break;
    }
    return (struct lift_value){.kind = V_NONE};
}

static struct lift_value arithmetic(struct lift *l, uint32_t at, enum col_op op,
                                    struct lift_value a, struct lift_value b) {
    if (a.kind == V_NUMBER && b.kind == V_NUMBER)
        return lift_number(lift_node(l, op, a.node, b.node));
    lift_refuse(l, at, "calculates with %s",
                lua_lift_operators_kind_name(a.kind == V_NUMBER ? b : a));
    return (struct lift_value){.kind = V_NONE};
}

static struct lift_value lua_lift_operators_compare(struct lift *l, uint32_t at, enum col_op op,
                                                    struct lift_value a, struct lift_value b) {
    if (a.kind == V_NUMBER && b.kind == V_NUMBER)
        return lift_mask(lift_node(l, op, a.node, b.node));
    lift_refuse(l, at, "orders %s", lua_lift_operators_kind_name(a.kind == V_NUMBER ? b : a));
    return (struct lift_value){.kind = V_NONE};
}

struct lift_value lift_binary(struct lift *l, uint32_t at) {
    const struct lift_value a = l->of[tree_child(l->tree, at, 0)],
                            b = l->of[tree_child(l->tree, at, 1)];
    switch (tree_at(l->tree, at)->operator) {
    case '+': return arithmetic(l, at, COL_ADD, a, b);
    case '-': return arithmetic(l, at, COL_SUB, a, b);
    case '*': return arithmetic(l, at, COL_MUL, a, b);
    case '/': return arithmetic(l, at, COL_DIV, a, b);
    case '%': return arithmetic(l, at, COL_MOD, a, b);
    case '<': return lua_lift_operators_compare(l, at, COL_LT, a, b);
    case '>': return lua_lift_operators_compare(l, at, COL_LT, b, a);
    case LEX_LESS_EQUAL: return lua_lift_operators_compare(l, at, COL_LE, a, b);
    case LEX_MORE_EQUAL: return lua_lift_operators_compare(l, at, COL_LE, b, a);
    case LEX_EQUAL: return lift_mask(equal(l, at, a, b));
    case LEX_UNLIKE: return lift_mask(lift_not(l, equal(l, at, a, b)));
    case LEX_AND: return and_of(l, at, a, b);
    case LEX_OR: return or_of(l, at, a, b);
    case LEX_CONCAT: return lua_lift_operators_refused(l, at, "joins texts");
    default: return lua_lift_operators_refused(l, at, "an operator that cannot be lifted");
    }
}

/* ---- functions ---- */

struct operator_call {
    struct lift *l;
    uint32_t at;
    uint32_t n;      /* number of arguments of the call */
    uint32_t arg[3]; /* graph nodes of the first three arguments */
};

static uint32_t lua_lift_operators_apply(struct operator_call *c, enum col_op op, uint32_t a,
                                         uint32_t b) {
    return lift_node(c->l, op, a, b);
}

static uint32_t number(struct operator_call *c, double x) {
    return col_number(&c->l->graph, x);
}

/* Returns the mask that is 1 if x is neither NaN nor infinite. For such an x, x - x is 0. */
static uint32_t lua_lift_operators_is_finite(struct operator_call *c, uint32_t x) {
    return lua_lift_operators_apply(c, COL_EQ, lua_lift_operators_apply(c, COL_SUB, x, x),
                                    number(c, 0));
}

static void require(struct operator_call *c, uint32_t good) {
    lift_watch(c->l, lift_not(c->l, good));
}

static uint32_t least_or_most(struct operator_call *c, enum col_op op) {
    uint32_t child = tree_at(c->l->tree, tree_child(c->l->tree, c->at, 0))->next;
    uint32_t x = c->l->of[child].node;
    while ((child = tree_at(c->l->tree, child)->next) != PARSE_NONE)
        x = lua_lift_operators_apply(c, op, x, c->l->of[child].node);
    return x;
}

/* Returns the graph node for now / 3600 + (east or 0), in the same order of operations as the
 * prelude. */
static uint32_t local_hours(struct operator_call *c) {
    return lua_lift_operators_apply(
        c, COL_ADD, lua_lift_operators_apply(c, COL_DIV, c->arg[0], number(c, 3600)),
        c->n > 1 ? c->arg[1] : number(c, 0));
}

static uint32_t hour_of(struct operator_call *c) {
    return lua_lift_operators_apply(
        c, COL_MOD, lua_lift_operators_apply(c, COL_FLOOR, local_hours(c), 0), number(c, 24));
}

static uint32_t weekday_of(struct operator_call *c) {
    uint32_t days = lua_lift_operators_apply(
        c, COL_FLOOR, lua_lift_operators_apply(c, COL_DIV, local_hours(c), number(c, 24)), 0);
    uint32_t day = lua_lift_operators_apply(
        c, COL_MOD, lua_lift_operators_apply(c, COL_ADD, days, number(c, 3)), number(c, 7));
    return lua_lift_operators_apply(c, COL_ADD, day, number(c, 1));
}

/* Returns the graph node for the fraction that remains after `age`: 2^(-age / half_life), or 1 if
 * `age` is not above 0. */
static uint32_t half(struct operator_call *c, uint32_t age, uint32_t half_life) {
    require(c, lua_lift_operators_is_finite(c, age));
    require(c, lua_lift_operators_apply(c, COL_LT, number(c, 0), half_life));
    uint32_t power = lua_lift_operators_apply(
        c, COL_POW, number(c, 2),
        lua_lift_operators_apply(c, COL_DIV, lua_lift_operators_apply(c, COL_NEG, age, 0),
                                 half_life));
    return lift_choose(c->l, lua_lift_operators_apply(c, COL_LE, age, number(c, 0)), number(c, 1),
                       power);
}

static uint32_t half_life(struct operator_call *c) {
    require(c, lua_lift_operators_is_finite(c, c->arg[0]));
    return lua_lift_operators_apply(c, COL_MUL, c->arg[0], half(c, c->arg[1], c->arg[2]));
}

static uint32_t linear(struct operator_call *c) {
    uint32_t value = c->arg[0], age = c->arg[1], life = c->arg[2];
    require(c, lua_lift_operators_is_finite(c, value));
    require(c, lua_lift_operators_is_finite(c, age));
    require(c, lua_lift_operators_apply(c, COL_LT, number(c, 0), life));
    uint32_t left = lua_lift_operators_apply(c, COL_SUB, number(c, 1),
                                             lua_lift_operators_apply(c, COL_DIV, age, life));
    uint32_t x = lift_choose(c->l, lua_lift_operators_apply(c, COL_LE, life, age), number(c, 0),
                             lua_lift_operators_apply(c, COL_MUL, value, left));
    return lift_choose(c->l, lua_lift_operators_apply(c, COL_LE, age, number(c, 0)), value, x);
}

static void lua_lift_operators_check_usage(struct operator_call *c) {
    require(c, lua_lift_operators_is_finite(c, c->arg[0]));
    require(c, lua_lift_operators_apply(c, COL_LE, number(c, 0), c->arg[1]));
}

static uint32_t difference(struct operator_call *c, uint32_t more, uint32_t less) {
    lua_lift_operators_check_usage(c);
    return lift_choose(c->l, lua_lift_operators_apply(c, COL_LT, less, more),
                       lua_lift_operators_apply(c, COL_SUB, more, less), number(c, 0));
}

static uint32_t ratio(struct operator_call *c) {
    uint32_t used = c->arg[0], all = c->arg[1], otherwise = c->n > 2 ? c->arg[2] : number(c, 1);
    lua_lift_operators_check_usage(c);
    uint32_t x = lift_choose(c->l, lua_lift_operators_apply(c, COL_EQ, all, number(c, HUGE_VAL)),
                             number(c, 0), lua_lift_operators_apply(c, COL_DIV, used, all));
    return lift_choose(c->l, lua_lift_operators_apply(c, COL_EQ, all, number(c, 0)), otherwise, x);
}

static uint32_t builtin_node(struct operator_call *c, uint16_t id) {
    switch (id) {
    case BUILTIN_ABS: return lua_lift_operators_apply(c, COL_ABS, c->arg[0], 0);
    case BUILTIN_CEIL: return lua_lift_operators_apply(c, COL_CEIL, c->arg[0], 0);
    case BUILTIN_FLOOR: return lua_lift_operators_apply(c, COL_FLOOR, c->arg[0], 0);
    case BUILTIN_FMOD: return lua_lift_operators_apply(c, COL_FMOD, c->arg[0], c->arg[1]);
    case BUILTIN_MAX: return least_or_most(c, COL_MAX);
    case BUILTIN_MIN: return least_or_most(c, COL_MIN);
    case BUILTIN_SQRT: return lua_lift_operators_apply(c, COL_SQRT, c->arg[0], 0);
    case BUILTIN_EXP: return lua_lift_operators_apply(c, COL_EXP, c->arg[0], 0);
    case BUILTIN_LOG: return lua_lift_operators_apply(c, COL_LOG, c->arg[0], 0);
    case BUILTIN_POW: return lua_lift_operators_apply(c, COL_POW, c->arg[0], c->arg[1]);
    case BUILTIN_HOUR: return hour_of(c);
    case BUILTIN_WEEKDAY: return weekday_of(c);
    case BUILTIN_HALF_LIFE: return half_life(c);
    case BUILTIN_LINEAR: return linear(c);
    case BUILTIN_RISE:
        return lua_lift_operators_apply(c, COL_SUB, number(c, 1), half(c, c->arg[0], c->arg[1]));
    case BUILTIN_OVER: return difference(c, c->arg[0], c->arg[1]);
    case BUILTIN_UNDER: return difference(c, c->arg[1], c->arg[0]);
    default: return ratio(c);
    }
}

struct lift_value lift_builtin(struct lift *l, uint32_t at, uint16_t id) {
    static const uint8_t least[] = {1, 1, 1, 2, 1, 1, 1, 1, 1, 2, 1, 1, 3, 3, 2, 2, 2, 2};
    struct operator_call c = {.l = l, .at = at};
    uint32_t child = tree_at(l->tree, tree_child(l->tree, at, 0))->next;
    for (; child != PARSE_NONE; child = tree_at(l->tree, child)->next) {
        const struct lift_value v = l->of[child];
        if (v.kind != V_NUMBER) {
            lift_refuse(l, at, "a function of the library gets %s as an argument",
                        lua_lift_operators_kind_name(v));
            return v;
        }
        if (c.n < 3) c.arg[c.n] = v.node;
        c.n++;
    }
    if (c.n < least[id])
        return lua_lift_operators_refused(l, at, "a function of the library lacks an argument");
    return lift_number(builtin_node(&c, id));
}
