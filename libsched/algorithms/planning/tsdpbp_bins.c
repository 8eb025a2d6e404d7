/* tsdpbp_bins.c -- see tsdpbp_bins.h. */
#include "algorithms/planning/tsdpbp_bins.h"

#include <string.h>

#include "algorithms/planning/tsdpbp_after.h"
#include "algorithms/planning/tsdpbp_slices.h"
#include "base/binary_heap.h"

enum { ENDS_SPARE = 4096, SHAPES_KEPT = 64, MAPS_KEPT = 128, GROUPS_SPARE = 512, NEWS_FEW = 16 };

/* Returns the number of the node's devices if plans can use them as whole devices, else 0. Plans
 * can use them if all devices have the same model and the same memory, and none is a MIG device. */
static uint32_t tsdpbp_bins_whole_devices(const lsched_view *v, uint32_t node) {
    uint32_t first = v->node_device_first[node], n = v->node_device_count[node];
    for (uint32_t d = first; d < first + n; d++)
        if (v->device_share[d] == LSCHED_SHARING_MIG ||
            v->device_model[d] != v->device_model[first] ||
            v->device_memory_bytes[d] != v->device_memory_bytes[first])
            return 0;
    return n;
}

/* ---- ends of work ---- */

static int32_t note_end(struct ts *t, uint32_t node, uint32_t job, int64_t at) {
    if (!ENV_ROOM(&t->env, t->ends, t->cap_ends, t->n_ends + 1ull)) return LSCHED_E_NOMEM;
    t->ends[t->n_ends] = (struct ts_end){job, t->nodes[node].last_end, at};
    t->nodes[node].last_end = t->n_ends++;
    t->n_live_ends++;
    return LSCHED_OK;
}

static void forget_ends(struct ts *t, uint32_t node) {
    for (uint32_t e = t->nodes[node].last_end; e != LSCHED_NO_ROW; e = t->ends[e].before)
        t->n_live_ends--;
    t->nodes[node].last_end = LSCHED_NO_ROW;
}

/* Moves the ends that are in lists to a new array, if most are in none. */
static int32_t gather_ends(struct ts *t) {
    struct ts_end *to = NULL;
    uint32_t cap = 0, n = 0;
    if (t->n_ends <= 2 * t->n_live_ends + ENDS_SPARE) return LSCHED_OK;
    if (!ENV_ROOM(&t->env, to, cap, t->n_live_ends + 1ull)) return LSCHED_E_NOMEM;
    for (uint32_t i = 0; i < t->n_nodes; i++) {
        uint32_t e = t->nodes[i].last_end;
        if (e != LSCHED_NO_ROW) t->nodes[i].last_end = n;
        for (; e != LSCHED_NO_ROW; e = t->ends[e].before) {
            to[n] = t->ends[e];
            if (to[n].before != LSCHED_NO_ROW) to[n].before = n + 1;
            n++;
        }
    }
    env_free(&t->env, t->ends, t->cap_ends * sizeof *t->ends);
    t->ends = to;
    t->cap_ends = cap;
    t->n_ends = n;
    return LSCHED_OK;
}

/* ---- one node ---- */

static struct free_timeline_amount tsdpbp_bins_amounts_of(const struct ts *t,
                                                          const lsched_holder *h) {
    struct free_timeline_amount a;
    memset(&a, 0, sizeof a);
    for (uint32_t i = 0; h->is_away && i < t->n_columns; i++) a.of[i] = FREE_TIMELINE_ALL;
    if (h->is_away) return a;
    a.of[TS_COLUMN_PLACES] = 1;
    for (uint32_t r = 1; r < t->view->n_kinds; r++)
        if (t->column_of[r]) a.of[t->column_of[r]] = h->amount[r];
    return a;
}

/* Notes that the node must be read again in the next cycle, if a job has its place for itself. The
 * time of this cycle can also be that of the next one, so that no time says it. */
