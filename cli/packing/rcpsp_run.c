/*
 * rcpsp_run.c -- see rcpsp_run.h.
 */
#include "cli/packing/rcpsp_run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/packing/pack_report.h"
#include "cli/projects/project_check.h"
#include "cli/projects/project_solve.h"
#include "cli/projects/psplib_read.h"
#include "cli/support/json_writer.h"
#include "cli/support/number_text.h"
#include "cli/support/text_table.h"

struct study {
    struct pack_run *run;
    struct project *projects;       /* [run->n_files] */
    struct project_result *results; /* [run->n_files] */
};

bool rcpsp_is(const char *text, size_t len) {
    return psplib_read_is(text, len);
}

static void step(void *user, uint64_t done, uint64_t of) {
    struct pack_run *run = user;
    uint64_t part = done < of ? done * 1000 / of : 1000;
    progress_step(&run->progress, run->done * 1000 + part, run->label);
}

/* Reads all files before the first project is scheduled, to find errors early. */
static int read_projects(struct study *study) {
    const struct pack_run *run = study->run;
    for (size_t i = 0; i < run->n_files; i++) {
        lsched_error err = LSCHED_ERROR_INIT;
        const struct input_file *file = &run->files[i];
        if (psplib_read(file->text, file->len, &study->projects[i], &err) < 0)
            return library_error(file->name, &err);
    }
    return EXIT_OK;
}

static int solve(struct study *study, size_t i) {
    struct pack_run *run = study->run;
    struct project_result *result = &study->results[i];
    lsched_error err = LSCHED_ERROR_INIT;
    struct project_wish wish = {.work = run->wish.work,
                                .most_ns = run->wish.most_ns,
                                .seed = run->wish.seed,
                                .step = step,
                                .user = run};
    run->label = run->files[i].name;
    project_solve(&study->projects[i], &wish, result);
    run->done++;
    step(run, 0, 1);
    int32_t rc = project_check(&study->projects[i], result->start, result->makespan, &err);
    if (rc == 0) return EXIT_OK;
    progress_hide(&run->progress);
    return library_error(run->files[i].name, &err);
}

static bool is_proved(const struct project_result *result) {
    return result->lower_bound == result->makespan;
}

/* ---- JSON ---- */

static void print_json(const struct study *study, size_t i, struct json *json) {
    const struct project_result *result = &study->results[i];
    json_object(json, NULL, JSON_LINES);
    json_string(json, "file", study->run->files[i].name);
    json_string(json, "kind", "rcpsp");
    json_uint(json, "n_items", study->projects[i].n);
    json_int(json, "makespan", result->makespan);
    json_int(json, "lower_bound", result->lower_bound);
    if (result->makespan == 0) {
        json_fixed(json, "gap_percent", 0, 4);
    } else {
        json_fixed(json, "gap_percent", pack_report_gap(result->makespan, result->lower_bound), 4);
    }
    json_fixed(json, "seconds", (double)result->core_ns * 1e-9, 4);
    json_bool(json, "proved", is_proved(result));
    json_int(json, "path_bound", result->path_bound);
    json_int(json, "energy_bound", result->energy_bound);
    json_uint(json, "work", result->work);
    if (study->run->args->items) {
        json_array(json, "starts", JSON_LINE);
        for (uint32_t job = 0; job < study->projects[i].n; job++)
            json_int(json, NULL, result->start[job]);
        json_close(json);
    }
    json_close(json);
}

static void print_all_json(const struct study *study) {
    struct json json;
    json_begin(&json, stdout);
    bool alone = study->run->n_files == 1;
    if (!alone) json_array(&json, NULL, JSON_LINES);
    for (size_t i = 0; i < study->run->n_files; i++) print_json(study, i, &json);
    json_end(&json);
}

/* ---- text ---- */

