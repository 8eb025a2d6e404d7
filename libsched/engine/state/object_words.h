/*
 * object_words.h -- names of the cluster's objects, and amounts with their units, in a text that
 * people read (base/text_out.h).
 */
#ifndef LIBSCHED_OBJECT_WORDS_H
#define LIBSCHED_OBJECT_WORDS_H

#include "base/text_out.h"
#include "model/store/columns.h"

void put_name(const struct columns *k, struct text_out *o, uint32_t text); /* row of a text */
void put_queue(const struct columns *k, struct text_out *o, uint32_t queue);
void put_job(const struct columns *k, struct text_out *o, uint32_t job);
/* 1500 milli-cores: "1.5 cores"; 8000 milli-GPU: "8 GPUs"; bytes in GiB or MiB. */
void put_amount(const struct columns *k, struct text_out *o, uint32_t kind, int64_t amount);
/* " GPUs" of 8 GPUs: what follows put_number. */
void put_unit(const struct columns *k, struct text_out *o, uint32_t kind, int64_t amount);

#endif
