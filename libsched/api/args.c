/* args.c -- see args.h. */
#include "api/args.h"

#include <stdarg.h>
#include <stdio.h>

#include "model/derived.h"
#include "model/index.h"
#include "model/intern.h"

void err_copy(lsched_error *to, const lsched_error *from) {
    lsched_error copy = *from;
    uint32_t size = to->size, room = size < (uint32_t)sizeof copy ? size : (uint32_t)sizeof copy;
    copy.size = size;
    size_t text = offsetof(lsched_error, message);
    if (room < sizeof copy && room > text)
        copy.message[room - text - 1] = 0; /* cut, but terminated */
    memcpy(to, &copy, room);
}

int32_t fail(lsched_error *err, int32_t code, const char *format, ...) {
    if (!err) return code;
    lsched_error mine;
    lsched_error_init(&mine, (uint32_t)sizeof mine);
    mine.code = code;
    va_list ap;
    va_start(ap, format);
    vsnprintf(mine.message, sizeof mine.message, format, ap);
    va_end(ap);
    err_copy(err, &mine);
    return code;
}

int32_t fail_plain(lsched_error *err, int32_t code) {
    if (!err || code >= 0) return code;
    size_t text = offsetof(lsched_error, message);
    if (err->size > text && err->code == code && err->message[0]) return code;
    return fail(err, code, "%s", lsched_error_text(code));
}

int32_t err_begin(lsched_error *err) {
    if (!err) return LSCHED_OK;
    if (err->size < 8) return LSCHED_E_SIZE;
    lsched_error_init(err, err->size);
    return LSCHED_OK;
}

int32_t arg_struct(void *to, uint32_t to_size, const void *from, size_t limit, const char *what,
                   lsched_error *err) {
    if (!from) return fail(err, LSCHED_E_NULL, "%s is NULL", what);
    uint32_t size = 0;
    if (limit == 0 || limit >= 8) memcpy(&size, from, sizeof size);
    if (size < 8 || (limit && size > limit))
        return fail(err, LSCHED_E_SIZE, "%s: size is %u; expected at least 8%s (was it set?)", what,
                    size, limit ? " and at most the stride of the batch" : "");
    if (size > to_size) {
        const unsigned char *tail = (const unsigned char *)from + to_size;
        for (uint32_t i = 0; i < size - to_size; i++)
            if (tail[i])
                return fail(
                    err, LSCHED_E_SIZE,
                    "%s: %u bytes given, this version knows %u, and byte %u beyond is not zero",
                    what, size, to_size, to_size + i);
    }
    memset(to, 0, to_size);
    memcpy(to, from, size < to_size ? size : to_size);
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
    if (!t.ptr) return (lsched_text){"", 0};
    if (t.len == 0) t.len = strlen(t.ptr);
    return t;
}

int32_t arg_name(lsched_text *t, const char *what, lsched_error *err) {
    *t = arg_text(*t);
    if (t->len == 0) return fail(err, LSCHED_E_INVAL, "%s: expected a name, got none", what);
    if (t->len > LSCHED_NAME_BYTES_MAX)
        return fail(err, LSCHED_E_INVAL, "%s: a name of %llu bytes; expected at most %d", what,
                    (unsigned long long)t->len, LSCHED_NAME_BYTES_MAX);
    if (memchr(t->ptr, 0, (size_t)t->len))
        return fail(err, LSCHED_E_INVAL, "%s: a name with a NUL byte", what);
    return LSCHED_OK;
}

int32_t arg_time(int64_t us, const char *what, lsched_error *err) {
    if (us >= 0 && us <= LSCHED_AMOUNT_MAX) return LSCHED_OK;
    return fail(err, LSCHED_E_RANGE, "%s is %lld; expected microseconds, 0 to 2^62", what,
                (long long)us);
}

int32_t arg_instant(int64_t us, const char *what, lsched_error *err) {
    if (us >= -LSCHED_AMOUNT_MAX / 2 && us <= LSCHED_AMOUNT_MAX / 2) return LSCHED_OK;
    return fail(err, LSCHED_E_RANGE, "%s is %lld; expected microseconds since 1970, within 2^61",
                what, (long long)us);
}

size_t arg_stride(const void *first, size_t elem_size) {
    uint32_t size = 0;
    if (elem_size == 0 && first) memcpy(&size, first, sizeof size);
    return elem_size ? elem_size : size;
}

static const char *const kind_names[] = {"none",     "node",     "queue",      "job",
                                         "decision", "topology", "reservation"};

uint32_t table_of(uint32_t kind) {
    static const uint16_t tables[] = {TABLES, T_NODE, T_QUEUE, T_JOB, T_DECISION, T_TOPOLOGY};
    return kind < sizeof tables / sizeof tables[0] ? tables[kind] : TABLES;
}

uint32_t index_table_of(uint32_t kind) {
    static const uint16_t tables[] = {TABLES,   T_IX_NODE, T_IX_QUEUE,
                                      T_IX_JOB, TABLES,    T_IX_TOPOLOGY};
    return kind < sizeof tables / sizeof tables[0] ? tables[kind] : TABLES;
}

static uint32_t generation(const struct columns *k, uint32_t kind, uint32_t row) {
    switch (kind) {
    case LSCHED_KIND_NODE: return k->c[C_NODE_GEN].u32[row];
    case LSCHED_KIND_QUEUE: return k->c[C_QUEUE_GEN].u32[row];
    case LSCHED_KIND_JOB: return k->c[C_JOB_GEN].u32[row];
    case LSCHED_KIND_DECISION: return k->c[C_DECISION_GEN].u32[row];
    default: return k->c[C_TOPOLOGY_GEN].u32[row];
    }
}

