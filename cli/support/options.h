/*
 * options.h -- parses a command line into a command's argument struct with the command's option
 * table.
 */
#ifndef LSCHED_CLI_OPTIONS_H
#define LSCHED_CLI_OPTIONS_H

#include "cli/support/command.h"

struct parsed {
    char *positionals[POSITIONALS_MAX];
    size_t n_positionals;
    bool help; /* true if --help or -h was given; the other words are then not checked */
};

/* argv has the words after the command's name. Returns EXIT_OK, or EXIT_USAGE after it reported an
 * error. Values point into argv. */
int options_parse(const struct command *command, int argc, char **argv, void *args,
                  struct parsed *out);

/* value of a count that was not given, in commands that set this default */
#define NOT_GIVEN ((int64_t)-1)

/* true if the command's argument struct has a value for the option. */
bool option_is_given(const void *args, const struct option *option);

#endif
