/*
 * check_heaps.c -- checks the heaps of jobs in bundles, of active bundles in queues, of jobs by
 * their due time, of host holds, of refusals, of proposals by the end of their life, and of
 * timers.
 *
 * The parent of every member must be in the same heap, come before the member, and have the
 * member as a child. Therefore there is no cycle, and every member is below a root. The orders
 * are compared here independently of the code of the heaps (docs/semantics.md 1 and 7): order
 * key, then growth after starting, then time of submission, then name.
 */
#include "model/check/check_heaps.h"
#include "model/arrays/array.h"

#include "model/store/blocks.h"

enum {
    HEAPS_PHASE_QUEUED = 2,
    HEAPS_STATE_ACTIVE = 1,
    HEAPS_KIND_GROW = 1,
    HEAPS_KIND_GROW_ALONE = 4
};

struct heap_columns {
    const char *name;
    uint32_t table, left, right, parent, distance;
    /* column with the row of the heap's owner. COLUMNS: there is only one heap of the kind */
    uint32_t heap_of;
    uint32_t root; /* column of the owner with the heap's root; a counter if there is one heap */
    int (*inside)(const struct columns *k, uint32_t row);
    int (*before)(const struct columns *k, uint32_t a, uint32_t b);
};

static int compare(int64_t a, int64_t b) {
    return (a > b) - (a < b);
}

static int names_compare(const struct columns *k, uint32_t x, uint32_t y) {
    uint32_t n = text_len(k, x), m = text_len(k, y);
    int c = memcmp(text_bytes(k, x), text_bytes(k, y), n < m ? n : m);
    return c != 0 ? c : compare(n, m);
}

static int jobs_compare(const struct columns *k, uint32_t a, uint32_t b, int grow_a, int grow_b) {
    int c = compare(k->c[C_JOB_ORDER].i64[a], k->c[C_JOB_ORDER].i64[b]);
    if (c == 0) c = grow_a - grow_b;
    if (c == 0) c = compare(k->c[C_JOB_SUBMIT].i64[a], k->c[C_JOB_SUBMIT].i64[b]);
    return c != 0 ? c : array_compare(k, a, b);
}

static int job_is_before(const struct columns *k, uint32_t a, uint32_t b) {
    return jobs_compare(k, a, b, 0, 0) < 0;
}

static int grows(const struct columns *k, uint32_t bundle) {
    uint32_t kind = k->c[C_BUNDLE_KIND].u8[bundle];
    return kind == HEAPS_KIND_GROW || kind == HEAPS_KIND_GROW_ALONE;
}

static int bundle_is_before(const struct columns *k, uint32_t a, uint32_t b) {
    return jobs_compare(k, k->c[C_BUNDLE_HEAP].u32[a], k->c[C_BUNDLE_HEAP].u32[b], grows(k, a),
                        grows(k, b)) < 0;
}

static int job_is_inside(const struct columns *k, uint32_t job) {
    return k->c[C_JOB_PHASE].u8[job] == HEAPS_PHASE_QUEUED;
}

static int bundle_is_inside(const struct columns *k, uint32_t bundle) {
    return k->c[C_BUNDLE_STATE].u8[bundle] == HEAPS_STATE_ACTIVE;
}

static int due_is_before(const struct columns *k, uint32_t a, uint32_t b) {
    int c = compare(k->c[C_WATCH_DUE].i64[a], k->c[C_WATCH_DUE].i64[b]);
    if (c == 0)
        c = names_compare(k, k->c[C_JOB_NAME].u32[k->c[C_WATCH_JOB].u32[a]],
                          k->c[C_JOB_NAME].u32[k->c[C_WATCH_JOB].u32[b]]);
    return c < 0;
}

static int due_is_inside(const struct columns *k, uint32_t watch) {
    return k->c[C_WATCH_HEAP_D].u8[watch] != 0;
}

static const struct heap_columns job_columns = {
    "jobs of a bundle", T_JOB,        C_JOB_HEAP_L,  C_JOB_HEAP_R,  C_JOB_HEAP_P,
    C_JOB_HEAP_D,       C_JOB_BUNDLE, C_BUNDLE_HEAP, job_is_inside, job_is_before};
static const struct heap_columns bundle_columns = {
    "bundles of a queue", T_BUNDLE,       C_BUNDLE_HEAP_L, C_BUNDLE_HEAP_R,  C_BUNDLE_HEAP_P,
    C_BUNDLE_HEAP_D,      C_BUNDLE_QUEUE, C_QUEUE_HEAP,    bundle_is_inside, bundle_is_before};

