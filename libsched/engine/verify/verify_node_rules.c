/*
 * verify_node_rules.c -- see verify_node_rules.h. The verifier reads the canonical bytes itself.
 *
 * The labels and taints of a node must allow every task that the scheduler placed on the node,
 * unless they changed after the placement. If they changed and no longer allow the task, the task
 * must be marked as stray. No other task must be marked. A required anti-affinity rule of a job can
 * exclude another job from a domain; an exclusive level excludes all. Then no tasks of these two
 * jobs are in the same domain, except imported tasks. Affinity is not checked: the other job can
 * end later. Cost of the pairs of jobs: tasks with such rules times tasks in the same domain.
 */
#include "engine/verify/verify_node_rules.h"

#include "engine/verify/verify_read.h"

/* ---- reading the canonical bytes ---- */

/* Returns a reader at the start of the shape's section with tolerations and affinity rules. The
 * reader is empty if the shape has no such section. */
static struct reader rules_of(const struct columns *k, uint32_t shape) {
    return verify_section(k, shape, SHAPE_PART_RULES);
}

#define TOLERATION "ttuui" /* the fields of a toleration: key, value, effect, any_value, how long */

/* ---- selectors, taints, affinity rules about nodes ---- */

static int selectors_allow(const struct columns *k, uint32_t shape, uint32_t node) {
    struct reader r = verify_selectors(k, shape);
    for (uint32_t n = reader_u32(&r); n > 0; n--) {
        lsched_text key = reader_text(&r), value;
        uint32_t values = reader_u32(&r);
        int has = verify_label(k, k->c[C_NODE_LABELS].u32[node], key, &value),
            good = has && values == 0;
        for (; values > 0; values--) {
            lsched_text allowed = reader_text(&r);
            if (has && text_order(allowed, value) == 0) good = 1;
        }
        if (!good) return 0;
    }
    return 1;
}

/* Returns for how many microseconds the tolerations in r allow a task to run on a node with the
 * taint. Returns 0 if they do not allow it, and LSCHED_NEVER_US if they allow it without end. */
static int64_t borne_for(struct reader r, const lsched_taint *t) {
    int64_t most = 0;
    for (uint32_t n = r.p ? reader_u32(&r) : 0; n > 0; n--) {
        lsched_text key = reader_text(&r), value = reader_text(&r);
        uint32_t effect = reader_u32(&r), any = reader_u32(&r);
        int64_t lasts = reader_i64(&r);
        if ((key.len && text_order(key, t->key) != 0) ||
            (!any && text_order(value, t->value) != 0) ||
            (effect != UINT32_MAX && effect != t->effect))
            continue;
        if (lasts == 0) return LSCHED_NEVER_US;
        if (lasts > most) most = lasts;
    }
    return most;
}

static struct reader taints_in(const struct columns *k, uint32_t row, uint32_t *n) {
    struct reader r = {NULL, NULL, 0};
    *n = 0;
    if (row == NO_ROW) return r;
    r = reader_of(k, intern_text(k, T_TAINTS, row));
    *n = reader_u32(&r);
    return r;
}

static lsched_taint taint_next(struct reader *r, int64_t *since) {
    lsched_taint t = {{NULL, 0}, {NULL, 0}, 0, 0};
    t.key = reader_text(r);
    t.value = reader_text(r);
    t.effect = reader_u32(r);
    *since = reader_i64(r);
    return t;
}

static uint32_t row_of_node(const struct columns *k, uint32_t node) {
    return k->c[C_CLASS_TAINTS].u32[k->c[C_NODE_CLASS].u32[node]];
}

/* Returns the row with the taints of device i of the node, if the task holds this device; else
 * NO_ROW. */
static uint32_t row_of_device(const struct columns *k, uint32_t task, uint32_t i) {
    uint32_t d = k->c[C_NODE_DEVICE_FIRST].u32[k->c[C_TASK_NODE].u32[task]] + i;
    struct verify_devices held = verify_devices_of(k, task);
    uint32_t taints = verify_has_device(&held, i) ? k->c[C_DEVICE_TAINTS].u32[d] : 0;
    return taints ? taints - 1 : NO_ROW;
}

static int taints_allow(const struct columns *k, uint32_t shape, uint32_t row) {
    uint32_t n;
    int64_t since;
    struct reader r = taints_in(k, row, &n);
    for (; n > 0; n--) {
        lsched_taint t = taint_next(&r, &since);
        int64_t lasts = borne_for(rules_of(k, shape), &t);
        if (t.effect == LSCHED_TAINT_NO_START && lasts == 0) return 0;
        if (t.effect == LSCHED_TAINT_STOP && lasts != LSCHED_NEVER_US) return 0;
    }
    return 1;
}

