/*
 * shape.c -- see shape.h. Canonical bytes of a task: kinds (name, amount), devices, share, device
 * memory, models, selectors, demand; of a job: flags, preemption delay, number of groups, then per
 * group: parent, children, min, max, five texts (name, tree, required, preferred and spread
 * level), the spread's maximum, and for leaves the length and bytes of the task. Little-endian 32-
 * and 64-bit words; texts are length and bytes.
 */
#include "model/shape.h"

#include "model/domain.h"

void shape_encode_task(struct bytes *b, const struct task_spec *t) {
    bytes_u32(b, t->n_request);
    for (uint32_t i = 0; i < t->n_request; i++) {
        bytes_text(b, t->request[i].kind);
        bytes_i64(b, t->request[i].amount);
    }
    bytes_u32(b, t->devices);
    bytes_u32(b, t->device_milli);
    bytes_i64(b, t->device_memory);
    bytes_u32(b, t->n_models);
    for (uint32_t i = 0; i < t->n_models; i++) bytes_text(b, t->models[i]);
    bytes_u32(b, t->n_selectors);
    for (uint32_t i = 0; i < t->n_selectors; i++) {
        bytes_text(b, t->selectors[i].key);
        bytes_u32(b, t->selectors[i].n_values);
        for (uint32_t v = 0; v < t->selectors[i].n_values; v++)
            bytes_text(b, t->selectors[i].values[v]);
    }
    bytes_u32(b, t->n_demand);
    for (uint32_t i = 0; i < t->n_demand; i++) {
        bytes_text(b, t->demand[i].kind);
        bytes_i64(b, t->demand[i].from_us);
        bytes_i64(b, t->demand[i].amount);
    }
}

void shape_encode_job(struct bytes *b, uint32_t flags, int64_t delay_us, uint32_t n_groups) {
    bytes_u32(b, flags);
    bytes_i64(b, delay_us);
    bytes_u32(b, n_groups);
}

void shape_encode_group(struct bytes *b, const struct group_spec *g) {
    bytes_u32(b, g->parent);
    bytes_u32(b, g->n_children);
    bytes_u32(b, g->min);
    bytes_u32(b, g->max);
    bytes_text(b, g->name);
    bytes_text(b, g->topology);
    bytes_text(b, g->required);
    bytes_text(b, g->preferred);
    bytes_text(b, g->spread);
    bytes_u32(b, g->spread_max);
    if (g->n_children) return;
    size_t at = b->n;
    bytes_u32(b, 0);
    shape_encode_task(b, &g->task);
    if (b->failed) return;
    uint32_t n = (uint32_t)(b->n - at - 4);
    for (uint32_t i = 0; i < 4; i++) b->p[at + i] = (uint8_t)(n >> (8 * i));
}

/* ---- decode ---- */

static int32_t decode_models(struct columns *k, struct reader *r, uint32_t shape) {
    uint32_t n = reader_u32(r), rows[LIMIT_MODELS_PER_GROUP];
    if (n > LIMIT_MODELS_PER_GROUP) return LSCHED_E_CORRUPT;
    for (uint32_t i = 0; i < n; i++) {
        lsched_text t = reader_text(r);
        uint32_t row = string_get(k, t.ptr, (size_t)t.len);
        if (row == NO_ROW) return LSCHED_E_NOMEM;
        uint32_t j = i;
        for (; j > 0 && rows[j - 1] > row; j--) rows[j] = rows[j - 1];
        rows[j] = row;
    }
    set_u32(k, C_SHAPE_N_MODELS, shape, n);
    if (n == 0) return LSCHED_OK;
    uint32_t text = text_new(k, rows, n * sizeof rows[0]);
    if (text == NO_ROW) return LSCHED_E_NOMEM;
    set_u32(k, C_SHAPE_MODELS, shape, text);
    return LSCHED_OK;
}

