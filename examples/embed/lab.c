/* lab.c -- the end of docs/tutorial.md: a scenario and a policy from files, one cycle, its
 * decisions and a wait reason. */
#include <libsched/policies.h>
#include <libsched/scenario.h>
#include <stdio.h>

static size_t read_text(const char *path, char *text, size_t room) {
    FILE *file = fopen(path, "r");
    size_t len = file ? fread(text, 1, room, file) : 0;
    if (file) fclose(file);
    return len;
}

static void print_name(const lsched_cluster *cluster, const char *before, lsched_id id) {
    size_t len = 0;
    const char *name = lsched_name(cluster, id, &len);
    printf("%s%.*s", before, (int)len, name);
}

int main(void) {
    static char lab[4096], policy[4096], why[1024];
    size_t lab_len = read_text("examples/tutorial/lab.yaml", lab, sizeof lab);
    size_t policy_len = read_text("examples/tutorial/short-first.lua", policy, sizeof policy);
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_scenario *scenario = NULL;
    lsched_cluster *cluster = NULL;
    lsched_plan *plan = NULL;
    lsched_schedule_opts now = {.size = sizeof now, .now_us = INT64_C(1767600000000000)};
    int failed = lsched_scenario_parse(NULL, (lsched_text){lab, lab_len}, LSCHED_TEXT("lab.yaml"),
                                       &scenario, &err) < 0 ||
                 lsched_cluster_create(NULL, &cluster, &err) < 0 ||
                 lsched_scenario_apply(scenario, cluster, NULL, &err) < 0 ||
                 lsched_policy_load(cluster, LSCHED_TEXT("short-first"),
                                    (lsched_text){policy, policy_len}, NULL, &err) < 0 ||
                 lsched_schedule(cluster, &now, &plan, &err) < 0;
    if (failed) fprintf(stderr, "%s: %s\n", lsched_error_name(err.code), err.message);
    for (size_t i = 0; !failed && i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        print_name(cluster, "start ", d->job);
        print_name(cluster, " on ", d->node);
        puts("");
    }
    lsched_id job = failed ? 0 : lsched_find(cluster, LSCHED_KIND_JOB, LSCHED_TEXT("pretrain"));
    if (!failed) lsched_explain(cluster, job, why, sizeof why, NULL, &err);
    fputs(why, stdout);
    lsched_plan_destroy(plan);
    lsched_cluster_destroy(cluster);
    lsched_scenario_destroy(scenario);
    return failed;
}
