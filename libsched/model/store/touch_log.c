/* touch_log.c -- see touch_log.h. */
#include "model/store/touch_log.h"

#include "base/alloc.h"
#include "base/limits.h"

extern inline void touch_log_add(struct touch_log *t, uint32_t row);

int32_t touch_log_reserve(struct alloc *alloc, struct touch_log *t, uint32_t rows) {
    uint32_t want = 1024;
    while (want < rows && want < LIMIT_TOUCHES) want *= 2;
    if (t->cap >= want) return LSCHED_OK;
    uint32_t *p = alloc_new(alloc, want * sizeof *p);
    if (!p) return LSCHED_E_NOMEM;
    touch_log_close(alloc, t);
    t->rows = p;
    t->cap = want;
    touch_log_skip(t); /* the earlier entries are lost, so every cache must be rebuilt */
    return LSCHED_OK;
}

void touch_log_close(struct alloc *alloc, struct touch_log *t) {
    alloc_free(alloc, t->rows, t->cap * sizeof *t->rows);
}