/* bytes are those of the caller, which stay where they are while columns move. */
static int32_t decode_task(struct columns *k, uint32_t shape, const uint8_t *bytes, size_t n) {
    struct reader r = {bytes, bytes + n, 0};
    uint32_t kinds = reader_u32(&r);
    for (uint32_t i = 0; i < kinds && !r.bad; i++) {
        lsched_text name = reader_text(&r);
        int64_t amount = reader_i64(&r);
        uint32_t kind = name_find(k, T_IX_KIND, name.ptr, (size_t)name.len);
        if (kind == NO_ROW || amount < 0) return LSCHED_E_CORRUPT;
        set_i64(k, C_SHAPE_REQ + kind, shape, amount);
    }
    set_u32(k, C_SHAPE_DEVICES, shape, reader_u32(&r));
    set_u32(k, C_SHAPE_DEVICE_MILLI, shape, reader_u32(&r));
    set_i64(k, C_SHAPE_DEVICE_MEM, shape, reader_i64(&r));
    int32_t rc = decode_models(k, &r, shape);
    if (rc != LSCHED_OK) return rc;
    set_u32(k, C_SHAPE_N_SELECTORS, shape, reader_u32(&r));
    set_u32(k, C_SHAPE_SELECTORS, shape, (uint32_t)(r.p - bytes));
    set_u32(k, C_SHAPE_PARKED, shape, NO_ROW);
    return r.bad ? LSCHED_E_CORRUPT : LSCHED_OK;
}

int32_t shape_get(struct columns *k, const void *bytes, size_t n, uint32_t *out) {
    int created;
    *out = intern_get(k, T_SHAPE, bytes, n, &created);
    if (*out == NO_ROW) return LSCHED_E_NOMEM;
    return created ? decode_task(k, *out, bytes, n) : LSCHED_OK;
}

void shape_drop(struct columns *k, uint32_t shape) {
    if (intern_is_last(k, T_SHAPE, shape)) {
        uint32_t n = k->c[C_SHAPE_N_MODELS].u32[shape], text = k->c[C_SHAPE_MODELS].u32[shape];
        const uint32_t *models = n ? text_bytes(k, text) : NULL;
        for (uint32_t i = 0; i < n; i++) intern_drop(k, T_STRING, models[i]);
        if (n) text_free(k, text);
        assert(k->c[C_SHAPE_PARKED].u32[shape] == NO_ROW);
    }
    intern_drop(k, T_SHAPE, shape);
}

static uint32_t level_of(const struct columns *k, uint32_t topology, lsched_text key) {
    return key.len == 0 || topology == NO_ROW ? NO_ROW : topology_level(k, topology, key);
}

static int32_t decode_group(struct columns *k, struct reader *r, uint32_t row) {
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    set_u32(k, C_GROUP_PARENT, row, reader_u32(r));
    uint32_t children = reader_u32(r);
    set_u32(k, C_GROUP_CHILDREN, row, children);
    set_u32(k, C_GROUP_MIN, row, reader_u32(r));
    set_u32(k, C_GROUP_MAX, row, reader_u32(r));
    reader_text(r);
    lsched_text tree = reader_text(r), required = reader_text(r), preferred = reader_text(r),
                spread = reader_text(r);
    int wishes = required.len || preferred.len || spread.len;
    uint32_t topology = wishes ? topology_find(k, tree) : NO_ROW;
    set_u32(k, C_GROUP_TOPOLOGY, row, topology);
    set_u32(k, C_GROUP_REQUIRED, row, level_of(k, topology, required));
    set_u32(k, C_GROUP_PREFERRED, row, level_of(k, topology, preferred));
    set_u32(k, C_GROUP_SPREAD, row, level_of(k, topology, spread));
    set_u32(k, C_GROUP_SPREAD_MAX, row, reader_u32(r));
    if (wishes && topology == NO_ROW) return LSCHED_E_CORRUPT;
    if (children) {
        set_u32(k, C_GROUP_SHAPE, row, NO_ROW);
        return r->bad ? LSCHED_E_CORRUPT : LSCHED_OK;
    }
    uint32_t n = reader_u32(r), shape;
    if (r->bad || (size_t)(r->end - r->p) < n) return LSCHED_E_CORRUPT;
    rc = shape_get(k, r->p, n, &shape);
    if (rc != LSCHED_OK) return rc;
    r->p += n;
    set_u32(k, C_GROUP_SHAPE, row, shape);
    return LSCHED_OK;
}

/* Minimum tasks of the whole tree: of each group the least that satisfies it. Children come after
 * parents, so one pass from the end; a group with min_groups takes its cheapest children, found by
 * counting over repeated minima. */
