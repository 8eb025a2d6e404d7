/* lua_scan.c -- see lua_scan.h. */
#include "lua/lua_scan.h"

#include <string.h>

enum open_kind {
    OPEN_NOTHING,
    OPEN_PAREN,
    OPEN_BRACE,
    OPEN_BRACKET,
    OPEN_BLOCK,
    OPEN_REPEAT,
    OPEN_FUNCTION
};

/* A walk over the tokens that knows what is open around the latest one. */
struct walk {
    struct lex lex;
    struct lex_token last, token; /* token is the latest, last the one before */
    uint32_t depth, functions;
    uint8_t open[SCAN_NEST_MAX];
    uint32_t misnested; /* then LuaJIT refuses the text too */
    int32_t code;
};

static void walk_begin(struct walk *w, const char *text, size_t len) {
    memset(w, 0, sizeof *w);
    lex_begin(&w->lex, text, len);
}

static uint32_t innermost(const struct walk *w) {
    return w->depth ? w->open[w->depth - 1] : (uint32_t)OPEN_NOTHING;
}

static void walk_open(struct walk *w, uint8_t kind) {
    if (w->depth == SCAN_NEST_MAX) {
        w->code = LSCHED_E_LIMIT;
        w->lex.complaint = "nested more than 32 deep";
        return;
    }
    w->open[w->depth++] = kind;
    w->functions += kind == OPEN_FUNCTION;
}

static void walk_close(struct walk *w, uint32_t kind, uint32_t other) {
    uint32_t open = innermost(w);
    if (open == OPEN_NOTHING || (open != kind && open != other)) {
        w->misnested = 1;
        return;
    }
    w->depth--;
    w->functions -= open == OPEN_FUNCTION;
}

/* The next token; 0 at the end or where the text is refused (code < 0). Closers count as outside
 * of what they close, openers as inside of what they open. */
static int walk_next(struct walk *w) {
    w->last = w->token;
    w->code = lex_next(&w->lex, &w->token);
    if (w->code < 0 || w->token.kind == LEX_END) return 0;
    switch (w->token.kind) {
    case '(': walk_open(w, OPEN_PAREN); break;
    case '{': walk_open(w, OPEN_BRACE); break;
    case '[': walk_open(w, OPEN_BRACKET); break;
    case LEX_FUNCTION: walk_open(w, OPEN_FUNCTION); break;
    case LEX_DO:
    case LEX_THEN: walk_open(w, OPEN_BLOCK); break;
    case LEX_REPEAT: walk_open(w, OPEN_REPEAT); break;
    case ')': walk_close(w, OPEN_PAREN, OPEN_PAREN); break;
    case '}': walk_close(w, OPEN_BRACE, OPEN_BRACE); break;
    case ']': walk_close(w, OPEN_BRACKET, OPEN_BRACKET); break;
    case LEX_UNTIL: walk_close(w, OPEN_REPEAT, OPEN_REPEAT); break;
    case LEX_ELSEIF: walk_close(w, OPEN_BLOCK, OPEN_BLOCK); break;
    case LEX_ELSE:
        walk_close(w, OPEN_BLOCK, OPEN_BLOCK);
        walk_open(w, OPEN_BLOCK);
        break;
    case LEX_KEY_END: walk_close(w, OPEN_BLOCK, OPEN_FUNCTION); break;
    default: break;
    }
    return w->code == LSCHED_OK && !w->misnested;
}

/* May a statement begin after this token, if a name follows? */
static int ends_statement(uint32_t kind) {
    switch (kind) {
    case LEX_END: /* nothing yet */
    case ';':
    case ')':
    case ']':
    case '}':
    case LEX_NAME:
    case LEX_NUMBER:
    case LEX_STRING:
    case LEX_DOTS:
    case LEX_LABEL:
    case LEX_BREAK:
    case LEX_DO:
    case LEX_ELSE:
    case LEX_KEY_END:
    case LEX_FALSE:
    case LEX_NIL:
    case LEX_REPEAT:
    case LEX_THEN:
    case LEX_TRUE: return 1;
    default: return 0;
    }
}

/* ---- limits and purity ----------------------------------------------------------------------- */

struct scan_local {
    uint32_t at, len, depth, functions;
};

enum { TARGETS_MAX = 8 };

