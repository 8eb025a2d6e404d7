/*
 * utf8_text.h -- texts that are shown: names come from outside and are any bytes, messages are
 * UTF-8 on one line. What is no character, and what a terminal would obey, is written as \xNN, so
 * that a message names the bytes and does nothing else.
 */
#ifndef LIBSCHED_UTF8_TEXT_H
#define LIBSCHED_UTF8_TEXT_H

#include <stddef.h>

/* Bytes of the character at text (len > 0): 1 to 4, or 0 if it is not well-formed UTF-8. */
size_t utf8_bytes(const char *text, size_t len);
/* True if the character of n bytes is C0, DEL, C1 or a mark that turns the direction of what
 * follows. */
int utf8_is_control(const char *text, size_t n);
/* The text with \xNN for bytes that cannot be shown, as much of it as fits whole and
 * NUL-terminated in cap bytes. Returns the length that all of it has, as snprintf does. */
size_t utf8_shown(char *out, size_t cap, const char *text, size_t len);
/* The same in place, of a NUL-terminated text in cap bytes. */
void utf8_clean(char *text, size_t cap);

#endif
