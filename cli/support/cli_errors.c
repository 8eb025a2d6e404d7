/*
 * cli_errors.c -- prints errors on stderr and returns the exit codes for them.
 *
 * The position of a library error can be at the beginning of the message ("name:line:column: ..."),
 * or only in the fields of lsched_error, or unknown. If the position is known, the printed line has
 * it once, in a form that editors understand.
 */
#include "cli/support/cli_errors.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void complain(const char *format, ...) {
    va_list args;
    va_start(args, format);
    fputs("lsched: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

int usage_error(const char *command, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fputs("lsched: ", stderr);
    vfprintf(stderr, format, args);
    fprintf(stderr, "\nTry 'lsched %s%s--help'.\n", command != NULL ? command : "",
            command != NULL ? " " : "");
    va_end(args);
    return EXIT_USAGE;
}

/* Returns true if no input can cause an error with this code. The cause is then the machine, the
 * build, or a defect of the library. */
static bool is_internal(int32_t code) {
    switch (code) {
    case LSCHED_E_NOMEM:
    case LSCHED_E_NULL:
    case LSCHED_E_SIZE:
    case LSCHED_E_KIND:
    case LSCHED_E_NOLUA:
    case LSCHED_E_CORRUPT:
    case LSCHED_E_INTERRUPTED:
    case LSCHED_E_VERIFY: return true;
    default: return false;
    }
}

int library_error(const char *file, const lsched_error *err) {
    const char *message = err->message[0] != '\0' ? err->message : lsched_error_text(err->code);
    size_t file_len = file != NULL ? strlen(file) : 0;
    bool placed = file != NULL && strncmp(message, file, file_len) == 0 && message[file_len] == ':';
    if (file == NULL || placed) {
        fprintf(stderr, "%s%s\n", placed ? "" : "lsched: ", message);
    } else if (err->line > 0) {
        fprintf(stderr, "%s:%u:%u: %s\n", file, err->line, err->column, message);
    } else {
        fprintf(stderr, "%s: %s\n", file, message);
    }
    return file == NULL || is_internal(err->code) ? EXIT_INTERNAL : EXIT_INPUT;
}

int32_t error_at(lsched_error *err, int32_t code, uint32_t line, uint32_t column,
                 const char *format, ...) {
    va_list args;
    va_start(args, format);
    lsched_init(err, sizeof *err);
    err->code = code;
    err->line = line;
    err->column = column;
    vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    return code;
}

static void *check(void *memory) {
    if (memory == NULL) {
        complain("out of memory");
        exit(EXIT_INTERNAL);
    }
    return memory;
}

void *must_alloc(size_t bytes) {
    return check(malloc(bytes > 0 ? bytes : 1));
}

void *must_alloc_zero(size_t bytes) {
    return check(calloc(1, bytes > 0 ? bytes : 1));
}

void *must_resize(void *old, size_t bytes) {
    return check(realloc(old, bytes > 0 ? bytes : 1));
}

void *must_grow(void *items, size_t n, size_t *capacity, size_t item_bytes) {
    if (n < *capacity) return items;
    *capacity = *capacity > 0 ? 2 * *capacity : 64;
    return must_resize(items, *capacity * item_bytes);
}

char *must_copy(const char *text, size_t len) {
    char *copy = must_alloc(len + 1);
    if (len > 0) memcpy(copy, text, len);
    copy[len] = '\0';
    return copy;
}