static int32_t own_note(struct ts *t, uint32_t node, const lsched_holder *h) {
    if (!h->is_away || h->job == LSCHED_NO_ROW) return LSCHED_OK;
    if (!ENV_ROOM(&t->env, t->own, t->cap_own, t->n_own + 1ull)) return LSCHED_E_NOMEM;
    t->own[t->n_own++] = node;
    t->nodes[node].own_until = h->until_us == LSCHED_NEVER_US ? FREE_TIMELINE_FOREVER : h->until_us;
    return LSCHED_OK;
}

static void own_expire(struct ts *t) {
    while (t->n_own > 0) ts_stale(t, t->own[--t->n_own]);
}

/* Returns the time from which on the node must be read again because a time of the holder is past,
 * or moves on with the clock. */
static int64_t holder_stale_at(const struct ts *t, const lsched_holder *h) {
    int64_t now = t->timeline.now, at = h->until_us == LSCHED_NEVER_US ? INT64_MAX : h->until_us;
    if (h->moves) return now + 1;
    if ((h->is_claim || h->is_away) && h->from_us > now && h->from_us < at) at = h->from_us;
    return at;
}

/* Adds the holders of a node to its bin. A running task makes its amounts available at its end. A
 * nomination makes its amounts unavailable during its time. An absence does so with all amounts of
 * the node, and so does a job that has the place for itself. `busy` gets, for each device, the time
 * until which it is in use. */
static int32_t fill_holders(struct ts *t, uint32_t node, const lsched_holder *list, uint32_t n,
                            int64_t *busy, uint32_t devices) {
    int64_t stale_at = INT64_MAX;
    for (uint32_t i = 0; i < n; i++) {
        const lsched_holder *h = &list[i];
        struct free_timeline_amount a = tsdpbp_bins_amounts_of(t, h);
        int64_t until = h->until_us == LSCHED_NEVER_US ? FREE_TIMELINE_FOREVER : h->until_us;
        int32_t rc = LSCHED_OK;
        for (uint32_t d = 0; d < devices; d++)
            if (ts_holds_device(h, d) && until > busy[d]) busy[d] = until;
        if (h->is_claim || h->is_away)
            rc = free_timeline_draft_take(&t->timeline, h->from_us, until, &a, 1);
        else if (until != FREE_TIMELINE_FOREVER)
            rc = free_timeline_draft_take(&t->timeline, until, FREE_TIMELINE_FOREVER, &a, -1);
        if (rc == LSCHED_OK && until != FREE_TIMELINE_FOREVER && h->job != LSCHED_NO_ROW)
            rc = note_end(t, node, h->job, until);
        if (rc == LSCHED_OK) rc = own_note(t, node, h);
        if (rc != LSCHED_OK) return rc;
        if (holder_stale_at(t, h) < stale_at) stale_at = holder_stale_at(t, h);
    }
    ts_stale_at(t, node, stale_at);
    return LSCHED_OK;
}

/* Returns the time from which on no device of the node is held twice. */
static int64_t shared_until(const struct ts *t, const lsched_holder *list, uint32_t n,
                            uint32_t devices) {
    int64_t until = t->timeline.now;
    for (uint32_t d = 0; d < devices; d++) {
        int64_t last = t->timeline.now, second = last;
        for (uint32_t i = 0; i < n; i++) {
            int64_t end =
                list[i].until_us == LSCHED_NEVER_US ? FREE_TIMELINE_FOREVER : list[i].until_us;
            if (list[i].is_claim || list[i].is_away || !ts_holds_device(&list[i], d)) continue;
            if (end > second) second = end < last ? end : last;
            if (end > last) last = end;
        }
        if (second > until) until = second;
    }
    return until;
}

/* Lets n devices count only from `until` on: of those that are free now, or of those that are not,
 * the ones that would count first. */
static void count_later(int64_t *from, const uint16_t *milli, uint32_t devices, uint32_t n,
                        int is_free, int64_t until) {
    for (; n > 0; n--) {
        uint32_t first = devices;
        for (uint32_t d = 0; d < devices; d++)
            if ((milli[d] == 1000) == is_free && from[d] < until &&
                (first == devices || from[d] < from[first]))
                first = d;
        if (first == devices) return;
        from[first] = until;
    }
}