static const struct heap_columns due_columns = {
    "jobs that are due", T_WATCH, C_WATCH_HEAP_L, C_WATCH_HEAP_R, C_WATCH_HEAP_P,
    C_WATCH_HEAP_D,      COLUMNS, M_DUE_HEAD,     due_is_inside,  due_is_before};

static int host_is_before(const struct columns *k, uint32_t a, uint32_t b) {
    int c = compare(k->c[C_WATCH_HOST_UNTIL].i64[a], k->c[C_WATCH_HOST_UNTIL].i64[b]);
    if (c == 0)
        c = names_compare(k, k->c[C_JOB_NAME].u32[k->c[C_WATCH_JOB].u32[a]],
                          k->c[C_JOB_NAME].u32[k->c[C_WATCH_JOB].u32[b]]);
    return c < 0;
}

/* A host hold is in the heap if it ends at a time. */
static int host_is_inside(const struct columns *k, uint32_t watch) {
    int64_t until = k->c[C_WATCH_HOST_UNTIL].i64[watch];
    return until != 0 && until != LSCHED_NEVER_US;
}

static const struct heap_columns host_columns = {
    "host holds",   T_WATCH, C_WATCH_HOST_L, C_WATCH_HOST_R, C_WATCH_HOST_P,
    C_WATCH_HOST_D, COLUMNS, M_HOST_HEAD,    host_is_inside, host_is_before};

static int gate_is_before(const struct columns *k, uint32_t a, uint32_t b) {
    int c = compare(k->c[C_GATE_DUE].i64[a], k->c[C_GATE_DUE].i64[b]);
    if (c == 0)
        c = names_compare(k, k->c[C_JOB_NAME].u32[k->c[C_GATE_JOB].u32[a]],
                          k->c[C_JOB_NAME].u32[k->c[C_GATE_JOB].u32[b]]);
    return c < 0;
}

static int gate_is_inside(const struct columns *k, uint32_t gate) {
    return k->c[C_GATE_DUE].i64[gate] != LSCHED_NEVER_US;
}

static const struct heap_columns gate_columns = {
    "gates",       T_GATE,  C_GATE_HEAP_L, C_GATE_HEAP_R,  C_GATE_HEAP_P,
    C_GATE_HEAP_D, COLUMNS, M_GATE_HEAD,   gate_is_inside, gate_is_before};

static int meter_is_before(const struct columns *k, uint32_t a, uint32_t b) {
    int c = compare(k->c[C_METER_END].i64[a], k->c[C_METER_END].i64[b]);
    return (c != 0 ? c : compare(a, b)) < 0;
}

static int meter_is_inside(const struct columns *k, uint32_t meter) {
    return k->c[C_METER_END].i64[meter] != LSCHED_NEVER_US;
}

static const struct heap_columns meter_columns = {"tasks with an expected end",
                                                  T_METER,
                                                  C_METER_HEAP_L,
                                                  C_METER_HEAP_R,
                                                  C_METER_HEAP_P,
                                                  C_METER_HEAP_D,
                                                  COLUMNS,
                                                  M_METER_HEAD,
                                                  meter_is_inside,
                                                  meter_is_before};

static int warn_is_before(const struct columns *k, uint32_t a, uint32_t b) {
    int c = compare(k->c[C_WARN_AT].i64[a], k->c[C_WARN_AT].i64[b]);
    return (c != 0 ? c : compare(a, b)) < 0;
}

static int warn_is_inside(const struct columns *k, uint32_t row) {
    return k->c[C_WARN_AT].i64[row] != LSCHED_NEVER_US;
}

static const struct heap_columns warn_columns = {
    "tasks with an end", T_WARN,  C_WARN_HEAP_L, C_WARN_HEAP_R,  C_WARN_HEAP_P,
    C_WARN_HEAP_D,       COLUMNS, M_WARN_HEAD,   warn_is_inside, warn_is_before};

/* Returns 1 if refusal a comes before refusal b: by UNTIL, then heads before node rows, then by
 * the names of nodes and queues, then by the bytes of shapes, then placements before
 * nominations. */
