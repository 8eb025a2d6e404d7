/*
 * check_errors.h -- every error of a policy that can be told, not only the first.
 *
 * The library stops at the first. Where its message says what was probably meant, that is put in
 * the place of the wrong word, and the text is loaded again: so a file with five misspelt names is
 * not checked five times. Later messages have the places of the text as it was.
 */
#ifndef LSCHED_CLI_CHECK_ERRORS_H
#define LSCHED_CLI_CHECK_ERRORS_H

#include <libsched/libsched.h>

#include "cli/policy/policy_source.h"

enum { CHECK_ERRORS_MAX = 32 };

struct check_errors {
    lsched_error items[CHECK_ERRORS_MAX];
    size_t n;
};

/* Loads the policy; 0 errors: it is in force. Errors come out in the order of the text. */
void check_load(const struct policy_source *source, lsched_cluster *cluster,
                struct check_errors *out);

/* Of "name:line:column: what" or "name:line: what": the numbers (0: none) and what follows them. */
const char *error_place(const char *message, const char *name, uint32_t *line, uint32_t *column);

#endif
