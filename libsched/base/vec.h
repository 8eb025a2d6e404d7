/*
 * vec.h -- arrays that grow. The owner has members for the pointer to the elements, a capacity and
 * a length; VEC_ROOM makes room for more elements.
 *
 *       if (!VEC_ROOM(alloc, s->list, s->cap, s->n + 1)) return LSCHED_E_NOMEM;
 *       s->list[s->n++] = element;
 *       ...
 *       alloc_free(alloc, s->list, s->cap * sizeof *s->list);
 *
 * What always holds: the block at `list` has room for `cap` elements, or `list` is NULL and `cap`
 * is 0. If memory runs out, or a size_t cannot hold the number of bytes, the call changes nothing.
 *
 * Cost: the capacity at least doubles, so n elements that are added one by one cost O(n) copies.
 * Memory is the only limit here; callers apply the limits of the library (base/limits.h).
 *
 * Why not one struct with a length: most owners have their own name for each member, and several
 * lists share one length or one capacity.
 */
#ifndef LIBSCHED_VEC_H
#define LIBSCHED_VEC_H

#include "base/alloc.h"

/* True if `list` has room for `need` elements. list is a pointer to elements; cap is a uint32_t.
 * Both are lvalues and are evaluated more than once. */
#define VEC_ROOM(alloc, list, cap, need) \
    ((uint64_t)(need) <= (cap) || vec_grow((alloc), &(list), sizeof *(list), &(cap), (need)))

/* Grows an array; use VEC_ROOM. `list` points to the owner's pointer, which has the type of its
 * elements. */
int vec_grow(struct alloc *a, void *list, size_t element, uint32_t *cap, uint64_t need);

#endif