static int refusal_is_before(const struct columns *k, uint32_t a, uint32_t b) {
    int c = compare(k->c[C_REFUSAL_UNTIL].i64[a], k->c[C_REFUSAL_UNTIL].i64[b]);
    uint32_t x = k->c[C_REFUSAL_NODE].u32[a], y = k->c[C_REFUSAL_NODE].u32[b];
    if (c == 0) c = (x != NO_ROW) - (y != NO_ROW);
    if (c == 0 && x != NO_ROW)
        c = names_compare(k, k->c[C_NODE_NAME].u32[x], k->c[C_NODE_NAME].u32[y]);
    if (c == 0)
        c = names_compare(k, k->c[C_QUEUE_NAME].u32[k->c[C_REFUSAL_QUEUE].u32[a]],
                          k->c[C_QUEUE_NAME].u32[k->c[C_REFUSAL_QUEUE].u32[b]]);
    if (c == 0)
        c = names_compare(k, k->c[C_SHAPE_BLOB].u32[k->c[C_REFUSAL_SHAPE].u32[a]],
                          k->c[C_SHAPE_BLOB].u32[k->c[C_REFUSAL_SHAPE].u32[b]]);
    if (c == 0) c = k->c[C_REFUSAL_OF].u8[a] - k->c[C_REFUSAL_OF].u8[b];
    return c < 0;
}

/* Returns the rank by which refusals are forgotten, the lowest rank first: 0 for ended rows that
 * are only remembered, 1 for node rows that keep tasks away, 2 for heads that keep tasks away and
 * for heads that only count their node rows. */
static int refusal_worth(const struct columns *k, uint32_t r) {
    if (k->c[C_REFUSAL_STATE].u8[r]) return k->c[C_REFUSAL_NODE].u32[r] == NO_ROW ? 2 : 1;
    return k->c[C_REFUSAL_COUNT].u32[r] ? 0 : 2;
}

static int refusal_goes_before(const struct columns *k, uint32_t a, uint32_t b) {
    int c = refusal_worth(k, a) - refusal_worth(k, b);
    return c != 0 ? c < 0 : refusal_is_before(k, a, b);
}

static int refusal_is_inside(const struct columns *k, uint32_t r) {
    return k->c[C_REFUSAL_STATE].u8[r] != 0;
}

static int always_inside(const struct columns *k, uint32_t row) {
    (void)k;
    (void)row;
    return 1;
}

static const struct heap_columns refusal_columns = {
    "refusals",       T_REFUSAL, C_REFUSAL_HEAP_L, C_REFUSAL_HEAP_R,  C_REFUSAL_HEAP_P,
    C_REFUSAL_HEAP_D, COLUMNS,   M_REFUSAL_HEAD,   refusal_is_inside, refusal_is_before};
static const struct heap_columns refusal_queue_columns = {
    "refusals of a queue", T_REFUSAL,          C_REFUSAL_QHEAP_L, C_REFUSAL_QHEAP_R,
    C_REFUSAL_QHEAP_P,     C_REFUSAL_QHEAP_D,  C_REFUSAL_QUEUE,   C_QUEUE_REFUSAL,
    always_inside,         refusal_goes_before};

/* Returns 1 if the life of proposal a ends before that of b: by UNTIL, then by decision group; the
 * order within a group decides nothing. */
static int life_is_before(const struct columns *k, uint32_t a, uint32_t b) {
    int c = compare(k->c[C_DECISION_UNTIL].i64[a], k->c[C_DECISION_UNTIL].i64[b]);
    uint64_t x = k->c[C_DECISION_GROUP].u64[a], y = k->c[C_DECISION_GROUP].u64[b];
    if (c == 0) c = (x > y) - (x < y);
    return (c != 0 ? c : compare(a, b)) < 0;
}

static int life_is_inside(const struct columns *k, uint32_t d) {
    return k->c[C_DECISION_UNTIL].i64[d] != 0 &&
           k->c[C_DECISION_KIND].u8[d] != LSCHED_DECIDE_CHECKPOINT;
}

static int checkpoint_is_inside(const struct columns *k, uint32_t d) {
    return k->c[C_DECISION_KIND].u8[d] == LSCHED_DECIDE_CHECKPOINT;
}

static const struct heap_columns life_columns = {
    "proposals with a life", T_DECISION, C_DECISION_HEAP_L, C_DECISION_HEAP_R, C_DECISION_HEAP_P,
    C_DECISION_HEAP_D,       COLUMNS,    M_LIFE_HEAD,       life_is_inside,    life_is_before};
