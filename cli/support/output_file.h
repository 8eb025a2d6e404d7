/*
 * output_file.h -- a file of results that is opened before long work begins, so that a path that
 * cannot be written is told at once, and whose old content stays until the results are there.
 *
 * What always holds: until output_file_begin(), the content of a file that was there before is as
 * it was; output_file_drop() removes a file that was not there before. The file stays open, instead
 * of being tried, closed and opened again, because the reader of a pipe would see the end of it.
 */
#ifndef LSCHED_CLI_OUTPUT_FILE_H
#define LSCHED_CLI_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

struct output_file {
    const char *path; /* not owned; NULL if there is nothing to write */
    FILE *stream;     /* NULL if the file is not open */
    bool is_new;      /* this run made the file */
    bool failed;      /* the old content could not be taken away */
};

/* Opens the file; does nothing if `path` is NULL. Returns an exit code, after a message if the file
 * cannot be written. */
int output_file_open(struct output_file *f, const char *path);
/* True if both are open and the same file. */
bool output_file_same(const struct output_file *one, const struct output_file *two);
/* True if both paths are one existing file, so that results would replace an input. */
bool output_file_is_input(const char *path, const char *input);
/* Takes away the old content. Returns the stream for the new one; NULL if the file is not open. */
FILE *output_file_begin(struct output_file *f);
/* Closes the file. Returns an exit code, after a message if something could not be written. */
int output_file_end(struct output_file *f);
/* Closes a file into which nothing was written; does nothing after output_file_end(). */
void output_file_drop(struct output_file *f);

#endif
