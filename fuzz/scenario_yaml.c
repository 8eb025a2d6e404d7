/*
 * scenario_yaml.c -- any bytes as a scenario: refused with a place in the text, or read and played
 * on a small cluster.
 *
 * Playing is part of it because a scenario reaches every call of the library. A state or plan that
 * the verifier rejects, and a call that fails and still changes something, are findings; scenarios
 * that only expect something else are not.
 */
#include <stdlib.h>
#include <string.h>

#include <libsched/scenario.h>

static void require(int condition) {
    if (!condition) abort();
}

static void on_failure(void *user, const lsched_error *failure) {
    (void)user;
    require(failure->message[0] != '\0');
    const char *text = strstr(failure->message, ": "); /* behind the place */
    require(text && strncmp(text, ": expected a failed call to change", 34) != 0);
}

static void play(lsched_scenario *scenario) {
    lsched_cluster_opts cluster_opts = LSCHED_CLUSTER_OPTS_INIT;
    lsched_scenario_run_opts opts = LSCHED_SCENARIO_RUN_OPTS_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *cluster = NULL;
    opts.flags = LSCHED_RUN_VERIFY;
    opts.on_failure = on_failure;
    require(lsched_scenario_cluster_opts(scenario, &cluster_opts) == LSCHED_OK);
    cluster_opts.memory_limit_bytes = 64u << 20;
    if (lsched_cluster_create(&cluster_opts, &cluster, &err) < 0) return;
    int32_t code = lsched_scenario_run(scenario, cluster, &opts, NULL, &err);
    require(code <= 0 && code == err.code);
    require(code != LSCHED_E_VERIFY && code != LSCHED_E_CORRUPT);
    require(lsched_verify(cluster, NULL, &err) == LSCHED_OK);
    lsched_cluster_destroy(cluster);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lsched_scenario_opts opts = LSCHED_SCENARIO_OPTS_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_scenario *scenario = NULL;
    opts.text_bytes_max = 1u << 16;
    opts.values_max = 20000;
    opts.elements_max = 2000;
    opts.memory_limit_bytes = 64u << 20;
    int32_t code = lsched_scenario_parse(&opts, (lsched_text){(const char *)data, size},
                                         LSCHED_TEXT("x.yaml"), &scenario, &err);
    require(code <= 0 && code == err.code && (code == 0) == (scenario != NULL));
    require(code == 0 || strncmp(err.message, "x.yaml:", 7) == 0);
    if (scenario) play(scenario);
    lsched_scenario_destroy(scenario);
    return 0;
}
