/*
 * sort.h -- two macros, each of which defines a sort function for one type of elements and one
 * order.
 *
 *   SORT_STABLE(name, type, context, before)    name(of, list, spare, n)
 *   SORT_IN_PLACE(name, type, context, before)  name(of, list, n), name_is_done(of, list, n)
 *
 * `before(of, a, b)` is a function or a macro. It is true if the element `a` must come before the
 * element `b`. Both elements are passed as lvalues, therefore a macro can also take their
 * addresses. `of` has the type `context` and is passed to `before`. `name_is_done` is true if the
 * list is sorted already.
 *
 * What always holds: the result depends only on the list and on the order. The stable sort keeps
 * the sequence of elements that are equal in the order. The sort in place can change the sequence
 * of such elements. Therefore it needs a total order, in which a number or a name decides last, or
 * elements whose bits are equal when they are equal in the order. Neither sort allocates memory or
 * recurses.
 *
 * Cost: at most about n log2 n comparisons for the stable sort, and twice as many for the sort in
 * place. If the list is already sorted, the stable sort needs n - 1 comparisons, but the sort in
 * place needs its full time. Callers of the sort in place that expect sorted lists call
 * name_is_done first. The stable sort needs room for n elements at `spare`; for n <= SORT_RUN,
 * spare can be NULL. The stable sort merges runs that are sorted by insertion. The sort in place is
 * a heap sort, because a user could construct lists for which quicksort needs quadratic time.
 *
 * Why not qsort: it has no context argument, and it can allocate memory. The sequence in which it
 * leaves equal elements depends on the C library, and a plan would therefore depend on the machine.
 * Why macros: a call of `before` through a pointer costs more than most comparisons here.
 */
#ifndef LIBSCHED_SORT_H
#define LIBSCHED_SORT_H

#include <stddef.h>

/* Length of the runs that are sorted by insertion. In a run of this length, moving elements costs
 * less than a merge. */
#define SORT_RUN 8u

#define SORT_STABLE(name, type, context, before)                                              \
    __attribute__((unused)) static void name##_run(context of, type *list, size_t n) {        \
        (void)of;                                                                             \
        for (size_t i = 1; i < n; i++) {                                                      \
            type one = list[i];                                                               \
            size_t at = i;                                                                    \
            for (; at > 0 && before(of, one, list[at - 1]); at--) list[at] = list[at - 1];    \
            list[at] = one;                                                                   \
        }                                                                                     \
    }                                                                                         \
    /* list[0, mid) and list[mid, n) are sorted. Only the first one is copied to spare. */    \
    __attribute__((unused)) static void name##_merge(context of, type *list, type *spare,     \
                                                     size_t mid, size_t n) {                  \
        (void)of;                                                                             \
        size_t i = 0, j = mid, at = 0;                                                        \
        if (!before(of, list[mid], list[mid - 1])) return;                                    \
        for (; at < mid; at++) spare[at] = list[at];                                          \
        for (at = 0; i < mid && j < n; at++)                                                  \
            list[at] = before(of, list[j], spare[i]) ? list[j++] : spare[i++];                \
        while (i < mid) list[at++] = spare[i++];                                              \
    }                                                                                         \
    __attribute__((unused)) static void name(context of, type *list, type *spare, size_t n) { \
        for (size_t lo = 0; lo < n; lo += SORT_RUN)                                           \
            name##_run(of, list + lo, n - lo < SORT_RUN ? n - lo : SORT_RUN);                 \
        for (size_t width = SORT_RUN; width < n; width *= 2)                                  \
            for (size_t lo = 0; n - lo > width; lo += 2 * width) {                            \
                size_t both = n - lo < 2 * width ? n - lo : 2 * width;                        \
                name##_merge(of, list + lo, spare, width, both);                              \
                if (both < 2 * width) break;                                                  \
            }                                                                                 \
    }

#define SORT_IN_PLACE(name, type, context, before)                                              \
    __attribute__((unused)) static int name##_is_done(context of, const type *list, size_t n) { \
        (void)of;                                                                               \
        size_t sorted = 1;                                                                      \
        while (sorted < n && !before(of, list[sorted], list[sorted - 1])) sorted++;             \
        return sorted >= n;                                                                     \
    }                                                                                           \
    __attribute__((unused)) static void name(context of, type *list, size_t n) {                \
        (void)of;                                                                               \
        for (size_t root = n / 2, end = n; end > 1;) {                                          \
            size_t at = 0;                                                                      \
            type one;                                                                           \
            if (root > 0) { /* the heap is being built: list[root - 1] is added to it */        \
                one = list[at = --root];                                                        \
            } else { /* the first element of the heap is moved to the end of the list */        \
                one = list[--end];                                                              \
                list[end] = list[0];                                                            \
            }                                                                                   \
            for (size_t child; (child = 2 * at + 1) < end; at = child) {                        \
                if (child + 1 < end && before(of, list[child], list[child + 1])) child++;       \
                if (!before(of, one, list[child])) break;                                       \
                list[at] = list[child];                                                         \
            }                                                                                   \
            list[at] = one;                                                                     \
        }                                                                                       \
    }

#endif
