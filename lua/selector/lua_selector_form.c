/* lua_selector_form.c -- see lua_selector_form.h. */
#include "lua/selector/lua_selector_form.h"

#include <string.h>

#include "base/suggest.h"
#include "lua/front/lua_parse.h"

const char *const selector_modes[] = {"whole", "fraction", "mig", "mps", "time-slice", NULL};

enum field_type { TYPE_NONE, TYPE_NUMBER, TYPE_TEXT, TYPE_ATTRIBUTES, TYPE_ATTRIBUTE };

static const struct {
    const char *name;
    enum field_type type;
    uint32_t bit;
} fields[] = {{"attributes", TYPE_ATTRIBUTES, 0},
              {"sm_count", TYPE_NUMBER, SELECTOR_READS_SM_COUNT},
              {"memory", TYPE_NUMBER, SELECTOR_READS_MEMORY},
              {"mode", TYPE_TEXT, SELECTOR_READS_MODE},
              {"model", TYPE_TEXT, SELECTOR_READS_MODEL}};
enum { FIELDS = sizeof fields / sizeof fields[0] };

/* Globals other than `device` that a selector can use, and their members. */
static const char *const names_of_math[] = {"abs",  "ceil", "floor", "fmod", "huge", "max", "min",
                                            "sqrt", "exp",  "log",   "pow",  "pi",   NULL};
static const char *const names_of_string[] = {
    "len", "sub", "byte", "lower", "upper", "starts_with", "ends_with", "contains", "format", NULL};
static const struct {
    const char *name;
    const char *const *members; /* NULL: the global is a function */
} globals[] = {{"math", names_of_math},
               {"string", names_of_string},
               {"tonumber", NULL},
               {"tostring", NULL},
               {"type", NULL}};
enum { GLOBALS = sizeof globals / sizeof globals[0] };

struct form {
    const struct parse_tree *tree;
    struct selector_form *out;
    struct fault *fault;
};

static const struct parse_node *lua_selector_form_at(const struct form *f, uint32_t node) {
    return tree_at(f->tree, node);
}

static uint32_t lua_selector_form_kind_of(const struct form *f, uint32_t node) {
    return node == PARSE_NONE ? (uint32_t)PARSE_NONE : lua_selector_form_at(f, node)->kind;
}

static int lua_selector_form_shown(uint32_t len) {
    return (int)(len < 40 ? len : 40);
}

/* Converts a column of the text with prefix, which the tree has, to a column of the selector. */
static uint32_t lua_selector_form_column_of(uint32_t line, uint32_t column) {
    return line == 1 && column > SELECTOR_PREFIX_BYTES ? column - (uint32_t)SELECTOR_PREFIX_BYTES
                                                       : column;
}

#define REFUSE(f, code, node, ...)                                               \
    fault_at((f)->fault, code, lua_selector_form_at(f, node)->line,              \
             lua_selector_form_column_of(lua_selector_form_at(f, node)->line,    \
                                         lua_selector_form_at(f, node)->column), \
             __VA_ARGS__)

/* ---- the text ---- */

/* Refuses an empty selector and a text that begins like a statement, with a message that says what
 * is wrong. The parser would only say "unexpected symbol". */
static int32_t check_begin(const char *text, size_t len, struct fault *fault) {
    struct lex lex;
    struct lex_token token;
    lex_begin(&lex, text + SELECTOR_PREFIX_BYTES, len - SELECTOR_PREFIX_BYTES);
    /* no error here, because the parser reports it */
    if (lex_next(&lex, &token) != LSCHED_OK) return LSCHED_OK;
    switch (token.kind) {
    case LEX_END:
        return fault_at(
            fault, LSCHED_E_SYNTAX, 1, 1,
            "the selector is empty; expected an expression such as device.memory >= 40");
    case LEX_RETURN:
        return fault_at(fault, LSCHED_E_SYNTAX, token.line, token.column,
                        "a selector is an expression: leave out 'return'");
    case LEX_WHILE:
    case LEX_REPEAT:
    case LEX_FOR:
        return fault_at(fault, LSCHED_E_SYNTAX, token.line, token.column,
                        "a selector is one expression, such as device.memory >= 40: no loop may "
                        "stand in it");
    case LEX_IF:
    case LEX_LOCAL:
    case LEX_DO:
        return fault_at(fault, LSCHED_E_SYNTAX, token.line, token.column,
                        "a selector is one expression, such as device.memory >= 40: '%.*s' begins "
                        "a statement",
                        (int)token.len, text + SELECTOR_PREFIX_BYTES + token.at);
    default: return LSCHED_OK;
    }
}

