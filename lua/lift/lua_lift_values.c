/* lua_lift_values.c -- see lua_lift_values.h. */
#include "lua/lift/lua_lift_values.h"
#include <string.h>

static const struct {
    uint8_t library;
    const char *name;
    uint16_t id;
} functions[] = {
    {LIBRARY_MATH, "abs", BUILTIN_ABS},
    {LIBRARY_MATH, "ceil", BUILTIN_CEIL},
    {LIBRARY_MATH, "floor", BUILTIN_FLOOR},
    {LIBRARY_MATH, "fmod", BUILTIN_FMOD},
    {LIBRARY_MATH, "max", BUILTIN_MAX},
    {LIBRARY_MATH, "min", BUILTIN_MIN},
    {LIBRARY_MATH, "sqrt", BUILTIN_SQRT},
    {LIBRARY_MATH, "exp", BUILTIN_EXP},
    {LIBRARY_MATH, "log", BUILTIN_LOG},
    {LIBRARY_MATH, "pow", BUILTIN_POW},
    {LIBRARY_DECAY, "half_life", BUILTIN_HALF_LIFE},
    {LIBRARY_DECAY, "linear", BUILTIN_LINEAR},
    {LIBRARY_DECAY, "rise", BUILTIN_RISE},
    {LIBRARY_USAGE, "over", BUILTIN_OVER},
    {LIBRARY_USAGE, "under", BUILTIN_UNDER},
    {LIBRARY_USAGE, "ratio", BUILTIN_RATIO},
};

static const struct {
    uint8_t library;
    const char *name;
    double value;
} constants[] = {
    {LIBRARY_MATH, "huge", HUGE_VAL}, {LIBRARY_MATH, "pi", 3.14159265358979323846},
    {LIBRARY_UNITS, "second", 1},     {LIBRARY_UNITS, "minute", 60},
    {LIBRARY_UNITS, "hour", 3600},    {LIBRARY_UNITS, "day", 86400},
    {LIBRARY_UNITS, "week", 604800},  {LIBRARY_UNITS, "MiB", 1.0 / 1024},
    {LIBRARY_UNITS, "GiB", 1},        {LIBRARY_UNITS, "TiB", 1024},
};

static const char *const libraries[] = {"math", "units", "decay", "usage"};

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

/* ---- inputs ---- */

static int lua_lift_values_text_equals(const struct lift_text *a, const struct lift_text *b) {
    return a->kind == b->kind && a->object == b->object && a->field == b->field && a->at == b->at &&
           a->len == b->len;
}

uint32_t lift_input(struct lift *l, const struct lift_input *input) {
    uint32_t i = 0;
    for (; i < l->n_inputs; i++) {
        const struct lift_input *x = &l->inputs[i];
        if (x->kind == input->kind && lua_lift_values_text_equals(&x->a, &input->a) &&
            lua_lift_values_text_equals(&x->b, &input->b))
            break;
    }
    if (i == LIFT_INPUTS_MAX) {
        lift_refuse(l, PARSE_NONE, "reads more than %u fields and labels", LIFT_INPUTS_MAX);
        return 0;
    }
    if (i == l->n_inputs) l->inputs[l->n_inputs++] = *input;
    int is_mask = input->kind != LIFT_NUMBER && input->kind != LIFT_NOW;
    return col_input(&l->graph, i, is_mask, input->is_uniform);
}

static struct lift_value lua_lift_values_refused(struct lift *l, uint32_t at, const char *why) {
    lift_refuse(l, at, "%s", why);
    return (struct lift_value){.kind = V_NONE};
}

/* Returns a constant text. Equal texts are stored only once in lifted.texts. */
static struct lift_value constant_text(struct lift *l, uint32_t at, const char *text, size_t len) {
    uint32_t begin = 0;
    while (begin + len <= l->texts && memcmp(l->out->texts + begin, text, len) != 0) begin++;
    if (begin + len > l->texts) {
        begin = l->texts;
        if (len > LIFT_TEXT_BYTES - l->texts)
            return lua_lift_values_refused(l, at, "its string constants are too long");
        memcpy(l->out->texts + begin, text, len);
        l->texts += (uint32_t)len;
    }
    return (struct lift_value){.kind = V_TEXT,
                               .text = {LIFT_TEXT_CONSTANT, 0, 0, (uint16_t)begin, (uint16_t)len}};
}

/* ---- values from the Lua state ---- */

/* Returns the value on top of the Lua stack. A table or a function stays on the stack, and its
 * stack index becomes v.slot; any other value is popped. `function` is the FUNCTION node if the
 * value is a function with a known node, else PARSE_NONE. */
