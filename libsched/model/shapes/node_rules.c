/* node_rules.c -- see node_rules.h. */
#include "model/shapes/node_rules.h"

#include "base/times.h"
#include "model/shapes/domain.h"
#include "model/shapes/node_label.h"
#include "model/shapes/leaf.h"
#include "model/shapes/placement.h"

/* ---- reading ---- */

struct toleration {
    lsched_text key, value;
    uint32_t effect, any_value;
    int64_t stop_after;
};

static struct toleration read_toleration(struct reader *r) {
    struct toleration t;
    t.key = reader_text(r);
    t.value = reader_text(r);
    t.effect = reader_u32(r);
    t.any_value = reader_u32(r);
    t.stop_after = reader_i64(r);
    return t;
}

static void skip_texts(struct reader *r, uint32_t n) {
    for (uint32_t i = 0; i < n && !r->bad; i++) reader_text(r);
}

static void node_rules_skip_tolerations(struct reader *r) {
    for (uint32_t n = reader_u32(r); n > 0 && !r->bad; n--) read_toleration(r);
}

static void skip_node_term(struct reader *r) {
    reader_u32(r);
    for (uint32_t n = reader_u32(r); n > 0 && !r->bad; n--) {
        reader_text(r);
        reader_u32(r);
        skip_texts(r, reader_u32(r));
    }
}

static uint32_t job_term_bits(struct reader *r) {
    uint32_t apart = reader_u32(r), weight = reader_u32(r);
    reader_text(r);
    reader_text(r);
    uint32_t labels = reader_u32(r);
    skip_texts(r, 2 * labels);
    if (apart > RULE_EXCLUSIVE) r->bad = 1;
    if (apart == RULE_EXCLUSIVE) {
        if (weight || labels) r->bad = 1;
        return RULES_APART | RULES_EXCLUSIVE;
    }
    return weight ? RULES_JOBS_LIKED : apart ? RULES_APART : RULES_NEAR;
}

uint32_t rules_bits(struct reader r) {
    uint32_t n = reader_u32(&r), bits = n ? RULES_TOLERATE : 0;
    for (; n > 0 && !r.bad; n--) read_toleration(&r);
    for (n = reader_u32(&r); n > 0 && !r.bad; n--) {
        struct reader weight = r;
        bits |= reader_u32(&weight) ? RULES_NODES_LIKED : RULES_NODES;
        skip_node_term(&r);
    }
    for (n = reader_u32(&r); n > 0 && !r.bad; n--) bits |= job_term_bits(&r);
    return r.bad || r.p != r.end ? RULES_BAD : bits;
}

/* ---- labels of nodes ---- */

int rules_whole_number(lsched_text t, int64_t *out) {
    int negative = t.len > 0 && t.ptr[0] == '-';
    uint64_t v = 0, most = (uint64_t)INT64_MAX + (uint64_t)negative;
    uint64_t i = t.len > 0 && (negative || t.ptr[0] == '+');
    if (i == t.len) return 0;
    for (; i < t.len; i++) {
        if (t.ptr[i] < '0' || t.ptr[i] > '9') return 0;
        uint64_t digit = (uint64_t)(t.ptr[i] - '0');
        if (v > (most - digit) / 10) return 0;
        v = v * 10 + digit;
    }
    *out = negative ? (int64_t)(0 - v) : (int64_t)v;
    return 1;
}

int rules_label_holds(uint32_t operation, int has, lsched_text value, struct reader *values,
                      uint32_t n_values) {
    int among = 0, compared = 0;
    int64_t have = 0, bound = 0;
    int number = has && rules_whole_number(value, &have);
    for (uint32_t i = 0; i < n_values && !values->bad; i++) {
        lsched_text v = reader_text(values);
        among |= has && text_order(v, value) == 0;
        if (i == 0) compared = number && rules_whole_number(v, &bound);
    }
    switch (operation) {
    case LSCHED_LABEL_IN: return among;
    case LSCHED_LABEL_NOT_IN: return !among;
    case LSCHED_LABEL_EXISTS: return has;
    case LSCHED_LABEL_ABSENT: return !has;
    case LSCHED_LABEL_GREATER: return compared && have > bound;
    default: return compared && have < bound;
    }
}

