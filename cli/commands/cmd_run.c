/*
 * cmd_run.c -- the command `lsched run`, which runs the first cycle of a scenario, or the whole
 * scenario with a check of its expectations.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/support/number_text.h"
#include "cli/support/command.h"
#include "cli/support/json_writer.h"
#include "cli/plan/plan_json.h"
#include "cli/plan/plan_view.h"
#include "cli/plan/scenario_session.h"
#include "cli/plan/state_warnings.h"
#include "cli/support/time_text.h"

struct run_args {
    const char *policy, *now;
    bool json, all, tasks;
};

struct run_output {
    const struct run_args *args;
    struct json json;
    int64_t start_us;
    uint32_t cycles;
    const struct session *session;
    struct state_warnings warnings;
    char **failures; /* owned by this struct */
    size_t n_failures;
};

static void print_heading(const struct session *session) {
    static const char *const names[] = {"node", "queue", "job"};
    uint64_t numbers[] = {session->info.nodes, session->info.queues, session->info.jobs};
    printf("%s:", session->file.name);
    for (size_t i = 0; i < 3; i++) {
        printf("%s %" PRIu64 " %s%s", i > 0 ? "," : "", numbers[i], names[i], plural(numbers[i]));
    }
    printf("\n");
}

/* Prints the plan of a cycle. The heading is printed with the first cycle and not earlier, so that
 * a scenario whose cluster cannot be built prints only an error. */
static int32_t on_cycle(void *user, const lsched_scenario_cycle *cycle) {
    struct run_output *out = user;
    if (out->cycles == 0) {
        state_warnings_policy(cycle->cluster, &out->warnings);
        state_warnings_read(cycle->cluster, &out->warnings);
    }
    if (out->cycles == 0 && !out->args->json) print_heading(out->session);
    if (out->args->json) {
        plan_json(&out->json, cycle);
    } else {
        char now[TIME_TEXT_BYTES];
        if (out->cycles > 0) printf("\n");
        if (out->args->all) printf("cycle %" PRIu32 " ", cycle->cycle);
        printf("at %s", time_format(cycle->now_us, now));
        if (cycle->now_us > out->start_us) {
            printf(", %s after the start", span_format(cycle->now_us - out->start_us, now));
        }
        printf(": ");
        plan_print(stdout, cycle, out->args->tasks);
    }
    out->cycles++;
    return 0;
}

static void on_failure(void *user, const lsched_error *failure) {
    struct run_output *out = user;
    out->failures = must_resize(out->failures, (out->n_failures + 1) * sizeof out->failures[0]);
    out->failures[out->n_failures++] = must_copy(failure->message, strlen(failure->message));
    fprintf(stderr, "%s\n", failure->message);
}

/* Writes the array of warnings. Writes nothing if there is no warning. */
static void json_warnings(struct run_output *out) {
    uint32_t notes = out->session->info.notes;
    if (notes == 0 && out->warnings.n == 0) return;
    json_array(&out->json, "warnings", JSON_LINES);
    for (uint32_t i = 0; i < notes; i++)
        json_string(&out->json, NULL, lsched_scenario_notes_at(out->session->scenario, i));
    for (size_t i = 0; i < out->warnings.n; i++)
        json_string(&out->json, NULL, out->warnings.text[i]);
    json_close(&out->json);
}

static void json_tail(struct run_output *out, const lsched_scenario_report *report, bool complete) {
    json_close(&out->json);
    json_object(&out->json, "expectations", JSON_LINES);
    json_uint(&out->json, "checked", report->checks);
    json_uint(&out->json, "failed", report->failures);
    json_array(&out->json, "failures", JSON_LINES);
    for (size_t i = 0; i < out->n_failures; i++) json_string(&out->json, NULL, out->failures[i]);
    json_close(&out->json);
    json_close(&out->json);
    json_warnings(out);
    json_bool(&out->json, "complete", complete);
    json_end(&out->json);
}

