/*
 * cmd_explain.c -- the command `lsched explain`, which prints for one job why the job waits, where
 * its tasks run, and for which other job they are evicted.
 *
 * The library makes the explanation from the state after a cycle of the scenario and before the
 * decisions of that cycle are settled.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/support/command.h"
#include "cli/plan/hook_values.h"
#include "cli/plan/offer_words.h"
#include "cli/support/json_writer.h"
#include "cli/plan/plan_json.h"
#include "cli/plan/plan_words.h"
#include "cli/plan/scenario_session.h"
#include "cli/support/did_you_mean.h"
#include "cli/support/number_text.h"
#include "cli/support/terminal.h"
#include "cli/support/text_table.h"
#include "cli/support/time_text.h"

struct explain_args {
    const char *policy, *now;
    /* index of the cycle after which the job is explained, counted from 0; -1 if the user gave
     * none */
    int64_t cycle;
    bool json, helps;
};

struct explain_output {
    const struct explain_args *args;
    const char *job;
    const char *file;
    bool reached; /* true if the scenario has reached the requested cycle */
    bool later;   /* true if the user gave no cycle and the scenario has steps after the first */
    int rc;
};

/* ---- names ---- */

struct job_names {
    char **items;
    size_t n;
};

static const char *job_word(const void *list, size_t i) {
    const struct job_names *names = list;
    return i < names->n ? names->items[i] : NULL;
}

/* Reports that no job has this name. If `later` is true, the message says that a later step of the
 * scenario can add the job. */
static int unknown_job(const lsched_cluster *cluster, const char *file, const char *job,
                       bool later) {
    struct job_names names = {NULL, 0};
    uint64_t cursor = 0;
    size_t capacity = 0;
    lsched_id id;
    while ((id = lsched_next(cluster, LSCHED_KIND_JOB, &cursor)) != 0) {
        names.items = must_grow(names.items, names.n, &capacity, sizeof names.items[0]);
        lsched_text name = name_of(cluster, id);
        names.items[names.n++] = must_copy(name.ptr, name.len);
    }
    const char *meant = suggest(job, job_word, &names);
    int rc =
        meant != NULL
            ? usage_error("explain", "%s has no job '%s'%s", file, job, did_you_mean(meant).text)
            : usage_error("explain", "%s has no job '%s' (of %zu)%s", file, job, names.n,
                          later ? "; one that comes later is there with --cycle N" : "");
    for (size_t i = 0; i < names.n; i++) free(names.items[i]);
    free(names.items);
    return rc;
}

/* ---- printing ---- */

/* Prints each line of the text, and wraps long lines. If an indented line has two or more spaces
 * after its first word, the text after these spaces is the second column, and further rows of the
 * line begin below that column. Otherwise they begin below the first word. */
static void print_lines(const char *text) {
    int width = terminal_width(stdout);
    while (*text != '\0') {
        size_t len = strcspn(text, "\n");
        char *line = must_copy(text, len);
        size_t lead = strspn(line, " ");
        size_t column = lead;
        if (lead > 0) { /* such as " quota research uses ..." */
            size_t word = lead + strcspn(line + lead, " ");
            size_t gap = strspn(line + word, " ");
            if (gap >= 2) column = word + gap;
        }
        printf("%.*s", (int)column, line);
        print_wrapped(stdout, line + column, (int)column, (int)column, width);
        putchar('\n');
        free(line);
        text += len + (text[len] == '\n');
    }
}

/* Writes since when the job runs, its time limit, when it reaches the limit, and why it is held. A
 * value that does not exist for the job is null. */
static void json_limits(struct json *json, const lsched_job_info *info) {
    json_int_unless(json, "running_since_us", info->running_since_us, 0);
    json_int_unless(json, "first_start_us", info->first_start_us, 0);
    json_int_unless(json, "time_limit_us", info->time_limit_us, 0);
    json_int_unless(json, "due_us", info->due_us, LSCHED_NEVER_US);
    json_string(json, "held",
                info->held == LSCHED_HELD_NOT    ? NULL
                : info->held == LSCHED_HELD_IDLE ? "idle"
                : info->held == LSCHED_HELD_HOST ? "host"
                                                 : "time-limit");
    json_int_unless(json, "hold_until_us", info->hold_until_us, 0);
    if (info->hold_reason.len)
        json_text(json, "hold_reason", info->hold_reason.ptr, info->hold_reason.len);
    else
        json_null(json, "hold_reason");
    json_int_unless(json, "begin_us", info->begin_us, 0);
    json_int_unless(json, "expires_us", info->expires_us, 0);
    json_int_unless(json, "dependencies", info->dependencies, 0);
    json_int_unless(json, "dependencies_never", info->dependencies_never, 0);
}

