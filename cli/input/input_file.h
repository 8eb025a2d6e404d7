/*
 * input_file.h -- a whole file in memory, or a complaint that says what is wrong with it.
 */
#ifndef LSCHED_CLI_INPUT_FILE_H
#define LSCHED_CLI_INPUT_FILE_H

#include <stddef.h>
#include <stdint.h>

struct input_file {
    const char *name; /* for messages: the path, or "standard input"; borrowed */
    char *text;       /* owned; a NUL follows the last byte */
    size_t len;
};

/* "-" reads standard input. Returns EXIT_OK, or EXIT_INPUT after a complaint. */
int input_read(const char *path, struct input_file *out);
/* The same with a bound in MiB, for what is never large: a device that never ends is given up
 * early. */
int input_read_most(const char *path, size_t mebibytes, struct input_file *out);
/* The file `name` in the directory of the file `beside`, which a stranger may have written: a
 * regular file there whose name ends in `ending`, and no way to another place. Complains that
 * `what` must be so. out->name is left NULL. */
int input_read_beside(const char *beside, const char *name, const char *ending, const char *what,
                      struct input_file *out);
void input_free(struct input_file *file);

/* FNV-1a over the bytes behind a byte order mark: tells known files from others. Not against an
 * adversary. */
uint64_t input_fingerprint(const struct input_file *file);

#endif
