/*
 * help.h -- prints the output of --help, which is made from the tables of commands and options.
 */
#ifndef LSCHED_CLI_HELP_H
#define LSCHED_CLI_HELP_H

#include "cli/support/command.h"

extern const struct command *const commands[]; /* all commands; the array ends with NULL */

void help_program(void);
void help_command(const struct command *command);

#endif
