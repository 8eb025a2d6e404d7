/*
 * policy_store.h -- the cluster's policy: its text and parameters are kept, because a clone and a
 * load make the policy anew from them.
 * A swap is made only after the new policy has been built and smoke-run; on error the old one
 * stays.
 */
#ifndef LIBSCHED_POLICY_STORE_H
#define LIBSCHED_POLICY_STORE_H

#include "engine/state/cluster.h"
#include "model/store/intern.h"

int32_t policy_set(struct lsched_cluster *c, const char *name, const char *text, size_t len,
                   const lsched_policy_opts *opts, lsched_error *err);
void policy_drop(struct lsched_cluster *c);
/* Make dst's policy like src's. */
int32_t policy_copy(struct lsched_cluster *dst, const struct lsched_cluster *src,
                    lsched_error *err);
/* For save and load: everything policy_set needs, as bytes. Empty for the built-in policy. */
void policy_encode(const struct lsched_cluster *c, struct bytes *b);
int32_t policy_decode(struct lsched_cluster *c, const void *bytes, size_t n, lsched_error *err);

#endif
