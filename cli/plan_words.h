/*
 * plan_words.h -- the numbers of a plan as words, the same in tables and in JSON.
 */
#ifndef LSCHED_CLI_PLAN_WORDS_H
#define LSCHED_CLI_PLAN_WORDS_H

#include <stdbool.h>

#include <libsched/libsched.h>

const char *decision_word(uint32_t kind); /* "place" */
bool decision_stops(uint32_t kind);       /* does it stop a task */
const char *reason_word(uint32_t reason); /* "reclaim"; NULL for none */
const char *wait_word(uint32_t code);     /* "room" */
const char *evict_word(uint32_t code);    /* "protected" */
const char *task_state_word(uint32_t state);

/* Calls flag for the name of every flag of a plan that is set. */
void plan_flag_words(uint32_t flags, void (*flag)(void *user, const char *word), void *user);

/* The name of an object, borrowed until the cluster changes; "?" for one that is gone. */
lsched_text name_of(const lsched_cluster *cluster, lsched_id id);

#endif
