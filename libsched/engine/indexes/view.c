/* view.c -- see view.h. */
#include "engine/indexes/view.h"

#include "base/sort.h"
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
    v->queue_gen = v->queue_rank + queues;
    v->queue_live = (uint8_t *)(v->queue_gen + queues);
    v->queues_cap = queues;
    v->decayed_at = UNKNOWN;
    v->valid = 0;
    return LSCHED_OK;
}

/* All arrays by node row are in one memory block, too. The function copies rank[], by_rank[] and
 * gen[] to the new block. */
#define NODE_BYTES (sizeof(uint64_t) + 3 * sizeof(uint32_t) + 2)
static int32_t reserve_nodes(struct view_cache *v, struct alloc *a, uint32_t rows) {
    const struct view_cache old = *v;
    uint64_t *block = alloc_zero(a, rows * NODE_BYTES);
    if (!block) return LSCHED_E_NOMEM;
    v->node_class = block;
    v->rank = (uint32_t *)(void *)(block + rows);
    v->by_rank = v->rank + rows;
    v->gen = v->by_rank + rows;
    v->node_live = (uint8_t *)(v->gen + rows);
    v->node_ready = v->node_live + rows;
    v->rows_cap = rows;
    if (!old.rows_cap) return LSCHED_OK;
    memcpy(v->rank, old.rank, old.rows_cap * sizeof *v->rank);
    memcpy(v->by_rank, old.by_rank, old.rows_cap * sizeof *v->by_rank);
    memcpy(v->gen, old.gen, old.rows_cap * sizeof *v->gen);
    alloc_free(a, old.node_class, old.rows_cap * NODE_BYTES);
    return LSCHED_OK;
}

static int32_t view_reserve(struct view_cache *v, struct columns *k) {
    uint32_t rows = k->capacity[T_NODE] + 1, queues = k->capacity[T_QUEUE] + 1;
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
    memset(v, 0, sizeof *v);
}

/* ---- rank by name ---- */

struct names {
    const struct columns *k;
    const uint32_t *of; /* by row: row of the text that is the name */
};

static int name_before(const struct names *names, uint32_t a, uint32_t b) {
    return text_compare(names->k, names->of[a], names->of[b]) < 0;
}

SORT_STABLE(sort_by_name, uint32_t, const struct names *, name_before)

static int32_t rank_nodes(struct view_cache *v, struct columns *k) {
    uint32_t rows = table_rows(k, T_NODE), live = table_live(k, T_NODE), kept = 0, fresh = 0;
    steps_add(k, rows);
    if (live == 0) {
        v->n_ranked = 0;
        for (uint32_t i = 0; i < rows; i++) v->rank[i] = NO_ROW, v->gen[i] = 0;
        return LSCHED_OK;
    }
    uint32_t *old = alloc_new(k->alloc, 3ul * live * sizeof *old);
    if (!old) return LSCHED_E_NOMEM;
    uint32_t *add = old + live, *tmp = add + live;
    for (uint32_t i = 0; i < v->n_ranked; i++) {
        uint32_t n = v->by_rank[i];
        if (row_is_live(k, T_NODE, n) && v->gen[n] == k->c[C_NODE_GEN].u32[n])
            old[kept++] = n;
        else
            v->gen[n] = 0;
    }
    for (uint32_t n = 0; n < rows; n++) {
        if (row_is_live(k, T_NODE, n) && v->gen[n] != k->c[C_NODE_GEN].u32[n]) add[fresh++] = n;
        v->rank[n] = NO_ROW;
    }
    const struct names names = {k, k->c[C_NODE_NAME].u32};
    sort_by_name(&names, add, tmp, fresh);
    for (uint32_t i = 0, j = 0, o = 0; o < live; o++) {
        int from_add = i == kept || (j < fresh && name_before(&names, add[j], old[i]));
        uint32_t n = from_add ? add[j++] : old[i++];
        v->by_rank[o] = n;
        v->rank[n] = o;
        v->gen[n] = k->c[C_NODE_GEN].u32[n];
    }
    v->n_ranked = live;
    alloc_free(k->alloc, old, 3ul * live * sizeof *old);
    return LSCHED_OK;
}

/* True if no queue was added or removed since queues were last sorted. A queue with the same row
 * and generation has the same name. */
static int queues_are_ranked(struct view_cache *v, const struct columns *k) {
    int same = 1;
    steps_add(k, table_rows(k, T_QUEUE));
    for (uint32_t q = 0; q < table_rows(k, T_QUEUE); q++) {
        v->queue_live[q] = (uint8_t)row_is_live(k, T_QUEUE, q);
        uint32_t gen = v->queue_live[q] ? k->c[C_QUEUE_GEN].u32[q] : 0;
        if (v->queue_gen[q] == gen) continue;
        v->queue_gen[q] = gen;
        same = 0;
    }
    return same;
}

