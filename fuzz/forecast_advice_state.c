/* forecast_advice_state.c -- any bytes as the state of `lsched advise`: a state that is written as it
 * was read, if it is of this version, or an error with its line. A second reading gets the last line
 * that belongs to the bytes before it, because no mutation finds a checksum. The reader belongs to
 * the program, so its sources are compiled into this harness. */
#define _POSIX_C_SOURCE 200809L /* as advice_state.c, which is not the first to include headers */

#include "cli/support/cli_errors.c"
#include "cli/support/did_you_mean.c"
#include "cli/support/name_table.c"
#include "cli/sizing/advice_state.c"

static const char scenario[] = "cluster.yaml";

static void read_state(const char *text, size_t len) {
    struct advice_state state;
    lsched_error err = LSCHED_ERROR_INIT;
    int32_t rc = advice_state_read(text, len, scenario, &state, &err);
    if (rc != LSCHED_OK && err.line == 0) abort();
    if (rc == LSCHED_OK && memcmp(text, STATE_FORMAT, strlen(STATE_FORMAT)) == 0) {
        size_t n = 0;
        char *again = advice_state_text(&state, scenario, &n);
        if (n != len || memcmp(again, text, len) != 0) abort();
        free(again);
    }
    advice_state_free(&state);
}

/* Adds the last line for the number of lines that begin as those of jobs do. */
static size_t end_state(char *text, size_t len, size_t capacity) {
    size_t jobs = 0;
    for (size_t i = 0; i + 4 <= len; i++)
        if ((i == 0 || text[i - 1] == '\n') && memcmp(text + i, "job,", 4) == 0) jobs++;
    return len + (size_t)snprintf(text + len, capacity - len, "end,%zu,%016" PRIx64 "\n", jobs,
                                  text_hash(text, len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    enum { END_BYTES = 64 };
    char *text = must_alloc(size + END_BYTES);
    memcpy(text, data, size);
    text[size] = '\0';
    read_state(text, size);
    read_state(text, end_state(text, size, size + END_BYTES));
    free(text);
    return 0;
}