/* Finds the expression that the chunk returns. Several expressions are an error. */
static int32_t find_expression(struct form *f, uint32_t *expression) {
    uint32_t block = lua_selector_form_at(f, 0)->first,
             local = lua_selector_form_at(f, block)->first,
             ret = lua_selector_form_at(f, local)->next;
    *expression = lua_selector_form_at(f, ret)->first;
    if (*expression == PARSE_NONE)
        return fault_at(f->fault, LSCHED_E_SYNTAX, 1, 1, "the selector is empty");
    uint32_t second = lua_selector_form_at(f, *expression)->next;
    if (second != PARSE_NONE)
        return REFUSE(f, LSCHED_E_SYNTAX, second,
                      "a selector is one expression; join several by 'and'");
    return LSCHED_OK;
}

/* ---- names ---- */

/* Returns the key of an INDEX that is written as .word or ["word"], or NULL if the key is
 * computed. */
static const char *lua_selector_form_key_of(const struct form *f, uint32_t index, uint32_t *len) {
    uint32_t key = lua_selector_form_at(f, lua_selector_form_at(f, index)->first)->next,
             kind = lua_selector_form_kind_of(f, key);
    if (kind != PARSE_WORD && kind != PARSE_STRING) return NULL;
    return tree_word(f->tree, key, len);
}

static int is_device(const struct form *f, uint32_t node) {
    return lua_selector_form_kind_of(f, node) == PARSE_NAME &&
           lua_selector_form_at(f, node)->ref != PARSE_NONE;
}

static int lua_selector_form_find_field(const char *word, uint32_t len) {
    for (int i = 0; i < FIELDS; i++)
        if (strlen(fields[i].name) == len && memcmp(fields[i].name, word, len) == 0) return i;
    return -1;
}

/* True if the node is `device.attributes`. */
static int is_attributes(const struct form *f, uint32_t node) {
    uint32_t len;
    if (lua_selector_form_kind_of(f, node) != PARSE_INDEX ||
        !is_device(f, lua_selector_form_at(f, node)->first))
        return 0;
    const char *word = lua_selector_form_key_of(f, node, &len);
    return word && len == 10 && memcmp(word, "attributes", 10) == 0;
}

/* Returns the type of the device field that an expression reads, or TYPE_NONE if it reads no
 * field. */
static enum field_type type_of(const struct form *f, uint32_t node) {
    uint32_t len;
    while (lua_selector_form_kind_of(f, node) == PARSE_PAREN)
        node = lua_selector_form_at(f, node)->first;
    if (lua_selector_form_kind_of(f, node) != PARSE_INDEX) return TYPE_NONE;
    if (is_attributes(f, lua_selector_form_at(f, node)->first)) return TYPE_ATTRIBUTE;
    if (!is_device(f, lua_selector_form_at(f, node)->first)) return TYPE_NONE;
    const char *word = lua_selector_form_key_of(f, node, &len);
    int i = word ? lua_selector_form_find_field(word, len) : -1;
    return i < 0 ? TYPE_NONE : fields[i].type;
}

