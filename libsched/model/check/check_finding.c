/*
 * check_finding.c -- see check_finding.h: the error of a finding, and the names of rows.
 */
#include "model/check/check_finding.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/call_args.h"
#include "model/store/blocks.h"

int32_t check_fail(struct check *c, const char *format, ...) {
    if (!c->err) return c->code;
    lsched_error full = LSCHED_ERROR_INIT;
    full.index = -1; /* the finding is about no batch */
    full.code = c->code;
    va_list args;
    va_start(args, format);
    vsnprintf(full.message, sizeof full.message, format, args);
    va_end(args);
    err_copy(c->err, &full);
    return c->code;
}

int32_t check_nomem(struct check *c) {
    int32_t code = c->code;
    c->code = LSCHED_E_NOMEM;
    check_fail(c, "out of memory for the verifier's counts");
    c->code = code;
    return LSCHED_E_NOMEM;
}

static uint32_t name_column(uint32_t table) {
    switch (table) {
    case T_KIND: return C_KIND_NAME;
    case T_TOPOLOGY: return C_TOPOLOGY_NAME;
    case T_DOMAIN: return C_DOMAIN_NAME;
    case T_NODE: return C_NODE_NAME;
    case T_QUEUE: return C_QUEUE_NAME;
    case T_JOB: return C_JOB_NAME;
    case T_STRING: return C_STRING_BLOB;
    case T_DERIVED: return C_DERIVED_NAME;
    case T_POOL: return C_POOL_NAME;
    case T_SUPPLY: return C_SUPPLY_NAME;
    case T_RESERVATION: return C_RESERVATION_NAME;
    default: return COLUMNS;
    }
}

static const char *word_of(uint32_t table) {
    switch (table) {
    case T_KIND: return "resource kind";
    case T_TOPOLOGY: return "topology";
    case T_DOMAIN: return "domain";
    case T_NODE: return "node";
    case T_QUEUE: return "queue";
    case T_JOB: return "job";
    case T_STRING: return "string";
    case T_DERIVED: return "quota kind";
    case T_POOL: return "pool";
    case T_SUPPLY: return "supply";
    case T_RESERVATION: return "reservation";
    default: return table_names[table];
    }
}

/* Writes the name of the row to out[], if the row has a valid text as its name. The name is
 * shortened, and its control bytes are replaced. Returns 1 if it wrote a name. */
static int quote(const struct columns *k, uint32_t table, uint32_t row, char out[56]) {
    uint32_t column = name_column(table), rows = table_rows(k, T_TEXT);
    if (column == COLUMNS || row >= table_rows(k, table)) return 0;
    uint32_t text = k->c[column].u32[row];
    if (rows > k->capacity[T_TEXT] || text >= rows ||
        text_len(k, text) > (uint64_t)(rows - text - 1) * 8)
        return 0;
    uint32_t len = text_len(k, text), n = len < 48 ? len : 48;
    const uint8_t *p = text_bytes(k, text);
    /* shortens only between two UTF-8 characters */
    while (n < len && n > 0 && (p[n] & 0xC0u) == 0x80u) n--;
    for (uint32_t i = 0; i < n; i++) out[i] = p[i] < 0x20 || p[i] == 0x7F ? '?' : (char)p[i];
    memcpy(out + n, n < len ? "..." : "", n < len ? 4 : 1);
    return 1;
}

struct row_name row_name(const struct columns *k, uint32_t table, uint32_t row) {
    struct row_name name;
    char text[56];
    uint32_t task = table == T_DECISION && row < table_rows(k, T_DECISION)
                        ? k->c[C_DECISION_TASK].u32[row]
                        : row;
    int is_task = (table == T_TASK || table == T_DECISION) && task < table_rows(k, T_TASK);
    if (is_task && quote(k, T_JOB, k->c[C_TASK_JOB].u32[task], text))
        snprintf(name.text, sizeof name.text, "task %u of job \"%s\"", k->c[C_TASK_INDEX].u32[task],
                 text);
    else if (quote(k, table, row, text))
        snprintf(name.text, sizeof name.text, "%s \"%s\"", word_of(table), text);
    else
        snprintf(name.text, sizeof name.text, "row %u of %s", row, table_names[table]);
    return name;
}
