/* cache_check.c -- see cache_check.h. */
#include "engine/state/cache_check.h"

#include "engine/state/cycle_state.h"
#include "engine/indexes/topology_room.h"
#include "model/jobs/bundle.h"
#include "model/check/check.h"
#include "model/machine/machine.h"
#include "model/store/undo_check.h"

/* up to 256 nodes, every use of a cache is checked; with more nodes, every 64th use */
enum { EVERY_TIME = 256, EVERY_SO_OFTEN = 64 };

void cache_check_on(struct lsched_cluster *c) {
    c->check_caches = &cache_checks_cold;
    /* the undo check stays off if its memory cannot be allocated; the caches are still checked */
    (void)undo_check_on(&c->k);
}

int cache_check_due(struct lsched_cluster *c) {
    if (!c->check_caches) return 0;
    return table_live(&c->k, T_NODE) <= EVERY_TIME || c->cache_questions++ % EVERY_SO_OFTEN == 0;
}

/* ---- search indexes ---- */

/* The values of the cycle that a call of a hook can change. A check that calls hooks saves these
 * values before, and restores them after. */
struct kept {
    struct policy_meter meter;
    uint32_t hook_failed, flags, log_lines, log_dropped;
    int32_t error;
    char message[LSCHED_MESSAGE_BYTES];
};

static void cache_check_keep(const struct lsched_cycle *cy, struct kept *was) {
    const struct policy *p = &cy->c->policy.policy;
    *was = (struct kept){.hook_failed = cy->policy.hook_failed,
                         .flags = cy->flags,
                         .log_lines = cy->policy.log.n,
                         .log_dropped = cy->policy.log.dropped,
                         .error = cy->policy.error};
    memcpy(was->message, cy->policy.message, sizeof was->message);
    if (p->ops && p->ops->meter_get) p->ops->meter_get(p->self, &was->meter);
    if (p->ops) p->ops->cycle_begin(p->self);
}

static void bring_back(struct lsched_cycle *cy, const struct kept *was) {
    const struct policy *p = &cy->c->policy.policy;
    cy->policy.hook_failed = was->hook_failed;
    cy->flags = was->flags;
    cy->policy.log.n = was->log_lines;
    cy->policy.log.dropped = was->log_dropped;
    cy->policy.error = was->error;
    memcpy(cy->policy.message, was->message, sizeof was->message);
    if (p->ops && p->ops->meter_set) p->ops->meter_set(p->self, &was->meter);
}

static int64_t merit_of(const struct search_index *x, uint32_t node) {
    return x->merit && x->score[node] != SEARCH_LEAST ? x->merit[node] : 0;
}

static int32_t compare_indexes(const struct lsched_cycle *cy, const struct search_index *x,
                               const struct search_index *cold) {
    struct check c = {cy->k, cy->err, LSCHED_E_VERIFY};
    uint32_t rows = table_rows(cy->k, T_NODE);
    if (x->n < rows || cold->n < rows || x->able != cold->able || x->asked != cold->asked)
        return check_fail(
            &c,
            "a kept index has %u nodes, %u able and %u asked; a rebuilt index has %u, %u "
            "and %u",
            x->n, x->able, x->asked, cold->n, cold->able, cold->asked);
    for (uint32_t i = 0; i < rows; i++) {
        int tier = x->tier ? x->tier[i] : 0, cold_tier = cold->tier ? cold->tier[i] : 0;
        if (x->is_able[i] == cold->is_able[i] && x->is_asked[i] == cold->is_asked[i] &&
            x->score[i] == cold->score[i] && (!x->is_able[i] || tier == cold_tier) &&
            merit_of(x, i) == merit_of(cold, i))
            continue;
        lsched_text name = {"", 0};
        if (row_is_live(cy->k, T_NODE, i)) name = text_of(cy->k, cy->k->c[C_NODE_NAME].u32[i]);
        return check_fail(
            &c,
            "a kept index says of node '%.*s': able %d, asked %d, score %lld, tier %d, merit %lld; "
            "a rebuilt index says %d, %d, %lld, %d, %lld",
            (int)name.len, name.ptr, x->is_able[i], x->is_asked[i], (long long)x->score[i], tier,
            (long long)merit_of(x, i), cold->is_able[i], cold->is_asked[i],
            (long long)cold->score[i], cold_tier, (long long)merit_of(cold, i));
    }
    if (search_best(x) == search_best(cold)) return LSCHED_OK;
    return check_fail(&c, "the root of a kept index is not the best node");
}

