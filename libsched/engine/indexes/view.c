/* view.c -- see view.h. */
#include "engine/indexes/view.h"

#include "model/store/blocks.h"
#include "model/queues/usage_decay.h"
#include "model/store/intern.h"
#include "model/store/steps.h"

void view_task_shape(const struct columns *k, uint32_t shape, lsched_task_shape *out) {
    memset(out, 0, sizeof *out);
    out->serial = k->c[C_SHAPE_SERIAL].u64[shape];
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
        out->request[r] = k->c[C_SHAPE_REQ + r].i64[shape];
    out->gpu_devices = k->c[C_SHAPE_DEVICES].u32[shape];
    out->device_milli = k->c[C_SHAPE_DEVICE_MILLI].u32[shape];
    out->device_memory_bytes = k->c[C_SHAPE_DEVICE_MEM].i64[shape];
    out->n_models = k->c[C_SHAPE_N_MODELS].u32[shape];
    out->n_selectors = k->c[C_SHAPE_N_SELECTORS].u32[shape];
    out->models = out->n_models ? text_bytes(k, k->c[C_SHAPE_MODELS].u32[shape]) : NULL;
}

void view_task_shape_renew(const struct columns *k, uint32_t shape, lsched_task_shape *out) {
    /* a serial number belongs to one content; the texts of models can move in memory */
    if (out->serial && out->serial == k->c[C_SHAPE_SERIAL].u64[shape] && !out->n_models) return;
    view_task_shape(k, shape, out);
}

/* value of decayed_at while the cluster keeps no decayed use; queue_decayed[] is then 0 */
#define NOT_REMEMBERED INT64_MIN
#define UNKNOWN        (-1)

/* All arrays by queue row are in one memory block, so that one allocation provides all of them.
 * The new arrays do not keep the old contents, because the contents are computed again. */
#define QUEUE_BYTES (sizeof(int64_t) * (KINDS_MAX + 1) + 2 * sizeof(uint32_t) + 1)
static int32_t reserve_queues(struct view_cache *v, struct alloc *a, uint32_t queues) {
    int64_t *block = alloc_zero(a, queues * QUEUE_BYTES);
    if (!block) return LSCHED_E_NOMEM;
    alloc_free(a, v->queue_decayed, v->queues_cap * QUEUE_BYTES);
    v->queue_decayed = block;
    v->queue_head = block + (size_t)queues * KINDS_MAX;
    v->queue_rank = (uint32_t *)(void *)(v->queue_head + queues);
    v->queue_list = v->queue_rank + queues;
    v->queue_live = (uint8_t *)(v->queue_list + queues);
    v->queues_cap = queues;
    v->decayed_at = UNKNOWN;
    v->queues_ranked = 0;
    return LSCHED_OK;
}

/* All arrays by node row are in one memory block, too. The function copies all of them. */
#define NODE_BYTES (2 * sizeof(uint64_t) + 2 * sizeof(uint32_t) + 2)
static int32_t reserve_nodes(struct view_cache *v, struct alloc *a, uint32_t rows) {
    const struct view_cache old = *v;
    uint64_t *block = alloc_zero(a, rows * NODE_BYTES);
    if (!block) return LSCHED_E_NOMEM;
    v->node_class = block;
    v->node_edition = v->node_class + rows;
    v->rank = (uint32_t *)(void *)(v->node_edition + rows);
    v->by_rank = v->rank + rows;
    v->node_live = (uint8_t *)(v->by_rank + rows);
    v->node_ready = v->node_live + rows;
    v->rows_cap = rows;
    if (!old.rows_cap) return LSCHED_OK;
    memcpy(v->node_class, old.node_class, old.rows_cap * sizeof *v->node_class);
    memcpy(v->node_edition, old.node_edition, old.rows_cap * sizeof *v->node_edition);
    memcpy(v->rank, old.rank, old.rows_cap * sizeof *v->rank);
    memcpy(v->by_rank, old.by_rank, old.rows_cap * sizeof *v->by_rank);
    memcpy(v->node_live, old.node_live, old.rows_cap);
    memcpy(v->node_ready, old.node_ready, old.rows_cap);
    alloc_free(a, old.node_class, old.rows_cap * NODE_BYTES);
    return LSCHED_OK;
}

static int32_t view_reserve(struct view_cache *v, struct columns *k) {
    uint32_t rows = table_memory_rows(k, T_NODE) + 1, queues = table_memory_rows(k, T_QUEUE) + 1;
    int32_t rc = rows > v->rows_cap ? reserve_nodes(v, k->alloc, rows) : LSCHED_OK;
    return rc == LSCHED_OK && queues > v->queues_cap ? reserve_queues(v, k->alloc, queues) : rc;
}

