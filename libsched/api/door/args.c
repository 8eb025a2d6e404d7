/* args.c -- see args.h. */
#include "api/door/args.h"

#include "base/suggest.h"
#include "base/text_out.h"
#include "base/times.h"
#include "model/jobs/task_row.h"
#include "model/devices/resource_part.h"
#include "model/store/index.h"
#include "model/store/intern.h"

/* The kinds of objects that have ids. index: hash index of the names, TABLES if the kind has
 * none. */
static const struct {
    const char *noun;
    uint16_t table, index, name; /* name: the column */
} kinds[] = {{"none", TABLES, TABLES, 0},
             {"node", T_NODE, T_IX_NODE, C_NODE_NAME},
             {"queue", T_QUEUE, T_IX_QUEUE, C_QUEUE_NAME},
             {"job", T_JOB, T_IX_JOB, C_JOB_NAME},
             {"decision", T_DECISION, TABLES, 0},
             {"topology", T_TOPOLOGY, T_IX_TOPOLOGY, C_TOPOLOGY_NAME}};
#define KINDS_OF_IDS (sizeof kinds / sizeof kinds[0])

uint32_t table_of(uint32_t kind) {
    return kind < KINDS_OF_IDS ? kinds[kind].table : TABLES;
}

uint32_t index_table_of(uint32_t kind) {
    return kind < KINDS_OF_IDS ? kinds[kind].index : TABLES;
}

lsched_id arg_id_of(const struct columns *k, uint32_t kind, uint32_t row) {
    return id_outside(k, id_make(k, kind, row));
}

int32_t arg_id(const struct columns *k, lsched_id id, uint32_t kind, uint32_t *row,
               lsched_error *err) {
    lsched_id own = id_outside(k, id);
    uint32_t have = LSCHED_ID_KIND(id), slot = (uint32_t)own,
             gen = (uint32_t)(own >> 32) & 0x0FFFFFFF;
    if (have == LSCHED_KIND_NONE)
        return fail(err, LSCHED_E_KIND, "expected the id of a %s, got %#llx, which is %s",
                    kinds[kind].noun, (unsigned long long)id,
                    id ? "the id of no object" : "no id: was it never set?");
    if (have != kind)
        return fail(err, LSCHED_E_KIND, "expected the id of a %s, got %#llx, the id of a %s",
                    kinds[kind].noun, (unsigned long long)id,
                    have < KINDS_OF_IDS ? kinds[have].noun : "kind that does not exist");
    if (!row_is_live(k, table_of(kind), slot) ||
        k->c[table_generation(table_of(kind))].u32[slot] != gen)
        return fail(
            err, LSCHED_E_STALE, "the %s with id %#llx no longer exists%s; %s", kinds[kind].noun,
            (unsigned long long)id, k->id_salt ? ", or the id is of another cluster" : "",
            kind == LSCHED_KIND_DECISION ? "forget it: it was carried out, rejected or withdrawn"
                                         : "lsched_find returns the present id of a name");
    *row = slot;
    return LSCHED_OK;
}

lsched_text arg_name_of(const struct columns *k, lsched_id id) {
    uint32_t kind = LSCHED_ID_KIND(id), row = NO_ROW;
    if (index_table_of(kind) == TABLES || arg_id(k, id, kind, &row, NULL) != LSCHED_OK)
        return (lsched_text){NULL, 0};
    return text_of(k, k->c[kinds[kind].name].u32[row]);
}

/* most names that are compared with an unknown name, to suggest a similar one */
#define SUGGEST_ROWS_MAX 4096u

static int32_t args_no_such_name(const struct columns *k, uint32_t kind, lsched_text name,
                                 lsched_error *err) {
    struct suggest near;
    uint32_t table = table_of(kind), rows = table_rows(k, table);
    suggest_begin(&near, name.ptr, (size_t)name.len);
    for (uint32_t row = 0; row < rows && row < SUGGEST_ROWS_MAX; row++) {
        if (!row_is_live(k, table, row)) continue;
        lsched_text known = text_of(k, k->c[kinds[kind].name].u32[row]);
        suggest_offer(&near, known.ptr, (size_t)known.len);
    }
    if (near.best)
        return fail(err, LSCHED_E_NOENT, "no %s is called '%.*s'; did you mean '%.*s'?",
                    kinds[kind].noun, (int)name.len, name.ptr, (int)near.best_len, near.best);
    return fail(err, LSCHED_E_NOENT, "no %s is called '%.*s'; %s", kinds[kind].noun, (int)name.len,
                name.ptr,
                kind == LSCHED_KIND_JOB ? "it was never submitted, or it is gone" : "add it first");
}

int32_t arg_ref(const struct columns *k, lsched_id id, lsched_text name, uint32_t kind,
                uint32_t *row, lsched_error *err) {
    if (id) return arg_id(k, id, kind, row, err);
    name = arg_text(name);
    if (name.len == 0)
        return fail(err, LSCHED_E_INVAL, "expected a %s by id or by name, got neither",
                    kinds[kind].noun);
    *row = name_find(k, index_table_of(kind), name.ptr, (size_t)name.len);
    if (*row != NO_ROW) return LSCHED_OK;
    return err ? args_no_such_name(k, kind, name, err) : LSCHED_E_NOENT;
}