/* Decides whether an error that only the cold index met means that the warm index is wrong. The
 * warm index is not wrong if a hook ran out of its budget or its memory, because this can happen
 * in one call and not in another. After any other error of a hook, the warm index is wrong. */
static int32_t cold_failed(struct lsched_cycle *cy, int32_t rc) {
    struct check c = {cy->k, cy->err, LSCHED_E_VERIFY};
    if (rc != LSCHED_E_POLICY || cy->policy.error != LSCHED_E_POLICY)
        return rc == LSCHED_E_NOMEM ? rc : LSCHED_OK;
    if (cy->flags & LSCHED_PLAN_POLICY_NOT_DETERMINISTIC) return LSCHED_OK;
    return check_fail(&c, "a kept index gives an answer, but rebuilding it fails: %s",
                      cy->policy.message);
}

static int32_t cache_check_index(struct lsched_cycle *cy, const struct search_key *key,
                                 const struct search_scorer *scorer, const struct search_index *x) {
    struct search cold = {.cycle = 1};
    struct search_index *fresh;
    struct kept was;
    cache_check_keep(cy, &was);
    cy->flags &= ~(uint32_t)LSCHED_PLAN_POLICY_NOT_DETERMINISTIC;
    struct search_scorer free_of_charge = *scorer;
    free_of_charge.spend = NULL;
    int32_t rc = search_get(&cold, cy->k, &cy->c->view, key, &free_of_charge, &fresh);
    rc = rc == LSCHED_OK ? compare_indexes(cy, x, fresh) : cold_failed(cy, rc);
    bring_back(cy, &was);
    search_drop_all(&cold, cy->k);
    return rc;
}

static int32_t cache_check_scan(struct lsched_cycle *cy, const struct search_key *key,
                                const struct search_scorer *scorer, uint32_t node) {
    struct search cold = {.cycle = 1};
    struct search_index *x;
    int32_t rc = search_get(&cold, cy->k, &cy->c->view, key, scorer, &x);
    struct check c = {cy->k, cy->err, LSCHED_E_VERIFY};
    if (rc == LSCHED_OK && search_best(x) != node)
        rc = check_fail(&c, "a scan found node row %u; an index has row %u", node, search_best(x));
    search_drop_all(&cold, cy->k);
    return rc;
}

static int32_t cache_check_again(struct lsched_cycle *cy, uint32_t again, uint32_t best) {
    struct check c = {cy->k, cy->err, LSCHED_E_VERIFY};
    return again == best
               ? LSCHED_OK
               : check_fail(&c, "node row %u was the best node again; an index has row %u", again,
                            best);
}

/* ---- topology maps ---- */

static int32_t compare_rooms(const struct lsched_cycle *cy, const struct topology_room *r,
                             const struct topology_room *cold) {
    struct check c = {cy->k, cy->err, LSCHED_E_VERIFY};
    for (uint32_t p = 0; p < r->n_places; p++)
        if (r->tasks[p] != cold->tasks[p])
            return check_fail(&c,
                              "the kept room at position %u is %u tasks; computed again, it is %u",
                              p, r->tasks[p], cold->tasks[p]);
    for (uint32_t d = 0; d < r->n_domains; d++)
        if (r->room[d] != cold->room[d])
            return check_fail(
                &c, "the kept room of domain %u is %lld tasks; computed again, it is %lld", d,
                (long long)r->room[d], (long long)cold->room[d]);
    if (!r->empty && r->n_domains &&
        memcmp(r->winner, cold->winner, 2ul * r->leaves * sizeof *r->winner) != 0)
        return check_fail(&c,
                          "the best domains of a kept tree differ from those of a rebuilt tree");
    return LSCHED_OK;
}

static int32_t cache_check_rooms(struct lsched_cycle *cy, struct search_index *x,
                                 const struct topology_map *map, const struct topology_room *r) {
    struct search scratch = {.cycle = 1};
    struct topology_room *kept = x->rooms[map->topology][r->empty];
    const struct topology_room *cold = NULL;
    uint64_t bytes = x->bytes;
    x->rooms[map->topology][r->empty] = NULL;
    int32_t rc = topology_room_get(&scratch, cy->k, &cy->c->view, x, map, r->empty, &cold);
    if (rc == LSCHED_OK) rc = compare_rooms(cy, r, cold);
    topology_room_free(cy->k, x->rooms[map->topology][r->empty]);
    x->rooms[map->topology][r->empty] = kept;
    x->bytes = bytes;
    return rc;
}

