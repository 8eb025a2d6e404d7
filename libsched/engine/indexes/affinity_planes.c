/* affinity_planes.c -- see affinity_planes.h. If the planes need more than LIMIT_AFFINITY_BYTES
 * of memory, the least recently used planes are dropped. */
#include "engine/indexes/affinity_planes.h"

#include "base/hash.h"
#include "engine/indexes/affinity_match.h"
#include "model/store/steps.h"
#include "model/shapes/leaf.h"

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
    affinity_table_close(&s->table, k);
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

static void plane_drop(struct affinity_planes *s, struct columns *k, struct affinity_plane *p) {
    affinity_table_drop(&s->table, &p->link);
    use_unlink(s, p);
    plane_free(s, k, p);
}

/* Drops the least recently used planes until `more` bytes fit into the memory bound. Planes of
 * the current job are never dropped. Their number is bounded by the number of the job's affinity
 * rules. */
static void affinity_planes_make_room(struct affinity_planes *s, struct columns *k, uint64_t more) {
    uint64_t most = alloc_cache_share(k->alloc, LIMIT_AFFINITY_BYTES);
    while (s->oldest && s->oldest->used != s->tick && s->bytes + more > most) {
        steps_add(k, 1);
        plane_drop(s, k, s->oldest);
    }
}

static int32_t plane_new(struct affinity_planes *s, struct columns *k,
                         const struct affinity_key *key, uint64_t hash,
                         struct affinity_plane **out) {
    if (affinity_table_reserve(&s->table, k) != LSCHED_OK) return LSCHED_E_NOMEM;
    struct affinity_plane *p = alloc_zero(k->alloc, sizeof *p);
    if (!p) return LSCHED_E_NOMEM;
    p->labels = alloc_new(k->alloc, key->n);
    if (!p->labels) {
        alloc_free(k->alloc, p, sizeof *p);
        return LSCHED_E_NOMEM;
    }
    memcpy(p->labels, key->labels, key->n);
    p->n = key->n;
    p->what = key->what;
    p->job = key->job;
    p->topology = key->topology;
    p->level = key->level;
    p->synced = UINT64_MAX; /* not yet counted */
    affinity_table_add(&s->table, &p->link, hash);
    use_now(s, p);
    s->bytes += sizeof *p + p->n;
    *out = p;
    return LSCHED_OK;
}

static struct affinity_plane *plane_find(const struct affinity_planes *s, const struct columns *k,
                                         const struct affinity_key *key, uint64_t hash) {
    struct affinity_link *at = affinity_table_first(&s->table, hash);
    for (; at; at = at->chain) {
        struct affinity_plane *p = (struct affinity_plane *)(void *)at;
        steps_add(k, 1);
        if (at->hash == hash && p->what == key->what && p->job == key->job &&
            p->topology == key->topology && p->level == key->level && p->n == key->n &&
            memcmp(p->labels, key->labels, key->n) == 0)
            return p;
    }
    return NULL;
}

/* ---- getting a plane ---- */

/* Brings all planes up to date, or drops all planes. Returns 1 if groups of tasks are in use, 0
 * if the memory bound does not allow groups and each plane must read nodes, or LSCHED_E_NOMEM. */
static int32_t groups_sync(struct affinity_planes *s, struct columns *k) {
    if (s->groups.off) return 0;
    int32_t rc = touch_log_reserve(k->alloc, &k->task_touch, table_rows(k, T_TASK));
    if (rc != LSCHED_OK) return rc;
    if (!affinity_match_goes_on(s, k)) affinity_planes_drop(s, k);
    rc = affinity_match_sync(s, k);
    if (rc != 0) return rc;
    affinity_planes_drop(s, k);
    s->groups.off = 1;
    return 0;
}

static int32_t plane_get(struct affinity_planes *s, struct columns *k,
                         const struct affinity_key *key, int groups, struct affinity_plane **out) {
    uint64_t hash = hash_bytes(key->labels, key->n, key->what);
    if (key->job != NO_ROW) hash = hash_mix(hash, key->job);
    hash = hash_mix(hash_mix(hash, key->topology), key->level);
    struct affinity_plane *p = plane_find(s, k, key, hash);
    int32_t rc = LSCHED_OK;
    if (!p) {
        affinity_planes_make_room(s, k, sizeof *p + key->n);
        rc = plane_new(s, k, key, hash, &p);
        if (rc == LSCHED_OK) affinity_plane_mark_counted(p, k);
        if (rc == LSCHED_OK && groups) rc = affinity_match_join(s, k, p);
    }
    if (rc != LSCHED_OK) return rc;
    *out = p;
    use_unlink(s, p);
    use_now(s, p);
    return groups ? affinity_plane_renew_domains(s, k, p) : affinity_plane_count_touched(s, k, p);
}

int32_t affinity_planes_get(struct affinity_planes *s, struct columns *k,
                            const struct affinity_key *key, const struct affinity_plane **out) {
    struct affinity_plane *p = NULL;
    int32_t groups = groups_sync(s, k);
    int32_t rc = groups < 0 ? groups : plane_get(s, k, key, groups, &p);
    /* because the counts of a plane can be incomplete */
    if (rc != LSCHED_OK) affinity_planes_drop(s, k);
    /* Marks the whole touch log of nodes as read, even if planes use groups and do not read this
     * log. Entries for the same node merge as long as no reader has read them, and victim
     * searches are charged by the number of entries (victim_nodes.c). Without this call, the
     * charge would depend on whether planes use groups. */
    (void)touch_seen(k);
    *out = p;
    return rc;
}
