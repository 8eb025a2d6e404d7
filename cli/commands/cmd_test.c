/*
 * cmd_test.c -- the command `lsched test`, which runs tests of policies. The tests are written in
 * Lua. This file prints the results of the tests as text or as JSON; test_state.c runs a file of
 * tests.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/support/number_text.h"
#include "cli/support/command.h"
#include "cli/support/json_writer.h"
#include "cli/policy_test/test_state.h"

struct test_args {
    const char *filter;
    int64_t instructions;
    bool list, json;
};

struct test_run {
    const struct test_args *args;
    struct json json;
    const char *file;
    uint64_t tests, failed;
};

/* Prints a text with `indent` spaces before each line. */
static void print_indented(const char *text, int indent) {
    while (*text != '\0') {
        size_t len = strcspn(text, "\n");
        if (len > 0) printf("%*s%.*s", indent, "", (int)len, text);
        printf("\n");
        text += len + (text[len] == '\n');
    }
}

static void print_outcome(const struct test_run *run, const struct test_outcome *outcome) {
    uint32_t line = outcome->fails_at > 0 ? outcome->fails_at : outcome->line;
    if (run->args->list) {
        printf("%s:%" PRIu32 ": %s\n", run->file, outcome->line, outcome->name);
    } else if (outcome->message != NULL) {
        printf("%s:%" PRIu32 ": failed: %s\n", run->file, line, outcome->name);
        print_indented(outcome->message, 4);
        if (outcome->plan != NULL) print_indented(outcome->plan, 4);
        printf("\n");
    }
}

static void outcome_json(struct test_run *run, const struct test_outcome *outcome) {
    json_object(&run->json, NULL, JSON_LINE);
    json_string(&run->json, "file", run->file);
    json_uint(&run->json, "line", outcome->line);
    json_string(&run->json, "name", outcome->name);
    if (!run->args->list) {
        json_bool(&run->json, "ok", outcome->message == NULL);
        json_string(&run->json, "message", outcome->message);
        json_int_unless(&run->json, "fails_at", outcome->fails_at, 0);
        json_string(&run->json, "plan", outcome->plan);
    }
    json_close(&run->json);
}

static void on_test(void *user, const struct test_outcome *outcome) {
    struct test_run *run = user;
    run->tests++;
    run->failed += outcome->message != NULL;
    if (run->args->json) {
        outcome_json(run, outcome);
    } else {
        print_outcome(run, outcome);
    }
}

/* Runs the tests of all files. A file with an error does not stop the run, except after an internal
 * error. Returns the largest exit code. */
static int run_files(struct test_run *run, char *const *files, size_t n) {
    const struct test_args *args = run->args;
    struct test_options options = {args->filter, args->list, (uint64_t)args->instructions};
    int worst = EXIT_OK;
    for (size_t i = 0; i < n; i++) {
        run->file = strcmp(files[i], "-") == 0 ? "standard input" : files[i];
        int rc = test_file_run(files[i], &options, on_test, run);
        if (rc > worst) worst = rc;
        if (rc == EXIT_INTERNAL) break;
    }
    return worst;
}

static int test(const void *argument, const struct parsed *words) {
    struct test_run run = {.args = argument};
    if (run.args->json) {
        json_begin_object(&run.json, stdout);
        json_array(&run.json, "tests", JSON_LINES);
    }
    int rc = run_files(&run, words->positionals, words->n_positionals);
    if (run.args->json) {
        json_close(&run.json);
        json_uint(&run.json, "run", run.args->list ? 0 : run.tests);
        json_uint(&run.json, "failed", run.failed);
        json_bool(&run.json, "complete", rc == EXIT_OK);
        json_end(&run.json);
    } else if (!run.args->list && run.tests > 0) {
        printf("%" PRIu64 " test%s, %" PRIu64 " failed\n", run.tests, plural(run.tests),
               run.failed);
    }
    if (rc != EXIT_OK) return rc;
    if (run.tests == 0) {
        complain("no test has '%s' in its name", run.args->filter);
        return EXIT_EXPECTATION;
    }
    return run.failed > 0 ? EXIT_EXPECTATION : EXIT_OK;
}

#define ARGS struct test_args
static const struct option options[] = {
    TEXT(ALL, "filter", "TEXT", filter, "only tests with this in their name"),
    FLAG(ALL, "list", list, "say which tests there are, and run none"),
    COUNT(ALL, "instructions", "N", instructions, 1000000000, 0, INT64_MAX,
          "how many Lua instructions a test may spend (10^9)"),
    FLAG(ALL, "json", json, "print JSON, of every test"),
};

const struct command command_test = {
    .name = "test",
    .arguments = "FILE...",
    .summary = "run tests of policies, written in Lua",
    .about = "Runs files of tests (docs/policy-tests.md): each builds a small cluster, submits "
             "jobs, runs cycles in virtual time and says what the plan must be. What fails is "
             "shown as file:line with the plan; exit code 1 says that something did.",
    .examples = "  lsched test tests/policies/deadline_test.lua\n"
                "  lsched test tests/policies/*_test.lua --filter night\n"
                "  lsched test mine_test.lua --list",
    COMMAND_OPTIONS(options, ARGS),
    .positionals_min = 1,
    .positionals_max = POSITIONALS_MAX,
    .run = test,
};
