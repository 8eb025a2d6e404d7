/* by_name.c -- see by_name.h. */
#include "engine/state/by_name.h"

#include "base/sort.h"
#include "model/store/blocks.h"

static int is_before(const struct columns *k, uint32_t a, uint32_t b) {
    return text_compare(k, k->c[C_JOB_NAME].u32[a], k->c[C_JOB_NAME].u32[b]) < 0;
}

SORT_IN_PLACE(sort_rows, uint32_t, const struct columns *, is_before)

void by_name_sort(const struct columns *k, uint32_t *jobs, uint32_t n) {
    sort_rows(k, jobs, n);
}
