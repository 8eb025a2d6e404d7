/* topology_room.c -- see topology_room.h. */
#include "engine/indexes/topology_room.h"

#include "model/nodes/node_count.h"
#include "model/store/steps.h"

void topology_room_free(struct columns *k, struct topology_room *r) {
    if (r) alloc_free(k->alloc, r, r->bytes);
}

/* Allocates the struct and its arrays in one block. */
static struct topology_room *rooms_new(struct columns *k, const struct topology_map *m, int empty) {
    uint32_t leaves = 1;
    while (leaves < m->n_places) leaves *= 2;
    size_t bytes =
        sizeof(struct topology_room) + 8ul * m->n_domains + 8ul * leaves + 4ul * m->n_places;
    struct topology_room *r = alloc_zero(k->alloc, bytes);
    if (!r) return NULL;
    r->empty = empty;
    r->built = m->built;
    r->moved = m->n_moved;
    r->n_places = m->n_places;
    r->n_domains = m->n_domains;
    r->leaves = leaves;
    r->bytes = bytes;
    r->synced = UINT64_MAX; /* not yet counted */
    r->room = (int64_t *)(void *)(r + 1);
    r->winner = (uint32_t *)(void *)(r->room + r->n_domains);
    r->tasks = r->winner + 2ul * leaves;
    return r;
}

/* ---- the winner tree: the best node of a range ---- */

static uint32_t topology_room_better(const struct search_index *x, uint32_t a, uint32_t b) {
    if (a == NO_ROW || b == NO_ROW) return a == NO_ROW ? b : a;
    return search_before(x, a, b) ? a : b;
}

uint32_t topology_room_best(const struct topology_room *r, const struct search_index *x,
                            uint32_t from, uint32_t to) {
    uint32_t best = NO_ROW;
    for (from += r->leaves, to += r->leaves; from < to; from /= 2, to /= 2) {
        if (from & 1) best = topology_room_better(x, best, r->winner[from++]);
        if (to & 1) best = topology_room_better(x, best, r->winner[--to]);
    }
    return best;
}

/* ---- filling and updating ---- */

struct keeper {
    struct columns *k;
    const struct view_cache *v;
    const struct search_index *x;
    const struct topology_map *m;
    struct topology_room *r;
};

/* Sets *tasks to the number of tasks that the node can take; 0 for NO_ROW. */
static int32_t tasks_of(const struct keeper *y, uint32_t node, uint32_t *tasks) {
    uint32_t shape = y->x->key.shape;
    *tasks = 0;
    if (node == NO_ROW) return LSCHED_OK;
    if (y->r->empty) {
        if (y->x->is_able[node] && y->v->node_ready[node])
            *tasks = node_count_above(y->k, node, shape, DEVICE_EMPTY);
        return LSCHED_OK;
    }
    if (y->x->score[node] == SEARCH_LEAST) return LSCHED_OK;
    int32_t rc = node_count(y->k, node, shape, y->x->key.later ? DEVICE_LATER : DEVICE_NOW, tasks);
    if (*tasks == 0) *tasks = 1; /* The index has a score for the node; therefore one task fits. */
    return rc;
}

static void winners(const struct keeper *y) {
    struct topology_room *r = y->r;
    memset(r->winner, 0xFF, 2ul * r->leaves * sizeof *r->winner);
    for (uint32_t p = 0; p < r->n_places; p++) {
        uint32_t node = y->m->node_at[p];
        if (node != NO_ROW && y->x->score[node] != SEARCH_LEAST) r->winner[r->leaves + p] = node;
    }
    for (uint32_t i = r->leaves; i-- > 1;)
        r->winner[i] = topology_room_better(y->x, r->winner[2 * i], r->winner[2 * i + 1]);
}