/* bytes per entry of the mix of task shapes: mix[] and mix_count[] are in one memory block */
#define MIX_BYTES (sizeof(lsched_task_shape) + sizeof(int64_t))

void view_close(struct view_cache *v, struct columns *k) {
    struct alloc *a = k->alloc;
    alloc_free(a, v->node_class, v->rows_cap * NODE_BYTES);
    alloc_free(a, v->queue_decayed, v->queues_cap * QUEUE_BYTES);
    alloc_free(a, v->mix, v->mix_cap * MIX_BYTES);
    name_order_close(&v->nodes, k);
    name_order_close(&v->queues, k);
    *v = (struct view_cache){.keeps_ranks = v->keeps_ranks};
}

/* ---- rank of queues by name ---- */

/* Sets queue_live[]. True if no queue was added or removed since queues were last sorted. */
static int queues_are_ranked(struct view_cache *v, const struct columns *k) {
    int same = v->queues_ranked == v->queues.changes + 1;
    steps_add(k, table_rows(k, T_QUEUE));
    for (uint32_t q = 0; q < table_rows(k, T_QUEUE); q++) {
        v->queue_live[q] = (uint8_t)row_is_live(k, T_QUEUE, q);
        same = same && name_order_is_current(&v->queues, k, q);
    }
    return same;
}

/* Ranks all queues. Costs O(queues), and sorts only the new ones. */
static int32_t rank_queues(struct view_cache *v, struct columns *k) {
    if (!v->queues.of.table)
        name_order_open(&v->queues, (struct name_order_of){T_QUEUE, C_QUEUE_NAME, C_QUEUE_GEN});
    if (queues_are_ranked(v, k)) return LSCHED_OK;
    int32_t rc = name_order_renew(&v->queues, k);
    if (rc != LSCHED_OK) return rc;
    name_order_list(&v->queues, v->queue_list);
    memset(v->queue_rank, 0xFF, v->queues_cap * sizeof *v->queue_rank);
    for (uint32_t i = 0; i < v->queues.n; i++) v->queue_rank[v->queue_list[i]] = i;
    v->queues_ranked = v->queues.changes + 1;
    return LSCHED_OK;
}

/* ---- the mix of task shapes ---- */

static int32_t mix_update(struct view_cache *v, struct columns *k) {
    uint32_t live = table_live(k, T_MIX), n = 0;
    int same = live == v->view.n_mix && live <= v->mix_cap;
    if (live > v->mix_cap) {
        lsched_task_shape *fresh = alloc_new(k->alloc, live * MIX_BYTES);
        if (!fresh) return LSCHED_E_NOMEM;
        alloc_free(k->alloc, v->mix, v->mix_cap * MIX_BYTES);
        v->mix = fresh;
        v->mix_count = (int64_t *)(void *)(fresh + live);
        v->mix_cap = live;
    }
    for (uint32_t row = 0; row < table_rows(k, T_MIX); row++) {
        if (!row_is_live(k, T_MIX, row)) continue;
        uint64_t serial = k->c[C_SHAPE_SERIAL].u64[k->c[C_MIX_SHAPE].u32[row]];
        same = same && v->mix[n].serial == serial && v->mix_count[n] == k->c[C_MIX_COUNT].i64[row];
        view_task_shape(k, k->c[C_MIX_SHAPE].u32[row], &v->mix[n]);
        v->mix_count[n++] = k->c[C_MIX_COUNT].i64[row];
    }
    if (!same) v->supply++;
    v->view.mix = v->mix;
    v->view.mix_count = v->mix_count;
    v->view.n_mix = n;
    return LSCHED_OK;
}

/* ---- columns ---- */

static void point_at_nodes(lsched_view *w, const struct columns *k) {
    for (uint32_t r = 0; r < w->n_kinds; r++) {
        w->node_capacity[r] = k->c[C_NODE_CAP + r].i64;
        w->node_free[r] = k->c[C_NODE_FREE + r].i64;
        w->total_capacity[r] = (int64_t)meta(k, M_TOTAL_READY + r);
    }
    w->n_nodes = table_rows(k, T_NODE);
    w->n_devices = table_rows(k, T_DEVICE);
    w->node_device_first = k->c[C_NODE_DEVICE_FIRST].u32;
    w->node_device_count = k->c[C_NODE_N_DEVICES].u8;
    w->node_price_micro_per_hour = k->c[C_NODE_PRICE].i64;
    w->node_power_milliwatt = k->c[C_NODE_POWER].i64;
    w->device_free_milli = k->c[C_DEVICE_FREE_MILLI].u16;
    w->device_memory_free_bytes = k->c[C_DEVICE_MEM_FREE].i64;
    w->device_memory_bytes = k->c[C_DEVICE_MEM].i64;
    w->device_model = k->c[C_DEVICE_MODEL].u32;
    w->device_share = k->c[C_DEVICE_SHARE].u8;
    w->n_models = table_rows(k, T_STRING);
}

