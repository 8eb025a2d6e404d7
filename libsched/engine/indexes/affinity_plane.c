/* affinity_plane.c -- see affinity_plane.h. */
#include "engine/indexes/affinity_plane.h"

#include "model/shapes/domain.h"
#include "model/shapes/node_rules.h"
#include "model/store/steps.h"
#include "model/shapes/leaf.h"

struct reader affinity_plane_labels(const struct affinity_plane *p) {
    return (struct reader){p->labels, p->labels + p->n, 0};
}

int affinity_plane_shuns(const struct affinity_plane *p, const struct columns *k, uint32_t shape) {
    uint32_t left;
    struct reader at = {NULL, NULL, 0};
    struct job_term t;
    while (rules_next_term(k, shape, &at, &left, &t))
        if (t.apart == RULE_APART && !t.weight && t.topology == p->topology &&
            t.level == p->level && rules_labels_within(t.labels, affinity_plane_labels(p)))
            return 1;
    return 0;
}

int affinity_plane_counts(const struct affinity_plane *p, const struct columns *k, uint32_t task) {
    uint32_t job = k->c[C_TASK_JOB].u32[task];
    /* the row can be of another job by now, for which no task is counted */
    if (p->job != NO_ROW &&
        (p->job != job || !rules_job_is_exclusive(k, k->c[C_JOB_SHAPE].u32[job])))
        return 0;
    if (p->what == PLANE_HOLDS)
        return rules_exclude_others(k, task_shape(k, task), p->topology, p->level);
    if (p->what == PLANE_SHUNS) return affinity_plane_shuns(p, k, task_shape(k, task));
    return rules_labels_within(affinity_plane_labels(p), rules_labels_of(k, job));
}

/* Adds `more` tasks of a node to the count of the node's domain. Does nothing if the node was
 * removed, or is in no domain of the plane's level. */
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

/* True if the set of nodes and domains has not changed since the plane was counted. A node can
 * change its domain only while it has no tasks; therefore such a change does not make counts
 * wrong. */
static int is_of_these_nodes(const struct affinity_plane *p, const struct columns *k) {
    return p->node_set == k->node_set && p->nodes == table_rows(k, T_NODE) &&
           p->domains == table_rows(k, T_DOMAIN);
}

void affinity_plane_mark_counted(struct affinity_plane *p, const struct columns *k) {
    p->node_set = k->node_set;
    p->nodes = table_rows(k, T_NODE);
    p->domains = table_rows(k, T_DOMAIN);
}

int32_t affinity_plane_renew_domains(struct affinity_planes *s, struct columns *k,
                                     struct affinity_plane *p) {
    int32_t rc = LSCHED_OK;
    if (is_of_these_nodes(p, k)) return LSCHED_OK;
    s->bytes -= affinity_counts_bytes(&p->domain);
    affinity_counts_drop(&p->domain, k);
    for (uint32_t i = 0; i < p->node.cap && rc == LSCHED_OK; i++) {
        const struct affinity_cell *c = &p->node.cell[i];
        steps_add(k, 1);
        if (c->row != NO_ROW && (c->count.placed || c->count.releasing))
            rc = domain_add(s, k, p, c->row, c->count);
    }
    affinity_plane_mark_counted(p, k);
    return rc;
}

/* ---- counting by changed nodes, where memory is too short for groups ---- */

static int32_t affinity_plane_look_at(struct affinity_planes *s, struct columns *k,
                                      struct affinity_plane *p, uint32_t node) {
    /* the call that added the node was undone */
    if (node >= table_rows(k, T_NODE)) return LSCHED_OK;
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
        if (k->c[C_NODE_TASKS].u32[n]) rc = affinity_plane_look_at(s, k, p, n);
    affinity_plane_mark_counted(p, k);
    return rc;
}

int32_t affinity_plane_count_touched(struct affinity_planes *s, struct columns *k,
                                     struct affinity_plane *p) {
    const struct touch_log *t = &k->touch;
    int32_t rc = LSCHED_OK;
    if (!is_of_these_nodes(p, k) || !touch_log_reaches(t, p->synced)) {
        rc = count_all(s, k, p);
    } else {
        steps_add(k, t->next - p->synced);
        for (uint64_t i = p->synced; i < t->next && rc == LSCHED_OK; i++)
            rc = affinity_plane_look_at(s, k, p, t->rows[i & (t->cap - 1)]);
    }
    p->synced = k->touch.next;
    return rc;
}

uint32_t affinity_plane_place(const struct affinity_plane *p, const struct columns *k,
                              uint32_t node) {
    return p->level == NO_ROW ? node : domain_of_node(k, p->topology, node, p->level);
}
