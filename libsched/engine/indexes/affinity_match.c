/* affinity_match.c -- see affinity_match.h. */
#include "engine/indexes/affinity_match.h"

#include "model/shapes/node_rules.h"
#include "model/store/steps.h"
#include "model/shapes/leaf.h"

/* A link between a plane and a group that the plane counts. The link is in the plane's list and
 * in the group's list. */
struct affinity_edge {
    struct affinity_plane *plane;
    struct affinity_group *group;
    struct affinity_edge *plane_next, *plane_prev, *group_next, *group_prev;
};

/* Roles of label lists in the index of label pairs (affinity_pairs.h).
 * LABELS_SOUGHT: labels of a plane that counts the tasks of jobs with these labels.
 * LABELS_OF_JOBS: labels of a job; the index finds the LABELS_SOUGHT lists that they contain.
 * TERMS_OF_SHAPES: labels that an anti-affinity rule of a task shape names.
 * LABELS_SHUNNED: labels of a plane that counts the tasks whose anti-affinity rule excludes a job
 * with these labels; the index finds the TERMS_OF_SHAPES lists that they contain.
 * HOLDERS, HOLDERS_COUNTED: shapes with an exclusive level, and the planes that count their tasks.
 * OWNERS, OWNERS_COUNTED: groups by owner, and the planes of one job, under the hash of the job. */
enum { LABELS_SOUGHT, LABELS_OF_JOBS, TERMS_OF_SHAPES, LABELS_SHUNNED };
enum { HOLDERS = LABELS_SHUNNED + 1, HOLDERS_COUNTED, OWNERS, OWNERS_COUNTED };

/* ---- edges ---- */

static int32_t edge_new(struct affinity_planes *s, struct columns *k, struct affinity_plane *p,
                        struct affinity_group *g) {
    struct affinity_edge *e = alloc_new(k->alloc, sizeof *e);
    if (!e) return LSCHED_E_NOMEM;
    *e = (struct affinity_edge){p, g, p->edges, NULL, g->edges, NULL};
    if (p->edges) p->edges->plane_prev = e;
    if (g->edges) g->edges->group_prev = e;
    p->edges = g->edges = e;
    s->bytes += sizeof *e;
    return LSCHED_OK;
}

static void edge_drop(struct affinity_planes *s, struct columns *k, struct affinity_edge *e) {
    *(e->plane_prev ? &e->plane_prev->plane_next : &e->plane->edges) = e->plane_next;
    if (e->plane_next) e->plane_next->plane_prev = e->plane_prev;
    *(e->group_prev ? &e->group_prev->group_next : &e->group->edges) = e->group_next;
    if (e->group_next) e->group_next->group_prev = e->group_prev;
    s->bytes -= sizeof *e;
    alloc_free(k->alloc, e, sizeof *e);
}

/* ---- which plane counts which group ---- */

static int affinity_match_counts(const struct columns *k, const struct affinity_plane *p,
                                 const struct affinity_group *g) {
    struct affinity_of of = g->of;
    steps_add(k, 1);
    if (p->job != NO_ROW)
        return of.sort == AFFINITY_BY_OWNER && of.row == p->job &&
               (p->what == PLANE_HOLDS
                    ? rules_exclude_others(k, of.shape, p->topology, p->level)
                    : rules_labels_within(affinity_plane_labels(p), rules_labels_of(k, of.row)));
    if (p->what == PLANE_HOLDS)
        return of.sort == AFFINITY_BY_SHAPE &&
               rules_exclude_others(k, of.row, p->topology, p->level);
    if (p->what == PLANE_SHUNS)
        return of.sort == AFFINITY_BY_SHAPE && affinity_plane_shuns(p, k, of.row);
    return of.sort == AFFINITY_BY_LABELS &&
           rules_labels_within(affinity_plane_labels(p), affinity_group_labels(k, g));
}

/* The index lists planes under the label pair. Links the group to each of these planes that
 * counts the group's tasks. */
static int32_t meet_planes(struct affinity_planes *s, struct columns *k, uint64_t pair,
                           struct affinity_group *g) {
    int32_t rc = LSCHED_OK;
    for (struct affinity_post *at = affinity_pairs_find(&s->groups.pairs, k, pair); at;
         at = at->next) {
        struct affinity_plane *p = at->owner;
        if (p->stamp == s->groups.stamp || !affinity_match_counts(k, p, g)) continue;
        p->stamp = s->groups.stamp;
        rc = edge_new(s, k, p, g);
        if (rc != LSCHED_OK) break;
    }
    return rc;
}

