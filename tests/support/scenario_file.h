/*
 * scenario_file.h -- reads scenario files, and the files that they name, for the programs that play
 * them.
 */
#ifndef LSCHED_TESTS_SCENARIO_FILE_H
#define LSCHED_TESTS_SCENARIO_FILE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text {
    char *bytes; /* with a NUL behind them; freed by the caller */
    size_t len;
};

/* Returns 0 if the file cannot be read. */
static inline int scenario_file_read(const char *path, struct text *out) {
    FILE *file = fopen(path, "rb");
    long size = -1;
    out->bytes = NULL;
    if (!file) return 0;
    if (fseek(file, 0, SEEK_END) == 0) size = ftell(file);
    if (size >= 0 && fseek(file, 0, SEEK_SET) == 0) out->bytes = malloc((size_t)size + 1);
    out->len = out->bytes ? fread(out->bytes, 1, (size_t)size, file) : 0;
    fclose(file);
    if (!out->bytes || out->len != (size_t)size) return 0;
    out->bytes[out->len] = '\0';
    return 1;
}

/* Reads the file that a scenario names, which lies beside the scenario. Frees what *out has. */
static inline int scenario_file_beside(const char *scenario, const char *name, struct text *out) {
    char path[1024];
    const char *slash = strrchr(scenario, '/');
    int head = slash ? (int)(slash - scenario + 1) : 0;
    free(out->bytes);
    snprintf(path, sizeof path, "%.*s%s", head, scenario, name);
    return scenario_file_read(path, out);
}

#endif
