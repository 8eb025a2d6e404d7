/*
 * input_file.h -- reads a whole file into memory, and reports an error if it cannot be read.
 */
#ifndef LSCHED_CLI_INPUT_FILE_H
#define LSCHED_CLI_INPUT_FILE_H

#include <stddef.h>
#include <stdint.h>

struct input_file {
    /* path of the file, or "standard input", for messages; not owned by this struct */
    const char *name;
    /* owned by this struct; the path if input_read_or_beside() made it; otherwise NULL */
    char *own_name;
    char *text; /* owned by this struct; content of the file and a NUL byte behind it */
    size_t len;
};

/* Reads a file. The path "-" means standard input. Returns EXIT_OK, or reports an error and returns
 * EXIT_INPUT. */
int input_read(const char *path, struct input_file *out);
/* Does what input_read() does, except that a file of more than `mebibytes` MiB is an error. The
 * limit is for files that are never large; it stops the reading of an endless device early. */
int input_read_most(const char *path, size_t mebibytes, struct input_file *out);
/* Reads the file `name` in the directory of the file `beside`. The name can come from a file of
 * another person. Therefore the file must be a regular file in this directory or below it, its name
 * must end in `ending`, and `name` must not contain a slash. Error messages use `what` as the name
 * of what the file should contain. out->name is NULL after the call. */
int input_read_beside(const char *beside, const char *name, const char *ending, const char *what,
                      struct input_file *out);
void input_free(struct input_file *file);

/* Returns the FNV-1a hash of the content without a byte order mark. The hash can recognize a known
 * file, but another file with the same hash can be made on purpose. */
uint64_t input_fingerprint(const struct input_file *file);

#endif