static int32_t lua_selector_form_check_field(struct form *f, uint32_t index) {
    uint32_t len, parent = lua_selector_form_at(f, index)->parent;
    const char *word = lua_selector_form_key_of(f, index, &len);
    if (!word)
        return REFUSE(f, LSCHED_E_POLICY, index,
                      "a field of device is named as it stands: device.memory, not device[...]");
    int i = lua_selector_form_find_field(word, len);
    if (i < 0) {
        struct suggest s;
        if (len == 5 && memcmp(word, "cores", len) == 0)
            return REFUSE(f, LSCHED_E_KEY, index,
                          "device has no field 'cores'; its streaming multiprocessors are "
                          "device.sm_count");
        suggest_begin(&s, word, len);
        for (int n = 0; n < FIELDS; n++) suggest_offer(&s, fields[n].name, strlen(fields[n].name));
        if (s.best)
            return REFUSE(f, LSCHED_E_KEY, index, "device has no field '%.*s'; did you mean '%s'?",
                          lua_selector_form_shown(len), word, s.best);
        return REFUSE(f, LSCHED_E_KEY, index,
                      "device has no field '%.*s'; it has model, memory, sm_count, mode and "
                      "attributes",
                      lua_selector_form_shown(len), word);
    }
    int is_read = lua_selector_form_kind_of(f, parent) == PARSE_INDEX &&
                  lua_selector_form_at(f, parent)->first == index;
    f->out->fields |= fields[i].bit;
    if (fields[i].type == TYPE_ATTRIBUTES && !is_read)
        return REFUSE(f, LSCHED_E_TYPE, index,
                      "device.attributes is read by name: device.attributes.x");
    return LSCHED_OK;
}

static int32_t note_read(struct form *f, uint32_t index, uint32_t part) {
    struct selector_form *out = f->out;
    uint32_t len, key = lua_selector_form_at(f, lua_selector_form_at(f, index)->first)->next;
    const char *word = lua_selector_form_key_of(f, index, &len);
    uint32_t may_lack = lua_selector_form_kind_of(f, key) == PARSE_STRING;
    if (!word || len == 0)
        return REFUSE(f, LSCHED_E_POLICY, index,
                      "an attribute is named as it stands: device.attributes.x or "
                      "device.attributes[\"x\"]");
    uint32_t i = 0;
    for (; i < out->n_reads; i++)
        if (out->reads[i].key.len == len &&
            memcmp(f->tree->text + SELECTOR_PREFIX_BYTES + out->reads[i].key.at, word, len) == 0)
            break;
    if (i == SELECTOR_READS_MAX)
        return REFUSE(f, LSCHED_E_LIMIT, index, "a selector reads at most %d attributes",
                      SELECTOR_READS_MAX);
    if (i == out->n_reads) {
        const struct parse_node *n = lua_selector_form_at(f, index);
        uint32_t begin = (uint32_t)(word - f->tree->text);
        out->reads[out->n_reads++] =
            (struct selector_read){{begin - (uint32_t)SELECTOR_PREFIX_BYTES, len},
                                   n->line,
                                   lua_selector_form_column_of(n->line, n->column),
                                   1};
    }
    out->reads_of[part] |= 1u << i;
    if (may_lack) return LSCHED_OK;
    struct selector_read *r = &out->reads[i];
    if (r->may_lack) { /* the message about a missing attribute names this read */
        r->line = lua_selector_form_at(f, index)->line;
        r->column = lua_selector_form_column_of(r->line, lua_selector_form_at(f, index)->column);
    }
    r->may_lack = 0;
    return LSCHED_OK;
}

static int32_t check_index(struct form *f, uint32_t index, uint32_t part) {
    uint32_t object = lua_selector_form_at(f, index)->first;
    if (is_device(f, object)) return lua_selector_form_check_field(f, index);
    if (is_attributes(f, object)) return note_read(f, index, part);
    if (lua_selector_form_kind_of(f, object) != PARSE_NAME)
        return REFUSE(f, LSCHED_E_TYPE, index, "this has no fields");
    /* the object is a global, and lua_selector_form_check_member checks its members */
    return LSCHED_OK;
}

