/*
 * scenario_runner.c -- plays scenario files and the YAML examples of Markdown files as tests.
 *
 *   scenario_runner FILE.yaml ...     each must do what it expects
 *   scenario_runner --oom FILE.yaml   the n-th allocation of the cluster fails, for every n
 *   scenario_runner FILE.md ...       so must each ```yaml block; a ```yaml fragment must parse
 *
 * A scenario is played as it stands, then in ways that must not matter: batches in other orders,
 * the cluster replaced by a clone, or by what was saved and loaded, before each step. All must give
 * the same plans, and a clone and a loaded cluster must spend the same work. A file that begins
 * with "# error: E_KEY 3:5: expected ..." must fail to parse with that code and message. "# order:
 * matters" leaves the other orders out.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libsched/scenario.h>

#include "support/fault_alloc.h"
#include "support/scenario_file.h"

enum how { PLAY, ONLY_PARSE, FAIL_ALLOCATIONS };

struct play {
    const char *file;
    const char *variant;
    struct text named; /* the file that the scenario asked for last */
    uint32_t failures;
    uint64_t work; /* units, of all cycles */
};

struct outcome {
    int32_t code;
    uint64_t plans_hash;
    uint64_t meaning;
    uint64_t work;
    lsched_scenario_report report;
};

/* ---- playing --------------------------------------------------------------------------------- */

static void on_failure(void *user, const lsched_error *failure) {
    struct play *play = user;
    play->failures++;
    fprintf(stderr, "%s (%s)\n", failure->message, play->variant);
}

static int32_t on_cycle(void *user, const lsched_scenario_cycle *cycle) {
    struct play *play = user;
    lsched_plan_info info = {.size = sizeof info};
    int32_t code = lsched_plan_get(cycle->plan, &info, NULL);
    play->work += info.work_spent;
    return code;
}

/* What a scenario names lies beside it. */
static int32_t on_read_file(void *user, const char *name, const char **text, size_t *len) {
    struct play *play = user;
    if (!scenario_file_beside(play->file, name, &play->named)) return LSCHED_E_NOENT;
    *text = play->named.bytes;
    *len = play->named.len;
    return 0;
}

static struct outcome play_once(lsched_scenario *scenario, const char *file, const char *variant,
                                uint32_t flags, uint64_t seed) {
    struct outcome o = {0, 0, 0, 0, LSCHED_SCENARIO_REPORT_INIT};
    struct play play = {file, variant, {NULL, 0}, 0, 0};
    lsched_cluster_opts cluster_opts = LSCHED_CLUSTER_OPTS_INIT;
    lsched_scenario_run_opts opts = LSCHED_SCENARIO_RUN_OPTS_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *cluster = NULL;
    opts.flags = flags | LSCHED_RUN_VERIFY;
    opts.shuffle_seed = seed;
    opts.user = &play;
    opts.on_failure = on_failure;
    opts.on_cycle = on_cycle;
    opts.read_file = on_read_file;
    o.code = lsched_scenario_cluster_opts(scenario, &cluster_opts);
    if (o.code >= 0) o.code = lsched_cluster_create(&cluster_opts, &cluster, &err);
    if (o.code >= 0) o.code = lsched_scenario_run(scenario, cluster, &opts, &o.report, &err);
    if (o.code < 0)
        fprintf(stderr, "%s (%s, %s)\n", err.message, lsched_error_name(o.code), variant);
    if (o.code >= 0) lsched_cluster_hash(cluster, LSCHED_HASH_MEANING, &o.meaning, NULL);
    o.plans_hash = o.report.plans_hash;
    o.work = play.work;
    lsched_cluster_destroy(cluster);
    free(play.named.bytes);
    return o;
}

