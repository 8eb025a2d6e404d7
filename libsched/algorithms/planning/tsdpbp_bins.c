/* tsdpbp_bins.c -- see tsdpbp_bins.h. */
#include "algorithms/planning/tsdpbp_bins.h"

#include <string.h>

#include "algorithms/planning/tsdpbp_slices.h"
#include "base/binary_heap.h"

/* ---- one node ---- */

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

static int32_t note_end(struct ts *t, uint32_t bin, uint32_t job, int64_t at) {
    if (!ENV_ROOM(&t->env, t->ends, t->cap_ends, t->n_ends + 1ull)) return LSCHED_E_NOMEM;
    t->ends[t->n_ends] = (struct ts_end){job, t->end_of_bin[bin], at};
    t->end_of_bin[bin] = t->n_ends++;
    return LSCHED_OK;
}

static struct free_timeline_amount tsdpbp_bins_amounts_of(const struct ts *t,
                                                          const lsched_holder *h) {
    struct free_timeline_amount a;
    memset(&a, 0, sizeof a);
    a.of[TS_COLUMN_PLACES] = 1;
    for (uint32_t r = 1; r < t->view->n_kinds; r++)
        if (t->column_of[r]) a.of[t->column_of[r]] = h->amount[r];
    return a;
}

/* Adds the holders of a node to its bin. A running task makes its amounts available at its end. A
 * nomination makes its amounts unavailable during its time. `busy` gets, for each device, the time
 * until which it is in use. */