/* Imports can hold a device twice. The node's free amount then is less than the free amount of its
 * devices, and the engine places no task that needs more than the node's. No end of work makes the
 * difference greater, so it is enough to leave as many devices out until no device is held twice.
 * Of the devices that are free now, the node's amount says how many are left out. */
static void leave_excess_out(const struct ts *t, uint32_t node, const lsched_holder *list,
                             uint32_t n, uint32_t devices, int64_t *from) {
    const lsched_view *v = t->view;
    if (devices == 0) return;
    const uint16_t *milli = v->device_free_milli + v->node_device_first[node];
    int64_t sum = 0, whole = 0, amount = v->node_free[LSCHED_GPU][node];
    for (uint32_t d = 0; d < devices; d++) {
        sum += milli[d];
        whole += milli[d] == 1000;
    }
    if (sum <= amount) return;
    int64_t until = shared_until(t, list, n, devices), out = (sum - amount + 999) / 1000;
    int64_t now = amount / 1000 < whole ? whole - amount / 1000 : 0;
    count_later(from, milli, devices, (uint32_t)now, 1, until);
    count_later(from, milli, devices, (uint32_t)(out - now), 0, until);
}

/* Fills the bin of a node, or makes it empty if the node takes no work. Free amounts and devices
 * are available now, and all others from the time at which they become free. is_new: 1 if the
 * node's MIG devices have not been read before. Returns 1, or 0 if they are not those that were, or
 * a negative error code. */
static int32_t tsdpbp_bins_fill(struct ts *t, uint32_t node, int is_new) {
    const lsched_view *v = t->view;
    const lsched_holder *list;
    struct free_timeline_amount now, one;
    int64_t busy[LSCHED_DEVICES_PER_NODE_MAX], places;
    forget_ends(t, node);
    t->nodes[node].own_until = INT64_MIN;
    ts_stale_at(t, node, INT64_MAX);
    if (!v->node_live[node] || !v->node_ready[node]) {
        free_timeline_remove(&t->timeline, node);
        return is_new || t->nodes[node].n_devices == 0;
    }
    uint32_t n, devices = tsdpbp_bins_whole_devices(v, node), first = v->node_device_first[node];
    int32_t rc = t->act->holders(t->cycle, node, &list, &n, &places);
    if (rc < 0) return rc;
    memset(&now, 0, sizeof now);
    memset(&one, 0, sizeof one);
    one.of[TS_COLUMN_DEVICES] = 1;
    now.of[TS_COLUMN_PLACES] = places;
    int less_than_none = places < 0;
    for (uint32_t r = 1; r < v->n_kinds; r++) {
        if (t->column_of[r]) now.of[t->column_of[r]] = v->node_free[r][node];
        less_than_none |= v->node_free[r][node] < 0;
    }
    if (less_than_none) memset(&now, 0, sizeof now); /* an over-committed node accepts no tasks */
    if (less_than_none) n = devices = 0;
    rc = free_timeline_draft(&t->timeline, &now);
    for (uint32_t d = 0; d < devices; d++) busy[d] = 0;
    if (rc == LSCHED_OK) rc = fill_holders(t, node, list, n, busy, devices);
    for (uint32_t d = 0; d < devices; d++)
        if (!busy[d])
            busy[d] =
                v->device_free_milli[first + d] == 1000 ? t->timeline.now : FREE_TIMELINE_FOREVER;
    leave_excess_out(t, node, list, n, devices, busy);
    for (uint32_t d = 0; d < devices && rc == LSCHED_OK; d++)
        rc = free_timeline_draft_take(&t->timeline, busy[d], FREE_TIMELINE_FOREVER, &one, -1);
    if (rc == LSCHED_OK) rc = free_timeline_reset(&t->timeline, node);
    return rc == LSCHED_OK ? ts_slices_fill(t, node, list, n, is_new) : rc;
}