static struct lift_value take_constant(struct lift *l, uint32_t at, uint32_t function) {
    const struct luajit_api *api = &l->host->api;
    lua_State *L = l->host->L;
    struct lift_value v = {.kind = V_NONE};
    size_t len;
    int type = api->type(L, -1);
    switch (type) {
    case LUA_TNIL: v.kind = V_NIL; break;
    case LUA_TNUMBER: v = lift_number(col_number(&l->graph, api->tonumber(L, -1))); break;
    case LUA_TBOOLEAN: v = lift_mask(col_truth(&l->graph, api->toboolean(L, -1))); break;
    case LUA_TSTRING: {
        const char *text = api->tolstring(L, -1, &len);
        v = constant_text(l, at, text, len);
        break;
    }
    case LUA_TFUNCTION:
    case LUA_TTABLE:
        if (type == LUA_TFUNCTION && function == PARSE_NONE)
            return api->settop(L, -2),
                   lua_lift_values_refused(
                       l, at,
                       "it calls a function that is not a local function assigned only once");
        if (l->n_slots == LIFT_SLOTS_MAX)
            return api->settop(L, -2),
                   lua_lift_values_refused(
                       l, at, "it uses too many tables and functions of the policy text");
        l->n_slots++;
        v.kind = type == LUA_TTABLE ? V_TABLE : V_FUNCTION;
        v.node = function;
        v.slot = api->gettop(L);
        return v;
    default: lift_refuse(l, at, "a value of type %s", api->typename(L, type)); break;
    }
    api->settop(L, -2);
    return v;
}

/* Pushes the upvalue that has this name, of the Lua function at stack index `slot`. Returns 0 if
 * there is no such upvalue, or more than one. */
static int push_upvalue(struct lift *l, int32_t slot, const char *name, size_t len) {
    const struct luajit_api *api = &l->host->api;
    lua_State *L = l->host->L;
    int found = 0;
    const char *have;
    for (int i = 1; (have = api->getupvalue(L, slot, i)) != NULL; i++) {
        api->settop(L, -2);
        if (strlen(have) != len || memcmp(have, name, len) != 0) continue;
        if (found) return 0;
        found = i;
    }
    return found && api->getupvalue(L, slot, found) != NULL;
}

/* ---- names ---- */

static struct lift_value global_name(struct lift *l, uint32_t at) {
    for (size_t i = 0; i < COUNT_OF(libraries); i++)
        if (tree_is_word(l->tree, at, libraries[i]))
            return (struct lift_value){.kind = V_LIBRARY, .object = (uint8_t)i};
    if (tree_is_word(l->tree, at, "params")) return (struct lift_value){.kind = V_PARAMS};
    if (tree_is_word(l->tree, at, "hour"))
        return (struct lift_value){.kind = V_BUILTIN, .id = BUILTIN_HOUR};
    if (tree_is_word(l->tree, at, "weekday"))
        return (struct lift_value){.kind = V_BUILTIN, .id = BUILTIN_WEEKDAY};
    uint32_t len = 0;
    const char *name = tree_word(l->tree, at, &len);
    lift_refuse(l, at, "'%.*s' cannot be lifted", (int)(len < 40 ? len : 40), name ? name : "");
    return (struct lift_value){.kind = V_NONE};
}

static struct lift_value member(struct lift *l, uint32_t at, uint8_t library, const char *key,
                                size_t len) {
    for (size_t i = 0; i < COUNT_OF(functions); i++)
        if (functions[i].library == library && strlen(functions[i].name) == len &&
            memcmp(functions[i].name, key, len) == 0)
            return (struct lift_value){.kind = V_BUILTIN, .id = functions[i].id};
    for (size_t i = 0; i < COUNT_OF(constants); i++)
        if (constants[i].library == library && strlen(constants[i].name) == len &&
            memcmp(constants[i].name, key, len) == 0)
            return lift_number(col_number(&l->graph, constants[i].value));
    lift_refuse(l, at, "%s.%.*s cannot be lifted", libraries[library], (int)(len < 40 ? len : 40),
                key);
    return (struct lift_value){.kind = V_NONE};
}

/* Handles aliases such as: local floor = math.floor, local m = math. The Lua state only holds the
 * function or the view; the tree says which library it is from. Returns V_NONE if the local is no
 * such alias. */