static int number_of(lsched_text t, int64_t *out) {
    uint64_t at = t.len && (t.ptr[0] == '-' || t.ptr[0] == '+') ? 1 : 0;
    int negative = t.len && t.ptr[0] == '-';
    wide_i128 v = 0;
    if (at == t.len) return 0;
    for (; at < t.len; at++) {
        if (t.ptr[at] < '0' || t.ptr[at] > '9') return 0;
        v = v * 10 + (t.ptr[at] - '0');
        if (v > (wide_i128)INT64_MAX + 1) return 0;
    }
    if (!negative && v > INT64_MAX) return 0;
    *out = (int64_t)(negative ? -v : v);
    return 1;
}

static int rule_allows(const struct columns *k, uint32_t node, struct reader *r) {
    lsched_text key = reader_text(r), have = {"", 0};
    uint32_t op = reader_u32(r), n = reader_u32(r), equal = 0;
    int has = verify_label(k, k->c[C_NODE_LABELS].u32[node], key, &have), order = 0;
    int64_t x, y;
    for (uint32_t i = 0; i < n; i++) {
        lsched_text v = reader_text(r);
        equal += has && text_order(v, have) == 0;
        if (has && number_of(have, &x) && number_of(v, &y)) order = x > y ? 1 : x < y ? -1 : 0;
    }
    if (op == LSCHED_LABEL_IN) return equal > 0;
    if (op == LSCHED_LABEL_NOT_IN) return equal == 0;
    if (op == LSCHED_LABEL_EXISTS) return has;
    if (op == LSCHED_LABEL_ABSENT) return !has;
    return op == LSCHED_LABEL_GREATER ? order > 0 : order < 0;
}

static int terms_allow(const struct columns *k, uint32_t shape, uint32_t node) {
    struct reader r = rules_of(k, shape);
    int required = 0, good = 0;
    if (!r.p) return 1;
    verify_skip_list(&r, TOLERATION);
    for (uint32_t n = reader_u32(&r); n > 0; n--) {
        uint32_t weight = reader_u32(&r), all = 1;
        for (uint32_t rules = reader_u32(&r); rules > 0; rules--)
            all &= (uint32_t)rule_allows(k, node, &r);
        required |= weight == 0;
        good |= weight == 0 && all;
    }
    return !required || good;
}

int verify_node_rules_allow(const struct columns *k, uint32_t node, uint32_t shape) {
    return selectors_allow(k, shape, node) && taints_allow(k, shape, row_of_node(k, node)) &&
           terms_allow(k, shape, node);
}

int verify_node_rules_devices_allow(const struct columns *k, uint32_t task) {
    uint32_t node = k->c[C_TASK_NODE].u32[task], shape = verify_shape(k, task);
    for (uint32_t i = 0; i < k->c[C_NODE_N_DEVICES].u8[node]; i++)
        if (!taints_allow(k, shape, row_of_device(k, task, i))) return 0;
    return 1;
}

/* True if a taint of the row has stopped the task by now. */
static int row_stops(const struct columns *k, uint32_t task, uint32_t row) {
    uint32_t n;
    int64_t since, start = k->c[C_TASK_START].i64[task], now = (int64_t)meta(k, M_NOW);
    struct reader r = taints_in(k, row, &n);
    for (; n > 0; n--) {
        lsched_taint t = taint_next(&r, &since);
        int64_t lasts = borne_for(rules_of(k, verify_shape(k, task)), &t);
        if (t.effect != LSCHED_TAINT_STOP || lasts == LSCHED_NEVER_US) continue;
        if (lasts == 0 || (wide_i128)(since > start ? since : start) + lasts <= now) return 1;
    }
    return 0;
}

int verify_node_rules_must_leave(const struct columns *k, uint32_t task) {
    uint32_t node = k->c[C_TASK_NODE].u32[task];
    if (k->c[C_NODE_STATE].u8[node] == LSCHED_NODE_DRAINING) return 1;
    for (uint32_t i = 0; i < k->c[C_NODE_N_DEVICES].u8[node]; i++)
        if (row_stops(k, task, row_of_device(k, task, i))) return 1;
    return row_stops(k, task, row_of_node(k, node));
}

int verify_node_rules_crowd(const struct columns *k, uint32_t node, int taken) {
    uint32_t most = k->c[C_CLASS_TASKS_MAX].u32[k->c[C_NODE_CLASS].u32[node]], now = 0, then = 0;
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        now += (uint32_t)verify_holds(k, t);
        then += (uint32_t)!verify_leaves(k, t);
    }
    return most && ((taken && now > most) || then > most);
}

