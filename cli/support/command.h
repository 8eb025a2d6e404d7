/*
 * command.h -- what all commands of the program lsched share: the description of a command, the
 * exit codes, and the functions that report errors.
 *
 * A command is one constant table. The table has the texts for the help, the options with the
 * member of the argument struct that takes each value, and a function. The help is generated from
 * the table that the parser uses, therefore the help is always complete.
 *
 * The program is an orchestrator like any other: it uses only the public headers. No other part of
 * the project uses files, clocks or terminals.
 */
#ifndef LSCHED_CLI_COMMAND_H
#define LSCHED_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libsched/libsched.h>

enum exit_code {
    EXIT_OK = 0,
    EXIT_EXPECTATION = 1, /* the input is valid, but the result is not the expected one */
    EXIT_USAGE = 2,       /* the command line is wrong */
    EXIT_INPUT = 3,       /* a file is missing, unreadable or wrong */
    EXIT_INTERNAL = 4     /* out of memory, a write error, or a defect of the program */
};

enum option_type {
    OPTION_FLAG, /* bool that is set to true */
    OPTION_TEXT, /* const char * */
    OPTION_LIST, /* struct text_list; the option can be given several times */
    OPTION_COUNT /* int64_t, at least 0 */
};

struct option {
    const char *name;  /* without the dashes */
    const char *value; /* placeholder for the value in the help; NULL for flags */
    const char *help;
    size_t offset; /* offset in the argument struct */
    enum option_type type;
};

enum { OPTION_LIST_MAX = 16, POSITIONALS_MAX = 1024 };

struct text_list {
    const char *items[OPTION_LIST_MAX];
    size_t n;
};

struct command {
    const char *name;
    const char *arguments; /* such as "FILE JOB" */
    const char *summary;   /* one line for the list of commands */
    const char *about;     /* the paragraphs of the command's help */
    const char *examples;
    const struct option *options;
    size_t n_options;
    size_t positionals_min, positionals_max;
    void (*defaults)(void *args); /* sets defaults after the struct was zeroed; may be NULL */
    int (*run)(const void *args, char *const *positionals, size_t n_positionals);
};

enum { COMMAND_ARGS_BYTES = 1024 }; /* enough for every argument struct */

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

/* Prints "lsched: ..." and a newline on stderr. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints an error like complain(), and a hint to read the help of the command (NULL: of the
 * program). Returns EXIT_USAGE. */
int usage_error(const struct command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Prints an error of the library as "file:line:column: message"; `file` is NULL if the error is
 * not about a file. Returns EXIT_INPUT for an error that a file can cause, otherwise
 * EXIT_INTERNAL. */
int library_error(const char *file, const lsched_error *err);

/* malloc and realloc that end the program with EXIT_INTERNAL instead of returning NULL. */
void *must_alloc(size_t bytes);
void *must_resize(void *old, size_t bytes);
/* Returns the items. If n of `capacity` items leave no room for another one, it returns a larger
 * block with them; the capacity doubles. */
void *must_grow(void *items, size_t n, size_t *capacity, size_t item_bytes);
char *must_copy(const char *text, size_t len); /* NUL-terminated copy */

#endif
