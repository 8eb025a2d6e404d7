/*
 * options.h -- parses a command line with a command's option table, and fills the command's
 * argument struct.
 *
 * What always holds after options_parse(): an option that is neither a flag nor a list is given at
 * most once, and no file that the command line names for results is a file that it names for
 * reading, also not through a link. For files that the command line does not name, such as one
 * beside an input, a command calls options_spare() before it writes.
 */
#ifndef LSCHED_CLI_OPTIONS_H
#define LSCHED_CLI_OPTIONS_H

#include "cli/support/command.h"

/* Parses the words after the command's name, which are in argv. Before the call, all bytes of *args
 * must be 0. Texts in *args point into argv. Returns EXIT_OK, or reports an error and returns
 * EXIT_USAGE. */
int options_parse(const struct command *command, int argc, char **argv, void *args,
                  struct parsed *out);

/* Reports an error and returns EXIT_USAGE if an output option of the command names the file
 * `input`, which the command reads although no word of the command line names it. */
int options_spare(const struct command *command, const void *args, const char *input);

/* Checks that every given option can be used with this kind of input. Otherwise reports an error
 * such as "--gpus is not for openb", and returns EXIT_USAGE. `kind` is the index of the bit in
 * struct option.kinds, and `input` is the name of the kind. */
int options_check_kind(const struct command *command, const struct parsed *words, uint32_t kind,
                       const char *input);

/* Writes the index of `word` in the list to *out. The list ends with NULL. If `word` is NULL, *out
 * does not change. If the list does not have the word, reports an error such as "--method: expected
 * auto, seed or dp, got ...", and returns EXIT_USAGE. */
int options_choose(const char *command, const char *option, const char *word,
                   const char *const *list, size_t *out);

#endif
