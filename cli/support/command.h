/*
 * command.h -- what every command of the program lsched shares: its description, its exit codes,
 * its way to complain.
 *
 * A command is one constant table: words for the help, options with the place in its argument
 * struct where each value goes, and a function. The help is generated from the same table that
 * parses, so it cannot fall behind.
 *
 * The program is a host like any other: it sees the public headers only. It is also the only part
 * of the project that touches files, clocks and terminals.
 */
#ifndef LSCHED_CLI_COMMAND_H
#define LSCHED_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libsched/libsched.h>

enum exit_code {
    EXIT_OK = 0,
    EXIT_EXPECTATION = 1, /* the input was fine, the answer is not what was asked for */
    EXIT_USAGE = 2,       /* the command line is wrong */
    EXIT_INPUT = 3,       /* a file is missing, unreadable or wrong */
    EXIT_INTERNAL = 4     /* out of memory, cannot write, or a defect */
};

enum option_type {
    OPTION_FLAG, /* bool: set to true */
    OPTION_TEXT, /* const char * */
    OPTION_LIST, /* struct text_list: may be given many times */
    OPTION_COUNT /* int64_t, at least 0 */
};

struct option {
    const char *name;  /* without the dashes */
    const char *value; /* what stands for the value in the help; NULL for flags */
    const char *help;
    size_t offset; /* into the argument struct */
    enum option_type type;
};

enum { OPTION_LIST_MAX = 16, POSITIONALS_MAX = 1024 };

struct text_list {
    const char *items[OPTION_LIST_MAX];
    size_t n;
};

struct command {
    const char *name;
    const char *arguments; /* "FILE JOB" */
    const char *summary;   /* one line for the list of commands */
    const char *about;     /* the paragraphs of its help */
    const char *examples;
    const struct option *options;
    size_t n_options;
    size_t positionals_min, positionals_max;
    void (*defaults)(void *args); /* after zeroing; may be NULL */
    int (*run)(const void *args, char *const *positionals, size_t n_positionals);
};

enum { COMMAND_ARGS_BYTES = 1024 }; /* room for any argument struct */

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

/* stderr: "lsched: ..." and a newline. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same, and the hint to read the help of a command (NULL: of the program). Returns
 * EXIT_USAGE. */
int usage_error(const struct command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Prints an error of the library as "file:line:column: message"; file NULL: no file is to blame.
 * Returns the exit code that fits: EXIT_INPUT for what a file can cause, else EXIT_INTERNAL. */
int library_error(const char *file, const lsched_error *err);

/* malloc and realloc that end the program with EXIT_INTERNAL instead of returning NULL. */
void *must_alloc(size_t bytes);
void *must_resize(void *old, size_t bytes);
/* The items, or a larger block of them where n of `capacity` items leave no room for another one.
 * The capacity doubles. */
void *must_grow(void *items, size_t n, size_t *capacity, size_t item_bytes);
char *must_copy(const char *text, size_t len); /* NUL-terminated copy */

#endif