static int32_t fill(const struct keeper *y) {
    const struct topology_map *m = y->m;
    struct topology_room *r = y->r;
    uint32_t deepest = m->n_levels - 1;
    steps_add(y->k, r->n_places);
    r->moved = m->n_moved;
    if (r->n_domains == 0) return LSCHED_OK;
    for (uint32_t i = m->level_first[deepest]; i < m->n_domains; i++) {
        r->room[i] = 0;
        for (uint32_t p = m->first[i]; p < m->end[i]; p++) {
            int32_t rc = tasks_of(y, m->node_at[p], &r->tasks[p]);
            if (rc != LSCHED_OK) return rc;
            r->room[i] += r->tasks[p];
        }
    }
    for (uint32_t i = m->level_first[deepest]; i-- > 0;) {
        r->room[i] = 0;
        for (uint32_t c = m->child[i]; c < m->child[i + 1]; c++) r->room[i] += r->room[c];
    }
    winners(y);
    return LSCHED_OK;
}

static int32_t topology_room_keep(const struct keeper *y, uint32_t p) {
    const struct topology_map *m = y->m;
    struct topology_room *r = y->r;
    uint32_t node = m->node_at[p], tasks, i = r->leaves + p;
    int32_t rc = tasks_of(y, node, &tasks);
    if (rc != LSCHED_OK) return rc;
    int64_t more = (int64_t)tasks - r->tasks[p];
    r->tasks[p] = tasks;
    for (uint32_t d = more ? topology_map_deepest(m, p) : NO_ROW; d != NO_ROW; d = m->parent[d])
        r->room[d] += more;
    r->winner[i] = node == NO_ROW || y->x->score[node] == SEARCH_LEAST ? NO_ROW : node;
    for (i /= 2; i >= 1; i /= 2)
        r->winner[i] = topology_room_better(y->x, r->winner[2 * i], r->winner[2 * i + 1]);
    return LSCHED_OK;
}

/* True if the number of tasks of the node can have changed. The number of tasks on an empty node
 * depends on the node's class, and for a shape that asks for MIG instances on the node itself. */
static int can_differ(const struct keeper *y, uint32_t node) {
    return !y->r->empty || y->v->node_edition[node] > y->r->edition ||
           y->k->c[C_SHAPE_MIG_SLICES].u8[y->x->key.shape];
}

static int32_t keep_touched(struct search *s, const struct keeper *y) {
    const struct touch_log *t = &y->k->touch;
    s->sync++;
    steps_add(y->k, t->next - y->r->synced + y->m->n_moved - y->r->moved);
    while (y->r->moved < y->m->n_moved) {
        int32_t rc = topology_room_keep(y, y->m->moved[y->r->moved++]);
        if (rc != LSCHED_OK) return rc;
    }
    for (uint64_t i = y->r->synced; i < t->next; i++) {
        uint32_t node = t->rows[i & (t->cap - 1)];
        if (node >= s->stamp_cap || s->stamp[node] == s->sync || node >= y->m->node_rows) continue;
        s->stamp[node] = s->sync;
        if (y->m->position[node] == NO_ROW || !can_differ(y, node)) continue;
        int32_t rc = topology_room_keep(y, y->m->position[node]);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

int32_t topology_room_get(struct search *s, struct columns *k, const struct view_cache *v,
                          struct search_index *x, const struct topology_map *m, int empty,
                          const struct topology_room **out) {
    struct topology_room **at = &x->rooms[m->topology][empty], *r = *at;
    if (r && r->built != m->built) {
        s->bytes -= r->bytes;
        x->bytes -= r->bytes;
        topology_room_free(k, r);
        *at = r = NULL;
    }
    if (!r) {
        *at = r = rooms_new(k, m, empty);
        if (!r) return LSCHED_E_NOMEM;
        s->bytes += r->bytes;
        x->bytes += r->bytes;
    }
    struct keeper y = {k, v, x, m, r};
    uint64_t behind = k->touch.next - r->synced;
    int anew = r->filled != x->filled || !touch_log_reaches(&k->touch, r->synced);
    int32_t rc = anew ? fill(&y) : behind ? keep_touched(s, &y) : LSCHED_OK;
    r->filled = x->filled;
    uint64_t seen = touch_seen(k);
    r->synced = rc == LSCHED_OK ? seen : UINT64_MAX;
    r->edition = v->edition;
    *out = r;
    return rc;
}
