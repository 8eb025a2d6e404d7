/*
 * xz_input.h -- inputs that are compressed with xz, unpacked in memory.
 *
 * liblzma is optional: without it (LSCHED_WITH_LZMA unset) such a file is an error that says how to
 * unpack it. Formats that the program does not unpack are left to the reader of the text, which
 * complains about them.
 */
#ifndef LSCHED_CLI_XZ_INPUT_H
#define LSCHED_CLI_XZ_INPUT_H

#include "cli/input/input_file.h"

/* Replaces the text of a file in the xz format by what it unpacks to; leaves any other as it is.
 * Returns EXIT_OK, or EXIT_INPUT after a complaint. */
int input_unxz(struct input_file *file);

#endif
