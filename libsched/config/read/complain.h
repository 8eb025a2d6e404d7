/*
 * complain.h -- functions that fill an error record with a message and its place in a scenario's
 * text. A message has the form "file:line:column: expected ..., got ...".
 *
 * The text of a scenario is not trusted. Therefore a message quotes only a short piece of it, and
 * control bytes in the piece are replaced. A message is always one line of valid UTF-8 that fits
 * into lsched_error. The functions allocate no memory, because they must also report that memory is
 * out.
 */
#ifndef LIBSCHED_COMPLAIN_H
#define LIBSCHED_COMPLAIN_H

#include <stddef.h>
#include <stdint.h>

#include <libsched/libsched.h>

/* A place in the text. The line and the column are counted from 1; both are 0 if an error has no
 * place in the text. */
struct mark {
    uint32_t line;
    uint32_t column;
};

struct complain {
    const char *file;  /* name of the file at the start of each message; NUL-terminated, borrowed */
    lsched_error *err; /* error record to fill; NULL if the caller wants no record */
};

#if defined(__GNUC__)
#define COMPLAIN_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define COMPLAIN_PRINTF(text, first)
#endif

/* Fills the error record c->err with the code, the place and the formatted message. Returns
 * code. */
int32_t complain_at(const struct complain *c, int32_t code, struct mark mark, const char *format,
                    ...) COMPLAIN_PRINTF(4, 5);

/* Copies the error record `from`, which a call of the library filled, to *c->err. The message then
 * begins with the file and the place, and uses the words of a scenario (lsched_scenario_words).
 * Returns from->code. */
int32_t complain_pass(const struct complain *c, struct mark mark, const lsched_error *from);

/* Copies the caller's options struct `opts` to `out`. The first member of `opts` is its size in
 * bytes, which can differ from `size`, the size of `out`. Before the call, `out` is zeroed. Members
 * that a shorter `opts` does not have stay 0 in `out`. In a longer `opts` all bytes after `size`
 * must be 0, otherwise the function returns LSCHED_E_SIZE. If opts is NULL, nothing is copied. */
int32_t complain_take_opts(const struct complain *c, const void *opts, void *out, uint32_t size);

enum { QUOTE_BYTES = 72 };
struct quote {
    char text[QUOTE_BYTES];
};
/* Returns the text in double quotes. Each control byte is replaced by '?'. A text of more than 66
 * bytes is shortened and ends with "...". */
struct quote complain_quote(const char *text, size_t len);

#endif