/* ---- all nodes ---- */

static void tsdpbp_bins_choose_columns(struct ts *t) {
    t->n_columns = TS_COLUMN_FIRST;
    t->n_kinds = t->view->n_kinds;
    memset(t->column_of, 0, sizeof t->column_of);
    for (uint32_t r = 1; r < t->view->n_kinds && t->n_columns < FREE_TIMELINE_KINDS; r++)
        if (r != LSCHED_GPU) t->column_of[r] = t->n_columns++;
}

/* Makes room for the rows of all nodes. New rows are empty. */
static int32_t nodes_room(struct ts *t) {
    uint32_t n = t->view->n_nodes, cap = t->cap_news ? t->cap_news : 1024;
    while (cap < 2 * n) cap *= 2;
    if (!ENV_ROOM(&t->env, t->nodes, t->cap_nodes, n) ||
        !ENV_ROOM(&t->env, t->stale, t->cap_stale, n))
        return LSCHED_E_NOMEM;
    if (cap > t->cap_news) {
        uint32_t *news = env_new(&t->env, cap * sizeof *news);
        if (!news) return LSCHED_E_NOMEM;
        env_free(&t->env, t->news, t->cap_news * sizeof *t->news);
        t->news = news;
        t->n_news += cap + 1ull; /* no map reaches back */
        t->cap_news = cap;
    }
    for (; t->n_nodes < n; t->n_nodes++) {
        t->nodes[t->n_nodes] = (struct ts_node){.last_end = LSCHED_NO_ROW};
        ts_stale_add(t, t->n_nodes);
    }
    return free_timeline_bins(&t->timeline, n);
}

static void set_ranks(struct ts *t) {
    const lsched_view *v = t->view;
    for (uint32_t i = 0; i < v->n_nodes; i++)
        if (v->node_live[i]) free_timeline_rank(&t->timeline, i, v->node_name_rank[i]);
}

/* Reads all nodes, in the order of their names: MIG devices are numbered in this order. */
static int32_t build_all(struct ts *t) {
    const lsched_view *v = t->view;
    tsdpbp_bins_choose_columns(t);
    free_timeline_clear(&t->timeline, v->now_us, t->n_columns);
    free_timeline_clear(&t->slices, v->now_us, FREE_TIMELINE_KINDS);
    t->n_ends = t->n_live_ends = t->n_able = t->n_nodes = t->n_stale = 0;
    t->maps_serial = t->timeline.maps_serial;
    int32_t rc = nodes_room(t);
    if (rc == LSCHED_OK) rc = ts_after_room(t, v->n_nodes);
    if (rc != LSCHED_OK) return rc;
    uint32_t *by_rank = t->scratch.ended; /* LSCHED_NO_ROW in all entries, now and afterwards */
    for (uint32_t i = 0; i < v->n_nodes; i++)
        if (v->node_live[i]) by_rank[v->node_name_rank[i]] = i;
    set_ranks(t);
    for (uint32_t i = 0; i < v->n_nodes && by_rank[i] != LSCHED_NO_ROW && rc >= 0; i++)
        rc = tsdpbp_bins_fill(t, by_rank[i], 1);
    for (uint32_t i = 0; i < v->n_nodes; i++) by_rank[i] = LSCHED_NO_ROW;
    return rc < 0 ? rc : LSCHED_OK;
}

/* Reads the nodes again that the engine lists. moved: 1 if nodes came or went, or have other names.
 * Then the nodes that changed leave their sets before the order of names changes. */
static int32_t follow_nodes(struct ts *t, const uint32_t *nodes, uint32_t n, int moved) {
    int32_t rc = nodes_room(t);
    for (uint32_t i = 0; i < n && moved; i++) free_timeline_remove(&t->timeline, nodes[i]);
    if (rc == LSCHED_OK && moved) set_ranks(t);
    for (uint32_t i = 0; i < n && rc == LSCHED_OK; i++) {
        t->news[t->n_news++ & (t->cap_news - 1)] = nodes[i];
        ts_stale(t, nodes[i]); /* once, however often the list has it */
    }
    return rc == LSCHED_OK ? 1 : rc;
}

