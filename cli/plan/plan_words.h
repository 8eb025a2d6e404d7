/*
 * plan_words.h -- turns the numbers of a plan into words, the same in tables and in JSON. The
 * words for codes come from lsched_decision_kind_name() and similar functions.
 */
#ifndef LSCHED_CLI_PLAN_WORDS_H
#define LSCHED_CLI_PLAN_WORDS_H

#include <stdbool.h>

#include <libsched/libsched.h>

bool decision_stops(uint32_t kind); /* true if the decision stops a task */
/* true if the decision is about MIG instances. The devices of a task that runs or starts then
 * always have instances. The device of a nomination has the instances that the nomination waits
 * for. */
bool decision_is_mig(const lsched_cluster *cluster, const lsched_decision *decision);
/* Returns the profile of the decision's MIG instances, such as "1g.10gb"; NULL if they do not
 * exist yet, as for a nomination. */
const char *decision_profile(const lsched_cluster *cluster, const lsched_decision *decision);
/* Returns the first memory slice of the decision's MIG instance on a device. */
uint32_t decision_start(const lsched_decision *decision, uint32_t device);
const char *reason_word(uint32_t reason); /* such as "reclaim"; NULL for no reason */

/* Calls `flag` with the name of every flag of a plan that is set. */
void plan_flag_words(uint32_t flags, void (*flag)(void *user, const char *word), void *user);

/* Returns the name of an object, which is valid until the cluster changes; "?" if the object no
 * longer exists. */
lsched_text name_of(const lsched_cluster *cluster, lsched_id id);

/* Returns an amount in thousandths as text, such as "8" or "0.46". The result is `out`. */
const char *milli_text(int64_t milli, char out[32]);

#endif
