/* affinity_rules.c -- see affinity_rules.h. */
#include "engine/indexes/affinity_rules.h"

static int32_t affinity_rules_add(struct affinity_rules *r, struct affinity_planes *s,
                                  struct columns *k, const struct affinity_key *key,
                                  struct affinity_ask ask) {
    int32_t rc = affinity_planes_get(s, k, key, &ask.plane);
    if (rc == LSCHED_OK) r->ask[r->n++] = ask;
    return rc;
}

/* Adds the check of an exclusive level: of the job itself, for which all tasks count, or of other
 * jobs, for which the tasks that have this level count. */
static int32_t add_exclusive(struct affinity_rules *r, struct affinity_planes *s, struct columns *k,
                             uint32_t job, uint32_t topology, uint32_t level, uint32_t kind) {
    static const uint8_t none[4] = {0, 0, 0, 0};
    uint32_t what = kind == AFFINITY_ALONE ? PLANE_SEEKS : PLANE_HOLDS;
    struct affinity_key key = {what, NO_ROW, topology, level, none, sizeof none};
    struct affinity_ask ask = {.kind = (uint8_t)kind};
    int32_t rc = LSCHED_OK;
    r->excludes = 1;
    if (job != NO_ROW && k->c[C_JOB_LEAVES].u32[job] != NO_ROW &&
        rules_job_is_exclusive(k, k->c[C_JOB_SHAPE].u32[job])) {
        key.job = job;
        rc = affinity_planes_get(s, k, &key, &ask.mine);
        key.job = NO_ROW;
    }
    return rc == LSCHED_OK ? affinity_rules_add(r, s, k, &key, ask) : rc;
}

static int32_t add_own(struct affinity_rules *r, struct affinity_planes *s, struct columns *k,
                       uint32_t job, uint32_t shape) {
    struct reader at = {NULL, NULL, 0};
    uint32_t left = 0;
    struct job_term t;
    int32_t rc = LSCHED_OK;
    while (rc == LSCHED_OK && r->n <= LIMIT_JOB_TERMS &&
           rules_next_term(k, shape, &at, &left, &t)) {
        if (t.apart == RULE_EXCLUSIVE) {
            rc = add_exclusive(r, s, k, job, t.topology, t.level, AFFINITY_ALONE);
            continue;
        }
        struct affinity_key key = {PLANE_SEEKS, NO_ROW,     t.topology,
                                   t.level,     t.labels.p, (size_t)(t.labels.end - t.labels.p)};
        struct affinity_ask ask = {.kind = t.weight  ? AFFINITY_LIKED
                                           : t.apart ? AFFINITY_APART
                                                     : AFFINITY_REQUIRED,
                                   .weight = t.apart ? -(int32_t)t.weight : (int32_t)t.weight};
        ask.own = (uint8_t)(ask.kind == AFFINITY_REQUIRED &&
                            rules_labels_within(t.labels, rules_labels_of(k, job)));
        r->likes |= ask.kind == AFFINITY_LIKED;
        rc = affinity_rules_add(r, s, k, &key, ask);
    }
    return rc;
}

/* Adds a check for each topology level at which any task shape has a required anti-affinity rule.
 * The check tests whether the rule of a placed task excludes this job. */
static int32_t add_others(struct affinity_rules *r, struct affinity_planes *s, struct columns *k,
                          uint32_t job) {
    struct reader labels = rules_labels_of(k, job);
    struct affinity_key key = {PLANE_SHUNS, NO_ROW,   NO_ROW,
                               NO_ROW,      labels.p, (size_t)(labels.end - labels.p)};
    struct affinity_ask ask = {.kind = AFFINITY_SHUNNED};
    int32_t rc = LSCHED_OK;
    if (meta(k, rules_apart_word(NO_ROW, NO_ROW))) rc = affinity_rules_add(r, s, k, &key, ask);
    for (uint32_t t = 0; t < table_rows(k, T_TOPOLOGY); t++)
        for (uint32_t l = 0; l < k->c[C_TOPOLOGY_N_LEVELS].u32[t] && rc == LSCHED_OK; l++) {
            key.topology = t;
            key.level = l;
            if (meta(k, rules_apart_word(t, l))) rc = affinity_rules_add(r, s, k, &key, ask);
        }
    return rc;
}

/* Adds a check for each level that is the exclusive level of any task shape. */
static int32_t add_holders(struct affinity_rules *r, struct affinity_planes *s, struct columns *k,
                           uint32_t job) {
    int32_t rc = LSCHED_OK;
    if (meta(k, rules_exclusive_word(NO_ROW, NO_ROW)))
        rc = add_exclusive(r, s, k, job, NO_ROW, NO_ROW, AFFINITY_HELD);
    for (uint32_t t = 0; t < table_rows(k, T_TOPOLOGY); t++)
        for (uint32_t l = 0; l < k->c[C_TOPOLOGY_N_LEVELS].u32[t] && rc == LSCHED_OK; l++)
            if (meta(k, rules_exclusive_word(t, l)))
                rc = add_exclusive(r, s, k, job, t, l, AFFINITY_HELD);
    return rc;
}

