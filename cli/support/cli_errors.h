/*
 * cli_errors.h -- the exit codes of the program, functions that report errors, and allocation
 * functions that never return NULL.
 */
#ifndef LSCHED_CLI_CLI_ERRORS_H
#define LSCHED_CLI_CLI_ERRORS_H

#include <stddef.h>
#include <stdint.h>

#include <libsched/libsched.h>

enum exit_code {
    EXIT_OK = 0,
    /* the input is valid, but the result differs from what the user expects */
    EXIT_EXPECTATION = 1,
    EXIT_USAGE = 2,   /* the command line is wrong */
    EXIT_INPUT = 3,   /* an input file is missing, unreadable or wrong */
    EXIT_INTERNAL = 4 /* out of memory, a write error, or a defect of the program */
};

/* Prints "lsched: ", the message and a newline on stderr. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints an error like complain(), and a hint to read the help of `command`. If `command` is NULL,
 * the hint names the help of the program. Returns EXIT_USAGE. */
int usage_error(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints an error of the library as "file:line:column: message". If the error is not about a file,
 * `file` must be NULL, and the function prints "lsched: message" and returns EXIT_INTERNAL.
 * Otherwise it returns EXIT_INPUT for an error that a file can cause, and EXIT_INTERNAL for any
 * other error. */
int library_error(const char *file, const lsched_error *err);
/* Writes the code, the position in the file and the message to *err. A line or a column of 0 means
 * that it is not known. Returns `code`. */
int32_t error_at(lsched_error *err, int32_t code, uint32_t line, uint32_t column,
                 const char *format, ...) __attribute__((format(printf, 5, 6)));

/* These functions are malloc and realloc, except that they end the program with EXIT_INTERNAL if
 * there is no memory. */
void *must_alloc(size_t bytes);
void *must_alloc_zero(size_t bytes); /* sets all bytes to 0 */
void *must_resize(void *old, size_t bytes);
/* Returns an array that has space for n + 1 items. If n is below *capacity, this is `items`.
 * Otherwise the function moves the n items to a larger block and doubles *capacity. */
void *must_grow(void *items, size_t n, size_t *capacity, size_t item_bytes);
/* returns a NUL-terminated copy that the caller frees */
char *must_copy(const char *text, size_t len);

#endif
