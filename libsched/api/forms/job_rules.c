/* job_rules.c -- see job_rules.h. */
#include "api/forms/job_rules.h"

#include <stdio.h>

#include "api/door/args.h"
#include "api/forms/topology_names.h"
#include "model/shapes/domain.h"
#include "model/shapes/node_rules.h"

/* Elements of a list. They are encoded one by one, and then written in the order of their bytes. */
struct elements {
    struct bytes b;
    uint32_t n;
    size_t end[LIMIT_RULES_PER_LIST];
};

static const uint8_t *job_rules_element_at(const struct elements *e, uint32_t i, size_t *n) {
    size_t at = i ? e->end[i - 1] : 0;
    *n = e->end[i] - at;
    return e->b.p + at;
}

static int element_before(const struct elements *e, uint32_t a, uint32_t b) {
    size_t na, nb;
    const uint8_t *pa = job_rules_element_at(e, a, &na), *pb = job_rules_element_at(e, b, &nb);
    int c = memcmp(pa, pb, na < nb ? na : nb);
    return c != 0 ? c < 0 : na < nb;
}

/* Writes the elements in the order of their bytes, and frees them. */
static int32_t elements_put(struct elements *e, struct bytes *out) {
    uint32_t order[LIMIT_RULES_PER_LIST];
    int32_t rc = e->b.too_long ? LSCHED_E_LIMIT : e->b.failed ? LSCHED_E_NOMEM : LSCHED_OK;
    for (uint32_t i = 0; i < e->n && rc == LSCHED_OK; i++) {
        uint32_t j = i;
        for (; j > 0 && element_before(e, i, order[j - 1]); j--) order[j] = order[j - 1];
        order[j] = i;
    }
    bytes_u32(out, rc == LSCHED_OK ? e->n : 0);
    for (uint32_t i = 0; i < e->n && rc == LSCHED_OK; i++) {
        size_t n;
        const uint8_t *p = job_rules_element_at(e, order[i], &n);
        bytes_put(out, p, n);
    }
    bytes_close(&e->b);
    return rc;
}

static int32_t too_many(const char *where, const char *what, lsched_error *err) {
    return fail(err, LSCHED_E_LIMIT, "%s: more than %u %s", where, LIMIT_RULES_PER_LIST, what);
}

static int32_t value_read(lsched_text *t, const char *where, const char *what, lsched_error *err) {
    *t = arg_text(*t);
    if (t->len <= LSCHED_NAME_BYTES_MAX) return LSCHED_OK;
    return fail(err, LSCHED_E_INVAL, "%s: a value of %s is longer than 255 bytes", where, what);
}

/* ---- tolerations ---- */

static int32_t toleration_put(lsched_toleration t, struct bytes *b, const char *where,
                              lsched_error *err) {
    int any = t.effect == LSCHED_TOLERATES_ANY_EFFECT;
    int32_t rc = value_read(&t.key, where, "a toleration", err);
    if (rc == LSCHED_OK) rc = value_read(&t.value, where, "a toleration", err);
    if (rc != LSCHED_OK) return rc;
    int len = (int)t.key.len;
    if (t.effect > LSCHED_TAINT_STOP && !any)
        return fail(err, LSCHED_E_INVAL,
                    "%s: the toleration of taint '%.*s' has effect %u; expected LSCHED_TAINT_*",
                    where, len, t.key.ptr, t.effect);
    if (t.any_value > 1 || (t.any_value && t.value.len))
        return fail(err, LSCHED_E_INVAL,
                    "%s: the toleration of taint '%.*s' is of any value and yet names '%.*s'",
                    where, len, t.key.ptr, (int)t.value.len, t.value.ptr);
    if (t.key.len == 0 && !t.any_value)
        return fail(err, LSCHED_E_INVAL,
                    "%s: a toleration without a key is of every taint, with any value", where);
    if (t.stop_after_us < 0 || t.stop_after_us > LIMIT_TIME_US)
        return fail(err, LSCHED_E_RANGE,
                    "%s: taint '%.*s' is tolerated for %lld us; expected 0 to 2^61", where, len,
                    t.key.ptr, (long long)t.stop_after_us);
    if (t.stop_after_us && !any && t.effect != LSCHED_TAINT_STOP)
        return fail(err, LSCHED_E_INVAL,
                    "%s: the toleration of taint '%.*s' has a duration, which is allowed only "
                    "for the effect that stops tasks",
                    where, len, t.key.ptr);
    bytes_text(b, t.key);
    bytes_text(b, t.value);
    bytes_u32(b, t.effect);
    bytes_u32(b, t.any_value);
    bytes_i64(b, t.stop_after_us);
    return LSCHED_OK;
}

