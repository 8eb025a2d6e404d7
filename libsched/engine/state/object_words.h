/*
 * object_words.h -- writes names of the cluster's objects, and amounts with their units, into a
 * text for people (base/text_out.h).
 */
#ifndef LIBSCHED_OBJECT_WORDS_H
#define LIBSCHED_OBJECT_WORDS_H

#include "base/text_out.h"
#include "model/store/columns.h"

/* text: row of the name in the table of texts */
void put_name(const struct columns *k, struct text_out *o, uint32_t text);
void put_queue(const struct columns *k, struct text_out *o, uint32_t queue);
void put_job(const struct columns *k, struct text_out *o, uint32_t job);
/* Writes an amount with its unit: 1500 milli-cores as "1.5 cores", 8000 milli-GPUs as "8 GPUs",
 * bytes in GiB or MiB. */
void put_amount(const struct columns *k, struct text_out *o, uint32_t kind, int64_t amount);
/* Writes only the unit of an amount, such as " GPUs". The caller has written the number with
 * put_number. */
void put_unit(const struct columns *k, struct text_out *o, uint32_t kind, int64_t amount);

/* Return as a value the text that put_amount, put_number, put_span or put_moment writes. Use the
 * functions as an argument: text_put(o, "%s", shown_job(k, job).text). */
struct shown_words {
    char text[4 * LSCHED_NAME_BYTES_MAX + 64];
};
struct shown_words shown_amount(const struct columns *k, uint32_t kind, int64_t amount);
struct shown_words shown_number(uint32_t kind, int64_t amount);
struct shown_words shown_span(int64_t us);
struct shown_words shown_moment(int64_t us, int64_t now);
struct shown shown_name(const struct columns *k, uint32_t text);
static inline struct shown shown_queue(const struct columns *k, uint32_t queue) {
    return shown_name(k, k->c[C_QUEUE_NAME].u32[queue]);
}
static inline struct shown shown_job(const struct columns *k, uint32_t job) {
    return shown_name(k, k->c[C_JOB_NAME].u32[job]);
}
static inline struct shown shown_node(const struct columns *k, uint32_t node) {
    return shown_name(k, k->c[C_NODE_NAME].u32[node]);
}

#endif
