/*
 * lua_lift.c -- walks over the tree of a hook, builds a graph, and compiles the graph to a program;
 * see lua_lift.h.
 *
 * The walk does not recurse. It is a state machine with a stack of steps: blocks, ifs, lists of
 * expressions and calls. A local has no memory in the program; the walk keeps its current value. At
 * an `if`, the walk enters each clause with the same values of the locals. After the `if`, the
 * value of a local is a choice between the values at the ends of the clauses. Each return is
 * recorded with the mask of the clauses around it; the first return whose mask holds gives the
 * result. A function of the chunk is compiled again at each call.
 */
#include "lua/lift/lua_lift.h"

#include <stdio.h>
#include <string.h>

#include "lua/lift/lua_lift_operators.h"
#include "lua/lift/lua_lift_values.h"

static const struct parse_node *at_node(const struct lift *l, uint32_t node) {
    return tree_at(l->tree, node);
}

static struct lift_step *lua_lift_push(struct lift *l, enum lift_step_kind kind, uint32_t node,
                                       uint32_t next) {
    if (l->n_steps == LIFT_DEPTH_MAX) {
        lift_refuse(l, node, "nested too deep");
        return NULL;
    }
    struct lift_step *s = &l->steps[l->n_steps++];
    *s = (struct lift_step){
        .kind = (uint8_t)kind, .node = node, .next = next, .path = l->path, .locals = l->n_locals};
    return s;
}

static void lua_lift_declare(struct lift *l, uint32_t variable, struct lift_value value) {
    if (l->n_locals == LIFT_LOCALS_MAX) {
        lift_refuse(l, variable, "more than %u locals", LIFT_LOCALS_MAX);
        return;
    }
    l->locals[l->n_locals++] = (struct lift_local){variable, value};
}

/* ---- expressions ---- */

static uint32_t deepest(const struct lift *l, uint32_t node) {
    for (;;) {
        const struct parse_node *n = at_node(l, node);
        int is_leaf = n->kind == PARSE_FUNCTION || n->kind == PARSE_TABLE ||
                      n->kind == PARSE_METHOD_CALL || n->first == PARSE_NONE;
        if (is_leaf) return node;
        node = n->first;
    }
}

/* Pushes a step for the expression `first`; if `all` is 1, also for all later expressions of its
 * list. */
static void push_values(struct lift *l, uint32_t first, int all) {
    struct lift_step *s = lua_lift_push(l, STEP_VALUES, first, deepest(l, first));
    if (s) s->phase = (uint8_t)all;
}

/* Declares the parameters of the called function with the values of the arguments. `given` is the
 * node of the first argument. */
static void bind_arguments(struct lift *l, uint32_t function, uint32_t given) {
    uint32_t parameter = at_node(l, at_node(l, function)->first)->first;
    for (; parameter != PARSE_NONE; parameter = at_node(l, parameter)->next) {
        if (at_node(l, parameter)->kind != PARSE_VARIABLE) {
            lift_refuse(l, parameter, "a variable number of arguments");
            return;
        }
        struct lift_value v = {.kind = V_NIL};
        if (given != PARSE_NONE) {
            v = l->of[given];
            given = at_node(l, given)->next;
        }
        lua_lift_declare(l, parameter, v);
    }
}

static void enter_function(struct lift *l, uint32_t call, uint32_t function, int32_t slot) {
    uint32_t around = 0, locals = l->n_locals;
    for (uint32_t i = 0; i < l->n_steps; i++) {
        if (l->steps[i].kind != STEP_CALL) continue;
        around = i;
        if (l->steps[i].function == function) lift_refuse(l, call, "a function that calls itself");
    }
    if (l->n_calls == LIFT_CALLS_MAX) lift_refuse(l, call, "calls nested too deep");
    if (l->is_refused) return;
    if (call != PARSE_NONE) bind_arguments(l, function, at_node(l, at_node(l, call)->first)->next);
    struct lift_step *s = lua_lift_push(l, STEP_CALL, call, PARSE_NONE);
    if (!s) return;
    s->locals = locals;
    s->function = function;
    s->slot = slot ? slot : l->steps[around].slot;
    s->slot_function = slot ? function : l->steps[around].slot_function;
    s->returns = l->n_returns;
    l->n_calls++;
    l->path = col_truth(&l->graph, 1);
    lua_lift_push(l, STEP_BLOCK, tree_child(l->tree, function, 1),
                  at_node(l, tree_child(l->tree, function, 1))->first);
}

