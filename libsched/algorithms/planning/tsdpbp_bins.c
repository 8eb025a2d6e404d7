/* tsdpbp_bins.c -- see tsdpbp_bins.h. */
#include "algorithms/planning/tsdpbp_bins.h"

#include <string.h>

#include "algorithms/planning/tsdpbp_slices.h"

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
    t->ends[t->n_ends++] = (struct ts_end){bin, job, at};
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
            rc = free_timeline_take(&t->timeline, bin, h->from_us, until, &a, 1);
        else if (until != FREE_TIMELINE_FOREVER)
            rc = free_timeline_take(&t->timeline, bin, until, FREE_TIMELINE_FOREVER, &a, -1);
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
    rc = is_new ? free_timeline_add(&t->timeline, node, &now)
                : free_timeline_reset(&t->timeline, bin, &now);
    for (uint32_t d = 0; d < devices; d++) busy[d] = 0;
    if (rc == LSCHED_OK) rc = fill_holders(t, bin, list, n, busy, devices);
    for (uint32_t d = 0; d < devices && rc == LSCHED_OK; d++) {
        int is_free = v->device_free_milli[first + d] == 1000;
        int64_t from = busy[d] ? busy[d] : is_free ? t->timeline.now : FREE_TIMELINE_FOREVER;
        rc = free_timeline_take(&t->timeline, bin, from, FREE_TIMELINE_FOREVER, &one, -1);
    }
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
    /* remove the recorded ends of this bin, because tsdpbp_bins_fill() records them again */
    for (uint32_t i = 0; i < t->n_ends; i++)
        if (t->ends[i].bin == bin) t->ends[i--] = t->ends[--t->n_ends];
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

int32_t ts_able(struct ts *t, const lsched_plan_ask *ask) {
    uint32_t bins = t->timeline.n_bins;
    for (uint32_t i = 0; i < t->n_able; i++)
        if (t->able_shape[i] == ask->task->serial) return (int32_t)i;
    if (!ENV_ROOM(&t->env, t->able, t->cap_able, (t->n_able + 1ull) * bins + 1))
        return LSCHED_E_NOMEM;
    if (!ENV_ROOM(&t->env, t->able_shape, t->cap_shapes, t->n_able + 1ull)) return LSCHED_E_NOMEM;
    uint8_t *map = t->able + (size_t)t->n_able * bins;
    for (uint32_t b = 0; b < bins; b++)
        map[b] = ask->able[t->view->node_name_rank[t->timeline.bins[b].node]];
    t->able_shape[t->n_able] = ask->task->serial;
    return (int32_t)t->n_able++;
}

#define TIGHT_MOST 4096u

/* Returns the next bin for the remaining tasks of the item. The first choice is the node on which
 * the job was planned before. The second choice is the bin with the least room that holds all
 * remaining tasks. The third choice is the bin with the most room. */
static uint32_t tsdpbp_bins_next_bin(const struct ts *t, const struct ts_item *item, uint32_t left,
                                     uint32_t *room) {
    const uint8_t *able = t->able + (size_t)item->able * t->timeline.n_bins;
    uint32_t best = LSCHED_NO_ROW, most = left > TIGHT_MOST ? left : TIGHT_MOST;
    *room = 0;
    for (uint32_t b = 0; b < t->timeline.n_bins; b++) {
        int is_used = 0;
        if (!able[b]) continue;
        for (uint32_t i = item->first_part; i < t->n_parts && !is_used; i++)
            is_used = t->parts[i].bin == b;
        if (is_used) continue;
        uint32_t n =
            free_timeline_count(&t->timeline, b, item->start, item->length, &item->need, most);
        if (n == 0) continue;
        if (t->timeline.bins[b].node == item->node_before) {
            *room = n;
            return b;
        }
        int better = best == LSCHED_NO_ROW || (n >= left ? *room < left || n < *room : n > *room);
        if (!better) continue;
        best = b;
        *room = n;
    }
    return best;
}

int32_t ts_choose(struct ts *t, struct ts_item *item) {
    item->first_part = t->n_parts;
    item->n_parts = 0;
    for (uint32_t left = item->tasks, room; left > 0;) {
        uint32_t bin = tsdpbp_bins_next_bin(t, item, left, &room);
        /* not reached, because free_timeline_find has found room for all tasks */
        if (bin == LSCHED_NO_ROW) return LSCHED_E_INVAL;
        if (!ENV_ROOM(&t->env, t->parts, t->cap_parts, t->n_parts + 1ull)) return LSCHED_E_NOMEM;
        uint32_t n = room < left ? room : left;
        t->parts[t->n_parts++] = (struct free_timeline_part){bin, n};
        item->n_parts++;
        left -= n;
    }
    return LSCHED_OK;
}

uint32_t ts_after(const struct ts *t, const struct ts_item *item, uint32_t *node) {
    uint32_t job = LSCHED_NO_ROW;
    *node = t->timeline.bins[t->parts[item->first_part].bin].node;
    for (uint32_t p = item->first_part; p < item->first_part + item->n_parts; p++) {
        uint32_t bin = t->parts[p].bin;
        for (uint32_t i = 0; i < t->n_ends && job == LSCHED_NO_ROW; i++)
            if (t->ends[i].bin == bin && t->ends[i].at == item->start) job = t->ends[i].job;
        for (uint32_t i = 0; i < t->n_items && job == LSCHED_NO_ROW; i++) {
            const struct ts_item *o = &t->items[i];
            if (o == item || o->n_parts == 0 ||
                free_timeline_end(o->start, o->length) != item->start)
                continue;
            for (uint32_t q = o->first_part; q < o->first_part + o->n_parts; q++)
                if (t->parts[q].bin == bin) job = o->job;
        }
        if (job == LSCHED_NO_ROW) continue;
        *node = t->timeline.bins[bin].node;
        return job;
    }
    return job;
}