static int32_t count_group(struct affinity_planes *s, struct columns *k, struct affinity_plane *p,
                           const struct affinity_group *g) {
    int32_t rc = LSCHED_OK;
    for (uint32_t t = g->first; t != NO_ROW && rc == LSCHED_OK;
         t = s->groups.seen[t].next[g->of.sort]) {
        const struct affinity_seen *was = &s->groups.seen[t];
        steps_add(k, 1);
        rc = affinity_plane_add(s, k, p, was->node,
                                (struct affinity_count){!was->leaves, was->leaves});
    }
    return rc;
}

/* The index lists groups under the label pair. Links the plane to each of these groups whose
 * tasks the plane counts, and adds the tasks to the plane. */
static int32_t meet_groups(struct affinity_planes *s, struct columns *k, uint64_t pair,
                           struct affinity_plane *p) {
    int32_t rc = LSCHED_OK;
    struct affinity_post *at = affinity_pairs_find(&s->groups.pairs, k, pair);
    for (; at && rc == LSCHED_OK; at = at->next) {
        struct affinity_group *g = at->owner;
        if (g->stamp == s->groups.stamp || !affinity_match_counts(k, p, g)) continue;
        g->stamp = s->groups.stamp;
        rc = edge_new(s, k, p, g);
        if (rc == LSCHED_OK) rc = count_group(s, k, p, g);
    }
    return rc;
}

/* Links a plane whose groups all stand under one hash; later groups find it under another hash. */
static int32_t join_one_place(struct affinity_planes *s, struct columns *k, uint64_t groups,
                              uint64_t planes, struct affinity_plane *p) {
    int32_t rc = meet_groups(s, k, groups, p);
    return rc == LSCHED_OK ? affinity_pairs_add(&s->groups.pairs, k, planes, p, &p->posts) : rc;
}

int32_t affinity_match_join(struct affinity_planes *s, struct columns *k,
                            struct affinity_plane *p) {
    struct affinity_pairs *pairs = &s->groups.pairs;
    struct reader labels = affinity_plane_labels(p), at = labels;
    int32_t rc;
    s->groups.stamp++;
    if (p->job != NO_ROW)
        return join_one_place(s, k, affinity_pair_of_job(p->job, OWNERS),
                              affinity_pair_of_job(p->job, OWNERS_COUNTED), p);
    if (p->what == PLANE_HOLDS)
        return join_one_place(s, k, affinity_pair_none(HOLDERS),
                              affinity_pair_none(HOLDERS_COUNTED), p);
    if (p->what == PLANE_SEEKS) {
        rc = meet_groups(s, k, affinity_pair_rarest(pairs, k, labels, LABELS_OF_JOBS), p);
        if (rc != LSCHED_OK) return rc;
        uint64_t own = affinity_pair_rarest(pairs, k, labels, LABELS_SOUGHT);
        return affinity_pairs_add(pairs, k, own, p, &p->posts);
    }
    rc = meet_groups(s, k, affinity_pair_none(TERMS_OF_SHAPES), p);
    for (uint32_t n = reader_u32(&at); n > 0 && rc == LSCHED_OK; n--)
        rc = meet_groups(s, k, affinity_pair_next(&at, TERMS_OF_SHAPES), p);
    if (rc != LSCHED_OK) return rc;
    return affinity_pairs_add_all(pairs, k, labels, LABELS_SHUNNED, p, &p->posts);
}

void affinity_match_leave(struct affinity_planes *s, struct columns *k, struct affinity_plane *p) {
    while (p->edges) {
        steps_add(k, 1);
        edge_drop(s, k, p->edges);
    }
    affinity_pairs_leave(&s->groups.pairs, k, &p->posts);
}

/* ---- adding and dropping groups ---- */

static int32_t join_by_labels(struct affinity_planes *s, struct columns *k,
                              struct affinity_group *g) {
    struct reader labels = affinity_group_labels(k, g), at = labels;
    int32_t rc = meet_planes(s, k, affinity_pair_none(LABELS_SOUGHT), g);
    for (uint32_t n = reader_u32(&at); n > 0 && rc == LSCHED_OK; n--)
        rc = meet_planes(s, k, affinity_pair_next(&at, LABELS_SOUGHT), g);
    if (rc != LSCHED_OK) return rc;
    return affinity_pairs_add_all(&s->groups.pairs, k, labels, LABELS_OF_JOBS, g, &g->posts);
}

