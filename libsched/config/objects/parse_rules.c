/*
 * parse_rules.c -- see parse_rules.h. The file reads `taints:` of nodes, `tolerations:`,
 * `affinity:` and `job_affinity:` of tasks, and `labels:` of jobs.
 *
 * A taint or a toleration is written as a map, or as a text in the form of kubectl:
 * key=value:effect.
 */
#include <string.h>

#include "base/suggest.h"
#include "config/objects/parse_rules.h"
#include "config/read/quantity_reader.h"

/* words for the effects of taints, in the order of LSCHED_TAINT_* */
static const char *const effect_words[] = {"no-start", "avoid", "stop"};

/* ---- key=value:effect ---- */

struct short_form {
    lsched_text key, value;
    uint32_t has_value, has_effect, effect;
};

static int32_t short_effect(struct field_reader *r, uint32_t value, const char *text, size_t len,
                            uint32_t *effect) {
    struct quote got = complain_quote(text, len);
    struct suggest near;
    suggest_begin(&near, text, len);
    for (uint32_t i = 0; i < sizeof effect_words / sizeof *effect_words; i++) {
        size_t n = strlen(effect_words[i]);
        suggest_offer(&near, effect_words[i], n);
        if (n != len || memcmp(text, effect_words[i], len) != 0) continue;
        *effect = i;
        return 0;
    }
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
    int32_t code = read_copy(r, text, key, &form->key);
    form->has_value = equals != NULL;
    form->value = (lsched_text){"", 0};
    if (!code && equals) code = read_copy(r, equals + 1, end - key - 1, &form->value);
    form->has_effect = colon != NULL;
    if (!code && colon) code = short_effect(r, value, colon + 1, len - end - 1, &form->effect);
    return code;
}

/* ---- taints ---- */

static int32_t taint_effect(struct field_reader *r, uint32_t value, void *out) {
    size_t len;
    const char *text = read_scalar(r, value, &len);
    return short_effect(r, value, text, len, out);
}

static int32_t maybe_empty(struct field_reader *r, uint32_t value, void *out) {
    size_t len;
    if (!read_is(r, value, YTREE_SCALAR)) return read_expected(r, LSCHED_E_TYPE, value, "a text");
    const char *text = read_chars(r, value, &len);
    return read_copy(r, text, len, out);
}

static int32_t taint_map(struct field_reader *r, uint32_t value, lsched_taint *taint) {
    static const struct field fields[] = {
        FIELD(lsched_taint, "key", read_text, key),
        FIELD(lsched_taint, "value", maybe_empty, value),
        FIELD(lsched_taint, "effect", taint_effect, effect),
    };
    taint->effect = UINT32_MAX;
    int32_t code = READ_MAP(r, value, "a taint", fields, taint, NULL);
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
    uint32_t has_value; /* not 0 if the toleration has the key `value` */
};

static int32_t toleration_value(struct field_reader *r, uint32_t value, void *out) {
    struct toleration_form *form = out;
    form->has_value = value;
    return maybe_empty(r, value, &form->t.value);
}

static int32_t toleration_map(struct field_reader *r, uint32_t value, lsched_toleration *out) {
    static const struct field fields[] = {
        FIELD(struct toleration_form, "key", read_text, t.key),
        FIELD_KEY("value", toleration_value),
        FIELD(struct toleration_form, "effect", taint_effect, t.effect),
        FIELD(struct toleration_form, "for", read_duration, t.stop_after_us),
    };
    struct toleration_form form = {*out, 0};
    int32_t code = READ_MAP(r, value, "a toleration", fields, &form, NULL);
    form.t.any_value = form.has_value == 0;
    *out = form.t;
    return code;
}

/* Reads a toleration such as gpu=broken:no-start. A toleration without a value tolerates taints
 * with any value. A toleration without an effect tolerates taints with any effect. The toleration
 * "*" tolerates every taint. */
