/*
 * check_shapes.c -- checks interned contents: the canonical bytes must decode without a rest, and
 * the rows must be equal to the bytes.
 *
 * The decoder here is deliberately independent of the decoder of shape.c: that one fills rows
 * from bytes, this one compares rows with bytes. The lengths of keys and values of labels are
 * checked, too, because domain.c copies them into a buffer of fixed size.
 */
#include "model/check/check_shapes.h"

#include "model/store/intern.h"
#include "model/check/check_machines.h"
#include "model/check/check_sections.h"
#include "model/shapes/node_rules.h"
#include "model/shapes/shape.h"

static int32_t check_shapes_bad(struct check *c, uint32_t table, uint32_t row, const char *what) {
    return check_fail(c, "%s: %s", NAME(table, row), what);
}

static int amount_is_sound(int64_t v) {
    return v >= 0 && v <= LSCHED_AMOUNT_MAX;
}

/* ---- labels ---- */

static int32_t check_labels(struct check *c, uint32_t row) {
    struct reader r = reader_of(c->k, c->k->c[C_LABELS_BLOB].u32[row]);
    uint32_t n = reader_u32(&r);
    lsched_text last = {"", 0};
    if (n > LIMIT_LABELS_PER_NODE) return check_shapes_bad(c, T_LABELS, row, "too many labels");
    for (uint32_t i = 0; i < n && !r.bad; i++) {
        lsched_text key = reader_text(&r), value = reader_text(&r);
        if (key.len == 0 || key.len > LSCHED_NAME_BYTES_MAX || value.len > LSCHED_NAME_BYTES_MAX)
            return check_shapes_bad(
                c, T_LABELS, row,
                "the key or the value of a label has a length that is not allowed");
        if (i && text_order(last, key) >= 0)
            return check_shapes_bad(c, T_LABELS, row, "keys are not sorted");
        last = key;
    }
    return r.bad || r.p != r.end
               ? check_shapes_bad(c, T_LABELS, row, "the canonical bytes cannot be decoded")
               : LSCHED_OK;
}

static int32_t check_taints(struct check *c, uint32_t row) {
    struct reader r = reader_of(c->k, c->k->c[C_TAINTS_BLOB].u32[row]);
    uint32_t n = reader_u32(&r);
    if (n == 0 || n > LIMIT_TAINTS_PER_NODE)
        return check_shapes_bad(c, T_TAINTS, row, "the number of taints is not allowed");
    for (uint32_t i = 0; i < n && !r.bad; i++) {
        lsched_text key = reader_text(&r), value = reader_text(&r);
        uint32_t effect = reader_u32(&r);
        int64_t since = reader_i64(&r);
        if (key.len == 0 || key.len > LSCHED_NAME_BYTES_MAX || value.len > LSCHED_NAME_BYTES_MAX ||
            effect > LSCHED_TAINT_STOP || since < 0 || since > LSCHED_AMOUNT_MAX ||
            (since && effect != LSCHED_TAINT_STOP))
            return check_shapes_bad(c, T_TAINTS, row, "one of the taints is not valid");
    }
    return r.bad || r.p != r.end
               ? check_shapes_bad(c, T_TAINTS, row, "the canonical bytes cannot be decoded")
               : LSCHED_OK;
}

static int32_t check_shapes_topology(struct check *c, uint32_t row) {
    const struct columns *k = c->k;
    struct reader r = reader_of(k, k->c[C_TOPOLOGY_LEVELS].u32[row]);
    uint32_t n = k->c[C_TOPOLOGY_N_LEVELS].u32[row];
    if (row >= LSCHED_TOPOLOGIES_MAX || n == 0 || n > LSCHED_TOPOLOGY_LEVELS_MAX)
        return check_shapes_bad(c, T_TOPOLOGY, row, "there are too many topologies or levels");
    for (uint32_t i = 0; i < n; i++) {
        lsched_text key = reader_text(&r);
        if (key.len == 0 || key.len > LSCHED_NAME_BYTES_MAX)
            return check_shapes_bad(c, T_TOPOLOGY, row, "a level has no key");
    }
    return r.bad || r.p != r.end ? check_shapes_bad(c, T_TOPOLOGY, row, "levels do not decode")
                                 : LSCHED_OK;
}

