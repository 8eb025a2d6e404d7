/* call_args.c -- see call_args.h. */
#include "base/call_args.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/limits.h"
#include "base/short_names.h"
#include "base/utf8_text.h"

/* largest size of a caller's struct in bytes; if the struct has a larger size, the caller forgot to
 * set it */
#define STRUCT_BYTES_MAX 4096u

/* room for a message with three names of the maximal length */
#define LONG_MESSAGE_BYTES (LSCHED_MESSAGE_BYTES + 3 * (LSCHED_NAME_BYTES_MAX + 1))

void err_copy(lsched_error *to, const lsched_error *from) {
    lsched_error copy = *from;
    uint32_t size = to->size, room = size < (uint32_t)sizeof copy ? size : (uint32_t)sizeof copy;
    copy.size = size;
    size_t text = offsetof(lsched_error, message);
    if (room > text) {
        copy.message[room - text - 1] = 0; /* the message is shortened, but ends with NUL */
        utf8_clean(copy.message, room - text);
    }
    memcpy(to, &copy, room);
}

int32_t fail(lsched_error *err, int32_t code, const char *format, ...) {
    if (!err) return code;
    lsched_error mine;
    char text[LONG_MESSAGE_BYTES];
    err_clear(&mine, (uint32_t)sizeof mine);
    mine.code = code;
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    short_names(text, mine.message, sizeof mine.message);
    err_copy(err, &mine);
    return code;
}

int32_t fail_plain(lsched_error *err, int32_t code) {
    if (!err || code >= 0) return code;
    size_t text = offsetof(lsched_error, message);
    if (err->size > text && err->code == code && err->message[0]) return code;
    return fail(err, code, "%s", lsched_error_text(code));
}

void err_clear(lsched_error *err, uint32_t size) {
    const lsched_error fresh = {.size = size, .index = -1};
    memcpy(err, &fresh, size < sizeof fresh ? size : sizeof fresh);
}

int32_t err_begin(lsched_error *err) {
    if (!err) return LSCHED_OK;
    /* the caller has not initialised the record: the call writes nothing to it, and continues */
    if (err->size == 0) return LSCHED_OK;
    if (err->size < 8) return LSCHED_E_SIZE;
    err_clear(err, err->size);
    return LSCHED_OK;
}

int32_t arg_struct(void *to, uint32_t to_size, const void *from, size_t limit, const char *what,
                   lsched_error *err) {
    if (!from) return fail(err, LSCHED_E_NULL, "%s is NULL", what);
    uint32_t size = 0;
    if (limit == 0 || limit >= 8) memcpy(&size, from, sizeof size);
    if (size >= 8 && limit && size > limit)
        return fail(err, LSCHED_E_SIZE,
                    "%s: size is %u; expected at most the stride of the batch, which is %zu; pass "
                    "sizeof of the struct as both (was it set?)",
                    what, size, limit);
    if (size < 8)
        return fail(err, LSCHED_E_SIZE, "%s: size is %u; expected at least 8 (was it set?)", what,
                    size);
    if (size > STRUCT_BYTES_MAX)
        return fail(err, LSCHED_E_SIZE, "%s: size is %u; expected at most %u (was it set?)", what,
                    size, STRUCT_BYTES_MAX);
    if (size > to_size) {
        const unsigned char *tail = (const unsigned char *)from + to_size;
        for (uint32_t i = 0; i < size - to_size; i++)
            if (tail[i])
                return fail(
                    err, LSCHED_E_SIZE,
                    "%s: its size is %u bytes, this version knows %u, and byte %u after these is "
                    "not zero; set what this version does not know to 0, or use a newer library",
                    what, size, to_size, to_size + i);
    }
    memset(to, 0, to_size);
    memcpy(to, from, size < to_size ? size : to_size);
    return LSCHED_OK;
}

#define RESERVED "%s is %u; it is reserved and must be 0 (was the struct set to zero?)"

int32_t arg_reserved(uint32_t word, const char *field, const char *what, lsched_error *err) {
    if (word == 0) return LSCHED_OK;
    return fail(err, LSCHED_E_INVAL, "%s: " RESERVED, what, field, word);
}