/* Sorts all queues by name. Queues are few and change seldom, therefore no incremental update is
 * needed. */
static int32_t rank_queues(struct view_cache *v, struct columns *k) {
    uint32_t rows = table_rows(k, T_QUEUE), n = 0;
    if (queues_are_ranked(v, k) || rows == 0) return LSCHED_OK;
    uint32_t *sorted = alloc_new(k->alloc, 2ul * rows * sizeof *sorted);
    if (!sorted) {
        memset(v->queue_gen, 0, rows * sizeof *v->queue_gen); /* marks all queues as not ranked */
        return LSCHED_E_NOMEM;
    }
    for (uint32_t q = 0; q < rows; q++) {
        v->queue_rank[q] = NO_ROW;
        if (v->queue_live[q]) sorted[n++] = q;
    }
    const struct names names = {k, k->c[C_QUEUE_NAME].u32};
    sort_by_name(&names, sorted, sorted + rows, n);
    for (uint32_t i = 0; i < n; i++) v->queue_rank[sorted[i]] = i;
    alloc_free(k->alloc, sorted, 2ul * rows * sizeof *sorted);
    return LSCHED_OK;
}

/* ---- the mix of task shapes ---- */

static int32_t mix_update(struct view_cache *v, struct columns *k) {
    uint32_t live = table_live(k, T_MIX), n = 0;
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
        view_task_shape(k, k->c[C_MIX_SHAPE].u32[row], &v->mix[n]);
        v->mix_count[n++] = k->c[C_MIX_COUNT].i64[row];
    }
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

static void derive(struct view_cache *v, const struct columns *k) {
    for (uint32_t n = 0; n < table_rows(k, T_NODE); n++) {
        v->node_live[n] = (uint8_t)row_is_live(k, T_NODE, n);
        v->node_ready[n] =
            (uint8_t)(v->node_live[n] && k->c[C_NODE_STATE].u8[n] == LSCHED_NODE_READY);
        v->node_class[n] =
            v->node_live[n] ? intern_serial(k, T_CLASS, k->c[C_NODE_CLASS].u32[n]) : 0;
    }
    v->decayed_at = UNKNOWN;
    v->view.node_live = v->node_live;
    v->view.node_ready = v->node_ready;
    v->view.node_class = v->node_class;
    v->view.node_name_rank = v->rank;
}

void view_decayed(struct view_cache *v, const struct columns *k) {
    int64_t at = usage_decay_is_on(k) ? v->view.now_us : NOT_REMEMBERED;
    if (v->decayed_at == at) return;
    for (uint32_t r = 1; r < v->view.n_kinds; r++) {
        int64_t *ppm = v->queue_decayed + (size_t)r * v->queues_cap;
        wide_u128 all = usage_decay_capacity(k, r, at);
        for (uint32_t q = 0; q < v->view.n_queues; q++)
            ppm[q] = v->queue_live[q] ? usage_decay_ppm(usage_decay_spent(k, q, r, at), all) : 0;
    }
    v->decayed_at = at;
}

int32_t view_update(struct view_cache *v, struct columns *k, int64_t now_us) {
    lsched_view *w = &v->view;
    w->size = sizeof *w;
    w->now_us = now_us;
    uint64_t structure = k->structure;
    if (v->valid && v->layout == k->layout && v->structure == structure) {
        w->n_jobs = table_rows(k, T_JOB);
        return LSCHED_OK;
    }
    w->n_kinds = (uint32_t)meta(k, M_N_KINDS);
    w->structure_serial = structure;
    int32_t rc = view_reserve(v, k);
    if (rc != LSCHED_OK) return rc;
    point_at_nodes(w, k);
    point_at_queues(v, w, k);
    v->layout = k->layout;
    /* The mix has pointers to texts. A change of the memory layout moves the texts. */
    rc = mix_update(v, k);
    if (rc == LSCHED_OK) rc = rank_queues(v, k);
    if (rc == LSCHED_OK && (!v->ranked || v->node_set != k->node_set)) {
        v->ranked = 0;
        rc = rank_nodes(v, k);
        v->node_set = k->node_set;
        v->ranked = rc == LSCHED_OK;
    }
    if (rc != LSCHED_OK) {
        v->valid = 0;
        return rc;
    }
    derive(v, k);
    v->structure = structure;
    v->valid = 1;
    return LSCHED_OK;
}
