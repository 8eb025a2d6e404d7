/*
 * scenario_session.h -- a scenario that was read from a file, and the cluster in which the scenario
 * is run.
 */
#ifndef LSCHED_CLI_SCENARIO_SESSION_H
#define LSCHED_CLI_SCENARIO_SESSION_H

#include <stdbool.h>

#include <libsched/scenario.h>

#include "cli/support/host_allocator.h"
#include "cli/policy/policy_source.h"

struct session {
    struct input_file file;
    struct input_file named; /* the last policy file that the scenario named and that was read */
    struct policy_source policy;
    bool own_policy; /* true if `policy` is used instead of the scenario's own policy */
    bool borrowed;   /* true if the caller owns `file` and `policy` */
    struct host_allocator memory;
    lsched_scenario *scenario;
    lsched_scenario_info info;
    lsched_cluster *cluster;
};

/* The options --policy and --now for the option table of a command. Their values are the arguments
 * of session_open() and session_time(). */
#define SESSION_OPTIONS                                                        \
    INPUT(ALL, "policy", "P", policy,                                          \
          "use this policy (a name or a Lua file) instead of the scenario's"), \
        TEXT(ALL, "now", "TIME", now,                                          \
             "when the cycle is: a date (2026-01-05T08:30Z) or a time after the start (2h30m)")

/* Called before each cycle. If the function returns a value other than 0, the run ends with an
 * error. */
typedef int32_t (*session_before_fn)(void *user, const lsched_cluster *cluster,
                                     const lsched_schedule_opts *schedule);
/* Called after a cycle. If the function returns a value other than 0, the run ends without an
 * error. */
typedef int32_t (*session_cycle_fn)(void *user, const lsched_scenario_cycle *cycle);
typedef void (*session_failure_fn)(void *user, const lsched_error *failure);

/* Reads a scenario file and creates the cluster. If `policy` is NULL, the scenario's own policy is
 * used. Prints the notes of the scenario on stderr. If an error occurs, reports it and returns its
 * exit code; otherwise returns EXIT_OK. The caller must call session_close() in both cases. */
int session_open(const char *command, const char *path, const char *policy, struct session *out);
/* Reads the value of the option --now and writes the time to *now_us. If `word` is NULL, the time
 * is the start of the scenario. Returns an exit code. */
int session_time(const struct session *session, const char *command, const char *word,
                 int64_t *now_us);
/* Reads a scenario file, which the caller can then give to session_open_text(). */
int session_read_file(const char *path, struct input_file *out);
/* Does what session_open() does, except that the caller has already read the file and opened the
 * policy, NULL for the scenario's own. The caller owns both and must keep them until
 * session_close(). */
int session_open_text(const struct input_file *file, const struct policy_source *policy,
                      struct session *out);
void session_close(struct session *session);

/* Builds the initial state of the scenario, and writes the options of its first cycle to *schedule.
 * Returns an exit code. */
int session_apply(struct session *session, lsched_schedule_opts *schedule);
/* Builds the initial state of the scenario and runs one cycle at the time now_us. The plan has a
 * wait reason for every waiting job, and the library verifies the plan. */
int session_first_cycle(struct session *session, int64_t now_us, session_cycle_fn on_cycle,
                        void *user);

/* Runs all steps of the scenario: applies the changes of each step and checks its expectations. The
 * scenario decides which steps run a cycle. */
int session_all_cycles(struct session *session, session_cycle_fn on_cycle,
                       session_failure_fn on_failure, void *user, lsched_scenario_report *report);

/* Runs all steps of the scenario without a check of their expectations. Returns 0 or a negative
 * error code, and fills *err after an error. One cause of an error is that a step is impossible
 * under a policy other than the scenario's own. */
int32_t session_play(struct session *session, session_before_fn before_cycle,
                     session_cycle_fn on_cycle, void *user, lsched_error *err);

#endif