/* Brings the bins up to date that were up to date in an earlier cycle. Returns 1; 0 if all nodes
 * must be read; or a negative error code. */
static int32_t build_changed(struct ts *t) {
    const uint32_t *nodes;
    uint32_t n;
    int32_t rc = t->act->nodes_changed(t->cycle, t->seen, &nodes, &n);
    if (rc <= 0) return rc;
    int moved = rc == 2;
    if (!t->kept || t->view->now_us < t->timeline.now || t->view->n_kinds != t->n_kinds ||
        t->view->n_nodes < t->n_nodes || (moved && t->slices.n_bins))
        return 0;
    t->timeline.now = t->slices.now = t->view->now_us;
    rc = follow_nodes(t, nodes, n, moved);
    while (rc == 1 && t->n_stale && t->nodes[t->stale[0]].stale_at <= t->timeline.now)
        rc = tsdpbp_bins_fill(t, t->stale[0], 0);
    if (rc == 1) rc = gather_ends(t) < 0 ? LSCHED_E_NOMEM : 1;
    return rc;
}

int32_t ts_build(struct ts *t) {
    if (t->built) return LSCHED_OK;
    t->n_own = 0;
    int32_t rc = build_changed(t);
    if (rc == 0) rc = build_all(t);
    own_expire(t);
    if (rc >= 0) rc = ts_able_clear_many(t);
    if (rc < 0) return rc;
    for (uint32_t i = 0; i < t->n_able; i++) t->able[i].asked = 0;
    t->built = 1;
    return LSCHED_OK;
}

int32_t ts_take(struct ts *t, const struct ts_item *item, int64_t times) {
    int32_t rc = ts_parts_take(t, item, times);
    return rc == LSCHED_OK && item->slices ? ts_slices_take(t, item, times) : rc;
}

int32_t ts_renew(struct ts *t, uint32_t node) {
    if (free_timeline_is_empty(&t->timeline, node)) return 1;
    int32_t rc = tsdpbp_bins_fill(t, node, 0), shut = 0;
    own_expire(t);
    if (rc == 0) return LSCHED_E_INVAL; /* not reached: a cycle changes no modes of devices */
    for (uint32_t i = 0; i < t->n_items && rc >= 0; i++) {
        const struct ts_item *item = &t->items[i];
        if (item->state != TS_ASIDE && item->state != TS_PLANNED) continue;
        for (uint32_t j = item->first_part; j < item->first_part + item->n_parts; j++) {
            if (t->parts[j].bin != node || rc < 0) continue;
            struct ts_item part = *item;
            part.first_part = j;
            part.n_parts = 1;
            shut |= item->start < t->nodes[node].own_until;
            rc = ts_take(t, &part, 1);
        }
    }
    if (rc < 0) return rc;
    return !shut && free_timeline_is_sound(&t->timeline, node) && ts_slices_sound(t, node);
}

/* ---- items ---- */

int ts_need(const struct ts *t, const lsched_task_shape *task, struct free_timeline_amount *need) {
    memset(need, 0, sizeof *need);
    need->of[TS_COLUMN_PLACES] = 1;
    need->of[TS_COLUMN_DEVICES] = task->gpu_devices;
    for (uint32_t r = 1; r < t->view->n_kinds; r++) {
        if (r == LSCHED_GPU || task->request[r] == 0) continue;
        if (!t->column_of[r]) return 0;
        need->of[t->column_of[r]] = task->request[r];
    }
    return 1;
}

int32_t ts_able_clear_many(struct ts *t) {
    if (t->maps_serial == t->timeline.maps_serial && t->n_able <= SHAPES_KEPT &&
        t->timeline.n_maps <= MAPS_KEPT &&
        t->timeline.n_groups <= t->timeline.n_bins + GROUPS_SPARE)
        return LSCHED_OK;
    int32_t rc = free_timeline_maps_clear(&t->timeline);
    t->n_able = 0;
    t->maps_serial = t->timeline.maps_serial;
    return rc;
}