/* ---- what one task asks for ---- */

static uint32_t kind_by_name(const struct columns *k, lsched_text name) {
    for (uint32_t r = 0; r < table_rows(k, T_KIND); r++)
        if (text_order(text_of(k, k->c[C_KIND_NAME].u32[r]), name) == 0) return r;
    return NO_ROW;
}

static int32_t check_request(struct check *c, uint32_t row, struct reader *r) {
    const struct columns *k = c->k;
    uint32_t n = reader_u32(r), kinds = table_rows(k, T_KIND);
    int64_t want[KINDS_MAX] = {0};
    lsched_text last = {"", 0};
    if (n > KINDS_MAX) return check_shapes_bad(c, T_SHAPE, row, "too many kinds");
    for (uint32_t i = 0; i < n && !r->bad; i++) {
        lsched_text name = reader_text(r);
        int64_t amount = reader_i64(r);
        uint32_t kind = kind_by_name(k, name);
        if (kind == NO_ROW || kind == 0)
            return check_shapes_bad(c, T_SHAPE, row,
                                    "it asks for a resource kind that does not exist");
        if (!amount_is_sound(amount))
            return check_shapes_bad(c, T_SHAPE, row, "one of its amounts is out of range");
        if (i && text_order(last, name) >= 0)
            return check_shapes_bad(c, T_SHAPE, row, "kinds are not sorted");
        want[kind] = amount;
        last = name;
    }
    for (uint32_t kind = 0; kind < kinds; kind++)
        if (k->c[C_SHAPE_REQ + kind].i64[row] != want[kind])
            return check_shapes_bad(c, T_SHAPE, row, "REQ differs from the canonical bytes");
    return LSCHED_OK;
}

static int check_shapes_has_model(const struct columns *k, const uint32_t *rows, uint32_t n,
                                  lsched_text name) {
    for (uint32_t i = 0; i < n; i++)
        if (text_order(text_of(k, k->c[C_STRING_BLOB].u32[rows[i]]), name) == 0) return 1;
    return 0;
}

/* Checks that the rows of models are the same set as the names in the bytes: both have the same
 * number, the rows are strictly ascending, and each name belongs to one of the rows. */
static int32_t check_models(struct check *c, uint32_t row, struct reader *r) {
    const struct columns *k = c->k;
    uint32_t n = reader_u32(r), text = k->c[C_SHAPE_MODELS].u32[row];
    lsched_text last = {"", 0};
    if (n > LIMIT_MODELS_PER_GROUP || n != k->c[C_SHAPE_N_MODELS].u32[row])
        return check_shapes_bad(c, T_SHAPE, row, "N_MODELS differs from the canonical bytes");
    if (n ? text_len(k, text) != n * sizeof(uint32_t) : text != 0)
        return check_shapes_bad(c, T_SHAPE, row, "MODELS has another length");
    const uint32_t *rows = n ? text_bytes(k, text) : NULL;
    for (uint32_t i = 0; i < n; i++)
        if (!row_is_live(k, T_STRING, rows[i]) || (i && rows[i - 1] >= rows[i]))
            return check_shapes_bad(c, T_SHAPE, row,
                                    "MODELS is not a list of texts in rising order");
    for (uint32_t i = 0; i < n && !r->bad; i++) {
        lsched_text name = reader_text(r);
        if ((i && text_order(last, name) >= 0) || !check_shapes_has_model(k, rows, n, name))
            return check_shapes_bad(c, T_SHAPE, row, "MODELS differs from the canonical bytes");
        last = name;
    }
    return LSCHED_OK;
}

