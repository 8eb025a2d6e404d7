/*
 * plan_words.h -- the numbers of a plan as words, the same in tables and in JSON. The
 * words of its codes are lsched_decision_kind_name() and its kin.
 */
#ifndef LSCHED_CLI_PLAN_WORDS_H
#define LSCHED_CLI_PLAN_WORDS_H

#include <stdbool.h>

#include <libsched/libsched.h>

bool decision_stops(uint32_t kind); /* does it stop a task */
/* Are its devices cut into MIG instances: those of a task that runs or starts always are, and what
 * a nomination waits for stands on one of its own. */
bool decision_is_mig(const lsched_cluster *cluster, const lsched_decision *decision);
/* "1g.10gb"; NULL where it stands on none yet, as a nomination does. */
const char *decision_profile(const lsched_cluster *cluster, const lsched_decision *decision);
/* Of its instance on a device: the first memory slice. */
uint32_t decision_start(const lsched_decision *decision, uint32_t device);
const char *reason_word(uint32_t reason); /* "reclaim"; NULL for none */

/* Calls flag for the name of every flag of a plan that is set. */
void plan_flag_words(uint32_t flags, void (*flag)(void *user, const char *word), void *user);

/* The name of an object, borrowed until the cluster changes; "?" for one that is gone. */
lsched_text name_of(const lsched_cluster *cluster, lsched_id id);

/* "8", "0.46": an amount in thousandths. Returns out. */
const char *milli_text(int64_t milli, char out[32]);

#endif