static void call(struct lift *l, uint32_t at) {
    const struct lift_value f = l->of[at_node(l, at)->first];
    if (f.kind == V_BUILTIN)
        l->of[at] = lift_builtin(l, at, f.id);
    else if (f.kind == V_FUNCTION)
        enter_function(l, at, f.node, f.slot);
    else
        lift_refuse(l, at, "it calls a function that cannot be lifted");
}

static void visit(struct lift *l, uint32_t at) {
    if (++l->visits > LIFT_VISITS_MAX) lift_refuse(l, at, "too large");
    switch (at_node(l, at)->kind) {
    case PARSE_UNARY: l->of[at] = lift_unary(l, at); break;
    case PARSE_BINARY: l->of[at] = lift_binary(l, at); break;
    case PARSE_INDEX: l->of[at] = lift_index(l, at); break;
    case PARSE_PAREN: l->of[at] = l->of[at_node(l, at)->first]; break;
    case PARSE_CALL: call(l, at); break;
    default: l->of[at] = lift_leaf(l, at); break;
    }
}

static void step_values(struct lift *l, struct lift_step *s) {
    uint32_t at = s->next;
    const struct parse_node *n = at_node(l, at);
    if (at != s->node) {
        s->next = n->next != PARSE_NONE ? deepest(l, n->next) : n->parent;
    } else if (s->phase && n->next != PARSE_NONE) {
        s->node = n->next;
        s->next = deepest(l, n->next);
    } else {
        l->n_steps--; /* popped before `visit`, because `visit` can push the step of a call */
    }
    visit(l, at);
}

/* ---- statements ---- */

/* True if there are more variables than expressions and the last expression is a call, which can
 * give several values. */
static int takes_several(const struct lift *l, uint32_t names, uint32_t values) {
    uint32_t n = tree_count(l->tree, names), m = tree_count(l->tree, values), last = PARSE_NONE;
    if (n <= m) return 0;
    last = tree_child(l->tree, values, m - 1);
    return at_node(l, last)->kind == PARSE_CALL;
}

/* Returns the value of the expression *at and advances *at to the next expression of the list.
 * Returns nil if the list has no more expressions. */
static struct lift_value take_value(const struct lift *l, uint32_t *at) {
    if (*at == PARSE_NONE) return (struct lift_value){.kind = V_NIL};
    struct lift_value v = l->of[*at];
    *at = at_node(l, *at)->next;
    return v;
}

static void bind_locals(struct lift *l, uint32_t at) {
    uint32_t names = at_node(l, at)->first, values = at_node(l, names)->next;
    uint32_t name = at_node(l, names)->first, value = PARSE_NONE;
    if (values != PARSE_NONE) {
        value = at_node(l, values)->first;
        if (takes_several(l, names, values))
            lift_refuse(l, values, "it uses several values of one call");
    }
    for (; name != PARSE_NONE; name = at_node(l, name)->next) {
        lua_lift_declare(l, name, take_value(l, &value));
    }
}

static void assign(struct lift *l, uint32_t name, struct lift_value v) {
    const struct parse_node *n = at_node(l, name);
    if (n->kind != PARSE_NAME || n->ref == PARSE_NONE ||
        at_node(l, n->ref)->function != n->function) {
        lift_refuse(l, name, "it assigns to a variable that is not a local of the function");
        return;
    }
    uint32_t i = l->n_locals;
    while (i > 0 && l->locals[i - 1].variable != n->ref) i--;
    if (i > 0) l->locals[i - 1].value = v;
}

static void assign_all(struct lift *l, uint32_t at) {
    uint32_t names = at_node(l, at)->first, values = at_node(l, names)->next;
    uint32_t name = at_node(l, names)->first, value = at_node(l, values)->first;
    if (takes_several(l, names, values))
        lift_refuse(l, values, "it uses several values of one call");
    for (; name != PARSE_NONE; name = at_node(l, name)->next) {
        assign(l, name, take_value(l, &value));
    }
}

