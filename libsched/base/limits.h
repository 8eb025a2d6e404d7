/*
 * limits.h -- every internal limit of the library, in one place. Public limits are in libsched.h. A
 * call that would exceed a limit fails with LSCHED_E_LIMIT and a message that names the limit;
 * nothing is truncated.
 */
#ifndef LIBSCHED_LIMITS_H
#define LIBSCHED_LIMITS_H

#include <libsched/libsched.h>

/* bits of the generation in an id; see model/store/generation.h */
#define LIMIT_GENERATION_MAX      ((1u << 28) - 1)
#define LIMIT_ROWS_MAX            0xFFFFFFF0u /* rows of one table */
#define LIMIT_LABELS_PER_NODE     256u
#define LIMIT_SELECTORS_PER_GROUP 32u
#define LIMIT_SELECTOR_VALUES     256u
#define LIMIT_MODELS_PER_GROUP    32u
#define LIMIT_MATCHES_PER_TASK    8u /* attributes in `match`; the same limit for `distinct` */
#define LIMIT_DEMAND_STEPS        4096u
#define LIMIT_DAILY_KINDS         4u  /* kinds of one task; each costs about 200 undo records */
#define LIMIT_RULES_PER_LIST      32u /* tolerations, terms of a list, rules of one term */
#define LIMIT_JOB_TERMS           16u
#define LIMIT_LABELS_PER_JOB      64u
#define LIMIT_TAINTS_PER_NODE     64u
#define LIMIT_AFFINITY_BYTES      ((uint64_t)32 << 20) /* counters for affinity to jobs */
/* index of running tasks by labels and terms */
#define LIMIT_AFFINITY_INDEX ((uint64_t)512 << 20)
#define LIMIT_TOUCHES        (1u << 20) /* changed rows that one log keeps */
#define LIMIT_SHAPE_BYTES    (1u << 20) /* canonical bytes of one job shape */
#define LIMIT_BATCH_MAX      (1u << 28) /* elements of one batch */
#define LIMIT_REFRESH_US \
    ((int64_t)30 * 1000000) /* hooks whose answers depend on time are called again after this */
/* largest time or duration that a call can name: 2^61 */
#define LIMIT_TIME_US    (LSCHED_AMOUNT_MAX / 2)
#define LIMIT_UNDO_SPARE 4096u /* undo records that exist before an operation begins */
/* node scores that searches keep per task shape */
#define LIMIT_SEARCH_CACHE_BYTES  ((uint64_t)64 << 20)
#define LIMIT_MACHINE_TABLE_BYTES ((uint64_t)64 << 20) /* link tables of all machines together */
/* Backoff after the orchestrator rejects decisions (model/jobs/refusal.h): it doubles each time
 * from LIMIT_REFUSAL_FIRST_US to LIMIT_REFUSAL_MOST_US, and is remembered for
 * LIMIT_REFUSAL_MEMORY_US. */
#define LIMIT_REFUSAL_FIRST_US  ((int64_t)10 * 1000000)
#define LIMIT_REFUSAL_MOST_US   (LIMIT_REFUSAL_FIRST_US * 64)
#define LIMIT_REFUSAL_MEMORY_US (LIMIT_REFUSAL_MOST_US * 4) /* longer than the longest backoff */
/* number of nodes that must refuse a shape for one reason before all nodes count as refusing */
#define LIMIT_REFUSAL_NODES        3u
#define LIMIT_REFUSALS_PER_QUEUE   1024u /* rows: one per node, and one per shape */
#define LIMIT_REFUSAL_REASON_BYTES 64u
#define LIMIT_POLICY_BATCH         4096u
#define LIMIT_DOMAINS_TRIED        256u
#define LIMIT_ALGORITHMS           128u
#define LIMIT_RESOURCE_PARTS       ((uint32_t)LSCHED_RESOURCE_MODELS_MAX)
#define LIMIT_LISTED_TASKS         8u /* tasks of a job in a list; a larger job has an index */

#define DEVICE_CORES_MAX      1000000u /* of one device: sums over a thousand tasks fit 32 bits */
#define DEVICE_OVERCOMMIT_MAX 100000u  /* in thousandths of a device's memory */

#endif
