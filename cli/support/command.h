/*
 * command.h -- the description of a command of the program lsched.
 *
 * A command is one constant struct. It has the texts for the help, the table of options, and the
 * function that runs the command. Each option names the member of the argument struct that gets its
 * value. The help is made from the table that the parser uses, therefore the help lists all
 * options.
 *
 * The program uses the library as any orchestrator does, that is, through the public headers only.
 * The library itself never uses files, clocks or terminals.
 */
#ifndef LSCHED_CLI_COMMAND_H
#define LSCHED_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/support/cli_errors.h"

enum option_type {
    OPTION_FLAG, /* the member is a bool, which the option sets to true */
    OPTION_TEXT, /* the member is a const char * */
    OPTION_LIST, /* the member is a struct text_list; the option can be given several times */
    OPTION_COUNT /* the member is an int64_t */
};

/* What the value of an option is to the files of a run. */
enum option_file {
    FILE_NONE,    /* the value is no file */
    FILE_READ,    /* the command reads the file */
    FILE_WRITTEN, /* the command writes the file; "-" is a usage error */
    FILE_PRINTED  /* the command writes the file, and "-" means standard output */
};

struct option {
    const char *name;  /* name of the option without the dashes */
    const char *value; /* placeholder for the value in the help; NULL for flags */
    const char *help;
    size_t offset; /* offset of the member in the argument struct, in bytes */
    enum option_type type;
    /* mask of the kinds of input for which the option can be given; ALL means every kind */
    uint32_t kinds;
    enum option_file file;
    /* for OPTION_COUNT only */
    int64_t preset, /* value of the member if the option is not given */
        least,      /* smallest value that the user can give */
        most;       /* largest value that the user can give */
};

enum { OPTION_LIST_MAX = 16, POSITIONALS_MAX = 1024, ALL = 0 };
/* preset of a count if the default depends on other options or on the input */
#define NOT_GIVEN ((int64_t)-1)

/* These macros write the rows of an option table. The source file defines ARGS as the argument
 * struct of the command. */
#define FLAG(kind_bits, word, field, text) \
    OPTION_ROW(kind_bits, word, NULL, field, OPTION_FLAG, text, .preset = 0)
#define TEXT(kind_bits, word, placeholder, field, text) \
    OPTION_ROW(kind_bits, word, placeholder, field, OPTION_TEXT, text, .preset = 0)
#define LIST(kind_bits, word, placeholder, field, text) \
    OPTION_ROW(kind_bits, word, placeholder, field, OPTION_LIST, text, .preset = 0)
/* a file that the command reads, several of them, and a file that it writes; PRINTED can be "-" */
#define INPUT(kind_bits, word, placeholder, field, text) \
    OPTION_ROW(kind_bits, word, placeholder, field, OPTION_TEXT, text, .file = FILE_READ)
#define INPUTS(kind_bits, word, placeholder, field, text) \
    OPTION_ROW(kind_bits, word, placeholder, field, OPTION_LIST, text, .file = FILE_READ)
#define OUTPUT(kind_bits, word, placeholder, field, text) \
    OPTION_ROW(kind_bits, word, placeholder, field, OPTION_TEXT, text, .file = FILE_WRITTEN)
#define PRINTED(kind_bits, word, placeholder, field, text) \
    OPTION_ROW(kind_bits, word, placeholder, field, OPTION_TEXT, text, .file = FILE_PRINTED)
#define COUNT(kind_bits, word, placeholder, field, default_value, min, max, text)                  \
    OPTION_ROW(kind_bits, word, placeholder, field, OPTION_COUNT, text, .preset = (default_value), \
               .least = (min), .most = (max))
#define OPTION_ROW(kind_bits, word, placeholder, field, of_type, text, ...)                      \
    {                                                                                            \
        .name = (word), .value = (placeholder), .help = (text), .offset = offsetof(ARGS, field), \
        .type = (of_type), .kinds = (kind_bits), __VA_ARGS__                                     \
    }
/* These are the options of a command that shows progress. The argument struct must have the members
 * `progress` and `no_progress`. */
#define PROGRESS_OPTIONS                                                                         \
    FLAG(ALL, "progress", progress, "show progress on stderr even if stderr is not a terminal"), \
        FLAG(ALL, "no-progress", no_progress, "show no progress")

struct text_list {
    const char *items[OPTION_LIST_MAX];
    size_t n;
};

/* the result of parsing a command line, except the values of options */
struct parsed {
    char *positionals[POSITIONALS_MAX];
    size_t n_positionals;
    /* mask of the options that were given; bit i stands for row i of the option table */
    uint64_t given;
    /* true if --help or -h was given; in this case the parser does not check the other words */
    bool help;
};

struct command {
    const char *name;
    const char *arguments; /* positional arguments in the help, such as "FILE JOB" */
    const char *summary;   /* text of one line for the list of commands */
    const char *about;     /* text of one or more paragraphs for the command's own help */
    const char *examples;
    const struct option *options;
    size_t n_options;
    size_t args_bytes; /* size of the argument struct in bytes */
    size_t positionals_min, positionals_max;
    int (*run)(const void *args, const struct parsed *words);
};

/* Sets the members of struct command that describe the options and the argument struct. */
#define COMMAND_OPTIONS(table, args_type)                                \
    .options = (table), .n_options = sizeof(table) / sizeof((table)[0]), \
    .args_bytes = sizeof(args_type)

extern const struct command command_run;
extern const struct command command_explain;
extern const struct command command_check;
extern const struct command command_simulate;
extern const struct command command_compare;
extern const struct command command_policies;
extern const struct command command_test;
extern const struct command command_editor;
extern const struct command command_node;
extern const struct command command_pack;
extern const struct command command_metrics;
extern const struct command command_forecast;
extern const struct command command_speeds;
extern const struct command command_slowdowns;
extern const struct command command_slurm;
extern const struct command command_advise;

#endif
