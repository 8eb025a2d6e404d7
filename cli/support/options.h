/*
 * options.h -- from a command line to a command's argument struct, by its option table.
 */
#ifndef LSCHED_CLI_OPTIONS_H
#define LSCHED_CLI_OPTIONS_H

#include "cli/support/command.h"

struct parsed {
    char *positionals[POSITIONALS_MAX];
    size_t n_positionals;
    bool help; /* --help or -h was given; nothing else was checked */
};

/* argv holds what follows the command's name. Returns EXIT_OK, or EXIT_USAGE after a complaint.
 * Values point into argv. */
int options_parse(const struct command *command, int argc, char **argv, void *args,
                  struct parsed *out);

#define NOT_GIVEN ((int64_t)-1) /* what a count holds until it is given, in commands that ask */

/* Does a command's argument struct hold a value for the option. */
bool option_is_given(const void *args, const struct option *option);

#endif
