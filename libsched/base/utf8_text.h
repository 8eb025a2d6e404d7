/*
 * utf8_text.h -- makes texts safe to show: names from outside can contain any bytes, but messages
 * are UTF-8 on one line.
 *
 * Bytes that are no UTF-8 character, and characters that control a terminal, are written as \xNN. A
 * message then shows the bytes and has no other effect.
 */
#ifndef LIBSCHED_UTF8_TEXT_H
#define LIBSCHED_UTF8_TEXT_H

#include <stddef.h>

/* Returns the number of bytes of the character at text (len > 0): 1 to 4, or 0 if it is not
 * well-formed UTF-8. */
size_t utf8_bytes(const char *text, size_t len);
/* True if the character of n bytes is C0, DEL, C1, or a mark that changes the direction of the
 * following text. */
int utf8_is_control(const char *text, size_t n);
/* Writes the text, with \xNN for bytes that cannot be shown. Writes as many whole characters as fit
 * into cap bytes with a final NUL. Returns the length of the whole result, as snprintf does. */
size_t utf8_shown(char *out, size_t cap, const char *text, size_t len);
/* Replaces bytes that cannot be shown by \xNN in a NUL-terminated text, in place and within cap
 * bytes. */
void utf8_clean(char *text, size_t cap);

#endif
