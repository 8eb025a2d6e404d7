/* Old spellings of scenarios: each pair of old_names.c is read as its new spelling, gets one note
 * in a file, and must not stand beside its new spelling. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <libsched/libsched.h>
#include <libsched/scenario.h>

#include "config/read/old_names.h"

/* A scenario with "%1$s" wherever the spelling stands. */
struct example {
    const char *old, *now;
    const char *text;
};

#define SHARED_GPU(key) "{count: 1, model: M, memory: 8Gi, " key "}"
#define SHARES(key)     "queues: [{name: a}]\nexpect: {shares: {a: {gpu: {" key "}, cpu: {" key "}}}}\n"
#define TOPOLOGY(wish)                                                  \
    "topology: [rack]\n"                                                \
    "nodes: [{name: \"n[0-3]\", labels: {rack: \"r[0-1]\"}, cpu: 4}]\n" \
    "queues: [{name: q}]\n"                                             \
    "jobs:\n"                                                           \
    "  - {name: a, queue: q, " wish "}\n"                               \
    "  - {name: b, queue: q, " wish "}\n"                               \
    "expect: {placed: {a: 4}}\n"

static const struct example examples[] = {
    {"models", "resource_parts",
     "%1$s: {\"gpu:M\": M}\n"
     "nodes: [{name: n, cpu: 4, gpus: {count: 2, model: M}}]\n"
     "queues: [{name: q, limit: {\"gpu:M\": 1}}]\n"
     "jobs: [{name: \"j-[0-1]\", queue: q, tasks: {gpu: 1}}]\n"},
    {"share", "sharing",
     "nodes: [{name: n, cpu: 4, gpus: " SHARED_GPU(
         "%1$s: fraction") "},\n"
                           "        {name: m, cpu: 4, gpus: " SHARED_GPU(
                               "%1$s: fraction") "}]\n"
                                                 "queues: [{name: q}]\n"
                                                 "jobs: [{name: \"j-[0-3]\", queue: q, "
                                                 "tasks: {claim: {gpus: 1, share: 0.5}}}]\n"},
    {"cores", "sm_count",
     "nodes: [{name: n, cpu: 4, gpus: {count: 1, model: M, memory: 8Gi, %1$s: 108, sharing: mps}}]\n"
     "queues: [{name: q}]\n"
     "jobs: [{name: \"j-[0-1]\", queue: q, tasks: {claim: {gpus: 1, %1$s: 54}}}]\n"},
    {"gpu_cores", "gpu_sm_count",
     "nodes: [{name: n, gpus: {count: 1, model: M, memory: 8Gi, sm_count: 108, sharing: mps}}]\n"
     "queues: [{name: q}]\n"
     "jobs: [{name: \"j-[0-1]\", queue: q, tasks: {%1$s: 54}}]\n"},
    {"recut", "repartition",
     "nodes:\n"
     "  - {name: n, cpu: 4, "
     "gpus: {count: 1, model: H100-80GB, memory: 80Gi, sharing: mig, %1$s: true}}\n"
     "queues: [{name: q}]\n"
     "jobs: [{name: j, queue: q, tasks: {mig: 1g.10gb}}]\n"
     "expect: {place: {j: {%1$s: 1}}}\n"},
    {"deal", "assignment",
     TOPOLOGY("topology: {required: rack, %1$s: balanced}, tasks: {count: 4, cpu: 1}")},
    {"slices", "task_blocks",
     TOPOLOGY("topology: {%1$s: {level: rack, tasks: 2}}, tasks: {count: 4, cpu: 1}")},
    {"spread", "topology_spread",
     TOPOLOGY("tasks: {count: 4, cpu: 1, %1$s: {level: rack, max: 2}}")},
    {"collision", "memory_pressure",
     "nodes: [{name: n, cpu: 4, gpus: " SHARED_GPU(
         "sharing: mps") "}]\n"
                         "events:\n"
                         "  - {at: 1s, %1$s: {node: n}}\n"
                         "  - {at: 2s, %1$s: [{node: n, device: 0}]}\n"},
    {"collision", "memory-pressure",
     "nodes: [{name: n, cpu: 4, gpus: " SHARED_GPU(
         "sharing: mps") "}]\n"
                         "queues: [{name: q}]\n"
                         "jobs: [{name: \"j-[0-1]\", queue: q, tasks: {claim: {gpus: 1, share: 0.5}}}]\n"
                         "events:\n"
                         "  - {at: 1s, memory_pressure: {node: n, need: 1Gi},\n"
                         "     expect: {pause: {j-1: {reason: %1$s}, j-1/0: {reason: %1$s}}}}\n"},
    {"leaving", "releasing",
     "nodes: [{name: n, cpu: 4}]\n"
     "queues: [{name: q}]\n"
     "jobs: [{name: j, queue: q, tasks: {cpu: 1}}]\n"
     "running: [{task: j/0, node: n, since: 0, state: releasing, release: 1m}]\n"
     "expect: {tasks: {j/0: {state: releasing, %1$s: n}}, waiting: {j: %1$s}}\n"},
    {"waits", "waiting",
     "nodes: [{name: n, cpu: 4}]\n"
     "queues: [{name: q}]\n"
     "jobs: [{name: j, queue: q, tasks: {count: 2, cpu: 5}}]\n"
     "expect: {tasks: {j/0: %1$s, j/1: {state: %1$s}}}\n"},
    {"used_core", "non_preemptible_use", SHARES("%1$s: 0")},
    {"hold", "not_lent", SHARES("%1$s: 0")},
};
enum { EXAMPLES = sizeof examples / sizeof *examples };