static void json_name_unless_none(struct json *json, const char *key, const lsched_cluster *cluster,
                                  lsched_id id) {
    lsched_text name = name_of(cluster, id);
    if (id == 0)
        json_null(json, key);
    else
        json_text(json, key, name.ptr, name.len);
}

/* Writes how the running tasks of the job will end. The value is null if no task runs. */
static void json_end_of_job(struct json *json, const lsched_cluster *cluster, lsched_id job) {
    static const char *const spent[] = {"run-on", "end", "first-victim"};
    lsched_job_end end = {.size = sizeof end};
    if (lsched_job_end_get(cluster, job, &end, NULL) != LSCHED_OK || end.tasks_running == 0) {
        json_null(json, "end");
        return;
    }
    json_object(json, "end", JSON_LINES);
    json_int_unless(json, "expected_us", end.expected_us, LSCHED_NEVER_US);
    json_int_unless(json, "limit_us", end.limit_us, LSCHED_NEVER_US);
    json_name_unless_none(json, "allowance_queue", cluster, end.allowance_queue);
    json_string(json, "spent", end.allowance_queue ? spent[end.spent] : NULL);
    json_int_unless(json, "spent_us", end.spent_us, LSCHED_NEVER_US);
    json_int_unless(json, "spent_stop_us", end.spent_stop_us, LSCHED_NEVER_US);
    json_name_unless_none(json, "leaving_node", cluster, end.leaving_node);
    json_int_unless(json, "leaves_us", end.leaves_us, LSCHED_NEVER_US);
    json_int_unless(json, "back_us", end.back_us, LSCHED_NEVER_US);
    json_int_unless(json, "soft_us", end.soft_us, LSCHED_NEVER_US);
    json_close(json);
}

static void json_tasks(struct json *json, const lsched_cluster *cluster, lsched_id job) {
    uint64_t cursor = 0;
    lsched_task_info task = {.size = sizeof task};
    json_array(json, "tasks", JSON_LINES);
    while (lsched_tasks_next(cluster, job, 0, &cursor, &task, NULL) == 1) {
        lsched_text node = name_of(cluster, task.node);
        json_object(json, NULL, JSON_LINE);
        json_uint(json, "task", task.task_index);
        json_string(json, "state", lsched_task_state_name(task.state));
        json_text(json, "node", node.ptr, node.len);
        json_array(json, "devices", JSON_LINE);
        for (uint32_t i = 0; i < LSCHED_DEVICES_PER_NODE_MAX; i++) {
            if (device_set_holds(task.device_words, i)) json_uint(json, NULL, i);
        }
        json_close(json);
        json_uint(json, "device_milli", task.device_milli);
        json_close(json);
    }
    json_close(json);
}

/* helps: NULL, or the answer with the change that would help. */
static void print_json(const struct explain_output *out, const lsched_scenario_cycle *cycle,
                       lsched_id job, const char *text, const lsched_waiting *waiting,
                       const lsched_would_start_answer *helps) {
    struct json json;
    lsched_job_info info = {.size = sizeof info};
    lsched_job_get(cycle->cluster, job, &info, NULL);
    lsched_text queue = name_of(cycle->cluster, info.queue);
    char now[TIME_TEXT_BYTES];
    json_begin_object(&json, stdout);
    json_string(&json, "file", out->file);
    json_uint(&json, "cycle", cycle->cycle);
    json_string(&json, "now", time_format(cycle->now_us, now));
    json_int(&json, "now_us", cycle->now_us);
    json_string(&json, "job", out->job);
    json_text(&json, "queue", queue.ptr, queue.len);
    json_int(&json, "priority", info.priority);
    json_uint(&json, "tasks_wanted", info.tasks_wanted);
    json_uint(&json, "tasks_min", info.tasks_min);
    json_uint(&json, "tasks_min_submitted", info.tasks_min_submitted);
    json_uint(&json, "tasks_placed", info.tasks_placed);
    json_uint(&json, "tasks_running", info.tasks_running);
    uint32_t releasing = info.tasks_releasing;
    json_uint(&json, "tasks_releasing", releasing);
    json_uint(&json, "tasks_leaving", releasing); /* the old spelling of tasks_releasing */
    json_uint(&json, "tasks_nominated", info.tasks_nominated);
    json_limits(&json, &info);
    json_end_of_job(&json, cycle->cluster, job);
    if (waiting->code == LSCHED_WAIT_NONE) {
        json_null(&json, "waiting");
    } else {
        json_object(&json, "waiting", JSON_LINES);
        plan_json_waiting(&json, cycle->cluster, waiting);
        json_close(&json);
    }
    json_tasks(&json, cycle->cluster, job);
    hook_values_json(&json, cycle->cluster, job, cycle->now_us);
    if (helps) offer_json(&json, cycle->cluster, helps);
    json_string(&json, "text", text);
    json_end(&json);
}

