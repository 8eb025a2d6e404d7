/* size_shape.c -- see size_shape.h. */
#include "model/resizes/size_shape.h"

#include "model/shapes/daily_demand.h"

/* Appends the list of amounts, sorted by the name of the kind, as a job's request has it. */
static void encode_amounts(struct bytes *b, const struct columns *k, uint32_t shape,
                           const int64_t amount[KINDS_MAX]) {
    uint32_t kinds[KINDS_MAX], n = 0;
    for (uint32_t r = 1; r < (uint32_t)meta(k, M_N_KINDS); r++) {
        int64_t a = r == LSCHED_GPU ? k->c[C_SHAPE_REQ + r].i64[shape] : amount[r];
        if (a == 0) continue;
        uint32_t j = n++;
        for (; j > 0 && text_order(text_of(k, k->c[C_KIND_NAME].u32[r]),
                                   text_of(k, k->c[C_KIND_NAME].u32[kinds[j - 1]])) < 0;
             j--)
            kinds[j] = kinds[j - 1];
        kinds[j] = r;
    }
    bytes_u32(b, n);
    for (uint32_t i = 0; i < n; i++) {
        bytes_text(b, text_of(k, k->c[C_KIND_NAME].u32[kinds[i]]));
        bytes_i64(b, kinds[i] == LSCHED_GPU ? k->c[C_SHAPE_REQ + LSCHED_GPU].i64[shape]
                                            : amount[kinds[i]]);
    }
}

/* Returns a reader behind the list of amounts. */
static struct reader behind_amounts(const struct columns *k, uint32_t shape) {
    struct reader r = reader_of(k, k->c[C_SHAPE_BLOB].u32[shape]);
    for (uint32_t n = reader_u32(&r); n > 0 && !r.bad; n--) {
        reader_text(&r);
        reader_i64(&r);
    }
    return r;
}

int32_t size_shape_get(struct columns *k, uint32_t shape, const int64_t amount[KINDS_MAX],
                       uint32_t *row) {
    struct reader rest = behind_amounts(k, shape);
    struct bytes b;
    assert(!rest.bad);
    bytes_init(&b, k->alloc);
    encode_amounts(&b, k, shape, amount);
    bytes_put(&b, rest.p, (size_t)(rest.end - rest.p));
    int32_t rc = b.failed ? LSCHED_E_NOMEM : undo_room(k);
    if (rc == LSCHED_OK) rc = shape_get(k, b.p, b.n, row);
    bytes_close(&b);
    return rc == LSCHED_OK ? undo_room(k) : rc;
}

/* True if the shape has steps of a demand. */
static int has_demand(const struct columns *k, uint32_t shape) {
    struct reader r = behind_amounts(k, shape);
    reader_u32(&r);
    reader_u32(&r);
    reader_i64(&r);
    for (uint32_t n = reader_u32(&r); n > 0 && !r.bad; n--) reader_text(&r);
    for (uint32_t n = reader_u32(&r); n > 0 && !r.bad; n--) {
        reader_text(&r);
        for (uint32_t values = reader_u32(&r); values > 0 && !r.bad; values--) reader_text(&r);
    }
    return reader_u32(&r) != 0;
}

int size_shape_can_change(const struct columns *k, uint32_t shape, const struct hold *hold,
                          const char **why) {
    *why = shape_is_daily(k, shape) || has_demand(k, shape) ? "has a demand that changes with time"
           : hold->numa                                     ? "is pinned to NUMA nodes"
                                                            : NULL;
    return *why == NULL;
}
