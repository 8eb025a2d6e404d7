/*
 * name_list.c -- see name_list.h. Two names can be in one range if the text before their numbers is
 * equal. If one of the numbers has leading zeros, both numbers must also have the same number of
 * digits. Otherwise a reader of the range could not tell the names in it.
 */
#include "cli/support/name_list.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/support/cli_errors.h"

enum { DIGITS_MAX = 9, PIECE_BYTES = 2 * LSCHED_NAME_BYTES_MAX + 32 };

struct split {
    size_t prefix; /* number of bytes before `number` */
    size_t digits; /* number of digits of `number`; 0 if the name has no number at its end */
    uint32_t number;
};

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Returns true for names such as "notebook-c", which have a letter instead of a number as their
 * counter. */
static bool ends_in_letter(const lsched_text *name) {
    if (name->len < 2) return false;
    char last = name->ptr[name->len - 1];
    return last >= 'a' && last <= 'z' && strchr("-_.", name->ptr[name->len - 2]) != NULL;
}

static struct split split(const lsched_text *name) {
    struct split s = {name->len, 0, 0};
    if (ends_in_letter(name)) {
        return (struct split){name->len - 1, 1, (uint32_t)name->ptr[name->len - 1]};
    }
    while (s.prefix > 0 && s.digits < DIGITS_MAX && is_digit(name->ptr[s.prefix - 1])) {
        s.prefix--;
        s.digits++;
    }
    for (size_t i = s.prefix; i < name->len; i++) {
        s.number = 10 * s.number + (uint32_t)(name->ptr[i] - '0');
    }
    return s;
}

size_t name_prefix(const lsched_text *name) {
    return split(name).prefix;
}

static int compare_bytes(const char *a, size_t a_len, const char *b, size_t b_len) {
    size_t least = a_len < b_len ? a_len : b_len;
    int order = least > 0 ? memcmp(a, b, least) : 0;
    if (order != 0) return order;
    return (a_len > b_len) - (a_len < b_len);
}

int name_compare(const lsched_text *a, const lsched_text *b) {
    struct split x = split(a), y = split(b);
    int order = compare_bytes(a->ptr, x.prefix, b->ptr, y.prefix);
    if (order != 0) return order;
    if (x.number != y.number) return x.number < y.number ? -1 : 1;
    return compare_bytes(a->ptr, a->len, b->ptr, b->len);
}

static int compare(const void *a, const void *b) {
    return name_compare(a, b);
}

static bool follows(const lsched_text *a, const lsched_text *b) {
    struct split x = split(a), y = split(b);
    if (x.digits == 0 || y.digits == 0 || y.number != x.number + 1) return false;
    if (x.prefix != y.prefix || memcmp(a->ptr, b->ptr, x.prefix) != 0) return false;
    if (is_digit(a->ptr[a->len - 1]) != is_digit(b->ptr[b->len - 1])) return false;
    if (x.digits == y.digits) return true;
    /* n9 and n10 can be in one range, but n09 and n010 cannot */
    return a->ptr[x.prefix] != '0' && b->ptr[y.prefix] != '0';
}

static int write_piece(const lsched_text *first, const lsched_text *last, char out[PIECE_BYTES]) {
    if (first == last) return snprintf(out, PIECE_BYTES, "%.*s", (int)first->len, first->ptr);
    struct split x = split(first), y = split(last);
    return snprintf(out, PIECE_BYTES, "%.*s[%.*s-%.*s]", (int)x.prefix, first->ptr, (int)x.digits,
                    first->ptr + x.prefix, (int)y.digits, last->ptr + y.prefix);
}

static size_t drop_doubles(lsched_text *names, size_t n) {
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (kept > 0 && name_compare(&names[kept - 1], &names[i]) == 0) continue;
        names[kept++] = names[i];
    }
    return kept;
}

char *name_list(lsched_text *names, size_t n, size_t pieces_max) {
    qsort(names, n, sizeof names[0], compare);
    n = drop_doubles(names, n);
    char *out = must_alloc((pieces_max + 1) * (PIECE_BYTES + 2) + 1);
    size_t len = 0, pieces = 0;
    out[0] = '\0';
    for (size_t i = 0; i < n;) {
        if (pieces++ == pieces_max) {
            sprintf(out + len, " and %zu more", n - i);
            break;
        }
        size_t last = i;
        while (last + 1 < n && follows(&names[last], &names[last + 1])) last++;
        char piece[PIECE_BYTES];
        write_piece(&names[i], &names[last], piece);
        len += (size_t)sprintf(out + len, "%s%s", pieces > 1 ? ", " : "", piece);
        i = last + 1;
    }
    return out;
}
