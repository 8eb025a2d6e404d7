/* utf8_text.c -- see utf8_text.h. */
#include "base/utf8_text.h"

#include <assert.h>
#include <string.h>

#define CLEAN_BYTES_MAX 1024 /* largest buffer in bytes that utf8_clean() accepts */

size_t utf8_bytes(const char *text, size_t len) {
    const unsigned char *s = (const unsigned char *)text;
    if (s[0] < 0x80) return 1;
    size_t n = s[0] >= 0xC2 && s[0] < 0xE0 ? 2 : s[0] >= 0xE0 && s[0] < 0xF0 ? 3 : 4;
    if (s[0] < 0xC2 || s[0] > 0xF4 || n > len) return 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xC0u) != 0x80u) return 0;
    /* not allowed: an overlong form, a surrogate, or a character above U+10FFFF */
    if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F) ||
        (s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] > 0x8F))
        return 0;
    return n;
}

int utf8_is_control(const char *text, size_t n) {
    const unsigned char *s = (const unsigned char *)text;
    if (n == 1) return s[0] < 0x20 || s[0] == 0x7F;
    if (n == 2) return s[0] == 0xC2 && s[1] < 0xA0;
    if (n != 3 || s[0] != 0xE2) return 0;
    return (s[1] == 0x80 && s[2] >= 0xA8 && s[2] <= 0xAE) ||
           (s[1] == 0x81 && s[2] >= 0xA6 && s[2] <= 0xA9);
}

size_t utf8_shown(char *out, size_t cap, const char *text, size_t len) {
    static const char digits[] = "0123456789abcdef";
    size_t all = 0, end = 0;
    int fits = cap > 0;
    for (size_t i = 0; i < len;) {
        char piece[4 * 4];
        size_t n = utf8_bytes(text + i, len - i), bytes = n ? n : 1, m = bytes;
        if (n && !utf8_is_control(text + i, n)) {
            memcpy(piece, text + i, n);
        } else {
            for (size_t b = 0; b < bytes; b++) {
                unsigned char c = (unsigned char)text[i + b];
                char *to = piece + 4 * b;
                to[0] = '\\', to[1] = 'x', to[2] = digits[c >> 4], to[3] = digits[c & 15];
            }
            m = 4 * bytes;
        }
        fits = fits && all + m < cap;
        if (fits) memcpy(out + all, piece, m), end = all + m;
        all += m;
        i += bytes;
    }
    if (cap) out[end] = 0;
    return all;
}

/* Returns the length n of the text. If the last character is incomplete, returns the length without
 * this character. */
static size_t without_half(const char *text, size_t n) {
    size_t at = n;
    while (at > 0 && n - at < 4 && ((unsigned char)text[at - 1] & 0xC0u) == 0x80u) at--;
    if (at == 0 || (unsigned char)text[at - 1] < 0xC0) return n;
    return utf8_bytes(text + at - 1, n - at + 1) ? n : at - 1;
}

void utf8_clean(char *text, size_t cap) {
    char copy[CLEAN_BYTES_MAX];
    size_t n = strlen(text);
    assert(cap <= sizeof copy && n < cap);
    if (n + 1 == cap) n = without_half(text, n);
    memcpy(copy, text, n + 1); /* the copy has one byte more than utf8_shown() reads */
    utf8_shown(text, cap, copy, n);
}
