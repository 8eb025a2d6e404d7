/*
 * tar_entries.c -- see tar_entries.h.
 */
#include "cli/input/tar_entries.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    BLOCK = 512,
    NAME_AT = 0,
    NAME_BYTES = 100,
    SIZE_AT = 124,
    SIZE_BYTES = 12,
    SUM_AT = 148,
    SUM_BYTES = 8,
    TYPE_AT = 156,
    MAGIC_AT = 257,
    PREFIX_AT = 345,
    PREFIX_BYTES = 155
};

bool tar_is(const char *text, size_t len) {
    return len >= BLOCK && memcmp(text + MAGIC_AT, "ustar", 5) == 0;
}

static bool octal(const char *text, size_t len, uint64_t *out) {
    size_t i = 0, digits = 0;
    *out = 0;
    while (i < len && text[i] == ' ') i++;
    for (; i < len && text[i] >= '0' && text[i] <= '7'; i++, digits++)
        *out = *out << 3 | (uint64_t)(text[i] - '0');
    return digits > 0 && (i == len || text[i] == ' ' || text[i] == '\0');
}

static bool is_sound(const char *head) {
    uint64_t sum = 0, wanted = 0;
    for (size_t i = 0; i < BLOCK; i++)
        sum += i >= SUM_AT && i < SUM_AT + SUM_BYTES ? ' ' : (unsigned char)head[i];
    return octal(head + SUM_AT, SUM_BYTES, &wanted) && sum == wanted;
}

static void read_entry_name(const char *head, char out[TAR_NAME_BYTES]) {
    /* Headers of POSIX have the first part of a long name at PREFIX_AT, but headers of GNU tar have
     * other data there. */
    bool prefix = memcmp(head + MAGIC_AT, "ustar", 6) == 0 && head[PREFIX_AT] != '\0';
    snprintf(out, TAR_NAME_BYTES, "%.*s%s%.*s", prefix ? PREFIX_BYTES : 0, head + PREFIX_AT,
             prefix ? "/" : "", NAME_BYTES, head + NAME_AT);
}

int tar_next(const char *text, size_t len, size_t *at, struct tar_entry *out) {
    while (*at + BLOCK <= len && text[*at] != '\0') { /* a block of zeros ends the archive */
        const char *head = text + *at;
        uint64_t size = 0;
        if (!is_sound(head) || !octal(head + SIZE_AT, SIZE_BYTES, &size)) return -1;
        size_t body = *at + BLOCK;
        if (size > len - body) return -1;
        *at = body + ((size_t)size + BLOCK - 1) / BLOCK * BLOCK;
        if (head[TYPE_AT] != '0' && head[TYPE_AT] != '\0') continue;
        read_entry_name(head, out->name);
        out->text = text + body;
        out->len = (size_t)size;
        return 1;
    }
    return 0;
}