/* Records the summands of a returned expression. The loop finds the last summand first, because a +
 * b - c is (a + b) - c. At the end the summands are put into the order of the text. */
static void note_terms(struct lift *l, uint32_t expression) {
    uint32_t first = l->n_terms, node = expression, go_on = 1;
    if (l->of[expression].kind != V_NUMBER) return;
    while (go_on && l->n_terms < LIFT_TERMS_MAX) {
        const struct parse_node *n = at_node(l, node);
        uint32_t left = n->first, term = node, is_negative = 0;
        if (n->kind == PARSE_PAREN) {
            node = left;
            continue;
        }
        go_on = n->kind == PARSE_BINARY && (n->operator== '+' || n->operator== '-');
        if (go_on) {
            term = at_node(l, left)->next;
            is_negative = n->operator== '-';
            node = left;
        }
        const struct parse_node *t = at_node(l, term);
        l->term_values[l->n_terms] = l->of[term].node;
        l->terms[l->n_terms++] =
            (struct lift_term){t->at, t->len, t->line, t->column, l->n_returns, is_negative};
    }
    if (go_on) l->n_terms = first; /* too many summands: none is recorded */
    for (uint32_t i = first, k = l->n_terms; i + 1 < k; i++) {
        k--;
        struct lift_term term = l->terms[i];
        uint32_t value = l->term_values[i];
        l->terms[i] = l->terms[k];
        l->term_values[i] = l->term_values[k];
        l->terms[k] = term;
        l->term_values[k] = value;
    }
}

static void note_return(struct lift *l, uint32_t at) {
    uint32_t first = at_node(l, at)->first;
    struct lift_value v = {.kind = V_NIL};
    if (l->n_returns == LIFT_RETURNS_MAX) {
        lift_refuse(l, at, "more than %u returns", LIFT_RETURNS_MAX);
        return;
    }
    if (first != PARSE_NONE) v = l->of[first];
    if (l->n_calls > 1 && first != PARSE_NONE && at_node(l, first)->next != PARSE_NONE)
        lift_refuse(l, at, "it returns several values");
    if (l->n_calls > 1 && v.kind == V_FUNCTION)
        lift_refuse(l, at, "a function that returns a function");
    if (l->n_calls == 1 && first != PARSE_NONE && !l->is_refused) note_terms(l, first);
    l->returns[l->n_returns++] = (struct lift_returned){l->path, at, v};
}

static void lua_lift_leave_block(struct lift *l, const struct lift_step *s, uint32_t has_ended) {
    l->n_locals = s->locals;
    l->n_steps--;
    l->has_ended = has_ended;
}

static const char *why_not(uint8_t kind) {
    switch (kind) {
    case PARSE_WHILE:
    case PARSE_REPEAT:
    case PARSE_FOR_NUMERIC:
    case PARSE_FOR_IN: return "a loop";
    case PARSE_CALL_STATEMENT: return "it calls a function for its effect, not for its value";
    default: return "it contains a statement that cannot be lifted";
    }
}

/* Begins a statement. Returns 1 if the statement is already complete. */
static int lua_lift_begin_statement(struct lift *l, uint32_t at) {
    const struct parse_node *n = at_node(l, at);
    uint32_t first = n->first, list = first != PARSE_NONE ? at_node(l, first)->next : PARSE_NONE;
    switch (n->kind) {
    case PARSE_LOCAL:
        if (list != PARSE_NONE) push_values(l, at_node(l, list)->first, 1);
        return 0;
    case PARSE_ASSIGN: push_values(l, at_node(l, list)->first, 1); return 0;
    case PARSE_RETURN:
        if (first != PARSE_NONE) push_values(l, first, 1);
        return 0;
    case PARSE_IF: lua_lift_push(l, STEP_IF, at, first); return 0;
    case PARSE_DO: lua_lift_push(l, STEP_BLOCK, first, at_node(l, first)->first); return 0;
    case PARSE_LOCAL_FUNCTION:
        lua_lift_declare(l, first, (struct lift_value){.kind = V_FUNCTION, .node = list});
        return 1;
    default: lift_refuse(l, at, "%s", why_not(n->kind)); return 1;
    }
}