/* Returns the number of the node's deepest domain, NO_ROW if the node is in no domain. */
static uint32_t domain_in(const struct topology_map *m, uint32_t node) {
    uint32_t at = node < m->node_rows ? m->position[node] : NO_ROW;
    return at == NO_ROW ? NO_ROW : topology_map_deepest(m, at);
}

static int32_t check_map(struct check *c, struct columns *k, struct topology_map *m) {
    struct topology_map cold = {0};
    if (!m->valid) return LSCHED_OK;
    int32_t rc = topology_map_update(m, k, m->topology);
    if (rc == LSCHED_OK) rc = topology_map_update(&cold, k, m->topology);
    if (rc != LSCHED_OK) return rc;
    /* The arrays are compared one by one, because the block that holds them also contains
     * scratch. The positions differ: a kept map has other free positions. */
    size_t n = cold.n_domains, numbers = n * sizeof(uint32_t);
    int same = m->n_domains == cold.n_domains && m->n_nodes == cold.n_nodes &&
               memcmp(m->row, cold.row, numbers) == 0 &&
               memcmp(m->parent, cold.parent, numbers) == 0 &&
               memcmp(m->child, cold.child, numbers) == 0 &&
               memcmp(m->by_name, cold.by_name, numbers) == 0;
    for (uint32_t node = 0; same && node < table_rows(k, T_NODE); node++)
        same = domain_in(m, node) == domain_in(&cold, node) &&
               (domain_in(m, node) == NO_ROW || m->node_at[m->position[node]] == node);
    topology_map_close(&cold, k);
    return same ? LSCHED_OK
                : check_fail(c, "the kept map of topology %u differs from a rebuilt map",
                             m->topology);
}

/* ---- the view ---- */

static int32_t compare_nodes(struct check *c, const struct view_cache *v,
                             const struct view_cache *cold) {
    if (v->nodes.n != cold->nodes.n)
        return check_fail(c, "view: %u nodes, cold: %u", v->nodes.n, cold->nodes.n);
    int ranked = v->ranked == v->nodes.changes + 1;
    for (uint32_t n = 0; n < table_rows(c->k, T_NODE); n++)
        if (v->node_live[n] != cold->node_live[n] || v->node_ready[n] != cold->node_ready[n] ||
            v->node_class[n] != cold->node_class[n] || (ranked && v->rank[n] != cold->rank[n]))
            return check_fail(c, "the kept view of node row %u differs from a rebuilt view", n);
    for (uint32_t i = 1; i < cold->n_ranked; i++)
        if (v->nodes.mark[cold->by_rank[i - 1]] >= v->nodes.mark[cold->by_rank[i]])
            return check_fail(c, "the kept view has a wrong order of names at rank %u", i);
    return LSCHED_OK;
}

static int32_t compare_queues(struct check *c, const struct view_cache *v,
                              const struct view_cache *cold) {
    for (uint32_t q = 0; q < table_rows(c->k, T_QUEUE); q++)
        if (v->queue_live[q] != cold->queue_live[q] ||
            (v->queue_live[q] && v->queue_rank[q] != cold->queue_rank[q]))
            return check_fail(c, "the kept view of queue row %u differs from a rebuilt view", q);
    if (v->view.n_mix != cold->view.n_mix)
        return check_fail(c, "the kept view has other task shapes in its mix than a rebuilt view");
    for (uint32_t i = 0; i < v->view.n_mix; i++)
        if (v->mix[i].serial != cold->mix[i].serial || v->mix_count[i] != cold->mix_count[i])
            return check_fail(c, "the kept view has a wrong entry %u in its mix of task shapes", i);
    return LSCHED_OK;
}

static int32_t check_view(struct check *c, struct columns *k, struct view_cache *v) {
    struct view_cache cold = {0};
    if (!v->valid || v->layout != k->layout || v->structure != k->structure) return LSCHED_OK;
    int32_t rc = view_update(v, k, v->view.now_us);
    if (rc == LSCHED_OK) rc = view_update_ranked(&cold, k, v->view.now_us);
    if (rc == LSCHED_OK) rc = compare_nodes(c, v, &cold);
    if (rc == LSCHED_OK) rc = compare_queues(c, v, &cold);
    view_close(&cold, k);
    return rc;
}

