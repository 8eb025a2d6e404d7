/*
 * complain.h -- functions that fill error records with a place in a scenario's text:
 * "file:line:column: expected ..., got ...".
 *
 * The text of a scenario comes from outside, therefore each quotation from it is cut and cleaned.
 * A message is always one line of valid UTF-8 that fits into lsched_error. The functions allocate
 * nothing, because an error must be reportable when memory is out.
 */
#ifndef LIBSCHED_COMPLAIN_H
#define LIBSCHED_COMPLAIN_H

#include <stddef.h>
#include <stdint.h>

#include <libsched/libsched.h>

/* A place in the text; line and column are counted from 1. Both are 0 if the error has no place. */
struct mark {
    uint32_t line;
    uint32_t column;
};

struct complain {
    const char *file;  /* name of the file at the start of each message; NUL-terminated, borrowed */
    lsched_error *err; /* may be NULL */
};

#if defined(__GNUC__)
#define COMPLAIN_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define COMPLAIN_PRINTF(text, first)
#endif

/* Fills *c->err with the code, the place and the formatted message, and returns code. */
int32_t complain_at(const struct complain *c, int32_t code, struct mark mark, const char *format,
                    ...) COMPLAIN_PRINTF(4, 5);

/* Copies the error `from`, which a call of the library filled, into *c->err and puts the place in
 * front of the message. Returns from->code. */
int32_t complain_pass(const struct complain *c, struct mark mark, const lsched_error *from);

enum { QUOTE_BYTES = 72 };
struct quote {
    char text[QUOTE_BYTES];
};
/* Returns the text in double quotes. Control bytes are replaced by '?', and a text that is too
 * long is cut and ends with "...". */
struct quote complain_quote(const char *text, size_t len);

#endif
