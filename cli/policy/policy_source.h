/*
 * policy_source.h -- opens the policy that the user names, for example with --policy. The word is
 * the name of a ready-made policy or the path of a Lua file.
 *
 * A word that has a slash or ends in ".lua" is the path of a file, and "-" means standard input.
 * Any other word is the name of a ready-made policy. Therefore the meaning of a word does not
 * depend on the files in the current directory.
 */
#ifndef LSCHED_CLI_POLICY_SOURCE_H
#define LSCHED_CLI_POLICY_SOURCE_H

#include <stdbool.h>

#include "cli/support/command.h"
#include "cli/input/input_file.h"

struct policy_source {
    const char *word; /* name or path of the policy as the user wrote it */
    bool is_file;
    struct input_file file;
    const char *text; /* text of a policy that is part of this program; else NULL */
    /* values for parameters of the policy, owned by the caller; NULL if the policy keeps the values
     * in its text */
    const lsched_param *params;
    uint32_t n_params;
};

/* Opens the policy that `word` names. Reports an error and returns EXIT_USAGE for an unknown name,
 * or EXIT_INPUT for a file that cannot be read; otherwise returns EXIT_OK. */
int policy_source_open(const char *command, const char *word, struct policy_source *out);
/* Returns whether policy_source_open() takes the word for a file, a scenario, or a ready-made
 * policy. */
bool policy_source_knows(const char *word);
/* Opens a policy whose text is part of this program. `word` and `text` must outlive *out. */
void policy_source_of_text(const char *word, const char *text, struct policy_source *out);
/* Opens the policy that each word names. `out` has one entry for each word. Returns an exit
 * code. */
int policy_sources_open(const char *command, const struct text_list *words,
                        struct policy_source *out);
/* Returns the name of the policy in error messages, which is the word or the path. If a path is
 * longer than the library allows for the name of a policy, returns only the end of the path. */
const char *policy_source_name(const struct policy_source *source);
int32_t policy_source_load(const struct policy_source *source, lsched_cluster *cluster,
                           lsched_error *err);
/* Reports an error of a run with the policy, and returns its exit code. If the error code or the
 * line shows that the policy has caused the error, the message names the policy. Otherwise the
 * message names `file`, or no file if `file` is NULL. */
int policy_source_error(const struct policy_source *source, const char *file,
                        const lsched_error *err);
void policy_source_close(struct policy_source *source);

#endif
