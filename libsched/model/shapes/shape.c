/*
 * shape.c -- see shape.h. Order of the canonical bytes:
 *   task: kinds (name, amount), devices, share, device memory, models, selectors, demand, then
 *     the optional sections
 *   job: flags, preemption delay, number of groups, then the groups
 *   group: parent, number of children, min, max, five texts (name, tree, required, preferred and
 *     spread level), the spread's maximum, length and bytes of its optional sections; a leaf
 *     group also has the number of its alternatives, and the length and bytes of the task of each
 *     alternative
 * Numbers are little-endian words of 32 or 64 bits; a text is its length, then its bytes.
 */
#include "model/shapes/shape.h"

#include "model/shapes/daily_demand.h"
#include "model/shapes/domain.h"
#include "model/shapes/node_rules.h"
#include "model/shapes/device_selector.h"
#include "model/shapes/device_part.h"
#include "model/shapes/work_kind.h"

/* Reserves the bytes for the task's length, which shape_end_task() fills in. */
size_t shape_begin_task(struct bytes *b) {
    bytes_u32(b, 0);
    return b->n;
}

void shape_end_task(struct bytes *b, size_t begin) {
    if (b->failed) return;
    uint32_t n = (uint32_t)(b->n - begin);
    for (uint32_t i = 0; i < 4; i++) b->p[begin - 4 + i] = (uint8_t)(n >> (8 * i));
}

static void encode_devices(struct bytes *b, const struct task_spec *t) {
    if (!(t->sm_count || t->isolation || t->order || t->link || t->numa || t->nics ||
          t->mig_slices || t->device_limit || t->profile.len))
        return;
    bytes_u32(b, SHAPE_PART_DEVICES);
    size_t at = shape_begin_task(b);
    const uint32_t words[] = {t->sm_count, t->isolation, t->order,     t->link,
                              t->numa,     t->nics,      t->mig_slices};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) bytes_u32(b, words[i]);
    bytes_i64(b, t->device_limit);
    bytes_text(b, t->profile);
    shape_end_task(b, at);
}

static void encode_texts(struct bytes *b, const lsched_text *list, uint32_t n) {
    bytes_u32(b, n);
    for (uint32_t i = 0; i < n; i++) bytes_text(b, list[i]);
}

static void encode_claim(struct bytes *b, const struct task_spec *t) {
    if (!(t->selector.len || t->n_match || t->n_distinct)) return;
    bytes_u32(b, SHAPE_PART_CLAIM);
    size_t at = shape_begin_task(b);
    bytes_text(b, t->selector);
    encode_texts(b, t->match, t->n_match);
    encode_texts(b, t->distinct, t->n_distinct);
    shape_end_task(b, at);
}

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
    encode_devices(b, t);
    encode_claim(b, t);
    if (t->rules && t->rules->n) {
        bytes_u32(b, SHAPE_PART_RULES);
        size_t at = shape_begin_task(b);
        bytes_put(b, t->rules->p, t->rules->n);
        shape_end_task(b, at);
    }
    if (t->daily) {
        bytes_u32(b, SHAPE_PART_DAY);
        bytes_u32(b, 0);
    }
    if (t->n_supplies) {
        bytes_u32(b, SHAPE_PART_SUPPLIES);
        size_t at = shape_begin_task(b);
        supply_needs_encode(b, t->supplies, t->n_supplies);
        shape_end_task(b, at);
    }
    if (t->work.len) {
        bytes_u32(b, SHAPE_PART_WORK);
        size_t at = shape_begin_task(b);
        bytes_text(b, t->work);
        shape_end_task(b, at);
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
    size_t at = shape_begin_task(b);
    if (g->mode || g->n_slices) {
        bytes_u32(b, GROUP_PART_SLICES);
        bytes_u32(b, g->mode);
        bytes_u32(b, g->n_slices);
        for (uint32_t i = 0; i < g->n_slices; i++) {
            bytes_text(b, g->slices[i].level);
            bytes_u32(b, g->slices[i].tasks);
        }
    }
    if (g->node_max) {
        bytes_u32(b, GROUP_PART_NODE_MAX);
        bytes_u32(b, g->node_max);
    }
    if (g->absent) {
        bytes_u32(b, GROUP_PART_MEMBERS);
        bytes_u32(b, g->max - g->absent);
    }
    if (g->fixed) {
        bytes_u32(b, GROUP_PART_FIXED);
        bytes_u32(b, 0);
    }
    shape_end_task(b, at);
}

