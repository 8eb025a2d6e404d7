/* treap.c -- see treap.h. */
#include "base/treap.h"

#include "base/hash.h"

/* True if row a is above row b in a tree that has both. */
static int treap_above(uint32_t a, uint32_t b) {
    uint64_t x = hash_mix(0, a), y = hash_mix(0, b);
    return x != y ? x < y : a < b;
}

/* Puts `child` (TREAP_NONE: nothing) in the place of the node `at`. */
static void treap_replace(const struct treap *t, uint32_t at, uint32_t child) {
    uint32_t parent = t->link[at].parent;
    if (child != TREAP_NONE) t->link[child].parent = parent;
    if (parent == TREAP_NONE)
        *t->root = child;
    else if (t->link[parent].left == at)
        t->link[parent].left = child;
    else
        t->link[parent].right = child;
}

/* Rotates the node above its parent. */
static void treap_rise(const struct treap *t, uint32_t at) {
    struct treap_link *x = &t->link[at];
    uint32_t parent = x->parent;
    struct treap_link *p = &t->link[parent];
    treap_replace(t, parent, at);
    if (p->left == at) {
        p->left = x->right;
        if (p->left != TREAP_NONE) t->link[p->left].parent = parent;
        x->right = parent;
    } else {
        p->right = x->left;
        if (p->right != TREAP_NONE) t->link[p->right].parent = parent;
        x->left = parent;
    }
    p->parent = at;
    t->renew(t->of, parent);
    t->renew(t->of, at);
}

static void treap_renew_up(const struct treap *t, uint32_t at) {
    for (; at != TREAP_NONE; at = t->link[at].parent) t->renew(t->of, at);
}

void treap_put(const struct treap *t, uint32_t row, uint32_t above, int left) {
    t->link[row] = (struct treap_link){TREAP_NONE, TREAP_NONE, above};
    if (above == TREAP_NONE)
        *t->root = row;
    else if (left)
        t->link[above].left = row;
    else
        t->link[above].right = row;
    treap_renew_up(t, row);
    while (t->link[row].parent != TREAP_NONE && treap_above(row, t->link[row].parent))
        treap_rise(t, row);
}

void treap_take_out(const struct treap *t, uint32_t row) {
    const struct treap_link *x = &t->link[row];
    while (x->left != TREAP_NONE && x->right != TREAP_NONE)
        treap_rise(t, treap_above(x->left, x->right) ? x->left : x->right);
    uint32_t above = x->parent;
    treap_replace(t, row, x->left != TREAP_NONE ? x->left : x->right);
    treap_renew_up(t, above);
}

uint32_t treap_first(const struct treap_link *link, uint32_t root) {
    while (root != TREAP_NONE && link[root].left != TREAP_NONE) root = link[root].left;
    return root;
}

uint32_t treap_next(const struct treap_link *link, uint32_t row) {
    if (link[row].right != TREAP_NONE) return treap_first(link, link[row].right);
    uint32_t up = link[row].parent;
    while (up != TREAP_NONE && link[up].right == row) {
        row = up;
        up = link[up].parent;
    }
    return up;
}