int32_t arg_reserved_at(uint32_t word, const char *field, const char *what, const char *list,
                        size_t i, lsched_error *err) {
    if (word == 0) return LSCHED_OK;
    return fail(err, LSCHED_E_INVAL, "%s%s%s %llu: " RESERVED, what ? what : "", what ? ": " : "",
                list, (unsigned long long)i, field, word);
}

int32_t arg_allocator(const lsched_allocator *hooks, const char *what, lsched_error *err) {
    struct alloc unused;
    if (!hooks) return LSCHED_OK;
    int32_t rc = alloc_init(&unused, hooks, 0);
    if (rc == LSCHED_E_INVAL)
        return fail(err, rc, "%s: allocator: " RESERVED, what, "reserved_zero",
                    hooks->reserved_zero);
    if (rc == LSCHED_E_NULL)
        return fail(err, rc, "%s: allocator: alloc, realloc or free is NULL", what);
    if (rc != LSCHED_OK)
        return fail(err, rc, "%s: allocator: size is %u; expected %zu (was it set?)", what,
                    hooks->size, sizeof *hooks);
    return LSCHED_OK;
}

int32_t arg_out(void *to, const void *from, uint32_t from_size) {
    uint32_t size;
    if (!to) return LSCHED_E_NULL;
    memcpy(&size, to, sizeof size);
    if (size < 8) return LSCHED_E_SIZE;
    memcpy(to, from, size < from_size ? size : from_size);
    memcpy(to, &size, sizeof size);
    return LSCHED_OK;
}

lsched_text arg_text(lsched_text t) {
    if (!t.ptr || t.len == 0) return (lsched_text){"", 0};
    if (t.len == LSCHED_NUL_TERMINATED) t.len = strlen(t.ptr);
    return t;
}

int32_t arg_name(lsched_text *t, const char *what, lsched_error *err) {
    if (!t->ptr && t->len && t->len != LSCHED_NUL_TERMINATED)
        return fail(err, LSCHED_E_NULL, "%s: the length of its name is %llu, but the text is NULL",
                    what, (unsigned long long)t->len);
    *t = arg_text(*t);
    if (t->len == 0) return fail(err, LSCHED_E_INVAL, "%s: expected a name, got none", what);
    if (t->len > LSCHED_NAME_BYTES_MAX)
        return fail(err, LSCHED_E_INVAL, "%s: its name has %llu bytes; expected at most %d", what,
                    (unsigned long long)t->len, LSCHED_NAME_BYTES_MAX);
    if (memchr(t->ptr, 0, (size_t)t->len))
        return fail(err, LSCHED_E_INVAL, "%s: its name contains a NUL byte", what);
    return LSCHED_OK;
}

int32_t arg_time(int64_t us, const char *what, lsched_error *err) {
    if (us >= 0 && us <= LIMIT_TIME_US) return LSCHED_OK;
    return fail(err, LSCHED_E_RANGE, "%s is %lld; expected microseconds, 0 to 2^61", what,
                (long long)us);
}

int32_t arg_instant(int64_t us, const char *what, lsched_error *err) {
    if (us >= -LIMIT_TIME_US && us <= LIMIT_TIME_US) return LSCHED_OK;
    return fail(err, LSCHED_E_RANGE, "%s is %lld; expected microseconds since 1970, within 2^61",
                what, (long long)us);
}

/* alignment of the elements of a list: every struct of the public headers has a 64-bit field */
#define ELEMENT_ALIGNMENT 8u

int32_t arg_stride(const void *first, size_t n, size_t elem_size, const char *what, size_t *stride,
                   lsched_error *err) {
    uint32_t size = 0;
    *stride = 0;
    if (n == 0 || !first) return LSCHED_OK; /* the caller checks the pointer */
    if (elem_size == 0) memcpy(&size, first, sizeof size);
    *stride = elem_size ? elem_size : size;
    if (*stride >= ELEMENT_ALIGNMENT && *stride % ELEMENT_ALIGNMENT == 0) return LSCHED_OK;
    if (elem_size == 0)
        return fail(err, LSCHED_E_SIZE,
                    "%s: the size of the first element is %u; expected a multiple of %u (was it "
                    "set?)",
                    what, size, ELEMENT_ALIGNMENT);
    return fail(err, LSCHED_E_SIZE,
                "%s: the elements are %zu bytes apart; expected a multiple of %u: pass sizeof of "
                "the element's struct",
                what, *stride, ELEMENT_ALIGNMENT);
}