static int32_t join_by_shape(struct affinity_planes *s, struct columns *k,
                             struct affinity_group *g) {
    struct affinity_pairs *pairs = &s->groups.pairs;
    struct reader at = {NULL, NULL, 0};
    struct job_term t;
    uint32_t left = 0;
    int32_t rc = LSCHED_OK;
    while (rc == LSCHED_OK && rules_next_term(k, g->of.row, &at, &left, &t)) {
        if (!t.apart || t.weight) continue;
        if (t.apart == RULE_EXCLUSIVE) {
            rc = meet_planes(s, k, affinity_pair_none(HOLDERS_COUNTED), g);
            if (rc == LSCHED_OK)
                rc = affinity_pairs_add(pairs, k, affinity_pair_none(HOLDERS), g, &g->posts);
            continue;
        }
        rc = meet_planes(s, k, affinity_pair_rarest(pairs, k, t.labels, LABELS_SHUNNED), g);
        uint64_t own = affinity_pair_rarest(pairs, k, t.labels, TERMS_OF_SHAPES);
        if (rc == LSCHED_OK) rc = affinity_pairs_add(pairs, k, own, g, &g->posts);
    }
    return rc;
}

static int32_t join_by_owner(struct affinity_planes *s, struct columns *k,
                             struct affinity_group *g) {
    int32_t rc = meet_planes(s, k, affinity_pair_of_job(g->of.row, OWNERS_COUNTED), g);
    if (rc != LSCHED_OK) return rc;
    uint64_t own = affinity_pair_of_job(g->of.row, OWNERS);
    return affinity_pairs_add(&s->groups.pairs, k, own, g, &g->posts);
}

static int32_t group_get(struct affinity_planes *s, struct columns *k, struct affinity_of of,
                         struct affinity_group **out) {
    struct affinity_group *g = *out = affinity_groups_find(&s->groups, k, of);
    if (g) return LSCHED_OK;
    g = *out = affinity_groups_new(&s->groups, k, of);
    if (!g) return LSCHED_E_NOMEM;
    s->groups.stamp++;
    if (of.sort == AFFINITY_BY_OWNER) return join_by_owner(s, k, g);
    return of.sort == AFFINITY_BY_LABELS ? join_by_labels(s, k, g) : join_by_shape(s, k, g);
}

static void group_drop(struct affinity_planes *s, struct columns *k, struct affinity_group *g) {
    while (g->edges) {
        steps_add(k, 1);
        edge_drop(s, k, g->edges);
    }
    affinity_groups_free(&s->groups, k, g);
}

/* ---- tasks ---- */

/* The current node of a task, and the label set and shape that determine its groups. */
struct stand {
    uint32_t node, leaves;
    struct affinity_of of[AFFINITY_SORTS];
    uint8_t has[AFFINITY_SORTS];
};

static struct stand stand_of(const struct columns *k, uint32_t task) {
    struct stand now = {.node = NO_ROW};
    if (task >= table_rows(k, T_TASK) || !row_is_live(k, T_TASK, task)) return now;
    now.node = k->c[C_TASK_NODE].u32[task];
    if (now.node == NO_ROW) return now;
    now.leaves = k->c[C_TASK_STATE].u8[task] == LSCHED_TASK_RELEASING;
    uint32_t job = k->c[C_TASK_JOB].u32[task], shape = task_shape(k, task);
    now.has[AFFINITY_BY_LABELS] = 1;
    now.of[AFFINITY_BY_LABELS] =
        (struct affinity_of){AFFINITY_BY_LABELS, k->c[C_JOB_LABELS].u32[job], NO_ROW};
    now.has[AFFINITY_BY_SHAPE] = (k->c[C_SHAPE_RULES].u8[shape] & RULES_APART) != 0;
    now.of[AFFINITY_BY_SHAPE] = (struct affinity_of){AFFINITY_BY_SHAPE, shape, NO_ROW};
    now.has[AFFINITY_BY_OWNER] = (uint8_t)rules_job_is_exclusive(k, k->c[C_JOB_SHAPE].u32[job]);
    now.of[AFFINITY_BY_OWNER] = (struct affinity_of){AFFINITY_BY_OWNER, job, shape};
    return now;
}

static int32_t tell_planes(struct affinity_planes *s, struct columns *k,
                           const struct affinity_group *g, uint32_t node,
                           struct affinity_count more) {
    int32_t rc = LSCHED_OK;
    for (struct affinity_edge *e = g->edges; e && rc == LSCHED_OK; e = e->group_next) {
        steps_add(k, 1);
        rc = affinity_plane_add(s, k, e->plane, node, more);
    }
    return rc;
}