static void point_at_queues(const struct view_cache *v, lsched_view *w, const struct columns *k) {
    for (uint32_t r = 0; r < w->n_kinds; r++) {
        w->queue_used[r] = k->c[C_QUEUE_USED + r].i64;
        w->queue_quota[r] = k->c[C_QUEUE_QUOTA_NOW + r].i64;
        w->queue_limit[r] = k->c[C_QUEUE_LIMIT_NOW + r].i64;
        w->queue_weight_milli[r] = k->c[C_QUEUE_WEIGHT_NOW + r].i64;
        w->queue_demand[r] = k->c[C_QUEUE_DEMAND + r].i64;
        w->queue_core[r] = k->c[C_QUEUE_CORE + r].i64;
        w->queue_lend[r] = k->c[C_QUEUE_LEND + r].i64;
        w->queue_decayed_ppm[r] = v->queue_decayed + (size_t)r * v->queues_cap;
    }
    w->queue_created_us = k->c[C_QUEUE_CREATED].i64;
    w->queue_flags = k->c[C_QUEUE_FLAGS].u8;
    w->queue_live = v->queue_live;
    w->queue_name_rank = v->queue_rank;
    w->queue_head_order = v->queue_head;
    w->n_queues = table_rows(k, T_QUEUE);
    w->queue_parent = k->c[C_QUEUE_PARENT].u32;
    w->queue_depth = k->c[C_QUEUE_DEPTH].u32;
    w->queue_priority = k->c[C_QUEUE_PRIORITY_NOW].i32;
    w->n_jobs = table_rows(k, T_JOB);
    w->job_priority = k->c[C_JOB_PRIORITY].i32;
    w->job_submit_us = k->c[C_JOB_SUBMIT].i64;
    w->job_duration_us = k->c[C_JOB_DURATION].i64;
    w->job_deadline_us = k->c[C_JOB_DEADLINE].i64;
}

/* ---- nodes ---- */

/* Computes what the view keeps of one node again. Returns 1 if it is not what it was. */
static int look_at_node(struct view_cache *v, const struct columns *k, uint32_t node) {
    uint8_t live = (uint8_t)row_is_live(k, T_NODE, node),
            ready = (uint8_t)(live && k->c[C_NODE_STATE].u8[node] == LSCHED_NODE_READY);
    uint64_t class = live ? intern_serial(k, T_CLASS, k->c[C_NODE_CLASS].u32[node]) : 0;
    if (v->node_live[node] == live && v->node_ready[node] == ready && v->node_class[node] == class)
        return 0;
    v->node_live[node] = live;
    v->node_ready[node] = ready;
    v->node_class[node] = class;
    return 1;
}

static void note_change(struct view_cache *v, uint32_t node) {
    v->node_edition[node] = ++v->edition;
    v->supply++;
}

static int32_t nodes_renew(struct view_cache *v, struct columns *k) {
    if (!v->nodes.of.table)
        name_order_open(&v->nodes, (struct name_order_of){T_NODE, C_NODE_NAME, C_NODE_GEN});
    int32_t rc = name_order_renew(&v->nodes, k);
    if (rc != LSCHED_OK) return rc;
    steps_add(k, v->rows_cap);
    for (uint32_t n = 0; n < v->rows_cap; n++) (void)look_at_node(v, k, n);
    /* the log does not say which nodes changed, therefore all of them count as changed */
    for (uint32_t n = 0; n < v->rows_cap; n++) v->node_edition[n] = v->edition + 1;
    v->edition++;
    v->supply++;
    return LSCHED_OK;
}

static uint32_t touched_at(const struct view_cache *v, const struct columns *k, uint64_t i) {
    uint32_t node = k->touch.rows[i & (k->touch.cap - 1)];
    return node < v->rows_cap ? node : NO_ROW;
}

/* Brings the nodes in the touch log up to date. All names that are gone are taken out before a name
 * is put in, because names of rows that ended cannot be compared. */
