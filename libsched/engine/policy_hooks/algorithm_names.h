/*
 * algorithm_names.h -- error messages for unknown names of algorithms in a policy: the place in the
 * text, the probable name, and the known names.
 *
 * Used for names in the policy's text at load, and for names that its functions return.
 */
#ifndef LIBSCHED_ALGORITHM_NAMES_H
#define LIBSCHED_ALGORITHM_NAMES_H

#include "engine/state/cluster.h"

/* True if the word is in the text, in quotes. Otherwise a function built the word. */
int algorithm_name_is_written(const struct policy_slot *p, const char *word);

/* Fills err (can be NULL): "name:line:column: WHAT 'word' is not known; ...". Returns
 * LSCHED_E_KEY. */
int32_t algorithm_name_unknown(const struct lsched_cluster *c, const struct policy_slot *p,
                               uint32_t role, const char *what, const char *word,
                               lsched_error *err);

#endif
