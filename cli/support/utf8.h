/*
 * utf8.h -- functions for UTF-8. The program uses them to align columns, to write valid JSON
 * although names can have any bytes, and to skip a byte order mark.
 */
#ifndef LSCHED_CLI_UTF8_H
#define LSCHED_CLI_UTF8_H

#include <stddef.h>
#include <string.h>

/* Returns the length of the byte order mark at the beginning of a text, or 0. */
static inline size_t utf8_mark(const char *text, size_t len) {
    return len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

/* Returns the length in bytes of the first character of the text, from 1 to 4. Returns 0 if the
 * text does not begin with a valid character; overlong forms, surrogates and incomplete characters
 * are not valid. */
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

/* Returns the number of columns that the text takes on a terminal. Each character counts as one
 * column. Each byte that does not belong to a valid character also counts as one column. */
static inline size_t utf8_columns(const char *text, size_t len) {
    size_t columns = 0;
    for (size_t i = 0; i < len; columns++) {
        size_t bytes = utf8_length(text + i, len - i);
        i += bytes > 0 ? bytes : 1;
    }
    return columns;
}

#endif