static int32_t nodes_follow(struct view_cache *v, struct columns *k) {
    uint64_t from = v->synced, to = k->touch.next;
    int moved = 0;
    for (uint64_t i = from; i < to; i++) {
        uint32_t n = touched_at(v, k, i);
        if (n == NO_ROW) continue;
        int changed = look_at_node(v, k, n);
        if (!name_order_is_current(&v->nodes, k, n)) {
            if (n < v->nodes.cap_gen && v->nodes.gen[n]) name_order_take_out(&v->nodes, k, n);
            moved = changed = 1;
        }
        if (changed) note_change(v, n);
    }
    for (uint64_t i = from; moved && i < to; i++) {
        uint32_t n = touched_at(v, k, i);
        if (n == NO_ROW || name_order_is_current(&v->nodes, k, n)) continue;
        int32_t rc = name_order_put_in(&v->nodes, k, n);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

/* Brings the members about nodes up to date. */
static int32_t nodes_update(struct view_cache *v, struct columns *k) {
    const struct touch_log *t = &k->touch;
    int anew = !v->edition || !touch_log_reaches(t, v->synced);
    if (!anew && v->synced == t->next) return LSCHED_OK;
    int32_t rc = anew ? nodes_renew(v, k) : nodes_follow(v, k);
    uint64_t seen = touch_seen(k);
    v->synced = rc == LSCHED_OK ? seen : UINT64_MAX;
    return rc;
}

void view_rank(struct view_cache *v, const struct columns *k) {
    if (v->ranked == v->nodes.changes + 1) return;
    steps_add(k, v->rows_cap);
    name_order_list(&v->nodes, v->by_rank);
    memset(v->rank, 0xFF, v->rows_cap * sizeof *v->rank);
    for (uint32_t i = 0; i < v->nodes.n; i++) v->rank[v->by_rank[i]] = i;
    v->n_ranked = v->nodes.n;
    v->ranked = v->nodes.changes + 1;
}

/* A report can be later than the cycle, and a queue that changes in the cycle is settled at the
 * cluster's time. Decayed use at the cycle's time would then differ before and after the change. */
void view_decayed(struct view_cache *v, const struct columns *k) {
    int64_t at = usage_decay_is_on(k) ? (int64_t)meta(k, M_NOW) : NOT_REMEMBERED;
    if (v->decayed_at == at) return;
    for (uint32_t r = 1; r < v->view.n_kinds; r++) {
        int64_t *ppm = v->queue_decayed + (size_t)r * v->queues_cap;
        wide_u128 all = usage_decay_capacity(k, r, at);
        for (uint32_t q = 0; q < v->view.n_queues; q++)
            ppm[q] = v->queue_live[q] ? usage_decay_ppm(usage_decay_spent(k, q, r, at), all) : 0;
    }
    v->decayed_at = at;
}

static void point_at_view(struct view_cache *v) {
    v->view.node_live = v->node_live;
    v->view.node_ready = v->node_ready;
    v->view.node_class = v->node_class;
    v->view.node_name_rank = v->rank;
}

/* Brings the pointers, the members about queues and the mix of task shapes up to date. */
static int32_t renew(struct view_cache *v, struct columns *k) {
    lsched_view *w = &v->view;
    /* a column that moves in memory changes no queue */
    int ranked = v->valid && v->structure == k->structure;
    uint32_t queues_cap = v->queues_cap;
    v->valid = 0;
    w->n_kinds = (uint32_t)meta(k, M_N_KINDS);
    w->structure_serial = k->structure;
    int32_t rc = view_reserve(v, k);
    /* the log is lost if it grows later, after the nodes were looked at */
    if (rc == LSCHED_OK) rc = touch_log_reserve(k->alloc, &k->touch, table_rows(k, T_NODE));
    if (rc != LSCHED_OK) return rc;
    point_at_nodes(w, k);
    point_at_queues(v, w, k);
    point_at_view(v);
    v->layout = k->layout;
    /* The mix has pointers to texts. A change of the memory layout moves the texts. */
    rc = mix_update(v, k);
    if (rc == LSCHED_OK && (!ranked || v->queues_cap != queues_cap)) rc = rank_queues(v, k);
    if (rc != LSCHED_OK) return rc;
    v->decayed_at = UNKNOWN;
    v->structure = k->structure;
    v->valid = 1;
    return LSCHED_OK;
}

int32_t view_update(struct view_cache *v, struct columns *k, int64_t now_us) {
    v->view.size = sizeof v->view;
    v->view.now_us = now_us;
    v->view.n_jobs = table_rows(k, T_JOB);
    int32_t rc = v->valid && v->layout == k->layout && v->structure == k->structure ? LSCHED_OK
                                                                                    : renew(v, k);
    if (rc == LSCHED_OK) rc = nodes_update(v, k);
    if (rc == LSCHED_OK && v->keeps_ranks) view_rank(v, k);
    return rc;
}

int32_t view_follow_memory(struct view_cache *v, struct columns *k) {
    assert(v->valid && v->structure == k->structure);
    return v->layout == k->layout ? LSCHED_OK : renew(v, k);
}

int32_t view_update_ranked(struct view_cache *v, struct columns *k, int64_t now_us) {
    int32_t rc = view_update(v, k, now_us);
    if (rc == LSCHED_OK) view_rank(v, k);
    return rc;
}