static void lua_lift_step_block(struct lift *l, struct lift_step *s) {
    if (s->next == PARSE_NONE) {
        lua_lift_leave_block(l, s, 0);
        return;
    }
    const struct parse_node *n = at_node(l, s->next);
    if (s->phase == 0) {
        l->has_ended = 0;
        s->phase = 1;
        if (!lua_lift_begin_statement(l, s->next)) return;
    } else if (n->kind == PARSE_LOCAL) {
        bind_locals(l, s->next);
    } else if (n->kind == PARSE_ASSIGN) {
        assign_all(l, s->next);
    } else if (n->kind == PARSE_RETURN) {
        note_return(l, s->next);
        lua_lift_leave_block(l, s, 1);
        return;
    } else if (l->has_ended) {
        /* the IF or DO before always returns, so the remaining statements are never reached */
        lua_lift_leave_block(l, s, 1);
        return;
    }
    s->phase = 0;
    s->next = n->next;
}

/* ---- `if` statements ---- */

/* Reserves space for two copies of the locals and fills the first one. The first copy holds the
 * values before the `if`, the second copy the values merged from the clauses so far. */
static void fork_locals(struct lift *l, struct lift_step *s) {
    s->saved = l->n_saved;
    if (2 * s->locals > LIFT_SAVED_MAX - l->n_saved) {
        lift_refuse(l, s->node, "it has too many locals around nested conditions");
        return;
    }
    for (uint32_t i = 0; i < s->locals; i++) l->saved[s->saved + i] = l->locals[i].value;
    l->n_saved += 2 * s->locals;
}

static void merge_clause(struct lift *l, struct lift_step *s) {
    struct lift_value *merged = &l->saved[s->saved + s->locals];
    for (uint32_t i = 0; i < s->locals; i++) {
        const struct lift_value v = l->locals[i].value;
        merged[i] = s->has_merged ? lift_merge(l, s->taken, merged[i], v) : v;
    }
    s->has_merged = 1;
    s->taken = lift_node(l, COL_OR, s->taken, s->condition);
}

static void restore_locals(struct lift *l, const struct lift_step *s) {
    for (uint32_t i = 0; i < s->locals; i++) l->locals[i].value = l->saved[s->saved + i];
}

static void leave_if(struct lift *l, struct lift_step *s) {
    for (uint32_t i = 0; s->has_merged && i < s->locals; i++)
        l->locals[i].value = l->saved[s->saved + s->locals + i];
    l->has_ended = !s->has_merged;
    l->n_saved = s->saved;
    l->path = s->path;
    l->n_steps--;
}

/* Begins a clause whose BLOCK is s->next. */
static void enter_clause(struct lift *l, struct lift_step *s) {
    uint32_t free = lift_node(l, COL_NOT, s->taken, 0);
    l->path = lift_node(l, COL_AND, s->path, lift_node(l, COL_AND, free, s->condition));
    s->phase = 2;
    lua_lift_push(l, STEP_BLOCK, s->next, at_node(l, s->next)->first);
}

static void lua_lift_step_if(struct lift *l, struct lift_step *s) {
    const uint32_t always = col_truth(&l->graph, 1), never = col_truth(&l->graph, 0);
    if (s->phase == 0 && s->next == at_node(l, s->node)->first) {
        s->taken = never;
        fork_locals(l, s);
        if (l->is_refused) return;
    }
    if (s->phase == 2) { /* the block of a clause is complete */
        if (!l->has_ended) merge_clause(l, s);
        restore_locals(l, s);
        s->next = at_node(l, s->next)->next;
        s->phase = 0;
        if (s->condition == always) {
            leave_if(l, s);
            return;
        }
    }
    /* no `else`: if no clause is taken, the values before the `if` remain */
    if (s->next == PARSE_NONE) {
        s->condition = always;
        merge_clause(l, s);
        leave_if(l, s);
        return;
    }
    if (s->phase == 1) {
        s->condition = lift_truth(l, s->next, l->of[s->next]);
        s->next = at_node(l, s->next)->next;
        s->phase = 0;
        if (s->condition == never)
            s->next = at_node(l, s->next)->next;
        else
            enter_clause(l, s);
    } else if (at_node(l, s->next)->kind == PARSE_BLOCK) {
        s->condition = always;
        enter_clause(l, s);
    } else {
        s->phase = 1;
        push_values(l, s->next, 0);
    }
}

