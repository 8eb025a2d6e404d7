/*
 * vec.h -- arrays that grow. The owner of an array stores a pointer to the elements, the capacity
 * and the length. VEC_ROOM makes room for more elements.
 *
 *       if (!VEC_ROOM(alloc, s->list, s->cap, s->n + 1)) return LSCHED_E_NOMEM;
 *       s->list[s->n++] = element;
 *       ...
 *       alloc_free(alloc, s->list, s->cap * sizeof *s->list);
 *
 * What always holds: the block at `list` has room for `cap` elements, or `list` is NULL and `cap`
 * is 0. If memory runs out, or if the number of bytes is too large for a size_t, VEC_ROOM is false
 * and nothing changes.
 *
 * Cost: when an array grows, its capacity at least doubles. Therefore adding n elements one by one
 * copies O(n) elements in all. The number of elements is limited only by the memory and by
 * UINT32_MAX. The limits of base/limits.h are checked by callers.
 *
 * Why not one struct for pointer, capacity and length: most owners have a name of their own for
 * each member, and some arrays have a common length or capacity.
 */
#ifndef LIBSCHED_VEC_H
#define LIBSCHED_VEC_H

#include "base/alloc.h"

/* Makes sure that `list` has room for `need` elements in total. False if memory is out. `list` is a
 * pointer to the elements, and `cap` is the capacity as a uint32_t. Both must be lvalues, and the
 * macro evaluates both more than once. */
#define VEC_ROOM(alloc, list, cap, need) \
    ((uint64_t)(need) <= (cap) || vec_grow((alloc), &(list), sizeof *(list), &(cap), (need)))

/* Like VEC_ROOM, and fills the elements between the old and the new capacity with zeros. An array
 * that only this macro enlarges therefore has no other values than those that its owner wrote. */
#define VEC_ROOM_ZERO(alloc, list, cap, need) \
    ((uint64_t)(need) <= (cap) || vec_grow_zero((alloc), &(list), sizeof *(list), &(cap), (need)))

/* Makes an array larger. Callers use VEC_ROOM instead of this function. `list` is the address of
 * the owner's pointer to the elements. `element` is the size of one element in bytes. */
int vec_grow(struct alloc *a, void *list, size_t element, uint32_t *cap, uint64_t need);
int vec_grow_zero(struct alloc *a, void *list, size_t element, uint32_t *cap, uint64_t need);

#endif