void shape_encode_leaf(struct bytes *b, uint32_t n_alternatives) {
    bytes_u32(b, n_alternatives);
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

static int32_t decode_devices(struct columns *k, uint32_t shape, struct reader *r) {
    set_u32(k, C_SHAPE_SM_COUNT, shape, reader_u32(r));
    set_u8(k, C_SHAPE_ISOLATION, shape, (uint8_t)reader_u32(r));
    set_u8(k, C_SHAPE_ORDER, shape, (uint8_t)reader_u32(r));
    uint32_t link = reader_u32(r), numa = reader_u32(r), nics = reader_u32(r);
    set_u8(k, C_SHAPE_WEAKEST_LINK, shape, (uint8_t)link);
    set_u8(k, C_SHAPE_NUMA, shape, (uint8_t)numa);
    set_u8(k, C_SHAPE_NICS, shape, (uint8_t)nics);
    set_u8(k, C_SHAPE_MIG_SLICES, shape, (uint8_t)reader_u32(r));
    set_i64(k, C_SHAPE_DEVICE_LIMIT, shape, reader_i64(r));
    set_u8(k, C_SHAPE_PICKY, shape,
           (uint8_t)((link ? PICKY_LINK : 0) | (numa == LSCHED_NUMA_REQUIRED ? PICKY_NUMA : 0) |
                     (nics ? PICKY_NICS : 0)));
    lsched_text profile = reader_text(r);
    if (r->bad || profile.len == 0) return r->bad ? LSCHED_E_CORRUPT : LSCHED_OK;
    uint32_t row = string_get(k, profile.ptr, (size_t)profile.len);
    if (row == NO_ROW) return LSCHED_E_NOMEM;
    set_u32(k, C_SHAPE_PROFILE, shape, row);
    return LSCHED_OK;
}

static int32_t decode_claim(struct columns *k, uint32_t shape, struct reader *r) {
    lsched_text selector = reader_text(r);
    uint32_t names = 0, row;
    for (int list = 0; list < 2; list++)
        for (uint32_t n = reader_u32(r); n > 0 && !r->bad; n--, names++) reader_text(r);
    if (r->bad) return LSCHED_E_CORRUPT;
    if (names) set_u8(k, C_SHAPE_PICKY, shape, k->c[C_SHAPE_PICKY].u8[shape] | PICKY_MATCH);
    if (selector.len == 0) return LSCHED_OK;
    int32_t rc = device_selector_get(k, selector, &row);
    if (rc == LSCHED_OK) set_u32(k, C_SHAPE_SELECTOR, shape, row);
    return rc;
}

static void skip_selectors(const struct columns *k, uint32_t shape, struct reader *r) {
    for (uint32_t i = 0; i < k->c[C_SHAPE_N_SELECTORS].u32[shape] && !r->bad; i++) {
        reader_text(r);
        for (uint32_t n = reader_u32(r); n > 0 && !r->bad; n--) reader_text(r);
    }
}

/* Returns a reader that stands before the number of demand steps. Before the call, the shape's
 * selectors must have been decoded. */
static struct reader demand_of(const struct columns *k, uint32_t shape, const uint8_t *bytes,
                               const uint8_t *end) {
    struct reader r = {bytes + k->c[C_SHAPE_SELECTORS].u32[shape], end, 0};
    skip_selectors(k, shape, &r);
    return r;
}

/* Decodes the optional sections in order of their tags. The section of node and job rules is only
 * checked here; node_rules.c reads its bytes later. */
static int32_t decode_parts(struct columns *k, uint32_t shape, struct reader *r,
                            const uint8_t *bytes) {
    uint32_t last = 0;
    if (r->p < r->end) set_u32(k, C_SHAPE_PARTS, shape, (uint32_t)(r->p - bytes));
    while (r->p < r->end) {
        uint32_t tag = reader_u32(r), n = reader_u32(r);
        if (r->bad || tag <= last || (size_t)(r->end - r->p) < n) return LSCHED_E_CORRUPT;
        struct reader part = {r->p, r->p + n, 0};
        int32_t rc = undo_room(k);
        if (rc == LSCHED_OK && tag == SHAPE_PART_DEVICES) rc = decode_devices(k, shape, &part);
        if (rc == LSCHED_OK && tag == SHAPE_PART_CLAIM) rc = decode_claim(k, shape, &part);
        if (rc == LSCHED_OK && tag == SHAPE_PART_RULES) {
            uint32_t bits = rules_bits(part);
            if (bits & RULES_BAD) return LSCHED_E_CORRUPT;
            set_u8(k, C_SHAPE_RULES, shape, (uint8_t)bits);
            if (bits & RULES_APART) rules_count_apart(k, shape, 1);
        }
        if (rc == LSCHED_OK && tag == SHAPE_PART_DAY)
            rc = daily_demand_shape_fill(k, shape, demand_of(k, shape, bytes, r->end));
        if (rc == LSCHED_OK && tag == SHAPE_PART_SUPPLIES)
            rc = supply_needs_decode(k, shape, &part);
        if (rc != LSCHED_OK) return rc;
        r->p += n;
        last = tag;
    }
    return LSCHED_OK;
}

/* Decodes the canonical bytes of one task. bytes: memory of the caller that must not be in a
 * column, because columns can move. */
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
    SET_NONE(k, shape, C_SHAPE_PARKED, C_SHAPE_PROFILE, C_SHAPE_SELECTOR);
    skip_selectors(k, shape, &r);
    for (uint32_t n_demand = reader_u32(&r); n_demand > 0 && !r.bad; n_demand--) {
        reader_text(&r);
        reader_i64(&r);
        reader_i64(&r);
    }
    if (r.bad) return LSCHED_E_CORRUPT;
    rc = decode_parts(k, shape, &r, bytes);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc == LSCHED_OK && k->c[C_SHAPE_DEVICES].u32[shape] > 1 && shape_charge_varies(k, shape))
        set_u8(k, C_SHAPE_PICKY, shape, k->c[C_SHAPE_PICKY].u8[shape] | PICKY_CHARGE);
    if (rc == LSCHED_OK && work_kinds(k)) set_u8(k, C_SHAPE_WORK, shape, work_kind_of(k, shape));
    return rc;
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
        if (k->c[C_SHAPE_PROFILE].u32[shape] != NO_ROW)
            intern_drop(k, T_STRING, k->c[C_SHAPE_PROFILE].u32[shape]);
        if (k->c[C_SHAPE_SELECTOR].u32[shape] != NO_ROW)
            device_selector_drop(k, k->c[C_SHAPE_SELECTOR].u32[shape]);
        if (k->c[C_SHAPE_RULES].u8[shape] & RULES_APART) rules_count_apart(k, shape, -1);
        daily_demand_shape_drop(k, shape);
        supply_needs_drop(k, shape);
        assert(k->c[C_SHAPE_PARKED].u32[shape] == NO_ROW);
    }
    intern_drop(k, T_SHAPE, shape);
}

