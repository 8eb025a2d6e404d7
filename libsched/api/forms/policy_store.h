/*
 * policy_store.h -- sets and stores the cluster's policy. Its text and its parameters are kept,
 * because a clone and a load build the policy again from them.
 *
 * The old policy is replaced only after the new policy was built and has passed its trial runs.
 * After an error the old policy stays in force.
 */
#ifndef LIBSCHED_POLICY_STORE_H
#define LIBSCHED_POLICY_STORE_H

#include "engine/state/cluster.h"
#include "model/store/intern.h"

int32_t policy_set(struct lsched_cluster *c, const char *name, const char *text, size_t len,
                   const lsched_policy_opts *opts, lsched_error *err);
void policy_drop(struct lsched_cluster *c);
/* Gives dst the same policy as src. */
int32_t policy_copy(struct lsched_cluster *dst, const struct lsched_cluster *src,
                    lsched_error *err);
/* For save and load: policy_encode() writes all arguments of policy_set() to *b; policy_decode()
 * sets the policy from these bytes. The built-in policy has no bytes. */
void policy_encode(const struct lsched_cluster *c, struct bytes *b);
int32_t policy_decode(struct lsched_cluster *c, const void *bytes, size_t n, lsched_error *err);

#endif