struct purity {
    struct walk walk;
    struct fault *fault;
    struct scan_facts *facts;
    uint32_t n_locals;
    struct scan_local locals[SCAN_LOCALS_MAX];
    enum { NO_NAMES, LOCAL_NAMES, FOR_NAMES, PARAM_NAMES, FUNCTION_NAME } naming;
    uint32_t naming_depth;
    uint32_t for_depth;      /* of the body whose `for` has been read, but not its `do`; else 0 */
    uint32_t local_function; /* the name of a function is a new local */
    uint32_t n_targets, target_depth, in_targets;
    struct lex_token targets[TARGETS_MAX]; /* base names from the begin of a statement on */
    uint8_t is_indexed[TARGETS_MAX];       /* t.x or t[x], not t */
    uint32_t chain;
};

static int32_t purity_declare(struct purity *p, const struct lex_token *name, uint32_t depth) {
    if (p->n_locals == SCAN_LOCALS_MAX)
        return fault_at(p->fault, LSCHED_E_LIMIT, name->line, name->column,
                        "more than %u local variables at once", (unsigned)SCAN_LOCALS_MAX);
    p->locals[p->n_locals++] = (struct scan_local){name->at, name->len, depth, p->walk.functions};
    return LSCHED_OK;
}

static const struct scan_local *purity_find(const struct purity *p, const struct lex_token *name) {
    const char *text = p->walk.lex.text;
    for (uint32_t i = p->n_locals; i-- > 0;) {
        const struct scan_local *local = &p->locals[i];
        if (local->len == name->len && memcmp(text + local->at, text + name->at, name->len) == 0)
            return local;
    }
    return NULL;
}

/* A variable may be assigned where it was declared only; what a variable of the chunk holds,
 * nowhere else either. A table of a function around this one may be the hook's own. */
static int32_t purity_assign(struct purity *p, const struct lex_token *name, int is_indexed) {
    const struct scan_local *local = purity_find(p, name);
    p->facts->assigns |= p->walk.functions != 0;
    if (!local || local->functions == p->walk.functions) return LSCHED_OK;
    if (is_indexed && local->functions != 0) return LSCHED_OK;
    return fault_at(
        p->fault, LSCHED_E_POLICY, name->line, name->column,
        "functions are pure: '%.*s' belongs to the %s and cannot be assigned inside a function",
        (int)(name->len < 40 ? name->len : 40), p->walk.lex.text + name->at,
        local->functions ? "function around" : "chunk");
}

/* Names that become variables: local a, b / for a, b / function f(a, b) / local function f. */
static int32_t purity_names(struct purity *p) {
    const struct walk *w = &p->walk;
    const struct lex_token *t = &w->token;
    switch (p->naming) {
    case LOCAL_NAMES:
    case FOR_NAMES:
        if (t->kind == LEX_NAME &&
            (w->last.kind == LEX_LOCAL || w->last.kind == LEX_FOR || w->last.kind == ','))
            return purity_declare(p, t, w->depth + (p->naming == FOR_NAMES));
        if (t->kind != ',') p->naming = NO_NAMES;
        break;
    case FUNCTION_NAME:
        if (t->kind == LEX_NAME && w->last.kind == LEX_FUNCTION) {
            p->walk.functions--; /* the name belongs to where the function is defined */
            int32_t rc =
                p->local_function ? purity_declare(p, t, w->depth - 1) : purity_assign(p, t, 0);
            p->walk.functions++;
            return rc;
        }
        if (t->kind == '(') p->naming = PARAM_NAMES;
        break;
    case PARAM_NAMES:
        if (t->kind == LEX_NAME) return purity_declare(p, t, p->naming_depth);
        if (t->kind == ')') p->naming = NO_NAMES;
        break;
    default: break;
    }
    return LSCHED_OK;
}