static int32_t check_selectors(struct check *c, uint32_t row, struct reader *r,
                               const uint8_t *begin) {
    const struct columns *k = c->k;
    uint32_t n = reader_u32(r);
    if (n > LIMIT_SELECTORS_PER_GROUP || n != k->c[C_SHAPE_N_SELECTORS].u32[row] ||
        (uint64_t)(r->p - begin) != k->c[C_SHAPE_SELECTORS].u32[row])
        return check_shapes_bad(c, T_SHAPE, row, "SELECTORS differs from the canonical bytes");
    for (uint32_t i = 0; i < n && !r->bad; i++) {
        lsched_text key = reader_text(r);
        uint32_t values = reader_u32(r);
        if (key.len == 0 || values > LIMIT_SELECTOR_VALUES)
            return check_shapes_bad(c, T_SHAPE, row, "one of its selectors is not valid");
        for (uint32_t v = 0; v < values && !r->bad; v++) reader_text(r);
    }
    return LSCHED_OK;
}

static int32_t check_demand(struct check *c, uint32_t row, struct reader *r) {
    uint32_t n = reader_u32(r);
    if (n > LIMIT_DEMAND_STEPS)
        return check_shapes_bad(c, T_SHAPE, row, "it has too many demand steps");
    for (uint32_t i = 0; i < n && !r->bad; i++) {
        lsched_text kind = reader_text(r);
        int64_t from = reader_i64(r), amount = reader_i64(r);
        if (kind_by_name(c->k, kind) == NO_ROW || from < 0 || !amount_is_sound(amount))
            return check_shapes_bad(c, T_SHAPE, row, "one of its demand steps is not valid");
    }
    return LSCHED_OK;
}

static int32_t check_shape(struct check *c, uint32_t row) {
    const struct columns *k = c->k;
    struct reader r = reader_of(k, k->c[C_SHAPE_BLOB].u32[row]);
    const uint8_t *begin = r.p;
    int32_t rc = check_request(c, row, &r);
    if (rc != LSCHED_OK) return rc;
    uint32_t devices = reader_u32(&r), milli = reader_u32(&r);
    int64_t memory = reader_i64(&r);
    if (devices != k->c[C_SHAPE_DEVICES].u32[row] || milli != k->c[C_SHAPE_DEVICE_MILLI].u32[row] ||
        memory != k->c[C_SHAPE_DEVICE_MEM].i64[row])
        return check_shapes_bad(c, T_SHAPE, row, "its devices differ from the canonical bytes");
    int asks = milli || memory > 0 || k->c[C_SHAPE_SM_COUNT].u32[row];
    if (milli > 1000 || (devices && !asks) || !amount_is_sound(memory))
        return check_shapes_bad(c, T_SHAPE, row, "devices that cannot be");
    rc = check_models(c, row, &r);
    if (rc == LSCHED_OK) rc = check_selectors(c, row, &r, begin);
    if (rc == LSCHED_OK) rc = check_demand(c, row, &r);
    if (rc == LSCHED_OK) rc = check_task_sections(c, row, &r, begin);
    if (rc == LSCHED_OK && (r.bad || r.p != r.end))
        rc = check_shapes_bad(c, T_SHAPE, row, "the canonical bytes cannot be decoded");
    return rc;
}

/* ---- gang trees ---- */

static int32_t check_level(struct check *c, uint32_t row, uint32_t topology, lsched_text key,
                           uint32_t level) {
    const struct columns *k = c->k;
    if (key.len == 0)
        return level == NO_ROW
                   ? LSCHED_OK
                   : check_shapes_bad(c, T_JOBSHAPE, row,
                                      "a group has a level that the canonical bytes do not name");
    struct reader r = reader_of(k, k->c[C_TOPOLOGY_LEVELS].u32[topology]);
    lsched_text have = {"", 0};
    for (uint32_t i = 0; i <= level && i < k->c[C_TOPOLOGY_N_LEVELS].u32[topology]; i++)
        have = reader_text(&r);
    if (level >= k->c[C_TOPOLOGY_N_LEVELS].u32[topology] || text_order(have, key) != 0)
        return check_shapes_bad(c, T_JOBSHAPE, row,
                                "the level of a group differs from the canonical bytes");
    return LSCHED_OK;
}

/* Checks the topology that a group requires or prefers. If the bytes have no name of a tree, the
 * tree must be the first topology, because it was the only one when the job was submitted. */
