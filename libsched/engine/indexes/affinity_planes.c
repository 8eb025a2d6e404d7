/* affinity_planes.c -- see affinity_planes.h. Memory is bounded by LIMIT_AFFINITY_BYTES; beyond
 * that bound, the planes that were used least recently are dropped. */
#include "engine/indexes/affinity_planes.h"

#include "base/hash.h"
#include "engine/indexes/affinity_match.h"
#include "model/shapes/domain.h"
#include "model/shapes/node_rules.h"
#include "model/store/steps.h"
#include "model/jobs/task.h"

static void plane_free(struct affinity_planes *s, struct columns *k, struct affinity_plane *p) {
    affinity_match_leave(s, k, p);
    s->bytes -=
        sizeof *p + p->n + affinity_counts_bytes(&p->node) + affinity_counts_bytes(&p->domain);
    affinity_counts_drop(&p->node, k);
    affinity_counts_drop(&p->domain, k);
    alloc_free(k->alloc, p->labels, p->n);
    alloc_free(k->alloc, p, sizeof *p);
}

void affinity_planes_drop(struct affinity_planes *s, struct columns *k) {
    for (struct affinity_plane *p = s->newest, *next; p; p = next) {
        next = p->older;
        plane_free(s, k, p);
    }
    affinity_groups_close(&s->groups, k);
    alloc_free(k->alloc, s->bucket, s->n_buckets * sizeof(struct affinity_plane *));
    memset(s, 0, sizeof *s);
}

void affinity_planes_begin(struct affinity_planes *s) {
    s->tick++;
}

/* ---- planes in the order of their last use ---- */

static void use_unlink(struct affinity_planes *s, struct affinity_plane *p) {
    *(p->newer ? &p->newer->older : &s->newest) = p->older;
    *(p->older ? &p->older->newer : &s->oldest) = p->newer;
}

static void use_now(struct affinity_planes *s, struct affinity_plane *p) {
    p->used = s->tick;
    p->newer = NULL;
    p->older = s->newest;
    *(s->newest ? &s->newest->newer : &s->oldest) = p;
    s->newest = p;
}

/* ---- finding a plane by its key ---- */

static struct affinity_plane **affinity_planes_bucket_of(const struct affinity_planes *s,
                                                         uint64_t hash) {
    return &s->bucket[hash & (s->n_buckets - 1)];
}

static void plane_drop(struct affinity_planes *s, struct columns *k, struct affinity_plane *p) {
    struct affinity_plane **at = affinity_planes_bucket_of(s, p->hash);
    while (*at != p) at = &(*at)->chain;
    *at = p->chain;
    use_unlink(s, p);
    s->n--;
    plane_free(s, k, p);
}

/* Drops old planes until `more` bytes fit. Planes of the current job are kept: their number is
 * bounded by the job's affinity rules. */
static void affinity_planes_make_room(struct affinity_planes *s, struct columns *k, uint64_t more) {
    uint64_t most = alloc_cache_share(k->alloc, LIMIT_AFFINITY_BYTES);
    while (s->oldest && s->oldest->used != s->tick && s->bytes + more > most) {
        steps_add(k, 1);
        plane_drop(s, k, s->oldest);
    }
}

static int32_t affinity_planes_buckets_grow(struct affinity_planes *s, struct columns *k) {
    if (s->n < s->n_buckets) return LSCHED_OK;
    uint32_t n = s->n_buckets ? 2 * s->n_buckets : 64, was = s->n_buckets;
    struct affinity_plane **fresh = alloc_zero(k->alloc, n * sizeof(struct affinity_plane *));
    if (!fresh) return LSCHED_E_NOMEM;
    alloc_free(k->alloc, s->bucket, was * sizeof(struct affinity_plane *));
    s->bucket = fresh;
    s->n_buckets = n;
    for (struct affinity_plane *p = s->newest; p; p = p->older) {
        struct affinity_plane **at = affinity_planes_bucket_of(s, p->hash);
        p->chain = *at;
        *at = p;
    }
    steps_add(k, s->n);
    return LSCHED_OK;
}

static int32_t plane_new(struct affinity_planes *s, struct columns *k,
                         const struct affinity_key *key, uint64_t hash,
                         struct affinity_plane **out) {
    if (affinity_planes_buckets_grow(s, k) != LSCHED_OK) return LSCHED_E_NOMEM;
    struct affinity_plane *p = alloc_zero(k->alloc, sizeof *p);
    if (!p) return LSCHED_E_NOMEM;
    p->labels = alloc_new(k->alloc, key->n);
    if (!p->labels) {
        alloc_free(k->alloc, p, sizeof *p);
        return LSCHED_E_NOMEM;
    }
    memcpy(p->labels, key->labels, key->n);
    p->n = key->n;
    p->hash = hash;
    p->shuns = key->shuns;
    p->topology = key->topology;
    p->level = key->level;
    p->synced = UINT64_MAX; /* not yet counted */
    p->chain = *affinity_planes_bucket_of(s, hash);
    *affinity_planes_bucket_of(s, hash) = p;
    use_now(s, p);
    s->bytes += sizeof *p + p->n;
    s->n++;
    *out = p;
    return LSCHED_OK;
}