static struct lift_value library_alias(struct lift *l, uint32_t variable) {
    struct lift_value none = {.kind = V_NONE};
    const struct parse_tree *t = l->tree;
    uint32_t expression = tree_initial(t, variable);
    if (expression == PARSE_NONE || (tree_at(t, variable)->flags & PARSE_IS_ASSIGNED)) return none;
    uint32_t object =
        tree_at(t, expression)->kind == PARSE_INDEX ? tree_child(t, expression, 0) : expression;
    const struct parse_node *o = tree_at(t, object);
    if (o->kind != PARSE_NAME || o->ref != PARSE_NONE) return none;
    int is_known = object == expression &&
                   (tree_is_word(t, object, "hour") || tree_is_word(t, object, "weekday") ||
                    tree_is_word(t, object, "params"));
    for (size_t i = 0; i < COUNT_OF(libraries); i++)
        is_known |= tree_is_word(t, object, libraries[i]);
    if (!is_known) return none;
    struct lift_value v = global_name(l, object);
    if (object == expression) return v;
    uint32_t len, key = tree_child(t, expression, 1);
    const char *word = tree_word(t, key, &len);
    return word ? member(l, expression, v.object, word, len) : none;
}

/* True if the local exists only once, so that its value is the same for all functions that use it.
 * This holds if the local is declared neither in a loop nor in a function. */
static int is_single(const struct lift *l, uint32_t variable) {
    for (uint32_t i = variable; i != 0; i = tree_at(l->tree, i)->parent) {
        uint8_t kind = tree_at(l->tree, i)->kind;
        if (kind == PARSE_FUNCTION || kind == PARSE_WHILE || kind == PARSE_REPEAT ||
            kind == PARSE_FOR_NUMERIC || kind == PARSE_FOR_IN)
            return 0;
    }
    return 1;
}

/* Returns the value of a local of the chunk. The value comes from the upvalues of the Lua function
 * that is being compiled. */
static struct lift_value chunk_local(struct lift *l, uint32_t at, uint32_t variable) {
    uint32_t len, i = l->n_steps;
    const char *name = tree_word(l->tree, at, &len);
    while (l->steps[i - 1].kind != STEP_CALL) i--;
    const struct lift_step *call = &l->steps[i - 1];
    const struct parse_node *f = tree_at(l->tree, call->slot_function),
                            *v = tree_at(l->tree, variable);
    for (i = 0; i < l->n_chunk; i++)
        if (l->chunk[i].variable == variable) return l->chunk[i].value;
    /* a local declared inside this function: its block has ended, so it is not an upvalue */
    int is_inside = v->at >= f->at && v->at < f->at + f->len;
    if (is_inside || !name || !push_upvalue(l, call->slot, name, len))
        return lua_lift_values_refused(
            l, at, "the compiler finds no value for a local variable of this name");
    struct lift_value x = take_constant(l, at, tree_known_function(l->tree, at));
    if (x.slot && is_single(l, variable)) l->chunk[l->n_chunk++] = (struct lift_local){variable, x};
    return x;
}

static struct lift_value lift_name(struct lift *l, uint32_t at) {
    uint32_t variable = tree_at(l->tree, at)->ref;
    if (variable == PARSE_NONE) return global_name(l, at);
    for (uint32_t i = l->n_locals; i-- > 0;) {
        if (l->locals[i].variable != variable) continue;
        if (l->locals[i].value.kind == V_NONE)
            return lua_lift_values_refused(l, at, "a local whose type depends on a condition");
        return l->locals[i].value;
    }
    struct lift_value alias = library_alias(l, variable);
    if (alias.kind != V_NONE || l->is_refused) return alias;
    return chunk_local(l, at, variable);
}

/* ---- fields ---- */

static struct lift_value field_of(struct lift *l, uint32_t at, uint8_t object, const char *key,
                                  size_t len) {
    const struct hook_object *o = &l->hook->objects[object];
    for (uint32_t f = 0; f < POLICY_FIELDS; f++) {
        const struct policy_field_info *info = &policy_field_infos[f];
        if (info->object != o->object || strlen(info->name) != len ||
            memcmp(info->name, key, len) != 0)
            continue;
        struct lift_text text = {LIFT_TEXT_FIELD, object, (uint8_t)f, 0, 0};
        struct lift_input input = {LIFT_NUMBER, !o->per_row, text, {0, 0, 0, 0, 0}};
        switch (info->type) {
        case POLICY_NUMBER: return lift_number(lift_input(l, &input));
        case POLICY_BOOL: input.kind = LIFT_FLAG; return lift_mask(lift_input(l, &input));
        case POLICY_LABELS: return (struct lift_value){.kind = V_LABELS, .object = object};
        default: return (struct lift_value){.kind = V_TEXT, .text = text};
        }
    }
    return lua_lift_values_refused(l, at, "it reads a field that does not exist");
}

