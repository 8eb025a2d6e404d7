/*
 * candidate.h -- reads the fields of an eviction candidate for a policy. A candidate is not an
 * object of the model. Some of its fields are members of struct policy_candidate. The others are
 * fields of its job and its queue, which the engine's view fills.
 */
#ifndef LIBSCHED_POLICY_CANDIDATE_H
#define LIBSCHED_POLICY_CANDIDATE_H

#include "policy/policy.h"

/* Sets out[i] to the value of the field for candidates[i]. The value comes from the struct, or from
 * the candidate's job or queue. */
void policy_candidate_fill(const struct policy_view *view, enum policy_field field,
                           const struct policy_candidate *candidates, size_t n,
                           union policy_value *out);

#endif
