/*
 * parse_rules.c -- reads rules between tasks, nodes and jobs: `taints:` of nodes; `tolerations:`,
 * `affinity:` and `job_affinity:` of tasks; `labels:` of jobs.
 *
 * Taints and tolerations can be written as kubectl writes them, key=value:effect, or as maps.
 */
#include <string.h>

#include "base/suggest.h"
#include "config/objects/scenario_parts.h"

/* the words are in the order of LSCHED_TAINT_* */
static const char *const effect_words[] = {"no-start", "avoid", "stop"};

static const char *effect_candidate(const void *user, size_t i) {
    (void)user;
    return i < sizeof effect_words / sizeof *effect_words ? effect_words[i] : NULL;
}

static int32_t text_copy(struct field_reader *r, const char *text, size_t len, lsched_text *out) {
    out->ptr = scn_memory_text(r->memory, text, len);
    out->len = len;
    return out->ptr ? 0 : read_no_memory(r);
}

/* ---- key=value:effect ---- */

struct short_form {
    lsched_text key, value;
    uint32_t has_value, has_effect, effect;
};

static int32_t short_effect(struct field_reader *r, uint32_t value, const char *text, size_t len,
                            uint32_t *effect) {
    for (uint32_t i = 0; i < sizeof effect_words / sizeof *effect_words; i++)
        if (strlen(effect_words[i]) == len && memcmp(text, effect_words[i], len) == 0) {
            *effect = i;
            return 0;
        }
    struct quote got = complain_quote(text, len);
    struct suggest near;
    suggest_begin(&near, text, len);
    for (size_t i = 0; effect_candidate(NULL, i); i++)
        suggest_offer(&near, effect_candidate(NULL, i), strlen(effect_candidate(NULL, i)));
    return complain_at(&r->complain, LSCHED_E_KEY, read_mark(r, value),
                       "expected an effect: no-start, avoid or stop, got %s%s%s%s", got.text,
                       near.best ? "; did you mean \"" : "", near.best ? near.best : "",
                       near.best ? "\"?" : "");
}

static int32_t short_read(struct field_reader *r, uint32_t value, struct short_form *form) {
    size_t len, key, end;
    const char *text = read_chars(r, value, &len);
    memset(form, 0, sizeof *form);
    const char *colon = NULL;
    for (size_t i = 0; i < len; i++)
        if (text[i] == ':') colon = text + i;
    end = colon ? (size_t)(colon - text) : len;
    const char *equals = memchr(text, '=', end);
    key = equals ? (size_t)(equals - text) : end;
    int32_t code = text_copy(r, text, key, &form->key);
    form->has_value = equals != NULL;
    form->value = (lsched_text){"", 0};
    if (!code && equals) code = text_copy(r, equals + 1, end - key - 1, &form->value);
    form->has_effect = colon != NULL;
    if (!code && colon) code = short_effect(r, value, colon + 1, len - end - 1, &form->effect);
    return code;
}

/* ---- taints ---- */

static int32_t taint_effect(struct field_reader *r, uint32_t value, void *out) {
    size_t len = 0;
    const char *text = read_is(r, value, YTREE_SCALAR) ? read_chars(r, value, &len) : "";
    return short_effect(r, value, text, len, out);
}

static int32_t maybe_empty(struct field_reader *r, uint32_t value, void *out) {
    size_t len;
    if (!read_is(r, value, YTREE_SCALAR)) return read_expected(r, LSCHED_E_TYPE, value, "a text");
    const char *text = read_chars(r, value, &len);
    return text_copy(r, text, len, out);
}

static int32_t taint_map(struct field_reader *r, uint32_t value, lsched_taint *taint) {
    static const struct field fields[] = {
        FIELD(lsched_taint, "key", read_text, key),
        FIELD(lsched_taint, "value", maybe_empty, value),
        FIELD(lsched_taint, "effect", taint_effect, effect),
    };
    taint->effect = UINT32_MAX;
    int32_t code =
        read_map(r, value, "a taint", fields, sizeof fields / sizeof *fields, taint, NULL);
    if (!code && (!taint->key.ptr || taint->effect == UINT32_MAX))
        code = read_expected(r, LSCHED_E_KEY, value, "a taint with \"key\" and \"effect\"");
    return code;
}

