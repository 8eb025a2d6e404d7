/* job_marks.c -- see job_marks.h. */
#include "engine/state/job_marks.h"

#include "base/vec.h"

int32_t job_marks_reserve(struct job_marks *m, struct columns *k) {
    return VEC_ROOM_ZERO(k->alloc, m->walk, m->cap, table_rows(k, T_JOB)) ? LSCHED_OK
                                                                          : LSCHED_E_NOMEM;
}

void job_marks_drop(struct job_marks *m, struct columns *k) {
    alloc_free(k->alloc, m->walk, m->cap * sizeof *m->walk);
    *m = (struct job_marks){0};
}
