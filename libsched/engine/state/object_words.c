/* object_words.c -- see object_words.h. */
#include "engine/state/object_words.h"

#include "model/devices/resource_part.h"

void put_name(const struct columns *k, struct text_out *o, uint32_t text) {
    text_put(o, "%s", shown(text_of(k, text)).text);
}

void put_queue(const struct columns *k, struct text_out *o, uint32_t queue) {
    put_name(k, o, k->c[C_QUEUE_NAME].u32[queue]);
}

void put_job(const struct columns *k, struct text_out *o, uint32_t job) {
    put_name(k, o, k->c[C_JOB_NAME].u32[job]);
}

/* ---- amounts ---- */

void put_unit(const struct columns *k, struct text_out *o, uint32_t kind, int64_t v) {
    if (kind == LSCHED_MEMORY)
        text_put(o, " memory");
    else if (kind == LSCHED_CPU)
        text_put(o, v == 1000 ? " core" : " cores");
    else if (kind == LSCHED_GPU)
        text_put(o, v == 1000 ? " GPU" : " GPUs");
    else { /* other kinds: "16 gpu:H100", "3 licence" */
        text_put(o, " ");
        put_name(k, o, kind_name(k, kind));
    }
}

void put_amount(const struct columns *k, struct text_out *o, uint32_t kind, int64_t v) {
    put_number(o, kind_base(k, kind), v);
    put_unit(k, o, kind, v);
}