static uint32_t shape_level_of(const struct columns *k, uint32_t topology, lsched_text key) {
    return key.len == 0 || topology == NO_ROW ? NO_ROW : topology_level(k, topology, key);
}

/* Decodes the section with the mode by which tasks are assigned to domains, and the task blocks. */
static int32_t decode_slices(struct columns *k, struct reader *r, uint32_t row, uint32_t topology) {
    uint32_t mode = reader_u32(r), slices = reader_u32(r);
    if (slices > LSCHED_SLICES_MAX) return LSCHED_E_CORRUPT;
    set_u8(k, C_GROUP_MODE, row, (uint8_t)mode);
    set_u8(k, C_GROUP_N_SLICES, row, (uint8_t)slices);
    for (uint32_t i = 0; i < slices; i++) {
        set_u32(k, C_GROUP_SLICE_LEVEL0 + i, row, shape_level_of(k, topology, reader_text(r)));
        set_u32(k, C_GROUP_SLICE_TASKS0 + i, row, reader_u32(r));
    }
    return r->bad ? LSCHED_E_CORRUPT : LSCHED_OK;
}

/* Decodes the section of a leaf group whose size is chosen at its start. A chosen size is the
 * minimum and the maximum of the group. */
static void decode_size(struct columns *k, struct reader *r, uint32_t row) {
    uint32_t size = reader_u32(r);
    set_u8(k, C_GROUP_FIXED, row, 1);
    set_u32(k, C_GROUP_SIZE, row, size);
    if (size == 0) return;
    set_u32(k, C_GROUP_MIN, row, size);
    set_u32(k, C_GROUP_MAX, row, size);
}

