/*
 * policy_source.h -- opens the policy that --policy names: a ready-made policy, or a Lua file.
 *
 * A word with a slash or with the ending ".lua" is a file; every other word is a ready-made
 * policy. Therefore the meaning of a word does not depend on the files in the current directory.
 */
#ifndef LSCHED_CLI_POLICY_SOURCE_H
#define LSCHED_CLI_POLICY_SOURCE_H

#include <stdbool.h>

#include "cli/support/command.h"
#include "cli/input/input_file.h"

struct policy_source {
    const char *word; /* as the user wrote it */
    bool is_file;
    struct input_file file;
    const lsched_param *params; /* borrowed; NULL: the parameters in the policy's own text */
    uint32_t n_params;
};

/* Returns EXIT_OK, EXIT_USAGE for an unknown name, or EXIT_INPUT for an unreadable file, after it
 * reported the error. */
int policy_source_open(const struct command *command, const char *word, struct policy_source *out);
/* Returns the policy's name in errors: the word, or the path. If the path is longer than a
 * policy's name may be, the function returns its last part. */
const char *policy_source_name(const struct policy_source *source);
int32_t policy_source_load(const struct policy_source *source, lsched_cluster *cluster,
                           lsched_error *err);
void policy_source_close(struct policy_source *source);

#endif