int32_t arg_kind(const struct columns *k, uint32_t kind, const char *what, lsched_error *err) {
    uint32_t n = (uint32_t)meta(k, M_N_KINDS);
    if (kind > 0 && kind < n) return LSCHED_OK;
    if (!kind_is_part(k, kind))
        return fail(err, LSCHED_E_KEY,
                    "%s: resource kind %u is unknown; expected 1 to %u, or add the kind with "
                    "lsched_resource_add",
                    what, kind, n - 1);
    lsched_text name = text_of(k, kind_name(k, kind));
    return fail(err, LSCHED_E_UNSUPPORTED,
                "%s: '%.*s' is a resource part; it is allowed in quotas and limits only", what,
                (int)name.len, name.ptr);
}

int32_t arg_query(const void *cluster, const void *out, lsched_error *err) {
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    return cluster && out ? LSCHED_OK : fail(err, LSCHED_E_NULL, "cluster or out is NULL");
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
        return fail(err, LSCHED_E_INVAL,
                    "%s: resource kind %u is given twice; give one amount for each kind", what,
                    kind);
    seen->word[kind / 64] |= (uint64_t)1 << (kind % 64);
    if (kind == LSCHED_GPU && (flags & AMOUNT_NO_GPU))
        return fail(err, LSCHED_E_INVAL,
                    "%s: gpu must not be given as an amount; the amount follows from the devices "
                    "(1000 for each)",
                    what);
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
        return fail(err, LSCHED_E_NULL, "%s: the number of amounts is %u, but the list is NULL",
                    what, n);
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

int32_t arg_task(const struct columns *k, lsched_id id, uint32_t index, uint32_t *job,
                 uint32_t *task, lsched_error *err) {
    int32_t rc = arg_id(k, id, LSCHED_KIND_JOB, job, err);
    if (rc != LSCHED_OK) return rc;
    uint32_t tasks = jobshape_indexes(k, k->c[C_JOB_SHAPE].u32[*job]);
    lsched_text name = text_of(k, k->c[C_JOB_NAME].u32[*job]);
    if (index >= tasks)
        return fail(err, LSCHED_E_RANGE, "job '%.*s' has %s; task %u does not exist", (int)name.len,
                    name.ptr, counted(tasks, "task").text, index);
    *task = task_find(k, *job, index);
    return LSCHED_OK;
}

int32_t arg_new_name(const struct columns *k, lsched_text *name, uint32_t kind, lsched_error *err) {
    const char *what = kinds[kind].noun;
    int32_t rc = arg_name(name, what, err);
    if (rc != LSCHED_OK) return rc;
    if (name_find(k, index_table_of(kind), name->ptr, (size_t)name->len) == NO_ROW)
        return LSCHED_OK;
    return fail(err, LSCHED_E_EXISTS,
                "%s '%.*s' exists already; take another name, or update or remove that one", what,
                (int)name->len, name->ptr);
}

lsched_cluster *arg_caches_of(const lsched_cluster *c) {
    return (lsched_cluster *)(uintptr_t)c;
}

int32_t arg_busy(lsched_error *err) {
    return fail(err, LSCHED_E_BUSY,
                "a callback called a function of its own cluster, which is not allowed");
}

int32_t arg_report(const lsched_cluster *c, char *buf, size_t cap, struct text_out *o,
                   lsched_error *err) {
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!c || (cap && !buf)) return fail(err, LSCHED_E_NULL, "cluster or buffer is NULL");
    if (c->busy) return arg_busy(err);
    *o = (struct text_out){buf, cap, 0};
    if (cap) buf[0] = 0;
    return LSCHED_OK;
}

int32_t arg_devices(uint32_t mask, const uint64_t *words, const char *what, device_set *set,
                    lsched_error *err) {
    *set = device_set_of_array(words);
    if (*set == 0) *set = mask;
    if (mask == 0 || mask == *set) return LSCHED_OK;
    return fail(err, LSCHED_E_INVAL,
                "%s: device_mask is %#x and device_words is %s; give one of them, or equal sets",
                what, mask, device_set_text(*set).text);
}

int32_t arg_devices_refuse(device_set set, uint32_t n, const char *what, lsched_error *err) {
    return fail(err, LSCHED_E_RANGE, "%s: the node has no device %u; it has %s, from 0 on", what,
                device_set_first(set & ~device_set_below(n)), counted(n, "device").text);
}

int32_t arg_devices_fit(const void *out, size_t at, device_set set, lsched_error *err) {
    uint32_t size;
    memcpy(&size, out, sizeof size);
    if (device_set_is_short(set) || size < 8 || size >= at + LSCHED_DEVICE_WORDS * sizeof(uint64_t))
        return LSCHED_OK;
    return fail(
        err, LSCHED_E_RANGE,
        "the task holds devices %s, which a device_mask of 32 bits cannot have; compile with "
        "a header whose struct has device_words (its size is %u)",
        device_set_text(set).text, size);
}