static void write_text(char *to, size_t size, const char *text, const char *name) {
    size_t n = 0;
    for (const char *at; (at = strstr(text, "%1$s")) != NULL; text = at + 4)
        n += (size_t)snprintf(to + n, size - n, "%.*s%s", (int)(at - text), text, name);
    snprintf(to + n, size - n, "%s", text);
}

static lsched_scenario *parse(const char *text) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_scenario *s = NULL;
    if (lsched_scenario_parse(NULL, lsched_cstr(text), LSCHED_TEXT("x.yaml"), &s, &err) !=
        LSCHED_OK)
        fail_msg("%s\n%s", text, err.message);
    return s;
}

static void on_failure(void *user, const lsched_error *failure) {
    (void)user;
    print_error("%s\n", failure->message);
}

/* Plays the scenario and returns the hash of its plans. */
static uint64_t plans_of(lsched_scenario *s) {
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    lsched_scenario_run_opts run = {.size = sizeof run, .on_failure = on_failure};
    lsched_scenario_report report = {.size = sizeof report};
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *cluster = NULL;
    assert_int_equal(lsched_cluster_create(&opts, &cluster, &err), LSCHED_OK);
    if (lsched_scenario_run(s, cluster, &run, &report, &err) < 0) fail_msg("%s", err.message);
    assert_int_equal(report.failures, 0);
    assert_true(report.cycles > 0);
    lsched_cluster_destroy(cluster);
    return report.plans_hash;
}

static void each_pair_has_an_example(void **state) {
    (void)state;
    assert_int_equal(EXAMPLES, OLD_NAMES);
    for (size_t i = 0; i < OLD_NAMES; i++) {
        size_t k = 0;
        while (k < EXAMPLES && (strcmp(examples[k].old, old_names[i].old) != 0 ||
                                strcmp(examples[k].now, old_names[i].now) != 0))
            k++;
        if (k == EXAMPLES) fail_msg("no example of %s", old_names[i].now);
    }
}

static void old_and_new_give_the_same_plans(void **state) {
    char old[2048], now[2048], note[256];
    (void)state;
    for (size_t i = 0; i < EXAMPLES; i++) {
        write_text(old, sizeof old, examples[i].text, examples[i].old);
        write_text(now, sizeof now, examples[i].text, examples[i].now);
        lsched_scenario *a = parse(old), *b = parse(now);
        assert_null(lsched_scenario_notes_at(b, 0));
        assert_non_null(lsched_scenario_notes_at(a, 0));
        assert_null(
            lsched_scenario_notes_at(a, 1)); /* one note, although the spelling stands twice */
        const char *at = old, *first = strstr(examples[i].text, "%1$s");
        uint32_t line = 1, column = 1;
        for (; at < old + (first - examples[i].text); at++) {
            column = *at == '\n' ? 1 : column + 1;
            line += *at == '\n';
        }
        snprintf(note, sizeof note,
                 "x.yaml:%u:%u: \"%s\" is the old spelling of \"%s\"; write the new one", line,
                 column, examples[i].old, examples[i].now);
        assert_string_equal(lsched_scenario_notes_at(a, 0), note);
        assert_true(plans_of(a) == plans_of(b));
        lsched_scenario_destroy(a);
        lsched_scenario_destroy(b);
    }
}