static int32_t lua_selector_form_check_member(struct form *f, uint32_t name, uint32_t g) {
    uint32_t index = lua_selector_form_at(f, name)->parent, len;
    int is_read = lua_selector_form_kind_of(f, index) == PARSE_INDEX &&
                  lua_selector_form_at(f, index)->first == name;
    const char *word = is_read ? lua_selector_form_key_of(f, index, &len) : NULL;
    if (!word)
        return REFUSE(f, LSCHED_E_TYPE, name, "'%s' is used by its functions: %s.%s",
                      globals[g].name, globals[g].name, globals[g].members[0]);
    struct suggest s;
    suggest_begin(&s, word, len);
    for (uint32_t i = 0; globals[g].members[i]; i++) {
        const char *m = globals[g].members[i];
        if (strlen(m) == len && memcmp(m, word, len) == 0) return LSCHED_OK;
        suggest_offer(&s, m, strlen(m));
    }
    if (s.best)
        return REFUSE(f, LSCHED_E_KEY, index, "%s has no '%.*s'; did you mean '%s'?",
                      globals[g].name, lua_selector_form_shown(len), word, s.best);
    return REFUSE(f, LSCHED_E_KEY, index, "%s has no '%.*s'", globals[g].name,
                  lua_selector_form_shown(len), word);
}

static int32_t lua_selector_form_check_name(struct form *f, uint32_t name) {
    uint32_t len, parent = lua_selector_form_at(f, name)->parent;
    const char *word = tree_word(f->tree, name, &len);
    if (lua_selector_form_at(f, name)->ref != PARSE_NONE) {
        if (lua_selector_form_kind_of(f, parent) == PARSE_INDEX &&
            lua_selector_form_at(f, parent)->first == name)
            return LSCHED_OK;
        return REFUSE(f, LSCHED_E_TYPE, name,
                      "device is read by its fields: device.model, device.memory, ...");
    }
    struct suggest s;
    suggest_begin(&s, word, len);
    for (uint32_t g = 0; g < GLOBALS; g++) {
        size_t n = strlen(globals[g].name);
        if (n == len && memcmp(globals[g].name, word, len) == 0)
            return globals[g].members ? lua_selector_form_check_member(f, name, g) : LSCHED_OK;
        suggest_offer(&s, globals[g].name, n);
    }
    suggest_offer(&s, "device", 6);
    if (lua_selector_form_find_field(word, len) >= 0)
        return REFUSE(f, LSCHED_E_KEY, name, "no '%.*s' in a selector; write device.%.*s",
                      lua_selector_form_shown(len), word, lua_selector_form_shown(len), word);
    if (s.best)
        return REFUSE(f, LSCHED_E_KEY, name, "no '%.*s' in a selector; did you mean '%s'?",
                      lua_selector_form_shown(len), word, s.best);
    return REFUSE(f, LSCHED_E_KEY, name,
                  "no '%.*s' in a selector; a selector can name device, math, string, tonumber, "
                  "tostring and type; write a text in quotes",
                  lua_selector_form_shown(len), word);
}

/* ---- types ---- */

static int is_mode(const char *word, uint32_t len) {
    for (int i = 0; selector_modes[i]; i++)
        if (strlen(selector_modes[i]) == len && memcmp(selector_modes[i], word, len) == 0) return 1;
    return 0;
}

/* If an attribute with this text is not a text, returns what it is: "true", "false" or "a number".
 * A comparison of an attribute with such a text never holds. Returns NULL for any other text. */
static const char *why_never(const char *word, uint32_t len) {
    double x;
    if (len == 4 && memcmp(word, "true", 4) == 0) return "true";
    if (len == 5 && memcmp(word, "false", 5) == 0) return "false";
    return selector_number((lsched_text){word, len}, &x) ? "a number" : NULL;
}

