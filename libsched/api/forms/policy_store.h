/*
 * policy_store.h -- the cluster's policy with its text and parameters, from which a clone and a
 * load build the policy again.
 *
 * The policy is replaced only after the new one was built and passed its trial runs; on error the
 * old policy stays.
 */
#ifndef LIBSCHED_POLICY_STORE_H
#define LIBSCHED_POLICY_STORE_H

#include "engine/state/cluster.h"
#include "model/store/intern.h"

int32_t policy_set(struct lsched_cluster *c, const char *name, const char *text, size_t len,
                   const lsched_policy_opts *opts, lsched_error *err);
void policy_drop(struct lsched_cluster *c);
/* Makes dst's policy equal to src's. */
int32_t policy_copy(struct lsched_cluster *dst, const struct lsched_cluster *src,
                    lsched_error *err);
/* Encode and decode everything that policy_set needs, for save and load. The built-in policy has
 * no bytes. */
void policy_encode(const struct lsched_cluster *c, struct bytes *b);
int32_t policy_decode(struct lsched_cluster *c, const void *bytes, size_t n, lsched_error *err);

#endif