static int play_variants(lsched_scenario *scenario, const char *file, int order_matters) {
    static const struct {
        const char *name;
        uint32_t flags;
        uint64_t seed;
    } variants[] = {
        {"batches in another order", 0, 20261105},
        {"batches in a third order", 0, 7},
        {"as clones", LSCHED_RUN_CLONE, 0},
        {"saved and loaded", LSCHED_RUN_RELOAD, 0},
    };
    struct outcome first = play_once(scenario, file, "as written", 0, 0);
    int failed = first.code < 0 || first.report.failures > 0;
    printf("%s: %" PRIu32 " steps, %" PRIu32 " cycles, %" PRIu64 " decisions, %" PRIu32
           " checks, plans %016" PRIx64 ", work %" PRIu64 "\n",
           file, first.report.steps, first.report.cycles, first.report.decisions,
           first.report.checks, first.plans_hash, first.work);
    for (size_t i = 0; !failed && i < sizeof variants / sizeof *variants; i++) {
        if (order_matters && variants[i].seed) continue;
        struct outcome o =
            play_once(scenario, file, variants[i].name, variants[i].flags, variants[i].seed);
        failed = o.code < 0 || o.report.failures > 0;
        if (!failed && variants[i].seed == 0 && o.work != first.work) {
            fprintf(stderr, "%s: expected %" PRIu64 " units of work with %s, got %" PRIu64 "\n",
                    file, first.work, variants[i].name, o.work);
            failed = 1;
        }
        if (failed || (o.plans_hash == first.plans_hash && o.meaning == first.meaning)) continue;
        fprintf(stderr, "%s: expected equal plans and an equal state with %s, got other %s\n", file,
                variants[i].name, o.plans_hash == first.plans_hash ? "state" : "plans");
        failed = 1;
    }
    return failed;
}

/* ---- out of memory --------------------------------------------------------------------------- */

/* Runs of one scenario at most, at LSCHED_TEST_SCALE 100. `.ci/nightly memory` fails every one. */
enum { OOM_RUNS = 500 };

static uint64_t oom_runs(void) {
    const char *scale = getenv("LSCHED_TEST_SCALE");
    uint64_t runs = OOM_RUNS * (scale && *scale ? strtoull(scale, NULL, 10) : 100) / 100;
    return runs ? runs : 1;
}

static void on_oom_failure(void *user, const lsched_error *failure) {
    struct play *play = user;
    if (!strstr(failure->message, "expected a failed call to change nothing")) return;
    play->failures++;
    fprintf(stderr, "%s (%s)\n", failure->message, play->variant);
}

/* One run in which the n-th allocation fails. Returns 1 if something is wrong with it, and how many
 * allocations there were. Expectations do not count: the run ends where a call fails. If no call
 * fails, the missing memory must not matter: the plans are those of the run with memory, `*plans`,
 * which the run with n = 0 writes. */
static int oom_once(lsched_scenario *scenario, const char *file, uint64_t n, uint64_t *calls,
                    uint64_t *plans) {
    lsched_scenario_report report = LSCHED_SCENARIO_REPORT_INIT;
    struct fault_alloc fault = {.fail_at = n};
    lsched_allocator hooks = fault_hooks(&fault);
    struct play play = {file, "out of memory", {NULL, 0}, 0, 0};
    lsched_cluster_opts cluster_opts = LSCHED_CLUSTER_OPTS_INIT;
    lsched_scenario_run_opts opts = LSCHED_SCENARIO_RUN_OPTS_INIT;
    lsched_error err = LSCHED_ERROR_INIT, verify_err = LSCHED_ERROR_INIT;
    lsched_cluster *cluster = NULL;
    opts.flags = LSCHED_RUN_VERIFY;
    opts.user = &play;
    opts.on_failure = on_oom_failure;
    opts.read_file = on_read_file;
    lsched_scenario_cluster_opts(scenario, &cluster_opts);
    cluster_opts.allocator = &hooks;
    int32_t code = lsched_cluster_create(&cluster_opts, &cluster, &err);
    if (code >= 0) code = lsched_scenario_run(scenario, cluster, &opts, &report, &err);
    if (n == 0) *plans = report.plans_hash;
    fault.fail_at = 0;
    int32_t sound = cluster ? lsched_verify(cluster, NULL, &verify_err) : 0;
    lsched_cluster_destroy(cluster);
    free(play.named.bytes);
    *calls = fault.calls;
    int other = code >= 0 && report.plans_hash != *plans;
    int wrong = sound < 0 || play.failures || fault.live_blocks || fault.wrong_sizes || other ||
                (code < 0 && code != LSCHED_E_NOMEM);
    if (wrong)
        fprintf(stderr, "%s: allocation %" PRIu64 ": %s%s%s, %lld blocks left, %s %s\n", file, n,
                lsched_error_name(code), play.failures ? ", not undone" : "",
                other ? ", other plans" : "", (long long)fault.live_blocks, err.message,
                sound < 0 ? verify_err.message : "");
    return wrong;
}

