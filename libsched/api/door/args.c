/* args.c -- see args.h. */
#include "api/door/args.h"

#include "base/times.h"
#include "model/devices/resource_part.h"
#include "model/store/index.h"
#include "model/store/intern.h"

static const char *const kind_names[] = {"none", "node", "queue", "job", "decision", "topology"};

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
                    have < sizeof kind_names / sizeof *kind_names ? kind_names[have]
                                                                  : "thing that does not exist");
    if (!row_is_live(k, table_of(kind), slot) || generation(k, kind, slot) != gen)
        return fail(err, LSCHED_E_STALE, "the %s with id %#llx no longer exists", kind_names[kind],
                    (unsigned long long)id);
    *row = slot;
    return LSCHED_OK;
}

lsched_text arg_name_of(const struct columns *k, lsched_id id) {
    static const uint16_t name_columns[] = {0,          C_NODE_NAME, C_QUEUE_NAME,
                                            C_JOB_NAME, 0,           C_TOPOLOGY_NAME};
    uint32_t kind = LSCHED_ID_KIND(id), row = NO_ROW;
    if (kind >= sizeof name_columns / sizeof name_columns[0] || index_table_of(kind) == TABLES ||
        arg_id(k, id, kind, &row, NULL) != LSCHED_OK)
        return (lsched_text){NULL, 0};
    return text_of(k, k->c[name_columns[kind]].u32[row]);
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
    if (!kind_is_part(k, kind))
        return fail(err, LSCHED_E_KEY, "%s: resource kind %u is unknown; expected 1 to %u", what,
                    kind, kinds - 1);
    lsched_text name = text_of(k, kind_name(k, kind));
    return fail(err, LSCHED_E_UNSUPPORTED,
                "%s: '%.*s' is a part of another kind; only quotas and limits know it", what,
                (int)name.len, name.ptr);
}

int32_t arg_reported(const struct columns *k, int64_t us, const char *what, lsched_error *err) {
    int64_t last = (int64_t)meta(k, M_SCHEDULED),
            most = time_after_at_most(last, LSCHED_REPORT_AHEAD_US);
    if (us <= most || (last == 0 && meta(k, M_CYCLE) == 0)) return LSCHED_OK;
    return fail(err, LSCHED_E_TIME,
                "%s is %lld, past %lld (%d days after the latest cycle, in microseconds); if it is "
                "right, run a cycle first or call lsched_clock_set",
                what, (long long)us, (long long)most, LSCHED_REPORT_AHEAD_DAYS);
}

/* A set of resource kinds and resource parts, one bit each. */
struct kind_set {
    uint64_t word[(KINDS_MAX + LIMIT_RESOURCE_PARTS) / 64];
};

static int32_t args_read_amount(const struct columns *k, const lsched_amount *a, uint32_t flags,
                                const char *what, struct kind_set *seen, lsched_error *err) {
    uint32_t kind = a->kind;
    int32_t rc =
        (kind == 0 && (flags & AMOUNT_ANY)) || (kind_is_part(k, kind) && (flags & AMOUNT_PARTS))
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

static int32_t args_read_amounts(const struct columns *k, const lsched_amount *list, uint32_t n,
                                 uint32_t flags, const char *what, int64_t *to, int64_t *part,
                                 lsched_error *err) {
    struct kind_set seen = {{0}};
    if (n && !list)
        return fail(err, LSCHED_E_NULL, "%s: %u amounts announced, the list is NULL", what, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t kind = list[i].kind;
        int32_t rc =
            arg_reserved_at(list[i].reserved_zero, "reserved_zero", what, "amount", i, err);
        if (rc == LSCHED_OK) rc = args_read_amount(k, &list[i], flags, what, &seen, err);
        if (rc != LSCHED_OK) return rc;
        if (kind >= KINDS_MAX)
            part[kind - KINDS_MAX] = list[i].amount;
        else if (kind)
            to[kind] = list[i].amount;
        else
            for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) to[r] = list[i].amount;
    }
    return LSCHED_OK;
}

int32_t arg_amounts(const struct columns *k, const lsched_amount *list, uint32_t n, uint32_t flags,
                    const char *what, int64_t *to, lsched_error *err) {
    return args_read_amounts(k, list, n, flags & ~(uint32_t)AMOUNT_PARTS, what, to, NULL, err);
}

int32_t arg_quotas(const struct columns *k, const lsched_amount *list, uint32_t n, const char *what,
                   int64_t *to, int64_t *part, lsched_error *err) {
    return args_read_amounts(k, list, n, AMOUNT_UNLIMITED | AMOUNT_PARTS, what, to, part, err);
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
