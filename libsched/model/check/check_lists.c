/*
 * check_lists.c -- checks that every list has exactly the rows whose columns say that they are in
 * it, and that the depths stored in every tree are correct.
 *
 * A list is walked from its first member. The columns of each member must say that it belongs to
 * the list, and its back link must be the previous member. The columns of a row name at most one
 * list. No row is reached twice, because a row has only one back link; in a list without back
 * links, the walk fails when it has reached more rows than the table has. Therefore, if the
 * number of reached rows is equal to the number of rows that name a list, each of these rows is
 * in its list exactly once.
 */
#include "model/check/check_lists.h"

#include "model/resizes/resize_list.h"

struct list_kind {
    const char *name;
    uint32_t table, next, prev; /* columns; prev is COLUMNS if the list has no back links */
    int (*belongs)(const struct columns *k, uint32_t row, uint32_t owner);
    /* returns 1 if the columns of the row say that it is in a list of this kind */
    int (*claims)(const struct columns *k, uint32_t row);
};

struct walk {
    const struct list_kind *kind;
    uint64_t n;    /* number of members reached up to now, in all lists of the kind */
    uint32_t last; /* last member of the most recently walked list */
};

static int32_t walk_list(struct check *c, struct walk *w, uint32_t head, uint32_t owner) {
    const struct columns *k = c->k;
    const struct list_kind *l = w->kind;
    w->last = NO_ROW;
    for (uint32_t row = head; row != NO_ROW; row = k->c[l->next].u32[row]) {
        if (!row_is_live(k, l->table, row) || ++w->n > table_rows(k, l->table))
            return check_fail(c, "%s: row %u of %s is not live, or the list contains it twice",
                              l->name, row, table_names[l->table]);
        if (!l->belongs(k, row, owner))
            return check_fail(c, "%s: %s does not belong there", l->name, NAME(l->table, row));
        if (l->prev != COLUMNS && k->c[l->prev].u32[row] != w->last)
            return check_fail(c, "%s: %s does not point back", l->name, NAME(l->table, row));
        w->last = row;
    }
    return LSCHED_OK;
}

/* Checks, after all lists of the kind were walked, that the walks have reached all rows whose
 * columns say that they are in such a list. */
static int32_t walk_end(struct check *c, const struct walk *w) {
    const struct columns *k = c->k;
    uint64_t n = 0;
    for (uint32_t row = 0; row < table_rows(k, w->kind->table); row++)
        n += row_is_live(k, w->kind->table, row) && w->kind->claims(k, row);
    if (n != w->n)
        return check_fail(
            c, "%s: the list has %llu members, but %llu rows say that they are in the list",
            w->kind->name, (unsigned long long)w->n, (unsigned long long)n);
    return LSCHED_OK;
}