/* Every allocation fails once if there are at most oom_runs() of them, else every k-th. */
static int play_oom(lsched_scenario *scenario, const char *file) {
    uint64_t all = 0, calls = 0, plans = 0;
    int failed = oom_once(scenario, file, 0, &all, &plans);
    uint64_t step = 1 + all / oom_runs();
    for (uint64_t n = 1; n <= all; n += step) failed |= oom_once(scenario, file, n, &calls, &plans);
    printf("%s: %" PRIu64 " allocations, every %" PRIu64 ". failed\n", file, all, step);
    return failed;
}

/* The rest of a line that begins with `key`, or NULL. */
static const char *first_line(const char *text, const char *key, size_t *len) {
    size_t n = strlen(key);
    for (const char *at = text; at && *at == '#'; at = strchr(at, '\n'), at = at ? at + 1 : NULL) {
        if (strncmp(at, key, n) != 0) continue;
        *len = strcspn(at + n, "\r\n");
        return at + n;
    }
    return NULL;
}

static int check_parse_error(const char *want, size_t len, int32_t code, const char *message) {
    char got[512];
    const char *colon = strchr(message, ':'); /* behind the name of the file */
    snprintf(got, sizeof got, "%s %s", lsched_error_name(code), colon ? colon + 1 : message);
    if (strlen(got) == len && memcmp(got, want, len) == 0) return 0;
    fprintf(stderr, "expected %.*s\ngot      %s\n", (int)len, want, got);
    return 1;
}

/* Returns 1 if it failed. */
static int play_text(const char *file, const char *text, size_t len, enum how how) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_scenario *scenario = NULL;
    size_t n = 0;
    const char *want = first_line(text, "# error: ", &n);
    int32_t code =
        lsched_scenario_parse(NULL, (lsched_text){text, len}, lsched_cstr(file), &scenario, &err);
    if (want) {
        lsched_scenario_destroy(scenario);
        if (code < 0) return check_parse_error(want, n, code, err.message);
        fprintf(stderr, "%s: expected an error, got a scenario\n", file);
        return 1;
    }
    if (code < 0) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    int failed = 0;
    if (how == PLAY)
        failed = play_variants(scenario, file, first_line(text, "# order: matters", &n) != NULL);
    if (how == FAIL_ALLOCATIONS) failed = play_oom(scenario, file);
    lsched_scenario_destroy(scenario);
    return failed;
}

/* ---- Markdown -------------------------------------------------------------------------------- */

/* Lines of the block keep their numbers, so that an error names the line of the Markdown file. */
static int play_block(const char *file, const char *start, const char *end, unsigned line,
                      int fragment) {
    size_t len = (size_t)(end - start);
    char *text = malloc(len + line + 1);
    if (!text) return 1;
    memset(text, '\n', line);
    memcpy(text + line, start, len);
    text[len + line] = '\0';
    int failed = play_text(file, text, len + line, fragment ? ONLY_PARSE : PLAY);
    free(text);
    return failed;
}

static int play_markdown(const char *file, const char *text) {
    const char *start = NULL;
    unsigned line = 0, blocks = 0;
    int failed = 0, fragment = 0;
    for (const char *at = text; *at; line++) {
        size_t n = strcspn(at, "\n");
        if (start && strncmp(at, "```", 3) == 0) {
            unsigned first = line;
            for (const char *p = start; p < at; p++) first -= *p == '\n';
            failed |= play_block(file, start, at, first, fragment);
            start = NULL;
            blocks++;
        } else if (!start && n >= 7 && strncmp(at, "```yaml", 7) == 0) {
            fragment = n >= 16 && strncmp(at + 7, " fragment", 9) == 0;
            start = at + n + (at[n] == '\n');
        }
        at += n + (at[n] == '\n');
    }
    printf("%s: %u examples\n", file, blocks);
    return failed || start != NULL;
}

int main(int argc, char **argv) {
    int oom = argc > 1 && strcmp(argv[1], "--oom") == 0;
    int failed = argc < 2 + oom;
    if (failed) fprintf(stderr, "usage: scenario_runner [--oom] FILE.yaml|FILE.md ...\n");
    for (int i = 1 + oom; i < argc; i++) {
        struct text text;
        size_t n = strlen(argv[i]);
        if (!scenario_file_read(argv[i], &text)) {
            fprintf(stderr, "%s: cannot be read\n", argv[i]);
            failed = 1;
            continue;
        }
        int markdown = n > 3 && strcmp(argv[i] + n - 3, ".md") == 0;
        failed |= markdown
                      ? play_markdown(argv[i], text.bytes)
                      : play_text(argv[i], text.bytes, text.len, oom ? FAIL_ALLOCATIONS : PLAY);
        free(text.bytes);
    }
    return failed;
}
