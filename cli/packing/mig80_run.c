/*
 * mig80_run.c -- runs `lsched pack` on lists of MIG jobs with the three arms of mig80_arms.h and
 * with the planner.
 *
 * The planner starts from the plan of arm C, therefore the planner's plan is never worse than that
 * of arm C. Each job gets the smallest profile that is enough for it. The jobs have no priorities,
 * and the planner can start them in any order, because all jobs wait from time 0.
 */
#include "cli/packing/mig80_run.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cli/packing/mig80_report.h"
#include "cli/input/row_scan.h"

/* a price of 1 per microsecond, written as millionths per hour */
#define MICRO_PER_US_HOUR ((int64_t)3600 * MILLION)

static void make_problem(const struct mig_study *study, const struct mig_seed *seed,
                         struct pack_input *out) {
    pack_input_begin(out, (uint32_t)seed->n, 0, 0, study->gpus);
    out->class.open_price_micro = 0;
    out->class.mig_table = study->list.profiles.table;
    out->problem.makespan_price_micro_per_hour = MICRO_PER_US_HOUR;
    for (uint32_t i = 0; i < seed->n; i++) {
        const struct mig_job *job = &study->list.jobs[seed->first + i];
        out->items[i].name = job->name;
        out->items[i].flags = 0;
        out->configs[i].duration_us = job->duration_us;
        out->configs[i].mig_profile = study->list.profiles.items[job->needs].name;
        out->origins[i] = (struct pack_origin){job->line, 1};
    }
}

static void take_places(const struct pack_result *result, const struct mig_spot *needed,
                        struct mig_spot *spots) {
    for (size_t i = 0; i < result->n_places; i++) {
        const lsched_pack_place *place = &result->places[i];
        spots[i] = needed[i];
        spots[i].gpu = place->bin;
        spots[i].slice = place->slice;
        spots[i].start_us = place->start_us;
        spots[i].end_us = place->end_us;
    }
}

static void places_of(const struct mig_spot *spots, size_t n, lsched_pack_place *places) {
    for (size_t i = 0; i < n; i++)
        places[i] = (lsched_pack_place){.item = (uint32_t)i,
                                        .bin = spots[i].gpu,
                                        .start_us = spots[i].start_us,
                                        .end_us = spots[i].end_us,
                                        .slice = spots[i].slice};
}

static int plan_seed(struct pack_run *run, struct mig_study *study, size_t at) {
    const struct mig_seed *seed = &study->list.seeds[at];
    struct mig_outcome *out = &study->outcomes[at];
    struct pack_input input;
    struct pack_result result = {.places = NULL};
    struct pack_wish wish = run->wish;
    char label[64];
    lsched_pack_place *start = must_alloc(seed->n * sizeof start[0]);
    snprintf(label, sizeof label, "seed %" PRId64, seed->seed);
    places_of(out->spots[ARM_NEEDED], seed->n, start);
    wish.start = start;
    wish.n_start = seed->n;
    run->label = label;
    make_problem(study, seed, &input);
    int rc = pack_run_solve(run, run->files[0].name, &input.problem, input.origins, &wish, &result);
    if (rc == EXIT_OK) {
        take_places(&result, out->spots[ARM_NEEDED], out->spots[ARM_PLANNER]);
        out->end_us[ARM_PLANNER] = result.info.end_us;
        out->core_ns = result.core_ns;
        out->cut_off = result.cut_off && result.info.proved == 0;
        if (result.info.lower_bound_end_us > out->bound_us)
            out->bound_us = result.info.lower_bound_end_us;
    }
    pack_result_free(&result);
    pack_input_free(&input);
    free(start);
    return rc;
}

static void run_arms(struct mig_study *study, size_t at) {
    const struct mig_seed *seed = &study->list.seeds[at];
    struct mig_outcome *out = &study->outcomes[at];
    for (enum mig_arm arm = ARM_WHOLE; arm < ARMS; arm++)
        out->spots[arm] = must_alloc(seed->n * sizeof out->spots[arm][0]);
    for (enum mig_arm arm = ARM_WHOLE; arm < ARM_PLANNER; arm++)
        out->end_us[arm] = mig_arm_run(&study->list, seed, study->gpus, arm, out->spots[arm]);
    out->area_us = mig_area_bound(&study->list, seed, study->gpus);
    out->bound_us = out->area_us;
    out->needed_area = mig_needed_area(&study->list, seed);
}

static int unknown_table(const char *word) {
    char names[256] = "";
    for (size_t i = 0, len = 0; i < lsched_mig_tables_size() && len < sizeof names; i++)
        len += (size_t)snprintf(names + len, sizeof names - len, "%s%s", i > 0 ? ", " : "",
                                lsched_mig_tables_at(i));
    return usage_error("pack", "--mig-table: expected one of %s, got '%s'", names, word);
}

static int read_list(struct pack_run *run, struct mig_study *study) {
    const struct pack_args *args = run->args;
    lsched_error err = LSCHED_ERROR_INIT;
    const char *table = args->mig_table != NULL ? args->mig_table : "h100-80gb";
    if (!mig_profiles_of(table, &study->list.profiles)) return unknown_table(table);
    if (mig_list_read(run->files[0].text, run->files[0].len, &study->list, &err) < 0)
        return library_error(run->files[0].name, &err);
    if ((uint64_t)args->seeds < study->list.n_seeds) study->list.n_seeds = (size_t)args->seeds;
    const struct mig_seed *last = &study->list.seeds[study->list.n_seeds - 1];
    study->list.n_jobs = last->first + last->n;
    return mig_choose_timeline(study, args->timeline);
}

static void free_study(struct mig_study *study) {
    for (size_t i = 0; i < study->n_outcomes; i++)
        for (enum mig_arm arm = ARM_WHOLE; arm < ARMS; arm++) free(study->outcomes[i].spots[arm]);
    free(study->outcomes);
    mig_list_free(&study->list);
}

int mig80_run(struct pack_run *run) {
    struct mig_study study = {.run = run, .gpus = (uint32_t)run->args->gpus};
    int rc = read_list(run, &study);
    size_t n = rc == EXIT_OK ? study.list.n_seeds : 0;
    study.n_outcomes = n;
    study.outcomes = must_alloc_zero(n * sizeof study.outcomes[0]);
    run->of = n;
    progress_begin(&run->progress, run->args->progress, run->args->no_progress, 1000 * n);
    for (size_t i = 0; rc == EXIT_OK && i < n; i++) {
        run_arms(&study, i);
        rc = plan_seed(run, &study, i);
    }
    progress_hide(&run->progress);
    if (rc == EXIT_OK) rc = mig_draw_svg(&study);
    if (rc == EXIT_OK && run->args->json) mig_print_json(&study);
    if (rc == EXIT_OK && !run->args->json) mig_print(&study);
    free_study(&study);
    return rc;
}