static int32_t taint_item(struct field_reader *r, uint32_t value, void *list) {
    lsched_taint *taint = read_add(r, list, NULL, sizeof *taint, value);
    struct short_form form;
    if (!taint) return LSCHED_E_NOMEM;
    taint->value = (lsched_text){"", 0};
    if (!read_is(r, value, YTREE_SCALAR)) return taint_map(r, value, taint);
    int32_t code = short_read(r, value, &form);
    if (!code && (form.key.len == 0 || !form.has_effect))
        code = read_expected(r, LSCHED_E_TYPE, value, "a taint such as gpu=broken:no-start");
    *taint = (lsched_taint){form.key, form.value, form.effect, 0};
    return code;
}

int32_t read_taints(struct field_reader *r, uint32_t value, void *list) {
    return read_one_or_items(r, value, taint_item, list);
}

/* ---- tolerations ---- */

struct toleration_form {
    lsched_toleration t;
    uint32_t has_value; /* index of the value in the YAML tree; 0: no value given */
};

static int32_t toleration_value(struct field_reader *r, uint32_t value, void *out) {
    struct toleration_form *form = out;
    form->has_value = value;
    return maybe_empty(r, value, &form->t.value);
}

static int32_t toleration_map(struct field_reader *r, uint32_t value, lsched_toleration *out) {
    static const struct field fields[] = {
        FIELD(struct toleration_form, "key", read_text, t.key),
        {"value", toleration_value, 0},
        FIELD(struct toleration_form, "effect", taint_effect, t.effect),
        FIELD(struct toleration_form, "for", read_duration, t.stop_after_us),
    };
    struct toleration_form form = {*out, 0};
    int32_t code =
        read_map(r, value, "a toleration", fields, sizeof fields / sizeof *fields, &form, NULL);
    form.t.any_value = form.has_value == 0;
    *out = form.t;
    return code;
}

/* Reads a toleration such as gpu=broken:no-start. Without a value it tolerates any value, without
 * an effect any effect; "*" tolerates every taint. */
static int32_t toleration_item(struct field_reader *r, uint32_t value, void *list) {
    lsched_toleration *t = read_add(r, list, NULL, sizeof *t, value);
    struct short_form form;
    if (!t) return LSCHED_E_NOMEM;
    *t = (lsched_toleration){{"", 0}, {"", 0}, LSCHED_TOLERATES_ANY_EFFECT, 1, 0};
    if (!read_is(r, value, YTREE_SCALAR)) return toleration_map(r, value, t);
    int32_t code = short_read(r, value, &form);
    if (code) return code;
    int all = form.key.len == 1 && form.key.ptr[0] == '*' && !form.has_value;
    if (form.key.len == 0)
        return read_expected(r, LSCHED_E_TYPE, value,
                             "a toleration such as gpu=broken:no-start, gpu or \"*\"");
    if (!all) t->key = form.key;
    t->value = form.value;
    t->any_value = !form.has_value;
    if (form.has_effect) t->effect = form.effect;
    return 0;
}

int32_t read_tolerations(struct field_reader *r, uint32_t value, void *list) {
    return read_one_or_items(r, value, toleration_item, list);
}

/* ---- affinity rules about nodes ---- */

struct condition {
    lsched_label_rule *rule;
    uint32_t given;
};

static int32_t condition_names(struct field_reader *r, uint32_t value, struct condition *c,
                               uint32_t operation) {
    struct scn_list values = {NULL, 0, 0};
    int32_t code = read_names(r, value, &values);
    if (!code && values.n == 0) code = read_expected(r, LSCHED_E_TYPE, value, "at least one value");
    c->given++;
    c->rule->operation = operation;
    c->rule->values = values.items;
    c->rule->n_values = values.n;
    return code;
}

