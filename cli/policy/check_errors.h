/*
 * check_errors.h -- finds several errors of a policy instead of only the first.
 *
 * The library stops at the first error. If its message suggests another word, that word replaces
 * the wrong one, and the text is loaded again. Therefore a file with five misspelled names does
 * not need five checks. All messages have the places of the original text.
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

/* Loads the policy. No errors means that the policy is in force. The errors are in the order of
 * the text. */
void check_load(const struct policy_source *source, lsched_cluster *cluster,
                struct check_errors *out);

/* Reads the numbers of "name:line:column: what" or "name:line: what" (0: none), and returns the
 * text after them. */
const char *error_place(const char *message, const char *name, uint32_t *line, uint32_t *column);

#endif