static int32_t tolerations_read(const struct columns *k, const lsched_group_desc *g,
                                struct bytes *out, const char *where, lsched_error *err) {
    struct elements e = {.n = 0};
    int32_t rc = LSCHED_OK;
    if (g->n_tolerations > LIMIT_RULES_PER_LIST) return too_many(where, "tolerations", err);
    if (g->n_tolerations && !g->tolerations)
        return fail(err, LSCHED_E_NULL, "%s: tolerations is NULL", where);
    bytes_init(&e.b, k->alloc);
    for (uint32_t i = 0; i < g->n_tolerations && rc == LSCHED_OK; i++) {
        rc = toleration_put(g->tolerations[i], &e.b, where, err);
        e.end[e.n++] = e.b.n;
    }
    if (rc != LSCHED_OK) {
        bytes_close(&e.b);
        return rc;
    }
    return elements_put(&e, out);
}

/* ---- affinity to nodes ---- */

static int32_t operation_values(const lsched_label_rule *rule, const char *where, const char *key,
                                int len, lsched_error *err) {
    static const char *const words[] = {"in", "not-in", "exists", "absent", "gt", "lt"};
    uint32_t op = rule->operation;
    if (op > LSCHED_LABEL_LESS)
        return fail(err, LSCHED_E_INVAL,
                    "%s: the rule about label '%.*s' has operation %u; expected LSCHED_LABEL_*",
                    where, len, key, op);
    int none = op == LSCHED_LABEL_EXISTS || op == LSCHED_LABEL_ABSENT;
    int one = op == LSCHED_LABEL_GREATER || op == LSCHED_LABEL_LESS;
    if (rule->n_values > LIMIT_SELECTOR_VALUES)
        return fail(err, LSCHED_E_LIMIT, "%s: the rule about label '%.*s' has more than %u values",
                    where, len, key, LIMIT_SELECTOR_VALUES);
    if (none ? rule->n_values != 0 : one ? rule->n_values != 1 : rule->n_values == 0)
        return fail(err, LSCHED_E_INVAL,
                    "%s: the rule '%s' about label '%.*s' has %u values; expected %s", where,
                    words[op], len, key, rule->n_values,
                    none  ? "none"
                    : one ? "one"
                          : "at least one");
    if (rule->n_values && !rule->values)
        return fail(err, LSCHED_E_NULL, "%s: the values of the rule about label '%.*s' are NULL",
                    where, len, key);
    return LSCHED_OK;
}

static int32_t label_rule_put(const lsched_label_rule *rule, struct bytes *b, const char *where,
                              lsched_error *err) {
    lsched_text key = rule->key, values[LIMIT_SELECTOR_VALUES];
    uint32_t n = 0;
    values[0] = (lsched_text){"", 0};
    int32_t rc = arg_name(&key, "label key", err);
    if (rc == LSCHED_OK) rc = operation_values(rule, where, key.ptr, (int)key.len, err);
    for (uint32_t i = 0; i < rule->n_values && rc == LSCHED_OK; i++) {
        lsched_text v = rule->values[i];
        rc = value_read(&v, where, "a rule about a label", err);
        uint32_t j = n++;
        for (; j > 0 && text_order(v, values[j - 1]) < 0; j--) values[j] = values[j - 1];
        values[j] = v;
    }
    if (rc != LSCHED_OK) return rc;
    int64_t number;
    if (rule->operation >= LSCHED_LABEL_GREATER && !rules_whole_number(values[0], &number))
        return fail(err, LSCHED_E_INVAL,
                    "%s: label '%.*s' is compared with '%.*s'; expected a whole number from "
                    "-2^63 to 2^63 - 1",
                    where, (int)key.len, key.ptr, (int)values[0].len, values[0].ptr);
    bytes_text(b, key);
    bytes_u32(b, rule->operation);
    bytes_u32(b, n);
    for (uint32_t i = 0; i < n; i++) bytes_text(b, values[i]);
    return LSCHED_OK;
}