static int rule_holds(const struct columns *k, uint32_t node, struct reader *r) {
    lsched_text key = reader_text(r), value = {"", 0};
    uint32_t operation = reader_u32(r), n = reader_u32(r);
    int has = node_label(k, node, key.ptr, (size_t)key.len, &value);
    return rules_label_holds(operation, has, value, r, n);
}

/* Returns 1 if the affinity rule that *r reads next holds for the node. Reads the rule to its
 * end, and sets *weight. */
static int term_holds(const struct columns *k, uint32_t node, struct reader *r, uint32_t *weight) {
    int holds = 1;
    *weight = reader_u32(r);
    for (uint32_t n = reader_u32(r); n > 0 && !r->bad; n--) holds &= rule_holds(k, node, r);
    return holds;
}

static int node_rules_terms_allow(const struct columns *k, uint32_t node, struct reader r) {
    int any = 0, holds = 0;
    node_rules_skip_tolerations(&r);
    for (uint32_t n = reader_u32(&r); n > 0 && !r.bad; n--) {
        uint32_t weight;
        int term = term_holds(k, node, &r, &weight);
        any |= weight == 0;
        holds |= weight == 0 && term;
    }
    return !any || holds;
}

/* ---- taints ---- */

static struct reader node_rules_taints_of(const struct columns *k, uint32_t row, uint32_t *n) {
    struct reader r = {NULL, NULL, 0};
    *n = 0;
    if (row == NO_ROW) return r;
    r = reader_of(k, intern_text(k, T_TAINTS, row));
    *n = reader_u32(&r);
    return r;
}

/* Reads the next taint of *r. Sets *since to the time at which the taint came if it stops running
 * tasks, else to 0. */
static lsched_taint read_taint(struct reader *r, int64_t *since) {
    lsched_taint t;
    t.key = reader_text(r);
    t.value = reader_text(r);
    t.effect = reader_u32(r);
    t.reserved_zero = 0;
    *since = reader_i64(r);
    return t;
}

uint32_t rules_taints(const struct columns *k, uint32_t row, lsched_taint *list, int64_t *since) {
    uint32_t n;
    struct reader r = node_rules_taints_of(k, row, &n);
    for (uint32_t i = 0; i < n && i < LIMIT_TAINTS_PER_NODE; i++)
        list[i] = read_taint(&r, &since[i]);
    return n;
}

static int tolerates(const struct toleration *t, const lsched_taint *taint) {
    if (t->effect != LSCHED_TOLERATES_ANY_EFFECT && t->effect != taint->effect) return 0;
    if (t->key.len && text_order(t->key, taint->key) != 0) return 0;
    return t->any_value || text_order(t->value, taint->value) == 0;
}

/* Returns the longest time for which a toleration allows a running task to stay on a node with
 * the taint; 0 if no toleration fits the taint. */
static int64_t tolerated_for(const struct reader *rules, const lsched_taint *taint) {
    struct reader r = *rules;
    int64_t most = 0;
    if (!r.p) return 0;
    for (uint32_t n = reader_u32(&r); n > 0 && !r.bad; n--) {
        struct toleration t = read_toleration(&r);
        if (!tolerates(&t, taint)) continue;
        int64_t lasts = t.stop_after ? t.stop_after : LSCHED_NEVER_US;
        if (lasts > most) most = lasts;
    }
    return most;
}

static struct reader node_rules_of(const struct columns *k, uint32_t shape) {
    struct reader r = {NULL, NULL, 0};
    if (k->c[C_SHAPE_RULES].u8[shape]) shape_part(k, shape, SHAPE_PART_RULES, &r);
    return r;
}

int rules_taints_judge(const struct columns *k, uint32_t row, uint32_t shape, lsched_taint *out) {
    struct reader rules = node_rules_of(k, shape);
    uint32_t n;
    int64_t since;
    struct reader r = node_rules_taints_of(k, row, &n);
    for (; n > 0; n--) {
        lsched_taint t = read_taint(&r, &since);
        int64_t lasts = tolerated_for(&rules, &t);
        if (t.effect == LSCHED_TAINT_AVOID || lasts == LSCHED_NEVER_US ||
            (lasts && t.effect == LSCHED_TAINT_NO_START))
            continue; /* a toleration that is limited in time does not allow a start */
        if (out) *out = t;
        return RULES_TAINTED;
    }
    return RULES_ALLOW;
}

