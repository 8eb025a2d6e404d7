/*
 * conf_reader.h -- reads the lines of slurm.conf, gres.conf and topology.conf as records.
 *
 * A line is "Key=Value Key=Value ...", with '#' before a comment and '\' at the end of a line that
 * goes on. A value may be in double quotes. The line "include FILE" calls `include`.
 */
#ifndef LSCHED_CLI_CONF_READER_H
#define LSCHED_CLI_CONF_READER_H

#include "cli/slurm_records/record.h"

struct conf_calls {
    void *user;
    /* called for each line that has fields */
    record_fn line;
    /* called for "include FILE"; NULL: such lines are an error */
    int32_t (*include)(void *user, const char *name, uint32_t line, lsched_error *err);
    /* called for a piece of the text that has no meaning; the reading goes on */
    void (*odd)(void *user, uint32_t line, const char *what, const char *text, size_t len);
};

/* Reads a text. Returns 0 or a negative error code with the line in *err. */
int32_t conf_read(const char *text, size_t len, const struct conf_calls *calls, lsched_error *err);

#endif