/* ---- functions ---- */

/* Returns the result of a call: the value of the first return that is reached. */
static struct lift_value lua_lift_answer_of(struct lift *l, const struct lift_step *s) {
    struct lift_value v = {.kind = V_NIL};
    uint32_t reached = col_truth(&l->graph, 0);
    for (uint32_t i = s->returns; i < l->n_returns; i++) {
        const struct lift_returned *r = &l->returns[i];
        v = i == s->returns ? r->value : lift_merge(l, reached, v, r->value);
        reached = lift_node(l, COL_OR, reached, r->path);
    }
    return v;
}

static void step_call(struct lift *l, struct lift_step *s) {
    if (!l->has_ended && l->n_returns < LIFT_RETURNS_MAX)
        l->returns[l->n_returns++] = (struct lift_returned){l->path, s->function, {.kind = V_NIL}};
    l->n_steps--;
    l->n_calls--;
    /* this is the hook itself: lua_lift_answer uses its returns */
    if (s->node == PARSE_NONE) return;
    l->of[s->node] = lua_lift_answer_of(l, s);
    l->n_returns = s->returns;
    l->n_locals = s->locals;
    l->path = s->path;
}

static void lua_lift_walk(struct lift *l) {
    while (l->n_steps && !l->is_refused && !l->graph.failed) {
        struct lift_step *s = &l->steps[l->n_steps - 1];
        switch (s->kind) {
        case STEP_BLOCK: lua_lift_step_block(l, s); break;
        case STEP_IF: lua_lift_step_if(l, s); break;
        case STEP_VALUES: step_values(l, s); break;
        default: step_call(l, s); break;
        }
    }
}

/* ---- the hook ---- */

static int gives_truth(uint32_t hook) {
    enum hook_answer answer = hook_kinds[hook].answer;
    return answer == HOOK_GIVES_TRUTH || answer == HOOK_GIVES_TRUTH_OR_NIL;
}

static int is_candidate(uint32_t hook) {
    enum hook_answer answer = hook_kinds[hook].answer;
    return gives_truth(hook) || answer == HOOK_GIVES_NUMBER || answer == HOOK_GIVES_NUMBER_OR_NIL;
}

static int may_give_nil(uint32_t hook) {
    enum hook_answer answer = hook_kinds[hook].answer;
    return answer == HOOK_GIVES_NUMBER_OR_NIL || answer == HOOK_GIVES_TRUTH_OR_NIL;
}

static void bind_objects(struct lift *l, uint32_t function) {
    uint32_t parameter = at_node(l, at_node(l, function)->first)->first, i = 0;
    for (; parameter != PARSE_NONE; parameter = at_node(l, parameter)->next, i++) {
        struct lift_value v = {.kind = V_NIL};
        if (at_node(l, parameter)->kind != PARSE_VARIABLE) {
            lift_refuse(l, parameter, "a variable number of arguments");
            return;
        }
        if (i < l->hook->kind->n_objects) {
            v = (struct lift_value){.kind = V_OBJECT, .object = (uint8_t)i};
        } else if (i == l->hook->kind->n_objects) {
            const struct lift_input now = {.kind = LIFT_NOW, .is_uniform = 1};
            v = lift_number(lift_input(l, &now));
        }
        lua_lift_declare(l, parameter, v);
    }
}

/* Sets the roots of the program. LIFT_VALUE is the value of the first return that is reached.
 * LIFT_GIVEN says whether there is a value. LIFT_ODD says whether LuaJIT must run the hook. */