static uint32_t tasks_min(const struct columns *k, uint32_t first, uint32_t n) {
    uint32_t least[LSCHED_GROUPS_PER_JOB_MAX] = {0};
    for (uint32_t g = n; g-- > 0;) {
        uint32_t children = k->c[C_GROUP_CHILDREN].u32[first + g],
                 need = k->c[C_GROUP_MIN].u32[first + g];
        if (children == 0) {
            least[g] = need;
            continue;
        }
        uint64_t used = 0;
        for (uint32_t j = 0; j < need; j++) {
            uint32_t best = NO_ROW;
            for (uint32_t c = g + 1; c < n; c++)
                if (k->c[C_GROUP_PARENT].u32[first + c] == g && !(used >> c & 1) &&
                    (best == NO_ROW || least[c] < least[best]))
                    best = c;
            if (best == NO_ROW) break;
            used |= (uint64_t)1 << best;
            least[g] += least[best];
        }
    }
    return least[0];
}

static int32_t decode_job(struct columns *k, uint32_t jobshape, const uint8_t *bytes, size_t n) {
    struct reader r = {bytes, bytes + n, 0};
    reader_u32(&r);
    reader_i64(&r);
    uint32_t n_groups = reader_u32(&r), leaves = 0, tasks = 0, pinned = 0;
    if (n_groups == 0 || n_groups > LSCHED_GROUPS_PER_JOB_MAX) return LSCHED_E_CORRUPT;
    uint32_t first = block_new(k, BLOCKS_GROUP, n_groups);
    if (first == NO_ROW) return LSCHED_E_NOMEM;
    set_u32(k, C_JOBSHAPE_GROUP_FIRST, jobshape, first);
    set_u32(k, C_JOBSHAPE_N_GROUPS, jobshape, n_groups);
    for (uint32_t g = 0; g < n_groups; g++) {
        int32_t rc = decode_group(k, &r, first + g);
        if (rc != LSCHED_OK) return rc;
        if (k->c[C_GROUP_REQUIRED].u32[first + g] != NO_ROW) pinned |= PINNED_REQUIRED;
        if (k->c[C_GROUP_SPREAD].u32[first + g] != NO_ROW) pinned |= PINNED_SPREAD;
        set_u32(k, C_GROUP_BASE, first + g, tasks);
        if (k->c[C_GROUP_CHILDREN].u32[first + g]) continue;
        leaves++;
        tasks += k->c[C_GROUP_MAX].u32[first + g];
    }
    set_u32(k, C_JOBSHAPE_N_LEAVES, jobshape, leaves);
    set_u32(k, C_JOBSHAPE_TASKS, jobshape, tasks);
    set_u32(k, C_JOBSHAPE_TASKS_MIN, jobshape, tasks_min(k, first, n_groups));
    set_u8(k, C_JOBSHAPE_PINNED, jobshape, (uint8_t)pinned);
    return r.bad ? LSCHED_E_CORRUPT : LSCHED_OK;
}

int32_t jobshape_get(struct columns *k, const void *bytes, size_t n, uint32_t *out) {
    int created;
    *out = intern_get(k, T_JOBSHAPE, bytes, n, &created);
    if (*out == NO_ROW) return LSCHED_E_NOMEM;
    return created ? decode_job(k, *out, bytes, n) : LSCHED_OK;
}

/* Where the first group's minimum stands: after flags, delay, number of groups, parent, children. */
#define MINIMUM_AT 24u

int32_t jobshape_with_minimum(struct columns *k, uint32_t jobshape, uint32_t min, uint32_t *out) {
    uint32_t blob = k->c[C_JOBSHAPE_BLOB].u32[jobshape];
    struct bytes b;
    bytes_init(&b, k->alloc); /* a copy: the text may move */
    bytes_put(&b, text_bytes(k, blob), text_len(k, blob));
    int32_t rc = b.failed ? LSCHED_E_NOMEM : LSCHED_OK;
    for (uint32_t i = 0; i < 4 && rc == LSCHED_OK; i++)
        b.p[MINIMUM_AT + i] = (uint8_t)(min >> (8 * i));
    if (rc == LSCHED_OK) rc = jobshape_get(k, b.p, b.n, out);
    bytes_close(&b);
    return rc;
}

void jobshape_drop(struct columns *k, uint32_t jobshape) {
    if (intern_is_last(k, T_JOBSHAPE, jobshape)) {
        uint32_t first = k->c[C_JOBSHAPE_GROUP_FIRST].u32[jobshape],
                 n = k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape];
        for (uint32_t g = 0; g < n; g++)
            if (k->c[C_GROUP_SHAPE].u32[first + g] != NO_ROW)
                shape_drop(k, k->c[C_GROUP_SHAPE].u32[first + g]);
        block_free(k, BLOCKS_GROUP, first, n);
    }
    intern_drop(k, T_JOBSHAPE, jobshape);
}
