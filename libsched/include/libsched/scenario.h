/*
 * scenario.h -- scenarios: a cluster, work, events over time and what is expected, as YAML text.
 *
 * A layer on top of libsched.h that uses nothing else: what a scenario does, a host can do. For
 * tests, examples, questions ("what if?") and bug reports; docs/scenario-format.md describes the
 * text. The rules of libsched.h hold here too. No file is read: text comes in, and what a scenario
 * names ("policy: {file: fair.lua}") is asked from the caller. Reading YAML uses the process's
 * malloc inside libyaml, bounded by the limits below; all that is kept comes from the allocator.
 * Errors point into the text: "file:line:column: expected ..., got ...".
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
    uint32_t depth_max;                /* nesting of the text; 0: 48, at most 64 */
    const lsched_allocator *allocator; /* NULL: malloc. Copied; `user` must outlive the scenario */
    uint64_t memory_limit_bytes;       /* 0: none */
    uint32_t text_bytes_max;           /* 0: 64 MiB */
    uint32_t values_max;               /* in the text, aliases followed; 0: 4,000,000 */
    uint32_t elements_max;             /* nodes, jobs ... after counts and ranges; 0: 4,000,000 */
    uint32_t reserved_zero;
} lsched_scenario_opts;
#define LSCHED_SCENARIO_OPTS_INIT \
    { sizeof(lsched_scenario_opts), 0, NULL, 0, 0, 0, 0, 0 }
LSCHED_API void lsched_scenario_opts_init(lsched_scenario_opts *opts, uint32_t size);

/* Read a text. file_name (NUL-terminated, NULL: "scenario") stands in messages only. On success
 * *out is the caller's: lsched_scenario_destroy(). The text is copied. */
LSCHED_API int32_t lsched_scenario_parse(const lsched_scenario_opts *opts, const char *text,
                                         size_t len, const char *file_name, lsched_scenario **out,
                                         lsched_error *err);
LSCHED_API void lsched_scenario_destroy(lsched_scenario *scenario); /* NULL is allowed */

typedef struct lsched_scenario_info {
    uint32_t size;
    uint32_t steps;                           /* the initial state is the first */
    uint64_t topologies, nodes, queues, jobs; /* of the initial state */
    uint64_t expectations;                    /* of all steps */
    int64_t start_us;
    uint64_t memory_bytes; /* held by the scenario */
    uint32_t notes;
    uint32_t reserved_zero;
} lsched_scenario_info;
LSCHED_API int32_t lsched_scenario_get(const lsched_scenario *scenario, lsched_scenario_info *out);

/* Note i: something that was read but has no effect in this version ("file:3:9: 'links' ...").
 * NULL past the end. Valid as long as the scenario. */
LSCHED_API const char *lsched_scenario_note(const lsched_scenario *scenario, uint32_t i);

/* Put what the scenario says under `cluster:` into options that were set up by the caller. */
LSCHED_API int32_t lsched_scenario_cluster_opts(const lsched_scenario *scenario,
                                                lsched_cluster_opts *opts);

enum {
    LSCHED_RUN_VERIFY = 1,    /* lsched_verify after each step, every plan verified, and a look
                               * whether a call that fails leaves the cluster as it was */
    LSCHED_RUN_NO_CHECKS = 2, /* skip expectations */
    LSCHED_RUN_CLONE = 4,     /* before each step put a clone's clone in the place of the cluster */
    LSCHED_RUN_RELOAD = 8,    /* likewise with save and load */
    LSCHED_RUN_NO_POLICY = 16 /* leave the cluster's policy as it is, whatever the scenario says */
};

/* What one cycle of a scenario did. plan and cluster are valid during the call. */
typedef struct lsched_scenario_cycle {
    uint32_t size;
    uint32_t step;  /* counts from 0 */
    uint32_t cycle; /* counts from 0 */
    uint32_t line;  /* of the step */
    int64_t now_us;
    const lsched_plan *plan;
    lsched_cluster *cluster; /* to read from: names, waiting texts, explain */
} lsched_scenario_cycle;

typedef struct lsched_scenario_run_opts {
    uint32_t size;
    uint32_t flags; /* LSCHED_RUN_* */
    uint64_t
        shuffle_seed; /* not 0: batches are handed over in another order, which must not matter */
    void *user;
    /* After each cycle, before its decisions are settled. Non-zero ends the run with
     * LSCHED_E_INTERRUPTED. May be NULL. */
    int32_t (*on_cycle)(void *user, const lsched_scenario_cycle *cycle);
    /* An expectation does not hold: message is "file:line:column: expected ..., got ...", code
     * is 0. May be NULL. */
    void (*on_failure)(void *user, const lsched_error *failure);
    /* The bytes of a file that the scenario names, valid until the next call. Absent: such a
     * scenario is an error. */
    int32_t (*read_file)(void *user, const char *name, const char **text, size_t *len);
    /* Before each cycle, with the options that it will have: the cluster may be cloned, not changed.
     * Non-zero ends the run with LSCHED_E_INTERRUPTED. May be NULL. */
    int32_t (*before_cycle)(void *user, const lsched_cluster *cluster,
                            const lsched_schedule_opts *schedule);
} lsched_scenario_run_opts;
#define LSCHED_SCENARIO_RUN_OPTS_INIT \
    { sizeof(lsched_scenario_run_opts), 0, 0, NULL, NULL, NULL, NULL, NULL }
LSCHED_API void lsched_scenario_run_opts_init(lsched_scenario_run_opts *opts, uint32_t size);

typedef struct lsched_scenario_report {
    uint32_t size;
    uint32_t steps, cycles; /* done */
    uint32_t checks, failures;
    uint32_t reserved_zero;
    uint64_t decisions;
    uint64_t plans_hash; /* over the hashes of all plans */
    uint64_t last_plan_hash;
} lsched_scenario_report;
#define LSCHED_SCENARIO_REPORT_INIT \
    { sizeof(lsched_scenario_report), 0, 0, 0, 0, 0, 0, 0, 0 }

/* Make the initial state in a cluster: resource kinds, topologies, policy, nodes, queues, task
 * mix, jobs, running work. Each of these is one atomic batch; an error ends it with the batches
 * before in place. opts may be NULL. */
LSCHED_API int32_t lsched_scenario_apply(lsched_scenario *scenario, lsched_cluster *cluster,
                                         const lsched_scenario_run_opts *opts, lsched_error *err);

/* The whole scenario: the initial state, then step by step its changes, a cycle, what becomes of
 * the decisions, and what is expected. Returns an error only when a call fails that was not
 * expected to; expectations that do not hold are counted in the report. opts and report may be
 * NULL. */
LSCHED_API int32_t lsched_scenario_run(lsched_scenario *scenario, lsched_cluster *cluster,
                                       const lsched_scenario_run_opts *opts,
                                       lsched_scenario_report *report, lsched_error *err);

#ifdef __cplusplus
}
#endif
#endif
