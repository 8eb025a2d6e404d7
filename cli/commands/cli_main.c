/*
 * cli_main.c -- the main function of the program lsched. It finds and runs the command, and
 * afterwards checks that all output was written.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/support/command.h"
#include "cli/commands/help.h"
#include "cli/support/options.h"
#include "cli/support/did_you_mean.h"
#include "cli/support/terminal.h"

static const char *command_word(const void *list, size_t i) {
    static const char *const others[] = {"help", "version"};
    const struct command *const *all = list;
    size_t n = 0;
    while (all[n] != NULL) n++;
    if (i < n) return all[i]->name;
    return i - n < sizeof others / sizeof others[0] ? others[i - n] : NULL;
}

static const struct command *find_command(const char *name) {
    for (size_t i = 0; commands[i] != NULL; i++) {
        if (strcmp(commands[i]->name, name) == 0) return commands[i];
    }
    return NULL;
}

static int unknown_command(const char *name) {
    return usage_error(NULL, "unknown command '%s'%s", name,
                       did_you_mean(suggest(name, command_word, commands)).text);
}

static int show_help(int argc, char **argv) {
    if (argc == 0) {
        help_program();
        return EXIT_OK;
    }
    const struct command *command = find_command(argv[0]);
    if (command == NULL && (strcmp(argv[0], "help") == 0 || strcmp(argv[0], "version") == 0)) {
        help_program();
        return EXIT_OK;
    }
    if (command == NULL) return unknown_command(argv[0]);
    help_command(command);
    return EXIT_OK;
}

static int run_command(const struct command *command, int argc, char **argv) {
    struct parsed words;
    void *args = must_alloc_zero(command->args_bytes);
    int rc = options_parse(command, argc, argv, args, &words);
    if (rc == EXIT_OK && words.help) help_command(command);
    if (rc == EXIT_OK && !words.help) rc = command->run(args, &words);
    free(args);
    return rc;
}

static int dispatch(int argc, char **argv) {
    if (argc < 2) {
        help_program();
        return EXIT_USAGE;
    }
    const char *word = argv[1];
    if (strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        return show_help(argc - 2, argv + 2);
    }
    if (strcmp(word, "version") == 0 || strcmp(word, "--version") == 0) {
        printf("lsched %s (libsched %s, semantics %u)\n", lsched_version(), lsched_version(),
               lsched_semantics());
        return EXIT_OK;
    }
    const struct command *command = find_command(word);
    return command != NULL ? run_command(command, argc - 2, argv + 2) : unknown_command(word);
}

int main(int argc, char **argv) {
    terminal_watch_interrupt();
    int rc = dispatch(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        if (errno != EPIPE) complain("cannot write the output: %s", strerror(errno));
        if (rc == EXIT_OK) rc = EXIT_INTERNAL;
    }
    return rc;
}