/* Every key of old_names.c in one map with its new spelling. */
static void both_spellings_are_an_error(void **state) {
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"models: {}\nresource_parts: {}\n", "1:1: expected \"resource_parts\" once, got its old "
                                             "spelling \"models\" too"},
        {"nodes: [{name: n, gpus: {sharing: mig, share: mig}}]",
         "1:40: expected \"sharing\" once, got its old spelling \"share\" too"},
        {"nodes: [{name: n, gpus: {recut: true, repartition: true}}]",
         "1:26: expected \"repartition\" once, got its old spelling \"recut\" too"},
        {"nodes: [{name: n, gpus: {sm_count: 1, cores: 1}}]",
         "1:39: expected \"sm_count\" once, got its old spelling \"cores\" too"},
        {"jobs: [{name: a, tasks: {gpu_cores: 1, gpu_sm_count: 1}, queue: q}]",
         "1:26: expected \"gpu_sm_count\" once, got its old spelling \"gpu_cores\" too"},
        {"jobs: [{topology: {deal: fewest, assignment: fewest}}]",
         "1:20: expected \"assignment\" once, got its old spelling \"deal\" too"},
        {"jobs: [{topology: {slices: [], task_blocks: []}}]",
         "1:20: expected \"task_blocks\" once, got its old spelling \"slices\" too"},
        {"jobs: [{name: a, tasks: {spread: r, topology_spread: r}, queue: q}]",
         "1:26: expected \"topology_spread\" once, got its old spelling \"spread\" too"},
        {"events: [{memory_pressure: {node: n}, collision: {node: n}}]",
         "1:39: expected \"memory_pressure\" once, got its old spelling \"collision\" too"},
        {"expect: {tasks: {a: {leaving: n, releasing: n}}}",
         "1:22: expected \"releasing\" once, got its old spelling \"leaving\" too"},
        {"expect: {shares: {a: {gpu: {used_core: 1, non_preemptible_use: 1}}}}",
         "1:29: expected \"non_preemptible_use\" once, got its old spelling \"used_core\" too"},
        {"expect: {shares: {a: {gpu: {not_lent: 1, hold: 1}}}}",
         "1:42: expected \"not_lent\" once, got its old spelling \"hold\" too"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lsched_error err = LSCHED_ERROR_INIT;
        lsched_scenario *s = NULL;
        char want[256];
        snprintf(want, sizeof want, "x.yaml:%s; remove one of the two keys", cases[i].message);
        assert_int_equal(lsched_scenario_parse(NULL, lsched_cstr(cases[i].text),
                                               LSCHED_TEXT("x.yaml"), &s, &err),
                         LSCHED_E_EXISTS);
        assert_string_equal(err.message, want);
    }
}

/* Where the old spelling is a name of the user, or still a key, it means what it says. */
static void other_places_keep_the_word(void **state) {
    lsched_scenario *s = parse("nodes: [{name: collision, cpu: 4, labels: {share: a, slices: b}, "
                               "gpus: {count: 1, memory: 8Gi, sharing: fraction}}]\n"
                               "queues: [{name: hold}]\n"
                               "jobs: [{name: deal, queue: hold, labels: {spread: x}, "
                               "tasks: {claim: {gpus: 1, share: 0.5, order: spread}}}]\n"
                               "expect: {tasks: {deal/0: {share: 0.5}}, waiting: {}}\n");
    (void)state;
    assert_null(lsched_scenario_notes_at(s, 0));
    plans_of(s);
    lsched_scenario_destroy(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_pair_has_an_example),
        cmocka_unit_test(old_and_new_give_the_same_plans),
        cmocka_unit_test(both_spellings_are_an_error),
        cmocka_unit_test(other_places_keep_the_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