/* Decodes the optional sections of a group, which follow one another in the order of their tags. */
static int32_t decode_group_parts(struct columns *k, struct reader *r, uint32_t row,
                                  uint32_t topology) {
    uint32_t n = reader_u32(r), last = 0;
    if (r->bad || (size_t)(r->end - r->p) < n) return LSCHED_E_CORRUPT;
    struct reader part = {r->p, r->p + n, 0};
    r->p += n;
    while (part.p < part.end) {
        uint32_t tag = reader_u32(&part);
        int32_t rc = LSCHED_OK;
        if (part.bad || tag <= last) return LSCHED_E_CORRUPT;
        if (tag == GROUP_PART_SLICES)
            rc = decode_slices(k, &part, row, topology);
        else if (tag == GROUP_PART_NODE_MAX)
            set_u32(k, C_GROUP_NODE_MAX, row, reader_u32(&part));
        else if (tag == GROUP_PART_MEMBERS)
            set_u32(k, C_GROUP_MEMBERS, row, reader_u32(&part));
        else if (tag == GROUP_PART_FIXED)
            decode_size(k, &part, row);
        else
            rc = LSCHED_E_CORRUPT;
        if (rc != LSCHED_OK || part.bad) return LSCHED_E_CORRUPT;
        last = tag;
    }
    return LSCHED_OK;
}

static int32_t decode_alternatives(struct columns *k, struct reader *r, uint32_t row) {
    uint32_t n = reader_u32(r), shapes[LSCHED_ALTERNATIVES_MAX];
    if (r->bad || n == 0 || n > LSCHED_ALTERNATIVES_MAX) return LSCHED_E_CORRUPT;
    for (uint32_t a = 0; a < n; a++) {
        uint32_t bytes = reader_u32(r);
        if (r->bad || (size_t)(r->end - r->p) < bytes) return LSCHED_E_CORRUPT;
        int32_t rc = shape_get(k, r->p, bytes, &shapes[a]);
        if (rc == LSCHED_OK) rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        r->p += bytes;
    }
    set_u32(k, C_GROUP_N_ALTERNATIVES, row, n);
    set_u32(k, C_GROUP_SHAPE, row, shapes[0]);
    if (n == 1) return LSCHED_OK;
    uint32_t text = text_new(k, shapes, n * sizeof shapes[0]);
    if (text == NO_ROW) return LSCHED_E_NOMEM;
    set_u32(k, C_GROUP_ALTERNATIVES, row, text);
    return LSCHED_OK;
}