/* Walks one list for each live row of a table. `column` has the first members. */
static int32_t walk_heads(struct check *c, struct walk *w, uint32_t column) {
    const struct columns *k = c->k;
    uint32_t table = column_defs[column].table;
    EACH_LIVE(k, table, row) {
        int32_t rc = walk_list(c, w, k->c[column].u32[row], row);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

static int32_t check_kind(struct check *c, const struct list_kind *l, uint32_t head_column) {
    struct walk w = {l, 0, NO_ROW};
    int32_t rc = walk_heads(c, &w, head_column);
    return rc == LSCHED_OK ? walk_end(c, &w) : rc;
}

static int always(const struct columns *k, uint32_t row) {
    (void)k;
    (void)row;
    return 1;
}

/* ---- lists whose first row is stored in a meta word (M_*) ---- */

static int decision_belongs(const struct columns *k, uint32_t d, uint32_t owner) {
    (void)owner;
    return k->c[C_TASK_DECISION].u32[k->c[C_DECISION_TASK].u32[d]] == d;
}

static int grew_claims(const struct columns *k, uint32_t node) {
    return k->c[C_NODE_GREW].u8[node];
}

static int grew_belongs(const struct columns *k, uint32_t node, uint32_t owner) {
    (void)owner;
    return grew_claims(k, node);
}

static int gave_claims(const struct columns *k, uint32_t queue) {
    return k->c[C_QUEUE_GAVE].u8[queue];
}

static int gave_belongs(const struct columns *k, uint32_t queue, uint32_t owner) {
    (void)owner;
    return gave_claims(k, queue);
}

/* owner: phase of the jobs in the list, JOB_NEW or JOB_REFUSED */
static int waits_belongs(const struct columns *k, uint32_t job, uint32_t owner) {
    return k->c[C_JOB_PHASE].u8[job] == owner;
}

static int waits_claims(const struct columns *k, uint32_t job) {
    return k->c[C_JOB_PHASE].u8[job] <= 1;
}

static int parked_shape_claims(const struct columns *k, uint32_t shape) {
    return k->c[C_SHAPE_PARKED].u32[shape] != NO_ROW;
}

static int parked_shape_belongs(const struct columns *k, uint32_t shape, uint32_t owner) {
    (void)owner;
    return parked_shape_claims(k, shape);
}

static const struct list_kind open_list = {"open decisions", T_DECISION,       C_DECISION_NEXT,
                                           C_DECISION_PREV,  decision_belongs, always};
static const struct list_kind grew_list = {
    "nodes that gained room", T_NODE, C_NODE_GREW_NEXT, COLUMNS, grew_belongs, grew_claims};
static const struct list_kind gave_list = {"queues that gave back", T_QUEUE,      C_QUEUE_GAVE_NEXT,
                                           C_QUEUE_GAVE_PREV,       gave_belongs, gave_claims};
static const struct list_kind waits_list = {"jobs not admitted", T_JOB,         C_JOB_HEAP_L,
                                            C_JOB_HEAP_R,        waits_belongs, waits_claims};
static const struct list_kind parked_shapes = {"shapes parked for",  T_SHAPE,
                                               C_SHAPE_PARKED_NEXT,  C_SHAPE_PARKED_PREV,
                                               parked_shape_belongs, parked_shape_claims};

/* tail: word of META with the last member, NO_TAIL if the list has no such word. */
#define NO_TAIL META_WORDS
static int32_t walk_meta(struct check *c, struct walk *w, uint32_t head, uint32_t tail,
                         uint32_t owner) {
    int32_t rc = walk_list(c, w, (uint32_t)meta(c->k, head), owner);
    if (rc == LSCHED_OK && tail != NO_TAIL && meta(c->k, tail) != w->last)
        rc = check_fail(c, "%s: the last row of the list is not its tail", w->kind->name);
    return rc;
}

static int32_t check_open(struct check *c) {
    struct walk w = {&open_list, 0, NO_ROW};
    int32_t rc = walk_meta(c, &w, M_OPEN_HEAD, M_OPEN_TAIL, 0);
    if (rc == LSCHED_OK) rc = walk_end(c, &w);
    if (rc == LSCHED_OK && meta(c->k, M_OPEN_COUNT) != w.n)
        rc = check_fail(c, "%llu open decisions counted, %llu found",
                        (unsigned long long)meta(c->k, M_OPEN_COUNT), (unsigned long long)w.n);
    return rc;
}

static int32_t check_waits(struct check *c) {
    struct walk w = {&waits_list, 0, NO_ROW};
    int32_t rc = walk_meta(c, &w, M_WAIT_HEAD, M_WAIT_TAIL, 0);
    uint64_t fresh = w.n;
    if (rc == LSCHED_OK) rc = walk_meta(c, &w, M_REFUSED_HEAD, M_REFUSED_TAIL, 1);
    if (rc == LSCHED_OK) rc = walk_end(c, &w);
    if (rc == LSCHED_OK && meta(c->k, M_REFUSED_JOBS) != w.n - fresh)
        rc = check_fail(c, "%llu refused jobs counted, %llu found",
                        (unsigned long long)meta(c->k, M_REFUSED_JOBS),
                        (unsigned long long)(w.n - fresh));
    return rc;
}

static int32_t check_counted(struct check *c, const struct list_kind *l, uint32_t head) {
    struct walk w = {l, 0, NO_ROW};
    int32_t rc = walk_meta(c, &w, head, NO_TAIL, 0);
    return rc == LSCHED_OK ? walk_end(c, &w) : rc;
}

/* ---- resizes: RESIZE.LIST is one of three kinds of lists ---- */

#define RESIZES_IN(list)                                                              \
    static int list##_claims(const struct columns *k, uint32_t row) {                 \
        return k->c[C_RESIZE_LIST].u8[row] == (list);                                 \
    }                                                                                 \
    static int list##_belongs(const struct columns *k, uint32_t row, uint32_t node) { \
        return list##_claims(k, row) &&                                               \
               ((list) != RESIZE_AT_NODE ||                                           \
                k->c[C_TASK_NODE].u32[k->c[C_RESIZE_TASK].u32[row]] == node);         \
    }
RESIZES_IN(RESIZE_AWAKE)
RESIZES_IN(RESIZE_AT_NODE)
RESIZES_IN(RESIZE_AT_QUEUES)