int rules_judge(const struct columns *k, uint32_t node, uint32_t shape, lsched_taint *out) {
    int why = rules_taints_judge(k, node_taints_row(k, node), shape, out);
    if (why != RULES_ALLOW) return why;
    if ((k->c[C_SHAPE_RULES].u8[shape] & RULES_NODES) &&
        !node_rules_terms_allow(k, node, node_rules_of(k, shape)))
        return RULES_UNWANTED;
    return RULES_ALLOW;
}

/* Returns the time at which a task of the shape that runs since `start` must be gone because of the
 * taints of the row that stop running tasks. Returns INT64_MIN if the task does not tolerate one
 * of these taints, LSCHED_NEVER_US if the task can stay. A toleration lasts from the arrival of
 * the taint or from the start of the task, whichever is later. */
static int64_t rules_gone_by(const struct columns *k, uint32_t row, uint32_t shape, int64_t start) {
    struct reader rules = node_rules_of(k, shape);
    uint32_t n;
    int64_t since, least = LSCHED_NEVER_US;
    struct reader r = node_rules_taints_of(k, row, &n);
    for (; n > 0; n--) {
        lsched_taint t = read_taint(&r, &since);
        int64_t lasts = t.effect == LSCHED_TAINT_STOP ? tolerated_for(&rules, &t) : LSCHED_NEVER_US;
        if (lasts == LSCHED_NEVER_US) continue;
        int64_t from = since > start ? since : start, at = LSCHED_NEVER_US;
        if (lasts == 0) at = INT64_MIN;
        if (lasts > 0) at = time_after(from, lasts);
        if (at < least) least = at;
    }
    return least;
}

int64_t rules_task_gone_by(const struct columns *k, uint32_t task) {
    uint32_t node = k->c[C_TASK_NODE].u32[task];
    if (k->c[C_NODE_STATE].u8[node] == LSCHED_NODE_DRAINING) return INT64_MIN;
    uint32_t shape = task_shape(k, task), first = k->c[C_NODE_DEVICE_FIRST].u32[node];
    int runs = k->c[C_TASK_STATE].u8[task] == LSCHED_TASK_RUNNING;
    int64_t start = runs ? k->c[C_TASK_START].i64[task] : INT64_MIN,
            least = rules_gone_by(k, node_taints_row(k, node), shape, start);
    if (k->c[C_NODE_TAINTED].u8[node] == 0) return least;
    DEVICE_SET_EACH(m, task_device_set(k, task)) {
        int64_t at = rules_gone_by(k, device_taints_row(k, first + m.at), shape, start);
        if (at < least) least = at;
    }
    return least;
}

int rules_bound_tasks(const struct columns *k) {
    EACH_LIVE(k, T_CLASS, c)
        if (k->c[C_CLASS_TASKS_MAX].u32[c]) return 1;
    return 0;
}

static int taints_stop(const struct columns *k, uint32_t row) {
    uint32_t n;
    struct reader r = node_rules_taints_of(k, row, &n);
    int64_t since;
    for (; n > 0; n--)
        if (read_taint(&r, &since).effect == LSCHED_TAINT_STOP) return 1;
    return 0;
}

int rules_stop_there(const struct columns *k, uint32_t node) {
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node],
             devices = k->c[C_NODE_TAINTED].u8[node] ? k->c[C_NODE_N_DEVICES].u8[node] : 0u;
    int stops = taints_stop(k, node_taints_row(k, node));
    for (uint32_t i = 0; i < devices && !stops; i++)
        stops = taints_stop(k, device_taints_row(k, first + i));
    return stops;
}

/* ---- tiers ---- */

#define TIER_OF_TAINT (1 << 16) /* larger than the sum of all weights */