static int32_t condition_in(struct field_reader *r, uint32_t value, void *out) {
    return condition_names(r, value, out, LSCHED_LABEL_IN);
}

static int32_t condition_not_in(struct field_reader *r, uint32_t value, void *out) {
    return condition_names(r, value, out, LSCHED_LABEL_NOT_IN);
}

static int32_t condition_gt(struct field_reader *r, uint32_t value, void *out) {
    return condition_names(r, value, out, LSCHED_LABEL_GREATER);
}

static int32_t condition_lt(struct field_reader *r, uint32_t value, void *out) {
    return condition_names(r, value, out, LSCHED_LABEL_LESS);
}

static int32_t condition_there(struct field_reader *r, uint32_t value, struct condition *c,
                               uint32_t operation) {
    uint32_t yes = 0;
    int32_t code = read_bool(r, value, &yes);
    c->given++;
    c->rule->operation = yes                                ? operation
                         : operation == LSCHED_LABEL_EXISTS ? (uint32_t)LSCHED_LABEL_ABSENT
                                                            : (uint32_t)LSCHED_LABEL_EXISTS;
    return code;
}

static int32_t condition_exists(struct field_reader *r, uint32_t value, void *out) {
    return condition_there(r, value, out, LSCHED_LABEL_EXISTS);
}

static int32_t condition_absent(struct field_reader *r, uint32_t value, void *out) {
    return condition_there(r, value, out, LSCHED_LABEL_ABSENT);
}

/* Reads the condition on one label: a, [a, b], "*" for any value, or a map such as {not-in: [a,
 * b]}. */
static int32_t label_condition(struct field_reader *r, uint32_t key, uint32_t value, void *list) {
    static const struct field fields[] = {
        {"in", condition_in, 0},         {"not-in", condition_not_in, 0},
        {"exists", condition_exists, 0}, {"absent", condition_absent, 0},
        {"gt", condition_gt, 0},         {"lt", condition_lt, 0},
    };
    lsched_label_rule rule = {{NULL, 0}, NULL, 0, LSCHED_LABEL_EXISTS};
    struct condition c = {&rule, 0};
    size_t len;
    int any = read_is(r, value, YTREE_SCALAR) && strcmp(read_chars(r, value, &len), "*") == 0;
    int32_t code = read_text(r, key, &rule.key);
    if (!code && read_is(r, value, YTREE_MAP)) {
        code = read_map(r, value, "a condition", fields, sizeof fields / sizeof *fields, &c, NULL);
        if (!code && c.given != 1)
            code =
                read_expected(r, LSCHED_E_KEY, value, "one of in, not-in, exists, absent, gt, lt");
    } else if (!code && !any) {
        code = condition_in(r, value, &c);
    }
    if (code) return code;
    lsched_label_rule *out = read_add(r, list, NULL, sizeof *out, value);
    if (!out) return LSCHED_E_NOMEM;
    *out = rule;
    return 1;
}

static int32_t term_rules(struct field_reader *r, uint32_t value, void *out) {
    lsched_node_term *term = out;
    struct scn_list rules = {NULL, 0, 0};
    int32_t code = read_map(r, value, "labels", NULL, 0, &rules, label_condition);
    if (!code && rules.n == 0)
        code = read_expected(r, LSCHED_E_KEY, value, "a term with at least one label");
    term->rules = rules.items;
    term->n_rules = rules.n;
    return code;
}

static int32_t required_item(struct field_reader *r, uint32_t value, void *list) {
    lsched_node_term *term = read_add(r, list, NULL, sizeof *term, value);
    return term ? term_rules(r, value, term) : LSCHED_E_NOMEM;
}

static int32_t term_weight(struct field_reader *r, uint32_t value, void *out) {
    int32_t code = read_count(r, value, out);
    if (!code && *(uint32_t *)out > 100)
        code = read_expected(r, LSCHED_E_RANGE, value, "a weight from 1 to 100");
    return code;
}

