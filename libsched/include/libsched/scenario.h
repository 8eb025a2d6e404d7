/*
 * scenario.h -- scenarios: a cluster, its work, events over time and expectations, as YAML text.
 *
 * Scenarios use only the functions of libsched.h; therefore an orchestrator can do all that a
 * scenario does. Scenarios are used for tests, examples, what-if questions and bug reports;
 * docs/scenario-format.md describes their text. The rules of libsched.h hold for this header, too.
 * The library reads no file: the caller passes the text of the scenario, and read_file passes the
 * bytes of files that a scenario names ("policy: {file: fair.lua}"). The YAML parser (libyaml) uses
 * malloc, up to the limits below. All memory that the scenario keeps comes from the allocator of
 * the options. Error messages name the position in the text: "file:line:column: expected ..., got
 * ...".
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
    uint32_t depth_max; /* greatest depth of nested values in the text, at most 64; 0: 48 */
    /* NULL: malloc. The struct is copied; its `user` must outlive the scenario */
    const lsched_allocator *allocator;
    uint64_t memory_limit_bytes; /* 0: no limit */
    uint32_t text_bytes_max;     /* greatest length of the text; 0: 64 MiB */
    uint32_t values_max; /* most values in the text after aliases are expanded; 0: 4,000,000 */
    /* most nodes, jobs ... after counts and ranges are expanded; 0: 4,000,000 */
    uint32_t elements_max;
    uint32_t reserved_zero;
} lsched_scenario_opts;
#define LSCHED_SCENARIO_OPTS_INIT LSCHED_INIT(lsched_scenario_opts)

/* Parses the text of a scenario. file_name is used only in messages; empty: "scenario". On success
 * the caller owns *out and frees it with lsched_scenario_destroy(). The text is copied. Errors have
 * the line and the column: LSCHED_E_SYNTAX (no YAML), LSCHED_E_KEY, LSCHED_E_TYPE, LSCHED_E_RANGE,
 * LSCHED_E_TIME, LSCHED_E_LIMIT (a limit of the options), LSCHED_E_NOMEM. */
LSCHED_API int32_t lsched_scenario_parse(const lsched_scenario_opts *opts, lsched_text text,
                                         lsched_text file_name, lsched_scenario **out,
                                         lsched_error *err);
LSCHED_API void lsched_scenario_destroy(lsched_scenario *scenario); /* NULL is allowed */

typedef struct lsched_scenario_info {
    uint32_t size;
    uint32_t steps;                           /* number of steps; the initial state is step 0 */
    uint64_t topologies, nodes, queues, jobs; /* objects of the initial state */
    uint64_t expectations;                    /* number of expectations of all steps */
    int64_t start_us;
    uint64_t memory_bytes; /* bytes held by the scenario */
    uint32_t notes;
    uint32_t reserved_zero;
} lsched_scenario_info;
/* Writes the numbers of the scenario to *out. Errors: LSCHED_E_NULL, LSCHED_E_SIZE. */
LSCHED_API int32_t lsched_scenario_get(const lsched_scenario *scenario, lsched_scenario_info *out,
                                       lsched_error *err);

/* Returns note i, NULL after the last one. A note names a key of the text that has no effect in
 * this version ("file:3:9: 'links' ..."). The note is valid as long as the scenario exists. */
LSCHED_API size_t lsched_scenario_notes_size(const lsched_scenario *scenario);
LSCHED_API const char *lsched_scenario_notes_at(const lsched_scenario *scenario, size_t i);

/* Writes the values that the scenario has under `cluster:` to *opts, as far as its size goes. Before
 * the call, the caller sets *opts up. Errors: LSCHED_E_NULL, LSCHED_E_SIZE. */
LSCHED_API int32_t lsched_scenario_cluster_opts(const lsched_scenario *scenario,
                                                lsched_cluster_opts *opts);

/* Writes to *opts the options of the cycle of the first step: what the scenario has under `schedule:`
 * at its top, and as now_us the time of the cycle. Returns 1; 0 if the first step runs no cycle
 * (`schedule: false`), with the options that a cycle would have; LSCHED_E_NULL; or LSCHED_E_SIZE if
 * opts->size is not set. */
LSCHED_API int32_t lsched_scenario_schedule_opts(const lsched_scenario *scenario,
                                                 lsched_schedule_opts *opts);

enum lsched_run_flag {
    /* call lsched_verify after each step, verify every plan, and check that a failed call leaves
     * the cluster unchanged */
    LSCHED_RUN_VERIFY = 1,
    LSCHED_RUN_NO_CHECKS = 2, /* do not check expectations */
    LSCHED_RUN_CLONE = 4,  /* before each step, replace the cluster with a clone of a clone of it */
    LSCHED_RUN_RELOAD = 8, /* save the cluster and load it again before each step */
    /* keep the cluster's policy, and ignore the policies of the scenario */
    LSCHED_RUN_NO_POLICY = 16
};

