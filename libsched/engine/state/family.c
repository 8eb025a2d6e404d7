/* family.c -- see family.h. */
#include "engine/state/family.h"

#include <stdatomic.h>

struct cluster_family {
    struct alloc alloc;
    atomic_uint holders;
    atomic_uint members; /* number of memberships so far */
};

size_t family_bytes(void) {
    return sizeof(struct cluster_family);
}

struct cluster_family *family_open(struct alloc *a) {
    struct cluster_family *f = alloc_new(a, sizeof *f);
    if (!f) return NULL;
    (void)alloc_init(&f->alloc, &a->hooks, 0); /* hooks in use are valid */
    f->alloc.bytes = sizeof *f;
    atomic_init(&f->holders, 1);
    atomic_init(&f->members, 1);
    return f;
}

struct cluster_family *family_hold(struct cluster_family *f) {
    atomic_fetch_add_explicit(&f->holders, 1, memory_order_relaxed);
    return f;
}

uint32_t family_join(struct cluster_family *f) {
    (void)family_hold(f);
    return atomic_fetch_add_explicit(&f->members, 1, memory_order_relaxed);
}

void family_leave(struct cluster_family *f) {
    if (!f || atomic_fetch_sub_explicit(&f->holders, 1, memory_order_acq_rel) > 1) return;
    struct alloc a = f->alloc;
    alloc_free(&a, f, sizeof *f);
}