static int32_t decode_group(struct columns *k, struct reader *r, uint32_t row) {
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    set_u32(k, C_GROUP_PARENT, row, reader_u32(r));
    uint32_t children = reader_u32(r);
    set_u32(k, C_GROUP_CHILDREN, row, children);
    set_u32(k, C_GROUP_MIN, row, reader_u32(r));
    set_u32(k, C_GROUP_MAX, row, reader_u32(r));
    set_u32(k, C_GROUP_MEMBERS, row, k->c[C_GROUP_MAX].u32[row]);
    set_u32(k, C_GROUP_LEAST, row, k->c[C_GROUP_MIN].u32[row]);
    set_u32(k, C_GROUP_SPAN, row, children ? 0 : k->c[C_GROUP_MAX].u32[row]);
    reader_text(r);
    lsched_text tree = reader_text(r), required = reader_text(r), preferred = reader_text(r),
                spread = reader_text(r);
    int wishes = required.len || preferred.len || spread.len || tree.len;
    uint32_t topology = wishes ? topology_find(k, tree) : NO_ROW;
    set_u32(k, C_GROUP_TOPOLOGY, row, topology);
    set_u32(k, C_GROUP_REQUIRED, row, shape_level_of(k, topology, required));
    set_u32(k, C_GROUP_PREFERRED, row, shape_level_of(k, topology, preferred));
    set_u32(k, C_GROUP_SPREAD, row, shape_level_of(k, topology, spread));
    set_u32(k, C_GROUP_SPREAD_MAX, row, reader_u32(r));
    set_u32(k, C_GROUP_SHAPE, row, NO_ROW);
    set_u32(k, C_GROUP_ALTERNATIVES, row, NO_ROW);
    if (wishes && topology == NO_ROW) return LSCHED_E_CORRUPT;
    rc = decode_group_parts(k, r, row, topology);
    if (rc != LSCHED_OK || children) return rc;
    return decode_alternatives(k, r, row);
}

/* Returns the least number of tasks with which the whole gang tree is satisfied. `column` is
 * C_GROUP_MIN, or C_GROUP_LEAST for the minimums as submitted. Children have
 * higher indexes than their parents, therefore one pass from the last group to the first is
 * enough. If a group needs only some of its children, the children with the smallest minima
 * count; a repeated search finds them. */
