/*
 * verify_read.c -- see verify_read.h. This file parses the canonical bytes of shapes itself. The
 * model stores the positions of their sections in columns, but the verifier does not use those
 * columns.
 */
#include "engine/verify/verify_read.h"

#include <stdio.h>

struct verify_devices_text verify_devices_shown(const struct verify_devices *v) {
    struct verify_devices_text out;
    unsigned long long low = v->word[0], high = v->word[1];
    if (high)
        snprintf(out.text, sizeof out.text, "%#llx%016llx", high, low);
    else
        snprintf(out.text, sizeof out.text, "%#llx", low);
    return out;
}

int32_t verify_each(struct check *c, uint32_t table, int32_t (*check)(struct check *, uint32_t)) {
    int32_t rc = LSCHED_OK;
    for (uint32_t row = 0; row < table_rows(c->k, table) && rc == LSCHED_OK; row++)
        if (row_is_live(c->k, table, row)) rc = check(c, row);
    return rc;
}

int32_t verify_counter(struct check *c, uint32_t word, uint64_t found, const char *what) {
    if (meta(c->k, word) == found) return LSCHED_OK;
    return check_fail(c, "%llu %s are counted, but there are %llu",
                      (unsigned long long)meta(c->k, word), what, (unsigned long long)found);
}

int verify_label(const struct columns *k, uint32_t labels, lsched_text key, lsched_text *value) {
    struct reader r = reader_of(k, intern_text(k, T_LABELS, labels));
    for (uint32_t n = reader_u32(&r); n > 0; n--) {
        lsched_text have = reader_text(&r);
        *value = reader_text(&r);
        if (text_order(have, key) == 0) return 1;
    }
    return 0;
}

void verify_add_up(const struct columns *k, uint32_t q, wide_i128 *sums, size_t stride,
                   wide_i128 amount) {
    for (; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) sums[q * stride] += amount;
}

uint32_t verify_common_ancestor(const struct columns *k, uint32_t a, uint32_t b) {
    while (a != b && (a != NO_ROW || b != NO_ROW)) {
        uint32_t da = a == NO_ROW ? 0 : k->c[C_QUEUE_DEPTH].u32[a] + 1,
                 db = b == NO_ROW ? 0 : k->c[C_QUEUE_DEPTH].u32[b] + 1;
        if (da >= db) a = k->c[C_QUEUE_PARENT].u32[a];
        if (db >= da) b = k->c[C_QUEUE_PARENT].u32[b];
    }
    return a;
}

uint32_t verify_top_below(const struct columns *k, uint32_t q, uint32_t above) {
    while (q != above && k->c[C_QUEUE_PARENT].u32[q] != above) q = k->c[C_QUEUE_PARENT].u32[q];
    return q;
}

uint32_t verify_domain(const struct columns *k, uint32_t node, uint32_t topology, uint32_t level) {
    uint32_t d = k->c[C_NODE_DOMAIN0 + topology].u32[node];
    while (d != NO_ROW && k->c[C_DOMAIN_LEVEL].u32[d] > level) d = k->c[C_DOMAIN_PARENT].u32[d];
    return d;
}

/* ---- the canonical bytes of a shape ---- */

void verify_skip_list(struct reader *r, const char *fields) {
    for (uint32_t n = reader_u32(r); n > 0; n--)
        for (const char *f = fields; *f; f++) {
            if (*f == 'u') reader_u32(r);
            if (*f == 'i') reader_i64(r);
            if (*f == 't') reader_text(r);
            for (uint32_t m = *f == 'T' ? reader_u32(r) : 0; m > 0; m--) reader_text(r);
        }
}

struct reader verify_selectors(const struct columns *k, uint32_t shape) {
    struct reader r = reader_of(k, intern_text(k, T_SHAPE, shape));
    verify_skip_list(&r, "ti");
    reader_u32(&r);
    reader_u32(&r);
    reader_i64(&r);
    verify_skip_list(&r, "t");
    return r;
}

struct reader verify_steps(const struct columns *k, uint32_t shape) {
    struct reader r = verify_selectors(k, shape);
    verify_skip_list(&r, "tT");
    return r;
}

struct reader verify_section(const struct columns *k, uint32_t shape, uint32_t tag) {
    struct reader r = verify_steps(k, shape);
    verify_skip_list(&r, "tii");
    while (r.p < r.end && !r.bad) {
        uint32_t have = reader_u32(&r), n = reader_u32(&r);
        if (have == tag) return (struct reader){r.p, r.p + n, 0};
        r.p += n;
    }
    return (struct reader){NULL, NULL, 0};
}