static int32_t check_resize_lists(struct check *c) {
    static const struct list_kind awake = {"resizes to try",     T_RESIZE,
                                           C_RESIZE_NEXT,        C_RESIZE_PREV,
                                           RESIZE_AWAKE_belongs, RESIZE_AWAKE_claims},
                                  limited = {"resizes that wait for queues",
                                             T_RESIZE,
                                             C_RESIZE_NEXT,
                                             C_RESIZE_PREV,
                                             RESIZE_AT_QUEUES_belongs,
                                             RESIZE_AT_QUEUES_claims},
                                  at_node = {"resizes that wait for a node",
                                             T_RESIZE,
                                             C_RESIZE_NEXT,
                                             C_RESIZE_PREV,
                                             RESIZE_AT_NODE_belongs,
                                             RESIZE_AT_NODE_claims};
    const struct columns *k = c->k;
    uint64_t waits = 0;
    int32_t rc = check_counted(c, &awake, M_RESIZE_AWAKE);
    if (rc == LSCHED_OK) rc = check_counted(c, &limited, M_RESIZE_LIMITED);
    if (rc == LSCHED_OK) rc = check_kind(c, &at_node, C_NODE_RESIZES);
    EACH_LIVE(k, T_RESIZE, r) waits += k->c[C_RESIZE_LIST].u8[r] > RESIZE_AWAKE;
    if (rc != LSCHED_OK || waits == meta(k, M_RESIZE_WAITS)) return rc;
    return check_fail(c, "%llu resizes wait for room or for queues, but the counter says %llu",
                      (unsigned long long)waits, (unsigned long long)meta(k, M_RESIZE_WAITS));
}

/* ---- parked bundles: BUNDLE.LIST is one of ten kinds of lists ---- */

enum {
    LIST_SHAPE = 1,
    LIST_QUEUE = 2,
    LIST_NEVER = 3,
    LIST_REFRESH = 4,
    LIST_ANY = 5,
    LIST_UNTIL = 6,
    LIST_RULES = 7,
    LIST_PLAN = 8,
    LIST_PUT_OFF = 9,
    LIST_SUPPLY = 10,
    LISTS_STATE_PARKED = 2
};

static int parked_claims(const struct columns *k, uint32_t b) {
    return k->c[C_BUNDLE_STATE].u8[b] == LISTS_STATE_PARKED;
}

#define PARKED_IN(list)                                                                \
    static int parked_in_##list(const struct columns *k, uint32_t b, uint32_t owner) { \
        return parked_claims(k, b) && k->c[C_BUNDLE_LIST].u8[b] == (list) &&           \
               k->c[C_BUNDLE_LIST_OF].u32[b] == owner;                                 \
    }
PARKED_IN(LIST_SHAPE)
PARKED_IN(LIST_QUEUE)
PARKED_IN(LIST_NEVER)
PARKED_IN(LIST_REFRESH)
PARKED_IN(LIST_ANY)
PARKED_IN(LIST_UNTIL)
PARKED_IN(LIST_RULES)
PARKED_IN(LIST_PLAN)
PARKED_IN(LIST_PUT_OFF)
PARKED_IN(LIST_SUPPLY)

static int is_id(uint64_t id, uint32_t kind) {
    return id == 0 || id >> 60 == kind;
}

/* Checks the planned start of a bundle. Its ids of a node and a job can belong to objects that
 * were removed, but they must be ids of a node and of a job. */
static int32_t check_planned(struct check *c, uint32_t b) {
    const struct columns *k = c->k;
    int planned = parked_claims(k, b) && k->c[C_BUNDLE_LIST].u8[b] == LIST_PLAN;
    if (!is_id(k->c[C_BUNDLE_PLAN_NODE].u64[b], LSCHED_KIND_NODE) ||
        !is_id(k->c[C_BUNDLE_PLAN_JOB].u64[b], LSCHED_KIND_JOB))
        return check_fail(
            c,
            "%s has a planned start whose node is not the id of a node, or whose job is "
            "not the id of a job",
            NAME(T_BUNDLE, b));
    if (!planned && parked_claims(k, b) && k->c[C_BUNDLE_CODE].u8[b] == LSCHED_WAIT_PLANNED)
        return check_fail(c, "%s waits with PLANNED, but it is not in the list of planned starts",
                          NAME(T_BUNDLE, b));
    if (planned && k->c[C_BUNDLE_CODE].u8[b] != LSCHED_WAIT_PLANNED &&
        (k->c[C_BUNDLE_PLAN_NODE].u64[b] || k->c[C_BUNDLE_PLAN_AT].i64[b] != LSCHED_NEVER_US))
        return check_fail(c,
                          "%s has a planned start, but it waits with another reason than PLANNED",
                          NAME(T_BUNDLE, b));
    if (planned && k->c[C_BUNDLE_PLAN_AT].i64[b] < (int64_t)meta(k, M_PLAN_NEXT))
        return check_fail(
            c, "%s has a planned start at %lld, but the earliest one is recorded as %lld",
            NAME(T_BUNDLE, b), (long long)k->c[C_BUNDLE_PLAN_AT].i64[b],
            (long long)meta(k, M_PLAN_NEXT));
    return LSCHED_OK;
}