static int32_t check_wish(struct check *c, uint32_t row, uint32_t g, struct reader *r) {
    const struct columns *k = c->k;
    lsched_text tree = reader_text(r), required = reader_text(r), preferred = reader_text(r),
                spread = reader_text(r);
    uint32_t topology = k->c[C_GROUP_TOPOLOGY].u32[g], spread_max = reader_u32(r);
    if (spread_max != k->c[C_GROUP_SPREAD_MAX].u32[g] || (spread.len == 0) != (spread_max == 0))
        return check_shapes_bad(c, T_JOBSHAPE, row,
                                "the spread of a group differs from the canonical bytes");
    if (tree.len + required.len + preferred.len + spread.len == 0) {
        if (topology != NO_ROW)
            return check_shapes_bad(c, T_JOBSHAPE, row,
                                    "a group has a topology that the canonical bytes do not name");
    } else {
        if (!row_is_live(k, T_TOPOLOGY, topology))
            return check_shapes_bad(c, T_JOBSHAPE, row,
                                    "a group has a topology that does not exist");
        lsched_text name = text_of(k, k->c[C_TOPOLOGY_NAME].u32[topology]);
        if (tree.len ? text_order(tree, name) != 0 : topology != 0)
            return check_shapes_bad(c, T_JOBSHAPE, row,
                                    "the topology of a group differs from the canonical bytes");
    }
    int32_t rc = check_level(c, row, topology, required, k->c[C_GROUP_REQUIRED].u32[g]);
    if (rc == LSCHED_OK) rc = check_level(c, row, topology, spread, k->c[C_GROUP_SPREAD].u32[g]);
    return rc == LSCHED_OK
               ? check_level(c, row, topology, preferred, k->c[C_GROUP_PREFERRED].u32[g])
               : rc;
}

static int32_t check_alternative(struct check *c, uint32_t row, uint32_t shape, struct reader *r) {
    const struct columns *k = c->k;
    uint32_t n = reader_u32(r);
    if (r->bad || (size_t)(r->end - r->p) < n)
        return check_shapes_bad(c, T_JOBSHAPE, row,
                                "the task shape of a leaf group cannot be decoded");
    lsched_text bytes = {(const char *)r->p, n};
    r->p += n;
    if (!row_is_live(k, T_SHAPE, shape) ||
        text_order(text_of(k, k->c[C_SHAPE_BLOB].u32[shape]), bytes) != 0)
        return check_shapes_bad(c, T_JOBSHAPE, row,
                                "the task shape of a leaf group differs from the canonical bytes");
    return LSCHED_OK;
}

static int32_t check_shapes_leaf(struct check *c, uint32_t row, uint32_t g, struct reader *r) {
    const struct columns *k = c->k;
    uint32_t n = reader_u32(r), list = k->c[C_GROUP_ALTERNATIVES].u32[g];
    if (n == 0 || n > LSCHED_ALTERNATIVES_MAX || n != k->c[C_GROUP_N_ALTERNATIVES].u32[g] ||
        (list == NO_ROW) != (n == 1) || (n > 1 && text_len(k, list) != n * sizeof(uint32_t)))
        return check_shapes_bad(c, T_JOBSHAPE, row,
                                "N_ALTERNATIVES differs from the canonical bytes");
    for (uint32_t a = 0; a < n; a++) {
        int32_t rc = check_alternative(c, row, group_alternative(k, g, a), r);
        if (rc != LSCHED_OK) return rc;
    }
    return group_alternative(k, g, 0) == k->c[C_GROUP_SHAPE].u32[g]
               ? LSCHED_OK
               : check_shapes_bad(c, T_JOBSHAPE, row,
                                  "the SHAPE of a leaf group is not its first alternative");
}

struct shape_tree {
    uint32_t children[LSCHED_GROUPS_PER_JOB_MAX], least[LSCHED_GROUPS_PER_JOB_MAX];
    uint32_t leaves, pinned;
    uint64_t tasks;   /* of all groups, with chosen sizes */
    uint64_t indexes; /* of all tasks as submitted */
};

/* Checks the numbers of group i and its position in the gang tree. Sets *children to the number
 * of its children and *max to its size. */
