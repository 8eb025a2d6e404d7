/*
 * help.c -- see help.h. The output is always eighty columns wide and ignores the width of the
 * terminal, because users also read it through pipes and paste it into documents.
 */
#include "cli/commands/help.h"

#include <stdio.h>

#include "cli/support/text_table.h"

enum { WIDTH = 80 };

/* clang-format off */
const struct command *const commands[] = {
    &command_run, &command_explain, &command_simulate, &command_compare, &command_pack,
    &command_policies, &command_check, &command_test, &command_node, &command_editor,
    &command_metrics, &command_forecast, &command_speeds, &command_slowdowns, &command_advise,
    &command_slurm, NULL};
/* clang-format on */

static const char program_about[] =
    "Decides who runs where on a cluster of GPUs and CPUs: the program of libsched, the "
    "scheduling library. It reads descriptions of clusters and traces, and shows what would be "
    "decided and why. It runs nothing.";

static const char program_examples[] =
    "  lsched run examples/scenarios/research-and-product.yaml\n"
    "      what starts now, what waits, and why\n"
    "  lsched explain examples/scenarios/research-and-product.yaml llm\n"
    "      the same for one job, in depth\n"
    "  lsched policies\n"
    "      policies to use, or to copy for one of your own\n"
    "  lsched check mine.lua\n"
    "      is it right, and if not, where?\n";

static const char exit_codes[] =
    "  0  done\n"
    "  1  the input is fine, the outcome is not what was asked for\n"
    "  2  the command line is wrong\n"
    "  3  a file is missing, unreadable or wrong (file:line:column says where)\n"
    "  4  out of memory, cannot write, or a defect of lsched\n"
    "  130  interrupted\n";

void help_program(void) {
    struct text_table table;
    printf("usage: lsched COMMAND [ARGUMENTS] [OPTIONS]\n\n");
    print_wrapped(stdout, program_about, 0, 0, WIDTH);
    printf("\n\ncommands:\n");
    table_begin(&table, "ll");
    for (size_t i = 0; commands[i] != NULL; i++) {
        table_cell(&table, "%s %s", commands[i]->name, commands[i]->arguments);
        table_cell(&table, "%s", commands[i]->summary);
    }
    TABLE_WORDS(&table, "help [COMMAND]", "this text, or that of a command");
    TABLE_WORDS(&table, "version", "the version of the program and the library");
    table_print(&table, stdout, 2, WIDTH);
    printf("\nexamples:\n%s\nexit codes:\n%s", program_examples, exit_codes);
}

void help_command(const struct command *command) {
    struct text_table table;
    printf("usage: lsched %s %s%s[OPTIONS]\n\n", command->name, command->arguments,
           command->arguments[0] != '\0' ? " " : "");
    print_wrapped(stdout, command->about, 0, 0, WIDTH);
    printf("\n\noptions:\n");
    table_begin(&table, "ll");
    for (size_t i = 0; i < command->n_options; i++) {
        const struct option *option = &command->options[i];
        table_cell(&table, "--%s%s%s", option->name, option->value != NULL ? " " : "",
                   option->value != NULL ? option->value : "");
        table_cell(&table, "%s", option->help);
    }
    TABLE_WORDS(&table, "--help, -h", "this text");
    table_print(&table, stdout, 2, WIDTH);
    printf("\nexamples:\n%s\n\nexit codes:\n%s", command->examples, exit_codes);
}
