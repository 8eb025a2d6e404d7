/*
 * site_names.h -- writes names of Slurm as names of a scenario, so that two names stay two names.
 */
#ifndef LSCHED_CLI_SITE_NAMES_H
#define LSCHED_CLI_SITE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { SITE_NAME_BYTES = 256 }; /* of a name with its end */

void site_name_put_quoted(FILE *out, const char *text, size_t len);
/* Makes a name, or the key of a label, of `before` and the text; returns its length. A scenario
 * would take brackets for a range, and YAML has no control characters: their bytes become "%5B" and
 * the like, and so does '%'. The end of a name that is too long becomes '~' and a number of the
 * whole name. */
size_t site_name_clean(const char *before, const char *text, size_t len, char out[SITE_NAME_BYTES]);
/* Writes the clean name in quotes. */
void site_name_put(FILE *out, const char *before, const char *text, size_t len);
void site_name_put_text(FILE *out, const char *text);
/* Returns true if an earlier word of the list becomes the same name. Words are separated by one of
 * the characters of `stops`. */
bool site_name_stands_before(const char *list, const char *word, size_t len, const char *stops);

#endif