/* ---- affinity rules about jobs ---- */

struct term {
    uint32_t apart, weight, topology, level;
    struct reader labels;
};

/* Returns a reader of the shape's affinity rules about jobs. The reader stands at the number of
 * these rules. */
static struct reader job_terms_of(const struct columns *k, uint32_t shape) {
    struct reader r = rules_of(k, shape);
    if (!r.p) return r;
    verify_skip_list(&r, TOLERATION);
    for (uint32_t n = reader_u32(&r); n > 0; n--) {
        reader_u32(&r);
        verify_skip_list(&r, "tuT");
    }
    return r;
}

/* Looks up the topology named `tree` and its level named `level`. Sets t->topology and t->level to
 * their rows, NO_ROW if there is no such topology or level. The function compares the names of all
 * topologies. */
static void find_level(const struct columns *k, lsched_text tree, lsched_text level,
                       struct term *t) {
    t->topology = t->level = NO_ROW;
    for (uint32_t row = 0; level.len && row < table_rows(k, T_TOPOLOGY); row++) {
        if (!row_is_live(k, T_TOPOLOGY, row) ||
            text_order(text_of(k, k->c[C_TOPOLOGY_NAME].u32[row]), tree) != 0)
            continue;
        struct reader r = reader_of(k, k->c[C_TOPOLOGY_LEVELS].u32[row]);
        for (uint32_t l = 0; l < k->c[C_TOPOLOGY_N_LEVELS].u32[row]; l++)
            if (text_order(reader_text(&r), level) == 0) {
                t->topology = row;
                t->level = l;
            }
    }
}

static struct term term_next(const struct columns *k, struct reader *r) {
    struct term t;
    t.apart = reader_u32(r);
    t.weight = reader_u32(r);
    lsched_text tree = reader_text(r), level = reader_text(r);
    find_level(k, tree, level, &t);
    t.labels = *r;
    verify_skip_list(r, "tt");
    return t;
}

static int speaks_of(const struct columns *k, struct reader want, uint32_t job) {
    uint32_t row = k->c[C_JOB_LABELS].u32[job];
    for (uint32_t n = reader_u32(&want); n > 0; n--) {
        lsched_text key = reader_text(&want), value = reader_text(&want), have;
        if (row == NO_ROW || !verify_label(k, row, key, &have) || text_order(have, value) != 0)
            return 0;
    }
    return 1;
}

static uint32_t place_of(const struct columns *k, const struct term *t, uint32_t node) {
    return t->level == NO_ROW ? node : verify_domain(k, node, t->topology, t->level);
}

static int verify_node_rules_counts(const struct columns *k, uint32_t task) {
    return row_is_live(k, T_TASK, task) && verify_placed(k, task) &&
           !k->c[C_TASK_IMPORTED].u8[task];
}

static int32_t check_apart(struct check *c, uint32_t task, const struct term *t) {
    const struct columns *k = c->k;
    uint32_t place = place_of(k, t, k->c[C_TASK_NODE].u32[task]), /* apart 2: exclusive level */
        job = t->apart == 2 ? k->c[C_TASK_JOB].u32[task] : NO_ROW;
    if (place == NO_ROW && t->apart == 2)
        return check_fail(c, "%s is in no domain of its exclusive level", NAME(T_TASK, task));
    for (uint32_t o = 0; place != NO_ROW && o < table_rows(k, T_TASK); o++)
        if (o != task && verify_node_rules_counts(k, o) && k->c[C_TASK_JOB].u32[o] != job &&
            place_of(k, t, k->c[C_TASK_NODE].u32[o]) == place &&
            speaks_of(k, t->labels, k->c[C_TASK_JOB].u32[o]))
            return check_fail(c, "%s must not be beside %s, but both are on %s", NAME(T_TASK, task),
                              NAME(T_TASK, o), NAME(T_NODE, k->c[C_TASK_NODE].u32[o]));
    return LSCHED_OK;
}

/* ---- counts ---- */

static int has_stop(const struct columns *k, uint32_t row) {
    uint32_t taints;
    int64_t since;
    int stops = 0;
    struct reader r = taints_in(k, row, &taints);
    for (; taints > 0; taints--) stops |= taint_next(&r, &since).effect == LSCHED_TAINT_STOP;
    return stops;
}