static int32_t check_parked(struct check *c) {
#define KIND(list) \
    { "parked bundles", T_BUNDLE, C_BUNDLE_NEXT, C_BUNDLE_PREV, parked_in_##list, parked_claims }
    static const struct list_kind kinds[] = {
        KIND(LIST_SHAPE),   KIND(LIST_QUEUE), KIND(LIST_NEVER), KIND(LIST_REFRESH),
        KIND(LIST_ANY),     KIND(LIST_UNTIL), KIND(LIST_RULES), KIND(LIST_PLAN),
        KIND(LIST_PUT_OFF), KIND(LIST_SUPPLY)};
#undef KIND
    static const uint32_t heads[] = {C_SHAPE_PARKED, C_QUEUE_PARKED, M_NEVER_HEAD, M_POLICY_HEAD,
                                     M_ANY_HEAD,     M_UNTIL_HEAD,   M_RULES_HEAD, M_PLAN_HEAD,
                                     M_PUT_OFF_HEAD, M_SUPPLY_HEAD};
    struct walk w = {&kinds[0], 0, NO_ROW};
    int32_t rc = LSCHED_OK;
    for (uint32_t i = 0; i < sizeof heads / sizeof heads[0] && rc == LSCHED_OK; i++) {
        w.kind = &kinds[i];
        rc = i < 2 ? walk_heads(c, &w, heads[i]) : walk_meta(c, &w, heads[i], NO_TAIL, 0);
    }
    if (rc == LSCHED_OK) rc = walk_end(c, &w);
    for (uint32_t b = 0; b < table_rows(c->k, T_BUNDLE) && rc == LSCHED_OK; b++)
        if (row_is_live(c->k, T_BUNDLE, b) && !parked_claims(c->k, b) &&
            c->k->c[C_BUNDLE_LIST].u8[b] != 0)
            rc = check_fail(c, "%s is active, but it says that it is in a list of parked bundles",
                            NAME(T_BUNDLE, b));
    for (uint32_t b = 0; b < table_rows(c->k, T_BUNDLE) && rc == LSCHED_OK; b++)
        if (row_is_live(c->k, T_BUNDLE, b) && c->k->c[C_BUNDLE_LIST].u8[b] == LIST_UNTIL &&
            c->k->c[C_BUNDLE_UNTIL].i64[b] < (int64_t)meta(c->k, M_UNTIL))
            rc =
                check_fail(c, "%s waits until %lld, but the earliest such time is recorded as %lld",
                           NAME(T_BUNDLE, b), (long long)c->k->c[C_BUNDLE_UNTIL].i64[b],
                           (long long)meta(c->k, M_UNTIL));
    for (uint32_t b = 0; b < table_rows(c->k, T_BUNDLE) && rc == LSCHED_OK; b++)
        if (row_is_live(c->k, T_BUNDLE, b)) rc = check_planned(c, b);
    return rc;
}

/* ---- queues ---- */

static int child_claims(const struct columns *k, uint32_t q) {
    return k->c[C_QUEUE_PARENT].u32[q] != NO_ROW;
}

static int child_belongs(const struct columns *k, uint32_t q, uint32_t owner) {
    return k->c[C_QUEUE_PARENT].u32[q] == owner &&
           k->c[C_QUEUE_DEPTH].u32[q] == k->c[C_QUEUE_DEPTH].u32[owner] + 1;
}

static int amount_belongs(const struct columns *k, uint32_t row, uint32_t owner) {
    return k->c[C_QAMOUNT_QUEUE].u32[row] == owner;
}

static const struct list_kind child_list = {"children of a queue", T_QUEUE,       C_QUEUE_NEXT,
                                            C_QUEUE_PREV,          child_belongs, child_claims};
static const struct list_kind amount_list = {"resource parts with a quota of a queue",
                                             T_QAMOUNT,
                                             C_QAMOUNT_NEXT,
                                             COLUMNS,
                                             amount_belongs,
                                             always};

/* Checks the tree of queues. Cycles are impossible, because the depth of each child must be one
 * more than that of its parent. */
static int32_t check_lists_queues(struct check *c) {
    const struct columns *k = c->k;
    int32_t rc = check_kind(c, &child_list, C_QUEUE_CHILD);
    for (uint32_t q = 0; q < table_rows(k, T_QUEUE) && rc == LSCHED_OK; q++) {
        if (!row_is_live(k, T_QUEUE, q)) continue;
        uint32_t depth = k->c[C_QUEUE_DEPTH].u32[q];
        int root = k->c[C_QUEUE_PARENT].u32[q] == NO_ROW;
        int linked = k->c[C_QUEUE_NEXT].u32[q] != NO_ROW || k->c[C_QUEUE_PREV].u32[q] != NO_ROW;
        if (depth >= LSCHED_QUEUE_DEPTH_MAX || (root && (depth != 0 || linked)))
            rc = check_fail(c, "%s is at depth %u", NAME(T_QUEUE, q), depth);
    }
    return rc == LSCHED_OK ? check_kind(c, &amount_list, C_QUEUE_AMOUNTS) : rc;
}

/* ---- topology ---- */

static int domain_is_root(const struct columns *k, uint32_t d) {
    return k->c[C_DOMAIN_PARENT].u32[d] == NO_ROW;
}

static int domain_is_inner(const struct columns *k, uint32_t d) {
    return !domain_is_root(k, d);
}

static int root_belongs(const struct columns *k, uint32_t d, uint32_t topology) {
    return domain_is_root(k, d) && k->c[C_DOMAIN_TOPOLOGY].u32[d] == topology &&
           k->c[C_DOMAIN_LEVEL].u32[d] == 0;
}

static int domain_belongs(const struct columns *k, uint32_t d, uint32_t parent) {
    return k->c[C_DOMAIN_PARENT].u32[d] == parent &&
           k->c[C_DOMAIN_TOPOLOGY].u32[d] == k->c[C_DOMAIN_TOPOLOGY].u32[parent] &&
           k->c[C_DOMAIN_LEVEL].u32[d] == k->c[C_DOMAIN_LEVEL].u32[parent] + 1;
}

static const struct list_kind root_list = {"widest domains", T_DOMAIN,     C_DOMAIN_NEXT,
                                           C_DOMAIN_PREV,    root_belongs, domain_is_root};
static const struct list_kind domain_list = {"children of a domain", T_DOMAIN,
                                             C_DOMAIN_NEXT,          C_DOMAIN_PREV,
                                             domain_belongs,         domain_is_inner};

static int node_is_outside(const struct columns *k, uint32_t t, uint32_t node) {
    return !row_is_live(k, T_NODE, node) || (k->c[C_NODE_DOMAIN0 + t].u32[node] == NO_ROW &&
                                             k->c[C_NODE_DNEXT0 + t].u32[node] == NO_ROW &&
                                             k->c[C_NODE_DPREV0 + t].u32[node] == NO_ROW);
}

/* Checks that the nodes of a topology are in the lists of its deepest domains, and that every
 * domain has the correct number of nodes. */
static int32_t check_tree_nodes(struct check *c, uint32_t t, uint32_t *count) {
    const struct columns *k = c->k;
    uint32_t listed = 0, joined = 0;
    EACH_LIVE(k, T_DOMAIN, d) {
        if (k->c[C_DOMAIN_TOPOLOGY].u32[d] != t) continue;
        int deepest = k->c[C_DOMAIN_LEVEL].u32[d] + 1 == k->c[C_TOPOLOGY_N_LEVELS].u32[t];
        uint32_t prev = NO_ROW, n = k->c[C_DOMAIN_NODE_FIRST].u32[d];
        if (n != NO_ROW && !deepest)
            return check_fail(c, "%s is not a domain of the deepest level, but it has nodes",
                              NAME(T_DOMAIN, d));
        for (; n != NO_ROW; prev = n, n = k->c[C_NODE_DNEXT0 + t].u32[n]) {
            if (k->c[C_NODE_DOMAIN0 + t].u32[n] != d || k->c[C_NODE_DPREV0 + t].u32[n] != prev)
                return check_fail(c, "%s: %s does not belong there", NAME(T_DOMAIN, d),
                                  NAME(T_NODE, n));
            listed++;
        }
    }
    for (uint32_t n = 0; n < table_rows(k, T_NODE); n++) {
        uint32_t d = row_is_live(k, T_NODE, n) ? k->c[C_NODE_DOMAIN0 + t].u32[n] : NO_ROW;
        joined += d != NO_ROW;
        if (d == NO_ROW && !node_is_outside(k, t, n))
            return check_fail(c, "%s has links in the lists of a topology that it is not in",
                              NAME(T_NODE, n));
        for (; d != NO_ROW; d = k->c[C_DOMAIN_PARENT].u32[d]) count[d]++;
    }
    if (listed != joined)
        return check_fail(c, "topology row %u: %u nodes are in it, but its lists contain %u", t,
                          joined, listed);
    return LSCHED_OK;
}

static int32_t check_domain_counts(struct check *c, uint32_t *count) {
    const struct columns *k = c->k;
    int32_t rc = LSCHED_OK;
    for (uint32_t t = 0; t < LSCHED_TOPOLOGIES_MAX && rc == LSCHED_OK; t++) {
        if (row_is_live(k, T_TOPOLOGY, t)) {
            rc = check_tree_nodes(c, t, count);
            continue;
        }
        for (uint32_t n = 0; n < table_rows(k, T_NODE); n++)
            if (!node_is_outside(k, t, n))
                return check_fail(c, "%s has a domain in a topology that does not exist",
                                  NAME(T_NODE, n));
    }
    for (uint32_t d = 0; d < table_rows(k, T_DOMAIN) && rc == LSCHED_OK; d++)
        if (row_is_live(k, T_DOMAIN, d) &&
            (count[d] == 0 || count[d] != k->c[C_DOMAIN_NODES].u32[d]))
            rc = check_fail(c, "%s counts %u nodes and has %u", NAME(T_DOMAIN, d),
                            k->c[C_DOMAIN_NODES].u32[d], count[d]);
    return rc;
}

static int32_t check_domains(struct check *c) {
    const struct columns *k = c->k;
    int32_t rc = check_kind(c, &root_list, C_TOPOLOGY_FIRST);
    if (rc == LSCHED_OK) rc = check_kind(c, &domain_list, C_DOMAIN_CHILD);
    for (uint32_t d = 0; d < table_rows(k, T_DOMAIN) && rc == LSCHED_OK; d++)
        if (row_is_live(k, T_DOMAIN, d) &&
            k->c[C_DOMAIN_LEVEL].u32[d] >=
                k->c[C_TOPOLOGY_N_LEVELS].u32[k->c[C_DOMAIN_TOPOLOGY].u32[d]])
            rc = check_fail(c, "%s is at level %u", NAME(T_DOMAIN, d), k->c[C_DOMAIN_LEVEL].u32[d]);
    if (rc != LSCHED_OK) return rc;
    size_t bytes = ((size_t)table_rows(k, T_DOMAIN) + 1) * sizeof(uint32_t);
    uint32_t *count = alloc_zero(k->alloc, bytes);
    if (!count) return check_nomem(c);
    rc = check_domain_counts(c, count);
    alloc_free(k->alloc, count, bytes);
    return rc;
}

/* ---- jobs, leaves, tasks ---- */

static int holds(const struct columns *k, uint32_t t) {
    uint8_t s = k->c[C_TASK_STATE].u8[t];
    return s != LSCHED_TASK_NONE && s != LSCHED_TASK_DONE;
}

static int task_leaves(const struct columns *k, uint32_t t) {
    return k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_RELEASING;
}

static int task_waits(const struct columns *k, uint32_t t) {
    return k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_NONE;
}

static int task_is_held(const struct columns *k, uint32_t t) {
    return !task_waits(k, t) && !task_leaves(k, t);
}

static int in_leaf(const struct columns *k, uint32_t t, uint32_t leaf) {
    return k->c[C_TASK_LEAF].u32[t] == leaf &&
           k->c[C_TASK_JOB].u32[t] == k->c[C_LEAF_JOB].u32[leaf];
}

static int task_belongs(const struct columns *k, uint32_t t, uint32_t leaf) {
    return task_is_held(k, t) && in_leaf(k, t, leaf);
}

static int again_belongs(const struct columns *k, uint32_t t, uint32_t leaf) {
    return task_waits(k, t) && in_leaf(k, t, leaf);
}

static int releasing_belongs(const struct columns *k, uint32_t t, uint32_t leaf) {
    return task_leaves(k, t) && in_leaf(k, t, leaf);
}

static int node_belongs(const struct columns *k, uint32_t t, uint32_t node) {
    return holds(k, t) && k->c[C_TASK_NODE].u32[t] == node;
}

static int leaf_belongs(const struct columns *k, uint32_t leaf, uint32_t job) {
    return k->c[C_LEAF_JOB].u32[leaf] == job;
}

static int usage_belongs(const struct columns *k, uint32_t row, uint32_t task) {
    return k->c[C_USAGE_TASK].u32[row] == task;
}

static int refusal_belongs(const struct columns *k, uint32_t row, uint32_t node) {
    return k->c[C_REFUSAL_NODE].u32[row] == node;
}

static int refusal_is_of_node(const struct columns *k, uint32_t row) {
    return k->c[C_REFUSAL_NODE].u32[row] != NO_ROW;
}

static const struct list_kind refusal_list = {"refusals of a node", T_REFUSAL,
                                              C_REFUSAL_NEXT,       C_REFUSAL_PREV,
                                              refusal_belongs,      refusal_is_of_node};
static const struct list_kind task_list = {"tasks of a leaf", T_TASK,       C_TASK_NEXT,
                                           C_TASK_PREV,       task_belongs, task_is_held};
static const struct list_kind again_list = {
    "tasks that wait again", T_TASK, C_TASK_NEXT, C_TASK_PREV, again_belongs, task_waits};
static const struct list_kind releasing_list = {
    "tasks that leave", T_TASK, C_TASK_NEXT, C_TASK_PREV, releasing_belongs, task_leaves};
static const struct list_kind node_list = {"tasks on a node", T_TASK,       C_TASK_NODE_NEXT,
                                           C_TASK_NODE_PREV,  node_belongs, holds};
static const struct list_kind leaf_list = {"leaves of a job", T_LEAF,       C_LEAF_NEXT,
                                           COLUMNS,           leaf_belongs, always};
static const struct list_kind usage_list = {"usage of a task", T_USAGE,       C_USAGE_NEXT,
                                            COLUMNS,           usage_belongs, always};

/* Checks that, if a row refers to another row that must refer back, the second row does so. */
static int32_t check_pairs(struct check *c) {
    const struct columns *k = c->k;
    uint32_t costs = 0, open = 0, watches = 0;
    for (uint32_t j = 0; j < table_rows(k, T_JOB); j++) {
        uint32_t cost = row_is_live(k, T_JOB, j) ? k->c[C_JOB_COST].u32[j] : NO_ROW;
        uint32_t watch = row_is_live(k, T_JOB, j) ? k->c[C_JOB_WATCH].u32[j] : NO_ROW;
        if (watch != NO_ROW && k->c[C_WATCH_JOB].u32[watch] != j)
            return check_fail(c, "%s has the row of job limits of another job", NAME(T_JOB, j));
        watches += watch != NO_ROW;
        if (cost == NO_ROW) continue;
        if (k->c[C_COST_JOB].u32[cost] != j)
            return check_fail(c, "%s has the row of eviction costs of another job", NAME(T_JOB, j));
        costs++;
    }
    for (uint32_t t = 0; t < table_rows(k, T_TASK); t++) {
        uint32_t d = row_is_live(k, T_TASK, t) ? k->c[C_TASK_DECISION].u32[t] : NO_ROW;
        if (d == NO_ROW) continue;
        if (k->c[C_DECISION_TASK].u32[d] != t)
            return check_fail(c, "%s has the open decision of another task", NAME(T_TASK, t));
        open++;
    }
    if (costs != table_live(k, T_COST))
        return check_fail(c, "only %u of %u rows of costs belong to a job", costs,
                          table_live(k, T_COST));
    if (watches != table_live(k, T_WATCH))
        return check_fail(c, "only %u of %u rows of job limits belong to a job", watches,
                          table_live(k, T_WATCH));
    if (open != table_live(k, T_DECISION))
        return check_fail(c, "only %u of %u open decisions belong to a task", open,
                          table_live(k, T_DECISION));
    return LSCHED_OK;
}

/* Checks that the sizes of tasks and of leaves belong to them. */
static int32_t check_resize_pairs(struct check *c) {
    const struct columns *k = c->k;
    uint32_t sizes = 0, sums = 0;
    EACH_LIVE(k, T_TASK, t) {
        uint32_t row = k->c[C_TASK_SIZE].u32[t] - 1;
        if (row == NO_ROW) continue;
        if (!row_is_live(k, T_RESIZE, row) || k->c[C_RESIZE_TASK].u32[row] != t)
            return check_fail(c, "%s has the size of another task", NAME(T_TASK, t));
        sizes++;
    }
    EACH_LIVE(k, T_LEAF, l) {
        uint32_t row = k->c[C_LEAF_SIZED].u32[l] - 1;
        if (row == NO_ROW) continue;
        if (!row_is_live(k, T_SIZED, row) || k->c[C_SIZED_LEAF].u32[row] != l)
            return check_fail(c, "leaf %u has the sums of another leaf", l);
        sums++;
    }
    if (sizes == table_live(k, T_RESIZE) && sums == table_live(k, T_SIZED)) return LSCHED_OK;
    return check_fail(c, "only %u of %u sizes belong to a task, and %u of %u sums to a leaf", sizes,
                      table_live(k, T_RESIZE), sums, table_live(k, T_SIZED));
}

/* Checks that each LEAF row belongs to a leaf group of the job's gang tree, that no two LEAF rows
 * of a job belong to the same group, and that the tasks of each LEAF row belong to its group. */
static int32_t check_leaves(struct check *c) {
    const struct columns *k = c->k;
    EACH_LIVE(k, T_LEAF, l) {
        uint32_t job = k->c[C_LEAF_JOB].u32[l], shape = k->c[C_JOB_SHAPE].u32[job],
                 g = k->c[C_LEAF_GROUP].u32[l];
        uint32_t row = k->c[C_JOBSHAPE_GROUP_FIRST].u32[shape] + g;
        if (g >= k->c[C_JOBSHAPE_N_GROUPS].u32[shape] || k->c[C_GROUP_SHAPE].u32[row] == NO_ROW ||
            k->c[C_LEAF_FRESH].u32[l] > k->c[C_GROUP_SPAN].u32[row])
            return check_fail(
                c, "%s: it has a leaf row for group %u with %u tasks, which is not allowed",
                NAME(T_JOB, job), g, k->c[C_LEAF_FRESH].u32[l]);
    }
    for (uint32_t j = 0; j < table_rows(k, T_JOB); j++) {
        uint64_t seen = 0;
        uint32_t l = row_is_live(k, T_JOB, j) ? k->c[C_JOB_LEAVES].u32[j] : NO_ROW;
        for (; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
            uint64_t bit = (uint64_t)1 << k->c[C_LEAF_GROUP].u32[l];
            if (seen & bit)
                return check_fail(c, "%s: it has two leaf rows for one group", NAME(T_JOB, j));
            seen |= bit;
        }
    }
    EACH_LIVE(k, T_TASK, t) {
        uint32_t l = k->c[C_TASK_LEAF].u32[t],
                 shape = k->c[C_JOB_SHAPE].u32[k->c[C_TASK_JOB].u32[t]];
        uint32_t row = k->c[C_JOBSHAPE_GROUP_FIRST].u32[shape] + k->c[C_LEAF_GROUP].u32[l];
        uint32_t base = k->c[C_GROUP_BASE].u32[row], index = k->c[C_TASK_INDEX].u32[t];
        if (index < base || index - base >= k->c[C_LEAF_FRESH].u32[l])
            return check_fail(
                c,
                "%s: one of its leaf rows has %u task rows, beginning at row %u, which is "
                "wrong",
                NAME(T_TASK, t), k->c[C_LEAF_FRESH].u32[l], base);
    }
    return LSCHED_OK;
}

int32_t check_lists(struct check *c) {
    static const struct {
        const struct list_kind *kind;
        uint32_t head;
    } kinds[] = {{&task_list, C_LEAF_TASK_FIRST},
                 {&again_list, C_LEAF_AGAIN_FIRST},
                 {&releasing_list, C_LEAF_LEAVING_FIRST},
                 {&node_list, C_NODE_TASK_FIRST},
                 {&leaf_list, C_JOB_LEAVES},
                 {&usage_list, C_TASK_USAGE},
                 {&refusal_list, C_NODE_REFUSAL}};
    int32_t rc = check_pairs(c);
    if (rc == LSCHED_OK) rc = check_open(c);
    if (rc == LSCHED_OK) rc = check_waits(c);
    if (rc == LSCHED_OK) rc = check_counted(c, &grew_list, M_GREW_HEAD);
    if (rc == LSCHED_OK) rc = check_counted(c, &gave_list, M_GAVE_HEAD);
    if (rc == LSCHED_OK) rc = check_counted(c, &parked_shapes, M_PARKED_SHAPES);
    if (rc == LSCHED_OK) rc = check_resize_pairs(c);
    if (rc == LSCHED_OK) rc = check_resize_lists(c);
    if (rc == LSCHED_OK) rc = check_parked(c);
    if (rc == LSCHED_OK) rc = check_lists_queues(c);
    if (rc == LSCHED_OK) rc = check_domains(c);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && rc == LSCHED_OK; i++)
        rc = check_kind(c, kinds[i].kind, kinds[i].head);
    return rc == LSCHED_OK ? check_leaves(c) : rc;
}