static int explain_job(const struct explain_output *out, const lsched_scenario_cycle *cycle,
                       lsched_id job) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_waiting waiting = {.size = sizeof waiting};
    int64_t len = lsched_explain(cycle->cluster, job, NULL, 0, NULL, &err);
    if (len < 0) return library_error(NULL, &err);
    char *own = must_alloc((size_t)len + 1), *text = NULL;
    own[0] = '\0';
    len = lsched_explain(cycle->cluster, job, own, (size_t)len + 1, &waiting, &err);
    text = scenario_words(own);
    free(own);
    int rc = len < 0 ? library_error(NULL, &err) : EXIT_OK;
    lsched_would_start_answer helps;
    lsched_offer offer;
    if (rc == EXIT_OK && out->args->helps &&
        offer_ask(cycle->cluster, job, cycle->now_us, &helps, &offer, &err) < 0)
        rc = library_error(NULL, &err);
    if (rc == EXIT_OK && out->args->json)
        print_json(out, cycle, job, text, &waiting, out->args->helps ? &helps : NULL);
    if (rc == EXIT_OK && !out->args->json) {
        print_lines(text);
        if (out->args->helps) offer_print(stdout, cycle->cluster, &helps);
        hook_values_print(cycle->cluster, job, cycle->now_us);
    }
    free(text);
    return rc;
}

static int32_t on_cycle(void *user, const lsched_scenario_cycle *cycle) {
    struct explain_output *out = user;
    if (out->args->cycle > (int64_t)cycle->cycle) return 0;
    out->reached = true;
    lsched_id job = lsched_find(cycle->cluster, LSCHED_KIND_JOB, lsched_cstr(out->job));
    out->rc = job != 0 ? explain_job(out, cycle, job)
                       : unknown_job(cycle->cluster, out->file, out->job, out->later);
    return 1;
}

/* ---- the command ---- */

static int explain_in(struct explain_output *out, struct session *session) {
    const struct explain_args *args = out->args;
    out->file = session->file.name;
    out->later = args->cycle < 0 && session->info.steps > 1;
    if (args->cycle >= 0) {
        lsched_scenario_report report = LSCHED_SCENARIO_REPORT_INIT;
        int rc = session_all_cycles(session, on_cycle, NULL, out, &report);
        if (rc == EXIT_OK && !out->reached) {
            return usage_error("explain",
                               "--cycle %" PRId64 ": the scenario has %" PRIu32
                               " cycle%s; the first one is cycle 0",
                               args->cycle, report.cycles, plural(report.cycles));
        }
        return rc != EXIT_OK ? rc : out->rc;
    }
    int64_t now_us;
    int rc = session_time(session, "explain", args->now, &now_us);
    if (rc == EXIT_OK) rc = session_first_cycle(session, now_us, on_cycle, out);
    return rc != EXIT_OK ? rc : out->rc;
}

static int explain(const void *argument, const struct parsed *words) {
    struct explain_output out = {.args = argument, .job = words->positionals[1]};
    struct session session;
    if (out.args->cycle >= 0 && out.args->now != NULL) {
        return usage_error("explain", "--now and --cycle exclude each other");
    }
    int rc = session_open("explain", words->positionals[0], out.args->policy, &session);
    if (rc == EXIT_OK) rc = explain_in(&out, &session);
    session_close(&session);
    return rc;
}

#define ARGS struct explain_args
static const struct option options[] = {
    SESSION_OPTIONS,
    COUNT(ALL, "cycle", "N", cycle, NOT_GIVEN, 0, INT64_MAX,
          "play the scenario and explain after this cycle, counted from 0"),
    FLAG(ALL, "what-would-help", helps, "also find the cheapest single change that starts the job"),
    FLAG(ALL, "json", json, "print JSON instead of text"),
};

const struct command command_explain = {
    .name = "explain",
    .arguments = "FILE JOB",
    .summary = "say why a job waits, or where it runs",
    .about = "Runs one cycle of the scenario and asks the library about one job: what its queues "
             "are entitled to, who holds the nodes that could hold it, whether others may be "
             "stopped for it or it for others, and when that changes.",
    .examples = "  lsched explain examples/scenarios/research-and-product.yaml llm\n"
                "  lsched explain cluster.yaml llm --now 6h\n"
                "  lsched explain cluster.yaml llm --what-would-help\n"
                "  lsched explain cluster.yaml llm --policy spread",
    COMMAND_OPTIONS(options, ARGS),
    .positionals_min = 2,
    .positionals_max = 2,
    .run = explain,
};
