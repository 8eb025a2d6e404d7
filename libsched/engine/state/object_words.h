/*
 * object_words.h -- writes names of the cluster's objects, and amounts with their units, into a
 * text for people (base/text_out.h).
 */
#ifndef LIBSCHED_OBJECT_WORDS_H
#define LIBSCHED_OBJECT_WORDS_H

#include "base/text_out.h"
#include "model/store/columns.h"

/* `text` is the row of the name */
void put_name(const struct columns *k, struct text_out *o, uint32_t text);
void put_queue(const struct columns *k, struct text_out *o, uint32_t queue);
void put_job(const struct columns *k, struct text_out *o, uint32_t job);
/* Writes an amount with its unit: 1500 milli-cores as "1.5 cores", 8000 milli-GPUs as "8 GPUs",
 * bytes in GiB or MiB. */
void put_amount(const struct columns *k, struct text_out *o, uint32_t kind, int64_t amount);
/* Writes only the unit, such as " GPUs", to follow put_number. */
void put_unit(const struct columns *k, struct text_out *o, uint32_t kind, int64_t amount);

#endif
