/*
 * check_errors.h -- finds several errors of a policy file at once.
 *
 * The library stops at the first error. If the error message suggests a word for a misspelled one,
 * check_load() replaces the misspelled word in a copy of the text and loads the copy, which shows
 * the next error. Therefore one check can report all misspelled words. The line and the column of
 * every error are those of the original text.
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

/* Loads the policy into the cluster. If out->n is 0 after the call, the policy is in force. The
 * errors are in the order of their positions in the text. */
void check_load(const struct policy_source *source, lsched_cluster *cluster,
                struct check_errors *out);

/* Reads the line and the column from a message "name:line:column: text" or "name:line: text". A
 * number that the message does not have becomes 0. Returns the text after the numbers. */
const char *error_place(const char *message, const char *name, uint32_t *line, uint32_t *column);

#endif
