/* object_words.c -- see object_words.h. */
#include "engine/state/object_words.h"

#include "model/devices/resource_part.h"

struct shown shown_name(const struct columns *k, uint32_t text) {
    return shown(text_of(k, text));
}

void put_name(const struct columns *k, struct text_out *o, uint32_t text) {
    text_put(o, "%s", shown_name(k, text).text);
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
    else { /* the unit of any other kind is the kind's name: "16 gpu:H100", "3 licence" */
        text_put(o, " ");
        put_name(k, o, kind_name(k, kind));
    }
}

void put_amount(const struct columns *k, struct text_out *o, uint32_t kind, int64_t v) {
    put_number(o, kind_base(k, kind), v);
    put_unit(k, o, kind, v);
}

/* ---- as arguments of text_put ---- */

/* Defines the function NAME, which returns the text that the call PUT writes to `o`. */
#define SHOWN(NAME, PARAMETERS, PUT)                    \
    struct shown_words NAME PARAMETERS {                \
        struct shown_words w;                           \
        struct text_out o = {w.text, sizeof w.text, 0}; \
        w.text[0] = 0;                                  \
        PUT;                                            \
        return w;                                       \
    }
SHOWN(shown_amount, (const struct columns *k, uint32_t kind, int64_t v), put_amount(k, &o, kind, v))
SHOWN(shown_number, (uint32_t kind, int64_t v), put_number(&o, kind, v))
SHOWN(shown_span, (int64_t us), put_span(&o, us))
SHOWN(shown_moment, (int64_t us, int64_t now), put_moment(&o, us, now))
