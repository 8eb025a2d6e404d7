/* forecast_slowdowns.c -- any bytes as progress for `lsched slowdowns`: slow-downs that a policy can
 * name, or an error with its line. The reader belongs to the program, so its sources are compiled
 * into this harness. */
#include "support/cli_csv_sources.h"
#include "cli/slowdowns/progress_rows.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = must_alloc(size + 1);
    memcpy(text, data, size);
    text[size] = 0;
    struct progress_rows rows = {.n = 0};
    lsched_error err = LSCHED_ERROR_INIT;
    int32_t rc = progress_rows_read(text, size, &rows, &err);
    if (rc != LSCHED_OK && err.line == 0) abort();
    size_t n = rows.kinds.n;
    if (rc == LSCHED_OK && n > 0) {
        progress_rows_sort_kinds(&rows);
        lsched_forecast_slowdown_opts opts = LSCHED_INIT(lsched_forecast_slowdown_opts);
        opts.n_kinds = (uint32_t)n;
        lsched_forecast_slowdown *table = must_alloc(n * n * sizeof table[0]);
        if (lsched_forecast_slowdowns_get(rows.samples, rows.n, &opts, table, NULL, NULL) !=
            LSCHED_OK)
            abort();
        for (size_t i = 0; i < n * n; i++)
            if (!(table[i].slowdown >= 1 && table[i].slowdown <= LSCHED_FORECAST_SLOWDOWN_MAX) ||
                (table[i].jobs == 0) != (table[i].flags == LSCHED_SLOWDOWN_UNKNOWN))
                abort();
        free(table);
    }
    progress_rows_free(&rows);
    free(text);
    return 0;
}