/* Lists what a map may not know: the nodes that changed, or all nodes if these are fewer. Returns
 * the number of entries; able_node() has each. */
static uint64_t able_unknown(const struct ts *t, const struct ts_shape *s) {
    uint64_t news = t->n_news - s->synced;
    return news < t->timeline.n_bins ? news : t->timeline.n_bins;
}

static uint32_t able_node(const struct ts *t, const struct ts_shape *s, uint64_t i) {
    if (t->n_news - s->synced >= t->timeline.n_bins) return (uint32_t)i;
    return t->news[(s->synced + i) & (t->cap_news - 1)];
}

/* Brings the map of a shape up to date. able: by row of the node. Nodes change all the time, but
 * seldom in what they could hold if they were empty, so the map mostly stays, and with it what
 * free_counts.h keeps for it. If many values changed, the shape gets a new map. */
static int32_t follow_able(struct ts *t, struct ts_shape *s, const uint8_t *able) {
    uint64_t n = able_unknown(t, s);
    uint32_t moved = 0;
    int32_t rc = LSCHED_OK;
    for (uint64_t i = 0; i < n && moved <= NEWS_FEW; i++) {
        uint32_t node = able_node(t, s, i);
        moved += free_timeline_allows(&t->timeline, s->map, node) != able[node];
    }
    if (moved > NEWS_FEW) {
        rc = free_timeline_map(&t->timeline, able);
        if (rc >= 0) s->map = (uint32_t)rc;
    } else {
        for (uint64_t i = 0; i < n && moved > 0 && rc >= 0; i++) {
            uint32_t node = able_node(t, s, i);
            rc = free_timeline_map_set(&t->timeline, s->map, node, able[node]);
        }
    }
    if (rc < 0) return rc;
    s->synced = t->n_news;
    return (int32_t)s->map;
}

int32_t ts_able(struct ts *t, uint32_t job, const lsched_plan_ask *ask) {
    const uint8_t *able;
    uint32_t i = 0;
    while (i < t->n_able && t->able[i].serial != ask->task->serial) i++;
    if (i < t->n_able && t->able[i].asked && t->able[i].synced == t->n_news)
        return (int32_t)t->able[i].map;
    if (!ENV_ROOM(&t->env, t->able, t->cap_shapes, t->n_able + 1ull)) return LSCHED_E_NOMEM;
    uint64_t serial = ask->task->serial;
    int32_t rc = t->act->plan_able(t->cycle, job, &able);
    if (rc < 0) return rc;
    if (i < t->n_able) {
        t->able[i].asked = 1;
        return follow_able(t, &t->able[i], able);
    }
    int32_t map = free_timeline_map(&t->timeline, able);
    if (map >= 0) t->able[t->n_able++] = (struct ts_shape){serial, t->n_news, (uint32_t)map, 1};
    return map;
}

#define TIGHT_MOST 4096u

/* The profile whose bins have the most room comes first; the first name decides between equals. */
static int is_roomier(const struct ts *t, const struct free_counts_choice *a,
                      const struct free_counts_choice *b) {
    if (a->room != b->room) return a->room > b->room;
    return free_timeline_lowest_rank(&t->timeline, a->profile) <
           free_timeline_lowest_rank(&t->timeline, b->profile);
}
#define ROOMIER(of, a, b) is_roomier((of), &(a), &(b))
HEAP_DEFINE(roomiest, struct free_counts_choice, const struct ts *, ROOMIER, HEAP_NO_INDEX)

