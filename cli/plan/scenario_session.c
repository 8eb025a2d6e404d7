/*
 * scenario_session.c -- see scenario_session.h.
 */
#include "cli/plan/scenario_session.h"

#include <stdio.h>
#include <string.h>

#include "cli/support/time_text.h"

/* ---- opening ---- */

static int make_cluster(struct session *session) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    opts.allocator = host_allocator_begin(&session->memory);
    int32_t rc = lsched_scenario_cluster_opts(session->scenario, &opts);
    if (rc < 0) {
        err.code = rc;
        return library_error(session->file.name, &err);
    }
    if (lsched_cluster_create(&opts, &session->cluster, &err) < 0) return library_error(NULL, &err);
    if (session->own_policy && policy_source_load(&session->policy, session->cluster, &err) < 0) {
        return library_error(policy_source_name(&session->policy), &err);
    }
    return EXIT_OK;
}

/* A single line of a scenario can create millions of jobs, and an element takes about a kilobyte of
 * memory. Therefore the program allows fewer elements in a scenario than the library does. */
enum { ELEMENTS_MAX = 500000, FILE_MEBIBYTES_MAX = 64 };

static int parse(struct session *out) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_scenario_opts opts = LSCHED_SCENARIO_OPTS_INIT;
    opts.elements_max = ELEMENTS_MAX;
    if (lsched_scenario_parse(&opts, (lsched_text){out->file.text, out->file.len},
                              lsched_cstr(out->file.name), &out->scenario, &err) < 0) {
        return library_error(out->file.name, &err);
    }
    out->info.size = sizeof out->info;
    lsched_scenario_get(out->scenario, &out->info, NULL);
    return EXIT_OK;
}

int session_read_file(const char *path, struct input_file *out) {
    return input_read_most(path, FILE_MEBIBYTES_MAX, out);
}

int session_open(const char *command, const char *path, const char *policy, struct session *out) {
    memset(out, 0, sizeof *out);
    if (policy != NULL) {
        int rc = policy_source_open(command, policy, &out->policy);
        if (rc != EXIT_OK) return rc;
        out->own_policy = true;
    }
    int rc = session_read_file(path, &out->file);
    if (rc != EXIT_OK) return rc;
    rc = parse(out);
    if (rc != EXIT_OK) return rc;
    for (uint32_t i = 0; i < out->info.notes; i++) {
        fprintf(stderr, "note: %s\n", lsched_scenario_notes_at(out->scenario, i));
    }
    return make_cluster(out);
}

int session_time(const struct session *session, const char *command, const char *word,
                 int64_t *now_us) {
    *now_us = session->info.start_us;
    if (word == NULL || time_parse(word, session->info.start_us, now_us)) return EXIT_OK;
    return usage_error(command,
                       "--now: expected a date such as 2026-01-05T08:30Z, or a time after the "
                       "start such as 2h30m, got '%s'",
                       word);
}

int session_open_text(const struct input_file *file, const struct policy_source *policy,
                      struct session *out) {
    memset(out, 0, sizeof *out);
    out->file = *file;
    if (policy != NULL) out->policy = *policy;
    out->own_policy = policy != NULL;
    out->borrowed = true;
    int rc = parse(out);
    return rc == EXIT_OK ? make_cluster(out) : rc;
}

void session_close(struct session *session) {
    lsched_cluster_destroy(session->cluster);
    host_allocator_end(&session->memory);
    lsched_scenario_destroy(session->scenario);
    input_free(&session->named);
    if (session->borrowed) return;
    policy_source_close(&session->policy);
    input_free(&session->file);
}

/* ---- running ---- */

struct relay {
    struct session *session;
    session_before_fn before_cycle;
    session_cycle_fn on_cycle;
    session_failure_fn on_failure;
    void *user;
    bool ended; /* true if on_cycle ended the run */
};

/* Reads the policy file that a scenario names. The policy file must be in the directory of the
 * scenario file. */
static int32_t relay_file(void *user, const char *name, const char **text, size_t *len) {
    struct session *session = ((struct relay *)user)->session;
    input_free(&session->named);
    int rc = input_read_beside(session->file.name, name, ".lua", "a policy", &session->named);
    if (rc != EXIT_OK) return LSCHED_E_NOENT;
    *text = session->named.text;
    *len = session->named.len;
    return LSCHED_OK;
}