static int32_t fill_holders(struct ts *t, uint32_t bin, const lsched_holder *list, uint32_t n,
                            int64_t *busy, uint32_t devices) {
    for (uint32_t i = 0; i < n; i++) {
        const lsched_holder *h = &list[i];
        struct free_timeline_amount a = tsdpbp_bins_amounts_of(t, h);
        int64_t until = h->until_us == LSCHED_NEVER_US ? FREE_TIMELINE_FOREVER : h->until_us;
        int32_t rc = LSCHED_OK;
        for (uint32_t d = 0; d < devices; d++)
            if (ts_holds_device(h, d) && until > busy[d]) busy[d] = until;
        if (h->is_claim)
            rc = free_timeline_draft_take(&t->timeline, h->from_us, until, &a, 1);
        else if (until != FREE_TIMELINE_FOREVER)
            rc = free_timeline_draft_take(&t->timeline, until, FREE_TIMELINE_FOREVER, &a, -1);
        if (rc == LSCHED_OK && until != FREE_TIMELINE_FOREVER) rc = note_end(t, bin, h->job, until);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

/* Fills the bin of a node. Free amounts and devices are available now, and all others from the time
 * at which they become free. */
static int32_t tsdpbp_bins_fill(struct ts *t, uint32_t node, uint32_t bin, int is_new) {
    const lsched_view *v = t->view;
    const lsched_holder *list;
    struct free_timeline_amount now, one;
    int64_t busy[LSCHED_DEVICES_PER_NODE_MAX], places;
    t->end_of_bin[bin] = LSCHED_NO_ROW;
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
    if (rc == LSCHED_OK) rc = fill_holders(t, bin, list, n, busy, devices);
    for (uint32_t d = 0; d < devices && rc == LSCHED_OK; d++) {
        int is_free = v->device_free_milli[first + d] == 1000;
        int64_t from = busy[d] ? busy[d] : is_free ? t->timeline.now : FREE_TIMELINE_FOREVER;
        rc = free_timeline_draft_take(&t->timeline, from, FREE_TIMELINE_FOREVER, &one, -1);
    }
    if (rc == LSCHED_OK)
        rc =
            is_new ? free_timeline_add(&t->timeline, node) : free_timeline_reset(&t->timeline, bin);
    return rc == LSCHED_OK ? ts_slices_fill(t, node, bin, list, n, is_new) : rc;
}

/* ---- all nodes ---- */

static void tsdpbp_bins_choose_columns(struct ts *t) {
    t->n_columns = TS_COLUMN_FIRST;
    memset(t->column_of, 0, sizeof t->column_of);
    for (uint32_t r = 1; r < t->view->n_kinds && t->n_columns < FREE_TIMELINE_KINDS; r++)
        if (r != LSCHED_GPU) t->column_of[r] = t->n_columns++;
}

int32_t ts_build(struct ts *t) {
    const lsched_view *v = t->view;
    if (t->built) return LSCHED_OK;
    tsdpbp_bins_choose_columns(t);
    free_timeline_clear(&t->timeline, v->now_us, t->n_columns);
    free_timeline_clear(&t->slices, v->now_us, FREE_TIMELINE_KINDS);
    t->n_ends = 0;
    if (!ENV_ROOM(&t->env, t->bin_of_node, t->cap_nodes, 2ull * v->n_nodes + 1))
        return LSCHED_E_NOMEM;
    if (!ENV_ROOM(&t->env, t->end_of_bin, t->cap_end_of_bin, v->n_nodes)) return LSCHED_E_NOMEM;
    uint32_t *by_rank = t->bin_of_node + v->n_nodes;
    for (uint32_t i = 0; i < v->n_nodes; i++) t->bin_of_node[i] = by_rank[i] = LSCHED_NO_ROW;
    for (uint32_t i = 0; i < v->n_nodes; i++)
        if (v->node_live[i]) by_rank[v->node_name_rank[i]] = i;
    for (uint32_t i = 0; i < v->n_nodes && by_rank[i] != LSCHED_NO_ROW; i++) {
        if (!v->node_ready[by_rank[i]]) continue;
        uint32_t bin = t->timeline.n_bins;
        int32_t rc = tsdpbp_bins_fill(t, by_rank[i], bin, 1);
        if (rc != LSCHED_OK) return rc;
        t->bin_of_node[by_rank[i]] = bin;
    }
    t->built = 1;
    return LSCHED_OK;
}

int32_t ts_take(struct ts *t, const struct ts_item *item, int64_t times) {
    int32_t rc = ts_parts_take(t, item, times);
    return rc == LSCHED_OK && item->slices ? ts_slices_take(t, item, times) : rc;
}

int32_t ts_renew(struct ts *t, uint32_t node) {
    uint32_t bin = t->bin_of_node[node];
    if (bin == LSCHED_NO_ROW) return 1;
    int32_t rc = tsdpbp_bins_fill(t, node, bin, 0);
    for (uint32_t i = 0; i < t->n_items && rc == LSCHED_OK; i++) {
        const struct ts_item *item = &t->items[i];
        if (item->state != TS_ASIDE && item->state != TS_PLANNED) continue;
        for (uint32_t j = item->first_part; j < item->first_part + item->n_parts; j++) {
            if (t->parts[j].bin != bin || rc != LSCHED_OK) continue;
            struct ts_item part = *item;
            part.first_part = j;
            part.n_parts = 1;
            rc = ts_take(t, &part, 1);
        }
    }
    if (rc != LSCHED_OK) return rc;
    return free_timeline_is_sound(&t->timeline, bin) && ts_slices_sound(t, bin);
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

void ts_able_clear(struct ts *t) {
    t->n_able = 0;
    free_timeline_maps_clear(&t->timeline);
}

int32_t ts_able(struct ts *t, uint32_t job, const lsched_plan_ask *ask) {
    uint32_t bins = t->timeline.n_bins;
    const uint8_t *by_rank;
    for (uint32_t i = 0; i < t->n_able; i++)
        if (t->able_shape[i] == ask->task->serial) return (int32_t)i;
    if (!ENV_ROOM(&t->env, t->scratch.able, t->scratch.cap_able, bins + 1ull))
        return LSCHED_E_NOMEM;
    if (!ENV_ROOM(&t->env, t->able_shape, t->cap_shapes, t->n_able + 1ull)) return LSCHED_E_NOMEM;
    int32_t rc = t->act->plan_able(t->cycle, job, &by_rank);
    if (rc < 0) return rc;
    for (uint32_t b = 0; b < bins; b++)
        t->scratch.able[b] = by_rank[t->view->node_name_rank[t->timeline.bins[b].node]];
    int32_t map = free_timeline_map(&t->timeline, t->scratch.able);
    if (map >= 0) t->able_shape[t->n_able++] = ask->task->serial;
    return map;
}

#define TIGHT_MOST 4096u

/* The profile whose bins have the most room comes first; the lowest bin decides between equals. */
static int is_roomier(const struct ts *t, const struct free_counts_choice *a,
                      const struct free_counts_choice *b) {
    if (a->room != b->room) return a->room > b->room;
    return t->timeline.profiles[a->profile].lowest < t->timeline.profiles[b->profile].lowest;
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
    const struct free_timeline *r = &t->timeline;
    struct free_counts *counts =
        free_counts_collect(&t->scratch.search.counts, r, item->able, &item->need);
    if (!counts) return LSCHED_E_NOMEM;
    int32_t rc = free_counts_choices(counts, r, item->start, item->length, most,
                                     &t->scratch.choices, &t->scratch.cap_choices, n);
    if (rc == LSCHED_OK && item->tasks > 1) roomiest_make(t, t->scratch.choices, *n);
    return rc;
}

/* Returns the bin with the least room that holds the last `left` tasks; the lowest one if several
 * have equal room. Bins with room for TIGHT_MOST tasks count as equal. LSCHED_NO_ROW: none. */
static uint32_t tightest_bin(const struct ts *t, uint32_t n, uint32_t left) {
    uint32_t best = LSCHED_NO_ROW, best_room = 0, most = left > TIGHT_MOST ? left : TIGHT_MOST;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t room = t->scratch.choices[i].room < most ? t->scratch.choices[i].room : most;
        uint32_t bin = t->timeline.profiles[t->scratch.choices[i].profile].lowest;
        if (room < left) continue;
        if (best != LSCHED_NO_ROW && (room > best_room || (room == best_room && bin > best)))
            continue;
        best = bin;
        best_room = room;
    }
    return best;
}

/* Gives the item the node on which it was planned before, if that node holds all its tasks. A node
 * that holds some of them would split a gang for which another node has room. Returns 1 if the item
 * has its node, else 0, or LSCHED_E_NOMEM. */
static int32_t choose_before(struct ts *t, struct ts_item *item) {
    uint32_t bin =
        item->node_before < t->view->n_nodes ? t->bin_of_node[item->node_before] : LSCHED_NO_ROW;
    if (bin == LSCHED_NO_ROW || !free_timeline_allows(&t->timeline, item->able, bin)) return 0;
    uint32_t n =
        free_timeline_count(&t->timeline, bin, item->start, item->length, &item->need, item->tasks);
    if (n < item->tasks) return 0;
    int32_t rc = part_add(t, item, bin, n);
    return rc < 0 ? rc : 1;
}

int32_t ts_choose(struct ts *t, struct ts_item *item) {
    uint32_t n, most = item->tasks > TIGHT_MOST ? item->tasks : TIGHT_MOST;
    item->first_part = t->n_parts;
    item->n_parts = 0;
    uint32_t left = item->tasks;
    int32_t rc = choose_before(t, item);
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