/* Checks the times of absences, and the number of nodes that have one. */
static int32_t check_absences(struct check *c) {
    const struct columns *k = c->k;
    uint64_t nodes = 0;
    for (uint32_t n = 0; n < table_rows(k, T_NODE); n++) {
        if (!row_is_live(k, T_NODE, n)) continue;
        int64_t leaves = k->c[C_NODE_LEAVES].i64[n], back = k->c[C_NODE_BACK].i64[n],
                every = k->c[C_NODE_LEAVES_EVERY].i64[n];
        if ((back && back <= leaves) || (every && every <= back - leaves) || (every && !back))
            return check_fail(c, "%s is back before it leaves, or leaves before it is back",
                              NAME(T_NODE, n));
        nodes += leaves || back;
        int64_t end = back, now = (int64_t)meta(k, M_NOW);
        if (every && now >= back) end += ((now - back) / every + 1) * every;
        if (end && meta(k, M_ABSENCE_END) > (uint64_t)end)
            return check_fail(c, "%s is back before a node is expected back", NAME(T_NODE, n));
    }
    if (nodes == 0 && k->c[C_META_WORD].u64[M_ABSENCE_END])
        return check_fail(c, "no node leaves, but one is to be back");
    if (nodes == k->c[C_META_WORD].u64[M_ABSENCES]) return LSCHED_OK;
    return check_fail(c, "the count of nodes that leave is %llu; expected %llu",
                      (unsigned long long)k->c[C_META_WORD].u64[M_ABSENCES],
                      (unsigned long long)nodes);
}

static int32_t check_stoppers(struct check *c) {
    const struct columns *k = c->k;
    uint64_t nodes = 0;
    for (uint32_t n = 0; n < table_rows(k, T_NODE); n++) {
        if (!row_is_live(k, T_NODE, n)) continue;
        int stops = k->c[C_NODE_STATE].u8[n] == LSCHED_NODE_DRAINING;
        stops |= has_stop(k, row_of_node(k, n));
        for (uint32_t i = 0; i < k->c[C_NODE_N_DEVICES].u8[n]; i++) {
            uint32_t taints = k->c[C_DEVICE_TAINTS].u32[k->c[C_NODE_DEVICE_FIRST].u32[n] + i];
            stops |= taints && has_stop(k, taints - 1);
        }
        nodes += (uint64_t)stops;
    }
    if (meta(k, M_STOPPERS) == nodes) return LSCHED_OK;
    return check_fail(c, "%llu nodes are counted as stopping work, but there are %llu",
                      (unsigned long long)meta(k, M_STOPPERS), (unsigned long long)nodes);
}

/* Checks the words M_APART and M_EXCLUSIVE of all shapes: word 0 counts all rules (in M_APART, of
 * both sorts), word 1 those about a single node, the others those about one level. */
static int32_t check_apart_words(struct check *c) {
    enum { WORDS = 2 + LSCHED_TOPOLOGIES_MAX * LSCHED_TOPOLOGY_LEVELS_MAX };
    const struct columns *k = c->k;
    const uint32_t words[2] = {M_APART, M_EXCLUSIVE};
    uint64_t count[2 * WORDS] = {0};
    for (uint32_t s = 0; s < table_rows(k, T_SHAPE); s++) {
        if (!row_is_live(k, T_SHAPE, s)) continue;
        struct reader r = job_terms_of(k, s);
        for (uint32_t n = r.p ? reader_u32(&r) : 0; n > 0; n--) {
            struct term t = term_next(k, &r);
            if (!t.apart || t.weight) continue;
            uint32_t from = t.apart == 2 ? WORDS : 0;
            count[0]++;
            count[WORDS] += from > 0;
            if (t.level != NO_ROW) from += 1 + t.topology * LSCHED_TOPOLOGY_LEVELS_MAX + t.level;
            count[from + 1]++;
        }
    }
    for (uint32_t i = 0; i < 2 * WORDS; i++)
        if (meta(k, words[i / WORDS] + i % WORDS) != count[i])
            return check_fail(c, "counter %u of %s is not %llu", i % WORDS,
                              i < WORDS ? "required anti-affinity rules" : "exclusive levels",
                              (unsigned long long)count[i]);
    return LSCHED_OK;
}

int32_t verify_node_rules(struct check *c) {
    const struct columns *k = c->k;
    int32_t rc = check_stoppers(c);
    if (rc == LSCHED_OK) rc = check_absences(c);
    if (rc == LSCHED_OK) rc = check_apart_words(c);
    for (uint32_t t = 0; meta(k, M_APART) && t < table_rows(k, T_TASK) && rc == LSCHED_OK; t++) {
        if (!verify_node_rules_counts(k, t)) continue;
        struct reader r = job_terms_of(k, verify_shape(k, t));
        for (uint32_t n = r.p ? reader_u32(&r) : 0; n > 0 && rc == LSCHED_OK; n--) {
            struct term term = term_next(k, &r);
            if (term.apart && !term.weight) rc = check_apart(c, t, &term);
        }
    }
    return rc;
}