static int32_t relay_cycle(void *user, const lsched_scenario_cycle *cycle) {
    struct relay *relay = user;
    relay->ended = relay->on_cycle(relay->user, cycle) != 0;
    return relay->ended;
}

static int32_t relay_before(void *user, const lsched_cluster *cluster,
                            const lsched_schedule_opts *schedule) {
    struct relay *relay = user;
    return relay->before_cycle(relay->user, cluster, schedule);
}

static void relay_failure(void *user, const lsched_error *failure) {
    struct relay *relay = user;
    if (relay->on_failure != NULL) relay->on_failure(relay->user, failure);
}

static void run_opts(struct relay *relay, lsched_scenario_run_opts *opts) {
    *opts = (lsched_scenario_run_opts)LSCHED_SCENARIO_RUN_OPTS_INIT;
    opts->flags = LSCHED_RUN_VERIFY | (relay->session->own_policy ? LSCHED_RUN_NO_POLICY : 0u);
    opts->user = relay;
    opts->on_cycle = relay_cycle;
    opts->on_failure = relay_failure;
    opts->read_file = relay_file;
}

int session_apply(struct session *session, lsched_schedule_opts *schedule) {
    struct relay relay = {.session = session};
    lsched_scenario_run_opts opts;
    lsched_error err = LSCHED_ERROR_INIT;
    run_opts(&relay, &opts);
    *schedule = (lsched_schedule_opts)LSCHED_SCHEDULE_OPTS_INIT;
    if (lsched_scenario_apply(session->scenario, session->cluster, &opts, &err) < 0)
        return library_error(session->file.name, &err);
    (void)lsched_scenario_schedule_opts(session->scenario, schedule);
    return EXIT_OK;
}

int session_first_cycle(struct session *session, int64_t now_us, session_cycle_fn on_cycle,
                        void *user) {
    lsched_schedule_opts schedule;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_plan *plan = NULL;
    int rc = session_apply(session, &schedule);
    if (rc != EXIT_OK) return rc;
    /* a time of the cycle that the scenario names holds, unless the user names another one */
    if (now_us != session->info.start_us) schedule.now_us = now_us;
    now_us = schedule.now_us;
    schedule.flags |= LSCHED_SCHEDULE_VERIFY | LSCHED_SCHEDULE_ALL_WAITING;
    if (lsched_schedule(session->cluster, &schedule, &plan, &err) < 0)
        return library_error(session->file.name, &err);
    lsched_scenario_cycle cycle = {
        .size = sizeof cycle, .now_us = now_us, .plan = plan, .cluster = session->cluster};
    on_cycle(user, &cycle);
    lsched_plan_destroy(plan);
    return EXIT_OK;
}

int session_all_cycles(struct session *session, session_cycle_fn on_cycle,
                       session_failure_fn on_failure, void *user, lsched_scenario_report *report) {
    struct relay relay = {
        .session = session, .on_cycle = on_cycle, .on_failure = on_failure, .user = user};
    lsched_scenario_run_opts opts;
    lsched_error err = LSCHED_ERROR_INIT;
    run_opts(&relay, &opts);
    int32_t rc = lsched_scenario_run(session->scenario, session->cluster, &opts, report, &err);
    if (rc < 0 && !relay.ended) return library_error(session->file.name, &err);
    return EXIT_OK;
}

int32_t session_play(struct session *session, session_before_fn before_cycle,
                     session_cycle_fn on_cycle, void *user, lsched_error *err) {
    struct relay relay = {
        .session = session, .before_cycle = before_cycle, .on_cycle = on_cycle, .user = user};
    lsched_scenario_run_opts opts;
    run_opts(&relay, &opts);
    opts.flags |= LSCHED_RUN_NO_CHECKS;
    opts.before_cycle = relay_before;
    int32_t rc = lsched_scenario_run(session->scenario, session->cluster, &opts, NULL, err);
    return rc < 0 ? rc : LSCHED_OK;
}