static int32_t check_group_place(struct check *c, uint32_t row, uint32_t i, struct reader *r,
                                 struct shape_tree *t, uint32_t *children, uint32_t *max) {
    const struct columns *k = c->k;
    uint32_t first = k->c[C_JOBSHAPE_GROUP_FIRST].u32[row], g = first + i;
    uint32_t parent = reader_u32(r);
    *children = reader_u32(r);
    uint32_t min = reader_u32(r);
    *max = reader_u32(r);
    reader_text(r);
    if (parent != k->c[C_GROUP_PARENT].u32[g] || *children != k->c[C_GROUP_CHILDREN].u32[g] ||
        min != k->c[C_GROUP_LEAST].u32[g] || (*children ? 0 : *max) != k->c[C_GROUP_SPAN].u32[g] ||
        t->indexes != k->c[C_GROUP_BASE].u32[g])
        return check_shapes_bad(c, T_JOBSHAPE, row, "a group differs from the canonical bytes");
    if (i > 0 && (parent >= i || k->c[C_GROUP_CHILDREN].u32[first + parent] == 0))
        return check_shapes_bad(
            c, T_JOBSHAPE, row,
            "the parent of a group is not an inner group that comes before the group");
    if (i > 0) t->children[parent]++;
    uint32_t size = k->c[C_GROUP_SIZE].u32[g]; /* check_group_sections() checks it */
    if (k->c[C_GROUP_MIN].u32[g] != (size ? size : min) ||
        k->c[C_GROUP_MAX].u32[g] != (size ? size : *max))
        return check_shapes_bad(c, T_JOBSHAPE, row,
                                "the numbers of tasks of a group differ from its chosen size");
    if (min > (*children ? *children : *max))
        return check_shapes_bad(c, T_JOBSHAPE, row,
                                "the minimum of a group is greater than its size");
    return LSCHED_OK;
}

/* Returns the bits of JOBSHAPE.PINNED (PINNED_*) that the group causes. */
static uint32_t pinned_by(const struct columns *k, uint32_t g) {
    return (k->c[C_GROUP_REQUIRED].u32[g] != NO_ROW ? PINNED_REQUIRED : 0) |
           (group_is_spread(k, g) ? PINNED_SPREAD : 0) |
           (k->c[C_GROUP_N_ALTERNATIVES].u32[g] > 1 ? PINNED_ALTERNATIVES : 0) |
           (k->c[C_GROUP_N_SLICES].u8[g] ? PINNED_SLICES : 0) |
           (k->c[C_GROUP_MEMBERS].u32[g] < k->c[C_GROUP_MAX].u32[g] ? PINNED_MEMBERS : 0) |
           (k->c[C_GROUP_FIXED].u8[g] ? PINNED_FIXED : 0);
}

static int32_t check_shapes_group(struct check *c, uint32_t row, uint32_t i, struct reader *r,
                                  struct shape_tree *t) {
    const struct columns *k = c->k;
    uint32_t g = k->c[C_JOBSHAPE_GROUP_FIRST].u32[row] + i, children, max;
    int32_t rc = check_group_place(c, row, i, r, t, &children, &max);
    if (rc == LSCHED_OK) rc = check_wish(c, row, g, r);
    if (rc == LSCHED_OK) rc = check_group_sections(c, row, g, r);
    if (rc != LSCHED_OK) return rc;
    t->pinned |= pinned_by(k, g);
    if (children)
        return k->c[C_GROUP_SHAPE].u32[g] == NO_ROW && k->c[C_GROUP_SPREAD].u32[g] == NO_ROW &&
                       k->c[C_GROUP_N_ALTERNATIVES].u32[g] == 0 &&
                       k->c[C_GROUP_MEMBERS].u32[g] == k->c[C_GROUP_MAX].u32[g]
                   ? LSCHED_OK
                   : check_shapes_bad(c, T_JOBSHAPE, row,
                                      "an inner group has a task shape or a spread");
    t->leaves++;
    t->indexes += max;
    t->tasks += k->c[C_GROUP_MAX].u32[g];
    rc = check_shapes_leaf(c, row, g, r); /* only then GROUP.SHAPE is a row */
    if (rc == LSCHED_OK && group_is_exclusive(k, g)) t->pinned |= PINNED_EXCLUSIVE;
    return rc;
}