static int32_t preferred_item(struct field_reader *r, uint32_t value, void *list) {
    static const struct field fields[] = {
        FIELD(lsched_node_term, "weight", term_weight, weight),
        {"labels", term_rules, 0},
    };
    lsched_node_term *term = read_add(r, list, NULL, sizeof *term, value);
    if (!term) return LSCHED_E_NOMEM;
    term->weight = 1;
    int32_t code = read_map(r, value, "a preferred term", fields, 2, term, NULL);
    if (!code && term->n_rules == 0)
        code = read_expected(r, LSCHED_E_KEY, value, "a preferred term with \"labels\"");
    return code;
}

/* At least one of the terms must hold. An empty list could never hold, therefore it is an error. */
static int32_t affinity_required(struct field_reader *r, uint32_t value, void *list) {
    if (read_is(r, value, YTREE_LIST) && ytree_at(&r->tree, value)->n == 0)
        return read_expected(r, LSCHED_E_KEY, value, "at least one term");
    return read_one_or_items(r, value, required_item, list);
}

static int32_t affinity_preferred(struct field_reader *r, uint32_t value, void *list) {
    return read_one_or_items(r, value, preferred_item, list);
}

int32_t read_affinity(struct field_reader *r, uint32_t value, void *list) {
    static const struct field fields[] = {
        {"required", affinity_required, 0},
        {"preferred", affinity_preferred, 0},
    };
    return read_map(r, value, "an affinity", fields, 2, list, NULL);
}

/* ---- labels of jobs, and affinity rules about them ---- */

static int32_t plain_label(struct field_reader *r, uint32_t key, uint32_t value, void *list) {
    lsched_label *label = read_add(r, list, NULL, sizeof *label, value);
    if (!label) return LSCHED_E_NOMEM;
    int32_t code = read_text(r, key, &label->key);
    if (!code) code = maybe_empty(r, value, &label->value);
    return code ? code : 1;
}

int32_t read_plain_labels(struct field_reader *r, uint32_t value, void *list) {
    return read_map(r, value, "labels", NULL, 0, list, plain_label);
}

struct job_term_form {
    lsched_job_term term;
    uint32_t near, apart; /* indexes of the values in the YAML tree; 0: not given */
    struct scn_list labels;
};

static int32_t term_near(struct field_reader *r, uint32_t value, void *out) {
    struct job_term_form *form = out;
    form->near = value;
    return read_plain_labels(r, value, &form->labels);
}

static int32_t term_apart(struct field_reader *r, uint32_t value, void *out) {
    struct job_term_form *form = out;
    form->apart = value;
    return read_plain_labels(r, value, &form->labels);
}

static int32_t job_term_item(struct field_reader *r, uint32_t value, void *list) {
    static const struct field fields[] = {
        {"near", term_near, 0},
        {"apart", term_apart, 0},
        FIELD(struct job_term_form, "level", read_text, term.level),
        FIELD(struct job_term_form, "tree", read_text, term.topology),
        FIELD(struct job_term_form, "weight", term_weight, term.weight),
    };
    struct job_term_form form;
    memset(&form, 0, sizeof form);
    int32_t code = read_map(r, value, "a term about jobs", fields, sizeof fields / sizeof *fields,
                            &form, NULL);
    if (code) return code;
    if (!form.near == !form.apart)
        return read_expected(r, LSCHED_E_KEY, value, "a term with either \"near\" or \"apart\"");
    lsched_job_term *term = read_add(r, list, NULL, sizeof *term, value);
    if (!term) return LSCHED_E_NOMEM;
    *term = form.term;
    term->apart = form.apart != 0;
    term->labels = form.labels.items;
    term->n_labels = form.labels.n;
    return 0;
}

int32_t read_job_affinity(struct field_reader *r, uint32_t value, void *list) {
    return read_one_or_items(r, value, job_term_item, list);
}