int32_t arg_id(const struct columns *k, lsched_id id, uint32_t kind, uint32_t *row,
               lsched_error *err) {
    uint32_t have = LSCHED_ID_KIND(id), slot = (uint32_t)id,
             gen = (uint32_t)(id >> 32) & 0x0FFFFFFF;
    if (have != kind)
        return fail(err, LSCHED_E_KIND, "expected the id of a %s, got %#llx, the id of a %s",
                    kind_names[kind], (unsigned long long)id,
                    have < 7 ? kind_names[have] : "thing that does not exist");
    if (!row_is_live(k, table_of(kind), slot) || generation(k, kind, slot) != gen)
        return fail(err, LSCHED_E_STALE, "the %s with id %#llx no longer exists", kind_names[kind],
                    (unsigned long long)id);
    *row = slot;
    return LSCHED_OK;
}

int32_t arg_ref(const struct columns *k, lsched_id id, lsched_text name, uint32_t kind,
                uint32_t *row, lsched_error *err) {
    if (id) return arg_id(k, id, kind, row, err);
    name = arg_text(name);
    if (name.len == 0)
        return fail(err, LSCHED_E_INVAL, "expected a %s by id or by name, got neither",
                    kind_names[kind]);
    *row = name_find(k, index_table_of(kind), name.ptr, (size_t)name.len);
    if (*row != NO_ROW) return LSCHED_OK;
    return fail(err, LSCHED_E_NOENT, "no %s is called '%.*s'", kind_names[kind],
                (int)(name.len > 100 ? 100 : name.len), name.ptr);
}

int32_t arg_kind(const struct columns *k, uint32_t kind, const char *what, lsched_error *err) {
    uint32_t kinds = (uint32_t)meta(k, M_N_KINDS);
    if (kind > 0 && kind < kinds) return LSCHED_OK;
    if (!kind_is_derived(k, kind))
        return fail(err, LSCHED_E_KEY, "%s: resource kind %u is unknown; expected 1 to %u", what,
                    kind, kinds - 1);
    lsched_text name = text_of(k, kind_name(k, kind));
    return fail(err, LSCHED_E_UNSUPPORTED,
                "%s: '%.*s' is a part of another kind; only quotas and limits know it", what,
                (int)name.len, name.ptr);
}

/* A set of kinds of either sort. */
struct kind_set {
    uint64_t word[(KINDS_MAX + LIMIT_DERIVED_KINDS) / 64];
};

static int32_t read_amount(const struct columns *k, const lsched_amount *a, uint32_t flags,
                           const char *what, struct kind_set *seen, lsched_error *err) {
    uint32_t kind = a->kind;
    int32_t rc = (kind == 0 && (flags & AMOUNT_ANY)) ||
                         (kind_is_derived(k, kind) && (flags & AMOUNT_DERIVED))
                     ? LSCHED_OK
                     : arg_kind(k, kind, what, err);
    if (rc != LSCHED_OK) return rc;
    if (seen->word[kind / 64] >> (kind % 64) & 1)
        return fail(err, LSCHED_E_EXISTS, "%s: resource kind %u is given twice", what, kind);
    seen->word[kind / 64] |= (uint64_t)1 << (kind % 64);
    if (kind == LSCHED_GPU && (flags & AMOUNT_NO_GPU))
        return fail(err, LSCHED_E_INVAL,
                    "%s: gpu is not given as an amount; it is 1000 for each device", what);
    if ((flags & AMOUNT_UNLIMITED) && a->amount == LSCHED_UNLIMITED) return LSCHED_OK;
    if (a->amount >= 0 && a->amount <= LSCHED_AMOUNT_MAX) return LSCHED_OK;
    lsched_text name = kind ? text_of(k, kind_name(k, kind)) : (lsched_text){"any", 3};
    return fail(err, LSCHED_E_RANGE, "%s: amount %lld of '%.*s'; expected 0 to 2^62", what,
                (long long)a->amount, (int)name.len, name.ptr);
}

static int32_t read_amounts(const struct columns *k, const lsched_amount *list, uint32_t n,
                            uint32_t flags, const char *what, int64_t *to, int64_t *derived,
                            lsched_error *err) {
    struct kind_set seen = {{0}};
    if (n && !list)
        return fail(err, LSCHED_E_NULL, "%s: %u amounts announced, the list is NULL", what, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t kind = list[i].kind;
        int32_t rc = read_amount(k, &list[i], flags, what, &seen, err);
        if (rc != LSCHED_OK) return rc;
        if (kind >= KINDS_MAX)
            derived[kind - KINDS_MAX] = list[i].amount;
        else if (kind)
            to[kind] = list[i].amount;
        else
            for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) to[r] = list[i].amount;
    }
    return LSCHED_OK;
}

int32_t arg_amounts(const struct columns *k, const lsched_amount *list, uint32_t n, uint32_t flags,
                    const char *what, int64_t *to, lsched_error *err) {
    return read_amounts(k, list, n, flags & ~(uint32_t)AMOUNT_DERIVED, what, to, NULL, err);
}

int32_t arg_quotas(const struct columns *k, const lsched_amount *list, uint32_t n, const char *what,
                   int64_t *to, int64_t *derived, lsched_error *err) {
    return read_amounts(k, list, n, AMOUNT_UNLIMITED | AMOUNT_DERIVED, what, to, derived, err);
}

uint32_t arg_insert_text(lsched_text *list, uint32_t n, lsched_text t) {
    uint32_t j = n;
    for (; j > 0 && text_order(t, list[j - 1]) < 0; j--) list[j] = list[j - 1];
    if (j > 0 && text_order(t, list[j - 1]) == 0) {
        for (; j < n; j++) list[j] = list[j + 1];
        return 0;
    }
    list[j] = t;
    return 1;
}
