/*
 * algorithm_names.h -- error messages for unknown names of algorithms in a policy. A message
 * contains the position of the name in the policy's text, the known name that was probably meant,
 * and all known names.
 *
 * The messages are for names that are read when the policy is loaded, and for names that hooks of
 * the policy return.
 */
#ifndef LIBSCHED_ALGORITHM_NAMES_H
#define LIBSCHED_ALGORITHM_NAMES_H

#include "engine/state/cluster.h"

/* True if the policy's text contains the word in quotes. If not, a function of the policy has
 * built the word, for example from two texts. */
int algorithm_name_is_written(const struct policy_slot *p, const char *word);

/* Fills err, which can be NULL, with the message "name:line:column: WHAT 'word' is not known;
 * ...". Always returns LSCHED_E_KEY. */
int32_t algorithm_name_unknown(const struct lsched_cluster *c, const struct policy_slot *p,
                               uint32_t role, const char *what, const char *word,
                               lsched_error *err);

#endif
