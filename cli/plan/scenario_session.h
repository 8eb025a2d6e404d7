/*
 * scenario_session.h -- a scenario file that was read, and the cluster in which it is run.
 */
#ifndef LSCHED_CLI_SCENARIO_SESSION_H
#define LSCHED_CLI_SCENARIO_SESSION_H

#include <stdbool.h>

#include <libsched/scenario.h>

#include "cli/support/host_allocator.h"
#include "cli/policy/policy_source.h"

struct session {
    struct input_file file;
    struct input_file named; /* the file that the scenario requested last, such as its policy */
    struct policy_source policy;
    bool own_policy; /* true if `policy` replaces the scenario's policy */
    bool borrowed;   /* true if the caller owns file and policy */
    struct host_allocator memory;
    lsched_scenario *scenario;
    lsched_scenario_info info;
    lsched_cluster *cluster;
};

/* Called with the first cycle or with every cycle. A result other than 0 ends the run without an
 * error. */
typedef int32_t (*session_cycle_fn)(void *user, const lsched_scenario_cycle *cycle);
typedef void (*session_failure_fn)(void *user, const lsched_error *failure);

/* Opens a scenario. `policy` NULL means the scenario's own policy. Notes of the scenario are
 * printed on stderr. Returns an exit code after it reported an error. The caller must call
 * session_close() in every case. */
int session_open(const struct command *command, const char *path, const char *policy,
                 struct session *out);
/* Reads the file of a scenario for session_open_text(). */
int session_read_file(const char *path, struct input_file *out);
/* Like session_open(), for a text and a policy that the caller keeps and owns. */
int session_open_text(const struct input_file *file, const struct policy_source *policy,
                      struct session *out);
void session_close(struct session *session);

/* Makes the initial state and runs one cycle at now_us. The plan has a reason for every waiting
 * job and is verified. */
int session_first_cycle(struct session *session, int64_t now_us, session_cycle_fn on_cycle,
                        void *user);

/* Runs every step, with the changes and expectations of each step. The scenario decides which
 * steps run a cycle. */
int session_all_cycles(struct session *session, session_cycle_fn on_cycle,
                       session_failure_fn on_failure, void *user, lsched_scenario_report *report);

/* Runs every step without its expectations. before_cycle can end the run with a result other than
 * 0. Returns 0, or a negative code with err filled: a step of the scenario can be impossible under
 * a policy other than its own. */
int32_t session_play(struct session *session,
                     int32_t (*before_cycle)(void *user, const lsched_cluster *cluster,
                                             const lsched_schedule_opts *schedule),
                     session_cycle_fn on_cycle, void *user, lsched_error *err);

#endif