static int32_t take_away(struct affinity_planes *s, struct columns *k, uint32_t task) {
    struct affinity_seen *was = &s->groups.seen[task];
    struct affinity_count less = {was->leaves - 1, 0 - was->leaves};
    int32_t rc = LSCHED_OK;
    if (was->node == NO_ROW) return LSCHED_OK;
    for (uint32_t sort = 0; sort < AFFINITY_SORTS && rc == LSCHED_OK; sort++) {
        struct affinity_group *g = was->group[sort];
        if (!g) continue;
        rc = tell_planes(s, k, g, was->node, less);
        affinity_groups_leave(&s->groups, g, task);
        if (g->n == 0) group_drop(s, k, g);
    }
    was->node = NO_ROW;
    return rc;
}

static int32_t put_there(struct affinity_planes *s, struct columns *k, uint32_t task,
                         const struct stand *now) {
    struct affinity_seen *is = &s->groups.seen[task];
    struct affinity_count more = {1 - now->leaves, now->leaves};
    is->node = now->node;
    is->leaves = now->leaves;
    for (uint32_t sort = 0; sort < AFFINITY_SORTS; sort++) {
        struct affinity_group *g;
        if (!now->has[sort]) continue;
        int32_t rc = group_get(s, k, now->of[sort], &g);
        if (rc == LSCHED_OK) rc = tell_planes(s, k, g, now->node, more);
        if (rc != LSCHED_OK) return rc;
        affinity_groups_join(&s->groups, g, task);
    }
    return LSCHED_OK;
}

static int is_seen(const struct affinity_planes *s, const struct columns *k, uint32_t task,
                   const struct stand *now) {
    const struct affinity_seen *was = &s->groups.seen[task];
    if (was->node != now->node) return 0;
    if (was->node == NO_ROW) return 1;
    if (was->leaves != now->leaves) return 0;
    for (uint32_t sort = 0; sort < AFFINITY_SORTS; sort++) {
        struct affinity_group *g =
            now->has[sort] ? affinity_groups_find(&s->groups, k, now->of[sort]) : NULL;
        if (g != was->group[sort]) return 0;
        if (now->has[sort] && !g) return 0;
    }
    return 1;
}

static int32_t affinity_match_look_at(struct affinity_planes *s, struct columns *k, uint32_t task) {
    steps_add(k, 1);
    /* The task was added and undone between two updates; therefore the snapshot has no such row. */
    if (task >= s->groups.cap) return LSCHED_OK;
    struct stand now = stand_of(k, task);
    if (is_seen(s, k, task, &now)) return LSCHED_OK;
    int32_t rc = take_away(s, k, task);
    return rc == LSCHED_OK && now.node != NO_ROW ? put_there(s, k, task, &now) : rc;
}

/* ---- the snapshot of tasks ---- */

static int fits(const struct affinity_planes *s, const struct columns *k, uint64_t more) {
    uint64_t most = alloc_cache_share(k->alloc, LIMIT_AFFINITY_INDEX);
    const struct affinity_groups *g = &s->groups;
    return g->bytes + affinity_table_bytes(&g->table) + g->pairs.bytes +
               affinity_table_bytes(&g->pairs.table) + more <=
           most;
}

/* Compares tasks with the snapshot: the tasks that changed since the latest update, or all tasks
 * if there was no update before. */
static int32_t look_at_changes(struct affinity_planes *s, struct columns *k) {
    const struct touch_log *t = &k->task_touch;
    int all = !s->groups.ready;
    uint64_t i = all ? 0 : s->groups.synced, end = all ? table_rows(k, T_TASK) : t->next;
    int32_t rc = affinity_groups_reserve(&s->groups, k);
    for (; i < end && rc == LSCHED_OK; i++)
        rc = affinity_match_look_at(s, k, all ? (uint32_t)i : t->rows[i & (t->cap - 1)]);
    return rc;
}

int affinity_match_goes_on(const struct affinity_planes *s, const struct columns *k) {
    /* If the log was allocated after the latest update, the log is empty, and its positions begin
     * one capacity later. */
    return s->groups.ready && touch_log_reaches(&k->task_touch, s->groups.synced);
}

int32_t affinity_match_sync(struct affinity_planes *s, struct columns *k) {
    struct touch_log *t = &k->task_touch;
    int ready = s->groups.ready;
    if (ready && s->groups.synced == t->next) return 1;
    int holds = ready || fits(s, k, (uint64_t)table_rows(k, T_TASK) * sizeof *s->groups.seen);
    int32_t rc = holds ? look_at_changes(s, k) : LSCHED_OK;
    if (rc != LSCHED_OK) return rc;
    s->groups.ready = 1;
    s->groups.synced = touch_log_seen(t);
    return holds && fits(s, k, 0);
}
