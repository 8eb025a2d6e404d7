/*
 * utf8_text.h -- makes texts safe to show. Names from callers can contain any bytes, but a message
 * must be one line of UTF-8.
 *
 * Bytes that are not valid UTF-8, and control characters, are written as \xNN. Therefore a name in
 * a message cannot change the state of a terminal.
 */
#ifndef LIBSCHED_UTF8_TEXT_H
#define LIBSCHED_UTF8_TEXT_H

#include <stddef.h>

/* Returns the number of bytes of the first character of the text, 1 to 4, or 0 if the text does not
 * begin with well-formed UTF-8. len must not be 0. */
size_t utf8_bytes(const char *text, size_t len);
/* True if the character at `text`, which has n bytes, must not be shown: a control character (C0,
 * DEL or C1), a line or paragraph separator, or a mark that changes the direction of text. */
int utf8_is_control(const char *text, size_t n);
/* Writes the text to `out`, with \xNN for bytes that cannot be shown. `out` has cap bytes; the
 * function writes as many whole characters as fit there together with a final NUL. Returns the
 * length that the result has without this bound, as snprintf does. */
size_t utf8_shown(char *out, size_t cap, const char *text, size_t len);
/* Replaces bytes that cannot be shown by \xNN in a NUL-terminated text. The result is in the same
 * buffer, which has cap bytes, and is shortened to fit. */
void utf8_clean(char *text, size_t cap);

#endif