static struct affinity_plane *plane_find(const struct affinity_planes *s, const struct columns *k,
                                         const struct affinity_key *key, uint64_t hash) {
    for (struct affinity_plane *p = s->n ? *affinity_planes_bucket_of(s, hash) : NULL; p;
         p = p->chain) {
        steps_add(k, 1);
        if (p->hash == hash && p->shuns == key->shuns && p->topology == key->topology &&
            p->level == key->level && p->n == key->n && memcmp(p->labels, key->labels, key->n) == 0)
            return p;
    }
    return NULL;
}

/* ---- counting ---- */

struct reader affinity_plane_labels(const struct affinity_plane *p) {
    return (struct reader){p->labels, p->labels + p->n, 0};
}

int affinity_plane_shuns(const struct affinity_plane *p, const struct columns *k, uint32_t shape) {
    uint32_t left;
    struct reader at = {NULL, NULL, 0};
    struct job_term t;
    while (rules_next_term(k, shape, &at, &left, &t))
        if (t.apart && !t.weight && t.topology == p->topology && t.level == p->level &&
            rules_labels_within(t.labels, affinity_plane_labels(p)))
            return 1;
    return 0;
}

int affinity_plane_counts(const struct affinity_plane *p, const struct columns *k, uint32_t task) {
    if (p->shuns) return affinity_plane_shuns(p, k, task_shape(k, task));
    return rules_labels_within(affinity_plane_labels(p),
                               rules_labels_of(k, k->c[C_TASK_JOB].u32[task]));
}

/* Adds tasks of a node to the count of its domain, if the node is in a domain of the plane's
 * level. A node that was removed is not counted. */
static int32_t domain_add(struct affinity_planes *s, struct columns *k, struct affinity_plane *p,
                          uint32_t node, struct affinity_count more) {
    if (p->level == NO_ROW || node >= table_rows(k, T_NODE) || !row_is_live(k, T_NODE, node))
        return LSCHED_OK;
    uint32_t d = domain_of_node(k, p->topology, node, p->level);
    if (d == NO_ROW) return LSCHED_OK;
    s->bytes -= affinity_counts_bytes(&p->domain);
    int32_t rc = affinity_counts_add(&p->domain, k, d, more);
    s->bytes += affinity_counts_bytes(&p->domain);
    return rc;
}

int32_t affinity_plane_add(struct affinity_planes *s, struct columns *k, struct affinity_plane *p,
                           uint32_t node, struct affinity_count more) {
    s->bytes -= affinity_counts_bytes(&p->node);
    int32_t rc = affinity_counts_add(&p->node, k, node, more);
    s->bytes += affinity_counts_bytes(&p->node);
    p->placed += (uint64_t)(int64_t)(int32_t)more.placed;
    return rc == LSCHED_OK ? domain_add(s, k, p, node, more) : rc;
}

/* True if the plane was counted with the present set of nodes and domains. A node that moves in a
 * topology has no tasks, and therefore does not change counts. */
static int is_of_these_nodes(const struct affinity_plane *p, const struct columns *k) {
    return p->node_set == k->node_set && p->nodes == table_rows(k, T_NODE) &&
           p->domains == table_rows(k, T_DOMAIN);
}

static void is_of_these(struct affinity_plane *p, const struct columns *k) {
    p->node_set = k->node_set;
    p->nodes = table_rows(k, T_NODE);
    p->domains = table_rows(k, T_DOMAIN);
}

/* Sums the counts of the plane's nodes again, by the present domains. */
static int32_t count_domains(struct affinity_planes *s, struct columns *k,
                             struct affinity_plane *p) {
    int32_t rc = LSCHED_OK;
    s->bytes -= affinity_counts_bytes(&p->domain);
    affinity_counts_drop(&p->domain, k);
    for (uint32_t i = 0; i < p->node.cap && rc == LSCHED_OK; i++) {
        const struct affinity_cell *c = &p->node.cell[i];
        steps_add(k, 1);
        if (c->row != NO_ROW && (c->count.placed || c->count.releasing))
            rc = domain_add(s, k, p, c->row, c->count);
    }
    is_of_these(p, k);
    return rc;
}