static void print_jobs(const struct project *project, const struct project_result *result) {
    struct text_table table;
    table_begin(&table, "rrr");
    TABLE_WORDS(&table, "job", "start", "end");
    for (uint32_t i = 0; i < project->n; i++) {
        table_cell(&table, "%" PRIu32, i + 1);
        table_cell(&table, "%" PRId32, result->start[i]);
        table_cell(&table, "%" PRId32, result->start[i] + project->duration[i]);
    }
    printf("\n");
    table_print(&table, stdout, 0, 0);
}

static void print_one(const struct study *study) {
    const struct project *project = &study->projects[0];
    const struct project_result *result = &study->results[0];
    printf("%s: %" PRIu32 " job%s, %" PRIu32 " resource%s\n\n", study->run->files[0].name,
           project->n, plural(project->n), project->n_resources, plural(project->n_resources));
    printf("makespan %" PRId32, result->makespan);
    if (is_proved(result)) {
        printf("; no schedule is shorter\n");
    } else {
        printf("; no schedule is shorter than %" PRId32 ", so that this one is at most %.2f %% "
               "longer than the shortest\n",
               result->lower_bound, pack_report_gap(result->makespan, result->lower_bound));
    }
    printf("bounds: longest path %" PRId32 ", use of a resource %" PRId32 ", search %" PRId32 "\n",
           result->path_bound, result->energy_bound, result->lower_bound);
    if (study->run->args->items) print_jobs(project, result);
}

static void print_many(const struct study *study) {
    struct text_table table;
    uint64_t proved = 0;
    size_t n = study->run->n_files;
    double gaps = 0, seconds = 0;
    table_begin(&table, "lrrrrrl");
    TABLE_WORDS(&table, "project", "jobs", "makespan", "bound", "gap %", "s", "");
    for (size_t i = 0; i < n; i++) {
        const struct project_result *result = &study->results[i];
        double gap = is_proved(result) ? 0 : pack_report_gap(result->makespan, result->lower_bound);
        table_cell(&table, "%s", study->run->files[i].name);
        table_cell(&table, "%" PRIu32, study->projects[i].n);
        table_cell(&table, "%" PRId32, result->makespan);
        table_cell(&table, "%" PRId32, result->lower_bound);
        table_cell(&table, "%.2f", gap);
        table_cell(&table, "%.2f", (double)result->core_ns * 1e-9);
        table_cell(&table, "%s", is_proved(result) ? "proved" : "");
        gaps += gap, seconds += (double)result->core_ns * 1e-9, proved += is_proved(result);
    }
    table_cell(&table, "mean of %zu", n);
    for (int i = 0; i < 3; i++) table_cell(&table, "%s", "");
    table_cell(&table, "%.2f", gaps / (double)n);
    table_cell(&table, "%.2f", seconds / (double)n);
    table_cell(&table, "%" PRIu64 " proved", proved);
    table_print(&table, stdout, 0, 0);
}

int rcpsp_run(struct pack_run *run) {
    struct study study = {.run = run};
    study.projects = must_alloc_zero((run->n_files + 1) * sizeof study.projects[0]);
    study.results = must_alloc_zero((run->n_files + 1) * sizeof study.results[0]);
    int rc = read_projects(&study);
    run->of = run->n_files;
    progress_begin(&run->progress, run->args->progress, run->args->no_progress, 1000 * run->of);
    for (size_t i = 0; rc == EXIT_OK && i < run->n_files; i++) rc = solve(&study, i);
    progress_hide(&run->progress);
    if (rc == EXIT_OK && run->args->json) print_all_json(&study);
    if (rc == EXIT_OK && !run->args->json && run->n_files == 1) print_one(&study);
    if (rc == EXIT_OK && !run->args->json && run->n_files > 1) print_many(&study);
    for (size_t i = 0; i < run->n_files; i++) {
        project_free(&study.projects[i]);
        project_result_free(&study.results[i]);
    }
    free(study.projects);
    free(study.results);
    return rc;
}
