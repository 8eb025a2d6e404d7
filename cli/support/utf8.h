/*
 * utf8.h -- just enough UTF-8 to align columns, to write valid JSON from names, which may be any
 * bytes, and to pass over a byte order mark.
 */
#ifndef LSCHED_CLI_UTF8_H
#define LSCHED_CLI_UTF8_H

#include <stddef.h>
#include <string.h>

/* Bytes of the byte order mark that a text may begin with. */
static inline size_t utf8_mark(const char *text, size_t len) {
    return len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

/* Bytes of the character that text starts with: 1 to 4, or 0 if it is not one (cut off, overlong,
 * a surrogate). */
static inline size_t utf8_length(const char *text, size_t len) {
    const unsigned char *s = (const unsigned char *)text;
    if (len == 0) return 0;
    if (s[0] < 0x80) return 1;
    size_t bytes = s[0] >= 0xc2 && s[0] < 0xe0   ? 2
                   : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
                   : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                                 : 0;
    if (bytes == 0 || bytes > len) return 0;
    for (size_t i = 1; i < bytes; i++) {
        if ((s[i] & 0xc0) != 0x80) return 0;
    }
    if (s[0] == 0xe0 && s[1] < 0xa0) return 0;
    if (s[0] == 0xed && s[1] >= 0xa0) return 0;
    if (s[0] == 0xf0 && s[1] < 0x90) return 0;
    if (s[0] == 0xf4 && s[1] >= 0x90) return 0;
    return bytes;
}

/* Columns on a terminal, taking every character as one wide; a byte that is no character counts
 * as one. */
static inline size_t utf8_columns(const char *text, size_t len) {
    size_t columns = 0;
    for (size_t i = 0; i < len; columns++) {
        size_t bytes = utf8_length(text + i, len - i);
        i += bytes > 0 ? bytes : 1;
    }
    return columns;
}

#endif