static int32_t check_text(struct form *f, uint32_t field, enum field_type type, uint32_t literal) {
    uint32_t len, name_len = 0;
    const char *word = tree_word(f->tree, literal, &len);
    const char *name = lua_selector_form_key_of(f, field, &name_len);
    if (type == TYPE_NUMBER)
        return REFUSE(f, LSCHED_E_TYPE, literal,
                      "device.%.*s is a number and is compared with a text; leave out the quotes",
                      lua_selector_form_shown(name_len), name);
    if (!word) return LSCHED_OK;
    const char *never = type == TYPE_ATTRIBUTE ? why_never(word, len) : NULL;
    if (never)
        return REFUSE(f, LSCHED_E_TYPE, literal,
                      "an attribute '%.*s' is %s, not a text; leave out the quotes",
                      lua_selector_form_shown(len), word, never);
    if (type == TYPE_TEXT && name_len == 4 && memcmp(name, "mode", 4) == 0 && !is_mode(word, len))
        return REFUSE(f, LSCHED_E_TYPE, literal,
                      "device.mode is whole, fraction, mig, mps or time-slice, never '%.*s'",
                      lua_selector_form_shown(len), word);
    return LSCHED_OK;
}

/* Checks a comparison of a field with a literal. Other operands are not checked, because the text
 * does not show their types. */
static int32_t check_operands(struct form *f, uint32_t field, uint32_t literal) {
    enum field_type type = type_of(f, field);
    while (lua_selector_form_kind_of(f, field) == PARSE_PAREN)
        field = lua_selector_form_at(f, field)->first;
    while (lua_selector_form_kind_of(f, literal) == PARSE_PAREN)
        literal = lua_selector_form_at(f, literal)->first;
    if (type == TYPE_NONE || type == TYPE_ATTRIBUTES) return LSCHED_OK;
    uint32_t kind = lua_selector_form_kind_of(f, literal);
    if (kind == PARSE_STRING) return check_text(f, field, type, literal);
    int is_truth = kind == PARSE_TRUE || kind == PARSE_FALSE;
    if (type == TYPE_TEXT && (kind == PARSE_NUMBER || is_truth))
        return REFUSE(f, LSCHED_E_TYPE, literal,
                      "device.mode and device.model are texts; write a text in quotes");
    if (type == TYPE_NUMBER && is_truth)
        return REFUSE(f, LSCHED_E_TYPE, literal,
                      "device.memory and device.sm_count are numbers, not truths");
    if (type != TYPE_ATTRIBUTE && kind == PARSE_NIL)
        return REFUSE(f, LSCHED_E_TYPE, literal, "every device has this field: it is never nil");
    return LSCHED_OK;
}

static int is_comparison(uint32_t operator) {
    return operator== '<' || operator== '>' || operator== LEX_EQUAL || operator== LEX_UNLIKE ||
    operator== LEX_LESS_EQUAL ||
    operator== LEX_MORE_EQUAL;
}

/* ---- the walk ---- */

static int32_t lua_selector_form_check_node(struct form *f, uint32_t node, uint32_t part) {
    switch (lua_selector_form_kind_of(f, node)) {
    case PARSE_FUNCTION:
        return REFUSE(f, LSCHED_E_POLICY, node,
                      "a selector is one expression: no function, and so no loop, may stand in it");
    case PARSE_TABLE: return REFUSE(f, LSCHED_E_POLICY, node, "no table may stand in a selector");
    case PARSE_DOTS: return REFUSE(f, LSCHED_E_POLICY, node, "no '...' may stand in a selector");
    case PARSE_UNARY:
        if (lua_selector_form_at(f, node)->operator!= '#') return LSCHED_OK;
        return REFUSE(f, LSCHED_E_POLICY, node, "write string.len(text) for #text");
    case PARSE_NAME: return lua_selector_form_check_name(f, node);
    case PARSE_INDEX: return check_index(f, node, part);
    case PARSE_BINARY: {
        if (!is_comparison(lua_selector_form_at(f, node)->operator)) return LSCHED_OK;
        uint32_t left = lua_selector_form_at(f, node)->first,
                 right = lua_selector_form_at(f, left)->next;
        int32_t rc = check_operands(f, left, right);
        return rc == LSCHED_OK ? check_operands(f, right, left) : rc;
    }
    default: return LSCHED_OK;
    }
}