int rules_have_tiers(const struct columns *k, uint32_t shape) {
    return (k->c[C_SHAPE_RULES].u8[shape] & RULES_NODES_LIKED) || table_live(k, T_TAINTS) > 0;
}

uint32_t rules_taints_avoided(const struct columns *k, uint32_t row, uint32_t shape) {
    struct reader rules = node_rules_of(k, shape);
    uint32_t n, avoided = 0;
    struct reader r = node_rules_taints_of(k, row, &n);
    int64_t since;
    for (; n > 0; n--) {
        lsched_taint t = read_taint(&r, &since);
        avoided += t.effect == LSCHED_TAINT_AVOID && !tolerated_for(&rules, &t);
    }
    return avoided;
}

/* True if the node has too few devices without taints that the task avoids or does not tolerate,
 * whatever is free. */
static int needs_avoided(const struct columns *k, uint32_t node, uint32_t shape) {
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node], welcome = 0;
    if (k->c[C_NODE_TAINTED].u8[node] == 0) return 0;
    for (uint32_t i = 0; i < k->c[C_NODE_N_DEVICES].u8[node]; i++) {
        uint32_t row = device_taints_row(k, first + i);
        welcome += k->c[C_DEVICE_CLOSED].u8[first + i] == 0 &&
                   rules_taints_judge(k, row, shape, NULL) == RULES_ALLOW &&
                   rules_taints_avoided(k, row, shape) == 0;
    }
    return welcome < k->c[C_SHAPE_DEVICES].u32[shape];
}

int32_t rules_tier(const struct columns *k, uint32_t node, uint32_t shape) {
    struct reader rules = node_rules_of(k, shape);
    uint32_t n;
    int32_t tier = (int32_t)rules_taints_avoided(k, node_taints_row(k, node), shape);
    tier = -TIER_OF_TAINT * (tier + needs_avoided(k, node, shape));
    if (!(k->c[C_SHAPE_RULES].u8[shape] & RULES_NODES_LIKED)) return tier;
    node_rules_skip_tolerations(&rules);
    for (n = reader_u32(&rules); n > 0 && !rules.bad; n--) {
        uint32_t weight;
        if (term_holds(k, node, &rules, &weight)) tier += (int32_t)weight;
    }
    return tier;
}

/* ---- affinity to jobs ---- */

/* Sets the topology and level of the rule *t; NO_ROW if the rule is about the node itself. A tree
 * cannot be removed, therefore the tree that the rule named at submission still exists. */
static void term_level(const struct columns *k, lsched_text tree, lsched_text level,
                       struct job_term *t) {
    t->topology = level.len ? topology_find(k, tree) : NO_ROW;
    t->level = t->topology == NO_ROW ? NO_ROW : topology_level(k, t->topology, level);
}

int rules_next_term(const struct columns *k, uint32_t shape, struct reader *at, uint32_t *left,
                    struct job_term *t) {
    if (!at->p) {
        if (!(k->c[C_SHAPE_RULES].u8[shape] & RULES_OF_JOBS)) return 0;
        *at = node_rules_of(k, shape);
        node_rules_skip_tolerations(at);
        for (uint32_t n = reader_u32(at); n > 0 && !at->bad; n--) skip_node_term(at);
        *left = reader_u32(at);
    }
    if (*left == 0 || at->bad) return 0;
    --*left;
    t->apart = reader_u32(at);
    t->weight = reader_u32(at);
    lsched_text tree = reader_text(at), level = reader_text(at);
    term_level(k, tree, level, t);
    t->labels = *at;
    skip_texts(at, 2 * reader_u32(at));
    t->labels.end = at->p;
    return 1;
}

struct reader rules_labels_of(const struct columns *k, uint32_t job) {
    static const uint8_t none[4] = {0, 0, 0, 0};
    uint32_t row = k->c[C_JOB_LABELS].u32[job];
    if (row == NO_ROW) return (struct reader){none, none + sizeof none, 0};
    return reader_of(k, intern_text(k, T_LABELS, row));
}

