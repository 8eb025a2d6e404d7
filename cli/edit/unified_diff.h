/*
 * unified_diff.h -- writes changes of a text as a unified diff, which `patch -p0` and `git apply
 * -p0` take.
 *
 * The changes are known, so no lines are compared beyond those that a change touches. Three lines
 * around each change are its context. Lines keep their carriage returns, and a missing break at the
 * end of the text is said as diff says it.
 */
#ifndef LSCHED_CLI_UNIFIED_DIFF_H
#define LSCHED_CLI_UNIFIED_DIFF_H

#include <stdio.h>

#include "cli/edit/text_edits.h"

/* True if a patch can name a file so: no byte of the name is a control character. */
bool unified_diff_can_name(const char *name);
/* Writes the diff; nothing if no line changes. */
void unified_diff_write(FILE *out, const char *name, const struct yaml_text *text,
                        struct text_edits *edits);

#endif