int32_t read_toleration(struct field_reader *r, uint32_t value, void *list) {
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

/* ---- affinity rules about nodes ---- */

struct condition {
    lsched_label_rule *rule;
    uint32_t given;
};

static int32_t condition_names(struct field_reader *r, uint32_t value, void *out,
                               uint32_t operation) {
    struct condition *c = out;
    struct scn_list values = {NULL, 0, 0};
    int32_t code = read_names(r, value, &values);
    if (!code && values.n == 0) code = read_expected(r, LSCHED_E_TYPE, value, "at least one value");
    c->given++;
    c->rule->operation = operation;
    c->rule->values = values.items;
    c->rule->n_values = values.n;
    return code;
}

static int32_t condition_there(struct field_reader *r, uint32_t value, void *out,
                               uint32_t operation) {
    struct condition *c = out;
    uint32_t yes = 0;
    int32_t code = read_bool(r, value, &yes);
    c->given++;
    c->rule->operation = yes                                ? operation
                         : operation == LSCHED_LABEL_EXISTS ? (uint32_t)LSCHED_LABEL_ABSENT
                                                            : (uint32_t)LSCHED_LABEL_EXISTS;
    return code;
}

/* Reads the condition on the label `key`. The condition is a value, a list of values such as [a,
 * b], "*" for any value, or a map such as {not-in: [a, b]}. */
static int32_t label_condition(struct field_reader *r, uint32_t key, uint32_t value, void *list) {
    static const struct field fields[] = {
        FIELD_KEY_WITH("in", condition_names, LSCHED_LABEL_IN),
        FIELD_KEY_WITH("not-in", condition_names, LSCHED_LABEL_NOT_IN),
        FIELD_KEY_WITH("exists", condition_there, LSCHED_LABEL_EXISTS),
        FIELD_KEY_WITH("absent", condition_there, LSCHED_LABEL_ABSENT),
        FIELD_KEY_WITH("gt", condition_names, LSCHED_LABEL_GREATER),
        FIELD_KEY_WITH("lt", condition_names, LSCHED_LABEL_LESS),
    };
    lsched_label_rule rule = {{NULL, 0}, NULL, 0, LSCHED_LABEL_EXISTS};
    struct condition c = {&rule, 0};
    int any = read_is_word(r, value, "*");
    int32_t code = read_text(r, key, &rule.key);
    if (!code && read_is(r, value, YTREE_MAP)) {
        code = READ_MAP(r, value, "a condition", fields, &c, NULL);
        if (!code && c.given != 1)
            code =
                read_expected(r, LSCHED_E_KEY, value, "one of in, not-in, exists, absent, gt, lt");
    } else if (!code && !any) {
        code = condition_names(r, value, &c, LSCHED_LABEL_IN);
    }
    if (code) return code;
    lsched_label_rule *out = read_add(r, list, NULL, sizeof *out, value);
    if (!out) return LSCHED_E_NOMEM;
    *out = rule;
    return 1;
}

static int32_t term_rules(struct field_reader *r, uint32_t value, void *out) {
    lsched_node_affinity *term = out;
    struct scn_list rules = {NULL, 0, 0};
    int32_t code = read_map(r, value, "labels", NULL, 0, &rules, label_condition);
    if (!code && rules.n == 0)
        code = read_expected(r, LSCHED_E_KEY, value, "a term with at least one label");
    term->rules = rules.items;
    term->n_rules = rules.n;
    return code;
}

static int32_t required_item(struct field_reader *r, uint32_t value, void *list) {
    lsched_node_affinity *term = read_add(r, list, NULL, sizeof *term, value);
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
        FIELD(lsched_node_affinity, "weight", term_weight, weight),
        FIELD_KEY("labels", term_rules),
    };
    lsched_node_affinity *term = read_add(r, list, NULL, sizeof *term, value);
    if (!term) return LSCHED_E_NOMEM;
    term->weight = 1;
    int32_t code = READ_MAP(r, value, "a preferred term", fields, term, NULL);
    if (!code && term->n_rules == 0)
        code = read_expected(r, LSCHED_E_KEY, value, "a preferred term with \"labels\"");
    return code;
}

/* Reads the required terms of an affinity, at least one of which must hold for a node. With an
 * empty list no node would be allowed, therefore an empty list is an error. */
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
        FIELD_KEY("required", affinity_required),
        FIELD_KEY("preferred", affinity_preferred),
    };
    return READ_MAP(r, value, "an affinity", fields, list, NULL);
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

enum { TERM_NEAR = 1, TERM_APART = 2 };

struct job_term_form {
    lsched_job_affinity term;
    uint32_t given; /* set of the bits TERM_NEAR and TERM_APART for the keys that the text has */
};

#define JOB_LABELS(key, bit)                                       \
    {                                                              \
        .name = key, .read = read_plain_labels,                    \
        .offset = offsetof(struct job_term_form, term.labels),     \
        .count = offsetof(struct job_term_form, term.n_labels),    \
        .set = offsetof(struct job_term_form, given), .param = bit \
    }

int32_t read_job_rule(struct field_reader *r, uint32_t value, void *list) {
    static const struct field fields[] = {
        JOB_LABELS("near", TERM_NEAR),
        JOB_LABELS("apart", TERM_APART),
        FIELD(struct job_term_form, "level", read_text, term.level),
        FIELD(struct job_term_form, "tree", read_text, term.topology),
        FIELD(struct job_term_form, "weight", term_weight, term.weight),
    };
    struct job_term_form form;
    memset(&form, 0, sizeof form);
    int32_t code = READ_MAP(r, value, "a term about jobs", fields, &form, NULL);
    if (code) return code;
    if (form.given != TERM_NEAR && form.given != TERM_APART)
        return read_expected(r, LSCHED_E_KEY, value, "a term with either \"near\" or \"apart\"");
    lsched_job_affinity *term = read_add(r, list, NULL, sizeof *term, value);
    if (!term) return LSCHED_E_NOMEM;
    *term = form.term;
    term->apart = form.given == TERM_APART;
    return 0;
}