/* One cycle of a scenario. plan and cluster are valid only during the callback. */
typedef struct lsched_scenario_cycle {
    uint32_t size;
    uint32_t step;  /* number of the step, from 0 */
    uint32_t cycle; /* number of the cycle, from 0 */
    uint32_t line;  /* line of the step in the text */
    int64_t now_us;
    const lsched_plan *plan;
    const lsched_cluster *cluster;
} lsched_scenario_cycle;

typedef struct lsched_scenario_run_opts {
    uint32_t size;
    uint32_t flags; /* LSCHED_RUN_* */
    /* if it is not 0, the elements of batches are passed in a random order, which must not change
     * any plan */
    uint64_t shuffle_seed;
    void *user;
    /* Called after each cycle, before its decisions are settled. If it returns non-zero, the run
     * ends with LSCHED_E_INTERRUPTED. Can be NULL. */
    int32_t (*on_cycle)(void *user, const lsched_scenario_cycle *cycle);
    /* Called for each expectation that does not hold. failure->message is "file:line:column:
     * expected ..., got ..."; failure->code is 0. Can be NULL. */
    void (*on_failure)(void *user, const lsched_error *failure);
    /* Called for a file that the scenario names. The callback sets *text and *len to the bytes of
     * the file, which must stay valid until the next call. If read_file is NULL, a scenario that
     * names a file is an error. */
    int32_t (*read_file)(void *user, const char *name, const char **text, size_t *len);
    /* Called before each cycle, with the options of the cycle. The callback is allowed to clone the
     * cluster, but must not change it. If it returns non-zero, the run ends with
     * LSCHED_E_INTERRUPTED. Can be NULL. */
    int32_t (*before_cycle)(void *user, const lsched_cluster *cluster,
                            const lsched_schedule_opts *schedule);
} lsched_scenario_run_opts;
#define LSCHED_SCENARIO_RUN_OPTS_INIT LSCHED_INIT(lsched_scenario_run_opts)

typedef struct lsched_scenario_report {
    uint32_t size;
    uint32_t steps, cycles; /* number of steps and of cycles that the run has done */
    uint32_t checks, failures;
    uint32_t reserved_zero;
    uint64_t decisions;
    uint64_t plans_hash; /* hash of the hashes of all plans */
    uint64_t last_plan_hash;
} lsched_scenario_report;
#define LSCHED_SCENARIO_REPORT_INIT LSCHED_INIT(lsched_scenario_report)

/* Builds the initial state in a cluster, in this order: resource kinds, topologies, policy, nodes,
 * queues, task mix, jobs, running tasks. The objects of each kind are one atomic batch. An error
 * ends the call; batches that were applied before the error stay. opts can be NULL. */
LSCHED_API int32_t lsched_scenario_apply(lsched_scenario *scenario, lsched_cluster *cluster,
                                         const lsched_scenario_run_opts *opts, lsched_error *err);

/* Adds the objects that a text describes to a cluster: lsched_scenario_parse() and
 * lsched_scenario_apply() in one call, for an orchestrator that has descriptions as text, such as
 * "jobs: [{name: j7, queue: research, tasks: {count: 4, gpu: 2}}]". Objects that the cluster has
 * already can be named; lsched_find() returns the ids of the new ones. Their times are offsets from
 * `start`, which is the time of the cluster (lsched_cluster_stats.now_us) unless the text has it.
 * Therefore a job is submitted now unless the text says when. A cluster whose clock has not run
 * yet has the time 0, which is 1970: set the clock first (lsched_clock_set()), or give `start`.
 * Errors: those of the two functions; LSCHED_E_UNSUPPORTED: the text has events or expectations, or
 * names a file. Objects that were added before an error stay. */
LSCHED_API int32_t lsched_scenario_add(const lsched_scenario_opts *opts, lsched_text text,
                                       lsched_text file_name, lsched_cluster *cluster,
                                       lsched_error *err);

/* Runs the whole scenario: the initial state, then for each step its changes, a cycle, the settling
 * of decisions, and its expectations. Returns an error only if a call fails that the scenario does
 * not expect to fail. Expectations that do not hold are counted in *report. opts and report can be
 * NULL. */
LSCHED_API int32_t lsched_scenario_run(lsched_scenario *scenario, lsched_cluster *cluster,
                                       const lsched_scenario_run_opts *opts,
                                       lsched_scenario_report *report, lsched_error *err);

/* Writes `text`, a message of lsched_error or a text of lsched_explain or lsched_waiting_text, in
 * the words of a scenario: max_count becomes "count", and an advice that only a program in C can
 * follow is left out. Names between quotation marks stay as they are. Writes at most `capacity` bytes
 * to buf, with a final NUL if capacity is above 0, and returns the length of the whole text in bytes,
 * without the NUL. buf can be NULL if capacity is 0. buf must not overlap the text. The function has
 * no errors, and can be called by several threads at the same time. */
LSCHED_API int64_t lsched_scenario_words(lsched_text text, char *buf, size_t capacity);

#ifdef __cplusplus
}
#endif
#endif
