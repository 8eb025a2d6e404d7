/*
 * kinds_asked.c -- a kind of decision that the orchestrator does not ask for never stands in a plan.
 *
 *   kinds_asked FILE.yaml ...
 *
 * Plays each scenario. Before each cycle, clones of the cluster make the same cycle for other sets of
 * kinds: PLACE alone, PLACE with one kind, and all kinds but one. No clone may decide what it was not
 * asked for, and the verifier must accept each plan. Together, the scenarios must give a decision of
 * each kind and for each reason, so that every action that stops work is tested; what a cycle does
 * for all kinds and not for a smaller set is counted by reason.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libsched/scenario.h>

#include "support/scenario_file.h"

enum { KINDS = 32, REASONS = 32, SETS_MAX = 2 * KINDS + 1 };

static struct {
    const char *file;
    struct text named;
    uint32_t sets[SETS_MAX], n_sets;
    uint64_t kinds[KINDS], reasons[REASONS], left_out[REASONS], cycles;
    int failures;
} t;

static int32_t on_read_file(void *user, const char *name, const char **text, size_t *len) {
    (void)user;
    if (!scenario_file_beside(t.file, name, &t.named)) return LSCHED_E_NOENT;
    *text = t.named.bytes, *len = t.named.len;
    return 0;
}

static void make_sets(void) {
    const uint32_t all = LSCHED_DECISION_KINDS_DEFAULT, place = 1u << LSCHED_DECIDE_PLACE;
    t.sets[t.n_sets++] = place;
    for (uint32_t bit = 1; bit && bit <= all; bit <<= 1) {
        if (!(all & bit) || bit == place) continue;
        t.sets[t.n_sets++] = place | bit;
        t.sets[t.n_sets++] = all & ~bit;
    }
}

/* Runs the cycle on a clone. seen: counts the reasons of its decisions that stop a task. */
static void cycle_for(const lsched_cluster *cluster, const lsched_schedule_opts *schedule,
                      uint32_t kinds, uint64_t *seen) {
    lsched_schedule_opts opts = *schedule;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *clone = NULL;
    lsched_plan *plan = NULL;
    opts.decision_kinds = kinds;
    opts.flags |= LSCHED_SCHEDULE_VERIFY;
    int32_t code = lsched_cluster_clone(cluster, &clone, &err);
    if (code >= 0) code = lsched_schedule(clone, &opts, &plan, &err);
    if (code < 0 && code != LSCHED_E_TIME) { /* the scenario asks for a cycle in the past */
        fprintf(stderr, "%s: kinds %#" PRIx32 ": %s\n", t.file, kinds, err.message);
        t.failures++;
    }
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        if (d->reason < REASONS) seen[d->reason]++;
        if (kinds == LSCHED_DECISION_KINDS_DEFAULT && d->kind < KINDS) t.kinds[d->kind]++;
        if (kinds >> d->kind & 1) continue;
        fprintf(stderr, "%s: kinds %#" PRIx32 ": the plan has a decision of kind %s\n", t.file,
                kinds, lsched_decision_kind_name(d->kind));
        t.failures++;
    }
    lsched_plan_destroy(plan);
    lsched_cluster_destroy(clone);
}

static int32_t before_cycle(void *user, const lsched_cluster *cluster,
                            const lsched_schedule_opts *schedule) {
    uint64_t full[REASONS] = {0};
    (void)user;
    cycle_for(cluster, schedule, LSCHED_DECISION_KINDS_DEFAULT, full);
    for (uint32_t i = 0; i < t.n_sets; i++) {
        uint64_t some[REASONS] = {0};
        cycle_for(cluster, schedule, t.sets[i], some);
        for (int r = 0; r < REASONS; r++) t.left_out[r] += full[r] && !some[r];
    }
    for (int r = 0; r < REASONS; r++) t.reasons[r] += full[r];
    t.cycles++;
    return 0;
}

static void play(const char *file) {
    struct text text = {NULL, 0};
    lsched_scenario *scenario = NULL;
    lsched_cluster *cluster = NULL;
    lsched_cluster_opts cluster_opts = LSCHED_CLUSTER_OPTS_INIT;
    lsched_scenario_run_opts opts = LSCHED_SCENARIO_RUN_OPTS_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    int32_t code = LSCHED_E_NOENT;
    t.file = file;
    opts.before_cycle = before_cycle;
    opts.read_file = on_read_file;
    int read = scenario_file_read(file, &text);
    if (read && strstr(text.bytes, "# error:")) {
        free(text.bytes);
        return;
    }
    if (read)
        code = lsched_scenario_parse(NULL, (lsched_text){text.bytes, text.len},
                                     LSCHED_TEXT("scenario"), &scenario, &err);
    if (code >= 0) code = lsched_scenario_cluster_opts(scenario, &cluster_opts);
    if (code >= 0) code = lsched_cluster_create(&cluster_opts, &cluster, &err);
    if (code >= 0) code = lsched_scenario_run(scenario, cluster, &opts, NULL, &err);
    if (code < 0) {
        fprintf(stderr, "%s: %s\n", file, err.message);
        t.failures++;
    }
    lsched_cluster_destroy(cluster);
    lsched_scenario_destroy(scenario);
    free(text.bytes);
}

/* Every kind and every reason must have been seen, and each reason must have been left out. */
static void check_seen(void) {
    static const uint32_t kinds[] = {
#define LSCHED_X_DECISION(name, value, word) value,
#include <libsched/codes.def>
    };
    static const uint32_t reasons[] = {
#define LSCHED_X_FOR(name, value, word) value,
#include <libsched/codes.def>
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!((uint32_t)LSCHED_DECISION_KINDS_DEFAULT >> kinds[i] & 1)) continue;
        printf("%10" PRIu64 " decisions %s\n", t.kinds[kinds[i]],
               lsched_decision_kind_name(kinds[i]));
        t.failures += t.kinds[kinds[i]] == 0;
    }
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        /* nothing stops because a node leaves: only warnings have this reason */
        if (reasons[i] == LSCHED_FOR_NONE || reasons[i] == LSCHED_FOR_ABSENCE) continue;
        printf("%10" PRIu64 " for %s, left out %" PRIu64 " times\n", t.reasons[reasons[i]],
               lsched_reason_name(reasons[i]), t.left_out[reasons[i]]);
        t.failures += t.reasons[reasons[i]] == 0 || t.left_out[reasons[i]] == 0;
    }
}

int main(int argc, char **argv) {
    make_sets();
    for (int i = 1; i < argc; i++) play(argv[i]);
    printf("%d scenarios, %" PRIu64 " cycles, each for %u other sets of kinds\n", argc - 1,
           t.cycles, t.n_sets);
    check_seen();
    free(t.named.bytes);
    printf("%d failures\n", t.failures);
    return t.failures != 0;
}