static uint32_t tasks_min(const struct columns *k, uint32_t first, uint32_t n, uint32_t column) {
    uint32_t least[LSCHED_GROUPS_PER_JOB_MAX] = {0};
    for (uint32_t g = n; g-- > 0;) {
        uint32_t children = k->c[C_GROUP_CHILDREN].u32[first + g],
                 need = k->c[column].u32[first + g];
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
    uint32_t n_groups = reader_u32(&r), leaves = 0, tasks = 0, indexes = 0, pinned = 0;
    if (n_groups == 0 || n_groups > LSCHED_GROUPS_PER_JOB_MAX) return LSCHED_E_CORRUPT;
    uint32_t first = block_new(k, BLOCKS_GROUP, n_groups);
    if (first == NO_ROW) return LSCHED_E_NOMEM;
    set_u32(k, C_JOBSHAPE_GROUP_FIRST, jobshape, first);
    set_u32(k, C_JOBSHAPE_N_GROUPS, jobshape, n_groups);
    for (uint32_t g = 0; g < n_groups; g++) {
        int32_t rc = decode_group(k, &r, first + g);
        if (rc != LSCHED_OK) return rc;
        if (k->c[C_GROUP_REQUIRED].u32[first + g] != NO_ROW) pinned |= PINNED_REQUIRED;
        if (group_is_spread(k, first + g)) pinned |= PINNED_SPREAD;
        if (k->c[C_GROUP_MEMBERS].u32[first + g] < k->c[C_GROUP_MAX].u32[first + g])
            pinned |= PINNED_MEMBERS;
        if (k->c[C_GROUP_FIXED].u8[first + g]) pinned |= PINNED_FIXED;
        if (k->c[C_GROUP_N_ALTERNATIVES].u32[first + g] > 1) pinned |= PINNED_ALTERNATIVES;
        if (k->c[C_GROUP_N_SLICES].u8[first + g]) pinned |= PINNED_SLICES;
        if (group_is_exclusive(k, first + g)) pinned |= PINNED_EXCLUSIVE;
        set_u32(k, C_GROUP_BASE, first + g, indexes);
        if (k->c[C_GROUP_CHILDREN].u32[first + g]) continue;
        leaves++;
        tasks += k->c[C_GROUP_MAX].u32[first + g];
        indexes += k->c[C_GROUP_SPAN].u32[first + g];
    }
    set_u32(k, C_JOBSHAPE_N_LEAVES, jobshape, leaves);
    set_u32(k, C_JOBSHAPE_TASKS, jobshape, tasks);
    set_u32(k, C_JOBSHAPE_INDEXES, jobshape, indexes);
    set_u32(k, C_JOBSHAPE_TASKS_MIN, jobshape, tasks_min(k, first, n_groups, C_GROUP_MIN));
    set_u8(k, C_JOBSHAPE_PINNED, jobshape, (uint8_t)pinned);
    return r.bad ? LSCHED_E_CORRUPT : LSCHED_OK;
}

int32_t jobshape_get(struct columns *k, const void *bytes, size_t n, uint32_t *out) {
    int created;
    *out = intern_get(k, T_JOBSHAPE, bytes, n, &created);
    if (*out == NO_ROW) return LSCHED_E_NOMEM;
    return created ? decode_job(k, *out, bytes, n) : LSCHED_OK;
}

/* Byte offset of the first group's minimum in the canonical bytes of a job: it follows flags,
 * delay, number of groups, parent and number of children. */
#define MINIMUM_AT 24u

int32_t jobshape_with_minimum(struct columns *k, uint32_t jobshape, uint32_t min, uint32_t *out) {
    uint32_t blob = k->c[C_JOBSHAPE_BLOB].u32[jobshape];
    struct bytes b;
    bytes_init(&b, k->alloc); /* a copy, because the interned text can move */
    bytes_put(&b, text_bytes(k, blob), text_len(k, blob));
    int32_t rc = b.failed ? LSCHED_E_NOMEM : LSCHED_OK;
    for (uint32_t i = 0; i < 4 && rc == LSCHED_OK; i++)
        b.p[MINIMUM_AT + i] = (uint8_t)(min >> (8 * i));
    if (rc == LSCHED_OK) rc = jobshape_get(k, b.p, b.n, out);
    bytes_close(&b);
    return rc;
}

/* Copies the bytes from `from` to the position of the reader. */
static void copy_read(struct bytes *b, const uint8_t *from, const struct reader *r) {
    bytes_put(b, from, (size_t)(r->p - from));
}

static void copy_part(struct bytes *b, struct reader *r) {
    const uint8_t *from = r->p;
    uint32_t n = reader_u32(r);
    assert(!r->bad && n <= (size_t)(r->end - r->p));
    r->p += n;
    copy_read(b, from, r);
}

/* Moves the reader behind the section of task blocks, whose tag is read already. */
static void skip_slices(struct reader *r) {
    reader_u32(r); /* mode */
    for (uint32_t n = reader_u32(r); n > 0; n--) {
        reader_text(r);
        reader_u32(r);
    }
}

/* Copies the optional sections of a group with other numbers. If fewer than counts->max tasks of a
 * leaf group exist, the copy says how many. */
static void copy_sections(struct bytes *b, struct reader *r, int is_leaf,
                          const struct group_sizes *counts) {
    int fixed = 0;
    uint32_t n = reader_u32(r);
    const uint8_t *end = r->p + n;
    size_t at = shape_begin_task(b);
    while (r->p < end) {
        const uint8_t *from = r->p;
        uint32_t tag = reader_u32(r);
        if (tag == GROUP_PART_SLICES)
            skip_slices(r);
        else
            reader_u32(r);
        fixed |= tag == GROUP_PART_FIXED;
        if (tag < GROUP_PART_MEMBERS) copy_read(b, from, r);
    }
    if (is_leaf && counts->members < counts->max) {
        bytes_u32(b, GROUP_PART_MEMBERS);
        bytes_u32(b, counts->members);
    }
    if (fixed) {
        bytes_u32(b, GROUP_PART_FIXED);
        bytes_u32(b, counts->size);
    }
    shape_end_task(b, at);
}

/* Copies a group, but with other numbers of tasks. */
static void copy_group(struct bytes *b, struct reader *r, const struct group_sizes *counts) {
    const uint8_t *from = r->p;
    reader_u32(r); /* parent */
    uint32_t children = reader_u32(r);
    copy_read(b, from, r);
    reader_u32(r); /* minimum */
    uint32_t was = reader_u32(r);
    bytes_u32(b, counts->min);
    bytes_u32(b, children ? was : counts->max);
    from = r->p;
    for (int texts = 0; texts < 5; texts++) reader_text(r);
    reader_u32(r); /* spread_max */
    copy_read(b, from, r);
    copy_sections(b, r, children == 0, counts);
    if (children) return;
    from = r->p;
    uint32_t alternatives = reader_u32(r);
    copy_read(b, from, r);
    while (alternatives-- > 0) copy_part(b, r);
}

void jobshape_counts(const struct columns *k, uint32_t jobshape,
                     struct group_sizes counts[LSCHED_GROUPS_PER_JOB_MAX]) {
    for (uint32_t g = 0; g < k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape]; g++) {
        uint32_t row = group_row(k, jobshape, g);
        counts[g] =
            (struct group_sizes){k->c[C_GROUP_LEAST].u32[row], k->c[C_GROUP_SPAN].u32[row],
                                 k->c[C_GROUP_MEMBERS].u32[row], k->c[C_GROUP_SIZE].u32[row]};
    }
}

