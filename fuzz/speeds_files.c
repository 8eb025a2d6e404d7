/* speeds_files.c -- any bytes as the two files of `lsched speeds`, divided at the first NUL byte:
 * shares that are valid, or an error with its line. The reader belongs to the program, so its
 * sources are compiled into this harness. */
#include "support/cli_csv_sources.h"
#include "cli/speeds/speed_input.c"

#define SLACK     1e-6
#define JOBS_MOST 64 /* of which a run solves all policies */

/* What holds for every answer. */
static void must_be_valid(const struct speed_input *input, const double *shares,
                          const lsched_speeds_answer *answer) {
    double used[LSCHED_SPEEDS_MODELS_MAX] = {0};
    if (!(answer->least >= 1 - SLACK) && input->jobs.n > 0) abort();
    for (size_t i = 0; i < input->jobs.n; i++) {
        double time = 0;
        for (size_t m = 0; m < input->n_models; m++) {
            double share = shares[i * input->n_models + m];
            if (!(share >= 0)) abort();
            time += share;
            used[m] += share * input->list[i].devices;
        }
        if (time > 1 + SLACK) abort();
    }
    for (size_t m = 0; m < input->n_models; m++)
        if (used[m] > input->models[m].devices * (1 + SLACK)) abort();
}

static void solve(const struct speed_input *input) {
    size_t n = input->jobs.n;
    double *shares = must_alloc_zero((n + 1) * input->n_models * sizeof shares[0]);
    for (uint32_t policy = 0; policy < LSCHED_SPEEDS_POLICIES; policy++) {
        lsched_speeds_query query = LSCHED_INIT(lsched_speeds_query);
        lsched_speeds_answer answer = LSCHED_INIT(lsched_speeds_answer);
        lsched_error err = LSCHED_ERROR_INIT;
        query.policy = policy;
        query.models = input->models;
        query.n_models = input->n_models;
        query.speeds = input->speeds;
        query.n_rows = input->keys.n;
        query.jobs = input->list;
        query.n_jobs = n;
        query.work = 10000000;
        int32_t rc = lsched_speeds_solve(&query, shares, NULL, &answer, &err);
        if (rc == LSCHED_OK) must_be_valid(input, shares, &answer);
        if (rc != LSCHED_OK && err.message[0] == 0) abort();
    }
    free(shares);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = must_alloc(size + 2);
    struct speed_input input = {.n_models = 0};
    lsched_error err = LSCHED_ERROR_INIT;
    memcpy(text, data, size);
    text[size] = text[size + 1] = 0;
    size_t table = strlen(text), jobs = table < size ? size - table - 1 : 0;
    if (speed_models_read("v100=4,k80=8", &input) != EXIT_OK ||
        speed_prices_read("v100=3,k80=0.5", &input) != EXIT_OK)
        abort();
    int32_t rc = speed_table_read(text, table, &input, &err);
    if (rc == LSCHED_OK) rc = speed_jobs_read(text + table + 1, jobs, &input, &err);
    if (rc != LSCHED_OK && err.line == 0) abort();
    if (rc == LSCHED_OK && input.jobs.n <= JOBS_MOST) solve(&input);
    speed_input_free(&input);
    free(text);
    return 0;
}
