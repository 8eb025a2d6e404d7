/*
 * scenario.h -- scenarios: a cluster, its work, events over time and expectations, as YAML text.
 *
 * A layer on top of libsched.h that uses nothing else: an orchestrator can do all that a scenario
 * does. Scenarios serve tests, examples, questions ("what if?") and bug reports;
 * docs/scenario-format.md describes the text. The rules of libsched.h hold here too. The library
 * reads no file: the caller passes the text, and read_file passes the bytes of files that a
 * scenario names ("policy: {file: fair.lua}"). To read YAML, libyaml uses the malloc of the
 * process, bounded by the limits below; everything that is kept comes from the allocator. Errors
 * point into the text: "file:line:column: expected ..., got ...".
 */
#ifndef LIBSCHED_SCENARIO_H
#define LIBSCHED_SCENARIO_H

#include <libsched/libsched.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lsched_scenario lsched_scenario;

typedef struct lsched_scenario_opts {
    uint32_t size;
    uint32_t depth_max; /* largest nesting of the text; 0: 48, at most 64 */
    /* NULL: malloc. The struct is copied; its `user` must outlive the scenario */
    const lsched_allocator *allocator;
    uint64_t memory_limit_bytes; /* 0: no limit */
    uint32_t text_bytes_max;     /* largest length of the text; 0: 64 MiB */
    uint32_t values_max;         /* values in the text, with aliases expanded; 0: 4,000,000 */
    uint32_t elements_max;       /* nodes, jobs ... with counts and ranges expanded; 0: 4,000,000 */
    uint32_t reserved_zero;
} lsched_scenario_opts;
#define LSCHED_SCENARIO_OPTS_INIT \
    { sizeof(lsched_scenario_opts), 0, NULL, 0, 0, 0, 0, 0 }
LSCHED_API void lsched_scenario_opts_init(lsched_scenario_opts *opts, uint32_t size);

/* Parses a text. file_name (NUL-terminated, NULL: "scenario") is used in messages only. On success
 * the caller owns *out and frees it with lsched_scenario_destroy(). The text is copied. */
LSCHED_API int32_t lsched_scenario_parse(const lsched_scenario_opts *opts, const char *text,
                                         size_t len, const char *file_name, lsched_scenario **out,
                                         lsched_error *err);
LSCHED_API void lsched_scenario_destroy(lsched_scenario *scenario); /* NULL is allowed */

typedef struct lsched_scenario_info {
    uint32_t size;
    uint32_t steps;                           /* the initial state is step 0 */
    uint64_t topologies, nodes, queues, jobs; /* objects of the initial state */
    uint64_t expectations;                    /* expectations of all steps */
    int64_t start_us;
    uint64_t memory_bytes; /* bytes held by the scenario */
    uint32_t notes;
    uint32_t reserved_zero;
} lsched_scenario_info;
LSCHED_API int32_t lsched_scenario_get(const lsched_scenario *scenario, lsched_scenario_info *out);

/* Returns note i: something that was read but has no effect in this version ("file:3:9: 'links'
 * ..."). NULL past the end. The text is valid as long as the scenario. */
LSCHED_API const char *lsched_scenario_note(const lsched_scenario *scenario, uint32_t i);

/* Writes the values that the scenario gives under `cluster:` into options that the caller has set
 * up. */
LSCHED_API int32_t lsched_scenario_cluster_opts(const lsched_scenario *scenario,
                                                lsched_cluster_opts *opts);

enum {
    /* lsched_verify after each step, every plan verified, and a check that a call that fails leaves
     * the cluster unchanged */
    LSCHED_RUN_VERIFY = 1,
    LSCHED_RUN_NO_CHECKS = 2, /* do not check expectations */
    LSCHED_RUN_CLONE = 4,     /* replace the cluster by a clone of its clone before each step */
    LSCHED_RUN_RELOAD = 8,    /* save the cluster and load it again before each step */
    LSCHED_RUN_NO_POLICY = 16 /* keep the cluster's policy, whatever the scenario says */
};

/* One cycle of a scenario. plan and cluster are valid during the call. */
typedef struct lsched_scenario_cycle {
    uint32_t size;
    uint32_t step;  /* number of the step, from 0 */
    uint32_t cycle; /* number of the cycle, from 0 */
    uint32_t line;  /* line of the step in the text */
    int64_t now_us;
    const lsched_plan *plan;
    lsched_cluster *cluster; /* for reading only: names, waiting texts, explain */
} lsched_scenario_cycle;

typedef struct lsched_scenario_run_opts {
    uint32_t size;
    uint32_t flags; /* LSCHED_RUN_* */
    /* not 0: batches are passed in another order, which must not change any plan */
    uint64_t shuffle_seed;
    void *user;
    /* Called after each cycle, before its decisions are settled. Non-zero ends the run with
     * LSCHED_E_INTERRUPTED. Can be NULL. */
    int32_t (*on_cycle)(void *user, const lsched_scenario_cycle *cycle);
    /* Called for each expectation that does not hold: message is "file:line:column: expected ...,
     * got ...", code is 0. Can be NULL. */
    void (*on_failure)(void *user, const lsched_error *failure);
    /* Gives the bytes of a file that the scenario names, valid until the next call. If NULL, a
     * scenario that names a file is an error. */
    int32_t (*read_file)(void *user, const char *name, const char **text, size_t *len);
    /* Called before each cycle, with the options of the cycle. The callback can clone the cluster
     * but must not change it. Non-zero ends the run with LSCHED_E_INTERRUPTED. Can be NULL. */
    int32_t (*before_cycle)(void *user, const lsched_cluster *cluster,
                            const lsched_schedule_opts *schedule);
} lsched_scenario_run_opts;
#define LSCHED_SCENARIO_RUN_OPTS_INIT \
    { sizeof(lsched_scenario_run_opts), 0, 0, NULL, NULL, NULL, NULL, NULL }
LSCHED_API void lsched_scenario_run_opts_init(lsched_scenario_run_opts *opts, uint32_t size);

typedef struct lsched_scenario_report {
    uint32_t size;
    uint32_t steps, cycles; /* number of steps and cycles done */
    uint32_t checks, failures;
    uint32_t reserved_zero;
    uint64_t decisions;
    uint64_t plans_hash; /* hash over the hashes of all plans */
    uint64_t last_plan_hash;
} lsched_scenario_report;
#define LSCHED_SCENARIO_REPORT_INIT \
    { sizeof(lsched_scenario_report), 0, 0, 0, 0, 0, 0, 0, 0 }

/* Builds the initial state in a cluster: resource kinds, topologies, policy, nodes, queues, task
 * mix, jobs, running work. Each of these is one atomic batch. An error ends the call, and the
 * batches before the error stay applied. opts can be NULL. */
LSCHED_API int32_t lsched_scenario_apply(lsched_scenario *scenario, lsched_cluster *cluster,
                                         const lsched_scenario_run_opts *opts, lsched_error *err);

/* Runs the whole scenario: the initial state, then for each step its changes, a cycle, the settling
 * of decisions, and its expectations. Returns an error only if a call fails that was not expected
 * to fail; expectations that do not hold are counted in the report. opts and report can be NULL. */
LSCHED_API int32_t lsched_scenario_run(lsched_scenario *scenario, lsched_cluster *cluster,
                                       const lsched_scenario_run_opts *opts,
                                       lsched_scenario_report *report, lsched_error *err);

#ifdef __cplusplus
}
#endif
#endif
