/*
 * xz_input.h -- decompresses input files in the xz format in memory.
 *
 * liblzma is optional. In a build without liblzma (LSCHED_WITH_LZMA is not defined), a file in the
 * xz format is an error, and the message says how to decompress the file. gzip_input.h does the
 * same for gzip. Files in other compressed formats are not decompressed; the code that reads the
 * content reports an error.
 */
#ifndef LSCHED_CLI_XZ_INPUT_H
#define LSCHED_CLI_XZ_INPUT_H

#include "cli/input/input_file.h"

/* Reads a file, and decompresses it if it has the xz or gzip format. Returns EXIT_OK, or reports an
 * error and returns EXIT_INPUT. */
int input_read_packed(const char *path, struct input_file *out);
/* Reads the file `given`, and decompresses it if it has the xz or gzip format. If `given` is NULL,
 * reads the file `name` in the directory of the file `beside` instead. */
int input_read_or_beside(const char *given, const char *beside, const char *name,
                         struct input_file *out);

#endif