static int32_t node_term_put(const struct columns *k, const lsched_node_affinity *t,
                             struct bytes *b, const char *where, lsched_error *err) {
    struct elements e = {.n = 0};
    int32_t rc = LSCHED_OK;
    if (t->weight > 100)
        return fail(err, LSCHED_E_RANGE,
                    "%s: the weight of a term about nodes is %u; expected 1 to 100, or 0 for a "
                    "required term",
                    where, t->weight);
    if (t->n_rules == 0)
        return fail(err, LSCHED_E_INVAL, "%s: a node affinity rule has no conditions", where);
    if (t->n_rules > LIMIT_RULES_PER_LIST) return too_many(where, "rules in one term", err);
    if (!t->rules)
        return fail(err, LSCHED_E_NULL, "%s: the rules of a term about nodes are NULL", where);
    bytes_init(&e.b, k->alloc);
    for (uint32_t i = 0; i < t->n_rules && rc == LSCHED_OK; i++) {
        rc = label_rule_put(&t->rules[i], &e.b, where, err);
        e.end[e.n++] = e.b.n;
    }
    bytes_u32(b, t->weight);
    if (rc == LSCHED_OK) return elements_put(&e, b);
    bytes_close(&e.b);
    return rc;
}

static int32_t node_terms_read(const struct columns *k, const lsched_group_desc *g,
                               struct bytes *out, const char *where, lsched_error *err) {
    struct elements e = {.n = 0};
    int32_t rc = LSCHED_OK;
    if (g->n_node_affinities > LIMIT_RULES_PER_LIST)
        return too_many(where, "terms about nodes", err);
    if (g->n_node_affinities && !g->node_affinities)
        return fail(err, LSCHED_E_NULL, "%s: node_affinities is NULL", where);
    bytes_init(&e.b, k->alloc);
    for (uint32_t i = 0; i < g->n_node_affinities && rc == LSCHED_OK; i++) {
        rc = node_term_put(k, &g->node_affinities[i], &e.b, where, err);
        e.end[e.n++] = e.b.n;
    }
    if (rc == LSCHED_OK) return elements_put(&e, out);
    bytes_close(&e.b);
    return rc;
}

/* ---- affinity to jobs ---- */

int32_t job_rules_labels(const lsched_label *labels, uint32_t n, uint32_t most,
                         lsched_label *sorted, const char *where, lsched_error *err) {
    if (n > most) return fail(err, LSCHED_E_LIMIT, "%s: more than %u labels", where, most);
    if (n && !labels) return fail(err, LSCHED_E_NULL, "%s: labels is NULL", where);
    for (uint32_t i = 0; i < n; i++) {
        lsched_label l = labels[i];
        int32_t rc = arg_name(&l.key, "label key", err);
        if (rc == LSCHED_OK) rc = value_read(&l.value, where, "a label", err);
        if (rc != LSCHED_OK) return rc;
        uint32_t j = i;
        for (; j > 0 && text_order(l.key, sorted[j - 1].key) < 0; j--) sorted[j] = sorted[j - 1];
        if (j > 0 && text_order(l.key, sorted[j - 1].key) == 0)
            return fail(err, LSCHED_E_INVAL, "%s: label '%.*s' is given twice", where,
                        (int)l.key.len, l.key.ptr);
        sorted[j] = l;
    }
    return LSCHED_OK;
}

static int is_node_level(lsched_text level) {
    static const lsched_text node = {"node", 4};
    return level.len == 0 || text_order(level, node) == 0;
}

/* Changes the names *tree and *level to those that are encoded. Both are empty if the rule is
 * about the node itself. */
static int32_t job_term_level(const struct columns *k, lsched_text *tree, lsched_text *level,
                              const char *where, lsched_error *err) {
    *tree = arg_text(*tree);
    *level = arg_text(*level);
    if (is_node_level(*level)) {
        *tree = *level = (lsched_text){"", 0};
        return LSCHED_OK;
    }
    uint32_t row = topology_find(k, *tree);
    if (row == NO_ROW) return topology_names_no_tree(k, *tree, LSCHED_E_KEY, where, err);
    if (topology_level(k, row, *level) == NO_ROW)
        return topology_names_no_level(k, row, *level, 1, where, err);
    *tree = text_of(k, k->c[C_TOPOLOGY_NAME].u32[row]);
    return LSCHED_OK;
}

