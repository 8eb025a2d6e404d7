/*
 * plan_words.h -- the numbers of a plan as words, the same in tables and in JSON.
 */
#ifndef LSCHED_CLI_PLAN_WORDS_H
#define LSCHED_CLI_PLAN_WORDS_H

#include <libsched/libsched.h>

const char *decision_word(uint32_t kind); /* "place" */
const char *wait_word(uint32_t code);     /* "room" */
const char *task_state_word(uint32_t state);

/* Calls flag for the name of every flag of a plan that is set. */
void plan_flag_words(uint32_t flags, void (*flag)(void *user, const char *word), void *user);

/* The name of an object, borrowed until the cluster changes; "?" for one that is gone. */
lsched_text name_of(const lsched_cluster *cluster, lsched_id id);

#endif