/* One pass is enough, because both lists are sorted by key. */
int rules_labels_within(struct reader want, struct reader have) {
    uint32_t n = reader_u32(&have);
    for (uint32_t left = reader_u32(&want); left > 0; left--) {
        lsched_text key = reader_text(&want), value = reader_text(&want);
        int found = 0;
        for (; n > 0 && !found; n--) {
            lsched_text at = reader_text(&have), v = reader_text(&have);
            found = text_order(at, key) == 0;
            if (found && text_order(v, value) != 0) return 0;
        }
        if (!found) return 0;
    }
    return 1;
}

uint32_t rules_apart_word(uint32_t topology, uint32_t level) {
    if (topology == NO_ROW) return M_APART + 1;
    return M_APART + 2 + topology * LSCHED_TOPOLOGY_LEVELS_MAX + level;
}

uint32_t rules_exclusive_word(uint32_t topology, uint32_t level) {
    return rules_apart_word(topology, level) - M_APART + M_EXCLUSIVE;
}

static void count_rule(struct columns *k, uint32_t word, int sign) {
    set_meta(k, word, meta(k, word) + (uint64_t)(int64_t)sign);
}

void rules_count_apart(struct columns *k, uint32_t shape, int sign) {
    struct reader at = {NULL, NULL, 0};
    uint32_t left = 0;
    struct job_term t;
    while (rules_next_term(k, shape, &at, &left, &t)) {
        if (!t.apart || t.weight) continue;
        int exclusive = t.apart == RULE_EXCLUSIVE;
        count_rule(k,
                   exclusive ? rules_exclusive_word(t.topology, t.level)
                             : rules_apart_word(t.topology, t.level),
                   sign);
        count_rule(k, M_APART, sign);
        if (exclusive) count_rule(k, M_EXCLUSIVE, sign);
    }
}

int rules_exclude_others(const struct columns *k, uint32_t shape, uint32_t topology,
                         uint32_t level) {
    struct reader at = {NULL, NULL, 0};
    uint32_t left = 0;
    struct job_term t;
    if (!(k->c[C_SHAPE_RULES].u8[shape] & RULES_EXCLUSIVE)) return 0;
    while (rules_next_term(k, shape, &at, &left, &t))
        if (t.apart == RULE_EXCLUSIVE && t.topology == topology && t.level == level) return 1;
    return 0;
}

static int is_one_place(const struct columns *k, const struct job_term *t, uint32_t a, uint32_t b) {
    if (t->level == NO_ROW) return a == b;
    uint32_t d = domain_of_node(k, t->topology, a, t->level);
    return d != NO_ROW && d == domain_of_node(k, t->topology, b, t->level);
}

/* Returns 1 if a required anti-affinity rule of task a forbids the place of task b: the rule's
 * labels fit b's job, and both tasks are in the same domain or on the same node. An exclusive level
 * forbids no task of a's own job. */
static int shuns(const struct columns *k, uint32_t a, uint32_t b) {
    struct reader at = {NULL, NULL, 0}, have = rules_labels_of(k, k->c[C_TASK_JOB].u32[b]);
    uint32_t left = 0, shape = task_shape(k, a);
    int same_job = k->c[C_TASK_JOB].u32[a] == k->c[C_TASK_JOB].u32[b];
    struct job_term t;
    while (rules_next_term(k, shape, &at, &left, &t))
        if (t.apart && !t.weight && !(t.apart == RULE_EXCLUSIVE && same_job) &&
            is_one_place(k, &t, k->c[C_TASK_NODE].u32[a], k->c[C_TASK_NODE].u32[b]) &&
            rules_labels_within(t.labels, have))
            return 1;
    return 0;
}

uint32_t rules_nominated_beside(const struct columns *k, uint32_t task) {
    if (meta(k, M_APART) == 0 || meta(k, M_NOMINATED) == 0) return NO_ROW;
    for (uint32_t d = (uint32_t)meta(k, M_OPEN_HEAD); d != NO_ROW;
         d = k->c[C_DECISION_NEXT].u32[d]) {
        uint32_t claim = k->c[C_DECISION_TASK].u32[d];
        if (claim != task && k->c[C_TASK_STATE].u8[claim] == LSCHED_TASK_NOMINATED &&
            (shuns(k, task, claim) || shuns(k, claim, task)))
            return claim;
    }
    return NO_ROW;
}
