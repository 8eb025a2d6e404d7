/* explain_array.c -- see explain_array.h. */
#include "engine/explain/explain_array.h"

#include "base/text_out.h"
#include "engine/exclusions/explain_print.h"
#include "model/arrays/array.h"

static void put_counts(const struct explain *e, uint32_t a) {
    const struct columns *k = e->k;
    uint32_t count = k->c[C_ARRAY_COUNT].u32[a], next = k->c[C_ARRAY_NEXT].u32[a],
             failed = array_failed(k, a), succeeded = k->c[C_ARRAY_SUCCEEDED].u32[a];
    PUT_LINE(e->o, "array", "%u of %s begun", next, counted(count, "element").text);
    if (k->c[C_ARRAY_LIVE].u32[a])
        text_put(e->o, ", of which %u have jobs now", k->c[C_ARRAY_LIVE].u32[a]);
    if (succeeded + failed)
        text_put(e->o, ", %u are over with success and %u without", succeeded, failed);
    if (count > next) text_put(e->o, "; %u wait for their turn", count - next);
    text_put(e->o, "\n");
}

void explain_array_put(const struct explain *e) {
    const struct columns *k = e->k;
    uint32_t a = k->c[C_JOB_ARRAY].u32[e->job], index = 0;
    if (a == NO_ROW) return;
    if (array_is(k, e->job)) {
        put_counts(e, a);
        return;
    }
    (void)array_named(k, text_of(k, k->c[C_JOB_NAME].u32[e->job]), &index);
    PUT_LINE(e->o, "array", "element %u of ", index);
    put_job(k, e->o, k->c[C_ARRAY_JOB].u32[a]);
    text_put(e->o, "\n");
}
