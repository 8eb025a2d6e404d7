/* vec.c -- see vec.h. */
#include "base/vec.h"

#include <string.h>

enum { FIRST_BYTES = 256, FIRST_ELEMENTS = 4 };

int vec_grow(struct alloc *a, void *list, size_t element, uint32_t *cap, uint64_t need) {
    uint64_t to = 2 * (uint64_t)*cap;
    if (to == 0)
        to = element > FIRST_BYTES / FIRST_ELEMENTS ? FIRST_ELEMENTS : FIRST_BYTES / element;
    if (to < need) to = need;
    if (to > UINT32_MAX) to = UINT32_MAX;
    if (to < need || to > SIZE_MAX / element) return 0;
    void *old, *fresh;
    /* the owner's pointer is not a void *, therefore its bytes are copied */
    memcpy(&old, list, sizeof old);
    fresh = alloc_resize(a, old, *cap * element, (size_t)to * element);
    if (!fresh) return 0;
    memcpy(list, &fresh, sizeof fresh);
    *cap = (uint32_t)to;
    return 1;
}

int vec_grow_zero(struct alloc *a, void *list, size_t element, uint32_t *cap, uint64_t need) {
    uint32_t had = *cap;
    void *grown;
    if (!vec_grow(a, list, element, cap, need)) return 0;
    memcpy(&grown, list, sizeof grown);
    memset((uint8_t *)grown + had * element, 0, (*cap - had) * element);
    return 1;
}
