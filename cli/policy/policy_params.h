/*
 * policy_params.h -- reads the parameters of policies from the command line, for example from
 * --param NAME=VALUE. The library checks that the policy has such a parameter when it loads the
 * policy.
 */
#ifndef LSCHED_CLI_POLICY_PARAMS_H
#define LSCHED_CLI_POLICY_PARAMS_H

#include "cli/policy/policy_source.h"
#include "cli/support/command.h"

/* Reads a list of words NAME=VALUE. A value becomes a number if it has the form of a number,
 * otherwise a text. Sets *out to an array with one entry for each word, which refers to the words;
 * the caller frees it with free(). option: the name of the option in messages. Returns an exit
 * code. */
int policy_params_read(const char *command, const char *option, const struct text_list *words,
                       lsched_param **out);
/* The same for `n` policies, each of which gets all parameters. */
int policy_params_for_all(const char *command, const struct text_list *words,
                          struct policy_source *policies, size_t n, lsched_param **out);
/* Gives the parameters to the policy, which refers to them from then on. */
void policy_params_give(struct policy_source *policy, const lsched_param *params, size_t n);

#endif