/* ---- the share tree ---- */

static int32_t compare_shares(struct check *c, const struct share_tree *s,
                              const lsched_share_key *keys, const uint32_t *places) {
    EACH_LIVE(c->k, T_QUEUE, q) {
        lsched_text name = text_of(c->k, c->k->c[C_QUEUE_NAME].u32[q]);
        /* a queue without work can have an old key, if keys move with the demand of others */
        int counts = !s->ops->follow || s->place[q] != NO_ROW;
        if (!counts && places[q] == NO_ROW) continue;
        if (keys[q].word[0] != s->key[q].word[0] || keys[q].word[1] != s->key[q].word[1])
            return check_fail(
                c, "the kept key of queue '%.*s' is %lld %lld; computed again, it is %lld %lld",
                (int)name.len, name.ptr, (long long)keys[q].word[0], (long long)keys[q].word[1],
                (long long)s->key[q].word[0], (long long)s->key[q].word[1]);
        if ((places[q] == NO_ROW) != (s->place[q] == NO_ROW))
            return check_fail(c,
                              "queue '%.*s' has work to try in the kept tree or in a rebuilt tree, "
                              "but not in both",
                              (int)name.len, name.ptr);
    }
    return LSCHED_OK;
}

/* Brings the kept share tree up to date, builds it again and compares the two. */
static int32_t check_shares(struct check *c, struct lsched_cluster *cluster) {
    struct share_tree *s = &cluster->share;
    struct columns *k = &cluster->k;
    int news = s->news;
    size_t n = s->cap, bytes = n * (sizeof *s->key + sizeof *s->place);
    int32_t rc = s->valid && n ? view_update(&cluster->view, k, cluster->view.view.now_us) : 0;
    if (rc == LSCHED_OK && s->valid && n) rc = share_begin(s, k, s->ops, s->self, &cluster->view);
    if (rc != LSCHED_OK || !s->valid || n == 0 || n != s->cap) return rc;
    lsched_share_key *keys = alloc_new(k->alloc, bytes);
    if (!keys) return LSCHED_E_NOMEM;
    uint32_t *places = (uint32_t *)(void *)(keys + n);
    memcpy(keys, s->key, n * sizeof *keys);
    memcpy(places, s->place, n * sizeof *places);
    share_forget(s);
    rc = share_begin(s, k, s->ops, s->self, &cluster->view);
    if (rc == LSCHED_OK) rc = compare_shares(c, s, keys, places);
    alloc_free(k->alloc, keys, bytes);
    s->news = news;
    return rc;
}

/* ---- count planes and machines ---- */

static int planes_equal(const struct affinity_plane *a, const struct affinity_plane *b) {
    return a->placed == b->placed && affinity_counts_equal(&a->node, &b->node) &&
           affinity_counts_equal(&a->domain, &b->domain);
}

/* Compares a warm plane with two new planes: `cold` counts node by node, and `fresh` counts by
 * groups. The caller's key has its own copy of the labels, because planes can be dropped while the
 * warm planes are brought up to date. */
static int32_t compare_plane(struct check *c, struct columns *k, struct affinity_planes *s,
                             const struct affinity_key *key) {
    struct affinity_planes cold = {.groups = {.off = 1}}, fresh = {0};
    const struct affinity_plane *warm = NULL, *other = NULL, *again = NULL;
    int32_t rc = affinity_planes_get(s, k, key, &warm);
    if (rc == LSCHED_OK) rc = affinity_planes_get(&cold, k, key, &other);
    if (rc == LSCHED_OK) rc = affinity_planes_get(&fresh, k, key, &again);
    if (rc == LSCHED_OK && (!planes_equal(warm, other) || !planes_equal(again, other)))
        rc = check_fail(c,
                        "a kept affinity plane counts %llu tasks; a rebuilt plane counts %llu, or "
                        "counts them on other nodes",
                        (unsigned long long)warm->placed, (unsigned long long)other->placed);
    affinity_planes_drop(&cold, k);
    affinity_planes_drop(&fresh, k);
    return rc;
}

/* Checks the plane that was used least recently. The check counts as a use of the plane, therefore
 * repeated calls check all planes. */
