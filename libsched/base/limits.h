/*
 * limits.h -- all internal limits of the library. Public limits are in libsched.h. A call that
 * would exceed a limit fails with LSCHED_E_LIMIT and a message that names the limit. No call
 * shortens a list or a text to keep a limit.
 */
#ifndef LIBSCHED_LIMITS_H
#define LIBSCHED_LIMITS_H

#include <libsched/libsched.h>

/* largest generation in an id, which has 28 bits for it; see model/store/generation.h */
#define LIMIT_GENERATION_MAX      ((1u << 28) - 1)
#define LIMIT_ROWS_MAX            0xFFFFFFF0u /* rows of one table */
#define LIMIT_LABELS_PER_NODE     256u
#define LIMIT_SELECTORS_PER_GROUP 32u
#define LIMIT_SELECTOR_VALUES     256u
#define LIMIT_MODELS_PER_GROUP    32u
/* attributes in the list `match` of a device request, and also in its list `distinct` */
#define LIMIT_MATCHES_PER_TASK 8u
/* steps of the search for the devices of one node that match, each of at most 128 operations on
 * sets; it is reached only with several distinct attributes on nodes with more than 16 devices */
#define LIMIT_MATCH_STEPS  8192u
#define LIMIT_DEMAND_STEPS 4096u
/* resource kinds with a daily demand in one task; each kind costs about 200 undo records */
#define LIMIT_DAILY_KINDS 4u
/* tolerations of a task, affinity terms of a task, and label rules in one affinity term */
#define LIMIT_RULES_PER_LIST  32u
#define LIMIT_JOB_TERMS       16u
#define LIMIT_LABELS_PER_JOB  64u
#define LIMIT_TAINTS_PER_NODE 64u
#define LIMIT_PLAN_ABSENCES   8u /* absences of one node that a plan over time reads */
/* bytes of the counters for affinity rules about jobs */
#define LIMIT_AFFINITY_BYTES ((uint64_t)32 << 20)
/* bytes of the index of running tasks by their labels and affinity rules */
#define LIMIT_AFFINITY_INDEX ((uint64_t)512 << 20)
#define LIMIT_TOUCHES        (1u << 20) /* changed rows that one touch log records */
#define LIMIT_SHAPE_BYTES    (1u << 20) /* bytes of the canonical form of one job shape */
#define LIMIT_BATCH_MAX      (1u << 28) /* elements of one batch */
/* time in microseconds after which hooks whose answers depend on time are called again */
#define LIMIT_REFRESH_US ((int64_t)30 * 1000000)
/* largest time or duration that a public call accepts: 2^61 microseconds */
#define LIMIT_TIME_US    (LSCHED_AMOUNT_MAX / 2)
#define LIMIT_UNDO_SPARE 4096u /* undo records that must be free before an operation begins */
/* Bytes of the cache in which searches keep the scores of nodes. The cache needs about 16 bytes for
 * each node and each task shape in use. Therefore this limit is reached with 700 shapes in use on
 * 100,000 nodes. With a memory limit, the cache gets an eighth of it (alloc_cache_share()). */
#define LIMIT_SEARCH_CACHE_BYTES ((uint64_t)1 << 30)
/* bytes of the costs of nodes that one action keeps for later searches; at least one set is kept */
#define LIMIT_SAVED_COST_BYTES ((uint64_t)8 << 20)
/* bytes of the link tables of all machines together */
#define LIMIT_MACHINE_TABLE_BYTES ((uint64_t)64 << 20)
/* Backoff after the orchestrator rejects decisions (model/jobs/refusal.h). The first backoff is
 * LIMIT_REFUSAL_FIRST_US. Each further rejection doubles the backoff, up to LIMIT_REFUSAL_MOST_US.
 * A refusal is forgotten LIMIT_REFUSAL_MEMORY_US after its backoff has ended. */
#define LIMIT_REFUSAL_FIRST_US  ((int64_t)10 * 1000000)
#define LIMIT_REFUSAL_MOST_US   (LIMIT_REFUSAL_FIRST_US * 64)
#define LIMIT_REFUSAL_MEMORY_US (LIMIT_REFUSAL_MOST_US * 4) /* longer than the longest backoff */
/* number of nodes that must refuse a job shape for one reason before all nodes count as refusing */
#define LIMIT_REFUSAL_NODES 3u
/* rows for refusals of one queue: one for each refusing node, and one for each refused job shape */
#define LIMIT_REFUSALS_PER_QUEUE   1024u
#define LIMIT_REFUSAL_REASON_BYTES 64u
#define LIMIT_REFUSAL_WORDS_BYTES  255u /* what the orchestrator says to people */
#define LIMIT_HOLD_REASON_BYTES    255u /* the same for the hold of a job */
/* nodes of a domain that one rejection closes: half of the rows that a queue has */
#define LIMIT_REFUSAL_DOMAIN_NODES 512u
/* largest number of bundles parked for one task shape that wake all at once when a node gains room;
 * more of them wake one after the other, until the room is used (engine/state/room_line.h) */
#define LIMIT_WAKE_ALL       8u
#define LIMIT_POLICY_BATCH   4096u
#define LIMIT_ALGORITHMS     128u
#define LIMIT_RESOURCE_PARTS ((uint32_t)LSCHED_RESOURCE_PARTS_MAX)
/* largest number of tasks of a job whose tasks are found through a list; the tasks of a larger job
 * are in an index */
#define LIMIT_LISTED_TASKS 8u
/* largest number of tasks of a job among which a run is looked for that is none of the task's */
#define LIMIT_RUN_ROWS 1024u

/* largest number of SMs of one device; the sum of the SMs of a thousand tasks fits into 32
 * bits */
#define DEVICE_SM_COUNT_MAX 1000000u
/* largest memory overcommit, in thousandths of the memory of the device */
#define DEVICE_OVERCOMMIT_MAX 100000u

#endif