/* Targets of an assignment are collected from the begin of a statement to its '='. */
static int32_t purity_targets(struct purity *p) {
    const struct walk *w = &p->walk;
    const struct lex_token *t = &w->token;
    uint32_t inside = innermost(w);
    int in_block = inside == OPEN_NOTHING || inside == OPEN_BLOCK || inside == OPEN_REPEAT ||
                   inside == OPEN_FUNCTION;
    if (t->kind == LEX_NAME && in_block && p->naming == NO_NAMES && ends_statement(w->last.kind)) {
        p->in_targets = 1;
        p->n_targets = 1;
        p->target_depth = w->depth;
        p->targets[0] = *t;
        p->is_indexed[0] = 0;
        return LSCHED_OK;
    }
    if (p->in_targets && w->last.at == p->targets[p->n_targets - 1].at && t->kind != ',' &&
        t->kind != '=')
        p->is_indexed[p->n_targets - 1] = 1;
    if (!p->in_targets || w->depth > p->target_depth) return LSCHED_OK;
    if (t->kind == LEX_NAME && w->last.kind == ',') {
        if (p->n_targets < TARGETS_MAX) {
            p->is_indexed[p->n_targets] = 0;
            p->targets[p->n_targets++] = *t;
        }
        return LSCHED_OK;
    }
    if (t->kind == '=') {
        for (uint32_t i = 0; i < p->n_targets; i++) {
            int32_t rc = purity_assign(p, &p->targets[i], p->is_indexed[i]);
            if (rc < 0) return rc;
        }
    }
    int goes_on = t->kind == LEX_NAME || t->kind == LEX_STRING || t->kind == '.' ||
                  t->kind == ':' || t->kind == ',' || t->kind == ']' || t->kind == ')' ||
                  t->kind == '}';
    if (!goes_on) p->in_targets = 0;
    return LSCHED_OK;
}

static int32_t purity_limits(struct purity *p) {
    const struct lex_token *t = &p->walk.token;
    int is_goto = t->kind == LEX_NAME && lex_is(&p->walk.lex, t, "goto", 4);
    if (t->kind == LEX_AND || t->kind == LEX_OR || t->kind == LEX_ELSEIF || is_goto) {
        if (++p->chain > SCAN_CHAIN_MAX)
            return fault_at(p->fault, LSCHED_E_LIMIT, t->line, t->column,
                            "more than %u of and, or, elseif and goto", (unsigned)SCAN_CHAIN_MAX);
    }
    if (t->kind == '^')
        return fault_at(
            p->fault, LSCHED_E_SYNTAX, t->line, t->column,
            "no operator ^ (its last bit depends on the machine); write math.pow(x, y)");
    return LSCHED_OK;
}

static int32_t purity_token(struct purity *p) {
    struct walk *w = &p->walk;
    uint32_t depth = w->depth > p->for_depth ? w->depth : p->for_depth;
    while (p->n_locals && p->locals[p->n_locals - 1].depth > depth) p->n_locals--;
    int32_t rc = purity_limits(p);
    if (rc < 0) return rc;
    int is_assignment = w->token.kind == '=' && innermost(w) != OPEN_BRACE && p->naming == NO_NAMES;
    if (is_assignment && w->functions) p->facts->assigns = 1;
    switch (w->token.kind) {
    case LEX_LOCAL: p->naming = LOCAL_NAMES; break;
    case LEX_FOR:
        p->naming = FOR_NAMES;
        p->for_depth = w->depth + 1;
        break;
    case LEX_FUNCTION:
        p->local_function = w->last.kind == LEX_LOCAL;
        p->naming = FUNCTION_NAME;
        p->naming_depth = w->depth;
        p->in_targets = 0;
        break;
    default:
        if (w->token.kind == LEX_DO && w->depth == p->for_depth) p->for_depth = 0;
        rc = purity_names(p);
        if (rc < 0) return rc;
    }
    return purity_targets(p);
}

int32_t scan_text(const char *text, size_t len, struct scan_facts *facts, struct fault *fault) {
    struct purity p;
    memset(facts, 0, sizeof *facts);
    if (len > SCAN_TEXT_BYTES_MAX)
        return fault_set(fault, LSCHED_E_LIMIT, "the text has %u bytes; at most %u are read",
                         len < UINT32_MAX ? (unsigned)len : UINT32_MAX,
                         (unsigned)SCAN_TEXT_BYTES_MAX);
    if (len && text[0] == '\x1B')
        return fault_at(fault, LSCHED_E_SYNTAX, 1, 1, "this is bytecode; a policy is Lua text");
    if (len && text[0] == '#') return fault_at(fault, LSCHED_E_SYNTAX, 1, 1, "unexpected '#'");
    memset(&p, 0, sizeof p);
    p.fault = fault;
    p.facts = facts;
    walk_begin(&p.walk, text, len);
    while (walk_next(&p.walk)) {
        int32_t rc = purity_token(&p);
        if (rc < 0) return rc;
    }
    if (p.walk.code < 0)
        return fault_at(fault, p.walk.code, p.walk.token.line, p.walk.token.column, "%s",
                        p.walk.lex.complaint);
    facts->is_misnested = p.walk.misnested || p.walk.depth;
    return LSCHED_OK;
}

