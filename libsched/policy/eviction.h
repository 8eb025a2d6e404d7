/*
 * eviction.h -- the default settings for eviction and past use. They apply to a policy that does
 * not set them.
 *
 * The defaults are in one place, because two users need them: the reader of policy texts starts
 * from them, and the engine uses them if no policy is loaded. Who needs a setting outside a cycle
 * reads it with policy_eviction_of(): without a policy, desc.eviction is all 0.
 */
#ifndef LIBSCHED_POLICY_EVICTION_H
#define LIBSCHED_POLICY_EVICTION_H

#include "policy/policy.h"

/* Sets the members about eviction and past use to their defaults. The other members of `desc` stay
 * unchanged. */
void policy_desc_default(struct policy_desc *desc);
struct policy_eviction policy_eviction_default(void);
/* Returns the settings in force: those of the policy, or the defaults if none is loaded (ops is
 * NULL). */
struct policy_eviction policy_eviction_of(const struct policy *p);

#endif