static int32_t job_term_put(const struct columns *k, const lsched_job_affinity *t, struct bytes *b,
                            const char *where, lsched_error *err) {
    lsched_label sorted[LIMIT_LABELS_PER_JOB];
    lsched_text tree = t->topology, level = t->level;
    memset(sorted, 0, sizeof sorted);
    if (t->apart > 1)
        return fail(err, LSCHED_E_INVAL, "%s: apart is %u; expected 0 or 1", where, t->apart);
    if (t->weight > 100)
        return fail(err, LSCHED_E_RANGE,
                    "%s: the weight of a term about jobs is %u; expected 1 to 100, or 0 for a "
                    "required term",
                    where, t->weight);
    int32_t rc = job_term_level(k, &tree, &level, where, err);
    if (rc == LSCHED_OK)
        rc = job_rules_labels(t->labels, t->n_labels, LIMIT_LABELS_PER_JOB, sorted, where, err);
    if (rc != LSCHED_OK) return rc;
    bytes_u32(b, t->apart);
    bytes_u32(b, t->weight);
    bytes_text(b, tree);
    bytes_text(b, level);
    bytes_u32(b, t->n_labels);
    for (uint32_t i = 0; i < t->n_labels; i++) {
        bytes_text(b, sorted[i].key);
        bytes_text(b, sorted[i].value);
    }
    return LSCHED_OK;
}

/* An exclusive level is the last term, because of the value of its first field. */
static int32_t exclusive_put(const struct columns *k, const lsched_group_desc *g, struct bytes *b,
                             const char *where, lsched_error *err) {
    lsched_text tree = arg_text(g->exclusive_topology), level = g->exclusive_level;
    if (tree.len == 0) tree = g->topology;
    int32_t rc = job_term_level(k, &tree, &level, where, err);
    if (rc != LSCHED_OK) return rc;
    bytes_u32(b, RULE_EXCLUSIVE);
    bytes_u32(b, 0);
    bytes_text(b, tree);
    bytes_text(b, level);
    bytes_u32(b, 0);
    return LSCHED_OK;
}

static int32_t job_terms_read(const struct columns *k, const lsched_group_desc *g,
                              const lsched_group_desc *exclusive, struct bytes *out,
                              const char *where, lsched_error *err) {
    struct elements e = {.n = 0};
    int32_t rc = LSCHED_OK;
    if (g->n_job_affinities > LIMIT_JOB_TERMS)
        return fail(err, LSCHED_E_LIMIT, "%s: it has more than %u terms about jobs", where,
                    LIMIT_JOB_TERMS);
    if (g->n_job_affinities && !g->job_affinities)
        return fail(err, LSCHED_E_NULL, "%s: job_affinities is NULL", where);
    bytes_init(&e.b, k->alloc);
    for (uint32_t i = 0; i < g->n_job_affinities && rc == LSCHED_OK; i++) {
        rc = arg_reserved_at(g->job_affinities[i].reserved_zero, "reserved_zero", where, "job term",
                             i, err);
        if (rc == LSCHED_OK) rc = job_term_put(k, &g->job_affinities[i], &e.b, where, err);
        e.end[e.n++] = e.b.n;
    }
    if (rc == LSCHED_OK && arg_text(exclusive->exclusive_level).len) {
        rc = exclusive_put(k, exclusive, &e.b, where, err);
        e.end[e.n++] = e.b.n;
    }
    if (rc == LSCHED_OK) return elements_put(&e, out);
    bytes_close(&e.b);
    return rc;
}

int32_t job_rules_read(const struct columns *k, const lsched_group_desc *g,
                       const lsched_group_desc *exclusive, struct bytes *out, const char *where,
                       lsched_error *err) {
    if (g->n_tolerations + (uint64_t)g->n_node_affinities + g->n_job_affinities +
            arg_text(exclusive->exclusive_level).len ==
        0)
        return LSCHED_OK;
    int32_t rc = tolerations_read(k, g, out, where, err);
    if (rc == LSCHED_OK) rc = node_terms_read(k, g, out, where, err);
    if (rc == LSCHED_OK) rc = job_terms_read(k, g, exclusive, out, where, err);
    if (rc == LSCHED_OK && out->too_long)
        return fail(err, LSCHED_E_LIMIT, "%s: its tolerations and terms are longer than %u bytes",
                    where, LIMIT_SHAPE_BYTES);
    return rc == LSCHED_OK && out->failed ? LSCHED_E_NOMEM : rc;
}
