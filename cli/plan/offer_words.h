/*
 * offer_words.h -- writes in a sentence which single change would start a waiting job.
 */
#ifndef LSCHED_CLI_OFFER_WORDS_H
#define LSCHED_CLI_OFFER_WORDS_H

#include <stdio.h>

#include <libsched/libsched.h>

#include "cli/support/json_writer.h"

/* Asks for the cheapest change that starts the job in a cycle at now_us. Returns LSCHED_OK or an
 * error of lsched_would_start. */
int32_t offer_ask(const lsched_cluster *cluster, lsched_id job, int64_t now_us,
                  lsched_would_start_answer *answer, lsched_offer *offer, lsched_error *err);
/* Prints the answer as one line that begins with the label "helps". */
void offer_print(FILE *out, const lsched_cluster *cluster, const lsched_would_start_answer *answer);
/* Writes the answer as the member "helps" of the open JSON object. */
void offer_json(struct json *json, const lsched_cluster *cluster,
                const lsched_would_start_answer *answer);

#endif
