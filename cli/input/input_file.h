/*
 * input_file.h -- reads a whole file into memory, or reports what is wrong with it.
 */
#ifndef LSCHED_CLI_INPUT_FILE_H
#define LSCHED_CLI_INPUT_FILE_H

#include <stddef.h>
#include <stdint.h>

struct input_file {
    const char *name; /* name for messages: the path, or "standard input"; borrowed */
    char *text;       /* owned; a NUL follows the last byte */
    size_t len;
};

/* Reads a file; "-" is standard input. Returns EXIT_OK, or EXIT_INPUT after it reported an
 * error. */
int input_read(const char *path, struct input_file *out);
/* Does the same with a bound in MiB, for files that are never large. A device without an end is
 * then refused early. */
int input_read_most(const char *path, size_t mebibytes, struct input_file *out);
/* Reads the file `name` in the directory of the file `beside`. The name may come from another
 * person, therefore it must be a regular file in that directory whose name ends in `ending`,
 * without a path to another directory. An error says that `what` must be such a file. out->name is
 * left NULL. */
int input_read_beside(const char *beside, const char *name, const char *ending, const char *what,
                      struct input_file *out);
void input_free(struct input_file *file);

/* Returns the FNV-1a hash of the bytes behind a byte order mark. The hash recognizes known files,
 * but does not protect against forged ones. */
uint64_t input_fingerprint(const struct input_file *file);

#endif
