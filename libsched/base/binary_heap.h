/*
 * binary_heap.h -- a macro that defines the functions of a binary heap for one type of elements and
 * one order. The heap is an array that belongs to the caller.
 *
 *   HEAP_DEFINE(name, type, context, before, placed)
 *
 *   name_make(of, heap, n)       turns an array of n elements in any order into a heap
 *   name_settle(of, heap, n, i)  restores the heap after only heap[i] has changed
 *   name_add(of, heap, &n, one)  adds an element; the array must have room for one more element
 *   name_take(of, heap, &n)      removes the first element, heap[0], and returns it; n > 0
 *   name_drop(of, heap, &n, i)   removes heap[i]
 *
 * `before(of, a, b)` is a function or a macro. It is true if the element `a` must come out of the
 * heap before the element `b`. Both elements are passed as lvalues, therefore a macro can also take
 * their addresses. `placed(of, one, at)` is called each time that the element `one` is written to
 * heap[at]. A caller that must know the index of each element records the index in this function.
 * Other callers pass HEAP_NO_INDEX, which does nothing. `of` has the type `context` and is passed
 * to `before` and to `placed`.
 *
 * What always holds after each function: in the given order, no element comes before its parent in
 * the heap. Therefore heap[0] is the first element. Every heap of the library has a total order.
 * Therefore the sequence in which elements come out depends only on the elements, and not on the
 * sequence in which they were added.
 *
 * Cost: O(n) for name_make, and O(log n) for every other function. The functions allocate no memory
 * and do not recurse.
 *
 * Why not a heap of linked nodes: an array is one block of memory, and its elements need no
 * pointers. Heaps whose arrays are columns of the cluster must write to the undo log. They
 * therefore have code of their own: model/store/heap.h and model/store/timer.h.
 */
#ifndef LIBSCHED_BINARY_HEAP_H
#define LIBSCHED_BINARY_HEAP_H

#include <stddef.h>
#include <stdint.h>

#define HEAP_NO_INDEX(of, one, at) ((void)0)

#define HEAP_DEFINE(name, type, context, before, placed)                                          \
    __attribute__((unused)) static void name##_put(context of, type *heap, size_t at, type one) { \
        (void)of;                                                                                 \
        heap[at] = one;                                                                           \
        placed(of, one, (uint32_t)at);                                                            \
    }                                                                                             \
    __attribute__((unused)) static void name##_sink(context of, type *heap, size_t n, size_t at,  \
                                                    type one) {                                   \
        (void)of;                                                                                 \
        for (size_t child; (child = 2 * at + 1) < n; at = child) {                                \
            if (child + 1 < n && before(of, heap[child + 1], heap[child])) child++;               \
            if (!before(of, heap[child], one)) break;                                             \
            name##_put(of, heap, at, heap[child]);                                                \
        }                                                                                         \
        name##_put(of, heap, at, one);                                                            \
    }                                                                                             \
    __attribute__((unused)) static void name##_make(context of, type *heap, size_t n) {           \
        for (size_t i = n / 2; i-- > 0;) name##_sink(of, heap, n, i, heap[i]);                    \
    }                                                                                             \
    __attribute__((unused)) static void name##_settle(context of, type *heap, size_t n,           \
                                                      size_t at) {                                \
        (void)of;                                                                                 \
        type one = heap[at];                                                                      \
        for (; at > 0 && before(of, one, heap[(at - 1) / 2]); at = (at - 1) / 2)                  \
            name##_put(of, heap, at, heap[(at - 1) / 2]);                                         \
        name##_sink(of, heap, n, at, one);                                                        \
    }                                                                                             \
    __attribute__((unused)) static void name##_add(context of, type *heap, uint32_t *n,           \
                                                   type one) {                                    \
        heap[*n] = one;                                                                           \
        ++*n;                                                                                     \
        name##_settle(of, heap, *n, *n - 1);                                                      \
    }                                                                                             \
    __attribute__((unused)) static void name##_drop(context of, type *heap, uint32_t *n,          \
                                                    uint32_t at) {                                \
        --*n;                                                                                     \
        if (at == *n) return;                                                                     \
        heap[at] = heap[*n];                                                                      \
        name##_settle(of, heap, *n, at);                                                          \
    }                                                                                             \
    __attribute__((unused)) static type name##_take(context of, type *heap, uint32_t *n) {        \
        type first = heap[0];                                                                     \
        name##_drop(of, heap, n, 0);                                                              \
        return first;                                                                             \
    }

#endif