/* ---- fields that a function reads ------------------------------------------------------------ */

enum use { USE_NONE, USE_NAME, USE_DOT, USE_BRACKET, USE_STRING, USE_FIELD };

struct reading {
    struct walk walk;
    struct scan_function *out;
    scan_field_fn visit;
    void *user;
    uint32_t line;
    enum { OUTSIDE, PARAMS, BODY, AFTER } state;
    uint32_t head_line, head_column, body_depth, head_depth, in_head, is_method;
    enum use use;           /* how far a use of a parameter has been read */
    uint32_t param, before; /* before: kind of the token in front of it */
    uint32_t in_braces, in_block;
    struct lex_token field;
};

static int32_t reading_field(struct reading *r, int is_assigned) {
    uint32_t len = r->field.len;
    const char *word = r->walk.lex.text + r->field.at;
    if (r->field.kind == LEX_STRING) word = lex_content(&r->walk.lex, &r->field, &len);
    if (is_assigned) r->out->params[r->param].assigned = 1;
    return r->visit(r->user, r->param, word, len, &r->field, is_assigned);
}

/* What the token says about a parameter that stands just before it. */
static int32_t reading_use(struct reading *r) {
    const struct lex_token *t = &r->walk.token;
    uint32_t len;
    struct scan_param *param = &r->out->params[r->param];
    enum use use = r->use;
    int between = r->before == ',' && r->in_block;
    r->use = USE_NONE;
    switch (use) {
    case USE_NAME:
        if (t->kind == '.') {
            r->use = USE_DOT;
        } else if (t->kind == '[') {
            r->use = USE_BRACKET;
        } else if (!(t->kind == '=' && r->in_braces)) {
            param->escapes = 1;
        }
        break;
    case USE_DOT:
        r->field = *t;
        r->use = USE_FIELD;
        if (t->kind != LEX_NAME) param->escapes = 1;
        break;
    case USE_BRACKET:
        r->field = *t;
        r->use = USE_STRING;
        if (t->kind != LEX_STRING || !lex_content(&r->walk.lex, t, &len)) {
            param->escapes = 1;
            r->use = USE_NONE;
        }
        break;
    case USE_STRING:
        if (t->kind == ']')
            r->use = USE_FIELD;
        else
            param->escapes = 1;
        break;
    case USE_FIELD: /* a, p.x, b = ... cannot be told from a list of values */
        if (t->kind == ',' && r->in_block && (between || ends_statement(r->before)))
            param->escapes = 1;
        return reading_field(r, t->kind == '=');
    default: break;
    }
    return LSCHED_OK;
}

static void reading_name(struct reading *r) {
    const struct walk *w = &r->walk;
    uint32_t last = w->last.kind, inside = innermost(w);
    if (w->token.kind != LEX_NAME || last == '.' || last == ':') return;
    uint32_t n = r->out->n_params < SCAN_PARAMS_MAX ? r->out->n_params : SCAN_PARAMS_MAX;
    for (uint32_t i = n; i-- > 0;) {
        const struct lex_token *name = &r->out->params[i].name;
        if (!lex_is(&w->lex, &w->token, w->lex.text + name->at, name->len)) continue;
        r->param = i;
        r->use = USE_NAME;
        r->before = last;
        r->in_braces = inside == OPEN_BRACE && (last == '{' || last == ',' || last == ';');
        r->in_block = inside == OPEN_BLOCK || inside == OPEN_REPEAT || inside == OPEN_FUNCTION;
        return;
    }
}

static void reading_param(struct reading *r) {
    struct scan_function *out = r->out;
    const struct lex_token *t = &r->walk.token;
    if (t->kind == LEX_DOTS) out->is_vararg = 1;
    if (t->kind == LEX_NAME) {
        for (uint32_t i = 0; i < out->n_params && i < SCAN_PARAMS_MAX; i++) {
            const struct lex_token *name = &out->params[i].name;
            if (lex_is(&r->walk.lex, t, r->walk.lex.text + name->at, name->len))
                out->params[i].escapes = 1;
        }
        if (out->n_params < SCAN_PARAMS_MAX) out->params[out->n_params].name = *t;
        out->n_params++;
    }
    if (t->kind == ')') r->state = BODY;
}