static int32_t check_plane(struct check *c, struct columns *k, struct affinity_planes *s) {
    const struct affinity_plane *p = s->oldest;
    if (!p) return LSCHED_OK;
    size_t n = p->n;
    uint8_t *labels = alloc_new(k->alloc, n);
    if (!labels) return LSCHED_E_NOMEM;
    memcpy(labels, p->labels, n);
    struct affinity_key key = {p->what, p->job, p->topology, p->level, labels, n};
    int32_t rc = compare_plane(c, k, s, &key);
    alloc_free(k->alloc, labels, n);
    return rc;
}

static int32_t check_machines(struct check *c, const struct columns *k) {
    uint32_t wrong = machine_cache_wrong(k);
    if (wrong != NO_ROW)
        return check_fail(c, "the decoded machine %u differs from its canonical bytes", wrong);
    if (machine_cache_is_counted(k)) return LSCHED_OK;
    return check_fail(c, "the number of bytes in the tables of machines is not the number that is "
                         "counted");
}

static int32_t check_lines(struct check *c, struct lsched_cluster *cluster) {
    if (!length_lines_are_sound(&cluster->lengths, &cluster->k))
        return check_fail(c, "the lines of waiting jobs by run time differ from the bundles");
    if (!absence_line_is_sound(&cluster->absences, &cluster->k))
        return check_fail(c, "the line of nodes that leave differs from the absences of the nodes");
    return LSCHED_OK;
}

static int32_t cache_check_all(struct lsched_cluster *cluster, lsched_error *err) {
    struct columns *k = &cluster->k;
    struct check c = {k, err, LSCHED_E_VERIFY};
    int32_t rc = check_view(&c, k, &cluster->view);
    if (rc == LSCHED_OK) rc = check_shares(&c, cluster);
    if (rc == LSCHED_OK && !room_line_is_sound(&cluster->lines, &cluster->share, k))
        rc = check_fail(&c, "the lines of bundles that wait for room differ from rebuilt lines");
    if (rc == LSCHED_OK && !idle_amounts_are_sound(&cluster->idle, k))
        rc = check_fail(&c, "the kept sums of idle amounts differ from sums over all nodes");
    if (rc == LSCHED_OK && !lowest_work_is_sound(&cluster->lowest, k))
        rc = check_fail(&c, "the kept lowest priorities of running work differ from rebuilt ones");
    /* the index compares marks of names, which are current only when the view is */
    int current = cluster->view.valid && cluster->view.synced == k->touch.next;
    if (rc == LSCHED_OK && current &&
        !running_work_is_sound(&cluster->running, k, &cluster->view.nodes))
        rc = check_fail(&c, "the index of running tasks differs from the tasks");
    if (rc == LSCHED_OK) rc = check_lines(&c, cluster);
    for (uint32_t t = 0; t < LSCHED_TOPOLOGIES_MAX && rc == LSCHED_OK; t++)
        rc = check_map(&c, k, &cluster->maps[t]);
    for (uint32_t i = 0; i < cluster->affinity.table.n && rc == LSCHED_OK; i++)
        rc = check_plane(&c, k, &cluster->affinity);
    return rc == LSCHED_OK ? check_machines(&c, k) : rc;
}

const struct cache_checks cache_checks_cold = {
    cache_check_index, cache_check_scan, cache_check_again, cache_check_rooms, cache_check_all};

/* True if the bundle was parked by a rule that no try of its job asks again: a hold by the host, a
 * begin, or a dependency. */
static int waits_behind_gate(const struct columns *k, uint32_t b) {
    uint32_t code = k->c[C_BUNDLE_CODE].u8[b];
    return code == LSCHED_WAIT_HOST_HOLD || code == LSCHED_WAIT_BEGIN ||
           code == LSCHED_WAIT_DEPENDENCY || code == LSCHED_WAIT_DEPENDENCY_NEVER;
}

void cache_check_wake_all(struct lsched_cluster *c) {
    struct columns *k = &c->k;
    for (uint32_t b = 0; b < table_rows(k, T_BUNDLE); b++)
        if (row_is_live(k, T_BUNDLE, b) && k->c[C_BUNDLE_STATE].u8[b] == BUNDLE_PARKED &&
            !waits_behind_gate(k, b))
            bundle_wake(k, b);
    set_meta(k, M_EVICT_SEEN, UINT64_MAX);
}

void cache_check_search_cold(struct lsched_cluster *c) {
    c->searches_cold = 1;
}
