/*
 * drf_tree.c -- the treap of drf_tree.h. A link is the row of another queue. The functions allocate
 * nothing and do not recurse.
 */
#include "drf_tree.h"

/* Returns the heap key of a row. The function is a bijection on 32 bits, so no two rows have equal
 * keys. */
static uint32_t heat(uint32_t row) {
    row ^= row >> 16;
    row *= 0x7feb352du;
    row ^= row >> 15;
    row *= 0x846ca68bu;
    return row ^ row >> 16;
}

static struct drf_lane *drf_tree_lanes_of(const struct drf_table *t, uint32_t row) {
    return t->lanes + (uint64_t)row * t->n_lanes;
}

static int drf_tree_before(const struct drf_table *t, uint32_t a, uint32_t b) {
    uint64_t share_a = t->rows[a].share;
    uint64_t share_b = t->rows[b].share;
    return share_a != share_b ? share_a < share_b : a < b;
}

/* Computes the sums over the subtree of `row` from the values of `row` and the sums of its two
 * children in the tree. */
static void pull(const struct drf_table *t, uint32_t row) {
    struct drf_lane *own = drf_tree_lanes_of(t, row);
    for (uint32_t k = 0; k < t->n_lanes; k++) {
        own[k].tree_fraction = own[k].fraction;
        own[k].tree_ratio = own[k].ratio;
    }
    const uint32_t below[2] = {t->rows[row].left, t->rows[row].right};
    for (int i = 0; i < 2; i++) {
        if (below[i] == DRF_NONE) continue;
        const struct drf_lane *child = drf_tree_lanes_of(t, below[i]);
        for (uint32_t k = 0; k < t->n_lanes; k++) {
            own[k].tree_fraction += child[k].tree_fraction;
            own[k].tree_ratio += child[k].tree_ratio;
        }
    }
}

/* Returns the address of the link that points at `row`: a link of its parent in the tree, or the
 * root. */
static uint32_t *drf_tree_link_to(struct drf_table *t, uint32_t *root, uint32_t row) {
    uint32_t parent = t->rows[row].parent;
    if (parent == DRF_NONE) return root;
    return t->rows[parent].left == row ? &t->rows[parent].left : &t->rows[parent].right;
}

/* Rotates `row` up: `row` takes the position of its parent, and the parent becomes a child of
 * `row`. The sorted order of the tree does not change. The sums of both are computed again. */
static void rotate_up(struct drf_table *t, uint32_t *root, uint32_t row) {
    struct drf_row *rows = t->rows;
    uint32_t parent = rows[row].parent;
    uint32_t moved;
    *drf_tree_link_to(t, root, parent) = row;
    rows[row].parent = rows[parent].parent;
    if (rows[parent].left == row) {
        moved = rows[row].right;
        rows[parent].left = moved;
        rows[row].right = parent;
    } else {
        moved = rows[row].left;
        rows[parent].right = moved;
        rows[row].left = parent;
    }
    if (moved != DRF_NONE) rows[moved].parent = parent;
    rows[parent].parent = row;
    pull(t, parent);
    pull(t, row);
}

void drf_tree_insert(struct drf_table *t, uint32_t *root, uint32_t row) {
    struct drf_row *rows = t->rows;
    uint32_t parent = DRF_NONE;
    uint32_t *link = root;
    while (*link != DRF_NONE) {
        parent = *link;
        link = drf_tree_before(t, row, parent) ? &rows[parent].left : &rows[parent].right;
    }
    *link = row;
    rows[row].parent = parent;
    rows[row].left = rows[row].right = DRF_NONE;
    pull(t, row);
    while (rows[row].parent != DRF_NONE && heat(row) > heat(rows[row].parent))
        rotate_up(t, root, row);
    for (uint32_t up = rows[row].parent; up != DRF_NONE; up = rows[up].parent) pull(t, up);
}

void drf_tree_remove(struct drf_table *t, uint32_t *root, uint32_t row) {
    struct drf_row *rows = t->rows;
    while (rows[row].left != DRF_NONE && rows[row].right != DRF_NONE) {
        uint32_t left = rows[row].left;
        uint32_t right = rows[row].right;
        rotate_up(t, root, heat(left) > heat(right) ? left : right);
    }
    uint32_t only = rows[row].left != DRF_NONE ? rows[row].left : rows[row].right;
    uint32_t parent = rows[row].parent;
    *drf_tree_link_to(t, root, row) = only;
    if (only != DRF_NONE) rows[only].parent = parent;
    for (uint32_t up = parent; up != DRF_NONE; up = rows[up].parent) pull(t, up);
}

void drf_tree_sum(const struct drf_table *t, uint32_t root, uint64_t level, drf_wide *fraction,
                  drf_wide *ratio) {
    uint32_t row = root;
    while (row != DRF_NONE) {
        const struct drf_row *at = &t->rows[row];
        const struct drf_lane *own = drf_tree_lanes_of(t, row);
        int low = at->share <= level;
        /* root of the subtree that lies completely on the same side of the level as the row */
        uint32_t whole = low ? at->left : at->right;
        const struct drf_lane *side = whole == DRF_NONE ? 0 : drf_tree_lanes_of(t, whole);
        for (uint32_t k = 0; k < t->n_lanes; k++) {
            if (low)
                fraction[k] += own[k].fraction + (side ? side[k].tree_fraction : 0);
            else
                ratio[k] += own[k].ratio + (side ? side[k].tree_ratio : 0);
        }
        row = low ? at->right : at->left;
    }
}