static void lua_lift_answer(struct lift *l, uint32_t hook, uint32_t *roots) {
    struct col_graph *g = &l->graph;
    const int wants_mask = gives_truth(hook);
    uint32_t value = wants_mask ? col_truth(g, 0) : col_number(g, 0);
    uint32_t given = col_truth(g, 0), reached = col_truth(g, 0);
    int has_value = 0;
    for (uint32_t i = 0; i < l->n_returns; i++) {
        const struct lift_returned *r = &l->returns[i];
        int is_nil = r->value.kind == V_NIL;
        if (!is_nil && r->value.kind != (wants_mask ? V_MASK : V_NUMBER)) {
            lift_refuse(l, r->node, "returns something other than %s",
                        wants_mask ? "true or false" : "a number");
            return;
        }
        if (!is_nil)
            value =
                has_value ? col_apply(g, COL_SELECT, reached, value, r->value.node) : r->value.node;
        has_value |= !is_nil;
        given = col_apply(g, COL_SELECT, reached, given, col_truth(g, !is_nil));
        reached = lift_node(l, COL_OR, reached, r->path);
    }
    if (!may_give_nil(hook)) lift_watch(l, lift_node(l, COL_NOT, given, 0));
    roots[LIFT_VALUE] = wants_mask ? lift_node(l, COL_AND, given, value) : value;
    roots[LIFT_GIVEN] = given;
    roots[LIFT_ODD] = l->odd;
}

static int32_t keep_inputs(struct lift *l, struct alloc *alloc) {
    struct lifted *out = l->out;
    if (l->n_inputs == 0) return LSCHED_OK;
    out->inputs = alloc_new(alloc, l->n_inputs * sizeof *out->inputs);
    if (!out->inputs) return LSCHED_E_NOMEM;
    out->n_inputs = l->n_inputs;
    memcpy(out->inputs, l->inputs, l->n_inputs * sizeof *out->inputs);
    return LSCHED_OK;
}

/* Makes the program for explanations. Its roots are the masks of all returns, followed by the
 * values of all terms. */
static int32_t keep_terms(struct lift *l, struct alloc *alloc) {
    uint32_t roots[LIFT_RETURNS_MAX + LIFT_TERMS_MAX], n = 0;
    struct lifted *out = l->out;
    if (l->n_terms == 0) return LSCHED_OK;
    out->terms = alloc_new(alloc, l->n_terms * sizeof *out->terms);
    if (!out->terms) return LSCHED_E_NOMEM;
    memcpy(out->terms, l->terms, l->n_terms * sizeof *out->terms);
    out->n_terms = l->n_terms;
    out->n_returns = l->n_returns;
    for (uint32_t i = 0; i < l->n_returns; i++) roots[n++] = l->returns[i].path;
    for (uint32_t i = 0; i < l->n_terms; i++) roots[n++] = l->term_values[i];
    return col_compile(&l->graph, roots, n, l->n_inputs, &out->term_program);
}

static int32_t lua_lift_finish(struct lift *l, uint32_t hook) {
    struct alloc *alloc = l->host->alloc;
    uint32_t roots[LIFT_ROOTS] = {0};
    if (!l->is_refused) lua_lift_answer(l, hook, roots);
    if (l->graph.failed == LSCHED_E_LIMIT) lift_refuse(l, PARSE_NONE, "too large");
    if (l->graph.failed == LSCHED_E_NOMEM) return LSCHED_E_NOMEM;
    if (l->is_refused) return LSCHED_OK;
    int32_t rc = col_compile(&l->graph, roots, LIFT_ROOTS, l->n_inputs, &l->out->program);
    if (rc == LSCHED_OK) rc = keep_inputs(l, alloc);
    if (rc == LSCHED_OK) rc = keep_terms(l, alloc);
    l->out->gives_mask = (uint32_t)gives_truth(hook);
    l->out->ops = col_cost(&l->out->program);
    l->out->cost = (l->out->ops + 3) / 4;
    l->out->is_lifted = rc == LSCHED_OK;
    return rc;
}

/* Returns the state of the walk, and allocates it at the first call. The state belongs to `host`. A
 * local variable would not do: a Lua error can jump over the C frames of the compiler, and
 * lift_close() must still find the memory. */
static struct lift *walker(struct lua_host *host) {
    if (host->lift) return host->lift;
    struct lift *l = alloc_zero(host->alloc, sizeof *l);
    if (!l) return NULL;
    host->lift = l;
    l->host = host;
    l->tree = &host->tree;
    l->of = alloc_new(host->alloc, host->tree.n * sizeof *l->of);
    l->n_of = l->of ? host->tree.n : 0;
    col_graph_init(&l->graph, host->alloc);
    return l->of ? l : NULL;
}