int32_t affinity_rules_open(struct affinity_rules *r, struct affinity_planes *s, struct columns *k,
                            const struct ask *a, int later) {
    r->n = r->likes = r->excludes = r->clears = 0;
    r->later = (uint32_t)later;
    if (!affinity_rules_asked(k, a->shape)) return LSCHED_OK;
    affinity_planes_begin(s);
    int32_t rc = add_own(r, s, k, a->job, a->shape);
    if (rc == LSCHED_OK && meta(k, M_APART)) rc = add_others(r, s, k, a->job);
    if (rc == LSCHED_OK && meta(k, M_EXCLUSIVE)) rc = add_holders(r, s, k, a->job);
    return rc;
}

int32_t affinity_rules_holders(struct affinity_planes *s, struct columns *k, uint32_t topology,
                               uint32_t level, uint32_t domain, uint32_t *n) {
    struct affinity_rules r = {.n = 0};
    affinity_planes_begin(s);
    *n = 0;
    int32_t rc = add_exclusive(&r, s, k, NO_ROW, topology, level, AFFINITY_HELD);
    if (rc == LSCHED_OK) *n = affinity_rules_others(&r, 0, domain);
    return rc;
}

int32_t affinity_rules_naming(struct affinity_planes *s, struct columns *k, uint32_t job,
                              uint64_t *n) {
    struct affinity_rules r = {.n = 0};
    *n = 0;
    if (meta(k, M_APART) == meta(k, M_EXCLUSIVE)) return LSCHED_OK; /* none has labels */
    affinity_planes_begin(s);
    int32_t rc = add_others(&r, s, k, job);
    for (uint32_t i = 0; i < r.n; i++) *n += r.ask[i].plane->placed;
    return rc;
}

/* Returns the tasks of the plane in the place, without those of the own job. */
static struct affinity_count count_others(const struct affinity_ask *a, uint32_t place) {
    struct affinity_count c = affinity_plane_count(a->plane, place);
    if (a->mine) {
        struct affinity_count mine = affinity_plane_count(a->mine, place);
        c.placed -= mine.placed;
        c.releasing -= mine.releasing;
    }
    return c;
}

uint32_t affinity_rules_others(const struct affinity_rules *r, uint32_t ask, uint32_t place) {
    struct affinity_count c = count_others(&r->ask[ask], place);
    return c.placed + (r->later ? 0 : c.releasing);
}

static int one_allows(const struct affinity_rules *r, const struct affinity_ask *a,
                      const struct columns *k, uint32_t node) {
    uint32_t place = affinity_plane_place(a->plane, k, node);
    if (a->kind == AFFINITY_LIKED) return 1;
    if (place == NO_ROW) return a->kind != AFFINITY_REQUIRED && a->kind != AFFINITY_ALONE;
    if (r->clears && affinity_ask_is_exclusive(a)) return 1;
    struct affinity_count c = count_others(a, place);
    if (a->kind == AFFINITY_REQUIRED) return c.placed || (a->own && a->plane->placed == 0);
    return c.placed == 0 && (r->later || c.releasing == 0);
}

int affinity_rules_allow(const struct affinity_rules *r, const struct columns *k, uint32_t node) {
    for (uint32_t i = 0; i < r->n; i++)
        if (!one_allows(r, &r->ask[i], k, node)) return 0;
    return 1;
}

int32_t affinity_rules_tier(const struct affinity_rules *r, const struct columns *k,
                            uint32_t node) {
    int32_t tier = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        const struct affinity_ask *a = &r->ask[i];
        if (a->kind != AFFINITY_LIKED) continue;
        uint32_t place = affinity_plane_place(a->plane, k, node);
        if (place != NO_ROW && affinity_plane_count(a->plane, place).placed) tier += a->weight;
    }
    return tier;
}

int affinity_rules_is_clear(const struct affinity_rules *r, const struct columns *k,
                            uint32_t task) {
    uint32_t node = k->c[C_TASK_NODE].u32[task];
    for (uint32_t i = 0; i < r->n; i++) {
        const struct affinity_ask *a = &r->ask[i];
        int exclusive = affinity_ask_is_exclusive(a);
        uint32_t place = affinity_plane_place(a->plane, k, node);
        if ((a->kind != AFFINITY_APART && a->kind != AFFINITY_SHUNNED && !exclusive) ||
            place == NO_ROW)
            continue;
        struct affinity_count c = count_others(a, place);
        /* the task itself is no task of another job */
        uint32_t self = !exclusive && affinity_plane_counts(a->plane, k, task);
        if (c.releasing || c.placed > self) return 0;
    }
    return 1;
}