static void print_tail(const struct run_output *out, const struct session *session,
                       const lsched_scenario_report *report) {
    if (out->cycles == 0) print_heading(session);
    for (size_t i = 0; i < out->warnings.n; i++)
        printf("%swarning: %s\n", i == 0 ? "\n" : "", out->warnings.text[i]);
    if (out->args->all) {
        printf("\n%" PRIu32 " cycle%s, %" PRIu64 " decision%s, %" PRIu32
               " expectation%s checked, %" PRIu32 " failed\n",
               report->cycles, plural(report->cycles), report->decisions, plural(report->decisions),
               report->checks, plural(report->checks), report->failures);
        return;
    }
    lsched_schedule_opts first = LSCHED_SCHEDULE_OPTS_INIT;
    if (lsched_scenario_schedule_opts(session->scenario, &first) == 0)
        printf(
            "\nThe scenario runs no cycle at its start (schedule: false): this is what one would "
            "decide.\n");
    if (session->info.steps > 1 || session->info.expectations > 0) {
        printf("\nThis is step 1 of %" PRIu32 "; --all plays all and checks %" PRIu64
               " expectation%s.\n",
               session->info.steps, session->info.expectations, plural(session->info.expectations));
    }
}

static int play(struct run_output *out, struct session *session) {
    const struct run_args *args = out->args;
    lsched_scenario_report report = LSCHED_SCENARIO_REPORT_INIT;
    int64_t now_us;
    out->start_us = session->info.start_us;
    int rc = session_time(session, "run", args->now, &now_us);
    if (rc != EXIT_OK) return rc;
    if (args->json) {
        json_begin_object(&out->json, stdout);
        json_string(&out->json, "file", session->file.name);
        json_array(&out->json, "cycles", JSON_LINES);
    }
    rc = args->all ? session_all_cycles(session, on_cycle, on_failure, out, &report)
                   : session_first_cycle(session, now_us, on_cycle, out);
    if (args->json) {
        json_tail(out, &report, rc == EXIT_OK);
    } else if (rc == EXIT_OK) {
        print_tail(out, session, &report);
    }
    return rc == EXIT_OK && report.failures > 0 ? EXIT_EXPECTATION : rc;
}

static int run(const void *argument, const struct parsed *words) {
    struct session session;
    struct run_output out = {.args = argument, .session = &session};
    if (out.args->all && out.args->now != NULL) {
        return usage_error("run",
                           "--now is for one cycle; with --all the scenario has its own times");
    }
    int rc = session_open("run", words->positionals[0], out.args->policy, &session);
    if (rc == EXIT_OK) rc = play(&out, &session);
    session_close(&session);
    for (size_t i = 0; i < out.n_failures; i++) free(out.failures[i]);
    free(out.failures);
    state_warnings_free(&out.warnings);
    return rc;
}

#define ARGS struct run_args
static const struct option options[] = {
    FLAG(ALL, "all", all, "run all steps of the scenario and check what it expects"),
    FLAG(ALL, "tasks", tasks, "one line per task, with its devices, instead of one per job"),
    SESSION_OPTIONS,
    FLAG(ALL, "json", json, "print JSON instead of tables"),
};

const struct command command_run = {
    .name = "run",
    .arguments = "FILE",
    .summary = "run a cycle: what starts where, what waits, and why",
    .about = "Reads a cluster, its queues and jobs from a YAML file (docs/scenario-format.md), "
             "runs one scheduling cycle, verifies the plan and prints it. Nothing is carried out. "
             "With --all the whole scenario is played: events, cycles and expectations; exit code "
             "1 says that an expectation does not hold.",
    .examples = "  lsched run examples/scenarios/research-and-product.yaml\n"
                "  lsched run cluster.yaml --tasks             every task, with node and devices\n"
                "  lsched run cluster.yaml --policy spread     what if another policy were used?\n"
                "  lsched run cluster.yaml --now 6h --json     six hours later, for a program\n"
                "  lsched run gang.yaml --all                  as a test",
    COMMAND_OPTIONS(options, ARGS),
    .positionals_min = 1,
    .positionals_max = 1,
    .run = run,
};