static const struct heap_columns checkpoint_columns = {"tasks that write a checkpoint",
                                                       T_DECISION,
                                                       C_DECISION_HEAP_L,
                                                       C_DECISION_HEAP_R,
                                                       C_DECISION_HEAP_P,
                                                       C_DECISION_HEAP_D,
                                                       COLUMNS,
                                                       M_CHECKPOINT_HEAD,
                                                       checkpoint_is_inside,
                                                       life_is_before};

static uint32_t owner_of(const struct columns *k, const struct heap_columns *h, uint32_t row) {
    return h->heap_of == COLUMNS ? 0 : k->c[h->heap_of].u32[row];
}

/* Returns 1 if `child` is NO_ROW, or a member of the same heap whose parent is `row`. */
static int child_is_sound(const struct columns *k, const struct heap_columns *h, uint32_t row,
                          uint32_t child) {
    if (child == NO_ROW) return 1;
    return row_is_live(k, h->table, child) && h->inside(k, child) &&
           owner_of(k, h, child) == owner_of(k, h, row) && k->c[h->parent].u32[child] == row;
}

static uint32_t distance(const struct columns *k, const struct heap_columns *h, uint32_t row) {
    return row == NO_ROW ? 0 : k->c[h->distance].u8[row];
}

static int32_t check_member(struct check *c, const struct heap_columns *h, uint32_t row) {
    const struct columns *k = c->k;
    uint32_t l = k->c[h->left].u32[row], r = k->c[h->right].u32[row], p = k->c[h->parent].u32[row];
    uint32_t root =
        h->heap_of == COLUMNS ? (uint32_t)meta(k, h->root) : k->c[h->root].u32[owner_of(k, h, row)];
    if (!child_is_sound(k, h, row, l) || !child_is_sound(k, h, row, r) || (l == r && l != NO_ROW))
        return check_fail(c, "heap of %s: a child of %s names another parent", h->name,
                          NAME(h->table, row));
    if (distance(k, h, row) != distance(k, h, r) + 1 || distance(k, h, l) < distance(k, h, r))
        return check_fail(
            c, "heap of %s: %s has distance %u, but its children have distances %u and %u", h->name,
            NAME(h->table, row), distance(k, h, row), distance(k, h, l), distance(k, h, r));
    if ((p == NO_ROW) != (root == row))
        return check_fail(c, "heap of %s: %s cannot be reached from the root", h->name,
                          NAME(h->table, row));
    if (p == NO_ROW) return LSCHED_OK;
    if (!row_is_live(k, h->table, p) || !h->inside(k, p) ||
        (k->c[h->left].u32[p] != row && k->c[h->right].u32[p] != row))
        return check_fail(c, "heap of %s: the parent of %s does not name it as a child", h->name,
                          NAME(h->table, row));
    if (!h->before(k, p, row))
        return check_fail(c, "heap of %s: by the order of the heap, %s comes before its parent",
                          h->name, NAME(h->table, row));
    return LSCHED_OK;
}

