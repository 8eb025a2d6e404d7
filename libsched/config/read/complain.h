/*
 * complain.h -- error records that point into a scenario's text: "file:line:column: expected ...,
 * got ...".
 *
 * The text comes from outside, so what is quoted from it is cut and cleaned: a message is always
 * one line of valid UTF-8 that fits lsched_error. Nothing is allocated: an error must be reportable
 * when memory is out.
 */
#ifndef LIBSCHED_COMPLAIN_H
#define LIBSCHED_COMPLAIN_H

#include <stddef.h>
#include <stdint.h>

#include <libsched/libsched.h>

/* A place in the text, both counted from 1. 0, 0: no place. */
struct mark {
    uint32_t line;
    uint32_t column;
};

struct complain {
    const char *file;  /* stands in front of messages; NUL-terminated, borrowed */
    lsched_error *err; /* may be NULL */
};

#if defined(__GNUC__)
#define COMPLAIN_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define COMPLAIN_PRINTF(text, first)
#endif

/* Fills *c->err and returns code. */
int32_t complain_at(const struct complain *c, int32_t code, struct mark mark, const char *format,
                    ...) COMPLAIN_PRINTF(4, 5);

/* Copies `from` (made by a call of the library) into *c->err with the place in front of its
 * message. Returns from->code. */
int32_t complain_pass(const struct complain *c, struct mark mark, const lsched_error *from);

enum { QUOTE_BYTES = 72 };
struct quote {
    char text[QUOTE_BYTES];
};
/* The text in double quotes, control bytes as '?', cut with "..." . */
struct quote complain_quote(const char *text, size_t len);

#endif