uint32_t jobshape_least(const struct columns *k, uint32_t jobshape) {
    uint32_t first = group_row(k, jobshape, 0), n = k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape];
    /* asked in each decision, and most jobs have one group */
    return n == 1 ? k->c[C_GROUP_LEAST].u32[first] : tasks_min(k, first, n, C_GROUP_LEAST);
}

int32_t jobshape_with_counts(struct columns *k, uint32_t jobshape, const struct group_sizes *counts,
                             uint32_t *out) {
    struct reader r = reader_of(k, k->c[C_JOBSHAPE_BLOB].u32[jobshape]);
    const uint8_t *from = r.p;
    struct bytes b;
    bytes_init(&b, k->alloc);
    reader_u32(&r); /* flags */
    reader_i64(&r); /* delay */
    uint32_t n = reader_u32(&r);
    copy_read(&b, from, &r);
    for (uint32_t g = 0; g < n; g++) copy_group(&b, &r, &counts[g]);
    int32_t rc = b.failed ? LSCHED_E_NOMEM : jobshape_get(k, b.p, b.n, out);
    bytes_close(&b);
    return rc;
}

/* A row of SHAPE has about 250 words, and each text that it holds is a row of a few words. */
enum { RECORDS_OF_SHAPE = 512, RECORDS_OF_TEXT = 64 };

size_t jobshape_drop_records(const struct columns *k, uint32_t jobshape) {
    uint32_t first = k->c[C_JOBSHAPE_GROUP_FIRST].u32[jobshape];
    size_t records = 0; /* also if there is another holder: the same call can remove it before */
    for (uint32_t g = first; g < first + k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape]; g++)
        for (uint32_t a = 0; a < k->c[C_GROUP_N_ALTERNATIVES].u32[g]; a++) {
            uint32_t shape = group_alternative(k, g, a);
            size_t texts = k->c[C_SHAPE_N_MODELS].u32[shape] + shape_n_supplies(k, shape);
            records += RECORDS_OF_SHAPE + RECORDS_OF_TEXT * texts;
        }
    return records;
}

void jobshape_drop(struct columns *k, uint32_t jobshape) {
    if (intern_is_last(k, T_JOBSHAPE, jobshape)) {
        uint32_t first = k->c[C_JOBSHAPE_GROUP_FIRST].u32[jobshape],
                 n = k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape];
        for (uint32_t g = first; g < first + n; g++) {
            for (uint32_t a = 0; a < k->c[C_GROUP_N_ALTERNATIVES].u32[g]; a++)
                shape_drop(k, group_alternative(k, g, a));
            if (k->c[C_GROUP_ALTERNATIVES].u32[g] != NO_ROW)
                text_free(k, k->c[C_GROUP_ALTERNATIVES].u32[g]);
        }
        block_free(k, BLOCKS_GROUP, first, n);
    }
    intern_drop(k, T_JOBSHAPE, jobshape);
}

int shape_charge_varies(const struct columns *k, uint32_t shape) {
    return k->c[C_SHAPE_DEVICES].u32[shape] > 0 && !shape_asks_share_alone(k, shape) &&
           k->c[C_SHAPE_DEVICE_MILLI].u32[shape] < DEVICE_WHOLE &&
           k->c[C_SHAPE_MIG_SLICES].u8[shape] == 0;
}