/* Adds a part of n tasks on a bin to the item. The bin can have no second part. */
static int32_t part_add(struct ts *t, struct ts_item *item, uint32_t bin, uint32_t n) {
    if (!ENV_ROOM(&t->env, t->parts, t->cap_parts, t->n_parts + 1ull)) return LSCHED_E_NOMEM;
    t->parts[t->n_parts++] = (struct free_timeline_part){bin, n};
    item->n_parts++;
    free_timeline_pull(&t->timeline, bin);
    return LSCHED_OK;
}

/* Lists the profiles with room for tasks of the item: for several tasks as a heap, the most room
 * first. */
static int32_t choices_list(struct ts *t, const struct ts_item *item, uint32_t most, uint32_t *n) {
    int32_t rc =
        free_start_choices(&t->scratch.search, &t->timeline, item->able, item->start, item->length,
                           &item->need, most, &t->scratch.choices, &t->scratch.cap_choices, n);
    if (rc == LSCHED_OK && item->tasks > 1) roomiest_make(t, t->scratch.choices, *n);
    return rc;
}

/* Returns the bin with the least room that holds the last `left` tasks; the first in the order of
 * names if several have equal room. Bins with room for TIGHT_MOST tasks count as equal.
 * LSCHED_NO_ROW: none. */
static uint32_t tightest_bin(const struct ts *t, uint32_t n, uint32_t left) {
    uint32_t best = LSCHED_NO_ROW, best_room = 0, most = left > TIGHT_MOST ? left : TIGHT_MOST;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t room = t->scratch.choices[i].room < most ? t->scratch.choices[i].room : most;
        uint32_t bin = t->timeline.profiles[t->scratch.choices[i].profile].lowest;
        if (room < left) continue;
        if (best != LSCHED_NO_ROW &&
            (room > best_room ||
             (room == best_room && t->timeline.links[bin].rank > t->timeline.links[best].rank)))
            continue;
        best = bin;
        best_room = room;
    }
    return best;
}

int32_t ts_choose_before(struct ts *t, struct ts_item *item) {
    uint32_t bin = item->node_before;
    item->first_part = t->n_parts;
    item->n_parts = 0;
    if (free_timeline_is_empty(&t->timeline, bin) ||
        !free_timeline_allows(&t->timeline, item->able, bin))
        return 0;
    uint32_t n =
        free_timeline_count(&t->timeline, bin, item->start, item->length, &item->need, item->tasks);
    if (n < item->tasks) return 0;
    int32_t rc = part_add(t, item, bin, n);
    return rc < 0 ? rc : 1;
}

int32_t ts_choose(struct ts *t, struct ts_item *item) {
    uint32_t n, most = item->tasks > TIGHT_MOST ? item->tasks : TIGHT_MOST;
    uint32_t left = item->tasks;
    int32_t rc = ts_choose_before(t, item);
    if (rc != 0) return rc < 0 ? rc : LSCHED_OK;
    rc = choices_list(t, item, most, &n);
    while (rc == LSCHED_OK && item->tasks > 1 && n > 0 && t->scratch.choices[0].room < left) {
        const struct free_timeline_profile *p =
            &t->timeline.profiles[t->scratch.choices[0].profile];
        left -= t->scratch.choices[0].room;
        rc = part_add(t, item, p->lowest, t->scratch.choices[0].room);
        if (p->lowest == BIN_HEAP_NONE)
            roomiest_drop(t, t->scratch.choices, &n, 0);
        else
            roomiest_settle(t, t->scratch.choices, n, 0);
    }
    if (rc != LSCHED_OK) return rc;
    uint32_t bin = tightest_bin(t, n, left);
    /* not reached, because free_start_find has found room for all tasks */
    if (bin == LSCHED_NO_ROW) return LSCHED_E_INVAL;
    return part_add(t, item, bin, left);
}

void ts_holder_amounts(const struct ts *t, const lsched_holder *h,
                       struct free_timeline_amount *amount) {
    *amount = tsdpbp_bins_amounts_of(t, h);
    for (uint32_t d = 0; d < LSCHED_DEVICES_PER_NODE_MAX; d++)
        amount->of[TS_COLUMN_DEVICES] += ts_holds_device(h, d);
}
