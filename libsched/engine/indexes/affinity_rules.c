/* affinity_rules.c -- see affinity_rules.h. */
#include "engine/indexes/affinity_rules.h"

static int32_t affinity_rules_add(struct affinity_rules *r, struct affinity_planes *s,
                                  struct columns *k, const struct affinity_key *key,
                                  struct affinity_ask ask) {
    int32_t rc = affinity_planes_get(s, k, key, &ask.plane);
    if (rc == LSCHED_OK) r->ask[r->n++] = ask;
    return rc;
}

static int32_t add_own(struct affinity_rules *r, struct affinity_planes *s, struct columns *k,
                       uint32_t job, uint32_t shape) {
    struct reader at = {NULL, NULL, 0};
    uint32_t left = 0;
    struct job_term t;
    int32_t rc = LSCHED_OK;
    while (rc == LSCHED_OK && r->n < LIMIT_JOB_TERMS && rules_next_term(k, shape, &at, &left, &t)) {
        struct affinity_key key = {0, t.topology, t.level, t.labels.p,
                                   (size_t)(t.labels.end - t.labels.p)};
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
    struct affinity_key key = {1, NO_ROW, NO_ROW, labels.p, (size_t)(labels.end - labels.p)};
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

int32_t affinity_rules_open(struct affinity_rules *r, struct affinity_planes *s, struct columns *k,
                            const struct ask *a, int later) {
    r->n = r->likes = 0;
    r->later = (uint32_t)later;
    if (!affinity_rules_asked(k, a->shape)) return LSCHED_OK;
    affinity_planes_begin(s);
    int32_t rc = add_own(r, s, k, a->job, a->shape);
    if (rc == LSCHED_OK && meta(k, M_APART)) rc = add_others(r, s, k, a->job);
    return rc;
}

static int one_allows(const struct affinity_ask *a, const struct columns *k, uint32_t node,
                      int later) {
    struct affinity_count c = {0, 0};
    if (a->kind == AFFINITY_LIKED) return 1;
    if (!affinity_plane_at(a->plane, k, node, &c)) return a->kind != AFFINITY_REQUIRED;
    if (a->kind == AFFINITY_REQUIRED) return c.placed || (a->own && a->plane->placed == 0);
    return c.placed == 0 && (later || c.releasing == 0);
}

int affinity_rules_allow(const struct affinity_rules *r, const struct columns *k, uint32_t node) {
    for (uint32_t i = 0; i < r->n; i++)
        if (!one_allows(&r->ask[i], k, node, (int)r->later)) return 0;
    return 1;
}

int32_t affinity_rules_tier(const struct affinity_rules *r, const struct columns *k,
                            uint32_t node) {
    int32_t tier = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        struct affinity_count c = {0, 0};
        if (r->ask[i].kind == AFFINITY_LIKED && affinity_plane_at(r->ask[i].plane, k, node, &c) &&
            c.placed)
            tier += r->ask[i].weight;
    }
    return tier;
}

int affinity_rules_is_clear(const struct affinity_rules *r, const struct columns *k,
                            uint32_t task) {
    uint32_t node = k->c[C_TASK_NODE].u32[task];
    for (uint32_t i = 0; i < r->n; i++) {
        struct affinity_count c = {0, 0};
        int apart = r->ask[i].kind == AFFINITY_APART || r->ask[i].kind == AFFINITY_SHUNNED;
        if (!apart || !affinity_plane_at(r->ask[i].plane, k, node, &c)) continue;
        if (c.releasing || c.placed > (uint32_t)affinity_plane_counts(r->ask[i].plane, k, task))
            return 0;
    }
    return 1;
}