static int32_t check_heap(struct check *c, const struct heap_columns *h) {
    const struct columns *k = c->k;
    for (uint32_t row = 0; row < table_rows(k, h->table); row++) {
        if (!row_is_live(k, h->table, row) || !h->inside(k, row)) continue;
        int32_t rc = check_member(c, h, row);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

/* True if the links of the row are those of a row that is in no heap. */
static int has_no_links(const struct columns *k, const struct heap_columns *h, uint32_t row) {
    return k->c[h->left].u32[row] == NO_ROW && k->c[h->right].u32[row] == NO_ROW &&
           k->c[h->parent].u32[row] == NO_ROW && k->c[h->distance].u8[row] == 0;
}

/* Checks four conditions: a job has a bundle if and only if it is queued; the first job of a
 * bundle belongs to the bundle; the first bundle of a queue belongs to the queue and is in its
 * heap; a parked bundle is in no heap. */
static int32_t check_heaps_roots(struct check *c) {
    const struct columns *k = c->k;
    EACH_LIVE(k, T_JOB, j) {
        if ((k->c[C_JOB_BUNDLE].u32[j] != NO_ROW) != job_is_inside(k, j))
            return check_fail(c, "%s: phase %u and bundle row %u", NAME(T_JOB, j),
                              k->c[C_JOB_PHASE].u8[j], k->c[C_JOB_BUNDLE].u32[j]);
    }
    EACH_LIVE(k, T_BUNDLE, b) {
        uint32_t first = k->c[C_BUNDLE_HEAP].u32[b];
        if (k->c[C_JOB_BUNDLE].u32[first] != b)
            return check_fail(c, "%s: the first job of its heap belongs to another bundle",
                              NAME(T_BUNDLE, b));
        if (!bundle_is_inside(k, b) && !has_no_links(k, &bundle_columns, b))
            return check_fail(c, "%s is parked, but it is also in the heap of a queue",
                              NAME(T_BUNDLE, b));
    }
    for (uint32_t q = 0; q < table_rows(k, T_QUEUE); q++) {
        uint32_t b = row_is_live(k, T_QUEUE, q) ? k->c[C_QUEUE_HEAP].u32[q] : NO_ROW;
        if (b != NO_ROW && (k->c[C_BUNDLE_QUEUE].u32[b] != q || !bundle_is_inside(k, b)))
            return check_fail(
                c, "%s: the first bundle of its heap belongs to another queue, or is parked",
                NAME(T_QUEUE, q));
    }
    return LSCHED_OK;
}

/* Checks that a row that is not in the heap of due jobs has no links, and that the heap's root is
 * in the heap. */
static int32_t check_heaps_due(struct check *c) {
    const struct columns *k = c->k;
    uint32_t first = (uint32_t)meta(k, M_DUE_HEAD);
    if (first != NO_ROW && !due_is_inside(k, first))
        return check_fail(c, "%s is the root of the heap of job limits, but it is not due",
                          NAME(T_WATCH, first));
    EACH_LIVE(k, T_WATCH, w) {
        if (!due_is_inside(k, w) && (!has_no_links(k, &due_columns, w) || k->c[C_WATCH_DUE].i64[w]))
            return check_fail(c, "%s is not due, but it is in the heap of job limits",
                              NAME(T_WATCH, w));
    }
    return check_heap(c, &due_columns);
}

/* Checks that a row without a host hold that ends at a time has no links, that the heap's root is
 * in the heap, and that only a host hold has a reason. */
static int32_t check_heaps_host(struct check *c) {
    const struct columns *k = c->k;
    uint32_t first = (uint32_t)meta(k, M_HOST_HEAD);
    if (first != NO_ROW && !host_is_inside(k, first))
        return check_fail(c, "%s is the root of the heap of host holds, but its hold has no end",
                          NAME(T_WATCH, first));
    EACH_LIVE(k, T_WATCH, w) {
        if (!host_is_inside(k, w) && !has_no_links(k, &host_columns, w))
            return check_fail(c, "%s is in the heap of host holds, but its hold has no end",
                              NAME(T_WATCH, w));
        if (k->c[C_WATCH_HOST_UNTIL].i64[w] == 0 && k->c[C_WATCH_HOST_REASON].u32[w] != NO_ROW)
            return check_fail(c, "%s has a reason of a host hold, but no hold", NAME(T_WATCH, w));
    }
    return check_heap(c, &host_columns);
}

/* Checks that a gate that is due at no time has no links, that each other gate has a job, and that
 * the heap's root is in the heap. */
static int32_t check_heaps_gates(struct check *c) {
    const struct columns *k = c->k;
    uint32_t first = (uint32_t)meta(k, M_GATE_HEAD);
    if (first != NO_ROW && !gate_is_inside(k, first))
        return check_fail(c, "%s is the root of the heap of gates, but it is not due",
                          NAME(T_GATE, first));
    EACH_LIVE(k, T_GATE, g) {
        if (gate_is_inside(k, g) ? k->c[C_GATE_JOB].u32[g] == NO_ROW
                                 : !has_no_links(k, &gate_columns, g))
            return check_fail(c, "%s: its time and the heap of gates do not go together",
                              NAME(T_GATE, g));
    }
    return check_heap(c, &gate_columns);
}

static int32_t check_timers(struct check *c) {
    const struct columns *k = c->k;
    for (uint32_t i = 1; i < table_rows(k, T_TIMER); i++) {
        uint32_t up = (i - 1) / 2;
        int order = compare(k->c[C_TIMER_AT].i64[up], k->c[C_TIMER_AT].i64[i]);
        if (order == 0) order = compare(k->c[C_TIMER_KIND].u32[up], k->c[C_TIMER_KIND].u32[i]);
        if (order == 0) order = compare(k->c[C_TIMER_REF].u32[up], k->c[C_TIMER_REF].u32[i]);
        if (order > 0)
            return check_fail(c, "timer %u comes before its parent in the heap of timers", i);
    }
    return LSCHED_OK;
}

/* Checks that a refusal that is not in the heap has no links, and that the root of each heap is
 * in that heap. */
static int32_t check_heaps_refused(struct check *c) {
    const struct columns *k = c->k;
    uint32_t first = (uint32_t)meta(k, M_REFUSAL_HEAD);
    if (first != NO_ROW && !refusal_is_inside(k, first))
        return check_fail(
            c, "%s is the root of the heap of refusals, but it excludes no job from a node",
            NAME(T_REFUSAL, first));
    for (uint32_t q = 0; q < table_rows(k, T_QUEUE); q++) {
        uint32_t r = row_is_live(k, T_QUEUE, q) ? k->c[C_QUEUE_REFUSAL].u32[q] : NO_ROW;
        if (r != NO_ROW && k->c[C_REFUSAL_QUEUE].u32[r] != q)
            return check_fail(c, "%s: the first refusal in its heap belongs to another queue",
                              NAME(T_QUEUE, q));
    }
    EACH_LIVE(k, T_REFUSAL, r) {
        if (!refusal_is_inside(k, r) && !has_no_links(k, &refusal_columns, r))
            return check_fail(c, "%s has ended, but it is in a heap", NAME(T_REFUSAL, r));
    }
    int32_t rc = check_heap(c, &refusal_columns);
    return rc == LSCHED_OK ? check_heap(c, &refusal_queue_columns) : rc;
}

/* Checks that a decision without a life is in no heap, and that the root of the heap has a life. */
static int32_t check_heaps_lives(struct check *c) {
    const struct columns *k = c->k;
    uint32_t first = (uint32_t)meta(k, M_LIFE_HEAD);
    if (first != NO_ROW && !life_is_inside(k, first))
        return check_fail(c, "%s is the root of the heap of proposals with a life, but has none",
                          NAME(T_DECISION, first));
    first = (uint32_t)meta(k, M_CHECKPOINT_HEAD);
    if (first != NO_ROW && !checkpoint_is_inside(k, first))
        return check_fail(c,
                          "%s is the root of the heap of tasks that write a checkpoint, but asks "
                          "for none",
                          NAME(T_DECISION, first));
    EACH_LIVE(k, T_DECISION, d) {
        if (!life_is_inside(k, d) && !checkpoint_is_inside(k, d) &&
            !has_no_links(k, &life_columns, d))
            return check_fail(c, "%s has no life, but it is in the heap of proposals with a life",
                              NAME(T_DECISION, d));
    }
    int32_t rc = check_heap(c, &life_columns);
    return rc == LSCHED_OK ? check_heap(c, &checkpoint_columns) : rc;
}

static int32_t check_heaps_meters(struct check *c) {
    const struct columns *k = c->k;
    uint32_t first = (uint32_t)meta(k, M_METER_HEAD);
    if (first != NO_ROW && !meter_is_inside(k, first))
        return check_fail(c, "the root of the heap of expected ends has no expected end");
    EACH_LIVE(k, T_METER, m) {
        if (!meter_is_inside(k, m) && !has_no_links(k, &meter_columns, m))
            return check_fail(c, "a task without an expected end is in the heap of ends");
    }
    return check_heap(c, &meter_columns);
}

static int32_t check_heaps_warnings(struct check *c) {
    const struct columns *k = c->k;
    uint32_t first = (uint32_t)meta(k, M_WARN_HEAD);
    if (first != NO_ROW && !warn_is_inside(k, first))
        return check_fail(c, "the root of the heap of warnings is not looked at");
    EACH_LIVE(k, T_WARN, row) {
        if (!warn_is_inside(k, row) && !has_no_links(k, &warn_columns, row))
            return check_fail(c, "a task that no cycle looks at is in the heap of warnings");
    }
    return check_heap(c, &warn_columns);
}

int32_t check_heaps(struct check *c) {
    int32_t rc = check_heaps_roots(c);
    if (rc == LSCHED_OK) rc = check_heap(c, &job_columns);
    if (rc == LSCHED_OK) rc = check_heap(c, &bundle_columns);
    if (rc == LSCHED_OK) rc = check_heaps_due(c);
    if (rc == LSCHED_OK) rc = check_heaps_host(c);
    if (rc == LSCHED_OK) rc = check_heaps_gates(c);
    if (rc == LSCHED_OK) rc = check_heaps_meters(c);
    if (rc == LSCHED_OK) rc = check_heaps_warnings(c);
    if (rc == LSCHED_OK) rc = check_heaps_refused(c);
    if (rc == LSCHED_OK) rc = check_heaps_lives(c);
    return rc == LSCHED_OK ? check_timers(c) : rc;
}
