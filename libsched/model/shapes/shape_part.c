/* shape_part.c -- see shape_part.h. */
#include "model/shapes/shape_part.h"

int shape_part(const struct columns *k, uint32_t shape, uint32_t tag, struct reader *part) {
    uint32_t at = k->c[C_SHAPE_PARTS].u32[shape];
    struct reader r = reader_of(k, intern_text(k, T_SHAPE, shape));
    if (at == 0) return 0;
    for (r.p += at; r.p < r.end;) {
        uint32_t t = reader_u32(&r), n = reader_u32(&r);
        if (t == tag) {
            *part = (struct reader){r.p, r.p + n, 0};
            return 1;
        }
        r.p += n;
    }
    return 0;
}
