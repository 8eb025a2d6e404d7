/*
 * firm_calls.h -- the calls that an action gets for firm starts (algorithm_act.h, lsched_act_firm).
 *
 * The table is linked only into builds that have actions that plan over time.
 */
#ifndef LIBSCHED_FIRM_CALLS_H
#define LIBSCHED_FIRM_CALLS_H

#include <libsched/algorithm.h>

#if defined(LSCHED_NO_PACK)
#define FIRM_CALLS NULL
#else
extern const lsched_act_firm firm_calls;
#define FIRM_CALLS &firm_calls
#endif

#endif
