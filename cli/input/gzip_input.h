/*
 * gzip_input.h -- decompresses input files in the gzip format in memory, with zlib. A file can
 * consist of several members one after another.
 *
 * zlib is optional. In a build without zlib (LSCHED_WITH_ZLIB is not defined), a file in the gzip
 * format is an error, and the message says how to decompress the file.
 */
#ifndef LSCHED_CLI_GZIP_INPUT_H
#define LSCHED_CLI_GZIP_INPUT_H

#include "cli/input/input_file.h"

/* Replaces the content of a file in the gzip format by the decompressed content. Does not change
 * any other file. Returns EXIT_OK, or reports an error and returns EXIT_INPUT. */
int input_gunzip(struct input_file *file);

#endif
