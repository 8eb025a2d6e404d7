/*
 * plan_words.h -- turns values of a plan into words that are equal in tables and in JSON. The words
 * for codes of the API come from lsched_decision_kind_name() and similar functions.
 */
#ifndef LSCHED_CLI_PLAN_WORDS_H
#define LSCHED_CLI_PLAN_WORDS_H

#include <stdbool.h>

#include <libsched/libsched.h>

/* Returns true for the kinds EVICT and MIGRATE, which stop a task. */
bool decision_stops(uint32_t kind);
/* Returns true if the set of devices (lsched_decision.device_words) has the device. */
bool device_set_holds(const uint64_t *device_words, uint32_t device);
/* Returns the number of devices of the decision. */
uint32_t decision_devices(const lsched_decision *decision);
/* Returns true if the decision is about MIG instances, that is, if one of its devices has an
 * instance, or if the decision has a start slice other than 0. */
bool decision_is_mig(const lsched_cluster *cluster, const lsched_decision *decision);
/* Returns the profile of the decision's MIG instances, such as "1g.10gb". Returns NULL for a
 * nomination, because its instances do not exist yet. */
const char *decision_profile(const lsched_cluster *cluster, const lsched_decision *decision);
/* Returns the first memory slice of the MIG instance that the decision has on a device. */
uint32_t decision_start(const lsched_decision *decision, uint32_t device);
/* Returns the word for a reason, such as "reclaim"; NULL for LSCHED_FOR_NONE. */
const char *reason_word(uint32_t reason);

/* Calls `flag` with the name of each flag of a plan that is set in `flags`. */
void plan_flag_words(uint32_t flags, void (*flag)(void *user, const char *word), void *user);

/* Returns the name of an object, which is valid until the cluster changes; "?" if the object no
 * longer exists. */
lsched_text name_of(const lsched_cluster *cluster, lsched_id id);

/* Writes lsched_waiting_text() in the words of a scenario. Writes nothing if that call fails. */
void scenario_wait_text(const lsched_cluster *cluster, const lsched_waiting *waiting, char *buf,
                        size_t cap);
/* Returns the text in the words of a scenario. The caller frees it. */
char *scenario_words(const char *text);

/* Returns true if at least one node of the cluster has a GPU. */
bool cluster_has_gpus(const lsched_cluster *cluster);

#endif