static struct lift_value label_of(struct lift *l, uint32_t at, uint8_t object, const char *key,
                                  size_t len) {
    struct lift_value v = constant_text(l, at, key, len);
    if (v.kind != V_TEXT) return v;
    v.kind = V_LABEL;
    v.text.kind = LIFT_TEXT_LABEL;
    v.text.object = object;
    return v;
}

/* Returns table[key] for the table at this stack index. */
static struct lift_value entry_of(struct lift *l, uint32_t at, int32_t slot, const char *key,
                                  size_t len) {
    l->host->api.pushlstring(l->host->L, key, len);
    l->host->api.rawget(l->host->L, slot);
    return take_constant(l, at, PARSE_NONE);
}

static struct lift_value param_of(struct lift *l, uint32_t at, const char *key, size_t len) {
    const struct luajit_api *api = &l->host->api;
    api->rawgeti(l->host->L, LUA_REGISTRYINDEX, SLOT_PARAMS);
    int slot = api->gettop(l->host->L);
    struct lift_value v = entry_of(l, at, slot, key, len);
    api->settop(l->host->L, slot - 1);
    return v.kind == V_NIL
               ? lua_lift_values_refused(l, at, "it reads a parameter that does not exist")
               : v;
}

struct lift_value lift_index(struct lift *l, uint32_t at) {
    uint32_t object = tree_child(l->tree, at, 0), key = tree_child(l->tree, at, 1), n = 0;
    const struct lift_value o = l->of[object], k = l->of[key];
    const char *word = NULL;
    if (tree_at(l->tree, key)->kind == PARSE_WORD) {
        word = tree_word(l->tree, key, &n);
    } else if (k.kind == V_TEXT && k.text.kind == LIFT_TEXT_CONSTANT) {
        word = l->out->texts + k.text.at;
        n = k.text.len;
    }
    if (!word)
        return lua_lift_values_refused(l, at, "it uses an index that is known only at run time");
    switch (o.kind) {
    case V_OBJECT: return field_of(l, at, o.object, word, n);
    case V_LABELS: return label_of(l, at, o.object, word, n);
    case V_PARAMS: return param_of(l, at, word, n);
    case V_LIBRARY: return member(l, at, o.object, word, n);
    case V_TABLE: return entry_of(l, at, o.slot, word, n);
    default:
        return lua_lift_values_refused(
            l, at, "it indexes a value that is not an object, a table or a library");
    }
}

/* ---- leaves ---- */

/* Returns the value of a number literal. LuaJIT converts the text to a number, in the same way as
 * its own parser does. */
static struct lift_value number_literal(struct lift *l, uint32_t at) {
    const struct luajit_api *api = &l->host->api;
    const struct parse_node *n = tree_at(l->tree, at);
    api->pushlstring(l->host->L, l->tree->text + n->at, n->len);
    double x = api->tonumber(l->host->L, -1);
    api->settop(l->host->L, -2);
    return lift_number(col_number(&l->graph, x));
}

struct lift_value lift_leaf(struct lift *l, uint32_t at) {
    const struct parse_node *n = tree_at(l->tree, at);
    uint32_t len;
    switch (n->kind) {
    case PARSE_NIL: return (struct lift_value){.kind = V_NIL};
    case PARSE_TRUE: return lift_mask(col_truth(&l->graph, 1));
    case PARSE_FALSE: return lift_mask(col_truth(&l->graph, 0));
    case PARSE_NUMBER: return number_literal(l, at);
    case PARSE_WORD: return (struct lift_value){.kind = V_NONE};
    case PARSE_NAME: return lift_name(l, at);
    case PARSE_FUNCTION: return (struct lift_value){.kind = V_FUNCTION, .node = at};
    case PARSE_STRING: {
        const char *text = tree_word(l->tree, at, &len);
        return text ? constant_text(l, at, text, len)
                    : lua_lift_values_refused(l, at, "a text with escapes");
    }
    case PARSE_DOTS: return lua_lift_values_refused(l, at, "a variable number of arguments");
    case PARSE_TABLE: return lua_lift_values_refused(l, at, "makes a table");
    case PARSE_METHOD_CALL: return lua_lift_values_refused(l, at, "calls a method");
    default:
        return lua_lift_values_refused(l, at, "it contains an expression that cannot be lifted");
    }
}