/* A function begins where its keyword or its '(' stands; LuaJIT notes one of these two lines. */
static void reading_head(struct reading *r) {
    const struct walk *w = &r->walk;
    if (w->token.kind == LEX_FUNCTION) {
        r->in_head = 1;
        r->is_method = 0;
        r->head_line = w->token.line;
        r->head_column = w->token.column;
        r->head_depth = w->depth;
    } else if (r->in_head && w->token.kind == ':') {
        r->is_method = 1;
    } else if (r->in_head && w->token.kind == '(') {
        r->in_head = 0;
        if (r->head_line != r->line && w->token.line != r->line) return;
        r->out->matches += 1 + r->is_method; /* a method has a parameter more than is written */
        if (r->out->matches > 1 || r->state != OUTSIDE) return;
        r->out->line = r->head_line;
        r->out->column = r->head_column;
        r->body_depth = r->head_depth;
        r->state = PARAMS;
    }
}

int32_t scan_function(const char *text, size_t len, uint32_t line, struct scan_function *out,
                      scan_field_fn visit, void *user) {
    struct reading r = {.out = out, .visit = visit, .user = user, .line = line};
    memset(out, 0, sizeof *out);
    walk_begin(&r.walk, text, len);
    while (walk_next(&r.walk)) {
        reading_head(&r);
        if (r.state == PARAMS) {
            reading_param(&r);
        } else if (r.state == BODY) {
            int32_t rc = reading_use(&r);
            if (rc != LSCHED_OK) return rc;
            if (r.walk.depth < r.body_depth)
                r.state = AFTER;
            else
                reading_name(&r);
        }
    }
    return LSCHED_OK;
}

/* ---- words ----------------------------------------------------------------------------------- */

void scan_words(const char *text, size_t len,
                void (*visit)(void *user, const char *word, uint32_t len), void *user) {
    struct lex lex;
    struct lex_token token, last = {0};
    lex_begin(&lex, text, len);
    for (; lex_next(&lex, &token) == LSCHED_OK && token.kind != LEX_END; last = token) {
        uint32_t n = token.len;
        const char *word = text + token.at;
        if (token.kind == LEX_STRING)
            word = lex_content(&lex, &token, &n);
        else if (token.kind != LEX_NAME || (last.kind != '.' && last.kind != ':'))
            word = NULL;
        if (word) visit(user, word, n);
    }
}

int scan_find_key(const char *text, size_t len, const char *key, size_t key_len,
                  struct lex_token *at) {
    struct walk w;
    struct lex_token name = {0};
    uint32_t best = UINT32_MAX;
    walk_begin(&w, text, len);
    while (walk_next(&w)) {
        if (w.token.kind == '=' && name.kind && w.depth < best) {
            best = w.depth;
            *at = name;
        }
        name.kind = LEX_END;
        int first = w.last.kind == '{' || w.last.kind == ',' || w.last.kind == ';';
        if (first && innermost(&w) == OPEN_BRACE && lex_is(&w.lex, &w.token, key, key_len))
            name = w.token;
    }
    return best != UINT32_MAX;
}

int scan_find_inner_key(const char *text, size_t len, const char *table, const char *key,
                        struct lex_token *at) {
    struct walk w;
    struct lex_token outer, name = {0};
    uint32_t depth = 0;
    if (!scan_find_key(text, len, table, strlen(table), &outer)) return 0;
    walk_begin(&w, text, len);
    while (walk_next(&w) && (w.token.at <= outer.at || w.last.at == outer.at)) {}
    if (w.token.kind != '{') return 0; /* what follows `table =` */
    depth = w.depth;
    while (walk_next(&w) && w.depth >= depth) {
        if (w.token.kind == '=' && name.kind && w.depth == depth) {
            *at = name;
            return 1;
        }
        name.kind = LEX_END;
        int first = w.last.kind == '{' || w.last.kind == ',' || w.last.kind == ';';
        if (first && w.depth == depth && lex_is(&w.lex, &w.token, key, strlen(key))) name = w.token;
    }
    return 0;
}

int scan_find_word(const char *text, size_t len, uint32_t line, const char *word, size_t word_len,
                   struct lex_token *at) {
    struct lex lex;
    lex_begin(&lex, text, len);
    while (lex_next(&lex, at) == LSCHED_OK && at->kind != LEX_END) {
        if ((line == 0 || at->line == line) && lex_is(&lex, at, word, word_len)) return 1;
    }
    return 0;
}