/* ---- counting by changed nodes, where memory is too short for groups ---- */

static int32_t affinity_planes_look_at(struct affinity_planes *s, struct columns *k,
                                       struct affinity_plane *p, uint32_t node) {
    if (node >= table_rows(k, T_NODE)) return LSCHED_OK; /* the node's row was undone */
    struct affinity_count now = {0, 0}, was = affinity_counts_at(&p->node, node);
    int live = row_is_live(k, T_NODE, node);
    for (uint32_t t = live ? k->c[C_NODE_TASK_FIRST].u32[node] : NO_ROW; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        steps_add(k, 1);
        int leaves = k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_RELEASING;
        if (!affinity_plane_counts(p, k, t)) continue;
        now.releasing += (uint32_t)leaves;
        now.placed += (uint32_t)!leaves;
    }
    if (now.placed == was.placed && now.releasing == was.releasing) return LSCHED_OK;
    return affinity_plane_add(
        s, k, p, node,
        (struct affinity_count){now.placed - was.placed, now.releasing - was.releasing});
}

static int32_t count_all(struct affinity_planes *s, struct columns *k, struct affinity_plane *p) {
    uint32_t nodes = table_rows(k, T_NODE);
    int32_t rc = LSCHED_OK;
    s->bytes -= affinity_counts_bytes(&p->node) + affinity_counts_bytes(&p->domain);
    affinity_counts_drop(&p->node, k);
    affinity_counts_drop(&p->domain, k);
    p->placed = 0;
    steps_add(k, nodes);
    for (uint32_t n = 0; n < nodes && rc == LSCHED_OK; n++)
        if (k->c[C_NODE_TASKS].u32[n]) rc = affinity_planes_look_at(s, k, p, n);
    is_of_these(p, k);
    return rc;
}

static int32_t count_touched(struct affinity_planes *s, struct columns *k,
                             struct affinity_plane *p) {
    const struct touch_log *t = &k->touch;
    int32_t rc = LSCHED_OK;
    if (!is_of_these_nodes(p, k) || p->synced > t->next || t->next - p->synced > t->cap) {
        rc = count_all(s, k, p);
    } else {
        steps_add(k, t->next - p->synced);
        for (uint64_t i = p->synced; i < t->next && rc == LSCHED_OK; i++)
            rc = affinity_planes_look_at(s, k, p, t->rows[i & (t->cap - 1)]);
    }
    p->synced = k->touch.next;
    return rc;
}

/* ---- getting a plane ---- */

static int32_t plane_get(struct affinity_planes *s, struct columns *k,
                         const struct affinity_key *key, int groups, struct affinity_plane **out) {
    uint64_t hash = hash_bytes(key->labels, key->n, key->shuns);
    hash = hash_mix(hash_mix(hash, key->topology), key->level);
    struct affinity_plane *p = plane_find(s, k, key, hash);
    int32_t rc = LSCHED_OK;
    if (!p) {
        affinity_planes_make_room(s, k, sizeof *p + key->n);
        rc = plane_new(s, k, key, hash, &p);
        if (rc == LSCHED_OK) is_of_these(p, k);
        if (rc == LSCHED_OK && groups) rc = affinity_match_join(s, k, p);
    }
    if (rc != LSCHED_OK) return rc;
    *out = p;
    use_unlink(s, p);
    use_now(s, p);
    if (!groups) return count_touched(s, k, p);
    return is_of_these_nodes(p, k) ? LSCHED_OK : count_domains(s, k, p);
}

int32_t affinity_planes_get(struct affinity_planes *s, struct columns *k,
                            const struct affinity_key *key, const struct affinity_plane **out) {
    struct affinity_plane *p = NULL;
    int32_t groups = affinity_match_sync(s, k);
    int32_t rc = groups < 0 ? groups : plane_get(s, k, key, groups, &p);
    if (rc != LSCHED_OK) affinity_planes_drop(s, k); /* a plane may be counted only in part */
    /* Marks the whole log as read, also where planes count by groups. Victim searches are charged
     * by the number of log entries (victim_nodes.c), and entries for the same row merge unless a
     * reader has read them. Therefore the charge must not depend on how planes count. */
    (void)touch_seen(k);
    *out = p;
    return rc;
}

int affinity_plane_at(const struct affinity_plane *p, const struct columns *k, uint32_t node,
                      struct affinity_count *count) {
    if (p->level == NO_ROW) {
        *count = affinity_counts_at(&p->node, node);
        return 1;
    }
    uint32_t d = domain_of_node(k, p->topology, node, p->level);
    if (d == NO_ROW) return 0;
    *count = affinity_counts_at(&p->domain, d);
    return 1;
}
