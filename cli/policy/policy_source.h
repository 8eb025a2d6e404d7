/*
 * policy_source.h -- what --policy names: a ready-made policy, or a Lua file.
 *
 * A word with a slash or with the ending ".lua" is a file, every other one a ready-made policy:
 * so what a word means does not depend on what lies in the current directory.
 */
#ifndef LSCHED_CLI_POLICY_SOURCE_H
#define LSCHED_CLI_POLICY_SOURCE_H

#include <stdbool.h>

#include "cli/support/command.h"
#include "cli/input/input_file.h"

struct policy_source {
    const char *word; /* as given */
    bool is_file;
    struct input_file file;
    const lsched_param *params; /* borrowed; NULL: those of the policy's own text */
    uint32_t n_params;
};

/* Returns EXIT_OK, EXIT_USAGE for an unknown name, EXIT_INPUT for an unreadable file; complains
 * itself. */
int policy_source_open(const struct command *command, const char *word, struct policy_source *out);
/* What errors call it: the word, or the path; of a long path its end, as far as a policy's name
 * goes. */
const char *policy_source_name(const struct policy_source *source);
int32_t policy_source_load(const struct policy_source *source, lsched_cluster *cluster,
                           lsched_error *err);
void policy_source_close(struct policy_source *source);

#endif
