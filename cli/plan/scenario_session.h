/*
 * scenario_session.h -- a scenario file, read, with a cluster to play it in.
 */
#ifndef LSCHED_CLI_SCENARIO_SESSION_H
#define LSCHED_CLI_SCENARIO_SESSION_H

#include <stdbool.h>

#include <libsched/scenario.h>

#include "cli/support/host_allocator.h"
#include "cli/policy/policy_source.h"

struct session {
    struct input_file file;
    struct input_file named; /* the file that the scenario asked for last, such as its policy */
    struct policy_source policy;
    bool own_policy; /* policy replaces the scenario's */
    bool borrowed;   /* file and policy are the caller's */
    struct host_allocator memory;
    lsched_scenario *scenario;
    lsched_scenario_info info;
    lsched_cluster *cluster;
};

/* Called with the first or with every cycle; a result that is not 0 ends the run without an
 * error. */
typedef int32_t (*session_cycle_fn)(void *user, const lsched_scenario_cycle *cycle);
typedef void (*session_failure_fn)(void *user, const lsched_error *failure);

/* policy NULL: the scenario's own. Prints notes of the scenario on stderr. Returns an exit code,
 * after a complaint; session_close() is due in any case. */
int session_open(const struct command *command, const char *path, const char *policy,
                 struct session *out);
/* The file of a scenario, for session_open_text(). */
int session_read_file(const char *path, struct input_file *out);
/* The same for a text and a policy that the caller has and keeps. */
int session_open_text(const struct input_file *file, const struct policy_source *policy,
                      struct session *out);
void session_close(struct session *session);

/* The initial state and one cycle at now_us; all that waits has its reason in the plan, and the
 * plan is verified. */
int session_first_cycle(struct session *session, int64_t now_us, session_cycle_fn on_cycle,
                        void *user);

/* Every step, with the changes and expectations of each; what runs in between is up to the
 * scenario. */
int session_all_cycles(struct session *session, session_cycle_fn on_cycle,
                       session_failure_fn on_failure, void *user, lsched_scenario_report *report);

/* Every step without expectations; before_cycle may end the run with a result that is not 0.
 * Returns 0, or a negative code with err filled: what the scenario says may make no sense under
 * another policy than its own. */
int32_t session_play(struct session *session,
                     int32_t (*before_cycle)(void *user, const lsched_cluster *cluster,
                                             const lsched_schedule_opts *schedule),
                     session_cycle_fn on_cycle, void *user, lsched_error *err);

#endif