/* Returns the least number of tasks that satisfies the root. Each group counts the children that
 * need the fewest tasks. The loop goes from the last group to the first one, so that the numbers
 * of a group's children are known before. */
static uint32_t least_tasks(const struct columns *k, uint32_t first, uint32_t n,
                            struct shape_tree *t) {
    for (uint32_t g = n; g-- > 0;) {
        uint32_t min = k->c[C_GROUP_MIN].u32[first + g], sorted[LSCHED_GROUPS_PER_JOB_MAX], m = 0,
                 sum = 0;
        for (uint32_t child = g + 1; child < n; child++) {
            if (k->c[C_GROUP_PARENT].u32[first + child] != g) continue;
            uint32_t at = m++;
            for (; at > 0 && sorted[at - 1] > t->least[child]; at--) sorted[at] = sorted[at - 1];
            sorted[at] = t->least[child];
        }
        for (uint32_t i = 0; i < m && i < min; i++) sum += sorted[i];
        t->least[g] = t->children[g] ? sum : min;
    }
    return t->least[0];
}

static int32_t check_jobshape(struct check *c, uint32_t row) {
    const struct columns *k = c->k;
    struct reader r = reader_of(k, k->c[C_JOBSHAPE_BLOB].u32[row]);
    uint32_t n = k->c[C_JOBSHAPE_N_GROUPS].u32[row], first = k->c[C_JOBSHAPE_GROUP_FIRST].u32[row];
    struct shape_tree t;
    memset(&t, 0, sizeof t);
    reader_u32(&r);
    if (!amount_is_sound(reader_i64(&r)))
        return check_shapes_bad(c, T_JOBSHAPE, row, "the preemption delay is out of range");
    if (reader_u32(&r) != n)
        return check_shapes_bad(c, T_JOBSHAPE, row, "N_GROUPS differs from the canonical bytes");
    for (uint32_t i = 0; i < n; i++) {
        int32_t rc = check_shapes_group(c, row, i, &r, &t);
        if (rc != LSCHED_OK) return rc;
        if (t.indexes > LSCHED_TASKS_PER_JOB_MAX)
            return check_shapes_bad(c, T_JOBSHAPE, row, "too many tasks");
    }
    for (uint32_t i = 0; i < n; i++)
        if (t.children[i] != k->c[C_GROUP_CHILDREN].u32[first + i])
            return check_shapes_bad(c, T_JOBSHAPE, row,
                                    "the number of children of a group is wrong");
    if (r.bad || r.p != r.end)
        return check_shapes_bad(c, T_JOBSHAPE, row, "the canonical bytes cannot be decoded");
    if (t.leaves != k->c[C_JOBSHAPE_N_LEAVES].u32[row] ||
        t.tasks != k->c[C_JOBSHAPE_TASKS].u32[row] ||
        t.indexes != k->c[C_JOBSHAPE_INDEXES].u32[row] ||
        t.pinned != k->c[C_JOBSHAPE_PINNED].u8[row] ||
        least_tasks(k, first, n, &t) != k->c[C_JOBSHAPE_TASKS_MIN].u32[row])
        return check_shapes_bad(c, T_JOBSHAPE, row, "the sums over its groups are wrong");
    return LSCHED_OK;
}

int32_t check_shapes(struct check *c) {
    static const struct {
        uint32_t table;
        int32_t (*check)(struct check *, uint32_t);
    } parts[] = {{T_LABELS, check_labels},
                 {T_TAINTS, check_taints},
                 {T_TOPOLOGY, check_shapes_topology},
                 {T_MACHINE, check_machine},
                 {T_NODE, check_node_machine},
                 {T_SHAPE, check_shape},
                 {T_JOBSHAPE, check_jobshape}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        EACH_LIVE(c->k, parts[i].table, row) {
            int32_t rc = parts[i].check(c, row);
            if (rc != LSCHED_OK) return rc;
        }
    }
    return LSCHED_OK;
}
