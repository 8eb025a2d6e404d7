/*
 * algorithm_names.h -- names of algorithms in a policy: a name that nobody registered, told with
 * its place in the text, what was probably meant, and what there is. For names that stand in the
 * text at load, and for those that its functions return.
 */
#ifndef LIBSCHED_ALGORITHM_NAMES_H
#define LIBSCHED_ALGORITHM_NAMES_H

#include "engine/state/cluster.h"

/* Does it stand in the text, in quotes? Else a function made it. */
int policy_word_is_written(const struct policy_slot *p, const char *word);

/* Fills err (may be NULL): "name:line:column: WHAT 'word' is not known; ...". Returns
 * LSCHED_E_KEY. */
int32_t policy_word_unknown(const struct lsched_cluster *c, const struct policy_slot *p,
                            uint32_t role, const char *what, const char *word, lsched_error *err);

#endif
