/*
 * xz_input.h -- decompresses inputs in the xz format in memory.
 *
 * liblzma is optional: without it (LSCHED_WITH_LZMA unset), such a file is an error that says how
 * to decompress it. Files in other compressed formats are left as they are, and the reader of the
 * text reports an error.
 */
#ifndef LSCHED_CLI_XZ_INPUT_H
#define LSCHED_CLI_XZ_INPUT_H

#include "cli/input/input_file.h"

/* Replaces the text of a file in the xz format by its decompressed text, and leaves any other file
 * unchanged. Returns EXIT_OK, or EXIT_INPUT after it reported an error. */
int input_unxz(struct input_file *file);

#endif
