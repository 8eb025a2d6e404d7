/* dependency_circle.c -- see dependency_circle.h. */
#include "api/dependencies/dependency_circle.h"

#include <stdio.h>

#include "api/door/args.h"
#include "base/text_out.h"
#include "model/dependencies/gate_circle.h"

/* Fails with the jobs of the circle. */
static int32_t circle_refuse(const struct columns *k, const struct gate_circle *circle,
                             lsched_error *err) {
    if (circle->n == 1)
        return fail(err, LSCHED_E_CYCLE,
                    "the job would wait for itself; expected dependencies on other jobs");
    char text[160];
    size_t at = 0;
    uint32_t shown = circle->n < GATE_CIRCLE_NAMES ? circle->n : GATE_CIRCLE_NAMES;
    for (uint32_t i = 0; i <= shown; i++) {
        lsched_text name = text_of(k, k->c[C_JOB_NAME].u32[circle->job[i < shown ? i : 0]]);
        const char *gap = i == shown && shown < circle->n ? " ... after " : " after ";
        int n = snprintf(text + at, sizeof text - at, "%s'%.*s'", i ? gap : "",
                         (int)(name.len > 32 ? 32 : name.len), name.ptr);
        if (n < 0 || (size_t)n >= sizeof text - at) {
            text[at] = '\0';
            break;
        }
        at += (size_t)n;
    }
    return fail(err, LSCHED_E_CYCLE,
                "a circle of %s that wait for each other: %s; leave one dependency out",
                counted(circle->n, "job").text, text);
}

int32_t dependency_circle_check(const struct columns *k, const struct dependency_form *f,
                                uint32_t job, lsched_error *err) {
    uint32_t on[LSCHED_DEPENDENCIES_MAX];
    struct gate_circle circle;
    for (uint32_t i = 0; i < f->n; i++) {
        const struct gate_need *need = &f->needs[i];
        int waits = need->job == job || need->job == NO_ROW || need->kind != LSCHED_AFTER_START ||
                    k->c[C_JOB_STARTED].i64[need->job] == 0;
        on[i] = waits ? need->job : NO_ROW; /* what has happened is in no circle */
    }
    int32_t rc = gate_circle_find(k, job, on, f->n, &circle);
    return rc == 1 ? circle_refuse(k, &circle, err) : rc;
}