static int32_t check_part(struct form *f, uint32_t node) {
    struct selector_form *out = f->out;
    if (out->n_parts == SELECTOR_PARTS_MAX)
        return REFUSE(f, LSCHED_E_LIMIT, node, "a selector joins at most %d parts by 'and'",
                      SELECTOR_PARTS_MAX);
    uint32_t part = out->n_parts++;
    out->parts[part] =
        (struct selector_span){lua_selector_form_at(f, node)->at - (uint32_t)SELECTOR_PREFIX_BYTES,
                               lua_selector_form_at(f, node)->len};
    for (uint32_t i = node; i != PARSE_NONE; i = tree_step(f->tree, node, i)) {
        int32_t rc = lua_selector_form_check_node(f, i, part);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

/* Finds and checks the parts that `and` joins at the top level, from left to right. Parentheses
 * around parts are dropped. */
static int32_t lua_selector_form_check_parts(struct form *f, uint32_t expression) {
    uint32_t stack[SELECTOR_PARTS_MAX + 1], n = 0;
    stack[n++] = expression;
    while (n) {
        uint32_t node = stack[--n];
        while (lua_selector_form_kind_of(f, node) == PARSE_PAREN)
            node = lua_selector_form_at(f, node)->first;
        if (lua_selector_form_kind_of(f, node) != PARSE_BINARY ||
            lua_selector_form_at(f, node)->operator!= LEX_AND) {
            int32_t rc = check_part(f, node);
            if (rc != LSCHED_OK) return rc;
            continue;
        }
        if (n + 2 > SELECTOR_PARTS_MAX + 1)
            return REFUSE(f, LSCHED_E_LIMIT, node, "a selector joins at most %d parts by 'and'",
                          SELECTOR_PARTS_MAX);
        stack[n++] = lua_selector_form_at(f, lua_selector_form_at(f, node)->first)->next;
        stack[n++] = lua_selector_form_at(f, node)->first;
    }
    return LSCHED_OK;
}

int32_t selector_form(struct alloc *alloc, const char *text, size_t len, struct selector_form *out,
                      struct fault *fault) {
    struct parse_tree tree;
    memset(out, 0, sizeof *out);
    if (len - SELECTOR_PREFIX_BYTES > SELECTOR_BYTES_MAX)
        return fault_at(fault, LSCHED_E_LIMIT, 0, 0, "a selector has at most %d bytes",
                        SELECTOR_BYTES_MAX);
    int32_t rc = check_begin(text, len, fault);
    if (rc != LSCHED_OK) return rc;
    rc = parse_text(&tree, alloc, text, len, fault);
    if (rc != LSCHED_OK) {
        fault->column = lua_selector_form_column_of(fault->line, fault->column);
        return rc;
    }
    struct form f = {&tree, out, fault};
    uint32_t expression;
    rc = find_expression(&f, &expression);
    if (rc == LSCHED_OK) rc = lua_selector_form_check_parts(&f, expression);
    tree_free(&tree);
    return rc;
}

int selector_number(lsched_text text, double *out) {
    const char *p = text.ptr, *end = p + text.len;
    double sign = 1, value = 0, scale = 1;
    uint32_t digits = 0;
    if (p < end && *p == '-') sign = -1, p++;
    if (p < end && *p == '0' && p + 1 < end && p[1] != '.') return 0;
    for (; p < end && *p >= '0' && *p <= '9'; p++, digits++) value = value * 10 + (*p - '0');
    if (digits == 0) return 0;
    if (p < end && *p == '.') {
        const char *point = p++;
        for (; p < end && *p >= '0' && *p <= '9'; p++, digits++) {
            value = value * 10 + (*p - '0');
            scale *= 10;
        }
        if (p == point + 1) return 0;
    }
    /* not a number: a double cannot represent so many digits exactly */
    if (p != end || digits > 15) return 0;
    *out = sign * value / scale;
    return 1;
}