static void drop_walker(struct lua_host *host) {
    struct lift *l = host->lift;
    if (!l) return;
    col_graph_free(&l->graph);
    if (l->of) alloc_free(host->alloc, l->of, l->n_of * sizeof *l->of);
    alloc_free(host->alloc, l, sizeof *l);
    host->lift = NULL;
}

static void lua_lift_begin(struct lift *l, uint32_t hook) {
    l->hook = &l->host->hooks[hook];
    l->out = &l->host->lifted[hook];
    col_graph_clear(&l->graph);
    l->n_locals = l->n_steps = l->n_returns = l->n_saved = l->n_calls = l->visits = 0;
    l->n_slots = 0;
    l->n_chunk = l->n_inputs = l->n_terms = l->texts = 0;
    l->is_refused = 0;
    l->odd = col_truth(&l->graph, 0);
    l->path = col_truth(&l->graph, 1);
}

static int32_t lift_node_of(struct lua_host *host, uint32_t hook, uint32_t node, int function) {
    struct lift *l = walker(host);
    struct lifted *out = &host->lifted[hook];
    const int top = host->api.gettop(host->L);
    out->texts = alloc_new(host->alloc, LIFT_TEXT_BYTES);
    if (!l || !out->texts) return LSCHED_E_NOMEM;
    lua_lift_begin(l, hook);
    if (!is_candidate(hook))
        lift_refuse(l, node, "its result is neither a number nor true or false");
    bind_objects(l, node);
    enter_function(l, PARSE_NONE, node, function);
    lua_lift_walk(l);
    int32_t rc = lua_lift_finish(l, hook);
    host->api.settop(host->L, top);
    return rc;
}

void lift_hook(struct lua_host *host, uint32_t hook) {
    struct lifted *out = &host->lifted[hook];
    uint32_t node = host->hooks[hook].node;
    if (node == PARSE_NONE) {
        snprintf(out->reason, sizeof out->reason, "several functions are defined in its lines");
        out->reason_line = host->hooks[hook].line;
        return;
    }
    if (lift_node_of(host, hook, node, host->api.gettop(host->L)) == LSCHED_OK) return;
    fault_set(&host->fault, LSCHED_E_NOMEM, "out of memory");
    host_throw(host);
}

int32_t lift_open(struct lua_host *host) {
    host->lifted = alloc_zero(host->alloc, HOST_HOOKS * sizeof *host->lifted);
    return host->lifted ? LSCHED_OK : fault_set(&host->fault, LSCHED_E_NOMEM, "out of memory");
}

int32_t lift_ready(struct lua_host *host) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < HOST_HOOKS; i++) {
        const struct lifted *l = &host->lifted[i];
        size_t most = col_scratch_bytes(&l->program), terms = col_scratch_bytes(&l->term_program);
        if (terms > most) most = terms;
        if (most > bytes) bytes = most;
    }
    drop_walker(host);
    host->kernels = col_kernels_best();
    if (bytes == 0) return LSCHED_OK;
    host->scratch_bytes = bytes + 32;
    host->scratch_block = alloc_new(host->alloc, host->scratch_bytes);
    if (!host->scratch_block) return fault_set(&host->fault, LSCHED_E_NOMEM, "out of memory");
    host->scratch = host->scratch_block + (32 - (uintptr_t)host->scratch_block % 32) % 32;
    return LSCHED_OK;
}

static void lift_free(struct alloc *alloc, struct lifted *out) {
    col_program_free(&out->program);
    col_program_free(&out->term_program);
    if (out->inputs) alloc_free(alloc, out->inputs, out->n_inputs * sizeof *out->inputs);
    if (out->terms) alloc_free(alloc, out->terms, out->n_terms * sizeof *out->terms);
    if (out->texts) alloc_free(alloc, out->texts, LIFT_TEXT_BYTES);
}

void lift_close(struct lua_host *host) {
    drop_walker(host);
    for (uint32_t i = 0; host->lifted && i < HOST_HOOKS; i++)
        lift_free(host->alloc, &host->lifted[i]);
    if (host->lifted) alloc_free(host->alloc, host->lifted, HOST_HOOKS * sizeof *host->lifted);
    host->lifted = NULL;
    if (host->scratch_block) alloc_free(host->alloc, host->scratch_block, host->scratch_bytes);
    host->scratch_block = NULL;
}
